#!/usr/bin/env python3
"""Tests elements outside of libpliant_engine, which are in modules (shared libraries). The program must load these
modules, report a missing one with the command that builds it, and load modules that the command pliant-material builds
from a header file.

usage: test_material.py PLIANT PLIANT_MATERIAL TEST_ELEMENT SOURCE     TEST_ELEMENT: the program test_element
                                                                       SOURCE: root of the sources
"""
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402

PLIANT, MATERIAL, TEST_ELEMENT, SOURCE = (os.path.abspath(word) for word in sys.argv[1:5])
del sys.argv[1:]
EXAMPLE = os.path.join(SOURCE, "examples/materials/stiffening.h")
# Without optimisation pliant-material compiles in half of the time.
QUICK = {"CFLAGS": "-O0", "CXXFLAGS": "-O0", "NVCCFLAGS": "-Xcicc=-O0"}
COMPILER = shutil.which("cc") and shutil.which("c++")


def run(*words, **environment):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=300,
                          env={**os.environ, **environment})


def solve(*words, **environment):
    return run(PLIANT, "bench", "--device", "cpu", "--steps", "3", "--mesh", SOURCE + "/assets/meshes/sphere_63.msh",
               "--gravity", "0,-9.81,0", *words, **environment)


class Material(InFolder):
    def fails(self, done, *fragments):
        """Tests that the program failed, and that its last line on standard error contains all fragments."""
        self.assertGreater(done.returncode, 0, done.stderr)
        for fragment in fragments:
            self.assertIn(fragment, done.stderr.splitlines()[-1])

    def test_a_missing_module_is_named_with_the_command_that_builds_it(self):
        library = pathlib.Path(PLIANT).parent.parent / "libpliant_engine.so.0"
        shutil.copy(library, self.path("libpliant_engine.so.0"))
        done = solve("--material", "stvk", LD_LIBRARY_PATH=self.folder.name)
        self.fails(done, "element tet4_stvk is not built", "tet4_stvk_f32.so", os.path.realpath(self.folder.name),
                   "ninja -C build all-elements")
        # without the module, `validate` has no methods to compare, which is an error
        done = run(PLIANT, "validate", "--degree", "3", SOURCE + "/assets/meshes/sphere_63.msh",
                   LD_LIBRARY_PATH=self.folder.name)
        self.fails(done, "element tet20_neo_hookean is not built", "ninja -C build all-elements")
        # an element that is linked into libpliant_engine needs no module
        self.assertEqual(solve(LD_LIBRARY_PATH=self.folder.name).returncode, 0)

    def test_modules_are_opened_by_name(self):
        for material in ("stvk", "mooney_rivlin"):
            done = solve("--material", material)
            self.assertEqual(done.returncode, 0, done.stderr)
        out = run(PLIANT, "info", SOURCE + "/assets/meshes/sphere_63.msh", "--all").stdout
        for material in ("neo_hookean", "mooney_rivlin", "stvk"):
            self.assertIn(material, out)

    def test_many_named_folders_leave_that_of_the_program(self):
        many = ":".join(self.path(f"nothing-{k}") for k in range(20))
        done = solve("--material", "stvk", PLIANT_ELEMENTS=many)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_modules_that_do_not_fit_are_refused(self):
        module = pathlib.Path(PLIANT).parent.parent / "elements/tet4_stvk_f32.so"
        version = run(PLIANT, "--version").stdout.split()[1].encode()
        bytes_of_module = module.read_bytes()
        self.assertIn(version + b"\0", bytes_of_module)
        other = b"9" * (len(version) - 2) + b".9"
        for content, fault in ((b"no module", "tet4_stvk_f32.so: "),
                               (bytes_of_module.replace(version + b"\0", other + b"\0"),
                                "another version of Pliant (9")):
            pathlib.Path(self.path("tet4_stvk_f32.so")).write_bytes(content)
            done = solve("--material", "stvk", PLIANT_ELEMENTS=self.folder.name)
            self.fails(done, fault, self.folder.name)

    @unittest.skipUnless(COMPILER, "no compiler")
    def test_a_material_of_ones_own_with_a_third_constant(self):
        done = run(MATERIAL, EXAMPLE, "-o", self.path("own"), **QUICK)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")  # no warnings
        self.assertEqual(sorted(os.listdir(self.path("own"))), ["tet4_stiffening_f32.so", "tet4_stiffening_f64.so"])
        own = {"PLIANT_ELEMENTS": self.path("nothing") + ":" + self.path("own")}
        ball = SOURCE + "/assets/meshes/sphere_63.msh"
        self.assertIn("stiffening", run(PLIANT, "info", ball, "--all", **own).stdout)
        # This program tests derivatives: forces are the gradient of the energy, the tangent that of the forces.
        done = run(TEST_ELEMENT, **own)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        for precision in ("float", "double"):
            done = solve("--material", "stiffening", "--second-invariant", "0.4", "--precision", precision, **own)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.fails(solve("--material", "stiffening", "--poisson", "0.1", "--young", "1e5", "--second-invariant", "0.9",
                         **own), "stiffening", "second_invariant is 0.9, expected 0 to")
        self.fails(solve("--material", "stiffening", "--degree", "2", **own), "tet10_stiffening",
                   "pliant-material stiffening.h --shape tet10")

    @unittest.skipUnless(COMPILER, "no compiler")
    def test_headers_that_are_wrong(self):
        wrong = self.path("wrong.h")
        text = pathlib.Path(EXAMPLE).read_text()
        pathlib.Path(wrong).write_text(text.replace("real material_energy(", "real my_energy("))
        done = run(MATERIAL, wrong, "-o", self.path("own"), **QUICK)
        self.assertEqual(done.returncode, 1)
        self.assertIn("material_energy", done.stderr)
        self.assertIn("pliant-material: " + wrong, done.stderr.splitlines()[-1])
        self.assertEqual(os.listdir(self.path("own")), [])
        for words, fragment in (([self.path("absent.h")], "no such file"),
                                ([EXAMPLE, "--shape", "tet5"], "expected one or more of"),
                                ([SOURCE + "/src/sim/element/material/stvk.h"], "of this name")):
            self.fails(run(MATERIAL, *words, "-o", self.path("own")), "pliant-material: ", fragment)
        pathlib.Path(self.path("latin1.h")).write_bytes(b"// \xe9\n")
        for words, fragment in (([self.path("latin1.h")], "latin1.h: cannot be read as UTF-8 text"),
                                ([self.folder.name], "is not a file"),
                                ([EXAMPLE, "-o", wrong], "wrong.h: the folder cannot be made: File exists")):
            done = run(MATERIAL, *words)
            self.fails(done, "pliant-material: ", fragment)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_an_unknown_material_names_the_searched_folders(self):
        self.fails(solve("--material", "my", PLIANT_ELEMENTS=self.path("nothing")), 'material "my" does not exist',
                   self.path("nothing"), "PLIANT_ELEMENTS")


unittest.main(verbosity=2)

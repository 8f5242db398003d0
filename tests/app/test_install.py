#!/usr/bin/env python3
"""Tests `meson install` into a separate folder: the program finds its scenes and meshes from any working directory,
also after the folder is moved. Man page and completions contain every option, and the desktop files are valid.

usage: test_install.py PLIANT SOURCE BUILD PREFIX     root of the sources, build folder, its installation prefix
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402

PLIANT, SOURCE, BUILD, PREFIX = (os.path.abspath(word) for word in sys.argv[1:5])
del sys.argv[1:]


def run(*words, **more):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=120, **more)


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        staged = pathlib.Path(cls.folder.name, "stage")
        done = run("meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", staged)
        assert done.returncode == 0, done.stdout + done.stderr
        # moves the staged files, as a package manager does
        cls.root = pathlib.Path(cls.folder.name, "moved")
        os.rename(str(staged) + PREFIX, cls.root)
        cls.share = cls.root / "share"
        table = run(PLIANT, "--help=table").stdout.splitlines()
        cls.flags = sorted({line.split("\t")[1] for line in table if line.startswith("option\t")})
        cls.commands = [line.split("\t")[1].split()[1] for line in table
                        if line.startswith("command\tpliant ")]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_it_works_from_any_folder(self):
        environment = {name: value for name, value in os.environ.items() if name != "PLIANT_ASSETS"}
        program, share = self.root / "bin/pliant", self.share / "pliant"
        for words in (["info", share / "scenes/drop_coarse.json"], ["info"]):
            done = run(program, *words, cwd="/", env=environment)
            self.assertEqual(done.returncode, 0, done.stderr)
        mesh = re.search("^mesh +(.+)$", done.stdout, re.M).group(1)
        self.assertIn(os.path.realpath(share / "meshes"), os.path.realpath(mesh))
        state = pathlib.Path(self.folder.name) / "s.npz"
        done = run(program, "record", "--frames", 2, "--device", "cpu", "--state", state, cwd="/", env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(os.listdir(share / "scenes")), sorted(os.listdir(SOURCE + "/assets/scenes")))
        self.assertEqual(sorted(os.listdir(share / "meshes")), sorted(os.listdir(SOURCE + "/assets/meshes")))
        self.assertEqual(os.listdir(share / "surfaces"), os.listdir(SOURCE + "/assets/surfaces"))
        # The installed program does not use the source tree, and PLIANT_ASSETS has priority.
        os.mkdir(pathlib.Path(self.folder.name) / "empty")
        done = run(program, "info", cwd="/", env={**environment, "PLIANT_ASSETS": self.folder.name + "/empty"})
        self.assertEqual(done.returncode, 2)
        self.assertIn(self.folder.name + "/empty/scenes/hand.json: No such file", done.stderr)

    def test_elements_and_materials_of_ones_own(self):
        environment = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
        words = ("bench", "--steps", 2, "--device", "cpu", self.share / "pliant/scenes/drop_coarse.json", "--material")
        done = run(self.root / "bin/pliant", *words, "stvk", cwd="/", env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        if shutil.which("cc") and shutil.which("c++"):
            own = pathlib.Path(self.folder.name, "own")
            header = pathlib.Path(self.folder.name, "copy.h")
            shutil.copy(SOURCE + "/src/sim/element/material/stvk.h", header)
            # Removes nvcc from the script, as in a build without CUDA, so that no kernels are compiled. test_material
            # tests kernels.
            script = self.root / "bin/pliant-material"
            script.write_text(re.sub(r'NVCC = (.*), ".*"', r'NVCC = \1, ""', script.read_text(), count=1))
            quick = {"CFLAGS": "-O0", "CXXFLAGS": "-O0"}
            done = run(script, header, "-o", own, cwd="/", env={**environment, **quick})
            self.assertEqual(done.returncode, 0, done.stderr)
            environment["PLIANT_ELEMENTS"] = str(own)
            done = run(self.root / "bin/pliant", *words, "copy", cwd="/", env=environment)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_sources_of_elements_are_complete(self):
        """The installed sources are those that pliant-material lists, and each header that they include is installed,
        too. Only a build with CUDA compiles all of them (test_material)."""
        folder = self.share / "pliant/src"
        listed = re.findall(r"[\w/]+\.(?:c|cpp|cu)\b", (self.root / "bin/pliant-material").read_text()
                            .split("SOURCES = {")[1].split("}\n}")[0])
        self.assertGreater(len([name for name in listed if name.endswith(".cu")]), 5)
        for name in listed:
            self.assertTrue((folder / name).exists(), name)
        for path in folder.rglob("*.*"):
            for name in re.findall(r'^\s*#\s*include "([^"]+)"', path.read_text(), re.M):
                if os.path.exists(f"{SOURCE}/src/{name}"):
                    self.assertTrue((folder / name).exists(), f"{path} includes {name}")

    def test_man_page(self):
        page = self.share / "man/man1/pliant.1"
        text = page.read_text().replace("\\-", "-")
        self.assertGreater(len(self.flags), 50)
        for flag in self.flags:
            self.assertTrue("\\fB" + flag + "\\fR" in text, flag)
        for command in self.commands:
            self.assertIn(".SH " + command.upper(), text)
        if shutil.which("groff"):
            done = run("groff", "-man", "-Tutf8", "-ww", "-z", page)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def complete(self, *words):
        script = f"""source {self.share}/bash-completion/completions/pliant
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _pliant; printf '%s\\n' "${{COMPREPLY[@]}}" """
        done = run("bash", "-c", script, "bash", *words, cwd=self.folder.name)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash(self):
        self.assertEqual(self.complete("pliant", "re"), ["record", "replay"])
        self.assertEqual(self.complete("pliant", "record", "--overw"), ["--overwrite"])
        self.assertEqual(self.complete("pliant", "bench", "--device", "c"), ["cpu", "cuda"])
        self.assertEqual(self.complete("pliant", "bench", "--device", "=", "c"), ["cpu", "cuda"])
        self.assertEqual(self.complete("pliant", "--integrator", "b"), ["bdf2"])
        self.assertEqual(self.complete("pliant", "record", "--fps", ""), [])
        pathlib.Path(self.folder.name, "my.json").touch()
        for words in (["my"], ["record", "my"], ["--log", "my"]):
            self.assertEqual(self.complete("pliant", *words), ["my.json"])
        offered = set()
        for command in self.commands:
            offered |= set(self.complete("pliant", command, "--"))
        offered |= set(self.complete("pliant", "--"))
        self.assertEqual(sorted(set(self.flags) - offered), [])

    def test_other_shells(self):
        for shell, name in (("zsh", "zsh/site-functions/_pliant"), ("fish", "fish/vendor_completions.d/pliant.fish")):
            text = (self.share / name).read_text()
            for flag in self.flags:
                self.assertTrue((flag if shell == "zsh" else "-l " + flag[2:]) in text, (shell, flag))
            if shutil.which(shell):
                done = run(shell, "-n", self.share / name)
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_desktop(self):
        entry = dict(line.split("=", 1) for line in
                     (self.share / "applications/pliant.desktop").read_text().splitlines()[1:])
        self.assertTrue((self.share / f"icons/hicolor/scalable/apps/{entry['Icon']}.svg").exists())
        self.assertEqual(entry["Exec"], "pliant %f")
        if shutil.which("desktop-file-validate"):
            done = run("desktop-file-validate", self.share / "applications/pliant.desktop")
            self.assertEqual((done.returncode, done.stdout), (0, ""))
        types = xml.etree.ElementTree.parse(self.share / "mime/packages/pliant-scene.xml").getroot()
        self.assertEqual([t.get("type") + ";" for t in types], [entry["MimeType"]])
        xml.etree.ElementTree.parse(self.share / "icons/hicolor/scalable/apps/pliant.svg")

    def test_the_type_of_scenes_contains_all_shipped_scenes(self):
        """Each shipped scene begins as the magic of the MIME type requires: a brace, and then the name of a key."""
        root = xml.etree.ElementTree.parse(self.share / "mime/packages/pliant-scene.xml").getroot()
        name = {"": "http://www.freedesktop.org/standards/shared-mime-info"}
        brace = root.find("mime-type/magic/match", name)
        keys = brace.findall("match", name)
        self.assertEqual({brace.get("offset"), *(key.get("offset") for key in keys)}, {"0", "1:24"})
        for path in sorted((self.share / "pliant/scenes").iterdir()):
            text = path.read_text()
            self.assertTrue(text.startswith(brace.get("value")), path)
            # a match may begin at each offset from 1 to 24
            self.assertTrue(any(1 <= text.find(key.get("value")) <= 24 for key in keys), path)

    def test_scenes_have_their_type(self):
        """A scene is a file named *.pliant.json, or JSON that begins with a key of a scene. Other JSON is no scene."""
        if not shutil.which("update-mime-database") or not shutil.which("gio"):
            self.skipTest("neither update-mime-database nor gio is installed")
        with tempfile.TemporaryDirectory() as home:
            shutil.copytree(self.share / "mime", home + "/mime")
            system = "/usr/share/mime/packages/freedesktop.org.xml"
            if not os.path.exists(system):
                self.skipTest("the system has no MIME types")
            shutil.copy(system, home + "/mime/packages")
            self.assertEqual(run("update-mime-database", home + "/mime").returncode, 0)
            for name, text, expected in (("a.pliant.json", "{ }", "application/x-pliant-scene+json"),
                                         ("mesh.json", '{ "mesh": "a.msh" }', "application/x-pliant-scene+json"),
                                         ("shapes.json", '{\n  "shapes": [] }', "application/x-pliant-scene+json"),
                                         ("bodies.json", '{\n  "bodies": [] }', "application/x-pliant-scene+json"),
                                         ("other.json", '{ "title": "mesh" }', "application/json"),
                                         ("a.json", "[1, 2]", "application/json")):
                path = pathlib.Path(home, name)
                path.write_text(text)
                done = run("gio", "info", "-a", "standard::content-type", path,
                           env={**os.environ, "XDG_DATA_HOME": home, "XDG_DATA_DIRS": home})
                self.assertIn("content-type: " + expected, done.stdout, done.stderr)


class Demo(InFolder):
    def test_demo_says_what_it_installs_first(self):
        """Runs scripts/demo, which must first print the missing packages. Two packages appear to be missing. A script
        that only records its calls and fails replaces apt-get."""
        if not shutil.which("dpkg-query"):
            self.skipTest("not Debian")
        tools = pathlib.Path(self.folder.name)
        script = f"""#!/bin/sh
echo "apt-get $*" >>{tools}/calls
exit 1
"""
        for name in ("apt-get", "sudo"):
            (tools / name).write_text(script)
            (tools / name).chmod(0o755)
        (tools / "dpkg-query").write_text("#!/bin/sh\nfor last; do :; done\n"
                                          "[ $last = libcglm-dev ] || [ $last = xvfb ] || printf installed\n")
        (tools / "dpkg-query").chmod(0o755)
        done = run("bash", SOURCE + "/scripts/demo",
                   env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "DISPLAY": ""})
        self.assertEqual(done.returncode, 1, done.stdout)
        told = done.stdout.splitlines()
        self.assertEqual(told[0], "to be installed by apt-get, from your distribution: libcglm-dev")
        self.assertTrue((tools / "calls").exists())


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Tests the commands that repeat tables of paper 000, `bench --sweep` with its plots and `validate`, on the devices of
this machine. Also tests `bench --set`.

usage: test_sweep.py PLIANT
"""
import json
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402

PLIANT = sys.argv.pop(1)
SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts")
ASSETS = os.environ["PLIANT_ASSETS"]
COARSE = os.path.join(ASSETS, "scenes", "twist_coarse.json")  # a small scene: a fifth of the tets of the coarse hand


def run(*words, **environment):
    return subprocess.run(words, capture_output=True, text=True, timeout=500, env={**os.environ, **environment})


class Sweep(InFolder):
    def test_sweep_has_every_cpu_format_and_draws_itself(self):
        done = run(PLIANT, "bench", COARSE, "--steps", "1", "--repeat", "1", "--sweep", "--json", self.path("s.json"))
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("s.json")) as file:
            sweep = json.load(file)
        rows = {(r["assembly"], r["matrix"]) for r in sweep["runs"] if r["table"] == "formats" and r["device"] == "cpu"}
        # The sweep must have all matrix formats that `info --all` lists for the CPU in float, if they store a matrix.
        stages = run(PLIANT, "info", "--all", COARSE).stdout.split("\ndevices ")[1]
        formats = stages[stages.index("\nmatrix "):stages.index("\nsolver ")]
        listed = set(re.findall(r"cpu +float +(\w+) +(?! |matrix-free)", formats))
        self.assertLessEqual({"coo", "csr", "hyb", "dcoo", "dcsr", "dhyb", "dbcsr"}, listed)
        # In the order of these nodes, `dia` would store many zeros.
        self.assertEqual(set(re.findall(r"(\w+), cpu +skipped: the matrix would store", done.stdout)), {"dia"})
        every = {(a, m) for a in ("cpu", "cpu_opt", "cpu_simd") for m in listed - {"dia"}}
        # the assembly `parts` can fill only these matrices
        self.assertEqual(rows, every | {("parts", "parts"), ("parts", "parts16")})
        listed = set(re.findall(r"cpu +float +(\w+)", stages[stages.index("\nsolver "):]))
        solvers = {r["solver"] for r in sweep["runs"] if r["table"] == "solvers" and r["device"] == "cpu"}
        self.assertEqual(solvers, listed - {"cholmod"})  # the sweep skips this direct solver
        # All runs, which have one precision, must need the same number of Newton iterations.
        for r in sweep["runs"]:
            self.assertEqual(r["newton_iterations"], sweep["runs"][0]["newton_iterations"], r["label"])
            self.assertGreater(r["assembly_us"], 0)
        drawn = run(os.path.join(SCRIPTS, "plot-sweep"), self.path("s.json"), "-o", self.path("pictures"))
        self.assertEqual(drawn.returncode, 0, drawn.stderr)
        with open(self.path("pictures/s-devices.svg")) as file:
            picture = file.read()
        for word in ("assembly", "SpMV", "rest of CG", "all on the CPU"):
            self.assertIn(word, picture)
        with open(self.path("pictures/s-assembly.svg")) as file:
            self.assertIn("cpu_opt", file.read())
        self.assertGreater(os.path.getsize(self.path("pictures/s-assembly.png")), 5000)

    def test_one_table(self):
        done = run(PLIANT, "bench", COARSE, "--steps", "1", "--repeat", "2", "--sweep", "--table", "orders", "--json",
                   self.path("orders.json"))
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("orders.json")) as file:
            rows = json.load(file)["runs"]
        self.assertEqual({r["table"] for r in rows}, {"orders"})
        self.assertEqual({r["order"] for r in rows}, {"metis", "file", "rcm", "morton", "bisection"})

    def test_plots_of_something_else_are_refused(self):
        with open(self.path("x.json"), "w") as file:
            file.write("{}")
        drawn = run(os.path.join(SCRIPTS, "plot-sweep"), self.path("x.json"))
        self.assertNotEqual(drawn.returncode, 0)
        self.assertIn("x.json", drawn.stderr)

    def table(self, text, *words):
        done = run(PLIANT, "bench", COARSE, "--device", "cpu", "--steps", "1", "--repeat", "1", "--set", text, "--json",
                   self.path("t.json"), *words)
        with open(self.path("t.json")) as file:
            return done, json.load(file)["runs"]

    def test_table_of_given_values(self):
        done, rows = self.table("matrix=csr,dia gravity=0,0,-9.81;0,0,0")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([(r["set"]["matrix"], r["set"]["gravity"]) for r in rows],
                         [(m, g) for m in ("csr", "dia") for g in ("0,0,-9.81", "0,0,0")])
        self.assertEqual([r["matrix"] for r in rows], ["csr", "csr", "dia", "dia"])
        self.assertEqual(rows[0]["newton_iterations"], rows[2]["newton_iterations"])
        self.assertEqual(len(done.stdout.splitlines()), 5)  # a title and four rows

    def test_table_goes_on_after_a_combination_that_fails(self):
        done, rows = self.table("matrix=none,csr")
        self.assertEqual(done.returncode, 1)
        self.assertIn("combinations that failed: 1 of 2", done.stderr)
        self.assertIn('matrix "none" does not exist', rows[0]["error"])
        self.assertGreater(rows[1]["steps_per_s"], 0)

    def test_table_refuses_other_text(self):
        for text, words in (("dt", "has no values"), ("dt=", "has no values"), ("x=1", 'no scene key "x"'),
                            ("dt=1 dt=2", "given twice"), ("width=640", "no scene key"),
                            ("mesh=a.msh", "combinations that failed: 1 of 1")):
            done = run(PLIANT, "bench", COARSE, "--set", text)
            self.assertNotEqual(done.returncode, 0, text)
            self.assertIn(words, done.stderr)
        self.assertIn("given as an option", run(PLIANT, "bench", COARSE, "--dt", "0.1", "--set", "dt=1,2").stderr)

    def balls(self, *given):
        """Makes a folder of assets for `validate`, which reads four balls. Their files are links to the balls with the
        given numbers of nodes, since the finest balls would take seconds."""
        os.mkdir(self.path("meshes"))
        for name, mesh in zip(("63", "305", "1700", "3600"), given):
            os.symlink(os.path.join(ASSETS, "meshes", f"sphere_{mesh}.msh"), self.path(f"meshes/sphere_{name}.msh"))

    def test_validate_in_both_precisions(self):
        self.balls("63", "305", "305", "305")
        for precision, bound in (("float", 3e-7), ("double", 3e-14)):
            done = run(PLIANT, "validate", COARSE, "--precision", precision, "--json", self.path("v.json"),
                       PLIANT_ASSETS=self.folder.name)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            with open(self.path("v.json")) as file:
                rows = json.load(file)["rows"]
            self.assertGreaterEqual(len(rows), 8)
            for r in rows:
                self.assertEqual(len(r["matrix_errors"]), 5)
                for error in r["matrix_errors"] + r["vector_errors"]:
                    self.assertLess(error, bound)
                    self.assertGreaterEqual(error, 0)

    def test_validate_six_numbers_of_a_tet(self):
        self.balls("63", "305", "1700", "1700")
        done = run(PLIANT, "validate", COARSE, "--supplemental", "qr", "--json", self.path("v.json"),
                   PLIANT_ASSETS=self.folder.name)
        if "is not built" in done.stderr:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(self.path("v.json")) as file:
            result = json.load(file)
        self.assertEqual(result["shape"], "tet4_qr")
        self.assertGreaterEqual(len(result["rows"]), 8)
        for r in result["rows"]:
            # with "qr", cells are computed from nodal positions, as in paper 000, and not from displacements, so errors
            # grow on finer meshes
            self.assertLess(max(r["matrix_errors"][:4]), 5e-7)
            self.assertLess(r["matrix_errors"][1], r["matrix_errors"][3])
            self.assertGreater(r["vector_errors"][3], 5e-7)


if __name__ == "__main__":
    unittest.main(verbosity=2)

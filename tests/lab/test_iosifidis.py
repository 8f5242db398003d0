#!/usr/bin/env python3
"""Runs `pliant-lab study iosifidis`, which repeats tables of a paper, on small systems. All checks of the study must
pass, and it must have all tables and a figure.

usage: test_iosifidis.py PLIANT [all]     all: runs the study in float too; otherwise only the figure is in float
"""
import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402

PLIANT = os.path.abspath(sys.argv.pop(1))
ALL = "all" in sys.argv and not sys.argv.remove("all")


class Iosifidis(InFolder):
    def study(self, *words):
        done = subprocess.run([PLIANT, "study", "iosifidis", "--device", "cpu", "--repeat", "1", "--dof", "9000",
                               "--json", self.path("p.json"), *words], capture_output=True, text=True, timeout=250)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("p.json")) as file:
            told = json.load(file)
        self.assertTrue(told["checks"] and all(check["passed"] for check in told["checks"]))
        return told

    def test_all_of_it(self):
        for precision in ("float", "double") if ALL else ("double",):
            told = self.study("--precision", precision)
            self.assertEqual([table["title"].split(":")[0] for table in told["tables"]],
                             ["Section 4.1.2", "Section 5.1, test 1", "Sections 5.2 to 5.4", "Section 5.3", "Figure 2",
                              "Section 6"])
            solvers = {row["label"]: row["values"] for row in told["tables"][2]["rows"]}
            # by theory, Jacobi needs twice as many sweeps as Gauss-Seidel
            ratio = solvers["jacobi, square 41"][2] / solvers["gs, square 41"][2]
            self.assertTrue(1.9 < ratio < 2.1, ratio)

    def test_the_figure_by_itself(self):
        told = self.study("--figure", "2", "--precision", "float")
        self.assertEqual([table["title"][:8] for table in told["tables"]], ["Figure 2"])
        self.assertEqual([row["label"] for row in told["tables"][0]["rows"]], ["cg, cube 20", "cg, square 89"])

    def test_a_section_by_itself(self):
        for section, titles in (("4", ["Section 4.1.2"]), ("6", ["Section 6"])):
            told = self.study("--section", section, "--precision", "double")
            self.assertEqual([table["title"].split(":")[0] for table in told["tables"]], titles)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Runs `pliant-lab study reguly`, which repeats measurements of paper 001, with small systems. Every check must pass,
every figure must have its rows, and Table 1 must follow from the paper's equations.

usage: test_reguly.py PLIANT
"""
import json
import os
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]
from in_folder import InFolder  # noqa: E402
from quad_iterations import iterations  # noqa: E402

PLIANT = os.path.abspath(sys.argv.pop(1))


def run(*words):
    return subprocess.run([PLIANT, "study", *words], capture_output=True, text=True, timeout=250)


class Reguly(InFolder):
    def reguly(self, *words):
        done = run("reguly", "--device", "cpu", "--repeat", "1", "--dof", "2000", "--json", self.path("r.json"), *words)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(self.path("r.json")) as file:
            return {table["title"]: table for table in json.load(file)["tables"]}, done.stdout

    def test_quads_pass_every_check(self):
        tables, text = self.reguly("--precision", "double")
        self.assertEqual(text.count("\npass  "), 7)
        rows = {row["label"]: row["values"] for table in tables.values() for row in table["rows"]}
        # recomputes the ratio of the bytes of ELL and LMA by Eqs. 14 to 19 of paper 001
        for p in range(1, 5):
            kinds = ((1, 2 * p + 1, 2 * p + 1), (2 * (p - 1), 2 * p + 1, p + 1), ((p - 1) ** 2, p + 1, p + 1))
            entries = sum(many * long * wide for many, long, wide in kinds)
            ratio = (3 * entries + p * p) / ((p + 1) ** 4 + 3 * (p + 1) ** 2)
            self.assertAlmostEqual(rows["ours, ELL over LMA, float"][p - 1], ratio, places=12)
        # every row of a figure has a measurement for each degree; test that rows of all kinds exist
        for title, table in tables.items():
            if "Figure" in title and table["rows"]:
                for row in table["rows"]:
                    self.assertTrue(all(value > 0 for value in row["values"]), (title, row))
        for label in ("csr, coloured", "lma", "globalreuse", "ell, coloured, blocks of 256", "lazyell_merged",
                      "lma_coloured", "ell, blocked, aligned", "ell, ssor", "lma, multigrid", "multigrid, solve",
                      "lma, by local index"):
            self.assertIn(label, rows)
        # iteration counts must equal those of an independent program, quad_iterations.py, on the same meshes
        for degree in (1, 2, 3, 4):
            for solver, (count, _, _) in iterations(degree).items():
                self.assertEqual(rows[f"{solver}, 24 intervals"][degree - 1], count, (solver, degree))
        # errors at degree 4 must be smaller than those at degree 1 by orders of magnitude
        self.assertLess(rows["L2"][3], 1e-4 * rows["L2"][0])

    def test_without_a_size_a_study_uses_the_given_time(self):
        begin = time.monotonic()
        done = run("reguly", "--device", "cpu", "--seconds", "20", "--json", self.path("r.json"))
        elapsed = time.monotonic() - begin
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        # Figure 26 and its check are measured only in double
        self.assertEqual(done.stdout.count("\npass  "), 6)
        self.assertIn("Figure 26 needs --precision double or --figure 26", done.stdout)
        # the study takes 14 s on an idle core; the limit allows for a busy machine
        self.assertLess(elapsed, 120)

    def test_multigrid_needs_few_iterations_on_every_grid(self):
        tables, text = self.reguly("--figure", "26", "--dof", "5000", "--precision", "double")
        self.assertEqual([title.split(":")[0] for title in tables], ["Figure 26", "Figure 26"])
        self.assertEqual(text.count("\npass  "), 1)
        rows = {row["label"]: row["values"] for table in tables.values() for row in table["rows"]}
        for degree in range(4):
            self.assertGreater(rows["cg, 48 intervals"][degree], 1.5 * rows["cg, 24 intervals"][degree])
            self.assertLessEqual(rows["multigrid, 48 intervals"][degree], 9)
            self.assertLessEqual(rows["multigrid, iterations"][degree], 9)
            self.assertLess(rows["multigrid, iterations"][degree], rows["ssor, iterations"][degree])

    def test_section_5_measures_three_formats(self):
        tables, text = self.reguly("--section", "5", "--degree", "4")
        self.assertEqual(text.count("\npass  Section 5"), 1)
        for table in tables.values():
            self.assertEqual([row["label"] for row in table["rows"]], ["csr", "ell", "lma"])

    def test_a_figure_runs_only_its_own_measurements(self):
        tables, _ = self.reguly("--figure", "13")
        self.assertEqual([title.split(":")[0] for title in tables], ["Figures 13, 15"])
        tables, _ = self.reguly("--figure", "13", "--degree", "3")
        for row in tables.popitem()[1]["rows"]:
            self.assertEqual([value is not None for value in row["values"]], [False, False, True, False])
        tables, text = self.reguly("--table", "1")
        self.assertEqual(len(tables), 1)
        self.assertNotIn("unknowns", text)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Runs `pliant-lab study`, which repeats measurements of papers, on small meshes. Its counts must equal independent
counts, its tables and checks must be written as JSON, and errors must have messages.

usage: test_study.py PLIANT [all]     all: also mueller-roemer without a size, and with all degrees. Its smallest mesh
                                      takes seconds.
"""
import itertools
import json
import os
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402
from programs import program_of  # noqa: E402

PLIANT = os.path.abspath(sys.argv.pop(1))
ALL = "all" in sys.argv
sys.argv[:] = [word for word in sys.argv if word != "all"]
BALL, HEXES = (os.path.join(os.environ["PLIANT_ASSETS"], "meshes", name) for name in ("sphere_63.msh", "hex_beam.msh"))


def run(*words):
    return subprocess.run([PLIANT, "study", *words], capture_output=True, text=True, timeout=250)


def tets_of(path):
    """Returns the tets of a TetGen file as tuples of nodes."""
    with open(path) as file:
        rows = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return [tuple(int(node) for node in row[1:5]) for row in rows[1:]]


def blocks_of(tets, degree):
    """Counts pairs of nodes that share a tet, for elements of this degree. A node of a tet is represented by `degree`
    of its corners, some of which may be equal; for degree 2, (a, a) is corner a and (a, b) the middle of an edge."""
    pairs = set()
    for tet in tets:
        nodes = {tuple(sorted(many)) for many in itertools.combinations_with_replacement(tet, degree)}
        pairs.update(itertools.product(nodes, nodes))
    return len(pairs)


class Study(InFolder):
    def study(self, *words):
        done = run("mueller-roemer", "--device", "cpu", "--repeat", "1", "--json", self.path("s.json"), *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("s.json")) as file:
            return json.load(file), done.stdout

    def ramirez(self, *words):
        done = run("ramirez", "--device", "cpu", "--repeat", "1", "--json", self.path("s.json"), *words)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        with open(self.path("s.json")) as file:
            return json.load(file), done.stdout

    def fails(self, words, *parts):
        done = run(*words)
        self.assertEqual(done.returncode, 1, (words, done.stdout))
        for part in parts:
            self.assertIn(part, done.stderr)

    def test_counts_are_those_of_a_count_of_its_own(self):
        told, _ = self.study("--table", "1", "--mesh", BALL)
        self.assertEqual(len(told["tables"]), 1)
        words = ["convert", BALL, self.path("ball.ele")]
        subprocess.run([program_of(PLIANT, words), *words], check=True, capture_output=True)
        table, tets = told["tables"][0], tets_of(self.path("ball.ele"))
        column = {name: at for at, name in enumerate(table["columns"])}
        self.assertEqual(len(table["rows"]), 3)
        for degree, row in enumerate(table["rows"], 1):
            self.assertEqual(row["values"][column["tets"]], len(tets))
            self.assertEqual(row["values"][column["blocks"]], blocks_of(tets, degree))
        self.assertTrue(told["checks"] and all(check["passed"] for check in told["checks"]))

    def test_all_tables_in_both_precisions(self):
        for precision in ("float", "double"):
            told, text = self.study("--mesh", BALL, "--precision", precision)
            self.assertEqual(told["precision"], precision)
            self.assertEqual(len(told["tables"]), 9)
            for table in told["tables"]:
                self.assertIn(table["title"], text)
                for row in table["rows"]:
                    self.assertEqual(len(row["values"]), len(table["columns"]))
            for table in told["tables"][1:]:
                times = [value for value in table["rows"][0]["values"] if value is not None]
                self.assertTrue(all(time >= 0 for time in times) and max(times) > 0)
            self.assertEqual(len(told["checks"]), 6)
            self.assertTrue(all(check["passed"] for check in told["checks"]))

    def test_a_figure_is_the_table_that_it_draws_beside_the_paper_s(self):
        if not ALL:
            os.environ["PLIANT_MEMORY_MIB"] = "12"  # so little that the study omits degrees 2 and 3, which are slow
        try:
            told, _ = self.study("--figure", "5", "--tets", "1")
        finally:
            os.environ.pop("PLIANT_MEMORY_MIB", None)
        self.assertEqual([table["title"][:8] for table in told["tables"]], ["Table 2,"] * 3)
        for table in told["tables"][:3 if ALL else 1]:
            self.assertEqual([row["label"].split(",")[0] for row in table["rows"]], ["paper"] + ["ours"] * 3)
        self.assertEqual(told["tables"][0]["rows"][0]["values"][-1], 2.51)

    def test_hexahedra_give_the_paper_s_counts(self):
        told, _ = self.ramirez("--dof", "10000")
        self.assertEqual(told["precision"], "double")
        self.assertEqual([table["title"].split(":")[0] for table in told["tables"]],
                         ["Table 1", "Figure 2, Eq. 10", "Figure 3", "Figure 4", "Table 2, Figure 5"])
        rows = {row["label"]: row["values"] for row in told["tables"][0]["rows"]}
        self.assertEqual(sorted(rows), ["ours, 1000", "ours, 8000", "paper, 1000", "paper, 8000"])
        for elements in (1000, 8000):
            paper, ours = rows[f"paper, {elements}"], rows[f"ours, {elements}"]
            self.assertEqual(paper[:2], ours[:2])
            self.assertAlmostEqual(paper[2], ours[2], delta=0.0501)
            self.assertAlmostEqual(paper[5], ours[5], delta=0.0501)
            # memory of a CSR matrix in MB: 12 bytes per nonzero (8 for its value, 4 for its column) and 4 bytes per
            # row; a cube of n^3 elements has (n + 1)^3 rows
            self.assertAlmostEqual(ours[6], 12e-6 * ours[1] + 4e-6 * (round(elements ** (1 / 3)) + 1) ** 3, delta=1e-5)
        for table in told["tables"][1:]:
            for row in table["rows"]:
                self.assertTrue(all(value is None or value >= 0 for value in row["values"]))
        self.assertGreaterEqual(len(told["checks"]), 8)  # 9 checks if SuiteSparse is installed
        self.assertTrue(all(check["passed"] for check in told["checks"]))

    def test_a_table_of_hexahedra_alone(self):
        told, _ = self.ramirez("--dof", "1331", "--figure", "5")
        self.assertEqual([table["title"][:17] for table in told["tables"]], ["Table 2, Figure 5"])
        self.assertEqual([row["label"] for row in told["tables"][0]["rows"]], ["paper, 1000", "ours, 1000"])
        self.assertEqual(told["tables"][0]["rows"][0]["values"][1], 0.02)

    def test_hexahedra_that_do_not_fit_are_left_out_and_reported(self):
        os.environ["PLIANT_MEMORY_MIB"] = "30"
        try:
            told, text = self.ramirez("--table", "2", "--dof", "100000")
        finally:
            del os.environ["PLIANT_MEMORY_MIB"]
        self.assertIn("64000 elements: left out", text)
        self.assertEqual(len(told["tables"][0]["rows"]), 4)

    def test_without_a_size_each_study_uses_the_given_time_and_makes_every_check(self):
        # of the study iosifidis, only one figure runs here, since test_iosifidis runs the whole study
        cases = [("ramirez", [], ["--dof", "10000"], 8), ("iosifidis", ["--figure", "2"], ["--dof", "9000"], 1)]
        if ALL:
            cases += [("mueller-roemer", [], ["--mesh", BALL], 4), ("iosifidis", [], ["--dof", "9000"], 10)]
        for name, part, sizes, checks in cases:
            begin = time.monotonic()
            done = run(name, *part, "--device", "cpu", "--seconds", "1", "--json", self.path("t.json"))
            elapsed = time.monotonic() - begin
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertLess(elapsed, 60, name)  # s; a limit for busy machines
            with open(self.path("t.json")) as file:
                told = {check["what"] for check in json.load(file)["checks"]}
            self.assertGreaterEqual(len(told), checks)
            done = run(name, *part, "--device", "cpu", "--repeat", "1", *sizes, "--json", self.path("s.json"))
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(self.path("s.json")) as file:
                self.assertLessEqual({check["what"] for check in json.load(file)["checks"]}, told, name)

    def test_more_time_is_for_larger_systems(self):
        rows = []
        for seconds in ("1", "5"):
            told, _ = self.ramirez("--table", "1", "--seconds", seconds)
            rows.append(len(told["tables"][0]["rows"]))
        self.assertLess(rows[0], rows[1])
        self.assertEqual(run("ramirez", "--seconds", "0").returncode, 2)

    def test_what_is_refused(self):
        self.fails(["muller-roemer"], "no study", "did you mean", "mueller-roemer")
        self.fails(["mueller-roemer", "--table", "4"], "no table 4", "1, 2, 3")
        self.fails(["mueller-roemer", "--figure", "1"], "no figure 1", "4, 5, 6")
        self.fails(["mueller-roemer", "--figure", "5", "--table", "1"], "only one of")
        self.fails(["mueller-roemer", "--section", "5"], "no section 5", "available: 6")
        self.fails(["ramirez", "--section", "6"], "no section 6", "none")
        self.fails(["mueller-roemer", "--mesh", "none.msh"], "none.msh", "No such file")
        self.fails(["mueller-roemer", "--mesh", BALL, "--tets", "5"], "--mesh", "--tets")
        self.fails(["mueller-roemer", "--mesh", HEXES, "--device", "cpu"], "hex_beam.msh", "hexahedra", "needs tets")
        self.fails(["ramirez", "--table", "3"], "no table 3", "1, 2")
        self.fails(["ramirez", "--tets", "5"], "--dof")
        self.fails(["ramirez", "--mesh", BALL], "--dof")
        self.fails(["ramirez", "--precision", "float"], "double")
        self.assertEqual(run("ramirez", "--memory-budget", "-1").returncode, 2)
        self.fails(["reguly", "--tets", "1000"], "give --dof")
        self.fails(["reguly", "--mesh", BALL], "give --dof")
        self.fails(["reguly", "--figure", "22"], "no figure 22", "21, 23")
        self.fails(["reguly", "--table", "2"], "no table 2", "available: 1")
        self.fails(["reguly", "--table", "1", "--json", self.path("none/s.json")], "none/s.json")
        self.fails(["mueller-roemer", "--dof", "5"], "its number of tets", "--tets")
        self.fails(["iosifidis", "--tets", "5"], "size in unknowns", "--dof")
        self.fails(["iosifidis", "--mesh", BALL], "makes its own meshes")
        self.fails(["iosifidis", "--table", "1"], "no table 1", "none")
        for study in ("mueller-roemer", "ramirez", "iosifidis"):
            self.fails([study, "--degree", "2"], "leave out --degree")
        for study in ("mueller-roemer", "reguly", "iosifidis"):
            self.fails([study, "--memory-budget", "2"], "leave out --memory-budget")
        self.assertEqual(run().returncode, 2)
        self.assertEqual(run("mueller-roemer", "--tets", "-1").returncode, 2)
        self.assertEqual(run("mueller-roemer", "--device", "gpu").returncode, 2)

    def test_cells_that_do_not_fit_are_left_out_and_reported(self):
        os.environ["PLIANT_MEMORY_MIB"] = "5"
        try:
            told, text = self.study("--table", "2", "--tets", "1")
        finally:
            del os.environ["PLIANT_MEMORY_MIB"]
        self.assertIn("left out", text)
        self.assertEqual([len(table["rows"]) for table in told["tables"]][1:], [0, 0])


if __name__ == "__main__":
    unittest.main()

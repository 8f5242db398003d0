#!/usr/bin/env python3
"""Tests scripts/measure-papers, which runs the programs and stores results in JSON files. In the test, substitutes of
the programs write such files. Results of several commands are joined into one file. A complete file is not measured
again, unless the programs have changed or the result of a command is missing.

usage: test_measure_papers.py ROOT     the folder that has scripts/
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
# Substitute for a program that is measured. It logs each run in the file "calls", and writes one value for --degree.
PROGRAM = """#!/usr/bin/env python3
import json, os, sys
words = sys.argv[1:]
with open(os.environ["CALLS"], "a") as calls:
    calls.write(os.environ.get("OMP_NUM_THREADS", "") + " " + " ".join(words[:-2]) + "\\n")
if os.environ.get("FAILS") and os.environ["FAILS"] in " ".join(words):
    sys.exit("it failed")
degree = int(words[words.index("--degree") + 1]) if "--degree" in words else 1
rows = [{"label": "csr", "values": [float(degree) if k == degree else None for k in range(1, 5)]}]
columns = ["degree 1", "degree 2", "degree 3", "degree 4"]
table = {"title": "Figures of " + words[words.index("--figure") + 1] if "--figure" in words else "all",
         "columns": columns, "rows": rows}
with open(words[-1], "w") as file:
    json.dump({"study": "reguly", "model": "none", "tables": [table],
               "checks": [{"what": "it works", "result": 0, "bound": 0, "passed": True}]}, file)
"""


class MeasurePapers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        for name in ("src/app/pliant", "src/lab/pliant-lab"):
            self.write(name, PROGRAM)

    def write(self, name, text):
        path = self.root / "build" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def measure(self, *words, fails=""):
        """Runs tasks of measure-papers. Returns the exit status, and the commands that were run."""
        calls = self.root / "calls"
        calls.write_text("")
        environment = {key: value for key, value in os.environ.items() if key != "OMP_NUM_THREADS"}
        environment |= {"CALLS": str(calls), "FAILS": fails, "TMPDIR": str(self.root)}
        done = subprocess.run([sys.executable, str(ROOT / "scripts/measure-papers"), "--build",
                               str(self.root / "build"), "-o", str(self.root / "out"), "--device", "none", *words],
                              capture_output=True, text=True, env=environment, check=False)
        self.assertEqual(done.stderr, "")
        return done.returncode, calls.read_text().splitlines()

    def result(self, task):
        return json.loads((self.root / f"out/none-{task}.json").read_text())

    def test_commands_are_joined_and_not_repeated(self):
        code, calls = self.measure("cpu-study-reguly")
        self.assertEqual((code, len(calls)), (0, 12))
        result = self.result("cpu-study-reguly")
        self.assertEqual([table["title"] for table in result["tables"]],
                         ["Figures of 27", "Figures of 28", "Figures of 23"])
        for table in result["tables"]:
            self.assertEqual(table["rows"], [{"label": "csr", "values": [1, 2, 3, 4]}])
        self.assertEqual((len(result["commands"]), len(result["seconds"]), len(result["checks"])), (12, 12, 1))
        self.assertEqual(self.measure("cpu-study-reguly"), (0, []))
        # a changed program causes new measurements
        self.write("src/app/pliant", PROGRAM + "# another version\n")
        self.assertEqual(len(self.measure("cpu-study-reguly")[1]), 12)

    def test_a_command_that_failed_is_run_again_alone(self):
        code, calls = self.measure("cpu-study-reguly", fails="--figure 28 --degree 4")
        self.assertEqual((code, len(calls)), (1, 12))
        self.assertEqual(self.result("cpu-study-reguly")["tables"][1]["rows"][0]["values"], [1, 2, 3, None])
        code, calls = self.measure("cpu-study-reguly")
        self.assertEqual((code, len(calls)), (0, 1))
        self.assertEqual(self.result("cpu-study-reguly")["tables"][1]["rows"][0]["values"], [1, 2, 3, 4])

    def test_variables_of_commands(self):
        code, calls = self.measure("thread-study-reguly")
        self.assertEqual((code, {line.split()[0] for line in calls}), (0, {"1"}))

    def test_without_time_nothing_runs(self):
        self.assertEqual(self.measure("--until", "0", "study-reguly"), (1, []))


if __name__ == "__main__":
    unittest.main()

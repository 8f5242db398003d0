#!/usr/bin/env python3
"""Checks that the numbers in docs/papers/000.md to 004.md are those of the files in docs/results, and that
scripts/make-papers reports a number that differs. Also checks the numbers that scripts/fit-scaling computes.

usage: test_papers.py ROOT     the folder that has docs/ and scripts/
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

# The test changes one number per page. CHANGED: page -> name of a result file, and the keys that lead to the number in
# this result file (function change).
CHANGED = {
    "000": ("h200-hand-float-dcg-globalnz.json", ["steps_per_s"]),
    "001": ("h200-study-reguly.json", ["tables", "Figures 13", "globalreuse", 0]),
    "002": ("h200-study-ramirez.json", ["tables", "Figure 4", "ours, 512000", 1]),
    "003": ("h200-study-iosifidis-double.json", ["tables", "Sections 5.2", "cg, cube 80", 4]),
    "004": ("h200-study-mueller-roemer.json", ["tables", "Figure 6, degree 2", "ours, 718.7 k tets", 0]),
}


def change(data, path):
    """Halves one number of a result."""
    if len(path) == 1:
        data[path[0]] /= 2
        return
    table = next(table for table in data[path[0]] if path[1] in table["title"])
    row = next(row for row in table["rows"] if row["label"] == path[2])
    row["values"][path[3]] /= 2


def make_papers(root, *words):
    return subprocess.run([sys.executable, str(root / "scripts/make-papers"), "--check", *words], capture_output=True,
                          text=True, check=False)


def main(root):
    done = make_papers(root)
    faults = [done.stderr.strip()] if done.returncode else []
    done = subprocess.run([sys.executable, str(root / "scripts/fit-scaling"), "--check"], capture_output=True,
                          text=True, check=False)
    if done.returncode:
        faults.append(f"scripts/fit-scaling: {done.stdout}{done.stderr}")
    with tempfile.TemporaryDirectory() as folder:
        results = pathlib.Path(folder)
        for path in (root / "docs/results").glob("*.json"):
            shutil.copy(path, results / path.name)
        for number, (name, path) in CHANGED.items():
            text = (results / name).read_text(encoding="utf-8")
            data = json.loads(text)
            change(data, path)
            (results / name).write_text(json.dumps(data), encoding="utf-8")
            done = make_papers(root, "--results", folder, number)
            if done.returncode == 0 or "differs from docs/results" not in done.stderr:
                faults.append(f"make-papers does not notice that {path[-2:]} of {name} differs: {done.stderr.strip()}")
            (results / name).write_text(text, encoding="utf-8")
        # make-papers must also report a number on a page that is in no file
        probe = subprocess.run([sys.executable, "-c", PROBE, str(root / "scripts/make-papers")], capture_output=True,
                               text=True, check=False)
        if probe.stdout.strip() != "1":
            faults.append(f"a number that is in no file passes: {probe.stdout}{probe.stderr}")
    print("\n".join(faults) or "the pages of papers have the numbers of their files")
    return 1 if faults else 0


PROBE = """
import importlib.machinery, importlib.util, sys
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("make_papers", sys.argv[1])
module = importlib.util.module_from_spec(importlib.util.spec_from_loader("make_papers", loader))
loader.exec_module(module)
print(len(list(module.unfounded("| a | b |\\n|---|---|\\n| 1 | 2 |\\n| p = 1 | `3` at p = 2 |\\n"))))
"""

sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))

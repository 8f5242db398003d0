#!/usr/bin/env python3
"""Tests checks of `pliant verify` that a precision cannot resolve. They must be reported as beyond the precision, and
must count neither as passed nor as failed. usage: test_beyond.py PLIANT"""
import json
import pathlib
import subprocess
import sys
import tempfile

PLIANT = sys.argv[1]


def verify(*words):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.json"
        run = subprocess.run([PLIANT, "verify", "--device", "cpu", "--case", "9", "--json", str(out), *words],
                             stdout=subprocess.PIPE, text=True)
        return run.returncode, run.stdout, json.loads(out.read_text())


code, words, result = verify("--precision", "float", "--supplemental", "qr")
assert code == 0, code
assert words.endswith("results within their bounds: 0 of 5\nresults that precision float cannot resolve: 5\n"), words
assert (result["checked"], result["failed"], result["beyond"]) == (5, 0, 5), result
assert all(c["verdict"] == "beyond" and not c["passed"] for c in result["cases"][0]["checks"])

code, words, result = verify("--precision", "double", "--supplemental", "qr")
assert code == 0 and words.endswith("results within their bounds: 5 of 5\n"), words
assert (result["checked"], result["failed"], result["beyond"]) == (5, 0, 0), result
assert all(c["verdict"] == "pass" and c["passed"] for c in result["cases"][0]["checks"])

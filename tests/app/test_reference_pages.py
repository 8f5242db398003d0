#!/usr/bin/env python3
"""Tests that the reference pages of docs/ equal those that scripts/make-reference writes for the program: every option
and observable is on its page with its present help.

usage: test_reference_pages.py PLIANT ROOT     the program; the folder that has docs/ and scripts/
"""
import difflib
import pathlib
import subprocess
import sys
import tempfile

pliant, root = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([root / "scripts/make-reference", pliant, folder], check=True, timeout=120)
    pages = {path.name: path.read_text(encoding="utf-8") for path in sorted(pathlib.Path(folder).iterdir())}

assert set(pages) == {"options.md", "observables.md"}, set(pages)
flags = subprocess.run([pliant, "--help=table"], capture_output=True, text=True, check=True).stdout.splitlines()
flags = {line.split("\t")[1] for line in flags if line.startswith("option\t")}
missing = sorted(flag for flag in flags if f"`{flag}`" not in pages["options.md"])
assert len(flags) > 50 and not missing, f"options.md lacks {missing}"
assert 'such as `["kinetic", "position:17"]` |  |' in pages["options.md"], "the example is taken for the default"
assert pages["observables.md"].count("\n| `") > 20, pages["observables.md"]

faults = []
for name, text in pages.items():
    committed = root / "docs/reference" / name
    before = committed.read_text(encoding="utf-8") if committed.exists() else ""
    faults += difflib.unified_diff(before.splitlines(), text.splitlines(), f"docs/reference/{name}", pliant.name,
                                   lineterm="", n=0)
print("\n".join(faults[:60]) or f"{len(pages)} pages are those of the program")
if faults:
    print("run: scripts/make-reference build/src/app/pliant")
sys.exit(bool(faults))

#!/usr/bin/env python3
"""Builds the site of docs/ by scripts/docs, which reports a broken link or a missing picture as an error.

Exits with 77 if MkDocs is not installed.

usage: test_site.py ROOT     the folder that has docs/ and scripts/
"""
import pathlib
import subprocess
import sys
import tempfile

root = pathlib.Path(sys.argv[1]).resolve()
with tempfile.TemporaryDirectory() as folder:
    done = subprocess.run([root / "scripts/docs", folder], capture_output=True, text=True, check=False)
    print(done.stdout + done.stderr)
    if done.returncode:
        sys.exit(done.returncode)
    pages = list(pathlib.Path(folder).rglob("index.html"))
    documents = list((root / "docs").rglob("*.md"))
    assert len(pages) >= len(documents), f"{len(pages)} pages of {len(documents)} documents"
    assert (pathlib.Path(folder) / "search/search_index.json").exists()
    print(f"{len(pages)} pages: all links are right")

#!/usr/bin/env python3
"""Checks that clang-tidy finds nothing in the sources of the program, with the checks of .clang-tidy. Skipped without
clang-tidy 14.

usage: test_tidy.py SOURCE_FOLDER BUILD_FOLDER
"""
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

source, build = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
tidy = shutil.which("clang-tidy-14")
if not tidy:
    print("skipped: clang-tidy-14 is not installed")
    sys.exit(77)

GCC_ONLY = ("-fno-var-tracking-assignments",)  # options of gcc, which clang does not know and refuses

# Compile commands, one per file: a file that is compiled for several precisions is checked only once.
commands = {}
for entry in json.loads((build / "compile_commands.json").read_text()):
    path = (pathlib.Path(entry["directory"]) / entry["file"]).resolve()
    if path.suffix in (".c", ".cpp") and path.is_relative_to(source / "src"):
        for option in GCC_ONLY:
            entry["command"] = entry["command"].replace(option, "")
        commands[path] = entry
database = tempfile.TemporaryDirectory(prefix="pliant-tidy-")
(pathlib.Path(database.name) / "compile_commands.json").write_text(json.dumps(list(commands.values())))


def check(path):
    done = subprocess.run([tidy, "-p", database.name, "--quiet", "--extra-arg=-w", path],
                          capture_output=True, text=True, check=False)
    return done.stdout if done.returncode else ""


with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    reports = [report for report in pool.map(check, sorted(commands)) if report]
for report in reports:
    print(report)
print(f"{len(commands)} files, {len(reports)} with findings")
sys.exit(len(reports) > 0 or len(commands) < 100)

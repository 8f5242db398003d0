#!/usr/bin/env python3
"""Checks that C and CUDA sources have the layout of clang-format 14. Skipped if that version is absent.

usage: test_format.py ROOT     the folder that has src/ and tests/
"""
import pathlib
import shutil
import subprocess
import sys

ENDINGS = ("*.c", "*.h", "*.cu", "*.cuh")


def formatter():
    """Returns the program of version 14, or None. Other versions lay out some lines differently."""
    for name in ("clang-format-14", "clang-format"):
        program = shutil.which(name)
        if program and " 14." in subprocess.run([program, "--version"], capture_output=True, text=True,
                                                check=False).stdout:
            return program
    return None


def main(root):
    program = formatter()
    if not program:
        print("skipped: there is no clang-format 14")
        return 77
    files = [str(path) for folder in ("src", "tests") for ending in ENDINGS
             for path in sorted((root / folder).rglob(ending))]
    done = subprocess.run([program, "--dry-run", "--Werror", *files], capture_output=True, text=True, check=False)
    print(done.stderr[:4000] or f"{len(files)} files: the layout is right")
    if done.returncode:
        print("run clang-format -i on these files")
    return done.returncode


sys.exit(main(pathlib.Path(sys.argv[1])))

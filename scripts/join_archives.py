#!/usr/bin/env python3
"""Joins several archives into one static library with one object file. Functions whose names do not begin with pliant_
become local, so their names cannot collide with those of functions in the program that links the library.

usage: join_archives.py OUTPUT ARCHIVE...     needs ld, objcopy and ar of binutils
"""
import pathlib
import subprocess
import sys


def main():
    output, archives = pathlib.Path(sys.argv[1]), sys.argv[2:]
    joined = output.with_suffix(".o")
    subprocess.run(["ld", "-r", "--whole-archive", *archives, "-o", joined], check=True)
    subprocess.run(["objcopy", "--wildcard", "--keep-global-symbol=pliant_*", joined], check=True)
    output.unlink(missing_ok=True)
    subprocess.run(["ar", "crsD", output, joined], check=True)
    joined.unlink()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Compares the declarations of pliant.h with those of the last release, which declarations.txt contains. Programs that
were compiled with the last release must still work. Therefore additions need a new minor version, and other changes a
new major version. Before version 1.0, a new minor version suffices for all changes.

usage: test_declarations.py SOURCE [--update]     --update: writes the present declarations to declarations.txt
"""
import pathlib
import re
import sys

SOURCE = pathlib.Path(sys.argv[1])
RECORD = SOURCE / "tests/api/declarations.txt"


def declarations(text):
    """Returns the version, and the declarations without comments, one per line."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    version = [int(re.search(rf"PLIANT_VERSION_{part} (\d+)", text).group(1)) for part in ("MAJOR", "MINOR")]
    code = " ".join(line for line in text.split("\n") if not line.lstrip().startswith("#"))
    code = code.replace('extern "C" {', " ")
    found, depth, start = [], 0, 0
    for k, letter in enumerate(code):
        depth += (letter in "{(") - (letter in "})")
        if letter == ";" and depth == 0:
            found.append(re.sub(r"\s+", " ", code[start:k + 1]).strip())
            start = k + 1
    return version, found


def main():
    version, now = declarations((SOURCE / "include/pliant.h").read_text(encoding="utf-8"))
    if "--update" in sys.argv:
        RECORD.write_text("\n".join(["%d.%d" % tuple(version)] + now) + "\n", encoding="utf-8")
        return 0
    recorded = RECORD.read_text(encoding="utf-8").strip().split("\n")
    then, before = [int(part) for part in recorded[0].split(".")], recorded[1:]
    removed = [line for line in before if line not in now]
    added = [line for line in now if line not in before]
    needed = "major" if removed and then[0] > 0 else "minor"  # before version 1.0, a minor version may have any change
    for line in removed:
        print("- " + line)
    for line in added:
        print("+ " + line)
    raised = version > then if needed == "minor" else version[0] > then[0]
    if (removed or added) and not raised:
        print(f"pliant.h has changed since version {recorded[0]}: raise its {needed} version")
        return 1
    print(f"{len(now)} declarations; recorded: {len(before)} of version {recorded[0]}")
    return 0


sys.exit(main())

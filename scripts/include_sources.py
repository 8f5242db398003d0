#!/usr/bin/env python3
"""Writes a source file that includes other sources, so that the compiler runs once for all of them. Also lists all
headers that these sources include, directly or through other headers: when one of them changes, ninja writes the file
and compiles it again. meson 1.0 has no such list for CUDA sources.

usage: include_sources.py OUTPUT ROOT DEPFILE SOURCE...     the #include paths are relative to ROOT; DEPFILE gets the
list, as a rule of make
"""
import os
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+("([^"]+)"|[A-Z_]+)', re.MULTILINE)
# headers whose names are the values of macros, such as ELEMENT_HEADER, are in these folders
BY_MACRO = ["sim/element", "lab"]


def headers_of(root, sources):
    """Returns the paths of the sources and of all headers below `root` that they include. Generated headers, which are
    not below `root`, are left out."""
    found, left = set(), [pathlib.Path(source).resolve() for source in sources]
    while left:
        path = left.pop()
        if path in found or not path.is_file():
            continue
        found.add(path)
        for match in INCLUDE.finditer(path.read_text(encoding="utf-8")):
            if match[2]:
                left += [root / match[2], path.parent / match[2]]
            else:
                left += [header for folder in BY_MACRO for header in (root / folder).rglob("*.h")]
    return sorted(found)


def main():
    output, root, depfile, sources = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), sys.argv[3], sys.argv[4:]
    with open(output, "w", encoding="utf-8") as file:
        for source in sources:
            file.write(f'#include "{os.path.relpath(source, root)}"\n')
    with open(depfile, "w", encoding="utf-8") as file:
        names = (str(path).replace(" ", "\\ ") for path in headers_of(root, sources))
        file.write(f"{output}: {' '.join(names)}\n")


if __name__ == "__main__":
    main()

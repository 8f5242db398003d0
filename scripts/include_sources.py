#!/usr/bin/env python3
"""Writes a source file that includes other sources, so that the compiler runs once for all of them. Also writes a list
of all headers that these sources include, directly or through other headers. When one of the headers changes, ninja
writes the file again and compiles it. The list is needed because meson 1.0 does not track the headers of CUDA sources.

usage: include_sources.py OUTPUT ROOT DEPFILE SOURCE...     the #include paths are relative to ROOT; the list is
written to DEPFILE, as a rule of make
"""
import functools
import os
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+("([^"]+)"|[A-Z_]+)', re.MULTILINE)
# folders of headers that are included by a macro, as in #include ELEMENT_HEADER; the script cannot expand macros, so it
# lists all headers of these folders
BY_MACRO = ["sim/element", "lab"]


@functools.cache
def headers_below(folder):
    """Returns the paths of all headers in a folder and its subfolders."""
    return [os.path.join(path, name) for path, _, names in os.walk(folder) for name in names if name.endswith(".h")]


def headers_of(root, sources):
    """Returns the paths of the sources and of all headers below `root` that they include. Generated headers, which are
    not below `root`, are left out."""
    found, missing, left = set(), set(), [os.path.realpath(source) for source in sources]
    while left:
        path = os.path.normpath(left.pop())
        if path in found or path in missing:
            continue
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except OSError:
            missing.add(path)
            continue
        found.add(path)
        for match in INCLUDE.finditer(text):
            if match[2]:
                left += [os.path.join(root, match[2]), os.path.join(os.path.dirname(path), match[2])]
            else:
                left += [header for folder in BY_MACRO for header in headers_below(os.path.join(root, folder))]
    return sorted(found)


def main():
    output, root, depfile, sources = sys.argv[1], os.path.realpath(sys.argv[2]), sys.argv[3], sys.argv[4:]
    with open(output, "w", encoding="utf-8") as file:
        for source in sources:
            file.write(f'#include "{os.path.relpath(source, root)}"\n')
    with open(depfile, "w", encoding="utf-8") as file:
        names = (path.replace(" ", "\\ ") for path in headers_of(root, sources))
        file.write(f"{output}: {' '.join(names)}\n")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes a source file that includes other sources, so that the compiler runs once for all of them.

usage: include_sources.py OUTPUT ROOT SOURCE...     the #include paths are relative to ROOT
"""
import os
import sys

output, root, sources = sys.argv[1], sys.argv[2], sys.argv[3:]
with open(output, "w") as file:
    for source in sources:
        file.write(f'#include "{os.path.relpath(source, root)}"\n')

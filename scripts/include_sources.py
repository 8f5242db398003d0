#!/usr/bin/env python3
"""Writes a source that includes others, to be compiled in one go: include_sources.py OUTPUT ROOT SOURCE..., with the
sources named from ROOT on"""
import os
import sys

output, root, sources = sys.argv[1], sys.argv[2], sys.argv[3:]
with open(output, "w") as file:
    for source in sources:
        file.write(f'#include "{os.path.relpath(source, root)}"\n')

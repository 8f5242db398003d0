#!/usr/bin/env python3
"""Writes a C file that contains the text of shaders, so that the program needs no shader files at run time.

usage: embed_shaders.py OUTPUT SHADER...
"""
import json
import pathlib
import sys

output, *shaders = sys.argv[1:]


def lines_of(path):
    """Yields the lines of a shader. Replaces #include "name" by the lines of that file."""
    for line in path.read_text().splitlines():
        if line.startswith('#include "'):
            yield from lines_of(path.parent / line.split('"')[1])
        else:
            yield line


with open(output, "w") as file:
    file.write('#include "render/shaders.h"\n\nconst Shader shaders[] = {\n')
    for shader in map(pathlib.Path, shaders):
        file.write(f'  {{ "{shader.name}",\n')
        for line in lines_of(shader):
            file.write(f"    {json.dumps(line + chr(10))}\n")
        file.write("  },\n")
    file.write("  { 0 },\n};\n")

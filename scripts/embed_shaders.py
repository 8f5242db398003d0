#!/usr/bin/env python3
"""Writes shaders into a C file, so that the program runs from any folder: embed_shaders.py OUTPUT SHADER..."""
import json
import pathlib
import sys

output, *shaders = sys.argv[1:]
with open(output, "w") as file:
    file.write('#include "render/shaders.h"\n\nconst Shader shaders[] = {\n')
    for shader in map(pathlib.Path, shaders):
        file.write(f'  {{ "{shader.name}",\n')
        for line in shader.read_text().splitlines():
            file.write(f"    {json.dumps(line + chr(10))}\n")
        file.write("  },\n")
    file.write("  { 0 },\n};\n")

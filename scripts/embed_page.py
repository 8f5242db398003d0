#!/usr/bin/env python3
"""Writes a C file that contains the HTML page which `pliant serve` sends to browsers.

usage: embed_page.py OUTPUT PAGE
"""
import json
import pathlib
import sys

output, page = sys.argv[1], pathlib.Path(sys.argv[2])
lines = page.read_text(encoding="ascii").splitlines()
text = "\n".join(f"  {json.dumps(line + chr(10))}" for line in lines)
pathlib.Path(output).write_text(f'#include "serve/page.h"\n\nconst char serve_page[] =\n{text};\n', encoding="ascii")

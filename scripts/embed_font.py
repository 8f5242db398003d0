#!/usr/bin/env python3
"""Writes a C file that contains the bytes of a font file, so that the program needs no font file at run time.

usage: embed_font.py OUTPUT FONT
"""
import pathlib
import sys

output, font = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
with open(output, "w") as file:
    file.write(f'''// The font file {font.name}, unchanged
#include "hud/font.h"

__asm__(".section .rodata\\n"
        ".balign 16\\n"
        "pliant_font_file: .incbin \\"{font}\\"\\n"
        "pliant_font_end: .byte 0\\n"
        ".previous\\n");
extern const unsigned char pliant_font_file[];

const unsigned char *font_file(size_t *bytes) {{
  *bytes = {font.stat().st_size};
  return pliant_font_file;
}}
''')

#!/usr/bin/env python3
"""Writes a header with the functions of OpenGL 4.5 core, by the generator glad. Needs no network.

usage: generate_gl_loader.py GLAD OUTPUT     GLAD: the program glad; OUTPUT: the header
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

glad, output = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    arguments = [glad, "--quiet", "--reproducible", "--api", "gl:core=4.5", "--extensions", "", "--out-path", folder]
    run = subprocess.run(arguments + ["c", "--header-only"], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(run.stderr)
    shutil.copyfile(pathlib.Path(folder) / "include/glad/gl.h", output)

#!/usr/bin/env python3
"""Writes glad's loader for OpenGL 4.5 core as one header: generate_gl_loader.py GLAD OUTPUT. Needs no network."""
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

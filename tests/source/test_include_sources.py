#!/usr/bin/env python3
"""Tests scripts/include_sources.py, which writes a file that includes all sources. It must also list the headers that
the sources include directly, through other headers, or by the value of a macro.

usage: test_include_sources.py ROOT
"""
import pathlib
import subprocess
import sys
import tempfile

script = pathlib.Path(sys.argv[1]) / "scripts/include_sources.py"
FILES = {
    "sim/one.cu": '#include <stdio.h>\n#include "sim/one.h"\n',
    "sim/two.cu": '  # include "near.cuh"  // found in the folder of this file\n#include "generated.h"\n',
    "sim/one.h": '#pragma once\n#include "base/deep.h"\n',
    "sim/near.cuh": '#include "sim/one.h"\n#include SHAPE_HEADER\n',
    "base/deep.h": '#include "sim/one.h"\n',
    "sim/element/shape/tet4.h": "",
    "lab/plate.h": "",
    "sim/other.h": "",
}
with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder).resolve() / "a folder"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    output, depfile = root / "all.cu", root / "all.cu.d"
    subprocess.run([script, output, root, depfile, root / "sim/one.cu", root / "sim/two.cu"], check=True)
    assert output.read_text() == '#include "sim/one.cu"\n#include "sim/two.cu"\n', output.read_text()
    target, listed = depfile.read_text().split(": ", 1)
    # splits the list at spaces, except at those with a backslash, which are part of a path
    paths = [path.replace("\0", " ") for path in listed.replace("\\ ", "\0").split()]
    names = sorted(str(pathlib.Path(path).relative_to(root)) for path in paths)
    assert target == str(output), target
    assert names == sorted(set(FILES) - {"sim/other.h"}), names
print("all headers are listed")

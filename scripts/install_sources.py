#!/usr/bin/env python3
"""Installs the source files that the program pliant-material needs to compile a user's material.

Copies files from the folder SRC to FOLDER, a folder below the installation prefix. The files are elements.def, solid.h,
the headers of all cell shapes and materials, and the sources that PLIANT_MATERIAL, the script of the program
pliant-material, lists. All files of SRC that these files include are copied too.

usage: install_sources.py SRC FOLDER PLIANT_MATERIAL
"""
import os
import pathlib
import re
import shutil
import sys

source, below, program = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
folder = pathlib.Path(os.environ["MESON_INSTALL_DESTDIR_PREFIX"], below)
waiting = {"sim/element/elements.def", "sim/element/solid.h"}
waiting |= set(re.findall(r"[\w/]+\.(?:c|cpp|cu)\b", program.read_text(encoding="utf-8").split("SOURCES = {")[1]
                          .split("}\n}")[0]))
for part in ("shape", "material"):
    waiting |= {path.relative_to(source).as_posix() for path in (source / "sim" / "element" / part).glob("*.h")}
done = set()
while waiting:
    name = waiting.pop()
    done.add(name)
    path = source / name
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, folder / name)
    included = re.findall(r'^\s*#\s*include "([^"]+)"', path.read_text(encoding="utf-8"), re.MULTILINE)
    waiting |= {other for other in included if (source / other).exists()} - done

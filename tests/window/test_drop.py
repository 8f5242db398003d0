#!/usr/bin/env python3
"""Drops files on the window as a file manager does: a scene, then a mesh of a very different size, then a file that is
no mesh. If the tab Scene is open, a dropped mesh becomes another body, and a closed surface is filled with tets. Exit
status 77: Xvfb or xdotool is missing.

usage: test_drop.py PLIANT DROP_FILE     DROP_FILE: the program drop_file
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

from driver import ASSETS, Window

pliant, drop_file = sys.argv[1:3]

CUBE = """v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1
v 1 0 1
v 1 1 1
v 0 1 1
f 4 3 2 1
f 5 6 7 8
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
"""

with tempfile.TemporaryDirectory() as folder:
    (pathlib.Path(folder) / "cube.obj").write_text(CUBE)
    (pathlib.Path(folder) / "hole.obj").write_text(CUBE.rsplit("f", 1)[0])
    large = pathlib.Path(folder) / "large.msh"
    subprocess.run([pliant, "make", "sphere", "--size", "4000,4000,4000", "--cells", "4", "-o", large], check=True,
                   stdout=subprocess.DEVNULL)
    no_mesh = pathlib.Path(folder) / "no_mesh.msh"
    no_mesh.write_text("this is no mesh\n")
    with Window(pliant, "--device", "cpu", ASSETS / "scenes/demo_coarse.json") as w:
        def drop(path):
            subprocess.run([drop_file, path], check=True, env=w.environment, timeout=60)

        drop(ASSETS / "scenes/stiff_soft_coarse.json")
        w.wait_for("the scene", lambda: len(w.events("start")) == 2)
        drop(large)
        w.wait_for("the mesh", lambda: len(w.events("start")) == 3)
        # The camera must adapt to the size of the new body, so that the highest node is in the picture.
        x, y = w.events("start")[2]["highest"]["pixel"]
        assert 0.2 * w.size[0] < x < 0.8 * w.size[0] and 0.05 * w.size[1] < y < 0.5 * w.size[1], (x, y)
        drop(no_mesh)
        w.wait_for("a complaint", lambda: [line for line in w.events("message") if "no_mesh.msh" in line["text"]])
        assert len(w.events("start")) == 3
        # The file that is no mesh was refused, so the previous scene must still run.
        step = w.settings("going on", lambda now: not now["paused"])["step"]
        w.key("f")
        w.wait_for("a step", lambda: w.events("settings")[-1]["step"] > step)
        # While the tab Scene is open, a dropped mesh becomes another body of the scene.
        w.key("Tab")
        w.click("Scene")
        drop(no_mesh)
        w.wait_for("a complaint", lambda: len([line for line in w.events("message") if "no_mesh" in line["text"]]) == 2)
        drop(large)
        w.wait_for("another body", lambda: w.shows("entry:body 1: large.msh"))
        # A surface with a hole is refused. A closed one is filled with tets. Its mesh is written beside the scene.
        drop(pathlib.Path(folder) / "hole.obj")
        w.wait_for("a complaint", lambda: "hole.obj" in w.events("message")[-1]["text"])
        if shutil.which("tetgen"):
            drop(pathlib.Path(folder) / "cube.obj")
            w.wait_for("the filled body", lambda: w.shows("entry:body 2: cube.msh"))
            assert (pathlib.Path(folder) / "cube.msh").stat().st_size > 100
        w.key("Tab")
        w.leave()
        print("dropped a scene, a mesh of 4 km, and a file that is no mesh:", w.events("message")[-1]["text"])

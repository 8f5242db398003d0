#!/usr/bin/env python3
"""Moves bodies and obstacles by the arrows of the tab Scene: along one axis, with Ctrl in round steps, and with undo.
Esc cancels a move, and a click on the picture selects a body. The mesh of a scene becomes a body when it is moved. Exit
status 77: Xvfb or xdotool is missing.

usage: test_move.py PLIANT
"""
import json
import pathlib
import sys
import tempfile

from driver import ASSETS
from editor import EditedWindow, moves_alike

pliant = pathlib.Path(sys.argv[1]).resolve()
BOX = {"kind": "box", "size": [1, 1, 1], "cells": 2}
SCENE = {"bodies": [{"shape": BOX, "place": [0, 0, 0.1]}, {"shape": BOX, "place": [1.8, 0, 0.1]}], "floor": 0,
         "self_contact": True, "obstacles": {"kind": "sphere", "at": [-1.5, 0, 0.5], "radius": 0.3},
         "camera": {"eye": [2.5, -9, 2.5], "target": [2.5, 0, 0.5]}}
FAST = ("--antialias", "off", "--occlusion", "off", "--max-fps", "8", "--device", "cpu")

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    (folder / "scene.json").write_text(json.dumps(SCENE))
    with EditedWindow(pliant, *FAST, "scene.json", size=(760, 400), cwd=folder, home=folder) as w:
        def positions():
            """Saves the scene. Returns the positions of all bodies and of the obstacle."""
            scene = w.saved(folder / "scene-1.json")
            assert scene["self_contact"], scene
            return [body["place"] for body in scene["bodies"]] + [scene["obstacles"][0]["at"]]

        w.key("Tab")
        w.click("Scene")
        # the arrows of a body are shown only while the simulation is at its start
        w.select("body 0: box")
        assert not w.place("move x")
        w.quick("space", "r")
        w.item("move x")
        w.select("obstacle 1: sphere")
        w.item("move x")
        before = [[0, 0, 0.1], [1.8, 0, 0.1], [-1.5, 0, 0.5]]
        assert positions() == before, positions()

        # the arrow z moves an obstacle only along z; with Ctrl, in steps of a power of ten
        w.edited(lambda: w.drag("move z", 0, -45, key="ctrl"))
        now = positions()
        assert now[:2] == before[:2] and now[2][:2] == [-1.5, 0], now
        assert now[2][2] > 0.7 and abs(now[2][2] * 10 - round(now[2][2] * 10)) < 1e-9, now

        # a click on the picture selects a body; Esc cancels a move
        w.click("entry:scene")
        w.wait_for("no arrows", lambda: not w.place("move x"))
        w.click_at(203, 180)
        w.item("move x")
        scenes = len(w.events("start"))
        w.drag("move x", 30, 0, cancel=True)
        # In the editor, bodies may intersect. They are then drawn red, and the scene keeps the setting self_contact.
        w.edited(lambda: w.drag("move x", 75, 0))
        w.edited(lambda: w.drag("move x", -115, 0))
        assert len(w.events("start")) == scenes + 2
        then = positions()
        assert then[1:] == now[1:] and then[0][0] < -0.2 and then[0][1:] == [0, 0.1], then
        for _ in range(2):
            w.edited(lambda: w.key("ctrl+z"))
        assert positions() == now
        w.key("ctrl+q")
        w.process.communicate(timeout=60)
        assert w.process.returncode == 0

    # The mesh of a scene has handles, too. A drag makes it a body, whose saved scene has the same bits; undo makes it a
    # mesh again.
    mesh = {"mesh": str((ASSETS / "meshes/sphere_63.msh").resolve()), "gravity": [0, 0, -9.81],
            "pins": {"x": [0.4, None]}, "camera": {"eye": [2.5, -9, 0.5], "target": [2.5, 0, 0.5]}}
    (folder / "mesh.json").write_text(json.dumps(mesh))
    with EditedWindow(pliant, *FAST, "--state", "end.npz", "mesh.json", size=(760, 400), cwd=folder, home=folder) as w:
        saved = folder / "mesh-1.json"
        w.key("Tab")
        w.click("Scene")
        w.quick("space", "r")
        w.select("mesh: sphere_63.msh")
        w.edited(lambda: w.drag("move x", -30, 0))
        w.wait_for("the body", lambda: w.place("selected:body 0: sphere_63.msh"))
        moved = w.saved(saved)
        assert "mesh" not in moved and moved["bodies"][0]["place"][0] < -0.05, moved
        w.edited(lambda: w.key("ctrl+z"))
        assert "bodies" not in w.saved(saved)
        w.edited(lambda: w.key("ctrl+shift+z"))
        assert w.saved(saved)["bodies"] == moved["bodies"]
        w.step_and_quit()
    assert moves_alike(pliant, saved, folder / "end.npz"), "the saved scene moves otherwise"
print("bodies and obstacles are moved by their arrows")

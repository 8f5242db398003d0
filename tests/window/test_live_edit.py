#!/usr/bin/env python3
"""Edits a scene while its body moves: the colour, the material and a force change without a new start, also by undo
and redo, by a drag of a number's name, and by a colour picker. A paused simulation stays paused. An obstacle that would
intersect the body is refused, and the motion goes on. An edit of the mesh begins again. Exit status 77: Xvfb or xdotool
is missing.

usage: test_live_edit.py PLIANT
"""
import json
import pathlib
import sys
import tempfile

from editor import EditedWindow

pliant = pathlib.Path(sys.argv[1]).resolve()
BOX = {"kind": "box", "size": [1, 1, 1], "cells": 2}
SCENE = {"bodies": {"shape": BOX, "place": [0, 0, 1], "pins": {"z": [None, 1.1]}, "color": [0, 0, 1],
                    "density": 700},
         "obstacles": {"kind": "sphere", "at": [0, 0, 0.2], "radius": 0.2},
         "young": 2e4, "gravity": [0, 0, -5], "self_contact": True, "dt": 0.02}
FAST = ("--antialias", "off", "--occlusion", "off", "--max-fps", "8", "--device", "cpu")

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    SCENE["bodies"] = [SCENE["bodies"]]
    (folder / "scene.json").write_text(json.dumps(SCENE))
    with EditedWindow(pliant, *FAST, "scene.json", size=(400, 900), cwd=folder, home=folder) as w:
        def paused_at():
            """Pauses the simulation, unless it is paused. Returns the number of the step, which the trace reports."""
            if not w.events("settings")[-1]["paused"]:
                w.key("space")
            return w.settings("a pause", lambda now: now["paused"])["step"]

        def go():
            w.key("space")
            w.settings("the motion", lambda now: not now["paused"])

        def says(text, action):
            before = len(w.events("message"))
            action()
            w.wait_for(text, lambda: [m for m in w.events("message")[before:] if text in m["text"]], 0.02)

        def write(key, text):
            w.click(f"key:{key}")
            w.quick("ctrl+a", "BackSpace")
            w.xdo("type", "--delay", 10, text)
            w.quick("Return")

        def goes_on(action, paused=False):
            """Performs an edit that continues the motion. Tests that the steps go on from the present one."""
            first = paused_at()
            if not paused:
                go()
            assert first > 0
            says("the motion continues", lambda: w.edited(action))
            w.settings("the motion", lambda now: now["paused"] == paused)
            then = paused_at()
            assert then == first if paused else then > first, (first, then)
            if not paused:
                go()

        w.key("Tab")
        w.click("Scene")
        w.select("body 0: box")
        paused_at()
        go()
        w.key("f")
        w.settings("a field as colours", lambda now: now["field"] != "none")
        goes_on(lambda: write("color", "1, 0, 0"))
        w.key("bracketright")  # a setting between two edits does not stop undo
        w.settings("the field of the edited scene", lambda now: now["field"] != "none")
        goes_on(lambda: write("young", "1e5"))
        goes_on(lambda: w.key("ctrl+z"))
        goes_on(lambda: w.key("ctrl+z"))
        goes_on(lambda: w.key("ctrl+shift+z"))
        w.click("Add")
        goes_on(lambda: w.click("add:force"))
        scene = w.saved(folder / "scene-1.json")
        body, = scene["bodies"]
        assert body["color"] == [1, 0, 0] and "young" not in body, scene
        assert len(scene["forces"]) == 1 and scene["begin"], scene

        # an obstacle that intersects the body is refused, and the motion goes on
        w.select("obstacle 1: sphere")
        says("surfaces intersect", lambda: write("at", "0.5, 0, 1.5"))
        w.wait_for("the refused key", lambda: w.shows("refused:at"))
        w.settings("the motion", lambda now: not now["paused"])
        paused_at()
        go()

        # a picture of the surroundings lights the body, and a missing file is refused
        w.select("scene")
        goes_on(lambda: write("environment", "environments/studio.hdr"))
        says("none.hdr", lambda: write("environment", "none.hdr"))
        w.wait_for("the refused key", lambda: w.shows("refused:environment"))
        assert w.saved(folder / "scene-1.json")["environment"] == "environments/studio.hdr"

        # a paused simulation stays paused
        paused_at()
        w.select("body 0: box")
        # A drag of its name changes a number by round steps, and a square next to a colour opens a picker.
        goes_on(lambda: w.drag("name:density", 60, 0), paused=True)
        w.click("color:color")
        goes_on(lambda: w.click("picker:color"), paused=True)
        w.quick("Escape")
        w.wait_for("no picker", lambda: not w.shows("picker:color"))
        body, = w.saved(folder / "scene-1.json")["bodies"]
        assert body["density"] > 750 and body["density"] % 10 == 0, body
        red, green, blue = body["color"]  # the middle of the picker is darker and paler than the red before
        assert 0.2 < red < 0.9 and 0 < green == blue < red - 0.1, body

        # another mesh begins again, and so does its undo
        w.click("key:shape.kind")  # a list of the words that are valid values
        says("paused at its start", lambda: w.edited(lambda: w.click("key:shape.kind:sphere")))
        w.wait_for("the sphere", lambda: w.shows("entry:body 0: sphere"))
        says("paused at its start", lambda: w.edited(lambda: w.key("ctrl+z")))
        w.key("Tab")
        w.leave()
print("edited while the body moved, undone and redone")

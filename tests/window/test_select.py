#!/usr/bin/env python3
"""Selects entries of the tab Scene by clicks in the picture: bodies, obstacles, also a moving one, and a pin. The
nearest entry is selected first, and another click at the same point selects the next one. The selected entry is orange
in the picture. After the start, obstacles that do not move have handles, and for other entries a button goes to the
start. Exit status 77: Xvfb or xdotool is missing.

usage: test_select.py PLIANT
"""
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # the folder of png_pixels.py
from editor import EditedWindow  # noqa: E402
from png_pixels import pixels  # noqa: E402

pliant = pathlib.Path(sys.argv[1]).resolve()
BOX = {"kind": "box", "size": [1, 1, 1], "cells": 2}
# In the picture, the first body is around pixel (200, 205), the second one around (330, 205). Obstacle 1 is around
# (97, 200), and 120 pixels higher after a step. Obstacle 2 is in front of the second body.
SCENE = {"bodies": [{"shape": BOX, "color": [1, 0, 0]}, {"shape": BOX, "place": [1.8, 0, 0], "color": [0, 1, 0]}],
         "pins": [{"body": 0, "z": [None, 0.1]}, {"body": 1}],
         "obstacles": [{"kind": "sphere", "at": [-1.6, 0, 0.5], "radius": 0.4,
                        "path": [[0, 0, 0, 0], [0.01, 0, 0, 1.5]]},
                       {"kind": "box", "at": [1.8, -1.5, 0.7], "size": [0.2, 0.2, 0.2]}],
         "gravity": [0, 0, -9.81], "dt": 0.01, "camera": {"eye": [2.5, -9, 2.5], "target": [2.5, 0, 0.5]}}
FAST = ("--antialias", "off", "--occlusion", "off", "--max-fps", "8", "--device", "cpu")

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    (folder / "scene.json").write_text(json.dumps(SCENE))
    with EditedWindow(pliant, *FAST, "scene.json", size=(760, 400), cwd=folder, home=folder) as w:
        def press_at(x, y, entry):
            """Clicks a pixel of the picture, slower than a double click, and waits until this entry is selected."""
            w.move(x, y)
            w.xdo("sleep", 0.4, "click", 1)
            w.wait_for(f"the entry {entry}", lambda: w.place(f"selected:{entry}"), 0.02)

        def orange(left, right):
            """Takes a picture. Returns the number of orange pixels in these columns."""
            path = folder / "scene-1.png"
            path.unlink(missing_ok=True)
            w.quick("F12")
            w.wait_for("a picture", path.exists, 0.02)
            samples, width, size = pixels(path)
            colors = [samples[k:k + 3] for k in range(0, len(samples), size) if left <= k // size % width < right]
            return sum(r > g + 20 and g > b + 30 for r, g, b in colors)

        w.quick("space", "r")
        w.key("Tab")
        w.click("Scene")
        w.select("scene")
        assert orange(0, 480) == 0

        # the nearest entry is selected; clicks at one point select one entry after another
        press_at(97, 200, "obstacle 1: sphere")
        assert orange(60, 140) > 1000 and orange(140, 480) == 0
        press_at(324, 211, "obstacle 2: box")
        assert orange(60, 140) == 0 and orange(280, 380) > 20
        press_at(324, 211, "body 1: box")
        press_at(324, 211, "pin 2")
        assert 50 < orange(280, 380) < 2000  # dots on the nodes
        press_at(324, 211, "obstacle 2: box")
        press_at(200, 236, "body 0: box")
        press_at(200, 236, "pin 1")
        assert 10 < orange(140, 280) < 500 and orange(280, 480) == 0
        # a drag of the picture selects nothing, and neither does a click on the background
        w.move(97, 200)
        w.xdo("mousedown", 1, "sleep", 0.3, "mousemove", 99, 230, "sleep", 0.3, "mouseup", 1)
        w.key("c")
        w.click_at(50, 60)
        assert w.place("selected:pin 1")

        # an obstacle that moves is selected at its present position
        w.key("space")
        w.settings("the motion", lambda now: not now["paused"])
        w.key("space")
        w.settings("a pause", lambda now: now["paused"] and now["step"] > 1)
        w.move(97, 200)
        w.xdo("sleep", 0.4, "click", 1)
        press_at(97, 80, "obstacle 1: sphere")
        assert orange(60, 140) > 1000

        # After the start, an obstacle that does not move has handles, by which it moves while the motion continues.
        # Entries that move have handles only at the start, to which a button goes.
        w.wait_for("no handles", lambda: w.place("Go to the start") and not w.place("move z"))
        w.select("obstacle 2: box")
        w.edited(lambda: w.drag("move z", 0, -40))
        assert "the motion continues" in w.events("message")[-1]["text"]
        w.select("body 0: box")
        w.key("e")
        w.wait_for("a warning", lambda: "handles are shown at the start" in w.events("message")[-1]["text"])
        w.key("space")
        w.settings("the motion", lambda now: not now["paused"])
        assert not w.place("move z")
        w.click("Go to the start")
        w.settings("the start", lambda now: now["paused"] and now["step"] == 0)
        w.wait_for("the handles", lambda: w.place("move z") and w.place("Move"))
        scene = w.saved(folder / "scene-1.json")
        assert scene["obstacles"][1]["at"][2] > 0.9, scene
        w.key("Tab")
        w.leave()
print("entries are selected by clicks in the picture")

#!/usr/bin/env python3
"""Hides bodies and obstacles in the picture: by the icon of an eye in the tab Scene and by keys. Hidden bodies are
neither drawn nor picked, with and without a section. The simulation has the same bits as without hidden bodies. Exit
status 77: Xvfb or xdotool is missing.

usage: test_hide.py PLIANT
"""
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # the folder of png_pixels.py
from editor import EditedWindow, moves_alike  # noqa: E402
from png_pixels import pixels  # noqa: E402

pliant = pathlib.Path(sys.argv[1]).resolve()
BOX = {"kind": "box", "size": [1, 1, 1], "cells": 2}
SCENE = {"bodies": [{"shape": BOX, "color": [1, 0, 0], "pins": {"z": [None, 0.1]}},
                    {"shape": BOX, "place": [1.8, 0, 0], "color": [0, 1, 0], "pins": {"z": [None, 0.1]}}],
         "obstacles": {"kind": "sphere", "at": [-1.6, 0, 0.5], "radius": 0.4},
         "gravity": [0, 0, -9.81], "section_cut": "smooth",
         "camera": {"eye": [2.5, -9, 2.5], "target": [2.5, 0, 0.5]}}
FAST = ("--antialias", "off", "--occlusion", "off", "--max-fps", "8", "--device", "cpu", "--state", "end.npz")

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    (folder / "scene.json").write_text(json.dumps(SCENE))
    with EditedWindow(pliant, *FAST, "scene.json", size=(760, 400), cwd=folder, home=folder) as w:
        def drawn():
            """Takes a picture. Returns two values: true if it shows the red body, and true if it shows the green
            one."""
            path = folder / "scene-1.png"
            path.unlink(missing_ok=True)
            w.key("F12")
            w.wait_for("a picture", path.exists)
            samples, _, size = pixels(path)
            counts = [0, 0]
            for k in range(0, len(samples), size):
                for i in range(2):
                    counts[i] += samples[k + i] > 2 * samples[k + 1 - i] + 40
            assert all(n == 0 or n > 500 for n in counts), counts
            return [n > 0 for n in counts]

        def picked():
            """Presses the left button on the green body. Returns true if this picks a body."""
            count = len(w.events("pick"))
            w.move(330, 205)
            w.xdo("sleep", 0.3, "mousedown", 1, "sleep", 0.4, "mouseup", 1, "sleep", 0.2)
            return len(w.events("pick")) > count

        w.quick("space", "r")
        w.key("Tab")
        w.click("Scene")
        w.select("body 0: box")
        w.key("Tab")
        assert drawn() == [True, True] and picked()
        w.key("Tab")

        # A click on the eye of a body hides it. It is then neither drawn nor picked.
        w.click("eye:body 1: box")
        w.key("Tab")
        assert drawn() == [True, False]
        assert not picked()
        w.key("x")  # a section through both bodies
        assert drawn() == [True, False]
        w.key("x", "Tab")

        # The key H hides the selected body, Shift+H shows all.
        w.select("body 0: box")
        w.key("h")
        assert drawn() == [False, False]
        w.key("shift+h")
        assert drawn() == [True, True]

        # Obstacles are hidden in the same way. The left part of the picture has only the obstacle.
        def left():
            """Returns the samples left of the bodies in the last picture."""
            samples, width, size = pixels(folder / "scene-1.png")
            return b"".join(bytes(samples[k:k + 140 * size]) for k in range(0, len(samples), width * size))

        def differ(a, b):
            return sum(abs(p - q) > 20 for p, q in zip(a, b)) > 1000

        shown = left()
        w.click("eye:obstacle 1: sphere")
        assert drawn() == [True, True] and differ(shown, left())
        w.key("shift+h")

        # Probes show values at nodes. If the scene is edited, they stay on their nodes, or are removed with their body.
        def probes(*numbers):
            w.click("Plots")
            wanted = {f"probe:node {number}" for number in numbers}
            w.wait_for(f"{wanted}", lambda: wanted == {name for name in w.events("panel")[-1]["items"]
                                                       if name.startswith("probe:")})
            w.click("Scene")

        w.key("Tab")
        w.click("button:probe")
        w.move(330, 205)
        w.xdo("sleep", 0.3, "click", 1)
        w.wait_for("a probe", lambda: "placed a probe on node" in w.events("message")[-1]["text"])
        node = int(w.events("message")[-1]["text"].split(" node ")[1].split(";")[0])
        w.key("Tab")
        probes(node)
        w.select("body 0: box")
        w.edited(lambda: w.key("Delete"))
        probes(node - 27)  # body 0 had 27 nodes
        w.edited(lambda: w.key("ctrl+z"))
        probes(node)
        w.select("body 1: box")
        w.edited(lambda: w.key("Delete"))
        w.wait_for("a message", lambda: "1 probe was removed" in w.events("message")[-1]["text"])
        w.edited(lambda: w.key("ctrl+z"))
        probes()

        # When the visible body is copied, the hidden one stays hidden. After undo of the copy, all bodies are shown.
        w.select("body 0: box")
        w.key("h")
        w.edited(lambda: w.click("Duplicate"))
        assert drawn() == [True, True]  # the red body in the picture is the copy
        assert not differ(shown, left())
        w.select("body 2: box")
        w.key("h")
        assert drawn() == [False, True]
        w.edited(lambda: w.key("ctrl+z"))
        w.select("scene")  # the selected body has another colour
        assert drawn() == [True, True]

        # The simulation must have the bits of a run without hidden bodies. The saved scene must not store which bodies
        # are hidden.
        w.select("body 0: box")
        w.key("h")
        scene = w.saved(folder / "scene-1.json")
        assert "hid" not in json.dumps(scene), scene
        w.step_and_quit()
    assert moves_alike(pliant, "scene.json", folder / "end.npz"), "hidden bodies move otherwise"
print("bodies are hidden in the picture, and move as before")

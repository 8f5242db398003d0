#!/usr/bin/env python3
"""Tests a window on a screen of double density: it has twice the pixels in each direction and twice the text size, and
lines and labels are drawn at the mouse. X11 measures the mouse in pixels. A preloaded library simulates a window
system, such as Wayland, that measures the mouse in units of 2 x 2 pixels. Exit status 77: Xvfb, xdotool or xprop
is missing.

usage: test_density.py PLIANT LIBRARY     LIBRARY: made from double_density.c
"""
import json
import math
import os
import pathlib
import signal
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # the folder of png_pixels.py
from driver import PATIENCE, Window, skip  # noqa: E402
from png_pixels import pixels  # noqa: E402

PLIANT, LIBRARY = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
SIZE = (400, 320)
WIDTH, HEIGHT = 2 * SIZE[0], 2 * SIZE[1]
LINE = ((120, 430), (680, 410))  # ends of the line of a cut, pixels
ORANGE = (255, 190, 92)

if os.environ.get("PLIANT_TEST_DISPLAY"):
    skip("the density of a user's own display is not ours to choose")


def panel(w):
    """Waits until some widgets of the panel no longer move. Returns their pixels as {name: pixel}."""
    return {name: w.item(name) for name in ("Pause", "Release all", "speed", "Solver")}


def line_distances(picture):
    """Finds the pixels of the picture that have the colour of the line of the cut. Returns their distances from the
    line, and the number of columns that they cover. The upper half is excluded, since messages have this colour,
    too."""
    samples, width, size = pixels(picture)
    (x0, y0), (x1, y1) = LINE
    length = math.hypot(x1 - x0, y1 - y0)
    distances, columns = [], set()
    for k in range(HEIGHT // 2 * width * size, len(samples), size):
        # the blue channel is tested first, since it excludes most pixels
        if abs(samples[k + 2] - ORANGE[2]) < 12 and all(abs(samples[k + i] - ORANGE[i]) < 12 for i in range(2)):
            x, y = (k // size) % width, (k // size) // width
            distances.append(abs((x - x0) * (y1 - y0) - (y - y0) * (x1 - x0)) / length)
            columns.add(x)
    return distances, len(columns)


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    scene, shot = folder / "box.json", folder / "shot.png"
    scene.write_text(json.dumps({"shapes": {"kind": "box", "size": [1, 1, 2], "cells": 2}, "pins": {"z": [None, 0.1]},
                                 "young": 2000, "poisson": 0.3, "density": 10, "device": "cpu"}))
    with Window(PLIANT, scene, size=SIZE) as w:
        assert w.start["size"] == list(SIZE) and w.start["scale"] == 1, w.start
        w.key("Tab")
        plain = panel(w)
        w.key("Tab")
        w.leave()

    for words in ({"dpi": 192}, {"preload": LIBRARY, "screen": (WIDTH + 200, HEIGHT + 200)}):
        with Window(PLIANT, scene, "--screenshot", shot, size=SIZE, cwd=folder, fps=10, **words) as w:
            assert w.start["size"] == [WIDTH, HEIGHT] and w.start["scale"] == 2, (words, w.start)
            # The panel is twice as large as on a screen of normal density, and accepts clicks at the pixels where it is
            # drawn.
            w.key("Tab")
            dense = panel(w)
            for name in plain:
                gap = math.dist(dense[name], [2 * at for at in plain[name]])
                assert gap < 6, (words, name, plain[name], dense[name])
            w.click("Pause")
            w.settings("a pause", lambda now: now["paused"])
            w.key("Tab")
            # A press of the mouse button must pick the point under the mouse.
            x, y = (round(at) for at in w.start["highest"]["pixel"])
            w.move(x, y + 12)
            time.sleep(0.3)
            w.xdo("mousedown", 1)
            pick = w.wait_for("a pick", lambda: w.events("pick"))[0]
            w.xdo("mouseup", 1)
            w.wait_for("its release", lambda: w.events("release"))
            assert math.dist(pick["cursor"], (x + 0.5, y + 12.5)) < 2, (words, pick)
            # The line of a cut must be drawn from the pixel of the press to the mouse.
            w.move(*LINE[0])
            w.xdo("keydown", "ctrl", "mousedown", 1, "keyup", "ctrl")
            w.move(*LINE[1])
            w.key("F12")  # events are processed in order, so the picture contains the line
            w.wait_for("a picture", lambda: [m for m in w.events("message") if m["text"].startswith("picture: ")])
            w.process.send_signal(signal.SIGTERM)
            _, said = w.process.communicate(timeout=PATIENCE)
            w.xdo("mouseup", 1)
            distances, columns = line_distances(shot)
            assert columns > 0.9 * (LINE[1][0] - LINE[0][0]), (words, columns, said)
            assert max(distances) < 6, (words, max(distances))
            shot.unlink()
    print("on a screen of double density all is drawn twice as large, and at the mouse")

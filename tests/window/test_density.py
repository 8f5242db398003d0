#!/usr/bin/env python3
"""A window on a screen of double density: it has twice as many pixels each way, with text twice as large, and lines
and labels over the picture stand at the mouse. X11 counts the mouse in pixels; a library plays a window system, as
Wayland, that counts it in units of 2 x 2 pixels. Exit 77 where the machine has no Xvfb, xdotool or xprop.

usage: test_density.py PLIANT LIBRARY
"""
import json
import math
import os
import pathlib
import signal
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from driver import PATIENCE, Window, skip  # noqa: E402
from png_pixels import pixels  # noqa: E402

PLIANT, LIBRARY = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
SIZE = (400, 320)
WIDTH, HEIGHT = 2 * SIZE[0], 2 * SIZE[1]
LINE = ((120, 430), (680, 410))  # pixels, of a cut that is drawn
ORANGE = (255, 190, 92)

if os.environ.get("PLIANT_TEST_DISPLAY"):
    skip("the density of a user's own display is not ours to choose")


def panel(w):
    """Some widgets of the panel, once they have stopped moving."""
    return {name: w.item(name) for name in ("Pause", "Let go", "speed", "Solver")}


def line_distances(picture):
    """How far pixels of the cut's colour lie from the line, in pixels, and how many columns they reach across. Messages
    have that colour too, at the top."""
    samples, width, size = pixels(picture)
    (x0, y0), (x1, y1) = LINE
    length = math.hypot(x1 - x0, y1 - y0)
    distances, columns = [], set()
    for k in range(HEIGHT // 2 * width * size, len(samples), size):
        if all(abs(samples[k + i] - ORANGE[i]) < 12 for i in range(3)):
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
        with Window(PLIANT, scene, "--screenshot", shot, size=SIZE, cwd=folder, **words) as w:
            assert w.start["size"] == [WIDTH, HEIGHT] and w.start["scale"] == 2, (words, w.start)
            # the panel is that of the plain screen, twice as large, and takes clicks at its own pixels
            w.key("Tab")
            dense = panel(w)
            for name in plain:
                gap = math.dist(dense[name], [2 * at for at in plain[name]])
                assert gap < 6, (words, name, plain[name], dense[name])
            w.click("Pause")
            w.settings("a pause", lambda now: now["paused"])
            w.key("Tab")
            # the mouse takes the point under it
            x, y = (round(at) for at in w.start["highest"]["pixel"])
            w.move(x, y + 12)
            time.sleep(0.3)
            w.xdo("mousedown", 1)
            pick = w.wait_for("a pick", lambda: w.events("pick"))[0]
            w.xdo("mouseup", 1)
            w.wait_for("its release", lambda: w.events("release"))
            assert math.dist(pick["cursor"], (x + 0.5, y + 12.5)) < 2, (words, pick)
            # the line of a cut goes from the press to the mouse
            w.move(*LINE[0])
            w.xdo("keydown", "ctrl", "mousedown", 1, "keyup", "ctrl")
            w.move(*LINE[1])
            w.key("F12")  # events are taken in order: a picture is taken once the line is there
            w.wait_for("a picture", lambda: [m for m in w.events("message") if m["text"].startswith("picture: ")])
            w.process.send_signal(signal.SIGTERM)
            _, said = w.process.communicate(timeout=PATIENCE)
            w.xdo("mouseup", 1)
            distances, columns = line_distances(shot)
            assert columns > 0.9 * (LINE[1][0] - LINE[0][0]), (words, columns, said)
            assert max(distances) < 6, (words, max(distances))
            shot.unlink()
    print("on a screen of double density all is twice as large, and stands at the mouse")

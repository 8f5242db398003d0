#!/usr/bin/env python3
"""Tests `pliant modes --show`, which shows vibration modes. The window names each mode and its frequency, keys and the
panel choose the mode, and the body moves with the given amplitude. Exit status 77: Xvfb, xdotool or the libraries for
modes are missing.

usage: test_modes_window.py PLIANT
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from driver import Window, skip

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))  # the folder of png_pixels.py
from png_pixels import pixels  # noqa: E402

pliant = sys.argv[1]
BEAM = {"shapes": [{"kind": "box", "size": [2, 0.15, 0.1], "cells": 1, "at": [1, 0, 0]}], "degree": 2, "young": 1e6,
        "poisson": 0, "density": 1000, "pins": [{"x": [None, 1e-6]}],
        "camera": {"eye": [1, -4, 0.05], "target": [1, 0, 0.05]}}
SIZE = (600, 400)


def shown(w):
    """Returns the number of the mode and the frequency, Hz, that the window shows."""
    words = [said["text"] for said in w.events("message")]
    found = re.match(r"mode (\d+) of 4: (\S+) Hz, period (\S+) s", words[-1])
    assert abs(float(found[2]) * float(found[3]) - 1) < 1e-3, words[-1]
    return int(found[1]), float(found[2])


def tip(path):
    """Measures the position of the beam's free end in a picture: the mean row of the coloured pixels near this end."""
    samples, width, size = pixels(path)
    rows = []
    for at in range(0, len(samples), size):
        x, y, color = at // size % width, at // size // width, samples[at:at + 3]
        if 0.6 * width < x < 0.75 * width and 0.25 * SIZE[1] < y < 0.75 * SIZE[1] and max(color) - min(color) > 60:
            rows.append(y)
    assert len(rows) > 50, (path, len(rows))
    return sum(rows) / len(rows)


def take_picture(frames, path, *words):
    """Writes the picture after a number of frames; a frame is 1/60 s of an oscillation with a period of 2 s. Returns
    the row of the free end."""
    with Window(pliant, "modes", scene, "--show", "--count", 1, "--frames", frames, "--screenshot", path, *words,
                size=SIZE, first=True) as w:
        w.process.communicate(timeout=60)
        assert w.process.returncode == 0
    return tip(path)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    scene, out = folder / "beam.json", folder / "out.json"
    scene.write_text(json.dumps(BEAM))
    done = subprocess.run([pliant, "modes", scene, "--count", "4", "--json", out], capture_output=True, text=True)
    if "cannot run" in done.stderr:
        skip(done.stderr)
    assert done.returncode == 0, done.stderr
    frequency = [mode["frequency_Hz"] for mode in json.loads(out.read_text())["modes"]]
    assert all(high > 1.01 * low for low, high in zip(frequency, frequency[1:])), frequency

    def expect(w, mode):
        w.wait_for(f"mode {mode}", lambda: shown(w)[0] == mode)
        assert abs(shown(w)[1] / frequency[mode - 1] - 1) < 1e-5, (shown(w), frequency)

    with Window(pliant, "modes", scene, "--count", 4, "--show", size=SIZE, first=True) as w:
        for key, mode in ((None, 1), ("n", 2), ("Page_Down", 3), ("n", 4), ("n", 4), ("p", 3), ("Page_Up", 2)):
            if key:
                w.key(key)
            expect(w, mode)
        w.key("Tab")
        w.click("mode")
        w.xdo("key", "ctrl+a")
        w.xdo("type", "--delay", 30, "4")
        w.quick("Return")
        expect(w, 4)
        w.key("Tab")
        w.leave()

    rest, up = take_picture(60, folder / "rest.png"), take_picture(30, folder / "up.png")
    far, down = take_picture(30, folder / "far.png", "--amplitude", 0.2), take_picture(90, folder / "down.png")
    print(f"row of the beam's end: {rest:.1f} at rest, {up:.1f} and {down:.1f} at most, {far:.1f} if doubled")
    assert abs(up - rest) > 8 and abs(up + down - 2 * rest) < 2
    assert abs((far - rest) / (up - rest) - 2) < 0.15

#!/usr/bin/env python3
"""Tests a body of degree 2 (with nodes on the edges of cells) in the window: it is pinned, picked, dragged, and drawn
with a section. A replay of the log gives the same bits. Exit status 77: Xvfb or xdotool is missing.

usage: test_degree.py PLIANT
"""
import pathlib
import subprocess
import sys
import tempfile
import time

from driver import ASSETS, Window, arrays

pliant = sys.argv[1]
scene = ASSETS / "scenes" / "twist_coarse.json"


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    log, state = folder / "input.jsonl", folder / "state.npz"
    with Window(pliant, "--device", "cpu", "--degree", "2", "--log", log, "--state", state, scene,
                "--section", '{"axis": "x", "at": 0.7}', "--field", "von_mises") as w:
        x, y = (round(value) for value in w.start["highest"]["pixel"])
        w.move(x, y + 60)
        time.sleep(0.2)
        # Repeats the click until the rotating body is under the mouse.
        for _ in range(40):
            w.xdo("keydown", "shift", "click", 1, "keyup", "shift")
            time.sleep(0.3)
            if w.events("pin"):
                break
        assert w.events("pin"), "the body never came under the mouse"
        # Presses the button over the pinned patch, which keeps its position while the rest of the body moves.
        # The pinned node may be at the border of the body's picture, so the mouse also tries the pixels around it.
        pinned = [round(value) for value in w.events("pin")[-1]["pixel"]]
        for k in range(40):
            x, y = pinned[0] + 5 * (k // 3 % 3 - 1), pinned[1] + 5 * (k % 3 - 1)
            w.move(x, y)
            time.sleep(0.2)
            w.xdo("mousedown", 1)
            time.sleep(0.5)
            if w.events("pick"):
                break
            w.xdo("mouseup", 1)
            time.sleep(0.3)
        assert w.events("pick"), "the body never came under the mouse"
        for k in range(8):
            w.move(x - 5 * k, y)
            time.sleep(0.03)
        w.key("k")
        w.xdo("mouseup", 1)
        time.sleep(0.3)
        w.leave()
    said = log.read_text()
    for word in ("grab", "drag", "keep", "pin"):
        assert f'"do":"{word}"' in said, f"{word} is not in the log"
    again = folder / "again.npz"
    done = subprocess.run([pliant, "replay", log, "--state", again], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert arrays(state) == arrays(again), "the replay ends with other bits than the session"

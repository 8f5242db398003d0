#!/usr/bin/env python3
"""Cuts a body by a line that is drawn in the window. The body separates, undo and redo restore the states before and
after the cut, and a replay of the log gives the same bits. Exit status 77: Xvfb or xdotool is missing.

usage: test_cut.py PLIANT
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

from driver import Window, arrays

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    scene, log, state, again = (folder / name for name in ("scene.json", "log", "state.npz", "again.npz"))
    scene.write_text(json.dumps({"shapes": {"kind": "box", "size": [1, 1, 2], "cells": 3}, "pins": {"z": [None, 0.1]},
                                 "young": 2000, "poisson": 0.3, "density": 10, "device": "cpu"}))

    def cuts():
        return [line for line in map(json.loads, log.read_text().split("\n")[:-1]) if line.get("do") == "cut"]

    pliant = pathlib.Path(sys.argv[1]).resolve()

    def said(w, words):
        return [line["text"] for line in w.events("message") if words in line["text"]]

    with Window(pliant, scene, "--log", log, "--state", state, size=(560, 420), cwd=folder) as w:
        def draw(start, end):
            w.move(*start)
            time.sleep(0.2)
            w.xdo("keydown", "ctrl")
            w.xdo("mousedown", 1)
            time.sleep(0.2)
            w.move(*end)
            time.sleep(0.2)
            return lambda: (w.xdo("mouseup", 1), w.xdo("keyup", "ctrl"))

        # Esc cancels a cut while its line is drawn
        done = draw((60, 215), (500, 205))
        w.key("Escape")
        done()
        time.sleep(0.3)
        assert not cuts(), "Esc does not cancel a cut"
        # the line of this cut does not cross the body
        draw((60, 30), (100, 60))()
        w.wait_for("a refusal", lambda: said(w, "line did not cross the body"))
        # Each message about a missed cut must be shown only once. Otherwise it would hide the next message.
        w.key("F12")
        w.wait_for("a picture", lambda: said(w, "picture: "))
        time.sleep(0.5)
        assert len(said(w, "line did not cross the body")) == 1, said(w, "")
        # this cut goes through the whole body
        draw((60, 215), (500, 205))()
        w.wait_for("a cut", lambda: len(cuts()) == 2)
        time.sleep(1)
        w.key("ctrl+z")
        w.wait_for("the undoing", lambda: [m for m in w.events("message") if m["text"].startswith("undone: a cut")])
        time.sleep(0.5)
        w.key("ctrl+shift+z")
        w.wait_for("the redoing", lambda: [m for m in w.events("message") if m["text"].startswith("redone: a cut")])
        w.key("space")
        time.sleep(0.5)
        w.key("ctrl+s")
        w.wait_for("the scene of the cut body", lambda: said(w, "saved: scene-1.json"))
        w.leave()
    edges = cuts()[1]["edges"]
    assert len(edges) == 2 and any(edges[0]) and any(edges[1]), edges
    subprocess.run([pliant, "replay", log, "--state", again], check=True, capture_output=True)
    first, second = arrays(state), arrays(again)
    assert first == second, "the replay differs"
    subprocess.run([pliant, "record", "scene-1.json", "--frames", "1", "--state", again], check=True,
                   capture_output=True, cwd=folder)
    second = arrays(again)
    for name in "positions.npy", "momenta.npy":
        assert first[name] == second[name], "the saved scene differs in its " + name
    print("a cut, its undo and redo, a replay and a saved scene give the same bits")

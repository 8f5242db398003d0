#!/usr/bin/env python3
"""Tests undo (Ctrl+Z) and redo (Ctrl+Shift+Z) of pins, pulls, material and view, in the order of the changes. Also
tests keys that set the view, and zoom at the mouse. Exit status 77: Xvfb or xdotool is missing.

usage: test_undo.py PLIANT
"""
import json
import math
import sys
import tempfile
import time

from driver import Window

scene = tempfile.NamedTemporaryFile("w", suffix=".json")
json.dump({"shapes": {"kind": "box", "size": [1, 1, 2], "cells": 2}, "pins": {"z": [None, 0.1]}, "young": 2000,
           "poisson": 0.3, "density": 10, "device": "cpu"}, scene)
scene.flush()

with Window(sys.argv[1], scene.name, size=(560, 420)) as w:
    def view():
        line = w.events("view")[-1]
        return (*line["target"], line["distance"], *line["turn"])

    def seen(what, condition):
        return w.wait_for(what, lambda: condition(view()) and view())

    def undo(words):
        count = len(w.events("message"))
        w.key("ctrl+z")
        w.wait_for(words, lambda: [m for m in w.events("message")[count:] if m["text"] == words])

    def redo(words):
        count = len(w.events("message"))
        w.key("ctrl+shift+z")
        w.wait_for(words, lambda: [m for m in w.events("message")[count:] if m["text"] == words])

    def now():
        return w.events("settings")[-1]

    undo("nothing to undo")
    begin, young = view(), now()["young"]

    # pulls the body and keeps the pull
    w.move(280, 230)  # a point of the body
    time.sleep(0.3)
    w.xdo("mousedown", 1)
    w.wait_for("pick", lambda: w.events("pick"))
    w.move(250, 240)
    time.sleep(0.2)
    w.key("k")
    w.xdo("mouseup", 1)
    w.settings("a kept pull", lambda now: now["kept"] == 1)
    # changes the material
    w.key("Tab")
    w.click("jelly")
    w.settings("jelly", lambda now: abs(now["young"] / 3e3 - 1) < 1e-9)
    w.key("Tab")
    # The wheel must zoom so that the point under the mouse stays at its pixel.
    w.move(120, 100)
    time.sleep(0.3)
    w.xdo("click", "--repeat", 3, "--delay", 60, 4)
    near = seen("a nearer view", lambda v: v[3] < 0.8 * begin[3])
    assert math.dist(near[:3], begin[:3]) > 0.01, "the wheel does not zoom to the mouse"
    # changes the view by keys
    w.key("1")
    front = seen("the front", lambda v: abs(v[5]) < 1e-9)
    w.key("7")
    top = seen("the top", lambda v: abs(v[5] - math.radians(89.9)) < 1e-6)
    assert top[4] == front[4]
    w.key("3")
    side = seen("the side", lambda v: abs(v[5]) < 1e-9 and abs(v[4] - front[4]) > 1)
    w.key("shift+3")
    seen("the other side", lambda v: abs(abs(v[4] - side[4]) - math.pi) < 1e-6)
    w.key("Up")
    seen("from above", lambda v: abs(v[5] - math.radians(15)) < 1e-6)

    # undoes all changes
    def same(a, b):
        return all(abs(p - q) < 1e-6 for p, q in zip(a, b))
    for _ in range(3):
        undo("undone: the view")
    seen("the top again", lambda v: same(v, top))
    undo("undone: the view")
    seen("the front again", lambda v: same(v, front))
    undo("undone: the view")
    seen("the nearer view again", lambda v: same(v, near))
    undo("undone: the view")
    seen("the first view", lambda v: same(v, begin))
    undo("undone: mu, lambda, density, damping")
    w.settings("the first material", lambda now: abs(now["young"] / young - 1) < 1e-9)
    undo("undone: pins and pulls")
    w.settings("no pull", lambda now: now["kept"] == 0)
    undo("nothing to undo")
    redo("redone: pins and pulls")
    w.settings("the pull", lambda now: now["kept"] == 1)
    redo("redone: mu, lambda, density, damping")
    w.settings("jelly", lambda now: abs(now["young"] / 3e3 - 1) < 1e-9)
    redo("redone: the view")
    seen("the nearer view", lambda v: same(v, near))
    # After an undo, a new change deletes the undone changes, so a redo has no effect.
    w.key("f")
    w.settings("colours", lambda now: now["field"] == "von_mises")
    redo("nothing to redo")
    undo("undone: the view")
    w.settings("no colours", lambda now: now["field"] == "none")
    w.leave()
    print("a pull, a material and views can be undone and redone")

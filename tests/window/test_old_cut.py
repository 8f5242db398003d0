#!/usr/bin/env python3
"""Tests Ctrl+Z for a cut that is older than the steps that the timeline stores. The cut stays, a message reports it,
the simulation continues, and the change before the cut is undone. Exit status 77: Xvfb or xdotool is missing.

usage: test_old_cut.py PLIANT
"""
import json
import pathlib
import sys
import tempfile
import time

from driver import Window

STEPS_REMEMBERED = 1000

with tempfile.TemporaryDirectory() as folder:
    scene = pathlib.Path(folder) / "scene.json"
    scene.write_text(json.dumps({"shapes": {"kind": "box", "size": [1, 1, 2], "cells": 2}, "pins": {"z": [None, 0.1]},
                                 "young": 2000, "poisson": 0.3, "density": 10, "device": "cpu", "speed": 0}))
    with Window(sys.argv[1], scene, size=(560, 420)) as w:
        def messages():
            return [line["text"] for line in w.events("message")]

        w.key("f")
        w.settings("colours", lambda now: now["field"] == "von_mises")
        w.move(60, 215)
        time.sleep(0.2)
        w.xdo("keydown", "ctrl")
        w.xdo("mousedown", 1)
        time.sleep(0.2)
        w.move(500, 205)
        time.sleep(0.2)
        w.xdo("mouseup", 1)
        w.xdo("keyup", "ctrl")
        # The timeline stores 1,000 steps. In 0.8 s this body of 48 tets takes ten times as many. The number of the step
        # at the cut is in the trace.
        cut = w.settings("a cut", lambda now: now["pin_version"] > 0)["step"]
        time.sleep(0.8)
        w.key("ctrl+z")
        words = "undone: the view; the cut stays, because it is older than the stored steps"
        w.wait_for(words, lambda: words in messages())
        now = w.settings("no colours", lambda now: now["field"] == "none")
        assert now["step"] > cut + STEPS_REMEMBERED, (cut, now)
        time.sleep(0.5)
        assert not w.events("settings")[-1]["paused"], "the body was paused"
        w.leave()
    print("a message reports a cut that is too old, and the change before it is undone")

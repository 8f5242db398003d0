#!/usr/bin/env python3
"""Moves to earlier steps on the timeline by keys, by the panel's slider and by backward playback, and continues from
there. Saved scenes, and a replay of the log, have the same bits as before. Exit status 77: Xvfb or xdotool is missing.

usage: test_timeline.py PLIANT
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

from driver import Window, arrays

pliant = pathlib.Path(sys.argv[1]).resolve()
SCENE = {"shapes": {"kind": "box", "size": [1, 1, 2], "cells": 2}, "pins": {"z": [None, 0.1]}, "young": 2000,
         "poisson": 0.3, "density": 10, "device": "cpu", "dt": 0.01, "gravity": [1, 0, 0],
         "drags": {"grab": {"center": "+z", "radius": 0.6}, "path": [[0, 0, 0, 0], [1.5, 0.5, 0.3, 0]]}}


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    (folder / "box.json").write_text(json.dumps(SCENE))
    with Window(pliant, "--log", "input.jsonl", "--state", "end.npz", "box.json", cwd=folder, size=(560, 400)) as w:
        def behind(steps):
            return w.settings(f"{steps} steps back", lambda now: now["behind"] == steps)

        def save(name):
            count = len([m for m in w.events("message") if m["text"].startswith("saved: ")])
            w.key("ctrl+s")
            w.wait_for("a saved scene", lambda: len([m for m in w.events("message")
                                                     if m["text"].startswith("saved: ")]) > count)
            (folder / "box-1.state").rename(folder / name)

        # Lets the simulation run for 1.2 s, then pauses. Returns the number of the step.
        def gone_on():
            time.sleep(1.2)
            w.key("space")
            return w.settings("a pause", lambda now: now["paused"])["step"]
        step = gone_on()
        while step < 110:
            w.key("space")
            w.settings("going on", lambda now: not now["paused"])
            step = gone_on()
        save("a.state")
        w.xdo("key", "--delay", 60, *["shift+comma"] * 10)
        behind(100)
        w.key("comma", "period")
        back = behind(100)
        assert back["paused"] and back["step"] == step - 100, (back, step)
        # moves forward, and back again
        w.xdo("key", "--delay", 60, *["shift+period"] * 11)
        assert behind(0)["step"] == step
        save("b.state")
        w.xdo("key", "--delay", 60, *["shift+comma"] * 10)
        behind(100)
        # Continues until after the former last step, so that the last 100 steps are computed again. Then returns to the
        # former last step.
        end = 0
        while end < step:
            w.key("space")
            w.settings("going on", lambda now: not now["paused"])
            end = gone_on()
        keys = ["shift+comma"] * ((end - step) // 10) + ["comma"] * ((end - step) % 10)
        if keys:
            w.xdo("key", "--delay", 60, *keys)
        assert behind(end - step)["step"] == step, (w.events("settings")[-1], end, step)
        save("c.state")
        whole = (folder / "a.state").read_bytes()
        assert (folder / "b.state").read_bytes() == whole, "moving back and forward changes the state"
        assert (folder / "c.state").read_bytes() == whole, "continuing from 100 steps back gives other bits"
        # plays backward to the start, then moves by the slider
        w.key("b")
        w.settings("the beginning", lambda now: now["step"] == 0)
        w.key("Tab")
        w.click("timeline")
        w.settings("somewhere in between", lambda now: 0 < now["behind"] < step)
        w.key("Tab")
        w.leave()
    done = subprocess.run([pliant, "replay", folder / "input.jsonl", "--state", folder / "again.npz"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert arrays(folder / "again.npz") == arrays(folder / "end.npz"), "the replay of the log ends with other bits"
    print(f"{step} steps; moving 100 of them back and forward gives the same bits")

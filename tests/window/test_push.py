#!/usr/bin/env python3
"""Pushes a post with the ball that is at the mouse while Ctrl and the left button are pressed. The log contains the
push, and a replay gives the same state. Exit status 77: Xvfb or xdotool is missing.

usage: test_push.py PLIANT
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

from driver import Window, arrays

pliant = sys.argv[1]


def push(window, across):
    x, y = window.size[0] // 2, window.size[1] // 2 - 40
    window.move(x, y)
    time.sleep(0.3)
    window.xdo("keydown", "ctrl", "mousedown", 1)
    window.wait_for("pick", lambda: window.events("pick"))
    for k in range(1, 9):
        window.move(x + across * k // 8, y)
        window.xdo("click", 4)  # the wheel moves the ball into the post
        time.sleep(0.1)
    time.sleep(0.5)


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    post = {"shapes": {"kind": "box", "size": [0.2, 0.2, 0.6], "cells": 2}, "young": 5e4, "density": 1000, "damping": 5,
            "self_contact": True, "friction": 0.3, "device": "cpu", "pins": {"z": [None, 0.01]}, "newton_max": 60}
    scene, log, state = (folder / name for name in ("post.json", "log", "state.npz"))
    scene.write_text(json.dumps(post))
    with Window(pliant, "--log", log, "--state", state, scene) as w:
        push(w, 40)
        w.xdo("mouseup", 1, "keyup", "ctrl")
        w.key("Escape")
        w.process.wait(30)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    taken = [line for line in lines if line.get("push")]
    assert len(taken) == 1 and taken[0]["do"] == "grab" and taken[0]["radius"] > 0, lines
    assert any(line["do"] == "drag" and line["offset"][1] > 0.01 for line in lines if "do" in line), lines
    assert any(line["do"] == "release" for line in lines if "do" in line), lines
    again = folder / "again.npz"
    subprocess.run([pliant, "replay", log, "--state", again], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    assert arrays(state) == arrays(again)

print("ok")

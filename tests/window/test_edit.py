#!/usr/bin/env python3
"""Makes a scene with the mouse in the tab Scene of the panel, from the command `new scene`: two bodies, an obstacle, a
pin and a force. Refused values change nothing. Undo brings back the earlier scene. The saved scene has the same bits as
the window's, at the start and after some steps. Exit status 77: Xvfb or xdotool is missing.

usage: test_edit.py PLIANT
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

from driver import Window, arrays

pliant = pathlib.Path(sys.argv[1]).resolve()
FAST = ("--antialias", "off", "--occlusion", "off")  # the CPU draws the pictures
SMALL = {"shapes": {"kind": "box", "size": [1, 1, 1], "cells": 1, "at": [0, 0, 3]}, "device": "cpu"}

folder = tempfile.TemporaryDirectory()
home = pathlib.Path(folder.name)
(home / "small.json").write_text(json.dumps(SMALL))

with Window(pliant, *FAST, "small.json", size=(760, 760), cwd=home, home=home) as w:
    def shown():
        return len(w.events("start"))

    def says(text, after):
        return w.wait_for(text, lambda: [m for m in w.events("message")[after:] if text in m["text"]])

    def edited(action):
        """Performs an edit and waits until the edited scene is shown."""
        scenes, messages = shown(), len(w.events("message"))
        action()
        w.wait_for("the edited scene", lambda: shown() > scenes or
                   [m for m in w.events("message")[messages:] if "edited" not in m["text"]])
        assert shown() == scenes + 1, w.events("message")[messages:]

    def add(kind):
        w.click("Add")
        edited(lambda: w.click(f"add:{kind}"))

    def write(key, text):
        w.click(f"key:{key}")
        w.quick("ctrl+a", "BackSpace")
        w.xdo("type", "--delay", 10, text)
        w.quick("Return")

    def palette(text):
        w.quick("ctrl+p")
        w.wait_for("the palette", lambda: w.shows("palette"))
        w.xdo("type", "--delay", 10, text)
        w.quick("Return")

    scenes = shown()
    palette("new scene")
    w.wait_for("the new scene", lambda: shown() == scenes + 1)
    w.settings("a pause", lambda now: now["paused"] and now["floor"])
    palette("edit scene")
    w.click("entry:body 0: box")
    edited(lambda: write("shape.cells", "2"))
    add("sphere")
    add("obstacle: sphere")
    add("pin")
    add("force")
    print(w.events("panel")[-1]["items"].keys())
    write("total", "5, 0, x")
    time.sleep(2)
    print(w.events("message")[-3:])
    w.key("ctrl+s")
    time.sleep(1)
    print(w.events("message")[-3:])
    print((home/"new-1.json").read_text())
    subprocess.run(["import", "-window", "root", "/tmp/ed.png"], env=w.environment)

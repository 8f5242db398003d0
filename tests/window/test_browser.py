#!/usr/bin/env python3
"""Tests the program's file browser with keys and mouse, the axes in the corner of the picture, and a list of recent
files that cannot be written. Exit status 77: Xvfb or xdotool is missing.

usage: test_browser.py PLIANT
"""
import json
import math
import os
import pathlib
import shutil
import sys
import tempfile

from driver import ASSETS, Window

pliant = sys.argv[1]
BOX = {"shapes": {"kind": "box", "size": [1, 1, 2], "cells": 2}, "pins": {"z": [None, 0.1]}, "young": 2000,
       "poisson": 0.3, "density": 10, "device": "cpu"}


def said(w, words):
    return w.wait_for(words, lambda: [m for m in w.events("message") if words in m["text"]])


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "below").mkdir()
    (folder / "begin.json").write_text(json.dumps(BOX))
    (folder / "below/bad.json").write_text("{,")
    (folder / "below/notes.txt").write_text("no scene")
    (folder / "below/.hidden.json").write_text("{}")
    shutil.copy(ASSETS / "meshes/sphere_63.msh", folder / "below/ball.msh")
    shut = folder / "shut"
    shut.mkdir()
    # This file has the path of the folder for the list of recent files. So the program cannot create the folder, and a
    # message must report this.
    (folder / "state").write_text("")
    with Window(pliant, folder / "begin.json", size=(900, 620), home=folder / "state") as w:
        said(w, "cannot save the list of recent files: ")

        def turn():
            return w.events("view")[-1]["turn"]

        # By keys: Ctrl+O opens the browser in the scene's folder, with the scene's file selected. Other keys enter the
        # folder "below" and open its last file.
        w.key("ctrl+o")
        w.wait_for("the browser", lambda: w.shows("file:begin.json") and w.shows("file:below"))
        w.key("Home", "Return")
        w.wait_for("the folder", lambda: w.shows("file:ball.msh") and w.shows("file:bad.json"))
        assert not w.shows("file:notes.txt") and not w.shows("file:.hidden.json")
        w.key("b", "b", "Down")  # the first "b" selects bad.json, the second ball.msh; Down stays at the last line
        w.key("Return")
        w.wait_for("the ball", lambda: len(w.events("start")) == 2)
        assert w.events("start")[1]["nodes"] == 63
        assert not w.shows("file:ball.msh"), "the browser stays open"

        # By mouse: the browser opens in the folder that was last used, and shows the folder above it, and this folder
        # again. It stays in a folder if the next one cannot be read.
        w.key("ctrl+o")
        w.click("Up")
        w.item("file:begin.json")
        x, y = w.item("file:below")
        w.move(x, y)
        w.xdo("click", "--repeat", 2, "--delay", 60, 1)
        w.item("file:bad.json")
        w.key("BackSpace")
        w.item("file:below")
        if os.geteuid():  # root can read every folder
            shut.chmod(0)
            w.key("s", "Return")
            said(w, "shut: cannot be read: Permission denied")
            shut.chmod(0o700)
        shut.rmdir()
        w.key("s", "Return")
        said(w, "shut: cannot be read: No such file or directory")
        assert w.shows("file:below")
        w.click("file:below")
        w.click("Open file")
        w.click("file:bad.json")
        w.key("Return")
        said(w, "below/bad.json: character 2: not JSON")
        w.key("ctrl+o")
        w.item("file:bad.json")
        w.key("Escape")
        w.wait_for("the browser closed", lambda: not w.shows("file:bad.json"))
        assert len(w.events("start")) == 2
        w.key("Tab")
        w.click("Files")
        w.click("Browse...")
        w.item("file:bad.json")
        w.click("Cancel")
        w.key("Tab")
        w.wait_for("the panel closed", lambda: not w.shows("Browse..."))

        # A click on an axis in the corner turns the view so that the camera looks along this axis. Undo restores the
        # view.
        before = turn()
        for axis, azimuth in (("x", math.pi / 2), ("-y", 0), ("-x", -math.pi / 2), ("z", None), ("y", math.pi)):
            w.click(f"axis {axis}")
            if azimuth is None:
                w.wait_for(axis, lambda: turn()[1] > 1.3)
            else:
                w.wait_for(axis, lambda: abs(math.remainder(turn()[0] - azimuth, 2 * math.pi)) < 1e-6
                           and abs(turn()[1]) < 1e-6)
            w.move(450, 20)
        for _ in range(5):
            w.key("ctrl+z")
        w.wait_for("the view of before", lambda: max(abs(a - b) for a, b in zip(turn(), before)) < 1e-6)
        w.leave()
print("the browser works by keys and mouse, axes set the view, and faults are reported")

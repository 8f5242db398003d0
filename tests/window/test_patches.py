#!/usr/bin/env python3
"""Plots quantities of a patch of the surface and of a pair of a body and the floor, which are placed by the mouse. The
curves equal the table of `pliant record`. A saved scene has the curves and the radius of the mouse, and shows the
curves again when it is opened. Exit status 77: Xvfb or xdotool is missing.

usage: test_patches.py PLIANT
"""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import time

from driver import Window

pliant = str(pathlib.Path(sys.argv[1]).resolve())
FAST = ("--antialias", "off", "--occlusion", "off", "--max-fps", "10", "--device", "cpu")
BLOCK = {"shapes": {"kind": "box", "size": [0.3, 0.3, 0.3], "cells": 3}, "young": 5e4, "density": 1000, "damping": 5,
         "floor": 0, "gravity": [0.3, 0, -1]}
SIZE = (640, 500)
BODY, FLOOR = (320, 250), (500, 420)  # points of the block and of the floor in a window of this size, in pixels


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def says(w, text, action):
    before = len(w.events("message"))
    action()
    w.wait_for(text, lambda: [m for m in w.events("message")[before:] if text in m["text"]])


def click(w, point, text):
    w.move(*point)
    time.sleep(0.3)
    says(w, text, lambda: w.xdo("click", 1))


def set_radius(w):
    """Types another radius of the mouse into the panel."""
    w.key("Tab")
    w.click("Body")
    w.click("mouse radius")
    time.sleep(0.4)
    w.xdo("key", "ctrl+a")
    w.xdo("type", "--delay", 60, "--", "0.12")
    time.sleep(0.4)
    w.key("Return", "Tab")
    w.wait_for("no panel", lambda: not w.shows("mouse radius"))


def place(w):
    """Places a patch and a pair, and adds another curve of the patch."""
    w.key("a")
    w.wait_for("the tool", lambda: w.events("tool")[-1]["name"] == "patch")
    click(w, BODY, "placed a patch of radius 0.12 m")
    says(w, "undone: a probe", lambda: w.key("ctrl+z"))
    says(w, "redone: a probe", lambda: w.key("ctrl+shift+z"))
    w.key("j")
    w.wait_for("the tool", lambda: w.events("tool")[-1]["name"] == "pair")
    click(w, BODY, "pair: 0; click the second body")
    click(w, BODY, "a pair is two bodies, or a body and an obstacle or the floor")
    click(w, BODY, "pair: 0; click the second body")
    click(w, FLOOR, "the contact force of floor on 0")
    w.key("Tab")
    w.click("Plots")
    w.wait_for("the curves", lambda: w.shows("curve:contact_force:0/floor"))
    w.click("more:patch 1: displacement")
    w.click("patch_von_mises")
    w.wait_for("the third curve", lambda: w.shows("curve:patch 1: von_mises"))


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    scene = folder / "block.json"
    scene.write_text(json.dumps(BLOCK))
    with Window(pliant, *FAST, scene, size=SIZE, cwd=folder) as window:
        window.key("space")
        window.settings("a pause", lambda now: now["paused"])
        window.key("r")
        set_radius(window)
        place(window)
        for _ in range(4):
            window.key("s")
            time.sleep(0.2)
        says(window, "curves: block-1.csv", lambda: window.click("Save curves"))
        window.click("delete:contact_force:0/floor")
        window.wait_for("two curves", lambda: not window.shows("curve:contact_force:0/floor"))
        says(window, "undone: a probe", lambda: window.key("ctrl+z"))
        says(window, "saved: block-1.json", lambda: window.key("ctrl+s"))
        window.key("ctrl+q")
        window.process.wait(30)

    saved = json.loads((folder / "block-1.json").read_text())
    patch, stress, pair = saved["curves"]
    ball = patch[len("patch_displacement:"):]
    assert patch.startswith("patch_displacement:") and ball.split("/")[3:] == ["0.12"], saved
    assert stress == f"patch_von_mises:{ball}" and pair == "contact_force:0/floor", saved
    assert saved["mouse_radius"] == 0.12, saved
    subprocess.run([pliant, "record", "block.json", "--device", "cpu", "--frames", "40", "--probe-file", "record.csv",
                    "--probe", ",".join((patch, pair, stress))], cwd=folder, check=True, capture_output=True)
    got, expected = rows(folder / "block-1.csv"), rows(folder / "record.csv")
    assert len(got) > 4 and got[0] == expected[0], got[0]
    # the third curve has no value in the first row, because it was added later
    assert [row for row in got[2:]] == expected[2:len(got)], (got, expected[:len(got)])
    assert float(got[3][7]) > 0 and float(got[3][2]) > 0, "the block does not press on the floor, or does not move"

    # The curves of the saved scene are in the window, and in the table of a run without --probe.
    with Window(pliant, *FAST, folder / "block-1.json", size=SIZE, cwd=folder) as window:
        window.key("space", "Tab")
        window.click("Plots")
        for name in "patch 1: displacement", "patch 1: von_mises", pair:
            window.wait_for(name, lambda name=name: window.shows(f"curve:{name}"))
        window.key("ctrl+q")
        window.process.wait(30)
    subprocess.run([pliant, "record", "block-1.json", "--device", "cpu", "--frames", "2", "--probe-file", "again.csv"],
                   cwd=folder, check=True, capture_output=True)
    title = rows(folder / "again.csv")[0]
    assert [title[2], title[5], title[8]] == [f"{patch}_x_m", f"{stress}_Pa", f"{pair}_z_N"], title

    # Names of curves that the window does not plot are in a scene that it saves. One message names sums and curves
    # beyond the sixth one, and a wrong name has a message with its own cause.
    names = [*saved["curves"], "energy_change", "position:999", "kinetic", "volume", "elastic"]
    (folder / "block-1.json").write_text(json.dumps({**saved, "curves": names}))
    with Window(pliant, *FAST, folder / "block-1.json", size=SIZE, cwd=folder) as window:
        window.key("space")
        window.settings("a pause", lambda now: now["paused"])
        window.wait_for("the wrong name", lambda: [m for m in window.events("message") if "999" in m["text"]])
        says(window, "saved: ", lambda: window.key("ctrl+s"))
        texts = [m["text"] for m in window.events("message")]
        assert len([text for text in texts if "does not plot 2 of the scene's 8 curves" in text
                    and text.endswith(": energy_change,elastic; a saved scene has their names")]) == 1, texts
        assert len([text for text in texts if text.startswith("position:999: ")]) == 1, texts
        window.key("ctrl+q")
        window.process.wait(30)
    assert json.loads((folder / "block-1.json").read_text())["curves"] == names
print("patches and pairs by the mouse, with the numbers of record, also after a scene was saved and opened")

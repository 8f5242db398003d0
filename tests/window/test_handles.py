#!/usr/bin/env python3
"""Turns and scales bodies and obstacles by the handles of the tab Scene: with Ctrl in round steps, with undo, and also
in an orthographic view and on a screen of double density. Esc cancels a change. Places bodies and obstacles on the
floor. The saved scene gives the same bits as the window. Exit status 77: Xvfb or xdotool is missing.

usage: test_handles.py PLIANT
"""
import json
import math
import pathlib
import re
import shutil
import sys
import tempfile
import time

from editor import EditedWindow, moves_alike

pliant = pathlib.Path(sys.argv[1]).resolve()
BOX = {"kind": "box", "size": [1, 1, 1], "cells": 2}
SCENE = {"bodies": [{"shape": BOX, "place": [0, 0, 1]}, {"shape": BOX, "place": [3.5, 0, 0.1]}], "floor": 0,
         "self_contact": True, "gravity": [0, 0, -9.81],
         "obstacles": [{"kind": "sphere", "at": [-2.2, 0, 0.9], "radius": 0.3},
                       {"kind": "plane", "at": [0, 0, -0.5], "normal": [0, 0, 1]}],
         "camera": {"eye": [3.5, -9, 6], "target": [1.5, 0, 0.7]}}
FAST = ("--antialias", "off", "--occlusion", "off", "--device", "cpu")


def label(w, pattern):
    """Waits until the label that matches the pattern no longer changes; it shows the amount of the drag. Returns its
    number."""
    def number():
        found = [re.fullmatch(pattern, name) for name in w.events("panel")[-1]["items"]]
        found = [float(m.group(1)) for m in found if m]
        return found and found[0] not in (0, 1) and found
    before, now = None, w.wait_for(f"a label {pattern}", number)
    while now != before:
        time.sleep(0.5)
        before, now = now, w.wait_for(f"a label {pattern}", number)
    return now[0]


def changed(w, name, dx, dy, pattern, key=None):
    """Drags a handle and waits for the edited scene. Returns the number that the label showed."""
    numbers = []
    w.edited(lambda: w.drag(name, dx, dy, key, during=lambda: numbers.append(label(w, pattern))))
    return numbers[0]


def open_editor(w, entry):
    w.key("Tab")
    w.click("Scene")
    w.select(entry)
    w.quick("space", "r")


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    saved = folder / "scene-1.json"
    (folder / "scene.json").write_text(json.dumps(SCENE))
    with EditedWindow(pliant, *FAST, "--max-fps", "8", "--state", "end.npz", "scene.json", size=(760, 400), cwd=folder,
                      home=folder) as w:
        open_editor(w, "obstacle 1: sphere")

        # The key E switches between handles to move, turn and scale. A sphere has no handles to turn it, a plane none
        # to scale it.
        w.item("move x")
        w.key("e")
        w.item("scale")
        w.click("Turn")
        time.sleep(0.5)
        assert w.place("scale") and not w.place("scale x") and not w.place("turn x")
        w.select("obstacle 2: plane")
        w.wait_for("no handles", lambda: not w.place("scale") and not w.place("turn x"))
        w.key("e")
        w.item("move x")
        w.key("e")
        w.item("turn x")
        w.key("e")
        w.item("move x")

        # With Ctrl, an obstacle is scaled by a multiple of 0.1. It stays at its position.
        w.select("obstacle 1: sphere")
        w.click("Scale")
        factor = changed(w, "scale", 25, -25, "× ([0-9.]+)", key="ctrl")
        now = w.saved(saved)
        assert abs(10 * factor - round(10 * factor)) < 1e-9 and factor > 1.1, factor
        assert abs(now["obstacles"][0]["radius"] - 0.3 * factor) < 1e-8, (factor, now)
        assert now["obstacles"][0]["at"] == SCENE["obstacles"][0]["at"] and now["bodies"][0]["place"] == [0, 0, 1], now

        # With Ctrl, a body is turned by a multiple of 15 degrees. The axis goes through its centre, so its position
        # does not change.
        w.select("body 0: box")
        w.click("Turn")
        degrees = changed(w, "turn z", 40, 5, "(-?[0-9.]+)° about z", key="ctrl")
        then = w.saved(saved)["bodies"][0]
        assert degrees % 15 == 0 and then["turn"] == {"axis": [0, 0, 1], "degrees": degrees}, (degrees, then)
        assert then["place"] == [0, 0, 1], then
        # Ctrl also has an effect if it is pressed during the drag, until it is released. Other keys have no effect
        # during a drag.
        def press_control():
            w.xdo("keydown", "ctrl")
            w.wait_for("a round angle", lambda: label(w, "(-?[0-9.]+)° about z") % 15 == 0)
            w.xdo("keyup", "ctrl")
            w.wait_for("another angle", lambda: label(w, "(-?[0-9.]+)° about z") % 15)
            w.key("e", "Delete", "End")
        scenes = len(w.events("start"))
        w.drag("turn z", 33, 5, during=press_control, cancel=True)
        # Esc cancels a turn. Without Ctrl, a turn may have any angle. A turn about another axis also keeps the body's
        # centre.
        w.drag("turn x", 0, 30, cancel=True)
        degrees = changed(w, "turn y", 20, 30, "(-?[0-9.]+)° about y")
        assert len(w.events("start")) == scenes + 1
        body = w.saved(saved)["bodies"][0]
        # the origin of the box is half an edge below its centre
        down = [body["place"][i] - (0, 0, 1.5)[i] for i in range(3)]
        assert abs(math.hypot(*down) - 0.5) < 1e-7 and abs(down[1]) < 1e-7 and abs(down[0]) > 0.05, (degrees, body)
        w.edited(lambda: w.key("ctrl+z"))
        assert w.saved(saved)["bodies"][0] == then
        w.edited(lambda: w.key("ctrl+shift+z"))

        # A body is placed on the floor with a small gap, which self_contact needs. An obstacle is placed without a gap.
        w.edited(lambda: w.click("Place on the floor"))
        low = w.saved(saved)["bodies"][0]
        assert low["place"][:2] == body["place"][:2] and low["place"][2] < body["place"][2] - 0.5, (body, low)
        w.select("body 1: box")
        w.edited(lambda: w.key("End"))
        assert 0 < w.saved(saved)["bodies"][1]["place"][2] < 0.02
        w.select("obstacle 1: sphere")
        w.edited(lambda: w.key("End"))
        sphere = w.saved(saved)["obstacles"][0]
        assert abs(sphere["at"][2] - sphere["radius"]) < 1e-8, sphere
        w.key("End")
        w.wait_for("a message", lambda: any("on the floor already" in m["text"] for m in w.events("message")))
        for _ in range(3):
            w.edited(lambda: w.key("ctrl+z"))
        assert w.saved(saved)["bodies"][0] == body
        w.select("body 0: box")

        # A body is scaled about its centre. The saved scene gives the same bits as the window.
        w.key("e")
        factor = changed(w, "scale", -20, 20, "× ([0-9.]+)")
        scaled = w.saved(saved)["bodies"][0]
        assert 0 < factor < 1 and abs(scaled["scale"] - factor) < 1e-9, (factor, scaled)
        assert scaled["turn"] == body["turn"], (scaled, body)
        offset = [scaled["place"][i] - (0, 0, 1.5)[i] - factor * down[i] for i in range(3)]
        assert math.hypot(*offset) < 1e-7, (factor, body, scaled)

        # A line of the handles scales the body along one of its local axes. The scale is then a list.
        along = changed(w, "scale z", 0, -25, "× ([0-9.]+) along z")
        stretched = w.saved(saved)["bodies"][0]
        assert along > 1.1 and stretched["turn"] == body["turn"], (along, stretched)
        assert all(abs(stretched["scale"][i] - factor * (along if i == 2 else 1)) < 1e-8 for i in range(3)), stretched
        w.edited(lambda: w.key("ctrl+z"))
        assert w.saved(saved)["bodies"][0] == scaled
        w.edited(lambda: w.key("ctrl+shift+z"))
        assert w.saved(saved)["bodies"][0] == stretched
        w.step_and_quit()
    assert moves_alike(pliant, saved, folder / "end.npz"), "the saved scene moves otherwise"
    saved.unlink()

    # In an orthographic view from the front, two of the rings are seen edge-on. On a screen of double density, the
    # mouse moves by twice as many pixels.
    dense = 2 if shutil.which("xprop") else 1
    with EditedWindow(pliant, *FAST, "--orthographic", "scene.json", size=(760, 400), cwd=folder, home=folder, fps=6,
                      dpi=96 * dense if dense > 1 else 0) as w:
        open_editor(w, "body 0: box")
        w.item("move x")
        w.key("1")
        w.click("Turn")
        for axis in "xyz":
            change = {"x": (0, 40), "y": (30, 30), "z": (40, 0)}[axis]
            degrees = changed(w, f"turn {axis}", *(dense * d for d in change), f"(-?[0-9.]+)° about {axis}")
            assert 10 < degrees < 90, (axis, degrees)
            w.edited(lambda: w.key("ctrl+z"))
        w.click("Scale")
        factor = changed(w, "scale", dense * 20, -dense * 20, "× ([0-9.]+)", key="ctrl")
        assert 1.1 < factor < 1.7, factor
        w.key("ctrl+q")
        w.process.communicate(timeout=60)
        assert w.process.returncode == 0
print("bodies and obstacles are turned and scaled by their handles, and placed on the floor")

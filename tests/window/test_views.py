#!/usr/bin/env python3
"""Stores views by Shift+F5 to Shift+F8, and shows them again by F5 to F8. A saved scene keeps the views. Also tests the
look of the window and its file, the hints for new users, and the search in the panel. Exit status 77: Xvfb or xdotool
is missing.

usage: test_views.py PLIANT
"""
import json
import math
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # the folder of png_pixels.py
from editor import EditedWindow  # noqa: E402
from png_pixels import pixels  # noqa: E402

pliant = pathlib.Path(sys.argv[1]).resolve()
SCENE = {"shapes": {"kind": "box", "size": [1, 1, 2], "cells": 2}, "pins": {"z": [None, 0.1]}, "device": "cpu",
         "views": [None, {"eye": [4, 0, 1], "target": [0, 0, 1]}, {"eye": [1, 1, 1], "target": [1, 1, 1]}]}
FAST = ("--antialias", "off", "--occlusion", "off", "--max-fps", "8")

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    (folder / "scene.json").write_text(json.dumps(SCENE))
    look, shot = folder / "pliant/look.json", folder / "shot.png"
    look.parent.mkdir()
    look.write_text('{"text_size": 1.5, "theme": "pink"}')

    def opened(*words, size=(500, 400)):
        return EditedWindow(pliant, *FAST, *words, size=size, cwd=folder, home=folder)

    def looks(w, what, target, elevation, distance):
        """Waits until the camera has this target, elevation and distance."""
        def same():
            now = w.events("view")[-1]
            wanted = zip([*now["target"], now["turn"][1], now["distance"]], [*target, elevation, distance])
            return all(abs(a - b) < 1e-6 for a, b in wanted)
        w.wait_for(what, same)

    def refused(w, words):
        w.wait_for(f"the message \"{words}\"",
                   lambda: any(line["text"].startswith(words) for line in w.events("message")))

    with opened("scene.json") as w:
        w.wait_for("a view", lambda: w.events("view"))
        start = w.events("view")[-1]
        first = start["target"], start["turn"][1], start["distance"]
        w.key("shift+F5")
        refused(w, "view 1 is stored; F5 shows it again")

        # F6 shows a view that the scene file stores, along -x. Undo returns to the previous view.
        w.key("F6")
        looks(w, "the view of the scene file", [0, 0, 1], 0, 4)
        w.key("ctrl+z")
        looks(w, "the view before it", *first)
        w.key("F6", "F5")
        looks(w, "the stored view", *first)

        # views that are empty or invalid do not move the camera
        w.key("F8")
        refused(w, "view 4 is empty; Shift+F8 stores the present view")
        w.key("F7")
        w.wait_for("a message", lambda: any("view 3 cannot be shown" in m["text"] for m in w.events("message")))
        w.wait_for("both messages", lambda: w.shows("warning:2") and w.shows("error:1"))  # none hides another
        looks(w, "the same view", *first)

        # a stored view includes its projection, perspective or orthographic
        w.key("F6", "5", "shift+F7")
        refused(w, "view 3 is stored; F7 shows it again")
        w.key("F5")
        saved = w.saved(folder / "scene-1.json")
        views = saved["views"]
        assert len(views) == 3 and views[0] and views[1]["eye"] == views[2]["eye"] == [4, 0, 1], views
        assert [view.get("orthographic", False) for view in views] == [False, False, True], views
        assert not saved.get("orthographic"), saved
        # The stored look was damaged. Text sizes are stored.
        refused(w, f"the window has its default look: {look}: key \"theme\"")
        w.key("ctrl+plus", "ctrl+plus")
        refused(w, "text size 1.25, but this window is too small for it")
        w.key("ctrl+0", "ctrl+minus")
        refused(w, "text size 0.875")
        w.key("F7")
        looks(w, "the view without perspective", [0, 0, 1], 0, 4)
        assert w.saved(folder / "scene-1.json")["orthographic"] is True
        w.leave()

    with opened("scene-1.json", "--theme", "light", "--screenshot", shot, "--hints", "on", size=(700, 400)) as w:
        # A hint ends when it is closed, or when the user does the action that it explains.
        w.click("hint: next")
        w.wait_for("the second hint", lambda: w.shows("hint:pause") and not w.shows("hint:pull"))
        for key, name in (("space", "tools"), ("n", "palette"), ("ctrl+p", None), ("Escape", "keys")):
            w.quick(key)
            w.wait_for(f"the hint {name}", lambda name=name: w.shows(f"hint:{name}") if name else w.shows("palette"))
        w.quick("F1")
        w.wait_for("the keys", lambda: w.shows("all keys"))
        w.quick("F1", "g", "space")
        w.wait_for("no hint", lambda: not w.shows("hint: next"))
        w.key("F5")
        looks(w, "the view of the saved scene", *first)
        eye = w.saved(folder / "scene-1.json")["camera"]["eye"]
        assert all(abs(a - b) < 1e-6 for a, b in zip(eye, views[0]["eye"])), (eye, views)

        # With the text size 1, rows of the panel are 28 pixels apart. The window now uses the stored text size 0.875,
        # so rows must be about 24.5 pixels apart. The search shows matching rows of all tabs until Esc.
        w.key("Tab")
        (left, y), (_, below) = w.item("panel edge"), w.item("speed")
        assert 20 < below - w.item("Pause")[1] < 27
        w.click("search")
        w.xdo("type", "--delay", 10, "damp")
        w.wait_for("the row", lambda: w.shows("found:Body") and w.shows("damping") and not w.shows("density"))
        w.quick("Escape")
        w.wait_for("the whole tab", lambda: w.shows("density") and not w.shows("found:Body"))
        # The end of the tab View lists the stored views, which may have names.
        w.click("View")
        w.xdo("mousemove", *w.item("field"), "click", "--repeat", 40, "--delay", 10, 5)
        w.click("name view:1")
        w.xdo("type", "--delay", 10, "front")
        w.quick("Return")
        w.click("Delete view:2")
        w.wait_for("two views", lambda: w.shows("Show view:3") and not w.shows("Show view:2"))
        w.click("Show view:3")
        looks(w, "the view without perspective", [0, 0, 1], 0, 4)
        views = w.saved(folder / "scene-1.json")["views"]
        assert views[0]["name"] == "front" and views[1] is None and len(views) == 3, views
        w.click("Store view")
        refused(w, "view 2 is stored; F6 shows it again")
        # The panel's width is stored. The option --theme is not. On a busy machine, the window may draw no picture
        # between two inputs, and then misses the drag; so it is repeated.
        def drag_edge():
            for step in (lambda: w.move(left, y), lambda: w.xdo("mousedown", 1), lambda: w.move(left - 30, y),
                         lambda: w.xdo("mouseup", 1)):
                step()
                time.sleep(0.3)
            return abs(w.events("panel")[-1]["items"]["panel edge"][0] - left + 30) < 2
        w.wait_for("a wider panel", drag_edge)
        # The panel moves to the left edge of the window.
        w.xdo("mousemove", *w.item("text size"), "click", "--repeat", 40, "--delay", 10, 5)
        w.click("panel side")
        w.click("panel side:left")
        w.wait_for("the panel at the left edge", lambda: w.item("panel edge")[0] > w.item("panel side")[0])
        # The plots can be at the bottom of the window. The picture is then above them: the middle of this part of the
        # window shows the target of the camera, at the height z = 1, and the mouse picks this point.
        w.xdo("mousemove", *w.item("text size"), "click", "--repeat", 40, "--delay", 10, 4)
        w.click("Plots")
        w.click("Show plots at the bottom")
        w.click("plots: panel")
        w.wait_for("the plots in the panel", lambda: not w.shows("plots: panel"))
        w.click("Show plots at the bottom")
        w.key("Tab")
        w.wait_for("the plots without a panel", lambda: w.shows("plots: panel") and not w.shows("Pause"))
        (x, edge), count = w.item("plots edge"), len(w.events("pick"))
        assert 150 < edge < 250, edge
        w.key("F6")
        looks(w, "the view without perspective", [0, 0, 1], 0, 4)
        w.move(350, edge / 2)
        time.sleep(0.3)
        w.xdo("mousedown", 1)
        w.wait_for("a pull", lambda: len(w.events("pick")) > count)
        w.xdo("mouseup", 1)
        picked = w.events("pick")[-1]
        assert abs(picked["point"][2] - 1) < 0.05 and math.dist(picked["pixel"], picked["cursor"]) < 2, picked

        def drag_plots():
            for step in (lambda: w.move(x, edge), lambda: w.xdo("mousedown", 1), lambda: w.move(x, edge + 30),
                         lambda: w.xdo("mouseup", 1)):
                step()
                time.sleep(0.3)
            return abs(w.events("panel")[-1]["items"]["plots edge"][1] - edge - 30) < 2
        w.wait_for("lower plots", drag_plots)
        w.leave()
    stored = json.loads(look.read_text())
    assert stored["docked"] and 13 < stored["dock_height"] < 15, stored
    assert stored["hints"] == 5 and stored["text_size"] == 0.875 and stored["theme"] == "dark", stored
    assert stored["panel_side"] == "left", stored
    assert abs(stored["panel_width"] - 25 - 30 / (15 * 0.875)) < 0.2, stored
    samples, width, size = pixels(shot)
    at = (150 * width + 12) * size  # a pixel of the toolbar, between its edge and its icons
    assert min(samples[at:at + 3]) > 180, samples[at:at + 3]
print("views are stored, recalled and saved; the look of the window is stored")

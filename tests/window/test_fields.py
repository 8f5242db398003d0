#!/usr/bin/env python3
"""Tests the panel: a typed number applies when its input field is left, and an error message has the label of the
field. The key F selects only displayed fields (quantities such as stress) that have values. The range of colours can be
reset, dragged in the legend, and chosen by percentiles. Exit status 77: Xvfb or xdotool is missing.

usage: test_fields.py PLIANT
"""
import json
import pathlib
import sys
import tempfile
import time

from driver import Window

YOUNG = 2000

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    scene = folder / "box.json"
    scene.write_text(json.dumps({"shapes": {"kind": "box", "size": [1, 1, 2], "cells": 2}, "pins": {"z": [None, 0.1]},
                                 "young": YOUNG, "poisson": 0.3, "density": 10, "damping": 5, "device": "cpu"}))
    with Window(pathlib.Path(sys.argv[1]).resolve(), scene, size=(900, 760), cwd=folder,
                home=folder) as w:
        def now():
            return w.events("settings")[-1]

        def messages():
            return [line["text"] for line in w.events("message")]

        def type_into(name, text, *leave):
            w.click(name)
            time.sleep(0.4)
            w.xdo("key", "ctrl+a")
            w.xdo("type", "--delay", 60, "--", text)
            time.sleep(0.4)
            if leave:
                w.quick(*leave)

        def typed(name, text, *leave):
            """Types a text into the input field `name`, and leaves the field by the keys `leave`. Returns the values of
            Young's modulus that the program sets meanwhile."""
            count = len(w.events("settings"))
            type_into(name, text, *leave)
            time.sleep(0.6)
            return [line["young"] for line in w.events("settings")[count:]]

        # The key F selects the next quantity to display. Contact pressure is one of them only with self_contact.
        fields = []
        for _ in range(4):
            count = len(w.events("settings"))
            w.key("f")
            w.wait_for("another field", lambda: len(w.events("settings")) > count)
            fields.append(now()["field"])
        assert fields == ["von_mises", "principal", "j", "none"], fields

        # types numbers into the panel
        w.key("Tab")
        assert typed("young", "3e9", "Return") == [3e9], "the number took effect before Enter"
        assert typed("young", "4e5", "Tab") == [4e5], "the number has no effect after Tab"
        assert typed("young", "7e7", "Escape") == [], "Esc does not discard the number"
        assert typed("young", "6e6") == [], "the number took effect before the field was left"
        w.click_at(200, 700)
        w.settings("a number whose field was left by a click", lambda now: now["young"] == 6e6)
        assert typed("young", "-5", "Return") == [], "a modulus below 0 was accepted"
        assert messages()[-1] == "Young's modulus must be more than 0 Pa, not -5", messages()
        assert typed("young", "1e99", "Return") == [], "a modulus beyond the range of float was accepted"
        assert messages()[-1].startswith("Young's modulus: "), messages()
        assert typed("poisson", "0.7", "Return") == [], "a Poisson's ratio above 0.5 was accepted"
        assert messages()[-1].startswith("Poisson's ratio must be "), messages()
        # Refused fields are red until the user edits them.
        w.wait_for("two red fields", lambda: w.shows("refused:young") and w.shows("refused:poisson"))
        w.click("poisson")
        w.wait_for("one red field", lambda: w.shows("refused:young") and not w.shows("refused:poisson"))
        w.key("Escape")
        type_into("gravity", "1.5", "Return")
        w.settings("gravity", lambda now: 1.5 in now["gravity"] and now["young"] == 6e6)
        w.key("ctrl+z")
        w.settings("no gravity", lambda now: now["gravity"] == [0, 0, 0])
        assert typed("young", str(YOUNG), "Return") == [YOUNG]
        w.click("Solver")
        w.item("device")  # the tab is shown
        assert not w.shows("newton max"), "a setting for advanced users is shown"
        w.click("Advanced")
        look = folder / "pliant/look.json"
        w.wait_for("the stored state of the group",
                   lambda: look.exists() and json.loads(look.read_text()).get("advanced"))
        type_into("newton max", "0", "Return")
        w.wait_for("a red field", lambda: w.shows("refused:newton max"))
        type_into("newton max", "7", "Return")
        time.sleep(0.4)

        # The range of colours grows while the body is pulled. A button resets it, and so does a reset of the
        # simulation.
        def save():
            saved = len([text for text in messages() if text.startswith("saved: ")])
            w.key("ctrl+s")
            w.wait_for("saving", lambda: len([m for m in messages() if m.startswith("saved: ")]) > saved)
            return json.loads((folder / "box-1.json").read_text())

        def width():
            low, high = save()["color_range"]
            return high - low

        def pull():
            w.move(300, 420)
            time.sleep(0.3)
            count = len(w.events("pick"))
            w.xdo("mousedown", 1)
            w.wait_for("a pull", lambda: len(w.events("pick")) > count)
            w.move(120, 420)
            time.sleep(1)
            w.xdo("mouseup", 1)
            w.move(80, 40)
            time.sleep(4)

        w.click("View")
        w.click("field")
        w.click("field:von_mises")
        w.settings("colours", lambda now: now["field"] == "von_mises")
        pull()
        wide = width()
        w.click("Reset range")
        time.sleep(0.5)
        narrow = width()
        assert narrow < wide / 4, f"the button leaves the range at {narrow} of {wide}"
        pull()
        wide = width()
        w.click("Reset")
        time.sleep(1)
        narrow = width()
        assert narrow < wide / 4, f"a reset leaves the range at {narrow} of {wide}"

        # The mouse drags the upper end of the legend to its middle, which fixes the range. Undo restores the range.
        def drag_legend(name, part):
            (x, top), bottom = w.item("legend high"), w.item("legend low")[1]
            y = w.item(name)[1]
            w.move(x, y)
            time.sleep(0.4)
            w.xdo("mousedown", 1)
            time.sleep(0.4)
            w.move(x, y + part * (top - bottom))
            time.sleep(0.4)
            w.xdo("mouseup", 1)
            w.move(80, 40)
            time.sleep(0.4)

        low, high = save()["color_range"]
        drag_legend("legend high", -0.5)
        fixed = save()["color_range"]
        assert fixed[0] == low and abs(fixed[1] - (low + high) / 2) < 0.02 * (high - low), (fixed, low, high)
        assert all(float(f"{end:.4g}") == end for end in fixed), f"the limits are not rounded: {fixed}"
        drag_legend("legend low", 2)  # drags the lower end above the upper one, but it must stay below it
        fixed = save()["color_range"]
        assert low < fixed[0] < fixed[1] < high, (fixed, low, high)
        w.key("ctrl+z")
        time.sleep(1)
        assert save()["color_range"][0] == low, "undo does not restore the range"

        # Percentiles are chosen in the panel. A saved scene then has the percentiles in place of the fixed range.
        w.click("field range")
        w.click("field range:percentiles")

        def choose_percentile():
            """On a busy machine the field may get the keyboard only after the text was typed."""
            type_into("range percentile", "10", "Return")
            saved = save()
            return saved if saved.get("range_percentile") == 10 else None

        saved = w.wait_for("a percentile in the saved scene", choose_percentile)
        assert saved["field_range"] == "percentiles" and saved.get("color_range") is None, saved
        w.key("Tab")
        w.leave()
    print("numbers take effect when their field is left; fields and the range of colours work")

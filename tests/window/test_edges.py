#!/usr/bin/env python3
"""Types the ends of the range of each number field of the panel, values just outside of it, and words that are no
numbers. Values in the range are saved with the scene; others are refused and change nothing. Chooses each entry of each
list, and clicks each check box twice. Exit status 77: Xvfb or xdotool is missing.

usage: test_edges.py PLIANT
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from editor import EditedWindow

SCENE = {"shapes": {"kind": "box", "size": [1, 1, 2], "cells": 2}, "pins": {"z": [None, 0.1]}, "young": 2000,
         "poisson": 0.3, "density": 10, "material": "mooney_rivlin", "color_range": None, "device": "cpu"}
# Ranges that are smaller than those in the help: Poisson's ratio of this material is 0 or more, as its lambda is, and
# newton_relative may be 0 only with a newton_absolute. In scene files, a mouse_radius of 0 means the default.
SMALLER = {"poisson": ([0.01, 0.49], [-0.01, 0.5]), "newton_relative": ([1e-9, 1], [0, -1, 3]),
           "mouse_radius": ([0.001, 7], [0, -1])}
TABS = {"Body": "young", "Solver": "dt", "View": "field"}  # tabs and one of their fields
NO_NUMBERS = ("1e999", "-", "nan")
BOXES = ("floor", "wireframe", "show pins", "orthographic", "xray", "reflections", "scale bar", "section")

pliant = pathlib.Path(sys.argv[1]).resolve()


def options():
    """Returns {key: range} and {key: choices} of the options in the program's help. The range is a text."""
    text = subprocess.run([pliant, "--help"], check=True, text=True, stdout=subprocess.PIPE).stdout
    ranges, choices = {}, {}
    for line in text.split("\n"):
        option = re.match(r"  --([a-z-]+) +(\S*)", line)
        if not option:
            continue
        key, wanted = option.group(1).replace("-", "_"), re.search(r"\[(?:[^];]*; )?([^];]*)\]$", line)
        if "|" in option.group(2):
            choices[key] = option.group(2).split("|")
        if wanted:
            ranges[key] = wanted.group(1)
    return ranges, choices


def ends(words):
    """Returns numbers in the range that the help describes by `words`, and numbers outside of it; None: no range."""
    number = r"(-?[\d.e+-]+)"
    if match := re.fullmatch(f"{number} to {number}", words):
        low, high = map(float, match.groups())
        return [low, high], [low - 1, 2 * high + 1]
    if match := re.fullmatch(f"more than {number} and less than {number}", words):
        low, high = map(float, match.groups())
        return [low + 0.01, high - 0.01], [low, high]
    if match := re.fullmatch(f"more than {number}", words):
        return [float(match.group(1)) + 0.001, 7], [float(match.group(1)), -1]
    if match := re.fullmatch(f"{number} or more", words):
        return [float(match.group(1)), 7], [float(match.group(1)) - 1]
    return None


def is_near(number, wanted):
    return number == "default" or abs(number - wanted) <= 1e-5 * abs(wanted)


class Panel(EditedWindow):
    def keys(self, rows):
        """Returns {key: name of its widget} of those options that the open tab shows."""
        return {key: key.replace("_", " ") for key in rows if self.place(key.replace("_", " "))}

    def enter(self, name, text, dx=0):
        """Types a text into a number field. dx: distance from its middle to the click, pixels."""
        x, y = self.item(name)
        self.click_at(x + dx, y)
        self.xdo("sleep", 0.3, "key", "ctrl+a", "type", "--delay", 20, "--", text)
        self.quick("Return")
        self.xdo("sleep", 0.4)

    def refuses(self, name):
        self.wait_for(f"refusal of {name}", lambda: self.shows(f"refused:{name}"))

    def accepts(self, name, text, dx=0):
        self.enter(name, text, dx)
        self.wait_for(f"{name} with {text}", lambda: not self.shows(f"refused:{name}"), patience=5)

    def value_of(self, key, path):
        """Returns the present value of a number. A saved scene has no value that is the default one, and mu and lambda
        in place of young and poisson."""
        now, saved = self.events("settings")[-1], self.saved(path)
        return now[key] if key in ("young", "poisson") else saved.get(key, "default")


def test_numbers(w, path, ranges, tested):
    """Tests the number fields of the open tab. Adds their keys to `tested`."""
    for key, name in w.keys(ranges).items():
        known = SMALLER.get(key) or ends(ranges[key])
        if not known or key in tested or key == "text_size":  # the latter is a list in the panel
            continue
        for value in known[0]:
            w.accepts(name, f"{value:g}")
            w.wait_for(f"{key} {value:g}", lambda key=key, value=value: is_near(w.value_of(key, path), value), 0.3)
            kept = w.value_of(key, path)
        for text in [f"{value:g}" for value in known[1]] + list(NO_NUMBERS):
            w.enter(name, text)
            if text not in NO_NUMBERS:
                w.refuses(name)
            now = w.value_of(key, path)
            assert now == kept, f"{name}: {text} changes {kept} to {now}"
        tested.add(key)


def test_lists(w, path, choices, tested):
    """Chooses each entry of the lists of the open tab. A list of devices or integrators has only those entries that are
    possible for the scene on this computer."""
    for key, name in w.keys(choices).items():
        if key == "theme":  # the choices of the option and of the panel differ
            continue

        def entries(name=name):
            return [item for item in w.events("panel")[-1]["items"] if item.startswith(f"{name}:")]
        w.click(name)
        shown = w.wait_for(f"the list {name}", entries)
        w.quick("Escape")
        for entry in shown:
            w.wait_for(f"the list {name} without entries", lambda entries=entries: not entries())
            w.click(name)
            w.click(entry)
            w.xdo("sleep", 0.4)
            choice, saved = entry.split(":")[1], w.saved(path).get(key, "default")
            assert saved in (choice, "default"), (key, choice, saved)
        assert set(shown) <= {f"{name}:{choice}" for choice in choices[key]}, (shown, choices[key])
        tested.add(key)


def test_boxes(w, path, tested):
    """Clicks the check boxes of the open tab twice. The scene is then the same as before."""
    for key in BOXES:
        if not w.place(key):
            continue
        before = w.saved(path)
        w.click(key)
        w.xdo("sleep", 0.4)
        changed = w.saved(path)
        w.click(key)
        w.xdo("sleep", 0.4)
        assert w.saved(path) == before != changed, key
        tested.add(key)


def test_others(w):
    """Tests fields whose ranges are not in the help."""
    w.click("Body")
    for text in ("1e-3", "1e6"):
        w.accepts("mouse", text)
    for text in ("0", "-1", "1e999"):
        w.enter("mouse", text)
        w.refuses("mouse")
    for dx in (-60, 0, 60):  # the three components of gravity
        w.accepts("gravity", "-9.81", dx)
        w.accepts("gravity", "0", dx)
    w.click("View")
    w.click("section")
    for text in ("0", "1"):
        w.accepts("at", text)
    for text in ("-0.01", "1.01", "1e999"):
        w.enter("at", text)
        w.refuses("at")
    w.click("section")
    w.click("Files")
    for text in ("8192", "16"):
        w.accepts("size", text, -40)
        w.accepts("frames/s", "30")


def test_recording(w):
    """Tests the fields of a recording, which are used when it begins."""
    w.click("Files")
    for name, refused, accepted in (("size", ("15", "8193"), "16"), ("frames/s", ("0", "1e999", "-1"), "30"),
                                    ("film name", ("a/b.mp4", "film.xyz"), "film.webp")):
        for text in refused:
            w.enter(name, text, -40)
            w.click("Record")
            w.refuses(name)
        w.accepts(name, accepted, -40)


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    (folder / "box.json").write_text(json.dumps(SCENE))
    path, tested = folder / "box-1.json", set()
    ranges, choices = options()
    with Panel(pliant, folder / "box.json", size=(900, 1000), cwd=folder, home=folder) as w:
        w.key("Tab")
        w.click("Pause")
        w.click("Advanced")
        for tab, first in TABS.items():
            w.click(tab)
            w.wait_for(f"the tab {tab}", lambda first=first: w.shows(first))
            test_numbers(w, path, ranges, tested)
            test_lists(w, path, choices, tested)
            test_boxes(w, path, tested)
        test_others(w)
        test_recording(w)
        w.key("Tab")
        w.leave()
    print(f"{len(tested)} fields accept the ends of their ranges, and refuse other values")

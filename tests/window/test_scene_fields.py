#!/usr/bin/env python3
"""Types a wrong value into each text field of the tab Scene, for an entry of each kind: it is refused, and the scene
does not change. Then types valid values, among them the ends of ranges: the saved scene has them, and undo removes
them. Exit status 77: Xvfb or xdotool is missing.

usage: test_scene_fields.py PLIANT
"""
import json
import pathlib
import sys
import tempfile

from editor import EditedWindow

pliant = pathlib.Path(sys.argv[1]).resolve()
BOX = {"kind": "box", "size": [1, 1, 1], "cells": 2}
TOP = {"body": 0, "z": [1.4, None]}
SCENES = {
    "bodies": {"bodies": [{"name": "low", "shape": BOX, "place": [0, 0, 1]},
                          {"shape": {**BOX, "kind": "sphere"}, "place": [0, 0, 3]}],
               "obstacles": [{"kind": "sphere", "at": [5, 0, 0], "radius": 1},
                             {"kind": "box", "at": [-5, 0, 0], "size": [1, 1, 1]},
                             {"kind": "capsule", "from": [0, 5, 0], "to": [0, 6, 0], "radius": 0.5},
                             {"kind": "plane", "at": [0, 0, -2], "normal": [0, 0, 1]}],
               "pins": [{"body": 0, "z": [None, 1.1]}],
               "forces": [{"region": TOP, "total": [1, 0, 0]}, {"region": TOP, "pressure": 5}],
               "drags": [{"grab": {"center": [0, 0, 2], "radius": 0.6}, "path": [[0, 0, 0, 0], [1, 0, 0, 0.1]]}],
               "materials": [{"region": TOP, "stiffness": 2}],
               "cuts": [{"time": 1, "point": [0, 0, 1.5], "normal": [0, 0, 1]}],
               "young": 1e5, "gravity": [0, 0, 0]},
    "shapes": {"shapes": [{**BOX, "at": [0, 0, 0]}], "young": 1e5, "gravity": [0, 0, 0]},
    "mesh": {"mesh": "meshes/sphere_63.msh", "young": 1e5, "gravity": [0, 0, 0]}}
# key -> valid values with their JSON; keys without an entry get only a wrong value
VALID = {"name": {"one": "one"}, "size": {"1, 0.5, 2": [1, 0.5, 2]}, "cells": {"1": 1, "3": 3}, "scale": {"0.5": 0.5},
         "young": {"1": 1, "1e9": 1e9}, "density": {"0.001": 0.001}, "poisson": {"0.45": 0.45}, "damping": {"0.5": 0.5},
         "place": {"0.1, 0, 1": [0.1, 0, 1]}, "velocity": {"0, 0, 1": [0, 0, 1]}, "color": {"0, 0.5, 1": [0, 0.5, 1]},
         "roughness": {"0": 0, "1": 1}, "transparency": {"0.9": 0.9}, "friction": {"0.25": 0.25, "2": 2},
         "normal": {"0, 1, 1": [0, 1, 1]}, "from": {"0, 4.5, 0": [0, 4.5, 0]}, "to": {"1, 6, 0": [1, 6, 0]},
         "axes": {"z": "z", "xy": "xy"}, "pressure": {"-3": -3}, "total": {"0, 0, 7": [0, 0, 7]},
         "stiffness": {"0.1": 0.1}, "time": {"0": 0}, "point": {"0, 0, 1.4": [0, 0, 1.4]}, "reach": {"0.3": 0.3}}


class Fields(EditedWindow):
    def keys(self):
        """Returns the names of the shown keys of the selected entry with text fields."""
        return sorted(item[4:] for item in self.events("panel")[-1]["items"] if item.startswith("key:"))

    def words(self, key):
        """Returns the words of the list that a click on a key has opened; empty: the key has a text field."""
        self.click(f"refused:{key}" if self.place(f"refused:{key}") else f"key:{key}")
        self.xdo("sleep", 0.6)
        return [item.split(":")[2] for item in self.events("panel")[-1]["items"] if item.startswith(f"key:{key}:")]

    def write(self, key, text):
        assert not self.words(key)
        self.quick("ctrl+a", "BackSpace")
        self.xdo("type", "--delay", 15, "--", text)
        self.quick("Return")

    def refuses(self, key, text, path, kept):
        self.write(key, text)
        self.wait_for(f"the refusal of {key}", lambda: self.shows(f"refused:{key}"))
        assert self.saved(path) == kept, (key, text)


def inner(entry, key):
    """Returns the value of a key such as "region.z" of an entry, or the entry if it is the value of the key; None: the
    entry has no such key."""
    if not isinstance(entry, dict):
        return entry
    for word in key.split("."):
        entry = entry.get(word) if isinstance(entry, dict) else None
    return entry


def differences(now, then):
    """Returns the entries of lists and the keys of a scene that differ."""
    def items(scene, key):
        value = scene.get(key, [])
        return value if isinstance(value, list) else [value]
    return [(key, index, entry) for key in now for index, entry in enumerate(items(now, key))
            if items(then, key)[index:index + 1] != [entry]]


def test_entry(w, path, entry):
    """Tests the fields of an entry. Returns their number."""
    w.select(entry)
    keys = w.wait_for("keys", w.keys)
    for key in keys:
        kept = w.saved(path)
        words = w.words(key)
        w.quick("Escape")
        for word in words:
            if word in (inner(item, key) for _, _, item in differences(kept, {})) or not word:
                continue
            w.words(key)
            scenes = len(w.events("start"))
            w.click(f"key:{key}:{word}")
            w.wait_for("an answer", lambda key=key, scenes=scenes: w.shows(f"refused:{key}") or
                       len(w.events("start")) > scenes)
            if w.shows(f"refused:{key}"):  # a torus of the size of the box, for example
                assert w.saved(path) == kept, (entry, key, word)
                continue
            changed = differences(w.saved(path), kept)
            assert any(inner(item, key) == word for _, _, item in changed), (entry, key, word, changed)
            w.edited(lambda: w.key("ctrl+z"))
            assert w.saved(path) == kept, (entry, key, word)
        if words:
            continue
        w.refuses(key, "{", path, kept)
        for text, value in VALID.get(key.split(".")[-1], {}).items():
            w.edited(lambda key=key, text=text: w.write(key, text))
            changed = differences(w.saved(path), kept)
            assert any(inner(item, key) == value for _, _, item in changed), (entry, key, text, changed)
            w.edited(lambda: w.key("ctrl+z"))
            assert w.saved(path) == kept, (entry, key, text)
    return len(keys)


with tempfile.TemporaryDirectory() as folder:
    folder, tested = pathlib.Path(folder), 0
    for name, scene in SCENES.items():
        (folder / f"{name}.json").write_text(json.dumps(scene))
        with Fields(pliant, "--antialias", "off", "--occlusion", "off", "--max-fps", "10", "--device", "cpu",
                    f"{name}.json", size=(760, 1400), cwd=folder, home=folder) as w:
            w.key("space", "Tab")
            w.click("Scene")
            w.wait_for("entries", lambda: [i for i in w.events("panel")[-1]["items"] if i.startswith("entry:")])
            entries = [i[6:] for i in w.events("panel")[-1]["items"] if i.startswith("entry:") and i != "entry:scene"]
            for entry in entries:
                tested += test_entry(w, folder / f"{name}-1.json", entry)
            w.key("Tab")
            w.leave()
    print(f"{tested} fields of the tab Scene accept valid values and refuse wrong ones")

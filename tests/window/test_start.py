#!/usr/bin/env python3
"""Opens the start page: `pliant` without a file shows it, as do --start and the key Home. A click on an example, on a
recent file or on "New scene" opens this scene. Esc or a press outside of the page closes it. Exit status 77: Xvfb or
xdotool is missing.

usage: test_start.py PLIANT
"""
import json
import pathlib
import sys
import tempfile

from driver import ASSETS, Window

pliant = pathlib.Path(sys.argv[1]).resolve()
BOX = {"shapes": {"kind": "box", "size": [1, 1, 1], "cells": 2}, "floor": -1}
FAST = ("--antialias", "off", "--occlusion", "off", "--max-fps", "8", "--device", "cpu")

pictures = sorted((ASSETS / "pictures").glob("*.png"))
assert sum(picture.stat().st_size for picture in pictures) < 200_000
for picture in pictures:
    assert any((ASSETS / f"scenes/{picture.stem}{end}.json").exists() for end in ("", "_coarse")), picture

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    (folder / "box.json").write_text(json.dumps(BOX))
    (folder / "pliant").mkdir()
    recent = folder / "pliant/recent"
    recent.write_text(f"{folder / 'missing.json'}\n{folder / 'box.json'}\n{ASSETS.resolve() / 'scenes/drop.json'}\n")
    with Window(pliant, *FAST, size=(560, 360), home=folder, cwd=folder) as w:
        def items(kind):
            """Returns the names of the page's widgets of a kind; none if the page is closed."""
            panels = w.events("panel")
            return [name.split(":")[1] for name in panels[-1]["items"] if name.startswith(kind + ":")] if panels else []

        def nodes():
            return w.events("start")[-1]["nodes"]

        def opened(name):
            """Clicks a widget of the page. Waits until another scene is shown and the page is closed."""
            scenes = len(w.events("start"))
            w.click(name)
            w.wait_for("another scene", lambda: len(w.events("start")) == scenes + 1)
            w.wait_for("no page", lambda: not items("start"))

        def open_page():
            w.key("Home")
            w.wait_for("the start page", lambda: items("start"))

        # Without a file, the page is over the hand. Shipped examples are not listed as recent files.
        w.wait_for("the start page", lambda: items("start"))
        assert items("recent") == ["missing.json", "box.json"], items("recent")
        hand = nodes()
        opened("start page: new")
        assert nodes() < hand and w.settings("a pause", lambda s: s["paused"])

        # a file that does not exist gives a message, and the present scene stays
        open_page()
        w.click("recent:missing.json")
        w.wait_for("a message", lambda: any("missing.json" in m["text"] for m in w.events("message")))
        open_page()
        opened("recent:box.json")
        assert nodes() == 27
        assert recent.read_text().split("\n")[0] == str((folder / "box.json").resolve())

        # a new scene from the list of commands closes the page too
        open_page()
        w.quick("ctrl+p")
        w.wait_for("the list of commands", lambda: w.shows("palette"))
        w.xdo("type", "--delay", 10, "new scene")
        w.quick("Return")
        w.wait_for("no page", lambda: not items("start"))

        # Esc closes the page and not the window, as does a press outside of the page.
        open_page()
        w.quick("Escape")
        w.wait_for("no page", lambda: not items("start"))
        open_page()
        w.click_at(556, 356)
        w.wait_for("no page", lambda: not items("start"))
        open_page()
        w.click("start page: open")
        w.item("Cancel")
        assert not items("start")
        w.click("Cancel")
        w.leave()

    # --start shows the page over a given scene. The list has each example with its picture.
    with Window(pliant, *FAST, "--start", "--text-size", "0.75", "box.json", size=(760, 400), home=folder,
                cwd=folder) as w:
        w.wait_for("all examples", lambda: len(items("start")) == len(pictures))
        assert not w.events("clipped"), w.events("clipped")
        opened("start:Stiff and soft")
        assert nodes() != 27
        w.leave()
    # a script that asks for some frames gets the scene without the page
    with Window(pliant, *FAST, "--frames", "1", home=folder, cwd=folder) as w:
        w.process.communicate(timeout=60)
        assert not items("start")
print("the start page opens examples, recent files and a new scene")

#!/usr/bin/env python3
"""Tests the command palette (Ctrl+P), a list of commands and settings with a search field. Each command is found by its
name and has its effect, typed words match in any order, and a setting opens its row of the panel for typing. Exit
status 77: Xvfb or xdotool is missing.

usage: test_palette.py PLIANT
"""
import json
import pathlib
import sys
import tempfile
import time

from driver import Window

BOX = {"shapes": {"kind": "box", "size": [1, 1, 2], "cells": 2}, "pins": {"z": [None, 0.1]}, "young": 2000,
       "poisson": 0.3, "density": 10, "device": "cpu"}

folder = tempfile.TemporaryDirectory()
scene = pathlib.Path(folder.name) / "box.json"
scene.write_text(json.dumps(BOX))
film = pathlib.Path(folder.name) / "film"

pliant = pathlib.Path(sys.argv[1]).resolve()
FAST = ("--antialias", "off", "--occlusion", "off")  # fewer effects save time, since the CPU draws the pictures

with Window(str(pliant), "--record", film, *FAST, scene, size=(440, 360), cwd=folder.name) as w:
    done = set()

    def now():
        return w.events("settings")[-1]

    def view():
        line = w.events("view")[-1]
        return (*line["target"], line["distance"], *line["turn"])

    def lines():
        """Returns the lines of the palette that are visible, the best match first."""
        items = w.events("panel")[-1]["items"]
        return [name for name in items if name.startswith(("command:", "setting:"))]

    def search(text):
        w.quick("ctrl+p")
        w.wait_for("the palette", lambda: w.shows("palette"))
        w.xdo("type", "--delay", 10, text)

    def choose(text):
        search(text)
        w.quick("Return")
        w.wait_for("the palette closed", lambda: not w.shows("palette"))

    def run(name):
        choose(name)
        done.add(name[:22])

    def seen(name, condition):
        run(name)
        w.wait_for(f"the effect of {name}", condition)

    def says(name, text):
        count = len(w.events("message"))
        seen(name, lambda: [m for m in w.events("message")[count:] if text in m["text"]])

    def undoes_view(name):
        run(name)
        says("undo", "undone: the view")

    # Reads all lines of the list; the key Page Down shows the next ones. The simulation is paused first, so that the
    # window draws few pictures.
    seen("pause or play", lambda: now()["paused"])
    w.quick("ctrl+p")
    w.wait_for("the palette", lambda: w.shows("palette"))
    commands, settings = [], []
    for _ in range(40):
        before = lines()
        commands += [name[8:] for name in before if name.startswith("command:") and name[8:] not in commands]
        settings += [name[8:] for name in before if name.startswith("setting:") and name[8:] not in settings]
        w.quick("Next")
        try:
            w.wait_for("other lines", lambda: lines() != before, 0.05, patience=0.7)
        except AssertionError:
            break
    assert "density" in settings and "Newton tolerance" in settings and "matrix" in settings, settings
    w.quick("Escape")
    w.wait_for("the palette closed", lambda: not w.shows("palette"))
    seen("pause or play", lambda: not now()["paused"])

    # Typed words match in any order, in name and help of a command, without regard to case. A command must contain
    # every typed word.
    search("PULLS pins")
    w.wait_for("the commands about pins and pulls", lambda: "command:release all" in lines()
               and "command:reset" in lines() and "command:step" not in lines())
    w.xdo("type", "--delay", 10, " qwertz")
    w.wait_for("no match", lambda: w.shows("no match") and not lines())
    w.quick("Return")
    time.sleep(0.2)
    assert w.shows("palette")
    w.quick(*["BackSpace"] * 7)
    w.wait_for("lines", lambda: "command:release all" in lines())
    before = now()
    # Esc closes only the palette. None of the typed letters has acted as a key of the window.
    w.quick("Escape")
    w.wait_for("the palette closed", lambda: not w.shows("palette"))
    assert now() == before and not w.events("message"), (before, now())

    # Commands that pause the simulation, move on its timeline or change its speed.
    time.sleep(0.5)
    seen("step", lambda: now()["paused"])
    seen("step back", lambda: now()["behind"] == 1)
    seen("ten steps back", lambda: now()["behind"] == 11)
    seen("step forward", lambda: now()["behind"] == 10)
    seen("ten steps forward", lambda: now()["behind"] == 0)
    seen("play backwards", lambda: now()["behind"] > 5)
    seen("slower", lambda: now()["speed"] == 0.5)
    seen("faster", lambda: now()["speed"] == 1)

    # Commands that keep and release a pull, undo and redo.
    w.move(220, 200)  # a point of the body
    time.sleep(0.3)
    w.xdo("mousedown", 1)
    w.wait_for("a pull", lambda: w.events("pick"))
    w.move(205, 210)
    seen("keep pull", lambda: now()["kept"] == 1)
    w.xdo("mouseup", 1)
    seen("reset", lambda: now()["kept"] == 0)
    says("undo", "undone: pins and pulls")
    w.settings("the pull", lambda now: now["kept"] == 1)
    says("redo", "redone: pins and pulls")
    w.settings("no pull", lambda now: now["kept"] == 0)
    says("undo", "undone: pins and pulls")
    w.settings("the pull", lambda now: now["kept"] == 1)
    seen("release all", lambda: now()["kept"] == 0)

    # Commands that change the view.
    for name in ("view front", "view side", "view top", "view back", "view other side", "view bottom", "rotate left",
                 "rotate right", "rotate up", "rotate down", "view all", "reset camera"):
        if name == "view all":
            distance = view()[3]
            w.move(410, 60)
            w.xdo("click", 4)
            w.wait_for("zoom", lambda: view()[3] != distance)
        before = view()
        seen(name, lambda: view() != before)
    for number in range(1, 5):
        says(f"store view {number}", f"view {number} is stored; F{number + 4} shows it again")
        before = view()
        seen("rotate left", lambda: view() != before)
        before = view()
        seen(f"view {number}", lambda: view() != before)
    seen("next colours", lambda: now()["field"] == "von_mises")
    for name in ("edges", "pins", "section plane", "orthographic view", "x-ray", "fit range"):
        undoes_view(name)
    run("fit range")
    undoes_view("restart range")
    run("values")
    seen("jelly", lambda: abs(now()["young"] / 3e3 - 1) < 1e-9)

    # Commands that write files, and commands that open and close the browser, the pages and the panel.
    says("save", "saved: ")
    says("picture", "picture: ")
    seen("open", lambda: w.shows("file:box.json"))
    seen("close", lambda: not w.shows("file:box.json"))
    seen("messages", lambda: w.shows("messages"))
    seen("clear messages", lambda: not w.shows("information:1"))
    seen("messages", lambda: not w.shows("messages"))
    assert not w.shows("hint: end"), "hints in a test"
    seen("show hints again", lambda: w.shows("hint:pull"))
    w.click("hint: end")
    w.wait_for("no hint", lambda: not w.shows("hint: end"))
    seen("start page", lambda: w.shows("start page: close"))
    seen("close", lambda: not w.shows("start page: close"))
    seen("all keys", lambda: w.shows("all keys"))
    seen("all keys", lambda: not w.shows("all keys"))
    run("record")
    says("record", f"in {film}")
    # A turn of the camera is recorded also while the simulation is paused, here as an animated GIF. Names without a
    # known ending are refused.
    choose("film name")
    w.wait_for("the row", lambda: w.shows("film name"))

    def name_film(name):
        w.click("film name")
        w.quick("ctrl+a")
        w.xdo("type", "--delay", 10, name)
        w.quick("Return")
    name_film("turn.avi")
    says("record turntable", "must end in .mp4, .webp or .gif")
    w.wait_for("the red field", lambda: w.shows("refused:film name"))
    name_film("turn.gif")
    w.xdo("click", "--repeat", 4, 5)  # the wheel shows the end of the tab
    w.click("frames/s")
    w.quick("ctrl+a")
    w.xdo("type", "--delay", 10, "1")
    w.quick("Return")
    seen("pause or play", lambda: now()["paused"])
    says("record turntable", "Frames recorded: 6, in")
    turn = max(film.parent.glob("film*/turn.gif"), key=lambda path: path.stat().st_mtime)
    assert turn.read_bytes()[:3] == b"GIF" and len(list(turn.parent.glob("*.png"))) == 6, turn
    seen("pause or play", lambda: not now()["paused"])
    before = view()
    seen("turntable", lambda: view() != before)
    says("turntable", "the camera stands still")
    w.click("Body")
    w.key("Tab")
    w.wait_for("no panel", lambda: not w.shows("film name"))
    says("smaller text", "text size 0.875")
    says("larger text", "text size 1")
    says("normal text", "text size 1")
    says("switch panel side", "the panel is at the left edge of the window")
    says("switch panel side", "the panel is at the right edge of the window")
    says("switch theme", "theme: light")
    seen("panel", lambda: w.shows("Step"))
    buttons = w.events("panel")[-1]["items"]
    seen("panel", lambda: not w.shows("Step"))
    seen("plots at the bottom", lambda: w.shows("plots: panel"))
    seen("plots at the bottom", lambda: not w.shows("plots: panel"))
    search("all commands")
    w.quick("Return")
    done.add("all commands")
    time.sleep(0.3)
    assert w.shows("palette")
    w.quick("Escape")

    # If a setting is chosen, its row of the panel opens, and a number that is typed next goes into its input field.
    # Within the field, Ctrl+P opens the palette again.
    choose("density")
    w.wait_for("the row", lambda: w.shows("density"))
    time.sleep(0.4)
    w.quick("ctrl+a", "3", "2", "1", "Return")
    w.settings("the typed density", lambda now: now["density"] == 321)
    choose("tolerance newton")
    w.wait_for("the row", lambda: w.shows("newton relative"))
    time.sleep(0.4)
    w.quick("1")
    choose("section")
    w.wait_for("the row", lambda: w.shows("section"))
    choose("floor")
    w.wait_for("the row", lambda: w.shows("floor"))
    choose("matrix")
    w.wait_for("the row", lambda: w.shows("matrix"))

    # A click with the mouse also chooses a command.
    search("close")
    w.click("command:close")
    w.wait_for("the panel closed", lambda: not w.shows("matrix"))

    # Commands that choose the tool of the left mouse button.
    def tool():
        return w.events("tool")[-1]["name"]

    seen("pin", lambda: tool() == "pin")
    says("push", "needs a scene with")
    seen("probe", lambda: tool() == "probe")
    seen("patch", lambda: tool() == "patch")
    seen("pair", lambda: tool() == "pair")
    seen("measure", lambda: tool() == "measure")
    run("remove measured line")
    seen("grab", lambda: tool() == "grab")
    seen("cut", lambda: tool() == "cut")
    before = len(w.events("pick"))
    w.move(400, 190)
    w.xdo("mousedown", 1)
    w.move(100, 180)
    time.sleep(0.2)
    w.xdo("mouseup", 1)
    time.sleep(0.5)
    says("undo", "undone: a cut")
    assert len(w.events("pick")) == before
    seen("close", lambda: tool() == "grab")

    # Commands of the scene editor: edit, new scene, next handles, floor, hide, duplicate, delete.
    seen("edit scene", lambda: w.shows("entry:shape 1: box"))
    seen("new scene", lambda: len(w.events("start")) == 2 and w.shows("entry:body 0: box") and now()["paused"])
    w.click("entry:body 0: box")
    w.item("move x")
    seen("next handles", lambda: w.shows("turn x"))
    seen("place on the floor", lambda: len(w.events("start")) == 3)
    seen("rename entry", lambda: w.shows("name of entry"))
    w.quick("Escape")
    w.wait_for("no field", lambda: not w.shows("name of entry"))
    run("hide entry")
    run("show hidden entries")
    seen("duplicate entry", lambda: w.shows("entry:body 1: box"))
    seen("delete entry", lambda: w.shows("entry:body 0: box") and not w.shows("entry:body 1: box"))
    w.quick("ctrl+d")
    w.wait_for("the copy by a key", lambda: w.shows("entry:body 1: box"))
    w.quick("Delete")
    w.wait_for("no copy", lambda: not w.shows("entry:body 1: box"))

    # All commands must have been run, with two exceptions: `quit`, which runs below, and commands with the name of a
    # button of the panel. These choose materials, of which only one was tried.
    missing = set(commands) - done - {"quit"} - set(buttons)
    assert not missing, missing
    search("quit")
    w.quick("Return")
    w.process.communicate(timeout=60)
    assert w.process.returncode == 0
print("the palette runs all commands and opens settings")

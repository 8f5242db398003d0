#!/usr/bin/env python3
"""Uses each tool of the toolbar by its button, and the buttons for play, step, start, undo and redo. Esc returns to the
tool grab. Curves of probes and observables equal the table that `pliant record --probe-file` writes. Exit status 77:
Xvfb or xdotool is missing.

usage: test_tools.py PLIANT
"""
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import time

from driver import Window

pliant = str(pathlib.Path(sys.argv[1]).resolve())
FAST = ("--antialias", "off", "--occlusion", "off", "--device", "cpu")
POST = {"shapes": {"kind": "box", "size": [0.2, 0.2, 0.6], "cells": 2}, "young": 5e4, "density": 1000, "damping": 5,
        "pins": {"z": [None, 0.01]}, "gravity": [0.3, 0, -1]}
BODY = (320, 200)  # a point of the post in a window of 640 x 400 pixels


class Tools:
    """The buttons of a window's toolbar."""

    def __init__(self, window, log):
        self.window, self.log = window, log

    def press(self, name):
        button = f"button:{name}"
        self.window.wait_for(button, lambda: self.window.shows(button))
        x, y = self.window.events("panel")[-1]["items"][button]
        self.window.move(x, y)
        time.sleep(0.2)
        self.window.xdo("click", 1)

    def now(self):
        return self.window.events("tool")[-1]

    def choose(self, name):
        self.press(name)
        self.window.wait_for(f"the tool {name}", lambda: self.now()["name"] == name)

    def over_body(self, cursor):
        self.window.move(*BODY)
        self.window.wait_for(f"the cursor {cursor}", lambda: self.now()["cursor"] == cursor)

    def says(self, text, action):
        before = len(self.window.events("message"))
        action()
        self.window.wait_for(text, lambda: [m for m in self.window.events("message")[before:] if text in m["text"]])

    def drag(self, *points):
        self.window.move(*points[0])
        time.sleep(0.3)
        self.window.xdo("mousedown", 1)
        for point in points[1:]:
            time.sleep(0.3)
            self.window.move(*point)
        time.sleep(0.3)
        self.window.xdo("mouseup", 1)

    def logged(self, kind):
        return [line for line in map(json.loads, self.log.read_text().split("\n")[:-1]) if line.get("do") == kind]


def test_plain(w, tools):
    # The buttons pause the simulation, take one step, and reset to the start. The key "," goes back one step on the
    # timeline.
    tools.press("pause or play")
    w.settings("a pause", lambda now: now["paused"] and now["step"] > 0)
    step = w.events("settings")[-1]["step"]
    w.key("comma")
    w.settings("a step back", lambda now: now["behind"] == 1)
    tools.press("step")
    w.settings("a step", lambda now: now["behind"] == 0 and now["paused"])
    assert w.events("settings")[-1]["step"] == step
    tools.press("reset")
    w.wait_for("the reset", lambda: tools.logged("reset"))
    tools.press("pause or play")
    w.settings("play", lambda now: not now["paused"])

    # At the start, the tool grab is selected; with it, a drag pulls the body.
    assert tools.now()["name"] == "grab" and "Drag the surface" in tools.now()["hint"], tools.now()
    tools.over_body("hand")
    tools.drag(BODY, (340, 205))
    w.wait_for("the pull", lambda: w.events("pick") and w.events("release"))

    # The tool pin pins a patch. The buttons undo and redo remove and restore this pin.
    tools.choose("pin")
    tools.over_body("crosshair")
    before = w.events("settings")[-1]["pin_version"]
    w.xdo("click", 1)
    w.settings("a pin", lambda now: now["pin_version"] > before)
    tools.says("undone: pins and pulls", lambda: tools.press("undo"))
    tools.says("redone: pins and pulls", lambda: tools.press("redo"))
    assert len(w.events("pin")) == 1 and len(w.events("pick")) == 1

    # With the tool pin, the left button still turns the view if it is pressed on the background.
    turn = w.events("view")[-1]["turn"]
    tools.drag((560, 120), (580, 120))
    w.wait_for("another view", lambda: w.events("view")[-1]["turn"] != turn)
    w.move(560, 100)
    w.wait_for("the plain cursor", lambda: tools.now()["cursor"] == "arrow")

    # The tool push, which pushes the body with a ball, is refused without self_contact.
    tools.says("needs a scene with", lambda: tools.press("push"))
    assert tools.now()["name"] == "pin"

    # The tool cut cuts the body by a drawn line. While it is selected, a click with Shift still pins a patch.
    tools.choose("cut")
    tools.over_body("crosshair")
    tools.drag((200, 180), (460, 190))
    w.wait_for("a cut", lambda: tools.logged("cut"))
    assert len(w.events("pick")) == 1
    w.move(*BODY)
    time.sleep(0.3)
    w.xdo("keydown", "shift", "click", 1, "keyup", "shift")
    w.wait_for("the second pin", lambda: len(w.events("pin")) == 2)

    # Esc returns to grab. The next Esc quits.
    w.key("Escape")
    w.wait_for("grab", lambda: tools.now()["name"] == "grab")
    for key, name in (("n", "pin"), ("t", "cut"), ("g", "grab")):
        w.key(key)
        w.wait_for(f"{name} by its key", lambda name=name: tools.now()["name"] == name)
    w.leave()


def test_contact(w, tools):
    tools.says("bodies cannot be cut in scenes with self_contact", lambda: tools.press("cut"))
    assert tools.now()["name"] == "grab"
    tools.choose("push")
    tools.over_body("hand")
    w.xdo("mousedown", 1)
    w.wait_for("pick", lambda: w.events("pick"))
    for k in range(6):
        w.move(BODY[0] + 5 * k, BODY[1])
        w.xdo("click", 4)  # the wheel moves the ball into the post
        time.sleep(0.1)
    w.xdo("mouseup", 1)
    w.wait_for("the release", lambda: w.events("release"))
    grabs = tools.logged("grab")
    assert len(grabs) == 1 and grabs[0]["push"] and grabs[0]["radius"] > 0, grabs
    w.key("Escape", "Escape")
    w.process.wait(30)


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def test_probes(w, tools):
    """Places probes, saves their curves and measures a distance."""
    tools.press("pause or play")
    w.settings("a pause", lambda now: now["paused"])
    tools.press("reset")
    w.wait_for("the reset", lambda: tools.logged("reset"))

    def place(point):
        tools.choose("probe")
        w.move(*point)
        time.sleep(0.3)
        tools.says("placed a probe on node", lambda: w.xdo("click", 1))
        return w.events("message")[-1]["text"].split(";")[0].split()[-1]

    first = place((310, 150))
    tools.says("undone: a probe", lambda: tools.press("undo"))
    tools.says("redone: a probe", lambda: tools.press("redo"))
    w.move(310, 150)
    time.sleep(0.3)
    tools.says("has a probe already", lambda: w.xdo("click", 1))

    # The tool measure must give the distance between the two points that the tool grab picks at the same pixels.
    ends = ((310, 150), (330, 260))
    tools.choose("grab")
    for point in ends:
        tools.drag(point, point)
    picked = [w.wait_for("picks", lambda: len(w.events("pick")) == 2 and w.events("pick"))[k]["point"] for k in (0, 1)]
    tools.choose("measure")
    for point in ends:
        w.move(*point)
        time.sleep(0.3)
        w.xdo("click", 1)
    line = w.wait_for("a measured line", lambda: w.events("measure"))[-1]
    assert math.isclose(line["length"], math.dist(*picked), rel_tol=1e-4), (line, picked)

    # The measured line follows the moving surface. The second probe is placed some steps after the first one.
    tools.press("pause or play")
    w.wait_for("another length", lambda: abs(w.events("measure")[-1]["length"] - line["length"]) > 1e-5)
    now = w.events("measure")[-1]
    assert math.isclose(now["length"], math.dist(now["from"], now["to"]), rel_tol=1e-6), now
    tools.press("pause or play")
    w.settings("a pause", lambda now: now["paused"])
    second = place((330, 260))
    assert second != first
    for _ in range(3):
        tools.press("step")
        time.sleep(0.2)
    w.key("Tab")
    w.click("Plots")
    for name in (f"probe:node {first}", f"delete:node {second}", "displacement of nodes"):
        w.wait_for(name, lambda name=name: w.shows(name))
    tools.says("curves: probes-1.csv", lambda: w.click("Save curves"))
    w.click(f"delete:node {first}")
    w.wait_for("one probe", lambda: not w.shows(f"probe:node {first}"))
    tools.says("curves: probes-2.csv", lambda: w.click("Save curves"))
    # If the user returns to an earlier step, the next step replaces the later rows of the curves. After a return to the
    # start, only the row of the start is left.
    w.key(*["comma"] * 5)
    w.settings("five steps back", lambda now: now["behind"] == 5)
    tools.press("step")
    w.settings("a step", lambda now: now["behind"] == 0)
    tools.says("curves: probes-3.csv", lambda: w.click("Save curves"))
    tools.press("reset")
    time.sleep(0.3)
    tools.says("curves: probes-4.csv", lambda: w.click("Save curves"))
    w.click(f"delete:node {second}")
    w.wait_for("no probe", lambda: not w.shows("Save curves"))
    w.key("ctrl+q")
    w.process.wait(30)

    subprocess.run([pliant, "record", "probes.json", "--frames", "40", "--probe", f"position:{first},position:{second}",
                    "--probe-file", "record.csv"], cwd=w.cwd, check=True, capture_output=True)
    saved, alone, recorded = (rows(w.cwd / f"{name}.csv") for name in ("probes-1", "probes-2", "record"))
    steps = len(saved) - 1
    assert saved[0] == recorded[0] and [row[0] for row in saved[1:]] == [str(k) for k in range(steps)], saved[0]
    assert steps > 5 and recorded[steps][2] != recorded[1][2], "the body does not move"
    begun = steps - 4  # first step with values of the second probe, which was placed before the last three steps
    for got, expected in zip(saved[1:], recorded[1:]):
        assert got == (expected if int(got[0]) >= begun else expected[:5] + ["", "", ""]), (got, expected)
    assert [row[:2] + row[5:] for row in saved] == alone, alone[0]
    last = recorded[len(alone) - 5]  # row of the step that was taken after the return
    assert rows(w.cwd / "probes-3.csv") == [*alone[:-5], last[:2] + last[5:]], "rows after the present step"
    assert rows(w.cwd / "probes-4.csv")[1:] == [recorded[1][:2] + recorded[1][5:]], "more than the row of the start"


def test_curves(w, tools):
    """Adds curves of observables by their names, deletes one, and saves the others."""
    names = ["kinetic", "reaction:1", "volume", "newton_iterations", "position:1"]
    w.wait_for("the start", lambda: w.events("settings"))
    tools.press("pause or play")
    w.settings("a pause", lambda now: now["paused"])
    tools.press("reset")
    w.wait_for("the reset", lambda: tools.logged("reset"))
    w.key("Tab")
    w.click("Plots")

    def add(text):
        w.click("curve name")
        w.key("ctrl+a")
        w.xdo("type", "--delay", 30, text)
        w.key("Return")

    # The parser of --probe refuses wrong names. The simulation refuses names of parts that the scene does not have.
    for text, reason in (("kinetik", 'there is no observable "kinetik" (did you mean "kinetic"?)'),
                         ("position", "the observable position needs a colon"),
                         ("kinetic,kinetic", "kinetic has a curve already"),
                         ("energy_change", "energy_change is a sum over all steps"),
                         ("reaction:9", "reaction:9")):
        tools.says(reason, lambda text=text: add(text))
        if text == "kinetik":
            w.wait_for("the red field", lambda: w.shows("refused:curve name"))
    w.wait_for("no curve", lambda: not w.shows("Save curves"))
    add(",".join(names[:4]))
    w.wait_for("the curves", lambda: w.shows(f"curve:{names[3]}"))
    add(names[4])
    w.wait_for("a plot for each curve", lambda: w.shows(f"curve:{names[4]}") and w.shows(names[0]))
    for _ in range(4):
        tools.press("step")
        time.sleep(0.2)
    # A curve that is added later has no values for earlier steps. It does not change the values of other curves.
    add("min_J")
    w.wait_for("the last curve", lambda: w.shows("curve:min_J"))
    tools.says("all 6 curves are in use", lambda: add("elastic"))
    tools.press("step")
    time.sleep(0.3)
    w.click("delete:volume")
    w.wait_for("no volume", lambda: not w.shows("curve:volume"))
    tools.says("curves: curves-1.csv", lambda: w.click("Save curves"))
    w.key("ctrl+q")
    w.process.wait(30)

    names.remove("volume")
    subprocess.run([pliant, "record", "curves.json", "--frames", "40", "--probe", ",".join([*names, "min_J"]),
                    "--probe-file", "curves-record.csv"], cwd=w.cwd, check=True, capture_output=True)
    saved, recorded = rows(w.cwd / "curves-1.csv"), rows(w.cwd / "curves-record.csv")
    assert len(saved) == 7 and saved[0] == recorded[0], saved
    assert recorded[6][2] != recorded[1][2], "the body does not move"
    late = [row[:-1] + [""] for row in recorded[1:6]]
    assert saved[1:] == [*late, recorded[6]], (saved, recorded[:7])


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    for name, more, test in (("plain", {}, test_plain), ("contact", {"self_contact": True}, test_contact),
                             ("probes", {}, test_probes), ("curves", {}, test_curves)):
        scene, log = folder / f"{name}.json", folder / f"{name}.log"
        scene.write_text(json.dumps(POST | more))
        with Window(pliant, *FAST, "--log", log, scene, size=(640, 400), cwd=folder) as window:
            test(window, Tools(window, log))
print("each tool by its button, undo and redo, curves with the same bits as those of record")

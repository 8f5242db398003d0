#!/usr/bin/env python3
"""Tests the scene editor of the page of `pliant serve` by its messages: makes a scene of two bodies, an obstacle, a pin
and a force from a box. Refused values change nothing. Undo brings back the earlier scene. The saved scene gives the
same bits as the page. Exit status 77: the server cannot run here.

usage: test_editor.py PLIANT
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

sys.dont_write_bytecode = True
from page_client import BINARY, EXIT_SKIPPED, Page, Server, absent  # noqa: E402

SCENE = {"bodies": [{"name": "box", "shape": {"kind": "box", "size": [1, 1, 1], "cells": 2}}], "young": 1e3,
         "poisson": 0.3, "density": 10, "gravity": [0, 0, -1], "dt": 1 / 60, "floor": -2, "device": "cpu"}
SIZE, ON_BODY = ("--size", "64x64"), (32, 32)
MADE = ["scene", "body 0: box", "body 1: sphere", "obstacle 1: plane", "pin 1", "force 1: total"]


class Editor(Page):
    """A page whose user edits the scene. `at`: list and index of the entry that the user has selected."""

    at = ("", 0)

    def labels(self):
        return [entry["label"] for entry in self.scene["entries"]]

    def field(self, key):
        return next(field for field in self.scene["fields"] if field["key"] == key)

    def wait_for_scene(self, what, found, seconds=60):
        """Receives messages until found() is true for the newest list of the scene."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.scene and found():
                return
            self.next()
        raise AssertionError(f"{what}: {self.scene} {self.status.get('words')}")

    def edit(self, what, **more):
        """Sends an edit and waits until the edited scene is shown."""
        self.finish(lambda: self.send(do=what, list=self.at[0], index=self.at[1], **more))

    def finish(self, action):
        version = self.scene["version"]
        action()
        self.wait_for_scene("the edited scene", lambda: not self.scene["builds"] and self.scene["version"] != version)
        assert not self.scene["refused"], self.scene
        entry = self.scene["entries"][self.scene["selected"]]
        self.at = (entry["list"], entry["index"])

    def add(self, kind, expected):
        self.edit("add", name=kind)
        assert self.labels() == expected and self.labels()[self.scene["selected"]] not in MADE[:2], self.labels()

    def write(self, key, text):
        self.edit("write", name=key, text=text)

    def refuse(self, key, text, words):
        """Sends a value that must be refused."""
        self.send(do="write", list=self.at[0], index=self.at[1], name=key, text=text)
        self.wait_for_scene("the reason", lambda: self.scene["refused"] == key and words in self.scene["reason"])
        assert str(pathlib.Path("/")) not in self.scene["reason"].split(":")[0], self.scene["reason"]

    def revert(self, action, expected):
        self.finish(lambda: self.act(action))
        assert self.labels() == expected, self.labels()

    def select(self, entry, index):
        self.at = (entry, index)
        self.send(do="select", list=entry, index=index)
        self.wait_for_scene("the selected entry", lambda: self.scene["entries"][self.scene["selected"]]
                            .items() >= {"list": entry, "index": index}.items())


def make_scene(page):
    page.wait_for_scene("entries", lambda: page.labels() == MADE[:2])
    assert page.field("self_contact")["type"] == "flag", page.scene
    page.act("pause")
    page.wait("a pause", lambda now: now["paused"])
    page.add("sphere", MADE[:3])
    page.add("obstacle: plane", MADE[:4])
    page.select("bodies", 1)
    page.add("pin", MADE[:5])
    page.select("bodies", 1)
    page.add("force", MADE)
    page.write("total", "5, 0, 2.5")
    assert page.field("total")["text"] == "5, 0, 2.5" and page.field("region.body")["text"] == "1", page.scene
    assert page.field("share")["choices"] == ["", "area", "volume"], page.field("share")
    page.write("name", "push")
    assert page.labels()[-1] == "force 1: push"
    page.select("bodies", 1)
    assert page.field("color")["type"] == "color" and page.field("mesh")["locked"], page.scene
    page.write("color", "0.9, 0.2, 0.1")


def check_refusals(page):
    """Values that no scene can have, and a value that the simulation refuses. The scene stays as it is."""
    before = page.scene
    page.refuse("shape.size", "1, 1", "bodies[1].shape")
    page.refuse("young", "-3", "expected more than 0")
    page.refuse("mesh", "/etc/passwd", "cannot choose files")
    page.refuse("turn", "{", "turn")
    page.refuse("place", "[" * 1023, "place")
    for message, words in (({"do": "delete", "list": "pins", "index": 7}, "no longer exists"),
                           ({"do": "delete", "list": "", "index": 0}, "choose a body"),
                           ({"do": "write", "list": "pins", "index": 0, "name": "sausage", "text": "1"}, "no key"),
                           ({"do": "write", "list": "pins", "index": 0, "name": "mesh", "text": "a"}, "no key")):
        page.send(**message)
        page.wait("the reason", lambda now, words=words: words in now["words"])
    page.select("bodies", 1)
    assert (page.scene["fields"], page.labels()) == (before["fields"], page.labels()), page.scene
    assert not page.scene["refused"] and not page.scene["builds"], page.scene


def check_undo(page):
    """Undo and redo of edits, and of a pull that the mouse has left after them."""
    labels = page.labels()
    page.revert("undo", labels)
    assert page.field("color")["text"] == ""
    page.revert("undo", MADE)  # the name of the force
    page.revert("redo", labels)
    page.revert("redo", labels)
    page.act("redo")
    page.wait("no more edits", lambda now: now["words"] == "nothing to redo")
    assert page.field("color")["text"] == "0.9, 0.2, 0.1"
    page.edit("duplicate")
    assert page.labels() == [*labels[:3], "body 2: sphere", *labels[3:]], page.labels()
    page.edit("delete")
    assert page.labels() == labels, page.labels()
    page.select("bodies", 1)
    page.edit("delete")
    page.wait("a message", lambda now: "2 entries refer to this body, so they were deleted too" in now["words"])
    assert page.labels() == [*MADE[:2], MADE[3]], page.labels()
    # the pull is newer than the edit, so it is undone first
    version = page.scene["version"]
    page.send(do="press", at=ON_BODY, button=0)
    page.wait("a pull", lambda now: "point" in now)
    page.act("keep")
    page.wait("a kept pull", lambda now: now["kept"] == 1)
    for action, kept in (("undo", 0), ("redo", 1), ("undo", 0)):
        page.act(action)
        page.wait("another number of pulls", lambda now, kept=kept: now["kept"] == kept)
    assert page.scene["version"] == version
    page.revert("undo", labels)


def check_motion(page):
    """An edit of a colour continues the motion, and the picture keeps the field that it shows as colours. An edit of a
    shape begins the motion again, and undo of this edit too."""
    page.select("bodies", 0)
    for step in (1, 2):
        page.act("step")
        page.wait("a step", lambda now: now["step"] == step)
    page.set("field", "von_mises")
    page.set("field_range", "follow")
    page.wait("a field", lambda now: now["settings"].items() >= {"field": "von_mises", "field_range": "follow"}.items())
    before = page.settle()
    page.write("color", "0.1, 0.2, 0.9")
    page.wait("the motion", lambda now: now["step"] == 2 and "the motion continues" in now["words"] and now["paused"])
    assert page.settle() == before, "the picture of the edited scene has other colours"
    page.set("field", "none")
    page.write("shape.cells", "3")
    page.wait("the start", lambda now: now["step"] == 0 and "paused at its start" in now["words"])
    page.revert("undo", page.labels())
    page.wait("the start", lambda now: now["step"] == 0 and now["paused"])


def check_watcher(page, server):
    """Another page sees the list, but cannot edit without the control. The list is not sent with each picture."""
    with Editor(server) as other:
        other.wait_for_scene("the entries", lambda: other.labels() == page.labels())
        other.send(do="delete", list="bodies", index=1)
        other.send(do="select", list="pins", index=0)
        for _ in range(3):
            page.act("view_top")
            page.act("view_left")
            other.next()
        page.act("camera_home")
        other.wait("a picture", lambda now: now["control"] == "another" and other.pictures > 2)
        assert other.scenes == 1 and other.scene["selected"] == page.scene["selected"], other.scenes


def arrays(path):
    with zipfile.ZipFile(path) as archive:
        return archive.read("positions.npy"), archive.read("momenta.npy")


def check_saved(pliant, page, folder):
    """The saved scene gives the same bits as the page."""
    start, end = folder / "start", folder / "saved"
    page.send(do="save")
    page.wait("the file", lambda now: now["words"].startswith("saved: "))
    shutil.copytree(end, start)
    for step in (1, 2, 3):
        page.act("step")
        page.wait("a step", lambda now, step=step: now["step"] == step)
    first = page.status["saved"]
    page.send(do="save")
    page.wait("the second file", lambda now: now["saved"] == first + 1)
    for words, name in ((["bench", start / "made.json", "--steps", "3"], "a.npz"),
                        (["record", end / "made.json", "--frames", "1", "--size", "16x16", "-o", folder / "film"],
                         "b.npz")):
        # the graphics driver leaks memory, which must not fail the test
        done = subprocess.run([pliant, *words, "--state", folder / name], capture_output=True, text=True, check=False,
                              env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
        assert done.returncode == 0, done.stderr
    assert arrays(folder / "a.npz") == arrays(folder / "b.npz"), "the saved scene moves otherwise"
    scene = json.loads((start / "made.json").read_text(encoding="utf-8"))
    assert scene["bodies"][1]["color"] == [0.9, 0.2, 0.1] and scene["bodies"][0]["color"] == [0.1, 0.2, 0.9], scene
    assert scene["forces"][0]["total"] == [5, 0, 2.5] and scene["forces"][0]["name"] == "push", scene
    assert scene["pins"][0]["body"] == 1 and scene["obstacles"][0]["kind"] == "plane", scene


def main(pliant):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        path = folder / "box.json"
        path.write_text(json.dumps(SCENE), encoding="utf-8")
        reason = absent(pliant, path)
        if reason:
            print("skipped:", reason)
            return EXIT_SKIPPED
        (folder / "saved").mkdir()
        with Server(pliant, path, *SIZE, "--save", folder / "saved/made.json") as server, Editor(server) as page:
            make_scene(page)
            check_refusals(page)
            check_undo(page)
            check_motion(page)
            check_watcher(page, server)
            check_saved(pliant, page, folder)
            assert server.end()[0] == 0 and server.log == "", server.log
        with Server(pliant, path, *SIZE, "--log", folder / "log.jsonl") as server, Editor(server) as page:
            page.wait_for_scene("entries", lambda: page.labels() == MADE[:2])
            page.send(do="add", list="", index=0, name="sphere")
            page.wait("the reason", lambda now: "a log (--log) cannot contain edits" in now["words"])
    print("a scene made in the page: undone, redone, saved and opened with the same bits")
    return 0


sys.exit(main(os.path.abspath(sys.argv[1])))

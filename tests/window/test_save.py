#!/usr/bin/env python3
"""Changes pins, pulls, material, colours and view, and saves the scene by Ctrl+S. The saved scene has the bits of the
window's state and gives the same picture. Exit status 77: Xvfb or xdotool is missing.

usage: test_save.py PLIANT [DEVICE]
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from driver import ASSETS, Window, arrays

pliant = pathlib.Path(sys.argv[1]).resolve()
device = sys.argv[2] if len(sys.argv) > 2 else "cpu"


def said(w, words):
    return w.wait_for(words, lambda: [line["text"] for line in w.events("message") if words in line["text"]])[-1]


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    with Window(pliant, "--device", device, "--picture-size", "320x240", "--state", "end.npz",
                ASSETS / "scenes/drag_coarse.json", "--damping", "0.25", cwd=folder, home=folder) as w:
        assert "drag_coarse - Pliant" in w.titles(), w.titles()
        x, y = (round(value) for value in w.start["highest"]["pixel"])
        w.move(x, y + 120)  # a point of the palm
        time.sleep(0.3)
        w.xdo("mousedown", 1)
        w.wait_for("pick", lambda: w.events("pick"))
        for k in range(8):
            w.move(x - 4 * k, y + 120 + 2 * k)
            time.sleep(0.04)
        w.key("k")
        w.xdo("mouseup", 1)
        w.move(x, y + 170)
        time.sleep(0.3)
        w.xdo("keydown", "shift", "click", 1, "keyup", "shift")
        w.settings("a kept pull", lambda now: now["kept"] == 1)
        w.key("f", "x")
        w.move(60, 160)
        w.xdo("mousedown", 3)
        w.move(118, 150)
        w.xdo("mouseup", 3)
        w.key("Tab")
        w.click("jelly")
        w.settings("jelly", lambda now: abs(now["young"] / 3e3 - 1) < 1e-9)
        w.key("Tab", "space")
        w.settings("a pause", lambda now: now["paused"])
        w.key("F12")
        assert said(w, "picture: ") == "picture: drag_coarse-1.png"
        # A message reports a file that cannot be written, and no partial file is left.
        (folder / "drag_coarse-1.json").symlink_to("nowhere")
        w.key("ctrl+s")
        said(w, "broken symbolic link")
        (folder / "drag_coarse-1.json").unlink()
        w.key("ctrl+s")
        assert said(w, "saved: ") == "saved: drag_coarse-1.json"
        assert "drag_coarse-1 - Pliant" in w.titles(), w.titles()
        w.key("ctrl+q")  # quits
        printed, words = w.process.communicate(timeout=60)
        assert w.process.returncode == 0 and "saved: drag_coarse-1.json" in printed, (printed, words)
    scene = json.loads((folder / "drag_coarse-1.json").read_text())
    assert scene["mesh"] == "meshes/hand_coarse.msh" and scene["begin"] == "drag_coarse-1.state", scene
    assert 0 < scene["damping"] < 0.25 and abs(scene["mu"] / (3e3 / 2.9) - 1) < 1e-9, scene
    assert scene["section"]["axis"] == "x", scene
    assert "cg_relative" not in scene and scene["color_range"] and scene["show_pins"], scene

    # The saved scene is moved to another folder and opened there without a window. It must have the bits and the
    # picture that the window saved.
    other = folder / "other"
    other.mkdir()
    for ending in ("json", "state"):
        shutil.move(folder / f"drag_coarse-1.{ending}", other)
    done = subprocess.run([pliant, "record", "--device", device, other / "drag_coarse-1.json", "--frames", "1",
                           "--size", "320x240", "-o", folder / "again", "--state", folder / "again.npz"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert arrays(folder / "again.npz") == arrays(folder / "end.npz"), "the state differs from the saved one"
    assert (folder / "again/frame_00000.png").read_bytes() == (folder / "drag_coarse-1.png").read_bytes(), \
        "the picture differs from the saved one"

    # If a window opens the saved scene, it has the pull and the pin of this scene. Ctrl+S then overwrites the file of
    # the scene.
    with Window(pliant, "--device", device, other / "drag_coarse-1.json", cwd=folder, home=folder,
                size=(760, 640)) as w:
        w.settings("the pull", lambda now: now["kept"] == 1 and abs(now["young"] / 3e3 - 1) < 1e-9)
        w.key("space")  # pauses, so that no time is spent on steps
        w.key("l")
        w.settings("nothing held", lambda now: now["kept"] == 0)
        w.key("r")
        w.settings("the pull again", lambda now: now["kept"] == 1)
        w.key("l", "ctrl+s")
        assert said(w, "saved: ") == f"saved: {other}/drag_coarse-1.json"
        w.key("Tab")
        w.click("Files")
        w.click("recent")
        w.click("recent:drag_coarse.json")
        w.wait_for("the scene opened first", lambda: len(w.events("start")) == 2)
        w.key("Tab")
        w.leave()
    lines = (folder / "pliant/recent").read_text().splitlines()
    assert lines == [str((ASSETS / "scenes/drag_coarse.json").resolve()), str((other / "drag_coarse-1.json").resolve()),
                     # the last path is that of the saved scene before it was moved
                     str(folder.resolve() / "drag_coarse-1.json")], lines
    print("saved, moved and opened: the same bits and the same picture")

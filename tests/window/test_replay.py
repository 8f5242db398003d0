#!/usr/bin/env python3
"""Records the user's actions of a session in an input log, and replays the log without a window and in a window. Both
replays end with the bits of the session. Exit status 77: Xvfb or xdotool is missing.

usage: test_replay.py PLIANT [DEVICE]
"""
import csv
import pathlib
import subprocess
import sys
import tempfile
import time

from driver import ASSETS, Window, arrays

pliant = sys.argv[1]
device = sys.argv[2] if len(sys.argv) > 2 else "cpu"
scene = ASSETS / "scenes" / ("drag.json" if device == "cuda" else "drag_coarse.json")


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    log, state = folder / "input.jsonl", folder / "state.npz"
    with Window(pliant, "--device", device, "--log", log, "--state", state, scene, "--damping", "0.25") as w:
        x, y = (round(value) for value in w.start["highest"]["pixel"])
        w.move(x, y + 120)  # a point of the palm, since the scene's drag moves the finger away
        time.sleep(0.3)
        w.xdo("mousedown", 1)
        w.wait_for("pick", lambda: w.events("pick"))
        for k in range(12):
            w.move(x - 6 * k, y + 120 + 2 * k)
            time.sleep(0.04)
        w.key("k")
        w.xdo("mouseup", 1)
        w.move(x, y + 180)
        time.sleep(0.3)
        w.xdo("keydown", "shift", "click", 1, "keyup", "shift")
        w.key("bracketleft", "f", "space", "s", "space", "x")
        w.move(60, 160)
        w.xdo("mousedown", 3)
        w.move(108, 150)
        w.xdo("mouseup", 3)
        w.key("Tab")
        w.click("jelly")
        w.settings("jelly", lambda now: abs(now["young"] / 3e3 - 1) < 1e-9)
        w.key("l", "Tab")
        time.sleep(0.5)
        w.leave()
    said = log.read_text()
    assert '"cg_relative":"auto"' in said.splitlines()[0], "the head of the log lacks the window's default"
    for word in ("grab", "drag", "keep", "pin", "adjust", "view", "release_all", "end"):
        assert f'"do":"{word}"' in said, f"{word} is not in the log"

    def replay(*words):
        return subprocess.run([pliant, "replay", log, *map(str, words)], capture_output=True, text=True)

    done = replay("--state", folder / "again.npz", "-o", folder / "frames", "--size", "160x120", "--fps", "60")
    assert done.returncode == 0, done.stderr
    assert arrays(folder / "again.npz") == arrays(state), "the replay and the session end with different bits"
    assert len(list((folder / "frames").glob("*.png"))) > 5

    # Probes in the replay must show the force of the mouse on the body while it pulls, and afterwards that of the kept
    # pull.
    done = replay("--probe", "hand_force,kinetic", "--probe-file", folder / "probes.csv")
    assert done.returncode == 0, done.stderr
    with open(folder / "probes.csv") as file:
        rows = list(csv.DictReader(file))
    pulled = [any(float(row[f"hand_force_{axis}_N"]) != 0 for axis in "xyz") for row in rows]
    assert not pulled[0] and any(pulled), "the mouse has no force"
    assert len(rows) > 20 and float(rows[-1]["kinetic_J"]) > 0

    # replays in a window
    with Window(pliant, "replay", log, "--state", folder / "window.npz", first=True) as w:
        w.wait_for("the end", lambda: w.events("settings") and w.events("settings")[-1]["replay_ended"])
        w.leave()
    assert arrays(folder / "window.npz") == arrays(state), "the replay in a window ends with other bits"

    # a replay must refuse a file that is no log, a log of a scene that has changed, and a log with a wrong action or
    # value
    bad = folder / "bad.jsonl"
    for text, words in (("", "empty"), ("{}\n", "not an input log"),
                        (said.replace('"scene_sum":', '"scene_sum":1'), "has changed"),
                        (said.replace('"do":"keep"', '"do":"dance"'), "names an unknown action"),
                        (said.replace('"radius":', '"radius":-'), "a value of this action is missing or invalid")):
        bad.write_text(text)
        done = subprocess.run([pliant, "replay", bad, "--state", folder / "bad.npz"], capture_output=True, text=True)
        assert done.returncode == 1 and words in done.stderr, (words, done.stderr)
    bad.write_text(said[: len(said) * 2 // 3])
    done = subprocess.run([pliant, "replay", bad, "--state", folder / "bad.npz"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    print(f"{said.count(chr(10))} lines; replays into files and in a window give the same bits")

#!/usr/bin/env python3
"""A user at the window: opens a hand, takes a finger with a real mouse (xdotool under Xvfb), drags it, and the finger
follows; turns the view, pauses, resets, and leaves with Esc. Exit 77 where the machine has no Xvfb or xdotool.

usage: test_drag.py PLIANT [DEVICE]     on cuda it is the fine hand
"""
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

WIDTH, HEIGHT, PATIENCE = 400, 320, 60
pliant = sys.argv[1]
device = sys.argv[2] if len(sys.argv) > 2 else "cpu"
mesh = pathlib.Path(os.environ["PLIANT_ASSETS"]) / "meshes" / ("hand.msh" if device == "cuda" else "hand_coarse.msh")
for tool in ("Xvfb", "xdotool"):
    if not shutil.which(tool):
        print(f"skipped: {tool} is not installed")
        sys.exit(77)


def lines(trace):
    """The trace so far, whole lines only."""
    text = trace.read_text() if trace.exists() else ""
    return [json.loads(line) for line in text.split("\n")[:-1]]


def wait_for(what, condition):
    """Waits until condition() gives something, and returns it."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        assert window.poll() is None, f"the window closed with {window.returncode} before {what}"
        result = condition()
        if result:
            return result
        time.sleep(0.05)
    raise AssertionError(f"no {what} within {PATIENCE} s")


def xdo(*words):
    subprocess.run(["xdotool", *map(str, words)], check=True, env=environment, stdout=subprocess.DEVNULL)


def distance(a, b):
    return math.dist(a, b)


with tempfile.TemporaryDirectory() as folder:
    # a display of our own, with a number that the server finds free
    reading, writing = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(writing), "-screen", "0", "640x480x24", "-nolisten", "tcp"],
                              pass_fds=[writing], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(writing)
    window = None
    try:
        number = os.read(reading, 16).decode().strip()
        if not number:
            print("skipped: Xvfb does not start")
            sys.exit(77)
        environment = dict(os.environ, DISPLAY=f":{number}")
        environment.pop("WAYLAND_DISPLAY", None)
        trace, shot = pathlib.Path(folder) / "trace.json", pathlib.Path(folder) / "shot.png"
        command = [pliant, "--device", device, "--window-size", f"{WIDTH}x{HEIGHT}", "--trace", trace,
                   "--screenshot", shot, mesh]
        window = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
        try:
            start = wait_for("first frame", lambda: lines(trace))[0]
        except AssertionError:
            if window.poll() is not None:
                words = window.stderr.read()
                if "OpenGL" in words:
                    print("skipped:", words.strip().split("\n")[-1])
                    sys.exit(77)
                raise AssertionError(words) from None
            raise
        assert start["event"] == "start" and start["size"] == [WIDTH, HEIGHT], start

        # press just below the highest finger's tip
        x, y = (round(value) for value in start["highest"]["pixel"])
        assert 0 < x < WIDTH and 0 < y < HEIGHT - 60, start
        y += 6
        xdo("mousemove", x, y)
        time.sleep(0.3)
        xdo("mousedown", 1)
        pick = wait_for("pick", lambda: [line for line in lines(trace) if line["event"] == "pick"])[0]
        assert distance(pick["pixel"], (x + 0.5, y + 0.5)) < 8, f"the picked point is not under the mouse: {pick}"
        assert distance(pick["cursor"], (x + 0.5, y + 0.5)) < 1, pick

        # drag by 50 pixels, then hold still until the finger has followed
        for k in range(1, 11):
            xdo("mousemove", x + 5 * k, y + k)
            time.sleep(0.05)
        goal = (x + 50.5, y + 10.5)

        def followed():
            drags = [line for line in lines(trace) if line["event"] == "drag"]
            return [line for line in drags if distance(line["cursor"], goal) < 1 and distance(line["pixel"], goal) < 12]

        drag = wait_for("finger at the mouse", followed)[0]
        assert drag["nodes"] == pick["nodes"]
        before, after = distance(pick["point"], drag["target"]), distance(drag["point"], drag["target"])
        assert after < 0.4 * before, f"the picked point did not move toward its target: {before:g} m, then {after:g} m"
        assert drag["pixels"] != pick["pixels"], "the picture did not change"
        assert drag["step"] > pick["step"]
        xdo("mouseup", 1)
        release = wait_for("release", lambda: [line for line in lines(trace) if line["event"] == "release"])[0]
        assert release["triangle"] == pick["triangle"]

        # beside the body the same button turns the view: nothing is picked
        xdo("mousemove", 12, HEIGHT // 2, "mousedown", 1)
        time.sleep(0.3)
        xdo("mousemove", 40, HEIGHT // 2, "mouseup", 1)
        for key in ("space", "s", "r", "space"):
            xdo("key", key)
            time.sleep(0.1)
        time.sleep(0.3)

        # keys and the panel change what the simulation goes on with
        def settings(what, condition):
            def newest():
                told = [line for line in lines(trace) if line["event"] == "settings"]
                return told and condition(told[-1])
            wait_for(what, newest)

        settings("going on", lambda now: not now["paused"] and now["speed"] == 1)
        xdo("key", "bracketleft")
        settings("half speed", lambda now: now["speed"] == 0.5)
        xdo("key", "bracketright")
        settings("full speed", lambda now: now["speed"] == 1)
        xdo("key", "Tab")
        time.sleep(0.5)
        xdo("mousemove", WIDTH - 266, 45)  # the panel's first button
        time.sleep(0.3)
        xdo("click", 1)
        settings("a pause by the panel", lambda now: now["paused"])
        xdo("mousemove", WIDTH - 266, 155)  # the first material
        time.sleep(0.3)
        xdo("click", 1)
        settings("a material by the panel", lambda now: abs(now["young"] / 3e3 - 1) < 1e-9 and abs(now["poisson"] - 0.45) < 1e-9)
        xdo("key", "F1")
        time.sleep(0.3)
        xdo("key", "Escape")
        words = window.communicate(timeout=PATIENCE)[1]
        assert window.returncode == 0, words
        end = lines(trace)[-1]
        assert end["event"] == "exit" and end["picks"] == 1, end
        assert shot.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
        assert not pathlib.Path("imgui.ini").exists()
        print(f"from {distance(pick['pixel'], goal):.0f} to {distance(drag['pixel'], goal):.1f} pixels from the mouse, "
              f"{before:.3f} to {after:.3f} m, {end['frame']} frames, {end['step']} steps")
    finally:
        if window and window.poll() is None:
            window.kill()
            window.wait()
        server.terminate()
        server.wait()

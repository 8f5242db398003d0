#!/usr/bin/env python3
"""Another program destroys the window, or the display server ends, during a recording. The program must then complete
film, log and state. Exit status 77: Xvfb, xdotool or ffmpeg is missing.

usage: test_window_gone.py PLIANT [LIBRARY]     LIBRARY: lose_display, for a display that ends before a write to it
"""
import json
import os
import pathlib
import shutil
import sys
import tempfile

from driver import PATIENCE, Window, arrays, skip

if not shutil.which("ffmpeg"):
    skip("ffmpeg is not installed")

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    scene = folder / "box.json"
    scene.write_text(json.dumps({"shapes": {"kind": "box", "size": [1, 1, 2], "cells": 2}, "pins": {"z": [None, 0.1]},
                                 "young": 2000, "poisson": 0.3, "density": 10, "device": "cpu"}))
    lost = folder / "lost"
    os.environ["LOSE_DISPLAY"] = str(lost)
    for how in ("windowkill", "windowclose", "display", *(["write"] if sys.argv[2:] else [])):
        film, log, state = folder / f"{how}-film", folder / f"{how}.log", folder / f"{how}.npz"
        library = sys.argv[2] if how == "write" else ""
        with Window(sys.argv[1], "--record", film, "--log", log, "--state", state, scene, preload=library) as w:
            if how in ("display", "write") and not w.server:
                continue  # the display belongs to the user, so the test does not end it
            w.key("v")
            w.wait_for("frames", lambda: len(list(film.glob("frame_*.png"))) > 5)
            if how == "display":
                w.server.terminate()
            elif how == "write":
                whole = folder / "server"
                whole.write_text(str(w.server.pid))
                whole.rename(lost)
            else:
                w.xdo(how, *w.process_windows())
            printed, words = w.process.communicate(timeout=PATIENCE)
            assert w.process.returncode != 0 and "closed from outside" in words, (how, w.process.returncode, words)
        frames = len(list(film.glob("frame_*.png")))
        assert f"Frames recorded: {frames}, in" in printed, (how, frames, printed)
        assert (film / "film.mp4").stat().st_size > 1000, how
        assert json.loads(log.read_text().splitlines()[-1])["do"] == "end", how
        assert arrays(state), how
    print("film, log and state are complete after the window was destroyed")

#!/usr/bin/env python3
"""Tests the panel: it pauses the simulation, changes material, assembly, matrix format and precision while the body
moves, colours the body, opens another scene, and records. Exit status 77: Xvfb or xdotool is missing.

usage: test_panel.py PLIANT [DEVICE]
"""
import pathlib
import shutil
import signal
import sys
import tempfile
import time

from driver import ASSETS, Window

pliant = sys.argv[1]
device = sys.argv[2] if len(sys.argv) > 2 else "cpu"

with tempfile.TemporaryDirectory() as folder:
    recorded = pathlib.Path(folder) / "film"
    with Window(pliant, "--device", device, "--record", recorded, ASSETS / "scenes/drag_coarse.json",
                size=(760, 640)) as w:
        w.key("Tab")
        w.click("Pause")
        w.settings("a pause", lambda now: now["paused"])
        # A paused or hidden window uses almost no processor time.
        time.sleep(1)
        shares = [w.processor_share(2)]
        w.click("Play")
        w.settings("going on", lambda now: not now["paused"])
        shown = w.process_windows()
        w.xdo("windowunmap", *shown)
        time.sleep(1)
        shares.append(w.processor_share(2))
        w.xdo("windowmap", *shown)
        assert max(shares) < 0.02, f"fractions of a core, while paused and while hidden: {shares}"
        w.key("space", "space")
        w.settings("going on", lambda now: not now["paused"])
        w.click("jelly")
        w.settings("jelly", lambda now: abs(now["young"] / 3e3 - 1) < 1e-9 and abs(now["poisson"] - 0.45) < 1e-9
                   and now["density"] == 1000)
        # changes a number by typing after a click, and by dragging
        w.click("density")
        time.sleep(0.5)
        w.xdo("key", "ctrl+a")
        w.xdo("type", "--delay", 30, "512.5")
        w.quick("Return")
        w.settings("a density that was typed", lambda now: now["density"] == 512.5)
        x, y = w.item("density")
        w.move(x, y)
        w.xdo("mousedown", 1)
        for k in range(8):
            w.move(x + 5 * k, y)
            time.sleep(0.1)
        w.xdo("mouseup", 1)
        w.settings("a density that was dragged", lambda now: now["density"] > 512.5)
        w.click("material")
        w.click("material:mooney_rivlin")
        w.settings("mooney_rivlin", lambda now: now["material"] == "mooney_rivlin")
        w.click("floor")
        w.settings("a floor", lambda now: now["floor"])

        # Assembly, matrix and solver change without a reset of the body.
        w.click("Solver")
        w.item("device")  # the tab is shown: the tab before it has a heading "Advanced" too, at another place
        w.click("Advanced")
        step = w.events("settings")[-1]["step"]
        for kind, name in (("precision", "double"), ("assembly", "globalnz" if device == "cuda" else "cpu"),
                           ("matrix", "csr"), ("solver", "cg")):
            w.click(kind)
            w.click(f"{kind}:{name}")
            now = w.settings(f"{kind} {name}", lambda now: now[kind] == name)
            assert now["step"] >= step, "the body was reset"
            step = now["step"]
        assert now["cg_relative"] == "auto", "the window's default is not auto"
        w.click("cg relative auto")
        # A click on the check box "auto" switches it off. The number is then the middle of its logarithmic slider,
        # which ranges from 1e-12 to 0.5.
        w.settings("a bound for CG", lambda now: now["cg_relative"] != "auto"
                   and abs(now["cg_relative"] / (1e-12 * 0.5)**0.5 - 1) < 1e-5)
        w.click("cg relative auto")
        w.settings("CG as far as Newton needs", lambda now: now["cg_relative"] == "auto")
        if device == "cuda":
            for name in ("cpu", "cuda"):
                w.click("device")
                w.click(f"device:{name}")
                w.settings(f"device {name}", lambda now: now["device"] == name)

        w.click("View")
        w.click("field")
        w.click("field:von_mises")
        w.settings("colours", lambda now: now["field"] == "von_mises")
        for name in ("wireframe", "show pins", "section"):
            w.click(name)
        w.click("Plots")
        w.wait_for("the plot of spin", lambda: w.shows("spin change by the integrator"))

        # Each Esc closes one thing: first the open list, then the page of keys, then the panel.
        w.click("View")
        w.click("field")
        w.key("F1")
        w.wait_for("the list and the page of keys", lambda: w.shows("field:none") and w.shows("all keys"))
        for gone in ("field:none", "all keys", "Pause"):
            w.key("Escape")
            w.wait_for(f"{gone} closed", lambda: not w.shows(gone))
        w.key("Tab")

        # opens another scene and records it
        w.click("Files")
        # Key presses in quick succession must not be lost in an input field. This includes keys without characters, and
        # Esc, which leaves the field.
        w.click("path")
        w.xdo("type", "--delay", 5, "xyz")
        w.quick("BackSpace", "BackSpace", "BackSpace")
        w.xdo("type", "--delay", 5, "no such file.json")
        w.quick("Return")
        w.wait_for("a complaint", lambda: [line for line in w.events("message")
                                           if line["text"].startswith("no such file.json")])
        w.wait_for("a red field", lambda: w.shows("refused:path"))
        w.click("path")
        w.quick("Escape")
        time.sleep(0.5)
        assert w.shows("path") and len(w.events("start")) == 1
        w.click("scenes")
        w.click("scenes:drop_coarse.json")
        w.wait_for("another scene", lambda: len(w.events("start")) == 2)
        assert w.events("start")[1]["nodes"] != w.start["nodes"]
        films = shutil.which("ffmpeg")
        if not films:
            w.click("film")
        w.click("Record")
        w.wait_for("frames", lambda: len(list(recorded.glob("frame_*.png"))) > 5)
        # During a recording, Esc does not quit the program at once: a message asks the user to press it again.
        w.xdo("mousemove", 20, 600)
        for name in ("Escape", "Escape"):
            w.key(name)
        w.wait_for("a question", lambda: [line for line in w.events("message")
                                          if "press Esc or Ctrl+Q again" in line["text"]])
        w.key("v")
        w.wait_for("the end of it", lambda: [line for line in w.events("message") if f"in {recorded}" in line["text"]])
        w.key("Tab")
        # The next recording uses another folder. If a signal interrupts the program, it completes this recording.
        second = recorded.with_name(recorded.name + "-2")
        w.click("Record")
        w.wait_for("frames", lambda: len(list(second.glob("frame_*.png"))) > 2)
        w.process.send_signal(signal.SIGINT)
        printed, words = w.process.communicate(timeout=60)
        assert w.process.returncode == 0, words
        assert not films or (second / "film.mp4").stat().st_size > 1000
        pictures = sorted(recorded.glob("frame_*.png"))
        assert [p.name for p in pictures] == [f"frame_{k:05d}.png" for k in range(len(pictures))], "a frame is missing"
        assert f"Frames recorded: {len(pictures)}, in" in printed, printed
        assert not films or (recorded / "film.mp4").stat().st_size > 1000
        print(f"{len(pictures)} frames recorded, {step} steps through all stages; {shares[0]:.1%} of a core paused, "
              f"{shares[1]:.1%} out of sight")

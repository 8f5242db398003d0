#!/usr/bin/env python3
"""Uses the mouse in the window: drags the body, which follows; keeps the pull, pins a patch, turns the view, pauses,
resets, moves the pulled part violently, and quits with Esc. The body is a ball on the CPU and a hand on the GPU. Exit
status 77: Xvfb or xdotool is missing.

usage: test_drag.py PLIANT [DEVICE]     cuda: with the fine hand
"""
import math
import os
import pathlib
import sys
import time

from driver import ASSETS, Window

pliant = sys.argv[1]
device = sys.argv[2] if len(sys.argv) > 2 else "cpu"
mesh = ASSETS / "meshes" / ("hand.msh" if device == "cuda" else "sphere_305.msh")
shot = pathlib.Path(f"/tmp/pliant-drag-{os.getpid()}.png")

with Window(pliant, "--device", device, "--screenshot", shot, mesh) as w:
    width, height = w.size
    assert w.start["size"] == [width, height], w.start

    # presses just below the highest node
    x, y = (round(value) for value in w.start["highest"]["pixel"])
    assert 0 < x < width and 0 < y < height - 60, w.start
    y += 6
    w.move(x, y)
    time.sleep(0.3)
    w.xdo("mousedown", 1)
    pick = w.wait_for("pick", lambda: w.events("pick"))[0]
    assert math.dist(pick["pixel"], (x + 0.5, y + 0.5)) < 8, f"the picked point is not under the mouse: {pick}"
    assert math.dist(pick["cursor"], (x + 0.5, y + 0.5)) < 1, pick

    # drags by 50 pixels, then waits until the picked point has followed
    for k in range(1, 11):
        w.move(x + 5 * k, y + k)
        time.sleep(0.05)
    goal = (x + 50.5, y + 10.5)

    def followed():
        return [line for line in w.events("drag")
                if math.dist(line["cursor"], goal) < 1 and math.dist(line["pixel"], goal) < 12]

    drag = w.wait_for("finger at the mouse", followed)[0]
    assert drag["nodes"] == pick["nodes"]
    before, after = math.dist(pick["point"], drag["target"]), math.dist(drag["point"], drag["target"])
    assert after < 0.4 * before, f"the picked point did not move toward its target: {before:g} m, then {after:g} m"
    assert drag["pixels"] != pick["pixels"], "the picture did not change"
    assert drag["step"] > pick["step"]

    # The wheel moves the target of the pull away from the camera.
    w.xdo("click", 4)
    w.wait_for("a deeper target", lambda: math.dist(w.events("drag")[-1]["target"], drag["target"]) > 0.01)
    w.xdo("click", 5)

    # K keeps the pull after the release of the mouse button. A double click next to the body fits the view to the whole
    # body. L ends the pull.
    w.key("k")
    w.wait_for("release", lambda: w.events("release"))
    w.settings("a kept patch", lambda now: now["kept"] == 1)
    w.xdo("mouseup", 1)
    w.move(380, height - 60)
    time.sleep(0.3)
    first = w.events("view")[-1]
    w.xdo("click", "--repeat", 2, "--delay", 60, 1)
    all_of_it = w.wait_for("all of the body", lambda: w.events("view")[-1] != first and w.events("view")[-1])
    assert math.dist(all_of_it["target"], first["target"]) > 0.005, (first, all_of_it)
    w.key("c")
    w.key("l")
    w.settings("nothing kept", lambda now: now["kept"] == 0)
    release = w.events("release")[0]
    assert release["triangle"] == pick["triangle"]

    # A click with Shift pins the patch under the mouse.
    w.key("r")
    time.sleep(0.5)
    w.move(x, y)
    time.sleep(0.3)
    w.xdo("keydown", "shift", "click", 1, "keyup", "shift")
    w.settings("a pinned patch", lambda now: now["pin_version"] == 1)
    assert w.events("pin")
    w.key("l")
    w.settings("a patch let go", lambda now: now["pin_version"] == 2)
    w.key("r")

    # The point that is picked depends on the mouse's position when the button was pressed. Its position when the
    # program processes the press does not matter.
    w.xdo("mousemove", x, y, "mousedown", 1, "mousemove", x - 90, y + 30, "mouseup", 1)
    quick = w.wait_for("a quick pick", lambda: w.events("pick")[1:])[0]
    assert math.dist(quick["cursor"], (x + 0.5, y + 0.5)) < 1, quick
    w.wait_for("its release", lambda: len(w.events("release")) == 2)

    # If the left button is pressed next to the body, a drag turns the view and picks nothing.
    w.move(60, height // 2)
    w.xdo("mousedown", 1)
    time.sleep(0.3)
    w.move(88, height // 2)
    w.xdo("mouseup", 1)
    w.key("c", "space", "s", "r", "space")
    w.settings("going on", lambda now: not now["paused"] and now["speed"] == 1)
    w.key("bracketleft")
    w.settings("half speed", lambda now: now["speed"] == 0.5)
    w.key("bracketright")
    w.settings("full speed", lambda now: now["speed"] == 1)

    # moves violently from one side of the window to the other, repeatedly
    w.move(x, y + 30)
    time.sleep(0.3)
    w.xdo("mousedown", 1)
    w.wait_for("a third pick", lambda: len(w.events("pick")) == 3)
    for k in range(60):
        w.move(5 if k % 2 else width - 5, 5 if k % 3 else height - 5)
        time.sleep(0.02)
    w.xdo("mouseup", 1)
    w.wait_for("a third release", lambda: len(w.events("release")) == 3)
    end = w.events("release")[2]
    assert all(math.isfinite(value) and abs(value) < 10 for value in end['point']), end
    w.settings("still going on", lambda now: not now["paused"])

    end, _ = w.leave()
    assert end['event'] == "exit" and end['picks'] == 3, end
    assert shot.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    shot.unlink()
    assert not pathlib.Path("imgui.ini").exists()
    print(f"from {math.dist(pick['pixel'], goal):.0f} to {math.dist(drag['pixel'], goal):.1f} pixels from the mouse, "
          f"{before:.3f} to {after:.3f} m, {end['frame']} frames, {end['step']} steps, answered in "
          f"{end['frames_to_answer']:.2f} frames, at most {end['most_frames_to_answer']}")

# The material is so stiff that a step takes minutes. Within 1.5 s, the window must still respond, and it must show a
# warning. One thread computes, since the step need not be fast.
os.environ["OMP_NUM_THREADS"] = "1"
with Window(pliant, "--device", "cpu", "--young", "1e6", "--poisson", "0.47", ASSETS / "scenes/demo_coarse.json") as w:
    x, y = (round(value) for value in w.start["highest"]["pixel"])
    w.move(x, y + 6)
    time.sleep(0.3)
    w.xdo("mousedown", 1)
    w.wait_for("pick", lambda: w.events("pick"))
    for k in range(1, 11):
        w.move(x + 8 * k, y + 6)
        time.sleep(0.05)
    w.wait_for("a word about it", lambda: [line for line in w.events("message")
                                           if "try: Poisson's ratio below 0.45" in line["text"]])
    heard = []

    def wants(key, what, condition):
        pressed = time.monotonic()
        w.xdo("key", key)
        w.wait_for(what, condition, 0.005)
        heard.append(time.monotonic() - pressed)

    wants("space", "a pause", lambda: w.events("settings")[-1]["paused"])
    w.xdo("key", "space")
    time.sleep(0.5)
    wants("bracketleft", "half speed", lambda: w.events("settings")[-1]["speed"] == 0.5)
    time.sleep(0.5)
    pressed = time.monotonic()
    w.xdo("key", "Escape")
    w.process.wait(timeout=60)
    heard.append(time.monotonic() - pressed)
    print("heard after", ", ".join(f"{after:.2f} s" for after in heard))
    assert max(heard) < 1.5, heard  # s; 0.2 s and some frames are expected, and the bound allows for busy machines

#!/usr/bin/env python3
"""Makes a scene with the mouse in the tab Scene of the panel, beginning with the command `new scene`: two bodies, an
obstacle, a pin and a force. Refused values change nothing. Undo brings back the earlier scene. The saved scene gives
the same bits as the window. Exit status 77: Xvfb or xdotool is missing.

usage: test_edit.py PLIANT
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from driver import Window, arrays

pliant = pathlib.Path(sys.argv[1]).resolve()
FAST = ("--antialias", "off", "--occlusion", "off", "--max-fps", "6", "--device", "cpu", "--state", "end.npz")
FIRST = {"mesh": "first.msh", "scale": 2, "pins": {"z": [None, 0.1]}, "gravity": [0, 0, -1], "dt": 1 / 60}

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    (folder / "first.json").write_text(json.dumps(FIRST))
    (folder / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n")
    subprocess.run([pliant, "make", "box", "--cells", "1", "-o", folder / "first.msh"], check=True, capture_output=True)
    with Window(pliant, *FAST, "first.json", size=(400, 640), cwd=folder, home=folder) as w:
        def shown():
            return len(w.events("start"))

        def entries():
            return [name[6:] for name in w.events("panel")[-1]["items"] if name.startswith("entry:")]

        def says(text, action):
            before = len(w.events("message"))
            action()
            w.wait_for(text, lambda: [m for m in w.events("message")[before:] if text in m["text"]], 0.02)

        def edited(action, expected=None):
            """Performs an edit. Waits until the edited scene is shown and the tab Scene lists the expected entries."""
            scenes = shown()
            says("scene edited and paused", action)
            w.wait_for("the edited scene", lambda: shown() == scenes + 1, 0.02)
            if expected:
                w.wait_for(f"the entries {expected}", lambda: entries() == ["scene", *expected], 0.02)

        def click(name):
            """Clicks a widget, like Window.click but without its pauses, since widgets of this tab do not move after
            they have appeared."""
            w.wait_for(name, lambda: w.shows(name), 0.02)
            x, y = w.events("panel")[-1]["items"][name]
            w.xdo("mousemove", x, y, "sleep", 0.15, "click", 1)

        def add(kind, expected):
            click("Add")
            edited(lambda: click(f"add:{kind}"), expected)

        def write(key, text):
            click(f"key:{key}")
            w.quick("ctrl+a", "BackSpace")
            w.xdo("type", "--delay", 10, text)
            w.quick("Return")

        def palette(text):
            w.quick("ctrl+p")
            w.wait_for("the palette", lambda: w.shows("palette"))
            w.xdo("type", "--delay", 10, text)
            w.quick("Return")

        # If a mesh file is added to a scene with one mesh, the scene gets a list of bodies. Undo restores the scene
        # with one mesh.
        palette("edit scene")
        w.wait_for("the entries", lambda: entries() == ["scene", "mesh: first.msh", "pin 1"])
        click("Add")
        click("add:mesh file...")
        w.wait_for("the browser", lambda: w.shows("file:first.msh"))
        w.quick("End")
        edited(lambda: w.quick("Return"), ["body 0: first.msh", "body 1: first.msh", "pin 1"])
        edited(lambda: w.key("ctrl+z"), ["mesh: first.msh", "pin 1"])

        # Makes a scene of two bodies, an obstacle, a pin and a force.
        scenes = shown()
        click("New")
        w.wait_for("the new scene", lambda: shown() == scenes + 1 and entries() == ["scene", "body 0: box"])
        w.settings("a pause", lambda now: now["paused"] and now["floor"])
        click("entry:body 0: box")
        edited(lambda: write("shape.cells", "2"), ["body 0: box"])
        all_entries = ["body 0: box", "body 1: sphere", "obstacle 1: sphere", "pin 1", "force 1: total"]
        add("sphere", all_entries[:2])
        add("obstacle: sphere", all_entries[:3])
        click("Add")
        click("add:obstacle file...")
        w.wait_for("the browser", lambda: w.shows("file:a.obj"))
        edited(lambda: w.quick("a", "Return"), [*all_entries[:3], "obstacle 2: mesh"])
        edited(lambda: w.key("ctrl+z"), all_entries[:3])
        click("entry:body 1: sphere")
        add("pin", all_entries[:4])
        add("force", all_entries)
        edited(lambda: write("total", "5, 0, 2.5"), all_entries)

        # If a value is refused, the scene stays as it is. Two kinds are refused: values that no scene can have, and
        # values that the simulation refuses.
        scenes = shown()
        says('"total": is a text, expected three numbers', lambda: write("total", "5, much, 2"))
        click("entry:body 1: sphere")
        says("bodies[1].scale", lambda: write("scale", "0"))
        w.wait_for("the marked field", lambda: w.shows("refused:scale"))
        says("bodies[1].shape", lambda: write("shape.size", "1, 1"))
        # A list shows all messages.
        w.quick("ctrl+m")
        w.wait_for("a message in the list", lambda: w.shows("listed:error"), 0.02)
        click("messages: clear")
        w.wait_for("an empty list", lambda: w.shows("messages") and not w.shows("listed:error"), 0.02)
        click("messages: close")
        w.wait_for("no list", lambda: not w.shows("messages"), 0.02)
        assert shown() == scenes and entries() == ["scene", *all_entries]

        # The first undo removes the value of the force, the second the force itself. Redo restores both.
        edited(lambda: w.key("ctrl+z"), all_entries)
        edited(lambda: w.key("ctrl+z"), all_entries[:4])
        edited(lambda: w.key("ctrl+shift+z"), all_entries)
        edited(lambda: w.key("ctrl+shift+z"), all_entries)

        # The copy of a body is deleted. If a body is deleted, entries whose regions name this body, here a pin, are
        # deleted with it.
        click("entry:body 0: box")
        edited(lambda: click("Duplicate"), [*all_entries[:2], "body 2: box", *all_entries[2:]])
        edited(lambda: click("Delete"), all_entries)
        click("entry:body 1: sphere")
        left = ["body 0: box", "obstacle 1: sphere", "force 1: total"]
        says("1 entry refers to this body, so it was deleted too", lambda: edited(lambda: click("Delete"), left))
        edited(lambda: w.key("ctrl+z"), all_entries)

        # gives an entry a name in the list
        click("entry:force 1: total")
        w.wait_for("the force", lambda: w.shows("selected:force 1: total"), 0.02)
        w.quick("F2")
        w.wait_for("a field", lambda: w.shows("name of entry"), 0.02)
        w.xdo("type", "--delay", 30, "push")
        edited(lambda: w.quick("Return"), [*all_entries[:-1], "force 1: push"])

        w.key("ctrl+s")
        w.wait_for("the saved scene", lambda: (folder / "new-1.json").exists())
        w.quick("s")
        w.key("s", "ctrl+q")
        printed, words = w.process.communicate(timeout=60)
        assert w.process.returncode == 0 and "saved: new-1.json" in printed, (printed, words)
        steps = w.lines()[-1]["step"]
        assert steps > 0

    scene = json.loads((folder / "new-1.json").read_text())
    assert [body["shape"]["cells"] for body in scene["bodies"]] == [2, 3] and "density" not in scene["bodies"][1], scene
    force = scene["forces"][0]
    assert force["total"] == [5, 0, 2.5] and force["name"] == "push" and scene["self_contact"], scene
    assert scene["pins"][0]["body"] == 1 and scene["obstacles"][0]["kind"] == "sphere", scene
    done = subprocess.run([pliant, "bench", "new-1.json", "--steps", str(steps), "--state", "again.npz"], cwd=folder,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert arrays(folder / "again.npz") == arrays(folder / "end.npz"), "the saved scene moves otherwise"
print("a scene made with the mouse: undone, redone, saved and opened with the same bits")

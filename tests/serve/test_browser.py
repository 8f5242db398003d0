#!/usr/bin/env python3
"""Tests the page of `pliant serve` in the browser Chromium: pulls the body with the mouse, uses buttons, keys and the
timeline, changes settings, plots curves, saves scene, picture, film and table, and edits the scene. A second connection
to the server, without a browser, observes the effects. Exit status 77: there is no Chromium, or the server
cannot run here.

usage: test_browser.py PLIANT
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from chromium import browser, find_browser  # noqa: E402
from page_client import EXIT_SKIPPED, Page, Server, absent  # noqa: E402

SCENE = {"shapes": [{"kind": "box", "size": [1, 1, 1], "cells": 4}], "pins": [{"z": [None, 0.01]}], "mu": 500,
         "lambda": 500, "density": 10, "damping": 5, "dt": 1 / 60, "gravity": [0, 0, 0], "device": "cpu",
         "mouse_stiffness": 200, "mouse_radius": 0.3,
         "camera": {"eye": [0, -4, 0.5], "target": [0, 0, 0.5], "up": [0, 0, 1], "fov": 40}}
SIZE = (320, 240)
BODY = {"bodies": [{"name": "cube", "shape": {"kind": "box", "size": [1, 1, 1], "cells": 2}}], "young": 1e3,
        "density": 10, "device": "cpu"}


def check(tab, server, watcher):
    tab.call("Page.navigate", url=server.address)
    tab.wait(f"canvas.width == {SIZE[0]} && canvas.height == {SIZE[1]} && state.step > 0")
    tab.wait("element('control').textContent.startsWith('Click to take the control, 2 pages are open')")
    assert tab.value("picture.width") == SIZE[0]

    # pulls the body by 30 pixels of the picture
    box = tab.value("(box => [box.left, box.top, box.width])(canvas.getBoundingClientRect())")
    scale = box[2] / SIZE[0]
    start, to = ([box[0] + x * scale, box[1] + 90 * scale] for x in (160, 190))
    tab.mouse("Moved", start)
    tab.mouse("Pressed", start, button="left", buttons=1, clickCount=1)
    tab.wait("state.control == 'you' && state.point")
    tab.mouse("Moved", to, button="left", buttons=1)
    pulled = watcher.wait("a pull", lambda now: "target" in now and now["observables"]["elastic_J"] > 1)
    assert pulled["control"] == "another" and pulled["target"][0] > 0.25, pulled
    tab.wait("element('status').textContent.includes(' N')")
    tab.mouse("Released", to, button="left", clickCount=1)
    watcher.wait("a release", lambda now: "target" not in now and now["observables"]["elastic_J"] < 1e-3)

    # uses buttons and keys
    tab.value("element('pause').click()")
    step = watcher.wait("a pause", lambda now: now["paused"])["step"]
    tab.wait("element('pause').textContent == 'Play'")
    tab.key("s", "KeyS")
    # a time step that was running when the pause began may end after the pause, so there may be more than one new step
    watcher.wait("a step", lambda now: now["step"] > step)
    tab.wait("element('timeline').max == state.newest && element('timeline').value == state.newest")
    before = tab.value("element('timeline').value = state.newest - 1, "
                       "element('timeline').dispatchEvent(new Event('input')), Number(element('timeline').value)")
    watcher.wait("the step before", lambda now: now["step"] == before < now["newest"])
    tab.value("element('reset').click()")
    watcher.wait("a reset", lambda now: now["step"] == 0)
    tab.key("7", "Digit7")
    front = watcher.picture
    watcher.wait("the view from above", lambda now: watcher.picture != front)

    # changes settings in the panel; keys that are typed into an input field must not act as commands
    tab.value("element('open_settings').click()")
    tab.wait("element('set young').value == '1250'")
    groups = "[...document.querySelectorAll('#settings details')]"
    assert tab.value(f"{groups}.length") == 3 and not tab.value(f"{groups}.some(group => group.open)")
    assert tab.value("element('set newton_max').closest('details') && !element('set young').closest('details')")
    for key, value in (("young", "'2000'"), ("field", "'von_mises'"), ("gravity", "'0, 0, -1'"), ("floor", "'-1'")):
        tab.value(f"element('set {key}').value = {value}, element('set {key}').dispatchEvent(new Event('change'))")
    tab.value("element('set show_pins').click()")
    wanted = {"young": 2000, "field": "von_mises", "gravity": [0, 0, -1], "floor": -1, "show_pins": True}
    watcher.wait("the settings", lambda now: wanted.items() <= now["settings"].items())
    tab.value("element('set young').focus()")
    tab.key("r", "KeyR")
    tab.key("Enter", "Enter")
    tab.wait("document.activeElement.id != 'set young'")
    tab.value("element('set young').value = 'soft', element('set young').dispatchEvent(new Event('change'))")
    tab.wait("element('words').textContent.includes('modulus')")
    tab.wait("element('set young').value == '2000'")
    assert watcher.status["step"] == 0, "a key that was typed into a field has moved the simulation"
    # plots curves, in place of the settings
    tab.value("document.activeElement.blur(), element('open_curves').click()")
    assert tab.value("element('settings').hidden && !element('curves').hidden")
    tab.value("element('curve elastic_J').click()")
    tab.key(" ", "Space")
    watcher.wait("more steps", lambda now: now["step"] > 30)
    tab.wait("samples.length > 3 && chosen.size == 2")
    header, *rows = tab.value("curvesTable()").splitlines()
    assert header.startswith("time_s,kinetic_J,elastic_J,"), header
    times = [float(row.split(",")[0]) for row in rows]
    assert times == sorted(set(times)) and times[-1] > 0.3, times
    inked = "(data => data.filter((value, k) => k % 4 == 3 && value > 0).length)(element('plot').getContext('2d')" \
            ".getImageData(0, 0, element('plot').width, element('plot').height).data)"
    assert tab.value(inked) > 300, tab.value(inked)

    # saves the scene on the server, and the picture and a film in the browser
    tab.value("element('save').click()")
    tab.wait("element('words').textContent.startsWith('saved: ')")
    downloads = "window.files = []; download = (data, type, name) => files.push([name, type, data.size || data.length])"
    tab.value(downloads)
    tab.value("element('take_picture').click(), element('save_curves').click()")
    tab.wait("files.length == 2")
    if tab.value("!element('film').hidden"):
        tab.value("element('film').click()")
        time.sleep(1)
        tab.value("element('film').click()")
        tab.wait("files.length == 3 && element('film').textContent == 'Record'")
    files = {name: (kind, size) for name, kind, size in tab.value("files")}
    for name, kind in (("pliant.png", "image/png"), ("pliant.csv", "text/csv"), ("pliant.webm", "video/webm")):
        assert name not in files or (files[name][0] == kind and files[name][1] > 200), files
    assert {"pliant.png", "pliant.csv"} <= set(files), files
    assert not tab.faults, tab.faults
    assert server.end()[0] == 0
    tab.wait("element('status').textContent.startsWith('Not connected')")


def check_size(tab, server):
    """Without --size, the picture is as large as its place in the page, also after a panel has made this place
    narrower."""
    tab.call("Page.navigate", url=server.address)
    fits = "[view.clientWidth, view.clientHeight].join() == [canvas.width, canvas.height].join() && state.step > 0"
    tab.wait(fits)
    wide = tab.value("canvas.width")
    tab.value("element('open_settings').click()")
    tab.wait(f"canvas.width < {wide} - 100 && {fits}")
    filled = "(box => box.width == view.clientWidth)(canvas.getBoundingClientRect())"
    assert tab.value(filled)


def check_editor(tab, pliant, folder):
    """Adds a body, an obstacle, a pin and a force, changes a colour, types a bad value, undoes and redoes, and saves.
    The program then opens the saved scene."""
    def entries():
        return tab.value("[...element('entries').options].map(line => line.text)")

    def finish(action, expected=None):
        """Waits until the scene of an edit is shown, and compares the list of entries with the expected one."""
        tab.value(f"window.version = scene.version, {action}")
        tab.wait("scene.version != version && !scene.builds")
        assert expected is None or entries() == expected, entries()

    def set_key(key, text):
        return f"element('key {key}').value = '{text}', element('key {key}').dispatchEvent(new Event('change'))"

    def add(kind, expected):
        finish(f"element('kinds').value = '{kind}', element('kinds').dispatchEvent(new Event('change'))", expected)

    tab.wait("scene && state.step > 0")
    tab.value("element('open_scene').click()")
    assert entries() == ["scene", "body 0: cube"], entries()
    made = ["scene", "body 0: cube", "body 1: sphere", "obstacle 1: plane", "pin 1", "force 1: total"]
    for count, kind in enumerate(("sphere", "obstacle: plane", "pin", "force"), 3):
        add(kind, made[:count])
    finish(set_key("total", "5, 0, 2"))

    # selects the box by keys, and types its colour
    tab.value("element('entries').focus()")
    tab.key("Home", "Home")
    tab.key("ArrowDown", "ArrowDown")
    tab.wait("scene.selected == 1 && element('key color') && element('key shape.size').value == '1, 1, 1'")
    assert tab.value("element('key mesh').disabled && element('key shape.kind').options.length == 5")
    tab.value("window.version = scene.version, element('key color').focus()")
    tab.call("Input.insertText", text="0.2, 0.4, 1")
    tab.key("Enter", "Enter", text="\r")
    tab.wait("scene.version != version && !scene.builds && element('color color').value == '#3366ff'")

    # A refused value turns red with the reason next to it, and Esc brings back the old value.
    tab.value(set_key("place", "0, much"))
    tab.wait("element('key place').classList.contains('refused')")
    reason = tab.value("element('key place').closest('td').innerText")
    assert "bodies[0].place" in reason and "expected" in reason, reason
    assert tab.value("element('key place').value") == "0, much"
    tab.value("element('key place').focus()")
    finish(set_key("place", "0, 0, 0"))
    tab.wait("scene.refused == ''")
    finish("act('undo')")  # the place
    finish("act('undo')", made)
    assert tab.value("element('key color').value == '' && !element('key place').classList.contains('refused')")
    finish("element('redo').click()", made)
    tab.value("element('entries').focus()")
    tab.key("End", "End")
    tab.wait("scene.selected == 5 && element('key total').value == '5, 0, 2'")
    tab.key("F2", "F2")
    assert tab.value("document.activeElement.id") == "key name"
    finish(set_key("name", "push"), [*made[:-1], "force 1: push"])

    tab.value("element('save').click()")
    tab.wait("element('words').textContent.startsWith('saved: ')")
    saved = pathlib.Path(folder) / tab.value("element('words').textContent").removeprefix("saved: ")
    scene = json.loads(saved.read_text(encoding="utf-8"))
    assert scene["bodies"][0]["color"] == [0.2, 0.4, 1] and scene["forces"][0]["total"] == [5, 0, 2], scene
    done = subprocess.run([pliant, "bench", saved, "--steps", "2"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not tab.faults, tab.faults


def main(pliant):
    program = find_browser()
    if not program:
        print("skipped: there is no Chromium")
        return EXIT_SKIPPED
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        scene = pathlib.Path(folder) / "box.json"
        scene.write_text(json.dumps(SCENE), encoding="utf-8")
        reason = absent(pliant, scene)
        if reason:
            print("skipped:", reason)
            return EXIT_SKIPPED
        server = Server(pliant, str(scene), "--size", f"{SIZE[0]}x{SIZE[1]}", cwd=folder)
        with browser(program, folder) as tab:
            with server, Page(server) as watcher:
                check(tab, server, watcher)
            with Server(pliant, str(scene), cwd=folder) as server:
                check_size(tab, server)
            scene.write_text(json.dumps(BODY), encoding="utf-8")
            with Server(pliant, str(scene), "--size", "64x64", cwd=folder) as server:
                tab.call("Page.navigate", url=server.address)
                check_editor(tab, pliant, folder)
    print("the page works in", program)
    return 0


sys.exit(main(os.path.abspath(sys.argv[1])))

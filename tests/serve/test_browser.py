#!/usr/bin/env python3
"""Tests the page of `pliant serve` in the browser Chromium: pulls the body with the mouse, and uses buttons and keys. A
second page, without a browser, shows the effect. Exit status 77: there is no Chromium, or the server cannot run here.

usage: test_browser.py PLIANT
"""
import contextlib
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.dont_write_bytecode = True
from page_client import EXIT_SKIPPED, TEXT, Page, Server, WebSocket, absent  # noqa: E402

SCENE = {"shapes": [{"kind": "box", "size": [1, 1, 1], "cells": 4}], "pins": [{"z": [None, 0.01]}], "mu": 500,
         "lambda": 500, "density": 10, "damping": 5, "dt": 1 / 60, "gravity": [0, 0, 0], "device": "cpu",
         "mouse_stiffness": 200, "mouse_radius": 0.3,
         "camera": {"eye": [0, -4, 0.5], "target": [0, 0, 0.5], "up": [0, 0, 1], "fov": 40}}
SIZE = (320, 240)


class Tab(WebSocket):
    """A tab of the browser, controlled by the DevTools protocol. `faults` are errors of scripts."""

    def __init__(self, port, path):
        super().__init__(port, path)
        self.last_id, self.faults = 0, []
        for domain in ("Runtime", "Log", "Page"):
            self.call(domain + ".enable")

    def call(self, method, **params):
        self.last_id += 1
        self.send(id=self.last_id, method=method, params=params)
        while True:
            kind, data = self.receive_frame()
            answer = json.loads(data) if kind == TEXT else {}
            if answer.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded"):
                self.faults.append(answer)
            if answer.get("id") == self.last_id:
                return answer["result"]

    def value(self, expression):
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def wait(self, expression, seconds=60):
        end = time.monotonic() + seconds
        while not self.value(expression):
            assert time.monotonic() < end, (expression, self.value("document.body.innerText"), self.faults)
            time.sleep(0.1)

    def mouse(self, kind, at, **more):
        self.call("Input.dispatchMouseEvent", type="mouse" + kind, x=at[0], y=at[1], **more)

    def key(self, key, code):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code)


@contextlib.contextmanager
def browser(program, folder):
    """Runs the browser without a window. Yields its first tab."""
    words = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
             f"--user-data-dir={folder}", "about:blank"]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            active, end = pathlib.Path(folder) / "DevToolsActivePort", time.monotonic() + 60
            while not active.exists() or "\n" not in active.read_text(encoding="ascii"):
                assert time.monotonic() < end and process.poll() is None, "the browser has not started"
                time.sleep(0.1)
            port = int(active.read_text(encoding="ascii").split()[0])
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json") as answer:
                tab = next(row for row in json.load(answer) if row["type"] == "page")
            with Tab(port, "/" + tab["webSocketDebuggerUrl"].split("/", 3)[3]) as made:
                yield made
        finally:
            process.terminate()


def check(tab, server, watcher):
    tab.call("Page.navigate", url=server.address)
    tab.wait(f"canvas.width == {SIZE[0]} && canvas.height == {SIZE[1]} && state.step > 0")
    assert tab.value("element('control').textContent").startswith("Click to take the control, 2 pages are open")
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
    watcher.wait("a step", lambda now: now["step"] == step + 1)
    tab.value("element('reset').click()")
    watcher.wait("a reset", lambda now: now["step"] == 0)
    tab.key("7", "Digit7")
    front = watcher.picture
    watcher.wait("the view from above", lambda now: watcher.picture != front)

    # changes settings in the panel; keys that are typed into a field are no commands
    tab.value("element('panel').open = true")
    tab.wait("element('set young').value == '1250'")
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
    tab.value("element('panel').open = false")
    tab.key(" ", "Space")
    watcher.wait("more steps", lambda now: now["step"] > 5)
    assert not tab.faults, tab.faults
    assert server.end()[0] == 0
    tab.wait("element('status').textContent.startsWith('Not connected')")


def main(pliant):
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
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
        server = Server(pliant, str(scene), "--size", f"{SIZE[0]}x{SIZE[1]}")
        with server, browser(program, folder) as tab, Page(server) as watcher:
            check(tab, server, watcher)
    print("the page works in", program)
    return 0


sys.exit(main(sys.argv[1]))

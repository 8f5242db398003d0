"""Controls the browser Chromium without a window, for tests and pictures of the page of `pliant serve`."""
import contextlib
import json
import pathlib
import shutil
import subprocess
import time
import urllib.request

from page_client import TEXT, WebSocket


def find_browser():
    """Returns the path of Chromium, or None if it is not installed."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Tab(WebSocket):
    """A tab of the browser, controlled by the DevTools protocol. `faults` lists the errors of the page's scripts."""

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

    def key(self, key, code, **more):
        number = {"Enter": 13, "End": 35, "Home": 36, "ArrowDown": 40, "F2": 113}.get(key, 0)
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code, windowsVirtualKeyCode=number, **more)


@contextlib.contextmanager
def browser(program, folder):
    """Runs the browser without a window, with the folder for its data. Yields its first tab."""
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

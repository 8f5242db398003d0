"""Controls a real window for tests: a display (Xvfb or $PLIANT_TEST_DISPLAY), a mouse and a keyboard (xdotool), and the
events that the program writes to its trace."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

PATIENCE = 60
ASSETS = pathlib.Path(os.environ.get("PLIANT_ASSETS") or pathlib.Path(__file__).resolve().parents[2] / "assets")


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def arrays(path):
    """Returns the members of a .npz file as bytes. Whole files differ, because they contain dates."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


class Window:
    """A window of the program. `with Window(pliant, words...) as w:` opens it and waits for its first frame. w.start is
    its event "start" in the trace. `dpi`: density that the desktop reports; 0: none. `screen`: size of the screen in
    pixels. `preload`: library for LD_PRELOAD. `fps`: largest number of pictures per second."""

    def __init__(self, pliant, *words, size=(400, 320), first=False, cwd=None, home=None, dpi=0, screen=None,
                 preload="", fps=20):
        self.display = os.environ.get("PLIANT_TEST_DISPLAY")
        for tool in ("Xvfb", "xdotool"):
            if not shutil.which(tool) and not (tool == "Xvfb" and self.display):
                skip(f"{tool} is not installed")
        # first: the options for the window follow the first two words, a command and its argument; otherwise they come
        # first
        head, tail = (words[:2], words[2:]) if first else ((), words)
        window = ["--window-size", f"{size[0]}x{size[1]}"]
        # The CPU draws most pictures of these tests. 20 pictures a second suffice, and take a third of the time of 60
        # pictures.
        if not first and pathlib.Path(pliant).name == "pliant":
            window += ["--max-fps", str(fps)]
        self.command, self.size = [pliant, *map(str, head), *window, *map(str, tail)], size
        self.process = self.server = None
        self.cwd, self.home = cwd, home  # working directory; folder of the recent files
        self.dpi, self.preload = dpi, preload
        self.screen = screen or [(size[i] + margin) * (dpi or 96) // 96 for i, margin in enumerate((240, 160))]

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.trace = pathlib.Path(self.folder.name) / "trace.jsonl"
        self.parsed, self.read_to = [], 0  # parsed lines of the trace, and the number of bytes that have been read
        try:
            # a separate XDG_STATE_HOME keeps the user's list of recent files unchanged
            # Without threads of its own, Mesa's software renderer takes a tenth less processor time.
            self.environment = dict(os.environ, DISPLAY=self.display or self.start_display(), LP_NUM_THREADS="0",
                                    XDG_STATE_HOME=self.home or self.folder.name)
            launched = time.monotonic()
            environment = dict(self.environment, LD_PRELOAD=str(self.preload)) if self.preload else self.environment
            self.process = subprocess.Popen([*self.command, "--trace", self.trace], env=environment, cwd=self.cwd,
                                            stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            try:
                self.start = self.wait_for("first frame", lambda: self.events("start"), 0.005)[0]
                self.started_in = time.monotonic() - launched  # s, from the start of the program to its first frame
            except AssertionError:
                if self.process.poll() is not None:
                    words = self.process.stderr.read()
                    if "OpenGL" in words or "no usable GPU" in words:
                        skip(words.strip().split("\n")[-1])
                    raise AssertionError(words) from None
                raise
        except BaseException:
            self.__exit__()
            raise
        return self

    def start_display(self):
        """Starts Xvfb, which chooses a free display number. Returns the name of the display."""
        reading, writing = os.pipe()
        screen = f"{self.screen[0]}x{self.screen[1]}x24"
        self.server = subprocess.Popen(["Xvfb", "-displayfd", str(writing), "-screen", "0", screen, "-nolisten", "tcp",
                                        "-noreset"], pass_fds=[writing], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
        os.close(writing)
        with os.fdopen(reading) as numbers:
            number = numbers.readline().strip()
        if not number:
            skip("Xvfb does not start")
        if self.dpi:
            if not shutil.which("xprop"):
                skip("xprop is not installed")
            subprocess.run(["xprop", "-display", f":{number}", "-root", "-format", "RESOURCE_MANAGER", "8s", "-set",
                            "RESOURCE_MANAGER", f"Xft.dpi:\t{self.dpi}\n"], check=True)
        return f":{number}"

    def __exit__(self, *_):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.server:
            self.server.terminate()
            self.server.wait()
        self.folder.cleanup()

    def lines(self):
        """Returns the complete lines that the program has written to the trace. Reads only the new ones from the
        file."""
        if self.trace.exists():
            with open(self.trace, "rb") as file:
                file.seek(self.read_to)
                text = file.read()
            end = text.rfind(b"\n") + 1
            self.read_to += end
            self.parsed += [json.loads(line) for line in text[:end].split(b"\n")[:-1]]
        return list(self.parsed)

    def events(self, event):
        return [line for line in self.lines() if line["event"] == event]

    def wait_for(self, what, condition, nap=0.05, patience=PATIENCE):
        """Waits until condition() is true. Returns its value."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            assert self.process.poll() is None, f"the window closed with {self.process.returncode} before {what}"
            result = condition()
            if result:
                return result
            time.sleep(nap)
        raise AssertionError(f"no {what} within {patience} s; the threads did {self.threads()}; the last lines were "
                             f"{self.lines()[-3:]}")

    def threads(self):
        """Returns the state, the processor time in s, and the present system call of each thread of the program, twice
        within a second. This shows if the program hangs, and where it waits."""
        def now():
            found = []
            for task in sorted(pathlib.Path(f"/proc/{self.process.pid}/task").glob("*")):
                try:
                    fields = (task / "stat").read_text().rsplit(")", 1)[1].split()
                    call = (task / "syscall").read_text().split()[:1]
                except OSError:  # the thread has ended, or the file may not be read
                    continue
                seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
                found.append((task.name, fields[0], seconds, *call))
            return found
        first = now()
        time.sleep(1)
        return first, now()

    def settings(self, what, condition):
        """Waits until the newest settings in the trace fulfil a condition. Returns these settings."""
        def newest():
            settings = self.events("settings")
            return settings and condition(settings[-1]) and settings[-1]
        return self.wait_for(what, newest)

    def xdo(self, *words):
        subprocess.run(["xdotool", *map(str, words)], check=True, env=self.environment, stdout=subprocess.DEVNULL)

    def key(self, *names):
        for name in names:
            self.xdo("key", name)
            time.sleep(0.1)

    def move(self, x, y):
        self.xdo("mousemove", round(x), round(y))

    def quick(self, *names):
        """Presses keys 10 ms apart, so fast that they arrive between two frames. GLFW would merge presses that are 1 ms
        apart."""
        self.xdo("key", "--delay", 10, *names)

    def processor_share(self, seconds):
        """Returns the fraction of a core that the program uses during `seconds` seconds."""
        def taken():
            fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        before = taken()
        time.sleep(seconds)
        return (taken() - before) / seconds

    def process_windows(self):
        """Returns the identifiers of the program's visible windows."""
        found = subprocess.run(["xdotool", "search", "--onlyvisible", "--name", "Pliant"], env=self.environment,
                               text=True, stdout=subprocess.PIPE, check=True)
        return found.stdout.split()

    def titles(self):
        found = subprocess.run(["xdotool", "search", "--onlyvisible", "--name", "Pliant", "getwindowname", "%@"],
                               env=self.environment, text=True, stdout=subprocess.PIPE, check=True)
        return found.stdout.split("\n")[:-1]

    def shows(self, name):
        """Returns true if the widget `name` of the panel is visible. "all keys" is the page that lists the keys."""
        panels = self.events("panel")
        return bool(panels) and name in panels[-1]["items"]

    def click_at(self, x, y):
        self.move(x, y)
        time.sleep(0.3)
        self.xdo("click", 1)

    def item(self, name):
        """Waits until the widget `name` of the panel is visible and no longer moves. Returns its pixel."""
        def position():
            panels = self.events("panel")
            return panels and panels[-1]["items"].get(name)
        before, now = None, self.wait_for(f"{name} in the panel", position)
        while now != before:
            time.sleep(0.25)
            before, now = now, self.wait_for(f"{name} in the panel", position)
        return now

    def click(self, name):
        self.click_at(*self.item(name))

    def leave(self):
        """Presses Esc, which ends the program. Returns the last event of the trace, and the program's output."""
        self.key("Escape")
        printed, words = self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == 0, words
        return self.lines()[-1], printed

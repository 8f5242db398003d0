"""Drags the handles of the scene editor in a window, for tests."""
import json
import subprocess

from driver import Window, arrays


class EditedWindow(Window):
    def place(self, name):
        """Returns the pixel of a widget or handle; None: it is not shown."""
        return self.events("panel")[-1]["items"].get(name)

    def drag(self, name, dx, dy, key=None, cancel=False, during=None):
        """Drags a handle by some pixels. key: a key that is held during the drag; cancel: presses Esc before the
        release; during: function that is called before the release."""
        x, y = self.item(name)
        self.move(x, y)
        if key:
            self.xdo("keydown", key)
        self.xdo("mousedown", 1)
        self.xdo("mousemove", "--sync", round(x + dx / 2), round(y + dy / 2))
        self.xdo("sleep", 0.2, "mousemove", round(x + dx), round(y + dy), "sleep", 0.4)
        if during:
            during()
        if cancel:
            self.quick("Escape")
        self.xdo("mouseup", 1)
        if key:
            self.xdo("keyup", key)

    def select(self, entry):
        """Selects an entry of the list of the tab Scene, and waits until its keys and handles are shown."""
        self.click(f"entry:{entry}")
        self.wait_for(f"the entry {entry}", lambda: self.place(f"selected:{entry}"))

    def edited(self, action):
        """Performs an edit, and waits until the edited scene is shown."""
        scenes = len(self.events("start"))
        action()
        self.wait_for("the edited scene", lambda: len(self.events("start")) == scenes + 1, 0.02)

    def saved(self, path):
        """Saves the scene, into a file that must have this path. Returns the scene."""
        path.unlink(missing_ok=True)
        self.key("ctrl+s")
        self.wait_for("the saved scene", path.exists)
        return json.loads(path.read_text())

    def step_and_quit(self):
        """Takes a time step and quits during a second one, which may or may not be completed."""
        self.quick("s")
        self.key("s", "ctrl+q")
        self.process.communicate(timeout=60)
        assert self.process.returncode == 0


def moves_alike(pliant, scene, state):
    """Returns true if `pliant bench` computes the same state, after one step or two, as a window that ended with
    step_and_quit."""
    again = state.with_name("again.npz")
    for steps in (1, 2):
        done = subprocess.run([pliant, "bench", scene, "--steps", str(steps), "--state", again], cwd=state.parent,
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        if arrays(again) == arrays(state):
            return True
    return False

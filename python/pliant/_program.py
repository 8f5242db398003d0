"""Runs the program pliant as a process: recordings, comparisons with analytic solutions, and the window."""
import atexit
import html
import json
import logging
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import typing
import webbrowser

from . import _library
from ._base import library
from ._scene import Scene
from ._simulation import Simulation
from .errors import BadArgument, NoDisplay, NoProgram, ProgramFailed

Path = typing.Union[str, os.PathLike]
Subject = typing.Union[Scene, Simulation, str, os.PathLike]
PATIENCE = 30  # s, time that an interrupted program gets to complete its files
# Options of `pliant record` by the ending of a file name. The program refuses films that it cannot write.
OUTPUTS = {".npz": "state", ".json": "save_scene", ".csv": "probe_file",
           **dict.fromkeys((".mp4", ".webp", ".gif", ".avi", ".mkv", ".mov", ".webm"), "video")}


def find_program(program: typing.Optional[Path] = None) -> str:
    """Returns the path of the program pliant: that of `program` if it is given, otherwise of the program installed with
    libpliant, otherwise of the program in PATH."""
    if program is not None:
        found = shutil.which(os.fspath(program))
        if not found:
            raise NoProgram(f"{os.fspath(program)}: no program has this path or name")
        return found
    folders = [pathlib.Path(sys.prefix) / "bin"]
    place = _library.path(library)
    if place:
        # `place`, the path of the library, is PREFIX/lib/libpliant.so, PREFIX/lib/MACHINE/libpliant.so or
        # BUILD/src/api/libpliant.so. The program is then in PREFIX/bin or BUILD/src/app.
        folders = [place.parents[1] / "bin", place.parents[2] / "bin", place.parents[1] / "app"] + folders
    for folder in folders:
        if os.access(folder / "pliant", os.X_OK) and (folder / "pliant").is_file():
            return str(folder / "pliant")
    found = shutil.which("pliant")
    if not found:
        raise NoProgram("the program pliant was not found, neither next to libpliant nor in PATH; install it, or "
                        "give its path as `program`")
    return found


def _text(key, value):
    """Returns a value as text for the command line."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, (list, tuple)) and key.endswith("size") and len(value) == 2:
        return f"{value[0]}x{value[1]}"
    if key == "probe" and isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return json.dumps(value)


def words_of(options: typing.Dict[str, typing.Any]) -> typing.List[str]:
    """Returns words for the command line: {"newton_max": 5, "size": (640, 360)} gives --newton-max=5 --size=640x360.
    Options with the value None are left out."""
    return [
        "--" + key.replace("_", "-") + "=" + _text(key, value) for key, value in options.items() if value is not None
    ]


def _cause(errors, status):
    """Returns the error message of the program if it failed, otherwise "". The message is the last line of `errors`,
    the text of standard error. The other lines are notices, which are sent to the logger."""
    lines = [line[len("pliant: "):] if line.startswith("pliant: ") else line for line in errors.splitlines() if line]
    for line in lines[:-1] if status else lines:
        logging.getLogger("pliant").info(line)
    if not status:
        return ""
    if lines:
        return re.sub(r"^pliant \w+: ", "", lines[-1])  # the callers name the command
    return f"the program was ended by signal {-status}" if status < 0 else f"the program exited with status {status}"


def _start(words):
    """Starts the program in its own session, so that Ctrl-C in a terminal does not reach it. `_end` sends the program
    a signal instead."""
    try:
        return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                start_new_session=True, text=True, errors="replace")
    except OSError as error:
        raise NoProgram(f"{words[0]}: {error.strerror}") from error


def _end(process, number):
    """Sends a signal, so that the program completes its files and ends. Kills the program if it still runs after
    PATIENCE seconds."""
    process.send_signal(number)
    try:
        process.communicate(timeout=PATIENCE)
    except BaseException:
        process.kill()
        process.communicate()
        raise


def _run(words):
    """Runs the program. Returns its status and the text of standard error. KeyboardInterrupt ends the program."""
    process = _start(words)
    try:
        output, errors = process.communicate()
    except BaseException:
        _end(process, signal.SIGINT)
        raise
    for line in output.splitlines():
        logging.getLogger("pliant").info(line)
    return process.returncode, errors


def _scene_file(subject, folder):
    """Returns the path of a scene file. A Scene or Simulation is first written into `folder`."""
    if isinstance(subject, Scene):
        subject = subject.simulate()
    if not isinstance(subject, Simulation):
        return os.fspath(subject)
    path = os.path.join(folder, "scene.json")
    subject.write(path)
    return path


def record(scene: Subject, out: Path, *, program: typing.Optional[Path] = None,
           **options: typing.Any) -> pathlib.Path:
    """Computes a scene without a window and writes pictures or other files, by `pliant record`. Returns the path `out`.

    scene: a Scene, a Simulation, whose present state is the start, or the path of a scene or mesh file. out: a file
    whose name ends in .mp4, .webp or .gif (film), .npz (final positions, m, and momenta, kg m/s, and positions in the undeformed
    shape, m, [nodes][3]), .json (scene with the last state) or .csv (probes); any other name is a folder for pictures.
    program: path of the program; None: the one beside libpliant, or the one in PATH. options: those of `pliant record`,
    with _ for -, such as frames=120, fps=30 (1/s of simulated time), size=(1280, 720), vtu="frames", and keys of
    scenes.

    Raises ProgramFailed if the program fails; the exception's `cause` is the program's error message. Ctrl-C ends the
    program after it has completed its files, which then end with the last computed frame.
    """
    out = pathlib.Path(out)
    key = OUTPUTS.get(out.suffix.lower(), "output")
    if key in options:
        raise BadArgument(f"the option {key} is given twice: by the argument out and by its name")
    found = find_program(program)
    with tempfile.TemporaryDirectory(prefix="pliant-") as folder:
        words = [found, "record", *words_of({key: out, **options}), "--", _scene_file(scene, folder)]
        status, errors = _run(words)
    cause = _cause(errors, status)
    if status:
        raise ProgramFailed(f"pliant record: {cause}", cause, status)
    return out


def verify(*, program: typing.Optional[Path] = None, **options: typing.Any) -> typing.Dict[str, typing.Any]:
    """Compares results with analytic solutions, by `pliant verify`. Returns a dict with the keys "cases", "checked",
    "failed", "beyond", "device", "model" and "precision".

    Each case has "name", "summary", "checks" and "curves"; each check has "what", "unit", "reference", "result",
    "error", "bound" and "passed". options: those of `pliant verify`, such as case=3 and device="cpu". program: as in
    record.

    Raises ProgramFailed if the program fails, or if an error exceeds its bound. The exception's `result` is the dict,
    or None if the program has written no results.
    """
    if "json" in options:
        raise BadArgument("the option json cannot be given here, because verify returns the results")
    found = find_program(program)
    with tempfile.TemporaryDirectory(prefix="pliant-") as folder:
        file = pathlib.Path(folder) / "verify.json"
        status, errors = _run([found, "verify", *words_of({**options, "json": file})])
        result = json.loads(file.read_text(encoding="utf-8")) if file.exists() else None
    cause = _cause(errors, status)
    if status:
        raise ProgramFailed(f"pliant verify: {cause}", cause, status, result)
    return result


class Window:
    """A window of the program pliant that shows a simulation. It is closed at the end of Python or of its `with`
    block."""
    _open: "typing.Set[Window]" = set()
    _command: "typing.List[str]" = []  # words after the program's name
    _output = subprocess.DEVNULL

    def __init__(self, sim, program, options):
        self._folder = tempfile.TemporaryDirectory(prefix="pliant-")
        self._errors = open(os.path.join(self._folder.name, "errors"), "w+", encoding="utf-8", errors="replace")
        self._process = None
        try:
            found = find_program(program)
            self._process = subprocess.Popen(
                [found, *self._command, *words_of(options), "--", _scene_file(sim, self._folder.name)],
                stdin=subprocess.DEVNULL, stdout=self._output, stderr=self._errors, start_new_session=True, text=True)
            self._ready()
        except BaseException:
            if self._process:
                self._process.kill()
                self._process.wait()
            self._drop()
            raise
        Window._open.add(self)

    def _ready(self):
        """Called after the start of the program."""

    def _drop(self):
        """Deletes the temporary files. Returns the text that the program wrote to standard error, or "" if they were
        deleted before."""
        Window._open.discard(self)
        if self._process and self._process.stdout:
            self._process.stdout.close()
        if self._errors.closed:
            return ""
        self._errors.seek(0)
        text = self._errors.read()
        self._errors.close()
        self._folder.cleanup()
        return text

    @property
    def closed(self) -> bool:
        """True if the window was closed."""
        return self._process.poll() is not None

    def wait(self) -> None:
        """Returns when the window closes. Raises ProgramFailed, or NoDisplay if no window could be opened."""
        self._process.wait()
        status = self._process.returncode
        cause = _cause(self._drop(), status)
        if status and "without a display" in cause:
            raise NoDisplay(cause)
        if status:
            raise ProgramFailed(f"pliant: {cause}", cause, status)

    def close(self) -> None:
        """Closes the window, if it is open."""
        if not self.closed:
            self._process.terminate()
            try:
                self._process.wait(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._drop()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


class Page(Window):
    """A page that shows a simulation in a browser, which can be on another machine. A notebook shows the page as the
    result of a cell. The program `pliant serve` computes the motion until close(), the end of a `with` block or the end
    of Python.

    address: the page's address, with a secret token."""
    _command = ["serve"]
    _output = subprocess.PIPE  # its first line is the address

    def __init__(self, sim, program, options):
        self.address = ""
        super().__init__(sim, program, {"port": 0, **options})

    def _ready(self):
        self.address = self._process.stdout.readline().strip()
        if self.address:
            return
        status = self._process.wait()
        self._errors.seek(0)
        cause = _cause(self._errors.read(), status)
        raise ProgramFailed(f"pliant serve: {cause}", cause, status)

    def _repr_html_(self):
        return f'<iframe src="{html.escape(self.address)}" width="100%" height="640" style="border:0"></iframe>'


def _is_notebook():
    """Returns True if the caller is a cell of a Jupyter notebook."""
    ipython = sys.modules.get("IPython")
    return bool(ipython and getattr(ipython.get_ipython(), "kernel", None))


@atexit.register
def _close_windows():
    for window in list(Window._open):
        window.close()


def show(sim: Subject, block: bool = True, program: typing.Optional[Path] = None, web: bool = False,
         **options: typing.Any) -> typing.Optional[Window]:
    """Opens a window or a page that shows `sim`. The arguments are those of Simulation.show."""
    displays = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if not web and sys.platform.startswith("linux") and not displays:
        raise NoDisplay("no window can be opened: the environment variable DISPLAY names no display; without one, use "
                        "pliant.record, or show(web=True)")
    window = Page(sim, program, options) if web else Window(sim, program, options)
    if web and _is_notebook():
        return window
    if isinstance(window, Page):
        print(window.address, flush=True)
        webbrowser.open(window.address)
    if not block:
        return window
    try:
        window.wait()
    finally:
        window.close()
    return None

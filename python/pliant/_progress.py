"""Progress and notices of one simulation."""
import sys
import time
import typing

from . import _library
from .errors import NotNow

Progress = typing.Union[bool, typing.Callable[[str, float], typing.Any], None]
Log = typing.Optional[typing.Callable[[str], typing.Any]]
WIDTH = 20  # characters of the bar
PATIENCE = 0.2  # s, time before the line first appears, and between two updates; a shorter call prints nothing


class ProgressLine:
    """Shows the progress of a call as a line on standard error, such as "taking time steps [#####     ]  25 %  3 s"."""

    def __init__(self) -> None:
        self._begun = self._printed = time.monotonic()
        self._part = 1.0
        self._width = 0  # characters of the line that is shown; 0: no line

    def __call__(self, what: str, part: float) -> None:
        now = time.monotonic()
        if part < self._part and self._part >= 1:
            self._begun = self._printed = now  # the previous call was complete, so this is a new one
        self._part = part
        ends = part >= 1
        if self._width if ends else now - self._printed >= PATIENCE:
            bar = "#" * round(part * WIDTH)
            line = f"{what} [{bar:<{WIDTH}}] {100 * part:3.0f} %  {now - self._begun:.0f} s"
            sys.stderr.write("\r" + line.ljust(self._width) + ("\n" if ends else ""))
            sys.stderr.flush()
            self._printed, self._width = now, 0 if ends else len(line)


class Listener:
    """Passes progress and notices of the library to the functions that the user has given for a simulation. `check`
    raises the first exception that one of these functions has raised, `error`. While one of these functions runs,
    `running` is True, and `refuse` raises NotNow."""

    def __init__(self, progress: Progress, log: Log) -> None:
        self.error: typing.Optional[BaseException] = None
        self.running = False
        show = ProgressLine() if progress is True else progress or None
        self.progress = _library.PROGRESS()
        self.log = _library.LOG()
        if show:
            self.progress = _library.PROGRESS(lambda what, part, user: self._call(show, what.decode(), part))
        if log:
            self.log = _library.LOG(lambda line, user: self._call(log, line.decode()))

    def _call(self, function, *arguments):
        outer, self.running = self.running, True
        try:
            function(*arguments)
        except BaseException as error:  # ctypes would print the exception and continue
            self.error = self.error or error
        finally:
            self.running = outer

    def refuse(self) -> None:
        """Raises NotNow if one of the functions runs. Its simulation is then in the middle of a call, and the library
        still uses the callback that runs."""
        if self.running:
            raise NotNow("a function that receives progress or notices of this simulation runs; it can read fields, "
                         "observables and the report, but it cannot take steps or change the simulation")

    def check(self) -> None:
        error, self.error = self.error, None
        if error is not None:
            raise error

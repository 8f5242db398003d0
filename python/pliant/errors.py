"""Exceptions: one class for each status that functions of pliant.h return in case of an error, and classes for failures
of the program pliant. The message of an exception is the text of pliant_error."""
import typing

from . import _library


class PliantError(Exception):
    """Base class of the errors of this package."""


class BadArgument(PliantError, ValueError):
    """A key, a value or an array is invalid."""


class BadFile(PliantError, OSError):
    """A file cannot be read or written, or its content is invalid."""


class NoMemory(PliantError, MemoryError):
    """The memory of the host or the GPU is not sufficient."""


class NoDevice(PliantError, RuntimeError):
    """There is no usable GPU."""


class StepFailed(PliantError, ArithmeticError):
    """A time step failed even when it was divided into shorter ones. The simulation keeps the state before this step.
    `cause` is the reason, as a text."""
    cause = ""


class Stopped(PliantError):
    """The call was interrupted. The simulation keeps the state before the interrupted time step."""


class NotNow(PliantError, RuntimeError):
    """The simulation is in a state in which this call is not allowed."""


class NoProgram(PliantError, FileNotFoundError):
    """The program pliant is missing."""


class ProgramFailed(PliantError, RuntimeError):
    """The program pliant failed. `cause` is its error message. `status` is its exit status; a negative number is that
    of the signal that ended it. `result` has the data that it wrote before it failed, or None."""

    def __init__(self, message: str, cause: str = "", status: int = 1, result: typing.Any = None) -> None:
        super().__init__(message)
        self.cause, self.status, self.result = cause, status, result


class NoDisplay(PliantError, RuntimeError):
    """A window cannot be opened, because there is no display."""


BY_STATUS = {
    _library.BAD_ARGUMENT: BadArgument,
    _library.BAD_FILE: BadFile,
    _library.NO_MEMORY: NoMemory,
    _library.NO_DEVICE: NoDevice,
    _library.STEP_FAILED: StepFailed,
    _library.STOPPED: Stopped,
    _library.NOT_NOW: NotNow,
}

"""The library, checks of its statuses, and functions of the whole process."""
import json
import logging
import typing

from . import _library, errors

library = _library.load()


def check(status):
    """Raises the exception of a status that is not 0."""
    if status != _library.OK:
        raise errors.BY_STATUS[status](library.pliant_error().decode())


def to_json(value):
    """JSON text of a value, as bytes. Takes numbers and arrays of numpy too."""
    def plain(item):
        if hasattr(item, "tolist"):
            return item.tolist()
        raise TypeError(f"{type(item).__name__} is no value of a scene")

    return json.dumps(value, default=plain).encode()


def version() -> str:
    """Version of the library, such as "0.3.0"."""
    return library.pliant_version().decode()


def device_count() -> int:
    """Number of GPUs that simulations can use, 0 or 1."""
    return library.pliant_device_count()


def set_threads(threads: int) -> None:
    """Sets the number of CPU threads that all simulations share; 0: one per core."""
    check(library.pliant_set_threads(threads))


_log = None  # keeps the callback alive


def set_log(function: typing.Optional[typing.Callable[[str], typing.Any]]) -> None:
    """Sends notices, one line each, to a function; None: they are dropped. At first they go to the logger "pliant" of
    Python's module logging, with level INFO."""
    global _log
    _log = _library.LOG(lambda line, user: function(line.decode())) if function else _library.LOG()
    library.pliant_set_log(_log, None)


set_log(logging.getLogger("pliant").info)

"""Access to libpliant for the other modules: checks of statuses, and settings of the whole process."""
import json
import logging
import operator
import re
import typing

from . import _library, errors

library = _library.load()


# For functions of the library that occur in error messages, their names in this package.
_NAMES = {"pliant_field": "field without stream", "pliant_field_row": "pliant.fields()", "pliant_grab": "grab",
          "pliant_grab_nodes": "grab_nodes", "pliant_option": "pliant.options()", "pliant_put": "put",
          "pliant_record_force": "record_force", "pliant_reset": "reset", "pliant_save": "save"}


def check(status):
    """Raises an exception if the status that a function of the library has returned is not 0. The exception has the
    library's error message, with the names of this package."""
    if status != _library.OK:
        message = library.pliant_error().decode()
        raise errors.BY_STATUS[status](re.sub(r"\bpliant_\w+", lambda name: _NAMES.get(name[0], name[0]), message))


def whole(value, name):
    """Returns a whole number as int. Raises BadArgument if the library's type int, with 32 bits, cannot store it. name:
    the argument in an error."""
    try:
        number = operator.index(value)
    except TypeError:
        raise errors.BadArgument(f"{name} is {value!r}, expected a whole number") from None
    if not -2**31 <= number < 2**31:
        raise errors.BadArgument(f"{name} is {number}, expected a number of at most 32 bits")
    return number


def to_json(value):
    """Returns the JSON text of a value, as bytes. The value may contain numbers and arrays of numpy. Raises BadArgument
    if a number is not finite, since JSON has no such numbers."""
    def plain(item):
        if hasattr(item, "tolist"):
            return item.tolist()
        raise TypeError(f"a value of type {type(item).__name__} cannot be stored in a scene")

    try:
        return json.dumps(value, default=plain, allow_nan=False).encode()
    except ValueError:
        raise errors.BadArgument(f"the value {value!r} is not finite or contains itself; expected finite numbers") \
            from None


def version() -> str:
    """Version of the library, such as "0.4.0"."""
    return library.pliant_version().decode()


def device_count() -> int:
    """Number of GPUs, which the key "device" calls "cuda:0", "cuda:1" and so on."""
    return library.pliant_device_count()


def set_threads(threads: int) -> None:
    """Sets the number of CPU threads that all simulations share; 0: one per core."""
    check(library.pliant_set_threads(whole(threads, "threads")))


_log: typing.Optional[typing.Callable[[str], typing.Any]] = None  # function of set_log


def _pass(line, user):
    if _log:
        _log(line.decode())


_pass_log = _library.LOG(_pass)  # is never freed, so a function can replace itself by set_log while it runs


def set_log(function: typing.Optional[typing.Callable[[str], typing.Any]]) -> None:
    """Sets the function that receives notices, one line in each call. None: notices are dropped. If set_log is not
    called, notices are sent to the logger "pliant" of Python's module logging, with level INFO."""
    global _log
    _log = function
    library.pliant_set_log(_pass_log if function else _library.LOG(), None)


set_log(logging.getLogger("pliant").info)

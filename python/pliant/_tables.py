"""Tables of the keys of scenes, of fields and of observables."""
import ctypes
import functools
import typing

from . import _library
from ._base import library


class Option(typing.NamedTuple):
    """A key of a scene. `applies` is "live" if a running simulation accepts a new value of the key, "rebuild" if it
    also rebuilds the equations (the state does not change), and "scene" if only new simulations use a new value."""
    key: str
    type: str
    unit: str
    choices: typing.List[str]
    help: str
    applies: str
    low: float
    high: float


class Field(typing.NamedTuple):
    """An array of a simulation, with a row for each node, cell or triangle (`per`). `components`: numbers in a row; 0:
    as many as a cell has nodes."""
    name: str
    unit: str
    help: str
    per: str
    components: int
    on_device: bool
    can_put: bool


class Observable(typing.NamedTuple):
    """A number or a vector that Simulation.observe computes. `subject`: placeholder of the argument after the colon,
    such as "NODE" in "position:NODE"; "": the name has no argument."""
    name: str
    unit: str
    help: str
    subject: str
    components: int


def _rows(function, struct):
    rows = []
    while True:
        row = struct(size=ctypes.sizeof(struct))
        if function(len(rows), ctypes.byref(row)) != _library.OK:
            return rows
        rows.append(row)


def options() -> typing.List[Option]:
    """Lists the keys of scenes."""
    return [
        Option(r.key.decode(), r.type.decode(), r.unit.decode(), [c for c in r.choices.decode().split("|") if c],
               r.help.decode(), r.applies.decode(), r.low, r.high)
        for r in _rows(library.pliant_option, _library.OptionInfo)
    ]


def fields() -> typing.List[Field]:
    """Lists the fields of Simulation.field."""
    return [
        Field(r.name.decode(), r.unit.decode(), r.help.decode(), r.per.decode(), r.components, bool(r.on_device),
              bool(r.can_put)) for r in _rows(library.pliant_field_row, _library.FieldInfo)
    ]


def observables() -> typing.List[Observable]:
    """Lists the observables of Simulation.observe."""
    return [
        Observable(r.name.decode(), r.unit.decode(), r.help.decode(), r.subject.decode(), r.components)
        for r in _rows(library.pliant_observable, _library.ObservableInfo)
    ]


@functools.lru_cache(maxsize=None)
def observable_sizes() -> typing.Dict[str, int]:
    """Returns the number of components of each observable. The table of observables never changes, so it is read only
    once."""
    return {row.name: row.components for row in observables()}

"""Scenes: bodies, material, pins, forces, obstacles and settings."""
import ctypes
import json
import os
import typing

import numpy
from numpy.typing import ArrayLike

from . import _library
from ._base import check, library, to_json
from ._progress import Log, Progress
from .errors import BadArgument

if typing.TYPE_CHECKING:
    from ._simulation import Simulation


class Scene:
    """A scene, from a file or from values of keys: Scene("hand.json"), Scene("liver.msh", young=2e4),
    Scene(shapes=[...]).

    path: a scene file (.json) or a mesh file; None: an empty scene. keys: values of keys, as in scene files.
    """

    def __init__(self, path: typing.Union[str, os.PathLike, None] = None, **keys: typing.Any) -> None:
        self._handle = _library.HANDLE()
        if path is None:
            check(library.pliant_scene_create(ctypes.byref(self._handle)))
        else:
            check(library.pliant_scene_open(ctypes.byref(self._handle), os.fsencode(path)))
        self.set(**keys)

    @classmethod
    def parse(cls, text: str, folder: typing.Union[str, os.PathLike, None] = None) -> "Scene":
        """Creates a scene from the text of a scene file. Relative paths start at `folder`."""
        scene = cls.__new__(cls)
        scene._handle = _library.HANDLE()
        check(
            library.pliant_scene_parse(ctypes.byref(scene._handle), text.encode(),
                                       None if folder is None else os.fsencode(folder)))
        return scene

    def __del__(self):
        if getattr(self, "_handle", None):
            library.pliant_scene_destroy(self._handle)
            self._handle = None

    def copy(self) -> "Scene":
        """Returns a copy of the scene. The scene and the copy use the same memory for meshes that were added as
        arrays."""
        scene = Scene.__new__(Scene)
        scene._handle = _library.HANDLE()
        check(library.pliant_scene_copy(ctypes.byref(scene._handle), self._handle))
        return scene

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self.copy()

    def __reduce__(self):
        raise TypeError("a Scene cannot be pickled; send its keys instead, Scene.to_dict()")

    def set(self, **keys: typing.Any) -> None:
        """Sets keys: scene.set(young=2e4, gravity=[0, 0, -9.81])."""
        for key, value in keys.items():
            self[key] = value

    def __setitem__(self, key: str, value: typing.Any) -> None:
        check(library.pliant_scene_set(self._handle, key.encode(), to_json(value)))

    def __getitem__(self, key: str) -> typing.Any:
        return self.to_dict()[key]

    def add(self, key: str, entry: dict) -> None:
        """Appends a dict to a key that is a list, such as "pins", "forces", "drags", "obstacles" or "bodies"."""
        check(library.pliant_scene_add(self._handle, key.encode(), to_json(entry)))

    def add_mesh(self, points: ArrayLike, cells: ArrayLike, name: typing.Optional[str] = None,
                 **keys: typing.Any) -> int:
        """Adds a body from arrays, or an obstacle if the cells are triangles. Returns the index of its entry in the
        list "bodies" or "obstacles".

        points [nodes][3]: positions, m. cells [cells][4, 10, 8 or 3]: node numbers in the order of VTK. keys: further
        keys of the entry in "bodies" or "obstacles", such as density=500.
        """
        points = numpy.ascontiguousarray(points, dtype=numpy.float64)
        given = numpy.asarray(cells)
        if points.ndim != 2 or points.shape[1] != 3:
            raise BadArgument(f"points has the shape {list(points.shape)}, expected [nodes][3]")
        if given.ndim != 2 or given.shape[1] not in _library.CELLS or given.dtype.kind not in "iu":
            raise BadArgument(f"cells has the shape {list(given.shape)} and type {given.dtype}, expected whole "
                              "numbers, [cells][4, 10, 8 or 3]")
        if given.size and (given.min() < 0 or given.max() >= len(points)):
            raise BadArgument(f"cells has node {given.max() if given.min() >= 0 else given.min()}, expected 0 to "
                              f"{len(points) - 1}")
        cells = numpy.ascontiguousarray(given, dtype=numpy.int32)
        number = ctypes.c_int()
        check(
            library.pliant_scene_add_mesh(self._handle, None if name is None else name.encode(),
                                          _library.CELLS[cells.shape[1]], len(points), points.ctypes.data, len(cells),
                                          cells.ctypes.data, to_json(keys) if keys else None, ctypes.byref(number)))
        return number.value

    def to_dict(self) -> dict:
        """Returns the keys and values as a dict."""
        needed = ctypes.c_size_t()
        check(library.pliant_scene_print(self._handle, None, 0, ctypes.byref(needed)))
        text = ctypes.create_string_buffer(needed.value)
        check(library.pliant_scene_print(self._handle, text, needed.value, None))
        return json.loads(text.value.decode())

    def simulate(self, *, progress: Progress = None, log: Log = None) -> "Simulation":
        """Creates a simulation in the scene's initial state. progress, log: as for Simulation."""
        from ._simulation import Simulation
        return Simulation(self, progress=progress, log=log)

    def __repr__(self):
        return f"Scene({', '.join(self.to_dict())})"

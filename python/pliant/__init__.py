"""Pliant simulates soft bodies: implicit time steps, finite elements and contact, on the CPU or an NVIDIA GPU.

    import pliant

    scene = pliant.Scene(shapes=[{"kind": "box", "size": [1, 0.2, 0.2], "cells": 3}], young=1e5, gravity=[0, 0, -9.81])
    scene.add("pins", {"x": [None, -0.49]})
    sim = scene.simulate()
    sim.step(60)
    print(sim.positions[:, 2].min(), sim.observe("kinetic"))

All quantities are in SI units. Keys of scenes are those of scene files; `pliant.options()` lists them.
"""
from ._scene import Scene
from ._simulation import Grab, Report, Simulation, field_many, reset_many, step_many
from ._progress import ProgressLine
from ._program import Page, Window, record, verify
from ._tables import fields, observables, options
from ._base import device_count, set_log, set_threads, version
from .usd import UsdRecorder, from_usd, read_usd, to_usd
from .viewer import Viewer, view
from .errors import (BadArgument, BadFile, NoDevice, NoDisplay, NoMemory, NoProgram, NotNow, PliantError,
                     ProgramFailed, StepFailed, Stopped)

__version__ = version()
__all__ = [
    "BadArgument", "BadFile", "Grab", "NoDevice", "NoDisplay", "NoMemory", "NoProgram", "NotNow", "Page", "PliantError",
    "ProgramFailed", "ProgressLine", "Report", "Scene", "Simulation", "StepFailed", "Stopped",
    "UsdRecorder", "Viewer", "Window", "device_count", "field_many", "fields", "from_usd", "observables", "options",
    "read_usd", "record", "reset_many", "set_log", "set_threads", "step_many", "to_usd", "verify", "version", "view"
]

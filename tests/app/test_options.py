#!/usr/bin/env python3
"""Tests that each option of each command has an effect, or is refused with one error message. The tables below have a
row for each option: a value and a scene for which the option changes the results of every command that accepts it.

usage: test_options.py PLIANT
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402

PLIANT = os.path.abspath(sys.argv.pop(1))
ASSETS = os.environ["PLIANT_ASSETS"]

COLUMN = {"shapes": [{"kind": "box", "size": [0.5, 0.5, 1], "cells": 2}], "pins": [{"z": [None, 0.01]}],
          "young": 3e5, "poisson": 0.3, "density": 1000, "gravity": [0, 0, -9.81], "dt": 0.02, "device": "cpu"}
LAME = {**COLUMN, "young": None, "poisson": None, "mu": 2e5, "lambda": 2e5}
# without a named solver, `solve` would choose a direct one for this small column
ITERATED = {**COLUMN, "solver": "fused"}
FINE = {**COLUMN, "shapes": [{"kind": "box", "size": [0.5, 0.5, 1], "cells": 14}]}
# write_field_files makes field.msh and fine.msh, which contain fields.
FIELDS = {**COLUMN, "shapes": None, "mesh": "field.msh"}
BOX = {"shape": {"kind": "box", "size": [1, 1, 1], "cells": 2}, "pins": [{"z": [None, 0.01]}]}
ABOVE = {**BOX, "place": [0.1, 0, 1.004], "pins": [{"z": [1.9, None], "axes": "xy"}]}
PILE = {**COLUMN, "shapes": None, "pins": None, "bodies": [BOX, ABOVE], "self_contact": True, "friction": 0.4,
        "forces": [{"region": {"z": [1.1, None]}, "total": [300, 0, 0]}], "young": 1e6}
APART = {**PILE, "self_contact": False, "friction": None, "forces": None,
         "bodies": [BOX, {**BOX, "place": [3, 0, 0], "pins": [{"z": [None, 0.01]}]}]}
SLIDING = {**COLUMN, "pins": [], "floor": 0.01, "gravity": [3, 0, -9.81]}
TANGLED = {**PILE, "bodies": [BOX, {**BOX, "place": [0.1, 0, 0.98], "pins": []}]}
MESH = {**COLUMN, "shapes": None, "mesh": os.path.join(ASSETS, "meshes/sphere_305.msh"), "pins": [{"z": [None, -0.45]}]}
PULL = [{"grab": {"z": [0.99, None]}, "path": [[0, 0, 0, 0], [0.05, 0.3, 0, 0.5]]}]
BURST = {**COLUMN, "gravity": [0, 0, -50000], "dt": 0.1}
COLOURED = {**COLUMN, "field": "j"}
BALL = {"kind": "sphere", "at": [9, 0, 0], "radius": 3}
ROOF = {"kind": "plane", "at": [0, 0, 0.9], "normal": [0, 0, -1]}
CUT = {"time": 0, "point": [0, 0, 0.5], "normal": [0, 0, 1]}
UPPER = {"region": {"z": [0.5, None]}}

# {key of an option: (value, scene in which this value changes the results)}. A third item {command: scene} has scenes
# for single commands. A value that is not a string is passed as JSON. None: the option is a flag without a value.
EFFECTS = {
    "mesh": (os.path.join(ASSETS, "meshes/sphere_63.msh"), MESH),
    "shapes": ([{"kind": "box", "size": [0.5, 0.5, 1], "cells": 1}], COLUMN),
    "bodies": ([BOX], APART),
    "scale": ("2", MESH),
    "untangle": (None, TANGLED),
    "young": ("1e5", COLUMN),
    "poisson": ("0.2", COLUMN),
    "materials": ([{**UPPER, "stiffness": 4}], COLUMN, {"info": FINE}),
    "stiffness_field": ({"name": "E"}, FIELDS, {"info": {**FIELDS, "mesh": "fine.msh"}}),
    "degree": ("2", COLUMN),
    "material": ("stvk", COLUMN),
    "mu": ("1e5", LAME),
    "lambda": ("1e5", LAME),
    "second_invariant": ("0.3", {**COLUMN, "material": "mooney_rivlin"}),
    "density": ("500", COLUMN),
    "mass": ("consistent", COLUMN, {"info": FINE}),
    "damping": ("5", COLUMN),
    "gravity": ("0,0,-5", COLUMN),
    "floor": ("0.02", SLIDING, {"solve": {**COLUMN, "pins": [{"z": [0.99, None]}]}}),
    "friction": ("0.5", SLIDING),
    "self_contact": (None, {**PILE, "self_contact": False}, {"info": FINE}),
    "contact_distance": ("0.002", PILE),
    "contact_modulus": ("3e4", PILE),
    "friction_speed": ("0.5", {**PILE, "friction_sticks": False}),
    "friction_sticks": ("false", PILE, {"info": {**FINE, "self_contact": True}}),
    "dt": ("0.01", COLUMN),
    "integrator": ("euler", COLUMN),
    "newton": ("plain", COLUMN, {"record": BURST, "solve": {**COLUMN, "gravity": [0, 0, -600]}}),
    "newton_absolute": ("1e3", COLUMN),
    "newton_relative": ("1e-12", {**COLUMN, "precision": "double"}),
    "newton_max": ("1", BURST, {"solve": COLUMN}),
    "cg_relative": ("1e-6", COLUMN, {"solve": ITERATED}),
    "cg_max": ("1", COLUMN, {"solve": ITERATED}),
    "first_guess": ("velocity", COLUMN),
    "halvings_max": ("0", BURST),
    "device": ("cuda", COLUMN),
    "precision": ("double", COLUMN),
    "assembly": ("cpu", COLUMN),
    "matrix": ("csr", COLUMN),
    "solver": ("dcg", COLUMN),
    "supplemental": ("qr", COLUMN, {"info": FINE}),
    "order": ("file", MESH),
    "partitioner": ("metis", COLUMN),
    "memory_budget": ("1", COLUMN),
    "solver_device": ("cuda", COLUMN),
    "pins": ([{"z": [None, 0.3]}], COLUMN),
    "obstacles": ([ROOF], COLUMN, {"info": {**FINE, "self_contact": True}}),
    "twist": ({"axis": "z", "degrees": 40}, COLUMN),
    "begin": ("rest.state", COLUMN),
    "initial_fields": ({"displacement": "shift", "velocity": "shift"}, FIELDS),
    "forces": ([{**UPPER, "total": [30, 0, 0]}], COLUMN),
    "drags": (PULL, COLUMN),
    "cuts": ([CUT], COLUMN),
    "tear_stress": ("1e4", {**COLUMN, "drags": PULL}, {"info": FINE}),
    "tear_by": ("von_mises", {**COLUMN, "tear_stress": 3e3}),
    "steps": ("2", COLUMN),
    "speed": ("2", COLUMN),
    "mouse_stiffness": ("7", COLUMN),
    "mouse_radius": ("0.3", COLUMN),
    "field": ("j", COLUMN),
    "color_range": ([0, 2], COLOURED),
    "field_range": ("follow", COLOURED),
    "range_percentile": ("20", {**COLOURED, "field_range": "percentiles"}),
    "color_map": ("viridis", COLOURED),
    "color_scale": ("log", COLOURED),
    "vectors": ("velocity", COLUMN),
    "wireframe": (None, COLUMN),
    "show_pins": (None, COLUMN),
    "orthographic": (None, COLUMN),
    "xray": (None, COLUMN),
    "occlusion": ("off", COLUMN),
    "reflections": (None, SLIDING),
    "environment": ("environments/studio.hdr", COLUMN),
    "scale_bar": (None, COLUMN),
    "section": ({"axis": "x"}, COLUMN),
    "section_cut": ("tets", {**COLUMN, "section": {"axis": "x"}}),
    "camera": ({"eye": [3, 3, 3], "target": [0, 0, 0]}, COLUMN),
    "curves": (["kinetic", "position:1"], COLUMN),
    "views": ([None, {"eye": [3, 3, 3], "target": [0, 0, 0]}], COLUMN),
}
# {(command, key): value that replaces the one in EFFECTS, which would not change the results of this command}
VALUES = {("verify", "precision"): "float", ("info", "obstacles"): [BALL]}
# options that have an effect only on a GPU or with a stage of a GPU
ON_GPU = {("info", "cuts"), ("info", "memory_budget"), ("verify", "order")}
# (command, key) that are not tested, since validate takes seconds with each of these options. Other commands, which are
# tested, read bodies by the same function.
SLOW = {("validate", key) for key in ("mesh", "shapes", "bodies", "scale", "degree", "supplemental")}
BY_PROBES = {("bench", "curves"), ("solve", "curves")}  # tested by test_probes.py

PROBES = ["--probe", "elastic", "--probe-file", "a.csv"]
PROBE_ROWS = {"probe": ["--probe", "volume"], "probe_file": ["--probe-file", "b.csv"]}

# {command: (basic command line, {key of an option of its table: words that change the results of this line})}
OWN = {
    "bench": (["scene.json", "--repeat", "0", "--steps", "2", *PROBES], {
        "repeat": ["--repeat=1"], "json": ["--json", "a.json"], "state": ["--state", "a.npz"],
        "verbose": ["--verbose"], **PROBE_ROWS}),
    "record": (["scene.json", "--frames", "3", "--fps", "50", "--state", "a.npz", *PROBES], {
        "vtu": ["--vtu", "frames"], "xdmf": ["--xdmf", "frames"], "state": ["--state", "b.npz"],
        "save_scene": ["--save-scene", "b.json"],
        "checkpoint": ["--checkpoint", "a.ck"], "frames": ["--frames=2"], "fps": ["--fps=25"],
        "verbose": ["--verbose"], **PROBE_ROWS}),
    "solve": (["scene.json", "--json", "b.json", *PROBES], {
        "arc_length": ["--arc-length", "--precision", "double"], "increments": ["--increments", "3"],
        "json": ["--json", "a.json"], "state": ["--state", "a.npz"], "vtu": ["--vtu", "frames"],
        "xdmf": ["--xdmf", "frames"], **PROBE_ROWS}),
    "modes": (["scene.json", "--json", "b.json"], {
        "count": ["--count", "4"], "json": ["--json", "a.json"], "vtu": ["--vtu", "frames"]}),
    "verify": (["--case", "3"], {"case": ["--case=5"], "json": ["--json", "a.json"]}),
    "convert": (["ball.msh", "a.msh", "--encoding", "binary"], {
        "encoding": ["--encoding=text"], "byte_order": ["--byte-order", "big"],
        "msh_version": ["--msh-version", "2.2"]}),
    "make": (["square", "-o", "a.vtu", "--distort", "0.1"], {
        "output": ["-o", "b.vtu"], "size": ["--size", "2,1,1"], "cells": ["--cells", "3"],
        "shape": ["--shape", "triangle"], "degree": ["--degree", "2"], "distort": ["--distort=0.2"],
        "seed": ["--seed", "7"]}),
}
# Options that other tests cover: test_record_command, test_checkpoint, test_roofline, test_sweep, test_supports,
# test_modes, test_mpi and tests of the window.
ELSEWHERE = {("record", key) for key in ("output", "overwrite", "video", "every", "resume", "size", "turntable",
                                         "view")} | {
    ("bench", "sweep"), ("bench", "table"), ("bench", "set"), ("bench", "roofline"), ("solve", "time")} | {
    ("modes", key) for key in ("amplitude", "show", "window_size", "frames", "trace", "screenshot")} | {
    (command, key) for command in ("bench", "record", "solve") for key in ("engine", "petsc")}

# Rows: command line with an option that has no effect, and the error message.
REFUSED = [
    (["solve", "--time", "1"], "--time has no effect without pins that have \"path\" or \"spin\""),
    (["record", "--state", "a.npz", "--size", "64x64"], "--size has no effect without --output or --video"),
    (["record", "--state", "a.npz", "--turntable", "1"], "--turntable has no effect without --output or --video"),
    (["record", "--state", "a.npz", "--view", "1"], "--view has no effect without --output, --video or --save-scene"),
    (["record", "-o", "v", "--view", "1", "--camera", '{"eye": [3, 3, 3], "target": [0, 0, 0]}'],
     "--camera has no effect together with --view"),
    (["record", "-o", "v", "--view", "5"], "--view"),
    (["record", "-o", "v", "--view", "2"], "scene.json: the scene stores no view 2"),
    (["record", "-o", "v", "--view", "12"], "the scene stores no view 12, which --view names; store views in the tab"),
    (["record", "-o", "v", "--view", "13"], "--view: is 13, expected 0 to 12"),
    (["record", "-o", "v", "--view", "1", "--views", "[null]"], "scene.json: the scene stores no view 1"),
    (["record", "--state", "a.npz", "--overwrite"], "--overwrite has no effect without --output, --vtu or"),
    (["record", "--vtu", "v", "--xdmf", "x"], "--xdmf has no effect together with --vtu"),
    (["solve", "--vtu", "v", "--xdmf", "x"], "--xdmf has no effect together with --vtu"),
    (["record", "--vtu", "v", "--resume", "a", "--overwrite"], "--overwrite has no effect together with --resume"),
    (["record", "--state", "a.npz", "--every", "5"], "--every has no effect without --checkpoint"),
    (["record", "--vtu", "v", "--wireframe"], "--wireframe has no effect without --output, --video or --save-scene"),
    (["record", "--vtu", "v", "--field", "j"], "--field has no effect without --output, --video or --save-scene"),
    (["record", "-o", "v", "--speed", "2"], "--speed has no effect without --save-scene"),
    (["record", "-o", "v", "--mouse-radius", "2"], "--mouse-radius has no effect without --save-scene"),
    (["record", "-o", "v", "--mouse-stiffness", "2"], "--mouse-stiffness has no effect without --save-scene"),
    (["record", "-o", "v", "--curves", '["kinetic"]'], "--curves has no effect without --probe-file or --save-scene"),
    (["record", "--probe-file", "a.csv", "--probe", "volume", "--curves", '["kinetic"]'],
     "--curves has no effect without --save-scene"),
    (["bench", "--curves", '["kinetic"]'], "--curves has no effect without --probe-file"),
    (["solve", "--probe-file", "a.csv", "--probe", "volume", "--curves", '["kinetic"]'],
     "--curves has no effect together with --probe"),
    (["bench", "--set", "curves=volume"], "--set: the key curves has no effect"),
    (["bench", "--set", "dt=0.1,0.2", "--probe-file", "a.csv", "--curves", '["kinetic"]'],
     "--set runs many combinations, but --probe-file needs a single one"),
    (["record", "-o", "v", "--color-map", "jet"], "--color-map: is"),
    (["record", "-o", "v", "--color-map", "viridis"], "--color-map has no effect without --field"),
    (["record", "-o", "v", "--section-cut", "tets"], "--section-cut has no effect without --section"),
    (["bench", "--table", "orders"], "--table has no effect without --sweep"),
    (["bench", "--sweep", "--device", "cpu"], "--device has no effect together with --sweep"),
    (["bench", "--sweep", "--matrix", "csr"], "--matrix has no effect together with --sweep"),
    (["bench", "--sweep", "--assembly", "cpu"], "--assembly has no effect together with --sweep"),
    (["bench", "--sweep", "--solver-device", "cpu"], "--solver-device has no effect together with --sweep"),
    (["bench", "--sweep", "--probe-file", "a.csv"], "--probe-file has no effect together with --sweep"),
    (["bench", "--contact-distance", "0.1"], "--contact-distance has no effect without --self-contact"),
    (["bench", "--friction-sticks"], "--friction-sticks has no effect without --self-contact"),
    (["bench", "--friction", "0.1"], "--friction has no effect without --floor or --self-contact"),
    (["bench", "--tear-by", "von_mises"], "--tear-by has no effect without --tear-stress"),
    (["bench", "--memory-budget", "1"], "--memory-budget has no effect without --device cuda"),
    (["--contact-modulus", "1"], "--contact-modulus has no effect without --self-contact"),
    (["replay", "l", "--state", "a.npz", "--fps", "5"], "--fps has no effect without --output, --video,"),
    (["replay", "l", "--vtu", "v", "--size", "64x64"], "--size has no effect without --output or --video"),
    (["replay", "l", "--overwrite"], "--overwrite has no effect without --output, --vtu or --xdmf"),
    (["replay", "l", "--vtu", "v", "--window-size", "64x64"], "--window-size has no effect together with --output, "),
    (["replay", "l", "--probe", "volume", "--window-size", "64x64"],
     "--window-size has no effect together with --output, "),
    (["replay", "l", "--probe", "volume", "--probe-file", "a.csv", "--fps", "5"], "--fps has no effect without"),
    (["replay", "l", "--state", "a", "--window-size", "64x64"], "--window-size has no effect without --trace or"),
    (["modes", "--frames", "5"], "--frames has no effect without --show"),
    (["make", "box", "-o", "a.msh", "--seed", "3"], "--seed has no effect without --distort"),
    (["make", "box", "-o", "a.msh", "--degree", "1"], "--degree has no effect on a box"),
    (["make", "box", "-o", "a.msh", "--shape", "auto"], "--shape has no effect on a box"),
    (["make", "box", "-o", "a.msh", "--distort", "0"], "--distort has no effect on a box"),
    (["make", "cube", "-o", "a.msh", "--seed", "3"], "--seed has no effect without --distort"),
    (["convert", "ball.msh", "a.veg", "--byte-order", "big"], "--byte-order has no effect on a.veg"),
    (["convert", "ball.msh", "a.msh", "--byte-order", "little"], "--byte-order has no effect on a.msh"),
    (["convert", "ball.msh", "a.vtk", "--encoding", "binary", "--byte-order", "big"], "--byte-order has no effect"),
    (["convert", "ball.msh", "a.vtu", "--encoding", "text", "--byte-order", "big"], "--byte-order has no effect"),
    (["convert", "ball.msh", "a.vtu", "--msh-version", "2.2"], "--msh-version has no effect on a.vtu"),
    (["convert", "hex.msh", "a.vtu", "--encoding", "text"], "a.vtu: .vtu files of hexahedra are written only in the "),
]


def run(words, folder, timeout=300):
    return subprocess.run([PLIANT, *words], capture_output=True, text=True, timeout=timeout, cwd=folder)


def flag_of(key):
    return "--" + key.replace("_", "-")


def options_of(command):
    """Returns two lists: keys of the command's own options, and scene keys that the command accepts."""
    table = subprocess.run([PLIANT, *command, "--help=table"], capture_output=True, text=True, check=True).stdout
    own, scene, now = [], [], None
    for line in table.splitlines():
        cells = line.split("\t")
        if cells[0] == "group":
            now = scene
        if cells[0] == "command":
            now = own
        if cells[0] == "option":
            now.append(cells[1][2:].replace("-", "_"))
    return own, scene


def without_times(value):
    """Returns a copy of a JSON value without the entries that differ between runs, such as times."""
    timed = re.compile(r"open_s|open_peak_MiB|peak_MiB|seconds|scene")
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if not timed.fullmatch(key)}
    return [without_times(item) for item in value] if isinstance(value, list) else value


class Options(InFolder):
    def write(self, scene, name="scene.json"):
        with open(self.path(name), "w") as file:
            json.dump({key: value for key, value in scene.items() if value is not None}, file)
        return name

    def read(self, name):
        try:
            with open(self.path(name), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None
        finally:
            if os.path.exists(self.path(name)):
                os.remove(self.path(name))

    def observe(self, command, words, saves):
        """Returns the results of a command: exit status, output without times, and files. `saves`: the command also
        saves its scene."""
        outputs = {"bench": ["--repeat", "0", "--steps", "4", "--json", "out.json", "--state", "out.npz"],
                   "record": ["--frames", "4", "--fps", "50", "--state", "out.npz"],
                   "solve": ["--json", "out.json", "--state", "out.npz"],
                   "info": ["--all"], "validate": [], "verify": ["--case", "9", "--json", "out.json"]}[command]
        if "--steps" in words:
            outputs = [word for word in outputs if word not in ("--steps", "4")]
        done = run([command, *words, *outputs, *(["--save-scene", "out_scene.json"] if saves else [])],
                   self.folder.name)
        report = self.read("out.json")
        out = done.stdout if command in ("info", "solve", "validate") else ""
        return (done.returncode, out, report and without_times(json.loads(report)), self.read("out.npz"),
                self.read("out_scene.json"), self.read("out_scene.state"), done.stderr if done.returncode else "")

    def observe_plain(self, command, name, saves):
        """As observe, for a scene without the tested option. Many options share a scene, so the result is kept for
        later calls."""
        scene = pathlib.Path(self.path(name[0])).read_text(encoding="utf-8") if name else ""
        if (command, scene, saves) not in self.observed:
            self.observed[command, scene, saves] = self.observe(command, name, saves)
        return self.observed[command, scene, saves]

    def refused(self, words, fragment):
        done = run(words, self.folder.name)
        code = 1 if "hex.msh" in words else 2  # the cells of a mesh are known only when it is read
        self.assertEqual(done.returncode, code, (words, done.stderr))
        self.assertEqual((done.stdout, len(done.stderr.splitlines())), ("", 1), (words, done.stderr))
        self.assertIn(fragment, done.stderr, words)

    def words_for(self, command, key):
        """Writes the scene of an option. Returns its name, and the option with its value."""
        value, scene, *others = EFFECTS[key]
        scene = others[0].get(command, scene) if others else scene
        value = VALUES.get((command, key), value)
        if value is not None and not isinstance(value, str):
            value = json.dumps(value)
        return [self.write(scene)] if command != "verify" else [], [flag_of(key)] + ([value] if value else [])

    def write_field_files(self):
        """Writes two meshes of the column, field.msh and fine.msh, with two fields: E has a number per cell, `shift` a
        vector per node."""
        for name, cells in ("field.msh", "2"), ("fine.msh", "14"):
            run(["make", "box", "--size", "0.5,0.5,1", "--cells", cells, "-o", "plain.msh"], self.folder.name)
            run(["convert", "plain.msh", name, "--encoding", "text", "--msh-version", "2.2"], self.folder.name)
            path = pathlib.Path(self.path(name))
            nodes, tets = (int(re.search(rf"\${kind}\n(\d+)", path.read_text()).group(1)) for kind in
                           ("Nodes", "Elements"))
            with open(path, "a") as file:
                file.write(f'$ElementData\n1\n"E"\n1\n0\n3\n0\n1\n{tets}\n')
                file.writelines(f"{k + 1} {1 + k % 3}\n" for k in range(tets))
                file.write(f'$EndElementData\n$NodeData\n1\n"shift"\n1\n0\n3\n0\n3\n{nodes}\n')
                file.writelines(f"{k + 1} 0.01 0 0\n" for k in range(nodes))
                file.write("$EndNodeData\n")

    def test_options_of_the_scene_have_an_effect_or_are_refused(self):
        self.observed = {}
        self.write_field_files()
        self.write(COLUMN)
        run(["record", "scene.json", "--frames", "4", "--fps", "50", "--save-scene", "rest.json"], self.folder.name)
        has_gpu = "cuda: none" not in run(["info", "scene.json", "--all"], self.folder.name).stdout
        views = set(options_of(["record"])[1]) - set(options_of(["bench"])[1]) | {"curves"}
        for command in ("bench", "record", "solve", "info", "validate", "verify"):
            own, scene_keys = options_of([command])
            # verify has options `degree` and `mass`; for other commands these are scene keys
            listed = [key for key in own if key in EFFECTS and command == "verify"] + scene_keys
            for key in listed:
                self.assertIn(key, EFFECTS, "a new option needs a row")
                if (command, key) in SLOW | ON_GPU | BY_PROBES or (has_gpu and key == "partitioner"):
                    continue
                name, option = self.words_for(command, key)
                with self.subTest(command=command, key=key):
                    saves = command == "record" and (key in views or key == "assembly")
                    self.assertNotEqual(self.observe_plain(command, name, saves),
                                        self.observe(command, name + option, saves))
            for key in set(EFFECTS) - set(listed) - set(own):
                name, option = self.words_for(command, key)
                with self.subTest(command=command, key=key):
                    why = f"unknown option {flag_of(key)}"
                    if command != "verify":
                        why = f"{flag_of(key)} has no effect on this command"
                    self.refused([command, *name, *option], why)
        self.write(COLUMN)
        self.refused(["scene.json", "--steps", "3"], "--steps has no effect on this command")

    def test_own_options_have_an_effect(self):
        self.write({**COLUMN, "cuts": [CUT]}, "cut.json")
        for command, (words, rows) in OWN.items():
            own, scene_keys = options_of([command])
            own = [key for key in own if command != "verify" or key not in EFFECTS]
            self.assertEqual(sorted(own), sorted([*rows, *(key for of, key in ELSEWHERE if of == command)]))
            for key, option in rows.items():
                with self.subTest(command=command, key=key):
                    results = []
                    for given in ([], option):
                        folder = self.path("own")
                        os.mkdir(folder)
                        self.write({**COLUMN, "cuts": [CUT]} if key == "verbose" else COLUMN, "own/scene.json")
                        shutil.copy(os.path.join(ASSETS, "meshes/sphere_63.msh"), os.path.join(folder, "ball.msh"))
                        done = run([command, *words, *given], folder)
                        self.assertEqual(done.returncode, 0, done.stderr)
                        files = {name: os.path.isfile(os.path.join(folder, name)) and
                                 open(os.path.join(folder, name), "rb").read() for name in os.listdir(folder)}
                        said = done.stderr if key == "verbose" else done.stdout if key in ("repeat", "case") else ""
                        results.append((files, re.sub(r"opened in.*", "", said)))
                        shutil.rmtree(folder)
                    self.assertNotEqual(*results)
                    if key == "verbose":
                        self.assertNotIn(" ms", results[0][1])
                        self.assertRegex(results[1][1], r"cut at .*; nodes added: \d+; \d\S* ms")

    def test_options_that_need_others_are_refused_without_them(self):
        self.write(COLUMN)
        shutil.copy(os.path.join(ASSETS, "meshes/sphere_63.msh"), self.path("ball.msh"))
        self.assertEqual(run(["make", "cube", "--shape", "hex", "--cells", "1", "-o", "hex.msh"],
                             self.folder.name).returncode, 0)
        for words, fragment in REFUSED:
            scene = [] if words[0] in ("replay", "make", "convert") else ["scene.json"]
            command = words[:1] if not words[0].startswith("-") else []
            self.refused([*command, *scene, *words[len(command):]], fragment)
        # A scene file may contain keys without effect on a command, since all commands read the same scenes.
        self.write({**COLUMN, "friction": 0.1, "tear_by": "von_mises", "color_map": "viridis", "speed": 2, "steps": 9})
        for words in (["info", "scene.json"], ["record", "scene.json", "--frames", "1", "--state", "a.npz"]):
            done = run(words, self.folder.name)
            self.assertEqual((done.returncode, "no effect" in done.stderr), (0, False), done.stderr)

    def test_wrong_values_are_refused_as_wrong_command_lines(self):
        self.write(COLUMN)
        once = ["--repeat", "1"]
        for words, fragment in (
                (["--material", "rubber"], 'material "rubber" does not exist'),
                (["--lambda", "-1e9"], "lambda is -1e+09 Pa, expected more than -2/3 mu"),
                (["--solver", "xyz"], 'solver "xyz" does not exist'), (["--matrix", "xyz"], 'matrix "xyz"'),
                (["--self-contact", "--degree", "3"], "self_contact supports elements of degree 1 or 2"),
                ([*once, "--set", "foo=1"], 'there is no scene key "foo"'),
                ([*once, "--set", "yuong=1"], 'there is no scene key "yuong" (did you mean "young"?)'),
                ([*once, "--set", "dt="], "dt has no values"),
                ([*once, "--set", "dt"], '"dt" has no values'), ([*once, "--set", "dt=1 dt=2"], "dt is given twice"),
                ([*once, "--set", "camera=1"], "the key camera has no effect"),
                (["--repeat", "0", "--set", "dt=1"], "--set needs --repeat 1"),
                ([*once, "--set", "dt=1", "--probe", "volume"], "--probe needs a single one"),
                ([*once, "--set", "dt=1", "--state", "a.npz"], "--state needs a single one"),
                ([*once, "--set", "dt=1", "--dt", "0.1"], "dt is also given as an option"),
                (["--probe-file", "a.csv"], "needs --probe NAME"),
                (["--probe-file", "a.csv", "--probe", "volum"], "--probe: there is no observable")):
            self.refused(["bench", "scene.json", *words], fragment)
        for words, fragment in ((["bx"], 'unknown shape "bx"'), (["box", "--cells", "2000"], "expected at most 1000"),
                                (["cube", "--degree", "2"], "only grids of quads can have a degree")):
            self.refused(["make", "-o", "a.msh", *words], fragment)

    def test_shapes_and_bodies_without_a_scene_are_a_body_alone(self):
        for words in (["--shapes", json.dumps(COLUMN["shapes"])], ["--bodies", json.dumps([BOX])]):
            for command in (["bench", "--repeat", "0", "--steps", "1"], ["info"], ["solve"]):
                done = run([*command, "--device", "cpu", *words], self.folder.name)
                self.assertEqual(done.returncode, 0, done.stderr)
                if command[0] == "bench":
                    self.assertIn("mesh without a scene: Young's modulus", done.stderr)
                    self.assertIn("newton robust", done.stdout)
        self.refused(["bench", "--shapes", "[]"], "--shapes is empty; give a mesh, shapes or bodies")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Tests numbers that are too large for float or double, for each key of the table KEYS. The program must refuse each
number with one line that names the key. Also tests the largest accepted numbers, restored states and obstacle meshes.

usage: test_ranges.py PLIANT [KEY | all]     KEY: only keys that contain this text; all: more numbers, and each number
                                             in both precisions
"""
import copy
import json
import os
import struct
import subprocess
import sys
import tempfile
import zlib

PLIANT, ONLY = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
ALL = ONLY == "all"
ONLY = "" if ALL else ONLY

BOX = {"shapes": [{"kind": "box", "size": [1, 1, 1], "cells": 1, "at": [0, 0, 0], "turn": [0, 0, 0]}], "young": 1e5,
       "poisson": 0.3, "density": 1000, "device": "cpu"}
BODIES = {"bodies": [{"shape": {"kind": "box", "size": [1, 1, 1], "cells": 1}, "scale": 1, "young": 1e5,
                      "density": 1000, "damping": 1, "place": [0, 0, 0], "velocity": [0, 0, 0],
                      "turn": {"axis": "z", "degrees": 0}}], "device": "cpu"}
SPHERE = {"kind": "sphere", "at": [5, 0, 0], "radius": 1, "friction": 0.5, "path": [[0, 0, 0, 0], [1, 1, 0, 0]],
          "spin": {"axis": [0, 0, 1], "about": [5, 0, 0], "speed": 10}}

# Each row of KEYS has the key as messages name it, a scene, the path of the number in the scene, and a pair (p, q). The
# program must refuse numbers of 10^p and more in float, and of 10^q and more in double.
LENGTH, NUMBER = (16, 46), (31, 91)
KEYS = [
    ("young", BOX, ["young"], NUMBER),
    ("density", BOX, ["density"], NUMBER),
    ("damping", BOX, ["damping"], NUMBER),
    ("gravity", BOX, ["gravity", 2], NUMBER),
    ("floor", BOX, ["floor"], LENGTH),
    ("friction", BOX, ["friction"], NUMBER),
    ("contact_distance", BOX, ["contact_distance"], LENGTH),
    ("contact_modulus", BOX, ["contact_modulus"], NUMBER),
    ("friction_speed", BOX, ["friction_speed"], LENGTH),
    ("dt", BOX, ["dt"], NUMBER),
    ("newton_absolute", BOX, ["newton_absolute"], NUMBER),
    ("memory_budget", BOX, ["memory_budget"], NUMBER),
    ("scale", BOX, ["scale"], NUMBER),
    ("tear_stress", BOX, ["tear_stress"], NUMBER),
    ("mouse_stiffness", BOX, ["mouse_stiffness"], NUMBER),
    ("mouse_radius", BOX, ["mouse_radius"], LENGTH),
    ("color_range", BOX, ["color_range", 1], NUMBER),
    ("\"size\"", BOX, ["shapes", 0, "size", 0], LENGTH),
    ("\"at\"", BOX, ["shapes", 0, "at", 1], LENGTH),
    ("\"turn\"", BOX, ["shapes", 0, "turn", 1], NUMBER),
    ("\"degrees\"", BOX, ["twist", "degrees"], NUMBER),
    ("\"radius\"", BOX, ["pins", 0, "radius"], LENGTH),
    ("\"center\"", BOX, ["pins", 0, "center", 0], LENGTH),
    ("\"total\"", BOX, ["forces", 0, "total", 0], NUMBER),
    ("\"pressure\"", BOX, ["forces", 1, "pressure"], NUMBER),
    ("\"traction\"", BOX, ["forces", 2, "traction", 0], NUMBER),
    ("\"over_time\"", BOX, ["forces", 2, "over_time", 1, 1], NUMBER),
    ("\"stiffness\"", BOX, ["drags", 0, "stiffness"], NUMBER),
    ("\"path\"", BOX, ["drags", 0, "path", 1, 1], LENGTH),
    ("\"path\"", BOX, ["drags", 0, "path", 1, 0], NUMBER),
    ("\"stiffness\"", BOX, ["materials", 0, "stiffness"], NUMBER),
    ("\"time\"", BOX, ["cuts", 0, "time"], NUMBER),
    ("\"point\"", BOX, ["cuts", 0, "point", 0], LENGTH),
    ("\"reach\"", BOX, ["cuts", 0, "reach"], LENGTH),
    ("\"eye\"", BOX, ["camera", "eye", 0], LENGTH),
    ("\"target\"", BOX, ["camera", "target", 0], LENGTH),
    ("\"eye\"", BOX, ["views", 1, "eye", 0], LENGTH),
    ("\"size\"", BODIES, ["bodies", 0, "shape", "size", 0], LENGTH),
    ("\"scale\"", BODIES, ["bodies", 0, "scale"], NUMBER),
    ("\"place\"", BODIES, ["bodies", 0, "place", 0], LENGTH),
    ("\"velocity\"", BODIES, ["bodies", 0, "velocity", 1], LENGTH),
    ("\"young\"", BODIES, ["bodies", 0, "young"], NUMBER),
    ("\"density\"", BODIES, ["bodies", 0, "density"], NUMBER),
    ("\"damping\"", BODIES, ["bodies", 0, "damping"], NUMBER),
    ("\"degrees\"", BODIES, ["bodies", 0, "turn", "degrees"], NUMBER),
    ("\"at\"", BOX, ["obstacles", 0, "at", 0], LENGTH),
    ("\"radius\"", BOX, ["obstacles", 0, "radius"], LENGTH),
    ("\"friction\"", BOX, ["obstacles", 0, "friction"], NUMBER),
    ("\"path\"", BOX, ["obstacles", 0, "path", 1, 2], LENGTH),
    ("\"about\"", BOX, ["obstacles", 0, "spin", "about", 0], LENGTH),
    ("\"speed\"", BOX, ["obstacles", 0, "spin", "speed"], NUMBER),
    ("\"at\"", BOX, ["obstacles", 1, "at", 0], LENGTH),
    ("\"size\"", BOX, ["obstacles", 1, "size", 2], LENGTH),
    ("\"turn\"", BOX, ["obstacles", 1, "turn", 2], NUMBER),
    ("\"angles\"", BOX, ["obstacles", 1, "spin", "angles", 1, 1], NUMBER),
    ("\"from\"", BOX, ["obstacles", 2, "from", 0], LENGTH),
    ("\"to\"", BOX, ["obstacles", 2, "to", 0], LENGTH),
    ("\"at\"", BOX, ["obstacles", 3, "at", 2], LENGTH),
]
PARTS = {
    "pins": [{"center": [0, 0, 0], "radius": 0.1}],
    "forces": [{"region": {"center": [0, 0, 0], "radius": 0.1}, "total": [0, 0, 1]},
               {"region": {"center": [0, 0, 0], "radius": 0.1}, "pressure": 1},
               {"region": {"center": [0, 0, 0], "radius": 0.1}, "traction": [0, 0, 1],
                "over_time": [[0, 0], [1, 1]]}],
    "drags": [{"grab": {"center": "+z", "radius": 0.5}, "stiffness": 10, "path": [[0, 0, 0, 0], [1, 0, 0, 0]]}],
    "materials": [{"region": {"center": [0, 0, 0], "radius": 10}, "stiffness": 2}],
    "cuts": [{"time": 1, "point": [0, 0, 0.5], "normal": [0, 0, 1], "reach": 10}],
    "camera": {"eye": [9, 9, 9], "target": [0, 0, 0]},
    "views": [None, {"eye": [9, 9, 9], "target": [0, 0, 0]}],
    "twist": {"axis": "z", "degrees": 1},
    "gravity": [0, 0, -9.81],
    "color_range": [-1, 1],
    "obstacles": [
        SPHERE,
        {"kind": "box", "at": [9, 0, 0], "size": [1, 1, 1], "turn": [0, 0, 0],
         "spin": {"axis": [0, 0, 1], "angles": [[0, 0], [1, 1]]}},
        {"kind": "capsule", "from": [20, 0, 0], "to": [22, 0, 0], "radius": 1},
        {"kind": "plane", "at": [0, 0, -9], "normal": [0, 0, 1]},
    ],
}
POSITIVE = {"young", "density", "damping", "friction", "contact_distance", "contact_modulus", "friction_speed", "dt",
            "newton_absolute", "memory_budget", "scale", "tear_stress", "mouse_stiffness", "mouse_radius",
            "color_range", "\"radius\"", "\"stiffness\"", "\"time\"", "\"reach\"", "\"scale\"", "\"young\"",
            "\"density\"", "\"damping\"", "\"size\"", "\"friction\""}
TOUCHING = {"shapes", "bodies", "obstacles", "contact_distance"}


def scene_with(base, place, value):
    """Returns a copy of the scene with `value` at the path `place`. A list that `place` begins with is copied from
    PARTS."""
    scene = copy.deepcopy(base)
    if place[0] in PARTS:
        scene[place[0]] = copy.deepcopy(PARTS[place[0]])
    if place[-3:-2] == ["path"] and value < 0 and place[-1] == 0:
        place = place[:-2] + [0, 0]  # times must increase, so a negative one must be the first
    at = scene
    for key in place[:-1]:
        at = at[key]
    at[place[-1]] = value
    return scene


def run(folder, scene, *words):
    path = os.path.join(folder, "scene.json")
    with open(path, "w") as file:
        json.dump(scene, file)
    return subprocess.run([PLIANT, "bench", path, "--steps", "2", "--repeat", "0", *words], capture_output=True,
                          text=True, timeout=120)


def fault(done, key, code=2):
    """Returns an error if the program did not refuse this key with this exit code; otherwise an empty string."""
    lines = [line for line in done.stderr.splitlines() if line]
    if done.returncode != code:
        return "exit %d: %s" % (done.returncode, done.stderr.strip()[-200:])
    if len(lines) != 1:
        return "%d lines" % len(lines)
    return "" if key in lines[0] else "does not name the key: " + lines[0]


def refused_by_key(folder):
    bad = 0
    for k, (key, base, place, powers) in enumerate(KEYS):
        if ONLY not in key:
            continue
        for precision, power in zip(("float", "double"), powers):
            # Tests a number that is just too large: a positive one in float, a negative one in double. Each key is also
            # tested with nearly the largest number of JSON, in only one of the precisions (with `all` in both).
            just, largest = (10.0 ** power, -1e308) if precision == "float" else (-10.0 ** power, 1e308)
            for value in (just, largest) if ALL or (precision == "float") == (k % 2 == 0) else (just,):
                value = abs(value) if key in POSITIVE else value
                for contact in (False, True) if place[0] in TOUCHING else (False,):
                    scene = scene_with(base, place, value)
                    scene["self_contact"] = contact
                    wrong = fault(run(folder, scene, "--precision", precision), key)
                    bad += wrong != ""
                    if wrong:
                        print("BAD %s = %g in %s%s: %s" % (place, value, precision, " with contact" * contact, wrong))
    return bad


def large_but_held(folder):
    """Runs scenes with the largest accepted numbers. Each must give a result or an error message, and never crash. A
    few Newton iterations suffice, since the huge number is already in the first residual."""
    bad = 0
    for k, (key, base, place, powers) in enumerate(KEYS):
        if ONLY not in key:
            continue
        for precision, power in zip(("float", "double"), powers):
            # Tests the largest accepted power of ten, and the power with half of the exponent of the first refused one.
            # Without `all`, tests the former in one of the two precisions, and the latter only in float.
            values = (10.0 ** (power - 1), 10.0 ** (power // 2))
            if not ALL:
                values = values[:1] * ((precision == "float") == (k % 2 == 0)) + values[1:] * (precision == "float")
            for value in values:
                scene = scene_with(base, place, value)
                scene["self_contact"] = True
                done = run(folder, scene, "--precision", precision, "--newton-max", "5")
                if done.returncode not in (0, 1, 2) or (done.returncode > 0 and "pliant: " not in done.stderr):
                    bad += 1
                    print("BAD %s = %g in %s: exit %d: %s" % (place, value, precision, done.returncode,
                                                              done.stderr.strip()[-200:]))
    return bad


def restored_states(folder):
    """Writes a huge number into the state of a checkpoint, again and again at other places, and corrects the checksums.
    The program must accept or refuse each file, without a crash."""
    bad = 0
    scene, path, changed = (os.path.join(folder, name) for name in ("scene.json", "good.ck", "bad.ck"))
    with open(scene, "w") as file:
        json.dump({**BOX, "self_contact": True, "gravity": [0, 0, -9.81], "friction": 0.4,
                   "obstacles": [{"kind": "box", "at": [0, 0, -1], "size": [3, 3, 1.9]}]}, file)
    subprocess.run([PLIANT, "record", scene, "--frames", "2", "--checkpoint", path], check=True, capture_output=True)
    with open(path, "rb") as file:
        good = file.read()
    refusals = 0
    # The positions of numbers in the file are unknown, so the eight bytes from every third byte on are tried. Without
    # `all`, from every eleventh byte on.
    for at in range(len(good) - 700, len(good) - 8, 3 if ALL else 11):
        value = (1e50, -1e308)[at % 2]
        payload = good[32:at] + struct.pack("<d", value) + good[at + 8:]
        head = good[:24] + struct.pack("<I", zlib.crc32(payload))
        with open(changed, "wb") as file:
            file.write(head + struct.pack("<I", zlib.crc32(head)) + payload)
        done = subprocess.run([PLIANT, "record", scene, "--frames", "3", "--resume", changed, "--checkpoint",
                               path + ".next"], capture_output=True, text=True, timeout=60)
        refusals += done.returncode == 1 and "outside the range" in done.stderr
        if done.returncode not in (0, 1):
            bad += 1
            print("BAD state with %g at byte %d: exit %d" % (value, at, done.returncode))
    print("%d states refused" % refusals)
    if refusals < (40 if ALL else 10):  # the state has 48 displacements and momenta, of eight nodes
        bad += 1
        print("BAD only %d states were refused as out of range" % refusals)
    return bad


def surface_vertices(folder):
    """Tests that an obstacle's mesh with a vertex outside the range is refused. The message must name the obstacle's
    entry and the vertex's number."""
    bad = 0
    with open(os.path.join(folder, "far.obj"), "w") as file:
        file.write("v 5 0 0\nv 6 0 0\nv 5 1e50 0\nf 1 2 3\n")
    for scale in (1, 1e-2):
        scene = {**BOX, "self_contact": True, "obstacles": [{"kind": "mesh", "mesh": "far.obj", "scale": scale}]}
        for precision in ("float", "double"):
            wrong = fault(run(folder, scene, "--precision", precision), "obstacles entry 1: vertex 3 of its mesh", 1)
            bad += wrong != ""
            if wrong:
                print("BAD vertex of 1e50 times %g in %s: %s" % (scale, precision, wrong))
    return bad


def main():
    with tempfile.TemporaryDirectory() as folder:
        bad = (refused_by_key(folder) + large_but_held(folder) + restored_states(folder) +
               surface_vertices(folder))
    return bad != 0


sys.exit(main())

#!/usr/bin/env python3
"""Runs whole commands in which one allocation fails. The command must report an error, leave no partial file, and not
crash or leak.

usage: test_allocations.py PLIANT_FAILING POINTS [COMMAND]
  PLIANT_FAILING  the program pliant, linked with an allocator that makes one allocation fail
  POINTS          largest number of runs per command; each makes an allocation with another call stack fail
  COMMAND         a part of names of commands, as `commands` yields them: only commands whose name contains it run

Allocations of libraries that are linked into the program are left out: Dear ImGui and the loader of OpenGL do not
expect a failure, and CUDA's runtime allocates before main() begins.
"""
import bisect
import functools
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from programs import program_of, sanitized  # noqa: E402

PLIANT, POINTS, ONLY = os.path.abspath(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
ASSETS = os.environ["PLIANT_ASSETS"]
BALL = os.path.join(ASSETS, "meshes", "sphere_63.msh")
ENDINGS = ("msh", "mesh", "meshb", "node", "vtk", "vtu", "veg", "msh.gz")


def commands(folder):
    """Yields name, arguments and output files of each command to test."""
    scene = {"shapes": [{"kind": "box", "size": [1, 1, 1], "cells": 2},
                        {"kind": "sphere", "size": [1, 1, 1], "cells": 2, "at": [3, 0, 0]}],
             "pins": [{"z": [None, 0.01]}], "mu": 500, "lambda": 200, "density": 10, "device": "cpu",
             "gravity": [0, 0, -9.8], "materials": [{"region": {"z": [0.5, None]}, "stiffness": 2}],
             "forces": [{"region": {"z": [0.9, None]}, "total": [1, 0, 0], "steps": [1, 5]}]}
    with open(os.path.join(folder, "q.json"), "w") as file:
        json.dump(scene, file)
    with open(os.path.join(folder, "box.json"), "w") as file:
        json.dump({**scene, "shapes": scene["shapes"][:1]}, file)
    for ending in ENDINGS:
        if subprocess.run([PLIANT, "convert", BALL, "in." + ending], cwd=folder, capture_output=True).returncode:
            raise SystemExit("cannot make in." + ending)
        yield "read " + ending, ["convert", "in." + ending, "out.msh"], ["out.msh"]
        yield "write " + ending, ["convert", BALL, "out." + ending], ["out." + ending]
    yield "make", ["make", "torus", "--cells", "2", "-o", "out.msh"], ["out.msh"]
    yield ("make grid", ["make", "square", "--cells", "2", "--degree", "2", "--distort", "0.1", "-o", "out.msh"],
           ["out.msh"])
    subprocess.run([PLIANT, "make", "square", "--cells", "4", "--shape", "triangle", "-o", "grid.msh"], cwd=folder,
                   capture_output=True, check=True)
    for name, words in (("grid", ["poisson", "square", "--cells", "3", "--load", "lumped", "--held", "x < 0.1"]),
                        ("file", ["plate", "grid.msh", "--precision", "float"]),
                        ("gs", ["poisson", "grid.msh", "--solver", "gs"]),
                        ("body", ["elasticity", "cube", "--cells", "2", "--held", "z > 0.9", "--ratio", "0"])):
        yield ("steady " + name, ["solve", *words, "-o", "out.vtu", "--json", "a.json"],
               ["out.vtu", "a.json"])
    yield "info", ["info", "--all", "q.json"], []
    probes = "energy,momentum,volume,reaction:1,position:1,centre:pins/1,contact_push,converged"
    yield ("probes", ["bench", "box.json", "--steps", "2", "--repeat", "0", "--probe", probes, "--probe-file", "p.csv",
                      "--json", "a.json"], ["p.csv", "a.json"])
    for words in (["--assembly", "cpu_opt", "--matrix", "dcsr"],
                  ["--assembly", "cpu", "--matrix", "dhyb", "--order", "rcm"],
                  ["--matrix", "coo", "--precision", "double"]):
        yield "record " + " ".join(words[1::2]), ["record", "q.json", "--frames", "2", "--vtu", "series", "--overwrite",
                                                  "--state", "s.npz", "--checkpoint", "c", *words], ["s.npz", "c"]
    subprocess.run([PLIANT, "record", "q.json", "--frames", "1", "--checkpoint", "before"], cwd=folder,
                   capture_output=True, check=True)
    yield "resume", ["record", "q.json", "--frames", "2", "--resume", "before", "--state", "s.npz"], ["s.npz"]
    subprocess.run([PLIANT, "record", "q.json", "--frames", "2", "--save-scene", "saved.json"], cwd=folder,
                   capture_output=True, check=True)
    yield "saved scene", ["record", "saved.json", "--frames", "2", "--save-scene", "again.json"], ["again.json"]
    with open(os.path.join(folder, "q.json")) as file:
        cut = {**json.load(file), "cuts": [{"time": 0, "point": [0.5, 0.5, 0.5], "normal": [0.1, 0, 1]}]}
    with open(os.path.join(folder, "cut.json"), "w") as file:
        json.dump(cut, file)
    yield "saved cut", ["record", "cut.json", "--frames", "2", "--save-scene", "again.json"], ["again.json"]
    yield ("solve", ["solve", "box.json", "--increments", "1", "--json", "a.json", "--state", "s.npz"],
           ["a.json", "s.npz"])
    if not sanitized(PLIANT):  # the graphics driver leaks memory
        yield ("pictures", ["record", "box.json", "--frames", "2", "--size", "64x48", "-o", "pictures",
                            "--video", "film.mp4", "--overwrite"], ["film.mp4"])
    yield ("sweep", ["bench", "box.json", "--sweep", "--steps", "1", "--repeat", "1", "--json", "a.json"],
           ["a.json"])
    yield "bench", ["bench", "box.json", "--steps", "2", "--repeat", "1", "--roofline", "--json", "a.json"], ["a.json"]
    yield ("study of hexahedra",
           ["study", "ramirez", "--device", "cpu", "--dof", "1331", "--repeat", "1", "--figure", "4",
            "--json", "a.json"], ["a.json"])
    yield ("study", ["study", "mueller-roemer", "--device", "cpu", "--mesh", BALL, "--repeat", "1", "--json", "a.json"],
           ["a.json"])


def run(folder, words, fail_at, trace_file=None):
    # PLIANT_MEMORY_MIB is small to save time: --roofline measures with arrays of up to a quarter of this memory
    env = {**os.environ, "PLIANT_FAIL_AT": str(fail_at), "OMP_NUM_THREADS": "1", "PLIANT_MEMORY_MIB": "64"}
    if trace_file:
        env["PLIANT_TRACE_FILE"] = trace_file
    return subprocess.run([program_of(PLIANT, words), *words], cwd=folder, env=env, capture_output=True, text=True,
                          timeout=120)


@functools.cache
def functions(program):
    """Returns two lists for a program, sorted by address: addresses and names of its functions."""
    listed = subprocess.run(["nm", "--defined-only", program], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in listed.splitlines()]
    start = next(int(row[0], 16) for row in rows if row[-1] == "__executable_start")
    rows = sorted((int(row[0], 16) - start, row[2]) for row in rows if row[1] in "tTwW")
    return [row[0] for row in rows], [row[1] for row in rows]


def chosen(trace, places, names):
    """Returns the numbers, from 1, of the allocations that are to fail: the first one of each call stack. If there are
    more than POINTS, returns POINTS of them at equal distances."""
    first = {}
    for at, line in enumerate(trace, 1):
        chain, call = line.split()
        name = names[bisect.bisect_left(places, int(call, 16)) - 1]
        if not re.match(r"_Z\w*Im(Gui|Font|Draw|Vector)|_ZL13MallocWrapper|stbtt|glad|libcudart", name):
            first.setdefault(chain, at)
    points = list(first.values())
    if len(points) <= POINTS:
        return points
    return sorted({points[k * (len(points) - 1) // (POINTS - 1)] for k in range(POINTS)})


def main():
    bad = tried = 0
    with tempfile.TemporaryDirectory() as folder:
        trace_file = os.path.join(folder, "trace")
        for name, words, outputs in commands(folder):
            if ONLY and ONLY[0] not in name:
                continue
            done = run(folder, words, 0, trace_file)
            if done.returncode:
                raise SystemExit(f"{name}: {done.stderr}")
            with open(trace_file) as file:
                trace = file.read().splitlines()
            count = len(trace)
            for point in chosen(trace, *functions(program_of(PLIANT, words))):
                for output in outputs:
                    path = os.path.join(folder, output)
                    if os.path.exists(path):
                        os.remove(path)
                # This run also writes a trace, only so that its allocations have the same addresses as in the first
                # run. The address of an array decides if the array is copied when it grows (device.c).
                done = run(folder, words, point, trace_file)
                tried += 1
                left = [f for f in os.listdir(folder) if ".part" in f]
                # an assembly that lacks memory is replaced by another one, with a notice
                fallen_back = done.returncode == 0 and "; using " in done.stderr
                said = "memory" in done.stderr and (done.returncode in (1, 2) or fallen_back)
                if said and not left and "Sanitizer" not in done.stderr and "runtime error" not in done.stderr:
                    continue
                bad += 1
                for part in left:
                    os.remove(os.path.join(folder, part))
                print(f"{name}: allocation {point} of {count}: exit {done.returncode}, left {left}: "
                      f"{done.stderr[-1500:]}")
    print(f"{tried} allocations failed, {bad} of them badly")
    return 1 if bad or not tried else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Tests that results of the shipped scenes on the CPU repeat bit for bit: compares hashes of final states with
state_hashes.json.

usage: test_state_hashes.py PLIANT [COMPILER ...] [--all | --write]
  COMPILER name and version of the compiler, for messages and for state_hashes.json; the comparison does not use it
  --all    computes every run in float and in double; otherwise runs alternate between float and double, and the runs
           in the list LONG are left out
  --write  computes the same runs as --all, and stores their hashes in state_hashes.json

Pliant sums in fixed orders and forbids fused multiply-adds. With IEEE arithmetic, the result then does not depend on
the compiler, the processor or the number of threads. It does depend on two libraries: the mathematical functions of
libc and the node order of METIS. So state_hashes.json also has, for each of these libraries, a hash of its results for
fixed inputs. If a library of this machine gives other results, the states cannot be compared and the test is skipped.
"""
import ctypes
import hashlib
import json
import pathlib
import platform
import re
import struct
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from programs import program_of  # noqa: E402

write = "--write" in sys.argv
every = write or "--all" in sys.argv
pliant, *compiler = [word for word in sys.argv[1:] if word not in ("--all", "--write")]
pliant = pathlib.Path(pliant).resolve()
stored_path = pathlib.Path(__file__).with_name("state_hashes.json")
assets = pathlib.Path(__file__).resolve().parents[2] / "assets"


# Runs that take half a second or more. They are computed only with --all or --write, because shorter runs execute the
# same code. For contact, the shorter runs are the scenes bowl_coarse, octopus, course and basin; for the hand,
# hand_strict and hand_coarse; for the assembly "parts", hand_strict and stiff_soft_coarse. For degree 2, the shorter
# runs are twist_coarse with other stages, hang_coarse with the matrix "partial", and stiff_soft_coarse with degree 1.
LONG = ("hand.json --steps 1", "pinch_coarse.json --steps 45 --newton-relative 1e-3", "cradle.json --steps 300",
        "bowl_coarse.json --steps 30 --assembly parts --matrix parts --solver dcg --newton-relative 1e-3 "
        "--cg-relative 1e-4",
        "twist_coarse.json --steps 2 --degree 2 --assembly cpu --matrix partial --solver dcg --newton-relative 1e-3 "
        "--cg-relative 1e-4",
        "pile.json --steps 12", "hand.json --steps 1 --assembly cpu_opt --matrix dcsr --solver dcg",
        "stiff_soft_coarse.json --steps 1 --degree 2 --newton-relative 1e-3 --cg-relative 1e-4",
        "twist_coarse.json --steps 1 --degree 2 --assembly cpu --matrix matrixfree --solver dcg "
        "--newton-relative 1e-3 --cg-relative 1e-4")


def short(digest):
    return digest.hexdigest()[:16]


def answers_of_mathematics(libm):
    """Returns a hash of values of the mathematical functions that simulations and mesh generators call, over their
    ranges."""
    digest = hashlib.sha256()
    functions = [(name, ctypes.c_double, "<d") for name in ("log1p", "log", "cbrt", "sin", "cos", "acos")]
    for name, kind, code in functions + [("log1pf", ctypes.c_float, "<f")]:
        function = getattr(libm, name)
        function.argtypes, function.restype = [kind], kind
        for k in range(-499, 2000):
            x = k / 500 + k * k * 1e-8  # arguments within the domains of the functions: log1p > -1, log > 0, acos <= 1
            taken = {"acos": x % 1, "log": abs(x) + 1e-3}.get(name, x)
            digest.update(struct.pack(code, function(taken)))
    return digest


def answers_of_metis(metis):
    """Returns a hash of the node order that METIS finds for a grid of 14^3 nodes."""
    n = 14
    starts, neighbours = [0], []
    for a in range(n ** 3):
        for stride in (1, n, n * n):
            neighbours += [a - stride] * (a // stride % n > 0) + [a + stride] * (a // stride % n < n - 1)
        starts.append(len(neighbours))
    options = (ctypes.c_int * 40)()
    metis.METIS_SetDefaultOptions(options)
    order, place = (ctypes.c_int * n ** 3)(), (ctypes.c_int * n ** 3)()
    if metis.METIS_NodeND(ctypes.byref(ctypes.c_int(n ** 3)), (ctypes.c_int * len(starts))(*starts),
                          (ctypes.c_int * len(neighbours))(*neighbours), None, options, order, place) != 1:
        raise SystemExit("METIS failed to order the nodes of a grid")
    return hashlib.sha256(bytes(order))


def this_machine():
    """Returns hashes of results of libm and METIS, on which the bits of states depend. Also returns the versions of
    libc and of the compiler, and the type of machine, which help to explain a difference."""
    linked = subprocess.run(["ldd", pliant], capture_output=True, text=True).stdout
    found = {name: re.search(rf"{name}\.so\S* => (\S+)", linked) for name in ("libm", "libmetis")}
    for name, path in found.items():
        if not path:
            print(f"skipped: {pliant} does not load {name}, so a changed version of it would not be noticed")
            sys.exit(77)
    return {"libm": short(answers_of_mathematics(ctypes.CDLL(found["libm"].group(1)))),
            "metis": short(answers_of_metis(ctypes.CDLL(found["libmetis"].group(1)))),
            "libc": " ".join(platform.libc_ver()), "compiler": " ".join(compiler) or "unknown",
            "machine": platform.machine()}


def state_hash(run, precision, folder):
    """Returns a hash of the final positions and momenta. `run` is a scene with options for `pliant bench`."""
    scene, *options = run.split()
    state = pathlib.Path(folder) / "state.npz"
    words = ["bench", str(assets / "scenes" / scene), "--device", "cpu", "--precision", precision, "--repeat", "0",
             "--state", str(state), *options]
    done = subprocess.run([program_of(str(pliant), words), *words], capture_output=True, text=True, cwd=assets.parent)
    if done.returncode:
        raise SystemExit(f"{run}: {done.stderr}")
    digest = hashlib.sha256()
    with zipfile.ZipFile(state) as archive:
        for name in ("positions.npy", "momenta.npy"):
            digest.update(archive.read(name))
    return short(digest)


def main():
    stored, machine = json.loads(stored_path.read_text()), this_machine()
    differs = [f"{key} is {machine[key]!r} here, {value!r} there" for key, value in stored["written_on"].items()
               if machine[key] != value]
    if not write and any(machine[key] != stored["written_on"][key] for key in ("libm", "metis")):
        print("skipped: the stored hashes are from a machine whose libraries give other results:", "; ".join(differs))
        return 77
    moved = []
    missing = [run for run in LONG if run not in stored["hashes"]]
    if missing:
        raise SystemExit(f"state_hashes.json has no hashes for these runs of LONG: {missing}")
    with tempfile.TemporaryDirectory() as folder:
        for k, (run, hashes) in enumerate(stored["hashes"].items()):
            if run in LONG and not every:
                continue
            for precision in ("float", "double") if every else (("float", "double")[k % 2],):
                now = state_hash(run, precision, folder)
                before = hashes.get(f"cpu {precision}")
                if now != before:
                    moved.append(f"{run}, cpu, {precision}: hash {now}, stored hash {before}")
                hashes[f"cpu {precision}"] = now
    runs = len(stored["hashes"]) - (0 if every else len(LONG))
    print("\n".join(moved) if moved else f"{runs} runs have the bits of the stored hashes")
    if write:
        stored["written_on"] = machine
        stored_path.write_text(json.dumps(stored, indent=2) + "\n")
    elif moved:
        print(f"The bits of {len(moved)} states have changed. If this is intended, find out which order of summation "
              f"changed, then run\n  {sys.argv[0]} {pliant} {' '.join(compiler)} --write\n"
              "The message of the commit must name the changed sum, the reason, and the size of the change in results.",
              "\nDifferences from the machine that wrote the hashes: " + "; ".join(differs) if differs else "")
    return 1 if moved and not write else 0


sys.exit(main())

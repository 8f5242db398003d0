#!/usr/bin/env python3
"""Tests that CPU stages with default threads stay fast while another program keeps one of two cores busy.

Runs with the default number of threads are compared with runs with one thread. Both kinds of runs alternate, so that
other programs slow down both. The bound SLOWER may be large: faulty versions were 10 to 60 times slower with the
default number of threads. usage: test_threads.py PLIANT"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

PLIANT = sys.argv[1]
SLOWER = 4  # largest accepted time with default threads divided by the time with one thread
BEAM = {"shapes": [{"kind": "box", "size": [2, 0.5, 0.5], "cells": 2}], "pins": [{"x": [None, 0.01]}],
        "young": 1e5, "poisson": 0.3, "gravity": [0, 0, -9.8], "device": "cpu", "steps": 60}
BALL = {"shapes": [{"kind": "sphere", "size": [0.5, 0.5, 0.5], "cells": 10, "at": [0, 0, 0.26]}], "young": 1e5,
        "poisson": 0.4, "gravity": [0, 0, -9.8], "floor": 0, "device": "cpu", "steps": 8}


def steps_per_s(scene, folder, **settings):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GOMP_"))}
    out = folder / "out.json"
    subprocess.run([PLIANT, "bench", str(scene), "--repeat", "1", "--json", str(out)], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment | settings)
    return json.loads(out.read_text())["steps_per_s"]


def main():
    cores = sorted(os.sched_getaffinity(0))[:2]
    if len(cores) < 2:
        print("this machine has only one core")
        return 77
    os.sched_setaffinity(0, cores)  # child processes inherit the affinity
    neighbour = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    failed = False
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for what, scene in {"a beam of 192 tets": BEAM, "a ball on a floor": BALL}.items():
                file = folder / "scene.json"
                file.write_text(json.dumps(scene))
                pairs = [(steps_per_s(file, folder), steps_per_s(file, folder, OMP_NUM_THREADS="1")) for _ in range(5)]
                slower = statistics.median(one / default for default, one in pairs)
                print(f"{what}: {slower:.2f} times slower than with one thread, at most {SLOWER} expected")
                failed |= not slower < SLOWER
    finally:
        neighbour.kill()
        neighbour.wait()
    return 1 if failed else 0


sys.exit(main())

#!/usr/bin/env python3
"""Runs the scenes of assets/ with longer time steps and other stiffnesses. A run must reach its end with finite
results, or stop with a message about the cause.

usage: test_robustness.py PLIANT [DEVICE] [all]     DEVICE: cpu (the default) for coarse scenes, cuda for all scenes
                                                    all: each time step with each stiffness, not one extreme at a time
"""
import json
import math
import os
import subprocess
import sys
import tempfile

PLIANT, ALL = sys.argv[1], "all" in sys.argv[2:]
DEVICE = "cuda" if "cuda" in sys.argv[2:] else "cpu"
SCENES = os.path.join(os.environ["PLIANT_ASSETS"], "scenes")
DECADES = range(-3, 4) if DEVICE == "cuda" and ALL else (-3, 0, 3)
STEPS = 4 if DEVICE == "cuda" or ALL else 2


def names():
    """Yields the names of the scenes to run. Leaves out scenes that are static or do not move in their first steps."""
    for name in sorted(os.listdir(SCENES)):
        if (DEVICE != "cpu" or "coarse" in name) and not name.startswith(("droop", "demo")):
            yield name


def finite(value):
    """Returns true if every number of a JSON value is finite."""
    if isinstance(value, dict):
        return all(finite(v) for v in value.values())
    if isinstance(value, list):
        return all(finite(v) for v in value)
    return value is not None and (not isinstance(value, float) or math.isfinite(value))


def main():
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.json")
        for name in names():
            with open(os.path.join(SCENES, name)) as file:
                scene = json.load(file)
            for factor in (1, 5, 20):
                for decade in DECADES:
                    # corner: either the time step or the stiffness is extreme. On a CPU, scenes with contact run only
                    # in these cases.
                    corner = factor != 5 and (factor == 1) != (decade == 0)
                    contact = "shapes" in scene or scene.get("self_contact")
                    every = ALL and (DEVICE == "cuda" or not contact)
                    if not corner and not every:
                        continue
                    words = ["--dt", str(scene.get("dt", 1 / 60) * factor), "--steps", str(STEPS), "--repeat", "0"]
                    for key in ("mu", "lambda", "young"):
                        if key in scene:
                            words += ["--" + key, str(scene[key] * 10.0 ** decade)]
                    done = subprocess.run([PLIANT, "bench", os.path.join(SCENES, name), "--device", DEVICE,
                                           "--json", out, *words], capture_output=True, text=True, timeout=300)
                    if done.returncode == 0:
                        with open(out) as file:
                            steps = json.load(file)["per_step"]
                        good = len(steps) == STEPS and finite(steps) and all(s["min_J"] > 0 for s in steps)
                        told = "%d steps accepted without convergence" % sum(not s["converged"] for s in steps)
                    else:
                        good = done.returncode == 1 and all(words in done.stderr for words in
                                                            ("Newton's method failed", "det F"))
                        told = done.stderr.strip()[-200:]
                    bad += not good
                    print("%-20s dt x%-3d mu x1e%-3d %s %s" % (name, factor, decade, "ok " if good else "BAD", told))
                    sys.stdout.flush()
    return bad != 0


sys.exit(main())

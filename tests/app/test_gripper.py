#!/usr/bin/env python3
"""Runs every command of docs/tutorials/soft-gripper.md in a folder with the scene that the page contains, and compares
the forces with those that the page promises. Exit status 77: graphics are missing.

usage: test_gripper.py PLIANT ROOT     the program; the folder with docs/
"""
import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile

pliant, root = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
WEIGHT = 3.96  # weight of the ball, N
TIMEOUT = 300  # longest time of one command, s

text = (root / "docs/tutorials/soft-gripper.md").read_text(encoding="utf-8")
blocks = re.findall(r"(?:into `([^`]+)`:\n)?```(sh|json)\n(.*?)```", text, re.S)
assert [kind for _, kind, _ in blocks] == ["json"] + 6 * ["sh"], blocks


def column(folder, file, name):
    """Returns {time, s: contact force, N} from a column of a CSV table. Skips the first row, which precedes all
    steps."""
    with open(folder / file, newline="", encoding="utf-8") as table:
        rows = list(csv.DictReader(table))[1:]
    return {round(float(row["time_s"]), 6): float(row[f"contact_force:{name}_N"]) for row in rows}


with tempfile.TemporaryDirectory() as place:
    here = pathlib.Path(place)
    environment = {**os.environ, "PATH": f"{pliant.parent}:{os.environ['PATH']}"}
    for name, kind, block in blocks:
        if kind == "json":
            (here / name).write_text(block, encoding="utf-8")
            continue
        print("$", block, flush=True)
        done = subprocess.run(["sh", "-ec", block], cwd=here, env=environment, capture_output=True, text=True,
                              timeout=TIMEOUT, check=False)
        if "needs EGL" in done.stderr:
            print(done.stderr)
            sys.exit(77)
        assert done.returncode == 0, done.stderr
        print(done.stdout[-600:], flush=True)

    assert len(list((here / "grip").glob("frame_*.png"))) == 90
    push = column(here, "hold.csv", "ball/left_x")
    lift = [column(here, "hold.csv", f"ball/{body}_z") for body in ("left", "right", "floor")]
    # At 0.98 s the fingers press on the ball, which is still on the floor. At 2.38 s they hold it in the air. At 2.88 s
    # they have released it.
    assert abs(push[0.98] - 6.3) < 0.2 and 0.3 * WEIGHT < lift[2][0.98] < 0.7 * WEIGHT, (push[0.98], lift[2][0.98])
    assert lift[2][2.38] == 0 and abs(lift[0][2.38] + lift[1][2.38] - WEIGHT) < 0.1, [row[2.38] for row in lift]
    assert push[2.88] == 0 and lift[1][2.88] == 0, [row[2.88] for row in lift]
    # With too little friction (slip.csv) the ball stays on the floor, which bears its whole weight at 2.38 s. With too
    # stiff a material (stiff.csv) the left finger hardly presses on the ball at 0.98 s.
    assert abs(column(here, "slip.csv", "ball/floor_z")[2.38] - WEIGHT) < 0.1
    assert column(here, "stiff.csv", "ball/left_x")[0.98] < 1

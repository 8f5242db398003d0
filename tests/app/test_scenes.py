#!/usr/bin/env python3
"""Runs six demonstration scenes (SHOWN) with their settings. All steps must converge, and the final height must be
within bounds.

usage: test_scenes.py PLIANT cpu|cuda     cpu: the coarse scenes
"""
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zipfile

pliant, device = sys.argv[1:3]
scenes = pathlib.Path(__file__).resolve().parents[2] / "assets/scenes"
# bounds of a body's final height divided by its initial height
SHOWN = {"drag": (0.8, 1.3), "twist": (0.7, 1.3), "hang": (1, 3), "drop": (0.2, 0.9), "stiff_soft": (1, 6),
         "bowl": (0.3, 0.8)}


def heights(archive, name):
    """Returns the smallest and the largest z of an array of positions, m. The array is a .npy file: a header, whose
    length is in bytes 8 and 9, and then the numbers."""
    with zipfile.ZipFile(archive) as z:
        data = z.read(name + ".npy")
    body = data[10 + struct.unpack("<H", data[8:10])[0]:]
    z = struct.unpack(f"<{len(body) // 8}d", body)[2::3]
    return min(z), max(z)


def run(folder):
    for name, (least, most) in SHOWN.items():
        scene = scenes / f"{name}{'_coarse' if device == 'cpu' else ''}.json"
        state = folder / f"{name}.npz"
        done = subprocess.run([pliant, "record", scene, "--device", device, "--frames", "46", "--state", state],
                              capture_output=True, text=True)
        if device == "cuda" and ("no usable GPU" in done.stderr or "no CUDA" in done.stderr):
            print("skipped:", done.stderr.strip())
            sys.exit(77)
        assert done.returncode == 0, (name, done.stderr)
        assert "did not converge" not in done.stderr, (name, done.stderr)
        halved = re.search(r"(\d+) steps? (?:was|were) split", done.stdout)
        low, high = heights(state, "positions")
        first_low, first_high = heights(state, "initial_positions")
        ratio = (high - low) / (first_high - first_low)
        print(f"{name}: {first_low:.3f} to {first_high:.3f} m high, then {low:.3f} to {high:.3f}, "
              f"{halved.group(1) if halved else 0} steps halved")
        assert least < ratio < most, (name, ratio)
        if name == "drop":
            assert low > -0.02, low  # the body may sink into the floor by up to 0.02 m


with tempfile.TemporaryDirectory() as temporary:
    run(pathlib.Path(temporary))

#!/usr/bin/env python3
"""Compares pictures of Pliant with reference pictures: shading, shadow, floor, springs, colours with legend, also by
percentiles and with a logarithmic scale, sections, edges, pinned nodes. OpenGL renderers and devices round differently,
so a few pixels may differ. Exit status 77: OpenGL is absent.

usage: test_golden.py PLIANT TEST_HUD [DEVICE] [--update]     TEST_HUD: the program test_hud, which draws the plots
--update: replaces the references; check them by eye
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from png_pixels import pixels  # noqa: E402

pliant, test_hud = sys.argv[1:3]
device = sys.argv[3] if len(sys.argv) > 3 and not sys.argv[3].startswith("-") else "cpu"
update = "--update" in sys.argv
root = pathlib.Path(__file__).resolve().parents[2]
golden = root / "tests/render/golden"
WIDTH, HEIGHT = 320, 240
# PICTURES: name of the picture, scene, frame (at 30 frames per second), options of `pliant record`
PICTURES = (
    ("spring", "drag_coarse", 20, []),
    ("von_mises", "twist_coarse", 0, ["--field", "von_mises"]),
    ("percentiles", "twist_coarse", 0, ["--field", "von_mises", "--field-range", "percentiles", "--range-percentile",
                                        "10"]),
    ("log", "twist_coarse", 0, ["--field", "von_mises", "--color-scale", "log", "--field-range", "follow"]),
    ("section", "drag_coarse", 16, ["--field", "j", "--section", '{"axis": "x", "at": 0.5}', "--section-cut", "tets",
                                    "--color-range", "[0.8,1.2]"]),
    ("edges", "hang_coarse", 6, ["--wireframe", "--show-pins"]),
    ("floor", "drop_coarse", 10, []),
    ("principal", "stiff_soft_coarse", 8, ["--field", "principal"]),
    ("bodies", "bowl_coarse", 7, []),
    ("inside", "twist_coarse", 0, ["--section", '{"axis": "z", "at": 0.5}', "--section-cut", "tets", "--show-pins"]),
    ("cut", "drag_coarse", 16, ["--field", "j", "--section", '{"axis": "y", "flip": true}', "--scale-bar",
                                "--field-range", "follow", "--color-map", "turbo"]),
    ("orthographic", "drop_coarse", 10, ["--orthographic"]),
    ("xray", "bowl_coarse", 7, ["--xray"]),
    ("shadows", "course", 3, ["--section", '{"axis": "x", "at": 0.6}']),
)


def farthest_block(differences, width, samples):
    """Divides the picture into squares of 16 x 16 pixels. Returns the largest mean difference of a square, which
    reveals a missing edge or shadow."""
    sums, stride = {}, width * samples
    for y in range(len(differences) // stride):
        for x in range(0, width, 16):
            row = differences[y * stride + x * samples:y * stride + min(x + 16, width) * samples]
            total, count = sums.get((x, y // 16), (0, 0))
            sums[x, y // 16] = total + sum(row), count + len(row)
    return max(total / count for total, count in sums.values())


def compare(name, drawn):
    """Returns True if a picture agrees with its reference."""
    if update:
        shutil.copyfile(drawn, golden / f"{name}.png")
    if drawn.read_bytes() == (golden / f"{name}.png").read_bytes():
        print(f"{name}: the same file")
        return True
    now, (then, width, samples) = pixels(drawn), pixels(golden / f"{name}.png")
    assert now[1:] == (width, samples) and len(now[0]) == len(then), f"{name}: the size differs"
    differences = [abs(a - b) for a, b in zip(now[0], then)]
    mean, block = sum(differences) / len(differences), farthest_block(differences, width, samples)
    far = sum(d > 32 for d in differences) / len(differences)
    # The bounds allow that lines of one pixel are shifted by half a pixel, and that another GPU smooths them
    # differently.
    good = mean < 1 and far < 0.01 and block < (6 if device == "cpu" else 15)
    print(f"{name}: {mean:.3f} of 255 on average, {block:.2f} in the worst square, {100 * far:.2f} % far off"
          f"{'' if good else '   BAD'}")
    if not good:
        shutil.copyfile(drawn, f"/tmp/pliant-golden-{name}.png")
    return good


bad = 0
with tempfile.TemporaryDirectory() as folder:
    for name, scene, frame, options in PICTURES:
        # Draws frame 0 and, at a frame rate of 30 / frame, the frame 1, which is at the time frame / 30 s.
        count, rate = (2, 30 / frame) if frame else (1, 30)
        done = subprocess.run([pliant, "record", root / f"assets/scenes/{scene}.json", "--device", device,
                               "--precision", "double", "--frames", str(count), "--fps", f"{rate:.15g}",
                               "--size", f"{WIDTH}x{HEIGHT}", "-o", folder, "--overwrite", *options],
                              capture_output=True, text=True)
        if "needs EGL" in done.stderr or "no usable GPU" in done.stderr:
            print("skipped:", done.stderr.strip().split("\n")[-1])
            sys.exit(77)
        assert done.returncode == 0, done.stderr
        drawn = pathlib.Path(folder) / f"frame_{count - 1:05d}.png"
        bad += not compare(name, drawn)
    for name, density in (("plots", 1), ("plots_2x", 2)):  # plots_2x: the plots on a screen of double density
        drawn = pathlib.Path(folder) / f"{name}.png"
        subprocess.run([test_hud, drawn, str(density)], check=True)
        bad += not compare(name, drawn)
sys.exit(bad != 0)

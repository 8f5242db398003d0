#!/usr/bin/env python3
"""What the program draws, against pictures that were looked at once: shading, shadow, springs, colours with their
legend, section, edges, pinned nodes. Other renderers and devices round otherwise, so a few pixels may differ. Exit 77
where there is no OpenGL.

usage: test_golden.py PLIANT [DEVICE] [--update]     --update writes the pictures anew: look at them
"""
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

pliant = sys.argv[1]
device = sys.argv[2] if len(sys.argv) > 2 and not sys.argv[2].startswith("-") else "cpu"
update = "--update" in sys.argv
root = pathlib.Path(__file__).resolve().parents[2]
golden = root / "tests/render/golden"
WIDTH, HEIGHT = 320, 240
# name, scene, frame, options
PICTURES = (
    ("spring", "drag_coarse", 20, []),
    ("von_mises", "twist_coarse", 0, ["--field", "von_mises"]),
    ("section", "drag_coarse", 16, ["--field", "j", "--section", '{"axis": "x", "at": 0.5}',
                                    "--color-range", "[0.8,1.2]"]),
    ("edges", "hang_coarse", 6, ["--wireframe", "--show-pins"]),
    ("floor", "drop_coarse", 10, []),
    ("principal", "stiff_soft_coarse", 8, ["--field", "principal"]),
    ("inside", "twist_coarse", 0, ["--section", '{"axis": "z", "at": 0.5}', "--show-pins"]),
)


def pixels(path):
    """The samples of a PNG file of 8 bits, row after row, by the standard's chapter on filters."""
    data, at, packed = path.read_bytes(), 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", body[:10])
            assert (width, height, depth) == (WIDTH, HEIGHT, 8) and color in (2, 6), path
        if kind == b"IDAT":
            packed += body
        at += length + 12
    samples = 3 if color == 2 else 4
    raw, stride, rows = zlib.decompress(packed), WIDTH * samples, bytearray()
    before = bytearray(stride)
    for y in range(HEIGHT):
        how, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for x in range(stride):
            left, up = row[x - samples] if x >= samples else 0, before[x]
            corner = before[x - samples] if x >= samples else 0
            if how == 4:
                guess = left + up - corner
                nearest = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))
                row[x] = (row[x] + nearest[2]) & 255
            else:
                row[x] = (row[x] + (0, left, up, (left + up) // 2)[how]) & 255
        rows += row
        before = row
    return rows


bad = 0
with tempfile.TemporaryDirectory() as folder:
    for name, scene, frame, options in PICTURES:
        done = subprocess.run([pliant, "record", root / f"assets/scenes/{scene}.json", "--device", device,
                               "--precision", "double", "--frames", str(frame + 1), "--size", f"{WIDTH}x{HEIGHT}",
                               "-o", folder, "--overwrite", *options],
                              capture_output=True, text=True)
        if "needs EGL" in done.stderr or "no usable GPU" in done.stderr:
            print("skipped:", done.stderr.strip().split("\n")[-1])
            sys.exit(77)
        assert done.returncode == 0, done.stderr
        drawn = pathlib.Path(folder) / f"frame_{frame:05d}.png"
        if update:
            shutil.copyfile(drawn, golden / f"{name}.png")
        differences = [abs(a - b) for a, b in zip(pixels(drawn), pixels(golden / f"{name}.png"))]
        mean = sum(differences) / len(differences)
        far = sum(d > 32 for d in differences) / len(differences)
        # edges, a pixel wide, may lie half a pixel elsewhere
        good = mean < 1.5 and far < 0.015
        bad += not good
        print(f"{name}: {mean:.3f} of 255 on average, {100 * far:.2f} % far off{'' if good else '   BAD'}")
        if not good:
            shutil.copyfile(drawn, f"/tmp/pliant-golden-{name}.png")
sys.exit(bad != 0)

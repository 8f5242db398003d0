#!/usr/bin/env python3
"""Tests `pliant record`: it writes the frames, the film and the state, and no other files. Also tests that old frames
are kept or removed, the turntable, and stored views."""
import json
import pathlib
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile

pliant = sys.argv[1]
scene = pathlib.Path(os.environ["PLIANT_ASSETS"]) / "scenes/hand_coarse.json"
film = shutil.which("ffmpeg") is not None

with tempfile.TemporaryDirectory() as folder:
    out = pathlib.Path(folder) / "deep/er"
    command = [pliant, "record", "--device", "cpu", "--frames", "5", "--size", "160x120", "-o", out]
    command += ["--state", f"{folder}/state.npz"] + (["--video", f"{folder}/film.mp4"] if film else []) + [scene]
    run = subprocess.run(command, capture_output=True, text=True)
    if "drawing without a window needs" in run.stderr:
        print("skipped:", run.stderr.strip())
        sys.exit(77)
    assert run.returncode == 0, run.stderr
    assert str(out) in run.stdout and "drawn by" in run.stdout, run.stdout

    frames = sorted(path.name for path in out.iterdir())
    assert frames == [f"frame_{k:05d}.png" for k in range(5)], frames
    heads = [(out / name).read_bytes() for name in frames]
    assert all(struct.unpack(">II", data[16:24]) == (160, 120) for data in heads)
    assert len(set(heads)) == 5, "some pictures are equal, so the body does not move"
    assert not film or pathlib.Path(folder, "film.mp4").stat().st_size > 1000

    # the first frame is at time 0; the 4 later frames, 1/30 s apart, need 14 steps of 0.01 s
    assert "14 steps" in run.stdout, run.stdout
    with zipfile.ZipFile(f"{folder}/state.npz") as state:
        data = {name: state.read(name) for name in state.namelist()}
    count = 3 * 3011
    numbers = {name: struct.unpack(f"<{count}d", bytes_[-8 * count:]) for name, bytes_ in data.items()}
    assert set(numbers) == {"positions.npy", "momenta.npy", "initial_positions.npy"}
    moved = max(abs(a - b) for a, b in zip(numbers["positions.npy"], numbers["initial_positions.npy"]))
    assert 1e-3 < moved < 1, moved

    # A second run with fewer frames into the same folder is refused, and it changes no file. With --overwrite the
    # second run removes all old frames.
    again = [*command[:command.index("--frames")], "--frames", "3", *command[command.index("--frames") + 2:]]
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    (out / "frame_notes.png").write_text("not a frame")
    run = subprocess.run(again, capture_output=True, text=True)
    assert run.returncode == 1 and f"{out}: contains 5 frames of an earlier run" in run.stderr, run.stderr
    assert "--overwrite" in run.stderr and all((out / name).read_bytes() == data for name, data in before.items())
    run = subprocess.run([*again, "--overwrite"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert sorted(path.name for path in out.iterdir()) == sorted([*frames[:3], "frame_notes.png"])
    # frame 100000 has more digits than others, but must be recognised, too
    os.rename(out / frames[0], out / "frame_100000.png")
    for name in frames[1:3]:
        (out / name).unlink()
    run = subprocess.run(again, capture_output=True, text=True)
    assert run.returncode == 1 and "contains 1 frame of an earlier run" in run.stderr, run.stderr

    # With a turntable (a camera that circles the body) and two frames, the second frame shows the body from behind, in
    # both directions of the turn. It differs from the second frame of a camera at rest.
    turned = {}
    for turns in ("0", "1", "-1"):
        turned[turns] = pathlib.Path(folder) / f"turned{turns}"
        subprocess.run([pliant, "record", "--device", "cpu", "--frames", "2", "--size", "160x120", "-o", turned[turns],
                        f"--turntable={turns}", scene], check=True, capture_output=True)
    first, second = ({turns: (turned[turns] / name).read_bytes() for turns in turned} for name in frames[:2])
    assert first["0"] == first["1"] and second["0"] != second["1"], "the camera turns from the first frame on"
    assert second["1"] == second["-1"], "half a turn to the right and to the left give different pictures"

    # --views stores views, and --view selects one of them. The picture must equal that of --camera with the same
    # values.
    eye = {"eye": [0.3, 2, 0.4], "target": [0, 0, 0.1], "fov": 50}
    drawn = []
    for words in ((), ("--camera", json.dumps(eye)), ("--views", json.dumps([None, None, eye]), "--view", "3")):
        subprocess.run([pliant, "record", "--device", "cpu", "--frames", "1", "--size", "160x120", *words,
                        "-o", out, "--overwrite", scene], check=True, capture_output=True)
        drawn.append((out / frames[0]).read_bytes())
    assert drawn[0] != drawn[1] == drawn[2], "--view does not draw from the stored view"

    # without an option for an output, the error message lists these options
    run = subprocess.run([pliant, "record", scene], capture_output=True, text=True)
    assert run.returncode != 0 and "--video" in run.stderr, run.stderr
print("frames, film and state were written" if film else
      "frames and state were written; no film, since ffmpeg is missing")

#!/usr/bin/env python3
"""Runs the commands of docs/tutorials/stl-to-film.md in order, except those that build the program. They run in a
temporary folder with a copy of assets/surfaces and with the scenes that the page contains. Also tests the page's links,
and scripts/make-film. Exit status 77: TetGen, ffmpeg, Xvfb or graphics are missing.

usage: test_first_film.py PLIANT ROOT     the program; the folder with docs/ and assets/
"""
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

pliant, root = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
sys.path.insert(0, str(root / "tests/window"))
from driver import Window, skip  # noqa: E402

# These commands of the tutorial build the program and set PATH; the test skips them.
BUILDS = ("scripts/setup", "export PATH=$PWD/build/src/app:$PATH")
TIMEOUT = 300  # longest time of one command, s

for tool in ("tetgen", "ffmpeg"):
    if not shutil.which(tool):
        skip(f"{tool} is not installed")
text = (root / "docs/tutorials/stl-to-film.md").read_text(encoding="utf-8")
blocks = re.findall(r"(?:into `([^`]+)`:\n)?```(sh|json)\n(.*?)```", text, re.S)
commands = [line for _, kind, block in blocks if kind == "sh" for line in block.splitlines()]
assert commands[:len(BUILDS)] == list(BUILDS), commands[:2]
run = set()


def look(words, folder):
    """Runs a command that opens a window, and ends the command by a signal when the window is open."""
    with Window(pliant, *words, cwd=folder) as window:
        window.process.send_signal(signal.SIGINT)
        _, said = window.process.communicate(timeout=60)
        assert window.process.returncode == 0, said


with tempfile.TemporaryDirectory() as place:
    top = here = pathlib.Path(place)
    shutil.copytree(root / "assets/surfaces", top / "assets/surfaces")
    environment = {**os.environ, "PATH": f"{pliant.parent}:{os.environ['PATH']}"}
    for name, kind, block in blocks:
        if kind == "json":
            assert name, "a scene without a name"
            (here / name).write_text(block)
        for line in block.splitlines() if kind == "sh" else ():
            if line in BUILDS:
                continue
            words = shlex.split(line)
            print("$", line, flush=True)
            run.add(" ".join(words[:2]))
            if words[0] == "cd":
                here = here / words[1]
            elif words[0] == "pliant" and words[1].startswith("ring."):
                look(words[1:], here)
            else:
                done = subprocess.run(words, cwd=here, env=environment, capture_output=True, text=True, timeout=TIMEOUT)
                if "needs EGL" in done.stderr:
                    skip(done.stderr.strip())
                assert done.returncode == 0, done.stderr
                print(done.stdout[-300:])
    # Test that the tutorial runs these commands, and that the results that it promises exist.
    assert "pliant tetrahedralize" in run and "pliant record" in run and "pliant ring.json" in run, run
    assert len(list((here / "frames").glob("frame_*.png"))) == 90
    seconds = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0",
                              "ring.mp4"], cwd=here, capture_output=True, text=True, check=True).stdout
    assert abs(float(seconds) - 3) < 0.1, seconds
    # Test the script make-film, which the tutorial names: it makes a film of the requested length.
    for words, expected, code in ((["--seconds", "0.6", "--size", "160x90"], "short.mp4: 0.6 s", 0),
                                  (["--size", "1x1x1"], "--size", 2)):
        done = subprocess.run([root / "scripts/make-film", "short.mp4", "--pliant", pliant, "--device", "cpu", *words],
                              cwd=here, env=environment, capture_output=True, text=True, timeout=TIMEOUT)
        assert done.returncode == code and expected in done.stdout + done.stderr, done
    for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        assert link.startswith("http") or (root / "docs/tutorials" / link).exists(), f"{link}: no such file"

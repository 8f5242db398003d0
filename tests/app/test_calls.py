#!/usr/bin/env python3
"""Runs commands in which one system call for files, or one allocation, fails; each in its own run. The program must not
report success with a missing or damaged output, destroy an older output, leave partial files, or crash.

usage: test_calls.py PLIANT LIBRARY [all]     LIBRARY: made from fail_call.c; all: every call, not only a sample
"""
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402

PLIANT, LIBRARY = sys.argv.pop(1), sys.argv.pop(1)
ALL = "all" in sys.argv and not sys.argv.remove("all")
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["GOMP_SPINCOUNT"] = "1"
SCENE = {"shapes": [{"kind": "box", "size": [1, 1, 1], "cells": 2}], "pins": [{"z": [None, 0.01]}], "mu": 500,
         "lambda": 200, "density": 10, "device": "cpu", "gravity": [0, 0, -9.8]}
OLD = b"what stood here before"
CALLS = ["write", "fsync", "rename", "exchange", "close", "open", "mmap", "malloc"]


class Calls(InFolder):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("in")), os.mkdir(self.path("out"))
        with open(self.path("in/q.json"), "w") as file:
            json.dump(SCENE, file)
        subprocess.run([PLIANT, "make", "box", "--cells", "2", "-o", self.path("in/box.msh")], check=True,
                       capture_output=True)

    def run_it(self, words, call=None, number=0):
        environment = {**os.environ, "LD_PRELOAD": LIBRARY, "FAIL_CALL": call, "FAIL_AT": str(number),
                       "FAIL_MARK": self.path("failed")} if call else None
        return subprocess.run([PLIANT, *words], capture_output=True, text=True, timeout=60, env=environment)

    def contents(self):
        found = {}
        for at, _, names in os.walk(self.path("out")):
            for name in names:
                with open(os.path.join(at, name), "rb") as file:
                    # the device's name may be missing after a failure, so it is not compared
                    found[name] = re.sub(rb'"device_model":.*', b"", file.read())
        return found

    def begin(self, older):
        for at, _, names in os.walk(self.path("out")):
            for name in names:
                os.remove(os.path.join(at, name))
        for name in older:
            with open(self.path("out/" + name), "wb") as file:
                file.write(OLD)

    def sweep(self, words, names, at_once=True, calls=CALLS, mesh=None):
        """Runs a command, which writes the files `names`, again and again; in each run another call fails. at_once:
        after a run, either all files must be the old ones, or all must be the new ones. mesh: pattern for the name of a
        mesh file that the command also writes; it must exist only if the other files are new."""
        words = [word.replace("OUT", self.path("out")).replace("IN", self.path("in")) for word in words]
        self.begin([])
        done = self.run_it(words)
        self.assertEqual(done.returncode, 0, done.stderr)
        whole = self.contents()
        meshes = [name for name in whole if mesh and re.fullmatch(mesh, name)]
        self.assertEqual(len(meshes), 1 if mesh else 0)
        self.assertEqual(sorted(whole), sorted(names + meshes))
        for call in calls:
            number, failed = 1, 0
            while True:
                self.begin(names if at_once else [])
                if os.path.exists(self.path("failed")):
                    os.remove(self.path("failed"))
                done = self.run_it(words, call, number)
                if not os.path.exists(self.path("failed")):
                    break
                failed += 1
                now, where = self.contents(), (words, "%s number %d" % (call, number), done.returncode, done.stderr)
                self.assertIn(done.returncode, (0, 1, 2), where)
                if done.returncode == 0 and "out of memory" in done.stderr:
                    # the program lacked memory for an assembly and chose another one; a checkpoint contains the
                    # assembly's name, so only the files' names are compared
                    self.assertIn("; using cpu", done.stderr, where)
                    self.assertEqual(sorted(now), sorted(whole), where)
                elif done.returncode == 0:
                    self.assertEqual(now, whole, where)
                else:
                    self.assertTrue(done.stderr.strip(), where)
                    if meshes and any(data != OLD for data in now.values()):
                        self.assertEqual(now.pop(meshes[0], None), whole[meshes[0]], where)
                    self.assertEqual([name for name in now if name not in names], [], where)
                    for name, data in now.items():
                        # If memory is missing, `solve` may end early and write the increments that it has computed.
                        early = call == "malloc" and words[0] == "solve" and b'"increments"' in data
                        self.assertTrue(data == whole[name] or (at_once and data == OLD) or early, (name, where))
                    if at_once:
                        self.assertEqual(len(now), len(names), where)
                        self.assertEqual(len({data == OLD for data in now.values()}), 1, where)
                few = call in ("write", "fsync", "rename", "exchange") or (call == "malloc" and words[0] == "convert")
                number += 1 if ALL or few else 1 + number // 2
            if number == 1 and call == "open":
                self.skipTest("calls cannot be made to fail here: seccomp filters are not allowed")
            self.assertTrue(failed or call in ("fsync", "rename", "exchange"), (words, call))

    def test_solve(self):
        """The command names its solver. Without a name, `solve` would choose CHOLMOD, or another solver if a call fails
        that opens CHOLMOD's library."""
        self.sweep(["solve", "IN/q.json", "--json", "OUT/a.json", "--increments", "2", "--solver", "fused"], ["a.json"])

    def test_convert(self):
        self.sweep(["convert", "IN/box.msh", "OUT/a.vtu"], ["a.vtu"])

    def test_convert_packed(self):
        self.sweep(["convert", "IN/box.msh", "OUT/a.mesh.gz"], ["a.mesh.gz"])

    def test_convert_into_a_pair(self):
        self.sweep(["convert", "IN/box.msh", "OUT/a.node"], ["a.node", "a.ele"])

    def test_state(self):
        self.sweep(["record", "IN/q.json", "--frames", "2", "--state", "OUT/a.npz"], ["a.npz"])

    def test_checkpoint(self):
        self.sweep(["record", "IN/q.json", "--frames", "2", "--checkpoint", "OUT/a"], ["a"])

    def test_saved_scene(self):
        self.sweep(["record", "IN/q.json", "--frames", "2", "--save-scene", "OUT/a.json"], ["a.json", "a.state"])

    def test_saved_scene_of_a_cut_body(self):
        scene = {**SCENE, "cuts": [{"time": 0, "point": [0.5, 0.5, 0.5], "normal": [0.1, 0, 1]}]}
        with open(self.path("in/cut.json"), "w") as file:
            json.dump(scene, file)
        # If a cut fails, the run saves the body before the cut. test_allocations.py makes allocations fail in cuts.
        self.sweep(["record", "IN/cut.json", "--frames", "2", "--save-scene", "OUT/a.json"], ["a.json", "a.state"],
                   calls=["write", "fsync", "rename", "exchange", "close", "open"],
                   mesh=r"a-[0-9a-f]{8}\.vtu")

    def test_series(self):
        self.sweep(["record", "IN/q.json", "--frames", "1", "--vtu", "OUT"], ["frame_00000.vtu", "frames.pvd"], False)

    @unittest.skipUnless(ALL, "in the slow suite")
    def test_pictures(self):
        if "drawing without a window" in self.run_it(["record", self.path("in/q.json"), "--frames", "1",
                                                      "--size", "16x16", "-o",
                                                     self.path("p")]).stderr:
            self.skipTest("nothing can be drawn here")
        self.sweep(["record", "IN/q.json", "--frames", "1", "--size", "16x16", "-o", "OUT"], ["frame_00000.png"], False,
                   ["write", "fsync", "rename"])  # other failing calls may make OpenGL's library end the program

    def pictures(self, film):
        probe = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-select_streams", "v", "-show_entries",
                                "stream=nb_read_frames", "-of", "csv=p=0", film], capture_output=True, text=True)
        return probe.stdout.strip().strip(",")

    @unittest.skipUnless(ALL, "in the slow suite")
    def test_film(self):
        """Uses strace to make calls of ffmpeg fail. The preloaded library cannot do this, since ffmpeg is a child
        process."""
        film, words = self.path("out/f.mp4"), ["record", self.path("in/q.json"), "--frames", "3", "--size", "32x32",
                                               "--video"]
        if not shutil.which("strace") or not shutil.which("ffprobe"):
            self.skipTest("no strace, or no ffprobe")
        if subprocess.run(["strace", "-f", "-o", "/dev/null", PLIANT, *words, film],
                          capture_output=True).returncode != 0:
            self.skipTest("nothing can be traced, drawn or filmed here")
        for call, error, numbers in [("write", "ENOSPC", range(1, 25)), ("fsync", "EIO", (1, 2)),
                                     ("close", "EIO", range(1, 60, 7)), ("rename,renameat,renameat2", "EACCES", (1,)),
                                     ("lseek", "EIO", range(1, 12, 2)), ("read", "EIO", range(1, 60, 7))]:
            for number in numbers:
                self.begin(["f.mp4"])
                done = subprocess.run(["strace", "-f", "-o", "/dev/null", "-e", "trace=" + call, "-e",
                                       "inject=%s:error=%s:when=%d" % (call, error, number), PLIANT, *words, film],
                                      capture_output=True, text=True, errors="replace", timeout=120)
                where = (call, number, done.returncode, done.stderr)
                self.assertEqual(os.listdir(self.path("out")), ["f.mp4"], where)
                with open(film, "rb") as file:
                    old = file.read() == OLD
                self.assertIn(done.returncode, (0, 1, 2, 127), where)  # 127: the dynamic loader has failed
                self.assertFalse(old and done.returncode == 0, where)
                if not old:
                    self.assertEqual(self.pictures(film), "3", where)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Tests checkpoints. A run that was killed at any time and is resumed from its checkpoint ends with the same bits as an
uninterrupted run. Damaged and truncated checkpoints, and checkpoints of other scenes, are refused.

usage: test_checkpoint.py PLIANT [DEVICE]
"""
import json
import os
import random
import re
import signal
import struct
import subprocess
import sys
import time
import unittest
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402

PLIANT = sys.argv.pop(1)
DEVICE = sys.argv.pop(1) if len(sys.argv) > 1 else "cpu"
SCENES = os.path.join(os.environ["PLIANT_ASSETS"], "scenes")
# A small body with pins, a force, a drag and a twist, which all affect the motion.
BOX = {"shapes": [{"kind": "box", "size": [1, 1, 1], "cells": 2}], "pins": [{"z": [None, 0.01]}],
       "mu": 500, "lambda": 200, "density": 10, "device": "cpu", "gravity": [0, 0, -9.8], "dt": 0.02,
       "forces": [{"region": {"z": [0.9, None]}, "total": [0, 0, -1], "steps": [1, 20]}],
       "drags": [{"grab": {"center": "+z", "radius": 0.6}, "path": [[0, 0, 0, 0], [1, 0.3, 0, 0]]}],
       "twist": {"axis": "z", "degrees": 10}}
# number of frames in 1 s, the start included; in the 60 steps, the drag of the scene begins and moves the finger
FRAMES = 31


class Checkpoint(InFolder):
    def command(self, *words, scene="drag_coarse.json", frames=FRAMES):
        return [PLIANT, "record", os.path.join(SCENES, scene), "--device", DEVICE, "--frames", str(frames), *words]

    def run_it(self, *words, **more):
        done = subprocess.run(self.command(*words, **more), capture_output=True, text=True, timeout=300)
        return done.returncode, done.stdout, done.stderr

    def box(self, *words, **changes):
        """Records the small body with changed keys; the value None removes a key."""
        scene = {key: value for key, value in {**BOX, "device": DEVICE, **changes}.items() if value is not None}
        with open(self.path("box.json"), "w") as file:
            json.dump(scene, file)
        done = subprocess.run([PLIANT, "record", self.path("box.json"), *words], capture_output=True, text=True,
                              timeout=60)
        return done.returncode, done.stderr

    def whole(self):
        code, out, err = self.run_it("--state", self.path("whole.npz"))
        self.assertEqual(code, 0, err)
        return self.read("whole.npz")

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_resumed_ends_in_the_same_bits(self):
        # The first run records 20 of the 31 frames, so it ends with a checkpoint in the middle of a drag. The second
        # run continues from this checkpoint.
        code, out, err = self.run_it("--checkpoint", self.path("half"), "--every", "7", frames=20)
        self.assertEqual(code, 0, err)
        code, out, err = self.run_it("--resume", self.path("half"), "--state", self.path("resumed.npz"))
        self.assertEqual(code, 0, err)
        self.assertNotIn("bit-identical", err)
        self.assertEqual(self.read("resumed.npz"), self.whole())

    def test_what_a_first_guess_needs_is_in_it(self):
        words = ["--first-guess", "extrapolated", "--cg-relative", "1e-4"]
        self.assertEqual(self.box("--frames", "9", "--state", self.path("whole.npz"), *words)[0], 0)
        self.assertEqual(self.box("--frames", "5", "--checkpoint", self.path("half"), *words)[0], 0)
        code, err = self.box("--frames", "9", "--resume", self.path("half"), "--state", self.path("end.npz"), *words)
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(self.read("end.npz"), self.read("whole.npz"))
        for other, name in ((words[:2], 'its cg_relative is 0.0001, but here "auto"'),
                            (words[2:], 'its first_guess is "extrapolated", but here "auto"')):
            code, err = self.box("--frames", "9", "--resume", self.path("half"), "--state", self.path("no.npz"),
                                 *other)
            self.assertEqual(code, 1)
            self.assertIn(name, err)

    def test_a_kill_leaves_a_valid_checkpoint(self):
        frames, chance, resumed = "60", random.Random(5), 0
        begun = time.monotonic()
        code, err = self.box("--frames", frames, "--checkpoint", self.path("c"), "--every", "1",
                             "--state", self.path("whole.npz"))
        took = time.monotonic() - begun
        self.assertEqual(code, 0, err)
        for attempt in range(6):
            place = self.path("kill%d" % attempt)
            running = subprocess.Popen([PLIANT, "record", self.path("box.json"), "--frames", frames,
                                        "--checkpoint", place, "--every", "1"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            while not os.path.exists(place) and running.poll() is None:
                time.sleep(0.001)
            time.sleep(chance.random() * 0.7 * took)
            running.send_signal(signal.SIGKILL)
            running.wait()
            code, err = self.box("--frames", frames, "--resume", place, "--state", self.path("end.npz"))
            if "after the last of" in err:
                continue  # the run was complete before the signal arrived, so there is nothing to resume
            self.assertEqual(code, 0, err)
            self.assertEqual(self.read("end.npz"), self.read("whole.npz"))
            resumed += 1
        self.assertGreater(resumed, 0)

    def refuse(self, data, fragment):
        with open(self.path("bad"), "wb") as file:
            file.write(data)
        code, err = self.box("--frames", str(FRAMES), "--resume", self.path("bad"), "--state", self.path("none.npz"))
        self.assertEqual(code, 1, err)
        self.assertIn(fragment, err)
        self.assertFalse(os.path.exists(self.path("none.npz")))

    def test_what_is_no_good_is_refused(self):
        code, err = self.box("--frames", "20", "--checkpoint", self.path("half"), "--every", "7")
        self.assertEqual(code, 0, err)
        good = self.read("half")
        for size in (0, 5, 31, 32, 200, len(good) // 2, len(good) - 1):
            self.refuse(good[:size], "incomplete")
        self.refuse(good + b"x", "data after its end")
        for place in (40, 300, len(good) // 2, len(good) - 1):
            self.refuse(good[:place] + bytes([good[place] ^ 1]) + good[place + 1:], "its checksum is wrong")
        self.refuse(good[:26] + b"\0\0" + good[28:], "the checksum of its header is wrong")
        for version in (10, 12):  # one below and one above the present version
            self.refuse(good[:8] + bytes([version]) + good[9:],
                        f"a checkpoint of version {version}, expected version 11")
        self.refuse(b"PNG" + good[3:], "not a checkpoint of Pliant")
        for place, words, fragment in [("half", ["--dt", "0.01"], "does not fit this scene: its dt is"),
                                       ("nowhere", [], "nowhere: No such file"),
                                       (".", [], self.path(".") + ": is a folder, expected a file"),
                                       ("half", ["--frames", "2"], "after the last of 2 frames")]:
            code, err = self.box("--frames", str(FRAMES), "--resume", self.path(place),
                                 "--state", self.path("none.npz"), *words)
            self.assertEqual(code, 1)
            self.assertIn(fragment, err)

    def test_what_changes_the_motion_is_refused_by_name(self):
        code, err = self.box("--frames", "5", "--checkpoint", self.path("box"))
        self.assertEqual(code, 0, err)
        force, drag = BOX["forces"][0], BOX["drags"][0]
        for changes, words, name in [
                ({"pins": [{"z": [None, 0.6]}]}, [], "its number of pinned nodes is 9, but here 18"),
                ({"pins": [{"z": [0.99, None]}]}, [], "its list of pinned nodes differs from the present one"),
                ({"pins": [{"z": [None, 0.01], "axes": "z"}]}, [],
                 "its list of pinned nodes differs from the present one"),
                ({"forces": [{**force, "total": [0, 0, -2]}]}, [], "its forces entry 1 differs from the present one"),
                ({"forces": [{**force, "steps": [1, 21]}]}, [], "its forces entry 1 differs from the present one"),
                ({"forces": [force, force]}, [], "its number of forces is 1, but here 2"),
                ({"forces": None}, [], "its number of forces is 1, but here 0"),
                ({"drags": [{**drag, "path": [[0, 0, 0, 0], [1, 0.4, 0, 0]]}]}, [],
                 "its drags entry 1 differs from the present one"),
                ({"drags": [{**drag, "stiffness": 5}]}, [], "its drags entry 1 differs from the present one"),
                ({"drags": None}, [], "its number of drags is 1, but here 0"),
                ({"twist": {"axis": "z", "degrees": 20}}, [], "its twist is 0.17"),
                ({"twist": {"axis": "y", "degrees": 10}}, [], "its axis of twist is 2, but here 1"),
                ({"materials": [{"region": {"z": [0.5, None]}, "stiffness": 2}]}, [],
                 "its materials is [], but here [{"),
                ({"floor": -1}, [], "its floor is null, but here -1"),
                ({"gravity": [0, 0, -9]}, [], "its gravity is [0,0,-9.8], but here [0,0,-9]"),
                ({"cg_relative": 1e-6}, [], "its cg_relative is "),
                ({}, ["--fps", "25"], "its fps is 30, but here 25"),
                ({}, ["--mu", "501"], "its mu is 500, but here 501"),
                ({}, ["--precision", "double"], 'its precision is "float", but here "double"')]:
            with self.subTest(name, **changes):
                code, err = self.box("--frames", "9", "--resume", self.path("box"), "--state", self.path("no.npz"),
                                     *words, **changes)
                self.assertEqual(code, 1, err)
                self.assertIn(self.path("box") + ": the checkpoint does not fit this scene: " + name, err)
                self.assertFalse(os.path.exists(self.path("no.npz")))
        # other display settings than those of the checkpointed run are accepted
        code, err = self.box("--frames", "9", "--resume", self.path("box"), "--state", self.path("yes.npz"),
                             wireframe=True, speed=2, camera={"eye": [3, 3, 3], "target": [0, 0, 0]})
        self.assertEqual((code, err), (0, ""))

    def test_a_huge_checkpoint_is_refused_before_it_is_read(self):
        self.assertEqual(self.box("--frames", "1", "--checkpoint", self.path("good"))[0], 0)
        head = self.read("good")[:16] + struct.pack("=QI", 1 << 36, 0)
        with open(self.path("huge"), "wb") as file:
            file.write(head + struct.pack("=I", zlib.crc32(head)))
            file.truncate(32 + (1 << 36))  # makes a sparse file, which is large but takes no disk space
        code, err = self.box("--frames", "2", "--resume", self.path("huge"), "--state", self.path("no.npz"))
        self.assertEqual(code, 1)
        self.assertIn("huge: does not fit this scene: no checkpoint of its body is as large as this file", err)

    def test_the_end_and_a_signal_write_a_checkpoint(self):
        code, err = self.box("--frames", "9", "--state", self.path("whole.npz"))
        self.assertEqual(code, 0, err)
        # The run is shorter than the interval between checkpoints, 100 steps, so it writes only one checkpoint, at its
        # end.
        code, err = self.box("--frames", "4", "--checkpoint", self.path("end"))
        self.assertEqual(code, 0, err)
        code, err = self.box("--frames", "9", "--resume", self.path("end"), "--state", self.path("a.npz"))
        self.assertEqual(code, 0, err)
        self.assertEqual(self.read("a.npz"), self.read("whole.npz"))
        running = subprocess.Popen([PLIANT, "record", self.path("box.json"), "--frames", "1000000",
                                    "--checkpoint", self.path("term"), "--every", "1000000000",
                                    "--vtu", self.path("out")], stderr=subprocess.PIPE, text=True)
        while not os.path.exists(self.path("out/frame_00003.vtu")) and running.poll() is None:
            time.sleep(0.001)
        running.send_signal(signal.SIGTERM)
        err = running.communicate(timeout=30)[1]
        self.assertEqual(running.returncode, 1)
        step = int(re.search(r"by kill \(signal 15\); .*; --resume %s continues from step (\d+)" % self.path("term"),
                             err).group(1))
        frames = str(int(step * BOX["dt"] * 30) + 5)
        code, err = self.box("--frames", frames, "--resume", self.path("term"), "--state", self.path("b.npz"))
        self.assertEqual(code, 0, err)
        self.assertEqual(self.box("--frames", frames, "--state", self.path("c.npz"))[0], 0)
        self.assertEqual(self.read("b.npz"), self.read("c.npz"))

    def test_a_saved_scene_goes_on_and_resumes(self):
        """Compares an uninterrupted run with two others. The first is saved as a scene halfway and continued from this
        scene. The second is such a continued run that is interrupted and resumed from a checkpoint."""
        def record(*words):
            done = subprocess.run([PLIANT, "record", *words, "--fps", "50"], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
        scene = {**BOX, "forces": {"region": {"z": [0.5, None]}, "total": [1, 0, 0], "steps": [3, 14]}}
        with open(self.path("box.json"), "w") as file:
            json.dump(scene, file)
        record(self.path("box.json"), "--frames", "21", "--vtu", self.path("whole"), "--state", self.path("a.npz"))
        record(self.path("box.json"), "--frames", "9", "--save-scene", self.path("saved.json"))
        saved = self.path("saved.json")
        record(saved, "--frames", "13", "--vtu", self.path("rest"), "--state", self.path("b.npz"))
        self.assertEqual(self.read("a.npz"), self.read("b.npz"))
        # The saved scene begins at frame 8 of the first run. A run of the saved scene counts frames from 0.
        for k in range(13):
            self.assertEqual(self.read("rest/frame_%05d.vtu" % k), self.read("whole/frame_%05d.vtu" % (k + 8)), k)
        record(saved, "--frames", "5", "--vtu", self.path("parts"), "--checkpoint", self.path("keep"))
        record(saved, "--frames", "13", "--vtu", self.path("parts"), "--resume", self.path("keep"), "--state",
               self.path("c.npz"))
        self.assertEqual(self.read("a.npz"), self.read("c.npz"))
        for k in range(13):
            self.assertEqual(self.read("rest/frame_%05d.vtu" % k), self.read("parts/frame_%05d.vtu" % k), k)
        # The scene is saved again, at an earlier time. The checkpoint then belongs to a run with another start state,
        # so it is refused.
        record(self.path("box.json"), "--frames", "7", "--save-scene", saved)
        done = subprocess.run([PLIANT, "record", saved, "--fps", "50", "--frames", "13", "--vtu", self.path("new"),
                               "--resume", self.path("keep")], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("its begin differs from the present one", done.stderr)

    def test_a_scene_is_saved_after_its_cut(self):
        """A run and a resumed run save the scene after a cut. The saved scene can be moved with all its files, and
        needs its mesh."""
        def record(*words):
            done = subprocess.run([PLIANT, "record", *words, "--fps", "50"], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
        scene = {**BOX, "device": DEVICE, "cuts": [{"time": 0.1, "point": [0, 0, 0.5], "normal": [0, 0.2, 1]}]}
        with open(self.path("cut.json"), "w") as file:
            json.dump(scene, file)
        record(self.path("cut.json"), "--frames", "10", "--save-scene", self.path("a.json"), "--state",
               self.path("a.npz"), "--checkpoint", self.path("keep"))
        record(self.path("cut.json"), "--frames", "12", "--resume", self.path("keep"), "--save-scene",
               self.path("b.json"), "--state", self.path("b.npz"))
        for name in "a", "b":
            with open(self.path(name + ".json")) as file:
                saved = json.load(file)
            self.assertRegex(saved["mesh"], r"^%s-[0-9a-f]{8}\.vtu$" % name)
            self.assertFalse({"shapes", "cuts"} & set(saved))
            os.mkdir(self.path("moved-" + name))
            for file in name + ".json", name + ".state", saved["mesh"]:
                os.rename(self.path(file), self.path("moved-%s/%s" % (name, file)))
            record(self.path("moved-%s/%s.json" % (name, name)), "--frames", "1", "--state", self.path("c.npz"))
            self.assertEqual(self.read("c.npz"), self.read(name + ".npz"))
        # without its mesh the saved scene is refused
        os.remove(self.path("moved-b/" + saved["mesh"]))
        done = subprocess.run([PLIANT, "record", self.path("moved-b/b.json"), "--state", self.path("c.npz")],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn(saved["mesh"] + ": No such file", done.stderr)

    def test_what_cannot_be_written_is_an_error_before_the_run(self):
        """`record` and the window report the fault at once, before the run begins."""
        with open(self.path("box.json"), "w") as file:
            json.dump({**BOX, "shapes": [{"kind": "box", "size": [1, 1, 1], "cells": 40}]}, file)  # would take minutes
        for option in ("--checkpoint", "--state", "--video"):
            os.makedirs(self.path("folder.mp4"), exist_ok=True)
            for place, words in (("/nowhere/at/all.mp4", "/nowhere/at/all.mp4: cannot be written: No such file"),
                                 (self.path("folder.mp4"), "folder.mp4: is a folder, expected a file")):
                done = subprocess.run([PLIANT, "record", self.path("box.json"), "--frames", "100000",
                                       "-o", self.path("out"), option, place], capture_output=True, text=True,
                                      timeout=20)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(words, done.stderr)
                self.assertFalse(os.path.exists(self.path("out")))
        for place, words in (("/nowhere/at/all.json", "cannot be written: No such file"),
                             (self.path("scene.txt"), "the name of a scene file must end in .json")):
            done = subprocess.run([PLIANT, "record", self.path("box.json"), "--frames", "100000", "--save-scene",
                                   place], capture_output=True, text=True, timeout=20)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(words, done.stderr)
        # options of the window are checked before a display is needed
        for option in ("--log", "--state", "--screenshot"):
            done = subprocess.run([PLIANT, self.path("box.json"), option, "/nowhere/at/all"], capture_output=True,
                                  text=True, timeout=20, env={**os.environ, "DISPLAY": ""})
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("/nowhere/at/all: cannot be written", done.stderr)


if __name__ == "__main__":
    unittest.main()

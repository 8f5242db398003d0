#!/usr/bin/env python3
"""Checkpoints: what is resumed ends in the same bits, whenever the program was killed; damaged, cut off and foreign files
are refused.

usage: test_checkpoint.py PLIANT [DEVICE]
"""
import os
import random
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402

PLIANT = sys.argv.pop(1)
DEVICE = sys.argv.pop(1) if len(sys.argv) > 1 else "cpu"
SCENES = os.path.join(os.environ["PLIANT_ASSETS"], "scenes")
FRAMES = 31  # one second: 60 steps, in which the finger is grabbed and dragged


class Checkpoint(InFolder):
    def command(self, *words, scene="drag_coarse.json", frames=FRAMES):
        return [PLIANT, "record", os.path.join(SCENES, scene), "--device", DEVICE, "--frames", str(frames), *words]

    def run_it(self, *words, **more):
        done = subprocess.run(self.command(*words, **more), capture_output=True, text=True, timeout=300)
        return done.returncode, done.stdout, done.stderr

    def whole(self):
        code, out, err = self.run_it("--state", self.path("whole.npz"))
        self.assertEqual(code, 0, err)
        return self.read("whole.npz")

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def part(self):
        """A run that ends half way, with a checkpoint in the middle of a drag."""
        code, out, err = self.run_it("--checkpoint", self.path("half"), "--every", "7", frames=20)
        self.assertEqual(code, 0, err)

    def test_resumed_ends_in_the_same_bits(self):
        self.part()
        code, out, err = self.run_it("--resume", self.path("half"), "--state", self.path("resumed.npz"))
        self.assertEqual(code, 0, err)
        self.assertNotIn("bit for bit", err)
        self.assertEqual(self.read("resumed.npz"), self.whole())

    def test_killed_at_any_moment_leaves_a_good_one(self):
        whole, chance = self.whole(), random.Random(5)
        for attempt in range(6):
            place = self.path("kill%d" % attempt)
            running = subprocess.Popen(self.command("--checkpoint", place, "--every", "1"), stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            while not os.path.exists(place) and running.poll() is None:
                time.sleep(0.001)
            time.sleep(chance.random() * 0.4)
            running.send_signal(signal.SIGKILL)
            running.wait()
            code, out, err = self.run_it("--resume", place, "--state", self.path("end.npz"))
            if "behind the last" in err:
                continue  # it was through before the signal came
            self.assertEqual(code, 0, err)
            self.assertEqual(self.read("end.npz"), whole)

    def refuse(self, data, fragment, **more):
        with open(self.path("bad"), "wb") as file:
            file.write(data)
        code, out, err = self.run_it("--resume", self.path("bad"), "--state", self.path("none.npz"), **more)
        self.assertEqual(code, 1, err)
        self.assertIn(fragment, err)
        self.assertFalse(os.path.exists(self.path("none.npz")))

    def test_what_is_no_good_is_refused(self):
        self.part()
        good = self.read("half")
        for size in (0, 5, 31, 32, 200, len(good) // 2, len(good) - 1):
            self.refuse(good[:size], "cut off")
        self.refuse(good + b"x", "longer than its head says")
        for place in (40, 300, len(good) // 2, len(good) - 1):
            self.refuse(good[:place] + bytes([good[place] ^ 1]) + good[place + 1:], "its checksum is wrong")
        self.refuse(good[:26] + b"\0\0" + good[28:], "the checksum of its head is wrong")
        self.refuse(good[:8] + b"\x09" + good[9:], "another version of Pliant")
        self.refuse(b"PNG" + good[3:], "not a checkpoint of Pliant")
        code, out, err = self.run_it("--resume", self.path("half"), "--state", self.path("none.npz"), "--dt", "0.02")
        self.assertEqual(code, 1)
        self.assertIn("of another session: its dt is", err)
        code, out, err = self.run_it("--resume", self.path("nowhere"), "--state", self.path("none.npz"))
        self.assertIn("cannot open", err)
        code, out, err = self.run_it("--resume", self.path("half"), "--state", self.path("none.npz"), frames=2)
        self.assertIn("behind the last of 2 frames", err)

    def test_a_checkpoint_that_cannot_be_written_is_an_error(self):
        code, out, err = self.run_it("--checkpoint", "/nowhere/at/all", "--every", "1")
        self.assertEqual(code, 1)
        self.assertIn("/nowhere/at/all: cannot be written", err)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Tests that Ctrl-C and the command kill end commands of pliant and pliant-lab within two seconds, also while a
simulation is set up, and that no partial files are left.

usage: test_interrupt.py PLIANT
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402
from programs import program_of  # noqa: E402

PLIANT = os.path.abspath(sys.argv.pop(1))
PATIENCE = 5  # s, longest time from the signal to the end; about 0.5 s on an idle machine


class Interrupt(InFolder):
    def scene(self, **changes):
        """Writes a scene with a million tets, which takes seconds to set up."""
        scene = {"shapes": [{"kind": "box", "size": [20000, 1, 1], "cells": 2}], "pins": [{"z": [None, 0.01]}],
                 "mu": 500, "lambda": 200, "density": 10, "device": "cpu", **changes}
        with open(self.path("scene.json"), "w") as file:
            json.dump(scene, file)
        return self.path("scene.json")

    def ends(self, words, delay, number=signal.SIGTERM, env=None):
        """Starts the command, sends the signal after `delay` seconds, and returns the messages of the command."""
        running = subprocess.Popen([program_of(PLIANT, words), *words], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env=env, cwd=self.folder.name)
        time.sleep(delay)
        self.assertIsNone(running.poll(), "the command had ended before the signal was sent")
        running.send_signal(number)
        begin = time.monotonic()
        _, err = running.communicate(timeout=120)
        self.assertLess(time.monotonic() - begin, PATIENCE, words)
        self.assertEqual(running.returncode, 1, err)
        self.assertIn("(signal %d)" % number, err)
        return err

    def test_setting_up_a_simulation(self):
        words = ["record", self.scene(), "--state", "s.npz", "--frames", "1000000", "--order"]
        for order, delay, number in (("metis", 0.15, signal.SIGTERM), ("metis", 1.2, signal.SIGINT),
                                     ("rcm", 0.8, signal.SIGTERM)):
            with self.subTest(order=order, delay=delay):
                self.ends([*words, order], delay, number)

    def test_making_and_writing_a_mesh(self):
        self.ends(["make", "sphere", "--cells", "200", "-o", "ball.vtu.gz"], 0.5)
        self.ends(["make", "box", "--cells", "90", "-o", "box.msh.gz"], 2)
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_matrices_of_a_study(self):
        for figure in ("4", "5"):
            self.ends(["study", "ramirez", "--device", "cpu", "--dof", "100000", "--repeat", "100",
                       "--figure", figure], 0.8)

    def test_what_cannot_fit_is_refused_before_it_is_made(self):
        for size, cells, bound, fragment in (([20000, 1, 1], 4, "600", "not enough memory on the host"),
                                             ([20000, 1, 1], 40, "", "are too many: the matrix would have about"),
                                             ([1e6, 1, 1], 100, "", "are too many")):
            path = self.scene(shapes=[{"kind": "box", "size": size, "cells": cells}])
            for command in ("record", "bench", "solve"):
                begin = time.monotonic()
                words = ["--state", "s.npz", "--frames", "1"] if command == "record" else []
                done = subprocess.run([PLIANT, command, path, *words], capture_output=True, text=True,
                                      cwd=self.folder.name, timeout=60,
                                      env={**os.environ, "PLIANT_MEMORY_MIB": bound} if bound else None)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(fragment, done.stderr)
                self.assertLess(time.monotonic() - begin, PATIENCE, command)
        self.ends(["validate"], 0.1)

    @unittest.skipUnless(shutil.which("tetgen"), "no TetGen")
    def test_tetgen_ends_too_and_its_folder_goes(self):
        with open(self.path("tet.off"), "w") as file:
            file.write("OFF\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n")
        self.ends(["tetrahedralize", "tet.off", "tet.msh", "--max-volume", "1e-8"], 1,
                  env={**os.environ, "TMPDIR": self.folder.name})
        self.assertEqual(os.listdir(self.folder.name), ["tet.off"])
        running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
        self.assertNotIn(self.folder.name, running)

    def test_reading_from_a_pipe_that_says_nothing(self):
        for name in ("mesh.msh", "mesh.vtu"):
            os.mkfifo(self.path(name))
            self.ends(["convert", name, "out.msh"], 0.3)  # the command waits in open(), since the pipe has no writer
            over = threading.Event()
            holder = threading.Thread(target=self.hold, args=(name, over))
            holder.start()
            self.ends(["convert", name, "out.msh"], 0.3, signal.SIGINT)  # it waits in read() for data
            over.set()
            holder.join()

    def hold(self, name, over):
        with open(self.path(name), "w"):
            over.wait(10)


if __name__ == "__main__":
    unittest.main()

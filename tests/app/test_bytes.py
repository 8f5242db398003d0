#!/usr/bin/env python3
"""Tests the host's peak memory for a large body, which is opened and run on the CPU (docs/log/opening.md).

usage: test_bytes.py PLIANT
"""
import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402

PLIANT = os.path.abspath(sys.argv.pop(1))
# Bound of the peak memory in single precision, bytes per tet. A ball of 213,000 tets needs about 412 bytes per tet. It
# needs 420 if freed and allocated memory is overwritten (MALLOC_PERTURB_), which meson lets its tests do.
MOST = 430


class Bytes(InFolder):
    def peak(self, cells):
        """Returns the host's peak memory, bytes, and the number of tets, for a ball with `cells` cells per side."""
        scene = {"shapes": [{"kind": "sphere", "size": [1, 1, 1], "cells": cells}], "mu": 5, "lambda": 2, "density": 1,
                 "dt": 0.01, "gravity": [0, 0, -1], "newton_relative": 1e-3, "pins": [{"z": [None, 0.05]}]}
        with open(self.path("ball.json"), "w") as file:
            json.dump(scene, file)
        done = subprocess.run([PLIANT, "bench", self.path("ball.json"), "--device", "cpu", "--steps", "1", "--repeat",
                               "1", "--json", self.path("out.json")], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("out.json")) as file:
            told = json.load(file)
        self.assertGreaterEqual(told["peak_MiB"], told["open_peak_MiB"])
        return told["peak_MiB"] * 1048576, told["tets"]

    def test_memory_of_a_large_body(self):
        least, few = self.peak(4)  # a small body: nearly all of this memory is that of the program itself
        most, tets = self.peak(44)
        each = (most - least) / (tets - few)
        print(f"{each:.0f} bytes per tet, in addition to {least / 1048576:.0f} MiB of the program")
        self.assertLess(each, MOST)
        self.assertGreater(each, 100)  # a smaller value means that nothing was measured


unittest.main()

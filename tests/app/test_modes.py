#!/usr/bin/env python3
"""Tests `pliant modes`: it prints and writes frequencies and shapes, and refuses options without an effect.

usage: test_modes.py PLIANT
"""
import json
import math
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402

PLIANT = sys.argv.pop(1)
SKIPPED = 77
BEAM = {"shapes": [{"kind": "box", "size": [2, 0.1, 0.1], "cells": 1, "at": [1, 0, 0]}], "degree": 2, "young": 1e6,
        "poisson": 0, "density": 1000}


class Modes(InFolder):
    def modes(self, scene, *words):
        path = self.path("scene.json")
        with open(path, "w") as file:
            json.dump(scene, file)
        return subprocess.run([PLIANT, "modes", path, *words], capture_output=True, text=True, timeout=120)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def test_a_clamped_beam_bends(self):
        out, shapes = self.path("out.json"), self.path("shapes")
        done = self.modes({**BEAM, "pins": [{"x": [None, 1e-6]}]}, "--count", "3", "--json", out, "--vtu", shapes)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(out) as file:
            answer = json.load(file)
        # The first bending frequency of a clamped beam is 1.875^2 / (2 pi L^2) sqrt(E I / (rho A)). Here L = 2 m,
        # E / rho = 1e3 m^2/s^2, and I / A = 0.1^2 / 12 m^2. The beam bends along y and along z at this frequency.
        expected = 1.87510406871 ** 2 / (2 * math.pi * 4) * 0.1 * math.sqrt(1e3 / 12)
        self.assertEqual(answer["rigid_modes"], 0)
        for mode in answer["modes"][:2]:
            self.assertAlmostEqual(mode["frequency_Hz"] / expected, 1, delta=0.01)
            self.assertAlmostEqual(mode["eigenvalue_per_s2"], (2 * math.pi * mode["frequency_Hz"]) ** 2, delta=1e-6)
            # the effective mass of the first bending mode of an Euler-Bernoulli beam is 0.613 of its mass
            self.assertAlmostEqual(sum(mode["effective_mass"]), 0.613, delta=0.01)
        self.assertEqual(sorted(os.listdir(shapes)),
                         ["frame_00000.vtu", "frame_00001.vtu", "frame_00002.vtu", "frames.pvd"])
        self.assertIn(f"{answer['modes'][0]['frequency_Hz']:.8g}", done.stdout)

    def test_shapes_of_an_earlier_run_are_kept(self):
        shapes = self.path("shapes")
        self.assertEqual(self.modes(BEAM, "--count", "2", "--vtu", shapes).returncode, 0)
        frame = os.path.join(shapes, "frame_00000.vtu")
        with open(frame, "rb") as file:
            before = file.read()
        done = self.modes(BEAM, "--count", "1", "--vtu", shapes, "--amplitude", "0.5")
        self.assertEqual(done.returncode, 1)
        self.assertIn("shapes: contains 2 frames of an earlier run; choose another folder", done.stderr)
        self.assertEqual(done.stdout, "")  # refused before the computation begins
        with open(frame, "rb") as file:
            self.assertEqual(file.read(), before)

    def test_shapes_have_the_amplitude_that_is_asked_for(self):
        frames = []
        for amplitude in ("0.01", "0.1"):
            done = self.modes(BEAM, "--count", "1", "--vtu", self.path(amplitude), "--amplitude", amplitude)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(os.path.join(self.path(amplitude), "frame_00000.vtu"), "rb") as file:
                frames.append(file.read())
        self.assertNotEqual(*frames)
        done = self.modes(BEAM, "--amplitude", "0.1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--amplitude has no effect without --vtu or --show", done.stderr)

    def test_a_free_beam_has_rigid_motions(self):
        done = self.modes({**BEAM, "gravity": [0, 0, -9.81], "floor": -1}, "--count", "8", "--json",
                          self.path("m.json"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("0 (rigid)"), 6)
        with open(self.path("m.json")) as file:
            frequencies = [mode["frequency_Hz"] for mode in json.load(file)["modes"]]
        self.assertEqual(frequencies[:6], [0] * 6)
        self.assertGreater(frequencies[6], 0)

    def test_options_without_an_effect_are_refused(self):
        done = self.modes(BEAM, "--precision", "float")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--precision has no effect on this command", done.stderr)
        done = self.modes(BEAM, "--count", "1000")
        self.assertEqual(done.returncode, 1)
        self.assertIn("1000 modes are too many for a body with 1107 free unknowns", done.stderr)


if __name__ == "__main__":
    probe = subprocess.run([PLIANT, "modes", "--count", "1"], capture_output=True, text=True, timeout=120)
    if "cannot run" in probe.stderr:
        print("skipped:", probe.stderr)
        sys.exit(SKIPPED)
    unittest.main()

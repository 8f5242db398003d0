#!/usr/bin/env python3
"""Tests a body with tets of very different sizes. A run and `info` must report this, and the advised settings must
help.

usage: test_uneven.py PLIANT
"""
import json
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402

PLIANT = os.path.abspath(sys.argv.pop(1))
SIDE = 3  # number of cells along each edge of the three faces that do not contain corner 0


def refined_cube(path, levels):
    """Writes a unit cube of tets that become smaller towards corner 0. The three faces that do not contain this corner
    are triangulated. They are copied `levels` times towards the corner, each copy with half the size of the one before.
    Prisms between two copies are cut into tets, and tets join the last copy to the corner. Volumes fall by a factor of
    about 8 per level."""
    numbers, triangles = {}, []
    for axis in range(3):
        def at(a, b):
            place = [0, 0, 0]
            place[axis], place[(axis + 1) % 3], place[(axis + 2) % 3] = SIDE, a, b
            return numbers.setdefault(tuple(place), len(numbers))
        for i in range(SIDE):
            for j in range(SIDE):
                low, right, top, left = at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)
                triangles += [sorted((low, right, top)), sorted((low, top, left))]
    count = len(numbers)
    points = [[x / SIDE / 2 ** k for x in place] for k in range(levels + 1) for place in numbers] + [[0, 0, 0]]
    tets = [[levels * count + p for p in t] + [len(points) - 1] for t in triangles]
    for k in range(levels):
        for a, b, c in triangles:
            low, high = k * count, (k + 1) * count
            tets += [[low + a, low + b, low + c, high + c], [low + a, low + b, high + b, high + c],
                     [low + a, high + a, high + b, high + c]]
    with open(path, "w") as file:
        file.write("MeshVersionFormatted 2\nDimension 3\nVertices\n%d\n" % len(points))
        file.writelines("%.17g %.17g %.17g 0\n" % tuple(p) for p in points)
        file.write("Tetrahedra\n%d\n" % len(tets))
        file.writelines("%d %d %d %d 0\n" % tuple(p + 1 for p in t) for t in tets)
        file.write("End\n")


class Uneven(InFolder):
    def motion(self, *words):
        """Runs 40 steps under gravity. Returns the numbers of damped and of unconverged steps, and the messages."""
        scene = {"mesh": self.path("cube.mesh"), "pins": [{"x": [0.99, None]}], "young": 1e4, "poisson": 0.3,
                 "density": 100, "gravity": [0, 0, -9.8], "device": "cpu"}
        with open(self.path("scene.json"), "w") as file:
            json.dump(scene, file)
        done = subprocess.run([PLIANT, "bench", self.path("scene.json"), "--steps", "40", "--repeat", "0", "--json",
                               self.path("out.json"), *words], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("out.json")) as file:
            steps = json.load(file)["per_step"]
        return sum(s["damped"] for s in steps), sum(not s["converged"] for s in steps), done.stderr

    def advised(self, levels):
        refined_cube(self.path("cube.mesh"), levels)
        printed = subprocess.run([PLIANT, "info", self.path("cube.mesh")], capture_output=True, text=True,
                                 timeout=60).stderr
        found = re.search(r"tets differ in volume by a factor of (\S+), from .* \(nodes \d+, \d+, \d+, \d+\) to .*; "
                          r"use (.*?),? (or|and) a more even mesh", printed)
        return (float(found.group(1)), found.group(2).split()) if found else (1, [])

    def test_even_meshes_give_no_warning(self):
        self.assertEqual(self.advised(3), (1, []))
        self.assertNotIn("tets differ", self.motion()[2])

    def test_what_is_advised_helps(self):
        for levels, ratio, advice in ((8, 8e6, "--newton-relative 1e-05 --cg-relative 0.0001"),
                                      (10, 5e8, "--precision double --newton-relative 1e-10 --cg-relative 1e-06")):
            with self.subTest(levels):
                self.assertEqual(self.advised(levels), (ratio, advice.split()))
                if levels == 8:  # a run without the advised settings must have damped steps and print a warning
                    damped, _, told = self.motion()
                    self.assertGreater(damped, 0)
                    self.assertIn("tets differ", told)
                damped, unconverged, told = self.motion(*advice.split())
                self.assertEqual((damped, unconverged), (0, 0))
                self.assertNotIn("tets differ", told)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Tests elements of degrees 2 and 3 on the command line. Every command that simulates a body must accept these degrees,
VTU frames must have cells of that degree, and a resumed run must end with the same bits. Other degrees are refused.

usage: test_degree.py PLIANT
"""
import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402
from programs import skip_sanitized  # noqa: E402

PLIANT = sys.argv.pop(1)
SKIP_SANITIZED = skip_sanitized(PLIANT)
BOX = {"shapes": [{"kind": "box", "size": [1, 0.5, 0.5], "cells": 2}], "pins": [{"x": [None, -0.49]}], "degree": 2,
       "young": 1e4, "poisson": 0.45, "density": 100, "device": "cpu", "gravity": [0, 0, -9.8], "dt": 0.02, "steps": 3,
       "materials": [{"region": {"x": [0.2, None]}, "stiffness": 2}], "floor": -0.1,
       "drags": [{"grab": {"center": "+x", "radius": 0.3}, "path": [[0, 0, 0, 0], [1, 0, 0.3, 0]]}]}


class Degree(InFolder):
    def scene(self, **changes):
        with open(self.path("box.json"), "w") as file:
            json.dump({key: value for key, value in {**BOX, **changes}.items() if value is not None}, file)
        return self.path("box.json")

    def run_it(self, *words):
        done = subprocess.run([PLIANT, *words], capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout, done.stderr

    def good(self, *words):
        code, out, err = self.run_it(*words)
        self.assertEqual(code, 0, err)
        return out

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_bench_and_info(self):
        self.good("bench", self.scene(), "--repeat", "1", "--json", self.path("2.json"))
        self.good("bench", self.path("box.json"), "--degree", "1", "--repeat", "1", "--json", self.path("1.json"))
        two, one = json.loads(self.read("2.json")), json.loads(self.read("1.json"))
        self.assertEqual((one["degree"], two["degree"], one["tets"]), (1, 2, two["tets"]))
        # The box has 4 x 2 x 2 cells, so 5 x 3 x 3 corners, and 9 x 5 x 5 nodes with the middles of the edges.
        self.assertEqual((one["nodes"], two["nodes"]), (45, 225))
        info = self.good("info", self.path("box.json"))
        self.assertIn("tets                  %d, quadratic" % two["tets"], info)
        self.assertIn("nodes                 %d\n" % two["nodes"], info)
        self.assertIn("connected components  1\n", info)
        self.assertNotIn("quadratic", self.good("info", self.path("box.json"), "--degree", "1"))

    def test_solve(self):
        out = self.good("solve", self.scene(drags=None, floor=None), "--json", self.path("solve.json"))
        self.assertIn("largest displacement", out)
        # The pins bear the whole weight of the body: density times volume times gravity.
        force = json.loads(self.read("solve.json"))["pins"][0]["force_N"]
        self.assertAlmostEqual(force[2] / (100 * 0.25 * 9.8), 1, delta=1e-3)

    def test_frames_have_quadratic_cells(self):
        self.good("record", self.scene(), "--frames", "3", "--vtu", self.path("out"))
        frame = self.path("out/frame_00002.vtu")
        quadratic, linear = self.run_it("info", frame, "--degree", "2"), self.run_it("info", frame)
        self.assertEqual((quadratic[0], linear[0]), (0, 0), quadratic[2] + linear[2])
        self.assertIn(", quadratic", quadratic[1])
        self.assertIn("straightened", quadratic[2])
        self.assertIn("higher-order tets are read as linear tets", linear[2])
        script = """
import sys
import vtk
reader = vtk.vtkXMLUnstructuredGridReader()
reader.SetFileName(sys.argv[1]); reader.Update()
grid = reader.GetOutput()
assert grid.GetCellType(0) == 24 and grid.GetCell(0).GetNumberOfPoints() == 10  # 24: VTK_QUADRATIC_TETRA
for e in range(grid.GetNumberOfCells()):  # node 4 + k lies near the middle of edge k in VTK's order
    p = [grid.GetPoint(grid.GetCell(e).GetPointId(k)) for k in range(10)]
    u = [grid.GetPointData().GetArray("displacement").GetTuple(grid.GetCell(e).GetPointId(k)) for k in range(10)]
    X = [[a - b for a, b in zip(q, d)] for q, d in zip(p, u)]
    for k, (a, b) in enumerate(((0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3))):
        assert all(abs(X[4 + k][i] - (X[a][i] + X[b][i]) / 2) < 1e-9 for i in range(3))
"""
        done = subprocess.run(["/usr/bin/python3", "-c", script, frame], capture_output=True, text=True)
        if "ModuleNotFoundError" not in done.stderr:
            self.assertEqual(done.returncode, 0, done.stderr)

    @SKIP_SANITIZED
    def test_cubic_bodies_are_recorded_and_not_shown(self):
        scene = self.scene(degree=3, steps=1, mass="consistent")
        self.assertIn(", cubic", self.good("info", scene))
        self.good("record", scene, "--frames", "2", "--vtu", self.path("out"))
        self.good("convert", self.path("out/frame_00001.vtu"), self.path("corners.msh"))
        script = """
import sys
import vtk
reader = vtk.vtkXMLUnstructuredGridReader()
reader.SetFileName(sys.argv[1]); reader.Update()
grid = reader.GetOutput()
# In VTK's order the corners are followed by two nodes of each edge, at a third and two thirds of the edge, and then by
# the centroids of the faces. Cell type 71: VTK_LAGRANGE_TETRAHEDRON.
shares = ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))
faces = ((0, 1, 3), (1, 2, 3), (2, 0, 3), (0, 2, 1))
for e in range(grid.GetNumberOfCells()):
    cell = grid.GetCell(e)
    assert grid.GetCellType(e) == 71 and cell.GetNumberOfPoints() == 20
    p = [grid.GetPoint(cell.GetPointId(k)) for k in range(20)]
    u = [grid.GetPointData().GetArray("displacement").GetTuple(cell.GetPointId(k)) for k in range(20)]
    X = [[a - b for a, b in zip(q, d)] for q, d in zip(p, u)]
    for i in range(3):
        for k, (a, b) in enumerate(shares):
            assert abs(X[4 + 2 * k][i] - (2 * X[a][i] + X[b][i]) / 3) < 1e-9
            assert abs(X[5 + 2 * k][i] - (X[a][i] + 2 * X[b][i]) / 3) < 1e-9
        for k, face in enumerate(faces):
            assert abs(X[16 + k][i] - sum(X[c][i] for c in face) / 3) < 1e-9
"""
        done = subprocess.run(["/usr/bin/python3", "-c", script, self.path("out/frame_00001.vtu")],
                              capture_output=True, text=True)
        if "ModuleNotFoundError" not in done.stderr:
            self.assertEqual(done.returncode, 0, done.stderr)
        for words, fragment in (((scene,), "the window shows bodies of degree 1 and 2"),
                                (("bench", scene, "--material", "stvk"), "a body of degree 3 needs \"neo_hookean\""),
                                (("bench", scene, "--tear-stress", "1"), "degree 3 cannot be cut"),
                                (("bench", scene, "--self-contact"), "self_contact supports elements of degree 1")):
            code, _, err = self.run_it(*words)
            self.assertNotEqual(code, 0, fragment)
            self.assertIn(fragment, err)

    @SKIP_SANITIZED
    def test_resumed_ends_in_the_same_bits(self):
        words = ("record", self.scene(), "--frames", "13")
        self.good(*words, "--state", self.path("whole.npz"))
        self.good("record", self.path("box.json"), "--frames", "7", "--checkpoint", self.path("c"), "--every", "5")
        self.good(*words, "--resume", self.path("c"), "--state", self.path("resumed.npz"))
        self.assertEqual(self.read("whole.npz"), self.read("resumed.npz"))
        code, _, err = self.run_it(*words, "--degree", "1", "--resume", self.path("c"),
                                   "--state", self.path("other.npz"))
        self.assertEqual(code, 1)
        self.assertIn("does not fit this scene: its number of nodes is", err)

    def test_other_degrees_are_refused(self):
        for degree in ("4", "0"):
            code, _, err = self.run_it("bench", self.scene(), "--degree", degree)
            self.assertEqual(code, 2)
            self.assertIn("--degree: is %s, expected 1 to 3" % degree, err)
        code, _, err = self.run_it("bench", self.scene(degree=1.5))
        self.assertNotEqual(code, 0)
        self.assertIn('key "degree"', err)
        code, _, err = self.run_it("bench", self.scene(materials=None), "--supplemental", "qr")
        self.assertNotEqual(code, 0)
        self.assertIn('use supplemental "full" with degree 2', err)

    def test_what_does_not_fit_is_refused_before_it_is_made(self):
        """With the memory limit of this test, two million linear tets fit, but two million quadratic tets do not."""
        scene = self.scene(shapes=[{"kind": "box", "size": [1, 1, 1], "cells": 70}])
        done = subprocess.run([PLIANT, "bench", scene, "--degree", "2"], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "PLIANT_MEMORY_MIB": "900"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("not enough memory on the host: a body of", done.stderr)


if __name__ == "__main__":
    unittest.main()

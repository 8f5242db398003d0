#!/usr/bin/env python3
"""Tests hexahedra on the command line. Every command that simulates a body must accept a hexahedral mesh, VTU frames
must have hexahedral cells, a resumed run must end with the same bits, and unsupported options must be refused.

usage: test_hexes.py PLIANT
"""
import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402

PLIANT = sys.argv.pop(1)
BOX = {"mesh": "box.msh", "pins": [{"x": [None, 0.01]}], "young": 1e4, "poisson": 0.45, "density": 100, "device": "cpu",
       "gravity": [0, 0, -9.8], "dt": 0.02, "steps": 3, "floor": -0.3,
       "materials": [{"region": {"x": [0.7, None]}, "stiffness": 2}],
       "drags": [{"grab": {"center": "+x", "radius": 0.3}, "path": [[0, 0, 0, 0], [1, 0, 0.3, 0]]}]}


class Hexes(InFolder):
    def scene(self, **changes):
        self.good("make", "cube", "--shape", "hex", "--size", "1,0.5,0.5", "--cells", "2", "--distort", "0.2", "-o",
                  self.path("box.msh"))
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

    def bad(self, sentence, *words):
        code, _, err = self.run_it(*words)
        self.assertNotEqual(code, 0)
        self.assertIn(sentence, err)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_bench_and_info(self):
        # The box has 4 x 2 x 2 cells. Its surface has 40 faces of cells, each drawn as two triangles.
        out = self.good("bench", self.scene(), "--repeat", "1")
        self.assertIn("45 nodes, 16 hexes", out)
        info = self.good("info", "--all", self.path("box.json"))
        self.assertIn("hexes                 16\n", info)
        self.assertIn("surface triangles     80\n", info)
        self.assertIn("connected components  1\n", info)

    def test_solve_carries_the_weight(self):
        out = self.good("solve", self.scene(drags=None, floor=None), "--json", self.path("solve.json"))
        self.assertIn("largest displacement", out)
        force = json.loads(self.read("solve.json"))["pins"][0]["force_N"]
        self.assertAlmostEqual(force[2] / (100 * 0.25 * 9.8), 1, delta=1e-3)  # density times volume times gravity

    def test_frames_have_hexahedra(self):
        self.good("record", self.scene(), "--frames", "3", "--vtu", self.path("out"))
        frame = self.path("out/frame_00002.vtu")
        self.assertIn("hexes                 16\n", self.good("info", frame))
        script = """
import sys
import vtk
reader = vtk.vtkXMLUnstructuredGridReader()
reader.SetFileName(sys.argv[1]); reader.Update()
grid = reader.GetOutput()
volume = 0
quality = vtk.vtkMeshQuality()
quality.SetInputData(grid); quality.SetHexQualityMeasureToVolume(); quality.Update()
values = quality.GetOutput().GetCellData().GetArray("Quality")
for e in range(grid.GetNumberOfCells()):
    assert grid.GetCellType(e) == 12 and grid.GetCell(e).GetNumberOfPoints() == 8  # 12: VTK_HEXAHEDRON
    J = grid.GetCellData().GetArray("det F").GetValue(e)
    assert values.GetValue(e) > 0 and 0.5 < J < 2
    volume += values.GetValue(e) / J  # volume of the cell at rest
assert abs(volume - 0.25) < 0.01, volume
assert grid.GetPointData().GetArray("Cauchy stress at nodes").GetNumberOfTuples() == 45
"""
        done = subprocess.run(["/usr/bin/python3", "-c", script, frame], capture_output=True, text=True)
        if "ModuleNotFoundError" not in done.stderr:
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_resumed_ends_in_the_same_bits(self):
        words = ("record", self.scene(), "--frames", "13")
        self.good(*words, "--state", self.path("whole.npz"))
        self.good("record", self.path("box.json"), "--frames", "7", "--checkpoint", self.path("c"), "--every", "5")
        self.good(*words, "--resume", self.path("c"), "--state", self.path("resumed.npz"))
        self.assertEqual(self.read("whole.npz"), self.read("resumed.npz"))

    def test_convert_keeps_hexahedra(self):
        self.scene()
        self.assertIn("45 nodes, 16 hexes", self.good("convert", self.path("box.msh"), self.path("box.vtu")))
        self.good("convert", self.path("box.vtu"), self.path("again.msh"))
        self.good("convert", self.path("again.msh"), self.path("again.vtu"))
        self.assertEqual(self.read("box.vtu"), self.read("again.vtu"))
        for words, begin in ((), b"$MeshFormat\n4.1 0 8\n"), (("--msh-version", "2.2"), b"$MeshFormat\n2.2 0 8\n"):
            self.good("convert", self.path("box.vtu"), self.path("again.msh"), *words)
            self.assertTrue(self.read("again.msh").startswith(begin), words)
        self.bad("cells of shape hex8 can be written only as .msh (Gmsh) or .vtu (VTK XML)", "convert",
                 self.path("box.msh"), self.path("box.veg"))

    def test_options_that_hexahedra_do_not_support_are_refused(self):
        scene = self.scene()
        self.bad("the mesh has hexahedra, which are of degree 1; degree 2 is for tetrahedra", "bench", scene,
                 "--degree", "2")
        self.bad('assembly "parts" does not exist on device cpu; available: cpu_simd, cpu_opt, cpu', "bench", scene,
                 "--assembly", "parts")
        self.bad('use supplemental "full"', "bench", self.scene(materials=None), "--supplemental", "qr")
        bodies = [{"mesh": "box.msh"}, {"shape": {"kind": "box", "size": [1, 1, 1], "cells": 1}, "place": [0, 0, 2]}]
        self.bad("one body has hexes and another has tets; all bodies need cells of one shape", "bench",
                 self.scene(mesh=None, bodies=bodies))
        bodies = [{"mesh": "box.msh"}, {"mesh": "box.msh", "place": [0, 0, 2], "poisson": 0.2}]
        self.bad("must have the same Poisson's ratio", "bench", self.scene(mesh=None, bodies=bodies))

    def test_two_bodies_are_joined(self):
        bodies = [{"mesh": "box.msh"}, {"mesh": "box.msh", "place": [0, 0, 2], "young": 4e4, "poisson": 0.45}]
        out = self.good("bench", self.scene(mesh=None, bodies=bodies, materials=None, drags=None, pins=None),
                        "--repeat", "1")
        self.assertIn("90 nodes, 32 hexes", out)
        self.assertIn("body 1", out)


if __name__ == "__main__":
    unittest.main()

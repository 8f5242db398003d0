#!/usr/bin/env python3
"""Tests the series of frames that `pliant record --xdmf` and `pliant solve` write for ParaView and meshio. Tests times,
cells, positions and fields, also of quadratic and hexahedral bodies, after a cut, and in a resumed run. If the Python
package meshio is installed, it must read the series.

usage: test_xdmf.py PLIANT
"""
import array
import io
import json
import os
import struct
import subprocess
import sys
import unittest
import xml.etree.ElementTree as xml
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402

try:
    import meshio
except ImportError:
    meshio = None

PLIANT = sys.argv.pop(1)
BEAM = {"shapes": {"kind": "box", "size": [1, 0.25, 0.25], "cells": 4}, "young": 2e4, "poisson": 0.3, "density": 1000,
        "device": "cpu", "precision": "double", "gravity": [0, 0, -9.8], "dt": 1 / 60, "pins": [{"x": [None, -0.49]}]}
LIGHT = [0, 0, -0.1]  # m/s^2, gravity under which the beam bends by a tenth of its length
NODES = {"Tetrahedron": 4, "Tetrahedron_10": 10, "Hexahedron": 8}


def six_volumes(X, cell):
    """Returns six times the volume of the tet of the first four nodes. It is positive in the node order of VTK and
    XDMF."""
    a, b, c, d = (X[3 * n:3 * n + 3] for n in cell[:4])
    u, v, w = ([p[i] - a[i] for i in range(3)] for p in (b, c, d))
    return sum(u[i] * (v[(i + 1) % 3] * w[(i + 2) % 3] - v[(i + 2) % 3] * w[(i + 1) % 3]) for i in range(3))


class Frame:
    """One frame: a grid of frames.xdmf with its arrays."""

    def __init__(self, folder, grid):
        self.time = float(grid.find("Time").get("Value"))
        topology = grid.find("Topology")
        self.kind = topology.get("TopologyType")
        self.cells_file = topology.find("DataItem").text
        self.cells = self.read(folder, topology.find("DataItem"))
        self.points = self.read(folder, grid.find("Geometry/DataItem"))
        self.fields = {a.get("Name"): self.read(folder, a.find("DataItem")) for a in grid.findall("Attribute")}
        self.centers = {a.get("Name"): a.get("Center") for a in grid.findall("Attribute")}
        assert int(topology.get("NumberOfElements")) * NODES[self.kind] == len(self.cells)

    @staticmethod
    def read(folder, item):
        kind = {("Float", "8"): "d", ("Int", "4"): "i"}[item.get("NumberType"), item.get("Precision")]
        with open(os.path.join(folder, item.text), "rb") as file:
            values = array.array(kind, file.read())
        if (item.get("Endian") == "Little") != (sys.byteorder == "little"):
            values.byteswap()
        size = 1
        for number in item.get("Dimensions").split():
            size *= int(number)
        assert size == len(values), item.text
        return values


class Xdmf(InFolder):
    def write(self, **changes):
        with open(self.path("scene.json"), "w") as file:
            json.dump({key: value for key, value in {**BEAM, **changes}.items() if value is not None}, file)
        return self.path("scene.json")

    def run_it(self, *words):
        return subprocess.run([PLIANT, *words], capture_output=True, text=True, timeout=120)

    def record(self, folder, *words, **changes):
        done = self.run_it("record", self.write(**changes), "--xdmf", self.path(folder), "--fps", "60", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("frames.xdmf", done.stdout)
        return self.frames(folder)

    def frames(self, folder):
        root = xml.parse(os.path.join(self.path(folder), "frames.xdmf")).getroot()
        collection = root.find("Domain/Grid")
        self.assertEqual((root.get("Version"), collection.get("CollectionType")), ("3.0", "Temporal"))
        return [Frame(self.path(folder), grid) for grid in collection]

    def positions(self):
        with open(self.path("state.npz"), "rb") as file, zipfile.ZipFile(io.BytesIO(file.read())) as arrays:
            data = arrays.read("positions.npy")
        return array.array("d", data[10 + struct.unpack("<H", data[8:10])[0]:])

    def test_frames_have_times_positions_and_fields(self):
        frames = self.record("out", "--frames", "4", "--state", self.path("state.npz"))
        self.assertEqual([f.time for f in frames], [k / 60 for k in range(4)])
        self.assertEqual(frames[3].points, self.positions())
        self.assertEqual({f.cells_file for f in frames}, {"frame_00000.cells.bin"})
        rest, last = frames[0].points, frames[3]
        self.assertEqual(max(map(abs, frames[0].fields["displacement"])), 0)
        for x, X, u in zip(last.points, rest, last.fields["displacement"]):
            self.assertAlmostEqual(x - X, u, delta=1e-15)
        self.assertGreater(max(map(abs, last.fields["velocity"])), 0.01)
        cells = [last.cells[k:k + 4] for k in range(0, len(last.cells), 4)]
        self.assertAlmostEqual(sum(six_volumes(rest, c) for c in cells) / 6, 0.0625, delta=1e-12)
        self.assertEqual(last.centers["von Mises stress"], "Cell")
        # von Mises stress of the tensor xx xy xz yy yz zz
        s, mises = last.fields["Cauchy stress"], last.fields["von Mises stress"]
        for e, value in enumerate(mises):
            xx, xy, xz, yy, yz, zz = s[6 * e:6 * e + 6]
            square = ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) / 2 + 3 * (xy * xy + xz * xz + yz * yz)
            self.assertAlmostEqual(square ** 0.5, value, delta=1e-9 * max(mises))

    def test_quadratic_and_hexahedral_cells(self):
        last = self.record("two", "--frames", "2", degree=2)[-1]
        self.assertEqual(last.kind, "Tetrahedron_10")
        X = self.frames("two")[0].points
        edges = (0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)  # nodes 4 to 9 lie on these edges, in VTK's order
        for e in range(0, len(last.cells), 10):
            cell = last.cells[e:e + 10]
            for k, (a, b) in enumerate(edges):
                for i in range(3):
                    middle = (X[3 * cell[a] + i] + X[3 * cell[b] + i]) / 2
                    self.assertAlmostEqual(X[3 * cell[4 + k] + i], middle, delta=1e-14)
        self.assertEqual(self.run_it("make", "cube", "--shape", "hex", "--cells", "2", "-o",
                                     self.path("cube.msh")).returncode, 0)
        last = self.record("hex", "--frames", "2", shapes=None, mesh="cube.msh", pins=[{"z": [None, 0.1]}])[-1]
        self.assertEqual((last.kind, len(last.cells)), ("Hexahedron", 64))
        X = self.frames("hex")[0].points
        for e in range(0, 64, 8):
            c = last.cells[e:e + 8]
            self.assertAlmostEqual(six_volumes(X, [c[0], c[1], c[3], c[4]]), 0.125, delta=1e-12)
        done = self.run_it("record", self.write(degree=3), "--xdmf", self.path("cubic"), "--frames", "1")
        self.assertNotEqual(done.returncode, 0)
        if "is not built" not in done.stderr:
            self.assertIn("XDMF has no cubic tetrahedra; use --vtu", done.stderr)

    def test_a_cut_writes_new_cells(self):
        cut = {"time": 0.02, "point": [0.01, 0, 0], "normal": [1, 0, 0]}
        frames = self.record("cut", "--frames", "4", cuts=[cut])
        self.assertEqual([f.cells_file[:11] for f in frames], ["frame_00000"] * 3 + ["frame_00003"])
        self.assertGreater(len(frames[3].points), len(frames[0].points))

    def test_a_resumed_run_lists_all_frames(self):
        whole = self.record("whole", "--frames", "5")
        checkpoint = self.path("c.checkpoint")
        self.record("parts", "--frames", "3", "--checkpoint", checkpoint)
        again = self.record("parts", "--frames", "5", "--resume", checkpoint)
        self.assertEqual([f.time for f in again], [f.time for f in whole])
        for one, other in zip(whole, again):
            self.assertEqual((one.cells, one.points, one.fields), (other.cells, other.points, other.fields))

    def solve(self, folder, *words, **changes):
        done = self.run_it("solve", self.write(**changes), "--xdmf", self.path(folder), *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"listed in {self.path(folder)}/frames.xdmf", done.stdout)
        return self.frames(folder)

    def test_solve_writes_a_frame_for_each_increment(self):
        frames = self.solve("out", "--increments", "4", "--state", self.path("state.npz"), gravity=LIGHT)
        self.assertEqual([f.time for f in frames], [0, 0.25, 0.5, 0.75, 1])
        self.assertEqual(frames[4].points, self.positions())
        self.assertEqual(max(map(abs, frames[0].fields["displacement"])), 0)
        depths = [min(f.fields["displacement"][2::3]) for f in frames]
        self.assertEqual(depths, sorted(depths, reverse=True))
        self.assertLess(depths[4], -0.01)
        for frame in frames:
            self.assertEqual(max(map(abs, frame.fields["velocity"])), 0)
            for x, X, u in zip(frame.points, frames[0].points, frame.fields["displacement"]):
                self.assertAlmostEqual(x - X, u, delta=1e-15)
        self.assertEqual(max(frames[0].fields["von Mises stress"]), 0)
        self.assertGreater(max(frames[4].fields["von Mises stress"]), 100)

        done = self.run_it("solve", self.write(), "--xdmf", self.path("out"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("contains 5 frames of an earlier run; choose another folder", done.stderr)

    def test_solve_numbers_the_frames_of_an_arc_length(self):
        frames = self.solve("arc", "--increments", "2", "--arc-length", gravity=LIGHT)
        self.assertEqual([f.time for f in frames], list(range(len(frames))))
        self.assertGreater(len(frames), 2)

    def test_solve_keeps_the_frames_before_a_failure(self):
        # one end of the bar, which is 1 m long, moves by 1.5 m past the other end, so an increment must fail
        pins = [{"x": [None, -0.49]}, {"x": [0.49, None], "move": [-1.5, 0, 0]}]
        done = self.run_it("solve", self.write(pins=pins), "--xdmf", self.path("out"), "--increments", "5")
        self.assertNotEqual(done.returncode, 0)
        times = [f.time for f in self.frames("out")]
        self.assertEqual(times, sorted(times))
        self.assertTrue(0.1 < times[-1] < 1, times)

    def test_solve_writes_vtu_files(self):
        done = self.run_it("solve", self.write(gravity=LIGHT), "--vtu", self.path("vtu"), "--increments", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        series = xml.parse(os.path.join(self.path("vtu"), "frames.pvd")).getroot().iter("DataSet")
        self.assertEqual([(float(f.get("timestep")), f.get("file")) for f in series],
                         [(k / 2, f"frame_{k:05d}.vtu") for k in range(3)])

    def test_old_frames_are_not_mixed_with_new_ones(self):
        self.record("out", "--frames", "3")
        done = self.run_it("record", self.write(), "--xdmf", self.path("out"), "--frames", "1")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("contains 3 frames of an earlier run", done.stderr)
        self.assertEqual(len(self.record("out", "--frames", "1", "--overwrite")), 1)
        names = os.listdir(self.path("out"))
        self.assertEqual([n for n in names if n.startswith(("frame_00001", "frame_00002"))], [])
        done = self.run_it("record", self.write(), "--xdmf", self.path("a"), "--vtu", self.path("b"))
        self.assertEqual(done.returncode, 2)

    @unittest.skipUnless(meshio, "meshio is not installed")
    def test_meshio_reads_the_series(self):
        frames = self.record("out", "--frames", "3")
        here = os.getcwd()
        os.chdir(self.path("out"))  # meshio looks for raw files in the working folder
        try:
            with meshio.xdmf.TimeSeriesReader("frames.xdmf") as reader:
                points, cells = reader.read_points_cells()
                self.assertEqual(points.flatten().tolist(), frames[0].points.tolist())
                self.assertEqual((cells[0].type, cells[0].data.flatten().tolist()),
                                 ("tetra", frames[0].cells.tolist()))
                self.assertEqual(reader.num_steps, 3)
                for k in range(3):
                    time, at_nodes, in_cells = reader.read_data(k)
                    self.assertEqual(time, k / 60)
                    self.assertEqual(at_nodes["velocity"].flatten().tolist(), frames[k].fields["velocity"].tolist())
                    self.assertEqual(in_cells["det F"][0].flatten().tolist(), frames[k].fields["det F"].tolist())
        finally:
            os.chdir(here)


if __name__ == "__main__":
    unittest.main()

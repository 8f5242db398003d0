#!/usr/bin/env python3
"""Tests USD files of the Python package: a TetMesh is read, an animated surface is written. Skipped without usd-core.

usage: test_usd.py SOURCE LIBRARY     root of the sources, path of libpliant.so.0
"""
import importlib.util
import os
import pathlib
import sys
import tempfile
import unittest

SOURCE, LIBRARY = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
for package in "numpy", "pxr":
    if not importlib.util.find_spec(package):
        print(f"{package} is not installed")
        sys.exit(77)

os.environ["PLIANT_LIBRARY"] = str(LIBRARY)  # the package loads this library
sys.path.insert(0, str(SOURCE / "python"))
import numpy  # noqa: E402
import pliant  # noqa: E402
from pxr import Gf, Usd, UsdGeom  # noqa: E402

KEYS = dict(young=1e5, density=1000, dt=1 / 60, device="cpu", precision="double", gravity=[0, 0, -9.8])


def beam():
    """Returns points and tets of a box 1 x 0.25 x 0.25 m."""
    sim = pliant.Scene(shapes=[{"kind": "box", "size": [1, 0.25, 0.25], "cells": 3}], **KEYS).simulate()
    return sim.positions.copy(), sim.field("cells").copy()


class UsdFiles(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, points, tets, unit=1.0, parent=None, more=()):
        """Writes a stage with a TetMesh at the path /World/body, and with copies of it at the paths in `more`."""
        stage = Usd.Stage.CreateNew(self.path(name))
        UsdGeom.SetStageMetersPerUnit(stage, unit)
        world = UsdGeom.Xform.Define(stage, "/World")
        if parent is not None:
            world.AddTransformOp().Set(parent)
        for prim in ("/World/body", *more):
            mesh = UsdGeom.TetMesh.Define(stage, prim)
            mesh.CreatePointsAttr([Gf.Vec3f(*map(float, p)) for p in points])
            mesh.CreateTetVertexIndicesAttr([Gf.Vec4i(*map(int, t)) for t in tets])
        stage.GetRootLayer().Save()
        return self.path(name)

    def test_a_tet_mesh_becomes_a_body(self):
        points, tets = beam()
        turned = tets.copy()
        turned[::2, :2] = tets[::2, 1::-1]  # exchanges two corners of every other tet, which inverts it
        with_unused = numpy.vstack([[[9, 9, 9]], points])
        for name in "body.usda", "body.usdc":
            path = self.write(name, with_unused, turned + 1)
            read, cells = pliant.read_usd(path)
            numpy.testing.assert_allclose(read, points, atol=1e-7)  # USD stores positions as floats
            numpy.testing.assert_array_equal(numpy.sort(cells, axis=1), numpy.sort(tets, axis=1))
            a, b, c, d = (read[cells[:, k]] for k in range(4))
            volumes = numpy.einsum("ij,ij->i", numpy.cross(b - a, c - a), d - a) / 6
            self.assertGreater(volumes.min(), 0)
            self.assertAlmostEqual(volumes.sum(), 0.0625, places=6)

            scene = pliant.from_usd(path, pins=[{"x": [None, -0.49]}], **KEYS)
            sim = scene.simulate()
            sim.step(5)
            other = pliant.Scene(pins=[{"x": [None, -0.49]}], **KEYS)
            other.add_mesh(read, cells)
            expected = other.simulate()
            expected.step(5)
            numpy.testing.assert_array_equal(sim.positions, expected.positions)
            self.assertLess(sim.positions[:, 2].min(), points[:, 2].min())

    def test_units_and_transforms_apply(self):
        points, tets = beam()
        matrix = Gf.Matrix4d().SetRotate(Gf.Rotation(Gf.Vec3d(0, 0, 1), 90))
        matrix.SetTranslateOnly(Gf.Vec3d(100, 0, 0))
        read, _ = pliant.read_usd(self.write("cm.usda", points * 100, tets, unit=0.01, parent=matrix))
        expected = numpy.column_stack([1 - points[:, 1], points[:, 0], points[:, 2]])
        numpy.testing.assert_allclose(read, expected, atol=1e-6)

        mirror = Gf.Matrix4d().SetScale(Gf.Vec3d(-1, 1, 1))
        read, cells = pliant.read_usd(self.write("mirror.usda", points, tets, parent=mirror))
        a, b, c, d = (read[cells[:, k]] for k in range(4))
        self.assertGreater(numpy.einsum("ij,ij->i", numpy.cross(b - a, c - a), d - a).min(), 0)

    def test_faults_name_the_file_and_the_prim(self):
        points, tets = beam()
        two = self.write("two.usda", points, tets, more=["/World/other"])
        with self.assertRaisesRegex(pliant.BadFile, "two.usda: has 2 prims .*as `prim`: /World/body, /World/other"):
            pliant.read_usd(two)
        self.assertEqual(len(pliant.read_usd(two, "/World/other")[1]), len(tets))
        with self.assertRaisesRegex(pliant.BadArgument, 'two.usda: "/World/x" is no TetMesh; the file has: /World/b'):
            pliant.read_usd(two, "/World/x")
        none = Usd.Stage.CreateNew(self.path("none.usda"))
        none.GetRootLayer().Save()
        with self.assertRaisesRegex(pliant.BadFile, "none.usda: has no prim of the type TetMesh$"):
            pliant.read_usd(self.path("none.usda"))
        wrong = tets.copy()
        wrong[7, 2] = 10000
        with self.assertRaisesRegex(pliant.BadFile, "wrong.usda: /World/body: tet 7 has nodes .* expected 0 to"):
            pliant.read_usd(self.write("wrong.usda", points, wrong))
        with self.assertRaisesRegex(pliant.BadFile, "empty.usda: /World/body: has no points"):
            pliant.read_usd(self.write("empty.usda", [], []))
        bad = points.copy()
        bad[3, 1] = float("nan")
        with self.assertRaisesRegex(pliant.BadFile, "point 3 is not finite"):
            pliant.read_usd(self.write("nan.usda", bad, tets))
        with open(self.path("text.usda"), "w") as file:
            file.write("this is no USD file")
        for name in "text.usda", "missing.usda":
            with self.assertRaisesRegex(pliant.BadFile, f"{name}: cannot be opened as USD"):
                pliant.read_usd(self.path(name))

    def test_a_recorder_writes_an_animated_surface(self):
        points, tets = beam()
        scene = pliant.Scene(pins=[{"x": [None, -0.49]}], **KEYS)
        scene.add_mesh(points, tets)
        sim, frames = scene.simulate(), []
        with pliant.UsdRecorder(self.path("film.usdc"), sim, prim="/World/beam", fps=60) as film:
            for _ in range(4):
                film.add()
                nodes = numpy.unique(sim.field("surface"))
                frames.append((sim.positions[nodes].copy(), sim.velocities[nodes].copy()))
                sim.step()
        stage = Usd.Stage.Open(self.path("film.usdc"))
        self.assertEqual((stage.GetStartTimeCode(), stage.GetEndTimeCode(), stage.GetTimeCodesPerSecond()), (0, 3, 60))
        self.assertEqual((UsdGeom.GetStageUpAxis(stage), UsdGeom.GetStageMetersPerUnit(stage)), ("Z", 1))
        mesh = UsdGeom.Mesh(stage.GetPrimAtPath("/World/beam"))
        self.assertEqual(mesh.GetPointsAttr().GetTimeSamples(), [0, 1, 2, 3])
        self.assertEqual(mesh.GetFaceVertexIndicesAttr().GetTimeSamples(), [0])
        for k, (x, v) in enumerate(frames):
            numpy.testing.assert_array_equal(numpy.array(mesh.GetPointsAttr().Get(k)), x.astype(numpy.float32))
            numpy.testing.assert_array_equal(numpy.array(mesh.GetVelocitiesAttr().Get(k)), v.astype(numpy.float32))
            extent = numpy.array(mesh.GetExtentAttr().Get(k))
            numpy.testing.assert_allclose(extent, [x.min(axis=0), x.max(axis=0)], atol=1e-6)
        # The divergence theorem gives the volume only if the surface is closed and outward.
        corner = numpy.array(mesh.GetPointsAttr().Get(0), dtype=float)[
            numpy.array(mesh.GetFaceVertexIndicesAttr().Get(0)).reshape(-1, 3)]
        volume = numpy.einsum("ij,ij->", corner[:, 0], numpy.cross(corner[:, 1], corner[:, 2])) / 6
        self.assertAlmostEqual(volume, 0.0625, places=6)

    def test_a_cut_writes_new_triangles(self):
        points, tets = beam()
        scene = pliant.Scene(pins=[{"x": [None, -0.49]}], **KEYS)
        scene.add_mesh(points, tets)
        sim = scene.simulate()
        with pliant.UsdRecorder(self.path("cut.usda"), sim) as film:
            film.add()
            sim.step()
            self.assertGreater(sim.cut([0.01, 0, 0], [1, 0, 0]), 0)
            film.add()
        stage = Usd.Stage.Open(self.path("cut.usda"))
        mesh = UsdGeom.Mesh(stage.GetPrimAtPath("/body"))
        self.assertEqual(mesh.GetFaceVertexIndicesAttr().GetTimeSamples(), [0, 1])
        self.assertGreater(len(mesh.GetPointsAttr().Get(1)), len(mesh.GetPointsAttr().Get(0)))

    def test_to_usd_takes_steps(self):
        points, tets = beam()
        scene = pliant.Scene(pins=[{"x": [None, -0.49]}], **KEYS)
        scene.add_mesh(points, tets)
        sim = scene.simulate()
        pliant.to_usd(self.path("still.usda"), sim)
        pliant.to_usd(self.path("film.usda"), sim, steps=6, every=2, up="Y")
        self.assertEqual(sim.report.step, 6)
        stage = Usd.Stage.Open(self.path("film.usda"))
        self.assertEqual(UsdGeom.Mesh(stage.GetPrimAtPath("/body")).GetPointsAttr().GetTimeSamples(), [0, 2, 4, 6])
        self.assertEqual(UsdGeom.GetStageUpAxis(stage), "Y")
        for keys, words in ({"prim": "body"}, "prim is"), ({"up": "X"}, "up is"), ({"fps": 0}, "fps is"):
            with self.assertRaisesRegex(pliant.BadArgument, words):
                pliant.to_usd(self.path("bad.usda"), sim, **keys)
        with self.assertRaises(pliant.BadFile):
            pliant.to_usd(self.path("film.xyz"), sim)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

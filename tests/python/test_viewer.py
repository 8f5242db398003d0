#!/usr/bin/env python3
"""Tests the viewer of the Python package without a display: picture, playing in a thread, button, and pulling by mouse.
Skipped without pyvista.

usage: test_viewer.py SOURCE LIBRARY     root of the sources, path of libpliant.so.0
"""
import importlib.util
import os
import pathlib
import sys
import time
import unittest

SOURCE, LIBRARY = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
for package in "numpy", "pyvista":
    if not importlib.util.find_spec(package):
        print(f"{package} is not installed: pip install 'pyvista[jupyter]'")
        sys.exit(77)

os.environ.pop("DISPLAY", None)
os.environ["PLIANT_LIBRARY"] = str(LIBRARY)  # the package loads this library
sys.path.insert(0, str(SOURCE / "python"))
import numpy  # noqa: E402
import pliant  # noqa: E402
import pyvista  # noqa: E402

SIZE = (400, 300)
pyvista.OFF_SCREEN = True


def bar(cells=3, **keys):
    """Returns a bar of 1 x 0.2 x 0.2 m, pinned at its left end."""
    return pliant.Scene(shapes=[{"kind": "box", "size": [1, 0.2, 0.2], "cells": cells}], young=1e5, dt=1 / 60,
                        pins=[{"x": [None, -0.49]}], device="cpu", **keys).simulate()


class View(unittest.TestCase):
    def view(self, sim, field="von_mises", **options):
        viewer = pliant.view(sim, field, show=False, window_size=SIZE, off_screen=True, **options)
        self.addCleanup(viewer.close)
        viewer.plotter.view_xz()
        viewer.plotter.show(auto_close=False)
        return viewer

    def play(self, viewer, frames):
        """Plays until `frames` frames are shown. Calls viewer.tick() repeatedly, as the timer of a window does."""
        ends = time.time() + 60
        shown = 0
        viewer.play()
        while shown < frames and time.time() < ends:
            shown += viewer.tick()
            time.sleep(0.001)
        viewer.pause()

    def pixel(self, viewer, point):
        renderer = viewer.plotter.renderer
        renderer.SetWorldPoint(*point, 1)
        renderer.WorldToDisplay()
        return tuple(round(value) for value in renderer.GetDisplayPoint()[:2])

    def test_the_picture_follows_the_simulation(self):
        sim = bar(gravity=[0, 0, -9.8])
        viewer = self.view(sim, "displacements", steps=2)
        before = viewer.plotter.screenshot(return_img=True).astype(int)
        self.assertEqual(viewer.mesh.n_faces, len(sim.field("surface")))
        self.play(viewer, 6)
        self.assertGreaterEqual(sim.report.step, 12)
        self.assertEqual(sim.report.step % 2, 0)
        numpy.testing.assert_array_equal(viewer.mesh.points, sim.positions)
        lengths = numpy.linalg.norm(sim.field("displacements"), axis=1)
        numpy.testing.assert_array_equal(viewer.mesh.point_data["displacements, m"], lengths)
        self.assertEqual(viewer._mapper.scalar_range, (lengths.min(), lengths.max()))
        after = viewer.plotter.screenshot(return_img=True).astype(int)
        self.assertGreater((abs(after - before).sum(axis=2) > 30).sum(), 500)

        sim.cut([0.05, 0, 0], normal=[1, 0, 0])
        self.play(viewer, 1)
        self.assertEqual(viewer.mesh.n_points, len(sim.positions))
        self.assertEqual(viewer.mesh.n_faces, len(sim.field("surface")))

    def test_the_button_plays_and_pauses(self):
        sim = bar(gravity=[0, 0, -9.8])
        viewer = self.view(sim)
        mouse = viewer.plotter.iren
        mouse._mouse_left_button_click(30, 30)
        self.assertTrue(viewer.playing)
        for _ in range(20):
            viewer.tick()
            time.sleep(0.01)
        mouse._mouse_left_button_click(30, 30)
        self.assertFalse(viewer.playing)
        step = sim.report.step
        self.assertGreater(step, 0)
        viewer.tick()
        time.sleep(0.05)
        self.assertEqual(sim.report.step, step)

    def test_the_mouse_pulls_the_body(self):
        sim = bar()
        viewer = self.view(sim, radius=0.15)
        mouse, tip = viewer.plotter.iren, sim.find(x=[0.49, None])
        start, camera = self.pixel(viewer, [0.45, -0.1, 0]), viewer.plotter.camera_position
        end = self.pixel(viewer, [0.45, -0.1, 0.1])
        mouse._mouse_left_button_press(*start)
        mouse._mouse_move(*end)
        point, target = viewer._pull
        numpy.testing.assert_allclose(point, [0.45, -0.1, 0], atol=0.01)
        numpy.testing.assert_allclose(target - point, [0, 0, 0.1], atol=0.01)
        self.play(viewer, 60)
        self.assertGreater(sim.positions[tip, 2].mean(), 0.03)
        self.assertEqual(viewer.plotter.camera_position, camera)
        mouse._mouse_left_button_release(*end)
        self.play(viewer, 1)
        with self.assertRaises(pliant.BadArgument):
            # releases grab number 1, which fails, since this grab has ended
            sim._run(pliant._base.library.pliant_release, 1)

        # If the mouse button is pressed next to the body, a drag turns the camera and pulls nothing.
        mouse._mouse_left_button_press(200, 280)
        mouse._mouse_move(260, 240)
        mouse._mouse_left_button_release(260, 240)
        self.assertIsNone(viewer._pull)
        self.assertNotEqual(viewer.plotter.camera_position, camera)

    def test_steps_leave_python_free(self):
        sim = bar(cells=12, gravity=[0, 0, -9.8])
        viewer = self.view(sim, steps=20)
        viewer.play()
        viewer.tick()
        count = 0
        while not viewer._job.done() and count < 1000:
            count += 1
            time.sleep(0.001)
        viewer.pause()
        self.assertGreater(count, 3)
        self.assertEqual(sim.report.step, 20)

    def test_errors_end_playing(self):
        sim = bar()
        viewer = self.view(sim)
        sim.step = lambda steps: (_ for _ in ()).throw(pliant.StepFailed("step 1: no luck"))
        with self.assertLogs("pliant", "ERROR"):
            self.play(viewer, 1)
        self.assertIsInstance(viewer.error, pliant.StepFailed)
        self.assertFalse(viewer.playing)
        with self.assertRaisesRegex(pliant.BadArgument, 'field is "surface", expected a field on nodes: .*von_mises'):
            pliant.view(sim, "surface", show=False)
        with self.assertRaises(pliant.BadArgument):
            pliant.view(sim, steps=0, show=False)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

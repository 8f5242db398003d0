#!/usr/bin/env python3
"""Tests fields of values that a scene reads from files. A run that begins with the displacements and velocities of a
recorded frame must continue the recorded motion. A field of stiffness must act like regions with this stiffness. Error
messages name the file, the field and the remedy.

usage: test_fields.py PLIANT
"""
import io
import json
import os
import re
import struct
import subprocess
import sys
import unittest
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402

PLIANT = sys.argv.pop(1)
BEAM = {"mesh": "beam.msh", "young": 2e4, "poisson": 0.3, "density": 1000, "device": "cpu", "precision": "double",
        "gravity": [0, 0, -9.8], "dt": 1 / 60, "pins": [{"x": [None, -0.499]}]}


def numbers(data):
    """Returns the doubles of a .npy file."""
    length = struct.unpack("<H", data[8:10])[0]
    return struct.unpack(f"<{(len(data) - 10 - length) // 8}d", data[10 + length:])


class Fields(InFolder):
    def setUp(self):
        super().setUp()
        self.good("make", "box", "--size", "1,0.25,0.25", "--cells", "3", "-o", self.path("beam.msh"))

    def good(self, *words):
        done = subprocess.run([PLIANT, *words], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def write(self, name, **scene):
        with open(self.path(name), "w") as file:
            json.dump({key: value for key, value in {**BEAM, **scene}.items() if value is not None}, file)
        return self.path(name)

    def state(self, *words):
        self.good(*words, "--state", self.path("state.npz"))
        with open(self.path("state.npz"), "rb") as file, zipfile.ZipFile(io.BytesIO(file.read())) as arrays:
            return [numbers(arrays.read(name + ".npy")) for name in ("positions", "momenta")]

    def assert_close(self, a, b, tolerance):
        for one, other in zip(a, b):
            largest = max(map(abs, one))
            self.assertGreater(largest, 0)
            self.assertLess(max(abs(x - y) for x, y in zip(one, other)) / largest, tolerance)

    def test_a_recorded_frame_begins_a_run(self):
        for more in {}, {"degree": 2}, {"mass": "consistent"}:
            whole = self.write("whole.json", steps=6, **more)
            self.good("record", whole, "--vtu", self.path("frames"), "--frames", "4", "--fps", "60", "--overwrite")
            end = self.state("bench", whole, "--repeat", "1")
            begin = self.write("rest.json", steps=3, initial_fields={
                "displacement": "displacement", "velocity": "velocity", "file": "frames/frame_00003.vtu"}, **more)
            # frames store velocities; the new run computes momenta from them, so states differ by rounding
            self.assert_close(end, self.state("bench", begin, "--repeat", "1"), 1e-8)

    def test_a_saved_scene_keeps_the_state(self):
        self.good("record", self.write("whole.json", steps=6), "--vtu", self.path("frames"), "--frames", "3", "--fps",
                  "60")
        fields = {"displacement": "displacement", "velocity": "velocity", "file": "frames/frame_00002.vtu"}
        begin = self.write("rest.json", steps=2, initial_fields=fields)
        self.good("record", begin, "--vtu", self.path("more"), "--frames", "1", "--fps", "60", "--save-scene",
                  self.path("saved.json"))
        with open(self.path("saved.json")) as file:
            self.assertNotIn("initial_fields", json.load(file))
        self.good("bench", self.path("saved.json"), "--repeat", "1")
        checkpoint = self.path("c.checkpoint")
        self.good("record", begin, "--vtu", self.path("third"), "--frames", "1", "--checkpoint", checkpoint)
        done = subprocess.run([PLIANT, "record", self.write("rest.json", steps=2), "--vtu", self.path("third"),
                               "--frames", "2", "--resume", checkpoint], capture_output=True, text=True, timeout=60)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('it has "begin", which this scene does not have', done.stderr)

    def write_scale(self, factor_of_x):
        """Writes scale.vtu: the mesh of the beam with a factor for each cell. factor_of_x computes the factor from the
        x coordinate of the cell's centre."""
        self.good("convert", self.path("beam.msh"), self.path("plain.vtu"), "--encoding", "text")
        with open(self.path("plain.vtu")) as file:
            text = file.read()
        arrays = re.findall(r"<DataArray([^>]*)>([^<]*)<", text)
        points = next(list(map(float, body.split())) for head, body in arrays if "Float" in head)
        nodes = next(list(map(int, body.split())) for head, body in arrays if "connectivity" in head)
        centres = [sum(points[3 * n] for n in nodes[e:e + 4]) / 4 for e in range(0, len(nodes), 4)]
        values = " ".join(str(factor_of_x(x)) for x in centres)
        with open(self.path("scale.vtu"), "w") as file:
            file.write(text.replace("</Cells>", '</Cells><CellData><DataArray type="Float64" Name="scale" '
                                    f'format="ascii">{values}</DataArray></CellData>'))

    def test_a_field_of_stiffness_equals_regions(self):
        self.write_scale(lambda x: 4 if x > 0.1 else 1)
        by_region = self.write("region.json", steps=4, materials=[{"region": {"x": [0.1, None]}, "stiffness": 4}])
        by_field = self.write("field.json", steps=4, stiffness_field={"name": "scale", "file": "scale.vtu"})
        own_file = self.write("own.json", steps=4, mesh="scale.vtu", stiffness_field={"name": "scale"})
        expected = self.state("bench", by_region, "--repeat", "1")
        self.assertEqual(expected, self.state("bench", by_field, "--repeat", "1"))
        self.assertEqual(expected, self.state("bench", own_file, "--repeat", "1"))
        both = self.write("both.json", steps=4, stiffness_field={"name": "scale", "file": "scale.vtu"},
                          materials=[{"region": {"x": [None, None]}, "stiffness": 2}])
        twice = self.write("twice.json", steps=4, young=2 * BEAM["young"],
                           materials=[{"region": {"x": [0.1, None]}, "stiffness": 4}])
        self.assert_close(self.state("bench", twice, "--repeat", "1"), self.state("bench", both, "--repeat", "1"), 1e-8)

    def refused(self, sentence, **scene):
        done = subprocess.run([PLIANT, "bench", self.write("bad.json", **scene)], capture_output=True, text=True,
                              timeout=60)
        self.assertIn(done.returncode, (1, 2), done.stderr)
        self.assertIn(sentence, done.stderr)

    def test_faults(self):
        self.write_scale(lambda x: 0 if x > 0.1 else 1)
        field = {"name": "scale", "file": "scale.vtu"}
        self.refused('scale.vtu: the field "scale" is 0 in cell', stiffness_field=field)
        self.refused('scale.vtu: no field of the cells has the name "E"; there are: scale',
                     stiffness_field={"name": "E", "file": "scale.vtu"})
        self.refused('needs "name", the name of a field on cells', stiffness_field={"file": "scale.vtu"})
        self.refused("bad.json: ", stiffness_field={"name": "E", "file": "missing.vtu"})
        self.refused("missing.vtu: No such file", stiffness_field={"name": "E", "file": "missing.vtu"})
        self.refused('needs "displacement" or "velocity"', initial_fields={"file": "scale.vtu"})
        self.refused('"initial_fields" cannot be combined with "twist"; remove one',
                     initial_fields={"velocity": "v"}, twist={"axis": "x", "degrees": 9})
        self.refused('"initial_fields" cannot be combined with pins that have "path" or "spin"',
                     initial_fields={"velocity": "v"}, pins=[{"x": [None, -0.4], "path": [[0, 0, 0, 0], [1, 0, 0, 1]]}])
        self.good("make", "box", "--size", "1,0.25,0.25", "--cells", "2", "-o", self.path("other.msh"))
        self.refused("but the scene's body has", mesh="other.msh", stiffness_field=field)
        self.refused('"stiffness_field" needs "file", because the scene has no mesh file', mesh=None,
                     stiffness_field={"name": "E"}, shapes=[{"kind": "box", "size": [1, 1, 1], "cells": 2}])


if __name__ == "__main__":
    unittest.main()

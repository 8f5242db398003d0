#!/usr/bin/env python3
"""Tests supports: pins that move, by the keys "path" and "spin". Positions must be exact, and tables must have correct
reactions and work. Also tests `pliant solve`, checkpoints and error messages.

usage: test_supports.py PLIANT
"""
import csv
import json
import math
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402
from programs import skip_sanitized  # noqa: E402

PLIANT = os.path.abspath(sys.argv.pop(1))
SKIP_SANITIZED = skip_sanitized(PLIANT)
YOUNG, POISSON, SIDE = 1e5, 0.3, 0.2
BAR = {"shapes": [{"kind": "beam", "size": [1, SIDE, SIDE], "cells": 2}], "young": YOUNG, "poisson": POISSON,
       "density": 1000, "device": "cpu", "precision": "double"}
TIGHT = {"newton_relative": 1e-9, "cg_relative": 1e-8}
LEFT, RIGHT = {"name": "left", "x": [None, -0.499]}, {"name": "right", "x": [0.499, None]}


def spin(angles, about=(0, 0, 0.1), axis=(1, 0, 0)):
    return {"spin": {"axis": list(axis), "about": list(about), "angles": angles}}


class Supports(InFolder):
    def run_it(self, command, scene, *words):
        with open(self.path("scene.json"), "w") as file:
            json.dump({key: value for key, value in {**BAR, **scene}.items() if value is not None}, file)
        return subprocess.run([PLIANT, command, "scene.json", *words], capture_output=True, text=True, timeout=300,
                              cwd=self.folder.name)

    def table(self, command, scene, probes, *words):
        done = self.run_it(command, scene, "--probe", probes, "--probe-file", "p.csv", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("p.csv"), newline="") as file:
            return [{name: float(value) if value else None for name, value in row.items()}
                    for row in csv.DictReader(file)]

    def test_a_pulled_bar_has_the_closed_form(self):
        """Stretches a bar to s times its length. The bar is neo-Hookean with lambda = 0, so its nominal stress is
        P = mu (s - 1/s), and its energy per volume is mu/2 (s^2 - 1 - 2 ln s)."""
        scene = {"young": None, "poisson": None, "mu": 5e4, "lambda": 0,
                 "pins": [LEFT, {**RIGHT, "path": [[0, 0, 0, 0], [2, 0.3, 0, 0]]}], **TIGHT}
        rows = self.table("solve", scene, "reaction:left,reaction:right,reaction_work:right,elastic", "--increments",
                          "20")
        half = self.table("solve", scene, "reaction:right", "--time", "1")[-1]

        def closed(stretch):
            return 5e4 * (stretch - 1 / stretch) * SIDE ** 2

        for row in rows:
            force = closed(1 + 0.3 * row["factor"])
            self.assertAlmostEqual(row["reaction:right_x_N"], force, delta=1e-5)
            self.assertAlmostEqual(row["reaction:left_x_N"], -force, delta=1e-5)
        energy = 2.5e4 * (1.69 - 1 - 2 * math.log(1.3)) * SIDE ** 2
        self.assertAlmostEqual(rows[-1]["elastic_J"], energy, delta=1e-5)
        self.assertAlmostEqual(rows[-1]["reaction_work:right_J"], energy, delta=2e-4 * energy)
        self.assertAlmostEqual(half["reaction:right_x_N"], closed(1.15), delta=1e-5)

    def test_a_shaft_has_the_torque_of_saint_venant(self):
        """Twists a square shaft by the angle theta. By Saint-Venant's theory the torque is G J theta / L with J =
        0.140577 a^4. The ends can warp, so that this holds along the whole shaft."""
        middle = {"x": [None, -0.499], "y": [-0.001, 0.001], "z": [0.099, 0.101], "axes": "x"}
        scene = {"degree": 2, **TIGHT,
                 "pins": [{**LEFT, "axes": "yz"}, {**RIGHT, "axes": "yz", **spin([[0, 0], [1, 1]])}, middle]}
        done = self.run_it("solve", scene, "--increments", "1", "--json", "out.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("out.json")) as file:
            left, right, _ = json.load(file)["pins"]
        torque = YOUNG / (2 * (1 + POISSON)) * 0.140577 * SIDE ** 4 * math.radians(1)
        # with two cells across the shaft, the computed torque has an error of 3.7 %
        self.assertAlmostEqual(right["moment_N_m"][0] / torque, 1, delta=0.05)
        self.assertAlmostEqual(left["moment_N_m"][0] / right["moment_N_m"][0], -1, delta=1e-5)
        self.assertEqual((left["name"], right["name"]), ("left", "right"))

    @SKIP_SANITIZED
    def test_a_full_turn_returns_the_body(self):
        turn = spin([[0, 0], [1, 360]], (0.1, 0.2, 0), (0, 0, 1))
        there_and_back = spin([[0, 0], [1, 120], [2, 0]])
        for pins in ([{**LEFT, **turn}, {**RIGHT, **turn}], [LEFT, {**RIGHT, **there_and_back}]):
            done = self.run_it("solve", {"pins": pins, **TIGHT}, "--json", "out.json")
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(self.path("out.json")) as file:
                answer = json.load(file)
            self.assertEqual(answer["factor"], 1)
            self.assertLess(answer["largest_displacement_m"], 1e-9)

    @SKIP_SANITIZED
    def test_steps_end_on_the_motion_and_its_work_is_the_energy(self):
        for integrator, young in (("midpoint", 1e4), ("midpoint", 1e7), ("bdf2", 1e4)):
            scene = {"young": young, "integrator": integrator, **TIGHT,
                     "pins": [LEFT, {**RIGHT, "path": [[0, 0, 0, 0], [0.5, 0.1, 0.05, 0], [1, 0, 0, 0]],
                                     **spin([[0, 0], [1, 90]])}]}
            probes = "centre:pins/right,reaction_work:right,energy"
            rows = self.table("record", scene, probes, "--frames", "61", "--fps", "60")
            for row in rows:
                time = row["time_s"]
                along = 2 * time if time < 0.5 else 2 - 2 * time
                self.assertAlmostEqual(row["centre:pins/right_x_m"], 0.5 + 0.1 * along, delta=1e-9)
                self.assertAlmostEqual(row["centre:pins/right_y_m"], 0.05 * along, delta=1e-9)
            work = rows[-1]["reaction_work:right_J"]
            if integrator == "midpoint":
                self.assertAlmostEqual(rows[-1]["energy_J"], work, delta=2e-3 * work)
            else:
                self.assertLess(rows[-1]["energy_J"], work)  # bdf2 damps vibrations

    @SKIP_SANITIZED
    def test_drags_have_moments_and_names(self):
        """Pulls the end of a bar slowly sideways, without turning it. Force and moment are those of a clamped beam."""
        scene = {"pins": [LEFT], "drags": [{"name": "hand", "grab": {"x": [0.499, None]},
                                            "path": [[0, 0, 0, 0], [1, 0, 0.01, 0], [30, 0, 0.01, 0]]}],
                 "damping": 10, **TIGHT}
        row = self.table("record", scene, "drag_force:hand,drag_moment:1,reaction:left,reaction_moment:left,"
                         "drag_work:hand", "--frames", "201", "--fps", "60")[-1]
        force, moment = row["drag_force:hand_y_N"], row["drag_moment:1_z_N_m"]
        self.assertGreater(force, 0)
        self.assertAlmostEqual(row["reaction:left_y_N"] / force, -1, delta=1e-3)
        # Both ends of the beam are held without rotation, so the moment at each end is half of force times length.
        self.assertAlmostEqual(moment / (-0.5 * force), 1, delta=0.05)
        self.assertAlmostEqual(row["reaction_moment:left_z_N_m"] / (-0.5 * force), 1, delta=0.05)
        self.assertGreater(row["drag_work:hand_J"], 0.5 * force * 0.01 * 0.99)

    def test_work_begins_in_the_first_row(self):
        """In a run that continues from a checkpoint, the pin and the drag are already moving in the first row. The drag
        pulls the node with the smallest x; its work is that of its spring, without its damper."""
        path = [[0, 0, 0, 0], [1, 0.5, 0, 0]]
        scene = {"pins": [{**RIGHT, "path": path}],
                 "drags": [{"grab": {"center": "-x", "radius": 1e-3}, "stiffness": 1e4, "path": path}]}
        words = ["record", scene, "--fps", "60", "--frames"]
        self.assertEqual(self.run_it(*words, "6", "--checkpoint", "c.ck").returncode, 0)
        probes = "reaction_work:1,centre:drags/1,drag_work:1"
        rows = self.table("record", scene, probes, *words[2:], "9", "--resume", "c.ck")
        self.assertEqual((rows[0]["reaction_work:1_J"], rows[0]["drag_work:1_J"]), (0, 0))
        forces = [1e4 * (0.5 * row["time_s"] - (row["centre:drags/1_x_m"] + 0.5)) for row in rows]
        work = sum((one + two) / 2 * 0.5 / 60 for one, two in zip(forces, forces[1:]))
        self.assertGreater(abs(work), 0.01)
        self.assertAlmostEqual(rows[-1]["drag_work:1_J"], work, delta=1e-7)

    def test_a_run_goes_on_with_the_same_bits(self):
        """Tests that a run continues from a checkpoint with the same bits, also after a cut that adds nodes to the
        support. Also continues it from a saved scene; the bits are then the same if there was no cut."""
        motion = {"path": [[0, 0, 0, 0], [0.5, 0.05, 0, 0]], **spin([[0, 0], [0.5, 30]])}
        cut = {"time": 0.05, "point": [0.45, 0, 0], "normal": [0, 0, 1], "reach": 0.2}
        for scene in ({"pins": [{**LEFT, "axes": "xy"}, {**LEFT, "name": "z", "axes": "z"}, {**RIGHT, **motion}]},
                      {"pins": [LEFT, {**RIGHT, **motion}], "cuts": [cut]}):
            words = ["--fps", "60", "--frames"]
            done = self.run_it("record", scene, *words, "17", "--state", "whole.npz")
            self.assertEqual(done.returncode, 0, done.stderr)
            done = self.run_it("record", scene, *words, "9", "--checkpoint", "c.ck", "--save-scene", "saved.json")
            self.assertEqual(done.returncode, 0, done.stderr)
            done = self.run_it("record", scene, *words, "17", "--resume", "c.ck", "--state", "again.npz")
            self.assertEqual(done.returncode, 0, done.stderr)
            saved = subprocess.run([PLIANT, "record", "saved.json", *words, "9", "--state", "saved.npz"],
                                   capture_output=True, text=True, timeout=300, cwd=self.folder.name)
            self.assertEqual(saved.returncode, 0, saved.stderr)
            with open(self.path("whole.npz"), "rb") as one, open(self.path("again.npz"), "rb") as two:
                self.assertEqual(one.read(), two.read())
            if "cuts" not in scene:
                with open(self.path("whole.npz"), "rb") as one, open(self.path("saved.npz"), "rb") as two:
                    self.assertEqual(one.read(), two.read())

    def test_a_cut_support_goes_on(self):
        """A cut divides a support; both halves must still follow its path. With lumped masses the cut changes the
        simulation in place, with a consistent mass matrix the simulation is built again."""
        cut = {"time": 0.05, "point": [0.45, 0, 0], "normal": [0, 0, 1], "reach": 0.3}
        scene = {"pins": [LEFT, {**RIGHT, "path": [[0, 0, 0, 0], [0.5, 0.1, 0.2, 0.3]]}], "cuts": [cut]}
        for words in ([], ["--mass", "consistent"]):
            rows = self.table("record", scene, "centre:pins/2", "--frames", "31", "--fps", "60", *words)
            self.assertAlmostEqual(rows[-1]["centre:pins/2_x_m"], 0.6, delta=1e-9)
            self.assertAlmostEqual(rows[-1]["centre:pins/2_y_m"], 0.2, delta=1e-9)

    def test_entries_that_hold_the_same_nodes_are_reported(self):
        """A notice reports nodes that do not follow an entry, because another one holds them. An entry of which no node
        follows it is an error. Entries with equal motions, or along different axes, need no notice."""
        def path(*end):
            return {"path": [[0, 0, 0, 0], [1, *end]]}

        moved, wide = {**RIGHT, **path(0.1, 0, 0)}, {"x": [0.3, None]}
        drag = {"grab": wide, **path(0, 0.1, 0)}
        for scene, said in (({"pins": [moved, {**moved, "name": "again"}]}, None),
                            ({"pins": [{**moved, "axes": "x"}, {"x": [0.499, None], "axes": "yz"}]}, None),
                            ({"pins": [moved, wide]}, "pins entry 2 and pins entry 1 hold nodes along the same axes"),
                            ({"pins": [{**wide, **path(0, 0, 0.1)}, moved]}, "nodes that follow pins entry 2: 9"),
                            ({"pins": [{**RIGHT, "axes": "x"}], "drags": [drag]}, None),
                            ({"pins": [RIGHT], "drags": [drag]}, "drags entry 1 does not move all its nodes"),
                            ({"pins": [RIGHT], "drags": [{**drag, "stiffness": 5}]}, None)):
            done = self.run_it("record", scene, "--frames", "1", "--state", "s.npz")
            notices = [line for line in done.stderr.splitlines() if "no CUDA" not in line]
            self.assertEqual((done.returncode, len(notices)), (0, 1 if said else 0), (scene, done.stderr))
            self.assertIn(said or "", done.stderr)
        for scene, part in (({"pins": [moved, {"x": [0.499, None], **path(0.2, 0, 0)}]},
                             "pins entry 1 has no effect, because pins entry 2 holds the same nodes"),
                            ({"pins": [RIGHT, {**wide, **path(0, 0, 0.1)}]}, "pins entry 1 has no effect"),
                            ({"pins": [wide], "drags": [{"grab": {"x": RIGHT["x"]}, **path(0.1, 0, 0)}]},
                             "drags entry 1 has no effect, because pins hold all its nodes")):
            done = self.run_it("record", scene, "--frames", "1", "--state", "s.npz")
            self.assertEqual(done.returncode, 1, scene)
            self.assertIn(part, done.stderr)

    def test_wrong_entries_are_explained(self):
        path = {"path": [[0, 0, 0, 0], [1, 0.1, 0, 0]]}
        for pins, more, what in (
                ([{**RIGHT, "spin": {"axis": [1, 0, 0], "speed": 10}}], {}, 'needs "about", a point of the axis'),
                ([{**RIGHT, "spin": {"axis": [0, 0, 0], "about": [0, 0, 0], "speed": 1}}], {}, "a direction, not zero"),
                ([{**RIGHT, **path, "move": [0, 0, 1]}], {}, '"move" cannot be combined with "path"'),
                ([{**RIGHT, "path": [[1, 0, 0, 0], [1, 0, 0, 0]]}], {}, 'the times of "path" must increase'),
                ([{**RIGHT, "name": "2nd"}], {}, '"name" must be a text'),
                ([{**RIGHT, "axes": "xy", "path": [[0, 0, 0, 0], [1, 0.1, 0, 1]]}], {},
                 '"path" has a displacement along z, but "axes" does not hold this axis'),
                ([{**RIGHT, "axes": "yz", "move": [1, 0, 0]}], {}, '"move" has a displacement along x'),
                ([RIGHT, {**LEFT, "name": "right"}], {}, 'both have the name "right"'),
                ([{**RIGHT, "move": [0, 0, 1]}], {}, 'has "move", which only `pliant solve` supports'),
                ([{**RIGHT, **path}], {"twist": {"axis": "x", "degrees": 10}}, '"twist" cannot be combined')):
            done = self.run_it("bench", {"pins": pins, **more}, "--repeat", "0", "--steps", "1")
            self.assertGreater(done.returncode, 0, what)
            self.assertIn(what, done.stderr)
        done = self.run_it("solve", {"pins": [LEFT, {**RIGHT, "spin": {"axis": [1, 0, 0], "about": [0, 0, 0],
                                                                       "speed": 10}}]})
        self.assertIn("give --time, the time of this motion at the full load", done.stderr)
        done = self.run_it("bench", {"pins": [LEFT]}, "--probe", "reaction:rihgt", "--probe-file", "p.csv")
        self.assertIn("the list pins has no entry rihgt;", done.stderr)


if __name__ == "__main__":
    unittest.main()

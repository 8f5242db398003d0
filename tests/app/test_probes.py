#!/usr/bin/env python3
"""Tests the option --probe, which writes a table of observables for each step. Observables must equal closed forms, the
table must have its documented format, and unknown names and unsuitable files must be refused.

usage: test_probes.py PLIANT
"""
import csv
import json
import os
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402

PLIANT = os.path.abspath(sys.argv.pop(1))
GRAVITY, STEP, MASS = 9.81, 0.01, 1000.0  # m/s^2, s, kg; the cube has sides of 1 m and 1000 kg/m^3
CUBE = {"shapes": [{"kind": "box", "size": [1, 1, 1], "cells": 2, "at": [0, 0, 5]}], "gravity": [0, 0, -GRAVITY],
        "dt": STEP, "steps": 10, "device": "cpu", "precision": "double", "young": 1e5, "poisson": 0.3, "density": 1000}


class Probes(InFolder):
    def run_it(self, *words):
        return subprocess.run([PLIANT, *words], capture_output=True, text=True, timeout=300, cwd=self.folder.name)

    def scene(self, **changes):
        with open(self.path("scene.json"), "w") as file:
            json.dump({key: value for key, value in {**CUBE, **changes}.items() if value is not None}, file)
        return "scene.json"

    def table(self, command, scene, probes, *words):
        """Returns the rows of the table as {title: number}. An empty field is None."""
        done = self.run_it(command, scene, "--probe", probes, "--probe-file", "p.csv", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("p.csv"), newline="") as file:
            rows = list(csv.DictReader(file))
        return [{name: float(value) if value else None for name, value in row.items()} for row in rows]

    def record(self, scene, probes, frames=11):
        return self.table("record", scene, probes, "--frames", str(frames), "--fps", str(1 / STEP))

    def fails(self, words, *fragments):
        done = self.run_it(*words)
        self.assertGreater(done.returncode, 0, words)
        lines = [line for line in done.stderr.splitlines() if "no CUDA" not in line]
        self.assertEqual(len(lines), 1, done.stderr)
        for fragment in fragments:
            self.assertIn(fragment, lines[0])

    def test_free_fall(self):
        """The midpoint rule is exact for a constant force; Newton's tolerance leaves errors of up to 1e-6."""
        rows = self.record(self.scene(), "momentum,kinetic,position:1,volume,min_J,energy,angular_momentum,potential,"
                           "gravitational")
        self.assertEqual([row["step"] for row in rows], list(range(11)))
        start = rows[0]["position:1_z_m"]
        for row in rows:
            time, expected = row["time_s"], MASS * GRAVITY * row["time_s"]
            self.assertAlmostEqual(time, row["step"] * STEP, delta=1e-9)
            self.assertAlmostEqual(row["momentum_z_kg_m_s"], -expected, delta=1e-6 * MASS)
            self.assertAlmostEqual(row["kinetic_J"], expected ** 2 / (2 * MASS), delta=1e-6 * MASS)
            self.assertAlmostEqual(row["potential_J"], -expected ** 2 / (2 * MASS), delta=1e-6 * MASS)
            self.assertAlmostEqual(row["gravitational_J"], row["potential_J"], delta=1e-9 * MASS)
            self.assertAlmostEqual(row["position:1_z_m"], start - GRAVITY * time ** 2 / 2, delta=1e-6)
            self.assertAlmostEqual(row["volume_m3"], 1, delta=1e-6)
            self.assertAlmostEqual(row["energy_J"], 0, delta=1e-3)
            for axis in "xy":
                self.assertAlmostEqual(row[f"momentum_{axis}_kg_m_s"], 0, delta=1e-5 * MASS)
            self.assertAlmostEqual(row["angular_momentum_z_kg_m2_s"], 0, delta=1e-5 * MASS)
        self.assertIsNone(rows[0]["min_J"])  # no value before the first step
        self.assertTrue(all(abs(row["min_J"] - 1) < 1e-4 for row in rows[1:]))

    def test_shape_of_the_table(self):
        self.record(self.scene(), "converged,position:3,kinetic", frames=3)
        with open(self.path("p.csv")) as file:
            lines = file.read().split("\n")
        self.assertEqual(lines[0], "step,time_s,converged,position:3_x_m,position:3_y_m,position:3_z_m,kinetic_J")
        self.assertEqual(lines[-1], "")
        self.assertEqual([line.split(",")[0] for line in lines[1:-1]], ["0", "1", "2"])
        self.assertEqual([line.split(",")[2] for line in lines[1:-1]], ["", "1", "1"])
        self.assertEqual({line.count(",") for line in lines[:-1]}, {6})

    def test_bench_has_the_same_numbers_in_its_file_and_its_json(self):
        scene, probes = self.scene(), "momentum,cg_iterations,position:1,volume"
        recorded = self.record(scene, probes)
        rows = self.table("bench", scene, probes, "--repeat", "0", "--json", "b.json")
        self.assertEqual(rows, recorded)
        with open(self.path("b.json")) as file:
            bench = json.load(file)
        for row, step in zip(rows[1:], bench["per_step"]):
            self.assertAlmostEqual(step["volume_m3"], row["volume_m3"], delta=1e-15)
            self.assertEqual(step["cg_iterations"], row["cg_iterations"])
            for i, axis in enumerate("xyz"):
                self.assertAlmostEqual(step["momentum_kg_m_s"][i], row[f"momentum_{axis}_kg_m_s"], delta=1e-10)
                self.assertAlmostEqual(step["position:1_m"][i], row[f"position:1_{axis}_m"], delta=1e-12)
        self.assertAlmostEqual(bench["volume_m3"], rows[-1]["volume_m3"], delta=1e-15)
        self.assertEqual(len(bench["momentum_kg_m_s"]), 3)

    def test_reactions_and_patches_of_an_equilibrium(self):
        scene = self.scene(pins=[{"z": [None, 5.1]}])
        rows = self.table("solve", scene, "reaction:1,centre:pins/1,elastic,kinetic", "--increments", "4",
                          "--json", "s.json")
        with open(self.path("s.json")) as file:
            answer = json.load(file)
        self.assertEqual([row["factor"] for row in rows], [0, 0.25, 0.5, 0.75, 1])
        for row in rows:
            self.assertAlmostEqual(row["reaction:1_z_N"], row["factor"] * MASS * GRAVITY, delta=1e-3 * MASS * GRAVITY)
            self.assertAlmostEqual(row["centre:pins/1_z_m"], 5, delta=1e-12)
            self.assertEqual(row["kinetic_J"], 0)
        self.assertAlmostEqual(rows[-1]["reaction:1_z_N"], answer["pins"][0]["force_N"][2], delta=1e-6)
        self.assertAlmostEqual(rows[-1]["elastic_J"], answer["elastic_J"], delta=1e-9)
        self.assertAlmostEqual(answer["increments"][1]["reaction:1_N"][2], rows[2]["reaction:1_z_N"], delta=1e-6)

    def test_pins_bear_the_weight_in_time(self):
        scene = self.scene(pins=[{"z": [None, 5.1]}], damping=20, young=1e6)
        last = self.record(scene, "reaction:1", frames=101)[-1]
        self.assertAlmostEqual(last["reaction:1_z_N"], MASS * GRAVITY, delta=0.01 * MASS * GRAVITY)

    def test_a_drag_pulls_as_hard_as_the_pins_hold(self):
        """When the body is at rest, the force of the drag and the reaction of the pins must be opposite and equal."""
        drag = {"grab": {"center": [0, 0, 6], "radius": 0.3}, "stiffness": 1e4,
                "path": [[0, 0, 0, 0], [0.3, 0.1, 0, 0], [9, 0.1, 0, 0]]}
        scene = self.scene(pins=[{"z": [None, 5.1]}], drags=[drag], gravity=[0, 0, 0], damping=8)
        last = self.record(scene, "reaction:1,drag_force:1,centre:drags/1", frames=301)[-1]
        self.assertGreater(last["drag_force:1_x_N"], 10)
        self.assertAlmostEqual(last["drag_force:1_x_N"], -last["reaction:1_x_N"], delta=1e-3 * last["drag_force:1_x_N"])
        self.assertTrue(0.001 < last["centre:drags/1_x_m"] < 0.1)

    def test_work_of_a_slow_drag_is_half_force_times_way(self):
        """The force F of a drag grows linearly with the displacement u of its target, if u is small. So its work is
        F u / 2, which becomes the elastic energy of the body and of the drag's spring."""
        drag = {"grab": {"center": [0, 0, 6], "radius": 0.3}, "stiffness": 1e4, "path": [[0, 0, 0, 0], [4, 0.02, 0, 0]]}
        scene = self.scene(pins=[{"z": [None, 5.1]}], drags=[drag], gravity=[0, 0, 0], damping=8)
        rows = self.record(scene, "drag_force:1,drag_work:1,elastic", frames=391)
        last, way = rows[-1], 0.02 * rows[-1]["time_s"] / 4
        self.assertEqual(rows[0]["drag_work:1_J"], 0)
        expected = last["drag_force:1_x_N"] * way / 2
        self.assertAlmostEqual(last["drag_work:1_J"], expected, delta=0.03 * expected)
        self.assertTrue(0 < last["elastic_J"] < last["drag_work:1_J"])

    def test_the_floor_bears_the_weight(self):
        scene = self.scene(floor=5, damping=20, young=1e6)
        last = self.record(scene, "contact_push,contact_force:0/floor,contact_force:floor/0", frames=101)[-1]
        self.assertAlmostEqual(last["contact_push_N"], MASS * GRAVITY, delta=0.02 * MASS * GRAVITY)
        self.assertAlmostEqual(last["contact_force:0/floor_z_N"], MASS * GRAVITY, delta=0.02 * MASS * GRAVITY)
        self.assertAlmostEqual(last["contact_force:floor/0_z_N"], -last["contact_force:0/floor_z_N"], delta=1e-9)

    def test_contact_of_named_bodies_is_what_bench_reports(self):
        box = {"shape": {"kind": "box", "size": [0.2, 0.2, 0.1], "cells": 2}}
        scene = self.scene(shapes=None, self_contact=True, dt=1 / 60, young=3e4, steps=16,
                           bodies=[{"name": "low", **box}, {"name": "high", **box, "place": [0.03, 0.02, 0.12]}],
                           obstacles=[{"kind": "box", "at": [0, 0, -0.101], "size": [1, 1, 0.2], "friction": 0.5}])
        probes = "contact_force:low/high,contact_force:1/0,contact_force:low/obstacle 1,contact_push"
        last = self.table("bench", scene, probes, "--repeat", "0", "--json", "b.json")[-1]
        with open(self.path("b.json")) as file:
            pair, below = json.load(file)["contacts"]
        self.assertLess(pair["force_N"][2], -1)
        for i, axis in enumerate("xyz"):
            self.assertAlmostEqual(last[f"contact_force:low/high_{axis}_N"], pair["force_N"][i], delta=1e-9)
            self.assertAlmostEqual(last[f"contact_force:1/0_{axis}_N"], -pair["force_N"][i], delta=1e-9)
            self.assertAlmostEqual(last[f"contact_force:low/obstacle 1_{axis}_N"], below["force_N"][i], delta=1e-9)
        self.assertAlmostEqual(last["contact_push_N"], pair["pressed_N"] + below["pressed_N"], delta=1e-9)

    def test_an_unknown_name_is_refused_with_the_list(self):
        bench = ["bench", self.scene(), "--repeat", "0", "--json", "b.json", "--probe"]
        self.fails([*bench, "kinetik"], '"kinetik" (did you mean "kinetic"?)', "volume", "position:NODE")
        self.fails([*bench, "kinetic,"], 'no probe ""')
        self.fails([*bench, "position"], "position:NODE")
        self.fails([*bench, "volume:3"], "volume takes no argument")
        self.fails([*bench, "position:99999"], "no node 99999")
        self.fails([*bench, "reaction:1"], "the list pins has no entry 1;")
        self.fails([*bench, "drag_force:0"], "the list drags has no entry 0;")
        self.fails([*bench, "centre:pins/x"], "the list pins has no entry x")
        self.fails([*bench, "centre:forces/x"], "no region forces/x")
        self.fails([*bench, "contact_force:0/moon"], "0/moon is not a pair")
        self.assertFalse(os.path.exists(self.path("b.json")))
        listed = self.run_it("probes")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        for name in ("kinetic", "position:NODE", "kg m^2/s"):
            self.assertIn(name, listed.stdout)

    def test_files_are_refused_before_the_run(self):
        record = ["record", self.scene(), "--frames", "2"]
        self.fails([*record, "--probe", "volume"], "--probe-file FILE")
        self.fails([*record, "--probe-file", "p.csv"], "needs --probe")
        self.fails([*record, "--probe", "volume", "--probe-file", "no/p.csv"], "no/p.csv", "No such file")
        self.fails([*record, "--probe", "volume", "--probe-file", "/dev/full"], "/dev/full", "No space left")
        self.fails(["bench", "scene.json", "--sweep", "--probe", "volume"], "--probe needs a single one")
        # A run that fails before its first step must keep the table of an earlier run.
        with open(self.path("p.csv"), "w") as file:
            file.write("earlier\n")
        self.fails([*record, "--probe", "nothing", "--probe-file", "p.csv"], "nothing")
        with open(self.path("p.csv")) as file:
            self.assertEqual(file.read(), "earlier\n")

    def test_a_run_that_goes_on_does_not_lose_the_steps_before(self):
        words = ["record", self.scene(), "--fps", "100", "--probe", "volume", "--probe-file", "p.csv"]
        done = self.run_it(*words, "--frames", "3", "--checkpoint", "c.ck")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.fails([*words, "--frames", "6", "--resume", "c.ck"], "p.csv: exists", "--probe-file")
        done = self.run_it(*words[:-1], "q.csv", "--frames", "6", "--resume", "c.ck")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("q.csv")) as file:
            self.assertEqual([line.split(",")[0] for line in file], ["step", "2", "3", "4", "5"])

    def test_an_interrupted_run_keeps_its_rows(self):
        words = [PLIANT, "record", self.scene(), "--fps", "100", "--frames", "1000000", "--probe", "kinetic",
                 "--probe-file", "p.csv"]
        process = subprocess.Popen(words, cwd=self.folder.name, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        error = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 1, error)
        with open(self.path("p.csv"), newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([int(row["step"]) for row in rows], list(range(len(rows))))
        self.assertGreater(len(rows), 2)

    def test_a_restored_state_has_its_load(self):
        """The first row of a table, before the first step, must already contain the load's forces, also after --resume
        and at the start of a saved scene."""
        scene = self.scene(pins=[{"z": [None, 5.6]}], forces=[{"region": {"z": [5.4, None]}, "total": [30, 0, 0],
                                                              "steps": [2, 9]}])
        probes, whole = "potential,reaction:1", self.record(scene, "potential,reaction:1", frames=7)
        self.assertGreater(abs(whole[4]["reaction:1_x_N"]), 1)
        for words in (["--checkpoint", "c.ck"], ["--save-scene", "saved.json"]):
            done = self.run_it("record", scene, "--fps", "100", "--frames", "5", *words)
            self.assertEqual(done.returncode, 0, done.stderr)
        os.remove(self.path("p.csv"))
        words = ["--frames", "7", "--fps", "100", "--resume", "c.ck"]
        self.assertEqual(self.table("record", scene, probes, *words)[0], whole[4])
        words = ["--frames", "3", "--fps", "100"]
        self.assertEqual(self.table("record", "saved.json", probes, *words), whole[4:])


if __name__ == "__main__":
    unittest.main()

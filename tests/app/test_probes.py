#!/usr/bin/env python3
"""Tests the option --probe, which writes a table of observables for each step. Observables must equal closed forms, the
table must have its documented format, and unknown names and unsuitable files must be refused.

usage: test_probes.py PLIANT
"""
import csv
import json
import os
import re
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
# patch with the bottom face of the cube: all corners of this face, and no other node, are within 1.23 m of the point
BOTTOM = "0/0/4/1.23"


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
        rows = self.record(self.scene(), "momentum, kinetic ,position:1,volume,min_J,energy,angular_momentum,potential,"
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
        F u / 2, which becomes the elastic energy of the body and of the drag's spring. The drag's damper adds 2 %."""
        drag = {"grab": {"center": [0, 0, 6], "radius": 0.3}, "stiffness": 1e4, "path": [[0, 0, 0, 0], [8, 0.02, 0, 0]]}
        scene = self.scene(pins=[{"z": [None, 5.1]}], drags=[drag], gravity=[0, 0, 0], damping=8)
        rows = self.record(scene, "drag_force:1,drag_work:1,elastic", frames=781)
        last, way = rows[-1], 0.02 * rows[-1]["time_s"] / 8
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

    def test_the_moment_of_a_resting_body_on_the_floor(self):
        """The contact force acts below the cube's centre, at (2, 1). With self_contact, surfaces touch the floor,
        otherwise only nodes."""
        shape = {**CUBE["shapes"][0], "at": [2, 1, 5]}
        for contact in (False, True):
            scene = self.scene(shapes=[shape], floor=4.999, damping=20, young=1e6, self_contact=contact, friction=0.3)
            last = self.record(scene, "contact_moment:0/floor,contact_moment:floor/0", frames=101)[-1]
            for axis, moment in (("x", MASS * GRAVITY), ("y", -2 * MASS * GRAVITY), ("z", 0)):
                found = last[f"contact_moment:0/floor_{axis}_N_m"]
                self.assertAlmostEqual(found, moment, delta=0.01 * MASS * GRAVITY)
                self.assertEqual(last[f"contact_moment:floor/0_{axis}_N_m"], -found)

    def test_contact_of_named_bodies_is_what_bench_reports(self):
        box = {"shape": {"kind": "box", "size": [0.2, 0.2, 0.1], "cells": 2}}
        scene = self.scene(shapes=None, self_contact=True, dt=1 / 60, young=3e4, steps=16,
                           bodies=[{"name": "low", **box}, {"name": "high", **box, "place": [0.03, 0.02, 0.12]}],
                           obstacles=[{"name": "table", "kind": "box", "at": [0, 0, -0.101], "size": [1, 1, 0.2],
                                       "friction": 0.5}])
        probes = ("contact_force:low/high,contact_force:1/0,contact_force:low/obstacle 1,contact_force:low/table,"
                  "contact_push")
        last = self.table("bench", scene, probes, "--repeat", "0", "--json", "b.json")[-1]
        with open(self.path("b.json")) as file:
            pair, below = json.load(file)["contacts"]
        self.assertLess(pair["force_N"][2], -1)
        for i, axis in enumerate("xyz"):
            self.assertAlmostEqual(last[f"contact_force:low/high_{axis}_N"], pair["force_N"][i], delta=1e-9)
            self.assertAlmostEqual(last[f"contact_force:1/0_{axis}_N"], -pair["force_N"][i], delta=1e-9)
            self.assertAlmostEqual(last[f"contact_force:low/obstacle 1_{axis}_N"], below["force_N"][i], delta=1e-9)
            self.assertEqual(last[f"contact_force:low/table_{axis}_N"], last[f"contact_force:low/obstacle 1_{axis}_N"])
        self.assertAlmostEqual(last["contact_push_N"], pair["pressed_N"] + below["pressed_N"], delta=1e-9)

    def test_an_unknown_name_is_refused_with_the_list(self):
        bench = ["bench", self.scene(), "--repeat", "0", "--json", "b.json", "--probe"]
        self.fails([*bench, "kinetik"], '"kinetik" (did you mean "kinetic"?)', "volume", "position:NODE")
        self.fails([*bench, "kinetic,"], 'no observable ""', "min_J")  # the last name of the list
        self.fails([*bench, "position"], "position:NODE")
        self.fails([*bench, "volume:3"], "volume takes no argument")
        self.fails([*bench, "position:99999"], "no node 99999")
        self.fails([*bench, "reaction:1"], "the list pins has no entry 1;")
        self.fails([*bench, "drag_force:0"], "the list drags has no entry 0;")
        self.fails([*bench, "centre:pins/x"], "the list pins has no entry x")
        self.fails([*bench, "centre:forces/x"], "the list forces has no entry x;")
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

    def test_means_over_a_patch_in_free_fall(self):
        """All nodes have the velocity -g t, the body has no stress, and the bottom face of the cube has 1 m^2. The ball
        contains the corners of this face only."""
        names = ["area", "displacement", "velocity", "von_mises", "principal", "J", "force", "push"]
        probes = ",".join([*(f"patch_{name}:{BOTTOM}" for name in names), "position:1"])
        rows = self.record(self.scene(newton_relative=1e-12), probes)
        for row in rows:
            value = {title.split(":")[0] + title[title.index(BOTTOM) + len(BOTTOM):]: number
                     for title, number in row.items() if BOTTOM in title}
            self.assertAlmostEqual(value["patch_area_m2"], 1, 12)
            self.assertAlmostEqual(value["patch_velocity_z_m_s"], -GRAVITY * row["time_s"], 6)
            self.assertAlmostEqual(value["patch_displacement_z_m"],
                                   row["position:1_z_m"] - rows[0]["position:1_z_m"], 9)
            self.assertAlmostEqual(value["patch_J"], 1, 9)
            self.assertLess(abs(value["patch_von_mises_Pa"]), 1e-3)
            self.assertLess(abs(value["patch_principal_Pa"]), 1e-3)
            self.assertEqual([value["patch_force_z_N"], value["patch_push_N"]], [0, 0])

    def test_stress_at_a_patch_is_force_over_deformed_area(self):
        """In uniaxial tension, the Cauchy stress along z is the force divided by the deformed area, and all other
        components are 0. Linear tets, quadratic tets and hexes represent this state exactly."""
        made = self.run_it("make", "cube", "--shape", "hex", "--cells", "2", "-o", "hexes.vtu")
        self.assertEqual(made.returncode, 0, made.stderr)
        of_box, of_mesh = (-0.5, -0.5, 5), (0, 0, 0)  # corner of the cube with the smallest coordinates
        for low, change in ((of_box, {}), (of_box, {"degree": 2}), (of_mesh, {"shapes": None, "mesh": "hexes.vtu"})):
            x, y, z = low
            rollers = [{axis: [None, value + 0.01], "axes": axis} for axis, value in zip("xyz", low)]
            pull = [{"name": "pull", "region": {"z": [z + 0.99, None]}, "traction": [0, 0, 3e4]}]
            side, top = f"{x + 2}/{y + 0.5}/{z + 0.5}/1.23", f"{x + 0.5}/{y + 0.5}/{z + 2}/1.23"
            scene = self.scene(pins=rollers, forces=pull, gravity=None, newton_relative=1e-10, **change)
            names = [f"patch_{name}:{patch}" for name in ("von_mises", "principal", "J", "displacement")
                     for patch in (side, "forces/pull")]
            last = self.table("solve", scene, ",".join([*names, f"patch_displacement:{top}", "volume"]))[-1]
            wide = 1 + last[f"patch_displacement:{side}_x_m"]
            self.assertGreater(last[f"patch_displacement:{top}_z_m"], 0.3)
            self.assertEqual(last[f"patch_displacement:{top}_z_m"], last["patch_displacement:forces/pull_z_m"])
            for patch in (side, "forces/pull"):
                self.assertAlmostEqual(last[f"patch_von_mises:{patch}_Pa"] / (3e4 / wide ** 2), 1, 6)
                self.assertAlmostEqual(last[f"patch_principal:{patch}_Pa"] / (3e4 / wide ** 2), 1, 6)
                self.assertAlmostEqual(last[f"patch_J:{patch}"] / last["volume_m3"], 1, 6)

    def test_a_patch_on_the_floor_bears_the_weight(self):
        """The springs of the floor and those of an obstacle push the bottom face with the weight of the cube."""
        for change in {"floor": 5}, {"obstacles": [{"kind": "plane", "at": [0, 0, 5], "normal": [0, 0, 1]}]}:
            scene = self.scene(damping=20, dt=0.05, integrator="euler", newton_relative=1e-8, **change)
            last = self.table("record", scene, f"patch_force:{BOTTOM},patch_push:{BOTTOM}", "--frames", "81", "--fps",
                              "20")[-1]
            self.assertAlmostEqual(last[f"patch_force:{BOTTOM}_z_N"] / (MASS * GRAVITY), 1, 4)
            self.assertAlmostEqual(last[f"patch_push:{BOTTOM}_N"] / (MASS * GRAVITY), 1, 4)

    def test_a_cube_at_rest_on_another_one(self):
        """The lower cube pushes the upper one with its weight, and the upper one pushes the lower one with the opposite
        force. The contact force on a patch that has the whole bottom of the upper cube is the same."""
        box = {"kind": "box", "cells": 2}
        bodies = [{"name": "low", "shape": {**box, "size": [1, 1, 0.5]}, "place": [0, 0, 0.002]},
                  {"name": "top", "shape": {**box, "size": [0.6, 0.6, 0.6]}, "place": [0, 0, 0.505]}]
        scene = self.scene(shapes=None, bodies=bodies, floor=0, self_contact=True, contact_distance=0.005, damping=20,
                           dt=0.02, integrator="euler", newton_relative=1e-8, young=1e6)
        patch = "0/0/0.3/0.48/top"
        rows = self.table("record", scene, "contact_force:top/low,contact_force:low/top,contact_magnitude:low/top,"
                          f"contact_distance:top/low,contact_distance:low/top,contact_distance:floor/low,"
                          f"patch_force:{patch},patch_area:{patch}", "--frames", "61", "--fps", "50")
        first, last = rows[0], rows[-1]
        self.assertAlmostEqual(first["contact_distance:top/low_m"], 0.003, 12)  # 0.505 - 0.002 - 0.5
        self.assertAlmostEqual(first["contact_distance:floor/low_m"], 0.002, 12)
        self.assertAlmostEqual(last[f"patch_area:{patch}_m2"], 0.36, 12)
        weight = 0.6 ** 3 * 1000 * GRAVITY
        self.assertAlmostEqual(last["contact_force:top/low_z_N"] / weight, 1, 5)
        self.assertAlmostEqual(last["contact_magnitude:low/top_N"] / weight, 1, 5)
        for axis in "xyz":
            self.assertEqual(last[f"contact_force:top/low_{axis}_N"], -last[f"contact_force:low/top_{axis}_N"])
            self.assertAlmostEqual(last[f"patch_force:{patch}_{axis}_N"], last[f"contact_force:top/low_{axis}_N"], 6)
        for row in rows:
            self.assertAlmostEqual(row["contact_distance:top/low_m"], row["contact_distance:low/top_m"], 12)
        self.assertTrue(0 < last["contact_distance:top/low_m"] < 0.005)

    def test_distance_of_crossed_edges(self):
        """One box has a long edge at its top, the other one at its bottom. The edges cross at right angles, far from
        all corners."""
        gap, edges = 0.0625, 0.5 * 2 ** 0.5  # m; m, distance between the top edge and the bottom edge of a box
        long = {"kind": "box", "cells": 1}
        bodies = [{"name": "low", "shape": {**long, "size": [4, 0.5, 0.5]},
                   "turn": {"axis": [1, 0, 0], "degrees": 45}},
                  {"name": "top", "shape": {**long, "size": [0.5, 4, 0.5]},
                   "turn": {"axis": [0, 1, 0], "degrees": 45}, "place": [0.3, 0.1, edges + gap]}]
        row = self.record(self.scene(shapes=None, bodies=bodies), "contact_distance:0/top", frames=1)[0]
        self.assertAlmostEqual(row["contact_distance:0/top_m"], gap, 12)

    def test_wrong_patches_and_pairs_are_refused(self):
        scene, words = self.scene(), ["--frames", "2", "--probe-file", "p.csv", "--probe"]
        for name, *fragments in (("patch_force:9/9/9/0.1", "contains no whole face", "larger radius"),
                                 ("patch_force:1/2/3", "1/2/3 is not a patch; expected X/Y/Z/RADIUS"),
                                 ("patch_force:0/0/5/-1", "radius of a patch must be more than 0"),
                                 ("patch_force:0/0/5/2/ball", "ball is no body of the scene"),
                                 ("patch_force:left", "there is no region left"),
                                 ("contact_distance:0/0", "0/0 has no distance")):
            self.fails(["record", scene, *words, name], *fragments)

    def test_curves_of_a_saved_scene_name_the_same_nodes_and_entries(self):
        """The first pin pulls its end of a bar off. The saved scene has other node numbers, and no first pin. Its
        curves must have the values of the first scene's curves, and a notice names those without a value."""
        scene = self.scene(shapes={"kind": "box", "size": [1, 0.3, 0.3], "cells": 3}, gravity=[0, 0, 0], dt=1 / 60,
                           tear_stress=3e3,
                           pins=[{"x": [None, -0.499], "path": [[0, 0, 0, 0], [0.1, -0.3, 0, 0]]},
                                 {"name": "right", "x": [0.4, None]}, {"x": [0.499, None], "axes": "y"}],
                           drags=[{"grab": {"x": [None, -0.499]}, "path": [[0.1, 0, 0, 0], [0.2, 0, 0, 0]]},
                                  {"grab": {"x": [-0.01, 0.11]}, "stiffness": 9, "path": [[0, 0, 0, 0], [9, 1, 0, 0]]}],
                           curves=["position:170", "position:1", "reaction:2", "reaction:1", "reaction:right",
                                   "patch_area:pins/1", "centre:pins/3", "centre:drags/1", "drag_force:2",
                                   "patch_area:-0.5/0/0/0.3", "patch_area:0.5/0/0/0.3", "patch_displacement:drags/2"])
        done = self.run_it("record", scene, "--frames", "5", "--fps", "20", "--probe-file", "a.csv", "--save-scene",
                           "saved.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("saved.json: key \"curves\" leaves out position:1,reaction:1,patch_area:pins/1,centre:drags/1,"
                      "patch_area:-0.5/0/0/0.3: the cut body has no such", done.stderr)
        done = self.run_it("record", "saved.json", "--frames", "1", "--probe-file", "b.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("a.csv")) as before, open(self.path("b.csv")) as after:
            (titled, *_, expected), (titles, got) = csv.reader(before), csv.reader(after)
        with open(self.path("saved.json")) as file:
            named = json.load(file)["curves"]
        self.assertNotEqual(named[0], "position:170")  # the number of this node has changed
        self.assertEqual(named[1:], ["reaction:1", "reaction:right", "centre:pins/2", "drag_force:1",
                                     "patch_area:0.5/0/0/0.3", "patch_displacement:drags/1"])
        lost = re.compile(r"(position|reaction):1_|patch_area:(pins|-)|centre:drags")
        values = [value for title, value in zip(titled, expected) if not lost.match(title)]
        self.assertEqual(len(got), len(values))
        for title, one, other in zip(titles, got, values):
            self.assertAlmostEqual(float(one), float(other), 6, title)

    def test_curves_of_the_command_line_are_in_the_table(self):
        """The table also has all bits of the time and of the factor of the load."""
        scene = self.scene(pins=[{"z": [None, 5.1]}], dt=1 / 60)
        curves = ["--curves", '["volume", "position:3"]', "--probe-file", "p.csv"]
        for second, *command in ((1 / 60, "record", "--frames", "2", "--fps", "60"),
                                 (1 / 60, "bench", "--steps", "1", "--repeat", "0"),
                                 (1 / 3, "solve", "--increments", "3")):
            done = self.run_it(*command, scene, *curves)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(self.path("p.csv")) as file:
                titles, _, row, *_ = csv.reader(file)
            self.assertEqual(titles[2:4], ["volume_m3", "position:3_x_m"])
            self.assertEqual(float(row[1]), second)

    def test_a_wrong_curve_of_the_scene_is_reported_as_such(self):
        self.fails(["record", self.scene(curves=["kinetic", "position:999"]), "--probe-file", "p.csv"],
                   'key "curves": position:999', "no node 999")


if __name__ == "__main__":
    unittest.main()

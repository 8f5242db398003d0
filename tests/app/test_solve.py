#!/usr/bin/env python3
"""Tests `pliant solve`, which computes equilibria: reactions of pins must balance the load, moved pins must stretch the
body, and unsuitable scenes must be refused.

usage: test_solve.py PLIANT
"""
import json
import math
import os
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402
from programs import skip_sanitized  # noqa: E402

PLIANT = sys.argv.pop(1)
SKIP_SANITIZED = skip_sanitized(PLIANT)
ASSETS = os.environ["PLIANT_ASSETS"]
BALL = os.path.join(ASSETS, "meshes", "sphere_305.msh")


class Solve(InFolder):
    def solve(self, scene, *words, mesh=BALL):
        path, out = (os.path.join(self.folder.name, name) for name in ("scene.json", "out.json"))
        with open(path, "w") as file:
            json.dump({**({"mesh": mesh} if mesh else {}), "device": "cpu", "precision": "double", "young": 1e4,
                       "poisson": 0.3, "density": 1000, **scene}, file)
        done = subprocess.run([PLIANT, "solve", path, "--json", out, *words], capture_output=True, text=True,
                              timeout=300)
        answer = None
        if os.path.exists(out):
            with open(out) as file:
                answer = json.load(file)
        return done.returncode, done.stderr, answer

    def bounds(self, mesh=BALL):
        out = subprocess.run([PLIANT, "info", mesh], capture_output=True, text=True, check=True).stdout
        line = next(line for line in out.splitlines() if line.startswith("bounds"))
        low, high = json.loads(line.removesuffix(" m").split("x")[-1])
        return low, high, next(float(line.split()[1]) for line in out.splitlines() if line.startswith("volume"))

    def test_pins_bear_the_weight(self):
        low, high, volume = self.bounds()
        code, err, answer = self.solve({"pins": [{"z": [None, low + 0.2 * (high - low)]}], "gravity": [0, 0, -0.05]})
        self.assertEqual(code, 0, err)
        self.assertEqual(answer["factor"], 1)
        force = answer["pins"][0]["force_N"]
        self.assertAlmostEqual(force[2] / (0.05 * 1000 * volume), 1, delta=1e-4)
        self.assertLess(abs(force[0]) + abs(force[1]), 1e-4 * force[2])

    def test_moved_pins_pull_each_other(self):
        low, high, _ = self.bounds()
        step = 0.15 * (high - low)
        code, err, answer = self.solve({"pins": [{"z": [None, low + step]},
                                                 {"z": [high - step, None], "axes": "z", "move": [0, 0, 2 * step]}]})
        self.assertEqual(code, 0, err)
        lower, upper = (pin["force_N"] for pin in answer["pins"])
        self.assertGreater(upper[2], 0)
        self.assertAlmostEqual(lower[2] / upper[2], -1, delta=1e-3)
        self.assertEqual(upper[:2], [0, 0])  # the pins leave x and y free, so these reactions are 0

    def test_a_pulled_cube_without_lateral_contraction(self):
        # with Poisson's ratio 0, all free nodes have forces of 0 up to rounding
        cube = {"kind": "box", "size": [1, 1, 1], "cells": 2}
        pins = [{"x": [None, -0.499], "axes": "x"}, {"x": [0.499, None], "axes": "x", "move": [0.3, 0, 0]},
                {"y": [None, -0.499], "axes": "y"}, {"z": [None, 0.001], "axes": "z"}]
        for precision in ("float", "double"):
            code, err, answer = self.solve({"shapes": [cube], "poisson": 0, "gravity": [0, 0, 0], "pins": pins,
                                            "precision": precision}, mesh=None)
            self.assertEqual(code, 0, err)
            # neo-Hookean material with lambda = 0: P = mu (F - 1/F)
            self.assertAlmostEqual(answer["pins"][1]["force_N"][0], 5e3 * (1.3 - 1 / 1.3), delta=0.02)

    def test_friction_holds_a_block_that_is_exactly_on_the_floor(self):
        block = {"kind": "box", "size": [0.4, 0.2, 0.1], "cells": 2}
        plane = {"kind": "plane", "at": [0, 0, 0], "normal": [0, 0, 1], "friction": 0.5}
        box = {"kind": "box", "at": [0, 0, -0.1], "size": [2, 2, 0.2], "friction": 0.5}
        for ground in ({"floor": 0, "friction": 0.5}, {"obstacles": [plane]}, {"obstacles": [box]}):
            table = os.path.join(self.folder.name, "p.csv")
            scene = {"shapes": [block], "young": 1e6, "gravity": [2.5, 0, -9.5], **ground}
            code, err, _ = self.solve(scene, "--probe", "contact_push", "--probe-file", table, mesh=None)
            self.assertEqual(code, 0, err)
            with open(table) as file:
                push = float(file.read().splitlines()[-1].split(",")[-1])
            self.assertAlmostEqual(push, 8 * 9.5, delta=1e-3)

    def test_without_an_equilibrium_the_last_one_is_kept(self):
        ball = os.path.join(ASSETS, "meshes", "sphere_63.msh")
        low, high, _ = self.bounds(ball)
        size = high - low
        code, err, answer = self.solve({"pins": [{"z": [None, low + 0.1 * size]},
                                                 {"z": [high - 0.1 * size, None], "move": [0, 0, -1.2 * size]}]},
                                       "--newton-max", "8", mesh=ball)
        self.assertEqual(code, 1)
        self.assertIn("no equilibrium found beyond", err)
        self.assertLess(answer["factor"], 1)
        self.assertEqual(answer["factor"], answer["increments"][-1]["factor"])

    def test_the_last_equilibrium_is_kept_after_an_interrupt(self):
        pull = {"pins": [{"z": [None, 0.01]}], "forces": [{"region": {"z": [0.99, None]}, "total": [0, 0, 100]}],
                "shapes": [{"kind": "box", "size": [1, 1, 1], "cells": 4}], "young": 1e4, "density": 1000,
                "device": "cpu", "precision": "double"}
        with open(self.path("scene.json"), "w") as file:
            json.dump(pull, file)
        for words in ([], ["--arc-length"]):
            command = [os.path.abspath(PLIANT), "solve", "scene.json", "--increments", "90000", "--json", "out.json",
                       "--state", "out.npz", "--probe", "elastic", "--probe-file", "out.csv", *words]
            running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                       cwd=self.folder.name)
            for _ in range(12):
                running.stdout.readline()
            running.send_signal(signal.SIGINT)
            running.send_signal(signal.SIGINT)  # as `timeout` does; both are one request
            _, err = running.communicate(timeout=60)
            if "is not available" in err:
                self.skipTest(err)
            self.assertEqual(running.returncode, 1)
            self.assertEqual(err.splitlines()[-1], "pliant: interrupted by Ctrl-C (signal 2)")
            with open(self.path("out.json")) as file:
                answer = json.load(file)
            with open(self.path("out.csv")) as file:
                rows = [[float(value) for value in line.split(",")] for line in file.readlines()[1:]]
            self.assertEqual(len(rows), 1 + len(answer["increments"]))
            self.assertEqual(answer["factor"], answer["increments"][-1]["factor"])
            self.assertAlmostEqual(answer["elastic_J"] / rows[-1][-1], 1, delta=1e-9)
            self.assertAlmostEqual(answer["pins"][0]["force_N"][2] / (-100 * answer["factor"]), 1, delta=1e-3)
            self.assertTrue(os.path.exists(self.path("out.npz")))
            for name in ("out.json", "out.csv", "out.npz"):
                os.remove(self.path(name))

    def test_a_mesh_alone_bears_its_own_weight_in_any_size(self):
        low, high, _ = self.bounds()
        out = os.path.join(self.folder.name, "bare.json")
        for scale in (1e-3, 1, 1e3):
            done = subprocess.run([PLIANT, "solve", BALL, "--device", "cpu", "--gravity", "0,0,-9.81",
                                   "--scale", str(scale), "--increments", "2", "--json", out], capture_output=True,
                                  text=True, timeout=300)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(out) as file:
                self.assertLess(json.load(file)["largest_displacement_m"], 0.3 * scale * (high - low), scale)
            # A mesh without options has no gravity, but its default material must be stiff enough for gravity on Earth.
            done = subprocess.run([PLIANT, "bench", BALL, "--device", "cpu", "--steps", "1", "--repeat", "1",
                                   "--scale", str(scale)],
                                  capture_output=True, text=True, timeout=300)
            young = float(done.stderr.split("Young's modulus ")[1].split()[0])
            self.assertGreater(young, 20 * 1000 * 9.81 * scale * (high - low))

    @SKIP_SANITIZED
    def test_arc_length_finds_the_same_equilibrium(self):
        beam = {"shapes": [{"kind": "box", "size": [2, 0.2, 0.2], "cells": 1, "at": [1, 0, 0]}],
                "degree": 2, "pins": [{"x": [None, 1e-6]}]}
        for force in [{"region": {"x": [1.999, None]}, "total": [0, 0, 0.5]},
                      {"region": {"z": [None, 0.001]}, "pressure": 2}]:
            beam["forces"] = [force]
            code, err, answer = self.solve(beam, mesh=None)
            self.assertEqual(code, 0, err)
            code, err, arc = self.solve(beam, "--arc-length", mesh=None)
            if "is not available" in err:
                self.skipTest(err)
            self.assertEqual(code, 0, err)
            self.assertEqual((arc["factor"], arc["limit_points"]), (1, 0))
            self.assertAlmostEqual(arc["largest_displacement_m"] / answer["largest_displacement_m"], 1, delta=1e-5)
            for one, other in zip(arc["pins"][0]["force_N"], answer["pins"][0]["force_N"]):
                self.assertAlmostEqual(one, other, delta=1e-5)
        code, err, _ = self.solve({**beam, "precision": "float"}, "--arc-length", mesh=None)
        self.assertEqual(code, 1)
        self.assertIn("--arc-length needs precision double", err)

    def test_floats_are_warned_of_for_slender_bodies_alone(self):
        for length, cells, warned in ((4, 1, True), (0.5, 1, False), (0.5, 5, False), (1, 2, False)):
            scene = {"shapes": [{"kind": "box", "size": [length, 0.1, 0.1], "cells": cells, "at": [length / 2, 0, 0]}],
                     "pins": [{"x": [None, 1e-6]}], "precision": "float"}
            code, err, _ = self.solve(scene, "--increments", "1", mesh=None)
            self.assertEqual(code, 0, err)
            info = subprocess.run([PLIANT, "info", BALL, "--all"], capture_output=True, text=True, timeout=100).stdout
            if "cholmod" in info:
                self.assertEqual("precision float may not resolve its bending" in err, warned, err)

    def squeezed(self, then, cells=2, **pin):
        """Returns a scene in which two plates squeeze a block of 1 kg, which has no pins. After the squeeze, the plates
        follow the path points that then(-1) returns for the left plate and then(1) for the right one. `cells`: number
        of cells along the shortest side of a body."""
        def plate(sign):
            path = [[0, 0, 0, 0], [1, -sign * 0.004, 0, 0], *then(sign)]
            return {"shape": {"kind": "box", "size": [0.05, 0.1, 0.1], "cells": cells}, "place": [sign * 0.0751, 0, 0],
                    "pins": [{"x": [0.0999, None] if sign > 0 else [None, -0.0999], "path": path, **pin}]}
        block = {"shape": {"kind": "box", "size": [0.1, 0.1, 0.1], "cells": cells}}
        return {"bodies": [plate(-1), block, plate(1)], "young": 1e5, "self_contact": True, "friction": 0.4}

    @SKIP_SANITIZED
    def test_friction_lifts_a_block(self):
        def lifted(sign):
            return [[2, -sign * 0.004, 0, 0.05]]
        scene = self.squeezed(lifted)
        code, err, answer = self.solve({**scene, "gravity": [0, 0, -2]}, "--increments", "8", mesh=None)
        self.assertEqual(code, 0, err)
        left, right = (pin["force_N"] for pin in answer["pins"])
        self.assertAlmostEqual(left[2] + right[2], 2 * 2, delta=1e-3)  # all bodies together weigh 2 kg
        self.assertAlmostEqual(left[0], -right[0], delta=1e-3)
        self.assertGreater(left[0], 30)  # a squeeze of the three bodies by 4 % of their length takes some 40 N
        # With this load friction cannot hold the block. The search for the largest load that it can hold takes ten
        # times as long as one equilibrium, so this scene has larger cells.
        heavy = {**self.squeezed(lifted, cells=1), "gravity": [0, 0, -80]}
        code, err, answer = self.solve(heavy, "--increments", "4", mesh=None)
        self.assertEqual(code, 1)
        self.assertRegex(err, r"no equilibrium found beyond 0\.\d+ times the full load: friction has reached its "
                              r"limit, \S+ N, and nothing else holds the body")
        code, err, _ = self.solve({**scene, "friction": 0}, mesh=None)
        self.assertEqual(code, 1)
        self.assertIn("bodies[1] has no pins; pin at least one region, or let friction hold the body", err)

    @SKIP_SANITIZED
    def test_friction_turns_with_the_bodies(self):
        # The plates shear the block along z. Then plates and block turn together by 90 degrees about x. The friction
        # force must turn with them, from z to -y.
        def turned(sign):
            angles = [math.radians(7.5 * k) for k in range(13)]
            return [[2 + k / 6, -sign * 0.004, -sign * 0.003 * math.sin(a), sign * 0.003 * math.cos(a)]
                    for k, a in enumerate(angles)]
        spin = {"axis": [1, 0, 0], "about": [0, 0, 0.05], "angles": [[0, 0], [2, 0], [4, 90]]}
        scene = {**self.squeezed(turned, spin=spin), "gravity": [0, 0, 0]}
        before, after = (self.solve(scene, "--increments", "12", "--time", time, mesh=None) for time in ("2", "4"))
        for code, err, _ in (before, after):
            self.assertEqual(code, 0, err)
        first, last = (answer["pins"][0]["force_N"] for _, _, answer in (before, after))
        self.assertLess(first[2], -5)
        for one, other in zip(last, (first[0], -first[2], first[1])):
            self.assertAlmostEqual(one, other, delta=0.01 * abs(first[2]))
        self.assertAlmostEqual(after[2]["elastic_J"] / before[2]["elastic_J"], 1, delta=1e-4)

    def test_bad_scenes(self):
        low, high, _ = self.bounds()
        pin = {"z": [None, 0.5 * (low + high)]}
        for scene, fragment in [({}, "the body has no pins"),
                                ({"pins": [{**pin, "axes": "q"}]}, '"axes" must name'),
                                ({"pins": [{**pin, "axes": ""}]}, '"axes" must name'),
                                ({"pins": [{**pin, "axes": "xx"}]}, '"axes" must name'),
                                ({"pins": [{**pin, "move": [1, 2]}]}, "pins"),
                                ({"pins": [pin],
                                  "forces": [{"region": {"center": "+z", "radius": 1e-6}, "pressure": 1}]},
                                 "forces entry 1 has a pressure, but no surface face"),
                                ({"pins": [pin],
                                  "forces": [{"region": {"z": [999, None]}, "total": [1, 0, 0],
                                              "over_time": [[0, 1], [1, 0]]}]},
                                 "forces entry 1 does not act: its last factor"),
                                ({"pins": [pin], "drags": [{"grab": {"center": "+z", "radius": 1},
                                                            "path": [[0, 0, 0, 0], [1, 0, 0, 1]]}]},
                                 "does not support drags"),
                                ({"pins": [pin], "obstacles": [{"kind": "plane", "at": [0, 0, -9], "normal": [0, 0, 1],
                                                                "path": [[0, 0, 0, 0], [1, 0, 0, 1]]}]},
                                 "does not move obstacles")]:
            code, err, answer = self.solve(scene)
            self.assertGreater(code, 0, scene)
            self.assertIn(fragment, err)
            self.assertIsNone(answer)

    def test_moving_pins_are_for_solve_alone(self):
        path = os.path.join(self.folder.name, "scene.json")
        with open(path, "w") as file:
            json.dump({"mesh": BALL, "device": "cpu", "pins": [{"z": [None, 0], "move": [0, 0, 1]}]}, file)
        done = subprocess.run([PLIANT, "bench", path], capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, 1)
        self.assertIn("only `pliant solve` supports", done.stderr)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Loads of a scene: totals are shared by area or volume, tractions act per area, factors follow the time.

usage: test_loads.py PLIANT

All closed forms are of a bar of 1 x 0.2 x 0.2 m that is pulled along x. Its stress is uniform, and finite elements of
any degree contain the solution, on any mesh. So the errors are those of the solver.
"""
import itertools
import json
import math
import os
import random
import struct
import subprocess
import sys
import unittest
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402

PLIANT = sys.argv.pop(1)
SIZE, CELLS = (1, 0.2, 0.2), (5, 2, 2)
YOUNG, POISSON, DENSITY = 1e6, 0.3, 1000
KUHN = [(0, *pair, 7) for pair in ((1, 3), (3, 2), (2, 6), (6, 4), (4, 5), (5, 1))]
END = {"x": [1 - 1e-6, None]}
# the symmetry planes of the bar
PINS = [{axis: [None, 1e-6], "axes": axis} for axis in "xyz"]


def write_bar(path, hexes, jitter):
    """Writes a bar as Gmsh 2.2. `jitter`: by how much nodes move, in cells, on sides within them."""
    points = list(itertools.product(*(range(n + 1) for n in CELLS)))
    number = {point: k + 1 for k, point in enumerate(points)}
    chance = random.Random(5)
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(points))]
    for point in points:
        X = [(i + (chance.uniform(-jitter, jitter) if 0 < i < n else 0)) * size / n
             for i, n, size in zip(point, CELLS, SIZE)]
        lines.append(" ".join(map(repr, (number[point], *X))))
    cells = []
    for low in itertools.product(*map(range, CELLS)):
        corner = [number[tuple(a + (c >> i & 1) for i, a in enumerate(low))] for c in range(8)]
        if hexes:
            cells.append(("5 0", *(corner[k] for k in (0, 1, 3, 2, 4, 5, 7, 6))))
        else:
            cells += [("4 0", *(corner[k] for k in tet)) for tet in KUHN]
    lines += ["$EndNodes", "$Elements", str(len(cells))]
    lines += [" ".join(map(str, (k + 1, *cell))) for k, cell in enumerate(cells)]
    with open(path, "w") as file:
        file.write("\n".join(lines + ["$EndElements", ""]))


def read_points(path, name):
    """Reads an array [][3] of doubles from a state."""
    with zipfile.ZipFile(path) as archive:
        data = archive.read(name + ".npy")
    start = 10 + struct.unpack("<H", data[8:10])[0]
    values = struct.unpack(f"<{(len(data) - start) // 8}d", data[start:])
    return [values[k:k + 3] for k in range(0, len(values), 3)]


def stretches(stress):
    """Stretches along and across a neo-Hookean bar under a nominal stress along it, by Newton's method."""
    mu, lame = YOUNG / (2 + 2 * POISSON), YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON))

    def residual(a, b):
        inner = lame * math.log(a * b * b) - mu
        return mu * a + inner / a - stress, mu * b + inner / b
    a = b = 1.0
    for _ in range(50):
        h = 1e-7
        r, ra, rb = residual(a, b), residual(a + h, b), residual(a, b + h)
        J = [[(ra[i] - r[i]) / h, (rb[i] - r[i]) / h] for i in range(2)]
        det = J[0][0] * J[1][1] - J[0][1] * J[1][0]
        a -= (r[0] * J[1][1] - r[1] * J[0][1]) / det
        b -= (r[1] * J[0][0] - r[0] * J[1][0]) / det
    return a, b


class Loads(InFolder):
    def path(self, name):
        return os.path.join(self.folder.name, name)

    def run_pliant(self, command, scene, *words):
        with open(self.path("scene.json"), "w") as file:
            json.dump({"device": "cpu", "precision": "double", "young": YOUNG, "poisson": POISSON, "density": DENSITY,
                       "gravity": [0, 0, 0], "newton_relative": 1e-11, "cg_relative": 1e-10, **scene}, file)
        return subprocess.run([PLIANT, command, self.path("scene.json"), *words], capture_output=True, text=True,
                              timeout=300)

    def pulled(self, force, degree=1, hexes=False, jitter=0.3):
        """Positions at rest and in equilibrium of the bar under a force on its end."""
        write_bar(self.path("bar.msh"), hexes, jitter)
        scene = {"mesh": "bar.msh", "degree": degree, "pins": PINS, "forces": [{"region": END, **force}]}
        done = self.run_pliant("solve", scene, "--increments", "1", "--state", self.path("state.npz"))
        self.assertEqual(done.returncode, 0, done.stderr)
        return read_points(self.path("state.npz"), "positions")

    def test_an_axial_pull_is_straight(self):
        stress = 2e5
        along, across = stretches(stress)
        total = [stress * 0.04, 0, 0]
        for force in ({"total": total}, {"total": total, "share": "area"}, {"traction": [stress, 0, 0]}):
            for degree, hexes in ((1, False), (2, False), (1, True)):
                x = self.pulled(force, degree, hexes)
                far = [max(point[i] for point in x) for i in range(3)]
                for i, expected in enumerate((along, 0.2 * across, 0.2 * across)):
                    self.assertAlmostEqual(far[i], expected, delta=1e-8, msg=(force, degree, hexes))
                ends = [point[0] for point in x if point[0] > along - 0.05]
                self.assertAlmostEqual(min(ends), along, delta=1e-8, msg=(force, degree, hexes))

    def test_a_total_inside_acts_as_a_weight(self):
        write_bar(self.path("bar.msh"), False, 0.3)
        weight = 0.04 * DENSITY * 200
        for degree in (1, 2):
            answers = []
            for load in ({"gravity": [200, 0, 0]}, {"forces": [{"region": {"x": [None, 2]}, "total": [weight, 0, 0]}]}):
                done = self.run_pliant("solve", {"mesh": "bar.msh", "degree": degree, "pins": PINS, **load},
                                       "--increments", "1", "--state", self.path("state.npz"))
                self.assertEqual(done.returncode, 0, done.stderr)
                answers.append(read_points(self.path("state.npz"), "positions"))
            error = max(abs(a - b) for one, other in zip(*answers) for a, b in zip(one, other))
            self.assertLess(error, 1e-9)
            self.assertGreater(max(x[0] for x in answers[0]), 1.01)

    def test_a_factor_follows_the_time(self):
        # a free bar gains the momentum F times the integral of the factor, 0.25 s here
        write_bar(self.path("bar.msh"), False, 0)
        factor = [[0.1, 0], [0.2, 1], [0.3, 1], [0.5, 0.5], [0.5000001, 0]]
        for integrator, error in (("midpoint", 1e-6), ("euler", 1e-6)):
            scene = {"mesh": "bar.msh", "dt": 0.01, "integrator": integrator,
                     "forces": [{"region": END, "traction": [0, 0, 2500], "over_time": factor}]}
            done = self.run_pliant("bench", scene, "--steps", "60", "--repeat", "0", "--state", self.path("state.npz"))
            self.assertEqual(done.returncode, 0, done.stderr)
            momentum = [sum(p) for p in zip(*read_points(self.path("state.npz"), "momenta"))]
            exact = 100 * (0.05 + 0.1 + 0.15)
            # Euler sums the factors at the ends of steps: the drop at 0.5 s is that of one step more
            exact += 0 if integrator == "midpoint" else 100 * 0.01 * 0.25
            self.assertAlmostEqual(momentum[2] / exact, 1, delta=error)
            self.assertLess(abs(momentum[0]) + abs(momentum[1]), 1e-6 * exact)


if __name__ == "__main__":
    unittest.main()

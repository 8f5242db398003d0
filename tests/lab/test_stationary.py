#!/usr/bin/env python3
"""Tests `pliant-lab solve`, which solves stationary problems on grids and mesh files: its results and error messages.

usage: test_stationary.py PLIANT
"""
import json
import math
import os
import shutil
import struct
import subprocess
import sys
import unittest
from unittest import mock

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402
from programs import program_of  # noqa: E402

PLIANT = os.path.abspath(sys.argv.pop(1))


def run(*words, **more):
    program = PLIANT if words[0] == "solve" else program_of(PLIANT, words)
    return subprocess.run([program, *words], capture_output=True, text=True, timeout=100, **more)


class Steady(InFolder):
    def solve(self, *words):
        done = run("solve", *words, "--json", self.path("s.json"))
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("s.json")) as file:
            return json.load(file)

    def test_errors_are_those_computed_elsewhere(self):
        told = self.solve("poisson", "square", "--cells", "96", "--load", "points", "--source",
                          "2*pi^2*sin(pi*x)*sin(pi*y)/(2*pi^2)", "--exact", "sin(pi*x)*sin(pi*y)/(2*pi^2)")
        # An independent program computed these numbers, which test_stationary.c uses too.
        self.assertAlmostEqual(told["L2_error"] / 2.674693e-6, 1, delta=1e-3)
        self.assertAlmostEqual(told["H1_error"] / 1.063137e-3, 1, delta=1e-4)
        self.assertEqual((told["unknowns"], told["free"]), (97 ** 2, 95 ** 2))

    def test_files_and_grids_are_one(self):
        for kind, words in (("square", ["--shape", "triangle"]), ("square", ["--shape", "quad"]), ("cube", [])):
            mesh, words = self.path("m.msh"), [*words, "--cells", "5", "--distort", "0.1"]
            self.assertEqual(run("make", kind, *words, "-o", mesh).returncode, 0)
            grid, file = self.solve("poisson", kind, *words), self.solve("poisson", mesh)
            for key in ("nodes", "cells", "element", "iterations", "largest"):
                self.assertEqual(grid[key], file[key], (kind, words, key))

    def test_natural_boundary_conditions(self):
        # The exact solution is phi = x + 2 y. Its values are prescribed on the left side, its flux on the other sides.
        told = self.solve("poisson", "square", "--cells", "6", "--distort", "0.2", "--source", "0", "--exact", "x+2*y",
                          "--held", "x < 0.001", "--flux", "(x > 0.999) + 2*(y > 0.999) - 2*(y < 0.001)")
        self.assertLess(told["L2_error"], 1e-9)

    def square(self, name, version=22, binary=False, n=4, groups=True):
        """Writes a square of n x n quads as a Gmsh file of version 2.2 or 4.1. Its physical groups are left, right,
        "the top" and 7 (without a name) for the four sides, and "corner" for a node."""
        def node(i, j):
            return 1 + i + (n + 1) * j

        def line(side, k):
            return [(node(0, k), node(0, k + 1)), (node(n, k + 1), node(n, k)), (node(k, n), node(k + 1, n)),
                    (node(k, 0), node(k + 1, 0))][side]
        names = [(1, 1, "left"), (1, 2, "right"), (1, 3, "the top"), (0, 1, "corner"), (2, 9, "inside")]
        points = [(i / n, j / n, 0.0) for j in range(n + 1) for i in range(n + 1)]
        # elements of the file as a list of (dimension, group, Gmsh's element type, nodes of each element)
        blocks = [(0, 1, 15, [(node(0, 0),)])]
        blocks += [(1, group, 1, [line(side, k) for k in range(n)]) for side, group in enumerate((1, 2, 3, 7))]
        blocks += [(2, 9, 3, [(node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1))
                              for j in range(n) for i in range(n)])]
        count = sum(len(block[3]) for block in blocks)
        with open(self.path(name), "wb") as f:
            def put(text):
                f.write(text.encode())
            put(f"$MeshFormat\n{version / 10} {int(binary)} 8\n")
            f.write(struct.pack("<i", 1) + b"\n" if binary else b"")
            put("$EndMeshFormat\n")
            if groups:
                put(f"$PhysicalNames\n{len(names)}\n")
                for dimension, group, word in names:
                    put(f"{dimension} {group} \"{word}\"\n")
                put("$EndPhysicalNames\n")
            if version == 22:
                put(f"$Nodes\n{len(points)}\n")
                for k, x in enumerate(points):
                    f.write(struct.pack("<i3d", k + 1, *x) if binary else f"{k + 1} {x[0]} {x[1]} {x[2]}\n".encode())
                put(f"\n$EndNodes\n$Elements\n{count}\n" if binary else f"$EndNodes\n$Elements\n{count}\n")
                tag = 0
                for dimension, group, kind, elements in blocks:
                    if binary:
                        f.write(struct.pack("<3i", kind, len(elements), 2))
                    for element in elements:
                        tag += 1
                        row = [tag, *([] if binary else [kind, 2]), group if groups else 0, 1, *element]
                        f.write(struct.pack(f"<{len(row)}i", *row) if binary else
                                (" ".join(map(str, row)) + "\n").encode())
                put("\n$EndElements\n" if binary else "$EndElements\n")
                return self.path(name)

            def ints(form, *numbers):
                f.write(struct.pack("<" + form, *numbers) if binary else (" ".join(map(str, numbers)) + " ").encode())

            def end(text=""):
                put(text if binary else text + "\n")
            put("$Entities\n")
            sides = [(e, block) for e, block in enumerate(blocks)]
            ints("4Q", 1, 4, 1, 0), end()
            for e, (dimension, group, kind, elements) in sides:
                ints("i", e + 1), ints(f"{6 if dimension else 3}d", *([0.0] * (6 if dimension else 3)))
                # in version 4.1, a negative group number means that the curve is reversed
                ints("Q", int(groups)), ints(*(("i", -group if dimension == 1 else group) if groups else ("",)))
                if dimension:
                    ints("Q", 0)
                end()
            put("\n$EndEntities\n$Nodes\n" if binary else "$EndEntities\n$Nodes\n")
            ints("4Q", 1, len(points), 1, len(points)), end()
            ints("3i", 2, 6, 0), ints("Q", len(points)), end()
            for k in range(len(points)):
                ints("Q", k + 1), end()
            for x in points:
                ints("3d", *x), end()
            put("\n$EndNodes\n$Elements\n" if binary else "$EndNodes\n$Elements\n")
            ints("4Q", len(blocks), count, 1, count), end()
            tag = 0
            for e, (dimension, group, kind, elements) in sides:
                ints("3i", dimension, e + 1, kind), ints("Q", len(elements)), end()
                for element in elements:
                    tag += 1
                    ints(f"{1 + len(element)}Q", tag, *element), end()
            put("\n$EndElements\n" if binary else "$EndElements\n")
        return self.path(name)

    def test_groups_of_a_file_select_parts_of_the_boundary(self):
        # The solution is phi = x + 2 y, with given values on the left and given flux elsewhere. Group 7, the bottom,
        # has no name.
        words = ["--source", "0", "--exact", "x+2*y", "--held", "left", "--flux", 'right + 2*("the top" - "7")']
        for version, binary in ((22, False), (22, True), (41, False), (41, True)):
            told = self.solve("poisson", self.square("g.msh", version, binary), *words)
            self.assertLess(told["L2_error"], 1e-9, (version, binary))
            self.assertEqual(told["free"], 20)
        mesh = self.path("g.msh")
        # Formulas for boundary values may contain groups. The group "corner" has a single node.
        told = self.solve("poisson", mesh, "--source", "0", "--held", "left || right", "--boundary", "3*right")
        self.assertEqual((told["smallest"], told["largest"]), (0, 3))
        self.assertEqual(self.solve("poisson", mesh, "--held", "corner", "--source", "0")["free"], 24)

        def refused(mesh, *words):
            done = run("solve", "poisson", mesh, *words)
            self.assertEqual((done.returncode, done.stdout), (1, ""), words)
            return done.stderr
        for word in ("rihgt", '"rihgt"'):
            self.assertIn('7", corner, left, right, "the top"', refused(mesh, "--flux", word))
        self.assertIn("left is a part of the boundary", refused(mesh, "--source", "left"))
        self.assertIn("the closing quote is missing", refused(mesh, "--held", '"left'))
        self.assertIn("which has none", refused(self.square("n.msh", 41, True, groups=False), "--held", '"left"'))
        self.assertIn("which has none", refused("square", "--held", '"left"'))

    def test_groups_of_a_body_hold_and_load_it(self):
        # A cube of tets is pressed from above. Two of its faces are groups: one is held, the other is loaded.
        mesh = self.path("c.msh")
        self.assertEqual(run("make", "cube", "--shape", "tet", "--cells", "3", "-o", self.path("t.msh")).returncode, 0)
        self.assertEqual(run("convert", self.path("t.msh"), mesh, "--msh-version", "2.2").returncode, 0)
        with open(mesh) as file:
            text = file.read()
        head, nodes = text.split("$Nodes\n")[0], text.split("$Nodes\n")[1].split("$EndNodes")[0].split("\n")[1:-1]
        X = {int(row.split()[0]): [float(x) for x in row.split()[1:]] for row in nodes}
        tets = [row.split() for row in text.split("$Elements\n")[1].split("$EndElements")[0].split("\n")[1:-1]]
        faces = []
        for tet in tets:
            corners = [int(a) for a in tet[-4:]]
            for k in range(4):
                face = corners[:k] + corners[k + 1:]
                for group, z in ((5, 0), (6, 1)):
                    if all(abs(X[a][2] - z) < 1e-9 for a in face):
                        faces.append(f"{len(tets) + len(faces) + 1} 2 2 {group} 1 {' '.join(map(str, face))}")
        with open(mesh, "w") as file:
            file.write(head + "$PhysicalNames\n2\n2 5 \"foot\"\n2 6 \"head\"\n$EndPhysicalNames\n" +
                       "$Nodes\n" + text.split("$Nodes\n")[1].split("$Elements\n")[0] +
                       f"$Elements\n{len(tets) + len(faces)}\n" +
                       "\n".join([" ".join(tet) for tet in tets] + faces) + "\n$EndElements\n")
        words = ["--young", "1e5", "--ratio", "0", "--force", "0,0,0"]
        for load in (["--pressure", "100*head"], ["--traction-z", "-100*head"]):
            told = self.solve("elasticity", mesh, "--held", "foot", *load, *words)
            self.assertAlmostEqual(told["largest"], 1e-3, delta=1e-10)
        told = self.solve("elasticity", mesh, "--held", "foot || head", "--move-z", "-0.002*head", *words)
        self.assertAlmostEqual(told["largest"], 2e-3, delta=1e-12)
        # with quadratic and cubic tets, the nodes on edges and faces of a group belong to it too
        for degree in (2, 3):
            told = self.solve("elasticity", mesh, "--degree", str(degree), "--held", "foot || head", "--move-z",
                              "-0.002*head", *words)
            self.assertAlmostEqual(told["largest"], 2e-3, delta=1e-12)
            self.assertEqual(told["unknowns"] - told["free"], 3 * 2 * (3 * degree + 1) ** 2)

    def test_tets_of_degree_2_and_3_reproduce_polynomials(self):
        # The exact displacement is x^p along x. It causes the force -(lambda + 2 mu) p (p - 1) x^(p - 2).
        modulus = 1e5 * 0.7 / (1.3 * 0.4)  # lambda + 2 mu for Young's modulus 1e5 Pa and Poisson's ratio 0.3
        for degree, force in ((2, f"-2*{modulus}"), (3, f"-6*x*{modulus}")):
            told = self.solve("elasticity", "cube", "--cells", "2", "--degree", str(degree), "--load", "points",
                              "--exact-x", f"x^{degree}", "--force-x", force, "--distort", "0.1")
            name = f"simplex_tet{(10, 20)[degree - 2]}"
            self.assertEqual((told["element"], told["assembly"]), (name, "simplices"))
            self.assertLess(told["L2_error"], 1e-9)
        words = ["--cells", "3", "--degree", "2", "--held", "z < 0.01"]
        told = [self.solve("elasticity", "cube", *words, "--element", name)
                for name in ("simplex_tet10", "tet10_neo_hookean")]
        self.assertAlmostEqual(told[0]["largest"], told[1]["largest"], delta=1e-8 * told[0]["largest"])
        for words, part in ((["--degree", "4"], "at most degree 3"),
                            (["--degree", "2", "--shape", "hex"], "only tets")):
            done = run("solve", "elasticity", "cube", *words)
            self.assertEqual(done.returncode, 1)
            self.assertIn(part, done.stderr)

    def write_field(self, *lines):
        with open(self.path("f.txt"), "w") as file:
            file.write("\n".join(lines) + "\n")
        return self.path("f.txt")

    def test_a_field_gives_values_at_nodes(self):
        # The field is x + 2 y at the 5 x 5 nodes of the square, in reversed order and with a comment line.
        nodes = [(i, j) for j in range(5) for i in range(5)]
        numbers = [f"{1 + k} {i / 4 + 2 * j / 4!r}" for k, (i, j) in enumerate(nodes)]
        field = self.write_field("# node, value", *reversed(numbers))
        grid = ["poisson", "square", "--cells", "4", "--field", field]
        # a source that contains the field must have the effect of the same source without it, with consistent and
        # lumped loads
        for load in ("nodes", "lumped"):
            by_formula = self.solve(*grid[:4], "--source", "3*(x + 2*y) + 1", "--load", load)
            by_field = self.solve(*grid, "--source", "3*field + 1", "--load", load)
            self.assertAlmostEqual(by_field["largest"], by_formula["largest"], delta=1e-12)
        # a field may give boundary values, and occur in the condition of --held
        told = self.solve(*grid, "--source", "0", "--boundary", "field", "--exact", "x+2*y")
        self.assertLess(told["L2_error"], 1e-10)
        self.assertEqual(self.solve(*grid, "--held", "field < 0.01")["free"], 24)
        # with a mesh file, the node numbers of a field are those of this file
        mesh = self.square("g.msh", 41, False)
        told = self.solve("poisson", mesh, "--source", "0", "--held", "left || right", "--boundary", "right*field",
                          "--field", self.write_field(*[f"{1 + k} 7" for k in range(25)]))
        self.assertEqual((told["smallest"], told["largest"]), (0, 7))

        def refused(name, *words):
            self.fails(["poisson", "square", "--cells", "4", "--field", name, *words[:-1]], words[-1])
        refused(self.path("none.txt"), "No such file")
        refused(self.write_field(*numbers[:-1]), "no value for node 25")
        refused(self.write_field(*numbers, "7 1"), "f.txt:26: node 7 has a second value")
        refused(self.write_field(*numbers, "26 1"), "f.txt:26: the mesh has no node 26")
        refused(self.write_field("1 nan"), "f.txt:1")
        refused(self.write_field("1"), "f.txt:1")
        refused(self.path("."), "is a folder")
        field = self.write_field(*numbers)
        refused(field, "--source", "field", "--load", "points", "only at nodes")
        refused(field, "--held", "x < 0.1", "--flux", "field", "--flux: the values of --field exist only at nodes")
        self.fails(["poisson", "square", "--source", "field"], "--source: character 1")
        self.fails(["plate", "square", "--cells", "4", "--field", field, "--boundary", "field"], "give --slope-x")

    def test_a_coefficient_that_differs_from_cell_to_cell(self):
        # Two layers in series have conductivity factors 1 and 3, so phi is 3/4 at their interface. The factor is given
        # by a formula, and then by a field.
        words = ["--source", "0", "--held", "(x < 0.001) + (x > 0.999)", "--boundary", "x > 0.5", "--conductivity", "2"]
        exact = ["--exact", "x < 0.5 ? 1.5*x : 0.75 + 0.5*(x - 0.5)"]
        for shape, cells in (("triangle", 4), ("quad", 4), ("hex", 2), ("tet", 2)):
            domain = "cube" if shape in ("hex", "tet") else "square"
            told = self.solve("poisson", domain, "--shape", shape, "--cells", str(cells), *words, *exact, "--factor",
                              "x < 0.5 ? 1 : 3")
            self.assertLess(told["L2_error"], 1e-9, shape)
        # a plate that is twice as stiff must bend half as far
        once, twice = (self.solve("plate", "square", "--cells", "4", "--factor", f)["largest"] for f in ("1", "2"))
        self.assertAlmostEqual(twice, once / 2, delta=1e-12)
        field = self.write_field(*[f"{1 + k} {k % 5 // 2}" for k in range(25)])
        told = self.solve("poisson", "square", "--cells", "4", *words, *exact, "--field", field, "--factor",
                          "field < 0.9 ? 1 : 3")
        self.assertLess(told["L2_error"], 1e-9)
        self.fails(["poisson", "square", "--factor", "x - 0.5"], "--factor: the formula gives -0.48",
                   " of cell 0, counted from 0;")
        self.fails(["poisson", "square", "--factor", "1/0"], "--factor: the formula gives inf")
        self.fails(["poisson", "square", "--shape", "triangle", "--element", "poisson_tri", "--factor", "2"],
                   "poisson_tri does not support a factor for each cell")
        # an elastic body that is twice as stiff must move half as far: tets, hexahedra, and a plane body
        for domain in (["cube"], ["cube", "--shape", "hex"], ["square"]):
            words = ["elasticity", *domain, "--cells", "2", "--held", "y < 0.001"]
            once, twice = (self.solve(*words, "--factor", f)["largest"] for f in ("1", "2"))
            self.assertAlmostEqual(twice / once, 0.5, delta=1e-9)

    def test_solvers_and_stages_by_name(self):
        for words in (["--solver", "gs"], ["--solver", "jacobi"], ["--matrix", "matrixfree"], ["--assembly", "cpu"],
                      ["--precision", "float", "--relative", "1e-5"]):
            told = self.solve("poisson", "square", "--shape", "triangle", "--cells", "10", *words)
            # phi at the centre of the unit square for -Laplace phi = 1 is 0.0737; the mesh is coarse
            self.assertAlmostEqual(told["largest"], 0.0725, delta=0.002)

    def test_a_plate_and_its_picture(self):
        told = self.solve("plate", "square", "--cells", "8", "--load", "lumped", "-o", self.path("p.vtu"))
        # The largest deflection is that of the centre. The first number is in the table of test_plates.c for this mesh,
        # the second is the exact deflection.
        self.assertAlmostEqual(told["largest"], 0.004033, delta=5e-7)
        with open(self.path("p.vtu"), "rb") as file:
            head = file.read(2000).decode("latin-1")
        self.assertIn('NumberOfPoints="81" NumberOfCells="64"', head)
        self.assertIn('Name="w, w_x, w_y" NumberOfComponents="3"', head)
        clamped = self.solve("plate", "square", "--shape", "triangle", "--cells", "32", "--support", "clamped")
        self.assertAlmostEqual(clamped["largest"], 0.0012653, delta=4e-6)

    def picture(self, *words):
        """Draws a picture of 480 x 320 pixels. Returns its rows of pixels (r, g, b)."""
        path = self.path("p.png")
        done = run("solve", *words, "--picture", path, "--picture-size", "480x320",
                   env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})  # the graphics driver leaks memory
        if "drawing without a window" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        raw = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
                             capture_output=True, check=True).stdout
        self.assertEqual(len(raw), 3 * 480 * 320)
        return [[tuple(raw[3 * (480 * y + x):3 * (480 * y + x) + 3]) for x in range(480)] for y in range(320)]

    @unittest.skipUnless(shutil.which("ffmpeg"), "no ffmpeg")
    def test_pictures(self):
        def is_yellow(rgb):
            return rgb[0] > 150 and rgb[1] > 140 and rgb[2] < 80

        def is_violet(rgb):
            return rgb[2] > 1.3 * rgb[1] and max(rgb) < 120

        # The picture shows the square from above. It must be violet (low values) at the edges and yellow (high values)
        # in the middle. In the second picture, the yellow must be at the source.
        shown = self.picture("poisson", "square", "--degree", "3", "--cells", "6")
        self.assertTrue(is_yellow(shown[160][240]), shown[160][240])
        row = [x > 130 and is_violet(rgb) for x, rgb in enumerate(shown[160])]  # skips the legend on the left
        left, right = row.index(True), 479 - row[::-1].index(True)
        self.assertTrue(130 < left < 210 and abs(left + right - 479) <= 4, (left, right))
        shown = self.picture("poisson", "square", "--source", "(x > 0.6)*(y > 0.6)*(x < 0.8)*(y < 0.8)")
        bright = [(x, y) for y in range(320) for x in range(130, 480) if is_yellow(shown[y][x])]
        self.assertTrue(bright and all(x > 240 and y < 160 for x, y in bright), bright)
        # phi is 0 on the boundary of the body, so only a section shows high values, which are inside
        cube = ["poisson", "cube", "--shape", "hex", "--cells", "6"]
        self.assertTrue(any(is_yellow(rgb) for rgb in self.picture(*cube)[160][130:]))
        whole = self.picture(*cube, "--section", "none")
        self.assertFalse(any(is_yellow(rgb) for row in whole for rgb in row[130:]))
        # With --warp the plate is drawn with its displacements times a factor, so its highest point moves.
        plate = ["plate", "square", "--cells", "8"]
        tops = []
        for warp in ("0", "50"):
            shown = self.picture(*plate, "--warp", warp)
            tops.append(min(y for y in range(320) for x in range(130, 480) if is_yellow(shown[y][x])))
        self.assertNotEqual(*tops)
        self.picture("elasticity", "cube", "--cells", "3", "--held", "z < 0.01", "--wireframe")
        self.picture("elasticity", "square", "--cells", "3", "--held", "y < 0.01")

    def test_a_body_hangs_as_a_bar(self):
        # A body with nu = 0 hangs from its top. In the limit of small tets, its end sinks by rho g L^2 / (2 E).
        off = []
        for cells in ("6", "12"):
            told = self.solve("elasticity", "cube", "--cells", cells, "--held", "z > 0.999", "--young", "1e4",
                              "--ratio", "0", "--force", "0,0,-20", "-o", self.path("b.vtu"))
            off.append(abs(told["largest"] / (20 / (2 * 1e4)) - 1))
        self.assertLess(off[0], 0.06)
        self.assertLess(off[1], 0.6 * off[0])

    def test_tractions_pull_a_bar(self):
        bar = ["elasticity", "cube", "--size", "2,1,1", "--cells", "3", "--ratio", "0", "--young", "1e6", "--force",
               "0,0,0"]
        told = self.solve(*bar, "--held", "x < 0.001", "--traction-x", "1e4*(x > 1.999)*(1 + 0*y)")
        self.assertAlmostEqual(told["largest"], 1e4 / 1e6 * 2, delta=1e-10)  # t L / E
        # A shear traction t on the top gives the displacement t h / G at the height h, which is prescribed on the
        # sides.
        told = self.solve(*bar, "--held", "(z < 0.001) + (x < 0.001) + (x > 1.999) + (y < 0.001) + (y > 0.999)",
                          "--move-x", "0.02*z", "--traction-x", "0.02*5e5*(z > 0.999)")
        self.assertAlmostEqual(told["largest"], 0.02, delta=1e-10)
        told = self.solve(*bar, "--held", "(x < 0.001) + (x > 1.999)", "--move-y", "0.1*(x > 1)", "--move-x", "0.1*x")
        self.assertAlmostEqual(told["largest"], math.hypot(0.2, 0.1), delta=1e-9)

    def test_a_bar_that_is_pulled_grows_thin(self):
        # With symmetry conditions on the planes x, y, z = 0 and a traction t along x, the displacement is (t / E) (x,
        # -nu y, -nu z).
        for shape in ("tet", "hex"):
            told = self.solve("elasticity", "cube", "--shape", shape, "--size", "2,1,1", "--cells", "3", "--distort",
                              "0.2", "--young", "1e6", "--ratio", "0.3", "--force", "0,0,0", "--traction-x",
                              "1e4*(x > 1.999)", "--held-x", "x < 1e-6", "--held-y", "y < 1e-6", "--held-z", "z < 1e-6")
            self.assertAlmostEqual(told["largest"] / (0.01 * math.sqrt(4 + 2 * 0.09)), 1, delta=1e-8)

    def test_pressure_squeezes_a_ball(self):
        # The pressure p acts on the whole surface of a ball of radius R, and supports prevent only rigid motions. The
        # top sinks by 2 R p (1 - 2 nu) / E.
        ball = self.path("ball.msh")
        self.assertEqual(run("make", "sphere", "--size", "1,1,1", "--cells", "8", "-o", ball).returncode, 0)
        told = self.solve("elasticity", ball, "--young", "1e6", "--ratio", "0.2", "--force", "0,0,0",
                          "--pressure", "1e4", "--held", "z < 1e-6")
        self.assertAlmostEqual(told["largest"] / (1e4 * (1 - 0.4) / 1e6), 1, delta=1e-8)

    def test_linear_solutions_are_exact_in_the_plane_and_in_space(self):
        words = ["--distort", "0.2", "--force", "0,0,0", "--relative", "1e-13", "--ratio", "0.3"]
        exact = ["--exact-x", "0.1*x - 0.2*y", "--exact-y", "0.3*x + 0.05*y + 1"]
        for shape in ("triangle", "quad"):
            for plane in ("strain", "stress"):
                told = self.solve("elasticity", "square", "--cells", "5", "--shape", shape, *words, *exact, "--plane",
                                  plane)
                self.assertLess(told["L2_error"], 1e-12)
                self.assertLess(told["H1_error"], 1e-10)
        for shape in ("tet", "hex"):  # axes without --exact have the value 0
            told = self.solve("elasticity", "cube", "--cells", "3", "--shape", shape, *words, "--exact-z", "x + 2*z")
            self.assertLess(told["L2_error"], 1e-12)

    def test_a_sheet_is_pulled_in_plane_strain_and_in_plane_stress(self):
        bar = ["elasticity", "square", "--size", "2,1,1", "--cells", "3", "--distort", "0.2", "--young", "1e6",
               "--ratio", "0.3", "--force", "0,0,0", "--traction-x", "1e4*(x > 1.999)", "--held-x", "x < 1e-6",
               "--held-y", "y < 1e-6"]
        for shape in ("triangle", "quad"):
            # The traction t along x gives u = (t / E) (x, -nu y) in plane stress. Plane strain replaces E by
            # E / (1 - nu^2) and nu by nu / (1 - nu), and has a stress t nu perpendicular to the plane.
            told = self.solve(*bar, "--shape", shape, "--plane", "stress")
            self.assertAlmostEqual(told["largest"] / (0.01 * math.hypot(2, 0.3)), 1, delta=1e-8)
            self.assertAlmostEqual(told["largest_von_mises_Pa"], 1e4, delta=1e-3)
            told = self.solve(*bar, "--shape", shape)
            self.assertAlmostEqual(told["largest"] / (0.01 * math.hypot(2 * 0.91, 0.3 * 1.3)), 1, delta=1e-8)
            self.assertAlmostEqual(told["largest_von_mises_Pa"], 1e4 * math.sqrt(1 - 0.3 + 0.09), delta=1e-3)
        # sides that are groups of a mesh file are held and loaded
        told = self.solve("elasticity", self.square("g.msh"), "--ratio", "0", "--young", "1e5", "--force", "0,0,0",
                          "--held", "left", "--traction-x", "100*right")
        self.assertAlmostEqual(told["largest"], 1e-3, delta=1e-10)
        told = self.solve("elasticity", self.square("g.msh"), "--ratio", "0", "--young", "1e5", "--force", "0,0,0",
                          "--held", "left", "--pressure", "100*right")
        self.assertAlmostEqual(told["largest"], 1e-3, delta=1e-10)

    def test_a_cantilever_bends_as_timoshenkos(self):
        # The deflection is P L^3 / (3 E I) by bending plus 6/5 P L / (G H) by shear, for a sheet 1 m thick.
        P, L, E, nu = 100, 8, 1e6, 0.25
        bends = P * L ** 3 / (3 * E / 12) + 1.2 * P * L / (E / (2 * (1 + nu)))
        words = ["elasticity", "square", "--size", f"{L},1,1", "--cells", "16", "--plane", "stress", "--young", str(E),
                 "--ratio", str(nu), "--held", "x < 0.001", "--force", "0,0,0", "--solver", "schwarz",
                 "--traction-y", f"{-P}*(x > {L} - 0.001)", "-o", self.path("c.vtu")]
        self.assertAlmostEqual(self.solve(*words)["largest"] / bends, 1, delta=0.01)
        self.assertAlmostEqual(self.solve(*words, "--shape", "triangle")["largest"] / bends, 1, delta=0.03)
        with open(self.path("c.vtu"), "rb") as file:
            head = file.read(2000).decode("latin-1")
        for name, size in (("displacement, m", 3), ("stress, Pa", 6), ("von Mises stress, Pa", 1)):
            self.assertIn(f'Name="{name}" NumberOfComponents="{size}"', head)

    def test_forces_of_bodies_by_formulas_and_fields(self):
        sheet = ["elasticity", "square", "--cells", "4", "--shape", "triangle", "--held", "y < 0.001"]
        usual = self.solve(*sheet)["largest"]  # the default force is 1000 N/m^3 downward
        self.assertAlmostEqual(self.solve(*sheet, "--force", "0,-1000,0")["largest"], usual, delta=1e-15)
        for load in ("nodes", "points", "lumped"):
            told = self.solve(*sheet, "--force-y", "-1000", "--load", load)
            self.assertAlmostEqual(told["largest"] / usual, 1, delta=1e-9)
        # for a linear force, nodal values ("nodes") and quadrature ("points") give equal load vectors, unlike "lumped"
        linear = [self.solve(*sheet, "--force-x", "50*(x + 2*y)", "--load", load)["largest"]
                  for load in ("nodes", "points", "lumped")]
        self.assertAlmostEqual(linear[0] / linear[1], 1, delta=1e-9)
        self.assertGreater(abs(linear[2] / linear[1] - 1), 1e-4)
        field = self.write_field(*[f"{1 + k} {k % 5 / 4 + 2 * (k // 5) / 4!r}" for k in range(25)])
        told = self.solve(*sheet, "--field", field, "--force-x", "50*field")
        self.assertAlmostEqual(told["largest"] / linear[0], 1, delta=1e-9)
        cube = ["elasticity", "cube", "--cells", "2", "--held", "z < 0.001"]
        self.assertAlmostEqual(self.solve(*cube, "--force-z", "-1000")["largest"] / self.solve(*cube)["largest"], 1,
                               delta=1e-9)
        self.fails([*sheet, "--field", field, "--force-x", "field", "--load", "points"], "only at nodes")
        self.fails([*sheet, "--force-x", "1/0"], "--force-x: the formula gives inf at (")

    def loads(self, *words):
        """Solves, and returns the results and the printed line of loads."""
        done = run("solve", *words, "--cells", "4", "--json", self.path("s.json"))
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line[7:] for line in done.stdout.split("\n") if line.startswith("loads: ")]
        self.assertEqual(len(lines), 1, done.stdout)
        with open(self.path("s.json")) as file:
            return json.load(file), lines[0]

    def test_default_loads_act_only_without_other_loads(self):
        default = "; --%s is 0 by default, because other loads are given"
        # A cube is pulled with 1000 Pa along x, between planes of symmetry. So u_x is 0.01 x, and u_y is -0.003 y. A
        # displacement of 0.01 at one side has the same solution.
        held = [word for axis in "xyz" for word in (f"--held-{axis}", f"{axis} < 0.001")]
        exact = ["--exact-x", "0.01*x", "--exact-y", "-0.003*y"]
        for domain, sides, lateral in ((["cube"], held, ["--exact-z", "-0.003*z"]),
                                       (["square", "--plane", "stress"], held[:4], [])):
            body = ["elasticity", *domain, "--young", "1e5", "--ratio", "0.3"]
            told, line = self.loads(*body, *sides, *exact, *lateral, "--traction-x", "1000*(x > 0.999)")
            self.assertIn("--traction-x 1000*(x > 0.999)", line)
            self.assertIn(default % "force", line)
            self.assertLess(told["L2_error"], 1e-10)
            self.assertAlmostEqual(told["largest_von_mises_Pa"], 1000, delta=1e-3)
            told, line = self.loads(*body, "--held-x", "x < 0.001 || x > 0.999", *sides[2:], "--move-x",
                                    "0.01*(x > 0.5)")
            self.assertEqual(line, "--move-x 0.01*(x > 0.5)" + default % "force")
            self.assertAlmostEqual(told["largest_von_mises_Pa"], 1000, delta=1e-3)
        # the field is x with the flux 1 at x = 1, without a source
        for words in (["--flux", "x > 0.999"], ["--exact", "x", "--flux", "x > 0.999"]):
            told, line = self.loads("poisson", "square", "--held", "x < 0.001", *words)
            self.assertAlmostEqual(told["largest"], 1, delta=1e-9)
            self.assertIn(default % "source", line)
        # a strip is bent by the shear force P, or by the moment M, at its free end
        strip = ["plate", "square", "--size", "2,0.5,1", "--support", "clamped", "--ratio", "0", "--rigidity", "4",
                 "--shape", "triangle", "--held", "x < 0.001"]
        self.assertAlmostEqual(self.loads(*strip, "--moment", "3*(x > 1.999)")[0]["largest"], 1.5, delta=1e-8)
        self.assertAlmostEqual(self.loads(*strip, "--shear", "3*(x > 1.999)")[0]["largest"], 2, delta=1e-3)
        # without loads, and with the number 0, the default acts; a load that is named acts with others
        foot = ["elasticity", "cube", "--held", "z < 0.001"]
        self.assertEqual(self.loads(*foot)[1], "--force 0,0,-1000 (default)")
        self.assertEqual(self.loads(*foot, "--traction-x", "0")[1], "--force 0,0,-1000 (default)")
        self.assertEqual(self.loads(*foot, "--force", "0,0,0")[1], "none")
        self.assertEqual(self.loads(*foot, "--force", "0,0,-5", "--pressure", "3", "--force-x", "2")[1],
                         "--force-x 2, --force 0,0,-5, --pressure 3")
        self.assertEqual(self.loads("elasticity", "square", "--held", "y < 0.001")[1], "--force 0,-1000,0 (default)")
        usual, line = self.loads("poisson", "square", "--boundary", "0.0")
        self.assertEqual(line, "--source 1 (default)")
        for load in ("nodes", "points", "lumped"):
            told, line = self.loads("poisson", "square", "--boundary", "2", "--load", load)
            self.assertEqual((told["smallest"], told["largest"]), (2, 2))
        told, line = self.loads("poisson", "square", "--boundary", "2", "--source", "1")
        self.assertEqual(line, "--source 1, --boundary 2")
        self.assertAlmostEqual(told["largest"], usual["largest"] + 2, delta=1e-9)

    def test_what_is_refused_in_the_plane(self):
        sheet = ["elasticity", "square", "--cells", "2"]
        for name in ("traction", "held", "move", "force", "exact"):
            self.fails([*sheet, f"--{name}-z", "1"], f"--{name}-z: square is a 2D body")
        self.fails([*sheet, "--force", "0,0,-9"], "the force along z must be 0, not -9")
        self.fails([*sheet, "--plane", "both"], "strain|stress")
        self.fails([*sheet, "--ratio", "0.5"], "--ratio: is 0.5", "less than 0.5")
        self.fails([*sheet, "--shape", "quad", "--degree", "2"], "cells of shape quad9", "plane_quad4 (quad4)")
        self.fails([*sheet, "--held-x", "x < 0.001"], "not positive definite")
        self.fails(["elasticity", "cube", "--plane", "stress"], "--plane: cube is a 3D body")
        self.fails(["poisson", "square", "--plane", "stress"], "--plane: the problem poisson does not have this option")
        self.fails(["plate", "square", "--force-x", "1"], "--force-x: the problem plate does not have this option")
        self.fails(["elasticity", "square", "--exact", "x"], "--exact: the problem elasticity does not have")

    def test_edges_of_a_plate_are_loaded_and_moved(self):
        strip = ["plate", "square", "--size", "2,0.5,1", "--cells", "3", "--support", "clamped", "--source", "0",
                 "--ratio", "0", "--rigidity", "4"]
        for words in (["--shape", "triangle"], ["--shape", "triangle", "--distort", "0.2"], ["--shape", "quad"]):
            # A strip clamped at x = 0 has w = M x^2 / (2 D) under a moment M at its end x = L. Under a shear force P at
            # this end it has w = P x^2 (3 L - x) / (6 D).
            told = self.solve(*strip, *words, "--held", "x < 0.001", "--moment", "3*(x > 1.999)")
            self.assertAlmostEqual(told["largest"], 3 * 4 / (2 * 4), delta=1e-8)
            told = self.solve(*strip, *words, "--held", "x < 0.001", "--shear", "3*(x > 1.999)")
            self.assertAlmostEqual(told["largest"], 3 * 8 / (3 * 4), delta=1e-3)
        # Both ends are clamped, the end x = L with slope 1. Then w = x^3 / L^2 - x^2 / L, least at x = 2 L / 3.
        told = self.solve(*strip, "--shape", "triangle", "--held", "(x < 0.001) + (x > 1.999)", "--slope-x", "x > 1")
        self.assertAlmostEqual(told["smallest"], -4 * 2 / 27, delta=1e-4)
        # prescribes boundary values and slopes, or the boundary moment, of a surface of constant curvature
        bowl = ["plate", "square", "--cells", "4", "--source", "0", "--boundary", "1 + (x-0.5)^2 + (y-0.5)^2"]
        for words in (["--shape", "triangle", "--support", "clamped"], ["--shape", "quad", "--support", "clamped"],
                      ["--shape", "triangle", "--moment", "2.6"]):  # supported sides need the moment (1 + nu) D w_nn
            told = self.solve(*bowl, *words)
            self.assertAlmostEqual(told["smallest"], 1, delta=1e-9)
            self.assertAlmostEqual(told["largest"], 1.5, delta=1e-9)

    def fails(self, words, *parts):
        done = run("solve", *words)
        self.assertNotEqual(done.returncode, 0, words)
        for part in parts:
            self.assertIn(part, done.stderr, words)

    def test_what_is_refused(self):
        self.fails(["heat", "square"], "heat: unknown problem", "poisson")
        self.fails(["poisson", "square", "--size", "0,1,1"], "size: the length along x is 0 m")
        self.fails(["poisson", "square", "--source", "2 +"], "--source: character 4")
        self.fails(["poisson", "square", "--shape", "tet"], "a square can consist only of triangle or quad cells")
        self.fails(["poisson", "cube", "--degree", "2"], "degree is 2")
        self.fails(["poisson", "square", "--held", "0"], "no part of the boundary is held")
        self.fails(["poisson", "square", "--solver", "gmres"], 'solver "gmres" does not exist', "jacobi")
        self.fails(["poisson", "square", "--solver", "gs", "--matrix", "coo"], 'does not work with matrix "coo"')
        self.fails(["poisson", "square", "--source", "1/0"], "--source: the formula gives inf at (")
        for precision, number in (("float", "1e39"), ("double", "1e308")):
            for flag in ("--source", "--factor", "--flux", "--boundary"):
                held = ["--held", "x < 0.1"] if flag == "--flux" else []
                self.fails(["poisson", "square", flag, number, "--precision", precision, *held],
                           flag + ": the formula gives 1e+")
        self.fails(["poisson", "square", "--held", "sqrt(0.5-x)"], "--held: the formula gives ", "nan at (")
        self.fails(["elasticity", "square", "--held-x", "sqrt(0.5-x)"], "--held-x: the formula gives ", "nan at (")
        self.fails(["poisson", "square", "--boundary", "1/x"], "--boundary: the formula gives inf at (0, 0, 0)")
        self.fails(["poisson", "square", "--iterations", "3"], "the limit of iterations is reached")
        self.fails(["poisson", "none.msh"], "none.msh", "No such file")
        self.fails(["poisson", "square", "--picture", self.path("p.jpg")], "pictures are written as .png")
        self.fails(["poisson", "cube", "--warp", "2", "--picture", self.path("p.png")],
                   "--warp: the problem poisson has one value per node, which does not move a 3D mesh")
        self.fails(["poisson", "square", "--moment", "1"], "--moment: the problem poisson does not have this option")
        self.fails(["elasticity", "cube", "--traction-y", "sin"], "--traction-y: character 1")
        self.fails(["plate", "square", "--shear", "1/0", "--held", "x < 0.1"], "--shear: the formula gives inf at (")
        with mock.patch.dict(os.environ):
            for name in ("DISPLAY", "WAYLAND_DISPLAY"):
                os.environ.pop(name, None)
            self.fails(["poisson", "square", "--show"], "without a display, use --picture")
        self.fails(["plate", "cube"], "plate has no element", "plate_dkt")
        self.fails(["poisson", "square", "-o", self.path("x.msh")], "can be written only as .vtu")
        # Tocher's element does not support right isosceles triangles with legs along x and y
        with open(self.path("skew.msh"), "w") as file:
            file.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n"
                       "$EndNodes\n$Elements\n2\n1 2 2 1 1 1 2 3\n2 2 2 1 1 2 4 3\n$EndElements\n")
        self.fails(["plate", self.path("skew.msh"), "--element", "plate_tocher", "--held", "x < 0.1"],
                   "has no unique deflection")


if __name__ == "__main__":
    unittest.main()

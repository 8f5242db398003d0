#!/usr/bin/env python3
"""Tests named sets of a mesh file, which a scene may use for pins, forces, drags and materials. A run with sets must
end with the same bits as a run with regions that select the same nodes, cells or faces, also after a cut. `info` must
list the sets. A message about an unknown name must list the existing names.

usage: test_sets.py PLIANT
"""
import io
import json
import os
import subprocess
import sys
import unittest
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402

PLIANT = sys.argv.pop(1)
SIZE = (1.0, 0.25, 0.25)
SIDES = ((0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0))  # corners of the faces S1 to S4 of Abaqus's tet C3D4
LEFT, RIGHT, TIP = {"x": [None, -0.499]}, {"x": [0.499, None]}, {"x": [0.25, None]}
BODY = {"mesh": "beam.inp", "young": 1e5, "poisson": 0.3, "density": 1000, "device": "cpu", "gravity": [0, 0, -9.8],
        "dt": 1 / 60, "steps": 4}


def named(name):
    return {"set": name}


class Sets(InFolder):
    def setUp(self):
        super().setUp()
        self.good("make", "box", "--size", ",".join(map(str, SIZE)), "--cells", "4", "-o", self.path("plain.inp"))
        with open(self.path("plain.inp")) as file:
            self.text = file.read()
        self.nodes, self.tets, self.size = {}, {}, 0
        kind = None
        for line in self.text.splitlines():
            if line.startswith("*"):
                kind = {"*NODE": self.nodes, "*ELEME": self.tets}.get(line[:5 if line[1] == "N" else 6])
            elif kind is not None:
                number, *values = line.split(",")
                kind[int(number)] = [float(v) for v in values] if kind is self.nodes else [int(v) for v in values]
        self.assertGreater(len(self.tets), 50)
        self.low = min(p[0] for p in self.nodes.values())
        self.write_sets()

    def write_sets(self):
        """Writes beam.inp with the sets left and right (nodes), tip (cells) and end (faces)."""
        x = {number: p[0] - self.low - 0.5 * SIZE[0] for number, p in self.nodes.items()}
        self.shift = self.low + 0.5 * SIZE[0]
        left = [n for n in x if x[n] < -0.499]
        right = [n for n in x if x[n] > 0.499]
        tip = [e for e, nodes in self.tets.items() if sum(x[n] for n in nodes) / 4 > 0.25]
        end = [(e, s + 1) for e, nodes in self.tets.items() for s, side in enumerate(SIDES)
               if all(x[nodes[c]] > 0.499 for c in side)]
        self.counts = len(left), len(right), len(tip), len(end)
        with open(self.path("beam.inp"), "w") as file:
            file.write(self.text + "*NSET, NSET=left\n" + ",\n".join(map(str, left)) +
                       "\n*NSET, NSET=right\n" + "\n".join(map(str, right)) +
                       "\n*ELSET, ELSET=tip\n" + "\n".join(map(str, tip)) + "\n*SURFACE, NAME=end\n" +
                       "\n".join(f"{e}, S{s}" for e, s in end) + "\n")

    def moved(self, region):
        """Returns the region, which is given for a box centred at the origin, in the file's coordinates, which may be
        shifted along x."""
        return {**region, "x": [None if b is None else b + self.shift for b in region["x"]]}

    def good(self, *words):
        done = subprocess.run([PLIANT, *words], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def write(self, name, scene):
        with open(self.path(name), "w") as file:
            json.dump({key: value for key, value in {**BODY, **scene}.items() if value is not None}, file)
        return self.path(name)

    def state(self, name, scene, *options):
        """Returns the bytes of positions and momenta after a run."""
        path = self.path(name + ".npz")
        self.good("bench", self.write(name + ".json", scene), "--repeat", "1", "--state", path, *options)
        with open(path, "rb") as file, zipfile.ZipFile(io.BytesIO(file.read())) as arrays:
            both = arrays.read("positions.npy") + arrays.read("momenta.npy")
        self.size = max(self.size, len(both))
        return both

    def same(self, make, *options):
        """Tests that a scene with sets ends in the same state as the scene with equal regions. make(left, right, end,
        tip) returns the scene with these sets or regions."""
        by_set = self.state("sets", make(named("left"), named("right"), named("end"), named("tip")), *options)
        region = [self.moved(r) for r in (LEFT, RIGHT, RIGHT, TIP)]
        by_region = self.state("regions", make(*region), *options)
        self.assertEqual(by_set, by_region)
        without = self.state("without", {"pins": [self.moved(LEFT)]}, *options)
        self.assertNotEqual(by_set, without)

    def test_pins_forces_and_materials(self):
        for degree in 1, 2:
            self.same(lambda left, right, end, tip: {
                "degree": degree, "pins": [left], "materials": [{"region": tip, "stiffness": 5}],
                "forces": [{"region": end, "traction": [0, 300, 0]}, {"region": end, "pressure": 500},
                           {"region": end, "total": [3, 0, 0]}]})

    def test_nodes_drags_and_two_keys_of_a_region(self):
        self.same(lambda left, right, end, tip: {
            "pins": [{**left, "z": [-1, 1], "axes": "xz"}, {**left, "y": [-1, 0.001]}],
            "forces": [{"region": right, "total": [0, 0, 5]}],
            "drags": [{"grab": right, "path": [[0, 0, 0, 0], [1, 0.2, 0, 0]]}]})

    def test_after_a_cut(self):
        self.same(lambda left, right, end, tip: {
            "pins": [left], "forces": [{"region": end, "traction": [0, 300, 0], "steps": [3, 4]}],
            "drags": [{"grab": right, "path": [[0.04, 0, 0, 0], [1, 0.2, 0, 0]]}],
            "cuts": [{"time": 0.02, "point": [self.shift, 0, 0.125], "normal": [0, 0, 1]}]})
        self.assertGreater(self.size, 2 * (3 * 8 * len(self.nodes) + 200))  # the cut has added nodes

    def test_only_faces_of_the_set_are_loaded(self):
        """Forces on a set of faces must load only these faces. The set has all triangles of the box's surface except
        those at x = -0.5. A region would load more triangles, because it selects nodes, and some triangles at x = -0.5
        have all corners also on other faces of the box."""
        def outside(p):
            return p[0] - self.shift > 0.499 or any(abs(p[i] - b) < 1e-6 for i, b in self.bounds)
        ys, zs = ([p[i] for p in self.nodes.values()] for i in (1, 2))
        self.bounds = (1, min(ys)), (1, max(ys)), (2, min(zs)), (2, max(zs))
        planes = [lambda p: p[0] - self.shift > 0.499, *(lambda p, i=i, b=b: abs(p[i] - b) < 1e-6
                                                         for i, b in self.bounds)]
        faces, hidden = [], 0
        for e, nodes in self.tets.items():
            for s, side in enumerate(SIDES):
                corners = [self.nodes[nodes[c]] for c in side]
                if any(all(plane(p) for p in corners) for plane in planes):
                    faces.append(f"{e}, S{s + 1}\n")
                elif all(p[0] - self.shift < -0.499 and outside(p) for p in corners):
                    hidden += 1
        self.assertGreater(hidden, 0)
        with open(self.path("beam.inp"), "a") as file:
            file.write("*SURFACE, NAME=sides\n" + "".join(faces))
        scene = self.write("solve.json", {"pins": [{"set": "left"}], "gravity": [0, 0, 0], "forces": [
            {"region": {"set": "sides"}, "traction": [0, 0, 10]}]})
        self.good("solve", scene, "--json", self.path("solve.json.out"), "--precision", "double")
        with open(self.path("solve.json.out")) as file:
            force = json.load(file)["pins"][0]["force_N"]
        area = 4 * SIZE[0] * SIZE[1] + SIZE[1] * SIZE[2]
        self.assertAlmostEqual(abs(force[2]), 10 * area, delta=1e-4 * area)

    def test_hexahedra(self):
        self.good("make", "cube", "--shape", "hex", "--cells", "2", "-o", self.path("cube.msh"))
        with open(self.path("cube.msh")) as file:
            lines = [line.split() for line in file]
        first, second = lines.index(["$Nodes"]) + 2, lines.index(["$Elements"]) + 2
        nodes = {int(n): [float(v) for v in x] for n, *x in lines[first:lines.index(["$EndNodes"])]}
        cells = {int(words[0]): [int(n) for n in words[-8:]] for words in lines[second:lines.index(["$EndElements"])]
                 if words[1] == "5"}
        sides = (0, 1, 2, 3), (4, 7, 6, 5), (0, 4, 5, 1), (1, 5, 6, 2), (2, 6, 7, 3), (3, 7, 4, 0)
        with open(self.path("cube.inp"), "w") as file:
            file.write("*NODE\n")
            file.writelines(f"{n}, {x[0]}, {x[1]}, {x[2]}\n" for n, x in nodes.items())
            file.write("*ELEMENT, TYPE=C3D8, ELSET=all\n")
            file.writelines(f"{e}, {', '.join(map(str, c))}\n" for e, c in cells.items())
            file.write("*SURFACE, NAME=top\n")
            file.writelines(f"{e}, S{s + 1}\n" for e, c in cells.items() for s, side in enumerate(sides)
                            if all(nodes[c[k]][2] > 0.99 for k in side))

        def make(top, cells):
            return {"mesh": "cube.inp", "pins": [{"z": [None, 0.01]}], "materials": [{"region": cells, "stiffness": 3}],
                    "forces": [{"region": top, "pressure": 2000}, {"region": top, "traction": [300, 0, 0]}]}
        self.assertEqual(self.state("sets", make(named("top"), named("all"))),
                         self.state("regions", make({"z": [0.99, None]}, {"z": [None, 9]})))

    def test_bodies(self):
        bodies = [{"name": "a", "mesh": "beam.inp"}, {"name": "b", "mesh": "beam.inp", "place": [0, 0, 1]}]

        def make(left, right):
            return {"mesh": None, "bodies": bodies, "pins": [{**left, "body": "a"}, {**right, "body": 1}]}
        self.assertEqual(self.state("sets", make(named("left"), named("right"))),
                         self.state("regions", make(self.moved(LEFT), self.moved(RIGHT))))

    def test_info_lists_the_sets(self):
        left, right, tip, end = self.counts
        first = f'sets                  "body": {len(self.nodes)} nodes, {len(self.tets)} tets'
        out = self.good("info", self.path("beam.inp"))
        line = next(line for line in out.splitlines() if line.startswith("sets"))
        self.assertTrue(line.startswith(f'{first}; "left": {left} nodes; "right": {right} nodes; "tip": '), line)
        self.assertTrue(line.endswith(f' nodes, {tip} tets; "end": {right} nodes, {end} faces'), line)
        out = self.good("info", "--all", self.path("beam.inp"))
        self.assertIn(f'{first}\n                      "left": {left} nodes\n', out)
        with open(self.path("beam.inp"), "a") as file:
            file.writelines(f"*NSET, NSET=more{k}\n{min(self.nodes)}\n" for k in range(5))
        line = next(line for line in self.good("info", self.path("beam.inp")).splitlines() if line.startswith("sets"))
        self.assertTrue(line.endswith('; "more0": 1 nodes; number of further sets, which --all prints: 4'), line)

    def test_saved_scenes_keep_sets(self):
        saved = self.path("saved.json")
        scene = self.write("scene.json", {"pins": [{"set": "left"}], "forces": [{"region": {"set": "end"},
                                                                                  "total": [1, 0, 0]}]})
        self.good("bench", scene, "--repeat", "1")
        self.good("record", scene, "--vtu", self.path("frames"), "--frames", "1", "--save-scene", saved)
        with open(saved) as file:
            again = json.load(file)
        self.assertEqual((again["pins"][0], again["forces"][0]["region"]), ({"set": "left"}, {"set": "end"}))
        self.good("bench", saved, "--repeat", "1")

    def refused(self, scene, *words):
        done = subprocess.run([PLIANT, "bench", self.write("bad.json", scene)], capture_output=True, text=True,
                              timeout=60)
        self.assertIn(done.returncode, (1, 2), done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_faults(self):
        self.refused({"pins": [{"set": "lift"}]}, 'bad.json: pins entry 1: no set of the mesh has the name "lift" '
                     '(did you mean "left"?); there are: body, left, right, tip, end')
        self.refused({"forces": [{"region": {"set": "Tip"}, "total": [1, 0, 0]}]}, "forces entry 1", "there are: body")
        self.refused({"materials": [{"region": {"set": "left"}, "stiffness": 2}]},
                     'materials entry 1: the set "left" has no cells; name a set of tets or hexes')
        self.refused({"forces": [{"region": {"set": "left", "x": [0.4 + self.shift, None]}, "total": [1, 0, 0]}]},
                     "forces entry 1 selects no node")
        self.refused({"pins": [{"set": 3}]}, 'pins"', '"set" must be the name of a set of the mesh file')
        self.good("convert", self.path("beam.inp"), self.path("beam.vtu"))
        self.refused({"mesh": "beam.vtu", "pins": [{"set": "left"}]},
                     'pins entry 1: "set" is "left", but the mesh has no named sets')


if __name__ == "__main__":
    unittest.main()

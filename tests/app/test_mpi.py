#!/usr/bin/env python3
"""Tests `mpirun -n N pliant solve|bench|record --engine petsc`. The results must agree with those of one process, and
have the same bits in each run. A run must resume a checkpoint of another number of processes. If one process dies or
fails, all must end. The pieces of VTU frames together must be the frame of one process, if the Python package meshio is
installed.

usage: test_mpi.py PLIANT; skipped without mpirun or in a build without PETSc
"""
import array
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest
import xml.etree.ElementTree as xml
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402

try:
    import meshio
except ImportError:
    meshio = None

PLIANT = os.path.abspath(sys.argv.pop(1))
MODULE = os.path.join(os.path.dirname(PLIANT), "..", "petsc", "pliant_petsc.so")
EXIT_SKIPPED = 77
BEAM = {"shapes": {"kind": "box", "size": [1, 0.3, 0.3], "cells": 3}, "young": 1e5, "poisson": 0.3, "density": 1000,
        "device": "cpu", "precision": "double", "gravity": [0, 0, -3], "dt": 1 / 60, "steps": 6,
        "pins": [{"x": [None, -0.49]}], "newton_relative": 1e-11, "newton_absolute": 0, "cg_relative": 1e-10}
# largest difference of positions between two runs, divided by the largest displacement; Newton's relative tolerance is
# 1e-11 in both runs
AGREEMENT = 1e-9
ENDS_WITHIN = 5  # s, longest time from the end of a killed process to the end of all processes
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_btl": "self,vader", "OMPI_MCA_plm_rsh_agent": "/bin/false"}


def mpirun(processes, *words):
    return ["mpirun", "--oversubscribe", "--bind-to", "none", "-q", "-n", str(processes), PLIANT, *words]


def children(parent):
    """Returns the process numbers of the children of a process."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found.append(int(name))
    return sorted(found)


class Mpi(InFolder):
    def scene(self, name="beam.json", **changes):
        with open(self.path(name), "w") as file:
            json.dump({**BEAM, **changes}, file)
        return self.path(name)

    def run_words(self, words):
        ran = subprocess.run(words, capture_output=True, text=True, env=ENVIRONMENT, cwd=self.folder.name, timeout=120)
        # on a machine with other load, a recording takes so long that it reports its progress
        errors = "".join(line for line in ran.stderr.splitlines(True) if "; time so far: " not in line)
        return ran.returncode, ran.stdout, errors

    def good(self, words):
        code, out, err = self.run_words(words)
        self.assertEqual(code, 0, out + err)
        return out

    def text(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def state(self, name):
        """Returns the arrays of a state file as {name: array of doubles}."""
        with zipfile.ZipFile(self.path(name)) as file:
            arrays = {}
            for entry in file.namelist():
                data = file.read(entry)
                arrays[entry] = array.array("d", data[10 + int.from_bytes(data[8:10], "little"):])
        return arrays

    def agrees(self, ours, theirs):
        a, b = self.state(ours), self.state(theirs)
        moved = max(abs(x - y) for x, y in zip(a["positions.npy"], a["initial_positions.npy"]))
        self.assertGreater(moved, 1e-3)
        apart = max(abs(x - y) for x, y in zip(a["positions.npy"], b["positions.npy"]))
        self.assertLess(apart, AGREEMENT * moved)

    def test_equilibrium_equals_that_of_one_process(self):
        scene = self.scene()
        self.good([PLIANT, "solve", scene, "--increments", "1", "--solver", "cg", "--state", "own.npz"])
        for number in range(2):
            words = ["solve", scene, "--increments", "1", "--engine", "petsc", "--state", f"three{number}.npz"]
            out = self.good(mpirun(3, *words))  # three processes: with two, all messages have a fixed order
            self.assertEqual(out.count("largest displacement"), 1, "only one process prints")
        self.agrees("own.npz", "three0.npz")
        self.assertEqual(self.state("three0.npz"), self.state("three1.npz"), "another run has other bits")

    def test_steps_of_other_cells_equal_those_of_one_process(self):
        load = {"region": {"x": [0.4, None]}, "total": [0, 2, 1]}
        hexes = self.path("hexes.msh")
        self.good([PLIANT, "make", "cube", "--shape", "hex", "--size", "1,0.5,0.5", "--cells", "3", "-o", hexes])
        push = {"region": {"z": [0.29, None]}, "pressure": 300}
        drag = {"grab": {"center": [0.5, 0, 0.3], "radius": 0.2}, "path": [[0, 0, 0, 0], [0.1, 0, 0.05, 0]]}
        for name, changes in (("quadratic", {"degree": 2, "forces": push}),
                              ("floor", {"floor": -0.01, "self_contact": False}),
                              ("drag", {"mass": "consistent", "drags": [drag]}),
                              ("hexes", {"shapes": None, "mesh": hexes, "pins": [{"x": [None, 0.01]}]})):
            with self.subTest(body=name):
                changed = {**BEAM, "forces": load, **changes}
                changed = {key: value for key, value in changed.items() if value is not None}
                with open(self.path("other.json"), "w") as file:
                    json.dump(changed, file)
                words = ["bench", self.path("other.json"), "--repeat", "0", "--json", "b.json", "--state"]
                self.good([PLIANT, *words, "own.npz"])
                own = self.bench("b.json")
                self.good(mpirun(2, *words, "two.npz", "--engine", "petsc"))
                self.agrees("own.npz", "two.npz")
                two = self.bench("b.json")
                for key in ("unknowns", "nonzeros"):
                    self.assertEqual(own[key], two[key], key)
                self.assertAlmostEqual(own["elastic_J"], two["elastic_J"], delta=1e-8 * own["elastic_J"])

    def bench(self, name):
        with open(self.path(name)) as file:
            return json.load(file)

    def test_a_checkpoint_resumes_on_another_number_of_processes(self):
        words = ["record", self.scene(), "--fps", "20", "--state"]
        self.good([PLIANT, *words, "own.npz", "--frames", "5"])
        self.good(mpirun(2, *words, "half.npz", "--frames", "3", "--checkpoint", "c", "--engine", "petsc"))
        self.good(mpirun(1, *words, "rest.npz", "--frames", "5", "--resume", "c", "--engine", "petsc"))
        self.agrees("own.npz", "rest.npz")

    def write_beam_with_sets(self):
        """Writes beam.inp, a beam with the sets left and right (nodes), tip (cells) and end (faces)."""
        self.good([PLIANT, "make", "box", "--size", "1,0.3,0.3", "--cells", "3", "-o", "plain.inp"])
        with open(self.path("plain.inp")) as file:
            text = file.read()
        x, tets, rows = {}, {}, None
        for line in text.splitlines():
            if line.startswith("*"):
                rows = {"*NODE": x, "*ELEM": tets}.get(line[:5])
            elif rows is not None:
                number, *values = line.split(",")
                rows[int(number)] = float(values[0]) if rows is x else [int(v) for v in values]
        low, high = min(x.values()), max(x.values())
        sides = ((0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0))  # corners of the faces S1 to S4 of Abaqus's tet C3D4
        end = [f"{e}, S{s + 1}" for e, nodes in tets.items() for s, side in enumerate(sides)
               if all(x[nodes[c]] > high - 1e-6 for c in side)]
        self.assertGreater(len(end), 4)
        with open(self.path("beam.inp"), "w") as file:
            file.write(text + "".join(head + "\n" + "\n".join(map(str, lines)) + "\n" for head, lines in (
                ("*NSET, NSET=left", [n for n in x if x[n] < low + 1e-6]),
                ("*NSET, NSET=right", [n for n in x if x[n] > high - 1e-6]),
                ("*ELSET, ELSET=tip", [e for e, nodes in tets.items() if sum(x[n] for n in nodes) / 4 > low + 0.7]),
                ("*SURFACE, NAME=end", end))))

    def table(self, name):
        """Returns the columns of a table of probes as {title: values}."""
        with open(self.path(name)) as file:
            titles, *rows = [line.strip().split(",") for line in file]
        return {title: [float(v) for v in values] for title, values in zip(titles, zip(*rows))}

    def test_sets_bodies_and_probes_are_as_in_one_process(self):
        self.write_beam_with_sets()
        ball = {"name": "ball", "shape": {"kind": "sphere", "size": [0.3, 0.3, 0.3], "cells": 4}, "place": [0, 0, 0.5],
                "density": 500, "damping": 1, "spin": [0, 3, 0], "velocity": [0.5, 0, 0]}
        scene = self.scene(
            shapes=[], bodies=[{"name": "beam", "mesh": "beam.inp", "young": 2e5}, ball], degree=2,
            materials={"region": {"set": "tip"}, "stiffness": 3}, pins={"set": "left", "name": "clamp"},
            drags={"grab": {"set": "right"}, "path": [[0, 0, 0, 0], [0.1, 0.05, 0, 0.02]], "stiffness": 1e4},
            floor=0.001, forces={"region": {"set": "end"}, "traction": [0, 400, 0]})
        names = ("volume", "gravitational", "elastic", "momentum", "reaction:clamp", "reaction_moment:clamp",
                 "drag_force:1", "drag_moment:1", "drag_work:1", "centre:forces/1", "centre:drags/1", "position:5",
                 "energy_change", "spin_change", "contact_distance:beam/ball", "contact_distance:floor/beam",
                 "contact_force:beam/floor", "patch_area:pins/clamp", "patch_force:0/0/0/0.3/beam",
                 "patch_displacement:forces/1", "patch_velocity:0/0/0.8/0.15/ball", "patch_von_mises:drags/1")
        for name, words in (("own", [PLIANT]), ("four", mpirun(4))):
            self.good([*words, "record", scene, "--fps", "60", "--frames", "5", "--state", name + ".npz", "--probe",
                       ",".join(names), "--probe-file", name + ".csv", *(["--engine", "petsc"] if name != "own" else [])
                       ])
        self.agrees("own.npz", "four.npz")
        own, four = self.table("own.csv"), self.table("four.csv")
        self.assertEqual(own.keys(), four.keys())
        self.assertGreater(max(map(abs, own["spin_change_kg_m2_s"])), 1e-4)
        for title, values in own.items():
            largest = max(map(abs, values))
            apart = max(abs(a - b) for a, b in zip(values, four[title]))
            self.assertLessEqual(apart, 1e-7 * largest + 1e-10, title)

    def pieces(self, frame):
        """Returns the file names of the pieces that a .pvtu file lists, and the names of its fields."""
        tree = xml.parse(self.path("frames/" + frame))
        fields = [array.get("Name") for section in ("PPointData", "PCellData") for array in tree.find(".//" + section)]
        return [piece.get("Source") for piece in tree.iter("Piece")], fields

    def cells(self, name):
        """Returns the cells of a VTU file as {positions of the cell's nodes at rest: {field: values}}. The values of a
        field of nodes are those of the cell's nodes, in the order of the positions."""
        mesh = meshio.read(self.path(name))
        rest = (mesh.points - mesh.point_data["displacement"]).round(6) + 0.0  # + 0.0 replaces -0 by 0
        found = {}
        for k, nodes in enumerate(mesh.cells[0].data):
            nodes = sorted(nodes, key=lambda a: tuple(rest[a]))
            values = {field: array[0][k] for field, array in mesh.cell_data.items()}
            values.update({field: array[nodes] for field, array in mesh.point_data.items()})
            found[tuple(tuple(rest[a]) for a in nodes)] = values
        return found

    def test_pieces_of_a_frame_are_together_the_frame_of_one_process(self):
        scene = self.scene(degree=2)
        words = ["record", scene, "--fps", "20", "--engine", "petsc", "--vtu"]
        self.good([PLIANT, *words, "whole", "--frames", "3"])
        self.good(mpirun(3, *words, "frames", "--frames", "3", "--checkpoint", "c"))
        names = ["frame_%05d_%d.vtu" % (k, piece) for k in range(3) for piece in range(3)]
        lists = ["frame_%05d.pvtu" % k for k in range(3)]
        self.assertEqual(sorted(os.listdir(self.path("frames"))), sorted([*names, *lists, "frames.pvd"]))
        self.assertEqual(self.listed(), lists)
        pieces, fields = self.pieces("frame_00002.pvtu")
        self.assertEqual(pieces, names[6:])
        if meshio:
            whole = self.cells("whole/frame_00002.vtu")
            parts = [self.cells("frames/" + piece) for piece in pieces]
            together = {cell: values for part in parts for cell, values in part.items()}
            self.assertEqual(sum(map(len, parts)), len(whole), "a cell is in two pieces")
            self.assertEqual(together.keys(), whole.keys())
            self.assertEqual(set(fields), set(next(iter(whole.values()))))
            self.assertIn("von Mises stress at nodes", fields)
            for field in fields:
                largest = max(abs(values[field]).max() for values in whole.values())
                apart = max(abs(values[field] - together[cell][field]).max() for cell, values in whole.items())
                self.assertLess(apart, 1e-7 * largest, field)
            one, own = (meshio.read(self.path(name)).field_data for name in ("whole/frame_00002.vtu",
                                                                             "frames/frame_00002_1.vtu"))
            self.assertEqual(one.keys(), own.keys())
            for name in ("elastic_J", "volume_m3", "gravitational_J"):
                self.assertAlmostEqual(one[name][0], own[name][0], delta=1e-7 * abs(one[name][0]))

        # runs with other numbers of processes continue the series with frame 3, and replace frames after it
        lists.append("frame_00003.pvtu")
        for processes in (3, 2):
            self.good(mpirun(processes, *words, "frames", "--frames", "4", "--resume", "c"))
            names[9:] = ["frame_00003_%d.vtu" % piece for piece in range(processes)]
            self.assertEqual(self.listed(), lists)
            self.assertEqual(self.pieces("frame_00003.pvtu")[0], names[9:])
            self.assertEqual(sorted(os.listdir(self.path("frames"))), sorted([*names, *lists, "frames.pvd"]))
        self.good([PLIANT, *words, "frames", "--frames", "5", "--resume", "c"])
        lists[3:] = ["frame_00003.vtu", "frame_00004.vtu"]
        self.assertEqual(self.listed(), lists)
        self.assertEqual(sorted(os.listdir(self.path("frames"))), sorted([*names[:9], *lists, "frames.pvd"]))
        self.good([PLIANT, *words, "frames", "--frames", "1", "--overwrite"])
        self.assertEqual(sorted(os.listdir(self.path("frames"))), ["frame_00000.vtu", "frames.pvd"])

    def listed(self):
        """Returns the file names that frames.pvd lists."""
        return [frame.get("file") for frame in xml.parse(self.path("frames/frames.pvd")).iter("DataSet")]

    def test_a_process_that_cannot_write_its_piece_ends_all(self):
        words = ["record", self.scene(), "--frames", "3", "--engine", "petsc", "--checkpoint", self.path("c"), "--vtu",
                 "frames"]
        os.makedirs(self.path("frames/frame_00001_1.vtu"))
        code, _, err = self.run_words(mpirun(2, *words))
        self.assertEqual(code, 1, err)
        self.assertEqual(err, "pliant: process 1 of 2: frames/frame_00001_1.vtu: is a folder, expected a file; "
                              f"complete frames: 1 of 3; --resume {self.path('c')} continues from step 2\n")
        self.assertEqual(sorted(os.listdir(self.path("frames"))), ["frame_00000.pvtu", "frame_00000_0.vtu",
                                                                   "frame_00000_1.vtu", "frame_00001_1.vtu",
                                                                   "frames.pvd"])
        # process 1 runs in another folder, which has no folder "frames"
        shutil.rmtree(self.path("frames"))
        os.mkdir(self.path("elsewhere"))
        code, _, err = self.run_words([*mpirun(1, *words), ":", "-n", "1", "-wdir", self.path("elsewhere"), PLIANT,
                                       *words])
        self.assertEqual(code, 1, err)
        self.assertIn("process 1 of 2: frames/frame_00000_1.vtu: cannot be written: No such file or directory", err)
        self.assertEqual(err.count("pliant:"), 1, err)
        self.assertEqual(os.listdir(self.path("frames")), [])

    def test_a_light_body_moves_beside_a_heavy_one(self):
        ball = {"name": "light", "shape": {"kind": "sphere", "size": [0.02] * 3, "cells": 2}, "place": [2, 0, 0],
                "velocity": [0.1, 0, 0]}
        box = {"name": "heavy", "shape": {"kind": "box", "size": [2, 2, 2], "cells": 2}, "velocity": [0, 10, 0]}
        settings = {key: BEAM[key] for key in ("young", "poisson", "density", "device", "precision", "dt")}
        with open(self.path("apart.json"), "w") as file:
            json.dump({**settings, "bodies": [box, ball], "gravity": [0, 0, -1]}, file)
        for processes in (1, 2, 3):
            self.good(mpirun(processes, "bench", "apart.json", "--engine", "petsc", "--petsc", "-pc_type jacobi",
                             "--repeat", "0", "--steps", "6", "--probe", "patch_velocity:2/0/0/0.1",
                             "--probe-file", "v.csv"))
            for column, exact in zip(list(self.table("v.csv").values())[-3:], (0.1, 0, -0.1)):
                self.assertAlmostEqual(column[-1], exact, delta=2e-3)

    def iterations(self, processes, scene, *words):
        """Returns the number of CG iterations per Newton iteration of a bench."""
        self.good(mpirun(processes, "bench", scene, "--engine", "petsc", "--repeat", "1", "--json", "b.json", *words))
        bench = self.bench("b.json")
        return bench["cg_iterations"] / bench["newton_iterations"]

    def test_multigrid_of_stiff_beams_represents_rotations(self):
        shape = {"kind": "box", "size": [3, 0.3, 0.3], "cells": 3}
        stiff = self.scene(shapes=shape, pins=[{"x": [None, -1.49]}], young=1e9, steps=2, cg_relative=1e-6)
        # multigrid for translations alone takes three times as many
        self.assertLess(self.iterations(2, stiff), 16)

    def test_multigrid_in_single_precision_needs_as_many_iterations(self):
        # multigrid for translations, and for all rigid motions
        for young, gravity in ((1e5, 3), (1e9, 3000)):
            scene = self.scene(young=young, gravity=[0, 0, -gravity], steps=4)
            single = self.iterations(2, scene, "--state", "single.npz")
            double = self.iterations(2, scene, "--state", "double.npz", "--petsc", "-pliant_double_levels")
            self.assertLessEqual(single, 1.1 * double)
            self.agrees("single.npz", "double.npz")
            self.assertNotEqual(self.state("single.npz"), self.state("double.npz"), "levels are in double precision")

    def turning_scene(self, **changes):
        spin = {"axis": [0, 1, 0], "about": [0, 0, 0.15], "angles": [[0, 0], [0.2, 120]]}
        return self.scene(pins=[{"x": [None, -0.49], "spin": spin}, {"x": [0.49, None], "spin": spin}], **changes)

    def test_steps_with_moving_pins_are_not_counted_by_any_process(self):
        # process 0 owns the nodes of one end of the beam only
        path = [[0, 0, 0, 0], [1, 0, 0, 0.5]]
        for end in ([None, -0.49], [0.49, None]):
            scene = self.scene(pins=[{"x": end, "path": path}])
            self.good(mpirun(2, "bench", scene, "--repeat", "0", "--engine", "petsc", "--probe",
                             "energy_change,kinetic", "--probe-file", "b.csv"))
            table = self.table("b.csv")
            self.assertGreater(table["kinetic_J"][-1], 0)
            self.assertEqual(set(table["energy_change_J"]), {0})

    def test_the_iterations_of_both_preconditioners_count_for_cg_max(self):
        words = ["bench", self.turning_scene(cg_max=8, steps=12), "--repeat", "1", "--json", "b.json"]
        self.good([PLIANT, *words, "--engine", "petsc"])
        bench = self.bench("b.json")
        self.assertLessEqual(bench["cg_iterations"], 8 * bench["newton_iterations"])

    def test_a_resumed_run_has_the_bits_of_a_whole_run(self):
        # Both ends of the beam turn by 120 degrees about its centre. So the preconditioner of the beam at rest becomes
        # slow, and steps set up another one.
        scene = self.turning_scene()
        words = ["record", scene, "--fps", "60", "--engine", "petsc", "--state"]
        reasons = self.good(mpirun(2, *words, "whole.npz", "--frames", "13", "--petsc", "-ksp_converged_reason"))
        self.assertIn("DIVERGED_ITS", reasons)
        self.good(mpirun(2, *words, "half.npz", "--frames", "10", "--checkpoint", "c"))
        self.good(mpirun(2, *words, "rest.npz", "--frames", "13", "--resume", "c"))
        self.assertEqual(self.state("whole.npz"), self.state("rest.npz"))

    def test_a_killed_process_ends_all_and_leaves_the_checkpoint(self):
        words = ["record", self.scene(), "--frames", "100000", "--checkpoint", "c", "--every", "1", "--engine", "petsc"]
        running = subprocess.Popen(mpirun(2, *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=ENVIRONMENT, cwd=self.folder.name)
        begin = time.monotonic()
        while not os.path.exists(self.path("c")) and time.monotonic() - begin < 60:
            time.sleep(0.05)
        ranks = children(running.pid)
        self.assertEqual(len(ranks), 2, ranks)
        os.kill(ranks[1], signal.SIGKILL)
        begin = time.monotonic()
        running.communicate(timeout=60)
        self.assertLess(time.monotonic() - begin, ENDS_WITHIN)
        self.assertNotEqual(running.returncode, 0)
        resume = ["record", self.scene(), "--frames", "1", "--resume", "c", "--state", "s"]
        code, _, err = self.run_words([PLIANT, *resume])
        self.assertEqual(code, 1)
        self.assertRegex(err, "is at step [1-9]")  # the checkpoint was readable: it is later than the end of this run

    def test_a_process_that_fails_alone_in_a_step_ends_all(self):
        os.mkdir(self.path("folder"))
        words = ["record", self.scene(), "--frames", "100000", "--checkpoint", "folder/c", "--every", "1", "--engine",
                 "petsc"]
        running = subprocess.Popen(mpirun(2, *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=ENVIRONMENT, cwd=self.folder.name)
        begin = time.monotonic()
        while not os.path.exists(self.path("folder/c")) and time.monotonic() - begin < 60:
            time.sleep(0.05)
        self.addCleanup(running.terminate)
        os.rename(self.path("folder"), self.path("elsewhere"))  # process 0 cannot write its next checkpoint
        _, err = running.communicate(timeout=60)
        self.assertEqual(running.returncode, 1, err)
        self.assertEqual(len(re.findall("pliant: .*folder/c", err)), 1, err)

    def test_a_process_that_fails_alone_ends_all(self):
        words = ["--increments", "1", "--engine", "petsc"]
        good, bad = self.scene(), self.scene("bad.json", self_contact=True)
        # a process fails after MPI has started, or before
        pairs = (good, bad), (good, "missing.json"), ("missing.json", good)
        runs = [[*mpirun(1, "solve", a, *words), ":", "-n", "1", PLIANT, "solve", b, *words] for a, b in pairs]
        running = [subprocess.Popen(run, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, cwd=self.folder.name)
                   for run in runs]
        errors = [process.communicate(timeout=60)[1] for process in running]
        self.assertTrue(all(process.returncode for process in running), errors)
        for err, pattern, messages in zip(errors, ("process 1 of 2: .*self_contact", "process 1 of 2: missing.json",
                                                   "missing.json: (.*\n)*.*process 0 of 2: the other"), (1, 1, 2)):
            self.assertRegex(err, "pliant: " + pattern)
            self.assertEqual(err.count("pliant:"), messages, err)

    def test_an_error_before_mpi_starts_is_printed_once(self):
        # each shell ends without an error, so that mpirun does not end the other processes
        line = '"$0" "$@"; echo $? > status$OMPI_COMM_WORLD_RANK'
        words = ["sh", "-c", line, PLIANT, "bench", "missing.json", "--engine", "petsc"]
        code, _, err = self.run_words([*mpirun(3)[:-1], *words])
        self.assertEqual(code, 0, err)
        self.assertEqual(err.count("pliant:"), 1, err)
        self.assertRegex(err, "pliant: .*missing.json")
        self.assertEqual([self.text(f"status{rank}") for rank in range(3)], 3 * ["2\n"])

    def test_only_the_first_process_reports_a_failure_of_all(self):
        # mpirun ends all processes when one ends with an error, perhaps before the first one has printed its message.
        # The first one ends after the exit status of the second one is stored, so that mpirun does not prevent that.
        words = ["solve", self.scene(pins=[{"x": [5, None]}]), "--engine", "petsc"]
        waits = '"$0" "$@"; code=$?; until [ -e second ]; do sleep 0.05; done; exit $code'
        stores = '"$0" "$@"; echo $? > status; mv status second'
        first, second = (["-n", "1", "sh", "-c", line, PLIANT, *words] for line in (waits, stores))
        code, _, err = self.run_words([*mpirun(1)[:-3], *first, ":", *second])
        self.assertEqual(code, 1)
        self.assertEqual(len(re.findall("pins entry 1 selects no node", err)), 1, err)
        self.assertEqual(self.text("second"), "0\n")

    def test_what_is_not_supported_is_refused_once(self):
        code, _, err = self.run_words(mpirun(2, "bench", self.scene(self_contact=True), "--repeat", "0", "--engine",
                                             "petsc"))
        self.assertEqual(code, 1)
        self.assertEqual(err.count("does not support self_contact yet"), 1, err)
        code, _, err = self.run_words([PLIANT, "solve", self.scene(), "--petsc", "-pc_type jacobi"])
        self.assertIn("--petsc has no effect without --engine petsc", err)

    def test_options_of_petsc_without_effect_are_reported(self):
        words = [PLIANT, "bench", self.scene(steps=1), "--repeat", "0"]
        for option, part in (("gamg", '"gamg" is not the value of an option; an option of PETSc begins with "-"'),
                             ("-ksp_type cg banana", '--petsc: "banana" is not the value'),
                             ("-ksp_type cg -3 -ksp_view", '--petsc: "-3" is not the value'),
                             ("-ksp_rtol 1e-3", "-ksp_rtol of PETSc has no effect: the scene key cg_relative"),
                             ("-ksp_max_it 3", "-ksp_max_it of PETSc has no effect: the scene key cg_max")):
            code, _, err = self.run_words([*words, "--engine", "petsc", "--petsc", option])
            self.assertEqual(code, 1)
            self.assertIn(part, err)
        # PETSc reads -log_view when it starts
        code, out, err = self.run_words([*words, "--engine", "petsc", "--petsc", "-log_view -pc_typ jacobi"])
        self.assertEqual(code, 0, err)
        self.assertRegex(out, "(?m)^KSPSolve ")
        self.assertIn("PETSc has not used the option -pc_typ:", err)
        self.assertEqual(err.count("pliant:"), 1, err)

    def test_several_processes_without_the_engine_are_noticed(self):
        words = [PLIANT, "bench", self.scene(steps=1), "--repeat", "0"]
        for rank, notices in (("0", 1), ("1", 0)):
            ran = subprocess.run(words, capture_output=True, text=True, cwd=self.folder.name, timeout=120,
                                 env={**ENVIRONMENT, "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": rank})
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertEqual(ran.stderr.count("mpirun has started 2 processes"), notices, ran.stderr)


if __name__ == "__main__":
    if not os.path.exists(MODULE):
        ran = subprocess.run([PLIANT, "solve", "--engine", "petsc"], capture_output=True, text=True)
        sys.exit(EXIT_SKIPPED if ran.returncode == 1 and "petsc-dev" in ran.stderr else
                 f"no advice for a build without PETSc: {ran.stderr}")
    if not shutil.which("mpirun"):
        sys.exit(EXIT_SKIPPED)
    unittest.main()

#!/usr/bin/env python3
"""Tests `pliant record --vtu`, which writes a series of VTU files. ParaView's reader must find the bodies, velocities
and stresses; if python3-vtk9 is not installed, meshio reads the files. Frames that were recorded before Ctrl-C or
before the disk was full must be complete.

usage: test_series.py PLIANT
"""
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402

PLIANT = sys.argv.pop(1)
SCENE, BALL = (os.path.join(os.environ["PLIANT_ASSETS"], name) for name in ("scenes/drag_coarse.json",
                                                                            "meshes/sphere_305.msh"))
# restores the default action, since a test sends this signal; under nohup, programs ignore it
signal.signal(signal.SIGHUP, signal.SIG_DFL)


class Series(InFolder):
    def command(self, *words):
        return [PLIANT, "record", SCENE, "--mesh", BALL, "--pins", '{"z": [null, -0.3]}', "--device", "cpu", *words]

    def listed(self):
        tree = xml.etree.ElementTree.parse(self.path("out/frames.pvd"))
        return [(float(d.get("timestep")), d.get("file")) for d in tree.iter("DataSet")]

    def test_series(self):
        done = subprocess.run(self.command("--frames", "7", "--vtu", self.path("out"),
                                           "--state", self.path("state.npz")),
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("frames for ParaView: 7", done.stdout)
        frames = self.listed()
        self.assertEqual([name for _, name in frames], ["frame_%05d.vtu" % k for k in range(7)])
        self.assertEqual(sorted(os.listdir(self.path("out"))), sorted([n for _, n in frames] + ["frames.pvd"]))
        for k, (at, _) in enumerate(frames):
            self.assertAlmostEqual(at, k / 30, delta=1e-6)
        with open(self.path("out/frames.pvd")) as file:
            self.assertIn('timestep="0" ', file.read())  # not "-0"
        # Pliant reads each frame as a mesh
        info = subprocess.run([PLIANT, "info", self.path("out/frame_00006.vtu")], capture_output=True, text=True)
        self.assertIn("tets                  960", info.stdout, info.stderr)
        self.others_read_what_is_there()

    def test_frames_have_the_times_of_their_states(self):
        subprocess.run(self.command("--frames", "6", "--dt", "0.05", "--vtu", self.path("out")), check=True,
                       capture_output=True, timeout=120)
        for (at, _), time in zip(self.listed(), (0, 0.05, 0.1, 0.1, 0.15, 0.2)):
            self.assertAlmostEqual(at, time, delta=1e-9)

    def test_frames_of_an_earlier_run_stay(self):
        """A run refuses a folder with old frames. With --overwrite it removes all old frames, also if it records fewer
        frames."""
        words = self.command("--vtu", self.path("out"), "--frames")
        subprocess.run([*words, "3"], check=True, capture_output=True, timeout=120)
        done = subprocess.run([*words, "2"], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 1)
        self.assertIn("contains 3 frames of an earlier run", done.stderr)
        self.assertEqual(len(self.listed()), 3)
        subprocess.run([*words, "2", "--overwrite"], check=True, capture_output=True, timeout=120)
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["frame_00000.vtu", "frame_00001.vtu", "frames.pvd"])

    def others_read_what_is_there(self):
        script = """
import sys, numpy
state = numpy.load(sys.argv[2])
try:
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(sys.argv[1]); reader.Update()
    grid = reader.GetOutput()
    points = vtk_to_numpy(grid.GetPoints().GetData())
    on_nodes = lambda name: vtk_to_numpy(grid.GetPointData().GetArray(name))
    on_tets = lambda name: vtk_to_numpy(grid.GetCellData().GetArray(name))
    cells, who = grid.GetNumberOfCells(), "VTK"
except ModuleNotFoundError:
    import meshio
    mesh = meshio.read(sys.argv[1])
    points, cells, who = mesh.points, len(mesh.cells[0].data), "meshio"
    on_nodes = lambda name: mesh.point_data[name]
    on_tets = lambda name: numpy.squeeze(mesh.cell_data[name][0])
assert numpy.array_equal(points, state["positions"]), "positions"
assert numpy.allclose(on_nodes("displacement"), state["positions"] - state["initial_positions"], atol=1e-12)
v = on_nodes("velocity")
assert v.shape == points.shape and abs(v).max() > 1e-3
s, mises, J = on_tets("Cauchy stress"), on_tets("von Mises stress"), on_tets("det F")
d = s[:, :3] - s[:, :3].mean(axis=1)[:, None]
expected = numpy.sqrt(1.5 * ((d ** 2).sum(axis=1) + 2 * (s[:, 3:] ** 2).sum(axis=1)))
assert numpy.allclose(mises, expected) and mises.max() > 0.1
assert J.min() > 0 and abs(J - 1).max() > 1e-3 and cells == 960
print("read by", who)
"""
        done = subprocess.run(["/usr/bin/python3", "-c", script, self.path("out/frame_00006.vtu"),
                               self.path("state.npz")],
                              capture_output=True, text=True)
        if "ModuleNotFoundError" in done.stderr:
            self.skipTest("neither python3-vtk9 nor python3-meshio is installed")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("read by", done.stdout)

    def test_stresses_are_the_materials(self):
        """Compares the Cauchy stress of every tet with the material's formula in terms of b = F F^T. F is computed from
        the positions of the tet's corners."""
        share = 0.2
        script = """
import sys, numpy
material, mu, lam, s = sys.argv[2], *map(float, sys.argv[3:6])
try:
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(sys.argv[1]); reader.Update()
    grid = reader.GetOutput()
    x = vtk_to_numpy(grid.GetPoints().GetData())
    u = vtk_to_numpy(grid.GetPointData().GetArray("displacement"))
    stress = vtk_to_numpy(grid.GetCellData().GetArray("Cauchy stress"))
    tets = vtk_to_numpy(grid.GetCells().GetConnectivityArray()).reshape(-1, 4)
except ModuleNotFoundError:
    import meshio
    mesh = meshio.read(sys.argv[1])
    x, u, tets = mesh.points, mesh.point_data["displacement"], mesh.cells[0].data
    stress = numpy.squeeze(mesh.cell_data["Cauchy stress"][0])
edges = lambda p: (p[tets][:, :3] - p[tets][:, 3:]).transpose(0, 2, 1)
F = edges(x) @ numpy.linalg.inv(edges(x - u))
I, b, J = numpy.eye(3), F @ F.transpose(0, 2, 1), numpy.linalg.det(F)[:, None, None]
I1 = numpy.trace(b, axis1=1, axis2=2)[:, None, None]
m2 = s * mu
sigma = {"neo_hookean": (mu * (b - I) + lam * numpy.log(J) * I) / J,
         "mooney_rivlin": ((mu - m2 + m2 * I1) * b - m2 * b @ b + ((lam - 2 * m2) * numpy.log(J) - mu - m2) * I) / J,
         "stvk": (lam / 2 * (I1 - 3) * b + mu * (b @ b - b)) / J}[material]
off = abs(stress - sigma[:, [0, 1, 2, 0, 1, 0], [0, 1, 2, 1, 2, 2]]).max()
assert abs(sigma).max() > 0.1 * mu and off < 1e-9 * mu, (abs(sigma).max(), off)
"""
        with open(SCENE) as file:
            scene = json.load(file)
        for material, words in (("neo_hookean", []), ("mooney_rivlin", ["--second-invariant", str(share)]),
                                ("stvk", [])):
            shutil.rmtree(self.path("out"), ignore_errors=True)
            subprocess.run(self.command("--gravity", "0,0,40", "--frames", "7", "--vtu", self.path("out"),
                                        "--material", material, *words),
                           check=True, capture_output=True, timeout=120)
            done = subprocess.run(["/usr/bin/python3", "-c", script, self.path("out/frame_00006.vtu"), material,
                                   str(scene["mu"]), str(scene["lambda"]), str(share if words else 0)],
                                  capture_output=True, text=True)
            if "ModuleNotFoundError" in done.stderr:
                self.skipTest("neither python3-vtk9 nor python3-meshio is installed")
            self.assertEqual(done.returncode, 0, material + ": " + done.stderr)

    def test_quadratic_bodies_have_stresses_at_nodes(self):
        """The stress at a node is the mean over the tets around the node. In each tet, the derivatives of the ten shape
        functions give F."""
        script = """
import sys, numpy, meshio
mesh = meshio.read(sys.argv[1])
x, u, (cells,) = mesh.points, mesh.point_data["displacement"], mesh.cells
mu, lam, tets = 1000, 2000, cells.data
assert cells.type == "tetra10"
edges = numpy.array([[0, 1], [1, 2], [0, 2], [0, 3], [1, 3], [2, 3]])
part = numpy.zeros((10, 4))
part[range(4), range(4)] = 1
part[4:, :] = (part[edges[:, 0]] + part[edges[:, 1]]) / 2
# slope [node][shape function][barycentric coordinate]: derivatives of shape functions at the nodes
slope = numpy.zeros((10, 10, 4))
for c in range(4):
    slope[:, c, c] = 4 * part[:, c] - 1
for m, (p, q) in enumerate(edges):
    slope[:, 4 + m, p], slope[:, 4 + m, q] = 4 * part[:, q], 4 * part[:, p]
along = slope[:, :, :3] - slope[:, :, 3:]
D = lambda points: numpy.einsum("eai,nac->enic", points[tets], along)
F = D(x) @ numpy.linalg.inv(D(x - u))
J = numpy.linalg.det(F)[..., None, None]
I = numpy.eye(3)
sigma = (mu * (F @ F.swapaxes(2, 3) - I) + lam * numpy.log(J) * I) / J
sums, count = numpy.zeros((len(x), 3, 3)), numpy.zeros(len(x))
numpy.add.at(sums, tets, sigma)
numpy.add.at(count, tets, 1)
mean = sums / count[:, None, None]
off = abs(mesh.point_data["Cauchy stress at nodes"] - mean[:, [0, 1, 2, 0, 1, 0], [0, 1, 2, 1, 2, 2]]).max()
d = mean - numpy.trace(mean, axis1=1, axis2=2)[:, None, None] / 3 * I
mises = numpy.sqrt(1.5 * (d ** 2).sum(axis=(1, 2)))
off = max(off, abs(numpy.squeeze(mesh.point_data["von Mises stress at nodes"]) - mises).max())
assert abs(mean).max() > 0.1 * mu and off < 1e-9 * mu, (abs(mean).max(), off)
"""
        scene = {"shapes": [{"kind": "box", "size": [0.2, 0.2, 0.6], "cells": 2}], "degree": 2,
                 "mu": 1000, "lambda": 2000, "density": 1000,
                 "dt": 0.01, "gravity": [5, 0, -9.81], "pins": [{"z": [None, 1e-6]}]}
        with open(self.path("scene.json"), "w") as file:
            json.dump(scene, file)
        subprocess.run([PLIANT, "record", self.path("scene.json"), "--device", "cpu", "--frames", "4",
                        "--vtu", self.path("out")], check=True, capture_output=True, timeout=120)
        done = subprocess.run(["/usr/bin/python3", "-c", script, self.path("out/frame_00003.vtu")],
                              capture_output=True, text=True)
        if "ModuleNotFoundError" in done.stderr:
            self.skipTest("python3-meshio is not installed")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_bodies_that_touch(self):
        """The contact forces between bodies in the VTU file equal those of `pliant bench`, and the sums of the nodal
        forces. Before the bodies touch, the file has no contact forces."""
        box = {"shape": {"kind": "box", "size": [0.2, 0.2, 0.1], "cells": 2}}
        scene = {"bodies": [{"name": "low", **box},
                            {"name": "high", **box, "place": [0.03, 0.02, 0.12], "velocity": [0.3, 0, 0]}],
                 "mu": 10000, "lambda": 20000, "density": 1000, "dt": 1 / 60, "gravity": [0, 0, -9.81],
                 "obstacles": [{"kind": "box", "at": [0, 0, -0.101], "size": [1, 1, 0.2], "friction": 0.5}],
                 "self_contact": True, "device": "cpu", "precision": "double"}
        with open(self.path("scene.json"), "w") as file:
            json.dump(scene, file)
        subprocess.run([PLIANT, "record", self.path("scene.json"), "--frames", "9", "--vtu", self.path("out")],
                       check=True, capture_output=True, timeout=120)
        done = subprocess.run([PLIANT, "bench", self.path("scene.json"), "--steps", "16", "--json",
                               self.path("bench.json")], check=True, capture_output=True, text=True, timeout=120)
        with open(self.path("out/frame_00000.vtu"), "rb") as file:
            self.assertNotIn(b"contact bodies", file.read())
        info = subprocess.run([PLIANT, "info", self.path("out/frame_00008.vtu")], capture_output=True, text=True)
        self.assertIn("components", info.stdout, info.stderr)
        script = """
import sys, json, numpy, meshio
mesh = meshio.read(sys.argv[1])
bench = json.load(open(sys.argv[2]))
told, below = bench["contacts"]
for name in ("kinetic_J", "elastic_J", "momentum_kg_m_s", "volume_m3", "contact_push_N"):
    assert abs(mesh.field_data[name].ravel() - bench[name]).max() <= 1e-9 * abs(mesh.field_data[name]).max(), name
bodies, force, pressed, places = (mesh.field_data["contact bodies" + name]
                                  for name in ("", " force", " pressed", " places"))
assert told["bodies"] == ["low", "high"] and bodies.tolist() == [[0, 1], [0, -1]], (told, bodies)
assert below["bodies"] == ["low", "obstacle 1"] and below["force_N"][2] > 40, below
# forces in JSON have 15 digits
assert numpy.allclose(force, [told["force_N"], below["force_N"]], rtol=1e-13, atol=0), (told, below, force)
assert force[0, 2] < -1 and abs(force[0, 0]) > 0.1, force
for values, key in ((pressed, "pressed_N"), (places, "places")):
    assert numpy.allclose(values.ravel(), [told[key], below[key]], rtol=1e-13, atol=0) and values.min() > 3, key
(cells,), (body,) = mesh.cells, mesh.cell_data["body"]
low = numpy.unique(cells.data[numpy.ravel(body) == 0])
on_low = mesh.point_data["contact force"][low].sum(axis=0)
assert abs(on_low - force.sum(axis=0)).max() < 1e-9 * abs(force).max(), (on_low, force)
"""
        done = subprocess.run(["/usr/bin/python3", "-c", script, self.path("out/frame_00008.vtu"),
                               self.path("bench.json")], capture_output=True, text=True)
        if "ModuleNotFoundError" in done.stderr:
            self.skipTest("python3-meshio is not installed")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_interrupted_leaves_whole_files(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number):
                shutil.rmtree(self.path("out"), ignore_errors=True)
                self.interrupt(number)

    def test_under_nohup_a_run_survives_the_end_of_the_terminal(self):
        running = subprocess.Popen(["nohup", *self.command("--frames", "12", "--vtu", self.path("out"))],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not glob.glob(self.path("out/frame_*.vtu")) and running.poll() is None:
            time.sleep(0.01)
        running.send_signal(signal.SIGHUP)
        _, err = running.communicate(timeout=60)
        self.assertEqual((running.returncode, len(self.listed())), (0, 12), err)

    def interrupt(self, number):
        running = subprocess.Popen(self.command("--frames", "2000", "--vtu", self.path("out"),
                                                "--state", self.path("state.npz")),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while len(glob.glob(self.path("out/frame_*.vtu"))) < 4 and running.poll() is None:
            time.sleep(0.01)
        running.send_signal(number)
        _, err = running.communicate(timeout=60)
        self.assertEqual(running.returncode, 1)
        count = int(re.search(r"interrupted by .*\(signal %d\); complete frames: (\d+) of 2000" % number,
                              err).group(1))
        self.assertEqual(len(self.listed()), count)
        # the folder has the complete frames and frames.pvd, but no partial file
        self.assertEqual(len(glob.glob(self.path("out/*"))), count + 1)
        self.assertTrue(os.path.exists(self.path("state.npz")))

    def test_one_recording_at_a_time_into_a_folder(self):
        first = subprocess.Popen(self.command("--frames", "2000", "--vtu", self.path("out")), stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        while not glob.glob(self.path("out/frame_*.vtu")) and first.poll() is None:
            time.sleep(0.01)
        os.symlink("out", self.path("also_out"))
        for words in (["--vtu", self.path("out")], ["--vtu", self.path("also_out")]):
            second = subprocess.run(self.command("--frames", "2", *words), capture_output=True, text=True, timeout=60)
            self.assertEqual(second.returncode, 1)
            self.assertIn("process %d is recording into it" % first.pid, second.stderr)
        first.send_signal(signal.SIGKILL)
        first.wait()
        # The next run removes partial files, and ignores the lock of a dead process. Other files are kept.
        for name in ("frame_00000.vtu.0badcafe.part", "my.part"):
            with open(self.path("out/" + name), "w") as file:
                file.write("half")
        shutil.copy(self.path("out/my.part"), self.path("out/frames.txt"))
        done = subprocess.run(self.command("--frames", "2", "--vtu", self.path("out"), "--overwrite"),
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        left = [name for name in os.listdir(self.path("out")) if not re.fullmatch(r"frame_\d{5}\.vtu", name)]
        self.assertEqual(sorted(left), ["frames.pvd", "frames.txt", "my.part"])

    def test_interrupted_film_is_whole(self):
        if not shutil.which("ffmpeg") or not shutil.which("ffprobe"):
            self.skipTest("no ffmpeg")
        film = self.path("film.mp4")
        running = subprocess.Popen(self.command("--frames", "2000", "--size", "160x120", "--video", film,
                                                "--vtu", self.path("out")),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        while len(glob.glob(self.path("out/frame_*.vtu"))) < 6 and running.poll() is None:
            time.sleep(0.01)
        if running.poll() is not None:
            err = running.communicate()[1]
            if "drawing without a window needs" in err:
                self.skipTest(err)
        os.killpg(running.pid, signal.SIGINT)  # sends the signal to the whole process group, as a terminal does
        _, err = running.communicate(timeout=60)
        count = int(re.search(r"; complete frames: (\d+) of 2000; the video is complete", err).group(1))
        probe = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-select_streams", "v", "-show_entries",
                                "stream=nb_read_frames", "-of", "csv=p=0", film], capture_output=True, text=True)
        self.assertEqual(int(probe.stdout.strip().strip(",")), count, probe.stderr)

    def test_resumed_series_is_listed_from_its_beginning(self):
        keep, out = self.path("keep"), self.path("out")
        scene = self.path("box.json")
        with open(scene, "w") as file:
            json.dump({"shapes": [{"kind": "box", "size": [1, 1, 1], "cells": 1}], "pins": [{"z": [None, 0.01]}],
                       "mu": 500, "lambda": 200, "density": 10, "device": "cpu", "gravity": [0, 0, -9.8],
                       "dt": 0.01}, file)

        def record(*words):
            done = subprocess.run([PLIANT, "record", scene, *words], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done
        record("--frames", "12", "--vtu", out, "--checkpoint", keep, "--every", "5")
        # simulates that the first run had continued after its last checkpoint
        record("--frames", "15", "--vtu", out, "--overwrite")
        done = record("--frames", "18", "--vtu", out, "--resume", keep)
        self.assertEqual(done.stderr, "")
        self.assertIn("frames for ParaView: 18", done.stdout)
        frames = self.listed()
        self.assertEqual([name for _, name in frames], ["frame_%05d.vtu" % k for k in range(18)])
        for k, (at, _) in enumerate(frames):  # the time of the first state at k / 30 s or later
            self.assertAlmostEqual(at, 0.01 * -(-10 * k // 3), delta=1e-6)
        # In another folder the resumed run lists only the frames that exist, and a message reports the missing ones.
        os.mkdir(self.path("new"))
        out = self.path("new")
        done = record("--frames", "18", "--vtu", out, "--resume", keep)
        self.assertIn("only 0 of the 12 frames before frame 12 were found", done.stderr)
        tree = xml.etree.ElementTree.parse(self.path("new/frames.pvd"))
        self.assertEqual([d.get("file") for d in tree.iter("DataSet")], ["frame_%05d.vtu" % k for k in range(12, 18)])

    def test_resumed_series_of_a_cut_body_is_the_uninterrupted_one(self):
        """The resumed series equals the uninterrupted one byte for byte. This includes velocities of nodes that the cut
        has added, which are computed from the masses of these nodes."""
        with open(self.path("cut.json"), "w") as file:
            json.dump({"shapes": [{"kind": "box", "size": [1, 0.3, 0.7], "cells": 3}], "pins": [{"z": [None, 0.01]}],
                       "mu": 500, "lambda": 200, "density": 10, "device": "cpu", "gravity": [0, 0, -9.8],
                       "forces": [{"region": {"z": [0.4, None]}, "total": [1, 0.3, 0]}],
                       "cuts": [{"time": 0.05, "point": [0.5, 0, 0.3], "normal": [1, 0.1, 0.2]}]}, file)

        def record(out, *words):
            done = subprocess.run([PLIANT, "record", self.path("cut.json"), "--vtu", self.path(out), *words],
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stderr
        self.assertIn("nodes added", record("whole", "--frames", "9"))
        record("parts", "--frames", "5", "--checkpoint", self.path("keep"))
        record("parts", "--frames", "9", "--resume", self.path("keep"))
        for name in os.listdir(self.path("whole")):
            with open(self.path("whole/" + name), "rb") as whole, open(self.path("parts/" + name), "rb") as parts:
                self.assertEqual(whole.read(), parts.read(), name)

    def test_resumed_series_of_bodies_that_rub_is_the_uninterrupted_one(self):
        """The resumed series equals the uninterrupted one byte for byte. The first frame after the resume contains the
        friction forces of the step before this frame, which the checkpoint must therefore store."""
        box = {"shape": {"kind": "box", "size": [0.2, 0.2, 0.1], "cells": 2}}
        scene = {"bodies": [{"name": "low", **box},
                            {"name": "high", **box, "place": [0.03, 0.02, 0.12], "velocity": [0.3, 0, 0]}],
                 "mu": 10000, "lambda": 20000, "density": 1000, "dt": 1 / 60, "gravity": [0, 0, -9.81],
                 "obstacles": [{"kind": "box", "at": [0, 0, -0.101], "size": [1, 1, 0.2], "friction": 0.5}],
                 "self_contact": True, "friction": 0.4, "device": "cpu"}
        for precision in ("float", "double"):
            with open(self.path("rub.json"), "w") as file:
                json.dump({**scene, "precision": precision}, file)

            def record(out, *words):
                done = subprocess.run([PLIANT, "record", self.path("rub.json"), "--vtu", self.path(out), *words],
                                      capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 0, done.stderr)
            record("whole", "--frames", "12", "--overwrite")
            record("parts", "--frames", "9", "--checkpoint", self.path("keep"), "--overwrite")
            record("parts", "--frames", "12", "--resume", self.path("keep"))
            for name in os.listdir(self.path("whole")):
                with open(self.path("whole/" + name), "rb") as whole, open(self.path("parts/" + name), "rb") as parts:
                    self.assertTrue(whole.read() == parts.read(), (precision, name))

    def test_resumed_film_is_one_of_its_own(self):
        if not shutil.which("ffmpeg") or not shutil.which("ffprobe"):
            self.skipTest("no ffmpeg")

        def record(*words):
            return subprocess.run(self.command("--size", "160x120", "--video", self.path("f.mp4"), *words),
                                  capture_output=True, text=True, timeout=120)

        def pictures(film):
            probe = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-select_streams", "v", "-show_entries",
                                    "stream=nb_read_frames", "-of", "csv=p=0", self.path(film)], capture_output=True,
                                   text=True)
            return int(probe.stdout.strip().strip(","))
        done = record("--frames", "4", "--checkpoint", self.path("keep"))
        if "drawing without a window needs" in done.stderr:
            self.skipTest(done.stderr)
        done = record("--frames", "9", "--resume", self.path("keep"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("f.mp4: a video cannot be extended; frames from 4 on are written to %s"
                      % self.path("f-00004.mp4"), done.stderr)
        self.assertNotIn("missing", done.stderr)
        self.assertIn("video: " + self.path("f-00004.mp4"), done.stdout)
        self.assertEqual((pictures("f.mp4"), pictures("f-00004.mp4")), (4, 5))
        os.remove(self.path("f.mp4"))
        done = record("--frames", "6", "--resume", self.path("keep"))
        self.assertIn("The video of the earlier frames is missing", done.stderr)

    def test_a_film_that_finds_no_room_leaves_the_one_before(self):
        if not shutil.which("ffmpeg"):
            self.skipTest("no ffmpeg")
        with open(self.path("film.mp4"), "w") as film:
            film.write("a good one")
        done = subprocess.run(["bash", "-c", "ulimit -f 2; exec \"$@\"", "bash",
                               *self.command("--frames", "5", "--size", "160x120", "--video", self.path("film.mp4"))],
                              capture_output=True, text=True, timeout=60)
        if "drawing without a window needs" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("film.mp4: ffmpeg failed", done.stderr)
        self.assertEqual(os.listdir(self.folder.name), ["film.mp4"])
        with open(self.path("film.mp4")) as film:
            self.assertEqual(film.read(), "a good one")

    def test_a_hung_ffmpeg_does_not_stop_a_signal(self):
        """If ffmpeg hangs, a signal still ends the program. All PNG frames are complete, a message reports that the
        film is missing, and ffmpeg's partial file is removed."""
        # the last of these scripts reads all pictures of the film and then hangs
        scripts = ["sleep 1000", "kill -STOP $$", "cat > /dev/null; sleep 1000"]
        for number, script in zip((signal.SIGTERM, signal.SIGINT, signal.SIGTERM), scripts):
            shutil.rmtree(self.path("out"), ignore_errors=True)
            with open(self.path("ffmpeg"), "w") as file:
                file.write("#!/bin/bash\n%s\n" % script)
            os.chmod(self.path("ffmpeg"), 0o755)
            running = subprocess.Popen(self.command("--frames", "2000", "--size", "320x240", "--video",
                                                    self.path("f.mp4"), "-o", self.path("out")),
                                       env={**os.environ, "PATH": self.folder.name + ":" + os.environ["PATH"]},
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            while not glob.glob(self.path("out/frame_*.png")) and running.poll() is None:
                time.sleep(0.01)
            if running.poll() is not None and "drawing without a window needs" in running.stderr.read():
                self.skipTest("nothing can be drawn here")
            time.sleep(0.5)
            running.send_signal(number)
            begun = time.monotonic()
            _, err = running.communicate(timeout=30)
            self.assertLess(time.monotonic() - begun, 8, script)
            self.assertEqual(running.returncode, 1, err)
            self.assertIn("f.mp4: ffmpeg does not respond", err)
            count = int(re.search(r"; complete frames: (\d+) of 2000; the video is missing", err).group(1))
            self.assertEqual(sorted(os.listdir(self.path("out"))), ["frame_%05d.png" % k for k in range(count)])
            self.assertEqual(sorted(os.listdir(self.folder.name)), ["ffmpeg", "out"])

    def test_animated_pictures(self):
        for name, start in (("a.gif", b"GIF89a"), ("a.webp", b"RIFF")):
            words = self.command("--frames", "3", "--size", "160x120", "--video", self.path(name))
            done = subprocess.run(words, capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(self.path(name), "rb") as file:
                film = file.read()
            self.assertTrue(film.startswith(start))
            self.assertEqual(film.count(b"ANMF") if name == "a.webp" else film.count(b"\x21\xf9\x04"), 3, name)

            # If ffmpeg writes only a part of the file, an error is reported, and the old file is unchanged.
            with open(self.path("half"), "wb") as file:
                file.write(film[:len(film) // 2])
            with open(self.path("ffmpeg"), "w") as file:
                file.write("#!/bin/sh\ncat >/dev/null\nfor last; do :; done\n"
                           f'cat {self.path("half")} >"${{last#file:}}"\n')
            os.chmod(self.path("ffmpeg"), 0o755)
            path = self.folder.name + ":" + os.environ["PATH"]
            done = subprocess.run(words, capture_output=True, text=True, timeout=60, env={**os.environ, "PATH": path})
            self.assertEqual(done.returncode, 1)
            self.assertIn("the output of ffmpeg is cut off", done.stderr)
            with open(self.path(name), "rb") as file:
                self.assertEqual(file.read(), film)
            os.remove(self.path("ffmpeg"))

    def test_a_film_has_the_format_of_its_name(self):
        for name in ("a.avi", "a.mkv", "a"):
            done = subprocess.run(self.command("--frames", "2", "--video", self.path(name)), capture_output=True,
                                  text=True, timeout=60)
            self.assertEqual(done.returncode, 1, name)
            self.assertIn(self.path(name) + ": the name of a video must end in .mp4, .webp or .gif", done.stderr)
            self.assertEqual(os.listdir(self.folder.name), [])

    def test_full_disk(self):
        # a limit on file sizes simulates a full disk
        done = subprocess.run(["bash", "-c", "ulimit -f 5; exec \"$@\"", "bash",
                               *self.command("--frames", "3", "--vtu", self.path("out"))], capture_output=True,
                              text=True, timeout=60)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("cannot be written", done.stderr)
        self.assertIn("complete frames: 0 of 3", done.stderr)
        self.assertEqual(os.listdir(self.path("out")), [])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Tests the Python package over libpliant: scenes, arrays, states, errors, interrupts, and the declarations of its
functions. Examples of examples/python run if the packages that they need are installed.

usage: test_package.py SOURCE LIBRARY     root of the sources, path of libpliant.so.0
"""
import contextlib
import copy
import gc
import importlib.util
import io
import json
import logging
import os
import pathlib
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

SOURCE, LIBRARY = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
if not importlib.util.find_spec("numpy"):
    print("numpy is not installed: Debian's package is python3-numpy")
    sys.exit(77)

os.environ["PLIANT_LIBRARY"] = str(LIBRARY)  # the package loads this library
sys.path.insert(0, str(SOURCE / "python"))
import numpy  # noqa: E402
import pliant  # noqa: E402
from pliant import _library  # noqa: E402


def bar(**keys):
    scene = pliant.Scene(shapes=[{"kind": "box", "size": [1, 0.4, 0.4], "cells": 2}], young=1e5, dt=0.01,
                         newton_relative=1e-9, cg_relative=1e-9, precision="double", device="cpu", **keys)
    return scene


class Package(unittest.TestCase):
    def test_declarations_follow_the_header(self):
        text = (SOURCE / "include/pliant.h").read_text()
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        declared = re.findall(r"PLIANT_API ([\w ]+?[ *]+)(pliant_\w+)\(([^;]*)\);", text)
        self.assertEqual([name for _, name, _ in declared], list(_library.FUNCTIONS))
        for result, name, arguments in declared:
            count = 0 if arguments.strip() == "void" else arguments.count(",") + 1
            self.assertEqual(len(_library.FUNCTIONS[name][1]), count, name)
            self.assertEqual(_library.FUNCTIONS[name][0] is None, result.strip() == "void", name)
        structs = {"View": "view", "Report": "report", "OptionInfo": "option_info", "FieldInfo": "field_info",
                   "ObservableInfo": "observable_info"}
        for python, c in structs.items():
            body = re.search(r"typedef struct pliant_" + c + r" \{(.*?)\} ", text, re.DOTALL).group(1)
            members = [re.sub(r"[*\s]|\[\d\]", "", m) for part in re.findall(r"\w[\w ]* ([\w*, \[\]]+);", body)
                       for m in part.split(",")]
            self.assertEqual([name for name, _ in getattr(_library, python)._fields_], members, c)

    def test_sets_of_a_file_are_regions(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tets.inp")
            with open(path, "w") as file:
                file.write("*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n5, 1, 1, 1\n*ELEMENT, TYPE=C3D4\n"
                           "1, 1, 2, 3, 4\n2, 2, 3, 4, 5\n*NSET, NSET=tip\n5\n*NSET, NSET=foot\n1, 2\n")
            sim = pliant.Scene(path, pins=[{"set": "foot"}], device="cpu").simulate()
        self.assertEqual(sim.find(set="tip").tolist(), [4])
        self.assertEqual(sim.find(set="foot").tolist(), [0, 1])
        with self.assertRaisesRegex(pliant.BadArgument, 'no set of the mesh has the name "tap".*there are: tip, foot'):
            sim.find(set="tap")

    def test_a_mesh_file_with_an_empty_list_of_pins_falls_freely(self):
        path = SOURCE / "assets/meshes/sphere_63.msh"
        for pins, falls in (({"pins": []}, True), ({}, False)):
            sim = pliant.Scene(path, gravity=[0, 0, -10], dt=0.01, device="cpu", **pins).simulate()
            before = sim.positions.copy()
            sim.step(20)
            moved = sim.positions - before
            self.assertEqual(numpy.allclose(moved, [0, 0, -0.2], atol=1e-3), falls)

    @unittest.skipIf(importlib.util.find_spec("pxr"), "usd-core is installed")
    def test_usd_names_what_it_needs(self):
        with self.assertRaisesRegex(ImportError, "pip install usd-core"):
            pliant.read_usd("body.usda")

    @unittest.skipIf(importlib.util.find_spec("pyvista"), "pyvista is installed")
    def test_view_names_what_it_needs(self):
        with self.assertRaisesRegex(ImportError, r"pip install 'pyvista\[jupyter\]'"):
            pliant.view(bar().simulate())

    def test_falls_as_a_stone(self):
        sim = bar(gravity=[0, 0, -10]).simulate()
        before = sim.positions.copy()
        sim.step(50)
        self.assertTrue(numpy.allclose(sim.positions - before, [0, 0, -1.25], atol=1e-8))
        self.assertEqual((sim.report.step, sim.report.converged, sim.report.cause), (50, True, ""))
        self.assertAlmostEqual(sim.observe("momentum")[2], -5 * sim.field("masses").sum(), places=4)

    def test_energy_of_a_loaded_state_has_its_springs(self):
        sim = bar(gravity=[0, 0, -10]).simulate()
        pull = sim.grab([1, 0, 0], 0.3)
        pull.to([1.2, 0, 0])
        sim.step(2)
        energy, state = sim.observe("potential"), sim.save()
        pull.to([1.5, 0.5, 0])
        sim.step(3)
        self.assertNotAlmostEqual(sim.observe("potential"), energy, delta=0.01 * abs(energy))
        sim.load(state)
        self.assertEqual(sim.observe("potential"), energy)

    def test_states_repeat(self):
        scene = bar(gravity=[0, 0, -10])
        scene.add("pins", {"x": [None, -0.49]})
        sim = scene.simulate()
        sim.step(3)
        state, copies = sim.save(), sim.clone(3)
        sim.step(4)
        expected = sim.positions.copy()
        sim.load(state)
        sim.step(4)
        pliant.step_many(copies, 4)
        for other in [sim] + copies:
            self.assertEqual(other.positions.tobytes(), expected.tobytes())
        many = pliant.field_many(copies, "positions")
        self.assertEqual(many.shape, (3,) + expected.shape)
        self.assertEqual(many[2].tobytes(), expected.tobytes())
        pliant.reset_many(copies, [True, False, True])
        self.assertEqual([other.time > 0 for other in copies], [False, True, False])
        with self.assertRaises(pliant.BadArgument):
            pliant.reset_many(copies, [True])
        with self.assertRaises(pliant.BadArgument):
            pliant.field_many([], "positions")

    def test_copies_are_simulations_of_their_own(self):
        sim = bar(gravity=[0, 0, -10]).simulate()
        sim.step()
        for duplicate in (copy.copy(sim), copy.deepcopy(sim)):
            duplicate.step()
            self.assertEqual((sim.report.step, duplicate.report.step), (1, 2))
        del duplicate
        for thing in (sim, bar()):
            with self.assertRaisesRegex(TypeError, "cannot be pickled"):
                pickle.dumps(thing)
        sim.step()
        self.assertEqual(sim.report.step, 2)

    def test_numbers_are_not_cut_to_32_bits(self):
        sim = bar().simulate()
        for call in (lambda: sim.step(2**32 + 2), lambda: sim.clone(2**32 + 1), lambda: sim.hold([2**32 + 1]),
                     lambda: sim.move_obstacle(2**32, [0, 0, 0]), lambda: pliant.step_many([sim], 2**32 + 1),
                     lambda: sim.step(1.5), lambda: pliant.set_threads(2**32)):
            self.assertRaises(pliant.BadArgument, call)
        self.assertEqual(sim.report.step, 0)

    def test_a_damaged_state_is_refused(self):
        sim = bar().simulate()
        sim.step(3)
        state = sim.save()
        for at in range(8, len(state), max(len(state) // 50, 1)):
            damaged = bytearray(state)
            damaged[at] ^= 1 << at % 8
            with self.assertRaisesRegex(pliant.BadArgument, "damaged or incomplete"):
                sim.load(bytes(damaged))
        with self.assertRaisesRegex(pliant.BadArgument, "damaged or incomplete"):
            sim.load(state[:-1])
        self.assertEqual(sim.save(), state)

    def test_an_equilibrium_has_the_loads_of_the_present_time(self):
        scene = bar(gravity=[0, 0, 0])
        scene.add("pins", {"x": [None, -0.49]})
        end = {"region": {"x": [0.49, None]}}
        scene.add("forces", {**end, "total": [0, 0, "-20*t"]})
        scene.add("forces", {**end, "total": [0, -20, 0], "over_time": [[0, 0], [1, 1]]})
        sim = scene.simulate()
        for steps, load in ((0, 0), (50, 10)):
            sim.step(steps)
            sim.equilibrium()
            numpy.testing.assert_allclose(sim.field("reactions").sum(axis=0), [0, load, load], atol=1e-3)

    def test_without_pins_there_is_no_equilibrium(self):
        sim = pliant.Scene(bodies=[{"shape": {"kind": "box", "size": [1, 1, 1], "cells": 1}}], young=1e5, device="cpu",
                           gravity=[0, 0, -9.81]).simulate()
        with self.assertRaisesRegex(pliant.StepFailed, "nothing holds the body; pin or grab some of its nodes"):
            sim.equilibrium()

    def test_an_array_of_bool_has_an_element_for_each_node(self):
        sim = bar().simulate()
        for call in (sim.hold, sim.grab_nodes):
            with self.assertRaisesRegex(pliant.BadArgument, r"expected an array of \d+ bool"):
                call(numpy.zeros(3, dtype=bool))

    def test_messages_have_the_names_of_the_package(self):
        sim = bar().simulate()
        for call, message in ((lambda: sim.field("nope"), r'there is no field "nope"; pliant\.fields\(\) lists all'),
                              (lambda: pliant.Scene(nope=1), 'unknown key "nope"; there are: mesh, .*, views$'),
                              (lambda: sim.field("positon"), r'no field "positon" \(did you mean "positions"\?\)'),
                              (lambda: sim.put("forces", [1, 2, 3]), r"the array has the shape \[3\], expected"),
                              (lambda: sim["nope"], r'there is no key "nope"; pliant\.options\(\) lists all'),
                              (lambda: sim.load(b"no"), "not a state that was written by save"),
                              (lambda: sim.clone(-1), "count is -1, expected 0 or more"),
                              (lambda: sim.load("no"), "state has the type str, expected the bytes"),
                              (lambda: sim.__setitem__("dt", numpy.nan), "the value nan is not finite"),
                              (lambda: sim.observe(["kinetic"]), r"the name is \['kinetic'\], expected a text"),
                              (lambda: sim.observe("nope"), "there are: kinetic, .*, min_J$"),
                              (lambda: pliant.step_many([sim, 1]), r"sims\[1\] is 1, expected a Simulation"),
                              (lambda: pliant.reset_many(["a"]), r"sims\[0\] is 'a', expected a Simulation"),
                              (lambda: pliant.field_many([None], "positions"), r"sims\[0\] is None")):
            with self.assertRaisesRegex(pliant.BadArgument, message):
                call()

    def test_the_change_of_spin_is_summed_over_all_steps(self):
        def spinning():
            body = {"shape": {"kind": "box", "size": [1, 0.4, 0.4], "cells": 2}, "spin": [0, 0, 8]}
            sim = pliant.Simulation(pliant.Scene(bodies=[body], young=1e6, dt=0.016, integrator="euler", device="cpu"))
            sim.observe("spin_change")
            return sim
        each, all_at_once = spinning(), spinning()
        for _ in range(10):
            each.step()
            summed = each.observe("spin_change")
        all_at_once.step(10)
        # all ten changes are assumed to be as large as the last one, which is the smallest
        self.assertTrue(summed < all_at_once.observe("spin_change") < 0.5 * summed < 0, summed)

    def test_sums_over_time_begin_again_after_reset_and_load(self):
        scene = bar(pins=[{"x": [None, -0.49], "path": [[0, 0, 0, 0], [1, 0, 0.3, 0]]}], integrator="euler")
        sim = scene.simulate()
        first = sim.save()

        def sums():
            """Returns the sums at the start and after each of five steps."""
            values = [sim.observe("reaction_work:1", "spin_change")]
            for _ in range(5):
                sim.step()
                values.append(sim.observe("reaction_work:1", "spin_change"))
            return values

        expected = sums()
        self.assertEqual(expected[0], [0, 0])
        self.assertGreater(expected[5][0], 0)
        for begin in sim.reset, lambda: sim.load(first):
            begin()
            self.assertEqual(sums(), expected)

    def test_actions(self):
        sim = bar().simulate()
        held = sim.find(x=[None, -0.49])
        self.assertTrue(len(held) > 3 and (sim.field("rest_positions")[held, 0] < -0.49).all())
        sim.hold(held)
        self.assertTrue((sim.field("held_axes")[held] == 7).all())
        with sim.grab([0.5, 0, 0], 0.1) as grab:
            grab.to([0, 0, 0.05])
            sim.step(20)
            self.assertGreater(sim.observe("elastic"), 0)
        with self.assertRaises(pliant.BadArgument):
            grab.release()
        for wrong, part in ((numpy.nan, r"x\[1\] is nan m"), (numpy.inf, r"x\[1\] is inf m")):
            with self.assertRaisesRegex(pliant.BadArgument, part):
                sim.grab([0.5, wrong, 0], 0.1)
        forces = numpy.zeros_like(sim.positions)
        forces[:, 1] = 1
        sim.reset()
        sim.put("forces", forces)
        sim.step(5)
        self.assertGreater(sim.observe("momentum")[1], 0)
        with self.assertRaisesRegex(pliant.BadArgument, r"normal has the shape \[2\], expected an array of 3 numbers"):
            sim.cut([0.05, 0, 0], [1, 0])
        opened = sim.cut([0.05, 0, 0], [1, 0, 0])
        self.assertGreater(opened, 0)
        sim.step()

    def test_a_refused_cut_keeps_the_forces(self):
        sim = bar(self_contact=True).simulate()
        sim.put("forces", numpy.ones_like(sim.positions))
        with self.assertRaisesRegex(pliant.BadArgument, "self_contact cannot be cut"):
            sim.cut([0.05, 0, 0], [1, 0, 0])
        self.assertTrue((sim.field("forces") == 1).all())

    def test_values_of_parts_that_were_torn_out_are_nan(self):
        """A cell is torn out. The observables are asked for the first time after this."""
        scene = bar(tear_stress=1, pins=[{"x": [None, -0.49], "path": [[0, 0, 0, 0], [0.1, -0.3, 0, 0]]}])
        sim = scene.simulate()
        sim.step(2)
        for name in ("position:1", "centre:pins/1", "patch_displacement:pins/1", "patch_J:pins/1",
                     "patch_area:pins/1", "patch_force:pins/1"):
            self.assertTrue(numpy.isnan(sim.observe(name)).all(), name)
        for name in "position:99999", "patch_area:9/9/9/1", "centre:pins/2":
            self.assertRaises(pliant.BadArgument, sim.observe, name)

    def test_nodes_follow_their_paths(self):
        sim = bar().simulate()
        start, end = sim.find(x=[None, -0.49]), sim.find(x=[0.49, None])
        sim.hold(start)
        rest = sim.positions.copy()
        with sim.grab_nodes(end) as grab:
            for step in range(1, 11):  # rotates the nodes of the right end about the x axis
                angle = 0.05 * step
                turn = numpy.array([[1, 0, 0], [0, numpy.cos(angle), -numpy.sin(angle)],
                                    [0, numpy.sin(angle), numpy.cos(angle)]])
                targets = rest[end] @ turn.T
                grab.put(targets)
                sim.step()
                numpy.testing.assert_allclose(sim.positions[end], targets, rtol=0, atol=1e-15)
            grab.put(targets[:2] + [0.01, 0, 0], end[:2])
            sim.step()
            numpy.testing.assert_allclose(sim.positions[end[:2]], targets[:2] + [0.01, 0, 0], rtol=0, atol=1e-15)
            numpy.testing.assert_allclose(sim.positions[end[2:]], targets[2:], rtol=0, atol=1e-15)
            with self.assertRaisesRegex(pliant.BadArgument,
                                        f"node {start[0]}: this node does not belong to the grabbed group"):
                grab.put(targets[:1], start[:1])
            with self.assertRaisesRegex(pliant.BadArgument, "x has the shape"):
                grab.put(targets[:1])
        with sim.grab([0, 0, 0.4], 0.2) as grab, self.assertRaisesRegex(pliant.BadArgument, "springs pull these nodes"):
            grab.put([[0, 0, 0]])

    def test_settings(self):
        sim = bar().simulate()
        sim["young"] = numpy.float64(2e5)
        self.assertAlmostEqual(sim["young"], 2e5)
        self.assertEqual(sim["gravity"], [0, 0, 0])
        with self.assertRaises(pliant.NotNow):
            sim["mesh"] = "x.msh"

    def test_errors(self):
        points = numpy.eye(4, 3)
        with self.assertRaises(pliant.BadFile):
            pliant.Scene("/no/such/file.json")
        bad = [numpy.array([[0, 1, 2, 4]]), numpy.array([[0, 1, 2, -1]]), numpy.array([[0, 1, 2, 2**40]]),
               numpy.array([0, 1, 2, 3]), numpy.array([[0.5, 1, 2, 3]]), numpy.zeros((0, 4), int),
               numpy.array([[0, 1]])]
        for cells in bad:
            with self.assertRaises(pliant.BadArgument, msg=str(cells)):
                pliant.Scene().add_mesh(points, cells)
        for given in (points[:, :2], points * numpy.nan, points.ravel()):
            with self.assertRaises(pliant.BadArgument):
                pliant.Scene().add_mesh(given, [[0, 1, 2, 3]])
        with self.assertRaisesRegex(pliant.BadArgument, "did you mean \"young\""):
            pliant.Scene(yung=1)
        with self.assertRaises(TypeError):
            pliant.Scene(young=object())
        sim = bar().simulate()
        for values in (numpy.zeros(3), numpy.zeros((2, 3)), numpy.full((len(sim.positions), 3), numpy.inf)):
            with self.assertRaises(pliant.BadArgument):
                sim.put("positions", values)
        with self.assertRaises(pliant.BadArgument):
            sim.hold([len(sim.positions)])
        with self.assertRaises(ValueError):
            sim.positions[0] = 1  # views are read-only

    def test_views_outlive_the_simulation(self):
        sim = bar().simulate()
        x = sim.positions
        expected = x.copy()
        del sim
        gc.collect()
        self.assertTrue((x == expected).all())

    def test_interrupt(self):
        sim = bar(gravity=[0, 0, -1]).simulate()
        begun = time.time()
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            sim.step(10**8)
        self.assertLess(time.time() - begun, 20)
        sim.step()

    def test_progress_of_one_simulation(self):
        def work(k):
            scene.simulate(progress=lambda what, part: heard[k].append((threading.get_ident(), what, part)),
                           log=lines[k].append).step(4)
            heard[k].append(threading.get_ident())

        scene = bar(gravity=[0, 0, -10], contact_distance=0.01)
        heard, lines, of_all = [[], []], [[], []], []
        pliant.set_log(of_all.append)
        threads = [threading.Thread(target=work, args=[k]) for k in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        pliant.set_log(logging.getLogger("pliant").info)
        self.assertEqual(of_all, [])
        for reports, notices in zip(heard, lines):
            self.assertEqual(len(notices), 1)
            self.assertIn("contact_distance has no effect", notices[0])
            thread = reports.pop()
            self.assertEqual({report[0] for report in reports}, {thread})
            parts = [part for _, what, part in reports if what == "taking time steps"]
            self.assertEqual(parts, [0.25, 0.5, 0.75, 1])
            self.assertEqual(reports[0][1:], ("reading the mesh", 0))
            self.assertIn("ready", [what for _, what, _ in reports])

    def test_progress_as_a_line(self):
        sim = bar(gravity=[0, 0, -10]).simulate(progress=True)
        with contextlib.redirect_stderr(io.StringIO()) as output:
            sim.step()
            self.assertEqual(output.getvalue(), "")  # short calls print nothing
            line = pliant.ProgressLine()
            line("working", 0.1)
            time.sleep(0.25)
            line("working", 0.5)
            line("working", 0.6)
            line("done", 1)
        self.assertRegex(output.getvalue(), r"^\rworking \[#{10} {10}\]  50 %  0 s\rdone \[#{20}\] 100 %  0 s *\n$")

    def test_errors_of_functions_are_raised(self):
        def fails(what, part):
            raise OverflowError(what)

        with self.assertRaisesRegex(OverflowError, "reading the mesh"):
            bar().simulate(progress=fails)
        sim = bar().simulate()
        sim.listen(progress=fails)
        with self.assertRaisesRegex(OverflowError, "taking time steps"):
            sim.step()
        self.assertEqual(sim.report.step, 1)
        sim.listen()
        sim.step()

    def test_functions_that_receive_progress_cannot_change_their_simulation(self):
        calls = [lambda: sim.listen(), lambda: sim.step(), lambda: sim.reset(), lambda: sim.load(state),
                 lambda: sim.hold([0]), lambda: sim.clone(), lambda: pliant.step_many([sim]),
                 lambda: pliant.reset_many([sim]), lambda: sim.put("velocities", zeros), lambda: sim.equilibrium(),
                 lambda: sim.record_force(None), lambda: sim.__setitem__("friction", 0.1)]

        def receive(what, part):
            values.append((sim.time, len(sim.positions), sim.observe("kinetic"), sim["dt"]))
            for call in calls:
                with self.assertRaisesRegex(pliant.NotNow, "receives progress or notices"):
                    call()

        sim, values = bar(gravity=[0, 0, -10]).simulate(), []
        state, zeros = sim.save(), numpy.zeros((len(sim.positions), 3))
        sim.listen(progress=receive)
        sim.step(3)
        self.assertEqual([round(time, 9) for time, *_ in values], [0.01, 0.02, 0.03])
        sim.listen()
        sim.step()
        self.assertEqual((sim.report.step, len(values)), (4, 3))

    def test_a_function_of_set_log_can_replace_itself(self):
        # without a reference, the callback that runs was freed, and the interpreter crashed
        lines = []

        def receive(line):
            pliant.set_log(None)
            gc.collect()
            lines.append(line)

        pliant.set_log(receive)
        for _ in range(2):
            bar(contact_distance=0.01).simulate()
        pliant.set_log(logging.getLogger("pliant").info)
        self.assertEqual(len(lines), 1)

    def test_threads(self):
        def work(k):
            sim = bar(gravity=[0, 0, -10]).simulate()
            sim.step(10)
            results[k] = sim.positions.tobytes()

        results = [None] * 4
        threads = [threading.Thread(target=work, args=[k]) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(set(results)), 1)

    def test_memory_does_not_grow(self):
        def resident():
            return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096

        scene = bar()
        for _ in range(20):
            scene.simulate().step()
        before = resident()
        for _ in range(100):
            scene.simulate().step()
        self.assertLess(resident() - before, 3e6)
        before = resident()
        kept = [scene.simulate() for _ in range(100)]
        self.assertLess((resident() - before) / len(kept), 4e5)  # bytes that a simulation with 27 nodes needs

    def test_examples(self):
        needs = {"hello": [], "drop_energy": ["matplotlib"], "fit_young": ["scipy"], "finger_env": ["gymnasium"],
                 "sweep": ["dask", "distributed"], "meshes": ["meshio", "pyvista"]}
        self.assertEqual(sorted(needs), sorted(path.stem for path in (SOURCE / "examples/python").glob("*.py")))
        # so that examples find the packages of PYTHONPATH, too
        paths = os.pathsep.join(path for path in sys.path if path)
        environment = dict(os.environ, PYTHONPATH=paths, LD_LIBRARY_PATH=str(LIBRARY.parent))
        for name, packages in needs.items():
            if not all(importlib.util.find_spec(package) for package in packages):
                continue
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                arguments = ["sweep.csv", "6"] if name == "sweep" else []
                done = subprocess.run([sys.executable, str(SOURCE / "examples/python" / f"{name}.py"), *arguments],
                                      cwd=folder, env=environment, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                if name == "sweep":  # the first run has written all rows to a file, so the second run computes none
                    done = subprocess.run([sys.executable, str(SOURCE / "examples/python/sweep.py"), *arguments],
                                          cwd=folder, env=environment, capture_output=True, text=True)
                    self.assertIn("6 sets, 0 of them", done.stdout)

    def test_notebook(self):
        """Runs the code of the tutorial's cells one after another, without Jupyter."""
        cells = json.loads((SOURCE / "examples/python/tutorial.ipynb").read_text())["cells"]
        names = {}
        os.environ["MPLBACKEND"] = "Agg"  # plots open no window
        for cell in cells:
            code = "".join(cell["source"])
            if cell["cell_type"] != "code" or ("matplotlib" in code and not importlib.util.find_spec("matplotlib")):
                continue
            with self.subTest(code.splitlines()[0]), contextlib.redirect_stdout(io.StringIO()):
                exec(code, names)  # noqa: S102
        self.assertLess(names["sims"][0].positions[names["tip"], 2].mean(),
                        names["sims"][3].positions[names["tip"], 2].mean())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

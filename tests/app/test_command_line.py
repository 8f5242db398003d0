#!/usr/bin/env python3
"""Runs the program as a user does: help, successful runs, and messages about bad input.

usage: test_command_line.py PLIANT
"""
import csv
import json
import math
import os
import re
import resource
import signal
import struct
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402
from programs import program_of  # noqa: E402

PLIANT = sys.argv.pop(1)
ASSETS = os.environ["PLIANT_ASSETS"]
BALL = {"kind": "sphere", "at": [0, 0, -9], "radius": 1}
COARSE = os.path.join(ASSETS, "scenes", "hand_coarse.json")


def run(*words, **environment):
    done = subprocess.run([PLIANT, *words], capture_output=True, text=True, timeout=300,
                          env={**os.environ, **environment})
    return done.returncode, done.stdout, done.stderr


def pause(running):
    """Stops a running program for 5 s, until its first report of progress is due. Other tests use its core
    meanwhile."""
    time.sleep(0.5)
    running.send_signal(signal.SIGSTOP)
    time.sleep(5)
    running.send_signal(signal.SIGCONT)


class CommandLine(InFolder):
    def scene(self, **changes):
        """Writes the scene of the coarse hand with keys changed, added, or removed (None). Returns its path."""
        with open(COARSE) as file:
            scene = json.load(file)
        scene["mesh"] = os.path.join(ASSETS, "meshes", "hand_coarse.msh")
        for key, value in changes.items():
            if value is None:
                scene.pop(key)
            else:
                scene[key] = value
        with open(self.path("scene.json"), "w") as file:
            json.dump(scene, file, indent=1)
        return self.path("scene.json")

    def fails(self, words, *fragments, **environment):
        """Tests that the command fails with one line on standard error that contains all fragments."""
        code, out, err = run(*words, **environment)
        self.assertNotEqual(code, 0, words)
        self.assertGreater(code, 0, words)  # a negative code means that a signal ended the program
        self.assertEqual(out, "", words)
        lines = [line for line in err.splitlines() if "skipped" not in line]
        self.assertEqual(len(lines), 1, err)
        for fragment in fragments:
            self.assertIn(fragment, err)

    def test_materials_are_those_of_the_docs(self):
        here = os.path.dirname(os.path.abspath(__file__))
        with open(os.path.join(here, "../../docs/reference/materials.md"), encoding="utf-8") as file:
            docs = file.read()
        told = {}
        for row in docs.split("## Materials that exist")[1].split("##")[0].splitlines():
            cells = [cell.strip() for cell in row.split("|")[1:-1]]
            if len(cells) == 6 and cells[0] not in ("", "---", "material"):
                told[cells[0]] = tuple(float(cell) for cell in cells[1:5])
        _, out, err = run("info", "--all", os.path.join(ASSETS, "meshes", "sphere_63.msh"))
        rows = re.findall(r"(\w+) +Young's modulus +(\S+) Pa, Poisson's ratio +([^, ]+), density +(\S+) kg/m\^3, "
                          r"damping ratio (\S+): ", out)
        self.assertEqual({name: tuple(map(float, numbers)) for name, *numbers in rows}, told, err)
        self.assertIn("muscle", told)

    def test_a_refused_step_reports_its_det_F(self):
        """The refused step would invert a tet, and its det F is reported. The state that is kept inverts no tet."""
        with open(self.path("burst.json"), "w") as file:
            json.dump({"shapes": [{"kind": "box", "size": [0.2, 0.2, 1], "cells": 3}], "young": 1e5, "density": 1000,
                       "gravity": [0, 0, -1e6], "dt": 5, "halvings_max": 0, "pins": {"z": [None, 0.01]},
                       "device": "cpu"}, file)
        code, _, err = run("record", self.path("burst.json"), "--state", self.path("state.npz"), "--frames", "2")
        self.assertEqual(code, 0, err)
        told = re.search(r"turned inside out: after the shortest trial step, the smallest volume ratio is det F = "
                         r"(\S+); in the accepted state the tet with nodes .* has the volume ratio det F = (\S+), the "
                         r"smallest", err)
        self.assertTrue(told, err)
        self.assertLess(float(told[1]), 0)
        self.assertGreater(float(told[2]), 0)

    def test_energy_that_the_integrator_gains_is_reported(self):
        with open(self.path("twisted.json"), "w") as file:
            json.dump({"shapes": [{"kind": "box", "size": [0.2, 0.2, 1], "cells": 2}], "pins": [{"z": [None, 0.01]}],
                       "young": 1e5, "density": 1000, "device": "cpu", "twist": {"axis": "z", "degrees": 180},
                       "steps": 118}, file)
        words = ["bench", self.path("twisted.json"), "--repeat", "1", "--json", self.path("out.json")]
        code, out, err = run(*words)
        self.assertEqual(code, 0, err)
        self.assertRegex(out, r"energy change +\S+ J \(\S+ % of the largest energy\), caused by damping, friction and "
                              r"the integrator in 118 ")
        self.assertRegex(out, r"spin change +\S+ kg m\^2/s of angular momentum \(\S+ % of its largest value\), "
                              r"caused by the integrator in 118 steps")
        self.assertRegex(err, r"the integrator added \S+ J in 118 time steps; "
                              r"the sum of kinetic and elastic energy reached \S+ J\. "
                              "Use a smaller dt, or integrator midpoint_energy\n")
        with open(self.path("out.json")) as file:
            out = json.load(file)
        self.assertGreater(out["energy_change_relative"], 0.01)
        self.assertEqual(len([step["energy_J"] for step in out["per_step"]]), 118)
        for exact in (["--integrator", "euler"], ["--integrator", "midpoint_energy"], ["--dt", "0.002"]):
            code, _, err = run(*words, *exact)
            self.assertEqual(code, 0, err)
            self.assertNotIn("the integrator added", err)

    def test_the_spin_that_the_integrator_takes_is_reported(self):
        scene, csv, out = self.path("spinning.json"), self.path("p.csv"), self.path("out.json")
        with open(scene, "w") as file:
            json.dump({"bodies": [{"shape": {"kind": "box", "size": [0.3, 0.3, 0.1], "cells": 2}, "spin": [0, 0, 8]}],
                       "young": 1e6, "density": 1000, "device": "cpu", "precision": "double", "gravity": [0, 0, 0],
                       "newton_relative": 1e-9, "steps": 30}, file)
        # midpoint_energy divides most time steps that are larger, and the change is not measured in divided steps
        for integrator, dt, low, high in (("euler", "0.016", -0.9, -0.1), ("euler_spin", "0.016", -1e-6, 1e-6),
                                          ("midpoint", "0.016", -1e-6, 1e-6),
                                          ("midpoint_energy", "0.001", -1e-6, 1e-6)):
            code, words, err = run("bench", scene, "--repeat", "0", "--integrator", integrator, "--dt", dt, "--probe",
                                   "spin_change,angular_momentum,energy_change", "--probe-file", csv, "--json", out)
            self.assertEqual(code, 0, err)
            self.assertRegex(words, r"spin change +\S+ kg m\^2/s of angular momentum \(\S+ % of its largest value\), "
                                    r"caused by the integrator in 30 steps")
            with open(csv) as file:
                names, *lines = [line.strip().split(",") for line in file]
            first, last = (dict(zip(names, map(float, line))) for line in (lines[0], lines[-1]))
            spin, left = (math.hypot(*(row[f"angular_momentum_{axis}_kg_m2_s"] for axis in "xyz"))
                          for row in (first, last))
            self.assertAlmostEqual(last["spin_change_kg_m2_s"], left - spin, delta=1e-6 * spin)  # no force acts
            with open(out) as file:
                answer = json.load(file)
            self.assertTrue(low < answer["spin_change_relative"] < high, (integrator, answer["spin_change_relative"]))
            self.assertEqual(answer["energy_change_J"], last["energy_change_J"])
            if integrator == "euler":
                every = last["spin_change_kg_m2_s"]

        # A recording measures one step of each frame, and assumes the same change in its other steps. The change falls
        # from step to step, so the sum is smaller than that of all steps.
        code, words, err = run("record", scene, "--frames", "4", "--fps", "6.25", "--dt", "0.016", "--integrator",
                               "euler", "--vtu", self.path("vtu"))
        self.assertEqual(code, 0, err)
        some = float(re.search(r"angular momentum about the centre of mass by (\S+) kg", words).group(1))
        self.assertTrue(every < some < 0.5 * every, (some, every))

    def test_help_of_every_command_lists_its_options(self):
        for words in ([], ["record"], ["bench"]):
            code, out, err = run(*words, "--help")
            self.assertEqual((code, err), (0, ""), words)
            self.assertIn("usage: pliant", out)
            for option in ("--newton-relative", "--device auto|cpu|cuda", "--pins", "\n Time steps and tolerances\n",
                           "time step of the simulation [0.0166667; more than 0]",
                           "largest number of CG iterations in a linear solve [5000; 1 to 1000000000]",
                           "N coefficient of Coulomb friction, for the floor and for self_contact [0; 0 or more]"):
                self.assertIn(option, re.sub(" +N +", " N ", out))
            # Options without effect are not listed.
            self.assertEqual("--camera" in out, words in ([], ["record"]))
            self.assertEqual("--steps" in out, words == ["bench"])

    def test_version(self):
        code, out, _ = run("--version")
        self.assertEqual(code, 0)
        self.assertRegex(out, r"^pliant \d+\.\d+\.\d+")

        for words in (["bench", COARSE, "--version"], ["info", "--version", "nowhere.msh"], ["record", "--version"]):
            self.assertEqual(run(*words)[:2], (0, out), words)
        self.fails(["info", "--", "--version"], "--version: No such file")

    def test_help_of_a_command(self):
        for command in ("record", "bench", "info", "convert"):
            self.assertEqual(run("help", command), run(command, "--help"))
        code, out, err = run("help")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out, run("--help")[1])
        self.fails(["help", "benhc"], 'no such command (did you mean "bench"?)', "record")

    def test_help_lists_the_usage_of_every_command(self):
        for program in (PLIANT, os.environ.get("PLIANT_LAB", PLIANT + "-lab")):
            help_text = subprocess.run([program, "help"], capture_output=True, text=True, timeout=300).stdout
            table = subprocess.run([program, "--help=table"], capture_output=True, text=True, timeout=300).stdout
            rows = [line.split("\t") for line in table.splitlines()]
            names = [row[1].split()[1] for row in rows if row[0] == "command" and " " in row[1]]
            self.assertGreater(len(names), 4)
            for name in names:
                usage = f"{os.path.basename(program)} {name}"
                self.assertRegex(help_text, f"(?m)^(usage:|      ) {usage}( |$)")
                self.assertTrue(any(row[0] == "usage" and row[1].startswith(usage) for row in rows), usage)

    def test_info_checks_the_scene(self):
        """The description of the body is printed even if the scene has a fault that prevents a run."""
        for key, value, message in (("pins", {"x": [9, 10]}, "pins entry 1 selects no node"),
                                    ("forces", {"region": {"x": [0.4, None]}, "pressure": "sin("}, "the formula ends"),
                                    ("camera", {"eye": [0, 0, 0], "target": [0, 0, 0]}, "eye and target"),
                                    ("begin", "none.state", "none.state: No such file"),
                                    ("pins", {"x": [0.4, None], "move": [0, 0, 1]}, "")):  # a scene for pliant solve
            with open(self.path("scene.json"), "w") as file:
                json.dump({"shapes": {"kind": "box", "size": [1, 0.2, 0.2], "cells": 1}, key: value}, file)
            code, out, err = run("info", self.path("scene.json"))
            self.assertEqual(code, 1 if message else 0, err)
            self.assertIn("nodes                 24\n", out)
            self.assertIn(message, err)

    def test_what_was_meant(self):
        self.fails(["recrod"], 'recrod: no such command or file (did you mean "record"?)', "tetrahedralize")
        self.fails(["bench", "--yuong", "3"], 'unknown option --yuong (did you mean "--young"?)', "bench --help")
        self.fails(["bench", "--cg-rel", "3"], 'did you mean "--cg-relative"?')
        self.fails(["bench", COARSE, "--gravity", "0", "0", "-9.81"], 'unexpected argument "0"', "with commas")
        # numbers need no brackets, so the fault is the order of these numbers and not their form
        self.fails(["record", COARSE, "--color-range", "3,1"], "--color-range: expected [low, high] with low < high")
        for key in ('"yuong": 1', '"pins": [{"radios": 1}]'):
            with open(self.path("meant.json"), "w") as file:
                file.write('{"mesh": "a.msh", %s}' % key)
            self.fails(["info", self.path("meant.json")], "did you mean", "young" if "yuong" in key else "radius")
        for words in (["fly"], ["bench", "--bogus", "1"], ["info", "--", "recrod"]):
            code, _, err = run(*words)
            self.assertNotEqual(code, 0)
            self.assertNotIn("did you mean", err)

    def test_where_and_why_a_text_is_not_json(self):
        for text, place, why in (
                ('{"mesh": "a.msh",\n "steps": 3,\n}', ":3:1",
                 "'}' in the text: }; remove the comma after the last entry"),
                ('{"pins": [{"z": [null, 0.1]},]}', ": character 30", "remove the comma after the last entry"),
                ('{\n  // ours\n  "steps": 3}', ":2:3", "'/' in the text: // ours; JSON has no comments"),
                ('{"steps": 3} # ours', ": character 14", "JSON has no comments"),
                ("{'steps': 3}", ": character 2", 'write strings in "double quotes"'),
                ("{steps: 3}", ": character 2", 'write keys in "double quotes"'),
                ('{"mesh": "a.msh"\n "steps": 3}', ":2:2", "a comma or a colon before it is missing"),
                ('{"z": [null 0.1]}', ": character 13", "a comma or a colon before it is missing"),
                ('{"steps": 1,,"dt": 2}', ": character 13", "a value before it is missing"),
                ('{"steps": .5}', ": character 11", "numbers begin with a digit or -: write 0.3, not .3"),
                ('{"flip": yes}', ": character 10", "words without quotes are true, false and null"),
                ('{"steps": 1} x', ": character 14", "this text follows the end"),
                ('{"mesh": "a.msh, "steps": 1}', ": character 19", "a comma or a colon before it is missing"),
                ('{"mesh": "a.msh}', ": character 11", "this string is not closed"),
                ('{"mesh": "C:\\path\\a.msh"}', ": character 13", "write a backslash in a string as \\\\"),
                ('{"z": [1, 2}', ": character 12", "a ] before it is missing"),
                ('{"z": [{"x": 1]}', ": character 15", "a } before it is missing"),
                ('{"mesh"}', ": character 8", "a colon and a value before it are missing"),
                ('{"mesh": }', ": character 10", "a value before it is missing"),
                ('{"steps"= 1}', ": character 9", "write a colon after a key"),
                ('{"a": "\u00e4", \u00e4}', ": character 13", "'\u00e4' in the text: {"),
                ('{"steps": 1', ": character 12", "the text ends too early; a } is missing"),
                ('{"z": [1, 2', ": character 12", "the text ends too early; a ] is missing")):
            with open(self.path("bad.json"), "w", encoding="utf-8") as file:
                file.write(text)
            self.fails(["info", self.path("bad.json")], "bad.json" + place + ": not JSON", why)
        self.fails(["bench", "--pins", '[{"z": [null 0.1]}]'], "--pins: character 14", "comma")
        self.fails(["bench", "--pins", '{"z": [0, 1]}, {"x": [0, 1]}'], "--pins: character 14", "list in brackets")

    def test_one_entry_needs_no_list(self):
        words = ["bench", COARSE, "--device", "cpu", "--steps", "1", "--repeat", "0", "--pins"]
        one, many = run(*words, '{"z": [null, 0.1]}'), run(*words, '[{"z": [null, 0.1]}]')
        self.assertEqual(one[0], 0, one[2])
        self.assertEqual(re.sub(r"opened in.*", "", one[1]), re.sub(r"opened in.*", "", many[1]))

    def test_what_selects_nothing_says_where_the_body_is(self):
        self.fails(["bench", COARSE, "--device", "cpu", "--pins", '[{"x": [5, 6]}]'], "pins entry 1 selects no node",
                   "x -0.2559 to 0.3385", "z 0 to 1 m")
        self.fails(["bench", COARSE, "--device", "cpu", "--forces",
                    '[{"region": {"x": [5, 6]}, "total": [1, 0, 0], "steps": [1, 2]}]'],
                   "forces entry 1 selects no node", "x -0.2559 to 0.3385", "z 0 to 1 m")

    def test_info_divides_a_body_among_processes(self):
        code, out, err = run("info", COARSE, "--ranks", "3", "--device", "cpu")
        self.assertEqual(code, 0, err)
        nodes = int(re.search(r"^nodes +(\d+)", out, re.M).group(1))
        least, most, mean = (float(x) for x in re.search(
            r"processes: 3 +(\d+) to (\d+) nodes owned by each process, ([\d.]+) on average", out).groups())
        self.assertLess(abs(3 * mean - nodes), 0.2)
        self.assertTrue(0 < least <= mean <= most)
        self.assertGreater(float(re.search(r"are computed ([\d.]+) times", out).group(1)), 1)
        whole, near = (float(x) for x in re.search(r"([\d.]+) MiB for all tets in process 0; at most ([\d.]+) MiB for "
                                                   r"near tets in each other process", out).groups())
        self.assertTrue(whole / 3 < near < 0.8 * whole, (near, whole))
        self.assertRegex(out, r"about \d+\.\d to \d+\.\d MiB for the matrix")  # also small bodies get a number above 0
        code, out, err = run("info", COARSE, "--ranks", "1", "--device", "cpu")
        self.assertIn("0 to 0 ghost nodes of each process", out)
        self.assertIn("are computed 1.000 times", out)
        self.assertNotIn("near tets", out)
        code, out, err = run("info", COARSE, "--ranks", "4096", "--device", "cpu")
        self.assertNotEqual(code, 0)
        self.assertIn("too few nodes", err)

    def test_info_is_short_without_all(self):
        code, out, _ = run("info", "--device", "cpu")
        self.assertEqual(code, 0)
        self.assertLessEqual(len(out.splitlines()), 13, out)
        for figure in ("nodes                 28795", "tets                  125159", "material", "assembly cpu_simd"):
            self.assertIn(figure, out)
        everything = run("info", COARSE, "--device", "cpu", "--all")[1]
        for word in ("dihedral", "dhyb", "ecoflex"):
            self.assertNotIn(word, out)
            self.assertIn(word, everything)
        self.assertIn("pliant info --all", out)
        # counts of the coarse hand, such as 3011 nodes, and names of methods
        for figure in ("3011", "10738", "314001", "4382", "dcsr", "dhyb", "dcg"):
            self.assertIn(figure, everything)

    def test_info_says_what_a_simulation_takes_here_and_why(self):
        def taken(*words):
            code, out, err = run("info", COARSE, *words)
            self.assertEqual(code, 0, err)
            lines = out.splitlines()
            first = next(k for k, line in enumerate(lines) if line.startswith("simulation here"))
            return " ".join(line[22:] for line in lines[first:first + 3])

        here = taken("--device", "cpu")
        for words in ("on cpu", "in float", "assembly cpu_simd: the default on cpu",
                      "matrix dbcsr, solver fused: the default on cpu"):
            self.assertIn(words, here)
        by_name = taken("--device", "cpu", "--precision", "double", "--assembly", "cpu", "--solver", "resident")
        for words in ("in double", "assembly cpu: named by an option or the scene",
                      "matrix parts, solver resident: named by an option or the scene; number of parts: 32, with at "
                      "most "):
            self.assertIn(words, by_name)
        # A combination of stages that does not exist is an error, which is printed after all other output.
        code, out, err = run("info", COARSE, "--all", "--device", "cpu", "--solver", "resident", "--matrix", "csr")
        self.assertEqual(code, 1)
        self.assertIn('cannot create the simulation on this computer: solver "resident" cannot use matrix "csr"', err)
        self.assertRegex(out, r"(?s)10738.*simulation here +none.*material")
        if "cuda: none" in run("info", COARSE, "--all")[1]:
            self.assertRegex(here, r"; no GPU: \w+")
            code, _, err = run("info", COARSE, "--device", "cuda")
            self.assertEqual(code, 1)
            self.assertIn("cannot create the simulation on this computer: device cuda cannot be used: ", err)
        else:
            self.assertRegex(taken("--device", "cuda"), r"solver resident: the default on cuda; number of parts: "
                             r"\d+, with at most \d+ nodes each; (the matrix stays in the multiprocessors|"
                             r"each product reads the matrix from GPU memory)")
        # The benchmark also reports why it uses these methods.
        code, out, err = run("bench", COARSE, "--device", "cpu", "--steps", "1", "--repeat", "0", "--solver", "dcg",
                             "--json", self.path("b.json"))
        self.assertEqual(code, 0, err)
        self.assertIn("matrix dbcsr, solver dcg: named by an option or the scene\n", out)
        with open(self.path("b.json")) as file:
            bench = json.load(file)
        self.assertEqual(bench["solver_reason"], "named by an option or the scene")
        self.assertEqual(bench["assembly_reason"], "the default on cpu")

    def test_sell_leaves_few_slots_empty(self):
        code, _, err = run("bench", COARSE, "--device", "cpu", "--steps", "1", "--repeat", "0", "--matrix", "sell",
                           "--cg-relative", "0.5", "--json", self.path("b.json"))
        self.assertEqual(code, 0, err)
        with open(self.path("b.json")) as file:
            bench = json.load(file)
        self.assertGreater(bench["slots"], bench["nonzeros"])
        self.assertLess(bench["slots"], 1.1 * bench["nonzeros"])

    def test_bench_reports_how_solves_end(self):
        for solver in ("dcg", "fused", "resident"):
            code, _, err = run("bench", COARSE, "--device", "cpu", "--steps", "3", "--repeat", "0", "--solver", solver,
                               "--cg-max", "2", "--newton-max", "2", "--newton", "plain", "--json", self.path("b.json"))
            self.assertEqual(code, 0, err)
            self.assertIn("3 steps did not converge, and the simulation continued from their results", err)
            with open(self.path("b.json")) as file:
                steps = json.load(file)["per_step"]
            self.assertEqual([step["cg_iterations"] for step in steps], [4, 4, 4])
            for step in steps:
                self.assertFalse(step["converged"])
                self.assertEqual(step["cause"], "the linear solver did not reach cg_relative within cg_max iterations, "
                                                "or failed because of rounding errors")

    def test_bench_writes_json_and_state(self):
        code, out, err = run("bench", COARSE, "--device", "cpu", "--steps", "5", "--repeat", "2",
                             "--json", self.path("b.json"), "--state", self.path("s.npz"))
        self.assertEqual(code, 0, err)
        self.assertIn("steps/s", out)
        with open(self.path("b.json")) as file:
            bench = json.load(file)
        self.assertEqual(bench["steps"], 5)
        self.assertEqual(len(bench["per_step"]), 5)
        self.assertGreater(bench["ms_per_step"]["assembly"], 0)
        # The stages' times add up to the step's time, and none is negative.
        times = bench["ms_per_step"]
        shares = [times[k] for k in ("assembly", "vector_alone", "spmv", "cg_without_spmv", "transfers", "rest")]
        self.assertGreater(times["spmv"], 0)
        self.assertGreaterEqual(min(shares), 0)
        self.assertAlmostEqual(sum(shares) / times["total_stages_timed"], 1, 6)
        self.assertAlmostEqual(bench["steps_per_s"] * bench["ms_per_step"]["total_median"], 1000, 3)
        self.assertEqual(bench["waits_per_step"], 0)  # on the CPU the host never waits
        self.assertGreater(bench["per_step"][4]["mean_displacement"][0], 0.03)
        code, out, err = run("bench", COARSE, "--device", "cpu", "--steps", "5", "--repeat", "0",
                             "--json", self.path("n.json"))
        self.assertEqual(code, 0, err)
        self.assertNotIn("steps/s", out)
        with open(self.path("n.json")) as file:
            untimed = json.load(file)
        self.assertEqual(untimed["per_step"], bench["per_step"])
        self.assertNotIn("ms_per_step", untimed)
        self.fails(["bench", COARSE, "--repeat", "0", "--sweep"], "--repeat is 0", "--sweep needs --repeat 1 or more")
        try:
            import numpy
        except ImportError:
            return
        state = numpy.load(self.path("s.npz"))
        self.assertEqual(state["positions"].shape, (3011, 3))
        moved = numpy.abs(state["positions"] - state["initial_positions"])
        self.assertGreater(moved.max(), 0.03)
        pinned = state["initial_positions"][:, 2] < 0.02
        self.assertEqual(moved[pinned].max(), 0)
        self.assertGreater(numpy.abs(state["momenta"]).max(), 0)

    def test_every_key_can_be_overridden(self):
        code, out, err = run("bench", self.scene(), "--repeat", "1", "--steps", "1", "--precision", "double",
                             "--matrix", "dhyb", "--device", "cpu", "--young", "10",
                             "--poisson=0.25", "--gravity", "0,0,-1", "--newton", "plain",
                             "--pins", '[{"z": [null, 0.1]}]', "--forces", "[]", "--newton-relative", "1e-6")
        self.assertEqual(code, 0, err)
        for word in ("double", "dhyb", "plain"):
            self.assertIn(word, out)

    def test_numbers_may_lack_a_digit_before_or_after_the_point(self):
        reports = []
        for poisson, gravity, dt in ((".3", "+.5, 0,-1.", "+.01"), ("0.3", "0.5,0,-1", "0.01")):
            code, _, err = run("bench", COARSE, "--device", "cpu", "--repeat", "0", "--steps", "1", "--poisson",
                               poisson, "--gravity", gravity, "--dt", dt, "--json", self.path("b.json"))
            self.assertEqual(code, 0, err)
            with open(self.path("b.json")) as file:
                reports.append(json.load(file)["per_step"])
        self.assertEqual(*reports)
        for wrong in ("0x1", "nan", ".", "1,5", "3m"):
            self.fails(("info", COARSE, "--poisson", wrong), "--poisson", wrong)

    def test_cg_goes_as_far_as_newton_needs_and_says_so(self):
        counts = {}
        for words in ([], ["--cg-relative", "1e-4"], ["--cg-relative", "auto"],
                      ["--cg-relative", "auto", "--first-guess", "velocity"]):
            code, _, err = run("bench", COARSE, "--device", "cpu", "--steps", "6", "--repeat", "0",
                               "--json", self.path("b.json"), *words)
            self.assertEqual(code, 0, err)
            with open(self.path("b.json")) as file:
                steps = json.load(file)["per_step"]
            self.assertTrue(all(step["residual"] <= step["tolerance"] for step in steps))
            counts[" ".join(words)] = [sum(step[key] for step in steps)
                                       for key in ("newton_iterations", "cg_iterations", "guessed")]
        fixed, same, auto, guessed = counts.values()
        self.assertEqual(fixed, same)
        self.assertLess(auto[1], 0.7 * fixed[1])
        self.assertLess(guessed[1], 0.7 * auto[1])
        self.assertLess(guessed[0], fixed[0])
        # Five of the six steps begin at a guess. The first step has none, because all velocities are 0 before it.
        self.assertEqual((fixed[2], auto[2], guessed[2]), (0, 0, 5))
        # The scene key cg_relative has the effect of the option --cg-relative. Its value null means the default.
        code, _, err = run("bench", self.scene(cg_relative="auto"), "--device", "cpu", "--steps", "6", "--repeat", "0",
                           "--json", self.path("b.json"))
        self.assertEqual(code, 0, err)
        with open(self.path("b.json")) as file:
            self.assertEqual(sum(step["cg_iterations"] for step in json.load(file)["per_step"]), auto[1])
        with open(self.path("null.json"), "w") as file:
            file.write('{"mesh": "%s", "cg_relative": null}' % os.path.join(ASSETS, "meshes", "hand_coarse.msh"))
        self.fails(["bench", self.path("null.json"), "--device", "cpu"], 'key "cg_relative"', '"auto"')
        code, out, _ = run("bench", "--help")
        self.assertRegex(out, r"--cg-relative N\|auto .*\[1e-15 to 0\.999\]")

    def test_cuda_without_a_gpu_says_so(self):
        if run("info", COARSE, "--all")[1].count("cuda: none"):
            self.fails(["bench", COARSE, "--device", "cuda"], "device cuda", "--device cpu")

    def test_gpus_that_do_not_exist(self):
        for name in ("cuda:x", "cuda:-1", "cuda:100"):
            self.fails(["bench", COARSE, "--device", name], f'--device: is "{name}"', "auto|cpu|cuda or cuda:N")
        for words in (["bench", COARSE], ["verify"]):
            self.fails([*words, "--device", "cuda:99"], "device cuda:99 cannot be used")

    def test_bad_words_on_the_command_line(self):
        self.fails(["bench", "--bogus", "1"], "unknown option --bogus", "--help")
        self.fails(["fly"], "fly")
        self.fails(["bench", COARSE, COARSE], "two scenes")
        self.fails(["bench", "--steps"], "--steps needs a value")
        self.fails(["bench", "--dt", "-1"], "--dt", "-1", "more than 0")
        self.fails(["bench", "--dt", "fast"], "--dt", "fast")
        self.fails(["bench", "--newton", "good"], "--newton", "robust|plain")
        self.fails(["bench", "--steps", "1.5"], "--steps", "whole number")
        self.fails(["bench", "--cg-relative", "some"], '--cg-relative: cannot read "some" as a number or auto')
        self.fails(["bench", "--cg-relative", "1"], "--cg-relative: is 1, expected 1e-15 to 0.999")
        # Whole numbers are printed with all digits.
        self.fails(["record", "--speed", "20000000"], "--speed: is 20000000, expected 0 to 1000000")
        for command, flags in {
                "record": "steps", "bench": "field camera speed",
                "info": "steps field speed newton newton-relative pins forces drags twist begin dt gravity floor",
                "solve": "camera steps dt integrator damping first-guess halvings-max drags cuts tear-stress tear-by",
                "validate": "device assembly matrix solver mu young material density dt pins newton order",
        }.items():
            for flag in flags.split():
                self.fails([command, "--" + flag, "x"], f"pliant {command}: --{flag} has no effect on this command")
        for command in ("verify", "replay", "convert", "make", "tetrahedralize"):
            for flag in ("--pins", "--field", "--dt"):
                self.fails([command, flag, "x"], f"pliant {command}: unknown option {flag}")
        self.fails(["bench", "--cg-max", "0"], "--cg-max: is 0, expected 1 to 1000000000")
        self.fails(["bench", "--dt", "-1e-7"], "--dt: is -1e-07, expected more than 0 s")
        self.fails(["bench", "--first-guess", "luck"], "--first-guess", "state|velocity|extrapolated|rigid|auto")
        self.fails(["bench", "--gravity", "1,2"], "--gravity", "[x, y, z]")
        self.fails(["bench", "--mu", "5", "--young", "3"], "mu and lambda, or young and poisson")
        self.fails(["bench", "--solver", "magic", "--device", "cpu"], "solver", "magic", "dcg")
        # Unknown names are reported before the mesh is read, so the message does not name the bad mesh.
        with open(self.path("bad.msh"), "w") as file:
            file.write("no mesh\n")
        self.fails(["bench", self.scene(mesh="bad.msh"), "--device", "cpu"], "bad.msh")
        for stage, known in (("solver", "cg, dcg, bdcg"), ("matrix", "coo, dcoo, csr")):
            self.fails(["bench", self.scene(mesh="bad.msh"), "--device", "cpu", f"--{stage}", "magic"],
                       f'scene.json: {stage} "magic" does not exist on device cpu; available: {known}')
        self.fails(["bench", COARSE, "--solver", "resident", "--matrix", "csr", "--device", "cpu"],
                   'solver "resident" cannot use matrix "csr"; choose matrix "parts" or "parts16", or another solver')
        self.fails(["bench", COARSE, "--assembly", "parts", "--matrix", "csr", "--device", "cpu"],
                   'assembly "parts" cannot use matrix "csr"; choose matrix "parts" or "parts16", or another assembly')
        self.fails(["bench", COARSE, "--assembly", "parts", "--material", "stvk", "--device", "cpu"],
                   'assembly "parts" does not exist on device cpu; available: cpu_simd, cpu_opt, cpu')
        self.fails(["bench", "nowhere.json"], "nowhere.json", "No such file")
        self.fails(["bench", "nowhere.msh"], "nowhere.msh", "No such file")
        self.fails(["record", COARSE, "--size", "10"], "--size", "WIDTHxHEIGHT, each 16 to 8192")
        self.fails(["record", COARSE, "--frames", "10000000"], "--frames: is 10000000, expected 1 to 1000000")

    def test_bad_scenes(self):
        cases = [
            ({"bogus": 1}, ['unknown key "bogus"', "mesh"]),
            ({"mesh": None}, ['"mesh" is missing']),
            ({"mesh": "nowhere.msh"}, ["scene.json: mesh: ", "nowhere.msh: No such file"]),
            ({"mesh": "model.stl"}, ["model.stl", "No such file"]),
            ({"dt": "fast"}, ['key "dt"', "number"]),
            ({"dt": 0}, ['key "dt"', "more than 0"]),
            ({"mu": -5}, ['key "mu"', "more than 0"]),
            ({"mu": None, "lambda": None, "poisson": 0.5}, ['key "poisson"', "0.5"]),
            ({"young": 3}, ["mu and lambda, or young and poisson"]),
            ({"newton": "magic"}, ['key "newton"', "robust|plain"]),
            ({"newton_absolute": 0}, ["newton_absolute", "newton_relative"]),
            ({"pins": [{"z": [None, -5]}]}, ["pins entry 1", "no node"]),
            ({"pins": [{"q": [None, -5]}]}, ["entry 1", 'unknown key "q"']),
            ({"pins": [{}]}, ["entry 1", "the region is empty"]),
            ({"forces": [{"total": [1, 0, 0]}]}, ["entry 1", '"region"']),
            ({"forces": [{"region": {"z": [0, 1]}, "total": [1, 0, 0], "pressure": 1}]}, ["entry 1", "one of"]),
            ({"forces": [{"region": {"z": [0, 1]}, "pressure": "high"}]},
             ["entry 1", 'character 1 of "high"', "a number"]),
            ({"forces": [{"region": {"z": [0, 1]}, "pressure": [1]}]}, ["entry 1", '"pressure"', "a number"]),
            ({"forces": [{"region": {"center": "+z", "radius": 1e-6}, "pressure": 1}]}, ["entry 1", "no surface face"]),
            ({"forces": [{"region": {"center": "+w", "radius": 1}, "total": [1, 0, 0]}]}, ["+w", "+x"]),
            ({"forces": [{"region": {"z": [0, 1]}, "total": [1, 0, 0], "steps": [5, 1]}]}, ['"steps"']),
            ({"drags": [{"grab": {"center": "+z", "radius": 0.1}, "path": [[0, 0, 0, 0]]}]}, ['"path"', "2 to"]),
            ({"drags": [{"grab": {"center": "+z", "radius": 0.1}, "path": [[1, 0, 0, 0], [0, 0, 0, 0]]}]},
             ["increase"]),
            ({"cuts": [{"point": [0, 0, 0], "normal": [0, 0, 1]}]}, ["cuts", "entry 1", '"time"', "0 or more"]),
            ({"cuts": {"time": 1, "point": [0, 0, 0]}}, ["entry 1", '"normal"']),
            ({"cuts": {"time": 1, "point": [0, 0, 0], "normal": [0, 0, 0]}}, ["entry 1", "not zero"]),
            ({"cuts": {"time": 1, "point": [0, 0, 0], "normal": [0, 0, 1], "reach": -1}}, ['"reach"', "more than 0"]),
            ({"cuts": {"time": 1, "point": [0, 0, 0], "normal": [0, 0, 1], "edges": [[1, 0, 0]]}}, ['"edges"']),
            ({"tear_stress": -1}, ['key "tear_stress"', "0 or more"]),
            ({"tear_by": "hand"}, ['key "tear_by"', "principal|von_mises"]),
            ({"camera": {"eye": [0, 0, 0]}}, ['"target"']),
            ({"camera": {"eye": [1, 0, 0], "target": [0, 0, 0], "orthographic": True}}, ['"orthographic"']),
            ({"views": [{"eye": [1, 0, 0], "target": [0, 0, 0], "orthographic": 1}]},
             ['"orthographic"', "true or false"]),
            ({"gravity": [0, 0]}, ['key "gravity"']),
            ({"steps": 1e12}, ['key "steps"']),
            ({"floor": "low"}, ['key "floor"', "a horizontal floor at this height"]),
            ({"floor": "auto"}, ['key "floor"', "expected a number or null"]),
            ({"cg_relative": "tied"}, ['key "cg_relative"', 'expected a number (1e-15 to 0.999) or "auto"']),
            ({"cg_relative": 2}, ['key "cg_relative"', "1e-15 to 0.999"]),
            ({"first_guess": "luck"}, ['key "first_guess"', "state|velocity|extrapolated|rigid|auto"]),
            ({"friction": -1}, ['key "friction"', "0 or more"]),
            ({"field": "heat"}, ['key "field"', "von_mises"]),
            ({"color_range": [2, 1]}, ['key "color_range"', "low < high"]),
            ({"section": {"axis": "w"}}, ['key "section"', '"axis"']),
            ({"section": {"axis": "x", "at": 2}}, ['key "section"', "0 to 1"]),
            ({"twist": {"axis": "xy", "degrees": 90}}, ['key "twist"', '"axis"']),
            ({"twist": {"axis": "x"}}, ['key "twist"', '"degrees"']),
            ({"pins": [{"z": {"low": None, "high": 1}}]}, ["entry 1", '"z" is an object, expected [low, high]']),
            ({"pins": {"z": -5}}, ["entry 1", '"z" is -5, expected [low, high]']),
            ({"pins": {"z": [0]}}, ['entry 1: "z" has 1 entry, expected [low, high]']),
            ({"pins": {"z": [None, "0.1"]}}, ['entry 1: entry 2 of "z" is a text, expected a number']),
            ({"gravity": [0, None, -9.81]}, ['key "gravity"', "component 2 is null, expected a number"]),
            ({"section": {"axis": "x", "at": "0.5"}}, ['"at" is a text, expected a number, 0 to 1']),
            ({"materials": {"region": {"z": [0, 1]}}}, ['entry 1: "stiffness" is missing, expected a number more']),
            ({"obstacles": {"kind": "plane", "at": [0, 0, 0], "normal": "z"}},
             ['entry 1: "normal": is a text, expected three numbers']),
            ({"forces": [{"region": {"z": [0, 1]}, "total": [1, 0, 0], "steps": [1.5, 2]}]}, ['"steps"', "whole"]),
            ({"section": {"axis": "x", "flip": "yes"}}, ['"flip"', "true or false"]),
            ({"color_range": {"low": 0, "high": 1}}, ['key "color_range"', "[low, high]"]),
            ({"mu": "soft"}, ['key "mu": is a text, expected a number']),
            ({"mu": [1]}, ['key "mu": is a list, expected a number']),
            ({"wireframe": "yes"}, ['key "wireframe": is a text, expected true or false']),
            ({"device": 3}, ['key "device": is a number, expected a string in quotes']),
            ({"gravity": -9.8}, ['key "gravity": is a number, expected three numbers [x, y, z]']),
            ({"gravity": [0, -9.8]}, ['key "gravity": has 2 entries, expected three numbers [x, y, z]']),
            ({"pins": "bottom"}, ['key "pins": is a text, expected a list']),
            ({"pins": [3]}, ['key "pins" entry 1: is a number, expected an object']),
            ({"assembly": "magic"}, ['assembly "magic"', "cpu_opt"]),
            ({"solver": "magic"}, ['solver "magic"', "dcg"]),
            ({"mu": 500, "lambda": -400}, ["lambda", "-2/3 mu"]),
            ({"obstacles": [{"kind": "cone"}]}, ['key "obstacles" entry 1', '"kind"', '"capsule"']),
            ({"obstacles": [{"kind": "sphere", "at": [0, 0, 0]}]}, ["entry 1", 'a sphere needs "radius"']),
            ({"obstacles": [{"kind": "sphere", "at": [0, 0, 0], "radius": 0}]}, ['"radius"', "more than 0"]),
            ({"obstacles": [{"kind": "plane", "at": [0, 0, 0], "normal": [0, 0, 0]}]}, ['"normal"', "not zero"]),
            ({"obstacles": [{"kind": "plane", "at": [0, 0], "normal": [0, 0, 1]}]}, ["entry 1", "three numbers"]),
            ({"obstacles": [{"kind": "box", "at": [0, 0, 0], "size": [1, -1, 1]}]}, ['"size"', "more than 0"]),
            ({"obstacles": [{"kind": "box", "at": [0, 0, 0], "size": [1, 1, 1], "radius": 1}]},
             ['unknown key "radius"', "turn"]),
            ({"obstacles": [{"kind": "capsule", "from": [0, 0, 0], "to": [0, 0, 0], "radius": 1}]},
             ['"from" and "to"', '"sphere"']),
            ({"obstacles": [{"kind": "sphere", "at": [0, 0, 0], "radius": 1, "friction": -1}]},
             ['"friction"', "0 or more"]),
            ({"obstacles": [{"kind": "sphere", "at": [0, 0, 0], "radius": 1}] * 17},
             ["has 17 entries, but at most 16 are allowed"]),
            ({"obstacles": [{**BALL, "spin": {"axis": [0, 0, 1]}}]}, ['"spin"', 'either "speed" or "angles"']),
            ({"obstacles": [{**BALL, "spin": {"axis": [0, 0, 0], "speed": 1}}]}, ['"axis"', "not zero"]),
            ({"obstacles": [{**BALL, "spin": {"axis": [0, 0, 1], "speed": "1"}}]}, ['"speed"', "degrees per second"]),
            ({"obstacles": [{**BALL, "spin": {"axis": [0, 0, 1], "angles": [[0, 1], [0, 2]]}}]}, ["must increase"]),
            ({"obstacles": [{**BALL, "spin": {"axis": [0, 0, 1], "angles": [[0, 1, 2]]}}]},
             ["two numbers [time, degrees]"]),
            ({"obstacles": [{**BALL, "spin": {"axis": [0, 0, 1], "speed": -1e4}}]}, ["entry 1", "at most 30 degrees"]),
            ({"obstacles": [{"kind": "mesh"}]}, ['entry 1', 'a mesh needs "mesh"']),
            ({"obstacles": [{"kind": "mesh", "mesh": "surfaces/ring.stl"}], "self_contact": False},
             ["entry 1 is a mesh", '"self_contact"']),
            ({"obstacles": [{"kind": "mesh", "mesh": "none.stl"}], "self_contact": True}, ["none.stl", "No such file"]),
            ({"obstacles": [{"kind": "mesh", "mesh": "none.ply"}], "self_contact": True}, [".obj, .stl or .off"]),
            ({"obstacles": [{"kind": "mesh", "mesh": "surfaces/ring.stl", "scale": 0}]}, ['"scale"', "more than 0"]),
            ({"materials": [{"region": {"z": [5, 6]}, "stiffness": 2}]}, ["materials entry 1", "no tet"]),
            ({"materials": [{"region": {"z": [0, 1]}, "stiffness": 0}]}, ["entry 1", '"stiffness"', "more than 0"]),
            ({"materials": [{"region": {"z": [0, 1]}, "stiffness": 2}], "supplemental": "qr"}, ["qr", "full"]),
            ({"shapes": [{"kind": "box", "size": [1, 1, 1], "cells": 2}]}, ['"mesh" or "shapes"', "not both"]),
            ({"mesh": None, "shapes": [{"kind": "cube", "size": [1, 1, 1], "cells": 2}]},
             ["shapes entry 1", "cube", "box"]),
            ({"mesh": None, "shapes": [{"kind": "box", "size": [1, 1, 1], "cells": 0}]}, ["entry 1", '"cells"']),
            ({"mesh": None, "shapes": [{"kind": "box", "cells": 1}]}, ["entry 1", '"size"']),
            ({"bodies": [{"mesh": "a.msh"}]}, ['"mesh" or "bodies"', "not both"]),
        ]
        box = {"shape": {"kind": "box", "size": [1, 1, 1], "cells": 1}}
        for bodies, *fragments in [
                (3, "bodies: is a number", "a list"),
                ([], "bodies: has 0 entries", "1 to 32"),
                ([box] * 33, "bodies: has 33 entries"),
                ([box, 3], "bodies[1]: is a number", "an object"),
                ([box, {}], "bodies[1]: give \"mesh\" or \"shape\""),
                ([box, {**box, "mesh": "a.msh"}], "bodies[1]", "not both"),
                ([box, {"mesh": "nothing.msh"}], "bodies[1].mesh: ", "nothing.msh", "No such file"),
                ([box, {**box, "scael": 2}], 'bodies[1]: unknown key "scael"', 'did you mean "scale"', "velocity"),
                ([box, {**box, "scale": 0}], "bodies[1].scale", "more than 0"),
                ([box, {**box, "scale": "2"}], "bodies[1].scale: is a text, expected a number"),
                ([{**box, "scale": 1e-200}], "bodies[0]", "scale 1e-200"),
                ([box, {**box, "scale": [1, 2]}], "bodies[1].scale: has 2 numbers", "one, or three"),
                ([box, {**box, "scale": [1, 2, 0]}], "bodies[1].scale", "more than 0"),
                ([box, {**box, "place": [0, 1]}], "bodies[1].place", "three numbers"),
                ([box, {**box, "turn": 90}], "bodies[1].turn: is a number"),
                ([box, {**box, "turn": {"axis": "w", "degrees": 1}}], "bodies[1].turn", '"axis"'),
                ([box, {**box, "turn": {"axis": [0, 0, 0], "degrees": 1}}], "bodies[1].turn", "not zero"),
                ([box, {**box, "turn": {"axis": "x"}}], "bodies[1].turn", '"degrees"'),
                ([box, {**box, "young": 0}], "bodies[1].young", "more than 0"),
                ([box, {**box, "poisson": 0.5}], "bodies[1].poisson", "less than 0.5"),
                ([box, {**box, "density": -1}], "bodies[1].density", "more than 0"),
                ([box, {**box, "damping": -1}], "bodies[1].damping"),
                ([box, {**box, "young": 1, "stiffness": 1}], "bodies[1]", '"stiffness" or "young"'),
                ([box, {**box, "material": "stvk"}], "bodies[1].material", '"stvk"', '"neo_hookean"'),
                ([box, {**box, "color": [0, 1, 2]}], "bodies[1].color", "from 0 to 1"),
                ([box, {**box, "roughness": 1.5}], "bodies[1].roughness", "1.5", "0 to 1"),
                ([box, {**box, "transparency": -1}], "bodies[1].transparency", "-1", "0 to 1"),
                ([box, {**box, "velocity": [0, None, 2]}], "bodies[1].velocity", "component 2"),
                ([box, {**box, "name": "a"}, {**box, "name": "a"}], "bodies[2].name", "bodies[1]"),
                ([box, {**box, "name": "a" * 40}], "bodies[1].name", "longer than 31"),
                ([box, {**box, "name": "1"}], "bodies[1].name", "begin with a digit"),
                ([box, {**box, "name": "a/b"}], "bodies[1].name", "no comma, colon or slash"),
                ([box, {**box, "name": "floor"}], "bodies[1].name", '"floor" is reserved'),
                ([box, {**box, "name": "obstacle 1"}], "bodies[1].name", "reserved"),
                ([box, {**box, "pins": [{"z": [5, 6]}]}], "bodies[1].pins entry 1 selects no node"),
                ([box, {**box, "pins": [{"body": 0}]}], "bodies[1].pins entry 1", "hold only that body"),
                ([box, {"shape": {"kind": "cube", "size": [1, 1, 1], "cells": 1}}], "bodies[1].shape", "cube", "box"),
                ([box, {"shape": {"kind": "box", "size": [1, 1, 1], "cells": 0}}], "bodies[1].shape", '"cells"')]:
            self.fails(["bench", self.scene(mesh=None, forces=None, pins=None, bodies=bodies), "--device", "cpu"],
                       "scene.json" if "bodies" in fragments[0] else "nothing.msh", *fragments)
        for pins, *fragments in [
                ([{"body": 2}], "pins entry 1", '"body" is 2', "there are 2 bodies"),
                ([{"body": -1}], "entry 1", "from 0"),
                ([{"body": "bal"}], "pins entry 1", 'no body has the name "bal"', 'did you mean "ball"')]:
            self.fails(["bench", self.scene(mesh=None, forces=None, bodies=[box, {**box, "name": "ball"}], pins=pins),
                        "--device", "cpu"], "scene.json", *fragments)
        mixed = self.scene(mesh=None, forces=None, pins=None, mu=1, material="mooney_rivlin", second_invariant=0.5,
                           bodies=[box, {**box, "poisson": 0.1}], **{"lambda": 4})
        self.fails(["bench", mixed, "--device", "cpu"], "Poisson's ratio of a body", "second_invariant",
                   "0 to 0.125")
        self.fails(["bench", self.scene(mesh=None, forces=None, pins=None, degree=2,
                                        bodies=[box, {**box, "poisson": 0.1}]), "--device", "cpu"],
                   "degree 2", "the same Poisson's ratio")
        for changes, fragments in cases:
            name = changes.get("mesh") or "scene.json"  # every message contains the file's name
            self.fails(["bench", self.scene(**changes), "--device", "cpu", "--repeat", "1"],
                       name if "." in name else "scene.json", *fragments)

    def test_numbers_beyond_a_precision_are_refused(self):
        for changes, precision, fragments in [
                ({"scale": 1e-20}, "float", ["a tet's volume", "outside the range", "precision double"]),
                ({"scale": 1e-200}, "double", ["scale 1e-200", "volume of 0 m^3"]),
                ({"scale": 1e100}, "double", ["scale is 1e+100", "1e+90"]),
                ({"density": 1e-300}, "double", ["a node's mass", "e-30", "kg"]),
                ({"mu": 1e300, "lambda": 0}, "double", ["mu", "1e+300 Pa"]),
                ({"gravity": [0, 0, 1e-80]}, "float", ["load on a node", "e-8"])]:
            words = ["bench", self.scene(**changes), "--device", "cpu", "--repeat", "1", "--precision", precision]
            self.fails(words, "scene.json", *fragments)

    def test_a_tolerance_that_skips_all_work_is_reported(self):
        code, _, err = run("bench", self.scene(newton_absolute=1e9), "--device", "cpu", "--repeat", "1", "--steps", "2")
        self.assertEqual(code, 0)
        self.assertIn("Newton took no iteration in any step", err)
        # A relative tolerance of 1e-9 is below the rounding error of float, so float must report it. Double must not.
        words = ["bench", self.scene(newton_relative=1e-9, newton_max=1), "--device", "cpu", "--repeat", "1",
                 "--steps", "1"]
        self.assertIn("newton_relative 1e-09 is below the rounding error of precision float", run(*words)[2])
        self.assertNotIn("below the rounding", run(*words, "--precision", "double")[2])
        code, _, err = run("solve", self.scene(newton_absolute=1e9), "--device", "cpu", "--increments", "1")
        self.assertEqual(code, 0)
        self.assertIn("Newton took no iteration in any increment", err)

    def test_shapes_materials_and_a_floor_make_a_body(self):
        scene = self.scene(mesh=None, pins=None, forces=None, floor=-0.1, friction=0.3, gravity=[0, 0, -9.81],
                           shapes=[{"kind": "box", "size": [1, 1, 1], "cells": 2},
                                   {"kind": "sphere", "size": [1, 1, 1], "cells": 2, "at": [3, 0, 0],
                                    "turn": [90, 0, 0]}],
                           materials=[{"region": {"x": [2, None]}, "stiffness": 5}])
        code, out, err = run("bench", scene, "--device", "cpu", "--repeat", "1", "--steps", "3")
        self.assertEqual(code, 0, err)
        self.assertIn("connected components  2", run("info", scene)[1])

    def test_bodies_are_listed_recorded_and_distinguished(self):
        sphere = {"kind": "sphere", "size": [1, 1, 1], "cells": 2}
        scene = self.scene(mesh=None, forces=None, gravity=[0, 0, -9.81], dt=0.02, density=1000, pins=[{"body": 1}],
                           bodies=[{"shape": sphere, "name": "ball", "place": [3, 0, 2], "velocity": [1, 0, 0],
                                    "density": 500, "color": [1, 0.5, 0], "roughness": 0.25, "transparency": 0.5},
                                   {"shape": {"kind": "box", "size": [1, 2, 1], "cells": 1}, "poisson": 0.1}])
        code, out, err = run("info", scene)
        self.assertEqual(code, 0, err)
        self.assertIn("several bodies", out)
        self.assertRegex(out, r"bodies\[0\] +ball: \d+ nodes, .* 500 kg/m\^3, initial velocity \(1, 0, 0\) m/s, "
                              r"colour.*, roughness 0.25, transparency 0.5\n")
        self.assertRegex(out, r"bodies\[1\] +body 1: .*2000 kg.*Poisson's ratio 0.1, density 1000 kg/m\^3\n")
        report = self.path("report.json")
        code, out, err = run("bench", scene, "--device", "cpu", "--repeat", "0", "--steps", "5", "--json", report)
        self.assertEqual(code, 0, err)
        with open(report) as file:
            ball, box = json.load(file)["bodies"]
        self.assertEqual([ball["name"], box["name"], box["mass_kg"], box["kinetic_J"]], ["ball", "body 1", 2000, 0])
        for got, expected in zip(ball["momentum_kg_m_s"], [1, 0, -9.81 * 0.1]):
            self.assertAlmostEqual(got / ball["mass_kg"], expected, 4)
        self.assertAlmostEqual(ball["centre_m"][0], 3.1, 4)
        code, _, err = run("record", scene, "--device", "cpu", "--frames", "2", "--vtu", self.path("series"))
        self.assertEqual(code, 0, err)
        with open(os.path.join(self.path("series"), "frame_00001.vtu"), "rb") as file:
            self.assertIn(b'Name="body"', file.read())
        # statics: `solve` reports reactions of each body's pins, and each body must have pins
        box = {"kind": "box", "size": [1, 2, 1], "cells": 1}
        pinned = [{"shape": box, "place": [3 * k, 0, 0], "density": 100 * (k + 1), "pins": [{"z": [None, 0.01]}]}
                  for k in range(2)]
        scene = self.scene(mesh=None, forces=None, gravity=[0, 0, -10], bodies=pinned, pins=None, mu=1e6)
        code, out, err = run("solve", scene, "--device", "cpu")
        self.assertEqual(code, 0, err)
        for k in range(2):
            got = re.search(r"bodies\[%d\].pins entry 1 +nodes held: \d+; force \(\S+, \S+, (\S+)\) N" % k, out)
            self.assertAlmostEqual(float(got.group(1)), 2000 * (k + 1), 1)
        del pinned[1]["pins"]
        scene = self.scene(mesh=None, forces=None, gravity=[0, 0, -10], bodies=pinned, pins=None)
        self.fails(["solve", scene, "--device", "cpu"], "scene.json", "bodies[1] has no pins")
        # A scene with one body prints no entries bodies[k].
        self.assertNotIn("bodies[", run("info", self.scene())[1])

    def test_bodies_go_on_from_a_checkpoint(self):
        def scene(speed, density, above=0, height=1):
            shape = {"kind": "sphere", "size": [1, 1, height], "cells": 2}
            return self.scene(mesh=None, forces=None, pins=None, gravity=[0, 0, -9.81], floor=-1, bodies=[
                {"shape": shape, "velocity": [speed, 0, 0], "damping": 1, "poisson": 0.4},
                {"shape": shape, "place": [3, 0, above], "density": density, "young": 100}])

        def record(*words):
            return run("record", *words, "--device", "cpu", "--fps", "50")
        first, whole, rest = scene(1, 2), self.path("whole.npz"), self.path("rest.npz")
        checkpoint = self.path("checkpoint")
        self.assertEqual(record(first, "--frames", "12", "--state", whole)[0], 0)
        self.assertEqual(record(first, "--frames", "5", "--checkpoint", checkpoint)[0], 0)
        self.assertEqual(record(first, "--frames", "12", "--resume", checkpoint, "--state", rest)[0], 0)
        with open(whole, "rb") as a, open(rest, "rb") as b:
            self.assertEqual(a.read(), b.read())
        for other, what in (((2, 2), "its velocities of bodies differs from the present one"),
                            ((1, 3.3), "its bodies[1].density is 2, but here 3.3"),
                            ((1, 2, 0.5), "its bodies[1].place is [3,0,0], but here [3,0,0.5]"),
                            ((1, 2, 0, 3), "its bodies[0].shape is {")):
            code, _, err = record(scene(*other), "--frames", "12", "--resume", checkpoint, "--state", rest)
            self.assertEqual(code, 1)
            self.assertIn(what, err)

    def test_bodies_that_touch_and_obstacles_that_move(self):
        """Contacts are written to JSON and VTU, overlaps are reported and resolved, paths continue after a resume."""
        def scene(height, **changes):
            shape = {"kind": "box", "size": [1, 1, 1], "cells": 1}
            path = [[0, 0, 0, 0], [0.1, 0, 0, 0], [0.4, 0.3, 0, 0]]
            gone = dict.fromkeys(("mesh", "mu", "lambda", "forces", "newton_absolute", "newton_relative",
                                  "cg_relative"))
            return self.scene(**gone, young=1e5, poisson=0.3, density=1000, self_contact=True, device="cpu",
                              pins=[{"body": "low", "z": [None, 0.5]}],
                              bodies=[{"name": "low", "shape": shape},
                                      {"name": "high", "shape": shape, "place": [0.03, 0.02, height]}],
                              obstacles={"kind": "sphere", "at": [-0.75, 0, 1.5], "radius": 0.2, "path": path},
                              **changes)
        result = self.path("bench.json")
        touching = scene(1.003, gravity=[0, 0, -9.81])
        code, out, err = run("bench", touching, "--steps", "8", "--repeat", "0", "--json", result)
        self.assertEqual(code, 0, err)
        self.assertIn("high on low: (", out)
        with open(result) as file:
            contacts = json.load(file)["contacts"]
        self.assertEqual([pair["bodies"] for pair in contacts], [["low", "high"]])
        self.assertLess(contacts[0]["force_N"][2], -100)
        self.assertGreater(contacts[0]["places"], 0)
        whole, rest, checkpoint = self.path("whole.npz"), self.path("rest.npz"), self.path("checkpoint")
        for words in (["--frames", "40", "--state", whole, "--vtu", self.path("vtu")],
                      ["--frames", "20", "--checkpoint", checkpoint],
                      ["--frames", "40", "--resume", checkpoint, "--state", rest]):
            code, _, err = run("record", touching, "--fps", "100", *words)
            self.assertEqual(code, 0, err)
            self.assertNotIn("the integrator added", err)
        with open(whole, "rb") as a, open(rest, "rb") as b:
            self.assertEqual(a.read(), b.read())
        with open(self.path("vtu/frame_00008.vtu"), "rb") as file:
            frame = file.read()
        self.assertIn(b'Name="contact force"', frame)
        self.assertIn(b'Name="contact pressure"', frame)
        overlapping = scene(0.98)
        self.fails(["bench", overlapping, "--steps", "1", "--obstacles", "[]"], "bodies ",
                   "the surface intersects itself: the edge of")
        code, _, err = run("bench", overlapping, "--steps", "1", "--untangle", "--repeat", "0")
        self.assertEqual(code, 0, err)
        self.assertIn("bodies that were too close were moved apart by up to 0.0", err)
        for path, what in (([], "a list of 1 to 20 points"), ([[0, 1, 2]], "point 1 of \"path\" must be four numbers"),
                           ([[1, 0, 0, 0], [1, 0, 0, 0]], "the times of \"path\" must increase")):
            sphere = {"kind": "sphere", "at": [0, 0, 9], "radius": 1, "path": path}
            self.fails(["bench", self.scene(obstacles=sphere)], "obstacles", what)
        # A body deep under a floor or within an obstacle is reported, a small overlap is not.
        for height, deep in ((0.3, True), (1e-3, False)):
            box = {"shape": {"kind": "box", "size": [1, 1, 1], "cells": 1}}
            plane = {"kind": "plane", "at": [0, 0, 2], "normal": [0, 0, -1],
                     "path": [[0, 0, 0, -1 - height], [1, 0, 0, 0]]}
            code, _, err = run("bench", self.scene(**dict.fromkeys(("mesh", "forces", "pins")), bodies=[box],
                                                   floor=height, obstacles=plane), "--steps", "1", "--repeat", "0")
            self.assertEqual((code, "0.3 m deep under the floor" in err, "0.3 m deep within obstacles entry 1" in err),
                             (0, deep, deep), err)
        for scale, height, within in ((0.5, 0.2, True), (3, -0.5, True), (1, 1.2, False)):
            shape = {"kind": "box", "size": [1, 1, 1], "cells": 1}
            bodies = [{"name": "still", "shape": shape}, {"shape": shape, "scale": scale, "place": [0.1, 0.1, height]}]
            code, _, err = run("bench", self.scene(**dict.fromkeys(("mesh", "forces", "pins")), bodies=bodies,
                                                   self_contact=True), "--steps", "1", "--repeat", "0")
            self.assertEqual((code, "begins inside" in err), (0, within), err)
            if within:
                self.assertIn("body 1 begins inside still" if scale < 1 else "still begins inside body 1", err)
        self.fails(["bench", self.scene(drags=[{"grab": {"z": [9, None]}, "path": [[0, 0, 0, 0], [1, 0, 0, 0]]}]),
                    "--device", "cpu"], "drags entry 1 selects no node")

    def test_options_without_effect_are_reported(self):
        """Notices report contact keys without contact, cuts that separate nothing, and obstacles that pass between
        nodes."""
        box = {"mesh": None, "forces": None, "device": "cpu",
               "shapes": [{"kind": "box", "size": [1, 1, 1], "cells": 2}]}
        for key, value in (("contact_distance", 0.01), ("contact_modulus", 5), ("friction_speed", 0.1),
                           ("friction_sticks", True)):
            for contact in (False, True):
                code, _, err = run("bench", self.scene(**{key: value}, self_contact=contact, **box), "--steps", "1",
                                   "--repeat", "0")
                self.assertEqual(code, 0, err)
                # The command line turns the scene's self_contact off or on.
                turned = run("bench", self.path("scene.json"), f"--self-contact={str(not contact).lower()}", "--steps",
                             "1", "--repeat", "0")[2]
                self.assertNotEqual("has no effect" in err, "has no effect" in turned, turned)
                self.assertEqual(f"{key} has no effect without \"self_contact\";" in err, not contact, err)
        for key, value, idle in (("field", "pressure", True), ("vectors", "contact", True), ("field", "j", False)):
            code, _, err = run("bench", self.scene(**{key: value}, **box), "--steps", "1", "--repeat", "0")
            self.assertEqual((code, f'{key} "{value}" shows nothing without "self_contact"' in err), (0, idle), err)
            err = run("bench", self.path("scene.json"), "--self-contact", "--steps", "1", "--repeat", "0")[2]
            self.assertNotIn("shows nothing", err)
        for height, nothing in ((0.5, False), (50, True)):
            cut = {"time": 0, "point": [0, 0, height], "normal": [0, 0, 1]}
            code, _, err = run("bench", self.scene(cuts=cut, device="cpu"), "--steps", "1", "--repeat", "0")
            self.assertEqual(code, 0, err)
            self.assertEqual("cuts entry 1 opens no face" in err, nothing, err)
            self.assertEqual("faces opened" in err, not nothing, err)
        for obstacle, narrow in (({"kind": "sphere", "radius": 1e-4}, True), ({"kind": "sphere", "radius": 1}, False),
                                 ({"kind": "box", "size": [2, 2, 1e-4]}, True),
                                 ({"kind": "box", "size": [2, 1e-3, 1]}, True),
                                 ({"kind": "box", "size": [2, 2, 0.1]}, False)):
            obstacle.update(at=[0, 0, -5])
            scene = self.scene(obstacles=obstacle, device="cpu", self_contact=False)
            code, _, err = run("bench", scene, "--steps", "1", "--repeat", "0")
            self.assertEqual(code, 0, err)
            self.assertEqual("obstacles entry 1 is" in err, narrow, err)
        # the scale of a mesh is not its width
        mesh = {"kind": "mesh", "mesh": os.path.abspath(os.path.join(ASSETS, "surfaces/bowl.obj")), "scale": 1e-4}
        code, _, err = run("bench", self.scene(obstacles=mesh, device="cpu", self_contact=False), "--steps", "1",
                           "--repeat", "0")
        self.assertEqual((code, "m wide" in err), (2, False), err)

    def test_broken_json_is_reported_with_its_line(self):
        with open(self.path("broken.json"), "w") as file:
            file.write('{\n "dt": 0.1,\n "mu" 5\n}\n')
        self.fails(["bench", self.path("broken.json")], "broken.json:3")
        with open(self.path("twice.json"), "w") as file:
            file.write('{ "dt": 0.1, "dt": 0.2 }')
        self.fails(["bench", self.path("twice.json")], '"dt" occurs twice')

    def test_what_is_not_quite_json(self):
        for text, *fragments in [
                ('{"mesh": "a.msh", "pins": [{"z": [0, 1], "z": [0, 2]}]}', 'key "z" occurs twice'),
                ('{"mesh": "a.msh"}\0{"mesh": "b.msh"}', "zero byte"),
                ('{\n"mesh": "a\\u0000b.msh"}', "odd.json:2", "zero"),
                ('{"mesh": "a\nb.msh"}', "control character"),
                ('{"mesh": "a.msh 9",\n "pins": [{"z": [0, -1e999]}]}', "odd.json:2:21", "beyond the range of double"),
                ("[" * 500 + "]" * 500, "too many nested lists or objects"),
                ('{"dt": 1,\n', "odd.json:2", "ends too early"),
                ("", "the text is empty"),
                ('{' + ",".join(f'"k{k}": 0' for k in range(2000)) + '}', "1000 keys")]:
            with open(self.path("odd.json"), "w") as file:
                file.write(text)
            self.fails(["bench", self.path("odd.json")], "odd.json", *fragments)
        self.fails(["bench", "--pins", '[{"z": [0, 1], "z": [0, 2]}]'], "--pins", '"z" occurs twice')

    def test_no_control_character_reaches_the_terminal(self):
        with open(self.path("red.json"), "w") as file:
            json.dump({"\x1b[31m\x9b\rred": 1}, file, ensure_ascii=False)
        self.fails(["bench", self.path("red.json")], "\\x1b[31m\\xc2\\x9b\\rred", "mesh")
        self.fails(["bench", "no\x1b[2Jwhere\n.msh"], "no\\x1b[2Jwhere\\n.msh", "No such file")
        self.fails(["bench", "M\u00fcsli.msh"], "M\u00fcsli.msh")  # only control characters are escaped
        done = subprocess.run([PLIANT, "info", b"\xff\xfe.msh"], capture_output=True, timeout=60)
        self.assertIn(b"\\xff\\xfe.msh", done.stderr)

    def test_a_missing_file_is_reported_before_a_missing_display(self):
        surface, log = self.path("ball.stl"), self.path("log.jsonl")
        for path in (surface, log):
            with open(path, "w") as file:
                file.write("solid\n")
        for words, *fragments in [
                ([self.scene(mesh="nowhere.msh")], "nowhere.msh: No such file"),
                (["nowhere.msh"], "nowhere.msh: No such file"),
                ([COARSE, "--mesh", "nowhere.msh"], "nowhere.msh: No such file"),
                ([surface], "ball.stl: is a surface", "tetrahedralize"),
                (["replay", "nowhere.jsonl"], "nowhere.jsonl: No such file"),
                (["replay", log], "log.jsonl:1"),
                (["info", "nowhere.msh"], "nowhere.msh: No such file")]:
            self.fails(words, *fragments, DISPLAY="", WAYLAND_DISPLAY="")

    def test_record_says_what_takes_long_or_shows_nothing(self):
        scene = self.scene(mesh=None, forces=None, pins=[{"z": [None, 0.01]}], gravity=[0, 0, -1],
                           shapes=[{"kind": "box", "size": [1, 1, 1], "cells": 1}])
        words = ["record", scene, "--device", "cpu", "--frames", "3", "--state", self.path("s.npz")]
        code, _, err = run(*words, "--dt", "1e9")
        self.assertEqual(code, 0)
        self.assertIn("several frames show the same state", err)
        code, _, err = run(*words, "--dt", "1e-20", "--precision", "double")
        self.assertGreater(code, 0)
        self.assertIn("would need 6.67e+18 steps", err)
        # Without a terminal, progress is reported from time to time.
        running = subprocess.Popen([PLIANT, *words, "--dt", "1e-9"], stderr=subprocess.PIPE, text=True)
        pause(running)
        told = []
        for line in running.stderr:
            told.append(line)
            if " to go" in line:
                break
        running.send_signal(signal.SIGINT)
        _, rest = running.communicate(timeout=60)
        told = "".join(told) + rest
        self.assertRegex(told, r"frames: 1 of 3; time steps: \d+; time so far: \d+ s, about [\d.]+ (s|min|h|days) "
                         "to go")
        self.assertIn("need 6.67e+07 steps", told)
        self.assertIn("loses the motion in one time step by rounding", told)
        self.assertIn("interrupted", told)

    def test_two_dashes_end_the_options(self):
        self.fails(["bench", "--", "--dt.msh"], "--dt.msh: No such file")
        self.fails(["--", "record"], "record: No such file")
        self.fails(["convert", "--", "-o", "a.vtu"], "-o: the name of a mesh file must end with .msh")
        self.fails(["bench", "--", COARSE, "--dt"], "two scenes")

    def test_a_body_comes_from_one_place(self):
        shapes = self.scene(mesh=None, shapes=[{"kind": "box", "size": [1, 1, 1], "cells": 2}])
        self.fails(["bench", shapes, "--mesh", "a.msh"], "--mesh cannot be combined with", "scene.json", "shapes")
        self.fails(["bench", COARSE, "--shapes", '[{"kind": "box", "size": [1, 1, 1], "cells": 2}]'],
                   "--shapes cannot be combined with", "hand_coarse.json")

    def test_bench_reports_progress_while_steps_take_long(self):
        push = self.scene(material="stvk", mu=None, **{"lambda": None}, young=1e4, poisson=0.3, density=1000, dt=1 / 60,
                          newton="robust", forces=None, newton_relative=None, newton_absolute=None,
                          mesh=None, shapes=[{"kind": "box", "size": [0.3, 0.3, 1], "cells": 2}],
                          drags=[{"grab": {"center": "+z", "radius": 0.1},
                                  "path": [[0.3 * k, 0, 0, -0.8 * (k % 2)] for k in range(18)]}])
        running = subprocess.Popen([PLIANT, "bench", push, "--device", "cpu", "--steps", "300", "--repeat", "0"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        pause(running)
        told = ""
        for line in running.stderr:
            told += line
            if "was split" in told and (" so far" in told or " steps in " in told):
                break
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=120)
        self.assertRegex(told, r"step \d+ was split into \d+ substeps.*St. Venant-Kirchhoff.*"
                         r"use material .neo_hookean.")
        self.assertRegex(told, r"step \d+ of 300 has taken \d+ s so far: \d+ Newton and |\d+ of 300 steps in \d+ s")

    def test_a_material_that_collapses_is_named_with_a_better_one(self):
        weight = self.scene(mesh=None, shapes=[{"kind": "box", "size": [1, 1, 1], "cells": 2}], forces=None, dt=0.02,
                            mu=None, **{"lambda": None}, young=1e4, poisson=0.3, density=1000, gravity=[0, 0, -60],
                            newton_relative=None, newton_absolute=None, pins=[{"z": [None, 0.01]}])
        for words in (["bench", "--repeat", "0", "--steps", "40", "--halvings-max", "0", "--newton-max", "4"],
                      ["solve"]):
            for material, named in (("stvk", True), ("neo_hookean", False)):
                code, _, err = run(words[0], weight, "--device", "cpu", *words[1:], "--material", material)
                self.assertEqual('material "stvk" (St. Venant-Kirchhoff) loses its stiffness under compression and '
                                 'collapses: use material "neo_hookean"' in err, named, (words, material, err))

    def test_a_mesh_alone_has_the_plain_defaults(self):
        ball = os.path.join(ASSETS, "meshes", "sphere_63.msh")
        words = ["--device", "cpu", "--steps", "1", "--repeat", "0"]
        for mesh in ([ball], ["--mesh", ball]):
            code, out, err = run("bench", *mesh, *words)
            self.assertEqual(code, 0, err)
            self.assertIn("newton robust", out)
            self.assertNotIn("loaded nodes", out)
            self.assertIn("mesh without a scene: nodes with z < ", err)

    def test_a_run_without_loads_is_reported(self):
        ball = os.path.join(ASSETS, "meshes", "sphere_63.msh")
        runs = {"bench": ["--steps", "2", "--repeat", "1"], "solve": ["--increments", "2"],
                "record": ["--frames", "2", "--state", self.path("rest.npz")]}
        for command, words in runs.items():
            for gravity, fault in (([], True), (["--gravity", "0,0,-1"], False)):
                code, _, err = run(command, ball, "--device", "cpu", *words, *gravity)
                self.assertEqual(code, 0, err)
                self.assertEqual("acts on the body, so" in err, fault, (command, gravity, err))

    def test_an_empty_list_of_pins_lets_a_mesh_fall_freely(self):
        ball = os.path.join(ASSETS, "meshes", "sphere_63.msh")
        table = self.path("fall.csv")
        code, _, err = run("record", ball, "--device", "cpu", "--pins", "[]", "--gravity", "0,0,-10", "--dt", "0.01",
                           "--fps", "10", "--frames", "6", "--probe", "position:17", "--probe-file", table)
        self.assertEqual(code, 0, err)
        self.assertNotIn("are pinned", err)
        with open(table) as file:
            rows = list(csv.DictReader(file))
        first, last = (float(rows[k]["position:17_z_m"]) for k in (0, -1))
        # 0.5 g t^2; the tolerance of Newton's method changes the path by less than 1e-3 of its length
        self.assertAlmostEqual((first - last) / (0.5 * 10 * float(rows[-1]["time_s"]) ** 2), 1, 3)

        code, _, err = run("solve", ball, "--device", "cpu", "--pins", "[]")
        self.assertEqual(code, 1, err)
        self.assertIn("the body has no pins", err)

    def test_a_stack_of_512_kib_is_enough(self):
        def with_short_stack():
            resource.setrlimit(resource.RLIMIT_STACK, (512 << 10, 512 << 10))

        deep = self.scene(mesh=None, shapes=[{"kind": "box", "size": [1, 1, 1], "cells": 2}], forces=None,
                          gravity=[0, 0, -1])
        os.mkdir(self.path("meshes"))  # validate takes seconds for its large balls
        for nodes in (63, 305, 1700, 3600):
            os.symlink(os.path.join(ASSETS, "meshes", "sphere_63.msh"), self.path(f"meshes/sphere_{nodes}.msh"))
        for words in (["info", deep], ["bench", deep, "--repeat", "1"], ["bench", deep, "--sweep", "--repeat", "1"],
                      ["solve", deep], ["validate", deep], ["verify", "--case", "1"],
                      ["study", "mueller-roemer", "--device", "cpu", "--mesh",
                       os.path.join(ASSETS, "meshes", "sphere_63.msh"), "--repeat", "1"],
                      ["record", deep, "--frames", "2", "--state", self.path("s.npz")],
                      ["record", deep, "--frames", "2", "-o", self.path("frames"), "--size", "64x64"],
                      ["convert", os.path.join(ASSETS, "meshes", "sphere_63.msh"), self.path("a.vtu.gz")],
                      ["bench", "--help"]):
            done = subprocess.run([program_of(PLIANT, words), *words], capture_output=True, text=True, timeout=300,
                                  preexec_fn=with_short_stack,
                                  env={**os.environ, "PLIANT_ASSETS": self.folder.name,
                                       "ASAN_OPTIONS": "detect_leaks=0"})  # leaks of the graphics driver
            if "EGL" in done.stderr:
                continue  # this machine has no graphics
            self.assertEqual(done.returncode, 0, (words, done.stderr))

    def test_the_bound_on_memory_is_a_number(self):
        for value in ("4G", "", "-1", "0", "lots", "1e3", "99999999999999999999"):
            self.fails(["info"], "PLIANT_MEMORY_MIB", "whole number", PLIANT_MEMORY_MIB=value)
        self.fails(["bench", COARSE, "--device", "cpu"], "not enough memory", PLIANT_MEMORY_MIB="4")


class Meshes(InFolder):
    CUBE = ("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nf 1 4 3 2\nf 5 6 7 8\n"
            "f 1//1 2//1 6//1 5//1\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n")

    def test_convert_keeps_the_mesh(self):
        ball = os.path.join(ASSETS, "meshes", "sphere_305.msh")
        code, out, err = run("convert", "--encoding", "zlib", ball, self.path("ball.vtu.gz"))
        self.assertEqual((code, out), (0, self.path("ball.vtu.gz") + ": 305 nodes, 960 tets\n"), err)
        figures = [run("info", path, "--all")[1].split("aspect")[0].split("\n", 1)[1]
                   for path in (ball, self.path("ball.vtu.gz"))]
        self.assertEqual(*figures)
        self.assertIn("connected components  1", run("info", ball)[1])

    def test_convert_says_what_is_wrong(self):
        ball = os.path.join(ASSETS, "meshes", "sphere_63.msh")
        for words, fragment in [([ball], "expected 2 file names"), ([ball, "a.vtu", "b.vtu"], "unexpected argument"),
                                ([ball, "a.stp"], 'unknown mesh format ".stp"'),
                                ([ball, "a.stl"], "a.stl: a .stl file cannot store a mesh of cells"),
                                (["--encoding", "morse", ball, "a.vtu"], "--encoding: is \"morse\", expected one of"),
                                (["--gravity", "0,0,1", ball, "a.vtu"], "unknown option --gravity")]:
            code, out, err = run("convert", *words)
            self.assertGreater(code, 0, words)
            self.assertIn(fragment, err)

    def test_tetrahedralize(self):
        with open(self.path("cube.obj"), "w") as file:
            file.write(self.CUBE)
        code, out, err = run("tetrahedralize", self.path("cube.obj"), self.path("cube.msh"), "--max-volume", "0.01")
        if "needs TetGen" in err:
            self.skipTest(err)
        self.assertEqual(code, 0, err)
        self.assertIn("volume                1 ", run("info", self.path("cube.msh"))[1])
        with open(self.path("open.obj"), "w") as file:
            file.write("\n".join(self.CUBE.split("\n")[:-2]) + "\n")
        code, out, err = run("tetrahedralize", self.path("open.obj"), self.path("open.msh"))
        self.assertGreater(code, 0)
        self.assertIn("must be closed", err)
        # The bound 1e-14 m^3 for a small body must reach TetGen, and not be rounded to 0.
        with open(self.path("small.off"), "w") as file:
            file.write("OFF\n4 4 6\n0 0 0\n0.0001 0 0\n0 1d-4 0 # up\n0 0 1e-4\n"
                       "3 0 2 1\n3 0 1 3 200 0 0\n3 0 3 2\n3 1 2 3\n")
        code, out, err = run("tetrahedralize", self.path("small.off"), self.path("small.msh"), "--max-volume", "1e-14")
        self.assertEqual(code, 0, err)
        self.assertGreater(int(out.split(" nodes, ")[1].split()[0]), 1.67e-13 / 1e-14)
        code, out, err = run("tetrahedralize", self.path("cube.obj"), self.path("no.msh"), "--max-volume", "1e-14")
        self.assertEqual(code, 1)
        self.assertIn("cube.obj: the volume of 1 m^3 needs 1e+14 tets of at most 1e-14 m^3; a mesh has at most",
                      err)

    def fill_cubes(self, *cubes, name="cubes.obj", reverse=()):
        """Writes cubes as closed surfaces to a file and fills them. A cube is given by its side, its lowest corner, and
        True if its faces are oriented inward. `reverse` has faces of the last cube to be reversed. Returns the exit
        code, volume, number of cavities and messages."""
        outward = [(0, 2, 1), (1, 2, 3), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4), (2, 6, 3), (3, 6, 7), (0, 4, 2),
                   (2, 4, 6), (1, 3, 5), (3, 7, 5)]
        corners, triangles = [], []
        for n, (side, low, inward) in enumerate(cubes):
            corners += [tuple(x + side * (k >> i & 1) for i, x in enumerate(low)) for k in range(8)]
            for k, face in enumerate(outward):
                turned = inward != (n + 1 == len(cubes) and k in reverse)
                triangles.append([8 * n + a for a in (face[::-1] if turned else face)])
        with open(self.path(name), "w") as file:
            if name.endswith(".obj"):
                file.write("".join("v %.9g %.9g %.9g\n" % x for x in corners) +
                           "".join("f %d %d %d\n" % tuple(a + 1 for a in t) for t in triangles))
            else:
                file.write("solid\n" + "".join(
                    "facet normal 0 0 0\nouter loop\n" + "".join("vertex %.9g %.9g %.9g\n" % corners[a] for a in t) +
                    "endloop\nendfacet\n" for t in triangles) + "endsolid\n")
        code, out, err = run("tetrahedralize", self.path(name), self.path("cubes.msh"))
        if "needs TetGen" in err:
            self.skipTest(err)
        if code:
            return code, None, None, err
        volume = run("info", self.path("cubes.msh"))[1].split("volume ")[1].split()[0]
        return code, float(volume), int(out.split("cavities: ")[1]) if "cavities: " in out else 0, err

    def test_cavities_stay_empty(self):
        """A closed surface inside another one, with the opposite orientation, bounds a cavity."""
        whole, cavity = (1, (0, 0, 0), False), (0.3, (0.35, 0.35, 0.35), True)
        large = (0.6, (0.2, 0.2, 0.2), True)
        solid, within = (0.41, (0.31, 0.28, 0.29), False), (0.2, (0.4, 0.37, 0.42), True)
        for name, cubes, volume, count in (
                ("cubes.obj", [whole, cavity], 0.973, 1),
                ("cubes.stl", [whole, cavity], 0.973, 1),
                ("cubes.obj", [cavity, whole], 0.973, 1),
                ("cubes.obj", [(1, (0, 0, 0), True), (*cavity[:2], False)], 0.973, 1),
                ("cubes.obj", [whole, (0.3, (0.1, 0.1, 0.1), True), (0.2, (0.7, 0.7, 0.7), True)], 0.965, 2),
                ("cubes.obj", [whole, large, solid], 1 - 0.6 ** 3 + 0.41 ** 3, 1),
                ("cubes.obj", [whole, large, solid, within], 1 - 0.6 ** 3 + 0.41 ** 3 - 0.2 ** 3, 2),
                ("cubes.obj", [whole, (1, (2, 0, 0), True), cavity], 1.973, 1)):
            code, found, cavities, err = self.fill_cubes(*cubes, name=name)
            self.assertEqual((code, cavities, err), (0, count, ""), cubes)
            self.assertAlmostEqual(found, volume, delta=1e-5, msg=str(cubes))

    def test_inner_surfaces_that_are_no_cavities_are_reported(self):
        whole = (1, (0, 0, 0), False)
        code, volume, cavities, err = self.fill_cubes(whole, (0.3, (0.35, 0.35, 0.35), False))
        self.assertEqual((code, volume, cavities), (0, 1, 0), err)
        self.assertIn("cubes.obj: closed surfaces inside another one with the same orientation: 1;", err)
        code, volume, cavities, err = self.fill_cubes(whole, (0.3, (0.35, 0.35, 0.35), True), reverse=[3])
        self.assertEqual((code, volume, cavities), (0, 1, 0), err)
        self.assertIn("cubes.obj: closed surfaces with faces of different orientations: 1;", err)

    # corners of a tet of 30 x 20 x 10, and its outward faces
    CORNERS = [(0, 0, 0), (30, 0, 0), (0, 20, 0), (0, 0, 10)]
    FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]

    def stl(self, name, faces, head=b"solid, as some programs begin a binary file", cut=0):
        """Writes a binary STL file of some faces, and one triangle without area. The last `cut` bytes are omitted.
        Returns the path."""
        triangles = [[self.CORNERS[a] for a in face] for face in faces] + [[self.CORNERS[0]] * 3]
        data = head.ljust(80) + struct.pack("<I", len(triangles))
        for triangle in triangles:
            data += struct.pack("<12fH", 0, 0, 0, *[x for corner in triangle for x in corner], 0)
        with open(self.path(name), "wb") as file:
            file.write(data[:len(data) - cut])
        return self.path(name)

    def test_stl(self):
        """Binary and text STL files, and an OBJ file in which each face has its own vertices, give the same body.
        Messages about damaged files name the fault."""
        words = "solid tet\n" + "".join(
            "facet normal 0 0 0\n outer loop\n" + "".join("  vertex %g %g %g\n" % self.CORNERS[a] for a in face) +
            " endloop\nendfacet\n" for face in self.FACES)
        with open(self.path("words.stl"), "w") as file:
            file.write(words + "endsolid tet\n")
        self.stl("binary.stl", self.FACES)
        with open(self.path("seams.obj"), "w") as file:
            file.writelines("v %g %g %g\n" % self.CORNERS[a] for face in self.FACES for a in face)
            file.writelines("f %d %d %d\n" % (3 * k + 1, 3 * k + 2, 3 * k + 3) for k in range(4))
        for name in ("binary.stl", "words.stl", "seams.obj"):
            code, out, err = run("tetrahedralize", self.path(name), self.path("tet.msh"))
            if "needs TetGen" in err:
                self.skipTest(err)
            self.assertEqual(code, 0, err)
            self.assertIn("30 x 20 x 10 m, volume 1000 m^3", out)
            self.assertIn('tet.msh: the mesh is 30 m long; if the file is in mm, set "scale": 0.001', err)
        with open(self.path("endless.stl"), "w") as file:
            file.write(words[:words.index("  vertex", 60)] + "endfacet\n")
        with open(self.path("ended.stl"), "w") as file:
            file.write(words[:words.index(" endloop") - 20])
        with open(self.path("other.stl"), "w") as file:
            file.write("PNG")
        with open(self.path("binary.ply"), "wb") as file:
            file.write(b"ply\nformat binary_little_endian 1.0\nelement vertex 0\nend_header\n")
        for name, fragment in (
                (self.stl("hole.stl", self.FACES[:3]), "hole.stl: the surface must be closed, but has a hole: "
                 "3 edges belong to only one face, the first from (0, 0, 10) to (0, 20, 0)"),
                (self.stl("cut.stl", self.FACES, b"CAD", 7), "cut.stl: the binary STL file has 327 bytes, but its 5 "
                 "triangles need 334 bytes: the file is damaged or incomplete"),
                (self.stl("short.stl", self.FACES, cut=7), "short.stl: the binary STL file has 327 bytes"),
                (self.stl("none.stl", []), "none.stl: the file has no faces"),
                (self.path("endless.stl"), ": a facet needs three corners"),
                (self.path("ended.stl"), "ended.stl:5: the line ends, expected vertex's coordinate"),
                (self.path("other.stl"), 'other.stl: is not an STL file: it does not begin with "solid"'),
                (self.path("binary.ply"), "binary.ply: TetGen reads .ply files as text only")):
            code, out, err = run("tetrahedralize", name, self.path("out.msh"))
            self.assertEqual((code, out), (1, ""), err)
            self.assertIn(fragment, err)
            self.assertFalse(os.path.exists(self.path("out.msh")))

    def test_faces_that_cannot_be_filled_are_named(self):
        corners = "".join("v %d 0 1\n" % k for k in range(1000))
        long = "f " + " ".join(str(k + 1) for k in range(1000))
        for name, text, fragment in (

                ("beyond.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n",
                 ":4: a face has the corner 4, but the file has 3 vertices"),
                ("zero.obj", "v 0 0 0\nf 0 1 2\n", ':2: a face has the corner "0", expected a vertex\'s number'),
                ("back.obj", "v 0 0 0\nf -1 -2 -3\n", ':2: a face has the corner "-2", expected'),
                ("two.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n",
                 ":3: the number of corners of a face is 2, expected 3 or more"),
                ("many.obj", corners + long, ":1001: a face has 1000 corners, too many for TetGen; split it"),
                ("beyond.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n",
                 ':6: face\'s corner is "3", expected 0 to 2'),
                ("short.off", "OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", ":7: the file ends, expected face"),
                ("none.off", "OFF\n0 0 0\n", ": the file has no faces"),
                ("coff.off", "COFF\n0 0 0\n", ':1: "COFF", expected OFF')):
            with open(self.path(name), "w") as file:
                file.write(text)
            code, out, err = run("tetrahedralize", self.path(name), self.path("out.msh"))
            self.assertEqual((code, out), (1, ""), err)
            self.assertIn(self.path(name) + fragment, err)


if __name__ == "__main__":
    unittest.main(verbosity=1)

#!/usr/bin/env python3
"""Tests `bench --roofline`, which measures ceilings (the device's highest rates) and computes floors (lower bounds of
the stages' times). Ceilings must be plausible. Floors must follow from the bytes and operations of the stages, and be
below the measured times.

usage: test_roofline.py PLIANT cpu|cuda
"""
import json
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402

DEVICE = sys.argv.pop(2)
PLIANT = sys.argv.pop(1)
ASSETS = os.environ.get("PLIANT_ASSETS") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../assets")
SCENE = os.path.join(ASSETS, "scenes", "hand_coarse.json" if DEVICE == "cpu" else "hand.json")
CEILING_KEYS = {"device", "device_model", "cores", "memory", "launch_us"}
CUDA_KEYS = {"graph_node_us", "reply_us", "l2_bytes", "l2_read_GB_per_s", "l2_copy_GB_per_s"}
ATTEMPTS = 3
STAGE_KEYS = {"stage", "count_per_step", "bytes_read", "bytes_written", "flops", "launches", "graph_nodes", "exchanges",
              "waits", "memory_us", "starts_us", "floor_us", "measured_us", "times_floor", "in_a_row_us"}


def run(*words, device=("--device", DEVICE)):
    # The benchmark measures with arrays of up to a quarter of this memory. On a CPU little memory saves time, and the
    # results contain all keys nevertheless.
    bound = {"PLIANT_MEMORY_MIB": "48"} if DEVICE == "cpu" else {}
    return subprocess.run([PLIANT, "bench", SCENE, *device, "--steps", "3", *words], capture_output=True, text=True,
                          timeout=250, env={**os.environ, **bound})


class Roofline(InFolder):
    def run_once(self, words):
        done = run("--repeat", "1", "--roofline", "--json", self.path("r.json"), *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("r.json")) as file:
            return json.load(file), done.stdout

    def measure(self, *words):
        # The floor is a lower bound, computed from the highest rates of several runs. measured_us is a mean time. The
        # factor 1.5 allows for clock rates that change between the measurements. Other programs that begin or end
        # between them can change the rates by more, so a run that violates the bound is repeated.
        for _ in range(ATTEMPTS):
            bench, out = self.run_once(words)
            roofline = bench["roofline"]
            below = [row for row in roofline["stages"]
                     if row["floor_us"] and row["floor_us"] >= 1.5 * row["measured_us"]]
            if not below:
                break
        self.assertEqual(below, [])

        stages = {row["stage"]: row for row in roofline["stages"]}
        self.assertEqual(len(stages), len(roofline["stages"]))
        for row in stages.values():
            self.assertEqual(set(row), STAGE_KEYS, row)
            if row["floor_us"] is None:
                continue
            self.assertAlmostEqual(row["times_floor"] * row["floor_us"] / row["measured_us"], 1, 6)
            self.assertGreaterEqual(row["floor_us"] * (1 + 1e-9), max(row["memory_us"], row["starts_us"])
                                    if row["stage"] in ("assembly", "vector_alone", "spmv") else 0)
            self.assertGreater(row["floor_us"], 0)
        return bench, roofline, stages, out

    def test_every_timed_stage_has_its_floor(self):
        bench, roofline, stages, out = self.measure()
        self.assertEqual([c["device"] for c in roofline["ceilings"]], [DEVICE])
        ceilings = roofline["ceilings"][0]
        self.assertLessEqual(CEILING_KEYS | (CUDA_KEYS if DEVICE == "cuda" else {"threads"}), set(ceilings))
        self.assertEqual(ceilings["device_model"], bench["device_model"])
        sizes = [rate["bytes"] for rate in ceilings["memory"]]
        self.assertEqual(sizes, sorted(sizes))
        for rate in ceilings["memory"] + ceilings.get("threads", []):
            self.assertGreater(min(rate["read_GB_per_s"], rate["copy_GB_per_s"]), 0.1)
        if DEVICE == "cpu":
            self.assertEqual(ceilings["threads"][0]["threads"], 1)
            self.assertEqual(ceilings["threads"][-1]["threads"], ceilings["cores"])
        else:
            self.assertLess(ceilings["graph_node_us"], ceilings["reply_us"])

        self.assertEqual(set(stages) - {"transfers"},
                         {"assembly", "vector_alone", "spmv", "cg_without_spmv", "cg_iteration", "rest", "step"})
        # Times and counts must equal those in the other results of the benchmark.
        for key, us in (("assembly", "assembly_us"), ("vector_alone", "vector_alone_us"), ("spmv", "spmv_us"),
                        ("cg_iteration", "cg_iteration_us")):
            self.assertAlmostEqual(stages[key]["measured_us"] / bench[us], 1, 6)
        self.assertAlmostEqual(stages["step"]["measured_us"] / bench["ms_per_step"]["total_stages_timed"], 1000, 3)
        self.assertAlmostEqual(stages["spmv"]["count_per_step"] * bench["steps"], bench["cg_iterations"], 6)
        for key in ("floor_us", "bytes_read", "measured_us"):
            # row[key] is None for a product within the solver's kernel, which has no floor of its own
            whole = sum(row["count_per_step"] * row[key] for name, row in stages.items()
                        if name not in ("cg_iteration", "step") and row[key] is not None)
            self.assertAlmostEqual(whole / stages["step"][key], 1, 6, key)
            if stages["spmv"][key] is None:
                continue
            iteration = stages["spmv"][key] + stages["cg_without_spmv"][key]
            self.assertAlmostEqual(iteration / stages["cg_iteration"][key], 1, 6, key)
        # The stage "assembly" writes the matrix in addition to the vector; "vector_alone" writes only the vector.
        self.assertGreaterEqual(stages["assembly"]["bytes_written"],
                                stages["vector_alone"]["bytes_written"] + 4 * bench["nonzeros"])
        # in_a_row_us is the mean time of calls one directly after the other. Without gaps it is at most measured_us,
        # the mean time of calls within steps. A CPU is shared with other programs, so this is tested only on a GPU.
        for key in ("assembly", "vector_alone", "spmv"):
            self.assertGreater(stages[key]["in_a_row_us"], 0.5 * (stages[key]["floor_us"] or 0), key)
            if DEVICE == "cuda" and key != "spmv":  # within steps, the solver may use another kernel for the product
                self.assertLess(stages[key]["in_a_row_us"], 1.2 * stages[key]["measured_us"], key)
        self.assertIsNone(stages["step"]["in_a_row_us"])
        # the printed text must contain the ceilings ("Limits of") and the floors
        for words in ("Limits of", "CG iteration", "floor, us"):
            self.assertIn(words, out)

    def test_a_product_moves_its_entries_and_its_vectors(self):
        # Each row has the matrix format, the precision, the bytes per entry, and the number of kernels or loops per
        # product. The bytes are those of the value (4 or 8) and of its indices: 4 for a column. The 9 values of a 3 x 3
        # block share one index, and coo stores row and column.
        for matrix, precision, entry, passes in (("dcsr", "float", 4 + 4, 1), ("dcsr", "double", 8 + 4, 1),
                                                 ("bcsr", "float", 4 + 4 / 9, 1), ("ell", "float", 4 + 4 / 9, 1),
                                                 ("coo", "float", 4 + 8, 1 if DEVICE == "cpu" else 4)):
            if DEVICE == "cpu" and (matrix, precision) in (("dcsr", "float"), ("ell", "float")):
                # Skip these rows, since each takes most of a second. The others cover both precisions and kinds of
                # index.
                continue
            bench, _, stages, _ = self.measure("--matrix", matrix, "--precision", precision)
            real = 8 if precision == "double" else 4
            product = stages["spmv"]
            self.assertEqual(product["flops"], 2 * bench["nonzeros"])
            # on a GPU, coo runs further kernels that set y and compute x.y; they read vectors too
            vectors = 4 if matrix == "coo" and DEVICE == "cuda" else 1
            self.assertAlmostEqual(product["bytes_read"] / (entry * bench["nonzeros"] +
                                                            vectors * real * bench["unknowns"]), 1, 6)
            self.assertEqual(product["launches"] + product["graph_nodes"], passes)

    def test_other_stages_have_floors_too(self):
        assemblies = ("cpu", "cpu_opt") if DEVICE == "cpu" else ("globalnz", "sharednz")
        for words in (("--assembly", assemblies[0], "--solver", "bdcg"),
                      ("--assembly", assemblies[1], "--solver", "cg", "--matrix", "matrixfree"),
                      ("--assembly", "parts", "--solver", "dcg")):
            _, _, stages, _ = self.measure(*words)
            for key in ("assembly", "vector_alone", "spmv", "cg_without_spmv", "rest"):
                self.assertGreater(stages[key]["bytes_read"] + stages[key]["bytes_written"], 1e4, key)

    @unittest.skipIf(DEVICE == "cuda", "the solver cholmod gets its matrix from the CPU")
    def test_a_solution_with_a_factor_reads_the_factor_twice(self):
        # The factors of slender bodies are smaller than those of compact bodies with as many nodes, so the floor must
        # come from the factor of this body.
        done = run("--repeat", "0", "--solver", "cholmod")
        if done.returncode and 'solver "cholmod"' in done.stderr:
            self.skipTest("this build or this machine lacks CHOLMOD")
        bench, _, stages, out = self.measure("--solver", "cholmod")
        factor = float(re.search(r"the factor of the matrix has (\S+) entries", out).group(1))
        triangle = (bench["nonzeros"] + bench["unknowns"]) / 2  # entries of the upper triangle, a value and a row each
        self.assertAlmostEqual(stages["cg_without_spmv"]["bytes_read"] / (16 * factor + 16 * triangle), 1, 2)
        self.assertIsNone(stages["cg_without_spmv"]["flops"])

    def test_bad_words_are_refused(self):
        for words, fragment in ((["--roofline=most"], "--roofline takes no value"),
                                (["--roofline", "most"], "two scenes"),
                                (["--roofline", "--repeat", "0"], "--roofline needs --repeat 1 or more"),
                                (["--roofline", "--sweep"], "give one of the two options")):
            # without --device, since a sweep chooses the devices itself
            done = run(*words, device=()) if "--sweep" in words else run(*words)
            self.assertGreater(done.returncode, 0, words)
            self.assertEqual(done.stdout, "")
            self.assertIn(fragment, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


if DEVICE == "cuda":
    first = run("--repeat", "0")
    if "no usable GPU" in first.stderr or "no CUDA" in first.stderr:
        print("skipped:", first.stderr.strip())
        sys.exit(77)
unittest.main(verbosity=2)

#!/usr/bin/env python3
"""Tests the file of a linear system that `bench --system` writes: its format and its values. With this system, CG in
Python must need as many iterations as the program's solver, up to a difference of 1.

usage: test_system_file.py PLIANT
"""
import json
import os
import struct
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402

PLIANT = os.path.abspath(sys.argv.pop(1))
SCENE = {"shapes": [{"kind": "box", "size": [1, 0.4, 0.4], "cells": 4}], "young": 1e4, "poisson": 0.3, "density": 100,
         "gravity": [0, 0, -9.8], "pins": [{"x": [None, 0.01]}], "order": "file"}


def numbers(data, at, kind, count):
    size = struct.calcsize(kind)
    return struct.unpack_from(f">{count}{kind}", data, at), at + size * count


def read(path):
    """Reads a file in PETSc's binary format. Returns the matrix rows as {column: value}, and the right-hand side."""
    with open(path, "rb") as file:
        data = file.read()
    (label, n, columns, nonzeros), at = numbers(data, 0, "i", 4)
    assert (label, columns) == (1211216, n)
    lengths, at = numbers(data, at, "i", n)
    where, at = numbers(data, at, "i", nonzeros)
    values, at = numbers(data, at, "d", nonzeros)
    (label, count), at = numbers(data, at, "i", 2)
    assert (label, count, sum(lengths)) == (1211214, n, nonzeros)
    b, at = numbers(data, at, "d", n)
    assert at == len(data)
    rows, begin = [], 0
    for length in lengths:
        assert list(where[begin:begin + length]) == sorted(set(where[begin:begin + length]))
        rows.append(dict(zip(where[begin:begin + length], values[begin:begin + length])))
        begin += length
    return rows, b


def iterations(rows, b, relative):
    """Returns the number of CG iterations with the Jacobi preconditioner until |r| <= relative |b|."""
    x, r = [0.0] * len(b), list(b)
    z = [r[i] / rows[i][i] for i in range(len(b))]
    p, rz, bound = list(z), sum(u * v for u, v in zip(r, z)), relative ** 2 * sum(u * u for u in b)
    for count in range(len(b)):
        if sum(u * u for u in r) <= bound:
            return count
        q = [sum(value * p[column] for column, value in row.items()) for row in rows]
        alpha = rz / sum(u * v for u, v in zip(p, q))
        x = [u + alpha * v for u, v in zip(x, p)]
        r = [u - alpha * v for u, v in zip(r, q)]
        z = [r[i] / rows[i][i] for i in range(len(b))]
        before, rz = rz, sum(u * v for u, v in zip(r, z))
        p = [u + rz / before * v for u, v in zip(z, p)]
    return len(b)


class SystemFile(InFolder):
    def bench(self, *words):
        with open(self.path("scene.json"), "w") as file:
            json.dump(SCENE, file)
        return subprocess.run([PLIANT, "bench", self.path("scene.json"), "--repeat", "0", "--steps", "2", "--system",
                               self.path("system.petsc"), *words], capture_output=True, text=True, timeout=300)

    def test_file_has_the_system_that_is_solved(self):
        found = []
        for more in ((), ("--matrix", "csr", "--solver", "dcg"), ("--matrix", "parts", "--solver", "dcg")):
            done = self.bench("--device", "cpu", "--precision", "double", "--json", self.path("out.json"), *more)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(self.path("out.json")) as file:
                told = json.load(file)
            system, (rows, b) = told["system"], read(self.path("system.petsc"))
            self.assertEqual((system["unknowns"], system["nonzeros"]), (len(b), sum(map(len, rows))))
            largest = max(abs(v) for row in rows for v in row.values())
            held = [i for i, row in enumerate(rows) if row[i] == 1 and sum(v != 0 for v in row.values()) == 1]
            self.assertGreaterEqual(len(held), 3)
            for i, row in enumerate(rows):
                for k, value in row.items():
                    self.assertLessEqual(abs(value - rows[k][i]), 1e-12 * largest)
            self.assertTrue(all(b[i] == 0 for i in held) and any(b))
            first = told["per_step"][0]
            self.assertTrue(first["newton_iterations"] > 1 or first["cg_iterations"] == system["iterations"])
            self.assertLessEqual(abs(iterations(rows, b, system["relative"]) - system["iterations"]), 1)
            self.assertLessEqual(system["residual"], 1.01 * system["relative"])
            self.assertGreater(system["median_ms"], 0)
            found.append((rows, b))
        self.assertEqual(found[0], found[1])
        self.assertEqual(found[0], found[2])

    def test_what_has_no_such_system_is_refused(self):
        for words, said in ((("--matrix", "matrixfree"), "stores no values"), (("--matrix", "parts16"), "parts16"),
                            (("--mass", "consistent"), "consistent masses")):
            done = self.bench("--device", "cpu", *words)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn(said, done.stderr)
            self.assertFalse(os.path.exists(self.path("system.petsc")))

    def test_a_sweep_writes_no_file_of_one_choice(self):
        for option in ("--system", "--state"):
            done = subprocess.run([PLIANT, "bench", "--sweep", "--repeat", "1", option, self.path("out")],
                                  capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(option + " needs a single one", done.stderr)
            self.assertEqual((done.stdout, os.listdir(self.folder.name)), ("", []))


unittest.main()

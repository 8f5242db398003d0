#!/usr/bin/env python3
"""Tests the file of tunings (block sizes) that `pliant-lab solve poisson --autotune` writes, also if the file is
damaged or its folder cannot be written.

usage: test_autotune.py PLIANT
"""
import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402

PLIANT = os.path.abspath(sys.argv.pop(1))


class Autotune(InFolder):
    def solve(self, cache, *words):
        done = subprocess.run([PLIANT, "solve", "poisson", "square", "--shape", "quad", "--degree", "2",
                               "--cells", "12", "--autotune", "--json", self.path("s.json"), *words],
                              capture_output=True, text=True, timeout=100, env={**os.environ, "XDG_CACHE_HOME": cache})
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("s.json")) as file:
            return json.load(file), done.stderr

    def tunings(self):
        with open(self.path("cache/pliant/tunings")) as file:
            return [line.rstrip("\n").split("\t") for line in file]

    def test_what_was_fastest_is_remembered_and_taken(self):
        cache = self.path("cache")
        told, words = self.solve(cache, "--matrix", "lma")
        self.assertEqual(words, "")
        lines = self.tunings()
        self.assertEqual([line[1:3] for line in lines], [["localreuse", "lma"], ["lma", "products"]])
        self.assertTrue(all(int(line[-1]) in (64, 128, 256) for line in lines))
        self.assertEqual(told["tuning"], int(lines[1][-1]))
        # If a user changes a tuning in the file, the program must use it and must not overwrite it.
        other = {"64": "256", "128": "64", "256": "128"}[lines[1][-1]]
        with open(self.path("cache/pliant/tunings"), "w") as file:
            file.write("\t".join(lines[0]) + "\n" + "\t".join(lines[1][:-1] + [other]) + "\n")
        self.assertEqual(self.solve(cache, "--matrix", "lma")[0]["tuning"], int(other))
        self.assertEqual(self.tunings()[1][-1], other)
        # A solve in float adds its own tunings to the file, which keeps those for double.
        self.solve(cache, "--matrix", "lma", "--precision", "float")
        self.assertEqual(len(self.tunings()), 4)

    def test_damaged_tunings_are_ignored(self):
        cache = self.path("cache")
        self.solve(cache, "--matrix", "points")
        good = self.tunings()
        for text in ("no tabs\n", "\0\0\t5", "\t".join(good[-1][:-1]) + "\t77\n", "\t".join(good[-1][:-1]) + "\tx\n"):
            with open(self.path("cache/pliant/tunings"), "w") as file:
                file.write(text)
            self.assertIn(self.solve(cache, "--matrix", "points")[0]["tuning"], (64, 128, 256))
            self.assertEqual(self.tunings()[-1][:-1], good[-1][:-1])

    def test_a_missing_folder_is_reported_and_the_run_continues(self):
        for cache in ("/dev/null", "/dev/full", "/proc"):
            told, words = self.solve(cache, "--matrix", "lma")
            self.assertIn("cannot store the tuning numbers", words)
            self.assertIn(told["tuning"], (64, 128, 256))

    def test_what_cannot_be_tuned_is_not(self):
        told, words = self.solve(self.path("cache"), "--matrix", "hyb", "--degree", "1", "--assembly", "cpu")
        self.assertNotIn("tuning", told)
        self.assertEqual(words, "")
        self.assertFalse(os.path.exists(self.path("cache")))


if __name__ == "__main__":
    unittest.main()

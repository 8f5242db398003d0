#!/usr/bin/env python3
"""Simulates a crash during a recording, on a disk that loses unsynced writes. All files that the surviving checkpoint
counts as written must exist. A recording that is resumed from this checkpoint must end with the same files as an
uninterrupted recording.

usage: test_crash.py PLIANT JOURNAL_LIBRARY [all]     JOURNAL_LIBRARY: made from journal.c; all: crashes after every
                                                      file operation, not only after some
"""
import json
import os
import random
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402

PLIANT, LIBRARY = sys.argv.pop(1), sys.argv.pop(1)
ALL = "all" in sys.argv and not sys.argv.remove("all")
os.environ["OMP_NUM_THREADS"] = "1"
SCENE = {"shapes": [{"kind": "box", "size": [1, 1, 1], "cells": 2}], "pins": [{"z": [None, 0.01]}], "mu": 500,
         "lambda": 200, "density": 10, "device": "cpu", "gravity": [0, 0, -9.8]}
FRAMES = 8


class Disk:
    """State of the files after some lines of the journal: as the running system has them in memory, and as they are
    stored on the disk."""

    def __init__(self, root, keep):
        self.keep = keep
        self.names = {}  # path -> inode of a file (for a folder: None), as the running system has them in memory
        self.on_disk = {root: {}}  # folder -> {path: inode}: entries of the folder that are stored on the disk
        self.synced = {}  # inode -> number of bytes that are stored on the disk

    def take(self, line):
        word, *rest = line.split()
        if word == "make":
            self.names[rest[1]] = rest[0]
        elif word == "folder":
            self.names[rest[0]] = None
            self.on_disk[rest[0]] = {}
        elif word == "sync":
            self.synced[rest[0]] = int(rest[1])
        elif word == "names":
            self.on_disk[rest[0]] = {p: i for p, i in self.names.items() if os.path.dirname(p) == rest[0]}
        elif word == "rename":
            self.names[rest[1]] = self.names.pop(rest[0])
        else:
            del self.names[rest[0]]

    def survivors(self, names_are_lost):
        """Returns the files after a restart as pairs (path, inode), folders first. names_are_lost: names of new or
        renamed files are lost, too, unless their folder was synced."""
        if not names_are_lost:
            return sorted(self.names.items())
        there = {}
        for folder, names in sorted(self.on_disk.items()):
            if folder in there or os.path.dirname(folder) not in self.on_disk:
                there.update(names)
        return sorted(there.items())

    def build(self, root, into, names_are_lost):
        for path, inode in self.survivors(names_are_lost):
            place = into + path[len(root):]
            if inode is None:
                os.mkdir(place)
            elif self.synced.get(inode, -1) == os.path.getsize(os.path.join(self.keep, inode)):
                shutil.copy(os.path.join(self.keep, inode), place)
            else:
                open(place, "w").close()  # the disk has the file's name, but none of its bytes


class Crash(InFolder):
    def record(self, place, *words, **environment):
        scene = self.path("q.json")
        if not os.path.exists(scene):
            with open(scene, "w") as file:
                json.dump(SCENE, file)
        return subprocess.run([PLIANT, "record", scene, "--frames", str(FRAMES), *words], capture_output=True,
                              text=True, timeout=60, env={**os.environ, **environment})

    def contents(self, folder):
        found = {}
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), "rb") as file:
                found[name] = file.read()
        return found

    def outputs(self, root):
        words = ["--vtu", os.path.join(root, "deep/out"), "--checkpoint", os.path.join(root, "checkpoint"),
                 "--every", "3"]
        return words + (["-o", os.path.join(root, "pictures"), "--size", "16x16"] if self.draws else [])

    def test_what_a_checkpoint_counts_is_on_the_disk(self):
        root, keep = self.path("root"), self.path("keep")
        os.mkdir(root), os.mkdir(keep)
        self.draws = self.record("", "-o", self.path("try"), "--size", "16x16").returncode == 0 if ALL else False
        done = self.record("", *self.outputs(root), LD_PRELOAD=LIBRARY, JOURNAL=self.path("journal"), JOURNAL_ROOT=root,
                           JOURNAL_KEEP=keep)
        self.assertEqual(done.returncode, 0, done.stderr)
        folders = ["deep/out"] + (["pictures"] if self.draws else [])
        whole = {name: self.contents(os.path.join(root, name)) for name in folders}
        self.assertEqual(len(whole["deep/out"]), FRAMES + 1)
        with open(self.path("journal")) as file:
            lines = file.read().splitlines()
        chance, tried = random.Random(7), 0
        disk = Disk(root, keep)
        for k, line in enumerate(lines):
            disk.take(line)
            # A crash is simulated after each file operation on a checkpoint, and after a random tenth of the other
            # file operations.
            if not ALL and "checkpoint" not in line and chance.random() > 0.1:
                continue
            for names_are_lost in (True, False):
                again = self.path("again")
                shutil.rmtree(again, ignore_errors=True)
                os.mkdir(again)
                disk.build(root, again, names_are_lost)
                place = os.path.join(again, "checkpoint")
                if not os.path.exists(place):
                    continue
                where = "after line %d (%s) of the journal, unsynced names %s" % (
                    k + 1, line.replace(self.folder.name, ""), "lost" if names_are_lost else "there")
                done = self.record("", *self.outputs(again), "--resume", place)
                tried += 1
                if "after the last of" in done.stderr:
                    continue  # the recording was complete before the crash, so there is nothing to resume
                self.assertEqual(done.returncode, 0, where + ": " + done.stderr)
                for name in folders:
                    now = self.contents(os.path.join(again, name))
                    self.assertEqual({n for n in now if now[n] != whole[name].get(n)}, set(), where)
                    self.assertEqual(sorted(now), sorted(whole[name]), where)
        self.assertGreater(tried, 10)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Runs every command with each of its outputs at a place that cannot be written. The command must fail with one
sentence that contains the file's name, leave no partial file, and keep the previous file. Outputs to devices, pipes and
other special files must never replace these files.

usage: test_outputs.py PLIANT
"""
import fcntl
import json
import os
import shutil
import stat
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402
from programs import program_of, PROBLEMS, sanitized, skip_sanitized  # noqa: E402

PLIANT = os.path.abspath(sys.argv.pop(1))
SKIP_SANITIZED = skip_sanitized(PLIANT)
STRIDE = 3 if sanitized(PLIANT) else 1  # runs with sanitizers take three times as long, so they test every third output
os.environ["OMP_NUM_THREADS"] = "1"  # one thread is faster for many runs of small bodies
OLD = b"what stood here before"
SCENE = {"shapes": [{"kind": "box", "size": [1, 1, 1], "cells": 2}], "pins": [{"z": [None, 0.01]}], "mu": 500,
         "lambda": 200, "density": 10, "device": "cpu", "gravity": [0, 0, -9.8]}
CUBE = ("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nf 1 4 3 2\nf 5 6 7 8\n"
        "f 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n")


class Outputs(InFolder):
    draws = None  # True: this machine can draw pictures; None: unknown, since no test has tried it

    def setUp(self):
        super().setUp()
        self.mounted = []
        with open(self.path("q.json"), "w") as file:
            json.dump(SCENE, file)
        with open(self.path("cube.obj"), "w") as file:
            file.write(CUBE)
        self.run_it("make", "box", "--cells", "4", "-o", self.path("box.msh"))
        # This run shows whether pictures can be drawn. With sanitizers the run fails, because the graphics driver leaks
        # memory, and no pictures are tested. The run is slow, so only the first test starts it.
        if Outputs.draws is None:
            Outputs.draws = self.run_it("solve", "poisson", "square", "--cells", "2", "--picture",
                                        self.path("0.png")).returncode == 0

    def tearDown(self):
        for folder in self.mounted:
            subprocess.run(["umount", folder], check=True)
        if os.path.exists(self.path("fixed")):
            os.chmod(self.path("fixed"), 0o755)
        super().tearDown()

    def run_it(self, *words, before="", **more):
        shell = ["bash", "-c", before + ' exec "$@"', "bash"] if before else []
        done = subprocess.run([*shell, program_of(PLIANT, words), *words], capture_output=True, text=True, timeout=100,
                              **more)
        # a negative status means that a signal ended the program
        self.assertGreaterEqual(done.returncode, 0, (words, done.stderr))
        return done

    def files(self):
        return list(self.all_files())[::STRIDE]

    def all_files(self):
        """Yields a pair for each kind of output: the words of a command, to which the test appends the file's name, and
        the file's ending."""
        q, mesh = self.path("q.json"), self.path("box.msh")
        yield ["solve", q, "--json"], "json"
        yield ["solve", q, "--state"], "npz"
        yield ["bench", q, "--repeat", "1", "--steps", "1", "--json"], "json"
        yield ["bench", q, "--repeat", "1", "--steps", "1", "--state"], "npz"
        yield ["bench", q, "--repeat", "0", "--steps", "1", "--device", "cpu", "--system"], "petsc"
        yield ["verify", "--case", "5", "--json"], "json"
        yield ["study", "mueller-roemer", "--device", "cpu", "--mesh", mesh, "--table", "1", "--json"], "json"
        yield ["record", q, "--frames", "2", "--state"], "npz"
        yield ["record", q, "--frames", "9", "--every", "2", "--checkpoint"], "bin"
        for ending in ("msh", "vtu", "mesh.gz", "node", "ele.gz"):
            yield ["convert", mesh], ending
        yield ["make", "box", "--cells", "4", "-o"], "msh"
        yield ["make", "square", "--cells", "20", "-o"], "msh"
        yield ["make", "cube", "--cells", "8", "--shape", "hex", "-o"], "vtu"
        yield ["solve", "poisson", "square", "--cells", "4", "--json"], "json"
        yield ["solve", "plate", "square", "--cells", "20", "-o"], "vtu"
        if self.draws:
            small = ["--cells", "4", "--picture-size", "99x99"]
            yield ["solve", "poisson", "square", *small, "--picture"], "png"
        if shutil.which("tetgen"):
            yield ["tetrahedralize", self.path("cube.obj"), "--max-volume", "0.001"], "vtu"

    def everything(self):
        """Returns the contents of all files in the folder, by path."""
        found = {}
        for at, folders, names in os.walk(self.folder.name):
            for name in folders + names:
                path = os.path.join(at, name)
                status = os.lstat(path)
                data = b""
                if stat.S_ISREG(status.st_mode):
                    with open(path, "rb") as file:
                        data = file.read()
                found[path] = (stat.S_IFMT(status.st_mode), data)
        return found

    def refused(self, words, target, before="", leaves=()):
        """Tests that the command fails, names the target, and changes no file. `leaves`: paths of files that the
        command may have begun and left."""
        was = self.everything()
        done = self.run_it(*words, target, before=before)
        self.assertIn(done.returncode, (1, 2), (words, target, done.stdout))
        lines = done.stderr.strip().splitlines()
        named = [line for line in lines if os.path.basename(target).split(".")[0] in line]
        self.assertTrue(named, (words, target, done.stderr))
        now = self.everything()
        self.assertEqual({path: what for path, what in now.items() if path not in leaves}, was,
                         (words, target, done.stderr))
        return done.stderr

    def older(self, target):
        """Writes a file with other contents at the path of the output, `target`; for a pair of files, writes both.
        Returns `target`."""
        stem, ending = target.split(".", 1)
        pair = [ending.replace("ele", "node"), ending.replace("node", "ele")]
        for one in (pair if ending[:3] in ("nod", "ele") else [ending]):
            with open("%s.%s" % (stem, one), "wb") as file:
                file.write(OLD)
        return target

    def test_no_folder(self):
        for words, ending in self.files():
            self.assertIn("No such file", self.refused(words, self.path("nowhere/out." + ending)))

    def test_a_folder_in_place_of_a_file(self):
        if not self.draws:
            self.skipTest("test_no_folder covers it: both are refused before a computation begins")
        for words, ending in self.files():
            os.mkdir(self.path("f-out." + ending)) if not os.path.exists(self.path("f-out." + ending)) else None
            self.assertIn("is a folder", self.refused(words, self.path("f-out." + ending)))

    def test_a_file_in_place_of_a_folder(self):
        if not self.draws:
            self.skipTest("test_no_folder covers it: both are refused before a computation begins")
        for words, ending in self.files():
            self.assertIn("Not a directory", self.refused(words, self.path("q.json/out." + ending)))

    def test_a_scene_or_its_mesh_is_not_replaced(self):
        scene, mesh = self.path("q.json"), self.path("box.msh")
        with open(self.path("m.json"), "w") as file:
            json.dump({"mesh": "box.msh"}, file)
        for words, kept in ((("bench", scene, "--repeat", "0", "--json", scene), scene),
                            (("record", scene, "--frames", "1", "--probe", "energy", "--probe-file", scene), scene),
                            (("solve", self.path("m.json"), "--state", mesh), mesh),
                            (("replay", scene, "--state", scene), scene)):
            with open(kept, "rb") as file:
                before = file.read()
            done = self.run_it(*words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f"{kept} is a file that the command reads", done.stderr)
            with open(kept, "rb") as file:
                self.assertEqual(file.read(), before)

    def test_files_that_a_scene_names_are_not_replaced(self):
        wall, begin = self.path("wall.obj"), self.path("later.state")
        with open(wall, "w") as file:
            file.write("v 0 0 -2\nv 1 0 -2\nv 0 1 -2\nf 1 2 3\n")
        with open(self.path("w.json"), "w") as file:
            walls = [{"kind": "mesh", "mesh": "wall.obj"}]
            json.dump({"mesh": "box.msh", "self_contact": True, "obstacles": walls}, file)
        done = self.run_it("record", self.path("w.json"), "--frames", "1", "--save-scene", self.path("later.json"))
        self.assertEqual(done.returncode, 0, done.stderr)
        for scene, kept in (("w.json", wall), ("later.json", begin)):
            with open(kept, "rb") as file:
                before = file.read()
            done = self.run_it("bench", self.path(scene), "--repeat", "0", "--steps", "1", "--json", kept)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f"{kept} is a file that the command reads", done.stderr)
            with open(kept, "rb") as file:
                self.assertEqual(file.read(), before)

    def test_two_options_do_not_name_one_file(self):
        record = ("record", self.path("q.json"), "--frames", "1", "--checkpoint", self.path("run.ckpt"))
        done = self.run_it(*record, "--state", os.path.join(self.folder.name, ".", "run.ckpt"))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("--checkpoint and --state name the same file", done.stderr)
        self.assertFalse(os.path.exists(self.path("run.ckpt")))
        self.assertEqual(self.run_it(*record).returncode, 0)
        again = ("record", self.path("q.json"), "--frames", "2", "--resume", self.path("run.ckpt"))
        done = self.run_it(*again, "--state", self.path("run.ckpt"))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("--state and --resume name the same file", done.stderr)
        done = self.run_it(*again, "--checkpoint", self.path("run.ckpt"))
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.run_it(*again, "--state", self.path("r.npz"), "--resume", self.path("q.json"))
        self.assertIn("q.json: is not a checkpoint of Pliant", done.stderr)

    def test_files_that_grow_too_large(self):
        for words, ending in self.files():
            if words[0] == "tetrahedralize":
                continue  # the limit would also stop TetGen, which writes files of its own
            limit = 0 if words[1] in PROBLEMS else 1  # KiB; the JSON of stationary problems is smaller than 1 KiB
            self.assertIn("File too large", self.refused(words, self.older(self.path("out." + ending)),
                                                         f"ulimit -f {limit};"))

    def test_devices_and_pipes_are_written_never_replaced(self):
        for words, ending in self.files():
            pipe = self.path("out." + ending)
            for other in {pipe, pipe.replace(".node", ".ele"), pipe.replace(".ele", ".node")}:
                if not os.path.exists(other):
                    os.mkfifo(other)
                    reader = os.open(other, os.O_RDONLY | os.O_NONBLOCK)
                    self.addCleanup(os.close, reader)
            done = self.run_it(*words, pipe)
            self.assertTrue(stat.S_ISFIFO(os.stat(pipe).st_mode), (words, done.stderr))
            self.assertEqual([name for name in os.listdir(self.folder.name) if "part" in name], [])

    def test_a_full_device_is_an_error(self):
        for words, ending in self.files():
            if "node" in ending or "ele" in ending:
                continue
            device = self.path("d." + ending)
            if os.path.lexists(device):
                os.remove(device)
            os.symlink("/dev/full", device)
            self.assertIn("No space left", self.refused(words, device))

    def test_a_full_disk(self):
        disk = self.path("disk")
        os.mkdir(disk)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "none", disk], capture_output=True).returncode != 0:
            self.skipTest("a disk cannot be mounted here")
        self.mounted.append(disk)
        for words, ending in self.files():
            for name in os.listdir(disk):
                os.remove(os.path.join(disk, name))
            # fill the disk, so that no output can be written
            target = self.older(os.path.join(disk, "out." + ending))
            with open(os.path.join(disk, "rest"), "wb", buffering=0) as file:
                try:
                    while file.write(bytes(4096)):
                        pass
                except OSError:
                    pass
            self.assertIn("No space left", self.refused(words, target))

    def test_a_folder_that_takes_no_files(self):
        folder = self.path("fixed")
        os.mkdir(folder)
        for words, ending in self.files():
            self.older(os.path.join(folder, "out." + ending))
        os.chmod(folder, 0o555)
        if os.geteuid() == 0:  # file modes do not restrict root
            if subprocess.run(["mount", "--bind", "-o", "ro", folder, folder], capture_output=True).returncode != 0:
                self.skipTest("only a read-only disk stops root, and none can be mounted here")
            self.mounted.append(folder)
        for words, ending in self.files():
            self.refused(words, os.path.join(folder, "out." + ending))

    def test_a_file_that_may_not_be_written(self):
        if os.geteuid() == 0:
            self.skipTest("root may write every file")
        for words, ending in self.files():
            target = self.older(self.path("out." + ending))
            os.chmod(target, 0o444)
            self.assertIn("Permission denied", self.refused(words, target))
            os.chmod(target, 0o644)

    def test_folders_for_frames(self):
        q = self.path("q.json")
        for words in (["--vtu"], ["-o"]):
            words = ["record", q, "--frames", "2", *words]
            self.assertIn("q.json: is a file; expected a folder", self.refused(words, q))
            self.assertIn("Not a directory", self.refused(words, self.path("q.json/out")))
            self.refused(words, "/dev/null/out")
        done = self.run_it("record", q, "--frames", "2", "--vtu", self.path("out"), before="ulimit -f 1;")
        self.assertEqual(done.returncode, 1)
        self.assertIn("File too large; complete frames: 0 of 2", done.stderr)
        self.assertEqual(os.listdir(self.path("out")), [])

    def test_files_may_lie_in_the_folder_for_frames(self):
        done = self.run_it("record", self.path("q.json"), "--frames", "2", "--vtu", self.path("new"), "--state",
                           self.path("new/s.npz"), "--checkpoint", self.path("new/keep"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(os.listdir(self.path("new"))), 5)
        done = self.run_it("record", "q.json", "--frames", "2", "--vtu", "./other", "--state", self.path("other/s.npz"),
                           "--checkpoint", "other/keep", cwd=self.folder.name)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_parts_of_killed_runs_go_and_those_of_others_stay(self):
        for words, ending in self.files():
            if words[0] == "convert" and ending in ("node", "ele.gz"):
                continue  # a pair of files (.node, .ele) has other temporary names
            target = self.path("out." + ending)
            left, held, other = (target + end for end in (".0badcafe.part", ".1badcafe.part", ".mine.part"))
            for path in (left, held, other):
                with open(path, "w") as file:
                    file.write("half")
            with open(held) as file:
                fcntl.flock(file, fcntl.LOCK_EX)  # as a running program does, which locks its partial file
                done = self.run_it(*words, target)
            self.assertEqual(done.returncode, 0, (words, done.stderr))
            parts = [os.path.exists(path) for path in (left, held, other)]
            self.assertEqual(parts, [False, True, True], words)
            for path in (held, other, target):
                os.remove(path)

    def test_a_killed_run_leaves_nothing_after_the_next(self):
        words = ["record", self.path("q.json"), "--checkpoint", self.path("keep.ck"), "--every", "1"]
        kept = []
        for attempt in range(30):
            running = subprocess.Popen([PLIANT, *words, "--frames", "100000"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            while not os.path.exists(self.path("keep.ck")) and running.poll() is None:
                time.sleep(0.001)
            time.sleep(0.001 * attempt)
            running.kill()
            running.wait()
            kept += [name for name in os.listdir(self.folder.name) if name.endswith(".part")]
            if kept:
                break
        else:
            self.skipTest("no run was killed while it had a partial file")
        done = self.run_it(*words, "--frames", "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        left = [name for name in os.listdir(self.folder.name) if "keep" in name]
        self.assertEqual(left, ["keep.ck"], kept)

    def test_devices_are_refused_as_input(self):
        """Reading a device would not end, so every reader refuses it at once."""
        q, zero = self.path("q.json"), "/dev/zero"
        for ending in ("msh", "vtu", "stl", "json"):
            os.symlink(zero, self.path("zero." + ending))
        for words in (["bench", self.path("zero.json")], ["info", self.path("zero.msh")], ["replay", zero],
                      ["convert", self.path("zero.vtu"), self.path("out.msh")],
                      ["solve", "poisson", "square", "--cells", "4", "--field", zero],
                      ["record", q, "--frames", "2", "--vtu", self.path("v"), "--resume", zero]):
            done = self.run_it(*words)
            self.assertIn(done.returncode, (1, 2), words)
            self.assertIn("is a device, expected a file", done.stderr)
        os.makedirs(self.path("cache/pliant"))
        os.symlink(zero, self.path("cache/pliant/tunings"))
        done = self.run_it("solve", "poisson", "square", "--shape", "quad", "--degree", "2", "--cells",
                           "12", "--autotune", "--matrix", "lma",
                           env={**os.environ, "XDG_CACHE_HOME": self.path("cache")})
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_folder_for_temporary_files_that_is_missing_is_named(self):
        done = self.run_it("tetrahedralize", self.path("cube.obj"), self.path("out.vtu"),
                           env={**os.environ, "TMPDIR": "/nonexistent"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("TMPDIR is /nonexistent: cannot write temporary files for TetGen there: No such file",
                      done.stderr)

    def test_a_link_in_place_of_a_lock_is_named(self):
        os.makedirs(self.path("d"))
        os.symlink("nothing", self.path("d/.pliant-recording"))
        done = self.run_it("record", self.path("q.json"), "--frames", "2", "--vtu", self.path("d"))
        self.assertEqual(done.returncode, 1)
        self.assertIn(self.path("d/.pliant-recording") + ": is a symbolic link", done.stderr)

    @SKIP_SANITIZED
    def test_two_runs_do_not_write_one_file(self):
        q = self.path("q.json")
        os.symlink("keep", self.path("link"))
        for option in ("--checkpoint", "--state"):
            every = ["--every", "1000000000"] if option == "--checkpoint" else []
            first = subprocess.Popen([PLIANT, "record", q, "--frames", "1000000", option, self.path("keep"), *every,
                                      "--vtu", self.path("out")], stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL)
            self.addCleanup(first.wait), self.addCleanup(first.kill)
            while not os.path.exists(self.path("out/frames.pvd")) and first.poll() is None:
                time.sleep(0.001)
            with open(self.path("keep"), "wb") as file:
                file.write(OLD)
            for command in (["record", q, "--frames", "2", "--checkpoint"], ["record", q, "--frames", "2", "--state"],
                            ["solve", q, "--state"], ["bench", q, "--repeat", "0", "--steps", "1", "--state"]):
                for name in ("keep", "link"):
                    refusal = "%s: process %d is writing it" % (self.path(name), first.pid)
                    done = self.run_it(*command, self.path(name))
                    self.assertEqual(done.returncode, 1, (command, done.stderr))
                    self.assertIn(refusal, done.stderr)
                    with open(self.path("keep"), "rb") as file:
                        self.assertEqual(file.read(), OLD)
            first.kill()
            first.wait()
            # A killed run has left its lock file. This file must not block the next run, which must remove it.
            done = self.run_it("record", q, "--frames", "2", option, self.path("keep"))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual([name for name in os.listdir(self.folder.name) if "lock" in name], [])
            shutil.rmtree(self.path("out"))

    def test_links_are_followed_and_modes_kept(self):
        with open(self.path("target.json"), "wb") as file:
            file.write(OLD)
        os.chmod(self.path("target.json"), 0o640)
        os.symlink("target.json", self.path("link.json"))
        # An attacker may put links at predictable names of temporary files. The program must not write through them.
        os.symlink("q.json", self.path("link.json.part"))
        os.symlink("q.json", self.path("target.json.part"))
        with open(self.path("q.json"), "rb") as file:
            scene = file.read()
        done = self.run_it("solve", self.path("q.json"), "--json", self.path("link.json"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(os.path.islink(self.path("link.json")))
        with open(self.path("target.json")) as file:
            self.assertEqual(json.load(file)["factor"], 1)
        self.assertEqual(stat.S_IMODE(os.stat(self.path("target.json")).st_mode), 0o640)
        with open(self.path("q.json"), "rb") as file:
            self.assertEqual(file.read(), scene)
        os.symlink("nothing", self.path("broken.json"))
        self.refused(["solve", self.path("q.json"), "--json"], self.path("broken.json"))

    @SKIP_SANITIZED
    def test_shapes_beyond_numbers_are_not_made(self):
        for shape in ("box", "beam", "sphere", "cylinder", "torus", "square", "cube"):
            for size in ("1e308,1e308,1e308", "1e150,1e150,1e150", "1e31,1e31,1e31"):
                path = self.path("far.vtu")
                done = self.run_it("make", shape, "--size", size, "--cells", "2", "-o", path)
                self.assertEqual(done.returncode, 1, (shape, size))
                self.assertIn("size", done.stderr)
                self.assertFalse(os.path.exists(path))

    @SKIP_SANITIZED
    def test_standard_output(self):
        q, mesh = self.path("q.json"), self.path("box.msh")
        for words in (["--version"], ["--help"], ["solve", q], ["bench", q, "--repeat", "1", "--steps", "1"],
                      ["info", q], ["verify", "--case", "5"],
                      ["study", "mueller-roemer", "--device", "cpu", "--mesh", mesh, "--table", "1"],
                      ["record", q, "--frames", "2", "--state", self.path("s.npz")],
                      ["convert", mesh, self.path("out.vtu")], ["make", "box", "-o", self.path("made.msh")]):
            done = self.run_it(*words, before="exec >/dev/full;")
            self.assertEqual(done.returncode, 1, words)
            self.assertIn("standard output cannot be written: No space left on device", done.stderr)
            # standard output is closed: a file that is opened later must not get its descriptor, 1, and the printed
            # text
            done = self.run_it(*words, before="exec >&-;")
            self.assertEqual(done.returncode, 1, words)
            self.assertIn("standard output cannot be written", done.stderr)
        self.assertEqual(self.run_it("info", self.path("out.vtu")).returncode, 0)
        # With the result file /dev/stdout, the result is written after the text that the program prints.
        with open(self.path("both"), "w+") as both:
            subprocess.run([PLIANT, "solve", q, "--json", "/dev/stdout"], stdout=both, check=True)
            both.seek(0)
            text = both.read()
        self.assertIn("largest displacement", text.split("{")[0])
        self.assertEqual(json.loads(text[text.index("{"):])["factor"], 1)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Tests the scripts of examples/batch, which run a series of simulations. A simulation must continue after an
interruption and end with the same state. The scripts for Slurm and Kubernetes must call run-one.sh.

usage: test_batch.py PLIANT FOLDER     FOLDER: root of the sources
"""
import os
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402

ROOT = os.path.abspath(sys.argv.pop())
PLIANT = os.path.abspath(sys.argv.pop())
BATCH = os.path.join(ROOT, "examples", "batch")
FRAMES = 600


class Batch(InFolder):
    def start(self, folder, frames, script="run-one.sh", words=None, **environment):
        words = ["3", self.path(folder)] if words is None else words
        return subprocess.Popen([os.path.join(BATCH, script), *words], cwd=self.folder.name,
                                env={**os.environ, "PLIANT": PLIANT, "FRAMES": str(frames), **environment},
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)

    def complete(self, *words, **named):
        process = self.start(*words, **named)
        output = process.communicate(timeout=120)[0]
        self.assertEqual(process.returncode, 0, output)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_interrupted_run_continues(self):
        # an earlier run was killed after its first frame, before it wrote a checkpoint
        os.makedirs(self.path("whole/run-3/frames"))
        with open(self.path("whole/run-3/frames/frame_00000.vtu"), "w"):
            pass
        self.complete("whole", FRAMES)
        process = self.start("parts", FRAMES)
        while not os.path.exists(self.path("parts/run-3/run.ckpt")) and process.poll() is None:
            time.sleep(0.005)
        # as Slurm and Kubernetes, which send the signal to the script only
        process.send_signal(signal.SIGTERM)
        self.assertIn("interrupted by kill", process.communicate(timeout=120)[0])
        self.assertNotEqual(process.returncode, 0)
        with self.assertRaises(ProcessLookupError):
            os.killpg(process.pid, 0)  # the simulation has ended too
        self.assertFalse(os.path.exists(self.path("parts/run-3/complete")))
        self.complete("parts", FRAMES)
        self.assertEqual(self.read("parts/run-3/end.npz"), self.read("whole/run-3/end.npz"))
        files = [sorted(os.listdir(self.path(f"{folder}/run-3/frames"))) for folder in ("whole", "parts")]
        self.assertEqual(files[0], files[1])
        before = os.stat(self.path("parts/run-3/end.npz")).st_mtime_ns
        self.complete("parts", FRAMES)  # a complete run is not repeated
        self.assertEqual(os.stat(self.path("parts/run-3/end.npz")).st_mtime_ns, before)

    def test_wrong_words_are_refused_before_a_folder_is_made(self):
        for words in ([], ["3"], ["abc", "wrong"], ["-1", "wrong"], ["1e9", "wrong"], ["3", "wrong", "more"]):
            process = self.start("", 2, words=words)
            self.assertIn("usage: run-one.sh NUMBER FOLDER", process.communicate(timeout=60)[0])
            self.assertEqual(process.returncode, 2, words)
        process = self.start("", 2, words=["3", "wrong"], PLIANT="no/such/pliant")
        self.assertIn("no program no/such/pliant; set PLIANT", process.communicate(timeout=60)[0])
        self.assertEqual(process.returncode, 1)
        self.assertFalse(os.path.exists(self.path("wrong")))

    def test_padded_numbers_and_a_relative_program(self):
        self.complete("", 2, words=["08", "padded"], PLIANT=os.path.relpath(PLIANT, os.path.realpath(self.folder.name)))
        self.assertTrue(os.path.exists(self.path("padded/run-8/complete")))

    def test_slurm(self):
        # as under Slurm, which passes the task's number and the folder in which the user called sbatch
        self.complete("", 2, script="slurm.sh", words=[], SLURM_ARRAY_TASK_ID="1", SLURM_SUBMIT_DIR=BATCH)
        self.assertTrue(os.path.exists(self.path("results/run-1/complete")))
        with open(os.path.join(BATCH, "slurm.sh")) as file:
            self.assertRegex(file.read(), r"(?m)^#SBATCH --signal=B:TERM@\d+$")  # B: to the script that Slurm starts

    def test_kubernetes(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("the Python package yaml is missing")
        with open(os.path.join(BATCH, "kubernetes.yaml")) as file:
            job = yaml.safe_load(file)
        container = job["spec"]["template"]["spec"]["containers"][0]
        with open(os.path.join(ROOT, "Dockerfile")) as file:
            source = next(line.split()[-1] for line in file if line.startswith("COPY"))
        script = os.path.relpath(container["command"][-1], source)
        self.assertTrue(os.access(os.path.join(ROOT, script), os.X_OK), script)
        self.assertEqual(job["spec"]["completionMode"], "Indexed")
        self.assertEqual(container["args"][0], "$(JOB_COMPLETION_INDEX)")
        self.assertEqual(container["imagePullPolicy"], "IfNotPresent")  # otherwise a local image is not found


if __name__ == "__main__":
    unittest.main(verbosity=2)

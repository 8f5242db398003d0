#!/usr/bin/env python3
"""Tests that the sweep of examples/python/sweep.py, which simulates many sets of parameters, can be killed at any
moment. After ten kills and restarts, its table has one row for each of 500 sets. Also kills single workers, and the
process that writes the table. Exit status 77: dask, distributed or numpy is not installed.

usage: test_sweep.py SOURCE LIBRARY     root of the sources, path of libpliant.so.0
"""
import csv
import importlib.util
import os
import pathlib
import random
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from in_folder import InFolder  # noqa: E402

SOURCE, LIBRARY = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
for package in ("dask", "distributed", "numpy"):
    if not importlib.util.find_spec(package):
        print(f"{package} is not installed: Debian's package is python3-{package}")
        sys.exit(77)

os.environ["PLIANT_LIBRARY"] = str(LIBRARY)
sys.path[:0] = [str(SOURCE / "python"), str(SOURCE / "examples/python")]
import sweep  # noqa: E402

PROGRAM = SOURCE / "examples/python/sweep.py"
COUNT = 500  # number of parameter sets that the sweep computes
KILLS = 10
PATIENCE = 120  # s, the longest time to wait for an event; Dask starts within 5 s on an idle machine


def group(leader):
    """Returns the numbers and the command lines of the running processes in the process group of `leader`."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            state, _, process_group = (folder / "stat").read_text().rsplit(")", 1)[1].split()[:3]
            if int(process_group) == leader and state != "Z":
                found[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except (FileNotFoundError, ProcessLookupError):  # the process has ended
            pass
    return found


def workers(leader):
    return [process for process, command in group(leader).items() if "spawn_main" in command]


def wait_until(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"{what} took more than {PATIENCE} s")
        time.sleep(0.002)


class Sweep(InFolder):
    def setUp(self):
        super().setUp()
        self.table = pathlib.Path(self.path("table.csv"))
        self.running = []

    def tearDown(self):
        for one in self.running:
            self.kill(one)
        super().tearDown()

    def start(self, count=COUNT, program=PROGRAM):
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join(path for path in sys.path if path),
                           LD_LIBRARY_PATH=str(LIBRARY.parent), DASK_TEMPORARY_DIRECTORY=self.folder.name)
        words = [sys.executable, str(program), str(self.table), str(count)]
        one = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
                               start_new_session=True)
        self.running.append(one)
        return one

    def kill(self, one):
        """Kills the sweep with all its processes."""
        if group(one.pid):
            os.killpg(one.pid, signal.SIGKILL)
        one.communicate()
        wait_until(lambda: not group(one.pid), "the end of the processes")
        self.running.remove(one)

    def finish(self, one):
        """Waits until the sweep has ended by itself. Returns its output and its messages."""
        output, messages = one.communicate(timeout=PATIENCE)
        self.assertEqual(one.returncode, 0, output + messages)
        wait_until(lambda: not group(one.pid), "the end of the processes")
        self.running.remove(one)
        return output, messages

    def rows(self):
        """Returns the complete lines of the table after its header."""
        return self.table.read_bytes().splitlines(keepends=True)[1:] if self.table.exists() else []

    def rows_complete(self):
        return [line for line in self.rows() if line.endswith(b"\n")]

    def check_table(self, count=COUNT):
        """Tests that the table has one row for each set of parameters, with its parameters and the simulated
        energies."""
        text = self.table.read_text()
        self.assertTrue(text.endswith("\n"))
        header, *lines = text.splitlines()
        self.assertEqual(header.split(","), ["set", "young_Pa", "friction", "kinetic_J", "elastic_J"])
        rows = [line.split(",") for line in lines]
        self.assertEqual(sorted(int(row[0]) for row in rows), list(range(count)))
        for row in rows:
            k, (young, friction, kinetic, elastic) = int(row[0]), map(float, row[1:])
            self.assertEqual(young, 10 ** (4 + 3 * (k % 20) / 19))
            self.assertEqual(friction, 0.05 * (k // 20))
            self.assertTrue(0 <= kinetic <= 4.16, row)  # J: 8 kg slide at 1 m/s, and fall by 2 mm
            self.assertTrue(0 < elastic < 1.4, row)  # J: the largest one, 1.36 J, is that of a cube of 1e4 Pa
            if k % 29 == 0:  # a simulation repeats bit for bit
                self.assertEqual([kinetic, elastic], list(sweep.slide(young, friction)), row)

    def test_ten_kills_leave_each_set_once(self):
        chance = random.Random(42)
        finished = []
        for kill in range(KILLS):
            one = self.start()
            if kill % 4 == 3:  # these rounds kill the sweep while Dask starts, the others while it computes
                time.sleep(chance.uniform(0, 2))
            else:
                wanted = len(finished) + chance.randrange(1, 40)
                wait_until(lambda: len(self.rows_complete()) >= wanted or one.poll() is not None, "the next rows")
                time.sleep(chance.uniform(0, 0.03))
            self.assertIsNone(one.poll(), "the sweep had ended before it was killed")
            self.kill(one)
            self.assertEqual(self.rows()[:len(finished)], finished)
            # removes the end of the last row, as a power failure may do
            if kill % 2 and len(self.rows_complete()) > len(finished):
                os.truncate(self.table, self.table.stat().st_size - chance.randrange(1, 20))
            finished = self.rows_complete()

        output, _ = self.finish(self.start())
        self.assertIn(f"{COUNT} sets, {COUNT - len(finished)} of them computed now", output)
        self.assertEqual(self.rows()[:len(finished)], finished)
        self.check_table()
        before = self.table.read_bytes()
        output, _ = self.finish(self.start())
        self.assertIn(f"{COUNT} sets, 0 of them computed now", output)
        self.assertEqual(self.table.read_bytes(), before)
        left = [path.name for path in pathlib.Path(self.folder.name).rglob("worker-*")]
        self.assertEqual(left, [], "folders of killed workers remain")

    def test_killed_workers_are_replaced(self):
        one = self.start()
        for wanted in (5, 100, 200):
            wait_until(lambda: len(self.rows_complete()) >= wanted or one.poll() is not None, "the next rows")
            wait_until(lambda: len(workers(one.pid)) == 2 or one.poll() is not None, "the start of a worker")
            self.assertIsNone(one.poll(), "the sweep had ended before its worker was killed")
            os.kill(workers(one.pid)[0], signal.SIGKILL)
        output, _ = self.finish(one)
        self.assertIn(f"{COUNT} sets, {COUNT} of them computed now", output)
        self.check_table()

    def test_incomplete_last_lines_are_deleted(self):
        file, done = sweep.open_table(self.table)
        self.assertEqual(done, set())
        with file:
            for k in (3, 0, 25):
                csv.writer(file).writerow([k, *sweep.parameters(k), 1.5e-7, 0.25])
        whole = self.table.read_bytes()
        ends = [k + 1 for k, byte in enumerate(whole) if byte == ord("\n")]
        for length in range(len(whole) + 1):
            self.table.write_bytes(whole[:length])
            file, done = sweep.open_table(self.table)
            file.close()
            complete = sum(end <= length for end in ends)
            self.assertEqual(done, {3, 0, 25} if complete == 4 else {3, 0} if complete == 3 else {3} if complete == 2
                             else set(), length)
            self.assertEqual(self.table.read_bytes(), whole[:ends[max(complete, 1) - 1]])

    def test_other_files_are_refused_and_unchanged(self):
        for text, message in (("notes", "not the table of a sweep"), ("set,mass\n1,2\n", "not the table of a sweep"),
                              (",".join(sweep.HEADER) + "\n0,5000.0,0.0,1,1\n1,2", ":2: this is not a row"),
                              (",".join(sweep.HEADER) + "\nx\n", ":2: this is not a row")):
            with self.subTest(text):
                self.table.write_text(text)
                with self.assertRaisesRegex(SystemExit, message):
                    sweep.open_table(self.table)
                self.assertEqual(self.table.read_text(), text)
        self.table.unlink()
        with self.assertRaisesRegex(SystemExit, "nowhere/table.csv: No such file"):
            sweep.open_table(pathlib.Path(self.path("nowhere/table.csv")))
        file, _ = sweep.open_table(self.table)
        with file, self.assertRaisesRegex(SystemExit, "another sweep writes to this table"):
            sweep.open_table(self.table)

    def test_the_sweep_continues_after_a_failed_simulation(self):
        program = pathlib.Path(self.path("failing.py"))
        program.write_text(PROGRAM.read_text().replace(
            "    import pliant\n", "    import pliant\n    if young == 1e4: raise ValueError('too soft')\n"))
        one = self.start(6, program)
        output, messages = one.communicate(timeout=PATIENCE)
        self.assertEqual(one.returncode, 1, messages)
        self.assertIn("6 sets, 5 of them computed now", output)
        self.assertIn("set 0: too soft\n", messages)
        self.assertIn("number of sets that failed: 1", messages)
        self.assertIn("6 sets, 1 of them computed now", self.finish(self.start(6))[0])
        self.check_table(6)

    def test_workers_end_after_the_kill_of_their_parent(self):
        one = self.start()
        wait_until(lambda: len(self.rows_complete()) >= 5, "the first rows")
        os.kill(one.pid, signal.SIGKILL)
        one.wait()
        size = self.table.stat().st_size
        other = self.start()  # starts a second sweep while workers of the killed one may still compute
        wait_until(lambda: not group(one.pid), "the end of the orphaned workers")
        one.communicate()
        self.running.remove(one)
        self.finish(other)
        self.assertGreater(self.table.stat().st_size, size)
        self.check_table()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

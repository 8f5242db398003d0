#!/usr/bin/env python3
"""Tests the functions of the Python package that run the program pliant: record, verify and the window.

usage: test_program.py SOURCE LIBRARY PROGRAM     root of the sources, paths of libpliant.so.0 and of pliant
"""
import contextlib
import importlib.util
import io
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
import urllib.request

SOURCE, LIBRARY, PROGRAM = (pathlib.Path(path).resolve() for path in sys.argv[1:4])
if not importlib.util.find_spec("numpy"):
    print("numpy is not installed: Debian's package is python3-numpy")
    sys.exit(77)

os.environ["PLIANT_LIBRARY"] = str(LIBRARY)  # the package loads this library
sys.path.insert(0, str(SOURCE / "python"))
import numpy  # noqa: E402
import pliant  # noqa: E402
from pliant import _program  # noqa: E402

# true if the program has the command serve; its build needs libwebsockets
SERVES = subprocess.run([PROGRAM, "serve", "--help"], capture_output=True).returncode == 0
POINTS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
TETS = [[0, 1, 2, 3], [1, 2, 3, 4]]


def body(**keys):
    """Returns a scene of two tetrahedra from arrays. One corner is pinned."""
    scene = pliant.Scene(young=1e5, dt=1 / 60, gravity=[0, 0, -9.8], pins=[{"x": [None, 0.1], "y": [None, 0.1]}],
                         precision="double", device="cpu", **keys)
    scene.add_mesh(POINTS, TETS)
    return scene


class Program(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return pathlib.Path(self.folder.name) / name

    def test_the_library_is_the_one_that_the_environment_names(self):
        def load(library):
            code = "import pliant; print(pliant._library.path(pliant._base.library))"
            environment = {**os.environ, "PYTHONPATH": str(SOURCE / "python"), "PLIANT_LIBRARY": str(library)}
            return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True,
                                  timeout=60)
        shutil.copy(LIBRARY, self.path("libpliant.so.0"))
        done = load(self.path("libpliant.so.0"))
        self.assertEqual(done.stdout.strip(), os.path.realpath(self.path("libpliant.so.0")), done.stderr)
        done = load("/no/such/libpliant.so")
        self.assertRegex(done.stderr, "ImportError: libpliant cannot be loaded: /no/such/libpliant.so.*PLIANT_LIBRARY")

    def test_the_program_is_found(self):
        self.assertEqual(os.path.realpath(_program.find_program()), str(PROGRAM))
        with self.assertRaisesRegex(pliant.NoProgram, "no/such/pliant: no program has this path or name"):
            pliant.verify(program="no/such/pliant")

    def test_a_recording_continues_from_the_state(self):
        sim = body().simulate()
        sim.step(3)
        file = pliant.record(sim, self.path("end.npz"), frames=4, fps=60)
        self.assertEqual(file, self.path("end.npz"))
        sim.step(3)
        with numpy.load(file) as arrays:
            numpy.testing.assert_array_equal(arrays["positions"], sim.positions)

    def test_scenes_and_files_are_recorded(self):
        sim = body().simulate()
        sim.step(4)
        of_scene = numpy.load(pliant.record(body(), self.path("a.npz"), frames=3, fps=30, gravity=[0, 0, -9.8]))
        numpy.testing.assert_array_equal(of_scene["positions"], sim.positions)
        body().simulate().write(self.path("scene.json"))
        self.assertEqual(json.loads(self.path("scene.json").read_text())["bodies"][0]["mesh"], "scene-mesh-0.vtu")
        of_file = numpy.load(pliant.record(self.path("scene.json"), self.path("b.npz"), frames=3, fps=30))
        numpy.testing.assert_array_equal(of_file["positions"], sim.positions)

    def test_a_table_has_the_named_columns(self):
        for probe in ("kinetic,volume", ["kinetic", "volume"]):
            file = pliant.record(body(), self.path("a.csv"), frames=2, probe=probe)
            self.assertEqual(file.read_text().splitlines()[0], "step,time_s,kinetic_J,volume_m3")

    def test_errors_have_a_cause(self):
        with self.assertRaises(pliant.ProgramFailed) as caught:
            pliant.record(body(), self.path("a.npz"), frams=3)
        self.assertTrue(caught.exception.cause.startswith("unknown option --frams"), caught.exception.cause)
        self.assertTrue(str(caught.exception).startswith("pliant record: unknown option"), caught.exception)
        self.assertEqual(caught.exception.status, 2)
        with self.assertRaises(pliant.BadArgument):
            pliant.record(body(), self.path("a.npz"), state="b.npz")
        self.assertEqual([_program.OUTPUTS.get(end) for end in (".gif", ".webp", "")], ["video", "video", None])
        with self.assertRaisesRegex(pliant.ProgramFailed, "must end in .mp4, .webp or .gif"):
            pliant.record(body(), self.path("a.AVI"))
        with self.assertRaises(pliant.ProgramFailed) as caught:
            pliant.verify(case=99)
        self.assertIn("--case is 99", caught.exception.cause)
        self.assertIsNone(caught.exception.result)
        self.assertEqual(_program._cause("", -9), "the program was ended by signal 9")

    def test_verify_returns_data(self):
        result = pliant.verify(case=1, device="cpu")
        self.assertEqual((result["failed"], result["precision"]), (0, "double"))
        self.assertEqual(result["checked"], len(result["cases"][0]["checks"]))
        for check in result["cases"][0]["checks"]:
            self.assertTrue(check["passed"] and check["error"] <= check["bound"], check)

    def test_ctrl_c_ends_the_program(self):
        begun = time.time()
        threading.Timer(1.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            pliant.record(body(), self.path("a.npz"), frames=1000000)
        self.assertLess(time.time() - begun, 20)
        with numpy.load(self.path("a.npz")) as arrays:  # the interrupted program has completed its file
            self.assertTrue(numpy.isfinite(arrays["positions"]).all())
        self.assertEqual(subprocess.run(["pgrep", "-P", str(os.getpid()), "-x", "pliant"], capture_output=True,
                                        text=True).stdout, "")


class Display(unittest.TestCase):
    def setUp(self):
        names = ("DISPLAY", "WAYLAND_DISPLAY", "XDG_STATE_HOME")
        self.former = {name: os.environ.pop(name, None) for name in names}
        # the window must not change the user's list of recent files, or have the user's look
        home = tempfile.TemporaryDirectory()
        self.addCleanup(home.cleanup)
        os.environ["XDG_STATE_HOME"] = home.name

    def tearDown(self):
        for name, value in self.former.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value

    def test_without_a_display(self):
        sim = body().simulate()
        with self.assertRaisesRegex(pliant.NoDisplay, "DISPLAY names no display"):
            sim.show()
        os.environ["DISPLAY"] = ":4711"
        with self.assertRaisesRegex(pliant.NoDisplay, "display"):
            sim.show()

    @unittest.skipUnless(SERVES, "this build has no command serve")
    def test_the_page(self):
        sim = body().simulate()
        sim.step(3)
        with unittest.mock.patch("webbrowser.open") as browser, contextlib.redirect_stdout(io.StringIO()) as printed:
            page = sim.show(web=True, block=False, size=(320, 240))
        browser.assert_called_once_with(page.address)
        self.assertEqual(printed.getvalue().strip(), page.address)
        self.assertIn(f'<iframe src="{page.address}"', page._repr_html_())
        with urllib.request.urlopen(page.address) as answer:
            self.assertIn(b"<html", answer.read())
        files = page._folder.name
        page.close()
        self.assertTrue(page.closed and not os.path.exists(files))
        with self.assertRaisesRegex(pliant.ProgramFailed, "port"):
            sim.show(web=True, block=False, port=70000)

    @unittest.skipUnless(shutil.which("Xvfb"), "Xvfb is not installed")
    def test_the_window(self):
        reader, writer = os.pipe()
        server = subprocess.Popen(["Xvfb", "-displayfd", str(writer), "-screen", "0", "640x480x24"],
                                  pass_fds=[writer], stderr=subprocess.DEVNULL)
        os.close(writer)
        with open(reader) as answer:
            os.environ["DISPLAY"] = ":" + answer.readline().strip()
        sim = body().simulate()
        sim.step(3)
        try:
            with tempfile.TemporaryDirectory() as folder:
                state = os.path.join(folder, "state.npz")
                sim.show(frames=3, window_size=(320, 240), state=state)  # returns after the window has closed
                with numpy.load(state) as arrays:
                    shown = arrays["positions"]
            again = sim.clone()
            while again.report.step < 600 and not numpy.array_equal(again.positions, shown):
                again.step()  # repeats the window's steps, whose number is not known, until the states are equal
            self.assertLess(again.report.step, 600)
            window = sim.show(block=False, window_size=(320, 240))
            files = window._folder.name
            self.assertFalse(window.closed)
            self.assertTrue(os.path.exists(os.path.join(files, "scene.state")))
            window.close()
            self.assertTrue(window.closed and not os.path.exists(files))
            window.close()
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

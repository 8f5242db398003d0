#!/usr/bin/env python3
"""Installs libpliant into a temporary folder, then compiles and runs the C examples with the installed files, as a user
of the library would: with pkg-config as C99 and as C++11, and with CMake if the machine has it.

usage: test_installed.py BUILD SOURCE     build folder, root of the sources
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
EXPECTED = {
    "hello": r"1\.00 s: lowest point at -0\.\d+ m\n$",
    "finger": r"1\.00 s: finger at -?0\.000 m, momentum of the ball [12]\.\d+ kg m/s",
    "force": r"bent the pole by 0\.\d+ m\n$",
    # at a strain of 1e-4, the neo-Hookean bar differs from linear elasticity by less than 2e-4 of the displacement
    "stretch": r"moves by 1\.000[01]e-04 m, .* by 1\.0000e-04 m; the pin holds the bar with -1\.0000 N\n$",
    "threads": r"64 bars sag between",
}
# {example that opens a window: (argument, expected output)}. render_loop prints the mean brightness of its picture. It
# is 8 or more, since the cube has half of the full brightness, and covers at least 0.04 of the visible 0.64 m^2.
WINDOWS = {"render_loop": ("40", r"40 frames, mean brightness ([89]|1[0-9])\.\d of 255\n$")}


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if done.returncode:
        raise AssertionError(f"{command} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.folder.name)
        run("meson", "install", "-C", BUILD, "--no-rebuild", "--tags", "devel,runtime", "--destdir", cls.root / "root")
        config = next((cls.root / "root").rglob("pliant.pc"))
        cls.environment = dict(os.environ, PKG_CONFIG_PATH=str(config.parent),
                               PKG_CONFIG_SYSROOT_DIR=str(cls.root / "root"),
                               LD_LIBRARY_PATH=str(config.parent.parent))
        cls.flags = run("pkg-config", "--cflags", "--libs", "pliant", env=cls.environment).split()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_examples_run(self):
        for name, expected in EXPECTED.items():
            self.check(expected, self.compile(name))

    def test_first_program_of_the_page(self):
        page = (SOURCE / "docs/how-to/use-from-c.md").read_text()
        source, program = self.root / "first.c", self.root / "first"
        source.write_text(re.search(r"```c\n(.*?)```", page, re.DOTALL)[1])
        run("cc", "-std=c99", "-Wall", "-Wextra", "-Werror", source, "-o", program, *self.flags)
        output = run(program, env=self.environment, cwd=SOURCE)
        self.assertRegex(output, r"^of \d+ nodes, the first is at z = -?\d\.\d{4} m\n$")

    def test_windows_run(self):
        for tool in ("xvfb-run", "xauth"):
            if not shutil.which(tool):
                self.skipTest(f"{tool} is not installed")
        more = run("pkg-config", "--cflags", "--libs", "glfw3", "gl").split()
        for name, (argument, expected) in WINDOWS.items():
            self.check(expected, "xvfb-run", "-a", "-s", "-screen 0 640x640x24", self.compile(name, *more), argument)

    def compile(self, name, *flags):
        """Compiles an example and returns the path of the program."""
        program = self.root / name
        run("cc", "-std=c99", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror", "-pthread",
            SOURCE / "examples/c" / f"{name}.c", "-o", program, *self.flags, *flags)
        return program

    def check(self, expected, *command):
        output = run(*command, env=self.environment)
        self.assertTrue(re.search(expected, output), f"{command} printed:\n{output}")

    def test_no_library_of_cuda_is_needed(self):
        """CUDA's driver is opened at run time, so the library also works on machines without a driver."""
        if not shutil.which("readelf"):
            self.skipTest("readelf is not installed")
        for library in (self.root / "root").rglob("libpliant*.so"):
            self.assertNotRegex(run("readelf", "-d", library), r"NEEDED.*\[libcu")

    def test_static_library(self):
        library = next((self.root / "root").rglob("libpliant.a"))
        flags = run("pkg-config", "--cflags", "--libs", "--static", "pliant", env=self.environment).split()
        at = flags.index("-lpliant")
        flags[at:at + 1] = ["-Wl,-Bstatic", "-lpliant", "-Wl,-Bdynamic"]
        program = self.root / "static"
        run("cc", "-std=c99", SOURCE / "examples/c/finger.c", "-o", program, *flags)
        self.check(EXPECTED["finger"], program)
        self.assertNotIn("libpliant", run("ldd", program))
        visible = {line.split()[2] for line in run("nm", library).splitlines() if re.search(" [TDBRC] ", line)}
        self.assertEqual({name for name in visible if not name.startswith("pliant_")}, set())

    def test_every_example_is_here(self):
        here = sorted(path.stem for path in (SOURCE / "examples/c").glob("*.c"))
        self.assertEqual(sorted([*EXPECTED, *WINDOWS]), here)

    def test_header_is_cpp(self):
        source = self.root / "empty.cpp"
        source.write_text("#include <pliant.h>\nint main() { return pliant_device_count() < 0; }\n")
        run("c++", "-std=c++11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", source, "-o", self.root / "empty",
            *self.flags)
        run(self.root / "empty", env=self.environment)

    def test_only_functions_of_the_header_are_visible(self):
        library = next((self.root / "root").rglob("libpliant.so.0.*"))
        symbols = {line.split()[-1].split("@")[0] for line in run("nm", "-D", "--defined-only", library).splitlines()}
        declared = set(re.findall(r"\b(pliant_\w+)\(", (SOURCE / "include/pliant.h").read_text()))
        declared -= {"pliant_log_function"}
        self.assertEqual(symbols - {"PLIANT_0"}, declared)

    def test_cmake(self):
        if not shutil.which("cmake"):
            self.skipTest("cmake is not installed")
        (self.root / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.16)\nproject(hello C)\nfind_package(pliant REQUIRED)\n"
            f"add_executable(hello_cmake {SOURCE}/examples/c/hello.c)\n"
            "target_link_libraries(hello_cmake pliant::pliant)\n")
        prefix = next((self.root / "root").rglob("pliantConfig.cmake")).parent
        run("cmake", "-S", self.root, "-B", self.root / "cmake", f"-Dpliant_DIR={prefix}")
        run("cmake", "--build", self.root / "cmake")
        self.assertIn("1.00 s", run(self.root / "cmake/hello_cmake", env=self.environment))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

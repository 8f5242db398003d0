#!/usr/bin/env python3
"""Compares the packages of Debian, conda and Homebrew with meson.build and scripts/setup. Each file that the build
folder BUILD installs must be in exactly one Debian package, or in debian/not-installed.

usage: test_packaging.py ROOT BUILD     ROOT: the sources
"""
import json
import pathlib
import re
import subprocess
import sys
import unittest

ROOT, BUILD = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
del sys.argv[1:]

# DEPENDENCIES: name of a dependency in meson.build -> packages of Debian, conda and Homebrew; "": part of another
# package
DEPENDENCIES = {
    "cglm": ("libcglm-dev", "cglm", "cglm"),
    "egl": ("libegl-dev", "libegl-devel", "mesa"),
    "expat": ("libexpat1-dev", "expat", "expat"),
    "glad": ("python3-glad", "glad2", "glad2"),
    "glfw3": ("libglfw3-dev", "glfw", "glfw"),
    "imgui": ("libimgui-dev", "imgui", "imgui"),
    "libcjson": ("libcjson-dev", "cjson", "cjson"),
    "libjpeg": ("libjpeg-dev", "libjpeg-turbo", "jpeg-turbo"),
    "libpng": ("libpng-dev", "libpng", "libpng"),
    "libwebsockets": ("libwebsockets-dev", "libwebsockets", "libwebsockets"),
    "metis": ("libmetis-dev", "metis", "metis"),
    "muparser": ("libmuparser-dev", "muparser", "muparser"),
    "suitesparse/cholmod.h": ("libsuitesparse-dev", "suitesparse", "suite-sparse"),
    "zlib": ("zlib1g-dev", "zlib", "zlib"),
    "dl": ("", "", ""),  # part of the C library, as are "m" and "threads"
    "m": ("", "", ""),
    "threads": ("", "", ""),
    "python3": ("python3", "python", "python@3.13"),
    "nvidia-smi": ("", "", ""),  # packages do not contain CUDA
    "nvcc": ("", "", ""),
    "PETSc": ("", "", ""),  # packages do not contain the engine petsc
    "mpi": ("", "", ""),
    "ompi-c": ("", "", ""),
}
# Packages that scripts/setup installs for the build, but that Build-Depends of the Debian package omits. They are part
# of build-essential or meson, or only tests need them.
OMITTED = {"gcc", "g++", "make", "ninja-build", "libarpack2-dev", "libcmocka-dev", "libzip-dev"}
HELPERS = {"debhelper-compat", "dh-python"}


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def build_depends():
    field = re.search(r"^Build-Depends:\n((?: .*\n)+)", read("debian/control"), re.MULTILINE).group(1)
    return {line.split()[0].strip(",") for line in field.splitlines()}


def meson_dependencies():
    """Returns the names of libraries and programs that meson.build files outside of tests/ search for. Leaves out the
    programs in scripts/, which are part of this source tree."""
    names = set()
    for path in [ROOT / "meson.build", *(ROOT / "src").rglob("meson.build"), *(ROOT / "data").rglob("meson.build")]:
        text = path.read_text(encoding="utf-8")
        names |= set(re.findall(r"\b(?:dependency|find_library|find_program)\('([^']+)'", text))
        names |= set(re.findall(r"has_header\('(suitesparse/[^']+)'", text))
    return {name for name in names if not name.startswith("scripts/")}


def introspect(kind):
    done = subprocess.run(["meson", "introspect", BUILD, kind], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def installed_files():
    """Returns the paths of all files that the build installs, as in Debian: relative to the prefix, and with Debian's
    folder for libraries."""
    folders = {"bindir": "usr/bin", "datadir": "usr/share", "includedir": "usr/include", "mandir": "usr/share/man",
               "libdir": "usr/lib/TRIPLET", "libdir_shared": "usr/lib/TRIPLET", "moduledir_shared": "usr/lib/TRIPLET",
               "libdir_static": "usr/lib/TRIPLET", "prefix": "usr"}
    libdir = next(row["value"] for row in introspect("--buildoptions") if row["name"] == "libdir")
    paths = set()
    for entries in introspect("--install-plan").values():
        for entry in entries.values():
            path = entry["destination"].replace(f"{{prefix}}/{libdir}/", "usr/lib/TRIPLET/")
            paths.add(re.sub(r"\{(\w+)\}", lambda match: folders[match.group(1)], path))
    return paths


def is_in(file, pattern):
    """Returns true if the pattern of a Debian .install file matches the file or a folder above it. "*" does not match a
    slash."""
    parts = pathlib.PurePosixPath(file).parts[:pattern.count("/") + 1]
    return len(parts) == pattern.count("/") + 1 and pathlib.PurePosixPath(*parts).match(pattern)


def lines_of(path):
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]


class Packaging(unittest.TestCase):
    def test_versions(self):
        version = re.search(r"^  version: '([^']+)'", read("meson.build"), re.MULTILINE).group(1)
        for name, pattern in (("debian/changelog", r"^pliant \(([^)-]+)-\d+\)"),
                              ("packaging/conda/meta.yaml", r'set version = "([^"]+)"'),
                              ("packaging/homebrew/pliant.rb", r'^  version "([^"]+)"'),
                              ("packaging/homebrew/pliant.rb", r'^  url ".*pliant-([\d.]+)\.tar\.gz"')):
            self.assertEqual(re.search(pattern, read(name), re.MULTILINE).group(1), version, name)

    def test_debian_depends_on_packages_of_setup(self):
        setup = set(re.search(r"^packages=\(([^)]*)\)", read("scripts/setup"), re.MULTILINE).group(1).split())
        self.assertEqual(build_depends() - HELPERS, setup - OMITTED)

    def test_recipes_have_every_dependency(self):
        names = meson_dependencies()
        self.assertEqual(names - set(DEPENDENCIES), set(), "name their packages in DEPENDENCIES")
        self.assertGreaterEqual(len(names), 15)
        conda, brew = read("packaging/conda/meta.yaml"), read("packaging/homebrew/pliant.rb")
        for name in names:
            debian, conda_name, brew_name = DEPENDENCIES[name]
            if debian:
                self.assertIn(debian, build_depends())
                self.assertRegex(conda, rf"(?m)^    - {re.escape(conda_name)}( |$)|/{re.escape(conda_name)}/archive")
                self.assertRegex(brew, rf'(?m)^  (depends_on|resource) "{re.escape(brew_name)}"')

    def test_each_installed_file_is_in_one_debian_package(self):
        packages = {path.stem: lines_of(path) for path in (ROOT / "debian").glob("*.install")}
        packages["none"] = lines_of(ROOT / "debian/not-installed")
        names = set(re.findall(r"^Package: (\S+)", read("debian/control"), re.MULTILINE))
        self.assertEqual(set(packages) - {"none"}, names)
        files, used = installed_files(), set()
        self.assertGreater(len(files), 20)
        for file in files:
            matching = [(package, pattern) for package, patterns in packages.items() for pattern in patterns
                        if is_in(file, pattern)]
            self.assertEqual(len({package for package, _ in matching}), 1, f"{file} is in {matching}")
            used |= set(matching)
        # patterns that may match nothing, since Meson's list contains neither symbolic links nor the Python package
        links = {"usr/lib/*/libpliant.so", "usr/share/bash-completion"}
        unused = {pattern for package, patterns in packages.items() for pattern in patterns
                  if (package, pattern) not in used and package != "python3-pliant"}
        self.assertLessEqual(unused, links, "these patterns match no installed file")

    def test_python_package_has_every_source(self):
        listed = set(re.findall(r"'pliant/([^']+)'", read("python/meson.build")))
        copied = {path.name for pattern in ("*.py", "py.typed") for path in (ROOT / "python/pliant").glob(pattern)}
        self.assertEqual(copied, listed)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Checks that clangd opens each header without an error. clang compiles the header with the flags of its source in
compile_commands.json, and with flags that .clangd adds. Folders of src that the build leaves out, such as src/petsc
without PETSc, are not checked. Skipped without clang.

usage: test_headers.py ROOT BUILD [all]    all: also checks headers that the source of the same name includes first.
                                           They are left out otherwise, because the build compiles them with the same
                                           flags and finds most errors.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

SKIPPED = 77


def fragments(path):
    """Yields the fragments of .clangd as (path pattern, excluded paths, flags, shown). shown: clangd reports errors in
    these files."""
    for text in path.read_text(encoding="utf-8").split("\n---\n"):
        match = re.search(r"PathMatch: (\S+)", text)
        exclude = re.search(r"PathExclude: (\S+)", text)
        flags = re.search(r"Add: \[([^\]]*)\]", text)
        if match:
            yield (match.group(1), exclude.group(1) if exclude else None,
                   [flag.strip().strip("'") for flag in flags.group(1).split(",")] if flags else [],
                   "Suppress: ['*']" not in text)


def nearest(header, commands):
    """Returns the compile command for a header, as clangd chooses it: the command of the source of the same name or, if
    there is none, of a source in a near folder."""
    def likeness(source):
        shared = len(os.path.commonpath([header, source]).split("/"))
        return (pathlib.PurePath(source).stem == pathlib.PurePath(header).stem, shared, -len(source.split("/")))
    return commands[max(sorted(commands), key=likeness)]


def check(header, command, flags, build):
    words = [word for word in shlex.split(command) if word.startswith(("-I", "-D", "-std", "-isystem"))]
    words = ["clang", "-fsyntax-only", "-x", "c-header", *words, *flags, header]
    done = subprocess.run(words, cwd=build, capture_output=True, text=True, check=False)
    return [line for line in done.stderr.splitlines() if "error: " in line][:3] if done.returncode else []


def comes_first(header, root):
    """Returns true if the source of the same name includes the header before anything else."""
    source = header.with_suffix(".c")
    first = re.search(r'^#\s*include\s+(\S+)', source.read_text(encoding="utf-8"), re.M) if source.exists() else None
    return bool(first) and first[1] == f'"{header.relative_to(root / "src").as_posix()}"'


def main(root, build, every):
    if not shutil.which("clang"):
        return SKIPPED
    rules = list(fragments(root / ".clangd"))
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        source = os.path.normpath(os.path.join(entry["directory"], entry["file"]))
        if source.endswith(".c") and source.startswith(str(root / "src")):
            commands.setdefault(source, entry["command"])
    built = {os.path.relpath(source, root / "src").split("/")[0] for source in commands}
    jobs = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path in sorted((root / "src").rglob("*.h")):
            name = path.relative_to(root).as_posix()
            own = [rule for rule in rules if re.fullmatch(rule[0], name)
                   and not (rule[1] and re.fullmatch(rule[1], name))]
            shown = all(rule[3] for rule in own) and name.split("/")[1] in built
            if shown and (every or not comes_first(path, root)):
                flags = [flag for rule in own for flag in rule[2]]
                jobs.append(pool.submit(check, str(path), nearest(str(path), commands), flags, build))
    faults = [fault for job in jobs for fault in job.result()]
    print("\n".join(faults) or f"{len(jobs)} headers have no error")
    return 1 if faults else 0


sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), "all" in sys.argv[3:]))

#!/usr/bin/env python3
"""The source itself: no line is longer than 120 columns, and a room includes only what lies below it.

usage: test_source.py ROOT     the folder that has src/ and tests/
"""
import pathlib
import re
import sys

COLUMNS = 120
ENDINGS = {".c", ".h", ".cpp", ".cu", ".cuh", ".py", ".build", ".in", ".glsl", ".vert", ".frag", ".comp"}
NOT_SOURCE = ("tests/fuzz/corpus/",)  # what the fuzzer found, as it found it

# Which rooms, folders of src/, each room may include besides itself. app may include everything.
BELOW = {
    "base": set(),
    "device": {"base"},
    "mesh": {"base"},
    "sim": {"base", "device", "mesh"},
    "scene": {"base", "mesh", "sim"},
    "verify": {"base", "mesh", "sim"},
    "study": {"base", "mesh", "sim"},
    "render": {"base", "device", "mesh"},
    "record": {"base", "mesh", "render"},
    "live": {"base", "device", "record", "render", "scene", "sim"},
    "window": {"base", "device", "live", "mesh", "record", "render", "scene", "sim"},
}
# All that rooms other than app see of sim; and what they see besides, until simulation.h has it: header -> what for.
SIM_DOOR = {"sim/simulation.h", "sim/steady.h"}
SIM_SIDE_DOORS = {
    "sim/moduli.h": "moduli from one pair to another",
    "sim/memory.h": "what a body takes, before it is made",
    "sim/tet_sizes.h": "a warning about a mesh",
    "sim/force/obstacle.h": "how deep a body begins within an obstacle",
    "sim/untangle.h": "bodies moved apart before a simulation is made of them",
    "sim/contact_report.h": "what bodies that touch do to each other",
    "sim/crossing_marks.h": "where a surface goes through itself",
    "sim/number_range.h": "the numbers that a precision has room for",
    "sim/settings_rows.h": "the settings' rows of a scene's options",
    "sim/load_path.h": "equilibrium in increments; to become steady.h",
    "sim/field/tet_stress.h": "stresses of tets for VTU files",
    "sim/simulation_tear.h": "which tets a stress tears out, and room for that",
    "sim/baseline/cholmod.h": "what SuiteSparse takes, in a study",
    "sim/lower/chunked.h": "matrices of hexahedra in groups, whose construction is studied step by step",
    "sim/lower/lower_operator.h": "and products with them",
    "sim/simplex/simplex_matrix.h": "matrices over simplices, whose construction is studied step by step",
    "sim/simplex/simplex_nodes.h": "and their nodes, which are counted",
    "sim/assembly/assembly.h": "stages one by one, which a study measures: assemblies,",
    "sim/krylov/solver.h": "solvers and operators,",
    "sim/space.h": "on cells,",
    "sim/device_reals.h": "with vectors of either precision,",
    "sim/baseline/cusparse.h": "beside a library's",
}

# Within sim, which folders a folder must not include: an arrow never runs back.
SIM_NEVER = {
    "contact": {"newton", "assembly", "krylov", "force", "operator", "element"},
    "force": {"newton", "assembly", "krylov"},
    "krylov": {"newton", "assembly", "force"},
    "operator": {"newton", "assembly", "krylov", "force"},
    "sparse": {"newton", "assembly", "krylov", "force"},
    "assembly": {"newton", "krylov", "force"},
    "element": {"newton", "assembly", "krylov", "force", "operator", "sparse"},
    "material": {"newton", "assembly", "krylov", "force", "operator", "sparse", "element", "shape"},
    "shape": {"newton", "assembly", "krylov", "force", "operator", "sparse", "element", "material"},
}

# Includes that break a rule for now: (file, include) -> why. What is no longer needed must leave these lists.
EXCEPTIONS = {
}


def sources(root):
    for folder in ("src", "tests", "shaders"):
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix in ENDINGS and "__pycache__" not in name and not name.startswith(NOT_SOURCE):
                yield name, path.read_text(encoding="utf-8").split("\n")


def forbidden(name, include):
    """Why the file may not include this; None where it may."""
    room, other = name.split("/")[1], include.split("/")[0]
    if room == other == "sim":
        folders = [path.split("/")[-2] for path in (name, include)]
        if folders[1] in SIM_NEVER.get(folders[0], ()):
            return f"sim/{folders[0]} never includes sim/{folders[1]}"
    if room in ("app", other):
        return None
    if other not in BELOW[room]:
        return f"{room} includes {', '.join(sorted(BELOW[room])) or 'only the C library'}, not {other}"
    if other == "sim" and include not in SIM_DOOR | SIM_SIDE_DOORS.keys():
        return f"other rooms see only {' and '.join(sorted(SIM_DOOR))} of sim"
    return None


def main(root):
    faults, excused, files = [], set(), 0
    rooms = {path.name for path in (root / "src").iterdir() if path.is_dir()}
    for room in rooms - BELOW.keys() - {"app"}:
        faults.append(f"src/{room}: which rooms may it include? {sys.argv[0]} does not know it")
    for name, lines in sources(root):
        files += 1
        for number, line in enumerate(lines, 1):
            if len(line) > COLUMNS:
                faults.append(f"{name}:{number}: {len(line)} columns, expected at most {COLUMNS}")
            match = re.match(r'\s*#\s*include "(([a-z_]+)/[^"]+)"', line)
            if not match or not name.startswith("src/") or match.group(2) not in rooms:
                continue
            include = match.group(1)
            why = forbidden(name, include)
            if why and (name, include) not in EXCEPTIONS:
                faults.append(f"{name}:{number}: {include}: {why}")
            excused |= {(name, include), (name.split("/")[1] != "sim", include)}
    for name, include in EXCEPTIONS.keys() - excused:
        faults.append(f"{name} no longer includes {include}: take it off EXCEPTIONS")
    for include in SIM_SIDE_DOORS:
        if (True, include) not in excused:
            faults.append(f"{include} is no longer included from outside sim: take it off SIM_SIDE_DOORS")
    print("\n".join(sorted(faults)) or f"{files} files: lines and includes are as they should be")
    return 1 if faults else 0


sys.exit(main(pathlib.Path(sys.argv[1])))

#!/usr/bin/env python3
"""Checks the sources: lines have at most 120 columns and functions 80 lines, no comma joins statements, a module
includes only modules below it, no header includes itself through others, files of some modules do not call each other
in a cycle, no module of the engine is too large, and scripts/gpu-tests runs each test that has a variant for CUDA. Also
checks the columns of the documents.

usage: test_source.py ROOT     the folder that has src/, tests/ and docs/
"""
import pathlib
import re
import sys

from comma_statements import comma_statements

COLUMNS = 120
FUNCTION_LINES = 80  # largest number of lines of a function, from its first line to its closing brace
MODULE_LINES = 8000  # largest number of lines of a module of the engine
BUILD_LINES = 200  # largest number of lines of all build files of the engine together
ENDINGS = {".c", ".h", ".cpp", ".cu", ".cuh", ".py", ".build", ".in", ".def", ".glsl", ".vert", ".frag", ".comp"}
CODE = {".c", ".h", ".cpp", ".cu", ".cuh"}
COMPILED = CODE | {".def"}
NOT_SOURCE = ("tests/fuzz/corpus/",)  # inputs of the fuzzer, which are not sources

# The other modules that each module may include. A module is a folder of src/. Each folder of src/sim is a module of
# the engine, and the files of src/sim itself are the engine's interface, "sim".
UTILITIES = {"base", "device", "mesh"}
ELEMENT = UTILITIES | {"element"}
OPERATOR = ELEMENT | {"operator"}
CONTACT = OPERATOR | {"contact"}
FORCE = CONTACT | {"force"}
DYNAMICS = FORCE | {"assembly", "solver", "resident", "dynamics"}
NEWTON = DYNAMICS | {"newton"}
WORLDS = NEWTON | {"worlds"}
DIRECT = OPERATOR | {"solver"}
SIM = WORLDS | {"direct", "field", "sim"}
ENGINE = SIM | {"report", "statics"}
BELOW = {
    "base": set(),
    "device": {"base"},
    "mesh": {"base"},
    "element": UTILITIES,
    "operator": ELEMENT,
    "assembly": OPERATOR,
    "solver": OPERATOR,
    "resident": DIRECT,
    "direct": DIRECT,
    "contact": OPERATOR,
    "force": CONTACT,
    "dynamics": DYNAMICS,
    "newton": NEWTON,
    "worlds": WORLDS,
    "field": DYNAMICS,
    "sim": SIM,
    "report": SIM,
    "statics": SIM,
    "scene": ENGINE,
    "api": ENGINE | {"scene"},
    "render": UTILITIES,
    "hud": {"base", "mesh", "render"},
    "record": {"base", "hud", "mesh", "render"},
    "live": ENGINE | {"record", "render", "scene"},
    "window": ENGINE | {"hud", "live", "record", "render", "scene"},
    "serve": ENGINE | {"hud", "live", "record", "render", "scene"},
    "verify": ENGINE,
    "petsc": ENGINE,
    "app": ENGINE | {"hud", "live", "record", "render", "scene", "serve", "verify", "window"},
    # a separate program, which may use all modules that the other programs use
    "lab": ENGINE | {"app", "hud", "live", "record", "render", "scene", "serve", "verify", "window"},
}


def sources(root):
    for folder in ("src", "tests", "shaders"):
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix in ENDINGS and "__pycache__" not in name and not name.startswith(NOT_SOURCE):
                yield name, path.read_text(encoding="utf-8").split("\n")


# Documents that programs write: their lines are the messages of the program, or contain measured numbers.
WRITTEN = ("docs/reference/options.md", "docs/papers/")


def wide_lines(root):
    """Yields the lines of documents with too many columns. Tables, code and the addresses of links may be wider."""
    for path in sorted([*root.glob("*.md"), *(root / "docs").rglob("*.md")]):
        name, in_code = path.relative_to(root).as_posix(), False
        if name.startswith(WRITTEN):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            in_code ^= line.startswith("```")
            columns = len(re.sub(r"\]\([^)]*\)", "]()", line))
            if columns > COLUMNS and not in_code and not line.startswith("|"):
                yield f"{name}:{number}: {columns} columns without addresses, expected at most {COLUMNS}"


def module_of(path):
    """Returns the name of the module of a path below src/."""
    parts = path.split("/")
    return parts[1] if parts[0] == "sim" and len(parts) > 2 else parts[0]


def find_cycles(includes):
    """Returns the cycles in a graph of files. includes: {file: files that it includes or calls}."""
    cycles, done = [], set()

    def visit(name, chain):
        if name in chain:
            cycles.append(" -> ".join(chain[chain.index(name):] + [name]))
        elif name not in done:
            for other in sorted(includes.get(name, ())):
                visit(other, chain + [name])
            done.add(name)

    for name in sorted(includes):
        visit(name, [])
    return cycles


# Modules whose files must not call each other in a cycle. A file here is a .c, .cpp or .cu together with its header.
LAYERED = ("render", "hud", "record", "window", "serve", "app")
DEFINITION = re.compile(r"(?!static|typedef|extern|enum|struct|return)[A-Za-z_][\w *]*?\b([a-z]\w+)\([^;]*$")


def calls_of(root, module):
    """Returns {file: other files of this module whose functions it calls}."""
    texts, home = {}, {}
    for path in sorted((root / "src" / module).glob("*.c*")):
        text = re.sub(r'//.*|^#.*|"(\\.|[^"\\\n])*"', "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        texts[path.stem] = texts.get(path.stem, "") + text
        for line in text.split("\n"):
            match = DEFINITION.match(line)
            if match:
                home[match.group(1)] = path.stem
    return {name: {home[word] for word in re.findall(r"\b\w+\b", text) if home.get(word, name) != name}
            for name, text in texts.items()}


COMMENT_OR_LITERAL = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|' + r"'(?:\\.|[^'\\\n])+'", re.DOTALL)
TYPE_OR_SPACE = re.compile(r"(?:typedef\s+)?(?:struct|class|union|enum|namespace|extern)\b")
FUNCTION_END = re.compile(r"\)\s*(?:const|noexcept|override|final|\s)*$")


def plain_lines(text, both):
    """Returns the lines of C code without comments, literals and directives. both: False leaves out branches after
    #else and #elif."""
    text = COMMENT_OR_LITERAL.sub(lambda match: (" " if match.group(0)[0] == "/" else '""') +
                                  "\n" * match.group(0).count("\n"), text)
    lines, others, goes_on = [], [], False  # others: for each open #if, whether its first branch has ended
    for line in text.split("\n"):
        directive = re.match(r"\s*#\s*(\w+)", line)
        if goes_on or directive:
            word = directive.group(1) if directive and not goes_on else ""
            if word in ("if", "ifdef", "ifndef"):
                others.append(False)
            elif word in ("else", "elif") and others:
                others[-1] = True
            elif word == "endif" and others:
                others.pop()
            goes_on = line.endswith("\\")
            lines.append("")
        else:
            lines.append(line if both or not any(others) else "")
    return lines


def kind_of_braces(header):
    """Returns the kind of the braces after this text, outside of functions: "function", "type" (or name space) or
    "values"."""
    header = re.sub(r"^template\s*<[^{};]*?>\s*(?=\w)", "", header.strip())
    outside, count = header, 1
    while count:
        outside, count = re.subn(r"\([^()]*\)", "", outside)
    if "=" in outside.replace("==", ""):
        return "values"
    if FUNCTION_END.search(header):
        return "function"
    return "type" if TYPE_OR_SPACE.match(header) else "values"


def functions_of(lines):
    """Returns (first line, number of lines) of each function, including methods. Returns None if braces do not
    match."""
    found, header, first, open_braces = [], "", 0, []
    for number, line in enumerate(lines, 1):
        for character in line + "\n":
            in_type = not open_braces or open_braces[-1] == "type"
            if character == "{":
                open_braces.append(kind_of_braces(header) if in_type else "inner")
                if open_braces[-1] == "type":
                    header = ""
            elif character == "}":
                if not open_braces:
                    return None
                kind = open_braces.pop()
                if kind == "function":
                    found.append((first, number - first + 1))
                if kind != "inner":
                    header = ""
            elif in_type and character == ";" and header.count("(") <= header.count(")"):
                header = ""
            elif in_type:
                if not header.strip() and not character.isspace():
                    header, first = "", number
                header += character
    return None if open_braces else found


def long_functions(name, lines):
    text = "\n".join(lines)
    functions = functions_of(plain_lines(text, True))
    if functions is None:  # branches of an #if each open or close a brace
        functions = functions_of(plain_lines(text, False))
    if functions is None:
        return [f"{name}: its braces do not match, so that the lengths of its functions are not known"]
    return [f"{name}:{first}: a function of {count} lines, expected at most {FUNCTION_LINES}"
            for first, count in functions if count > FUNCTION_LINES]


# Pattern of a test for CUDA in a build file, in a loop over devices or in a line of its own. The group of the pattern
# is the name of the test's program or script.
CUDA_TEST = re.compile(r"(?:foreach \w+ : \[[^]]*'cuda[^]]*\]\s*test\('[^,]*|test\('[^']*-cuda')"
                       r",\s*(?:find_program\(')?(\w+)")


def forgotten_gpu_tests(root):
    """Returns the tests for CUDA in the build files that scripts/gpu-tests does not name."""
    script = (root / "scripts" / "gpu-tests").read_text(encoding="utf-8")
    names = {name for path in (root / "tests").rglob("meson.build")
             for name in CUDA_TEST.findall(path.read_text(encoding="utf-8"))}
    assert len(names) > 40, f"only {len(names)} tests for CUDA found in the build files: {sorted(names)}"
    return sorted(name for name in names if not re.search(name + "(?![a-z])", script))


def main(root):
    faults, files, headers, lines_of = list(wide_lines(root)), 0, {}, {}
    folders = {path.name for path in (root / "src").iterdir() if path.is_dir()}
    for name, lines in sources(root):
        files += 1
        for number, line in enumerate(lines, 1):
            if len(line) > COLUMNS:
                faults.append(f"{name}:{number}: {len(line)} columns, expected at most {COLUMNS}")
        path = pathlib.PurePath(name)
        if path.suffix in CODE:
            faults += long_functions(name, lines)
            faults += [f"{name}:{number}: a comma joins statements; write one statement per line"
                       for number in comma_statements("\n".join(lines))]
        if not name.startswith("src/") or path.suffix not in COMPILED:
            continue
        inside = name.removeprefix("src/")
        module = module_of(inside)
        if module not in BELOW:
            faults.append(f"{name}: {sys.argv[0]} has no row for the module {module}")
            continue
        lines_of[module] = lines_of.get(module, 0) + len(lines)
        for number, line in enumerate(lines, 1):
            match = re.match(r'\s*#\s*include "(([a-z_]+)/[^"]+)"', line)
            if not match or match.group(2) not in folders:
                continue
            other = module_of(match.group(1))
            if other != module and other not in BELOW[module]:
                faults.append(f"{name}:{number}: {match.group(1)}: {module} may not include {other}")
            if path.suffix != ".c":
                headers.setdefault(inside, set()).add(match.group(1))
    build_lines = sum(len(path.read_text(encoding="utf-8").splitlines())
                      for path in (root / "src" / "sim").rglob("meson.build"))
    if build_lines >= BUILD_LINES:
        faults.append(f"build files in src/sim have {build_lines} lines, expected less than {BUILD_LINES}")
    faults += [f"headers include each other in a cycle: {cycle}" for cycle in find_cycles(headers)]
    for module in LAYERED:
        faults += [f"{module}: files call each other in a cycle: {chain}" for chain in
                   find_cycles(calls_of(root, module))]
    for module in sorted(ENGINE - UTILITIES):
        if lines_of.get(module, 0) > MODULE_LINES:
            faults.append(f"module {module} has {lines_of[module]} lines, expected at most {MODULE_LINES}")
    faults += [f"scripts/gpu-tests does not run {name}, which has a variant for CUDA"
               for name in forgotten_gpu_tests(root)]
    print("\n".join(sorted(faults)) or f"{files} files: lines, functions, includes and modules are as they should be")
    return 1 if faults else 0


sys.exit(main(pathlib.Path(sys.argv[1])))

#!/usr/bin/env python3
"""Checks the documents: links lead to existing files and headings, and pictures and source files that are named in
`code` exist. Figures in README.md must be those of a file in docs/results.

usage: test_documents.py ROOT     the folder that has README.md and docs/
"""
import json
import pathlib
import re
import subprocess
import sys
import urllib.parse

LINK = re.compile(r"(?<!\\)\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)\)")
SOURCE = re.compile(r"`((?:src|tests|scripts|assets|shaders)/[\w./-]+)`")
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)

NUMBER = re.compile(r"(?<![\w.,-])\d[\d,]*(?:\.\d+)?(?![\w-]|[.,]\d)")
# smaller numbers in running text are not checked, since most of them are counts, such as "5 files"
SMALLEST_FIGURE = 100
YEAR = re.compile(r"(?:19|20)\d\d")


def for_each_step(key):
    return lambda result: [result.get(key, 0) / max(result.get("steps", 1), 1)]


# FIGURES: rules for figures. Key: words that follow a number in running text, or the title of a column. Value: function
# that returns the allowed values from a result file.
FIGURES = {
    "tetrahedra": lambda result: [result.get("tets")],
    "pieces": lambda result: [result.get("tets")],
    "steps a second": lambda result: [result.get("steps_per_s")],
    "numbers": lambda result: [result.get("checked")],
    "Newton iterations": for_each_step("newton_iterations"),
    "CG iterations": for_each_step("cg_iterations"),
}


def anchors(text):
    """Returns the anchors (link targets) that GitHub creates for a document's headings."""
    made, count = set(), {}
    for heading in re.findall(r"^#{1,6} +(.*?) *#*$", CODE.sub("", text), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "").lower()
        name = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        times = count.get(name, 0)
        count[name] = times + 1
        made.add(f"{name}-{times}" if times else name)
    return made | set(re.findall(r'<a (?:name|id)="([^"]+)"', text))


def faults_of(path, root):
    text = path.read_text(encoding="utf-8")
    for match in LINK.finditer(CODE.sub(lambda code: re.sub(r"[^\n]", " ", code.group()), text)):
        target = urllib.parse.unquote(match.group(1).strip("<>"))
        if re.match(r"[a-z]+:", target):
            continue
        line = text.count("\n", 0, match.start()) + 1
        file, _, anchor = target.partition("#")
        other = (path.parent / file).resolve() if file else path
        where = f"{path.relative_to(root)}:{line}: the link {target}"
        if not other.exists():
            yield f"{where} leads to no file"
        elif anchor and other.suffix == ".md" and anchor not in anchors(other.read_text(encoding="utf-8")):
            yield f"{where} leads to no heading of {other.relative_to(root)}"
    for match in SOURCE.finditer(text if path.name != "CHANGELOG.md" else ""):
        if "NAME" not in match.group(1) and not (root / match.group(1)).exists():
            yield f"{path.relative_to(root)}:{text.count(chr(10), 0, match.start()) + 1}: there is no {match.group(1)}"


def shows(number, values):
    """Returns true if one of the values, rounded to as many decimals as `number`, equals `number`."""
    decimals = len(number.partition(".")[2])
    return any(isinstance(value, (int, float)) and abs(value - float(number.replace(",", ""))) <= 0.5001 * 10**-decimals
               for value in values)


def table_faults(root, rows):
    """Yields faults of a table of figures. rows: pairs (line number, cells of the row); the first row has the titles.
    The first cell of each other row links to the file with its figures."""
    for line, cells in rows[1:]:
        file = re.search(r"\((docs/results/[^)]+\.json)\)", cells[0])
        if not file or not (root / file.group(1)).exists():
            yield f"README.md:{line}: {cells[0]} must link to a file in docs/results"
            continue
        result = json.loads((root / file.group(1)).read_text(encoding="utf-8"))
        for title, cell in zip(rows[0][1], cells):
            if title in FIGURES and not shows(cell, FIGURES[title](result)):
                yield f"README.md:{line}: {title} {cell} is not in {file.group(1)}"


def figure_faults(root):
    """Yields faults of the figures of README.md: in tables in which a column has a title of FIGURES, and in running
    text."""
    text = (root / "README.md").read_text(encoding="utf-8")
    text = CODE.sub(lambda code: re.sub(r"[^\n]", " ", code.group()), text)
    lines = text.split("\n")
    tables, prose = [], []
    for line, row in enumerate(lines, 1):
        if not row.startswith("|"):
            prose.append((line, row))
            continue
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        if not lines[line - 2].startswith("|"):
            tables.append([])
        if any(cell.strip("-: ") for cell in cells):
            tables[-1].append((line, cells))
    figures = [rows for rows in tables if set(rows[0][1]) & FIGURES.keys()]
    if not figures:
        yield "README.md: has no table of figures"
    for rows in figures:
        yield from table_faults(root, rows)
    for rows in tables:
        prose += [(line, cell) for line, cells in rows for cell in cells if rows not in figures]

    results = [json.loads(path.read_text(encoding="utf-8")) for path in sorted((root / "docs/results").glob("*.json"))]
    results = [result for result in results if isinstance(result, dict)]
    for line, words in prose:
        words = re.sub(r"`[^`]*`|\]\([^)]*\)", " ", words)
        for match in NUMBER.finditer(words):
            number, after = match.group().rstrip(","), re.sub(r"^[\s\]*]+", "", words[match.end():])
            if float(number.replace(",", "")) < SMALLEST_FIGURE or YEAR.fullmatch(number):
                continue
            title = next((title for title in FIGURES if after.startswith(title)), None)
            if not title or not any(shows(number, FIGURES[title](result)) for result in results):
                yield f"README.md:{line}: {number} {after[:20]}: no file in docs/results has this figure"


def main(root):
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=root, capture_output=True, text=True, check=False)
    names = listed.stdout.split() or [path.relative_to(root).as_posix() for path in (root / "docs").rglob("*.md")]
    documents = [root / name for name in names if (root / name).exists()]
    faults = [fault for path in documents for fault in faults_of(path, root)]
    faults += figure_faults(root)
    print("\n".join(faults) or f"{len(documents)} documents: all links and figures are right")
    return 1 if faults or not documents else 0


sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))

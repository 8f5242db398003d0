#!/usr/bin/env python3
"""Checks the documents: the targets of links exist (files and headings), and so do pictures and the source files that
are named in `code`.

usage: test_documents.py ROOT     the folder that has README.md and docs/
"""
import pathlib
import re
import subprocess
import sys
import urllib.parse

LINK = re.compile(r"(?<!\\)\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)\)")
SOURCE = re.compile(r"`((?:src|tests|scripts|assets|shaders)/[\w./-]+)`")
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def anchors(text):
    """Returns the anchors that GitHub creates for a document's headings."""
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


def main(root):
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=root, capture_output=True, text=True, check=False)
    names = listed.stdout.split() or [path.relative_to(root).as_posix() for path in (root / "docs").rglob("*.md")]
    documents = [root / name for name in names if (root / name).exists()]
    faults = [fault for path in documents for fault in faults_of(path, root)]
    print("\n".join(faults) or f"{len(documents)} documents: all links are right")
    return 1 if faults or not documents else 0


sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))

#!/usr/bin/env python3
"""Checks that meson.build, include/pliant.h, CITATION.cff and CHANGELOG.md have the same version.

usage: test_releases.py ROOT     the folder that has these files
"""
import pathlib
import re
import sys

HEADING = re.compile(r"^## (.*)$", re.MULTILINE)
RELEASE = re.compile(r"(\d+)\.(\d+)\.(\d+) - (\d{4}-\d{2}-\d{2})")


def found(root, name, pattern):
    """Returns the first group of a pattern's first match in a file. Without a match, returns a text that equals no
    version."""
    match = re.search(pattern, (root / name).read_text(encoding="utf-8"), re.MULTILINE)
    return match.group(1) if match else f"nothing that matches {pattern}"


def changelog_faults(headings):
    """Returns faults in the headings of CHANGELOG.md. They must be "Unreleased", and then releases with their dates,
    the newest one first."""
    if headings[:1] != ["Unreleased"]:
        return ["CHANGELOG.md: the first heading must be '## Unreleased'"]
    releases = [(heading, RELEASE.fullmatch(heading)) for heading in headings[1:]]
    faults = [f"CHANGELOG.md: '## {heading}' must be like '## 1.2.3 - 2026-01-31'"
              for heading, match in releases if not match]
    if faults or not releases:
        return faults or ["CHANGELOG.md: has no release"]
    versions = [tuple(map(int, match.groups()[:3])) for _, match in releases]
    dates = [match.group(4) for _, match in releases]
    if any(newer <= older for newer, older in zip(versions, versions[1:])):
        faults.append("CHANGELOG.md: versions must descend, the newest release first")
    if dates != sorted(dates, reverse=True):
        faults.append("CHANGELOG.md: dates must not ascend, the newest release first")
    return faults


def main(root):
    headings = HEADING.findall((root / "CHANGELOG.md").read_text(encoding="utf-8"))
    faults = changelog_faults(headings)
    if not faults:
        version, date = headings[1].split(" - ")
        parts = zip(("MAJOR", "MINOR", "PATCH"), version.split("."))
        macros = [("include/pliant.h", rf"^#define PLIANT_VERSION_{part} (\d+)", number) for part, number in parts]
        for name, pattern, expected in (*macros, ("meson.build", r"^  version: '([^']*)'", version),
                                        ("CITATION.cff", r"^version: (\S+)$", version),
                                        ("CITATION.cff", r"^date-released: (\S+)$", date)):
            value = found(root, name, pattern)
            if value != expected:
                faults.append(f"{name}: has {value}, but the newest release in CHANGELOG.md has {expected}")
    print("\n".join(faults) or f"release {headings[1]}: the files agree")
    return 1 if faults else 0


sys.exit(main(pathlib.Path(sys.argv[1])))

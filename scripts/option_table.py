"""Reads the table of commands and options that `pliant --help=table` prints."""
import dataclasses
import subprocess


@dataclasses.dataclass
class Option:
    flags: list
    value: str
    choices: list
    help: str
    group: str


@dataclasses.dataclass
class Command:
    name: str  # empty: the window
    takes: str
    summary: str
    usage: list
    options: list


def read(pliant):
    """Returns the commands, the window first, and the version of the program."""
    commands, version = [], subprocess.run([pliant, "--version"], capture_output=True, text=True, check=True).stdout
    table = subprocess.run([pliant, "--help=table"], capture_output=True, text=True, check=True).stdout
    for line in table.splitlines():
        kind, *rest = line.split("\t")
        if kind == "command":
            name = rest[0].removeprefix("pliant").strip()
            commands.append(Command(name, rest[1], rest[2], [], []))
            group = "options"
        elif kind == "usage":
            commands[-1].usage.append(rest[0])
        elif kind == "group":
            group = rest[0]
        elif kind == "option":
            flag, value, listed, words = rest
            flags = [flag, "-o"] if flag == "--output" else [flag]
            commands[-1].options.append(Option(flags, value, value.split("|") if listed else [], words, group))
    commands.sort(key=lambda command: command.name != "")
    return commands, version.split()[1]


def scene_groups(commands):
    """Returns the options of a scene: group -> flag -> option. Not every command accepts all of them."""
    groups = {}
    for command in commands:
        for option in command.options:
            if command.takes == "scene" and option.group != "options":
                groups.setdefault(option.group, {}).setdefault(option.flags[0], option)
    return groups

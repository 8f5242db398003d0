#!/usr/bin/env python3
"""Checks that comments, messages and documents are written in plain English. The rules (docs/reference/style.md):

- A block of text opens with a noun or a verb, and never with "what", "where", "whether", "of" or "the same".
- Words of a private dialect are rare. The table ODD gives a plain word for each.
- "what" and "where" are rare: they stand for a thing that has a name.
- A sentence has at most 30 words.

A block is a comment, a message, or a paragraph, list item or table cell of a document. A kind of text fails if it
exceeds one of its bounds, and the test then prints the blocks to rewrite.

usage: test_english.py ROOT     the folder that has src/, docs/ and README.md
"""
import ast
import dataclasses
import io
import pathlib
import re
import sys
import tokenize


@dataclasses.dataclass
class Figures:
    """Figures of a text, or bounds on them."""
    openings: float  # odd openings, % of blocks
    odd: float  # odd words per 1,000 words
    what: float  # per 1,000 words
    where: float  # per 1,000 words
    long: float  # long sentences, % of sentences


# A bound above the aim is the present figure, rounded up: lower it when the text improves, and never raise it.
AIM = Figures(openings=1, odd=10, what=2, where=2, long=3)
BOUNDS = {
    "comments": Figures(openings=2, odd=10, what=2, where=2, long=3),  # aim: openings 1
    "messages": Figures(openings=3.3, odd=18, what=4.3, where=3.7, long=3),  # aim: openings 1, odd 10, what 2, where 2
    "documents": Figures(openings=2.5, odd=24, what=4, where=3.4, long=3),  # aim: openings 1, odd 10, what 2, where 2
}
SENTENCE_WORDS = 30
SHOWN = 20  # places printed for a bound that is exceeded

OPENING = re.compile(r"(what|where|whether|of|the same|likewise|that of|those|such|nobody|whoever|whatever|wherever|"
                     r"alone|as it is|neither|besides?|how)\b", re.IGNORECASE)

# pattern -> plain words
ODD = {
    r"what|whatever": "the name of the thing",
    r"where|whose": "if, in which, the name of the thing",
    r"whoever|nobody": "the caller, no one",
    r"likewise|alone": "also, only",
    r"besides?": "next to, also",
    r"told|tells?|says?|said|hears?|heard": "reports, prints, receives",
    r"leads?|led": "is the default, causes",
    r"serves?": "is valid",
    r"stands?|stood|lies": "is stored, is defined",
    r"own": "diagonal, of its own module",
    r"share[sd]?": "fraction, step length",
    r"ways?": "motion, path, method",
    r"rooms?": "capacity",
    r"places?": "index, slot, position",
    r"behind": "after",
    r"meets?|met": "touches, evaluates",
    r"twins?": "the CPU version, the CUDA version",
    r"lets? go": "releases",
    r"looks?|looked": "tests, searches",
    r"goes? on": "continues",
    r"knows?": "stores",
    r"takes? the": "uses the",
    r"hangs? together": "is connected",
}
WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")
ODD_WORD = re.compile("|".join(rf"\b(?:{pattern})\b" for pattern in ODD), re.IGNORECASE)
NOT_WORDS = re.compile(r"`[^`]*`|https?://\S+|%[-+.0-9*]*[a-zA-Z]+|\\[nt]|<[^<>]*>")
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^)]*\)")

CODE = {".c", ".h", ".cu", ".cuh", ".cpp", ".hpp", ".def", ".glsl", ".vert", ".frag", ".comp"}
WITH_MESSAGES = {".c", ".h", ".cpp"}
FOLDERS = ("src", "include", "shaders", "tests", "scripts", "python", "examples", "docs")


# ---- blocks of a file: pairs (line, text)

def joined(rows):
    """Joins comments of consecutive lines, given as (line, text, whether it has the line to itself)."""
    blocks, last = [], None
    for line, text, alone in rows:
        if alone and last == line - 1:
            blocks[-1] = (blocks[-1][0], f"{blocks[-1][1]} {text}")
        else:
            blocks.append((line, text))
        last = line if alone else None
    return blocks


C_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|//[^\n]*|/\*.*?\*/', re.DOTALL)


def c_comments(text):
    rows = []
    for match in C_TOKEN.finditer(text):
        token = match.group()
        if token[0] == "/":
            line, start = text.count("\n", 0, match.start()) + 1, text.rfind("\n", 0, match.start()) + 1
            words = re.sub(r"^\s*(?://[/!<]*|/\*[*!]*|\*/|\*)|\*/$", "", token, flags=re.MULTILINE)
            rows.append((line, " ".join(words.split()), not text[start:match.start()].strip()))
    return joined(rows)


def c_messages(text):
    """String literals of four words and more. Neighbours, which the compiler joins, are one message."""
    found, last_end = [], None
    for match in C_TOKEN.finditer(text):
        if match.group()[0] != '"':
            continue
        if last_end is not None and re.fullmatch(r"\s*(?:PRI\w+\s*)?", text[last_end:match.start()]):
            found[-1][1] += match.group()[1:-1]
        else:
            found.append([text.count("\n", 0, match.start()) + 1, match.group()[1:-1]])
        last_end = match.end()
    return [(line, words) for line, words in found if len(re.findall(r"[A-Za-z]{2,}", words)) >= 4]


def hash_comments(text):
    """Comments of meson and shell."""
    rows = []
    for line, row in enumerate(text.splitlines(), 1):
        match = re.match(r"(\s*|[^'\"]*\s)#(?!!)\s?(.*)", row)
        if match:
            rows.append((line, match.group(2), not match.group(1).strip()))
    return joined(rows)


def python_comments(text):
    """Comments, and the documentation of modules, classes and functions."""
    rows = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith("#!"):
            rows.append((token.start[0], token.string.lstrip("# "), not token.line[:token.start[1]].strip()))
    blocks = joined(rows)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            parts = ast.get_docstring(node).split("\n\n")
            blocks += [(node.body[0].lineno, " ".join(part.split())) for part in parts]
    return blocks


def paragraphs(text):
    """Paragraphs, list items and table cells of a document, without code and headings."""
    parts, block, first, fenced = [], [], 0, False
    for line, row in enumerate([*text.splitlines(), ""], 1):
        words = row.strip()
        starts = re.match(r"(?:[-*>]|\d+\.)\s", words)
        ends = not words or starts or words[0] == "|" or re.match(r"#+\s|```", words)
        if block and ends:
            parts.append((first, " ".join(block)))
            block = []
        if words.startswith("```"):
            fenced = not fenced
        elif fenced or not words or re.match(r"#+\s", words):
            continue
        elif words[0] == "|":
            parts += [(line, cell.strip()) for cell in re.split(r"(?<!\\)\|", words) if cell.strip("-: ")]
        else:
            first = first if block else line
            block.append(words[starts.end():] if starts else words)
    return parts


def texts(root):
    """Yields (kind, path, blocks) of every file."""
    files = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*")) if path.is_file()]
    for path in [*files, *sorted(root.glob("*.md"))]:
        name = path.relative_to(root).as_posix()
        if "__pycache__" in name or name.startswith("tests/fuzz/corpus/"):
            continue
        is_script = not path.suffix and path.read_bytes()[:2] == b"#!"
        if not (path.suffix in CODE | {".md", ".py", ".sh"} or path.name == "meson.build" or is_script):
            continue
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".md":
            yield "documents", name, paragraphs(text)
        elif path.suffix in CODE:
            yield "comments", name, c_comments(text)
            if path.suffix in WITH_MESSAGES and name.startswith("src/"):
                yield "messages", name, c_messages(text)
        elif path.suffix == ".py" or (is_script and "python" in text.partition("\n")[0]):
            yield "comments", name, python_comments(text)
        else:
            yield "comments", name, hash_comments(text)


# ---- counting

class Count:
    """Counts of one kind of text, and the blocks that have each fault."""

    def __init__(self):
        self.blocks = self.words = self.sentences = 0
        # name of a fault -> blocks that have it, as (number of faults, words of the block, line to print)
        self.places = {field.name: [] for field in dataclasses.fields(Figures)}

    def add(self, place, text):
        clean = LINK.sub(r"\1", NOT_WORDS.sub(" ", text)).strip(" *_(")
        words = [word.lower() for word in WORD.findall(clean)]
        if len(words) < 3:
            return
        sentences = [part for part in re.split(r"(?<=[.;:!?])\s+", clean) if len(part.split()) > 2]
        self.blocks += 1
        self.words += len(words)
        self.sentences += len(sentences)
        faults = Figures(openings=bool(OPENING.match(clean)), odd=len(ODD_WORD.findall(clean)),
                         what=words.count("what"), where=words.count("where"),
                         long=sum(len(WORD.findall(part)) > SENTENCE_WORDS for part in sentences))
        for name, count in dataclasses.asdict(faults).items():
            if count:
                self.places[name].append((count, len(words), f"{place}: {clean[:100]}"))

    def figures(self):
        number = {name: sum(place[0] for place in places) for name, places in self.places.items()}
        factor = {"openings": 100 / max(self.blocks, 1), "long": 100 / max(self.sentences, 1)}
        return Figures(**{name: count * factor.get(name, 1000 / max(self.words, 1)) for name, count in number.items()})

    def worst(self, name):
        return [text for _, _, text in sorted(self.places[name], key=lambda place: -place[0] / (place[1] + 10))[:SHOWN]]


def faults_of(kind, count, bounds):
    found = dataclasses.asdict(count.figures())
    faults = []
    for name, bound in dataclasses.asdict(bounds).items():
        if found[name] > bound:
            faults.append(f"{kind}: {name} {found[name]:.2f}, expected at most {bound}; the worst places:")
            faults += [f"  {place}" for place in count.worst(name)]
            if name == "odd":
                faults += [f"  instead of {pattern}: {plain}" for pattern, plain in ODD.items()]
    return faults


def check_itself():
    """Tests that each bound catches a text that breaks its rule, and that plain sentences pass."""
    bad = c_comments("// What is told where nobody looks.\nint a;  // Of those, " + "and more " * 20 + "\n")
    count = Count()
    for line, text in bad:
        count.add(f"example:{line}", text)
    assert len(faults_of("example", count, AIM)) >= len(dataclasses.fields(Figures)), count.figures()
    good = c_messages('error_set(error, "%s: cannot be read, "\n "because it has no \\"header\\"", path); // what')
    assert len(good) == 1 and "because" in good[0][1], good
    count = Count()
    page = "# What?\n| a | Number of the nodes. |\n\n```\nwhat where\n```\nPlain words\nfollow here."
    for line, text in good + paragraphs(page):
        count.add(f"example:{line}", text)
    assert count.blocks == 3 and not faults_of("example", count, AIM), count.places


def main(root):
    check_itself()
    counts = {kind: Count() for kind in BOUNDS}
    for kind, name, blocks in texts(root):
        for line, text in blocks:
            counts[kind].add(f"{name}:{line}", text)
    faults = [fault for kind, count in counts.items() for fault in faults_of(kind, count, BOUNDS[kind])]
    for kind, count in counts.items():
        row = ", ".join(f"{name} {value:.2f} [{getattr(BOUNDS[kind], name)}]"
                        for name, value in dataclasses.asdict(count.figures()).items())
        print(f"{kind}: {count.blocks} blocks; {row}")
    print("\n".join(faults) or "all figures are within their [bounds]")
    return 1 if faults or not counts["comments"].blocks else 0


sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))

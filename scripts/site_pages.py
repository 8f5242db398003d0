"""Functions (hooks) that MkDocs calls while it builds the web site from docs/ (mkdocs.yml). They make the navigation with
one section per folder, add an index page to folders without one, and adapt links. The links must be adapted because the
pages are also read on GitHub: some links point to source files and folders, which do not exist on the web site.
"""
import pathlib
import posixpath
import re

from mkdocs.structure.files import File

SECTIONS = {"tutorials": "Tutorials", "how-to": "How-to", "reference": "Reference", "explanation": "Explanation",
            "log": "Log", "decisions": "Decisions", "papers": "Papers", "results": "Results"}
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
FENCE = re.compile(r"^\s*```")
STARTS = re.compile(r"^(?:[-*] |\d+\. |\|)")
GOES_ON = re.compile(r"^(?:\s|[-*] |\d+\. |\||#|$)")


def title_of(path):
    return re.match(r"# (.*)", path.read_text(encoding="utf-8")).group(1).replace("`", "")


def on_config(config):
    docs = pathlib.Path(config.docs_dir)
    config.nav = [{"Home": "index.md"}]
    for folder, title in SECTIONS.items():
        pages = sorted(page for page in (docs / folder).glob("*.md") if page.name != "README.md")
        index = [f"{folder}/README.md" if (docs / folder / "README.md").exists() else f"{folder}/index.md"]
        config.nav.append({title: index + [{title_of(page): f"{folder}/{page.name}"} for page in pages]})
    return config


def on_files(files, config):
    docs = pathlib.Path(config.docs_dir)
    for folder, title in SECTIONS.items():
        if not (docs / folder / "README.md").exists():
            pages = sorted((docs / folder).glob("*.md"))
            text = f"# {title}\n\n" + "".join(f"- [{title_of(page)}]({page.name})\n" for page in pages)
            files.append(File.generated(config, f"{folder}/index.md", content=text))
    return files


def adapted(link, page, config):
    """Returns the link as it must be on the site. A link to a folder becomes a link to the index page of this folder. A
    link to a file outside docs/ becomes a link to this file in the repository."""
    picture, text, target = link.groups()
    if picture or re.match(r"[a-z]+:|#", target):
        return link.group(0)
    file, mark, anchor = target.partition("#")
    inside = posixpath.normpath(posixpath.join(posixpath.dirname(page.file.src_uri), file))
    path = pathlib.Path(config.docs_dir) / inside
    if inside.startswith("../"):
        outside = posixpath.normpath(posixpath.join("docs", inside))
        return f"[{text}]({config.repo_url.rstrip('/')}/blob/main/{outside})" if config.repo_url else text
    if path.is_dir():
        index = "README.md" if (path / "README.md").exists() else "index.md"
        return f"[{text}]({file.rstrip('/')}/{index}{mark}{anchor})"
    return link.group(0)


def on_page_markdown(markdown, page, config, files):
    """Adapts the links of a page. Adds empty lines before lists and tables, which Python-Markdown needs."""
    lines, code, before = [], False, ""
    for line in markdown.split("\n"):
        if FENCE.match(line):
            code = not code
        elif not code:
            if STARTS.match(line) and not GOES_ON.match(before):
                lines.append("")
            line = LINK.sub(lambda link: adapted(link, page, config), line)
        lines.append(line)
        before = line
    return "\n".join(lines)

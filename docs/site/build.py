#!/usr/bin/python3
"""Builds the manual as a site: README.md, docs/, the pages of experiments/, and the references of C++ and Python.

Usage: docs/site/build.py [FOLDER] [--undocumented]      (default folder: build/site; experiments/setup.sh --docs installs the tools)

The pages are Markdown that reads well as it is. For the site three things change: formulas (```math, TeX) become MathML, which
browsers show without scripts or fonts; code blocks that follow each other under bold labels become tabs; the kind after the
language of a block goes. A warning of mkdocs or doxygen, a formula that does not parse or a link to nowhere is an error.
--undocumented lists the C++ names without a comment instead.
"""
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def pages():
    """The Markdown pages of the site."""
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "experiments/README.md"]
    for pattern in ("docs/*.md", "docs/examples/*.md", "experiments/*/README.md"):
        found += sorted(ROOT.glob(pattern))
    return found


def mathml(formulas):
    """The MathML of each TeX formula."""
    environment = {**os.environ, "NODE_PATH": os.environ.get("NODE_PATH", "/usr/share/nodejs:/usr/lib/nodejs")}
    done = subprocess.run(["node", HERE / "mathml.js"], input=json.dumps(formulas), text=True, capture_output=True, env=environment)
    if done.returncode:
        sys.exit(f"formulas: {done.stderr}")
    return dict(zip(formulas, json.loads(done.stdout)))


def blocks(text):
    """Splits a page into pieces (kind, lines): None, or the info string of a fenced block, whose fences are left out."""
    pieces, kind, lines = [], None, []
    for line in text.splitlines():
        if line.startswith("```"):
            pieces.append((kind, lines))
            kind, lines = line[3:] if kind is None else None, []
        else:
            lines.append(line)
    pieces.append((kind, lines))
    return pieces


def fenced(kind, lines, formulas):
    """The block as the site's Markdown has it."""
    language, _, rest = kind.partition(" ")
    if language == "math":
        return ['<div class="math">', *formulas["\n".join(lines)].splitlines(), "</div>"]
    title = f' title="{rest}"' if language == "json" and rest else ""
    return [f"```{language}{title}", *lines, "```"]


def for_site(text, formulas):
    """The text of a page, for the site; formulas: their MathML."""
    out, tab, in_tabs = [], None, False
    for kind, lines in blocks(text):
        if kind is not None:
            block = fenced(kind, lines, formulas)
            out += [f'=== "{tab}"', "", *("    " + line for line in block)] if tab else block
            in_tabs, tab = bool(tab), None
            continue
        # A bold label alone before a block names a tab.
        last = [i for i, line in enumerate(lines) if line]
        if last and re.fullmatch(r"\*\*[^*]+\*\*", lines[last[-1]]):
            tab = lines[last[-1]].strip("*")
            lines = lines[: last[-1]]
        out += [""] + lines if in_tabs and not any(lines) else lines
        in_tabs = False
    return "\n".join(out) + "\n"


def stage(folder):
    """The pages and the files that they link to, as they lie in the repository."""
    texts = {page: page.read_text(encoding="utf-8") for page in pages()}
    formulas = mathml(["\n".join(lines) for text in texts.values() for kind, lines in blocks(text) if kind == "math"])
    for page, text in texts.items():
        target = folder / page.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(for_site(text, formulas), encoding="utf-8")
        for link in LINK.findall(text):
            file = (page.parent / urllib.parse.unquote(link)).resolve()
            if file.is_file() and file.suffix != ".md" and ROOT in file.parents:
                copy = folder / file.relative_to(ROOT)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, copy)
    shutil.copy(HERE / "site.css", folder)


def doxygen(folder, undocumented=False):
    """The C++ reference in FOLDER/cpp; returns the warnings."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "warnings"
    settings = (HERE / "Doxyfile").read_text() + f"""
INPUT = {ROOT}/include/alacarte {HERE}/reference.dox
STRIP_FROM_PATH = {ROOT}/include
OUTPUT_DIRECTORY = {folder}
HTML_OUTPUT = cpp
WARN_LOGFILE = {log}
WARN_IF_UNDOCUMENTED = {"YES" if undocumented else "NO"}
"""
    subprocess.run(["doxygen", "-"], input=settings, text=True, check=True, cwd=HERE)
    warnings = log.read_text().replace(f"{ROOT}/", "")
    log.unlink()
    return warnings


REFERENCE = """# API reference

- [C++](cpp/index.html): the headers of the library, by Doxygen. [library](../library.md) is the page to read first.
- [Python](python.md): the package's estimators, from their docstrings. [Python](../python.md) is the page to read first.
- Command line: `alacarte --help` and `alacarte COMMAND --help`. `alacarte check --schema` prints every key of a recipe, and
  `alacarte kernels show NAME` describes a model.
"""


def reference(folder):
    """The page of the references, and the references."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "README.md").write_text(REFERENCE)
    warnings = doxygen(folder)
    if warnings:
        sys.exit(f"doxygen:\n{warnings}")
    with open(folder / "python.md", "w", encoding="utf-8") as out:
        subprocess.run([sys.executable, HERE / "python_reference.py"], stdout=out, check=True)


class Links(html.parser.HTMLParser):
    """Collects the links and the anchors of an HTML page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = set(), {""}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.add(value)
            elif name in ("id", "name"):
                self.anchors.add(value)


def dead_links(site):
    """Links of the manual's pages to files or headings that the site does not have, and to other hosts' scripts or styles."""
    parsed = {file: Links(file.read_text(encoding="utf-8")) for file in site.rglob("*.html") if "reference/cpp" not in str(file)}
    for file, page in sorted(parsed.items()):
        for link in sorted(page.links):
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc or file.name == "404.html":
                continue
            target = (file.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else file
            if not target.is_file():
                yield f"{file.relative_to(site)}: {link}: there is no such page"
            elif target in parsed and urllib.parse.unquote(parts.fragment) not in parsed[target].anchors:
                yield f"{file.relative_to(site)}: {link}: there is no such heading"


def main():
    """Builds the site, or lists what has no comment."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["--undocumented"]:
        with tempfile.TemporaryDirectory() as folder:
            print(doxygen(Path(folder), undocumented=True), end="")
        return
    site = Path(arguments[0] if arguments else ROOT / "build/site").resolve()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder)
        stage(source / "pages")
        reference(source / "pages/docs/reference")
        shutil.copy(HERE / "mkdocs.yml", source)
        command = ["mkdocs", "build", "--strict", "--site-dir", site]
        done = subprocess.run(command, cwd=source, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode:
            sys.exit("\n".join(line for line in done.stdout.splitlines() if re.search("WARNING|ERROR|Aborted|Error", line)))
    dead = list(dead_links(site))
    if dead:
        sys.exit("\n".join(dead))
    print(f"{site}/index.html")


if __name__ == "__main__":
    main()

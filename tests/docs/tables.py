#!/usr/bin/env python3
"""Whether every table of README.md and experiments/*/README.md prints what is stored, every CSV file of results has a line in
experiments/provenance.csv, and the commits named in any of these and in the JSON files of results are in this repository.

The line above a table says where its figures are from:
    <!-- printed by: ./table.py paper -->   a command, run in the folder of the README, that prints this table from stored results
    <!-- not stored -->                     its results are in no file here; the README says so to its reader, and
                                            experiments/README.md lists the folder
    <!-- no figures -->                     words alone

Usage: tables.py [ROOT] [--write]     --write replaces each printed table by what its command prints
"""
import csv
import fnmatch
import pathlib
import re
import shutil
import subprocess
import sys

SOURCE = re.compile(r"<!-- (printed by: (?P<command>.+)|not stored|no figures) -->$")
LIST = "## Tables whose results are not stored"
PUBLISHED = {"paper.csv", "dkl.csv"}  # figures of others
STORED_COMMIT = re.compile(r'"commit": ?"([0-9a-f]{7,40})\+?"')
COMMIT = re.compile(r"\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,12}\b")


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def tables(lines):
    """(first, last + 1) of every table outside code blocks."""
    found, first, fenced = [], None, False
    for at, line in enumerate(lines + [""]):
        fenced ^= line.startswith("```")
        inside = line.startswith("|") and not fenced
        if inside and first is None:
            first = at
        if not inside and first is not None:
            found.append((first, at))
            first = None
    return found


def printed(command, folder):
    """The lines of the table that a command prints, and what went wrong."""
    done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True)
    table = [line for line in done.stdout.splitlines() if line.startswith("|")]
    if done.returncode != 0:
        return table, f"{command}: exit code {done.returncode}: {done.stderr.strip()}"
    return table, "" if table else f"{command}: prints no table"


def has_history(root):
    if not shutil.which("git"):
        return False
    asked = subprocess.run(["git", "-C", root, "rev-parse", "--is-shallow-repository"], capture_output=True, text=True)
    return asked.stdout.strip() == "false"


def is_commit(name, root):
    return subprocess.run(["git", "-C", root, "merge-base", "--is-ancestor", name, "HEAD"], capture_output=True).returncode == 0


def stored_files(folder, ending):
    """Names in the folder, of what git has where it has any: reports that a reader made there are nobody's concern."""
    listed = subprocess.run(["git", "-C", folder, "ls-files"], capture_output=True, text=True) if shutil.which("git") else None
    if listed and listed.stdout:
        return [name for name in listed.stdout.splitlines() if name.endswith(ending) and (folder / name).exists()]
    return sorted(str(found.relative_to(folder)) for found in folder.glob("**/*" + ending) if "node_modules" not in str(found))


def faults_of_provenance(folder):
    """Of provenance.csv: lines without a file, files without a line; and the commits that it names."""
    path = folder / "provenance.csv"
    with open(path) as file:
        lines = list(csv.DictReader(file))
    files = stored_files(folder, ".csv")
    faults = [f"experiments/{path.name}: {name} has no line" for name in files
              if name.rpartition("/")[2] not in PUBLISHED | {path.name} and not any(fnmatch.fnmatch(name, line["file"]) for line in lines)]
    for line in lines:
        if not fnmatch.filter(files, line["file"]) and not (folder / line["file"]).exists():
            faults.append(f"experiments/{path.name}: there is no {line['file']}")
        if not all(line[key] for key in ("date", "commit", "machine", "command")):
            faults.append(f"experiments/{path.name}: {line['file']}: something is not said")
    return faults, {(path.name, line["commit"]) for line in lines}


def stored_commits(folder):
    """(file, commit) of the JSON files of results."""
    return {(name, commit) for name in stored_files(folder, ".json") for commit in STORED_COMMIT.findall((folder / name).read_text())}


class Page:
    def __init__(self, path, root):
        self.path, self.name = path, str(path.relative_to(root))
        self.lines = path.read_text().splitlines()
        self.faults, self.unstored, self.compared = [], False, 0

    def complain(self, at, what):
        self.faults.append(f"{self.name}:{at + 1}: {what}")

    def compare(self, first, last, table):
        self.compared += 1
        for at, expected in zip(range(first, last), table):
            for shown, stored in zip(cells(self.lines[at]), cells(expected)):
                if shown != stored:
                    self.complain(at, f"'{shown}' is here, and '{stored}' is stored")
            if len(cells(self.lines[at])) != len(cells(expected)):
                self.complain(at, f"the row has other columns than '{expected}'")
        if last - first != len(table):
            self.complain(first, f"{last - first} lines are here, and {len(table)} are printed")

    def check_commits(self, root):
        for at, line in enumerate(self.lines):
            for name in COMMIT.findall(line):
                if not is_commit(name, root):
                    self.complain(at, f"there is no commit {name} in this repository")

    def check(self, write):
        for first, last in reversed(tables(self.lines)):  # so that a replaced table moves no other
            match = SOURCE.match(self.lines[first - 1])
            if not match:
                self.complain(first, "nothing says where this table is from")
            elif match["command"]:
                table, fault = printed(match["command"], self.path.parent)
                if fault:
                    self.complain(first, fault)
                elif write:
                    self.lines[first:last] = table
                else:
                    self.compare(first, last, table)
            self.unstored |= bool(match) and match[1] == "not stored"
        text = " ".join(line for line in self.lines if not SOURCE.match(line))
        if self.unstored and "not stored" not in text:
            self.complain(0, "a table is marked as not stored, and no sentence says so")
        if write:
            self.path.write_text("\n".join(self.lines) + "\n")


def main():
    arguments = [a for a in sys.argv[1:] if a != "--write"]
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).resolve().parents[2])
    overview = (root / "experiments/README.md").read_text()
    listed = set(re.findall(r"\]\(([a-z0-9.-]+)/README\.md\)", overview.partition(LIST)[2]))
    faults, compared, known = [], 0, has_history(root)
    for path in [root / "README.md", *sorted(root.glob("experiments/*/README.md"))]:
        page = Page(path, root)
        page.check("--write" in sys.argv)
        if known:
            page.check_commits(root)
        faults += sorted(page.faults)
        compared += page.compared
        if page.unstored != (path.parent != root and path.parent.name in listed):
            faults.append(f"experiments/README.md: {path.parent.name} is {'not ' * page.unstored}listed under '{LIST}'")
    missing, named = faults_of_provenance(root / "experiments")
    faults += missing
    if known:
        faults += [f"experiments/{name}: there is no commit {commit} in this repository"
                   for name, commit in sorted(named | stored_commits(root / "experiments")) if not is_commit(commit, root)]
    print("\n".join(faults) if faults else f"{compared} tables print what is stored")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Checks that the files and symbols which comments and pages name exist.

Comments of C++ and CMake files, and the text of Markdown pages outside code blocks, are searched for
    files      words such as `name.hpp` or `docs/name.md`: a file of the repository must end with that path
    symbols    CamelCase words with two humps, `name()` calls and `Class::member`: each part must occur in code outside comments
               and so must snake_case words and constants, if only in a string
On pages only words in backticks are symbols. Words in capitals stand for any name (`models/NAME.json`), and x_bar and x_dot are derivatives
of any x. Names that are not the repository's are in names_allowed.txt beside this script, each with its reason.

Usage: names.py [ROOT] [--beginnings]
    --beginnings  checks instead that no comment of a C++ file begins with a word such as "What" or "Of", which no sentence does that
                  says something of its own, and that limits are named kMax.. and kMin..
"""
import pathlib
import re
import shutil
import subprocess
import sys

OTHERS = {"std", "Eigen", "fmt", "nlohmann", "boost", "testing"}  # their members are not looked for
HERE = pathlib.Path(__file__).resolve().parent
COMMENTED = ("src/", "include/", "tests/", "python/src/", "benchmarks/", "cmake/", "experiments/")
LIKE_CPP = {".cpp", ".hpp"}
FILE = re.compile(r"(?<![\w./*{}<>$%-])(?:[\w.*{},-]+/)*[\w*{},-]+\.(?:hpp|cpp|md|json|py|sh|cmake)(?![\w-]|\.\w|/)")
CAMEL = re.compile(r"(?<![\w:./-])[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+(?![\w-]|\.\w)")
CALL = re.compile(r"(?<![\w./-])((?:\w+(?:::|\.|->))*[a-z]\w*)\(\)|(?<![\w./:-])([a-z]{3,}(?:_[a-z]{3,})+)\(")
SCOPED = re.compile(r"(?<![\w./-])(\w+(?:::~?\w+)+)")
SNAKE = re.compile(r"(?<![\w./:<$-])(?:[a-z][a-z0-9]{2,}(?:_[a-z0-9]{3,})+_?|k[A-Z][a-z]\w+)(?![\w/(*<-]|\.\w|:\w)")
WORD = re.compile(r"[A-Za-z_]\w*")
BEGINNING = re.compile(r"(?:What|Of|Whether|As|The same|That|To|By)\b")
LIMIT = re.compile(r"\bk(?:Most|Least|Biggest|Telling)(?![a-z])\w*")
BACKTICKS = re.compile(r"`([^`]+)`")


def tracked(root):
    """The files of the repository, or of the folder where it is none."""
    if (root / ".git").exists() and shutil.which("git"):
        listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True).stdout
        if listed:
            return [name for name in listed.splitlines() if (root / name).is_file()]
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())


CPP_PIECE = re.compile(r'R"(\w*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*(?:.|\n)*?\*/')


def split_cpp(text):
    """The code without comments and strings, and a list of (line, comment)."""
    comments, code, last = [], [], 0
    for match in CPP_PIECE.finditer(text):
        code.append(text[last : match.start()])
        last = match.end()
        if match[0].startswith(("//", "/*")):
            first = text.count("\n", 0, match.start()) + 1
            comments += [(first + k, line) for k, line in enumerate(match[0].split("\n"))]
    code.append(text[last:])
    return "".join(code), comments


def strings_of_cpp(text):
    return " ".join(match[0] for match in CPP_PIECE.finditer(text) if not match[0].startswith(("//", "/*")))


def split_hashes(text):
    """The same for languages whose comments begin with #."""
    code, comments = [], []
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r"""((?:[^"'#]|"[^"]*"|'[^']*')*)(#.*)?""", line)
        comment = match[2] or ""
        code.append(line[: len(line) - len(comment)])
        if comment and not comment.startswith("#!"):
            comments.append((number, comment))
    return "\n".join(code), comments


def prose_of(page):
    """(line, text) of a page outside code blocks."""
    fenced = False
    for number, line in enumerate(page.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, line


class Names:
    def __init__(self, root):
        self.root, self.files = root, tracked(root)
        self.code, self.strings, self.paths, self.comments, self.pages = set(), set(), set(), [], []
        for name in self.files:
            suffix = pathlib.Path(name).suffix
            if suffix in LIKE_CPP | {".cmake", ".py", ".sh", ".in"} or name.endswith(("CMakeLists.txt", "CMakePresets.json")):
                text = (root / name).read_text(encoding="utf-8", errors="replace")
                if suffix == ".py":
                    text = re.sub(r'"""(?:.|\n)*?"""', "", text)
                code, comments = (split_cpp if suffix in LIKE_CPP else split_hashes)(text)
                if suffix in {".py", ".sh"}:
                    comments = []
                self.code |= set(WORD.findall(code))
                self.strings |= set(WORD.findall(strings_of_cpp(text) if suffix in LIKE_CPP else code))
                if name.startswith(COMMENTED) or name == "CMakeLists.txt":
                    self.comments += [(name, line, comment) for line, comment in comments]
            elif suffix == ".json" and name.startswith("configs/"):
                self.strings |= set(WORD.findall((root / name).read_text(encoding="utf-8")))
            elif suffix == ".md":
                self.pages.append(name)
                written = re.findall(r"^```\w+ ([\w.-]+)$", (root / name).read_text(encoding="utf-8"), re.MULTILINE)
                self.paths |= {"/" + file for file in written}
        self.paths |= {"/" + name for name in self.files}
        self.code |= {pathlib.Path(name).stem for name in self.files}
        allowed = HERE / "names_allowed.txt"
        lines = allowed.read_text().splitlines() if allowed.exists() else []
        self.allowed = {word for line in lines for word in line.partition("#")[0].split()}
        self.used = set()
        self.prefixes = tuple(word for word in self.strings if word.endswith("_") and len(word) > 4)

    def is_file(self, word):
        if word in self.allowed:
            self.used.add(word)
            return True
        if re.match(r"[A-Z]+/", word):
            return True
        path = re.sub(r"^(\.\.?/)+", "", word)
        path = re.sub(r"(?<![A-Z])(?!README)[A-Z]{2,}(?![A-Z])", "*", path)
        if not re.search(r"[*{},]", path):
            return any(known.endswith("/" + path) for known in self.paths)
        pattern = re.escape(path).replace(r"\*", "[^/]*").replace(r"\{", "(?:").replace(r"\}", ")").replace(",", "|")
        return any(re.search("/" + pattern + "$", known) for known in self.paths)

    def is_known(self, part, in_strings):
        if part in self.code or part.endswith("s") and part[:-1] in self.code:
            return True
        if in_strings and (part in self.strings or part.startswith(self.prefixes) or part.endswith(("_bar", "_dot"))):
            return True
        if part in self.allowed:
            self.used.add(part)
        return part in self.allowed

    def is_symbol(self, word):
        parts = WORD.findall(word)
        return parts[0] in OTHERS or all(self.is_known(part, bool(SNAKE.fullmatch(word))) for part in parts)

    def faults_in(self, text, symbols):
        faults = [f"there is no file {word}" for word in FILE.findall(text) if not self.is_file(word)]
        for piece in symbols:
            piece = FILE.sub(" ", piece)
            words = SCOPED.findall(piece) + [a or b for a, b in CALL.findall(piece)] + CAMEL.findall(piece) + SNAKE.findall(piece)
            faults += [f"there is no {word} in the code" for word in dict.fromkeys(words) if not self.is_symbol(word)]
        return faults

    def faults(self):
        for name, line, comment in self.comments:
            comment = re.sub(r"https?://\S+", "", comment)
            for fault in self.faults_in(comment, [comment]):
                yield f"{name}:{line}: {fault}"
        for name in self.pages:
            for line, text in prose_of((self.root / name).read_text(encoding="utf-8")):
                text = re.sub(r"https?://\S+", "", text)
                for fault in self.faults_in(text, BACKTICKS.findall(text)):
                    yield f"{name}:{line}: {fault}"


def faults_of_beginnings(root):
    """Comments that begin with one of these words, and limits of other names."""
    for name in tracked(root):
        if not name.startswith(COMMENTED) or pathlib.Path(name).suffix not in LIKE_CPP:
            continue
        before = ""
        for number, line in enumerate((root / name).read_text(encoding="utf-8").splitlines(), 1):
            alone = re.match(r"\s*//[/!]?(?!<)\s*(.*)", line)
            behind = re.search(r"\S.*///<\s*(.*)", line)
            if alone and not before.lstrip().startswith("//") and BEGINNING.match(alone[1]):
                yield f"{name}:{number}: the comment begins with '{BEGINNING.match(alone[1])[0]}'"
            behind = behind and BEGINNING.match(behind[1][:1].upper() + behind[1][1:])
            if behind:
                yield f"{name}:{number}: the comment begins with '{behind[0].lower()}'"
            for limit in LIMIT.findall(line):
                yield f"{name}:{number}: {limit} is kMax.. or kMin.."
            before = line


def main():
    arguments = [word for word in sys.argv[1:] if word != "--beginnings"]
    root = pathlib.Path(arguments[0] if arguments else HERE.parents[1]).resolve()
    if "--beginnings" in sys.argv:
        faults = list(faults_of_beginnings(root))
        print("\n".join(faults) if faults else "comments begin as sentences do")
        sys.exit(bool(faults))
    names = Names(root)
    faults = list(dict.fromkeys(names.faults()))
    if len(sys.argv) == 1:
        faults += [f"names_allowed.txt: {word} is not needed" for word in sorted(names.allowed - names.used)]
    print("\n".join(faults) if faults else f"{len(names.comments)} lines of comments and {len(names.pages)} pages name what exists")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()

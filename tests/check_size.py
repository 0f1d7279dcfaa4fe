#!/usr/bin/env python3
"""Fails where a function has more than 80 lines, a class more than 300, a file more than 400, or where src and include together have
more than MAX_ALL.

Looks at the C++ files of src, include and python/src. Braces are counted, after comments, strings and preprocessor lines are taken out;
lambdas and local classes belong to the function around them.
Usage: tests/check_size.py [ROOT] [--list]      --list prints the largest functions, classes and files instead
"""
import pathlib
import re
import sys

MAX_FUNCTION, MAX_CLASS, MAX_FILE, MAX_ALL = 80, 300, 400, 72_000
PIECE = re.compile(r'R"(\w*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*(?:.|\n)*?\*/|^[ \t]*#(?:\\\n|[^\n])*',
                   re.MULTILINE)
TYPE = re.compile(r"(?:^|[\s>;])(class|struct|union)\s+(?:\w+\s+)*?([\w:]+)(?:<[^{}]*>)?\s*(?:final\s*)?(?::[^:].*)?$", re.DOTALL)
SCOPE = re.compile(r"\b(?:namespace|extern)\b[^()=]*$")
NAME = re.compile(r"((?:[\w:~]|operator\s*\S{1,3}|<[^<>()]*>(?=\())+)\s*\(")


def blank(text):
    """The text with comments, strings and preprocessor lines taken out and all line ends kept."""
    return PIECE.sub(lambda match: '""' * match[0].startswith(('"', "'", "R")) + "\n" * match[0].count("\n"), text)


def blocks(text):
    """(kind, name, first line, last line) of the functions and classes of a file; kind "" at the end if braces do not balance."""
    line, head, head_line, stack = 1, "", 1, []
    for piece in re.split(r"([{};\n])", blank(text)):
        if piece == "\n":
            line += 1
        if piece == "{":
            inside = any(kind in ("function", "other") for kind, _, _ in stack)
            type_ = TYPE.search(head)
            if inside:
                stack.append(("other", "", line))
            elif SCOPE.search(head):
                stack.append(("scope", "", line))
            elif type_ and "(" not in head[: type_.start()]:
                stack.append(("class", type_[2], head_line))
            elif "(" in head:
                name = NAME.search(head)
                stack.append(("function", name[1] if name else head.split("(")[0].split()[-1], head_line))
            else:
                stack.append(("other", "", line))
        elif piece == "}":
            if not stack:
                yield "", "", line, line
                return
            kind, name, first = stack.pop()
            if kind in ("function", "class"):
                yield kind, name, first, line
        if piece in "{};" and piece:
            head = ""
        elif piece == "\n":
            head += " "
        else:
            if not head.strip() and piece.strip():
                head_line = line
            head += piece
    if stack:
        yield "", "", line, line


def main():
    arguments = [word for word in sys.argv[1:] if word != "--list"]
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).resolve().parents[1])
    sizes, faults, lines = [], [], 0
    for path in sorted(path for folder in ("src", "include", "python/src") for path in (root / folder).rglob("*.[ch]pp")):
        name, text = str(path.relative_to(root)), path.read_text(encoding="utf-8")
        count = text.count("\n")
        lines += 0 if name.startswith("python/") else count
        sizes.append((count, MAX_FILE, "file", "", name, 1))
        for kind, block, first, last in blocks(text):
            if kind:
                sizes.append((last - first + 1, MAX_FUNCTION if kind == "function" else MAX_CLASS, kind, block, name, first))
            else:
                faults.append(f"{name}:{last}: the braces do not balance")
    if "--list" in sys.argv:
        for size, most, kind, block, name, first in sorted(sizes, key=lambda own: -own[0] / own[1])[:60]:
            print(f"{name}:{first}: {kind} {block}: {size} lines, at most {most}")
        print(f"src and include: {lines} lines, at most {MAX_ALL}")
        return
    faults += [f"{name}:{first}: the {kind} {block}".rstrip() + f" has {size} lines; at most {most}"
               for size, most, kind, block, name, first in sizes if size > most]
    if lines > MAX_ALL:
        faults.append(f"src and include have {lines} lines; at most {MAX_ALL}")
    print("\n".join(faults), file=sys.stderr, end="\n" if faults else "")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()

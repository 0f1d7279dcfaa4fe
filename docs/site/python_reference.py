#!/usr/bin/python3
"""Writes the reference of the Python package as Markdown, from its docstrings (numpydoc).

Usage: docs/site/python_reference.py >PAGE.md
The compiled module need not be there: nothing of it is called. Needs numpy and scikit-learn.
"""
import importlib
import inspect
import re
import sys
import types
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SECTIONS = ("Parameters", "Returns", "Attributes", "Raises", "Yields", "Notes", "Examples")


class Compiled(types.ModuleType):
    """Stands for the compiled module: any name is a class."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return "" if name == "version" else type(name, (Exception,), {})


def inline(text):
    """reStructuredText's marks as Markdown's."""
    text = re.sub(r":(?:func|class|meth|mod):`([^`]+)`", r"`\1`", text)
    return text.replace("``", "`")


def sections(doc):
    """The docstring as (heading, lines), the text before the first heading as ("", lines)."""
    found, lines = [("", [])], inspect.cleandoc(doc or "").splitlines()
    for i, line in enumerate(lines):
        if i + 1 < len(lines) and line in SECTIONS and re.fullmatch("-+", lines[i + 1]):
            found.append((line, []))
        elif not (re.fullmatch("-{3,}", line) and i and lines[i - 1] in SECTIONS):
            found[-1][1].append(line)
    return found


def items(lines):
    """The entries of a section as a list: name, type and what is said of it."""
    out = []
    for line in lines:
        if line and not line.startswith(" "):
            name, _, kind = line.partition(" : ")
            out.append(f"- `{name}`" + (f" (*{inline(kind)}*)" if kind else ""))
        elif line.strip():
            if not out[-1].startswith("  "):
                out[-1] += ":"
            out.append(f"  {inline(line.strip())}")
    return out


def body(doc):
    """A docstring as Markdown."""
    out = []
    for heading, lines in sections(doc):
        if heading:
            out += ["", f"*{heading}*", ""]
        if heading == "Examples":
            out += ["```python", *(line for line in lines if line), "```"]
        elif heading in ("", "Notes"):
            out += [inline(line) for line in lines]
        else:
            out += items(lines)
    return out


def signature(thing):
    """The signature without types, which the docstring has."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return "(..)"
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in found.parameters.values() if p.name != "self"]
    return str(found.replace(parameters=plain, return_annotation=inspect.Signature.empty))


def methods(kind):
    """Public methods and properties that the package itself documents."""
    for name in sorted(set(dir(kind))):
        member = inspect.getattr_static(kind, name)
        function = member.fget if isinstance(member, property) else getattr(member, "fn", member)
        ours = (getattr(function, "__module__", None) or "").startswith("alacarte")
        if not name.startswith("_") and ours and inspect.getdoc(function):
            yield name, function, isinstance(member, property)


def is_error(thing):
    """Whether it is an exception or a warning; these come last."""
    return inspect.isclass(thing) and issubclass(thing, Exception)


def described(name, thing):
    """One public name."""
    out = ["", f"## {name}", ""]
    if not is_error(thing):
        out += ["```python", f"{name}{signature(thing)}", "```", ""]
    out += body(thing.__doc__)
    if inspect.isclass(thing) and not is_error(thing):
        for method, function, is_property in methods(thing):
            out += ["", f"### {name}.{method}", ""]
            if not is_property:
                out += ["```python", f"{method}{signature(function)}", "```", ""]
            out += body(function.__doc__)
    return out


def main():
    """Prints the page; a public name without a docstring is an error."""
    sys.path.insert(0, str(ROOT / "python"))
    sys.modules["alacarte._alacarte"] = Compiled("alacarte._alacarte")
    package = importlib.import_module("alacarte")
    out = ["# Python reference", "", *body(package.__doc__)]
    things = {name: getattr(package, name) for name in package.__all__ if not name.startswith("_")}
    for name, thing in sorted(things.items(), key=lambda entry: (is_error(entry[1]), entry[0].lower())):
        if not (thing.__doc__ or "").strip():
            sys.exit(f"alacarte.{name}: no docstring")
        out += described(name, thing)
    print("\n".join(out))


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()

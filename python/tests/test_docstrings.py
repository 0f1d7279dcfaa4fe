"""Every public name has types and a docstring in numpydoc's form, whose parameters are those of the signature."""

import inspect
import re
from pathlib import Path

import pytest

import alacarte

PUBLIC = [getattr(alacarte, name) for name in alacarte.__all__ if not name.startswith("_")]
CLASSES = [thing for thing in PUBLIC if inspect.isclass(thing) and not issubclass(thing, Exception)]


def members(kind):
    """Public methods and properties of the package's own, as (name, function, whether it is a property)."""
    for name in sorted(set(dir(kind))):
        member = inspect.getattr_static(kind, name)
        is_property = isinstance(member, property)
        function = member.fget if is_property else getattr(member, "fn", member)
        if not name.startswith("_") and (getattr(function, "__module__", None) or "").startswith("alacarte"):
            yield f"{kind.__name__}.{name}", function, is_property


FUNCTIONS = [(thing.__name__, thing, False) for thing in PUBLIC if inspect.isfunction(thing)]
FUNCTIONS += [member for kind in CLASSES for member in members(kind)]


def section(docstring, name):
    """The entries of a section: the words before the colon."""
    found = re.search(rf"^{name}\n-+\n(.*?)(?=^\w+\n-+\n|\Z)", inspect.cleandoc(docstring), re.M | re.S)
    entries = re.findall(r"^(\S.*)$", found[1], re.M) if found else []
    return [one.strip() for entry in entries for one in entry.split(" : ")[0].split(",")]


def parameters(function):
    return [p for p in inspect.signature(function).parameters.values() if p.name != "self"]


def test_all_is_found():
    names = {name for name, _, _ in FUNCTIONS}
    assert {"load", "recipes", "GPRegressor.predict", "GPClassifier.predict_proba", "GPCountRegressor.relevance_"} <= names
    assert {kind.__name__ for kind in CLASSES} == {"GPRegressor", "GPClassifier", "GPCountRegressor", "FeatureMap"}


@pytest.mark.parametrize("name,function,is_property", FUNCTIONS)
def test_functions(name, function, is_property):
    doc = function.__doc__
    assert doc and re.match(r"\S.*[.;:?]", doc), "a docstring begins with a sentence"
    hints = inspect.get_annotations(function)
    assert "return" in hints
    if is_property:
        return
    assert section(doc, "Parameters") == [p.name for p in parameters(function)]
    assert {p.name for p in parameters(function)} <= set(hints)
    assert bool(section(doc, "Returns")) == (hints["return"] != "None")


@pytest.mark.parametrize("kind", CLASSES)
def test_classes(kind):
    assert section(kind.__doc__, "Parameters") == [p.name for p in parameters(kind.__init__)]
    assert {p.name for p in parameters(kind.__init__)} <= set(inspect.get_annotations(kind.__init__))
    properties = {name.partition(".")[2] for name, _, is_property in members(kind) if is_property}
    assert properties - {"input_names_"} <= set(section(kind.__doc__, "Attributes"))


def test_exceptions():
    for thing in PUBLIC:
        if inspect.isclass(thing) and issubclass(thing, Exception):
            assert thing.__doc__ and thing.__module__ == "alacarte"


def test_types_are_for_users():
    assert (Path(alacarte.__file__).parent / "py.typed").is_file()

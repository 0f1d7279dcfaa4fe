"""Recipes by name, path or dict."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, List, Mapping, Union

import numpy as np

from ._errors import ConfigError, IoError

RecipeSource = Union[str, "os.PathLike[str]", Mapping[str, Any]]

# Keys for columns of a file; here the columns are those of X and y.
_FILE_KEYS = ("target", "inputs", "ignore", "key", "weights", "noise_sd", "exposure", "group", "time", "header", "separator", "decimal", "missing_words", "dates")


def _folders() -> List[Path]:
    given = os.environ.get("ALACARTE_CONFIG_DIR")
    own = Path(__file__).parent / "recipes"
    return [Path(given) / "recipes", own] if given else [own]


def recipes() -> List[str]:
    """Names of the recipes that come with the package.

    Returns
    -------
    names : list of str
        Each is a value of the parameter ``recipe`` of the estimators.
    """
    names = set()
    for folder in _folders():
        names.update(str(path.relative_to(folder).with_suffix("")) for path in folder.rglob("*.json"))
    return sorted(names)


def _find(name: str) -> Path:
    if Path(name).is_file():
        return Path(name)
    for folder in _folders():
        path = folder / (name + ".json")
        if path.is_file():
            return path
    raise IoError(f"{name}: there is no such file, and no recipe of that name; the recipes are {', '.join(recipes())}")


def _plain(value: Any) -> Any:
    """A scalar or array of numpy as Python has it."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is no value of JSON")


def read_recipe(recipe: RecipeSource) -> dict:
    """The document of a recipe, not checked beyond its being JSON, or a dict that can be."""
    if isinstance(recipe, Mapping):
        try:
            return json.loads(json.dumps(dict(recipe), allow_nan=False, default=_plain))
        except (TypeError, ValueError) as error:
            raise ConfigError(f"recipe: is no JSON document: {error}") from None
    if not isinstance(recipe, (str, os.PathLike)):
        raise ConfigError(f"recipe: must be a name, a path or a dict, not {type(recipe).__name__}")
    path = _find(os.fspath(recipe))
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise IoError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise ConfigError(f"{path}: {error}") from None
    if not isinstance(document, dict):
        raise ConfigError(f"{path}: a recipe is an object")
    return document


def complete(document: dict, columns: Mapping[str, Any], seconds: float | None) -> str:
    """The recipe's text with the estimator's parameters in it; columns: its data section, but for words on text."""
    data = document.get("data", {})
    if not isinstance(data, dict):
        raise ConfigError("/data: must be an object")
    for key in _FILE_KEYS:
        if data.get(key) not in (None, "", [], "auto"):
            raise ConfigError(f"/data/{key}: is of files; here the columns are those of X and y")
    for key in ("strict", "missing", "unseen", "categorical"):
        if data.get(key) not in (None, "", [], "auto", False, columns.get(key)):
            raise ConfigError(f"/data/{key}: is a parameter of the estimator, which has another value")
    document = dict(document)
    document["data"] = {**({"text": data["text"]} if "text" in data else {}), **columns}
    if seconds is not None:
        training = document.get("training", {})
        if not isinstance(training, dict):
            raise ConfigError("/training: must be an object")
        document["training"] = {**training, "seconds": seconds}
    return json.dumps(document, allow_nan=False)

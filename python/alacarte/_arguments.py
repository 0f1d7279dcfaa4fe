"""Arguments that are numbers, and the words for those that are not."""

from __future__ import annotations

import numbers
import os
from typing import Any

from ._errors import ConfigError

_MOST = 2**31 - 1


def is_number(value: Any) -> bool:
    """Whether value is one real number, of Python or numpy; truth values and arrays are none."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def is_whole(value: Any) -> bool:
    """Whether value is one whole number, of Python or numpy."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def whole_number(value: Any, name: str, least: int, most: int = _MOST) -> int:
    """Value, if it is a whole number of that range."""
    if is_whole(value) and least <= value <= most:
        return int(value)
    known = f"from {least} up" if most == _MOST else f"from {least} to {most}"
    beyond = "; this is beyond 2**31" if most == _MOST and is_whole(value) and value > most else ""
    raise ConfigError(f"{name}: must be a whole number {known}{beyond}")


def path_text(path: Any) -> str:
    """The path as text; TypeError, which names the argument, for what is none."""
    try:
        return os.fsdecode(path)
    except TypeError:
        raise TypeError(f"path: must be text or a path, not {type(path).__name__}") from None

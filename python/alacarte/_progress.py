"""What the parameter ``progress`` may be."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Optional

from ._errors import ConfigError


@contextmanager
def progress_function(progress: Any) -> Iterator[Optional[Callable[[dict], Any]]]:
    """The function to call with each record of a training, or None; a bar lives as long as the context."""
    if progress is None or progress is False:
        yield None
    elif progress is not True:
        if not callable(progress):
            raise ConfigError("progress: must be None, a function, or True for a bar of tqdm")
        yield progress
    else:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            warnings.warn("progress=True shows nothing: tqdm is not installed", stacklevel=5)
            yield None
            return
        with tqdm(total=100, bar_format="{desc} {percentage:3.0f}%|{bar}| {elapsed}<{postfix}") as bar:
            yield _Bar(bar)
            bar.update(100 - bar.n)


class _Bar:
    """Shows the share of the training's time that has passed; it never goes back."""

    def __init__(self, bar: Any):
        self.bar = bar

    def __call__(self, record: dict) -> None:
        left = record["seconds_left"]
        self.bar.set_description_str(f"{record['fit']}, {record['stage']}", refresh=False)
        if left is not None:
            self.bar.set_postfix_str(self.bar.format_interval(left), refresh=False)
            share = 100 * record["seconds"] / max(record["seconds"] + left, 1e-9)
            self.bar.update(max(0.0, min(share, 99.0) - self.bar.n))
        self.bar.refresh()

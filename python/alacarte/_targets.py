"""Targets with gaps: rows without a value are left out of trainings."""

from __future__ import annotations

from typing import Any, Tuple

import numpy as np
from sklearn.utils import column_or_1d

from ._alacarte import read_numbers
from ._errors import DataError
from ._frames import cell_text, is_gap
from ._tables import naming, numeric_target


def _target_cells(y: Any) -> np.ndarray:
    """y as one column of numpy: NaN for gaps of numbers, None for those of objects."""
    if hasattr(y, "to_numpy") and not hasattr(y, "iloc"):  # a column of polars or Arrow
        y = y.to_numpy()
    with naming("y"):
        values = column_or_1d(y, warn=True)
    if values.dtype.kind != "O":
        return values
    return np.array([None if is_gap(value) else value for value in values], dtype=object)


def _refuse_no_value(missing: np.ndarray) -> None:
    if missing.all():
        raise DataError("y: no row has a value: each is NaN, or missing")


def target_with_gaps(y: Any, estimator: Any) -> np.ndarray:
    """y as doubles, NaN where a row has none; also of text, with the signs that numbers have in files."""
    values = _target_cells(y)
    if values.dtype.kind == "U" or values.dtype == object and any(isinstance(value, str) for value in values):
        values = read_numbers("y", [cell_text(value) for value in values])
    elif values.dtype == object:
        missing = np.array([value is None for value in values], dtype=bool)
        filled = numeric_target(np.where(missing, 0, values), estimator)
        values = np.where(missing, np.nan, filled)
    if values.dtype.kind != "f" or not np.isnan(values).any():
        return numeric_target(values, estimator)
    missing = np.isnan(values)
    _refuse_no_value(missing)
    values = numeric_target(np.where(missing, 0.0, values), estimator)
    values[missing] = np.nan
    return values


def labels_with_gaps(y: Any) -> Tuple[np.ndarray, np.ndarray]:
    """Labels of the rows that have one, and which rows these are."""
    values = _target_cells(y)
    missing = np.zeros(len(values), dtype=bool)
    if values.dtype.kind == "f":
        missing = np.isnan(values)
    elif values.dtype == object:
        missing = np.array([value is None for value in values], dtype=bool)
    if not missing.any():
        return values, ~missing
    _refuse_no_value(missing)
    values = values[~missing]
    return np.array(values.tolist()) if values.dtype == object else values, ~missing

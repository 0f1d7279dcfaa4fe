"""Frames of pandas, polars and Arrow, and arrays of objects, as columns of numbers and text."""

from __future__ import annotations

import datetime
import decimal
import numbers
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from ._errors import DataError

_GAPS = ("NoneType", "NAType", "NaTType")  # types whose values are gaps
_NUMBERS = (numbers.Real, np.bool_, decimal.Decimal)
_DAY = np.timedelta64(1, "D")
# Types that are no cells of a table, even if they have a text.
_NO_CELLS = (bytes, bytearray, complex, np.complexfloating, dict, list, tuple, set, frozenset, np.ndarray)


def is_frame(X: Any) -> bool:
    """Whether X is a pandas frame; pandas itself is not needed."""
    return hasattr(X, "iloc") and hasattr(X, "dtypes") and hasattr(X, "columns")


def is_unicode(text: str) -> bool:
    """Whether the text can be written as UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def is_gap(value: Any) -> bool:
    """Whether the value stands for a missing cell."""
    if value is None or type(value).__name__ in _GAPS:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return False


def cell_text(value: Any) -> str:
    """A category as a CSV file would have it; "" is a missing one."""
    if value is None or type(value).__name__ in _GAPS or value != value:
        return ""
    if isinstance(value, (float, np.floating)) and float(value).is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def column_texts(values: Sequence[Any], column: int) -> List[str]:
    """The texts of a column of objects."""
    try:
        texts = [value if type(value) is str else cell_text(value) for value in values]
        "".join(texts).encode("utf-8")
        return texts
    except (ValueError, TypeError):
        pass
    for row, value in enumerate(values):
        try:
            if is_unicode(cell_text(value)):
                continue
        except (ValueError, TypeError):
            pass
        raise DataError(f"X: row {row + 1}, column {column + 1}: is no category")
    raise DataError(f"X: column {column + 1}: is no category")


def date_texts(values: np.ndarray) -> List[str]:
    """Dates of numpy as text, no finer than they are; "" for a missing one."""
    missing = np.isnat(values)
    known = values[~missing]
    unit = next((unit for unit in ("D", "s") if (known.astype(f"M8[{unit}]") == known).all()), None)
    texts = np.datetime_as_string(values if unit is None else values.astype(f"M8[{unit}]")).astype(object)
    texts[missing] = ""
    return texts.tolist()


def float_of(value: Any) -> float:
    """A cell as a double, NaN for a gap."""
    return np.nan if type(value).__name__ in _GAPS else float(value)


class Column:
    """One column: an array of numpy whose type tells what it holds, and whether its type says that it is a category."""

    def __init__(self, values: np.ndarray, is_category: bool = False, is_string: bool = False):
        self.values = values
        self.is_category = is_category
        self.is_text = is_category or is_string or _holds_text(values)
        self.is_plain = not is_category and values.dtype.kind in "iuf"

    def floats(self, place: int, name: str) -> np.ndarray:
        """The column as doubles; raises a DataError if it is not of numbers."""
        kind = self.values.dtype.kind
        if kind in "Mm":
            raise DataError(f"X: column {place + 1}: '{name}' holds times; make numbers of them")
        if kind == "c":
            raise DataError(f"X: column {place + 1}: '{name}': Complex data not supported")
        try:
            return self.values.astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            pass
        numbers = np.empty(len(self.values))
        for row, value in enumerate(self.values):
            try:
                numbers[row] = float_of(value)
            except (TypeError, ValueError, OverflowError):
                text = str(value)[:40]
                raise DataError(f"X: row {row + 1}, column {place + 1}: '{name}' is no number: {text!r}") from None
        return numbers

    def texts(self, place: int) -> List[str]:
        """The column as the texts of a category."""
        return date_texts(self.values) if self.values.dtype.kind == "M" else column_texts(self.values.tolist(), place)

    def cells(self, place: int, name: str) -> Tuple[Optional[np.ndarray], Optional[List[str]]]:
        """Numbers or else texts, of which the schema decides what they are."""
        kind = self.values.dtype.kind
        if self.is_text:
            return None, column_texts(self.values.tolist(), place)
        if kind == "M":
            return None, date_texts(self.values)
        if kind == "b":  # flags, as True and False of a file are
            return None, np.where(self.values, "True", "False").tolist()
        if kind == "m":
            return self.values / _DAY, None
        if kind != "O":
            return self.floats(place, name), None
        types = {type(value) for value in self.values}
        types = {one for one in types if one.__name__ not in _GAPS}
        if types and all(issubclass(one, (bool, np.bool_)) for one in types):
            return None, column_texts(self.values.tolist(), place)
        if all(issubclass(one, _NUMBERS) for one in types):
            return self.floats(place, name), None
        if all(issubclass(one, (datetime.timedelta, np.timedelta64)) for one in types):
            days = [np.nan if is_gap(value) else np.timedelta64(value) / _DAY for value in self.values]
            return np.array(days), None
        if any(issubclass(one, _NO_CELLS) for one in types):
            row = next(row for row, value in enumerate(self.values) if isinstance(value, _NO_CELLS))
            text = str(self.values[row])[:40]
            raise DataError(f"X: row {row + 1}, column {place + 1}: '{name}' is no number: {text!r}")
        return None, column_texts(self.values.tolist(), place)


def _holds_text(values: np.ndarray) -> bool:
    if values.dtype.kind in "US":
        return values.dtype.kind == "U"
    return values.dtype == object and any(isinstance(value, str) for value in values)


def _pandas_column(column: Any) -> Column:
    kind = column.dtype
    if isinstance(kind, np.dtype):
        return Column(column.to_numpy())
    name = str(getattr(kind, "name", kind))
    if name == "category":
        return Column(np.asarray(column, dtype=object), is_category=True)
    if name.startswith("dictionary"):
        return Column(column.to_numpy(dtype=object), is_category=True)
    if name.startswith("period"):
        return Column(column.dt.to_timestamp().to_numpy())
    if name.startswith("datetime64"):
        return Column(column.dt.tz_convert(None).to_numpy())
    if getattr(kind, "kind", "O") in "iuf":
        try:
            return Column(column.to_numpy(dtype=np.float64, na_value=np.nan))
        except (TypeError, ValueError):  # of some versions of pandas, for columns of Arrow
            pass
    is_string = name.startswith(("string", "large_string", "str"))
    return Column(column.to_numpy(dtype=object), is_string=is_string)


def _arrow_column(column: Any) -> Column:
    value_type = getattr(column.type, "value_type", None)
    if str(column.type).startswith("dictionary") and value_type is not None:
        return Column(_plain(column.cast(value_type)), is_category=True)
    return Column(_plain(column))


def _plain(column: Any) -> np.ndarray:
    try:
        return column.to_numpy(zero_copy_only=False)
    except TypeError:  # a column of several chunks has no such argument
        return column.to_numpy()


def _polars_column(column: Any) -> Column:
    return Column(column.to_numpy(), is_category=str(column.dtype).startswith(("Categorical", "Enum")))


class Frame:
    """A table whose columns have types of their own, converted one at a time."""

    def __init__(self, labels: Sequence[Any], columns: Sequence[Any], convert: Any, rows: int):
        self.names = _names(list(labels))
        self.shape = (rows, len(columns))
        self._columns = columns
        self._convert = convert
        self._made: dict = {}

    def column(self, place: int) -> Column:
        """Convert a column, once."""
        if place not in self._made:
            self._made[place] = self._convert(self._columns[place])
        return self._made[place]

    def of(self, places: List[int]) -> "Frame":
        """Those columns alone, in that order."""
        chosen = Frame([], [self._columns[place] for place in places], self._convert, self.shape[0])
        chosen.names = [self.name(place) for place in places]
        return chosen

    def is_plain(self) -> bool:
        """Whether this is a frame of pandas, all columns of which are numbers of numpy: an array, but for the names."""
        return self._convert is _pandas_column and all(self.column(place).is_plain for place in range(self.shape[1]))

    def name(self, place: int) -> str:
        """Its name, or its position."""
        return self.names[place] if self.names else str(place)


def _names(labels: List[Any]) -> Optional[List[str]]:
    """Names of columns if any is text, otherwise columns go by their positions; a repeated one gets a number."""
    if not any(isinstance(label, str) for label in labels):
        return None
    names: List[str] = []
    taken = {str(label) for label in labels}
    seen = set()
    for place, label in enumerate(labels):
        name = str(label)
        if not is_unicode(name):
            raise DataError(f"X: column {place + 1}: the name is no Unicode text")
        number = 0
        while name in seen or (number > 0 and name in taken):
            number += 1
            name = f"{label}.{number}"
        seen.add(name)
        names.append(name)
    return names


def require_different(labels: List[Any]) -> None:
    """Raises a DataError for a name that two columns have."""
    for place, label in enumerate(labels):
        if label in labels[:place]:
            raise DataError(f"X: column {place + 1}: the name '{label}' is used twice")


def _arrow_table(X: Any) -> Any:
    """The table that an object of another library hands over by the C data interface of Arrow, or None."""
    if not hasattr(X, "__arrow_c_stream__"):
        return None
    try:
        import pyarrow
    except ImportError:
        return None
    try:
        return pyarrow.table(X)
    except (TypeError, ValueError, pyarrow.ArrowException):
        return None


def frame_of(X: Any) -> Optional[Frame]:
    """X as a frame, if it is one of pandas, polars, Arrow, or hands itself over as an Arrow stream."""
    if is_frame(X):
        columns = [X.iloc[:, place] for place in range(X.shape[1])]
        return Frame(list(X.columns), columns, _pandas_column, len(X))
    library = type(X).__module__.partition(".")[0]
    if library == "polars" and hasattr(X, "collect"):
        X = X.collect()
    if library == "polars" and hasattr(X, "get_columns"):
        return Frame(X.columns, X.get_columns(), _polars_column, X.height)
    table = X if library == "pyarrow" and hasattr(X, "column_names") else _arrow_table(X)
    if table is None:
        return None
    names = getattr(table, "column_names", None) or table.schema.names
    columns = [table.column(place) for place in range(table.num_columns)]
    return Frame(names, columns, _arrow_column, table.num_rows)


def array_frame(X: Any) -> Optional[Frame]:
    """An array or lists with cells of text, dates or gaps of pandas as a frame without names; None for other X."""
    array = X if isinstance(X, np.ndarray) else None
    if array is None and isinstance(X, (list, tuple)):
        try:
            array = None if np.asarray(X).dtype.kind in "biuf" else np.array(X, dtype=object)
        except (TypeError, ValueError, OverflowError):  # ragged
            return None
    if array is None or array.ndim != 2 or array.dtype.kind not in "OUMm":
        return None
    if array.dtype.kind == "O" and not any(_needs_schema(value) for value in array.flat):
        return None
    return Frame(range(array.shape[1]), list(array.T), Column, array.shape[0])


def _needs_schema(value: Any) -> bool:
    is_time = isinstance(value, (datetime.date, datetime.timedelta, np.datetime64, np.timedelta64))
    return isinstance(value, str) or is_time or type(value).__name__ in ("NAType", "NaTType")

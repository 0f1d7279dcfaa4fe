"""What users hand in, as the columns of numbers and text that the library's schema takes."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np
from scipy import sparse
from sklearn.utils.validation import _check_sample_weight, _check_y, check_array

from ._alacarte import Csr, Table
from ._errors import ConfigError, DataError
from ._frames import Column, Frame, is_unicode


def named_columns(X: Any, frame: Optional[Frame], categorical: Any) -> Optional[List[int]]:
    """Positions of the columns that the parameter `categorical` names; None for "auto"."""
    if isinstance(categorical, str):
        if categorical != "auto":
            raise ConfigError("categorical: must be 'auto' or a list of columns")
        return None
    if not hasattr(categorical, "__len__"):
        raise ConfigError("categorical: must be 'auto' or a list of columns")
    if len(categorical) == 0:
        return []
    if sparse.issparse(X):
        raise ConfigError("categorical: a sparse X has none")
    shape = np.shape(X) if frame is None else frame.shape
    if len(shape) != 2:
        raise DataError("X: a table of rows and columns is needed")
    width = shape[1]
    names = [] if frame is None else frame.names or [str(label) for label in getattr(X, "columns", [])]
    places = []
    for one in categorical:
        place = names.index(one) if isinstance(one, str) and one in names else one
        if isinstance(place, (bool, str)) or not isinstance(place, (int, np.integer)) or not -width <= place < width:
            raise ConfigError(f"categorical: X has no column {one!r}")
        places.append(int(place) % width)
    if len(set(places)) < len(places):
        raise ConfigError("categorical: a column is named twice")
    return sorted(places)


def categories_of(X: Any, frame: Optional[Frame], categorical: Any, strict: bool) -> List[int]:
    """Positions of the columns that hold categories, whatever their cells are.

    Those that `categorical` names. Of a frame also those of categorical types, and in place of these, where strict: those
    of "auto", which are all with text.
    """
    places = named_columns(X, frame, categorical)
    if frame is None or (strict and places is not None):
        return places or []
    columns = [frame.column(c) for c in range(frame.shape[1])]
    return sorted({*(places or []), *(c for c, own in enumerate(columns) if (own.is_text if strict else own.is_category))})


def require_finite(X: np.ndarray, names: Optional[Sequence[str]], allow_nan: bool) -> bool:
    """Raises a DataError for the first cell that is NaN (unless allowed) or infinite; returns whether there is a NaN."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(np.sum(X)):
            return False
    bad = np.isinf(X) if allow_nan else ~np.isfinite(X)
    if not bad.any():
        return bool(allow_nan and np.isnan(X).any())
    row, column = np.argwhere(bad)[0]
    what = "NaN" if np.isnan(X[row, column]) else "infinite (inf), or beyond the range of a double"
    named = f" ('{names[column]}')" if names is not None else ""
    advice = "; missing='mean' would fill it with the mean" if what == "NaN" else ""
    raise DataError(f"X: row {row + 1}, column {column + 1}{named} is {what}{advice}")


def _is_number_cell(cell: Any, finite: bool) -> bool:
    try:
        return cell is None and not finite or np.isfinite(float(cell)) or not finite
    except (TypeError, ValueError, OverflowError):
        return False


def _place_of_bad_cell(values: Any, finite: bool) -> str:
    """Where the first cell is that is no number, in words with a blank behind; "" where none is or it has no place."""
    if values is None or sparse.issparse(values):
        return ""
    try:
        cells = np.asarray(values)
        cells = cells if cells.dtype.kind == "f" else np.asarray(values, dtype=object)
    except (TypeError, ValueError, OverflowError):
        return ""
    if finite and cells.ndim == 2 and cells.shape[1] == 1:
        cells = cells[:, 0]
    if cells.ndim not in (1, 2) or finite and cells.ndim != 1:
        return ""
    if cells.dtype.kind == "f":
        bad = np.argwhere(~np.isfinite(cells))[:1].tolist() if finite else []
    else:
        bad = [list(place) for place, cell in np.ndenumerate(cells) if not _is_number_cell(cell, finite)][:1]
    if not bad:
        return ""
    column = f", column {bad[0][1] + 1}" if cells.ndim == 2 else ""
    return f"row {bad[0][0] + 1}{column}: "


@contextmanager
def naming(argument: str, values: Any = None, finite: bool = False) -> Iterator[None]:
    """Errors of scikit-learn and numpy as one line that names the argument; a TypeError stays one.

    With values, also row and column of the first of them that is no number, or with finite of one column no finite one.
    """
    try:
        yield
    except (ConfigError, DataError):
        raise
    except (TypeError, ValueError, OverflowError) as error:
        # numpy prints whole arrays after a line end.
        text = " ".join(str(error).split("\n[")[0].split())
        kind = TypeError if isinstance(error, TypeError) else DataError
        place = _place_of_bad_cell(values, finite)
        raise kind(f"{argument}: {place}{text}" if place or argument not in text.split() else text) from None


def numeric_target(y: Any, estimator: Any) -> np.ndarray:
    """y as finite doubles."""
    try:
        with naming("y", y, finite=True):
            return _check_y(y, y_numeric=True, estimator=estimator).astype(np.float64)
    except AttributeError:  # raised by scikit-learn for pandas' NA
        raise DataError(f"y: {_place_of_bad_cell(y, finite=True)}holds a missing value") from None


def canonical_rows(X: Any, estimator: Any) -> Any:
    """Sparse X as CSR rows of finite doubles whose columns ascend, none twice; a copy only where it is not so."""
    with naming("X"):
        if hasattr(X, "check_format"):
            X.check_format(full_check=True)  # indices beyond the array would be misread otherwise
        if X.dtype.kind == "c":
            raise DataError("X: Complex data not supported")
        X = check_array(X, accept_sparse="csr", dtype=np.float64, force_all_finite=False, estimator=estimator)
        # Shares the arrays, without the order flags cached in the caller's object.
        X = sparse.csr_matrix((X.data, X.indices, X.indptr), X.shape)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    bad = ~np.isfinite(X.data)
    if bad.any():
        entry = int(np.argmax(bad))
        row = int(np.searchsorted(X.indptr, entry, side="right"))
        raise DataError(f"X: row {row}, column {X.indices[entry] + 1} is not finite, and X is sparse")
    return X


def row_weights(weights: Any, rows: int) -> Optional[np.ndarray]:
    """Weights of rows as doubles, none of them negative; None where all are 1."""
    if weights is None:
        return None
    with naming("sample_weight", weights, finite=True):
        values = _check_sample_weight(weights, np.empty((rows, 1)), dtype=np.float64)
    if (values < 0).any():
        raise DataError(f"sample_weight: row {int(np.argmax(values < 0)) + 1}: is negative")
    if not (values > 0).any():
        raise DataError("sample_weight: no row has a weight above 0")
    return None if (values == 1).all() else values


def positive_of_rows(name: str, values: Any, rows: int) -> Optional[np.ndarray]:
    """Known noise or exposures of rows as doubles, all above 0; None where there are none."""
    if values is None:
        return None
    with naming(name, values, finite=True):
        values = _check_sample_weight(values, np.empty((rows, 1)), dtype=np.float64)
    if not (values > 0).all():
        raise DataError(f"{name}: row {int(np.argmin(values > 0)) + 1}: is not above 0")
    return values


def _one_each(values: Any, rows: int, name: str) -> np.ndarray:
    array = np.asarray(values)
    if array.ndim != 1 or len(array) != rows:
        raise DataError(f"{name}: has the shape {array.shape}, and X has {rows} rows")
    return array


def row_groups(groups: Any, rows: int) -> Optional[List[int]]:
    """Numbers of the groups of rows, in order of appearance; rows without one are a group together."""
    if groups is None:
        return None
    codes: Dict[Any, int] = {}
    values = _one_each(groups, rows, "groups").tolist()
    # What is missing differs from itself, or has no truth value.
    keys = [None if value is None or _is_missing(value) else value for value in values]
    return [codes.setdefault(key, len(codes)) for key in keys]


def _is_missing(value: Any) -> bool:
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return True


def row_times(times: Any, rows: int) -> Optional[np.ndarray]:
    """Times of rows as doubles: numbers, or dates in days since 1970."""
    if times is None:
        return None
    if getattr(getattr(times, "dtype", None), "tz", None) is not None:
        times = times.dt.tz_convert(None) if hasattr(times, "dt") else times.tz_convert(None)
    array = _one_each(times, rows, "time")
    try:
        if array.dtype.kind == "m":
            array = array / np.timedelta64(1, "D")
        if array.dtype.kind not in "biufM":
            try:
                array = array.astype(np.float64)
            except (TypeError, ValueError):
                array = array.astype("datetime64[ns]")
    except (TypeError, ValueError):
        raise DataError("time: holds values that are neither numbers nor dates") from None
    missing = np.isnat(array) if array.dtype.kind == "M" else ~np.isfinite(array.astype(np.float64))
    if missing.any():
        raise DataError(f"time: row {int(np.argmax(missing)) + 1}: is missing; a row without a time has no place")
    if array.dtype.kind == "M":
        return (array.astype("datetime64[ns]") - np.datetime64(0, "ns")) / np.timedelta64(1, "D")
    return array.astype(np.float64)


def _objects(X: Any) -> Frame:
    """Rows of any cells as a frame without names."""
    with naming("X"):
        X = np.asarray(X, dtype=object)
    if X.ndim != 2:
        raise DataError("X: a table of rows and columns is needed")
    return Frame(range(X.shape[1]), list(X.T), Column, X.shape[0])


class Columns:
    """X as numbers and text.

    Attributes
    ----------
    numbers : ndarray of shape (n_rows, n_columns)
        Zero in columns of text.
    text : dict of int to list of str
    names : list of str or None
    sparse : csr_matrix or None
        In place of numbers, which has then one column of zeros.
    has_nan : bool
        Whether a number is NaN.
    holds_text : bool
        Whether kinds of columns are those of a file of text rather than of an array.
    """

    def __init__(self, X: Any, frame: Optional[Frame], categorical: List[int], allow_nan: bool, estimator: Any, strict: bool):
        self.names = None if frame is None else frame.names
        self.text: Dict[int, List[str]] = {}
        self.sparse = canonical_rows(X, estimator) if sparse.issparse(X) else None
        self.holds_text = not strict and frame is not None
        if self.sparse is not None:
            self.numbers = np.zeros((self.sparse.shape[0], 1))
        elif frame is not None and (categorical or not frame.is_plain()):
            self._take(frame, categorical, strict)
        elif categorical:
            self._take(_objects(X), categorical, strict)
        else:
            if getattr(getattr(X, "dtype", None), "kind", "") in ("M", "m"):
                raise DataError("X: holds times; make numbers of them")
            with naming("X", X):
                self.numbers = check_array(X, dtype=np.float64, force_all_finite=False, estimator=estimator)
        self.has_nan = require_finite(self.numbers, self.names, allow_nan)
        self.groups: Optional[List[int]] = None
        self.times: Optional[np.ndarray] = None
        self.exposure: Optional[np.ndarray] = None

    def split_by(self, groups: Any, times: Any) -> None:
        """Give tables with targets the columns by which fit splits rows."""
        if groups is not None and times is not None:
            raise ConfigError("time: rows are split by group or by time, not by both")
        self.groups = row_groups(groups, self.shape[0])
        self.times = row_times(times, self.shape[0])

    def _take(self, frame: Frame, categorical: List[int], strict: bool) -> None:
        self.numbers = np.zeros(frame.shape, order="F")
        for c in range(frame.shape[1]):
            column = frame.column(c)
            if c in categorical:
                self.text[c] = column.texts(c)
                continue
            numbers, text = (column.floats(c, frame.name(c)), None) if strict else column.cells(c, frame.name(c))
            if text is not None:
                self.text[c] = text
            else:
                self.numbers[:, c] = numbers

    @property
    def is_plain(self) -> bool:
        return not self.text

    @property
    def shape(self) -> tuple:
        return self.numbers.shape if self.sparse is None else self.sparse.shape

    def csr(self) -> Optional[Csr]:
        """The sparse rows for the library, which copies indices that are not of 64 bits."""
        if self.sparse is None:
            return None
        return Csr(self.shape[1], self.sparse.indptr, self.sparse.indices, self.sparse.data)

    def _columns(self) -> List[str]:
        return self.names or [str(c) for c in range(self.numbers.shape[1])]

    def table(self) -> Table:
        """The inputs alone."""
        return Table("X", self._columns(), self.names is not None, self.numbers, self.text, None, self.holds_text)

    def inputs(self, places: List[int], names: Optional[List[str]]) -> Table:
        """Those columns alone; names: of the model's inputs that they are, or None if it has none."""
        text = {new: self.text[old] for new, old in enumerate(places) if old in self.text}
        numbers = self.numbers if places == list(range(self.numbers.shape[1])) else self.numbers[:, places]
        columns = names or [str(c) for c in range(len(places))]
        return Table("X", columns, names is not None, numbers, text, None, self.holds_text)

    @property
    def weights_name(self) -> str:
        """Of the column that with_target() gives the weights of rows."""
        columns = self._columns()
        name = "weight" if self.names is not None else str(len(columns) + (self.exposure is not None))
        while name in columns:
            name += "_"
        return name

    @property
    def exposure_name(self) -> str:
        """Of the column of the exposures of counts, which stands before that of the weights."""
        columns = self._columns()
        name = "exposure" if self.names is not None else str(len(columns))
        while name in columns:
            name += "_"
        return name

    def with_target(self, y: Any, name: str, weights: Optional[np.ndarray] = None) -> Table:
        """The inputs, weights of rows if there are any, and as the last column numbers or a list of texts."""
        return self._with([y], [name], weights)[0]

    def with_targets(self, targets: List[Any], names: List[str], weights: Optional[np.ndarray]) -> Tuple[list, list]:
        """For each target a table that has them all, and their columns; of sparse rows each has its own, without names."""
        if self.sparse is not None:
            return [self.with_target(y, name, weights) for y, name in zip(targets, names)], []
        table, columns = self._with(targets, names, weights)
        return [table] * len(targets), columns

    def _with(self, targets: List[Any], names: List[str], weights: Optional[np.ndarray]) -> Tuple[Table, list]:
        rows = len(self.numbers)
        for y in targets:
            if len(y) != rows:
                raise DataError(f"y: has {len(y)} values, and X has {rows} rows")
        columns, more, text = list(self._columns()), [], dict(self.text)
        if self.exposure is not None:
            columns.append(self.exposure_name)
            more.append(self.exposure)
        if weights is not None:
            columns.append(self.weights_name)
            more.append(weights)
        for y, name in zip(targets, names):
            name = str(len(columns)) if self.names is None else name if is_unicode(name) else "y"
            while name in columns:
                name += "_"
            if isinstance(y, list):
                text[len(columns)] = y
            columns.append(name)
            more.append(np.zeros(rows) if isinstance(y, list) else y)
        table = np.empty((rows, len(columns)), order="F")
        table[:, : -len(more)] = self.numbers
        for place, column in enumerate(more, -len(more)):
            table[:, place] = column
        made = Table("X", columns, self.names is not None, table, text, self.csr(), self.holds_text)
        if self.groups is not None:
            made.set_groups(self.groups)
        if self.times is not None:
            made.set_times(self.times)
        return made, columns[-len(targets) :]

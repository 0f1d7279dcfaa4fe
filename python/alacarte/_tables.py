"""What users hand in, as the columns of numbers and text that the library's schema takes."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np
from scipy import sparse
from sklearn.utils.validation import _check_sample_weight, _check_y, check_array

from ._alacarte import Csr, Table
from ._errors import ConfigError, DataError


_TIMES = ("M", "m")  # kinds of numpy: dates and durations, whose numbers depend on the unit of the array


def _needs_a_look(kind: Any) -> bool:
    """Whether a column of this dtype is not simply of numbers."""
    return kind == object or not isinstance(kind, np.dtype) or kind.kind in _TIMES


def is_frame(X: Any) -> bool:
    """Whether X is a pandas frame; pandas itself is not needed."""
    return hasattr(X, "dtypes") and hasattr(X, "iloc") and hasattr(X, "columns")


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def column_names(X: Any) -> Optional[List[str]]:
    """The names of a frame's columns if all are text; otherwise columns go by their positions."""
    if not is_frame(X):
        return None
    names = list(X.columns)
    if not names or not all(isinstance(name, str) for name in names):
        return None
    for place, name in enumerate(names):
        if not _is_unicode(name):
            raise DataError(f"X: column {place + 1}: the name is no Unicode text")
        if name in names[:place]:
            raise DataError(f"X: column {place + 1}: the name '{name}' is used twice")
    return names


def _is_text(column: Any) -> bool:
    kind = getattr(column.dtype, "name", "")
    if kind == "category" or kind.startswith("string"):
        return True
    if column.dtype != object:
        return False
    return any(isinstance(value, str) for value in column)


def text_columns(X: Any, categorical: Any) -> List[int]:
    """Positions of the columns that hold categories.

    ``"auto"``: of a frame those of the types category and string, and those of objects with text among them.
    """
    if isinstance(categorical, str):
        if categorical != "auto":
            raise ConfigError("categorical: must be 'auto' or a list of columns")
        return [c for c in range(X.shape[1]) if _is_text(X.iloc[:, c])] if is_frame(X) else []
    if not hasattr(categorical, "__len__"):
        raise ConfigError("categorical: must be 'auto' or a list of columns")
    if len(categorical) == 0:
        return []
    if sparse.issparse(X):
        raise ConfigError("categorical: a sparse X has none")
    shape = np.shape(X)
    if len(shape) != 2:
        raise DataError("X: a table of rows and columns is needed")
    width = shape[1]
    names = [str(name) for name in X.columns] if is_frame(X) else []
    places = []
    for one in categorical:
        place = names.index(one) if isinstance(one, str) and one in names else one
        if isinstance(place, (bool, str)) or not isinstance(place, (int, np.integer)) or not -width <= place < width:
            raise ConfigError(f"categorical: X has no column {one!r}")
        places.append(int(place) % width)
    if len(set(places)) < len(places):
        raise ConfigError("categorical: a column is named twice")
    return sorted(places)


def cell_text(value: Any) -> str:
    """A category as a CSV file would have it; "" is a missing one."""
    if value is None or type(value).__name__ in ("NAType", "NaTType") or value != value:
        return ""
    if isinstance(value, (float, np.floating)) and float(value).is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def _text(values: Sequence[Any], column: int) -> List[str]:
    texts = []
    for row, value in enumerate(values):
        try:
            text = cell_text(value)
        except (ValueError, TypeError):
            text = "\ud800"
        if not _is_unicode(text):
            raise DataError(f"X: row {row + 1}, column {column + 1}: is no category")
        texts.append(text)
    return texts


def _numbers(column: Any, place: int, name: str) -> np.ndarray:
    """One column of a frame as doubles, NaN where a cell is missing."""
    if column.dtype.kind in _TIMES:
        raise DataError(f"X: column {place + 1}: '{name}' holds times; make numbers of them")
    if column.dtype.kind == "c":
        raise DataError(f"X: column {place + 1}: '{name}': Complex data not supported")
    try:
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError, OverflowError):
        pass
    for row, value in enumerate(column):
        try:
            if type(value).__name__ != "NAType":
                float(value)
        except (TypeError, ValueError, OverflowError):
            raise DataError(f"X: row {row + 1}, column {place + 1}: '{name}' is no number: {str(value)[:40]!r}") from None
    raise DataError(f"X: column {place + 1}: '{name}' is not of numbers")


def require_finite(X: np.ndarray, names: Optional[Sequence[str]], allow_nan: bool) -> None:
    """Raises a DataError for the first cell that is NaN (unless allowed) or infinite."""
    with np.errstate(over="ignore", invalid="ignore"):
        if not allow_nan and np.isfinite(np.sum(X)):
            return
    bad = np.isinf(X) if allow_nan else ~np.isfinite(X)
    if not bad.any():
        return
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


def row_noise(noise_sd: Any, rows: int) -> Optional[np.ndarray]:
    """Known noise of rows as doubles, all above 0; None where it is not known."""
    if noise_sd is None:
        return None
    with naming("noise_sd"):
        values = _check_sample_weight(noise_sd, np.empty((rows, 1)), dtype=np.float64)
    if not (values > 0).all():
        raise DataError(f"noise_sd: row {int(np.argmin(values > 0)) + 1}: is not above 0")
    return values


def row_exposure(exposure: Any, rows: int) -> Optional[np.ndarray]:
    """Exposures of counts as doubles, all finite and above 0; None where there are none."""
    if exposure is None:
        return None
    with naming("exposure"):
        values = _check_sample_weight(exposure, np.empty((rows, 1)), dtype=np.float64)
    if not (values > 0).all():
        raise DataError(f"exposure: row {int(np.argmin(values > 0)) + 1}: is not above 0")
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
        times = times.dt.tz_convert(None)
    array = _one_each(times, rows, "time")
    try:
        if array.dtype.kind not in "biuf":
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
    """

    def __init__(self, X: Any, categorical: List[int], allow_nan: bool, estimator: Any):
        self.names = column_names(X)
        self.text: Dict[int, List[str]] = {}
        self.sparse = canonical_rows(X, estimator) if sparse.issparse(X) else None
        if self.sparse is not None:
            self.numbers = np.zeros((self.sparse.shape[0], 1))
        elif is_frame(X) and (categorical or any(_needs_a_look(kind) for kind in X.dtypes)):
            self._take_frame(X, categorical)
        elif categorical:
            self._take_objects(X, categorical)
        else:
            if getattr(getattr(X, "dtype", None), "kind", "") in _TIMES:
                raise DataError("X: holds times; make numbers of them")
            with naming("X", X):
                self.numbers = check_array(X, dtype=np.float64, force_all_finite=False, estimator=estimator)
        require_finite(self.numbers, self.names, allow_nan)
        self.groups: Optional[List[int]] = None
        self.times: Optional[np.ndarray] = None
        self.exposure: Optional[np.ndarray] = None

    def split_by(self, groups: Any, times: Any) -> None:
        """Give tables with targets the columns by which fit splits rows."""
        if groups is not None and times is not None:
            raise ConfigError("time: rows are split by group or by time, not by both")
        self.groups = row_groups(groups, self.shape[0])
        self.times = row_times(times, self.shape[0])

    def _take_frame(self, X: Any, categorical: List[int]) -> None:
        self.numbers = np.zeros(X.shape, order="F")
        for c in range(X.shape[1]):
            if c in categorical:
                self.text[c] = _text(X.iloc[:, c], c)
            else:
                self.numbers[:, c] = _numbers(X.iloc[:, c], c, str(X.columns[c]))

    def _take_objects(self, X: Any, categorical: List[int]) -> None:
        with naming("X"):
            X = np.asarray(X, dtype=object)
        if X.ndim != 2:
            raise DataError("X: a table of rows and columns is needed")
        self.numbers = np.zeros(X.shape, order="F")
        for c in range(X.shape[1]):
            if c in categorical:
                self.text[c] = _text(X[:, c], c)
                continue
            for row, value in enumerate(X[:, c]):
                try:
                    self.numbers[row, c] = np.nan if value is None else value
                except (TypeError, ValueError, OverflowError):
                    raise DataError(f"X: row {row + 1}, column {c + 1}: is no number: {str(value)[:40]!r}") from None

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
        return Table("X", self._columns(), self.names is not None, self.numbers, self.text)

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
            name = str(len(columns)) if self.names is None else name if _is_unicode(name) else "y"
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
        made = Table("X", columns, self.names is not None, table, text, self.csr())
        if self.groups is not None:
            made.set_groups(self.groups)
        if self.times is not None:
            made.set_times(self.times)
        return made, columns[-len(targets) :]

"""What the estimators and the feature map share."""

from __future__ import annotations

import difflib
import json
import warnings
from contextlib import contextmanager
from typing import Any, Iterator, List, Optional

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ._alacarte import Model
from ._arguments import is_number, is_whole
from ._errors import ConfigError, DataError, TrainingWarning
from ._frames import array_frame, frame_of, is_frame, require_different
from ._recipes import complete, read_recipe
from ._tables import Columns, categories_of


# Messages that only report the duration or the start of a part of the training.
_NO_WARNINGS = (
    ": subsamples of ",
    ": the start from labels took ",
    "begins at ",
    " passes over ",
    "noise: gaussian",
    "noise: standard deviations of ",
    "noise: varies with the inputs",
    "season: ",
)


@contextmanager
def unchanged_unless_done(estimator: Any) -> Iterator[None]:
    """What fails or is interrupted leaves the estimator as it was, fitted or not."""
    before = dict(estimator.__dict__)
    try:
        yield
    except BaseException:
        estimator.__dict__.clear()
        estimator.__dict__.update(before)
        raise


class Encoding:
    """How a fitted model encodes the columns of X.

    Attributes
    ----------
    strict : bool
    allow_nan : bool
        Whether gaps are filled.
    names : list of str or None
        Of the columns that are inputs; None where the training table had no names.
    features : list of str
        Names or positions of all columns that the table had, inputs or not.
    places : list of int
        Where the inputs are among the features.
    is_identity : bool
        Whether rows without gaps are their own encoding.
    """

    def __init__(self, schema: dict):
        config = schema["config"]
        self.strict = config.get("strict", True)
        self.allow_nan = config["missing"] not in ("error", "drop")
        self.is_sparse = "sparse_inputs" in schema
        inputs = schema.get("inputs", [])
        columns = inputs + schema.get("left_out", [])
        if len(columns) > len(inputs):
            columns = sorted(columns, key=lambda column: column["position"])
        self.names = [column["name"] for column in inputs] if schema.get("has_names") else None
        self.features = [column["name"] for column in columns]
        places = {id(column): place for place, column in enumerate(columns)}
        self.places = [places[id(column)] for column in inputs]
        plain = not any(column["categorical"] or column.keys() & {"date", "form", "has_gap"} for column in inputs)
        self.is_identity = plain and len(columns) == len(inputs) and not config.get("missing_words")


class AlacarteBase(BaseEstimator):
    """Parameters, recipes and rows."""

    def __setstate__(self, state: dict) -> None:
        """Takes the pickles of versions without ``strict``, which read every table so."""
        super().__setstate__({"strict": True, **state})
        fitted = state.get("model_", state.get("map_"))
        if "_encoding" not in state and fitted is not None:
            self._encoding = Encoding(json.loads(fitted.describe())["schema"])

    def _seed(self) -> int:
        state = self.random_state
        if is_whole(state):
            if not 0 <= state < 2**63:
                raise ConfigError("random_state: must not be negative, and less than 2**63")
            return int(state)
        try:
            return int(check_random_state(state).randint(2**31 - 1))
        except ValueError:
            raise ConfigError("random_state: must be None, a whole number or a RandomState") from None

    def _threads(self) -> int:
        threads = self.threads
        if threads is None:
            return 0
        if not is_whole(threads) or not 1 <= threads <= 1024:
            raise ConfigError("threads: must be None or a whole number from 1 to 1024")
        return int(threads)

    def _seconds(self) -> Optional[float]:
        seconds = self.seconds
        if seconds is None:
            return None
        if not is_number(seconds) or not 0 < seconds < np.inf:
            raise ConfigError("seconds: must be None or a number above 0")
        return float(seconds)

    def _check_words(self) -> None:
        if self.missing not in ("auto", "error", "mean"):
            raise ConfigError("missing: must be 'auto', 'error' or 'mean'")
        if self.unseen not in ("auto", "error", "zero"):
            raise ConfigError("unseen: must be 'auto', 'error' or 'zero'")
        if not isinstance(self.strict, (bool, np.bool_)):
            raise ConfigError("strict: must be True or False")

    def _fills_gaps(self) -> bool:
        return self.missing == "mean" or self.missing == "auto" and not self.strict

    def _fit_columns(self, X: Any) -> Columns:
        """X at fit, which the later X must be like."""
        self._check_words()
        frame = frame_of(X)
        if frame is None and not self.strict:
            frame = array_frame(X)
        self._categorical_places = categories_of(X, frame, self.categorical, self.strict)
        columns = Columns(X, frame, self._categorical_places, self._fills_gaps(), self, self.strict)
        if self.strict and is_frame(X):
            if columns.names is not None:
                require_different(list(X.columns))
            self._check_feature_names(X, reset=True)
        elif columns.names is not None:
            self.feature_names_in_ = np.array(columns.names, dtype=object)
        else:
            self.__dict__.pop("feature_names_in_", None)
        self.n_features_in_ = columns.shape[1]
        return columns

    def _recipe_text(self, document: dict, columns: Columns, weights: str = "") -> str:
        """weights: the key of the data section that names the column of weights, if there is one."""
        categorical = [columns.names[c] if columns.names else str(c) for c in self._categorical_places]
        data = {"missing": self.missing, "unseen": self.unseen, "categorical": categorical}
        if self.strict:
            data["strict"] = True
        if weights:
            data[weights] = columns.weights_name
        if columns.exposure is not None:
            data["exposure"] = columns.exposure_name
        return complete(document, data, self._seconds())

    def _recipe_document(self) -> dict:
        return read_recipe(self.recipe)

    def _rows(self, X: Any) -> Any:
        """X after fit, encoded: an array or sparse rows."""
        check_is_fitted(self, self._fitted_name)
        encoding = self._encoding
        if encoding.strict:
            return self._rows_strictly(X)
        columns, places = self._columns_after_fit(X)
        if columns.sparse is not None:
            if not encoding.is_identity and not encoding.is_sparse:
                raise DataError("X: is sparse, and the model was trained on dense rows; give it X.toarray()")
            return columns.csr()
        if encoding.is_sparse or encoding.is_identity and columns.is_plain and not columns.has_nan:
            return columns.numbers
        return self._encoded(columns.inputs(places, encoding.names))

    def _columns_after_fit(self, X: Any) -> tuple:
        """The columns of X, those of a frame by their names, and the place of each input of the model among them."""
        encoding = self._encoding
        frame = frame_of(X) or array_frame(X)
        names = None if frame is None else frame.names
        places = encoding.places
        if names is not None and encoding.names is not None:
            found = {name: place for place, name in enumerate(names)}
            absent = [name for name in encoding.names if name not in found]
            if absent:
                raise DataError(f"X: {_absent_columns(absent, names)}")
            chosen = [found[name] for name in encoding.names]
            frame = frame.of(chosen)
            if is_frame(X) and chosen != list(range(X.shape[1])):
                X = X.iloc[:, chosen]
            places = list(range(len(places)))
        elif (names is None) != (encoding.names is None):
            has, fitted = ("has", "without") if names is not None else ("does not have valid", "with")
            warnings.warn(f"X {has} feature names, but {type(self).__name__} was fitted {fitted} feature names")
        columns = Columns(X, frame, [], encoding.allow_nan and not encoding.is_sparse, self, False)
        if names is None or encoding.names is None:
            # Raises scikit-learn's error for another number of columns.
            self._check_n_features(columns, reset=False)
        return columns, places

    def _rows_strictly(self, X: Any) -> Any:
        frame = frame_of(X)
        if frame is None or is_frame(X):
            self._check_feature_names(X, reset=False)
        elif frame.names != list(getattr(self, "feature_names_in_", frame.names or [])):
            raise DataError("X: has other columns than at fit, or in another order")
        columns = Columns(X, frame, self._categorical_places, self._encoding.allow_nan, self, True)
        self._check_n_features(columns, reset=False)
        if columns.sparse is not None:
            return columns.csr()
        if columns.is_plain and not self._encoding.allow_nan:
            return columns.numbers
        return self._encoded(columns.table())

    def _encoded(self, table: Any) -> np.ndarray:
        try:
            return getattr(self, self._fitted_name).encode(table)
        except DataError as error:
            raise DataError(str(error).replace("(or train with --unseen zero)", "(or fit with unseen='zero')")) from None

    def _warn(self, model: Model, stacklevel: int) -> None:
        """What a training told, as warnings: without the notes of its plan, which are in training_, and without
        times."""
        notes = json.loads(model.describe())["training"]["notes"]
        for message in model.messages():
            if message not in notes and not any(text in message for text in _NO_WARNINGS):
                warnings.warn(message, TrainingWarning, stacklevel=stacklevel)

    @property
    def columns_(self) -> List[dict]:
        """What became of each column of the training table: column, kind, encoding, missing, levels and remark."""
        check_is_fitted(self, self._fitted_name)
        return json.loads(getattr(self, self._fitted_name).describe())["columns"]

    def _more_tags(self) -> dict:
        tags = {"allow_nan": self._fills_gaps()}
        if not self.strict:
            by_name = "frames are matched by the names of their columns, in any order; strict=True refuses another order"
            tags["_xfail_checks"] = {"check_dataframe_column_names_consistency": by_name}
        return tags


def _absent_columns(absent: List[str], names: List[str]) -> str:
    """Words on columns that a frame lacks."""
    near = difflib.get_close_matches(absent[0], names, 1)
    hint = f"; did you mean '{near[0]}'?" if near else ""
    if len(absent) == 1:
        return f"the model's input column '{absent[0]}' is missing{hint}"
    shown = ", ".join(f"'{name}'" for name in absent[:5]) + (", .." if len(absent) > 5 else "")
    return f"the model's input columns {shown} are missing{hint}"


def relevance_of(fits: List[dict], names: List[str]) -> Optional[dict]:
    """Weighted root mean square over the fits that have relevances, by input."""
    with_weights = [(fit["weight"], fit["description"].get("relevance")) for fit in fits]
    with_weights = [(weight, row) for weight, row in with_weights if row and len(row) == len(names)]
    if not with_weights:
        return None
    weights, rows = zip(*with_weights)
    rows = [[0.0 if value is None else value for value in row] for row in rows]
    return dict(zip(names, np.sqrt(np.average(np.square(rows), axis=0, weights=weights)).tolist()))

"""What the estimators and the feature map share."""

from __future__ import annotations

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
from ._recipes import complete, read_recipe
from ._tables import Columns, text_columns


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


class AlacarteBase(BaseEstimator):
    """Parameters, recipes and rows."""

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
        if self.missing not in ("error", "mean"):
            raise ConfigError("missing: must be 'error' or 'mean'")
        if self.unseen not in ("error", "zero"):
            raise ConfigError("unseen: must be 'error' or 'zero'")

    def _fit_columns(self, X: Any) -> Columns:
        """X at fit, which the later X must be like."""
        self._check_words()
        self._categorical_places = text_columns(X, self.categorical)
        columns = Columns(X, self._categorical_places, self.missing == "mean", self)
        self._check_feature_names(X, reset=True)
        self.n_features_in_ = columns.shape[1]
        return columns

    def _recipe_text(self, document: dict, columns: Columns, weights: str = "") -> str:
        """weights: the key of the data section that names the column of weights, if there is one."""
        categorical = [columns.names[c] if columns.names else str(c) for c in self._categorical_places]
        named = {weights: columns.weights_name} if weights else {}
        if columns.exposure is not None:
            named["exposure"] = columns.exposure_name
        return complete(document, self.missing, self.unseen, categorical, self._seconds(), named)

    def _recipe_document(self) -> dict:
        return read_recipe(self.recipe)

    def _rows(self, X: Any) -> Any:
        """X after fit, encoded: an array or sparse rows."""
        check_is_fitted(self, self._fitted_name)
        self._check_feature_names(X, reset=False)
        columns = Columns(X, self._categorical_places, self.missing == "mean", self)
        # Raises scikit-learn's error for another number of columns.
        self._check_n_features(columns, reset=False)
        if columns.sparse is not None:
            return columns.csr()
        if columns.is_plain and self.missing == "error":
            return columns.numbers
        try:
            return getattr(self, self._fitted_name).encode(columns.table())
        except DataError as error:
            raise DataError(str(error).replace("(or train with --unseen zero)", "(or fit with unseen='zero')")) from None

    def _warn(self, model: Model, stacklevel: int) -> None:
        """What a training told, as warnings: without the notes of its plan, which are in training_, and without
        times."""
        notes = json.loads(model.describe())["training"]["notes"]
        for message in model.messages():
            if message not in notes and not any(text in message for text in _NO_WARNINGS):
                warnings.warn(message, TrainingWarning, stacklevel=stacklevel)

    def _more_tags(self) -> dict:
        return {"allow_nan": self.missing == "mean"}


def relevance_of(fits: List[dict], names: List[str]) -> Optional[dict]:
    """Weighted root mean square over the fits that have relevances, by input."""
    with_weights = [(fit["weight"], fit["description"].get("relevance")) for fit in fits]
    with_weights = [(weight, row) for weight, row in with_weights if row and len(row) == len(names)]
    if not with_weights:
        return None
    weights, rows = zip(*with_weights)
    rows = [[0.0 if value is None else value for value in row] for row in rows]
    return dict(zip(names, np.sqrt(np.average(np.square(rows), axis=0, weights=weights)).tolist()))

"""Regression of numbers and counts."""

from __future__ import annotations

import json
import time
import warnings
from typing import Any, Optional

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import _num_samples, check_is_fitted

from ._alacarte import Model
from ._arguments import is_number, whole_number
from ._errors import ConfigError, DataError
from ._model import MEAN_AND_STD, PARAMETERS, ModelBase, column_count
from ._progress import progress_function
from ._tables import numeric_target, positive_of_rows, row_weights
from ._targets import target_with_gaps


def _interval(interval: Optional[float]) -> float:
    if interval is None:
        return 0.0
    if not is_number(interval) or not 0 < interval < 1:
        raise ConfigError("interval: must lie between 0 and 1")
    return float(interval)


def _numbers(values: Any, name: str) -> list:
    try:
        numbers = np.atleast_1d(np.asarray(values, dtype=np.float64))
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if numbers.ndim != 1 or not np.isfinite(numbers).all():
        raise ConfigError(f"{name}: must be a number, or a list of numbers")
    return numbers.tolist()


def _parts(numbers: tuple, return_std: bool, interval: float) -> Any:
    mean, std, lower, upper = numbers
    parts = [mean]
    if return_std:
        parts.append(std)
    if interval:
        parts.append(np.column_stack([lower, upper]))
    return parts[0] if len(parts) == 1 else tuple(parts)


def _table_of(y: Any) -> tuple:
    """Several targets as an array, and their names."""
    if hasattr(y, "to_numpy"):
        values = y.to_numpy()
    elif hasattr(y, "columns") and hasattr(y, "column_names"):  # a table of Arrow
        values = np.column_stack([column.to_numpy() for column in y.columns])
    else:
        values = np.asarray(y)
    labels = getattr(y, "column_names", None) or getattr(y, "columns", [f"y{t}" for t in range(values.shape[1])])
    return values, [str(label) for label in labels]


class _Predictor(RegressorMixin, ModelBase):
    """What numbers and counts share."""

    def _numeric_target(self, y: Any) -> np.ndarray:
        return numeric_target(y, self) if self.strict else target_with_gaps(y, self)

    @property
    def loo_predictions_(self) -> tuple:
        """Leave-one-out means and standard deviations; see the class."""
        mean, std = self._require_left_out().T
        return mean, std

    def _require_variances(self, asked: bool, what: str = "return_std") -> None:
        if asked and not self._about["variances"]:
            raise ConfigError(f"{what}: the model was saved with --mean-only: it has no variances")

    def _noise_weights(self, X: Any, noise_sd: Any, asked: bool) -> np.ndarray:
        """Weights of rows of known noise, for predictions that have noise in them."""
        knows = bool(self._about["recipe"].get("data", {}).get("noise_sd"))
        if noise_sd is not None and not knows:
            raise ConfigError("noise_sd: the model has learned its noise; fit(X, y, noise_sd=...) takes that of rows")
        if knows and noise_sd is None and asked:
            raise ConfigError("noise_sd: the noise of rows is known: give that of these rows, or latent=True to predict")
        if noise_sd is None:
            return np.empty(0)
        return 1 / positive_of_rows("noise_sd", noise_sd, _num_samples(X)) ** 2

    def _offsets(self, rows: int, exposure: Any) -> np.ndarray:
        """Logarithms of exposures, of models that were fitted with them; empty: an exposure of 1."""
        if exposure is None:
            return np.empty(0)
        if not self._about["recipe"].get("data", {}).get("exposure"):
            raise ConfigError("exposure: the model was fitted without; GPCountRegressor.fit(X, y, exposure=...) takes it")
        return np.log(positive_of_rows("exposure", exposure, rows))

    def predict_quantiles(
        self, X: Any, quantiles: Any = (0.05, 0.5, 0.95), noise_sd: Any = None, exposure: Any = None
    ) -> np.ndarray:
        """Quantiles of observations, exact also for mixtures of fits; of counts they are counts.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        quantiles : float or array-like of shape (n_quantiles,)
            Probabilities between 0 and 1.
        noise_sd : array-like of shape (n_samples,), default=None
            Known noise of the rows, of a model that was fitted with it.
        exposure : array-like of shape (n_samples,), default=None
            Of counts, as of :meth:`GPCountRegressor.predict`.

        Returns
        -------
        values : ndarray of shape (n_samples, n_quantiles), or (n_samples,) for one number
        """
        values = _numbers(quantiles, "quantiles")
        if not all(0 < value < 1 for value in values):
            raise ConfigError("quantiles: must lie between 0 and 1")
        return self._distribution(X, values, [], np.ndim(quantiles) == 0, "quantiles", noise_sd, exposure)

    def predict_above(self, X: Any, thresholds: Any, noise_sd: Any = None, exposure: Any = None) -> np.ndarray:
        """Probability that an observation lies above a threshold, in the unit of the target.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        thresholds : float or array-like of shape (n_thresholds,)
        noise_sd : array-like of shape (n_samples,), default=None
            As of :meth:`predict_quantiles`.
        exposure : array-like of shape (n_samples,), default=None
            As of :meth:`predict_quantiles`.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_thresholds), or (n_samples,) for one number
        """
        values = _numbers(thresholds, "thresholds")
        return self._distribution(X, [], values, np.ndim(thresholds) == 0, "thresholds", noise_sd, exposure)

    def _distribution(
        self, X: Any, quantiles: list, thresholds: list, one: bool, what: str, noise_sd: Any, exposure: Any
    ) -> np.ndarray:
        self._require_one_target(what)
        rows = self._rows(X)
        self._require_variances(True, what)
        weights = self._noise_weights(X, noise_sd, True)
        offsets = self._offsets(_num_samples(X), exposure)
        values = self.model_.distribution(rows, quantiles, thresholds, self._threads(), weights, offsets)
        return values[:, 0] if one else values

    def predict_one(self, x: Any, return_std: bool = False, exposure: Optional[float] = None) -> Any:
        """Predict one row, in microseconds: for servers, which have one at a time.

        Parameters
        ----------
        x : array-like of shape (n_features,)
        return_std : bool, default=False
            Also the standard deviation.
        exposure : float, default=None
            Of counts, as of :meth:`GPCountRegressor.predict`.

        Returns
        -------
        mean : float
        std : float
            If asked for; then the result is a tuple. Both are those of :meth:`predict`, to rounding.
        """
        self._require_one_target("predict_one")
        row = self._one(x)
        if return_std:
            self._require_variances(True)
            self._noise_weights(x, None, True)
        offset = self._offsets(1, None if exposure is None else [exposure])
        return self.model_.predict_one(row, return_std, False, float(np.exp(offset[0])) if offset.size else 1.0)


class GPRegressor(_Predictor):
    __doc__ = f"""Gaussian-process regression with learned kernels.

    Parameters
    ----------
    {PARAMETERS.format(auto="", loo=MEAN_AND_STD).rstrip()}
    coef_ : ndarray of shape (n_encoded_inputs,)
        Of the recipe ``linear``: units of the target for one unit of the input. AttributeError for others, as the next two.
    coef_std_ : ndarray of shape (n_encoded_inputs,)
        Posterior standard deviations of `coef_`; NaN of a model without variances.
    intercept_ : float
        The mean where all inputs are 0.

    Examples
    --------
    >>> import numpy as np
    >>> from alacarte import GPRegressor
    >>> X = np.linspace(0, 6, 50)[:, None]
    >>> model = GPRegressor("exact-rbf").fit(X, np.sin(X[:, 0]))
    >>> mean, std = model.predict([[1.5]], return_std=True)
    """

    _kind = "numbers"
    _likelihood = None

    def _target(self, y: Any) -> np.ndarray:
        return self._numeric_target(y)

    def _train_targets(self, columns: Any, y: Any, weights: Any, recipe: str, began: float) -> None:
        document = json.loads(recipe)
        for key in ("noise_sd", "noise.sd"):
            section = document["data"] if key == "noise_sd" else document.get("noise", {})
            if section.get(key.split(".")[-1]):
                raise ConfigError(f"{key}: is in the unit of one target, and there are several")
        values, names = _table_of(y)
        if len(set(names)) < len(names):
            raise DataError("y: two of its columns have the same name")
        targets = [self._target_of(values, t) for t in range(len(names))]
        missing = np.isnan(targets).any(axis=0)
        if missing.all():
            raise DataError("y: no row has a value of each target")
        targets = [np.where(missing, np.nan, target) for target in targets]  # all have the same rows, and one encoding
        tables, names = columns.with_targets(targets, names, weights)
        if self.warm_start and "model_" in self.__dict__:
            raise ConfigError("warm_start: is for one target")
        with progress_function(self.progress) as progress:
            spent = time.monotonic() - began
            models = Model.fit_targets(recipe, tables, names, self._seed(), self._threads(), progress, spent)
        self._adopt_targets(models)
        self._warn(models[0], 6)
        self._warn_of_gaps(np.sum(targets, axis=0))

    def _target_of(self, values: np.ndarray, column: int) -> np.ndarray:
        try:
            return self._target(values[:, column])
        except DataError as error:
            raise DataError(f"y: column {column + 1}: {str(error).removeprefix('y: ')}") from None

    def _adopt_targets(self, models: list) -> None:
        self._adopt(models[0])
        self.models_ = models

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, noise_sd: Any = None, groups: Any = None, time: Any = None
    ) -> "GPRegressor":
        """Learn kernel and function.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Always copied.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Several targets share a kernel and have a noise each, or, with ``"targets": "independent"`` in the recipe, a
            kernel each.
        sample_weight : array-like of shape (n_samples,), default=None
            Divide the noise variances of rows, or multiply their log likelihoods; rows of weight 0 are as if absent.
        noise_sd : array-like of shape (n_samples,), default=None
            Known standard deviations of the noise of rows, in the unit of y, in place of weights. The noise is then not
            learned, unless the recipe has ``noise.sd``: a factor of them, where training begins.
        groups : array-like of shape (n_samples,), default=None
            A label of each row, such as its subject: rows of one group are never on both sides of a split of the training
            rows, and left-out predictions are of whole groups.
        time : array-like of shape (n_samples,), default=None
            A number or date of each row: splits train on the past and test on the future.

        Returns
        -------
        self : GPRegressor
        """
        self._train(X, y, sample_weight, noise_sd, groups, time)
        return self

    def predict(
        self,
        X: Any,
        return_std: bool = False,
        return_cov: bool = False,
        interval: Optional[float] = None,
        latent: bool = False,
        noise_sd: Any = None,
    ) -> Any:
        """Predict rows.

        Of several targets mean and std have the shape (n_samples, n_targets), bounds (n_samples, 2, n_targets), and there
        is no cov.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            float64 in C or Fortran order is not copied, other arrays are once.
        return_std : bool, default=False
            Also the standard deviations.
        return_cov : bool, default=False
            Also the covariance of all rows; not with `return_std`.
        interval : float, default=None
            Also the bounds between which a value lies with this probability.
        latent : bool, default=False
            Error bars of the function, without the noise of observations.
        noise_sd : array-like of shape (n_samples,), default=None
            Known noise of these rows, of a model that was fitted with it; needed for error bars that are not latent.

        Returns
        -------
        mean : ndarray of shape (n_samples,)
        std : ndarray of shape (n_samples,)
            If asked for, as the next two; then the result is a tuple.
        cov : ndarray of shape (n_samples, n_samples)
        bounds : ndarray of shape (n_samples, 2)
        """
        if "models_" in self.__dict__ and return_cov:
            raise ConfigError("return_cov: is for one target")
        if return_std and return_cov:
            raise ConfigError("return_cov: not together with return_std")
        probability = _interval(interval)
        rows = self._rows(X)
        asked = bool(return_std or return_cov or probability)
        self._require_variances(asked)
        weights = self._noise_weights(X, noise_sd, asked and not latent)
        if weights.size and return_cov and not latent:
            raise ConfigError("return_cov: of rows whose noise is known it is that of the function; add latent=True")
        each = [
            _parts(model.predict(rows, return_std, latent, probability, self._threads(), weights), return_std, probability)
            for model in self.__dict__.get("models_") or [self.model_]
        ]
        if len(each) > 1 and isinstance(each[0], tuple):
            return tuple(np.stack(part, axis=-1) for part in zip(*each))
        if len(each) > 1:
            return np.stack(each, axis=-1)
        parts = each[0]
        if not return_cov:
            return parts
        covariance = self.model_.covariance(rows, latent)
        return (parts[0], covariance, *parts[1:]) if isinstance(parts, tuple) else (parts, covariance)

    def _coefficients(self, name: str) -> dict:
        check_is_fitted(self, "model_")
        self._require_one_target(name)
        coefficients = self._about.get("coefficients")
        if coefficients is None:
            raise AttributeError(f"{name}: is of the recipe linear with one target")
        return coefficients

    @property
    def coef_(self) -> np.ndarray:
        """Coefficients of a linear model, in units of the target for one unit of the encoded input.

        AttributeError for other models; ``gradient`` has the slopes of these.
        """
        return np.array([one["value"] for one in self._coefficients("coef_")["inputs"]])

    @property
    def coef_std_(self) -> np.ndarray:
        """Posterior standard deviations of `coef_`; NaN of a model without variances."""
        return np.array([np.nan if one["sd"] is None else one["sd"] for one in self._coefficients("coef_std_")["inputs"]])

    @property
    def intercept_(self) -> float:
        """Mean of a linear model where all inputs are 0."""
        return float(self._coefficients("intercept_")["intercept"])

    def gradient(self, X: Any, return_std: bool = False) -> Any:
        """Slopes of the predicted mean by each numeric input, in units of the target for one unit of the input.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        return_std : bool, default=False
            Also their standard deviations.

        Returns
        -------
        gradient : ndarray of shape (n_samples, n_numeric), or (n_samples, n_numeric, n_targets)
            Columns that are numbers, in their order; those of categories have none.
        std : ndarray of the same shape
            If asked for; then the result is a tuple.
        """
        rows = self._rows(X)
        self._require_variances(return_std)
        models = self.__dict__.get("models_") or [self.model_]
        each = [model.gradient(rows, bool(return_std), self._threads()) for model in models]
        if len(each) == 1:
            gradient, std = each[0]
        else:
            gradient = np.stack([slopes for slopes, _ in each], axis=-1)
            std = np.stack([errors for _, errors in each], axis=-1) if return_std else None
        return (gradient, std) if return_std else gradient

    def explain(
        self,
        X: Any,
        y: Any = None,
        row: Optional[int] = None,
        n_inputs: int = 10,
        n_interactions: int = 4,
        n_background: int = 200,
        n_repeats: int = 5,
        random_state: Any = 0,
    ) -> dict:
        """What the inputs do to the predictions: on average over rows, and for one of them.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None
            For the importance, which is None without it.
        row : int, default=None
            Explain also the prediction of this row, from 0, by Shapley values.
        n_inputs : int, default=10
            Partial dependences of that many inputs, those that change predictions most.
        n_interactions : int, default=4
            Inputs, the first of those, whose pairs are looked at.
        n_background : int, default=200
            Rows, drawn from X, to average over.
        n_repeats : int, default=5
            Permutations of each input for its importance.
        random_state : int, RandomState or None, default=0
            Seed of rows and permutations.

        Returns
        -------
        explanation : dict
            With the keys of ``alacarte explain --json``: partial_dependence, interactions, importance and shapley.
        """
        counts = [
            whole_number(n_inputs, "n_inputs", 0),
            whole_number(n_interactions, "n_interactions", 0),
            whole_number(n_background, "n_background", 1),
            whole_number(n_repeats, "n_repeats", 2),
        ]
        rows = self._rows(X)
        self._require_one_target("explain")
        count = _num_samples(X)
        place = -1 if row is None else whole_number(row, "row", 0, count - 1)
        target = np.empty(0) if y is None else numeric_target(y, self)
        if y is not None and len(target) != count:
            raise DataError(f"y: has {len(target)} values, and X has {count} rows")
        text = self.model_.explain(rows, target, place, *counts, self._seed_of(random_state), self._threads())
        return json.loads(text)

    def update(
        self, X: Any, y: Any, sample_weight: Any = None, forget: float = 0.0, noise_sd: Any = None
    ) -> "GPRegressor":
        """Learn further rows without training: hyperparameters, scaling and the weights of fits stay.

        The result is the model of all rows at those. What the model predicted of the new rows before it learned them is in
        ``training_["updates"][-1]["before_learning"]``: scores that say whether the data drift.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), default=None
            As of :meth:`fit`.
        forget : float, default=0.0
            Share of their weights that the rows learned before lose; less than 1.
        noise_sd : array-like of shape (n_samples,), default=None
            Known noise of the rows, needed where that of the others was known.

        Returns
        -------
        self : GPRegressor
        """
        if not is_number(forget) or not 0 <= forget < 1:
            raise ConfigError("forget: must be a number from 0 to less than 1")
        rows = self._rows(X)
        models = self.__dict__.get("models_") or [self.model_]
        columns = column_count(y)
        if columns != len(models):
            raise DataError(f"y: has {columns} columns, and the model {len(models)} targets")
        values = _table_of(y)[0] if columns > 1 else None
        targets = [self._target(y)] if len(models) == 1 else [self._target_of(values, t) for t in range(columns)]
        count = _num_samples(X)
        if len(targets[0]) != count:
            raise DataError(f"y: has {len(targets[0])} values, and X has {count} rows")
        weights = row_weights(sample_weight, count)
        weights = np.empty(0) if weights is None else weights
        noise = self._noise_weights(X, noise_sd, True)
        if noise.size and weights.size:
            raise ConfigError("noise_sd: a row has a weight or a known noise, not both")
        weights = noise if noise.size else weights
        missing = np.isnan(targets).any(axis=0)
        if missing.any():  # rows of weight 0 are left out
            self._warn_of_gaps(np.sum(targets, axis=0))
            weights = np.where(missing, 0.0, weights if weights.size else 1.0)
            targets = [np.where(missing, 0.0, target) for target in targets]
        updated = [model.update(rows, y, weights, float(forget), self._threads()) for model, y in zip(models, targets)]
        self._adopt(updated[0])
        if len(updated) > 1:
            self.models_ = updated
        return self

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> np.ndarray:
        """Draw functions from the posterior, without noise.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_features)
        n_samples : int, default=1
            Number of functions.
        random_state : int, RandomState or None, default=0
            Equal seeds draw the same functions.

        Returns
        -------
        y : ndarray of shape (n_rows, n_samples)
        """
        n_samples = whole_number(n_samples, "n_samples", 1)
        self._require_one_target("sample_y")
        rows = self._rows(X)
        self._require_variances(True, "sample_y")
        return self.model_.draws(rows, n_samples, self._seed_of(random_state))

    def _seed_of(self, random_state: Any) -> int:
        return type(self)(random_state=random_state)._seed()


class GPCountRegressor(_Predictor):
    __doc__ = f"""Gaussian-process regression of counts: Poisson, with the process as log rate.

    Targets that are not whole numbers are rounded, with a DataConversionWarning.

    Parameters
    ----------
    {PARAMETERS.format(auto='One without a likelihood gets "poisson".', loo=MEAN_AND_STD)}"""

    _kind = "counts"
    _likelihood = "poisson"

    def _target(self, y: Any) -> np.ndarray:
        y = self._numeric_target(y)
        if (y < 0).any():
            raise DataError(f"y: row {int(np.argmax(y < 0)) + 1}: is negative, and no count")
        whole = np.rint(y)
        rounded = (whole != y) & ~np.isnan(y)
        if rounded.any():
            row = int(np.argmax(rounded))
            warnings.warn(f"y: row {row + 1}: {y[row]:g} is rounded to a count", DataConversionWarning, stacklevel=4)
        return whole

    def _more_tags(self) -> dict:
        return {**super()._more_tags(), "requires_positive_y": True}

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, time: Any = None, exposure: Any = None
    ) -> "GPCountRegressor":
        """Learn kernel and rate; as :meth:`GPRegressor.fit`.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Whole numbers from 0 up.
        sample_weight : array-like of shape (n_samples,), default=None
            Divide the noise variances of rows, or multiply their log likelihoods; rows of weight 0 are as if absent.
        groups : array-like of shape (n_samples,), default=None
            A label of each row, such as its subject: rows of one group are never on both sides of a split of the training
            rows, and left-out predictions are of whole groups.
        time : array-like of shape (n_samples,), default=None
            A number or date of each row: splits train on the past and test on the future.
        exposure : array-like of shape (n_samples,), default=None
            Years insured, person-years or trials of each row, above 0: the mean count is the exposure times the rate
            that is learned.

        Returns
        -------
        self : GPCountRegressor
        """
        self._train(X, y, sample_weight, groups=groups, times=time, exposure=exposure)
        return self

    def predict(
        self,
        X: Any,
        return_std: bool = False,
        interval: Optional[float] = None,
        exposure: Any = None,
        latent: bool = False,
    ) -> Any:
        """Predict the expected counts of rows.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        return_std : bool, default=False
            Also the standard deviations of the counts.
        interval : float, default=None
            Also the counts between which a count lies with at least this probability.
        exposure : array-like of shape (n_samples,), default=None
            Exposures of the rows, of a model that was fitted with them; None: 1, which predicts the rates.
        latent : bool, default=False
            Predict the logarithms of the rates, without the exposure and the noise of counts.

        Returns
        -------
        mean : ndarray of shape (n_samples,)
        std : ndarray of shape (n_samples,)
            If asked for, as the next; then the result is a tuple.
        bounds : ndarray of shape (n_samples, 2)
        """
        probability = _interval(interval)
        rows = self._rows(X)
        self._require_variances(bool(return_std or probability))
        offsets = self._offsets(_num_samples(X), exposure)
        numbers = self.model_.predict(
            rows, return_std, bool(latent), probability, self._threads(), np.empty(0), offsets
        )
        return _parts(numbers, return_std, probability)

"""Gaussian-process models as scikit-learn's estimators."""

from __future__ import annotations

import json
import os
import warnings
from typing import Any, Callable, Optional, Sequence, Union

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_y, check_is_fitted

from ._alacarte import Model, target_of
from ._base import AlacarteBase, relevance_of
from ._errors import ConfigError, DataError, IoError
from ._recipes import RecipeSource
from ._tables import cell_text, numeric_target

_PARAMETERS = """recipe : str, path or dict, default="auto"
        A recipe by name (:func:`alacarte.recipes`), file or content. {auto}
    seconds : float, default=None
        Budget of the training in seconds (the recipe's ``training.seconds``).
    threads : int, default=None
        None: all processors, or ``OMP_NUM_THREADS``.
    random_state : int, RandomState or None, default=0
        Seed of draws and starts; the same seed and threads give the same bits.
    categorical : "auto" or list of columns, default="auto"
        Columns that hold categories, by name or position; "auto": of a pandas frame those with text.
    missing : {{"error", "mean"}}, default="error"
        Whether missing cells are an error, or take the mean of the training rows (of a category: none).
    unseen : {{"error", "zero"}}, default="error"
        Whether a category that no training row had is an error, or none of the categories.
    progress : callable, default=None
        Called during fit, on the calling thread, with a dict: fit, stage, iteration, evaluation, objective, seconds and
        seconds_left.

    Attributes
    ----------
    model_ : object
        The trained model; pickles as the bytes of its model file.
    training_ : dict
        What the model file says of the training: rows, seconds, leave-one-out scores and more.
    log_marginal_likelihood_ : float
        Log evidence of the training targets in standard units; of several fits the log of their mean evidence.
        AttributeError for learners without one.
    relevance_ : dict of str to float
        For each encoded input the root mean square frequency of the function along it, in radians a standard unit: 0
        means no influence. AttributeError for kernels without one.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only after a fit on a frame with names.
"""


class _Model(AlacarteBase):
    """Fitting, saving and loading, whatever the target is."""

    _fitted_name = "model_"

    def __init__(
        self,
        recipe: RecipeSource = "auto",
        *,
        seconds: Optional[float] = None,
        threads: Optional[int] = None,
        random_state: Any = 0,
        categorical: Union[str, Sequence[Any]] = "auto",
        missing: str = "error",
        unseen: str = "error",
        progress: Optional[Callable[[dict], Any]] = None,
    ):
        self.recipe = recipe
        self.seconds = seconds
        self.threads = threads
        self.random_state = random_state
        self.categorical = categorical
        self.missing = missing
        self.unseen = unseen
        self.progress = progress

    def _recipe_document(self) -> dict:
        document = super()._recipe_document()
        if self._likelihood and "likelihood" not in document and "learner" not in document:
            document["likelihood"] = self._likelihood
        return document

    def _train(self, X: Any, y: Any) -> None:
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None."
            )
        columns = self._fit_columns(X)
        recipe = self._recipe_text(self._recipe_document(), columns)
        if target_of(recipe) != self._kind:
            raise ConfigError(f"recipe: is of {target_of(recipe)}, and {type(self).__name__} is of {self._kind}")
        name = getattr(y, "name", None)
        target = self._target(y)
        check_consistent_length(columns.numbers, target)
        table = columns.with_target(target, name if isinstance(name, str) else "y")
        model = Model.fit(recipe, table, self._seed(), self._threads(), self.progress)
        self._adopt(model)
        self._warn(model.messages())

    def _adopt(self, model: Model) -> None:
        about = json.loads(model.describe())
        self.model_ = model
        self.training_ = about["training"]
        self._about = about

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Write a model file, which ``alacarte predict`` and :func:`alacarte.load` read.

        Parameters
        ----------
        path : str or path
        """
        check_is_fitted(self, "model_")
        self.model_.write(os.fspath(path))

    @property
    def log_marginal_likelihood_(self) -> float:
        """Log evidence; see the class."""
        check_is_fitted(self, "model_")
        values = [(fit["summary"] or {}).get("log_evidence") for fit in self._about["fits"]]
        if not values or any(value is None for value in values):
            raise AttributeError("log_marginal_likelihood_: this learner has none")
        return float(np.logaddexp.reduce(values) - np.log(len(values)))

    @property
    def relevance_(self) -> dict:
        """Relevance of each encoded input; see the class."""
        check_is_fitted(self, "model_")
        relevance = relevance_of(self._about["fits"], self._about["input_names"])
        if relevance is None:
            raise AttributeError("relevance_: this kernel has none")
        return relevance


def _interval(interval: Optional[float]) -> float:
    if interval is None:
        return 0.0
    if isinstance(interval, (bool, str)) or not np.isscalar(interval) or not 0 < interval < 1:
        raise ConfigError("interval: must lie between 0 and 1")
    return float(interval)


def _parts(numbers: tuple, return_std: bool, interval: float) -> Any:
    mean, std, lower, upper = numbers
    parts = [mean]
    if return_std:
        parts.append(std)
    if interval:
        parts.append(np.column_stack([lower, upper]))
    return parts[0] if len(parts) == 1 else tuple(parts)


class GPRegressor(RegressorMixin, _Model):
    __doc__ = f"""Gaussian-process regression with learned kernels.

    Parameters
    ----------
    {_PARAMETERS.format(auto="")}
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
        return numeric_target(y, self)

    def fit(self, X: Any, y: Any) -> "GPRegressor":
        """Learn kernel and function.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Copied once, whatever its layout.
        y : array-like of shape (n_samples,)

        Returns
        -------
        self : GPRegressor
        """
        self._train(X, y)
        return self

    def predict(
        self,
        X: Any,
        return_std: bool = False,
        return_cov: bool = False,
        interval: Optional[float] = None,
        latent: bool = False,
    ) -> Any:
        """Predict rows.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            float64 in Fortran order is not copied, other arrays are once.
        return_std : bool, default=False
            Also the standard deviations.
        return_cov : bool, default=False
            Also the covariance of all rows; not with `return_std`.
        interval : float, default=None
            Also the bounds between which a value lies with this probability.
        latent : bool, default=False
            Error bars of the function, without the noise of observations.

        Returns
        -------
        mean : ndarray of shape (n_samples,)
        std : ndarray of shape (n_samples,)
            If asked for, as the next two; then the result is a tuple.
        cov : ndarray of shape (n_samples, n_samples)
        bounds : ndarray of shape (n_samples, 2)
        """
        if return_std and return_cov:
            raise ConfigError("return_cov: not together with return_std")
        probability = _interval(interval)
        rows = self._rows(X)
        if (return_std or return_cov or probability) and not self._about["variances"]:
            raise ConfigError("return_std: the model was saved with --mean-only: it has no variances")
        parts = _parts(self.model_.predict(rows, return_std, latent, probability, self._threads()), return_std, probability)
        if not return_cov:
            return parts
        covariance = self.model_.covariance(rows, latent)
        return (parts[0], covariance, *parts[1:]) if isinstance(parts, tuple) else (parts, covariance)

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
        if isinstance(n_samples, bool) or not isinstance(n_samples, (int, np.integer)) or n_samples < 1:
            raise ConfigError("n_samples: must be a whole number above 0")
        rows = self._rows(X)
        if not self._about["variances"]:
            raise ConfigError("sample_y: the model was saved with --mean-only: it has no draws")
        return self.model_.draws(rows, int(n_samples), self._seed_of(random_state))

    def _seed_of(self, random_state: Any) -> int:
        return type(self)(random_state=random_state)._seed()


class GPCountRegressor(RegressorMixin, _Model):
    __doc__ = f"""Gaussian-process regression of counts: Poisson, with the process as log rate.

    Targets that are not whole numbers are rounded, with a DataConversionWarning.

    Parameters
    ----------
    {_PARAMETERS.format(auto='"auto" is the recipe "counts"; one without a likelihood gets "poisson".')}"""

    _kind = "counts"
    _likelihood = "poisson"

    def _recipe_document(self) -> dict:
        if self.recipe != "auto":
            return super()._recipe_document()
        return type(self)("counts")._recipe_document()

    def _target(self, y: Any) -> np.ndarray:
        y = numeric_target(y, self)
        if (y < 0).any():
            raise DataError(f"y: row {int(np.argmax(y < 0)) + 1}: is negative, and no count")
        whole = np.rint(y)
        if (whole != y).any():
            row = int(np.argmax(whole != y))
            warnings.warn(f"y: row {row + 1}: {y[row]:g} is rounded to a count", DataConversionWarning, stacklevel=4)
        return whole

    def _more_tags(self) -> dict:
        return {**super()._more_tags(), "requires_positive_y": True}

    def fit(self, X: Any, y: Any) -> "GPCountRegressor":
        """Learn kernel and rate; as :meth:`GPRegressor.fit`.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Whole numbers from 0 up.

        Returns
        -------
        self : GPCountRegressor
        """
        self._train(X, y)
        return self

    def predict(self, X: Any, return_std: bool = False, interval: Optional[float] = None) -> Any:
        """Predict the expected counts of rows.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        return_std : bool, default=False
            Also the standard deviations of the counts.
        interval : float, default=None
            Also the counts between which a count lies with at least this probability.

        Returns
        -------
        mean : ndarray of shape (n_samples,)
        std : ndarray of shape (n_samples,)
            If asked for, as the next; then the result is a tuple.
        bounds : ndarray of shape (n_samples, 2)
        """
        probability = _interval(interval)
        rows = self._rows(X)
        if (return_std or probability) and not self._about["variances"]:
            raise ConfigError("return_std: the model was saved with --mean-only: it has no variances")
        return _parts(self.model_.predict(rows, return_std, False, probability, self._threads()), return_std, probability)


def _place(label: str, known: list) -> int:
    """Where the library has a class: by its text, or by its value where that is a number in another form."""
    return known.index(label) if label in known else [_number(name) for name in known].index(_number(label))


def _number(text: str) -> Optional[float]:
    try:
        return float(text)
    except ValueError:
        return None


def _has_probabilities(model: "GPClassifier") -> bool:
    if hasattr(model, "model_") and not model._about["probabilities"]:
        raise AttributeError("predict_proba: a support vector machine has no probabilities")
    return True


class GPClassifier(ClassifierMixin, _Model):
    __doc__ = f"""Gaussian-process classification of any number of classes.

    Parameters
    ----------
    {_PARAMETERS.format(auto='"auto" is the recipe "classify"; one without a likelihood or learner gets "softmax".')}
    classes_ : ndarray of shape (n_classes,)
    """

    _kind = "classes"
    _likelihood = "softmax"

    def _recipe_document(self) -> dict:
        if self.recipe != "auto":
            return super()._recipe_document()
        return type(self)("classify")._recipe_document()

    def _target(self, y: Any) -> list:
        y = column_or_1d(y, warn=True)
        if y.dtype.kind == "f" and not np.isfinite(y).all():
            _check_y(y, estimator=self)  # scikit-learn's words for NaN and infinity
        check_classification_targets(y)
        self._labels, places = np.unique(y, return_inverse=True)
        texts = [cell_text(label) for label in self._labels]
        if len(set(texts)) < len(texts):
            raise DataError("y: two classes have the same text")
        return [texts[place] for place in places]

    def _adopt(self, model: Model) -> None:
        super()._adopt(model)
        known = self._about["schema"]["classes"]
        labels = self.__dict__.pop("_labels", None)
        if labels is None:
            self.classes_ = np.asarray(known)
            self._order = np.arange(len(known))
            return
        texts = [cell_text(label) for label in labels]
        if len(known) != len(texts):
            raise DataError("y: some classes are one to the program, as '1' and '1.0' are")
        self.classes_ = labels
        self._order = np.array([_place(text.strip(), known) for text in texts])

    def fit(self, X: Any, y: Any) -> "GPClassifier":
        """Learn kernel and functions; as :meth:`GPRegressor.fit`.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Numbers or text, 2 to 1000 classes.

        Returns
        -------
        self : GPClassifier
        """
        self._train(X, y)
        return self

    def _values(self, X: Any) -> np.ndarray:
        rows = self._rows(X)
        return self.model_.class_values(rows, self._threads())[:, self._order]

    def predict(self, X: Any) -> np.ndarray:
        """Predict the classes of rows.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        values = self._values(X)
        return self.classes_[np.argmax(values, axis=1)]

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes: averages over the posterior of the functions.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``. AttributeError for support vector machines.
        """
        return self._values(X)


def load(path: Union[str, "os.PathLike[str]"]) -> _Model:
    """Read a model file of this package or of ``alacarte train``.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    model : GPRegressor, GPClassifier or GPCountRegressor
        As the target was. Classes are text. Where the training table had names, frames need them.
    """
    model = Model.read(os.fspath(path))
    about = json.loads(model.describe())
    kinds = {kind._kind: kind for kind in (GPRegressor, GPClassifier, GPCountRegressor)}
    schema = about["schema"]
    if "sparse_inputs" in schema:
        raise IoError(f"{path}: is a model of sparse rows, which this package does not take")
    config = schema["config"]
    if config["missing"] == "drop":
        raise IoError(f"{path}: drops rows with missing cells, which a prediction here cannot")
    inputs = schema["inputs"]
    categorical = [place for place, column in enumerate(inputs) if column["categorical"]]
    recipe = {key: value for key, value in about["recipe"].items() if key != "data"}
    estimator = kinds[about["target"]](
        recipe,
        random_state=about["seed"],
        categorical=categorical or "auto",
        missing=config["missing"],
        unseen=config["unseen"],
    )
    estimator.n_features_in_ = len(inputs)
    estimator._categorical_places = categorical
    if schema["has_names"]:
        estimator.feature_names_in_ = np.array([column["name"] for column in inputs], dtype=object)
    estimator._adopt(model)
    return estimator

"""Classification."""

from __future__ import annotations

import warnings
from typing import Any, Optional

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import column_or_1d
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_y

from ._alacarte import Model
from ._errors import DataError, Error, TrainingWarning
from ._frames import cell_text
from ._model import PARAMETERS, PROBABILITIES, ModelBase
from ._recipes import read_recipe
from ._tables import naming
from ._targets import labels_with_gaps


def _place(label: str, known: list) -> int:
    """Where the library has a class: by its text, or by its value where that is a number in another form."""
    label = label.strip(" \t\r\n")  # the library strips these, and no other blanks
    if label in known:
        return known.index(label)
    value = _number(label)
    return [_number(name) for name in known].index(value) if value is not None else -1


def _number(text: str) -> Optional[float]:
    try:
        return float(text)
    except ValueError:
        return None


def _is_machine(model: "GPClassifier") -> bool:
    """Whether a model is a support vector machine, or will be one by its recipe."""
    if hasattr(model, "model_"):
        return not model._about["probabilities"]
    try:
        learner = read_recipe(model.recipe).get("learner")
    except Error:  # fit says what is wrong
        return False
    return isinstance(learner, dict) and learner.get("kind") == "svm"


def _has_decision_values(model: "GPClassifier") -> bool:
    if not _is_machine(model):
        raise AttributeError("decision_function: a model with probabilities has predict_proba")
    return True


def _has_probabilities(model: "GPClassifier") -> bool:
    if _is_machine(model):
        raise AttributeError("predict_proba: a support vector machine has no probabilities")
    return True


class GPClassifier(ClassifierMixin, ModelBase):
    __doc__ = f"""Gaussian-process classification of any number of classes.

    Parameters
    ----------
    {PARAMETERS.format(auto='One without a likelihood or learner gets "softmax".', loo=PROBABILITIES)}
    classes_ : ndarray of shape (n_classes,)
    """

    _kind = "classes"
    _likelihood = "softmax"

    def _target(self, y: Any) -> list:
        known = None
        if not self.strict:
            y, known = labels_with_gaps(y)
        with naming("y"):
            y = column_or_1d(y, warn=True)
            if y.dtype.kind == "f" and not np.isfinite(y).all():
                with naming("y", y, finite=True):
                    _check_y(y, estimator=self)  # scikit-learn's error for NaN and infinity
            check_classification_targets(y)
            self._labels, places = np.unique(y, return_inverse=True)
        texts = [cell_text(label) for label in self._labels]
        if len(set(texts)) < len(texts):
            raise DataError("y: two classes have the same text")
        labels = iter([texts[place] for place in places])
        return list(labels) if known is None else [next(labels) if is_known else "" for is_known in known]

    def _adopt(self, model: Model) -> None:
        super()._adopt(model)
        known = self._about["schema"]["classes"]
        labels = self.__dict__.pop("_labels", None)
        if labels is None:
            self.classes_ = np.asarray(known)
            self._order = None
            return
        places = [_place(cell_text(label), known) for label in labels]
        kept = [place >= 0 for place in places]  # a class whose rows all have weight 0 is ignored
        order = [place for place in places if place >= 0]
        if len(set(order)) < len(order):
            raise DataError("y: some classes are one to the program, as '1' and '1.0' are")
        if sorted(order) != list(range(len(known))):
            raise DataError("y: the classes are not those that the model has")
        for label, is_kept in zip(labels, kept):
            if not is_kept:
                warnings.warn(
                    f"y: the rows of the class {label!r} are left out: the label is a word for a missing value, or "
                    "they have no weight",
                    TrainingWarning,
                    stacklevel=5,
                )
        self.classes_ = labels[kept]
        self._order = None if order == list(range(len(known))) else order

    def _in_order(self, values: np.ndarray) -> np.ndarray:
        """What the library has of classes, as classes_ are ordered; a copy only where that is another order."""
        return values if self._order is None else values[..., self._order]

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, time: Any = None
    ) -> "GPClassifier":
        """Learn kernel and functions; as :meth:`GPRegressor.fit`.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Numbers or text, 2 to 1000 classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Divide the noise variances of rows, or multiply their log likelihoods; rows of weight 0 are as if absent.
        groups : array-like of shape (n_samples,), default=None
            A label of each row, such as its subject: rows of one group are never on both sides of a split of the training
            rows, and left-out predictions are of whole groups.
        time : array-like of shape (n_samples,), default=None
            A number or date of each row: splits train on the past and test on the future.

        Returns
        -------
        self : GPClassifier
        """
        self._train(X, y, sample_weight, groups=groups, times=time)
        return self

    @property
    def loo_predictions_(self) -> np.ndarray:
        """Leave-one-out probabilities; see the class."""
        return self._in_order(self._require_left_out())

    def _values(self, X: Any) -> np.ndarray:
        rows = self._rows(X)
        return self._in_order(self.model_.class_values(rows, self._threads()))

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

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of :meth:`predict_proba`.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples, n_classes)
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @available_if(_has_decision_values)
    def decision_function(self, X: Any) -> np.ndarray:
        """Decision values of support vector machines, which have no probabilities.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        values : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Of two classes one value a row, above 0 for the second of ``classes_``; otherwise one for each class, the largest
            of which is that of :meth:`predict`. AttributeError for models with probabilities.
        """
        values = self._values(X)
        return values if values.shape[1] > 2 else 0.5 * (values[:, 1] - values[:, 0])

    def predict_one(self, x: Any) -> Any:
        """Predict the class of one row, for servers, which have one at a time.

        Parameters
        ----------
        x : array-like of shape (n_features,)

        Returns
        -------
        label : one of ``classes_``
        """
        row = self._one(x)
        return self.classes_[np.argmax(self._in_order(self.model_.class_values_of_one(row)))]

    @available_if(_has_probabilities)
    def predict_proba_one(self, x: Any) -> np.ndarray:
        """Probabilities of the classes of one row.

        Parameters
        ----------
        x : array-like of shape (n_features,)

        Returns
        -------
        probabilities : ndarray of shape (n_classes,)
            Those of :meth:`predict_proba`, to rounding.
        """
        row = self._one(x)
        return self._in_order(self.model_.class_values_of_one(row))

"""Feature maps as scikit-learn's transformers."""

from __future__ import annotations

import json
import time
from typing import Any, Callable, Optional, Sequence, Union

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ._alacarte import Features, Model
from ._base import AlacarteBase, Encoding, unchanged_unless_done
from ._progress import progress_function
from ._recipes import RecipeSource
from ._tables import numeric_target


class FeatureMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, AlacarteBase):
    """Features psi(x) whose inner products are a kernel; any recipe with a feature map.

    Parameters
    ----------
    recipe : str, path or dict, default="rbf"
        A recipe by name (:func:`alacarte.recipes`), file or content; no mixture and no exact kernel.
    learn : bool, default=False
        False: the map with which training would start, from the rows alone. True: learned by the evidence of y.
    seconds : float, default=None
        Time for all of fit, where there is a training.
    threads : int, default=None
        None: all processors, or ``OMP_NUM_THREADS``.
    random_state : int, RandomState or None, default=0
        Seed of draws and starts.
    categorical : "auto" or list of columns, default="auto"
        Columns that hold categories whatever their cells are, by name or position.
    missing : {"auto", "error", "mean"}, default="auto"
        Treatment of missing cells, as by :class:`alacarte.GPRegressor`.
    unseen : {"auto", "error", "zero"}, default="auto"
        Treatment of categories that no training row had, as by :class:`alacarte.GPRegressor`.
    strict : bool, default=False
        What needs a guess is an error.
    progress : callable or True, default=None
        Called during a training with a dict, or a bar, as by :class:`alacarte.GPRegressor`.

    Attributes
    ----------
    columns_ : list of dict
        What became of each column: column, kind, encoding, missing, levels and remark, the last two where there are any.
    map_ : object
        The map; pickles with its draws and parameters.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only after a fit on a frame with names.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> from alacarte import FeatureMap
    >>> model = make_pipeline(FeatureMap("matern"), Ridge())
    """

    _fitted_name = "map_"

    def __init__(
        self,
        recipe: RecipeSource = "rbf",
        *,
        learn: bool = False,
        seconds: Optional[float] = None,
        threads: Optional[int] = None,
        random_state: Any = 0,
        categorical: Union[str, Sequence[Any]] = "auto",
        missing: str = "auto",
        unseen: str = "auto",
        strict: bool = False,
        progress: Union[Callable[[dict], Any], bool, None] = None,
    ):
        self.recipe = recipe
        self.learn = learn
        self.seconds = seconds
        self.threads = threads
        self.random_state = random_state
        self.categorical = categorical
        self.missing = missing
        self.unseen = unseen
        self.strict = strict
        self.progress = progress

    def fit(self, X: Any, y: Any = None) -> "FeatureMap":
        """Make the map.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None
            Numbers; only for ``learn=True``.

        Returns
        -------
        self : FeatureMap
        """
        with unchanged_unless_done(self):
            self._make(X, y)
        return self

    def _make(self, X: Any, y: Any) -> None:
        began = time.monotonic()
        columns = self._fit_columns(X)
        document = self._recipe_document()
        if self.learn:
            document = {**document, "copies": 1}
        recipe = self._recipe_text(document, columns)
        if not self.learn:
            table = columns.with_target(np.zeros(len(columns.numbers)), "y")
            self.map_ = Features.start(recipe, table, self._seed())
        else:
            if y is None:
                raise ValueError("y: learn=True needs targets")
            target = numeric_target(y, self)
            table = columns.with_target(target, "y")
            with progress_function(self.progress) as progress:
                spent = time.monotonic() - began
                model = Model.fit(recipe, table, self._seed(), self._threads(), progress, spent)
            self.map_ = Features.of_model(model)
            self._warn(model, 4)
        self._encoding = Encoding(json.loads(self.map_.describe())["schema"])

    def transform(self, X: Any) -> np.ndarray:
        """The features of rows.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            float64 in C or Fortran order is not copied, other arrays are once.

        Returns
        -------
        psi : ndarray of shape (n_samples, n_features_out), in Fortran order
        """
        rows = self._rows(X)
        return self.map_.transform(rows, self._threads())

    @property
    def _n_features_out(self) -> int:
        check_is_fitted(self, "map_")
        return self.map_.count()

    @property
    def input_names_(self) -> list:
        """Names of the encoded inputs: a category's are ``column=value``."""
        check_is_fitted(self, "map_")
        return json.loads(self.map_.describe())["input_names"] or [str(c) for c in range(self.n_features_in_)]

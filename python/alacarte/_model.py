"""What all models share: parameters, training, saving."""

from __future__ import annotations

import json
import os
import re
import time
import warnings
from typing import Any, Callable, Optional, Sequence, Union

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._alacarte import Model, target_of
from ._arguments import path_text
from ._base import AlacarteBase, Encoding, relevance_of, unchanged_unless_done
from ._errors import ConfigError, DataError, TrainingWarning
from ._progress import progress_function
from ._recipes import RecipeSource
from ._tables import naming, positive_of_rows, row_weights

MEAN_AND_STD = "tuple of ndarray (n_samples,): means and standard deviations"
PROBABILITIES = "ndarray of shape (n_samples, n_classes)"
PARAMETERS = """recipe : str, path or dict, default="auto"
        A recipe by name (:func:`alacarte.recipes`), file or content. {auto}
    seconds : float, default=None
        Time for all of fit (the recipe's ``training.seconds``): the best model that fits into it.
    threads : int, default=None
        None: all processors, or ``OMP_NUM_THREADS``.
    random_state : int, RandomState or None, default=0
        Seed of draws and starts; the same seed and threads give the same bits.
    categorical : "auto" or list of columns, default="auto"
        Columns that hold categories whatever their cells are, by name or position, besides those of categorical types. All
        cells of the others decide what they are.
    missing : {{"auto", "error", "mean"}}, default="auto"
        Missing cells take the mean of the training rows, beside an indicator where at least three rows lack the value (of a
        category: they are one); "mean": without indicator; "error": they are one. "auto" is the latter where strict.
    unseen : {{"auto", "error", "zero"}}, default="auto"
        A category that no training row had is none of the categories, or an error. "auto" is the latter where strict.
    strict : bool, default=False
        What needs a guess is an error: gaps, categories that no training row had, texts and dates among numbers, rows
        without a target, frames with other columns than at fit or in another order.
    warm_start : bool, default=False
        A later fit, or the first one of a loaded model, begins at the hyperparameters of the model it has: all of them if
        the recipe has its models, else length-scales and noise.
    progress : callable or True, default=None
        Called during fit, on the calling thread, with a dict: fit, stage, iteration, evaluation, objective, seconds and
        seconds_left. True: a bar of tqdm.

    Attributes
    ----------
    columns_ : list of dict
        What became of each column: column, kind, encoding, missing, levels and remark, the last two where there are any.
    model_ : object
        The trained model; pickles as the bytes of its model file.
    training_ : dict
        What the model file says of the training: rows, seconds, seasons, leave-one-out scores and more.
    log_marginal_likelihood_ : float
        Log evidence of the training targets in standard units; of several fits the log of their mean evidence.
        AttributeError for learners without one.
    loo_predictions_ : {loo}
        Leave-one-out predictions of the training rows, with the kernel that all rows chose; NaN in the rows that were not
        drawn where there are more than 100,000. AttributeError where there are none: of learners svm and logistic, and
        of models that were read from a file.
    relevance_ : dict of str to float
        For each encoded input the root mean square frequency of the function along it, in radians a standard unit: 0
        means no influence. AttributeError for kernels without one.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only after a fit on a frame with names.
"""


def column_count(y: Any) -> int:
    """Of targets: 1 unless they are a table."""
    shape = getattr(y, "shape", None)
    if shape is None:
        try:
            shape = np.asarray(y).shape
        except (TypeError, ValueError):  # ragged; the conversion of one target names the fault
            return 1
    return shape[1] if len(shape) == 2 else 1


#: Parameters of other libraries, and what to write here.
_ELSEWHERE = {
    "kernel": "name a recipe, such as recipe=\"exact-matern\", or give a dict with \"model\" and \"terms\"",
    "alpha": "the noise is learned; recipe={\"model\": .., \"noise\": {\"sd\": .., \"trained\": False}} holds it, and "
    "fit(noise_sd=..) takes that of each row",
    "normalize_y": "targets are standardised, unless the recipe has \"scale\": {\"target\": \"none\"}",
    "optimizer": "the evidence is maximised by L-BFGS; recipe={.., \"training\": {\"iterations\": 0}} leaves it out",
    "n_restarts_optimizer": "recipe={.., \"training\": {\"starts\": ..}} has more starts",
    "n_jobs": "threads=.. is the number of threads",
    "verbose": "progress=True shows a bar",
    "seed": "random_state=.. is the seed",
}


class ModelBase(AlacarteBase):
    """Fitting, saving and loading, whatever the target is."""

    _fitted_name = "model_"

    def __new__(cls, *arguments: Any, **named: Any) -> "ModelBase":
        for name in named:
            if name in _ELSEWHERE:
                raise TypeError(f"{cls.__name__} has no {name}; {_ELSEWHERE[name]}")
        return super().__new__(cls)

    def __init__(
        self,
        recipe: RecipeSource = "auto",
        *,
        seconds: Optional[float] = None,
        threads: Optional[int] = None,
        random_state: Any = 0,
        categorical: Union[str, Sequence[Any]] = "auto",
        missing: str = "auto",
        unseen: str = "auto",
        strict: bool = False,
        warm_start: bool = False,
        progress: Union[Callable[[dict], Any], bool, None] = None,
    ):
        self.recipe = recipe
        self.seconds = seconds
        self.threads = threads
        self.random_state = random_state
        self.categorical = categorical
        self.missing = missing
        self.unseen = unseen
        self.strict = strict
        self.warm_start = warm_start
        self.progress = progress

    def _recipe_document(self) -> dict:
        document = super()._recipe_document()
        if self._likelihood and "likelihood" not in document and "learner" not in document:
            document["likelihood"] = self._likelihood
        return document

    def _train(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        noise_sd: Any = None,
        groups: Any = None,
        times: Any = None,
        exposure: Any = None,
    ) -> None:
        with unchanged_unless_done(self):
            self._train_anew(X, y, sample_weight, noise_sd, groups, times, exposure)

    def _train_anew(
        self, X: Any, y: Any, sample_weight: Any, noise_sd: Any, groups: Any, times: Any, exposure: Any
    ) -> None:
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None."
            )
        began = time.monotonic()
        columns = self._fit_columns(X)
        columns.split_by(groups, times)
        if exposure is not None and columns.sparse is not None:
            raise DataError("exposure: is of dense X; give it X.toarray()")
        columns.exposure = positive_of_rows("exposure", exposure, columns.shape[0])
        weights = row_weights(sample_weight, columns.shape[0])
        noise = positive_of_rows("noise_sd", noise_sd, columns.shape[0])
        if sample_weight is not None and noise is not None:
            raise ConfigError("noise_sd: a row has a weight or a known noise, not both")
        key = "noise_sd" if noise is not None else "weights" if weights is not None else ""
        weights = weights if noise is None else noise
        recipe = self._recipe_text(self._recipe_document(), columns, key)
        if target_of(recipe) != self._kind:
            raise ConfigError(f"recipe: is of {target_of(recipe)}, and {type(self).__name__} is of {self._kind}")
        self.__dict__.pop("models_", None)
        if column_count(y) > 1:
            return self._train_targets(columns, y, weights, recipe, began)
        name = getattr(y, "name", None)
        target = self._target(y)
        table = columns.with_target(target, name if isinstance(name, str) else "y", weights)
        with progress_function(self.progress) as progress:
            spent = time.monotonic() - began
            start = self.__dict__.get("model_") if self.warm_start else None
            model = Model.fit(recipe, table, self._seed(), self._threads(), progress, spent, start)
        self._adopt(model)
        learned = model.learned_rows()  # none: all
        if self._left_out is not None and learned:
            own, self._left_out = self._left_out, np.full((columns.shape[0], self._left_out.shape[1]), np.nan)
            self._left_out[learned] = own
        self._warn(model, 5)
        self._warn_of_gaps(target)

    def _warn_of_gaps(self, target: Any) -> None:
        """Say that rows without a target are left out."""
        count = target.count("") if isinstance(target, list) else int(np.isnan(target).sum())
        if count > 0:
            rows = "1 row without a value is" if count == 1 else f"{count} rows without a value are"
            warnings.warn(f"y: {rows} left out", TrainingWarning, stacklevel=6)

    def _train_targets(self, columns: Any, y: Any, weights: Any, recipe: str, began: float) -> None:
        """Of y with several columns."""
        raise DataError(f"y: has {column_count(y)} columns, and {type(self).__name__} has one target")

    def _adopt(self, model: Model) -> None:
        self.model_ = model
        self._about = json.loads(model.describe())
        self._encoding = Encoding(self._about["schema"])
        self.training_ = self._about["training"]
        self._left_out = self._left_out_of(model)

    def _left_out_of(self, model: Model) -> Optional[np.ndarray]:
        left_out = model.left_out()
        if left_out is None:
            return None
        rows, values = left_out
        if not rows:
            return values
        calibrated = self.training_.get("calibrated", {}).get("rows", 0)
        given = self.training_.get("rows_given", self.training_["rows"] + calibrated)
        full = np.full((given, values.shape[1]), np.nan)
        full[rows] = values
        return full

    def _require_one_target(self, what: str) -> None:
        models = self.__dict__.get("models_")
        if models:
            raise AttributeError(f"{what}: is of one target, and the model has {len(models)}")

    def _require_left_out(self) -> np.ndarray:
        check_is_fitted(self, "model_")
        self._require_one_target("loo_predictions_")
        if self._left_out is None:
            raise AttributeError("loo_predictions_: this learner has none, or the model was read from a file or updated")
        return self._left_out

    def _one(self, x: Any) -> Any:
        """A row as predict_one() of the library takes it."""
        if "model_" not in self.__dict__:
            check_is_fitted(self, "model_")
        encoding = self._encoding
        # The cells of a series go by their names.
        is_named = encoding.names is not None and hasattr(x, "iloc") and list(x.index) != encoding.names
        if not encoding.strict and encoding.is_identity and not is_named or encoding.strict and not (
            self._categorical_places or encoding.allow_nan
        ):
            try:
                with naming("x"):
                    row = np.asarray(x, dtype=np.float64)
                if encoding.strict or row.ndim != 1 or not np.isnan(row @ row):
                    return row
            except (TypeError, DataError):
                if encoding.strict:
                    raise
        with naming("x"):
            X = x.to_frame().T if hasattr(x, "to_frame") and hasattr(x, "iloc") else np.asarray(x, dtype=object)[None]
        if X.ndim != 2:
            raise DataError(f"x: is not one row of {self.n_features_in_} cells")
        return self._rows(X)[0]

    def count_unseen(self, X: Any) -> np.ndarray:
        """How many inputs of each row have a value that no training row had: an unknown level, or a gap in a column
        that had none. Such a row is predicted all the same, with the wider error bars of what is not known.

        Parameters
        ----------
        X : array or data frame (rows, columns)

        Returns
        -------
        counts : array of int (rows,)

        Raises
        ------
        ConfigError
            For a model that was fitted with ``strict=True``, which refuses such rows.
        """
        check_is_fitted(self, "model_")
        if self._encoding.strict:
            raise ConfigError("count_unseen: the model was fitted with strict=True, which counts no values")
        columns, places = self._columns_after_fit(X)
        if columns.sparse is not None:
            return np.zeros(columns.shape[0], dtype=np.int64)
        return self.model_.count_unseen(columns.inputs(places, self._encoding.names))

    def summary(self) -> str:
        """The text of ``alacarte inspect``: what became of the columns, how training went, and what the model learned.

        Returns
        -------
        text : str
        """
        check_is_fitted(self, "model_")
        return self.model_.summary()

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Write a model file, which ``alacarte predict`` and :func:`alacarte.load` read.

        Parameters
        ----------
        path : str or path
        """
        check_is_fitted(self, "model_")
        Model.write_targets(self.__dict__.get("models_") or [self.model_], path_text(path))

    def export_c(self, path: Union[str, "os.PathLike[str]"], name: str = "alacarte") -> None:
        """Write the mean as one C99 file that needs libm alone.

        The file has ``double NAME_mean(const double *x)``, the mean in the unit of the target, and ``NAME_input_names``,
        what the numbers of ``x`` are: columns of text are indicators.

        Parameters
        ----------
        path : str or path
        name : str, default="alacarte"
            What the names in the file begin with.

        Raises
        ------
        ConfigError
            For classes and counts, and for kernels whose mean has no such formula.
        """
        check_is_fitted(self, "model_")
        self._require_one_target("export_c")
        if not isinstance(name, str) or not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name):
            raise ConfigError(f"name: {str(name)[:40]!r} is no name of C: letters, digits and _, no digit first")
        self.model_.export_c(path_text(path), name)

    @property
    def log_marginal_likelihood_(self) -> float:
        """Log evidence; see the class."""
        check_is_fitted(self, "model_")
        self._require_one_target("log_marginal_likelihood_")
        values = [(fit["summary"] or {}).get("log_evidence") for fit in self._about["fits"]]
        if not values or any(value is None for value in values):
            raise AttributeError("log_marginal_likelihood_: this learner has none")
        return float(np.logaddexp.reduce(values) - np.log(len(values)))

    @property
    def relevance_(self) -> dict:
        """Relevance of each encoded input; see the class."""
        check_is_fitted(self, "model_")
        names = self._about["input_names"] or [str(c) for c in range(self.n_features_in_)]
        relevance = relevance_of(self._about["fits"], names)
        for model in self.__dict__.get("models_") or []:
            if relevance_of(json.loads(model.describe())["fits"], names) != relevance:
                self._require_one_target("relevance_")
        if relevance is None:
            raise AttributeError("relevance_: this kernel has none")
        return relevance

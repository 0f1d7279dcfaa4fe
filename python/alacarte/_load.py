"""Model files as estimators."""

from __future__ import annotations

import json
import os
from typing import Union

import numpy as np

from ._alacarte import Model
from ._arguments import path_text
from ._base import Encoding
from ._classifier import GPClassifier
from ._errors import IoError
from ._model import ModelBase
from ._regressors import GPCountRegressor, GPRegressor


def _let_noise_go(recipe: dict) -> None:
    """Of a model of known noise, whose training held it: another training sees for itself whether it is known."""
    for part in (recipe, *recipe.get("members", [])):
        noise = part.get("noise", {})
        if noise.get("trained") is False and noise.get("sd") == 1:
            part["noise"] = {key: value for key, value in noise.items() if key not in ("sd", "trained")}


def load(path: Union[str, "os.PathLike[str]"]) -> ModelBase:
    """Read a model file of this package or of ``alacarte train``.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    model : GPRegressor, GPClassifier or GPCountRegressor
        As the target was. Classes are text. Where the training table had names, frames need them.
    """
    models = Model.read_targets(path_text(path))
    model = models[0]
    document = json.loads(model.describe())
    kinds = {kind._kind: kind for kind in (GPRegressor, GPClassifier, GPCountRegressor)}
    schema = document["schema"]
    config = schema["config"]
    if config["missing"] == "drop":
        raise IoError(f"{path}: drops rows with missing cells, which a prediction here cannot")
    encoding = Encoding(schema)
    strict = encoding.strict
    categorical = [place for place, column in enumerate(schema.get("inputs", [])) if strict and column["categorical"]]
    recipe = {key: value for key, value in document["recipe"].items() if key != "data"}
    if config.get("noise_sd"):
        _let_noise_go(recipe)
    estimator = kinds[document["target"]](
        recipe,
        random_state=document["seed"],
        categorical=categorical or "auto",
        missing=config["missing"],
        unseen=config["unseen"],
        strict=strict,
    )
    estimator.n_features_in_ = schema.get("sparse_inputs", len(encoding.features))
    estimator._categorical_places = categorical
    if schema.get("has_names"):
        estimator.feature_names_in_ = np.array(encoding.features, dtype=object)
    if len(models) > 1:
        if not isinstance(estimator, GPRegressor):
            raise IoError(f"{path}: has several targets of counts, which only the program reads")
        estimator._adopt_targets(models)
    else:
        estimator._adopt(model)
    return estimator

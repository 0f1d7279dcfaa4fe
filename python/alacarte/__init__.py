"""Gaussian processes with learned kernels, by scikit-learn's conventions.

The models are those of the program ``alacarte``: its recipes, its model files, its numbers.
"""

from . import _blas
from ._alacarte import version as __version__
from ._classifier import GPClassifier
from ._errors import ConfigError, DataError, Error, IoError, NumericalError, TrainingWarning
from ._feature_map import FeatureMap
from ._load import load
from ._recipes import recipes
from ._regressors import GPCountRegressor, GPRegressor

__all__ = [
    "ConfigError",
    "DataError",
    "Error",
    "FeatureMap",
    "GPClassifier",
    "GPCountRegressor",
    "GPRegressor",
    "IoError",
    "NumericalError",
    "TrainingWarning",
    "__version__",
    "load",
    "recipes",
]

_blas.warn_if_slow()

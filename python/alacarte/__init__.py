"""Gaussian processes with learned kernels, by scikit-learn's conventions.

The models are those of the program ``alacarte``: its recipes, its model files, its numbers.
"""

from ._alacarte import version as __version__
from ._errors import ConfigError, DataError, Error, IoError, NumericalError, TrainingWarning
from ._estimators import GPClassifier, GPCountRegressor, GPRegressor, load
from ._feature_map import FeatureMap
from ._recipes import recipes

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

"""Calibrated intervals, outliers, counts that spread, uneven noise."""

import numpy as np
import pytest
from alacarte import ConfigError, GPClassifier, GPCountRegressor, GPRegressor

BASE = {"model": "exact-rbf", "training": {"starts": 1, "probe_iterations": 3, "iterations": 10}}


@pytest.fixture
def line():
    rng = np.random.default_rng(3)
    X = rng.uniform(size=(120, 1))
    return rng, X, np.sin(6 * X[:, 0]) + 0.1 * rng.normal(size=120)


def test_conformal_intervals(line):
    _, X, y = line
    recipe = {**BASE, "calibration": {"kind": "conformal", "share": 0.25}}
    model = GPRegressor(recipe, threads=1).fit(X, y)
    assert model.training_["calibrated"] == {"kind": "conformal", "rows": 30}
    mean, std, bounds = model.predict(X, return_std=True, interval=0.9)
    reach = (bounds[:, 1] - mean) / std
    np.testing.assert_allclose(reach, reach[0])
    np.testing.assert_allclose(mean - bounds[:, 0], bounds[:, 1] - mean)
    assert np.mean((bounds[:, 0] <= y) & (y <= bounds[:, 1])) > 0.8
    with pytest.raises(ConfigError, match="0.99 takes at least 99 calibration rows, and the model has 30"):
        model.predict(X, interval=0.99)


def test_temperature(line):
    _, X, y = line
    recipe = {**BASE, "calibration": {"kind": "temperature"}}
    model = GPClassifier(recipe, threads=1).fit(X, np.where(y > 0, "up", "down"))
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert model.training_["calibrated"]["temperature"] > 0


def test_outliers_leave_the_rest_alone(line):
    _, X, y = line
    wrong = y.copy()
    wrong[:4] = 1e5
    model = GPRegressor({**BASE, "likelihood": "student-t"}, threads=1).fit(X, wrong)
    assert np.abs(model.predict(X) - np.sin(6 * X[:, 0])).max() < 0.2


def test_uneven_noise(line):
    rng, X, _ = line
    y = np.sin(6 * X[:, 0]) + (0.02 + 0.5 * X[:, 0] ** 2) * rng.normal(size=120)
    model = GPRegressor({**BASE, "noise": {"varies": True}}, threads=1).fit(X, y)
    _, std = model.predict([[0.1], [0.95]], return_std=True)
    assert std[1] > 3 * std[0]
    np.testing.assert_allclose(model.predict_one([0.95], return_std=True)[1], std[1], rtol=1e-6)


def test_counts_that_spread(line):
    rng, X, _ = line
    model = GPCountRegressor({**BASE, "likelihood": "negative-binomial"}, threads=1)
    model.fit(X, rng.negative_binomial(2, 0.2, size=120))
    mean, std = model.predict(X[:5], return_std=True)
    assert (std > 1.3 * np.sqrt(mean)).all()


def test_positive_target(line):
    rng, X, _ = line
    y = np.exp(2 * np.sin(6 * X[:, 0]) + 0.3 * rng.normal(size=120))
    model = GPRegressor({**BASE, "scale": {"target": "log"}}, threads=1).fit(X, y)
    mean, std, bounds = model.predict(X, return_std=True, interval=0.95)
    assert bounds.min() > 0
    np.testing.assert_array_less(np.sqrt(bounds[:, 0] * bounds[:, 1]), mean)  # the median is below the mean
    np.testing.assert_allclose(model.predict(X), mean)
    one = model.predict_one(X[0], return_std=True)
    np.testing.assert_allclose(one, (mean[0], std[0]), rtol=1e-6)
    with pytest.raises(ConfigError, match="scale.target"):
        model.gradient(X[:2])

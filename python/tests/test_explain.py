"""Gradients and explanations."""

import numpy as np
import pytest

from alacarte import ConfigError, GPRegressor


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(80, 3))
    y = np.sin(X[:, 0]) + 0.5 * X[:, 1] + 0.01 * rng.normal(size=80)
    return GPRegressor("exact-ard").fit(X, y), X, y


def test_gradient(fitted):
    model, X, _ = fitted
    gradient, std = model.gradient(X[:9], return_std=True)
    assert gradient.shape == std.shape == (9, 3)
    assert (std > 0).all()
    assert np.array_equal(model.gradient(X[:9]), gradient)
    for j in range(3):
        step = np.zeros(3)
        step[j] = 1e-4
        slope = (model.predict(X[:9] + step) - model.predict(X[:9] - step)) / 2e-4
        assert np.abs(slope - gradient[:, j]).max() < 1e-6 * max(1, np.abs(slope).max())
    assert np.abs(gradient[:, 0] - np.cos(X[:9, 0])).max() < 0.2


def test_gradient_is_refused():
    X = np.random.default_rng(0).uniform(size=(30, 2))
    model = GPRegressor({"model": "gcws"}).fit(X, X[:, 0])
    with pytest.raises(ConfigError, match="the map 'gcws' is not smooth"):
        model.gradient(X)


def test_explain(fitted):
    model, X, y = fitted
    found = model.explain(X, y, row=4)
    importance = {own["input"]: own["increase"] for own in found["importance"]["inputs"]}
    names = [own["input"] for own in found["partial_dependence"]]
    assert len(names) == 3 and min(importance.values()) < 0.02 < max(importance.values())
    shapley = found["shapley"]
    assert shapley["row"] == 4
    total = sum(own["shapley"] for own in shapley["inputs"])
    assert abs(total - (shapley["prediction"] - shapley["average"])) < 1e-9
    assert abs(shapley["prediction"] - model.predict(X[4:5])[0]) < 1e-9
    assert model.explain(X)["importance"] is None
    with pytest.raises(ConfigError, match="row"):
        model.explain(X, row=80)
    with pytest.raises(ConfigError, match="n_repeats"):
        model.explain(X, n_repeats=1)

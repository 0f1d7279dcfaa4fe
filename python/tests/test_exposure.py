"""Counts of rows with exposures."""

import numpy as np
import pytest

import alacarte
from alacarte import ConfigError, DataError, GPCountRegressor, GPRegressor

RECIPE = {"model": "exact-rbf", "likelihood": "poisson", "training": {"starts": 1, "iterations": 20}}


@pytest.fixture(scope="module")
def exposed():
    rng = np.random.default_rng(3)
    X = rng.uniform(-3, 3, size=(200, 1))
    exposure = np.exp(rng.uniform(-2, 3, size=200))
    return X, rng.poisson(exposure * np.exp(np.sin(X[:, 0]))), exposure


def test_predictions_are_of_the_exposure(exposed, tmp_path):
    X, y, exposure = exposed
    model = GPCountRegressor(RECIPE, threads=1).fit(X, y, exposure=exposure)
    rates, log_rates = model.predict(X), model.predict(X, latent=True)
    assert np.sqrt(np.mean((log_rates - np.sin(X[:, 0])) ** 2)) < 0.2
    mean, std, bounds = model.predict(X, return_std=True, interval=0.9, exposure=exposure)
    np.testing.assert_allclose(mean, exposure * rates, rtol=1e-9)
    assert (std >= np.sqrt(mean)).all()
    assert np.mean((bounds[:, 0] <= y) & (y <= bounds[:, 1])) > 0.85
    low, high = model.predict_quantiles(X, [0.05, 0.95], exposure=exposure).T
    np.testing.assert_array_equal(np.column_stack([low, high]), bounds)
    assert (model.predict_above(X, 0.5, exposure=exposure)[exposure > 1] > model.predict_above(X, 0.5)[exposure > 1]).all()
    assert model.predict_one(X[3], exposure=exposure[3]) == pytest.approx(mean[3], rel=1e-9)
    assert model.predict_one(X[3]) == pytest.approx(rates[3], rel=1e-9)
    assert np.corrcoef(model.loo_predictions_[0], y)[0, 1] > 0.9
    model.save(tmp_path / "m.alacarte")
    loaded = alacarte.load(tmp_path / "m.alacarte")
    np.testing.assert_array_equal(loaded.predict(X, exposure=exposure), mean)


def test_weights_go_beside_it(exposed):
    X, y, exposure = exposed
    weights = np.where(np.arange(len(y)) % 5 == 0, 0.0, 1.5)
    model = GPCountRegressor(RECIPE, threads=1).fit(X, y, sample_weight=weights, exposure=exposure)
    kept = weights > 0
    same = GPCountRegressor(RECIPE, threads=1).fit(X[kept], y[kept], sample_weight=weights[kept], exposure=exposure[kept])
    np.testing.assert_array_equal(model.predict(X), same.predict(X))


def test_refusals(exposed):
    X, y, exposure = exposed
    for broken in (exposure - exposure.min(), np.where(exposure > 5, np.nan, exposure), exposure[:-1]):
        with pytest.raises(DataError, match="exposure"):
            GPCountRegressor(RECIPE).fit(X, y, exposure=broken)
    plain = GPCountRegressor(RECIPE, threads=1).fit(X, y)
    with pytest.raises(ConfigError, match="exposure"):
        plain.predict(X, exposure=exposure)
    with pytest.raises(TypeError):
        GPRegressor({"model": "exact-rbf"}).fit(X, y, exposure=exposure)

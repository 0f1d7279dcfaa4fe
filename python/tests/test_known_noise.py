"""Rows whose noise is known."""

import numpy as np
import pytest
from conftest import QUICK
from sklearn.base import clone

import alacarte
from alacarte import ConfigError, DataError, GPRegressor

RECIPE = {"model": "exact-rbf", "priors": False, "training": {"starts": 1, "iterations": 8}}


def rows():
    rng = np.random.default_rng(3)
    X = rng.uniform(0, 6, (80, 1))
    sd = np.where(np.arange(80) % 2, 2.0, 0.25)
    return X, np.sin(X[:, 0]) + sd * rng.normal(size=80), sd


def test_known_noise_is_that_of_each_row(tmp_path):
    X, y, sd = rows()
    model = GPRegressor(RECIPE, threads=1).fit(X, y, noise_sd=sd)
    mean, observed, bounds = model.predict(X, return_std=True, interval=0.9, noise_sd=sd)
    again, latent = model.predict(X, return_std=True, latent=True)
    np.testing.assert_array_equal(mean, again)
    np.testing.assert_allclose(observed**2 - latent**2, sd**2, rtol=1e-9)
    np.testing.assert_allclose(bounds[:, 1] - bounds[:, 0], 2 * 1.6448536 * observed, rtol=1e-6)
    low, high = model.predict_quantiles(X, [0.05, 0.95], noise_sd=sd).T
    np.testing.assert_allclose(np.column_stack([low, high]), bounds, rtol=1e-6, atol=1e-6)
    assert model.predict_above(X, 100.0, noise_sd=sd).max() < 1e-6
    left, left_std = model.loo_predictions_
    assert (left_std[1::2] > 2).all() and (left_std[::2] < 2).all()
    weights = {**RECIPE, "noise": {"sd": 1.0, "trained": False}}
    other = GPRegressor(weights, threads=1).fit(X, y, sample_weight=1 / sd**2)
    np.testing.assert_allclose(other.predict(X), mean, rtol=1e-9, atol=1e-9)
    model.save(tmp_path / "m.alacarte")
    np.testing.assert_array_equal(alacarte.load(tmp_path / "m.alacarte").predict(X, return_std=True, noise_sd=sd)[1], observed)
    before = model.predict([[3.0]], return_std=True, latent=True)[1]
    assert model.update(X, y, noise_sd=sd).predict([[3.0]], return_std=True, latent=True)[1] < before


def test_known_noise_refuses(problem):
    X, y, sd = rows()
    model = GPRegressor(RECIPE, threads=1).fit(X, y, noise_sd=sd)
    for call in (
        lambda: model.predict(X, return_std=True),
        lambda: model.predict(X, interval=0.9),
        lambda: model.predict_quantiles(X),
        lambda: model.predict_above(X, 1.0),
        lambda: model.predict_one(X[0], return_std=True),
        lambda: model.update(X, y),
        lambda: model.predict(X, return_cov=True, noise_sd=sd),
        lambda: GPRegressor(RECIPE).fit(X, y, sample_weight=sd, noise_sd=sd),
        lambda: GPRegressor({**RECIPE, "noise": {"varies": True}}).fit(X, y, noise_sd=sd),
        lambda: GPRegressor({**RECIPE, "likelihood": "student-t"}).fit(X, y, noise_sd=sd),
        lambda: GPRegressor(RECIPE).fit(X, np.column_stack([y, y]), noise_sd=sd),
        lambda: GPRegressor({**RECIPE, "targets": "independent"}).fit(X, np.column_stack([y, y]), noise_sd=sd),
        lambda: GPRegressor({**RECIPE, "noise": {"sd": 1.0}}).fit(X, np.column_stack([y, y])),
        lambda: GPRegressor(QUICK, threads=1).fit(X, y).predict(X, return_std=True, noise_sd=sd),
        lambda: GPRegressor({**RECIPE, "data": {"noise_sd": "s"}}).fit(X, y),
    ):
        with pytest.raises(ConfigError, match="noise|return_cov"):
            call()
    assert model.predict(X).shape == (80,) and np.isfinite(model.predict_one(X[0]))
    for bad in (0.0, -1.0, np.nan, np.inf):
        broken = sd.copy()
        broken[3] = bad
        with pytest.raises(DataError, match="noise_sd"):
            GPRegressor(RECIPE).fit(X, y, noise_sd=broken)


def test_coefficients_are_in_the_units_of_the_columns(problem):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(200, 2)) * [1.0, 100.0] + [0.0, 50.0]
    y = 3 + 2 * X[:, 0] - 0.05 * X[:, 1] + 0.01 * rng.normal(size=200)
    model = GPRegressor("linear", threads=1).fit(X, y)
    np.testing.assert_allclose(model.coef_, [2, -0.05], rtol=2e-3)
    np.testing.assert_allclose(model.intercept_, 3, atol=0.01)
    np.testing.assert_allclose(model.intercept_ + X @ model.coef_, model.predict(X), rtol=1e-8)
    assert (model.coef_std_ > 0).all() and (model.coef_std_ < 0.01).all()
    with pytest.raises(AttributeError, match="coef_"):
        GPRegressor(QUICK, threads=1).fit(X, y).coef_


def test_noise_of_any_unit_keeps_its_digits():
    X, y, sd = rows()
    expected = None
    for unit in (1.0, 1e-7, 1e-12):
        model = GPRegressor(RECIPE, threads=1).fit(X, unit * y, noise_sd=unit * sd)
        observed = model.predict(X, return_std=True, noise_sd=unit * sd)[1] / unit
        expected = observed if expected is None else expected
        np.testing.assert_allclose(observed, expected, rtol=1e-3)
        assert (observed > sd).all()


def test_a_loaded_model_learns_its_noise_anew(tmp_path):
    X, y, sd = rows()
    GPRegressor(RECIPE, threads=1).fit(X, y, noise_sd=sd).save(tmp_path / "m.alacarte")
    again = clone(alacarte.load(tmp_path / "m.alacarte"))
    flat = 0.01 * np.random.default_rng(0).normal(size=len(X))
    assert again.fit(X, flat).predict(X, return_std=True)[1].max() < 0.05

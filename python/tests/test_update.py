"""Models that learn further rows."""

import numpy as np
import pytest
from conftest import QUICK
from scipy import sparse

import alacarte
from alacarte import ConfigError, DataError, GPRegressor


def test_update_learns_rows(problem, tmp_path):
    X, y = problem
    model = GPRegressor(QUICK, threads=1).fit(X[:60], y[:60])
    before = np.sqrt(np.mean((model.predict(X[60:]) - y[60:]) ** 2))
    assert model.update(X[60:], y[60:]) is model
    assert model.training_["rows"] == len(X)
    record = model.training_["updates"][-1]
    np.testing.assert_allclose(record["before_learning"]["rmse"], before, rtol=1e-9)
    assert np.sqrt(np.mean((model.predict(X[60:]) - y[60:]) ** 2)) < before
    model.save(tmp_path / "u.alacarte")
    np.testing.assert_array_equal(alacarte.load(tmp_path / "u.alacarte").predict(X), model.predict(X))
    with pytest.raises(AttributeError, match="updated"):
        model.loo_predictions_


def test_update_weighs_and_forgets(problem):
    X, y = problem
    recipe = {"model": "exact-rbf", "training": {"starts": 1, "iterations": 5}}
    make = lambda: GPRegressor(recipe, threads=1).fit(X[:60], y[:60])  # noqa: E731
    weights = np.where(np.arange(60) % 2, 2.0, 0.0)
    weighted = make().update(X[60:], y[60:], sample_weight=weights)
    chosen = 61 + 2 * np.arange(30)
    twice = make().update(X[np.repeat(chosen, 2)], y[np.repeat(chosen, 2)])
    np.testing.assert_allclose(weighted.predict(X), twice.predict(X), atol=1e-9)
    forgetful = make().update(X[60:], y[60:], forget=0.9)
    assert np.abs(forgetful.predict(X[:60]) - y[:60]).mean() > np.abs(make().update(X[60:], y[60:]).predict(X[:60]) - y[:60]).mean()


def test_update_refuses(problem):
    X, y = problem
    model = GPRegressor(QUICK, threads=1).fit(X, y)
    with pytest.raises(ConfigError, match="forget"):
        model.update(X, y, forget=1)
    with pytest.raises(DataError, match="y: "):
        model.update(X, y[:5])
    with pytest.raises(ValueError, match="features"):
        model.update(X[:, :2], y)
    with pytest.raises(DataError, match="toarray"):
        model.update(sparse.csr_matrix(X), y)

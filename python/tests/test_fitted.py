"""What a fitted estimator offers beyond scikit-learn: one row, leave-one-out predictions, the clock, bars."""

import pickle
import sys
import time
import warnings

import numpy as np
import pandas as pd
import pytest
from conftest import QUICK
from scipy.stats import norm
from sklearn.ensemble import BaggingRegressor
from sklearn.exceptions import NotFittedError

import alacarte
from alacarte import ConfigError, DataError, FeatureMap, GPClassifier, GPCountRegressor, GPRegressor


def test_auto_is_of_every_target(problem):
    X, y = problem
    kinds = GPClassifier(seconds=20, threads=1).fit(X, np.where(y > 0, "up", "down"))
    counts = GPCountRegressor(seconds=20, threads=1).fit(X, np.rint(np.exp(y)))
    for model in (kinds, counts):
        assert model._about["recipe"]["description"].startswith("auto for 120 rows of 3 inputs")
        assert model.training_["fits"] > 1
    assert kinds.score(X, np.where(y > 0, "up", "down")) > 0.8
    assert np.corrcoef(counts.predict(X), np.exp(y))[0, 1] > 0.9


def test_one_row_of_numbers(problem):
    X, y = problem
    for recipe in (QUICK, {"model": "exact-rbf", "training": {"starts": 1, "iterations": 5}}, {**QUICK, "copies": 3}):
        model = GPRegressor(recipe, threads=1).fit(X, y)
        mean, std = model.predict(X[:10], return_std=True)
        one = [model.predict_one(row, return_std=True) for row in X[:10]]
        np.testing.assert_allclose(np.array(one), np.c_[mean, std], rtol=1e-8)
        assert isinstance(one[0][0], float)
        np.testing.assert_allclose(model.predict_one(X[::2][0]), mean[0], rtol=1e-8)


def test_one_row_of_classes_and_counts(problem):
    X, y = problem
    for edges in ([0], [-0.5, 0.5]):
        labels = np.array(["c", "a", "b"])[np.digitize(y, edges)]
        model = GPClassifier(QUICK, threads=1).fit(X, labels)
        np.testing.assert_allclose(model.predict_proba_one(X[1]), model.predict_proba(X[1:2])[0], rtol=1e-8)
        assert [model.predict_one(row) for row in X[:20]] == list(model.predict(X[:20]))
    counts = GPCountRegressor(QUICK, threads=1).fit(X, np.rint(np.exp(y)))
    np.testing.assert_allclose(counts.predict_one(X[1]), counts.predict(X[1:2])[0], rtol=1e-8)
    np.testing.assert_allclose(counts.predict_one(X[1], True), np.ravel(counts.predict(X[1:2], True)), rtol=1e-8)


def test_one_row_with_categories_and_gaps():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=40), "kind": rng.choice(["u", "v"], 40)})
    model = GPRegressor(QUICK, threads=1, unseen="error").fit(frame, frame["a"] + (frame["kind"] == "u"))
    expected = model.predict(frame[:1])[0]
    np.testing.assert_allclose(model.predict_one(frame.iloc[0]), expected, rtol=1e-8)
    with pytest.raises(DataError, match="no category"):
        model.predict_one(pd.Series({"a": 1.0, "kind": "w"}))


def test_errors_of_one_row(problem):
    X, y = problem
    with pytest.raises(NotFittedError):
        GPRegressor().predict_one(X[0])
    model = GPRegressor(QUICK, threads=1, strict=True).fit(X, y)
    for row in (X[0, :2], X[:1], 1.0, [], np.zeros((0, 3))):
        with pytest.raises(DataError, match="^x: is not one row of 3 numbers$"):
            model.predict_one(row)
    with pytest.raises(DataError, match="^x: column 2: is not finite$"):
        model.predict_one([0, np.nan, 1])
    with pytest.raises(ValueError, match="^x: "):
        model.predict_one(["a", "b", "c"])
    with pytest.raises((TypeError, ValueError), match="^x: "):
        model.predict_one([{}, None, []])


def test_one_row_takes_microseconds(problem):
    X, y = problem
    model = GPRegressor({**QUICK, "features": {"frequencies": 64}}, threads=2).fit(X, y)
    for with_std in (False, True):
        seconds = []
        for row in np.repeat(X, 10, axis=0):
            began = time.perf_counter()
            model.predict_one(row, with_std)
            seconds.append(time.perf_counter() - began)
        print(f"one row, return_std={with_std}: {1e6 * np.median(seconds):.1f} us")
        assert np.median(seconds) < 200e-6  # about 5 and 15 alone; the limit allows for a busy machine


def test_left_out_numbers(problem):
    X, y = problem
    model = GPRegressor(QUICK, threads=1).fit(X, y)
    mean, std = model.loo_predictions_
    scores = model.training_["leave_one_out"]
    np.testing.assert_allclose(np.sqrt(np.mean((mean - y) ** 2)), scores["rmse"], rtol=1e-9)
    np.testing.assert_allclose(-norm.logpdf(y, mean, std).mean(), scores["nlpd"], rtol=1e-9)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.loo_predictions_[1], std)
    # At the same kernel, a model without the row predicts about the same.
    others = np.arange(120) != 7
    left_out = GPRegressor(QUICK, threads=1).fit(X[others], y[others]).predict(X[7:8], return_std=True)
    np.testing.assert_allclose([mean[7], std[7]], np.ravel(left_out), rtol=0.2, atol=0.02)


def test_left_out_rows_of_those_that_there_was_time_for():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(4000, 4))
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=4000)
    model = GPRegressor("exact-ard", threads=1, seconds=4).fit(X, y)
    mean, std = model.loo_predictions_
    seen = ~np.isnan(mean)
    assert mean.shape == std.shape == (4000,)
    assert seen.sum() == model.training_["rows_drawn"] < 4000
    assert np.mean((mean[seen] - y[seen]) ** 2) < 0.5 * np.var(y)


def test_left_out_classes_and_counts(problem, tmp_path):
    X, y = problem
    labels = np.where(y > 0, "up", "down")
    model = GPClassifier(QUICK, threads=1).fit(X, labels)
    left_out = model.loo_predictions_
    assert left_out.shape == (120, 2)
    own = left_out[np.arange(120), (labels == "up").astype(int)]
    np.testing.assert_allclose(-np.log(own).mean(), model.training_["leave_one_out"]["log_loss"], rtol=1e-9)
    counts = GPCountRegressor(QUICK, threads=1).fit(X, np.rint(np.exp(y)))
    mean, _ = counts.loo_predictions_
    rmse = np.sqrt(np.mean((mean - np.rint(np.exp(y))) ** 2))
    np.testing.assert_allclose(rmse, counts.training_["leave_one_out"]["rmse"], rtol=1e-9)
    counts.save(tmp_path / "m")
    with pytest.raises(AttributeError, match="read from a file"):
        alacarte.load(tmp_path / "m").loo_predictions_
    assert not hasattr(GPClassifier("linear-svm", threads=1).fit(X, labels), "loo_predictions_")


def test_left_out_rows_are_drawn_where_there_are_many():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100_050, 1))
    model = GPRegressor({"model": "linear", "training": {"starts": 1, "iterations": 3}}, threads=1).fit(X, X[:, 0])
    mean, std = model.loo_predictions_
    assert mean.shape == std.shape == (100_050,)
    assert np.isnan(mean).sum() == 50
    np.testing.assert_allclose(mean[~np.isnan(mean)], X[~np.isnan(mean), 0], atol=1e-2)


class SlowRows:
    """Rows that take their time before the training can begin."""

    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __array__(self, dtype=None):
        time.sleep(0.7)
        return self.rows.astype(dtype or float)


def test_the_clock_begins_with_fit(problem):
    X, y = problem
    model = GPRegressor(QUICK, threads=1).fit(SlowRows(X), y)
    assert model.training_["seconds"] >= 0.7


def test_seconds_are_kept():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 8))
    began = time.monotonic()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "[0-9]+ fits had not begun")  # on a busy machine
        warnings.filterwarnings("ignore", ".*cut short, so that its scale is taken")  # likewise
        model = GPRegressor(seconds=4, threads=1).fit(X, np.sin(X[:, 0]))
    assert time.monotonic() - began < 12  # on a busy machine
    assert model.score(X, np.sin(X[:, 0])) > 0.8


def test_weights(problem):
    X, y = problem
    plain = GPRegressor(QUICK, threads=1).fit(X, y)
    ones = GPRegressor(QUICK, threads=1).fit(X, y, sample_weight=np.ones(len(y)))
    np.testing.assert_array_equal(plain.predict(X), ones.predict(X))
    weights = np.where(np.arange(len(y)) % 2, 1e-6, 1.0)
    wrong = np.where(np.arange(len(y)) % 2, y + 100, y)
    model = GPRegressor(QUICK, threads=1).fit(X, wrong, sample_weight=weights)
    assert np.abs(model.predict(X) - y).max() < 10
    weights[:3] = 0
    some = GPRegressor(QUICK, threads=1).fit(X, y, sample_weight=weights)
    mean, std = some.loo_predictions_
    assert np.isnan(mean[:3]).all() and np.isfinite(mean[3:]).all()
    np.testing.assert_array_equal(GPRegressor(QUICK, threads=1).fit(X[3:], y[3:], weights[3:]).predict(X), some.predict(X))
    BaggingRegressor(GPRegressor(QUICK, threads=1), n_estimators=2, random_state=0).fit(X, y, sample_weight=np.ones(len(y)))
    for bad, text in ((-1, "row 4: is negative"), (np.nan, "sample_weight")):
        broken = weights.copy()
        broken[3] = bad
        with pytest.raises(DataError, match=text):
            GPRegressor(QUICK).fit(X, y, sample_weight=broken)
    with pytest.raises(DataError, match="no row has a weight"):
        GPRegressor(QUICK).fit(X, y, sample_weight=np.zeros(len(y)))
    with pytest.raises(DataError, match="sample_weight"):
        GPRegressor(QUICK).fit(X, y, sample_weight=np.ones(3))
    svm = {"model": "linear", "learner": {"kind": "svm"}}
    with pytest.raises(ConfigError, match="/data/weights"):
        GPClassifier(svm).fit(X, y > 0, sample_weight=weights)


def test_bars(problem, monkeypatch, capsys):
    X, y = problem
    shown = pytest.importorskip("tqdm.auto")
    bars = []

    class Bar(shown.tqdm):
        def __init__(self, *arguments, **keywords):
            super().__init__(*arguments, **keywords)
            bars.append(self)

    monkeypatch.setattr(shown, "tqdm", Bar)
    GPRegressor(QUICK, threads=1, progress=True).fit(X, y)
    FeatureMap(QUICK, learn=True, threads=1, progress=True).fit(X, y)
    assert len(bars) == 2 and all(bar.n == 100 for bar in bars)
    assert "100%" in capsys.readouterr().err


def test_without_tqdm(problem, monkeypatch):
    X, y = problem
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.warns(UserWarning, match="progress=True shows nothing: tqdm is not installed"):
        GPRegressor(QUICK, threads=1, progress=True).fit(X, y)
    with pytest.raises(ConfigError, match="progress: must be None, a function, or True"):
        GPRegressor(QUICK, threads=1, progress="yes").fit(X, y)


def test_seasons_are_recorded_without_a_warning():
    t = 1990 + 0.5 * np.arange(300)
    y = np.sin(2 * np.pi * t / 12.5) + 0.1 * np.random.default_rng(0).normal(size=300)
    recipe = {"model": "exact-periodic", "training": {"starts": 1, "iterations": 10}}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = GPRegressor(recipe, threads=1).fit(t[:, None], y)
    assert not [warning for warning in caught if "season" in str(warning.message)]
    (season,) = model.training_["seasons"]
    assert season["period"] == pytest.approx(12.5, rel=0.005)
    assert season["share"] > 0.9

"""Rows with groups or times."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GroupKFold, KFold, TimeSeriesSplit, cross_val_score

from alacarte import ConfigError, DataError, GPClassifier, GPRegressor

LINE = {"model": "linear"}


def subjects(seed=0):
    """Ten rows of each of 40 subjects, whose effects are ten times as large as the noise."""
    rng = np.random.default_rng(seed)
    names = np.repeat([f"s{i:02}" for i in range(40)], 10)
    x = rng.normal(size=400)
    y = x + np.repeat(3 * rng.normal(size=40), 10) + 0.3 * rng.normal(size=400)
    return pd.DataFrame({"subject": names, "x": x}), y


def rmse(values, y):
    return float(np.sqrt(np.mean((values - y) ** 2)))


def test_left_out_predictions_are_of_whole_groups():
    X, y = subjects()
    rows = GPRegressor(LINE, threads=1, strict=True).fit(X, y)
    groups = GPRegressor(LINE, threads=1, strict=True).fit(X, y, groups=X["subject"])
    assert rmse(rows.loo_predictions_[0], y) < 0.5
    error = rmse(groups.loo_predictions_[0], y)
    assert error > 2
    # As of fits without each group.
    scores = cross_val_score(
        GPRegressor(LINE, threads=1, strict=True, unseen="zero"), X, y, groups=X["subject"], cv=GroupKFold(40),
        scoring="neg_mean_squared_error",
    )
    assert error == pytest.approx(np.sqrt(-scores.mean()), rel=0.05)


def test_splitters_of_scikit_learn_work():
    X, y = subjects()
    model = GPRegressor(LINE, threads=1, unseen="zero")
    random = cross_val_score(model, X, y, cv=KFold(5, shuffle=True, random_state=0))
    grouped = cross_val_score(model, X, y, groups=X["subject"], cv=GroupKFold(5))
    assert random.mean() > 0.95
    assert grouped.mean() < 0.5
    assert len(cross_val_score(model, X[["x"]], y, cv=TimeSeriesSplit(3))) == 3
    # What fit takes for each row is cut with the rows.
    scores = cross_val_score(model, X[["x"]], y, cv=KFold(3), fit_params={"groups": X["subject"]})
    assert np.isfinite(scores).all()


def test_kinds_of_labels_are_the_same_groups():
    X, y = subjects()
    of_text = GPRegressor(LINE, threads=1).fit(X[["x"]], y, groups=list(X["subject"])).loo_predictions_
    numbers = np.repeat(np.arange(40.0), 10)
    numbers[:10] = np.nan  # a group too
    for groups in (numbers, pd.Series(numbers), pd.Categorical(X["subject"]), np.repeat(np.arange(40), 10)):
        own = GPRegressor(LINE, threads=1).fit(X[["x"]], y, groups=groups).loo_predictions_
        np.testing.assert_array_equal(own, of_text)


def test_times_hold_out_the_last_rows():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 1))
    y = X[:, 0] + 0.1 * rng.normal(size=200)
    order = rng.permutation(200)
    days = pd.to_datetime("2024-01-01") + pd.to_timedelta(order, "D")
    expected = GPRegressor(LINE, threads=1).fit(X, y, time=order).loo_predictions_
    assert set(np.flatnonzero(np.isfinite(expected[0]))) == set(np.flatnonzero(order >= 180))
    zoned = pd.Series(days.tz_localize("Europe/Berlin"))
    since = days - days.min()
    for time in (days, since, pd.Series(days), days.to_numpy(), list(days.date), list(days.strftime("%Y-%m-%d")), zoned):
        own = GPRegressor(LINE, threads=1).fit(X, y, time=time).loo_predictions_
        np.testing.assert_array_equal(own, expected)


def test_classes_and_several_targets_take_groups():
    X, y = subjects()
    place = X["subject"].str[1:].astype(int)
    features = np.column_stack([place % 7, place // 7, X["x"]])
    model = GPClassifier({"model": "ard", "training": {"starts": 1, "iterations": 5}}, threads=1)
    model.fit(features, y > 0, groups=place)
    left_out = place[np.isfinite(model.loo_predictions_[:, 0])]
    assert 10 <= len(left_out) < 400 and (left_out.value_counts() == 10).all()
    both = GPRegressor(LINE, threads=1).fit(features, np.column_stack([y, -y]), groups=place)
    assert "left-out predictions are of whole groups, of 40 of them" in both.training_["notes"]


def test_what_cannot_split_is_refused():
    X, y = np.arange(6.0)[:, None], np.arange(6.0)
    fit = GPRegressor(LINE, threads=1).fit
    for error, match, how in (
        (ConfigError, "1 group", {"groups": ["a"] * 6}),
        (ConfigError, "one time", {"time": [3] * 6}),
        (ConfigError, "not by both", {"groups": y, "time": y}),
        (DataError, "groups: has the shape", {"groups": [1, 2]}),
        (DataError, "time: row 2", {"time": [1, None, 3, 4, 5, 6]}),
        (DataError, "time: row 3", {"time": pd.to_datetime(["2024-01-01", "2024-01-02", None, *["2024-01-03"] * 3])}),
        (DataError, "neither numbers nor dates", {"time": ["soon"] * 6}),
    ):
        with pytest.raises(error, match=match):
            fit(X, y, **how)

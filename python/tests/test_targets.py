"""Several targets."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from conftest import QUICK

import alacarte
from alacarte import ConfigError, DataError, GPCountRegressor, GPRegressor, IoError


def two(problem):
    X, y = problem
    return X, np.column_stack([y, 10 + np.sin(X[:, 1]) + 0.3 * np.random.default_rng(0).normal(size=len(y))])


def test_several_targets(problem, tmp_path):
    X, Y = two(problem)
    model = GPRegressor(QUICK, threads=1).fit(X, Y)
    mean, std, bounds = model.predict(X[:9], return_std=True, interval=0.9)
    assert mean.shape == std.shape == (9, 2) and bounds.shape == (9, 2, 2)
    np.testing.assert_array_equal(model.predict(X[:9]), mean)
    assert ((mean > bounds[:, 0]) & (mean < bounds[:, 1])).all()
    assert model.score(X, Y) > 0.4
    kernels = [m.describe() for m in model.models_]
    assert len(kernels) == 2
    model.save(tmp_path / "both.alacarte")
    for other in (alacarte.load(tmp_path / "both.alacarte"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.predict(X[:9]), mean)
    slopes, slope_std = model.gradient(X[:9], return_std=True)
    assert slopes.shape == slope_std.shape == (9, X.shape[1], 2) and (slopes[..., 0] != slopes[..., 1]).all()
    np.testing.assert_array_equal(model.gradient(X[:9]), slopes)
    assert set(model.relevance_.values())
    more = model.update(X[:20], Y[:20]).training_
    assert more["rows"] == len(X) + 20
    assert model.predict(X[:9]).shape == (9, 2)


def test_independent_targets(problem):
    X, Y = two(problem)
    each = GPRegressor({**QUICK, "targets": "independent"}, threads=1).fit(X, Y)
    alone = GPRegressor(QUICK, threads=1).fit(X, Y[:, 1])
    np.testing.assert_array_equal(each.predict(X)[:, 1], alone.predict(X))
    with pytest.raises(AttributeError, match="relevance_: is of one target"):
        each.relevance_


def test_several_targets_refuse(problem):
    X, Y = two(problem)
    model = GPRegressor(QUICK, threads=1).fit(X, Y)
    with pytest.raises(AttributeError, match="one target"):
        model.predict_one(X[0])
    for call in (lambda: model.explain(X), lambda: model.export_c("no.c")):
        with pytest.raises(AttributeError, match="one target"):
            call()
    with pytest.raises(ConfigError, match="one target"):
        model.predict(X, return_cov=True)
    with pytest.raises(DataError, match="columns"):
        model.update(X, Y[:, 0])
    with pytest.raises(DataError, match="columns"):
        GPCountRegressor(QUICK, threads=1).fit(X, np.ones((len(X), 2)))
    one = model.fit(X, Y[:, 0])
    assert one.predict(X).shape == (len(X),) and "models_" not in one.__dict__


def test_targets_have_columns_of_their_own(problem, tmp_path, program):
    X, Y = two(problem)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    for rows, targets, names in (
        (X, Y, ["3", "4"]),
        (frame, pd.DataFrame(Y, columns=["u", "v"]), ["u", "v"]),
        (frame, pd.DataFrame(Y, columns=["c", "c_"]), ["c_", "c__"]),
    ):
        model = GPRegressor(QUICK, threads=1).fit(rows, targets)
        model.save(tmp_path / "both.alacarte")
        table = np.column_stack([X, Y])
        header = ",".join(["a", "b", "c", *names]) if names[0] != "3" else ""
        np.savetxt(tmp_path / "t.csv", table, delimiter=",", header=header, comments="")
        scores = json.loads(program("evaluate", tmp_path / "both.alacarte", "--data", tmp_path / "t.csv").stdout)
        assert list(scores["targets"]) == names
        expected = np.sqrt(np.mean((model.predict(rows) - Y) ** 2, axis=0))
        np.testing.assert_allclose([scores["targets"][name]["rmse"] for name in names], expected, rtol=1e-9)
    with pytest.raises(DataError, match="two of its columns have the same name"):
        GPRegressor(QUICK, threads=1).fit(X, pd.DataFrame(Y, columns=["u", "u"]))


def test_counts_of_several_targets_are_of_the_program(problem, tmp_path, program):
    X, _ = problem
    counts = np.random.default_rng(1).poisson(2, (len(X), 2))
    np.savetxt(tmp_path / "t.csv", np.column_stack([X, counts]), delimiter=",", header="a,b,c,u,v", comments="")
    keys = ["--set", "/targets=independent", "--set", '/likelihood="poisson"', "--set", "/training/iterations=3"]
    program("train", "exact-rbf", "--data", tmp_path / "t.csv", "--target", "u,v", "--model", tmp_path / "m", *keys)
    with pytest.raises(IoError, match="several targets of counts"):
        alacarte.load(tmp_path / "m")

"""CSR rows, for the recipes that take them: the zeros are never laid out."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from conftest import QUICK
from scipy import sparse
from sklearn.datasets import dump_svmlight_file
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

import alacarte
from alacarte import ConfigError, DataError, FeatureMap, GPClassifier, GPCountRegressor, GPRegressor

LINEAR = {"model": "linear", "scale": {"inputs": "none"}, "training": {"starts": 1, "iterations": 15}}
SKETCH = {**LINEAR, "model": "tensor-sketch", "features": {"sketch": 64, "learn_lengthscale": False}}


def rows(count=200, width=30, seed=0):
    rng = np.random.default_rng(seed)
    X = sparse.random(count, width, 0.2, "csr", random_state=seed, data_rvs=lambda n: rng.normal(size=n))
    f = X @ np.linspace(-1, 1, width)
    return X, f + 0.05 * rng.normal(size=count)


def test_numbers():
    X, y = rows()
    model = GPRegressor(LINEAR, threads=1).fit(X[:150], y[:150])
    assert model.n_features_in_ == 30
    assert model.score(X[150:], y[150:]) > 0.95
    mean, std, bounds = model.predict(X, return_std=True, interval=0.9)
    assert (bounds[:, 0] < mean).all() and (std > 0).all()
    # A model of sparse rows also reads dense ones.
    np.testing.assert_allclose(model.predict(X.toarray()), model.predict(X), rtol=1e-9)
    np.testing.assert_allclose(model.predict_one(X[3].toarray()[0], return_std=True), (mean[3], std[3]), rtol=1e-9)
    same, cov = model.predict(X[:5], return_cov=True)
    np.testing.assert_allclose(np.sqrt(np.diag(cov)), std[:5], rtol=1e-8)
    assert model.sample_y(X[:5], 3).shape == (5, 3)
    assert model.loo_predictions_[0].shape == (150,)
    assert len(model.relevance_) == 30
    # Dense rows give the same model, except for the starts.
    dense = GPRegressor(LINEAR, threads=1).fit(X[:150].toarray(), y[:150])
    np.testing.assert_allclose(dense.predict(X.toarray()), mean, atol=0.02)


@pytest.mark.parametrize("form", ["csc", "coo", "lil", "bsr", "dok"])
def test_forms(form):
    X, y = rows()
    expected = GPRegressor(LINEAR, threads=1).fit(X, y).predict(X)
    other = X.asformat(form)
    np.testing.assert_array_equal(GPRegressor(LINEAR, threads=1).fit(other, y).predict(other), expected)


def test_indices_of_any_order_and_width():
    X, y = rows()
    model = GPRegressor(LINEAR, threads=1).fit(X, y)
    wide = X.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    np.testing.assert_array_equal(model.predict(wide), model.predict(X))
    # Entries in reverse order, each split into two halves.
    coo = X.tocoo()
    order = np.argsort(-coo.col, kind="stable")
    order = order[np.argsort(coo.row[order], kind="stable")]
    twice = np.repeat(order, 2)
    mixed = sparse.csr_matrix((coo.data[twice] / 2, coo.col[twice], X.indptr * 2), X.shape)
    before = mixed.data.copy()
    np.testing.assert_allclose(model.predict(mixed), model.predict(X), rtol=1e-12)
    np.testing.assert_array_equal(mixed.data, before)


MACHINE = {"model": "linear", "scale": {"inputs": "none"}, "learner": {"kind": "svm"}}


@pytest.mark.parametrize("recipe", [{**LINEAR, "likelihood": "softmax"}, MACHINE])
def test_classes(recipe):
    X, y = rows()
    labels = np.array(["low", "mid", "high"])[np.digitize(y, [-0.3, 0.3])]
    model = GPClassifier(recipe, threads=1).fit(X, labels)
    assert list(model.classes_) == ["high", "low", "mid"]
    assert model.score(X, labels) > 0.8
    assert model.predict_one(X[0].toarray()[0]) == model.predict(X[:1])[0]


def test_counts():
    X, y = rows()
    counts = np.random.default_rng(1).poisson(np.exp(np.clip(y, -2, 2)))
    model = GPCountRegressor(LINEAR, threads=1).fit(X, counts)
    assert np.corrcoef(model.predict(X), counts)[0, 1] > 0.4


@pytest.mark.parametrize("learn", [False, True])
def test_features(learn):
    X, y = rows()
    features = FeatureMap(SKETCH, learn=learn, threads=1)
    model = make_pipeline(features, Ridge(1e-6)).fit(X, y)
    assert np.isfinite(model.predict(X)).all()
    np.testing.assert_allclose(model[0].transform(X), model[0].transform(X.toarray()), atol=1e-12)


def test_files_both_ways(program, tmp_path):
    X, y = rows()
    dump_svmlight_file(X, y, str(tmp_path / "t.svm"), zero_based=False)
    model = GPRegressor(LINEAR, threads=1, random_state=3).fit(X, y)
    model.save(tmp_path / "m")
    program("predict", tmp_path / "m", "--data", tmp_path / "t.svm", "--out", tmp_path / "p.csv")
    predicted = pd.read_csv(tmp_path / "p.csv", float_precision="round_trip")
    loaded = alacarte.load(tmp_path / "m")
    assert loaded.n_features_in_ == 30
    np.testing.assert_allclose(predicted["mean"], model.predict(X, return_std=True)[0], rtol=1e-9)
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    (tmp_path / "r.json").write_text(json.dumps(LINEAR))
    program("train", tmp_path / "r.json", "--data", tmp_path / "t.svm", "--model", tmp_path / "own", "--threads", 1)
    own = alacarte.load(tmp_path / "own")
    np.testing.assert_allclose(own.predict(X), model.predict(X), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    "estimator",
    [
        GPRegressor(QUICK),
        GPRegressor("auto"),
        GPRegressor("exact-rbf"),
        GPRegressor({**LINEAR, "scale": {"inputs": "zscore"}}),
        GPRegressor(LINEAR, missing="mean"),
        FeatureMap(QUICK),
        FeatureMap(QUICK, learn=True),
    ],
)
def test_recipes_that_take_none(estimator):
    X, y = rows()
    with pytest.raises(ConfigError, match=r"takes no sparse X; give it X\.toarray\(\)"):
        estimator.fit(X, y)


def test_errors():
    X, y = rows()
    model = GPRegressor(LINEAR, threads=1)
    for value in (np.nan, np.inf):
        bad = X.copy()
        bad.data[5] = value
        row, column = np.searchsorted(X.indptr, 5, side="right"), X.indices[5] + 1
        with pytest.raises(DataError, match=f"^X: row {row}, column {column} is not finite, and X is sparse$"):
            model.fit(bad, y)
    outside = X.copy()
    outside.indices[3] = 30
    with pytest.raises(DataError, match="^X: "):
        model.fit(outside, y)
    unordered = X.copy()
    unordered.indptr[3] = unordered.indptr[-1]
    with pytest.raises(DataError, match="^X: "):
        model.fit(unordered, y)
    with pytest.raises(DataError, match="^y: has 199 values, and X has 200 rows"):
        model.fit(X, y[1:])
    with pytest.raises(DataError, match="^X: "):
        model.fit(X[:0], y[:0])
    with pytest.raises(ConfigError, match="categorical"):
        GPRegressor(LINEAR, categorical=[0]).fit(X, y)
    with pytest.raises(ValueError, match="X has 29 features"):
        model.fit(X, y).predict(X[:, :29])
    dense = GPRegressor(QUICK, threads=1).fit(X.toarray(), y)
    with pytest.raises(DataError, match="X: is sparse, and the model was trained on dense rows"):
        dense.predict(X)
    with pytest.raises(DataError, match="X: is sparse, and the map was made from dense rows"):
        FeatureMap(QUICK).fit(X.toarray()).transform(X)


def test_wide_rows_are_not_laid_out():
    code = """
import resource
import numpy as np
from scipy import sparse
from alacarte import GPClassifier
rng = np.random.default_rng(0)
X = sparse.csr_matrix((rng.uniform(size=40_000), rng.integers(200_000, size=40_000), np.arange(0, 40_001, 20)), (2000, 200_000))
y = np.where(X[:, :100_000].sum(axis=1).A1 > X[:, 100_000:].sum(axis=1).A1, 1, 0)
recipe = {"model": "linear", "scale": {"inputs": "none"}, "learner": {"kind": "svm", "costs": [1000]}}
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model = GPClassifier(recipe, threads=1).fit(X, y)
print(model.score(X, y), (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    score, megabytes = map(float, done.stdout.split())
    assert score > 0.9
    assert megabytes < 400  # dense rows take 3200

"""scikit-learn's own checks, and what its tools do with the estimators.

The checks have no exceptions where strict; otherwise one: columns of frames may have another order.
"""

import json
import pickle
import tracemalloc
import warnings

import numpy as np
import pytest
from conftest import QUICK
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from alacarte import ConfigError, FeatureMap, GPClassifier, GPCountRegressor, GPRegressor, TrainingWarning


@parametrize_with_checks(
    [
        GPRegressor(QUICK, threads=1),
        GPClassifier(QUICK, threads=1),
        GPCountRegressor(QUICK, threads=1),
        FeatureMap(QUICK, threads=1),
        FeatureMap("gm", threads=1),
        GPRegressor(QUICK, threads=1, strict=True),
        GPClassifier(QUICK, threads=1, strict=True),
        FeatureMap(QUICK, threads=1, strict=True),
    ]
)
def test_check_estimator(estimator, check):
    check(estimator)


def test_pipeline_and_cross_validation(problem):
    X, y = problem
    model = make_pipeline(StandardScaler(), GPRegressor(QUICK, threads=1))
    assert cross_val_score(model, X, y, cv=3).min() > 0.8


def test_grid_search_in_processes(problem):
    X, y = problem
    recipes = [QUICK, {"model": "linear"}]
    search = GridSearchCV(GPRegressor(threads=1), {"recipe": recipes}, cv=2, n_jobs=2).fit(X, y)
    assert search.best_params_["recipe"] == QUICK


def test_clone_and_pickle_give_the_same_bits(problem):
    X, y = problem
    model = GPRegressor(QUICK, threads=1).fit(X, y)
    again = clone(model).fit(X, y)
    loaded = pickle.loads(pickle.dumps(model))
    for other in (again, loaded):
        for own, theirs in zip(model.predict(X, return_std=True), other.predict(X, return_std=True)):
            np.testing.assert_array_equal(own, theirs)


def test_pickles_without_strict_are_those_of_strict_versions(problem):
    X, y = problem
    model = GPRegressor(QUICK, threads=1, strict=True).fit(X, y)
    state = {key: value for key, value in model.__getstate__().items() if key not in ("strict", "_encoding")}
    older = GPRegressor.__new__(GPRegressor)
    older.__setstate__(state)
    assert older.strict
    assert np.array_equal(older.predict(X), model.predict(X))


def test_a_pickle_has_the_model_file(problem, tmp_path):
    model = GPRegressor(QUICK, threads=1).fit(*problem)
    model.save(tmp_path / "m")
    assert (tmp_path / "m").read_bytes() in pickle.dumps(model)


def registered_maps(program):
    """The example recipe of every registered map, for quick trainings."""
    listed = program("kernels", "list").stdout.partition("Exact kernels")[0].splitlines()[1:]
    for name in (line.split()[0] for line in listed):
        recipe = json.loads(program("kernels", "show", name).stdout.partition("\nrecipe:\n")[2])
        yield name, {**recipe, "training": {"starts": 1, "iterations": 3}}


@pytest.mark.parametrize("learn", [False, True])
def test_every_registered_map_is_a_transformer(program, problem, learn):
    X, y = problem
    maps = dict(registered_maps(program))
    assert len(maps) >= 23
    for name, recipe in maps.items():
        features = FeatureMap(recipe, learn=learn, threads=1).fit(X, y)
        psi = features.transform(X)
        assert psi.shape == (120, features.get_feature_names_out().size), name
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(features)).transform(X), psi, name)
        again = clone(features).fit(X, y)
        np.testing.assert_array_equal(again.transform(X), psi, name)
        # The features distinguish rows.
        assert np.isfinite(psi).all() and np.linalg.matrix_rank(psi @ psi.T) > 2, name


@pytest.mark.parametrize("learn", [False, True])
def test_features_in_a_pipeline(problem, learn):
    X, y = problem
    features = FeatureMap({**QUICK, "features": {"frequencies": 64}}, learn=learn, threads=1)
    model = make_pipeline(features, Ridge(0.01)).fit(X, y)
    assert model.score(X, y) > 0.9
    psi = model[0].transform(X)
    loaded = pickle.loads(pickle.dumps(model[0]))
    np.testing.assert_array_equal(loaded.transform(X), psi)
    assert list(loaded.get_feature_names_out())[:2] == ["featuremap0", "featuremap1"]


def test_layouts_and_types_do_not_change_predictions(problem):
    X, y = problem
    model = GPRegressor(QUICK, threads=1).fit(X, y)
    expected = model.predict(X)
    np.testing.assert_array_equal(model.predict(np.asfortranarray(X)), expected)
    np.testing.assert_array_equal(model.predict(np.repeat(X, 2, axis=0)[::2]), expected)
    np.testing.assert_array_equal(model.predict(X.tolist()), expected)
    for apply in (model.predict_quantiles, model.sample_y, lambda rows: model.predict(rows, return_cov=True)[1]):
        np.testing.assert_array_equal(apply(np.asfortranarray(X)), apply(X))
    X32 = X.astype(np.float32)
    np.testing.assert_array_equal(model.predict(X32), model.predict(X32.astype(np.float64)))


def peak_of_numpy(work):
    """Bytes of the arrays that numpy makes meanwhile."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


TWO_CLASSES = GPClassifier({**QUICK, "likelihood": "logit"}, threads=1)


@pytest.mark.parametrize("estimator", [GPRegressor(QUICK, threads=1), TWO_CLASSES, FeatureMap(QUICK, threads=1)])
def test_copies_are_those_that_are_said(problem, estimator):
    X, y = problem
    fitted = estimator.fit(X, (y > 0).astype(float))
    apply = getattr(fitted, "predict_proba", None) or getattr(fitted, "transform", None) or fitted.predict
    wide = np.random.default_rng(0).normal(size=(100_000, 3))
    own = 8 * len(wide)  # one column of means or of flags may be allocated
    size = wide.nbytes
    apply(wide[:5])
    assert peak_of_numpy(lambda: apply(np.asfortranarray(wide))) < size + 1.5 * own  # the size of asfortranarray's copy
    columns = np.asfortranarray(wide)
    for none in (wide, columns):
        assert peak_of_numpy(lambda: apply(none)) < 1.5 * own
    np.testing.assert_array_equal(apply(wide), apply(columns))
    for once in (wide.astype(np.float32), np.repeat(wide, 2, axis=0)[::2]):
        assert size <= peak_of_numpy(lambda: apply(once)) < size + 1.5 * own


def test_messages_are_warnings():
    X = np.random.default_rng(0).normal(size=(60, 2))
    recipe = {"model": "linear", "learner": {"kind": "svm", "costs": [1e-5, 1e-4]}}
    with pytest.warns(TrainingWarning, match="the costs up to 0.0001 make no difference") as caught:
        GPClassifier(recipe, threads=1).fit(X, X[:, 0] > 0)
    assert [warning.filename for warning in caught] == [__file__]


def test_results(problem):
    X, y = problem
    model = GPRegressor(QUICK, threads=1).fit(X, y)
    mean, std, bounds = model.predict(X, return_std=True, interval=0.9)
    np.testing.assert_allclose(bounds.mean(axis=1), mean, atol=1e-8)
    np.testing.assert_allclose((bounds[:, 1] - bounds[:, 0]) / std, 2 * 1.6448536269514722, rtol=1e-6)
    assert len(model.predict(X[:20], return_cov=True, interval=0.9)) == 3
    same, cov = model.predict(X[:20], return_cov=True)
    np.testing.assert_allclose(same, mean[:20])
    np.testing.assert_allclose(np.sqrt(np.diag(cov)), std[:20], rtol=1e-8)
    np.testing.assert_allclose(model.predict_quantiles(X, [0.05, 0.95]), bounds, rtol=1e-12, atol=1e-12)
    median = model.predict_quantiles(X[:1], 0.5)
    assert median.shape == (1,)
    assert abs(model.predict_above(X[:1], median[0])[0] - 0.5) < 1e-12
    assert model.predict_above(X, [-1e9, 1e9]).tolist() == [[1, 0]] * len(X)
    assert (model.predict(X, return_std=True, latent=True)[1] < std).all()
    draws = model.sample_y(X[:5], 4000, random_state=3)
    assert draws.shape == (5, 4000)
    latent = model.predict(X[:5], return_std=True, latent=True)
    np.testing.assert_allclose(draws.mean(axis=1), latent[0], atol=6 * latent[1].max() / 60)
    np.testing.assert_array_equal(model.sample_y(X[:5], 3), model.sample_y(X[:5], 3))
    assert np.isfinite(model.log_marginal_likelihood_)
    assert set(model.relevance_) == {"0", "1", "2"}
    assert model.training_["rows"] == 120


def test_warm_start(problem):
    X, y = problem
    model = GPRegressor(QUICK, threads=1).fit(X, y)
    probes = model.training_["evaluations"]
    noise = model._about["fits"][0]["noise_sd"]
    one = {**QUICK, "training": {"starts": 1, "iterations": 0}}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = clone(model).set_params(recipe=one, warm_start=True)
        assert "started_from" not in again.fit(X, y).training_
        model.set_params(recipe=one, warm_start=True).fit(X, y)
    assert model.training_["evaluations"] < probes
    assert model.training_["started_from"]["fits"]
    np.testing.assert_allclose(model._about["fits"][0]["noise_sd"], noise)
    with pytest.raises(ConfigError, match="has other inputs"):
        model.fit(X[:, :2], y)


def test_counts():
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 3, (200, 1))
    y = rng.poisson(np.exp(np.sin(2 * X[:, 0]) + 1))
    model = GPCountRegressor(QUICK, threads=1).fit(X, y)
    mean, bounds = model.predict(X, interval=0.95)
    assert np.corrcoef(mean, np.exp(np.sin(2 * X[:, 0]) + 1))[0, 1] > 0.9
    assert np.mean((y >= bounds[:, 0]) & (y <= bounds[:, 1])) > 0.9
    np.testing.assert_array_equal(model.predict_quantiles(X, 0.025), bounds[:, 0])
    assert (model.predict_above(X, bounds[:, 1].max()) < 0.025).all()
    with pytest.warns(UserWarning, match="y: row 1: 0.4 is rounded"):
        GPCountRegressor(QUICK, threads=1).fit(X, np.where(np.arange(200) == 0, 0.4, y))


@pytest.mark.parametrize(
    "labels", [["b", "a", "c"], [10, 9, 100], ["10", "9", "100"], [1.0, -2.0, 3.0], [True, False], ["+1", "-1"]]
)
def test_classes_of_any_type(labels):
    rng = np.random.default_rng(0)
    places = np.arange(90) % len(labels)
    X = rng.normal(size=(90, 2)) * 0.3 + np.c_[3 * np.cos(2.0 * places), 3 * np.sin(2.0 * places)]
    y = np.array(labels)[places]
    model = GPClassifier(QUICK, threads=1).fit(X, y)
    np.testing.assert_array_equal(model.classes_, np.unique(y))
    assert model.score(X, y) > 0.95
    proba = model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    np.testing.assert_array_equal(model.predict_log_proba(X), np.log(proba))
    assert not hasattr(model, "decision_function")
    np.testing.assert_array_equal(model.classes_[proba.argmax(axis=1)], model.predict(X))


def test_support_vector_machines_have_no_probabilities():
    X = np.r_[np.zeros((10, 2)), np.ones((10, 2))] + np.random.default_rng(0).normal(size=(20, 2)) * 0.1
    y = np.repeat([0, 1], 10)
    assert not hasattr(GPClassifier("linear-svm"), "predict_proba") and hasattr(GPClassifier("linear-svm"), "decision_function")
    model = GPClassifier("linear-svm", threads=1).fit(X, y)
    assert model.score(X, y) == 1
    assert not hasattr(model, "predict_proba") and not hasattr(model, "predict_log_proba")
    with pytest.raises(AttributeError):
        model.log_marginal_likelihood_
    values = model.decision_function(X)
    assert values.shape == (20,)
    np.testing.assert_array_equal(values > 0, model.predict(X) == 1)
    assert roc_auc_score(y, values) == 1
    three = GPClassifier("linear-svm", threads=1).fit(np.r_[X, X[:10] + [[0, 3]]], np.repeat([0, 1, 2], 10))
    values = three.decision_function(X)
    assert values.shape == (20, 3)
    np.testing.assert_array_equal(three.classes_[values.argmax(axis=1)], three.predict(X))


def test_random_states(problem):
    X, y = problem
    first = GPRegressor(QUICK, threads=1, random_state=np.random.RandomState(5)).fit(X, y)
    second = GPRegressor(QUICK, threads=1, random_state=np.random.RandomState(5)).fit(X, y)
    other = GPRegressor(QUICK, threads=1, random_state=6).fit(X, y)
    np.testing.assert_array_equal(first.predict(X), second.predict(X))
    assert not np.array_equal(first.predict(X), other.predict(X))

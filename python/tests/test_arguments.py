"""What is handed to the methods of a model that was trained: one exception with one line, and never a crash."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from conftest import QUICK
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse
from test_errors import CELLS, FRAME, NAMED, rows_of, tables

import alacarte
from alacarte import ConfigError, DataError, FeatureMap, GPClassifier, GPCountRegressor, GPRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
Y = X[:, 0] + 0.1 * RNG.normal(size=40)
KINDS = pd.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] > 0, "u", "v")})
UNSCALED = {"model": "linear", "scale": {"inputs": "none"}}


def quick(**parameters):
    return GPRegressor(**{"recipe": QUICK, "threads": 1, **parameters})


STRICT = quick(strict=True)


@pytest.fixture(scope="module")
def models():
    return {
        "numbers": quick().fit(X, Y),
        "targets": quick().fit(X, np.column_stack([Y, X[:, 1]])),
        "frame": quick().fit(KINDS, Y),
        "strict": quick(missing="mean", strict=True).fit(KINDS, Y),
        "sparse": quick(recipe=UNSCALED).fit(sparse.csr_matrix(X), Y),
        "counts": GPCountRegressor(QUICK, threads=1).fit(X, RNG.poisson(2, 40)),
        "classes": GPClassifier(QUICK, threads=1).fit(X, Y > 0),
        "map": FeatureMap(QUICK, threads=1).fit(X),
    }


METHODS = {
    "predict": lambda model, rows, y: model.predict(rows, return_std=True),
    "covariance": lambda model, rows, y: model.predict(rows, return_cov=True),
    "interval": lambda model, rows, y: model.predict(rows, interval=0.9),
    "quantiles": lambda model, rows, y: model.predict_quantiles(rows),
    "above": lambda model, rows, y: model.predict_above(rows, [0.0, 1.0]),
    "draws": lambda model, rows, y: model.sample_y(rows, 2),
    "gradient": lambda model, rows, y: model.gradient(rows, return_std=True),
    "explain": lambda model, rows, y: model.explain(rows, y, row=0, n_repeats=2, n_inputs=2, n_interactions=0),
    "update": lambda model, rows, y: model.update(rows, y),
    "one": lambda model, rows, y: model.predict_one(rows),
    "proba": lambda model, rows, y: model.predict_proba(rows),
    "labels": lambda model, rows, y: model.predict(rows),
    "transform": lambda model, rows, y: model.transform(rows),
}
OF_MODEL = {
    "counts": ["labels", "interval", "quantiles", "above", "one"],
    "classes": ["labels", "proba", "one"],
    "map": ["transform"],
}
OF_NUMBERS = [name for name in METHODS if name not in ("proba", "labels", "transform")]
# Arguments and columns, also for values that a computer can hold and a model cannot.
TOLD = NAMED + r"|\bx\b|\brow\b|of one target|^return_cov|^update|^the model|^posterior|^new rows"


@given(table=tables(), targets=st.lists(CELLS, max_size=5), data=st.data())
@settings(max_examples=2000, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_any_table_is_a_result_or_one_exception(models, table, targets, data):
    name = data.draw(st.sampled_from(sorted(models)))
    method = data.draw(st.sampled_from(OF_MODEL.get(name, OF_NUMBERS)))
    if data.draw(st.booleans()):
        targets = list(range(9))[: rows_of(table)]
    model = models[name]
    before = dict(model.__dict__)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            METHODS[method](model, table, targets)
        except (ValueError, TypeError, AttributeError, alacarte.Error) as error:
            assert re.search(TOLD, str(error)), (name, method, error)
            # scikit-learn adds lines on the names of columns.
            assert "\n" not in str(error) or "feature names" in str(error)
        finally:
            model.__dict__.clear()
            model.__dict__.update(before)


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda m: STRICT.fit(X, Y).update(X, np.where(np.arange(40) == 3, np.nan, Y)), "y: row 4: Input y contains NaN."),
        (lambda m: m.update(X, ["1", "b"] + ["2"] * 38), "y: row 2: "),
        (lambda m: m.update(X, [[1], [1, 2]]), "y: "),
        (lambda m: m.update(X, Y, sample_weight=np.where(np.arange(40) == 3, np.inf, 1)), "sample_weight: row 4: "),
        (lambda m: STRICT.fit(X, np.column_stack([Y, np.where(np.arange(40) == 3, np.nan, Y)])), "y: column 2: row 4: "),
        (lambda m: m.fit(X, np.column_stack([Y, np.where(np.arange(40) == 3, np.inf, Y)])), "y: column 2: row 4: "),
        (lambda m: STRICT.fit(X, Y).predict(np.array([[1, "b"]], dtype=object)), "X: row 1, column 2: "),
        (lambda m: m.predict(X + 0j), "X: row 1, column 1: Complex data not supported"),
        (lambda m: m.explain(X, Y[:5]), "y: has 5 values, and X has 40 rows"),
        (lambda m: m.explain(sparse.csr_matrix(X), Y, row=0), "X: is sparse"),
        (lambda m: STRICT.fit(FRAME, np.arange(6.0)).predict(FRAME.assign(kind="w")), "(or fit with unseen='zero')"),
    ],
)
def test_cells_have_a_place(call, text):
    with pytest.raises(DataError) as caught:
        call(quick().fit(X, Y))
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda m: m.predict(X, interval=0.5j), "interval: "),
        (lambda m: m.update(X, Y, forget=0.5j), "forget: "),
        (lambda m: m.sample_y(X, 10**20), "n_samples: "),
        (lambda m: m.sample_y(X, 2**31 - 1), "n_samples: 40 rows by 2147483647 numbers"),
        (lambda m: m.predict(np.zeros((10**6, 2)), return_cov=True), "return_cov: 1000000 rows"),
        (lambda m: m.explain(X, n_inputs=10**20), "n_inputs: must be a whole number from 0 up"),
        (lambda m: m.explain(X, row=40), "row: must be a whole number from 0 to 39"),
        (lambda m: m.explain(X, random_state="a"), "random_state: must be"),
        (lambda m: m.export_c("unused.c", "1 a"), "name: '1 a' is no name of C"),
        (lambda m: m.export_c("unused.c", 3), "name: '3' is no name of C"),
        (lambda m: quick(seconds=0.5j).fit(X, Y), "seconds: "),
        (lambda m: quick(categorical=3).fit(X, Y), "categorical: "),
    ],
)
def test_arguments(call, text):
    with pytest.raises(ConfigError) as caught:
        call(quick().fit(X, Y))
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


def test_paths():
    for call in (alacarte.load, quick().fit(X, Y).save):
        with pytest.raises(TypeError, match="path: must be text or a path, not int"):
            call(3)


def test_gradients_of_several_targets(models):
    both = models["targets"]
    gradient, std = both.gradient(X[:5], return_std=True)
    assert gradient.shape == std.shape == (5, 2, 2)
    step = np.array([1e-4, 0])
    slopes = (both.predict(X[:5] + step) - both.predict(X[:5] - step)) / 2e-4
    np.testing.assert_allclose(gradient[:, 0], slopes, atol=1e-5)
    for call in (lambda: both.explain(X), lambda: both.export_c("unused.c")):
        with pytest.raises(AttributeError, match="one target"):
            call()


def test_parameters_of_other_libraries_are_answered():
    for name in ("kernel", "alpha", "normalize_y", "optimizer", "n_restarts_optimizer", "n_jobs", "verbose", "seed"):
        for kind in (GPRegressor, GPClassifier, GPCountRegressor):
            with pytest.raises(TypeError, match=f"{kind.__name__} has no {name}; "):
                kind(**{name: 1})
    with pytest.raises(TypeError, match="unexpected keyword"):
        GPRegressor(colour=1)


def test_recipes_take_numbers_of_numpy():
    recipe = {**QUICK, "training": {"starts": np.int64(1), "iterations": np.int64(15)}, "copies": np.int32(1)}
    recipe["kernel"] = {"lengthscale": np.array([1.0, 2.0])}
    other = {**QUICK, "kernel": {"lengthscale": [1.0, 2.0]}}
    np.testing.assert_array_equal(quick(recipe=recipe).fit(X, Y).predict(X), quick(recipe=other).fit(X, Y).predict(X))
    with pytest.raises(ConfigError, match="recipe: is no JSON document: set"):
        quick(recipe={**QUICK, "copies": {1}}).fit(X, Y)

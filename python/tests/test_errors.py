"""Bad input is one exception with one line, and never a crash."""

import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from conftest import QUICK
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import NotFittedError

import alacarte
from alacarte import ConfigError, DataError, FeatureMap, GPClassifier, GPRegressor, IoError

X = np.arange(12.0).reshape(6, 2) ** 1.5
Y = np.arange(6.0)
FRAME = pd.DataFrame({"a": X[:, 0], "kind": ["u", "v", "u", "v", "u", "v"]})


def quick(**parameters):
    return GPRegressor(**{"recipe": QUICK, "threads": 1, **parameters})


def changed(value, row=2, column=1):
    other = X.astype(object)
    other[row, column] = value
    return other


@pytest.mark.parametrize(
    "rows, text",
    [
        (changed(np.nan), "X: row 3, column 2 is NaN; missing='mean' would fill it with the mean"),
        (changed(np.inf), "X: row 3, column 2 is infinite (inf), or beyond the range of a double"),
        (FRAME.assign(a=[1, 2, None, 4, 5, 6]), "X: row 3, column 1 ('a') is NaN"),
        (FRAME.assign(a=pd.Timestamp("2020-01-01")), "X: column 1: 'a' holds times"),
        (pd.concat([FRAME, FRAME], axis=1), "X: column 3: the name 'a' is used twice"),
        (FRAME.assign(kind=["u", None, "v", "u", "v", "u"]), "X: row 2, column 2: 'kind' is missing"),
        (FRAME.assign(kind=None), "'kind'"),
    ],
)
def test_rows_at_fit_where_strict(rows, text):
    with pytest.raises(ValueError) as caught:
        quick(strict=True).fit(rows, Y)
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


def test_rows_at_predict_where_strict():
    model = quick(strict=True).fit(FRAME, Y)
    with pytest.raises(DataError, match="row 1, column 2: 'w' is no category of 'kind' in the training rows"):
        model.predict(FRAME.assign(kind="w"))
    with pytest.raises(DataError, match=r"X: row 1, column 1: 'a' is no number: 'text'"):
        model.predict(FRAME.assign(a="text"))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(FRAME.rename(columns={"a": "b"}))
    with pytest.raises(ValueError, match="features"):
        quick().fit(X, Y).predict(X[:, :1])
    zero = quick(strict=True, unseen="zero").fit(FRAME, Y)
    assert np.isfinite(zero.predict(FRAME.assign(kind="w"))).all()


def test_missing_cells_take_the_mean():
    rows = X.copy()
    model = quick(missing="mean").fit(rows, Y)
    rows[1, 0] = np.nan
    filled = np.where(np.isnan(rows), X.mean(axis=0), rows)
    np.testing.assert_allclose(model.predict(rows), model.predict(filled))
    with pytest.raises(DataError, match="inf"):
        model.predict(np.where(np.isnan(rows), np.inf, rows))
    kinds = quick(missing="mean").fit(FRAME.assign(kind=["u", None, "v", "u", "v", pd.NA]), Y)
    assert np.isfinite(kinds.predict(FRAME)).all()


@pytest.mark.parametrize(
    "parameters, text",
    [
        ({"recipe": "no-such"}, "no-such: there is no such file, and no recipe of that name; the recipes are ard,"),
        ({"recipe": {"model": "rbff"}}, "/model: "),
        ({"recipe": {"model": "rbf", "featuers": {}}}, "/featuers: "),
        ({"recipe": {"model": "rbf", "data": {"target": "y"}}}, "/data/target: is of files"),
        ({"recipe": {"model": "rbf", "training": 3}, "seconds": 1}, "/training: must be an object"),
        ({"recipe": 3}, "recipe: must be a name, a path or a dict, not int"),
        ({"recipe": {"model": {1}}}, "recipe: is no JSON document"),
        ({"recipe": "classify"}, "is of classes, and GPRegressor is of numbers"),
        ({"threads": 0}, "threads: must be None or a whole number"),
        ({"seconds": -1}, "seconds: must be None or a number above 0"),
        ({"random_state": -1}, "random_state: must not be negative"),
        ({"missing": "drop"}, "missing: must be 'auto', 'error' or 'mean'"),
        ({"unseen": "drop"}, "unseen: must be 'auto', 'error' or 'zero'"),
        ({"strict": "yes"}, "strict: must be True or False"),
        ({"categorical": ["b"]}, "categorical: X has no column 'b'"),
        ({"categorical": [7]}, "categorical: X has no column 7"),
        ({"categorical": "a"}, "categorical: must be 'auto' or a list of columns"),
    ],
)
def test_parameters(parameters, text):
    with pytest.raises((ConfigError, IoError)) as caught:
        quick(**parameters).fit(X, Y)
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


def test_arguments_of_predict():
    model = quick().fit(X, Y)
    with pytest.raises(ConfigError, match="return_cov"):
        model.predict(X, return_std=True, return_cov=True)
    for interval in (0, 1, -1, "0.9", np.nan):
        with pytest.raises(ConfigError, match="interval: must lie between 0 and 1"):
            model.predict(X, interval=interval)
    for quantiles in (0, [0.5, 1], "high", np.nan, [[0.5]], None):
        with pytest.raises(ConfigError, match="quantiles: must"):
            model.predict_quantiles(X, quantiles)
    with pytest.raises(ConfigError, match="thresholds: must be a number"):
        model.predict_above(X, np.inf)
    with pytest.raises(ConfigError, match="n_samples"):
        model.sample_y(X, 0)
    with pytest.raises(NotFittedError):
        GPRegressor().predict(X)
    with pytest.raises(NotFittedError):
        GPRegressor().save("m")


def test_classes_and_maps():
    with pytest.raises(ValueError, match="has one class only"):
        GPClassifier(QUICK).fit(X, np.zeros(6))
    with pytest.raises(ValueError, match="Unknown label type"):
        GPClassifier(QUICK).fit(X, Y + 0.5)
    with pytest.raises(ConfigError, match="exact kernel"):
        FeatureMap("exact-rbf").fit(X)
    with pytest.raises(ConfigError, match="mixture"):
        FeatureMap("auto").fit(X)
    with pytest.raises(ValueError, match="learn=True needs targets"):
        FeatureMap(QUICK, learn=True).fit(X)


def test_files(tmp_path):
    with pytest.raises(IoError, match="absent") as caught:
        alacarte.load(tmp_path / "absent")
    assert isinstance(caught.value, OSError)
    path = tmp_path / "model"
    model = quick().fit(X, Y)
    model.save(path)
    damaged = bytearray(path.read_bytes())
    damaged[-3] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(IoError, match="checksum"):
        alacarte.load(path)
    with pytest.raises(IoError):
        model.save(tmp_path / "no" / "folder")


def test_errors_travel_between_processes():
    error = pickle.loads(pickle.dumps(DataError("X: row 1 is wrong")))
    assert isinstance(error, alacarte.Error) and str(error) == "X: row 1 is wrong"


CELLS = st.one_of(
    st.floats(width=64),
    st.integers(-(2**70), 2**70),
    st.booleans(),
    st.none(),
    st.text(max_size=3),
    st.sampled_from([np.nan, np.inf, -np.inf, 1e308, 5e-324, pd.NA, pd.NaT, 1j, b"x", [], {}, np.float32(1e38), 10**400]),
)
COLUMNS = st.sampled_from(["a", "b", "a b", "", "ä", "y", 0, 1, None, "\ud800"])


@st.composite
def tables(draw):
    """Tables that are wrong in most of the ways there are."""
    rows, width = draw(st.integers(0, 5)), draw(st.integers(0, 3))
    if draw(st.booleans()):
        dtype = draw(st.sampled_from(["f8", "f4", "f2", "i8", "u1", "bool", "c16", "O", "U3", "M8[s]", ">f8"]))
        shape = draw(st.sampled_from([(rows, width), (rows,), (rows, width, 1), ()]))
        with np.errstate(all="ignore"):
            array = np.array(draw(st.lists(st.integers(-3, 300), min_size=25, max_size=25)), dtype="i8")
            array = np.resize(array, shape).astype("U3" if dtype == "U3" else dtype)
        return draw(st.sampled_from([array, np.asfortranarray(array), np.flip(array)]))
    if draw(st.integers(0, 3)) == 0:
        numbers = st.sampled_from([0.0, 0.0, 1.0, -2.5, np.nan, np.inf, 1e300])
        values = np.array(draw(st.lists(numbers, min_size=rows * width, max_size=rows * width))).reshape(rows, width)
        table = sparse.csr_matrix(values).asformat(draw(st.sampled_from(["csr", "csc", "coo"])))
        if table.nnz and table.format != "coo":
            indices = draw(st.lists(st.integers(-2, width), min_size=table.nnz, max_size=table.nnz))
            table.indices[:] = indices if draw(st.booleans()) else table.indices
        return table
    cells = [[draw(CELLS) for _ in range(width)] for _ in range(rows)]
    if draw(st.booleans()):
        return cells
    names = [draw(COLUMNS) for _ in range(width)]
    as_they_are = all(value != 10**400 for row in cells for value in row if isinstance(value, int))  # pandas refuses it
    return pd.DataFrame(cells, columns=names if rows else None, dtype=None if as_they_are else object)


# Arguments and columns; the last are for values that a computer can hold and a model cannot.
NAMED = r"\bX\b|\by\b|[Ff]eature names|^categorical|^standardise|^linear|^prediction|^features"


def rows_of(table):
    if isinstance(table, list):
        return len(table)
    return (getattr(table, "shape", None) or (0,))[0]


@given(
    table=tables(),
    targets=st.lists(CELLS, max_size=5),
    missing=st.sampled_from(["auto", "error", "mean"]),
    strict=st.booleans(),
    data=st.data(),
)
@settings(max_examples=2000, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_any_table_is_a_model_or_one_exception(table, targets, missing, strict, data):
    recipe = {"model": "linear", "training": {"starts": 1, "iterations": 2}}
    if sparse.issparse(table):
        recipe["scale"] = {"inputs": "none"}
    kind = data.draw(st.sampled_from([GPRegressor, GPClassifier, FeatureMap]))
    if kind is not GPClassifier:
        recipe["noise"] = {"prior_center": "fixed"}
    if kind is not FeatureMap and data.draw(st.booleans()):
        targets = list(range(9))[: rows_of(table)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = kind(recipe, threads=1, missing=missing, strict=strict).fit(table, targets)
            result = model.transform(table) if kind is FeatureMap else model.predict(table)
        except (ValueError, TypeError, alacarte.Error) as error:
            assert re.search(NAMED, str(error)), error
            assert "\n" not in str(error)
        else:
            assert len(result) == rows_of(table)
            if kind is not GPClassifier:
                assert np.isfinite(result).all()


def test_classes_whose_text_ends_in_other_blanks():
    for names in (["a", "b\u00a0"], ["\u6771\u4eac\u3000", "\u5927\u962a"], [" x", "y "]):
        labels = np.array(names)[(X[:, 0] > np.median(X[:, 0])).astype(int)]
        model = GPClassifier(QUICK, threads=1).fit(X, labels)
        assert model.score(X, labels) > 0.9
        assert list(model.classes_) == sorted(names)


def test_classes_of_no_weight_are_absent():
    labels = np.array(["a", "b", "c"])[np.arange(len(X)) % 3]
    model = GPClassifier(QUICK, threads=1).fit(X, labels, sample_weight=(labels != "c").astype(float))
    assert list(model.classes_) == ["a", "b"] and model.predict_proba(X).shape == (len(X), 2)


def test_a_failed_fit_changes_nothing():
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])])
    model = quick(strict=True).fit(frame, np.column_stack([Y, -Y]))
    before = model.predict(frame)
    turned = frame[frame.columns[::-1]]

    def interrupt(event):
        raise KeyboardInterrupt

    for rows, target, progress in (
        (turned, np.where(np.arange(len(Y)) == 3, np.nan, Y), None),
        (turned, Y, interrupt),
        (turned.iloc[:, :1], np.full(len(Y), np.inf), None),
    ):
        model.progress = progress
        with pytest.raises((ValueError, KeyboardInterrupt)):
            model.fit(rows, target)
        model.progress = None
        np.testing.assert_array_equal(model.predict(frame), before)
        with pytest.raises(ValueError, match="feature names"):
            model.predict(turned)
    features = FeatureMap(QUICK, strict=True).fit(frame)
    psi = features.transform(frame)
    with pytest.raises(ValueError):
        features.fit(turned.assign(x0=np.nan))
    np.testing.assert_array_equal(features.transform(frame), psi)


def test_times_are_no_numbers_where_strict():
    days = pd.date_range("2024-01-01", periods=len(Y))
    for rows in (pd.DataFrame({"day": days}), pd.DataFrame({"day": days, "x": 1.0}), pd.DataFrame({"span": days - days[0]})):
        with pytest.raises(DataError, match="holds times; make numbers of them"):
            quick(strict=True).fit(rows, Y)
    with pytest.raises(DataError, match="holds times; make numbers of them"):
        quick(strict=True).fit(days.to_numpy()[:, None], Y)

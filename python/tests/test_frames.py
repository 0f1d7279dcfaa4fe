"""Frames, and arrays of any cells, without options: the kinds of columns are those that files have."""

import datetime
import json
import pickle

import numpy as np
import pandas as pd
import pytest
from conftest import QUICK

import alacarte
from alacarte import DataError, FeatureMap, GPClassifier, GPCountRegressor, GPRegressor, TrainingWarning

ROWS = 200


def quick(**parameters):
    return GPRegressor(**{"recipe": QUICK, "threads": 1, **parameters})


def kinds(model):
    return {column["column"]: column["kind"] for column in model.columns_}


def shop(seed=0, rows=ROWS):
    """A frame with columns of many kinds, and a smooth function of some of them."""
    rng = np.random.default_rng(seed)
    size, rate, price = rng.uniform(1, 3, rows), rng.uniform(0, 99, rows), rng.uniform(1000, 9000, rows)
    day = pd.Timestamp("2022-01-01") + pd.to_timedelta(rng.integers(0, 900, rows), unit="D")
    colour = rng.choice(["red", "green", "blue"], rows)
    frame = pd.DataFrame(
        {
            "size": [f"{value:.2f}".replace(".", ",") for value in size],
            "rate": [f"{value:.0f} %" for value in rate],
            "price": [f"{value:,.1f}" for value in price],
            "weight": np.where(np.arange(rows) % 20 == 3, "n/a", np.round(rng.normal(size=rows), 3)).astype(object),
            "day": day,
            "colour": colour,
            "nothing": None,
            "same": 7,
            "id": [f"k{value:06}" for value in rng.permutation(rows)],
        }
    )
    y = np.sin(2 * size) + rate / 50 + price / 9000 + (colour == "red") + 0.02 * rng.normal(size=rows)
    return frame, y


def test_a_frame_is_read_without_options():
    frame, y = shop()
    model = quick(recipe={"model": "ard", "training": {"starts": 1, "iterations": 60}}).fit(frame[:150], y[:150])
    assert model.score(frame[150:], y[150:]) > 0.9
    assert kinds(model) == {
        "size": "number",
        "rate": "number",
        "price": "number",
        "weight": "number",
        "day": "date",
        "colour": "category",
        "nothing": "no value",
        "same": "constant",
        "id": "different in nearly every row",
    }
    assert len(model._about["input_names"]) < 20
    text = model.summary()
    assert "different in nearly every row" in text and "decimal comma" in text
    json.dumps(model.columns_)


def test_decimal_commas_are_numbers():
    # Each value is different: as a category this column had an indicator for each.
    rng = np.random.default_rng(0)
    x = rng.uniform(-3, 3, 193)
    y = np.sin(x) + 0.05 * rng.normal(size=193)
    frame = pd.DataFrame({"x": [f"{value:.4f}".replace(".", ",") for value in x]})
    model = quick().fit(frame[:140], y[:140])
    assert model._about["input_names"] == ["x"]
    assert model.score(frame[140:], y[140:]) > 0.9
    plain = quick().fit(pd.DataFrame({"x": np.round(x, 4)})[:140], y[:140])
    np.testing.assert_array_equal(model.predict(frame), plain.predict(pd.DataFrame({"x": np.round(x, 4)})))


def test_words_among_numbers_are_gaps():
    rng = np.random.default_rng(1)
    x = rng.normal(size=120)
    gaps = np.arange(120) % 6 == 0
    words = pd.DataFrame({"x": np.where(gaps, "n/a", x.astype(str)), "z": rng.normal(size=120)})
    numbers = words.assign(x=np.where(gaps, np.nan, x))
    y = np.where(gaps, 2, x)
    own, other = quick().fit(words, y), quick().fit(numbers, y)
    np.testing.assert_array_equal(own.predict(words), other.predict(numbers))
    np.testing.assert_array_equal(own.predict(numbers), other.predict(words))
    assert own.columns_[0]["missing"] == 20 and own.columns_[0]["encoding"] == "itself, indicator of gaps"


@pytest.mark.parametrize("unit", ["D", "s", "ns"])
@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
def test_dates_are_days(unit, zone):
    rng = np.random.default_rng(0)
    seconds = rng.integers(0, 800 * 86400, 90)
    steps = {"D": 86400 * 10**9 * (seconds // 86400), "s": seconds * 10**9, "ns": seconds * 10**9 + 123}[unit]
    utc = pd.Series(pd.to_datetime(np.datetime64("2023-01-01", "ns") + steps.astype("timedelta64[ns]")))
    days = utc if zone is None else utc.dt.tz_localize("UTC").dt.tz_convert(zone)
    frame = pd.DataFrame({"day": days, "x": rng.normal(size=90)})
    frame.loc[:4, "day"] = pd.NaT
    model = quick().fit(frame, frame["x"])
    encoded = model._rows(frame)
    expected = (utc - pd.Timestamp("1970-01-01")) / pd.Timedelta(days=1)
    np.testing.assert_allclose(encoded[5:, 0], expected[5:], rtol=0, atol=1e-9)
    assert model._about["input_names"][:2] == ["day", "day (missing)"]
    assert ("day (cosine of the day)" in model._about["input_names"]) == (unit != "D")
    # Dates written as text, dates of Python and of another precision are the same days.
    if zone is None and unit != "ns":
        for other in (frame["day"].astype(str).replace("NaT", None), frame["day"].astype(object)):
            np.testing.assert_allclose(model.predict(frame.assign(day=other)), model.predict(frame))


def test_more_times_than_a_census_keeps():
    rows = 200_500
    frame = pd.DataFrame({"at": pd.date_range("2024-01-01", periods=rows, freq="min"), "x": np.arange(rows) % 7.0})
    features = FeatureMap(QUICK, threads=1).fit(frame)
    assert features.columns_[0]["kind"] == "date" and features.columns_[0]["missing"] == 0


def test_types_of_pandas():
    rng = np.random.default_rng(0)
    whole = rng.integers(0, 50, 80)
    frame = pd.DataFrame(
        {
            "Int64": pd.array(whole, dtype="Int64"),
            "Float64": pd.array(rng.normal(size=80), dtype="Float64"),
            "boolean": pd.array(whole > 20, dtype="boolean"),
            "bool": whole > 30,
            "string": pd.array(rng.choice(["u", "v", "w"], 80), dtype="string"),
            "levels": pd.Categorical(whole % 4),
            "span": pd.to_timedelta(whole, unit="h"),
            "month": pd.period_range("2020-01", periods=80, freq="M"),
            "mixed": np.where(whole % 3 == 0, "a", whole % 5).astype(object),
            "flag": np.where(whole > 25, "yes", "no"),
        }
    )
    frame.loc[::9, ["Int64", "boolean", "string"]] = pd.NA
    model = quick().fit(frame, whole)
    assert kinds(model) == {
        **dict.fromkeys(["Int64", "Float64", "span"], "number"),
        **dict.fromkeys(["boolean", "bool", "flag"], "flag"),
        **dict.fromkeys(["string", "levels", "mixed"], "category"),
        "month": "date",
    }
    names = model._about["input_names"]
    assert [name for name in names if name.startswith("levels=")] == [f"levels={k}" for k in range(4)]
    encoded = model._rows(frame)
    np.testing.assert_allclose(encoded[:, names.index("span")], whole / 24)
    np.testing.assert_array_equal(encoded[:, names.index("bool")], whole > 30)
    assert set(np.unique(encoded[1:9, names.index("boolean")])) <= {0, 1}
    assert encoded[0, names.index("boolean (missing)")] == 1
    # Plain types of the same values are the same rows.
    plain = frame.assign(
        Int64=frame["Int64"].astype(object), levels=(whole % 4).astype(float), bool=(whole > 30).astype(object)
    )
    np.testing.assert_array_equal(model.predict(plain), model.predict(frame))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(frame), model.predict(frame))


def test_names_of_subjects_are_levels():
    rng = np.random.default_rng(0)
    subject = np.repeat([f"s{k:02}" for k in range(40)], 6)
    effect = np.repeat(rng.normal(size=40), 6)
    frame = pd.DataFrame({"subject": subject, "x": rng.normal(size=240)})
    model = quick().fit(frame, effect + 0.1 * frame["x"] + 0.05 * rng.normal(size=240))
    assert model.columns_[0]["kind"] == "levels" and model.columns_[0]["levels"] == 40
    seen, unseen = frame[:40], frame[:40].assign(subject="another")
    assert model.predict(unseen, return_std=True)[1].min() > model.predict(seen, return_std=True)[1].max()
    assert not model.count_unseen(seen).any() and (model.count_unseen(unseen) == 1).all()
    gap = unseen.assign(x=[np.nan, *unseen["x"][1:]])[["x", "subject"]]
    assert model.count_unseen(gap).tolist() == [2] + 39 * [1]
    strict = quick(strict=True).fit(frame[["x"]], effect)
    with pytest.raises(alacarte.ConfigError, match="strict=True, which counts no values"):
        strict.count_unseen(frame[["x"]])


def test_values_that_no_row_of_an_array_had_are_counted():
    rows = np.arange(24.0).reshape(12, 2)
    model = quick().fit(rows, rows[:, 0])
    rows[3, 1] = np.nan
    assert model.count_unseen(rows).tolist() == [0, 0, 0, 1] + 8 * [0]


@pytest.mark.parametrize("build", [lambda rows: rows, lambda rows: np.array(rows, dtype=object)])
def test_arrays_of_any_cells(build):
    rng = np.random.default_rng(0)
    x = rng.normal(size=90)
    kind = rng.choice(["a", "b"], 90)
    rows = [[number, letter, None if k % 10 == 0 else 1.0 * k, "3"] for k, (number, letter) in enumerate(zip(x, kind))]
    y = x + (kind == "a")
    model = quick().fit(build(rows), y)
    assert model.score(build(rows), y) > 0.9
    assert [column["kind"] for column in model.columns_] == ["number", "category", "number", "constant"]
    assert model.n_features_in_ == 4
    assert np.isfinite(model.predict(build([[1.0, "c", None, "9"]]))).all()
    assert np.isfinite(model.predict_one(rows[0]))
    with pytest.raises(ValueError, match="features"):
        model.predict(build([[1.0, "a"], [2.0, "b"]]))
    # Text is what decides, not the type of the array.
    texts = np.array([[str(cell) for cell in row[:2]] for row in rows])
    assert quick().fit(texts, y).columns_[0]["kind"] == "number"


def test_arrays_of_numbers_are_as_they_were(problem):
    X, y = problem
    X = np.column_stack([X, np.ones(len(X))])
    own, strict = quick().fit(X, y), quick(strict=True).fit(X, y)
    np.testing.assert_array_equal(own.predict(X), strict.predict(X))
    assert len(own._about["input_names"]) == 4  # a constant column of an array stays


def test_gaps_in_arrays(problem):
    X, y = problem
    holes = X.copy()
    holes[::8, 1] = np.nan
    model = quick().fit(holes, y)
    assert model._about["input_names"] == ["0", "1", "1 (missing)", "2"]
    assert model.score(holes, y) > 0.7
    whole = quick().fit(X, y)
    filled = np.where(np.isnan(holes), X.mean(axis=0), holes)
    np.testing.assert_allclose(whole.predict(holes), whole.predict(filled))
    assert whole.predict_one(holes[0]) == pytest.approx(whole.predict(filled[:1])[0])
    assert np.isfinite(whole.predict_one([None, "?", 1]))
    for bad in (np.inf, -np.inf):
        other = np.where(np.isnan(holes), bad, holes)
        for method in (lambda rows: quick().fit(rows, y), whole.predict, model.predict):
            with pytest.raises(DataError, match="X: row 1, column 2 is infinite"):
                method(other)
    with pytest.raises(DataError, match="is NaN"):
        quick(strict=True).fit(X, y).predict(holes)
    with pytest.raises(DataError, match="is NaN"):
        quick(missing="error").fit(holes, y)
    features = FeatureMap(QUICK).fit(holes)
    assert features.columns_[1]["missing"] == 15 and np.isfinite(features.transform(holes)).all()


def test_columns_are_matched_by_name():
    frame, y = shop()
    model = quick().fit(frame, y)
    expected = model.predict(frame)
    turned = frame[frame.columns[::-1]].assign(more="?")
    np.testing.assert_array_equal(model.predict(turned), expected)
    # Columns that are no inputs need not be there.
    np.testing.assert_array_equal(model.predict(frame.drop(columns=["nothing", "same", "id"])), expected)
    assert model.predict_one(frame.iloc[3]) == pytest.approx(expected[3])
    with pytest.raises(DataError, match="X: the model's input column 'colour' is missing; did you mean 'color'?"):
        model.predict(frame.rename(columns={"colour": "color"}))
    with pytest.raises(DataError, match="X: the model's input columns 'rate', 'price' are missing"):
        model.predict(frame.drop(columns=["rate", "price"]))
    strict = quick(strict=True).fit(frame[["colour"]].assign(x=1.0 * np.arange(ROWS)), y)
    with pytest.raises(ValueError, match="feature names"):
        strict.predict(frame[["colour"]].assign(x=1.0)[["x", "colour"]])


def test_columns_of_numbers_are_matched_by_name():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(ROWS, 3)), columns=["a", "b", "c"])
    y = 3 * frame["a"] + frame["b"]
    model = quick().fit(frame, y)
    expected = model.predict(frame)
    np.testing.assert_array_equal(model.predict(frame[["c", "b", "a"]]), expected)
    np.testing.assert_array_equal(model.predict(frame.assign(more=1.0)), expected)
    assert model.predict_one(frame.iloc[2]) == pytest.approx(expected[2])
    assert model.predict_one(frame[["c", "b", "a"]].iloc[2]) == pytest.approx(expected[2])


def test_no_value_is_refused_by_predictions():
    frame, y = shop()
    model = quick().fit(frame, y)
    odd = frame.assign(colour="violet", size="big", rate=None, price=np.nan, day="some day", weight="heavy")
    assert np.isfinite(model.predict(odd)).all()
    assert np.isfinite(model.predict(frame.assign(colour=None, size=pd.NA))).all()
    # Columns of another type hold the same values.
    numbers = frame.assign(size=[float(cell.replace(",", ".")) for cell in frame["size"]])
    np.testing.assert_array_equal(model.predict(numbers), model.predict(frame))


def test_names_that_repeat():
    x = np.random.default_rng(0).normal(size=(60, 3))
    frame = pd.DataFrame(x, columns=["a", "b", "a"])
    model = quick().fit(frame, x[:, 2])
    assert list(model.feature_names_in_) == ["a", "b", "a.1"]
    assert model.score(frame, x[:, 2]) > 0.9


def test_loaded_models_read_frames_alike(tmp_path):
    frame, y = shop()
    model = quick().fit(frame, y)
    model.save(tmp_path / "m")
    loaded = alacarte.load(tmp_path / "m")
    assert not loaded.strict and loaded.columns_ == model.columns_
    assert list(loaded.feature_names_in_) == list(frame.columns)
    for rows in (frame, frame[frame.columns[::-1]].assign(more=1)):
        np.testing.assert_array_equal(loaded.predict(rows), model.predict(frame))
    rows = [list(row) for row in frame.drop(columns="day").itertuples(index=False)]
    plain = quick().fit(rows, y)
    plain.save(tmp_path / "n")
    np.testing.assert_array_equal(alacarte.load(tmp_path / "n").predict(rows), plain.predict(rows))


def test_the_program_reads_the_same_columns(program, tmp_path):
    frame, y = shop()
    frame["bool"] = np.arange(ROWS) % 3 == 0
    frame.assign(y=y).to_csv(tmp_path / "t.csv", index=False)
    shown = json.loads(program("inspect", "--table", tmp_path / "t.csv", "--json").stdout)["columns"]
    own = quick().fit(frame, y)
    assert shown == own.columns_
    own.save(tmp_path / "m")
    program("predict", tmp_path / "m", "--data", tmp_path / "t.csv", "--out", tmp_path / "p.csv")
    np.testing.assert_allclose(pd.read_csv(tmp_path / "p.csv")["mean"], own.predict(frame), rtol=1e-9)


def test_formats_of_files_hold_for_frames(program, tmp_path):
    rng = np.random.default_rng(0)
    x, gaps = np.round(rng.uniform(-2, 2, 80), 3), np.arange(80) % 8 == 0
    frame = pd.DataFrame({"x": np.where(gaps, -99, x), "z": np.round(rng.normal(size=80), 2), "y": np.where(gaps, 1, x)})
    frame.to_csv(tmp_path / "t.csv", index=False, sep=";", decimal=",")
    (tmp_path / "r.json").write_text(json.dumps({**QUICK, "data": {"missing_words": ["-99"]}}))
    program("train", tmp_path / "r.json", "--data", tmp_path / "t.csv", "--model", tmp_path / "m", "--threads", 1)
    program("predict", tmp_path / "m", "--data", tmp_path / "t.csv", "--out", tmp_path / "p.csv")
    expected = pd.read_csv(tmp_path / "p.csv")["mean"]
    loaded = alacarte.load(tmp_path / "m")
    assert "x (missing)" in loaded._about["input_names"]
    for rows in (frame, pd.read_csv(tmp_path / "t.csv", sep=";"), pd.read_csv(tmp_path / "t.csv", sep=";", decimal=",")):
        np.testing.assert_allclose(loaded.predict(rows), expected, rtol=1e-9)


def test_targets_of_text():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.round(2000 + 500 * X[:, 0], 1)
    text = pd.Series([f"${value:,.1f}" for value in y], name="price")
    np.testing.assert_array_equal(quick().fit(X, text).predict(X), quick().fit(X, y).predict(X))
    with pytest.raises(DataError, match="y: row 3: 'many' is not a number"):
        quick().fit(X, text.where(np.arange(60) != 2, "many"))
    with pytest.raises(ValueError, match="y: row 1"):
        quick(strict=True).fit(X, text)


@pytest.mark.parametrize(
    "gap",
    [
        lambda y, missing: np.where(missing, np.nan, y),
        lambda y, missing: pd.Series(y).astype("Float64").where(~missing),
        lambda y, missing: np.where(missing, None, y),
        lambda y, missing: [("n/a" if gone else str(value)) for value, gone in zip(y, missing)],
    ],
)
def test_rows_without_a_target_are_left_out(gap):
    rng = np.random.default_rng(0)
    X, missing = rng.normal(size=(90, 2)), np.arange(90) % 7 == 2
    y = X[:, 0] + 0.1 * rng.normal(size=90)
    with pytest.warns(TrainingWarning, match="y: 13 rows without a value are left out"):
        model = quick().fit(X, gap(y, missing))
    kept = quick().fit(X[~missing], y[~missing])
    np.testing.assert_array_equal(model.predict(X), kept.predict(X))
    left_out = model.loo_predictions_[0]
    assert left_out.shape == (90,) and (np.isnan(left_out) == missing).all()
    np.testing.assert_array_equal(left_out[~missing], kept.loo_predictions_[0])
    assert "13 rows without a value" in model.summary()
    with pytest.warns(TrainingWarning, match="13 rows"):
        both = GPRegressor({"model": "linear"}, threads=1).fit(X, y).update(X, gap(y, missing))
    np.testing.assert_allclose(
        both.predict(X), GPRegressor({"model": "linear"}, threads=1).fit(X, y).update(X[~missing], y[~missing]).predict(X)
    )
    with pytest.raises(ValueError, match="row 3"):
        quick(strict=True).fit(X, gap(y, missing))


def test_gaps_of_labels_counts_and_several_targets():
    rng = np.random.default_rng(0)
    X, missing = rng.normal(size=(120, 2)), np.arange(120) % 10 == 0
    for labels in (np.where(X[:, 0] > 0, "right", "left").astype(object), (X[:, 0] > 0).astype(float), X[:, 0] > 0):
        y = pd.Series(labels).where(~missing, None)
        with pytest.warns(TrainingWarning, match="12 rows"):
            model = GPClassifier(QUICK, threads=1).fit(X, y)
        assert list(model.classes_) == sorted(set(np.asarray(labels)))
        assert (model.predict(X) == labels).mean() > 0.9
        assert (np.isnan(model.loo_predictions_).all(axis=1) == missing).all()
    counts = rng.poisson(np.exp(X[:, 0])).astype(float)
    with pytest.warns(TrainingWarning, match="12 rows"):
        GPCountRegressor(QUICK, threads=1).fit(X, np.where(missing, np.nan, counts))
    Y = np.column_stack([X[:, 0], X[:, 1]])
    Y[missing, 1] = np.nan
    for recipe in (QUICK, {**QUICK, "targets": "independent"}):
        with pytest.warns(TrainingWarning, match="12 rows"):
            several = quick(recipe=recipe).fit(X, Y)
        np.testing.assert_array_equal(several.predict(X), quick(recipe=recipe).fit(X[~missing], Y[~missing]).predict(X))
    with pytest.raises(DataError, match="y: no row has a value"):
        quick().fit(X, np.full(120, np.nan))


def test_weights_and_gaps_together():
    frame, y = shop()
    weights = np.where(np.arange(ROWS) % 3 == 0, 0.0, 1.5)
    with pytest.warns(TrainingWarning, match="1 row without a value is left out"):
        model = quick().fit(frame, np.where(np.arange(ROWS) == 4, np.nan, y), sample_weight=weights)
    kept = (weights > 0) & (np.arange(ROWS) != 4)
    assert (np.isfinite(model.loo_predictions_[0]) == kept).all()
    rows = [list(row) for row in frame.drop(columns="day").itertuples(index=False)]
    assert np.isfinite(quick().fit(rows, y, sample_weight=weights).predict(rows)).all()


def library_frames():
    frame, y = shop()
    frame["when"] = frame["day"] + pd.Timedelta(hours=5)
    frame["kind"] = frame["colour"].astype("category")
    frame["full"] = np.where(np.arange(ROWS) % 9 == 0, None, np.arange(ROWS) % 11).astype(object)
    return frame, y


def columns_of(frame):
    """The columns of a frame as plain lists, gaps as None."""
    for name in frame:
        if frame[name].dtype.kind == "M":
            yield name, [None if pd.isna(value) else value.to_pydatetime() for value in frame[name]]
        else:
            yield name, [None if pd.isna(value) else value for value in frame[name].tolist()]


def check_like_pandas(frame, y, other, head):
    expected = quick().fit(frame, y)
    model = quick().fit(other, y)
    assert model.columns_ == expected.columns_
    assert list(model.feature_names_in_) == list(frame.columns) and model.n_features_in_ == frame.shape[1]
    np.testing.assert_array_equal(model.predict(other), expected.predict(frame))
    np.testing.assert_array_equal(expected.predict(head), expected.predict(frame[:7]))
    with pytest.raises(DataError, match="the model's input column 'colour' is missing"):
        model.predict(frame.drop(columns="colour"))


def test_frames_of_polars():
    polars = pytest.importorskip("polars", reason="polars is not installed")
    frame, y = library_frames()
    other = polars.DataFrame({name: values for name, values in columns_of(frame)})
    other = other.with_columns(polars.col("kind").cast(polars.Categorical))
    check_like_pandas(frame, y, other, other.head(7))
    target = quick().fit(other, polars.Series("y", y))
    np.testing.assert_array_equal(target.predict(other), quick().fit(frame, y).predict(frame))


def test_tables_of_arrow():
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    frame, y = library_frames()
    other = pyarrow.table({name: pyarrow.array(values) for name, values in columns_of(frame)})
    place = other.column_names.index("kind")
    other = other.set_column(place, "kind", other["kind"].dictionary_encode())
    check_like_pandas(frame, y, other, other.slice(0, 7))
    batch = other.combine_chunks().to_batches()[0]
    check_like_pandas(frame, y, batch, batch.slice(0, 7))

    class Stream:
        """A table of a library that only hands itself over."""

        def __arrow_c_stream__(self, requested_schema=None):
            return other.__arrow_c_stream__(requested_schema)

    if hasattr(other, "__arrow_c_stream__"):
        check_like_pandas(frame, y, Stream(), other.slice(0, 7))


def test_frames_of_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    frame, y = library_frames()
    frame["full"] = frame["full"].astype(float)
    frame.to_parquet(tmp_path / "t.parquet")
    expected = quick().fit(frame, y)
    plain = pd.read_parquet(tmp_path / "t.parquet")
    arrow_type = getattr(pd, "ArrowDtype", None)
    backed = [plain]
    if arrow_type is not None:
        table = pyarrow.parquet.read_table(tmp_path / "t.parquet")
        backed.append(table.to_pandas(types_mapper=arrow_type))
    for other in backed:
        model = quick().fit(other, y)
        assert model.columns_ == expected.columns_
        np.testing.assert_array_equal(model.predict(other), expected.predict(frame))


def test_objects_of_dates_and_spans():
    rng = np.random.default_rng(0)
    days = [datetime.date(2020, 1, 1) + datetime.timedelta(days=int(k)) for k in rng.integers(0, 900, 60)]
    frame = pd.DataFrame({"day": days, "span": [datetime.timedelta(hours=float(k)) for k in rng.uniform(0, 48, 60)]})
    frame["span"] = frame["span"].astype(object)
    model = quick().fit(frame, rng.normal(size=60))
    assert kinds(model) == {"day": "date", "span": "number"}
    with pytest.raises(DataError, match=r"X: row 1, column 1: 'day' is no number: '\[1\]'"):
        model.predict(frame.assign(day=[[1]] * 60))

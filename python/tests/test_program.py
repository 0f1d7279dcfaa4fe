"""Models of the package in the program, and the other way round: the same bits."""

import io
import json
import os
import subprocess

import numpy as np
import pandas as pd
import pytest
from conftest import QUICK

import alacarte
from alacarte import FeatureMap, GPClassifier, GPCountRegressor, GPRegressor


def table(rows=5000):
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "size": rng.uniform(0, 1, rows),
            "district": rng.choice(["old town", "Süd", "west"], rows),
            "age": rng.uniform(0, 50, rows).round(1),
        }
    )
    frame["price"] = np.sin(4 * frame["size"]) + (frame["district"] == "west") + 0.02 * frame["age"]
    frame["price"] += 0.05 * rng.normal(size=rows)
    return frame


def read_csv(path):
    return pd.read_csv(path, float_precision="round_trip")


def test_model_of_the_package_in_the_program(program, tmp_path):
    frame = table()
    frame.to_csv(tmp_path / "new.csv", index=False)
    X = frame.drop(columns="price")
    model = GPRegressor(QUICK, threads=1).fit(X[:300], frame["price"][:300])
    assert "district=west" in model.relevance_
    model.save(tmp_path / "m.alacarte")
    program("predict", tmp_path / "m.alacarte", "--data", tmp_path / "new.csv", "--out", tmp_path / "p.csv")
    predicted = read_csv(tmp_path / "p.csv")
    mean, std, bounds = model.predict(X, return_std=True, interval=0.95)
    np.testing.assert_array_equal(predicted["mean"], mean)
    np.testing.assert_array_equal(predicted["sd_observation"], std)
    np.testing.assert_array_equal(predicted["lower_observation"], bounds[:, 0])
    loaded = alacarte.load(tmp_path / "m.alacarte")
    np.testing.assert_array_equal(loaded.predict(X, return_std=True)[1], std)
    np.testing.assert_allclose(model.predict(X), mean, rtol=1e-9)


def test_model_of_the_program_in_the_package(program, tmp_path):
    frame = table(400)
    frame["age"] = frame["age"].where(frame.index % 7 != 3)
    frame.to_csv(tmp_path / "train.csv", index=False)
    (tmp_path / "r.json").write_text(
        json.dumps({**QUICK, "data": {"target": "price", "categorical": ["district"], "missing": "mean"}})
    )
    program(
        "train", tmp_path / "r.json", "--data", tmp_path / "train.csv", "--model", tmp_path / "m", "--threads", 1, "--seed", 4
    )
    program("predict", tmp_path / "m", "--data", tmp_path / "train.csv", "--out", tmp_path / "p.csv")
    predicted = read_csv(tmp_path / "p.csv")
    loaded = alacarte.load(tmp_path / "m")
    X = read_csv(tmp_path / "train.csv").drop(columns="price")
    mean, std = loaded.predict(X, return_std=True)
    np.testing.assert_array_equal(predicted["mean"], mean)
    np.testing.assert_array_equal(predicted["sd_observation"], std)
    # Equal rows, recipe and seed give an equal training.
    own = GPRegressor(QUICK, threads=1, random_state=4, missing="mean").fit(X, frame["price"])
    np.testing.assert_array_equal(own.predict(X, return_std=True)[1], std)


def test_classes_both_ways(program, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    y = np.array([9, 10, 100])[np.digitize(X[:, 0], [-0.4, 0.4])]
    model = GPClassifier(QUICK, threads=1).fit(X, y)
    model.save(tmp_path / "m")
    np.savetxt(tmp_path / "X.csv", X, fmt="%.17g", delimiter=",")
    program("predict", tmp_path / "m", "--data", tmp_path / "X.csv", "--out", tmp_path / "p.csv")
    predicted = read_csv(tmp_path / "p.csv")
    np.testing.assert_array_equal(predicted["label"], model.predict(X))
    for k, label in enumerate(model.classes_):
        np.testing.assert_array_equal(predicted[f"p({label})"], model.predict_proba(X)[:, k])
    loaded = alacarte.load(tmp_path / "m")
    assert isinstance(loaded, GPClassifier)
    assert list(loaded.classes_) == ["9", "10", "100"]
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


def test_counts_in_the_program(program, tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.uniform(0, 3, 100)})
    model = GPCountRegressor(QUICK, threads=1).fit(X, rng.poisson(np.exp(X["a"])))
    model.save(tmp_path / "m")
    X.to_csv(tmp_path / "X.csv", index=False)
    program("predict", tmp_path / "m", "--data", tmp_path / "X.csv", "--out", tmp_path / "p.csv")
    predicted = read_csv(tmp_path / "p.csv")
    np.testing.assert_array_equal(predicted["mean"], model.predict(X))
    assert isinstance(alacarte.load(tmp_path / "m"), GPCountRegressor)


@pytest.mark.parametrize("learn", [False, True])
def test_features_are_those_of_transform(program, tmp_path, learn):
    frame = table(300).drop(columns="district")
    frame.to_csv(tmp_path / "t.csv", index=False)
    X, y = frame.drop(columns="price"), frame["price"]
    features = FeatureMap(QUICK, learn=learn, threads=1).fit(X, y)
    source = tmp_path / "r.json"
    source.write_text(json.dumps({**QUICK, "data": {"target": "price"}}))
    if learn:
        program("train", source, "--data", tmp_path / "t.csv", "--model", tmp_path / "m", "--threads", 1)
        source = tmp_path / "m"
    program("transform", source, "--data", tmp_path / "t.csv", "--out", tmp_path / "psi.npy")
    psi = np.load(tmp_path / "psi.npy")
    own = features.transform(X)
    assert own.shape == (300, features.get_feature_names_out().size)
    scale = np.abs(psi[:, : own.shape[1]]).max()
    np.testing.assert_allclose(own, psi[:, : own.shape[1]], atol=1e-12 * scale)


def test_recipes_by_name_path_and_dict(tmp_path, problem):
    X, y = problem
    assert {"auto", "gm", "classify"} <= set(alacarte.recipes())
    path = tmp_path / "own.json"
    path.write_text(json.dumps(QUICK))
    by_path = GPRegressor(path, threads=1).fit(X, y).predict(X)
    np.testing.assert_array_equal(by_path, GPRegressor(str(path), threads=1).fit(X, y).predict(X))
    np.testing.assert_array_equal(by_path, GPRegressor(QUICK, threads=1).fit(X, y).predict(X))
    assert GPRegressor("linear", threads=1).fit(X, y).score(X, y) > 0.3


def test_errors_have_the_words_of_the_program(program, tmp_path, problem):
    recipe, damaged = tmp_path / "own.json", tmp_path / "damaged"
    recipe.write_text(json.dumps({**QUICK, "trainig": {}}))
    damaged.write_bytes(b"no model")
    table(20).to_csv(tmp_path / "t.csv", index=False)
    train = ("train", recipe, "--data", tmp_path / "t.csv", "--model", tmp_path / "m")
    for kind, work, words in (
        (alacarte.ConfigError, lambda: GPRegressor(recipe).fit(*problem), train),
        (alacarte.IoError, lambda: alacarte.load(damaged), ("inspect", damaged)),
    ):
        with pytest.raises(kind) as caught:
            work()
        done = subprocess.run([os.environ["ALACARTE_PROGRAM"], *map(str, words)], capture_output=True, text=True)
        assert done.returncode != 0
        assert str(caught.value) in done.stderr


def test_text_of_csv_and_frame_are_one_schema():
    frame = table(200)
    text = io.StringIO(frame.to_csv(index=False))
    again = pd.read_csv(text, float_precision="round_trip", dtype={"district": "category"})
    one = GPRegressor(QUICK, threads=1).fit(frame.drop(columns="price"), frame["price"])
    two = GPRegressor(QUICK, threads=1).fit(again.drop(columns="price"), again["price"])
    np.testing.assert_array_equal(one.predict(frame.drop(columns="price")), two.predict(again.drop(columns="price")))

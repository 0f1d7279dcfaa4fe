"""Cuts of the tables in ALACARTE_DATA_DIR, read by pandas: they train and predict with no option except a short time."""

import os
import pathlib
import sys

import numpy as np
import pandas as pd
import pytest

from alacarte import GPClassifier, GPRegressor

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(os.environ.get("ALACARTE_DATA_DIR", "/nowhere")) / "tables"
MANIFEST = FOLDER / "manifest.csv"
TABLES = pd.read_csv(MANIFEST).to_dict("records") if MANIFEST.exists() else []

pytestmark = [
    pytest.mark.skipif(not TABLES, reason="ALACARTE_DATA_DIR is not set, or its folder has no tables"),
    # A third of a second cuts some trainings short.
    pytest.mark.filterwarnings("ignore::alacarte.TrainingWarning"),
]


def rmse(values, target):
    return float(np.sqrt(np.mean((values - target) ** 2)))


@pytest.fixture(scope="module")
def cuts(tmp_path_factory):
    """A function of a table that returns its training rows, its test rows, and these with new words and gaps, as pandas reads them."""
    sys.path.insert(0, str(ROOT / "tests" / "tables"))
    try:
        import run
    finally:
        sys.path.pop(0)
    folder = tmp_path_factory.mktemp("cuts")

    def frames(table):
        names, rows = run.read_table(FOLDER, table["name"])
        rows = run.cut(names, rows, table["target"])
        train, test = run.split(rows, names.index(table["target"]))
        found = []
        for part in (train, test, run.with_new_values(names, test, table["target"])):
            run.write_rows(folder / "cut.csv", names, part)
            found.append(pd.read_csv(folder / "cut.csv"))
        return found

    return frames


@pytest.mark.parametrize("table", TABLES, ids=[table["name"] for table in TABLES])
def test_cut_trains_and_predicts(table, cuts):
    train, test, new = cuts(table)
    target = table["target"]
    kind = GPClassifier if table["kind"] == "class" else GPRegressor
    model = kind(seconds=0.3, threads=1).fit(train.drop(columns=target), train[target])
    for rows in (test, new):
        inputs = rows.drop(columns=target)
        if table["kind"] == "class":
            probabilities = model.predict_proba(inputs)
            assert probabilities.shape == (len(rows), train[target].nunique())
            assert np.isfinite(probabilities).all()
            assert probabilities.sum(axis=1) == pytest.approx(1)
        else:
            mean, sd = model.predict(inputs, return_std=True)
            assert np.isfinite(mean).all()
            assert (sd > 0).all() and np.isfinite(sd).all()
    if table["kind"] == "number":
        # Far worse than the mean of the training rows is a fault of the encoding, and no chance.
        error = rmse(model.predict(test.drop(columns=target)), test[target])
        assert error < 1.5 * rmse(train[target].mean(), test[target])

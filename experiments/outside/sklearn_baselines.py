#!/usr/bin/env python3
"""scikit-learn's methods on the folds of the paper, as a CSV that `alacarte report` joins (dataset,method,fold,metric,value).

Debian: apt-get install python3-sklearn. ALACARTE_DATA_DIR names the folder of the data sets.

    sklearn_baselines.py OUT.csv --datasets servo yacht [--methods sk-GP sk-HistGB sk-RF] [--folds 0 1 2] [--jobs 2]

Folds that OUT.csv already holds are not run again; it is rewritten, whole, after every unit. Inputs and target are standardised
with the training rows. sk-GP: exact GP, amplitude * RBF with one length-scale an input + noise, L-BFGS from one start and one
random restart. sk-HistGB and sk-RF: as they come (HistGradientBoostingRegressor, RandomForestRegressor with 300 trees); they have
no predictive density, so only their RMSE and times are written.
"""
import argparse
import csv
import gzip
import math
import os
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # one core per fold; set before numpy is loaded
    os.environ.setdefault(name, "1")

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

METHODS = ("sk-GP", "sk-HistGB", "sk-RF")
HEADER = ["dataset", "method", "fold", "metric", "value"]


def load(name):
    folder = os.path.join(os.environ["ALACARTE_DATA_DIR"], "uci", name)
    with gzip.open(os.path.join(folder, "data.csv.gz"), "rt") as file:
        data = np.loadtxt(file, delimiter=",", ndmin=2)
    with gzip.open(os.path.join(folder, "test_mask.csv.gz"), "rt") as file:
        mask = np.loadtxt(file, delimiter=",", ndmin=2) > 0.5
    return data[:, :-1], data[:, -1], mask


def make(method, inputs):
    if method == "sk-HistGB":
        return HistGradientBoostingRegressor(random_state=0)
    if method == "sk-RF":
        return RandomForestRegressor(n_estimators=300, random_state=0, n_jobs=1)
    kernel = ConstantKernel(1.0, (1e-3, 1e3)) * RBF(np.ones(inputs) * math.sqrt(inputs), (1e-2, 1e4)) + WhiteKernel(
        0.1, (1e-6, 1e1)
    )
    return GaussianProcessRegressor(kernel, n_restarts_optimizer=1, random_state=0)


def run(name, method, fold):
    warnings.simplefilter("ignore", ConvergenceWarning)
    inputs, target, mask = load(name)
    test = mask[:, fold]
    shift, scale = inputs[~test].mean(0), inputs[~test].std(0)
    inputs = (inputs - shift) / np.where(scale > 0, scale, 1)
    centre, spread = target[~test].mean(), target[~test].std(ddof=1)
    model = make(method, inputs.shape[1])
    began = time.perf_counter()
    model.fit(inputs[~test], (target[~test] - centre) / spread)
    trained = time.perf_counter()
    if method == "sk-GP":
        mean, sd = model.predict(inputs[test], return_std=True)  # includes the noise, by WhiteKernel
        sd = np.maximum(sd, 1e-9) * spread
    else:
        mean, sd = model.predict(inputs[test]), None
    done = time.perf_counter()
    error = target[test] - (mean * spread + centre)
    scores = {"rmse": math.sqrt(np.mean(error**2)), "train_seconds": trained - began, "predict_seconds": done - trained}
    if sd is not None:
        scores["nlpd"] = float(np.mean(0.5 * np.log(2 * math.pi * sd**2) + 0.5 * (error / sd) ** 2))
        scores["coverage95"] = float(np.mean(np.abs(error) <= 1.959964 * sd))
    return [[name, method, str(fold), metric, repr(float(value))] for metric, value in scores.items()]


def read(path):
    if not os.path.exists(path):
        return []
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    if rows[:1] != [HEADER]:
        sys.exit(f"{path}: must begin with {','.join(HEADER)}")
    return rows[1:]


def write(path, rows):
    with open(path + ".tmp", "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([HEADER] + sorted(rows))
    os.replace(path + ".tmp", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--datasets", nargs="+", required=True)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--folds", nargs="+", type=int, default=list(range(10)))
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    if "ALACARTE_DATA_DIR" not in os.environ:
        sys.exit("ALACARTE_DATA_DIR is not set; it names the folder of the data sets")
    rows = read(arguments.out)
    have = {tuple(row[:3]) for row in rows}
    with ProcessPoolExecutor(arguments.jobs) as pool:
        units = [
            pool.submit(run, name, method, fold)
            for name in arguments.datasets
            for method in arguments.methods
            for fold in arguments.folds
            if (name, method, str(fold)) not in have
        ]
        for unit in as_completed(units):
            rows += unit.result()
            write(arguments.out, rows)


if __name__ == "__main__":
    main()

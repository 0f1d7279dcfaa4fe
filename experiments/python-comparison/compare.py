#!/usr/bin/env python3
"""alacarte's estimators in the place of scikit-learn's exact Gaussian process, RBFSampler + Ridge and Nystroem + Ridge.

ALACARTE_DATA_DIR names the folder of the data sets, PYTHONPATH (or an installation) has the package alacarte.

    compare.py OUT.json [--datasets yacht energy concrete airfoil] [--folds 0]

Each method below is one function: rows in, means and standard deviations of new observations out. Its lines are those of its body,
counted by this script. Seconds are of the processor (one thread) for the whole function: choosing, fitting, predicting. OUT.json
holds what was run, with command, commit, versions and the machine's load; what it holds already is not run again.
"""
import argparse
import gzip
import inspect
import json
import os
import resource
import sys
import time
import warnings
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # one thread for all; before numpy is loaded
    os.environ[variable] = "1"

import numpy as np
from scipy.stats import norm
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.linear_model import Ridge, RidgeCV
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from about import about
from alacarte import FeatureMap, GPRegressor
from table import print_comparison

FEATURES = 500
GRID = {"gamma": np.geomspace(0.003, 1, 6), "alpha": np.geomspace(1e-4, 1, 5)}


def alacarte_gp(X, y, new):
    model = GPRegressor().fit(X, y)
    return model.predict(new, return_std=True)


def sklearn_gp(X, y, new):
    kernel = ConstantKernel() * RBF(np.ones(X.shape[1]), (1e-2, 1e4)) + WhiteKernel(0.1, (1e-6, 10))
    process = GaussianProcessRegressor(kernel, normalize_y=True, random_state=0)
    model = make_pipeline(StandardScaler(), process).fit(X, y)
    return model.predict(new, return_std=True)


def sampler_ridge(X, y, new):
    model = make_pipeline(StandardScaler(), RBFSampler(n_components=FEATURES, random_state=0), Ridge())
    grid = {"rbfsampler__gamma": GRID["gamma"], "ridge__alpha": GRID["alpha"]}
    search = GridSearchCV(model, grid, cv=5, scoring="neg_mean_squared_error").fit(X, y)
    return search.predict(new), np.sqrt(-search.best_score_)


def nystroem_ridge(X, y, new):
    model = make_pipeline(StandardScaler(), Nystroem(n_components=min(FEATURES, len(X) // 2), random_state=0), Ridge())
    grid = {"nystroem__gamma": GRID["gamma"], "ridge__alpha": GRID["alpha"]}
    search = GridSearchCV(model, grid, cv=5, scoring="neg_mean_squared_error").fit(X, y)
    return search.predict(new), np.sqrt(-search.best_score_)


def feature_map_ridge(X, y, new):
    ridge = RidgeCV(np.geomspace(1e-5, 1, 25), scoring="neg_mean_squared_error")
    model = make_pipeline(FeatureMap("ard", learn=True), ridge).fit(X, y)
    return model.predict(new), np.sqrt(-ridge.best_score_)


METHODS = {
    "alacarte GPRegressor()": alacarte_gp,
    "scikit-learn GaussianProcessRegressor": sklearn_gp,
    "alacarte FeatureMap + Ridge": feature_map_ridge,
    "scikit-learn RBFSampler + Ridge": sampler_ridge,
    "scikit-learn Nystroem + Ridge": nystroem_ridge,
}


def lines(method):
    return len(inspect.getsource(method).splitlines()) - 1


def read(name):
    folder = Path(os.environ["ALACARTE_DATA_DIR"], "uci", name)
    data, mask = (np.loadtxt(gzip.open(folder / f"{file}.csv.gz"), delimiter=",") for file in ("data", "test_mask"))
    return data[:, :-1], data[:, -1], mask > 0.5


def run(name, fold, method):
    X, y, mask = read(name)
    test = mask[:, fold]
    began = time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        mean, sd = METHODS[method](X[~test], y[~test], X[test])
    seconds = time.perf_counter() - began[0], time.process_time() - began[1]
    return {
        "dataset": name,
        "fold": fold,
        "method": method,
        "seconds": round(seconds[0], 2),
        "processor_seconds": round(seconds[1], 2),
        "rmse": float(np.sqrt(np.mean((mean - y[test]) ** 2))),
        "nlpd": float(-norm.logpdf(y[test], mean, sd).mean()),
        "load": round(os.getloadavg()[0], 2),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--datasets", nargs="+", default=["yacht", "energy", "concrete", "airfoil"])
    parser.add_argument("--folds", nargs="+", type=int, default=[0])
    given = parser.parse_args()
    document = json.loads(given.out.read_text()) if given.out.exists() else {"units": []}
    document["about"] = {**about(), "lines": {name: lines(method) for name, method in METHODS.items()}}
    done = {(unit["dataset"], unit["fold"], unit["method"]) for unit in document["units"]}
    wanted = [(name, fold, method) for name in given.datasets for fold in given.folds for method in METHODS]
    for unit in wanted:
        if unit not in done:
            document["units"].append(run(*unit))
            given.out.write_text(json.dumps(document, indent=1) + "\n")
            print(document["units"][-1], file=sys.stderr)
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_utime:.0f} s of processor time", file=sys.stderr)
    print_comparison(document)


if __name__ == "__main__":
    main()

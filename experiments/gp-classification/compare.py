#!/usr/bin/env python3
"""Gaussian-process classification by alacarte beside scikit-learn's, on the same rows.

Each data set is NAME/data.csv.gz (numbers without header, the class last; classes.txt names the classes) below
--data; split.csv.gz marks the test rows (1), where there is one. Without it 30 % of the rows, drawn for each class by
the seed, test. No more than --train rows train and --test rows test, drawn by the seed.

Methods: alacarte's recipe (softmax or logit), scikit-learn's GaussianProcessClassifier (exact Laplace, ARD Gaussian
kernel, one against the rest) and LogisticRegression (C by 5-fold cross-validation), both on standardised inputs.
Writes one line a data set and method: accuracy, log loss (nats), expected calibration error over 15 bins of the
predicted class's probability, seconds of training and of predicting, and the commit.
"""
import argparse
import csv
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.linear_model import LogisticRegressionCV
from sklearn.preprocessing import StandardScaler

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from measured import commit  # noqa: E402

HEADER = ["dataset", "rows", "inputs", "classes", "method", "overrides", "accuracy", "log_loss", "ece", "train_s", "predict_s", "commit"]


def read_set(folder):
    with gzip.open(os.path.join(folder, "data.csv.gz"), "rt") as file:
        table = np.loadtxt(file, delimiter=",")
    names = {}
    with open(os.path.join(folder, "classes.txt"), encoding="utf-8") as file:
        for line in file:
            number, name = line.rstrip("\n").split("\t", 1)
            names[float(number)] = name
    labels = np.array([names[value] for value in table[:, -1]])
    split = os.path.join(folder, "split.csv.gz")
    is_test = None
    if os.path.exists(split):
        with gzip.open(split, "rt") as file:
            is_test = np.loadtxt(file) == 1
    return table[:, :-1], labels, is_test


def choose_rows(labels, is_test, args):
    draw = np.random.default_rng(args.seed)
    if is_test is None:
        is_test = np.zeros(len(labels), bool)
        for label in np.unique(labels):
            rows = draw.permutation(np.flatnonzero(labels == label))
            is_test[rows[: round(0.3 * len(rows))]] = True
    train = draw.permutation(np.flatnonzero(~is_test))[: args.train]
    test = draw.permutation(np.flatnonzero(is_test))[: args.test]
    return train, test[np.isin(labels[test], labels[train])]


def scores(p, places):
    rows = np.arange(len(places))
    predicted, top = p.argmax(1), p.max(1)
    bins = np.minimum((top * 15).astype(int), 14)
    right = predicted == places
    ece = sum(abs(right[bins == b].sum() - top[bins == b].sum()) for b in range(15)) / len(places)
    return right.mean(), -np.log(np.maximum(p[rows, places], 2.3e-308)).mean(), ece


def write_table(path, x, labels):
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow([f"x{j}" for j in range(x.shape[1])] + ["class"])
        for row, label in zip(x, labels):
            out.writerow([repr(float(value)) for value in row] + [label])


def run_alacarte(args, recipe, more, train, test):
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("train.csv", "test.csv", "model")]
        write_table(paths[0], *train)
        write_table(paths[1], *test)
        command = [args.program, "train", recipe, "--data", paths[0], "--model", paths[2], "--threads", str(args.threads),
                   "--quiet"]
        for override in more:
            command += ["--set", override]
        began = time.perf_counter()
        subprocess.run(command, check=True)
        trained = time.perf_counter() - began
        said = subprocess.run([args.program, "evaluate", paths[2], "--data", paths[1], "--threads", str(args.threads)],
                              check=True, stdout=subprocess.PIPE)
        result = json.loads(said.stdout)
        return result["accuracy"], result["log_loss"], result["ece"], trained, result["seconds"]


def run_sklearn(model, train, test):
    scaler = StandardScaler().fit(train[0])
    began = time.perf_counter()
    model.fit(scaler.transform(train[0]), train[1])
    trained = time.perf_counter() - began
    began = time.perf_counter()
    p = model.predict_proba(scaler.transform(test[0]))
    seconds = time.perf_counter() - began
    places = np.searchsorted(model.classes_, test[1])
    return (*scores(p, places), trained, seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/alacarte")
    parser.add_argument("--data", default=os.path.join(os.environ.get("ALACARTE_DATA_DIR", "data"), "classification"))
    parser.add_argument("--sets", nargs="+", default=["ionosphere", "pima", "vehicle", "digits8x8", "spambase", "letter"])
    parser.add_argument("--methods", nargs="+", default=["softmax", "logit", "gpc", "logistic"])
    parser.add_argument("--train", type=int, default=1000)
    parser.add_argument("--test", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--set", dest="overrides", action="append", default=[], help="of the recipe, as in alacarte train")
    parser.add_argument("--out", default="results.csv", help="kept and added to: what is there is not run again")
    args = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    warnings.simplefilter("ignore", FutureWarning)
    overrides = " ".join(args.overrides)
    have, head = set(), ",".join(HEADER)
    if os.path.exists(args.out):
        with open(args.out, encoding="utf-8") as file:
            have = {(line["dataset"], line["rows"], line["method"], line["overrides"]) for line in csv.DictReader(file)}
    else:
        with open(args.out, "w", encoding="utf-8") as file:
            file.write(head + "\n")
    for name in args.sets:
        x, labels, is_test = read_set(os.path.join(args.data, name))
        train, test = choose_rows(labels, is_test, args)
        sides = (x[train], labels[train]), (x[test], labels[test])
        classes = len(np.unique(labels[train]))
        kernel = ConstantKernel(4.0) * RBF(np.full(x.shape[1], np.sqrt(x.shape[1])), (1e-2, 1e4))
        methods = {
            "softmax": lambda: run_alacarte(args, "classify", args.overrides, *sides),
            "logit": lambda: run_alacarte(args, "classify-two", args.overrides, *sides),
            "gpc": lambda: run_sklearn(GaussianProcessClassifier(kernel, random_state=0), *sides),
            "logistic": lambda: run_sklearn(LogisticRegressionCV(max_iter=2000), *sides),
        }
        for method in args.methods:
            if (method == "logit" and classes > 2) or (name, str(len(train)), method, overrides) in have:
                continue
            values = [f"{value:.4g}" for value in methods[method]()]
            with open(args.out, "a", newline="", encoding="utf-8") as file:
                csv.writer(file, lineterminator="\n").writerow(
                    [name, len(train), x.shape[1], classes, method, overrides, *values, commit()])
            print(name, method, overrides, *values, flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What was tried to make error bars of `deep` hold on rows unlike the training rows (shifted.csv, distance.csv).

    far.py settings OUT.csv --program P    training under settings that keep a network from bending its inputs
    far.py distance OUT.csv --program P    a factor on the standard deviations by the distance from the training rows

Train and test as in ../frontier/frontier.py --shifted; 'like' are left-out rows among the training rows. The spectral bound of the
weights needs a program with spectral-bound.patch (the others do not).

distance: s(x)^2 = 1 + exp(a + g log v(x)) with v the posterior variance of a unit ARD process with 500 of the rows as its data. a and g
are those under which two other shifts, along the second and the third component, and the left-out rows are most probable (Student's t
of 4 degrees). Needs numpy and scipy.
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import minimize

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "frontier"))
import frontier  # noqa: E402

SETS = ["elevators", "keggundirected", "kin40k", "parkinsons", "pol", "protein"]
SETTINGS = {  # label: environment, arguments
    "as shipped": ({}, ["--seconds", "12"]),
    "copies 5": ({}, ["--seconds", "30", "--set", "/copies=5"]),
    "network.decay 0.3": ({}, ["--seconds", "12", "--set", "/network/decay=0.3"]),
    "spectral bound 4": ({"ALACARTE_SPECTRAL_BOUND": "4"}, ["--seconds", "12"]),
    "spectral bound 2": ({"ALACARTE_SPECTRAL_BOUND": "2"}, ["--seconds", "12"]),
    "spectral bound 1": ({"ALACARTE_SPECTRAL_BOUND": "1"}, ["--seconds", "12"]),
}


def write(path, rows):
    header = ",".join([f"x{i}" for i in range(rows.shape[1] - 1)] + ["y"])
    np.savetxt(path, rows, delimiter=",", header=header, comments="", fmt="%.17g")


def rows_of(name):
    """(training rows, left-out rows like them, shifted rows)."""
    train, test = (np.asarray(rows) for rows in frontier.split(name, True))
    random = np.random.default_rng(0)
    order = random.permutation(len(train))
    held = min(2000, len(train) // 10)
    return train[order[held:]], train[order[:held]], test[random.permutation(len(test))[:4000]]


def program(arguments, environment=None):
    done = subprocess.run([options.program, *arguments], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          env={**os.environ, **(environment or {})})
    return done.stdout


def train(rows, recipe="deep", more=("--seconds", "12"), environment=None):
    write("train.csv", rows)
    program(["train", recipe, "--data", "train.csv", "--target", "y", "--model", "m.alacarte", *more], environment)


def settings(writer):
    writer.writerow(["dataset", "setting", "rows", "rmse", "nlpd", "coverage95"])
    for name in ("kin40k", "protein"):
        training, like, shifted = rows_of(name)
        for label, (environment, arguments) in SETTINGS.items():
            train(training, more=arguments, environment=environment)
            for kind, rows in (("like", like), ("shifted", shifted)):
                write("test.csv", rows)
                found = json.loads(program(["evaluate", "m.alacarte", "--data", "test.csv"]))
                writer.writerow([name, label, kind] + [f"{v:.4f}" for v in (found["rmse"], found["nlpd"], found["coverage"]["95"])])


def errors(rows):
    """Of the last model, in standard deviations."""
    write("test.csv", rows)
    program(["predict", "m.alacarte", "--data", "test.csv", "--out", "p.csv"])
    found = np.genfromtxt("p.csv", delimiter=",", names=True)
    return (rows[:, -1] - found["mean"]) / found["sd_observation"]


def lengthscales(rows):
    train(rows, "exact-ard", ("--seconds", "8"))
    inputs = json.loads(program(["inspect", "m.alacarte", "--json"]))["fits"][0]["inputs"]
    found = {i["name"]: i["lengthscale"] for i in inputs if i["lengthscale"] is not None}
    return np.array([found.get(f"x{i}", np.inf) for i in range(rows.shape[1] - 1)])


def distance_from(rows, lengths):
    """v: log of the posterior variance at given rows."""
    centres = rows[np.random.default_rng(1).permutation(len(rows))[:500], :-1] / lengths
    square = lambda a: (a**2).sum(axis=1)
    kernel = lambda a, b: np.exp(-0.5 * np.maximum(square(a)[:, None] + square(b) - 2 * a @ b.T, 0))
    root = cholesky(kernel(centres, centres) + 1e-3 * np.eye(len(centres)), lower=True)
    return lambda x: np.log(1 - (solve_triangular(root, kernel(centres, x[:, :-1] / lengths), lower=True) ** 2).sum(axis=0))


def loss(parameters, z, log_v):
    scale = np.sqrt(1 + np.exp(np.clip(parameters[0] + parameters[1] * log_v, -30, 30)))
    return np.mean(np.log(scale) + 2.5 * np.log1p((z / scale) ** 2 / 4))


def distance(writer):
    writer.writerow(["dataset", "a", "g", "like_before", "like_after", "shifted_before", "shifted_after"])
    for name in SETS:
        training, like, shifted = rows_of(name)
        lengths = lengthscales(training)
        inputs = training[:, :-1] - training[:, :-1].mean(axis=0)
        deviation = inputs.std(axis=0)
        inputs = inputs[:, deviation > 0] / deviation[deviation > 0]
        axes = np.linalg.eigh(inputs.T @ inputs)[1]
        seen = []
        for component in (2, 3):
            place = inputs @ axes[:, -component]
            out = place > np.quantile(place, 0.8)
            train(training[~out])
            seen.append((errors(training[out][:3000]), distance_from(training[~out], lengths)(training[out][:3000])))
        train(training)
        away = distance_from(training, lengths)
        like_seen, shifted_seen = ((errors(rows), away(rows)) for rows in (like, shifted))
        total = lambda p: sum(loss(p, *part) for part in [*seen, like_seen])
        best = min((minimize(total, [a, g], method="Nelder-Mead") for a in (-3, 0, 3) for g in (0.5, 2)), key=lambda r: r.fun).x
        inside = lambda p, z, v: np.mean(np.abs(z) < 1.96 * np.sqrt(1 + np.exp(np.clip(p[0] + p[1] * v, -30, 30))))
        numbers = [inside(p, *part) for part in (like_seen, shifted_seen) for p in ((-30, 0), best)]
        writer.writerow([name, *(f"{p:.3g}" for p in best), *(f"{share:.4f}" for share in numbers)])


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("what", choices=["settings", "distance"])
parser.add_argument("out")
parser.add_argument("--program", required=True)
options = parser.parse_args()
options.program, options.out = os.path.abspath(options.program), os.path.abspath(options.out)
with tempfile.TemporaryDirectory() as folder, open(options.out + ".tmp", "w", newline="") as file:
    os.chdir(folder)
    (settings if options.what == "settings" else distance)(csv.writer(file, lineterminator="\n"))
os.rename(options.out + ".tmp", options.out)

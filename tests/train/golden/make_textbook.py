#!/usr/bin/env python3
"""Writes textbook.json: Gaussian processes whose kernel and noise are given, by the formulas of textbooks in numpy, an
origin independent of this project. Usage: make_textbook.py > textbook.json

Numbers: Rasmussen and Williams 2006 (RW), equations 2.25 (mean), 2.26 (variance of f) and 2.30 (log evidence). Kriging
with an unknown mean: the ordinary kriging system with a Lagrange multiplier (Isaaks and Srivastava 1989, chapter 12).
Classes: Laplace's approximation, RW algorithm 3.1 (mode) and equation 3.32 (log evidence)."""
import json
import math
import numpy as np


def squared_distances(a, b, scales):
    return (((a[:, None, :] - b[None, :, :]) / np.asarray(scales, float)) ** 2).sum(-1)


def rbf(amplitude, *scales):
    return lambda a, b: amplitude**2 * np.exp(-0.5 * squared_distances(a, b, scales))


def exponential(amplitude, *scales):
    return lambda a, b: amplitude**2 * np.exp(-np.sqrt(squared_distances(a, b, scales)))


def periodic(amplitude, scale, period):  # RW equation 4.31
    return lambda a, b: amplitude**2 * np.exp(-2 * (np.sin(np.pi * (a - b.T) / period) / scale) ** 2)


def numbers(kernel, noise, x, y, x_new, mean=0.0):
    covariance = kernel(x, x) + noise**2 * np.eye(len(y))
    cross = kernel(x_new, x)
    solved = np.linalg.solve(covariance, y - mean)
    variance = np.diag(kernel(x_new, x_new) - cross @ np.linalg.solve(covariance, cross.T))
    evidence = -0.5 * (y - mean) @ solved - 0.5 * np.linalg.slogdet(covariance)[1] - 0.5 * len(y) * math.log(2 * math.pi)
    return {"mean": (mean + cross @ solved).tolist(), "sd": np.sqrt(variance).tolist(), "log_evidence": evidence}


def ordinary_kriging(kernel, noise, x, y, x_new):
    n = len(y)
    system = np.ones((n + 1, n + 1))
    system[:n, :n] = kernel(x, x) + noise**2 * np.eye(n)
    system[n, n] = 0
    right = np.ones((n + 1, len(x_new)))
    right[:n] = kernel(x, x_new)
    weights = np.linalg.solve(system, right)
    variance = np.diag(kernel(x_new, x_new)) - (weights * right).sum(0)
    return {"mean": (weights[:n].T @ y).tolist(), "sd": np.sqrt(variance).tolist()}


def normal_distribution(z):
    return np.array([0.5 * math.erfc(-value / math.sqrt(2)) for value in z])


def classes(kernel, x, labels, probit):
    gram, sign, f = kernel(x, x), 2.0 * labels - 1, np.zeros(len(labels))

    def slopes(f):
        if probit:  # RW equation 3.16
            ratio = np.exp(-0.5 * f**2) / math.sqrt(2 * math.pi) / normal_distribution(sign * f)
            return np.log(normal_distribution(sign * f)), sign * ratio, ratio**2 + sign * f * ratio
        one = 1 / (1 + np.exp(-f))  # RW equation 3.15
        return -np.log1p(np.exp(-sign * f)), labels - one, one * (1 - one)

    for _ in range(100):
        _, gradient, curvature = slopes(f)
        root = np.sqrt(curvature)
        factor = np.eye(len(f)) + root[:, None] * gram * root
        b = curvature * f + gradient
        a = b - root * np.linalg.solve(factor, root * (gram @ b))
        f = gram @ a
    log_density, gradient, curvature = slopes(f)
    root = np.sqrt(curvature)
    factor = np.eye(len(f)) + root[:, None] * gram * root
    evidence = -0.5 * f @ np.linalg.solve(gram, f) + log_density.sum() - 0.5 * np.linalg.slogdet(factor)[1]
    return {"mode": f.tolist(), "log_evidence": evidence}


def column(*values):
    return np.array(values, float)[:, None]


def held(**values):
    return {**values, "trained": False}


def recipe(model, kernel, noise=None, **more):
    whole = {"model": model, "kernel": kernel, "mean": "zero", "scale": {"target": "none"}, **more}
    if noise is not None:
        whole["noise"] = held(sd=noise)
    return whole


cases = {}


def add(name, source, recipe, x, y, x_new, expected):
    cases[name] = {"source": source, "recipe": recipe, "x": x.tolist(), "y": y.tolist(),
                   **({} if x_new is None else {"x_new": x_new.tolist()}), **expected}


# Five points as in RW figure 2.2, which the question of Cross Validated 43713 takes, too.
x, y = column(-4, -3, -1, 0, 2), np.array([-2, 0, 1, 2, -1.0])
x_new = column(-5, -2, 0.5, 1, 4)
for name, scale, amplitude, noise in (("a", 1, 1, 0.1), ("b", 0.3, 1.08, 0.00005), ("c", 3, 1.16, 0.89)):
    add("squared exponential, figure 2.5 " + name, "RW figure 2.5 (l, sigma_f, sigma_n), equations 2.25, 2.26, 2.30",
        recipe("exact-rbf", held(lengthscale=[scale], amplitude=amplitude), noise), x, y, x_new,
        numbers(rbf(amplitude, scale), noise, x, y, x_new))
add("kernlab's covariance", "Cross Validated 43713: 0.5776 +- 0.570 at -2",
    recipe("exact-rbf", held(lengthscale=[1], amplitude=1), 0.3), x, y, column(-2),
    numbers(rbf(1, 1), 0.3, x, y, column(-2)))
add("scaled target", "RW equations 2.25, 2.26 around the mean of the rows",
    recipe("exact-ard", held(lengthscale=[1.5], amplitude=2.5), 0.4, scale={"target": "zscore"}), x, y, x_new,
    {key: value for key, value in numbers(rbf(2.5, 1.5), 0.4, x, y, x_new, y.mean()).items() if key != "log_evidence"})

# The seven samples of V around (65, 137), covariance 10 exp(-3 h / 10): 592.7, kriging variance 8.96.
places = np.array([[61, 139], [63, 140], [64, 129], [68, 128], [71, 140], [73, 141], [75, 128.0]])
grades, point = np.array([477, 696, 227, 646, 606, 791, 783.0]), np.array([[65, 137.0], [70, 134], [90, 100]])
sill, scale = math.sqrt(10), 10 / 3
add("ordinary kriging", "Isaaks and Srivastava 1989, chapter 12: 592.7, variance 8.96 at (65, 137)",
    recipe("exact-matern", {"nu": 0.5, **held(lengthscale=[scale], amplitude=sill)}, 1e-4, mean="constant"),
    places, grades, point, ordinary_kriging(exponential(sill, scale), 1e-4, places, grades, point))
# Simple kriging of the differences from a known mean of 600: sill 10000 of which 2500 nugget, range parameter 4.
structured, nugget = math.sqrt(7500), math.sqrt(2500)
add("simple kriging", "RW equations 2.25, 2.26: exponential variogram, sill 10000, nugget 2500, range parameter 4",
    recipe("exact-matern", {"nu": 0.5, **held(lengthscale=[4], amplitude=structured)}, nugget),
    places, grades - 600, point, numbers(exponential(structured, 4), nugget, places, grades - 600, point))
add("ordinary kriging with a nugget", "the ordinary kriging system, with the same variogram",
    recipe("exact-matern", {"nu": 0.5, **held(lengthscale=[4], amplitude=structured)}, nugget, mean="constant"),
    places, grades, point, ordinary_kriging(exponential(structured, 4), nugget, places, grades, point))

# Terms with values of their own, in the units of the rows.
hours = column(0, 5, 9, 14, 20, 26, 31, 37, 44, 50)
load = np.array([3.1, 4.9, 6.2, 5.8, 3.9, 4.2, 6.9, 7.1, 4.8, 4.5])
later = column(7, 24, 55, 80)
add("periodic", "RW equation 4.31, equations 2.25, 2.26, 2.30",
    recipe("exact-periodic", held(lengthscale=[0.8], amplitude=3, period=[24]), 0.7), hours, load, later,
    numbers(periodic(3, 0.8, 24), 0.7, hours, load, later))
trend, season = {"model": "exact-rbf", "kernel": held(lengthscale=[30], amplitude=4)}, {
    "model": "exact-periodic", "kernel": held(lengthscale=[0.9], amplitude=1.5, period=[24])}
add("sum of terms", "k = k_1 + k_2, RW equations 2.25, 2.26, 2.30",
    {**recipe("exact-sum", {}, 0.5), "terms": [trend, season]}, hours, load, later,
    numbers(lambda a, b: rbf(4, 30)(a, b) + periodic(1.5, 0.9, 24)(a, b), 0.5, hours, load, later))
season = {"model": "exact-periodic", "kernel": held(lengthscale=[0.9], amplitude=1, period=[24])}
add("product of terms, scaled target", "k = k_1 k_2, RW equations 2.25, 2.26 around the mean of the rows",
    {**recipe("exact-product", {}, 0.5, scale={"target": "zscore"}), "terms": [trend, season]}, hours, load, later,
    {key: value for key, value in
     numbers(lambda a, b: rbf(4, 30)(a, b) * periodic(1, 0.9, 24)(a, b), 0.5, hours, load, later, load.mean()).items()
     if key != "log_evidence"})

# Labels that change sides twice.
x, labels = column(-4, -3, -2, -1, 0, 1, 2, 3.5), np.array([0, 0, 1, 1, 1, 0, 0, 1.0])
for likelihood in ("logit", "probit"):
    add("classes, " + likelihood, "RW algorithm 3.1 and equation 3.32",
        {"model": "exact-rbf", "kernel": held(lengthscale=[1.2], amplitude=3), "mean": "zero", "likelihood": likelihood},
        x, labels, None, classes(rbf(3, 1.2), x, labels, likelihood == "probit"))

print(json.dumps(cases, indent=1))

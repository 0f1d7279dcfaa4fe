#!/usr/bin/env python3
"""How far several optimisers bring a sparse-spectrum Gaussian process in the same processor time, on one thread: L-BFGS on all rows,
L-BFGS on subsamples that double, Adam on subsets of rows that are drawn anew at each step (Chen et al. 2020), and Gauss-Newton steps of
the variable projection for the frequencies (Golub and Pereyra 1973, Kaufman 1975). Prints CSV.

    optimisers.py SET.. [--rows 10000] [--frequencies 128] [--seconds 5 10 20 40]

Data: ALACARTE_DATA_DIR/uci/SET, fold 0. The evidence is that of the program (docs/math.md, 1): features (a / sqrt m) (cos w x, sin w x)
with w = (draw + shift) / length-scale, normal priors on the logarithms of the length-scales and on the shifts (sd 0.3)."""
import argparse
import gzip
import os
import sys
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
import numpy as np  # noqa: E402
from scipy.linalg import cho_solve, cholesky, solve_triangular  # noqa: E402
from scipy.optimize import minimize  # noqa: E402

SHIFT_SD, CHUNK = 0.3, 1000


class OutOfTime(Exception):
    pass


class Problem:
    """Standardised rows, and theta = log amplitude, log noise, log length-scales (d), shifts (m d)."""

    def __init__(self, name, rows, frequencies, seed=0):
        folder = os.path.join(os.environ["ALACARTE_DATA_DIR"], "uci", name)
        data = np.loadtxt(gzip.open(os.path.join(folder, "data.csv.gz"), "rt"), delimiter=",")
        test = np.loadtxt(gzip.open(os.path.join(folder, "test_mask.csv.gz"), "rt"), delimiter=",").astype(bool)[:, 0]
        self.random = np.random.default_rng(seed)
        train = self.random.permutation(np.flatnonzero(~test))[:rows]
        x, y = data[:, :-1], data[:, -1]
        mean, sd = x[train].mean(0), x[train].std(0)
        sd[sd == 0] = 1
        self.target_mean, self.target_sd = y[train].mean(), y[train].std()
        self.x, self.y = (x[train] - mean) / sd, (y[train] - self.target_mean) / self.target_sd
        self.test_x, self.test_y = (x[test] - mean) / sd, y[test]
        self.n, self.d = self.x.shape
        self.m = frequencies
        self.draws = self.random.standard_normal((frequencies, self.d))
        self.begun = self.limit = 0.0

    def start(self):
        return np.concatenate([[0, np.log(0.3)], np.full(self.d, np.log(np.sqrt(self.d))), np.zeros(self.m * self.d)])

    def clock(self):
        if self.limit and time.process_time() - self.begun > self.limit:
            raise OutOfTime

    def frequencies(self, theta):
        shifted = self.draws + theta[2 + self.d:].reshape(self.m, self.d)
        return shifted, shifted / np.exp(theta[2:2 + self.d])

    def features(self, theta, x):
        phase = x @ self.frequencies(theta)[1].T
        return np.exp(theta[0]) / np.sqrt(self.m) * np.hstack([np.cos(phase), np.sin(phase)])

    def solve(self, theta, x, y):
        """Factor of A = Phi^T Phi + s^2 I, weights and |y|^2."""
        gram, products = np.zeros((2 * self.m, 2 * self.m)), np.zeros(2 * self.m)
        for k in range(0, len(y), CHUNK):
            phi = self.features(theta, x[k:k + CHUNK])
            gram += phi.T @ phi
            products += phi.T @ y[k:k + CHUNK]
        noise = np.exp(2 * theta[1])
        factor = cholesky(gram + noise * np.eye(2 * self.m), lower=True)
        return factor, cho_solve((factor, True), products), products

    def prior(self, theta):
        gradient = np.zeros_like(theta)
        lengths = theta[2:2 + self.d] - np.log(2 * np.sqrt(self.d))
        short = np.minimum(lengths, 0)
        shifts = theta[2 + self.d:] / SHIFT_SD
        amplitude, noise = theta[0] / 1.5, (theta[1] - np.log(0.3)) / 1.5
        gradient[0], gradient[1] = amplitude / 1.5, noise / 1.5
        gradient[2:2 + self.d], gradient[2 + self.d:] = short, shifts / SHIFT_SD
        return 0.5 * (amplitude ** 2 + noise ** 2 + short @ short + shifts @ shifts), gradient

    def evidence(self, theta, x, y):
        """Negative log evidence and its gradient."""
        self.clock()
        n, noise, m, d = len(y), np.exp(2 * theta[1]), self.m, self.d
        try:
            factor, weights, products = self.solve(theta, x, y)
        except np.linalg.LinAlgError:
            return np.inf, np.zeros_like(theta)
        fit = (y @ y - products @ weights) / noise
        value = 0.5 * (fit + (n - 2 * m) * np.log(noise) + n * np.log(2 * np.pi)) + np.log(np.diag(factor)).sum()
        inverse = cho_solve((factor, True), np.eye(2 * m))
        shifted, frequencies = self.frequencies(theta)
        gradient = np.zeros_like(theta)
        to_frequencies, to_features, residual_square = np.zeros((m, d)), 0.0, 0.0
        for k in range(0, n, CHUNK):
            rows = x[k:k + CHUNK]
            phi = self.features(theta, rows)
            residual = y[k:k + CHUNK] - phi @ weights
            residual_square += residual @ residual
            bar = phi @ inverse - np.outer(residual / noise, weights)  # with respect to Phi
            to_features += np.sum(bar * phi)
            to_phase = -bar[:, :m] * phi[:, m:] + bar[:, m:] * phi[:, :m]
            to_frequencies += to_phase.T @ rows
        gradient[0] = to_features
        gradient[1] = -residual_square / noise + (n - 2 * m) + noise * np.trace(inverse) - weights @ weights + weights @ weights
        gradient[1] = -(y @ y - products @ weights) / noise + weights @ weights + (n - 2 * m) + noise * np.trace(inverse)
        lengths = np.exp(theta[2:2 + d])
        gradient[2:2 + d] = -(to_frequencies * frequencies).sum(0)
        gradient[2 + d:] = (to_frequencies / lengths).ravel()
        return value, gradient

    def objective(self, theta, x=None, y=None):
        x, y = (self.x, self.y) if x is None else (x, y)
        value, gradient = self.evidence(theta, x, y)
        prior, slope = self.prior(theta)
        return value + prior, gradient + slope

    def score(self, theta):
        """NLPD and RMSE of the test rows, in the unit of the target, from the posterior of all rows."""
        factor, weights, _ = self.solve(theta, self.x, self.y)
        phi = self.features(theta, self.test_x)
        mean = self.target_mean + self.target_sd * (phi @ weights)
        noise = np.exp(2 * theta[1])
        variance = noise * (1 + np.sum(solve_triangular(factor, phi.T, lower=True) ** 2, 0)) * self.target_sd ** 2
        error = self.test_y - mean
        return np.mean(0.5 * np.log(2 * np.pi * variance) + 0.5 * error ** 2 / variance), np.sqrt(np.mean(error ** 2))


class Best:
    """The best theta so far, by the objective that is minimised."""

    def __init__(self, theta):
        self.theta, self.value, self.count = theta, np.inf, 0

    def keep(self, theta, value):
        self.count += 1
        if value < self.value:
            self.theta, self.value = theta.copy(), value


def descend(problem, theta, best, x, y, iterations):
    best.value = np.inf

    def function(point):
        value, gradient = problem.objective(point, x, y)
        best.keep(point, value)
        return (value, gradient) if np.isfinite(value) else (1e10, np.zeros_like(gradient))
    minimize(function, theta, jac=True, method="L-BFGS-B", options={"maxiter": iterations, "maxcor": 20, "maxfun": 10 ** 6})
    return best.theta


def lbfgs(problem, best):
    descend(problem, best.theta, best, problem.x, problem.y, 10 ** 6)


def subsamples(problem, best):
    rows = 1000
    while rows < problem.n:
        descend(problem, best.theta, best, problem.x[:rows], problem.y[:rows], 25)
        rows *= 2
    descend(problem, best.theta, best, problem.x, problem.y, 10 ** 6)


def drawn_anew(problem, best, batch, rate):
    theta, mean, square = best.theta.copy(), 0, 0
    average = theta.copy()
    steps = 0
    began = time.process_time()
    while True:
        share = (time.process_time() - began) / problem.limit  # half a cosine over the known time limit
        rows = problem.random.choice(problem.n, batch, replace=False)
        value, gradient = problem.evidence(theta, problem.x[rows], problem.y[rows])
        gradient = gradient * problem.n / batch + problem.prior(theta)[1]
        gradient /= problem.n
        steps += 1
        mean, square = 0.9 * mean + 0.1 * gradient, 0.999 * square + 0.001 * gradient ** 2
        step = rate * 0.5 * (1 + np.cos(np.pi * min(1, share)))
        theta = theta - step * (mean / (1 - 0.9 ** steps)) / (np.sqrt(square / (1 - 0.999 ** steps)) + 1e-8)
        average = 0.9 * average + 0.1 * theta
        best.theta, best.count = average.copy(), steps


def gauss_newton(problem, best):
    """Frequencies by damped Gauss-Newton steps on |y - Phi w|^2 + s^2 |w|^2 with w projected out; the other parameters, which that
    function does not determine, by a few L-BFGS iterations between."""
    d, m, damping = problem.d, problem.m, 1.0
    few = 2 + d
    theta = best.theta.copy()
    while True:
        def function(head):
            point = np.concatenate([head, theta[few:]])
            value, gradient = problem.objective(point)
            best.keep(point, value)
            return value, gradient[:few]
        minimize(function, theta[:few], jac=True, method="L-BFGS-B", options={"maxiter": 5})
        theta = best.theta.copy()
        noise = np.exp(2 * theta[1])
        factor, weights, _ = problem.solve(theta, problem.x, problem.y)
        lengths = np.exp(theta[2:few])
        normal, slope = np.zeros((m * d, m * d)), np.zeros(m * d)
        cross = np.zeros((2 * m, m * d))
        for k in range(0, problem.n, CHUNK):
            problem.clock()
            rows = problem.x[k:k + CHUNK]
            phi = problem.features(theta, rows)
            residual = problem.y[k:k + CHUNK] - phi @ weights
            by_phase = -phi[:, m:] * weights[:m] + phi[:, :m] * weights[m:]
            jacobian = (by_phase[:, :, None] * (rows / lengths)[:, None, :]).reshape(len(rows), m * d)
            normal += jacobian.T @ jacobian
            slope += jacobian.T @ residual
            cross += phi.T @ jacobian
        half = solve_triangular(factor, cross, lower=True)
        normal -= half.T @ half
        for _ in range(8):
            problem.clock()
            lifted = normal / noise + np.diag(np.diag(normal) / noise * damping + 1 / SHIFT_SD ** 2)
            move = np.linalg.solve(lifted, slope / noise - theta[few:] / SHIFT_SD ** 2)
            point = theta.copy()
            point[few:] += move
            value, _ = problem.objective(point)
            before = best.value
            best.keep(point, value)
            if value < before:
                damping = max(1e-6, damping / 3)
                theta = point
                break
            damping *= 4
        else:
            return


METHODS = {
    "L-BFGS": lbfgs,
    "L-BFGS, subsamples": subsamples,
    "Adam, 500 rows drawn anew": lambda problem, best: drawn_anew(problem, best, 500, 0.03),
    "Adam, 2000 rows drawn anew": lambda problem, best: drawn_anew(problem, best, 2000, 0.03),
    "Gauss-Newton": gauss_newton,
}


def check(problem):
    """Gradients against differences."""
    theta = problem.start() + 0.1 * problem.random.standard_normal(len(problem.start()))
    x, y = problem.x[:700], problem.y[:700]
    _, gradient = problem.objective(theta, x, y)
    for k in [0, 1, 2, 2 + problem.d, len(theta) - 1]:
        step = np.zeros_like(theta)
        step[k] = 1e-5
        difference = (problem.objective(theta + step, x, y)[0] - problem.objective(theta - step, x, y)[0]) / 2e-5
        assert abs(difference - gradient[k]) < 1e-4 * max(1, abs(difference)), (k, difference, gradient[k])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--rows", type=int, default=10000)
    parser.add_argument("--frequencies", type=int, default=128)
    parser.add_argument("--seconds", type=float, nargs="+", default=[5, 10, 20, 40])
    given = parser.parse_args()
    print("set,rows,inputs,method,seconds,evaluations,nlpd,rmse")
    for name in given.sets:
        check(Problem(name, given.rows, 16))
        for label, method in METHODS.items():
            for seconds in given.seconds:
                problem = Problem(name, given.rows, given.frequencies)
                best = Best(problem.start())
                problem.begun, problem.limit = time.process_time(), seconds
                try:
                    method(problem, best)
                except OutOfTime:
                    pass
                problem.limit = 0
                nlpd, rmse = problem.score(best.theta)
                print(f"{name},{problem.n},{problem.d},\"{label}\",{seconds:g},{best.count},{nlpd:.4f},{rmse:.5g}", flush=True)


if __name__ == "__main__":
    sys.exit(main())

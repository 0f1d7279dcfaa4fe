#!/usr/bin/env python3
"""Writes sklearn.json: log marginal likelihoods, gradients and predictions of scikit-learn's exact Gaussian process
(Debian's python3-sklearn 1.2.1), an origin independent of this project. Usage: make_sklearn.py > sklearn.json"""
import json
import numpy as np
import sklearn
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern, WhiteKernel

n, d, t = 40, 3, 6
index = np.arange(n * d).reshape(n, d)
x = np.sin(1.0 + 0.7 * index) * (1.0 + 0.3 * np.arange(d))
y = np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] ** 2 + 0.1 * np.cos(17.0 * np.arange(n))
x_new = np.cos(0.3 + 0.9 * np.arange(t * d).reshape(t, d))

lengthscales, amplitude, noise = [0.8, 1.3, 2.1], 1.4, 0.2
cases = {
    "exact-rbf": RBF(0.8),
    "exact-ard": RBF(lengthscales),
    "exact-matern/0.5": Matern(lengthscales, nu=0.5),
    "exact-matern/1.5": Matern(lengthscales, nu=1.5),
    "exact-matern/2.5": Matern(lengthscales, nu=2.5),
}
out = {"origin": "scikit-learn " + sklearn.__version__, "x": x.tolist(), "y": y.tolist(), "x_new": x_new.tolist(),
       "lengthscales": lengthscales, "amplitude": amplitude, "noise": noise, "cases": {}}
for name, kernel in cases.items():
    full = ConstantKernel(amplitude**2) * kernel + WhiteKernel(noise**2)
    gp = GaussianProcessRegressor(full, alpha=0.0, optimizer=None).fit(x, y)
    value, gradient = gp.log_marginal_likelihood(full.theta, eval_gradient=True)
    mean, sd = gp.predict(x_new, return_std=True)
    out["cases"][name] = {
        "log_marginal_likelihood": value,
        # theta there is log(amplitude^2), log lengthscales, log(noise^2)
        "gradient": gradient.tolist(), "mean": mean.tolist(), "sd": sd.tolist(),
    }
print(json.dumps(out, indent=1))

"""Kernels and noise that are given."""

import numpy as np
import pytest

import alacarte
from alacarte import ConfigError, GPRegressor

X = np.array([[-4.0], [-3.0], [-1.0], [0.0], [2.0]])
Y = np.array([-2.0, 0.0, 1.0, 2.0, -1.0])
GIVEN = {
    "model": "exact-rbf",
    "mean": "zero",
    "scale": {"target": "none"},
    "kernel": {"lengthscale": [1.0], "amplitude": 1.0, "trained": False},
    "noise": {"sd": 0.3, "trained": False},
}


# Rasmussen and Williams 2006, equations 2.25 and 2.26, on the rows of Cross Validated 43713.
def test_posterior_is_that_of_the_given_kernel(tmp_path):
    model = GPRegressor(GIVEN, threads=1).fit(X, Y)
    mean, sd = model.predict([[-2.0]], return_std=True, latent=True)
    assert mean[0] == pytest.approx(0.577627977702218, abs=1e-9)
    assert sd[0] == pytest.approx(0.5696504074673867, abs=1e-9)
    observed = model.predict([[-2.0]], return_std=True)[1]
    assert observed[0] ** 2 == pytest.approx(sd[0] ** 2 + 0.09, abs=1e-9)
    model.save(tmp_path / "given.alacarte")
    again = alacarte.load(tmp_path / "given.alacarte").predict([[-2.0]], return_std=True, latent=True)
    np.testing.assert_array_equal(again, (mean, sd))


def test_key_without_meaning_is_refused():
    with pytest.raises(ConfigError, match="model 'exact-rbf' has no period"):
        GPRegressor({**GIVEN, "kernel": {"period": [1.0]}}, threads=1).fit(X, Y)

import os
import subprocess

import numpy as np
import pytest

from alacarte._alacarte import better_blas_kernels

# Speed matters here, not accuracy.
QUICK = {
    "model": "rbf",
    "features": {"frequencies": 16},
    "training": {"starts": 1, "iterations": 15},
}


# If OpenBLAS does not know the processor, the program and the package choose different kernels, and their numbers
# differ in the last digits.
AS_HERE = {"OPENBLAS_CORETYPE": "Prescott"} if better_blas_kernels() else {}


@pytest.fixture(scope="session")
def program():
    path = os.environ.get("ALACARTE_PROGRAM")
    if not path:
        pytest.skip("ALACARTE_PROGRAM names no program")

    def run(*arguments):
        done = subprocess.run([path, *map(str, arguments)], capture_output=True, text=True, env={**os.environ, **AS_HERE})
        assert done.returncode == 0, done.stderr
        return done

    return run


@pytest.fixture(scope="session")
def problem():
    rng = np.random.default_rng(1)
    X = rng.uniform(-2, 2, (120, 3))
    y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.05 * rng.normal(size=120)
    return X, y

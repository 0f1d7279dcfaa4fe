import os
import subprocess

import numpy as np
import pytest

# Seconds matter here, not accuracy.
QUICK = {
    "model": "rbf",
    "features": {"frequencies": 16},
    "training": {"starts": 1, "iterations": 15},
}


@pytest.fixture(scope="session")
def program():
    path = os.environ.get("ALACARTE_PROGRAM")
    if not path:
        pytest.skip("ALACARTE_PROGRAM names no program")

    def run(*arguments):
        done = subprocess.run([path, *map(str, arguments)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done

    return run


@pytest.fixture(scope="session")
def problem():
    rng = np.random.default_rng(1)
    X = rng.uniform(-2, 2, (120, 3))
    y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.05 * rng.normal(size=120)
    return X, y

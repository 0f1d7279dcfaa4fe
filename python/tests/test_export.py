"""The C file of a model, compiled and called."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

from alacarte import ConfigError, GPClassifier, GPRegressor

from conftest import QUICK


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_c_file_equals_predictions(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    model = GPRegressor(QUICK).fit(X, X[:, 0] + np.sin(3 * X[:, 1]))
    model.export_c(tmp_path / "mean.c", "toy")
    subprocess.run(["cc", "-std=c99", "-shared", "-fPIC", "-o", tmp_path / "mean.so", tmp_path / "mean.c", "-lm"], check=True)
    library = ctypes.CDLL(str(tmp_path / "mean.so"))
    library.toy_mean.restype = ctypes.c_double
    library.toy_mean.argtypes = [ctypes.POINTER(ctypes.c_double)]
    new = rng.normal(size=(20, 3))
    means = [library.toy_mean(np.ascontiguousarray(row).ctypes.data_as(ctypes.POINTER(ctypes.c_double))) for row in new]
    np.testing.assert_allclose(means, model.predict(new), rtol=1e-9, atol=1e-9)


def test_what_cannot_be_exported_is_refused(tmp_path):
    X = np.linspace(0, 1, 40)[:, None]
    model = GPClassifier(QUICK).fit(X, X[:, 0] > 0.5)
    with pytest.raises(ConfigError, match="predicts classes"):
        model.export_c(tmp_path / "no.c")
    assert not (tmp_path / "no.c").exists()

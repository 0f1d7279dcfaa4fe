"""The warning of a BLAS that does not know the processor."""

import os
import subprocess
import sys
import warnings

import pytest

from alacarte import _blas

IMPORT = [sys.executable, "-W", "error::RuntimeWarning", "-c", "import alacarte"]


def test_the_variable_is_named(monkeypatch):
    monkeypatch.setattr(_blas, "better_blas_kernels", lambda: "SkylakeX")
    with pytest.warns(RuntimeWarning, match="OPENBLAS_CORETYPE=SkylakeX"):
        _blas.warn_if_slow()


def test_nothing_is_said_of_a_known_processor(monkeypatch):
    monkeypatch.setattr(_blas, "better_blas_kernels", lambda: "")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _blas.warn_if_slow()


def test_import_says_it_until_the_variable_is_set():
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_CORETYPE"}
    code = "from alacarte._alacarte import better_blas_kernels; print(better_blas_kernels())"
    found = subprocess.run([sys.executable, "-W", "ignore", "-c", code], env=environment, capture_output=True, text=True, check=True)
    kernels = found.stdout.strip()
    done = subprocess.run(IMPORT, env=environment, capture_output=True, text=True)
    assert (done.returncode != 0) == bool(kernels), done.stderr
    done = subprocess.run(IMPORT, env={**environment, "OPENBLAS_CORETYPE": "Haswell"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

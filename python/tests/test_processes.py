"""Signals, threads, forks and the end of the interpreter while a training runs."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import QUICK
from joblib import Parallel, delayed

from alacarte import GPRegressor

LONG = {"model": "ard", "copies": 50, "features": {"frequencies": 256}}
ROWS = np.random.default_rng(0).normal(size=(2000, 5))
TARGET = np.sin(ROWS[:, 0])


def test_ctrl_c_ends_a_fit():
    model = GPRegressor(LONG, threads=2)
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    began = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        model.fit(ROWS, TARGET)
    assert time.monotonic() - began < 30
    assert not hasattr(model, "model_")


def test_ctrl_c_ends_a_prediction():
    model = GPRegressor({"model": "ard", "training": {"starts": 1, "iterations": 1}}, threads=1).fit(ROWS[:100], TARGET[:100])
    many = np.asfortranarray(np.repeat(ROWS, 1000, axis=0))  # a minute of work
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    began = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        model.predict(many, return_std=True)
    assert time.monotonic() - began < 20


def test_progress_and_its_errors():
    seen = []
    GPRegressor({**QUICK, "copies": 2}, threads=1, progress=seen.append).fit(ROWS, TARGET)
    assert seen and {"fit", "stage", "objective", "seconds_left"} <= set(seen[0])

    def fail(record):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        GPRegressor(LONG, threads=1, progress=fail).fit(ROWS, TARGET)


def test_the_interpreter_is_free_during_a_fit():
    count = 0
    done = threading.Event()

    def fit():
        GPRegressor({**LONG, "copies": 1}, threads=1, seconds=1).fit(ROWS, TARGET)
        done.set()

    thread = threading.Thread(target=fit)
    thread.start()
    while not done.is_set():
        count += 1
        time.sleep(0.001)
    thread.join()
    assert count > 100


def test_two_fits_at_once_are_those_of_one():
    expected = GPRegressor(QUICK, threads=2).fit(ROWS, TARGET).predict(ROWS)
    results = {}

    def fit(k):
        results[k] = GPRegressor(QUICK, threads=2).fit(ROWS, TARGET).predict(ROWS)

    threads = [threading.Thread(target=fit, args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k in range(3):
        np.testing.assert_array_equal(results[k], expected)


def test_fits_in_pools_beside_other_work():
    expected = GPRegressor(QUICK, threads=2).fit(ROWS, TARGET).predict(ROWS)

    def fit(_):
        model = GPRegressor(QUICK, threads=2).fit(ROWS, TARGET)
        return model.predict(ROWS), [model.predict_one(row) for row in ROWS[:50]]

    def multiply(_):
        return (ROWS @ ROWS.T).sum()

    with ThreadPoolExecutor(4) as pool:
        fits, products = pool.map(fit, range(3)), pool.map(multiply, range(20))
        for predicted, ones in fits:
            np.testing.assert_array_equal(predicted, expected)
            np.testing.assert_allclose(ones, expected[:50], rtol=1e-8, atol=1e-10)
        assert np.ptp(list(products)) < 1e-6 * ROWS.size
    for predicted, _ in Parallel(n_jobs=2, prefer="threads")(delayed(fit)(k) for k in range(2)):
        np.testing.assert_array_equal(predicted, expected)


def _fit_in_child(queue):
    queue.put(GPRegressor(QUICK, threads=2).fit(ROWS, TARGET).predict(ROWS[:3]).tolist())


def test_a_fork_between_and_during_fits():
    expected = GPRegressor(QUICK, threads=2).fit(ROWS, TARGET).predict(ROWS[:3])
    context = multiprocessing.get_context("fork")
    during = threading.Thread(target=lambda: GPRegressor(LONG, threads=1, seconds=3).fit(ROWS, TARGET))
    for start in (lambda: None, during.start):
        start()
        queue = context.Queue()
        child = context.Process(target=_fit_in_child, args=(queue,))
        child.start()
        try:
            np.testing.assert_array_equal(queue.get(timeout=60), expected)
        finally:
            child.join(10)
            child.kill()
    during.join()


def test_the_interpreter_ends_during_a_fit():
    code = """
import threading, time, sys
sys.path.insert(0, {tests!r})
from test_processes import LONG, ROWS, TARGET, GPRegressor
threading.Thread(target=lambda: GPRegressor(LONG, threads=2).fit(ROWS, TARGET), daemon=True).start()
time.sleep(1)
print("end")
"""
    code = code.format(tests=os.path.dirname(__file__))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "end\n"

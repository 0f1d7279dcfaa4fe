#!/usr/bin/env python3
"""A million rows in half a minute: RMSE on new rows of friedman1 (ten inputs, noise 1) beside that of the true function.

    million.py OUT.json --program build/release/alacarte [--rows 1000000] [--seconds 30]
"""
import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from measured import commit, machine  # noqa: E402


def friedman(x):
    return 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]


def rmse(errors):
    return float(np.sqrt(np.mean(errors**2)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--program", required=True)
    parser.add_argument("--rows", type=int, default=1000000)
    parser.add_argument("--seconds", type=float, default=30)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        def run(*words):
            return subprocess.run([arguments.program, *words, "--quiet"], cwd=folder, check=True)

        run("generate", "friedman1", "--rows", str(arguments.rows), "--seed", "1", "--out", "train.csv")
        run("generate", "friedman1", "--rows", "20000", "--seed", "2", "--out", "test.csv")
        words = ["train", "--data", "train.csv", "--model", "model", "--seconds", f"{arguments.seconds:g}", "--threads", "2", "--seed", "1"]
        began = time.perf_counter()
        run(*words)
        seconds = time.perf_counter() - began
        run("predict", "model", "--data", "test.csv", "--out", "predictions.csv")
        test = np.loadtxt(Path(folder) / "test.csv", delimiter=",", skiprows=1)
        table = np.genfromtxt(Path(folder) / "predictions.csv", delimiter=",", names=True)
    truth, target = friedman(test[:, :10]), test[:, -1]
    result = {"command": "alacarte " + " ".join(words), "commit": commit(), "machine": machine(), "rows": arguments.rows,
              "seconds": round(seconds, 2), "rmse": rmse(target - table["mean"]), "rmse_of_true_function": rmse(target - truth),
              "coverage95": float(np.mean((table["lower_observation"] <= target) & (target <= table["upper_observation"])))}
    arguments.out.write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()

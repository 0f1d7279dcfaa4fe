#!/usr/bin/env python3
"""scikit-learn on the inputs of cases whose error one seed exceeds: is it the program, or the rows?

Debian: apt-get install python3-sklearn

Usage: outside.py --run       writes outside.csv: the same kernel and rows, hyperparameters at the largest of several optima of the evidence
       outside.py --table     our error beside that one, for each check of rmse that does not hold in cases.csv
"""
import argparse
import csv
import json
import math
import pathlib
import sys
import warnings

HERE = pathlib.Path(__file__).resolve().parent
CASES = HERE.parents[1] / "tests/cases"
sys.path[:0] = [str(HERE.parent), str(CASES)]
from inputs import make_table  # noqa: E402
from measured import commit, write_provenance  # noqa: E402
from stored import csv_rows  # noqa: E402

OUTSIDE = HERE / "outside.csv"
RESTARTS = 4


def kernel_of(recipe, lengthscale):
    """The kernel that the recipe has, with smoothness 3/2 for exact-matern, beginning at this length-scale."""
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern, WhiteKernel

    bounds = (1e-3, 1e2)
    smooth = {"exact-rbf": lambda: RBF(lengthscale, bounds), "exact-matern": lambda: Matern(lengthscale, bounds, nu=1.5)}[recipe]()
    return ConstantKernel(1.0) * smooth + WhiteKernel(0.02, (1e-5, 1.0))


def error(name, recipe, parameters, seed):
    """The error of the mean to the truth f on the case's new rows."""
    import numpy as np
    from sklearn.gaussian_process import GaussianProcessRegressor

    case = json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))
    new = case["tables"]["new"]
    train = make_table(case["columns"], case["rows"], parameters, seed, "train")
    test = make_table({**case["columns"], **new.get("columns", {})}, new["rows"], parameters, seed, "new")
    column = next(iter(train))
    inputs, others = (np.array(table[column], dtype=float)[:, None] for table in (train, test))
    scale = inputs.std()
    periods = parameters.get("k", 700 / 40)
    process = GaussianProcessRegressor(kernel_of(recipe, 0.3 * np.ptp(inputs) / scale / periods), normalize_y=True,
                                       n_restarts_optimizer=RESTARTS, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        process.fit(inputs / scale, np.array(train["y"]))
    return math.sqrt(np.mean((process.predict(others / scale) - np.array(test["f"])) ** 2))


def failing():
    """(case, variant, row) of each check of rmse that does not hold."""
    for row in csv_rows(HERE / "cases.csv"):
        if row["ok"] == "no" and row["check"] == "rmse":
            yield *row["case"].split("/"), row


def run():
    with open(OUTSIDE, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["case", "seed", "rmse"])
        for name, variant, row in failing():
            recipe, _, given = variant.partition(",")
            parameters = {key: float(value) for key, value in (one.split("=") for one in given.split(",") if one)}
            writer.writerow([row["case"], row["seed"], f"{error(name, recipe, parameters, int(row['seed'])):.6g}"])
            file.flush()
    write_provenance("cases/outside.csv", commit()[:8], "experiments/cases/outside.py --run [scikit-learn alone, no program of ours]")


def print_table():
    outside = {(row["case"], row["seed"]): float(row["rmse"]) for row in csv_rows(OUTSIDE)}
    print("| case | seed | error | error of scikit-learn | required |\n|---|---|---|---|---|")
    for _, _, row in failing():
        print(f"| {row['case']} | {row['seed']} | {float(row['measured']):.4f} | {outside[row['case'], row['seed']]:.4f} | {row['required']} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    if arguments.run:
        run()
    elif arguments.table:
        print_table()
    else:
        parser.error("--run or --table")


if __name__ == "__main__":
    main()

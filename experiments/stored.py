"""Results that alacarte report --store wrote, for the scripts that print the tables of a README."""
import collections
import csv
import json
import math
import os
import statistics

# One unit: its place in the grid, the share of test rows in the intervals of 50, 90 and 95 %, and the test scores.
Unit = collections.namedtuple("Unit", "dataset label fold seed test seconds peak_mb training")


def csv_rows(path):
    """The rows of a CSV file by the names of its columns; none where there is no file."""
    if not os.path.exists(path):
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def units(path, seed=None):
    """The units that are done, in the order of the file; of one seed where it is given."""
    with open(path) as file:
        documents = json.load(file)["units"]
    found = []
    for document in documents:
        where = document["unit"]
        if document["status"] == "done" and seed in (None, where["seed"]):
            found.append(Unit(where["dataset"], where["label"], where["fold"], where["seed"], document["test"], document["seconds"],
                              document["peak_mb"], document["training"]))
    return found


def by_fold(found, value):
    """(data set, label) -> fold -> value(unit)."""
    table = collections.defaultdict(dict)
    for unit in found:
        table[unit.dataset, unit.label][unit.fold] = value(unit)
    return table


def order(path):
    """Data sets and labels in the order of the experiment that the file was made by."""
    with open(path) as file:
        experiment = json.load(file)["experiment"]
    return experiment["datasets"], [m.get("label", m.get("recipe", m.get("baseline"))) for m in experiment["recipes"]]


def published(path, metric="rmse"):
    """(data set, method) -> the row of the CSV with the published numbers."""
    with open(path) as file:
        return {(row["dataset"], row["method"]): row for row in csv.DictReader(file) if row["metric"] == metric}


PAPER_METHODS = ["RBF", "ARD", "FSARD", "GM", "PWL", "FSGBARD", "SSGPR"]


def best_of_paper(published, dataset):
    """The least mean of the seven methods of A la Carte, and all that have it, up to three by name."""
    found = [(float(published[dataset, method]["mean"]), method) for method in PAPER_METHODS if (dataset, method) in published]
    if not found:
        return ""
    least = min(found)[0]
    names = [method for mean, method in found if mean == least]
    return f"{least:g} ({', '.join(names) if len(names) < 4 else f'{len(names)} methods'})"


def mean(values):
    return statistics.mean(values)


def standard_error(values):
    values = list(values)
    return statistics.stdev(values) / math.sqrt(len(values))


def mean_rmse(found):
    """Mean and standard error over these units, as text."""
    rmse = [unit.test["rmse"] for unit in found]
    return short(mean(rmse)) + (f" ± {short(standard_error(rmse))}" if len(rmse) > 1 else "")


def covered(found):
    """Share of the test rows of all these units inside their 95 % intervals."""
    return sum(unit.test["coverage"]["95"] * unit.test["n"] for unit in found) / sum(unit.test["n"] for unit in found)


def short(value):
    """Three significant digits."""
    return f"{value:.3g}"


def minus(text):
    """With the sign that print uses for numbers below zero."""
    return text.replace("-", "−")


def print_table(head, rows):
    def line(row):
        return "|" + "|".join(f" {cell} " if cell != "" else " " for cell in row) + "|"

    print(line(head), "|" + "---|" * len(head), *map(line, rows), sep="\n")



#!/usr/bin/env python3
"""The tables of this folder's README from what is stored: table.py paper|nlpd|checks"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import stored  # noqa: E402

METHODS = ["RBF", "ARD", "FSARD", "GM", "PWL", "FSGBARD", "SSGPR"]
DOUBLE = "gas"  # its errors are those of few rows, which the rounding of 32 bits moves
ALL_ROWS = "pumadyn32nm"  # restarts on few rows find nothing there
published = stored.published(os.path.join(HERE, "paper.csv"))


def read(name):
    """(data set, method) -> fold -> test scores."""
    path = os.path.join(HERE, name + ".results.json")
    return stored.by_fold(stored.units(path), lambda u: u.test) if os.path.exists(path) else {}


def whole():
    """All that counts in the table of the paper: mixed precision, and 64 bits of one set."""
    found = {where: folds for where, folds in read("paper").items() if where[0] != DOUBLE}
    found.update(read(ALL_ROWS))
    for where, folds in read("folds").items():
        if where[0] != DOUBLE:
            found.setdefault(where, {}).update(folds)
    return {**found, **{where: folds for where, folds in read("double").items() if where[0] == DOUBLE}}


def by_method(cell):
    """A row for each data set, with the number of its folds; "" where nothing was run."""
    found, rows = whole(), []
    for dataset in dict.fromkeys(where[0] for where in found):
        tests = [found.get((dataset, method), {}) for method in METHODS]
        if any(tests):
            folds = max(len(t) for t in tests)
            rows.append([dataset, folds] + [cell(dataset, m, list(t.values()), folds) if t else "" for m, t in zip(METHODS, tests)])
    stored.print_table(["data set", "folds"] + METHODS, rows)


def mean_of(tests, key):
    return stored.mean(test[key] for test in tests)


def some(tests, folds):
    return "" if len(tests) == folds else f" ({len(tests)})"


def paper_cell(dataset, method, tests, folds):
    theirs = published[dataset, method]
    failed = "a failed fit" in theirs["remark"] or float(theirs["sd"] or 0) > float(theirs["mean"])
    return stored.short(mean_of(tests, "rmse")) + some(tests, folds) + f" / {theirs['mean']}" + ("†" if failed else "")


def nlpd_cell(_, __, tests, folds):
    inside = sum(t["coverage"]["95"] * t["n"] for t in tests) / sum(t["n"] for t in tests)
    return stored.minus(stored.short(mean_of(tests, "nlpd"))) + some(tests, folds) + f", {100 * inside:.0f} %"


def print_checks():
    """RMSE and NLPD of fold 0: mixed precision, 64 bits, and every restart on every row."""
    ways, rows = [{**read("paper"), **read("few-rows")}, read("double"), {**read("every-row"), **read(ALL_ROWS)}], []
    for dataset in ("gas", "skillcraft", ALL_ROWS):
        for method in [m for m in METHODS if sum((dataset, m) in way for way in ways) > 1]:
            tests = [way.get((dataset, method), {}).get(0) for way in ways]
            rows.append([dataset, method] + [f"{t[key]:.4f}".replace("-", "−") if t else "" for key in ("rmse", "nlpd") for t in tests])
    kinds = ["mixed", "64 bits", "every row"]
    stored.print_table(["data set", "method"] + ["RMSE: " + kinds[0]] + kinds[1:] + ["NLPD: " + kinds[0]] + kinds[1:], rows)


if sys.argv[1:] == ["paper"]:
    by_method(paper_cell)
elif sys.argv[1:] == ["nlpd"]:
    by_method(nlpd_cell)
elif sys.argv[1:] == ["checks"]:
    print_checks()
else:
    sys.exit(__doc__)

#!/usr/bin/env python3
"""The tables of this folder's README from what is stored: table.py paper|nlpd|checks"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import stored  # noqa: E402

METHODS = stored.PAPER_METHODS
published = stored.published(os.path.join(HERE, "paper.csv"))


def read(name):
    """(data set, method) -> fold -> test scores."""
    path = os.path.join(HERE, name + ".results.json")
    return stored.by_fold(stored.units(path), lambda u: u.test) if os.path.exists(path) else {}


def whole():
    """data set -> method -> fold -> test scores: of 64 bits, and of mixed precision, by its name, where there are none."""
    found, mixed, table = read("paper"), read("mixed"), {}
    for dataset in stored.order(os.path.join(HERE, "paper.results.json"))[0]:
        for name, source in ((dataset, found), (dataset + ", mixed", mixed)):
            of_methods = {method: source[dataset, method] for method in METHODS if (dataset, method) in source}
            if of_methods:
                table[name] = of_methods
                break
    return table


def by_method(cell):
    """A row for each data set, with the number of its folds; "" where nothing was run."""
    rows = []
    for name, of_methods in whole().items():
        folds = max(len(tests) for tests in of_methods.values())
        cells = [cell(name.split(",")[0], m, list(of_methods[m].values()), folds) if m in of_methods else "" for m in METHODS]
        rows.append([name, folds, *cells])
    stored.print_table(["data set", "folds", *METHODS], rows)


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
    """RMSE and NLPD of fold 0: mixed precision and 64 bits, and 64 bits with every restart on every row."""
    ways, rows = [read("mixed"), read("paper"), read("every-row")], []
    for dataset in stored.order(os.path.join(HERE, "paper.results.json"))[0]:
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

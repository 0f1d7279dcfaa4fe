#!/usr/bin/env python3
"""Prints the tables of the README from results that compare.py and overhead.py stored. Usage: table.py comparison | overhead | one-row"""
import json
import statistics
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def minus(text):
    return text.replace("-", "−")


def print_comparison(document):
    units, lines = document["units"], document["about"]["lines"]
    print("| data set | method | lines | seconds | RMSE | NLPD |\n|---|---|---|---|---|---|")
    for name in dict.fromkeys(unit["dataset"] for unit in units):
        for method in lines:
            own = [unit for unit in units if (unit["dataset"], unit["method"]) == (name, method)]
            if own:
                seconds, rmse, nlpd = (statistics.mean(unit[key] for unit in own) for key in ("processor_seconds", "rmse", "nlpd"))
                print(f"| {name} | {method} | {lines[method]} | {seconds:.1f} | {rmse:.3g} | {minus(f'{nlpd:.2f}')} |")


def print_overhead(document):
    print("| model | rows | program, seconds | Python / program | quartiles | of the fastest rounds |\n|---|---|---|---|---|---|")
    for case in document["cases"]:
        seconds = statistics.median(one["program"] for one in case["rounds"])
        low, high = case["quartiles"]
        ratios = f"{case['ratio']:.3f} | {low:.3f} to {high:.3f} | {case['fastest']:.3f}"
        print(f"| {case['model']} | {case['rows']:,} | {seconds:.3g} | {ratios} |")


def print_one_row(document):
    print("| model | mean, microseconds | with error bar | `predict` of one row |\n|---|---|---|---|")
    for case in document["one row"]:
        print(f"| {case['model']} | {case['mean']:.1f} | {case['mean and sd']:.1f} | {case['predict()']:.0f} |")


if __name__ == "__main__":
    print_table, file = {
        "comparison": (print_comparison, "comparison"),
        "overhead": (print_overhead, "overhead"),
        "one-row": (print_one_row, "overhead"),
    }[sys.argv[1]]
    print_table(json.loads((HERE / f"{file}.json").read_text()))

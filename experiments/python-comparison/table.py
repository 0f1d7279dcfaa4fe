#!/usr/bin/env python3
"""Prints the table of the README from results that compare.py stored. Usage: table.py [RESULTS.json]"""
import json
import statistics
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def print_table(document):
    units, lines = document["units"], document["about"]["lines"]
    print("| data set | method | lines | seconds | RMSE | NLPD |\n|---|---|---|---|---|---|")
    for name in dict.fromkeys(unit["dataset"] for unit in units):
        for method in lines:
            own = [unit for unit in units if (unit["dataset"], unit["method"]) == (name, method)]
            if own:
                seconds, rmse, nlpd = (statistics.mean(unit[key] for unit in own) for key in ("processor_seconds", "rmse", "nlpd"))
                print(f"| {name} | {method} | {lines[method]} | {seconds:.1f} | {rmse:.4g} | {nlpd:.3f} |")


if __name__ == "__main__":
    print_table(json.loads(Path(sys.argv[1] if len(sys.argv) > 1 else HERE / "results.json").read_text()))

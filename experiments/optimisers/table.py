#!/usr/bin/env python3
"""NLPD by optimiser and seconds, from prototypes.csv, program.csv or rule.csv: table.py FILE [--sets-down]"""
import csv
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import stored  # noqa: E402

with open(os.path.join(HERE, sys.argv[1]), encoding="utf-8") as file:
    lines = list(csv.DictReader(file))
cases = list(dict.fromkeys((line["set"], line["seconds"]) for line in lines))
methods = list(dict.fromkeys(line["method"] for line in lines))
nlpd = {(line["method"], line["set"], line["seconds"]): f"{float(line['nlpd']):.3f}" for line in lines}
if "--sets-down" in sys.argv:
    stored.print_table(["data set", "seconds", *methods], [[*case, *(nlpd.get((m, *case), "") for m in methods)] for case in cases])
else:
    stored.print_table(["method", *(f"{name}, {seconds} s" for name, seconds in cases)],
                       [[m, *(nlpd.get((m, *case), "") for case in cases)] for m in methods])

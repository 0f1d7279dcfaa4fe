#!/usr/bin/env python3
"""NLPD by optimiser and seconds, from prototypes.csv or program.csv: table.py FILE"""
import csv
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import stored  # noqa: E402

with open(os.path.join(HERE, sys.argv[1]), encoding="utf-8") as file:
    lines = list(csv.DictReader(file))
columns = list(dict.fromkeys((line["set"], line["seconds"]) for line in lines))
nlpd = {(line["method"], line["set"], line["seconds"]): f"{float(line['nlpd']):.3f}" for line in lines}
stored.print_table(["method", *(f"{name}, {seconds} s" for name, seconds in columns)],
                   [[method, *(nlpd.get((method, *column), "") for column in columns)] for method in dict.fromkeys(line["method"] for line in lines)])

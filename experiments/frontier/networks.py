#!/usr/bin/env python3
"""NLPD of networks beside spectra and alone (networks.csv), by set and seconds."""
import csv
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import stored  # noqa: E402

found = {}
with open(os.path.join(HERE, "networks.csv")) as file:
    for line in csv.DictReader(file):
        found.setdefault(line["set"], {})[line["seconds"], line["plan"]] = line["nlpd"]
columns = [(seconds, plan) for seconds in ("10", "30") for plan in ("beside", "alone")]
stored.print_table(["data set"] + [f"{seconds} s, {plan}" for seconds, plan in columns],
                   [[name] + [stored.minus(cells.get(column, "")) for column in columns] for name, cells in sorted(found.items())])

#!/usr/bin/env python3
"""NLPD of mixtures that `auto` could be on few rows, from variants.csv: variants.py few | more"""
import csv
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import stored  # noqa: E402

with open(os.path.join(HERE, "variants.csv"), encoding="utf-8") as file:
    found = [line for line in csv.DictReader(file) if line["group"] == sys.argv[1]]
nlpd = {(line["mixture"], line["set"]): stored.minus(line["nlpd"]) for line in found}
sets = list(dict.fromkeys(line["set"] for line in found))
mixtures = list(dict.fromkeys(line["mixture"] for line in found))
stored.print_table(["mixture", *sets], [[mixture] + [nlpd.get((mixture, name), "") for name in sets] for mixture in mixtures])

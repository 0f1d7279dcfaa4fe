#!/usr/bin/env python3
"""`ssgpr` by this program under a clock, on subsamples that double and on rows drawn anew: CSV on standard output.

    program.py build/release/alacarte SET.. [--seconds 10 30]

Data: ALACARTE_DATA_DIR/uci/SET, fold 0; two threads."""
import argparse
import json
import os
import subprocess
import tempfile

WAYS = {"subsamples": [], "rows drawn anew": ["--set", "/training/drawn_rows=1000"]}

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("program")
parser.add_argument("sets", nargs="+")
parser.add_argument("--seconds", type=float, nargs="+", default=[10, 30])
given = parser.parse_args()
print("set,method,seconds,nlpd,rmse,covered95")
with tempfile.TemporaryDirectory() as folder:
    for name in given.sets:
        data = os.path.join(os.environ["ALACARTE_DATA_DIR"], "uci", name)
        model = os.path.join(folder, "model")
        for seconds in given.seconds:
            for way, settings in WAYS.items():
                fold = ["--data", data, "--fold", "0", "--threads", "2", "--quiet"]
                subprocess.run([given.program, "train", "ssgpr", *fold, "--model", model, "--seconds", str(seconds), *settings], check=True)
                scores = json.loads(subprocess.run([given.program, "evaluate", model, *fold], check=True, capture_output=True, text=True).stdout)
                print(f"{name},{way},{seconds:g},{scores['nlpd']:.4f},{scores['rmse']:.5g},{scores['coverage']['95']:.4f}", flush=True)

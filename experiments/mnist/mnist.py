#!/usr/bin/env python3
"""MNIST and Fashion-MNIST: random features and a linear classifier (thesis, table 4.6), and a Gaussian process.

    mnist.py results.json --program build/release/alacarte             # runs what the file does not have yet
    mnist.py results.json --program build/release/alacarte --only gp   # one run of those listed below
    mnist.py results.json --table machines | process                   # prints a table of the README

MNIST is classification/mnist below ALACARTE_DATA_DIR (four IDX files), Fashion-MNIST is Debian's package dataset-fashion-mnist.
"""
import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))

import measured  # noqa: E402
from stored import print_table  # noqa: E402

# Name: data, recipe, settings, description in a table, and the thesis's test error in %, seconds of training + transform.
ROOTS_OFF, LENGTH_OFF = "/scale/roots=false", "/scale/unit_rows=false"
RUNS = {
    "fastfood": ("mnist", "fastfood", [], "`fastfood`: square roots of the pixels, rows of unit length", 8192, "1.9 %", "1177 + 93 s"),
    "no roots": ("mnist", "fastfood", [ROOTS_OFF], "the same without the roots", 8192, "", ""),
    "pixels": ("mnist", "fastfood", [ROOTS_OFF, LENGTH_OFF, "/learner/costs=[1]"], "on the pixels as they are", 8192, "", ""),
    "pixels 2048": ("mnist", "fastfood", [ROOTS_OFF, LENGTH_OFF, "/learner/costs=[10]", "/features/frequencies=2048"],
                    "the same, 2048 frequencies", 4096, "", ""),
    "short": ("mnist", "fastfood", [ROOTS_OFF, LENGTH_OFF, "/learner/costs=[10]", "/features/frequencies=2048", "/learner/scales=[0.5]"],
              "the same, a shorter length-scale", 4096, "", ""),
    "tensor-sketch": ("mnist", "tensor-sketch", [], "`tensor-sketch`: degree 4, rows of unit length", 4096, "2.6 %", "509 + 35 s"),
    "tensor-sketch 10": ("mnist", "tensor-sketch", ["/learner/costs=[10]"], "the same with a larger C", 4096, "", ""),
    "linear": ("mnist", "linear", [], "`linear`: pixels on rows of unit length", 784, "", ""),
    "fashion fastfood": ("fashion", "fastfood", [], "Fashion-MNIST, `fastfood`", 8192, "", ""),
    "fashion tensor-sketch": ("fashion", "tensor-sketch", [], "Fashion-MNIST, `tensor-sketch`", 4096, "", ""),
    "gp": ("mnist", "gp", [], "`gp`", 512, "", ""),
}


def folder_of(data):
    if data == "fashion":
        return "/usr/share/datasets/fashion-mnist"
    return os.path.join(os.environ.get("ALACARTE_DATA_DIR", ""), "classification", "mnist")


def run(program, name, threads):
    data, recipe, settings, *_ = RUNS[name]
    folder = folder_of(data)
    paths = [os.path.join(folder, part + "-images-idx3-ubyte.gz") for part in ("train", "t10k")]
    if not os.path.exists(paths[0]):
        sys.exit("there is no " + paths[0])
    words = [word for setting in settings for word in ("--set", setting)]
    found = measured.trained(program, os.path.join(HERE, recipe + ".json"), *paths, "--threads", str(threads), "--seed", "0", *words)
    return {"data": data, "recipe": recipe, "settings": settings, "threads": threads, **found}


def number(value):
    return "" if value is None else f"{value:g}"


def print_machines(runs):
    print_table(["", "features", "C", "scale", "test error", "the thesis", "processor time, training in all", "features, by the clock",
                 "the thesis: training + transform", "peak memory"],
                [[says, features, number(runs[name].get("cost")), number(runs[name].get("scale")), f"{100 * (1 - runs[name]['accuracy']):.2f} %",
                  error, f"{runs[name]['train_processor_seconds']:.0f} s", f"{runs[name]['feature_seconds']:.0f} s", seconds,
                  f"{runs[name]['peak_bytes'] / 1e9:.1f} GB"]
                 for name, (_, _, _, says, features, error, seconds) in RUNS.items() if name != "gp"])


def print_process(runs):
    one = runs["gp"]
    print_table(["features", "test error", "log loss", "ECE", "processor time", "peak memory"],
                [[RUNS["gp"][4], f"{100 * (1 - one['accuracy']):.2f} %", f"{one['log_loss']:.3f}", f"{one['ece']:.3f}",
                  f"{one['train_processor_seconds']:.0f} s", f"{one['peak_bytes'] / 1e9:.1f} GB"]])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results")
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "release", "alacarte"))
    parser.add_argument("--only", nargs="+", choices=RUNS, default=list(RUNS), metavar="RUN", help="; ".join(RUNS))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--table", choices=["machines", "process"])
    options = parser.parse_args()
    if options.table:
        runs = measured.read_json(options.results, None)["runs"]
        print_machines(runs) if options.table == "machines" else print_process(runs)
    else:
        measured.store_missing(options.results, options.only, lambda name: run(options.program, name, options.threads))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""MNIST or Fashion-MNIST: random features and a linear classifier (thesis, table 4.6). Test error, seconds and peak
memory of each recipe in a folder, as a Markdown table and JSON.

    experiments/mnist/mnist.py                         # MNIST: classification/mnist under ALACARTE_DATA_DIR
    experiments/mnist/mnist.py --data fashion          # Debian's package dataset-fashion-mnist
    experiments/mnist/mnist.py gp                      # a Gaussian process with probabilities
"""
import argparse
import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))

from measured import measured  # noqa: E402


def folder_of(data):
    if data == "fashion":
        return "/usr/share/datasets/fashion-mnist"
    if data == "mnist":
        return os.path.join(os.environ.get("ALACARTE_DATA_DIR", ""), "classification", "mnist")
    return data


# Test error in %, seconds of training and of the transform: what the thesis prints for MNIST.
THESIS = {"fastfood": (1.9, 1177, 93), "tensor-sketch": (2.6, 509, 35)}


def run_recipe(options, name, folder, scratch):
    model = os.path.join(scratch, name + ".alacarte")
    recipe = os.path.join(HERE, name + ".json")
    train = os.path.join(folder, "train-images-idx3-ubyte.gz")
    test = os.path.join(folder, "t10k-images-idx3-ubyte.gz")
    common = ["--threads", str(options.threads)]
    training = measured([options.program, "train", recipe, "--data", train, "--model", model, "--seed",
                         str(options.seed), *common])
    testing = measured([options.program, "evaluate", model, "--data", test, *common])
    inside = measured([options.program, "inspect", model, "--json"])
    scores, summary = json.loads(testing.out), json.loads(inside.out)["fits"][0]["summary"]
    return {"recipe": name, "error": 1 - scores["accuracy"], "log_loss": scores["log_loss"], "ece": scores["ece"],
            "cost": summary.get("cost"), "scale": summary.get("scale"), "feature_seconds": summary.get("feature_seconds"),
            "solver_seconds": summary.get("solver_seconds"), "train_seconds": training.seconds,
            "train_processor_seconds": training.processor_seconds, "predict_seconds": scores["seconds"],
            "predict_processor_seconds": testing.processor_seconds, "peak_bytes": training.peak_bytes}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipes", nargs="*", default=["fastfood", "tensor-sketch"])
    parser.add_argument("--data", default="mnist", help="mnist, fashion, or a folder with the four IDX files")
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "release", "alacarte"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", help="also write the numbers as JSON")
    options = parser.parse_args()
    folder = folder_of(options.data)
    if not os.path.exists(os.path.join(folder, "train-images-idx3-ubyte.gz")):
        sys.exit("no IDX files in '%s'; for Fashion-MNIST: apt-get install dataset-fashion-mnist" % folder)
    results = []
    print("| recipe | test error % | the thesis | log loss | ECE | features s | solver s | training in all s | of the processor s "
          "| the thesis: training + transform s | prediction, processor s | peak memory GB |")
    print("|---" * 12 + "|", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        for name in options.recipes:
            r = run_recipe(options, name, folder, scratch)
            results.append(r)
            error, *seconds = THESIS.get(name, ("",)) if options.data == "mnist" else ("",)
            known = lambda form, value: "" if value is None else form % value  # noqa: E731
            print("| %s | %.2f | %s | %s | %s | %s | %s | %.0f | %.0f | %s | %.1f | %.1f |" %
                  (name, 100 * r["error"], error, known("%.3f", r["log_loss"]), known("%.3f", r["ece"]),
                   known("%.0f", r["feature_seconds"]), known("%.0f", r["solver_seconds"]), r["train_seconds"],
                   r["train_processor_seconds"], " + ".join(map(str, seconds)), r["predict_processor_seconds"],
                   r["peak_bytes"] / 1e9), flush=True)
    if options.out:
        with open(options.out, "w") as file:
            json.dump({"data": options.data, "seed": options.seed, "threads": options.threads, "results": results}, file,
                      indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()

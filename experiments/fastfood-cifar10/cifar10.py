#!/usr/bin/python3
"""CIFAR-10 from JPEG copies: decoded to NPY, then the recipes of this folder (Fastfood, section 6.3). Accuracy of the
methods against each other: the copies are lossy, so not against the paper's numbers.

    cifar10.py results.json --program build/release/alacarte                              # all 50,000 images, 10,000 to test
    cifar10.py results.json --program build/release/alacarte --train 10000 --test 2000    # fewer: the first of each class, by number
    cifar10.py results.json --table                                                       # prints the table of the README

What the file holds already is not run again. Needs Debian's python3-pil and python3-numpy. Reads
classification/cifar10_jpeg/cifar10_jpeg.tar.xz under ALACARTE_DATA_DIR: SPLIT/CLASS/NUMBER.jpg.
"""
import argparse
import io
import os
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))

import measured  # noqa: E402
from stored import print_table  # noqa: E402

# Recipe: its name in the table, and the accuracy in % in section 6.3 of the paper.
METHODS = {"linear": ("linear, 3072 pixels", 42.3), "rks": ("Random Kitchen Sinks", 62.4), "fastfood": ("Fastfood", 62.4),
           "fft": ("Fastfood with the Fourier transform", 63.1)}


def decode(archive, counts):
    """{split: array (rows, 3072 pixels / 255 and the class)}; classes are numbered by name."""
    import numpy as np
    from PIL import Image

    rows = {split: [] for split in counts}
    names = {split: {} for split in counts}
    with tarfile.open(archive) as tar:
        for member in tar:
            parts = member.name.split("/")
            if not member.isfile() or len(parts) < 3 or parts[-3] not in counts:
                continue
            split, name = parts[-3], parts[-2]
            seen = names[split].get(name, 0)
            names[split][name] = seen + 1
            if seen >= counts[split] // 10:
                continue
            image = np.asarray(Image.open(io.BytesIO(tar.extractfile(member).read())).convert("RGB"), dtype=np.float32)
            rows[split].append((name, image.reshape(-1) / 255))
    order = {name: k for k, name in enumerate(sorted(names["train"]))}
    return {split: np.array([np.append(x, np.float32(order[name])) for name, x in some]) for split, some in rows.items()}


def measure(options):
    import numpy as np

    archive = os.path.join(os.environ.get("ALACARTE_DATA_DIR", ""), "classification", "cifar10_jpeg", "cifar10_jpeg.tar.xz")
    if not os.path.exists(archive):
        sys.exit("there is no " + archive)
    with tempfile.TemporaryDirectory() as scratch:
        paths = {split: os.path.join(scratch, split + ".npy") for split in ("train", "test")}
        for split, rows in decode(archive, {"train": options.train, "test": options.test}).items():
            np.save(paths[split], rows)

        def run(name):
            recipe = name.split()[0]
            found = measured.trained(options.program, os.path.join(HERE, recipe + ".json"), paths["train"], paths["test"], "--threads",
                                     str(options.threads))
            return {"recipe": recipe, "train": options.train, "test": options.test, "threads": options.threads, **found}

        measured.store_missing(options.results, [f"{recipe} {options.train}" for recipe in options.only], run)


def print_runs(runs):
    print_table(["images", "method", "accuracy", "the paper", "training, processor time", "features, by the clock", "prediction, processor time",
                 "peak memory"],
                [[f"{one['train']:,}", METHODS[one["recipe"]][0], f"{100 * one['accuracy']:.1f} %",
                  f"{METHODS[one['recipe']][1]} %" if one["train"] == 50000 else "", f"{one['train_processor_seconds']:.0f} s",
                  f"{one['feature_seconds']:.1f} s", f"{one['predict_processor_seconds']:.1f} s", f"{one['peak_bytes'] / 1e9:.1f} GB"]
                 for one in sorted(runs.values(), key=lambda one: (one["train"], list(METHODS).index(one["recipe"])))])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results")
    parser.add_argument("--only", nargs="+", choices=METHODS, default=list(METHODS), metavar="RECIPE", help=", ".join(METHODS))
    parser.add_argument("--train", type=int, default=50000, help="images to train on")
    parser.add_argument("--test", type=int, default=10000, help="images to test on")
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "release", "alacarte"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    if options.table:
        print_runs(measured.read_json(options.results, None)["runs"])
    else:
        measure(options)


if __name__ == "__main__":
    main()

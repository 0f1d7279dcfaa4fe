#!/usr/bin/python3
"""CIFAR-10 from JPEG copies: decoded to NPY, then the recipes of this folder (Fastfood, section 6.3). Accuracy of the
methods against each other: the copies are lossy, so not against the paper's numbers.

    experiments/fastfood-cifar10/cifar10.py --train 10000 --test 2000

Needs Debian's python3-pil and python3-numpy. Reads classification/cifar10_jpeg/cifar10_jpeg.tar.xz under ALACARTE_DATA_DIR:
SPLIT/CLASS/NUMBER.jpg. The first rows of each class, by number, are taken.
"""
import argparse
import io
import json
import os
import sys
import tarfile
import tempfile

import numpy as np
from PIL import Image

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))

from measured import measured  # noqa: E402


def decode(archive, counts):
    """{split: array (rows, 3072 pixels / 255 and the class)}; classes are numbered by name."""
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipes", nargs="*", default=["linear", "rks", "fastfood", "fft"])
    parser.add_argument("--train", type=int, default=10000, help="images to train on (50000 are there)")
    parser.add_argument("--test", type=int, default=2000, help="images to test on (10000 are there)")
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "release", "alacarte"))
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    archive = os.path.join(os.environ.get("ALACARTE_DATA_DIR", ""), "classification", "cifar10_jpeg", "cifar10_jpeg.tar.xz")
    if not os.path.exists(archive):
        sys.exit("there is no " + archive)
    with tempfile.TemporaryDirectory() as scratch:
        for split, rows in decode(archive, {"train": options.train, "test": options.test}).items():
            np.save(os.path.join(scratch, split + ".npy"), rows)
        print("| method | accuracy % | training s | of the processor s | features s | prediction, processor s | peak memory GB |")
        print("|---|---|---|---|---|---|---|", flush=True)
        for name in options.recipes:
            model = os.path.join(scratch, name + ".alacarte")
            common = ["--threads", str(options.threads), "--quiet"]
            training = measured([options.program, "train", os.path.join(HERE, name + ".json"), "--data",
                                 os.path.join(scratch, "train.npy"), "--model", model, *common])
            testing = measured([options.program, "evaluate", model, "--data", os.path.join(scratch, "test.npy"), *common])
            inside = measured([options.program, "inspect", model, "--json"])
            scores, summary = json.loads(testing.out), json.loads(inside.out)["fits"][0]["summary"]
            print("| %s | %.1f | %.0f | %.0f | %.1f | %.1f | %.1f |" %
                  (name, 100 * scores["accuracy"], training.seconds, training.processor_seconds, summary["feature_seconds"],
                   testing.processor_seconds, training.peak_bytes / 1e9), flush=True)


if __name__ == "__main__":
    main()

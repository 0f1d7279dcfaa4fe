#!/usr/bin/env python3
"""Predicts from a model file of the recipe `ard` without alacarte, and compares with the program: docs/model-files.md.

Usage: read_model.py MODEL ROWS.csv PREDICTIONS.csv      (PREDICTIONS: of alacarte predict MODEL --data ROWS.csv)
Only Python's own library; a single fit (`copies` 1) with at least as many training rows as features.
"""
import csv
import hashlib
import json
import math
import struct
import sys


def read_tensors(path):
    """The document and the tensors (flat lists with their shape) of a model file, whose checksum is right."""
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    metadata = header.pop("__metadata__")
    blank = data.replace(b'"sha256":"' + metadata["sha256"].encode(), b'"sha256":"' + b"0" * 64, 1)
    assert hashlib.sha256(blank).hexdigest() == metadata["sha256"], "damaged file"
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        kind, size = {"F64": ("d", 8), "I32": ("i", 4)}[entry["dtype"]]
        tensors[name] = list(struct.unpack(f"<{(end - begin) // size}{kind}", data[begin:end]))
    return json.loads(metadata["alacarte"]), tensors


def hadamard(values):
    """The unnormalised Walsh-Hadamard transform."""
    values, half = list(values), 1
    while half < len(values):
        for i in range(0, len(values), 2 * half):
            for j in range(i, i + half):
                values[j], values[j + half] = values[j] + values[j + half], values[j] - values[j + half]
        half *= 2
    return values


def phases(x, fit):
    """u = S H G Pi H B (x / lengthscale) / sqrt(l), block by block."""
    scaled = [value / math.exp(log) for value, log in zip(x, fit["parameters/ard.log_lengthscale"])]
    length = 1
    while length < len(x):
        length *= 2
    signs, gaussian, permutation = (fit[f"map/fastfood.{name}"] for name in ("signs", "gaussian", "permutation"))
    lengths, out = fit["map/fastfood.lengths"], []
    for first in range(0, len(signs), length):
        block = range(first, first + length)
        mixed = hadamard([signs[first + i] * (scaled[i] if i < len(x) else 0) for i in range(length)])
        mixed = hadamard([gaussian[i] * mixed[permutation[i]] for i in block])
        norm = math.sqrt(length * sum(gaussian[i] ** 2 for i in block))
        out += [lengths[i] * mixed[i - first] / norm for i in block if i < len(lengths)]
    return out


def predict(row, standardizer, fit):
    """Mean and standard deviation of an observation, in units of the target."""
    x = [(value - shift) / scale for value, shift, scale in zip(row, standardizer["shift"], standardizer["scale"])]
    u = phases(x, fit)
    amplitude = math.exp(fit["parameters/ard.log_amplitude"][0]) / math.sqrt(len(u))
    psi = [amplitude * math.cos(a) for a in u] + [amplitude * math.sin(a) for a in u]
    mean = fit["posterior/offset"][0] + sum(a * b for a, b in zip(psi, fit["posterior/weights"]))
    # |L^-1 (psi - centre)|^2 by forward substitution; the factor is the lower triangle, column by column.
    rest, factor, at, variance = [a - b for a, b in zip(psi, fit["posterior/centre"])], fit["posterior/factor"], 0, 0
    for j in range(len(rest)):
        z = rest[j] / factor[at]
        variance += z * z
        for i in range(j, len(rest)):
            rest[i] -= z * factor[at + i - j]
        at += len(rest) - j
    variance += fit["posterior/constant_variance"][0] + fit["posterior/noise_variance"][0]
    scale = standardizer["target_scale"]
    return standardizer["target_shift"] + scale * mean, scale * math.sqrt(variance)


def main():
    """Prints the largest difference; a failure if it is more than rounding."""
    model, rows, predictions = sys.argv[1:]
    document, tensors = read_tensors(model)
    fit = {name[len("member[0]/") :]: values for name, values in tensors.items()}
    inputs = [column["name"] for column in document["schema"]["inputs"]]
    worst = 0
    with open(rows, newline="") as given, open(predictions, newline="") as expected:
        for row, theirs in zip(csv.DictReader(given), csv.DictReader(expected)):
            mean, sd = predict([float(row[name]) for name in inputs], document["standardizer"], fit)
            worst = max(worst, abs(mean - float(theirs["mean"])), abs(sd - float(theirs["sd_observation"])))
    print(f"largest difference {worst:.1e}")
    sys.exit(worst > 1e-8)


if __name__ == "__main__":
    main()

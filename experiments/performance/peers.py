#!/usr/bin/env python3
"""Equal work by alacarte, scikit-learn and torch, in turns; one JSON with every time and the paired ratios.

Debian: apt-get install python3-sklearn, and python3-torch for the last comparison (left out, and said so, where it is missing).

    peers.py --program build/release/alacarte --out peers.json [--threads 1] [--rounds 5] [--only TEXT] [--quick]
    ALACARTE_DATA_DIR=... peers.py ... --fits concrete airfoil kin40k       # whole fits too; the last takes an hour and 20 GB

In every round `alacarte-bench --only RACE` runs first, then the peer; the ratio of a round is the peer's time over ours, and what is
quoted is the median over the rounds with its quartiles. Matrices are made before the clock starts; what a library allocates for its
result counts, on both sides.
"""
import argparse
import gzip
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
import warnings


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/alacarte")
    parser.add_argument("--out", required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="comparisons whose name contains this")
    parser.add_argument("--quick", action="store_true", help="small shapes: whether it runs, not how fast")
    parser.add_argument("--fits", nargs="*", default=[], help="data sets of the catalogue for whole fits")
    parser.add_argument("--recipes", nargs="*", default=["exact-ard", "ard", "gm"], help="ours, for whole fits")
    parser.add_argument("--rows", type=int, default=10000, help="training rows of a whole fit at most")
    return parser.parse_args()


ARGS = arguments()
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # before numpy is loaded
    os.environ[variable] = str(ARGS.threads)

import numpy as np  # noqa: E402
import sklearn  # noqa: E402
from sklearn.exceptions import ConvergenceWarning  # noqa: E402
from sklearn.gaussian_process import GaussianProcessRegressor  # noqa: E402
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel  # noqa: E402
from sklearn.kernel_approximation import Nystroem, RBFSampler  # noqa: E402

try:
    import torch
except ImportError:
    torch = None


def run(program, *arguments):
    return subprocess.run([program, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def ours(race, contestant):
    """Median seconds of one piece of work, and the whole document."""
    measuring = os.path.join(os.path.dirname(ARGS.program), "alacarte-bench")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bench.json")
        quick = ["--quick"] if ARGS.quick else []
        run(measuring, "--only", race, "--threads", str(ARGS.threads), "--json", path, "--quiet", *quick)
        with open(path) as file:
            document = json.load(file)
    for entry in document["races"]:
        for one in entry["contestants"]:
            if entry["name"] == race and one["name"] == contestant:
                return one["seconds"]["median"], document
    sys.exit(f"peers: alacarte-bench has no race '{race}' with '{contestant}'")


def seconds_of(work):
    """Median seconds of enough repetitions to be timed."""
    work()
    times = []
    while len(times) < 3 or (sum(times) < 1 and len(times) < 50):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def normals(*shape):
    return np.random.default_rng(0).standard_normal(shape)


def rbf_sampler(rows, inputs, columns, dtype):
    x = normals(rows, inputs).astype(dtype)
    sampler = RBFSampler(gamma=0.5, n_components=columns, random_state=0).fit(x)
    return lambda: sampler.transform(x)


def nystroem(rows, inputs, columns):
    x = normals(rows, inputs)
    sampler = Nystroem(gamma=0.5 / inputs, n_components=columns, random_state=0).fit(x[: 4 * columns])
    return lambda: sampler.transform(x)


def exact_kernel(inputs):
    scale = RBF(np.ones(inputs), (1e-3, 1e4))
    return ConstantKernel(1.0, (1e-4, 1e4)) * scale + WhiteKernel(0.1, (1e-8, 1e2))


def exact_evidence(rows, inputs):
    x = normals(rows, inputs)
    y = np.sin(x[:, 0]) + 0.5 * x[:, -1]
    model = GaussianProcessRegressor(exact_kernel(inputs), optimizer=None).fit(x, y)
    theta = model.kernel_.theta
    return lambda: model.log_marginal_likelihood(theta, eval_gradient=True, clone_kernel=False)


def torch_evidence(rows, inputs, features, dtype):
    """Negative log evidence of cos and sin features with ARD scales, amplitude and noise, and its gradient by autograd."""
    torch.set_num_threads(ARGS.threads)
    count = features // 2
    x, w = torch.tensor(normals(rows, inputs), dtype=dtype), torch.tensor(normals(count, inputs), dtype=dtype)
    y = torch.sin(x[:, 0]) + 0.5 * x[:, -1]
    start = [torch.full((inputs,), 0.5 * np.log(inputs)), torch.tensor(0.0), torch.tensor(-1.0)]
    theta = [t.to(dtype).requires_grad_(True) for t in start]

    def work():
        for t in theta:
            t.grad = None
        log_scale, log_amplitude, log_noise = theta
        u = (x / torch.exp(log_scale)) @ w.T
        psi = torch.exp(log_amplitude) / count**0.5 * torch.cat([torch.cos(u), torch.sin(u)], 1)
        noise = torch.exp(2 * log_noise)
        factor = torch.linalg.cholesky(torch.eye(features, dtype=dtype) + psi.T @ psi / noise)
        b = torch.linalg.solve_triangular(factor, (psi.T @ y)[:, None] / noise, upper=False)
        value = 0.5 * (rows * torch.log(noise) + y @ y / noise - (b * b).sum()) + torch.log(torch.diagonal(factor)).sum()
        value.backward()

    return work


def comparisons():
    """(name, our race, our contestant, peer, maker of the peer's work)."""
    rows, wide, narrow = (600, 64, 32) if ARGS.quick else (10000, 8192, 1024)
    inputs = 16 if ARGS.quick else 128
    transform = f"transform f64 n={rows} d={inputs} columns="
    for dtype in ("float32", "float64"):
        yield (f"RBFSampler.transform, its input {dtype}", transform + str(wide), "fastfood", "scikit-learn",
               lambda dtype=dtype: rbf_sampler(rows, inputs, wide, dtype))
    yield ("Nystroem.transform, float64", transform + str(narrow), "fastfood", "scikit-learn",
           lambda: nystroem(rows, inputs, narrow))
    n = 150 if ARGS.quick else 1500
    yield ("exact GP, evidence and gradient", f"exact evidence n={n} d=5", "evaluation", "scikit-learn",
           lambda: exact_evidence(n, 5))
    shape = (600, 20, 128) if ARGS.quick else (5875, 20, 1536)
    race = "evaluation ard n={} d={} D={}".format(*shape)
    for dtype in ("float32", "float64"):
        yield (f"dense features, evidence and gradient, {dtype}", race, f"evaluation {ARGS.threads}t", "torch",
               lambda dtype=dtype: torch_evidence(*shape, getattr(torch, dtype)))


def quartiles(values):
    lower, median, upper = np.quantile(values, (0.25, 0.5, 0.75))
    return {"lower": lower, "median": median, "upper": upper}


def compare(name, race, contestant, peer, make, result):
    work, mine, theirs = make(), [], []
    for _ in range(ARGS.rounds):
        seconds, document = ours(race, contestant)
        mine.append(seconds)
        theirs.append(seconds_of(work))
    result["machine"], result["build"] = document["machine"], document["build"]
    ratio = quartiles([b / a for a, b in zip(mine, theirs)])
    result["comparisons"].append({"name": name, "race": race, "peer": peer, "alacarte_seconds": mine, "peer_seconds": theirs,
                                  "ratio": ratio})
    print(f"{name}: alacarte {np.median(mine):.4g} s, {peer} {np.median(theirs):.4g} s, "
          f"ratio {ratio['median']:.2f} [{ratio['lower']:.2f}, {ratio['upper']:.2f}]", flush=True)


def load(name):
    """Train and test rows of the catalogue's first fold, at most ARGS.rows to train on (the first of a seeded order)."""
    folder = os.path.join(os.environ["ALACARTE_DATA_DIR"], "uci", name)
    with gzip.open(os.path.join(folder, "data.csv.gz"), "rt") as file:
        data = np.loadtxt(file, delimiter=",", ndmin=2)
    with gzip.open(os.path.join(folder, "test_mask.csv.gz"), "rt") as file:
        test = np.loadtxt(file, delimiter=",", ndmin=2)[:, 0] > 0.5
    train = data[~test]
    order = np.random.default_rng(0).permutation(len(train))[: ARGS.rows]
    return train[np.sort(order)], data[test]


def fit_ours(recipe, train, test):
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("train.csv", "test.csv", "model")]
        np.savetxt(paths[0], train, delimiter=",", fmt="%.17g")
        np.savetxt(paths[1], test, delimiter=",", fmt="%.17g")
        start = time.perf_counter()
        run(ARGS.program, "train", recipe, "--data", paths[0], "--model", paths[2], "--threads", str(ARGS.threads), "--quiet",
            "--set", "/data/header=\"no\"")
        seconds = time.perf_counter() - start
        scores = json.loads(run(ARGS.program, "evaluate", paths[2], "--data", paths[1], "--quiet"))
    return {"method": recipe, "seconds": seconds, "rmse": scores["rmse"], "nlpd": scores["nlpd"]}


def fit_sklearn(train, test):
    shift, scale = train.mean(0), train.std(0, ddof=1)
    scale[scale == 0] = 1
    a, b = (train - shift) / scale, (test - shift) / scale
    model = GaussianProcessRegressor(exact_kernel(a.shape[1] - 1), n_restarts_optimizer=1, random_state=0)
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(a[:, :-1], a[:, -1])
    seconds = time.perf_counter() - start
    mean, sd = model.predict(b[:, :-1], return_std=True)
    error = b[:, -1] - mean
    nlpd = np.mean(0.5 * np.log(2 * np.pi * sd**2) + 0.5 * (error / sd) ** 2) + np.log(scale[-1])
    return {"method": "scikit-learn exact ARD", "seconds": seconds, "rmse": float(np.sqrt(np.mean(error**2)) * scale[-1]),
            "nlpd": float(nlpd)}


def write(result):
    with open(ARGS.out + ".tmp", "w") as file:
        json.dump(result, file, indent=1)
        file.write("\n")
    os.replace(ARGS.out + ".tmp", ARGS.out)


def main():
    versions = {"python": platform.python_version(), "numpy": np.__version__, "scikit-learn": sklearn.__version__,
                "torch": torch.__version__ if torch else None}
    result = {"format": "alacarte peers 1", "versions": versions, "threads": ARGS.threads, "rounds": ARGS.rounds,
              "quick": ARGS.quick, "comparisons": [], "fits": [], "skipped": []}
    for name, race, contestant, peer, make in comparisons():
        if ARGS.only not in name:
            continue
        if peer == "torch" and torch is None:
            print(f"{name}: not measured, torch cannot be imported (Debian: python3-torch)", flush=True)
            result["skipped"].append({"name": name, "reason": "torch cannot be imported"})
            continue
        compare(name, race, contestant, peer, make, result)
        write(result)
    for name in ARGS.fits:
        train, test = load(name)
        for fit in [lambda r=r: fit_ours(r, train, test) for r in ARGS.recipes] + [lambda: fit_sklearn(train, test)]:
            entry = {"dataset": name, "train_rows": len(train), "inputs": train.shape[1] - 1, **fit()}
            result["fits"].append(entry)
            print("{dataset} ({train_rows} rows) {method}: {seconds:.1f} s, RMSE {rmse:.4f}, NLPD {nlpd:.4f}".format(**entry),
                  flush=True)
            write(result)
    write(result)


if __name__ == "__main__":
    main()

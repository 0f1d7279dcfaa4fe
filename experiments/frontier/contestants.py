#!/usr/bin/env python3
"""The other programs of the frontier: each takes standardised rows and seconds, and gives a mixture of Gaussians for new rows.

    contestants.py NAME SECONDS ROWS.npz OUT.npz

Every contestant may spend its seconds as it does best: rows, features, trees or epochs grow until the time is used. Where a program
has no predictive distribution, a Gaussian of constant width from rows it did not see stands in.
"""
import math
import sys
import time
import warnings

import numpy as np


def exact_process(train, test, seconds):
    """Amplitude * ARD-RBF + noise by scikit-learn, on as many rows as the time allows: cubic, from two short fits."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    inputs = train.shape[1] - 1
    order = np.random.default_rng(0).permutation(len(train))

    def fit(rows):
        kernel = ConstantKernel(1.0, (1e-3, 1e3)) * RBF(np.full(inputs, math.sqrt(inputs)), (1e-2, 1e4)) + WhiteKernel(0.1, (1e-6, 1e1))
        chosen = train[order[:rows]]
        began = time.perf_counter()
        model = GaussianProcessRegressor(kernel, random_state=0).fit(chosen[:, :-1], chosen[:, -1])
        return model, time.perf_counter() - began

    fit(100)  # warm-up
    rows = min(len(train), 300)
    model, spent = fit(rows)
    while rows < len(train) and spent < seconds / 1.4:
        more = min(len(train), int(rows * min(2.0, (0.85 * seconds / spent) ** (1 / 2.6))))
        if more < 1.1 * rows:
            break
        bigger, took = fit(more)
        if took > seconds * 1.1:
            break
        model, spent, rows = bigger, took, more
    mean, deviation = model.predict(test, return_std=True)
    return mean[None], deviation[None], spent, f"{rows} rows"


def ridge_on(features_of):
    def contestant(train, test, seconds):
        """Length-scale from three multiples of the median distance on 1000 rows; features double while the time allows."""
        from sklearn.linear_model import BayesianRidge
        from sklearn.metrics import pairwise_distances

        rng = np.random.default_rng(0)
        began = time.perf_counter()
        some = train[rng.permutation(len(train))[:1000]]
        median = np.median(pairwise_distances(some[:300, :-1]))
        held = len(some) // 4
        errors = {}
        for scale in (0.25, 0.5, 1.0):
            gamma = 0.5 / (scale * median) ** 2
            maker = features_of(gamma, min(200, len(some) - held)).fit(some[held:, :-1])
            model = BayesianRidge().fit(maker.transform(some[held:, :-1]), some[held:, -1])
            errors[gamma] = np.mean((model.predict(maker.transform(some[:held, :-1])) - some[:held, -1]) ** 2)
        gamma = min(errors, key=errors.get)
        best, features = None, 50
        while True:
            step = time.perf_counter()
            maker = features_of(gamma, min(features, len(train))).fit(train[:, :-1])
            model = BayesianRidge().fit(maker.transform(train[:, :-1]), train[:, -1])
            now = time.perf_counter()
            if best is None or now - began <= 1.1 * seconds:
                best = (maker, model, now - began, features)
            if features >= len(train) or now - began + 4.5 * (now - step) > seconds:
                break
            features *= 2
        maker, model, spent, features = best
        mean, deviation = model.predict(maker.transform(test), return_std=True)
        return mean[None], deviation[None], spent, f"{features} features"

    return contestant


def nystroem(gamma, features):
    from sklearn.kernel_approximation import Nystroem

    return Nystroem(gamma=gamma, n_components=features, random_state=0)


def sampler(gamma, features):
    from sklearn.kernel_approximation import RBFSampler

    return RBFSampler(gamma=gamma, n_components=features, random_state=0)


def held_out(train, share=0.1):
    order = np.random.default_rng(0).permutation(len(train))
    count = max(1, int(share * len(train)))
    return train[order[count:]], train[order[:count]]


def boosting(train, test, seconds):
    """Early stopping; the noise from the tenth of the rows that it did not see."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    began = time.perf_counter()
    seen, held = held_out(train)
    best = None
    for rate in (0.1, 0.05, 0.025):
        step = time.perf_counter()
        model = HistGradientBoostingRegressor(learning_rate=rate, max_iter=3000, early_stopping=True, validation_fraction=0.1,
                                              n_iter_no_change=20, random_state=0).fit(seen[:, :-1], seen[:, -1])
        error = math.sqrt(np.mean((model.predict(held[:, :-1]) - held[:, -1]) ** 2))
        now = time.perf_counter()
        if best is None or (error < best[1] and now - began <= 1.1 * seconds):
            best = (model, error, rate)
        spent = now - began
        if spent + 2 * (now - step) > seconds:
            break
    model, error, rate = best
    mean = model.predict(test)
    return mean[None], np.full_like(mean, max(error, 1e-6))[None], spent, f"rate {rate}, {model.n_iter_} trees"


def forest(train, test, seconds):
    """Trees are added until the time is used; the noise from out-of-bag rows."""
    from sklearn.ensemble import RandomForestRegressor

    began = time.perf_counter()
    model = RandomForestRegressor(n_estimators=10, oob_score=False, warm_start=True, random_state=0, n_jobs=2)
    model.fit(train[:, :-1], train[:, -1])
    first = time.perf_counter() - began
    trees = int(np.clip(10 * 0.8 * seconds / first, 20, 500))
    model.set_params(n_estimators=trees, oob_score=True)
    model.fit(train[:, :-1], train[:, -1])
    spent = time.perf_counter() - began
    error = math.sqrt(np.mean((model.oob_prediction_ - train[:, -1]) ** 2))
    mean = model.predict(test)
    return mean[None], np.full_like(mean, max(error, 1e-6))[None], spent, f"{trees} trees"


def networks(train, test, seconds):
    """Five networks of two layers of 128 SiLU units with a mean and a log deviation, Adam; the best epoch on held-out rows."""
    import torch

    torch.set_num_threads(2)
    began = time.perf_counter()
    seen, held = held_out(train)
    inputs = train.shape[1] - 1
    to = lambda rows: torch.tensor(rows, dtype=torch.float32)
    x, y, hx, hy, tx = to(seen[:, :-1]), to(seen[:, -1]), to(held[:, :-1]), to(held[:, -1]), to(test)

    def loss(model, x, y):
        out = model(x)
        log_deviation = out[:, 1].clamp(-6, 3)
        return (0.5 * ((y - out[:, 0]) * torch.exp(-log_deviation)) ** 2 + log_deviation).mean()

    means, deviations, members = [], [], 5
    for member in range(members):
        torch.manual_seed(member)
        model = torch.nn.Sequential(torch.nn.Linear(inputs, 128), torch.nn.SiLU(), torch.nn.Linear(128, 128), torch.nn.SiLU(),
                                    torch.nn.Linear(128, 2))
        optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-4)
        until = began + seconds * (member + 1) / members
        started, epoch, best, state = time.perf_counter(), 0, math.inf, None
        batch = 64 if len(seen) < 2000 else 256
        while time.perf_counter() < until:
            order = torch.randperm(len(x))
            for k in range(0, len(x), batch):
                left = max(0.0, (until - time.perf_counter()) / (until - started))
                for group in optimizer.param_groups:  # cosine schedule over this member's time
                    group["lr"] = 3e-3 * 0.5 * (1 - math.cos(math.pi * left)) + 1e-6
                chosen = order[k : k + batch]
                optimizer.zero_grad()
                loss(model, x[chosen], y[chosen]).backward()
                optimizer.step()
                if left <= 0:
                    break
            with torch.no_grad():
                now = loss(model, hx, hy).item()
            if now < best or state is None:
                best, state = now, {name: value.clone() for name, value in model.state_dict().items()}
            epoch += 1
        model.load_state_dict(state)
        with torch.no_grad():
            out = model(tx).numpy().astype(float)
        means.append(out[:, 0])
        deviations.append(np.exp(np.clip(out[:, 1], -6, 3)))
    return np.array(means), np.array(deviations), time.perf_counter() - began, f"{members} networks, {epoch} epochs"


CONTESTANTS = {
    "sk-gp": exact_process,
    "sk-nystroem": ridge_on(nystroem),
    "sk-rbfsampler": ridge_on(sampler),
    "sk-boosting": boosting,
    "sk-forest": forest,
    "torch-ensemble": networks,
}


def main():
    warnings.simplefilter("ignore")
    name, seconds, rows, out = sys.argv[1], float(sys.argv[2]), sys.argv[3], sys.argv[4]
    found = np.load(rows)
    means, deviations, spent, size = CONTESTANTS[name](found["train"], found["test"], seconds)
    np.savez(out, means=means, deviations=deviations, seconds=spent, size=size)


if __name__ == "__main__":
    main()

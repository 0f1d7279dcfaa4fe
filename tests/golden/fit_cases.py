"""Thirty trainings: every map, several exact kernels, every likelihood and learner, and the ways a training can go."""

TRAINING = {"starts": 2, "probe_iterations": 5, "iterations": 10}
# Short fits, since rounding grows: after 20 iterations another order of a sum changes their sixth digit.
SHORT = {"starts": 2, "probe_iterations": 2, "iterations": 3}
FIXED = {"noise": {"prior_center": "fixed"}}
SVM = {"kind": "svm", "costs": [0.1, 1], "scales": [0.5, 1], "folds": 3}
LOGISTIC = {"kind": "logistic", "costs": [1, 10], "scales": [0.5, 1], "folds": 3}
UCI = {"servo", "yacht", "concrete"}


def frequencies(count, **more):
    return {"features": {"frequencies": count, **more}}


def gp(name, data, recipe, seed=1, options=()):
    """A Gaussian process on numbers, classes or counts; the prior on the noise is fixed unless the recipe has one."""
    noise = {} if "likelihood" in recipe else FIXED
    return {"name": name, "data": data, "seed": seed, "options": list(options),
            "recipe": {"training": TRAINING, **noise, **recipe}}


def classifier(name, data, recipe):
    return {"name": name, "data": data, "seed": 3, "options": [], "recipe": recipe}


def numbers():
    return [
        gp("rbf", "friedman", {"model": "rbf", **frequencies(128), "copies": 3}),
        gp("ard-mixed", "concrete", {"training": SHORT, "model": "ard", **frequencies(96), "precision": "mixed"}),
        gp("ard-noise-searched", "servo", {"model": "ard", **frequencies(48), "noise": {"prior_center": "ard"}}),
        gp("ard-subsample", "arm", {"model": "ard", **frequencies(48, draws="sobol"), "training": {
            **TRAINING, "subsample": 100, "subsample_iterations": 4}}),
        gp("ard-from-disk", "friedman-long", {"model": "ard", **frequencies(64)}, options=["--memory-limit", "33MB"]),
        gp("fsard-mixed", "friedman", {"training": SHORT, "model": "fsard", **frequencies(128), "precision": "mixed"}),
        gp("fsgbard", "arm", {"model": "fsgbard", **frequencies(64)}, seed=2),
        gp("gm", "concrete", {"training": SHORT, "model": "gm", **frequencies(32, components=3), "copies": 2}),
        gp("pwl", "yacht", {"model": "pwl", **frequencies(32, components=2, knots=3)}),
        gp("ssgpr", "yacht", {"training": SHORT, "model": "ssgpr", **frequencies(32)}),
        gp("matern-rq", "arm", {"model": "sum", "terms": [
            {"model": "matern", **frequencies(32, draws="orthogonal")},
            {"model": "rq", **frequencies(32, draws="fft", phase="offset", normalized=True)}]}),
        gp("laplace-ball-radial", "friedman", {"model": "sum", "terms": [
            {"model": "laplace", **frequencies(32, draws="hashed")}, {"model": "ball", **frequencies(32)},
            {"model": "radial", **frequencies(16), "kernel": {"quantiles": [0, 1, 2], "isotropic": True}}]}),
        gp("polynomial-local", "servo", {"model": "sum", "terms": [
            {"model": "polynomial", **frequencies(64), "kernel": {"degree": 3}},
            {"model": "local", **frequencies(32)}]}),
        gp("dot-product-moments", "arm", {"model": "sum", "terms": [
            {"model": "dot-product", **frequencies(48), "kernel": {"coefficients": [1, 1, 0.5]}},
            {"model": "moments", **frequencies(48), "kernel": {"coefficients": [1, 1, 1]}}]}),
        gp("tensor-sketch", "concrete", {"model": "tensor-sketch", "kernel": {"degree": 3},
                                         "features": {"sketch": 128, "buckets": "balanced"}}),
        gp("linear-positive-periodic-dual", "servo", {"model": "sum", "evidence": "dual", "terms": [
            {"model": "linear"}, {"model": "positive", **frequencies(64)}, {"model": "periodic", **frequencies(64)}]}),
        gp("gcws-unit-rows", "yacht", {"model": "gcws", "features": {"samples": 32, "bits": 3, "code": "full"},
                                       "scale": {"roots": True, "unit_rows": True}}),
        gp("nystrom", "concrete", {"training": SHORT, "model": "nystrom", **frequencies(64, landmarks="kmeans"),
                                   "terms": [{"model": "exact-ard"}]}),
        gp("auto-within-a-budget", "yacht", {"training": SHORT, "model": "mixture", "flops": 1.5e9, "members": [
            {"model": "ard", **frequencies(64)}, {"model": "pwl", **frequencies(16, components=2), "copies": 2},
            {"model": "gm", **frequencies(16, components=2), "copies": 2}]}),
        gp("exact-ard", "servo", {"model": "exact-ard", "noise": {"prior_center": "ard"}}),
        gp("exact-matern-periodic", "yacht", {
            "training": SHORT, "model": "exact-sum", "mean": "zero", "priors": False,
            "terms": [{"model": "exact-matern", "kernel": {"nu": 0.8}}, {"model": "exact-periodic"}]}),
        gp("exact-product", "friedman-short", {"model": "exact-product", "terms": [
            {"model": "exact-rq"},
            {"model": "exact-sum", "terms": [{"model": "exact-minmax"}, {"model": "exact-polynomial"}]}]}),
    ]


def others():
    return [
        gp("softmax", "three", {"model": "ard", "likelihood": "softmax", **frequencies(32), "copies": 2}),
        gp("softmax-bound-balanced", "sixty", {"model": "rbf", "likelihood": "softmax", **frequencies(18),
                                                 "learner": {"class_weights": "balanced"}}),
        gp("logit-pwl", "two", {"model": "pwl", "likelihood": "logit", **frequencies(16, components=2)}),
        gp("probit-balanced", "two", {"model": "ard", "likelihood": "probit", **frequencies(32), "precision": "double",
                                      "learner": {"class_weights": "balanced"}}),
        gp("poisson", "counts", {"model": "matern", "likelihood": "poisson", **frequencies(32)}),
        classifier("svm-and-fastfood", "three", {"model": "rbf", **frequencies(64), "learner": SVM}),
        classifier("svm-exact", "three", {"model": "exact-rbf", "learner": {**SVM, "class_weights": "balanced"}}),
        classifier("logistic-sparse-gcws", "sparse", {
            "model": "gcws", "features": {"samples": 32, "bits": 6}, "scale": {"inputs": "none"},
            "learner": {"kind": "logistic", "costs": [0.1, 1, 10], "folds": 3}}),
    ]


def cases():
    """All thirty: dictionaries with name, data, seed, options of `train` and recipe."""
    return numbers() + others()

"""What is kept of versions 0.1 and 0.2: small models of every family, inference and way of scaling."""

SMALL_GM = {"frequencies": 4, "components": 2}
RBF = {"model": "exact-rbf"}
LINEAR = {"model": "exact-linear"}

# Every registered feature map with its own keys, small.
MAPS = {
    "rbf": {"features": {"frequencies": 12}},
    "ard": {"features": {"frequencies": 12}},
    "fsard": {"features": {"frequencies": 12}},
    "fsgbard": {"features": {"frequencies": 12}},
    "gm": {"features": SMALL_GM},
    "pwl": {"features": SMALL_GM},
    "ssgpr": {"features": {"frequencies": 12}},
    "matern": {"features": {"frequencies": 12}, "kernel": {"nu": 1.5}},
    "rq": {"features": {"frequencies": 12}, "kernel": {"alpha": 1}},
    "laplace": {"features": {"frequencies": 12, "draws": "gaussian"}},
    "ball": {"features": {"frequencies": 12}, "kernel": {"balls": 3}},
    "radial": {"features": {"frequencies": 12}, "kernel": {"quantiles": [0, 0.5, 1, 2]}},
    "linear": {},
    "polynomial": {"features": {"frequencies": 16}, "kernel": {"degree": 3}},
    "dot-product": {"features": {"frequencies": 16}, "kernel": {"coefficients": [1, 1, 0.5], "offset": 1}},
    "moments": {"features": {"frequencies": 16}, "kernel": {"coefficients": [1, 1, 1, 1]}},
    "local": {"features": {"frequencies": 16}},
    "positive": {"features": {"frequencies": 16}},
    "periodic": {"features": {"frequencies": 8}},
    "nystrom": {"features": {"frequencies": 12}, "terms": [{"model": "exact-ard"}]},
    "tensor-sketch": {"features": {"sketch": 32}, "kernel": {"degree": 2}},
    "gcws": {"features": {"samples": 10, "bits": 2}},
    "sum": {"terms": [{"model": "linear"}, {"model": "gm", "features": SMALL_GM}]},
}

# Maps with settings that use other code paths.
VARIANTS = {
    "rbf-fft": {"model": "rbf", "features": {"frequencies": 12, "draws": "fft"}},
    "rbf-gaussian": {"model": "rbf", "features": {"frequencies": 12, "draws": "gaussian"}},
    "rbf-orthogonal": {"model": "rbf", "features": {"frequencies": 12, "draws": "orthogonal"}},
    "rbf-sobol": {"model": "rbf", "features": {"frequencies": 12, "draws": "sobol"}},
    "rbf-hashed": {"model": "rbf", "features": {"frequencies": 12, "draws": "hashed"}},
    "ard-offset": {"model": "ard", "features": {"frequencies": 24, "phase": "offset"}},
    "ard-normalized": {"model": "ard", "features": {"frequencies": 24, "phase": "offset", "normalized": True}},
    "ard-mean-zero": {"model": "ard", "features": {"frequencies": 12}, "mean": "zero", "priors": False},
    "ard-mixed": {"model": "ard", "features": {"frequencies": 12}, "precision": "mixed"},
    "matern-isotropic": {"model": "matern", "features": {"frequencies": 12}, "kernel": {"nu": 0.8, "isotropic": True}},
    "matern-fft": {"model": "matern", "kernel": {"learn_shape": False},
                   "features": {"frequencies": 12, "draws": "fft"}},
    "laplace-hashed": {"model": "laplace", "features": {"frequencies": 12, "draws": "hashed"}},
    "pwl-knots": {"model": "pwl", "features": {**SMALL_GM, "knots": 3}},
    "ssgpr-paper": {"model": "ssgpr", "features": {"frequencies": 12, "learn_lengthscale": False}},
    "dot-product-fixed": {"model": "dot-product", "features": {"frequencies": 16},
                          "kernel": {"coefficients": [1, 1], "learn_coefficients": False, "isotropic": True}},
    "nystrom-kmeans": {"model": "nystrom", "features": {"frequencies": 12, "landmarks": "kmeans"},
                       "terms": [{"model": "exact-matern", "kernel": {"nu": 2.5}}]},
    "nystrom-leverage": {"model": "nystrom", "features": {"frequencies": 12, "landmarks": "leverage"},
                         "terms": [{"model": "exact-rq"}]},
    "tensor-sketch-balanced": {"model": "tensor-sketch", "features": {"sketch": 24, "buckets": "balanced"},
                               "kernel": {"degree": 3}},
    "tensor-sketch-plain": {"model": "tensor-sketch", "kernel": {"degree": 1},
                            "features": {"sketch": 16, "learn_lengthscale": False}},
    "gcws-full": {"model": "gcws", "features": {"samples": 10, "bits": 2, "code": "full"}},
    "sum-periodic-pwl": {"model": "sum", "terms": [{"model": "periodic", "features": {"frequencies": 4}},
                                                   {"model": "pwl", "features": SMALL_GM}]},
}

DUAL = ["rbf", "ard", "fsard", "fsgbard", "gm", "pwl", "ssgpr", "matern", "linear", "polynomial", "moments", "periodic",
        "nystrom", "tensor-sketch", "gcws", "sum", "rbf-hashed", "ard-normalized"]

KERNELS = {
    "exact-rbf": {},
    "exact-ard": {},
    "exact-matern": {"kernel": {"nu": 1.5}},
    "exact-matern-general": {"model": "exact-matern", "kernel": {"nu": 0.8, "isotropic": True}},
    "exact-rq": {},
    "exact-linear": {},
    "exact-polynomial": {"kernel": {"degree": 3}},
    "exact-periodic": {},
    "exact-minmax": {},
    "exact-sum": {"terms": [RBF, LINEAR]},
    "exact-product": {"terms": [RBF, LINEAR]},
    "exact-sum-of-products": {"model": "exact-sum", "terms": [{"model": "exact-product", "terms": [RBF, LINEAR]},
                                                              {"model": "exact-minmax"}]},
    "exact-ard-mean-zero": {"model": "exact-ard", "mean": "zero", "priors": False},
}

MIXTURES = {
    "mixture-copies": {"model": "rbf", "features": {"frequencies": 8}, "copies": 3},
    "mixture-auto": {"model": "mixture", "members": [
        {"model": "ard", "features": {"frequencies": 8}}, {"model": "pwl", "features": SMALL_GM, "copies": 2},
        {"model": "gm", "features": SMALL_GM, "copies": 2}]},
    "mixture-exact-and-map": {"model": "mixture", "members": [{"model": "exact-ard"},
                                                              {"model": "ssgpr", "features": {"frequencies": 8}}]},
}

SCALINGS = {
    "scale-none": {"inputs": "none"},
    "scale-center": {"inputs": "center", "target": "center"},
    "scale-range": {"inputs": "range", "target": "range"},
    "scale-target-none": {"target": "none"},
    "scale-roots": {"inputs": "zscore", "roots": True},
    "scale-unit-rows": {"inputs": "zscore", "unit_rows": True},
    "scale-roots-unit-rows": {"inputs": "none", "roots": True, "unit_rows": True},
}

# Likelihoods of Laplace's approximation. Classes: `kind` has three, `two` two; `count` is a count.
LIKELIHOODS = {
    "softmax": ("kind", {"model": "ard", "likelihood": "softmax", "features": {"frequencies": 8}}),
    "softmax-balanced": ("kind", {"model": "gm", "likelihood": "softmax", "features": SMALL_GM,
                                  "learner": {"class_weights": "balanced"}}),
    "softmax-mixture": ("kind", {"model": "rbf", "likelihood": "softmax", "features": {"frequencies": 6}, "copies": 2}),
    "softmax-mean-zero": ("kind", {"model": "linear", "likelihood": "softmax", "mean": "zero"}),
    "logit": ("two", {"model": "ard", "likelihood": "logit", "features": {"frequencies": 8}}),
    "logit-nystrom": ("two", {"model": "nystrom", "likelihood": "logit", "features": {"frequencies": 12},
                              "terms": [RBF]}),
    "probit": ("two", {"model": "pwl", "likelihood": "probit", "features": SMALL_GM}),
    "probit-mixture": ("two", {"model": "ard", "likelihood": "probit", "features": {"frequencies": 6}, "copies": 2}),
    "poisson": ("count", {"model": "ard", "likelihood": "poisson", "features": {"frequencies": 8}}),
    "poisson-mixture": ("count", {"model": "matern", "likelihood": "poisson", "features": {"frequencies": 6},
                                  "copies": 2}),
}

SVM = {"kind": "svm", "costs": [0.1, 1], "folds": 2}
LOGISTIC = {"kind": "logistic", "costs": [1, 10], "folds": 2}
SCALED = {"scales": [0.5, 1]}
MAP = {"features": {"frequencies": 12}}

LEARNERS = {
    "svm-map": ("kind", {"model": "rbf", "learner": {**SVM, **SCALED}, **MAP}),
    "svm-map-two": ("two", {"model": "ard", "learner": {**SVM, "class_weights": "balanced"}, **MAP}),
    "svm-copies": ("kind", {"model": "rbf", "learner": SVM, "copies": 2, **MAP}),
    "svm-linear": ("kind", {"model": "linear", "learner": SVM}),
    "svm-gcws": ("kind", {"model": "gcws", "learner": SVM, "features": {"samples": 16, "bits": 4}}),
    "svm-exact": ("kind", {"model": "exact-rbf", "learner": {**SVM, **SCALED}}),
    "svm-exact-two": ("two", {"model": "exact-minmax", "learner": SVM}),
    "logistic-map": ("kind", {"model": "rbf", "learner": {**LOGISTIC, **SCALED}, **MAP}),
    "logistic-map-two": ("two", {"model": "gm", "learner": LOGISTIC, "features": SMALL_GM}),
}

NOT_SCALED = {"scale": {"inputs": "none"}}
SKETCH = {"sketch": 32, "learn_lengthscale": False}
SPARSE = {
    "sparse-linear-svm": {"model": "linear", "learner": SVM, **NOT_SCALED},
    "sparse-linear-logistic": {"model": "linear", "learner": LOGISTIC, "scale": {"inputs": "none", "unit_rows": True}},
    "sparse-gcws-svm": {"model": "gcws", "learner": SVM, "features": {"samples": 16, "bits": 4}, **NOT_SCALED},
    "sparse-gcws-logistic": {"model": "gcws", "learner": LOGISTIC, "scale": {"inputs": "none", "roots": True},
                             "features": {"samples": 16, "bits": 4, "code": "full"}},
    "sparse-tensor-sketch-svm": {"model": "tensor-sketch", "learner": SVM, "features": SKETCH, "kernel": {"degree": 2},
                                 "scale": {"inputs": "none", "unit_rows": True}},
    "sparse-count-sketch-logistic": {"model": "tensor-sketch", "learner": LOGISTIC, "features": SKETCH,
                                     "kernel": {"degree": 1}, **NOT_SCALED},
}

DEEP = {"model": "deep", "network": {"widths": [6, 3], "epochs": 4}, "terms": [{"model": "ssgpr", **MAP}]}

# Families and settings that version 0.2 added, with the target of each.
SINCE_0_2 = {
    "deep": ("y", DEEP),
    "deep-evidence": ("y", {**DEEP, "network": {"widths": [3], "training": "evidence", "activation": "sine"}}),
    "deep-softmax": ("kind", {**DEEP, "likelihood": "softmax"}),
    "exact-softmax": ("kind", {"model": "exact-ard", "likelihood": "softmax"}),
    "exact-logit": ("two", {"model": "exact-rbf", "likelihood": "logit"}),
    "exact-poisson": ("count", {"model": "exact-matern", "likelihood": "poisson"}),
    "negative-binomial": ("count", {"model": "ard", "likelihood": "negative-binomial", **MAP}),
    "student-t": ("y", {"model": "ard", "likelihood": "student-t", **MAP}),
    "exact-student-t": ("y", {"model": "exact-ard", "likelihood": "student-t"}),
    "noise-varies": ("y", {"model": "ard", "noise": {"varies": True}, **MAP}),
    "noise-mixture": ("y", {"model": "ard", "noise": {"shape": "mixture"}, **MAP}),
    "samples": ("y", {"model": "exact-ard", "training": {"samples": 4}}),
    "softmax-calibrated": ("kind", {"model": "ard", "likelihood": "softmax", "calibration": {"kind": "temperature"}, **MAP}),
    "auto": ("y", {"model": "auto"}),
    "auto-classes": ("kind", {"model": "auto", "likelihood": "softmax"}),
}

MIXED_DATA = {"target": "y", "categorical": ["colour"], "key": "id", "unseen": "zero"}
QUICK = {"noise": {"prior_center": "fixed"}, "training": {"starts": 1, "probe_iterations": 3, "iterations": 6}}


def needs_fftw(recipe):
    text = str(recipe)
    return "'fft'" in text or ("tensor-sketch" in text and "'degree': 1" not in text)


def case(name, recipe, train, rows, data, options=(), folder="models"):
    whole = {**QUICK, "model": name, **recipe}
    whole["data"] = data
    if "likelihood" in whole:
        whole.pop("noise")
    if whole["model"] == "auto":
        whole = {**recipe, "data": data}
    if whole.get("learner", {}).get("kind", "gp") != "gp":
        for key in QUICK:
            whole.pop(key)
    return {"name": name, "recipe": whole, "train": train, "rows": rows, "options": list(options),
            "folder": folder, "fftw": needs_fftw(whole)}


def table(target="y"):
    return {"inputs": ["a", "b", "c"], "target": target}


def cases():
    """All of them: dictionaries with name, recipe, train and rows (files of data/), options of `train`, folder, fftw."""
    of_numbers = lambda name, recipe, train="table.csv", rows="new.csv", options=(): case(
        name, recipe, train, rows, table(), options)
    result = [of_numbers(name, recipe) for name, recipe in {**MAPS, **VARIANTS, **MIXTURES}.items()]
    every_map = {**{name: {"model": name, **recipe} for name, recipe in MAPS.items()}, **VARIANTS}
    result += [of_numbers(f"{name}-dual", {**every_map[name], "evidence": "dual"}, "short.csv") for name in DUAL]
    result += [of_numbers(name, recipe, "short.csv") for name, recipe in KERNELS.items()]
    ard = {"model": "ard", **MAP}
    result += [of_numbers(name, {**ard, "scale": scale}) for name, scale in SCALINGS.items()]
    result += [
        of_numbers("ard-noise-searched", {**ard, "noise": {"prior_center": "ard"}}),
        of_numbers("ard-subsample", {**ard, "training": {"starts": 2, "probe_iterations": 3, "iterations": 6,
                                                         "subsample": 20, "subsample_iterations": 3}}),
        of_numbers("ard-many-rows", ard, rows="many.csv"),
        of_numbers("exact-ard-many-rows", {"model": "exact-ard"}, rows="many.csv"),
        of_numbers("ard-mean-only", ard, options=["--mean-only"]),
        of_numbers("ard-dual-mean-only", {**ard, "evidence": "dual"}, "short.csv", options=["--mean-only"]),
        of_numbers("exact-ard-mean-only", {"model": "exact-ard"}, "short.csv", options=["--mean-only"]),
    ]
    for name, (target, recipe) in {**LIKELIHOODS, **LEARNERS}.items():
        result.append(case(name, recipe, "table.csv", "new.csv", table(target)))
    for name in ["softmax", "logit", "poisson"]:
        target, recipe = LIKELIHOODS[name]
        result.append(case(f"{name}-mean-only", recipe, "table.csv", "new.csv", table(target), ["--mean-only"]))
    result.append(case("softmax-many-rows", LIKELIHOODS["softmax"][1], "table.csv", "many.csv", table("kind")))
    result.append(case("softmax-bound", {"model": "rbf", "likelihood": "softmax", "features": {"frequencies": 8}},
                       "classes.csv", "few.csv", table("kind")))
    result += [case(name, recipe, "sparse.libsvm", "sparse_new.libsvm", {}) for name, recipe in SPARSE.items()]
    for name in ["sparse-linear-svm", "sparse-gcws-logistic"]:
        result.append(case(f"{name}-two", SPARSE[name], "sparse_two.libsvm", "sparse_new.libsvm", {}))
    for missing in ["mean", "drop"]:
        data = {**MIXED_DATA, "missing": missing}
        result.append(case(f"categories-{missing}", ard, "mixed.csv", "mixed_new.csv", data))
    return result + cases_since_0_2()


def cases_since_0_2():
    return [case(name, recipe, "short.csv", "new.csv", table(target), folder="models-0.2")
            for name, (target, recipe) in SINCE_0_2.items()]

#!/usr/bin/env python3
"""Boosting on one table, as its users have it: text as categories, gaps as they are, early stopping on 15 % of the training rows.

Usage: peers.py METHOD TRAIN.csv TEST.csv TARGET KIND [--seconds S] [--threads N]
       METHOD is catboost, lightgbm or histgb; KIND is number or class. Prints one JSON object.

A fit stops after S seconds with the best model so far; CatBoost has them twice, once for each loss. Regressions predict a normal
distribution around the mean. Its standard deviation is that of the residuals of the validation rows; CatBoost also learns one for each row
(RMSEWithUncertainty), which is taken where the validation rows are more probable under it. Columns of text that differ in nearly every row
and columns without a value are left out, and dates are text.
"""
import argparse
import itertools
import json
import math
import os
import time
import warnings

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

VALIDATION_SHARE = 0.15
DIFFERENT = 0.8  # share of different values from which on a column of text is left out
PATIENCE = 50  # iterations without progress on the validation rows before a fit stops
LEAST_PROBABILITY = 1e-6
LEAST_SD = 1e-6  # in standard deviations of the target
MAX_HISTGB_LEVELS = 255


class Problem:
    """The rows of one table: inputs of training, validation and test, and targets as standardised numbers or class numbers."""

    def __init__(self, train, test, target, kind):
        table = pd.concat([pd.read_csv(train), pd.read_csv(test)], ignore_index=True)
        self.is_class = kind == "class"
        count = len(pd.read_csv(train))
        values = table.pop(target)
        self.set_target(values, count)
        self.text = [name for name in table if not pd.api.types.is_numeric_dtype(table[name])]
        for name in self.text:
            column = table[name].iloc[:count]
            if column.nunique() >= DIFFERENT * max(1, column.notna().sum()):
                table = table.drop(columns=name)
        for name in table:
            if table[name].dtype == bool:
                table[name] = table[name].astype(int)
        self.split(table, count)

    def set_target(self, values, count):
        if self.is_class:
            self.classes = sorted(values.iloc[:count].astype(str).unique())
            numbers = {name: k for k, name in enumerate(self.classes)}
            # The class of a test row that no training row has is a number of its own.
            self.target = values.astype(str).map(numbers).fillna(-1).astype(int).to_numpy()
        else:
            known = values.iloc[:count].astype(float)
            self.centre, self.scale = known.mean(), known.std() or 1.0
            self.target = (values.astype(float).to_numpy() - self.centre) / self.scale

    def split(self, table, count):
        places = np.arange(count)
        strata = None
        if self.is_class and np.unique(self.target[:count], return_counts=True)[1].min() >= 2:
            strata = self.target[:count]
        try:
            fit, check = train_test_split(places, test_size=VALIDATION_SHARE, random_state=0, stratify=strata)
        except ValueError:  # fewer validation rows than classes
            fit, check = train_test_split(places, test_size=VALIDATION_SHARE, random_state=0)
        # Histogram boosting refuses columns without any value.
        table = table.drop(columns=[name for name in table if table[name].iloc[fit].notna().sum() == 0])
        self.text = [name for name in self.text if name in table]
        self.table, self.count = table, count
        self.rows = {"fit": fit, "check": check, "test": np.arange(count, len(table))}

    def inputs(self, part, prepared=None):
        return (self.table if prepared is None else prepared).iloc[self.rows[part]]

    def targets(self, part):
        return self.target[self.rows[part]]

    def with_categories(self, max_levels=None):
        """Text as pandas's categories of the training rows; as their ordinal codes where there are more levels than max_levels."""
        prepared = self.table.copy()
        for name in self.text:
            levels = sorted(prepared[name].iloc[: self.count].dropna().astype(str).unique())
            column = pd.Categorical(prepared[name].astype(object).map(str, na_action="ignore"), categories=levels)
            if max_levels is not None and len(levels) > max_levels:
                prepared[name] = np.where(column.codes < 0, np.nan, column.codes)
            else:
                prepared[name] = column
        return prepared


class Clock:
    """Ends a fit after these seconds, of the wall and of the processor: a busy machine takes none of them away."""

    def __init__(self, seconds):
        self.wall, self.processor = time.monotonic() + seconds, time.process_time() + seconds

    def is_over(self):
        return time.monotonic() >= self.wall and time.process_time() >= self.processor


def normal_nlpd(error, sd):
    sd = np.maximum(sd, LEAST_SD)
    return float(np.mean(0.5 * np.log(2 * math.pi * sd**2) + 0.5 * (error / sd) ** 2))


def constant_sd(problem, mean_of_check):
    return float(np.sqrt(np.mean((problem.targets("check") - mean_of_check) ** 2)))


def fit_catboost(problem, seconds, threads):
    import catboost

    prepared = problem.table.copy()
    for name in problem.text:
        prepared[name] = prepared[name].astype(object).where(prepared[name].notna(), "missing").astype(str)

    class Stop:
        def __init__(self):
            self.clock = Clock(seconds)

        def after_iteration(self, info):
            return not self.clock.is_over()

    def fitted(loss):
        kind = catboost.CatBoostClassifier if problem.is_class else catboost.CatBoostRegressor
        model = kind(loss_function=loss, early_stopping_rounds=PATIENCE, thread_count=threads, random_seed=0, verbose=False,
                     allow_writing_files=False, cat_features=problem.text)
        model.fit(problem.inputs("fit", prepared), problem.targets("fit"), callbacks=[Stop()],
                  eval_set=(problem.inputs("check", prepared), problem.targets("check")))
        return model

    if problem.is_class:
        model = fitted("Logloss" if len(problem.classes) == 2 else "MultiClass")
        return probabilities(problem, model, prepared), "", model.tree_count_
    constant, varying = fitted("RMSE"), fitted("RMSEWithUncertainty")

    def own(part):
        found = np.asarray(varying.predict(problem.inputs(part, prepared)))
        return found[:, 0], np.sqrt(np.maximum(found[:, 1], 0))

    mean, (own_mean, own_sd) = constant.predict(problem.inputs("check", prepared)), own("check")
    sd, target = constant_sd(problem, mean), problem.targets("check")
    if normal_nlpd(target - own_mean, own_sd) < normal_nlpd(target - mean, sd):
        return own("test"), "RMSEWithUncertainty", varying.tree_count_
    return (constant.predict(problem.inputs("test", prepared)), sd), "RMSE", constant.tree_count_


def probabilities(problem, model, prepared):
    """The probabilities of the test rows, a column for each class of the training rows."""
    found = np.zeros((len(problem.rows["test"]), len(problem.classes)))
    found[:, np.asarray(model.classes_, dtype=int)] = model.predict_proba(problem.inputs("test", prepared))
    return found


def mean_and_sd(problem, model, prepared):
    return model.predict(problem.inputs("test", prepared)), constant_sd(problem, model.predict(problem.inputs("check", prepared)))


def outcome(problem, model, prepared):
    return (probabilities if problem.is_class else mean_and_sd)(problem, model, prepared)


def fit_lightgbm(problem, seconds, threads):
    import lightgbm

    clock, best = Clock(seconds), {"loss": math.inf}

    def stop(env):
        loss = env.evaluation_result_list[0][2]
        if loss < best["loss"]:
            best.update(loss=loss, at=env.iteration, results=env.evaluation_result_list)
        if clock.is_over() and "at" in best:
            raise lightgbm.callback.EarlyStopException(best["at"], best["results"])

    prepared = problem.with_categories()
    # LightGBM refuses some characters in names.
    prepared.columns = [f"c{j}" for j in range(prepared.shape[1])]
    kind = lightgbm.LGBMClassifier if problem.is_class else lightgbm.LGBMRegressor
    model = kind(n_estimators=2000, learning_rate=0.05, n_jobs=threads, random_state=0, verbose=-1)
    model.fit(problem.inputs("fit", prepared), problem.targets("fit"),
              eval_set=[(problem.inputs("check", prepared), problem.targets("check"))],
              callbacks=[lightgbm.early_stopping(PATIENCE, verbose=False), stop])
    return outcome(problem, model, prepared), "", model.booster_.current_iteration()


def fit_histgb(problem, seconds, threads):
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from threadpoolctl import threadpool_limits

    clock = Clock(seconds)
    prepared = problem.with_categories(MAX_HISTGB_LEVELS)
    kind = HistGradientBoostingClassifier if problem.is_class else HistGradientBoostingRegressor
    model = kind(max_iter=0, warm_start=True, early_stopping=True, n_iter_no_change=PATIENCE, categorical_features="from_dtype",
                 random_state=0)
    with threadpool_limits(limits=threads):
        # There is no callback: ten more iterations at a time, until the clock or the validation rows end it.
        while model.max_iter < 1000 and not clock.is_over():
            model.set_params(max_iter=model.max_iter + 10)
            model.fit(problem.inputs("fit", prepared), problem.targets("fit"), X_val=problem.inputs("check", prepared),
                      y_val=problem.targets("check"))
            if model.n_iter_ < model.max_iter:
                break
        best = int(np.argmax(model.validation_score_[1:])) if model.n_iter_ > 0 else 0
        return outcome(problem, Staged(model, best), prepared), "", best + 1


class Staged:
    """The model of histogram boosting after its best iteration; as it comes it keeps those of the patience, too."""

    def __init__(self, model, best):
        self.model, self.best = model, best
        self.classes_ = getattr(model, "classes_", None)

    def predict(self, inputs):
        return next(itertools.islice(self.model.staged_predict(inputs), self.best, None))

    def predict_proba(self, inputs):
        return next(itertools.islice(self.model.staged_predict_proba(inputs), self.best, None))


def scores(problem, found):
    if problem.is_class:
        target = problem.targets("test")
        own = np.where(target < 0, 0, found[np.arange(len(target)), np.maximum(target, 0)])
        return {"score": float(-np.mean(np.log(np.clip(own, LEAST_PROBABILITY, 1)))),
                "error": float(np.mean(found.argmax(axis=1) != target))}
    mean, sd = found
    error = problem.targets("test") - mean
    sd = np.maximum(sd, LEAST_SD)
    return {"score": normal_nlpd(error, sd) + math.log(problem.scale), "error": problem.scale * float(np.sqrt(np.mean(error**2))),
            "coverage": float(np.mean(np.abs(error) <= 1.959964 * sd))}


FITS = {"catboost": fit_catboost, "lightgbm": fit_lightgbm, "histgb": fit_histgb}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("method", choices=FITS)
    parser.add_argument("train")
    parser.add_argument("test")
    parser.add_argument("target")
    parser.add_argument("kind", choices=("number", "class"))
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    problem = Problem(arguments.train, arguments.test, arguments.target, arguments.kind)
    began = time.monotonic()
    found, chosen, iterations = FITS[arguments.method](problem, arguments.seconds, arguments.threads)
    seconds = time.monotonic() - began
    print(json.dumps({**scores(problem, found), "seconds": seconds, "remark": f"{chosen} {iterations} iterations".strip()}))


if __name__ == "__main__":
    main()

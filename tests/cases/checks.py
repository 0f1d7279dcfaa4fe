"""What a case can require. Each check measures one number of a fit; run.py compares it with the bounds of the case."""
import ast
import math
import re
import struct

from inputs import value_of

NUMBER = r"[-+]?\d[\d.]*(?:e[-+]?\d+)?"
NAMED_PERIODS = re.compile(rf"\bperiods?\b(?:\s+(?:of|in|along|by)\s+\w+)?[\s:=\[(]*((?:{NUMBER}(?:,\s*|\s+and\s+|\s+)?)+)", re.IGNORECASE)


def root_mean_square(values):
    return math.sqrt(sum(value * value for value in values) / len(values))


def chosen_rows(fit, check):
    """Rows of the table, of its predictions, of which the condition of the check holds."""
    table, predicted = fit.table(check), fit.predictions(check)
    rows = range(len(next(iter(predicted.values()))))
    if "where" in check:
        names = [{**fit.parameters, **{name: table[name][i] for name in table}} for i in rows]
        rows = [i for i in rows if value_of(check["where"], names[i])]
    return table, predicted, rows


def standard_deviations(predicted):
    """The column of error bars of the first target."""
    return next(predicted[name] for name in predicted if name.split(".")[-1] in ("sd_observation", "sd_latent"))


def rmse(fit, check):
    table, predicted, rows = chosen_rows(fit, check)
    truth = table[check.get("truth", "f")]
    return root_mean_square([predicted["mean"][i] - truth[i] for i in rows])


def r2(fit, check):
    table, predicted, rows = chosen_rows(fit, check)
    target = [table[fit.target][i] for i in rows]
    mean = sum(target) / len(target)
    return 1 - sum((table[fit.target][i] - predicted["mean"][i]) ** 2 for i in rows) / sum((value - mean) ** 2 for value in target)


def coverage(fit, check):
    """Share of the noisy targets within the intervals that predict writes."""
    table, predicted, rows = chosen_rows(fit, check)
    inside = [predicted["lower_observation"][i] <= table[fit.target][i] <= predicted["upper_observation"][i] for i in rows]
    return sum(inside) / len(inside)


def solved(matrix, right):
    """The solution of a small regular system, by elimination with pivots."""
    rows = [[*row, value] for row, value in zip(matrix, right)]
    for k in range(len(rows)):
        pivot = max(range(k, len(rows)), key=lambda i: abs(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(len(rows)):
            if i != k:
                factor = rows[i][k] / rows[k][k]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k])]
    return [row[-1] / row[k] for k, row in enumerate(rows)]


def student_quantile(freedom):
    """The 97.5 % point of Student's distribution, within 0.001 from 10 degrees of freedom on (Abramowitz and Stegun, 26.7.5)."""
    z = 1.959964
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def known_coverage(fit, check):
    """The coverage of 95 % intervals of a linear regression on the columns that the formulas "knows" give, from the training rows: of one
    who knows which function the rows hold. With few rows it is far from 95 % on many seeds, since nobody can know the noise."""

    def columns(table):
        rows = range(len(table[fit.target]))
        return [[1.0, *(float(value_of(formula, {**fit.parameters, **{name: table[name][i] for name in table}})) for formula in check["knows"])]
                for i in rows]

    train, new = columns(fit.tables["train"]), columns(fit.table(check))
    used = [k for k in range(len(train[0])) if any(row[k] for row in train)]
    train, new = ([[row[k] for k in used] for row in rows] for rows in (train, new))
    products = [[sum(row[a] * row[b] for row in train) for b in range(len(used))] for a in range(len(used))]
    target = fit.tables["train"][fit.target]
    weights = solved(products, [sum(row[a] * value for row, value in zip(train, target)) for a in range(len(used))])
    freedom = len(train) - len(used)
    mean = [sum(w * value for w, value in zip(weights, row)) for row in train]
    variance = sum((value - own) ** 2 for value, own in zip(target, mean)) / freedom
    inside = 0
    for row, value in zip(new, fit.table(check)[fit.target]):
        leverage = sum(a * b for a, b in zip(row, solved(products, row)))
        half = student_quantile(freedom) * math.sqrt(variance * (1 + leverage))
        inside += abs(value - sum(w * own for w, own in zip(weights, row))) <= half
    return inside / len(new)


def coverage_excess(fit, check):
    """Coverage beyond that of one who knows the function."""
    return coverage(fit, check) - known_coverage(fit, check)


def mean_sd(fit, check):
    _, predicted, rows = chosen_rows(fit, check)
    return root_mean_square([standard_deviations(predicted)[i] for i in rows])


def max_sd(fit, check):
    _, predicted, rows = chosen_rows(fit, check)
    return max(standard_deviations(predicted)[i] for i in rows)


def min_sd(fit, check):
    """The smallest error bar; not a number if one is not."""
    _, predicted, rows = chosen_rows(fit, check)
    deviations = [standard_deviations(predicted)[i] for i in rows]
    return min(deviations) if all(isinstance(sd, float) and math.isfinite(sd) for sd in deviations) else math.nan


def smallest(fit, check):
    """The smallest number of a column of the predictions; not a number if one is not."""
    column = fit.predictions(check)[check["column"]]
    return min(column) if all(isinstance(value, float) and math.isfinite(value) for value in column) else math.nan


def values(fit, check):
    """The largest distance of a column of the predictions from the numbers of the case."""
    column = fit.predictions(check)[check.get("column", "mean")]
    are = [value_of(value, fit.parameters) for value in check["are"]]
    if len(column) != len(are):
        raise ValueError(f"values: {len(are)} numbers for {len(column)} rows")
    return max(abs(found - right) for found, right in zip(column, are))


def difference(fit, check):
    """The largest distance between the first half of a column and the second."""
    column = fit.predictions(check)[check.get("column", "mean")]
    half = len(column) // 2
    return max(abs(first - second) for first, second in zip(column[:half], column[half:]))


def ratio(fit, check):
    """The mean ratio of two columns of the predictions."""
    predicted = fit.predictions(check)
    above, below = (predicted[name] for name in check["columns"])
    return sum(one / other for one, other in zip(above, below)) / len(above)


def covariance(fit, check):
    """The largest relative distance of the error bars from the roots of the covariance's diagonal."""
    deviations = standard_deviations(fit.predictions(check))
    n, matrix = read_npy(fit.covariance_file(check))
    return max(abs(math.sqrt(matrix[i * n + i]) / deviations[i] - 1) for i in range(n))


def read_npy(path):
    """A square matrix of doubles in NumPy's format, version 1."""
    data = path.read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10 : 10 + length].decode("latin1"))
    rows, columns = header["shape"]
    if header["descr"] != "<f8" or rows != columns:
        raise ValueError(f"{path.name}: {header}")
    return rows, struct.unpack(f"<{rows * columns}d", data[10 + length :])


def probabilities(fit, check):
    """For each chosen row its label and the predicted probability of each class."""
    table, predicted, rows = chosen_rows(fit, check)
    classes = [name[2:-1] for name in predicted if name.startswith("p(")]
    return table, [(i, {label: predicted[f"p({label})"][i] for label in classes}) for i in rows]


def accuracy(fit, check):
    table, predicted, rows = chosen_rows(fit, check)
    return sum(table[fit.target][i] == predicted["label"][i] for i in rows) / len(rows)


def log_loss(fit, check):
    table, predicted = probabilities(fit, check)
    return sum(-math.log(max(shares[table[fit.target][i]], 1e-300)) for i, shares in predicted) / len(predicted)


def kl(fit, check):
    """Mean divergence of the predicted probabilities of class "yes" or "no" from the true probability of "yes"."""
    table, predicted = probabilities(fit, check)
    truth, total = table[check.get("truth", "p")], 0.0
    for i, shares in predicted:
        for label, right in (("yes", truth[i]), ("no", 1 - truth[i])):
            total += right * math.log(right / max(shares[label], 1e-300)) if right > 0 else 0.0
    return total / len(predicted)


def kl_excess(fit, check):
    """How much larger the divergence is than that of another recipe on the same rows."""
    return kl(fit, check) - kl(fit.beside(check["beside"]), check)


def noise(fit, _):
    """The noise that inspect tells, in units of the target; of a mixture the root of the mean variance."""
    fits = fit.inspected()["fits"]
    weights = [each.get("weight", 1.0) for each in fits]
    return math.sqrt(sum(w * each["noise_sd"] ** 2 for w, each in zip(weights, fits)) / sum(weights))


def evidence(fit, _):
    """Log evidence of the only fit; its unit is the target's only if the recipe does not scale it."""
    return fit.inspected()["fits"][0]["summary"]["log_evidence"]


def loo_r2(fit, _):
    return fit.inspected()["training"]["leave_one_out"]["r2"]


def loo_excess(fit, check):
    """How much better the leave-one-out R2 of the training rows is than the R2 of other rows."""
    return loo_r2(fit, check) - r2(fit, check)


def inputs(fit, _):
    return len(fit.inspected()["inputs"])


def season(fit, check):
    """The period nearest to a number among the seasons that the training found in its rows; "column" is the input."""
    seasons = fit.inspected()["training"].get("seasons", [])
    named = [own["period"] for own in seasons if own["input"] == check.get("column", own["input"])]
    right = value_of(check["of"], fit.parameters)
    return min(named, key=lambda number: abs(number - right), default=math.nan)


def seasons(fit, _):
    """How many seasons the training found in its rows."""
    return len(fit.inspected()["training"].get("seasons", []))


def period(fit, check):
    """The number nearest to a period among those that inspect calls periods, in the unit of the input."""
    named = [float(number) for match in NAMED_PERIODS.finditer(fit.inspect_text()) for number in re.findall(NUMBER, match[1])]
    for each in [fit.inspected(), *fit.inspected()["fits"]]:
        for own in each.get("inputs", []):
            found = own.get("periods", own.get("period", []))
            named += found if isinstance(found, list) else [found]
    named += [own["period"] for own in fit.inspected()["training"].get("seasons", [])]
    right = value_of(check["of"], fit.parameters)
    return min(named, key=lambda number: abs(number - right), default=math.nan)


def warns(fit, check):
    """1 if train prints this text among its messages, in capitals or not, else 0."""
    return float(check["text"].lower() in fit.messages.lower())


def seconds(fit, _):
    """Processor time of train, which a busy machine does not lengthen."""
    return fit.seconds


CHECKS = {check.__name__: check for check in (
    rmse, r2, coverage, coverage_excess, mean_sd, max_sd, min_sd, smallest, values, difference, ratio, covariance, accuracy, log_loss, kl, kl_excess, noise, evidence,
    loo_r2, loo_excess, inputs, period, season, seasons, warns, seconds)}

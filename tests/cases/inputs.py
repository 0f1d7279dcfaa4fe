"""Tables of a case: columns by formulas or by lists, with noise that depends on the seed, the table and the column alone."""
import csv
import math
import random
import re

FUNCTIONS = {name: getattr(math, name) for name in ("sin", "cos", "tan", "exp", "log", "sqrt", "floor", "pi")}
FUNCTIONS.update(abs=abs, min=min, max=max, round=round, sigmoid=lambda value: 1 / (1 + math.exp(-value)))
MANY = re.compile(r"(\w+)\[(\w+)\]$")


def poisson(draw, mean):
    """Counts the arrivals within one unit of time."""
    count, left = 0, mean + math.log(1 - draw.random())
    while left > 0:
        count += 1
        left += math.log(1 - draw.random())
    return count


def value_of(formula, names):
    """Evaluates a formula of a case file; anything but text is its own value."""
    return eval(formula, {"__builtins__": {}, **FUNCTIONS}, names) if isinstance(formula, str) else formula


def draws(seed, table, column):
    """Random functions of a column. random() repeats on every version of Python, so normal numbers are made of it."""
    draw = random.Random(f"{seed}/{table}/{column}")

    def normal(sd=1.0):
        return sd * math.sqrt(-2 * math.log(1 - draw.random())) * math.cos(2 * math.pi * draw.random())

    return {
        "normal": normal,
        "uniform": lambda least=0.0, most=1.0: least + (most - least) * draw.random(),
        "chance": lambda probability: draw.random() < probability,
        "poisson": lambda mean: poisson(draw, mean),
    }


def expanded(columns, parameters):
    """Writes "x[3]" as x1, x2 and x3; in place of 3 there can be a parameter."""
    for name, formula in columns.items():
        many = MANY.match(name)
        if many:
            yield from ((f"{many[1]}{k + 1}", formula) for k in range(value_of(many[2], parameters)))
        else:
            yield name, formula


def make_table(columns, rows, parameters, seed, table):
    """Columns by name. A formula knows its row i of n, the parameters of the case and the columns before its own."""
    made = {}
    for name, formula in expanded(columns, parameters):
        if isinstance(formula, list):
            made[name] = list(formula)
            rows = len(formula)
            continue
        names = {**parameters, **draws(seed, table, name), "n": rows}
        values = []
        for i in range(rows):
            values.append(value_of(formula, {**names, **{other: made[other][i] for other in made}, "i": i}))
        made[name] = values
    return made


def write_csv(path, table, names):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows(zip(*(table[name] for name in names)))


def read_csv(path):
    """Columns by name; cells are numbers where they can be."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return {name: [number_or_text(row[at]) for row in rows[1:]] for at, name in enumerate(rows[0])}


def number_or_text(cell):
    try:
        return float(cell)
    except ValueError:
        return cell

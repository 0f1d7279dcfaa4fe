"""The small tables behind the golden models: `python3 tests/golden/tables.py FOLDER` writes them, always the same."""
import math
import random
import sys


def normal(draw):
    return sum(draw.random() for _ in range(12)) - 6


def inputs(draw):
    return draw.random(), 100 + 100 * draw.random(), 3 * (2 * draw.random() - 1)


def function(a, b, c):
    return math.sin(5 * a) + 0.01 * (b - 150) * c


def labelled_row(draw):
    """Inputs, and a target of each kind: number, one of three classes, of two, and a count."""
    a, b, c = inputs(draw)
    f = function(a, b, c)
    noisy = f + 0.3 * normal(draw)
    kind = "low" if noisy < -0.2 else "mid" if noisy < 0.7 else "high"
    count = round(math.exp(1 + 0.6 * f) * (0.7 + 0.6 * draw.random()))
    y, two = 20 + 10 * (f + 0.1 * normal(draw)), "yes" if noisy > 0.3 else "no"
    return f"{a:.6f},{b:.4f},{c:.6f},{y:.6f},{kind},{two},{count}"


def labelled(rows, seed):
    draw = random.Random(seed)
    return ["a,b,c,y,kind,two,count"] + [labelled_row(draw) for _ in range(rows)]


def unlabelled(rows, seed):
    draw = random.Random(seed)
    lines = ["{:.6f},{:.4f},{:.6f}".format(*inputs(draw)) for _ in range(rows - 2)]
    return ["a,b,c"] + lines + ["1.9,260,-7.5", "0,0,0"]  # outside the training range


def mixed(rows, seed, with_target):
    """Categories, gaps and a key."""
    draw = random.Random(seed)
    lines = ["id,colour,size,weight" + (",y" if with_target else "")]
    for i in range(rows):
        colour = draw.choice(["blue", "green", "red"] + ([] if with_target else ["violet"]))
        size, weight = draw.random(), 5 * draw.random()
        target = f",{2 * size + {'blue': 0, 'green': 1}.get(colour, 3) + 0.1 * weight + 0.1 * normal(draw):.6f}"
        gap = i % 7 == 3
        cells = f"r{i},{colour},{'' if gap else format(size, '.6f')},{weight:.6f}"
        lines.append(cells + (target if with_target else ""))
    return lines


def many_classes(rows, classes, seed):
    draw = random.Random(seed)
    lines = ["a,b,c,kind"]
    for i in range(rows):
        a, b, c = inputs(draw)
        lines.append(f"{a:.6f},{b:.4f},{c:.6f},k{i % classes:03d}")
    return lines


def sparse(rows, classes, seed):
    """LIBSVM rows of 60 counts, six of them there; each class has columns of its own."""
    draw = random.Random(seed)
    lines = []
    for i in range(rows):
        kind = i % classes
        columns = set(draw.sample(range(1 + 15 * kind, 21 + 15 * kind), 4)) | set(draw.sample(range(1, 61), 2))
        lines.append(f"{kind + 1} " + " ".join(f"{j}:{1 + draw.randrange(4)}" for j in sorted(columns)))
    return lines


TABLES = {
    "table.csv": lambda: labelled(60, 1),
    "short.csv": lambda: labelled(24, 2),
    "new.csv": lambda: unlabelled(12, 3),
    "many.csv": lambda: unlabelled(300, 4),
    "mixed.csv": lambda: mixed(48, 5, True),
    "mixed_new.csv": lambda: mixed(16, 6, False),
    "classes.csv": lambda: many_classes(160, 128, 7),
    "few.csv": lambda: unlabelled(4, 8),
    "sparse.libsvm": lambda: sparse(60, 3, 9),
    "sparse_two.libsvm": lambda: sparse(40, 2, 10),
    "sparse_new.libsvm": lambda: sparse(12, 3, 11),
}


def write_tables(folder):
    for name, lines in TABLES.items():
        with open(f"{folder}/{name}", "w", newline="\n") as file:
            file.write("\n".join(lines()) + "\n")


if __name__ == "__main__":
    write_tables(sys.argv[1])

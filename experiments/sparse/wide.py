#!/usr/bin/env python3
"""A wide sparse LIBSVM file: 100,000 rows, 1,000,000 inputs, 100 nonzeros a row, two classes that differ in which
inputs a fifth of the nonzeros come from. Usage: wide.py OUT.libsvm [ROWS [INPUTS [NONZEROS]]]"""
import random
import sys


def main():
    if not 2 <= len(sys.argv) <= 5:
        sys.exit(__doc__)
    rows, inputs, nonzeros = (int(sys.argv[i]) if len(sys.argv) > i else n
                              for i, n in ((2, 100000), (3, 1000000), (4, 100)))
    draw = random.Random(1).random
    telling = max(nonzeros, inputs // 100)
    if 2 * telling > inputs:
        sys.exit("wide.py: INPUTS must be at least twice NONZEROS")
    with open(sys.argv[1], "w") as out:
        for i in range(rows):
            label = i % 2
            places = {int((label + draw()) * telling) for _ in range(nonzeros // 5)}
            while len(places) < nonzeros:
                places.add(int(draw() * inputs))
            out.write("%d %s\n" % (label + 1, " ".join("%d:%.2f" % (j + 1, draw() + 0.01) for j in sorted(places))))
        # The last input always occurs, so that the file has its nominal width.
        out.write("1 %d:1\n" % inputs)


if __name__ == "__main__":
    main()

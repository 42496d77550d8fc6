"""A survey with cells missing at random: pairwise against midpoint filling, at the same budget.

  python3 bench/utility/missing.py build/release/bin/eigenveil [releases] [rows]

Made-up rows (income, age, hours, schooling), a tenth of the cells of each column missing at random. Printed: the mean released variance of income and slope of income on schooling of both ways over
the releases, beside the value of the complete rows; and in how many releases the 95% intervals of the pairwise way hold what the available cases of the raw rows give, with exact binomial limits (1e-6
on each side for each of three numbers)."""

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

BOUNDS = {"income": (0, 150_000), "age": (18, 90), "hours": (0, 80), "schooling": (0, 25)}
BUDGET = ("--epsilon", "1", "--delta", "1e-6")


def survey(rows, random):
    schooling = np.clip(random.normal(13, 3, rows), 0, 25)
    age = np.clip(random.normal(45, 14, rows), 18, 90)
    hours = np.clip(random.normal(36, 9, rows), 0, 80)
    income = np.clip(-4_000 + 2_200 * schooling + 120 * age + 150 * hours + random.normal(0, 10_000, rows), 0, 150_000)
    return np.column_stack([income, age, hours, schooling])


def available(table, i, j):
    both = ~np.isnan(table[:, i]) & ~np.isnan(table[:, j])
    x, y = table[both, i], table[both, j]
    return np.mean(x * y) - np.mean(x) * np.mean(y)


def binomial_limits(runs, chance, alpha):
    below, fewest = 0.0, 0
    chances = [math.comb(runs, k) * chance**k * (1 - chance) ** (runs - k) for k in range(runs + 1)]
    while below + chances[fewest] <= alpha:
        below += chances[fewest]
        fewest += 1
    above, most = 0.0, runs
    while above + chances[most] <= alpha:
        above += chances[most]
        most -= 1
    return fewest, most


def run(program, *arguments):
    return subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def estimates(program, table, bounds, folder, way):
    out = folder + "/" + way
    run(program, "covariance", table, "--bounds", bounds, *BUDGET, "--missing", way, "--quiet", "--out", out, "--replace")
    moments = json.loads(run(program, "analyse", "moments", out, "--json"))
    slope = json.loads(run(program, "analyse", "regress", out, "--response", "income", "--predictors", "schooling", "--about", "raw", "--json"))
    return {"variance": (moments["values"][0][0], moments["standard_errors"][0][0]),
            "correlation": (moments["correlations"][0][3], moments["correlation_standard_errors"][0][3]),
            "slope": (slope["coefficients"][-1], slope["standard_errors"][-1])}


def main():
    program = sys.argv[1]
    releases = int(sys.argv[2]) if len(sys.argv) > 2 else 400
    rows = int(sys.argv[3]) if len(sys.argv) > 3 else 20_000
    random = np.random.default_rng(1)
    complete = survey(rows, random)
    gaps = complete.copy()
    gaps[random.random(gaps.shape) < 0.1] = np.nan
    exact = np.cov(complete.T, bias=True)
    truth = {"variance": exact[0, 0], "correlation": exact[0, 3] / math.sqrt(exact[0, 0] * exact[3, 3]), "slope": exact[0, 3] / exact[3, 3]}
    raw = {"variance": available(gaps, 0, 0), "slope": available(gaps, 0, 3) / available(gaps, 3, 3),
           "correlation": available(gaps, 0, 3) / math.sqrt(available(gaps, 0, 0) * available(gaps, 3, 3))}
    with tempfile.TemporaryDirectory() as folder:
        table, bounds = folder + "/survey.csv", folder + "/bounds.csv"
        lines = [",".join("" if np.isnan(cell) else f"{cell:.17g}" for cell in row) for row in gaps]
        Path(table).write_text(",".join(BOUNDS) + "\n" + "\n".join(lines) + "\n")
        Path(bounds).write_text("column,low,high\n" + "".join(f"{name},{low},{high}\n" for name, (low, high) in BOUNDS.items()))
        found = {way: [estimates(program, table, bounds, folder, way) for _ in range(releases)] for way in ("pairwise", "midpoint")}
    fewest, most = binomial_limits(releases, 0.95, 1e-6)
    print(f"{rows} rows, a tenth of the cells missing, (1, 1e-6), {releases} releases; 95% of them: {fewest} to {most}")
    print(f"{'':12}{'complete rows':>15}{'pairwise':>15}{'midpoint':>15}{'intervals hold':>16}")
    for name in truth:
        mean = {way: np.mean([one[name][0] for one in all]) for way, all in found.items()}
        held = sum(abs(one[name][0] - raw[name]) <= 1.959964 * one[name][1] for one in found["pairwise"])
        print(f"{name:12}{truth[name]:15.5g}{mean['pairwise']:15.5g}{mean['midpoint']:15.5g}{held:16d}{'' if fewest <= held <= most else '   OUTSIDE'}")


main()

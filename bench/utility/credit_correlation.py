"""Components of correlations of the credit records at (1, 1e-6): dictionary bounds against private ones, beside the old way (columns scaled by their ranges).

    EIGENVEIL_DATA=... python3 bench/utility/credit_correlation.py build/release/bin/eigenveil [repetitions]

Private bounds spend a tenth of mu on histograms (1/100 of the Gaussian budget), and the release has what is left: both together meet (1, 1e-6). Printed, median over the repetitions: how many of eight
components are told from noise, and the overlap |U'V|_F^2 / k with the exact components of the 23 standardised columns for k = 2 and 3; for the old way with those of the scaled columns."""

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import tables
from components_of_credit import COLUMNS

NAMES = [name for name, _, _ in COLUMNS]


def run(program, *arguments):
    return subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def mu_of(program, *budget):
    """What a budget is worth: noise falls with mu."""
    sd = [json.loads(run(program, "plan", "pca", "--rows", 30000, "--dimension", 2, "--range", "0:1", *one, "--json"))["noise_sd_diagonal"] for one in (("--mu", 1), budget)]
    return sd[0] / sd[1] * (1 - 1e-9)


def release(program, path, bounds, budget, folder, *flags):
    out = Path(folder) / "out"
    run(program, "pca", path, "-k", 8, "--bounds", bounds, "--columns", ",".join(NAMES), *budget, *flags, "--quiet", "--out", out, "--replace")
    document = json.loads((out / "release.json").read_text())
    loadings = np.genfromtxt(out / "loadings.csv", delimiter=",", skip_header=1, dtype=str)[:, 1:].astype(float)
    return 8 - len(document["result"]["below_noise"]), loadings, document["result"].get("left_out_columns", [])


def private_bounds(program, path, mu, folder):
    out = Path(folder) / "bounds"
    run(program, "bounds", "private", path, "--columns", ",".join(NAMES), "--mu", mu, "--outside", 0.01, "--quiet", "--out", out, "--replace")
    lines = [line.split(",") for line in (out / "bounds.csv").read_text().splitlines()[1:]]
    public = {name: (low, high) for name, low, high in COLUMNS}
    text = "column,low,high\n"
    for name, low, high in lines:  # what noise hides has its line filled in from the dictionary
        low, high = public[name] if "nan" in (low, high) else (low, high)
        text += f"{name},{low},{high}\n"
    (Path(folder) / "private.csv").write_text(text)
    return Path(folder) / "private.csv"


def overlap(loadings, exact, k):
    return np.linalg.norm(loadings[:, :k].T @ exact[:, :k]) ** 2 / k


def main():
    path = tables.DATA / "credit-default" / "UCI_Credit_Card.csv"
    if not path.exists():
        print(f"SKIPPED: {path} is not there")
        return
    program, repetitions = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20
    rows = np.loadtxt(path, delimiter=",", skiprows=1, usecols=range(1, 24))
    _, low, high = map(np.array, zip(*COLUMNS))
    correlation = np.linalg.eigh(np.corrcoef(rows.T))[1][:, ::-1]
    scaled = np.linalg.eigh(np.cov(((2 * np.clip(rows, low, high) - low - high) / (high - low)).T))[1][:, ::-1]
    approx = ("--epsilon", 1, "--delta", "1e-6")
    mu = mu_of(program, *approx)
    with tempfile.TemporaryDirectory() as folder:
        dictionary = Path(folder) / "dictionary.csv"
        dictionary.write_text("column,low,high\n" + "".join(f"{name},{a},{b}\n" for name, a, b in COLUMNS))
        ways = {
            "scaled by ranges, dictionary bounds": (lambda: dictionary, approx, ["--standardize"], scaled),
            "--correlation, dictionary bounds": (lambda: dictionary, approx, ["--correlation"], correlation),
            "--correlation, private bounds": (lambda: private_bounds(program, path, 0.1 * mu, folder), ("--mu", mu * math.sqrt(0.99)), ["--correlation"], correlation),
        }
        print(f"credit records, 30000 x 23, (1, 1e-6), {repetitions} releases each, medians")
        print(f"{'':38}{'told of 8':>10}{'overlap k=2':>13}{'k=3':>7}   left out")
        for name, (bounds, budget, flags, exact) in ways.items():
            found = [release(program, path, bounds(), budget, folder, *flags) for _ in range(repetitions)]
            told, two, three = (np.median(values) for values in zip(*[(t, overlap(l, exact, 2), overlap(l, exact, 3)) for t, l, _ in found]))
            print(f"{name:38}{told:10.0f}{two:13.3f}{three:7.3f}   {np.median([len(x) for _, _, x in found]):.0f}")


if __name__ == "__main__":
    main()

"""Components of a released covariance against those of the raw rows, on the credit records: do the limits of `analyse pca` cover, and are its verdicts those of `pca`?

    build/venv/bin/python bench/utility/components_of_credit.py build/release/bin/eigenveil [releases]

Release i of `covariance`, `pca` and `mask` has seed i, so that covariance and pca have the same noise. SKIPPED without the records (EIGENVEIL_DATA)."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import tables

COMPONENTS = 5
COLUMNS = (
    [("LIMIT_BAL", 0, 1_000_000), ("SEX", 1, 2), ("EDUCATION", 0, 6), ("MARRIAGE", 0, 3), ("AGE", 18, 100)]
    + [(f"PAY_{i}", -2, 8) for i in range(1, 7)] + [(f"BILL_AMT{i}", -50_000, 500_000) for i in range(1, 7)] + [(f"PAY_AMT{i}", 0, 100_000) for i in range(1, 7)]
)
COMMON = ["--epsilon", "1", "--delta", "1e-6", "--columns", ",".join(name for name, _, _ in COLUMNS)]


def exact_variances(path, scaled):
    """Of the clipped rows, about their mean."""
    _, low, high = map(np.array, zip(*COLUMNS))
    rows = np.clip(np.loadtxt(path, delimiter=",", skiprows=1, usecols=range(1, 24)), low, high)
    if scaled:
        rows = (2 * rows - low - high) / (high - low)
    return np.linalg.eigvalsh(np.cov(rows.T, bias=True))[::-1][:COMPONENTS]


def run(program, *arguments):
    return subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def one_release(program, task, flags, path, bounds, seed, folder):
    """Variances, limits and verdicts of `analyse pca` on release `seed`."""
    out = folder + f"-{task}-{seed}"
    run(program, task, path, "--bounds", bounds, *COMMON, *flags, "--seed", seed, "--out", out)
    return json.loads(run(program, "analyse", "pca", out, "-k", COMPONENTS, "--json"))


def verdicts_of_pca(program, flags, path, bounds, seed):
    found = json.loads(run(program, "pca", path, "-k", COMPONENTS, "--bounds", bounds, *COMMON, *flags, "--seed", seed, "--json"))
    return [f"PC{j + 1}" in found["result"]["below_noise"] for j in range(COMPONENTS)]


def report(name, exact, found, same):
    variance, low, high, below = (np.array([f[key] for f in found]) for key in ("variance", "low", "high", "below_noise"))
    inside = (low <= exact) & (exact <= high)
    print(f"{name}: {len(found)} releases; all {COMPONENTS} limits cover at once in {inside.all(axis=1).sum()}" + ("" if same is None else f"; verdicts of pca with the same noise equal in {same}"))
    print("  component   exact variance   mean released   covered   told from noise   mean half width")
    for j in range(COMPONENTS):
        print(f"  PC{j + 1}         {exact[j]:14.5g}  {variance[:, j].mean():14.5g}  {inside[:, j].sum():7d}   {(~below[:, j]).sum():15d}   {((high - low)[:, j] / 2).mean():15.3g}")


def main():
    path = tables.DATA / "credit-default" / "UCI_Credit_Card.csv"
    if not path.exists():
        print(f"SKIPPED: {path} is not there")
        return
    program, releases = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 60
    with tempfile.TemporaryDirectory() as folder:
        bounds = pathlib.Path(folder) / "bounds.csv"
        bounds.write_text("column,low,high\n" + "".join(f"{name},{low},{high}\n" for name, low, high in COLUMNS))
        for flags, words in (([], "original units"), (["--standardize"], "scaled units")):
            exact = exact_variances(path, bool(flags))
            found = [one_release(program, "covariance", flags, path, bounds, seed, folder + "/" + words[:4]) for seed in range(1, releases + 1)]
            same = sum(verdicts_of_pca(program, flags, path, bounds, seed) == found[seed - 1]["below_noise"] for seed in range(1, releases + 1))
            report(f"covariance, {words}", exact, found, same)
            for method in ("gauss", "mask"):
                flagged = [*flags, "--intercept", "--factor-only", "--method", method]
                found = [one_release(program, "mask", flagged, path, bounds, seed, folder + "/" + words[:4] + method) for seed in range(1, releases + 1)]
                report(f"mask --method {method}, {words}", exact, found, None)


if __name__ == "__main__":
    main()

"""A table of people with 1 to 50 rows each: noise for whole people with --person against groups of 50 rows.

  python3 bench/utility/persons.py build/release/bin/eigenveil [people]

Half of the people have 5 rows or fewer. Printed for G = 2, 5, 10 and 50 rows kept of everybody: the standard deviation of the noise on a variance of the released covariance, and its error against that
of all rows; beside it --group-size 50, which is what protects a person with 50 rows without the stage. (1, 1e-6)."""

import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np


def covariance(program, table, folder, *flags):
    out = Path(folder) / "out"
    subprocess.run([program, "covariance", table, "--columns", "a,b,c", "--range", "-4:4", "--epsilon", "1", "--delta", "1e-6", *map(str, flags), "--quiet", "--out", str(out), "--replace"], check=True, stdout=subprocess.DEVNULL)
    document = json.loads((out / "release.json").read_text())
    with open(out / "covariance_raw.csv") as file:
        values = np.array([row[1:] for row in list(csv.reader(file))[1:]], dtype=float)
    return document["result"]["entry_noise_sd_diagonal_scaled"], values


def main():
    program, people = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20_000
    random = np.random.default_rng(2)
    counts = np.clip(np.round(np.exp(random.normal(1.6, 1.1, people))), 1, 50).astype(int)
    own = random.normal(0, 0.6, (people, 3))
    who = np.repeat(np.arange(people), counts)
    rows = own[who] + random.normal(0, 0.8, (len(who), 3)) @ np.array([[1, 0.5, 0], [0, 1, 0.3], [0, 0, 1]])
    order = random.permutation(len(who))
    who, rows = who[order], np.clip(rows[order], -4, 4)
    exact = np.cov(rows.T, bias=True)
    with tempfile.TemporaryDirectory() as folder:
        table = folder + "/visits.csv"
        Path(table).write_text("who,a,b,c\n" + "".join(f"p{w},{a:.6f},{b:.6f},{c:.6f}\n" for w, (a, b, c) in zip(who, rows)))
        print(f"{people} people, {len(who)} rows, 1 to 50 each (median {np.median(counts):.0f}), (1, 1e-6)")
        print(f"{'':28}{'rows kept':>10}{'noise sd, scaled':>18}{'|error|_F / |Cov|_F':>21}")
        old, values = covariance(program, table, folder, "--group-size", 50)
        print(f"{'--group-size 50':28}{1.0:10.0%}{old:18.5f}{np.linalg.norm(values - exact) / np.linalg.norm(exact):21.3f}")
        for most in (2, 5, 10, 50):
            sd, values = covariance(program, table, folder, "--person", "who", "--rows-per-person", most)
            kept = np.minimum(counts, most).sum() / len(who)
            print(f"{f'--person, first {most}':28}{kept:10.0%}{sd:18.5f}{np.linalg.norm(values - exact) / np.linalg.norm(exact):21.3f}")


main()

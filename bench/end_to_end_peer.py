#!/usr/bin/env python3
"""`eigenveil covariance` against np.load + X.T @ X + eigh on the same file, in one run.

Usage: end_to_end_peer.py [EIGENVEIL [ROWS COLUMNS REPETITIONS]], by default the program of this tree. Needs
numpy: where it is missing, the virtual environment of scripts/run-benchmarks is used. The file is in the page
cache for both.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = ROOT / "build/bench-venv/bin/python"
try:
    import numpy as np
except ImportError:
    if not PYTHON.exists() or sys.prefix == str(PYTHON.parent.parent):
        sys.exit("numpy is missing: scripts/run-benchmarks makes build/bench-venv with it")
    os.execv(PYTHON, [str(PYTHON), *sys.argv])


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main():
    eigenveil = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/release/bin/eigenveil")
    rows, columns, repetitions = (int(text) for text in (sys.argv[2:5] if len(sys.argv) > 4 else (100_000, 500, 7)))
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.npy"
        np.save(table, np.random.default_rng(1).uniform(-1, 1, (rows, columns)))

        def peer():
            x = np.load(table)
            np.linalg.eigh(x.T @ x)

        def ours():
            subprocess.run(
                [eigenveil, "covariance", str(table), "--range=-1:1", "--epsilon", "1", "--delta", "1e-6",
                 "--people", str(rows), "--out", str(Path(folder) / "out"), "--replace"],
                check=True, stdout=subprocess.DEVNULL)

        peer(), ours()  # warm the cache
        times = [(seconds(ours), seconds(peer)) for _ in range(repetitions)]
    mine, other = (statistics.median(column) for column in zip(*times))
    print(f"{'covariance end to end':<34}{'eigenveil s':>12}{'numpy s':>12}{'ratio':>8}   bar: at most 1.2")
    print(f"{f'n = {rows}, p = {columns}, NPY, warm':<34}{mine:>12.3f}{other:>12.3f}{mine / other:>8.2f}")


if __name__ == "__main__":
    main()

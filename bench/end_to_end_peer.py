"""`eigenveil covariance` against np.load + X.T @ X + eigh on the same file, in one run.

Usage: end_to_end_peer.py EIGENVEIL [ROWS] [COLUMNS] [REPETITIONS]. Needs numpy (scripts/run-benchmarks
makes a virtual environment for it). The file is in the page cache for both.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main():
    eigenveil = sys.argv[1]
    rows, columns, repetitions = (int(text) for text in (sys.argv[2:] + ["100000", "500", "7"][len(sys.argv) - 2 :]))
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.npy"
        np.save(table, np.random.default_rng(1).uniform(-1, 1, (rows, columns)))

        def peer():
            x = np.load(table)
            np.linalg.eigh(x.T @ x)

        def ours():
            subprocess.run(
                [eigenveil, "covariance", str(table), "--range=-1:1", "--epsilon", "1", "--delta", "1e-6",
                 "--out", str(Path(folder) / "out")],
                check=True, stdout=subprocess.DEVNULL)

        peer(), ours()  # warm the cache
        times = [(seconds(ours), seconds(peer)) for _ in range(repetitions)]
    mine, other = (statistics.median(column) for column in zip(*times))
    print(f"{'covariance end to end':<34}{'eigenveil s':>12}{'numpy s':>12}{'ratio':>8}   bar: at most 1.2")
    print(f"{f'n = {rows}, p = {columns}, NPY, warm':<34}{mine:>12.3f}{other:>12.3f}{mine / other:>8.2f}")


if __name__ == "__main__":
    main()

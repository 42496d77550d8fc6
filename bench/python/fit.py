#!/usr/bin/env python3
"""PrivatePCA.fit beside scikit-learn's PCA(svd_solver="covariance_eigh"): time, overhead of Python, peak memory.

    bench/python/fit.py [ROWS COLUMNS [REPETITIONS]]

measures the package of this tree (`make python`) in build/venv.
The two alternate in one process on one array, so that what else runs on the machine meets both; the ratio is the median of the pairs.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PYTHON = ROOT / "build/venv/bin/python"
os.environ["PYTHONPATH"] = str(ROOT / "build/release/python")  # of the process that measures memory too
sys.path.insert(0, os.environ["PYTHONPATH"])
if sys.prefix != str(PYTHON.parent.parent) and PYTHON.exists():
    os.execv(PYTHON, [str(PYTHON), *sys.argv])

import numpy as np  # noqa: E402
from sklearn.decomposition import PCA  # noqa: E402

import eigenveil  # noqa: E402
from eigenveil import _core  # noqa: E402


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


class Inside:
    """Time spent in the C++ calls of a fit."""

    CALLS = [("Session", "add_array"), ("Session", "finish")]

    def __init__(self):
        self.total = 0.0
        self.depth = 0
        for owner, name in self.CALLS:
            setattr(getattr(_core, owner), name, self.timed(getattr(getattr(_core, owner), name)))

    def timed(self, call):
        def wrapper(*arguments, **named):
            start = time.perf_counter()
            try:
                return call(*arguments, **named)
            finally:
                self.total += time.perf_counter() - start

        return wrapper


MEMORY = """
import sys, numpy as np, eigenveil
def memory(field):  # not ru_maxrss: a child inherits its parent's
    return next(1024 * int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(field))
n, p = map(int, sys.argv[1:])
X = np.random.default_rng(0).normal(size=(n, p))
eigenveil.PrivatePCA(10, mu=1, row_norm=5, anyway=True).fit(X[:2000, :20])          # libraries loaded, thread pools up
now = memory("VmRSS")
pca = eigenveil.PrivatePCA(10, mu=1, row_norm=np.sqrt(p), people=n).fit(X)
beyond = memory("VmHWM") - now
print(beyond / (8 * p * p), beyond / 2**20)
"""


def main():
    n, p = (int(v) for v in sys.argv[1:3]) if len(sys.argv) > 2 else (100_000, 500)
    repetitions = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    X = np.random.default_rng(0).normal(size=(n, p))
    ours = lambda: eigenveil.PrivatePCA(10, epsilon=1, delta=1e-6, row_norm=np.sqrt(p), people=n).fit(X)  # noqa: E731
    theirs = lambda: PCA(10, svd_solver="covariance_eigh").fit(X)  # noqa: E731
    ours(), theirs()
    pairs = np.array([(seconds(ours), seconds(theirs)) for _ in range(repetitions)])
    inside = Inside()
    share = []
    for _ in range(repetitions):
        inside.total = 0.0
        whole = seconds(ours)
        share.append((whole - inside.total) / whole)
    ratio = pairs[:, 0] / pairs[:, 1]
    print(f"n = {n}, p = {p}, {repetitions} pairs: PrivatePCA {np.median(pairs[:, 0]):.2f} s, scikit-learn {np.median(pairs[:, 1]):.2f} s,"
          f" ratio {np.median(ratio):.2f} [{ratio.min():.2f}, {ratio.max():.2f}] (bar 1.2)")
    print(f"time outside of C++: {100 * np.median(share):.2f}% (bar 5%)")
    done = subprocess.run([sys.executable, "-c", MEMORY, str(n), str(p)], capture_output=True, text=True, check=True, env=os.environ)
    squares, mebibytes = map(float, done.stdout.split())
    print(f"peak memory beyond the input: {squares:.1f} p^2 doubles, {mebibytes:.1f} MiB (bar 3 p^2 doubles)")


if __name__ == "__main__":
    main()

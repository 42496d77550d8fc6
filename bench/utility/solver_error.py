"""Searches for matrices on which LAPACK's symmetric and Hermitian solvers exceed the backward error that docs/proofs/double_precision.md assumes, 8 (d + 4) 2^-53 of the trace.

    build/venv/bin/python bench/utility/solver_error.py [seconds for each size]

The error is |U diag(w) U* - M|_F with U the orthonormal frame nearest to the computed vectors, in 80-bit arithmetic; printed in units of d 2^-53 tr M. Random graded tables, and changes of the worst eight so far.
Conversion of exact integers to doubles adds at most 4 2^-53 tr M to it."""

from __future__ import annotations

import sys
import time

import numpy as np
from scipy.linalg.lapack import dsyevd, zheevd

UNIT = np.longdouble(2) ** -53


def backward_error(moment):
    """Relative to d 2^-53 tr M: of the solver, and of the farthest computed vector from its orthonormal neighbour (in units of d 2^-53)."""
    complex_rows = np.iscomplexobj(moment)
    values, vectors, info = (zheevd if complex_rows else dsyevd)(moment, lower=0)
    assert info == 0
    computed = vectors.astype(np.clongdouble if complex_rows else np.longdouble)
    frame = computed
    for _ in range(3):  # Newton's iteration for the polar factor
        frame = frame @ (1.5 * np.eye(len(moment)) - 0.5 * (frame.conj().T @ frame))
    error = (frame * values.astype(np.longdouble)) @ frame.conj().T - moment
    unit = len(moment) * UNIT
    return float(np.linalg.norm(abs(error)) / (unit * np.trace(moment).real)), float(np.sqrt((abs(computed - frame) ** 2).sum(axis=0)).max() / unit)


def propose(rng, d, complex_rows, worst):
    if len(worst) < 8 or rng.uniform() < 0.3:
        rows = rng.normal(size=(d + 1, d)) + (1j * rng.normal(size=(d + 1, d)) if complex_rows else 0)
        rows = rows * 10.0 ** -rng.uniform(0, 10, size=d)
        return rows[:1] if rng.uniform() < 0.3 else rows
    rows = worst[rng.integers(len(worst))][1]
    return rows * (1 + 10.0 ** -rng.uniform(0, 16) * rng.normal(size=rows.shape))


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 20.0
    rng = np.random.default_rng(7)
    for d in (2, 3, 4, 10, 100):
        for complex_rows in (False, True):
            worst, turned, start, tried = [], 0.0, time.process_time(), 0
            while time.process_time() - start < seconds:
                rows = propose(rng, d, complex_rows, worst)
                moment = rows.conj().T @ rows
                moment = (moment + moment.conj().T) / 2
                if not 0 < np.trace(moment).real < np.inf:
                    continue
                error, vector = backward_error(moment)
                worst = sorted([*worst, (error, rows)], key=lambda item: -item[0])[:8]
                turned, tried = max(turned, vector), tried + 1
            print(f"d = {d:3d} {'complex' if complex_rows else 'real   '}  {tried:6d} matrices: error {worst[0][0]:.2f} d 2^-53 tr M, vectors {turned:.2f} d 2^-53; assumed {8 * (d + 4) / d:.1f}", flush=True)


if __name__ == "__main__":
    main()

"""The alpha ledger of the Python tests: the false-alarm rate of every test that looks at a random draw.

Most tests here are no statistics: a wrapper with a seed must give what the program gives with it, number by number, and laws are tested in C++.
What is left has a row here, a seed that is the hash of its name, and a limit that holds for every sample size. The rows add up with those of
tests/support/alpha_ledger.hpp to at most 1e-6 (test_ledger.py).
"""

import math

import numpy as np

ALPHA = {
    "python: bingham on the circle": 1e-9,
    "python: bingham of a matrix": 1e-9,
    "python: orbit of a projector": 1e-9,
    "python: gauss entries": 1e-9,
}


def seed_for(name):
    """FNV-1a, as in tests/support/seed.hpp: fixed, not chosen."""
    value = 0xCBF29CE484222325
    for letter in name.encode():
        value = (value ^ letter) * 0x100000001B3 % 2**64
    return value


def dkw_rejects(name, sample, cdf):
    """Two-sided Kolmogorov distance beyond sqrt(ln(2 / alpha) / 2n), which the right law exceeds with probability at most alpha (Massart)."""
    x = np.sort(sample)
    n = len(x)
    values = np.array([cdf(v) for v in x])
    distance = max((np.arange(1, n + 1) / n - values).max(), (values - np.arange(n) / n).max())
    return distance > math.sqrt(math.log(2 / ALPHA[name]) / (2 * n))


def gaussian_limit(name, sd, entries):
    """No one of so many Gaussian entries of this standard deviation is larger in size, but for probability alpha."""
    from scipy.stats import norm

    return sd * norm.isf(ALPHA[name] / (2 * entries))

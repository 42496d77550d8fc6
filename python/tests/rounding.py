"""How far two computations of one thing may be apart in doubles. Another BLAS kernel, layout, alignment or process sums in another order, so
no test compares results of BLAS or LAPACK bit by bit; exact sums and what is noised on the grid are compared exactly."""

import re

import numpy as np

UNIT = 2.0**-53


def assert_same_products(one, other, left, right):
    """``left @ right`` in two orders: each lies within gamma_n |left| |right| (Higham, Accuracy and Stability of Numerical Algorithms, 3.5)."""
    n = left.shape[1]
    gamma = n * UNIT / (1 - n * UNIT)
    assert (np.abs(one - other) <= 2 * gamma * (np.abs(left) @ np.abs(right))).all()


def assert_same_up_to_rounding(one, other, condition=1e6):
    """Two runs of a backward stable solver: each is exact for a matrix that is 8 d 2^-53 off, times how much the result amplifies that.

    For eigenvectors the amplification is the largest eigenvalue over the gap; the tables of these tests stay far below ``condition``.
    """
    one, other = np.asarray(one), np.asarray(other)
    assert one.shape == other.shape
    limit = 2 * 8 * max(one.shape, default=1) * UNIT * condition * max(1e-300, np.abs(other).max(initial=0.0))
    assert np.abs(one - other).max(initial=0.0) <= limit


_NUMBER = re.compile(r"(?<![\w.])-?\d+\.?\d*(?:e[+-]?\d+)?(?![\w.])")
_DIGEST = re.compile(r"\b[0-9a-f]{64}\b")


def assert_same_text(one, other):
    """Two texts with the same words; their numbers agree up to rounding, and checksums of them are not compared."""
    one, other = (_DIGEST.sub("", text) for text in (one, other))
    assert _NUMBER.sub("", one) == _NUMBER.sub("", other)
    for a, b in zip(_NUMBER.findall(one), _NUMBER.findall(other), strict=True):
        if a != b:  # a colour, #6e7882, is no number
            assert_same_up_to_rounding([float(a)], [float(b)])

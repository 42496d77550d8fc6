"""Bounds: what is known about a row without looking at one."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real

import numpy as np

from . import _core
from ._errors import EigenveilError, whole

DEFAULT_GRID = 1 << 18
_CENTER_HINT = " (center='private' pays for a private mean, center='none' takes the public midpoints)"

_MISSING = (
    "a bound on the rows is missing. Noise is scaled to the largest row the data could contain, and reading it off the data "
    "would leak. Give what you know without looking: bounds=(low, high) for all columns, bounds={column: (low, high)}, "
    "or row_norm=R."
)
_SHAPE = "bounds is a pair (low, high), a mapping from every column to its pair, or an array with one row (low, high) per column"


def make_bound(names, bounds=None, row_norm=None, center=None, grid=None, allele_frequencies=None):
    """The row bound for these columns; public parameters only.

    Parameters are those of :class:`PrivatePCA`; ``center`` is None or a public vector.
    """
    if bounds is None and row_norm is None:
        raise EigenveilError(_MISSING)
    grid = DEFAULT_GRID if grid is None else whole(grid, "grid", most=2**62)
    radius = None if row_norm is None else _real(row_norm, "row_norm")
    middle = None if center is None else _vector(center, names, "center")
    if allele_frequencies is not None:
        return _standardised(names, allele_frequencies, bounds, radius, middle, grid)
    if bounds is None:
        return _core.RowBound.row_norm(len(names), radius, grid, [] if middle is None else middle)
    low, high = _ranges(bounds, names)
    if middle is not None:
        # A public centre moves the midpoint: the range is widened to be symmetric about it.
        half = np.maximum(np.subtract(high, middle), np.subtract(middle, low))
        low, high = list(middle - half), list(middle + half)
    return _core.RowBound.ranges(low, high, radius, grid, list(names))


def bounded_names(bounds):
    """The columns that bounds speaks of: its names, or c1, c2, ... for as many pairs as it has; none where one pair is for all."""
    if isinstance(bounds, Mapping):
        return [str(name) for name in bounds]
    try:
        shape = np.shape(bounds)
    except ValueError:  # said where the bound is made
        return []
    return [f"c{j + 1}" for j in range(shape[0])] if len(shape) == 2 else []


def _standardised(names, frequencies, bounds, radius, middle, grid):
    is_genotype_range = bounds is None or (not isinstance(bounds, Mapping) and np.array_equal(np.asarray(bounds), (0, 2)))
    if middle is not None or not is_genotype_range:
        raise EigenveilError(
            "allele_frequencies centres and scales genotypes itself; give bounds=(0, 2) or row_norm=R beside it and no public center"
        )
    if grid == 1:
        raise EigenveilError("grid=1 would round standardised genotypes to zero; leave grid out beside allele_frequencies")
    if bounds is None:
        return _core.RowBound.row_norm(len(names), radius, grid, [])
    half = _core.standardised_ranges(list(names), _vector(frequencies, names, "allele_frequencies"))
    return _core.RowBound.ranges([-h for h in half], half, radius, grid)


def _real(value, what):
    if not isinstance(value, Real) or isinstance(value, bool):
        raise EigenveilError(f"{what} must be a number")
    return float(value)


def _by_name(mapping):
    """Columns are known by text: a frame's column 0 is "0"."""
    return {str(name): value for name, value in mapping.items()}


def _vector(values, names, what):
    """One number per column, by position or by name."""
    if isinstance(values, bool):
        raise EigenveilError(f"{what} must be a vector with one public number for each column{_CENTER_HINT if what == 'center' else ''}")
    if isinstance(values, Mapping):
        values = _by_name(values)
        absent = [name for name in names if name not in values]
        if absent:
            raise EigenveilError(f"{what} has no entry for column '{absent[0]}'")
        values = [values[name] for name in names]
    values = np.asarray(values, dtype=float).ravel()
    if len(values) != len(names):
        hint = _CENTER_HINT if what == "center" else ""
        raise EigenveilError(f"{what} must have one number for each of the {len(names)} columns{hint}")
    return [float(value) for value in values]


def _ranges(bounds, names):
    if isinstance(bounds, Mapping):
        bounds = _by_name(bounds)
        absent = [name for name in names if name not in bounds]
        if absent:
            raise EigenveilError(f"bounds has no entry for column '{absent[0]}'; add one, or choose columns")
        pairs = [bounds[name] for name in names]
    else:
        pairs = bounds
    try:
        pairs = np.asarray(pairs, dtype=float)
    except (TypeError, ValueError):
        raise EigenveilError(_SHAPE) from None
    if pairs.shape == (2,) and not isinstance(bounds, Mapping):
        pairs = np.tile(pairs, (len(names), 1))
    if pairs.shape != (len(names), 2):
        raise EigenveilError(_SHAPE)
    return [float(v) for v in pairs[:, 0]], [float(v) for v in pairs[:, 1]]

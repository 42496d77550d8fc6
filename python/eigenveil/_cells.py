"""Cells as numbers. What NumPy says about one it cannot read shows the cell, so no such message, nor its context, leaves this file."""

from __future__ import annotations

import numpy as np

NO_NUMBERS = "the table must hold numbers; argument must be a string or a number in every cell (the value is not shown)"


def numbers(block):
    """A block of rows as float64, in C order."""
    block = np.asarray(unmasked(np.asanyarray(block)))
    return np.array(block if block.dtype.kind in "fiub" else as_numbers(block), dtype=float, order="C")


def as_numbers(array):
    try:
        return array.astype(float)
    except Exception:
        pass
    # Outside the handler: NumPy's own message shows the cell, and must not stay behind in __context__.
    raise (TypeError if array.dtype == object else ValueError)(NO_NUMBERS)


def unmasked(data):
    """A masked cell is a missing one, whatever lies below the mask."""
    if isinstance(data, (list, tuple)) and any(np.ma.isMaskedArray(row) for row in data):
        data = np.ma.stack(data)  # NumPy would drop the masks
    if not np.ma.isMaskedArray(data):
        return data
    if data.dtype.kind == "c":
        return data.filled(complex(np.nan, np.nan))
    is_float = data.dtype.kind == "f" or data.dtype == object
    return (data if is_float else as_numbers(data)).filled(np.nan)

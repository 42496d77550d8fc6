"""How a table is described to the engine: public numbers become the keys of its description, and nothing is decided here."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _core
from ._engine import job_text, numbers, plain
from ._errors import EigenveilError

_SHAPE = "bounds is a pair (low, high), a mapping from every column to its pair, or an array with one row (low, high) per column"


def _names(what, value):
    if isinstance(value, str):
        raise EigenveilError(f"{what} is a list of names, not one name: {what}=['name']")
    return [str(name) for name in value]


def _columns_named(what, value):
    names = _names(what, value)
    if not names:
        raise EigenveilError(f"{what} names no column; leave it out for all of them")
    return names


def _column(what, value):
    return str(value)


def _categories(what, value):
    if not isinstance(value, Mapping):
        raise EigenveilError(f"{what} maps a column to the list of its categories, for example {{'sex': ['male', 'female']}}")
    return {str(column): [str(word) for word in words] for column, words in value.items()}


# Parameters that are keys of the description as they stand, and what may be said of them the engine says: a new stage needs a line here.
_KEYS = {
    "columns": _names, "exclude": _names, "missing": plain, "pairwise": _columns_named, "bad_cell": plain, "one_hot": _categories, "row_norm": plain, "grid": plain,
    "projected_norm": plain, "outside_norm": plain, "normalise_rows": plain, "person": _column, "rows_per_person": plain, "weights": _column, "weight_bound": plain,
}  # fmt: skip


def is_path(value):
    return isinstance(value, (str, os.PathLike))


def _by_name(mapping):
    """Columns are known by text: a frame's column 0 is "0"."""
    return {str(name): value for name, value in mapping.items()}


def _numbers(values, names, what):
    """A number for every column, by position or by name; None where positions have no names yet."""
    hint = " (center='private' pays for a private mean, center='none' takes the public midpoints)" if what == "center" else ""
    if isinstance(values, Mapping):
        return {name: plain(what, value) for name, value in _by_name(values).items()}
    try:
        values = np.asarray(values, dtype=float).ravel()
    except (TypeError, ValueError):
        raise EigenveilError(f"{what} must be a vector with one public number for each column{hint}") from None
    if names is None:
        return None
    if len(values) != len(names):
        raise EigenveilError(f"{what} must have one number for each of the {len(names)} columns{hint}")
    return dict(zip(names, numbers(what, values)))


def _ranges(bounds, names):
    """One pair for all columns, or a pair for every column: (key, value) of the description."""
    mapping = isinstance(bounds, Mapping)
    if mapping and not bounds:
        raise EigenveilError("bounds names no column: noise hid every range of private bounds; give outer=(low, high), public ranges or more budget")
    try:
        pairs = np.asarray(list(bounds.values()) if mapping else bounds, dtype=float)
    except (TypeError, ValueError):
        raise EigenveilError(_SHAPE) from None
    if not np.isfinite(pairs).all():
        raise EigenveilError("bounds must hold finite numbers")
    if pairs.shape == (2,) and not mapping:
        return "range", [float(v) for v in pairs]
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not (mapping or names is None or len(pairs) == len(names)):
        raise EigenveilError(_SHAPE)
    given = _by_name(bounds) if mapping else names if names is not None else [f"c{j + 1}" for j in range(len(pairs))]
    return "bounds", {name: [float(low), float(high)] for name, (low, high) in zip(given, pairs)}


def describe(estimator, names=None, like=None):
    """The description of a table by the parameters of an estimator.

    What is given by position has names once those of the columns are known; ``like`` is the description before.
    """
    given = {name: getattr(estimator, name, None) for name in _KEYS}
    spec: dict[str, Any] = {name: _KEYS[name](name, value) for name, value in given.items() if value is not None}
    if getattr(estimator, "standardize", False):
        spec["scaled"] = True
    if (getattr(estimator, "method_options", None) or {}).get("rank_transform"):
        spec["rank_transform"] = plain("rank_transform", estimator.method_options["rank_transform"])
    bounds, center, frequencies = (getattr(estimator, name, None) for name in ("bounds", "center", "allele_frequencies"))
    if isinstance(bounds, str) and ":" in bounds and not os.path.exists(bounds):
        raise EigenveilError(f"{_SHAPE}; a word is the path of a file, and there is none of this name")
    if is_path(bounds):
        spec["bounds"] = os.fsdecode(bounds)
    elif bounds is not None:
        key, value = _ranges(bounds, names)
        spec[key] = value
    if center is not None and not isinstance(center, str):
        if isinstance(center, bool):
            raise EigenveilError("center must be a public vector with one number per column (center='private' pays for a private mean)")
        spec["center"] = _numbers(center, names, "center")
    if is_path(frequencies):
        spec["allele_frequencies"] = os.fsdecode(frequencies)
    elif frequencies is not None:
        by_name = _numbers(frequencies, names, "allele_frequencies")
        spec["allele_frequencies"] = [] if by_name is None else [{"column": name, "frequency": value} for name, value in by_name.items()]
    basis = getattr(estimator, "project", None) if like is None else None
    if is_path(basis):
        spec["project"] = os.fsdecode(basis)
    described = _core.TableSpec(json.dumps({key: value for key, value in spec.items() if value is not None}), like)
    if basis is not None and not is_path(basis):
        _set_basis(described, basis)
    return described


def _set_basis(described, basis):
    """A frame whose index names the columns, or an array with a row for every column."""
    try:
        directions = np.asarray(basis, dtype=float)
    except (TypeError, ValueError):
        directions = np.empty(0)
    if directions.ndim != 2 or not directions.size:
        raise EigenveilError("project is a public basis: an array with a row for every column and a column for every direction, or a file of loadings")
    named = hasattr(basis, "index") and all(isinstance(name, str) for name in basis.index)
    described.set_basis(directions, list(basis.index) if named else [])


def word_cells(cells):
    """Cells for C++, which finds the one word of each by its value: None, floats, and text of everything else."""
    return [cell if cell is None else float(cell) if isinstance(cell, (float, np.floating)) else str(cell) for cell in cells]


@dataclass(frozen=True)
class Reading:
    """How rows are read; everything here is public."""

    spec: Any
    format: Any
    refuse_missing: bool = False
    refuse_bad: bool = True
    complex_rows: bool = False
    columns: list[str] = field(default_factory=list)
    exclude: list[str] = field(default_factory=list)
    appended: list[str] = field(default_factory=list)  # weights
    person: str = ""
    words: dict[str, list[str]] = field(default_factory=dict)  # text columns and the words that count
    label: tuple = ()  # a further column of words after the others, and its words

    def hashed(self, cells):
        """Cells that name people (None: nobody) as columns of numbers."""
        return self.spec.hashed(word_cells(cells))


def reading(estimator, like=None):
    """How the rows of an estimator's table are read."""
    if estimator.missing == "pairwise" and not hasattr(estimator, "pairwise"):
        raise EigenveilError("missing must be 'midpoint' or 'refuse'")
    words = {name: getattr(estimator, name) for name in ("header", "separator", "decimal", "encoding")}
    form = _core.TextFormat(job_text(words))
    spec = describe(estimator, like=like)
    columns, exclude, appended, person, words = spec.selection()
    return Reading(
        spec, form, estimator.missing == "refuse", estimator.bad_cell == "refuse",
        bool((getattr(estimator, "method_options", None) or {}).get("complex_rows")), columns, exclude, appended, person, dict(words),
    )  # fmt: skip

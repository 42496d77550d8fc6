"""How a table is described to the engine: public numbers become the keys of its description, and nothing is decided here."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np

from . import _core
from ._errors import EigenveilError, whole

SEPARATORS = ("comma", "semicolon", "tab", "pipe")
_WORDS = {"missing": ("midpoint", "refuse"), "bad_cell": ("refuse", "midpoint"), "header": ("auto", "present", "absent", "numbers"), "encoding": ("utf-8", "latin-1", "utf-16"), "decimal": (None, ",", ".")}
_SHAPE = "bounds is a pair (low, high), a mapping from every column to its pair, or an array with one row (low, high) per column"


def _real(value, what):
    if not isinstance(value, Real) or isinstance(value, bool) or not np.isfinite(value):
        raise EigenveilError(f"{what} must be a finite number")
    return float(value)


def _truth(value, what):
    if not isinstance(value, (bool, np.bool_)):
        raise EigenveilError(f"{what} must be True or False")
    return bool(value)


def _names(value, what):
    if isinstance(value, str):
        raise EigenveilError(f"{what} is a list of names, not one name: {what}=['name']")
    return [str(name) for name in value]


def _columns_named(value, what):
    names = _names(value, what)
    if not names:
        raise EigenveilError(f"{what} names no column; leave it out for all of them")
    return names


def _column(value, what):
    return str(value)


def _categories(value, what):
    if not isinstance(value, Mapping):
        raise EigenveilError(f"{what} maps a column to the list of its categories, for example {{'sex': ['male', 'female']}}")
    return {str(column): [str(word) for word in words] for column, words in value.items()}


def _count(value, what):
    return whole(value, what, 1, 2**62)


# Parameters that are keys of the description as they stand: a new stage of the engine needs a line here.
_KEYS = {
    "columns": _names, "exclude": _names, "missing": _column, "pairwise": _columns_named, "bad_cell": _column, "one_hot": _categories, "row_norm": _real, "grid": _count,
    "projected_norm": _real, "outside_norm": _real, "normalise_rows": _truth, "person": _column, "rows_per_person": _count, "weights": _column, "weight_bound": _real,
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
        return {name: _real(value, what) for name, value in _by_name(values).items()}
    try:
        values = np.asarray(values, dtype=float).ravel()
    except (TypeError, ValueError):
        raise EigenveilError(f"{what} must be a vector with one public number for each column{hint}") from None
    if names is None:
        return None
    if len(values) != len(names):
        raise EigenveilError(f"{what} must have one number for each of the {len(names)} columns{hint}")
    return {name: _real(value, what) for name, value in zip(names, values)}


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
    spec: dict[str, Any] = {name: _KEYS[name](value, name) for name, value in given.items() if value is not None}
    files = {}
    if getattr(estimator, "standardize", False):
        spec["scaled"] = True
    if (getattr(estimator, "method_options", None) or {}).get("rank_transform"):
        spec["rank_transform"] = _truth(estimator.method_options["rank_transform"], "rank_transform")
    bounds, center, frequencies = (getattr(estimator, name, None) for name in ("bounds", "center", "allele_frequencies"))
    if is_path(bounds):
        files["bounds"] = bounds
    elif bounds is not None:
        key, value = _ranges(bounds, names)
        spec[key] = value
    if center is not None and not isinstance(center, str):
        if isinstance(center, bool):
            raise EigenveilError("center must be a public vector with one number per column (center='private' pays for a private mean)")
        spec["center"] = _numbers(center, names, "center")
    if is_path(frequencies):
        files["allele_frequencies"] = frequencies
    elif frequencies is not None:
        by_name = _numbers(frequencies, names, "allele_frequencies")
        spec["allele_frequencies"] = [] if by_name is None else [{"column": name, "frequency": value} for name, value in by_name.items()]
    described = _core.TableSpec(json.dumps({key: value for key, value in spec.items() if value is not None}), like)
    for key, path in files.items():
        described.read(key, os.fsdecode(path))
    if like is None:
        _set_basis(described, getattr(estimator, "project", None))
    return described


def _set_basis(described, basis):
    """A file of loadings, a frame whose index names the columns, or an array with a row for every column."""
    if is_path(basis):
        described.read("project", os.fsdecode(basis))
    elif basis is not None:
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
    for name, words in _WORDS.items():
        if name == "missing" and hasattr(estimator, "pairwise"):
            words = (*words, "pairwise")
        if getattr(estimator, name) not in words:
            raise EigenveilError(f"{name} must be {' or '.join(map(repr, words))}")
    if getattr(estimator, "pairwise", None) is not None and estimator.missing != "pairwise":
        raise EigenveilError("pairwise names the columns of missing='pairwise'; give both")
    if estimator.separator not in (None, *SEPARATORS):
        raise EigenveilError(f"separator must be {' or '.join(map(repr, SEPARATORS))}")
    spec = describe(estimator, like=like)
    columns, exclude, appended, person, words = spec.selection()
    return Reading(
        spec, _core.TextFormat(estimator.header, estimator.separator or "", estimator.decimal or "", estimator.encoding), estimator.missing == "refuse", estimator.bad_cell == "refuse",
        bool((getattr(estimator, "method_options", None) or {}).get("complex_rows")), columns, exclude, appended, person, dict(words),
    )  # fmt: skip

"""Requests to the engine of the library, which knows methods, their options, defaults and refusals."""

from __future__ import annotations

import json
import os
from numbers import Integral, Real

import numpy as np

from . import _core
from ._errors import EigenveilError


def requested(task, method, options, **more):
    """What is asked for, as the keys of a job (docs/formats.md#jobs); ``options`` that are None were not given."""
    given = {name: plain(name, value) for name, value in options.items() if value is not None and name != "rank_transform"}
    files = {option.name for each in _core.methods() for option in each.options if option.is_private_file}
    request = {"task": task, "method": "" if method in (None, "auto") else str(method), "options": {k: v for k, v in given.items() if k not in files}, **more}
    return {
        "request": {name: value for name, value in request.items() if value is not None},
        "private_files": {name: value for name, value in given.items() if name in files},
    }


def job_text(job):
    """A job without what was not said; all of it is public."""
    return json.dumps({name: value for name, value in job.items() if value not in (None, "", [], {})})


def estimates(released, **question):
    """What the engine answers about a document, or about files of releases: lists of numbers as arrays."""
    ask = _core.estimate_from_files if isinstance(released, list) else _core.estimate
    return {name: _in_numpy(value) for name, value in json.loads(ask(released, json.dumps(question))).items()}


def _in_numpy(value):
    return value if not isinstance(value, list) or not value or isinstance(value[0], (str, bool)) else np.array(value, dtype=float)


def plain(name, value):
    """An option as the engine takes it: a truth, a number, a word, or a list of numbers."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return _finite(name, float(value))
    if isinstance(value, (str, os.PathLike)):
        return os.fsdecode(value)
    return numbers(name, value)


def numbers(name, values):
    """A list of numbers."""
    try:
        return [_finite(name, float(number)) for number in np.asarray(values, dtype=float).ravel()]
    except (TypeError, ValueError) as problem:
        raise problem if isinstance(problem, EigenveilError) else EigenveilError(f"{name} must be a number, a word or a list of numbers") from None


def _finite(name, value):
    if not np.isfinite(value):
        raise EigenveilError(f"{name} must be a finite number")
    return value


def shows_variances(method):
    """Whether a method releases variances along its directions; True of methods that the engine will refuse."""
    return all(each.shows_variances for each in _core.methods() if each.name == method)


def has_option(method, name):
    """Whether a method of this name has an option, for some task."""
    return any(option.name == name for each in _core.methods() if each.name == method for option in each.options)


def method_names(task=None):
    """Names of the methods, of one task or of all."""
    return [method.name for method in _core.methods() if task is None or task in method.tasks]


# What is shown as an attribute of its own, or stands in one.
_SHOWN = {
    "rows", "noisy_rows", "noisy_rows_sd", "noise_floor", "noisy_mean", "noise_edge", "below_noise", "clipped_to_largest_possible", "outcome", "null",
    "largest_possible_variance", "noisy_explained_variance", "noisy_explained_share", "noisy_total_variance", "noisy_eigenvalues",
    "variance_noise_sd", "entry_noise_sd_diagonal_scaled", "entry_noise_sd_off_diagonal_scaled", "sum_noise_sd_scaled",
}  # fmt: skip
_OF_A_SUBSPACE = ("groups", "rows_per_group", "noise_sd_diagonal", "parts")


def left_to_details(parameters, result):
    """Released numbers that no attribute shows, with the names of the document."""
    more = {name: parameters[name] for name in _OF_A_SUBSPACE if "groups" in parameters and name in parameters}
    return {**more, **{name: value for name, value in result.items() if name not in _SHOWN}}


def marked(names, count):
    """Components that a document lists by name (PC1, PC2, ...), as an array of truths."""
    return np.array([f"PC{j + 1}" in names for j in range(count)], dtype=bool)

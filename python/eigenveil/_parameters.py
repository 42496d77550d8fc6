"""Signatures of the estimators: parameters are stored as they are, and a wrong name is met with the right one."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Mapping

import numpy as np


def store_parameters(estimator, values):
    """The whole body of an ``__init__``: ``store_parameters(self, locals())``. scikit-learn reads the names from its signature."""
    for name, value in {**values, **values.get("shared", {})}.items():
        if name not in ("self", "__class__", "shared"):
            setattr(estimator, name, value)


# What other libraries call a parameter, and what a reader should know who brings it from there.
_ELSEWHERE = {
    "eps": "epsilon",
    "neighbors": "neighbours",
    "neighbor": "neighbours",
    "relation": "neighbours",
    "k": "n_components",
    "components": "n_components",
    "range": "bounds",
    "data_norm": "row_norm",
    "centered": "center",
    "n_jobs": "threads",
    "verbose": "progress",
    "random_state": "seed",
}
_SEED = " That is for tests and papers only: a seed makes the noise reproducible, so the result is NOT PRIVATE"


def unknown_parameter(what, name, known):
    """The refusal of a keyword that does not exist, with the one that was perhaps meant."""
    close = difflib.get_close_matches(name.lower(), known, 1)
    meant = _ELSEWHERE.get(name.lower()) if _ELSEWHERE.get(name.lower()) in known else (close[0] if close else None)
    hint = "" if meant is None else f"; did you mean '{meant}'?{_SEED if meant == 'seed' else ''}"
    return TypeError(f"{what} got an unexpected keyword argument '{name}'{hint}")


def shared_parameters(base, names=None):
    """For an ``__init__`` or a function with ``**shared``: parameters of ``base``, all or those named, stand in its signature as if written there.

    scikit-learn, ``help`` and notebooks read signatures, and two lists of twenty names would drift apart. An unknown name is refused with a suggestion.
    """

    def extend(function):
        own = inspect.signature(function).parameters
        of_base = inspect.signature(base.__init__).parameters.items()
        inherited = [p for name, p in of_base if name not in own and (names is None or name in names.split())]
        written = [p for p in own.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
        defaults = {p.name: p.default for p in inherited}
        known = [p.name for p in (*written, *inherited) if p.name != "self"]

        @functools.wraps(function)
        def extended(*args, **given):
            for name in given:
                if name not in known:
                    what = f"{type(args[0]).__name__}.__init__()" if "self" in own else f"{function.__name__}()"
                    raise unknown_parameter(what, name, known)
            return function(*args, **{**defaults, **given})

        extended.__signature__ = inspect.Signature([*written, *inherited])
        return extended

    return extend


def same(one, other):
    """Whether two values of a parameter are equal; arrays and containers of them included."""
    if one is other:
        return True
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return type(one) is type(other) and one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if hasattr(one, "equals"):
        return bool(one.equals(other))
    return bool(one == other) or bool(one != one and other != other)

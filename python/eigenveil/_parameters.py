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


def checked_names(init):
    """For an ``__init__`` that writes all its parameters out: an unknown one is refused with a suggestion."""
    known = [name for name in inspect.signature(init).parameters if name != "self"]

    @functools.wraps(init)
    def checked(self, *args, **given):
        for name in given:
            if name not in known:
                raise unknown_parameter(f"{type(self).__name__}.__init__()", name, known)
        init(self, *args, **given)

    return checked


def shared_parameters(base):
    """For an ``__init__(self, own, *, more, **shared)``: the parameters of ``base`` stand in its signature as if they were written there.

    scikit-learn, ``help`` and notebooks read signatures, and two lists of twenty names would drift apart.
    """

    def extend(init):
        own = inspect.signature(init).parameters
        inherited = [p for name, p in inspect.signature(base.__init__).parameters.items() if name not in own]
        written = [p for p in own.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
        defaults = {p.name: p.default for p in inherited}
        known = [p.name for p in (*written, *inherited) if p.name != "self"]

        @functools.wraps(init)
        def extended(self, *args, **given):
            for name in given:
                if name not in known:
                    raise unknown_parameter(f"{type(self).__name__}.__init__()", name, known)
            init(self, *args, **{**defaults, **given})

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

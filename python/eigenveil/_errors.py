"""The one exception of the package."""

from __future__ import annotations

import re
from numbers import Integral


class EigenveilError(ValueError):
    """A request that cannot be served. The message says what to give instead and never contains a value of a row.

    Attributes
    ----------
    code : str
        ``"bad-request"`` or ``"input-output"``.
    """

    def __init__(self, message: str, code: str = "bad-request"):
        super().__init__(message)
        self.code = code

    def __reduce__(self):
        return type(self), (self.args[0], self.code)


class NullReleaseError(EigenveilError):
    """The release is NULL: a legal outcome of some methods, with nothing to transform by. ``is_null_`` says so without an exception."""


def library_error(message: str, code: str) -> EigenveilError:
    """An error of the C++ library, in the words of Python."""
    return EigenveilError(in_python(message), code)


# What the library says and Python says otherwise; {} are parameters.
_PHRASES = {
    "{epsilon E} {delta D}": "epsilon=E with delta=D",
    "{epsilon 1} {delta 1e-6}": "epsilon=1, delta=1e-6",
    "must end in one of ": "must end in one of .parquet .feather ",
    "{separator} comma, semicolon, tab or pipe": "separator='comma', 'semicolon', 'tab' or 'pipe'",
    "{range LO:HI}, {bounds FILE} (per column; eigenveil bounds template INPUT writes one to fill in), or {row_norm R}": "bounds=(low, high) for all columns, bounds={column: (low, high)}, or row_norm=R.",
    "{range}, {bounds}": "bounds",
    "{range} or {bounds}, not both": "bounds",
    " {range 0:2} ": " bounds=(0, 2) ",
    "leave out {bounds} and a public {center}": "leave out a public center",
    " (names with commas: {columns} @FILE, one per line)": "",
    "give {out} another name": "give another name",
    "give the number of fields with {width P}, or name the columns c1, c2, ... with {columns} or in a bounds file": "give columns=['c1', 'c2', ...], or bounds with a pair for each column",
    "{header absent} with {width P}": "header='absent' with columns=['c1', 'c2', ...]",
    ", or {replace}": ", or replace=True",
    "give {out} a": "give a",
    "or {unbounded_time}": "or method_options={'unbounded_time': True}",
    "eigenveil ledger create makes one": "Ledger.create makes one",
    "{components} must satisfy 1 <= k": "n_components must satisfy 1 <= n_components",
    "a smaller {components}": "smaller n_components",
}


def in_python(message: str) -> str:
    """A sentence of the C++ library with the parameters of Python: ``{row_norm}`` is ``row_norm``, ``{method laplace}`` is ``method='laplace'``."""
    for said, instead in _PHRASES.items():
        message = message.replace(said, instead)
    return re.sub(r"\{([a-z][a-z0-9_]*)(?: ([A-Za-z0-9_.:-]+))?\}", _spelled, message)


_RENAMED = {"components": "n_components", "range": "bounds", "ledger_key": "key"}


def _spelled(found):
    name, value = _RENAMED.get(found[1], found[1]), found[2]
    if value is None:
        return name
    return f"{name}={value}" if re.fullmatch(r"[A-Z]|-?[\d.]+(?:e[+-]?\d+)?", value) else f"{name}='{value}'"


def whole(value, what, least=None, most=2**31 - 1):
    """A whole number, or a refusal: truncating 2.7 would protect less than was asked for."""
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise EigenveilError(f"{what} must be a whole number")
    if not (least is None or least <= value) or value > most:
        raise EigenveilError(f"{what} must be a whole number from {least} to {most}" if least is not None else f"{what} is too large")
    return int(value)


class PrivacyWarning(UserWarning):
    """Something that is easy to do and spends or weakens the guarantee."""


class ResultWarning(UserWarning):
    """A release that is what was asked for, and may not be what was meant."""


def missing_package(package, what, extra):
    """The sentence for an optional package that is not installed."""
    return EigenveilError(f"{what} needs the package {package}: pip install {package}, or pip install 'eigenveil[{extra}]'")

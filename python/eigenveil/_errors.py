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


# What the command line says and Python says otherwise.
_PHRASES = {
    "must end in one of ": "must end in one of .parquet .feather ",
    "--separator comma, semicolon, tab or pipe": "separator='comma', 'semicolon', 'tab' or 'pipe'",
    "; mask and gram partial turn words into columns with --one-hot": "; MaskedData turns words into 0/1 columns with one_hot",
    " (names with commas: --columns @FILE, one per line)": "",
    "plink --make-bed": "plink (option make-bed)",
    "give --out another name": "give another name",
    "give the number of fields with --width P, or name the columns c1, c2, ... with --columns or in a bounds file": "give columns=['c1', 'c2', ...], or bounds with a pair for each column",
    "--header absent with --width P": "header='absent' with columns=['c1', 'c2', ...]",
    ", or --replace": ", or replace=True",
    "give --out a": "give a",
    "or --unbounded-time": "or method_options={'unbounded_time': True}",
    "-k must satisfy 1 <= k": "n_components must satisfy 1 <= n_components",
    "a smaller -k": "smaller n_components",
    "another -k": "another n_components",
}
_OPTION = r"(?<![\w-])--([a-z][a-z0-9-]*)"


def in_python(message: str) -> str:
    """A sentence of the C++ library with the parameters of Python: ``{row_norm}`` is ``row_norm``, ``{method laplace}`` is ``method='laplace'``.

    Sentences that still speak of options are translated: ``--row-norm R`` is ``row_norm=R``.
    """
    message = re.sub(r"\{([a-z][a-z0-9_]*)(?: ([A-Za-z0-9_.:-]+))?\}", _spelled, message)
    for said, instead in _PHRASES.items():
        message = message.replace(said, instead)
    message = re.sub(_OPTION + r" ([A-Z0-9])(?![\w.])(?= --)", r"--\1 \2,", message)  # two options in a row
    message = re.sub(_OPTION + r" ([A-Z0-9])(?![\w.])", lambda found: f"{_name(found[1])}={found[2]}", message)
    message = re.sub(_OPTION.replace("([a-z][a-z0-9-]*)", "(aggregate|method|neighbours|bad-cell|calibration|header)") + _WORDS, _assigned, message)
    message = re.sub(r"(?<![\w-])--published\b", "calibration='published'", message)
    message = re.sub(_OPTION, lambda found: _name(found[1]), message)
    return re.sub(r"(?<![\w-])-k\b", "n_components", message)


_WORDS = r" (?!and\b|or\b|for\b|needs\b)([a-z]+(?:-[a-z]+)*)((?: or [a-z]+-[a-z]+)*)"  # zero-row or replace-one


_RENAMED = {"components": "n_components", "range": "bounds"}


def _spelled(found):
    name, value = _RENAMED.get(found[1], found[1]), found[2]
    if value is None:
        return name
    return f"{name}={value}" if re.fullmatch(r"[A-Z]|-?[\d.]+", value) else f"{name}='{value}'"


def _assigned(found):
    words = [found[2], *(word for word in found[3].split(" or ") if word)]
    return f"{_name(found[1])}=" + " or ".join(f"'{word}'" for word in words)


def _name(option):
    return option.replace("-", "_")


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

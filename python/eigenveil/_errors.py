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
    """An error of the C++ library, whose words are those of the command line, in the words of Python."""
    message = message.replace("must end in one of ", "must end in one of .parquet .feather ")
    message = re.sub(r"(?<![^\s(])--(aggregate|method|neighbours|bad-cell|calibration) (?!and|or)([a-z-]+)", _assignment, message)
    message = re.sub(r"(?<![^\s(])--published\b", "calibration='published'", message)
    message = re.sub(r"(?<!plink )(?<![^\s(])--([a-z][a-z0-9-]*)", lambda found: found[1].replace("-", "_"), message)
    return EigenveilError(re.sub(r"(?<![^\s(])-k\b", "n_components", message), code)


def _assignment(found):
    return f"{found[1].replace('-', '_')}='{found[2]}'"


def whole(value, what, least=None, most=2**31 - 1):
    """A whole number, or a refusal: truncating 2.7 would protect less than was asked for."""
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise EigenveilError(f"{what} must be a whole number")
    if not (least is None or least <= value) or value > most:
        raise EigenveilError(f"{what} must be a whole number from {least} to {most}" if least is not None else f"{what} is too large")
    return int(value)


class PrivacyWarning(UserWarning):
    """Something that is easy to do and spends or weakens the guarantee."""

"""The one exception of the package."""

from __future__ import annotations


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


class PrivacyWarning(UserWarning):
    """Something that is easy to do and spends or weakens the guarantee."""

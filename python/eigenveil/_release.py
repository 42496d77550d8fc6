"""A release that was written, read again."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._errors import EigenveilError, in_python, missing_package
from ._guarantee import stated


class FoundBounds(dict):
    """Ranges that a release found, and which: a ledger writes down that what uses them builds on it."""

    def __init__(self, release, ranges):
        super().__init__(ranges)
        self.release = release

    def __reduce__(self):
        return FoundBounds, (self.release, dict(self))


@dataclass(frozen=True)
class Release:
    """A release as it stands in its files, after every checksum was compared.

    Attributes
    ----------
    task, method : str
    guarantee : Guarantee
        What it promises.
    parameters, result : dict
        The fields of ``release.json``, in their order: what was public, and what was released.
    arrays : dict of ndarray
        The released tables by name, read-only; :meth:`frame` gives one with its names.
    is_null : bool
        Whether the method answered NULL; ``null_reason`` says why.
    files : dict of str
        Arrays too large for memory (pseudo-data), by name, and where they lie.
    format : int
        Of the document; ``version`` is that of the program that wrote it, ``checksum`` names the document.
    """

    task: str
    method: str
    guarantee: _core.Guarantee
    parameters: dict[str, Any]
    result: dict[str, Any]
    arrays: dict[str, NDArray[np.float64]]
    is_null: bool
    null_reason: str
    files: dict[str, str]
    format: int
    version: str
    checksum: str
    _document: Any = field(repr=False, compare=False, default=None)
    _settled: str = field(repr=False, compare=False, default="")  # hash of the document as a ledger has it

    def frame(self, name):
        """A released table as a pandas DataFrame with the names of its rows and columns.

        Parameters
        ----------
        name : str
            A key of ``arrays``.

        Returns
        -------
        pandas.DataFrame
        """
        try:
            import pandas
        except ImportError:
            raise missing_package("pandas", "frame", "pandas") from None
        rows, columns, _ = self._document.labels(name)
        return pandas.DataFrame(np.array(self.arrays[name]), index=rows, columns=columns)

    @property
    def bounds(self) -> dict[str, tuple[float, float]]:
        """Ranges by column, for ``bounds=`` of an estimator; of a release of :func:`private_bounds`. A column that noise hides has none."""
        if "bounds" not in self.arrays:
            raise AttributeError("bounds")
        names = self._document.labels("bounds")[0]
        return FoundBounds(self.checksum or self._settled, {name: (float(low), float(high)) for name, (low, high) in zip(names, self.arrays["bounds"]) if low == low})

    @property
    def row_norm(self) -> float | None:
        """The norm that few rows pass, for ``row_norm=`` of an estimator; of a release of :func:`private_bounds` with ``row_norm="private"``. None where noise hides it."""
        if self.task != "bounds" or list(self.bounds) not in ([], ["row_norm"]):
            raise AttributeError("row_norm")
        return self.bounds["row_norm"][1] if self.bounds else None

    @property
    def figures(self) -> dict[str, str]:
        """The pictures of the report as SVG, by title."""
        return dict(self._document.figures())

    def write_release(self, path, *, format="csv", replace=False, data_set="", date=""):
        """Write the release as :meth:`PrivatePCA.write_release` does.

        Parameters
        ----------
        path, format, replace, data_set, date
            As there.

        Returns
        -------
        list of str
            Names of the files.
        """
        if format not in ("csv", "npy") or self.files:
            raise EigenveilError("the arrays of this release lie in their files" if self.files else "format must be 'csv' or 'npy'")
        return self._document.write(os.fsdecode(path), format == "npy", bool(replace), str(data_set), str(date), 0, self._settled)

    def _lines(self):
        for label, words in self._document.summary:
            yield label, in_python(words)
        for name in self.arrays:
            yield name, self._document.labels(name)[2]
        for name in self.files:
            yield name, "in a file of its own"
        if self.is_null:
            yield "NULL", self.null_reason

    def __str__(self):
        lines = list(self._lines())
        width = max(len(what) for what, _ in lines)
        return "\n".join([f"Release of {self.task} by method {self.method}", *(f"  {what:<{width}}   {words}" for what, words in lines)])

    def _repr_html_(self) -> str:
        cells = "".join(f"<tr><th style='text-align:left'>{escape(what)}</th><td style='text-align:left'>{escape(words)}</td></tr>" for what, words in self._lines())
        table = f"<table><caption>Release of {escape(self.task)} by method {escape(self.method)}</caption><tbody>{cells}</tbody></table>"
        return table + "".join(self.figures.values())


def read_release(path):
    """A release that the program or :meth:`PrivatePCA.write_release` wrote. Refused when a file of it was changed.

    Parameters
    ----------
    path : path
        Its directory or ``release.json``, or the file of pseudo-data that lies beside it.

    Returns
    -------
    Release

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from eigenveil import PrivatePCA, read_release
    >>> pca = PrivatePCA(2, mu=1, bounds=(0, 1)).fit(np.random.default_rng(0).uniform(size=(500, 3)))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     names = pca.write_release(f"{folder}/out")
    ...     released = read_release(f"{folder}/out")
    >>> released.guarantee.loss, released.arrays["loadings"].shape
    (GDP(mu=1.0), (3, 2))
    """
    return released(*_core.read_release(os.fsdecode(path)))


def released(document, format=0, version="", checksum="", folder="", settled=""):
    """A document as the user sees it; of one that was not written, format 0 and no checksum."""
    reason = document.null_reason
    return Release(
        document.task, document.method, stated(document.guarantee, document.requested), document.parameters, document.result,
        {name: document.table(name) for name in document.tables}, bool(reason), reason,
        {name: os.path.join(folder, name) for name in document.streamed}, format, version, checksum, document, settled,
    )  # fmt: skip

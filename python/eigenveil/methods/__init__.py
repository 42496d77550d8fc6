"""Methods of the releases, one file each.

A method is a subclass of :class:`~.method.Method`; its plan has ``guarantee``, ``facts(request, rows, spectrum)``, ``release(request,
statistic, seed)`` and, where the statistic is not the exact Gram, ``accumulator(source, threads, seed)``. Adding one: write its file, list it
here, and, if it becomes the default of a task and budget, say so in ``default_method``.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

from .. import _core
from .._budget import is_pure
from .._errors import EigenveilError, in_python
from .exponential import EXPONENTIAL
from .mask import MASK, MASK_BY_GAUSS
from .moment import GAUSS, LAPLACE
from .oja import OJA
from .orbit import ORBIT
from .sharp import SHARP
from .spiked import SPIKED
from .spiked_robust import SPIKED_ROBUST
from .within import SUBSPACE


@dataclass(frozen=True)
class Request:
    """Everything public that a release depends on, beside the bound."""

    task: str
    budget: Any
    relation: str = "add-remove"
    group_size: int = 1
    components: int = 1
    private_mean: bool | None = False  # None: nothing was said, and choose_method decides
    scaled: bool = False
    variance_share: float | None = None
    within_subspace: int | None = None
    columns: tuple = ()
    rows: int | None = None  # public, where a method must know it before the rows are read
    intercept: bool = False  # masked data
    smallest_block: int | None = None
    given_options: Any = None  # as the user wrote them
    options: Any = None  # of the method, with its defaults
    warning: str = ""  # what a user should hear about this request; public


METHODS = (GAUSS, LAPLACE, EXPONENTIAL, ORBIT, SPIKED, SPIKED_ROBUST, OJA, SHARP, SUBSPACE, MASK_BY_GAUSS, MASK)


def default_method(request: Request) -> str:
    """The table of the README: what a task uses when nothing is said."""
    if request.task == "mask":
        return "gauss"
    if request.within_subspace is not None:
        return "subspace"
    if (request.given_options or {}).get("complex_rows"):
        return "orbit"
    if not is_pure(request.budget):
        return "gauss"
    if request.task == "covariance":
        return "laplace"
    return "exponential" if request.task == "pca" and request.components == 1 else "orbit"


def choose_method(name, request: Request):
    """The method of this name, or the default of the request, and the request with the method's options filled in."""
    serving = {method.name: method for method in METHODS if request.task in method.tasks}
    wanted = default_method(request) if name in (None, "auto") else name
    if wanted not in serving:
        raise EigenveilError(f"method '{wanted}' is not known; {request.task} has {', '.join(serving)}{_hint(wanted, serving)}")
    method = serving[wanted]
    if request.variance_share is not None and not method.takes_variance_share:
        raise EigenveilError(f"variance_share has no meaning for method {method.name}, which needs no split")
    if request.within_subspace is not None and method.name != "subspace":
        raise EigenveilError(f"within_subspace belongs to method subspace, not to {method.name}; leave one of them out")
    request = replace(request, options=_options(method, request.given_options))
    if request.private_mean is None and request.task != "mask":  # pseudo-data has an intercept instead
        subtracts = _core.subtracts_mean(method.name)
        is_centred = subtracts or getattr(request.options, "rank_transform", False)
        request = replace(request, private_mean=subtracts, warning="" if is_centred else in_python(_core.uncentred_warning(method.name)))
    return method, method.adjusted(request)


def takes_complex_rows(request):
    """Whether the columns of a request are pairs of real and imaginary parts."""
    return bool(getattr(getattr(request, "options", None), "complex_rows", False))


def _options(method, given):
    given = dict(given or {})
    for key in given:
        if key not in method.options:
            legal = ", ".join(method.options) or "none"
            raise EigenveilError(f"method {method.name} has no option '{key}'; it has: {legal}{_hint(key, method.options)}")
    if given.get("calibration", "tight") not in ("tight", "published"):
        raise EigenveilError("calibration must be 'tight' or 'published'")
    return SimpleNamespace(**{name: given.get(name, default) for name, default in method.options.items()})


def _hint(word, words):
    near = difflib.get_close_matches(str(word), list(words), 1)
    return f"; did you mean '{near[0]}'?" if near else ""

"""Methods of the releases, one file each.

A method is an object with ``name``, ``tasks``, ``budgets`` (words), ``plan(request, bound)`` and, on the plan it returns,
``guarantee``, ``facts(request, rows, spectrum)`` and ``release(request, gram)``. Adding one: write its file, list it here, and, if it
becomes the default of a task and budget, say so in ``default_method``.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Any

from .._budget import is_pure
from .._errors import EigenveilError
from .exponential import EXPONENTIAL
from .mask import MASK
from .moment import GAUSS, LAPLACE
from .orbit import ORBIT


@dataclass(frozen=True)
class Request:
    """Everything public that a release depends on, beside the bound."""

    task: str
    budget: Any
    relation: str = "add-remove"
    group_size: int = 1
    components: int = 1
    private_mean: bool = False
    scaled: bool = False
    variance_share: float | None = None


METHODS = {method.name: method for method in (GAUSS, LAPLACE, EXPONENTIAL, ORBIT, MASK)}

def default_method(request: Request) -> str:
    """The table of the README: what a task uses when nothing is said."""
    if request.task == "mask":
        return "mask"
    if not is_pure(request.budget):
        return "gauss"
    if request.task == "covariance":
        return "laplace"
    return "exponential" if request.task == "pca" and request.components == 1 else "orbit"


def choose_method(name, request: Request):
    """The method of this name, or the default of the request."""
    serving = [method for method in METHODS.values() if request.task in method.tasks]
    wanted = default_method(request) if name in (None, "auto") else name
    for method in serving:
        if method.name == wanted:
            if request.variance_share is not None and not method.takes_variance_share:
                raise EigenveilError(f"variance_share has no meaning for method {method.name}, which needs no split")
            return method
    names = [method.name for method in serving]
    near = difflib.get_close_matches(str(wanted), names, 1)
    hint = f"; did you mean '{near[0]}'?" if near else ""
    raise EigenveilError(f"method '{wanted}' is not known; {request.task} has {', '.join(names)}{hint}")

"""The cost before it is paid: noise, predicted error and guarantee from public numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ._bounds import make_bound
from ._budget import make_budget
from ._errors import EigenveilError
from .methods import Request, choose_method


@dataclass(frozen=True)
class Plan:
    """What a release would cost and show. No data was read.

    Attributes
    ----------
    task, method : str
    guarantee : Guarantee
        What the release would promise.
    row_norm : float
        The bound on a row, in scaled units.
    facts : dict
        Noise and predicted error, with the names of the command line's JSON; also available as attributes.
    """

    task: str
    method: str
    guarantee: Any
    row_norm: float
    facts: dict = field(default_factory=dict)

    def __getattr__(self, name):
        try:
            return self.__dict__["facts"][name]
        except KeyError:
            raise AttributeError(name) from None

    def __str__(self):
        lines = [f"Plan for {self.task} by method {self.method} (no data was read)", f"  guarantee   {self.guarantee}",
                 f"  in words    {self.guarantee.detection()}"]
        return "\n".join(lines + [f"  {name}   {value:.4g}" for name, value in self.facts.items()])


def _plan(task, rows, dimension, columns, components, spectrum, method, budget, bound, shape):
    if int(rows) < 1:
        raise EigenveilError("rows must be at least 1")
    names = [str(name) for name in columns] if columns is not None else [f"c{j + 1}" for j in range(int(dimension or 0))]
    if not names:
        raise EigenveilError("give dimension=P, or columns with the names")
    if not 1 <= components <= len(names):
        raise EigenveilError(f"n_components must satisfy 1 <= n_components <= {len(names)}, the number of columns")
    if spectrum is not None and len(np.ravel(spectrum)) != len(names):
        raise EigenveilError(f"spectrum must hold {len(names)} eigenvalues, one for every column")
    request = Request(task=task, budget=make_budget(**budget), components=int(components), **shape)
    chosen = choose_method(method, request)
    row_bound = make_bound(names, **bound)
    plan = chosen.plan(request, row_bound)
    return Plan(task, chosen.name, plan.guarantee, row_bound.radius, plan.facts(request, float(rows), spectrum))


def plan_pca(
    rows, dimension=None, *, n_components=1, columns=None, spectrum=None, method="auto", epsilon=None, delta=None, rho=None, mu=None,
    bounds=None, row_norm=None, center="none", neighbours="add-remove", group_size=1, standardize=False, grid=None, variance_share=None,
):
    """Noise, predicted error and guarantee of :class:`PrivatePCA`, before any data is read.

    Parameters
    ----------
    rows, dimension : int
        Assumed size of the table; ``columns`` (names) may be given instead of ``dimension``.
    n_components : int, default=1
    spectrum : array of shape (dimension,), optional
        Assumed eigenvalues of the covariance in scaled units, for the predicted error. From public knowledge, or the plan is for your
        eyes only.
    method, epsilon, delta, rho, mu, bounds, row_norm, center, neighbours, group_size, standardize, grid, variance_share
        As in :class:`PrivatePCA`.

    Returns
    -------
    Plan

    Examples
    --------
    >>> from eigenveil import plan_pca
    >>> plan = plan_pca(20000, 12, n_components=3, epsilon=1, delta=1e-6, bounds=(0, 10))
    >>> plan.method, round(plan.noise_sd_off_diagonal, 5)
    ('gauss', 0.00185)
    """
    private = isinstance(center, str) and center == "private"
    return _plan(
        "pca", rows, dimension, columns, n_components, spectrum, method,
        dict(epsilon=epsilon, delta=delta, rho=rho, mu=mu),
        dict(bounds=bounds, row_norm=row_norm, center=None if isinstance(center, str) else center, grid=grid),
        dict(relation=neighbours, group_size=group_size, private_mean=private, scaled=standardize, variance_share=variance_share),
    )


def plan_covariance(
    rows, dimension=None, *, columns=None, method="auto", epsilon=None, delta=None, rho=None, mu=None, bounds=None, row_norm=None,
    center="none", neighbours="add-remove", group_size=1, standardize=False, grid=None,
):
    """Noise and guarantee of :class:`PrivateCovariance`, before any data is read. Parameters as in :func:`plan_pca`.

    Returns
    -------
    Plan

    Examples
    --------
    >>> from eigenveil import plan_covariance
    >>> plan_covariance(1000, 4, epsilon=1, bounds=(0, 1)).method
    'laplace'
    """
    private = isinstance(center, str) and center == "private"
    return _plan(
        "covariance", rows, dimension, columns, 1, None, method,
        dict(epsilon=epsilon, delta=delta, rho=rho, mu=mu),
        dict(bounds=bounds, row_norm=row_norm, center=None if isinstance(center, str) else center, grid=grid),
        dict(relation=neighbours, group_size=group_size, private_mean=private, scaled=standardize),
    )

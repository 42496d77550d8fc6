"""What every method has."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from .._errors import EigenveilError


class Method:
    """One way to make the release of a task."""

    name = ""
    tasks: tuple[str, ...] = ()
    budgets = ""  # in words
    takes_variance_share = False
    options: dict = {}  # of its own, with their defaults; the names of the command line
    reads_twice = False  # and needs the public number of rows first

    def adjusted(self, request):
        """The request as the method understands it: some know one kind of units only."""
        return request

    def plan(self, request, bound):
        """Noise and guarantee from public facts alone; refuses what cannot be met."""
        raise NotImplementedError

    def model_radius(self, request, dimension):
        """A bound on the rows that the method's own public model gives; None: the user must give one."""
        return None


class Plan:
    """A plan whose statistic is the exact Gram: the plan of the library, and the bound it was made for."""

    def __init__(self, plan, bound):
        self._plan = plan
        self._bound = bound
        self.guarantee = plan.guarantee

    passes = 1  # over the rows
    draw_seconds = None  # about, from public sizes; None: a moment

    def accumulator(self, source, bound, threads, seed):
        return source.accumulator(bound, threads)

    def facts(self, request, rows, spectrum):
        return {}

    def published(self, request, guarantee, noise_floor, count, count_sd=0.0, count_is_public=True, **more):
        """What every release says, as a namespace; every number in it was drawn under the guarantee."""
        return SimpleNamespace(
            guarantee=guarantee,
            mean=np.zeros(self._bound.dimension) if request.scaled else self._bound.midpoints,
            noise_floor=noise_floor,
            count=count,
            count_sd=count_sd,
            count_is_public=count_is_public,
            **more,
        )


def add_components(released, loadings, variances=None, shares=None, edge=None):
    """Components as rows; None: what the method does not release. ``edge`` is one number, or one per component."""
    released.components = np.ascontiguousarray(loadings.T)
    released.explained_variance = variances
    released.explained_share = shares
    released.noise_edge = None if edge is None else np.broadcast_to(edge, len(released.components)).copy()
    return released


class DrawnPlan(Plan):
    """What methods that draw a subspace share: variances measured inside it, no total variance."""

    def release(self, request, gram, seed):
        return self.drawn(request, self._plan.run(gram, seed))

    def drawn(self, request, release):
        components = self._components(release)
        released = self.published(
            request, release.guarantee, components.noise_floor, release.count, release.count_sd, release.count_is_public
        )
        return add_components(released, components.loadings, components.explained_variance, None, components.noise_edge)

    def _components(self, release):
        return release.components()


def variance_share(request, default=0.2):
    return default if request.variance_share is None else float(request.variance_share)


def check_one_row(request, name):
    """What the methods that release a projector share: one row at a time, about a public centre."""
    if request.group_size != 1:
        raise EigenveilError(f"method {name} protects one row; leave out group_size")
    if request.private_mean:
        raise EigenveilError(f"method {name} works about a public centre; leave out center='private'")

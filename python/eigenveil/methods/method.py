"""What every method has."""

from __future__ import annotations

from .._errors import EigenveilError


class Method:
    """One way to make the release of a task."""

    name = ""
    tasks: tuple[str, ...] = ()
    budgets = ""  # in words
    takes_variance_share = False
    options: dict = {}  # of its own, with their defaults; the names of the command line

    def plan(self, request, bound):
        """Noise and guarantee from public facts alone; refuses what cannot be met."""
        raise NotImplementedError

    def model_radius(self, request, dimension):
        """A bound on the rows that the method's own public model gives; None: the user must give one."""
        return None


class Plan:
    """A plan whose statistic is the exact Gram."""

    def accumulator(self, source, bound, threads, seed):
        return source.accumulator(bound, threads)

    def facts(self, request, rows, spectrum):
        return {}


def variance_share(request, default=0.2):
    return default if request.variance_share is None else float(request.variance_share)


def check_one_row(request, name):
    """What the methods that release a projector share: one row at a time, about a public centre."""
    if request.group_size != 1:
        raise EigenveilError(f"method {name} protects one row; leave out group_size")
    if request.private_mean:
        raise EigenveilError(f"method {name} works about a public centre; leave out center='private'")

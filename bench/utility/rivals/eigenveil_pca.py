"""This package: the default method of the budget; laplace for several pure components unless a better one is there."""

import warnings

import eigenveil

LOSSES = ("pure", "approx")
VERSION = eigenveil.__version__


def components(rows, k, epsilon, delta, seed):
    warnings.simplefilter("ignore")
    budget = dict(epsilon=epsilon, delta=delta or None)
    settings = dict(n_components=k, row_norm=1.0, neighbours="replace-one", seed=seed, **budget)
    try:
        return eigenveil.PrivatePCA(**settings).fit(rows).components_
    except eigenveil.EigenveilError:
        return eigenveil.PrivatePCA(**settings, method="laplace").fit(rows).components_

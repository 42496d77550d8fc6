"""This package: what PrivatePCA takes when no method is named."""

import warnings

import eigenveil

VERSION = eigenveil.__version__


def _fit(rows, k, epsilon, delta, seed, centred):
    warnings.simplefilter("ignore")
    about = dict(center="private" if centred else "none", anyway=True)
    return eigenveil.PrivatePCA(k, epsilon=epsilon, delta=delta or None, row_norm=1.0, neighbours="replace-one", threads=1, seed=seed, **about).fit(rows)


def components(rows, k, epsilon, delta, seed, centred=False):
    return _fit(rows, k, epsilon, delta, seed, centred).components_


def method(rows, k, epsilon, delta, centred=False):
    return _fit(rows[:10], k, epsilon, delta, 0, centred).method_

"""This package: what PrivatePCA takes when no method is named."""

import warnings

import eigenveil

VERSION = eigenveil.__version__


def _fit(rows, k, epsilon, delta, seed):
    warnings.simplefilter("ignore")
    return eigenveil.PrivatePCA(k, epsilon=epsilon, delta=delta or None, row_norm=1.0, neighbours="replace-one", threads=1, seed=seed).fit(rows)


def components(rows, k, epsilon, delta, seed):
    return _fit(rows, k, epsilon, delta, seed).components_


def method(rows, k, epsilon, delta):
    return _fit(rows[:10], k, epsilon, delta, 0).method_

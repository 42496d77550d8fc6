"""Exact samplers on manifolds, for researchers. They see no data: a draw is private only if what it was drawn from is."""

from __future__ import annotations

import numpy as np

from . import _core
from ._errors import EigenveilError, whole


def sample_bingham(spectrum, exponent, k=1, draws=1, *, sampler="auto", sweeps=100, seed=None):
    """Frames V with density exp(exponent tr(V' A V)) on the p x k matrices with orthonormal columns (matrix Bingham law).

    Parameters
    ----------
    spectrum : array of shape (p,) or (p, p)
        The eigenvalues of A, for draws in its eigenbasis, or a symmetric A itself.
    exponent : float
        Not negative.
    k : int, default=1
        Columns of a frame.
    draws : int, default=1
    sampler : {"auto", "exact", "gibbs", "gaussian-block"}, default="auto"
        "auto" and "exact" draw exactly, and refuse rather than approximate; the others are labelled approximations.
    sweeps : int, default=100
        Of the Gibbs chain.
    seed : int, optional

    Returns
    -------
    ndarray of shape (draws, p, k)

    Examples
    --------
    >>> from eigenveil import sample_bingham
    >>> frames = sample_bingham([3.0, 1.0, 0.5], 2.0, k=2, draws=4, seed=1)
    >>> frames.shape, bool(abs(frames[0].T @ frames[0] - [[1, 0], [0, 1]]).max() < 1e-12)
    ((4, 3, 2), True)
    """
    spectrum = np.asarray(spectrum, dtype=float)
    k, draws = whole(k, "k", 1), whole(draws, "draws", 0)
    if spectrum.ndim == 2:
        values, vectors = np.linalg.eigh(spectrum)
        frames = sample_bingham(values[::-1], exponent, k, draws, sampler=sampler, sweeps=sweeps, seed=seed)
        return vectors[:, ::-1] @ frames
    if sampler not in ("auto", "exact", "gibbs", "gaussian-block"):
        raise EigenveilError("sampler must be 'auto', 'exact', 'gibbs' or 'gaussian-block'")
    order = np.argsort(-spectrum, kind="stable")
    largest_first = spectrum[order].copy()
    if sampler in ("auto", "exact"):
        most = 1e5 if sampler == "auto" else 1e9
        frames = _core.sample_bingham(largest_first, float(exponent), k, draws, most, seed)
    else:
        frames = _core.approximate_bingham(sampler, largest_first, float(exponent), k, draws, whole(sweeps, "sweeps", 1), seed)
    if np.array_equal(order, np.arange(len(order))):
        return frames
    unsorted = np.empty_like(frames)
    unsorted[:, order] = frames
    return unsorted


def sample_orbit(spectrum, exponent, orbit, draws=1, *, unbounded_time=False, seed=None):
    """Frames V with H = V V* of density exp(exponent tr(H diag(spectrum))) on the Hermitian matrices with eigenvalues ``orbit``.

    Parameters
    ----------
    spectrum : array of shape (d,)
    exponent : float
        Not negative.
    orbit : array of shape (k,)
        Nonnegative eigenvalues of H; the others are zero.
    draws : int, default=1
    unbounded_time : bool, default=False
        Allow sizes whose exact draw could take very long; they are refused otherwise.
    seed : int, optional

    Returns
    -------
    complex ndarray of shape (draws, d, k)
        Orthogonal columns with squared lengths ``orbit``.

    Examples
    --------
    >>> from eigenveil import sample_orbit
    >>> sample_orbit([3.0, 1.0, 0.5], 2.0, [2.0, 1.0], draws=4, seed=1).shape
    (4, 3, 2)
    """
    orbit = np.sort(np.asarray(orbit, dtype=float))[::-1].copy()
    return _core.sample_orbit(np.asarray(spectrum, dtype=float), float(exponent), orbit, whole(draws, "draws", 0), bool(unbounded_time), seed)

"""Estimates with standard errors from what was released already. They cost no budget."""

from __future__ import annotations

import os

from ._covariance import PrivateCovariance
from ._engine import estimates
from ._errors import EigenveilError
from ._masked import MaskedData


def _released(release):
    if isinstance(release, (MaskedData, PrivateCovariance)):
        release._check_released()
        return release._document
    paths = [release] if isinstance(release, (str, os.PathLike)) or not isinstance(release, (list, tuple)) else list(release)
    if not paths or not all(isinstance(path, (str, os.PathLike)) for path in paths):
        raise EigenveilError("give a fitted MaskedData or PrivateCovariance, the directory (or file) of a release, or a list of those of shards")
    return [os.fsdecode(path) for path in paths]


def analyse_moments(release, *, second_moment=False):
    """Covariance (or second moment) with standard errors, corrected for the noise of the release.

    Parameters
    ----------
    release : MaskedData, PrivateCovariance, path, or list of paths
        A fitted :class:`MaskedData`, or :class:`PrivateCovariance` by method "gauss"; or a release of one of them as the command line or
        :meth:`MaskedData.write` wrote it (its directory, document, or file of pseudo-data); several: shards masked with one
        ``smallest_block``.
    second_moment : bool, default=False
        About the public midpoint even where means are known (``intercept``).

    Returns
    -------
    dict
        ``estimate``, ``rows``, ``columns``, ``values``, ``standard_errors``, ``mean`` (in original units where the release has ranges:
        ``measured_from``), ``correlations`` (NaN where a variance is not above its noise; ``left_out_of_correlations`` lists those columns),
        ``correlation_standard_errors``, ``correlations_low`` and ``correlations_high`` (95% limits, one pair at a time, to first order in the noise;
        None where they are not known): the names of ``eigenveil analyse moments --json``.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenveil import MaskedData, analyse_moments
    >>> rows = np.random.default_rng(0).uniform(-1, 1, size=(5000, 2))
    >>> masked = MaskedData(epsilon=1, delta=1e-6, bounds=(-1, 1), intercept=True).fit(rows)
    >>> found = analyse_moments(masked)
    >>> found["estimate"], found["values"].shape
    ('covariance', (2, 2))
    """
    found = estimates(_released(release), estimate="moments", second_moment=bool(second_moment))
    return {**dict.fromkeys(("mean", "correlation_standard_errors", "correlations_low", "correlations_high")), **found}


def analyse_regress(release, response, predictors, *, ridge=0.0, level=0.95, about="population"):
    """Least squares or ridge regression with confidence intervals, corrected for the noise of the release.

    Parameters
    ----------
    release : MaskedData, PrivateCovariance, path, or list of paths
        As in :func:`analyse_moments`.
    response : str
        The column to explain.
    predictors : list of str
        Columns that explain it; "intercept" is a column (``MaskedData(intercept=True)``), and its coefficient is in original units.
    ridge : float, default=0.0
        Added to the diagonal of the predictors' second moment.
    level : float, default=0.95
        Of the intervals.
    about : {"population", "raw"}, default="population"
        What the intervals cover: the population the rows were drawn from, or what the rows themselves would have given; in both cases
        rows as they are after clipping to their bounds. What lies beyond the bounds is in no estimate.

    Returns
    -------
    dict
        ``predictors``, ``coefficients``, ``standard_errors``, ``low``, ``high``, ``uncorrected``, ``residual_sd``, ``rows``, ``measured_from``,
        ``sampling_factor`` (weight bound times rows per person, by which sampling variances about the population are multiplied; 1 otherwise):
        the names of ``eigenveil analyse regress --json``.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenveil import MaskedData, analyse_regress
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(-1, 1, size=20_000)
    >>> rows = np.column_stack([x, 0.5 * x + rng.uniform(-0.5, 0.5, size=20_000)])
    >>> masked = MaskedData(epsilon=2, delta=1e-6, bounds=(-1, 1)).fit(rows)
    >>> fit = analyse_regress(masked, "c2", ["c1"], about="raw")
    >>> bool(fit["low"][0] < fit["coefficients"][0] < fit["high"][0])
    True
    """
    if about not in ("population", "raw"):
        raise EigenveilError("about must be 'population' or 'raw'")
    names = [predictors] if isinstance(predictors, str) else [str(name) for name in predictors]
    question = {"response": str(response), "predictors": names, "ridge": float(ridge), "level": float(level)}
    return estimates(_released(release), estimate="regression", **question, **({"about": "raw"} if about == "raw" else {}))


def analyse_pca(release, n_components=2):
    """Principal components with limits for their variances, and which cannot be told from noise.

    Parameters
    ----------
    release : MaskedData, PrivateCovariance, path, or list of paths
        As in :func:`analyse_moments`.
    n_components : int, default=2

    Returns
    -------
    dict
        ``columns``, ``variance`` (noisy, tends to be too large), ``low`` and ``high`` (95% limits for the clipped rows, all components at once),
        ``noise_edge``, ``below_noise`` (cannot be told from noise), ``clipped`` (to the largest the bounds allow), ``loadings`` (one column
        per component): the names of ``eigenveil analyse pca --json``.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenveil import MaskedData, analyse_pca
    >>> rows = np.random.default_rng(0).uniform(-1, 1, size=(5000, 3))
    >>> masked = MaskedData(epsilon=1, delta=1e-6, bounds=(-1, 1)).fit(rows)
    >>> analyse_pca(masked, 2)["loadings"].shape
    (3, 2)
    """
    return estimates(_released(release), estimate="components", components=int(n_components))

"""For the curator's eyes: whether private rows look like the model a release rests on."""

from __future__ import annotations

from . import _core
from ._engine import has_option, job_text, method_names
from ._errors import EigenveilError
from ._progress import Progress
from ._rows import is_gram
from ._shards import totals_of
from ._table import describe, reading


def diagnose_spiked(released, X):
    """**CURATOR ONLY.** Whether the rows fit the model that the noise of a "spiked" release was scaled to.

    The answer is computed from the exact eigenvalues of the rows: it is private, no part of any release, and not covered by its guarantee.

    Parameters
    ----------
    released : PrivatePCA or PrivateCovariance
        Fitted with ``method="spiked"``.
    X : array, data frame, Arrow data, or path
        The private rows it was fitted to.

    Returns
    -------
    SpikedDiagnostic
        ``all_hold``; ``checks``, a list of (name, holds, words); ``eigenvalues``, the largest exact ones; ``str()`` is the text of the command
        line's ``--diagnostic``.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenveil import PrivatePCA, diagnose_spiked
    >>> rows = np.random.default_rng(0).normal(size=(4000, 5)) * [5, 1, 1, 1, 1]
    >>> model = {"sigma2": 1.0, "lambda": 20.0, "row_count": 4000}
    >>> pca = PrivatePCA(1, epsilon=1, delta=1e-5, method="spiked", neighbours="independent-copy", method_options=model).fit(rows)
    >>> diagnose_spiked(pca, rows)
    <SpikedDiagnostic CURATOR ONLY, not a release: the model holds>
    """
    released._check_released()
    if not has_option(released.method_, "diagnostic"):
        models = " or ".join(f"method='{name}'" for name in method_names() if has_option(name, "diagnostic"))
        raise EigenveilError(f"the diagnostic is about the model that a release by {models} rests on, and method {released.method_} rests on none")
    if is_gram(X):
        return _diagnosed(released, totals_of(X))
    options = reading(released)
    source = released._open(X, options)
    spec = describe(released, source.names, options.spec)
    accumulator = _core.TableOrSums(job_text(released._job(source.names)), spec, source.schema)
    if len(accumulator.columns) != released.n_features_in_:
        raise EigenveilError(f"X has {len(accumulator.columns)} features, but the release has {released.n_features_in_}")
    with Progress(released.progress, "diagnose_spiked") as progress:
        source.feed(accumulator, options, progress)
    return _diagnosed(released, accumulator.finish())


def _diagnosed(released, statistic):
    facts = released.details_
    return _core.diagnose_spiked(
        statistic, bool(released.standardize), facts["rank"], facts["sigma2_upper"], facts["lambda_lower"], released._document.parameters["spread"]
    )

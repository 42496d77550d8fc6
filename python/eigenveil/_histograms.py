"""Releases that are histograms with noise: ranges of columns, and people on released axes."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from . import _core
from ._budget import budget_numbers
from ._engine import job_text
from ._errors import EigenveilError, PrivacyWarning, whole
from ._estimator import PrivateEstimator
from ._ledger import check_public_shape, ledger_keys
from ._parameters import shared_parameters
from ._progress import Progress
from ._release import released
from ._rows import open_source
from ._table import describe, reading


class _Whole:
    """A histogram is drawn once: blocks of rows in memory are put together first."""

    def __init__(self, sink):
        self.add_table = sink.add_table
        self._sink, self._blocks = sink, []

    def add_array(self, block, *_):
        self._blocks.append(block)

    def finish(self, source, options):
        if not hasattr(source, "_table"):  # a file was read in one piece
            rows = np.concatenate([np.empty((0, len(source.names))), *self._blocks])
            self._sink.add_array(rows, source.names, options.refuse_missing, options.refuse_bad, None)


def counts_job(asked, **counts):
    """What a histogram depends on, as a job of the engine; ``counts`` is what is counted."""
    budget = budget_numbers(asked.epsilon, asked.delta, asked.rho, asked.mu)
    request = {"budget": budget, "neighbours": asked.neighbours, "group_size": whole(asked.group_size, "group_size", 1)}
    seed = None if asked.seed is None else whole(asked.seed, "seed", 0, 2**64 - 1)
    return job_text({"request": request, "threads": asked.threads or None, "seed": seed, **ledger_keys(asked.ledger), **counts})


def asked_bounds(outside, outer, row_norm):
    """Ranges as a job asks for them."""
    limits = None if outer is None else [float(outer[0]), float(outer[1])]
    asked = {"outside": float(outside), "outer": limits, "row_norm": row_norm}
    return {name: value for name, value in asked.items() if value is not None}


def asked_scores(cells, label, **more):
    """A picture as a job asks for it."""
    name, levels = labelled(label)
    return {"cells": whole(cells, "cells", 2, 200), **({"label": {name: levels}} if name else {}), **more}


def _drawn(sink, source, options, asked, title):
    sink.begin(source.schema)
    if not sink.charge():
        if asked.seed is not None:
            warnings.warn("a seed makes the noise reproducible, so the result is NOT PRIVATE: for tests and papers only", PrivacyWarning, stacklevel=4)
        whole_table = _Whole(sink)
        with Progress(asked.progress, title) as bar:
            source.feed(whole_table, options, bar)
            whole_table.finish(source, options)
    document, checksum, settled = sink.release()
    return released(document, checksum=checksum, settled=settled)


@shared_parameters(PrivateEstimator, "epsilon delta rho mu group_size bounds columns exclude header separator decimal encoding bad_cell person rows_per_person threads progress seed ledger")
def private_bounds(X, *, outside=0.001, outer=None, row_norm=None, neighbours="add-remove", missing="midpoint", **shared):
    """Ranges of columns whose bounds nobody knows, from a noisy histogram of each. A release of its own: it spends, and what uses it spends again.

    Rows that are neither in a file nor in one array are held whole as numbers.

    Parameters
    ----------
    X : array, data frame, Arrow data, or path
        The private rows.
    epsilon, delta, rho, mu : float, optional
        The budget, as in :class:`PrivatePCA`; a small part of what there is does.
    neighbours : {"add-remove", "replace-one"}, default="add-remove"
        What one person can change.
    group_size : int, default=1
        Rows protected together.
    person : str, optional
        The column that says whose a row is: a person is protected with all their rows, at ``rows_per_person`` times the noise.
    rows_per_person : int, optional
        With ``person``: the first so many rows of everybody count.
    outside : float, default=0.001
        Share of the rows that a range may leave out, about.
    outer : (low, high), optional
        A public range for columns that noise hides; without it they have none.
    row_norm : {"private"}, optional
        One norm for all rows instead of a range for each column; noise falls with the square of the norm.
    bounds : as in :class:`PrivatePCA`
        With ``row_norm``: public ranges of the columns, which norms are then in the scaled units of.
    columns, exclude, header, separator, decimal, encoding, missing, bad_cell, threads, progress, seed, ledger
        As in :class:`PrivatePCA`.

    Returns
    -------
    Release
        ``bounds`` (or ``row_norm``) is what an estimator takes; ``write_release`` writes the files of ``eigenveil bounds private``.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenveil import PrivatePCA, private_bounds
    >>> rows = np.random.default_rng(0).uniform(2, 900, size=(20_000, 2))
    >>> found = private_bounds(rows, mu=0.5)
    >>> all(low <= 60 and high >= 890 for low, high in found.bounds.values())
    True
    >>> PrivatePCA(1, mu=1, bounds=found.bounds).fit(rows).components_.shape
    (1, 2)
    """
    if row_norm not in (None, "private"):
        raise EigenveilError("row_norm must be 'private': a norm that is known goes to the estimator")
    asked = SimpleNamespace(**shared, neighbours=neighbours, missing=missing)
    if asked.bounds is not None and row_norm is None:
        raise EigenveilError("ranges that are known go with row_norm='private'")
    options = reading(asked)
    job = counts_job(asked, bounds=asked_bounds(outside, outer, row_norm))
    check_public_shape(X, asked.header, asked.ledger)
    source = open_source(X, options)
    sink = _core.Histogram(job, describe(asked, source.names, options.spec))
    return _drawn(sink, source, options, asked, "private_bounds")


def labelled(label):
    """The column of a label and its levels."""
    given = list(label.items()) if isinstance(label, Mapping) else [label]
    if label is None:
        return "", []
    try:
        ((name, levels),) = given
    except (TypeError, ValueError):
        name, levels = None, None
    if not isinstance(name, str) or isinstance(levels, str) or levels is None:
        raise EigenveilError("label is a column and the list of its public levels, for example label=('sex', ['male', 'female'])")
    return name, [str(level) for level in levels]


@shared_parameters(PrivateEstimator, "epsilon delta rho mu group_size header separator decimal encoding bad_cell person rows_per_person threads progress seed ledger")
def private_scores(X, on, *, axes=(1, 2), cells=20, label=None, neighbours="add-remove", missing="midpoint", **shared):
    """People on two released components, as a noisy histogram: the score plot that may be published. It spends on top of the release of the axes.

    Parameters
    ----------
    X : array, data frame, Arrow data, or path
        The private rows, with the columns of the release. Those that are neither in a file nor in one array are held whole as numbers.
    on : path
        A written release of components in original units: its loadings are the axes.
    axes : (int, int), default=(1, 2)
        Components, across and up, from 1.
    cells : int, default=20
        Along each axis.
    label : (str, list of str) or {str: list of str}, optional
        A column of words and its public levels: one histogram for each of them, and one for all others. Data frames, Arrow data and text files.
    epsilon, delta, rho, mu, neighbours, group_size, person, rows_per_person
        As in :func:`private_bounds`; axes of a release about persons need the same ``person``.
    header, separator, decimal, encoding, missing, bad_cell, threads, progress, seed, ledger
        As in :class:`PrivatePCA`.

    Returns
    -------
    Release
        ``arrays["scores"]`` holds noisy counts, the second axis upwards; with a label ``scores_1``, ... are those of its levels, ``scores`` of
        all others. ``write_release`` writes the files of ``eigenveil scores``.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from eigenveil import PrivatePCA, private_scores
    >>> rows = np.random.default_rng(0).normal(size=(5_000, 4)) * [3, 2, 1, 1]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     names = PrivatePCA(2, mu=1, row_norm=12).fit(rows).write_release(f"{folder}/axes")
    ...     picture = private_scores(rows, f"{folder}/axes", mu=1, cells=10)
    >>> picture.arrays["scores"].shape
    (10, 10)
    """
    if not isinstance(on, (str, bytes, os.PathLike)):
        raise EigenveilError("on is the path of a written release of components: write one first, pca.write_release('axes'), and give on='axes'")
    name, levels = labelled(label)
    asked = SimpleNamespace(**shared, neighbours=neighbours, missing=missing)
    picture = asked_scores(cells, label, on=os.fsdecode(on), axes=[int(axis) for axis in axes])
    sink = _core.Histogram(counts_job(asked, scores=picture), describe(asked))
    asked.columns, asked.one_hot = sink.columns, sink.one_hot or None
    options = reading(asked)
    if name:
        options = replace(options, appended=[name], words={**options.words, name: levels}, label=(name, levels))
    check_public_shape(X, asked.header, asked.ledger)
    return _drawn(sink, open_source(X, options), options, asked, "private_scores")

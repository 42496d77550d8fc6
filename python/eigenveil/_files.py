"""Files of releases and of exact sums."""

from __future__ import annotations

import os

from . import _core
from ._errors import EigenveilError


def explain(release, *more):
    """The guarantee of a written release in words, after checking that nothing of it was changed; of several, also what they cost together.

    Parameters
    ----------
    release, *more : path
        Its directory or ``release.json``, as the command line or :meth:`MaskedData.write` wrote it.

    Returns
    -------
    str

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from eigenveil import MaskedData, explain
    >>> masked = MaskedData(epsilon=1, delta=1e-6, bounds=(0, 1)).fit(np.random.default_rng(0).uniform(size=(50, 2)))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     masked.write(f"{folder}/out")
    ...     "(1, 1e-06)-DP" in explain(f"{folder}/out")
    True
    """
    return _core.explain_releases([os.fsdecode(path) for path in (release, *more)])


def merge_grams(paths, out):
    """Adds up ``.gram`` files of shards (``save_gram``, ``eigenveil gram partial``) into one, bit for bit as if all rows had been read at once.

    Parameters
    ----------
    paths : list of path
        Files with the same columns and bound.
    out : path
        A new file: private data, mode 0600.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from eigenveil import PrivatePCA, merge_grams
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, rows in (("north", np.eye(3)), ("south", np.ones((2, 3)))):
    ...         PrivatePCA(mu=1, row_norm=1).partial_fit(rows).save_gram(f"{folder}/{name}.gram")
    ...     merge_grams([f"{folder}/north.gram", f"{folder}/south.gram"], f"{folder}/all.gram")
    ...     PrivatePCA(mu=1).fit(f"{folder}/all.gram").n_features_in_
    3
    """
    paths = [os.fsdecode(path) for path in paths]
    if len(paths) < 2:
        raise EigenveilError("give at least two .gram files to merge")
    if os.path.lexists(out):
        raise EigenveilError("the file exists already, and its sums would be lost; give another name", "input-output")
    _core.merged_grams(paths).save(os.fsdecode(out))

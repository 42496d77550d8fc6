"""Exact sums of a Dask array or data frame: one delayed part per block, merged in a tree.

    import eigenveil.dask
    gram = eigenveil.dask.gram(ddf, columns=["age", "income"], bounds={"age": (0, 120), "income": (0, 1e6)})
    model = eigenveil.PrivateCovariance(epsilon=1, delta=1e-6).fit(gram)
"""

from __future__ import annotations

import numpy as np

from ._errors import EigenveilError
from ._shards import Gram, merge, new_run, partial, shard_bound

_WIDTH = 8


def gram(data, columns=None, *, bounds=None, row_norm=None, center=None, grid=None, missing="midpoint", bad_cell="refuse"):
    """Exact sums over the rows of a Dask array (cut by rows) or data frame.

    Parameters
    ----------
    data : dask.array.Array or dask.dataframe.DataFrame
        Blocks that are computed again must give the same rows; Dask keeps results, and what depends on chance should be persisted first.
    columns : list of str, optional
        Of a data frame; default all.
    bounds, row_norm, center, grid, missing, bad_cell
        As for an estimator; public.

    Returns
    -------
    Gram
    """
    import dask

    names, blocks = _blocks(data, columns)
    bound = shard_bound(names, bounds=bounds, row_norm=row_norm, center=center, grid=grid, missing=missing, bad_cell=bad_cell)
    run, count = new_run(), len(blocks)
    if count == 0:
        raise EigenveilError("the table has no block")
    parts = [dask.delayed(_part, pure=False)(block, bound, (run, index, count)) for index, block in enumerate(blocks)]
    while len(parts) > _WIDTH:
        parts = [dask.delayed(_join, pure=False)(parts[first : first + _WIDTH]) for first in range(0, len(parts), _WIDTH)]
    return merge(_computed(parts))


def _computed(parts):
    import dask

    try:
        return dask.compute(*parts)
    except EigenveilError:
        raise
    except Exception as problem:
        kind = type(problem).__name__
    # What a graph says about its rows may show one of them.
    raise EigenveilError(f"the blocks could not be computed ({kind}; values are not shown)")


def _blocks(data, columns):
    if hasattr(data, "to_delayed") and hasattr(data, "columns"):
        chosen = list(data.columns if columns is None else columns)
        for name in chosen:
            if list(data.columns).count(name) != 1:
                raise EigenveilError(f"the data frame has not exactly one column '{name}'")
            _check_type(data.dtypes[name], f"column '{name}'")
        return [str(name) for name in chosen], data[chosen].to_delayed()
    if getattr(data, "ndim", None) != 2 or not hasattr(data, "to_delayed"):
        raise EigenveilError("give a Dask data frame, or a Dask array with rows and columns")
    if columns is not None:
        raise EigenveilError("an array has no names: choose columns before, as data[:, [0, 2]]")
    _check_type(data.dtype, "the array")
    whole = data.rechunk({1: -1})
    return int(data.shape[1]), [block for (block,) in whole.to_delayed().tolist()]


def _check_type(kind, what):
    if getattr(kind, "kind", "O") not in "fiub":
        raise EigenveilError(f"{what} does not hold real numbers (its type is {kind}): convert it first")


def _part(block, bound, shard):
    return partial([_rows(block)], bound, shard=shard)


def _rows(block):
    try:
        return block.to_numpy(dtype=float, na_value=np.nan) if hasattr(block, "to_numpy") else block
    except Exception:
        pass
    # Outside the handler: the message shows the cell, and must not stay behind in __context__.
    raise EigenveilError("a block holds other types than the table says: not all of its cells are numbers (values are not shown)")


def _join(parts):
    return merge(parts, incomplete=True).to_bytes()


__all__ = ["Gram", "gram"]

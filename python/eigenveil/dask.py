"""Exact sums of a Dask array or data frame: one delayed part per block, merged in a tree.

    import eigenveil.dask
    gram = eigenveil.dask.gram(ddf, columns=["age", "income"], bounds={"age": (0, 120), "income": (0, 1e6)})
    model = eigenveil.PrivateCovariance(epsilon=1, delta=1e-6).fit(gram)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import EigenveilError
from ._people import limited, shards
from ._shards import merge, named_people, new_run, partial, person_key_of, shard_bound, sums_of, with_people

if TYPE_CHECKING:
    from . import Gram  # as the types of the package name it
else:
    from ._shards import Gram

_WIDTH = 8
_MOST_SHARDS = 64  # of people: every block has rows for every shard


def gram(
    data: Any,
    columns: Sequence[str] | None = None,
    *,
    bounds: Any = None,
    row_norm: float | None = None,
    center: Any = None,
    grid: int | None = None,
    missing: str = "midpoint",
    bad_cell: str = "refuse",
    person: str | None = None,
    rows_per_person: int | None = None,
) -> Gram:
    """Exact sums over the rows of a Dask array (cut by rows) or data frame.

    Parameters
    ----------
    data : dask.array.Array or dask.dataframe.DataFrame
        Blocks that are computed again must give the same rows; Dask keeps results, and what depends on chance should be persisted first.
    columns : list of str, optional
        Of a data frame; default all.
    bounds, row_norm, center, grid, missing, bad_cell
        As for an estimator; public.
    person, rows_per_person : str and int, optional
        The column of a data frame that says whose a row is, and how many rows of everybody count: those with the smallest keyed hashes, since blocks have
        no order. A release of the sums protects a person with all their rows.

    Returns
    -------
    Gram
    """
    import dask

    names, blocks = _blocks(data, columns, person)
    bound = shard_bound(
        names, bounds=bounds, row_norm=row_norm, center=center, grid=grid, missing=missing, bad_cell=bad_cell, person=person, rows_per_person=rows_per_person
    )
    run, count = new_run(), len(blocks)
    if count == 0:
        raise EigenveilError("the table has no block")
    if person is None:
        parts = [dask.delayed(_part, pure=False)(block, bound, (run, index, count)) for index, block in enumerate(blocks)]
    else:
        parts = _parts_of_people(blocks, bound, run, min(count, _MOST_SHARDS))
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


def _parts_of_people(blocks, bound, run, count):
    """A part of every shard, from the rows of its people in all blocks."""
    import dask

    key = person_key_of(None)
    routed = [dask.delayed(_routed, pure=False, nout=count)(block, bound, key, count) for block in blocks]
    return [dask.delayed(_part_of_people, pure=False)([rows[index] for rows in routed], bound, key, (run, index, count)) for index in range(count)]


def _routed(block, bound, key, count):
    people = named_people(block.iloc[:, -1])  # by place: names need not be words
    rows = limited(with_people(_rows(block.iloc[:, :-1]), people, bound, key), bound.rows_per_person, key)[0]
    places = shards(rows, count)
    return [rows[places == index] for index in range(count)]


def _part_of_people(rows, bound, key, name):
    return sums_of([limited(np.concatenate(rows), bound.rows_per_person, key)[0]], bound, name, key)


def _blocks(data, columns, person):
    if hasattr(data, "to_delayed") and hasattr(data, "columns"):
        chosen = [name for name in (data.columns if columns is None else columns) if name != person]
        for name in (*chosen, *([person] if person else [])):
            if list(data.columns).count(name) != 1:
                raise EigenveilError(f"the data frame has not exactly one column '{name}'")
            if name != person:
                _check_type(data.dtypes[name], f"column '{name}'")
        return [str(name) for name in chosen], data[[*chosen, *([person] if person else [])]].to_delayed()
    if person is not None:
        raise EigenveilError("an array has no column of people: make a data frame of it")
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

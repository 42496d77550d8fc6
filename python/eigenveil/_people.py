"""Rows of people where a table has no order: of everybody those with the smallest keyed hashes, whatever task reads them and however often.

"First" would depend on others there: which rows a task sees before which is for the scheduler to say. The hash of a row depends on its cells and the key.
"""

from __future__ import annotations

import numpy as np

from . import _core

HASH_CELLS = 3  # of a person, the last columns of a block


def limited(rows, most, key):
    """Of every person in a block the ``most`` rows whose hashes are smallest, by person and hash, and those hashes; rows of nobody are dropped.

    The smallest of a table are among the smallest of its blocks, so that blocks may be limited first: a person with many rows never fills a machine.
    """
    rows = rows[np.isfinite(rows[:, -HASH_CELLS])]
    hashes = _core.row_hashes(key, np.ascontiguousarray(rows[:, :-HASH_CELLS]))
    people = rows[:, -HASH_CELLS:]
    order = np.lexsort((hashes[:, 1], hashes[:, 0], people[:, 2], people[:, 1], people[:, 0]))
    people = people[order]
    is_first = np.ones(len(rows), dtype=bool)
    is_first[1:] = (people[1:] != people[:-1]).any(axis=1)
    places = np.arange(len(rows))
    order = order[places - np.maximum.accumulate(np.where(is_first, places, 0)) < most]
    return rows[order], hashes[order]


def shards(rows, count):
    """In which of ``count`` shards the person of every row is."""
    return rows[:, -HASH_CELLS].astype(np.int64) % count

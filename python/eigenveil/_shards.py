"""Exact sums in parts: what a task on another machine computes, and how parts become one table again.

A part knows its name, (run, index, count), which its producer gives it; merging refuses an index that is missing, there twice, or of another run. Sums are
integers, so parts merge to the same bits in any order. All of it is private data until an estimator has released it.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from ._cells import numbers
from ._errors import EigenveilError, whole
from ._table import word_cells

_DEFAULT_GRID = 1 << 18
_MOST_ROWS = 1_000_000  # of a person


@dataclass(frozen=True)
class ShardBound:
    """Columns and what is known about their rows without looking; public, and the same for every part of a run. Made by :func:`shard_bound`."""

    columns: tuple[str, ...]
    encoded: bytes
    refuse_missing: bool = False
    refuse_bad: bool = True
    person: str = ""  # what says whose a row is; empty: rows are protected
    rows_per_person: int = 0


def shard_bound(columns, *, bounds=None, row_norm=None, center=None, grid=None, missing="midpoint", bad_cell="refuse", person=None, rows_per_person=None):
    """The bound that all parts of a run share.

    Parameters
    ----------
    columns : list of str, or int
        Names, or how many there are (``c1``, ``c2``, ...).
    bounds : (low, high), mapping, or list of (low, high)
    row_norm : float, optional
        At least one of the two, as for an estimator.
    center : vector, optional
        A public centre, with row_norm alone.
    grid : int, optional
        Steps from the middle of a range to its end.
    missing, bad_cell : {"midpoint", "refuse"}
    person : str, optional
        What says whose a row is: a person is protected with all their rows, and a release of the sums says so. Not among ``columns``.
    rows_per_person : int, optional
        With ``person``: how many rows of everybody count.

    Returns
    -------
    ShardBound
    """
    names = [f"c{j + 1}" for j in range(columns)] if isinstance(columns, int) else [str(name) for name in columns]
    if len(set(names)) < len(names) or not names:
        raise EigenveilError("columns must be different names, at least one")
    for name, value in (("missing", missing), ("bad_cell", bad_cell)):
        if value not in ("midpoint", "refuse"):
            raise EigenveilError(f"{name} must be 'midpoint' or 'refuse'")
    encoded = _encoded(names, bounds, row_norm, center, _DEFAULT_GRID if grid is None else int(grid))
    if (person is None) != (rows_per_person is None):
        raise EigenveilError("person and rows_per_person go together: so many rows of every person count, and noise hides them all")
    if person is None:
        return ShardBound(tuple(names), encoded, missing == "refuse", bad_cell == "refuse")
    if not isinstance(person, str) or not person or person in names:
        raise EigenveilError("person is the name of a column that is not among the others")
    most = whole(rows_per_person, "rows_per_person", 1, _MOST_ROWS)
    return ShardBound(tuple(names), encoded, missing == "refuse", bad_cell == "refuse", person, most)


def _encoded(names, bounds, row_norm, center, grid):
    radius = None if row_norm is None else float(row_norm)
    if bounds is None:
        if radius is None:
            raise EigenveilError("a bound on the rows is missing: bounds=(low, high) or row_norm=R, from what you know without looking")
        return _core.encode_norm_bound(len(names), radius, grid, [] if center is None else [float(c) for c in center])
    if center is not None:
        raise EigenveilError("a public center goes with row_norm alone here; widen bounds about it instead")
    if isinstance(bounds, Mapping):
        absent = [name for name in names if name not in bounds]
        if absent:
            raise EigenveilError(f"bounds has no entry for column '{absent[0]}'")
        bounds = [bounds[name] for name in names]
    pairs = np.asarray(bounds, dtype=float)
    pairs = np.tile(pairs, (len(names), 1)) if pairs.shape == (2,) else pairs
    if pairs.shape != (len(names), 2):
        raise EigenveilError("bounds is a pair (low, high), a mapping from every column to its pair, or one pair per column")
    return _core.encode_range_bound([(float(low), float(high)) for low, high in pairs], radius, grid, names)


def arrow_block(batch, names):
    """The columns of an Arrow batch as one block of float64; a null is a missing cell."""
    block = np.empty((batch.num_rows, len(names)))
    for slot, name in enumerate(names):
        block[:, slot] = arrow_numbers(batch.column(name))
    return block


def arrow_numbers(array):
    """An Arrow array as float64; a null is NaN. By DLPack, since ``to_numpy`` imports pandas, which takes a task longer than a small part."""
    import pyarrow as pa

    try:
        array = array.dictionary_decode() if pa.types.is_dictionary(array.type) else array
        cells = array.cast(pa.float64(), safe=False)
        return np.from_dlpack(cells.fill_null(np.nan) if cells.null_count else cells)
    except pa.ArrowException as problem:
        kind = type(problem).__name__
    # Outside the handler: pyarrow's own message shows the cell, and must not stay behind in __context__.
    raise EigenveilError(f"a column does not hold numbers ({kind}; values are not shown)")


def new_run() -> str:
    """A name for one pass over one table that nobody else uses."""
    return uuid.uuid4().hex


def partial(batches, bound, *, shard=None, threads=1, person_key=None):
    """Exact sums over blocks of rows, as the bytes of a ``.gram`` file.

    Parameters
    ----------
    batches : iterable of 2D arrays
        The rows of this part, cells as float64 in the order of the bound's columns; NaN is a missing cell. Where the bound has a ``person``, pairs of
        such an array and a list that says whose each row is (None: nobody's; dropped).
    bound : ShardBound
    shard : (run, index, count), optional
        The name of this part: of ``count`` parts of ``run`` the one with this index, from 0.
    threads : int, default=1
    person_key : path or bytes, optional
        For a shard of people: the file that ``eigenveil gram key`` made, or ``secrets.token_bytes(32)``; secret, and the same in every part. A part
        takes the people alone whose hash under it is ``index`` modulo ``count``, the first ``rows_per_person`` rows of each, so that everybody is in one
        part; every part is given all rows, or all of its people.

    Returns
    -------
    bytes
        Private data.
    """
    name = None if shard is None else _name(shard)
    if (person_key is not None) != bool(bound.person and name):
        raise EigenveilError("shards of people share a person_key" if person_key is None else "person_key goes with shard and a bound that has a person")
    key = person_key_of(person_key)
    if bound.person:
        batches = (_of_people(batch, bound, key) for batch in batches)
    return sums_of(batches, bound, name, key, threads)


def sums_of(blocks, bound, name, key=b"", threads=1):
    """The bytes of a part. Where the bound has a person, the last columns of a block are the hashes of people."""
    sums = _core.PartialSums(
        list(bound.columns), bound.encoded, bound.refuse_missing, bound.refuse_bad, threads, name, bound.person, bound.rows_per_person, key
    )
    for block in blocks:
        sums.add(_block(block))
    return sums.finish()


def person_key_of(given):
    """A key of people as bytes; a fresh one where none was given."""
    if given is None:
        return _core.fresh_person_key()
    return bytes(given) if isinstance(given, (bytes, bytearray)) else _core.load_person_key(os.fsdecode(given))


def _of_people(batch, bound, key):
    if not isinstance(batch, (tuple, list)) or len(batch) != 2:
        raise EigenveilError("with a person every batch is a pair: the rows, and whose each of them is")
    block, people = _block(batch[0]), named_people(batch[1])
    if len(people) != len(block):
        raise EigenveilError("a batch does not say of every row whose it is")
    return with_people(block, people, bound, key)


def named_people(column):
    """Who is named in an array, a list or a column of a frame; None where nobody is."""
    cells = column.tolist() if hasattr(column, "tolist") else list(column)
    gone = column.isna().tolist() if hasattr(column, "isna") else [cell is None for cell in cells]
    return [None if missing else cell for cell, missing in zip(cells, gone)]


def with_people(block, people, bound, key):
    """A block with the hashes of people as its last columns; None is nobody."""
    return np.column_stack([block, _core.hashed_people(key, word_cells(people), bound.refuse_bad)])


def _block(batch):
    block = np.asanyarray(batch)
    if block.dtype.kind not in "fiubOSU" or block.ndim != 2:
        raise EigenveilError(f"a block is a table of real numbers, rows and columns (this one has {block.ndim} axes and the type {block.dtype})")
    return block if block.dtype == float and block.flags.c_contiguous and type(block) is np.ndarray else numbers(block)


def _name(shard):
    """Checked before a row is read."""
    if not isinstance(shard, (tuple, list)) or len(shard) != 3 or not isinstance(shard[0], str) or not shard[0]:
        raise EigenveilError("shard is (run, index, count): the name of the run, and an index from 0 to count - 1")
    return shard[0], whole(shard[1], "the index of a shard", 0), whole(shard[2], "the count of shards", 1)


class Gram:
    """Exact sums over the rows of a table. Private data: give it to the ``fit`` of an estimator, which releases it, or :meth:`save` it."""

    def __init__(self, totals: Any):
        self._totals = totals

    @classmethod
    def from_bytes(cls, part: bytes) -> Gram:
        """From what :func:`partial` made."""
        return cls(_core.gram_from_bytes(bytes(part)))

    @classmethod
    def load(cls, path) -> Gram:
        """From a ``.gram`` file."""
        return cls(_core.ExactGram.load(os.fsdecode(path)))

    def totals(self) -> Any:
        """The sums as the library has them; for estimators."""
        return self._totals

    def head(self) -> tuple[Any, Any]:
        """What is public: columns and bound. Refuses a part of a run: whoever asks is about to release the table."""
        _core.check_complete(self._totals)
        return self._totals.schema, self._totals.bound

    @property
    def columns(self) -> list[str]:
        return _core.gram_columns(self._totals)

    @property
    def people(self) -> tuple[str, int] | None:
        """Whose rows these are: (column, rows per person), or None where rows were not limited."""
        column, rows = _core.people_of(self._totals)
        return (column, rows) if column else None

    @property
    def shards(self) -> list[tuple[str, int, list[int]]]:
        """Which parts are inside: (run, count, indices) for every run."""
        return _core.shards_of(self._totals)

    def to_bytes(self) -> bytes:
        """What :meth:`save` writes, for machines that send sums to each other: as private as the rows."""
        return _core.gram_bytes(self._totals)

    def save(self, path):
        """Write a ``.gram`` file, mode 0600; an existing file is not overwritten."""
        if os.path.lexists(path):
            raise EigenveilError("the file exists already, and its sums would be lost; give another name", "input-output")
        self._totals.save(os.fsdecode(path))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Gram) and self._totals == other._totals

    __hash__ = None

    def __repr__(self):
        return f"<Gram of {len(self.columns)} columns: exact sums, private data>"


def totals_of(data):
    """The sums of a Gram, or of a ``.gram`` file; not of a part of a run."""
    totals = data.totals() if isinstance(data, Gram) else _core.ExactGram.load(os.fsdecode(data))
    _core.check_complete(totals)
    return totals


def merge(parts, *, equal_totals=False, incomplete=False):
    """One table from its parts, in any order.

    Parameters
    ----------
    parts : iterable of bytes or Gram
    equal_totals : bool, default=False
        Parts without a name and with equal totals hold different rows. Where nobody says so they are refused: they may be one part, twice.
    incomplete : bool, default=False
        Parts may be missing, as when merging in rounds.

    Returns
    -------
    Gram
    """
    total = None
    for part in parts:
        if not isinstance(part, (Gram, bytes, bytearray, memoryview)):
            raise EigenveilError("parts are what partial gave, bytes, or Grams; files are merged by merge_grams")
        part = part if isinstance(part, Gram) else Gram.from_bytes(part)
        if total is None:
            total = Gram(_core.gram_from_bytes(part.to_bytes()))
            continue
        _core.merge_into(total._totals, part._totals, equal_totals)
    if total is None:
        raise EigenveilError("there is no part to merge")
    if not incomplete:
        _core.check_complete(total._totals)
    return total

"""People on Spark: rows go to the task of their person's shard, sorted, and the rest is a part like any other.

A shuffle by a column that stands for the shard, and a sort inside of its partitions, both of which spill to disk: nothing grows with the rows of a person.
A task refuses a row that is not of its shard, whatever Spark did.
"""

from __future__ import annotations

import numpy as np

from ._errors import EigenveilError
from ._people import HASH_CELLS, limited, shards
from ._shards import sums_of, with_people

_ROUTED = "route long, a double, b double, c double, first long, second long, cells binary"
_ORDER = ("a", "b", "c", "first", "second")


def by_person(rows, bound, to_pairs, key, count):
    """The rows of ``to_pairs(batch)`` (blocks, and whose each row is) in ``count`` partitions, one for each shard, everybody's by their hashes."""
    from pyspark.sql import functions as f

    routes = _routes(rows.sparkSession, count)

    def routed(batches):
        try:
            for batch in batches:
                for block, people in to_pairs(batch):
                    yield _batch(with_people(block, people, bound, key), bound, key, routes)
        except EigenveilError as problem:
            if problem.code == "input-output":  # the next attempt may find the file
                raise
            yield _refusal(problem, routes[0])

    return rows.mapInArrow(routed, _ROUTED).repartition(count, f.col("route")).sortWithinPartitions(*_ORDER)


def person_part(batches, bound, key, name):
    """The part of a shard from its sorted rows."""
    return sums_of((_rows(batch, bound, name) for batch in batches), bound, name, key)


def _routes(spark, count):
    """For every partition a number that Spark's hash partitioning sends there: which one it is, Spark says itself."""
    from pyspark.sql import functions as f

    found, tried = {}, 16 * count
    while len(found) < count:
        numbers = spark.range(tried).select(f.col("id"), f.pmod(f.hash("id"), f.lit(count)).alias("partition"))
        found = {row["partition"]: row["id"] for row in numbers.groupBy("partition").agg(f.min("id").alias("id")).collect()}
        tried *= 4
    return np.array([found[partition] for partition in range(count)], dtype=np.int64)


def _batch(rows, bound, key, routes):
    import pyarrow as pa

    rows, hashes = limited(rows, bound.rows_per_person, key)
    width = len(bound.columns)
    ends = np.arange(len(rows) + 1, dtype=np.int32) * np.int32(8 * width)

    def column(kind, numbers, *more):  # from buffers, since ``pa.array`` imports pandas
        return pa.Array.from_buffers(kind, len(rows), [None, *(pa.py_buffer(np.ascontiguousarray(part)) for part in (numbers, *more))])

    return pa.RecordBatch.from_arrays(
        [
            column(pa.int64(), routes[shards(rows, len(routes))]),
            *(column(pa.float64(), cells) for cells in rows[:, width:].T),
            *(column(pa.int64(), half) for half in hashes.T),
            column(pa.binary(), ends, rows[:, :width]),
        ],
        ["route", *_ORDER, "cells"],
    )


def _refusal(problem, route):
    """Our own sentence as a row that comes first in its shard: nothing is taken from what Spark says of a task that fails."""
    import pyarrow as pa

    cells = [[route], *[[-np.inf]] * HASH_CELLS, [0], [0], [str(problem).encode()]]
    kinds = [pa.int64(), *[pa.float64()] * HASH_CELLS, pa.int64(), pa.int64(), pa.binary()]
    return pa.RecordBatch.from_arrays([pa.array(cell, kind) for cell, kind in zip(cells, kinds)], ["route", *_ORDER, "cells"])


def _rows(batch, bound, name):
    """A batch of sorted rows as a block, people last."""
    cells = batch.column("cells")
    if len(cells) and batch.column("a")[0].as_py() == -np.inf:  # hashes are finite
        raise EigenveilError(cells[0].as_py().decode())
    _, ends, whole = cells.buffers()
    first = np.frombuffer(ends, np.int32)[cells.offset] if len(cells) else 0
    numbers = np.frombuffer(whole or b"", np.float64, len(cells) * len(bound.columns), first)
    people = [np.from_dlpack(batch.column(column)) for column in _ORDER[:HASH_CELLS]]
    rows = np.column_stack([numbers.reshape(len(cells), len(bound.columns)), *people])
    if (shards(rows, name[2]) != name[1]).any():
        raise EigenveilError("a row reached a task that is not that of its person")
    return rows

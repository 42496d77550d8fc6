"""Exact sums of a Spark data frame: one part per partition; small parts are merged by the driver, large ones in rounds on the executors.

    import eigenveil.spark
    gram = eigenveil.spark.gram(df, columns=["age", "income"], bounds={"age": (0, 120), "income": (0, 1e6)})
    model = eigenveil.PrivatePCA(2, epsilon=1, delta=1e-6).fit(gram)

Only what tasks return counts (``mapInArrow``, no accumulators, no files of executors), and every part carries its name: a task that is repeated makes the same
part again, so that retries and speculation cannot count a row twice. Needs eigenveil on the executors (docs/scale.md). Works on classic Spark and on Connect.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import EigenveilError
from ._parquet_files import seen_files
from ._shards import arrow_block, arrow_numbers, merge, new_run, partial, person_key_of, shard_bound
from ._spark_people import by_person, person_part
from ._spark_plan import file_read_twice, offence, plain_parquet
from ._spark_words import quietly

if TYPE_CHECKING:
    from . import Gram  # as the types of the package name it
else:
    from ._shards import Gram

_PART = "part long, piece int, pieces int, bytes binary"
_BATCH_LIMIT = 1 << 30  # of a batch of pieces: Arrow's binary arrays end at 2 GiB, and Spark counts records, not bytes
_SENT_BYTES = 64 << 20  # of pieces a task hands over at a time
_MERGE_BYTES = 256 << 20  # of parts one task holds at a time
_DRIVER_BYTES = 64 << 20  # of parts the driver takes without a round: a shuffle would take longer
_TASK_BYTES = 256 << 20  # of row groups one task reads, if each is smaller
_SMALL_TASK_BYTES = 4 << 20  # and at least, where there are so many
_BATCH_BYTES = 4 << 20  # of rows as float64
_FEWEST = 4


def part_bytes(columns: int) -> int:
    """About how large a part is: two 128-bit sums per pair of columns."""
    return 16 * (columns * (columns + 3) // 2) + 64 * columns + 4096


def gram(
    df: Any,
    columns: Sequence[str] | None = None,
    *,
    features: str | None = None,
    dimension: int | None = None,
    bounds: Any = None,
    row_norm: float | None = None,
    center: Any = None,
    grid: int | None = None,
    missing: str = "midpoint",
    bad_cell: str = "refuse",
    person: str | None = None,
    rows_per_person: int | None = None,
    scratch: str | None = None,
    repeatable: bool = False,
) -> Gram:
    """Exact sums over the rows of a Spark data frame.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        Columns of local Parquet files are read by the tasks as :func:`gram_of_parquet` does, which takes half of the time or less. Other files, and what
        is behind deterministic projections, filters and unions, come through Spark. Anything else (joins, shuffles, sampling, UDFs, RDDs, and whatever
        Connect does not show) could give other rows when a task is repeated, so it is written to ``scratch`` first and read from there.
    columns : list of str, optional
        Columns of numbers, by Spark's types. A hundred columns of doubles cost several times what one array column does: see docs/scale.md for what to use.
    features : str, optional
        Instead: one column of arrays, or of ML vectors, with ``dimension`` numbers each (an embedding); their names are ``features_1``, ...
    dimension : int, optional
        Of ``features``; public. May be left out where bounds has a pair per column.
    bounds, row_norm, center, grid, missing, bad_cell
        As for an estimator; public.
    person, rows_per_person : str and int, optional
        The column (words or whole numbers) that says whose a row is, and how many rows of everybody count: those with the smallest keyed hashes, since
        rows have no order here. A release of the sums protects a person with all their rows. Rows go to the task of their person by a shuffle.
    scratch : str, optional
        A path that driver and executors share, for what has to be written first. It holds private rows, in a directory of mode 0700 where the file system
        has modes; on Connect in one that the server makes as it does: give a name inside a directory that nobody else enters. The caller deletes it.
    repeatable : bool, default=False
        The caller's word that every task gives the same rows whenever it is run: the plan is not looked at, and rows come through Spark.

    Returns
    -------
    Gram
        For the ``fit`` of every estimator that works on sums, or ``save``.
    """
    if quietly(lambda: df.isStreaming):
        raise EigenveilError("a streaming frame has no end: give a frame of what has arrived")
    names = _names(columns, features, dimension, bounds)
    bound = shard_bound(
        names, bounds=bounds, row_norm=row_norm, center=center, grid=grid, missing=missing, bad_cell=bad_cell, person=person, rows_per_person=rows_per_person
    )
    rows, vectors = _chosen(df, [features] if features else names, features is not None, person)
    if not repeatable:
        twice = quietly(lambda: file_read_twice(rows))
        if twice is not None:
            raise EigenveilError(f"the frame reads the file {twice} twice: each of its rows counts twice; repeatable=True if that is meant")
        rows = _repeatable(rows, scratch)
        files = None if vectors else _plain_files(rows, features is not None, person)
        if files is not None:
            return _of_files(rows.sparkSession, files, [features] if features else names, bound, features is not None)
    if vectors:
        from pyspark.ml.functions import vector_to_array

        rows = rows.select(vector_to_array(_quoted(features)).alias(features), *([_quoted(person)] if person else []))
    return _summed(rows, bound, _blocks(bound, features is not None))


def gram_of_parquet(
    spark: Any,
    paths: str | Sequence[str],
    columns: Sequence[str] | None = None,
    *,
    features: str | None = None,
    dimension: int | None = None,
    bounds: Any = None,
    row_norm: float | None = None,
    center: Any = None,
    grid: int | None = None,
    missing: str = "midpoint",
    bad_cell: str = "refuse",
    person: str | None = None,
    rows_per_person: int | None = None,
) -> Gram:
    """The same for Parquet files, whose row groups the tasks read by themselves: the fastest way, since no row passes through Spark.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
    paths : str or list of str
        Files that every executor can open under this name, each once, and that nobody changes meanwhile: a task refuses one whose footer is not the one
        that the driver saw.
    columns : list of str, optional
        Default: those of the first file.
    features, dimension : optional
        Instead, as in :func:`gram`: one column of arrays with ``dimension`` numbers each.
    bounds, row_norm, center, grid, missing, bad_cell, person, rows_per_person
        As in :func:`gram`.

    Returns
    -------
    Gram
    """
    paths = [paths] if isinstance(paths, str) else list(paths)
    if not paths:
        raise EigenveilError("paths names no file")
    names = _names(columns, features, dimension, bounds) if features is not None else columns
    read, files = seen_files(paths, [features] if features is not None else columns, features is not None, person)
    bound = shard_bound(
        names or read, bounds=bounds, row_norm=row_norm, center=center, grid=grid, missing=missing, bad_cell=bad_cell, person=person,
        rows_per_person=rows_per_person
    )
    return _of_files(spark, files, read, bound, features is not None)


def _of_files(spark, files, read, bound, arrays):
    """From files that were seen: ``read`` are their columns of numbers, or the one of arrays."""
    work = _packed([(file, group, size) for file, groups in files for group, size in enumerate(groups)], _parallelism(spark))
    tasks = spark.range(0, len(work), 1, max(1, len(work)))
    columns = [*read, *([bound.person] if bound.person else [])]
    to_blocks = _blocks(bound, arrays)

    def blocks(batch):
        for number in batch.column(0).to_pylist():
            for file, groups in work[number].items():
                rows = max(1, _BATCH_BYTES // (8 * len(bound.columns)))
                for some in file.open().iter_batches(batch_size=rows, row_groups=groups, columns=columns):
                    yield from to_blocks(some.select(columns))

    return _summed(tasks, bound, blocks, [said for file, _ in files for said in (file.replaced, file.unreadable)])


def _parallelism(spark):
    """How many tasks run at a time, as far as can be told."""
    return spark.sparkContext.defaultParallelism if hasattr(spark, "_jsc") else 1


def _packed(groups, parallelism=1):
    """Row groups (file, group, bytes) in the order of the files, as tasks: {file: groups}, as large as Spark's own, from small files none of its own."""
    together = sum(size for _, _, size in groups) // max(1, parallelism)
    limit = min(_TASK_BYTES, max(_SMALL_TASK_BYTES, together))
    tasks, size = [], limit
    for file, group, bytes_ in groups:
        if size + bytes_ > limit:
            tasks.append({})
            size = 0
        tasks[-1].setdefault(file, []).append(group)
        size += bytes_
    return tasks


def _summed(rows, bound, to_blocks, sentences=()):
    return quietly(lambda: _total(rows, bound, to_blocks), sentences)


def _total(rows, bound, to_blocks):
    run, count, size, piece = new_run(), _partitions(rows), part_bytes(len(bound.columns)), _piece_bytes(rows)
    if count == 0:  # a frame that Spark knows to be empty has no task
        return merge([partial([], bound)])
    key = b""
    if bound.person:
        key, count = person_key_of(None), min(count, int(rows.sparkSession.conf.get("spark.sql.shuffle.partitions", "200")))
        rows = by_person(rows, bound, to_blocks, key, count)

    def part(batches):
        from pyspark import TaskContext

        name = run, TaskContext.get().partitionId(), count
        try:
            if bound.person:
                sums = person_part(batches, bound, key, name)
            else:
                sums = partial((block for batch in batches for block in to_blocks(batch)), bound, shard=name)
        except EigenveilError as problem:
            yield _refusal(name[1], problem)
            return
        yield from _pieces(name[1], sums, piece)

    def sums_of_nobody():
        return (partial([], bound, shard=(run, index, count), person_key=key) for index in range(count))

    parts = rows.mapInArrow(part, _PART)
    if count * size <= _DRIVER_BYTES:
        return _merged_here(parts.collect(), sums_of_nobody if bound.person else None)
    width = max(2, _MERGE_BYTES // size)
    left = count
    while left > (1 if width == 2 else min(_FEWEST, width)):
        left = -(-left // width)
        parts = _merged(parts, left, piece)
    return _merged_here(parts.toLocalIterator(), sums_of_nobody if bound.person else None)


def _merged_here(rows, otherwise=None):
    """The table from rows of _PART. ``otherwise``: where nobody's row is kept, Spark sees an empty shuffle and starts none of the tasks behind it."""
    parts = _whole(rows)
    first = next(parts, None)
    return merge(otherwise() if first is None and otherwise else _chain(first, parts))


def _merged(parts, tasks, piece):
    """A round: parts go to tasks by their number, not by chance, and one part comes back from each."""
    from pyspark.sql import functions as f

    def join(batches):
        found = _whole(row for batch in batches for row in batch.to_pylist())
        try:
            first = next(found, None)
            if first is None:
                return
            total = merge(_chain(first, found), incomplete=True)
        except EigenveilError as problem:
            yield _refusal(0, problem)
            return
        yield from _pieces(min(index for _, _, indices in total.shards for index in indices), total.to_bytes(), piece)

    return parts.repartition(tasks, f.pmod(f.col("part"), f.lit(tasks))).mapInArrow(join, _PART)


def _piece_bytes(rows):
    """How large a piece may be for a batch of pieces to stay below the limit."""
    records = int(rows.sparkSession.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch", "10000"))
    return max(1, _BATCH_LIMIT // records) if records > 0 else 1 << 10


def _pieces(index, sums, piece, said=None):
    """A part as rows of _PART, a few at a time. From buffers, since ``pa.array`` imports pandas. ``said``: the count of pieces to state instead."""
    import pyarrow as pa

    count = max(1, -(-len(sums) // piece))
    together = max(1, _SENT_BYTES // piece)
    whole = pa.py_buffer(sums)

    def column(kind, numbers):
        return pa.Array.from_buffers(kind, len(numbers), [None, pa.py_buffer(np.ascontiguousarray(numbers))])

    for start in range(0, count, together):
        numbers = np.arange(start, min(start + together, count))
        ends = np.minimum(np.append(numbers, numbers[-1] + 1) * piece, len(sums)) - start * piece
        cells = pa.Array.from_buffers(pa.binary(), len(numbers), [None, pa.py_buffer(ends.astype(np.int32)), whole.slice(start * piece, int(ends[-1]))])
        yield pa.RecordBatch.from_arrays(
            [column(pa.int64(), np.full(len(numbers), index, np.int64)), column(pa.int32(), numbers.astype(np.int32)),
             column(pa.int32(), np.full(len(numbers), count if said is None else said, np.int32)), cells],
            ["part", "piece", "pieces", "bytes"],
        )


def _whole(rows):
    """Parts from rows of _PART in any order, each as soon as its last piece is there."""
    waiting = {}
    for row in rows:
        if row["pieces"] == 0:
            raise EigenveilError(row["bytes"].decode())
        pieces = waiting.setdefault(row["part"], {})
        pieces[row["piece"]] = row["bytes"]
        if len(pieces) == row["pieces"]:
            del waiting[row["part"]]
            yield b"".join(pieces[number] for number in range(len(pieces)))
    if waiting:
        raise EigenveilError("a piece of a part did not arrive")


def _refusal(index, problem):
    """Our own sentence as a row of _PART: what Spark says of a task that fails may quote a cell, in any words, so none is taken from there.

    Files are another matter: the next attempt may find them.
    """
    if problem.code == "input-output":
        raise problem
    words = re.sub(r"^row \d+, ", "", str(problem)).encode()  # a place in this task, nowhere else
    return next(_pieces(index, words, max(1, len(words)), 0))


def _chain(first, rest):
    if first is not None:
        yield first
    yield from rest


def _partitions(rows):
    """How many tasks read these rows. Without an RDD (Connect) they are started once and answer before they read."""
    if hasattr(rows, "_jdf"):
        return rows.rdd.getNumPartitions()

    def count(batches):
        import pyarrow as pa
        from pyspark import TaskContext

        yield pa.RecordBatch.from_pydict({"part": pa.array([TaskContext.get().partitionId()], pa.int64())})

    return rows.mapInArrow(count, "part long").count()


def _plain_files(rows, arrays, person):
    """The files of a frame that is columns of Parquet files on a path that all tasks share, if pyarrow sees in them what Spark does; else None."""
    paths = quietly(lambda: plain_parquet(rows))
    if not paths:
        return None
    names = [name for name in rows.columns if name != person]
    try:
        _, files = seen_files(paths, names, arrays, person, {field.name: field.dataType.simpleString() for field in rows.schema.fields})
    except EigenveilError:  # Spark knows better what is the matter with them
        return None
    return files


def _repeatable(rows, scratch):
    found = quietly(lambda: offence(rows))
    if found is None:
        return rows
    if scratch is None:
        raise EigenveilError(
            f"a task that is repeated could see other rows, because of {found}: give scratch=, a path that driver and executors share, and the rows are "
            "written there first, or repeatable=True if you know better"
        )
    remove = _private(rows.sparkSession, scratch)
    try:
        quietly(lambda: rows.write.mode("append" if remove else "error").parquet(scratch))
    except EigenveilError:
        if remove:
            remove()
        raise
    return rows.sparkSession.read.parquet(scratch)


def _private(spark, scratch):
    """Makes a directory that its owner alone can enter, and returns what removes it; on Connect (None) the server makes it, as it does."""
    if not hasattr(spark, "_jvm"):
        return None
    jvm = spark._jvm
    path = jvm.org.apache.hadoop.fs.Path(scratch)
    system = path.getFileSystem(spark._jsc.hadoopConfiguration())
    if system.exists(path):
        raise EigenveilError("scratch exists already: give the name of a directory that does not", "input-output")
    mode = jvm.org.apache.hadoop.fs.permission.FsPermission("700")
    system.mkdirs(path, mode)
    system.setPermission(path, mode)
    return lambda: system.delete(path, True)


def _chosen(df, names, features, person=None):
    """The columns (and whether they are ML vectors), or one sentence: by their types alone, before a task starts."""
    from pyspark.sql import types

    try:
        rows = df.select(*[_quoted(name) for name in (*names, *([person] if person else []))])
        kinds = [field.dataType for field in rows.schema.fields]
    except Exception as problem:
        rows, kind = None, type(problem).__name__
    if rows is None:
        absent = [name for name in (*names, person or names[0]) if df.columns.count(name) != 1]
        raise EigenveilError(f"the data frame has not exactly one column '{absent[0]}'" if absent else f"the columns cannot be selected ({kind})")
    numbers = types.NumericType, types.BooleanType, types.NullType
    for name, kind in zip(names, kinds):
        is_vector = type(kind).__name__ == "VectorUDT"
        array = isinstance(kind, types.ArrayType) and isinstance(kind.elementType, numbers)
        if features and not (array or is_vector):
            raise EigenveilError(f"column '{name}' does not hold arrays of numbers or ML vectors (its type is {kind.simpleString()})")
        if not features and (array or is_vector):
            raise EigenveilError(f"column '{name}' holds arrays: give it as features='{name}'")
        if not features and not isinstance(kind, numbers):
            raise EigenveilError(f"column '{name}' does not hold numbers (its type is {kind.simpleString()}): cast it first")
    if person and not isinstance(kinds[-1], (types.StringType, types.IntegralType, types.FractionalType)):
        raise EigenveilError(f"column '{person}' does not name people by words or numbers (its type is {kinds[-1].simpleString()}): cast it first")
    return rows, features and is_vector


def _names(columns, features, dimension, bounds):
    if (columns is None) == (features is None):
        raise EigenveilError("give either columns, a list of names, or features, the name of one array column")
    if columns is not None:
        return [str(name) for name in ([columns] if isinstance(columns, str) else columns)]
    if dimension is None and np.ndim(bounds) == 2:
        dimension = len(bounds)
    if dimension is None:
        raise EigenveilError("dimension says how many numbers an array of features has; it is public and is not read off the rows")
    return [f"{features}_{j + 1}" for j in range(int(dimension))]


def _quoted(name):
    return f"`{name.replace('`', '``')}`"


def _blocks(bound, arrays):
    """Arrow batches as blocks of numbers; with people as pairs of a block and whose its rows are."""

    def blocks(batch):
        block = _array_block(batch.column(0), len(bound.columns)) if arrays else arrow_block(batch, bound.columns)
        yield (block, batch.column(bound.person).to_pylist()) if bound.person else block

    return blocks


def _array_block(arrays, dimension):
    import pyarrow.compute as pc

    # A row of another length is one of missing cells, as where there is none: how many there are must not stop a run.
    fits = pc.fill_null(pc.equal(pc.list_value_length(arrays), dimension), False)
    if pc.all(fits, min_count=0).as_py():
        return arrow_numbers(arrays.flatten()).reshape(-1, dimension)
    block = np.full((len(arrays), dimension), np.nan)
    block[np.array(fits.to_pylist())] = arrow_numbers(arrays.filter(fits).flatten()).reshape(-1, dimension)
    return block


__all__ = ["Gram", "gram", "gram_of_parquet"]

"""Rows of Arrow: tables, streams, datasets, Parquet. Everything is taken batch by batch; only one batch is in memory as numbers.

Messages of pyarrow may show a cell, so a failure is told by its kind alone.
"""

from __future__ import annotations

import os
from pathlib import Path


from ._errors import EigenveilError

_BATCH_BYTES = 4 << 20  # as float64; small beside a row group, large beside the cost of handing it over
_FORMATS = {".parquet": "parquet", ".pq": "parquet", ".feather": "ipc", ".arrow": "ipc"}


def is_arrow_path(path):
    """Whether a path is read by pyarrow: a Parquet or Arrow file by its ending, in any case, or a directory of Parquet files."""
    return _ending(path) in _FORMATS or os.path.isdir(path)


def _ending(path):
    return os.path.splitext(path)[1].lower()


def path_table(path, options, make_source):
    """A Parquet or Arrow file, or a directory of Parquet files (with ``key=value`` folders as columns)."""
    pa = _pyarrow(f"{os.path.basename(path)} is read with")
    import pyarrow.dataset as datasets

    kind = _FORMATS.get(_ending(path), "parquet")
    title = {"parquet": "Parquet", "ipc": "Arrow"}[kind]
    if not os.path.exists(path):
        raise EigenveilError(f"there is no file {path}", "input-output")
    if os.path.isdir(path) and not any(Path(path).rglob("*.[pP]*[qQ]*")):
        raise EigenveilError(f"{path} is a directory without Parquet files", "input-output")
    try:
        if kind == "parquet" and not os.path.isdir(path):
            return _parquet_file(path, options, make_source)
        data = datasets.dataset(path, format=kind, partitioning="hive" if os.path.isdir(path) else None)
    except (pa.ArrowException, OSError) as problem:
        failure = type(problem).__name__
    else:
        batches = _row_groups if os.path.isdir(path) else _scan
        return _source(data.schema, lambda names: batches(data, names), options, make_source, data.count_rows, f"the {title} data")
    raise EigenveilError(f"cannot read {path} as {title} ({failure}); is it complete?", "input-output")


def _parquet_file(path, options, make_source):
    import pyarrow.parquet as parquet

    # Without pre_buffer: it would hold the whole file.
    file = parquet.ParquetFile(path, pre_buffer=False, buffer_size=1 << 16)

    def batches(names):
        return file.iter_batches(batch_size=_rows_per_batch(len(names)), columns=names)

    return _source(file.schema_arrow, batches, options, make_source, file.metadata.num_rows, "the Parquet file")


def arrow_table(data, options, make_source, title="the Arrow data"):
    """A Table, RecordBatch, RecordBatchReader, Dataset or Scanner, or whatever offers itself as an Arrow stream."""
    pa = _pyarrow("Arrow data needs")
    if isinstance(data, pa.RecordBatch):
        data = pa.Table.from_batches([data])
    if isinstance(data, (pa.Array, pa.ChunkedArray, pa.Scalar)):
        raise ValueError("Expected 2D array, got 1D array instead. Reshape your data: a table has named columns, e.g. pyarrow.table({'name': column}).")
    if isinstance(data, pa.Table):
        return _source(data.schema, lambda names: data.select(names).to_batches(), options, make_source, data.num_rows, title)
    if hasattr(data, "projected_schema"):  # a Scanner has chosen its columns
        return _read_once(_source(data.projected_schema, lambda _: data.to_batches(), options, make_source, data.count_rows, title))
    if hasattr(data, "to_batches") and hasattr(data, "count_rows"):
        return _source(data.schema, lambda names: _scan(data, names), options, make_source, data.count_rows, title)
    if not isinstance(data, pa.RecordBatchReader):
        data = _stream(pa, data)
    return _read_once(_source(data.schema, lambda _: iter(data), options, make_source, None, title))


def _read_once(source):
    """A stream, or a scanner, which may be one: a second pass over it would find no rows."""
    source.can_be_read_again = False
    return source


def _row_groups(dataset, names):
    """The batches of a dataset without a filter, one row group of one file after the other: only that one is in memory."""
    for fragment in dataset.get_fragments():
        for group in fragment.split_by_row_group():
            yield from _scan(group, names, schema=dataset.schema)


def _scan(dataset, names, **more):
    """The batches of a dataset, with its filter if it has one, and with little read ahead.

    How much a scanner holds depends on who is faster, but its queue has room for a number of batches: they are small here, and made on one thread.
    """
    import pyarrow.dataset as datasets

    rows = max(1, _rows_per_batch(len(names)) // 8)
    settings = dict(columns=names, batch_size=rows, batch_readahead=1, fragment_readahead=1, use_threads=False, **more)
    if getattr(getattr(dataset, "format", None), "default_extname", "") == "parquet":
        settings["fragment_scan_options"] = datasets.ParquetFragmentScanOptions(pre_buffer=False)
    return dataset.to_batches(**settings)


def _stream(pa, data):
    try:
        return pa.RecordBatchReader.from_stream(data)
    except Exception as problem:
        kind = type(problem).__name__
    raise EigenveilError(f"the table could not be opened as an Arrow stream ({kind}; values are not shown)")


def _source(schema, batches, options, make_source, rows, title):
    from ._rows import chosen_columns

    chosen, names = chosen_columns(schema.names, options, title)
    read = [schema.names[j] for j in chosen]
    for name in read:
        if name not in (options.person, *options.words):
            check_type(schema.field(name).type, name)
    return make_source(names, True, lambda: _blocks(batches(read), read, options, title), rows)


def check_type(kind, name):
    import pyarrow.types as types

    if types.is_dictionary(kind) and not (types.is_integer(kind.value_type) or types.is_floating(kind.value_type)):
        raise EigenveilError(f"column '{name}' holds categories; a table holds numbers: encode them first, one 0/1 column per category (one_hot does it)")
    if types.is_dictionary(kind):
        return
    numbers = types.is_integer, types.is_floating, types.is_boolean, types.is_decimal, types.is_null
    if not any(test(kind) for test in numbers):
        raise EigenveilError(f"column '{name}' does not hold numbers (its type is {kind})")


def _blocks(batches, names, options, title):
    rows = _rows_per_batch(len(names))
    for batch in _read(batches, title):
        for first in range(0, batch.num_rows, rows):
            yield _block(batch.slice(first, rows), names, options)


def _read(batches, title):
    """The batches; where the data is damaged, one sentence without what pyarrow saw."""
    batches = iter(batches)
    while True:
        try:
            batch = next(batches)
        except StopIteration:
            return
        except Exception as problem:
            kind = type(problem).__name__
        else:
            yield batch
            continue
        break
    raise EigenveilError(f"{title} could not be read to the end ({kind}; values are not shown); is it complete?", "input-output")


def _block(batch, names, options):
    import pyarrow as pa

    from ._rows import stacked

    def numbers(name):
        column = batch.column(name)
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        # Nulls become NaN, which is a missing cell. Not safe: a large integer may be rounded, like everywhere.
        return column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)

    return stacked(names, options, numbers, lambda name: batch.column(name).to_pylist())


def _rows_per_batch(columns):
    return max(1, _BATCH_BYTES // (8 * max(1, columns)))


def _pyarrow(what):
    try:
        import pyarrow
    except ImportError:
        pyarrow = None
    if pyarrow is None:
        raise EigenveilError(f"{what} pyarrow, which is not installed: pip install pyarrow")
    return pyarrow

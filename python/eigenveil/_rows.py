"""Where rows come from. Every source knows its column names before a row is read and feeds a sink of the engine.

NumPy arrays are handed to C++ as they lie in memory; frames, Arrow data (_arrow.py), sparse and other tables go block by block; files are read by the
C++ readers (Parquet by pyarrow). Nothing here looks at a value.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import chain

import numpy as np
from sklearn.utils.validation import validate_data

from . import _core
from ._arrow import arrow_table, is_arrow_path, path_table
from ._cells import NO_NUMBERS, numbers, unmasked
from ._errors import EigenveilError
from ._shards import Gram
from ._table import word_cells

_BLOCK_BYTES = 16 << 20
_DIRECT = {"f": (4, 8), "i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "b": (1,)}


def _plain_name(name, column):
    """As the engine takes it: text that is UTF-8; what else a name must be it says itself."""
    try:
        str(name).encode()
    except UnicodeEncodeError:
        raise EigenveilError(f"the name of column {column} is not one line of plain UTF-8 text") from None
    return str(name)


class Source:
    """A table: ``names``, whether they were given (``named``), and its blocks."""

    def __init__(self, names, named, blocks, rows=None):
        self.names = [_plain_name(name, column) for column, name in enumerate(names, 1)]
        self.named = named
        self._blocks = blocks
        self._rows = rows
        if not self.names:
            raise EigenveilError("Found array with 0 feature(s): a table needs at least one column")

    can_be_read_again = True
    fills_gaps = True  # set by open_source: whether missing cells stand at the midpoint or are refused

    @property
    def schema(self):
        return _core.Schema(self.names, self.fills_gaps)

    @property
    def stated_rows(self):
        """How many there are where that is known without reading; the session looks at it where it is public."""
        return None if callable(self._rows) else self._rows

    def count_rows(self):
        """Before they are read; None where only reading would tell."""
        return self._rows() if callable(self._rows) else self._rows

    def feed(self, accumulator, options, progress):
        done, rows = 0, None if callable(self._rows) else self._rows
        for block in self._blocks():
            whole = len(block) == rows
            accumulator.add_array(block, self.names, options.refuse_missing, options.refuse_bad, progress.tick if whole and rows else None)
            done += len(block)
            if rows:
                progress.tick(done / rows)


class BatchSource:
    """Tables one after the other, from a generator: each is read and let go before the next is asked for."""

    can_be_read_again = False

    def __init__(self, batches, options):
        first = next(batches, None)
        if first is None:
            raise EigenveilError("the generator gave no table; it must give at least one, perhaps without rows, to tell the columns")
        first = _batch(first, options)
        self._batches = chain([first], (_batch(batch, options) for batch in batches))
        self.names, self.named = first.names, first.named
        self.schema = first.schema

    def count_rows(self):
        return None

    def feed(self, accumulator, options, progress):
        for batch in self._batches:
            if len(batch.names) != len(self.names) or (batch.named and self.named and batch.names != self.names):
                raise ValueError("the tables of the generator do not have the same columns")
            batch.names = self.names
            batch.feed(accumulator, options, progress)


def _batch(data, options):
    if isinstance(data, (str, os.PathLike)):
        raise EigenveilError("a generator gives tables, not paths; call partial_fit for each file, then release")
    return open_source(data, options)


class FileSource:
    """A file read by the C++ readers: CSV, TSV, NPY, IDX, PLINK."""

    named = True

    def __init__(self, path, options):
        self._path = path
        self._open = lambda: _core.Table(path, options.spec, options.format, *options.label)
        self._table = self._open()
        self.schema = self._table.schema
        self.names = self.schema.columns
        self.counted_alleles = self.schema.counted_alleles

    @property
    def can_be_read_again(self):
        """No pipe."""
        return os.path.isfile(self._path)

    @property
    def stated_rows(self):
        return self._table and self._table.stated_rows

    def count_rows(self):
        if not self.can_be_read_again:
            raise EigenveilError("the rows are read more than once: give a file, not a pipe")
        return self._open().count_rows(0)

    def feed(self, accumulator, options, progress):
        table, self._table = self._table or self._open(), None  # read once; a second pass opens it again
        accumulator.add_table(table, progress.tick)


def is_gram(data):
    """Whether this is exact sums, or names a file of them."""
    if isinstance(data, Gram):
        return True
    return isinstance(data, (str, os.PathLike)) and os.fsdecode(data).lower().endswith(".gram")


def is_text(data):
    """Whether this names a file of text, whose first line may be one of names."""
    return isinstance(data, (str, os.PathLike)) and os.fsdecode(data).lower().removesuffix(".gz").endswith((".csv", ".tsv", ".txt"))


def open_source(data, options):
    """The source for whatever ``fit`` was given."""
    source = _source_of(data, options)
    if isinstance(source, Source):
        source.fills_gaps = not (options.refuse_missing and options.refuse_bad)
    return source


def _source_of(data, options):
    if isinstance(data, (str, os.PathLike)):
        path = os.fsdecode(data)
        if not is_arrow_path(path):
            return FileSource(path, options)
        return path_table(path, options, Source)
    module = type(data).__module__.partition(".")[0]
    if module in ("pandas", "polars"):
        return (_pandas if module == "pandas" else _polars)(data, options)
    if module == "pyarrow" or hasattr(data, "__arrow_c_stream__"):
        return arrow_table(data, options, Source)
    return BatchSource(data, options) if hasattr(data, "__next__") else _numpy(data, options)


def chosen_columns(names, options, what="table"):
    """Positions of the columns to read, that of people last, and the names that their cells have."""
    names = [str(name) for name in names]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise EigenveilError(f"the {what} has two columns of the name '{twice}'; rename one")
    special = [*options.appended, *([options.person] if options.person else [])]
    absent = [name for name in (*options.columns, *options.exclude, *special) if name not in names]
    if absent:
        raise EigenveilError(f"the {what} has no column '{absent[0]}'")
    left_out = {*options.exclude, *special}
    chosen = [name for name in options.columns or names if name not in left_out] + special
    people = _core.hashed_names(options.person) if options.person else []
    return [names.index(name) for name in chosen], chosen[: len(chosen) - bool(people)] + people


def chooses(options):
    """Whether rows are not read as they stand."""
    return bool(options.columns or options.exclude or options.appended or options.person)


def stacked(names, options, numbers, cells):
    """A block of rows column by column: ``numbers`` gives floats; ``cells`` a list, None where one is missing, for words and people."""
    columns = []
    for name in names:
        if name == options.person:
            columns.append(options.hashed(cells(name)))
        elif name in options.words:
            columns.append(_core.coded(word_cells(cells(name)), options.words[name]))
        else:
            columns.append(numbers(name))
    return np.column_stack(columns)


def _of_array(block, chosen, options):
    """Chosen columns of a block of an array; people, who come last, by their hashes."""
    block = block[:, chosen]
    if not options.person:
        return numbers(block)
    people = [None if cell != cell else cell for cell in np.asarray(unmasked(block[:, -1])).tolist()]
    return np.column_stack([numbers(block[:, :-1]), options.hashed(people)])


def _rows_per_block(columns):
    return max(1, _BLOCK_BYTES // (8 * max(1, columns)))


def _pieces(rows, columns) -> Iterator[tuple[int, int]]:
    step = _rows_per_block(columns)
    return ((first, min(first + step, rows)) for first in range(0, rows, step))


def is_sparse(data):
    """Whether this is a sparse matrix or array of SciPy, which need not be imported for that."""
    return hasattr(data, "toarray") and hasattr(data, "tocsr") and hasattr(data, "nnz")


def dense_blocks(data):
    """A sparse table, made dense some rows at a time; one block without rows if it has none."""
    if len(data.shape) != 2:
        raise ValueError(f"Expected 2D array, got {len(data.shape)}D array instead. Reshape your data: one row per record, one column per feature.")
    table = data.tocsr()  # the format whose rows are cheap to cut out; no more cells than were stored
    rows, columns = table.shape
    for a, b in _pieces(rows, columns) if rows else ((0, 0),):
        yield table[a:b].toarray()


def _sparse(data, options):
    """A cell that is not stored is a zero, not a missing one."""
    if len(data.shape) != 2 or data.dtype.kind == "c":
        next(dense_blocks(data))  # says what is wrong with the shape
        raise ValueError("Complex data not supported: a sparse table holds real numbers (method orbit takes complex arrays, dense ones)")
    if options.words:
        raise EigenveilError("one_hot with words needs a data frame, Arrow data or a text file; arrays hold codes")
    chosen, names = chosen_columns([f"c{j + 1}" for j in range(data.shape[1])], options, "array")
    table = data.tocsr()[:, chosen] if chooses(options) else data.tocsr()
    everything = list(range(len(chosen)))
    return Source(names, False, lambda: (_of_array(block, everything, options) for block in dense_blocks(table)), int(data.shape[0]))


def _numpy(data, options):
    if is_sparse(data):
        return _sparse(data, options)
    array = data if _can_be_sliced(data) else np.asanyarray(unmasked(data))
    if options.words:
        raise EigenveilError("one_hot with words needs a data frame, Arrow data or a text file; arrays hold codes")
    if array.dtype.kind == "c" and not (options.complex_rows and len(array.shape) == 2):
        raise ValueError(
            "Complex data not supported: a table holds real numbers (method orbit takes complex rows with method_options={'complex_rows': True})"
        )
    if array.dtype.kind == "V":
        raise EigenveilError("the array has named fields; make a table of it: numpy.lib.recfunctions.structured_to_unstructured, or pandas.DataFrame(X)")
    if array.dtype.kind in "mM":
        raise EigenveilError("the array holds dates or times; a table holds real numbers")
    if len(array.shape) == 0:
        raise ValueError("Expected 2D array, got scalar array instead: X must be a table, a generator of tables, or a path; a dict of columns becomes one by pandas.DataFrame(X)")
    if len(array.shape) != 2:
        raise ValueError(
            f"Expected 2D array, got {len(array.shape)}D array instead. Reshape your data using array.reshape(-1, 1) if it has one column "
            "or array.reshape(1, -1) if it is one row."
        )
    names = [f"c{j + 1}" for j in range(int(array.shape[1]))]
    if array.dtype.kind == "c":
        array, names = as_pairs(np.asarray(unmasked(array))), [f"{name}.{part}" for name in names for part in ("re", "im")]
    rows, columns = (int(size) for size in array.shape)
    chosen, names = chosen_columns(names, options, "array")
    if chooses(options):
        return Source(names, False, lambda: (_of_array(array[a:b], chosen, options) for a, b in _pieces(rows, columns)), rows)
    if _lies_ready(array):
        return Source(names, False, lambda: iter((array,)), rows)
    return Source(names, False, lambda: (numbers(array[a:b]) for a, b in _pieces(rows, columns)), rows)


def _can_be_sliced(data):
    """Whether this is a table that gives blocks of rows as arrays, such as one in an HDF5 or Zarr file: it is never read whole."""
    shape = getattr(data, "shape", None)
    is_known = isinstance(shape, tuple) and len(shape) == 2 and all(isinstance(size, (int, np.integer)) for size in shape)
    return is_known and hasattr(getattr(data, "dtype", None), "kind") and hasattr(data, "__getitem__")


def _lies_ready(array):
    """Whether C++ can read the cells where they are."""
    return (
        isinstance(array, np.ndarray)
        and not np.ma.isMaskedArray(array)
        and array.dtype.isnative
        and array.dtype.itemsize in _DIRECT.get(array.dtype.kind, ())
        and all(stride >= 0 and stride % array.dtype.itemsize == 0 for stride in array.strides)
    )


# What scikit-learn says about the form of a table. Its other messages may show cells.
_ABOUT_FORM = ("X has ", "The feature names", "Feature names", "Sparse data", "Found array", "Input X contains", "Expected 2D", "Complex data")


def checked_rows(estimator, X):
    """Rows to transform or score, checked like scikit-learn does; a message never shows a cell."""
    if isinstance(X, (str, os.PathLike)):
        raise TypeError("transform and score take a table, not a path: read the rows first, for example with pandas or pyarrow")
    if type(X).__module__.partition(".")[0] == "polars":
        X = _collected(X)
    X = unmasked(X)
    try:
        return validate_data(estimator, X, reset=False, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan")
    except Exception as problem:
        kind, message = (type(problem) if type(problem) in (ValueError, TypeError) else ValueError), str(problem)
    if not message.startswith(_ABOUT_FORM):
        message = NO_NUMBERS
    elif message.startswith(("Expected 2D", "Complex data")):
        message = f"{message.splitlines()[0].rstrip(':')}. Reshape your data: one row per record, one column per feature (no value is shown)"
    raise kind(message)


def as_pairs(rows):
    """Complex numbers as pairs of columns: real part, imaginary part."""
    return np.ascontiguousarray(rows).view(rows.real.dtype)


def as_complex(pairs):
    return np.ascontiguousarray(pairs).view(np.result_type(pairs.dtype, np.complex64))


def coordinate_names(names):
    """Coordinates of complex rows carry the name of their real part: c1 for c1.re."""
    return [name.removesuffix(".re") if len(name) > 3 else name for name in names[::2]]


def checked_complex_rows(estimator, X):
    """Complex rows to transform or score; a missing cell (NaN) is not guessed."""
    X = np.asarray(X)
    if X.ndim != 2 or X.dtype.kind not in "cfiub":
        raise ValueError("Expected 2D array of complex numbers, one row per record and one column per coordinate (no value is shown)")
    if X.shape[1] != estimator.n_features_in_:
        raise ValueError(f"X has {X.shape[1]} features, but {type(estimator).__name__} is expecting {estimator.n_features_in_} features as input")
    X = X.astype(np.complex64 if X.dtype == np.complex64 else np.complex128, copy=False)
    if not np.isfinite(X).all():
        raise ValueError("Input X contains NaN or infinity (no value is shown)")
    return X


def _collected(data):
    """A lazy frame is run. What fails may be a cell, so only the kind of failure is told."""
    if not hasattr(data, "collect"):
        return data
    try:
        return data.collect()
    except Exception as problem:
        kind = type(problem).__name__
    raise EigenveilError(f"the lazy frame could not be collected ({kind}; values are not shown)")


def _pandas(data, options):
    if data.ndim != 2:
        raise ValueError("Expected 2D array, got 1D array instead. Reshape your data: use frame[['column']] for one column.")
    chosen, names = chosen_columns(data.columns, options, "data frame")
    named = all(isinstance(name, str) for name in data.columns)
    read = [str(data.columns[j]) for j in chosen]
    for j, name in zip(chosen, read):
        if name not in (options.person, *options.words) and getattr(data.dtypes.iloc[j], "kind", "O") in "mMc":
            raise EigenveilError(f"column '{name}' does not hold real numbers (its type is {data.dtypes.iloc[j]})")

    def blocks():
        for a, b in _pieces(len(data), len(chosen)):
            yield _frame_block(data.iloc[a:b, chosen], read, options)

    if len(names) and data.dtypes.nunique() == 1 and data.dtypes.iloc[0].kind in "fiub" and not chooses(options):
        whole = data.to_numpy()  # a view where the frame is one block
        if np.shares_memory(whole, data.iloc[:, 0].to_numpy()):
            inner = _numpy(whole, options)
            return Source(names, named, inner._blocks, len(data))
    return Source(names, named, blocks, len(data))


def _frame_block(frame, names, options):
    def numbers(name):
        try:
            return frame.iloc[:, names.index(name)].to_numpy(dtype=float, na_value=np.nan)
        except Exception:
            pass  # its message may show the cell: raised below, without it in __context__
        raise EigenveilError(f"column '{name}' holds a cell that is no number (the value is not shown)")

    def cells(name):
        column = frame.iloc[:, names.index(name)]
        return [None if gone else cell for cell, gone in zip(column.tolist(), column.isna().tolist())]

    return stacked(names, options, numbers, cells)


def _polars(data, options):
    lazy = hasattr(data, "collect_schema") and hasattr(data, "collect")
    if not (lazy or hasattr(data, "columns")):
        raise ValueError("Expected 2D array, got 1D array instead. Reshape your data: use series.to_frame().")
    schema = _polars_schema(data) if lazy else data.schema
    chosen, names = chosen_columns(list(schema), options, "data frame")
    read = [list(schema)[j] for j in chosen]
    for name in read:
        if name not in (options.person, *options.words) and not (schema[name].is_numeric() or str(schema[name]) in ("Boolean", "Null")):
            raise EigenveilError(f"column '{name}' does not hold numbers (its type is {schema[name].base_type()})")
    data = data.select(read)

    def blocks():
        for frame in _polars_frames(data, len(names)) if lazy else (data,):
            for a, b in _pieces(len(frame), len(names)):
                part = frame.slice(a, b - a)
                yield stacked(read, options, lambda name: part[name].cast(float).to_numpy(), lambda name: part[name].to_list())

    return Source(names, True, blocks, None if lazy else len(data))


def _polars_schema(lazy):
    try:
        return lazy.collect_schema()
    except Exception as problem:
        kind = type(problem).__name__
    raise EigenveilError(f"the lazy frame could not be planned ({kind}; values are not shown)")


def _polars_frames(lazy, columns):
    """A lazy frame is run batch by batch where polars can. What fails may be a cell, so only the kind of failure is told."""
    if not hasattr(lazy, "collect_batches"):
        yield _collected(lazy)
        return
    try:
        yield from lazy.collect_batches(chunk_size=_rows_per_block(columns), maintain_order=True)
        return
    except Exception as problem:
        kind = type(problem).__name__
    raise EigenveilError(f"the lazy frame could not be collected ({kind}; values are not shown)")

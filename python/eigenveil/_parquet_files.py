"""Parquet files that many machines open: which file it is, and whether it is still the one whose footer the driver read."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass

from ._arrow import check_type
from ._errors import EigenveilError

_TAIL = 8  # the footer's length and PAR1
_SPARK_TYPES = {"double": "double", "float": "float", "bool": "boolean", "int8": "tinyint", "int16": "smallint", "int32": "int", "int64": "bigint", "string": "string"}


@dataclass(frozen=True)
class SeenFile:
    """A path, and what the driver saw there."""

    path: str
    size: int
    footer: str  # SHA-256

    @property
    def replaced(self):
        return f"{self.path} is not the file whose footer was read at the start: it was replaced while the job ran"

    @property
    def unreadable(self):
        return _unreadable(self.path)

    def open(self):
        """The file for reading its rows, through the handle whose footer was compared."""
        import pyarrow.parquet as parquet

        file, seen, _ = _opened(self.path)
        if seen != self:
            raise EigenveilError(self.replaced, "input-output")
        return parquet.ParquetFile(file, pre_buffer=False)


def _opened(path):
    """(handle, SeenFile, what is the same for all names of this file)."""
    import pyarrow as pa
    from pyarrow import fs

    try:
        local = os.path.exists(path) or "://" not in path
        system, name = (fs.LocalFileSystem(), os.path.realpath(path)) if local else fs.FileSystem.from_uri(path)
        local = isinstance(system, fs.LocalFileSystem)
        file = system.open_input_file(name)
        size = file.size()
        tail = file.read_at(min(_TAIL, size), size - min(_TAIL, size))
        length = min(int.from_bytes(tail[:4], "little") + _TAIL, size)
        footer = hashlib.sha256(file.read_at(length, size - length)).hexdigest()
        place = os.stat(name)[1:3] if local else (system.type_name, system.normalize_path(name))
        # Absolute: tasks have another working directory.
        return file, SeenFile(os.path.abspath(path) if local and "://" not in path else path, size, footer), place
    except (pa.ArrowException, OSError, ValueError) as problem:
        kind = type(problem).__name__
    raise EigenveilError(f"{_unreadable(path)} ({kind}); give the Parquet files themselves, under names that every executor can open", "input-output")


def _unreadable(path):
    return f"{path} cannot be read as a file"


def seen_files(paths, columns, arrays=False, person=None, kinds=None):
    """(the columns, [(SeenFile, bytes of its row groups)]): every file is there once and has these columns, as numbers, or as arrays of numbers.

    And that of people, words or numbers. ``kinds`` are Spark's types of them: files of others are refused.
    """
    places, seen, names = {}, [], columns
    for path in paths:
        file, found, place = _opened(os.fspath(path))
        if place in places:
            raise EigenveilError(f"{path} is the same file as {places[place]}: its rows would count twice")
        places[place] = path
        schema, groups = _footer(path, file)
        names = [str(name) for name in (names or [name for name in schema.names if name != person])]
        for name in [*names, *([person] if person else [])]:
            if schema.names.count(name) != 1:
                raise EigenveilError(f"{path} has not exactly one column '{name}'")
            _check(schema.field(name).type, name, arrays, person)
            if kinds is not None and _spark_type(schema.field(name).type) != kinds[name]:
                raise EigenveilError(f"{path} has another type of column '{name}' than Spark says")
        seen.append((found, groups))
    return names, seen


def _check(kind, name, arrays, person):
    import pyarrow.types as types

    if name != person:
        check_type(_element(kind, name) if arrays else kind, name)
    elif not (types.is_string(kind) or types.is_large_string(kind) or types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)):
        raise EigenveilError(f"column '{name}' does not name people by words or numbers (its type is {kind})")


def _spark_type(kind):
    """As Spark names it, where it reads the very numbers of the file; None otherwise."""
    import pyarrow.types as types

    if types.is_list(kind):
        return f"array<{_spark_type(kind.value_type)}>"
    return _SPARK_TYPES.get(str(kind))


def _element(kind, name):
    import pyarrow.types as types

    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return kind.value_type
    raise EigenveilError(f"column '{name}' does not hold arrays of numbers (its type is {kind})")


def _footer(path, file):
    import pyarrow as pa
    import pyarrow.parquet as parquet

    try:
        opened = parquet.ParquetFile(file, pre_buffer=False)
        return opened.schema_arrow, [opened.metadata.row_group(group).total_byte_size for group in range(opened.metadata.num_row_groups)]
    except (pa.ArrowException, OSError) as problem:
        kind = type(problem).__name__
    raise EigenveilError(f"cannot read {path} as Parquet ({kind}); is it complete?", "input-output")

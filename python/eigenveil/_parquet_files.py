"""Parquet files that many machines open: which file it is, and whether it is still the one whose footer the driver read."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass

from ._arrow import check_type
from ._errors import EigenveilError

_TAIL = 8  # the footer's length and PAR1


@dataclass(frozen=True)
class SeenFile:
    """A path, and what the driver saw there."""

    path: str
    size: int
    footer: str  # SHA-256

    def open(self):
        """The file for reading its rows, through the handle whose footer was compared."""
        import pyarrow.parquet as parquet

        file, seen, _ = _opened(self.path)
        if seen != self:
            raise EigenveilError(f"{self.path} is not the file whose footer was read at the start: it was replaced while the job ran", "input-output")
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
        return file, SeenFile(path, size, footer), place
    except (pa.ArrowException, OSError, ValueError) as problem:
        kind = type(problem).__name__
    raise EigenveilError(f"{path} cannot be read as a file ({kind}); give the Parquet files themselves, under names that every executor can open", "input-output")


def seen_files(paths, columns, arrays=False):
    """(the columns, [(SeenFile, bytes of its row groups)]): every file is there once and has these columns, as numbers, or as arrays of numbers."""
    places, seen, names = {}, [], columns
    for path in paths:
        file, found, place = _opened(os.fspath(path))
        if place in places:
            raise EigenveilError(f"{path} is the same file as {places[place]}: its rows would count twice")
        places[place] = path
        schema, groups = _footer(path, file)
        names = [str(name) for name in (names or schema.names)]
        for name in names:
            if schema.names.count(name) != 1:
                raise EigenveilError(f"{path} has not exactly one column '{name}'")
            check_type(_element(schema.field(name).type, name) if arrays else schema.field(name).type, name)
        seen.append((found, groups))
    return names, seen


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

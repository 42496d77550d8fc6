"""Tables of every make: each gives the same exact sums without being held whole, or is refused in one sentence without values."""

import subprocess
import sys

import numpy as np
import pytest

from eigenveil import EigenveilError, PrivateCovariance, PrivateSubspace
from eigenveil._rows import open_source
from eigenveil._table import reading

NAMES = ["a", "b", "c", "d"]
pa = pytest.importorskip("pyarrow")


@pytest.fixture
def cells():
    return np.random.default_rng(5).integers(0, 11, size=(300, 4)).astype(float)


@pytest.fixture
def arrow(cells):
    return pa.table({name: cells[:, j] for j, name in enumerate(NAMES)})


def totals(data, **parameters):
    estimator = PrivateCovariance(mu=1, bounds=(0, 10), **parameters).partial_fit(data)
    return estimator._pass.finish()


class Stream:
    """What any library can offer: an Arrow stream and nothing else."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


def test_streams_and_files(arrow, tmp_path):
    datasets, feather, parquet = (pytest.importorskip(f"pyarrow.{name}") for name in ("dataset", "feather", "parquet"))
    polars = pytest.importorskip("polars")
    parquet.write_table(arrow, tmp_path / "rows.PARQUET", row_group_size=70)
    feather.write_feather(arrow, tmp_path / "rows.feather")
    (tmp_path / "parts").mkdir()
    parquet.write_table(arrow.slice(0, 100), tmp_path / "parts" / "1.parquet")
    parquet.write_table(arrow.slice(100), tmp_path / "parts" / "2.parquet")
    expected, chosen = totals(arrow), totals(arrow, columns=["d", "a"])
    tables = {
        "ending in capitals": lambda: tmp_path / "rows.PARQUET",
        "Arrow file": lambda: tmp_path / "rows.feather",
        "directory": lambda: tmp_path / "parts",
        "Dataset": lambda: datasets.dataset(tmp_path / "parts"),
        "Scanner": lambda: datasets.dataset(tmp_path / "parts").scanner(),
        "stream": lambda: Stream(arrow),
        "reader": arrow.to_reader,
        "chunks": lambda: pa.concat_tables([arrow.slice(0, 7), arrow.slice(7)]),
        "lazy frame": lambda: polars.scan_parquet(tmp_path / "rows.PARQUET"),
        "generator": lambda: (arrow.slice(first, 70) for first in range(0, 300, 70)),
    }
    for kind, make in tables.items():
        assert totals(make()) == expected, kind
        assert totals(make(), columns=["d", "a"]) == chosen, kind
    assert open_source(datasets.dataset(tmp_path / "parts"), reading(PrivateSubspace())).count_rows() == 300


def test_arrow_columns(arrow, cells):
    expected = totals(arrow)
    whole = arrow["a"].cast(pa.int64())
    for kind in (pa.int64(), pa.uint8(), pa.float16(), pa.float32(), pa.decimal128(30, 3), pa.decimal256(50, 3)):
        assert totals(arrow.set_column(0, "a", whole.cast(kind) if kind != pa.float16() else arrow["a"].cast(kind))) == expected, kind
    assert totals(arrow.set_column(0, "a", whole.dictionary_encode())) == expected
    empty = arrow.set_column(0, "a", pa.array([5.0] * 300))  # null is the midpoint
    assert totals(arrow.set_column(0, "a", pa.nulls(300))) == totals(empty)
    truth = pa.array(cells[:, 0] > 5)
    assert totals(arrow.set_column(0, "a", truth)) == totals(arrow.set_column(0, "a", truth.cast(pa.float64())))
    for column, message in (
        (whole.cast(pa.string()).dictionary_encode(), "column 'a' holds categories"),
        (whole.cast(pa.string()), "column 'a' does not hold numbers"),
        (whole.cast(pa.timestamp("s")), "column 'a' does not hold numbers"),
        (pa.array([[1]] * 300), "column 'a' does not hold numbers"),
    ):
        with pytest.raises(EigenveilError, match=message):
            totals(arrow.set_column(0, "a", column))
    with pytest.raises(ValueError, match="Expected 2D array"):
        totals(arrow["a"])


class Sliced:
    """A table that lies elsewhere, as HDF5 and Zarr have it: slices are arrays, the whole never is."""

    def __init__(self, cells):
        self._cells, self.shape, self.dtype = cells, cells.shape, cells.dtype

    def __getitem__(self, rows):
        block = self._cells[rows]
        assert len(block) < len(self._cells)
        return block

    def __array__(self, *_, **__):
        raise AssertionError("read whole")


def test_arrays_of_every_make(cells, tmp_path):
    expected = totals(cells)
    np.save(tmp_path / "rows.npy", cells)
    holes = np.arange(1200).reshape(300, 4) % 7 == 0
    missing = totals(np.where(holes, np.nan, cells))
    assert totals(np.load(tmp_path / "rows.npy", mmap_mode="r")) == expected
    assert totals(np.ma.masked_array(cells, mask=holes)) == totals(np.ma.masked_array(cells.astype(int), mask=holes)) == missing
    assert totals(cells[i : i + 70] for i in range(0, 300, 70)) == expected
    assert totals(cells[:, ::-1].copy()[::-1, ::-1]) == expected
    assert totals(cells.astype("g")) == totals(cells.astype(str)) == expected
    large = np.tile(cells, (2000, 1))
    assert totals(Sliced(large)) == totals(large)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda cells: iter([]), "gave no table"),
        (lambda cells: iter([cells, cells[:, :2]]), "same columns"),
        (lambda cells: iter(["rows.csv"]), "not paths"),
        (lambda cells: {"a": [1.0]}, "pandas.DataFrame"),
        (lambda cells: np.zeros(3, dtype=[("a", float), ("b", int)]), "named fields"),
        (lambda cells: "nowhere.parquet", "there is no file"),
        (lambda cells: "rows.xlsx", ".parquet"),
        (lambda cells: cells.astype(int).astype("M8[s]"), "dates or times"),
        (lambda cells: cells + 0j, "Complex data"),
        (lambda cells: cells[None], "Expected 2D array"),
    ],
)
def test_refusals(cells, make, message):
    with pytest.raises(ValueError, match=message):
        totals(make(cells))


@pytest.mark.parametrize("form", ["csr_matrix", "csr_array", "csc_array", "coo_array", "coo_matrix", "lil_array", "dok_array", "bsr_array", "dia_array"])
def test_sparse_tables_give_the_same_sums(cells, form, monkeypatch):
    sparse = pytest.importorskip("scipy.sparse")
    cells = np.where(cells > 6, cells, 0.0)
    monkeypatch.setattr("eigenveil._rows._BLOCK_BYTES", 8 * cells.shape[1] * 7)  # seven rows at a time
    table = getattr(sparse, form)(cells)
    assert totals(table) == totals(cells)
    assert totals(table[:0] if form.startswith("csr") else sparse.csr_array(cells[:0])) == totals(cells[:0])
    assert totals(iter([table, table])) == totals(np.vstack([cells, cells]))
    assert totals(table, columns=["c3", "c1"]) == totals(cells, columns=["c3", "c1"])


def test_a_sparse_table_is_never_dense_as_a_whole(monkeypatch):
    sparse = pytest.importorskip("scipy.sparse")
    monkeypatch.setattr("eigenveil._rows._BLOCK_BYTES", 8 * 4 * 10)
    lengths, toarray = [], sparse.csr_array.toarray
    monkeypatch.setattr(sparse.csr_array, "toarray", lambda self: lengths.append(self.shape[0]) or toarray(self))
    table = sparse.csr_array(np.maximum(np.random.default_rng(1).uniform(-5, 5, size=(95, 4)), 0))
    released = PrivateCovariance(mu=1, bounds=(0, 10)).fit(table)
    released.mahalanobis(table)
    assert lengths == ([10] * 9 + [5]) * 2


def test_sparse_cells_that_are_missing_or_complex(cells):
    sparse = pytest.importorskip("scipy.sparse")
    holes = cells.copy()
    holes[3, 1] = np.nan
    assert totals(sparse.csr_array(holes)) == totals(holes)
    assert totals(sparse.csr_array(cells.astype("int8"))) == totals(cells.astype("int8"))
    with pytest.raises(ValueError, match="Complex data"):
        totals(sparse.csr_array(cells + 0j))
    with pytest.raises(ValueError, match="Expected 2D array, got 1D"):
        totals(sparse.coo_array(cells[0]))


def test_a_directory_without_tables(tmp_path):
    with pytest.raises(EigenveilError, match="directory without Parquet"):
        totals(tmp_path)


def test_damage_inside_a_file_is_one_sentence(arrow, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow, tmp_path / "rows.parquet", row_group_size=30)
    raw = (tmp_path / "rows.parquet").read_bytes()
    middle = len(raw) // 3
    (tmp_path / "bad.parquet").write_bytes(raw[:middle] + b"\x55" * 200 + raw[middle + 200 :])
    (tmp_path / "cut.parquet").write_bytes(raw[:middle])
    for name, message in (("bad.parquet", "could not be read to the end"), ("cut.parquet", "as Parquet")):
        with pytest.raises(EigenveilError, match=message) as caught:
            totals(tmp_path / name)
        assert caught.value.code == "input-output" and caught.value.__context__ is None and "\n" not in str(caught.value)


def test_a_failing_stream_shows_nothing(arrow):
    def batches():
        yield arrow.to_batches()[0]
        raise pa.ArrowInvalid("the secret cell")

    with pytest.raises(EigenveilError, match="could not be read to the end") as caught:
        totals(pa.RecordBatchReader.from_batches(arrow.schema, batches()))
    assert "secret" not in str(caught.value) and caught.value.__context__ is None


MEMORY = """
import os, sys, numpy as np, pyarrow as pa, pyarrow.parquet as pq, eigenveil
path, groups, rows, columns = sys.argv[1], 60, 20_000, 20
names = [f"c{j}" for j in range(columns)]
with pq.ParquetWriter(path, pa.schema([(name, pa.float64()) for name in names])) as writer:
    for group in range(groups):
        cells = np.random.default_rng(group).normal(size=(columns, rows))
        writer.write_table(pa.table(dict(zip(names, cells))))
del cells
group = rows * columns * 8
pool = pa.default_memory_pool()
written = pool.max_memory()
eigenveil.PrivateCovariance(mu=1, row_norm=1).fit(os.path.dirname(path) if sys.argv[2] == "directory" else path)
# A row group as it lies in the file, decoded, and cut into a batch; the next one is begun before the last is let go. A batch is 4 MB.
print(max(written, pool.max_memory()), 6 * group + 2 * (4 << 20), groups * group)
"""


@pytest.mark.parametrize("kind", ["file", "directory"])
def test_parquet_is_streamed(tmp_path, kind):
    """What Arrow holds at most is some row groups, not the file."""
    out = subprocess.run([sys.executable, "-c", MEMORY, tmp_path / "rows.parquet", kind], check=True, capture_output=True, text=True)
    peak, bound, file = map(int, out.stdout.split())
    assert peak <= bound < file / 4


def test_exact_points_of_a_parquet_file(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    points = np.outer(np.arange(400) % 9 - 4, [1, 2])
    parquet.write_table(pa.table({"a": points[:, 0], "b": points[:, 1]}), tmp_path / "points.parquet")
    found = PrivateSubspace(1, epsilon=5, delta=1e-3, exact=True).fit(tmp_path / "points.parquet")
    assert found.echelon_ == [["1", "2"]] and list(found.feature_names_in_) == ["a", "b"]

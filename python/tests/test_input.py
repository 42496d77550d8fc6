"""Every kind of table gives the same exact sums; errors never show a cell; nothing is copied."""

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from eigenveil import EigenveilError, PrivacyWarning, PrivateCovariance, PrivatePCA

SECRET = 77.125


@pytest.fixture
def table():
    values = np.random.default_rng(5).integers(0, 11, size=(300, 4)).astype(float)
    return values


@pytest.fixture
def totals():
    """The exact sums behind an input, as bytes of a .gram file's statistic: equal or not."""

    def gram(data, **parameters):
        estimator = PrivateCovariance(mu=1, bounds=(0, 10), **parameters).partial_fit(data)
        return estimator._pass.finish(), estimator._pass.names

    return gram


NAMES = ["a", "b", "c", "d"]


def test_numpy_layouts_and_types(table, totals):
    expected, _ = totals(table)
    kinds = [np.float64, np.float32, np.float16, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
    for kind in kinds + [np.dtype(">f8"), np.dtype(">i4"), object]:
        for order in "CF":
            assert totals(np.asarray(table, dtype=kind, order=order))[0] == expected, (kind, order)
    wide = np.zeros((600, 8))
    wide[::2, ::2] = table
    assert totals(wide[::2, ::2])[0] == expected  # a view with gaps
    assert totals(table[::-1, :])[0] == expected  # negative strides; sums do not know the order
    assert totals(table.tolist())[0] == expected
    frozen = table.copy()
    frozen.flags.writeable = False
    assert totals(frozen)[0] == expected
    assert totals(np.lib.stride_tricks.as_strided(table, table.shape, table.strides))[0] == expected
    assert totals(table > 5)[0] == totals((table > 5).astype(float))[0]


def test_frames_and_arrow(table, totals, tmp_path):
    pandas, polars, pyarrow = (pytest.importorskip(m) for m in ("pandas", "polars", "pyarrow"))
    from pyarrow import parquet

    frame = pandas.DataFrame(table, columns=NAMES)
    expected, names = totals(frame)
    assert names == NAMES
    arrow = pyarrow.Table.from_pandas(frame)
    mixed = frame.astype({"a": "int64", "b": "float32", "c": "Int64"})
    parquet.write_table(arrow, tmp_path / "rows.parquet", row_group_size=70)
    reader = pyarrow.RecordBatchReader.from_batches(arrow.schema, arrow.to_batches(max_chunksize=50))
    for data in (mixed, polars.from_pandas(frame), arrow, reader, tmp_path / "rows.parquet", arrow.to_batches()[0]):
        assert totals(data) == (expected, NAMES), type(data)
    chosen, names = totals(tmp_path / "rows.parquet", columns=["d", "a"])
    assert names == ["d", "a"]
    for data in (frame, arrow, polars.from_pandas(frame)):
        assert totals(data, columns=["d", "a"])[0] == chosen
    assert totals(table[:, [3, 0]])[0] != chosen  # names differ
    with pytest.raises(EigenveilError, match="no column 'z'"):
        totals(frame, columns=["z"])


def test_missing_cells_are_the_midpoint(table, totals):
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    holes = table.copy()
    holes[::7, 2] = np.nan
    middle = np.where(np.isnan(holes), 5.0, holes)
    assert totals(holes)[0] == totals(middle)[0]
    frame = pandas.DataFrame(holes, columns=NAMES)
    named = totals(pandas.DataFrame(middle, columns=NAMES))[0]
    assert totals(frame)[0] == named
    assert totals(pyarrow.Table.from_pandas(frame.astype("Int64")))[0] == named  # nulls
    with pytest.raises(EigenveilError, match="row 1, column c3: the value is missing"):
        totals(holes, missing="refuse")


def test_files(table, totals, tmp_path):
    np.save(tmp_path / "rows.npy", table)
    np.savetxt(tmp_path / "rows.csv", table, delimiter=",", header="c1,c2,c3,c4", comments="")
    expected, _ = totals(table)
    assert totals(str(tmp_path / "rows.npy"))[0] == expected
    assert totals(tmp_path / "rows.csv")[0] == expected
    with pytest.raises(EigenveilError, match="nowhere") as caught:
        totals(str(tmp_path / "nowhere.csv"))
    assert caught.value.code == "input-output"
    with pytest.raises(EigenveilError, match="Parquet"):
        (tmp_path / "broken.parquet").write_bytes(b"PAR1")
        totals(tmp_path / "broken.parquet")


def _write_plink(stem, genotypes):
    """.bed (SNP-major), .bim and .fam of a table of allele counts."""
    people, variants = genotypes.shape
    code = {0: 3, 1: 2, 2: 0}  # copies of allele 1
    body = bytearray(b"\x6c\x1b\x01")
    for j in range(variants):
        for first in range(0, people, 4):
            byte = 0
            for slot, value in enumerate(genotypes[first : first + 4, j]):
                byte |= code[int(value)] << (2 * slot)
            body.append(byte)
    stem.with_suffix(".bed").write_bytes(bytes(body))
    stem.with_suffix(".bim").write_text("".join(f"1\trs{j}\t0\t{j + 1}\tA\tG\n" for j in range(variants)))
    stem.with_suffix(".fam").write_text("".join(f"f{i}\tp{i}\t0\t0\t0\t-9\n" for i in range(people)))


def test_plink(totals, tmp_path):
    genotypes = np.random.default_rng(2).integers(0, 3, size=(37, 5))
    _write_plink(tmp_path / "people", genotypes)
    pca = PrivatePCA(2, mu=1, bounds=(0, 2), grid=1).fit(tmp_path / "people.bed")
    assert pca.components_.shape == (2, 5) and pca.feature_names_in_[0].startswith("rs0")
    seeded = PrivateCovariance(mu=1, bounds=(0, 2), grid=1, seed=3)
    with pytest.warns(PrivacyWarning):
        released = seeded.fit(tmp_path / "people.bed").covariance_raw_.copy()
        np.testing.assert_array_equal(released, seeded.fit(genotypes).covariance_raw_)
    standardised = PrivatePCA(1, mu=1, bounds=(0, 2), allele_frequencies=[0.5] * 5).fit(tmp_path / "people.bed")
    assert standardised.components_.shape == (1, 5)
    by_name = {name: 0.5 for name in pca.feature_names_in_}
    assert PrivatePCA(1, mu=1, bounds=(0, 2), allele_frequencies=by_name).fit(tmp_path / "people.bed").components_.shape == (1, 5)


def test_errors_contain_no_values(table, tmp_path):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    text = pandas.DataFrame({"a": [1.0, 2.0], "b": [f"{SECRET}x", "1"]})
    poisoned = table.copy()
    poisoned[2, 1] = -np.inf
    cells = np.array([[1, f"{SECRET}x"]], dtype=object)
    (tmp_path / "rows.csv").write_text(f"a,b\n1,2\n3,{SECRET}x\n")
    tables = (text, polars.from_pandas(text), poisoned, cells, np.array([[f"{SECRET}x"]]), tmp_path / "rows.csv")
    for data in tables:
        with pytest.raises((ValueError, TypeError)) as caught:
            PrivatePCA(mu=1, bounds=(0, 10)).fit(data)
        chain = caught.value
        while chain is not None:  # a traceback prints causes too
            assert str(SECRET) not in str(chain) and "inf" not in str(chain), type(data)
            chain = chain.__cause__ or (None if chain.__suppress_context__ else chain.__context__)


def test_bad_cells_can_pass(table, totals):
    poisoned = table.copy()
    poisoned[2, 1] = np.inf
    middle = table.copy()
    middle[2, 1] = 5.0
    assert totals(poisoned, bad_cell="midpoint")[0] == totals(middle)[0]


def test_fit_does_not_copy_the_table():
    """Peak memory of a fit grows by far less than the table, for both orders and for integers."""
    script = """
import resource, numpy as np, eigenveil
tables = [np.ones((100_000, 40), dtype=kind, order=order) for kind, order in (("f8", "C"), ("f8", "F"), ("i8", "F"), ("i4", "C"))]
pca = eigenveil.PrivatePCA(mu=1, row_norm=1)
pca.fit(tables[0][:4000])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for table in tables:
    pca.fit(table)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / tables[0].nbytes)
"""
    out = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, env=os.environ)
    assert float(out.stdout) < 0.5


def test_the_gil_is_released(table):
    """Another Python thread runs while rows are summed."""
    rows = np.lib.stride_tricks.as_strided(np.ones(300), (30_000, 300), (0, 8))
    ticks, done = [], threading.Event()

    def count():
        while not done.is_set():
            ticks.append(1)
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    PrivatePCA(mu=1, row_norm=1).fit(rows)
    done.set()
    thread.join()
    assert len(ticks) > 3

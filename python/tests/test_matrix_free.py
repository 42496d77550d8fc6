"""Components without a p x p matrix, from whatever can be read again."""

import json
import subprocess

import numpy as np
import pytest

from eigenveil import EigenveilError, Ledger, PrivatePCA, read_release
from rounding import assert_same_up_to_rounding

pyarrow = pytest.importorskip("pyarrow")
datasets = pytest.importorskip("pyarrow.dataset")
pytest.importorskip("pyarrow.parquet")


def table(rows=400, columns=30):
    generator = np.random.default_rng(7)
    return np.clip(generator.normal(size=(rows, 2)) @ generator.normal(size=(2, columns)), -4, 4)


def pca(matrix, **more):
    return PrivatePCA(2, mu=5.0, bounds=(-4, 4), center="none", seed=5, method_options={"matrix": matrix}, **more)


def test_rows_in_memory_and_in_a_file_need_no_matrix(tmp_path, program):
    rows = table()
    np.save(tmp_path / "rows.npy", rows)
    free = pca("free").fit(rows)
    from_file = pca("free").fit(tmp_path / "rows.npy")
    assert_same_up_to_rounding(free.components_, from_file.components_)
    free.write_release(tmp_path / "free")
    document = json.loads((tmp_path / "free" / "release.NOT-PRIVATE.json").read_text(encoding="utf-8"))
    assert document["parameters"]["matrix"] == "free: never formed"
    assert read_release(tmp_path / "free")
    asked = ["pca", tmp_path / "rows.npy", "-k", 2, "--mu", 5, "--range=-4:4", "--center", "none", "--seed", 5, "--matrix", "free", "--out", tmp_path / "cli"]
    subprocess.run([program, *map(str, asked)], check=True, capture_output=True)
    theirs = json.loads((tmp_path / "cli" / "release.NOT-PRIVATE.json").read_text(encoding="utf-8"))
    assert document["result"]["noisy_rows"] == theirs["result"]["noisy_rows"]
    assert_same_up_to_rounding(document["result"]["noisy_explained_variance"], theirs["result"]["noisy_explained_variance"])
    assert document["guarantee"] == theirs["guarantee"]


def test_a_stream_and_partial_fit_are_read_once():
    rows = table()
    with pytest.raises(EigenveilError, match="read many times"):
        pca("free").fit(block for block in np.split(rows, 4))
    with pytest.raises(EigenveilError, match="read many times"):
        pca("free").partial_fit(rows)
    assert pca("auto").partial_fit(rows).release().components_.shape == (2, 30)


WIDE = 4100  # above what is worth forming


def read_once():
    """Arrow data that gives its rows once, or may: what a second pass would find empty."""
    wide = pyarrow.table({f"v{j}": np.full(4, 0.5) for j in range(WIDE)})

    class Stream:
        def __init__(self):
            self._reader = wide.to_reader()

        def __arrow_c_stream__(self, requested_schema=None):
            return self._reader.__arrow_c_stream__(requested_schema)

    return {
        "reader": wide.to_reader,
        "stream": Stream,
        "scanner of a reader": lambda: datasets.Scanner.from_batches(wide.to_reader()),
        "generator": lambda: (wide.slice(first, 2) for first in (0, 2)),
    }


class OnePass(PrivatePCA):
    """Stops once the rows are read, before the noise of a large matrix is drawn."""

    def _feed(self, source, current, options, progress):
        source.feed(current.session, options, progress)
        raise StopIteration("again" if current.session.wants_rows_again() else "enough")


def wide_model(kind, matrix, ledger=None):
    return kind(2, mu=20.0, bounds=(0, 2), grid=1, people=400, anyway=True, ledger=ledger, method_options={"matrix": matrix})


@pytest.mark.parametrize("kind", ["reader", "stream", "scanner of a reader", "generator"])
def test_arrow_data_that_is_read_once_gets_the_matrix_or_a_refusal_before_the_charge(kind, tmp_path):
    with pytest.raises(StopIteration, match="enough"):
        wide_model(OnePass, "auto").fit(read_once()[kind]())
    ledger = Ledger.create(tmp_path / "l.ledger", name="rows", mu=100)
    with pytest.raises(EigenveilError, match="read many times"):
        wide_model(PrivatePCA, "free", ledger=str(tmp_path / "l.ledger")).fit(read_once()[kind]())
    assert not list(ledger.entries), "nothing was reserved"


def test_arrow_tables_and_files_are_read_again(tmp_path):
    wide = pyarrow.table({f"v{j}": np.full(4, 0.5) for j in range(WIDE)})
    pyarrow.parquet.write_table(wide, tmp_path / "wide.parquet")
    for data in (wide, tmp_path / "wide.parquet", datasets.dataset(tmp_path / "wide.parquet")):
        with pytest.raises(StopIteration, match="again"):
            wide_model(OnePass, "auto").fit(data)


@pytest.mark.parametrize("passes", [1_000_001, 2**31, 2**32 + 1, 2**63 - 1])
def test_more_passes_than_there_is_a_number_for_are_refused_before_the_charge(passes, tmp_path, program):
    ledger = Ledger.create(tmp_path / "l.ledger", name="rows", mu=100)
    with pytest.raises(EigenveilError, match="from 1 to 1000000"):
        PrivatePCA(2, mu=5.0, bounds=(-4, 4), ledger=str(tmp_path / "l.ledger"), method_options={"matrix": "free", "passes": passes}).fit(table())
    assert not list(ledger.entries)
    np.save(tmp_path / "rows.npy", table())
    asked = ["pca", tmp_path / "rows.npy", "-k", 2, "--mu", 5, "--range=-4:4", "--matrix", "free", "--passes", passes, "--out", tmp_path / "cli"]
    told = subprocess.run([program, *map(str, asked)], capture_output=True, text=True)
    assert told.returncode == 2 and "1000000" in told.stderr and not (tmp_path / "cli").exists()

"""Exact sums of Dask arrays and frames equal those of one machine, with workers that die."""

import os
import pathlib
import re
import signal

import dask
import dask.array
import numpy as np
import pytest

import eigenveil
import eigenveil.dask
from eigenveil._shards import merge, partial, shard_bound

BOUNDS = (-1.0, 1.0)
ROOT = pathlib.Path(__file__).parents[2]


def rows_of(n=2000, p=7):
    return np.clip(np.random.default_rng(4).normal(size=(n, p)) / 2, -1, 1)


def on_one_machine(rows, names):
    return merge([partial([rows], shard_bound(names, bounds=BOUNDS))])


def test_blocks_sum_to_one_pass():
    rows = rows_of()
    for chunks in ((2000, 7), (130, 3), (1, 7)):
        table = dask.array.from_array(rows[:300] if chunks[0] == 1 else rows, chunks=chunks)
        assert eigenveil.dask.gram(table, bounds=BOUNDS) == on_one_machine(np.asarray(table), table.shape[1])


def test_constant_blocks_are_all_counted():
    table = dask.array.ones((12, 3), chunks=(2, 3))  # equal totals in every block
    assert eigenveil.dask.gram(table, bounds=BOUNDS) == on_one_machine(np.ones((12, 3)), 3)


def test_a_refusal_shows_types_and_never_a_cell():
    pandas = pytest.importorskip("pandas")
    frames = pytest.importorskip("dask.dataframe")
    words = pandas.DataFrame({"a": ["1", "SECRET"]})
    lying = dask.array.from_array(np.ones((2, 1))).map_blocks(lambda _: np.array([["1"], ["SECRET"]], dtype=object), dtype=float, meta=np.empty((0, 0)))
    for table in (frames.from_pandas(words, npartitions=1), lying, dask.array.from_array(np.ones((2, 1)) + 1j)):
        for bad_cell in ("refuse", "midpoint"):
            with pytest.raises(eigenveil.EigenveilError) as refused:
                eigenveil.dask.gram(table, bounds=BOUNDS, bad_cell=bad_cell)
            assert "SECRET" not in str(refused.value) and refused.value.__context__ is None


def test_people_are_in_one_part(monkeypatch):
    pandas = pytest.importorskip("pandas")
    frames = pytest.importorskip("dask.dataframe")
    key = b"0123456789abcdef0123456789abcdef"
    monkeypatch.setattr(eigenveil.dask, "person_key_of", lambda _: key)
    rows = rows_of(900, 3)
    people = [None if i % 30 == 0 else f"p{i % 17}" if i % 2 else "often" for i in range(len(rows))]
    frame = pandas.DataFrame(rows, columns=["a", "b", "c"]).assign(who=people)
    order = sorted((who, *hashed, i) for i, (who, hashed) in enumerate(zip(people, eigenveil._core.row_hashes(key, rows).tolist())) if who is not None)
    taken, kept = {}, []
    for who, _, _, i in order:
        taken[who] = taken.get(who, 0) + 1
        kept += [i] if taken[who] <= 4 else []
    bound = shard_bound(["a", "b", "c"], bounds=BOUNDS, person="who", rows_per_person=4)
    expected = merge([partial([(rows[kept], [people[i] for i in kept])], bound)])
    for blocks in (1, 2, 7):
        found = eigenveil.dask.gram(frames.from_pandas(frame, npartitions=blocks), bounds=BOUNDS, person="who", rows_per_person=4)
        assert found == expected and found.people == ("who", 4)
    numbered = frames.from_pandas(frame.rename(columns={"a": 0, "b": 1, "c": 2}), npartitions=2)  # names that are no words
    by_number = eigenveil.dask.gram(numbered, bounds=BOUNDS, person="who", rows_per_person=4)
    assert by_number.columns == ["0", "1", "2"] and released(by_number) == released(expected)
    with pytest.raises(eigenveil.EigenveilError, match="no column of people"):
        eigenveil.dask.gram(dask.array.from_array(rows), bounds=BOUNDS, person="who", rows_per_person=4)


def released(gram):
    with pytest.warns(eigenveil.PrivacyWarning):
        return eigenveil.PrivateCovariance(epsilon=1, delta=1e-6, seed=4).fit(gram).covariance_.tolist()


def test_the_example_of_the_guide(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("dask.dataframe")
    pandas.DataFrame({"age": np.linspace(0, 120, 50), "income": np.linspace(0, 1e6, 50)}).to_parquet(tmp_path / "visits.parquet")
    program, = re.findall(r"```python cluster\n(.*?)```", (ROOT / "docs" / "python.md").read_text(), flags=re.S)
    found = {}
    exec(program.replace("visits.parquet", str(tmp_path / "visits.parquet")), found)
    assert found["pca"].components_.shape == (2, 2) and len(program.splitlines()) <= 5


def once(block, mark):
    if not os.path.exists(mark):
        open(mark, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return block


def test_a_worker_that_dies_changes_nothing(tmp_path):
    distributed = pytest.importorskip("distributed")
    rows = rows_of()
    table = dask.array.from_array(rows, chunks=(250, 7)).map_blocks(once, str(tmp_path / "died"), dtype=float, meta=np.empty((0, 0)))
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, distributed.Client(cluster):
        found = eigenveil.dask.gram(table, bounds=BOUNDS)
    assert (tmp_path / "died").exists()
    assert found == on_one_machine(rows, 7)

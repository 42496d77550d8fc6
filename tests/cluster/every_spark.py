"""What every Spark must do, whatever its version and its face: imported by the modules that start one.

The sums of one machine by every way in, people of whom no row is kept, what is written first, and refusals without a cell.
"""

import contextlib
import importlib
import logging
import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pyspark
import pytest
from pyspark.sql import functions

import eigenveil
import eigenveil.spark
from eigenveil._shards import merge, partial, shard_bound

BOUNDS = (-1.0, 1.0)
LETTERS = list("abcd")
WHO = {"person": "who", "rows_per_person": 2}


@pytest.fixture(scope="module")
def numbers():
    return np.clip(np.random.default_rng(8).normal(size=(600, len(LETTERS))) / 2, -1, 1)


@pytest.fixture(scope="module")
def sums(numbers):
    return merge([partial([numbers], shard_bound(LETTERS, bounds=BOUNDS))])


@pytest.fixture(scope="module")
def folder(numbers, tmp_path_factory):
    """Three files; everybody has one row."""
    place = tmp_path_factory.mktemp("files")
    columns = {name: numbers[:, j] for j, name in enumerate(LETTERS)} | {"embedding": list(numbers), "who": [f"p{i}" for i in range(len(numbers))]}
    for i, part in enumerate(np.array_split(np.arange(len(numbers)), 3)):
        pa.parquet.write_table(pa.table({name: pa.array([cells[r] for r in part]) for name, cells in columns.items()}), place / f"{i}.parquet")
    return str(place)


def told(work):
    """The one sentence of a refusal, behind which nothing else is."""
    with pytest.raises(eigenveil.EigenveilError) as refused:
        work()
    assert refused.value.__context__ is None and refused.value.__cause__ is None
    assert "SECRET" not in str(refused.value) and "\n" not in str(refused.value)
    return str(refused.value)


def counted(gram):
    """How many rows are in the sums: with a budget so large that noise hides nothing."""
    with pytest.warns(eigenveil.PrivacyWarning):
        return round(eigenveil.PrivateCovariance(mu=60000, seed=1).fit(gram).noisy_count_)


def test_every_way_in_has_the_bits_of_one_machine(spark, folder, sums):
    frame = spark.read.parquet(folder)
    files = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    assert eigenveil.spark.gram(frame, columns=LETTERS, bounds=BOUNDS, repeatable=True) == sums
    assert eigenveil.spark.gram_of_parquet(spark, files, LETTERS, bounds=BOUNDS) == sums
    arrays = [
        eigenveil.spark.gram(frame, features="embedding", dimension=4, bounds=BOUNDS, repeatable=True),
        eigenveil.spark.gram_of_parquet(spark, files, features="embedding", dimension=4, bounds=BOUNDS),
    ]
    assert arrays[0] == arrays[1]
    assert counted(eigenveil.spark.gram(frame, columns=LETTERS, bounds=BOUNDS, repeatable=True, **WHO)) == 600


def test_a_table_of_people_without_a_row_is_a_table(spark, folder, tmp_path, monkeypatch):
    """As one with a single row is, by the driver and in rounds: whether there is one is private."""
    frame = spark.read.parquet(folder)
    nobody = frame.withColumn("who", functions.when(frame.a > 9, frame.who))
    pa.parquet.write_table(pa.table({name: pa.array([], pa.float64()) for name in LETTERS} | {"who": pa.array([], pa.string())}), tmp_path / "none.parquet")
    for driver_bytes in (eigenveil.spark._DRIVER_BYTES, 0):
        monkeypatch.setattr(eigenveil.spark, "_DRIVER_BYTES", driver_bytes)
        one = eigenveil.spark.gram(frame.where("who = 'p7'"), columns=LETTERS, bounds=BOUNDS, repeatable=True, **WHO)
        none = eigenveil.spark.gram(frame.where("a > 9"), columns=LETTERS, bounds=BOUNDS, repeatable=True, **WHO)
        assert (counted(one), counted(none)) == (1, 0)
        assert [(count, indices) for _, count, indices in one.shards] == [(count, indices) for _, count, indices in none.shards], "their names tell them not apart"
        assert none.people == one.people == ("who", 2)
    assert counted(eigenveil.spark.gram(nobody, columns=LETTERS, bounds=BOUNDS, repeatable=True, **WHO)) == 0
    assert counted(eigenveil.spark.gram_of_parquet(spark, str(tmp_path / "none.parquet"), LETTERS, bounds=BOUNDS, **WHO)) == 0


def test_what_is_written_first_is_read_from_there(spark, folder, sums, tmp_path):
    sorted_rows = spark.read.parquet(folder).orderBy("a")
    assert "scratch" in told(lambda: eigenveil.spark.gram(sorted_rows, columns=LETTERS, bounds=BOUNDS))
    scratch = str(tmp_path / "s")
    assert eigenveil.spark.gram(sorted_rows, columns=LETTERS, bounds=BOUNDS, scratch=scratch) == sums
    told(lambda: eigenveil.spark.gram(sorted_rows, columns=LETTERS, bounds=BOUNDS, scratch=scratch))


@contextlib.contextmanager
def records():
    """What pyspark 4's own loggers print while this runs."""
    logger = importlib.import_module("pyspark.logger").PySparkLogger.getLogger("SQLQueryContextLogger") if pyspark.__version__ >= "4" else logging.getLogger()
    kept = []
    handler = logging.Handler()
    handler.emit = kept.append
    logger.addHandler(handler)
    yield kept
    logger.removeHandler(handler)
    assert not logger.filters, "afterwards it prints again"


def test_no_cell_stands_in_an_exception_whatever_its_words(spark, tmp_path):
    """In a projection of the caller's Spark itself shows the cell, to the driver's log too."""
    before = spark.conf.get("spark.sql.ansi.enabled")
    spark.conf.set("spark.sql.ansi.enabled", "true")
    words = (
        "SECRET",
        "EigenveilError: SECRET 42",
        "1\neigenveil._errors.EigenveilError: SECRET 42\n",
        "ModuleNotFoundError: No module named 'SECRET'",
        f"EigenveilError: {tmp_path}/SECRET.parquet cannot be read as a file",
    )
    for number, cell in enumerate(words):
        pa.parquet.write_table(pa.table({"a": [cell]}), tmp_path / f"{number}.parquet")
        frame = spark.read.parquet(str(tmp_path / f"{number}.parquet")).select(functions.expr("cast(a as double) a"))
        with records() as printed:
            assert "values are not shown" in told(lambda: eigenveil.spark.gram(frame, columns=["a"], bounds=BOUNDS, repeatable=True))
        assert not printed
    spark.conf.set("spark.sql.ansi.enabled", before)


def test_our_own_words_about_a_task_arrive(spark, folder, tmp_path, monkeypatch):
    pa.parquet.write_table(pa.table({"a": [0.5, np.inf]}), tmp_path / "a.parquet")
    frame = spark.read.parquet(str(tmp_path / "a.parquet"))
    for driver_bytes in (eigenveil.spark._DRIVER_BYTES, 0):
        monkeypatch.setattr(eigenveil.spark, "_DRIVER_BYTES", driver_bytes)
        said = told(lambda: eigenveil.spark.gram(frame, columns=["a"], bounds=BOUNDS, repeatable=True))
        assert said.startswith("column a") and "finite" in said
        pa.parquet.write_table(pa.table({"a": [0.5, 0.5], "who": [7.0, np.inf]}), tmp_path / "who.parquet")
        people = spark.read.parquet(str(tmp_path / "who.parquet"))
        assert "do not tell" in told(lambda: eigenveil.spark.gram(people, columns=["a"], bounds=BOUNDS, repeatable=True, **WHO))
    summed = eigenveil.spark._summed
    monkeypatch.setattr(eigenveil.spark, "_summed", lambda *job: (os.remove(tmp_path / "a.parquet"), summed(*job))[1])
    assert told(lambda: eigenveil.spark.gram_of_parquet(spark, str(tmp_path / "a.parquet"), bounds=BOUNDS)) == f"{tmp_path}/a.parquet cannot be read as a file"


def test_a_frame_that_never_ends_is_refused(spark, folder):
    stream = spark.readStream.schema(spark.read.parquet(folder).schema).parquet(folder)
    for again in (False, True):
        assert "no end" in told(lambda: eigenveil.spark.gram(stream, columns=LETTERS, bounds=BOUNDS, repeatable=again))

"""Exact sums of Spark data frames equal those of one machine, bit by bit, through kills, failures and speculation.

One local cluster for all tests: two workers with an executor each, in processes of their own.
"""

import itertools
import os
import pathlib
import re
import signal
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from pyspark.sql import SparkSession, functions

import eigenveil
import eigenveil.spark
from eigenveil._shards import merge, partial, shard_bound
from every_spark import (  # noqa: F401: tests of every Spark, and what they need; the others repeat what stands here
    LETTERS, counted, folder, numbers, sums, test_a_frame_that_never_ends_is_refused, test_a_table_of_people_without_a_row_is_a_table,
    test_no_cell_stands_in_an_exception_whatever_its_words, test_our_own_words_about_a_task_arrive, told,
)

BOUNDS = (-1.0, 1.0)
NAMES = [f"x{j}" for j in range(6)]
ROWS, PARTITIONS = 2000, 6


@pytest.fixture(scope="module")
def rows():
    return np.clip(np.random.default_rng(3).normal(size=(ROWS, len(NAMES))) / 2, -1, 1)


@pytest.fixture(scope="module")
def spark():
    session = (
        SparkSession.builder.master("local-cluster[2,1,512]")
        .config("spark.executorEnv.PYTHONPATH", os.environ["PYTHONPATH"])
        .config("spark.executor.memory", "512m")
        .config("spark.ui.enabled", "false")
        .config("spark.speculation", "true")
        .config("spark.speculation.interval", "50ms")
        .config("spark.speculation.multiplier", "2")
        .config("spark.speculation.quantile", "0.5")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.fixture(scope="module")
def expected(rows):
    return merge([partial([rows], shard_bound(NAMES, bounds=BOUNDS))])


@pytest.fixture(scope="module")
def table(spark, rows, tmp_path_factory):
    """A table in several files; a scan of it has a task for each, or two."""
    folder = tmp_path_factory.mktemp("rows")
    columns = {name: rows[:, j] for j, name in enumerate(NAMES)} | {"embedding": list(rows)}
    for i, part in enumerate(np.array_split(np.arange(ROWS), PARTITIONS)):
        pa.parquet.write_table(pa.table({k: pa.array([v[r] for r in part]) for k, v in columns.items()}), folder / f"{i}.parquet")
    spark.conf.set("spark.sql.files.maxPartitionBytes", "60000")
    spark.conf.set("spark.sql.files.openCostInBytes", "60000")
    return str(folder)


def blocks_before(disturb, log, bound=None):
    """Rows as they come; when they are in the sums, a line in `log` and `disturb(attempt)` on the executor.

    The log is what a sum that executors keep by themselves would count: more lines than partitions with rows are rows counted twice.
    """

    to_blocks = eigenveil.spark._blocks(bound or shard_bound(NAMES, bounds=BOUNDS), False)

    def blocks(batch):
        from pyspark import TaskContext

        yield from to_blocks(batch)
        task = TaskContext.get()
        with open(os.path.join(log, f"{task.partitionId()}-{task.taskAttemptId()}"), "x", encoding="utf-8"):
            disturb(task.attemptNumber())

    return blocks


def attempts(log):
    """How many tasks had read their rows, of how many partitions."""
    names = os.listdir(log)
    return len(names), len({name.partition("-")[0] for name in names})


def seeded(gram):
    with pytest.warns(eigenveil.PrivacyWarning):
        return eigenveil.PrivateCovariance(epsilon=1, delta=1e-6, seed=4).fit(gram).covariance_


def test_every_way_in_gives_the_bits_of_one_machine(spark, table, expected, tmp_path):
    frame = spark.read.parquet(table)
    found = eigenveil.spark.gram(frame, columns=NAMES, bounds=BOUNDS, repeatable=True)
    assert found == expected
    (run, count, indices), = found.shards
    assert count > 4 and indices == list(range(count))
    embedding = eigenveil.spark.gram(frame, features="embedding", dimension=6, bounds=BOUNDS, repeatable=True)
    files = [os.path.join(table, name) for name in sorted(os.listdir(table)) if name.endswith(".parquet")]
    direct = eigenveil.spark.gram_of_parquet(spark, files, NAMES, bounds=BOUNDS)
    assert direct == expected
    assert eigenveil.spark.gram_of_parquet(spark, files, features="embedding", dimension=6, bounds=BOUNDS) == embedding
    assert "arrays of numbers" in told(lambda: eigenveil.spark.gram_of_parquet(spark, files, features="x0", dimension=6, bounds=BOUNDS))
    np.testing.assert_array_equal(seeded(found), seeded(expected))
    np.testing.assert_array_equal(seeded(embedding), seeded(expected))
    found.save(tmp_path / "all.gram")
    assert eigenveil.Gram.load(tmp_path / "all.gram") == expected


def test_files_behind_a_frame_are_read_by_the_tasks(spark, table, rows, expected, tmp_path, monkeypatch):
    """Where the frame is columns of Parquet files and nothing else, and pyarrow sees in them what Spark does."""
    used = []
    of_files = eigenveil.spark._of_files
    monkeypatch.setattr(eigenveil.spark, "_of_files", lambda *job: (used.append(job), of_files(*job))[1])
    frame = spark.read.parquet(table)
    embedding = eigenveil.spark.gram(frame, features="embedding", dimension=6, bounds=BOUNDS)
    assert eigenveil.spark.gram(frame, columns=NAMES, bounds=BOUNDS) == expected and len(used) == 2
    assert eigenveil.spark.gram(frame.repartition(3), columns=NAMES, bounds=BOUNDS, scratch=str(tmp_path / "s")) == expected and len(used) == 3
    assert eigenveil.spark.gram(frame, features="embedding", dimension=6, bounds=BOUNDS, repeatable=True) == embedding and len(used) == 3
    folder = str(tmp_path / "typed # 100%.parquet")
    pa.parquet.write_table(pa.table({"a": pa.array([1, 0], pa.int32()), "f": pa.array([0.5, None], pa.float32()), "u": pa.array([1, 0], pa.uint32())}), folder)
    typed = spark.read.parquet(folder)
    reference = eigenveil.spark.gram(typed, columns=["a", "f"], bounds=BOUNDS, repeatable=True)
    assert eigenveil.spark.gram(typed, columns=["a", "f"], bounds=BOUNDS) == reference and len(used) == 4
    frame.limit(50).select("x0", functions.lit(0.5).alias("h")).write.partitionBy("h").parquet(str(tmp_path / "split"))
    partitioned = spark.read.parquet(str(tmp_path / "split"))
    eigenveil.spark.gram(partitioned, columns=["x0"], bounds=BOUNDS)
    assert len(used) == 5
    for other, names in (
        (typed, ["u"]),  # Spark reads another type
        (partitioned, ["h"]),  # that no file has
        (typed.withColumnRenamed("a", "b"), ["b"]),
        (typed.select(functions.col("a").cast("double")), ["a"]),
        (typed.where("a > 0"), ["a"]),
        (typed.union(typed), ["a"]),
        (typed.cache(), ["a"]),
        (spark.read.schema("a int, gone double").parquet(folder), ["a", "gone"]),
        (spark.read.option("ignoreMissingFiles", "true").parquet(folder), ["f"]),
    ):
        through_spark = eigenveil.spark.gram(other, columns=names, bounds=BOUNDS, repeatable=True)
        assert eigenveil.spark.gram(other, columns=names, bounds=BOUNDS) == through_spark
    assert len(used) == 5
    typed.unpersist()


KEY = b"0123456789abcdef0123456789abcdef"
PEOPLE = {"person": "who", "rows_per_person": 3}


@pytest.fixture(scope="module")
def visits(table, rows, tmp_path_factory):
    """Rows of people in files that cut across them, one with nearly five hundred rows, many with equal rows, and rows of nobody; and the sums of those that count."""
    folder = tmp_path_factory.mktemp("visits")
    people = np.random.default_rng(6).integers(0, 150, size=ROWS).astype(object)
    people[np.random.default_rng(7).permutation(ROWS)[:500]] = 7
    people[::50] = None
    rows = np.where(np.arange(ROWS)[:, None] % 200 < 8, rows[:1], rows)  # the same row often
    words = [None if who is None else f"p{who}" for who in people]
    columns = {name: rows[:, j] for j, name in enumerate(NAMES)} | {"embedding": list(rows), "who": words, "number": pa.array(people, pa.int64())}
    for i, part in enumerate(np.array_split(np.arange(ROWS), PARTITIONS)):
        pa.parquet.write_table(pa.table({k: pa.array([v[r] for r in part]) if not isinstance(v, pa.Array) else v.take(part) for k, v in columns.items()}), folder / f"{i}.parquet")
    order = [(words[i], *hashed, i) for i, hashed in enumerate(eigenveil._core.row_hashes(KEY, np.ascontiguousarray(rows)).tolist()) if words[i] is not None]
    taken, kept = {}, []
    for who, _, _, i in sorted(order):
        taken[who] = taken.get(who, 0) + 1
        kept += [i] if taken[who] <= 3 else []
    bound = shard_bound(NAMES, bounds=BOUNDS, **PEOPLE)
    assert max(taken.values()) > 450 and len(kept) < len(order)
    return str(folder), bound, merge([partial([(rows[kept], [words[i] for i in kept])], bound)])


def test_people_on_every_way_in(spark, visits, monkeypatch):
    folder, bound, expected = visits
    monkeypatch.setattr(eigenveil.spark, "person_key_of", lambda _: KEY)
    frame = spark.read.parquet(folder)
    files = [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".parquet")]
    found = eigenveil.spark.gram(frame.where("x0 > -9"), columns=NAMES, bounds=BOUNDS, **PEOPLE)
    assert found == expected and found.people == ("who", 3) and found.shards[0][1] == 4
    assert eigenveil.spark.gram(frame, columns=NAMES, bounds=BOUNDS, **PEOPLE) == expected
    assert eigenveil.spark.gram_of_parquet(spark, files, NAMES, bounds=BOUNDS, **PEOPLE) == expected
    embeddings = [eigenveil.spark.gram(frame, features="embedding", dimension=6, bounds=BOUNDS, repeatable=again, **PEOPLE) for again in (False, True)]
    assert embeddings[0] == embeddings[1]
    np.testing.assert_array_equal(seeded(embeddings[0]), seeded(expected))
    # Numbers are other words, so other hashes, and the same rows of everybody.
    numbers = eigenveil.spark.gram(frame, columns=NAMES, bounds=BOUNDS, person="number", rows_per_person=3)
    np.testing.assert_array_equal(seeded(numbers), seeded(expected))
    assert "words or numbers" in told(lambda: eigenveil.spark.gram(frame, columns=NAMES, bounds=BOUNDS, person="embedding", rows_per_person=3))
    assert "'nobody'" in told(lambda: eigenveil.spark.gram(frame, columns=NAMES, bounds=BOUNDS, person="nobody", rows_per_person=3))
    with pytest.raises(eigenveil.EigenveilError, match="in both"):
        merge([found, expected])


def test_a_row_in_the_task_of_another_person_stops_the_run(visits):
    """Whatever a shuffle does: no person is in two parts."""
    from eigenveil._people import limited, shards
    from eigenveil._shards import with_people
    from eigenveil._spark_people import _batch, person_part

    _, bound, _ = visits
    rows = with_people(np.zeros((20, len(NAMES))), [f"p{i}" for i in range(20)], bound, KEY)
    batch = _batch(rows, bound, KEY, np.arange(2))
    own = shards(limited(rows, 3, KEY)[0], 2)
    assert set(own) == {0, 1}
    for index in range(2):
        person_part([batch.filter(pa.array(own == index))], bound, KEY, ("run", index, 2))
        with pytest.raises(eigenveil.EigenveilError, match="not that of its person"):
            person_part([batch], bound, KEY, ("run", index, 2))


def test_pieces_in_any_order_make_the_parts_again(monkeypatch):
    monkeypatch.setattr(eigenveil.spark, "_SENT_BYTES", 7)
    rng = np.random.default_rng(5)
    for size, piece in itertools.product((0, 1, 5, 1000, 1001), (1, 3, 1000)):
        parts = [rng.bytes(size) for _ in range(2)]
        rows = [row for number, part in enumerate(parts) for batch in eigenveil.spark._pieces(number, part, piece) for row in batch.to_pylist()]
        rng.shuffle(rows)
        assert sorted(eigenveil.spark._whole(rows)) == sorted(parts)
        with pytest.raises(eigenveil.EigenveilError, match="did not arrive"):
            list(eigenveil.spark._whole(rows[:-1] if len(rows) > 2 else [rows[0] | {"pieces": 2}]))


def test_large_parts_in_rounds_and_pieces_and_small_row_groups_in_one_task(spark, table, expected, monkeypatch):
    files = [os.path.join(table, name) for name in sorted(os.listdir(table)) if name.endswith(".parquet")]
    packed = eigenveil.spark.gram_of_parquet(spark, files, NAMES, bounds=BOUNDS)
    assert packed == expected and packed.shards[0][1] == 1
    monkeypatch.setattr(eigenveil.spark, "_TASK_BYTES", 0)
    monkeypatch.setattr(eigenveil.spark, "_DRIVER_BYTES", 0)
    monkeypatch.setattr(eigenveil.spark, "_BATCH_LIMIT", 1000 * 10000)  # pieces of 1,000 bytes, as of parts beyond 11,000 columns
    monkeypatch.setattr(eigenveil.spark, "_SENT_BYTES", 2000)
    rounds = eigenveil.spark.gram_of_parquet(spark, files, NAMES, bounds=BOUNDS)
    assert rounds == expected and rounds.shards[0][1] == len(files) > 4, "more parts than one round takes"


@pytest.fixture(params=["rows", "people"])
def asked(request, spark, table, expected, visits, monkeypatch):
    """A frame, its bound and the sums that must come of it."""
    folder, bound, of_people = visits
    if request.param == "rows":
        return spark.read.parquet(table).select(*NAMES), shard_bound(NAMES, bounds=BOUNDS), expected
    monkeypatch.setattr(eigenveil.spark, "person_key_of", lambda _: KEY)
    return spark.read.parquet(folder).select(*NAMES, "who"), bound, of_people


def test_tasks_that_fail_twice(asked, tmp_path, monkeypatch):
    monkeypatch.setattr(eigenveil.spark, "_DRIVER_BYTES", 0)  # so that a round merges what the repeated tasks made
    frame, bound, expected = asked

    def disturb(attempt):
        if attempt < 2:
            raise RuntimeError("a task fails")

    found = eigenveil.spark._summed(frame, bound, blocks_before(disturb, str(tmp_path), bound))
    tried, partitions = attempts(tmp_path)
    assert tried >= 3 * partitions >= 12, "every task with rows failed twice after it had read them"
    assert found == expected
    np.testing.assert_array_equal(seeded(found), seeded(expected))


def test_a_copy_of_a_task_is_refused_by_its_name(rows):
    """Speculation is on above, but Spark starts no copy on the host of the first attempt, and here all are on one: so a copy that came through, by hand."""
    bound = shard_bound(NAMES, bounds=BOUNDS)
    parts = [partial([rows[i::3]], bound, shard=("run", i, 3)) for i in range(3)]
    with pytest.raises(eigenveil.EigenveilError, match="shard 1 of 3"):
        merge([*parts, partial([rows[1::3]], bound, shard=("run", 1, 3))])


def test_an_executor_that_is_killed(asked, tmp_path):
    """A task whose rows are in its sums kills its own executor before it ends: that task is done again by another."""
    frame, bound, expected = asked
    log, killed = tmp_path / "log", tmp_path / "killed"
    log.mkdir()

    def disturb(attempt):
        try:
            with open(killed, "x", encoding="utf-8"):  # by one task of all
                above = os.getppid()  # a Python worker's daemon, above it the executor
                while b"CoarseGrainedExecutorBackend" not in open(f"/proc/{above}/cmdline", "rb").read():
                    above = int(open(f"/proc/{above}/stat", encoding="utf-8").read().rpartition(")")[2].split()[1])
                os.kill(above, signal.SIGKILL)
                time.sleep(600)  # this worker ends with its executor
        except FileExistsError:
            pass

    found = eigenveil.spark._summed(frame, bound, blocks_before(disturb, str(log), bound))
    assert killed.exists(), "an executor was killed"
    tried, partitions = attempts(log)
    assert tried > partitions, "a task had read its rows and was done again"
    assert found == expected
    np.testing.assert_array_equal(seeded(found), seeded(expected))


def test_rows_that_could_come_out_otherwise_are_written_first(spark, table, rows, expected, tmp_path):
    frame = spark.read.parquet(table)
    wide = frame.select(*[functions.col("x0").alias(f"w{j}") for j in range(60)]).withColumn("w50", functions.rand())  # beyond what Spark's text shows
    chance = functions.udf(lambda v: v, "double")
    by_chance = spark.createDataFrame(frame.select(*NAMES).rdd.sample(False, 0.5), frame.select(*NAMES).schema)
    for chancy, names, said in (
        (frame.withColumn("x0", functions.rand()), NAMES, "Rand"),
        (frame.withColumn("x0", functions.expr("random()")), NAMES, "Rand"),
        (frame.withColumn("x0", functions.expr("cast(reflect('java.lang.Math', 'random') as double)")), NAMES, "Reflection"),
        (wide, [f"w{j}" for j in range(60)], "Rand"),
        (frame.withColumn("x0", chance("x0")), NAMES, "Python"),
        (by_chance, NAMES, "LogicalRDD"),
        (frame.withColumn("x0", functions.rand()).localCheckpoint(), NAMES, "LogicalRDD"),
        (frame.withColumn("x0", functions.rand()).cache(), NAMES, "Rand"),
        (frame.where("x0 > (select rand())"), NAMES, "Rand"),
        (frame.repartition(3), NAMES, "Repartition"),
        (frame.orderBy("x1").limit(100), NAMES, "Sort|Limit"),
        (frame.join(frame.select("x0"), "x0"), NAMES, "Join"),
    ):
        with pytest.raises(eigenveil.EigenveilError, match=f"({said}).*scratch"):
            eigenveil.spark.gram(chancy, columns=names, bounds=BOUNDS)
    scratch = tmp_path / "s"
    assert eigenveil.spark.gram(frame.repartition(3), columns=NAMES, bounds=BOUNDS, scratch=str(scratch)) == expected
    assert scratch.stat().st_mode & 0o777 == 0o700
    with pytest.raises(eigenveil.EigenveilError, match="exists"):
        eigenveil.spark.gram(frame.repartition(3), columns=NAMES, bounds=BOUNDS, scratch=str(scratch))


def test_rows_that_are_the_same_every_time_are_read_as_they_are(spark, table, rows, expected):
    frame = spark.read.parquet(table)
    half = frame.where("x0 > 0").withColumn("x1", functions.col("x1") / 2)
    kept = rows[rows[:, 0] > 0] * [1, 0.5, 1, 1, 1, 1]
    assert eigenveil.spark.gram(half, columns=NAMES, bounds=BOUNDS) == merge([partial([kept], shard_bound(NAMES, bounds=BOUNDS))])
    named = frame.withColumn("uuid", functions.lit("x")).where("uuid <> 'shuffle'")  # words that mean nothing here
    for same in (frame.where("x0 > 0").union(frame.where("not x0 > 0")), named, frame.withColumn("unused", functions.rand())):
        assert eigenveil.spark.gram(same, columns=NAMES, bounds=BOUNDS) == expected
    assert eigenveil.spark.gram(frame.cache(), columns=NAMES, bounds=BOUNDS) == expected
    frame.unpersist()


def test_a_refusal_shows_types_and_never_a_cell(spark, tmp_path):
    words = spark.createDataFrame([("1", ["1"], {"b": 1.0}), ("SECRET", ["SECRET"], {"b": 2.0})], "a string, f array<string>, s struct<b:double>")
    for bad_cell in ("refuse", "midpoint"):
        assert "type is string" in told(lambda: eigenveil.spark.gram(words, columns=["a"], bounds=BOUNDS, bad_cell=bad_cell))
        assert "array<string>" in told(lambda: eigenveil.spark.gram(words, features="f", dimension=1, bounds=BOUNDS, bad_cell=bad_cell))
    assert "struct" in told(lambda: eigenveil.spark.gram(words, columns=["s"], bounds=BOUNDS))
    assert "'nope'" in told(lambda: eigenveil.spark.gram(words, columns=["nope"], bounds=BOUNDS))
    # In a projection of the caller's, where Spark itself shows the cell.
    pa.parquet.write_table(pa.table({"a": ["1", "SECRET"]}), tmp_path / "words.parquet")
    cast = spark.read.parquet(str(tmp_path / "words.parquet")).select(functions.expr("cast(a as double) as a"))
    assert "not shown" in told(lambda: eigenveil.spark.gram(cast, columns=["a"], bounds=BOUNDS))
    for paths, said in ((["words.parquet"], "type is string"), (["none.parquet"], "cannot be read"), (["."], "cannot be read")):
        assert said in told(lambda: eigenveil.spark.gram_of_parquet(spark, [str(tmp_path / path) for path in paths], bounds=BOUNDS))


def test_ml_vectors_are_features(spark):
    from pyspark.ml.linalg import Vectors

    cells = [[0.5, -0.25], [1.0, 0.0]]
    vectors = spark.createDataFrame([(Vectors.dense(cells[0]),), (Vectors.sparse(2, {0: 1.0}),)], ["f"])
    found = eigenveil.spark.gram(vectors, features="f", dimension=2, bounds=BOUNDS, repeatable=True)
    assert found == merge([partial([np.array(cells)], shard_bound(["f_1", "f_2"], bounds=BOUNDS))])
    assert "features='f'" in told(lambda: eigenveil.spark.gram(vectors, columns=["f"], bounds=BOUNDS))


def test_a_parquet_file_counts_once_and_must_stay_what_it_was(spark, rows, tmp_path, monkeypatch):
    file = str(tmp_path / "a.parquet")
    write = lambda these: pa.parquet.write_table(pa.table({name: these[:, j] for j, name in enumerate(NAMES)}), file, row_group_size=500)
    write(rows)
    os.symlink(file, tmp_path / "b.parquet")
    for again in (file, str(tmp_path / "b.parquet"), f"file://{file}"):
        assert "same file" in told(lambda: eigenveil.spark.gram_of_parquet(spark, [file, again], NAMES, bounds=BOUNDS))
    summed = eigenveil.spark._summed
    monkeypatch.setattr(eigenveil.spark, "_summed", lambda *job: (write(rows[::-1]), summed(*job))[1])
    assert "replaced while the job ran" in told(lambda: eigenveil.spark.gram_of_parquet(spark, file, NAMES, bounds=BOUNDS))


def test_partitions_without_rows_and_constant_ones(spark):
    ones = spark.range(0, 12, 1, 6).select(functions.lit(1.0).alias("a"), functions.lit(0.5).alias("b"))
    bound = shard_bound(["a", "b"], bounds=BOUNDS)
    assert eigenveil.spark.gram(ones, columns=["a", "b"], bounds=BOUNDS) == merge([partial([np.tile([1.0, 0.5], (12, 1))], bound)])
    none = ones.where("a < 0")
    assert eigenveil.spark.gram(none, columns=["a", "b"], bounds=BOUNDS) == merge([partial([], bound)])


def test_a_frame_that_reads_a_file_twice_is_refused(spark, folder, tmp_path):
    """Under one name or two, behind other nodes, and before it is written anywhere; a table beside itself is what was asked for."""
    file = os.path.join(folder, "0.parquet")
    os.link(file, tmp_path / "b.parquet")
    for twice in ([file, file], [file, str(tmp_path / "b.parquet")]):
        frame = spark.read.parquet(*twice)
        for seen in (frame, frame.where("a > -9"), frame.repartition(2)):
            assert "counts twice" in told(lambda: eigenveil.spark.gram(seen, columns=LETTERS, bounds=BOUNDS, scratch=str(tmp_path / "s")))
        assert counted(eigenveil.spark.gram(frame, columns=LETTERS, bounds=BOUNDS, repeatable=True)) == 400
    assert not (tmp_path / "s").exists()
    once = spark.read.parquet(file)
    assert counted(eigenveil.spark.gram(once.union(once), columns=LETTERS, bounds=BOUNDS)) == 400


def test_a_scratch_that_could_not_be_filled_is_gone(spark, tmp_path):
    pa.parquet.write_table(pa.table({"a": ["SECRET"]}), tmp_path / "words.parquet")
    words = spark.read.parquet(str(tmp_path / "words.parquet")).repartition(2).select(functions.expr("cast(a as double) a"))
    assert "not shown" in told(lambda: eigenveil.spark.gram(words, columns=["a"], bounds=BOUNDS, scratch=str(tmp_path / "s")))
    assert not (tmp_path / "s").exists()


def test_the_example_of_the_readme(spark, tmp_path):
    pa.parquet.write_table(pa.table({"age": np.linspace(0, 120, 50), "income": np.linspace(0, 1e6, 50)}), tmp_path / "visits.parquet")
    program, = re.findall(r"```python cluster\n(.*?)```", (pathlib.Path(__file__).parents[2] / "README.md").read_text(), flags=re.S)
    found = {}
    exec(program.replace("visits.parquet", str(tmp_path / "visits.parquet")), found)
    assert found["pca"].components_.shape == (2, 2) and len(program.splitlines()) <= 5


def test_paths_are_those_of_the_driver(spark, folder, sums, monkeypatch):
    """Executors have directories of their own."""
    monkeypatch.chdir(folder)
    assert eigenveil.spark.gram_of_parquet(spark, sorted(os.listdir(".")), LETTERS, bounds=BOUNDS) == sums


def test_requests_that_cannot_be_met_are_refused_before_a_task_starts(spark, table):
    frame = spark.read.parquet(table)
    for wrong, said in (
        ({"columns": NAMES}, "bound on the rows"),
        ({"features": "embedding", "bounds": BOUNDS}, "dimension"),
        ({"bounds": BOUNDS}, "either columns"),
    ):
        with pytest.raises(eigenveil.EigenveilError, match=said):
            eigenveil.spark.gram(frame, **wrong)

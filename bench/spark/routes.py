"""Spark beside the same parts by hand: seconds per route, of the clock and of processors (JVM and workers), and their ratios.

    PYTHONPATH=build/release/python build/venv-cluster/bin/python bench/spark/routes.py [ROWS [COLUMNS]]      10000000 100

Routes: Parquet row groups read by the tasks, a frame of files with one array column, or with a column per number, and the same two through the JVM, as frames
are that are no files (a renamed column is enough). By hand: the row groups, read by pyarrow and summed by `eigenveil.partial` in one process per core.
Bars on a quiet machine with two cores: 1.3 for Parquet, 2.5 for one array column, 8 for a column per number.
"""

import concurrent.futures
import os
import shutil
import sys
import tempfile
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
from pyspark.sql import SparkSession, functions

import eigenveil
import eigenveil.spark
from eigenveil._shards import arrow_block

ROWS = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000
COLUMNS = int(sys.argv[2]) if len(sys.argv) > 2 else 100
CORES = os.cpu_count()
PARTS = 4 * CORES
NAMES = [f"x{j}" for j in range(COLUMNS)]
GROUP = (128 << 20) // (8 * COLUMNS)  # rows in 128 MiB, as Spark itself writes; it holds a group's column in memory
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # the workers' python is this one, not the first in PATH


def write(folder):
    rng = np.random.default_rng(1)
    for i in range(PARTS):
        rows = np.clip(rng.normal(size=(ROWS // PARTS, COLUMNS)) / 3, -1, 1)
        table = pa.table({name: rows[:, j] for j, name in enumerate(NAMES)})
        parquet.write_table(table, f"{folder}/columns/{i}.parquet", row_group_size=GROUP)
        array = pa.FixedSizeListArray.from_arrays(pa.array(rows.ravel()), COLUMNS).cast(pa.list_(pa.float64()))
        parquet.write_table(pa.table({"x": array}), f"{folder}/array/{i}.parquet", row_group_size=GROUP)


def by_hand(job):
    path, index = job
    file = parquet.ParquetFile(path, pre_buffer=False)
    batches = (arrow_block(batch, NAMES) for batch in file.iter_batches(batch_size=5000, columns=NAMES))
    return eigenveil.partial(batches, eigenveil.shard_bound(NAMES, bounds=(-1, 1)), shard=("by hand", index, PARTS))


def processor_seconds():
    """Of this process and all below it, those that have ended too."""
    parents, used = {}, {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            continue
        parents[int(pid)], used[int(pid)] = int(fields[1]), sum(map(int, fields[11:15]))
    family = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    return sum(used.get(pid, 0) for pid in family) / os.sysconf("SC_CLK_TCK")


def timed(work):
    start, used = time.perf_counter(), processor_seconds()
    found = work()
    return found, np.array([time.perf_counter() - start, processor_seconds() - used])


def main():
    folder = tempfile.mkdtemp(prefix="eigenveil-spark-", dir=os.environ.get("TMPDIR", "/tmp"))
    try:
        for kind in ("columns", "array"):
            os.mkdir(f"{folder}/{kind}")
        write(folder)
        paths = [f"{folder}/columns/{i}.parquet" for i in range(PARTS)]
        with concurrent.futures.ProcessPoolExecutor(CORES) as pool:
            expected, reference = timed(lambda: eigenveil.merge(pool.map(by_hand, [(path, i) for i, path in enumerate(paths)])))
        spark = SparkSession.builder.master(f"local[{CORES}]").config("spark.ui.enabled", "false").config("spark.driver.memory", "2g").getOrCreate()
        spark.sparkContext.setLogLevel("ERROR")
        spark.range(10).mapInArrow(lambda batches: batches, "id long").count()  # workers are up
        arrays, numbers = (spark.read.parquet(f"{folder}/{kind}") for kind in ("array", "columns"))
        renamed = numbers.select(*[functions.col(name).alias(name.upper()) for name in NAMES])
        routes = {
            "Parquet row groups": lambda: eigenveil.spark.gram_of_parquet(spark, paths, NAMES, bounds=(-1, 1)),
            "one array column": lambda: eigenveil.spark.gram(arrays, features="x", dimension=COLUMNS, bounds=(-1, 1)),
            "a column per number": lambda: eigenveil.spark.gram(numbers, columns=NAMES, bounds=(-1, 1)),
            "array through the JVM": lambda: eigenveil.spark.gram(arrays.withColumnRenamed("x", "y"), features="y", dimension=COLUMNS, bounds=(-1, 1)),
            "numbers through the JVM": lambda: eigenveil.spark.gram(renamed, columns=[name.upper() for name in NAMES], bounds=(-1, 1)),
        }
        routes_by_name = ("Parquet row groups", "a column per number")
        print(f"{ROWS} x {COLUMNS}, {CORES} cores; by hand {reference[0]:.1f} s, {reference[1]:.1f} s of processors")
        for name, route in routes.items():
            found, seconds = timed(route)
            same = name not in routes_by_name or found == expected  # the others have other names of columns
            ratios = seconds / reference
            print(f"{name:<24}{seconds[0]:8.1f} s  ratio {ratios[0]:5.2f}  processors {seconds[1]:8.1f} s  ratio {ratios[1]:5.2f}  {'same bits' if same else 'OTHER BITS'}", flush=True)
        spark.stop()
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()

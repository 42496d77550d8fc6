"""Peer of bench/csv.cpp: pyarrow's CSV reader on the same file, optionally followed by dsyrk.

usage: csv_peer.py FILE {table,stream} {rows,gram} WORKERS
Prints seconds, processor seconds, peak resident KiB and rows of this process. `table` is the multithreaded read_csv, which holds
the whole table; `stream` is open_csv, which keeps memory constant as ours does. Every column is
declared float64 on both sides, so neither guesses types.
"""

import resource
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv


def add_gram(total, batch):
    from scipy.linalg.blas import dsyrk

    # p x n in Fortran order: each column of the batch becomes one row of the transposed block.
    block = np.empty((batch.num_rows, batch.num_columns))
    for j, column in enumerate(batch.columns):
        block[:, j] = column.to_numpy(zero_copy_only=False)
    return dsyrk(1.0, block.T, beta=1.0, c=total, overwrite_c=True)


def main():
    path, reader, task, workers = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    pa.set_cpu_count(workers)
    with open(path, encoding="utf-8") as file:
        names = file.readline().strip().split(",")
    if task == "gram":
        import scipy.linalg.blas  # noqa: F401  (import outside the clock)
    convert = pacsv.ConvertOptions(column_types={name: pa.float64() for name in names})
    processor_start = time.process_time()
    start = time.perf_counter()
    if reader == "table":
        batches = pacsv.read_csv(path, convert_options=convert).to_batches()
    else:
        batches = pacsv.open_csv(path, convert_options=convert)
    total = np.zeros((len(names), len(names)), order="F")
    rows = 0
    for batch in batches:
        rows += batch.num_rows
        if task == "gram":
            total = add_gram(total, batch)
    seconds = time.perf_counter() - start
    processor_seconds = time.process_time() - processor_start
    print(seconds, processor_seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, rows)


if __name__ == "__main__":
    main()

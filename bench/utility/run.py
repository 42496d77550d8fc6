"""Every cell of the grid: subspace error, captured variance and time of each rival. See README.md."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed

import numpy as np
import tables

HERE = pathlib.Path(__file__).parent
RIVALS = ["diffprivlib_pca", "opendp_pca", "eigenveil_pca", "amin_exact", "random_subspace", "sklearn_pca"]
PEERS = ("diffprivlib_pca", "opendp_pca")
QUICK = dict(tables=["spiked", "digits"], epsilons=[1.0], ks=[1, 3], seeds=20, limit=5, short_limit=2)
FULL = dict(tables=None, epsilons=[0.1, 1.0, 10.0], ks=[1, 3, 10], seeds=20, limit=10, short_limit=2)
# About the mean: an algorithm that no package has is left out, and the peers pay for their own mean.
CENTRED = dict(tables=None, epsilons=[1.0, 10.0], ks=[1, 3], seeds=20, limit=3, short_limit=2)
CENTRED_RIVALS = [rival for rival in RIVALS if rival != "amin_exact"]
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}


def cells_of(grid, rival):
    """A purely private release meets (epsilon, delta) too, so rivals that have no other are run once."""
    losses = ("pure", "approx") if rival == "eigenveil_pca" else ("pure",)
    return [
        dict(loss=loss, epsilon=epsilon, k=k, delta=1e-6 if loss == "approx" else 0.0)
        for epsilon in grid["epsilons"]
        for k in grid["ks"]
        for loss in losses
    ]


def run_rival(python, name, rival, path, shape, grid):
    """The cells of one rival on one table."""
    wanted = cells_of(grid, rival)
    request = dict(rows=path, rival=rival, cells=wanted, seeds=grid["seeds"], limit=grid["limit"], short_limit=grid["short_limit"], centred=grid["centred"])
    worker = subprocess.Popen(
        [python, str(HERE / "worker.py"), json.dumps(request)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | ONE_THREAD,
    )
    version, cells = None, []
    for line in worker.stdout:
        facts = json.loads(line)
        version = facts.get("version", version)
        if "cell" in facts:
            cells.append(dict(wanted[facts.pop("cell")], table=name, shape=shape, rival=rival, version=version, **facts))
            print_progress(cells[-1])
    complaint = worker.stderr.read().strip().splitlines()
    worker.wait()
    for cell in wanted[len(cells):]:
        cells.append(dict(cell, table=name, shape=shape, rival=rival, version=version, trouble="fails: " + (complaint or ["did not start"])[-1][:120]))
        print_progress(cells[-1])
    return cells


def print_progress(cell):
    shown = f"{np.median(cell['error']):.3f}" if cell.get("error") else "-"
    print(f"{cell['table']:13s} eps {cell['epsilon']:<5g} k {cell['k']:<3d} {cell['loss']:7s} {cell['rival']:16s} error {shown} {cell['trouble'] or ''}", flush=True)


def write(record, out):
    """One line per cell."""
    head = json.dumps({key: value for key, value in record.items() if key != "cells"}, indent=1)[:-2]
    out.write_text(head + ',\n "cells": [\n  ' + ",\n  ".join(map(json.dumps, record["cells"])) + "\n ]\n}\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--centred", action="store_true", help="components about the mean, which every release has to pay for")
    parser.add_argument("--peers-python", default=sys.executable, help="interpreter that has diffprivlib and opendp")
    parser.add_argument("--limit", type=int, help="seconds of processor time for all repetitions of a cell")
    parser.add_argument("--jobs", type=int, default=1, help="rivals at once; limits and times are of processor time")
    parser.add_argument("--tables", nargs="*")
    parser.add_argument("--rivals", nargs="*", help="run these again and keep the others of the file")
    options = parser.parse_args()
    grid = dict(CENTRED if options.centred else FULL if options.full else QUICK, centred=options.centred)
    rivals = options.rivals or (CENTRED_RIVALS if options.centred else RIVALS)
    grid["limit"] = options.limit or grid["limit"]
    grid["tables"] = options.tables or grid["tables"] or tables.available()
    record = dict(
        made=datetime.date.today().isoformat(),
        commit=subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=HERE).stdout.strip(),
        machine=platform.processor() or platform.machine(), python=platform.python_version(), grid=grid, cells=[],
    )
    out = HERE / "results" / ("centred.json" if options.centred else "full.json" if options.full else "quick.json")
    out.parent.mkdir(exist_ok=True)
    if options.rivals and out.exists():
        before = json.loads(out.read_text())
        record["cells"] = [cell for cell in before["cells"] if cell["rival"] not in rivals]
        record["again"] = dict(rivals=rivals, others_made=before.get("again", before).get("others_made", before["made"]))
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        jobs = []
        for name in grid["tables"]:
            rows = tables.TABLES[name]()
            path = os.path.join(folder, name + ".npy")
            np.save(path, rows)
            for rival in rivals:
                python = options.peers_python if rival in PEERS else sys.executable
                jobs.append(pool.submit(run_rival, python, name, rival, path, rows.shape, grid))
        for job in as_completed(jobs):
            record["cells"] += job.result()
            write(record, out)
    print("wrote", out)


if __name__ == "__main__":
    main()

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

import numpy as np
import tables

HERE = pathlib.Path(__file__).parent
RIVALS = ["eigenveil_pca", "diffprivlib_pca", "opendp_pca", "random_subspace", "sklearn_pca"]
QUICK = dict(tables=["spiked", "digits"], epsilons=[1.0], ks=[1, 3], seeds=20, limit=5)
FULL = dict(tables=None, epsilons=[0.1, 1.0, 10.0], ks=[1, 3, 10], seeds=20, limit=60)


def cells_of(grid, rival):
    """The peers' purely private releases meet (epsilon, delta) too, so they are run once."""
    losses = ("pure", "approx") if rival == "eigenveil_pca" else ("pure",)
    return [
        dict(loss=loss, epsilon=epsilon, k=k, delta=1e-6 if loss == "approx" else 0.0)
        for epsilon in grid["epsilons"]
        for k in grid["ks"]
        for loss in losses
    ]


def run_rival(python, name, rival, path, shape, grid):
    cells = [dict(cell, table=name, shape=shape, rival=rival, runs=[], trouble="did not start") for cell in cells_of(grid, rival)]
    request = dict(rows=path, rival=rival, cells=cells_of(grid, rival), seeds=grid["seeds"], limit=grid["limit"])
    hard_limit = 120 + (20 * grid["limit"] + 10) * len(cells)  # where even the alarm does not help
    try:
        done = subprocess.run([python, str(HERE / "worker.py"), json.dumps(request)], capture_output=True, text=True, timeout=hard_limit)
        output, complaint = done.stdout, done.stderr
    except subprocess.TimeoutExpired as slow:
        output, complaint = (slow.stdout or b"").decode(), "hangs"
    version = None
    for line in map(json.loads, filter(lambda text: text.startswith("{"), output.splitlines())):
        version = line.get("version", version)
        if "run" in line:
            cells[line["cell"]]["runs"].append(line["run"])
        if "done" in line:
            cells[line["cell"]]["trouble"] = line["trouble"]
    for cell in cells:
        cell["version"] = version
        if cell["trouble"] == "did not start" and complaint.strip():
            cell["trouble"] = "fails: " + complaint.strip().splitlines()[-1][:120]
        shown = f"{np.median([r['error'] for r in cell['runs']]):.3f}" if cell["runs"] else "-"
        print(f"{name:13s} eps {cell['epsilon']:<5g} k {cell['k']:<3d} {cell['loss']:7s} {rival:16s} error {shown} {cell['trouble'] or ''}", flush=True)
    return cells


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--peers-python", default=sys.executable, help="interpreter that has diffprivlib and opendp")
    parser.add_argument("--limit", type=int, help="seconds of processor time for a cell")
    parser.add_argument("--tables", nargs="*")
    options = parser.parse_args()
    grid = dict(FULL if options.full else QUICK)
    grid["limit"] = options.limit or grid["limit"]
    grid["tables"] = options.tables or grid["tables"] or tables.available()
    record = dict(
        made=datetime.date.today().isoformat(),
        commit=subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=HERE).stdout.strip(),
        machine=platform.processor() or platform.machine(), python=platform.python_version(), grid=grid, cells=[],
    )
    out = HERE / "results" / ("full.json" if options.full else "quick.json")
    out.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in grid["tables"]:
            rows = tables.TABLES[name]()
            path = os.path.join(folder, "rows.npy")
            np.save(path, rows)
            for rival in RIVALS:
                python = options.peers_python if rival in ("diffprivlib_pca", "opendp_pca") else sys.executable
                record["cells"] += run_rival(python, name, rival, path, rows.shape, grid)
                out.write_text(json.dumps(record, indent=1))
    print("wrote", out)


if __name__ == "__main__":
    main()

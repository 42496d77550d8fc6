"""All cells of one rival on one table: a line of JSON per cell. Each cell has a process of its own, with a limit of processor time for all its repetitions."""

import importlib
import json
import pathlib
import sys
import time

import numpy as np
from limited import run_limited

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "rivals")]
HOPELESS = 1e7  # proposals expected; a sampler in Python makes fewer than 1e5 in a second


def run_cell(rival, rows, moment, cell, seeds, centred):
    """Yields error |UU' - VV'|_F^2 / 2k, captured share of the best variance, and seconds of processor time."""
    values, vectors = np.linalg.eigh(moment)
    k = cell["k"]
    exact, best = vectors[:, -k:], values[-k:].sum()
    for seed in range(seeds):
        start = time.process_time()
        found = rival.components(rows, k, cell["epsilon"], cell["delta"], seed, centred)
        seconds = time.process_time() - start
        basis = np.linalg.qr(np.asarray(found, float).T)[0]
        error = max(0.0, 1 - np.linalg.norm(basis.T @ exact) ** 2 / k)
        captured = np.trace(basis.T @ moment @ basis) / best
        yield [float(f"{value:.4g}") for value in (error, captured, seconds)]


def main():
    request = json.loads(sys.argv[1])
    rows = np.load(request["rows"])
    rival = importlib.import_module(request["rival"])
    centred = request["centred"]
    about = rows - rows.mean(axis=0) if centred else rows
    moment = about.T @ about
    print(json.dumps({"version": rival.VERSION}), flush=True)
    for index, cell in enumerate(request["cells"]):
        facts = dict(cell=index)
        limit = request["limit"]
        if hasattr(rival, "fewest_proposals"):
            facts["fewest_proposals"] = float(f"{rival.fewest_proposals(moment, cell['k'], cell['epsilon']):.3g}")
            if facts["fewest_proposals"] > HOPELESS:
                limit = min(limit, request["short_limit"])
        if hasattr(rival, "method"):
            facts["method"] = rival.method(rows, cell["k"], cell["epsilon"], cell["delta"], centred)
        runs, trouble = run_limited(lambda: run_cell(rival, rows, moment, cell, request["seeds"], centred), limit)
        facts |= dict(trouble=trouble, **dict(zip(("error", "captured", "seconds"), map(list, zip(*runs)))))
        print(json.dumps(facts), flush=True)


if __name__ == "__main__":
    main()

"""All cells of one rival on one table, in a process of its own: a line of JSON per repetition, a limit of processor time per cell."""

import importlib
import json
import pathlib
import signal
import sys
import time

import numpy as np

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "rivals")]


class TooSlow(Exception):
    pass


def stop(*_):
    raise TooSlow


def run_cell(rival, rows, moment, cell, seeds):
    """Yields error |UU' - VV'|_F^2 / 2k, captured share of the best variance, and seconds."""
    values, vectors = np.linalg.eigh(moment)
    k = cell["k"]
    exact, best = vectors[:, -k:], values[-k:].sum()
    for seed in range(seeds):
        start = time.perf_counter()
        found = rival.components(rows, k, cell["epsilon"], cell["delta"], seed)
        seconds = time.perf_counter() - start
        basis = np.linalg.qr(np.asarray(found, float).T)[0]
        yield dict(
            seed=seed,
            error=float(1 - np.linalg.norm(basis.T @ exact) ** 2 / k),
            captured=float(np.trace(basis.T @ moment @ basis) / best),
            seconds=seconds,
        )


def main():
    request = json.loads(sys.argv[1])
    rows = np.load(request["rows"])
    rival = importlib.import_module(request["rival"])
    print(json.dumps({"version": rival.VERSION}), flush=True)
    moment = rows.T @ rows
    signal.signal(signal.SIGPROF, stop)
    for index, cell in enumerate(request["cells"]):
        signal.setitimer(signal.ITIMER_PROF, request["limit"])
        trouble = None
        try:
            for run in run_cell(rival, rows, moment, cell, request["seeds"]):
                print(json.dumps({"cell": index, "run": run}), flush=True)
        except TooSlow:
            trouble = f"stopped after {request['limit']} s of processor time"
        except Exception as problem:  # a rival's failure is a result
            trouble = f"fails: {type(problem).__name__}: {str(problem).splitlines()[0][:120] if str(problem) else ''}"
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        print(json.dumps({"cell": index, "done": True, "trouble": trouble}), flush=True)


if __name__ == "__main__":
    main()

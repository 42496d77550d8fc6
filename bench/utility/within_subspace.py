"""Principal components inside a learned subspace against the direct methods, and what MNIST says.

    python bench/utility/within_subspace.py synthetic [--columns 200,1000] [--rows 20000] [--full]
    python bench/utility/within_subspace.py mnist [--components 1,5] [--epsilons 1,16] [--data ../shared/data/mnist]

`synthetic`: rows of a Gaussian with k = 5 variances 1, 0.8, 0.6, 0.5, 0.4 along random directions and
gamma^2 0.4 along all others; every method is the program itself with the same budget and, where it
has the choice, the same neighbours. Prints the sine of the largest angle to the true subspace, the
largest relative error of the five variances, time and peak memory. --full: 1000, 2000 and 10000
columns; direct methods are run up to --direct-up-to columns (their matrices have columns^2 entries).

`mnist`: for k, epsilon and gamma whether the answer is NULL, and the sine of the angle to the true
leading subspace otherwise. The true spectrum is computed without privacy, for this experiment only.
"""

import argparse
import gzip
import json
import multiprocessing
import os
import pathlib
import subprocess
import tempfile
import time

import numpy as np

VARIANCES = np.array([1.0, 0.8, 0.6, 0.5, 0.4])
DELTA = "1e-6"


def run(arguments, folder):
    """The release (None when refused), seconds and peak MiB of one run of the program."""
    out = pathlib.Path(folder, "out")
    subprocess.run(["rm", "-rf", out], check=True)
    begin = time.monotonic()
    process = subprocess.Popen([PROGRAM, *arguments, "--quiet", "--out", str(out)],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    message = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - begin
    if process.returncode:
        return None, message.strip().splitlines()[0], seconds, usage.ru_maxrss / 1024
    return out, json.loads((out / "release.json").read_text()), seconds, usage.ru_maxrss / 1024


def read_table(path):
    lines = [line.split(",") for line in path.read_text().splitlines() if not line.startswith("#")]
    return np.array([[float(c) for c in line[1:]] for line in lines[1:]])


def sine(first, second):
    q1, q2 = np.linalg.qr(first)[0], np.linalg.qr(second)[0]
    rest = q2 - q1 @ (q1.T @ q2)
    return float(np.linalg.norm(rest, 2))


def write_rows(path, rows, columns, gamma, seed):
    rng = np.random.default_rng(seed)
    frame = np.linalg.qr(rng.standard_normal((columns, len(VARIANCES))))[0]
    table = np.lib.format.open_memmap(path, mode="w+", dtype="<f8", shape=(rows, columns))
    sd = gamma * np.sqrt(VARIANCES[-1])
    for begin in range(0, rows, 1000):
        count = min(1000, rows - begin)
        inside = rng.standard_normal((count, len(VARIANCES))) * np.sqrt(VARIANCES)
        table[begin:begin + count] = inside @ frame.T + sd * rng.standard_normal((count, columns))
    table.flush()
    return frame


def direct_methods(gamma):
    sigma2 = gamma * gamma * VARIANCES[-1]
    return {
        "gauss": ["--method", "gauss", "--row-norm", "5", "--neighbours", "replace-one"],
        "laplace": ["--method", "laplace", "--row-norm", "5", "--neighbours", "replace-one"],
        "spiked-robust": ["--method", "spiked-robust", "--row-norm", "5", "--neighbours",
                          "replace-one"],
        "spiked (model only)": ["--method", "spiked", "--row-norm", "5", "--sigma2", repr(float(sigma2)),
                                "--lambda", repr(float(VARIANCES[-1])), "--spread", "2.5",
                                "--neighbours", "independent-copy"],
    }


def report(name, columns, answer, frame):
    out, release, seconds, peak = answer
    cost = f"{seconds:6.1f} s {peak:6.0f} MiB"
    if out is None:
        print(f"| {columns} | {name} | refused | | {cost} | {release[:160]} |", flush=True)
        return
    if release["result"].get("outcome") == "null" or not (out / "loadings.csv").exists():
        print(f"| {columns} | {name} | NULL | | {cost} | |", flush=True)
        return
    loadings = read_table(out / "loadings.csv")
    if not loadings.any():
        print(f"| {columns} | {name} | NULL | | {cost} | |", flush=True)
        return
    variances = np.array(release["result"].get("noisy_explained_variance", [np.nan] * 5))
    error = np.max(np.abs(variances - VARIANCES) / VARIANCES)
    print(f"| {columns} | {name} | {sine(frame, loadings):.3f} | {error:.3g} | {cost} | |",
          flush=True)


def synthetic(options):
    columns_list = [1000, 2000, 10000] if options.full else [
        int(c) for c in options.columns.split(",")]
    print("| columns | method | sine | error of variances | cost | said |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for columns in columns_list:
            gamma = options.gamma_times_columns / columns
            path = pathlib.Path(folder, "rows.npy")
            # In a process of its own: the peak memory of a child starts from that of its parent.
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                frame = pool.apply(write_rows, (path, options.rows, columns, gamma, columns))
            common = ["pca", str(path), "-k", "5", "--epsilon", "1", "--delta", DELTA]
            for name, more in direct_methods(gamma).items():
                if columns <= options.direct_up_to:
                    report(name, columns, run(common + more, folder), frame)
            if columns > options.direct_up_to:
                plan = subprocess.run(
                    [PROGRAM, "plan", "pca", "--method", "gauss", "--rows", str(options.rows),
                     "--dimension", str(columns), *common[2:], "--row-norm", "5", "--neighbours",
                     "replace-one"], capture_output=True, text=True, check=True)
                floor = [line.strip() for line in plan.stdout.splitlines() if "floor" in line][0]
                print(f"| {columns} | gauss | not run | | | plan: {floor} |", flush=True)
            more = ["--within-subspace", "5", "--subspace-share", "0.5", "--gamma", repr(gamma),
                    "--row-norm", "5", "--neighbours", "replace-one"]
            report("within a learned subspace", columns, run(common + more, folder), frame)


def mnist(options):
    path = pathlib.Path(options.data, "train-images-idx3-ubyte.gz")
    images = np.frombuffer(gzip.open(path).read(), dtype=np.uint8, offset=16)
    images = images.reshape(-1, 784).astype(float)
    values, vectors = np.linalg.eigh(images.T @ images / len(images))
    values, vectors = values[::-1], vectors[:, ::-1]
    print("| k | true gamma | epsilon | --gamma given | plan: gamma for sine 0.1 | answer |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for k in map(int, options.components.split(",")):
            true = float(np.sqrt(values[k] / values[k - 1]))
            for epsilon in options.epsilons.split(","):
                size = ["--rows", str(len(images)), "--dimension", "784", "-k", str(k),
                        "--epsilon", epsilon, "--delta", DELTA, "--json"]
                for gamma in (None, 0.01, true):
                    given = [] if gamma is None else ["--gamma", repr(gamma)]
                    plan = subprocess.run([PROGRAM, "plan", "subspace", *size, *given],
                                          capture_output=True, text=True)
                    limit = (f"{json.loads(plan.stdout)['largest_gamma']:.2g}"
                             if plan.returncode == 0 else "refused")
                    out, release, _, _ = run(["subspace", str(path), "-k", str(k), "--epsilon",
                                              epsilon, "--delta", DELTA, "--rows",
                                              str(len(images)), *given], folder)
                    if out is None:
                        answer = "refused: " + release[:80]
                    elif release["result"]["outcome"] == "null":
                        answer = "NULL"
                    else:
                        found = read_table(out / "subspace.csv")
                        answer = (f"sine {sine(vectors[:, :k], found):.3f}, the release says noise "
                                  f"explains {release['result']['noise_angle']:.2f}")
                    shown = "searched" if gamma is None else f"{gamma:.3g}"
                    print(f"| {k} | {true:.2f} | {epsilon} | {shown} | {limit} | {answer} |",
                          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["synthetic", "mnist"])
    parser.add_argument("--program", default="build/release/bin/eigenveil")
    parser.add_argument("--rows", type=int, default=20000)
    parser.add_argument("--columns", default="200")
    parser.add_argument("--gamma-times-columns", type=float, default=0.1)
    parser.add_argument("--direct-up-to", type=int, default=2000)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--components", default="1,2,5,10")
    parser.add_argument("--epsilons", default="1,4,16")
    parser.add_argument("--data", default="../shared/data/mnist")
    options = parser.parse_args()
    global PROGRAM
    PROGRAM = options.program
    {"synthetic": synthetic, "mnist": mnist}[options.what](options)


if __name__ == "__main__":
    main()

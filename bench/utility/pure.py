"""Pure epsilon before and after wishart: predicted squared subspace error of the methods, one command, no data.

    python3 bench/utility/pure.py [build/release/bin/eigenveil]

Every line is `eigenveil plan pca --compare`: the methods are tried on made-up Gaussian tables with the assumed spectrum, the same tables for each.
Rows have norm at most 1; the spectrum of the second moment per row is (.4, .25, .15, flat), and all methods work about the public centre.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

METHODS = ("laplace", "exponential", "orbit", "wishart")


def spectrum_of(columns):
    top = [0.4, 0.25, 0.15]
    return top + [0.2 / (columns - 3)] * (columns - 3)


def errors(program, columns, rows, components, epsilon):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "spectrum.txt"
        path.write_text("\n".join(map(str, spectrum_of(columns))))
        command = [program, "plan", "pca", "--compare", "--rows", rows, "--dimension", columns, "-k", components,
                   "--row-norm", 1, "--epsilon", epsilon, "--center", "none", "--spectrum", path, "--json"]
        found = json.loads(subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True).stdout)
    return {line["method"]: line.get("total_error_f2") for line in found["methods"]}, found["sampling_error_f2"]


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "build/release/bin/eigenveil"
    print("| columns | k | epsilon | " + " | ".join(METHODS) + " | sampling alone |")
    print("|---" * (len(METHODS) + 4) + "|")
    for components in (1, 3):
        for columns in (5, 10, 20, 50):
            for epsilon in (0.1, 1):
                found, sampling = errors(program, columns, 10000, components, epsilon)
                cells = [f"{found[name]:.2g}" if found.get(name) is not None else "-" for name in METHODS]
                print(f"| {columns} | {components} | {epsilon} | " + " | ".join(cells) + f" | {sampling:.2g} |")


if __name__ == "__main__":
    main()

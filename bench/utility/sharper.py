"""Noise at the same guarantee, before and after: plans of two builds side by side, no data.

    python3 bench/utility/sharper.py build/release/bin/eigenveil [older build's eigenveil]
"""

import json
import subprocess
import sys

SIZE = ["--rows", 10000, "--dimension", 10, "--row-norm", 1, "--center", "none"]
MASK = ["mask", "--method", "mask", "--rows", 10000, "--dimension", 20, "--row-norm", 1, "--epsilon", 1, "--delta", 1e-6]
SUBSPACE = ["subspace", "--rows", 4000, "--dimension", 200, "-k", 2, "--gamma", 1e-3, "--epsilon", 1, "--delta", 1e-6]
GAUSS = ["pca", "--method", "gauss", "-k", 1, "--mu", 1, "--rows", 10000, "--row-norm", 1, "--center", "none"]
MEAN = ["pca", "--method", "gauss", "-k", 1, "--mu", 1, "--rows", 10000, "--row-norm", 1, "--center", "private"]
LOWRANK = ["lowrank", "--method", "orbit", "-k", 3, "--mu", 1, *SIZE]
LINES = [  # what, words of the plan, number of its JSON
    ("orbit, k = 2, rho 0.1: exponent", ["pca", "--method", "orbit", "-k", 2, "--rho", 0.1, *SIZE], "exponent"),
    ("orbit, k = 2, rho 0.1: sd of a variance", ["pca", "--method", "orbit", "-k", 2, "--rho", 0.1, *SIZE], "noise_sd_variance"),
    ("orbit, k = 2, mu 1: exponent", ["pca", "--method", "orbit", "-k", 2, "--mu", 1, *SIZE], "exponent"),
    ("exponential, mu 1: exponent", ["pca", "--method", "exponential", "-k", 1, "--mu", 1, *SIZE], "exponent"),
    ("mask, replace-one: sigma", [*MASK, "--neighbours", "replace-one"], "sigma_replace_one"),
    ("mask, intercept, zero-row: sigma", [*MASK, "--intercept", "--neighbours", "zero-row"], "sigma_asked"),
    ("gauss, 2 columns, mu 1: sd of a product", [*GAUSS, "--dimension", 2], "noise_sd_off_diagonal"),
    ("gauss, 5 columns, mu 1: sd of a product", [*GAUSS, "--dimension", 5], "noise_sd_off_diagonal"),
    ("gauss, 5 columns, mu 1: sd of a variance", [*GAUSS, "--dimension", 5], "noise_sd_diagonal"),
    ("gauss, 5 columns, mu 1, replace-one: sd of a variance",
     [*GAUSS, "--dimension", 5, "--neighbours", "replace-one"], "noise_sd_diagonal"),
    ("gauss, private mean, 2 columns, mu 1: sd of a product", [*MEAN, "--dimension", 2], "noise_sd_off_diagonal"),
    ("gauss, private mean, 5 columns, mu 1: sd of a product", [*MEAN, "--dimension", 5], "noise_sd_off_diagonal"),
    ("gauss, private mean, 10 columns, mu 1: sd of a product", [*MEAN, "--dimension", 10], "noise_sd_off_diagonal"),
    ("lowrank by orbit, k = 3, mu 1: sd of an eigenvalue", [*LOWRANK], "noise_sd_eigenvalue"),
    ("lowrank by orbit, k = 3, mu 1, replace-one: sd of an eigenvalue",
     [*LOWRANK, "--neighbours", "replace-one"], "noise_sd_eigenvalue"),
    ("subspace, 4000 x 200, k = 2, gamma 1e-3: angle", SUBSPACE, "predicted_angle"),
]


def number(program, words, field):
    command = [str(word) for word in [program, "plan", *words, "--json"]]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    if found.returncode != 0:
        return "refused"
    facts = json.loads(found.stdout)
    return f"{facts[field]:.4g}" if field in facts else f"no {field}: {', '.join(facts)}"


def main():
    programs = sys.argv[1:] or ["build/release/bin/eigenveil"]
    print("| " + " | ".join(["", *("after", "before")[: len(programs)]]) + " |")
    print("|---" * (len(programs) + 1) + "|")
    for what, words, field in LINES:
        print("| " + " | ".join([what, *(number(program, words, field) for program in programs)]) + " |")


if __name__ == "__main__":
    main()

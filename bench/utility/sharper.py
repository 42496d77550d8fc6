"""Noise at the same guarantee, before and after: plans of two builds side by side, no data.

    python3 bench/utility/sharper.py build/release/bin/eigenveil [older build's eigenveil]
"""

import json
import subprocess
import sys
import tempfile

SIZE = ["--rows", 10000, "--dimension", 10, "--row-norm", 1, "--center", "none"]
MASK = ["mask", "--method", "mask", "--rows", 10000, "--dimension", 20, "--row-norm", 1, "--epsilon", 1, "--delta", 1e-6]
SUBSPACE = ["subspace", "--rows", 4000, "--dimension", 200, "-k", 2, "--gamma", 1e-3, "--epsilon", 1, "--delta", 1e-6]
GAUSS = ["pca", "--method", "gauss", "-k", 1, "--mu", 1, "--rows", 10000, "--row-norm", 1, "--center", "none"]
MEAN = ["pca", "--method", "gauss", "-k", 1, "--mu", 1, "--rows", 10000, "--row-norm", 1, "--center", "private"]
LOWRANK = ["lowrank", "--method", "orbit", "-k", 3, "--mu", 1, *SIZE]
SPIKES = [15.0, 10.0, 6.0, *(0.1 + 0.6 * i / 197 for i in range(197))]
LINES = [  # what (by the items of issue 18), words of the plan, field of its JSON
    ("0, 8: pure epsilon 1, 10 columns: method", ["pca", "-k", 1, "--epsilon", 1, *SIZE], "method"),
    ("0: pure epsilon 1, 10 columns: sd of a product", ["covariance", "--epsilon", 1, *SIZE], "noise_sd_off_diagonal"),
    ("6: sharp, k = 2, mu 1, 200 columns: proposals of the exact sampler",
     ["pca", "--method", "sharp", "-k", 2, "--mu", 1, "--rows", 2504, "--data-spectrum", "SPECTRUM"], "sampler.expected_proposals"),
    ("6: the same: sweeps of the chain that stands in", ["pca", "--method", "sharp", "-k", 2, "--mu", 1, "--rows", 2504, "--data-spectrum", "SPECTRUM"], "sampler.sweeps"),
    ("7: spiked-robust, 20,000 columns", ["pca", "--method", "spiked-robust", "-k", 1, "--epsilon", 1, "--delta", 1e-6, "--rows", 10000, "--dimension", 20000,
                                          "--row-norm", 1], "method"),
    ("gauss, 10 columns, mu 1: noise floor", [*GAUSS, "--dimension", 10], "noise_floor"),
    ("2: orbit, k = 2, rho 0.1: exponent", ["pca", "--method", "orbit", "-k", 2, "--rho", 0.1, *SIZE], "exponent"),
    ("5: orbit, k = 2, rho 0.1: sd of a variance", ["pca", "--method", "orbit", "-k", 2, "--rho", 0.1, *SIZE], "noise_sd_variance"),
    ("2: orbit, k = 2, mu 1: exponent", ["pca", "--method", "orbit", "-k", 2, "--mu", 1, *SIZE], "exponent"),
    ("2: exponential, mu 1: exponent", ["pca", "--method", "exponential", "-k", 1, "--mu", 1, *SIZE], "exponent"),
    ("3: mask, replace-one: sigma", [*MASK, "--neighbours", "replace-one"], "sigma_replace_one"),
    ("3: mask, intercept, zero-row: sigma", [*MASK, "--intercept", "--neighbours", "zero-row"], "sigma_asked"),
    ("4: gauss, 2 columns, mu 1: sd of a product", [*GAUSS, "--dimension", 2], "noise_sd_off_diagonal"),
    ("4: gauss, 5 columns, mu 1: sd of a product", [*GAUSS, "--dimension", 5], "noise_sd_off_diagonal"),
    ("4: gauss, 5 columns, mu 1: sd of a variance", [*GAUSS, "--dimension", 5], "noise_sd_diagonal"),
    ("4: gauss, 5 columns, mu 1, replace-one: sd of a variance",
     [*GAUSS, "--dimension", 5, "--neighbours", "replace-one"], "noise_sd_diagonal"),
    ("4: gauss, private mean, 2 columns, mu 1: sd of a product", [*MEAN, "--dimension", 2], "noise_sd_off_diagonal"),
    ("4: gauss, private mean, 5 columns, mu 1: sd of a product", [*MEAN, "--dimension", 5], "noise_sd_off_diagonal"),
    ("4: gauss, private mean, 10 columns, mu 1: sd of a product", [*MEAN, "--dimension", 10], "noise_sd_off_diagonal"),
    ("5: lowrank by orbit, k = 3, mu 1: sd of an eigenvalue", [*LOWRANK], "noise_sd_eigenvalue"),
    ("5: lowrank by orbit, k = 3, mu 1, replace-one: sd of an eigenvalue",
     [*LOWRANK, "--neighbours", "replace-one"], "noise_sd_eigenvalue"),
    ("1: subspace, 4000 x 200, k = 2, gamma 1e-3: angle", SUBSPACE, "predicted_angle"),
]


def number(program, words, field):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as spectrum:
        spectrum.write("\n".join(map(repr, SPIKES)))
        spectrum.flush()
        return planned(program, [spectrum.name if word == "SPECTRUM" else word for word in words], field)


def planned(program, words, field):
    command = [str(word) for word in [program, "plan", *words, "--json"]]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    if found.returncode != 0:
        return "refused"
    value = json.loads(found.stdout)
    for part in field.split("."):
        if part not in value:
            return "not said"
        value = value[part]
    return f"{value:.4g}" if isinstance(value, (int, float)) else str(value)


def main():
    programs = sys.argv[1:] or ["build/release/bin/eigenveil"]
    print("| " + " | ".join(["", *("after", "before")[: len(programs)]]) + " |")
    print("|---" * (len(programs) + 1) + "|")
    for what, words, field in LINES:
        print("| " + " | ".join([what, *(number(program, words, field) for program in programs)]) + " |")


if __name__ == "__main__":
    main()

"""A private score plot of the 1000 Genomes populations: people on two components that were released inside of a public basis.

  python3 bench/utility/score_plot.py build/release/bin/eigenveil DATA/genotypes-1000g-phase1/1kg_phase1 [picture.png]

Half of the people are public: half of those give frequencies and basis (as in public_basis.py), the others the norm that rows are clipped to inside of it. The other half is private, read from a .bed file with labels beside it: components at mu = 1 (K = 20), then one histogram for each super-population at mu = 1; both together are mu = sqrt(2).
Printed: where the middle of every super-population lies in the noisy histograms, beside the exact one; its cells above the noise, and the largest of them with its 95% limits. A cell is above the noise when noise alone
would lift any cell of the picture there with probability 5% at most, the rule of the report. The picture needs matplotlib.
Then the old way: all variants without a basis, which the verdict refuses (timed)."""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import NormalDist

import numpy as np
from public_basis import COPIES, read_bed, standardised, write_bed

LEVELS = ("AFR", "AMR", "EAS", "EUR")
CELLS = 24


def main():
    program, stem = sys.argv[1:3]
    variants, people, codes = read_bed(stem)
    labels = dict(line.split("\t")[0:3:2] for line in Path(stem).with_name("populations.tsv").read_text().splitlines()[1:])
    groups = np.array([labels[person.split()[1]] for person in people])[1::2]
    private = codes[:, 1::2]
    frequency = np.nanmean(COPIES[codes[:, 0::4]], axis=1) / 2
    used = (frequency > 0.005) & (frequency < 0.995)
    private, frequency = private[used], frequency[used]
    panel, others, cohort = (standardised(c, frequency) for c in (codes[used][:, 0::4], codes[used][:, 2::4], private))
    basis = np.linalg.svd(panel, full_matrices=False)[2][:20].T
    norm = float(np.quantile(np.linalg.norm(others @ basis, axis=1), 0.5))
    names = [v[1] for v, keep in zip(variants, used) if keep]
    with tempfile.TemporaryDirectory() as folder:
        write_bed(folder + "/cohort", [v for v, keep in zip(variants, used) if keep], people[1::2], private)
        np.save(folder + "/basis.npy", basis)
        Path(folder + "/frequencies.csv").write_text("column,value\n" + "".join(f"{n},{f:.17g}\n" for n, f in zip(names, frequency)))
        table = [folder + "/cohort.bed", "--quiet"]
        run = lambda *a: subprocess.run([program, *map(str, a)], check=True, stdout=subprocess.DEVNULL)
        run("pca", *table, "--allele-frequencies", folder + "/frequencies.csv", "--project", folder + "/basis.npy", "--projected-norm", norm, "-k", 2, "--mu", 1, "--out", folder + "/pca")
        run("scores", *table, "--on", folder + "/pca", "--cells", CELLS, "--labels", Path(stem).with_name("populations.tsv"), "--label", "super_population=" + "|".join(LEVELS), "--mu", 1, "--out", folder + "/scores")
        document = json.loads(Path(folder + "/scores/release.json").read_text())
        loadings = np.genfromtxt(folder + "/pca/loadings.csv", delimiter=",", skip_header=1, dtype=str)[:, -2:].astype(float)
        exact = cohort @ loadings
        sd = document["parameters"]["noise_sd_count"]
        above = sd * NormalDist().inv_cdf(1 - 0.05 / (CELLS * CELLS * (len(LEVELS) + 1)))
        print(f"{len(groups)} private people, {len(names)} variants, K = 20, mu = 1 for the axes and 1 for the counts; {document['parameters']['interval']}")
        maps = {}
        for i, level in enumerate(LEVELS, 1):
            rows = [line.split(",") for line in Path(f"{folder}/scores/scores_{i}.csv").read_text().splitlines()]
            across, up = np.array(rows[0][1:], float), np.array([row[0] for row in rows[1:]], float)
            counts = np.array([row[1:] for row in rows[1:]], float)
            maps[level] = counts
            shown = np.where(counts > above, counts, 0)
            middle = (shown.sum(0) @ across / shown.sum(), shown.sum(1) @ up / shown.sum()) if shown.any() else (np.nan, np.nan)
            truth = exact[groups == level].mean(axis=0)
            most = counts.max()
            print(
                f"  {level}: {np.sum(groups == level):4d} people   exact middle {truth[0]:6.1f} {truth[1]:6.1f}   shown {middle[0]:6.1f} {middle[1]:6.1f}   "
                f"{np.sum(counts > above):3d} cells above noise, the largest {most:.0f} ({most - 1.96 * sd:.0f} to {most + 1.96 * sd:.0f})"
            )
        if len(sys.argv) > 3:
            draw(maps, across, up, above, exact, groups, sys.argv[3])
        start = time.time()
        refused = subprocess.run([program, "pca", stem + ".bed", "--range", "0:2", "--grid", "1", "-k", "2", "--mu", "1", "--people", "1092", "--quiet"], capture_output=True, text=True)
        print(f"without a basis, {len(variants)} variants: exit {refused.returncode} after {time.time() - start:.2f} s: {refused.stderr.strip()}")


def draw(maps, across, up, above, exact, groups, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.colors import to_rgb

    figure, axes = plt.subplots(1, 2, figsize=(12, 5.4), sharex=True, sharey=True)
    width, height = abs(across[1] - across[0]), abs(up[1] - up[0])
    most = max(counts.max() for counts in maps.values())
    for level, colour in zip(LEVELS, ("#4269d0", "#efb118", "#3ca951", "#ff725c")):
        for (i, j), count in np.ndenumerate(maps[level]):
            if count > above:  # a cell below the noise stays white
                strength = 0.25 + 0.75 * np.sqrt(count / most)
                axes[0].add_patch(plt.Rectangle((across[j] - width / 2, up[i] - height / 2), width, height, color=(*to_rgb(colour), strength), linewidth=0))
        axes[1].scatter(*exact[groups == level].T, s=7, color=colour, label=level)
    axes[0].set_title("released: noisy counts above the noise, mu = 1")
    axes[1].set_title("the people themselves (private)")
    axes[1].legend()
    for axis in axes:
        axis.set_xlabel("PC1")
        axis.set_xlim(exact[:, 0].min() - 2 * width, exact[:, 0].max() + 2 * width)
        axis.set_ylim(exact[:, 1].min() - 2 * height, exact[:, 1].max() + 2 * height)
    axes[0].set_ylabel("PC2")
    figure.tight_layout()
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()

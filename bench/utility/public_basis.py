"""Components of genotypes inside a public basis, beside the old way, at the same budget.

  python3 bench/utility/public_basis.py build/release/bin/eigenveil DATA/genotypes-1000g-phase1/1kg_phase1 [repetitions] [--without]

Half of the people of the panel are public: their frequencies standardise, their principal components are the basis, the norm of their
projected rows (a quantile, of people the basis has not seen) is the public norm. The other half is private. Printed: the overlap |U'V|_F^2 / 2 of the two released loadings with the
exact ones of the private half (1: the same plane, 2/p: chance), the median over the repetitions, and the most that the basis allows; at mu = 1 also the share of the squared length of rows inside, as released.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

COPIES = np.array([2.0, np.nan, 1.0, 0.0])  # 00 two copies, 01 missing, 10 one, 11 none
BUDGETS = {"mu = 1": ("--mu", "1"), "(1, 1e-6)": ("--epsilon", "1", "--delta", "1e-6")}
QUANTILE = 0.5
OUTSIDE = 120.0  # about the square root of the number of variants: what a standardised person has


def read_bed(stem):
    variants = [line.split() for line in Path(stem + ".bim").read_text().splitlines()]
    people = Path(stem + ".fam").read_text().splitlines()
    packed = np.fromfile(stem + ".bed", dtype=np.uint8)[3:].reshape(len(variants), -1)
    codes = np.stack([(packed >> shift) & 3 for shift in (0, 2, 4, 6)], axis=2).reshape(len(variants), -1)[:, : len(people)]
    return variants, people, codes


def write_bed(stem, variants, people, codes):
    padded = np.zeros((codes.shape[0], -(-codes.shape[1] // 4) * 4), dtype=np.uint8)
    padded[:, : codes.shape[1]] = codes
    four = padded.reshape(codes.shape[0], -1, 4)
    packed = four[:, :, 0] | four[:, :, 1] << 2 | four[:, :, 2] << 4 | four[:, :, 3] << 6
    Path(stem + ".bed").write_bytes(b"\x6c\x1b\x01" + packed.astype(np.uint8).tobytes())
    Path(stem + ".bim").write_text("".join("\t".join(v) + "\n" for v in variants))
    Path(stem + ".fam").write_text("".join(p + "\n" for p in people))


def standardised(codes, frequency):
    cells = (COPIES[codes].T - 2 * frequency) / np.sqrt(2 * frequency * (1 - frequency))
    return np.nan_to_num(cells, nan=0.0)


def loadings(folder):
    rows = np.genfromtxt(folder / "loadings.csv", delimiter=",", skip_header=1, dtype=str)
    return rows[:, -2:].astype(float)


def released(program, folder, arguments):
    out = Path(folder) / "out"
    subprocess.run([program, "pca", *map(str, arguments), "-k", "2", "--quiet", "--out", str(out), "--replace"], check=True, stdout=subprocess.DEVNULL)
    return loadings(out)


def main():
    program, stem = sys.argv[1:3]
    repetitions = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    variants, people, codes = read_bed(stem)
    public, private = codes[:, 0::2], codes[:, 1::2]
    copies = COPIES[public]
    frequency = np.nanmean(copies, axis=1) / 2
    used = (frequency > 0.005) & (frequency < 0.995)
    variants = [v for v, keep in zip(variants, used) if keep]
    public, private, frequency = public[used], private[used], frequency[used]
    panel, cohort = standardised(public, frequency), standardised(private, frequency)
    _, _, directions = np.linalg.svd(panel, full_matrices=False)
    # People a basis was made from lie closer to it than others do: norms come from public people it has not seen.
    checked = panel[1::2]
    _, _, checking = np.linalg.svd(panel[0::2], full_matrices=False)
    _, _, exact = np.linalg.svd(cohort, full_matrices=False)
    exact = exact[:2].T
    print(f"{cohort.shape[0]} private people, {panel.shape[0]} public, {cohort.shape[1]} variants; {repetitions} releases each")
    with tempfile.TemporaryDirectory() as folder:
        write_bed(folder + "/cohort", variants, people[1::2], private)
        names = [v[1] for v in variants]
        Path(folder + "/names.txt").write_text("\n".join(names) + "\n")
        Path(folder + "/frequencies.csv").write_text("column,value\n" + "".join(f"{n},{f:.17g}\n" for n, f in zip(names, frequency)))
        common = [folder + "/cohort.bed", "--columns", "@" + folder + "/names.txt", "--allele-frequencies", folder + "/frequencies.csv"]
        table = {}
        for k in (5, 20, 50, 200):
            basis = directions[:k].T
            np.save(folder + "/basis.npy", basis)
            norm = float(np.quantile(np.linalg.norm(checked @ checking[:k].T, axis=1), QUANTILE))
            limit = np.linalg.norm(basis.T @ exact) ** 2 / 2
            row = {}
            for name, budget in BUDGETS.items():
                arguments = [*common, "--project", folder + "/basis.npy", "--projected-norm", norm, *budget]
                overlaps = [np.linalg.norm(released(program, folder, arguments).T @ exact) ** 2 / 2 for _ in range(repetitions)]
                row[name] = float(np.median(overlaps))
            table[k] = row
            inside = cohort @ basis
            outside = np.minimum(np.sqrt(np.maximum((cohort**2).sum(1) - (inside**2).sum(1), 0)), OUTSIDE)
            kept = np.minimum(np.linalg.norm(inside, axis=1), norm)
            released(program, folder, [*common, "--project", folder + "/basis.npy", "--projected-norm", norm, "--outside-norm", OUTSIDE, *BUDGETS["mu = 1"]])
            said = json.loads((Path(folder) / "out" / "release.json").read_text())["result"]
            print(f"K = {k:3d}   share inside {said['noisy_share_inside']:.4f} (sd {said['noisy_share_inside_sd']:.4f}), exact {(kept**2).sum() / ((kept**2).sum() + (outside**2).sum()):.4f}")
            print(f"K = {k:3d}   norm {norm:7.1f}   basis allows {limit:.3f}   " + "   ".join(f"{name}: {value:.3f}" for name, value in row.items()), flush=True)
        norm = float(np.quantile(np.linalg.norm(panel, axis=1), QUANTILE))
        for name, budget in BUDGETS.items() if "--without" in sys.argv else ():  # all variants: minutes, and 5 GB
            value = np.linalg.norm(released(program, folder, [*common, "--row-norm", norm, "--anyway", *budget]).T @ exact) ** 2 / 2
            print(f"no basis, {name}: {value:.3f}", flush=True)
        print(json.dumps(table))


if __name__ == "__main__":
    main()

"""Writes docs/python-peers.md from results/: median and 95% interval of every cell. The only writer of that page."""

from __future__ import annotations

import json
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
NAMES = {"eigenveil_pca": "eigenveil", "diffprivlib_pca": "diffprivlib", "opendp_pca": "opendp", "random_subspace": "random subspace", "sklearn_pca": "scikit-learn (not private)"}


def median_interval(values):
    """Median with the order-statistic interval of at least 95% (binomial)."""
    from scipy.stats import binom

    x = np.sort(values)
    n = len(x)
    low = int(binom.ppf(0.025, n, 0.5)) - 1 if n > 5 else 0
    low = max(0, low)
    return np.median(x), x[low], x[n - 1 - low]


def shown(cell, key):
    runs = [run[key] for run in cell["runs"]]
    if not runs:
        return cell["trouble"] or "-"
    middle, low, high = median_interval(runs)
    note = f" ({len(runs)} runs, {cell['trouble']})" if cell["trouble"] else ""
    return f"{middle:.3f} [{low:.3f}, {high:.3f}]{note}"


def main():
    full, quick = HERE / "results" / "full.json", HERE / "results" / "quick.json"
    record = json.loads((full if full.exists() else quick).read_text())
    grid = record["grid"]
    lines = [
        "# Beside other packages", "",
        f"Written by `bench/utility/report.py` from `results/{(full if full.exists() else quick).name}` ({record['made']}, commit {record['commit']}, Python {record['python']}, {record['machine']}; shared machine). Do not edit.", "",
        f"Relation replace-one, rows of norm at most 1, second moments about the public centre; {grid['seeds']} repetitions, at most {grid['limit']} s of processor time for a cell; median and 95% interval (order statistics). Error: |UU' - VV'|_F^2 / 2k, 0 is exact, a random",
        "subspace has 1 - k/p on average. Captured: share of the variance of the best subspace. The peers are purely private; their numbers also stand for (epsilon, 1e-6).", "",
    ]
    for table in grid["tables"]:
        cells = [cell for cell in record["cells"] if cell["table"] == table]
        if not cells:
            continue
        lines += [f"## {table}: {cells[0]['shape'][0]} rows, {cells[0]['shape'][1]} columns", "", "| epsilon | k | package | loss | error | captured | seconds |", "|---|---|---|---|---|---|---|"]
        order = list(NAMES)
        for cell in sorted(cells, key=lambda c: (c["epsilon"], c["k"], order.index(c["rival"]), c["loss"] != "pure")):
            loss = {"pure": "epsilon", "approx": "(epsilon, 1e-6)"}[cell["loss"]] if cell["rival"] not in ("random_subspace", "sklearn_pca") else ""
            seconds = f"{np.median([r['seconds'] for r in cell['runs']]):.3f}" if cell["runs"] else ""
            lines.append(f"| {cell['epsilon']:g} | {cell['k']} | {NAMES[cell['rival']]} {cell['version'] or ''} | {loss} | {shown(cell, 'error')} | {shown(cell, 'captured') if cell['runs'] else ''} | {seconds} |")
        lines.append("")
    laws = HERE / "results" / "laws.txt"
    if laws.exists():
        lines += [
            "## Do the samplers have the law they aim at?", "",
            "First coordinate of drawn directions against the closed form, p = 2 and 3 (`bench/utility/laws.py`). Both peers follow Algorithm 2 of Amin et al. 2019; their acceptance step divides by (u'Wu)^(d/2), where rejection from the angular",
            "central Gaussian envelope needs a product. What they draw is then not the density their privacy argument speaks of, and few proposals are accepted where the gap is large, which is where they stop on time. We measured the law, not a breach.", "",
            "```text", laws.read_text().rstrip(), "```", "",
        ]
    (HERE.parents[1] / "docs" / "python-peers.md").write_text("\n".join(lines))
    print("wrote docs/python-peers.md")


if __name__ == "__main__":
    main()

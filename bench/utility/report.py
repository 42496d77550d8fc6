"""Writes docs/python-peers.md from results/: median and 95% interval of every cell. The only writer of that page."""

from __future__ import annotations

import json
import pathlib

import numpy as np
from scipy.stats import binom

HERE = pathlib.Path(__file__).parent
NAMES = {
    "eigenveil_pca": "eigenveil",
    "diffprivlib_pca": "diffprivlib",
    "opendp_pca": "opendp",
    "amin_exact": "the peers' algorithm, exact sampler",
    "random_subspace": "random subspace",
    "sklearn_pca": "scikit-learn, not private",
}
PEERS = ("diffprivlib_pca", "opendp_pca", "amin_exact")
LOSSES = {"pure": "epsilon", "approx": "(epsilon, 1e-6)"}


def interval(values):
    """Median and order statistics that hold it with probability 95% or more; the whole range where six values are not there."""
    x = np.sort(values)
    cut = max(0, int(binom.ppf(0.025, len(x), 0.5)) - 1)
    return np.median(x), x[cut], x[len(x) - 1 - cut]


def shown(values):
    return "{:.3f} [{:.3f}, {:.3f}]".format(*interval(values)) if values else ""


def below(a, b):
    """The interval of a lies below that of b."""
    return interval(a)[2] < interval(b)[1]


class Cells:
    def __init__(self, cells):
        self._cells = {(c["table"], c["epsilon"], c["k"], c["rival"], c["loss"]): c for c in cells}
        self.places = list(dict.fromkeys((c["table"], c["epsilon"], c["k"]) for c in cells))

    def errors(self, place, rival, loss="pure"):
        return self._cells.get((*place, rival, loss), {}).get("error")

    def comparisons(self):
        """Every pair of our release and a rival that finished: (place, loss, rival, ours, theirs, random)."""
        for place in self.places:
            for loss in LOSSES:
                ours, chance = self.errors(place, "eigenveil_pca", loss), self.errors(place, "random_subspace")
                for rival in PEERS:
                    theirs = self.errors(place, rival)
                    if ours and theirs and chance:
                        yield place, loss, rival, ours, theirs, chance


def name_of(place, loss, rival):
    return f"{place[0]}, epsilon = {place[1]:g}, k = {place[2]}, {LOSSES[loss]}, {NAMES[rival]}"


def standing(cells):
    """The bar of the comparison, counted."""
    all_pairs = list(cells.comparisons())
    lines = ["## Who is better", ""]
    lines += [finished(cells), ""]
    for rivals, words in ((PEERS[:2], "the packages, in the cells they finished"), (PEERS[2:], "their algorithm with an exact sampler, in all cells")):
        pairs = [pair for pair in all_pairs if pair[2] in rivals]
        if not pairs:
            continue
        lost = [name_of(*pair[:3]) for pair in pairs if below(pair[4], pair[3])]
        useful = [pair for pair in pairs if below(pair[4], pair[5])]
        level = [name_of(*pair[:3]) for pair in useful if not below(pair[3], pair[4])]
        lines.append(
            f"Against {words}: {len(pairs)} comparisons of subspace error; eigenveil is worse beyond the 95% intervals in {len(lost)}" + (f" ({'; '.join(lost)})" if lost else "") + ". "
            f"In {len(useful)} of them the rival beats a random subspace beyond the intervals; eigenveil is better beyond the intervals in {len(useful) - len(level)} of these" + (f", level in {'; '.join(level)}" if level else "") + "."
        )
        lines.append("")
    return lines


def finished(cells):
    """How often the packages gave anything at all within their limit."""
    counts = [sum(bool(cells.errors(place, rival)) for place in cells.places) for rival in PEERS[:2]]
    return "At least one release within the limit of time: " + ", ".join(f"{NAMES[rival]} in {count} of {len(cells.places)} cells" for rival, count in zip(PEERS, counts)) + "."


def row(cell):
    private = cell["rival"] not in ("random_subspace", "sklearn_pca")
    name = " ".join(filter(None, (NAMES[cell["rival"]], cell["version"] if cell["rival"] != "random_subspace" else None)))
    if cell.get("method"):
        name += f", {cell['method']}"
    note = cell["trouble"] or ""
    if cell.get("error") and note:
        note = f" ({len(cell['error'])} runs, then {note})"
    if cell["trouble"] and cell.get("fewest_proposals", 0) > 1e4:
        note += f"; expects {cell['fewest_proposals']:.1e} proposals or more"
    seconds = f"{np.median(cell['seconds']):.3f}" if cell.get("seconds") else ""
    loss = LOSSES[cell["loss"]] if private else ""
    return f"| {cell['epsilon']:g} | {cell['k']} | {name} | {loss} | {shown(cell.get('error'))}{note} | {shown(cell.get('captured'))} | {seconds} |"


def table(name, cells, about=""):
    lines = [f"## {about}{name}: {cells[0]['shape'][0]} rows, {cells[0]['shape'][1]} columns", "", "| epsilon | k | package | loss | error | captured | seconds |", "|---|---|---|---|---|---|---|"]
    order = list(NAMES)
    return lines + [row(cell) for cell in sorted(cells, key=lambda c: (c["epsilon"], c["k"], order.index(c["rival"]), c["loss"] != "pure"))] + [""]


def used_methods(record):
    """What the package took when it ran; said where that is no longer what it takes."""
    used = {cell["loss"]: cell["method"] for cell in record["cells"] if cell["rival"] == "eigenveil_pca"}
    words = f"{used['approx']}; {used['pure']} with pure epsilon"
    return words if used["pure"] == "wishart" else words + ", its default at the time: it is wishart now, and this part was not run again"


def centred():
    """Components about the mean, from a run of its own."""
    path = HERE / "results" / "centred.json"
    if not path.exists():
        return []
    record = json.loads(path.read_text())
    grid = record["grid"]
    lines = [
        "## About the mean", "",
        f"`bench/utility/run.py --centred` ({when(record)}, commit {record['commit']}): the same tables and relation, against the components of the covariance, as scikit-learn's `PCA` gives them. Every release pays for its mean: eigenveil subtracts one under the same",
        f"budget ({used_methods(record)}), diffprivlib with `centered=False` and bounds of -1 to 1, opendp without an origin. "
        f"{grid['seeds']} repetitions; all of a cell have {grid['limit']} s of processor time together ({grid['short_limit']} s where a peer's sampler expects more than 1e7 proposals).", "",
    ]
    lines += [line.replace("## Who", "### About the mean: who") for line in standing(Cells(record["cells"]))]
    for name in grid["tables"]:
        lines += table(name, [cell for cell in record["cells"] if cell["table"] == name], "About the mean, ")
    return lines


def laws():
    path = HERE / "results" / "laws.txt"
    if not path.exists():
        return []
    return [
        "## Do the samplers have the law they aim at?", "",
        "Squared first coordinate of drawn directions against the closed form, p = 2 and 3 (`bench/utility/laws.py`). \"Agrees\" means: not told apart by this many draws. For the peers a second distance is given, from the law that a sampler has which",
        "divides its acceptance probability by (u'Wu)^(p/2). We computed it because both peers' code, as we read it, has that quotient (`diffprivlib/mechanisms/bingham.py`, `opendp/extras/sklearn/_make_eigenvector`, following Algorithm 2 in the appendix of",
        "Amin et al. 2019), where rejection from an angular central Gaussian envelope has a product (Kent, Ganeiben and Mardia 2013, section 3). A small second distance fits that reading; it does not prove it. What was measured is the law of the draws: whether",
        "it weakens the privacy the packages state was not examined here. The same quotient gives an upper bound 1/M on the acceptance probability; the tables show M, where it is above 1e4, as the number of proposals expected at least. It is a loose bound.", "",
        "```text", path.read_text().rstrip(), "```", "",
    ]


def when(record):
    """Of a file in which some rivals ran later than the others."""
    again = record.get("again")
    return record["made"] + (f" for {', '.join(again['rivals'])}, {again['others_made']} for the others" if again else "")


def main():
    full, quick = HERE / "results" / "full.json", HERE / "results" / "quick.json"
    source = full if full.exists() else quick
    record = json.loads(source.read_text())
    grid = record["grid"]
    lines = [
        "# Beside other packages", "",
        f"Written by `bench/utility/report.py` from `results/{source.name}` (`scripts/run-peers{' --full' if source == full else ''}`, {when(record)}, commit {record['commit']}, Python {record['python']}, {record['machine']}). Do not edit.", "",
        f"Relation replace-one, rows of norm at most 1, second moments about the public centre; {grid['seeds']} repetitions; median and 95% interval (order statistics; the range where fewer than six runs finished). Error: |UU' - VV'|_F^2 / 2k: 0 is exact, a random",
        "subspace has 1 - k/p on average. Captured: share of the variance of the best subspace. Seconds of processor time for one fit, one BLAS thread. The peers are purely private, and pure epsilon implies (epsilon, 1e-6): their one row stands for both losses.",
        f"All repetitions of a cell have {grid['limit']} s of processor time together; a peer whose sampler expects more than 1e7 proposals there has {grid['short_limit']} s, since it makes fewer than 1e5 in a second. eigenveil uses what `PrivatePCA` took when no method is named, which stands beside its version.",
        "*The peers' algorithm, exact sampler* is Amin et al. 2019 with the split of the budget and the exponent the peers use, and our exact sampler in place of theirs: no package has it; it shows what they would give if they finished and drew what they aim at.",
        "The 1000 Genomes table has 100 variants, chosen at random, of the public file: with more columns the peers only take longer.", "",
    ]
    lines += standing(Cells(record["cells"]))
    for name in grid["tables"]:
        cells = [cell for cell in record["cells"] if cell["table"] == name]
        if cells:
            lines += table(name, cells)
    (HERE.parents[1] / "docs" / "python-peers.md").write_text("\n".join(lines + centred() + laws()))
    print("wrote docs/python-peers.md")


if __name__ == "__main__":
    main()

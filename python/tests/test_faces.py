"""Every option of the program is a parameter in Python. What has another name, or none, is listed here, and every line of the lists is checked."""

import inspect
import json
import re
import subprocess

import numpy as np
import pytest

import eigenveil
from eigenveil import MaskedData, PrivateCovariance, PrivateLowRank, PrivatePCA, PrivateSubspace, _core
from eigenveil._table import describe

pytestmark = pytest.mark.filterwarnings("ignore::eigenveil.PrivacyWarning", "ignore::eigenveil.ResultWarning")
ESTIMATORS = {"pca": PrivatePCA, "covariance": PrivateCovariance, "lowrank": PrivateLowRank, "mask": MaskedData, "subspace": PrivateSubspace}
PLANS = {"pca": "plan_pca", "covariance": "plan_covariance", "lowrank": "plan_low_rank", "mask": "plan_mask", "subspace": "plan_subspace"}


def _parameters(place):
    """Parameters of "Ledger.once", or the parameters that "Release" stores."""
    found = eigenveil
    for name in place.split("."):
        found = getattr(found, name)
    return set(inspect.signature(found).parameters)


def _options_of(task):
    return {option.name for method in _core.methods() if task in method.tasks for option in method.options if option.serves(task)}


def _of_task(task):
    return set(ESTIMATORS[task]().get_params()) | _options_of(task)


# ---- what has another name: the parameter of the same command's face, or OWNER.PARAMETER ------------------------------------------------------

TABLE = {"range": "bounds", "width": "columns", "quiet": "progress"}
RELEASE = {name: f"Release.write_release.{name}" for name in ("format", "replace", "data_set", "date")} | {"out": "Release.write_release.path"}
CHARGED = {"ledger_key": "Ledger.once.key", "builds_on": "Ledger.once.builds_on", "same_data": "Ledger.once.same_data"}
ESTIMATED = {
    **TABLE, **CHARGED, **{name: where.replace("Release.", "PrivatePCA.") for name, where in RELEASE.items()},
    "components": "n_components", "published": "published", "rank_transform": "rank_transform", "blocks": "MaskedData.fit.blocks", "json": "json", "method": "exact",
    "factor_only": "MaskedData.write_release.factor_only", "help": "help", "help_all": "help",
}  # fmt: skip
PLANNED = {
    "range": "bounds", "components": "n_components", "published": "published", "rank_transform": "rank_transform", "compare": "compare_pca.spectrum", "json": "facts", "method": "exact",
    "help": "help", "help_all": "help",
}  # fmt: skip
COUNTED = {**{name: where for name, where in CHARGED.items() if name != "same_data"}, **RELEASE, **TABLE, "json": "json", "help": "help", "help_all": "help"}
ANALYSED = {"components": "n_components", "json": "dictionary", "help": "help", "help_all": "help"}
SPECTRUM = "allele_frequencies bad_cell bounds center columns data_spectrum decimal encoding exclude grid header missing range rank_transform row_norm separator threads width"

# The face of a command: the parameters that it has, and those with another name.
FACES = {
    **{task: ("_", ESTIMATED) for task in ESTIMATORS},
    **{f"plan {task}": (PLANS[task], PLANNED) for task in ESTIMATORS},
    "scores": ("private_scores", COUNTED),
    "bounds private": ("private_bounds", COUNTED),
    "plan scores": ("plan_scores", {"json": "facts", "help": "help", "help_all": "help"}),
    "plan bounds": ("plan_bounds", {"json": "facts", "help": "help", "help_all": "help"}),
    "analyse pca": ("analyse_pca", ANALYSED),
    "analyse moments": ("analyse_moments", ANALYSED),
    "analyse regress": ("analyse_regress", ANALYSED),
    "gram partial": ("partial", {**TABLE, "out": "Gram.save.path", "more": "merge_grams.paths"}),
    "gram merge": ("merge", {"out": "merge_grams.out"}),
    "gram key": ("partial", {"out": "partial.person_key"}),
    "ledger create": ("Ledger.create", {f"cap_{name}": "caps" for name in ("mu", "epsilon", "delta")}),
    "ledger show": ("Ledger.show", {"html": "ledger_page", "json": "ledger_summary"}),
    "ledger plan": ("Ledger.plan", {}),
    "ledger verify": ("Ledger.verify", {"release": "releases"}),
    "ledger export": ("Ledger.registry", {"registry": "registry"}),
    "ledger backup": ("Ledger.backup", {"out": "path"}),
    "audit sharp": ("audit_sharp", {**{name: "spectrum" for name in SPECTRUM.split()}, "components": "n_components"}),
    "explain": ("explain", {}),
}

# What Python has no parameter for, and why; a parameter of that name fails the test.
ONLY_THE_PROGRAM = {
    "plan pca": {"figure": "a file for a web page; a notebook shows the comparison itself"},
    "scores": {"labels": "a frame is joined in one line", "width": "a file without names has as many columns as the release"},
    "gram partial": {"replace": "a file of sums is never written over"},
    "gram merge": {"replace": "a file of sums is never written over"},
    "ledger export": {"out": "the record is returned"},
}
# The program declares it with its group and refuses it: with which words, and what the sentence says.
OF_SUBSPACE = {"rho": (["--rho", "1"], "budget"), "mu": (["--mu", "1"], "budget"), "group_size": (["--group-size", "2"], "group-size")}
STAGES = {"project": "loadings.csv", "projected_norm": "2", "outside_norm": "2", "normalise_rows": None}
REFUSED = {
    "subspace": OF_SUBSPACE,
    "plan subspace": {**OF_SUBSPACE, **{name: (["--" + name.replace("_", "-"), *([value] if value else [])], name.replace("_", "-")) for name, value in STAGES.items()}},
    "scores": {"columns": (["--columns", "a"], "columns"), "exclude": (["--exclude", "a"], "columns")},
}


def _options(program, command):
    done = subprocess.run([program, *command.split(), "--help-all"], capture_output=True, text=True, check=True)
    return {name.replace("-", "_") for name in re.findall(r"^  (?:-\w,)?--([a-z0-9-]+)", done.stdout, flags=re.M)}


def _commands(program, *path):
    text = subprocess.run([program, *path, "--help"], capture_output=True, text=True, check=True).stdout.partition("Subcommands:")[2]
    return re.findall(r"^  ([a-z][a-z-]*) ", text, flags=re.M)


def _audits(program):
    return {f"audit {name}": ("audit", {}) for name in _commands(program, "audit") if name != "sharp"}


# ---- lines of the lists that are more than a name ----------------------------------------------------------------------------------------------


def _check_published(command, face):
    task = command.split()[-1]
    assert any(option.name == "calibration" and any("published" in words for words in option.words) for method in _core.methods() for option in method.options if option.serves(task))


def _check_rank_transform(command, face):
    pca = PrivatePCA(method="sharp", method_options={"rank_transform": True})
    assert json.loads(describe(pca, ["a", "b"]).json)["rank_transform"] is True


def _check_exact(command, face):
    words = {option for method in _core.methods() if "subspace" in method.tasks for option in [method.name]}
    assert words == {"near", "exact"} and "exact" in face, "the methods of a subspace are those that `exact` chooses between"


def _check_help(command, face):
    """The docstring says what the help text says: every parameter is in it."""
    owner = ESTIMATORS.get(command) or getattr(eigenveil, FACES[command][0])
    text = inspect.getdoc(owner)
    foreign = {option.name for method in _core.methods() for option in method.options} - _options_of(command) if command in ESTIMATORS else set()  # refused by the engine
    undocumented = {name for name in inspect.signature(owner).parameters if name not in ("self", "X", "parameters", *foreign) and not re.search(rf"\b{name}\b", text)}
    assert undocumented == set()


def _check_facts(command, face):
    assert {"facts", "lines", "guarantee", "warning"} <= set(eigenveil.Plan.__dataclass_fields__)


def _check_json(command, face):
    """What the program prints is what `read_release` and the files say: test_what_is_printed_is_what_is_written."""
    assert {"guarantee", "parameters", "result"} <= set(eigenveil.Release.__dataclass_fields__)


def _check_dictionary(command, face):
    released = PrivateCovariance(mu=1, row_norm=3, seed=1).fit(np.eye(3)[np.arange(900) % 3])
    answer = {"pca": lambda: eigenveil.analyse_pca(released, 1), "moments": lambda: eigenveil.analyse_moments(released), "regress": lambda: eigenveil.analyse_regress(released, "c1", ["c2"])}[
        command.split()[1]
    ]()
    assert isinstance(answer, dict) and all(isinstance(name, str) for name in answer)


def _check_ledger_page(command, face):
    assert hasattr(eigenveil.Ledger, "_repr_html_")


def _check_ledger_summary(command, face):
    assert callable(eigenveil.Ledger.summary)


def _check_registry(command, face):
    assert "curator" in _parameters("Ledger.registry")


CHECKS = {name.removeprefix("_check_"): check for name, check in list(globals().items()) if name.startswith("_check_")}


def _check_renamed(command, face, option, where):
    if where in CHECKS:
        CHECKS[where](command, face)
    elif "." in where:
        owner, _, parameter = where.rpartition(".")
        assert parameter in _parameters(owner), f"{command} --{option}: there is no {where}"
    else:
        assert where in face, f"{command} --{option}: there is no parameter {where}"


def _face(command, owner):
    if command in ESTIMATORS:
        return _of_task(command)
    more = _of_task(command.split()[1]) if command.startswith("plan ") and command.split()[1] in ESTIMATORS else set()
    more |= _of_task("pca") if command == "gram partial" else set()
    return more | _parameters(owner)


def test_every_command_with_options_is_compared(program):
    """A new command has to be added here: until then this fails."""
    commands = []
    for command in _commands(program):
        inner = _commands(program, command)
        commands += [f"{command} {name}" for name in inner] or [command]
    elsewhere = {"bounds template", "explore", "generate survey", "generate genotypes", "reproduce", "contribute", "sample bingham", "sample orbit", "man", "completion"}  # test_command_line.py: a face, or why not
    assert {command for command in commands if not command.startswith("collect")} - elsewhere == set(FACES) | set(_audits(program))


@pytest.mark.parametrize("command", [*FACES, "audit"])
def test_every_option_has_a_face(program, command):
    for each, (owner, renamed) in (_audits(program) if command == "audit" else {command: FACES[command]}).items():
        face, given = _face(each, owner), _options(program, each)
        absent, refused = ONLY_THE_PROGRAM.get(each, {}), REFUSED.get(each, {})
        assert set(absent) <= given and not set(absent) & face, "exempted, and needs no exemption"
        assert set(refused) <= given
        others = given - face - set(absent) - set(refused)
        others -= set() if "help" in renamed else {"help", "help_all"}
        assert others <= set(renamed), f"{each}: {sorted(others - set(renamed))}"
        for option in others:
            _check_renamed(each, face, option, renamed[option])


def test_no_line_of_the_lists_is_left_over(program):
    used = {id(renamed): set() for _, renamed in FACES.values()}
    for command, (_, renamed) in FACES.items():
        used[id(renamed)] |= _options(program, command)
    for command, (_, renamed) in FACES.items():
        assert set(renamed) <= used[id(renamed)], command


@pytest.mark.parametrize("command", list(REFUSED))
def test_what_the_program_declares_and_refuses(program, command, tmp_path):
    (tmp_path / "rows.csv").write_text("a,b\n" + "1,2\n" * 100)
    (tmp_path / "loadings.csv").write_text("column,PC1\n" + "".join(f"c{j},0.5\n" for j in (1, 2, 3, 4)))
    asked = {
        "subspace": ["rows.csv", "--epsilon", "1", "--delta", "1e-6"],
        "plan subspace": ["--rows", "1000", "--dimension", "4", "--epsilon", "1", "--delta", "1e-6"],
        "scores": ["rows.csv", "--on", "released", "--mu", "1"],
    }[command]
    subprocess.run([program, "pca", "rows.csv", "-k", "2", "--mu", "1", "--range", "0:10", "--anyway", "--out", "released"], cwd=tmp_path, check=True, capture_output=True)
    for words, said in REFUSED[command].values():
        done = subprocess.run([program, *command.split(), *asked, *words], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode in (1, 2) and said in done.stderr and len(done.stderr.strip().splitlines()) == 1, (words, done.stderr)


# ---- the same thing under another name ---------------------------------------------------------------------------------------------------------

SAME = {
    "components, range, data_set, date": (
        "pca", ["--epsilon", "1", "-k", "2", "--range", "0:10", "--data-set", "Survey", "--date", "June"], dict(epsilon=1, n_components=2, bounds=(0, 10)), dict(data_set="Survey", date="June"),
    ),
    "format": ("pca", ["--epsilon", "1", "--range", "0:10", "--format", "npy"], dict(epsilon=1, bounds=(0, 10)), dict(format="npy")),
    "rank_transform": ("pca", ["--mu", "1", "--method", "sharp", "--rank-transform"], dict(mu=1, method="sharp", method_options={"rank_transform": True}), {}),
    "published": ("lowrank", ["--epsilon", "1", "--range", "0:10", "--method", "orbit", "--published"], dict(epsilon=1, bounds=(0, 10), method="orbit", method_options={"calibration": "published"}), {}),
    "width": ("covariance", ["--epsilon", "1", "--range", "0:10", "--header", "absent", "--width", "3"], dict(epsilon=1, bounds=(0, 10), header="absent", columns=["c1", "c2", "c3"]), {}),
    "method of a subspace": ("subspace", ["--epsilon", "1", "--method", "exact", "--delta", "1e-6", "--neighbours", "replace-one"], dict(epsilon=1, exact=True, delta=1e-6, neighbours="replace-one"), {}),
}  # fmt: skip


@pytest.mark.parametrize("name", list(SAME))
def test_what_has_another_name_does_the_same(program, tmp_path, name):
    command, words, parameters, written = SAME[name]
    rows = np.random.default_rng(3).integers(0, 10, size=(500, 3))
    np.savetxt(tmp_path / "rows.csv", rows, delimiter=",", fmt="%d", header="" if name == "width" else "a,b,c", comments="")
    if name == "width":
        (tmp_path / "rows.csv").write_text((tmp_path / "rows.csv").read_text().lstrip("\n"))
    done = subprocess.run([program, command, "rows.csv", "--seed", "3", *words, "--out", "theirs", "--json"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    ESTIMATORS[command](seed=3, **parameters).fit(tmp_path / "rows.csv").write_release(tmp_path / "ours", **written)
    ours, theirs = (json.loads((tmp_path / folder / "release.NOT-PRIVATE.json").read_text()) for folder in ("ours", "theirs"))
    if command == "subspace":  # --method exact and --exact are two requests for one release; Python has the second
        for each in (ours, theirs):
            each["request"].update(method="exact", options={})
    for key in ("request", "requested", "guarantee", "data_set", "date", "builds_on", "papers"):
        assert ours.get(key) == theirs.get(key), key
    assert set(ours["parameters"]) == set(theirs["parameters"]) and [array["name"] for array in ours["result"]["arrays"]] == [array["name"] for array in theirs["result"]["arrays"]]
    printed = json.loads(done.stdout)  # what --json prints is what is written, with the tables in it
    assert all(printed[key] == theirs[key] for key in ("requested", "guarantee", "parameters"))

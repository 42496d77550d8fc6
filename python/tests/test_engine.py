"""Python and the program are two faces of one engine: the same files for the same seed, the same plans, refusals and options."""

import json
import pathlib
import pickle
import re
import subprocess

import numpy as np
import pytest

import eigenveil
from eigenveil import EigenveilError, MaskedData, PrivateCovariance, PrivateLowRank, PrivatePCA, PrivateSubspace, _core
from eigenveil._errors import in_python
from rounding import assert_same_text, assert_same_up_to_rounding

pytestmark = pytest.mark.filterwarnings("ignore::eigenveil.PrivacyWarning", "ignore::eigenveil.ResultWarning")
ESTIMATORS = {"pca": PrivatePCA, "covariance": PrivateCovariance, "lowrank": PrivateLowRank, "mask": MaskedData, "subspace": PrivateSubspace}
PLANS = {
    "pca": eigenveil.plan_pca, "covariance": eigenveil.plan_covariance, "lowrank": eigenveil.plan_low_rank, "mask": eigenveil.plan_mask, "subspace": eigenveil.plan_subspace,
}  # fmt: skip
FLAGS = {"bounds": "range", "n_components": "components"}

SECOND_MOMENTS = ("pca", "covariance", "lowrank")
METHODS = [method for method in _core.methods() if set(method.tasks) & set(SECOND_MOMENTS)]  # masks and subspaces have estimators of another shape

PURE, PAIR = dict(epsilon=5.0, row_norm=10.0), dict(epsilon=5.0, delta=1e-3, row_norm=10.0)
MODEL = dict(epsilon=5.0, delta=1e-3, neighbours="independent-copy", sigma2=1.0, row_count=600, **{"lambda": 30.0})
INSIDE = dict(epsilon=4.0, delta=1e-3, row_norm=2.0, neighbours="replace-one", within_subspace=1, gamma=1e-4)
CASES = [
    ("pca", "gauss", dict(n_components=2, **PAIR)),
    ("pca", "gauss", dict(n_components=3, mu=1.0, bounds=(-20, 25), center="none", standardize=True, neighbours="replace-one", group_size=3)),
    ("pca", "laplace", dict(n_components=2, **PURE)),
    ("pca", "wishart", dict(n_components=2, **PURE)),
    ("pca", "exponential", PURE),
    ("pca", "orbit", dict(n_components=2, variance_share=0.3, **PURE)),
    ("pca", "orbit", dict(n_components=2, complex_rows=True, hermitian=True, **PURE)),
    ("pca", "sharp", PAIR),
    ("pca", "sharp", dict(mu=0.01, row_norm=10.0)),  # NULL
    ("pca", "spiked", dict(n_components=2, **MODEL)),
    ("pca", "spiked", dict(max_rank=3, **MODEL)),
    ("pca", "spiked-robust", dict(n_components=2, epsilon=50.0, delta=1e-3, row_norm=10.0)),
    ("pca", "spiked-robust", dict(n_components=2, epsilon=0.01, delta=1e-9, row_norm=10.0)),  # NULL
    ("pca", "oja", dict(batch=100, neighbours="replace-one", **PAIR)),
    ("pca", "subspace", INSIDE),
    ("covariance", "gauss", dict(center="private", **PAIR)),
    ("covariance", "laplace", PURE),
    ("covariance", "wishart", dict(center="none", neighbours="replace-one", **PURE)),
    ("covariance", "orbit", dict(hermitian=True, **PURE)),
    ("covariance", "spiked", dict(rank=2, **MODEL)),
    ("covariance", "subspace", INSIDE),
    ("lowrank", "gauss", dict(n_components=2, missing="refuse", **PAIR)),
    ("lowrank", "laplace", dict(n_components=2, **PURE)),
    ("lowrank", "wishart", dict(n_components=2, **PURE)),
    ("lowrank", "orbit", dict(n_components=2, eigenvalue_share=0.5, calibration="published", **PURE)),
    ("lowrank", "orbit", dict(target_spectrum=[2.0, 1.0], **PURE)),
    ("mask", "gauss", dict(intercept=True, **PAIR)),
    ("mask", "gauss", dict(mu=1.0, bounds=(-20, 25), standardize=True, neighbours="replace-one")),
    ("mask", "mask", dict(intercept=True, smallest_block=500, group_size=2, **PAIR)),
    ("mask", "mask", dict(calibration="published", **PAIR)),
    ("subspace", "near", dict(epsilon=4.0, delta=1e-3, gamma=1e-4)),
    ("subspace", "near", dict(epsilon=4.0, delta=1e-3, aggregate="grid", n_components=2, references=5, gamma=1e-4)),
    ("subspace", "exact", dict(epsilon=4.0, delta=1e-3, exact=True, affine=True, max_abs=50)),
]
IDS = [f"{task}-{method}-{number}" for number, (task, method, _) in enumerate(CASES)]


def _as_flags(parameters, folder):
    """Keywords of Python as options of the program."""
    words = []
    for name, value in parameters.items():
        flag = "--" + FLAGS.get(name, name).replace("_", "-")
        if isinstance(value, list):
            (folder / name).write_text("\n".join(map(str, value)))
            value = folder / name
        elif isinstance(value, tuple):
            value = ":".join(map(str, value))
        words += [flag] if value is True else [flag, str(value)]
    return words


def _split(task, method, parameters):
    """Keywords of the estimator, and options of its method."""
    known = ESTIMATORS[task]().get_params()
    own = {name: value for name, value in parameters.items() if name not in known}
    given = {name: value for name, value in parameters.items() if name in known}
    return {**given, "method": method, "method_options": own or None} if "method" in known else given


def _program(program, *words, cwd=None):
    return subprocess.run([program, *map(str, words)], capture_output=True, text=True, cwd=cwd)


def _without_numbers(page):
    """Checksums first, then numbers; "1, 1" and "1 (all 2)" are lists that differ in a last bit."""
    return re.sub(r"(?:, )+| \(all \)", "", re.sub(r"[\d.e+-]+", "", re.sub(r"\b[0-9a-f]{64}\b", "", page)))


def _assert_same_files(ours, theirs):
    """Byte for byte, as long as BLAS and LAPACK sum in the same order in both processes, which nobody promises: else up to rounding."""
    assert sorted(path.name for path in ours.iterdir()) == sorted(path.name for path in theirs.iterdir())
    for path in ours.iterdir():
        one, other = path.read_bytes(), (theirs / path.name).read_bytes()
        if one == other:
            continue
        if path.suffix == ".npy":
            assert_same_up_to_rounding(np.load(path), np.load(theirs / path.name))
        elif path.suffix == ".html":  # its pictures are drawn from the numbers
            assert _without_numbers(one.decode()) == _without_numbers(other.decode())
        else:
            assert_same_text(one.decode(), other.decode())


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """600 rows near a line of 8 columns, and near nothing but that line when they are short."""
    rng = np.random.default_rng(11)
    folder = tmp_path_factory.mktemp("rows")
    np.save(folder / "rows.npy", rng.normal(size=(600, 8)) * np.sqrt([31, 31, 1, 1, 1, 1, 1, 1]))
    line = rng.normal(size=(6000, 1)) @ rng.normal(size=(1, 8)) * 0.2
    np.save(folder / "line.npy", line + 1e-5 * rng.normal(size=line.shape))
    np.save(folder / "points.npy", rng.integers(-9, 10, size=(600, 1)) * np.arange(1, 5) + np.array([0, 1, 5, 2]))
    return folder


def test_every_method_of_every_task_is_tried():
    """A new method has to be added here: until then this fails."""
    assert {(task, method) for task, method, _ in CASES} == {(task, m.name) for m in _core.methods() for task in m.tasks}


@pytest.mark.parametrize("task, method, parameters", CASES, ids=IDS)
def test_python_publishes_the_files_of_the_program(program, table, tmp_path, task, method, parameters):
    rows = table / {"subspace": "line.npy", "near": "line.npy", "exact": "points.npy"}.get(method, "rows.npy")
    done = _program(program, task, rows, "--method", method, *_as_flags(parameters, tmp_path), "--seed", 3, "--out", tmp_path / "cli")
    assert done.returncode == 0, done.stderr
    fitted = ESTIMATORS[task](seed=3, **_split(task, method, parameters)).fit(np.load(rows))
    written = fitted.write_release(tmp_path / "python")
    assert sorted(written) == sorted(path.name for path in (tmp_path / "cli").iterdir())
    _assert_same_files(tmp_path / "python", tmp_path / "cli")
    frame = {"seed": 4} if task == "mask" else {}  # the rotation is drawn anew
    pickle.loads(pickle.dumps(fitted)).write_release(tmp_path / "again", format="npy", **frame)
    fitted.write_release(tmp_path / "npy", format="npy", **frame)
    for path in (tmp_path / "npy").iterdir():
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes()


def test_files_with_names_and_gaps_give_the_same_release(program, tmp_path):
    (tmp_path / "rows.csv").write_text("age,income\n" + "".join(f"{30 + i % 40},{i % 7 if i % 5 else ''}\n" for i in range(200)))
    _program(program, "covariance", tmp_path / "rows.csv", "--mu", 1, "--range", "0:100", "--seed", 3, "--out", tmp_path / "cli", "--format", "npy")
    PrivateCovariance(mu=1, bounds=(0, 100), seed=3).fit(tmp_path / "rows.csv").write_release(tmp_path / "python", format="npy")
    _assert_same_files(tmp_path / "python", tmp_path / "cli")


def test_what_write_release_refuses(rows, tmp_path):
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    fitted = PrivateCovariance(mu=1, bounds=(0, 10)).fit(rows)
    names = fitted.write_release(tmp_path / "out", data_set="survey", date="spring")
    document = json.loads((tmp_path / "out" / "release.json").read_text())
    assert document["data_set"] == "survey" and document["date"] == "spring"
    assert "release.json" in names and "report.html" in names
    with pytest.raises(EigenveilError, match="replace=True"):
        fitted.write_release(tmp_path / "out")
    assert fitted.write_release(tmp_path / "out", format="npy", replace=True) != names
    with pytest.raises(EigenveilError, match="format"):
        fitted.write_release(tmp_path / "other", format="xlsx")
    with pytest.raises(Exception, match="not fitted"):
        PrivateCovariance(mu=1, bounds=(0, 10)).write_release(tmp_path / "other")
    with pytest.warns(eigenveil.PrivacyWarning):
        void = make_pipeline(StandardScaler(), PrivateCovariance(mu=1, bounds=(0, 10))).fit(rows)[-1]
    with pytest.raises(EigenveilError, match="does not hold"):
        void.write_release(tmp_path / "other")
    assert not (tmp_path / "other").exists()
    with pytest.raises(ValueError, match="read-only"):  # what was drawn stays what it was
        fitted.covariance_[0, 0] = 1.0


def test_what_was_written_is_read(rows, tmp_path):
    import pandas as pd

    frame = pd.DataFrame(rows, columns=list("abcde"))
    fitted = PrivatePCA(2, mu=1, bounds=(0, 10)).fit(frame)
    for form in ("csv", "npy"):
        fitted.write_release(tmp_path / form, format=form)
        release = eigenveil.read_release(tmp_path / form)
        assert release.task == "pca" and release.method == "gauss" and not release.is_null
        assert str(release.guarantee) == str(fitted.guarantee_) and release.guarantee.assumptions == fitted.guarantee_.assumptions
        np.testing.assert_array_equal(release.arrays["loadings"].T, fitted.components_)  # shortest decimals read back as the same double
        np.testing.assert_array_equal(release.result["noisy_explained_variance"], fitted.explained_variance_)
        assert list(release.frame("loadings").index) == list("abcde") and list(release.frame("loadings").columns) == ["PC1", "PC2"]
        assert release.parameters["columns"] == list("abcde") and "GDP" in str(release) and "<table>" in release._repr_html_()
    path = tmp_path / "csv" / "loadings.csv"
    path.write_text(path.read_text().replace("a,", "a,1", 1))
    with pytest.raises(EigenveilError, match="loadings.csv"):
        eigenveil.read_release(tmp_path / "csv")
    null = PrivatePCA(2, method="spiked-robust", epsilon=0.01, delta=1e-9, row_norm=10).fit(rows)
    null.write_release(tmp_path / "null")
    assert eigenveil.read_release(tmp_path / "null").null_reason == null.null_reason_ != ""


SPECTRUM = [9.0, 4.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.5]


@pytest.mark.parametrize("task, method, parameters", CASES, ids=IDS)
def test_plans_are_the_programs(program, tmp_path, task, method, parameters):
    parameters = {name: value for name, value in parameters.items() if name not in ("missing", "hermitian")}
    spectrum = SPECTRUM if method not in ("sharp", "spiked", "subspace") and task not in ("mask", "subspace") and not parameters.get("complex_rows") and "bounds" not in parameters else None
    rows = 600 if method == "spiked" else 6000  # as its row_count says
    assumed = ["--rows", rows, "--dimension", 8]
    if spectrum is not None:
        (tmp_path / "assumed").write_text("\n".join(map(str, spectrum)))
        assumed += ["--spectrum", tmp_path / "assumed"]
    command = ["plan", task, "--method", method, *assumed, *_as_flags(parameters, tmp_path)]
    done = _program(program, *command, "--json")
    assert done.returncode == 0, done.stderr
    plan = PLANS[task](rows, 8, **({} if spectrum is None else {"spectrum": spectrum}), **_split(task, method, parameters))
    facts = json.loads(done.stdout)
    if "mask_refused" in facts:  # a sentence, in the words of each face
        assert "epsilon=E" in plan.facts["mask_refused"]
        facts["mask_refused"] = plan.facts["mask_refused"]
    assert plan.facts == facts
    said = _program(program, *command).stdout.splitlines()
    assert said[0] == str(plan).splitlines()[0] == plan.title
    assert [line[2:14].strip() for line in said[1:]] == [what.strip() for what, _ in plan.lines]
    assert (plan.method == method or task == "subspace") and plan.guarantee is not None and not re.search(r"\{[a-z]", str(plan))


# ---- where the faces once disagreed ------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["oja", "spiked", "spiked-robust"])
def test_groups_of_rows_are_protected_by_both(program, table, tmp_path, method):
    parameters = {
        "oja": dict(batch=100, neighbours="replace-one", **PAIR),
        "spiked": MODEL,
        "spiked-robust": dict(epsilon=50.0, delta=1e-3, row_norm=10.0),
    }[method]
    outcomes = []
    for group in (1, 2):
        out = tmp_path / f"cli{group}"
        done = _program(
            program, "pca", table / "rows.npy", "--method", method, *_as_flags(parameters, tmp_path), "--group-size", group, "--seed", 3, "--out", out
        )
        try:
            fitted = PrivatePCA(seed=3, group_size=group, **_split("pca", method, parameters)).fit(np.load(table / "rows.npy"))
        except EigenveilError as refusal:
            assert done.returncode == 2 and _same_sentence(done.stderr, refusal)
            outcomes.append(None)
            continue
        assert done.returncode == 0, done.stderr
        fitted.write_release(tmp_path / f"python{group}")
        _assert_same_files(tmp_path / f"python{group}", out)
        assert fitted.guarantee_.group_size == group
        outcomes.append(fitted.components_)
    assert outcomes[0] is not None and (outcomes[1] is None or not np.array_equal(*outcomes))


def _same_sentence(said_by_program, refusal):
    """The program's sentence in the words of Python."""
    words = lambda text: re.findall(r"[a-z0-9]{3,}", text.lower())  # noqa: E731
    renamed = words(re.sub(r"(?<![\w-])-k\b", "n_components", said_by_program.partition("error:")[2] or said_by_program).replace("--", ""))
    ours = words(str(refusal))
    return len(set(ours) - set(renamed)) <= 2 + len(ours) // 4, (renamed, ours)


def test_a_number_of_components_against_a_rank(program, table, tmp_path):
    for k, options in ((2, dict(rank=3)), (2, dict(max_rank=3)), (2, dict(rank=2)), (1, dict(rank=2)), (1, dict(max_rank=3))):
        flags = _as_flags({**MODEL, **options}, tmp_path) + (["-k", k] if k > 1 else [])
        done = _program(program, "pca", table / "rows.npy", "--method", "spiked", *flags, "--seed", 3)
        attempt = PrivatePCA(k, seed=3, **_split("pca", "spiked", {**MODEL, **options}))
        if done.returncode == 0:
            attempt.fit(np.load(table / "rows.npy"))
        else:
            assert done.returncode == 2
            with pytest.raises(EigenveilError, match="n_components"):
                attempt.fit(np.load(table / "rows.npy"))
        assert (done.returncode == 0) == (k == 1 or options == dict(rank=2))


def test_the_predicted_error_of_a_covariance(program, tmp_path):
    (tmp_path / "s").write_text("\n".join(map(str, SPECTRUM)))
    for budget in (dict(epsilon=1.0, delta=1e-6), dict(epsilon=1.0)):
        flags = ["--rows", 6000, "--dimension", 8, "--row-norm", 5, "--spectrum", tmp_path / "s", *_as_flags(budget, tmp_path), "--json"]
        found = json.loads(_program(program, "plan", "covariance", *flags).stdout)
        plan = eigenveil.plan_covariance(6000, 8, row_norm=5, spectrum=SPECTRUM, **budget)
        assert plan.predicted_error_f2 == found["predicted_error_f2"] > 0 and plan.covariance_f2 == found["covariance_f2"]


def test_the_budgets_of_laplace(program, tmp_path):
    taken = []
    for budget in (dict(epsilon=1.0), dict(epsilon=1.0, delta=1e-6), dict(rho=0.5), dict(mu=1.0)):
        flags = ["--rows", 6000, "--dimension", 8, "--row-norm", 5, "--method", "laplace", *_as_flags(budget, tmp_path), "--json"]
        done = _program(program, "plan", "covariance", *flags)
        if done.returncode == 0:
            assert eigenveil.plan_covariance(6000, 8, row_norm=5, method="laplace", **budget).facts == json.loads(done.stdout)
        else:
            with pytest.raises(EigenveilError):
                eigenveil.plan_covariance(6000, 8, row_norm=5, method="laplace", **budget)
        taken.append(done.returncode == 0)
    assert taken[0]


# ---- one list of methods and options -------------------------------------------------------------------------------------


def test_the_guide_names_every_option_of_every_method():
    guide = (pathlib.Path(__file__).parents[2] / "docs" / "python.md").read_text()
    rows = dict(re.findall(r'^\| `"([a-z-]+)"` \|.*\|([^|]*)\|$', guide, flags=re.M))
    parameters = {"variance_share", "within_subspace"}  # of the estimators
    for method in METHODS:
        named = set(re.findall(r"`(\w+)`", rows[method.name])) - {"rank_transform"}
        assert named == {option.name for option in method.options} - parameters, method.name


def test_docstrings_name_every_method():
    for name in (method.name for method in METHODS):
        assert f'"{name}"' in PrivatePCA.__doc__, name
    for task, estimator in ESTIMATORS.items():
        for method in METHODS:
            for option in method.options:
                if task in method.tasks and option.serves(task) and option.name in estimator().get_params():
                    assert option.name in estimator.__doc__


def test_sentences_of_options_speak_python():
    for method in METHODS:
        for option in method.options:
            said = in_python(option.sentence)
            assert said and "--" not in said and "{" not in said


@pytest.mark.parametrize("task", SECOND_MOMENTS)
def test_an_option_belongs_to_its_methods(task, rows):
    tried = 0
    for name in {option.name for m in METHODS if task in m.tasks for option in m.options if option.serves(task)} - set(ESTIMATORS[task]().get_params()):
        with pytest.raises(EigenveilError, match=f"{name} (belongs to method|must be)"):  # gauss has none; 0.5 is what few of them take
            ESTIMATORS[task](mu=1, row_norm=1, method="gauss", method_options={name: 0.5}).fit(rows)
        tried += 1
    assert tried > 3

"""What the command line can do, Python can do: the same names, and the same release for the same seed."""

import csv
import json
import pathlib
import re
import subprocess
import warnings

import numpy as np
import pytest

import eigenveil
from eigenveil import (
    EigenveilError,
    MaskedData,
    PrivateCovariance,
    PrivateLowRank,
    PrivatePCA,
    PrivateSubspace,
    analyse_moments,
    analyse_pca,
    analyse_regress,
    diagnose_spiked,
    explain,
)
from eigenveil._engine import method_names
from rounding import assert_same_text, assert_same_up_to_rounding

GUIDE = pathlib.Path(__file__).parents[2] / "docs" / "python.md"
ESTIMATORS = {"pca": PrivatePCA, "covariance": PrivateCovariance, "lowrank": PrivateLowRank, "mask": MaskedData, "subspace": PrivateSubspace}


@pytest.fixture(autouse=True)
def _without_the_warning_about_seeds():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", eigenveil.PrivacyWarning)
        yield


def _run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _commands(program, *path):
    """Names of the subcommands in a help text."""
    text = _run(program, *path, "--help").partition("Subcommands:")[2]
    return re.findall(r"^  ([a-z][a-z-]*) ", text, flags=re.M)


def _table():
    """The rows `command line | Python` of the guide, by their first cell."""
    section = GUIDE.read_text().partition("## Command line and Python")[2].partition("\n## ")[0]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("| `")]
    return {row[0].strip("`"): row[1] for row in cells}


def test_every_command_has_an_entry_in_the_guide(program):
    table = _table()
    wanted = []
    for command in _commands(program):
        inner = _commands(program, command) if command in ("plan", "audit", "sample", "analyse", "gram", "bounds", "ledger") else []
        wanted += [f"{command} {name}" for name in inner] or [command]
    assert [command for command in wanted if command not in table] == []
    for command, python in table.items():
        names = [] if python.startswith("none:") else re.findall(r"`(\w+)[(.`]", python)
        assert names or python.startswith("none:"), f"{command} has no Python face and no reason"
        for name in names:
            assert hasattr(eigenveil, name) or any(hasattr(e, name) for e in ESTIMATORS.values()), f"{command}: there is no {name}"


@pytest.mark.parametrize("command", ["pca", "covariance", "lowrank", "mask"])
def test_every_method_exists_in_python(program, command):
    named = set(re.search(r"--method \{([a-z,-]+)\}", _run(program, command, "--help"))[1].split(","))
    assert named == set(method_names(command))


# ---- the same release -------------------------------------------------------------------------------------------------


@pytest.fixture
def table(rows, tmp_path):
    path = tmp_path / "rows.csv"
    np.savetxt(path, rows, delimiter=",", header="a,b,c,d,e", comments="", fmt="%.17g")
    return path


def _matrix(path):
    with open(path, newline="") as file:
        return np.array([[float(cell) for cell in row[1:]] for row in list(csv.reader(file))[1:]])


def _near_plane(path):
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(6000, 1)) @ np.array([[0.75, -0.25, 0.5, 0.25]]) * 0.5 + 1e-5 * rng.normal(size=(6000, 4))
    np.save(path, rows)
    return rows


def test_within_a_subspace(program, tmp_path):
    rows = _near_plane(tmp_path / "x.npy")
    common = ["--epsilon", 4, "--delta", 1e-3, "--row-norm", 2, "--neighbours", "replace-one", "--within-subspace", 1, "--gamma", 1e-4, "--seed", 5]
    parameters = dict(epsilon=4, delta=1e-3, row_norm=2, neighbours="replace-one", within_subspace=1, method_options={"gamma": 1e-4}, seed=5)
    _run(program, "pca", tmp_path / "x.npy", *common, "--out", tmp_path / "pca")
    for data in (rows, str(tmp_path / "x.npy")):
        pca = PrivatePCA(1, **parameters).fit(data)
        assert_same_up_to_rounding(pca.components_.T, _matrix(tmp_path / "pca" / "loadings.NOT-PRIVATE.csv"))
        assert pca.method_ == "subspace" and pca.subspace_.shape == (1, 4) and pca.n_samples_ == 6000
    _run(program, "covariance", tmp_path / "x.npy", *common, "--out", tmp_path / "cov")
    released = PrivateCovariance(**parameters).fit(rows)
    assert_same_up_to_rounding(released.covariance_inside_, _matrix(tmp_path / "cov" / "covariance_inside.NOT-PRIVATE.csv"))
    assert np.isfinite(released.score(rows))
    assert eigenveil.plan_pca(6000, 4, **{**parameters, "seed": None}).groups > 0


def test_within_a_subspace_refusals(rows):
    good = dict(epsilon=1, delta=1e-6, bounds=(0, 10), neighbours="replace-one", within_subspace=2)
    for change, words in (
        (dict(neighbours=None), "replace-one"), (dict(n_components=3), "within_subspace"), (dict(method="gauss"), "method subspace"),
        (dict(within_subspace=None, method="subspace"), "within_subspace"), (dict(center="private"), "midpoint"), (dict(group_size=2), "one row"),
        (dict(delta=None), "delta"), (dict(method_options={"subspace_share": 1.0}), "subspace_share"),
    ):
        with pytest.raises(EigenveilError, match=words):
            PrivatePCA(**{**good, **change}).fit(rows)
    with pytest.raises(EigenveilError, match="twice"):
        PrivatePCA(**good).partial_fit(rows)
    with pytest.raises(EigenveilError, match="no option 'within_subspace'"):
        PrivateLowRank(**good).fit(rows)


def test_a_null_inside_a_subspace(rows):
    released = PrivateCovariance(epsilon=1, delta=1e-6, bounds=(0, 10), neighbours="replace-one", within_subspace=1, method_options={"gamma": 1e-6})
    try:
        released.fit(np.vstack([rows] * 20))
    except EigenveilError as problem:  # refused by size, before a row counts
        assert "rows" in str(problem)
    else:
        assert released.is_null_
        with pytest.raises(eigenveil.NullReleaseError):
            released.score(rows)


@pytest.mark.parametrize("method", ["laplace", "wishart", "orbit"])
def test_low_rank(program, rows, table, tmp_path, method):
    _run(program, "lowrank", table, "-k", 2, "--epsilon", 5, "--range", "0:10", "--method", method, "--seed", 3, "--out", tmp_path / "out")
    released = PrivateLowRank(2, epsilon=5, bounds=(0, 10), method=method, seed=3).fit(rows)
    np.testing.assert_allclose(released.low_rank_, _matrix(tmp_path / "out" / "lowrank.NOT-PRIVATE.csv"), rtol=1e-9, atol=1e-9)


def test_a_prescribed_spectrum(program, rows, table, tmp_path):
    (tmp_path / "target.txt").write_text("2\n1\n")
    options = ["--epsilon", 5, "--range", "0:10", "--target-spectrum", tmp_path / "target.txt", "--hermitian", "--seed", 3]
    _run(program, "lowrank", table, *options, "--out", tmp_path / "out")
    released = PrivateLowRank(epsilon=5, bounds=(0, 10), method_options={"target_spectrum": [1, 2], "hermitian": True}, seed=3).fit(rows)
    np.testing.assert_allclose(released.low_rank_, _matrix(tmp_path / "out" / "lowrank.NOT-PRIVATE.csv"), rtol=0, atol=1e-14)
    assert_same_up_to_rounding(released.hermitian_.imag, _matrix(tmp_path / "out" / "hermitian_imaginary.NOT-PRIVATE.csv"))
    np.testing.assert_allclose(released.explained_variance_, [2, 1])
    assert not hasattr(released, "noisy_count_") and not hasattr(released, "n_samples_")
    assert eigenveil.plan_low_rank(400, 5, epsilon=5, bounds=(0, 10), method_options={"target_spectrum": [1, 2]}).exponent > 0
    with pytest.raises(EigenveilError, match="target_spectrum belongs to lowrank"):
        PrivatePCA(2, epsilon=5, bounds=(0, 10), method_options={"target_spectrum": [1, 2]}).fit(rows)
    with pytest.raises(EigenveilError, match="disagree"):
        PrivateLowRank(3, epsilon=5, bounds=(0, 10), method_options={"target_spectrum": [1, 2]}).fit(rows)


def test_complex_rows(program, tmp_path):
    rng = np.random.default_rng(2)
    z = (rng.normal(size=(500, 3)) + 1j * rng.normal(size=(500, 3))) * [1.0, 0.3, 0.2]
    np.save(tmp_path / "z.npy", z)
    options = ["--epsilon", 5, "--row-norm", 3, "--complex-rows", "--seed", 3]
    parameters = dict(epsilon=5, row_norm=3, method="orbit", method_options={"complex_rows": True}, seed=3)
    _run(program, "pca", tmp_path / "z.npy", "-k", 2, *options, "--out", tmp_path / "pca")
    pca = PrivatePCA(2, **parameters).fit(z)
    for part, name in ((pca.components_.T.real, "real"), (pca.components_.T.imag, "imaginary")):
        assert_same_up_to_rounding(part, _matrix(tmp_path / "pca" / f"loadings_{name}.NOT-PRIVATE.csv"))
    assert pca.n_features_in_ == 3 and pca.transform(z).shape == (500, 2) and 0.5 < pca.score(z) <= 1
    np.testing.assert_allclose(pca.inverse_transform(pca.transform(z)), z @ pca.components_.conj().T @ pca.components_)
    assert_same_up_to_rounding(PrivatePCA(2, **parameters).fit(str(tmp_path / "z.npy")).components_, pca.components_)
    _run(program, "lowrank", tmp_path / "z.npy", "-k", 1, *options, "--out", tmp_path / "low")
    low = PrivateLowRank(1, **parameters).fit(z)
    assert_same_up_to_rounding(low.low_rank_.imag, _matrix(tmp_path / "low" / "hermitian_imaginary.NOT-PRIVATE.csv"))
    covariance = PrivateCovariance(**parameters).fit(z)
    np.testing.assert_allclose(covariance.covariance_, covariance.covariance_.conj().T)
    assert np.isfinite(covariance.score(z)) and covariance.covariance_.shape == (3, 3)
    with pytest.raises(ValueError, match="complex_rows"):
        PrivatePCA(2, epsilon=5, row_norm=3).fit(z)
    with pytest.raises(ValueError, match="features"):
        pca.transform(z[:, :2])


# ---- masked data ---------------------------------------------------------------------------------------------------


@pytest.fixture
def people(tmp_path):
    rng = np.random.default_rng(4)
    age, sex, code = rng.uniform(0, 10, 600), rng.choice(["male", "female", "other", ""], 600), rng.integers(0, 3, 600)
    income = 0.5 * age + rng.uniform(0, 5, 600)
    for name, part in (("all", slice(None)), ("north", slice(0, 250)), ("south", slice(250, None))):
        with open(tmp_path / f"{name}.csv", "w", newline="") as file:
            csv.writer(file).writerows([("age", "sex", "code", "income"), *zip(age[part], sex[part], code[part], income[part])])
    return tmp_path, dict(age=age, sex=np.where(sex == "", None, sex), code=code, income=income)


ONE_HOT = {"sex": ["male", "female"], "code": [1, 2]}
WORDS = ["--one-hot", "sex=male|female", "code=1,2"]


@pytest.mark.parametrize("method", ["mask", "gauss"])
def test_masked_data_with_everything(program, people, method):
    folder, _ = people
    options = ["--epsilon", 5, "--delta", 1e-3, "--range", "0:10", "--intercept", "--method", method, *WORDS, "--seed", 3, "--factor-only"]
    if method == "mask":
        options += ["--group-size", 2]
    _run(program, "mask", folder / "north.csv", "--blocks", folder / "south.csv", *options, "--out", folder / "cli")
    masked = MaskedData(
        epsilon=5, delta=1e-3, bounds=(0, 10), intercept=True, method=method, one_hot=ONE_HOT, group_size=2 if method == "mask" else 1, seed=3
    ).fit(str(folder / "north.csv"), blocks=[str(folder / "south.csv")])
    assert masked.columns_ == ["intercept", "age", "sex=male", "sex=female", "code=1", "code=2", "income"] == list(masked.get_feature_names_out())
    assert masked.block_rows_ == [250, 350] and masked.n_samples_ == 600 and masked.covariance_.shape == (6, 6) and len(masked.mean_) == 6
    masked.write(folder / "python", factor_only=True)
    for name in [path.name for path in (folder / "cli").iterdir()]:  # what the command line writes
        assert_same_text((folder / "python" / name).read_text(), (folder / "cli" / name).read_text())
    found = json.loads(_run(program, "analyse", "regress", folder / "python", "--response", "income", "--predictors", "intercept,age", "--json"))
    for ours in (masked.regress("income", ["intercept", "age"]), analyse_regress(folder / "cli", "income", ["intercept", "age"])):
        for name in ("coefficients", "standard_errors", "low", "high", "uncorrected", "residual_sd"):
            np.testing.assert_allclose(ours[name], found[name], rtol=1e-8)
    moments = json.loads(_run(program, "analyse", "moments", folder / "python", "--json"))
    np.testing.assert_allclose(masked.moments()["values"], moments["values"], rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(masked.covariance_, moments["values"], rtol=1e-8, atol=1e-12)
    components = json.loads(_run(program, "analyse", "pca", folder / "python", "-k", 2, "--json"))
    for name in ("variance", "low", "high", "noise_edge", "below_noise", "clipped"):
        np.testing.assert_allclose(masked.pca(2)[name], components[name], rtol=1e-8)
    assert analyse_pca(folder / "python", 2)["loadings"].shape == (6, 2) and "NOT PRIVATE" in explain(folder / "python").upper()
    with pytest.raises(EigenveilError, match="twice|NOT PRIVATE"):
        explain(folder / "python", folder / "python")


def test_pseudo_rows_on_disk(program, people):
    folder, _ = people
    masked = MaskedData(mu=1, method="gauss", bounds=(0, 10), columns=["age", "income"], intercept=True).fit(str(folder / "all.csv"))
    for path in ("out", "rows.csv", "rows.csv.gz", "rows.npy"):
        masked.write(folder / path)
        _run(program, "explain", folder / path if path == "out" else folder / "rows.release.json") if path != "rows.csv.gz" else None
        found = analyse_moments(folder / path)
        np.testing.assert_allclose(found["values"], masked.covariance_, rtol=1e-6)
        if path != "out":
            for name in ("rows.release.json", "rows.report.html", "rows.noisy_gram.csv"):
                (folder / name).unlink()
    with pytest.raises(EigenveilError, match="replace=True"):  # an earlier release is not lost unasked
        masked.write(folder / "out", format="npy")
    masked.write(folder / "out", format="npy", replace=True)
    (folder / "out" / "mine.txt").write_text("not a release")
    with pytest.raises(EigenveilError, match="out"):
        masked.write(folder / "out")
    with pytest.raises(EigenveilError, match="exist"):
        masked.write(folder / "rows.npy")
    rows = masked.pseudo_rows(seed=1)
    rows[:, 1:] -= rows[:, :1] * 5
    gram = rows.T @ rows
    np.testing.assert_allclose(gram[0, 0], masked.gram_[0, 0], rtol=1e-6)


def test_shards_masked_alone_are_read_as_one_table(program, people):
    folder, _ = people
    common = dict(epsilon=5, delta=1e-3, bounds=(0, 10), columns=["age", "income"], intercept=True, method="mask", smallest_block=250)
    for name in ("north", "south"):
        MaskedData(**common).fit(str(folder / f"{name}.csv")).write(folder / name)
    both = analyse_regress([folder / "north", folder / "south"], "income", ["intercept", "age"])
    found = json.loads(
        _run(program, "analyse", "regress", folder / "north", folder / "south", "--response", "income", "--predictors", "intercept,age", "--json")
    )
    np.testing.assert_allclose(both["coefficients"], found["coefficients"])
    assert both["rows"] == 600
    with pytest.raises(EigenveilError, match="smallest_block"):
        MaskedData(**{**common, "smallest_block": 400}).fit(str(folder / "south.csv"))
    with pytest.raises(EigenveilError, match="twice"):
        analyse_moments([folder / "north", folder / "north"])


def test_words_are_the_same_from_every_source(people):
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    import pyarrow.parquet as parquet

    folder, columns = people
    frame = pd.DataFrame(columns)
    parquet.write_table(pa.Table.from_pandas(frame), folder / "all.parquet")
    parameters = dict(epsilon=5, delta=1e-3, bounds={"age": (0, 10), "income": (0, 10)}, one_hot={**ONE_HOT, "sex": ["male", "female", "*"]})
    expected = MaskedData(**parameters).partial_fit(str(folder / "all.csv"))._pass.finish()
    assert expected.columns == ["age", "sex=male", "sex=female", "sex=*", "code=1", "code=2", "income"]
    for data in (frame, frame.astype({"sex": "category"}), pl.DataFrame(columns), pa.Table.from_pandas(frame), str(folder / "all.parquet")):
        assert MaskedData(**parameters).partial_fit(data)._pass.finish() == expected
    for lists, words in (({"sex": []}, "one_hot"), ({"sex": ["*", "a"]}, "one_hot"), ({"nobody": ["a"]}, "nobody"), (["sex"], "one_hot")):
        with pytest.raises(EigenveilError, match=words):
            MaskedData(**{**parameters, "one_hot": lists}).fit(frame)
    with pytest.raises(EigenveilError, match="arrays hold codes"):
        MaskedData(**{**parameters, "one_hot": {"c1": ["a"]}}).fit(np.eye(3))


@pytest.mark.parametrize("options", [["--center", "private"], ["--neighbours", "replace-one", "--standardize"], ["--row-norm", 20]])
def test_a_released_covariance_is_analysed(program, rows, table, tmp_path, options):
    bound = ["--range", "0:10"] if "--row-norm" not in options else []
    center = [] if "--center" in options else ["--center", "none"]
    _run(program, "covariance", table, "--mu", 5, *bound, *options, *center, "--seed", 3, "--out", tmp_path / "out")
    words = dict(zip(options[::2], options[1::2]))
    released = PrivateCovariance(
        mu=5, bounds=(0, 10) if bound else None, row_norm=words.get("--row-norm"), center=words.get("--center", "none"),
        neighbours=words.get("--neighbours"), standardize="--standardize" in options, seed=3,
    ).fit(str(table))
    for name, expected in analyse_moments(tmp_path / "out").items():
        if isinstance(expected, np.ndarray):
            np.testing.assert_allclose(analyse_moments(released)[name], expected, rtol=1e-6, atol=1e-9)
    for name, expected in analyse_pca(tmp_path / "out", 2).items():
        if name not in ("columns", "loadings", "missing_cells", "below_noise", "clipped"):
            np.testing.assert_allclose(analyse_pca(released, 2)[name], expected, rtol=1e-6, atol=1e-9)
    for name in ("missing_cells", "below_noise", "clipped"):
        assert list(analyse_pca(released, 2)[name]) == list(analyse_pca(tmp_path / "out", 2)[name])
    ours, theirs = (analyse_regress(r, "e", ["intercept", "a"] if "--center" in options else ["a"]) for r in (released, tmp_path / "out"))
    np.testing.assert_allclose(ours["low"], theirs["low"], rtol=1e-6)
    assert ours["measured_from"] == theirs["measured_from"]
    if "--center" in options:  # an intercept in original units: residuals have mean zero
        assert ours["measured_from"] == "zero"
        middle = ours["coefficients"] @ [1, released.mean_[0]]
        assert middle == pytest.approx(released.mean_[4], rel=1e-6)
    with pytest.raises(EigenveilError, match="Gaussian"):
        analyse_pca(PrivateCovariance(epsilon=1, bounds=(0, 10)).fit(rows))


def test_plans_are_the_command_lines(program, tmp_path):
    np.savetxt(tmp_path / "s.txt", [9, 4, 1, 1])
    common = ["--rows", 5000, "--dimension", 4, "--epsilon", 1, "--row-norm", 4, "--spectrum", tmp_path / "s.txt", "--json"]
    for task, plan in (("pca", eigenveil.plan_pca), ("lowrank", eigenveil.plan_low_rank)):
        found = json.loads(_run(program, "plan", task, "-k", 2, *common))
        ours = plan(5000, 4, n_components=2, epsilon=1, row_norm=4, spectrum=[9, 4, 1, 1])
        assert found["predicted_error_f2"] > 0
        assert {name: found[name] for name in ours.facts} == ours.facts
    options = ["--rows", 5000, "--dimension", 3, "--epsilon", 1, "--delta", 1e-6, "--range", "0:1", "--intercept", "--group-size", 2, "--json"]
    found = json.loads(_run(program, "plan", "mask", *options))
    ours = eigenveil.plan_mask(5000, 3, epsilon=1, delta=1e-6, bounds=(0, 1), intercept=True, group_size=2)
    assert {name: found[name] for name in ours.facts} == ours.facts


def test_fitted_objects_survive_pickling(rows):
    import pickle

    masked = MaskedData(epsilon=5, delta=1e-3, bounds=(0, 10), intercept=True).fit(rows[:200], blocks=[rows[200:]])
    again = pickle.loads(pickle.dumps(masked))
    assert_same_up_to_rounding(again.regress("c1", ["intercept", "c2"])["low"], masked.regress("c1", ["intercept", "c2"])["low"])
    assert_same_up_to_rounding(again.pseudo_rows(seed=1), masked.pseudo_rows(seed=1))
    covariance = PrivateCovariance(mu=1, bounds=(0, 10), center="private").fit(rows)
    again = pickle.loads(pickle.dumps(covariance))
    assert_same_up_to_rounding(analyse_moments(again)["values"], analyse_moments(covariance)["values"])


def test_masked_data_refusals(rows):
    good = dict(epsilon=5, delta=1e-3, bounds=(0, 10))
    with pytest.raises(EigenveilError, match="twice"):
        MaskedData(**good).fit(rows, blocks=[rows])
    with pytest.raises(EigenveilError, match="different columns"):
        MaskedData(**good).fit(rows, blocks=[rows[:, :3].copy()])
    with pytest.raises(EigenveilError, match="intercept"):
        MaskedData(**good, center="private").fit(rows)
    with pytest.raises(EigenveilError, match="smallest_block"):
        MaskedData(**good, smallest_block=3).fit(rows)
    masked = MaskedData(**good).fit(rows)
    for wrong in (dict(about="nobody"), dict(level=1.0), dict(ridge=-1.0)):
        with pytest.raises(EigenveilError, match=next(iter(wrong))):
            masked.regress("c1", ["c2"], **wrong)
    assert not any(hasattr(masked, name) for name in ("transform", "inverse_transform", "score"))


# ---- for the curator, and the way files are read -------------------------------------------------------------------


def test_the_diagnostic_is_the_command_lines(program, tmp_path):
    rows = np.random.default_rng(0).normal(size=(3000, 5)) * [5, 1, 1, 1, 1]
    np.save(tmp_path / "x.npy", rows)
    options = ["--method", "spiked", "--neighbours", "independent-copy", "--epsilon", 1, "--delta", 1e-5, "--sigma2", 1, "--lambda", 20]
    options += ["--row-count", 3000, "--gaussian-rows", "--seed", 3, "--diagnostic", tmp_path / "for_me.txt", "--out", tmp_path / "out"]
    _run(program, "pca", tmp_path / "x.npy", *options)
    model = {"sigma2": 1.0, "lambda": 20.0, "row_count": 3000, "gaussian_rows": True}
    pca = PrivatePCA(1, epsilon=1, delta=1e-5, method="spiked", neighbours="independent-copy", method_options=model, seed=3).fit(rows)
    found = diagnose_spiked(pca, rows)
    assert str(found) == (tmp_path / "for_me.txt").read_text() and found.all_hold and "CURATOR ONLY" in repr(found)
    PrivatePCA(mu=1, row_norm=float(pca.row_norm_)).partial_fit(rows).save_gram(tmp_path / "x.gram")
    assert str(diagnose_spiked(pca, tmp_path / "x.gram")) == str(found)
    assert not diagnose_spiked(pca, np.ones((3000, 5))).all_hold
    with pytest.raises(EigenveilError, match="method='spiked'"):
        diagnose_spiked(PrivatePCA(mu=1, row_norm=1).fit(rows), rows)


def test_sharp_at_a_noise_level(program, tmp_path):
    spectrum = [8.0] + [1.0] * 19
    np.savetxt(tmp_path / "s.txt", spectrum)
    options = ["--method", "sharp", "--rows", 3000, "--data-spectrum", tmp_path / "s.txt", "--beta", 2, "--json"]
    found = json.loads(_run(program, "plan", "pca", *options))
    plan = eigenveil.plan_pca(3000, method="sharp", spectrum=spectrum, beta=2)
    for name in ("mu", "mu_min", "beta", "worst_case_epsilon", "predicted_error_op2", "predicted_error_f2"):
        assert getattr(plan, name) == pytest.approx(found[name], rel=1e-12)
    assert plan.guarantee.basis == "asymptotic" and "GDP" in str(plan)
    for wrong in (dict(mu=1), dict(method="gauss"), dict(beta=-1)):
        with pytest.raises(EigenveilError, match="beta"):
            eigenveil.plan_pca(3000, **{**dict(method="sharp", spectrum=spectrum, beta=2), **wrong})


def test_text_files_with_other_forms(rows, tmp_path):
    np.savetxt(tmp_path / "x.csv", rows, delimiter=";")
    make = lambda **more: PrivatePCA(mu=1, bounds=(0, 10), **more)  # noqa: E731
    expected = make().partial_fit(rows)._pass.finish()
    assert make(separator="semicolon", header="absent").partial_fit(str(tmp_path / "x.csv"))._pass.finish() == expected
    with pytest.raises(EigenveilError, match="damaged row"):
        make(bad_cell="midpoint").partial_fit(str(tmp_path / "x.csv"))
    total = dict(separator="semicolon", header="absent", bad_cell="midpoint")
    with pytest.raises(EigenveilError, match=r"columns=\['c1'"):  # the first row has no say in the shape
        make(**total).partial_fit(str(tmp_path / "x.csv"))
    pairs = [(0, 10)] * rows.shape[1]
    for public in (dict(bounds=pairs), dict(bounds={f"c{j + 1}": pair for j, pair in enumerate(pairs)}), dict(bounds=(0, 10), columns=[f"c{j + 1}" for j in range(len(pairs))])):
        assert PrivatePCA(mu=1, **public, **total).partial_fit(str(tmp_path / "x.csv"))._pass.finish() == expected
    (tmp_path / "none.csv").write_text("")
    assert PrivatePCA(mu=1, bounds=pairs, **total).fit(str(tmp_path / "none.csv")).components_.shape[1] == len(pairs)
    for wrong in (dict(header="yes"), dict(separator=";")):
        with pytest.raises(EigenveilError, match=next(iter(wrong))):
            make(**wrong).partial_fit(str(tmp_path / "x.csv"))

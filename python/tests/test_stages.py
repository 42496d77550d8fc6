"""Stages between a table and its statistic, private bounds and private scores: the files of the program for the same seed, from every kind of table."""

import json
import pathlib
import re
import subprocess

import numpy as np
import pytest
from sklearn.base import clone

import eigenveil
from eigenveil import EigenveilError, MaskedData, PrivateCovariance, PrivatePCA, private_bounds, private_scores
from test_engine import _assert_same_files

pd = pytest.importorskip("pandas")
pytestmark = pytest.mark.filterwarnings("ignore::eigenveil.PrivacyWarning")
NAMES = ["age", "hours", "code", "income", "clinic", "weight"]


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    """600 rows of 200 people, who come one to five times, a word, and a weight; some cells are missing."""
    rng = np.random.default_rng(8)
    numbers = rng.uniform(0, 10, size=(600, 4)).round(3)
    numbers[:, 2] = rng.integers(0, 3, 600)
    frame = pd.DataFrame(numbers, columns=["age", "hours", "code", "income"])
    frame.loc[::17, "hours"] = np.nan
    frame["clinic"] = [f"p{i}" for i in rng.integers(0, 200, 600)]
    frame["weight"] = rng.uniform(0, 4, 600).round(2)
    frame["sex"] = rng.choice(["male", "female", "other"], 600)
    folder = tmp_path_factory.mktemp("survey")
    frame.to_csv(folder / "rows.csv", index=False)
    basis = np.linalg.qr(rng.normal(size=(4, 2)))[0]
    pd.DataFrame(basis, index=["age", "hours", "code", "income"], columns=["PC1", "PC2"]).to_csv(folder / "basis.csv", index_label="column")
    np.save(folder / "basis.npy", basis)
    return folder, frame, basis


def _program(program, *words):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


PEOPLE = dict(person="clinic", rows_per_person=2)
ONLY = dict(columns=["age", "hours", "code", "income"])
STAGES = {
    "project": (dict(projected_norm=6.0, bounds=(0, 10)), ["--projected-norm", 6, "--range", "0:10"]),
    "project, and what it leaves out": (
        dict(projected_norm=6.0, outside_norm=9.0, bounds=(0, 10)),
        ["--projected-norm", 6, "--outside-norm", 9, "--range", "0:10"],
    ),
    "project, scaled, about the midpoints": (
        dict(projected_norm=1.5, bounds=(0, 10), standardize=True, center="none"),
        ["--projected-norm", 1.5, "--range", "0:10", "--standardize", "--center", "none"],
    ),
    "normalise_rows": (dict(**ONLY, normalise_rows=True), ["--columns", "age,hours,code,income", "--normalise-rows"]),
    "exclude": (dict(exclude=["clinic", "sex", "weight"], bounds=(0, 10)), ["--exclude", "clinic,sex,weight", "--range", "0:10"]),
    "one_hot": (
        dict(columns=["age", "code", "sex"], one_hot={"sex": ["male", "*"], "code": [1, 2]}, bounds={"age": (0, 10)}),
        ["--columns", "age,code,sex", "--one-hot", "sex=male|*", "code=1,2", "--bounds", "BOUNDS"],
    ),
    "person": (dict(**ONLY, **PEOPLE, bounds=(0, 10)), ["--columns", "age,hours,code,income", "--person", "clinic", "--rows-per-person", 2, "--range", "0:10"]),
    "person, replaced": (
        dict(**ONLY, **PEOPLE, bounds=(0, 10), neighbours="replace-one"),
        ["--columns", "age,hours,code,income", "--person", "clinic", "--rows-per-person", 2, "--range", "0:10", "--neighbours", "replace-one"],
    ),
    "correlation": (dict(**ONLY, bounds=(0, 10), correlation=True), ["--columns", "age,hours,code,income", "--range", "0:10", "--correlation"]),
    "pairwise": (dict(**ONLY, bounds=(0, 10), missing="pairwise"), ["--columns", "age,hours,code,income", "--range", "0:10", "--missing", "pairwise"]),
    "pairwise, one column, scaled": (
        dict(**ONLY, bounds=(0, 10), missing="pairwise", pairwise=["hours"], standardize=True),
        ["--columns", "age,hours,code,income", "--range", "0:10", "--missing", "pairwise=hours", "--standardize"],
    ),
    "pairwise, correlation": (
        dict(**ONLY, bounds=(0, 10), missing="pairwise", correlation=True),
        ["--columns", "age,hours,code,income", "--range", "0:10", "--missing", "pairwise", "--correlation"],
    ),
    "weights": (dict(**ONLY, weights="weight", weight_bound=3.0, bounds=(0, 10)), ["--columns", "age,hours,code,income", "--weights", "weight", "--weight-bound", 3, "--range", "0:10"]),
}  # fmt: skip


def _tables(folder, frame):
    pa, polars = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    return {
        "file": folder / "rows.csv",
        "pandas": frame,
        "arrow": pa.Table.from_pandas(frame, preserve_index=False),
        "polars": polars.from_pandas(frame),
        "blocks": (frame.iloc[i : i + 50] for i in range(0, 600, 50)),
    }


@pytest.mark.parametrize("stage", STAGES)
def test_every_stage_is_the_programs_from_every_table(program, survey, tmp_path, stage):
    folder, frame, basis = survey
    parameters, flags = STAGES[stage]
    if stage.startswith("project"):
        parameters, flags = {**parameters, "project": folder / "basis.csv"}, [*flags, "--project", folder / "basis.csv"]
    (tmp_path / "bounds.csv").write_text("column,low,high\nage,0,10\n")
    flags = [tmp_path / "bounds.csv" if flag == "BOUNDS" else flag for flag in flags]
    _program(program, "pca", folder / "rows.csv", "-k", 2, "--mu", 1, "--seed", 3, *flags, "--out", tmp_path / "cli")
    for kind, data in _tables(folder, frame).items():
        pca = PrivatePCA(2, mu=1, seed=3, **parameters).fit(data)
        pca.write_release(tmp_path / kind)
        _assert_same_files(tmp_path / kind, tmp_path / "cli")
        assert pca.components_.shape == (2, len(pca.feature_names_in_)) and len(pca.center_) == pca.n_features_in_
        assert pca.transform(np.ones((3, pca.n_features_in_))).shape == (3, 2)


def test_a_basis_by_position_and_by_name(survey):
    _, frame, basis = survey
    public = dict(mu=1, seed=3, projected_norm=6.0, bounds=(0, 10))
    named = PrivatePCA(2, project=pd.DataFrame(basis, index=["age", "hours", "code", "income"]), **public).fit(frame)
    plain = PrivatePCA(2, project=basis, **public).fit(frame[["age", "hours", "code", "income"]].to_numpy())
    np.testing.assert_array_equal(named.components_, plain.components_)  # the same numbers through the same code
    assert np.linalg.norm(named.components_ - named.components_ @ basis @ basis.T) < 1e-12  # inside of the basis
    scores = plain.transform(frame[["age", "hours", "code", "income"]].fillna(5.0).to_numpy())
    inside = (frame[["age", "hours", "code", "income"]].fillna(5.0).to_numpy() - plain.center_) @ basis
    np.testing.assert_allclose(scores, inside @ basis.T @ plain.components_.T, atol=1e-9)
    for wrong, words in ((dict(project=[1, 2]), "public basis"), (dict(project=np.ones((4, 2))), "combination"), (dict(project=basis, projected_norm=None), "projected_norm=R")):
        with pytest.raises(EigenveilError, match=words):
            PrivatePCA(2, **{**public, **wrong}).fit(frame[["age", "hours", "code", "income"]])


def test_people_are_counted_over_all_blocks(survey):
    """The rows of a person that count are the first ones of all calls together: noise hides that many."""
    folder, frame, _ = survey
    make = lambda: PrivateCovariance(mu=1, **ONLY, **PEOPLE, bounds=(0, 10))  # noqa: E731
    whole = make().partial_fit(frame)._pass.finish()
    parts = make()
    for i in range(0, 600, 7):
        parts.partial_fit(frame.iloc[i : i + 7])
    assert parts._pass.finish() == whole
    kept = frame.groupby("clinic").head(2)
    alone = [f"p{i}" for i in range(len(kept))]  # nobody has more than one of these rows: none is left out
    assert make().partial_fit(kept.assign(clinic=alone))._pass.finish() == whole
    assert make().partial_fit(frame.assign(clinic=[f"p{i}" for i in range(600)]))._pass.finish() != whole
    assert PrivateCovariance(mu=1, bounds=(0, 10)).partial_fit(kept[ONLY["columns"]])._pass.finish() != whole  # sums of rows, not of people
    files = make()
    frame.iloc[:300].to_csv(folder / "first.csv", index=False)
    frame.iloc[300:].to_csv(folder / "second.csv", index=False)
    assert files.partial_fit(folder / "first.csv").partial_fit(folder / "second.csv")._pass.finish() == whole
    numbered = frame[ONLY["columns"]].assign(clinic=frame["clinic"].str[1:].astype(float)).to_numpy()
    plain = kept[ONLY["columns"]].assign(clinic=np.arange(len(kept), dtype=float)).to_numpy()
    fifth = lambda: PrivateCovariance(mu=1, bounds=(0, 10), person="c5", rows_per_person=2)  # noqa: E731
    assert fifth().partial_fit(numbered)._pass.finish() == fifth().partial_fit(plain)._pass.finish()
    released = make().fit(frame)
    assert "person" in str(released.guarantee_) and not hasattr(released, "n_samples_")
    for wrong, words in ((dict(group_size=2), "leave out group_size"), (dict(rows_per_person=None), "rows_per_person=G"), (dict(person="nobody"), "no column 'nobody'")):
        with pytest.raises(EigenveilError, match=words):
            make().set_params(**wrong).fit(frame)


def test_a_release_that_noise_must_drown_is_refused(survey):
    _, frame, _ = survey
    asked = dict(mu=0.01, bounds=(0, 10), **ONLY)
    with pytest.raises(EigenveilError, match="anyway spends all the same"):
        PrivatePCA(2, people=600, **asked).fit(frame)
    assert PrivatePCA(2, people=600, anyway=True, **asked).fit(frame).components_.shape == (2, 4)
    with pytest.raises(EigenveilError, match="nobody said how many rows"):
        PrivatePCA(2, **asked).fit(frame)
    with pytest.warns(eigenveil.ResultWarning, match="one over the number of rows"):
        PrivatePCA(1, epsilon=5, delta=0.1, people=600, bounds=(0, 10), **ONLY).fit(frame)
    with pytest.warns(eigenveil.ResultWarning, match="named like an identifier"):
        PrivatePCA(1, mu=5, bounds=(0, 10)).fit(pd.DataFrame({"id": [1.0, 2.0], "a": [1.0, 2.0]}))


def test_what_goes_where(survey, tmp_path):
    _, frame, _ = survey
    with pytest.raises(EigenveilError, match="pseudo-data"):
        MaskedData(mu=1, bounds=(0, 10), **PEOPLE).fit(frame)
    PrivateCovariance(mu=1, bounds=(0, 10), **ONLY).partial_fit(frame).save_gram(tmp_path / "rows.gram")
    with pytest.raises(EigenveilError, match="carries its columns and bound"):
        PrivateCovariance(mu=1, **PEOPLE).fit(tmp_path / "rows.gram")
    estimator = PrivatePCA(2, mu=1, **ONLY, **PEOPLE, bounds=(0, 10))
    assert clone(estimator).get_params() == estimator.get_params()
    assert "basis" in str(eigenveil.plan_pca(600, 4, n_components=2, mu=1, project=np.eye(4)[:, :2], projected_norm=1.0, bounds=(0, 10)))


def test_private_bounds_are_the_programs(program, survey, tmp_path):
    folder, frame, _ = survey
    columns = ["age", "hours", "income", "weight"]
    _program(program, "bounds", "private", folder / "rows.csv", "--columns", ",".join(columns), "--mu", 2, "--outer", "-5:50", "--seed", 3, "--out", tmp_path / "cli")
    for kind, data in _tables(folder, frame).items():
        found = private_bounds(data, mu=2, columns=columns, outer=(-5, 50), seed=3)
        found.write_release(tmp_path / kind)
        _assert_same_files(tmp_path / kind, tmp_path / "cli")
    assert list(found.bounds) == columns and all(low < high for low, high in found.bounds.values())
    assert found.guarantee.relation == "add-remove" and found.task == "bounds"
    assert PrivatePCA(2, mu=1, columns=columns, bounds=found.bounds).fit(frame).components_.shape == (2, 4)
    with pytest.raises(EigenveilError, match="budget is missing"):
        private_bounds(frame[columns])


def test_plans_of_counts_are_the_programs(program):
    people = dict(person="clinic", rows_per_person=2)
    flags = ["--person", "clinic", "--rows-per-person", 2]
    for python, words in (
        (eigenveil.plan_bounds(600, 3, mu=1), ["bounds", "--dimension", 3, "--mu", 1]),
        (eigenveil.plan_bounds(600, columns=["a", "b"], epsilon=1, row_norm="private", **people), ["bounds", "--columns", "a,b", "--epsilon", 1, "--row-norm", "private", *flags]),
        (eigenveil.plan_scores(600, epsilon=1, delta=1e-6, cells=8), ["scores", "--epsilon", 1, "--delta", 1e-6, "--cells", 8]),
        (eigenveil.plan_scores(600, epsilon=1, label=("sex", ["male", "female"]), **people), ["scores", "--epsilon", 1, "--label", "sex=male|female", *flags]),
    ):
        assert python.facts == json.loads(_program(program, "plan", *words, "--rows", 600, "--json").stdout)
        printed = re.sub(r"--cells (\d+)", r"cells=\1", _program(program, "plan", *words, "--rows", 600).stdout)  # each in its own words
        assert str(python).splitlines() == printed.rstrip("\n").splitlines()
    with pytest.raises(EigenveilError, match="different public levels"):
        eigenveil.plan_scores(600, mu=1, label=("sex", ["male", "male"]))
    with pytest.raises(EigenveilError, match="budget is missing"):
        eigenveil.plan_bounds(600, 3)


def test_how_many_rows_there_are():
    """Said, or read off an array where neighbours make the number public; never where it is protected."""
    make = lambda **more: PrivatePCA(2, epsilon=1, delta=1e-6, bounds=(0, 1), **more)  # noqa: E731
    few, many = np.zeros((50, 500)), np.zeros((20_000, 500))
    for rows in (few, many):
        with pytest.raises(EigenveilError, match="nobody said how many rows"):
            make().fit(rows)
        make(people=10**7).fit(rows)
        make(anyway=True).fit(rows)
    with pytest.raises(EigenveilError, match="at 50 rows"):
        make(neighbours="replace-one").fit(few)
    make(neighbours="replace-one").fit(many)
    with pytest.raises(EigenveilError, match="nobody said how many rows"):  # a part of a table is no table
        make(neighbours="replace-one").partial_fit(many)


def test_covariances_of_the_rows_that_have_both_are_the_programs(program, survey, tmp_path):
    folder, frame, _ = survey
    flags = ["--columns", "age,hours,code,income", "--range", "0:10", "--mu", 3, "--seed", 3, "--missing", "pairwise", "--correlation"]
    _program(program, "covariance", folder / "rows.csv", *flags, "--out", tmp_path / "cli")
    moments = json.loads(_program(program, "analyse", "moments", tmp_path / "cli", "--json").stdout)
    slopes = json.loads(_program(program, "analyse", "regress", tmp_path / "cli", "--response", "income", "--predictors", "age,hours", "--json").stdout)
    for kind, data in _tables(folder, frame).items():
        found = PrivateCovariance(**ONLY, bounds=(0, 10), mu=3, seed=3, missing="pairwise", correlation=True).fit(data)
        found.write_release(tmp_path / kind)
        _assert_same_files(tmp_path / kind, tmp_path / "cli")
    assert "pair" in found.missing_cells_ and found.details_["refused_entries"] == []
    for now, then in ((eigenveil.analyse_moments(found), moments), (eigenveil.analyse_regress(found, "income", ["age", "hours"]), slopes)):
        for name in ("values", "standard_errors", "mean", "correlations", "correlations_low", "correlations_high", "coefficients", "low", "high"):  # the same sums, once from memory and once from a file
            if name in then:
                np.testing.assert_array_equal(now[name], np.array(then[name], dtype=float))
    told = np.isfinite(found.correlation_).all(axis=0)
    np.testing.assert_allclose(found.correlation_[told][:, told].diagonal(), 1.0, rtol=1e-12)
    assert [name for name, shown in zip(ONLY["columns"], told) if not shown] == found.details_["left_out_columns"]


def test_what_pairwise_and_correlation_refuse(survey):
    folder, frame, basis = survey
    make = lambda **more: PrivatePCA(2, mu=1, **{**ONLY, "bounds": (0, 10), **more})  # noqa: E731
    for wrong, words in (
        (dict(pairwise=["hours"]), "give both"),
        (dict(missing="pairwise", pairwise=["height"]), "names 'height', which is no column"),
        (dict(missing="pairwise", pairwise=[]), "names no column"),
        (dict(missing="pairwise", pairwise="hours"), "a list of names"),
        (dict(missing="pairwise", project=basis, projected_norm=1.0), "leave out project"),
        (dict(missing="pairwise", method="orbit"), "method='gauss'"),
        (dict(missing="leave out"), "missing must be midpoint or refuse or pairwise"),
        (dict(correlation="yes"), "correlation must be True or False"),
        (dict(correlation=True, method="orbit"), "correlation"),
        (dict(correlation=True, project=basis, projected_norm=1.0), "leave out project"),
    ):
        with pytest.raises(EigenveilError, match=words):
            make(**wrong).fit(frame)
    with pytest.raises(EigenveilError):
        eigenveil.PrivateLowRank(2, mu=1, correlation=True, bounds=(0, 10), **ONLY).fit(frame)
    with pytest.raises(EigenveilError, match="'midpoint' or 'refuse'$"):
        private_bounds(frame[ONLY["columns"]], mu=1, missing="pairwise")
    with pytest.raises(EigenveilError, match="pairwise"):
        MaskedData(mu=1, bounds=(0, 10), missing="pairwise", **ONLY).fit(frame)


def test_one_private_norm_is_the_programs(program, survey, tmp_path):
    folder, frame, _ = survey
    columns = ["age", "hours", "income", "weight"]
    for name, bounds, flags in (("plain", None, []), ("scaled", (0, 10), ["--range", "0:10"])):
        _program(program, "bounds", "private", folder / "rows.csv", "--columns", ",".join(columns), "--mu", 2, "--row-norm", "private", *flags, "--seed", 3, "--out", tmp_path / name)
        for kind, data in _tables(folder, frame).items():
            found = private_bounds(data, mu=2, columns=columns, row_norm="private", bounds=bounds, seed=3)
            found.write_release(tmp_path / f"{name} {kind}")
            _assert_same_files(tmp_path / f"{name} {kind}", tmp_path / name)
        assert found.row_norm == found.bounds["row_norm"][1] > 0
        PrivatePCA(1, mu=1, columns=columns, row_norm=found.row_norm, bounds=bounds).fit(frame)
    assert private_bounds(frame.iloc[:3], mu=0.01, columns=columns, row_norm="private").row_norm is None  # noise hides three rows
    for wrong, words in ((dict(row_norm=3.0), "must be 'private'"), (dict(bounds=(0, 10)), "go with row_norm='private'")):
        with pytest.raises(EigenveilError, match=words):
            private_bounds(frame, mu=1, columns=columns, **wrong)
    with pytest.raises(AttributeError):
        private_bounds(frame, mu=1, columns=columns).row_norm


def test_private_scores_are_the_programs(program, survey, tmp_path):
    folder, frame, _ = survey
    PrivatePCA(2, mu=3, bounds=(0, 10), **ONLY, seed=3).fit(frame).write_release(tmp_path / "axes")
    for name, label, flags in (("plain", None, []), ("labelled", ("sex", ["male", "female"]), ["--label", "sex=male|female"])):
        words = ["--on", tmp_path / "axes", "--axes", "2,1", "--cells", 8, "--mu", 2, "--seed", 3, *flags]
        _program(program, "scores", folder / "rows.csv", *words, "--out", tmp_path / name)
        for kind, data in _tables(folder, frame).items():
            picture = private_scores(data, tmp_path / "axes", axes=(2, 1), cells=8, label=label, mu=2, seed=3)
            picture.write_release(tmp_path / f"{name} {kind}")
            _assert_same_files(tmp_path / f"{name} {kind}", tmp_path / name)
    assert picture.arrays["scores"].shape == (8, 8) and list(picture.arrays) == ["scores", "scores_1", "scores_2"]
    with pytest.raises(EigenveilError, match="two different components"):
        private_scores(frame, tmp_path / "axes", axes=(1, 3), mu=1)


def test_private_scores_on_levels_are_the_programs(program, survey, tmp_path):
    """A release with one column per level: the table is read as it was then, words and codes."""
    folder, frame, _ = survey
    columns, levels = ["age", "code", "sex"], {"sex": ["male", "*"], "code": [1, 2]}
    PrivatePCA(2, mu=3, columns=columns, one_hot=levels, bounds={"age": (0, 10)}, seed=3).fit(frame).write_release(tmp_path / "axes")
    _program(program, "scores", folder / "rows.csv", "--on", tmp_path / "axes", "--cells", 8, "--mu", 2, "--seed", 3, "--out", tmp_path / "program")
    for kind, data in _tables(folder, frame).items():
        private_scores(data, tmp_path / "axes", cells=8, mu=2, seed=3).write_release(tmp_path / kind)
        _assert_same_files(tmp_path / kind, tmp_path / "program")


def test_a_basis_made_as_the_guide_says(program, tmp_path, monkeypatch):
    guide = (pathlib.Path(__file__).parents[2] / "docs" / "guide.md").read_text()
    (recipe,) = [block for block in re.findall("```python\n(.*?)```", guide, flags=re.S) if "svd" in block]
    monkeypatch.chdir(tmp_path)
    names = [f"x{j}" for j in range(30)]
    rows = np.random.default_rng(3).normal(size=(80, 30)) * np.linspace(3, 1, 30)
    pd.DataFrame(rows, columns=names).to_csv("panel.csv", index=False)
    exec(recipe, {})
    expected = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)[2][:20]
    assert np.allclose(pd.read_csv("panel-loadings.csv", index_col="column").to_numpy().T, expected)
    pd.DataFrame(rows, columns=names).to_csv("rows.csv", index=False)
    done = _program(program, "pca", "rows.csv", "--project", "panel-loadings.csv", "--projected-norm", 20, "--mu", 5, "--quiet")
    assert "20 public directions of 30 columns" in done.stdout


def test_ranges_that_noise_hides_are_no_bounds():
    found = private_bounds(np.arange(10.0).reshape(5, 2), mu=0.1)
    assert found.bounds == {}
    with pytest.raises(EigenveilError, match="noise hid every range"):
        PrivatePCA(1, mu=1, bounds=found.bounds).fit(np.arange(10.0).reshape(5, 2))


def test_text_as_it_is_written_elsewhere(tmp_path):
    """Decimal commas, groups of digits and Latin-1, where they are declared."""
    (tmp_path / "elsewhere.csv").write_bytes("größe;löhne\n1,5;1.234,5\n2,5;2.000\n".encode("latin-1"))
    (tmp_path / "here.csv").write_text("größe,löhne\n1.5,1234.5\n2.5,2000\n")
    make = lambda **more: PrivateCovariance(mu=1, bounds=(0, 5000), **more)  # noqa: E731
    here = make().partial_fit(tmp_path / "here.csv")._pass.finish()
    assert make(decimal=",", encoding="latin-1").partial_fit(tmp_path / "elsewhere.csv")._pass.finish() == here
    with pytest.raises(EigenveilError, match="encoding must be"):
        make(encoding="ebcdic").partial_fit(tmp_path / "here.csv")


def test_nothing_is_spent_behind_a_ledgers_back(survey, monkeypatch):
    monkeypatch.setenv("EIGENVEIL_LEDGER", "somewhere.ledger")
    with pytest.raises(EigenveilError, match="ledger"):
        private_bounds(survey[1], mu=1, **ONLY)


@pytest.mark.parametrize("stage", [{"person": "clinic", "rows_per_person": 2, "neighbours": "replace-one"}, {"weights": "weight", "weight_bound": 4}, {"missing": "pairwise"}])
def test_sums_that_a_file_cannot_describe_are_not_saved(survey, tmp_path, stage):
    """A release of such a file promised for one row what holds for nobody: it knew neither people nor weights."""
    frame = survey[1][NAMES].drop(columns=[] if stage.get("person") else ["clinic"])
    estimator = PrivateCovariance(mu=1, bounds=(0, 10), **stage).partial_fit(frame)
    with pytest.raises(EigenveilError, match="weighted or counted"):
        estimator.save_gram(tmp_path / "a.gram")
    assert not (tmp_path / "a.gram").exists()
    assert estimator.release().covariance_.shape[0] >= 4  # the sums are still there


def test_bounds_and_scores_of_people(tmp_path):
    """G times the noise of a row for one person, from frames and files alike, and the first G rows of everybody."""
    draw = np.random.default_rng(4)
    visits = pd.DataFrame({"who": np.repeat(np.arange(200), 5), "a": draw.normal(3, 1, 1000), "b": draw.normal(0, 2, 1000)})
    visits.to_csv(tmp_path / "visits.csv", index=False)
    people = {"person": "who", "rows_per_person": 2}
    PrivatePCA(2, mu=1, bounds=(-9, 9), **people).fit(visits).write_release(tmp_path / "axes")
    for data in (visits, tmp_path / "visits.csv"):
        found, rows = private_bounds(data, mu=1, **people), private_bounds(data, mu=1, exclude=["who"])
        assert found.parameters["noise_sd_count"] == pytest.approx(2 * rows.parameters["noise_sd_count"])
        assert found.guarantee.person == "who" and list(found.bounds) == ["a", "b"]
        picture = private_scores(data, tmp_path / "axes", mu=1, cells=3, **people)
        assert picture.guarantee.person == "who" and picture.parameters["noise_sd_count"] == pytest.approx(2)
        assert abs(picture.arrays["scores"].sum() - 400) < 6 * 2 * 3  # nine cells; false alarm 2e-9
        with pytest.raises(EigenveilError, match="person"):
            private_scores(data, tmp_path / "axes", mu=1)
    with pytest.raises(EigenveilError, match="go together"):
        private_bounds(visits, mu=1, person="who")

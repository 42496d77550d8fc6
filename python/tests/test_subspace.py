"""PrivateSubspace: exact and near, NULL, streams, files, the same release as the program."""

import json
import pickle
import subprocess

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from eigenveil import ApproxDP, EigenveilError, NullReleaseError, PrivateSubspace, plan_subspace
from rounding import assert_same_up_to_rounding

pytestmark = pytest.mark.filterwarnings("ignore::eigenveil.PrivacyWarning")
PAIR = dict(epsilon=2, delta=1e-3)


@pytest.fixture
def near():
    """4000 rows close to a line in 6 dimensions, of any length."""
    rng = np.random.default_rng(4)
    direction = np.array([3.0, -1.0, 2.0, 0.0, 1.0, 1.0]) / 4
    return rng.normal(size=(4000, 1)) * direction + 1e-5 * rng.normal(size=(4000, 6)), direction


def test_a_line_near_the_rows(near):
    rows, _ = near
    found = PrivateSubspace(1, gamma=1e-4, seed=5, **PAIR).fit(rows)  # the draw of test_same_release_as_the_program; the error is tested in C++
    assert not found.is_null_
    assert found.guarantee_.relation == "replace-one" and found.guarantee_.loss == ApproxDP(2, 1e-3) and found.n_samples_ == 4000
    np.testing.assert_allclose(found.components_ @ found.components_.T, np.eye(1), atol=1e-9)
    inside = (rows @ found.components_[0]) ** 2
    assert found.score(rows) == pytest.approx(inside.sum() / (rows**2).sum()) and found.transform(rows).shape == (4000, 1)
    assert found.inverse_transform(found.transform(rows)).shape == rows.shape
    assert list(found.get_feature_names_out()) == ["privatesubspace0"]
    assert found.details_["groups"] * found.details_["rows_per_group"] <= 4000


def test_streams_need_the_public_number_of_rows(near):
    rows, _ = near
    settings = dict(gamma=1e-4, seed=5, **PAIR)
    whole = PrivateSubspace(1, **settings).fit(rows)
    parts = PrivateSubspace(1, rows=4000, **settings)
    for block in np.array_split(rows, 5):
        parts.partial_fit(block)
        assert not hasattr(parts, "components_")
    assert_same_up_to_rounding(parts.release().components_, whole.components_)
    with pytest.raises(EigenveilError, match="give rows=N"):
        PrivateSubspace(1, **settings).partial_fit(rows)
    with pytest.raises(EigenveilError, match="not 4001 as rows says"):
        PrivateSubspace(1, rows=4001, **settings).fit(rows)


def test_null_is_an_answer():
    scattered = np.random.default_rng(0).normal(size=(4000, 6))
    found = PrivateSubspace(1, gamma=1e-4, **PAIR).fit(scattered)
    assert found.is_null_ and not hasattr(found, "components_") and found.guarantee_.basis != "not-private"
    with pytest.raises(NullReleaseError, match="NULL"):
        found.transform(scattered)
    assert isinstance(pickle.loads(pickle.dumps(found)), PrivateSubspace)


def test_exact_points(tmp_path):
    rng = np.random.default_rng(1)
    plane = np.array([[1, 2, 0, 1], [0, 1, 1, 3]])
    rows = rng.integers(-9, 10, size=(400, 2)) @ plane
    found = PrivateSubspace(2, exact=True, **PAIR).fit(rows)
    assert found.echelon_ == [["1", "0", "-2", "-5"], ["0", "1", "1", "3"]] and found.guarantee_.basis == "proved"
    np.testing.assert_allclose(found.inverse_transform(found.transform(rows)), rows, atol=1e-9)
    both = PrivateSubspace(2, exact=True, **PAIR).partial_fit(rows[:150]).partial_fit(rows[150:]).release()
    assert both.echelon_ == found.echelon_ and both.n_samples_ == 400
    np.savetxt(tmp_path / "halves.csv", rows, fmt="%d/2", delimiter=",", header="a,b,c,d", comments="")
    of_file = PrivateSubspace(2, exact=True, **PAIR).fit(tmp_path / "halves.csv")
    assert of_file.echelon_ == found.echelon_ and list(of_file.feature_names_in_) == list("abcd")
    with pytest.raises(EigenveilError, match="row 3, column 2 is no whole number"):
        broken = rows.astype(float)
        broken[2, 1] += 0.5
        PrivateSubspace(2, exact=True, **PAIR).fit(broken)


def test_affine_points():
    rng = np.random.default_rng(2)
    rows = rng.integers(-9, 10, size=(400, 1)) * np.array([[1, 2, -1]]) + np.array([0, 1, 5])
    found = PrivateSubspace(1, exact=True, affine=True, **PAIR).fit(rows)
    np.testing.assert_allclose(np.abs(found.components_ @ np.array([1, 2, -1])) / np.sqrt(6), 1)
    assert found.center_ @ found.components_[0] == pytest.approx(0, abs=1e-9)  # nearest to the origin
    np.testing.assert_allclose(found.inverse_transform(found.transform(rows)), rows, atol=1e-9)


def test_boosting(near):
    rows, _ = near
    found = PrivateSubspace(1, gamma=1e-5, failure_probability=0.2, epsilon=4, delta=1e-2, seed=5).fit(np.tile(rows, (3, 1)))
    assert found.details_["parts"] >= 3


@pytest.mark.parametrize(
    "wrong, message",
    [
        (dict(epsilon=None, delta=None), "privacy budget is missing"),
        (dict(delta=None), "epsilon with delta"),
        (dict(neighbours="add-remove"), "replacing one row by any other"),
        (dict(n_components=7), "1 <= n_components <= 6"),
        (dict(aggregate="votes"), "aggregate gapmax and votes need exact"),
        (dict(affine=True), "affine belongs to method exact"),
        (dict(exact=True, gamma=0.1), "gamma belongs to method near"),
        (dict(calibration="none"), "calibration must be"),
    ],
)
def test_refusals_say_what_to_give(near, wrong, message):
    with pytest.raises(EigenveilError, match=message):
        PrivateSubspace(**{**PAIR, **wrong}).fit(near[0])


def test_refusal_by_public_size(near, tmp_path):
    with pytest.raises(EigenveilError):
        PrivateSubspace(1, gamma=1e-4, epsilon=0.1, delta=1e-9).fit(near[0][:50])
    with pytest.raises(EigenveilError, match="holds sums"):
        PrivateSubspace(1, **PAIR).fit(str(tmp_path / "rows.gram"))


def test_same_release_as_the_program(near, program, tmp_path):
    rows, _ = near
    np.save(tmp_path / "rows.npy", rows)
    command = [program, "subspace", "rows.npy", "--gamma", "1e-4", "--epsilon", "2", "--delta", "1e-3", "--seed", "5", "--out", "out"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    (path,) = (tmp_path / "out").glob("subspace*.csv")
    frame = np.loadtxt(path, delimiter=",", skiprows=1, usecols=[1])
    for data in (rows, str(tmp_path / "rows.npy")):
        np.testing.assert_allclose(PrivateSubspace(1, gamma=1e-4, seed=5, **PAIR).fit(data).components_[0], frame, rtol=1e-9)


def test_plans_say_what_the_program_says(program):
    size = ["--rows", "4000", "--dimension", "6", "--epsilon", "2", "--delta", "1e-3", "--json"]
    facts = json.loads(subprocess.run([program, "plan", "subspace", "--gamma", "1e-4", *size], capture_output=True, check=True).stdout)
    plan = plan_subspace(4000, 6, gamma=1e-4, **PAIR)
    for name in ("groups", "rows_per_group", "reference_points", "agreement", "largest_gamma", "predicted_angle", "radii"):
        assert getattr(plan, name) == pytest.approx(facts[name]), name
    facts = json.loads(subprocess.run([program, "plan", "subspace", "--exact", "-k", "2", *size], capture_output=True, check=True).stdout)
    plan = plan_subspace(4000, 6, n_components=2, exact=True, **PAIR)
    for name in ("noise_bound", "exceptions", "sufficient_rows", "lower_bound_rows", "field_bits"):
        assert getattr(plan, name) == pytest.approx(facts[name]), name
    assert "no data was read" in str(plan)


def test_clone_and_pipeline(near):
    rows, _ = near
    settings = PrivateSubspace(1, gamma=1e-4, seed=5, **PAIR)
    assert clone(settings).get_params() == settings.get_params()
    assert make_pipeline(FunctionTransformer(), settings).fit(rows).transform(rows).shape == (4000, 1)

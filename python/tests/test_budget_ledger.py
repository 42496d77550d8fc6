"""Releases that are charged to a ledger: the order of events, refusals, retries, pickling, and the program beside Python on one file."""

import copy
import json
import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import eigenveil
from eigenveil import EigenveilError, Ledger, PrivateCovariance, PrivateLowRank, PrivatePCA, plan_pca

pytestmark = pytest.mark.filterwarnings("ignore::eigenveil.ResultWarning")
ROWS = np.arange(600.0).reshape(200, 3) % 7


def create(folder, name="a.ledger", **promise):
    return Ledger.create(folder / name, name="Survey", **(promise or {"epsilon": 3, "delta": 1e-6}))


def pca(ledger, **parameters):
    return PrivatePCA(**{"n_components": 1, "mu": 0.1, "bounds": (0, 10), "ledger": ledger, **parameters})


@pytest.fixture
def ledger(tmp_path):
    return create(tmp_path)


def test_every_estimator_is_charged_and_says_where(ledger, tmp_path):
    fits = [
        pca(ledger).fit(ROWS),
        PrivateCovariance(epsilon=1, delta=1e-6, bounds=(0, 10), ledger=ledger.path).fit(ROWS),
        PrivateLowRank(1, epsilon=0.2, bounds=(0, 10), ledger=ledger).fit(ROWS),
    ]
    entries = ledger.entries
    assert [entry["task"] for entry in entries] == ["pca", "covariance", "lowrank"]
    outs = []
    for number, (fitted, entry) in enumerate(zip(fits, entries)):
        outs.append(tmp_path / str(number))
        fitted.write_release(outs[-1])
        said = json.loads((outs[-1] / "release.json").read_text())
        assert said["ledger"] == {"id": ledger.summary()["ledger"], "index": entry["index"], "reservation": entry["hash"]}
        assert said["guarantee"]["basis"] == entry["basis"]
        assert entry["release"]
    assert ledger.verify(*outs) is None
    assert ledger.left["mu"] < ledger.caps["mu"]


def test_other_forms_name_the_one_that_was_settled(ledger, tmp_path):
    fitted = pca(ledger).fit(ROWS)
    fitted.write_release(tmp_path / "npy", format="npy")
    fitted.write_release(tmp_path / "dated", date="June", data_set="part")
    fitted.write_release(tmp_path / "same")
    settled = ledger.entries[0]["release"]
    for out, other in (("npy", True), ("dated", True), ("same", False)):
        assert (settled in json.loads((tmp_path / out / "release.json").read_text()).get("builds_on", [])) is other
    assert ledger.verify(tmp_path / "npy", tmp_path / "dated", tmp_path / "same") is None
    forged = json.loads((tmp_path / "npy" / "release.json").read_text())
    assert forged["builds_on"] == [settled]


def test_refusals_say_what_is_left_and_nothing_is_read(ledger, tmp_path):
    small = create(tmp_path, "small.ledger", mu=0.3)
    pca(small, mu=0.25).fit(ROWS)
    path = tmp_path / "table.csv"
    path.write_text("a,b\n1,poison\n")
    with pytest.raises(EigenveilError, match=r"mu 0\.1658 of 0\.3 in the gaussian account; the largest that would fit is mu=0\.1658"):
        pca(small, mu=0.25, header="present").fit(path)
    with pytest.raises(EigenveilError, match="header='present'"):
        pca(small, mu=0.01).fit(path)
    with pytest.raises(EigenveilError, match="not read off a row before the budget is reserved"):
        pca(small, mu=0.01, header="absent").fit(path)
    with pytest.raises(EigenveilError, match="seed"):
        pca(small, mu=0.01, seed=1).fit(ROWS)
    with pytest.raises(EigenveilError, match="says nothing about the number of rows"):
        pca(small, mu=0.01, neighbours="replace-one", anyway=True).fit(ROWS)
    with pytest.raises(EigenveilError, match="no ledger"):
        pca(tmp_path / "none.ledger").fit(ROWS)
    with pytest.raises(EigenveilError, match="ledger is a Ledger"):
        pca(3).fit(ROWS)
    assert len(small.entries) == 1


def test_nothing_comes_back(ledger, tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text("a,b\n1,2\n3,x\n")
    with pytest.raises(EigenveilError, match=r"line 3.*[^.]; entry 1 is spent all the same"):
        pca(ledger, header="present").fit(path)
    (entry,) = ledger.entries
    assert entry["release"] is None and "bad" not in json.dumps(entry)


def test_rows_are_remembered_under_the_name_of_their_data_set(ledger, tmp_path):
    same = ledger.once(same_data="yes")
    plain = pca(ledger.once(), seed=None).partial_fit(ROWS)._pass.finish()
    assert pca(same).partial_fit(ROWS)._pass.finish() == plain  # gathered before the draw, the same sums
    assert not os.path.exists(ledger.path + ".data")
    pca(same).fit(ROWS[:100])
    before = open(ledger.path + ".data", "rb").read()
    PrivateCovariance(mu=0.1, bounds=(0, 10), ledger=same).partial_fit(ROWS[:50]).partial_fit(ROWS[50:100]).release()
    assert open(ledger.path + ".data", "rb").read() == before  # the same rows, in two blocks
    pca(same).fit(ROWS)
    assert open(ledger.path + ".data", "rb").read() != before
    for wrong, reason in (({"same_data": "no"}, "a ledger of its own"), ({"same_data": "ask"}, "needs a terminal")):
        with pytest.raises(EigenveilError, match=reason):
            pca(ledger.once(**wrong)).fit(ROWS)
    assert len(ledger.entries) == 5


def test_a_stream_that_would_be_counted_is_refused_before_it_is_charged(tmp_path):
    ledger = create(tmp_path, caps={"epsilon": 9, "delta": 1e-3}, neighbours="replace-one")
    with pytest.raises(EigenveilError, match="a stream can be read once"):
        pca(ledger, mu=None, epsilon=2, delta=1e-5, neighbours="replace-one", within_subspace=1, method_options={"gamma": 1e-2}).fit(iter([ROWS]))
    assert ledger.entries == []


def test_a_step_that_learned_is_refused_before_it_is_charged(ledger):
    with pytest.raises(EigenveilError, match="StandardScaler learns from the private rows"):
        make_pipeline(StandardScaler(), pca(ledger)).fit(ROWS)
    assert ledger.entries == []


def test_partial_fit_is_charged_once_before_the_first_row(ledger):
    estimator = pca(ledger).partial_fit(ROWS[:100])
    assert len(ledger.entries) == 1 and ledger.entries[0]["release"] is None
    estimator.partial_fit(ROWS[100:]).release()
    assert len(ledger.entries) == 1 and ledger.entries[0]["release"]


def test_totals_are_charged_before_they_are_read(ledger, tmp_path):
    path = tmp_path / "sums.gram"
    PrivateCovariance(mu=0.1, bounds=(0, 10)).partial_fit(ROWS).save_gram(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-40] + bytes(40))  # damage in the totals alone: found after the charge
    with pytest.raises(EigenveilError, match="checksum"):
        PrivateCovariance(mu=0.1, ledger=ledger).fit(path)
    assert len(ledger.entries) == 1
    path.write_bytes(whole)
    assert PrivateCovariance(mu=0.1, ledger=ledger).fit(path).covariance_.shape == (3, 3)
    tight = create(tmp_path, "tight.ledger", mu=0.01)
    path.write_bytes(whole[:-40] + bytes(40))
    with pytest.raises(EigenveilError, match="not enough left"):
        PrivateCovariance(mu=0.1, ledger=tight).fit(path)


def test_methods_that_count_rows_state_their_cost_first(tmp_path):
    ledger = create(tmp_path, caps={"epsilon": 9, "delta": 1e-3}, neighbours="replace-one")
    rows = np.outer(np.linspace(-1, 1, 20_000), [1.0, 2.0, 0.0, 1.0]) + 1e-4 * np.random.default_rng(0).normal(size=(20_000, 4))
    fitted = pca(ledger, mu=None, epsilon=2, delta=1e-5, bounds=(-3, 3), neighbours="replace-one", within_subspace=1,
                 method_options={"gamma": 1e-2}).fit(rows)  # fmt: skip
    (entry,) = ledger.entries
    fitted.write_release(tmp_path / "out")
    said = json.loads((tmp_path / "out" / "release.json").read_text())["guarantee"]
    assert entry["assumptions"] == said["assumptions"] and any("LAPACK" in each or "library" in each for each in said["assumptions"])


def test_masked_data_is_charged_and_its_pseudo_data_names_what_was_settled(tmp_path):
    ledger = create(tmp_path, mu=1, neighbours="zero-row")
    place = ledger.once("mask", out=tmp_path / "factors")
    masked = eigenveil.MaskedData(mu=0.1, bounds=(0, 10), ledger=place).fit(ROWS, blocks=[ROWS + 1])
    again = eigenveil.MaskedData(mu=0.1, bounds=(0, 10), ledger=place).fit(ROWS, blocks=[ROWS + 1])
    for one, other in zip(masked.factors_, again.factors_):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    masked.write_release(tmp_path / "pseudo")
    (entry,) = ledger.entries
    said = json.loads((tmp_path / "pseudo" / "release.json").read_text())
    assert said["ledger"]["reservation"] == entry["hash"] and entry["release"] in said["builds_on"]
    assert ledger.verify(tmp_path / "pseudo", tmp_path / "factors") is None


def test_subspaces_are_charged_before_a_row_is_read(tmp_path):
    ledger = create(tmp_path, caps={"epsilon": 9, "delta": 1e-4}, neighbours="replace-one")
    exact = dict(epsilon=1, delta=1e-6, exact=True, ledger=ledger)
    points = np.outer(np.arange(300) % 9 + 1, [1, 2, 0])
    found = eigenveil.PrivateSubspace(1, **exact).fit(points)
    (tmp_path / "points.csv").write_text("a,b\n" + "1/2,1\n1,2\n" * 300)
    from_file = eigenveil.PrivateSubspace(1, header="present", **exact).fit(tmp_path / "points.csv")
    assert from_file.echelon_ == [["1", "2"]]
    with pytest.raises(EigenveilError, match="header='present'"):
        eigenveil.PrivateSubspace(1, **exact).fit(tmp_path / "points.csv")
    near = eigenveil.PrivateSubspace(1, epsilon=1, delta=1e-6, gamma=1e-3, ledger=ledger).fit(np.outer(np.linspace(1, 2, 5000), [1.0, 2.0, 0.5]))
    entries = ledger.entries
    for number, (fitted, entry) in enumerate(zip((found, from_file, near), entries, strict=True)):
        fitted.write_release(tmp_path / str(number))
        said = json.loads((tmp_path / str(number) / "release.json").read_text())["guarantee"]
        assert (entry["basis"], entry["assumptions"]) == (said["basis"], said["assumptions"])
        assert ledger.verify(tmp_path / str(number)) is None
    (tmp_path / "bad.csv").write_text("a,b\n1,x\n")
    tight = create(tmp_path, "tight.ledger", caps={"epsilon": 0.1, "delta": 1e-7}, neighbours="replace-one")
    with pytest.raises(EigenveilError, match="not enough left"):
        eigenveil.PrivateSubspace(1, header="present", **{**exact, "ledger": tight}).fit(tmp_path / "bad.csv")


def test_bounds_and_scores_are_charged(tmp_path):
    ledger = create(tmp_path, mu=1.8)
    found = eigenveil.private_bounds(ROWS, mu=1, outer=(0, 8), ledger=ledger)
    found.write_release(tmp_path / "found")
    place = ledger.once("axes", out=tmp_path / "axes")  # bounds that a release found are written down by themselves
    PrivatePCA(2, mu=1, bounds=found.bounds, ledger=place).fit(ROWS)
    picture = eigenveil.private_scores(ROWS, tmp_path / "axes", mu=1, cells=4, ledger=ledger.once("picture", out=tmp_path / "picture"))
    again = eigenveil.private_scores(ROWS, tmp_path / "axes", mu=1, cells=4, ledger=ledger.once("picture", out=tmp_path / "picture"))
    np.testing.assert_array_equal(picture.arrays["scores"], again.arrays["scores"])
    assert [entry["task"] for entry in ledger.entries] == ["bounds", "pca", "scores"]
    axes = json.loads((tmp_path / "axes" / "release.json").read_text())
    assert axes["builds_on"] == [json.loads((tmp_path / "found" / "release.json").read_text())["checksum"]] == ledger.entries[1]["builds_on"]
    assert json.loads((tmp_path / "picture" / "release.json").read_text())["builds_on"] == [axes["checksum"]] == ledger.entries[2]["builds_on"]
    assert ledger.verify(tmp_path / "found", tmp_path / "axes", tmp_path / "picture") is None
    with pytest.raises(EigenveilError, match="not enough left"):
        eigenveil.private_bounds(ROWS, mu=1, ledger=ledger)


def test_persons(tmp_path):
    person, rows = create(tmp_path, "person.ledger", mu=1, person="who"), create(tmp_path, "rows.ledger", mu=1)
    (tmp_path / "visits.csv").write_text("who,a,b\n" + "".join(f"p{i % 20},{i % 7},{i % 5}\n" for i in range(60)))
    visits = dict(header="present", person="who", rows_per_person=3)
    fitted = pca(person, **visits).fit(tmp_path / "visits.csv")
    assert len(person.entries) == 1 and "person" in str(fitted.guarantee_)
    with pytest.raises(EigenveilError, match="make a ledger for persons"):
        pca(rows, **visits).fit(tmp_path / "visits.csv")
    with pytest.raises(EigenveilError, match="limit the rows of one person"):
        pca(person).fit(ROWS)
    assert len(person.entries) == 1 and rows.entries == []


def test_the_shell_names_a_ledger(ledger, monkeypatch):
    monkeypatch.setenv("EIGENVEIL_LEDGER", ledger.path)
    pca(None).fit(ROWS)
    assert len(ledger.entries) == 1
    with pytest.raises(EigenveilError, match="says nothing about the number of rows"):
        eigenveil.PrivateSubspace(1, epsilon=1, delta=1e-6, exact=True).fit(np.ones((50, 2)))


def test_the_same_key_gives_the_same_bits_free_of_charge(ledger, tmp_path):
    place = ledger.once("june", out=tmp_path / "june", date="June 2026")
    first = pca(place).fit(ROWS)
    before = (tmp_path / "june" / "release.json").read_bytes()
    again = pca(place).fit(ROWS)
    np.testing.assert_array_equal(first.components_, again.components_)
    assert (tmp_path / "june" / "release.json").read_bytes() == before and json.loads(before)["date"] == "June 2026"
    assert len(ledger.entries) == 1 and ledger.verify(tmp_path / "june") is None
    with pytest.raises(EigenveilError, match="key june stands for another request"):
        pca(place, mu=0.05).fit(ROWS)
    os.rename(tmp_path / "june", tmp_path / ".june.writing-12345")  # as if killed before it appeared
    np.testing.assert_array_equal(first.components_, pca(place).fit(ROWS).components_)
    assert (tmp_path / "june" / "release.json").read_bytes() == before
    with pytest.raises(EigenveilError, match="give out, a directory"):
        ledger.once("july")
    with pytest.raises(EigenveilError, match="give out the folder it went to"):
        pca(ledger.once("june", out=tmp_path / "elsewhere", date="June 2026")).fit(ROWS)
    assert len(ledger.entries) == 1


def test_verify_raises(ledger, tmp_path):
    pca(None).fit(ROWS).write_release(tmp_path / "free")
    with pytest.raises(EigenveilError, match="made without a ledger"):
        ledger.verify(tmp_path / "free")


def test_scores_stand_on_a_written_release(ledger, tmp_path):
    with pytest.raises(EigenveilError, match="write one first"):
        eigenveil.private_scores(ROWS, pca(None).fit(ROWS), mu=1, ledger=ledger)
    assert ledger.entries == []


def test_plans_say_why_a_release_counts_twice(tmp_path):
    ledger = create(tmp_path, mu=1, neighbours="replace-one")
    said = ledger.plan([{"mu": 0.2}])
    assert "mu 0.4 for 2 steps" in said and "counted for 2 steps, because" in said
    plan = eigenveil.plan_pca(1000, 3, mu=0.2, bounds=(0, 10), ledger=ledger)
    assert "counted for 2 steps, because" in str(plan)
    pca(ledger, mu=0.2).fit(ROWS)
    assert ledger.entries[0]["mu"] == 0.4 and ledger.entries[0]["steps"] == 2


def test_a_retry_after_a_crash_publishes_the_same_bits(ledger, tmp_path):
    """Killed between settling and the rename; the next process finds what was settled."""
    script = (
        "import os, sys, numpy as np, eigenveil\n"
        "ledger = eigenveil.Ledger(sys.argv[1])\n"
        "rows = np.arange(600.0).reshape(200, 3) % 7\n"
        "pca = eigenveil.PrivatePCA(1, mu=0.1, bounds=(0, 10), ledger=ledger.once('crash', out=sys.argv[2]))\n"
        "print(pca.fit(rows).components_.tobytes().hex())\n"
    )
    command = [sys.executable, "-c", script, ledger.path, str(tmp_path / "out")]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    os.rename(tmp_path / "out", tmp_path / ".out.writing-77")
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == said
    assert len(ledger.entries) == 1 and ledger.verify(tmp_path / "out") is None


def test_builds_on(ledger, tmp_path):
    pca(None).fit(ROWS).write_release(tmp_path / "first")
    checksum = json.loads((tmp_path / "first" / "release.json").read_text())["checksum"]
    fitted = pca(ledger.once(builds_on=[tmp_path / "first"])).fit(ROWS)
    fitted.write_release(tmp_path / "second")
    assert json.loads((tmp_path / "second" / "release.json").read_text())["builds_on"] == [checksum]
    assert ledger.entries[0]["builds_on"] == [checksum]


def test_pickles_and_clones(ledger, tmp_path):
    fitted = pca(ledger.once("k", out=tmp_path / "out", data_set="part", date="June")).fit(ROWS)
    back = pickle.loads(pickle.dumps(fitted))
    assert back.ledger == fitted.ledger and clone(back).ledger == fitted.ledger and copy.deepcopy(ledger) == ledger
    back.write_release(tmp_path / "again")
    assert (tmp_path / "again" / "release.json").read_bytes() == (tmp_path / "out" / "release.json").read_bytes()
    assert pickle.loads(pickle.dumps(ledger)) == ledger


def test_what_it_shows(ledger, capsys):
    pca(ledger).fit(ROWS)
    ledger.show()
    assert "promise" in capsys.readouterr().out and str(ledger).startswith("Ledger of Survey")
    assert "<svg" in ledger._repr_html_() and repr(ledger) == f"Ledger({ledger.path!r})"
    assert "fit" in ledger.plan([{"mu": 0.1, "count": 2}])
    assert "Survey" in ledger.registry()
    plan = plan_pca(1000, 3, n_components=1, mu=0.1, bounds=(0, 10), ledger=ledger)
    assert "takes mu 0.1 of the gaussian account; then left: mu" in str(plan)
    assert "not enough left" in str(plan_pca(1000, 3, n_components=1, mu=10, bounds=(0, 10), ledger=ledger))
    assert len(ledger.entries) == 1


def test_creating(tmp_path):
    with pytest.raises(EigenveilError, match="exists"):
        create(tmp_path, mu=1), create(tmp_path, mu=1)
    for wrong in ({"mu": 1, "caps": {"mu": 1}}, {"mu": 1, "basic_share": 0.5}, {"caps": {"nu": 1}}, {"caps": {"mu": -1}}, {"mu": 1, "group_size": 0}):
        with pytest.raises(EigenveilError):
            Ledger.create(tmp_path / "b.ledger", name="x", **wrong)
        assert not (tmp_path / "b.ledger").exists() and not (tmp_path / "b.ledger.key").exists()
    with pytest.raises(EigenveilError, match="not a ledger"):
        (tmp_path / "text").write_text("x" * 5000)
        Ledger(tmp_path / "text")


def test_the_program_and_python_share_one_ledger(tmp_path, program):
    """Both at once, more than fits: never overspent, and every release stands in the ledger."""
    ledger = create(tmp_path, mu=0.1 * 10.5**0.5)
    np.savetxt(tmp_path / "table.csv", ROWS, delimiter=",", header="a,b,c", comments="")
    outs, refused = [], []

    def by_program(number):
        out = tmp_path / f"program-{number}"
        done = subprocess.run([program, "pca", "table.csv", "-k", "1", "--mu", "0.1", "--range", "0:10", "--header", "present", "--quiet", "--ledger",
                               ledger.path, "--out", str(out)], cwd=tmp_path, capture_output=True, text=True)  # fmt: skip
        (outs if done.returncode == 0 else refused).append(out)
        assert done.returncode == 0 or "not enough left" in done.stderr

    def by_python(number):
        out = tmp_path / f"python-{number}"
        try:
            pca(ledger.once(out=out)).fit(ROWS)
            outs.append(out)
        except EigenveilError as refusal:
            assert "not enough left" in str(refusal)
            refused.append(out)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8) for work in (by_program, by_python)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(outs) == 10 and len(refused) == 6 and len(ledger.entries) == 10
    assert ledger.verify(*outs) is None and not any(out.exists() for out in refused)
    assert ledger.spent["mu_squared"] <= ledger.caps["mu"] ** 2

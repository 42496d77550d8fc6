"""Parts of a table that carry their name, and what merging them refuses."""

import pickle

import numpy as np
import pytest

import eigenveil
from eigenveil import Gram, merge, partial, shard_bound

NAMES = ["a", "b", "c"]


@pytest.fixture
def rows():
    return np.random.default_rng(1).uniform(-1, 1, size=(300, 3))


@pytest.fixture
def bound():
    return shard_bound(NAMES, bounds=(-1, 1))


def test_parts_in_any_order_are_one_pass(rows, bound, tmp_path):
    whole = merge([partial([rows], bound)])
    parts = [partial([rows[i::4]], bound, shard=("run", i, 4)) for i in range(4)]
    total = merge(parts[::-1])
    assert total == whole and total.shards == [("run", 4, [0, 1, 2, 3])]
    assert merge([merge(parts[:2], incomplete=True), merge(parts[2:], incomplete=True)]).to_bytes() == total.to_bytes()
    total.save(tmp_path / "t.gram")
    assert Gram.load(tmp_path / "t.gram") == whole
    assert pickle.loads(pickle.dumps(bound)) == bound


def test_refusals_say_which(rows, bound):
    parts = [partial([rows[i::4]], bound, shard=("run", i, 4)) for i in range(4)]
    with pytest.raises(eigenveil.EigenveilError, match="shard 2 of 4 of run \"run\" is missing"):
        merge(parts[:2] + parts[3:])
    with pytest.raises(eigenveil.EigenveilError, match="same shard, shard 1 of 4"):
        merge([*parts, parts[1]])
    with pytest.raises(eigenveil.EigenveilError, match="does not belong"):
        merge([*parts[:3], partial([rows[3::4]], bound, shard=("other", 3, 4))])
    with pytest.raises(eigenveil.EigenveilError, match="index"):
        partial([rows], bound, shard=("run", 4, 4))


def test_a_block_of_words_is_refused_without_a_word_of_it(bound):
    for cells in (np.array([["SECRET", "1", "2"]]), np.array([["SECRET", 1.0, 2.0]], dtype=object), np.ones((1, 3)) + 1j, np.array([["2020-01-01"] * 3], dtype="M8[D]")):
        with pytest.raises((ValueError, TypeError)) as refused:
            partial([cells], bound)
        assert "SECRET" not in str(refused.value) and refused.value.__context__ is None


def test_names_are_taken_as_they_are_or_refused(rows, bound):
    for shard in (("run", 0.9, 1.9), ("run", 0, 2**24 + 1), ("run", True, 2), ("", 0, 1), ("run", 0), "run", (1, 0, 2), ("r\n", 0, 1), ("r\0", 0, 1), ("r" * 1001, 0, 1)):
        with pytest.raises(eigenveil.EigenveilError):
            partial([rows], bound, shard=shard)
    with pytest.raises(eigenveil.EigenveilError, match="bytes, or Grams"):
        merge(["x"])


def test_equal_totals_are_a_question_unless_names_answer_it(bound):
    ones = np.ones((2, 3))
    with pytest.raises(eigenveil.EigenveilError, match="equal_totals"):
        merge([partial([ones], bound), partial([ones], bound)])
    named = merge([partial([ones], bound, shard=("run", i, 2)) for i in range(2)])
    assert named == merge([partial([ones], bound)] * 2, equal_totals=True) == merge([partial([ones, ones], bound)])


def test_estimators_release_a_gram(rows, bound):
    gram = merge([partial([rows[i::4]], bound, shard=("run", i, 4)) for i in range(4)])
    with pytest.warns(eigenveil.PrivacyWarning):
        of_gram = eigenveil.PrivateCovariance(epsilon=1, delta=1e-6, seed=2).fit(gram)
        of_rows = eigenveil.PrivateCovariance(epsilon=1, delta=1e-6, seed=2, bounds=(-1, 1), columns=None).fit(rows)
    np.testing.assert_array_equal(of_gram.covariance_, of_rows.covariance_)
    assert "private data" in repr(gram) and repr(rows[0, 0]) not in repr(gram)


def test_a_part_of_a_run_is_not_released(rows, bound, tmp_path):
    parts = [partial([rows[i::3]], bound, shard=("run", i, 3)) for i in range(3)]
    two = merge(parts[:2], incomplete=True)
    two.save(tmp_path / "two.gram")
    for table in (Gram.from_bytes(parts[0]), two, tmp_path / "two.gram"):
        with pytest.raises(eigenveil.EigenveilError, match="not complete.*missing"):
            eigenveil.PrivateCovariance(epsilon=1, delta=1e-6, seed=2).fit(table)


def test_a_bound_is_needed_and_public(bound):
    for wrong in ({}, {"bounds": (1, -1)}, {"bounds": {"a": (0, 1)}}, {"row_norm": 1, "missing": "guess"}):
        with pytest.raises(eigenveil.EigenveilError):
            shard_bound(NAMES, **wrong)
    with pytest.raises(eigenveil.EigenveilError):
        partial([np.ones((2, 4))], bound)


KEY = b"0123456789abcdef0123456789abcdef"


@pytest.fixture
def visits(rows):
    """Rows of people, some with many, and nobody's."""
    people = np.random.default_rng(2).integers(0, 25, size=len(rows)).astype(object)
    people[::40] = None
    return people.tolist()


def test_people_are_in_one_part(rows, visits, tmp_path):
    bound = shard_bound(NAMES, bounds=(-1, 1), person="who", rows_per_person=3)
    batches = [(rows[:100], visits[:100]), (rows[100:], visits[100:])]
    parts = [partial(batches, bound, shard=("run", i, 3), person_key=KEY) for i in range(3)]
    total = merge(parts)
    taken, kept = {}, []
    for row, who in zip(rows, visits):
        taken[who] = taken.get(who, 0) + 1
        if who is not None and taken[who] <= 3:
            kept.append(row)
    alone = merge([partial(batches, bound)])
    assert total == alone and total.people == ("who", 3)
    assert total != merge([partial([np.array(kept)], shard_bound(NAMES, bounds=(-1, 1)))]), "sums that say whose they are"
    with pytest.warns(eigenveil.PrivacyWarning):
        models = [
            eigenveil.PrivateCovariance(mu=1, seed=3, **more).fit(data)
            for data, more in ((total, {}), (merge([partial([np.array(kept)], shard_bound(NAMES, bounds=(-1, 1)))]), {"group_size": 3}))
        ]
    np.testing.assert_array_equal(models[0].covariance_, models[1].covariance_)
    assert "person" in str(models[0].guarantee_) and "all rows of the same who" in str(models[0].guarantee_)
    with pytest.raises(eigenveil.EigenveilError, match="place for"):
        eigenveil.PrivateCovariance(mu=1, neighbours="replace-one").fit(total)
    total.save(tmp_path / "t.gram")
    assert Gram.load(tmp_path / "t.gram") == total and Gram.load(tmp_path / "t.gram").people == ("who", 3)
    for other in ([*parts[:2], partial(batches, bound, shard=("run", 2, 3), person_key=KEY[::-1])], [total, alone], [alone, merge([partial([], bound)])]):
        with pytest.raises(eigenveil.EigenveilError, match="in both"):
            merge(other)


def test_what_is_said_of_people_fits_together(rows, visits):
    bound = shard_bound(NAMES, bounds=(-1, 1), person="who", rows_per_person=3)
    for work, said in (
        (lambda: partial([(rows, visits)], bound, shard=("run", 0, 2)), "share a person_key"),
        (lambda: partial([(rows, visits)], bound, person_key=KEY), "goes with"),
        (lambda: partial([(rows, visits)], bound, shard=("run", 0, 2), person_key=b"short"), "32 secret"),
        (lambda: partial([rows], bound), "pair"),
        (lambda: partial([(rows, visits[:-1])], bound), "of every row"),
        (lambda: shard_bound(NAMES, bounds=(-1, 1), person="a", rows_per_person=3), "not among"),
        (lambda: shard_bound(NAMES, bounds=(-1, 1), person="who"), "go together"),
    ):
        with pytest.raises(eigenveil.EigenveilError, match=said):
            work()


def test_sums_of_people_may_be_saved(rows, visits, tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows, columns=NAMES).assign(who=visits)
    settings = {"mu": 1, "bounds": (-1, 1), "person": "who", "rows_per_person": 3}
    eigenveil.PrivateCovariance(**settings).partial_fit(frame).save_gram(tmp_path / "people.gram")
    assert Gram.load(tmp_path / "people.gram").people == ("who", 3)
    with pytest.warns(eigenveil.PrivacyWarning):
        np.testing.assert_array_equal(
            eigenveil.PrivateCovariance(mu=1, seed=5).fit(tmp_path / "people.gram").covariance_,
            eigenveil.PrivateCovariance(**settings, seed=5).fit(frame).covariance_,
        )
    with pytest.raises(eigenveil.EigenveilError, match="does not say"):
        eigenveil.PrivateCovariance(**settings, neighbours="replace-one").partial_fit(frame).save_gram(tmp_path / "x.gram")

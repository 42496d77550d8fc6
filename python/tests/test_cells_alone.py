"""Cells that are words or name people are read by their value alone: what a table library makes of a column because of somebody else's cell changes no other row.

Noise of one seed is the same in both runs, so a difference of noisy totals is that of the exact ones.
"""

import numpy as np
import pytest

from eigenveil import EigenveilError, PrivateCovariance, PrivatePCA, private_scores

pd = pytest.importorskip("pandas")
pytestmark = pytest.mark.filterwarnings("ignore::eigenveil.PrivacyWarning")


def _totals(frames, **table):
    model = PrivateCovariance(mu=1, center="none", seed=1, anyway=True, **table)
    for frame in frames:
        model.partial_fit(frame)
    model.release()
    return model.noisy_count_, model.covariance_raw_ * model.noisy_count_


def _change(before, after, **table):
    """Of the count and of the totals, in Frobenius norm."""
    (count, totals), (more, others) = (_totals(frames, **table) for frames in (before, after))
    return more - count, np.linalg.norm(others - totals)


def _kinds(codes, extra):
    """The same cells as different libraries and types have them, and what they are with one more row."""
    with_gap = [*codes, extra]
    yield "pandas", pd.DataFrame({"code": codes}), pd.DataFrame({"code": with_gap})
    yield "object", pd.DataFrame({"code": pd.Series(codes, dtype=object)}), pd.DataFrame({"code": with_gap})
    yield "text", pd.DataFrame({"code": [str(code) for code in codes]}), pd.DataFrame({"code": with_gap})
    yield "Int64", pd.DataFrame({"code": codes}, dtype="Int64"), pd.DataFrame({"code": with_gap})
    yield "int8", pd.DataFrame({"code": codes}, dtype="int8"), pd.DataFrame({"code": with_gap})


@pytest.mark.parametrize("levels", [["1", "2", "*"], [1, 2, "other"], ["1.0", "02", "*"], ["1", "2"]])
def test_a_missing_code_recodes_nobody(levels):
    codes = [1 + i % 2 for i in range(60)]
    kinds = list(_kinds(codes, None))
    if "*" in levels or "other" in levels:  # a list of codes wants numbers
        kinds.append(("a word in the column", kinds[0][1], pd.DataFrame({"code": pd.Series([*map(str, codes), "x"], dtype=object)})))
    for kind, before, after in kinds:
        tables = [frame.assign(x=0.5, y=-0.5) for frame in (before, after)]
        count, moved = _change(*[[table] for table in tables], bounds=(-1, 1), one_hot={"code": levels})
        # One row more: at most its own squared norm, three levels at 0, 1 and two cells of a half (in original units).
        assert abs(count - 1) < 1e-6 and moved <= 3 * 1.0 + 2 * 0.25 + 1e-6, (kind, moved)
    # The twin is the old coding, str() of every cell: everybody's level changes.
    old = [[str(cell) for cell in frame["code"]] for frame in (pd.DataFrame({"code": codes}), pd.DataFrame({"code": [*codes, None]}))]
    assert sum(a != b for a, b in zip(*old)) == len(codes)


def test_a_missing_label_recodes_nobody(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"code": 1 + np.arange(200) % 2, "x": rng.normal(size=200), "y": rng.normal(size=200)})
    more = pd.concat([frame, pd.DataFrame({"code": [None], "x": [0.0], "y": [0.0]})], ignore_index=True).astype({"code": float})
    PrivatePCA(2, mu=5, bounds=(-5, 5), columns=["x", "y"], seed=1, anyway=True).fit(frame).write_release(tmp_path / "axes")
    for label in (("code", ["1", "2"]), {"code": [1, 2]}):
        counts = [private_scores(rows, tmp_path / "axes", label=label, cells=4, mu=1, seed=1).arrays for rows in (frame, more)]
        assert sum(np.abs(counts[1][name] - counts[0][name]).sum() for name in counts[0]) == pytest.approx(1, abs=1e-6)


SAME = {"int": [7], "float": [7.0], "str": ["7"], "7.0": ["7.0"], "007": ["007"], "+7": [" +7 "], "7e0": ["7e0"], "object": [np.int32(7)], "float32": [np.float32(7)]}


def test_a_person_is_one_in_every_type(tmp_path):
    people = dict(row_norm=1, person="who", rows_per_person=1)
    base = pd.DataFrame({"who": np.arange(100, 160), "x": 0.0, "y": 0.0})
    alone, _ = _totals([base, pd.DataFrame({"who": [7], "x": [1.0], "y": [0.0]})], **people)
    for kind, who in SAME.items():
        again = pd.DataFrame({"who": pd.Series(who), "x": [1.0], "y": [0.0]})
        count, _ = _totals([base, pd.DataFrame({"who": [7], "x": [1.0], "y": [0.0]}), again], **people)
        assert abs(count - alone) < 1e-6, kind
    for kind, who in {"another": ["7a"], "7.5": [7.5], "70": ["70"], "2^53 + 1 as text": [str(2**53 + 1)]}.items():
        count, _ = _totals([base, pd.DataFrame({"who": [7], "x": [1.0], "y": [0.0]}), pd.DataFrame({"who": who, "x": [1.0], "y": [0.0]})], **people)
        assert abs(count - alone - 1) < 1e-6, kind
    # Whole numbers from 2^53 on are told apart as they are; floats there are refused, or nobody's.
    large = pd.DataFrame({"who": [2**53, 2**53 + 1, 2**62 + 1], "x": [1.0, 0.0, 1.0], "y": [0.0, 1.0, 0.0]})
    assert abs(_totals([base, large], **people)[0] - _totals([base], **people)[0] - 3) < 1e-6
    with pytest.raises(EigenveilError, match="do not tell people apart"):
        _totals([base, large.astype(float)], **people)
    assert abs(_totals([base, large.astype(float)], bad_cell="midpoint", **people)[0] - _totals([base], bad_cell="midpoint", **people)[0]) < 1e-6


def test_somebody_elses_gap_makes_nobody_new():
    """Of a file in pieces: the second piece has floats because one row names nobody."""
    first = pd.DataFrame({"who": range(100, 161), "x": 1.0, "y": 0.0})
    second = pd.DataFrame({"who": range(100, 160), "x": 0.0, "y": 1.0})
    gap = pd.concat([second, pd.DataFrame({"who": [np.nan], "x": [0.0], "y": [0.0]})])
    stranger = pd.concat([second, pd.DataFrame({"who": [2.5], "x": [0.0], "y": [0.0]})])
    people = dict(row_norm=1, person="who", rows_per_person=1)
    assert _change([first, second], [first, gap], **people) == pytest.approx((0, 0), abs=1e-6)
    count, moved = _change([first, second], [first, stranger], **people)
    assert count == pytest.approx(1, abs=1e-6) and moved <= 1 + 1e-6

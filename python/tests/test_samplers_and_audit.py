"""The samplers arrive in Python with the right law (closed forms, rates in ledger.py) and a wrong law is rejected; audits are those of the program."""

import math
import pickle
import re
import subprocess

import numpy as np
import pytest
from ledger import dkw_rejects, seed_for
from scipy.special import i0e

from eigenveil import EigenveilError, audit, audit_sharp, sample_bingham, sample_orbit

DRAWS = 4000


def circle_cdf(kappa):
    """Law of the first squared coordinate t of a unit vector in the plane with density exp(kappa t): t = cos^2(a)."""
    angles = np.linspace(0, math.pi / 2, 4001)
    density = np.exp(kappa * (np.cos(angles) ** 2 - 1)) / i0e(kappa / 2)
    mass = np.concatenate([[0], np.cumsum((density[1:] + density[:-1]) / 2 * np.diff(angles))])
    return lambda t: 1 - np.interp(math.acos(math.sqrt(min(1.0, max(0.0, t)))), angles, mass / mass[-1])


def test_bingham_on_the_circle():
    name = "python: bingham on the circle"
    frames = sample_bingham([1.0, 3.0], 1.5, draws=DRAWS, seed=seed_for(name))  # given in any order
    assert not dkw_rejects(name, frames[:, 1, 0] ** 2, circle_cdf(3.0))
    assert dkw_rejects(name, frames[:, 1, 0] ** 2, circle_cdf(2.0))  # the broken twin: exponent 1 instead of 1.5


def test_bingham_of_a_matrix_turns_with_it():
    name = "python: bingham of a matrix"
    angle = 0.7
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    frames = sample_bingham(turn @ np.diag([3.0, 1.0]) @ turn.T, 1.5, draws=DRAWS, seed=seed_for(name))
    assert not dkw_rejects(name, (frames[:, :, 0] @ turn[:, 0]) ** 2, circle_cdf(3.0))
    assert dkw_rejects(name, frames[:, 0, 0] ** 2, circle_cdf(3.0))  # the broken twin: not turned


def test_orbit_of_a_projector_in_dimension_two():
    """|v_1|^2 of a complex unit vector has density proportional to exp(c t) on [0, 1]."""
    name = "python: orbit of a projector"
    c = 2.0 * (3.0 - 1.0)
    draws = sample_orbit([3.0, 1.0], 2.0, [1.0], draws=DRAWS, seed=seed_for(name))
    assert draws.dtype == complex
    t = np.abs(draws[:, 0, 0]) ** 2
    assert not dkw_rejects(name, t, lambda v: math.expm1(c * v) / math.expm1(c))
    assert dkw_rejects(name, t, lambda v: math.expm1(0.8 * c * v) / math.expm1(0.8 * c))


def test_shapes_approximations_and_refusals():
    for sampler in ("gibbs", "gaussian-block"):
        frames = sample_bingham([9.0, 8.0, 1.0, 0.5], 5.0, 2, 7, sampler=sampler, seed=1)
        np.testing.assert_allclose(frames.transpose(0, 2, 1) @ frames, np.tile(np.eye(2), (7, 1, 1)), atol=1e-10)
    orbit = sample_orbit([3.0, 2.0, 1.0], 1.0, [0.5, 2.0], draws=3, seed=1)
    gram = orbit.conj().transpose(0, 2, 1) @ orbit
    np.testing.assert_allclose(gram, np.tile(np.diag([2.0, 0.5]), (3, 1, 1)), atol=1e-10)
    with pytest.raises(EigenveilError):
        sample_bingham([1.0, 2.0], -1.0)
    with pytest.raises(EigenveilError, match="sampler must be"):
        sample_bingham([1.0, 2.0], 1.0, sampler="fast")
    assert (sample_bingham([1.0, 2.0], 1.0, draws=2) != sample_bingham([1.0, 2.0], 1.0, draws=2)).all()


# What the program attacks with the same seed.
AUDITS = [
    ("gauss", dict(mu=2)),
    ("laplace", dict(epsilon=1, neighbours="replace-one", group_size=2)),
    ("exponential", dict(epsilon=1, table="ranges")),
    ("orbit", dict(epsilon=1, table="row-norm")),
    ("lowrank", dict(epsilon=1)),
    ("mask", dict(epsilon=1, delta=0.05)),
    ("mask-gauss", dict()),
    ("spiked", dict(epsilon=1, delta=1e-2)),
    ("spiked-robust", dict(epsilon=5, delta=1e-2)),
    ("oja", dict(epsilon=1, delta=1e-2)),
    ("subspace", dict(epsilon=2, delta=0.05)),
    ("people", dict(mu=1)),
    ("histogram", dict(mu=1)),
]


@pytest.mark.parametrize("mechanism, given", AUDITS, ids=[case[0] for case in AUDITS])
def test_the_attacks_of_the_program(mechanism, given, program):
    """The same seed, the same attacks, the same numbers. That mutants are refuted and nothing shipped is, is tested in C++."""
    words = [word for name, value in given.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    command = [program, "audit", mechanism, *words, "--runs", "1000", "--mutants", "--seed", "5"]
    printed = subprocess.run(command, capture_output=True, text=True).stdout  # exit 1 says that so few runs do not catch every mutant
    table = re.findall(r"^  (\S.*?)\s{2,}([\d.]+)\s+([\d.]+)   (.*)$", printed, re.M)
    results = audit(mechanism, runs=1000, mutants=True, seed=5, **given)
    assert table == [(r.name, f"{r.lower_bound:.4f}", f"{r.claimed:.4f}", r.verdict) for r in results]
    assert {result.is_mutant for result in results} == {False, True} and not results[0].is_mutant
    assert all(result.is_mutant or not result.covered for result in results if result.refuted)


def test_an_audit_says_what_it_found():
    assert "claim stands" in repr(audit("gauss", mu=2, runs=2000, seed=5)[0])
    too_few = [result for result in audit("lowrank", epsilon=1, runs=2000, mutants=True, seed=5) if result.is_mutant and not result.refuted]
    assert too_few and all(result.verdict.startswith("not caught: ") for result in too_few)
    assert any(re.search(r"\d+ runs needed", result.verdict) for result in too_few)
    assert pickle.loads(pickle.dumps(too_few[0])).verdict == too_few[0].verdict
    with pytest.raises(EigenveilError, match="attacks on gauss"):
        audit("magic", mu=1)


def test_audits_check_their_budget():
    with pytest.raises(EigenveilError, match="a draw has no delta"):
        audit("orbit", epsilon=1, delta=0.1)
    for wrong, budget, instead in (("lowrank", dict(mu=1), "attacked by lowrank-mu"), ("lowrank-mu", dict(epsilon=1), "attacked by lowrank$")):
        with pytest.raises(EigenveilError, match=instead):
            audit(wrong, **budget)
    with pytest.raises(EigenveilError, match="epsilon with delta"):
        audit("mask", epsilon=1)
    with pytest.raises(EigenveilError, match="attacked under zero-row"):
        audit("mask", epsilon=1, delta=0.1, neighbours="add-remove")


def test_sharp_is_measured_against_its_curve():
    spectrum = [8.0] + [1.0] * 19
    points = audit_sharp(spectrum, 300, mu=3, draws=2000, seed=1)
    assert [p[0] for p in points] == [0.05, 0.1, 0.2, 0.3, 0.4, 0.5] and all(p[2] <= p[1] <= p[3] for p in points)
    with pytest.raises(EigenveilError, match="plateau"):
        audit_sharp(spectrum, 300, mu=1e-6)
    with pytest.raises(EigenveilError, match="exactly one"):
        audit_sharp(spectrum, 300)

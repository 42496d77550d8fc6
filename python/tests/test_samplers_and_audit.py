"""The samplers arrive in Python with the right law (closed forms, DKW at 1e-9) and a wrong law is rejected; audits run."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import i0e

from eigenveil import EigenveilError, audit, audit_sharp, sample_bingham, sample_orbit

ALPHA = 1e-9
DRAWS = 4000


def dkw_rejects(sample, cdf, alpha=ALPHA):
    """Two-sided Kolmogorov distance beyond sqrt(ln(2 / alpha) / 2n), which the right law exceeds with probability at most alpha."""
    x = np.sort(sample)
    n = len(x)
    values = np.array([cdf(v) for v in x])
    distance = max((np.arange(1, n + 1) / n - values).max(), (values - np.arange(n) / n).max())
    return distance > math.sqrt(math.log(2 / alpha) / (2 * n))


def circle_cdf(kappa):
    """Law of the first squared coordinate t of a unit vector in the plane with density exp(kappa t): t = cos^2(a)."""
    angles = np.linspace(0, math.pi / 2, 4001)
    density = np.exp(kappa * (np.cos(angles) ** 2 - 1)) / i0e(kappa / 2)
    mass = np.concatenate([[0], np.cumsum((density[1:] + density[:-1]) / 2 * np.diff(angles))])
    return lambda t: 1 - np.interp(math.acos(math.sqrt(min(1.0, max(0.0, t)))), angles, mass / mass[-1])


def test_bingham_on_the_circle():
    frames = sample_bingham([1.0, 3.0], 1.5, draws=DRAWS, seed=11)  # given in any order
    assert not dkw_rejects(frames[:, 1, 0] ** 2, circle_cdf(3.0))
    assert dkw_rejects(frames[:, 1, 0] ** 2, circle_cdf(2.0))  # the broken twin: exponent 1 instead of 1.5


def test_bingham_of_a_matrix_turns_with_it():
    angle = 0.7
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    frames = sample_bingham(turn @ np.diag([3.0, 1.0]) @ turn.T, 1.5, draws=DRAWS, seed=12)
    along = (frames[:, :, 0] @ turn[:, 0]) ** 2
    assert not dkw_rejects(along, circle_cdf(3.0))


def test_orbit_of_a_projector_in_dimension_two():
    """|v_1|^2 of a complex unit vector has density proportional to exp(c t) on [0, 1]."""
    c = 2.0 * (3.0 - 1.0)
    draws = sample_orbit([3.0, 1.0], 2.0, [1.0], draws=DRAWS, seed=13)
    assert draws.dtype == complex
    t = np.abs(draws[:, 0, 0]) ** 2
    assert not dkw_rejects(t, lambda v: math.expm1(c * v) / math.expm1(c))
    assert dkw_rejects(t, lambda v: math.expm1(0.8 * c * v) / math.expm1(0.8 * c))


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


def test_audit_catches_mutants():
    results = audit("gauss", mu=2, runs=60_000, mutants=True, seed=5)
    assert not results[0].refuted and results[0].lower_bound > 1.7
    assert len(results) > 2 and all(result.refuted for result in results[1:])
    assert "claim stands" in repr(results[0])
    assert not audit("exponential", epsilon=1, runs=5000, seed=5)[0].refuted
    with pytest.raises(EigenveilError, match="attacks on gauss"):
        audit("magic", mu=1)


@pytest.mark.parametrize(
    "mechanism, budget",
    [
        ("orbit", dict(epsilon=1)),
        ("mask", dict(epsilon=1, delta=0.05)),
        ("spiked", dict(epsilon=1, delta=1e-2)),
        ("spiked-robust", dict(epsilon=1, delta=1e-2)),
        ("oja", dict(epsilon=1, delta=1e-2)),
        ("subspace", dict(epsilon=2, delta=0.05)),
    ],
)
def test_every_mechanism_can_be_attacked(mechanism, budget):
    """The attacks of the library arrive in Python, mutants marked as such. That mutants are refuted needs more runs, and is tested in C++;
    that nothing shipped is refuted holds with probability 1 - 1e-3 per attack, and the seed is fixed."""
    results = audit(mechanism, runs=2000, mutants=True, seed=5, **budget)
    shipped, broken = [r for r in results if not r.is_mutant], [r for r in results if r.is_mutant]
    assert shipped and broken and not any(r.refuted for r in shipped)


def test_audits_check_their_budget():
    with pytest.raises(EigenveilError, match="epsilon alone"):
        audit("orbit", mu=1)
    with pytest.raises(EigenveilError, match="epsilon with delta"):
        audit("mask", epsilon=1)
    with pytest.raises(EigenveilError, match="attacked under 'zero-row'"):
        audit("mask", epsilon=1, delta=0.1, neighbours="add-remove")


def test_sharp_is_measured_against_its_curve():
    spectrum = [8.0] + [1.0] * 19
    points = audit_sharp(spectrum, 300, mu=3, draws=2000, seed=1)
    assert [p[0] for p in points] == [0.05, 0.1, 0.2, 0.3, 0.4, 0.5] and all(p[2] <= p[1] <= p[3] for p in points)
    with pytest.raises(EigenveilError, match="plateau"):
        audit_sharp(spectrum, 300, mu=1e-6)
    with pytest.raises(EigenveilError, match="exactly one"):
        audit_sharp(spectrum, 300)

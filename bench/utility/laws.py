"""Direction samplers against the law they claim: P(u) proportional to exp(c u'Cu) on the circle and the sphere, where the law of u_1^2 is known.

    python laws.py [eigenveil|diffprivlib|opendp]     each in an interpreter that has it
"""

from __future__ import annotations

import math
import sys

import numpy as np
from limited import run_limited
from scipy.integrate import quad
from scipy.optimize import brentq

ALPHA = 1e-6
DRAWS = 1000
LIMIT = 20  # seconds of processor time for one law
LARGEST = math.sqrt(math.log(2 / ALPHA) / (2 * DRAWS))  # Dvoretzky, Kiefer, Wolfowitz, Massart


def cdf_of_first_squared(kappa, p):
    """For C = diag(1, 0, ..., 0): t = u_1^2 has density proportional to exp(kappa t) t^(-1/2) (1 - t)^((p - 3) / 2)."""
    # t = s^2 removes the first singularity, s = sin(a) the second.
    density = lambda a: math.exp(kappa * (math.sin(a) ** 2 - 1)) * math.cos(a) ** (p - 2)  # noqa: E731
    grid = np.linspace(0, math.pi / 2, 2001)
    mass = np.concatenate([[0], np.cumsum([quad(density, a, b)[0] for a, b in zip(grid[:-1], grid[1:])])])
    return lambda t: np.interp(np.arcsin(np.sqrt(np.clip(t, 0, 1))), grid, mass / mass[-1])


def cdf_of_divided_acceptance(c, p):
    """The law of rejection from the angular central Gaussian envelope when the acceptance divides by (u'Wu)^(p/2) where it should multiply:
    density proportional to exp(c t) (u'Wu)^(-p), u'Wu = 1 + 2c(1 - t)/b, b the root of sum 1 / (b + 2 eigenvalue) = 1."""
    gaps = np.array([0.0] + [c] * (p - 1))
    b = brentq(lambda b: (1 / (b + 2 * gaps)).sum() - 1, 1 - 1e-12, p)
    grid = np.linspace(0, math.pi / 2, 20001)
    t = np.sin(grid) ** 2
    density = np.exp(-c * (1 - t)) * (1 + 2 * c * (1 - t) / b) ** (-p) * np.cos(grid) ** (p - 2)
    mass = np.concatenate([[0], np.cumsum((density[1:] + density[:-1]) / 2 * np.diff(grid))])
    return lambda x: np.interp(np.arcsin(np.sqrt(np.clip(x, 0, 1))), grid, mass / mass[-1])


def distance(sample, cdf):
    x = np.sort(sample)
    values, n = cdf(x), len(x)
    return max((np.arange(1, n + 1) / n - values).max(), (values - np.arange(n) / n).max())


def eigenveil_draws(c, p):
    from eigenveil import sample_bingham

    return "exp(c u'Cu), c as asked for", sample_bingham([1.0] + [0.0] * (p - 1), c, draws=DRAWS)[:, 0, 0] ** 2


def diffprivlib_draws(c, p):
    """Its code targets exp(epsilon u'Cu / (4 sensitivity)), the exponential mechanism of Amin et al. 2019, Algorithm 2."""
    from diffprivlib.mechanisms import Bingham

    mechanism = Bingham(epsilon=4 * c, sensitivity=1.0, random_state=1)
    matrix = np.diag([1.0] + [0.0] * (p - 1))
    return "exp(epsilon u'Cu / 4), epsilon = 4c", np.array([mechanism.randomise(matrix)[0] for _ in range(DRAWS)]) ** 2


def opendp_draws(c, p):
    """The same algorithm and the same target."""
    import opendp.prelude as dp
    from opendp.extras.numpy import _sscp_domain
    from opendp.extras.sklearn._make_eigenvector import make_private_eigenvector

    dp.enable_features("contrib", "idealized-numerics", "honest-but-curious")
    domain = _sscp_domain(num_features=p, norm=1.0, p=2, size=1, T=float)
    draw = make_private_eigenvector(domain, dp.symmetric_distance(), 4.0 * c)
    matrix = np.diag([1.0] + [0.0] * (p - 1))
    return "exp(epsilon u'Cu / 4), epsilon = 4c", np.array([draw(matrix)[0] for _ in range(DRAWS)]) ** 2


def tested(who, c, p):
    """The line of one law."""
    claim, sample = globals()[who + "_draws"](c, p)
    gap = distance(sample, cdf_of_first_squared(c, p))
    other = "" if who == "eigenveil" else f"; from the law with a divided acceptance: {distance(sample, cdf_of_divided_acceptance(c, p)):.4f}"
    yield f"distance {gap:.4f}  {'agrees' if gap <= LARGEST else 'DIFFERS'}   (claim: {claim}){other}"


def main():
    who = sys.argv[1] if len(sys.argv) > 1 else "eigenveil"
    print(f"{who}: Kolmogorov distance of u_1^2 from the claimed law, {DRAWS} draws; above {LARGEST:.4f} has probability below {ALPHA:g} if the claim is right")
    __import__({"eigenveil": "eigenveil", "diffprivlib": "diffprivlib.mechanisms", "opendp": "opendp.prelude"}[who])  # loads the package before any clock runs
    for p in (2, 3):
        for c in (0.5, 2.0, 8.0):
            lines, trouble = run_limited(lambda: tested(who, c, p), LIMIT)
            print(f"  p = {p}, c = {c:<4g} {lines[0] if lines else trouble + ' of processor time'}", flush=True)


if __name__ == "__main__":
    main()

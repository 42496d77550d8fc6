"""Two masked rows against each other, by their angle: sup over S of P_x(S) - e^eps P_y(S) by simulation.

The proof (docs/proofs/masking.md, step 7) says that it falls as the rows come closer, whatever the norms. Prints one
line per setting: m degrees of freedom, non-centralities of x and y, eps, then the estimate and its standard error
for five cosines. Needs numpy and scipy:  build/venv/bin/python bench/utility/masked_pairs.py [draws]
"""

import sys

import numpy as np
from scipy import special

COSINES = (0.0, 0.2, 0.5, 0.8, 0.95)
SETTINGS = [  # m, nc of x, nc of y, eps
    (1, 4.0, 4.0, 0.5),
    (2, 3.0, 3.0, 1.0),
    (5, 4.0, 1.0, 0.3),
    (5, 20.0, 20.0, 2.0),
    (20, 10.0, 2.5, 1.0),
    (3, 60.0, 60.0, 6.0),
]


def log_ratio(m, nc, w):
    """log of e^(-nc/2) 0F1(; m/2; nc w/4), by a Bessel function."""
    order, t = m / 2 - 1, np.sqrt(nc * w)
    return -nc / 2 + special.gammaln(m / 2) - order * np.log(t / 2) + np.log(special.ive(order, t)) + t


def divergence(rng, m, nc_x, nc_y, cosine, eps, draws):
    """Mean and standard error of (1 - e^eps dP_y/dP_x)+ under P_x."""
    mask = rng.standard_normal((draws, m))
    mask /= np.linalg.norm(mask, axis=1, keepdims=True)
    along_x = np.sqrt(nc_x) * mask + rng.standard_normal((draws, m))
    along_y = cosine * along_x + np.sqrt(1 - cosine**2) * rng.standard_normal((draws, m))
    loss = log_ratio(m, nc_x, (along_x**2).sum(1)) - log_ratio(m, nc_y, (along_y**2).sum(1))
    value = np.maximum(0.0, -np.expm1(eps - loss))
    return value.mean(), value.std() / np.sqrt(draws)


def main():
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 400_000
    rng = np.random.default_rng(18)
    for m, nc_x, nc_y, eps in SETTINGS:
        found = [divergence(rng, m, nc_x, nc_y, cosine, eps, draws) for cosine in COSINES]
        print(m, nc_x, nc_y, eps, " ".join(f"{mean:.4f}±{error:.4f}" for mean, error in found))


if __name__ == "__main__":
    main()

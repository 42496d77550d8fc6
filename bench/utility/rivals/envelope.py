"""The rejection sampler that both peers have in their code, seen from outside."""

import numpy as np
from scipy.optimize import brentq


def fewest_proposals(moment, k, epsilon):
    """A proposal u is accepted with probability exp(-u'Au) / (M (u'Wu)^(p/2)), where u'Wu >= 1 and u'Au >= 0: at most 1/M. So M proposals, at least, are expected for the first of k directions.
    A = epsilon / (4 (k + 1)) (largest I - C); M = exp(-(p - b) / 2) (p / b)^(p/2), b the root of sum 1 / (b + 2 eigenvalue of A) = 1."""
    values = np.linalg.eigvalsh(moment)
    gaps = epsilon / (4 * (k + 1)) * (values[-1] - values)
    p = len(values)
    b = brentq(lambda b: (1 / (b + 2 * gaps)).sum() - 1, 1 - 1e-12, p + 1e-9)
    return float(np.exp(min(700.0, -(p - b) / 2 + p / 2 * np.log(p / b))))

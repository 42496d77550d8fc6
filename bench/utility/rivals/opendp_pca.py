"""OpenDP: eigendecomposition (Amin et al. 2019) with a known origin, so that no budget goes to a mean. One replaced row is symmetric distance 2."""

from importlib.metadata import version

import numpy as np
import opendp.prelude as dp
from envelope import fewest_proposals  # noqa: F401

VERSION = version("opendp")
dp.enable_features("contrib", "idealized-numerics", "honest-but-curious")


def components(rows, k, epsilon, delta, seed, centred=False):  # has no seed
    known = {} if centred else dict(norm=1.0, p=2, origin=0.0)  # without an origin a mean is estimated
    domain = dp.numpy.array2_domain(size=len(rows), num_columns=rows.shape[1], T=float, **known)
    release = dp.sklearn.decomposition.make_private_pca(domain, dp.symmetric_distance(), float(epsilon), norm=1.0, num_components=k)
    assert release.map(2) <= epsilon * (1 + 1e-9), "states its loss for another distance"
    return np.asarray(release(rows).Vt)[:k]

"""scikit-learn without privacy: the reference. Second moments about the public centre, as for all others."""

import numpy as np
import sklearn
from sklearn.utils.extmath import randomized_svd

LOSSES = ("pure", "approx")
VERSION = sklearn.__version__


def components(rows, k, epsilon, delta, seed):
    return randomized_svd(rows, k, random_state=0)[2] if min(rows.shape) > 50 else np.linalg.svd(rows, full_matrices=False)[2][:k]

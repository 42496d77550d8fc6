"""scikit-learn without privacy: the reference. Second moments about the public centre, as for all others."""

import sklearn
from sklearn.decomposition import TruncatedSVD

VERSION = sklearn.__version__


def components(rows, k, epsilon, delta, seed):
    return TruncatedSVD(k, algorithm="arpack", random_state=seed).fit(rows).components_

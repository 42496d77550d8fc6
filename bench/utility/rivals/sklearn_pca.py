"""scikit-learn without privacy: the reference. Second moments about the public centre or, centred, about the mean, as for all others."""

import sklearn
from sklearn.decomposition import PCA, TruncatedSVD

VERSION = sklearn.__version__


def components(rows, k, epsilon, delta, seed, centred=False):
    if centred:
        return PCA(k).fit(rows).components_
    return TruncatedSVD(k, algorithm="arpack", random_state=seed).fit(rows).components_

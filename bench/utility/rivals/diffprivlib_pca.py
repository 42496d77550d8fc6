"""IBM diffprivlib: eigenvectors one after the other by the exponential mechanism (Amin et al. 2019). Pure epsilon; its eigenvalue sensitivity 2 is that of replace-one."""

import warnings

import diffprivlib
from diffprivlib.models import PCA
from envelope import fewest_proposals  # noqa: F401

VERSION = diffprivlib.__version__


def components(rows, k, epsilon, delta, seed):
    warnings.simplefilter("ignore")
    return PCA(n_components=k, epsilon=epsilon, data_norm=1.0 + 1e-9, centered=True, random_state=seed).fit(rows).components_

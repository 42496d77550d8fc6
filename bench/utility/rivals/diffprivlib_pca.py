"""IBM diffprivlib: eigenvectors one after the other by the exponential mechanism (Amin et al. 2019). Pure epsilon; its eigenvalue sensitivity 2 is that of replace-one."""

import warnings

import diffprivlib
from diffprivlib.models import PCA
from envelope import fewest_proposals  # noqa: F401

VERSION = diffprivlib.__version__


def components(rows, k, epsilon, delta, seed, centred=False):
    warnings.simplefilter("ignore")
    about = dict(centered=False, bounds=(-1.0, 1.0)) if centred else dict(centered=True)  # the mean costs half of its budget
    return PCA(n_components=k, epsilon=epsilon, data_norm=1.0 + 1e-9, random_state=seed, **about).fit(rows).components_

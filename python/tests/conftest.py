import os
import warnings

import numpy as np
import pytest

import eigenveil


@pytest.fixture
def rows():
    """400 rows of 5 columns within 0..10, the same every time."""
    return np.random.default_rng(7).uniform(0, 10, size=(400, 5))


@pytest.fixture
def program():
    path = os.environ.get("EIGENVEIL")
    if not path or not os.path.exists(path):
        pytest.skip("the program is not built (EIGENVEIL names it)")
    return path


@pytest.fixture
def seeded():
    """A reproducible PCA, without the warning that it is not private."""

    def make(**parameters):
        settings = dict(n_components=2, epsilon=1, delta=1e-6, bounds=(0, 10), seed=3)
        return eigenveil.PrivatePCA(**{**settings, **parameters})

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", eigenveil.PrivacyWarning)
        yield make

"""What methods that draw a subspace share: variances measured inside it, no total variance."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np


def released_components(request, bound, release):
    """What is published of a drawn subspace; every number in it was drawn under the guarantee."""
    components = release.components()
    return SimpleNamespace(
        guarantee=release.guarantee,
        mean=np.zeros(bound.dimension) if request.scaled else bound.midpoints,
        noise_floor=components.noise_floor,
        count=release.count,
        count_sd=release.count_sd,
        count_is_public=release.count_is_public,
        components=np.ascontiguousarray(components.loadings.T),
        explained_variance=components.explained_variance,
        explained_share=None,  # the total variance was not released
        noise_edge=components.noise_edge,
    )

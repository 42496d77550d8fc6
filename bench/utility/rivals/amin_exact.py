"""Amin et al. 2019, Algorithm 1, as both peers state it (the budget in k + 1 equal parts, exponent epsilon_i u'Cu / 4, one direction after the other), with an exact sampler in place of theirs: what they would
give if they finished and drew what they claim. Not a package; it shows whether their algorithm would win."""

import eigenveil
import numpy as np

VERSION = ""


def components(rows, k, epsilon, delta, seed, centred=False):
    moment = rows.T @ rows
    left = np.eye(len(moment))  # columns span what is left
    found = []
    for step in range(k):
        direction = eigenveil.sample_bingham(left.T @ moment @ left, epsilon / (4 * (k + 1)), seed=1000 * seed + step)[0, :, 0]
        found.append(left @ direction)
        left = left @ np.linalg.svd(direction[:, None])[0][:, 1:]
    return np.array(found)

"""Pictures of released components: post-processing, so they may be shown as the numbers may. matplotlib is optional."""

from __future__ import annotations

from numbers import Integral

import numpy as np

from ._errors import EigenveilError, missing_package, whole

_FAINT = 0.3


def _axes(ax, what):
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise missing_package("matplotlib", what, "plots") from None
    return pyplot.subplots(layout="constrained")[1]


def _strength(estimator, j):
    """How opaque component j is drawn. A method without a verdict has no faint ones."""
    below = getattr(estimator, "below_noise_", None)
    return _FAINT if below is not None and below[j] else 1.0


def _label(estimator, j):
    return f"PC{j + 1}" if _strength(estimator, j) == 1.0 else f"PC{j + 1} (noise could show this)"


def draw_scree(estimator, ax):
    ax = _axes(ax, "plot_scree")
    variances, told = estimator.explained_variance_, hasattr(estimator, "noise_edge_")
    edges = estimator.noise_edge_ if told else np.full(len(variances), estimator.noise_floor_)
    places = np.arange(1, len(variances) + 1)
    for j, bar in enumerate(ax.bar(places, variances, color="C0", width=0.7)):
        bar.set_alpha(_strength(estimator, j))
    ax.hlines(edges, places - 0.45, places + 0.45, colors="C3", label=f"below this edge: cannot be told from {'noise' if told else 'zero'}")
    ax.set(xlabel="component", ylabel="released variance", xticks=places)
    ax.legend(fontsize="small", loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)  # above: the edge of a component that is noise lies at the top
    return ax


def draw_loadings(estimator, components, ax, largest):
    loadings = estimator.components_
    chosen = _chosen(components, len(loadings))
    heights = np.abs(loadings[chosen]) if np.iscomplexobj(loadings) else loadings[chosen]
    names = np.asarray(getattr(estimator, "feature_names_in_", [f"c{j + 1}" for j in range(loadings.shape[1])]), dtype=object)
    shown = np.arange(len(names))
    if largest is not None:
        order = np.argsort(-np.abs(heights).max(axis=0), kind="stable")
        shown = np.sort(order[: whole(largest, "largest", 1)])
    ax = _axes(ax, "plot_loadings")
    places, width = np.arange(len(shown)), 0.8 / len(chosen)
    for i, j in enumerate(chosen):
        offset = (i - (len(chosen) - 1) / 2) * width
        ax.bar(places + offset, heights[i, shown], width, color=f"C{j % 10}", alpha=_strength(estimator, j), label=_label(estimator, j))
    ax.axhline(0, color="black", linewidth=0.8)
    ax.set(ylabel="absolute loading" if np.iscomplexobj(loadings) else "loading")
    ax.set_xticks(places, names[shown], rotation=90 if len(shown) > 6 else 0)
    ax.legend(fontsize="small")
    return ax


def _chosen(components, count):
    chosen = list(range(count)) if components is None else [components] if isinstance(components, Integral) else list(components)
    if not chosen or not all(isinstance(j, Integral) and not isinstance(j, bool) and 0 <= j < count for j in chosen):
        raise EigenveilError(f"components must be positions from 0 to {count - 1}, at least one")
    return chosen

"""What the call stack tells about a release: a search around it, or steps of a pipeline that learned from the private rows before it."""

from __future__ import annotations

import sys
import warnings

from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from ._errors import PrivacyWarning


def _callers():
    frame = sys._getframe(2)
    while frame is not None:
        yield frame
        frame = frame.f_back


def warn_in_search(estimator):
    """A search fits many times, and every fit spends: say so once per fit, wherever the search runs."""
    if any(frame.f_globals.get("__name__", "").startswith("sklearn.model_selection") for frame in _callers()):
        warnings.warn(
            f"every fit of {type(estimator).__name__} inside a search or cross-validation is a release of its own: the guarantees of "
            "all fits compose, and the scores of private rows are not protected at all. Choose parameters from public data or plan_*.",
            PrivacyWarning,
            stacklevel=4,
        )


def steps_that_learned(estimator):
    """Classes of the steps that pipelines around this call fitted on the rows before the estimator got them."""
    pipelines = {}
    for frame in _callers():
        owner = frame.f_locals.get("self") if "self" in frame.f_code.co_varnames else None
        if isinstance(owner, Pipeline):
            pipelines[id(owner)] = owner  # its methods call each other
    return [type(step).__name__ for pipeline in pipelines.values() for step in _before(pipeline, estimator) if _learns(step)]


def void(estimator, steps):
    """What the release is worth then: a scale or a choice of columns taken from the rows is a release of its own, and without noise."""
    named = " and ".join(dict.fromkeys(steps))
    warnings.warn(
        f"{named} was fitted on the private rows before {type(estimator).__name__} saw them, without noise: no guarantee holds, and guarantee_ "
        "says so. Scale by public bounds (bounds, standardize) instead, or freeze what was fitted on public rows (sklearn.frozen.FrozenEstimator).",
        PrivacyWarning,
        stacklevel=4,
    )
    return estimator.guarantee_.not_private(f"{named} would have had to learn nothing from the private rows")


def _before(pipeline, estimator):
    """The steps before the one that is, or holds, the estimator. A cached step and one inside another are clones: the class must do."""
    steps = [step for _, step in pipeline.steps]
    for holds in (lambda part: part is estimator, lambda part: type(part) is type(estimator)):
        for place, step in enumerate(steps):
            if any(map(holds, (step, *_parts(step)))):
                return steps[:place]
    return steps


def _parts(step):
    return step.get_params(deep=True).values() if hasattr(step, "get_params") else ()


def _learns(step):
    """Whether fitting it depends on the rows. An estimator of this package has a guarantee of its own, which composes."""
    if step is None or isinstance(step, (str, FrozenEstimator)) or type(step).__module__.partition(".")[0] == "eigenveil":
        return False
    for name in ("steps", "transformers", "transformer_list"):  # Pipeline, ColumnTransformer, FeatureUnion
        if hasattr(step, name):
            return any(_learns(part[1]) for part in getattr(step, name))
    return not hasattr(step, "__sklearn_tags__") or get_tags(step).requires_fit

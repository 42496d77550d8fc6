"""What estimators with released components do with rows: scores, rows from scores, captured share."""

from __future__ import annotations

from numbers import Integral

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from ._errors import EigenveilError
from ._rows import as_complex, as_pairs


def checked_components(k, dimension, what="n_components"):
    """The number of components asked for, against the number of columns."""
    if isinstance(k, float) and 0 < k < 1:
        raise EigenveilError(f"{what} is a number of components: how many explain a share of the variance depends on the private rows")
    if not isinstance(k, Integral) or isinstance(k, bool):
        raise EigenveilError(f"{what} must be a whole number")
    if not 1 <= k <= dimension:
        raise EigenveilError(f"{what} must satisfy 1 <= {what} <= {dimension}, the number of columns")
    return int(k)


def _one(blocks):
    """Blocks below each other; a single one is not copied."""
    blocks = list(blocks)
    return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)


def _squared_length(rows):
    return float(np.square(np.abs(rows), dtype=float).sum())


class ProjectionMixin(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Projection onto ``components_``. A row is first taken about ``center_`` and divided by ``scale_``.

    Attributes
    ----------
    n_components_ : int
    """

    @property
    def _n_features_out(self):
        self._check_released()
        return self.n_components_

    def transform(self, X):
        """Scores of rows along the components. Scores of private rows are **not** a release: they are as private as the rows.

        Parameters
        ----------
        X : array or sparse array of shape (n_rows, n_features)
            Sparse ones are made dense some rows at a time.

        Returns
        -------
        real or complex ndarray of shape (n_rows, n_components)
        """
        self._check_released()
        spread = self._score_spread(warn=True)
        return _one(self._scores(rows, spread) for rows in self._row_blocks(X))

    def _scores(self, rows, spread):
        scores = rows @ self.components_.conj().T.astype(rows.dtype)
        return scores if spread is None else scores / spread.astype(scores.real.dtype)

    def _score_spread(self, warn=False):
        """What scores are divided by, one number for each component; None: by nothing."""
        return None

    def inverse_transform(self, X):
        """Rows in original units from scores: post-processing of whatever ``X`` is.

        Parameters
        ----------
        X : array of shape (n_rows, n_components)

        Returns
        -------
        real or complex ndarray of shape (n_rows, n_features)
        """
        self._check_released()
        scores = np.asarray(X)
        if scores.ndim != 2 or scores.shape[1] != len(self.components_) or scores.dtype.kind not in "fiubc":
            raise ValueError(f"X must be an array of numbers with one row per record and {len(self.components_)} columns, the scores along the components")
        spread = self._score_spread()
        rows = (scores if spread is None else scores * spread) @ self.components_
        return as_complex(as_pairs(rows) * self.scale_ + self.center_) if np.iscomplexobj(rows) else rows * self.scale_ + self.center_

    def score(self, X, y=None):
        """Share of the squared length of the rows (about ``center_``) that the components capture, between 0 and 1.

        Not a release: it looks at ``X`` without noise.

        Parameters
        ----------
        X : array or sparse array of shape (n_rows, n_features)
        y : ignored

        Returns
        -------
        float
        """
        lengths = [(_squared_length(rows @ self.components_.conj().T), _squared_length(rows)) for rows in self._row_blocks(X)]
        captured, total = map(sum, zip(*lengths))
        return captured / total if total > 0 else 1.0

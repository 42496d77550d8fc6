"""Types of the public names, for editors and type checkers. ``test_typing.py`` compares every signature with the one that runs.

The estimators are scikit-learn's, which has no types: what they inherit is written out here, for a base class of unknown type would make every
attribute and every misspelt name acceptable.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self, TypedDict, Unpack

from ._core import GDP as GDP
from ._core import ZCDP as ZCDP
from ._core import ApproxDP as ApproxDP
from ._core import AuditResult as AuditResult
from ._core import Guarantee as Guarantee
from ._core import PureDP as PureDP
from ._core import RenyiCurve as RenyiCurve
from ._core import SpikedDiagnostic as SpikedDiagnostic
from ._core import TradeOffCurve as TradeOffCurve

__version__: str

class _HasArray(Protocol):
    def __array__(self) -> NDArray[Any]: ...

_Int: TypeAlias = int | np.integer[Any]
_Float: TypeAlias = float | np.floating[Any] | np.integer[Any]
_Path: TypeAlias = str | bytes | PathLike[str] | PathLike[bytes]
_Table: TypeAlias = Any  # array, data frame, Arrow data, generator of such tables, or path
_Numbers: TypeAlias = Sequence[_Float] | NDArray[Any] | _HasArray
_Vector: TypeAlias = _Numbers | Mapping[str, _Float]
_Bounds: TypeAlias = _Path | _Numbers | Sequence[Sequence[_Float]] | Mapping[str, Sequence[_Float]]
_Neighbours: TypeAlias = Literal["add-remove", "replace-one", "zero-row", "independent-copy"]
_Method: TypeAlias = Literal[
    "auto", "gauss", "wishart", "laplace", "exponential", "orbit", "spiked", "spiked-robust", "oja", "sharp", "subspace", "mask"
]
_Header: TypeAlias = Literal["auto", "present", "absent"]
_Encoding: TypeAlias = Literal["utf-8", "latin-1", "utf-16"]
_Separator: TypeAlias = Literal["comma", "semicolon", "tab", "pipe"]
_Floats: TypeAlias = NDArray[np.float64]

class EigenveilError(ValueError):
    code: str
    def __init__(self, message: str, code: str = "bad-request") -> None: ...

class NullReleaseError(EigenveilError): ...
class PrivacyWarning(UserWarning): ...
class ResultWarning(UserWarning): ...

# ---- a budget that outlives the process ------------------------------------------------------------------------------

@dataclass(frozen=True)
class LedgerRelease:
    path: str
    key: str = ""
    out: str = ""
    format: str = "csv"
    replace: bool = False
    data_set: str = ""
    date: str = ""
    builds_on: tuple[str, ...] = ()
    same_data: str = ""

class Ledger:
    path: str
    def __init__(self, path: _Path) -> None: ...
    @classmethod
    def create(
        cls,
        path: _Path,
        *,
        name: str,
        epsilon: _Float | None = None,
        delta: _Float | None = None,
        rho: _Float | None = None,
        mu: _Float | None = None,
        basic_share: _Float | None = None,
        caps: Mapping[str, _Float] | None = None,
        neighbours: Literal["add-remove", "replace-one", "zero-row"] = "add-remove",
        group_size: _Int = 1,
        person: str | None = None,
        allow_unproved: bool = False,
        draws: _Float | None = None,
    ) -> Self: ...
    def once(
        self,
        key: str = "",
        *,
        out: _Path | None = None,
        format: Literal["csv", "npy"] = "csv",
        replace: bool = False,
        data_set: str = "",
        date: str = "",
        builds_on: Sequence[_Path] = (),
        same_data: Literal["yes"] | None = None,
    ) -> LedgerRelease: ...
    def summary(self) -> dict[str, Any]: ...
    @property
    def name(self) -> str: ...
    @property
    def entries(self) -> list[dict[str, Any]]: ...
    @property
    def caps(self) -> dict[str, float]: ...
    @property
    def spent(self) -> dict[str, float]: ...
    @property
    def left(self) -> dict[str, float]: ...
    def show(self) -> None: ...
    def plan(self, releases: Sequence[Mapping[str, Any]]) -> str: ...
    def verify(self, *releases: _Path) -> None: ...
    def backup(self, path: _Path) -> None: ...
    def registry(self, curator: Literal["", "government", "industry", "nonprofit"] = "") -> str: ...
    def _repr_html_(self) -> str: ...
    def __hash__(self) -> int: ...

_LedgerLike: TypeAlias = Ledger | LedgerRelease | _Path

# ---- estimators: every parameter is also an attribute ---------------------------------------------------------------

class _Estimator:
    guarantee_: Guarantee
    method_: str
    details_: dict[str, Any]
    is_null_: bool
    null_reason_: str
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    n_samples_: int
    missing_cells_: str
    center_: _Floats
    midpoint_: _Floats
    scale_: _Floats
    def fit(self, X: _Table, y: object = None) -> Self: ...
    def partial_fit(self, X: _Table, y: object = None) -> Self: ...
    def release(self) -> Self: ...
    def write_release(
        self, path: _Path, *, format: Literal["csv", "npy"] = "csv", replace: bool = False, data_set: str = "", date: str = ""
    ) -> list[str]: ...
    def save_gram(self, path: _Path) -> None: ...
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Self: ...
    def get_metadata_routing(self) -> Any: ...

class _Moments(_Estimator):
    row_norm_: float
    noise_floor_: float
    mean_: _Floats
    hermitian_: NDArray[np.complex128]
    noisy_count_: float
    noisy_count_sd_: float
    epsilon: _Float | None
    delta: _Float | None
    rho: _Float | None
    mu: _Float | None
    bounds: _Bounds | None
    row_norm: _Float | None
    center: Literal["auto", "private", "none"] | _Vector | None
    neighbours: _Neighbours | None
    group_size: _Int
    method: _Method
    method_options: Mapping[str, Any] | None
    standardize: bool
    columns: Sequence[str] | None
    header: _Header
    separator: _Separator | None
    decimal: Literal[",", "."] | None
    encoding: _Encoding
    missing: Literal["midpoint", "refuse", "pairwise"]
    pairwise: Sequence[str] | None
    bad_cell: Literal["refuse", "midpoint"]
    allele_frequencies: _Vector | _Path | None
    exclude: Sequence[str] | None
    one_hot: Mapping[str, Sequence[object]] | None
    project: _Path | _Numbers | Sequence[Sequence[_Float]] | None
    projected_norm: _Float | None
    outside_norm: _Float | None
    normalise_rows: bool
    person: str | None
    rows_per_person: _Int | None
    weights: str | None
    weight_bound: _Float | None
    people: _Int | None
    anyway: bool
    grid: _Int | None
    threads: _Int | None
    progress: bool
    seed: _Int | None
    ledger: _LedgerLike | None

class _Projection(_Estimator):
    components_: NDArray[Any]
    n_components_: int
    def transform(self, X: _Table) -> NDArray[Any]: ...
    def fit_transform(self, X: _Table, y: object = None, **fit_params: Any) -> NDArray[Any]: ...
    def inverse_transform(self, X: _Table) -> NDArray[Any]: ...
    def score(self, X: _Table, y: object = None) -> float: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> NDArray[np.object_]: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = None) -> Self: ...

class PrivatePCA(_Projection, _Moments):
    n_components: _Int
    whiten: bool
    correlation: bool
    variance_share: _Float | None
    within_subspace: _Int | None
    noise_variance_: float
    singular_values_: _Floats
    explained_variance_: _Floats
    explained_variance_ratio_: _Floats
    noise_edge_: _Floats
    below_noise_: NDArray[np.bool_]
    clipped_: NDArray[np.bool_]
    subspace_: _Floats
    def __init__(
        self,
        n_components: _Int = 1,
        *,
        variance_share: _Float | None = None,
        within_subspace: _Int | None = None,
        whiten: bool = False,
        correlation: bool = False,
        epsilon: _Float | None = None,
        delta: _Float | None = None,
        rho: _Float | None = None,
        mu: _Float | None = None,
        bounds: _Bounds | None = None,
        row_norm: _Float | None = None,
        center: Literal["auto", "private", "none"] | _Vector | None = "auto",
        neighbours: _Neighbours | None = None,
        group_size: _Int = 1,
        method: _Method = "auto",
        method_options: Mapping[str, Any] | None = None,
        standardize: bool = False,
        columns: Sequence[str] | None = None,
        header: _Header = "auto",
        separator: _Separator | None = None,
        decimal: Literal[",", "."] | None = None,
        encoding: _Encoding = "utf-8",
        missing: Literal["midpoint", "refuse", "pairwise"] = "midpoint",
        pairwise: Sequence[str] | None = None,
        bad_cell: Literal["refuse", "midpoint"] = "refuse",
        allele_frequencies: _Vector | _Path | None = None,
        exclude: Sequence[str] | None = None,
        one_hot: Mapping[str, Sequence[object]] | None = None,
        project: _Path | _Numbers | Sequence[Sequence[_Float]] | None = None,
        projected_norm: _Float | None = None,
        outside_norm: _Float | None = None,
        normalise_rows: bool = False,
        person: str | None = None,
        rows_per_person: _Int | None = None,
        weights: str | None = None,
        weight_bound: _Float | None = None,
        people: _Int | None = None,
        anyway: bool = False,
        grid: _Int | None = None,
        threads: _Int | None = None,
        progress: bool = False,
        seed: _Int | None = None,
        ledger: _LedgerLike | None = None,
    ) -> None: ...
    def get_covariance(self) -> NDArray[Any]: ...
    def plot_scree(self, ax: Any = None) -> Any: ...
    def plot_loadings(self, components: Sequence[_Int] | None = None, ax: Any = None, largest: _Int | None = None) -> Any: ...

class PrivateLowRank(PrivatePCA):
    low_rank_: NDArray[Any]

class PrivateCovariance(_Moments):
    variance_share: _Float | None
    within_subspace: _Int | None
    correlation: bool
    correlation_: _Floats
    covariance_: NDArray[Any]
    covariance_raw_: NDArray[Any]
    covariance_inside_: _Floats
    eigenvalues_: _Floats
    location_: _Floats
    subspace_: _Floats
    def __init__(
        self,
        *,
        variance_share: _Float | None = None,
        within_subspace: _Int | None = None,
        correlation: bool = False,
        epsilon: _Float | None = None,
        delta: _Float | None = None,
        rho: _Float | None = None,
        mu: _Float | None = None,
        bounds: _Bounds | None = None,
        row_norm: _Float | None = None,
        center: Literal["auto", "private", "none"] | _Vector | None = "auto",
        neighbours: _Neighbours | None = None,
        group_size: _Int = 1,
        method: _Method = "auto",
        method_options: Mapping[str, Any] | None = None,
        standardize: bool = False,
        columns: Sequence[str] | None = None,
        header: _Header = "auto",
        separator: _Separator | None = None,
        decimal: Literal[",", "."] | None = None,
        encoding: _Encoding = "utf-8",
        missing: Literal["midpoint", "refuse", "pairwise"] = "midpoint",
        pairwise: Sequence[str] | None = None,
        bad_cell: Literal["refuse", "midpoint"] = "refuse",
        allele_frequencies: _Vector | _Path | None = None,
        exclude: Sequence[str] | None = None,
        one_hot: Mapping[str, Sequence[object]] | None = None,
        project: _Path | _Numbers | Sequence[Sequence[_Float]] | None = None,
        projected_norm: _Float | None = None,
        outside_norm: _Float | None = None,
        normalise_rows: bool = False,
        person: str | None = None,
        rows_per_person: _Int | None = None,
        weights: str | None = None,
        weight_bound: _Float | None = None,
        people: _Int | None = None,
        anyway: bool = False,
        grid: _Int | None = None,
        threads: _Int | None = None,
        progress: bool = False,
        seed: _Int | None = None,
        ledger: _LedgerLike | None = None,
    ) -> None: ...
    def get_precision(self) -> NDArray[Any]: ...
    def mahalanobis(self, X: _Table) -> _Floats: ...
    def score(self, X: _Table, y: object = None) -> float: ...
    def error_norm(self, covariance: _Table) -> float: ...

class MaskedData(_Moments):
    intercept: bool
    smallest_block: _Int | None
    columns_: list[str]
    gram_: _Floats
    covariance_: _Floats
    sigma_: float
    factors_: list[_Floats]
    factor_: _Floats
    block_rows_: list[int]
    half_width_: _Floats
    def __init__(
        self,
        *,
        intercept: bool = False,
        smallest_block: _Int | None = None,
        epsilon: _Float | None = None,
        delta: _Float | None = None,
        rho: _Float | None = None,
        mu: _Float | None = None,
        bounds: _Bounds | None = None,
        row_norm: _Float | None = None,
        center: Literal["auto", "private", "none"] | _Vector | None = "auto",
        neighbours: _Neighbours | None = None,
        group_size: _Int = 1,
        method: _Method = "auto",
        method_options: Mapping[str, Any] | None = None,
        standardize: bool = False,
        columns: Sequence[str] | None = None,
        header: _Header = "auto",
        separator: _Separator | None = None,
        decimal: Literal[",", "."] | None = None,
        encoding: _Encoding = "utf-8",
        missing: Literal["midpoint", "refuse", "pairwise"] = "midpoint",
        pairwise: Sequence[str] | None = None,
        bad_cell: Literal["refuse", "midpoint"] = "refuse",
        allele_frequencies: _Vector | _Path | None = None,
        exclude: Sequence[str] | None = None,
        one_hot: Mapping[str, Sequence[object]] | None = None,
        project: _Path | _Numbers | Sequence[Sequence[_Float]] | None = None,
        projected_norm: _Float | None = None,
        outside_norm: _Float | None = None,
        normalise_rows: bool = False,
        person: str | None = None,
        rows_per_person: _Int | None = None,
        weights: str | None = None,
        weight_bound: _Float | None = None,
        people: _Int | None = None,
        anyway: bool = False,
        grid: _Int | None = None,
        threads: _Int | None = None,
        progress: bool = False,
        seed: _Int | None = None,
        ledger: _LedgerLike | None = None,
    ) -> None: ...
    def fit(self, X: _Table, y: object = None, *, blocks: Sequence[_Table] = ()) -> Self: ...
    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> NDArray[np.object_]: ...
    def pseudo_rows(self, seed: _Int | None = None) -> _Floats: ...
    def write_release(
        self,
        path: _Path,
        *,
        format: Literal["csv", "npy"] = "csv",
        replace: bool = False,
        data_set: str = "",
        date: str = "",
        factor_only: bool = False,
        seed: _Int | None = None,
    ) -> list[str]: ...
    def write(self, path: _Path, **more: Any) -> None: ...
    def moments(self, *, second_moment: bool = False) -> dict[str, Any]: ...
    def regress(
        self,
        response: str,
        predictors: Sequence[str],
        *,
        ridge: _Float = 0.0,
        level: _Float = 0.95,
        about: Literal["population", "raw"] = "population",
    ) -> dict[str, Any]: ...
    def pca(self, n_components: _Int = 2) -> dict[str, Any]: ...

class PrivateSubspace(_Projection):
    n_components: _Int
    epsilon: _Float | None
    delta: _Float | None
    exact: bool
    affine: bool
    aggregate: str | None
    gamma: _Float | None
    groups: _Int | None
    references: _Int | None
    cell_factor: _Float | None
    radius_factor: _Float | None
    largest_noise_angle: _Float | None
    failure_probability: _Float | None
    angle: _Float | None
    exceptions: _Int | None
    max_abs: _Int | None
    calibration: Literal["tight", "published"] | None
    rows: _Int | None
    neighbours: _Neighbours | None
    columns: Sequence[str] | None
    exclude: Sequence[str] | None
    header: _Header
    separator: _Separator | None
    decimal: Literal[",", "."] | None
    encoding: _Encoding
    missing: Literal["midpoint", "refuse"]
    bad_cell: Literal["refuse", "midpoint"]
    threads: _Int | None
    progress: bool
    seed: _Int | None
    ledger: _LedgerLike | None
    echelon_: list[list[str]]
    def __init__(
        self,
        n_components: _Int = 1,
        *,
        epsilon: _Float | None = None,
        delta: _Float | None = None,
        exact: bool = False,
        affine: bool = False,
        aggregate: str | None = None,
        gamma: _Float | None = None,
        groups: _Int | None = None,
        references: _Int | None = None,
        cell_factor: _Float | None = None,
        radius_factor: _Float | None = None,
        largest_noise_angle: _Float | None = None,
        failure_probability: _Float | None = None,
        angle: _Float | None = None,
        exceptions: _Int | None = None,
        max_abs: _Int | None = None,
        calibration: Literal["tight", "published"] | None = None,
        rows: _Int | None = None,
        neighbours: _Neighbours | None = None,
        columns: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        header: _Header = "auto",
        separator: _Separator | None = None,
        decimal: Literal[",", "."] | None = None,
        encoding: _Encoding = "utf-8",
        missing: Literal["midpoint", "refuse"] = "midpoint",
        bad_cell: Literal["refuse", "midpoint"] = "refuse",
        threads: _Int | None = None,
        progress: bool = False,
        seed: _Int | None = None,
        ledger: _LedgerLike | None = None,
    ) -> None: ...

# ---- plans ----------------------------------------------------------------------------------------------------------

class _SharedParameters(TypedDict, total=False):
    epsilon: _Float | None
    delta: _Float | None
    rho: _Float | None
    mu: _Float | None
    bounds: _Bounds | None
    row_norm: _Float | None
    center: Literal["auto", "private", "none"] | _Vector | None
    neighbours: _Neighbours | None
    group_size: _Int
    method: _Method
    method_options: Mapping[str, Any] | None
    standardize: bool
    columns: Sequence[str] | None
    header: _Header
    separator: _Separator | None
    decimal: Literal[",", "."] | None
    encoding: _Encoding
    missing: Literal["midpoint", "refuse", "pairwise"]
    pairwise: Sequence[str] | None
    bad_cell: Literal["refuse", "midpoint"]
    allele_frequencies: _Vector | _Path | None
    exclude: Sequence[str] | None
    one_hot: Mapping[str, Sequence[object]] | None
    project: _Path | _Numbers | Sequence[Sequence[_Float]] | None
    projected_norm: _Float | None
    outside_norm: _Float | None
    normalise_rows: bool
    person: str | None
    rows_per_person: _Int | None
    weights: str | None
    weight_bound: _Float | None
    people: _Int | None
    anyway: bool
    grid: _Int | None
    threads: _Int | None
    progress: bool
    seed: _Int | None
    ledger: _LedgerLike | None

class _CovarianceParameters(_SharedParameters, total=False):
    variance_share: _Float | None
    within_subspace: _Int | None
    correlation: bool

class _PCAParameters(_CovarianceParameters, total=False):
    n_components: _Int
    whiten: bool

class _MaskParameters(_SharedParameters, total=False):
    intercept: bool
    smallest_block: _Int | None

class _SubspaceParameters(TypedDict, total=False):
    n_components: _Int
    epsilon: _Float | None
    delta: _Float | None
    exact: bool
    affine: bool
    aggregate: str | None
    gamma: _Float | None
    groups: _Int | None
    references: _Int | None
    cell_factor: _Float | None
    radius_factor: _Float | None
    largest_noise_angle: _Float | None
    failure_probability: _Float | None
    angle: _Float | None
    exceptions: _Int | None
    max_abs: _Int | None
    calibration: Literal["tight", "published"] | None
    neighbours: _Neighbours | None
    columns: Sequence[str] | None
    exclude: Sequence[str] | None
    header: _Header
    separator: _Separator | None
    decimal: Literal[",", "."] | None
    encoding: _Encoding
    missing: Literal["midpoint", "refuse"]
    bad_cell: Literal["refuse", "midpoint"]
    threads: _Int | None
    progress: bool
    seed: _Int | None
    ledger: _LedgerLike | None

@dataclass(frozen=True)
class Release:
    task: str
    method: str
    guarantee: Guarantee
    parameters: dict[str, Any]
    result: dict[str, Any]
    arrays: dict[str, _Floats]
    is_null: bool
    null_reason: str
    files: dict[str, str]
    format: int
    version: str
    checksum: str
    _document: Any = ...
    _settled: str = ""
    @property
    def bounds(self) -> dict[str, tuple[float, float]]: ...
    @property
    def row_norm(self) -> float | None: ...
    @property
    def figures(self) -> dict[str, str]: ...
    def frame(self, name: str) -> Any: ...
    def write_release(
        self, path: _Path, *, format: Literal["csv", "npy"] = "csv", replace: bool = False, data_set: str = "", date: str = ""
    ) -> list[str]: ...
    def _repr_html_(self) -> str: ...

def read_release(path: _Path) -> Release: ...

@dataclass(frozen=True)
class Plan:
    task: str
    method: str
    guarantee: Guarantee | None
    row_norm: float | None
    facts: dict[str, Any] = ...
    warning: str = ""
    lines: tuple[tuple[str, str], ...] = ()
    title: str = ""
    def __getattr__(self, name: str) -> Any: ...
    def _repr_html_(self) -> str: ...

@dataclass(frozen=True)
class _ComparedMethod:
    name: str
    total_f2: float
    error_f2: float
    available: bool
    relation: str
    basis: str
    note: str
    null_share: float
    under_a_model: bool

@dataclass(frozen=True)
class Comparison:
    methods: list[_ComparedMethod]
    sampling_error_f2: float
    recommended: str | None
    reason: str
    def _repr_html_(self) -> str: ...

def plan_pca(
    rows: _Int, dimension: _Int | None = None, *, spectrum: _Numbers | None = None, beta: _Float | None = None, **parameters: Unpack[_PCAParameters]
) -> Plan: ...
def plan_covariance(
    rows: _Int, dimension: _Int | None = None, *, spectrum: _Numbers | None = None, **parameters: Unpack[_CovarianceParameters]
) -> Plan: ...
def plan_low_rank(
    rows: _Int, dimension: _Int | None = None, *, spectrum: _Numbers | None = None, **parameters: Unpack[_PCAParameters]
) -> Plan: ...
def plan_mask(rows: _Int, dimension: _Int | None = None, **parameters: Unpack[_MaskParameters]) -> Plan: ...
def plan_subspace(rows: _Int, dimension: _Int, **parameters: Unpack[_SubspaceParameters]) -> Plan: ...
def plan_bounds(
    rows: _Int,
    dimension: _Int | None = None,
    *,
    columns: Sequence[str] | None = None,
    epsilon: _Float | None = None,
    delta: _Float | None = None,
    rho: _Float | None = None,
    mu: _Float | None = None,
    neighbours: Literal["add-remove", "replace-one"] = "add-remove",
    group_size: _Int = 1,
    outside: _Float = 0.001,
    row_norm: Literal["private"] | None = None,
    person: str | None = None,
    rows_per_person: _Int | None = None,
) -> Plan: ...
def plan_scores(
    rows: _Int,
    *,
    cells: _Int = 20,
    label: tuple[str, Sequence[object]] | None = None,
    epsilon: _Float | None = None,
    delta: _Float | None = None,
    rho: _Float | None = None,
    mu: _Float | None = None,
    neighbours: _Neighbours = "add-remove",
    group_size: _Int = 1,
    person: str | None = None,
    rows_per_person: _Int | None = None,
) -> Plan: ...
def compare_pca(rows: _Int, spectrum: _Numbers, **parameters: Unpack[_PCAParameters]) -> Comparison: ...

# ---- functions ------------------------------------------------------------------------------------------------------

_Release: TypeAlias = MaskedData | PrivateCovariance | _Path | Sequence[_Path]

def analyse_moments(release: _Release, *, second_moment: bool = False) -> dict[str, Any]: ...
def analyse_pca(release: _Release, n_components: _Int = 2) -> dict[str, Any]: ...
def analyse_regress(
    release: _Release,
    response: str,
    predictors: Sequence[str],
    *,
    ridge: _Float = 0.0,
    level: _Float = 0.95,
    about: Literal["population", "raw"] = "population",
) -> dict[str, Any]: ...
def audit(
    mechanism: str,
    *,
    epsilon: _Float | None = None,
    delta: _Float | None = None,
    rho: _Float | None = None,
    mu: _Float | None = None,
    neighbours: _Neighbours | None = None,
    table: str = "unit-norm",
    group_size: _Int = 1,
    rows: _Int = 12,
    dimension: _Int = 2,
    private_mean: bool = False,
    runs: _Int | None = None,
    mutants: bool = False,
    variance_share: _Float = 0.5,
    seed: _Int | None = None,
) -> list[AuditResult]: ...
def audit_sharp(
    spectrum: _Numbers,
    rows: _Int,
    n_components: _Int = 1,
    *,
    mu: _Float | None = None,
    beta: _Float | None = None,
    draws: _Int = 30000,
    type_one: Sequence[float] = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5),
    seed: _Int | None = None,
) -> list[tuple[float, float, float, float, float]]: ...
def compose(*guarantees: Guarantee | Sequence[Guarantee]) -> Guarantee: ...
def compose_parallel(*guarantees: Guarantee | Sequence[Guarantee], partition_is_public: bool = False) -> Guarantee: ...
def diagnose_spiked(released: PrivatePCA | PrivateCovariance, X: _Table) -> SpikedDiagnostic: ...
def explain(release: _Path, *more: _Path) -> str: ...
@dataclass(frozen=True)
class ShardBound:
    columns: tuple[str, ...]
    encoded: bytes
    refuse_missing: bool = False
    refuse_bad: bool = True

class Gram:
    def __init__(self, totals: Any) -> None: ...
    @classmethod
    def from_bytes(cls, part: bytes) -> "Gram": ...
    @classmethod
    def load(cls, path: _Path) -> "Gram": ...
    def totals(self) -> Any: ...
    def head(self) -> tuple[Any, Any]: ...
    @property
    def columns(self) -> list[str]: ...
    @property
    def shards(self) -> list[tuple[str, int, list[int]]]: ...
    def to_bytes(self) -> bytes: ...
    def save(self, path: _Path) -> None: ...
    def __eq__(self, other: object) -> bool: ...

def shard_bound(
    columns: Sequence[str] | int,
    *,
    bounds: Any = None,
    row_norm: _Float | None = None,
    center: _Numbers | None = None,
    grid: _Int | None = None,
    missing: Literal["midpoint", "refuse"] = "midpoint",
    bad_cell: Literal["midpoint", "refuse"] = "refuse",
) -> ShardBound: ...
def new_run() -> str: ...
def partial(batches: Iterable[Any], bound: ShardBound, *, shard: tuple[str, int, int] | None = None, threads: _Int = 1) -> bytes: ...
def merge(parts: Iterable[bytes | Gram], *, equal_totals: bool = False, incomplete: bool = False) -> Gram: ...
def merge_grams(paths: Sequence[_Path], out: _Path) -> None: ...
def private_bounds(
    X: _Table,
    *,
    epsilon: _Float | None = None,
    delta: _Float | None = None,
    rho: _Float | None = None,
    mu: _Float | None = None,
    neighbours: Literal["add-remove", "replace-one"] = "add-remove",
    group_size: _Int = 1,
    outside: _Float = 0.001,
    outer: Sequence[_Float] | None = None,
    row_norm: Literal["private"] | None = None,
    bounds: _Bounds | None = None,
    columns: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    header: _Header = "auto",
    separator: _Separator | None = None,
    decimal: Literal[",", "."] | None = None,
    encoding: _Encoding = "utf-8",
    missing: Literal["midpoint", "refuse"] = "midpoint",
    bad_cell: Literal["refuse", "midpoint"] = "refuse",
    person: str | None = None,
    rows_per_person: _Int | None = None,
    threads: _Int | None = None,
    progress: bool = False,
    seed: _Int | None = None,
    ledger: _LedgerLike | None = None,
) -> Release: ...
def private_scores(
    X: _Table,
    on: _Path,
    *,
    axes: Sequence[_Int] = (1, 2),
    cells: _Int = 20,
    label: tuple[str, Sequence[object]] | None = None,
    epsilon: _Float | None = None,
    delta: _Float | None = None,
    rho: _Float | None = None,
    mu: _Float | None = None,
    neighbours: _Neighbours = "add-remove",
    group_size: _Int = 1,
    header: _Header = "auto",
    separator: _Separator | None = None,
    decimal: Literal[",", "."] | None = None,
    encoding: _Encoding = "utf-8",
    missing: Literal["midpoint", "refuse"] = "midpoint",
    bad_cell: Literal["refuse", "midpoint"] = "refuse",
    person: str | None = None,
    rows_per_person: _Int | None = None,
    threads: _Int | None = None,
    progress: bool = False,
    seed: _Int | None = None,
    ledger: _LedgerLike | None = None,
) -> Release: ...
def sample_bingham(
    spectrum: _Numbers | Sequence[Sequence[_Float]],
    exponent: _Float,
    k: _Int = 1,
    draws: _Int = 1,
    *,
    sampler: Literal["auto", "exact", "gibbs", "gaussian-block"] = "auto",
    sweeps: _Int = 100,
    seed: _Int | None = None,
) -> _Floats: ...
def sample_orbit(
    spectrum: _Numbers, exponent: _Float, orbit: _Numbers, draws: _Int = 1, *, unbounded_time: bool = False, seed: _Int | None = None
) -> NDArray[np.complex128]: ...
def to_dp_accounting(guarantee: Guarantee) -> Any: ...

"""Text shared by the docstrings of the estimators."""

from __future__ import annotations

PARAMETERS = """\
    epsilon, delta, rho, mu : float, optional
        The budget: exactly one of ``epsilon`` (pure), ``epsilon`` with ``delta``, ``rho`` (zCDP), ``mu`` (Gaussian DP). There is no
        default: ``fit`` raises a message that says what to give.
    bounds : (low, high), mapping or array of shape (n_features, 2), optional
        Public ranges of the columns; cells beyond are clipped. Each column is mapped from its range to [-1, 1].
    row_norm : float, optional
        Rows longer than this are scaled down to it (after ``bounds``: in scaled units). Bounds or a row norm must be given; neither
        may be read off the data.
    center : {"auto", "private", "none"} or array of shape (n_features,), default="auto"
        "private": about a privately released mean; "none": second moments about the public midpoint (0 with ``row_norm`` alone); an array: about
        a public centre. "auto" is "private" for methods "gauss", "wishart" and "laplace"; the others release no mean, work about the midpoint, and ``fit``
        warns that a mean far from it becomes the first component. Genotypes that ``allele_frequencies`` standardises stay about these.
    neighbours : {"add-remove", "replace-one", "zero-row", "independent-copy"}, optional
        What one person can change. Default "add-remove"; "zero-row" for :class:`MaskedData`. "independent-copy" belongs to method "spiked".
    group_size : int, default=1
        Rows protected together.
    method : str, default="auto"
        "gauss", "wishart", "laplace", "exponential", "orbit", "sharp", "spiked", "spiked-robust", "oja"; "auto" follows the task and the budget.
    method_options : dict, optional
        Options that only this method has, with the names of the command line (``{"sigma2": 1.0, "lambda": 5.0}``): the guide has the table.
    standardize : bool, default=False
        Work in columns scaled from their public range to [-1, 1] instead of original units.
    columns : list of str, optional
        Columns to use, in this order. The list is public.
    header : {"auto", "present", "absent"}, default="auto"
        Text files: whether the first line holds names.
    separator : {"comma", "semicolon", "tab", "pipe"}, optional
        Text files: between fields; default comma, tab for .tsv.
    missing : {"midpoint", "refuse"}, default="midpoint"
        A missing cell counts as the midpoint of its public range, or stops the run.
    bad_cell : {"refuse", "midpoint"}, default="refuse"
        A cell that is no finite number stops the run (its position is reported, its value never), or counts as missing.
    allele_frequencies : array, optional
        Public frequencies of the counted alleles: genotypes in a file are standardised by them.
    grid : int, optional
        Grid steps from zero to the bound (default 2**18); 1 is exact and fastest for genotypes with ``bounds=(0, 2)``.
    threads : int, optional
        Default: one per core.
    progress : bool, default=False
        Show a tqdm bar while rows are read.
    seed : int, optional
        Reproducible noise for tests and papers. The result is then NOT PRIVATE, and ``guarantee_`` says so.
    ledger : Ledger, path, or what :meth:`Ledger.once` gives, optional
        Charged before a row is read, and refused where nothing is left; default: what ``EIGENVEIL_LEDGER`` names, else none."""


def with_parameters(estimator):
    """Fills ``{parameters}`` in the docstring of a class."""
    estimator.__doc__ = estimator.__doc__.replace("{parameters}", PARAMETERS)
    return estimator

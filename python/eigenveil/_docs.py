"""Text shared by the docstrings of the estimators."""

from __future__ import annotations

from . import _core
from ._errors import in_python

PARAMETERS = """\
    epsilon, delta, rho, mu : float, optional
        The budget: exactly one of ``epsilon`` (pure), ``epsilon`` with ``delta``, ``rho`` (zCDP), ``mu`` (Gaussian DP). There is no
        default: ``fit`` raises a message that says what to give.
    bounds : (low, high), mapping, array of shape (n_features, 2) or path, optional
        Public ranges of the columns; cells beyond are clipped. Each column is mapped from its range to [-1, 1]. A path names a file
        ``column,low,high``. Where nobody knows them, :func:`private_bounds` finds some.
    row_norm : float, optional
        Rows longer than this are scaled down to it (after ``bounds``: in scaled units). Bounds or a row norm must be given; neither
        may be read off the data.
    center : {"auto", "private", "none"}, mapping, or array of shape (n_features,), default="auto"
        "private": about a privately released mean; "none": second moments about the public midpoint (0 with ``row_norm`` alone); an array: about
        a public centre. "auto" is "private" for methods "gauss", "wishart" and "laplace"; the others release no mean, work about the midpoint, and ``fit``
        warns that a mean far from it becomes the first component. Genotypes that ``allele_frequencies`` standardises stay about these.
    neighbours : {"add-remove", "replace-one", "zero-row", "independent-copy"}, optional
        What one person can change. Default "add-remove"; "zero-row" for :class:`MaskedData`. "independent-copy" belongs to method "spiked".
    group_size : int, default=1
        Rows protected together.
    method : method name, default="auto"
        "auto" follows the task and the budget. By name:
{methods}
    method_options : dict, optional
        Options that only this method has, with the names of the command line (``{"sigma2": 1.0, "lambda": 5.0}``).
    standardize : bool, default=False
        Work in columns scaled from their public range to [-1, 1] instead of original units.
    columns : list of str, optional
        Columns to use, in this order. The list is public.
    header : {"auto", "present", "absent", "numbers"}, default="auto"
        Text files: whether the first line holds names. "present" refuses names that are numbers, which a row would be, unless ``columns`` or
        ``bounds`` say the same names; "numbers" takes them (years, codes).
    separator : {"comma", "semicolon", "tab", "pipe"}, optional
        Text files: between fields; default comma, tab for .tsv.
    decimal : {",", "."}, optional
        Text files: the decimal mark where it is declared; digits before it may then be in groups of three.
    encoding : {"utf-8", "latin-1", "utf-16"}, default="utf-8"
        Text files: of their bytes.
    missing : {"midpoint", "refuse", "pairwise"}, default="midpoint"
        A missing cell counts as the midpoint of its public range, which biases variances; or stops the run; or is left out pair by pair: every
        mean, variance and covariance is of the rows that have its columns, which takes noise (methods "gauss", "laplace" and "wishart").
    pairwise : list of str, optional
        With ``missing="pairwise"``: the columns it is for; cells missing elsewhere count as the midpoint. Default: all.
    bad_cell : {"refuse", "midpoint"}, default="refuse"
        A cell that is no finite number stops the run (its position is reported, its value never), or counts as missing.
    allele_frequencies : array, mapping or path, optional
        Public frequencies of the counted alleles: genotypes are standardised by them. A path names a file ``column,value`` or plink's .frq.
    exclude : list of str, optional
        Columns to leave out.
    one_hot : mapping, optional
        Column to the public list of its categories: a column of words (data frames, Arrow, text files) or of numeric codes becomes one 0/1
        column for each listed one, named "column=category". Anything else is 0 in all of them (the reference), or 1 in a column of its own
        where the list ends in "*". ``feature_names_in_`` are the columns after this, and ``transform`` takes a table of those.
    project : path, data frame or array of shape (n_features, n_directions), optional
        A public basis from outside of the table: rows become their coordinates in it, and noise grows with the number of directions, not of
        columns. Loadings are in the columns of the table. A path names a file of loadings as a release writes it.
    projected_norm : float, optional
        With ``project``: the norm that rows have inside of the basis at most; longer ones are scaled down to it.
    outside_norm : float, optional
        With ``project``: release what share of the rows lies inside of the basis (``details_["noisy_share_inside"]``), for a tenth more noise; what
        lies outside of it has this norm at most.
    normalise_rows : bool, default=False
        Every row scaled to norm 1 about the public centre (spherical PCA): no bound is needed, and variances are of normalised rows.
    person : str, optional
        The column that says whose a row is: a person is protected with all their rows.
    rows_per_person : int, optional
        With ``person``: the first so many rows of everybody count.
    weights : str, optional
        A column of survey weights: a row counts so many times. Weights computed from other rows of the table (raking) are not covered.
    weight_bound : float, optional
        With ``weights``: the largest weight by the survey's design; others are clipped.
    people : int, optional
        How many rows there are, about, as the public knows it: a release that noise must drown at this number is refused, and one that needs more
        than 2000 to show anything asks for it (where neighbours make the number public, that of an array or a header does).
    anyway : bool, default=False
        Spend although that verdict is against it.
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
    shared = PARAMETERS.replace("{methods}", "\n".join(_methods(estimator._task)))
    estimator.__doc__ = estimator.__doc__.replace("{parameters}", shared)
    return estimator


def _methods(task):
    """The methods of a task with their options, from the one list of the engine."""
    for method in _core.methods():
        if task in method.tasks:
            own = ", ".join(f"``{option.name}``" for option in method.options if option.serves(task))
            yield f'        "{method.name}": {in_python(method.sentence)}{f"; options {own}" if own else ""}.'

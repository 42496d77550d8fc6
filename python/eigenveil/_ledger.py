"""A budget that outlives the process."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass

from . import _core
from ._engine import job_text, plain
from ._errors import EigenveilError, in_python, whole
from ._rows import is_text
from ._surroundings import steps_that_learned


class Ledger:
    """One budget for all releases about a data set, kept in a file that other programs and processes spend from too.

    Every release that names it (``PrivatePCA(..., ledger=ledger)``, or ``EIGENVEIL_LEDGER`` for all of them) is charged, on the disk, before a row
    is read; nothing comes back when a fit fails. What does not fit is refused, and the message says what is left and what would fit. The promise
    holds although every release may be chosen after seeing the earlier ones.

    Parameters
    ----------
    path : path
        An existing ledger; :meth:`create` makes one.

    Attributes
    ----------
    path : str
    name : str
        Of the data set.
    entries : list of dict
        One for every release that was charged, in order.
    spent, left, caps : dict
        Of the accounts: mu, epsilon, delta.

    Examples
    --------
    >>> import os, tempfile, numpy as np, eigenveil
    >>> folder = tempfile.TemporaryDirectory()
    >>> ledger = eigenveil.Ledger.create(os.path.join(folder.name, "survey.ledger"), name="Survey 2026", epsilon=3, delta=1e-6)
    >>> rows = np.random.default_rng(0).normal(size=(1000, 3))
    >>> pca = eigenveil.PrivatePCA(epsilon=1, delta=1e-6, row_norm=4, ledger=ledger).fit(rows)
    >>> len(ledger.entries), ledger.entries[0]["method"]
    (1, 'gauss')
    """

    def __init__(self, path):
        self.path = _absolute(path)
        self.summary()  # refuses what is no ledger

    @classmethod
    def create(
        cls,
        path,
        *,
        name,
        epsilon=None,
        delta=None,
        rho=None,
        mu=None,
        basic_share=None,
        caps=None,
        neighbours="add-remove",
        group_size=1,
        person=None,
        allow_unproved=False,
        draws=None,
    ):
        """Make a new ledger. What it promises never changes.

        Parameters
        ----------
        path : path
            A new file; its key goes beside it, to ``path`` + ".key".
        name : str
            Of the data set, in your words; public.
        epsilon, delta, rho, mu : float, optional
            The promise: ``epsilon`` with ``delta``, ``epsilon`` alone (pure), ``rho`` or ``mu``.
        basic_share : float, optional
            With ``epsilon`` and ``delta``: the part kept for releases without Gaussian noise (0.25).
        caps : dict, optional
            Instead of a promise: ``{"mu": M, "epsilon": E, "delta": D}``, the cap of each account, for experts.
        neighbours, group_size
            What every release protects.
        person : str, optional
            Protect all rows with the same entry in this column; takes only releases that limit them.
        allow_unproved : bool, default=False
            Take releases that are not proved for every data set (sharp, spiked, ``seed``); after one of them nothing is promised.

        draws : float, optional
            What draws in doubles (orbit, exponential) may add to delta in all, beside the promise; as much as its delta where nothing is said, 1e-6
            without one.

        Returns
        -------
        Ledger
        """
        terms = {"epsilon": epsilon, "delta": delta, "rho": rho, "mu": mu, "basic_share": basic_share, "draws": draws, "person": person}
        terms = {key: plain(key, value) for key, value in terms.items() if value is not None}
        terms["caps"] = None if caps is None else {str(account): float(cap) for account, cap in caps.items()}
        terms["group_size"] = whole(group_size, "group_size", 1, 2**31 - 1)
        terms.update(name=str(name), neighbours=str(neighbours), allow_unproved=bool(allow_unproved))
        _core.ledger_create(_absolute(path), job_text(terms))
        return cls(path)

    def once(self, key="", *, out=None, format="csv", replace=False, data_set="", date="", builds_on=(), same_data=None):
        """This ledger for one release that may have to be repeated: ``ledger=ledger.once("june", out="june/")``.

        The first ``fit`` is charged and writes its release to ``out``. The same request under the same key again, in any process, after a crash too,
        is not charged: it reads that release, the same bits. Where the first run did not get that far its budget is spent, and the refusal says so.

        Parameters
        ----------
        key : str
            Names the release in the ledger, for ever. Empty: no retry.
        out : path, optional
            A new or empty directory, as for ``write_release``; a key needs one. Without it the release lives in the estimator alone.
        format : {"csv", "npy"}, default="csv"
            Of the arrays in ``out``.
        replace : bool, default=False
            ``out`` may hold an earlier release and nothing else; that release is then lost.
        data_set, date : str, optional
            A public name of the table where the ledger's is not enough, and a date in your words, to stand in the release.
        builds_on : list of path, optional
            Releases that this one was made with (``release.json`` or its directory). ``private_bounds(...).bounds`` and the release that
            ``private_scores`` stands on are written down by themselves.
        same_data : {"yes"}, optional
            These are the rows of earlier releases under the same name, changed on purpose or not at all: a keyed fingerprint of their sums is kept
            beside the ledger.

        Returns
        -------
        LedgerRelease
            For the parameter ``ledger`` of one estimator.
        """
        if format not in ("csv", "npy"):
            raise EigenveilError("format must be 'csv' or 'npy'")
        if key and out is None:
            raise EigenveilError("a key is for releases that can be found again: give out, a directory that the release is written to, or leave the key out")
        where = "" if out is None else _absolute(out)
        return LedgerRelease(self.path, str(key), where, format, bool(replace), str(data_set), str(date), tuple(map(_absolute, builds_on)), same_data or "")

    # ---- what it says ----------------------------------------------------------------------------------------------

    def summary(self):
        """Promise, caps, spent, left and all entries, as ``eigenveil ledger show --json`` gives them.

        Returns
        -------
        dict
        """
        return json.loads(_core.ledger_shown(self.path, "json"))

    name = property(lambda self: self.summary()["name"])
    entries = property(lambda self: self.summary()["entries"])
    caps = property(lambda self: self.summary()["caps"])
    spent = property(lambda self: self.summary()["spent"])
    left = property(lambda self: self.summary()["left"])

    def show(self):
        """Print what was promised, spent and published, as ``eigenveil ledger show`` does."""
        print(in_python(_core.ledger_shown(self.path, "text")), end="")

    def plan(self, releases):
        """Whether these releases would fit, one after the other; nothing is charged.

        Parameters
        ----------
        releases : list of dict
            ``{"method": "gauss", "epsilon": 1, "delta": 1e-6, "count": 3}``: a budget each, and what else ``eigenveil ledger plan`` takes.

        Returns
        -------
        str
        """
        return in_python(_core.ledger_plan(self.path, json.dumps(list(releases))))

    def verify(self, *releases):
        """Check every entry, and releases (``release.json`` or directories) against them.

        Parameters
        ----------
        *releases : path

        Raises
        ------
        EigenveilError
            Says everything that is wrong.
        """
        problems = _core.ledger_verify(self.path, [os.fsdecode(release) for release in releases])
        if problems:
            raise EigenveilError("; ".join(problems))

    def backup(self, path):
        """A copy as of one moment, without the key: it can be shown and verified, not spent from.

        Parameters
        ----------
        path : path
            A new file.
        """
        _core.ledger_backup(self.path, _absolute(path))

    def registry(self, curator=""):
        """A record for the public registry of deployments (opendp/deployments-registry-data), as YAML.

        Parameters
        ----------
        curator : {"", "government", "industry", "nonprofit"}, default=""
            Who publishes. Left out where nothing is said, though the registry asks for it.

        Returns
        -------
        str
        """
        return _core.ledger_shown(self.path, f"registry {curator}".strip())

    def __repr__(self):
        return f"Ledger({self.path!r})"

    def __str__(self):
        return in_python(_core.ledger_shown(self.path, "text"))

    def _repr_html_(self) -> str:
        return _core.ledger_shown(self.path, "html")

    def __eq__(self, other):
        return type(other) is Ledger and other.path == self.path

    def __hash__(self) -> int:
        return hash(self.path)


@dataclass(frozen=True)
class LedgerRelease:
    """A ledger for one release, as :meth:`Ledger.once` makes it."""

    path: str
    key: str = ""
    out: str = ""
    format: str = "csv"
    replace: bool = False
    data_set: str = ""
    date: str = ""
    builds_on: tuple[str, ...] = ()
    same_data: str = ""


def check_public_shape(data, header, ledger):
    """With a ledger a text file's columns must be known without looking at a row: in its header line."""
    if not is_text(data) or header in ("present", "numbers") or ledger_of(ledger) is None:
        return
    if header == "absent":
        raise EigenveilError(
            "with a ledger the number of columns is not read off a row before the budget is reserved: give the file a header line, or read it into a table first"
        )
    raise EigenveilError("with a ledger nothing is read before the budget is reserved: give header='present'")


def ledger_of(given):
    """Where the releases of an estimator are charged, by its parameter or the shell's EIGENVEIL_LEDGER; None where nowhere."""
    if given is None:
        given = os.environ.get("EIGENVEIL_LEDGER") or None
    if given is None or isinstance(given, LedgerRelease):
        return given
    if isinstance(given, Ledger):
        return LedgerRelease(given.path)
    if isinstance(given, (str, bytes, os.PathLike)):
        return LedgerRelease(_absolute(given))
    raise EigenveilError("ledger is a Ledger, what Ledger.once gives, or the path of a ledger")


def ledger_keys(given, bounds=None):
    """What a job says of the ledger that its release is charged to; nothing without one. ``bounds`` may come from a release."""
    place = ledger_of(given)
    if place is None:
        return {}
    out = {"folder": place.out, "arrays": place.format, "replace": place.replace} if place.out else None
    return {
        "ledger": place.path, "ledger_key": place.key, "data_set": place.data_set, "date": place.date, "builds_on": list(place.builds_on),
        "checksums": _found_in(bounds), "same_data": place.same_data, "out": out, "kept": True,
    }  # fmt: skip


def check_nothing_learned(estimator):
    """A pipeline's step that was fitted on the rows would make a ledger's promise void."""
    learned = steps_that_learned(estimator) if ledger_of(estimator.ledger) is not None else []
    if learned:
        raise EigenveilError(
            f"{' and '.join(dict.fromkeys(learned))} learns from the private rows before the release, without noise: the ledger's promise would "
            "not hold. Scale by public bounds instead, or freeze what was fitted on public rows"
        )


def _found_in(bounds):
    """The release that bounds come from, where one found them."""
    release = getattr(bounds, "release", "")
    return [release] if release else []


def _absolute(path):
    return os.path.abspath(os.fsdecode(path))

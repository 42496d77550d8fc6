"""Writes ``__init__.pyi``, the types of the public names for editors and type checkers: ``stub.py FOLDER_OF_CORE OUT``.

Names and defaults are read off the modules, types off their docstrings (``name : int, default=1``) where no annotation says more, so that a
parameter stands in one place; a type that is in no list below stops the build. Nothing is imported but the compiled module, for the names of the
methods: a wheel is built where scikit-learn is not. Its classes are written out, since a base of unknown type would make every misspelt name acceptable.
"""

import ast
import functools
import inspect
import re
import sys
from pathlib import Path

PACKAGE = Path(__file__).parent / "eigenveil"
HEAD = '''"""Types of the public names, by python/stub.py."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self, TypedDict, Unpack

class _HasArray(Protocol):
    def __array__(self) -> NDArray[Any]: ...

__version__: str
_Int: TypeAlias = int | np.integer[Any]
_Float: TypeAlias = float | np.floating[Any] | np.integer[Any]
_Path: TypeAlias = str | bytes | PathLike[str] | PathLike[bytes]
_Numbers: TypeAlias = Sequence[_Float] | Sequence[Sequence[_Float]] | NDArray[Any] | _HasArray

class _BaseEstimator:
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Self: ...
    def get_metadata_routing(self) -> Any: ...

class _TransformerMixin:
    def fit_transform(self, X: Any, y: object = None, **fit_params: Any) -> NDArray[Any]: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = None) -> Self: ...

class _ClassNamePrefixFeaturesOutMixin:
    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> NDArray[np.object_]: ...
'''

# Words of docstrings: what is given may be of any kind that serves, what is returned is said as it is.
GIVEN = {
    "float": "_Float",
    "int": "_Int",
    "str": "str",
    "bool": "bool",
    "path": "_Path",
    "paths": "_Path",
    "bytes": "bytes",
    "dict": "Mapping[str, Any]",
    "mapping": "Mapping[str, Any]",
    "array": "_Numbers",
    "ndarray": "_Numbers",
    "vector": "_Numbers",
    "data frame": "_HasArray",
    "sparse array": "Any",
    "Arrow data": "Any",
    "tables": "Any",
    "generator of such tables": "Any",
    "what :meth:`Ledger.once` gives": "LedgerRelease",
    "method name": "_Method",
    "ignored": "object",
    "sequence of float": "Sequence[float]",
    "sequence of int": "Sequence[_Int]",
    "iterable of 2D arrays": "Iterable[Any]",
    "iterable of bytes or Gram": "Iterable[bytes | Gram]",
    "(low, high)": "Sequence[_Float]",
    "(int, int)": "Sequence[_Int]",
    "(run, index, count)": "tuple[str, int, int]",
    "(str, list of str)": "tuple[str, Sequence[object]]",
    "{str: list of str}": "Mapping[str, Sequence[object]]",
}
RETURNED = {
    **{word: word for word in ("float", "int", "str", "bool", "bytes", "None")},
    "dict": "dict[str, Any]",
    "self": "Self",
    "ndarray": "NDArray[np.float64]",
    "ndarray of str": "NDArray[np.object_]",
    "ndarray of bool": "NDArray[np.bool_]",
    "real or complex ndarray": "NDArray[Any]",
    "complex ndarray": "NDArray[np.complex128]",
    "tuple of (str, str)": "tuple[tuple[str, str], ...]",
    "(type_one, type_two, low, high, predicted)": "tuple[float, float, float, float, float]",
}
SHAPE = re.compile(r" of shape \((?:[^()]|\([^()]*\))*\)(?: or \([^()]*\))?")


def type_of(said, words, where):
    """The type that a docstring says: words of the list, names of classes, ``{"one", "two"}``, ``list of ...``, with ``or`` and commas between."""
    said = SHAPE.sub("", re.sub(",? ?(default=.*|optional)$", "", said))
    known = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    grammar = rf'\{{"[^}}]*\}}|list of (?:list of )?(?:\([^()]*\)|\w+)|dict of \w+|(?:{known})(?!\w)|\w+(?:\.\w+)+|[A-Z]\w+'
    types = [_one_type(phrase, words, where) for phrase in re.findall(grammar, said)]
    if not types or re.sub("(, or |, | or )", "", re.sub(grammar, "", said)):
        raise SystemExit(f"{where} is '{said}', which python/stub.py does not know as a type")
    return " | ".join(dict.fromkeys(types))


def _one_type(phrase, words, where):
    if phrase in words:
        return words[phrase]
    if phrase.startswith("list of "):
        return f"{'Sequence' if words is GIVEN else 'list'}[{type_of(phrase.removeprefix('list of '), words, where)}]"
    if phrase.startswith("dict of "):
        return f"dict[str, {type_of(phrase.removeprefix('dict of '), words, where)}]"
    if phrase.startswith("{"):
        return f"Literal[{phrase[1:-1]}]"
    return "Any" if "." in phrase else phrase  # of another package, or a class of this one


@functools.cache
def module(name):
    return ast.parse((PACKAGE / f"{name}.py").read_text())


def constant(home, name):
    return next(ast.literal_eval(node.value) for node in module(home).body if isinstance(node, ast.Assign) and node.targets[0].id == name)


def definition(home, name):
    return next(node for node in module(home).body if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name)


def method(owner, name):
    return next((member for member in owner.body if isinstance(member, ast.FunctionDef) and member.name == name), None)


HOMES = {home: names.split() for home, names in constant("__init__", "_HOMES").items() if home != "_core"}
# Not public, but public classes inherit from them, or hold them.
HIDDEN = {"_plans": ["ComparedMethod"], "_estimator": ["PrivateEstimator"], "_projection": ["ProjectionMixin"]}
HIDDEN_NAMES = [name for names in HIDDEN.values() for name in names]


def docstring(node):
    return ast.get_docstring(node, clean=False) or ""


def section(text, title):
    """The lines of a section of a docstring that are not indented."""
    text = inspect.cleandoc(text.replace("{parameters}", constant("_docs", "PARAMETERS").replace("{methods}", "")))
    _, _, rest = text.partition(f"{title}\n{'-' * len(title)}\n")
    return [line for line in re.split(r"\n\n[A-Z]\w+\n-", rest)[0].splitlines() if line and not line.startswith(" ")]


def entries(text, title):
    """What a section says of every name; None where it points elsewhere."""
    listed = {}
    for line in section(text, title):
        names, _, said = line.partition(" : ")
        listed.update({name.strip(" *"): None if said.startswith("as in") else said or None for name in names.split(",")})
    return listed


@functools.cache
def elsewhere(title):
    """What the docstrings of the package say of a name: for those that point elsewhere."""
    shared = entries("\n    Parameters\n    ----------\n{parameters}", title)
    for home in (*HIDDEN, *HOMES):
        for node in ast.walk(module(home)):
            for name, said in entries(docstring(node), title).items() if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else ():
                shared[name] = shared.get(name) or said
    return shared


def parameters(function, owner=None):
    """(star, name, type, default) of the parameters of a function; those of a method without self."""
    given, text = function.args, docstring(owner if function.name == "__init__" else function)
    said, where = entries(text, "Parameters"), f"{owner.name}.{function.name}" if owner else function.name

    def described(star, argument, default=None):
        if argument.annotation is not None:
            return star, argument.arg, ast.unparse(argument.annotation), default
        if star == "**":
            those = re.search(r"Those of :class:`(\w+)`", text)
            return star, argument.arg, f"Unpack[_{those[1]}Parameters]" if those else "Any", default
        kind = type_of(said.get(argument.arg) or elsewhere("Parameters").get(argument.arg, ""), GIVEN, f"{argument.arg} of {where}")
        kind = kind.replace("_Method", method_type(task_of(owner)))
        may_be_none = isinstance(default, ast.Constant) and default.value is None and kind != "object"
        return star, argument.arg, f"{kind} | None" if may_be_none else kind, default

    positional = given.args[1:] if owner else given.args
    defaults = [None] * (len(positional) - len(given.defaults)) + given.defaults
    found = [described("", *pair) for pair in zip(positional, defaults)]
    found += [described("*", given.vararg)] if given.vararg else [("*", "", "", None)] if given.kwonlyargs or inherits(function) else []
    found += [described("", *pair) for pair in zip(given.kwonlyargs, given.kw_defaults)]
    if inherits(function):
        shared = method(definition("_estimator", "PrivateEstimator"), "__init__").args
        wanted = [ast.literal_eval(names) for names in inherits(function).args[1:]]
        return found + [
            described("", argument, default)
            for argument, default in zip(shared.kwonlyargs, shared.kw_defaults)
            if argument.arg not in {name for _, name, _, _ in found} and (not wanted or argument.arg in wanted[0].split())
        ]
    return found + ([described("**", given.kwarg)] if given.kwarg else [])


def task_of(owner):
    """Of an estimator; None of functions and other classes."""
    body = owner.body if owner else ()
    return next((ast.literal_eval(node.value) for node in body if isinstance(node, ast.Assign) and node.targets[0].id == "_task"), None)


def method_type(task):
    return f"_{(task or '').capitalize()}Method"


def inherits(function):
    """The decorator that brings parameters of the estimators, if there is one."""
    return next((mark for mark in function.decorator_list if isinstance(mark, ast.Call) and mark.func.id == "shared_parameters"), None)


def marks(node, of):
    return [mark.id for mark in node.decorator_list if isinstance(mark, ast.Name) and mark.id in of]


def signature(function, owner=None):
    """The lines of a function, or of a method."""
    listed = ["cls" if marks(function, ["classmethod"]) else "self"] if owner else []
    for star, name, kind, default in parameters(function, owner):
        listed.append(star + name + (f": {kind}" if kind else "") + (f" = {ast.unparse(default)}" if default is not None else ""))
    said = [*section(docstring(function), "Returns"), "None"][0]
    returned = ast.unparse(function.returns) if function.returns else type_of(said, RETURNED, f"the result of {function.name}")
    return [f"@{mark}" for mark in marks(function, ["classmethod", "property"])] + [f"def {function.name}({', '.join(listed)}) -> {returned}: ..."]


def members(owner, hidden):
    """The lines of a class: attributes of its docstring, its fields, and methods that are public or say what they return."""
    attributes = {name: said or elsewhere("Attributes")[name] for name, said in entries(docstring(owner), "Attributes").items() if name.isidentifier()}
    lines = []
    for member in owner.body:
        if isinstance(member, ast.AnnAssign):
            attributes.pop(member.target.id, None)
            lines.append(f"{member.target.id}: {ast.unparse(member.annotation)}" + (" = ..." if member.value else ""))
        elif isinstance(member, ast.FunctionDef) and (not member.name.startswith("_") or member.returns or (member.name == "__init__" and not hidden)):
            if member.name == "__init__" and member.decorator_list:  # of an estimator, whose parameters are attributes
                lines += [f"{name}: {kind}" for _, name, kind, _ in parameters(member, owner) if name]
            lines += [] if member.name in attributes else signature(member, owner)
    return [f"{name}: {type_of(said, RETURNED, f'{owner.name}.{name}')}" for name, said in attributes.items()] + lines


def declared(home, name):
    """The lines of a public name."""
    node = definition(home, name)
    if isinstance(node, ast.FunctionDef):
        return signature(node)
    bases = ", ".join(f"_{base.id}" if base.id in [*HIDDEN_NAMES, "BaseEstimator"] or base.id.endswith("Mixin") else base.id for base in node.bases)
    frozen = ["@dataclass(frozen=True)"] if any(isinstance(mark, ast.Call) and mark.func.id == "dataclass" for mark in node.decorator_list) else []
    own_name = f"_{name}" if name in HIDDEN_NAMES else name
    return [*frozen, f"class {own_name}{f'({bases})' if bases else ''}:", *(f"    {line}" for line in members(node, name in HIDDEN_NAMES) or ["..."])]


def keywords(home, name):
    """The parameters of an estimator, for functions that take them all."""
    init = method(definition(home, name), "__init__")
    listed = [f"    {parameter}: {kind}" for _, parameter, kind, _ in parameters(init, definition(home, name)) if parameter not in ("", "rows")]
    return [f"class _{name}Parameters(TypedDict, total=False):", *listed]


def stub(methods):
    lines = [HEAD]
    for task in ("pca", "covariance", "mask"):  # a low rank has no parameters of its own
        names = ["auto", *(method.name for method in methods if task in method.tasks)]
        lines += [f"{method_type(task)}: TypeAlias = Literal[{', '.join(map(repr, names))}]"]
    lines += [f"from ._core import {name} as {name}" for name in constant("__init__", "_HOMES")["_core"].split() if name != "__version__"]
    for homes in (HIDDEN, HOMES):
        for home, names in homes.items():
            for name in names:
                lines += ["", *declared(home, name)]
    for home, name in (("_pca", "PrivatePCA"), ("_covariance", "PrivateCovariance"), ("_masked", "MaskedData"), ("_subspace", "PrivateSubspace")):
        lines += ["", *keywords(home, name)]
    return re.sub(r"\b_core\.", "", "\n".join(lines).replace("ComparedMethod]", "_ComparedMethod]")) + "\n"


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    import _core

    Path(sys.argv[2]).write_text(stub(_core.methods()))

"""The types that editors and checkers see are those of the code that runs."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import eigenveil
from eigenveil._engine import method_names

PACKAGE = Path(eigenveil.__file__).parent
TREE = ast.parse((PACKAGE / "__init__.pyi").read_text())
CLASSES = {node.name: node for node in TREE.body if isinstance(node, ast.ClassDef)}
FUNCTIONS = {node.name: node for node in TREE.body if isinstance(node, ast.FunctionDef)}
ESTIMATORS = ["PrivatePCA", "PrivateLowRank", "PrivateCovariance", "MaskedData", "PrivateSubspace"]
NEEDED = inspect.Parameter.empty


def written(node):
    """(kind, name, default) of every parameter in a stub."""
    given, kinds = node.args, inspect.Parameter
    positional = given.posonlyargs + given.args
    defaults = [NEEDED] * (len(positional) - len(given.defaults)) + [ast.literal_eval(value) for value in given.defaults]
    found = [(kinds.POSITIONAL_OR_KEYWORD, argument.arg, default) for argument, default in zip(positional, defaults)]
    found += [(kinds.VAR_POSITIONAL, given.vararg.arg, NEEDED)] if given.vararg else []
    keyword_only = zip(given.kwonlyargs, given.kw_defaults)
    found += [(kinds.KEYWORD_ONLY, argument.arg, NEEDED if value is None else ast.literal_eval(value)) for argument, value in keyword_only]
    return found + ([(kinds.VAR_KEYWORD, given.kwarg.arg, NEEDED)] if given.kwarg else [])


def running(function):
    return [(p.kind, p.name, p.default) for p in inspect.signature(function).parameters.values()]


def line_of(name):
    """A class of the stub and its bases, nearest first."""
    if name not in CLASSES:
        return []
    bases = [base.id for base in CLASSES[name].bases if isinstance(base, ast.Name)]
    return [CLASSES[name], *(node for base in bases for node in line_of(base))]


def members(name, kind):
    found = {}
    for node in line_of(name):
        for member in node.body:
            if isinstance(member, kind):
                found.setdefault(member.name if kind is ast.FunctionDef else member.target.id, member)
    return found


def test_every_public_name_has_a_type():
    imported = {alias.asname for node in TREE.body if isinstance(node, ast.ImportFrom) for alias in node.names if alias.asname}
    assert imported | {name for name in (*CLASSES, *FUNCTIONS) if not name.startswith("_")} | {"__version__"} == set(eigenveil.__all__)
    assert (PACKAGE / "py.typed").exists()


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_functions(name):
    assert written(FUNCTIONS[name]) == running(getattr(eigenveil, name))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_methods_of_estimators(name):
    estimator, stub = getattr(eigenveil, name), members(name, ast.FunctionDef)
    public = {method for method in dir(estimator) if not method.startswith("_") and callable(getattr(estimator, method))}
    assert public - {"set_fit_request"} == set(stub) - {"__init__"}
    for method in stub:
        assert written(stub[method]) == running(getattr(estimator, method)), method


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_parameter_is_an_attribute(name):
    attributes = set(members(name, ast.AnnAssign))
    assert set(getattr(eigenveil, name)().get_params()) == {attribute for attribute in attributes if not attribute.endswith("_")}


def test_released_attributes_are_in_the_stub(rows):
    for name, parameters in {
        "PrivatePCA": dict(n_components=2, mu=1, bounds=(0, 10)),
        "PrivateLowRank": dict(n_components=2, mu=1, bounds=(0, 10)),
        "PrivateCovariance": dict(mu=1, bounds=(0, 10)),
        "MaskedData": dict(mu=1, bounds=(0, 10), intercept=True),
        "PrivateSubspace": dict(epsilon=1, delta=1e-6, exact=True),
    }.items():
        fitted = getattr(eigenveil, name)(**parameters).fit(rows.round())
        released = {attribute for attribute in vars(fitted) if attribute.endswith("_") and not attribute.startswith("_")}
        assert released <= set(members(name, ast.AnnAssign)), name


@pytest.mark.parametrize(
    "stub, name",
    [(f"_{name}Parameters", name) for name in ("PrivatePCA", "PrivateCovariance", "MaskedData", "PrivateSubspace")],
)
def test_parameters_of_plans_are_those_of_the_estimator(stub, name):
    types = {key: ast.unparse(node.annotation) for key, node in members(stub, ast.AnnAssign).items()}
    init = members(name, ast.FunctionDef)["__init__"].args  # rows is a parameter of the plan itself
    assert types == {argument.arg: ast.unparse(argument.annotation) for argument in init.args[1:] + init.kwonlyargs if argument.arg != "rows"}


@pytest.mark.parametrize("task", ["pca", "covariance", "mask"])
def test_methods_of_a_task_are_all_listed_once(task):
    node = next(node for node in TREE.body if isinstance(node, ast.AnnAssign) and node.target.id == f"_{task.capitalize()}Method")
    assert list(ast.literal_eval(node.value.slice)) == ["auto", *method_names(task)]


@pytest.mark.parametrize("make", [eigenveil.PrivatePCA, eigenveil.PrivateSubspace, lambda **given: eigenveil.plan_pca(100, 3, **given)])
@pytest.mark.parametrize(
    "given, meant", [("eps", "epsilon"), ("epsilonn", "epsilon"), ("neighbors", "neighbours"), ("random_state", "seed"), ("n_jobs", "threads")]
)
def test_did_you_mean(make, given, meant):
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{given}'; did you mean '{meant}'") as refused:
        make(**{given: 1})
    assert ("NOT PRIVATE" in str(refused.value)) == (meant == "seed")


def test_no_suggestion_from_far_away():
    with pytest.raises(TypeError, match="unexpected keyword argument 'zzz'$"):
        eigenveil.PrivateCovariance(zzz=1)
    with pytest.raises(TypeError, match="'k'$"):
        eigenveil.PrivateCovariance(k=1)  # has no n_components


GOOD = '''
import numpy as np
import eigenveil
import eigenveil.dask
import eigenveil.spark
from eigenveil import PrivatePCA, MaskedData, plan_pca

pca = PrivatePCA(np.int64(2), epsilon=1, delta=1e-6, bounds={"a": (0, 1), "b": (0, 2)}, center=np.zeros(2)).fit(np.ones((3, 2)))
loss: float = pca.guarantee_.epsilon(1e-6) + float(pca.explained_variance_[0]) + pca.score([[1.0, 2.0]])
masked: MaskedData = MaskedData(mu=1, bounds=(0, 1), intercept=True).fit("rows.csv", blocks=["more.csv"])
noise: float = plan_pca(100, 3, n_components=2, rho=0.5, bounds=[(0, 1), (0, 1), (0, 1)]).noise_sd_rows
summed: eigenveil.Gram = eigenveil.spark.gram(None, ["a"], row_norm=1.0) if noise else eigenveil.dask.gram(None, row_norm=1.0)
names: list[str] = [method.name for method in eigenveil.compare_pca(100, [2.0, 1.0], mu=1, row_norm=2).methods]
'''
BAD = '''
from eigenveil import MaskedData, PrivatePCA, PrivateSubspace, plan_pca, explain
PrivatePCA("two")
PrivatePCA(2, epsilonn=1)
PrivatePCA(2, method="guass")
PrivatePCA(2, method="mask")
MaskedData(method="oja")
PrivatePCA(2, center="privat")
PrivateSubspace(2, rho=1)
plan_pca(100, 3, eps=1)
plan_pca("many")
PrivatePCA(2).componentz_
explain(3)
'''


def test_a_type_checker_accepts_good_programs_and_every_line_of_a_bad_one_is_refused(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "bad.py").write_text(BAD)
    (tmp_path / "mypy.ini").write_text(f"[mypy]\nmypy_path = {PACKAGE.parent}\nstrict = True\nfollow_imports = silent\n")
    command = [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", "--cache-dir", str(tmp_path / "cache"), "--no-error-summary"]
    command += ["good.py", "bad.py", str(PACKAGE / "__init__.pyi")]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout
    lines = [line for line in said.splitlines() if ": error:" in line and "_core" not in line]  # a stub that nanobind makes, or does not
    assert not [line for line in lines if not line.startswith("bad.py:")], said
    assert {int(line.split(":")[1]) for line in lines} == set(range(3, 1 + len(BAD.splitlines()))), said

"""What the documents show is run: docstrings, the README's program, the guide, the notebooks, the API reference."""

import ast
import doctest
import importlib
import pathlib
import pkgutil
import re
import subprocess
import sys
import warnings

import pytest

import eigenveil

ROOT = pathlib.Path(__file__).parents[2]
MODULES = ["eigenveil"] + [f"eigenveil.{m.name}" for m in pkgutil.walk_packages(eigenveil.__path__) if m.name != "_core"]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", eigenveil.PrivacyWarning)
        result = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert result.failed == 0


@pytest.mark.parametrize("name", [n for n in eigenveil.__all__ if n != "__version__"])
def test_public_names_are_documented(name):
    text = getattr(eigenveil, name).__doc__
    assert text and len(text.split()) >= 3


@pytest.mark.parametrize("name", [n for n in eigenveil.__all__ if n.startswith(("Private", "Masked", "Guarantee", "plan_", "compare", "compose", "audit", "sample", "to_"))])
def test_docstrings_are_numpydoc_with_an_example_that_runs(name):
    text = getattr(eigenveil, name).__doc__
    sections = re.findall(r"^ *([A-Z]\w+)\n *-{4,}$", text, flags=re.M)
    assert "Parameters" in sections and "Examples" in sections
    if getattr(eigenveil, name).__module__ == "eigenveil._core":  # doctest does not look into compiled modules
        runner = doctest.DocTestRunner(verbose=False)
        for test in doctest.DocTestFinder().find(getattr(eigenveil, name), name, globs={}, module=False):
            runner.run(test)
        assert runner.failures == 0 and runner.tries > 0


def _python_blocks(path):
    return [program for program, _, _ in _shown(path)]


def _shown(path):
    """Every program of a page, with the output that stands below it and how it is marked: `noisy` where its numbers are drawn."""
    return re.findall(r"```python\n(.*?)```(?:\s*```text( noisy)?\n(.*?)```)?", path.read_text(), flags=re.S)


NUMBERS = re.compile(r"-?\d+(?:\.\d*)?(?:e[+-]?\d+)?")


def _assert_printed(printed, shown, noisy, program):
    """The same words; the same numbers but for one unit of the last digit shown, which another BLAS may round otherwise. Spaces pad numbers, and lines are folded on a page."""
    words = [re.sub(r"\s+", "", NUMBERS.sub("#", text)) for text in (printed, shown)]
    assert words[0] == words[1], program
    if not noisy:
        for one, other in zip(NUMBERS.findall(printed), NUMBERS.findall(shown)):
            mantissa, _, exponent = other.partition("e")
            unit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
            assert abs(float(one) - float(other)) <= (1.001 * unit if "." in other else 0.0), program


def _assert_values(program, namespace):
    """`name   # literal` and `name   # (shape): ...`: what a comment says a line gives is what it gives."""
    checked = 0
    for value, comment in re.findall(r"^([\w.]+) +# ([^\n;:]+)", program, flags=re.M):
        try:
            shown = ast.literal_eval(comment.strip())
        except (SyntaxError, ValueError):
            continue  # words
        found = eval(value, namespace)
        assert getattr(found, "shape", found) == shown, f"{value} is not {shown}"
        checked += 1
    return checked


def _run(program, page, namespace, capsys):
    capsys.readouterr()
    exec(compile(program, page, "exec"), namespace)
    return capsys.readouterr().out


def test_readme_program(tmp_path, monkeypatch, capsys):
    """The five lines of the README print the text below them, up to the noise."""
    monkeypatch.chdir(tmp_path)
    ((program, noisy, output),) = _shown(ROOT / "README.md")
    assert output
    _assert_printed(_run(program, "README.md", {}, capsys), output, noisy, program)


def test_guide_prints_what_it_shows(tmp_path, monkeypatch, capsys):
    """Every block of docs/python.md, one after the other, in one namespace: whatever is printed stands below it."""
    monkeypatch.chdir(tmp_path)
    namespace, outputs, values = {}, 0, 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", eigenveil.PrivacyWarning)
        warnings.simplefilter("ignore", eigenveil.ResultWarning)
        for program, noisy, output in _shown(ROOT / "docs" / "python.md"):
            _assert_printed(_run(program, "docs/python.md", namespace, capsys), output, noisy, program)
            values += _assert_values(program, namespace)
            outputs += bool(output)
    assert outputs >= 5 and values >= 4


def test_a_changed_output_is_seen():
    for printed, shown, noisy in (("mu 1.25", "mu 1.27", ""), ("mu 1.25", "nu 1.25", " noisy"), ("3 rows", "4 rows", ""), ("3 rows", "", ""), ("stands", "REFUTED", " noisy")):
        with pytest.raises(AssertionError):
            _assert_printed(printed, shown, noisy, "")
    _assert_printed("mu 1.25\n", "mu\n1.26", "", "")
    _assert_printed("[9.0 4.1]", "[9.01 4.]", " noisy", "")
    with pytest.raises(AssertionError):
        _assert_values("x     # [1, 2]", {"x": [1, 3]})


def test_the_page_of_an_index_stands_alone():
    """What pyproject.toml names as readme is shown where no other file is: its program runs, and no link is relative."""
    page = ROOT / re.search(r'^readme = "([^"]+)"', (ROOT / "pyproject.toml").read_text(), flags=re.M)[1]
    assert [link for link in re.findall(r"\]\(([^)]+)\)", page.read_text()) if not link.startswith("https://")] == []
    (program,) = _python_blocks(page)
    exec(compile(program, str(page), "exec"), {})


@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")), ids=lambda p: p.stem)
def test_notebook(path):
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient").NotebookClient
    stored = nbformat.read(path, 4)
    run = client(nbformat.read(path, 4), timeout=300, kernel_name="python3").execute()
    assert any("image/png" in output.get("data", {}) for cell in stored.cells for output in cell.get("outputs", ()))
    for shown, made in zip(stored.cells, run.cells):
        assert _kinds(shown) == _kinds(made), shown.source
    assert path.stat().st_size < 200_000


def _kinds(cell):
    """What a reader sees below a cell: text, a table, a picture. What was drawn differs from run to run."""
    return {kind for output in cell.get("outputs", ()) for kind in (output.get("data") or {output.get("name"): None})}


def test_api_reference_has_no_warnings(tmp_path):
    pytest.importorskip("pdoc")
    command = [sys.executable, "-W", "error::UserWarning", "-m", "pdoc", "-d", "numpy", "-o", str(tmp_path), "eigenveil"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and "warn" not in done.stderr.lower(), done.stderr
    page = (tmp_path / "eigenveil.html").read_text()
    for name in ("PrivatePCA", "PrivateCovariance", "Guarantee", "sample_orbit", "to_dp_accounting"):
        assert f'id="{name}"' in page

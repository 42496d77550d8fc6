"""What the documents show is run: docstrings, the README's program, the guide, the notebooks, the API reference."""

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
    return re.findall(r"```python\n(.*?)```", path.read_text(), flags=re.S)


def test_readme_program(tmp_path, monkeypatch, capsys):
    """The five lines of the README print the text below them, up to the noise."""
    text = (ROOT / "README.md").read_text()
    program, output = re.search(r"```python\n(.*?)```\s*```text\n(.*?)```", text, flags=re.S).groups()
    monkeypatch.chdir(tmp_path)
    exec(compile(program, "README.md", "exec"), {})
    # NumPy pads and shortens numbers by their digits, which are noise.
    numbers = re.compile(r"-?\d+\.\d*(e[+-]?\d+)?")
    strip = lambda s: re.sub(r"\s+", "", numbers.sub("#", s))  # noqa: E731
    assert strip(capsys.readouterr().out) == strip(output)


def test_guide_runs(tmp_path, monkeypatch):
    """Every block of docs/python.md, one after the other, in one namespace."""
    monkeypatch.chdir(tmp_path)
    namespace = {}
    blocks = _python_blocks(ROOT / "docs" / "python.md")
    assert len(blocks) >= 6
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", eigenveil.PrivacyWarning)
        for block in blocks:
            exec(compile(block, "docs/python.md", "exec"), namespace)


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
    client(nbformat.read(path, 4), timeout=300, kernel_name="python3").execute()


def test_api_reference_has_no_warnings(tmp_path):
    pytest.importorskip("pdoc")
    command = [sys.executable, "-W", "error::UserWarning", "-m", "pdoc", "-d", "numpy", "-o", str(tmp_path), "eigenveil", "!eigenveil.methods"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and "warn" not in done.stderr.lower(), done.stderr
    page = (tmp_path / "eigenveil.html").read_text()
    for name in ("PrivatePCA", "PrivateCovariance", "Guarantee", "sample_orbit", "to_dp_accounting"):
        assert f'id="{name}"' in page

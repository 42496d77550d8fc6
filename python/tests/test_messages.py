"""What the C++ library says reaches Python in the words of Python."""

import ast
import re
from pathlib import Path

import pytest

import eigenveil
from eigenveil import EigenveilError, MaskedData, PrivatePCA, PrivateSubspace
from eigenveil._errors import in_python

ROOT = Path(__file__).resolve().parents[2]
LITERALS = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*')


def library_sentences():
    """Every string of the library, adjacent literals joined as the compiler does."""
    for path in sorted((ROOT / "src").rglob("*.[ch]pp")):
        for literal in LITERALS.finditer(re.sub(r"//.*|#include.*", "", path.read_text())):
            yield path.name, "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', literal[0]))


def test_no_option_of_the_command_line_is_left():
    sentences = [(name, text) for name, text in library_sentences() if " " in text]
    speaking = [text for _, text in sentences if re.search(r"(?<![\w-])--?[a-z]|\{[a-z]", text)]
    assert len(speaking) > 40  # the search finds them
    for name, text in sentences:
        said = in_python(text)
        assert "--" not in said and not re.search(r"(?<![\w-])-k\b", said), (name, said)


@pytest.mark.parametrize(
    "said, instead",
    [
        ("give {epsilon E} and {delta D}, or choose {method gauss} for {rho} and {mu}", "give epsilon=E and delta=D, or choose method='gauss' for rho and mu"),
        ("use {neighbours zero-row} or {neighbours replace-one}", "use neighbours='zero-row' or neighbours='replace-one'"),
        ("leave out {group_size} or {calibration published}", "leave out group_size or calibration='published'"),
        ("count such cells as missing with {bad_cell midpoint}", "count such cells as missing with bad_cell='midpoint'"),
        ("give {out} another name, or {replace}", "give another name, or replace=True"),
        ("take {method laplace} with {components} and {dimension 2}", "take method='laplace' with n_components and dimension=2"),
        ("say {center none}; {range} and {row_norm R}", "say center='none'; bounds and row_norm=R"),
        ("a two-row and well-known word", "a two-row and well-known word"),
    ],
)
def test_in_python(said, instead):
    assert in_python(said) == instead


def test_messages_of_the_package_speak_python():
    """Docstrings name options of the command line where that helps; messages never do."""
    for path in sorted(Path(eigenveil.__file__).parent.rglob("*.py")):
        if path.name == "_errors.py":
            continue  # the translation itself
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Raise):
                for text in (part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)):
                    assert "--" not in text, (path.name, text)


def test_reached_messages(rows, tmp_path):
    """Some of them, all the way."""
    (tmp_path / "mixed.csv").write_text("a,2\n1,2\n")
    (tmp_path / "semicolons.csv").write_text("a;b\n1;2\n")
    (tmp_path / "words.csv").write_text("a,b\n1,red\n")
    refused = {
        lambda: PrivatePCA(mu=-1, row_norm=1).fit(rows): "mu must",
        lambda: PrivatePCA(epsilon=1, row_norm=1, method="gauss").fit(rows): "add delta, or give rho or mu",
        lambda: PrivatePCA(mu=1, row_norm=1, method="oja").fit(rows): "neighbours='replace-one' or neighbours='zero-row'",
        lambda: MaskedData(mu=1, row_norm=1, method="mask").fit(rows): "epsilon=E and delta=D",
        lambda: PrivateSubspace(epsilon=1, delta=1e-6, gamma=2).fit(rows): "gamma must be between",
        lambda: PrivatePCA(mu=1, row_norm=1).fit(tmp_path / "mixed.csv"): "header='numbers'",
        lambda: PrivatePCA(mu=1, row_norm=1).fit(tmp_path / "semicolons.csv"): "separator='comma', 'semicolon'",
        lambda: PrivatePCA(mu=1, row_norm=1).fit(tmp_path / "words.csv"): "one_hot turns words",
        lambda: PrivatePCA(mu=1, row_norm=1, columns=["z"]).fit(tmp_path / "words.csv"): "no column z",
    }
    for attempt, message in refused.items():
        with pytest.raises(EigenveilError, match=message) as caught:
            attempt()
        assert "--" not in str(caught.value) and "\n" not in str(caught.value)


def test_names_from_outside_are_not_spelled_as_parameters():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"{row_norm}": [0.0, 1.0], "{method gauss}": [1.0, 0.0]})
    with pytest.raises(EigenveilError) as refused:
        PrivatePCA(1, mu=1, bounds=(0, 1), columns=["{neighbours zero-row}"]).fit(frame)
    said = str(refused.value)
    assert "neighbours zero-row}" in said and "neighbours='zero-row'" not in said
    assert "row_norm" not in said or "{ row_norm}" in said

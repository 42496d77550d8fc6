"""A method that stands in one file (tests/cli/one_more_method.cpp) is found in Python: docstring, plan, release, explain, report."""

import os
import pathlib
import subprocess
import sys

import pytest

SCRIPT = """
import sys
import numpy as np
import eigenveil
from eigenveil import PrivatePCA, explain, plan_pca, read_release

asked = dict(mu=1, bounds=(0, 1), method="one-more", method_options={"one_more_share": 0.5})
assert '"one-more": a method that a test brought along; options ``one_more_share``' in PrivatePCA.__doc__
plan = plan_pca(500, 3, **asked)
assert plan.method == "one-more" and plan.one_more_share == 0.5 and "0.50 of it" in str(plan)
pca = PrivatePCA(2, **asked).fit(np.random.default_rng(0).uniform(size=(500, 3)))
assert pca.method_ == "one-more" and pca.components_.shape == (2, 3) and pca.guarantee_.basis == "proved"
pca.write_release(sys.argv[1])
released = read_release(sys.argv[1])
assert released.method == "one-more" and released.parameters["one_more_share"] == 0.5
assert "one-more" in explain(sys.argv[1]) and "one-more" in open(sys.argv[1] + "/report.html").read()
try:
    PrivatePCA(2, mu=1, bounds=(0, 1), method_options={"one_more_share": 0.5}).fit(np.ones((9, 3)))
except eigenveil.EigenveilError as refusal:
    assert "one_more_share belongs to method one-more, not to gauss" in str(refusal)
else:
    raise AssertionError("an option of another method was passed over")
"""


def test_a_method_in_one_file_is_found_in_python(tmp_path):
    import eigenveil

    package = pathlib.Path(eigenveil.__file__).resolve().parents[2] / "python_one_more"
    if not list(package.glob("eigenveil/_core.*.so")):
        pytest.skip("the package with one file more is not built (target eigenveil_python_one_more)")
    surroundings = {**os.environ, "PYTHONPATH": str(package)}
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(tmp_path / "out")], env=surroundings, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

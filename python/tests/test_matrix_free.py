"""Components without a p x p matrix, from whatever can be read again."""

import json
import subprocess

import numpy as np
import pytest

from eigenveil import EigenveilError, PrivatePCA, read_release
from rounding import assert_same_up_to_rounding


def table(rows=400, columns=30):
    generator = np.random.default_rng(7)
    return np.clip(generator.normal(size=(rows, 2)) @ generator.normal(size=(2, columns)), -4, 4)


def pca(matrix, **more):
    return PrivatePCA(2, mu=5.0, bounds=(-4, 4), center="none", seed=5, method_options={"matrix": matrix}, **more)


def test_rows_in_memory_and_in_a_file_need_no_matrix(tmp_path, program):
    rows = table()
    np.save(tmp_path / "rows.npy", rows)
    free = pca("free").fit(rows)
    from_file = pca("free").fit(tmp_path / "rows.npy")
    assert_same_up_to_rounding(free.components_, from_file.components_)
    free.write_release(tmp_path / "free")
    document = json.loads((tmp_path / "free" / "release.NOT-PRIVATE.json").read_text(encoding="utf-8"))
    assert document["parameters"]["matrix"] == "free: never formed"
    assert read_release(tmp_path / "free")
    asked = ["pca", tmp_path / "rows.npy", "-k", 2, "--mu", 5, "--range=-4:4", "--center", "none", "--seed", 5, "--matrix", "free", "--out", tmp_path / "cli"]
    subprocess.run([program, *map(str, asked)], check=True, capture_output=True)
    theirs = json.loads((tmp_path / "cli" / "release.NOT-PRIVATE.json").read_text(encoding="utf-8"))
    assert document["result"]["noisy_rows"] == theirs["result"]["noisy_rows"]
    assert_same_up_to_rounding(document["result"]["noisy_explained_variance"], theirs["result"]["noisy_explained_variance"])
    assert document["guarantee"] == theirs["guarantee"]


def test_a_stream_and_partial_fit_are_read_once():
    rows = table()
    with pytest.raises(EigenveilError, match="read many times"):
        pca("free").fit(block for block in np.split(rows, 4))
    with pytest.raises(EigenveilError, match="read many times"):
        pca("free").partial_fit(rows)
    assert pca("auto").partial_fit(rows).release().components_.shape == (2, 30)

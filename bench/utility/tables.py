"""The tables: rows of norm at most R about a public centre. Real ones are used when present (EIGENVEIL_DATA)."""

from __future__ import annotations

import os
import pathlib

import numpy as np

DATA = pathlib.Path(os.environ.get("EIGENVEIL_DATA", "/work/shared/data"))


def clip(rows, radius):
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows * np.minimum(1.0, radius / np.maximum(length, 1e-300))


def digits():
    from sklearn.datasets import load_digits

    return clip(load_digits().data / 8.0 - 1.0, 8.0) / 8.0


def credit():
    columns = range(1, 24)
    rows = np.loadtxt(DATA / "credit-default" / "UCI_Credit_Card.csv", delimiter=",", skiprows=1, usecols=columns)
    low = np.array([0, 1, 0, 0, 18] + [-2] * 6 + [-50_000] * 6 + [0] * 6, float)
    high = np.array([1_000_000, 2, 6, 3, 100] + [8] * 6 + [500_000] * 6 + [100_000] * 6, float)
    scaled = 2 * (np.clip(rows, low, high) - low) / (high - low) - 1
    return clip(scaled, np.sqrt(23)) / np.sqrt(23)


def genomes(variants=100):
    people = 1092
    body = (DATA / "genotypes-1000g-phase1" / "1kg_phase1.bed").read_bytes()[3:]
    stride = (people + 3) // 4
    count = np.array([2, np.nan, 1, 0])
    chosen = np.random.default_rng(0).choice(14079, variants, replace=False)
    packed = np.frombuffer(body, np.uint8).reshape(-1, stride)[chosen]
    codes = np.stack([(packed >> s) & 3 for s in (0, 2, 4, 6)], axis=2).reshape(variants, -1)[:, :people]
    return clip(count[codes].T - 1.0, np.sqrt(variants)) / np.sqrt(variants)


def spiked(rows=20_000, columns=20):
    """Gaussian rows with three strong directions, clipped at a norm few reach."""
    rng = np.random.default_rng(0)
    scale = np.ones(columns)
    scale[:3] = [5, 3.5, 2.5]
    turn = np.linalg.qr(rng.normal(size=(columns, columns)))[0]
    return clip(rng.normal(size=(rows, columns)) * scale @ turn.T, 15.0) / 15.0


TABLES = {"digits": digits, "credit": credit, "1000 genomes": genomes, "spiked": spiked}


def available():
    """Names of the tables whose data are here."""
    present = {"credit": (DATA / "credit-default").exists(), "1000 genomes": (DATA / "genotypes-1000g-phase1").exists()}
    return [name for name in TABLES if present.get(name, True)]

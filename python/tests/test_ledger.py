"""False-alarm rates of all tests, in C++ and here, add up to at most 1e-6; every row is used, and only rows are."""

import math
import re
from pathlib import Path

import ledger

TESTS = Path(__file__).parent
LEDGER = TESTS.parents[1] / "tests" / "support" / "alpha_ledger.hpp"


def test_total():
    rows = [float(alpha) for alpha in re.findall(r'AlphaEntry\{"[^"]+", ([^}]+)\}', LEDGER.read_text())]
    assert len(rows) > 50
    assert math.fsum(rows) + math.fsum(ledger.ALPHA.values()) <= 1e-6


def test_every_row_is_used():
    used = set()
    for path in TESTS.glob("test_*.py"):
        used |= set(re.findall(r'"(python: [^"]+)"', path.read_text()))
    assert used == set(ledger.ALPHA)


def test_seeds_are_those_of_the_library():
    assert ledger.seed_for("") == 0xCBF29CE484222325 and ledger.seed_for("a") == 0xAF63DC4C8601EC8C  # published values of FNV-1a

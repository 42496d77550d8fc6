"""Tests that several modules share say what failed, as those of a module of tests do."""

import pytest

pytest.register_assert_rewrite("every_spark")

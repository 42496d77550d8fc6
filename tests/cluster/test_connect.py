"""Spark Connect: a server and a client in processes of their own, which share no JVM."""

import pytest
from pyspark.sql import SparkSession

from every_spark import *  # noqa: F403: the tests and what they need


@pytest.fixture(scope="module")
def spark():
    session = SparkSession.builder.remote("local[2]").config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "3").getOrCreate()
    assert not hasattr(session, "_jvm")
    yield session
    session.stop()

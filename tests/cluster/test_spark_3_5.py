"""The oldest Spark: pyspark 3.5, in a folder of its own (scripts/run-cluster-tests)."""

import pyspark
import pytest
from pyspark.sql import SparkSession

from every_spark import *  # noqa: F403: the tests and what they need


@pytest.fixture(scope="module")
def spark():
    assert pyspark.__version__.startswith("3.5.")
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "3")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
    yield session
    session.stop()

"""What a Spark job that fails may say: a cell can stand in Spark's words, so none of them is passed on."""

from __future__ import annotations

import contextlib
import logging
import re

from ._errors import EigenveilError

# A name of this list alone: a cell that holds such words says nothing.
_ABSENT = re.compile(r"ModuleNotFoundError: No module named '(eigenveil|numpy|pyarrow|scipy|sklearn)")
_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


def quietly(job, sentences=()):
    """What a job returns. Where it fails, one sentence: ours, one of ``sentences`` (public) that it quotes, or the kind of failure alone."""
    try:
        with _loggers_off():
            return job()
    except EigenveilError:
        raise
    except Exception as problem:
        kind, said = type(problem).__name__, str(problem)
    # Outside the handler: the problem must not stay behind in __context__.
    absent = _ABSENT.search(said)
    if absent:
        raise EigenveilError(f"the executors have no Python package {absent[1]}: send them an environment that has it (docs/scale.md)")
    ours = next((sentence for sentence in sentences if sentence in said), None)
    if ours:
        raise EigenveilError(ours, "input-output")
    raise EigenveilError(f"Spark ended the job ({kind}; values are not shown)")


@contextlib.contextmanager
def _loggers_off():
    """pyspark 4 prints what a query says, cells too, before its exception reaches us."""
    loggers = _printers()
    for logger in loggers:
        logger.addFilter(_nothing)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(_nothing)


def _printers():
    try:
        from pyspark.logger import PySparkLogger
    except ImportError:  # before 4 there are none
        return []
    return [PySparkLogger.getLogger(name) for name in _LOGGERS]


def _nothing(record):
    return False

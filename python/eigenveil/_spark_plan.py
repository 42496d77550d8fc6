"""Whether a Spark data frame gives the same rows, in the same partitions, when a task is run again: read off its plan, node by node."""

from __future__ import annotations

import json
import os
import urllib.parse

_LOGICAL = "org.apache.spark.sql.catalyst.plans.logical."
_EXPRESSION = "org.apache.spark.sql.catalyst.expressions."
_SOURCES = "org.apache.spark.sql.execution.datasources."
_CACHED = "InMemoryRelation"
# Nodes whose rows are those of what is below them, and files.
_NODES = {_LOGICAL + name for name in ("Project", "Filter", "Union", "LocalRelation", "Range", "SubqueryAlias", "View")} | {
    _SOURCES + "LogicalRelation", _SOURCES + "v2.DataSourceV2ScanRelation", _SOURCES + "v2.DataSourceV2Relation"
}
_FILES = {"HadoopFsRelation", "ParquetScan", "OrcScan", "CSVScan", "JsonScan", "TextScan"}
_PLAIN = {_LOGICAL + "Project", _SOURCES + "LogicalRelation", _EXPRESSION + "AttributeReference"}
_PARQUET = _SOURCES + "parquet.ParquetFileFormat"
_LENIENT = ("ignoreCorruptFiles", "ignoreMissingFiles")
_OTHERWISE = ("files.ignoreCorruptFiles", "files.ignoreMissingFiles", "parquet.fieldId.read.enabled")
# Expressions whose flag `deterministic` is whatever somebody else declared, or that hold a plan of their own.
_FOREIGN = ("UDF", "UDAF", "UDTF", "Subquery", "Exists", "Reflection", "ApplyFunctionExpression", "objects.", "Unresolved")


def offence(rows):
    """What in the plan could give other rows, in words; None: nothing. On Connect nobody can look."""
    if not hasattr(rows, "_jdf"):
        return "a plan that cannot be looked at from here (Spark Connect)"
    execution = rows._jdf.queryExecution()
    found = _offence(execution.optimizedPlan())
    # A cached table is computed again where its blocks are lost: what counts is what it was computed from.
    return _offence(execution.analyzed()) if found == _CACHED else found


def file_read_twice(rows):
    """A file that one scan of the plan reads under two names, or twice under one; None: none, or (Connect) nobody can look."""
    if not hasattr(rows, "_jdf"):
        return None
    for leaf in _nodes(rows._jdf.queryExecution().analyzed()):
        if leaf.getClass().getName() != _SOURCES + "LogicalRelation" or leaf.relation().getClass().getSimpleName() != "HadoopFsRelation":
            continue
        files = leaf.relation().location()
        if files.getClass().getSimpleName() != "InMemoryFileIndex":  # tables of a catalog name a file once, and listing them takes long
            continue
        seen = set()
        for uri in files.inputFiles():
            place = _place(uri)
            if place in seen:
                return urllib.parse.unquote(uri.rpartition("/")[2])
            seen.add(place)
    return None


def _place(uri):
    """What is the same for all names of a file, as far as this machine can tell."""
    parts = urllib.parse.urlsplit(uri)
    if parts.scheme == "file":
        try:
            return os.stat(urllib.parse.unquote(parts.path))[1:3]
        except OSError:
            pass
    return uri


def plain_parquet(rows):
    """The Parquet files of a frame that is some of their columns and nothing else; None for any other.

    Local paths alone: what opens others (object stores, HDFS) is set up for the JVM and not for Python.
    """
    if not hasattr(rows, "_jdf"):
        return None
    plan = rows._jdf.queryExecution().optimizedPlan()
    if not set(_classes(plan)) <= _PLAIN:
        return None
    *_, leaf = _nodes(plan)
    relation = leaf.relation()
    if relation.getClass().getSimpleName() != "HadoopFsRelation" or relation.location().getClass().getSimpleName() != "InMemoryFileIndex":
        return None
    partitions = set(relation.partitionSchema().fieldNames())
    if relation.fileFormat().getClass().getName() != _PARQUET or partitions & set(rows.columns):
        return None
    # Readers that pass over what they cannot read, or find columns by other things than names.
    if any(relation.options().contains(name) for name in _LENIENT) or any(rows.sparkSession.conf.get(f"spark.sql.{name}", "false") != "false" for name in _OTHERWISE):
        return None
    found = [urllib.parse.urlsplit(uri) for uri in relation.location().inputFiles()]
    return [urllib.parse.unquote(uri.path) for uri in found] if all(uri.scheme == "file" for uri in found) else None


def _offence(plan):
    for name in _classes(plan):
        if name in _NODES:
            continue
        short = name.rpartition(".")[2]
        if not name.startswith(_EXPRESSION) or any(word in name for word in _FOREIGN):
            return short
    for node in _nodes(plan):
        name = node.getClass().getName()
        if name.startswith(_SOURCES):
            source = (node.relation() if name.endswith("LogicalRelation") else node.scan() if name.endswith("ScanRelation") else node.table()).getClass().getSimpleName()
            if source not in _FILES:
                return source
        for expression in _items(node.expressions()):
            if not expression.deterministic():
                return _chance(expression)
    return None


def _classes(plan):
    """The classes of all nodes and expressions. From Spark's JSON: its text leaves out what does not fit a line."""
    found, left = [], [json.loads(plan.toJSON())]
    while left:
        thing = left.pop()
        if isinstance(thing, list):
            left.extend(thing)
        elif isinstance(thing, dict):
            found += [thing["class"]] if isinstance(thing.get("class"), str) else []
            left.extend(value for value in thing.values() if isinstance(value, (list, dict)))
    return found


def _nodes(plan):
    left = [plan]
    while left:
        node = left.pop()
        yield node
        left.extend(_items(node.children()))


def _items(sequence):
    return [sequence.apply(number) for number in range(sequence.size())]


def _chance(expression):
    """The expression inside that is not deterministic by itself."""
    for child in _items(expression.children()):
        if not child.deterministic():
            return _chance(child)
    return expression.getClass().getSimpleName()

"""Runs the built program; writes tables; reads releases. Standard library only."""

import csv
import gzip
import io
import json
import os
import re
import shutil
import struct
import subprocess
import tempfile
import unittest

PROGRAM = os.environ.get("EIGENVEIL", "")

# A Gaussian entry is further out than this many standard deviations with probability 1.3e-15. Runs
# with a seed draw the same noise each time, so a pass stays a pass.
DEVIATIONS = 8.0

NUMBER = re.compile(r"(?<![\w.#])-?\d+\.?\d*(?:e[+-]?\d+)?(?![\w.])")
DIGEST = re.compile(r"\b[0-9a-f]{64}\b")
# Two runs of a backward stable solver: each is exact for a matrix 8 d 2^-53 off (d <= 100), times
# the largest eigenvalue over a gap, which in these tables stays below 1e4.
SOLVER = 2 * 8 * 100 * 2.0**-53 * 1e4


class CliTest(unittest.TestCase):
    """A fresh directory for each test; every run is checked for sanitizer reports and crashes."""

    def setUp(self):
        self.assertTrue(os.path.exists(PROGRAM), "set EIGENVEIL to the program under test")
        self.folder = tempfile.mkdtemp(prefix="eigenveil-cli-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return self.path(name)

    def run_program(self, *arguments, stdin=b""):
        done = subprocess.run([PROGRAM, *map(str, arguments)], input=stdin, capture_output=True,
                              cwd=self.folder, timeout=300, check=False)
        out = done.stdout.decode("utf-8", "backslashreplace")
        err = done.stderr.decode("utf-8", "backslashreplace")
        for sign in ("Sanitizer", "runtime error:", "terminate called", "Assertion"):
            self.assertNotIn(sign, err)
        self.assertIn(done.returncode, (0, 1, 2), f"{arguments}: {err}")
        return done.returncode, out, err

    def succeed(self, *arguments, stdin=b""):
        code, out, err = self.run_program(*arguments, stdin=stdin)
        self.assertEqual((code, err), (0, ""), f"{arguments}")
        return out

    def assert_same_release(self, one, other):
        """Files of two releases: the same names, the same bytes of what is noised on the grid, and
        the same words and numbers elsewhere. What LAPACK gave may differ in the last digits: other
        processes align memory otherwise, and other kernels sum in another order."""
        self.assertEqual(sorted(one), sorted(other))
        for name in one:
            if "_raw" in name:
                self.assertEqual(one[name], other[name], name)
            else:
                self.assert_same_text(one[name].decode(), other[name].decode())

    def assert_same_text(self, one, other):
        one, other = (DIGEST.sub("", text) for text in (one, other))
        self.assertEqual(NUMBER.sub("", one), NUMBER.sub("", other))
        for a, b in zip(map(float, NUMBER.findall(one)), map(float, NUMBER.findall(other))):
            self.assertLessEqual(abs(a - b), SOLVER * max(abs(a), abs(b), 1.0))

    def refuse(self, *arguments, stdin=b"", code=2):
        """One sentence on stderr, nothing on stdout; returns the sentence."""
        got, out, err = self.run_program(*arguments, stdin=stdin)
        self.assertEqual(got, code, f"{arguments}: {err}")
        self.assertEqual(out, "", f"{arguments}")
        self.assert_one_sentence(err)
        return err

    def assert_one_sentence(self, err):
        self.assertTrue(err.startswith("error: "), repr(err))
        self.assertTrue(err.endswith("\n") and err.count("\n") == 1, repr(err))
        self.assertTrue(all(c == "\n" or c.isprintable() for c in err), repr(err))


def csv_text(names, rows, delimiter=","):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    if names:
        writer.writerow(names)
    writer.writerows([[repr(v) for v in row] for row in rows])
    return text.getvalue()


def npy_bytes(rows, fortran=False, code="d"):
    header = "{'descr': '<f8', 'fortran_order': %s, 'shape': (%d, %d), }" % (
        fortran, len(rows), len(rows[0]))
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    values = [v for line in (zip(*rows) if fortran else rows) for v in line]
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
            struct.pack("<%d%s" % (len(values), code), *values))


def gzip_bytes(text):
    return gzip.compress(text.encode(), mtime=0)


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def read_table(path):
    """Row names, column names, values of a released CSV."""
    with open(path, newline="", encoding="utf-8") as file:
        lines = list(csv.reader(file))
    return [l[0] for l in lines[1:]], lines[0][1:], [[float(c) for c in l[1:]] for l in lines[1:]]


def files_of(folder):
    """Every file below a directory with its bytes."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            full = os.path.join(place, name)
            with open(full, "rb") as file:
                found[os.path.relpath(full, folder)] = file.read()
    return found


def products(rows, midpoint=None):
    """Sums of products about the midpoint, exact for the short binary fractions the tests use."""
    p = len(rows[0])
    middle = midpoint or [0.0] * p
    moved = [[v - m for v, m in zip(row, middle)] for row in rows]
    return [[sum(r[i] * r[j] for r in moved) for j in range(p)] for i in range(p)]

"""Subspaces on the command line: exact and approximate, NULL, refusals, plans, audits, and work
inside a learned subspace."""

import random
import unittest
from fractions import Fraction

from support import CliTest, csv_text, files_of, npy_bytes, read_json, read_table

BUDGET = ("--epsilon", "1", "--delta", "1e-6")


def exact_rows(n, seed=1, strays=0):
    """Integer points of the plane x + y = z, w = 2x, with strays."""
    rng = random.Random(seed)
    rows = []
    for i in range(n):
        x, y = rng.randint(-9, 9), rng.randint(-9, 9)
        row = [x, y, x + y, 2 * x]
        rows.append([rng.randint(-99, 99) for _ in row] if i < strays else row)
    return rows


def near_rows(n, d, gamma, seed=1):
    """Rows near the first axis and (1, 1, ..., 1)."""
    rng = random.Random(seed)
    rows = []
    for _ in range(n):
        a, b = rng.gauss(0, 1), rng.gauss(0, 1) / d ** 0.5
        rows.append([(a if j == 0 else 0) + b + gamma * rng.gauss(0, 1) for j in range(d)])
    return rows


class ExactSubspace(CliTest):
    def learn(self, *more, rows=None, name="points.csv", text=None):
        text = text or csv_text(["x", "y", "z", "w"], rows or exact_rows(200))
        self.write(name, text)
        self.succeed("subspace", name, "--exact", "-k", "2", *BUDGET, "--seed", "1", "--out",
                     "out", *more)
        return read_json(self.path("out", "release.NOT-PRIVATE.json"))

    def echelon(self, release):
        return [[Fraction(c) for c in row.split()] for row in release["result"]["echelon_rows"]]

    def test_the_canonical_basis_is_exact(self):
        for aggregate in ("gapmax", "votes"):
            release = self.learn("--aggregate", aggregate)
            self.assertEqual(release["result"]["outcome"], "subspace")
            self.assertEqual(self.echelon(release), [[1, 0, 1, 2], [0, 1, 1, 0]])
            self.assertEqual(release["guarantee"]["would_be"]["basis"], "proved")
            self.setUp()

    def test_fractions_strays_and_affine_subspaces(self):
        text = "\n".join(f"{x}/3,{y},{x + 3 * y}/3" for x, y, *_ in exact_rows(200)) + "\n"
        release = self.learn(text=text)
        self.assertEqual(self.echelon(release), [[1, 0, 1], [0, 1, 1]])
        self.setUp()
        self.assertEqual(self.learn(rows=exact_rows(200, strays=30))["result"]["outcome"],
                         "subspace")
        self.setUp()
        moved = [[r[0], r[1], r[2] + 5, r[3]] for r in exact_rows(200)]
        release = self.learn("--affine", rows=moved)
        self.assertEqual(self.echelon(release)[-1][-3:], [1, 0, Fraction(1, 5)])

    def test_null_is_an_answer(self):
        for rows in ([[0] * 4] * 200, [[1, 2, 3, 4]] * 200, exact_rows(200, strays=200)):
            release = self.learn(rows=rows)
            self.assertEqual(release["result"]["outcome"], "null")
            self.assertEqual(release["result"]["arrays"], [])
            self.setUp()

    def test_the_published_rule_is_stamped(self):
        self.write("points.csv", csv_text(None, exact_rows(40)))
        self.succeed("subspace", "points.csv", "--exact", "-k", "2", *BUDGET, "--published",
                     "--out", "out")
        release = read_json(self.path("out", "release.NOT-PRIVATE.json"))
        self.assertEqual(release["guarantee"]["basis"], "not-private")

    def test_refusals(self):
        self.write("points.csv", csv_text(None, exact_rows(20)))
        common = ("subspace", "points.csv", "--exact", "-k", "2")
        self.assertIn("too few", self.refuse(*common, *BUDGET))
        self.assertIn("--delta", self.refuse(*common, "--epsilon", "1"))
        self.assertIn("k <= 4", self.refuse("subspace", "points.csv", "--exact", "-k", "5",
                                            *BUDGET))
        self.write("words.csv", "1,2\n3,secret\n")
        message = self.refuse("subspace", "words.csv", "--exact", *BUDGET)
        self.assertIn("line 2, column 2", message)
        self.assertNotIn("secret", message)


class NearSubspace(CliTest):
    def test_core_finds_it_and_the_release_can_be_explained(self):
        self.write("rows.npy", npy_bytes(near_rows(1600, 8, 1e-4)))
        text = self.succeed("subspace", "rows.npy", "-k", "2", *BUDGET, "--gamma", "1e-4",
                            "--out", "out", "--quiet")
        self.assertIn("a subspace of dimension 2", text)
        release = read_json(self.path("out", "release.json"))
        self.assertEqual(release["guarantee"]["basis"], "proved")
        self.assertEqual(release["guarantee"]["relation"], "replace-one")
        _, names, frame = read_table(self.path("out", "subspace.csv"))
        self.assertEqual(names, ["S1", "S2"])
        # The first axis lies in the span: its projection has length near 1.
        self.assertGreater(sum(c * c for c in frame[0]), 0.9)
        self.assertIn("replacing one row", self.succeed("explain", "out"))

    def test_null_when_there_is_no_subspace(self):
        self.write("rows.npy", npy_bytes(near_rows(1600, 8, 1.0)))
        text = self.succeed("subspace", "rows.npy", "-k", "2", *BUDGET, "--gamma", "1e-3",
                            "--quiet")
        self.assertIn("NULL", text)

    def test_refusals_come_from_public_numbers(self):
        self.write("rows.npy", npy_bytes(near_rows(100, 4, 1e-4)))
        self.assertIn("too few", self.refuse("subspace", "rows.npy", "-k", "2", *BUDGET))
        self.assertIn("replace-one", self.refuse("subspace", "rows.npy", *BUDGET, "--neighbours",
                                                 "add-remove"))
        self.assertIn("--exact", self.refuse("subspace", "rows.npy", *BUDGET, "--aggregate",
                                             "votes"))

    def test_inside_the_subspace(self):
        self.write("rows.npy", npy_bytes(near_rows(3000, 8, 1e-4)))
        common = ("rows.npy", "--within-subspace", "2", "--gamma", "1e-4", "--row-norm", "5",
                  "--neighbours", "replace-one", *BUDGET, "--quiet")
        self.succeed("pca", "-k", "1", *common, "--out", "out")
        release = read_json(self.path("out", "release.json"))
        self.assertEqual(release["method"], "subspace")
        self.assertEqual(release["guarantee"]["basis"], "proved")
        self.assertLessEqual(release["guarantee"]["loss"]["epsilon"], 1.0 + 1e-9)
        self.assertIn("loadings.csv", files_of(self.path("out")))
        self.succeed("covariance", *common, "--out", "second")
        self.assertIn("covariance_inside.csv", files_of(self.path("second")))
        self.assertIn("replace-one", self.refuse("pca", "rows.npy", "--within-subspace", "2",
                                                 "--row-norm", "5", *BUDGET))


class SubspacePlans(CliTest):
    def test_plans_read_nothing(self):
        text = self.succeed("plan", "subspace", "--rows", "4000", "--dimension", "200", "-k", "2",
                            *BUDGET, "--gamma", "1e-3")
        self.assertIn("no data was read", text)
        self.assertIn("gamma below about", text)
        text = self.succeed("plan", "subspace", "--rows", "2000", "--dimension", "1000", "-k",
                            "3", *BUDGET, "--exact")
        self.assertIn("no method needs fewer", text)
        grid = self.succeed("plan", "subspace", "--rows", "4000", "--dimension", "500", "-k", "2",
                            *BUDGET, "--gamma", "1e-3", "--aggregate", "grid")
        self.assertIn("expect NULL", grid)

    def test_audit_refutes_the_mutants(self):
        text = self.succeed("audit", "subspace", "--epsilon", "2", "--delta", "0.05", "--runs",
                            "8000", "--mutants", "--seed", "1")
        self.assertIn("the published rule", text)
        self.assertNotIn("NOT CAUGHT", text)


if __name__ == "__main__":
    unittest.main()

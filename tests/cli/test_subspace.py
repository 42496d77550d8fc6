"""Subspaces on the command line: exact and approximate, NULL, refusals, plans, audits, and work
inside a learned subspace."""

import json
import os
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


def integer_npy(rows, size):
    """An .npy file of signed integers of `size` bytes."""
    header = f"{{'descr': '{'|' if size == 1 else '<'}i{size}', 'fortran_order': False, " \
             f"'shape': ({len(rows)}, {len(rows[0])}), }}"
    header = header.ljust(117) + "\n"
    return (b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() +
            b"".join(int(c).to_bytes(size, "little", signed=True) for row in rows for c in row))


class Inputs(CliTest):
    """The rows are read twice: what can be read once only is refused before it is opened."""

    def test_pipes_are_refused(self):
        os.mkfifo(self.path("pipe.csv"))
        for name in ("-", self.path("pipe.csv")):
            for command in (("subspace", name, "--rows", "100", *BUDGET),
                            ("subspace", name, *BUDGET),
                            ("pca", name, "--within-subspace", "1", "-k", "1", "--row-norm", "1",
                             "--neighbours", "replace-one", *BUDGET)):
                self.assertIn("regular file", self.refuse(*command, "--out", self.path("out")))

    def test_agreement_needs_a_small_angle(self):
        table = self.write("t.csv", csv_text(["a", "b"], [[1, 2]] * 20))
        self.assertIn("below 0.5", self.refuse("subspace", table, *BUDGET, "--failure-probability",
                                               "0.1", "--angle", "0.5", "--out", self.path("out")))


class ExactSubspace(CliTest):
    def learn(self, *more, rows=None, name="points.csv", text=None):
        text = text or csv_text(["x", "y", "z", "w"], rows or exact_rows(200))
        self.write(name, text)
        self.succeed("subspace", name, "--exact", "-k", "2", *BUDGET, "--seed", "1", "--out",
                     "out", *more)
        return read_json(self.path("out", "release.NOT-PRIVATE.json"))

    def echelon(self, release):
        return [[Fraction(c) for c in row.split()] for row in release["result"]["echelon_rows"]]

    def test_separators_and_quoted_names(self):
        rows = exact_rows(200)
        plain = self.echelon(self.learn(rows=rows))
        self.setUp()
        text = '"x;1";y;z;w\n' + "".join(";".join(map(str, row)) + "\n" for row in rows)
        release = self.learn("--separator", "semicolon", text=text)
        self.assertEqual(self.echelon(release), plain)
        self.assertEqual(release["parameters"]["columns"], ["x;1", "y", "z", "w"])
        self.setUp()
        self.write("points.csv", "1;2;3;2\n" * 50)
        self.assertIn("--separator", self.refuse("subspace", "points.csv", "--exact", "-k", "2",
                                                 *BUDGET, "--out", "out"))

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

    def test_the_ways_to_write_a_number(self):
        """Whole numbers, fractions, decimals and exponents, the same points each time."""
        rows = exact_rows(200)
        ways = {"fraction": (lambda v: f"{v}/3", Fraction(1, 3)),
                "decimal": (lambda v: f"{v / 4}00", Fraction(1, 4)),
                "exponent": (lambda v: f"{v}e3", 1000),
                "small": (lambda v: f"+{v}.0E-2" if v >= 0 else f"{v}.0E-2", Fraction(1, 100))}
        for name, (write, scale) in ways.items():
            text = "".join(f"{write(x)},{write(y)},{write(x + y + 1)}\n" for x, y, *_ in rows)
            release = self.learn("--affine", "--max-abs", "100000", text=text)
            basis = self.echelon(release)
            pivots = [row.index(1) for row in basis]
            for x, y, *_ in rows:
                point = [x * scale, y * scale, (x + y + 1) * scale, 1]
                combined = [sum(point[p] * row[c] for p, row in zip(pivots, basis))
                            for c in range(4)]
                self.assertEqual(combined, point, name)
            self.setUp()

    def test_numbers_out_of_range_count_as_zero_and_bad_ones_are_refused(self):
        rows = [",".join(map(str, row)) for row in exact_rows(200)]
        for cell in ("9007199254740993", "99999999999999999999999", "1e30", "1e-30", "1001",
                     "1/99999999999999999999"):
            text = "\n".join(rows + [f"{cell},1,1,1"]) + "\n"
            release = self.learn(text=text)
            self.assertEqual(release["parameters"]["rows"], 201, cell)
            self.assertEqual(self.echelon(release), [[1, 0, 1, 2], [0, 1, 1, 0]])
            self.setUp()
        for cell in ("1/0", "1/-2", "0x10", "1e", "e3", ".", "1.2.3", "1/2/3", "inf", "secret"):
            self.write("bad.csv", "\n".join(rows + [f"{cell},1,1,1"]) + "\n")
            message = self.refuse("subspace", "bad.csv", "--exact", "-k", "2", *BUDGET)
            self.assertIn("line 201, column 1 holds no whole number, fraction or decimal", message)
            self.assertNotIn("secret", message)
            self.succeed("subspace", "bad.csv", "--exact", "-k", "2", *BUDGET, "--bad-cell",
                         "midpoint", "--header", "absent", "--width", 4, "--json")

    def test_npy_holds_whole_numbers_of_any_type(self):
        rows = exact_rows(200)
        self.write("points.npy", npy_bytes(rows))
        self.succeed("subspace", "points.npy", "--exact", "-k", "2", *BUDGET, "--out", "out")
        self.assertEqual(self.echelon(read_json(self.path("out", "release.json"))),
                         [[1, 0, 1, 2], [0, 1, 1, 0]])
        for size in (1, 2, 4, 8):
            self.write("typed.npy", integer_npy(rows, size))
            self.succeed("subspace", "typed.npy", "--exact", "-k", "2", *BUDGET, "--out", "typed", "--replace")
            self.assertEqual(self.echelon(read_json(self.path("typed", "release.json"))),
                             [[1, 0, 1, 2], [0, 1, 1, 0]], size)
        # 2^53 + 1 is no double; a row with it is beyond every bound and counts as zero.
        self.write("large.npy", integer_npy(rows + [[2 ** 53 + 1, 2 ** 62, 1, 1]], 8))
        self.succeed("subspace", "large.npy", "--exact", "-k", "2", *BUDGET, "--out", "large")
        self.assertEqual(self.echelon(read_json(self.path("large", "release.json"))),
                         [[1, 0, 1, 2], [0, 1, 1, 0]])
        self.write("half.npy", npy_bytes(rows + [[0.5, 1, 1, 1]]))
        self.assertIn("row 201, column 1 is no whole number",
                      self.refuse("subspace", "half.npy", "--exact", "-k", "2", *BUDGET))

    def test_an_empty_line_is_a_row_of_a_one_column_table(self):
        self.write("one.csv", "x\n" + "".join(f"{i % 5 or ''}\n" for i in range(200)))
        self.succeed("subspace", "one.csv", "--exact", "-k", "1", *BUDGET, "--out", "out")
        release = read_json(self.path("out", "release.json"))
        self.assertEqual(release["parameters"]["rows"], 200)
        self.assertEqual(release["result"]["outcome"], "subspace")
        self.assertIn("line 2, column 1", self.refuse("subspace", "one.csv", "--exact", *BUDGET,
                                                      "--missing", "refuse"))

    def test_columns_are_selected_by_name(self):
        release = self.learn("--columns", "z,x,y")
        self.assertEqual(release["parameters"]["columns"], ["z", "x", "y"])
        self.assertEqual(self.echelon(release), [[1, 0, 1], [0, 1, -1]])

    def test_edges(self):
        self.write("d1.csv", csv_text(["x"], [[i % 7 - 3] for i in range(200)]))
        self.write("equal.csv", csv_text(["x", "y"], [[2, 3]] * 200))
        self.write("zero.csv", csv_text(["x", "y"], [[0, 0]] * 200))
        self.write("plane.csv", csv_text(["x", "y"], [[i % 5, i % 7] for i in range(300)]))
        for aggregate in ("gapmax", "votes"):
            for file, k, outcome in (("d1.csv", 1, "subspace"), ("equal.csv", 1, "subspace"),
                                     ("equal.csv", 2, "null"), ("zero.csv", 1, "null"),
                                     ("zero.csv", 2, "null"), ("plane.csv", 2, "subspace")):
                text = self.succeed("subspace", file, "--exact", "-k", str(k), *BUDGET,
                                    "--aggregate", aggregate, "--json")
                self.assertIn(f'"outcome": "{outcome}"', text, (file, k, aggregate))

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
                            "--out", "null", "--quiet")
        self.assertIn("NULL", text)

    def test_refusals_come_from_public_numbers(self):
        self.write("rows.npy", npy_bytes(near_rows(100, 4, 1e-4)))
        self.assertIn("too few", self.refuse("subspace", "rows.npy", "-k", "2", *BUDGET))
        self.assertIn("replace-one", self.refuse("subspace", "rows.npy", *BUDGET, "--neighbours",
                                                 "add-remove"))
        self.assertIn("--exact", self.refuse("subspace", "rows.npy", *BUDGET, "--aggregate",
                                             "votes"))

    def test_gamma_is_searched_privately(self):
        self.write("rows.npy", npy_bytes(near_rows(4000, 6, 1e-4)))
        self.succeed("subspace", "rows.npy", "-k", "2", *BUDGET, "--out", "out", "--quiet")
        release = read_json(self.path("out", "release.json"))
        self.assertEqual(release["result"]["outcome"], "subspace")
        # The whole search is inside of the budget asked for.
        self.assertEqual(release["guarantee"]["loss"], {"kind": "approx", "epsilon": 1.0,
                                                        "delta": 1e-6})
        radii = release["parameters"]["radii"]
        self.assertEqual(len(radii), 15)
        self.assertIn(release["result"]["radius"], radii)
        _, _, frame = read_table(self.path("out", "subspace.csv"))
        self.assertGreater(sum(c * c for c in frame[0]), 0.9)

    def test_boosted(self):
        self.write("rows.npy", npy_bytes(near_rows(8000, 5, 1e-5)))
        text = self.succeed("subspace", "rows.npy", "-k", "2", *BUDGET, "--gamma", "1e-5",
                            "--failure-probability", "0.1", "--out", "out", "--quiet")
        self.assertIn("5 parts of", text)
        release = read_json(self.path("out", "release.json"))
        self.assertEqual(release["result"]["outcome"], "subspace")
        self.assertEqual(release["parameters"]["parts"], 5)
        self.assertEqual(release["guarantee"]["loss"]["epsilon"], 1.0)  # parts are disjoint
        message = self.refuse("subspace", "rows.npy", "-k", "2", *BUDGET, "--gamma", "1e-5",
                              "--failure-probability", "1e-9")
        self.assertIn("8000 rows are too few for the", message)
        self.assertIn("would do", message)
        self.assertIn("--out", self.refuse("subspace", "rows.npy", "-k", "2", *BUDGET, "--gamma",
                                           "1e-5"))

    def test_edges(self):
        n = 1500
        rng = random.Random(2)
        self.write("d1.npy", npy_bytes([[rng.gauss(0, 1)] for _ in range(n)]))
        self.write("plane.npy", npy_bytes([[rng.gauss(0, 1), rng.gauss(0, 1)] for _ in range(n)]))
        self.write("equal.npy", npy_bytes([[2.0, 3.0, 4.0]] * n))
        self.write("zero.npy", npy_bytes([[0.0, 0.0, 0.0]] * n))
        for aggregate in ("core", "grid"):
            for file, k, outcome in (("d1.npy", 1, "subspace"), ("plane.npy", 2, "subspace"),
                                     ("equal.npy", 1, "subspace"), ("equal.npy", 2, "null"),
                                     ("zero.npy", 1, "null"), ("zero.npy", 3, "null")):
                text = self.succeed("subspace", file, "-k", str(k), *BUDGET, "--gamma", "1e-6",
                                    "--aggregate", aggregate, "--json", "--quiet")
                self.assertIn(f'"outcome": "{outcome}"', text, (file, k, aggregate))
        for size in (("--rows", "100", "--dimension", "50", "-k", "2"),
                     ("--rows", "100", "--dimension", "50", "-k", "2", "--aggregate", "grid"),
                     ("--rows", "20", "--dimension", "50", "-k", "2", "--exact")):
            gamma = () if "--exact" in size else ("--gamma", "1e-6")
            self.assertIn("too few", self.refuse("plan", "subspace", *size, *BUDGET, *gamma))
        self.assertIn("k <= 3", self.refuse("subspace", "zero.npy", "-k", "4", *BUDGET, "--gamma",
                                            "1e-6"))

    def test_inside_the_subspace_a_gamma_below_the_grid_is_seen(self):
        """The grid of --row-norm 1000 has steps of 4e-3, far above gamma."""
        self.write("rows.npy", npy_bytes(near_rows(3000, 8, 1e-6)))
        self.succeed("pca", "rows.npy", "--within-subspace", "2", "--gamma", "1e-6", "--row-norm",
                     "1000", "--neighbours", "replace-one", *BUDGET, "--quiet", "--out", "out")
        release = read_json(self.path("out", "release.json"))
        self.assertEqual(release["result"]["outcome"], "subspace")
        self.assertLess(release["result"]["noise_angle"], 1e-3)

    def test_inside_the_subspace(self):
        self.write("rows.npy", npy_bytes(near_rows(3000, 8, 1e-4)))
        common = ("rows.npy", "--within-subspace", "2", "--gamma", "1e-4", "--row-norm", "5",
                  "--neighbours", "replace-one", *BUDGET, "--quiet")
        text = self.succeed("pca", "-k", "1", *common, "--out", "out")
        self.assertIn("rows longer than 5 are scaled down", text)
        self.assertIn("a subspace of dimension 2", text)
        release = read_json(self.path("out", "release.json"))
        self.assertEqual(release["method"], "subspace")
        self.assertEqual(release["guarantee"]["basis"], "proved")
        self.assertLessEqual(release["guarantee"]["loss"]["epsilon"], 1.0 + 1e-9)
        self.assertIn("loadings.csv", files_of(self.path("out")))
        self.succeed("covariance", *common, "--out", "second")
        self.assertIn("covariance_inside.csv", files_of(self.path("second")))
        self.assertEqual(release["parameters"]["components"], 1)
        self.assertEqual(release["parameters"]["within_subspace"], 2)
        self.assertIn("say so with --neighbours replace-one",
                      self.refuse("pca", "rows.npy", "--within-subspace", "2", "--row-norm", "5",
                                  *BUDGET))


class SubspacePlans(CliTest):
    def test_plans_read_nothing(self):
        text = self.succeed("plan", "subspace", "--rows", "4000", "--dimension", "200", "-k", "2",
                            *BUDGET, "--gamma", "1e-3")
        self.assertIn("no data was read", text)
        self.assertIn("gamma below about", text)
        text = self.succeed("plan", "subspace", "--rows", "2000", "--dimension", "1000", "-k",
                            "3", *BUDGET, "--exact")
        self.assertIn("suffice with 2 exceptions; no method needs fewer", text)
        for aggregate in ("gapmax", "votes"):
            facts = json.loads(self.succeed("plan", "subspace", "--rows", "2000", "--dimension",
                                            "100", "-k", "2", *BUDGET, "--exact", "--aggregate",
                                            aggregate, "--json"))
            self.assertLess(facts["lower_bound_rows"], facts["sufficient_rows"])
            self.assertLess(facts["sufficient_rows"], 2000)
        grid = self.succeed("plan", "subspace", "--rows", "4000", "--dimension", "500", "-k", "2",
                            *BUDGET, "--gamma", "1e-3", "--aggregate", "grid")
        self.assertIn("expect NULL", grid)
        facts = json.loads(self.succeed("plan", "subspace", "--rows", "4000", "--dimension", "500",
                                        "-k", "2", *BUDGET, "--gamma", "1e-7", "--aggregate",
                                        "grid", "--json"))
        # What the default cells are made for; all groups need not share one.
        self.assertAlmostEqual(facts["answer_probability"], 0.9, delta=0.01)
        self.assertLess(facts["agreement"], facts["answer_probability"])

    def test_the_limit_for_null_is_public(self):
        size = ("plan", "subspace", "--rows", "4000", "--dimension", "500", "-k", "2", *BUDGET,
                "--gamma", "3e-3")
        self.assertNotIn("expect NULL", self.succeed(*size))
        self.assertIn("expect NULL", self.succeed(*size, "--largest-noise-angle", "0.1"))
        for limit in ("0", "1", "-1", "nan"):
            self.assertIn("--largest-noise-angle",
                          self.refuse(*size, "--largest-noise-angle", limit))

    def test_words_of_the_other_case_are_refused(self):
        size = ("plan", "subspace", "--rows", "4000", "--dimension", "20", "-k", "2", *BUDGET)
        self.assertIn("--exact", self.refuse(*size, "--aggregate", "votes"))
        self.assertIn("gapmax or votes", self.refuse(*size, "--exact", "--aggregate", "core"))
        self.assertIn("belongs to method near", self.refuse(*size, "--exact", "--gamma", "0.1"))
        self.assertIn("belongs to method exact", self.refuse(*size, "--affine"))
        self.assertIn("suffice", self.succeed(*size, "--exact", "--affine"))

    def test_the_audit_names_the_mutants(self):
        # That they fall at the default number of runs is shown by audit/Audits in C++.
        code, text, _ = self.run_program("audit", "subspace", "--epsilon", "2", "--delta", "0.05",
                                         "--runs", "1000", "--mutants", "--seed", "1")
        self.assertIn(code, (0, 1))  # 1: a mutant needs more runs
        self.assertIn("the published rule", text)
        self.assertNotIn("REFUTED", text)


if __name__ == "__main__":
    unittest.main()

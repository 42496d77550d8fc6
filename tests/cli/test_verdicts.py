"""What is said before anything is spent: how many rows a release needs, what noisy counts would show, how much of the rows a basis holds."""

import json
import pathlib
import struct
import unittest

from support import CliTest

ASKED = ("--epsilon", 0.5, "--delta", "1e-6", "-k", 2, "--range", "0:10")


class Verdicts(CliTest):
    def wide_csv(self, name="wide.csv"):
        """300 columns, and a row that no reader takes: whoever complains of it has come to the rows."""
        return self.write(name, ",".join(f"c{j}" for j in range(300)) + "\n" + ",".join(["x"] * 300) + "\n")

    def wide_npy(self, rows, name="wide.npy"):
        """Bytes of zeros, 300 columns; a header says how many rows there are."""
        head = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({rows}, 300), }}".encode()
        head += b" " * (-(len(head) + 11) % 64) + b"\n"
        return self.write(name, b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + bytes(rows * 300))

    def test_nobody_said_how_many_rows(self):
        asks = self.refuse("pca", self.wide_csv(), *ASKED)
        for words in ("nobody said how many rows", "--people N", "--project", "--anyway", "rows would do"):
            self.assertIn(words, asks)
        for said in (("--people", 10**7), ("--anyway",)):
            self.assertIn("not a number", self.refuse("pca", self.wide_csv(), *ASKED, *said))
        self.assertIn("not a number", self.refuse("pca", self.wide_csv(), *ASKED, "--columns", "c1,c2,c3"))

    def test_the_file_says_it_where_the_number_is_public(self):
        few, many = self.wide_npy(50, "few.npy"), self.wide_npy(20_000, "many.npy")
        for neighbours in ("replace-one", "zero-row"):
            self.assertIn("at 50 rows", self.refuse("pca", few, *ASKED, "--neighbours", neighbours))
            self.succeed("pca", many, *ASKED, "--neighbours", neighbours)
            self.assertIn("at 60 rows", self.refuse("pca", many, *ASKED, "--neighbours", neighbours, "--people", 60))
        shards = self.path("few.gram")
        self.succeed("gram", "partial", few, "--range", "0:10", "--out", shards)
        self.assertIn("at 50 rows", self.refuse("pca", shards, *ASKED[:-2], "--neighbours", "replace-one"))

    def test_the_file_is_not_asked_where_the_number_is_protected(self):
        refusals = {self.refuse("pca", self.wide_npy(rows), *ASKED) for rows in (50, 51, 20_000)}
        self.assertEqual(len(refusals), 1)
        self.assertIn("nobody said", refusals.pop())
        table = self.write("t.csv", "who," + ",".join(f"c{j}" for j in range(300)) + "\n")
        people = self.refuse("pca", table, *ASKED, "--person", "who", "--rows-per-person", 2)
        self.assertIn("nobody said", people)


class CountPlans(CliTest):
    def plan(self, *arguments):
        return json.loads(self.succeed("plan", *arguments, "--json"))

    def release(self, *arguments):
        out = pathlib.Path(self.path("out"))
        self.succeed(*arguments, "--quiet", "--replace", "--out", out)
        return json.loads((out / "release.json").read_text())

    def test_the_plan_has_the_numbers_of_the_release(self):
        table = self.write("t.csv", "who,x,y\n" + "".join(f"p{i},{i % 9},{i % 7}\n" for i in range(400)))
        for budget in (("--mu", 1), ("--epsilon", 1), ("--epsilon", 1, "--delta", "1e-6")):
            for unit in ((), ("--person", "who", "--rows-per-person", 3), ("--neighbours", "replace-one")):
                plan = self.plan("bounds", "--rows", 400, "--columns", "x,y", *budget, *unit)
                found = self.release("bounds", "private", table, *(() if "who" in unit else ("--columns", "x,y")), *budget, *unit)
                self.assertEqual(plan["noise_sd_count"], found["parameters"]["noise_sd_count"])
                self.assertEqual(plan["noise_sd_rows"], found["result"]["noisy_rows_sd"])
                self.assertEqual(plan["method"], found["method"])
        axes = self.path("axes")
        self.succeed("pca", table, "-k", 2, "--columns", "x,y", "--range", "0:10", "--mu", 1, "--quiet", "--out", axes)
        for budget in (("--mu", 1), ("--epsilon", 1)):
            plan = self.plan("scores", "--rows", 400, *budget, "--cells", 5)
            found = self.release("scores", table, "--on", axes, *budget, "--cells", 5)
            self.assertEqual(plan["noise_sd_count"], found["parameters"]["noise_sd_count"])
            self.assertIn(f"{plan['count_limits']:.3g}", found["parameters"]["interval"])

    def test_what_shows_follows_from_public_numbers(self):
        small, large = (self.plan("bounds", "--rows", rows, "--dimension", 10, "--mu", 0.5) for rows in (1000, 10**6))
        # A share of the rows, and what noise alone may fill: the second is the same.
        self.assertAlmostEqual(large["hidden_rows_in_one_cell"] - small["hidden_rows_in_one_cell"], 0.001 * (10**6 - 1000), places=6)
        hidden = self.succeed("plan", "bounds", "--rows", 20, "--dimension", 10, "--mu", 0.5)
        self.assertIn("so none are shown", hidden)
        more, fewer = (self.plan("scores", "--rows", 5000, "--mu", 1, "--cells", cells) for cells in (40, 10))
        self.assertLess(fewer["shown_from"], more["shown_from"])
        self.assertGreater(fewer["shown_share_if_normal"], more["shown_share_if_normal"])
        finest = fewer["most_cells"]
        self.assertEqual(more["most_cells"], finest)
        at, beyond = (self.plan("scores", "--rows", 5000, "--mu", 1, "--cells", finest + more)["shown_share_if_normal"] for more in (0, 1))
        self.assertTrue(beyond < 0.9 <= at, (beyond, at))
        levels = self.plan("scores", "--rows", 5000, "--mu", 1, "--cells", 10, "--label", "sex=f|m")
        self.assertGreater(levels["shown_from"], fewer["shown_from"])  # three times the cells

    def test_bad_requests(self):
        for wrong, words in (
            (("bounds", "--rows", 10, "--dimension", 2), "budget"),
            (("bounds", "--rows", 10, "--mu", 1), "--dimension"),
            (("bounds", "--rows", 10, "--dimension", 2, "--mu", 1, "--neighbours", "zero-row"), "add-remove"),
            (("bounds", "--rows", 10, "--dimension", 2, "--mu", 1, "--outside", 0.7), "--outside"),
            (("bounds", "--rows", 10, "--dimension", 2, "--mu", 1, "--person", "who"), "--rows-per-person"),
            (("scores", "--rows", 10, "--cells", 1, "--mu", 1), "--cells"),
            (("scores", "--mu", 1), "--rows"),
        ):
            self.assertIn(words, self.refuse("plan", *wrong))


class ShareInside(CliTest):
    BASIS = ("--projected-norm", 8, "--range", "-10:10", "--center", "none")

    def table(self, name="t.csv"):
        return self.write(name, "x,y,z\n" + "".join(f"{i % 7 - 3},{i % 5 - 2},{i % 3 - 1}\n" for i in range(5000)))

    def exact(self):
        inside = sum((i % 7 - 3) ** 2 + (i % 5 - 2) ** 2 for i in range(5000))
        return inside / (inside + sum((i % 3 - 1) ** 2 for i in range(5000)))

    def release(self, *arguments):
        out = pathlib.Path(self.path("out"))
        self.succeed(*arguments, "--quiet", "--seed", 1, "--replace", "--out", out)
        return json.loads((out / "release.NOT-PRIVATE.json").read_text())

    def test_is_that_of_the_rows(self):
        basis = self.write("basis.csv", "column,PC1,PC2\nx,1,0\ny,0,1\nz,0,0\n")
        asked = ("--project", basis, *self.BASIS, "--outside-norm", 2)
        for task, budget in (("pca", ("--mu", 1)), ("covariance", ("--epsilon", 1)), ("lowrank", ("--epsilon", 1, "--method", "laplace"))):
            document = self.release(task, self.table(), *budget, *asked)
            share, sd = (document["result"][name] for name in ("noisy_share_inside", "noisy_share_inside_sd"))
            self.assertLess(abs(share - self.exact()), 8 * sd)
            self.assertLess(sd, 0.05)
            self.assertEqual(document["parameters"]["outside_norm"], 2)
        self.assertEqual(len(document["parameters"]["columns"]), 2)  # what lies outside is none of them

    def test_costs_a_tenth_in_plan_and_release(self):
        basis = self.write("basis.csv", "column,PC1,PC2\nx,1,0\ny,0,1\nz,0,0\n")
        asked = ("--project", basis, *self.BASIS)
        numbers = [json.loads(self.succeed("plan", "covariance", "--rows", 5000, "--mu", 1, *asked, *more, "--json")) for more in ((), ("--outside-norm", 2))]
        self.assertAlmostEqual(numbers[1]["noise_sd_diagonal"] / numbers[0]["noise_sd_diagonal"], 1.1, places=3)
        self.assertEqual(numbers[0]["row_norm"], numbers[1]["row_norm"])
        released = self.release("covariance", self.table(), "--mu", 1, *asked, "--outside-norm", 2)
        self.assertAlmostEqual(released["parameters"]["noise_sd_diagonal"] / 5000, numbers[1]["noise_sd_diagonal"], places=12)

    def test_shards_know_it(self):
        basis = self.write("basis.csv", "column,PC1,PC2\nx,1,0\ny,0,1\nz,0,0\n")
        cells = ("--project", basis, "--projected-norm", 8, "--range", "-10:10", "--outside-norm", 2)
        whole = self.path("t.gram")
        self.succeed("gram", "partial", self.table(), *cells, "--out", whole)
        one = self.release("pca", whole, *cells, "--center", "none", "--mu", 1)
        two = self.release("pca", self.table(), *cells, "--center", "none", "--mu", 1)
        self.assertEqual(one["result"]["noisy_share_inside"], two["result"]["noisy_share_inside"])
        self.assertIn("--outside-norm", self.refuse("pca", whole, "--mu", 1))
        self.assertIn("--outside-norm", self.refuse("pca", whole, *cells[:-1], 3, "--mu", 1))

    def test_goes_with_what_it_can(self):
        basis = self.write("basis.csv", "column,PC1,PC2\nx,1,0\ny,0,1\nz,0,0\n")
        people = self.write("p.csv", "who,w,x,y,z\n" + "".join(f"p{i % 40},{1 + i % 2},{i % 7},{i % 5},1\n" for i in range(400)))
        asked = ("--project", basis, *self.BASIS, "--outside-norm", 2)
        self.release("pca", people, "--mu", 1, *asked, "--person", "who", "--rows-per-person", 3)
        for wrong, words in (
            (("pca", self.table(), "--mu", 1, "--range", "0:1", "--outside-norm", 2), "--project"),
            (("pca", self.table(), "--mu", 1, *asked[:-1], 0), "--outside-norm"),
            (("pca", self.table(), "--mu", 1, *asked, "-k", 3), "1 <= k <= 2"),
            (("pca", self.table(), "--epsilon", 1, *asked, "--method", "exponential"), "--outside-norm"),
            (("pca", self.table(), "--mu", 1, *asked, "--matrix", "free"), "--matrix formed"),
            (("pca", people, "--mu", 1, *asked, "--weights", "w", "--weight-bound", 3), "--weights"),
        ):
            self.assertIn(words, self.refuse(*wrong))

    def test_no_row_shapes_the_release(self):
        basis = self.write("basis.csv", "column,PC1,PC2\nx,1,0\ny,0,1\nz,0,0\n")
        shapes = set()
        for rows in ("1,2,3\n" * 50, "", "inf,nan,\n", "1e308,1e308,1e308\n", "0,0,0\n"):
            table = self.write("poison.csv", "x,y,z\n" + rows)
            document = self.release("pca", table, "--mu", 1, "--project", basis, "--projected-norm", 8, "--outside-norm", 2, "--center", "none", "--bad-cell", "midpoint", "--header", "present")
            shapes.add((tuple(document["parameters"]), tuple(document["result"])))
        self.assertEqual(len(shapes), 1)


if __name__ == "__main__":
    unittest.main()

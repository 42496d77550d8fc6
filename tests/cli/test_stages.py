"""Public bases, people with many rows, weights, rows of norm 1: what users see, and what no row may change."""

import csv
import json
import os
import pathlib
import random
import unittest
import unittest.mock

from support import CliTest

MU = ("--mu", 1)


class Stages(CliTest):
    def visits(self, name="visits.csv", people=40, rows=5):
        draw = random.Random(1)
        lines = [f"p{person},{draw.gauss(2, 1):.3f},{draw.gauss(0, 1):.3f},{draw.choice([1, 2, 3])}" for person in range(people) for _ in range(rows)]
        draw.shuffle(lines)
        return self.write(name, "who,a,b,w\n" + "\n".join(lines) + "\n")

    def release(self, *arguments):
        out = pathlib.Path(self.path(f"out{random.random()}"))
        self.succeed(*arguments, "--quiet", "--out", out)
        return json.loads((out / "release.json").read_text()), out

    def test_loadings_come_back_in_the_columns_of_the_basis(self):
        table = self.write("t.csv", "x,y,z\n" + "".join(f"{i % 7},{i % 5},{i % 3}\n" for i in range(3000)))
        basis = self.write("basis.csv", "column,PC1,PC2\nx,1,0\ny,0,0.6\nz,0,0.8\n")
        document, out = self.release("pca", table, "-k", 1, *MU, "--project", basis, "--projected-norm", 8, "--range", "0:10")
        with open(out / "loadings.csv") as file:
            rows = list(csv.reader(file))
        self.assertEqual([row[0] for row in rows], ["column", "x", "y", "z"])
        loading = [float(row[1]) for row in rows[1:]]
        self.assertAlmostEqual(loading[2], loading[1] * 0.8 / 0.6, places=9)  # inside of the span
        self.assertAlmostEqual(sum(value * value for value in loading), 1, places=9)
        self.assertEqual(document["parameters"]["columns"], ["x", "y", "z"])
        self.assertIn("2 directions", document["parameters"]["projected_on"])
        text = self.succeed("plan", "pca", "--rows", 3000, *MU, "--project", basis, "--projected-norm", 8)
        self.assertIn("nothing outside of their span can show", text)

    def test_a_basis_must_fit(self):
        table = self.write("t.csv", "x,y\n1,2\n3,4\n")
        basis = self.write("basis.csv", "column,PC1\nx,1\nq,0\n")
        self.assertIn("q", self.refuse("pca", table, *MU, "--project", basis, "--projected-norm", 8))
        good = self.write("good.csv", "column,PC1\nx,1\ny,0\n")
        self.assertIn("--projected-norm R", self.refuse("pca", table, *MU, "--project", good))
        self.assertIn("leave out --row-norm", self.refuse("pca", table, *MU, "--project", good, "--projected-norm", 8, "--row-norm", 2))

    def test_people_are_protected_with_all_their_rows(self):
        table = self.visits()
        document, _ = self.release("covariance", table, *MU, "--range", "-5:5", "--person", "who", "--rows-per-person", 2, "--exclude", "w")
        self.assertEqual(document["guarantee"]["group_size"], 2)
        # Rows of different people, or one row of somebody who has more than count, are another matter: the unit is said.
        self.assertEqual(document["guarantee"]["person"], "who")
        self.assertIn("one person with all rows of the same who", document["guarantee"]["statement"])
        self.assertEqual(document["parameters"]["columns"], ["a", "b"])
        self.assertEqual(document["parameters"]["rows_per_person"], 2)
        alone, _ = self.release("covariance", table, *MU, "--range", "-5:5", "--columns", "a,b", "--group-size", 2)
        self.assertEqual(document["parameters"]["noise_sd_diagonal"], alone["parameters"]["noise_sd_diagonal"])

    def test_the_number_of_rows_of_people_is_never_exact(self):
        table = self.visits()
        for neighbours in ("add-remove", "replace-one"):
            document, _ = self.release("covariance", table, *MU, "--range", "-5:5", "--person", "who", "--rows-per-person", 2, "--exclude", "w", "--neighbours", neighbours)
            self.assertNotIn("rows", document["result"])
            self.assertGreater(document["result"]["noisy_rows_sd"], 0)
        self.assertIn("number of rows is protected", self.refuse("covariance", table, *MU, "--range", "-5:5", "--person", "who", "--rows-per-person", 2, "--neighbours", "zero-row"))
        self.assertIn("leave out --group-size", self.refuse("covariance", table, *MU, "--range", "-5:5", "--person", "who", "--rows-per-person", 2, "--group-size", 2))
        self.assertIn("go together", self.refuse("covariance", table, *MU, "--range", "-5:5", "--person", "who"))

    def test_weights_count_rows_several_times(self):
        table = self.visits(people=400)
        with open(table) as file:
            rows = list(csv.DictReader(file))
        total = sum(float(row["w"]) for row in rows)
        mean = sum(float(row["w"]) * float(row["a"]) for row in rows) / total
        document, _ = self.release("covariance", table, "--mu", 5000, "--range", "-9:9", "--weights", "w", "--weight-bound", 3, "--exclude", "who")
        self.assertAlmostEqual(document["result"]["noisy_rows"] / total, 1, places=2)
        self.assertAlmostEqual(document["result"]["noisy_mean"][0], mean, places=2)
        one, _ = self.release("covariance", table, *MU, "--range", "-9:9", "--weights", "w", "--weight-bound", 1, "--exclude", "who")
        three, _ = self.release("covariance", table, *MU, "--range", "-9:9", "--weights", "w", "--weight-bound", 3, "--exclude", "who")
        self.assertAlmostEqual(three["parameters"]["noise_sd_diagonal"] / one["parameters"]["noise_sd_diagonal"], 3, places=6)

    def test_rows_of_norm_one_need_no_bound(self):
        document, _ = self.release("pca", self.visits(), *MU, "--normalise-rows", "--columns", "a,b")
        self.assertEqual(document["parameters"]["row_norm"], 1.0)
        self.assertIn("norm 1", document["parameters"]["units"])

    def test_what_noise_must_drown_is_refused_before_a_row_is_read(self):
        wide = self.write("wide.csv", ",".join(f"c{j}" for j in range(300)) + "\n" + ",".join(["x"] * 300) + "\n")  # a row that no reader takes
        refusal = self.refuse("pca", wide, "-k", 2, "--epsilon", 1, "--delta", "1e-6", "--range", "0:10", "--people", 50)
        self.assertIn("--project", refusal)
        self.assertIn("--anyway", refusal)
        self.assertIn("not a number", self.refuse("pca", wide, "-k", 2, "--epsilon", 1, "--delta", "1e-6", "--range", "0:10", "--people", 50, "--anyway"))
        self.assertIn("not a number", self.refuse("pca", wide, "-k", 2, "--epsilon", 1, "--delta", "1e-6", "--range", "0:10", "--people", 10**9))

    def test_warnings_come_from_public_numbers(self):
        table = self.write("t.csv", "id,x\n1,2\n3,4\n")
        text = self.succeed("covariance", table, "--epsilon", 20, "--delta", 0.1, "--range", "0:10", "--people", 100, "--anyway")
        for words in ("above one over the number of rows", "epsilon 20", "column id", "--exclude"):
            self.assertIn(words, text)
        self.assertNotIn("column id", self.succeed("covariance", table, *MU, "--range", "0:10", "--exclude", "id"))

    def test_nothing_is_spent_behind_the_back_of_a_ledger(self):
        table = self.write("t.csv", "x,y\n" + "1,2\n" * 50)
        _, out = self.release("pca", table, "-k", 2, "--mu", 5, "--range", "0:9")
        kept = (*MU, "--header", "present", "--out", self.path("kept"))
        with unittest.mock.patch.dict(os.environ, EIGENVEIL_LEDGER="survey.ledger"):
            self.assertIn("no ledger survey.ledger", self.refuse("scores", table, "--on", out, *kept, code=1))
            self.assertIn("no ledger survey.ledger", self.refuse("bounds", "private", table, *kept, code=1))
        self.assertFalse(os.path.exists(self.path("kept")))

    def test_a_ledger_of_rows_takes_no_release_about_persons(self):
        table = self.write("t.csv", "who,x,y\n" + "".join(f"p{i},1,2\n" for i in range(50)))
        ledger = self.path("rows.ledger")
        self.succeed("ledger", "create", ledger, "--name", "rows", "--epsilon", 3, "--delta", 1e-6)
        words = ("covariance", table, "--mu", 0.1, "--range", "0:9", "--person", "who", "--rows-per-person", 1, "--header", "present", "--ledger", ledger, "--out", self.path("out"))
        self.assertIn("make a ledger for persons", self.refuse(*words))

    def test_scores_are_counts_on_released_axes(self):
        draw = random.Random(2)
        lines = []
        for i in range(4000):
            far = 3 if i % 2 else -3
            lines.append(f"{far + draw.gauss(0, 0.5):.4f},{draw.gauss(0, 1):.4f},{'left' if far < 0 else 'right'}")
        table = self.write("t.csv", "x,y,side\n" + "\n".join(lines) + "\n")
        axes, out = self.release("pca", table, "-k", 2, "--mu", 5, "--range", "-9:9", "--columns", "x,y")
        document, picture = self.release("scores", table, "--on", out, *MU, "--cells", 8, "--label", "side=left|right")
        self.assertEqual(document["guarantee"]["group_size"], 1)
        self.assertTrue(document["builds_on"])
        counts = {}
        for name in ("scores", "scores_1", "scores_2"):
            with open(picture / f"{name}.csv") as file:
                counts[name] = [[float(v) for v in row[1:]] for row in list(csv.reader(file))[1:]]
        totals = {name: sum(map(sum, rows)) for name, rows in counts.items()}
        self.assertLess(abs(totals["scores"]), 8 * 8 * 8)
        self.assertLess(abs(totals["scores_1"] - 2000), 100)
        across = [sum(row[j] for row in counts["scores_1"]) for j in range(8)]
        self.assertGreater(abs(sum(across[:4]) - sum(across[4:])), 1800)  # one side of the first axis
        self.assertIn("loadings", self.refuse("scores", table, "--on", picture, *MU))
        self.assertIn("--axes", self.refuse("scores", table, "--on", out, "--axes", "1,7", *MU))

    def test_no_row_shapes_a_release(self):
        """Names, numbers and gaps of one row change nothing but noise: same files, keys and exit code."""
        head, rows = "who,a,b,w\n", ["x,1,2,1", "y,3,4,2"]
        poisoned = ["x,1,2,1", "x,,NA,", ",1,2,1", "x,1e300,-1e300,1e300", '"x","1","2","-1"', "NA,NA,NA,NA"]
        shapes = set()
        for row in poisoned:
            table = self.write("t.csv", head + "\n".join(rows + [row]) + "\n")
            for arguments in (
                ("--person", "who", "--rows-per-person", 1, "--weights", "w", "--weight-bound", 2),
                ("--person", "who", "--rows-per-person", 1, "--neighbours", "replace-one", "--exclude", "w"),
                ("--normalise-rows", "--exclude", "who,w"),
            ):
                bound = () if "--normalise-rows" in arguments else ("--range", "-5:5")
                document, out = self.release("covariance", table, *MU, *bound, "--header", "present", *arguments)
                keys = (arguments, tuple(document["parameters"]), tuple(document["result"]), tuple(sorted(file.name for file in out.iterdir())))
                shapes.add(keys)
        self.assertEqual(len(shapes), 3)


if __name__ == "__main__":
    unittest.main()

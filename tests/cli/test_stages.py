"""Public bases, people with many rows, weights, rows of norm 1: what users see, and what no row may change."""

import csv
import json
import os
import pathlib
import random
import shutil
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
        self.written = out
        if (out / "release.json").exists():
            return json.loads((out / "release.json").read_text()), out
        plain = out.with_name(out.name + "-plain")  # a seeded one says in its names that it is not private
        plain.mkdir()
        for file in out.iterdir():
            shutil.copy(file, plain / file.name.replace(".NOT-PRIVATE", ""))
        return json.loads((plain / "release.json").read_text()), plain

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

    def survey(self, name="survey.csv", gaps=True, rows=3000, poison=""):
        draw = random.Random(5)
        lines = []
        for _ in range(rows):
            a = draw.gauss(3, 1)
            cells = [a, 2 * a + draw.gauss(0, 1), 7 + 0.001 * draw.gauss(0, 1)]
            lines.append(",".join("" if gaps and draw.random() < 0.1 else f"{cell:.4f}" for cell in cells))
        return self.write(name, "a,b,c\n" + "\n".join(lines) + "\n" + poison)

    def test_correlations_leave_out_columns_within_noise(self):
        table = self.survey(gaps=False)
        document, out = self.release("pca", table, "-k", 3, *MU, "--range", "-10:20", "--correlation", "--seed", 1)
        self.assertEqual(document["result"]["left_out_columns"], ["c"])  # its variance is a millionth
        self.assertEqual(document["parameters"]["units"], "standardised by the released variances")
        scaled, _ = self.release("pca", table, "-k", 3, *MU, "--range", "-10:20", "--correlation", "--standardize", "--seed", 1)
        self.assertEqual(scaled["result"]["noisy_column_deviations"], document["result"]["noisy_column_deviations"])  # correlations have no units
        document, out = self.release("pca", table, "-k", 3, *MU, "--range", "-10:20", "--correlation", "--seed", 1)
        with open(out / "loadings.csv") as file:
            rows = {row[0]: [float(cell) for cell in row[1:]] for row in list(csv.reader(file))[1:]}
        self.assertEqual(rows["c"][:2], [0, 0])
        self.assertAlmostEqual(abs(rows["a"][0]), 0.5**0.5, places=9)
        # Scores know what the columns were divided by.
        picture, _ = self.release("scores", table, "--on", self.written, *MU, "--cells", 4, "--seed", 1)
        self.assertEqual(picture["task"], "scores")
        document, out = self.release("covariance", table, *MU, "--range", "-10:20", "--correlation", "--seed", 1)
        with open(out / "correlation.csv") as file:
            self.assertEqual(next(csv.reader(file)), ["column", "a", "b"])
        self.assertIn("repair_dropped_eigenvalues", document["result"])
        text = self.succeed("analyse", "moments", self.written)
        self.assertIn("no correlations of c", text)
        self.assertIn("95% limits of them", text)
        found = json.loads(self.succeed("analyse", "moments", self.written, "--json"))
        self.assertIsNone(found["correlations"][2][2])
        self.assertIsNone(found["correlations_low"][0][2])
        self.assertTrue(found["correlations_low"][0][1] < found["correlations"][0][1] < found["correlations_high"][0][1])
        # The rows have mean 3 within 0.02, and the midpoint of the range is 5.
        self.assertLess(abs(found["mean"][0] - 3), 8 * found["mean_standard_errors"][0] + 8 / 3000**0.5)
        self.assertEqual(found["measured_from"], "zero")
        self.assertEqual(found["left_out_of_correlations"], ["c"])
        basis = self.write("basis.csv", "column,PC1\na,1\nb,0\nc,0\n")
        self.assertIn("--project", self.refuse("pca", table, *MU, "--project", basis, "--projected-norm", 8, "--correlation"))

    def test_correlations_are_about_a_private_mean(self):
        """About another point columns are divided by what is no deviation: two of correlation 0 came out at .98."""
        table = self.survey(gaps=False)
        centre = self.write("centre.csv", "column,value\na,9\nb,9\nc,9\n")
        for about in (("none",), ("public", centre)):
            for task in (("pca", "-k", 2), ("covariance",)):
                for method in ("gauss", "wishart", "laplace"):
                    options = (*MU, "--method", method, "--range", "-10:30", "--correlation", "--center", *about)
                    self.assertIn("--center private", self.refuse(task[0], table, *task[1:], *options))
                    self.assertIn("--center private", self.refuse("plan", *task, "--rows", 3000, "--columns", "a,b,c", *options))
        frequencies = self.write("f.csv", "column,value\na,0.5\nb,0.4\nc,0.3\n")
        standardised = ("pca", table, *MU, "--allele-frequencies", frequencies, "--row-norm", 3, "--correlation")
        self.assertIn("--center private", self.refuse(*standardised))
        self.succeed(*standardised, "--center", "private")

    def test_plans_of_correlations(self):
        plan = ("plan", "pca", "--rows", 3000, "--columns", "a,b,c", "-k", 2, "--range", "-10:20", *MU)
        text = self.succeed(*plan, "--correlation")
        self.assertRegex(text, "correlation +columns of variance below [0-9.]+ are left out")
        self.assertNotIn("are left out", self.succeed(*plan))
        found = json.loads(self.succeed(*plan, "--correlation", "--json"))
        self.assertAlmostEqual(found["correlation_least_variance"], 3 * found["noise_sd_diagonal"])
        self.assertIn("--correlation", self.refuse(*plan, "--correlation", "--compare"))

    def test_plans_leave_columns_out_as_releases_do(self):
        bounds = self.write("b.csv", "column,low,high\nid,0,9\na,0,9\nb,0,9\n")
        self.assertIn("2 columns", self.succeed("plan", "pca", "--rows", 3000, "--bounds", bounds, "--exclude", "id", *MU))
        self.assertIn("no column", self.refuse("plan", "pca", "--rows", 3000, "--bounds", bounds, "--exclude", "nobody", *MU))

    def test_missing_cells_are_left_out_pair_by_pair(self):
        table = self.survey()
        document, out = self.release("covariance", table, *MU, "--range", "-10:20", "--missing", "pairwise=a,b", "--seed", 1)
        self.assertEqual(document["parameters"]["pairwise_columns"], ["a", "b"])
        self.assertIn("noisy_rows", document["result"])
        found = json.loads(self.succeed("analyse", "moments", self.written, "--json"))
        self.assertLess(abs(found["values"][0][0] - 1), 8 * found["standard_errors"][0][0] + 0.2)
        fit = json.loads(self.succeed("analyse", "regress", self.written, "--response", "b", "--predictors", "intercept,a", "--json"))
        self.assertEqual(fit["about"], "raw")
        self.assertLess(abs(fit["coefficients"][1] - 2), 8 * fit["standard_errors"][1] + 0.2)
        self.succeed("analyse", "pca", self.written)
        self.assertIn("about its rows alone", self.refuse("analyse", "regress", self.written, "--response", "b", "--predictors", "a", "--about", "population"))
        for relation in ("replace-one", "zero-row"):
            self.release("pca", table, *MU, "--range", "-10:20", "--missing", "pairwise", "--neighbours", relation)
        self.assertIn("'q'", self.refuse("pca", table, *MU, "--range", "-10:20", "--missing", "pairwise=q"))
        self.assertIn("pca, covariance and lowrank", self.refuse("mask", table, *MU, "--range", "-10:20", "--missing", "pairwise", "--out", self.path("x")))
        self.assertIn("leave out --center", self.refuse("pca", table, *MU, "--range", "-10:20", "--missing", "pairwise", "--center", "none"))

    def test_missing_cells_shape_no_release(self):
        shapes = set()
        for name, table in (("gaps", self.survey()), ("whole", self.survey("whole.csv", gaps=False)), ("poison", self.survey("poison.csv", rows=1, poison="inf,,nan\n,,\n1e308,-1e308,\n")),
                            ("empty", self.write("empty.csv", "a,b,c\n"))):
            for task in ("covariance", "pca"):
                document, out = self.release(task, table, *MU, "--range", "-10:20", "--missing", "pairwise", "--correlation", "--bad-cell", "midpoint", "--header", "present")
                names = {file.name for file in out.iterdir()} - {"correlation.csv"}  # there once a column has a variance
                shapes.add((task, tuple(document["parameters"]), tuple(document["result"]), tuple(sorted(names))))
        self.assertEqual(len(shapes), 2, shapes)

    def test_scores_of_genotypes_by_label(self):
        draw = random.Random(3)
        table = self.write("g.csv", "population,a,b,c\n" + "".join(f"{draw.choice(['X', 'Y'])},{draw.randint(0, 2)},{draw.randint(0, 2)},{draw.randint(0, 2)}\n" for _ in range(400)))
        frequencies = self.write("f.csv", "column,value\na,0.5\nb,0.4\nc,0.3\n")
        self.release("pca", table, "-k", 2, *MU, "--exclude", "population", "--allele-frequencies", frequencies, "--row-norm", 3)
        document, out = self.release("scores", table, "--on", self.written, "--cells", 4, "--label", "population=X|Y", *MU)
        self.assertTrue((out / "scores_2.csv").exists())
        self.assertEqual(document["parameters"]["columns"], ["a", "b", "c"])

    def test_labels_beside_genotypes(self):
        """People of a .bed file have their labels in another one, by their names in the .fam file; those it does not name are others."""
        people = [f"p{i}" for i in range(400)]
        with open(self.path("g.bed"), "wb") as file:
            file.write(b"\x6c\x1b\x01" + bytes([0b00110011] * 100) + bytes([0b11001100] * 100))
        self.write("g.bim", "1 a 0 1 A G\n1 b 0 2 A G\n")
        self.write("g.fam", "".join(f"f {name} 0 0 0 -9\n" for name in people))
        self.release("pca", self.path("g.bed"), "-k", 2, "--mu", 50, "--range", "0:2")
        labels = self.write("l.tsv", "iid\tpopulation\n" + "".join(f"{name}\t{'XY'[i % 2]}\n" for i, name in reversed(list(enumerate(people))) if i < 300))
        on = ("scores", self.path("g.bed"), "--on", self.written, "--cells", 4, "--label", "population=X|Y", "--mu", 50)
        lines = self.write("lines.csv", "population\n" + "".join("XY"[i % 2] + "\n" for i in range(300)))
        self.assertIn("not one line for every row", self.refuse(*on, "--labels", lines))
        named = self.write("named.tsv", "iid\tpopulation\n" + "".join(f"{name}\t{'XY'[i % 2]}\n" for i, name in enumerate(people[:300])) + "p1\tX\n")
        for file, total in ((labels, ()), (lines, ("--bad-cell", "midpoint", "--header", "present")), (named, ("--bad-cell", "midpoint", "--header", "present"))):
            _, out = self.release(*on, "--labels", file, *total)
            counts = []
            for name in ("scores", "scores_1", "scores_2"):
                with open(out / f"{name}.csv") as found:
                    counts.append([float(v) for row in list(csv.reader(found))[1:] for v in row[1:]])
            for found, expected in zip(counts, (100, 150, 150)):
                self.assertLess(abs(sum(found) - expected), 5)
            self.assertGreater(max(counts[1]), 140)  # one genotype, so one cell, for each population
            self.assertNotEqual(counts[1].index(max(counts[1])), counts[2].index(max(counts[2])))
        self.assertIn("--labels FILE", self.refuse(*on))
        self.assertIn("two lines", self.refuse(*on, "--labels", self.write("twice.csv", "iid,population\np1,X\np1,Y\n")))

    def test_a_private_row_norm(self):
        table = self.survey(gaps=False)
        document, out = self.release("bounds", "private", table, *MU, "--row-norm", "private", "--range", "-10:20", "--seed", 1)
        self.assertEqual(document["parameters"]["columns"], ["row_norm"])
        with open(out / "bounds.csv") as file:
            high = float(list(csv.reader(file))[1][2])
        # Scaled, c is at 0.13 and the others within 1: rows are shorter than 2 and longer than 0.1.
        self.assertGreater(high, 0.1)
        self.assertLess(high, 2)
        self.assertIn("--row-norm private", self.refuse("bounds", "private", table, *MU, "--range", "-10:20"))

    def test_private_bounds_that_noise_hides(self):
        """Nothing is called a range that may leave most of the rows outside, and nothing is made of it."""
        table = self.survey(gaps=False, rows=60)
        text = self.succeed("plan", "bounds", "--rows", 60, "--columns", "a,b,c", "--mu", 0.3)
        self.assertIn("more than half of the rows", text)
        self.assertNotIn("pays", text)
        document, out = self.release("bounds", "private", table, "--mu", 0.3)
        self.assertEqual(document["result"]["hidden_by_noise"], ["a", "b", "c"])
        self.assertEqual((out / "bounds.csv").read_text(), "column,low,high\na,,\nb,,\nc,,\n")
        report = (out / "report.html").read_text()
        self.assertIn("Hidden by noise: a, b and c.", report)
        self.assertNotIn("nan", report.split("<h2>Parameters")[0])
        self.assertIn("is empty", self.refuse("pca", table, *MU, "--bounds", out / "bounds.csv"))
        self.assertIn("as they were written", self.succeed("explain", self.written))  # it reads back
        said = self.succeed("bounds", "private", table, "--mu", 0.3, "--quiet")
        self.assertIn("more than half of the rows", said)
        self.assertNotIn("give --bounds", said)
        self.assertNotIn("nan", said)
        for rows in (0, 5):
            few = self.write(f"{rows}.csv", "a,b,c\n" + "1,2,3\n" * rows)
            said = self.succeed("bounds", "private", few, "--header", "present", "--mu", 0.3, "--quiet", "--row-norm", "private")
            self.assertIn("noise hides the norm", said)
            self.assertNotIn("nan", said)

    def test_releases_on_private_bounds_repeat_what_these_may_cut_off(self):
        table = self.survey(gaps=False, rows=1000)
        self.assertIn("may cut off up to about", self.succeed("plan", "bounds", "--rows", 1000, "--columns", "a,b,c", "--mu", 0.3))
        document, out = self.release("bounds", "private", table, "--mu", 0.3)
        self.assertGreater(document["result"]["share_noise_may_cut_off"], 0.1)
        self.assertIn("may cut off", (out / "report.html").read_text())
        said = self.succeed("pca", table, *MU, "--bounds", out / "bounds.csv", "--quiet")
        self.assertIn("of the private bounds it is made with: the ranges may cut off", said)
        document, _ = self.release("pca", table, *MU, "--bounds", out / "bounds.csv")
        self.assertIn("may cut off", document["parameters"]["private_bounds_used"])
        _, out = self.release("bounds", "private", table, "--mu", 3)
        self.assertNotIn("cut off", self.succeed("pca", table, *MU, "--bounds", out / "bounds.csv", "--quiet"))

    def test_scores_on_levels(self):
        """Axes of a release with one column per level: the table is read as it was then, with a label or without."""
        draw = random.Random(4)
        rows = [(draw.gauss(50, 10), draw.choice(["männlich", "weiblich", "divers"]), draw.choice("NS")) for _ in range(2000)]
        table = self.write("people.csv", "age,sex,region\n" + "".join(f"{age:.1f},{sex},{region}\n" for age, sex, region in rows))
        bounds = self.write("b.csv", "column,low,high\nage,0,100\n")
        document, _ = self.release("pca", table, "-k", 2, "--mu", 20, "--exclude", "region", "--bounds", bounds, "--one-hot", "sex=männlich|weiblich")
        self.assertEqual(document["parameters"]["columns"], ["age", "sex=männlich", "sex=weiblich"])
        on = ("scores", table, "--on", self.written, "--mu", 20, "--cells", 5)
        document, _ = self.release(*on)
        self.assertEqual(document["parameters"]["columns"], ["age", "sex"])
        _, out = self.release(*on, "--label", "region=N|S")
        with open(out / "scores_1.csv") as file:
            counted = sum(float(cell) for line in list(csv.reader(file))[1:] for cell in line[1:])
        self.assertLess(abs(counted - sum(region == "N" for *_, region in rows)), 5)
        self.assertIn("is a column of the release", self.refuse(*on, "--label", "sex=männlich|weiblich"))
        said = self.succeed("pca", table, "-k", 1, *MU, "--columns", "age", "--range", "0:100", "--normalise-rows", "--quiet")
        self.assertIn("cannot be drawn", said)

    def test_words_in_another_encoding_are_refused(self):
        """Read as UTF-8, a listed word in Latin-1 would be taken for one that is not listed."""
        latin = self.write("l1.csv", "age,sex\n50,weiblich\n40,männlich\n".encode("latin-1"))
        options = ("-k", 1, *MU, "--range", "0:100", "--one-hot", "sex=männlich|weiblich", "--quiet")
        said = self.refuse("pca", latin, *options)
        self.assertIn("line 3, column sex", said)
        self.assertIn("--encoding latin-1", said)
        self.succeed("pca", latin, *options, "--encoding", "latin-1")
        self.succeed("pca", latin, *options, "--bad-cell", "midpoint", "--header", "present")

    def test_what_is_not_protected_of_a_person(self):
        document, _ = self.release("pca", self.visits(), *MU, "--range", "0:10", "--person", "who", "--rows-per-person", 5)
        open_facts = " ".join(document["not_protected"])
        self.assertIn("several values of who", open_facts)
        self.assertNotIn("described by, several rows", open_facts)

    def test_rows_of_norm_one_are_about_zero_without_a_range(self):
        table = self.survey(gaps=False, rows=100)
        options = ("-k", 1, *MU, "--normalise-rows", "--quiet")
        self.assertIn("about zero (give --range", self.succeed("pca", table, *options))
        self.assertIn("about the public centre", self.succeed("pca", table, *options, "--range", "0:10"))

    def test_tables_of_other_countries(self):
        plain = "größe,b\n" + "".join(f"{1000 + i}.5,{i % 7}\n" for i in range(300))
        comma = "größe;b\n" + "".join(f"1.{i:03d},5;{i % 7}\n" for i in range(300))
        options = ("--range", "0:2000", "--seed", 1, *MU)
        _, expected = self.release("covariance", self.write("plain.csv", plain), *options)
        expected = (expected / "covariance_raw.csv").read_bytes()
        for name, content, flags in (
            ("comma.csv", comma.encode(), ("--decimal", ",")),
            ("tabs.txt", plain.replace(",", "\t").encode(), ()),
            ("groups.csv", ("größe,b\n" + "".join(f'"1,{i:03d}.5",{i % 7}\n' for i in range(300))).encode(), ("--decimal", "point")),
            ("latin.csv", plain.encode("latin-1"), ("--encoding", "latin-1")),
            ("utf16.csv", plain.encode("utf-16"), ("--encoding", "utf-16")),
            ("big.csv", b"\xfe\xff" + plain.encode("utf-16-be"), ("--encoding", "utf-16"))):
            with self.subTest(name):
                _, out = self.release("covariance", self.write(name, content), *options, *flags)
                self.assertEqual((out / "covariance_raw.csv").read_bytes(), expected)
        self.assertIn("--encoding utf-16", self.refuse("covariance", self.path("utf16.csv"), *options))
        # Read as UTF-16 the rows of another table would become the name of its one column.
        self.assertIn("byte order mark", self.refuse("covariance", self.path("latin.csv"), *options, "--encoding", "utf-16"))
        self.assertIn("--encoding latin-1", self.refuse("covariance", self.path("latin.csv"), *options))
        bad = self.write("bad.csv", "a;b\n1.23,5;2\n")  # a group of two digits is no number
        self.assertIn("not a number", self.refuse("covariance", bad, *options, "--decimal", "comma"))

    def test_numbers_that_count_are_a_question(self):
        for first in ("0,1", "2001,2002,2003", "5,6,7,8"):
            self.assertIn("--header numbers", self.refuse("covariance", self.write("t.csv", first + "\n" + "3,4,5,6\n"[: 2 * first.count(",") + 1] + "\n"), "--range", "0:10", *MU))

    def test_comparisons_without_a_spectrum(self):
        text = self.succeed("plan", "pca", "--rows", 100000, "--dimension", 5, "--range", "0:1", *MU, "--compare")
        for name in ("strong component", "power law", "flat"):
            self.assertIn(name, text)
        found = json.loads(self.succeed("plan", "pca", "--rows", 100000, "--dimension", 5, "--range", "0:1", *MU, "--compare", "--json"))
        self.assertEqual(len(found["scenarios"]), 3)

    def test_people_and_weights_cannot_be_limited_in_sums_made_before(self):
        rows = self.write("one.csv", "id,a,b\n" + "1,10,10\n" * 50)
        self.succeed("gram", "partial", rows, "--columns", "a,b", "--range", "0:10", "--quiet", "--out", self.path("one.gram"))
        for more in (("--person", "id", "--rows-per-person", 1), ("--weights", "a", "--weight-bound", 2)):
            self.assertIn("a .gram file carries", self.refuse(
                "covariance", self.path("one.gram"), *more, "--mu", 0.5, "--anyway", "--out", self.path("out")))

    def test_shards_inside_of_a_basis(self):
        lines = [f"{i % 7},{i % 5},{i % 3}\n" for i in range(3000)]
        whole = self.write("t.csv", "x,y,z\n" + "".join(lines))
        basis = self.write("basis.csv", "column,PC1,PC2\nx,1,0\ny,0,0.6\nz,0,0.8\n")
        inside = ("--project", basis, "--projected-norm", 8)
        for name, part in (("a", lines[:1000]), ("b", lines[1000:])):
            self.succeed("gram", "partial", self.write(f"{name}.csv", "x,y,z\n" + "".join(part)), *inside, "--range", "0:10", "--quiet", "--out", self.path(f"{name}.gram"))
        self.succeed("gram", "merge", self.path("a.gram"), self.path("b.gram"), "--out", self.path("all.gram"))
        _, one = self.release("pca", whole, *MU, *inside, "--range", "0:10", "--seed", 3)
        _, other = self.release("pca", self.path("all.gram"), *MU, *inside, "--range", "0:10", "--seed", 3)
        self.assert_same_text((one / "loadings.csv").read_text(), (other / "loadings.csv").read_text())
        self.assertIn("was not made with this", self.refuse("pca", self.path("all.gram"), *MU, "--project", basis, "--projected-norm", 9))
        # Another basis of the same size and norm: its loadings would be of directions nobody summed.
        turned = ("--project", self.write("turned.csv", "column,PC1,PC2\nx,0,1\ny,0.6,0\nz,0.8,0\n"), "--projected-norm", 8)
        self.assertIn("was not made with this", self.refuse("pca", self.path("all.gram"), *MU, *turned))
        self.succeed("gram", "partial", self.path("b.csv"), *turned, "--range", "0:10", "--quiet", "--out", self.path("c.gram"))
        self.refuse("gram", "merge", self.path("a.gram"), self.path("c.gram"), "--out", self.path("mixed.gram"))
        # Cells about other midpoints, or in other units, are other coordinates in the same basis.
        self.succeed("gram", "partial", self.path("b.csv"), *inside, "--range", "0:20", "--quiet", "--out", self.path("d.gram"))
        self.refuse("gram", "merge", self.path("a.gram"), self.path("d.gram"), "--out", self.path("mixed.gram"))
        for cells in ((), ("--range", "0:20"), ("--range", "0:10", "--standardize")):
            self.assertIn("these cells", self.refuse("pca", self.path("all.gram"), *MU, *inside, *cells))
        self.assertIn("leave out --standardize", self.refuse("pca", self.path("all.gram"), *MU, "--standardize"))

    def test_scores_inside_of_a_basis_are_about_the_mean(self):
        draw = random.Random(2)
        rows = []
        for _ in range(2000):
            size = draw.gauss(0, 1)
            rows.append([3 + size + draw.gauss(0, 0.3), 2 + 0.5 * size + draw.gauss(0, 0.3), 1 + draw.gauss(0, 0.3)])
        table = self.write("t.csv", "x,y,z\n" + "".join(",".join(f"{cell:.4f}" for cell in row) + "\n" for row in rows))
        basis = self.write("basis.csv", "column,PC1,PC2,PC3\nx,0.6,-0.8,0\ny,0.8,0.6,0\nz,0,0,1\n")
        for inside in ((), ("--project", basis, "--projected-norm", 20)):
            document, _ = self.release("pca", table, "-k", 2, "--mu", 50, "--range", "0:20", *inside, "--seed", 1)
            for found, cells in zip(document["result"]["noisy_mean"], zip(*rows)):
                self.assertAlmostEqual(found, sum(cells) / len(cells), delta=0.1)  # mu 50: noise of a mean is below 0.01
            axes = self.written
            _, picture = self.release("scores", table, "--on", self.written, "--mu", 50, "--cells", 8, "--seed", 1)
            counts = [[float(cell) for cell in line[1:]] for line in list(csv.reader(open(picture / "scores.csv")))[1:]]
            halves = sum(sum(line[:4]) for line in counts), sum(sum(line[4:]) for line in counts)
            self.assertGreater(min(halves), 0.4 * sum(halves))  # off the mean all rows are on one side
        self.assertIn("is a column of the release", self.refuse("scores", table, "--on", axes, *MU, "--label", "z=1|2"))

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
        basis = self.write("basis.csv", "column,PC1\na,0.6\nb,0.8\n")
        for stage in (("--one-hot", "w=1,2,3"), ("--project", basis, "--projected-norm", 8), ("--normalise-rows", "--exclude", "w")):
            staged, _ = self.release("covariance", table, *MU, "--range", "-5:5", "--person", "who", "--rows-per-person", 2, "--center", "none", *stage)
            self.assertEqual(staged["parameters"]["rows_per_person"], 2, stage)
        alone, _ = self.release("covariance", table, *MU, "--range", "-5:5", "--columns", "a,b", "--group-size", 2)
        self.assertEqual(document["parameters"]["noise_sd_diagonal"], alone["parameters"]["noise_sd_diagonal"])

    def test_bounds_and_scores_of_people(self):
        """G times the noise of a row, and the unit is said; a release about persons has scores about the same persons alone."""
        table = self.visits(people=300)
        person = ("--person", "who", "--rows-per-person", 3)
        self.release("pca", table, "-k", 2, *MU, "--range", "-5:5", *person, "--exclude", "w")
        axes = self.written
        self.release("pca", table, "-k", 2, *MU, "--range", "-5:5", "--columns", "a,b")
        of_rows = self.written
        norm = ("bounds", "private", table, "--row-norm", "private", "--range", "-5:5")
        for command, alone in (
            (("bounds", "private", table, "--exclude", "w"), ("bounds", "private", table, "--columns", "a,b")),
            ((*norm, "--exclude", "w"), (*norm, "--columns", "a,b")),
            (("scores", table, "--on", axes, "--cells", 4), ("scores", table, "--on", of_rows, "--cells", 4)),
        ):
            for neighbours in ("add-remove", "replace-one"):
                said, _ = self.release(*command, *MU, *person, "--neighbours", neighbours)
                rows, _ = self.release(*alone, *MU, "--neighbours", neighbours)
                self.assertAlmostEqual(said["parameters"]["noise_sd_count"], 3 * rows["parameters"]["noise_sd_count"], places=9)
                self.assertEqual((said["guarantee"]["person"], said["guarantee"]["group_size"], said["parameters"]["rows_per_person"]), ("who", 3, 3))
                self.assertIn("one person with all rows of the same who", said["guarantee"]["statement"])
                self.assertNotIn("person", rows["guarantee"])
            self.assertLess(abs(said["result"]["noisy_rows"] - 900), 6 * said["result"]["noisy_rows_sd"])  # the first 3 of 5; false alarm 2e-9 each
            self.assertIn("leave out --group-size", self.refuse(*command, *MU, *person, "--group-size", 2))
            self.assertIn("go together", self.refuse(*command, *MU, "--person", "who"))
        self.assertIn("no column", self.refuse("bounds", "private", table, *MU, "--person", "whom", "--rows-per-person", 1))
        self.assertIn("number of rows is protected", self.refuse("scores", table, "--on", axes, *MU, *person, "--neighbours", "zero-row"))
        self.assertIn("give --person who", self.refuse("scores", table, "--on", axes, *MU))

    def test_the_number_of_rows_of_people_is_never_exact(self):
        table = self.visits()
        for neighbours in ("add-remove", "replace-one"):
            document, _ = self.release("covariance", table, *MU, "--range", "-5:5", "--person", "who", "--rows-per-person", 2, "--exclude", "w", "--neighbours", neighbours)
            self.assertNotIn("rows", document["result"])
            self.assertGreater(document["result"]["noisy_rows_sd"], 0)
        self.assertIn("number of rows is protected", self.refuse("covariance", table, *MU, "--range", "-5:5", "--person", "who", "--rows-per-person", 2, "--neighbours", "zero-row"))
        self.assertIn("leave out --group-size", self.refuse("covariance", table, *MU, "--range", "-5:5", "--person", "who", "--rows-per-person", 2, "--group-size", 2))
        self.assertIn("go together", self.refuse("covariance", table, *MU, "--range", "-5:5", "--person", "who"))

    def test_intervals_about_the_population_allow_for_weights_and_people(self):
        table = self.visits(people=300)
        model = ("--response", "b", "--predictors", "intercept,a", "--json")
        common = ("covariance", table, "--mu", 5000, "--range", "-9:9", "--center", "private", "--columns", "a,b")
        errors = {}
        for factor, more in ((1, ()), (3, ("--weights", "w", "--weight-bound", 3)), (5, ("--person", "who", "--rows-per-person", 5)),
                             (4, ("--group-size", 4)), (15, ("--person", "who", "--rows-per-person", 5, "--weights", "w", "--weight-bound", 3))):
            _, out = self.release(*common, *more)
            found = json.loads(self.succeed("analyse", "regress", out, *model))
            self.assertEqual(found["sampling_factor"], factor)
            raw = json.loads(self.succeed("analyse", "regress", out, *model, "--about", "raw"))
            self.assertEqual(raw["sampling_factor"], 1)
            errors[factor] = found["standard_errors"][1]
            self.assertLess(raw["standard_errors"][1], errors[factor])
            said = self.succeed("analyse", "regress", out, *model[:-1])
            self.assertEqual(f"multiplied by {factor}," in said, factor > 1)
        self.assertAlmostEqual(errors[5] / errors[1], 5 ** 0.5, delta=0.05)  # noise far below the rows
        self.assertAlmostEqual(errors[4] / errors[1], 2, delta=0.05)

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

    def test_columns_without_a_cell_are_noise(self):
        """Every count hidden: no component stands out, and nothing has limits; the same for a table without rows."""
        for name, rows in (("gaps.csv", "a,b\n" + ",\n" * 20), ("none.csv", "a,b\n")):
            table = self.write(name, rows)
            document, _ = self.release("pca", table, "-k", 2, *MU, "--range", "0:10", "--missing", "pairwise", "--seed", 1)
            self.assertEqual(document["result"]["refused_entries"], ["a", "b"])
            self.assertEqual(document["result"]["below_noise"], ["PC1", "PC2"])
            self.release("covariance", table, *MU, "--range", "0:10", "--missing", "pairwise", "--seed", 1)
            self.assertIn("noise hides how many rows", self.refuse("analyse", "pca", self.written))

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

"""Plans from public numbers, releases checked after the fact, bounds to fill in."""

import json
import math
import os
import shutil
import unittest

from support import CliTest, csv_text, read_json

BASE = ("--rows", 10000, "--dimension", 20, "--range", "0:10")


class Plans(CliTest):

    def plan(self, task, *flags):
        return json.loads(self.succeed("plan", task, *flags, "--json"))

    def test_fields_and_words(self):
        facts = self.plan("pca", *BASE, "-k", 3, "--epsilon", 1, "--delta", 1e-6)
        for field in ("task", "method", "guarantee", "in_words", "max_power_at_5pct", "row_norm",
                      "noise_sd_diagonal", "noise_sd_off_diagonal", "noise_sd_rows", "noise_floor"):
            self.assertIn(field, facts)
        self.assertAlmostEqual(facts["row_norm"], math.sqrt(20), places=12)
        self.assertIn("(1, 1e-06)-DP", facts["guarantee"])
        text = self.succeed("plan", "pca", *BASE, "-k", 3, "--epsilon", 1, "--delta", 1e-6)
        self.assertIn("(1, 1e-06)-DP for adding or removing one row", text)
        self.assertIn("no data was read", text)

    def test_noise_scales_as_theory_says(self):
        def sd(*flags, task="covariance"):
            return self.plan(task, *flags)["noise_sd_diagonal"]
        one = sd(*BASE, "--mu", 1)
        self.assertAlmostEqual(sd(*BASE, "--mu", 0.25) / one, 4.0, places=9)
        # rho-zCDP of a Gaussian mechanism is mu^2 / 2.
        self.assertAlmostEqual(sd(*BASE, "--rho", 0.5) / one, 1.0, places=9)
        self.assertAlmostEqual(sd(*BASE, "--mu", 1, "--group-size", 3) / one, 3.0, places=9)
        self.assertAlmostEqual(
            sd("--rows", 20000, "--dimension", 20, "--range", "0:10", "--mu", 1) / one, 0.5, 9)
        pure = sd(*BASE, "--epsilon", 1)
        self.assertAlmostEqual(sd(*BASE, "--epsilon", 0.1) / pure, 10.0, places=9)
        looser = [sd(*BASE, "--epsilon", e, "--delta", 1e-6) for e in (0.5, 1, 2, 4)]
        self.assertEqual(looser, sorted(looser, reverse=True))
        # Off-diagonals have half the variance in the isometric basis.
        facts = self.plan("covariance", *BASE, "--mu", 1)
        self.assertAlmostEqual(facts["noise_sd_diagonal"] / facts["noise_sd_off_diagonal"],
                               math.sqrt(2.0), places=9)
        replace = sd(*BASE, "--mu", 1, "--center", "none", "--neighbours", "replace-one")
        zero = sd(*BASE, "--mu", 1, "--center", "none", "--neighbours", "zero-row")
        # A replaced row: sqrt(2) R^2, and the trace needs 1 / (p + 1) of the variance (docs/proofs/trace_noise.md).
        self.assertAlmostEqual(replace / zero, math.sqrt(2.0 * 20 / 21), places=9)

    def test_wishart_by_relation_and_beside_gauss(self):
        """Pure epsilon: sd = sqrt(q + 1) Delta / epsilon on a variance, q = columns, one more with a private mean."""
        size = ("--rows", 1, "--dimension", 4, "--row-norm", 1, "--epsilon", 1)
        for relation, center, delta, q in (
                ("add-remove", "none", 9 / 8, 4), ("zero-row", "none", 1, 4), ("replace-one", "none", 2, 4),
                ("add-remove", "private", 9 / 8, 5), ("zero-row", "private", math.sqrt(1.5), 5),
                ("replace-one", "private", 9 / 4, 5)):
            facts = self.plan("covariance", *size, "--neighbours", relation, "--center", center)
            self.assertEqual(facts["method"], "wishart")
            self.assertAlmostEqual(facts["noise_sd_diagonal"] / (math.sqrt(q + 1) * delta), 1, places=4)
            self.assertAlmostEqual(facts["noise_sd_diagonal"] / facts["noise_sd_off_diagonal"], math.sqrt(2), places=9)
        self.assertGreater(facts["trace_added_by_repair"], 0)
        pair = self.plan("pca", *size, "--delta", 1e-6, "--center", "none")
        self.assertEqual(pair["method"], "gauss")
        pure = self.plan("pca", *size, "--center", "none")
        self.assertEqual(pair["wishart"]["noise_sd_diagonal"], pure["noise_sd_diagonal"])
        self.assertEqual(pair["wishart"]["max_power_at_5pct"], pure["max_power_at_5pct"])
        self.assertAlmostEqual(pair["wishart"]["charge"], 27.0, delta=0.2)
        self.assertLess(pure["detectable_eigenvalue"], pure["noise_floor"])

    def test_a_spectrum_says_what_a_component_must_exceed(self):
        spectrum = self.write("s.txt", "\n".join(str(0.3 * 0.5**j) for j in range(8)))
        flags = ("--rows", 4000, "--dimension", 8, "--range", "0:10", "--epsilon", 1, "--delta", 1e-6, "--spectrum", spectrum)
        plans = {k: self.plan("pca", *flags, "-k", k) for k in (1, 2, 4, 8)}
        told = plans[8]["predicted_components"]
        # A component must exceed more than the floor, the more so the more variance is left out; with none left out the floor itself.
        self.assertEqual(plans[8]["predicted_edge"], plans[8]["noise_floor"])
        self.assertGreater(plans[1]["predicted_edge"], plans[2]["predicted_edge"])
        for k, facts in plans.items():
            self.assertEqual(facts["predicted_components"] == k, 25 * 0.3 * 0.5 ** (k - 1) > facts["predicted_edge"])
        whole = self.plan("covariance", *flags)
        self.assertLess(0, whole["predicted_components"])
        self.assertLess(whole["predicted_components"], 8)
        self.assertLessEqual(whole["predicted_components"], told)
        self.assertGreater(whole["predicted_edge"], whole["noise_floor"])
        # Without a spectrum there is nothing beside; along a direction in several units the noise depends on where it points.
        self.assertNotIn("predicted_edge", self.plan("pca", *flags[:-2]))
        bounds = self.write("b.csv", "column,low,high\n" + "\n".join(f"x{j},0,{j + 1}" for j in range(8)))
        several = ("--rows", 4000, "--columns", ",".join(f"x{j}" for j in range(8)), "--bounds", bounds, "--epsilon", 1, "--delta", 1e-6, "--spectrum", spectrum)
        self.assertNotIn("predicted_edge", self.plan("pca", *several))
        self.assertIn("predicted_edge", self.plan("pca", *several, "--standardize"))

    def test_a_spectrum_says_where_a_draw_is_better(self):
        one, power = ["0.7"] + ["0.0055"] * 49, [str(0.27 / (j + 1)) for j in range(20)]
        # The last line: first order prefers orbit, which loses more when it is tried.
        for rows, k, epsilon, eigenvalues, better in (
                (100000, 1, 1, one, "wishart"), (60, 1, 1, one, "exponential"), (1000, 3, 0.3, power, "wishart")):
            flags = ("--rows", rows, "--dimension", len(eigenvalues), "-k", k, "--row-norm", 1, "--epsilon", epsilon,
                     "--center", "none", "--spectrum", self.write("s.txt", "\n".join(eigenvalues)))
            facts, compared = self.plan("pca", *flags), self.plan("pca", *flags, "--compare")
            self.assertEqual((facts["method"], facts["recommended_method"]), ("wishart", better))
            self.assertEqual(compared["recommended"], better)
            total = {line["method"]: line.get("total_error_f2") for line in compared["methods"]}
            self.assertEqual((facts["total_error_f2"], facts["made_up_tables"]), (total["wishart"], compared["made_up_tables"]))

    def test_the_plan_is_what_the_release_does(self):
        source = self.write("t.csv", csv_text(["a", "b"], [[1.0, 2.0]] * 50))
        flags = ("--range", "0:10", "--epsilon", 1, "--delta", 1e-6, "--center", "private")
        planned = self.plan("covariance", "--rows", 50, "--columns", "a,b", *flags)
        self.succeed("covariance", source, *flags, "--out", self.path("o"))
        document = read_json(self.path("o", "release.json"))
        for kind in ("noise_sd_diagonal", "noise_sd_off_diagonal"):
            self.assertAlmostEqual(planned[kind] * 50, document["parameters"][kind], places=9)
        self.assertEqual(planned["noise_sd_rows"], document["result"]["noisy_rows_sd"])
        self.assertEqual(planned["guarantee"], document["guarantee"]["statement"])

    def test_predicted_error_falls_with_rows(self):
        spectrum = self.write("s.txt", "3\n1\n0.1\n")
        error = [self.plan("pca", "--rows", n, "--dimension", 3, "--row-norm", 3, "--mu", 1,
                           "--spectrum", spectrum)["predicted_error_f2"]
                 for n in (1000, 10000, 100000)]
        self.assertGreater(error[0], error[1])
        self.assertGreater(error[1], error[2])
        self.assertGreater(error[2], 0.0)
        for wrong in ("3\n1\n", "3\n1\nx\n", "3\n1\n-1\n", "3\n1\nnan\n"):
            self.write("s.txt", wrong)
            self.refuse("plan", "pca", "--rows", 10, "--dimension", 3, "--row-norm", 3, "--mu", 1,
                        "--spectrum", spectrum)

    def test_a_spectrum_no_bounded_table_has_is_refused(self):
        spectrum = self.write("s.txt", "3\n1\n0.1\n")
        size = ("--rows", 1000, "--dimension", 3, "--mu", 1, "--spectrum", spectrum)
        for words in (("pca",), ("pca", "--compare"), ("covariance",), ("lowrank", "-k", 1)):
            self.assertIn("square of the row bound",
                          self.refuse("plan", *words, *size, "--row-norm", 2))
            self.succeed("plan", *words, *size, "--row-norm", 2.03)

    def test_columns_come_from_the_bounds_file(self):
        bounds = self.write("b.csv", "column,low,high\nage,0,100\nincome,0,1000\n")
        for task in (("pca",), ("covariance",), ("lowrank", "-k", 1), ("mask",)):
            self.succeed("plan", *task, "--rows", 1000, "--bounds", bounds, "--epsilon", 1,
                         "--delta", 1e-6)

    def test_tables_of_people_are_planned_as_they_are_released(self):
        """The plan of rows by person, with weights, in pairs and one-hot has the noise of the release."""
        table = self.write("t.csv", "who,w,a,b\n" + "".join(f"p{i},1,{i % 3},{i % 2}\n" for i in range(300)))
        bounds = self.write("b.csv", "column,low,high\na,0,2\nb,0,1\n")
        for task, flags in (
            ("covariance", ("--missing", "pairwise")),
            ("pca", ("--person", "who", "--rows-per-person", 2)),
            ("pca", ("--person", "who", "--rows-per-person", 2, "--neighbours", "replace-one")),
            ("covariance", ("--weights", "w", "--weight-bound", 3)),
            ("lowrank", ("--one-hot", "a=0|1|2"))):
            with self.subTest(flags=flags):
                words = ("--mu", 1, "--bounds", bounds, *flags)
                planned = json.loads(self.succeed("plan", task, "--rows", 300, *words, "--json"))
                columns = ("--exclude", "who,w") if "--person" not in flags and "--weights" not in flags else ("--exclude", "w") if "--person" in flags else ("--exclude", "who")
                self.succeed(task, table, *words, *columns, "--out", self.path("out"), "--replace", "--anyway", "--quiet")
                released = read_json(os.path.join(self.path("out"), "release.json"))
                self.assertAlmostEqual(300 * planned["noise_sd_diagonal"] / released["parameters"]["noise_sd_diagonal"], 1, places=9)
                self.assertEqual(planned["guarantee"], released["guarantee"]["statement"])
        # The dictionary knows its columns, and how many they are.
        self.assertIn("2 columns: leave out --dimension", self.refuse("plan", "pca", "--rows", 300, "--dimension", 24, "--bounds", bounds, "--mu", 1))
        self.succeed("plan", "pca", "--rows", 300, "--dimension", 2, "--bounds", bounds, "--mu", 1)
        self.assertIn("--method gauss", self.refuse("plan", "pca", "--rows", 300, "--bounds", bounds, "--mu", 1, "--method", "exponential", "--missing", "pairwise"))

    def test_oja_plans_for_the_rows_there_are(self):
        size = ("--rows", 500, "--dimension", 3, "--row-norm", 1, "--mu", 1, "--method", "oja",
                "--neighbours", "replace-one")
        huge = self.plan("pca", *size, "--batch", 10 ** 9)
        self.assertEqual(huge, self.plan("pca", *size, "--batch", 500))
        self.assertLess(huge["batch_noise_sd"], 1.1)

    def test_a_covariance_plan_uses_the_spectrum(self):
        spectrum = self.write("s.txt", "0.3\n0.2\n0.1\n")
        facts = self.plan("covariance", "--rows", 1000, "--dimension", 3, "--row-norm", 1, "--mu",
                          1, "--spectrum", spectrum)
        expected = (3 * facts["noise_sd_diagonal"] ** 2 + 6 * facts["noise_sd_off_diagonal"] ** 2)
        self.assertAlmostEqual(facts["predicted_error_f2"] / expected, 1.0, places=9)
        self.assertAlmostEqual(facts["covariance_f2"], 0.14, places=9)


class Explanations(CliTest):

    def setUp(self):
        super().setUp()
        source = self.write("t.csv", csv_text(["a", "b"], [[1.0, 2.0]] * 50))
        self.succeed("covariance", source, "--range", "0:10", "--mu", 1, "--out", self.path("o"))
        self.document = self.path("o", "release.json")

    def test_the_guarantee_in_words(self):
        text = self.succeed("explain", self.document)
        for words in ("1-GDP for adding or removing one row", "power", "not protected",
                      "checksums"):
            self.assertIn(words, text)
        self.assertEqual(self.succeed("explain", self.path("o")), text)
        self.assertEqual(self.succeed("explain", self.path("o") + "/"), text)

    def test_several_releases_are_added_up(self):
        flags = ("covariance", self.path("t.csv"), "--range", "0:10", "--mu")
        self.succeed(*flags, 0.75, "--out", self.path("p"))
        text = self.succeed("explain", self.path("o"), self.path("p"))
        self.assertIn("1.25-GDP for adding or removing one row", text)
        self.assertIn("budgets fixed beforehand", text)
        self.succeed(*flags, 1, "--neighbours", "replace-one", "--out", self.path("r"))
        self.assertIn("do not compose", self.refuse("explain", self.path("o"), self.path("r")))
        self.assertIn("twice", self.refuse("explain", self.path("o"), self.document))
        self.succeed(*flags, 1, "--seed", 1, "--out", self.path("s"))
        self.assertIn("NOT PRIVATE", self.refuse("explain", self.path("o"), self.path("s")))

    def test_a_seeded_release_says_so(self):
        self.succeed("pca", self.path("t.csv"), "--range", "0:10", "--mu", 1, "--seed", 1, "--out",
                     self.path("s"))
        text = self.succeed("explain", self.path("s"))
        self.assertIn("NOT PRIVATE", text)
        self.assertNotIn("nothing beyond the program", text)

    def test_changes_are_noticed(self):
        table = self.path("o", "covariance.csv")
        with open(table, "rb") as file:
            array = file.read()
        with open(self.document, "rb") as file:
            document = file.read()
        # The noise may leave any digits, all zeros among them.
        last_digit_changed = array[:-2] + bytes([array[-2] ^ 1]) + array[-1:]
        places = {table: [array[:-1], array + b"\n", last_digit_changed, b""],
                  self.document: [document.replace(b'"proved"', b'"asymptotic"'),
                                  document.replace(b'"mu": 1.0', b'"mu": 0.1'),
                                  document.replace(b"add-remove", b"zero-row"),
                                  document[:-40], b"", b"[]", b"{}", b"null", b"\xff\xfe"]}
        for path, versions in places.items():
            with open(path, "rb") as file:
                original = file.read()
            for i, wrong in enumerate(versions):
                with self.subTest(path=os.path.basename(path), i=i):
                    self.assertNotEqual(wrong, original)
                    with open(path, "wb") as file:
                        file.write(wrong)
                    self.refuse("explain", self.document)
            with open(path, "wb") as file:
                file.write(original)
        self.succeed("explain", self.document)
        os.remove(table)
        self.refuse("explain", self.document, code=1)

    def test_white_space_is_no_change(self):
        """The checksum is over the content: a release may be reformatted by a JSON tool."""
        document = read_json(self.document)
        with open(self.document, "w", encoding="utf-8") as file:
            json.dump(document, file, ensure_ascii=False)
        self.succeed("explain", self.document)

    def test_a_repeated_key_is_a_change(self):
        with open(self.document, encoding="utf-8") as file:
            text = file.read()
        twice = text.replace('"method":', '"method": "better", "method":', 1)
        self.assertNotEqual(text, twice)
        with open(self.document, "w", encoding="utf-8") as file:
            file.write(twice)
        self.assertIn("changed", self.refuse("explain", self.document))

    def test_a_moved_release_stays_whole(self):
        shutil.move(self.path("o"), self.path("moved"))
        self.succeed("explain", self.path("moved", "release.json"))
        self.refuse("explain", self.path("o"), code=1)


class Bounds(CliTest):

    def test_the_template_has_names_only_and_works_once_filled_in(self):
        names = ["age", "with, comma", 'with "quote"']
        source = self.write("t.csv", csv_text(names, [[41.0, 17.0, 23.0]] * 5))
        template = self.succeed("bounds", "template", source)
        self.assertEqual(template.splitlines()[0], "column,low,high")
        self.assertNotRegex(template, r"\d")
        self.assertEqual(len(template.splitlines()), 4)
        self.succeed("bounds", "template", source, "--out", self.path("b.csv"))
        with open(self.path("b.csv"), encoding="utf-8") as file:
            self.assertEqual(file.read(), template)
        self.refuse("pca", source, "--mu", 1, "--bounds", self.path("b.csv"))
        self.write("b.csv", template.replace(",,\n", ",0,50\n"))
        self.succeed("pca", source, "--mu", 1, "--bounds", self.path("b.csv"), "--out",
                     self.path("o"))
        parameters = read_json(self.path("o", "release.json"))["parameters"]
        self.assertEqual(parameters["columns"], names)
        self.assertEqual(parameters["range_high"], [50.0] * 3)

    def test_selected_columns_only(self):
        source = self.write("t.csv", "a,b,c\n1,2,3\n")
        self.assertEqual(self.succeed("bounds", "template", source, "--columns", "c,a"),
                         "column,low,high\nc,,\na,,\n")


if __name__ == "__main__":
    unittest.main()

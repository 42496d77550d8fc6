"""Methods of the spiked model: guarantees in words, refusals, NULL, private diagnostics, the chooser."""

import json
import os
import random
import stat
import unittest

from support import CliTest, csv_text, read_json, read_table


def spiked_rows(n, p, spike, seed=1):
    """Noise of variance 1 with one spike along the first column."""
    draw = random.Random(seed)
    return [[round(draw.gauss(0, 1) * (spike ** 0.5 if j == 0 else 1), 3) for j in range(p)]
            for _ in range(n)]


MODEL = ("--method", "spiked", "--neighbours", "independent-copy", "--sigma2", 1, "--lambda", 200,
         "--epsilon", 1, "--delta", 0.01, "--header", "absent")


class Spiked(CliTest):
    def table(self, n=400, p=6, spike=200):
        return self.write("t.csv", csv_text([], spiked_rows(n, p, spike)))

    def test_a_release_says_what_it_rests_on(self):
        table = self.table()
        out = self.succeed("pca", table, *MODEL, "--row-count", 400, "--out", self.path("out"))
        self.assertIn("WITH HIGH PROBABILITY over the data", out)
        self.assertIn("shares      projector 80%", out)
        release = read_json(self.path("out", "release.json"))
        self.assertEqual(release["guarantee"]["relation"], "independent-copy")
        self.assertEqual(release["guarantee"]["basis"], "model-probability")
        self.assertTrue(any("precondition" in line
                            for line in release["guarantee"]["assumptions"]))
        names, columns, values = read_table(self.path("out", "loadings.csv"))
        self.assertEqual((len(names), columns), (6, ["PC1"]))
        self.assertGreater(abs(values[0][0]), 0.9)
        self.succeed("explain", self.path("out", "release.json"))

    def test_detection_is_not_said_without_the_model(self):
        """A neighbour inside the clip radius but unlike the model was detected with 93% power."""
        said = ("data drawn from the model", "nothing limits detection")
        for text in (self.succeed("pca", self.table(), *MODEL, "--row-count", 400, "--out",
                                  self.path("said")),
                     self.succeed("explain", self.path("said")),
                     self.succeed("plan", "pca", *MODEL[:-2], "--rows", 400, "--dimension", 6)):
            words = [line for line in text.splitlines() if "in words" in line][0]
            for part in said:
                self.assertIn(part, words)
        guarantee = read_json(self.path("said", "release.json"))["guarantee"]
        self.assertNotIn("max_power_at_5pct", guarantee)
        self.assertIn("max_power_at_5pct_if_model_holds", guarantee)
        with open(self.path("said", "report.html"), encoding="utf-8") as report:
            page = report.read()
        self.assertNotIn("whatever else they know", page)
        for part in said:
            self.assertIn(part, page)

    def test_the_weaker_relation_must_be_accepted(self):
        table = self.table()
        words = self.refuse("pca", table, "--method", "spiked", "--sigma2", 1, "--lambda", 200,
                            "--row-count", 400, "--epsilon", 1, "--delta", 0.01,
                            "--header", "absent")
        self.assertIn("independent-copy", words)

    def test_preconditions_and_counts_are_checked(self):
        table = self.table()
        self.assertIn("--row-count", self.refuse("pca", table, *MODEL, "--row-count", 401))
        self.assertIn("2 r", self.refuse("pca", table, *MODEL, "--row-count", 400, "-k", 4))
        self.assertIn("--row-norm", self.refuse("pca", table, *MODEL))

    def test_parameters_can_be_estimated(self):
        table = self.table(n=2000)
        out = self.succeed("pca", table, "--method", "spiked", "--neighbours", "independent-copy",
                           "--max-rank", 2, "--row-norm", 60, "--epsilon", 4, "--delta", 0.01,
                           "--header", "absent", "--json")
        for name in ("noisy_sigma2", "noisy_top_eigenvalues", "lambda_lower", "budget_shares"):
            self.assertIn(name, out)

    def test_a_rank_and_a_number_of_components_must_agree(self):
        table = self.table()
        options = ("pca", table, *MODEL, "--row-count", 400)
        self.assertIn("leave out -k", self.refuse(*options, "-k", 2, "--max-rank", 2))
        self.assertIn("-k 1 and --rank 2 disagree", self.refuse(*options, "-k", 1, "--rank", 2))
        self.assertRegex(self.succeed(*options, "--max-rank", 2), r"rank [12] \(estimated\)")

    def test_fewer_rows_than_columns(self):
        table = self.write("w.csv", csv_text([], spiked_rows(60, 90, 1e6)))
        self.succeed("pca", table, "--method", "spiked", "--neighbours", "independent-copy",
                     "--sigma2", 1, "--lambda", 1e6, "--row-count", 60, "--epsilon", 1, "--delta",
                     0.01, "--header", "absent", "--out", self.path("out"))
        _, _, values = read_table(self.path("out", "loadings.csv"))
        self.assertEqual(len(values), 90)

    def test_covariance_raw_and_psd(self):
        self.succeed("covariance", self.table(), *MODEL, "--row-count", 400, "--out",
                     self.path("out"))
        for name in ("covariance.csv", "covariance_raw.csv"):
            self.assertTrue(os.path.exists(self.path("out", name)))

    def test_the_diagnostic_is_private_and_apart(self):
        table = self.table()
        out = self.succeed("pca", table, *MODEL, "--row-count", 400, "--out", self.path("out"),
                           "--diagnostic", self.path("private.txt"))
        with open(self.path("private.txt"), encoding="utf-8") as file:
            text = file.read()
        self.assertTrue(text.startswith("PRIVATE"))
        self.assertEqual(stat.S_IMODE(os.stat(self.path("private.txt")).st_mode), 0o600)
        with open(self.path("out", "release.json"), encoding="utf-8") as file:
            self.assertNotIn("exact", file.read())
        self.assertNotIn("verdict", out)

    def diagnosed(self, scales, *options):
        draw = random.Random(3)
        rows = [[round(draw.gauss(0, 1) * (scales[j] + 1) ** 0.5, 3) for j in range(len(scales))]
                for _ in range(3000)]
        table = self.write("d.csv", csv_text([], rows))
        self.succeed("pca", table, "--method", "spiked", "--neighbours", "independent-copy",
                     "--epsilon", 1, "--delta", 0.01, "--header", "absent", "--row-norm", 140,
                     "--diagnostic", self.path("d.txt"), *options)
        with open(self.path("d.txt"), encoding="utf-8") as file:
            text = file.read()
        os.remove(self.path("d.txt"))
        return text

    def test_the_diagnostic_checks_every_number_the_noise_was_scaled_to(self):
        spikes = [500, 20, 5] + [0] * 12
        model = ("-k", 3, "--sigma2", 1)
        wrong = self.diagnosed(spikes, *model, "--lambda", 500)
        self.assertIn("guarantee of method spiked is in doubt", wrong)
        for line in (r"rank +holds", r"sigma\^2 +holds", r"smallest spike +DOES NOT HOLD",
                     r"spread +DOES NOT HOLD"):
            self.assertRegex(wrong, line)
        near = [60, 50, 40] + [0] * 12
        right = self.diagnosed(near, *model, "--lambda", 35, "--spread", 2)
        self.assertNotIn("DOES NOT HOLD", right)
        noisier = self.diagnosed(near, "-k", 3, "--sigma2", 0.2, "--lambda", 35, "--spread", 2)
        self.assertRegex(noisier, r"sigma\^2 +DOES NOT HOLD")
        fewer = self.diagnosed(near, "-k", 2, "--sigma2", 1, "--lambda", 40, "--spread", 2)
        self.assertRegex(fewer, r"rank +DOES NOT HOLD")

    def test_few_columns_that_fit_the_model_are_not_said_to_break_it(self):
        spikes = [60, 40, 0, 0, 0, 0]  # the middle half of six eigenvalues begins with the second
        text = self.diagnosed(spikes, "-k", 2, "--sigma2", 1, "--lambda", 35, "--spread", 2)
        self.assertNotIn("DOES NOT HOLD", text)
        self.assertRegex(text, r"at most 1 \(1\.\d+ with what sampling may add\)")
        doubled = self.diagnosed(spikes, "-k", 2, "--sigma2", 0.5, "--lambda", 35, "--spread", 2)
        self.assertRegex(doubled, r"sigma\^2 +DOES NOT HOLD")
        error = self.refuse("plan", "pca", "--rows", 3000, "--dimension", 6, "-k", 5, "--method", "spiked",
                            "--neighbours", "independent-copy", "--epsilon", 1, "--delta", 0.01,
                            "--row-norm", 40)
        self.assertIn("5 spikes among 6 eigenvalues", error)

    def test_the_summary_says_what_the_noise_was_scaled_to(self):
        out = self.succeed("pca", self.table(), *MODEL, "--row-count", 400, "--spread", 2)
        self.assertIn("rank 1 (given), sigma^2 1 (given), smallest spike at least 200 (given), "
                      "spread at most 2 (assumed)", out)

    def test_the_diagnostic_never_replaces_a_file(self):
        table = self.table()
        self.write("mine.txt", "mine")
        words = self.refuse("pca", table, *MODEL, "--row-count", 400, "--out", self.path("out"),
                            "--diagnostic", self.path("mine.txt"))
        self.assertIn("exists", words)
        with open(self.path("mine.txt"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "mine")
        self.assertFalse(os.path.exists(self.path("out")))

    def test_sub_gaussian_rows_need_more_signal_than_gaussian_ones(self):
        model = ("plan", "pca", "--rows", 3000, "--dimension", 50, "--method", "spiked",
                 "--neighbours", "independent-copy", "--sigma2", 1, "--lambda", 0.5,
                 "--epsilon", 1, "--delta", 0.1)
        self.assertIn("ln(p + n)", self.refuse(*model))
        self.assertIn("model ", self.succeed(*model, "--gaussian-rows"))

    def test_plan_prints_conditions_and_rates(self):
        out = self.succeed("plan", "pca", "--rows", 3000, "--dimension", 50, "--method", "spiked",
                           "--neighbours", "independent-copy", "--sigma2", 1, "--lambda", 10,
                           "--epsilon", 1, "--delta", 0.1)
        self.assertIn("up to a constant", out)
        self.assertEqual(out.count("  needs "), 3)


    def test_plan_of_a_covariance_and_of_estimates(self):
        plan = ("plan", "covariance", "--rows", 3000, "--dimension", 50, "--method", "spiked",
                "--neighbours", "independent-copy", "--epsilon", 1, "--delta", 0.1)
        self.assertIn("|S~ - S|_F from the noise about",
                      self.succeed(*plan, "--sigma2", 1, "--lambda", 10))
        out = self.succeed(*plan, "--row-norm", 30)
        self.assertIn("depends on the private estimates", out)


class Groups(CliTest):
    def test_every_method_protects_groups(self):
        table = self.write("t.csv", csv_text([], spiked_rows(400, 6, 200)))
        common = ("pca", table, "--epsilon", 1, "--delta", 0.01, "--header", "absent",
                  "--group-size", 3)
        ways = {"spiked": ("--neighbours", "independent-copy", "--sigma2", 1, "--lambda", 200,
                           "--row-count", 400),
                "spiked-robust": ("--row-norm", 60),
                "oja": ("--neighbours", "replace-one", "--row-norm", 60)}
        for method, options in ways.items():
            with self.subTest(method=method):
                self.succeed(*common, "--method", method, *options, "--out", self.path(method))
                release = read_json(self.path(method, "release.json"))
                self.assertEqual(release["guarantee"]["group_size"], 3)
                self.succeed("explain", self.path(method, "release.json"))

    def test_the_published_constants_are_for_one_row(self):
        table = self.write("t.csv", csv_text([], spiked_rows(400, 6, 200)))
        self.assertIn("--group-size", self.refuse("pca", table, *MODEL, "--row-count", 400,
                                                  "--published", "--group-size", 2))


class Robust(CliTest):
    def test_components_or_null_are_both_success(self):
        table = self.write("t.csv", csv_text([], spiked_rows(3000, 6, 30)))
        options = ("pca", table, "--method", "spiked-robust", "--row-norm", 8, "--header", "absent")
        out = self.succeed(*options, "--epsilon", 1, "--delta", 1e-3, "--out", self.path("found"))
        self.assertIn("PC1", out)
        # The total variance is not released: a share of it would be a share of something else.
        self.assertNotRegex(out, r"variance +share")
        self.assertNotIn("noisy_explained_share",
                         read_json(self.path("found", "release.json"))["result"])
        # An answer here would have probability 5e-11.
        out = self.succeed(*options, "--epsilon", 0.001, "--delta", 1e-9, "--out", self.path("null"))
        self.assertIn("NULL", out)
        self.assertTrue(read_json(self.path("null", "release.json"))["result"]["null"])

    def test_the_plan_speaks_in_sentences(self):
        spectrum = self.write("s.txt", "\n".join(["30"] + ["1"] * 5))
        out = self.succeed("plan", "pca", "--method", "spiked-robust", "--rows", 3000,
                           "--dimension", 6, "--row-norm", 8, "--epsilon", 1, "--delta", 1e-3,
                           "--spectrum", spectrum)
        self.assertNotIn("_sd", out)
        for words in ("  gap         noise of standard deviation", "  needs       a gap",
                      "  error       |UU' - VV'|_F^2"):
            self.assertIn(words, out)

    def test_the_audit_names_the_runs_a_mutant_needs(self):
        out = self.succeed("audit", "spiked-robust", "--epsilon", 1, "--delta", 1e-6, "--mutants",
                           "--runs", 20000, "--seed", 1)
        self.assertRegex(out, r"gap, mutant: noise x 0.9 .*not caught: \d+ runs needed")

    def test_too_many_columns_are_refused_before_any_work(self):
        self.assertIn("too long", self.refuse(
            "plan", "pca", "--method", "spiked-robust", "--rows", 3000, "--dimension", 20000,
            "--row-norm", 8, "--epsilon", 1, "--delta", 1e-6))

    def test_it_needs_delta(self):
        table = self.write("t.csv", csv_text([], spiked_rows(10, 3, 1)))
        self.assertIn("--delta", self.refuse("pca", table, "--method", "spiked-robust",
                                             "--row-norm", 8, "--mu", 1, "--header", "absent"))


class Oja(CliTest):
    def test_one_direction_of_a_stream(self):
        table = self.write("t.csv", csv_text([], spiked_rows(4000, 5, 60)))
        options = ("pca", table, "--method", "oja", "--row-norm", 20, "--header", "absent",
                   "--epsilon", 2, "--delta", 1e-3, "--batch", 500)
        out = self.succeed(*options, "--neighbours", "replace-one", "--out", self.path("out"))
        self.assertRegex(out, r"component +largest loadings\n  PC1 ")
        _, _, values = read_table(self.path("out", "loadings.csv"))
        self.assertAlmostEqual(sum(v[0] ** 2 for v in values), 1.0, places=6)
        self.assertIn("replace-one", self.refuse(*options))


class Chooser(CliTest):
    def test_a_table_and_a_recommendation(self):
        spectrum = self.write("s.txt", "\n".join(["11"] + ["1"] * 9))
        out = self.succeed("plan", "pca", "--compare", "--rows", 20000, "--dimension", 10,
                           "--row-norm", 22, "--epsilon", 1, "--delta", 1e-3, "--spectrum",
                           spectrum, "--figure", self.path("new", "folder"))
        self.assertRegex(out, r"recommended: (gauss|spiked-robust) \(.*predicted error")
        self.assertIn("made-up Gaussian tables", out)
        for name in ("gauss", "wishart", "laplace", "exponential", "orbit", "sharp", "spiked",
                     "spiked-robust", "oja"):
            self.assertRegex(out, rf"(?m)^  {name} ")
        self.assertTrue(os.path.exists(self.path("new", "folder", "comparison.svg")))
        # Without a spectrum: three named scenarios.
        out = self.succeed("plan", "pca", "--compare", "--rows", 20000, "--dimension", 10,
                           "--row-norm", 22, "--epsilon", 1, "--delta", 1e-3)
        for scenario in ("1 strong component", "power law", "flat"):
            self.assertIn(scenario, out)

    def compare(self, spectrum, *options):
        path = self.write("s.txt", "\n".join(str(value) for value in spectrum))
        return json.loads(self.succeed("plan", "pca", "--compare", "--dimension", len(spectrum),
                                       "--row-norm", 22, "--spectrum", path, "--json", *options))

    def test_the_same_plan_twice_and_a_price_for_groups(self):
        options = ("--rows", 20000, "--epsilon", 1, "--delta", 1e-3)
        first = self.compare([11] + [1] * 9, *options)
        self.assertEqual(first, self.compare([11] + [1] * 9, *options))
        grouped = self.compare([11] + [1] * 9, *options, "--group-size", 5)

        def error(plan):
            return {line["method"]: line["total_error_f2"] for line in plan["methods"]
                    if "total_error_f2" in line}["gauss"]
        self.assertGreater(error(grouped), 2 * error(first))

    def test_no_spiked_model_without_a_flat_bulk(self):
        plan = self.compare([20 / (j + 1) for j in range(10)], "--rows", 20000, "--mu", 1)
        spiked = [line for line in plan["methods"] if line["method"] == "spiked"]
        self.assertIn("not flat", spiked[0]["note"])

    def test_other_neighbours_are_never_recommended(self):
        options = ("--rows", 20000, "--epsilon", 1, "--delta", 1e-3)
        for neighbours in ("add-remove", "replace-one"):
            plan = self.compare([11] + [1] * 9, *options, "--neighbours", neighbours)
            chosen = [line for line in plan["methods"] if line["method"] == plan["recommended"]]
            self.assertEqual(chosen[0]["relation"], neighbours)

    def test_no_real_difference_goes_to_the_stronger_basis(self):
        plan = self.compare([2] + [1] * 19, "--rows", 100, "--epsilon", 0.01, "--delta", 1e-6)
        self.assertEqual(plan["recommended"], "gauss")  # nothing is found by any method

    def test_a_tied_gap_is_named(self):
        plan = self.compare([11, 11] + [1] * 8, "--rows", 20000, "--epsilon", 1, "--delta", 1e-3)
        self.assertIn("undetermined", plan["reason"])

    def test_it_says_when_nothing_helps(self):
        plan = self.compare([2] + [1] * 19, "--rows", 100, "--epsilon", 0.01)
        self.assertIn("nothing is found", plan["reason"])


if __name__ == "__main__":
    unittest.main()

"""Masked pseudo-data and what can be computed from it: plan, release, analyse, refusals."""

import gzip
import hashlib
import json
import os
import random
import shutil
import unittest

from support import CliTest, csv_text, files_of, read_json

NAMES = ["age", "dose", "outcome"]


def table(rows=400, seed=7):
    """Entries in [-1, 1]; outcome depends on the others."""
    source = random.Random(seed)
    lines = []
    for _ in range(rows):
        age, dose = source.uniform(-1, 1), source.uniform(-1, 1)
        lines.append([age, dose, max(-1.0, min(1.0, 0.6 * age - 0.3 * dose + source.gauss(0, 0.1)))])
    return lines


class Plan(CliTest):
    def plan(self, *arguments):
        return json.loads(self.succeed("plan", "mask", *arguments, "--json"))

    def test_the_numbers_of_the_specification(self):
        facts = self.plan("--rows", 10000, "--dimension", 20, "--row-norm", 1, "--epsilon", 0.1,
                          "--delta", 0.001)
        self.assertEqual(f'{facts["sigma"]:.3f}', "0.352")
        self.assertGreater(facts["sigma_replace_one"], facts["sigma"])
        self.assertEqual(f'{facts["unmasked_sigma_necessary"]:.1f}', "30.9")
        self.assertEqual(f'{facts["unmasked_sigma_sufficient"]:.1f}', "32.5")
        self.assertEqual(f'{facts["unmasked_sigma_analytic"]:.1f}', "17.4")
        self.assertTrue(facts["sigma_relation"].startswith("zero-row"))
        self.assertTrue(facts["sigma_replace_one_relation"].startswith("replace-one"))

    def test_ranges_count_in_the_norm(self):
        ranges = self.plan("--rows", 1000, "--dimension", 4, "--range", "0:10", "--epsilon", 1,
                           "--delta", 1e-6)
        norm = self.plan("--rows", 1000, "--dimension", 4, "--row-norm", 2, "--epsilon", 1,
                         "--delta", 1e-6)
        self.assertAlmostEqual(ranges["sigma"], norm["sigma"], delta=1e-6)
        block = self.plan("--rows", 1000, "--dimension", 4, "--row-norm", 2, "--epsilon", 1,
                          "--delta", 1e-6, "--smallest-block", 100)
        self.assertGreater(block["sigma"], norm["sigma"])

    def test_the_noise_is_that_of_the_release(self):
        size = ("--rows", 400, "--dimension", 3, "--range", "-1:1", "--epsilon", 1, "--delta", 1e-6)
        table_file = self.write("t.csv", csv_text(NAMES, table()))
        for number, options in enumerate(((), ("--intercept",), ("--neighbours", "replace-one"),
                                          ("--intercept", "--group-size", 2))):
            facts = self.plan(*size, *options)
            for method in ("mask", "gauss"):
                out = self.path(f"{method}{number}")
                self.succeed("mask", table_file, "--method", method, *size[4:], *options, "--out",
                             out, "--quiet")
                used = read_json(os.path.join(out, "release.json"))["parameters"]
                if method == "mask":
                    self.assertAlmostEqual(facts["sigma_asked"], used["sigma"], delta=1e-9)
                    self.assertAlmostEqual(facts["row_norm"], used["row_norm"], delta=1e-9)
                else:
                    self.assertAlmostEqual(facts["gram_noise_sd_gauss"],
                                           used["gram_noise_sd_diagonal"], delta=1e-9)
        sums = [self.plan("--rows", 20000, "--dimension", 12, "--range", "0:10", "--epsilon", 1,
                          "--delta", 1e-6, *options)["gram_noise_sd_gauss"]
                for options in ((), ("--neighbours", "replace-one"))]
        self.assertAlmostEqual(sums[1], 2 ** 0.5 * sums[0], delta=0.01)

    def test_what_mask_refuses_is_refused(self):
        size = ("plan", "mask", "--rows", 400, "--dimension", 3, "--range", "-1:1", "--epsilon", 1)
        small = (*size, "--delta", 1e-6)
        self.assertIn("centre", self.refuse(*small, "--center", "private"))
        self.assertIn("zero-row", self.refuse(*small, "--neighbours", "add-remove"))
        self.assertIn("--spectrum", self.refuse(*small, "--spectrum", "s.txt"))
        self.assertIn("--smallest-block", self.refuse(*small, "--smallest-block", 401))
        self.assertIn("not applicable", self.succeed(*size, "--delta", 0.6))

    def test_refusals(self):
        self.assertIn("--delta", self.refuse("plan", "mask", "--rows", 100, "--dimension", 2,
                                             "--row-norm", 1, "--epsilon", 1))

    def test_both_methods_are_shown(self):
        few = ("plan", "mask", "--rows", 5, "--dimension", 5, "--row-norm", 1)
        text = self.succeed(*few, "--epsilon", 1, "--delta", 1e-6)
        self.assertIn("refused: ", text)
        self.assertIn("more rows than columns", text)
        self.assertIn("(epsilon, delta)", self.succeed(*few, "--mu", 1))
        facts = self.plan("--rows", 20000, "--dimension", 12, "--range", "0:10", "--epsilon", 1,
                          "--delta", 1e-6)
        self.assertEqual((facts["method"], facts["basis"]), ("gauss", "proved"))
        # Of mask without its cross term: more even so, until a column of ones that is short
        # beside the rows counts for gauss and hardly for mask.
        self.assertLess(facts["gram_noise_sd_gauss"], facts["gram_noise_sd_mask"])
        with_ones = self.plan("--rows", 20000, "--dimension", 12, "--range", "0:10", "--epsilon", 1,
                              "--delta", 1e-6, "--intercept")
        self.assertGreater(with_ones["gram_noise_sd_gauss"], with_ones["gram_noise_sd_mask"])


class Mask(CliTest):
    BUDGET = ("--epsilon", 8, "--delta", 0.01, "--range", "-1:1")

    def setUp(self):
        super().setUp()
        self.rows = table()
        self.input = self.write("table.csv", csv_text(NAMES, self.rows))

    def mask(self, *arguments):
        self.succeed("mask", self.input, *self.BUDGET, *arguments, "--quiet")

    def test_a_release_is_complete_and_explains_itself(self):
        self.mask("--method", "mask", "--out", self.path("out"), "--intercept")
        files = files_of(self.path("out"))
        self.assertEqual(sorted(files), ["pseudo_data.csv", "release.json", "report.html"])
        lines = files["pseudo_data.csv"].decode().splitlines()
        self.assertEqual(lines[0], "intercept,age,dose,outcome")
        self.assertEqual(len(lines), 401)
        document = read_json(self.path("out", "release.json"))
        self.assertEqual((document["task"], document["method"]), ("mask", "mask"))
        self.assertEqual(document["guarantee"]["basis"], "proved-real-arithmetic")
        self.assertEqual(document["guarantee"]["relation"], "zero-row")
        self.assertEqual(document["guarantee"]["loss"]["kind"], "curve")
        self.assertEqual(document["result"]["arrays"][0]["shape"], [400, 4])
        self.assertIn("(8, 0.01)-DP", self.succeed("explain", self.path("out")))
        self.write("out/pseudo_data.csv", files["pseudo_data.csv"].translate(bytes.maketrans(b"0123456789", b"1032547698")))
        self.assertIn("pseudo_data.csv", self.run_program("explain", self.path("out"))[2])

    def test_gauss_is_the_default_and_both_noises_are_printed(self):
        text = self.succeed("mask", self.input, *self.BUDGET, "--intercept", "--out", self.path("out"))
        document = read_json(self.path("out", "release.json"))
        self.assertEqual((document["method"], document["guarantee"]["basis"]), ("gauss", "proved"))
        used = document["parameters"]
        self.assertAlmostEqual(used["noise_on_a_square_by_gauss"], used["gram_noise_sd_diagonal"])
        self.assertLess(used["noise_on_a_square_by_gauss"],
                        used["noise_on_a_square_by_mask_at_least"])
        self.assertIn("--method gauss puts", text)
        self.assertIn("--method mask at least", text)
        self.succeed("mask", self.input, "--mu", 1, "--range", "-1:1", "--out", self.path("mu"))

    def test_second_moments_come_back_after_the_correction(self):
        self.mask("--method", "mask", "--out", self.path("out"))
        found = json.loads(self.succeed("analyse", "moments", self.path("out"), "--json"))
        for i in range(3):
            for j in range(3):
                truth = sum(r[i] * r[j] for r in self.rows) / len(self.rows)
                # Fresh noise on every run: six standard errors are passed once in 1e8.
                self.assertLess(abs(found["values"][i][j] - truth),
                                6.5 * found["standard_errors"][i][j])

    def test_gauss_is_proved_and_has_pseudo_data_too(self):
        self.mask("--method", "gauss", "--intercept", "--out", self.path("g.npy"))
        document = read_json(self.path("g.release.json"))
        self.assertEqual(document["guarantee"]["basis"], "proved")
        self.assertEqual(sorted(os.listdir(self.folder)),
                         ["g.noisy_gram.csv", "g.npy", "g.release.json", "g.report.html", "table.csv"])
        found = json.loads(self.succeed("analyse", "moments", self.path("g.release.json"), "--json"))
        self.assertEqual(found["estimate"], "covariance")
        self.assertEqual(found["columns"], NAMES)

    def test_compressed_and_seeded_output(self):
        for name in ("a", "b"):
            self.mask("--seed", 5, "--out", self.path(name + ".csv.gz"))
        with gzip.open(self.path("a.NOT-PRIVATE.csv.gz"), "rt") as file:
            first = file.read()
        with gzip.open(self.path("b.NOT-PRIVATE.csv.gz"), "rt") as file:
            self.assertEqual(first, file.read())
        self.assertEqual(first.count("\n"), 401)
        document = read_json(self.path("a.release.NOT-PRIVATE.json"))
        self.assertEqual(document["guarantee"]["basis"], "not-private")

    def test_no_file_beside_the_output_is_lost(self):
        for name, arguments in (("b.NOT-PRIVATE.csv", ("--seed", 1)), ("b.release.json", ()),
                                ("b.report.html", ()), ("b.noisy_gram.csv", ())):
            other = self.write(name, "mine\n")
            self.assertIn("would be lost", self.refuse("mask", self.input, *self.BUDGET, *arguments,
                                                       "--out", self.path("b.csv")))
            with open(other, encoding="utf-8") as file:
                self.assertEqual(file.read(), "mine\n")
            os.remove(other)
        self.mask("--out", self.path("b.csv"))

    def test_pseudo_data_may_be_called_like_a_table(self):
        for stem in ("noisy_gram", "my_noisy_gram", "factor"):
            for method in ("mask", "gauss"):
                name = f"{stem}_{method}" if stem != "factor" else f"factor-{method}"
                self.mask("--method", method, "--out", self.path(name + ".csv"))
                found = json.loads(self.succeed("analyse", "moments",
                                                self.path(name + ".release.json"), "--json"))
                truth = sum(r[0] * r[0] for r in self.rows) / len(self.rows)
                self.assertLess(abs(found["values"][0][0] - truth),
                                6.5 * found["standard_errors"][0][0])

    def test_a_directory_called_like_a_document_is_passed_over(self):
        self.mask("--out", self.path("out"))
        os.mkdir(self.path("out", "old.release.json"))
        self.succeed("analyse", "moments", self.path("out"))

    def test_a_column_called_intercept_is_not_the_constant(self):
        named = self.write("named.csv", csv_text(["intercept", "dose", "outcome"], self.rows))
        self.assertIn("called 'intercept'", self.refuse("mask", named, *self.BUDGET, "--intercept",
                                                        "--out", self.path("x")))
        self.succeed("mask", named, *self.BUDGET, "--out", self.path("out"), "--quiet")
        found = json.loads(self.succeed("analyse", "moments", self.path("out"), "--json"))
        self.assertEqual(found["columns"], ["intercept", "dose", "outcome"])

    def test_the_intercept_is_in_original_units(self):
        moved = table(6000, 3)
        for row in moved:  # outcome = 12 + 0.6 age - 0.3 dose, far from its midpoint at 15
            row[0], row[1], row[2] = row[0] + 5, row[1] + 5, row[2] + 13.5
        shifted = self.write("shifted.csv", csv_text(NAMES, moved))
        bounds = self.write("b.csv", "column,low,high\nage,4,6\ndose,4,6\noutcome,12,15\n")
        common = (shifted, "--epsilon", 8, "--delta", 0.01, "--bounds", bounds, "--quiet", "--out")
        for name, release in (("gauss", ("mask", "--intercept")),
                              ("mask", ("mask", "--intercept", "--method", "mask")),
                              ("covariance", ("covariance", "--center", "private"))):
            self.succeed(*release, *common, self.path(name))
            model = ("analyse", "regress", self.path(name), "--response", "outcome",
                     "--predictors", "intercept,age,dose")
            fit = json.loads(self.succeed(*model, "--json"))
            width = fit["high"][0] - fit["low"][0]
            self.assertLess(fit["low"][0] - width, 12.0)  # three intervals wide: missed once in 1e8
            self.assertGreater(fit["high"][0] + width, 12.0)
            self.assertLess(width, 2.0)  # that from midpoints, about 0, is far outside
            self.assertEqual(fit["measured_from"], "zero")
            self.assertIn("in original units", self.succeed(*model))
            self.assertIn("1e50", self.refuse(*model, "--ridge", "1e300"))
        self.assertIn("midpoints of their public ranges", self.succeed(
            "analyse", "regress", self.path("mask"), "--response", "outcome", "--predictors", "age"))

    def test_components_of_a_covariance_have_the_verdicts_of_pca(self):
        rows = [[x, y, 0.0] for x, y, _ in table(2000, 5)]
        flat = self.write("flat.csv", csv_text(NAMES, rows))
        # Under add-remove pca gives the trace noise of its own, which a covariance does not.
        same = (flat, "--range", "-1:1", "--epsilon", 0.5, "--delta", 1e-6, "--neighbours", "replace-one", "--seed", 7, "--out")
        self.succeed("pca", *same, self.path("p"), "-k", 3)
        self.succeed("covariance", *same, self.path("c"))
        pca = read_json(self.path("p", "release.NOT-PRIVATE.json"))["result"]
        found = json.loads(self.succeed("analyse", "pca", self.path("c"), "-k", 3, "--json"))
        for j in range(3):
            self.assertAlmostEqual(found["noise_edge"][j] / pca["noise_edge"][j], 1, places=9)
            self.assertEqual(found["below_noise"][j], f"PC{j + 1}" in pca["below_noise"])
        self.assertIn("PC3", pca["below_noise"])
        self.assertIsNone(pca["noisy_explained_share"][2])
        self.assertEqual(found["low"][2], 0)
        self.assertIn("cannot be told from noise", self.succeed("analyse", "pca", self.path("c"), "-k", 3))

    def test_variances_beyond_the_bounds_are_clipped_and_marked(self):
        # Noise of many times the bound on 10 columns: that none of its eigenvalues is positive has a
        # probability of about exp(-100 log(3) / 4), 1e-12.
        columns = [f"c{j}" for j in range(10)]
        few = self.write("few.csv", csv_text(columns, [[(i * j % 7) / 7 for j in range(10)]
                                                       for i in range(30)]))
        text = self.succeed("pca", few, "--range", "-1:1", "--epsilon", 0.001, "--delta", 1e-6,
                            "--neighbours", "replace-one", "--anyway", "-k", 3, "--out", self.path("out"))
        found = read_json(self.path("out", "release.json"))["result"]
        self.assertAlmostEqual(found["largest_possible_variance"], 10, places=6)
        self.assertLessEqual(max(found["noisy_explained_variance"]), 10.0001)
        self.assertIn("PC1", found["clipped_to_largest_possible"])
        self.assertEqual(found["below_noise"], ["PC1", "PC2", "PC3"])
        self.assertIn("clipped to the largest the bounds allow", text)
        self.assertNotIn("%", text.split("must exceed")[1])

    def test_a_drowned_count_gives_no_covariance(self):
        self.succeed("mask", self.input, "--epsilon", 1, "--delta", 1e-5, "--row-norm", 1000,
                     "--intercept", "--method", "mask", "--out", self.path("out"), "--quiet")
        self.assertIn("column of ones", self.refuse("analyse", "moments", self.path("out")))

    def test_the_factor_alone(self):
        self.mask("--factor-only", "--out", self.path("out"))
        self.assertIn("factor.csv", os.listdir(self.path("out")))
        self.assertNotIn("pseudo_data.csv", os.listdir(self.path("out")))
        text = self.succeed("analyse", "pca", self.path("out"), "-k", 2)
        self.assertIn("\ncolumn,PC1,PC2\n", text)
        self.assertIn("k <= 3", self.refuse("analyse", "pca", self.path("out"), "-k", 4))

    def test_blocks_share_one_noise(self):
        other = self.write("other.csv", csv_text(NAMES, table(100, 8)))
        self.mask("--blocks", other, "--out", self.path("out"))
        document = read_json(self.path("out", "release.json"))
        self.assertEqual(document["result"]["block_rows"], [400, 100])
        self.assertEqual(document["parameters"]["smallest_block"], 100)
        self.assertIn("twice", self.refuse("mask", self.input, *self.BUDGET, "--blocks", self.input,
                                           "--out", self.path("x")))

    def test_a_shard_masks_alone(self):
        parts = []
        for i, (low, high) in enumerate(((0, 150), (150, 400))):
            shard = self.write(f"s{i}.csv", csv_text(NAMES, self.rows[low:high]))
            parts.append(self.path(f"part{i}"))
            self.succeed("mask", shard, *self.BUDGET, "--method", "mask", "--smallest-block", 120,
                         "--out", parts[-1], "--quiet")
            release = read_json(os.path.join(parts[-1], "release.json"))
            self.assertEqual(release["parameters"]["smallest_block"], 120)
        found = json.loads(self.succeed("analyse", "moments", *parts, "--json"))
        self.assertEqual(found["rows"], 400)
        self.assertIn("twice", self.refuse("analyse", "moments", parts[0], parts[1], parts[0]))
        self.mask("--method", "mask", "--out", self.path("other"))
        self.assertIn("--smallest-block", self.refuse("analyse", "moments", parts[0],
                                                      self.path("other")))
        for wrong in (("--smallest-block", 401, "--method", "mask"), ("--smallest-block", 9)):
            self.assertIn("--smallest-block", self.refuse(
                "mask", self.input, *self.BUDGET, *wrong, "--out", self.path("o")))

    def test_shards_of_gauss_add_up(self):
        parts = []
        for i, (low, high) in enumerate(((0, 150), (150, 400))):
            shard = self.write(f"s{i}.csv", csv_text(NAMES, self.rows[low:high]))
            parts.append(self.path(f"part{i}"))
            self.succeed("mask", shard, *self.BUDGET, "--out", parts[-1], "--quiet")
        one = json.loads(self.succeed("analyse", "moments", parts[0], "--json"))
        both = json.loads(self.succeed("analyse", "moments", *parts, "--json"))
        self.assertEqual(both["rows"], 400)
        self.assertAlmostEqual(both["standard_errors"][0][0] * 400,
                               2 ** 0.5 * one["standard_errors"][0][0] * 150)
        self.assertIn("twice", self.refuse("analyse", "moments", parts[0], parts[1], parts[0]))

    def test_all_files_are_named(self):
        for i, options in enumerate(((), ("--method", "mask"), ("--factor-only",))):
            out = self.path(f"named{i}")
            text = self.succeed("mask", self.input, *self.BUDGET, *options, "--out", out)
            line = [line for line in text.splitlines() if "wrote" in line][0]
            self.assertEqual(sorted(os.path.basename(name) for name in line.split()[1:]),
                             sorted(os.listdir(out)))

    def test_categories_become_indicators(self):
        coded = self.write("coded.csv", csv_text(["kind", "value"], [[i % 3 + 1.0, 0.5]
                                                                      for i in range(60)]))
        self.succeed("mask", coded, "--epsilon", 1, "--delta", 1e-3, "--range", "0:3", "--one-hot",
                     "kind=1,2", "--out", self.path("out"), "--quiet")
        with open(self.path("out", "pseudo_data.csv"), encoding="utf-8") as file:
            self.assertEqual(file.readline().strip(), "kind=1,kind=2,value")
        document = read_json(self.path("out", "release.json"))
        self.assertEqual(document["parameters"]["range_high"], [1, 1, 3])
        self.assertIn("not among", self.refuse("mask", coded, "--epsilon", 1, "--delta", 1e-3,
                                               "--range", "0:3", "--one-hot", "none=1", "--out",
                                               self.path("y")))

    def test_words_become_indicators(self):
        kinds = ["male", "female", '"x, or none"', "NA"]
        rows = "".join(f"{kinds[i % 4]},{i % 5}\n" for i in range(80))
        worded = self.write("worded.csv", "sex,value\n" + rows)
        common = ["--epsilon", 1, "--delta", 1e-3, "--range", "0:4", "--quiet"]
        self.succeed("mask", worded, *common, "--one-hot", "sex=male|female|*", "--out",
                     self.path("out"))
        with open(self.path("out", "pseudo_data.csv"), encoding="utf-8") as file:
            self.assertEqual(file.readline().strip(), "sex=male,sex=female,sex=*,value")
        # The exact totals show what the words became: 20 of each, and half of 20 missing ones.
        budget = ["--epsilon", 1e6, "--delta", 0.5, "--json", "--neighbours", "zero-row"]
        self.succeed("gram", "partial", worded, "--range", "0:4", "--one-hot", "sex=male,female",
                     "--out", self.path("words.gram"))
        found = json.loads(self.succeed("covariance", self.path("words.gram"), *budget, "--center",
                                        "private", "--out", self.path("cov")))
        mean = found["result"]["noisy_mean"]
        self.assertAlmostEqual(mean[0], 0.375, places=3)
        self.assertAlmostEqual(mean[1], 0.375, places=3)
        for wrong in ("sex=", "sex=a|a", "sex=*|a", "none=a|b"):
            self.refuse("mask", worded, *common, "--one-hot", wrong, "--out", self.path("z"))

    def test_refusals(self):
        self.assertIn("--out", self.refuse("mask", self.input, *self.BUDGET))
        self.assertIn("zero-row", self.refuse("mask", self.input, *self.BUDGET, "--neighbours",
                                              "add-remove", "--out", self.path("o")))
        self.assertIn("--delta", self.refuse("mask", self.input, "--epsilon", 1, "--range", "-1:1",
                                             "--out", self.path("o")))
        few = self.write("few.csv", csv_text(NAMES, table(3)))
        self.refuse("mask", few, "--method", "mask", *self.BUDGET, "--out", self.path("o"))
        self.assertFalse(os.path.exists(self.path("o")))

    def test_a_group_of_rows_gets_the_budget_and_more_noise(self):
        for method, noise in (("mask", "sigma"), ("gauss", "gram_noise_sd_diagonal")):
            found = []
            for size in (1, 2):
                out = self.path(f"{method}{size}")
                self.mask("--method", method, "--group-size", size, "--out", out)
                release = read_json(os.path.join(out, "release.json"))
                self.assertEqual(release["parameters"]["group_size"], size)
                self.assertEqual(release["guarantee"].get("group_size", 1), size)
                found.append(release["parameters"][noise])
            self.assertGreater(found[1], 1.3 * found[0])
        self.assertIn("--group-size", self.refuse("mask", self.input, *self.BUDGET, "--group-size",
                                                  0, "--out", self.path("o")))

    def test_regression_with_intervals(self):
        big = self.write("big.csv", csv_text(NAMES, table(6000, 3)))
        self.succeed("mask", big, *self.BUDGET, "--intercept", "--out", self.path("out"), "--quiet")
        fit = json.loads(self.succeed("analyse", "regress", self.path("out"), "--response",
                                      "outcome", "--predictors", "intercept,age,dose", "--json"))
        for low, high, truth in zip(fit["low"], fit["high"], (0.0, 0.6, -0.3)):
            width = high - low
            self.assertLess(low - width, truth)  # three intervals wide: missed once in 1e8
            self.assertGreater(high + width, truth)
        text = self.succeed("analyse", "regress", self.path("out"), "--response", "outcome",
                            "--predictors", "age,dose", "--about", "raw", "--ridge", "0.01")
        self.assertIn("uncorrected", text)
        self.assertIn("no column", self.refuse("analyse", "regress", self.path("out"),
                                               "--response", "salary", "--predictors", "age"))

    def test_no_signal_is_said(self):
        self.succeed("mask", self.input, "--epsilon", 0.01, "--delta", 1e-6, "--range", "-1:1",
                     "--out", self.path("out"), "--quiet")
        self.assertIn("no signal", self.refuse("analyse", "regress", self.path("out"), "--response",
                                               "outcome", "--predictors", "age,dose"))

    def test_a_released_covariance_is_analysed_too(self):
        self.succeed("covariance", self.input, "--mu", 2, "--range", "-1:1", "--center", "private",
                     "--out", self.path("cov"), "--quiet")
        found = json.loads(self.succeed("analyse", "moments", self.path("cov"), "--json"))
        self.assertEqual(found["estimate"], "covariance")
        self.succeed("covariance", self.input, "--epsilon", 1, "--range", "-1:1", "--out",
                     self.path("lap"), "--quiet")
        self.assertIn("gauss", self.refuse("analyse", "moments", self.path("lap")))

    def forge(self, folder, change):
        """A document that was changed, with a checksum that fits."""
        document = read_json(os.path.join(self.path(folder), "release.json"))
        change(document["parameters"], document["result"])
        del document["checksum"]
        compact = json.dumps(document, separators=(",", ":"), ensure_ascii=False)
        document["checksum"] = hashlib.sha256(compact.encode()).hexdigest()
        os.makedirs(self.path("forged"), exist_ok=True)
        for name in files_of(self.path(folder)):
            shutil.copy(os.path.join(self.path(folder), name), self.path("forged"))
        self.write("forged/release.json", json.dumps(document, ensure_ascii=False))
        return self.refuse("analyse", "moments", self.path("forged"))

    def test_a_covariance_of_an_early_version_says_what_to_do(self):
        self.succeed("covariance", self.input, "--mu", 2, "--range", "-1:1", "--center", "private",
                     "--out", self.path("cov"), "--quiet")
        self.assertIn("release it again",
                      self.forge("cov", lambda _, result: result.pop("sum_noise_sd_scaled")))
        self.assertIn("another form",
                      self.forge("cov", lambda _, result: result.update(noisy_mean=[0.5])))
        self.assertIn("no square table", self.forge("cov", lambda _, result: result.update(arrays=[])))

    def test_documents_that_contradict_themselves_are_refused(self):
        self.succeed("mask", self.input, *self.BUDGET, "--method", "mask", "--out",
                     self.path("rows"), "--quiet")
        self.succeed("mask", self.input, *self.BUDGET, "--method", "gauss", "--out",
                     self.path("gram"), "--quiet")
        for folder, change in (
                ("rows", lambda p, _: p.update(cell_noise_sd=[1.0])),
                ("rows", lambda p, _: p.update(cell_noise_sd=[-1.0, -1.0, -1.0])),
                ("rows", lambda p, _: p.update(columns=["age", "age", "dose"])),
                ("rows", lambda p, _: p.update(range_low=[0.0])),
                ("rows", lambda _, result: result.update(arrays=[])),
                ("rows", lambda _, result: result.update(rows=0.0)),
                ("gram", lambda p, _: p.update(column_scales=[1.0])),
                ("gram", lambda p, _: p.update(gram_noise_sd_diagonal=-1.0)),
                ("gram", lambda _, result: result.update(blocks=0))):
            self.forge(folder, change)

    def test_means_come_with_standard_errors(self):
        big = self.write("big.csv", csv_text(NAMES, table(6000, 3)))
        self.succeed("mask", big, *self.BUDGET, "--intercept", "--out", self.path("out"), "--quiet")
        found = json.loads(self.succeed("analyse", "moments", self.path("out"), "--json"))
        self.assertEqual(len(found["mean_standard_errors"]), 3)
        self.assertEqual(found["measured_from"], "zero")
        self.assertIn("means", self.succeed("analyse", "moments", self.path("out")))

    def test_what_is_not_a_release_is_told_apart(self):
        self.assertIn("does not exist", self.refuse("analyse", "moments", self.path("nowhere"), code=1))
        os.mkdir(self.path("empty"))
        self.assertIn("in it", self.refuse("analyse", "moments", self.path("empty")))
        self.succeed("mask", self.input, *self.BUDGET, "--out", self.path("out"), "--quiet")
        with open(os.path.join(self.path("out"), "release.json"), encoding="utf-8") as file:
            self.write("out/release2.json", file.read())
        self.assertIn("several", self.refuse("analyse", "moments", self.path("out")))
        none = self.write("none.csv", csv_text(NAMES, []))
        self.succeed("mask", none, *self.BUDGET, "--method", "gauss", "--factor-only", "--out",
                     self.path("zero"), "--quiet")
        self.assertIn("no rows", self.refuse("analyse", "moments", self.path("zero")))

    def test_a_name_of_another_kind_of_table_is_no_directory(self):
        for name in ("out.xlsx", "out.tsv", "out.tsv.gz"):
            self.assertIn("directory", self.refuse("mask", self.input, *self.BUDGET, "--out",
                                                   self.path(name), "--quiet"))
            self.assertFalse(os.path.exists(self.path(name)))


if __name__ == "__main__":
    unittest.main()

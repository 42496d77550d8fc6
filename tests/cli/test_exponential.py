"""Methods exponential and sharp, their plans, sample bingham, audits and ranks from outside."""

import json
import math
import random
import re
import struct
import unittest

from support import CliTest, csv_text, read_json, read_table

NAMES = ["a", "b", "c", "d"]
RANGE = ("--range", "-1:1")
EXPONENTIAL = (*RANGE, "--method", "exponential")


def table(count=400, seed=1):
    """Most variance along (1, 1, 0, 0)."""
    draw = random.Random(seed)
    rows = []
    for _ in range(count):
        common = draw.choice([-0.75, 0.75])
        rows.append([common, common, draw.randrange(-4, 5) / 64, draw.randrange(-4, 5) / 64])
    return rows


def read_npy(path):
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<H", data[8:10])[0]
    header = data[10:10 + size].decode()
    shape = tuple(int(n) for n in re.search(r"\(([^)]*)\)", header).group(1).split(",") if n.strip())
    values = struct.unpack("<%dd" % math.prod(shape), data[10 + size:])
    return header, shape, values


class Exponential(CliTest):

    def setUp(self):
        super().setUp()
        self.rows = table()
        self.csv = self.write("t.csv", csv_text(NAMES, self.rows))

    def test_one_component_with_pure_epsilon(self):
        self.succeed("pca", self.csv, *EXPONENTIAL, "--epsilon", 20, "--seed", 3, "--out", "out")
        document = read_json(self.path("out", "release.NOT-PRIVATE.json"))
        self.assertEqual(document["method"], "exponential")
        guarantee = document["guarantee"]["would_be"]
        self.assertEqual(guarantee["loss"]["kind"], "pure")
        self.assertAlmostEqual(guarantee["loss"]["epsilon"], 20.0)
        self.assertEqual(guarantee["basis"], "proved-real-arithmetic")
        self.assertTrue(any("idealised real arithmetic" in a for a in guarantee["assumptions"]))
        names, _, loadings = read_table(self.path("out", "loadings.NOT-PRIVATE.csv"))
        self.assertEqual(names, NAMES)
        self.assertGreater((loadings[0][0] + loadings[1][0]) / math.sqrt(2), 0.99)
        variance = document["result"]["noisy_explained_variance"][0]
        exact = sum((r[0] + r[1])**2 for r in self.rows) / 2 / len(self.rows)
        sd = document["result"]["variance_noise_sd"]
        self.assertLess(abs(variance - exact), 25 * sd + 0.05)
        text = json.dumps(document)
        for secret in ("acceptance", "tries", "true_"):
            self.assertNotIn(secret, text)

    def test_a_drawn_direction_is_not_told_from_those_left_out(self):
        """Rows along every axis alike: whatever was drawn is noise, with a variance far above the noise on it."""
        rows = [[s * (i == j) for i in range(6)] for j in range(6) for s in (1, -1)] * 3000
        source = self.write("iso.csv", csv_text([f"x{j}" for j in range(6)], rows))
        for method in ("exponential", "orbit"):
            asked = (source, "--row-norm", 1, "--center", "none", "-k", 1, "--method", method, "--epsilon", 1, "--anyway")
            told = self.succeed("pca", *asked, "--seed", 1, "--out", method)
            self.assertNotIn("must exceed", told)
            self.assertIn("than along those left out, this release does not say", told)
            result = read_json(self.path(method, "release.NOT-PRIVATE.json"))["result"]
            self.assertNotIn("noise_edge", result)
            self.assertNotIn("below_noise", result)
            self.assertGreater(result["noisy_explained_variance"][0], result["noise_floor"])
            with open(self.path(method, "report.NOT-PRIVATE.html"), encoding="utf-8") as report:
                page = report.read()
            self.assertNotIn("must exceed", page)
            self.assertRegex(page, "A variance below .* cannot be told from")

    def test_fresh_randomness_is_proved_for_real_arithmetic(self):
        out = json.loads(self.succeed("pca", self.csv, *EXPONENTIAL, "--epsilon", 1, "--json"))
        self.assertEqual(out["guarantee"]["basis"], "proved-real-arithmetic")
        self.assertTrue(out["guarantee"]["secure_random"])

    def test_refusals(self):
        pca = ("pca", self.csv, *RANGE)
        self.assertIn("--method orbit",
                      self.refuse(*pca, "--method", "exponential", "-k", 2, "--epsilon", 1))
        self.assertIn("--center private",
                      self.refuse(*pca, "--method", "exponential", "--epsilon", 1, "--center", "private"))
        self.assertIn("between 0 and 1",
                      self.refuse(*pca, "--method", "exponential", "--epsilon", 1, "--variance-share", 1.5))
        self.assertIn("shifts the ranks",
                      self.refuse("pca", self.csv, "--rank-transform", "--epsilon", 1))
        self.assertIn("shifts the ranks",
                      self.refuse("pca", self.csv, "--rank-transform", "--mu", 1))

    def test_every_relation_and_group(self):
        for relation in ("add-remove", "replace-one", "zero-row"):
            out = json.loads(self.succeed("pca", self.csv, *EXPONENTIAL, "--epsilon", 2, "--neighbours",
                                          relation, "--group-size", 2, "--json"))
            self.assertEqual(out["guarantee"]["relation"], relation)
            self.assertAlmostEqual(out["guarantee"]["loss"]["epsilon"], 2.0)
            factor = 8 if relation == "replace-one" else 4  # R^2 = p = 4
            self.assertAlmostEqual(out["parameters"]["exponent"], 0.8 / factor, delta=0.001)

    def test_plan(self):
        plan = json.loads(self.succeed("plan", "pca", "--rows", 400, "--dimension", 4, *EXPONENTIAL,
                                       "--epsilon", 1, "--json"))
        self.assertEqual(plan["method"], "exponential")
        self.assertAlmostEqual(plan["exponent"], 0.2, delta=0.001)  # but for the blur

    def test_audit(self):
        text = self.succeed("audit", "exponential", "--epsilon", 3, "--runs", 60000, "--mutants",
                            "--seed", 1)
        self.assertNotIn("REFUTED", text)
        self.assertGreaterEqual(text.count("claim stands"), 3)
        self.assertRegex(text, r"exponent x 1.5 .* refuted, as it must be")


class Sharp(CliTest):

    def setUp(self):
        super().setUp()
        self.values = [15.0, 10.0, 6.0] + [0.1 + 0.6 * i / 197 for i in range(197)]
        self.spectrum = self.write("spectrum.txt", "\n".join(map(repr, self.values)))
        self.plan_flags = ("plan", "pca", "--method", "sharp", "--data-spectrum", self.spectrum,
                           "--rows", 2504, "--json")

    def plan(self, *flags):
        return json.loads(self.succeed(*self.plan_flags, *flags))

    def test_plan_inverts_itself(self):
        for k in (1, 2, 3):
            there = self.plan("-k", k, "--mu", 1)
            self.assertTrue(there["achievable"])
            back = self.plan("-k", k, "--beta", there["beta"])
            self.assertAlmostEqual(back["mu"], 1.0, places=9)
            bulk = self.values[k:]
            top = sorted(self.values, reverse=True)
            hilbert = sum(1 / (top[k - 1] - v) for v in sorted(bulk, reverse=True)) / 200
            self.assertAlmostEqual(back["predicted_error_op2"], hilbert / back["beta"], places=9)
            self.assertAlmostEqual(back["worst_case_epsilon"], 200**2 * back["beta"] / 2504 / 2,
                                   places=6)

    def test_plan_says_what_draws_several_components(self):
        self.assertNotIn("sampler", self.plan("-k", 1, "--mu", 1))
        sampler = self.plan("-k", 2, "--mu", 1)["sampler"]
        self.assertEqual((sampler["most_proposals"], sampler["sweeps"]), (4096, 200))
        self.assertGreater(sampler["expected_proposals"], 0)
        flags = self.plan_flags[:-1]
        self.assertRegex(self.succeed(*flags, "-k", 2, "--mu", 1), r"sampler +exact, .* a Gibbs chain of 200 sweeps .* is not proved")
        # Twenty columns that no eigenvalue holds: no exact sampler is efficient there.
        crowd = self.write("crowd.txt", "\n".join(repr(1 + 1e-3 * i) for i in range(200)))
        flags = ("plan", "pca", "--method", "sharp", "--data-spectrum", crowd, "--rows", 2504, "-k", 60, "--beta", 0.5)
        self.assertRegex(self.succeed(*flags), r"sampler +a Gibbs chain of 200 sweeps stands in .* is not proved")
        self.assertIsNone(json.loads(self.succeed(*flags, "--json"))["sampler"]["expected_proposals"])

    def test_plan_below_the_plateau_and_below_the_transition(self):
        low = self.plan("--mu", 1e-4)
        self.assertFalse(low["achievable"])
        self.assertIsNone(low["beta"])
        self.assertGreater(low["mu_min"], 1e-4)
        self.assertIsNone(self.plan("--beta", 1e-6)["mu"])

    def test_plan_refusals(self):
        self.assertIn("--data-spectrum",
                      self.refuse("plan", "pca", "--method", "sharp", "--rows", 10, "--mu", 1))
        self.assertIn("--beta", self.refuse(*self.plan_flags))
        self.assertIn("not both", self.refuse(*self.plan_flags, "--mu", 1, "--beta", 1))

    def test_release_and_null(self):
        csv = self.write("t.csv", csv_text(NAMES, table(4000)))
        flags = ("pca", csv, *RANGE, "--method", "sharp", "--seed", 5)
        self.succeed(*flags, "--mu", 40, "--out", "good")
        good = read_json(self.path("good", "release.NOT-PRIVATE.json"))
        self.assertEqual(good["result"]["outcome"], "released")
        self.assertEqual(good["guarantee"]["would_be"]["basis"], "asymptotic")
        self.assertIn("worst_case_epsilon_per_row_of_the_draw", good["result"])
        text = self.succeed(*flags, "--mu", 0.001, "--out", "none")
        self.assertIn("not achievable", text)
        none = read_json(self.path("none", "release.NOT-PRIVATE.json"))
        self.assertEqual(none["result"]["outcome"], "not achievable")
        self.assertEqual(none["result"]["arrays"], [], "no table of zeros")
        with open(self.path("none", "report.NOT-PRIVATE.html"), encoding="utf-8") as report:
            self.assertIn("The answer is NULL", report.read())
        self.succeed("explain", self.path("none", "release.NOT-PRIVATE.json"))

    def test_release_refusals(self):
        csv = self.write("t.csv", csv_text(NAMES, table(50)))
        flags = ("pca", csv, *RANGE, "--method", "sharp")
        spectrum = self.write("four.txt", "3\n0.5\n0.3\n0.2\n")
        self.assertIn("--spectrum-is-public",
                      self.refuse(*flags, "--mu", 1, "--data-spectrum", spectrum))
        self.succeed(*flags, "--mu", 1, "--data-spectrum", spectrum, "--spectrum-is-public")
        self.assertIn("add-remove", self.refuse(*flags, "--mu", 1, "--neighbours", "replace-one"))
        self.assertIn("--beta is for plan", self.refuse(*flags, "--mu", 1, "--beta", 1))
        self.assertIn("budget is missing", self.refuse(*flags))

    def test_ranks(self):
        csv = self.write("t.csv", csv_text(NAMES, table(300)))
        out = json.loads(self.succeed("pca", csv, "--method", "sharp", "--rank-transform",
                                      "--row-norm", 1.5, "--mu", 30, "--json"))
        self.assertTrue(out["parameters"]["rank_transform"])
        self.assertAlmostEqual(out["parameters"]["row_norm"], 1.5, places=4)
        self.assertTrue(any("ranks" in a for a in out["guarantee"]["assumptions"]))

    def test_audit_on_a_spectrum_and_on_a_table(self):
        text = self.succeed("audit", "sharp", "--data-spectrum", self.spectrum, "--rows", 2504,
                            "--mu", 1, "--draws", 3000, "--seed", 1)
        self.assertIn("largest gap", text)
        self.assertEqual(len(re.findall(r"\[\d", text)), 6)
        csv = self.write("t.csv", csv_text(NAMES, table(300)))
        self.assertIn("for your eyes only",
                      self.succeed("audit", "sharp", csv, *RANGE, "--beta", 50, "--draws", 500))
        self.assertIn("--rows", self.refuse("audit", "sharp", "--data-spectrum", self.spectrum,
                                            "--mu", 1))


class SampleBingham(CliTest):

    def sample(self, *flags, spectrum="1\n4\n2\n"):
        path = self.write("s.txt", spectrum)
        return ("sample", "bingham", "--spectrum", path, "--seed", 1, *flags)

    def test_shape_and_orthonormal_columns_in_the_order_of_the_file(self):
        self.succeed(*self.sample("--exponent", 200, "-k", 2, "--draws", 50, "--out", "d.npy"))
        header, shape, values = read_npy(self.path("d.npy"))
        self.assertIn("'<f8'", header)
        self.assertIn("'fortran_order': False", header)
        self.assertEqual(shape, (50, 3, 2))
        for draw in range(50):
            frame = [values[(draw * 3 + i) * 2:(draw * 3 + i) * 2 + 2] for i in range(3)]
            for a in range(2):
                for b in range(2):
                    dot = sum(row[a] * row[b] for row in frame)
                    self.assertAlmostEqual(dot, float(a == b), places=12)
            self.assertLess(sum(v * v for v in frame[0]), 0.2, "the smallest eigenvalue is first")

    def test_approximate_samplers_say_so(self):
        self.assertIn("exact", self.succeed(*self.sample("--exponent", 3, "--out", "a.npy")))
        for name in ("gibbs", "gaussian-block"):
            text = self.succeed(*self.sample("--exponent", 3, "--sampler", name, "--out",
                                             name + ".npy"))
            self.assertIn("APPROXIMATE", text)

    def test_auto_refuses_rather_than_approximates(self):
        spectrum = "\n".join(["50"] + ["%r" % (1 - i / 1000) for i in range(499)])
        self.assertIn("no efficient exact sampler",
                      self.refuse(*self.sample("--exponent", 40, "-k", 60, "--out", "x.npy",
                                               spectrum=spectrum)))

    def test_requests(self):
        self.assertIn("finite", self.refuse(*self.sample("--exponent", 1, "--out", "x.npy",
                                                         spectrum="1\nx\n")))
        self.assertIn("columns", self.refuse(*self.sample("--exponent", 1, "-k", 4, "--out",
                                                          "x.npy")))
        self.assertIn("negative", self.refuse(*self.sample("--exponent", -1, "--out", "x.npy")))
        self.write("old.npy", "")
        self.assertIn("exists", self.refuse(*self.sample("--exponent", 1, "--out", "old.npy")))


if __name__ == "__main__":
    unittest.main()

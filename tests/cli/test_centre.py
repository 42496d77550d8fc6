"""What a release is about when nothing is said, and how long an exact draw takes: from public options alone."""

import json
import random
import unittest

from support import CliTest, csv_text

NAMES = ["a", "b", "c"]
PURE = ("--epsilon", 2, "--range", "0:8")
APPROXIMATE = (*PURE, "--delta", 1e-6)
WARNING = "works about the public midpoint, not about the mean"


class Centre(CliTest):
    def setUp(self):
        super().setUp()
        draw = random.Random(5)
        rows = [[draw.uniform(0.5, 1.5), draw.uniform(0, 3), draw.uniform(0.5, 1.5)] for _ in range(2000)]
        self.table = self.write("t.csv", csv_text(NAMES, rows))

    def test_a_private_mean_where_the_method_releases_one(self):
        for task in ("pca", "covariance", "lowrank"):
            with self.subTest(task):
                for budget in (APPROXIMATE, PURE):
                    out = self.succeed(task, self.table, *budget)
                    self.assertIn("about       private mean", out)
                    self.assertNotIn(WARNING, out)

    def test_a_warning_where_it_does_not(self):
        for method in (("pca", "--method", "exponential"), ("pca", "-k", 2, "--method", "orbit"),
                       ("lowrank", "-k", 2, "--method", "orbit")):
            with self.subTest(method):
                out = self.succeed(method[0], self.table, *method[1:], *PURE)
                self.assertIn(WARNING, out)
                self.assertIn("about       public midpoint", out)
                self.assertNotIn(WARNING, self.succeed(method[0], self.table, *method[1:], *PURE,
                                                       "--center", "none"))
                json.loads(self.succeed(method[0], self.table, *method[1:], *PURE, "--json"))

    def test_none_and_public_remain(self):
        out = self.succeed("pca", self.table, *APPROXIMATE, "--center", "none")
        self.assertIn("about       public midpoint", out)
        middle = self.write("middle.csv", "column,value\na,1\nb,1.5\nc,1\n")
        out = self.succeed("pca", self.table, *PURE, "--center", "public", middle)
        self.assertIn("about       the public centre", out)
        self.assertNotIn(WARNING, out)

    def test_plans_say_the_same(self):
        size = ("--rows", 2000, "--dimension", 3, "-k", 2)
        self.assertIn(WARNING, self.succeed("plan", "pca", *size, *PURE, "--method", "orbit"))
        self.assertNotIn(WARNING, self.succeed("plan", "pca", *size, *APPROXIMATE))
        noise = [json.loads(self.succeed("plan", "pca", *size, *APPROXIMATE, *center, "--json"))
                 ["noise_sd_diagonal"] for center in ((), ("--center", "private"), ("--center", "none"))]
        self.assertEqual(noise[0], noise[1])
        self.assertLess(noise[2], noise[0])

    def test_a_plan_says_how_long_a_draw_takes(self):
        size = ("--rows", 20000, "-k", 10, "--range", "0:1", "--epsilon", 1, "--method", "orbit")
        out = self.succeed("plan", "pca", *size, "--dimension", 400)
        self.assertRegex(out, r"time        the draw takes up to about \d+ (seconds|minutes)")
        self.assertNotIn("the draw takes", self.succeed("plan", "pca", *size, "--dimension", 20))
        self.assertNotIn("the draw takes", self.succeed("plan", "pca", *size[:-2], "--dimension", 400))


if __name__ == "__main__":
    unittest.main()

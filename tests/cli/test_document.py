"""release.json and --json: the fields scripts rely on, and nothing that must not be there."""

import json
import math
import os
import random
import re
import unittest

from support import CliTest, csv_text, files_of, read_json

NAMES = ["age", "in,come", "größe \"cm\""]
RANGE = ("--range", "0:10")


class Documents(CliTest):

    def setUp(self):
        super().setUp()
        draw = random.Random(31)
        self.count = 1013
        rows = [[draw.uniform(0.0, 10.0) for _ in NAMES] for _ in range(self.count)]
        self.source = self.write("survey.csv", csv_text(NAMES, rows))

    def check_guarantee(self, guarantee, basis):
        for field in ("relation", "loss", "basis", "assumptions", "secure_random",
                      "max_power_at_5pct", "group_size"):
            self.assertIn(field, guarantee)
        self.assertEqual(guarantee["basis"], basis)
        self.assertIn("kind", guarantee["loss"])

    def test_every_promised_field_is_there(self):
        budgets = {("--epsilon", 1, "--delta", 1e-6): ("gdp", "gauss"),
                   ("--rho", 0.5): ("gdp", "gauss"), ("--mu", 1): ("gdp", "gauss"),
                   ("--epsilon", 1, "--method", "laplace"): ("pure", "laplace"),
                   ("--epsilon", 1): ("pure", "wishart")}
        for i, (budget, (kind, method)) in enumerate(budgets.items()):
            for task in ("pca", "covariance"):
                with self.subTest(task=task, budget=budget):
                    out = self.path(f"{task}{i}")
                    self.succeed(task, self.source, *RANGE, *budget, "--out", out)
                    document = read_json(out + "/release.json")
                    for field in ("task", "method", "guarantee", "parameters", "result",
                                  "checksum", "not_protected", "eigenveil", "format"):
                        self.assertIn(field, document)
                    self.assertEqual((document["task"], document["method"]), (task, method))
                    self.check_guarantee(document["guarantee"], "proved")
                    self.assertEqual(document["guarantee"]["loss"]["kind"], kind)
                    self.assertIs(document["guarantee"]["secure_random"], True)
                    self.assertEqual(document["parameters"]["columns"], NAMES)
                    self.check_arrays(document, out)
                    self.check_nothing_else(document, out)

    def test_papers_stand_in_document_and_report(self):
        for k, method, cited in (("2", "gauss", "Analyze Gauss"), ("1", "exponential", "Mechanism Design")):
            out = self.path(method)
            budget = ("--mu", 1)
            self.succeed("pca", self.source, *RANGE, *budget, "-k", k, "--method", method, "--out", out)
            self.assertTrue(any(cited in paper for paper in read_json(out + "/release.json")["papers"]))
            with open(out + "/report.html", encoding="utf-8") as report:
                self.assertIn(cited, report.read())

    def check_arrays(self, document, out):
        arrays = document["result"]["arrays"]
        self.assertEqual({a["name"] for a in arrays} | {"release.json", document["report"]["name"]},
                         set(os.listdir(out)))
        for array in arrays:
            self.assertRegex(array["sha256"], "^[0-9a-f]{64}$")
            self.assertEqual(array["shape"], [len(array["rows"]), len(array["columns"])])

    def check_nothing_else(self, document, out):
        """No path, no time, no exact row count under add-remove."""
        text = json.dumps(document)
        self.assertNotIn(self.folder, text)
        self.assertNotIn("survey", text)
        self.assertNotRegex(text, r"\b20\d\d-\d\d-\d\d|\d\d:\d\d:\d\d")
        self.assertNotIn(self.count, list(numbers_in(document)))
        for content in files_of(out).values():
            self.assertNotIn(self.folder.encode(), content)

    def test_the_number_scan_finds_a_row_count(self):
        self.assertIn(1013, list(numbers_in({"a": [{"b": 1013.0}]})))

    def test_requested_budget_stands_beside_the_tighter_loss(self):
        self.succeed("pca", self.source, *RANGE, "--epsilon", 1, "--delta", 1e-6, "--out", "o")
        loss = read_json(self.path("o", "release.json"))["guarantee"]["loss"]
        self.assertEqual((loss["epsilon"], loss["delta"]), (1.0, 1e-6))
        self.assertGreater(loss["mu"], 0.0)

    def test_the_request_never_replaces_the_loss_that_was_proved(self):
        """Laplace noise that meets (1, 0.3) is purely private at an epsilon above 1, not at 1."""
        document = json.loads(self.succeed("covariance", self.source, *RANGE, "--method", "laplace",
                                           "--epsilon", 1, "--delta", 0.3, "--json"))
        loss = document["guarantee"]["loss"]
        self.assertEqual(loss["kind"], "pure")
        # Pure epsilon lets a test at 5% have power 0.05 e^epsilon: the two fields must agree.
        self.assertAlmostEqual(0.05 * math.exp(loss["epsilon"]),
                               document["guarantee"]["max_power_at_5pct"], places=9)
        self.assertGreater(loss["epsilon"], 1.0)

    def test_json_is_the_release_with_its_tables(self):
        out = self.succeed("pca", self.source, "-k", 2, *RANGE, "--mu", 1, "--json")
        document = json.loads(out)
        self.check_guarantee(document["guarantee"], "proved")
        loadings = document["result"]["loadings"]
        self.assertEqual(loadings["rows"], NAMES)
        self.assertEqual([len(line) for line in loadings["values"]], [2, 2, 2])
        self.assertNotIn(self.count, list(numbers_in(document)))
        out = self.succeed("covariance", self.source, *RANGE, "--mu", 1, "--json", "--neighbours",
                           "replace-one", "--center", "private", "--out", "o")
        document = json.loads(out)
        self.assertEqual(document["result"]["rows"], self.count)
        self.assertEqual(len(document["result"]["noisy_mean"]), 3)
        self.assertEqual(len(document["result"]["covariance_raw"]["values"]), 3)

    def test_a_name_and_a_date_stand_there_when_the_curator_gives_them(self):
        self.succeed("pca", self.source, *RANGE, "--mu", 1, "--out", "o", "--data-set", "survey 2026", "--date", "spring")
        document = read_json(self.path("o", "release.json"))
        self.assertEqual((document["data_set"], document["date"]), ("survey 2026", "spring"))
        self.assertIn("survey 2026", self.succeed("explain", "o"))
        self.assertIn("plain text", self.refuse("pca", self.source, *RANGE, "--mu", 1, "--data-set", "a\x1bb"))

    def test_a_seed_is_stamped_everywhere(self):
        out = self.succeed("pca", self.source, *RANGE, "--mu", 1, "--seed", 4, "--out", "o")
        self.assertIn("NOT PRIVATE", out)
        self.assertEqual(set(os.listdir(self.path("o"))),
                         {"release.NOT-PRIVATE.json", "loadings.NOT-PRIVATE.csv",
                          "report.NOT-PRIVATE.html"})
        guarantee = read_json(self.path("o", "release.NOT-PRIVATE.json"))["guarantee"]
        self.assertEqual(guarantee["basis"], "not-private")
        self.assertIs(guarantee["secure_random"], False)
        self.assertIsNone(guarantee["loss"])
        self.assertEqual(guarantee["max_power_at_5pct"], 1.0)
        self.check_guarantee(guarantee["would_be"], "proved")
        self.assertEqual(guarantee["would_be"]["loss"], {"kind": "gdp", "mu": 1.0})
        self.assertIn("NOT PRIVATE", guarantee["statement"])
        printed = json.loads(self.succeed("pca", self.source, *RANGE, "--mu", 1, "--seed", 4,
                                          "--json"))
        self.assertEqual(printed["guarantee"], guarantee)

    def test_secure_runs_differ_and_seeded_runs_do_not(self):
        flags = ("covariance", self.source, *RANGE, "--mu", 1, "--json")
        self.assertNotEqual(self.succeed(*flags), self.succeed(*flags))
        self.assertEqual(self.succeed(*flags, "--seed", 1), self.succeed(*flags, "--seed", 1))
        self.assertNotEqual(self.succeed(*flags, "--seed", 1), self.succeed(*flags, "--seed", 2))


def numbers_in(value):
    if isinstance(value, dict):
        for item in value.values():
            yield from numbers_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from numbers_in(item)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield value
    elif isinstance(value, str):
        yield from (int(digits) for digits in re.findall(r"(?<![\w.])\d+(?![\w.])", value))


if __name__ == "__main__":
    unittest.main()

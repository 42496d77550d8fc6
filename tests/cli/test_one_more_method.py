"""A method that is one file (one_more_method.cpp) appears in help, plan, release, explain and report, without another edit."""

import json
import os
import subprocess
import unittest

from support import CliTest, csv_text, read_json

PROGRAM = os.environ.get("EIGENVEIL_ONE_MORE", "")


class OneMoreMethod(CliTest):

    def succeed(self, *words):
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return done.stdout

    def test_it_is_found_everywhere(self):
        help_text = " ".join(self.succeed("pca", "--help-all").split())
        self.assertIn("one-more", self.succeed("pca", "--help"))
        self.assertIn("gauss (", help_text)
        self.assertIn("one-more ((epsilon, delta), rho, mu)", help_text)
        self.assertIn("an option that a test brought along (default: 0.25)", help_text)
        self.assertIn(r"one\-more\-share", self.succeed("man"))
        self.assertIn("--one-more-share", self.succeed("completion", "bash"))

        budget = ("--epsilon", 1, "--delta", 1e-6, "--range", "0:10", "--method", "one-more", "--one-more-share", 0.5)
        plan = json.loads(self.succeed("plan", "pca", "--rows", 100, "--dimension", 2, *budget, "--json"))
        self.assertEqual((plan["method"], plan["one_more_share"]), ("one-more", 0.5))

        rows = self.write("rows.csv", csv_text(["a", "b"], [[i % 10, (3 * i) % 10] for i in range(300)]))
        said = self.succeed("pca", rows, *budget, "--out", "out", "--quiet")
        self.assertIn("method one-more", said)
        self.assertIn("words that a test brought", said)
        document = read_json(self.path("out", "release.json"))
        self.assertEqual(document["method"], "one-more")
        self.assertEqual(document["request"]["options"], {"one_more_share": 0.5})
        self.assertIn("pca released by method one-more", self.succeed("explain", "out"))
        with open(self.path("out", "report.html"), encoding="utf-8") as page:
            self.assertIn("one-more", page.read())

    def test_what_it_states_is_what_was_planned_and_charged(self):
        rows = self.write("rows.csv", csv_text(["a", "b"], [[i % 10, (3 * i) % 10] for i in range(300)]))
        self.succeed("ledger", "create", "own.ledger", "--name", "t", "--epsilon", 3, "--delta", 1e-5)
        budget = ("--epsilon", 1, "--delta", 1e-6, "--range", "0:10", "--method", "one-more", "--header", "present")
        lie = [PROGRAM, "pca", rows, *map(str, budget), "--one-more-lie", "--out", "out", "--ledger", "own.ledger"]
        done = subprocess.run(lie, capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("the release states another guarantee than was planned, so nothing is published", done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1)
        self.assertFalse(os.path.exists(self.path("out")))
        self.assertEqual(len(json.loads(self.succeed("ledger", "show", "own.ledger", "--json"))["entries"]), 1, "the budget stays spent")
        self.succeed("pca", rows, *budget, "--out", "out", "--ledger", "own.ledger", "--quiet")

    def test_the_shipped_program_does_not_have_it(self):
        said = self.refuse("plan", "pca", "--rows", 10, "--dimension", 2, "--range", "0:1", "--mu", 1, "--method", "one-more")
        self.assertIn("not known", said)


if __name__ == "__main__":
    unittest.main()

"""The audit lets the shipped mechanisms stand and catches every mutant. Seeded: an honest line is
refuted with probability 1e-3 on fresh randomness, and a pass must stay a pass."""

import re
import unittest

from support import CliTest


class Audits(CliTest):

    def lines(self, *flags):
        text = self.succeed("audit", *flags, "--seed", 1)
        found = re.findall(r"(?m)^  (.{66}) *([\d.]+) +([\d.]+)   (.*)$", text)
        return [(name.strip(), *rest) for name, *rest in found]

    def stands_and_falls(self, *flags):
        """One shipped line at least, mutants after it, every one refuted."""
        lines = self.lines(*flags, "--mutants")
        for name, bound, claimed, verdict in lines:
            broken = "mutant: " in name
            self.assertEqual(verdict, "refuted, as it must be" if broken else "claim stands", name)
            self.assertEqual(float(bound) > float(claimed), broken, name)
        self.assertTrue(any("mutant: " in line[0] for line in lines))
        self.assertNotIn("mutant: ", lines[0][0])
        return lines

    def test_gauss(self):
        lines = self.stands_and_falls("gauss", "--mu", 1, "--runs", 100000)
        self.assertGreater(float(lines[0][1]), 0.9, "an audit that measures little proves little")
        self.assertGreaterEqual(len(lines), 4)

    def test_laplace_of_replaced_rows_at_the_default_number_of_runs(self):
        names = [line[0] for line in self.stands_and_falls("laplace", "--neighbours", "replace-one")]
        self.assertIn("mutant: noise x 0.9", names)
        self.assertIn("mutant: relation factor missing", names)

    def test_units_and_groups(self):
        for table, mutant in (("row-norm", "row norm 3 taken for 1"), ("ranges", "a corner")):
            names = [line[0] for line in self.stands_and_falls("gauss", "--table", table,
                                                               "--group-size", 2)]
            self.assertTrue(any(mutant in name for name in names), names)
            self.assertIn("mutant: group factor missing", names)

    def test_all_prints_a_table(self):
        text = self.succeed("audit", "all", "oja", "--seed", 1)
        rows = [line for line in text.splitlines() if line.startswith("| ")]
        self.assertIn("zero-row, ranges", text)
        self.assertIn("replace-one, row norm 3, 2 rows", text)
        self.assertTrue(all(row.count("|") == 7 for row in rows))
        self.assertIn("there are attacks on gauss", self.refuse("audit", "all", "magic"))

    def test_a_seed_repeats_the_attack(self):
        flags = ("audit", "gauss", "--mu", 1, "--runs", 2000, "--seed")
        self.assertEqual(self.succeed(*flags, 3), self.succeed(*flags, 3))
        self.assertNotEqual(self.succeed(*flags, 3), self.succeed(*flags, 4))

    def test_requests(self):
        self.assertIn("claim stands", self.succeed("audit", "gauss", "--runs", 2000))
        self.assertIn("--delta", self.refuse("audit", "gauss", "--epsilon", 1))
        self.assertIn("whole number from 1000", self.refuse("audit", "gauss", "--runs", 5))
        self.assertIn("did you mean gauss?", self.refuse("audit", "gaus", "--mu", 1))
        self.assertIn("attacked under zero-row", self.refuse("audit", "oja", "--neighbours",
                                                             "add-remove"))
        self.assertIn("leave out", self.refuse("audit", "subspace", "--group-size", 2))
        self.assertIn("eigenveil audit gauss|laplace|wishart|exponential", self.refuse("audit"))


if __name__ == "__main__":
    unittest.main()

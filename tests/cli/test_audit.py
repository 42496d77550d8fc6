"""The audit lets the shipped mechanisms stand and catches every mutant. Seeded: an honest line is
refuted with probability 1e-3 on fresh randomness, and a pass must stay a pass."""

import re
import unittest

from support import CliTest


class Audits(CliTest):

    def lines(self, *flags):
        text = self.succeed("audit", *flags, "--seed", 1)
        found = re.findall(r"(?m)^  (.{52}) *([\d.]+) +([\d.]+)   (.*)$", text)
        return [(name.strip(), *rest) for name, *rest in found]

    def test_gauss_stands_and_its_mutants_fall(self):
        lines = self.lines("gauss", "--mu", 1, "--runs", 100000, "--mutants")
        name, bound, claimed, verdict = lines[0]
        self.assertEqual((name, verdict), ("as shipped", "claim stands"))
        self.assertLess(float(bound), float(claimed))
        self.assertGreater(float(bound), 0.8, "an audit that measures little proves little")
        self.assertGreaterEqual(len(lines), 4)
        for name, bound, claimed, verdict in lines[1:]:
            self.assertTrue(name.startswith("mutant: "))
            self.assertEqual(verdict, "refuted, as it must be")
            self.assertGreater(float(bound), float(claimed))

    def test_laplace_stands_and_its_mutants_fall(self):
        lines = self.lines("laplace", "--epsilon", 1, "--runs", 400000, "--mutants")
        self.assertEqual(lines[0][3], "claim stands")
        self.assertTrue(all("refuted" in line[3] for line in lines[1:]))
        self.assertGreater(len(lines), 1)

    def test_a_seed_repeats_the_attack(self):
        flags = ("audit", "gauss", "--mu", 1, "--runs", 2000, "--seed")
        self.assertEqual(self.succeed(*flags, 3), self.succeed(*flags, 3))
        self.assertNotEqual(self.succeed(*flags, 3), self.succeed(*flags, 4))

    def test_requests(self):
        self.assertIn("budget is missing", self.refuse("audit", "gauss"))
        self.assertIn("--delta", self.refuse("audit", "gauss", "--epsilon", 1))
        self.assertIn("whole number from 1000", self.refuse("audit", "gauss", "--runs", 5))
        self.assertIn("did you mean gauss?", self.refuse("audit", "gaus", "--mu", 1))
        self.assertIn("--group-size", self.refuse("audit", "gauss", "--mu", 1, "--group-size", 2))
        self.assertIn("eigenveil audit gauss|laplace|exponential", self.refuse("audit"))


if __name__ == "__main__":
    unittest.main()

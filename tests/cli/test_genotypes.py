"""PLINK files from end to end: bound, alleles in the loadings, frequencies, .gram."""

import csv
import json
import shutil
import unittest

from support import CliTest

BUDGET = ("--epsilon", "5", "--delta", "1e-6", "--seed", "7")


class Genotypes(CliTest):
    def setUp(self):
        super().setUp()
        people = 40
        codes = [[(3 * i + j * j) % 4 for j in range(3)] for i in range(people)]
        bed = bytearray(b"\x6c\x1b\x01")
        for j in range(3):
            for first in range(0, people, 4):
                bed.append(sum(codes[first + k][j] << (2 * k) for k in range(4)))
        self.bed = self.write("g.bed", bytes(bed))
        self.write("g.bim", "1 rs1 0 100 A G\n1 rs2 0 200 C T\n2 . 0 300 T G\n")
        self.write("g.fam", "".join(f"f{i} p{i} 0 0 0 -9\n" for i in range(people)))

    def loadings(self, folder):
        with open(self.path(folder, "loadings.NOT-PRIVATE.csv"), encoding="utf-8") as file:
            return list(csv.reader(file))

    def document(self, folder):
        with open(self.path(folder, "release.NOT-PRIVATE.json"), encoding="utf-8") as file:
            return json.load(file)

    def test_missing_bound_says_what_to_give(self):
        self.assertIn("--range 0:2 --grid 1", self.refuse("pca", self.bed, *BUDGET))

    def test_loadings_carry_variant_and_counted_allele(self):
        self.succeed("pca", self.bed, "-k", "2", "--range", "0:2", "--grid", "1", *BUDGET, "--out",
                     "out")
        rows = self.loadings("out")
        self.assertEqual(rows[0], ["column", "counted_allele", "PC1", "PC2"])
        self.assertEqual([row[:2] for row in rows[1:]],
                         [["rs1", "A"], ["rs2", "C"], ["2:300:T:G", "T"]])
        self.assertEqual(self.document("out")["parameters"]["counted_alleles"], ["A", "C", "T"])

    def test_gram_gives_the_same_release(self):
        bound = ("--range", "0:2", "--grid", "1")
        self.succeed("pca", self.bed, *bound, *BUDGET, "--out", "rows")
        self.succeed("gram", "partial", self.bed, *bound, "--out", "g.gram")
        self.succeed("pca", "g.gram", *BUDGET, "--out", "stored")
        self.assert_same_text(str(self.loadings("rows")), str(self.loadings("stored")))

    def test_columns_select_variants(self):
        self.succeed("pca", self.bed, "--range", "0:2", "--columns", "2:300:T:G,rs1", *BUDGET,
                     "--out", "out")
        self.assertEqual([row[0] for row in self.loadings("out")[1:]], ["2:300:T:G", "rs1"])

    def test_public_frequencies(self):
        table = self.write("f.csv", "column,value\nrs1,0.25\nrs2,0.5\n2:300:T:G,0.4\n")
        choice = ("--columns", "rs1,rs2", *BUDGET)
        for bound in (("--range", "0:2"), ("--row-norm", "2")):
            self.succeed("pca", self.bed, "--allele-frequencies", table, *bound, *choice, "--out",
                         "csv")
            # plink names the rarer allele: G of rs1 is not the one the file counts
            frq = self.write("f.frq", " CHR SNP A1 A2 MAF NCHROBS\n 1 rs1 G A 0.75 80\n"
                             " 1 rs2 C T 0.5 80\n")
            self.succeed("pca", self.bed, "--allele-frequencies", frq, *bound, *choice, "--out",
                         "frq")
            parameters = self.document("csv")["parameters"]
            self.assertEqual(parameters["allele_frequencies"], [0.25, 0.5])
            self.assertEqual(parameters["units"], "standardised by public frequencies")
            self.assert_same_text(str(self.loadings("csv")), str(self.loadings("frq")))
            for folder in ("csv", "frq"):
                shutil.rmtree(self.path(folder))

    def test_frequencies_that_do_not_fit_are_refused(self):
        def refusal(text, *more):
            name = self.write("f.frq" if text.startswith(" CHR") else "f.csv", text)
            return self.refuse("pca", self.bed, "--allele-frequencies", name, "--columns", "rs1",
                               "--range", "0:2", *BUDGET, *more)
        self.assertIn("strictly between 0 and 1", refusal("column,value\nrs1,1\n"))
        self.assertIn("says nothing of column 'rs1'", refusal("column,value\nrs2,0.5\n"))
        head = " CHR SNP A1 A2 MAF NCHROBS\n"
        self.assertIn("no frequency of allele A", refusal(head + " 1 rs1 C G 0.2 80\n"))
        self.assertIn("no frequency of allele A", refusal(head + " 1 rs1 A G NA 0\n"))
        self.assertIn("6 fields", refusal(head + " 1 rs1 A G\n"))
        good = "column,value\nrs1,0.5\n"
        self.assertIn("--grid 1 would round", refusal(good, "--grid", "1"))


if __name__ == "__main__":
    unittest.main()

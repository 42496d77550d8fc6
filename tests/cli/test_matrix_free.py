"""gauss without a matrix: the components of the explicit release at the same seed and grid, from .npy, CSV and .bed."""

import json
import math
import random
import struct
import unittest

from support import CliTest

BUDGET = ("--mu", "40", "--quiet")


def norm(vector):
    return math.sqrt(sum(x * x for x in vector))


class MatrixFree(CliTest):
    def setUp(self):
        super().setUp()
        # Three populations of genotypes, so that two directions stand out of the noise.
        self.columns, self.people = 380, 240
        draw = random.Random(7)
        base = [[draw.uniform(0.05, 0.95) for _ in range(self.columns)] for _ in range(3)]
        self.rows = [[sum(draw.random() < f for _ in range(2)) for f in base[i % 3]] for i in range(self.people)]

    def npy(self, name="g.npy"):
        header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({self.people}, {self.columns}), }}"
        header += " " * (63 - (10 + len(header)) % 64) + "\n"
        cells = b"".join(struct.pack(f"<{self.columns}d", *row) for row in self.rows)
        return self.write(name, b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + cells)

    def bed(self):
        code = {2: 0, 1: 2, 0: 3}
        data = bytearray(b"\x6c\x1b\x01")
        for j in range(self.columns):
            for first in range(0, self.people, 4):
                data.append(sum(code[self.rows[first + k][j]] << (2 * k) for k in range(4)))
        self.write("g.bim", "".join(f"1 c{j + 1} 0 {j + 1} A G\n" for j in range(self.columns)))
        self.write("g.fam", "".join(f"f{i} p{i} 0 0 0 -9\n" for i in range(self.people)))
        return self.write("g.bed", bytes(data))

    def release(self, table, out, *options, seed=5):
        self.succeed("pca", table, "-k", "2", "--range", "0:2", "--grid", "1", *BUDGET, "--seed", seed, *options, "--out", out)
        with open(self.path(out, "release.NOT-PRIVATE.json"), encoding="utf-8") as file:
            document = json.load(file)
        with open(self.path(out, "loadings.NOT-PRIVATE.csv"), encoding="utf-8") as file:
            cells = [line.split(",") for line in file.read().splitlines()[1:]]
        return document, [[float(row[j - 2]) for row in cells] for j in range(2)]

    def test_components_are_those_of_the_explicit_release(self):
        table = self.npy()
        formed, expected = self.release(table, "formed", "--matrix", "formed")
        free, found = self.release(table, "free", "--matrix", "free")
        self.assertEqual(formed["guarantee"], free["guarantee"])
        self.assertEqual(formed["result"]["noisy_rows"], free["result"]["noisy_rows"])
        largest = formed["result"]["noisy_explained_variance"][0]
        for j in range(2):
            # An eigenvalue lies within the residual; rounding in doubles is far below it.
            residual = (free["result"]["relative_residual"][j] + 1e-10) * largest
            self.assertLess(residual, 2e-7 * largest)
            self.assertLess(abs(free["result"]["noisy_explained_variance"][j] - formed["result"]["noisy_explained_variance"][j]), residual)
            gap = formed["result"]["noisy_explained_variance"][j] - (formed["result"]["noisy_explained_variance"][1] if j == 0 else formed["result"]["noise_edge"][1])
            self.assertLess(norm([a - b for a, b in zip(found[j], expected[j])]), 3 * residual / gap)
        self.assertEqual(free["parameters"]["matrix"], "free: never formed")
        _, other = self.release(table, "other", "--matrix", "free", seed=6)
        self.assertGreater(norm([a - b for a, b in zip(other[1], expected[1])]), 1e-4)

    def test_every_format_gives_the_same_release(self):
        _, of_array = self.release(self.npy(), "npy", "--matrix", "free")
        lines = [",".join(f"c{j + 1}" for j in range(self.columns))] + [",".join(map(str, row)) for row in self.rows]
        _, of_text = self.release(self.write("g.csv", "\n".join(lines) + "\n"), "csv", "--matrix", "free")
        _, of_bed = self.release(self.bed(), "bed", "--matrix", "free")
        self.assertEqual(of_array, of_text)
        self.assertEqual(of_array, of_bed)

    def test_what_can_be_read_once_only_is_refused_before_anything_is_spent(self):
        rows = "\n".join(",".join(map(str, row)) for row in self.rows).encode()
        arguments = ("pca", "-", "--header", "absent", "--range", "0:2", "--grid", "1", *BUDGET, "--out", self.path("x"))
        code, _, err = self.run_program(*arguments, "--matrix", "free", stdin=rows)
        self.assertEqual(code, 2)
        self.assertIn("read many times", err)

    def test_totals_that_were_made_before_hold_the_matrix(self):
        table = self.npy()
        self.succeed("gram", "partial", table, "--range", "0:2", "--grid", "1", "--quiet", "--out", self.path("g.gram"))
        code, _, err = self.run_program("pca", self.path("g.gram"), *BUDGET, "--matrix", "free", "--out", self.path("x"))
        self.assertEqual(code, 2, err)

    def test_few_passes_are_said(self):
        document, _ = self.release(self.npy(), "few", "--matrix", "free", "--passes", "2")
        self.assertEqual(document["result"]["passes"], 2)
        self.assertGreater(max(document["result"]["relative_residual"]), 1e-7)
        self.assertEqual(document["result"]["not_converged"], ["PC1", "PC2"])
        self.assertIn("not converged after 2 passes: PC1, PC2", self.succeed("explain", self.path("few")))
        out = self.refuse("pca", self.path("g.npy"), "--range", "0:2", *BUDGET, "--matrix", "formed", "--passes", "2", "--out", self.path("y"))
        self.assertIn("--matrix free", out)


if __name__ == "__main__":
    unittest.main()

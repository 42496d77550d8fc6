"""Sample tables: the same numbers in every format, ranges that hold, files whole or absent."""

import csv
import os
import struct
import unittest

from support import CliTest, read_json


def read_csv(path, delimiter=","):
    with open(path, newline="", encoding="utf-8") as file:
        lines = list(csv.reader(file, delimiter=delimiter))
    return lines[0], [[float(cell) for cell in line] for line in lines[1:]]


def read_npy(path):
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x93NUMPY\x01\x00"
    size = struct.unpack("<H", data[8:10])[0]
    header = eval(data[10:10 + size].decode())  # a literal dictionary, as numpy reads it
    assert (10 + size) % 64 == 0 and header["descr"] == "<f8" and not header["fortran_order"]
    rows, columns = header["shape"]
    values = struct.unpack(f"<{rows * columns}d", data[10 + size:])
    return [list(values[i * columns:(i + 1) * columns]) for i in range(rows)]


def read_bed(stem):
    """Counts of the first allele; checks magic, length and that padding bits are zero."""
    with open(stem + ".fam", encoding="utf-8") as file:
        people = [line.split() for line in file]
    with open(stem + ".bim", encoding="utf-8") as file:
        variants = [line.split() for line in file]
    with open(stem + ".bed", "rb") as file:
        data = file.read()
    width = (len(people) + 3) // 4
    assert data[:3] == b"\x6c\x1b\x01" and len(data) == 3 + width * len(variants)
    table = [[0.0] * len(variants) for _ in people]
    for j in range(len(variants)):
        part = data[3 + j * width:3 + (j + 1) * width]
        for i in range(4 * width):
            bits = part[i // 4] >> (2 * (i % 4)) & 3
            if i < len(people):
                table[i][j] = {0: 2.0, 2: 1.0, 3: 0.0}[bits]
            else:
                assert bits == 0
    return people, variants, table


class Genotypes(CliTest):
    def generate(self, name, *more):
        for old in ("", ".bim", ".fam"):
            path = self.path(os.path.splitext(name)[0] + old if old else name)
            if os.path.exists(path):
                os.remove(path)
        self.succeed("generate", "genotypes", "--out", self.path(name), *more)
        return self.path(name)

    def test_every_format_holds_the_same_people(self):
        for people in (1, 4, 5, 7, 103):
            shape = ("--rows", people, "--columns", 9, "--seed", 3)
            names, rows = read_csv(self.generate("g.csv", *shape))
            self.assertEqual(names, [f"snp_{j}" for j in range(1, 10)])
            self.assertEqual(len(rows), people)
            self.assertEqual(read_npy(self.generate("g.npy", *shape)), rows)
            self.assertEqual(read_csv(self.generate("g.tsv", *shape), "\t"), (names, rows))
            self.generate("g.bed", *shape)
            fam, bim, counts = read_bed(self.path("g"))
            self.assertEqual(counts, rows)
            self.assertEqual([line[1] for line in bim], names)
            self.assertEqual(len({line[1] for line in fam}), people)
            self.assertTrue(all(line[4] != line[5] for line in bim))

    def test_more_people_than_one_tile_of_the_bed_file(self):
        # A tile holds 2^22 bytes: with 20,000 variants 209 bytes of each, which is 836 people.
        shape = ("--rows", 839, "--columns", 20000)
        self.generate("wide.bed", *shape)
        with open(self.path("wide.bed"), "rb") as file:
            data = file.read()
        self.assertEqual(len(data), 3 + 210 * 20000)
        self.generate("wide.csv", *shape)
        with open(self.path("wide.csv"), encoding="utf-8") as file:
            next(file)
            people = [line.rstrip("\n").split(",") for line in file]
        codes = {"2": 0, "1": 2, "0": 3}
        for j in (0, 1, 7777, 19999):
            for i in (0, 3, 835, 836, 838):
                bits = data[3 + j * 210 + i // 4] >> (2 * (i % 4)) & 3
                self.assertEqual(bits, codes[people[i][j]], (i, j))
            self.assertEqual(data[3 + j * 210 + 209] >> 6, 0)

    def test_default_shape_and_five_populations(self):
        labels = self.path("labels.csv")
        _, rows = read_csv(self.generate("g.csv", "--populations-out", labels))
        self.assertEqual((len(rows), len(rows[0])), (2504, 200))
        with open(labels, encoding="utf-8") as file:
            lines = list(csv.reader(file))
        self.assertEqual(lines[0], ["person", "population"])
        sizes = [sum(line[1] == f"population_{k}" for line in lines[1:]) for k in range(1, 6)]
        self.assertEqual(sum(sizes), 2504)
        self.assertLessEqual(max(sizes) - min(sizes), 1)
        # The structure is there: populations differ in frequency by more than sampling (a
        # difference of means of 500 people has a standard deviation of at most 0.045).
        def mean(k, j):
            part = [row[j] for row, line in zip(rows, lines[1:]) if line[1] == f"population_{k}"]
            return sum(part) / len(part)
        apart = [abs(mean(1, j) - mean(5, j)) for j in range(200)]
        self.assertGreater(sum(a > 8 * 0.045 for a in apart), 20)

    def test_a_seed_is_a_table(self):
        def bytes_of(name, *more):
            with open(self.generate(name, "--rows", 50, *more), "rb") as file:
                return file.read()
        self.assertEqual(bytes_of("a.csv"), bytes_of("b.csv", "--seed", 1))
        self.assertNotEqual(bytes_of("a.csv"), bytes_of("b.csv", "--seed", 2))

    def test_a_failure_leaves_nothing_behind(self):
        self.refuse("generate", "genotypes", "--out", self.path("no", "g.csv"), code=1)
        self.refuse("generate", "genotypes", "--out", self.path("g.csv.gz"))
        self.refuse("generate", "survey", "--out", self.path("g.bed"))
        os.mkdir(self.path("g.csv"))
        self.refuse("generate", "genotypes", "--rows", 5, "--out", self.path("g.csv"))
        self.assertEqual(os.listdir(self.folder), ["g.csv"])

    def test_nobody_loses_a_file(self):
        self.write("mine.csv", "mine")
        self.write("g.fam", "mine")
        self.refuse("generate", "survey", "--out", self.path("mine.csv"))
        self.refuse("generate", "survey", "--out", self.path("s.csv"), "--bounds-out", self.path("mine.csv"))
        self.refuse("generate", "genotypes", "--out", self.path("g.bed"))
        self.refuse("generate", "survey", "--out", self.path("s.csv"), "--bounds-out", self.path("s.csv"))
        os.mkfifo(self.path("pipe.csv"))
        self.refuse("generate", "survey", "--out", self.path("pipe.csv"))
        self.assertEqual(sorted(os.listdir(self.folder)), ["g.fam", "mine.csv", "pipe.csv"])


class Survey(CliTest):
    def test_mixed_columns_stay_in_their_bounds(self):
        out, bounds = self.path("s.csv"), self.path("b.csv")
        self.succeed("generate", "survey", "--kind", "mixed", "--rows", 5000, "--columns", 9,
                     "--out", out, "--bounds-out", bounds)
        names, rows = read_csv(out)
        self.assertEqual(names, ["age", "income", "weekly_hours", "score_1", "agrees_1", "score_2",
                                 "agrees_2", "score_3", "agrees_3"])
        with open(bounds, encoding="utf-8") as file:
            lines = list(csv.reader(file))
        self.assertEqual(lines[0], ["column", "low", "high"])
        self.assertEqual([line[0] for line in lines[1:]], names)
        self.assertEqual(lines[1], ["age", "18", "90"])
        for j, line in enumerate(lines[1:]):
            values = {row[j] for row in rows}
            self.assertGreaterEqual(min(values), float(line[1]))
            self.assertLessEqual(max(values), float(line[2]))
            self.assertGreater(len(values), 1)
        self.assertEqual({row[4] for row in rows}, {0.0, 1.0})
        with open(out, encoding="utf-8") as file:
            self.assertNotIn("-", file.read())

    def test_a_new_user_can_go_on_to_pca(self):
        for ending in ("csv", "npy"):
            out, bounds = self.path("s." + ending), self.path(f"b-{ending}.csv")
            self.succeed("generate", "survey", "--kind", "mixed", "--rows", 3000, "--out", out,
                         "--bounds-out", bounds)
            release = self.path("out-" + ending)
            self.succeed("pca", out, "-k", 2, "--mu", 1, "--bounds", bounds, "--out", release)
            self.assertEqual(read_json(os.path.join(release, "release.json"))["task"], "pca")

    def test_questions_are_the_default(self):
        self.succeed("generate", "survey", "--rows", 40, "--out", self.path("s.csv"))
        names, rows = read_csv(self.path("s.csv"))
        self.assertEqual(names, [f"question_{j}" for j in range(1, 13)])
        self.assertTrue(all(0 <= v <= 10 and v == int(v) for row in rows for v in row))


if __name__ == "__main__":
    unittest.main()

"""What is published without noise, the shape and under replace-one the number of rows, does not depend on a row."""

import json
import struct
import unittest

from support import CliTest, npy_bytes

RANGE = ("--range", "0:10")
TOTAL = ("--header", "absent", "--bad-cell", "midpoint")


class Shape(CliTest):

    def release(self, text, *flags, name="t.csv"):
        return json.loads(self.succeed("covariance", self.write(name, text), *RANGE, "--mu", 1,
                                       "--json", *flags))

    def test_the_first_row_does_not_say_how_many_columns_there_are(self):
        tables = ("1,2\n3,4\n5,6\n", "1\n3,4\n5,6\n", "\n3,4\n5,6\n", "1,2,9\n3,4\n5,6\n", "")
        bounds = self.write("b.csv", "column,low,high\nc1,0,10\nc2,0,10\n")
        refusals = set()
        for text in tables:
            for width in (("--width", 2), ("--columns", "c1,c2")):
                found = self.release(text, *TOTAL, *width)
                self.assertEqual(found["parameters"]["columns"], ["c1", "c2"], repr(text))
            found = json.loads(self.succeed("pca", "t.csv", "--bounds", bounds, "--mu", 1, "--json",
                                            *TOTAL))
            self.assertEqual(found["parameters"]["columns"], ["c1", "c2"], repr(text))
            refusals.add(self.refuse("covariance", "t.csv", *RANGE, "--mu", 1, *TOTAL))
        self.assertEqual(len(refusals), 1, refusals)
        self.assertIn("--width P", refusals.pop())

    def test_the_number_of_rows_is_that_of_the_lines(self):
        public = ("--neighbours", "replace-one")
        for text in ("5\n3\n7\n", "\n3\n7\n", "5\n\n7\n", "5\n3\n\n", "NA\n3\n7\n"):
            for flags in (("--header", "absent"), (*TOTAL, "--width", 1)):
                self.assertEqual(self.release(text, *public, *flags)["result"]["rows"], 3,
                                 repr(text))
        for text in ("1,2\n3,4\n5,6\n", "1,2\n3\n5,6\n", "1,2\n\n5,6\n", "1,2\nx,4,5\n5,6\n"):
            found = self.release(text, *public, *TOTAL, "--width", 2)
            self.assertEqual(found["result"]["rows"], 3, repr(text))
        self.assertIn("line 2 is empty", self.refuse(
            "covariance", self.write("t.csv", "1,2\n\n5,6\n"), *RANGE, "--mu", 1, *public))

    def test_a_table_without_rows_gives_a_release_in_every_format(self):
        empty = {"t.csv": ("", ("--header", "absent", "--width", 2)),
                 "h.csv": ("a,b\n", ()),
                 "t.tsv": ("a\tb\n", (*TOTAL[2:], "--header", "present")),
                 "t.npy": (npy_bytes([[0.0, 0.0]])[:-16].replace(b"(1, 2)", b"(0, 2)"), ()),
                 "t.idx": (struct.pack(">HBBII", 0, 8, 2, 0, 2), ())}
        for name, (content, flags) in empty.items():
            found = self.release(content, *flags, name=name)
            self.assertEqual(len(found["parameters"]["columns"]), 2, name)
        self.write("t.bed", b"\x6c\x1b\x01")
        self.write("t.bim", "1 a 0 1 A C\n1 b 0 2 A C\n")
        self.write("t.fam", "")
        self.succeed("pca", "t.bed", "--range", "0:2", "--mu", 1)
        self.write("e.csv", "a,b\n")
        self.succeed("gram", "partial", "e.csv", *RANGE, "--out", "e.gram")
        self.succeed("gram", "partial", self.write("o.csv", "a,b\n1,2\n"), *RANGE, "--out", "o.gram")
        self.succeed("gram", "merge", "e.gram", "o.gram", "--out", "both.gram")
        for gram in ("e.gram", "both.gram"):
            self.succeed("covariance", gram, "--mu", 1)

    def test_a_table_without_rows_gives_a_release_by_every_method(self):
        self.write("e.csv", "a,b,c\n")
        self.write("o.csv", "a,b,c\n1,2,3\n")
        runs = (("pca", "--epsilon", 1), ("pca", "-k", 2, "--epsilon", 1, "--method", "orbit"),
                ("pca", "--epsilon", 1, "--method", "exponential"), ("lowrank", "--epsilon", 1, "--method", "orbit"),
                ("pca", "--epsilon", 1, "--method", "laplace"), ("covariance", "--epsilon", 1),
                ("pca", "--rho", 0.5, "--center", "private"), ("lowrank", "--epsilon", 1),
                ("covariance", "--epsilon", 1, "--method", "orbit"),
                ("pca", "--mu", 1, "--method", "sharp"))
        for task, *flags in runs:
            for name in ("e.csv", "o.csv"):
                self.succeed(task, name, *RANGE, *flags)

    def test_every_line_of_fam_is_a_person(self):
        self.write("t.bed", b"\x6c\x1b\x01\x02")
        self.write("t.bim", "1 a 0 1 A C\n")
        for fam in ("f p 0 0 1 1\n\nf q 0 0 1 1\n", "f p 0 0 1 1\nf q 0 0 1 1\n\n"):
            self.write("t.fam", fam)
            self.assertIn("six fields", self.refuse("pca", "t.bed", "--range", "0:2", "--mu", 1))

    def test_width_is_for_tables_without_names(self):
        self.write("t.npy", npy_bytes([[1.0, 2.0]]))
        self.assertIn("--width", self.refuse("pca", "t.npy", *RANGE, "--mu", 1, "--width", 2))
        self.write("t.csv", "a,b\n1,2\n")
        self.assertIn("--header absent", self.refuse("pca", "t.csv", *RANGE, "--mu", 1, "--width", 2))


class MissingCells(CliTest):

    def test_the_line_depends_on_the_option_alone(self):
        lines = "1,2\n3,4\n5,6\n" * 1000  # enough rows for means to show above the noise
        whole = self.write("w.csv", "a,b\n" + lines)
        holes = self.write("h.csv", "a,b\n1,\n" + lines[4:])
        said = []
        for table in (whole, holes):
            text = self.succeed("covariance", table, *RANGE, "--mu", 1, "--out",
                                self.path(table + ".out"))
            line, = (line for line in text.splitlines() if line.startswith("  missing "))
            said.append(line)
            for part in (("moments",), ("pca",), ("regress", "--response", "a", "--predictors", "b")):
                self.assertIn("missing cells: any that are missing count as the public midpoint",
                              self.succeed("analyse", part[0], table + ".out", *part[1:]))
        self.assertEqual(said[0], said[1])
        self.assertIn("pulled towards it", said[0])
        found = json.loads(self.succeed("covariance", whole, *RANGE, "--mu", 1, "--center",
                                        "private", "--json"))
        self.assertIn("means are pulled towards it", found["parameters"]["missing_cells"])
        self.succeed("covariance", whole, *RANGE, "--mu", 1, "--missing", "refuse", "--out", "r")
        self.assertIn("missing cells: refused", self.succeed("analyse", "moments", "r"))

    def test_subspace_says_what_it_does(self):
        self.assertIn("zero row", " ".join(self.succeed("subspace", "--help-all").split()))


if __name__ == "__main__":
    unittest.main()

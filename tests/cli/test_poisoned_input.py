"""Values of private rows never reach the terminal or a release; bad files give one sentence."""

import os
import random
import re
import struct
import unittest

from support import CliTest, csv_text, files_of, gzip_bytes, npy_bytes

NAMES = ["alpha", "beta", "gamma"]
# Long enough that noise spells one of them with probability below 1e-9 over all runs of this file.
POISON = ["731.77131942", "-48.211094673", "6.02214086731e2"]
RANGE = ("--range", "-1000:1000")


def poisoned_rows(count):
    return [[float(POISON[(i + j) % 3]) for j in range(3)] for i in range(count)]


def poisoned_csv(count):
    lines = (",".join(POISON[(i + j) % 3] for j in range(3)) for i in range(count))
    return ",".join(NAMES) + "\n" + "".join(line + "\n" for line in lines)


class Leaks(CliTest):
    COUNT = 4821

    def scan(self, text):
        """What of the poison a text contains: cells as written, as doubles, and the row count."""
        if isinstance(text, str):
            text = text.encode()
        found = []
        for cell in POISON:
            value = float(cell)
            forms = {cell, repr(value), cell.lstrip("-"), cell.replace(".", "").lstrip("-"),
                     "%.8g" % abs(value)}
            found += [form for form in forms if form.encode() in text]
            found += [cell for layout in ("<d", ">d") if struct.pack(layout, value) in text]
        number = rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
        found += ["row count" for token in re.findall(number, text) if float(token) == self.COUNT]
        return found

    def test_the_scan_finds_what_it_looks_for(self):
        for leak in ("x 731.77131942,", "602.214086731", "about 4821 rows", "n=4821.0", "4.821e3"):
            self.assertTrue(self.scan(leak), leak)
        self.assertTrue(self.scan(b"\0" + struct.pack("<d", -48.211094673)))
        self.assertFalse(self.scan("48210 14821 482.1 731.77"))

    def test_nothing_of_the_rows_is_published(self):
        source = self.write("t.csv", poisoned_csv(self.COUNT))
        arrays = self.write("t.npy", npy_bytes(poisoned_rows(self.COUNT)))
        # Noise of 10^9 rows: that a noisy count prints as 4821 has probability below 1e-9.
        for i, flags in enumerate((
                (source, "--mu", 1e-9), (source, "--mu", 1e-9, "--center", "none"),
                (arrays, "--mu", 1e-9, "--format", "npy"), (source, "--epsilon", 1e-8,
                                                            "--method", "laplace"))):
            for task in ("pca", "covariance"):
                out = self.path(f"{task}{i}")
                printed = self.succeed(task, *flags, *RANGE, "--anyway", "--out", out)
                printed += self.succeed(task, *flags, *RANGE, "--anyway", "--json")
                for content in [printed, *files_of(out).values()]:
                    self.assertEqual(self.scan(content), [])

    def test_no_exact_statistic_is_published(self):
        """Seeded, so that the comparison with sums and means is the same in every run."""
        rows = poisoned_rows(self.COUNT)
        exact = []
        for j in range(3):
            column = [row[j] for row in rows]
            exact += [sum(column), sum(column) / len(column), min(column), max(column),
                      sum(v * v for v in column), sum(v * v for v in column) / len(column)]
        exact += [sum(r[i] * r[j] for r in rows) for i in range(3) for j in range(i)]
        source = self.write("t.csv", poisoned_csv(self.COUNT))
        self.succeed("covariance", source, *RANGE, "--mu", 0.5, "--seed", 1, "--center", "private",
                     "--out", self.path("o"))
        for content in files_of(self.path("o")).values():
            for token in re.findall(rb"-?\d+\.\d+(?:e[+-]?\d+)?", content):
                for value in exact:
                    self.assertGreater(abs(float(token) - value), 1e-6 * abs(value))

    def test_the_curators_messages_hold_no_cell(self):
        good = poisoned_csv(60)
        lines = good.splitlines(keepends=True)
        bad = {
            "ragged": "".join(lines[:30]) + "731.77131942,1\n" + "".join(lines[30:]),
            "text": good.replace("-48.211094673", "731.77131942x", 1),
            "quote": good.replace("-48.211094673", '"731.77131942', 1),
            "after quote": good.replace("-48.211094673", '"1"731.77131942', 1),
            "infinite": good.replace("731.77131942", "inf", 1),
            "no names": "731.77131942,x731.77131942\n",
            "twice": "731.77131942x,731.77131942x\n1,2\n",
        }
        for name, text in bad.items():
            with self.subTest(name):
                message = self.refuse("pca", self.write("t.csv", text), *RANGE, "--mu", 1, "--out",
                                      self.path("out"))
                if name != "twice":  # a header is public: names may be said
                    self.assertEqual(self.scan(message), [], message)
        self.assertFalse(os.path.exists(self.path("out")))

    def test_bad_cell_midpoint_makes_the_run_total(self):
        text = poisoned_csv(60).replace("-48.211094673", "what", 1).replace("731.7", "nan731.7", 1)
        self.succeed("pca", self.write("t.csv", text), *RANGE, "--mu", 1, "--bad-cell", "midpoint", "--header", "present")


class BadFiles(CliTest):

    def setUp(self):
        super().setUp()
        self.good = csv_text(NAMES, [[i * 0.25, 1.0 - i, 7319.0 + i] for i in range(40)])
        self.out = self.path("out")
        source = self.write("good.csv", self.good)
        self.succeed("covariance", source, *RANGE, "--mu", 1, "--out", self.out)
        self.before = files_of(self.out)
        self.known = set(os.listdir(self.folder))

    def untouched(self, *inputs):
        """The release made before is as it was and nothing else was left behind."""
        self.assertEqual(files_of(self.out), self.before)
        left = set(os.listdir(self.folder)) - self.known - set(inputs)
        self.assertEqual(left, set())

    def refused(self, name, content, code=2, out=None):
        self.write(name, content)
        text = self.refuse("covariance", name, *RANGE, "--mu", 1, "--out", out or self.out,
                           code=code)
        self.untouched(name)
        os.remove(self.path(name))
        return text

    def test_kinds_of_bad_files(self):
        draw = random.Random(41)
        noise = bytes(draw.randrange(256) for _ in range(4000))
        array = npy_bytes([[0.5, 1.0]] * 50)
        packed = gzip_bytes(self.good)
        kinds = [
            ("noise.csv", noise), ("noise.tsv", noise), ("noise.csv.gz", noise),
            ("noise.npy", noise), ("empty.csv", b""), ("empty.csv.gz", b""), ("empty.npy", b""),
            ("zero.csv", b"\0" * 1000), ("cut.csv.gz", packed[:-9]), ("cut2.csv.gz", packed[:20]),
            ("crc.csv.gz", packed[:-8] + b"\0" * 8), ("cut.npy", array[:-1]),
            ("head.npy", array[:40]), ("magic.npy", b"\x93NUMPX" + array[6:]),
            ("version.npy", array[:6] + b"\x09\0" + array[8:]),
            ("dtype.npy", array.replace(b"<f8", b"|O8")),
            ("shape.npy", array.replace(b"(50, 2)", b"(99, 9)")),
            ("ragged.csv", self.good + "1,2\n"), ("wide.csv", self.good + "1,2,3,4\n"),
            ("text.csv", self.good + "1,two,3\n"), ("inf.csv", self.good + "1,inf,3\n"),
            ("huge.csv", self.good + "1,1e999,3\n"), ("open.csv", self.good + '1,"2,3\n'),
            ("names.csv", "a,a,b\n1,2,3\n"), ("table.xlsx", noise), ("table", self.good),
        ]
        for name, content in kinds:
            with self.subTest(name):
                self.refused(name, content)

    def test_missing_cells_can_be_refused(self):
        self.write("na.csv", self.good + "1,NA,3\n1,,nan\n")
        self.succeed("covariance", "na.csv", *RANGE, "--mu", 1)
        self.refuse("covariance", "na.csv", *RANGE, "--mu", 1, "--missing", "refuse")

    def test_files_that_cannot_be_read(self):
        os.mkdir(self.path("folder.csv"))
        self.known.add("folder.csv")
        for name in ("missing.csv", "missing.npy", "missing.gram", "folder.csv"):
            with self.subTest(name):
                bound = () if name.endswith("gram") else RANGE
                self.refuse("pca", name, *bound, "--mu", 1, "--out", self.out, code=1)
                self.untouched()

    def test_a_failed_run_leaves_no_new_directory(self):
        self.refused("bad.csv", self.good + "1,two,3\n", out=self.path("new", "nested", "out"))

    def test_random_corruptions(self):
        """Fixed seed: each either still is a table, or gives one sentence and changes nothing."""
        draw = random.Random(42)
        sources = [("f.csv", self.good.encode()), ("f.tsv", self.good.replace(",", "\t").encode()),
                   ("f.csv.gz", gzip_bytes(self.good)),
                   ("f.npy", npy_bytes([[i * 0.25, 1.0 - i] for i in range(40)]))]
        refused = 0
        for i in range(240):
            name, content = sources[i % len(sources)]
            wrong = corrupted(draw, content)
            self.write(name, wrong)
            code, out, err = self.run_program("covariance", name, *RANGE, "--mu", 1, "--out",
                                              self.out)
            if code == 0:
                self.assertEqual(err, "")
                self.succeed("explain", self.out)
                self.before = files_of(self.out)
            else:
                refused += 1
                self.assertEqual(out, "")
                self.assert_one_sentence(err)
                self.assertNotRegex(err, r"73[0-9]{2}\.")  # the third column, digit for digit
            self.untouched(name)
            os.remove(self.path(name))
        self.assertGreater(refused, 100, "most corruptions must be noticed")


def corrupted(draw, content):
    data = bytearray(content)
    kind = draw.randrange(5)
    place = draw.randrange(len(data))
    if kind == 0:
        data = data[:place]
    elif kind == 1:
        for _ in range(draw.randrange(1, 9)):
            data[draw.randrange(len(data))] = draw.randrange(256)
    elif kind == 2:
        data[place:place] = bytes(draw.randrange(256) for _ in range(draw.randrange(1, 40)))
    elif kind == 3:
        del data[place:place + draw.randrange(1, 30)]
    else:
        other = draw.randrange(len(data))
        data[place:place] = data[other:other + draw.randrange(1, 60)]
    return bytes(data)


if __name__ == "__main__":
    unittest.main()

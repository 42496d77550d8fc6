"""Released numbers against the exact ones, for every kind of input and option."""

import math
import random
import unittest

from support import (DEVIATIONS, CliTest, csv_text, gzip_bytes, npy_bytes, products, read_json,
                     read_table)

NAMES = ["age", "income", "height"]
# Multiples of 1/16 in -8..8 lie exactly on the default grid of 2^18 steps: no rounding, so noise is
# the only difference between a release and the exact moments.
RANGE = ("--range", "-8:8")
LARGE = ("--mu", "10000", "--seed", "7")
PLAIN = (*LARGE, "--center", "none")  # about the midpoint: sums of products alone


def table(seed, count=120, p=3):
    draw = random.Random(seed)
    return [[draw.randrange(-128, 129) / 16 for _ in range(p)] for _ in range(count)]


class Released:
    """A release with the standard deviations it states, in the units of the columns."""

    def __init__(self, folder, name="covariance_raw"):
        self.document = read_json(f"{folder}/release.NOT-PRIVATE.json")
        self.result = self.document["result"]
        self.parameters = self.document["parameters"]
        self.names, _, self.values = read_table(f"{folder}/{name}.NOT-PRIVATE.csv")
        self.count = self.result.get("noisy_rows", self.result.get("rows"))

    def sd(self, i, j):
        kind = "diagonal" if i == j else "off_diagonal"
        return self.parameters["noise_sd_" + kind]

    def sum_sd(self):
        """Noise of a column sum in scaled units: the extended row (t, x) has t^2 = D / sd(count)."""
        unit = self.parameters["grid_unit"]
        t = math.sqrt(self.sd(0, 0) / unit**2 / self.result["noisy_rows_sd"])
        return self.sd(0, 1) / unit / t


class Releases(CliTest):

    def check_covariance(self, folder, rows, widths=None, middle=None, mean=None):
        """Every released product is within the stated noise of the exact one."""
        p = len(rows[0])
        widths = widths or [8.0] * p
        release = Released(folder)
        exact = products(rows, middle)
        if "noisy_rows_sd" in release.result:
            self.assertLess(abs(release.count - len(rows)),
                            DEVIATIONS * release.result["noisy_rows_sd"])
        else:
            self.assertEqual(release.count, len(rows))
        for i in range(p):
            for j in range(p):
                released = release.values[i][j] + (mean[i] * mean[j] if mean else 0.0)
                noise = DEVIATIONS * release.sd(i, j) * widths[i] * widths[j]
                rounding = 1e-12 * len(rows) * widths[i] * widths[j]
                self.assertLess(abs(released * release.count - exact[i][j]), noise + rounding,
                                f"entry {i},{j}")
                # The bound is worth something: a percent of a typical product.
                self.assertLess(noise, 0.01 * len(rows) * widths[i] * widths[j])
        return release

    def test_every_format_gives_the_exact_moments(self):
        rows = table(1)
        inputs = {
            "t.csv": csv_text(NAMES, rows).encode(),
            "t.tsv": csv_text(NAMES, rows, "\t").encode(),
            "t.csv.gz": gzip_bytes(csv_text(NAMES, rows)),
            "t.tsv.gz": gzip_bytes(csv_text(NAMES, rows, "\t")),
            "c.npy": npy_bytes(rows),
            "f.npy": npy_bytes(rows, fortran=True),
        }
        arrays = []
        for name, content in inputs.items():
            with self.subTest(name):
                out = self.path(name + "-out")
                self.succeed("covariance", self.write(name, content), *RANGE, *PLAIN, "--out", out)
                arrays.append(self.check_covariance(out, rows).values)
        self.succeed("covariance", "-", *RANGE, *PLAIN, "--out", self.path("stdin"),
                     stdin=inputs["t.csv"])
        arrays.append(self.check_covariance(self.path("stdin"), rows).values)
        self.assertTrue(all(values == arrays[0] for values in arrays), "same rows, seed and noise")

    def test_the_check_notices_one_row_more(self):
        rows = table(2)
        source = self.write("t.csv", csv_text(NAMES, rows))
        self.succeed("covariance", source, *RANGE, *PLAIN, "--out", self.path("out"))
        with self.assertRaises(AssertionError):
            self.check_covariance(self.path("out"), rows + [[0.0, 0.0, 0.0]])
        with self.assertRaises(AssertionError):
            self.check_covariance(self.path("out"), rows[:-1] + [[8.0, 8.0, 8.0]])

    def test_bounds_file_gives_original_units(self):
        draw = random.Random(3)
        low, high = [0.0, 100.0, -2.0], [16.0, 164.0, 2.0]
        rows = [[l + (h - l) * draw.randrange(0, 257) / 256 for l, h in zip(low, high)]
                for _ in range(150)]
        lines = "".join(f"{n},{l},{h}\n" for n, l, h in zip(NAMES, low, high))
        bounds = self.write("bounds.csv", "column,low,high\n" + lines)
        source = self.write("t.csv", csv_text(NAMES, rows))
        widths = [(h - l) / 2 for l, h in zip(low, high)]
        middle = [(h + l) / 2 for l, h in zip(low, high)]
        self.succeed("covariance", source, "--bounds", bounds, *PLAIN, "--out", self.path("o"))
        self.check_covariance(self.path("o"), rows, widths, middle)
        self.succeed("covariance", source, "--bounds", bounds, "--standardize", *PLAIN, "--out",
                     self.path("s"))
        scaled = [[(v - m) / w for v, m, w in zip(r, middle, widths)] for r in rows]
        release = self.check_covariance(self.path("s"), scaled, [1.0] * 3)
        self.assertIn("[-1, 1]", release.parameters["units"])

    def test_private_mean(self):
        rows = table(4)
        source = self.write("t.csv", csv_text(NAMES, rows))
        self.succeed("covariance", source, *RANGE, *LARGE, "--center", "private", "--out",
                     self.path("o"))
        mean = read_json(self.path("o", "release.NOT-PRIVATE.json"))["result"]["noisy_mean"]
        release = self.check_covariance(self.path("o"), rows, mean=mean)
        for j, value in enumerate(mean):
            exact = sum(r[j] for r in rows)
            self.assertLess(abs(value * release.count - exact),
                            DEVIATIONS * release.sum_sd() * 8.0 + 1e-9)

    def test_public_center(self):
        rows = table(5)
        center = [1.0, -0.5, 2.0]
        lines = "".join(f"{n},{c}\n" for n, c in zip(NAMES, center))
        file = self.write("center.csv", "column,value\n" + lines)
        source = self.write("t.csv", csv_text(NAMES, rows))
        self.succeed("covariance", source, "--row-norm", 64, "--center", "public", file, *LARGE,
                     "--out", self.path("n"))
        # Norm 64 in 2^18 steps: sixteenths are on the grid, and no row is longer.
        release = Released(self.path("n"))
        exact = products(rows, center)
        for i in range(3):
            for j in range(3):
                self.assertLess(abs(release.values[i][j] * release.count - exact[i][j]),
                                DEVIATIONS * release.sd(i, j))
        self.succeed("covariance", source, *RANGE, "--center", "public", file, *LARGE, "--out",
                     self.path("r"))
        # The range is widened to be symmetric about the centre; a step of the wider grid is lost.
        widths = [9.0, 8.5, 10.0]
        release = Released(self.path("r"))
        self.assertEqual(release.parameters["range_high"], [10.0, 8.0, 12.0])
        for i in range(3):
            for j in range(3):
                lost = len(rows) * 2 * widths[i] * widths[j] / 262144
                self.assertLess(abs(release.values[i][j] * release.count - exact[i][j]),
                                DEVIATIONS * release.sd(i, j) * widths[i] * widths[j] + lost)

    def test_row_norm_clips_long_rows(self):
        source = self.write("t.csv", "a,b\n" + "30,40\n" * 50)
        self.succeed("covariance", source, "--row-norm", 1, *PLAIN, "--out", self.path("o"))
        release = Released(self.path("o"))
        for i, j, exact in ((0, 0, 0.36), (0, 1, 0.48), (1, 1, 0.64)):
            lost = 50 * 2 * 2 / 262144
            self.assertLess(abs(release.values[i][j] * release.count - 50 * exact),
                            DEVIATIONS * release.sd(i, j) + lost)

    def test_columns_are_selected_in_the_order_asked(self):
        rows = table(6)
        wanted = [[r[2], r[0]] for r in rows]
        listed = self.write("names.txt", "height\r\nage\n")
        for name, content in (("t.csv", csv_text(NAMES, rows)), ("t.npy", npy_bytes(rows))):
            names = "height,age" if name == "t.csv" else "c3,c1"
            out = self.path(name + "-out")
            source = self.write(name, content)
            self.succeed("covariance", source, *RANGE, *PLAIN, "--columns", names, "--out", out)
            release = self.check_covariance(out, wanted)
            self.assertEqual(",".join(release.names), names)
        self.succeed("covariance", self.path("t.csv"), *RANGE, *LARGE, "--columns", "@" + listed,
                     "--out", self.path("at"))
        self.assertEqual(Released(self.path("at")).names, ["height", "age"])

    def test_group_size_scales_the_noise(self):
        source = self.write("t.csv", csv_text(NAMES, table(7)))
        for size in (1, 5):
            out = self.succeed("covariance", source, *RANGE, "--mu", 1, "--seed", 1,
                               "--group-size", size, "--out", self.path(f"g{size}"))
            self.assertIn("one row" if size == 1 else "up to 5 rows", out)
        one, five = Released(self.path("g1")), Released(self.path("g5"))
        self.assertAlmostEqual(five.sd(0, 0) / one.sd(0, 0), 5.0, places=9)
        self.assertEqual(five.document["guarantee"]["group_size"], 5)

    def test_row_count_is_exact_where_it_is_public(self):
        rows = table(8, count=137)
        source = self.write("t.csv", csv_text(NAMES, rows))
        for relation in ("replace-one", "zero-row"):
            out = self.succeed("covariance", source, *RANGE, *PLAIN, "--neighbours", relation,
                               "--out", self.path(relation))
            self.assertRegex(out, r"rows +137 \(exact")
            release = self.check_covariance(self.path(relation), rows)
            self.assertNotIn("noisy_rows", release.result)
            self.assertIn("the number of rows", release.document["not_protected"])
        self.assertAlmostEqual(
            Released(self.path("replace-one")).sd(0, 0) / Released(self.path("zero-row")).sd(0, 0),
            math.sqrt(2.0 * len(NAMES) / (len(NAMES) + 1)), places=9)

    def test_empty_table_is_a_release_like_any_other(self):
        source = self.write("t.csv", "a,b\n")
        out = self.succeed("pca", source, *RANGE, "--mu", 1, "--seed", 3, "--out", self.path("o"))
        self.assertIn("wrote", out)
        self.assertIn("noisy_rows", read_json(self.path("o", "release.NOT-PRIVATE.json"))["result"])


class Components(CliTest):

    def eigen_residuals(self, rows, folder):
        """|A v - lambda v| for the exact matrix A, against the norm of the stated noise."""
        release = Released(folder, "loadings")
        n, p = len(rows), len(rows[0])
        exact = products(rows)
        variance = release.result["noisy_explained_variance"]
        noise = 64.0 * DEVIATIONS * p * max(release.sd(0, 0), release.sd(0, 1)) / n
        trace = sum(exact[i][i] for i in range(p)) / n
        count = DEVIATIONS * release.result["noisy_rows_sd"] / n * trace * 2
        for c, value in enumerate(variance):
            v = [line[c] for line in release.values]
            residual = [sum(exact[i][j] / n * v[j] for j in range(p)) - value * v[i]
                        for i in range(p)]
            self.assertLess(math.hypot(*residual), noise + count + 1e-10 * trace)
            self.assertGreater(max(v, key=abs), 0.0, "signs are fixed from the loadings")
        self.assertEqual(variance, sorted(variance, reverse=True))
        for a in range(len(variance)):
            for b in range(a + 1):
                dot = sum(line[a] * line[b] for line in release.values)
                self.assertAlmostEqual(dot, 1.0 if a == b else 0.0, places=12)
        return release

    def test_all_components_and_some(self):
        draw = random.Random(11)
        rows = []
        for _ in range(200):
            x = draw.randrange(-100, 101) / 16
            rows.append([x, x / 2, draw.randrange(-16, 17) / 16, draw.randrange(-4, 5) / 16])
        source = self.write("t.csv", csv_text(["a", "b", "c", "d"], rows))
        self.succeed("pca", source, "-k", 4, *RANGE, *PLAIN, "--out", self.path("all"))
        every = self.eigen_residuals(rows, self.path("all"))
        shares, below = every.result["noisy_explained_share"], every.result["below_noise"]
        self.assertEqual([share is None for share in shares], [f"PC{j + 1}" in below for j in range(4)])
        self.assertLessEqual(sum(share for share in shares if share is not None), 1.0 + 1e-12)
        self.succeed("pca", source, "-k", 2, *RANGE, *PLAIN, "--out", self.path("some"))
        some = self.eigen_residuals(rows, self.path("some"))
        # Each set is checked against the table above; between the two only the last digits may differ.
        for line, few in zip(every.values, some.values):
            for a, b in zip(line[:2], few):
                self.assertAlmostEqual(a, b, places=12)

    def test_one_column(self):
        rows = [[v / 16] for v in range(-100, 101)]
        source = self.write("t.csv", csv_text(["only"], rows))
        out = self.succeed("pca", source, "-k", 1, *RANGE, *PLAIN, "--out", self.path("o"))
        self.assertIn("(1 column,", out)
        release = self.eigen_residuals(rows, self.path("o"))
        self.assertEqual(release.values, [[1.0]])

    def test_npy_arrays_hold_the_same_numbers(self):
        import struct
        source = self.write("t.csv", csv_text(NAMES, table(12)))
        for form in ("csv", "npy"):
            self.succeed("pca", source, "-k", 2, *RANGE, *LARGE, "--format", form, "--out",
                         self.path(form))
        _, _, values = read_table(self.path("csv", "loadings.NOT-PRIVATE.csv"))
        with open(self.path("npy", "loadings.NOT-PRIVATE.npy"), "rb") as file:
            content = file.read()
        size = struct.unpack("<H", content[8:10])[0]
        header = eval(content[10:10 + size].decode(), {"__builtins__": {}}, {})  # a literal dict
        self.assertEqual(header, {"descr": "<f8", "fortran_order": True, "shape": (3, 2)})
        numbers = struct.unpack("<6d", content[10 + size:])
        self.assertEqual([values[i % 3][i // 3] for i in range(6)], list(numbers))


if __name__ == "__main__":
    unittest.main()

"""Method orbit from the outside: defaults, what is released, complex rows, samples, refusals."""

import json
import os
import struct
import unittest

from support import CliTest, csv_text, read_json, read_table


def table(rows=400):
    """Rows of norm at most 1 with a strong first direction and a second one."""
    return [[0.8 * (-1) ** i, 0.3 * (-1) ** (i // 2), 0.1, 0.05 * (i % 3)] for i in range(rows)]


def complex_npy(rows):
    header = "{'descr': '<c16', 'fortran_order': False, 'shape': (%d, %d), }" % (
        len(rows), len(rows[0]))
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    parts = [part for row in rows for cell in row for part in (cell.real, cell.imag)]
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
            struct.pack("<%dd" % len(parts), *parts))

ORBIT = ("--method", "orbit")


class Orbit(CliTest):
    def setUp(self):
        super().setUp()
        self.csv = self.write("t.csv", csv_text(["a", "b", "c", "d"], table()))

    def release(self, *arguments):
        self.succeed(*arguments, "--out", self.path("out"))
        name = [n for n in os.listdir(self.path("out")) if n.startswith("release")][0]
        return read_json(self.path("out", name))

    def test_two_pure_components_are_drawn_on_an_orbit(self):
        document = self.release("pca", self.csv, "-k", 2, "--epsilon", 1, "--row-norm", 1, *ORBIT)
        self.assertEqual(document["method"], "orbit")
        self.assertEqual(document["guarantee"]["basis"], "proved-real-arithmetic")
        self.assertTrue(any("idealised real arithmetic" in line
                            for line in document["guarantee"]["assumptions"]))
        self.assertNotIn("rows", document["result"])  # add-remove: the count is noisy
        _, _, loadings = read_table(self.path("out", "loadings.csv"))
        for i in range(2):
            for j in range(2):
                dot = sum(row[i] * row[j] for row in loadings)
                self.assertAlmostEqual(dot, float(i == j), places=6)
        spent = (document["parameters"]["direction_epsilon_per_row"] +
                 document["parameters"]["variance_epsilon_per_row"])
        self.assertLessEqual(spent, 1.0)

    def test_rank_and_spectrum_of_lowrank(self):
        document = self.release("lowrank", self.csv, "-k", 1, "--epsilon", 2, "--row-norm", 1,
                                "--neighbours", "replace-one", *ORBIT)
        self.assertEqual((document["method"], document["result"]["rows"]), ("orbit", 400))
        _, _, matrix = read_table(self.path("out", "lowrank.csv"))
        minor = matrix[0][0] * matrix[1][1] - matrix[0][1] * matrix[1][0]
        self.assertLess(abs(minor), 1e-9)  # rank one

    def test_a_prescribed_spectrum_is_kept(self):
        target = self.write("l.txt", "3\n1\n1\n")
        document = self.release("lowrank", self.csv, "--target-spectrum", target, "--epsilon", 1,
                                "--row-norm", 1, "--hermitian")
        self.assertEqual(document["parameters"]["target_spectrum"], [3, 1, 1])
        _, _, real = read_table(self.path("out", "hermitian_real.csv"))
        _, _, imaginary = read_table(self.path("out", "hermitian_imaginary.csv"))
        trace = sum(real[i][i] for i in range(4))
        squares = sum(x * x for part in (real, imaginary) for row in part for x in row)
        self.assertAlmostEqual(trace, 5.0, places=8)
        # |tr H^2 - 11| <= 2 |H|_F (half a step on 32 numbers, two on the diagonal): below 1e-6.
        self.assertAlmostEqual(squares, 11.0, places=5)
        # The real matrix has them too: tr A, tr A^2 and tr A^3, and rank 3 of 4.
        _, _, matrix = read_table(self.path("out", "lowrank.csv"))
        times = lambda a, b: [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)]
                              for row in a]
        power = matrix
        for expected in (5.0, 11.0, 29.0, 83.0):
            self.assertAlmostEqual(sum(power[i][i] for i in range(4)), expected, places=6)
            power = times(power, matrix)

    def test_the_rank_of_a_prescribed_spectrum_is_that_of_the_file(self):
        target = self.write("l.txt", "3\n1\n1\n")
        common = ("--target-spectrum", target, "--epsilon", 1, "--row-norm", 1)
        self.assertIn("disagree", self.refuse("lowrank", self.csv, "-k", 2, *common))
        self.assertIn("disagree", self.refuse(
            "plan", "lowrank", "--rows", 10, "--dimension", 4, "-k", 2, *common))
        self.release("lowrank", self.csv, "-k", 3, *common)

    def test_noise_on_entries_is_the_other_pure_method_and_plans_compare(self):
        document = self.release("lowrank", self.csv, "-k", 1, "--epsilon", 1, "--row-norm", 1)
        self.assertEqual((document["method"], document["guarantee"]["loss"]["kind"],
                          document["guarantee"]["basis"]), ("wishart", "pure", "proved"))
        size = ("plan", "lowrank", "-k", 1, "--epsilon", 1, "--row-norm", 1, "--json", *ORBIT)
        # Few columns, many rows: entries. Many columns, few rows: no table could reach the crossing.
        spectrum = self.write("g.txt", "0.5\n0.1\n0.1\n0.1\n")
        few = self.json_of(*size, "--rows", 100000, "--dimension", 4, "--spectrum", spectrum)
        self.assertEqual(few["recommended_method"], "wishart")
        self.assertLess(few["predicted_error_f2_noise"], few["predicted_error_f2"])
        many = self.json_of(*size, "--rows", 100, "--dimension", 200)
        self.assertEqual(many["recommended_method"], "orbit")
        self.assertGreater(many["noise_smaller_above_eigenvalue"],
                           many["largest_possible_eigenvalue"])
        # Other budgets have another default, whose own plan has the same error.
        for budget in (("--mu", 0.5), ("--rho", 0.125), ("--epsilon", 1, "--delta", 1e-6)):
            table = ("--rows", 100000, "--dimension", 4, "-k", 1, "--row-norm", 1, "--center", "none",
                     "--spectrum", spectrum, "--json", *budget)
            drawn = self.json_of("plan", "lowrank", *table, "--method", "orbit")
            noise = self.json_of("plan", "lowrank", *table)
            self.assertEqual((noise["method"], drawn["noise_method"], drawn["recommended_method"]), ("gauss",) * 3)
            self.assertEqual(drawn["predicted_error_f2_noise"], noise["predicted_error_f2"])

    def test_covariance_and_other_budgets(self):
        self.assertIn("k = 4, method orbit", self.succeed(
            "covariance", self.csv, "--method", "orbit", "--epsilon", 1, "--row-norm", 1))
        self.assertIn("method gauss", self.succeed(
            "lowrank", self.csv, "-k", 2, "--epsilon", 1, "--delta", 1e-6, "--row-norm", 1))

    def test_complex_rows(self):
        rows = [[complex(0.6, 0.0), complex(0.0, 0.8)]] * 300
        path = self.write("z.npy", complex_npy(rows))
        self.release("lowrank", path, "-k", 1, "--epsilon", 20, "--row-norm", 1,
                     "--complex-rows", "--neighbours", "replace-one", "--seed", 1)
        names, _, imaginary = read_table(self.path("out", "hermitian_imaginary.NOT-PRIVATE.csv"))
        self.assertEqual(names, ["c1", "c2"])
        self.assertAlmostEqual(imaginary[1][0], 0.48, delta=0.05)  # z2 conj(z1)
        covariance = self.succeed("covariance", path, "--method", "orbit", "--epsilon", 1,
                                  "--row-norm", 1, "--complex-rows")
        self.assertIn("k = 2, method orbit", covariance)
        self.assertIn("imaginary part\ncolumn,c1,c2\n", covariance)
        self.assertIn("4 columns (real and imaginary parts of 2 complex ones)", self.succeed(
            "plan", "lowrank", "--rows", 300, "--dimension", 4, "-k", 1, "--epsilon", 1,
            "--row-norm", 1, "--complex-rows"))
        self.assertIn("even number", self.refuse(
            "lowrank", self.write("o.csv", csv_text(["a"], [[1.0]])), "--epsilon", 1, "--row-norm",
            1, "--complex-rows"))

    def test_complex_rows_need_both_parts_of_a_coordinate(self):
        path = self.write("z.npy", complex_npy([[complex(0.6, 0.0), complex(0.0, 0.8)]] * 30))
        for columns in ("c1.re,c2.re", "c1.im,c1.re", "c1.re,c2.im"):
            self.assertIn("pairs x.re, x.im", self.refuse(
                "lowrank", path, "-k", 1, "--epsilon", 1, "--row-norm", 1, "--complex-rows",
                "--columns", columns))
        self.succeed("lowrank", path, "-k", 1, "--epsilon", 1, "--row-norm", 1, "--complex-rows",
                     "--columns", "c2.re,c2.im")

    def test_components_of_complex_rows(self):
        rows = [[complex(0.6, 0.0), complex(0.0, 0.8)]] * 300
        path = self.write("z.npy", complex_npy(rows))
        document = self.release("pca", path, "--method", "orbit", "-k", 2, "--epsilon", 1,
                                "--row-norm", 1, "--complex-rows")
        self.assertEqual(len(document["result"]["noisy_explained_variance"]), 2)
        _, _, real = read_table(self.path("out", "loadings_real.csv"))
        _, _, imaginary = read_table(self.path("out", "loadings_imaginary.csv"))
        for i in range(2):
            for j in range(2):
                dot = sum(complex(real[a][i], -imaginary[a][i]) * complex(real[a][j], imaginary[a][j])
                          for a in range(2))
                self.assertAlmostEqual(abs(dot), float(i == j), places=6)
        # Ranked by modulus, although the larger loading may be imaginary.
        line = [l for l in self.succeed(
            "pca", path, "--method", "orbit", "--epsilon", 20, "--row-norm", 1, "--complex-rows",
            "-k", 1, "--seed", 1).splitlines() if l.startswith("  PC1")][0]
        self.assertRegex(line, r"c2 [+-][0-9.]+[+-][0-9.]+i, c1 [+-]")

    def test_the_order_of_a_complex_array_does_not_matter(self):
        rows = [[complex(0.1 * (i % 7), 0.02 * i), complex(0.0, 0.3)] for i in range(30)]
        by_columns = complex_npy([list(column) for column in zip(*rows)])
        for old, new in ((b"'fortran_order': False", b"'fortran_order': True "),
                         (b"(2, 30)", b"(30, 2)")):
            self.assertIn(old, by_columns)
            by_columns = by_columns.replace(old, new)
        self.write("c.npy", complex_npy(rows))
        self.write("f.npy", by_columns)
        said = [self.succeed("pca", name, "--method", "orbit", "--epsilon", 20, "--row-norm", 1,
                             "--complex-rows", "-k", 1, "--seed", 1).split("\n", 1)[1]
                for name in ("c.npy", "f.npy")]
        self.assertEqual(said[0], said[1])

    def test_samples_depend_on_differences_of_the_spectrum(self):
        # The same seed, the same draws: only y_i - y_j enters, in the order of the file.
        draws = []
        for name, values in (("a", "1\n3\n2\n"), ("b", "-5\n-3\n-4\n")):
            spectrum = self.write(name + ".txt", values)
            self.succeed("sample", "orbit", "--spectrum", spectrum, "--exponent", 4, "--orbit",
                         "2,1", "--draws", 5, "--seed", 7, "--out", self.path(name + ".npy"))
            with open(self.path(name + ".npy"), "rb") as file:
                draws.append(file.read())
        self.assertEqual(draws[0], draws[1])

    def test_samples_are_frames_of_the_orbit(self):
        spectrum = self.write("y.txt", "3\n2\n1\n0\n")
        arguments = ("sample", "orbit", "--spectrum", spectrum, "--exponent", 4, "--orbit", "2,1",
                     "--draws", 3, "--seed", 7, "--out")
        self.succeed(*arguments, self.path("one.npy"))
        self.succeed(*arguments, self.path("two.npy"))
        with open(self.path("one.npy"), "rb") as one, open(self.path("two.npy"), "rb") as two:
            bytes_one = one.read()
            self.assertEqual(bytes_one, two.read())
        self.assertIn(b"'shape': (3, 4, 2)", bytes_one)
        values = struct.unpack("<48d", bytes_one[-48 * 8:])
        first = [complex(values[2 * i], values[2 * i + 1]) for i in range(8)]
        norms = [sum(abs(first[2 * row + column]) ** 2 for row in range(4)) for column in (0, 1)]
        self.assertAlmostEqual(norms[0], 2.0, places=9)
        self.assertAlmostEqual(norms[1], 1.0, places=9)
        self.refuse(*arguments, self.path("one.npy"))
        self.refuse("sample", "orbit", "--spectrum", spectrum, "--exponent", 1, "--orbit", "2,,1",
                    "--out", self.path("x.npy"))

    def test_plans_state_the_split_and_the_bounds(self):
        spectrum = self.write("g.txt", "0.5\n0.2\n0.1\n0.05\n")
        common = ("--rows", 10000, "--dimension", 4, "-k", 2, "--row-norm", 1, "--spectrum",
                  spectrum, "--json", "--neighbours", "replace-one", "--epsilon", 1, *ORBIT)
        plan = self.json_of("plan", "pca", *common)
        self.assertAlmostEqual(plan["exponent"], 0.4, delta=0.001)  # 0.8 / 2 but for the blur
        published = self.json_of("plan", "pca", *common, "--published")
        self.assertAlmostEqual(published["exponent"], 0.2, delta=0.001)  # 0.8 / 4
        low_rank = self.json_of("plan", "lowrank", *common)
        self.assertGreater(low_rank["expected_error_f2_at_most"], 0.1 ** 2 + 0.05 ** 2)  # the tail
        self.assertEqual(sorted(low_rank["lower_bounds"]), [
            "corollary_2_5_f2", "corollary_2_6_f2", "earlier_spectral_norm", "note", "packing_f2",
            "projection_f2", "theorem_2_4_f2"])
        self.assertAlmostEqual(low_rank["eigenvalue_epsilon_per_row"] +
                               low_rank["direction_epsilon_per_row"], 1.0, places=12)

    def test_a_plan_names_the_units_of_its_numbers(self):
        size = ("--rows", 1000, "--dimension", 4, "-k", 2, "--epsilon", 1, "--range", "0:10", *ORBIT)
        plan = self.succeed("plan", "pca", *size)
        self.assertRegex(plan, r"at most \S+ \(original units\) below the variance the best")
        self.assertRegex(self.succeed("plan", "lowrank", *size),
                         r"eigenvalue (of|is above) .*\(scaled units")
        self.assertIn("on a variance (units: original)", self.succeed(
            "lowrank", self.csv, "-k", 1, "--epsilon", 1, "--row-norm", 1, *ORBIT))
        self.assertIn("(scaled units) below", self.succeed("plan", "pca", *size, "--standardize"))

    def test_components_that_are_not_listed_are_counted(self):
        wide = self.write("w.csv", csv_text(
            ["x%d" % j for j in range(12)], [[0.1] * 12 for _ in range(50)]))
        self.assertIn("and 2 more in the files", self.succeed(
            "pca", wide, "-k", 12, "--epsilon", 1, "--delta", 1e-6, "--row-norm", 1))

    def test_entries_with_noise_use_the_assumed_spectrum(self):
        spectrum = self.write("g.txt", "0.5\n0.1\n0.1\n0.1\n")
        size = ("plan", "lowrank", "-k", 1, "--epsilon", 1, "--row-norm", 1, "--rows", 100000,
                "--dimension", 4, "--spectrum", spectrum)
        both = self.json_of(*size, *ORBIT, "--json")
        wishart = self.json_of(*size, "--center", "none", "--json")
        self.assertEqual(wishart["predicted_error_f2"], both["predicted_error_f2_noise"])
        self.assertIn("|M - H|_F^2 about", self.succeed(*size))

    def json_of(self, *arguments):
        return json.loads(self.succeed(*arguments))

    def test_refusals_say_what_to_do(self):
        common = ("--epsilon", 1, "--row-norm", 1)
        self.assertIn("belongs to method orbit", self.refuse(
            "lowrank", self.csv, "--delta", 1e-6, "--eigenvalue-share", 0.3, *common))
        self.assertIn("--center private", self.refuse(
            "pca", self.csv, "-k", 2, "--center", "private", *common, *ORBIT))
        refusal = self.refuse("plan", "pca", "--rows", 10, "--dimension", 2000, "-k", 2, *common, *ORBIT)
        self.assertIn("the limit is 1e+09", refusal)
        self.assertIn("--unbounded-time", refusal)
        self.refuse("lowrank", self.csv, "-k", 5, *common)

    def test_several_groups_of_nearly_equal_entries(self):
        groups = self.write("groups.txt", "\n".join(map(str, [2000, 1999.9, 1999.8, 1000, 1000] + 35 * [0])))
        flags = ("sample", "orbit", "--spectrum", groups, "--exponent", 4.5, "--orbit", "1,.99,.98,.5,.1", "--out", self.path("draws.npy"))
        self.succeed(*flags, "--draws", 4)  # blocks of one length hardly ever coalesced, and this did not end

    def test_the_audit_stands_and_names_the_mutants(self):
        # That they fall at the default number of runs is shown by audit/Audits in C++.
        for method in ("orbit", "lowrank"):
            code, out, _ = self.run_program("audit", method, "--neighbours", "replace-one",
                                            "--mutants", "--runs", 2000, "--seed", 1)
            self.assertIn(code, (0, 1))  # 1: a mutant needs more runs
            self.assertRegex(out, r"exponent, mutant: exponent x 1.1 ")
            self.assertNotIn("REFUTED", out)


if __name__ == "__main__":
    unittest.main()

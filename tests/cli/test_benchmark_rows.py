"""The rows of README.md, "How fast": every command has a reader of what its program prints, and a row comes out as it stands there."""

import importlib.machinery
import importlib.util
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What the programs print, with made-up numbers.
PRINTED = {
    "bench_noise": """million/s, one core              eigenveil  std (mt19937_64)     ratio
rounded Gaussian, exact            111.6              41.8      2.67
rounded Laplace, exact              80.1              41.8      1.92
""",
    "bench_csv": """build/bench-data/p50-6-300.csv: 300 MB, 50 columns, 6 significant digits, 2 workers, median of 3
task   reader             seconds    MB/s     cpu s  peak MiB  our speed /    our cpu /
rows   eigenveil            0.300    1000     0.600         8         1.00         1.00
rows   pyarrow read_csv     0.900     333     1.500       300         3.00         0.40
gram   eigenveil            0.490     612     0.900         9         1.00         1.00
gram   pyarrow read_csv     1.480     203     2.100       406         3.02         0.43
gram   pyarrow open_csv     1.900     158     2.100       120         3.88         0.43
""",
    "bench/end_to_end_peer.py": """covariance end to end              eigenveil s     numpy s   ratio   bar: at most 1.2
n = 100000, p = 500, NPY, warm           0.640       0.550    1.16
""",
    "bench_gram": """2 threads, median of 5 alternating runs
workload                   rows      p   dsyrk ms   exact ms   ratio  processor
row norm                 200000    200      186.4      156.1    1.19       1.10
ranges                   200000    200      186.4      156.1    1.18       1.10
row norm                  80000    500      330.0      297.2    1.10       1.10
row norm                  20000   2000      695.0      688.0    1.01       1.00
""",
    "bench_mask": """mask 1000000 x 20, CSV to CSV: 0.87 s, 37 MiB; parsing plus writing: 0.51 s; ratio 1.72
  processor time: 1.60 s and 1.00 s; ratio 1.60
""",
    "bench/python/fit.py": """n = 100000, p = 500, 3 pairs: PrivatePCA 0.39 s, scikit-learn 0.40 s, ratio 0.93 [0.90, 0.99] (bar 1.2)
time outside of C++: 0.30% (bar 5%)
peak memory beyond the input: 2.7 p^2 doubles, 5.2 MiB (bar 3 p^2 doubles)
""",
    "bench_spiked": """tall, p = 500                ours   0.320 s   without privacy   0.420 s   ratio 0.77 (bar 1.3)   processor time 0.80
wide, n = 500, p = 20000     ours   0.360 s   without privacy   1.030 s   ratio 0.35 (bar 1.5)   processor time 0.40
""",
}


def rows_module():
    loader = importlib.machinery.SourceFileLoader("benchmark_rows", str(ROOT / "scripts/benchmark-rows"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


class BenchmarkRows(unittest.TestCase):

    def test_every_row_of_the_readme_has_its_form(self):
        module = rows_module()
        rows = module.rows_of_readme()
        self.assertEqual(sorted(command.split()[0] for _, command in rows), sorted(PRINTED))
        readme = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()

        def form(line):
            return re.sub(r"\d+(\.\d+)?", "0", line)

        for work, command in rows:
            with self.subTest(command=command):
                row = module.row(work, command, PRINTED[command.split()[0]])
                self.assertIn(form(row), [form(line) for line in readme])

    def test_a_program_that_says_something_else_is_no_row(self):
        module = rows_module()
        for work, command in module.rows_of_readme():
            with self.assertRaises(SystemExit):
                module.row(work, command, "the program failed\n")

    def test_commands_are_files_of_the_tree(self):
        for _, command in rows_module().rows_of_readme():
            program = command.split()[0]
            path = ROOT / (program if "/" in program else f"bench/{program.removeprefix('bench_')}.cpp")
            self.assertTrue(path.is_file(), path)
            if "/" in program:
                self.assertTrue(path.stat().st_mode & 0o100, f"{path} cannot be started as the table says")


if __name__ == "__main__":
    unittest.main()

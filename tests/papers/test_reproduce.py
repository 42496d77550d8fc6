"""Tables and figures of the papers: every printed digit, folders that are complete, pages that
need no network, equal bytes for equal runs."""

import csv
import math
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from html.parser import HTMLParser

from support import PROGRAM, CliTest, files_of, read_json


def lines_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class Links(HTMLParser):
    """What a page would load or point to."""

    def __init__(self):
        super().__init__()
        self.targets = []
        self.tags = set()

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.targets += [value for name, value in attributes
                         if name in ("src", "href", "xlink:href", "data", "srcset")]


class Forwarding(CliTest):
    """`eigenveil reproduce` is the papers' program, when that stands beside it."""

    def test_words_and_exit_codes_are_handed_on(self):
        papers = os.path.join(os.path.dirname(PROGRAM), "eigenveil-papers")
        for words in (["list"], ["--version"], ["no-such-entry"], ["list", "--full", "--quick"],
                      ["--out"], ["list", "all"]):
            direct = subprocess.run([papers, *words], capture_output=True, check=False)
            code, out, err = self.run_program("reproduce", *words)
            self.assertEqual((code, out, err), (direct.returncode, direct.stdout.decode(),
                                                direct.stderr.decode()))
            self.assertEqual(code, 0 if words in (["list"], ["--version"]) else 2)

    def test_without_it_the_program_says_how_to_build_it(self):
        lonely = shutil.copy(PROGRAM, self.path("eigenveil"))
        done = subprocess.run([lonely, "reproduce", "list"], capture_output=True, text=True,
                              check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assert_one_sentence(done.stderr)
        self.assertIn("make papers", done.stderr)


class Reproduce(CliTest):
    @classmethod
    def all_entries(cls):
        """Every entry once, in quick mode, for the tests that look at all of them."""
        if not hasattr(cls, "everything"):
            cls.everything = tempfile.mkdtemp(prefix="eigenveil-papers-")
            cls.addClassCleanup(shutil.rmtree, cls.everything, ignore_errors=True)
            subprocess.run([PROGRAM, "reproduce", "all", "--out", cls.everything], check=True,
                           stdout=subprocess.DEVNULL)
        return cls.everything

    def reproduce(self, what, *more, out="out"):
        self.succeed("reproduce", what, "--out", self.path(out), *more)
        return self.path(out)

    def test_the_list_names_what_can_be_made(self):
        text = self.succeed("reproduce", "list")
        self.assertEqual(text, self.succeed("reproduce"))
        for paper in ("Yun, Rishabh Dudeja. High-Dim", "Mangoubi", "Ding", "Steinke", "Mengyue Zha"):
            self.assertIn(paper, text)
        for name in ("yun-dudeja-fig2", "ding-table1"):
            self.assertRegex(text, rf"(?m)^  {name} ")

    def test_unknown_entries_are_refused_with_a_suggestion(self):
        self.assertIn("yun-dudeja-fig1", self.refuse("reproduce", "yun-dudeja-fig"))
        # The numbers that entries had before 0.2.0.
        self.assertIn("did you mean ding-credit?", self.refuse("reproduce", "002-credit"))
        self.assertIn("did you mean own-chooser?", self.refuse("reproduce", "004-chooser"))
        self.refuse("reproduce", "yun-dudeja-fig2", "--quick", "--full")
        self.assertEqual(os.listdir(self.folder), [])

    def test_the_table_equals_the_printed_one(self):
        folder = os.path.join(self.reproduce("ding-table1"), "ding-table1")
        lines = lines_of(os.path.join(folder, "table1.csv"))
        self.assertEqual(len(lines), 36)
        # Typed from the paper a second time: (epsilon, delta) -> (necessary, sufficient).
        printed = {("0.1", "0.01"): ("23.3", "25.4"), ("0.1", "0.001"): ("30.9", "32.5"),
                   ("0.01", "0.01"): ("232.6", "254.1"), ("0.01", "0.001"): ("309.0", "325.2"),
                   ("0.001", "0.01"): ("2326.3", "2541.3"), ("0.001", "0.001"): ("3090.2", "3252.0")}
        for line in lines:
            self.assertEqual((line["necessary (ours)"], line["sufficient (ours)"]),
                             printed[line["epsilon"], line["delta"]])
            self.assertEqual(line["necessary (ours)"], line["necessary (paper)"])
            self.assertEqual(line["sufficient (ours)"], line["sufficient (paper)"])
            self.assertEqual(line["masked (ours)"], line["masked (paper)"])
            self.assertEqual(line["ratio (ours)"], line["ratio (paper)"])
        masked = {(l["epsilon"], l["delta"], l["p"], l["n"]): l["masked (ours)"] for l in lines}
        self.assertEqual(masked["0.1", "0.01", "1", "100"], "6.9")
        self.assertEqual(masked["0.01", "0.001", "5", "10000"], "28.1")
        self.assertEqual(masked["0.001", "0.001", "20", "100"], "134.9")
        settings = {(l["epsilon"], l["delta"], l["p"], l["n"]) for l in lines}
        self.assertEqual(len(settings), 36)
        analytic = {(l["epsilon"], l["delta"]): float(l["analytic"]) for l in lines}
        for (epsilon, delta), sigma in analytic.items():
            self.assertAlmostEqual(self.delta_of(float(epsilon), sigma) / float(delta), 1, delta=2e-3)
        # The three digits that our specification states.
        self.assertEqual(f'{analytic["0.1", "0.01"]:.3g} {analytic["0.001", "0.001"]:.3g}',
                         "9.54 276")

    @staticmethod
    def delta_of(epsilon, sigma):
        """Exact delta of the Gaussian mechanism, sensitivity 1, in another language."""
        tail = lambda z: 0.5 * math.erfc(z / math.sqrt(2))
        return (tail(epsilon * sigma - 0.5 / sigma) -
                math.exp(epsilon) * tail(epsilon * sigma + 0.5 / sigma))

    def test_every_comparison_agrees_and_is_counted(self):
        out = self.all_entries()
        for name, count in (("yun-dudeja-fig2", 7), ("ding-table1", 145)):
            lines = lines_of(os.path.join(out, name, "comparisons.csv"))
            self.assertEqual(len(lines), count)
            self.assertEqual([l for l in lines if l["agrees"] != "yes"], [])
            parameters = read_json(os.path.join(out, name, "parameters.json"))
            self.assertEqual((parameters["agreeing"], parameters["compared"]), (count, count))

    def test_the_gallery_is_the_curves_of_the_definitions(self):
        folder = os.path.join(self.reproduce("yun-dudeja-fig2", "--full"), "yun-dudeja-fig2")
        lines = lines_of(os.path.join(folder, "fig2.csv"))
        self.assertEqual(len(lines), 6 * 2001)
        for line in lines:
            alpha, beta = float(line["x"]), float(line["y"])
            kind, value = re.match(r"(mu|epsilon) = ([0-9.]+)", line["series"]).groups()
            if kind == "epsilon":
                growth = math.exp(float(value))
                expected = max(0.0, 1 - growth * alpha, (1 - alpha) / growth)
                self.assertAlmostEqual(beta, expected, delta=1e-12)
            elif 0 < alpha < 1 and 0 < beta < 1:
                self.assertAlmostEqual(beta, self.gaussian_error(float(value), alpha), delta=1e-9)
        self.assertEqual(read_json(os.path.join(folder, "parameters.json"))["effort"], "full")

    @staticmethod
    def gaussian_error(mu, alpha):
        from statistics import NormalDist
        return NormalDist().cdf(NormalDist().inv_cdf(1 - alpha) - mu)

    def test_a_folder_is_complete_and_its_page_needs_no_network(self):
        out = self.all_entries()
        pages = [os.path.join(out, "index.html")]
        for name, figure in (("yun-dudeja-fig2", "fig2"), ("ding-table1", "noise")):
            folder = os.path.join(out, name)
            for file in ("index.html", "parameters.json", "comparisons.csv", figure + ".svg",
                         figure + ".csv"):
                self.assertGreater(os.path.getsize(os.path.join(folder, file)), 0, file)
            parameters = read_json(os.path.join(folder, "parameters.json"))
            self.assertEqual(parameters["id"], name)
            self.assertIsInstance(parameters["seed"], int)
            self.assertRegex(parameters["source"], r"^[A-Z][^;]*20\d\d; (Figure|Table) \d$")
            self.assertEqual(parameters["versions"]["eigenveil"], "0.2.0")
            pages.append(os.path.join(folder, "index.html"))
        for page in pages:
            with open(page, encoding="utf-8") as file:
                text = file.read()
            links = Links()
            links.feed(text)
            self.assertNotIn("script", links.tags)
            self.assertNotIn("@import", text)
            self.assertNotRegex(text, r"url\((?!#)")
            for target in links.targets:
                if not target.startswith("#"):
                    full = os.path.join(os.path.dirname(page), target)
                    self.assertTrue(os.path.exists(full), f"{page}: {target}")
            if page != pages[0]:
                self.assertIn("svg", links.tags)

    def test_equal_runs_give_equal_files(self):
        # One entry of each source that takes seconds, draws by several threads among them.
        for entry in ("yun-dudeja-fig2", "yun-dudeja-fig5", "ding-table1", "cai-fig3"):
            first = files_of(self.reproduce(entry, out="first-" + entry))
            second = files_of(self.reproduce(entry, out="second-" + entry))
            self.assertEqual(sorted(first), sorted(second))
            for name, content in first.items():
                self.assertEqual(content, second[name], name)

    def test_what_lacks_its_data_is_skipped_aloud(self):
        for entry in ("ding-credit", "cai-fig4"):
            done = subprocess.run([PROGRAM, "reproduce", entry, "--out", self.path("out")],
                                  env={**os.environ, "EIGENVEIL_DATA": self.path("nowhere")},
                                  cwd=self.folder, capture_output=True, text=True, timeout=300,
                                  check=False)
            self.assertEqual(done.returncode, 0)
            self.assertRegex(done.stdout, r"(?m)^  SKIPPED: .*EIGENVEIL_DATA")
            self.assertNotIn("0 of 0", done.stdout)

    def test_well_below_is_at_most_half(self):
        out = self.reproduce("cai-fig3")
        for line in lines_of(os.path.join(out, "cai-fig3", "comparisons.csv")):
            self.assertIn("<= 0.5 DP-Gauss", line["paper"])
            self.assertEqual(line["agrees"] == "yes",
                             float(line["ours"].rsplit(" ", 1)[1]) <= 0.5)

    def test_a_folder_that_cannot_be_made_is_an_output_error(self):
        blocked = self.write("blocked", "a file")
        self.refuse("reproduce", "yun-dudeja-fig2", "--out", blocked, code=1)


if __name__ == "__main__":
    unittest.main()

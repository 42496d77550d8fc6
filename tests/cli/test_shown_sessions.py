"""The sessions that README.md and docs/guide.md show: every command is run, and every word must be what the page shows.

Numbers that are drawn stand in lines that begin with a word of NOISY; there the words are compared and the numbers are not.
All other numbers are public, so they must be the same. Lines may be folded on a page.
"""

import os
import re
import shlex
import unittest

from support import CliTest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PLAN = re.compile(r"eigenveil (plan|explain) ")
NOISY = re.compile(r"^\s*(rows  |noise  |floor  |edge  |PC\d|question_\d+,|as shipped|mutant|intercept  |question_\d+  |residual )")
DRAWN = re.compile(r"[+-]?\d+(\.\d+)?(e[+-]?\d+)?%?(?![\w(])")
LOADING = re.compile(r"question_\d+ [+-]?\d\.\d+")


def sessions(text):
    """(command, output as shown) of every block that begins with a prompt: indented, or fenced as `console`."""
    fenced = re.findall(r"^```console\n(.*?)^```", text, flags=re.M | re.S)
    indented = re.findall(r"(?:^    .*\n|^[ \t]*\n(?=    ))+", text, flags=re.M)
    blocks = fenced + [re.sub(r"^    ", "", block, flags=re.M) for block in indented]
    for block in blocks:
        for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n?)*)", block.lstrip("\n"), flags=re.M):
            yield command, output
    for command, output in re.findall(r"^`(eigenveil explain [^`]*)`:\n\n((?:    .*\n)+)", text, flags=re.M):
        yield command, re.sub(r"^    ", "", output, flags=re.M)


def words_of(command, text):
    """What must be equal: spaces folded, drawn numbers left out."""
    lines = []
    for line in text.splitlines():
        if NOISY.match(line) and not PLAN.match(command):
            line = DRAWN.sub("#", LOADING.sub("a loading", line))
        lines.append(line)
    return " ".join(" ".join(lines).split())


class ShownSessions(CliTest):

    def shown(self, page):
        with open(os.path.join(ROOT, page), encoding="utf-8") as file:
            return list(sessions(file.read()))

    def compare(self, command, output):
        program, *arguments = shlex.split(command)
        self.assertEqual(program, "eigenveil")
        if arguments[0] == "audit":
            arguments += ["--seed", "1"]  # verdicts are measured: the same each time
        _, out, err = self.run_program(*arguments)
        if output.strip():
            self.assertEqual(words_of(command, out + err), words_of(command, output), command)
        else:
            self.assertEqual(err, "", command)

    def test_readme(self):
        shown = self.shown("README.md")
        self.assertEqual(len(shown), 2)
        for command, output in shown:
            self.compare(command, output)

    def test_guide(self):
        shown = self.shown(os.path.join("docs", "guide.md"))
        self.assertGreaterEqual(len(shown), 8)
        self.succeed("generate", "survey", "--rows", 20000, "--out", "survey.csv")
        self.succeed("pca", "survey.csv", "-k", 3, "--epsilon", 1, "--delta", "1e-6", "--range", "0:10", "--out", "out")
        for command, output in shown:
            self.compare(command, output)

    def write_inputs(self):
        """What the commands of the pages read, small."""
        self.succeed("generate", "genotypes", "--rows", 60, "--columns", 8, "--out", "cohort.bed")
        self.succeed("generate", "genotypes", "--rows", 60, "--columns", 8, "--out", "genotypes.csv")
        self.succeed("generate", "survey", "--rows", 20000, "--out", "survey.csv")
        self.succeed("generate", "survey", "--rows", 3000, "--out", "t.csv")
        with open(self.path("cohort.bim"), encoding="utf-8") as file:
            snps = [line.split()[1] for line in file]
        self.write("snps.txt", "".join(name + "\n" for name in snps))
        with open(self.path("cohort.bim"), encoding="utf-8") as file:
            alleles = [line.split() for line in file]
        self.write("panel.frq", "CHR SNP A1 A2 MAF NCHROBS\n" + "".join(f"{a[0]} {a[1]} {a[4]} {a[5]} 0.3 100\n" for a in alleles))
        self.write("spectrum.txt", "".join(f"{v}\n" for v in (20, 9, 4, 1, 1, 1, 1, 1, 1, 1)))
        self.write("points.csv", "a,b,c\n" + "".join(f"{i % 7},{i % 5},{i % 7 + i % 5}\n" for i in range(400)))
        self.succeed("generate", "survey", "--rows", 20000, "--out", "embeddings.npy")

    def test_commands_without_output_are_accepted(self):
        """Those of the guide and the page of formats that stand alone: each gives a release, a plan or draws."""
        commands = []
        for page in ("docs/guide.md", "docs/formats.md"):
            with open(os.path.join(ROOT, page), encoding="utf-8") as file:
                commands += re.findall(r"^    (eigenveil .*)", file.read(), flags=re.M)
        self.assertGreaterEqual(len(commands), 14)
        self.write_inputs()
        for command in commands:
            arguments = shlex.split(command, comments=True)[1:]
            if "--out" in arguments and arguments[0] in ("pca", "subspace"):
                arguments.append("--replace")
            code, _, err = self.run_program(*arguments)
            self.assertEqual(code, 0, f"{command}: {err}")

    def test_a_changed_word_or_public_number_is_seen(self):
        for page in ("README.md", os.path.join("docs", "guide.md")):
            for command, output in self.shown(page):
                if output.strip():
                    for one, other in ((r"5% false", "6% false"), (r"claim stands", "refuted"), (r"(bound)s", r"\1"), ("missing", "absent")):
                        changed = re.sub(one, other, output)
                        if changed != output:
                            self.assertNotEqual(words_of(command, changed), words_of(command, output))
        self.assertEqual(words_of("eigenveil pca t", "  rows        about 12 (noisy)"), words_of("eigenveil pca t", "  rows        about 7 (noisy)"))
        self.assertNotEqual(words_of("eigenveil plan pca", "  rows        sd 21.1"), words_of("eigenveil plan pca", "  rows        sd 21.2"))


if __name__ == "__main__":
    unittest.main()

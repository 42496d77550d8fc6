"""Refusals teach: they name what was typed, say what to give, and exit with 2."""

import os
import pty
import subprocess
import shutil
import unittest

from support import PROGRAM, CliTest

RANGE = ("--range", "0:10")


class Errors(CliTest):

    def setUp(self):
        super().setUp()
        self.write("t.csv", "age,income,height\n1,2,3\n4,5,6\n")

    def says(self, arguments, *words, code=2):
        with self.subTest(arguments=arguments):
            text = self.refuse(*arguments, code=code)
            for word in words:
                self.assertIn(word, text)
            for jargon in ("INT", "TEXT", "FLOAT", "std::", "subcommand", "17976931"):
                self.assertNotIn(jargon, text)

    def test_a_missing_bound_says_what_to_give_and_why(self):
        for task in ("pca", "covariance"):
            self.says((task, "t.csv", "--mu", 1), "a bound on the rows is missing", "would leak",
                      "--range LO:HI", "--bounds FILE", "--row-norm R", "bounds template")
        self.says(("plan", "pca", "--rows", 9, "--dimension", 2, "--mu", 1), "bound", "--range")
        self.says(("gram", "partial", "t.csv", "--out", "x.gram"), "--range")
        # Said even before the file is looked for.
        self.says(("pca", "nowhere.csv", "--mu", 1), "a bound on the rows is missing")

    def test_budgets(self):
        base = ("covariance", "t.csv", *RANGE)
        self.says(base, "a privacy budget is missing", "--epsilon E --delta D", "--rho", "--mu")
        self.says((*base, "--epsilon", 1, "--mu", 1), "exactly one budget")
        self.says((*base, "--rho", 1, "--mu", 1), "exactly one budget")
        self.says((*base, "--delta", 1e-6, "--mu", 1), "exactly one budget")
        self.says((*base, "--delta", 1e-6), "--delta needs --epsilon")
        for flag in ("--epsilon", "--rho", "--mu"):
            for value in ("0", "-1", "nan", "inf"):
                self.says((*base, flag, value), flag, "positive, finite")
            self.says((*base, flag, "much"), flag, "much", "number")
            self.says((*base, flag), flag, "needs a value")
        for value in ("0", "1", "2", "-1e-6", "nan"):
            self.says((*base, "--epsilon", 1, "--delta", value), "--delta", "between 0 and 1")
        self.says((*base, "--mu", 1e300), "spend less")
        self.says((*base, "--mu", 1e-30), "spend more")
        self.says((*base, "--mu", 1, "--group-size", 0), "--group-size", "at least 1")
        self.says((*base, "--epsilon", 1, "--method", "gauss"), "--delta")
        self.says(("pca", "t.csv", *RANGE, "-k", 2, "--center", "private", "--epsilon", 1,
                   "--method", "orbit"), "--center private", "--method wishart")

    def test_ranges(self):
        for wrong in ("0", "0:", ":1", "5:5", "9:1", "a:b", "0:1:2", "nan:1", "0:inf"):
            self.says(("pca", "t.csv", "--mu", 1, "--range", wrong), "LO:HI", "--range 0:10")
        for wrong in ("0", "-1", "inf", "nan"):
            self.says(("pca", "t.csv", "--mu", 1, "--row-norm", wrong), "--row-norm must be a positive number")
        self.says(("pca", "t.csv", "--mu", 1, *RANGE, "--bounds", "b.csv"), "not both")
        self.says(("pca", "t.csv", "--mu", 1, *RANGE, "--grid", 0), "--grid must be a whole number from 1 to 16777216")
        self.says(("pca", "t.csv", "--mu", 1, "--bounds", "b.csv"), "b.csv", code=1)
        for center in (("mean",), ("public",), ("public", "--json")):
            self.says(("pca", "t.csv", "--mu", 1, *RANGE, "--center", *center),
                      "--center must be none, private, or public FILE")

    def test_separators(self):
        for text, name in (("a;b\n1;2\n", "s.csv"), ("1;2\n3;4\n", "s.csv"), ("a,b\n1,2\n", "s.tsv")):
            self.write(name, text)
            self.says(("pca", name, "--mu", 1, *RANGE), "--separator")
        self.write("s.csv", "a;b\n1;2\n")
        self.succeed("pca", "s.csv", "--mu", 1, *RANGE, "--separator", "semicolon")
        self.write("plain.csv", b"\x1f\x8b\x08\x00 and more\n")
        self.says(("pca", "plain.csv", "--mu", 1, *RANGE), "gzip", "zcat")

    def test_bounds_files(self):
        files = {
            "column,lo,hi\n": "first line",
            "column,low,high\nage,0,1\nage,0,1\n": "twice",
            "column,low,high\nage,0,1\n": "'income'",
            "column,low,high\nage,,\nincome,0,1\nheight,0,1\n": "line 2, field low of column 'age'",
            "column,low,high\nage,0,x\nincome,0,1\nheight,0,1\n": "line 2, field high of column 'age'",
            "column,low,high\nage,0\n": "3 fields",
            "column,low,high\nage,1,0\nincome,0,1\nheight,0,1\n": "column 'age' must be",
        }
        for content, words in files.items():
            self.write("b.csv", content)
            self.says(("pca", "t.csv", "--mu", 1, "--bounds", "b.csv"), words)

    def test_components(self):
        base = ("pca", "t.csv", *RANGE, "--mu", 1)
        self.says((*base, "-k", 4), "1 <= k <= 3")
        for wrong in ("0", "-1", "two", "1.5"):
            self.says((*base, "-k", wrong), "--components must be a whole number of at least 1")
        self.says((*base, "-k"), "--components needs a value")
        self.says((*base, "-k", 1, "-k", 2), "--components", "was given twice")
        self.says(("plan", "pca", "--rows", 9, "--dimension", 3, "-k", 4, *RANGE, "--mu", 1),
                  "1 <= k <= 3")

    def test_did_you_mean(self):
        base = ("pca", "t.csv", *RANGE, "--mu", 1)
        self.says((*base, "--columns", "agee"), "agee", "did you mean age?")
        self.says((*base, "--method", "gaus"), "'gaus'", "did you mean gauss?")
        self.says((*base, "--method", "gausss"), "'gausss'", "did you mean gauss?")
        self.says((*base, "--neighbours", "add-remov"), "add-remove")
        self.says((*base, "--format", "npz"), "--format must be one of csv, npy",
                  "did you mean npy?")
        self.says((*base, "--header", "presnt"), "did you mean present?")
        self.says(("pca", "t.csv", "--epsilom", 1), "'--epsilom'", "did you mean --epsilon?")
        self.says(("pcaa", "t.csv"), "'pcaa'", "did you mean pca?")
        self.says(("gram", "partail", "t.csv"), "'partail'", "did you mean partial?")
        self.says(("explian", "x"), "did you mean explain?")
        self.says(("pca", "t.csv", "--mu=1", "--rang=0:1"), "'--rang'", "did you mean --range?")
        self.says(("pca", "t.csv", "--k", 3), "'--k'", "did you mean -k?")
        self.says(("pca", "t.csv", "--comp", 3), "did you mean --components?")
        for strange in ("--name", "-z"):
            self.assertNotIn("did you mean", self.refuse("pca", "t.csv", strange, "x"))

    def test_twice(self):
        base = ("pca", "t.csv", *RANGE, "--mu", 1)
        self.says((*base, "--mu", 2), "--mu was given twice")
        self.says((*base, "-k", 1, "-k", 2), "--components was given twice")
        self.says((*base, "--delta"), "--delta needs a value")

    def test_decimals_have_a_point(self):
        self.says(("pca", "t.csv", *RANGE, "--epsilon", "1,5"), "--epsilon", "decimals have a point")
        for wrong in ("-5", "0", "1e3", "2000000000"):
            self.says(("generate", "survey", "--rows", wrong, "--out", "new.csv"),
                      "--rows must be a whole number from 1 to 1000000000")

    def test_help_is_tidy(self):
        page = self.succeed("pca", "--help")
        self.assertIn("Usage: eigenveil pca [OPTIONS] INPUT", page)
        self.assertNotIn("\n\n\n", page)

    def test_the_request_is_incomplete(self):
        self.says(("pca",), "INPUT is required", "eigenveil pca --help")
        self.says(("gram",), "eigenveil gram partial|merge|key")
        self.says(("plan",), "eigenveil plan pca|covariance")
        self.says(("plan", "pca", "--mu", 1), "--rows is required", "eigenveil plan pca --help")
        self.says(("plan", "pca", "--rows", 5, *RANGE, "--mu", 1), "--dimension P")
        self.says(("plan", "pca", "--rows", 0, "--dimension", 3), "--rows must be a whole number")
        self.says(("gram", "partial", "t.csv", *RANGE), "--out is required")
        self.says(("pca", "t.csv", "other.csv", *RANGE, "--mu", 1), "'other.csv'")

    def test_columns(self):
        base = ("pca", "t.csv", *RANGE, "--mu", 1, "--columns")
        self.says((*base, ""), "--columns must not be empty")
        self.says((*base, "age,age"), "age", "twice")
        self.says((*base, "@nowhere"), "nowhere", code=1)
        self.says((*base, "@t\x1b[31m.txt"), "cannot read", code=1)  # no escape codes, one line
        self.says((*base, "a\nb"), "there is no column")

    def test_names_from_outside_are_not_spelled_as_parameters(self):
        """A column, level or file called {epsilon} is not --epsilon."""
        self.write("{rho}.csv", "{epsilon},{delta},b\n1,x,3\n4,5,6\n")
        for arguments, word in (
                ((*RANGE,), "column { delta}: not a number"),
                ((*RANGE, "--columns", "{neighbours}"), "no column { neighbours}"),
                ((*RANGE, "--columns", "{neighbours}"), "The columns are { epsilon}, { delta}, b"),
                ((*RANGE, "--one-hot", "{neighbours}=x,y"), "{ neighbours}"),
                ((*RANGE, "--weights", "{group_size}", "--weight-bound", 2), "{ group_size}"),
                ((*RANGE, "--person", "{method gauss}", "--rows-per-person", 2), "{ method gauss}")):
            text = self.refuse("covariance", "{rho}.csv", "--mu", 1, "--header", "present", *arguments)
            self.assertIn(word, text)
            for flag in ("--epsilon", "--delta", "--neighbours", "--group-size", "--method", "--rho"):
                self.assertNotIn(flag, text)
        text = self.refuse("covariance", "{seed}.csv", "--mu", 1, *RANGE, code=1)
        self.assertIn("{ seed}.csv", text)
        self.assertNotIn("--seed", text)

    def test_other_values(self):
        base = ("pca", "t.csv", *RANGE, "--mu", 1)
        self.says((*base, "--threads", 0), "--threads must be a whole number from 1 to 1024")
        self.says((*base, "--seed", -1), "--seed must be a whole number")
        self.says((*base, "--seed", 2**64), "--seed must be a whole number")
        self.says((*base, "--out", ""), "--out must not be empty")
        self.says((*base, "--neighbours", "bounded-change"), "add-remove, replace-one or zero-row")


class Terminals(CliTest):
    """Standard output that fails, and standard error that is a terminal."""

    def on_terminal(self, *arguments):
        master, slave = pty.openpty()
        done = subprocess.run([PROGRAM, *arguments], stdout=subprocess.DEVNULL, stderr=slave,
                              cwd=self.folder, timeout=300, check=False)
        os.close(slave)
        shown = b""
        try:
            while chunk := os.read(master, 65536):
                shown += chunk
        except OSError:  # Linux says EIO at the end of a pseudo-terminal
            pass
        os.close(master)
        return done.returncode, shown.decode().replace("\r\n", "\n")

    def test_a_full_disk_behind_standard_output_is_an_output_failure(self):
        self.write("t.csv", "a,b\n1,2\n")
        for flags in ((), ("--json",), ("--json", "--out", "o")):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([PROGRAM, "covariance", "t.csv", *RANGE, "--mu", "1", *flags],
                                      stdout=full, stderr=subprocess.PIPE, cwd=self.folder,
                                      timeout=300, check=False)
            self.assertEqual(done.returncode, 1)
            self.assert_one_sentence(done.stderr.decode())

    def test_help_into_a_full_disk_is_an_output_failure(self):
        for words in ((), ("--help",), ("--version",), ("pca", "--help")):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([PROGRAM, *words], stdout=full, stderr=subprocess.PIPE,
                                      timeout=300, check=False)
            self.assertEqual(done.returncode, 1, words)
            self.assert_one_sentence(done.stderr.decode())

    def test_levels_of_intervals_are_sensible(self):
        for level in ("0.9999999999999999", "1e-300", "0", "1", "nan"):
            self.assertIn("--level", self.refuse("analyse", "regress", "t", "--response", "a",
                                                 "--predictors", "b", "--level", level))

    def test_progress_is_shown_on_a_terminal_and_ends_its_line(self):
        self.write("t.csv", "a,b\n" + "1,2\n" * 1000)
        flags = ("pca", "t.csv", *RANGE, "--mu", "1")
        code, shown = self.on_terminal(*flags)
        self.assertEqual(code, 0)
        self.assertRegex(shown, r"reading t\.csv \.+ 100%\n$")
        self.assertEqual(self.on_terminal(*flags, "--quiet"), (0, ""))
        self.write("t.csv", "a,b\n" + "1,2\n" * 1000 + "1,x\n")
        code, shown = self.on_terminal(*flags)
        self.assertEqual(code, 2)
        self.assertRegex(shown, r"(?m)^error: .*\n$")


class Help(CliTest):

    def test_help_of_every_command_shows_how_to_type_it(self):
        commands = ("pca", "covariance", "plan", "gram", "audit", "explain", "bounds")
        overview = self.succeed("--help")
        self.assertEqual(self.succeed(), overview)
        for command in commands:
            with self.subTest(command):
                self.assertRegex(overview, rf"(?m)^  {command} ")
                text = self.succeed(command, "--help")
                self.assertIn(f"\n  eigenveil {command} ", text)
        for child in (("plan", "pca"), ("plan", "covariance"), ("gram", "partial"),
                      ("gram", "merge"), ("audit", "gauss"), ("audit", "laplace"), ("audit", "wishart"),
                      ("bounds", "template")):
            self.assertIn("--help", self.succeed(*child, "--help"))
        self.assertRegex(self.succeed("--version"), r"^eigenveil \d+\.\d+\.\d+\n$")

    def test_help_shows_what_people_need_first(self):
        short, whole = self.succeed("pca", "--help"), self.succeed("pca", "--help-all")
        self.assertEqual(self.succeed("help", "pca"), short)
        self.assertIn("'nosuch' is not known here", self.refuse("help", "nosuch"))
        for flag in ("-k,", "--epsilon", "--delta", "--range", "--bounds", "--row-norm", "--out", "--help-all"):
            self.assertIn(flag, short)
        for flag in ("--sigma2", "--grid", "--batch"):
            self.assertNotIn(flag, short)
            self.assertIn(flag, whole)
        self.assertLess(short.count("\n"), 40)

    def test_the_examples_of_the_help_run(self):
        """Each line that starts with "  eigenveil " works as printed, in the order printed."""
        self.write("survey.csv", "a,b,c\n1,2,3\n4,5,6\n")
        self.write("a.csv", "a,b,c\n1,2,3\n")
        self.write("b.csv", "a,b,c\n4,5,6\n")
        for command in ("pca", "covariance", "explain", "plan", "bounds", "gram"):
            for line in self.succeed(command, "--help").splitlines():
                if line.startswith("  eigenveil "):
                    with self.subTest(line):
                        self.prepare(line)
                        self.succeed(*line.split()[1:])

    def prepare(self, line):
        shutil.rmtree(self.path("out"), ignore_errors=True)
        if "explain" in line:
            for name in ("out", "monday", "tuesday"):
                shutil.rmtree(self.path(name), ignore_errors=True)
                self.succeed("pca", "survey.csv", "--epsilon", 1, "--delta", 1e-6, "--range", "0:10", "--out", name)
        if "gram merge" in line:
            self.succeed("gram", "partial", "b.csv", "--range", "0:10", "--out", "b.gram")


if __name__ == "__main__":
    unittest.main()

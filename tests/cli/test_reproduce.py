"""`reproduce` is a door to the papers' program: it opens it where that stands beside it, and else says how to build it."""

import os
import shutil
import subprocess
import unittest

from support import PROGRAM, CliTest


class Reproduce(CliTest):

    def setUp(self):
        super().setUp()
        self.program = shutil.copy(PROGRAM, self.path("eigenveil"))

    def run_copy(self, *words):
        done = subprocess.run([self.program, "reproduce", *words], capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    def test_without_the_program_it_says_how_to_build_it(self):
        code, out, said = self.run_copy("list")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("make papers", said)

    def test_every_word_is_passed_on_and_the_exit_code_comes_back(self):
        with open(self.path("eigenveil-papers"), "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\necho "$@"\nexit 7\n')
        os.chmod(self.path("eigenveil-papers"), 0o755)
        code, out, _ = self.run_copy("yun-dudeja-fig2", "--out", "a b", "--seed", "3")
        self.assertEqual((code, out), (7, "yun-dudeja-fig2 --out a b --seed 3\n"))


if __name__ == "__main__":
    unittest.main()

"""`eigenveil explore` without a browser: refusals before anything opens, and the page that is written to a file.
tests/browser drives the page itself."""

import os
import re

from support import CliTest


class Explore(CliTest):
    def test_refusals_come_before_the_page(self):
        self.assertIn("LO:HI", self.refuse("explore", "--out", self.path("page.html"), "--range", "ten"))
        self.assertIn(".csv", self.refuse("explore", "table.npy"))
        table = self.write("plain.csv", "2.747,0.465\n1.5,0.5\n")
        self.assertIn("--header", self.refuse("explore", table, "--out", self.path("page.html")))
        said = self.refuse("explore", table, "--header", "present", "--out", self.path("page.html"))
        self.assertIn("--header numbers", said)
        self.assertNotIn("2.747", said)
        self.assertFalse(os.path.exists(self.path("page.html")))

    def test_a_page_that_needs_no_program(self):
        self.succeed("explore", "--out", self.path("page.html"), "--people", "3000", "--dimension", "3", "--range", "1:7")
        with open(self.path("page.html"), encoding="utf-8") as page:
            text = page.read()
        self.assertIn("default-src 'none'", text)
        self.assertIsNone(re.search(r'(src|href)="(?!#)', text.split("<script>")[0]))
        self.assertIn("--range 1:7", text)

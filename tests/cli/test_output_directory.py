"""--out appears whole or not at all and never takes anyone else's files with it."""

import os
import random
import shutil
import signal
import subprocess
import time
import unittest

from support import PROGRAM, CliTest, csv_text, files_of

RANGE = ("--range", "0:1")


class Directories(CliTest):

    def setUp(self):
        super().setUp()
        self.source = self.write("t.csv", "a,b\n0.5,0.25\n1,0\n")

    def release(self, out, *more):
        return self.succeed("covariance", self.source, *RANGE, "--mu", 1, "--out", out, *more)

    def test_new_nested_empty_and_old_directories_are_taken(self):
        os.mkdir(self.path("empty"))
        for out in ("new", "trailing/", "deep/er/still", "empty"):
            self.release(self.path(out))
            first = files_of(self.path(out))
            self.assertEqual(len(first), 4)
            self.assertIn("--replace", self.refuse("covariance", self.source, *RANGE, "--mu", 1,
                                                   "--out", self.path(out)))
            self.assertEqual(files_of(self.path(out)), first)
            self.release(self.path(out), "--format", "npy", "--replace")
            self.assertEqual(sorted(files_of(self.path(out))),
                             ["covariance.npy", "covariance_raw.npy", "release.json", "report.html"])
            self.release(self.path(out), "--seed", 1, "--replace")
            self.assertEqual(len(files_of(self.path(out))), 4)
        self.assertEqual(sorted(os.listdir(self.folder)), ["deep", "empty", "new", "t.csv",
                                                           "trailing"])

    def refuses_and_keeps(self, out):
        before = files_of(out)
        text = self.refuse("covariance", self.source, *RANGE, "--mu", 1, "--out", out)
        self.assertIn("new or empty directory", text)
        self.assertEqual(files_of(out), before)

    def test_foreign_files_are_never_deleted(self):
        os.mkdir(self.path("thesis"))
        self.write("thesis/chapter.tex", "words")
        self.refuses_and_keeps(self.path("thesis"))
        os.mkdir(self.path("other"))
        self.write("other/release.json", '{"name": "someone else\'s"}')
        self.refuses_and_keeps(self.path("other"))
        self.release(self.path("mixed"))
        self.write("mixed/notes.txt", "mine")
        self.refuses_and_keeps(self.path("mixed"))
        os.remove(self.path("mixed", "notes.txt"))
        os.mkdir(self.path("mixed", "folder"))
        self.write("mixed/folder/x", "mine")
        self.refuses_and_keeps(self.path("mixed"))
        self.refuse("covariance", self.source, *RANGE, "--mu", 1, "--out", self.source)

    def test_a_link_is_followed(self):
        os.mkdir(self.path("real"))
        os.symlink("real", self.path("link"))
        self.release(self.path("link"))
        self.release(self.path("link"), "--replace")
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertEqual(len(files_of(self.path("real"))), 4)

    def test_impossible_places_are_an_output_failure(self):
        text = self.refuse("covariance", self.source, *RANGE, "--mu", 1, "--out",
                           "/proc/nowhere/out", code=1)
        self.assertIn("cannot create /proc/nowhere/out", text)
        self.refuse("covariance", self.source, *RANGE, "--mu", 1, "--out",
                    self.path("t.csv", "out"), code=1)


class Kills(CliTest):
    ROUNDS = 12

    def test_a_killed_run_leaves_the_old_or_the_new_release(self):
        draw = random.Random(51)
        p = 300
        rows = [[draw.random() for _ in range(p)] for _ in range(20)]
        source = self.write("t.csv", csv_text([f"x{j}" for j in range(p)], rows))
        gram = self.path("t.gram")
        self.succeed("gram", "partial", source, *RANGE, "--out", gram)
        complete = []
        for seed in (0, 1):
            self.succeed("covariance", gram, "--mu", 1, "--seed", seed, "--out", self.path("ref"),
                         "--replace")
            complete.append(files_of(self.path("ref")))
        self.assertNotEqual(complete[0], complete[1])
        out = self.path("out")
        shutil.move(self.path("ref"), out)
        landed = half_written = finished = 0
        for i in range(self.ROUNDS):
            seed = i % 2
            writing = self.start_and_kill(gram, out, seed, wanted=draw.randrange(4))
            landed += writing is not None
            finished += writing is None
            half_written += bool(writing)
            self.assertIn(files_of(out), complete, f"round {i}: neither the old nor the new")
            self.succeed("explain", out)
        self.assertGreater(landed, 0, "no kill landed during a run")
        self.assertGreater(half_written, 0, "no kill landed while files were being written")
        self.assertEqual(self.ROUNDS, landed + finished)
        self.succeed("covariance", gram, "--mu", 1, "--seed", 1, "--out", out, "--replace")
        self.assertEqual(files_of(out), complete[1])

    def start_and_kill(self, gram, out, seed, wanted):
        """SIGKILL once `wanted` files lie in the hidden sibling. None if the run ended before,
        otherwise what was in the hidden sibling."""
        process = subprocess.Popen([PROGRAM, "covariance", gram, "--mu", "1", "--seed", str(seed),
                                    "--out", out, "--replace"], stdout=subprocess.DEVNULL)
        hidden = os.path.join(self.folder, f".out.writing-{process.pid}")
        while process.poll() is None:
            try:
                if len(os.listdir(hidden)) >= wanted:
                    break
            except FileNotFoundError:
                time.sleep(1e-4)  # lets the program have the core
        process.send_signal(signal.SIGKILL)
        code = process.wait()
        left = os.listdir(hidden) if os.path.exists(hidden) else []
        shutil.rmtree(hidden, ignore_errors=True)
        return left if code == -signal.SIGKILL else None


if __name__ == "__main__":
    unittest.main()

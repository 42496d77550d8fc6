"""What else is charged to a ledger: scores, private bounds, persons, stored totals; and what the file never holds."""

import gzip
import json
import os
import pty
import resource
import shutil
import signal
import stat
import subprocess
import tempfile
import unittest

from support import PROGRAM, CliTest, npy_bytes
from test_ledger import GAUSS, LedgerTest

POISON = ("31415926", "2718281", "Zarathustra")


def poisoned(rows=40):
    """Cells that nobody would write by chance."""
    return "a,b,who\n" + "".join(f"{POISON[0]}.5,{-int(POISON[1])},{POISON[2]}{i % 7}\n" for i in range(rows))


class OtherReleases(LedgerTest):
    def test_bounds_then_components_then_scores(self):
        self.create("--mu", "3")
        charged = ("--header", "present", "--ledger", "a.ledger")
        self.succeed("bounds", "private", "table.csv", "--mu", "1", "--outer", "0:16", *charged, "--out", "found")
        self.succeed("pca", "table.csv", "-k", "2", "--mu", "1", "--bounds", "found/bounds.csv", *charged, "--out", "axes")
        self.succeed("scores", "table.csv", "--on", "axes", "--mu", "1", "--cells", "5", *charged, "--out", "picture")
        entries = self.shown()["entries"]
        self.assertEqual([e["task"] for e in entries], ["bounds", "pca", "scores"])
        self.assertEqual([e["mu"] for e in entries], [1.0, 1.0, 1.0])
        checksum = {out: self.release(out)["checksum"] for out in ("found", "axes")}
        for out, entry, built_on in zip(("found", "axes", "picture"), entries, ([], [checksum["found"]], [checksum["axes"]])):
            said = self.release(out)
            self.assertEqual(said.get("builds_on", []), built_on)
            self.assertEqual(entry["builds_on"], built_on)
            self.assertEqual(said["ledger"]["reservation"], entry["hash"])
            self.assertEqual(said["guarantee"]["basis"], entry["basis"])
            self.assertEqual(said["guarantee"]["assumptions"], entry["assumptions"])
        self.succeed("ledger", "verify", "a.ledger", "--release", "found", "axes", "picture")

    def test_nothing_is_read_that_does_not_fit(self):
        self.create("--mu", "0.1")
        self.write("bad.csv", "a,b,c\n1,2,x\n")
        charged = ("--header", "present", "--ledger", "a.ledger")
        self.succeed("pca", "table.csv", "-k", "2", "--mu", "1", "--range", "0:16", "--out", "axes")
        for command in (("bounds", "private", "bad.csv"), ("scores", "bad.csv", "--on", "axes")):
            self.assertIn("not enough left", self.refuse(*command, "--mu", "1", *charged, "--out", "out"))
            self.assertIn("--header", self.refuse(*command, "--mu", "0.01", "--ledger", "a.ledger", "--out", "out"))
        self.assertEqual(self.shown()["entries"], [])

    def test_retries_of_scores_and_bounds(self):
        self.create("--mu", "3")
        self.succeed("pca", "table.csv", "-k", "2", "--mu", "1", "--range", "0:16", "--out", "axes")
        charged = ("--header", "present", "--ledger", "a.ledger", "--mu", "1")
        for command, out in ((("bounds", "private", "table.csv"), "found"), (("scores", "table.csv", "--on", "axes", "--cells", "4"), "picture")):
            self.succeed(*command, *charged, "--out", out, "--ledger-key", out)
            with open(self.path(out, "release.json"), "rb") as file:
                first = file.read()
            os.rename(self.path(out), self.path(f".{out}.writing-1"))
            self.assertIn("the same bits", self.succeed(*command, *charged, "--out", out, "--ledger-key", out))
            with open(self.path(out, "release.json"), "rb") as file:
                self.assertEqual(file.read(), first)
            self.assertIn("another request", self.refuse(*command, *charged[:4], "--mu", "0.5", "--out", "x", "--ledger-key", out))
        self.assertEqual(len(self.shown()["entries"]), 2)

    def test_labels_of_rows_are_rows(self):
        """A file of labels is about people: no more of it than its header is read before the charge."""
        self.create("--mu", "3")
        with open(self.path("g.npy"), "wb") as file:
            file.write(npy_bytes([[float(i % 7), float(i % 3)] for i in range(400)]))
        self.succeed("pca", "g.npy", "-k", "2", "--mu", "1", "--range", "0:7", "--anyway", "--out", "axes")
        on = ("scores", "g.npy", "--on", "axes", "--mu", "0.1", "--cells", "4", "--ledger", "a.ledger", "--out", "out")
        self.write("bad.csv", "sex\n" + "X\n" * 300 + "X,Y,Z\n")
        self.assertIn("--header", self.refuse(*on, "--label", "sex=X|Y", "--labels", "bad.csv"))
        present = (*on, "--header", "present", "--labels", "bad.csv")
        self.assertIn("sx", self.refuse(*present, "--label", "sx=X|Y"))
        self.assertEqual(self.shown()["entries"], [])
        self.assertIn("fields", self.refuse(*present, "--label", "sex=X|Y"))
        self.assertEqual([entry["mu"] for entry in self.shown()["entries"]], [0.1])

    def test_damage_behind_the_names_is_found_after_the_charge(self):
        """What stands in the rows may not decide whether a run is charged."""
        self.create()
        rows = "a,b,c\n" + "".join(f"{i % 7},{(3 * i) % 5},{(i * i) % 11}\n" for i in range(400))
        whole = gzip.compress(rows.encode(), mtime=0)
        damaged = {"short.csv.gz": whole[:-60], "sum.csv.gz": whole[:-8] + bytes(8), "quote.csv": (rows + '1,"2,3\n').encode()}
        for number, (name, content) in enumerate(damaged.items(), 1):
            with open(self.path(name), "wb") as file:
                file.write(content)
            self.refuse("pca", name, "-k", "1", "--mu", "0.1", "--range", "0:16", "--header", "present", "--ledger", "a.ledger", "--out", "out")
            self.assertEqual(len(self.shown()["entries"]), number, name)
        with open(self.path("none.csv.gz"), "wb") as file:
            file.write(whole[:12])  # not even the line of names
        self.refuse("pca", "none.csv.gz", "-k", "1", "--mu", "0.1", "--range", "0:16", "--header", "present", "--ledger", "a.ledger", "--out", "out")
        self.assertEqual(len(self.shown()["entries"]), 3)

    def test_verify_compares_whom_releases_protect(self):
        self.create("--mu", "1", "--neighbours", "replace-one")
        self.succeed(*self.pca("one", budget=("--mu", "0.1")))
        self.succeed("ledger", "verify", "a.ledger", "--release", "one")

    def test_ten_tenths_fit(self):
        self.create("--epsilon", "1")
        for number in range(10):
            self.succeed(*self.pca(f"out{number}", budget=("--epsilon", "0.1")))
        said = self.refuse(*self.pca("one more", budget=("--epsilon", "0.1")))
        self.assertIn("not enough left", said)
        self.assertIn("no smaller budget", said)
        self.assertLessEqual(self.shown()["spent"]["epsilon"], 1)

    def test_builds_on_by_name(self):
        self.create("--mu", "1")
        self.succeed("pca", "table.csv", "-k", "1", "--mu", "0.1", "--range", "0:16", "--out", "first")
        self.succeed(*self.pca("second", "--builds-on", "first", budget=("--mu", "0.1")))
        self.assertEqual(self.release("second")["builds_on"], [self.release("first")["checksum"]])
        self.assertIn(self.run_program(*self.pca("third", "--builds-on", "nowhere", budget=("--mu", "0.1")))[0], (1, 2))
        self.assertEqual(len(self.shown()["entries"]), 1)

    def test_upper_case_names_are_text_too(self):
        self.create()
        os.rename(self.path("table.csv"), self.path("TABLE.CSV"))
        said = self.refuse("pca", "TABLE.CSV", "-k", "1", *GAUSS, "--range", "0:10", "--ledger", "a.ledger", "--out", "out")
        self.assertIn("--header", said)

    def test_stated_costs_of_methods_that_count_rows(self):
        self.create("--cap-epsilon", "9", "--cap-delta", "1e-3", "--neighbours", "replace-one")
        self.write("points.csv", "a,b\n" + "1,2\n2,4\n3,6\n" * 400)
        self.write("near.csv", "a,b,c\n" + "".join(f"{i % 9 + 1},{2 * (i % 9 + 1)},0.0001\n" for i in range(20000)))
        exact = ("subspace", "points.csv", "--exact", "-k", "1", *GAUSS, "--header", "present", "--ledger", "a.ledger")
        near = ("subspace", "near.csv", "-k", "1", *GAUSS, "--gamma", "0.01", "--header", "present", "--ledger", "a.ledger")
        inside = ("pca", "near.csv", "-k", "1", *GAUSS, "--range", "0:20", "--within-subspace", "1", "--gamma", "0.01", "--neighbours",
                  "replace-one", "--header", "present", "--ledger", "a.ledger")
        for out, command in (("exact", exact), ("near", near), ("inside", inside)):
            self.succeed(*command, "--out", out)
            entry, said = self.shown()["entries"][-1], self.release(out)["guarantee"]
            self.assertEqual((entry["basis"], entry["assumptions"]), (said["basis"], said["assumptions"]), out)
            loss = said["loss"]  # --within-subspace splits the pair, and what is left of it may be a digit less
            self.assertEqual((entry["epsilon"], entry["delta"]), (loss["epsilon"], loss["delta"]))
            self.assertAlmostEqual(entry["epsilon"], 1.0, 12)
        self.assertIn("BLAS", " ".join(self.shown()["assumptions"]))
        self.assertIn("rests on", self.succeed("ledger", "show", "a.ledger"))
        published = self.refuse(*exact, "--calibration", "published", "--out", "published")
        self.assertIn("--allow-unproved", published)
        # Another selection of columns is another request.
        self.succeed(*exact, "--out", "keyed", "--ledger-key", "k")
        self.assertIn("another request", self.refuse(*exact, "--columns", "a", "--out", "keyed2", "--ledger-key", "k"))
        self.assertEqual(len(self.shown()["entries"]), 4)


class Persons(LedgerTest):
    def setUp(self):
        super().setUp()
        self.write("visits.csv", "who,a,b\n" + "".join(f"p{i % 20},{i % 7},{(3 * i) % 5}\n" for i in range(60)))

    def visits(self, out, *arguments, ledger="person.ledger"):
        return ("pca", "visits.csv", "-k", "1", "--mu", "0.1", "--range", "0:10", "--header", "present", "--ledger", ledger, "--out", out,
                *arguments)

    def test_each_ledger_takes_its_own_unit(self):
        self.create("--mu", "1", "--person", "who", name="person.ledger")
        self.create("--mu", "1", name="row.ledger")
        person = ("--person", "who", "--rows-per-person", "3")
        self.assertIn("one person with all rows of the same who", self.succeed("ledger", "show", "person.ledger"))
        self.assertIn("make a ledger for persons", self.refuse(*self.visits("x", *person, ledger="row.ledger")))
        self.assertIn("limit the rows of one person", self.refuse(*self.visits("x", "--exclude", "who")))
        self.succeed(*self.visits("out", *person))
        self.succeed(*self.visits("rows", "--exclude", "who", ledger="row.ledger"))
        entry = self.shown("person.ledger")["entries"]
        self.assertEqual(len(entry), 1)
        self.assertAlmostEqual(entry[0]["mu"], 0.1)
        self.assertEqual(self.release("out")["guarantee"]["person"], "who")
        self.assertEqual(len(self.shown("row.ledger")["entries"]), 1)
        for column in ("other", "a"):
            self.refuse(*self.visits("y", "--person", column, "--rows-per-person", "3"))
        self.assertEqual(len(self.shown("person.ledger")["entries"]), 1)
        self.succeed("ledger", "verify", "person.ledger", "--release", "out")
        for page in ("person.ledger", "row.ledger"):
            self.succeed("ledger", "show", page, "--html", page + ".html")
        with open(self.path("person.ledger.html"), encoding="utf-8") as file:
            self.assertIn("who", file.read())


class Totals(LedgerTest):
    def test_totals_are_not_looked_at_before_the_reservation(self):
        self.create("--mu", "0.12")
        self.succeed("gram", "partial", "table.csv", "--range", "0:10", "--out", "sums.gram")
        with open(self.path("sums.gram"), "rb") as file:
            whole = file.read()
        self.write("broken.gram", whole[:-40] + bytes(40))
        command = ("pca", "-k", "1", "--mu", "0.1", "--ledger", "a.ledger", "--out")
        self.assertIn("checksum", self.refuse(*command, "out", "broken.gram"))
        self.assertEqual(len(self.shown()["entries"]), 1)  # found after the charge
        # Nothing left: the damage is not seen any more.
        self.assertIn("not enough left", self.refuse(*command, "out", "broken.gram"))
        self.create("--mu", "1", name="b.ledger")
        self.succeed("pca", "-k", "1", "--mu", "0.1", "--ledger", "b.ledger", "--out", "out", "sums.gram")


class SameData(LedgerTest):
    BUDGET = ("--mu", "0.1")

    def compared(self, out, answer, *more, table="table.csv"):
        command = list(self.pca(out, "--same-data", answer, *more, budget=self.BUDGET))
        command[1] = table
        return command

    def at_terminal(self, out, *more, table="table.csv", types="y\n"):
        """Exit code and what was asked."""
        master, slave = pty.openpty()
        try:
            os.write(master, types.encode())
            done = subprocess.run([PROGRAM, *self.compared(out, "ask", "--quiet", *more, table=table)], stdin=slave, stderr=slave,
                                  stdout=subprocess.PIPE, cwd=self.folder, timeout=300, check=False)
            os.write(slave, b"\nend\n")
            said = b""
            while b"\nend" not in said.replace(b"\r", b""):
                said += os.read(master, 4096)
        finally:
            os.close(master)
            os.close(slave)
        return done.returncode, b"question: the rows are not those" in said

    def test_other_rows_are_a_question_to_the_curator_and_nothing_else(self):
        self.create("--mu", "3")
        self.write("other.csv", "a,b,c\n" + "1,2,3\n" * 60)
        self.assertEqual(self.at_terminal("out0"), (0, False))
        self.assertEqual(self.at_terminal("out1"), (0, False))
        self.assertEqual(self.at_terminal("out2", table="other.csv", types="n\n"), (2, True))
        self.assertFalse(os.path.exists(self.path("out2")))
        self.assertEqual(self.at_terminal("out2", table="other.csv"), (0, True))
        self.assertEqual(self.at_terminal("out3", table="other.csv"), (0, False))
        self.assertEqual(len(self.shown()["entries"]), 5)  # a no comes after the charge
        # Another name is another data set; so is another selection of columns.
        self.assertEqual(self.at_terminal("named", "--data-set", "part"), (0, False))
        self.assertEqual(self.at_terminal("fewer", "--columns", "a,b"), (0, False))
        self.assertEqual(stat.S_IMODE(os.stat(self.path("a.ledger.data")).st_mode), 0o600)
        with open(self.path("a.ledger.data"), encoding="utf-8") as file:
            tags = [line.split()[1] for line in file.readlines()[1:]]
        self.assertEqual(len(tags), 4)
        with open(self.path("a.ledger"), "rb") as file:
            whole = file.read()
        for tag in tags:
            self.assertNotIn(tag.encode(), whole)

    def test_without_a_terminal_it_is_answered_before_anything_is_spent(self):
        self.create("--mu", "3")
        self.write("bad.csv", "a,b,c\n1,2,x\n")
        self.assertIn("say --same-data yes", self.refuse(*self.compared("out", "ask", table="bad.csv")))
        self.assertIn("a ledger of its own", self.refuse(*self.compared("out", "no", table="bad.csv")))
        self.assertEqual(self.shown()["entries"], [])
        self.write("other.csv", "a,b,c\n" + "1,2,3\n" * 60)
        for number, table in enumerate(("table.csv", "other.csv", "table.csv")):
            self.succeed(*self.compared(f"out{number}", "yes", table=table))
        self.assertIn("needs --ledger", self.refuse("pca", "table.csv", "-k", "1", "--mu", "1", "--range", "0:10", "--same-data", "yes"))
        self.assertIn("does not keep", self.refuse("pca", "table.csv", "-k", "1", "--range", "0:10", "--method", "oja", *GAUSS, "--header", "present",
                                                   "--ledger", "a.ledger", "--same-data", "yes", "--out", "m"))

    def test_drawn_from_the_sums_or_from_the_rows_is_the_same(self):
        self.create("--mu", "3", "--allow-unproved")
        for out, flag in (("one", ()), ("two", ("--same-data", "yes"))):
            self.succeed(*self.pca(out, "--seed", "4", *flag, budget=("--mu", "0.1")))
        loadings = []
        for out in ("one", "two"):
            with open(self.path(out, "loadings.NOT-PRIVATE.csv"), "rb") as file:
                loadings.append(file.read())
        self.assertEqual(*loadings)


class Poisoned(LedgerTest):
    def test_no_cell_gets_into_the_ledger_its_page_or_its_record(self):
        """Released, failed and killed runs over rows that would be recognised anywhere."""
        self.create("--mu", "9")
        self.write("table.csv", poisoned())
        columns = ("--exclude", "who")
        self.succeed(*self.pca("one", *columns, budget=("--mu", "1")))
        self.succeed("bounds", "private", "table.csv", *columns, "--mu", "1", "--header", "present", "--ledger", "a.ledger", "--out", "two")
        self.refuse(*self.pca("three", budget=("--mu", "1")))  # the words of `who` are no numbers
        self.refuse(*self.pca("four", "--columns", "a,b,who", "--missing", "refuse", budget=("--mu", "1")))
        self.succeed("ledger", "show", "a.ledger", "--html", "page.html")
        self.succeed("ledger", "export", "a.ledger", "--registry", "--out", "record.yaml")
        self.succeed("ledger", "backup", "a.ledger", "--out", "copy.ledger")
        self.assertEqual(len(self.shown()["entries"]), 4)
        whole = b""
        for name in ("a.ledger", "a.ledger.key", "page.html", "record.yaml", "copy.ledger"):
            with open(self.path(name), "rb") as file:
                whole += file.read()
        whole += json.dumps(self.shown()).encode()
        for word in POISON:
            self.assertNotIn(word.encode(), whole)
            self.assertNotIn(float(word).hex().encode() if word.isdigit() else word.lower().encode(), whole)
        # The twin: what is written down of a request is found by the same search.
        self.assertIn(b"covariance" if b"covariance" in whole else b"pca", whole)
        self.assertNotIn(b"40 rows", whole)


class FullDisk(CliTest):
    """A disk that is really full: a tiny file system where one can be mounted, else a limit on the size of files."""

    def setUp(self):
        super().setUp()
        self.write("table.csv", "a,b\n" + "1,2\n4,9\n" * 50)
        self.disk = tempfile.mkdtemp(prefix="eigenveil-disk-")
        self.mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", self.disk], capture_output=True,
                                      check=False).returncode == 0
        self.addCleanup(self.unmount)

    def unmount(self):
        if self.mounted:
            subprocess.run(["umount", self.disk], check=False)
        shutil.rmtree(self.disk, ignore_errors=True)

    def ledger(self, name="a.ledger"):
        return os.path.join(self.disk, name)

    def release(self, out, limit=None):
        def before():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        return subprocess.run([PROGRAM, "covariance", "table.csv", "--mu", "0.01", "--range", "0:10", "--header", "present", "--quiet", "--ledger",
                               self.ledger(), "--out", out], cwd=self.folder, capture_output=True, check=False,
                              preexec_fn=None if limit is None else before)

    def entries(self):
        return json.loads(self.succeed("ledger", "show", self.ledger(), "--json"))["entries"]

    def test_a_full_disk_ends_in_a_refusal_and_a_whole_ledger(self):
        self.succeed("ledger", "create", self.ledger(), "--name", "full", "--mu", "1")
        limit = None
        if self.mounted:
            with open(self.ledger("ballast"), "wb", buffering=0) as file:
                try:
                    while file.write(bytes(512)):
                        pass
                except OSError:
                    pass
        else:
            limit = os.path.getsize(self.ledger())
        published = 0
        for attempt in range(40):
            done = self.release(f"out{attempt}", limit)
            exists = os.path.exists(self.path(f"out{attempt}"))
            self.assertEqual(done.returncode == 0, exists)
            if done.returncode != 0:
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertRegex(done.stderr.decode(), "ledger.*(full|failed|cannot be written)")
                break
            published += 1
        else:
            self.fail("the disk never filled")
        entries = self.entries()  # whole, and readable on a full disk
        self.assertEqual(sum(e["release"] is not None for e in entries), published)
        self.assertLessEqual(len(entries), published + 1)
        if self.mounted:
            os.remove(self.ledger("ballast"))
        self.assertEqual(self.release("after").returncode, 0)  # and goes on where there is room
        outs = [name for name in os.listdir(self.folder) if os.path.isdir(self.path(name)) and not name.startswith(".")]
        self.assertEqual(len(outs), published + 1)
        self.succeed("ledger", "verify", self.ledger(), "--release", *outs)

    def test_a_disk_that_is_read_only_charges_nothing(self):
        if not self.mounted:
            self.skipTest("no file system can be mounted here")
        self.succeed("ledger", "create", self.ledger(), "--name", "read-only", "--mu", "1")
        self.assertEqual(self.release("one").returncode, 0)
        subprocess.run(["mount", "-o", "remount,ro", self.disk], check=True)
        done = self.release("two")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"cannot be written", done.stderr)
        self.assertFalse(os.path.exists(self.path("two")))
        subprocess.run(["mount", "-o", "remount,rw", self.disk], check=True)
        self.assertEqual(len(self.entries()), 1)


if __name__ == "__main__":
    unittest.main()

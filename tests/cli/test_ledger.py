"""Releases that are charged to a ledger: the order of events, refusals, retries, files changed by others."""

import hashlib
import json
import os
import re
import resource
import shutil
import sqlite3
import stat
import subprocess
import unittest

from support import PROGRAM, CliTest

TABLE = "a,b,c\n" + "".join(f"{i % 7},{(3 * i) % 5},{(i * i) % 11}\n" for i in range(60))
GAUSS = ("--epsilon", "1", "--delta", "1e-6")


class LedgerTest(CliTest):
    def setUp(self):
        super().setUp()
        self.write("table.csv", TABLE)

    def create(self, *arguments, name="a.ledger"):
        self.succeed("ledger", "create", name, "--name", "Survey", *(arguments or ("--epsilon", "3", "--delta", "1e-6")))
        return self.path(name)

    def pca(self, out, *arguments, budget=GAUSS, ledger="a.ledger", command="pca", header=("--header", "present")):
        k = ("-k", "1") if command in ("pca", "lowrank") else ()
        return (command, "table.csv", *k, *budget, "--range", "0:10", *header, "--ledger", ledger, "--out", out,
                *arguments)

    def shown(self, name="a.ledger"):
        return json.loads(self.succeed("ledger", "show", name, "--json"))

    def release(self, out):
        with open(self.path(out, "release.json"), encoding="utf-8") as file:
            return json.load(file)


class Releases(LedgerTest):
    def test_every_command_is_charged_and_says_where(self):
        self.create("--cap-mu", "3", "--cap-epsilon", "9", "--cap-delta", "1e-4", "--neighbours", "replace-one")
        replace = ("--neighbours", "replace-one")
        self.succeed(*self.pca("pca", *replace))
        self.succeed(*self.pca("covariance", *replace, command="covariance"))
        self.succeed(*self.pca("lowrank", *replace, command="lowrank", budget=("--epsilon", "1")))
        self.succeed(*self.pca("gauss", command="mask"))
        self.succeed(*self.pca("masked", "--method", "mask", command="mask"))
        self.write("points.csv", "a,b\n" + "1,2\n2,4\n3,6\n" * 400)
        self.succeed("subspace", "points.csv", "--exact", "-k", "1", *GAUSS, "--header", "present", "--ledger",
                     "a.ledger", "--out", "exact")
        entries = self.shown()["entries"]
        outs = ["pca", "covariance", "lowrank", "gauss", "masked", "exact"]
        self.assertEqual([e["task"] for e in entries], ["pca", "covariance", "lowrank", "mask", "mask", "subspace"])
        self.assertEqual([e["account"] for e in entries], ["gaussian", "gaussian", "basic", "gaussian", "basic", "basic"])
        self.assertAlmostEqual(entries[3]["mu"], 2 * entries[0]["mu"])  # zero-row counts as two steps
        for out, entry in zip(outs, entries):
            said = self.release(out)["ledger"]
            self.assertEqual(said["id"], self.shown()["ledger"])
            self.assertEqual((said["index"], said["reservation"]), (entry["index"], entry["hash"]))
            self.assertIsNotNone(entry["release"])
        self.succeed("ledger", "verify", "a.ledger", "--release", *outs)

    def test_environment_names_a_ledger_for_a_shell(self):
        self.create()
        done = subprocess.run([PROGRAM, "pca", "table.csv", "-k", "1", *GAUSS, "--range", "0:10", "--header", "present",
                               "--out", "out"], cwd=self.folder, capture_output=True, check=True,
                              env={**os.environ, "EIGENVEIL_LEDGER": self.path("a.ledger")})
        self.assertIn(b"ledger      entry 1", done.stdout)
        self.assertEqual(len(self.shown()["entries"]), 1)

    def test_what_a_ledger_asks_for(self):
        self.create()
        self.assertIn("--header", self.refuse(*self.pca("out", header=())))
        self.assertIn("--out", self.refuse(*self.pca("out")[:-2]))
        self.assertIn("no ledger", self.refuse(*self.pca("out", ledger="none.ledger"), code=1))
        self.assertIn("--ledger-key needs", self.refuse("pca", "table.csv", *GAUSS, "--range", "0:10", "--ledger-key", "k"))
        self.assertIn("directory", self.refuse(*self.pca("out.csv", command="mask", header=("--header", "present"))))
        self.assertIn("says nothing about the number of rows",
                      self.refuse(*self.pca("out", "--neighbours", "replace-one")))
        self.assertIn("--allow-unproved", self.refuse(*self.pca("out", "--seed", "1")))
        self.assertIn("sharp", self.refuse(*self.pca("out", "--method", "sharp", budget=("--mu", "0.1"))))
        self.assertEqual(self.shown()["entries"], [])
        self.assertFalse(os.path.exists(self.path("out")))

    def test_refusal_names_what_is_left_and_what_would_fit(self):
        self.create("--mu", "0.3")
        self.succeed(*self.pca("one", budget=("--mu", "0.25")))
        said = self.refuse(*self.pca("two", budget=("--mu", "0.25")))
        self.assertIn("mu 0.1658 of 0.3 in the gaussian account", said)
        fits = re.search(r"largest that would fit is --mu ([0-9.]+)", said).group(1)
        self.succeed(*self.pca("three", budget=("--mu", fits)))
        self.assertFalse(os.path.exists(self.path("two")))

    def test_the_registry_record_does_not_call_private_bounds_declared(self):
        self.create("--mu", "3")
        self.succeed(*self.pca("one"))
        declared = "Bounds are public and declared"
        self.assertIn(declared, self.succeed("ledger", "export", "a.ledger", "--registry"))
        self.succeed("bounds", "private", "table.csv", "--mu", "1", "--header", "present", "--outer", "0:10", "--ledger", "a.ledger",
                     "--out", "found")
        self.assertNotIn(declared, self.succeed("ledger", "export", "a.ledger", "--registry"))

    def test_the_largest_rho_that_fits_fits(self):
        self.create("--rho", "0.05")  # mu goes with the root of rho
        said = self.refuse(*self.pca("one", budget=("--rho", "0.2")))
        fits = re.search(r"largest that would fit is --rho ([0-9.]+)", said).group(1)
        self.assertGreater(float(fits), 0.0499)
        self.succeed(*self.pca("two", budget=("--rho", fits)))

    def test_nothing_is_given_back_and_nothing_said_about_why(self):
        self.create()
        self.write("bad.csv", "a,b\n1,2\n3,x\n")
        self.refuse("pca", "bad.csv", "-k", "1", *GAUSS, "--range", "0:10", "--header", "present", "--ledger",
                    "a.ledger", "--out", "out")
        shown = self.shown()
        self.assertEqual(len(shown["entries"]), 1)
        self.assertIsNone(shown["entries"][0]["release"])
        self.assertNotIn("bad", json.dumps(shown))
        self.assertIn("1 without a release (spent all the same)", self.succeed("ledger", "show", "a.ledger"))

    def test_what_fails_after_the_charge_says_that_it_cost(self):
        self.create("--epsilon", "3", "--delta", "1e-6", "--basic-share", "0.5", "--neighbours", "replace-one")
        self.write("points.csv", "a,b\n1,2\n2,4\n")
        few = ("subspace", "points.csv", "--exact", "-k", "1", "--epsilon", "0.5", "--delta", "1e-7", "--header", "present", "--ledger", "a.ledger")
        self.assertIn("; entry 1 is spent all the same", self.refuse(*few, "--out", "few"))
        self.write("table.csv", TABLE + "1,2\n")
        self.assertIn("; entry 2 is spent all the same", self.refuse(*self.pca("ragged", "--neighbours", "replace-one", budget=("--mu", "0.01"))))
        self.assertEqual(len(self.shown()["entries"]), 2)
        self.assertNotIn("spent all the same", self.refuse(*self.pca("none", budget=("--mu", "900"))))
        self.assertEqual(len(self.shown()["entries"]), 2)

    def test_plans_that_are_refused_cost_nothing(self):
        self.create()
        os.mkdir(self.path("taken"))
        self.write("taken/file", "x")
        self.refuse(*self.pca("taken"))
        self.refuse("pca", "table.csv", "-k", "9", *GAUSS, "--range", "0:10", "--header", "present", "--ledger",
                    "a.ledger", "--out", "out")
        self.assertEqual(self.shown()["entries"], [])

    def test_unproved_releases_end_the_promise(self):
        self.create("--mu", "1", "--allow-unproved")
        self.succeed(*self.pca("out", "--seed", "1", budget=("--mu", "0.1")))
        self.assertIn("no promise for the whole", self.succeed("ledger", "show", "a.ledger", "--html", "page.html"))
        with open(self.path("page.html"), encoding="utf-8") as file:
            self.assertIn("No promise for the whole", file.read())

    def test_the_ledger_says_nothing_about_rows(self):
        for rows in (10, 5000):
            self.write("table.csv", "a,b,c\n" + "1,2,3\n" * rows)
            self.create(name=f"{rows}.ledger")
            self.succeed(*self.pca(f"out{rows}", ledger=f"{rows}.ledger"))
        lines = []
        for rows in (10, 5000):
            with sqlite3.connect(self.path(f"{rows}.ledger")) as database:
                lines.append(database.execute(
                    "SELECT kind, request, data_set, task, method, account, mu, epsilon, delta, basis, assumptions, "
                    "builds_on, reservation FROM lines").fetchall())
        self.assertEqual(lines[0], lines[1])


class Retries(LedgerTest):
    def test_the_same_key_gives_the_same_bits_free_of_charge(self):
        self.create()
        self.succeed(*self.pca("out", "--ledger-key", "june"))
        with open(self.path("out", "release.json"), "rb") as file:
            first = file.read()
        self.assertIn("the same bits", self.succeed(*self.pca("out", "--ledger-key", "june")))
        with open(self.path("out", "release.json"), "rb") as file:
            self.assertEqual(file.read(), first)
        self.assertEqual(len(self.shown()["entries"]), 1)
        said = self.refuse(*self.pca("out2", "--ledger-key", "june", budget=("--epsilon", "0.5", "--delta", "1e-6")))
        self.assertIn("stands for another request", said)

    def test_a_staged_release_is_published_after_a_crash(self):
        self.create()
        self.succeed(*self.pca("out", "--ledger-key", "june"))
        os.rename(self.path("out"), self.path(".out.writing-12345"))  # as if killed before the rename
        self.succeed(*self.pca("out", "--ledger-key", "june"))
        self.succeed("ledger", "verify", "a.ledger", "--release", "out")
        self.assertFalse(os.path.exists(self.path(".out.writing-12345")))
        self.assertEqual(len(self.shown()["entries"]), 1)

    def test_lost_and_changed_releases_are_not_drawn_again(self):
        self.create()
        self.succeed(*self.pca("out", "--ledger-key", "june"))
        with open(self.path("out", "loadings.csv"), "a", encoding="utf-8") as file:
            file.write("x")
        self.assertIn("neither in --out nor beside it", self.refuse(*self.pca("out", "--ledger-key", "june")))
        shutil.rmtree(self.path("out"))
        said = self.refuse(*self.pca("out", "--ledger-key", "june"))
        self.assertIn("neither in --out nor beside it", said)
        self.assertEqual(len(self.shown()["entries"]), 1)

    def test_a_retry_says_that_it_read_no_row_and_where_its_release_went(self):
        self.create()
        self.succeed(*self.pca("out", "--ledger-key", "june"))
        self.write("table.csv", "a,b,c\nother,rows,now\n")  # nobody looks
        self.assertIn("no row of table.csv was read", self.succeed(*self.pca("out", "--ledger-key", "june")))
        with open(self.path("out", "release.json"), "rb") as file:
            checksum = hashlib.sha256(file.read()).hexdigest()
        said = self.refuse(*self.pca("elsewhere", "--ledger-key", "june"))
        self.assertIn(f"SHA-256 {checksum}, is neither in --out nor beside it", said)
        self.assertIn("no row was read now", said)

    def test_the_number_of_columns_is_not_read_off_a_row(self):
        self.create()
        self.write("plain.csv", "1,2,3\n" * 50)
        command = ("plain.csv", "--mu", "0.1", "--header", "absent", "--ledger", "a.ledger", "--out")
        for task in (("pca", "-k", "1", "--range", "0:10"), ("bounds", "private")):
            self.assertIn("give --width N", self.refuse(*task, *command, "out"))
        self.assertEqual(self.shown()["entries"], [])
        self.succeed("pca", "-k", "1", "--range", "0:10", *command, "out", "--width", "3")


class Files(LedgerTest):
    def test_read_only_files_and_full_disks_charge_nothing(self):
        path = self.create()
        # A file that cannot grow: SQLite needs a journal of a few kilobytes.
        small = subprocess.run([PROGRAM, *self.pca("out")], cwd=self.folder, capture_output=True, check=False,
                               preexec_fn=lambda: (resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048)),
                                                   __import__("signal").signal(__import__("signal").SIGXFSZ,
                                                                               __import__("signal").SIG_IGN)))
        self.assertEqual(small.returncode, 1, small.stderr)
        self.assertRegex(small.stderr.decode(), "ledger .*(full|failed|cannot be written)")
        self.assertEqual(self.shown()["entries"], [])
        self.assertFalse(os.path.exists(self.path("out")))
        if os.geteuid() != 0:
            os.chmod(path, stat.S_IRUSR)
            self.assertIn("cannot be written", self.refuse(*self.pca("out"), code=1))
            self.assertEqual(self.shown()["entries"], [])

    def test_an_immutable_ledger_is_refused(self):
        self.create()
        with sqlite3.connect(f"file:{self.path('a.ledger')}?mode=ro", uri=True) as database:
            self.assertEqual(database.execute("SELECT count(*) FROM lines").fetchone(), (0,))
        os.rename(self.path("a.ledger.key"), self.path("key"))
        self.assertIn("key", self.refuse(*self.pca("out"), code=1))
        self.assertEqual(self.shown()["entries"], [])

    def test_rolled_back_and_copied_ledgers_are_found_from_releases(self):
        self.create()
        shutil.copy(self.path("a.ledger"), self.path("old"))
        self.succeed(*self.pca("one", budget=("--mu", "0.1")))
        shutil.copy(self.path("old"), self.path("a.ledger"))
        said = self.refuse("ledger", "verify", "a.ledger", "--release", "one")
        self.assertIn("restored from an old copy", said)
        # Two machines' copies: both have an entry 1.
        self.succeed(*self.pca("two", budget=("--mu", "0.2")))
        self.succeed("ledger", "verify", "a.ledger", "--release", "two")
        self.assertIn("two copies", self.refuse("ledger", "verify", "a.ledger", "--release", "one", "two"))

    def test_releases_that_are_not_in_it(self):
        self.create()
        self.create(name="b.ledger")
        self.succeed(*self.pca("one", ledger="b.ledger", budget=("--mu", "0.1")))
        self.succeed("pca", "table.csv", "-k", "1", "--mu", "0.1", "--range", "0:10", "--out", "free")
        said = self.refuse("ledger", "verify", "a.ledger", "--release", "one", "free")
        self.assertIn("belongs to another ledger", said)
        self.assertIn("without a ledger", said)

    def test_removed_and_edited_entries(self):
        path = self.create()
        for out in ("one", "two"):
            self.succeed(*self.pca(out, budget=("--mu", "0.1")))
        for sql in ("UPDATE lines SET mu = 0.001 WHERE position = 1", "DELETE FROM lines WHERE position = 2"):
            shutil.copy(path, self.path("c.ledger"))
            shutil.copy(path + ".key", self.path("c.ledger.key"))
            with sqlite3.connect(self.path("c.ledger")) as database:
                with self.assertRaises(sqlite3.IntegrityError):
                    database.execute(sql)
                database.execute("DROP TRIGGER lines_stay")
                database.execute("DROP TRIGGER lines_keep")
                database.execute(sql)
            for command in (("ledger", "verify", "c.ledger"), ("ledger", "show", "c.ledger"),
                            self.pca("three", ledger="c.ledger", budget=("--mu", "0.1"))):
                self.assertIn("changed by something other", self.refuse(*command))

    def test_a_clock_that_goes_back_changes_nothing(self):
        clock = os.environ.get("EIGENVEIL_CLOCK", "")
        self.assertTrue(os.path.exists(clock), "set EIGENVEIL_CLOCK to the library of tests/cli/other_clock.cpp")
        self.create()
        for out, seconds in (("one", 4070908800), ("two", 978307200), ("three", 0)):  # 2099, 2001, 1970
            subprocess.run([PROGRAM, *self.pca(out, budget=("--mu", "0.1"))], cwd=self.folder, check=True, capture_output=True,
                           env={**os.environ, "LD_PRELOAD": clock, "EIGENVEIL_TIME": str(seconds)})
        entries = self.shown()["entries"]
        self.assertEqual([e["time"][:4] for e in entries], ["2099", "2001", "1970"])
        self.assertEqual([e["index"] for e in entries], [1, 3, 5])
        self.assertAlmostEqual(self.shown()["spent"]["mu_squared"], 0.03)
        self.succeed("ledger", "verify", "a.ledger", "--release", "one", "two", "three")

    def test_backups(self):
        self.create()
        self.succeed(*self.pca("one", budget=("--mu", "0.1")))
        self.assertIn("without the key", self.succeed("ledger", "backup", "a.ledger", "--out", "copy.ledger"))
        self.succeed("ledger", "verify", "copy.ledger", "--release", "one")
        self.assertIn("copy.ledger.key", self.refuse(*self.pca("two", ledger="copy.ledger"), code=1))
        self.refuse("ledger", "backup", "a.ledger", "--out", "copy.ledger")


class Commands(LedgerTest):
    def test_create_shows_shares_and_never_replaces(self):
        said = self.succeed("ledger", "create", "a.ledger", "--name", "Survey", "--epsilon", "3", "--delta", "1e-6")
        self.assertIn("basic share", said)
        self.assertRegex(said, r"public key  [0-9a-f]{64}")
        self.assertEqual(stat.S_IMODE(os.stat(self.path("a.ledger")).st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(os.stat(self.path("a.ledger.key")).st_mode), 0o600)
        self.assertIn("exists", self.refuse("ledger", "create", "a.ledger", "--name", "x", "--mu", "1"))
        for bad in (("--mu", "1", "--cap-mu", "1"), ("--mu", "-1"), (), ("--mu", "1", "--basic-share", "0.5"),
                    ("--epsilon", "1", "--delta", "1e-6", "--basic-share", "2"), ("--cap-delta", "0.1"),
                    ("--mu", "1", "--neighbours", "independent-copy")):
            self.refuse("ledger", "create", "b.ledger", "--name", "x", *bad)
            self.assertFalse(os.path.exists(self.path("b.ledger")), bad)
            self.assertFalse(os.path.exists(self.path("b.ledger.key")), bad)

    def test_plan_charges_nothing_and_finds_an_order(self):
        self.create("--cap-mu", "1")
        batch = [{"method": "gauss", "mu": 0.9, "name": "large"}, {"mu": 0.5, "count": 3}]
        code, said, error = self.plan(*batch)
        self.assertEqual(code, 1)  # scripts ask before they release
        self.assertIn("1 of 4 fit in this order; 3 would in the order 2, 3, 4", said)
        self.assertIn("3 of 4 releases would not fit", error)
        code, said, _ = self.plan(batch[1])
        self.assertEqual(code, 0)
        self.assertIn("all 3 fit, in this order", said)
        self.assertEqual(self.shown()["entries"], [])
        for bad, why in (("{", "JSON"), ("{}", "JSON list"), ("[]", "at least one"), ('[{"epsilom": 1}]', "not known"), ("[{}]", "exactly one budget"),
                         ('[{"mu": -1}]', "positive"), ('[{"mu": "x"}]', "'mu' is a number"), ('[{"epsilon": true}]', "'epsilon' is a number"),
                         ('[{"mu": 1, "mu": 0.1}]', "JSON"), ('[{"mu": 1, "group_size": 2.9}]', "'group_size'"), ('[{"mu": 1, "group_size": 4294967297}]', "'group_size'"), ('[{"mu": 1, "epsilon": 1}]', "exactly one budget"),
                         ('[{"mu": 1, "delta": 1e-6}]', "exactly one budget"), ('[{"mu": 1, "method": "gaus"}]', "did you mean"),
                         ('[{"mu": 1, "task": "pce"}]', "task 'pce' is not known"), ('[{"mu": 1, "count": 0}]', "'count'"),
                         ('[{"mu": 1, "count": 1.5}]', "'count'"), ('[{"mu": 1, "count": 10000000000}]', "'count'"),
                         ('[{"mu": 0.1, "count": 600}, {"mu": 0.1, "count": 600}]', "at most 1000 releases in all")):
            self.write("bad.json", bad)
            self.assertIn(why, self.refuse("ledger", "plan", "a.ledger", "bad.json"), bad)

    def plan(self, *batch, ledger="a.ledger"):
        self.write("batch.json", json.dumps(list(batch)))
        return self.run_program("ledger", "plan", ledger, "batch.json")

    def test_plan_answers_for_the_command_as_it_would_run(self):
        """Same method, neighbours and share of the account, for every task that a table is enough for."""
        kinds = (("pca", GAUSS, {"epsilon": 1, "delta": 1e-6}), ("pca", ("--epsilon", "1"), {"epsilon": 1}),
                 ("covariance", ("--mu", "0.5"), {"mu": 0.5}), ("mask", GAUSS, {"epsilon": 1, "delta": 1e-6}),
                 ("lowrank", ("--epsilon", "0.5", "--method", "orbit"), {"epsilon": 0.5, "method": "orbit"}))
        for number, relation in enumerate(("add-remove", "replace-one", "zero-row")):
            name = f"{relation}.ledger"
            self.create("--cap-mu", "9", "--cap-epsilon", "9", "--cap-delta", "1e-3", "--neighbours", relation, name=name)
            for task, budget, wanted in kinds:
                code, said, _ = self.plan({"task": task, **wanted}, ledger=name)
                out = f"{task}{number}{len(wanted)}{budget[1]}"
                if relation == "add-remove" and task == "mask":
                    self.assertEqual(code, 1)
                    self.assertIn("ledger made with --neighbours replace-one", said)
                    self.assertIn("ledger made with --neighbours replace-one", self.refuse(*self.pca(out, budget=budget, ledger=name, command=task)))
                    continue
                self.assertEqual(code, 0, said)
                printed = self.succeed(*self.pca(out, budget=budget, ledger=name, command=task))
                self.assertEqual("counted for 2 steps, because" in printed, "for 2 steps" in printed)
                entry = self.shown(name)["entries"][-1]
                amount = f"mu {entry['mu']:.6g}" if entry["account"] == "gaussian" else f"epsilon {entry['epsilon']:.6g}"
                self.assertIn(f"{task} by {entry['method']} at", said)
                self.assertIn(f"{entry['account']}, {amount}", said)
                steps = 1 if relation == "add-remove" or (relation, task) == ("zero-row", "mask") else 2
                self.assertEqual(entry["steps"], steps)
                self.assertEqual("counted for 2 steps, because" in said, steps == 2, said)
                self.assertEqual("counted for 2 steps, because" in printed, steps == 2, printed)

    def test_create_says_what_its_counts_suppose(self):
        said = self.succeed("ledger", "create", "a.ledger", "--name", "x", "--epsilon", "3", "--delta", "1e-6")
        self.assertIn("mask and subspace cannot be charged to an add-remove ledger", said)
        said = self.succeed("ledger", "create", "b.ledger", "--name", "x", "--epsilon", "3", "--delta", "1e-6", "--neighbours", "replace-one")
        self.assertIn("counted for releases with --neighbours replace-one", said)
        self.assertIn("leave --group-size out", self.refuse("ledger", "create", "c.ledger", "--name", "x", "--mu", "1", "--person", "id", "--group-size", "5"))

    def test_create_for_persons_leaves_out_what_limits_no_rows(self):
        said = self.succeed("ledger", "create", "p.ledger", "--name", "x", "--epsilon", "3", "--delta", "1e-6", "--person", "id",
                            "--neighbours", "replace-one")
        self.assertNotIn("subspace (0.3", said)
        self.assertIn("--person id with --rows-per-person N", said)
        self.assertIn("subspace (0.3", self.succeed("ledger", "create", "r.ledger", "--name", "x", "--epsilon", "3", "--delta", "1e-6"))

    def test_plan_for_persons(self):
        self.create("--mu", "3", "--person", "id")
        code, said, _ = self.plan({"mu": 1})
        self.assertEqual(code, 0)
        self.assertIn("with --person id --rows-per-person N", said)
        for task in ("mask", "subspace"):
            self.write("bad.json", json.dumps([{"task": task, "epsilon": 1, "delta": 1e-6}]))
            self.assertIn("limits no rows of a person", self.refuse("ledger", "plan", "a.ledger", "bad.json"), task)
        for task in ("bounds", "scores", "bounds private"):  # they count the first rows of everybody
            code, said, _ = self.plan({"task": task, "mu": 1})
            self.assertEqual(code, 0)
            self.assertIn("with --person id --rows-per-person N", said)
        self.assertIn("give --person id and --rows-per-person N", self.refuse(*self.pca("out", budget=("--mu", "1"))))

    def test_plan_takes_the_size_of_the_table(self):
        self.create("--cap-mu", "3", "--cap-epsilon", "3", "--cap-delta", "1e-6")
        drawn = {"task": "lowrank", "method": "orbit", "epsilon": 0.5}
        self.assertIn("about (k 1, 10 columns)", self.plan(drawn)[1])
        code, said, _ = self.plan({**drawn, "k": 1, "columns": 3}, {"task": "bounds private", "epsilon": 0.1})
        self.assertEqual(code, 0)
        self.assertNotIn("about", said)
        for bad in ({"k": 0}, {"columns": 100000}, {"k": 4, "columns": 3}, {"columns": 1.5}):
            self.write("bad.json", json.dumps([{**drawn, **bad}]))
            self.assertIn("'columns'" if "columns" in bad else "'k'", self.refuse("ledger", "plan", "a.ledger", "bad.json"))

    def test_caps_without_a_finite_promise_are_refused(self):
        self.assertIn("finite promise", self.refuse("ledger", "create", "b.ledger", "--name", "x", "--cap-mu", "1e200", "--cap-epsilon", "1",
                                                    "--cap-delta", "1e-6"))
        self.assertFalse(os.path.exists(self.path("b.ledger")))

    def test_pages_never_show_a_negative_share(self):
        self.create()
        self.succeed("ledger", "show", "a.ledger", "--html", "page.html")
        with open(self.path("page.html"), encoding="utf-8") as file:
            self.assertNotIn("-0.0", file.read())

    def test_draws_in_doubles_are_added_up(self):
        self.create("--epsilon", "3", "--delta", "1e-6", "--draws", "3e-11")
        drawn = ("--method", "orbit")
        self.succeed(*self.pca("one", *drawn, budget=("--epsilon", "0.1")))
        shown = self.shown()
        self.assertGreater(shown["spent"]["draws"], 0)
        self.assertIn("draws in doubles add at most 3e-11 to delta", shown["promise"])
        record = self.succeed("ledger", "export", "a.ledger", "--registry")
        stated = re.search(r"delta: (\S+)", record)
        self.assertGreaterEqual(float(stated.group(1)), 1e-6 + 3e-11)
        self.assertLess(float(stated.group(1)), 1e-6 + 3.1e-11)
        self.succeed("ledger", "show", "a.ledger", "--html", "page.html")
        with open(self.path("page.html"), encoding="utf-8") as file:
            self.assertIn("What doubles add to draws", file.read())
        self.assertIn("not enough left for draws in doubles", self.refuse(*self.pca("two", *drawn, budget=("--epsilon", "0.1"))))
        self.succeed(*self.pca("three", budget=("--epsilon", "0.1")))

    def test_export_of_a_pure_promise_with_draws_is_no_pure_dp(self):
        self.create("--epsilon", "3")
        self.succeed(*self.pca("one", budget=("--epsilon", "0.1")))
        self.assertIn("Pure DP", self.succeed("ledger", "export", "a.ledger", "--registry"))
        self.succeed(*self.pca("two", "--method", "orbit", budget=("--epsilon", "0.1")))
        record = self.succeed("ledger", "export", "a.ledger", "--registry")
        self.assertIn("Approximate DP", record)
        self.assertIn("delta: 1.0e-06", record)

    def test_show_page_is_self_contained_and_escaped(self):
        self.succeed("ledger", "create", "a.ledger", "--name", "A <b> & \"c\"", "--epsilon", "3", "--delta", "1e-6")
        self.succeed(*self.pca("one"))
        self.succeed("ledger", "show", "a.ledger", "--html", "page.html")
        with open(self.path("page.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn("A &lt;b&gt; &amp;", page)
        self.assertNotRegex(page, r"(?:src|href)=|<script|url\(")
        self.assertIn("Blind guessing finds 5", page)


# schemas/deployments-schema.yaml of opendp/deployments-registry-data at commit 057e5d81cf60, as facts: sections with
# their fields (no others are allowed), those that are required, and the words that are allowed.
REGISTRY = {
    "basic": {"name", "data_curators", "description", "intended_use", "data_product_type", "data_product_region",
              "data_product_sector", "publication_date"},
    "dp_variant": {"variant_name", "data_domain", "unprotected_quantities"},
    "privacy_loss": {"privacy_unit", "privacy_unit_details", "number_of_privacy_units", "privacy_parameters",
                     "privacy_parameters_details"},
    "deployment_model": {"model_name", "model_name_details", "trust_assumptions", "actors", "release_type",
                         "release_type_details", "data_source_type", "data_source_type_details", "access_type",
                         "access_type_details"},
    "implementation": {"preprocessing_and_hyperparameter_tuning", "mechanisms", "composition", "post_processing",
                       "justification", "utility", "additional_information"},
    "administrative": {"evidence_sources", "status", "registry_authors", "tier"},
}
REQUIRED = {"basic": REGISTRY["basic"] - {"data_product_sector"},
            "administrative": {"status", "registry_authors", "tier"}}
WORDS = {"data_product_type": {"Summary statistics", "Machine learning model", "Dataset", "Synthetic data",
                               "Interactive API", "SQL queries"},
         "variant_name": {"Pure DP", "Approximate DP", "Zero-concentrated DP", "Renyi DP", "Custom"},
         "model_name": {"Local", "Central", "Shuffle", "Federated", "Varies"},
         "release_type": {"One release", "Many releases"}, "data_source_type": {"Static", "Dynamic"},
         "access_type": {"Interactive", "Non-interactive"}, "status": {"Draft"},
         "data_curator_type": {"Government", "Industry", "Nonprofit"}}


def parse(text):
    """The YAML that the program writes: mappings, one list of mappings, one list of texts, scalars in JSON's form."""
    root, stack = {}, []
    for line in text.splitlines():
        depth = (len(line) - len(line.lstrip())) // 2
        body = line.strip()
        stack = stack[:depth]
        parent = stack[-1] if stack else root
        if body.startswith("- ") and ": " not in body.split('"')[0]:
            parent.setdefault("items", []).append(json.loads(body[2:]))
            continue
        key, _, value = body.removeprefix("- ").partition(":")
        parent[key] = json.loads(value) if value.strip() else {}
        if not value.strip():
            stack.append(parent[key])
        elif body.startswith("- "):
            stack.append(parent)
    return root


class Registry(LedgerTest):
    def check(self, record, curator=None):
        self.assertEqual(set(record), {"url_slug", "deployment"})
        self.assertRegex(record["url_slug"], r"^[a-z0-9-]+$")
        deployment = record["deployment"]
        self.assertEqual(set(deployment), set(REGISTRY))
        for section, fields in deployment.items():
            self.assertLessEqual(set(fields), REGISTRY[section], section)
            self.assertLessEqual(REQUIRED.get(section, set()), set(fields), section)
            for name, value in fields.items():
                if name in WORDS:
                    self.assertIn(value, WORDS[name])
        self.assertRegex(deployment["basic"]["publication_date"], r"^\d{4}-\d\d-\d\d$")
        curators = deployment["basic"]["data_curators"]
        self.assertEqual(curators.get("data_curator_type"), curator)
        if curator is not None:
            self.assertIn(curator, WORDS["data_curator_type"])
        self.assertEqual(deployment["administrative"]["tier"], 3)
        self.assertEqual(len(deployment["administrative"]["registry_authors"]["items"]), 1)
        self.assertLessEqual(set(deployment["privacy_loss"]["privacy_parameters"]), {"epsilon", "delta", "rho"})
        return deployment

    def test_record_has_the_fields_of_the_schema(self):
        self.create()
        self.succeed(*self.pca("one"))
        deployment = self.check(parse(self.succeed("ledger", "export", "a.ledger", "--registry")))
        self.assertEqual(deployment["privacy_loss"]["privacy_parameters"], {"epsilon": 3, "delta": 1e-6})
        self.assertIn("mu =", deployment["privacy_loss"]["privacy_parameters_details"])
        self.assertIn("gauss", deployment["implementation"]["mechanisms"])
        self.assertIn("adding or removing one row", deployment["privacy_loss"]["privacy_unit_details"])

    def test_other_promises(self):
        for number, (promise, variant) in enumerate(((("--epsilon", "2"), "Pure DP"),
                                                     (("--mu", "1"), "Zero-concentrated DP"))):
            self.create(*promise, name=f"{number}.ledger")
            deployment = self.check(parse(self.succeed("ledger", "export", f"{number}.ledger", "--registry")))
            self.assertEqual(deployment["dp_variant"]["variant_name"], variant)
        self.assertEqual(deployment["privacy_loss"]["privacy_parameters"]["rho"], 0.5)
        self.assertGreater(deployment["privacy_loss"]["privacy_parameters"]["epsilon"], 4)
        self.succeed("ledger", "export", "0.ledger", "--registry", "--out", "record.yaml")
        self.refuse("ledger", "export", "0.ledger", "--registry", "--out", "record.yaml")
        self.refuse("ledger", "export", "0.ledger")

    def test_who_publishes_is_asked_for_and_never_invented(self):
        self.create()
        self.assertNotIn("data_curator_type", self.succeed("ledger", "export", "a.ledger", "--registry"))
        said = self.succeed("ledger", "export", "a.ledger", "--registry", "--curator", "industry")
        self.check(parse(said), curator="Industry")
        self.assertIn("delta: 1.0e-06", said)
        self.assertIn("nonprofit", self.refuse("ledger", "export", "a.ledger", "--registry", "--curator", "me"))


if __name__ == "__main__":
    unittest.main()

"""Two server processes on loopback, participants by command line, closing, merging, what follows from it."""

import json
import os
import socket
import subprocess
import time
import unittest

from collection_support import REFERENCE, Collection, answers, in_seconds, run, wait_until


class CollectTest(unittest.TestCase):
    def collection(self, **wishes):
        made = Collection(**wishes)
        self.addCleanup(made.stop)
        made.start_both()
        return made

    def test_release_is_the_central_one_with_the_second_servers_noise(self):
        collection = self.collection(columns=4, seeds=(11, 12), people=8)
        for person in range(7):
            out = collection.contribute(person).stdout
            self.assertIn("aggregator b stored it", out)
        collection.close()
        reference = subprocess.run([REFERENCE, "central", collection.study, collection.table(range(7)), "11", "12"],
                                   capture_output=True, text=True, check=True)
        self.assertEqual(collection.collected(), [int(line) for line in reference.stdout.split()])
        # Another seed of A would have been seen: the reference depends on it.
        other = subprocess.run([REFERENCE, "central", collection.study, collection.table(range(7)), "13", "12"],
                               capture_output=True, text=True, check=True)
        self.assertNotEqual(reference.stdout, other.stdout)
        merged = collection.merge()
        self.assertIn("NOT PRIVATE", merged.stdout + merged.stderr)

    def test_from_study_to_regression_charged_to_a_ledger(self):
        collection = self.collection(columns=3, people=30, minimum=20)
        ledger = collection.path("survey.ledger")
        run("ledger", "create", ledger, "--name", "Nobody", "--epsilon", "3", "--delta", "1e-5",
            "--neighbours", "zero-row")
        for person in range(25):
            collection.contribute(person)
        first = collection.close("--ledger", ledger)
        self.assertIn("charged  mu", first.stdout)
        again = collection.close("--ledger", ledger)  # the stored bytes, and no second charge
        self.assertIn("charged before", again.stdout)
        collection.merge(options=["--ledger", ledger])
        run("ledger", "verify", ledger, "--release", collection.path("gram"))
        shown = json.loads(run("ledger", "show", ledger, "--json").stdout)
        self.assertEqual(json.dumps(shown).count('"collect"'), 1)
        gram = collection.path("gram")
        words = run("explain", gram).stdout
        self.assertIn("one of the two aggregators is honest", words)
        self.assertIn("(1, 1e-06)-DP for", words)
        for task, more in (("pca", ["-k", "2"]), ("covariance", []), ("mask", [])):
            out = collection.path(task)
            run("collect", task, gram, *more, "--out", out)
            with open(os.path.join(out, "release.json"), encoding="utf-8") as file:
                self.assertEqual(json.load(file)["guarantee"]["basis"], "proved")
        moments = json.loads(run("analyse", "moments", gram, "--json").stdout)
        self.assertEqual(moments["rows"], 25)
        run("analyse", "pca", gram, "-k", "1")

    def test_large_budget_gives_the_rows_back(self):
        collection = self.collection(columns=2, people=20, minimum=10, budget=("--mu", "1e5"))
        for person in range(20):
            collection.contribute(person)
        collection.close()
        collection.merge()
        moments = json.loads(run("analyse", "moments", collection.path("gram"), "--json").stdout)
        rows = [answers(person, 2) for person in range(20)]
        means = [sum(row[j] for row in rows) / 20 for j in range(2)]
        for got, exact in zip(moments["mean"], means):
            self.assertAlmostEqual(got + 5.0, exact, delta=0.01)

    def test_noise_of_participants(self):
        collection = self.collection(columns=2, people=20, minimum=12, noise="participants",
                                     extra=("--colluders", "2"))
        for person in range(14):
            collection.contribute(person)
        collection.close()
        collection.merge()
        words = run("explain", collection.path("gram")).stdout
        self.assertIn("if both aggregators collude", words)
        self.assertIn("the collector, who issues the codes of this study, is trusted", words)
        self.assertIn("it draws its normal numbers in double precision", words)
        self.assertIn("at most 2 were made by people who tell their noise", words)
        run("collect", "mask", collection.path("gram"), "--out", collection.path("pseudo"))
        run("analyse", "moments", collection.path("gram"), "--second-moment")
        refused = run("collect", "pca", collection.path("gram"), "--out", collection.path("pca"), check=False)
        self.assertEqual(refused.returncode, 2)

    def test_receipts_lists_and_retries(self):
        collection = self.collection(people=8, minimum=3)
        for person in range(3):
            collection.contribute(person)
        again = collection.contribute(0).stdout
        self.assertIn("had it already", again)
        self.assertIn("sending the report made earlier", again)
        other = run("contribute", collection.study, collection.path("row0.csv"), "--token", collection.tokens[5],
                    check=False)
        self.assertEqual(other.returncode, 2)  # a new code, and the receipt of the old one
        self.assertIn("the receipt of another code", other.stderr)
        collection.kill("b")
        half = collection.contribute(3, check=False)
        self.assertEqual(half.returncode, 1)
        self.assertEqual(half.stderr.count("\n"), 1)
        self.assertEqual(collection.get("a", "/v1/closing-list")[0], 400)
        collection.start("b")
        self.assertIn("aggregator a had it already\naggregator b stored it", collection.contribute(3).stdout)
        collection.close()
        for role in "ab":
            status, text = collection.get(role, "/v1/closing-list")
            self.assertEqual(status, 200)
            for person in range(4):
                self.assertIn(collection.receipt(person)["report"], text)
        late = collection.contribute(4, check=False)
        self.assertEqual(late.returncode, 2)
        self.assertIn("the study is closed", late.stderr)
        for role in "ab":
            self.assertFalse(os.path.exists(collection.path(role, "sealing.key")))
            self.assertEqual(json.loads(collection.get(role, "/v1/health")[1])["state"], "closed")

    def test_closes_by_itself_at_the_deadline(self):
        start = time.monotonic()
        self.collection(people=4, minimum=2).contribute(0)
        taken = time.monotonic() - start  # a busy machine gets a later deadline
        wait = 4.0 + 6.0 * taken
        collection = self.collection(people=4, minimum=2, deadline=in_seconds(wait))
        for person in range(3):
            collection.contribute(person)
        self.assertTrue(wait_until(
            lambda: json.loads(collection.get("b", "/v1/health")[1])["state"] == "closed", seconds=10 * wait + 60))
        collection.close()
        self.assertEqual(collection.sum_of("a")["reports"], 3)

    def test_refusals_over_the_wire(self):
        collection = self.collection(people=6, minimum=2)
        other = self.collection(people=6, minimum=2)
        for one in (collection, other):
            one.contribute(0)
        body = {role: bytes.fromhex(other.receipt(0)["to_" + role]) for role in "ab"}
        own = bytes.fromhex(collection.receipt(0)["to_b"])
        cases = {
            "foreign study": ("a", body["a"]),
            "swapped roles": ("a", own),
            "too long": ("b", own + b"x"),
            "cut": ("b", own[:-1]),
            "nothing": ("a", b""),
        }
        for name, (role, message) in cases.items():
            status, text = collection.post(role, "/v1/report", message)
            self.assertIn(status, (400, 413), name)
            self.assertEqual(list(json.loads(text)), ["refused"], name)
        for cells, words in (((11, 0, 0), "the answer to c1 must be 0 to 10"), (("x", 0, 0), "one row of numbers"),
                             ((1, 2), "one row of numbers")):
            wrong = run("contribute", collection.study, collection.row_file(7, cells), "--token",
                        collection.tokens[1], check=False)
            self.assertEqual(wrong.returncode, 2)
            self.assertIn(words, wrong.stderr)
        early = collection.close(check=False)
        self.assertEqual(early.returncode, 2)
        self.assertNotIn("{", early.stderr)
        self.assertIn("fewer reports than the study's minimum", early.stderr)
        for path in ("/v1/close", "/v1/sum", "/v1/proposal", "/v1/stored"):
            self.assertEqual(collection.post("b", path, b"{}")[0], 400, path)
        self.assertEqual(collection.get("a", "/")[0], 404)
        stale = collection.path("stale.json")
        with open(collection.study, encoding="utf-8") as file:
            study = json.load(file)
        study["manifest"]["minimum_batch"] = 3
        with open(stale, "w", encoding="utf-8") as file:
            json.dump(study, file)
        refused = run("contribute", stale, collection.row_file(1), "--token", collection.tokens[1], check=False)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("not signed by aggregator a", refused.stderr)
        wrong = run("contribute", collection.study, collection.row_file(1), "--token", collection.tokens[1],
                    "--key-a", "00" * 32, check=False)
        self.assertIn("another key for aggregator a", wrong.stderr)
        forged = run("contribute", collection.study, collection.row_file(2), "--token", "ab" * 16, check=False)
        self.assertIn("the code is not one of this study", forged.stderr)

    def test_slow_and_many_clients_do_not_stop_it(self):
        collection = self.collection(people=4, minimum=2, serve=["--request-seconds", "3", "--connections", "20"])
        slow = []
        for _ in range(10):
            connection = socket.create_connection(("127.0.0.1", collection.ports["a"]))
            connection.sendall(b"POST /v1/report HTTP/1.1\r\nHost: a\r\nContent-Length: 10")
            slow.append(connection)
        collection.contribute(0)
        for connection in slow:  # each is dropped, sooner or later
            connection.settimeout(120)
            try:
                self.assertEqual(connection.recv(10), b"")
            except ConnectionResetError:
                pass
            connection.close()
        collection.contribute(1)

    def test_rate_of_an_address(self):
        collection = Collection(people=2, minimum=2)
        self.addCleanup(collection.stop)
        collection.serve_options = ["--rate", "0.5"]
        collection.start("a")
        statuses = [collection.get("a", "/v1/health")[0] for _ in range(30)]
        self.assertIn(429, statuses)
        self.assertEqual(statuses[0], 200)

    def test_tls(self):
        collection = self.collection(people=4, minimum=2, tls=True)
        for person in range(2):
            collection.contribute(person)
        collection.close()
        self.assertEqual(collection.sum_of("b")["reports"], 2)
        collection.trust = []  # nobody vouches for the certificate
        refused = collection.contribute(3, check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("no answer from https://localhost", refused.stderr)

    def test_plain_http_stays_on_loopback(self):
        collection = Collection(people=2, minimum=2)
        self.addCleanup(collection.stop)
        refused = run("collect", "serve", "--role", "a", "--folder", collection.path("a"), "--listen", "0.0.0.0",
                      check=False)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--tls-cert", refused.stderr)


if __name__ == "__main__":
    unittest.main()

"""Two server processes on loopback, participants by command line, closing, merging, what follows from it."""

import json
import os
import pathlib
import socket
import subprocess
import threading
import time
import unittest
import urllib.request

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
            self.assertAlmostEqual(got, exact, delta=0.01)

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
                    "--trust-keys", check=False)
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
                        collection.tokens[1], "--trust-keys", check=False)
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
        row = collection.row_file(2)
        unsure = run("contribute", collection.study, row, "--token", collection.tokens[2], check=False)
        self.assertEqual(unsure.returncode, 2)  # nobody is there to ask, and nothing is sent
        self.assertIn("--key-a", unsure.stderr)
        self.assertFalse(os.path.exists(row + ".receipt"))
        mistyped = run("contribute", collection.study, row, "--token", "ab" * 16, "--trust-keys", check=False)
        self.assertIn("the code is not one of this study", mistyped.stderr)
        keys = [collection.manifest()[role]["signing_key"].upper() for role in "ab"]
        right = run("contribute", collection.study, row, "--token", collection.tokens[2], "--key-a", keys[0],
                    "--key-b", keys[1])
        self.assertIn("aggregator b stored it", right.stdout)
        self.assertNotIn("taken from the study", right.stdout)

    def test_a_proxys_answer_does_not_say_that_nothing_is_stored(self):
        collection = Collection(people=2, minimum=2)
        self.addCleanup(collection.stop)
        collection.start("b")
        with socket.create_server(("127.0.0.1", collection.ports["a"])) as listener:
            def answer():
                connection = listener.accept()[0]
                connection.recv(1 << 20)
                connection.sendall(b"HTTP/1.1 504 Gateway Timeout\r\nContent-Length: 6\r\n\r\n<html>")
                connection.recv(1 << 20)
                connection.close()
            threading.Thread(target=answer, daemon=True).start()
            unsure = collection.contribute(0, check=False)
        self.assertEqual(unsure.returncode, 1)
        self.assertIn("run the same command again", unsure.stderr)
        kept = collection.receipt(0)
        collection.start("a")
        self.assertIn("aggregator a stored it", collection.contribute(0).stdout)
        self.assertEqual(collection.receipt(0), kept)

    def test_studies_are_read_before_they_are_signed_and_fit_their_ledger(self):
        collection = Collection(people=2, minimum=2)
        self.addCleanup(collection.stop)
        questions, study, ledger = map(collection.path, ("questions.csv", "new.json", "survey.ledger"))
        for role in "ab":
            run("collect", "study", "keys", "--role", role, "--address", "http://127.0.0.1:1", "--folder",
                collection.path("new", role))
        new = ["collect", "study", "new", "--title", "T", "--columns", questions, "--a",
               collection.path("new", "a", "card.json"), "--b", collection.path("new", "b", "card.json"),
               "--minimum-batch", "2", "--deadline", "2099-01-01T00:00:00Z", "--epsilon", "1", "--delta", "1e-6",
               "--out", study]
        for text, words in ((b"sch\xf6n,0,1,How?\n", "save the file as UTF-8"),
                            (b"a,0,1,How\x1b[2Jmuch?\n", "save the file as UTF-8")):
            with open(questions, "wb") as file:
                file.write(text)
            refused = run(*new, check=False)
            self.assertEqual((refused.returncode, words in refused.stderr), (2, True), refused.stderr)
        with open(questions, "wb") as file:
            file.write("\ufeffcolumn,low,high,question\nsch\u00f6n,-1,2.5,How?\n".encode())
        run("ledger", "create", ledger, "--name", "Nobody", "--epsilon", "0.5", "--delta", "1e-7", "--neighbours",
            "zero-row")
        refused = run(*new, "--ledger", ledger, check=False)
        self.assertEqual(refused.returncode, 2)
        self.assertFalse(os.path.exists(study))
        made = run(*new)
        before = pathlib.Path(study).read_bytes()
        unread = run("collect", "study", "open", study, "--folder", collection.path("new", "a"), check=False)
        self.assertEqual(unread.returncode, 2)
        self.assertIn("--sign", unread.stderr)
        for out in (made.stdout, unread.stdout):
            self.assertIn("sch\u00f6n  -1 to 2.5  How?", out)
        self.assertEqual(pathlib.Path(study).read_bytes(), before)
        self.assertFalse(os.path.exists(collection.path("new", "a", "reports.db")))
        form = run("collect", "study", "form", collection.folder, "--out", collection.path("form.html"), check=False)
        self.assertIn("cannot read " + collection.folder, form.stderr)

    def test_slow_and_many_clients_do_not_stop_it(self):
        collection = self.collection(people=4, minimum=2, serve=["--head-seconds", "3", "--connections", "20"])
        slow = []
        for i in range(60):  # more than there are places, from two other addresses
            connection = socket.create_connection(("127.0.0.1", collection.ports["a"]),
                                                  source_address=(f"127.0.0.{2 + i % 2}", 0))
            try:
                connection.sendall(b"POST /v1/report HTTP/1.1\r\nHost: a\r\nContent-Length: 10")
            except OSError:
                pass  # closed at once: there was no place
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

    def test_deeply_nested_messages_do_not_end_it(self):
        collection = self.collection(people=2, minimum=2)
        nested = b'{"message":' + b"[" * 1900 + b"]" * 1900 + b',"signature":"00"}'
        large = b'{"message":' + b"[" * 130000 + b"]" * 130000 + b',"signature":"00"}'
        for role in "ab":
            for path in ("/v1/proposal", "/v1/stored", "/v1/failed", "/v1/sum", "/v1/close"):
                self.assertEqual(collection.post(role, path, nested)[0], 400, path)
                self.assertEqual(collection.post(role, path, large)[0], 413, path)
            self.assertEqual(json.loads(collection.get(role, "/v1/health")[1])["state"], "open")
        deep = collection.path("nest.json")
        with open(deep, "wb") as file:
            file.write(b'{"manifest":' + b"[" * 500000 + b"]" * 500000 + b"}")
        refused = run("contribute", deep, collection.row_file(0), "--token", collection.tokens[0], check=False)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("this is no study", refused.stderr)

    def test_below_the_minimum_at_the_deadline_nothing_is_kept(self):
        start = time.monotonic()
        self.collection(people=4, minimum=2).contribute(0)
        wait = 4.0 + 6.0 * (time.monotonic() - start)
        collection = self.collection(people=4, minimum=3, deadline=in_seconds(wait))
        for person in range(2):
            collection.contribute(person)
        for role in "ab":
            self.assertTrue(wait_until(
                lambda role=role: json.loads(collection.get(role, "/v1/health")[1])["state"] == "failed",
                seconds=10 * wait + 60))
            self.assertFalse(os.path.exists(collection.path(role, "sealing.key")))
        ledger = collection.path("survey.ledger")
        run("ledger", "create", ledger, "--name", "Nobody", "--mu", "3", "--neighbours", "zero-row")
        refused = collection.close("--ledger", ledger, check=False)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("fewer whole reports than its minimum", refused.stderr)
        self.assertEqual(json.loads(run("ledger", "show", ledger, "--json").stdout)["entries"], [])

    def test_stops_while_the_other_one_is_silent(self):
        collection = Collection(people=3, minimum=2)
        self.addCleanup(collection.stop)
        collection.start_both()
        for person in range(2):
            collection.contribute(person)
        collection.kill("b")
        with socket.create_server(("127.0.0.1", collection.ports["b"])) as silent:
            closing = subprocess.Popen([os.environ["EIGENVEIL"], "collect", "study", "close", collection.study,
                                        "--out", collection.path("sums")], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            waiting = silent.accept()[0]
            waiting.recv(1)  # A waits for an answer of B now
            process = collection.processes.pop("a")
            process.terminate()
            process.communicate(timeout=60)  # a call would wait for five minutes
            self.assertEqual(process.returncode, 0)
            closing.wait(timeout=60)
            waiting.close()

    def test_one_process_serves_a_folder_and_its_files_are_its_own(self):
        collection = Collection(people=2, minimum=2)
        self.addCleanup(collection.stop)
        collection.start("a")
        request = urllib.request.Request(collection.address("a") + "/v1/health", method="HEAD")
        with urllib.request.urlopen(request, timeout=30) as answer:
            self.assertEqual((answer.status, answer.read()), (200, b""))
        serve = ["collect", "serve", "--role", "a", "--folder", collection.path("a")]
        second = run(*serve, check=False)
        self.assertEqual(second.returncode, 2)
        self.assertIn("another process serves", second.stderr)
        collection.kill("a")
        for name in ("aggregator.key", "reports.db", "sealing.key"):
            os.chmod(collection.path("a", name), 0o640)
            refused = run(*serve, check=False)
            self.assertEqual(refused.returncode, 2)
            self.assertIn(name + " is open to other users", refused.stderr)
            os.chmod(collection.path("a", name), 0o600)
        missing = run(*serve, "--tls-cert", collection.path("none.pem"), "--tls-key", collection.path("none.key"),
                      check=False)
        self.assertIn("cannot read " + collection.path("none.pem"), missing.stderr)

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

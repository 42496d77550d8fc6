"""Who can report in whose name: an aggregator with the tokens it is shown, an issuer other than the collector."""

import hashlib
import http.server
import json
import secrets
import subprocess
import threading
import unittest
import urllib.error
import urllib.request

from collection_support import REFERENCE, Collection, run

HEAD = 5 + 32 + 16  # "EVR2", role, study, identifier; the token follows


def half(role, blind, payload):
    return hashlib.sha256(b"eigenveil half 1 " + role.encode() + blind + payload).digest()


class RogueAggregator:
    """Stands in for A: before it lets a report through, it reports in the person's name at B, with the token it was
    shown; under an identifier of its own and under the person's."""

    def __init__(self, collection):
        self.collection, self.answers = collection, []
        rogue = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.path == "/v1/report":
                    for identifier in (secrets.token_bytes(16), body[37:HEAD]):
                        rogue.answers.append(rogue.post("b", "/v1/report", rogue.made_up(body, identifier)))
                status, text = rogue.post("a", self.path, body)
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def made_up(self, seen, identifier):
        """A sound half for B: blind, hash of A's half, a share that A knows."""
        manifest, study, token = self.collection.manifest(), seen[5:37], seen[HEAD:HEAD + 16]
        dimension = len(manifest["columns"]) + 1
        share, blind = bytes(16 * dimension * (dimension + 1) // 2), secrets.token_bytes(32)
        plaintext = blind + half("a", secrets.token_bytes(32), secrets.token_bytes(32)) + share
        info = f"eigenveil collection 1 {study.hex()} b".encode()
        sealed = subprocess.run([REFERENCE, "seal", manifest["b"]["sealing_key"], info.hex(),
                                 (identifier + token).hex(), plaintext.hex()], capture_output=True, text=True,
                                check=True)
        return b"EVR2b" + study + identifier + token + bytes.fromhex(sealed.stdout.strip())

    def post(self, role, path, body):
        request = urllib.request.Request(f"http://127.0.0.1:{self.collection.ports[role]}{path}", data=body,
                                         method="POST")
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Direct:
    def __init__(self, port):
        self.port = port

    def close(self):
        pass


class IssuerTest(unittest.TestCase):
    def test_an_aggregator_cannot_report_in_a_persons_name(self):
        rogues = []

        def network(port):
            if rogues:
                return Direct(port)  # B
            rogues.append(RogueAggregator(None))
            return rogues[0]

        collection = Collection(columns=2, people=14, minimum=12, noise="participants", extra=("--colluders", "2"),
                                networks=network)
        self.addCleanup(collection.stop)
        rogues[0].collection = collection
        collection.start_both()
        # The rogue's half is sound: with a token for B, as a colluding participant has one, B takes it.
        code = bytes.fromhex(collection.tokens[13])
        study = bytes.fromhex(json.loads(collection.get("b", "/v1/health")[1])["study"])
        token = hashlib.sha256(b"eigenveil token 2 " + study + code + b"b").digest()[:16]
        own = rogues[0].made_up(b"EVR2a" + study + bytes(16) + token, secrets.token_bytes(16))
        self.assertEqual(rogues[0].post("b", "/v1/report", own)[0], 200)
        for person in range(12):
            self.assertIn("aggregator b stored it", collection.contribute(person).stdout)
        self.assertEqual(len(rogues[0].answers), 24)
        for status, text in rogues[0].answers:
            self.assertEqual(status, 400)
            self.assertEqual(json.loads(text), {"refused": "the code is not one of this study"})
        collection.close()
        self.assertEqual(collection.sum_of("b")["reports"], 12)
        for person in range(12):
            self.assertIn(collection.receipt(person)["report"], collection.get("b", "/v1/closing-list")[1])

    def test_an_issuer_other_than_the_collector(self):
        collection = Collection(columns=1, people=6, minimum=4, noise="participants", issuer=True)
        self.addCleanup(collection.stop)
        refused = run("collect", "study", "tokens", collection.study, "--count", 3, "--out", collection.path("more"),
                      "--list", collection.path("more.list"), check=False)
        self.assertEqual(refused.returncode, 2)  # the collector's key
        self.assertEqual(refused.stderr.count("\n"), 1)
        collection.start_both()
        for person in range(4):
            collection.contribute(person)
        collection.close()
        collection.merge()
        words = run("explain", collection.path("gram")).stdout
        self.assertIn("whoever issues the codes (not the collector", words)

    def test_studies_of_earlier_versions_are_refused(self):
        collection = Collection(people=4, minimum=2)
        self.addCleanup(collection.stop)
        with open(collection.study, encoding="utf-8") as file:
            study = json.load(file)
        study["manifest"]["eigenveil_study"] = 1
        del study["manifest"]["issuer_key"]
        with open(collection.study, "w", encoding="utf-8") as file:
            json.dump(study, file)
        refused = collection.contribute(0, check=False)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("both aggregators saw the same token", refused.stderr)


if __name__ == "__main__":
    unittest.main()

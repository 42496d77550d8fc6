"""A whole collection on loopback: two aggregators as processes of their own, a collector, people. Standard
library only."""

import datetime
import http.client
import json
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request

PROGRAM = os.environ.get("EIGENVEIL", "")
REFERENCE = os.environ.get("EIGENVEIL_REFERENCE", "")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run(*arguments, check=True):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False)
    if check and done.returncode != 0:
        raise AssertionError(f"{arguments}: {done.stderr}")
    return done


def answers(person, columns):
    """Of made-up people, the same each time."""
    return [(7 * person + 3 * j * j + person * j) % 11 for j in range(columns)]


class Network:
    """Stands between everybody and one server, and cuts connections: before a byte is passed on, in the middle of a
    request, or before the answer is passed back."""

    def __init__(self, port, chance, randomness):
        self.target, self.chance, self.randomness = port, chance, randomness
        self.cuts = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.carry, args=(client,), daemon=True).start()

    def carry(self, client):
        cut = self.randomness.choice(("before", "middle", "answer")) if self.randomness.random() < self.chance else ""
        self.cuts += bool(cut)
        with client:
            if cut == "before":
                return
            try:
                with socket.create_connection(("127.0.0.1", self.target), timeout=10) as server:
                    back = threading.Thread(target=self.pump, args=(server, client, cut == "answer"), daemon=True)
                    back.start()
                    self.pump(client, server, cut == "middle")
                    back.join(timeout=30)
            except OSError:
                pass

    @staticmethod
    def pump(source, sink, cut):
        try:
            while True:
                data = source.recv(1 << 16)
                if not data or cut:
                    if cut and data:
                        sink.sendall(data[:len(data) // 2])
                    break
                sink.sendall(data)
        except OSError:
            pass
        for end in (sink, source) if cut else (sink,):
            try:
                end.shutdown(socket.SHUT_RDWR if cut else socket.SHUT_WR)
            except OSError:
                pass

    def close(self):
        self.listener.close()


class Collection:
    """Servers run until `stop`; `start` starts one again after a kill."""

    def __init__(self, columns=3, people=20, minimum=4, noise="servers", budget=("--epsilon", "1", "--delta", "1e-6"),
                 seeds=(None, None), deadline=None, extra=(), serve=(), tls=False, networks=None,
                 issuer=False):
        self.folder = tempfile.mkdtemp(prefix="eigenveil-collection-")
        self.columns = columns
        self.seeds = dict(zip("ab", seeds))
        self.serve_options = list(serve)
        self.trust = []
        self.scheme = "http"
        if tls:
            self.make_certificate()
        self.processes = {}
        self.ports = {role: free_port() for role in "ab"}
        self.networks = {role: networks(self.ports[role]) for role in "ab"} if networks else {}
        for role in "ab":
            run("collect", "study", "keys", "--role", role, "--address", self.address(role),
                "--folder", self.path(role))
        with open(self.path("columns.csv"), "w", encoding="utf-8") as file:
            file.write("column,low,high,question\n")
            for j in range(columns):
                file.write(f'c{j + 1},0,10,"How much of {j + 1}?"\n')
        self.study = self.path("study.json")
        key = []
        if issuer:  # somebody other than the collector hands out codes
            made = run("collect", "study", "issuer", "--out", self.path("issuer.key")).stdout
            extra = (*extra, "--issuer", made.split()[-1])
            key = ["--key", self.path("issuer.key")]
        run("collect", "study", "new", "--title", "A study of nobody", "--columns", self.path("columns.csv"),
            "--a", self.path("a", "card.json"), "--b", self.path("b", "card.json"), *budget,
            "--noise", noise, "--minimum-batch", minimum,
            "--deadline", deadline or "2099-01-01T00:00:00Z", "--out", self.study, *extra)
        for role in "ab":
            run("collect", "study", "open", self.study, "--folder", self.path(role), "--sign")
        run("collect", "study", "tokens", self.study, "--count", people, "--out", self.path("codes"),
            "--list", self.path("tokens.list"), *key)
        with open(self.path("codes"), encoding="utf-8") as file:
            self.tokens = file.read().split()

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def address(self, role):
        host = "localhost" if self.scheme == "https" else "127.0.0.1"
        port = self.networks[role].port if self.networks else self.ports[role]
        return f"{self.scheme}://{host}:{port}"

    def manifest(self):
        with open(self.study, encoding="utf-8") as file:
            return json.load(file)["manifest"]

    def make_certificate(self):
        self.scheme = "https"
        key, certificate = self.path("tls.key"), self.path("tls.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out",
                        certificate, "-days", "2", "-subj", "/CN=localhost", "-addext",
                        "subjectAltName=DNS:localhost"], capture_output=True, check=True)
        self.trust = ["--ca", certificate]
        self.serve_options += ["--tls-cert", certificate, "--tls-key", key, *self.trust]

    def start(self, role):
        command = [PROGRAM, "collect", "serve", "--role", role, "--folder", self.path(role), "--tokens",
                   self.path("tokens.list"), "--port", str(self.ports[role]), "--quiet", *self.serve_options]
        if "--rate" not in command:
            command += ["--rate", "100000"]
        if self.seeds[role] is not None:
            command += ["--seed", str(self.seeds[role])]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = process.stdout.readline()
        if "listens on" not in line:
            raise AssertionError(f"aggregator {role} did not start: {process.stderr.read()}")
        self.processes[role] = process

    def start_both(self):
        for role in "ab":
            self.start(role)

    def kill(self, role):
        process = self.processes.pop(role)
        process.kill()
        process.communicate()

    def stop(self):
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            process.communicate(timeout=30)
        self.processes = {}
        for network in self.networks.values():
            network.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def row_file(self, person, cells=None):
        name = self.path(f"row{person}.csv")
        with open(name, "w", encoding="utf-8") as file:
            file.write(",".join(f"c{j + 1}" for j in range(self.columns)) + "\n")
            file.write(",".join(map(str, cells or answers(person, self.columns))) + "\n")
        return name

    def contribute(self, person, cells=None, check=True):
        row = self.path(f"row{person}.csv")
        if not os.path.exists(row):
            row = self.row_file(person, cells)
        return run("contribute", self.study, row, "--token", self.tokens[person], "--trust-keys", *self.trust,
                   check=check)

    def table(self, people):
        """All rows as a curator would have them."""
        name = self.path("all.csv")
        with open(name, "w", encoding="utf-8") as file:
            file.write(",".join(f"c{j + 1}" for j in range(self.columns)) + "\n")
            for person in people:
                file.write(",".join(map(str, answers(person, self.columns))) + "\n")
        return name

    def receipt(self, person):
        with open(self.path(f"row{person}.csv.receipt"), encoding="utf-8") as file:
            return json.load(file)

    def close(self, *options, check=True):
        return run("collect", "study", "close", self.study, "--out", self.path("sums"), *self.trust, *options,
                   check=check)

    def sum_of(self, role):
        with open(self.path("sums", f"{role}.sum"), encoding="utf-8") as file:
            return json.load(file)["message"]

    def collected(self):
        """Both sums together, as signed integers."""
        halves = [bytes.fromhex(self.sum_of(role)["sum"]) for role in "ab"]
        entries = []
        for at in range(0, len(halves[0]), 16):
            value = sum(int.from_bytes(half[at:at + 16], "little") for half in halves) % 2**128
            entries.append(value - 2**128 if value >= 2**127 else value)
        return entries

    def merge(self, out="gram", options=()):
        return run("collect", "study", "merge", self.study, self.path("sums", "a.sum"), self.path("sums", "b.sum"),
                   "--out", self.path(out), *options)

    def post(self, role, path, body, timeout=30):
        """Status and body of an answer; None where none came."""
        request = urllib.request.Request(self.address(role) + path, data=body, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()
        except (urllib.error.URLError, http.client.HTTPException, OSError):
            return None

    def get(self, role, path):
        try:
            with urllib.request.urlopen(self.address(role) + path, timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()


def in_seconds(seconds):
    moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def wait_until(condition, seconds=30):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False

"""The explorer's program without a browser: its page's questions, asked as the page asks them."""

import http.client
import json
import os
import re
import select
import signal
import subprocess
import threading

from support import PROGRAM, CliTest


class Explorer:
    """The program, opened; `ask` sends what the page would send and returns status and answer."""

    def __init__(self, folder, *arguments, environment=None, browser=False):
        outside = {name: value for name, value in os.environ.items()
                   if name not in ("DISPLAY", "WAYLAND_DISPLAY", "EIGENVEIL_LEDGER")}
        words = [PROGRAM, "explore", *([] if browser else ["--no-browser"]), *map(str, arguments)]
        self.process = subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True,
                                        env={**outside, **(environment or {})}, start_new_session=True)
        self.process.stdout.readline()
        self.file = self.process.stdout.readline().strip().removeprefix("file://")
        with open(self.file, encoding="utf-8") as page:
            address, self.secret = re.search(r"url=(http://[^/]+)/#([0-9a-f]+)", page.read()).groups()
        self.origin, self.port = address, int(address.rsplit(":", 1)[1])
        self.session = None
        self.session = self.told("/api/session", {"secret": self.secret})["session"]

    def ask(self, path, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        headers = {"Origin": self.origin, "Content-Type": "application/json"}
        if self.session:
            headers["X-Eigenveil-Session"] = self.session
        text = body if isinstance(body, str) else json.dumps(body)
        connection.request("POST", path, text, headers)
        answer = connection.getresponse()
        said = answer.read().decode()
        connection.close()
        return answer.status, json.loads(said) if said.startswith("{") else {"error": said}

    def told(self, path, body):
        status, answer = self.ask(path, body)
        assert status == 200, (path, status, answer)
        return answer

    def refused(self, path, body):
        status, answer = self.ask(path, body)
        assert status == 422, (path, status, answer)
        return answer["error"]

    def source(self):
        return self.told("/api/source", {})

    def question(self, **more):
        """What the page sends for its table, a release of two directions."""
        source = self.source()
        asked = {"task": "pca", "epsilon": 1, "delta": 1e-6, "people": 20000, "columns": source["columns"], "range": [0, 10],
                 "relation": "add-remove", "hoped": 2, "components": 2, "out": "out"}
        if "mark" in source:
            asked["mark"] = source["mark"]
        asked.update(more)
        return asked

    def look(self, asked):
        return self.told("/api/look", asked)

    def press(self, asked, **more):
        """As the button does: with the command that a look has put on the screen."""
        return self.ask("/api/release", {**asked, "shown": self.look(asked)["command"], **more})

    def status(self):
        return self.told("/api/status", {})

    def until(self, found):
        while True:
            status = self.status()
            if found(status):
                return status

    def ended(self):
        return self.until(lambda status: status["state"] != "running")

    def end(self, number=signal.SIGTERM, group=False):
        """What it says at its end."""
        (os.killpg if group else os.kill)(self.process.pid, number)
        said, _ = self.process.communicate(timeout=60)
        return said


class ExplorerTest(CliTest):
    COLUMNS = ["a", "b", "c"]

    def setUp(self):
        super().setUp()
        self.header = ",".join(self.COLUMNS) + "\n"
        self.rows = "1,2,3\n9,8,4\n5,1,7\n2,9,9\n" * 500
        self.write("table.csv", self.header + self.rows)

    def make_ledger(self, name="a.ledger", epsilon=50, *more):
        self.succeed("ledger", "create", name, "--name", "Test", "--epsilon", epsilon, "--delta", "1e-5", *more)
        return name

    def explorer(self, *arguments, **more):
        opened = Explorer(self.folder, *arguments, **more)
        self.addCleanup(self.close, opened)
        return opened

    @staticmethod
    def close(opened):
        if opened.process.poll() is None:
            opened.process.kill()
        opened.process.communicate()

    def entries(self, name="a.ledger"):
        return json.loads(self.succeed("ledger", "show", name, "--json"))["entries"]

    def make_endless(self, name="table.csv"):
        """A table that never ends, in the place of the one that was looked at: a run that reads it is under way until it is
        stopped. For one run: what it left unread would be another run's first line."""
        os.remove(self.path(name))
        os.mkfifo(self.path(name))
        held = os.open(self.path(name), os.O_RDWR | os.O_NONBLOCK)  # both ends, so that nobody waits for a writer
        ended, end = os.pipe()

        def fill():
            waiting = self.header.encode()
            while ended not in select.select([ended], [held], [])[0]:
                try:
                    waiting = waiting[os.write(held, waiting):] or self.rows.encode()
                except BlockingIOError:
                    continue  # another writer's turn: there is none, but a short count may be

        filling = threading.Thread(target=fill)
        filling.start()

        def stop():
            os.write(end, b".")
            filling.join()
            for one in (held, ended, end):
                os.close(one)

        self.addCleanup(stop)

    def in_threads(self, *calls):
        threads = [threading.Thread(target=call) for call in calls]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

"""Programs that are killed at random while they release, several at once: never overspent, never a release that is not
in the ledger, nothing half. EIGENVEIL_KILLS kills in all (make test: few; make soak: 1,000)."""

import json
import os
import random
import signal
import subprocess
import threading
import time
import unittest

from support import PROGRAM, CliTest

KILLS = int(os.environ.get("EIGENVEIL_KILLS", "40"))
WORKERS = 4
MU = 0.05


class Kills(CliTest):
    def arguments(self, out, key):
        return [PROGRAM, "covariance", "table.csv", "--mu", str(MU), "--range", "0:10", "--header", "present", "--quiet",
                "--ledger", "a.ledger", "--ledger-key", key, "--out", out]

    def start(self, out, key):
        return subprocess.Popen(self.arguments(out, key), cwd=self.folder, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE)

    def setUp(self):
        super().setUp()
        self.write("table.csv", "a,b\n" + "1,2\n4,9\n" * 50)
        # Room for about half of what is tried, so that the cap itself is met.
        fits = max(4, KILLS // 2)
        self.succeed("ledger", "create", "a.ledger", "--name", "kills", "--mu", repr(MU * (fits + 0.5) ** 0.5))
        self.fits = fits
        # How long a whole run takes beside the others: kills fall anywhere in it, and some come too late.
        begun = time.monotonic()
        for probe in [self.start(f"probe{n}", f"probe{n}") for n in range(WORKERS)]:
            probe.communicate()
        self.whole = time.monotonic() - begun
        self.killed = 0
        self.lock = threading.Lock()

    def worker(self, number):
        chance = random.Random(number)
        for attempt in range(100 * KILLS):
            with self.lock:
                if self.killed >= KILLS:
                    return
            name = f"w{number}-{attempt}"
            process = self.start(name, name)
            time.sleep(chance.random() * 1.2 * self.whole)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            with self.lock:
                self.killed += process.returncode == -signal.SIGKILL

    def test_never_overspent_never_half(self):
        workers = [threading.Thread(target=self.worker, args=(n,)) for n in range(WORKERS)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertGreaterEqual(self.killed, KILLS)
        shown = json.loads(self.succeed("ledger", "show", "a.ledger", "--json"))
        entries = shown["entries"]
        self.assertLessEqual(len(entries), self.fits)
        self.assertLessEqual(shown["spent"]["mu_squared"], shown["caps"]["mu"] ** 2)
        outs = [name for name in os.listdir(self.folder) if os.path.isdir(self.path(name)) and not name.startswith(".")]
        self.succeed("ledger", "verify", "a.ledger", "--release", *outs)
        published = set()
        for out in outs:
            with open(self.path(out, "release.json"), encoding="utf-8") as file:
                published.add(json.load(file)["ledger"]["index"])
        self.assertEqual(len(published), len(outs))
        # Every settled release is there, or a retry puts the same bits there; every other one is spent.
        again = spent = 0
        for entry in entries:
            before = os.path.exists(self.path(entry["key"]))
            done = subprocess.run(self.arguments(entry["key"], entry["key"]), cwd=self.folder, capture_output=True,
                                  check=False)
            if entry["release"]:
                self.assertEqual(done.returncode, 0, done.stderr)
                again += not before
            else:
                self.assertFalse(before, "published without a settlement")
                self.assertEqual(done.returncode, 2)
                self.assertIn(b"spent and there is no release", done.stderr)
                spent += 1
        after = json.loads(self.succeed("ledger", "show", "a.ledger", "--json"))
        self.assertEqual(len(after["entries"]), len(entries), "a retry was charged")
        print(f"{self.killed} kills, {len(entries)} reservations, {len(outs)} published, {again} after a retry, "
              f"{spent} spent without a release")


if __name__ == "__main__":
    unittest.main()

"""Servers killed (-9) at any point, and the network cut between any two messages. Whatever happens: every report
that both servers accepted before closing is counted once, every other one is told apart by the closing list; there
is one closing; no sum below the minimum."""

import json
import os
import random
import threading
import time
import unittest

from collection_support import Collection, Network, answers

KILLS = int(os.environ.get("EIGENVEIL_KILLS", "12"))
PEOPLE = 24
MINIMUM = 6


class KillTest(unittest.TestCase):
    def one_study(self, number):
        """A study with several kills and cuts; how many."""
        randomness = random.Random(f"collect kills {number}")
        collection = Collection(columns=2, people=PEOPLE, minimum=MINIMUM, budget=("--mu", "1e5"),
                                networks=lambda port: Network(port, 0.15, randomness))
        self.addCleanup(collection.stop)
        collection.start_both()
        messages = {}
        for person in range(PEOPLE):  # sealed once; nothing is sent yet
            collection.row_file(person)
        for role in "ab":
            collection.kill(role)
        for person in range(PEOPLE):
            collection.contribute(person, check=False)
            receipt = collection.receipt(person)
            messages[person] = {role: bytes.fromhex(receipt["to_" + role]) for role in "ab"}
        collection.start_both()

        kills = 0
        acknowledged = {role: set() for role in "ab"}

        def kill_after(role, seconds):
            time.sleep(seconds)
            collection.kill(role)
            collection.start(role)

        # Reports, from several people at once, while a server dies.
        for batch in range(3):
            role = randomness.choice("ab")
            killer = threading.Thread(target=kill_after, args=(role, randomness.uniform(0.0, 0.06)))
            killer.start()
            kills += 1
            for person in range(batch * PEOPLE // 3, (batch + 1) * PEOPLE // 3):
                for side in "ab":
                    for _ in range(randomness.randrange(1, 4)):
                        answer = collection.post(side, "/v1/report", messages[person][side], timeout=10)
                        if answer is not None and answer[0] == 200:
                            acknowledged[side].add(person)
                            break
            killer.join()

        # Closing, asked for until it succeeds, while servers die.
        closed = False
        for attempt in range(40):
            killer = None
            if attempt < 3:
                role = randomness.choice("ab")
                killer = threading.Thread(target=kill_after, args=(role, randomness.uniform(0.0, 0.08)))
                killer.start()
                kills += 1
            done = collection.close(check=False)
            if killer is not None:
                killer.join()
            if done.returncode == 0:
                closed = True
                if attempt >= 3:
                    break
            else:
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertIn(done.returncode, (1, 2))
                if "fewer" in done.stderr and attempt >= 3:
                    break
            if attempt >= 3:
                time.sleep(0.1)
        both = acknowledged["a"] & acknowledged["b"]
        if len(both) >= MINIMUM:
            self.assertTrue(closed, "enough reports, and no closing")
        cuts = sum(network.cuts for network in collection.networks.values())
        for network in collection.networks.values():  # the rest looks at what is there
            network.chance = 0.0
        if closed:
            self.check_closing(collection, both)
        return kills, cuts

    def check_closing(self, collection, both):
        lists = [collection.get(role, "/v1/closing-list")[1] for role in "ab"]
        self.assertEqual(lists[0], lists[1])
        counted = set(lists[0].split("\n")[2:-1])
        reports = {collection.receipt(person)["report"]: person for person in range(PEOPLE)}
        people = {reports[one] for one in counted}
        self.assertGreaterEqual(len(people), MINIMUM)
        self.assertLessEqual(both, people, "a report that both acknowledged does not count")
        sums = [collection.sum_of(role) for role in "ab"]
        self.assertEqual({one["reports"] for one in sums}, {len(people)})
        first = [json.dumps(one) for one in sums]
        # Repeats send the stored bytes.
        for role in "ab":
            collection.kill(role)
            collection.start(role)
        collection.close()
        self.assertEqual(first, [json.dumps(collection.sum_of(role)) for role in "ab"])
        # Counted exactly once: the noise is far below one report's share of the corner and of a sum.
        manifest = collection.manifest()
        self.assertEqual(collection.collected()[0], manifest["constant"] ** 2 * len(people))
        exact = sum((answers(person, 2)[0] - 5) / 5 for person in people)
        got = collection.collected()[1] / manifest["constant"] / manifest["max_abs"]
        self.assertAlmostEqual(got, exact, delta=0.05)

    def test_kills_and_cuts(self):
        kills = cuts = number = 0
        while kills < KILLS:
            killed, cut = self.one_study(number)
            kills, cuts, number = kills + killed, cuts + cut, number + 1
        print(f"{kills} kills and {cuts} cuts in {number} studies")


if __name__ == "__main__":
    unittest.main()

"""What the explorer's program spends and says of it, asked as its page asks. tests/browser drives the page itself."""

import os
import shlex
import subprocess

from explorer_support import ExplorerTest
from support import PROGRAM, read_json


class Gate(ExplorerTest):
    """A release that noise drowns is spent by nobody who has not said so, and then the command says it too."""

    def run_shown(self, command):
        words = shlex.split(command)
        return subprocess.run([PROGRAM, *words[1:]], cwd=self.folder, capture_output=True, text=True, check=False)

    def test_drowned_on_the_page(self):
        self.make_ledger()
        explorer = self.explorer("table.csv", "--header", "present", "--ledger", "a.ledger")
        asked = explorer.question(epsilon=0.01, people=2000, components=1)
        look = explorer.look(asked)
        self.assertEqual(look["above_noise"], 0)
        self.assertIn("none of the 2 components", look["drowned"])
        self.assertNotIn("--anyway", look["command"])
        status, said = explorer.press(asked)
        self.assertEqual(status, 422)
        self.assertIn("noise would drown", said["error"])
        self.assertEqual(self.entries(), [])
        # The command that was shown refuses as well.
        self.assertEqual(self.run_shown(look["command"]).returncode, 2)
        self.assertEqual(self.entries(), [])

    def test_insisting_stands_in_the_command(self):
        self.make_ledger()
        explorer = self.explorer("table.csv", "--header", "present", "--ledger", "a.ledger")
        asked = explorer.question(epsilon=0.01, people=2000, components=1, anyway=True)
        look = explorer.look(asked)
        self.assertTrue(look["anyway"])
        self.assertIn("--anyway", shlex.split(look["command"]))
        self.assertIn("anyway=True", look["python"])
        self.assertEqual(explorer.press(asked)[0], 200)
        self.assertEqual(explorer.ended()["state"], "released")
        self.assertEqual(len(self.entries()), 1)
        # And only where there is something to insist on.
        sharp = explorer.look(explorer.question(epsilon=20, people=10**7, components=1, anyway=True))
        self.assertEqual((sharp["drowned"], sharp["anyway"]), ("", False))
        self.assertNotIn("--anyway", sharp["command"])

    def test_drowned_by_the_verdict_of_the_command(self):
        """Assumptions of the page may be kinder than the rule of the command, which then speaks first."""
        self.make_ledger()
        self.write("wide.csv", ",".join("abcdefghijkl") + "\n" + ",".join(["5"] * 12) + "\n")
        explorer = self.explorer("wide.csv", "--header", "present", "--ledger", "a.ledger")
        for epsilon in (0.02, 0.03, 0.05, 0.08, 0.1, 0.15, 0.2, 0.3):
            asked = explorer.question(epsilon=epsilon, people=2000, components=1, spread=0.9)
            look = explorer.look(asked)
            refused = self.run_shown(look["command"].replace("--out out", f"--out shown-{epsilon}").replace("--ledger a.ledger", "")).returncode == 2
            if look["above_noise"] > 0 and refused:
                self.assertIn("noise would outweigh the result", look["drowned"])
                self.assertNotIn("{", look["drowned"])
                break
        else:
            self.fail("no setting where the page is kinder than the command")
        self.assertEqual(explorer.press(asked)[0], 422)
        self.assertEqual(self.entries(), [])

    def test_other_tasks_have_the_same_gate(self):
        self.make_ledger("b.ledger", 50, "--neighbours", "zero-row")
        explorer = self.explorer("table.csv", "--header", "present", "--ledger", "b.ledger")
        for task, more in (("covariance", {}), ("mask", {"relation": "zero-row"})):
            asked = explorer.question(task=task, epsilon=0.01, people=2000, components=0, anyway=task == "mask", **more)
            look = explorer.look(asked)
            self.assertIn("leaves nothing", look["drowned"], task)
            self.assertEqual(look["can_insist"], task != "mask")
            self.assertNotIn("--anyway", look["command"], task)
            self.assertEqual(explorer.press(asked)[0], 422, task)
        self.assertEqual(self.entries("b.ledger"), [])


class Columns(ExplorerTest):
    """What was looked at is what is released."""

    def test_a_table_exchanged_after_the_look(self):
        self.make_ledger()
        explorer = self.explorer("table.csv", "--header", "present", "--ledger", "a.ledger")
        asked = explorer.question()
        shown = explorer.look(asked)["command"]
        self.write("table.csv", "a,b,c,hiv\n" + "1,2,3,1\n" * 2000)
        self.assertEqual(explorer.ask("/api/release", {**asked, "shown": shown})[0], 200)
        status = explorer.ended()
        self.assertEqual((status["state"], status["charged"]), ("failed", False))
        self.assertIn("no longer has the columns", status["message"])
        self.assertEqual(self.entries(), [])
        self.assertFalse(os.path.exists(self.path("out")))
        # As many columns of other names, and then the table as it was.
        self.write("table.csv", "a,b,hiv\n" + self.rows)
        explorer.ask("/api/release", {**asked, "shown": shown})
        self.assertEqual(explorer.ended()["state"], "failed")
        self.write("table.csv", self.header + self.rows)
        explorer.ask("/api/release", {**asked, "shown": shown})
        self.assertEqual(explorer.ended()["state"], "released")
        self.assertEqual(len(self.entries()), 1)

    def test_the_option_is_in_no_help(self):
        self.assertNotIn("expect-columns", self.succeed("pca", "--help-all"))
        self.assertNotIn("expect-columns", self.refuse("pca", "table.csv", "--expect-colums", "x"))


class Charge(ExplorerTest):
    """What is said of a charge is what the ledger has of this very press."""

    def cancelled_when_charged(self, explorer, asked, **more):
        self.assertEqual(explorer.press(asked, **more)[0], 200)
        self.assertIs(explorer.until(lambda status: status["charged"])["charged"], True)
        explorer.told("/api/cancel", {})
        return explorer.ended()

    def test_what_others_spend_is_not_this_charge(self):
        self.make_ledger("a.ledger", 1, "--basic-share", "0.1")
        explorer = self.explorer("table.csv", "--header", "present", "--ledger", "a.ledger")
        asked = explorer.question(epsilon=0.8, people=10**6)
        shown = explorer.look(asked)["command"]

        def other(epsilon, out):
            self.succeed("pca", "table.csv", "--header", "present", "-k", 1, "--epsilon", epsilon, "--delta", "1e-6", "--range", "0:10",
                         "--people", 10**6, "--ledger", "a.ledger", "--out", out, "--quiet")

        other(0.7, "first")
        explorer.ask("/api/release", {**asked, "shown": shown})
        self.assertEqual((explorer.ended()["state"], explorer.status()["charged"]), ("failed", False))
        other(0.1, "second")
        self.assertIs(explorer.status()["charged"], False)
        self.assertEqual(len(self.entries()), 2)

    def test_a_ledger_that_cannot_be_read(self):
        self.make_ledger()
        explorer = self.explorer("table.csv", "--header", "present", "--ledger", "a.ledger")
        self.make_endless()
        self.assertEqual(explorer.press(explorer.question())[0], 200)
        explorer.until(lambda status: status["charged"])
        os.rename(self.path("a.ledger"), self.path("away.ledger"))
        explorer.told("/api/cancel", {})
        self.assertIsNone(explorer.ended()["charged"], "nobody knows, and that is said")
        self.assertIsNone(explorer.status()["charged"])
        os.rename(self.path("away.ledger"), self.path("a.ledger"))
        self.assertIs(explorer.status()["charged"], True)

    def test_a_ledger_that_could_not_be_read_at_the_press(self):
        """Its old entries are no charge of a press that came to nothing."""
        self.make_ledger()
        self.succeed("pca", "table.csv", "--header", "present", "-k", 1, "--epsilon", 1, "--delta", "1e-6", "--range", "0:10",
                     "--people", 10**6, "--ledger", "a.ledger", "--out", "first", "--quiet")
        explorer = self.explorer("table.csv", "--header", "present", "--ledger", "a.ledger")
        asked = explorer.question()
        shown = explorer.look(asked)["command"]
        os.rename(self.path("a.ledger"), self.path("away.ledger"))
        explorer.ask("/api/release", {**asked, "shown": shown})
        self.assertEqual(explorer.ended()["state"], "failed")
        os.rename(self.path("away.ledger"), self.path("a.ledger"))
        self.assertIs(explorer.status()["charged"], False)

    def test_charged_again_is_of_one_command(self):
        self.make_ledger()
        explorer = self.explorer("table.csv", "--header", "present", "--ledger", "a.ledger")
        one, other = explorer.question(out="one"), explorer.question(out="other")
        # Something that is released before, and found after.
        done = explorer.question(out="done")
        explorer.press(done)
        self.assertEqual(explorer.ended()["state"], "released")
        self.make_endless()
        self.cancelled_when_charged(explorer, one)
        self.make_endless()
        self.cancelled_when_charged(explorer, other)
        self.make_endless()
        self.cancelled_when_charged(explorer, other, again="charge again")
        self.assertEqual(len(self.entries()), 4)
        # A plain press of the first finds its spent reservation; it is charged, and may be charged again.
        os.remove(self.path("table.csv"))
        self.write("table.csv", self.header + self.rows)
        explorer.press(one)
        status = explorer.ended()
        self.assertEqual((status["state"], status["charged"]), ("failed", True))
        self.assertIn("there is no release", status["message"])
        self.assertEqual(len(self.entries()), 4)
        explorer.press(done)
        self.assertEqual(explorer.ended()["state"], "released", "found, not refused")
        self.assertEqual(len(self.entries()), 4)
        explorer.press(one, again="charge again")
        self.assertEqual(explorer.ended()["state"], "released")
        self.assertEqual(len(self.entries()), 5)
        self.assertTrue(read_json(self.path("one", "release.json")))

    def test_a_charge_is_repeated_only_where_there_is_one(self):
        """"Charge again" for a press that was never charged, or has its release, is a plain press."""
        self.make_ledger()
        explorer = self.explorer("table.csv", "--header", "present", "--ledger", "a.ledger")
        asked = explorer.question()
        explorer.press(asked, again="charge again")
        self.assertEqual(explorer.ended()["state"], "released")
        explorer.press(explorer.question(out="next"))
        explorer.ended()
        for more in ({"again": "charge again"}, {}):
            explorer.press(asked, **more)
            self.assertEqual(explorer.ended()["state"], "released", "found")
        self.assertEqual(len(self.entries()), 2)

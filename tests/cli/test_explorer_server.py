"""What the explorer's program spends and says of it, asked as its page asks. tests/browser drives the page itself."""

import json
import os
import shlex
import signal
import subprocess
import threading

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


class Writing(ExplorerTest):
    """Told to end while a release is being written: nothing of it is left, by the page and by the command line."""

    def held(self):
        os.mkfifo(self.path("held"))
        return {"LD_PRELOAD": os.environ["EIGENVEIL_HELD"], "EIGENVEIL_HELD_AT": self.path("held")}

    def being_written(self):
        """Returns when a release is half written, and waits there."""
        held = os.open(self.path("held"), os.O_RDONLY)
        self.addCleanup(os.close, held)
        hidden = [name for name in os.listdir(self.folder) if ".writing-" in name]
        self.assertEqual(len(hidden), 1, "held while it has its hidden name")
        self.assertTrue(os.listdir(self.path(hidden[0])))

    def test_cancelled_on_the_page(self):
        self.make_ledger()
        explorer = self.explorer("table.csv", "--header", "present", "--ledger", "a.ledger", environment=self.held())
        self.assertEqual(explorer.press(explorer.question())[0], 200)
        self.being_written()
        explorer.told("/api/cancel", {})
        status = explorer.ended()
        self.assertEqual((status["state"], status["charged"]), ("cancelled", True))
        self.assertEqual([name for name in os.listdir(self.folder) if "out" in name], [])

    def test_ended_on_the_command_line(self):
        environment = {**os.environ, **self.held()}
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with subprocess.Popen([PROGRAM, "pca", "table.csv", "-k", "1", "--epsilon", "1", "--delta", "1e-6", "--range", "0:10", "--people", "1000000",
                                   "--quiet", "--out", "new/parents/out"], cwd=self.folder, env=environment, stderr=subprocess.PIPE) as process:
                held = os.open(self.path("held"), os.O_RDONLY)
                self.assertTrue(os.listdir(self.path("new", "parents")))
                process.send_signal(number)
                self.assertEqual(process.wait(timeout=60), -number)
                os.close(held)
            self.assertFalse(os.path.exists(self.path("new")), number)


class Ends(ExplorerTest):
    """However the program ends, it says what became of a charge, and leaves nothing open."""

    def test_signals_in_the_terminal(self):
        """Ctrl-C and a closed terminal reach the whole group: the release is stopped, and its charge is spoken of."""
        self.make_ledger()
        for charges, number in enumerate((signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM), 1):
            explorer = self.explorer("table.csv", "--header", "present", "--ledger", "a.ledger")
            self.make_endless()
            self.assertEqual(explorer.press(explorer.question(out=f"out{charges}"))[0], 200)
            explorer.until(lambda status: status["charged"])
            said = explorer.end(number, group=True)
            self.assertIn("was stopped. Its charge stays in the ledger", said, number)
            self.assertEqual(explorer.process.returncode, 0)
            self.assertEqual(len(self.entries()), charges)
            self.assertFalse(os.path.exists(os.path.dirname(explorer.file)), "nothing is left of the private folder")
            os.remove(self.path("table.csv"))
            self.write("table.csv", self.header + self.rows)

    def test_a_run_that_came_to_nothing_before(self):
        self.make_ledger()
        explorer = self.explorer("table.csv", "--header", "present", "--ledger", "a.ledger")
        self.make_endless()
        explorer.press(explorer.question())
        explorer.until(lambda status: status["charged"])
        explorer.told("/api/cancel", {})
        explorer.ended()
        self.assertIn("came to nothing. Its charge stays in the ledger", explorer.end())

    def test_what_nohup_ignores_stays_ignored(self):
        before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # inherited
        try:
            explorer = self.explorer()
        finally:
            signal.signal(signal.SIGHUP, before)
        os.kill(explorer.process.pid, signal.SIGHUP)
        self.assertEqual(explorer.source()["columns"], [], "it still answers")
        self.assertEqual(explorer.end(), "")

    def test_the_opener_takes_nothing_with_it(self):
        """What opens the browser may live longer: it holds no socket, ends when it is told to, and the port is free after."""
        os.mkdir(self.path("bin"))
        os.mkfifo(self.path("told"))
        self.write("bin/xdg-open", "#!/bin/sh\n{ echo $$; while read -r word rest; do case $word in SigBlk:) echo \"$word $rest\";; esac; done < /proc/$$/status; ls -l /proc/$$/fd; echo done; } > \"$TOLD\"\nexec cat \"$TOLD\"\n")
        os.chmod(self.path("bin", "xdg-open"), 0o755)
        explorer = self.explorer(browser=True, environment={"PATH": self.path("bin") + ":" + os.environ["PATH"], "DISPLAY": ":99", "TOLD": self.path("told")})
        with open(self.path("told"), encoding="utf-8") as told:
            said = told.read()
        opener = int(said.split()[0])
        self.assertRegex(said, r"SigBlk: 0+\n")
        self.assertNotIn("socket:", said)
        explorer.end()
        os.kill(opener, 0)  # it lives, reading what nobody writes
        with self.assertRaises(ConnectionRefusedError):
            explorer.ask("/api/source", {})
        self.assertNotEqual(os.getsid(opener), explorer.process.pid, "Ctrl-C in the terminal is not for the browser")
        os.kill(opener, signal.SIGTERM)
        while os.path.exists(f"/proc/{opener}/fd/0"):  # it ends; nobody here is its parent
            pass


class Tabs(ExplorerTest):
    """What one tab says of the table changes nothing under another."""

    def test_the_first_line_is_answered_once(self):
        self.make_ledger()
        explorer = self.explorer("table.csv", "--ledger", "a.ledger")
        explorer.told("/api/header", {"header": "present"})
        asked = explorer.question()
        self.assertIn("otherwise", explorer.refused("/api/header", {"header": "absent", "width": 3}))
        explorer.told("/api/header", {"header": "present"})
        self.assertIn("--header present", explorer.look(asked)["command"])
        explorer.press(asked)
        self.assertEqual(explorer.ended()["state"], "released")

    def test_ranges_of_another_tab(self):
        self.make_ledger()
        explorer = self.explorer("table.csv", "--header", "present", "--ledger", "a.ledger")
        asked = explorer.question()
        shown = explorer.look(asked)["command"]
        ranges = {name: [0, 5] for name in self.COLUMNS}
        explorer.told("/api/ranges", {"file": "ranges.csv", "ranges": ranges})
        for path in ("/api/look", "/api/rails", "/api/methods"):
            self.assertIn("another tab", explorer.refused(path, asked))
        self.assertIn("another tab", explorer.refused("/api/release", {**asked, "shown": shown}))
        fresh = explorer.question()
        del fresh["range"]
        shown = explorer.look(fresh)["command"]
        unmarked = {name: value for name, value in fresh.items() if name != "mark"}
        self.assertIn("load it again", explorer.refused("/api/release", {**unmarked, "shown": shown}))
        self.assertEqual(self.entries(), [])
        explorer.press(fresh)
        self.assertEqual(explorer.ended()["state"], "released")

    def test_nothing_is_released_before_the_first_line_is_known(self):
        self.make_ledger()
        explorer = self.explorer("table.csv", "--ledger", "a.ledger")
        asked = {**explorer.question(), "columns": self.COLUMNS}
        status, said = explorer.press(asked)
        self.assertEqual(status, 422)
        self.assertIn("first line", said["error"])


class Files(ExplorerTest):
    """Commands that are shown run, whatever the file is called and however it is written."""

    def run_shown(self, look):
        words = shlex.split(look["command"])
        return subprocess.run([PROGRAM, *words[1:]], cwd=self.folder, capture_output=True, text=True, check=False)

    def test_a_name_that_begins_with_a_dash(self):
        self.make_ledger()
        os.rename(self.path("table.csv"), self.path("-dash.csv"))
        explorer = self.explorer("--header", "present", "--ledger", "a.ledger", "--", "-dash.csv")
        look = explorer.look(explorer.question(out="copied", map_epsilon=1))
        self.assertEqual(self.run_shown(look).returncode, 0)
        self.assertIn("scores ./-dash.csv", look["next_command"])
        self.assertIn('fit("./-dash.csv")', look["python"])
        explorer.press(explorer.question())
        self.assertEqual(explorer.ended()["state"], "released")

    def test_other_separators(self):
        self.make_ledger()
        self.write("semi.csv", "a;b;c\n" + "1,5;2;3\n9;8;4,5\n" * 500)
        without = self.explorer("semi.csv", "--ledger", "a.ledger")
        said = without.refused("/api/header", {"header": "present"})
        self.assertIn("start it with the separator", said)
        self.assertNotIn("--", said)
        explorer = self.explorer("semi.csv", "--separator", "semicolon", "--decimal", "comma", "--encoding", "latin-1", "--ledger", "a.ledger")
        explorer.told("/api/header", {"header": "present"})
        asked = explorer.question(out="copied", map_epsilon=1)
        look = explorer.look(asked)
        done = self.run_shown(look)
        self.assertEqual(done.returncode, 0, done.stderr)
        for word in ("--separator semicolon", "--decimal comma", "--encoding latin-1"):
            self.assertIn(word, look["next_command"])
        self.assertIn('separator="semicolon", encoding="latin-1", decimal=","', look["python"])
        explorer.press(explorer.question())
        self.assertEqual(explorer.ended()["state"], "released")

    def test_answers_are_named_as_the_page_names_them(self):
        explorer = self.explorer(self.write("empty.csv", "\n"))
        said = explorer.refused("/api/header", {"header": "present"})
        self.assertNotIn("what the first line holds present", said)
        self.assertIn("“it holds names”", said)

    def test_python_has_no_width_for_a_ledger(self):
        self.make_ledger()
        explorer = self.explorer("table.csv", "--header", "absent", "--width", 3, "--ledger", "a.ledger")
        self.assertIn("The command alone", explorer.look(explorer.question())["python"])
        self.assertNotIn("eigenveil.", explorer.look(explorer.question())["python"])
        alone = self.explorer("table.csv", "--header", "absent", "--width", 3)
        self.assertIn("eigenveil.PrivatePCA", alone.look(alone.question())["python"])

    def test_a_temporary_folder_of_any_name(self):
        os.mkdir(self.path("a b%é"))
        explorer = subprocess.Popen([PROGRAM, "explore", "--no-browser"], cwd=self.folder, stdout=subprocess.PIPE, text=True,
                                    env={**os.environ, "TMPDIR": self.path("a b%é")})
        explorer.stdout.readline()
        address = explorer.stdout.readline().strip()
        explorer.terminate()
        explorer.communicate(timeout=60)
        self.assertIn("/a%20b%25%C3%A9/", address)


class Questions(ExplorerTest):
    """What the page sends is read as strictly as a job."""

    def test_columns_are_those_of_the_table(self):
        self.make_ledger()
        explorer = self.explorer("table.csv", "--header", "present", "--ledger", "a.ledger")
        two = explorer.question(columns=["a", "c"], some_columns=False)
        look = explorer.look(two)
        self.assertIn("--columns a,c", look["command"])
        explorer.press(two)
        self.assertEqual(explorer.ended()["state"], "released")
        with open(self.path("out", "loadings.csv"), encoding="utf-8") as loadings:
            self.assertEqual([line.split(",")[0] for line in loadings][1:], ["a", "c"])
        self.assertNotIn("--columns", explorer.look(explorer.question(some_columns=True))["command"])
        self.assertIn("does not have", explorer.refused("/api/look", explorer.question(columns=["a", "zzz"])))

    def test_numbers_and_words(self):
        explorer = self.explorer("table.csv", "--header", "present")
        explorer.look(explorer.question(people=2e12 / 2))
        for wrong in ({"people": 2.7}, {"people": 1}, {"people": 2e12}, {"people": "many"}, {"shape": "zzz"}, {"task": "lowrank"}, {"delta": 5e-324},
                      {"task": "mask", "relation": "zero-row", "people": 2 * 10**8}):
            explorer.refused("/api/look", explorer.question(**wrong))
        text = json.dumps(explorer.question())
        explorer.refused("/api/look", text[:-1] + ', "epsilon": 50}')


    def test_a_plan_is_spelt_as_it_is_printed(self):
        explorer = self.explorer("table.csv", "--header", "present")
        plan = explorer.look(explorer.question(task="mask", relation="zero-row", people=2))["plan"]
        self.assertIn("mask_refused", plan)
        self.assertNotIn("{", json.dumps(list(plan.values())))


class Wide(ExplorerTest):
    """A question that takes long keeps nobody from cancelling, and none takes minutes."""

    COLUMNS = [f"column_{i}" for i in range(2000)]

    def setUp(self):
        super().setUp()
        self.rows = ",".join(["1"] * 2000) + "\n"
        self.write("table.csv", self.header + self.rows)

    def test_no_simulations_of_very_wide_tables(self):
        explorer = self.explorer("table.csv", "--header", "present")
        look = explorer.look(explorer.question())
        self.assertEqual(look["releases"], 0)
        self.assertEqual(len(look["spectrum"]), 2000)
        narrow = explorer.look(explorer.question(columns=self.COLUMNS[:30]))
        self.assertGreater(narrow["releases"], 0)
        regression = {"task": "covariance", "response": self.COLUMNS[0], "predictors": self.COLUMNS[1:3]}
        self.assertIn("1000 columns at most", explorer.refused("/api/look", explorer.question(**regression)))
        self.assertIn("analyse regress", explorer.look(explorer.question(columns=self.COLUMNS[:30], **regression))["next_command"])


class Busy(ExplorerTest):
    """Two questions that take seconds each: the state of a release is answered meanwhile."""

    def test_status_does_not_wait_for_drawings(self):
        explorer = self.explorer("table.csv", "--header", "present")
        asked = explorer.question(task="mask", relation="zero-row", people=10**8)
        threads = [threading.Thread(target=explorer.told, args=("/api/rails", {**asked, "epsilon": 1 + i})) for i in range(2)]
        for thread in threads:
            thread.start()
        for _ in range(40):
            self.assertEqual(explorer.status()["state"], "none")
        self.assertTrue(all(thread.is_alive() for thread in threads), "answered after a drawing was done")
        for thread in threads:
            thread.join()

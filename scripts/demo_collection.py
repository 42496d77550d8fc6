"""What scripts/demo-collection shows. Standard library only."""

import csv
import os
import pathlib
import shutil
import subprocess
import sys
import time
import urllib.request

program, root = sys.argv[1], pathlib.Path(sys.argv[2])
sys.path[:0] = [str(root / "tests/browser"), str(root / "tests/cli")]
os.environ["EIGENVEIL"] = program
from collection_support import free_port  # noqa: E402

PEOPLE = 200
COLUMNS = ["question_1", "question_2", "question_3", "question_4"]
servers = {}
ports = {role: free_port() for role in "ab"}


def say(*words, quiet=False):
    if not quiet:
        print("\n$ eigenveil " + " ".join(f'"{word}"' if " " in word else word for word in words), flush=True)
    done = subprocess.run([program, *words], text=True, capture_output=True, check=False)
    if not quiet or done.returncode:
        print(done.stdout + done.stderr, end="", flush=True)
    if done.returncode:
        raise SystemExit(done.returncode)


def serve(role):
    words = ["collect", "serve", "--role", role, "--folder", role, "--tokens", "tokens.list", "--port", str(ports[role]),
             "--rate", "1000", "--quiet"]
    print("\n$ eigenveil " + " ".join(words) + " &")
    servers[role] = subprocess.Popen([program, *words], stdout=subprocess.PIPE, text=True)
    print(servers[role].stdout.readline(), end="", flush=True)


def contribute(person, row, token):
    name = f"row{person}.csv"
    with open(name, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([COLUMNS, row])
    return subprocess.run([program, "contribute", "study.json", name, "--token", token, "--trust-keys"], capture_output=True, text=True,
                          check=False).returncode


def fill_form(token, row):
    """One person in a browser; false where there is none."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if not browser:
        print("no Chromium here: open form.html yourself, the code is", token)
        return False
    from chromium_pipe import Chromium  # pylint: disable=import-outside-toplevel
    page = Chromium(browser)
    try:
        page.open(pathlib.Path("form.html").absolute().as_uri())
        page.wait("!byId('send').disabled")
        for j, value in enumerate(row):
            page.type(f"answer-{j}", str(value))
        page.type("token", token)
        page.picture("form.png", 390, 1700)
        page.press("Enter", 13)
        page.wait("!byId('receipt').hidden")
        page.picture("receipt.png", 390, 1100)
        print("the form says: report", page.evaluate("byId('receipt-id').textContent"))
    finally:
        page.close()
    return True


def main():
    for role in "ab":
        say("collect", "study", "keys", "--role", role, "--address", f"http://127.0.0.1:{ports[role]}", "--folder", role)
    with open("questions.csv", "w", encoding="utf-8") as file:
        file.write("column,low,high,question\n")
        for name in COLUMNS:
            file.write(f'{name},0,10,"How much do you agree with statement {name[-1]}?"\n')
    say("collect", "study", "new", "--title", "Demo study", "--columns", "questions.csv", "--a", "a/card.json", "--b",
        "b/card.json", "--epsilon", "2", "--delta", "1e-5", "--minimum-batch", "100", "--deadline", "2099-01-01T00:00:00Z",
        "--out", "study.json")
    for role in "ab":
        say("collect", "study", "open", "study.json", "--folder", role, "--sign", quiet=True)
    print("\nboth aggregators signed the study")
    say("collect", "study", "tokens", "study.json", "--count", str(PEOPLE), "--out", "codes.txt", "--list", "tokens.list")
    say("collect", "study", "form", "study.json", "--out", "form.html")
    for role in "ab":
        serve(role)
    tokens = pathlib.Path("codes.txt").read_text(encoding="utf-8").split()
    say("generate", "survey", "--rows", str(PEOPLE), "--seed", "1", "--out", "people.csv", quiet=True)
    with open("people.csv", encoding="utf-8") as file:
        rows = [[row[name] for name in COLUMNS] for row in csv.DictReader(file)]
    print(f"\none person fills in the form, {PEOPLE - 1} use the program; aggregator b is killed (-9) after 80 of them")
    done = fill_form(tokens[0], rows[0])
    started = time.monotonic()
    waiting = []
    for person in range(1 if done else 0, PEOPLE):
        if person == 80:
            servers["b"].kill()
            servers["b"].wait()
            print("killed aggregator b")
        if person == 90:
            serve("b")
        if contribute(person, rows[person], tokens[person]) != 0:
            waiting.append(person)
    print(f"{len(waiting)} people could not reach b and try again with the same bytes")
    for person in waiting:
        assert contribute(person, rows[person], tokens[person]) == 0
    print(f"all reports stored, {time.monotonic() - started:.1f} s")
    say("ledger", "create", "demo.ledger", "--name", "Demo study", "--epsilon", "3", "--delta", "1e-4", "--neighbours",
        "zero-row", quiet=True)
    say("collect", "study", "close", "study.json", "--ledger", "demo.ledger", "--out", "sums")
    listed = urllib.request.urlopen(f"http://127.0.0.1:{ports['b']}/v1/closing-list").read().decode()
    print(f"{len(listed.splitlines()) - 2} reports are in the closing list")
    say("collect", "study", "merge", "study.json", "sums/a.sum", "sums/b.sum", "--ledger", "demo.ledger", "--out", "gram")
    say("explain", "gram")
    say("collect", "pca", "gram", "-k", "2", "--out", "pca")
    say("analyse", "moments", "gram")
    print(f"\nOpen in a browser: the report of the released Gram, {os.getcwd()}/gram/report.html")
    print(f"and the form as participants see it: {os.getcwd()}/form.html")


try:
    main()
finally:
    for process in servers.values():
        process.kill()

#!/usr/bin/env python3
"""The form of a study in headless Chromium: HPKE against the RFC's vector and our own program, both noise modes, a
form filled in by keyboard on a phone and sent to two real servers, one of which dies in the middle; the sum is
exactly that of the typed answers; nothing is asked from anybody else. Screenshots go to the folder given.

    form_in_chromium.py PROGRAM REFERENCE FOLDER

Exit code 77 (a skip for ctest) when Chromium is not installed.
"""
import hashlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import threading

if len(sys.argv) == 4:
    os.environ["EIGENVEIL"], os.environ["EIGENVEIL_REFERENCE"] = sys.argv[1:3]
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))
from chromium_pipe import Chromium  # noqa: E402
from collection_support import REFERENCE, Collection, run  # noqa: E402

SKIPPED = 77
VECTOR = {  # RFC 9180, A.1.1, sequence number 0
    "info": "4f6465206f6e2061204772656369616e2055726e",
    "secret": "52c4a758a802cd8b936eceea314432798d5baf2d7e9235dc084ab1b9cfa2f736",
    "public": "37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431",
    "receiver": "3948cfe0ad1ddb695d780e59077195da6c56506b027329794ab02bca80815c4d",
    "aad": "436f756e742d30",
    "plaintext": "4265617574792069732074727574682c20747275746820626561757479",
    "ciphertext": "f938558b5d72f1a23810b4be2ab4f84331acc02fc97babc53a52ae8218a355a96d8770ac83d07bea87e13c512a",
}
FAILURES = []


def check(condition, message):
    if not condition:
        FAILURES.append(message)
        print("FAILED", message)


def check_vectors(page):
    sealed = page.evaluate(f"""(async () => {{
      const v = {json.dumps(VECTOR)};
      const pkcs8 = join(fromHex("302e020100300506032b656e04220420"), fromHex(v.secret));
      const pair = {{
        privateKey: await subtle.importKey("pkcs8", pkcs8, {{name: "X25519"}}, true, ["deriveBits"]),
        publicKey: await subtle.importKey("raw", fromHex(v.public), {{name: "X25519"}}, true, [])}};
      return hex(await seal(fromHex(v.receiver), fromHex(v.info), fromHex(v.aad), fromHex(v.plaintext), pair));
    }})()""")
    check(sealed == VECTOR["public"] + VECTOR["ciphertext"], "the RFC's vector in the browser")
    receiver = "4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8"
    fresh = page.evaluate(f"""(async () => hex(await seal(fromHex("{VECTOR['receiver']}"), ascii("a"), ascii("b"),
      ascii("a row"))))()""")
    opened = subprocess.run([REFERENCE, "open", receiver, b"a".hex(), b"b".hex(), fresh], capture_output=True,
                            text=True, check=False)
    check(bytes.fromhex(opened.stdout.strip()) == b"a row", "a message of the browser opens in C++")


def check_words(page):
    labels = page.evaluate("""Array.from(document.querySelectorAll("#form input"), input =>
      [input.labels.length, input.getAttribute("aria-describedby").split(" ").every(id => byId(id))])""")
    check(all(count == 1 and described for count, described in labels), "every field has a label and a description")
    check(page.evaluate("document.documentElement.lang") == "en", "the page says its language")
    check(page.evaluate("document.querySelector('[role=status]').getAttribute('aria-live')") == "polite",
          "changes are announced")
    for words in ("Neither of them receives your answers", "unless the two organisations work together",
                  "How many people answered is public", "cannot be withdrawn", "need a new code",
                  "which code went to whom", "Whoever gave you this page could have changed it"):
        check(words in page.evaluate("document.body.innerText"), words)


class Proxy:
    """Takes reports in place of a server; answers every one with `status`, or with silence."""

    def __init__(self, port):
        self.status = None
        self.listener = socket.create_server(("127.0.0.1", port))
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        held = []
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            held.append(connection)
            asked = connection.recv(1 << 20)
            first = asked.startswith(b"OPTIONS")  # a browser asks before it sends
            if self.status or first:
                connection.sendall(b"HTTP/1.1 " + (b"204 No Content" if first else self.status) +
                                   b"\r\nAccess-Control-Allow-Origin: *\r\nAccess-Control-Allow-Headers: Content-Type"
                                   b"\r\nConnection: close\r\n\r\n" + (b"" if first else b"<html>"))
                connection.close()

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.listener.close()


def fill_and_send(page, collection, folder):
    """Keyboard alone, with mistakes on the way; B is dead at first."""
    page.type("token", collection.tokens[0])
    page.press("Enter", 13)
    page.wait("byId('status').textContent !== ''")
    check("You answered nothing" in page.evaluate("byId('status').textContent"), "an empty form asks first")
    check(page.evaluate("report === null"), "and sends nothing")
    page.evaluate("byId('token').value = ''")
    page.type("answer-0", "11")
    page.type("answer-1", "7")
    page.press("Enter", 13)
    page.wait("byId('status').textContent !== ''")
    check("0 to 10" in page.evaluate("byId('answer-0-problem').textContent"), "an answer out of range is named")
    check(page.evaluate("document.activeElement.id") == "answer-0", "the first problem has the focus")
    page.picture(folder / "form-problem-phone.png", 390, 1500)
    page.evaluate("byId('answer-0').value = ''")
    page.type("answer-0", "2")
    page.type("token", collection.tokens[0])
    page.picture(folder / "form-phone.png", 390, 1500)
    page.picture(folder / "form-phone-dark.png", 390, 1500, dark=True)
    page.picture(folder / "form-desktop.png", 1280, 1200)
    check(page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is wider than the screen")
    collection.kill("b")
    page.evaluate("byId('token').focus()")
    page.press("Enter", 13)
    page.wait("byId('send').textContent === 'Try again'")
    check("Organisation B could not be reached" in page.evaluate("byId('status').textContent"), "B is missed")
    # B that takes the request and never answers, and a proxy that answers for B: neither means that nothing is stored.
    page.evaluate("globalThis.limit = AbortSignal.timeout")  # the page's own minute, in a second
    proxy = Proxy(collection.ports["b"])
    for proxy.status, words in ((None, "did not answer in time"), (b"504 Gateway Timeout", "could not be reached")):
        page.evaluate("AbortSignal.timeout = own => limit.call(AbortSignal, Math.min(own, 1000)); byId('send').click()")
        page.wait(f"byId('status').textContent.includes('{words}')")
        check(page.evaluate("report !== null && byId('token').disabled"), "the same parts are kept: " + words)
    proxy.stop()
    collection.start("b")
    page.evaluate("globalThis.before = delivered.b = true")  # nothing to warn of: a page that is left asks first otherwise
    page.open(pathlib.Path(collection.path("form.html")).as_uri())  # loaded again, it goes on with the same bytes
    page.wait("!globalThis.before && byId('send') && byId('send').textContent === 'Try again' && !byId('send').disabled")
    check("partly sent" in page.evaluate("byId('status').textContent"), "a page loaded again says what is left to do")
    page.evaluate("byId('send').focus()")
    page.press("Enter", 13)
    page.wait("!byId('receipt').hidden")
    page.picture(folder / "form-receipt-phone.png", 390, 1100)
    check(page.evaluate("document.activeElement.id") == "receipt-title", "the receipt has the focus")
    return page.evaluate("byId('receipt-id').textContent")


def servers_add_noise(browser, folder):
    collection = Collection(columns=2, people=6, minimum=3, seeds=(21, 22))
    page = Chromium(browser)
    try:
        collection.start_both()
        run("collect", "study", "form", collection.study, "--out", collection.path("form.html"))
        page.open(pathlib.Path(collection.path("form.html")).as_uri())
        page.wait("!byId('send').disabled")
        check_vectors(page)
        check_words(page)
        identifier = fill_and_send(page, collection, folder)
        for person in (1, 2, 3):
            collection.contribute(person)
        collection.close()
        check(identifier in collection.get("a", "/v1/closing-list")[1], "the receipt's number is in the list")
        rows = collection.table([])
        with open(rows, "w", encoding="utf-8") as file:
            file.write("c1,c2\n2,7\n")
            for person in (1, 2, 3):
                file.write(pathlib.Path(collection.row_file(person)).read_text().split("\n")[1] + "\n")
        central = subprocess.run([REFERENCE, "central", collection.study, rows, "21", "22"], capture_output=True,
                                 text=True, check=True)
        check(collection.collected() == [int(line) for line in central.stdout.split()],
              "the sum is that of the answers typed and sent")
        own = (pathlib.Path(collection.path("form.html")).as_uri(), collection.address("a"), collection.address("b"),
               "blob:", "about:")
        strangers = [url for url in page.requested() if not url.startswith(own)]
        check(not strangers, f"the page asked {strangers}")
        loud = [text for text in page.complaints() if "ERR_CONNECTION" not in str(text) and "504" not in str(text)]
        check(not loud, f"the console said {loud}")
        changed = pathlib.Path(collection.path("form.html")).read_text().replace("A study of nobody\\\"", "Another\\\"")
        other = pathlib.Path(collection.path("changed.html"))
        other.write_text(changed)
        page.open(other.as_uri())
        page.wait("byId('status').textContent !== ''")
        check("This form was changed" in page.evaluate("byId('status').textContent"), "a changed study is refused")
    finally:
        page.close()
        collection.stop()


def outer_triangle(row):
    return [row[i] * row[column] for column in range(len(row)) for i in range(column + 1)]


def participants_send(browser):
    """Mode participants, sent from the form alone: the sum is that of the noisy rows the pages made, as integers."""
    collection = Collection(columns=1, people=6, minimum=4, noise="participants")
    page = Chromium(browser)
    try:
        collection.start_both()
        run("collect", "study", "form", collection.study, "--out", collection.path("form.html"))
        rows, reports = [], []
        for person in range(4):
            page.open(pathlib.Path(collection.path("form.html")).as_uri())
            page.wait("!byId('send').disabled")
            page.evaluate("(() => { const made = gridRow; gridRow = v => (globalThis.noisy = made(v)); })()")
            page.type("answer-0", str(2 * person))
            page.type("token", collection.tokens[person])
            page.press("Enter", 13)
            page.wait("!byId('receipt').hidden")
            rows.append(page.evaluate("noisy"))
            reports.append(page.evaluate("byId('receipt-id').textContent"))
        tokens = page.evaluate("""(async () => [hex(await tokenFor("a", new Uint8Array(16).fill(0x22))),
          hex(await tokenFor("b", new Uint8Array(16).fill(0x22)))])()""")
        study = bytes.fromhex(page.evaluate("config.digest"))
        check(tokens == [hashlib.sha256(b"eigenveil token 2 " + study + b"\x22" * 16 + role).hexdigest()[:32]
                         for role in (b"a", b"b")], "a token for each aggregator")
        collection.close()
        expected = [sum(entries) for entries in zip(*map(outer_triangle, rows))]
        check(collection.collected() == expected, "the sum is that of the pages' noisy rows")
        # A rounded normal of 2^10 steps or more is 0 with probability below 0.0004: four of them below 3e-14.
        constant = collection.manifest()["constant"]
        check(any(row[0] != constant for row in rows), "noise on the constant, too")
        listed = collection.get("b", "/v1/closing-list")[1]
        check(all(report in listed for report in reports), "every report of the form counts")
        collection.merge()
        check("the collector, who issues the codes" in run("explain", collection.path("gram")).stdout,
              "the release names the trust in the issuer")
    finally:
        page.close()
        collection.stop()


def participants_add_noise(browser):
    collection = Collection(columns=1, people=12, minimum=10, noise="participants")
    page = Chromium(browser)
    try:
        run("collect", "study", "form", collection.study, "--out", collection.path("form.html"))
        page.open(pathlib.Path(collection.path("form.html")).as_uri())
        page.wait("!byId('send').disabled")
        # Bits from a fixed seed instead of the system's, so that a pass stays a pass. A mean of 4000 normal draws is
        # within 0.1 of its centre up to a probability of 2.6e-10, their mean square within 0.2 of 1 up to less.
        mean, square = page.evaluate("""(() => {
          let state = 2463534242;
          crypto.getRandomValues = words => words.map(() => {
            state ^= state << 13; state ^= state >>> 17; state ^= state << 5;
            return state >>> 0;
          });
          let sum = 0, squares = 0;
          for (let i = 0; i < 4000; ++i) {
            const noise = (gridRow([5])[1]) / manifest.cell_sigma;
            sum += noise; squares += noise * noise;
          }
          return [sum / 4000, squares / 4000];
        })()""")
        check(abs(mean) < 0.1 and abs(square - 1.0) < 0.2, f"noise on cells: mean {mean}, mean square {square}")
    finally:
        page.close()
        collection.stop()


def main():
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if not browser:
        print("SKIPPED: no chromium")
        return SKIPPED
    folder = pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    servers_add_noise(browser, folder)
    participants_add_noise(browser)
    participants_send(browser)
    print("failures:", len(FAILURES))
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())

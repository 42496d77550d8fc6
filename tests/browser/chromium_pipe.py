"""Chromium over its debugging pipe: typing, clicking and looking as a person would. Standard library only."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--disable-extensions",
         "--remote-debugging-pipe", "about:blank"]


class Chromium:
    def __init__(self, browser):
        self.profile = tempfile.mkdtemp(prefix="eigenveil-chromium-")
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()

        def place():  # Chromium reads commands from descriptor 3 and writes answers to 4
            source, sink = os.dup(theirs_in), os.dup(theirs_out)
            os.dup2(source, 3)
            os.dup2(sink, 4)

        self.process = subprocess.Popen([browser, f"--user-data-dir={self.profile}", *FLAGS], preexec_fn=place,
                                        close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.reader, self.writer = os.fdopen(ours_in, "rb", 0), os.fdopen(ours_out, "wb", 0)
        self.waiting = b""
        self.number = 0
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = None
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")

    def receive(self):
        while b"\0" not in self.waiting:
            chunk = self.reader.read(1 << 16)
            if not chunk:
                raise AssertionError("chromium went away")
            self.waiting += chunk
        message, _, self.waiting = self.waiting.partition(b"\0")
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if getattr(self, "session", None):
            message["sessionId"] = self.session
        self.writer.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, url):
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def evaluate(self, script):
        got = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in got:
            raise AssertionError(f"{script}: {got['exceptionDetails']}")
        return got["result"].get("value")

    def wait(self, condition, seconds=30):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.evaluate(condition):
                return
            time.sleep(0.05)
        raise AssertionError(f"never true: {condition}; the page says: {self.evaluate('document.body.innerText')}")

    def type(self, element, text):
        """Into the element with this identifier, as from a keyboard."""
        self.evaluate(f"document.getElementById({json.dumps(element)}).focus()")
        self.call("Input.insertText", text=text)

    def press(self, key, code):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code,
                      text="\r" if key == "Enter" else "")

    def picture(self, path, width, height, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def requested(self):
        return [event["params"]["request"]["url"] for event in self.events
                if event.get("method") == "Network.requestWillBeSent"]

    def complaints(self):
        """Errors on the console or in the log of the browser."""
        found = []
        for event in self.events:
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(event["params"]["exceptionDetails"])
            if event.get("method") == "Log.entryAdded" and event["params"]["entry"]["level"] == "error":
                found.append(event["params"]["entry"]["text"])
        return found

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

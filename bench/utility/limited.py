"""Work in a forked child that may use so many seconds of processor time. The kernel ends it: an exception raised by an alarm is lost where a package swallows it (opendp draws through a callback from C)."""

from __future__ import annotations

import json
import os
import resource
import signal


def run_limited(work, seconds):
    """What the generator `work()` yielded (through JSON), and None, or why it stopped."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _child(work, seconds, os.fdopen(writing, "w"))
    os.close(writing)
    values, trouble = [], None
    with os.fdopen(reading) as lines:
        for line in lines:
            if not line.endswith("\n"):
                break  # ended in the middle of a line
            item = json.loads(line)
            if "trouble" in item:
                trouble = item["trouble"]
            else:
                values.append(item["value"])
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        over = os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL)
        trouble = f"over the limit of {seconds} s" if over else f"ended by signal {os.WTERMSIG(status)}"
    return values, trouble


def _child(work, seconds, out):
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        for value in work():
            print(json.dumps({"value": value}), file=out, flush=True)
    except Exception as problem:  # a rival's failure is a result
        words = str(problem).splitlines() or [""]
        print(json.dumps({"trouble": f"fails: {type(problem).__name__}: {words[0][:120]}"}), file=out, flush=True)
    finally:
        os._exit(0)

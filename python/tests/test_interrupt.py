"""Ctrl-C ends whatever takes long, and nothing of an interrupted release is published.

Each piece of work would take minutes: not being interruptible shows as the time limit of the child, which is no measurement.
"""

import subprocess
import sys

import pytest

from eigenveil import _pca

CHILD = """
import os, signal, sys, threading, warnings
import numpy as np
import eigenveil
warnings.simplefilter("ignore")
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in what a script starts in the background
rows = np.random.default_rng(0).normal(size=(2000, 300)) * np.linspace(0.1, 2, 300)  # no eigenvalues tied: those are quick

def interrupt_inside(function):
    # The signal comes once the main thread is below `function`, in C++.
    main, looks = threading.main_thread().ident, 0
    while looks < 3:
        frame = sys._current_frames()[main]
        looks += frame.f_code.co_name == function
        threading.Event().wait(0.1)
    os.kill(os.getpid(), signal.SIGINT)

def long_release():
    released.fit(rows)

def long_sums():
    released.partial_fit(np.broadcast_to(np.float32(1), (1 << 26, 300)))

def long_audit():
    eigenveil.audit("spiked-robust", epsilon=1, delta=1e-2, runs=10**8)

def long_trade_off():
    eigenveil.audit_sharp([8.0] + [1.0] * 19, 300, mu=3, draws=10**8)

def long_gibbs():
    eigenveil.sample_bingham(np.arange(300.0), 5.0, 100, 100, sampler="gibbs")

def long_orbit():
    eigenveil.sample_orbit(np.arange(300.0) / 100, 1.0, np.arange(1.0, 21.0), draws=1000)

def long_comparison():
    spectrum = np.sort(np.random.default_rng(0).uniform(size=400))[::-1] / 400
    while True:  # one takes seconds only
        eigenveil.compare_pca(10**6, spectrum, n_components=40, epsilon=1, row_norm=1)

released = eigenveil.PrivateLowRank(20, epsilon=20, row_norm=30, method="orbit", method_options={"unbounded_time": True})
threading.Thread(target=interrupt_inside, args=(sys.argv[2],), daemon=True).start()
try:
    globals()[sys.argv[1]]()
except KeyboardInterrupt:
    learned = [name for name in vars(released) if name.endswith("_") and name not in ("n_features_in_", "feature_names_in_")]
    print("interrupted", learned, "_pass" in vars(released))
"""


@pytest.mark.parametrize(
    "work, function",
    [
        ("long_release", "_release_pass"),
        ("long_sums", "feed"),
        ("long_audit", "audit"),
        ("long_trade_off", "audit_sharp"),
        ("long_gibbs", "sample_bingham"),
        ("long_orbit", "sample_orbit"),
        ("long_comparison", "_asked"),
    ],
)
def test_ctrl_c(work, function):
    child = subprocess.run([sys.executable, "-c", CHILD, work, function], capture_output=True, text=True, timeout=60)
    assert child.stdout.split() == ["interrupted", "[]", "False"], child.stdout + child.stderr
    assert child.returncode == 0


def test_an_earlier_release_stays_whole(rows, seeded, monkeypatch):
    fitted = seeded().fit(rows)
    before = dict(vars(fitted))
    monkeypatch.setattr(_pca, "marked", _interrupted)  # after the draw, half-way through the attributes
    with pytest.raises(KeyboardInterrupt):
        fitted.fit(rows)
    assert {name: value for name, value in vars(fitted).items() if name != "_lock"} == {n: v for n, v in before.items() if n != "_lock"}


def _interrupted(*_):
    raise KeyboardInterrupt

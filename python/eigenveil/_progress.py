"""Progress bars, when asked for: tqdm."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager, suppress

from ._errors import missing_package


def _bar(title):
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise missing_package("tqdm", "progress=True", "progress") from None
    return tqdm(total=1.0, desc=title, bar_format="{l_bar}{bar}| {elapsed}")


class Progress:
    """A tqdm bar over the share of rows read, or nothing."""

    def __init__(self, wanted, title):
        self._bar = _bar(title) if wanted else None

    def tick(self, share):
        if self._bar is not None:
            with suppress(OSError):  # a closed terminal is no reason to stop
                self._bar.update(max(0.0, min(1.0, share) - self._bar.n))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._bar is not None:
            with suppress(OSError):
                self._bar.close()


@contextmanager
def drawing(wanted, title, seconds):
    """A second bar while a long draw runs. It moves by the clock towards the time that public sizes predict: how far the draw itself has come
    depends on the rows."""
    if not wanted or seconds is None:
        yield
        return
    over = threading.Event()
    with Progress(wanted, f"{title}, drawing") as progress:
        began = time.monotonic()

        def move():
            while not over.wait(0.2):
                progress.tick(min(0.99, (time.monotonic() - began) / max(seconds, 0.2)))

        mover = threading.Thread(target=move, daemon=True)
        mover.start()
        try:
            yield
            progress.tick(1.0)
        finally:
            over.set()
            mover.join()

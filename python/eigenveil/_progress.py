"""Progress bars, when asked for and when tqdm is there."""

from __future__ import annotations

from contextlib import suppress


class Progress:
    """A tqdm bar over the share of rows read, or nothing."""

    def __init__(self, wanted, title):
        self._bar = None
        if wanted:
            from tqdm.auto import tqdm

            self._bar = tqdm(total=1.0, desc=title, bar_format="{l_bar}{bar}| {elapsed}")

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

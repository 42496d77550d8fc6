#!/usr/bin/env python3
"""Opens reports of real releases in headless Chromium: nothing is requested from a network, the console is
quiet, the words a committee looks for are rendered, nothing is wider than the screen, and the tab
does not run what a hostile column name says. Screenshots go to the folder given as second argument.

    report_in_chromium.py PROGRAM FOLDER

Exit code 77 (a skip for ctest) when Chromium is not installed.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
QUIET_FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--hide-scrollbars", "--disable-extensions",
    "--proxy-server=127.0.0.1:9", "--enable-logging=stderr", "--log-level=0",
]
WIDTHS = {"phone": (390, 5200), "desktop": (1280, 3600)}
HOSTILE = "<img src=https://example.org/x onerror=document.title='owned'>"
FAILURES = []


def check(condition, message):
    if not condition:
        FAILURES.append(message)
        print("FAILED", message)


def chromium(browser, profile, page, *flags):
    """Standard output and error of one run on one page; a new profile every time."""
    command = [browser, *QUIET_FLAGS, f"--user-data-dir={profile}", *flags, page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    check(done.returncode == 0, f"chromium ended with {done.returncode} on {page}: {done.stderr[-400:]}")
    return done.stdout, done.stderr


def requested_urls(net_log):
    """Addresses the page asked for, from Chromium's log of its network stack. What the browser asks
    for on its own account (clock, updates; the proxy is a closed port) has no origin."""
    events = json.loads(net_log.read_text())
    request = events["constants"]["logSourceType"]["URL_REQUEST"]
    return {
        event["params"]["url"]
        for event in events["events"]
        if event["source"]["type"] == request
        and event.get("params", {}).get("initiator", "not an origin") != "not an origin"
    }


def console_lines(stderr):
    return [line for line in stderr.splitlines() if "CONSOLE" in line]


def rendered(browser, page, scratch, *flags):
    """The document after rendering, with the checks that hold for every page."""
    net_log = scratch / "net.json"
    dom, stderr = chromium(browser, tempfile.mkdtemp(dir=scratch), page, "--dump-dom",
                           f"--log-net-log={net_log}", *flags)
    urls = requested_urls(net_log)
    check(not urls, f"{page.name} requested {sorted(urls)}")
    check(not console_lines(stderr), f"{page.name}: console said {console_lines(stderr)}")
    return dom


def screenshots(browser, page, scratch, folder, stem):
    for name, (width, height) in WIDTHS.items():
        for theme, flags in {"light": [], "dark": ["--blink-settings=preferredColorScheme=0"]}.items():
            picture = folder / f"{stem}-{name}-{theme}.png"
            chromium(browser, tempfile.mkdtemp(dir=scratch), page, f"--screenshot={picture}",
                     f"--window-size={width},{height}", *flags)
            check(picture.is_file() and picture.stat().st_size > 20_000, f"no picture {picture}")


def width_of_page(browser, page, scratch, width):
    """scrollWidth of the page in a frame of the given width, measured by a page of our own."""
    probe = scratch / "probe.html"
    html = page.read_text().replace("default-src 'none'; style-src 'unsafe-inline'",
                                    "default-src 'unsafe-inline'")
    inner = scratch / "inner.html"
    inner.write_text(html + "<script>document.title=document.documentElement.scrollWidth;"
                            "parent.postMessage(document.title,'*')</script>")
    probe.write_text(f"<iframe style='width:{width}px;height:900px;border:0' src='inner.html'></iframe>"
                     "<p id=w></p><script>onmessage=e=>{document.getElementById('w').textContent='width '+e.data}"
                     "</script>")
    dom, _ = chromium(browser, tempfile.mkdtemp(dir=scratch), probe, "--dump-dom",
                      "--virtual-time-budget=3000")
    found = re.search(r"width (\d+)", dom)
    return int(found.group(1)) if found else -1


def make_table(path, header):
    state = 12345
    lines = [",".join('"' + name.replace('"', '""') + '"' for name in header)]
    for _ in range(3000):
        row = []
        shared = 0
        for column in range(len(header)):
            state = (1103515245 * state + 12345) % 2**31
            shared = state % 7 if column == 0 else shared
            row.append(str((shared + (state >> 8) % 4) % 11))
        lines.append(",".join(row))
    path.write_text("\n".join(lines) + "\n")


def release(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"{' '.join(arguments[:2])}: {done.stderr}")


def make_releases(program, scratch):
    header = [f"question_{i}" for i in range(1, 31)] + [HOSTILE]
    table = scratch / "table.csv"
    make_table(table, header)
    few = "question_1,question_2,question_3,question_4,question_5,question_6"
    budget = ["--epsilon", "1", "--delta", "1e-6", "--range", "0:10"]
    release(program, "pca", str(table), "-k", "3", *budget, "--center", "private", "--out", str(scratch / "pca"))
    release(program, "covariance", str(table), "--epsilon", "2", "--range", "0:10", "--columns", few,
            "--out", str(scratch / "covariance"))
    release(program, "pca", str(table), "-k", "2", *budget, "--seed", "7", "--out", str(scratch / "seeded"))
    return {
        "pca": scratch / "pca" / "report.html",
        "covariance": scratch / "covariance" / "report.html",
        "not-private": scratch / "seeded" / "report.NOT-PRIVATE.html",
    }


EXPECTED = {
    "pca": ["Private principal components", "The guarantee", "(1, 1e-06)-DP for adding or removing one row",
            "accepts 5% false alarms", "What an adversary must miss", "noise floor", "Loadings",
            "largest released", "What is not protected", "Statement to paste", "References", "SHA-256"],
    "covariance": ["Private covariance", "2-DP", "directions rise above the noise", "covariance_raw.csv"],
    "not-private": ["NOT PRIVATE", "Do not publish this", "known seed", "would have been"],
}


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    browser = shutil.which("chromium")
    if browser is None:
        print("SKIPPED: chromium is not installed (scripts/debian-packages-browser.txt)")
        return SKIPPED
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        scratch = pathlib.Path(temporary)
        for stem, page in make_releases(program, scratch).items():
            dom = rendered(browser, page, scratch)
            for text in EXPECTED[stem]:
                check(text in dom, f"{stem}: '{text}' is not on the page")
            check("<title>owned" not in dom and "<img" not in dom, f"{stem}: a column name was run")
            measured = width_of_page(browser, page, scratch, 390)
            check(0 < measured <= 390, f"{stem}: {measured} px wide on a screen of 390 px")
            screenshots(browser, page, scratch, folder, stem)
            shutil.copy(page, folder / f"{stem}.html")
        # The checks must be able to fail.
        guinea = scratch / "guinea.html"
        guinea.write_text("<script>console.error('x')</script><img src='http://127.0.0.1:9/x'>")
        before = len(FAILURES)
        rendered(browser, guinea, scratch)
        caught = len(FAILURES) - before
        del FAILURES[before:]
        check(caught == 2, f"a page that requests and complains was caught {caught} times instead of twice")
    print("FAILED" if FAILURES else f"ok, pictures in {folder}")
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())

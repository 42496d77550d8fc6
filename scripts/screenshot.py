"""Screen 3 of the explorer as a picture.  screenshot.py PROGRAM PICTURE"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

from playwright.sync_api import sync_playwright


def main():
    program, picture = sys.argv[1], str(pathlib.Path(sys.argv[2]).resolve())
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        subprocess.run([program, "generate", "survey", "--rows", "2000", "--out", "survey.csv"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        subprocess.run([program, "ledger", "create", "survey.ledger", "--name", "Survey", "--epsilon", "3", "--delta", "1e-6"], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run([program, "covariance", "survey.csv", "--header", "present", "--range", "0:10", "--epsilon", "0.8", "--delta", "1e-7", "--ledger", "survey.ledger",
                        "--out", "earlier"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        explorer = subprocess.Popen([program, "explore", "survey.csv", "--header", "present", "--ledger", "survey.ledger", "--no-browser"], cwd=folder, text=True, stdout=subprocess.PIPE)
        try:
            explorer.stdout.readline()
            address = explorer.stdout.readline().strip()
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            page = browser.new_context(viewport={"width": 1200, "height": 1330}).new_page()
            page.goto(address)
            page.wait_for_selector("#columns label")
            for field, value in (("#people", "20000"), ("#low", "0"), ("#high", "10")):
                page.fill(field, value)
            page.keyboard.press("Tab")
            page.click('.steps [data-to="3"]')
            page.wait_for_selector("#methods .m")
            page.evaluate("state.component = 1; redraw()")
            while not page.evaluate("!busy && look.component === 1 && rails.length > 0 && !methodsBusy"):
                page.wait_for_timeout(50)
            page.screenshot(path=picture)
            browser.close()
        finally:
            explorer.terminate()
            explorer.wait(timeout=30)
    print("wrote", picture)


if __name__ == "__main__":
    main()

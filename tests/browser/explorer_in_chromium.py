#!/usr/bin/env python3
"""Drives `eigenveil explore` in real Chromium: the whole flow to a release charged to a ledger, by pointer and by
keyboard alone, on a phone, in light and dark, with 300 columns; every number on the page is that of `plan --json`; and
strangers (other origins, other names of this address, guessed secrets, paths, two tabs, two presses) are refused.

    explorer_in_chromium.py PROGRAM FOLDER

Screenshots go to FOLDER. Exit code 77 (a skip for ctest) without Chromium or playwright.
"""
import http.client
import json
import math
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

SKIPPED = 77
FAILURES = []


def check(condition, message):
    if not condition:
        FAILURES.append(message)
        print("FAILED", message)


class Explorer:
    """The program with its page; ended with the block."""

    def __init__(self, program, folder, *arguments):
        self.folder = folder
        environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY", "EIGENVEIL_LEDGER")}
        self.process = subprocess.Popen([program, "explore", *arguments, "--no-browser"], stdout=subprocess.PIPE, text=True,
                                        cwd=folder, env=environment)
        self.process.stdout.readline()
        self.file = pathlib.Path(self.process.stdout.readline().strip().removeprefix("file://"))
        text = self.file.read_text()
        self.address, self.secret = text.split('content="0;url=')[1].split('"')[0].split("/#")
        self.port = int(self.address.rsplit(":", 1)[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        check(self.process.wait(timeout=30) == 0, "the explorer ends cleanly")
        check(not self.file.parent.exists(), "nothing is left of the private folder")

    def ask(self, path, body=None, method="POST", **headers):
        """One request that no browser would send; header names with _ for -."""
        sent = {"Host": f"127.0.0.1:{self.port}", "Origin": self.address, "Content-Type": "application/json"}
        sent.update({name.replace("_", "-"): value for name, value in headers.items()})
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.putrequest(method, path, skip_host=True)
        data = json.dumps(body or {}).encode()
        for name, value in {"Content-Length": str(len(data)), **sent}.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders(data)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text


def run(program, folder, *words):
    done = subprocess.run([program, *words], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    check(done.returncode == 0, f"{words}: {done.stderr}")
    return done.stdout


def entries(program, folder):
    return len(json.loads(run(program, folder, "ledger", "show", "survey.ledger", "--json"))["entries"])


def quiet(page, complaints):
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))


def opened(browser, explorer, complaints, width=1280, height=900, dark=False):
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light")
    page = context.new_page()
    quiet(page, complaints)
    page.goto(explorer.file.as_uri())
    page.wait_for_selector(".steps li")
    return page


def named(page, word="present"):
    """Says that the first line holds names; before that nothing of it is known."""
    page.wait_for_selector("#say-header")
    check(page.locator("#columns label").count() == 0 and not page.evaluate("source.columns.length"), "no name before it is said that there are names")
    page.check(f'#header-row input[value="{word}"]')
    page.click("#say-header")


def ranged(page):
    """Says what is possible, which a release asks for."""
    page.fill("#low", "0")
    page.fill("#high", "10")
    page.keyboard.press("Tab")


def no_flags(page, what):
    """Words of the command line stand in the code alone."""
    words = page.evaluate("""() => { const copy = document.querySelector("main").cloneNode(true);
        copy.querySelectorAll("pre, code, details, svg, [hidden]").forEach((one) => one.remove()); return copy.textContent; }""")
    check(" --" not in words, f"{what}: a flag outside of the code: {words[max(0, words.find(' --') - 60):][:120]}")


def until(page, expression, argument=None):
    """Waits for a state of the page; its content policy forbids playwright's own way, which compiles text."""
    for _ in range(600):
        if page.evaluate(expression, argument):
            return
        page.wait_for_timeout(50)
    check(False, f"never became true: {expression}")


def looked(page):
    page.wait_for_selector("#scree svg")
    page.wait_for_selector("#methods .m")
    until(page, "rails.length > 0")


def fits_the_screen(page, what):
    wide, screen = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    check(wide <= screen, f"{what}: {wide} px wide on a screen of {screen} px")


def flow(program, browser, folder, shots):
    """Screens 1 to 5 with a pointer; numbers against plan --json; pressed twice, charged once."""
    complaints = []
    with Explorer(program, folder, "survey.csv", "--ledger", "survey.ledger") as explorer:
        check(explorer.file.stat().st_mode & 0o777 == 0o600, "the file with the secret is its owner's alone")
        page = opened(browser, explorer, complaints)
        named(page)
        page.wait_for_selector("#columns label")
        check(page.input_value("#low") == "" and page.input_value("#high") == "", "no range is guessed")
        check(not explorer.file.exists(), "the file is gone once its secret was used")
        check("#" not in page.url and explorer.secret not in page.content(), "the secret is not left in the address")
        page.screenshot(path=shots / "explore-1-data.png", full_page=True)
        page.click('#screen-1 [data-to="2"]')
        page.screenshot(path=shots / "explore-2-question.png", full_page=True)
        page.click('#screen-2 [data-to="3"]')
        looked(page)
        numbers_agree(program, page, folder)
        no_flags(page, "look")
        page.screenshot(path=shots / "explore-3-look.png", full_page=True)
        before = entries(program, folder)
        page.click("#go")
        check(page.locator("#range-wrong").is_visible(), "a release asks for the range that pictures assumed")
        ranged(page)
        goes_back(page)
        page.click("#go")
        page.wait_for_selector("#spend-ledger svg")
        page.fill("#out", "by-pointer")
        page.keyboard.press("Tab")
        until(page, "document.getElementById('spend-command').textContent.includes('by-pointer')")
        command = page.inner_text("#spend-command")
        check(entries(program, folder) == before, "screens 1 to 4 spend nothing")
        # Pressed twice here, and by eight other tabs at the same moment.
        session, pressed = page.evaluate("[sessionStorage.getItem('session'), { ...releaseQuestion(), shown: look.command }]")
        tabs = [threading.Thread(target=explorer.ask, args=("/api/release", pressed), kwargs={"X_Eigenveil_Session": session}) for _ in range(8)]
        for tab in tabs:
            tab.start()
        page.evaluate("document.getElementById('press').click(); document.getElementById('press').click()")
        for tab in tabs:
            tab.join()
        page.wait_for_selector("#share-row:not([hidden])")
        check(entries(program, folder) == before + 1, "pressed twice and in eight tabs, charged once")
        # The same press later, after a lost answer: the same release.
        status, text = explorer.ask("/api/release", pressed, X_Eigenveil_Session=session)
        check(status == 200 and json.loads(text)["again"], f"pressed in another tab: {status} {text}")
        check(entries(program, folder) == before + 1, "pressed in two tabs, charged once")
        page.click("#share-row .go")
        page.wait_for_selector("#files li")
        report = page.get_attribute("#files a[target]", "href")
        files = report.removesuffix("report.html")
        for name in ("../survey.csv", "/etc/passwd", "..%2fsurvey.csv", "report.html/../../survey.csv"):
            for path in (files + name, "/file/" + "0" * 32 + "/report.html"):
                check(explorer.ask(path, method="GET", Origin=None, Content_Type=None)[0] == 404, f"{path} is not served")
        with page.context.expect_page() as opening:
            page.click("#files a[target]")
        quiet(opening.value, complaints)
        opening.value.wait_for_selector("h1")
        looks = opening.value.evaluate("[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector('main')).maxWidth, getComputedStyle(document.querySelector('.ev-signal') || document.body).fill]")
        check(looks == ["rgb(251, 251, 249)", "860px", "rgb(0, 105, 168)"] or looks[0] != "rgba(0, 0, 0, 0)" and looks[1] != "none" and looks[2] != "rgb(0, 0, 0)", f"the report has its style: {looks}")
        opening.value.close()
        statement = page.inner_text("#statement")
        check("Guarantee" in statement and "Not protected" in statement, "a statement to sign")
        page.screenshot(path=shots / "explore-5-share.png", full_page=True)
        release = json.loads((folder / "by-pointer" / "release.json").read_text())
        words = shlex.split(command)
        check(words[0] == "eigenveil" and words[1] == "pca", "the command is one")
        check(str(release["parameters"]["epsilon"]).rstrip("0").rstrip(".") == words[words.index("--epsilon") + 1], "the command is what was released")
        run(program, folder, "explain", "by-pointer/release.json")
    check(not complaints, f"the console is quiet: {complaints}")


def goes_back(page):
    """The browser's back button goes a screen back, and a page that is loaded again is where it was."""
    page.click('.steps [data-to="2"]')
    page.click('#screen-2 [data-to="3"]')
    page.go_back()
    until(page, "screen === 2")
    page.go_forward()
    until(page, "screen === 3 && !busy && look !== null")
    page.evaluate("move('budget', { value: 2 })")
    until(page, "!busy && look.epsilon === 2")
    page.reload()
    until(page, "typeof screen !== 'undefined' && screen === 3 && !busy && look !== null && look.epsilon === 2")
    check(page.evaluate("state.range_typed"), "what was typed is there after loading again")
    page.evaluate("move('budget', { value: 1 })")
    until(page, "!busy && look.epsilon === 1")


def rows_are_not_names(program, browser, folder):
    """A table without names: its first row is neither shown nor published, whatever is answered."""
    complaints = []
    (folder / "plain.csv").write_text("2.747,0.465,9.928\n" + "1.5,0.5,2.5\n" * 99)
    with Explorer(program, folder, "plain.csv") as explorer:
        page = opened(browser, explorer, complaints)
        named(page)
        page.wait_for_selector("#header-wrong:not([hidden])")
        check("2.747" not in page.content() and "2.747" not in page.evaluate("JSON.stringify(source)"), "no cell is shown")
        page.check('#header-row input[value="absent"]')
        page.fill("#header-width", "3")
        page.click("#say-header")
        page.wait_for_selector("#columns label")
        page.click('.steps [data-to="3"]')
        looked(page)
        check("--header absent --width 3" in page.inner_text("#code"), "the command says the same")
        check("2.747" not in page.content(), "no cell is shown later")
    check(all("422" in one for one in complaints), f"the console is quiet: {complaints}")


# plan --json tries methods on made-up tables where a spectrum is assumed; the page does so apart, under "Ways to do it".
TRIED = ("recommended_method", "total_error_f2", "made_up_tables", "sampling_error_f2")


def edge_of(spectrum, components, plan):
    """What a component must exceed beside the directions left out (docs/proofs/noise_limits.md, (2)), gauss, one unit."""
    scale, p = 25.0, len(spectrum)
    sd = scale * plan["noise_sd_off_diagonal"]
    apart = 2 * math.sqrt(p) * sd + sd * p ** (-1 / 6)
    rest = [scale * value for value in spectrum[components:]]
    if not rest:
        return plan["noise_floor"]
    mean = sum(rest) / len(rest)
    spread = math.sqrt(sum((value - mean) ** 2 for value in rest) / len(rest))
    odds = components / len(rest)
    below = min(1, math.sqrt(len(rest))) * min(1, odds, math.sqrt(odds) / 2)
    return max(plan["noise_floor"], mean + math.hypot(apart * (1 + below), 2 * spread))


def edge_agrees(look, plan):
    """Survivors and line are by the rule of the release: as many components as would each exceed their edge, and no more."""
    spectrum, above = look["spectrum"], look["above_noise"]
    told = [k for k in range(1, look["hoped"] + 1) if 25 * spectrum[k - 1] > edge_of(spectrum, k, plan)]
    check(above == max(told, default=0) == min(plan["predicted_components"], look["hoped"]), f"survivors by the edge: {above}, {told}")
    check(math.isclose(plan["predicted_edge"], edge_of(spectrum, look["components"], plan), rel_tol=1e-9), "the plan's edge")
    check(above < sum(25 * value > plan["noise_floor"] for value in spectrum[: look["hoped"]]) or above == look["hoped"], "which is more than being above zero")


def plan_agrees(program, page, folder):
    """The plan on the page is plan --json; also the words of the command that makes it."""
    look = page.evaluate("look")
    words = shlex.split(look["command"])
    (folder / "spectrum.txt").write_text("\n".join(repr(value) for value in look["spectrum"]))
    kept = ["plan", "pca", "--json", "--rows", str(page.evaluate("state.people")), "--columns", ",".join(page.evaluate("state.columns")),
            "--spectrum", "spectrum.txt"]
    for option in ("-k", "--epsilon", "--delta", "--range", "--neighbours"):
        if option in words:
            kept += [option, words[words.index(option) + 1]]
    plan = json.loads(run(program, folder, *kept))
    tried = {name: plan.pop(name) for name in TRIED if name in plan}
    check(plan == look["plan"], "the page's plan is plan --json")
    check(set(tried) == set(TRIED), f"what plan --json tries on made-up tables, and a slider cannot wait for: {tried}")
    return look, plan, kept


def numbers_agree(program, page, folder):
    """What is shown follows from the plan."""
    look, plan, kept = plan_agrees(program, page, folder)
    recognised = math.ceil(100 * plan["max_power_at_5pct"] - 1e-9)
    check(f"{recognised} times in 100" in page.inner_text("#head"), "the headline says at most, rounded up")
    edge_agrees(look, plan)
    check(f"{look['above_noise']} of {look['hoped']} components" in page.inner_text("#head"), "what survives is in the headline")
    line = float(page.get_attribute("#grip", "aria-valuenow"))
    check(math.isclose(line, math.sqrt(plan["predicted_edge"]), rel_tol=5e-3), "the line is drawn at the edge")
    steady = look["accuracy_components"]
    kept[kept.index("-k") + 1] = str(steady)
    error = json.loads(run(program, folder, *kept))["predicted_error_f2"]
    accuracy = 1.959963984540054 * math.sqrt(error / (2 * len(look["spectrum"]) * steady))
    check(math.isclose(accuracy, look["accuracy"], rel_tol=1e-12), "accuracy follows from the predicted error")
    # The other way round: an accuracy is set, and the budget that is shown is the one that is planned and copied.
    page.evaluate("move('accuracy', accuracyStops().at(-6))")
    until(page, "setBy === 'accuracy' && !busy && look.epsilon !== 1")
    shown = page.inner_text("#budget-out")
    copied = shlex.split(page.inner_text("#code"))
    check(shown == f"ε = {copied[copied.index('--epsilon') + 1]}", "shown and copied budgets agree")
    # A line that is dragged to a place stands there, or at the nearest jump.
    page.evaluate("setFloor(2.5)")
    until(page, "setBy === 'edge' && !busy")
    check(abs(page.evaluate("Math.sqrt(look.plan.predicted_edge)") - 2.5) < 0.35, "the budget follows the line")
    few_survive(page)
    page.evaluate("move('budget', { value: 1 })")
    until(page, "!busy && look.epsilon === 1")


def few_survive(page):
    """Where PC2 would not be released nothing is said of it: neither its accuracy nor a map."""
    page.evaluate("move('budget', { value: 0.05 })")
    until(page, "!busy && look.epsilon === 0.05")
    look = page.evaluate("look")
    check(look["above_noise"] == 1 and look["readable_components"] == 1, "one component survives")
    k, p = 1, len(look["spectrum"])
    check(math.isclose(look["readable_accuracy"], 1.959963984540054 * math.sqrt(look["plan"]["predicted_error_f2"] / (2 * p * k)), rel_tol=1e-12), "the accuracy of what is released")
    check("PC2 and PC3 would not be released" in page.inner_text("#note") and "PC1 is then" in page.inner_text("#note"), "the dial speaks of three, the note of the one")
    check("in PC1," in page.inner_text("#errors-say") and page.locator("#map-after svg").count() == 0, "errors of PC1, and no map")


def none_survives(page):
    """Where no component could be told from noise, nothing beside it recommends a method or states an accuracy."""
    page.evaluate("move('budget', { value: 0.1 })")
    until(page, "!busy && look.epsilon === 0.1 && methodsShown === methodsKey()")
    check(page.evaluate("look.above_noise") == 0, "300 columns at a small budget: nothing survives")
    check("No component could be told" in page.inner_text("#note") and "We recommend" not in page.inner_text("#advice") and "no component could be told" in page.inner_text("#advice"), "and dial and advice say so")
    page.evaluate("move('budget', { value: 1 })")
    until(page, "!busy && look.epsilon === 1")


def slopes_agree(page):
    """What noise does to the slopes is in proportion to the plan's noise, and a slope that noise drowns is said to be nothing."""
    reached = {}
    for epsilon in (1, 4, 10):
        page.evaluate("(value) => move('budget', { value })", epsilon)
        until(page, "(value) => !busy && look.epsilon === value", epsilon)
        look = page.evaluate("look")
        reached[epsilon] = look["accuracy"] / look["plan"]["noise_sd_off_diagonal"]
        check(page.locator("#v-scree").is_hidden(), "the leading directions say nothing of a slope")
        check(look["accuracy_of"] == "slope" and ("nothing" in page.inner_text("#head")) == look["chance"], "what is left of a slope is in the headline")
        check(look["chance"] == (epsilon == 1), "at a small budget some direction of twelve columns is noise")
        check("question_2" in look["slopes"] and "question_1<" not in look["slopes"], "slopes of the predictors")
    check(math.isclose(reached[1], reached[4], rel_tol=1e-12) and math.isclose(reached[1], reached[10], rel_tol=1e-12), "errors of slopes follow the noise")
    page.evaluate("move('budget', { value: 1 })")
    until(page, "!busy && look.epsilon === 1")


def marks_keep_their_scale(page):
    """Marks of the methods lie on one scale that no slider moves, by ratios between a quarter of the sampling error and chance."""
    until(page, "!methodsBusy && document.querySelector('#methods .m input:checked') !== null")
    low, high, rows = page.evaluate("[look.errors.least, look.errors.most, [...document.querySelectorAll('#methods .e')].map((cell) => [cell.textContent, cell.querySelector('svg')?.dataset.at ?? null])]")
    places = []
    for text, at in rows:
        if at is not None and text != "chance":
            value = float(text.strip("±%")) / (100 if "%" in text else 1)
            expected = 5 + 46 * min(1, max(0, math.log(value / low) / math.log(high / low)))
            check(abs(float(at) - expected) < 0.9, f"a mark at {at} for {text}, not at {expected}")
            places.append(float(at))
        check(at is None or 5 <= float(at) <= 51, "no mark is off the scale")
    check(places, "some method has a mark")


def predictors_chosen(page):
    """Response and predictors of a regression are what the curator says, in the command that follows the release."""
    page.click('.steps [data-to="2"]')
    names = page.evaluate("state.columns")
    page.select_option("#response", names[2])
    boxes = page.locator("#predictors input")
    check(boxes.count() == len(names) - 1, "every column but the response can explain it")
    for i in range(len(names) - 1):
        boxes.nth(i).set_checked(i < 2)
    page.click('.steps [data-to="3"]')
    until(page, "!busy && look !== null")
    words = shlex.split(page.evaluate("look.next_command"))
    size = page.viewport_size
    page.set_viewport_size({"width": 390, "height": 844})
    heights = page.evaluate("[...document.querySelectorAll('.code label, .code button')].filter((one) => !one.hidden).map((one) => one.offsetHeight)")
    check(max(heights) <= 44, f"on a phone no button of the code is squeezed into several lines: {heights}")
    page.set_viewport_size(size)
    check(f"--response={names[2]}" in words and f"--predictors=intercept,{names[0]},{names[1]}" in words, f"regression: {words}")


def other_tasks(program, browser, folder, shots):
    """Covariance, a regression and pseudo-data on screen 3: their numbers are those of plan --json, and nothing of the
    directions before is left standing. Ranges by column become the dictionary that the command names."""
    complaints = []
    with Explorer(program, folder, "survey.csv") as explorer:
        page = opened(browser, explorer, complaints)
        named(page)
        page.wait_for_selector("#columns label")
        page.click('.steps [data-to="3"]')
        looked(page)
        for goal, task, key in (("covariance", "covariance", "noise_sd_off_diagonal"), ("regress", "covariance", "noise_sd_off_diagonal"),
                                ("mask", "mask", "gram_noise_sd_gauss")):
            page.click('.steps [data-to="2"]')
            page.check(f'#tasks input[value="{goal}"]')
            page.click('#screen-2 [data-to="3"]')
            until(page, "(goal) => !busy && look !== null && look.goal === goal && document.querySelector('#methods .m') !== null", goal)
            look, people, columns = page.evaluate("[look, state.people, state.columns.length]")
            words = shlex.split(look["command"])
            check(words[1] == task, f"{goal}: the command makes a {task}")
            asked = ["plan", task, "--json", "--rows", str(people), "--columns", ",".join(page.evaluate("state.columns")), "--epsilon", "1", "--delta", "1e-6",
                     "--range", "0:10"]
            if task == "covariance":  # the page plans with the assumed spectrum
                (folder / "spectrum.txt").write_text("\n".join(repr(value) for value in look["spectrum"]))
                asked += ["--spectrum", "spectrum.txt"]
            plan = json.loads(run(program, folder, *asked))
            check(plan == look["plan"], f"{goal}: the page's plan is plan --json")
            scale = 0.3 ** 2 * (people if task == "mask" else 1)
            check(goal == "regress" or math.isclose(look["accuracy"], 1.959963984540054 * plan[key] / scale, rel_tol=1e-12), f"{goal}: accuracy follows from the plan's noise")
            shown = f"±{100 * look['accuracy']:#.2g}%" if task == "mask" else f"±{look['accuracy']:#.2g}"
            check(goal == "regress" or shown in page.inner_text("#head") and shown in page.inner_text("#errors"), f"{goal}: headline and lanes say {shown}")
            check(f"{math.ceil(100 * plan['max_power_at_5pct'] - 1e-9)} times in 100" in page.inner_text("#head"), f"{goal}: what a person risks")
            check(page.locator("#v-weights").is_visible() == (task == "covariance"), f"{goal}: pictures of its own alone")
            check(page.locator("#v-map").is_visible() == (goal == "covariance"), f"{goal}: no map of people beside a regression")
            check("components" not in page.inner_text("#head"), f"{goal}: no components in the headline")
            check(columns == 12 and (goal != "regress" or "analyse regress" in page.evaluate("look.next_command")), f"{goal}: what follows the release")
            if goal == "regress":
                check(words[1] == task and not look["chance"], "three predictors to begin with, which the release carries")
                page.evaluate("state.predictors = state.columns.slice(1); redraw()")
                until(page, "!busy && look.slopes.includes('question_12')")
                slopes_agree(page)
                predictors_chosen(page)
            no_flags(page, goal)
            marks_keep_their_scale(page)
            ways = {way["method"]: way for way in page.evaluate("ask('/api/methods', question())")["ways"]}
            check(ways["gauss"]["basis"] == "proved" and (task == "mask" or "basis" not in ways["spiked"]), f"{goal}: no promise is called proved that is not")
            page.screenshot(path=shots / f"explore-3-{goal}.png", full_page=True)
        # A dictionary typed on screen 1.
        page.click('.steps [data-to="2"]')
        page.check('#tasks input[value="covariance"]')
        page.click('.steps [data-to="1"]')
        page.click("#type-ranges")
        check(not [one for one in page.evaluate("[...document.querySelectorAll('[data-low], [data-high]')].map((input) => input.value)") if one], "no range is guessed for a column")
        for i in range(12):
            page.fill(f'[data-low="{i}"]', "0")
            page.fill(f'[data-high="{i}"]', "10")
        page.fill('[data-high="0"]', "-1")
        page.click("#keep-ranges")
        page.wait_for_selector("#trouble:not([hidden])")
        check("question_1" in page.inner_text("#trouble") and not (folder / "ranges.csv").exists(), "a range that is none is refused")
        complaints[:] = [one for one in complaints if "422" not in one]
        page.fill('[data-high="0"]', "5")
        page.screenshot(path=shots / "explore-1-ranges.png", full_page=True)
        page.click("#keep-ranges")
        page.wait_for_selector("#ranges", state="hidden")
        check((folder / "ranges.csv").read_text().splitlines()[1:3] == ["question_1,0,5", "question_2,0,10"], "the dictionary holds what was typed")
        page.click('.steps [data-to="3"]')
        until(page, "!busy && look.command.includes('--bounds ranges.csv')")
        plan = json.loads(run(program, folder, "plan", "covariance", "--json", "--rows", "20000", "--columns", ",".join(page.evaluate("state.columns")),
                              "--epsilon", "1", "--delta", "1e-6", "--bounds", "ranges.csv", "--standardize", "--spectrum", "spectrum.txt"))
        check(plan == page.evaluate("look.plan"), "with a dictionary, too, the page's plan is plan --json")
    check(not complaints, f"the console is quiet: {complaints}")


def advice(page):
    """The recommendation agrees with the numbers beside it: what is sharper is named, with its price, and said once."""
    until(page, "!methodsBusy && methodsShown === methodsKey()")
    errors = dict(page.evaluate("[...document.querySelectorAll('#methods .m')].map((row) => [row.querySelector('input').value, row.querySelector('.e').textContent])"))
    said = page.inner_text("#advice")
    check(f"by {errors['gauss']}," in said and f"wishart is sharper ({errors['wishart']})" in said, f"numbers of the table in the advice: {said}")
    pure = min(0.05 * math.e, 1 - 0.95 / math.e)
    check(f"up to {math.ceil(100 * pure - 1e-9)} times in 100, not {math.ceil(100 * page.evaluate('look.risk.power') - 1e-9)}" in said and "27 times as much" in said, f"and its price: {said}")
    page.evaluate("changeMethod('wishart')")
    until(page, "!busy && look.method === 'wishart' && !methodsBusy && methodsShown === methodsKey()")
    chosen = page.inner_text("#advice")
    check(f"{errors['wishart']} against {errors['gauss']}" in chosen and ".," not in chosen and ".." not in chosen, f"the same numbers for a choice of one's own: {chosen}")
    page.evaluate("changeMethod('')")
    until(page, "!busy && look.method === 'gauss'")


def every_method(program, browser, folder, shots):
    """No method leaves a number that is none, and a plot of people is two releases whose risk is shown together."""
    complaints = []
    with Explorer(program, folder, "survey.csv", "--header", "present", "--ledger", "survey.ledger") as explorer:
        page = opened(browser, explorer, complaints)
        page.click('.steps [data-to="3"]')
        looked(page)
        alone = page.evaluate("look.risk.power")
        advice(page)
        for method in page.evaluate("[...document.querySelectorAll('#methods input:not(:disabled)')].map((one) => one.value)"):
            page.evaluate("(method) => { state.method = method; return redraw(); }", method)
            until(page, "(method) => !busy && look && look.method === method && !methodsBusy", method)
            page.evaluate("compareMethods()")
            text = page.inner_text("main")
            check("NaN" not in text and "undefined" not in text and "Infinity" not in text, f"{method}: a number that is none")
        page.evaluate("state.method = ''; state.goal = 'plot'; state.map_budget = 1; redraw()")
        until(page, "!busy && look.next_command && look.goal === 'plot'")
        look = page.evaluate("look")
        check(look["risk"]["power"] > alone == look["power_of_directions"], "the risk is that of both releases")
        check(f"{math.ceil(100 * look['risk']['power'] - 1e-9)} times in 100" in page.inner_text("#head"), "and the headline says so")
        plan_agrees(program, page, folder)
        check("scores" not in page.inner_text("#code"), "one command at a time")
        page.click("#follow")
        check(shlex.split(page.inner_text("#code"))[:2] == ["eigenveil", "scores"] and "--epsilon 1" in page.inner_text("#code"), "the map is the second")
        page.screenshot(path=shots / "explore-3-plot.png", full_page=True)
    check(not complaints, f"the console is quiet: {complaints}")


def charges_agree(program, browser, folder):
    """Screen 4 says what this press charges, account by account, and what the map would; after it, that it was charged; and
    nothing of it about the next request."""
    complaints = []
    run(program, folder, "ledger", "create", "plot.ledger", "--name", "Plot", "--epsilon", "3", "--delta", "1e-6")
    with Explorer(program, folder, "survey.csv", "--header", "present", "--ledger", "plot.ledger") as explorer:
        page = opened(browser, explorer, complaints)
        page.wait_for_selector("#columns label")
        # A range that is none is not passed over.
        page.fill("#low", "10")
        page.fill("#high", "0")
        page.click('#screen-1 [data-to="2"]')
        check(page.evaluate("screen") == 1 and page.locator("#range-wrong").is_visible(), "a wrong range stops the way on")
        ranged(page)
        page.click('.steps [data-to="2"]')
        page.check('#tasks input[value="plot"]')
        page.click('#screen-2 [data-to="3"]')
        looked(page)
        page.click("#go")
        page.wait_for_selector("#spend-ledger svg")
        ledger, alone, both = page.evaluate("[look.ledger, look.power_of_directions, look.risk.recognised]")
        press, after = ledger["press"], ledger["map"]
        check(press["account"] != after["account"] and len(ledger["accounts"]) == 2, "two accounts, a bar for each")
        said = page.inner_text("#spend-say")
        check(f"spends {round(100 * press['now'])}% of what was set aside for {press['account']}" in said and f"takes {round(100 * after['now'])}%" in said, f"what the press charges, and the map: {said}")
        check(f"at most {math.ceil(100 * alone - 1e-9)} times in 100 from this release" in said and f"from both together: at most {both} times" in said, "what a person risks by each")
        limit = page.evaluate("look.ledger.limit")
        # Pressed while the last field is being left: what was typed is what runs.
        page.fill("#data-set", "Typed last")
        page.click("#press")
        page.wait_for_selector("#share-row:not([hidden])")
        check(page.locator("#trouble").is_hidden() and page.evaluate("released !== null"), "a press right after a field was left")
        shown = json.loads(run(program, folder, "ledger", "show", "plot.ledger", "--json"))
        charged = shown["spent"]["mu_squared"] / shown["caps"]["mu"] ** 2
        check(math.isclose(charged, press["now"], rel_tol=1e-9), f"what was said is what was charged: {charged} {press}")
        check(shown["entries"][0]["data_set"] == "Typed last", "what was typed last is what was released")
        check("This spent" in page.inner_text("#spend-say") and page.locator("#out").is_disabled(), "in the past once it is done")
        page.click('.steps [data-to="3"]')
        looked(page)
        page.evaluate("move('budget', { value: 0.8 })")
        until(page, "!busy && look.epsilon === 0.8")
        check(page.evaluate("look.ledger.limit") < limit, "the limit is where what is left ends")
        page.click("#go")
        until(page, "screen === 4 && document.getElementById('spend-command').textContent.includes('--epsilon 0.8 ')")
        until(page, "document.getElementById('out').value === 'out-2'")
        check("Released" not in page.inner_text("#outcome") and "This spends" in page.inner_text("#spend-say"), "nothing is said to be released that is not")
        # The limit on the dial is the largest that fits, wherever the handle stands.
        fits = page.evaluate("async (limit) => { const at = async (epsilon) => (await ask('/api/look', question({ epsilon }))).ledger.fits; return [await at(limit), await at(limit * 1.02)]; }", page.evaluate("look.ledger.limit"))
        check(fits == [True, False], f"the limit fits and a little more does not: {fits}")
        limits = page.evaluate("(async () => { const found = []; for (const epsilon of [0.1, 1, 8]) found.push((await ask('/api/look', question({ epsilon }))).ledger.limit); return found; })()")
        check(len(set(limits)) == 1, f"the limit does not wander: {limits}")
    check(not complaints, f"the console is quiet: {complaints}")


def names_are_read(program, browser, folder):
    """Names that tell a person are marked where they stand, and left out with one press; what may come several times is asked."""
    complaints = []
    names = ["MRN", "NHS number", "patient_id", "date of birth", "surname", "postcode", "visit date", "age", "width", "reaction_time"]
    (folder / "clinic.csv").write_text(",".join(names) + "\n" + ",".join(["1"] * len(names)) + "\n")
    with Explorer(program, folder, "clinic.csv", "--header", "present") as explorer:
        page = opened(browser, explorer, complaints)
        page.wait_for_selector("#columns label")
        check(page.locator("#columns .suspect").count() == 6, f"six identifiers: {page.evaluate('source.identifiers')}")
        check(page.evaluate("source.repeated") == ["visit date"], "one that may come several times")
        page.click("#leave-out")
        check(page.evaluate("state.columns") == names[6:] and page.locator("#leave-out").count() == 0, "left out with one press")
    check(not complaints, f"the console is quiet: {complaints}")


def stopped(program, browser, folder):
    """A release is cancelled by its button, and by ending the program: it stops at once, the charge stays and both say so.
    A fifo that is filled without end stands for a table that is long."""
    complaints = []
    run(program, folder, "ledger", "create", "slow.ledger", "--name", "Slow", "--epsilon", "3", "--delta", "1e-6")
    header, *rows = (folder / "survey.csv").read_text().splitlines(keepends=True)

    def fill(held, done):
        """Whole rows, as fast as they are read; a part that did not fit goes first the next time."""
        waiting = header.encode()
        while not done.is_set():
            try:
                waiting = waiting[os.write(held, waiting):] or "".join(rows).encode()
            except BlockingIOError:
                done.wait(0.005)

    def charges():
        return len(json.loads(run(program, folder, "ledger", "show", "slow.ledger", "--json"))["entries"])

    for number, way in enumerate(("button", "signal")):
        table = folder / f"slow-{way}.csv"
        table.write_text(header)
        with Explorer(program, folder, table.name, "--header", "present", "--ledger", "slow.ledger") as explorer:
            table.unlink()
            os.mkfifo(table)
            held = os.open(table, os.O_RDWR | os.O_NONBLOCK)  # opened at both ends, so that nobody waits for a writer
            done = threading.Event()
            filling = threading.Thread(target=fill, args=(held, done))
            filling.start()
            page = opened(browser, explorer, complaints)
            page.wait_for_selector("#columns label")
            ranged(page)
            page.click('.steps [data-to="3"]')
            looked(page)
            page.click("#go")
            page.wait_for_selector("#spend-ledger svg")
            page.fill("#out", f"never-{way}")
            page.keyboard.press("Tab")
            until(page, "(out) => look.command.includes(out)", f"never-{way}")
            page.click("#press")
            until(page, "document.getElementById('progress-say').textContent.includes('reserved')")
            check(charges() == number + 1, "reserved before a row is read")
            if way == "button":
                page.click("#cancel")
                until(page, "document.getElementById('outcome').textContent.includes('Cancelled')")
                check("The charge stays" in page.inner_text("#outcome"), "cancelled by the button: the charge stays and the page says so")
                check(page.locator("#press-again").is_visible() and page.locator("#press").is_hidden(), "and a further release says that it is charged again")
            else:
                explorer.process.terminate()
                said = explorer.process.stdout.read()
                check("stopped" in said and "charge stays" in said, f"ended with a release under way: {said}")
            done.set()
            filling.join()
            os.close(held)
        check(charges() == number + 1, f"{way}: what was reserved stays charged, once")
        check(not [one for one in folder.iterdir() if f"never-{way}" in one.name], f"{way}: nothing half-written is left")
    check(not [one for one in complaints if "ERR_CONNECTION_REFUSED" not in one and "Failed to fetch" not in one], f"the console is quiet: {complaints}")


def drowned(program, browser, folder, shots):
    """A release that noise drowns: the button, the steps and screen 4 have one gate, and who insists sees it in the command."""
    complaints = []
    run(program, folder, "ledger", "create", "drowned.ledger", "--name", "Drowned", "--epsilon", "3", "--delta", "1e-6")

    def charges():
        return len(json.loads(run(program, folder, "ledger", "show", "drowned.ledger", "--json"))["entries"])

    with Explorer(program, folder, "survey.csv", "--header", "present", "--ledger", "drowned.ledger") as explorer:
        page = opened(browser, explorer, complaints)
        page.wait_for_selector("#columns label")
        page.fill("#people", "2000")
        ranged(page)
        page.click('.steps [data-to="3"]')
        looked(page)
        check(page.locator('.steps [data-to="4"]').is_enabled(), "step 4 is open as soon as the look is there")
        page.evaluate("move('budget', { value: 0.05 })")
        until(page, "!busy && look.epsilon === 0.05")
        check(page.evaluate("look.above_noise") == 0 and page.get_attribute("#go", "aria-disabled") == "true", "noise drowns it: the button is closed")
        check(page.locator('.steps [data-to="4"]').is_disabled(), "and so is the step")
        page.click('.steps [data-to="2"]')
        check(page.locator('.steps [data-to="4"]').is_disabled(), "from every screen")
        page.click('.steps [data-to="3"]')
        until(page, "!busy && look !== null && look.drowned")
        check("Noise would drown" in page.inner_text("#drowned-why") and page.locator("#anyway").is_visible(), "the page says why, and how to insist")
        status, text = explorer.ask("/api/release", page.evaluate("({ ...releaseQuestion(), shown: look.command })"), X_Eigenveil_Session=page.evaluate("session"))
        check(status == 422 and "drown" in text and charges() == 0, f"the server has the same gate: {status} {text}")
        no_flags(page, "a drowned release")
        page.check("#anyway")
        until(page, "!busy && look.anyway")
        check("--anyway" in shlex.split(page.inner_text("#code")), "who insists sees it in the command")
        page.screenshot(path=shots / "explore-3-drowned.png", full_page=True)
        page.click("#go")
        page.wait_for_selector("#spend-ledger svg")
        check("Noise would drown" in page.inner_text("#drowned-say") and "--anyway" in page.inner_text("#spend-command"), "screen 4 says what it means")
        page.screenshot(path=shots / "explore-4-drowned.png", full_page=True)
        page.click('.steps [data-to="3"]')
        until(page, "!busy && look !== null")
        page.evaluate("move('budget', { value: 2 })")
        until(page, "!busy && look.epsilon === 2 && !look.drowned")
        check("--anyway" not in page.inner_text("#code") and page.locator("#drowned-row").is_hidden(), "and nothing is insisted on where nothing is drowned")
        page.evaluate("move('budget', { value: 0.05 })")
        until(page, "!busy && look.epsilon === 0.05 && look.drowned")
        check(not page.evaluate("look.anyway") and page.get_attribute("#go", "aria-disabled") == "true", "consent is given anew")
        page.check("#anyway")
        until(page, "!busy && look.anyway")
        # The first answer comes after the field was changed: it must not stand over the later one.
        held = []
        page.route("**/api/look", lambda route: route.continue_() if held else held.append(route))
        page.click("#go")
        page.fill("#out", "drowned")
        page.keyboard.press("Tab")
        for _ in range(600):
            if held:
                break
            page.wait_for_timeout(50)
        held[0].continue_()
        until(page, "look.command.includes('--out drowned') && document.getElementById('spend-command').textContent.includes('--out drowned')")
        page.unroute("**/api/look")
        check(page.input_value("#out") == "drowned", "what was typed while the charge was asked for stays")
        page.click("#press")
        page.wait_for_selector("#share-row:not([hidden])")
        check(charges() == 1, "spent once, by somebody who said so")
    check(not [one for one in complaints if "422" not in one], f"the console is quiet: {complaints}")


def nobody_knows(program, browser, folder):
    """What became of a charge while the ledger cannot be read, and after others have spent."""
    complaints = []
    run(program, folder, "ledger", "create", "gone.ledger", "--name", "Gone", "--epsilon", "1.5", "--delta", "1e-6")
    with Explorer(program, folder, "survey.csv", "--header", "present", "--ledger", "gone.ledger") as explorer:
        page = opened(browser, explorer, complaints)
        page.wait_for_selector("#columns label")
        ranged(page)
        page.click('.steps [data-to="3"]')
        looked(page)
        page.click("#go")
        page.wait_for_selector("#spend-ledger svg")
        page.fill("#out", "gone")
        page.keyboard.press("Tab")
        until(page, "look.command.includes('--out gone')")
        (folder / "gone.ledger").rename(folder / "elsewhere.ledger")
        page.click("#press")
        until(page, "document.getElementById('outcome').textContent.includes('not known here')")
        check("Nothing was charged" not in page.inner_text("#outcome"), "nobody says what nobody knows")
        (folder / "elsewhere.ledger").rename(folder / "gone.ledger")
        until(page, "document.getElementById('outcome').textContent.includes('Nothing was charged')")
        # Others spend: it is not this charge.
        run(program, folder, "pca", "survey.csv", "--header", "present", "-k", "1", "--epsilon", "0.3", "--delta", "1e-7", "--range", "0:10", "--people", "1000000",
            "--ledger", "gone.ledger", "--out", "by-others")
        page.evaluate("poll()")
        check("Nothing was charged" in page.inner_text("#outcome") and page.locator("#press").is_visible() and page.locator("#press-again").is_hidden(), "what others spend is not this charge")
    check(not complaints, f"the console is quiet: {complaints}")


def ends_behind_a_handler(program, folder):
    """Ctrl-C while a question is being answered that takes minutes (a comparison of methods that draw): ended at once, because
    the process is gone while the answer is still owed."""
    with Explorer(program, folder) as explorer:
        session = json.loads(explorer.ask("/api/session", {"secret": explorer.secret})[1])["session"]
        question = {"task": "mask", "relation": "zero-row", "columns": ["a", "b"], "range": [0, 1], "people": 1000}
        outcome = []

        def wait():
            try:
                outcome.append(explorer.ask("/api/rails", question, X_Eigenveil_Session=session)[0])  # seconds of work
            except (OSError, http.client.HTTPException):
                outcome.append("cut off")

        waiting = threading.Thread(target=wait)
        waiting.start()
        while explorer.ask("/api/source", X_Eigenveil_Session=session)[0] != 200:
            pass
        explorer.process.send_signal(2)
        waiting.join(timeout=60)
        check(outcome == ["cut off"], f"the program did not wait for an answer it owed: {outcome}")


def keyboard(program, browser, folder, shots):
    """Nothing but keys, from the first screen to a release."""
    complaints = []
    with Explorer(program, folder, "survey.csv", "--ledger", "survey.ledger") as explorer:
        page = opened(browser, explorer, complaints, dark=True)
        named(page)
        page.wait_for_selector("#columns label")

        def tab_to(selector):
            for _ in range(120):
                page.keyboard.press("Tab")
                if page.evaluate("(s) => document.activeElement && document.activeElement.matches(s)", selector):
                    return
            check(False, f"{selector} is not reached by keys")

        for end, value in (("#low", "0"), ("#high", "10")):
            tab_to(end)
            page.keyboard.type(value)
        tab_to('#screen-1 [data-to="2"]')
        page.keyboard.press("Enter")
        tab_to('#screen-2 [data-to="3"]')
        page.keyboard.press("Enter")
        looked(page)
        tab_to("#budget")
        page.keyboard.press("PageDown")
        until(page, "!busy && look.epsilon === 0.4")
        check(page.get_attribute("#budget", "aria-valuetext") == "epsilon 0.4", "the slider says its value")
        tab_to("#grip")
        edge = page.evaluate("look.plan.predicted_edge")
        page.keyboard.press("ArrowUp")
        until(page, "(edge) => !busy && look.plan.predicted_edge > edge", edge)
        page.screenshot(path=shots / "explore-3-dark.png", full_page=True)
        before = entries(program, folder)
        tab_to("#go")
        page.keyboard.press("Enter")
        page.wait_for_selector("#spend-ledger svg")
        tab_to("#out")
        page.keyboard.press("Control+a")
        page.keyboard.type("by-keys")
        tab_to("#press")
        until(page, "document.getElementById('spend-command').textContent.includes('by-keys')")
        page.keyboard.press("Enter")
        page.wait_for_selector("#share-row:not([hidden])")
        check(entries(program, folder) == before + 1 and (folder / "by-keys" / "report.html").exists(), "released by keys")
    check(not complaints, f"the console is quiet: {complaints}")


def phone_and_wide(program, browser, folder, shots):
    """A phone, and a table of 300 columns with hostile names: nothing overflows, nothing runs."""
    complaints = []
    hostile = "<img src=x onerror=document.title='owned'>"
    names = [hostile, "it's; $(touch owned)"] + [f"column number {i} with a rather long name" for i in range(298)]
    quoted = ",".join('"' + name.replace('"', '""') + '"' for name in names)
    (folder / "wide.csv").write_text(quoted + "\n" + ",".join(["5"] * 300) + "\n")
    with Explorer(program, folder, "wide.csv") as explorer:
        page = opened(browser, explorer, complaints, 390, 844)
        named(page)
        page.wait_for_selector("#columns label")
        fits_the_screen(page, "screen 1 on a phone")
        page.click('.steps [data-to="3"]')
        looked(page)
        fits_the_screen(page, "screen 3 on a phone, 300 columns")
        none_survives(page)
        page.fill("#search", "img")
        until(page, "!busy && state.search === 'img' && look.weights.includes('img src')")
        check(page.title() != "owned" and page.query_selector("#weights img") is None, "a column's name stays text")
        page.screenshot(path=shots / "explore-3-phone-300.png", full_page=True)
        check(page.locator("#go").is_hidden(), "without a ledger nothing is released")
        make = page.evaluate("look.with_ledger").splitlines()[0]
        run(program, folder, *shlex.split(make)[1:])
        check((folder / "table.ledger").exists(), "the command that makes a ledger makes one")
        # A choice of columns is a list of names on the command line: quoted for the shell.
        page.evaluate("state.columns = source.columns.slice(0, 3); state.some_columns = true; redraw()")
        until(page, "!busy && look.command.includes('--columns')")
        words = shlex.split(page.evaluate("look.command"))
        check(words[words.index("--columns") + 1].split(",")[1] == names[1], "names are quoted for the shell")
        value = eval(page.evaluate("look.python").split("columns=")[1].split("]")[0] + "]")  # noqa: S307
        check(value == names[:3], "names are quoted for Python")
    check(not complaints, f"the console is quiet: {complaints}")
    check(not (folder / "owned").exists(), "nothing was run")


def exported(program, browser, folder, shots):
    complaints = []
    run(program, folder, "explore", "--out", "page.html", "--people", "5000", "--dimension", "8")
    page = browser.new_context(viewport={"width": 1280, "height": 900}, offline=True).new_page()
    quiet(page, complaints)
    page.goto((folder / "page.html").as_uri())
    looked(page)
    before = page.inner_text("#budget-out")
    page.focus("#budget")
    page.keyboard.press("PageUp")
    until(page, "(before) => document.getElementById('budget-out').textContent !== before", before)
    plan_agrees(program, page, folder)
    check((folder / "page.html").stat().st_size < 4e6, "a page that can be sent")
    check(page.locator("#go").is_hidden(), "a page that was sent releases nothing")
    page.click('label:has(input[name="component"][value="2"])')
    until(page, "look.component === 2 && look.weights.includes('PC3')")
    page.click('label:has(input[name="risk"][value="alarms"])')
    until(page, "document.getElementById('tally').textContent.includes('alarms')")
    policy = page.get_attribute('meta[http-equiv="Content-Security-Policy"]', "content")
    check("unsafe" not in policy and "sha256-" in policy, "its script and style are allowed by their checksums")
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"document.title=1\">')")
    page.wait_for_timeout(100)
    check(page.title() != "1", "and no other script runs in it")
    complaints[:] = [one for one in complaints if "Content Security Policy" not in one and "Refused" not in one]
    check(not complaints, f"the console is quiet: {complaints}")


class OtherSite(BaseHTTPRequestHandler):
    """A page of somebody else that tries to use the explorer."""
    port = 0

    def do_GET(self):
        body = f"""<!DOCTYPE html><iframe id=f src="http://127.0.0.1:{self.port}/"></iframe><script>
        window.tried = Promise.all([
          fetch("http://127.0.0.1:{self.port}/api/source", {{method: "POST", headers: {{"Content-Type": "application/json"}}, body: "{{}}"}}).then(() => "read", () => "refused"),
          fetch("http://127.0.0.1:{self.port}/api/session", {{method: "POST", mode: "no-cors", body: "{{}}"}}).then((r) => r.type, () => "refused"),
          fetch("http://127.0.0.1:{self.port}/explore.js").then(() => "read", () => "refused")]);</script>""".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def strangers(program, browser, folder):
    with Explorer(program, folder, "survey.csv", "--ledger", "survey.ledger") as explorer:
        before = entries(program, folder)
        good = {"secret": explorer.secret}
        for what, status, headers in [
            ("another origin", 403, {"Origin": "http://example.org"}),
            ("an origin of another port", 403, {"Origin": "http://127.0.0.1:1"}),
            ("no origin", 403, {"Origin": None}),
            ("the origin of a file", 403, {"Origin": "null"}),
            ("a name bound to this address", 403, {"Host": f"rebound.example.org:{explorer.port}"}),
            ("localhost", 403, {"Host": f"localhost:{explorer.port}"}),
            ("no host", 403, {"Host": None}),
            ("a form", 415, {"Content_Type": "text/plain"}),
            ("what a browser says of another page", 403, {"Sec_Fetch_Site": "cross-site"}),
        ]:
            found, text = explorer.ask("/api/session", good, **headers)
            check(found == status and "session" not in text, f"{what}: {found} {text}")
        for path in ("source", "header", "look", "release", "status", "cancel", "released"):
            check(explorer.ask(f"/api/{path}")[0] == 401, f"/api/{path} without a session")
            check(explorer.ask(f"/api/{path}", X_Eigenveil_Session="0" * 32)[0] == 401, f"/api/{path} with a guess")
            check(explorer.ask(f"/api/{path}", method="GET")[0] == 405, f"/api/{path} by GET")
        for guess in ("", "0" * 32, explorer.secret[:-1], explorer.secret + "0", explorer.secret.upper() + " "):
            check(explorer.ask("/api/session", {"secret": guess})[0] == 422, "a guessed secret")
        for path in ("/../survey.csv", "/%2e%2e/survey.csv", "//etc/passwd", "/explore.js/../../survey.csv"):
            status, text = explorer.ask(path, method="GET", Origin=None, Content_Type=None)
            check(status == 404 and "question_1" not in text, f"{path}: {status}")
        # Bodies and heads without end: refused by their announced size, before they are read.
        for size, headers in ((1 << 31, {}), ((1 << 20) + 1, {"X_Eigenveil_Session": "0" * 32})):
            status, _ = explorer.ask("/api/session", good, Content_Length=str(size), **headers)
            check(status == 413, f"a body of {size} bytes: {status}")
        status, _ = explorer.ask("/api/session", good, X_Long="0" * (1 << 15))
        check(status in (400, 431), f"a head of 32 KiB: {status}")
        check(explorer.ask("/", method="GET", Origin=None, Content_Type=None)[0] == 200, "and the page is still there")
        # A page of another site in the same browser.
        OtherSite.port = explorer.port
        site = HTTPServer(("127.0.0.1", 0), OtherSite)
        threading.Thread(target=site.serve_forever, daemon=True).start()
        page = browser.new_context().new_page()
        page.goto(f"http://127.0.0.1:{site.server_port}/")
        tried = page.evaluate("window.tried")
        check(tried[0] == "refused" and tried[2] == "refused", f"another site reads nothing: {tried}")
        framed = [frame for frame in page.frames if frame != page.main_frame]
        check(all("Which table" not in frame.content() for frame in framed), "the page is in no frame")
        site.shutdown()
        # The secret works once, whoever comes second.
        status, text = explorer.ask("/api/session", good)
        check(status == 200, "the secret opens the session")
        check(explorer.ask("/api/session", good)[0] == 422, "and opens it once")
        session = json.loads(text)["session"]
        page = browser.new_context().new_page()
        page.goto(f"{explorer.address}/#{explorer.secret}")
        page.wait_for_selector("#trouble:not([hidden])")
        check(explorer.ask("/api/source", X_Eigenveil_Session=session)[0] == 200, "the session goes on")
        headers = page.goto(f"{explorer.address}/").headers
        check("unsafe" not in headers["content-security-policy"] and "default-src 'none'" in headers["content-security-policy"] and "frame-ancestors 'none'" in headers["content-security-policy"]
              and headers["cache-control"] == "no-store" and headers["referrer-policy"] == "no-referrer" and headers["x-frame-options"] == "DENY", "strict headers")
        for out in ("../elsewhere", "/tmp/elsewhere", "-rf", ".hidden", ""):
            status, _ = explorer.ask("/api/release", {"columns": ["question_1", "question_2"], "range": [0, 10], "components": 1, "out": out, "shown": ""},
                                     X_Eigenveil_Session=session)
            check(status == 422, f"a release into '{out}'")
        stale = {"columns": ["question_1", "question_2"], "range": [0, 10], "components": 1, "out": "stale", "shown": "eigenveil pca survey.csv"}
        status, text = explorer.ask("/api/release", stale, X_Eigenveil_Session=session)
        check(status == 422 and "screen" in text, f"a screen that shows another command: {status} {text}")
        check(entries(program, folder) == before, "strangers and refusals spend nothing")


def trouble_on_the_way(program, browser, folder):
    """Somebody else spends what was left between looking and pressing; a slow machine; the program ends under the page."""
    complaints = []
    run(program, folder, "ledger", "create", "small.ledger", "--name", "Small", "--epsilon", "1.5", "--delta", "1e-6")
    with Explorer(program, folder, "survey.csv", "--header", "present", "--ledger", "small.ledger") as explorer:
        page = opened(browser, explorer, complaints)
        page.wait_for_selector("#columns label")
        ranged(page)
        page.click('.steps [data-to="2"]')
        page.check('#tasks input[value="mask"]')
        no_flags(page, "a mask that the ledger would refuse")
        page.click('#screen-2 [data-to="3"]')
        until(page, "!busy && look !== null && look.goal === 'mask'")
        check(page.get_attribute("#go", "aria-disabled") == "true" and "refuse" in page.inner_text("#ledger-say"), "the ledger's refusal is said before anything is pressed")
        no_flags(page, "the ledger's refusal of a mask")
        page.click('.steps [data-to="2"]')
        page.check('#tasks input[value="pca"]')
        page.click('#screen-2 [data-to="3"]')
        looked(page)
        # A processor of a sixth: steps are skipped, the last one stands.
        processor = page.context.new_cdp_session(page)
        processor.send("Emulation.setCPUThrottlingRate", {"rate": 6})
        page.evaluate("for (const value of [0.1, 0.2, 0.5, 2, 4, 8, 1.2]) move('budget', { value }); state.component = 2; redraw()")
        until(page, "!busy && look.epsilon === 1.2 && look.component === 2 && document.getElementById('budget-out').textContent === 'ε = 1.2'")
        processor.send("Emulation.setCPUThrottlingRate", {"rate": 1})
        page.evaluate("move('budget', { value: 1 })")
        until(page, "!busy && look.epsilon === 1")
        page.click("#go")
        page.wait_for_selector("#spend-ledger svg")
        page.fill("#out", "too-late")
        page.keyboard.press("Tab")
        until(page, "look.command.includes('too-late')")
        run(program, folder, "pca", "survey.csv", "--header", "present", "-k", "1", "--epsilon", "1.1", "--delta", "9e-7", "--range", "0:10", "--ledger", "small.ledger", "--out", "meanwhile")
        page.click("#press")
        until(page, "document.getElementById('outcome').textContent.includes('Not released')")
        check("Nothing was charged" in page.inner_text("#outcome") and not (folder / "too-late").exists(), "what was spent meanwhile is not spent again")
        explorer.process.terminate()
        explorer.process.wait(timeout=30)
        page.click('.steps [data-to="3"]')
        until(page, "document.getElementById('trouble').textContent.includes('no longer answers')")
    check(not [one for one in complaints if "ERR_CONNECTION" not in one], f"the console is quiet: {complaints}")


def main():
    program, shots = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
    chromium = shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        print("SKIPPED: playwright is not installed (python/requirements/test.txt)")
        return SKIPPED
    if not chromium:
        print("SKIPPED: chromium is not installed")
        return SKIPPED
    shots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        folder = pathlib.Path(scratch)
        run(program, folder, "generate", "survey", "--rows", "2000", "--out", "survey.csv")
        run(program, folder, "ledger", "create", "survey.ledger", "--name", "Test survey", "--epsilon", "3", "--delta", "1e-6")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        flow(program, browser, folder, shots)
        rows_are_not_names(program, browser, folder)
        charges_agree(program, browser, folder)
        names_are_read(program, browser, folder)
        other_tasks(program, browser, folder, shots)
        every_method(program, browser, folder, shots)
        trouble_on_the_way(program, browser, folder)
        stopped(program, browser, folder)
        drowned(program, browser, folder, shots)
        nobody_knows(program, browser, folder)
        ends_behind_a_handler(program, folder)
        keyboard(program, browser, folder, shots)
        phone_and_wide(program, browser, folder, shots)
        exported(program, browser, folder, shots)
        strangers(program, browser, folder)
        browser.close()
    print("FAILED" if FAILURES else f"ok, pictures in {shots}")
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())

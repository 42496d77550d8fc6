#!/usr/bin/env python3
"""Latency of a slider move of `eigenveil explore`: from the question to the last byte of numbers and pictures.

    bench/explorer.py PROGRAM [MOVES]

Prints, for tasks and 20 and 300 columns, the median and the slowest of MOVES (default 40) moves through the budgets.
"""
import http.client
import json
import statistics
import subprocess
import sys
import time


def main():
    program = sys.argv[1]
    moves = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    explorer = subprocess.Popen([program, "explore", "--no-browser"], text=True, stdout=subprocess.PIPE)
    try:
        explorer.stdout.readline()
        page = open(explorer.stdout.readline().strip().removeprefix("file://"), encoding="utf-8").read()
        address, secret = page.split('content="0;url=')[1].split('"')[0].split("/#")
        connection = http.client.HTTPConnection(address.removeprefix("http://"))
        headers = {"Origin": address, "Content-Type": "application/json"}

        def ask(path, body):
            connection.request("POST", path, json.dumps(body), headers)
            return json.loads(connection.getresponse().read())

        headers["X-Eigenveil-Session"] = ask("/api/session", {"secret": secret})["session"]
        for task, columns in (("pca", 20), ("pca", 300), ("covariance", 20), ("mask", 20), ("mask", 300)):
            question = {"task": task, "columns": [f"question_{i}" for i in range(columns)], "range": [0, 10], "people": 1000 * columns, "delta": 1e-6}
            ask("/api/look", question)  # the assumed directions are made once
            seconds = []
            for move in range(moves):
                question["epsilon"] = round(0.1 * 1.1**move, 4)
                began = time.perf_counter()
                ask("/api/look", question)
                seconds.append(time.perf_counter() - began)
            print(f"{task}, {columns} columns: median {1000 * statistics.median(seconds):.0f} ms, slowest {1000 * max(seconds):.0f} ms of {moves} moves")
    finally:
        explorer.terminate()
        explorer.wait(timeout=30)


if __name__ == "__main__":
    main()

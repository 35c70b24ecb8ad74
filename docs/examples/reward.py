#!/usr/bin/env python3
"""Rewards for a training loop from a judge: the speed-up over a time, or 0 for what is not right. A failure of the judge's
is no reward (null): it says nothing of the program.

    WARPJUDGE_URL=https://judge WARPJUDGE_TOKEN=wjt_... python3 reward.py softmax 52000 A.cu B.cu

It needs a token with the scope bulk (`warpjudge token new --scopes read,submit,bulk`).
Prints one JSON object for each file, in their order."""
import concurrent.futures
import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid

URL = os.environ.get("WARPJUDGE_URL", "http://localhost:8080").rstrip("/")
IN_FLIGHT = 16


def call(method, path, body=None, key=None):
    """The judge's answer. One that is busy or away is asked again, with the key of the same submission."""
    headers = {"Authorization": "Bearer " + os.environ["WARPJUDGE_TOKEN"], "Content-Type": "application/json"}
    if key:
        headers["Idempotency-Key"] = key
    data = json.dumps(body).encode() if body else None
    while True:
        try:
            request = urllib.request.Request(f"{URL}/api/v1/{path}", data, headers, method=method)
            return json.load(urllib.request.urlopen(request, timeout=60))
        except urllib.error.HTTPError as error:
            if error.code not in (429, 502, 503, 504):
                raise SystemExit(f"{path}: {json.load(error)['detail']}") from None
            time.sleep(float(error.headers.get("Retry-After", 1)))
        except OSError:
            time.sleep(1)


def judge(problem, source):
    """The finished submission. It never ranks; what does not compile never waits for a device."""
    body = {"problem": problem, "source": source, "mode": "grade"}
    ident = call("POST", "submissions", body, str(uuid.uuid4()))["id"]
    while (answer := call("GET", f"submissions/{ident}"))["state"] != "done":
        time.sleep(0.2)
    return answer


def reward(problem, baseline_ns, source):
    """By the end of the interval, so that noise earns nothing. A race is right by luck alone."""
    answer = judge(problem, source)
    luck = any(n["kind"] in ("race", "out_of_array") for n in answer.get("notices", []))
    right = answer["verdict"] == "accepted" and not luck
    worth = baseline_ns / answer["high_ns"] if right else 0.0
    return {"verdict": answer["verdict"], "message": answer["message"],
            "reward": None if answer["verdict"] in ("judge_error", "cancelled") else worth}


if __name__ == "__main__":
    sources = [open(path, encoding="utf-8").read() for path in sys.argv[3:]]
    with concurrent.futures.ThreadPoolExecutor(IN_FLIGHT) as pool:
        for result in pool.map(lambda source: reward(sys.argv[1], float(sys.argv[2]), source), sources):
            print(json.dumps(result), flush=True)

"""`make bench` end to end, once: its figures depend on the machine, that it prints them does not."""
import os
import subprocess
import sys

from harness import ROOT

SLOW = "compiles a kernel with nvcc twice and starts a daemon with an empty cache"


def test_submit_to_verdict(judge):
    by_hand = {k: v for k, v in os.environ.items() if k != "WARPJUDGE_TEST_SHARED"}
    done = subprocess.run([sys.executable, ROOT / "tests/bench/run.py", judge.prefix, "1"],
                          capture_output=True, text=True, env=by_hand)
    assert done.returncode == 0, done.stderr
    for line in ["nvcc alone", "submit to verdict, new bytes", "submit to verdict, bytes seen before",
                 "peak memory"]:
        assert line in done.stdout, done.stdout


def test_streams_of_events(judge):
    by_hand = {k: v for k, v in os.environ.items() if k != "WARPJUDGE_TEST_SHARED"}
    done = subprocess.run([sys.executable, ROOT / "tests/bench/events.py", judge.prefix, "20", "2"],
                          capture_output=True, text=True, env=by_hand)
    assert done.returncode == 0, done.stderr
    for line in ["20 streams of events, 0 open pages, 2 events", "to the last stream", "CPU time", "memory grew"]:
        assert line in done.stdout, done.stdout


def test_arbiters_that_stay(judge):
    by_hand = {k: v for k, v in os.environ.items() if k != "WARPJUDGE_TEST_SHARED"}
    done = subprocess.run([sys.executable, ROOT / "tests/bench/staying.py", judge.prefix, "1", "5"],
                          capture_output=True, text=True, env=by_hand)
    assert done.returncode == 0, done.stderr
    for line in ["by an arbiter that stays", "by an arbiter for each", "stay / once"]:
        assert line in done.stdout, done.stdout

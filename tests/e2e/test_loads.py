"""Slow readers and writers, 5,000 connections and garbage at full speed, while 20 honest people run a kernel: nothing is
lost, everybody is judged, and the daemon stays small. How long that takes is measured by tests/bench/server.py."""
import sqlite3
from pathlib import Path

from harness import await_that
from loads import Loads, people_run

SLOW = "it loads the machine with all that strangers can send, and judges 20 kernels meanwhile"
PEOPLE = 20
MEMORY_KIB = 200 << 10


def peak_kib(pid):
    return next(int(line.split()[1]) for line in Path(f"/proc/{pid}/status").read_text().splitlines()
                if line.startswith("VmHWM:"))


def test_honest_people_beside_everything(judge):
    judge.env.pop("WARPJUDGE_LOOP_LIMIT_US")  # CPU time, too, grows beside such neighbours: test_event_loop.py has the limit
    port = judge.start("--listen", "127.0.0.1:0", "--open")["port"]

    def connections():
        text = judge.api("GET", "/metrics")[1]
        return next(float(line.split()[1]) for line in text.splitlines() if line.startswith("warpjudge_connections "))

    with Loads(port):
        await_that(lambda: connections() > 3000, "the crowd has come")
        people = people_run(port, PEOPLE)
        assert judge.daemon.poll() is None
        assert peak_kib(judge.daemon.pid) < MEMORY_KIB, peak_kib(judge.daemon.pid)
    assert [p.done and p.done["verdict"] for p in people] == ["accepted"] * PEOPLE, [p.done for p in people]
    assert len({p.ident for p in people}) == PEOPLE
    db = sqlite3.connect(judge.home / "leaderboard.db")
    rows = db.execute("SELECT count(*), count(DISTINCT source), sum(done) FROM submissions").fetchone()
    db.close()
    assert rows == (PEOPLE, PEOPLE, PEOPLE), rows

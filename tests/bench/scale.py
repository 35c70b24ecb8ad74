#!/usr/bin/env python3
"""What holds the daemon's event loop on a database of many submissions, by this build and by another one.

usage: scale.py PREFIX [OTHER [SUBMISSIONS [USERS]]]

1,000,000 submissions by 20,001 users unless said. A class has 2,000 of them (tests/e2e/crowd.py), so that its grades are those of
100,000 submissions. OTHER is a build of an older version: it makes the database, which each build is given a copy of, and so
PREFIX upgrades it. Of each call are printed: wall time and CPU time of the daemon, and the longest handler. At last, a step of
Slurm's beside 3,000 and 10,000 submissions that wait. Slurm's commands fail there, since only the count of what waits is timed."""
import contextlib
import hashlib
import json
import os
import re
import shutil
import sqlite3
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.dont_write_bytecode = True
# The harness looks there for what the tests of a run share.
os.environ.setdefault("WARPJUDGE_TEST_SHARED", tempfile.mkdtemp(prefix="wj-bench-"))
os.environ.setdefault("WARPJUDGE_PROBLEMS", str(ROOT / "problems"))
import answers  # noqa: E402
import crowd  # noqa: E402
import harness  # noqa: E402
from test_pages_staff import member  # noqa: E402

LIMIT_US = 200  # what is logged
LONG_MS = 10000
UNTIL = "until=1999999999999"
CALLS = (("GET", "accounts"), ("GET", "accounts?limit=100"), ("GET", "groups/class/members"), ("GET", f"groups/class/grades?{UNTIL}"),
         ("GET", f"groups/group7/grades?{UNTIL}"))
PAGES = ("/staff/users", "/groups/class/members", "/groups/class/grades")
WAITING = (3000, 10000)
SLURM = """listen = 127.0.0.1:{port}
registration = invitation
workers-only = yes
[slurm]
server = http://127.0.0.1:{port}
shared = {home}/shared
user = boss
"""
GROUP = """[slurm {name}]
board = NVIDIA H200
arch = sm_90a
partition = low
gres = gpu:{gpus}
gpus = {gpus}
"""


@contextlib.contextmanager
def new_judge(prefix):
    with harness.Judge(Path(prefix).resolve(), own_cache=True) as judge:
        judge.env["WARPJUDGE_LOOP_LIMIT_US"] = str(LIMIT_US)
        try:
            yield judge
        finally:
            if judge.daemon:
                judge.stop()
            judge.log.write_text("")  # what was held is printed
            answers.seen.clear()


def cpu_ms(judge):
    return int(Path(f"/proc/{judge.daemon.pid}/schedstat").read_text().split()[0]) / 1e6


def held_ms(judge, by=""):
    return sorted(int(us) / 1000 for us, what in re.findall(r"held for (\d+) us of CPU time by (.*)", judge.log.read_text()) if by in what)


def measure(judge, name, act):
    """Twice, unless that takes long; the shorter of both counts, since others may have the CPUs meanwhile."""
    rows = []
    while len(rows) < 2 and sum(wall for _, _, wall in rows) < LONG_MS:
        judge.log.write_text("")
        before, begin = cpu_ms(judge), time.perf_counter()
        what = act()
        wall = (time.perf_counter() - begin) * 1000
        rows.append((max(held_ms(judge), default=0), cpu_ms(judge) - before, wall))
    longest, cpu, wall = (min(column) for column in zip(*rows))
    print(f"  {name:48} longest handler {longest:8.1f} ms, CPU time {cpu:9.1f} ms, wall time {wall:9.1f} ms  {what}", flush=True)


def call(judge, method, path):
    status, answer, _ = judge.ask(method, f"/api/v1/{path}")
    if status == 400:
        return "not known to this build"
    assert status == 200, (path, status, str(answer)[:500])
    return hashlib.sha256(json.dumps(answer, sort_keys=True).encode()).hexdigest()[:8]


def measure_calls(prefix, made):
    with new_judge(prefix) as judge:
        shutil.copy(made, judge.home / "leaderboard.db")
        args = ("--listen", "127.0.0.1:0", "--registration", "invitation")
        port = judge.start(*args)["port"]
        print("\n".join(f"  {line}" for line in judge.log.read_text().splitlines() if "upgraded" in line))
        for method, path in CALLS:
            measure(judge, f"{method} {path}", lambda method=method, path=path: call(judge, method, path))
        gone = iter((400000, 400001))
        measure(judge, "DELETE of a submission", lambda: removed(judge, next(gone)))
        root = member(judge, port, "root", "admin")
        for path in PAGES:
            measure(judge, f"page {path}", lambda path=path: f"{len(root.get(path).text)} bytes")


def removed(judge, ident):
    user = judge.api("GET", f"/api/v1/submissions/{ident}")[1]["user"]
    return call(judge, "DELETE", f"submissions/{ident}?user={user}")


def add_waiting(judge, count):
    """So many submissions to all problems that no worker has begun."""
    slugs = sorted(p.name for p in (ROOT / "problems").iterdir() if (p / "problem.json").exists())
    db = sqlite3.connect(judge.home / "leaderboard.db")
    with db:
        db.execute("INSERT INTO users (name, created_ms) VALUES ('ada', 1)")
        db.execute("INSERT INTO sources (sha256, text) VALUES ('x', 'int x;')")
        db.executemany("INSERT INTO submissions (user_id, problem, device, board, filename, source, sample_only, created_ms)"
                       " VALUES (1, ?, 'NVIDIA H200', 'NVIDIA H200', 'k.cu', 'x', 0, ?)",
                       ((slugs[i % len(slugs)], i) for i in range(count)))
    db.close()


def measure_slurm(prefix, count):
    with new_judge(prefix) as judge:
        judge.start()
        judge.stop()
        add_waiting(judge, count)
        tools = judge.home / "tools"
        tools.mkdir()
        for name in ("sbatch", "squeue", "scancel", "scontrol", "sacct"):
            (tools / name).write_text("#!/bin/sh\nexit 1\n")
            (tools / name).chmod(0o755)
        judge.env["PATH"] = f"{tools}:{judge.env['PATH']}"
        config = judge.home / "warpjudge.conf"
        config.write_text(SLURM.format(port=harness.own_port(), home=judge.home) +
                          "".join(GROUP.format(name=f"gpus-{n}", gpus=n) for n in (1, 2)))
        judge.start("--config", str(config))
        judge.log.write_text("")
        time.sleep(12)
        held = held_ms(judge, "Slurm")
        waiting = [g["waiting"] for g in judge.api("GET", "/api/health")[1]["slurm"]["groups"]]
        middle = f"{held[len(held) // 2]:.1f}" if held else f"below {LIMIT_US / 1000}"
        print(f"  {'a step of Slurm’s beside ' + str(count):48} median {middle} ms, longest {max(held, default=0):.1f} ms; {waiting} wait", flush=True)


def main(prefix, other=None, count="1000000", users="20001"):
    builds = [prefix] if other is None else [other, prefix]
    print(f"{count} submissions by {users} users, {os.cpu_count()} CPUs")
    with tempfile.TemporaryDirectory(prefix="wj-bench-") as folder:
        made = Path(folder) / "leaderboard.db"
        with new_judge(builds[0]) as judge:
            crowd.many(judge, int(count), int(users))
            crowd.school(judge)
            shutil.move(judge.home / "leaderboard.db", made)
        for build in builds:
            print(build)
            measure_calls(build, made)
            for waiting in WAITING:
                measure_slurm(build, waiting)


main(*sys.argv[1:])

#!/usr/bin/env python3
"""What the daemon does under load, measured in one run on the machine at hand.

usage: server.py PREFIX [SUBMISSIONS [PART...]]

PART is one of start, problem, lists, board, submissions and loads; without any all but board are measured. On a database of
1,000,000 submissions, or as many as are said: the start, the upgrade, how fast a problem is answered against the least that
an evhttp server does, and each list. board: the same number of entries on one board, the start with it, and its pages. Then,
on an empty database, 10,000 submissions by 50 clients against an empty commit on the same disk, and the answers that 20
people get beside slow readers, slow writers, 5,000 connections and garbage. PREFIX/bench has http_load and bare_http.
"""
import contextlib
import http.client
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.dont_write_bytecode = True
# The harness looks there for what the tests of a run share.
os.environ.setdefault("WARPJUDGE_TEST_SHARED", tempfile.mkdtemp(prefix="wj-bench-"))
import answers  # noqa: E402
import crowd  # noqa: E402
import harness  # noqa: E402
from loads import Loads, people_run  # noqa: E402

CLIENTS, EACH, EVERY_S = 50, 200, 0.25
LISTS = ("problems", "problems?limit=100", "problems/vector-addition/board", "problems/vector-addition/board?limit=100", "submissions",
         "submissions?limit=100", "submissions?user=user7", "submissions?problem=vector-addition",
         "submissions?user=user7&problem=vector-addition", "submissions/500000", "submissions/500000/source")


def p99(values):
    return sorted(values)[len(values) * 99 // 100]


def line(name, text):
    print(f"  {name:58} {text}", flush=True)


@contextlib.contextmanager
def elsewhere():
    """Threads of this process that begin meanwhile stand for other machines: they do not wait for a CPU that compilers or hostile
    clients have. Where that is not allowed they do."""
    try:
        os.setpriority(os.PRIO_PROCESS, 0, -10)
        yield
    except PermissionError:
        yield
    finally:
        with contextlib.suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, 0, 0)


def load(prefix, port, path, connections, requests):
    """(answers in a second, median, 99th percentile, longest; in milliseconds)"""
    run = subprocess.run([prefix / "bench/http_load", str(port), path, str(connections), str(requests)], check=True,
                         capture_output=True, text=True)
    return [float(word) for word in run.stdout.split()]


def started(judge, *args):
    """Seconds until it listens, and the port. Its handlers are not watched, as they are in the tests."""
    judge.env.pop("WARPJUDGE_LOOP_LIMIT_US", None)
    judge.own_session = True
    begin = time.perf_counter()
    port = judge.start("--listen", "127.0.0.1:0", "--open", *args)["port"]
    return time.perf_counter() - begin, port


def measure_start(judge):
    times = []
    for _ in range(5):
        times.append(started(judge)[0])
        judge.stop()
    line("start", f"median {statistics.median(times):.2f} s")
    db = sqlite3.connect(judge.home / "leaderboard.db")
    size = sum(p.stat().st_size for p in judge.home.glob("leaderboard.db*"))
    db.close()
    line("its database", f"{size / 1e6:.0f} MB")


def cpu_us(pid):
    """CPU time that the process's first thread has used."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e3


def load_and_cpu(prefix, port, path, pid, requests=20000):
    """(answers in a second, CPU time of each in microseconds)"""
    before = cpu_us(pid)
    return load(prefix, port, path, 16, requests)[0], (cpu_us(pid) - before) / requests


def measure_against_bare(judge, prefix, port):
    path = "/api/v1/problems/vector-addition"
    body = judge.write("body", json.dumps(judge.api("GET", path)[1]))
    bare = subprocess.Popen([prefix / "bench/bare_http", body], stdout=subprocess.PIPE, text=True)
    bare_port = int(bare.stdout.readline())
    pairs = [(load_and_cpu(prefix, port, path, judge.daemon.pid), load_and_cpu(prefix, bare_port, path, bare.pid))
             for _ in range(5)]
    bare.terminate()
    bare.wait()
    bare.stdout.close()
    ours, theirs = (statistics.median(rate for rate, _ in side) for side in zip(*pairs))
    ratio = statistics.median(a[0] / b[0] for a, b in pairs)
    line("GET of a problem", f"{ours:.0f} a second, {ratio:.2f} of a bare handler's {theirs:.0f}")
    ours, theirs = (statistics.median(cpu for _, cpu in side) for side in zip(*pairs))
    ratio = statistics.median(b[1] / a[1] for a, b in pairs)
    line("its CPU time", f"{ours:.1f} us, a bare handler's {theirs:.1f} us: {ratio:.2f}")


def measure_lists(prefix, port):
    for path in LISTS:
        _, median, slow, _ = load(prefix, port, f"/api/v1/{path}", 1, 1000)
        line(f"GET {path}", f"median {median:.2f} ms, p99 {slow:.2f} ms")


def empty_commits(folder, count=500, every_s=0):
    """Seconds of each of some transactions that change one row, on the same disk."""
    (folder / "empty.db").unlink(missing_ok=True)
    db = sqlite3.connect(folder / "empty.db", isolation_level=None)
    db.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (n INTEGER)")
    took = []
    for n in range(count):
        time.sleep(every_s)
        begin = time.perf_counter()
        db.execute("INSERT INTO t VALUES (?)", (n,))
        took.append(time.perf_counter() - begin)
    db.close()
    return took


def client_live(port, number, ids, took, begin):
    c = http.client.HTTPConnection("127.0.0.1", port)
    for n in range(EACH):
        time.sleep(max(0, begin + (n + number / CLIENTS) * EVERY_S - time.perf_counter()))
        sent = time.perf_counter()
        c.request("POST", "/api/v1/submissions", headers={"Content-Type": "application/json"}, body=json.dumps({
            "problem": "vector-addition", "user": f"client{number}", "filename": "k.cu", "mode": "run",
            "source": f"int x{number}_{n};"}))
        answer = c.getresponse()
        body = json.loads(answer.read())
        took.append(time.perf_counter() - sent)
        ids.append(body["id"] if answer.status == 201 else body)
    c.close()


def measure_submissions(judge, port):
    ids, took, meanwhile = [], [], []
    commits = empty_commits(judge.home)
    begin = time.perf_counter() + 0.5
    threads = [threading.Thread(target=client_live, args=(port, n, ids, took, begin)) for n in range(CLIENTS)]
    threads.append(threading.Thread(target=lambda: meanwhile.extend(empty_commits(judge.home, EACH * 2, EVERY_S / 2))))
    with elsewhere():
        for t in threads:
            t.start()
    for t in threads:
        t.join()
    commits += empty_commits(judge.home)
    db = sqlite3.connect(judge.home / "leaderboard.db")
    rows = db.execute("SELECT count(*), count(DISTINCT source) FROM submissions").fetchone()
    stored = {row[0] for row in db.execute("SELECT id FROM submissions")}
    db.close()
    lost = CLIENTS * EACH - len(stored & {i for i in ids if isinstance(i, int)})
    line(f"{CLIENTS * EACH} submissions by {CLIENTS} clients, {CLIENTS / EVERY_S:.0f} a second",
         f"{lost} lost, {rows[0] - rows[1]} twice")
    line("a submission", f"median {statistics.median(took) * 1e3:.2f} ms, p99 {p99(took) * 1e3:.2f} ms")
    line("an empty commit on the same disk",
         f"median {statistics.median(commits) * 1e3:.2f} ms, p99 {p99(commits) * 1e3:.2f} ms")
    line("such a commit meanwhile", f"median {statistics.median(meanwhile) * 1e3:.2f} ms, p99 {p99(meanwhile) * 1e3:.2f} ms")


def measure_beside_loads(judge, port):
    with elsewhere():
        alone = [s for p in people_run(port, 20) for s in p.took_s]
    with Loads(port):
        time.sleep(5)
        with elsewhere():
            people = people_run(port, 20)
    took = [s for p in people for s in p.took_s]
    judged = sum(p.done is not None and p.done["verdict"] == "accepted" for p in people)
    peak = next(int(text.split()[1]) for text in Path(f"/proc/{judge.daemon.pid}/status").read_text().splitlines()
                if text.startswith("VmHWM:"))
    line("20 people alone", f"{len(alone)} answers, median {statistics.median(alone) * 1e3:.1f} ms, p99 {p99(alone) * 1e3:.1f} ms")
    line("20 people beside the loads of tests/e2e/loads.py",
         f"{len(took)} answers, median {statistics.median(took) * 1e3:.1f} ms, p99 {p99(took) * 1e3:.1f} ms")
    line("", f"{judged} of 20 judged, {sum(p.again for p in people)} calls made again, daemon's peak {peak / 1024:.0f} MiB")


def measure_large(prefix, count, parts):
    with harness.Judge(prefix, own_cache=True) as judge:
        begin = time.perf_counter()
        crowd.many(judge, count)
        line("making the database", f"{time.perf_counter() - begin:.0f} s")
        if "start" in parts:
            measure_start(judge)
        _, port = started(judge)
        if "problem" in parts:
            measure_against_bare(judge, prefix, port)
        if "lists" in parts:
            measure_lists(prefix, port)
        answers.seen.clear()


def measure_board(prefix, count):
    board = "/api/v1/problems/vector-addition/board"
    with harness.Judge(prefix, own_cache=True) as judge:
        crowd.fill(judge, count)
        judge.stop()
        measure_start(judge)
        _, port = started(judge)
        for query in ("limit=50", f"around=user{count // 2}", f"page={count // 100}"):
            before = cpu_us(judge.daemon.pid)
            _, median, slow, _ = load(prefix, port, f"{board}?{query}", 1, 1000)
            cpu = (cpu_us(judge.daemon.pid) - before) / 1000
            line(f"GET of a page of 50, {query}", f"median {median:.2f} ms, p99 {slow:.2f} ms, CPU time {cpu:.0f} us")
        answers.seen.clear()


def measure_empty(prefix, measure):
    with harness.Judge(prefix, own_cache=True) as judge:
        _, port = started(judge)
        measure(judge, port)
        judge.stop()
        answers.seen.clear()


def main():
    prefix = Path(sys.argv[1]).resolve()
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000000
    parts = sys.argv[3:] or ["start", "problem", "lists", "submissions", "loads"]
    print(f"the daemon with {count} submissions or entries, {os.cpu_count()} CPUs")
    if {"start", "problem", "lists"} & set(parts):
        measure_large(prefix, count, parts)
    if "board" in parts:
        measure_board(prefix, count)
    if "submissions" in parts:
        measure_empty(prefix, measure_submissions)
    if "loads" in parts:
        measure_empty(prefix, measure_beside_loads)


main()

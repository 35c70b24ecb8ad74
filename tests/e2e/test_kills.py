"""kill -9 at random moments: nothing is lost, nothing is ranked twice."""
import os
import random
import signal
import sqlite3
import time

from harness import DEMO, await_that, command_of, processes_with

BUILD = "asan"

OWN_CACHE = "the compiler is among what is killed"
RIGHT = (DEMO / "right.cu").read_text()


def variant(n):
    return RIGHT + f"\n// variant {n}\n"


def check_board(judge, idents):
    db = sqlite3.connect(judge.home / "leaderboard.db")
    rows = db.execute("SELECT count(*), count(DISTINCT id) FROM submissions").fetchone()
    assert rows == (len(idents), len(idents)), rows
    entries = db.execute("SELECT user_id, count(*) FROM entries GROUP BY 1").fetchall()
    assert entries and all(n == 1 for _, n in entries), entries
    # Each has its tests and samples once: a second recording would double them.
    for ident in idents:
        n, distinct = db.execute("SELECT count(*), count(DISTINCT number) FROM tests "
                                 "WHERE submission_id = ?", (ident,)).fetchone()
        assert n == distinct and n > 0, (ident, n, distinct)
    assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    assert not db.execute("PRAGMA foreign_key_check").fetchall()
    db.close()


def test_daemon_killed_at_random_moments(judge):
    seed = int(os.environ.get("WARPJUDGE_TEST_SEED", time.time_ns() % 100000))
    print(f"      seed {seed}")
    rng = random.Random(seed)
    judge.start()
    idents = [judge.post(variant(n), user=f"user{n % 3}") for n in range(6)]
    for _ in range(12):
        time.sleep(rng.uniform(0, 1.5))
        judge.kill()
        await_that(lambda: not processes_with(judge.home), "no child outlives the daemon")
        judge.start()
    for ident in idents:
        done = judge.wait_done(ident)
        assert done["verdict"] == "accepted", done
    check_board(judge, idents)


def test_arbiter_and_runner_killed_at_random_moments(judge):
    seed = int(os.environ.get("WARPJUDGE_TEST_SEED", time.time_ns() % 100000))
    print(f"      seed {seed}")
    rng = random.Random(seed)
    judge.start()
    for n in range(10):
        ident = judge.post(variant(100 + n % 2))
        victim = ("warpjudge-arbiter", "/runner", "warpjudge-gpu",
                  "warpjudge-compile")[n % 4]
        killed = None
        while not killed:
            for pid in descendants(judge.daemon.pid):
                if victim in command_of(pid):
                    time.sleep(rng.uniform(0, 0.05))
                    try:
                        os.kill(pid, signal.SIGKILL)
                        killed = pid
                    except ProcessLookupError:
                        pass
                    break
            if judge.api("GET", f"/api/submissions/{ident}")[1]["state"] == "done":
                break
        done = judge.wait_done(ident)
        assert done["verdict"] == "accepted", (victim, killed, done)
        # Else an arbiter that was idle by then might be given the next one, which would be lost twice.
        await_that(lambda k=killed: k not in descendants(judge.daemon.pid), "the daemon knows of its end")


def descendants(root):
    children = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                stat = open(f"/proc/{entry}/stat").read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            children.setdefault(int(stat[1]), []).append(int(entry))
    found, todo = [], [root]
    while todo:
        for child in children.get(todo.pop(), []):
            found.append(child)
            todo.append(child)
    return found


def test_a_submission_that_kills_itself_is_a_runtime_error(judge):
    judge.start()
    done = judge.wait_done(judge.post("""#include <signal.h>
#include <unistd.h>
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    kill(getpid(), SIGKILL);
}
"""))
    assert done["verdict"] == "runtime_error" and "SIGKILL" in done["message"], done

"""A database as after a year of many users, made at once instead of by judging."""
import random
import sqlite3

from harness import ROOT

NOW_MS = 1_700_000_000_000
ENTRIES = ("INSERT INTO entries (problem, board, meaning, user_id, submission_id, time_ns, low_ns, high_ns)"
           " SELECT problem, board, meaning, user_id, id, time_ns, low_ns, high_ns FROM submissions")


def fill(judge, count, problem="vector-addition"):
    """Starts the judge on a database of `count` users with one accepted submission each, and so
    an entry each on the board of emu. Every tenth time is the one before it: those tie."""
    judge.start()
    meaning = judge.api("GET", f"/api/problems/{problem}/board?device=emu")[1]["meaning"]
    judge.stop()
    drawn = random.Random(5)
    times = [drawn.uniform(5e3, 5e5) for _ in range(count)]
    for i in range(9, count, 10):
        times[i] = times[i - 1]
    db = sqlite3.connect(judge.home / "leaderboard.db")
    with db:
        db.execute("INSERT INTO sources (sha256, text) VALUES ('x', 'int x;')")
        db.executemany("INSERT INTO users (id, name, created_ms) VALUES (?, ?, ?)",
                       ((i + 1, f"user{i}", NOW_MS) for i in range(count)))
        db.executemany(
            "INSERT INTO submissions (user_id, problem, device, board, filename, source,"
            " sample_only, created_ms, done, verdict, message, modelled, sizes, finished_ms,"
            " time_ns, q1_ns, q3_ns, low_ns, high_ns, meaning)"
            " VALUES (?, ?, 'emu', 'emu', 'k.cu', 'x', 0, ?, 1, 'accepted', '', 1, 'N=1000000', ?,"
            " ?, ?, ?, ?, ?, ?)",
            ((i + 1, problem, NOW_MS + i, NOW_MS + i + 1, *[t] * 5, meaning) for i, t in enumerate(times)))
        db.execute(ENTRIES)
    db.close()
    judge.start("--listen", "127.0.0.1:0")


def many(judge, count, users=2000):
    """A database of so many judged submissions by `users` to 20 problems, each source sent three times. The judge is not
    started."""
    slugs = sorted(p.name for p in (ROOT / "problems").iterdir() if p.is_dir())[:19] + ["vector-addition"]
    judge.start()
    meanings = [judge.api("GET", f"/api/problems/{slug}/board?device=emu")[1]["meaning"] for slug in slugs]
    judge.stop()
    db = sqlite3.connect(judge.home / "leaderboard.db")
    db.execute("PRAGMA synchronous = OFF")
    numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) "
    with db:
        db.execute("CREATE TEMP TABLE slugs (i INTEGER PRIMARY KEY, name TEXT, meaning TEXT)")
        db.executemany("INSERT INTO slugs VALUES (?, ?, ?)", zip(range(len(slugs)), slugs, meanings))
        db.execute("INSERT INTO users (name, created_ms) " + numbers + f"SELECT 'user' || i, {NOW_MS} FROM n", (users,))
        db.execute("INSERT INTO sources (sha256, text) " + numbers +
                   "SELECT printf('%064x', i), 'int x' || i || ';' || hex(zeroblob(300)) FROM n", (count // 3 + 1,))
        db.execute(
            "INSERT INTO submissions (user_id, problem, device, board, filename, source, sample_only, created_ms, done,"
            " verdict, message, modelled, sizes, finished_ms, time_ns, q1_ns, q3_ns, low_ns, high_ns, compile_seconds,"
            " device_ms) " + numbers +
            f"SELECT i % {users} + 1, (SELECT name FROM slugs WHERE slugs.i = n.i * 7919 % {len(slugs)}), 'emu', 'emu',"
            f" 'k.cu', printf('%064x', i / 3 + 1), 0, {NOW_MS} + i, 1, 'accepted', '', 1, 'N=1000000', {NOW_MS} + i + 1,"
            " t, t, t, t, t, 1.0, 100 FROM (SELECT i, 5000.0 + i * 7919 % 500000 AS t FROM n) n", (count,))
        db.execute("UPDATE submissions SET meaning = (SELECT meaning FROM slugs WHERE slugs.name = submissions.problem)")
        db.execute(ENTRIES + " WHERE true ON CONFLICT DO NOTHING")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()

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


def school(judge, members=2000, tasks=12, bulk=200000, moves=200000, groups=200):
    """Adds to a database of many(): a class of `members` with an assignment, other groups, equal work, what one of the staff
    has graded in bulk, and moves that have passed others. The judge is not started. The class is named "class"."""
    db = sqlite3.connect(judge.home / "leaderboard.db")
    db.execute("PRAGMA synchronous = OFF")
    numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) "
    with db:
        db.execute("INSERT INTO users (name, created_ms, role, state) VALUES ('grader', 1, 'staff', 'active')")
        db.execute("INSERT INTO submissions (user_id, problem, device, board, filename, source, sample_only, profile, created_ms,"
                   " done, verdict, message, finished_ms, device_ms) " + numbers +
                   "SELECT (SELECT id FROM users WHERE name = 'grader'), 'vector-addition', 'emu', 'emu', 'k.cu',"
                   f" printf('%064x', 1), 1, 3, {NOW_MS} + i, 1, 'accepted', '', {NOW_MS} + i, 100 FROM n", (bulk,))
        # Of the digests a tenth is shared by three users each.
        db.execute("UPDATE submissions SET (source_size, ptx_size, source_digest, ptx_digest) = (SELECT 9, 9, printf('%064x', n),"
                   " printf('f%063x', n) FROM (SELECT CASE id / 60 % 10 WHEN 0 THEN id / 60 ELSE id + 1000000000 END AS n))"
                   " WHERE profile < 3")
        for kind, column in enumerate(("source_digest", "ptx_digest")):
            db.execute("INSERT INTO equal_work (problem, kind, digest, size) SELECT DISTINCT problem, ?, " + column +
                       ", 9 FROM submissions WHERE profile < 3 AND id / 60 % 10 = 0", (kind,))
        db.execute("INSERT INTO moves (submission_id, made_ms, problem, board, meaning, improved, sure, best_id, best_ns,"
                   " rank_before, rank, entries, passed)"
                   " SELECT id, created_ms, problem, board, meaning, 1, 0, id - 1, time_ns, 9, 1, 9, 3 FROM submissions"
                   " WHERE id BETWEEN 4 AND ? + 3", (moves,))
        db.execute("INSERT INTO passed (move_id, number, submission_id, time_ns) " + numbers +
                   "SELECT m.id, i, submission_id - i, 1 FROM moves m, n", (3,))
        db.execute("INSERT INTO groups (name, created_ms) " + numbers + "SELECT 'group' || i, 1 FROM n", (groups,))
        db.execute("INSERT INTO group_places (group_id, user_id, teacher, joined, since_ms)"
                   " SELECT g.id, u.id, 0, 1, 1 FROM groups g JOIN users u ON u.id % ? = g.id % 10", (groups // 10,))
        db.execute("INSERT INTO groups (name, created_ms) VALUES ('class', 1)")
        db.execute("INSERT INTO group_places (group_id, user_id, teacher, joined, since_ms)"
                   " SELECT g.id, u.id, 0, 1, 1 FROM groups g JOIN users u ON u.id <= ? WHERE g.name = 'class'", (members,))
        db.execute("INSERT INTO assignments (group_id, name, zone, opens_ms, closes_ms)"
                   f" SELECT id, 'week1', 'UTC', 1, {NOW_MS} + 500000 FROM groups WHERE name = 'class'")
        db.execute("INSERT INTO assignment_problems (assignment_id, number, problem)"
                   " SELECT 1, row_number() OVER () - 1, problem FROM"
                   " (SELECT DISTINCT problem FROM entries ORDER BY problem LIMIT ?)", (tasks,))
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()

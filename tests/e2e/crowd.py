"""A database as after a year of many users, made at once instead of by judging."""
import random
import sqlite3

NOW_MS = 1_700_000_000_000


def fill(judge, count, problem="vector-addition"):
    """Starts the judge on a database of `count` users with one accepted submission each, and so
    an entry each on the board of emu. Every tenth time is the one before it: those tie."""
    judge.start()
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
            " time_ns, q1_ns, q3_ns, low_ns, high_ns)"
            " VALUES (?, ?, 'emu', 'emu', 'k.cu', 'x', 0, ?, 1, 'accepted', '', 1, 'N=1000000', ?,"
            " ?, ?, ?, ?, ?)",
            ((i + 1, problem, NOW_MS + i, NOW_MS + i + 1, *[t] * 5) for i, t in enumerate(times)))
        db.execute("INSERT INTO entries (problem, board, user_id, submission_id, time_ns)"
                   " SELECT problem, board, user_id, id, time_ns FROM submissions")
    db.close()
    judge.start("--listen", "127.0.0.1:0")

"""A database of many submissions: it is checked for damage beside the daemon's work, and not before."""
import sqlite3

from harness import BACKSTOP_S, DEMO, await_that

BUILD = "asan"

BLOBS, BLOB_BYTES = 48, 1 << 20  # more than is checked at once (judge/record/store_check.h)
PAGE = 4096


def enlarge(judge):
    """Makes the database large by sources that nobody has sent."""
    judge.start()
    judge.stop()
    db = sqlite3.connect(judge.home / "leaderboard.db")
    with db:
        db.executemany("INSERT INTO sources (sha256, text) VALUES (?, ?)",
                       ((f"{i:064x}", "x" * BLOB_BYTES) for i in range(BLOBS)))
        db.execute("INSERT INTO users (name, created_ms) VALUES ('ben', 1)")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    root = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'sources'").fetchone()[0]
    db.close()
    return root


def test_it_is_checked_beside_the_work(judge):
    enlarge(judge)
    judge.start()
    assert judge.wait_done(judge.post((DEMO / "right.cu").read_text()))["verdict"] == "accepted"
    await_that(lambda: "it is whole" in judge.log.read_text(), "the check has ended", judge.log.read_text)
    judge.stop()
    judge.start()  # and it may be stopped before its end
    assert judge.stop() == 0


def test_damage_ends_the_daemon(judge):
    root = enlarge(judge)
    with open(judge.home / "leaderboard.db", "r+b") as file:
        file.seek((root - 1) * PAGE + 100)
        file.write(b"\x5a" * (PAGE - 100))
    judge.start(wait=False)
    assert judge.daemon.wait(BACKSTOP_S) == 2
    judge.daemon.stdout.close()
    judge.daemon = None
    text = judge.log.read_text()
    assert "leaderboard.db is damaged" in text and "put a copy back" in text, text


def test_the_log_beside_it_stays_short(judge):
    """What commits append to the write-ahead log is copied into the database while the daemon runs, and not only at its end
    (judge/daemon/checkpoints.h)."""
    judge.start()
    before = (judge.home / "leaderboard.db").stat().st_size
    for n in range(6):
        judge.wait_done(judge.post(f"int x{n}; //" + "x" * 900000))
    await_that(lambda: (judge.home / "leaderboard.db").stat().st_size > before + 2 * 900000, "a checkpoint", judge.log.read_text)
    assert "cannot be copied" not in judge.log.read_text()

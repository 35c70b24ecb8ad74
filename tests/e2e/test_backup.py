"""`warpjudge admin backup` beside a daemon that judges, and `admin restore`."""
import hashlib
import json
import os
import resource
import signal
import sqlite3
import stat
import subprocess

from harness import BACKSTOP_S, DEMO, LONG_CALL_S, own_port, slow_once
from test_cancel import cancel

RIGHT = (DEMO / "right.cu").read_text()


def rows(path, query):
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return db.execute(query).fetchall()
    finally:
        db.close()


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def names(judge):
    return {p.name for p in judge.home.iterdir() if "leaderboard" in p.name}


def test_a_backup_beside_judgements_is_a_whole_judge(judge):
    """Backups are made while submissions wait, run and end; each can be restored and goes on."""
    judge.allow_long_calls()
    judge.start("--registration", "invitation")
    slow = judge.post(slow_once(RIGHT, LONG_CALL_S), user="slow")
    idents = [slow] + [judge.post(f"// {i}\n{RIGHT}", user=f"user{i % 2}") for i in range(3)]
    backups = []
    while not all(judge.api("GET", f"/api/submissions/{i}")[1]["state"] == "done" for i in idents):
        path = judge.home / f"backup-{len(backups)}.db"
        run = judge.cli("admin", "backup", path, "--json", status=0)
        assert json.loads(run.stdout)["submissions"] == 4, run.stdout
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        backups.append(path)
        if len(backups) == 1:  # nothing was judged before it
            cancel(judge, slow)
    assert not [p for p in judge.home.iterdir() if p.name.startswith("backup-") and p not in backups]
    for path in backups:
        assert rows(path, "PRAGMA integrity_check") == [("ok",)]
        assert rows(path, "PRAGMA journal_mode") == [("delete",)]
    waiting = [rows(path, "SELECT count(*) FROM submissions WHERE done = 0")[0][0] for path in backups]
    assert waiting[0] == 4 and waiting == sorted(waiting, reverse=True), waiting
    # What was done after the backup is put aside, and the backup's submissions are judged again.
    last = judge.post(f"// last\n{RIGHT}")
    assert judge.wait_done(last)["verdict"] == "accepted"
    assert judge.stop() == 0
    run = judge.cli("admin", "restore", backups[0], status=0)
    aside = judge.home / run.stdout.split()[-1]
    assert rows(aside, "SELECT count(*) FROM submissions WHERE done = 1") == [(5,)], run.stdout
    assert stat.S_IMODE((judge.home / "leaderboard.db").stat().st_mode) == 0o600
    judge.start("--registration", "invitation")
    cancel(judge, slow)
    for ident in idents:
        assert judge.wait_done(ident)["verdict"] == ("cancelled" if ident == slow else "accepted")
    assert judge.api("GET", f"/api/submissions/{last}")[0] == 404


def test_tokens_and_accounts_come_back(judge):
    """A token of before the backup works after it was restored into an empty home."""
    port = own_port()  # nobody else gets it while no daemon runs
    judge.start("--listen", f"127.0.0.1:{port}", "--registration", "invitation")
    link = (judge.home / "first-admin").read_text().strip()
    tokens = judge.home / "config"
    env = {"XDG_CONFIG_HOME": str(tokens)}
    judge.cli("login", "--user", "ada", link, status=0, env=env)
    file = judge.home / "b.db"
    assert "hashes of passwords" in judge.cli("admin", "backup", file, status=0).stderr
    judge.stop()
    (judge.home / "leaderboard.db").unlink()
    judge.cli("admin", "restore", file, status=0)
    judge.start("--listen", f"127.0.0.1:{port}", "--registration", "invitation")
    run = judge.cli("whoami", status=0, env={**env, "WARPJUDGE_URL": f"http://localhost:{port}"})
    assert "ada" in run.stdout and "admin" in run.stdout, run.stdout


def test_what_is_refused_changes_nothing(judge):
    judge.start()
    judge.wait_done(judge.post(RIGHT))
    good = judge.home / "good.db"
    judge.cli("admin", "backup", good, status=0)
    run = judge.cli("admin", "restore", good, status=2)
    assert "already serves" in run.stderr and "nothing was restored" in run.stderr, run.stderr
    judge.stop()

    text = judge.write("text.db", "no database at all, and longer than a header of SQLite is\n" * 99)
    empty = judge.write("empty.db", "")
    data = bytearray(good.read_bytes())
    cut = judge.write("cut.db", bytes(data[:len(data) // 2]))
    data[8192:len(data) // 2] = bytes(len(data) // 2 - 8192)
    torn = judge.write("torn.db", bytes(data))
    newer = judge.write("newer.db", good.read_bytes())
    other = judge.write("other.db", good.read_bytes())
    for path, pragma in ((newer, "user_version = 999"), (other, "application_id = 7")):
        db = sqlite3.connect(path)
        db.execute(f"PRAGMA {pragma}")
        db.close()
    dangling = judge.write("dangling.db", good.read_bytes())
    db = sqlite3.connect(dangling)
    db.execute("DELETE FROM users")
    db.commit()
    db.close()
    live = judge.home / "leaderboard.db"
    before, there = digest(live), names(judge)
    for path, says in ((text, "damaged"), (empty, "no database of a judge"), (cut, "damaged"),
                       (torn, "damaged"), (newer, "newer warpjudge"), (other, "no database of a judge"),
                       (dangling, "damaged"), (live, "database itself"),
                       (judge.home, "no regular file"), (judge.home / "none.db", "cannot be read")):
        run = judge.cli("admin", "restore", path, status=2)
        assert says in run.stderr and "nothing was restored" in run.stderr, (path, run.stderr)
        assert len(run.stderr.strip().splitlines()) == 1, run.stderr
        assert digest(live) == before and names(judge) == there, (path, names(judge))
    run = judge.cli("admin", "backup", good, status=2)
    assert "is there already" in run.stderr, run.stderr
    run = judge.cli("admin", "backup", live, status=2)
    assert "is there already" in run.stderr and digest(live) == before, run.stderr
    if os.geteuid() == 0:  # who is not root cannot give the folder away
        os.chown(judge.home, 12345, -1)
        run = judge.cli("admin", "restore", good, status=2)
        assert "belongs to another user (uid 12345)" in run.stderr and digest(live) == before, run.stderr
        os.chown(judge.home, 0, -1)
    judge.cli("admin", "restore", good, status=0)
    live.unlink()
    run = judge.cli("admin", "backup", judge.home / "x.db", status=2)
    assert "leaderboard.db cannot be read" in run.stderr, run.stderr
    assert not list(judge.home.glob("x.db*"))


def test_a_full_disk_leaves_no_half_backup(judge):
    """Files of this process may have 64 KiB, which stands in for a disk with no more space."""
    judge.start()
    judge.post(slow_once(RIGHT, 1))

    def little():
        resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    run = subprocess.run([judge.bin, "admin", "backup", judge.home / "b.db"], env=judge.env,
                         capture_output=True, text=True, timeout=BACKSTOP_S, preexec_fn=little,
                         restore_signals=False)
    assert run.returncode == 2 and "b.db" in run.stderr, run
    assert not list(judge.home.glob("b.db*"))

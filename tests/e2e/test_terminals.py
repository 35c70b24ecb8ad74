"""What the command line prints fits into a terminal, and is whole in a pipe."""
import fcntl
import os
import pty
import sqlite3
import struct
import subprocess
import termios
import threading
import unicodedata

import crowd
from harness import BACKSTOP_S

WIDE = "\u4e2d\u6587" * 16 + " =1+1"
SLUG = "vector-addition"


def shown(judge, columns, *args, **env):
    """What a terminal of so many columns gets from the command line."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    colours = {name: value for name, value in judge.env.items() if name != "NO_COLOR"}
    got = bytearray()

    def read():
        try:
            while more := os.read(ours, 65536):
                got.extend(more)
        except OSError:  # EIO: nobody has the terminal any more
            pass

    reader = threading.Thread(target=read)
    reader.start()
    try:
        run = subprocess.run([judge.bin, *args], stdout=theirs, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                             timeout=BACKSTOP_S, env={**colours, "TERM": "xterm", "LC_ALL": "C.UTF-8", **env})
    finally:
        os.close(theirs)
        reader.join()
        os.close(ours)
    assert run.returncode == 0, run
    return got.decode().replace("\r\n", "\n")


def width(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def populate(judge, count):
    """A board of so many entries. Returns their users in its order; the first has a display name of wide characters."""
    crowd.fill(judge, count)
    users = [e["user"] for e in judge.api("GET", f"/api/v1/problems/{SLUG}/board")[1]["entries"]]
    assert judge.stop() == 0
    db = sqlite3.connect(judge.home / "leaderboard.db")
    db.execute("UPDATE users SET display_name = ? WHERE name = ?", (WIDE, users[0]))
    db.execute("UPDATE submissions SET filename = 'a-file-with-a-name-that-is-very-long-indeed.cu'")
    db.execute("UPDATE submissions SET low_ns = time_ns * 0.9999 WHERE user_id = (SELECT id FROM users WHERE name = ?)",
               (users[0],))
    db.commit()
    db.close()
    judge.start()
    return users


def test_tables_fit_into_a_terminal(judge):
    users = populate(judge, 9)
    for verb in (("history", "--all"), ("status",)):
        whole = judge.cli(*verb, status=0, env={"COLUMNS": "40"}).stdout
        assert "\033" not in whole and "\u2026" not in whole and ".." not in whole, whole
        for columns in (40, 80, 120, 300):
            text = shown(judge, columns, *verb, "--user", users[2]) if verb[0] == "rank" else shown(judge, columns, *verb)
            assert "\033[" in text, text
            plain = shown(judge, columns, *verb, NO_COLOR="1")
            assert "\033" not in plain, plain
            lines = plain.splitlines()
            assert all(width(line) <= columns for line in lines), (verb, columns, plain)
            assert len(lines) >= len(whole.splitlines()), (verb, columns, plain, whole)

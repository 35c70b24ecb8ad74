"""What the command line prints fits into a terminal, and is whole in a pipe."""
import csv
import fcntl
import json
import os
import pty
import re
import sqlite3
import struct
import subprocess
import termios
import threading
import unicodedata

import crowd
from harness import BACKSTOP_S, DEMO, ROOT

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
    db.execute("UPDATE submissions SET work_bytes = 12e6, work_flops = 1e6, limit_ns = 2500")
    db.execute("UPDATE submissions SET filename = 'a-file-with-a-name-that-is-very-long-indeed.cu'")
    for table in ("submissions", "entries"):
        db.execute(f"UPDATE {table} SET low_ns = time_ns * 0.9999 WHERE user_id = (SELECT id FROM users WHERE name = ?)",
                   (users[0],))
    db.commit()
    db.close()
    judge.start()
    return users


def test_tables_fit_into_a_terminal(judge):
    users = populate(judge, 9)
    for verb in (("rank", SLUG), ("history", "--all"), ("status",)):
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
    # A pipe has all columns and the whole name; a narrow terminal has the most important ones.
    assert f'{users[0]} "{WIDE}"' in judge.cli("rank", SLUG, status=0).stdout
    narrow = shown(judge, 80, "rank", SLUG, NO_COLOR="1")
    head = next(line for line in narrow.splitlines() if "rank" in line)
    assert all(word in head for word in ("rank", "user", "time", "percentile", "of limit")), head
    assert "GFLOP/s" not in head and "since" not in head, head
    assert "since" in shown(judge, 120, "rank", SLUG, NO_COLOR="1")
    assert f"{users[1]}  " in narrow and "\u2026" in narrow, narrow


def test_long_lines_are_broken_between_words(judge):
    """Statements, formulas and signatures. In a pipe they stand as they were written."""
    judge.start()
    for slug in ("gpt-2-transformer-block", "nvfp4-gemm"):
        whole = judge.cli("show", slug, status=0, env={"COLUMNS": "40"}).stdout
        assert (ROOT / f"problems/{slug}/statement.md").read_text() in whole
        for columns in (80, 120):
            text = shown(judge, columns, "show", slug, NO_COLOR="1")
            assert all(width(line) <= columns for line in text.splitlines()), text
            told, meant = (part.split("\nparameter ")[0] for part in (text, whole))
            assert told.split() == meant.split() and "\n- " in told, text
    # A table of a statement keeps its columns as far as the terminal goes.
    table = shown(judge, 80, "show", "gpt-2-transformer-block", NO_COLOR="1")
    assert "\n    gamma1        768           0             gamma2        768" in table, table


def test_a_result_fits(judge):
    """What `status` and `submit` say of a submission, its costs and what it was noticed for."""
    judge.start()
    judge.submit_json(DEMO / "right.cu")
    ident = str(judge.submit_json(DEMO / "right.cu")["id"])
    whole = judge.cli("status", ident, status=0, env={"COLUMNS": "40", "LC_ALL": "C.UTF-8"}).stdout
    assert "your best (submission 1), which stays on the board\n" in whole and "what it costs" in whole, whole
    for columns in (40, 60, 80, 120):
        text = shown(judge, columns, "status", ident, NO_COLOR="1")
        assert all(width(line) <= columns for line in text.splitlines()), text
        assert text.split() == whole.split(), text
        assert re.sub("\033\\[[0-9;]*m", "", shown(judge, columns, "status", ident)) == text
    assert "\n    submission 1), which" in shown(judge, 40, "status", ident, NO_COLOR="1").replace("(", ""), text


def test_help_fits(judge):
    """Its paragraphs are filled anew; what is said of a flag goes on below itself."""
    overview = shown(judge, 80, "--help", NO_COLOR="1")
    verbs = re.findall(r"^  ([a-z]+) ", overview.split("verbs\n")[1].split("\n\n")[0], re.M)
    assert "admin" in verbs and len(verbs) > 30, verbs
    for verb in verbs:
        text, whole = shown(judge, 80, verb, "--help", NO_COLOR="1"), judge.cli(verb, "--help", status=0).stdout
        assert all(width(line) <= 80 for line in text.splitlines()) and text.split() == whole.split(), text
    text = shown(judge, 80, "admin", "--help", NO_COLOR="1")
    assert "submitted under a name before there were accounts, is invited to that name.\nusers: lists" in text, text
    assert "device's board;\n" + 29 * " " + "begin-board: that board\n" in text, text


def test_status_hides_passwords_and_names_what_is_modelled(judge):
    judge.start()
    assert "emu models NVIDIA H200: 132 SMs at 1.98 GHz" in judge.cli("status", status=0).stdout
    for url, says in (("http://ann:se@cret@localhost:1", '"http://localhost:1"'), ("http://ann:secret@localhost:1", "at http://localhost:1"),
                      ("ann:secret@localhost", '"localhost": write it as')):
        run = judge.cli("status", status=None, env={"WARPJUDGE_URL": url})
        assert run.returncode in (2, 3) and says in run.stderr and "cret" not in run.stderr + run.stdout, run


def test_one_finds_oneself(judge):
    users = populate(judge, 9)
    for user, place in ((users[0], 0), (users[-1], -1)):
        text = judge.cli("rank", SLUG, "--user", user, status=0, env={"LC_ALL": "C.UTF-8"}).stdout
        bars = text[text.index("from"):].splitlines()[1:]
        here = [n for n, line in enumerate(bars) if line.endswith("\u2190 you are here")]
        assert len(bars) == 5 and here == [range(5)[place]], text
    assert "here" not in judge.cli("rank", SLUG, "--user", "nobody", status=0).stdout
    assert "<- you are here" in judge.cli("rank", SLUG, "--user", users[0], status=0, env={"LC_ALL": "C"}).stdout
    assert " to " in judge.cli("rank", SLUG, status=0).stdout.split("from")[0]  # an interval


def test_pages_for_people_and_scripts(judge):
    users = populate(judge, 7)

    def people(*args):
        return [e["user"] for e in json.loads(judge.cli("rank", SLUG, "--json", *args, status=0).stdout)["entries"]]

    assert people() == users
    assert people("-n", "3") == users[:3]
    assert people("-n", "3", "--page", "2") == users[3:6]
    assert people("-n", "3", "--page", "3") == users[6:]
    assert people("-n", "7") == users and people("-n", "1", "--page", "7") == users[6:]
    assert people("-n", "3", "--page", "4") == []
    assert people("-n", "3", "--around", users[3]) == users[2:5] and people("--around", users[0], "-n", "2") == users[:2]
    assert "no entry on this board" in judge.cli("rank", SLUG, "--around", "zoe", status=2).stderr
    text = judge.cli("rank", SLUG, "-n", "3", "-u", users[5], status=0).stdout
    assert f"  {users[2]}  " in text and f"  {users[3]}  " not in text and "1 to 3 of 7: `--page 2`" in text, text
    assert "you are here" in text and f"{users[5]} is 6th of 7 with" in text, text
    assert "7 to 7 of 7" in judge.cli("rank", SLUG, "-n", "3", "--page", "3", status=0).stdout
    assert "no page 4: all 7" in judge.cli("rank", SLUG, "-n", "3", "--page", "4", status=0).stdout
    assert " of 7" not in judge.cli("rank", SLUG, status=0).stdout
    # CSV has the same data, and no cell that a spreadsheet computes.
    rows = list(csv.DictReader(judge.cli("rank", SLUG, "--csv", status=0).stdout.splitlines()))
    entries = json.loads(judge.cli("rank", SLUG, "--json", status=0).stdout)["entries"]
    assert [r["user"] for r in rows] == users and rows[0]["display_name"] == WIDE
    for row, entry in zip(rows, entries):
        assert set(entry) <= set(row), entry
        assert int(row["rank"]) == entry["rank"] and float(row["time_ns"]) == entry["time_ns"], (row, entry)
    for wrong, says in ((("-n", "0"), "from 1 to 1000"), (("--page", "x"), "--page takes"),
                        (("--json", "--csv"), "contradict"), (("--around", "user1", "--page", "2"), "contradict"),
                        (("--older", "--csv"), "--older")):
        assert says in judge.cli("rank", SLUG, *wrong, status=2).stderr, wrong

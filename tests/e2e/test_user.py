"""`user`: what somebody has solved, the calendar, the streak and the places, as everybody may see them."""
import calendar
import csv
import io
import json
import re
import sqlite3
import time

from harness import DEMO
from test_rights import Tcp, join

RIGHT = (DEMO / "right.cu").read_text()
SLOWER = (DEMO / "slower.cu").read_text()
WRONG = RIGHT.replace("A[i] + B[i]", "A[i] - B[i]")
DAY_MS = 86400000


def page(judge, name):
    status, got = judge.api("GET", f"/api/v1/users/{name}")
    assert status == 200, got
    return got


def send_on(judge, days):
    """Says when each submission was sent: so many days ago. Nobody but the daemon writes otherwise; a test cannot wait
    for days. Returns today, as days since 1970."""
    today = time.time_ns() // 1000000 // DAY_MS
    with sqlite3.connect(judge.home / "leaderboard.db") as db:
        for ident, ago in days.items():
            db.execute("UPDATE submissions SET created_ms = ? WHERE id = ?",
                       ((today - ago) * DAY_MS + DAY_MS // 2, ident))
    db.close()
    return today


def test_a_page_about_a_user(judge):
    judge.start()
    right, slower = judge.write("right.cu", RIGHT), judge.write("slower.cu", SLOWER)
    judge.submit_json(slower, "--user", "ben", status=0)
    for source in (slower, right, right, right, right):
        judge.submit_json(source, "--user", "ada", status=0)
    judge.submit_json(judge.write("wrong.cu", WRONG), "--user", "ada", status=1)
    judge.stop()
    # Of ada's, 2 and 3 were sent today and 4 yesterday; 5 and 6 in a streak long ago, and the wrong one between.
    today = send_on(judge, {2: 0, 3: 0, 4: 1, 5: 40, 6: 41, 7: 39})
    judge.start()
    got = page(judge, "ada")
    assert got["user"] == "ada" and "display_name" not in got, got
    [problem] = got["problems"]
    board = judge.api("GET", "/api/v1/problems/vector-addition/board")[1]
    [entry] = [e for e in board["entries"] if e["user"] == "ada"]
    assert problem["problem"] == "vector-addition" and problem["difficulty"] == "easy", problem
    assert problem["places"] == [{
        "board": "emu", "rank": 1, "entries": 2, "ties": 0, "percentile": 100,
        "time_ns": entry["time_ns"], "submission": 3, "created_ms": entry["created_ms"]}], problem
    listed = [p for p in judge.api("GET", "/api/v1/problems")[1]["problems"] if "error" not in p]
    solved = got["solved"]
    assert (solved["count"], solved["of"]) == (1, len(listed)), solved
    assert [d["name"] for d in solved["difficulties"]] == ["easy", "medium", "hard"], solved
    for key, of in (("difficulties", lambda p: [p["difficulty"]]), ("tags", lambda p: p["tags"])):
        for told in solved[key]:
            those = [p["slug"] for p in listed if told["name"] in of(p)]
            assert told["of"] == len(those) and told["solved"] == ("vector-addition" in those), told
        assert {told["name"] for told in solved[key]} == {name for p in listed for name in of(p)}, solved
    days, first = got["calendar"]["accepted"], time.strptime(got["calendar"]["from"], "%Y-%m-%d")
    assert 365 <= len(days) <= 371 and first.tm_wday == 0, got["calendar"]
    first = calendar.timegm(first) * 1000 // DAY_MS
    assert {first + i: n for i, n in enumerate(days) if n > 0} == {
        today: 2, today - 1: 1, today - 40: 1, today - 41: 1}, days
    assert got["streak"] == {"days": 2, "longest": 2}, got["streak"]


def test_a_page_to_read(judge):
    judge.start()
    judge.submit_json(judge.write("slower.cu", SLOWER), "--user", "ben", status=0)
    judge.submit_json(judge.write("right.cu", RIGHT), "--user", "ada", status=0)
    told = judge.cli("user", "ada", env={"COLUMNS": "60", "NO_COLOR": "1"}, status=0).stdout
    assert told.startswith("ada  1 of ") and "a streak of 1 day; the longest was 1 day\n" in told, told
    assert "\x1b" not in told and re.search(r"^easy +1 +\d+ ", told, re.M), told
    lines = told.partition("accepted submissions by day\n")[2].splitlines()
    rows = {line[:3]: line[5:] for line in lines[1:8]}
    assert list(rows) == ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] and len(rows["Mon"]) == 53, told
    assert sum(row.count("1") for row in rows.values()) == 1, told
    assert all(set(row) <= set(".1") for row in rows.values()), told
    narrow = judge.cli("user", "ada", env={"COLUMNS": "30"}, status=0).stdout
    assert re.search(r"^Mon  [.1]{25}$", narrow, re.M), narrow
    assert re.search(r"^ +1st +2 +100 % +vector-addition +emu ", told, re.M), told
    # Without a name it is one's own; who has solved nothing sees what there is to solve.
    assert judge.cli("user", "--user", "ada", status=0).stdout == judge.cli("user", "ada", status=0).stdout
    assert judge.cli("user", "cleo", status=0).stdout.startswith("cleo  0 of "), told
    rows = list(csv.DictReader(io.StringIO(judge.cli("user", "ada", "--csv", status=0).stdout)))
    [place] = json.loads(judge.cli("user", "ada", "--json", status=0).stdout)["problems"][0]["places"]
    assert [(row["problem"], row["rank"], float(row["time_ns"])) for row in rows] == [
        ("vector-addition", "1", place["time_ns"])], rows


def test_strangers_see_what_boards_show(judge):
    """Nobody learns of accounts that are on no board, nor of a deleted one."""
    judge.allow_long_calls()
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"])
    token = join(judge, "Ada")
    assert tcp.token("POST", "api/account", token, {"display_name": "Countess"})[0] == 200
    nobody = page(judge, "nobody")
    assert page(judge, "ada") == nobody | {"user": "ada"}, "an account that is on no board"
    assert nobody["problems"] == [] and nobody["solved"]["count"] == 0 and not any(nobody["calendar"]["accepted"])
    status, answer = tcp.token("POST", "api/submissions", token,
                               {"problem": "vector-addition", "source": RIGHT, "filename": "k.cu"})
    assert status == 201 and judge.wait_done(answer["id"])["verdict"] == "accepted"
    got = page(judge, "ADA")
    assert (got["user"], got["display_name"], got["solved"]["count"]) == ("Ada", "Countess", 1), got
    assert tcp.token("DELETE", "api/account?name=Ada", token)[0] == 200
    assert page(judge, "Ada") == nobody | {"user": "Ada"}
    assert page(judge, "deleted-1")["problems"] == [], "a deleted account"
    status, answer = judge.api("GET", "/api/v1/users/a%20b")
    assert status == 400 and answer["code"] == "invalid_address", answer

"""The standing over all problems, against its definition in a few lines of Python."""
import csv
import json
import math
import re
import sqlite3

import crowd
from harness import DEMO, ROOT, Held, await_that
from test_reading_ends import Sending

PATH = "/api/v1/standings"
WORTH = {"easy": 10, "medium": 20, "hard": 30}
RIGHT = (DEMO / "right.cu").read_text()


def expected(judge):
    """{user: (points in thousandths, solved, fastest)} of the boards of emu as the database has them."""
    db = sqlite3.connect(judge.home / "leaderboard.db")
    entries = db.execute("SELECT e.problem, u.name, e.time_ns FROM entries e JOIN users u ON u.id = e.user_id"
                         " WHERE e.board = 'emu' AND e.meaning <> 'older' AND u.name <> 'house'").fetchall()
    db.close()
    best, rows = {}, {}
    for problem, _, time in entries:
        best[problem] = min(time, best.get(problem, time))
    for problem, user, time in entries:
        worth = WORTH[json.loads((ROOT / f"problems/{problem}/problem.json").read_text())["difficulty"]]
        points, solved, fastest = rows.get(user, (0, 0, 0))
        rows[user] = (points + math.floor(1000 * worth * (0.5 + 0.5 * best[problem] / time) + 0.5), solved + 1,
                      fastest + (time == best[problem]))
    return rows


def pages(judge, path):
    """The entries of all pages, by the header Link."""
    entries = []
    while path:
        _, answer, headers = judge.ask("GET", path)
        assert answer["first"] == len(entries) + 1, answer
        entries += answer["entries"]
        link = headers["Link"]
        path = re.fullmatch('<(.*)>; rel="next"', link)[1] if link else None
    return entries


def told(entries):
    return {e["user"]: (round(e["points"] * 1000), e["solved"], e["fastest"]) for e in entries}


def populate(judge):
    """Many users on the boards of 20 problems; some entries are of before a board began anew, some the house's."""
    crowd.many(judge, 900, users=59)
    db = sqlite3.connect(judge.home / "leaderboard.db")
    with db:
        db.execute("UPDATE users SET name = 'house' WHERE name = 'user9'")
        db.execute("UPDATE entries SET meaning = 'older' WHERE submission_id % 7 = 3")
        db.execute("UPDATE submissions SET meaning = 'older' WHERE id % 7 = 3")
        db.execute("UPDATE users SET display_name = 'Ada L.' WHERE name = 'user11'")
    db.close()


def test_a_standing_is_what_it_is_defined_to_be(judge):
    populate(judge)
    judge.start()
    wanted = expected(judge)
    entries = pages(judge, PATH + "?limit=7")
    assert told(entries) == wanted and len(entries) == len(wanted) > 40
    points = [e["points"] for e in entries]
    assert points == sorted(points, reverse=True)
    assert all(e["rank"] == 1 + sum(p > e["points"] for p in points) for e in entries)
    assert all(e["solved"] == e["easy"] + e["medium"] + e["hard"] for e in entries)
    assert {e["user"]: e.get("display_name") for e in entries if "display_name" in e} == {"user11": "Ada L."}
    whole = judge.api("GET", PATH + "?limit=1000")[1]
    assert whole["entries"] == entries and whole["total"] == len(entries) and whole["modelled"]
    assert judge.api("GET", PATH)[1]["entries"] == entries[:50]
    assert judge.api("GET", PATH + "?page=3&limit=20")[1]["entries"] == entries[40:60]
    around = judge.api("GET", f"{PATH}?around={entries[30]['user']}&limit=5")[1]
    assert around["entries"] == entries[28:33] and around["first"] == 29
    for query, status, code in (("around=zoe", 404, "no_such_entry"), ("around=house", 404, "no_such_entry"),
                                ("page=0", 400, "invalid_parameter"), ("device=x", 400, "no_such_device"),
                                ("cursor=7400", 400, "invalid_parameter"), ("meaning=x", 400, "unknown_parameter")):
        got, answer = judge.api("GET", f"{PATH}?{query}")
        assert (got, answer["code"]) == (status, code), (query, answer)


def test_it_follows_what_is_judged(judge):
    """A solution counts once, a faster one counts instead, and who asks meanwhile is answered."""
    judge.start()
    slower = (DEMO / "slower.cu").read_text()

    def standing():
        return told(judge.api("GET", PATH)[1]["entries"])

    assert standing() == {}
    assert "nobody has solved" in judge.cli("rank", "--all", status=0).stdout
    for user, source, fast in (("ada", slower, True), ("ada", slower, True), ("ben", RIGHT, True), ("ada", RIGHT, True)):
        assert judge.wait_done(judge.post(source, user=user))["verdict"] == "accepted"
        wanted = expected(judge)
        await_that(lambda: standing() == wanted, f"the standing is {wanted}", standing)
        assert wanted["ada"][1] == 1, wanted
    assert wanted == {"ada": (10000, 1, 1), "ben": (10000, 1, 1)}, wanted


def test_asked_for_while_it_is_computed(judge):
    """Who asks while the next one is computed waits for it, and does not get the last one."""
    def standing():
        return told(judge.api("GET", PATH)[1]["entries"])

    with Held(judge, "standing-held"):
        pass  # The daemon will look there. The first one is not held, since it would be kept for longer.
    judge.start()
    assert standing() == {}
    assert judge.wait_done(judge.post(RIGHT))["verdict"] == "accepted"
    with Held(judge, "standing-held") as held:
        # The last one is current for twenty times as long as it took.
        asking = Sending(lambda: await_that(standing, "the standing is computed anew"))
        held.wait()
        other = Sending(standing)
        judge.api("GET", "/api/health")
        held.let()
        assert asking.answered() == other.answered() == {"ada": (10000, 1, 1)}


def test_at_the_command_line(judge):
    populate(judge)
    judge.start()
    whole = judge.api("GET", PATH + "?limit=1000")[1]
    entries = whole["entries"]
    assert json.loads(judge.cli("rank", "--all", "--json", status=0).stdout)["entries"] == entries
    rows = list(csv.DictReader(judge.cli("rank", "--all", "--csv", status=0).stdout.splitlines()))
    assert [(r["user"], float(r["points"])) for r in rows] == [(e["user"], e["points"]) for e in entries]
    text = judge.cli("rank", "--all", "-n", "5", "--page", "2", status=0).stdout
    assert whole["rule"] in text and "6 to 10 of" in text, text
    assert [line.split()[1] for line in text.splitlines()[3:8]] == [e["user"] for e in entries[5:10]], text
    assert entries[20]["user"] in judge.cli("rank", "--all", "--around", entries[20]["user"], "-n", "1", status=0).stdout
    docs = " ".join((ROOT / "docs/http-api.md").read_text().split())
    assert whole["rule"] in docs, whole["rule"]
    for wrong, says in ((("--all", "softmax"), "leave out"), ((), "name the problem"), (("--all", "--older"), "contradict")):
        assert says in judge.cli("rank", *wrong, status=2).stderr, wrong

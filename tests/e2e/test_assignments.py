"""Assignments: opening and closing in a named time zone, extensions, and who is told what when."""
import csv
import http.client
import io
import json
import re
import time

from harness import BACKSTOP_S
from test_groups import RIGHT, ROSTER, Class
from test_rights import join

DAY = 86_400_000


def now():
    return int(time.time() * 1000)


def fetch(c, path, token=None):
    """An answer that comes in pieces."""
    connection = http.client.HTTPConnection("localhost", c.tcp.port, timeout=BACKSTOP_S)
    connection.request("GET", f"/api/v1/{path}", headers={"Authorization": f"Bearer {token}"} if token else {})
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    return answer.status, json.loads(text)


def page(c, path, token):
    """A page's status, the cursor's header of an answer, and its text, in which no nonce is new."""
    connection = http.client.HTTPConnection("localhost", c.tcp.port, timeout=BACKSTOP_S)
    who = {"Authorization": f"Bearer {token}"} if token else {}
    connection.request("GET", f"/{path}", headers={"Accept": "text/html"} | who)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, answer.headers["Link"], re.sub(r'nonce="\w+"', 'nonce=""', text)


def assign(c, token=None, **more):
    body = {"name": "week-1", "problems": "vector-addition,reduction", "opens_ms": now() - DAY,
            "closes_ms": now() + DAY, "zone": "Europe/Berlin"} | more
    return c.ask("POST", "groups/physics/assignments", token or c.teacher, body)


def listed(c, token):
    status, answer = c.ask("GET", "groups/physics/assignments", token)
    assert status == 200, answer
    return {a["assignment"]: a for a in answer["assignments"]}


def test_members_see_problems_when_it_opens(judge):
    c = Class(judge)
    ann = c.student("ann", c.invitations(ROSTER)["ann"])
    assert assign(c, opens_ms=now() + DAY // 2)[0] == 201
    assert listed(c, ann)["week-1"]["problems"] == [] and listed(c, ann)["week-1"]["phase"] == "waiting"
    assert listed(c, c.teacher)["week-1"]["problems"] == ["vector-addition", "reduction"]
    # The same name again sets it, and extensions stay.
    assert c.ask("POST", "groups/physics/assignments/week-1/extensions", c.teacher,
                 {"user": "ann", "until_ms": now() + 2 * DAY})[0] == 200
    assert assign(c, problems="reduction")[0] == 201
    seen = listed(c, ann)["week-1"]
    assert seen["problems"] == ["reduction"] and seen["phase"] == "open" and "extensions" not in seen, seen
    assert seen["until_ms"] > seen["closes_ms"], seen
    kept = fetch(c, "account/export", ann)[1]["groups"]
    assert kept == [{"group": "physics", "teacher": False, "joined": True, "since_ms": kept[0]["since_ms"], "full_name": "Ann Example",
                     "student_id": "7001", "extensions": [{"assignment": "week-1", "until_ms": seen["until_ms"]}]}], kept
    teachers = listed(c, c.teacher)["week-1"]
    assert [e["user"] for e in teachers["extensions"]] == ["ann"] and teachers["until_ms"] is None, teachers
    # For one with an extension it is open after the others' closing.
    assert assign(c, closes_ms=now() - 1000)[0] == 201
    assert listed(c, ann)["week-1"]["phase"] == "open" and listed(c, c.teacher)["week-1"]["phase"] == "closed"
    assert c.ask("POST", "groups/physics/assignments/week-1/extensions", c.teacher, {"user": "ann"})[0] == 200
    assert listed(c, ann)["week-1"]["phase"] == "closed" and listed(c, ann)["week-1"]["until_ms"] is None
    # Who leaves has no extension, and all goes with the group.
    assert c.ask("POST", "groups/physics/assignments/week-1/extensions", c.teacher,
                 {"user": "ann", "until_ms": now() + DAY})[0] == 200
    assert c.ask("DELETE", "groups/physics/members/ann", ann)[0] == 200
    assert listed(c, c.teacher)["week-1"]["extensions"] == []
    assert c.ask("GET", "groups/physics/assignments", ann)[0] == 404
    assert c.ask("DELETE", "groups/physics?name=physics", c.teacher)[0] == 200


def test_wrong_assignments(judge):
    c = Class(judge)
    ann = c.student("ann", c.invitations(ROSTER)["ann"])
    for token, status in ((ann, 403), (c.other, 404), (join(judge, "eve"), 404)):
        assert assign(c, token)[0] == status
        assert c.ask("DELETE", "groups/physics/assignments/week-1", token)[0] == status
        assert c.ask("POST", "groups/physics/assignments/week-1/extensions", token, {"user": "ann"})[0] == status
    for more, status in (({"name": "Week 1"}, 400), ({"name": None}, 400), ({"zone": "Europe/Berlin; x"}, 400),
                         ({"zone": ""}, 400), ({"zone": None}, 400), ({"opens_ms": now() + 2 * DAY}, 400),
                         ({"closes_ms": None}, 400), ({"closes_ms": 10**15}, 400), ({"problems": None}, 400),
                         ({"problems": ""}, 404), ({"problems": "no-such-problem"}, 404),
                         ({"problems": "reduction,reduction"}, 400), ({"problems": "../x"}, 404)):
        got, answer = assign(c, **more)
        assert got == status, (more, got, answer)
    assert listed(c, c.teacher) == {}
    assert assign(c)[0] == 201
    extend = "groups/physics/assignments/week-1/extensions"
    for path, body, status in ((extend, {"user": "ann", "until_ms": now()}, 400), (extend, {"until_ms": 0}, 400),
                               (extend, {"user": "eve", "until_ms": now() + 2 * DAY}, 404),
                               (extend.replace("week-1", "week-2"), {"user": "ann"}, 404)):
        got, answer = c.ask("POST", path, c.teacher, body)
        assert got == status, (path, body, answer)
    assert c.ask("DELETE", "groups/physics/assignments/week-2", c.teacher)[0] == 404
    assert c.ask("DELETE", "groups/physics/assignments/week-1", c.teacher)[0] == 200


def test_time_zones(judge):
    """The day on which clocks change has 23 or 25 hours; what no clock shows is no time."""
    c = Class(judge)
    env = {"WARPJUDGE_URL": f"http://localhost:{c.tcp.port}", "WARPJUDGE_TOKEN": c.teacher}

    def cli(opens, closes, zone, status=0):
        return judge.cli("group", "assign", "physics", "week-1", "vector-addition", "--opens", opens, "--closes", closes,
                         "--zone", zone, status=status, env=env)

    for opens, closes, zone, hours in (
            ("2027-03-28 00:00", "2027-03-29 00:00", "Europe/Berlin", 23),
            ("2027-10-31 00:00", "2027-11-01 00:00", "Europe/Berlin", 25),
            ("2027-10-31T02:30", "2027-10-31 02:30", "Europe/Berlin", 1),  # shown twice: from the first to the second
            ("2027-11-24 00:00", "2027-11-25 00:00", "Asia/Kolkata", 24)):
        shown = cli(opens, closes, zone).stdout
        a = listed(c, c.teacher)["week-1"]
        assert a["closes_ms"] - a["opens_ms"] == hours * 3_600_000 and a["zone"] == zone, (opens, a)
        assert f"from {opens.replace('T', ' ')} to {closes}, {zone}" in shown, shown
    cli("2027-11-24", "2027-11-24", "UTC")  # a day, from its beginning to its end
    a = listed(c, c.teacher)["week-1"]
    assert a["closes_ms"] - a["opens_ms"] == (24 * 60 - 1) * 60_000 and a["opens_ms"] == 1_827_014_400_000, a
    for opens, zone, says in (("2027-03-28 02:30", "Europe/Berlin", "no clock in Europe/Berlin shows"),
                              ("2027-02-30 00:00", "UTC", "no clock"), ("2027-1-1 00:00", "UTC", "is no time"),
                              ("2027-11-24 25:00", "UTC", "is no time"), ("tomorrow", "UTC", "is no time"),
                              ("2027-11-24 10:00x", "UTC", "is no time"), ("2027-11-24", "Europe/Atlantis", "no time zone"),
                              ("2027-11-24", "../../../etc/passwd", "no time zone"), ("2027-11-24", "tzdata.zi", "no time zone")):
        run = cli(opens, "2028-01-01", zone, status=2)
        assert says in run.stderr and "--opens" in run.stderr, run.stderr
    judge.cli("group", "extend", "physics", "week-1", "tea", "--until", "2027-11-25 12:00", "--zone", "UTC", status=0, env=env)
    assert "tea has until 2027-11-25 12:00" in judge.cli("group", "assignments", "physics", status=0, env=env).stdout
    run = judge.cli("group", "assign", "physics", "week-2", "reduction", "--zone", "UTC", status=2, env=env)
    assert "say --opens" in run.stderr, run.stderr


def test_hidden_problems_are_not_there(judge):
    """One that an assignment hides is as one that nobody has written, in whatever route names it."""
    c = Class(judge, "--sources", "public")
    ann = c.student("ann", c.invitations(ROSTER)["ann"])
    eve, admin = join(judge, "eve"), join(judge, "boss", "admin")
    assert c.ask("POST", "groups", c.other, {"name": "maths"})[0] == 201
    dan = c.student("dan", {e["user"]: e["invitation"] for e in c.enrol("user\ndan\n", token=c.other, group="maths")["enrolled"]}["dan"])
    # The staff have solved it, and so has one who had it before.
    send = {"problem": "vector-addition", "filename": "k.cu", "source": RIGHT}
    ident, own = (c.ask("POST", "submissions", token, send)[1]["id"] for token in (c.teacher, ann))
    judge.wait_done(ident)
    judge.wait_done(own)
    seen = c.ask("GET", "problems/vector-addition", eve)
    assert c.ask("GET", "problems/relu", eve)[1]["after"] == ["vector-addition"]
    assert assign(c, problems="vector-addition", before="secret")[0] == 400
    assert assign(c, opens_ms=now() + DAY // 2, problems="vector-addition", before="hidden")[0] == 201
    assert listed(c, ann)["week-1"]["before"] == "hidden"

    def slugs(token):
        return [p["slug"] for p in fetch(c, "problems", token)[1]["problems"]]

    def sent(path, token, **more):
        """What is answered to a body with the hidden problem, and with none; it is alike but for the name."""
        answers = [c.ask("POST", path, token, send | {"problem": slug} | more) for slug in ("vector-addition", "vector-additiom")]
        assert str(answers[0]).replace("vector-addition", "vector-additiom") == str(answers[1]), answers
        return answers[0][0]

    routes = ["", "/board", "/hint", "/hint/source"]
    for token in (None, eve, ann, dan):
        for path in routes:
            hidden, none = (c.ask("GET", f"problems/{slug}{path}", token) for slug in ("vector-addition", "vector-additiom"))
            assert hidden[0] == none[0] == 404, (path, hidden)
            assert "did you mean" not in hidden[1]["detail"] + none[1]["detail"], (hidden, none)
        assert "vector-addition" not in slugs(token)
        assert "vector-addition" not in str(fetch(c, "problems?user=tea", token)[1])
        assert "vector-addition" not in str(fetch(c, "users/tea", token)[1])
        assert fetch(c, "feed", token)[1]["feed"] == []
        assert c.ask("GET", "feed?problem=vector-addition", token)[0] == 400
        assert c.ask("GET", f"submissions/{ident}", token)[0] == c.ask("GET", f"submissions/{ident}/source", token)[0] == 404
        assert c.ask("GET", f"submissions/{ident}/events", token)[0] == 404
        mine = [own] if token == ann else []
        assert [s["id"] for s in fetch(c, "submissions", token)[1]["submissions"]] == mine
        assert [s["id"] for s in fetch(c, "submissions?problem=vector-addition", token)[1]["submissions"]] == mine
        refused = 401 if token is None else 404
        assert sent("submissions", token) == sent("assembly", token) == refused
        assert sent("submissions", token, mode="run", own_case={"sizes": {"N": 5}}) == refused
        assert all(c.ask("GET", f"submissions/{ident}/{what}", token)[0] == 404 for what in ("assembly", "arrays"))
        assert page(c, "api/v1/submissions?problem=vector-addition&limit=1", token)[:2] == (200, None)
        assert c.ask("GET", "equal", token)[0] == (401 if token is None else 403)
        # Nor does anything that names others of its kind, or what comes after it.
        status, following = fetch(c, "next?limit=20", token)
        assert status == 200 and following["of"] == len(slugs(token)) and "vector-addition" not in str(following)
        assert c.ask("GET", "problems/relu", token)[1]["after"] == []
        for path in ("problems/{}", "problems/{}/board"):
            hidden, none = (page(c, path.format(slug), token) for slug in ("vector-addition", "vector-additiom"))
            assert hidden[0] == 404 and hidden[2].replace("vector-addition", "vector-additiom") == none[2], hidden
        for path in ("", "feed", "users/tea", f"submissions/{ident}", "problems/relu", "submissions?user=tea"):
            status, _, text = page(c, path, token)
            assert status == (404 if path.startswith("submissions/") else 200), (path, status)
            assert "vector-addition" not in text and "Vector Addition" not in text, path
    # Who had it before sees their own work, but neither its name nor for which assignment it would be.
    answer = c.ask("GET", f"submissions/{own}", ann)[1]
    assert answer["state"] == "done" and "assignments" not in answer, answer
    assert [a["assignment"] for a in c.ask("GET", f"submissions/{own}", c.teacher)[1]["assignments"]] == ["week-1"]
    assert "Vector Addition" not in page(c, f"submissions/{own}", ann)[2]
    assert c.ask("GET", f"submissions/{own}/assembly", ann)[0] == 404
    for token in (c.teacher, c.other, admin):
        assert "vector-addition" in slugs(token)
        assert all(c.ask("GET", f"problems/vector-addition{path}", token)[0] == 200 for path in routes[:2])
        assert c.ask("GET", f"submissions/{ident}", token)[0] == 200
        assert c.ask("GET", "problems/relu", token)[1]["after"] == ["vector-addition"]
        assert fetch(c, "next", token)[1]["of"] == len(slugs(token))
        assert [w["problem"] for w in fetch(c, "equal?problem=vector-addition", token)[1]["equal"]] != []
        assert len(fetch(c, "feed", token)[1]["feed"]) > 0
    # A stream of events tells nobody else, and a standing counts it for nobody.
    stream = c.tcp.raw(f"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {eve}\r\n\r\n".encode())[1]
    assert b"vector-addition" not in stream
    # Where an assignment with it has opened, the members see it again; only the staff hide.
    judge.api("POST", "/api/groups/maths/assignments", {"name": "now", "problems": "vector-addition", "opens_ms": now() - DAY,
                                                        "closes_ms": now() + DAY, "zone": "UTC"})
    assert "vector-addition" in slugs(dan) and "vector-addition" not in slugs(ann) + slugs(eve)
    assert c.ask("POST", "groups/maths/members/dan", c.other, {"standing": "teacher"})[0] == 200
    body = {"name": "mine", "problems": "reduction", "opens_ms": now() + DAY, "closes_ms": now() + 2 * DAY, "zone": "UTC"}
    assert c.ask("POST", "groups/maths/assignments", dan, body | {"before": "hidden"})[0] == 403
    assert c.ask("POST", "groups/maths/assignments", dan, body)[0] == 201
    assert "reduction" in slugs(eve)
    # Of what members have submitted to it, grades tell the staff, and not a teacher from whom it is hidden.
    assert c.ask("DELETE", "groups/maths/assignments/now", c.other)[0] == 200
    code = c.ask("POST", "groups/maths/codes", c.other, {})[1]["code"]
    assert c.ask("POST", "account/groups", ann, {"code": code})[0] in (200, 201)
    for token, told in ((dan, False), (c.other, True)):
        assert ("vector-addition" in str(fetch(c, "groups/maths/grades", token)[1]["grades"])) == told
    # It opens by the judge's clock, and nothing is left of it.
    assert assign(c, problems="vector-addition", before="hidden")[0] == 201
    assert "vector-addition" in slugs(ann) and c.ask("GET", "problems/vector-addition", eve) == seen


def test_late_work_and_boards_of_groups(judge):
    c = Class(judge)
    ann, bob = (c.student(name, link) for name, link in sorted(c.invitations(ROSTER).items())[:2])
    eve = join(judge, "eve")

    def send(token, **more):
        status, answer = c.ask("POST", "submissions", token, {"problem": "vector-addition", "filename": "k.cu", "source": RIGHT} | more)
        assert status == 201, answer
        return answer

    def due(answer):
        return [(a["assignment"], a["late"]) for a in answer.get("assignments", [])]

    assert assign(c, problems="vector-addition")[0] == 201
    first = send(ann)
    assert due(first) == [("week-1", False)], first
    # It closes in the millisecond in which the first one came.
    closes_ms = c.ask("GET", f"submissions/{first['id']}", ann)[1]["created_ms"]
    assert assign(c, problems="vector-addition", closes_ms=closes_ms)[0] == 201
    # A client's clock decides nothing; a run is no submission; an extension is one's own.
    assert c.ask("POST", "submissions", bob, {"problem": "vector-addition", "source": RIGHT, "created_ms": 1})[0] == 400
    late = send(bob)
    assert due(late) == [("week-1", True)], late
    assert due(send(bob, mode="run")) == []
    assert c.ask("POST", "groups/physics/assignments/week-1/extensions", c.teacher, {"user": "bob", "until_ms": now() + DAY})[0] == 200
    assert due(send(bob)) == [("week-1", False)]
    assert c.ask("POST", "groups/physics/assignments/week-1/extensions", c.teacher, {"user": "bob"})[0] == 200
    stranger = send(eve)
    assert due(stranger) == []
    for ident in (first["id"], late["id"], stranger["id"]):
        judge.wait_done(ident)

    def seen(ident, token):
        return due(c.ask("GET", f"submissions/{ident}", token)[1])

    assert seen(late["id"], bob) == seen(late["id"], c.teacher) == [("week-1", True)]
    assert seen(first["id"], ann) == [("week-1", False)]  # by the closing of today's assignment
    assert seen(late["id"], ann) == seen(late["id"], c.other) == seen(late["id"], eve) == seen(late["id"], None) == []
    url = {"WARPJUDGE_URL": f"http://localhost:{c.tcp.port}", "WARPJUDGE_TOKEN": bob}
    shown = judge.cli("status", late["id"], status=0, env=url).stdout
    assert "late for week-1 of physics, which closed" in shown, shown

    def board(token, more=""):
        return c.ask("GET", f"problems/vector-addition/board?group=physics{more}", token)

    everybody = c.ask("GET", "problems/vector-addition/board", ann)[1]
    assert {e["user"] for e in everybody["entries"]} == {"ann", "bob", "eve"} and "group" not in everybody
    for token in (ann, c.teacher):
        status, answer = board(token)
        assert status == 200 and {e["user"] for e in answer["entries"]} == {"ann", "bob"} and answer["total"] == 2, answer
        assert answer["group"] == "physics" and sum(b["count"] for b in answer["histogram"]) == 2
    assert board(ann, "&around=bob")[0] == 200 and board(ann, "&around=eve")[0] == 404
    assert board(eve)[0] == board(c.other)[0] == 404 and board(None)[0] == 401
    assert board(eve)[1]["detail"] == board(c.other)[1]["detail"] == board(eve, "2")[1]["detail"].replace("physics2", "physics")
    shown = judge.cli("rank", "vector-addition", "--group", "physics", status=0, env=url).stdout
    assert "among physics" in shown and "eve" not in shown, shown
    assert "contradict" in judge.cli("rank", "--all", "--group", "physics", status=2, env=url).stderr


def test_grades(judge):
    """What a teacher exports, from rows that are written: nothing is judged."""
    c = Class(judge)
    c.invitations("user,full_name,student_id\nann,=cmd|' /C calc'!A0,7\nbob,\"B, \"\"b\"\"\",+1\ncyd,,\ndan,-Dan,@d\n")
    token = {name: c.student(name, c.ask("POST", f"groups/physics/members/{name}/invitation", c.teacher, {})[1]["invitation"])
             for name in ("ann", "bob", "cyd", "dan")}
    eve = join(judge, "eve")
    t0 = now() - DAY
    assert assign(c, opens_ms=t0 - DAY, closes_ms=t0, problems="vector-addition,reduction")[0] == 201
    assert c.ask("POST", "groups/physics/assignments/week-1/extensions", c.teacher, {"user": "bob", "until_ms": t0 + 1000})[0] == 200
    meaning = c.ask("GET", "problems/vector-addition/board", eve)[1]["meaning"]
    c.write("INSERT INTO sources VALUES ('x', '')")

    def row(user, at, verdict="accepted", time=None, problem="vector-addition", sample=0, of=meaning):
        ends = f"{time}, {time}, {time}, {(time or 0) / 2}" if time else "NULL, NULL, NULL, NULL"
        c.write("INSERT INTO submissions (user_id, problem, device, board, filename, source, sample_only, created_ms, done, verdict,"
                " message, finished_ms, meaning, time_ns, low_ns, high_ns, limit_ns) SELECT id, "
                f"'{problem}', 'emu', 'emu', 'k.cu', 'x', {sample}, {at}, 1, '{verdict}', '', {at}, '{of}', {ends} "
                f"FROM users WHERE name = '{user}'")

    for args in (("ann", t0 - 500, "wrong_answer"), ("ann", t0, "accepted", 3000), ("ann", t0 + 5, "accepted", 1000),
                 ("ann", t0 + 6, "wrong_answer"), ("bob", t0 + 900, "accepted", 2000), ("eve", t0, "accepted", 10),
                 ("tea", t0, "accepted", 10), ("cyd", t0 - 3, "cancelled"), ("cyd", t0 - 2, "judge_error")):
        row(*args)
    row("cyd", t0 - 1, "accepted", 5000, sample=1)
    row("dan", t0 + 1, "accepted", 100, of="another")
    row("dan", t0 + 2, "compile_error", problem="softmax")

    # Two of the class and one of no class have sent one source.
    digest = "ab" * 32
    c.write(f"UPDATE submissions SET source_digest = '{digest}', source_size = 9 WHERE user_id IN"
            " (SELECT id FROM users WHERE name IN ('ann', 'bob', 'eve'))")
    c.write(f"INSERT INTO equal_work (problem, kind, digest, size) VALUES ('vector-addition', 0, '{digest}', 9)")

    def grades(who, path="groups/physics/grades", status=200):
        got, answer = fetch(c, path, who)
        assert got == status, answer
        return {(g["user"], g["problem"]): g for g in answer["grades"]} if status == 200 else None

    g = grades(c.teacher)
    assert set(g) == {(u, p) for u in token for p in ("vector-addition", "reduction")} | {("dan", "softmax")}, set(g)

    def told(user, problem="vector-addition", g=g):
        return [g[user, problem][key] for key in ("verdict", "time_ns", "rank", "attempts", "late", "best_late")]

    assert told("ann") == ["accepted", 1000, 1, 4, False, True], g["ann", "vector-addition"]
    assert told("bob") == ["accepted", 2000, 2, 1, False, False]
    assert told("cyd") == [None, None, None, 0, None, None] and g["cyd", "vector-addition"]["board"] is None
    assert told("dan") == ["accepted", None, None, 1, True, None]  # by the problem of before
    assert told("dan", "softmax") == ["compile_error", None, None, 1, None, None] and g["dan", "softmax"]["assignment"] is None
    assert told("ann", "reduction")[3] == 0 and g["ann", "vector-addition"]["limit_share"] == 0.5
    assert g["bob", "vector-addition"]["closes_ms"] == t0 + 1000 and g["ann", "vector-addition"]["first_accepted_ms"] == t0
    assert g["ann", "vector-addition"]["equal_to"] == [{"user": "bob", "kind": "source"}], g["ann", "vector-addition"]
    assert g["dan", "vector-addition"]["equal_to"] == g["ann", "reduction"]["equal_to"] == []
    # Until a moment nothing that came later counts.
    early = grades(c.teacher, f"groups/physics/grades?until={t0}")
    assert told("ann", g=early) == ["accepted", 3000, 1, 2, False, False] and told("bob", g=early)[3] == 0
    assert early["ann", "vector-addition"]["equal_to"] == [], early
    assert grades(c.teacher, "groups/physics/grades?until=tomorrow", 400) is None
    for who, status in ((token["ann"], 403), (c.other, 404), (eve, 404), (None, 401)):
        grades(who, status=status)
        grades(who, "grades", 401 if who is None else 403)
    everybody = grades(join(judge, "boss", "admin"), "grades")
    assert everybody["eve", "vector-addition"]["rank"] == 1 and everybody["ann", "vector-addition"]["rank"] == 3
    equal = sorted(e["user"] for e in everybody["ann", "vector-addition"]["equal_to"])
    assert equal == ["bob", "eve"], everybody
    # As CSV, of which no cell is computed.
    url = {"WARPJUDGE_URL": f"http://localhost:{c.tcp.port}", "WARPJUDGE_TOKEN": c.teacher}
    text = judge.cli("admin", "export", "--csv", "--group", "physics", status=0, env=url).stdout
    rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    assert len(rows) == 9 and text.count("\n") == 10, text
    assert {r["full_name"] for r in rows} == {"'=cmd|' /C calc'!A0", 'B, "b"', "", "'-Dan"}, rows
    assert {r["student_id"] for r in rows} == {"7", "'+1", "", "'@d"}
    first = next(r for r in rows if r["user"] == "ann" and r["problem"] == "vector-addition")
    assert first["first_accepted"] == time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(t0 // 1000)), first
    assert first["equal"] == "bob (source)", first
    until = time.strftime("%Y-%m-%d %H:%M", time.gmtime((t0 - 3 * DAY) // 1000))
    text = judge.cli("admin", "export", "--group", "physics", "--until", until, "--zone", "UTC", status=0, env=url).stdout
    assert [r["attempts"] for r in csv.DictReader(io.StringIO(text))] == ["0"] * 8
    assert "--until" in judge.cli("admin", "export", "--until", "soon", "--zone", "UTC", status=2, env=url).stderr

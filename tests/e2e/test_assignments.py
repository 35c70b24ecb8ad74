"""Assignments: opening and closing in a named time zone, extensions, and who is told what when."""
import time

from test_groups import ROSTER, Class
from test_rights import join

DAY = 86_400_000


def now():
    return int(time.time() * 1000)


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

"""The pages of teachers, the staff and one's own account, by forms alone: what they change, and for whom."""
import re
import sqlite3

from harness import DEMO, await_that
from test_pages import HOSTILE, PASSWORD, Browser, encoded
from test_rights import invite

BUILD = "asan"

EVIL = "<script>alert(6)</script>"
RIGHT = (DEMO / "right.cu").read_text()


def member(judge, port, name, role="member"):
    """Somebody who has joined by the page."""
    who = Browser(port)
    who.post("/join", who.get("/join").form("/join") | {
        "name": name, "password": PASSWORD, "invitation": invite(judge, name=name, role=role)})
    return who


def send(who, path, action, wanted=303, **fields):
    """Sends the form of a page that has this action, with its own hidden fields."""
    token = who.get(path).form_token()
    return who.post(path, {"do": action, "form": token} | fields, wanted)


def secret(page, prefix):
    found = re.findall(rf"{prefix}_[0-9a-f]{{64}}", page.text)
    assert len(found) == 1, page.text
    return found[0]


def test_a_class_by_forms(judge):
    """A group, a roster, a code, an assignment, more time, and grades."""
    port = judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"]
    tea, ada, ben = (member(judge, port, name, role) for name, role in
                     (("tea", "staff"), ("ada", "member"), ("ben", "member")))
    assert "/staff" in tea.get("/").links and "/staff" not in ada.get("/").links
    assert "only the letters" in send(tea, "/groups", "make", 400, name=HOSTILE[:40]).text
    assert send(tea, "/groups", "make", name="physics") == "/groups/physics"
    ada.get("/groups/physics", 404)  # who is not in it does not learn of it

    roster = f"user,full_name\nada,{EVIL}\nzoe,Zoe New\n"
    page = send(tea, "/groups/physics/members", "enrol", 200, csv=roster, days="7")
    invitation = secret(page, "wji")
    assert EVIL in page.text and "asked" in page.text
    assert f"/join?invitation={invitation}" in page.links
    assert "no column" in send(tea, "/groups/physics/members", "enrol", 400, csv="name\n").text
    code = secret(send(tea, "/groups/physics", "code", 200, days="7", uses="2"), "wjg")
    assert "uses is" in send(tea, "/groups/physics", "code", 400, days="7", uses="0").text
    assert send(ada, "/groups", "join", code=code) == "/groups/physics"
    assert "not known" in send(ben, "/groups", "join", 400, code="wjg_" + "0" * 64).text

    week = {"name": "week-1", "problems": "vector-addition, reverse-array", "opens": "2020-01-01T09:00",
            "closes": "2037-01-01T09:00"}
    for opens, says in (("soon", "is no moment"), ("2026-02-31T09:00", "there is no such day")):
        assert says in send(tea, "/groups/physics", "assign", 400, **week | {"opens": opens}).text
    assert send(tea, "/groups/physics", "assign", **week) == "/groups/physics"
    # One that is set can be changed without typing all of it again, and what is wrong keeps what was typed.
    tea.get("/groups/physics?assignment=week-2")
    page = tea.get("/groups/physics?assignment=week-1")
    fields = next(fields for _, _, fields in page.forms if fields.get("do") == "assign")
    assert "Change an assignment" in page.text and (fields["name"], fields["problems"], fields["closes"]) == (
        "week-1", "vector-addition, reverse-array", "2037-01-01T09:00"), fields
    page = send(tea, "/groups/physics", "assign", 400, **week | {"problems": "reductoin", "before": "hidden"})
    assert 'did you mean "reduction"?' in page.text and '"?.' not in page.text and "reductoin" in str(page.forms), page.text
    assert " checked" in tea.ask("POST", "/groups/physics", encoded(
        week | {"do": "assign", "form": page.form_token(), "problems": "x", "before": "hidden"}))[2]
    assert send(tea, "/groups/physics", "assign", **week | {"problems": " Vector Addition , Reverse Array"})
    page = ada.get("/groups/physics")
    assert "week-1" in page.text and "2037-01-01 09:00 UTC" in page.text and "/problems/reverse-array" in page.links
    assert "Set an assignment" not in page.text and "/groups/physics/grades" not in page.links
    ada.get("/groups/physics/grades", 403)
    assert send(tea, "/groups/physics", "extend", assignment="week-1", user="ada", until="2038-01-01T09:00")
    assert "2038-01-01 09:00 UTC" in ada.get("/groups/physics").text

    judge.wait_done(judge.post(RIGHT, user="ada"))
    page = tea.get("/groups/physics/grades")
    assert "1 of 2" in page.text and "accepted" in page.text and "nothing sent" in page.text and EVIL in page.text
    # A problem that is solved on two boards is one problem, in one column.
    second = judge.post(RIGHT, user="ada")
    judge.wait_done(second)
    db = sqlite3.connect(judge.home / "leaderboard.db")
    db.execute("UPDATE submissions SET board = 'NVIDIA T4' WHERE id = ?", (second,))
    db.commit()
    db.close()
    page = tea.get("/groups/physics/grades")
    assert "1 of 2" in page.text and "NVIDIA T4" in page.text, page.text
    assert "0 of 2" in tea.get("/groups/physics/grades?until=2021-01-01T00:00").text
    assert tea.get("/groups/physics/grades?until=x", 400).text
    assert send(tea, "/groups/physics", "drop", assignment="week-1") == "/groups/physics"
    assert "There is none yet" in ada.get("/groups/physics").text
    assert "only teacher" in send(tea, "/groups/physics/members", "member", 400, user="tea").text
    assert send(tea, "/groups/physics/members", "remove", user="ada")
    ada.get("/groups/physics", 404)
    assert "must be physics" in send(tea, "/groups/physics", "delete", 400, name="x").text
    assert send(tea, "/groups/physics", "delete", name="physics") == "/groups"
    assert send(tea, "/groups", "nothing", 400, name="x").text


def test_times_of_a_zone(judge):
    """A judge in Berlin: 23:59 is Berlin's on both sides of a change of the clocks, and programs read UTC."""
    args = ("--listen", "127.0.0.1:0", "--registration", "invitation")
    port = judge.start(*args, "--zone", "Europe/Berlin")["port"]
    tea = member(judge, port, "tea", "staff")
    send(tea, "/groups", "make", name="physics")
    week = {"name": "week-1", "problems": "reduction", "opens": "2027-10-30T23:59", "closes": "2027-10-31T23:59"}
    for closes, says in (("2028-03-26T02:30", "no clock in Europe/Berlin shows 2028-03-26T02:30"),
                         ("2027-10-31T02:30", "clocks in Europe/Berlin show 2027-10-31T02:30 twice"),
                         ("2027-02-30T02:30", "there is no such day"), ("2027-11-01", "is no moment")):
        page = send(tea, "/groups/physics", "assign", 400, **week | {"closes": closes})
        assert says in page.text, page.text
        assert "(Europe/Berlin)" in page.text and "UTC" not in page.text
    assert send(tea, "/groups/physics", "assign", **week) == "/groups/physics"
    (a,) = judge.api("GET", "/api/groups/physics/assignments")[1]["assignments"]
    assert a["zone"] == "Europe/Berlin" and a["closes_ms"] - a["opens_ms"] == 25 * 3_600_000, a
    html = tea.ask("GET", "/groups/physics")[2]
    for machine, shown in (("2027-10-30T21:59:00Z", "2027-10-30 23:59 CEST"), ("2027-10-31T22:59:00Z", "2027-10-31 23:59 CET")):
        assert f'<time class="moment" datetime="{machine}">{shown}</time>' in html, html
    assert re.search(r'title="\d{4}-\d\d-\d\d \d\d:\d\d CES?T"', tea.ask("GET", "/groups")[2])
    assert "As of 2027-01-01 00:00 CET" in tea.get("/groups/physics/grades?until=2027-01-01T00:00").text
    assert "shows" in tea.get("/groups/physics/grades?until=2028-03-26T02:30", 400).text
    judge.stop()
    port = judge.start(*args)["port"]  # without the option
    tea.port, tea.origin = port, f"http://localhost:{port}"
    page = tea.get("/groups/physics")
    assert "2027-10-31 22:59 UTC" in page.text and "(UTC)" in page.text, page.text
    assert send(tea, "/groups/physics", "assign", **week | {"closes": "2027-10-31T02:30"})


def test_grades_of_many(judge):
    """The page is made in several steps: each table has each member once."""
    port = judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"]
    tea, names = member(judge, port, "tea", "staff"), [f"user{i:02}" for i in range(45)]
    send(tea, "/groups", "make", name="physics")
    page = send(tea, "/groups/physics/members", "enrol", 200, csv="user\n" + "\n".join(names) + "\n", days="7")
    invitations = dict.fromkeys(re.findall(r"wji_[0-9a-f]{64}", page.text))
    for name, invitation in zip(names, invitations, strict=True):
        assert judge.api("POST", "/api/accounts", {"name": name, "invitation": invitation})[0] == 201
    for week, problems in (("week-1", "vector-addition,reverse-array"), ("week-2", "reduction")):
        send(tea, "/groups/physics", "assign", name=week, problems=problems, opens="2020-01-01T09:00",
             closes="2037-01-01T09:00")
    page = tea.get("/groups/physics/grades")
    assert page.text.count("0 of 2") == page.text.count("0 of 1") == len(names), page.text
    assert [link for link in page.links if link.startswith("/users/user")] == 2 * [f"/users/{name}" for name in names]
    # What belongs to no assignment is there once, too, though its answer is parsed by a thread and the page sent in pieces.
    others = [f"other-{i:02}" for i in range(8)]
    judge.stop()
    db = sqlite3.connect(judge.home / "leaderboard.db")
    with db:
        db.execute("INSERT INTO sources (sha256, text) VALUES ('x', 'int x;')")
        for other in others:
            db.execute("INSERT INTO submissions (user_id, problem, device, board, filename, source, sample_only, created_ms, done,"
                       " verdict, message, finished_ms) SELECT id, ?, 'emu', 'emu', 'k.cu', 'x', 0, 1, 1, 'wrong_answer', '', 2"
                       " FROM users WHERE name LIKE 'user%'", (other,))
    db.close()
    tea.port = judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"]
    tea.origin = f"http://localhost:{tea.port}"
    page = tea.get("/groups/physics/grades")
    assert [page.links.count(f"/users/{name}") for name in names] == len(names) * [2 + len(others)]
    assert [page.links.count(f"/problems/{other}") for other in others] == len(others) * [len(names)]
    assert page.text.count("0 of 2") == page.text.count("0 of 1") == len(names)


def test_many_users_come_in_pages(judge):
    """Each name once and in order, also where names differ in their case only; a part of the names chooses."""
    args = ("--listen", "127.0.0.1:0", "--registration", "invitation")
    root = member(judge, judge.start(*args)["port"], "root", "admin")
    judge.stop()
    names = [f"{'Uu'[i % 2]}ser{i // 2:03}" for i in range(250)]
    db = sqlite3.connect(judge.home / "leaderboard.db")
    with db:
        db.executemany("INSERT INTO users (name, created_ms) VALUES (?, 1)", [(name,) for name in names])
    db.close()
    root.port = judge.start(*args)["port"]
    root.origin = f"http://localhost:{root.port}"
    assert [a["name"] for a in judge.api("GET", "/api/accounts")[1]["accounts"]] == ["root", *names]
    for query, wanted in (("limit=7&", ["root", *names]), ("limit=9&q=SER01&", [n for n in names if "ser01" in n]),
                          ("limit=250&", ["root", *names]), ("limit=251&", ["root", *names]), ("limit=3&q=none&", []), ("limit=3&q=s_r&", []), ("limit=3&q=%25&", []), (f"limit=3&q={'!' * 500}&", [])):
        told, cursor, pages = [], "", 0
        while cursor is not None:
            status, answer, headers = judge.ask("GET", f"/api/v1/accounts?{query}{cursor}")
            assert status == 200, answer
            told += [a["name"] for a in answer["accounts"]]
            link = re.search(r"cursor=[0-9a-f]+", headers["Link"] or "")
            cursor, pages = link and link[0], pages + 1
        limit = int(re.search(r"limit=(\d+)", query)[1])
        assert told == wanted and pages == max(1, -(-len(wanted) // limit)), (query, pages, told)
    assert judge.api("GET", "/api/v1/accounts?cursor=73")[0] == judge.api("GET", "/api/v1/accounts?limit=0")[0] == 400
    seen, path = [], "/staff/users"
    while path:
        page = root.get(path)
        seen += [link.removeprefix("/staff/users/") for link in page.links if link.startswith("/staff/users/")]
        path = next((link for link in page.links if link.startswith("/staff/users?q=&cursor=")), None)
    assert seen == ["root", *names], seen
    assert "User001" in root.get("/staff/users/user001").text


def test_the_staff_by_forms(judge):
    """Users, the queue, equal sources, judging again, and one's own account."""
    port = judge.start("--listen", "127.0.0.1:0", "--registration", "invitation", "--quota", "9")["port"]
    root, ada, ben = (member(judge, port, name, role) for name, role in
                      (("root", "admin"), ("ada", "member"), ("ben", "member")))
    first, second = (judge.post(RIGHT, user=name) for name in ("ada", "ben"))
    for ident in (first, second):
        judge.wait_done(ident)
    page = root.get("/staff/equal")
    assert f"/compare?before={first}&after={second}" in page.links, page.links
    assert "emu" in root.get("/staff").text

    send(root, "/staff/rejudge", "begin", 400, problem="nothing", which="all", mode="preview")
    # What was previewed stands in the form, from which its results can be replaced.
    again = send(root, "/staff/rejudge", "begin", submissions=str(first), which="all", mode="preview")
    assert again == f"/staff/rejudge?submissions={first}&which=all"
    await_that(lambda: judge.api("GET", "/api/rejudgement")[1]["state"] != "judging", "the preview ends")
    page = root.get(again)
    assert page.form("/staff/rejudge")["submissions"] == str(first)
    assert f"/staff/rejudge?submissions={first}" in root.get(f"/submissions/{first}").links
    assert not [link for link in ada.get(f"/submissions/{first}").links if link.startswith("/staff")]
    assert "/staff/users/ada" in root.get("/users/ada").links and "/staff/users/ada" not in ben.get("/users/ada").links
    assert "Preview 1: previewed" in page.text and "Changed verdicts" in page.text, page.text

    # What an admin announces stands on each page, until it is removed.
    assert "text" in send(root, "/staff/announcements", "announce", 400, text="").text
    assert send(root, "/staff/announcements", "announce", text="<b>Down</b> at noon") == "/staff/announcements"
    assert "<b>Down</b> at noon" in ben.get("/about").text
    ident = next(form["id"] for _, _, form in root.get("/staff/announcements").forms if form.get("do") == "remove")
    assert send(root, "/staff/announcements", "remove", id=ident) == "/staff/announcements"
    assert "at noon" not in ben.get("/about").text
    ben.get("/staff/announcements", 403)

    page = root.get("/staff/users?q=ad")
    assert "/staff/users/ada" in page.links and "/staff/users/ben" not in page.links
    assert secret(send(root, "/staff/users", "invite", 200, role="staff", days="3"), "wji")
    assert "of 9" in ada.get("/account").text
    assert secret(send(root, "/staff/users/ben", "reset", 200, hours="2"), "wjr")
    assert send(root, "/staff/users/ben", "sign-out") == "/staff/users/ben"
    ben.get("/account", 401)
    assert "last admin" in send(root, "/staff/users/root", "change", 400, role="member", state="active").text
    assert send(root, "/staff/users/ben", "change", role="member", state="closed")
    assert "is wrong" in ben.post("/sign-in", ben.get("/sign-in").form("/sign-in") | {
        "name": "ben", "password": PASSWORD}, 403).text
    root.get("/staff/users/nobody", 404)
    assert send(root, "/staff/users/ben", "delete", name="ben") == "/staff/users"

    assert secret(send(ada, "/account", "token", 200, label=HOSTILE[:60], scopes="read", days="9"), "wjt")
    assert HOSTILE[:60] in ada.get("/account").text
    assert send(ada, "/account", "name", display_name=HOSTILE[:64]) == "/account"
    assert "is not the password of ada" in send(ada, "/account", "password", 400, current="not the one of now", password=PASSWORD).text
    assert send(ada, "/account", "end-all") == "/sign-in"
    ada.get("/account", 401)

"""Groups: rosters, codes and invitations, and who must not get in or know of them."""
import csv
import io
import json
import sqlite3

from harness import DEMO
from test_rights import Tcp, invite, join, narrow

BUILD = "asan"

RIGHT = (DEMO / "right.cu").read_text()
ROSTER = "user,full_name,student_id\nann,Ann Example,7001\nbob,\"Bob \"\"B\"\" Example\",7002\ncyd,,\n"


class Class:
    """A judge with two teachers, who are staff, and the group `physics` of the first."""

    def __init__(self, judge, *args):
        self.judge = judge
        self.tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--registration", "invitation", *args)["port"])
        self.teacher, self.other = (join(judge, name, "staff") for name in ("tea", "ted"))
        assert self.ask("POST", "groups", self.teacher, {"name": "physics"})[0] == 201

    def ask(self, method, path, token=None, body=None):
        return self.tcp.token(method, f"api/v1/{path}", token, body)

    def enrol(self, text, status=201, token=None, group="physics"):
        got, answer = self.ask("POST", f"groups/{group}/members", token or self.teacher, {"csv": text})
        assert got == status, answer
        return answer

    def invitations(self, text):
        return {e["user"]: e.get("invitation") for e in self.enrol(text)["enrolled"]}

    def roster(self, token=None):
        status, answer = self.ask("GET", "groups/physics/members", token or self.teacher)
        assert status == 200, answer
        return {m["user"]: m for m in answer["members"]}

    def code(self, **body):
        status, answer = self.ask("POST", "groups/physics/codes", self.teacher, body)
        assert status == 201, answer
        return answer["code"]

    def take(self, name, invitation):
        return self.ask("POST", "accounts", None, {"name": name, "invitation": invitation})

    def student(self, name, invitation):
        status, answer = self.take(name, invitation)
        assert status == 201 and answer["role"] == "member", answer
        return answer["token"]

    def write(self, sql):
        """Nobody but the daemon writes otherwise; a test cannot wait for days."""
        with sqlite3.connect(self.judge.home / "leaderboard.db") as db:
            db.execute(sql)
        db.close()


def test_a_roster_goes_in_and_out(judge):
    c = Class(judge)
    ann = c.invitations(ROSTER)["ann"]
    assert {u: m["place"] for u, m in c.roster().items()} == {
        "tea": "joined", "ann": "invited", "bob": "invited", "cyd": "invited"}
    token = c.student("ann", ann)
    ann_row = c.roster()["ann"]
    assert ann_row["place"] == "joined" and ann_row["full_name"] == "Ann Example", ann_row
    assert c.roster()["bob"]["full_name"] == 'Bob "B" Example'
    groups = c.ask("GET", "groups", token)[1]["groups"]
    assert [(g["group"], g["standing"], g["members"]) for g in groups] == [("physics", "member", 1)], groups
    # A second time nobody gets another invitation, and names are corrected.
    again = c.enrol("USER;Full_Name;room\r\nAnn;Ann Married;12\r\ndan;;\r\n".replace("Ann;", "ann;"))["enrolled"]
    assert [(e["user"], e["result"]) for e in again] == [("ann", "kept"), ("dan", "invited")], again
    assert c.roster()["ann"]["full_name"] == "Ann Married" and c.roster()["ann"]["student_id"] == "7001"
    # The command line takes its own export, with what a spreadsheet would compute.
    url = {"WARPJUDGE_URL": f"http://localhost:{c.tcp.port}", "WARPJUDGE_TOKEN": c.teacher}
    evil = judge.write("evil.csv", "\ufeffuser,full_name,student_id\nbob,\"=HYPERLINK(\"\"http://x\"\")\",+1\n")
    judge.cli("group", "import", "physics", evil, status=0, env=url)
    out = judge.cli("group", "roster", "physics", "--csv", status=0, env=url).stdout
    rows = {r["user"]: r for r in csv.DictReader(io.StringIO(out))}
    assert rows["bob"]["full_name"] == "'=HYPERLINK(\"http://x\")" and rows["bob"]["student_id"] == "'+1", rows
    judge.cli("group", "import", "physics", judge.write("out.csv", out), status=0, env=url)
    assert c.roster()["bob"]["full_name"] == '=HYPERLINK("http://x")', c.roster()
    links = judge.cli("group", "import", "physics", judge.write("eve.csv", "user\neve\n"), "--csv", status=0, env=url)
    link = next(csv.DictReader(io.StringIO(links.stdout)))["link"]
    judge.cli("login", "--user", "eve", link, status=0, env={"XDG_CONFIG_HOME": str(judge.home / "eve")})
    assert c.roster()["eve"]["place"] == "joined"


def test_wrong_rosters(judge):
    c = Class(judge)
    assert c.judge.api("POST", "/api/submissions", {"problem": "vector-addition", "source": "x", "user": "old"})[0] == 201
    join(judge, "gone")
    assert judge.api("POST", "/api/accounts/gone", {"state": "closed"})[0] == 200
    for text, status, says in (
            ("", 400, "line 1"), ("name\nann\n", 400, "no column \"user\""), ("user\n", 400, "nobody"),
            ("user,user\nann,bob\n", 400, "twice"), ("user\nann\n\nANN\n", 400, "line 4: user ann is in line 2"),
            ("user,full_name\n,x\n", 400, "line 2: user is empty"), ("user\nann b\n", 400, "line 2: user may have"),
            ("user\n\"ann\n", 400, "line 2: a quotation mark is not closed"),
            ("user\n\"ann\"x\n", 400, "line 2: something follows"),
            ("user,full_name\nann,\"two\nlines\"\n", 400, "line 2: full_name holds a control"),
            ("user,full_name\nann," + "x" * 101 + "\n", 400, "101 characters"),
            ("user,full_name\nann,\u202eevil\n", 400, "U+202E"),
            ("user" + ",x" * 64 + "\n", 400, "more than 64 cells"),
            ("user\n" + "".join(f"u{i}\n" for i in range(1001)), 400, "at most 1000"),
            ("user\nhouse\n", 400, "reserved"), ("user\nann\nold\n", 409, "line 3, user old"),
            ("user\nann\ngone\n", 409, "closed")):
        answer = c.enrol(text, status)
        assert says in answer["detail"], (text[:80], answer)
    # All of a roster is taken, or nothing.
    assert set(c.roster()) == {"tea"}
    assert "ann" not in {a["name"] for a in judge.api("GET", "/api/accounts")[1]["accounts"]}
    assert "NUL" in c.enrol("user\nann\0\n", 400)["detail"]
    status, answer = c.ask("POST", "groups/physics/members", c.teacher, {"csv": "user\n" + "x" * (2200 << 10)})
    assert status == 413, answer
    for data, says in ((b"user\nann\0\n", "NUL"), (b"user\n\xff\n", "not UTF-8"), (b"user\n" + b"x" * (10 << 20), "")):
        run = judge.cli("group", "import", "physics", judge.write("bad.csv", data), status=2)
        assert says in run.stderr and len(run.stderr.splitlines()) == 1, run.stderr


def test_who_is_not_in_a_group_does_not_know_of_it(judge):
    c = Class(judge)
    ann = c.student("ann", c.invitations(ROSTER)["ann"])
    eve = join(judge, "eve")
    calls = [("GET", "groups/physics", None), ("GET", "groups/physics/members", None),
             ("POST", "groups/physics/members", {"csv": "user\nx\n"}), ("GET", "groups/physics/codes", None),
             ("POST", "groups/physics/codes", {}), ("DELETE", "groups/physics/codes", None),
             ("POST", "groups/physics/members/ann", {"standing": "teacher"}),
             ("DELETE", "groups/physics/members/ann", None),
             ("POST", "groups/physics/members/bob/invitation", {}), ("DELETE", "groups/physics?name=physics", None)]
    for who, token in (("another teacher", c.other), ("a stranger", eve)):
        assert c.ask("GET", "groups", token)[1] == {"groups": []}, who
        for method, path, body in calls:
            there = c.ask(method, path, token, body)
            none = c.ask(method, path.replace("physics", "nothing"), token, body)
            assert there[0] == none[0] == 404, (who, method, path, there)
            assert json.dumps(there[1]).replace("physics", "nothing") == json.dumps(none[1]), (there, none)
    # A member sees that the group is there, and nobody else in it.
    assert c.ask("GET", "groups/physics", ann)[0] == 200
    for method, path, body in calls[1:]:
        if path != "groups/physics/members/ann" or method != "DELETE":  # which is to leave
            assert c.ask(method, path, ann, body)[0] == 403, (method, path)
    # A teacher's narrow token is a member's.
    assert c.ask("GET", "groups/physics/members", narrow(c.tcp, c.teacher, "read,submit"))[0] == 403
    assert c.ask("POST", "groups", c.other, {"name": "maths", "teacher": "tea"})[0] == 403
    assert c.ask("POST", "groups", c.other, {"name": "physics"})[0] == 409
    # An admin sees all.
    assert judge.api("GET", "/api/groups/physics/members")[0] == 200


def test_impostors(judge):
    """Nobody gets a name of the roster, or an account, by what a group gives away."""
    c = Class(judge)
    invitations, code = c.invitations(ROSTER), c.code()
    victim = join(judge, "victim")
    # A code makes no account of a name that is on the roster, or of one that is there.
    for name in ("ann", "ANN", "victim", "tea"):
        status, answer = c.take(name, code)
        assert status == 403 and answer["code"] == "name_taken", (name, answer)
    # Somebody's invitation is for no other name.
    assert c.take("bob", invitations["ann"])[1]["code"] == "invitation"
    # A teacher puts an account on the roster, and gets into it by nothing.
    assert c.enrol("user\nvictim\n")["enrolled"][0] == {"user": "victim", "full_name": "", "result": "asked"}
    assert c.ask("POST", "groups/physics/members/victim/invitation", c.teacher, {})[0] == 409
    assert c.ask("POST", "groups/physics/members/victim", c.teacher, {"standing": "teacher"})[0] == 409
    assert c.ask("GET", "groups/physics", victim)[0] == 404
    # An invitation outlives that its name became an account otherwise, and then gives nothing away.
    assert c.take("cyd", invite(judge, name="cyd"))[0] == 201
    status, answer = c.take("cyd", invitations["cyd"])
    assert status == 403 and answer["code"] == "name_taken", answer
    # It is used once, and a new one makes the one before useless.
    c.student("ann", invitations["ann"])
    assert c.take("ann", invitations["ann"])[0] == 403
    status, answer = c.ask("POST", "groups/physics/members/bob/invitation", c.teacher, {})
    assert status == 201 and c.take("bob", invitations["bob"])[0] == 403, answer
    c.student("bob", answer["invitation"])
    # Another group does not get a name that is reserved.
    c.enrol("user\nfay\n")
    assert c.ask("POST", "groups", c.other, {"name": "maths"})[0] == 201
    assert "line 2, user fay" in c.enrol("user\nfay\n", 409, c.other, "maths")["detail"]
    # Who was taken off the roster cannot come in by the old invitation, and the name is free.
    gus = c.invitations("user\ngus\n")["gus"]
    assert c.ask("DELETE", "groups/physics/members/gus", c.teacher)[0] == 200
    assert c.take("gus", gus)[0] == 403
    assert "gus" not in {a["name"] for a in judge.api("GET", "/api/accounts")[1]["accounts"]}


def test_codes_end(judge):
    c = Class(judge)
    code = c.code(uses=3)
    joined = [c.student(f"s{i}", code) for i in range(2)]
    # Who is in the group already uses nothing up.
    for _ in range(5):
        assert c.ask("POST", "account/groups", joined[0], {"code": code}) == (200, {"group": "physics"})
    assert c.ask("GET", "groups/physics/codes", c.teacher)[1]["codes"][0]["uses_left"] == 1
    eve = join(judge, "eve")
    assert c.ask("POST", "account/groups", eve, {"code": code})[0] == 200
    for name in ("late", "later"):
        status, answer = c.take(name, code)
        assert status == 403 and answer["code"] == "invitation", answer
    status, answer = c.ask("POST", "account/groups", join(judge, "fay"), {"code": code})
    assert status == 403 and answer["code"] == "group_code", answer
    # One that is too old, and one that was withdrawn.
    for end in ("UPDATE group_codes SET expires_ms = 1", None):
        code = c.code()
        if end:
            c.write(end)
        else:
            assert c.ask("DELETE", "groups/physics/codes", c.teacher)[0] == 200
        assert c.take("late", code)[0] == 403
        assert c.ask("POST", "account/groups", join(judge, "gus" if end else "hal"), {"code": code})[0] == 403
    for body in ({"uses": 0}, {"uses": 1001}, {"days": 0}, {"days": 366}):
        assert c.ask("POST", "groups/physics/codes", c.teacher, body)[0] == 400, body
    for _ in range(20):
        c.code()
    assert c.ask("POST", "groups/physics/codes", c.teacher, {})[0] == 409
    # A narrow token joins nothing.
    assert c.ask("DELETE", "groups/physics/codes", c.teacher)[0] == 200
    code = c.code()
    assert c.ask("POST", "account/groups", narrow(c.tcp, eve, "read,submit"), {"code": code})[0] == 403
    assert b"wjg_" not in (judge.home / "leaderboard.db").read_bytes()


def test_leaving(judge):
    c = Class(judge)
    code = c.code()
    ann, bob = (c.student(name, code) for name in ("ann", "bob"))
    sub = c.ask("POST", "submissions", ann, {"problem": "vector-addition", "source": "int x;"})[1]["id"]
    assert c.ask("DELETE", "groups/physics/members/bob", ann)[0] == 403
    assert c.ask("DELETE", "groups/physics/members/ann", ann)[0] == 200
    assert c.ask("GET", "groups/physics", ann)[0] == 404
    assert c.ask("GET", f"submissions/{sub}", ann)[1]["user"] == "ann"
    # The last teacher stays; with another one, each may go.
    for call in (("DELETE", None), ("POST", {"standing": "member"})):
        status, answer = c.ask(call[0], "groups/physics/members/tea", c.teacher, call[1])
        assert status == 409 and "only teacher" in answer["detail"], answer
    assert c.ask("POST", "groups/physics/members/bob", c.teacher, {"standing": "teacher"})[0] == 200
    assert c.ask("DELETE", "groups/physics/members/tea", bob)[0] == 200
    assert c.ask("GET", "groups/physics/members", c.teacher)[0] == 404
    # A deleted account is in no group; a deleted group leaves accounts, and frees names.
    judge.wait_done(sub)
    c.enrol("user\nzoe\nann\n", token=bob)
    assert c.ask("DELETE", "account?name=ann", ann)[0] == 200
    assert set(c.roster(bob)) == {"bob", "zoe"}
    assert c.ask("DELETE", "groups/physics", bob)[0] == 400
    assert c.ask("DELETE", "groups/physics?name=physics", bob)[0] == 200
    assert c.ask("GET", "groups", bob)[1] == {"groups": []}
    names = {a["name"] for a in judge.api("GET", "/api/accounts")[1]["accounts"]}
    assert "bob" in names and "zoe" not in names, names
    assert c.take("zed", code)[0] == 403


def test_a_roster_needs_accounts(judge):
    judge.start("--registration", "closed")
    join(judge, "tea", "admin")
    assert judge.api("POST", "/api/groups", {"name": "physics", "teacher": "tea"})[0] == 201
    status, answer = judge.api("POST", "/api/groups/physics/codes", {})
    # Where nobody joins, a code makes no account either.
    assert judge.api("POST", "/api/accounts", {"name": "ann", "invitation": answer["code"]})[0] == 403
    status, answer = judge.api("POST", "/api/groups", {"name": "maths"})
    assert status == 400 and "teacher is missing" in answer["error"], answer

"""Who leaves: an account is exported and deleted. Nothing of its text stays, and everything of its results."""
import http.client
import json
import re
import signal
import sqlite3

from harness import BACKSTOP_S, DEMO, await_that
from test_cancel import ASLEEP
from test_login import Person, admin_of
from test_meanings import state_of
from test_rights import Tcp, invite, join, narrow

RIGHT = (DEMO / "right.cu").read_text()
SLOWER = (DEMO / "slower.cu").read_text()
TRICK = "ada_s_secret_trick"
BOARD = "/api/problems/vector-addition/board"


def start(judge, *flags):
    return Tcp(judge.start("--listen", "127.0.0.1:0", "--registration", "invitation", *flags)["port"])


def post(tcp, token, source, **more):
    status, answer = tcp.token("POST", "api/submissions", token,
                               {"problem": "vector-addition", "source": source, "filename": "k.cu"} | more)
    assert status == 201, answer
    return answer["id"]


def get(tcp, path, token):
    """An answer that may come in chunks."""
    c = http.client.HTTPConnection("127.0.0.1", tcp.port, timeout=BACKSTOP_S)
    c.request("GET", f"/{path}", headers={"Authorization": f"Bearer {token}"} if token else {})
    r = c.getresponse()
    answer = r.status, json.loads(r.read())
    c.close()
    return answer


def query(judge, sql):
    db = sqlite3.connect(judge.home / "leaderboard.db")
    rows = db.execute(sql).fetchall()
    db.close()
    return rows


def purged(judge):
    await_that(lambda: query(judge, "SELECT count(*) FROM users WHERE purged_to IS NOT NULL") == [(0,)],
               "what was sent is removed")


def test_it_goes_and_its_results_stay(judge):
    judge.allow_long_calls()
    tcp = start(judge)
    ada, ben, boss = join(judge, "Ada"), join(judge, "ben"), join(judge, "boss", "admin")
    ci = narrow(tcp, ada, "read,submit")
    own = f"// {TRICK} in {TRICK}.cu\n{RIGHT}"
    first = post(tcp, ada, own, filename=f"{TRICK}.cu")
    post(tcp, ada, f"// {TRICK}\n{SLOWER}")
    post(tcp, ada, RIGHT.replace("C[i] = ", f"C[i] = {TRICK} + "))
    shared = post(tcp, ada, RIGHT)
    post(tcp, ada, own, mode="run")
    bens = post(tcp, ben, RIGHT)
    for ident in range(1, bens + 1):
        judge.wait_done(ident)
    many = [post(tcp, ada, ASLEEP + f"// {TRICK} {i}") for i in range(20)]
    before = judge.api("GET", BOARD)[1]["entries"]
    assert {e["user"] for e in before} == {"Ada", "ben"} and len(invite(judge, name="ada")) > 0
    path = "api/account?name=Ada"
    # It is not to be had with less than all scopes, or without the name, or by another.
    for token, where, wanted in ((ci, path, 403), (None, path, 401), (ada, "api/account", 400),
                                 (ada, "api/account?name=ada", 400), (ada, "api/account?name=ben", 400),
                                 (ben, path, 400), (ben, "api/accounts/Ada?name=Ada", 403), (boss, "api/accounts/Ada", 400),
                                 (boss, "api/accounts/nobody?name=nobody", 404)):
        status, answer = tcp.token("DELETE", where, token)
        assert status == wanted, (where, status, answer)
    status, answer = tcp.token("DELETE", path, ada)
    assert status == 200 and answer == {"name": "deleted-1"}, answer
    for token in (ada, ci):
        assert tcp.token("GET", "api/account", token)[0] == 401
    for ident in many:
        assert judge.wait_done(ident)["verdict"] == "cancelled"
    purged(judge)
    # The board is the same but for the name.
    after = judge.api("GET", BOARD)[1]["entries"]
    assert after == [e | ({"user": "deleted-1"} if e["user"] == "Ada" else {}) for e in before], after
    done = judge.api("GET", f"/api/submissions/{first}")[1]
    assert done["user"] == "deleted-1" and done["verdict"] == "accepted" and done["message"] == "", done
    assert "counters" not in done and all("detail" not in t for t in done["tests"]) and done["samples_ns"], done
    assert judge.api("GET", f"/api/submissions/{first}/source")[1] == {"filename": "deleted.cu", "source": ""}
    assert "removed with its account" in judge.cli("rerun", first, status=2).stderr
    # Ben has sent one of them, too.
    assert tcp.token("GET", f"api/submissions/{bens}/source", ben)[1]["source"] == RIGHT
    assert judge.api("GET", f"/api/submissions/{shared}/source")[1]["source"] == ""
    assert query(judge, "SELECT count(*) FROM sources") == [(2,)]
    for row in query(judge, "SELECT * FROM submissions") + query(judge, "SELECT * FROM users"):
        # A seed in hexadecimal may have these letters in it.
        assert TRICK not in str(row) and not re.search(r"\bada\b", str(row), re.IGNORECASE), row
    assert query(judge, "SELECT count(*) FROM tokens WHERE user_id = 1") == [(0,)]
    assert query(judge, "SELECT count(*) FROM invitations WHERE name LIKE 'ada' AND used_ms = 0") == [(0,)]
    assert not query(judge, "PRAGMA foreign_key_check")
    # Nobody is it, and nobody can become it. Its own name is free.
    assert {a["name"] for a in judge.api("GET", "/api/accounts")[1]["accounts"]} == {"ben", "boss"}
    for method, where, body, wanted in (
            ("POST", "/api/accounts/deleted-1", {"state": "active"}, 404),
            ("POST", "/api/accounts/deleted-1/assign", {"from": "ben"}, 404),
            ("POST", "/api/accounts/ben/assign", {"from": "deleted-1"}, 404),
            ("DELETE", "/api/accounts/deleted-1?name=deleted-1", None, 404),
            ("POST", "/api/accounts", {"name": "Deleted-1", "invitation": invite(judge, name="deleted-1")}, 403),
            ("POST", "/api/submissions", {"problem": "vector-addition", "source": "x", "user": "deleted-1"}, 403)):
        status, answer = judge.api(method, where, body)
        assert status == wanted, (method, where, status, answer)
    assert judge.api("GET", "/api/account", headers={"Authorization": f"Bearer {join(judge, 'ada')}"})[1]["name"] == "ada"
    assert judge.api("GET", BOARD)[1]["entries"] == after
    judge.stop()
    for name in ("leaderboard.db", "leaderboard.db-wal"):
        file = judge.home / name
        assert not file.exists() or TRICK.encode() not in file.read_bytes(), name


def test_a_daemon_that_is_killed_meanwhile(judge):
    """The next one ends what is left."""
    judge.allow_long_calls()
    tcp = start(judge)
    ada = join(judge, "ada")
    for i in range(60):
        post(tcp, ada, ASLEEP + f"// {TRICK} {i}")
    status, answer = tcp.token("DELETE", "api/account?name=ada", ada)
    assert status == 200, answer
    judge.kill()
    judge.start()
    purged(judge)
    assert query(judge, "SELECT count(*), sum(done), count(DISTINCT source) FROM submissions") == [(60, 60, 1)]
    assert {row[0] for row in query(judge, "SELECT verdict FROM submissions")} == {"cancelled"}
    assert judge.wait_done(judge.post(RIGHT))["verdict"] == "accepted"


def test_the_last_admin_stays(judge):
    tcp = start(judge)
    boss, ada = join(judge, "boss", "admin"), join(judge, "ada")
    for where, token in (("api/account?name=boss", boss), ("api/accounts/boss?name=boss", boss)):
        status, answer = tcp.token("DELETE", where, token)
        assert status == 409 and "boss is the last admin" in answer["error"], answer
    assert judge.api("DELETE", "/api/accounts/boss?name=boss")[0] == 409
    for change in ({"role": "staff"}, {"state": "closed"}, {"role": "member", "state": "closed"}):
        status, answer = tcp.token("POST", "api/accounts/boss", boss, change)
        assert status == 409 and "boss is the last admin" in answer["error"], (change, answer)
    assert tcp.token("POST", "api/accounts/boss", boss, {"role": "admin", "state": "active"})[0] == 200
    # An admin whose account is closed is none.
    other = join(judge, "other", "admin")
    assert tcp.token("POST", "api/accounts/other", boss, {"state": "closed"})[0] == 200
    assert tcp.token("DELETE", "api/account?name=boss", boss)[0] == 409
    assert tcp.token("POST", "api/accounts/other", boss, {"state": "active"})[0] == 200
    assert tcp.token("DELETE", "api/accounts/boss?name=boss", other)[0] == 200
    assert tcp.token("DELETE", "api/accounts/ada?name=ada", other)[0] == 200
    assert tcp.token("GET", "api/account", ada)[0] == 401
    assert tcp.token("DELETE", "api/account?name=other", other)[0] == 409


def test_an_export_is_all_and_ones_own(judge):
    judge.allow_long_calls()
    tcp = start(judge)
    ada, ben = join(judge, "ada"), join(judge, "ben")
    long = RIGHT + "".join(f"// line {i} \u00e9\u4e2d \" \\ \t of a long source\n" for i in range(9000))
    wrong = RIGHT.replace("C[i] = ", f"C[i] = {TRICK} + ")
    idents = [post(tcp, ada, source) for source in (RIGHT, wrong, long)]
    post(tcp, ben, SLOWER + "// ben_s_own")
    for ident in range(1, 5):
        judge.wait_done(ident)
    waits = post(tcp, ada, ASLEEP)
    for path in ("api/account/export", "api/v1/account/export"):
        status, export = get(tcp, path, ada)
        assert status == 200, export
        assert export["account"] | {"created_ms": 0} == {
            "name": "ada", "role": "member", "state": "active", "created_ms": 0}, export["account"]
        assert [t["this"] for t in export["tokens"]] == [True] and len(export["invitations"]) == 1, export
        got = export["submissions"]
        assert [g["submission"]["id"] for g in got] == [waits, *reversed(idents)], got
        assert [g["source"] for g in got] == [ASLEEP, long, wrong, RIGHT]
        assert TRICK in got[2]["submission"]["message"] and got[3]["submission"]["tests"] and got[3]["device_ms"] > 0
        text = json.dumps(export)
        assert "ben" not in text and "wjt_" not in text and "wji_" not in text
    for token, wanted in ((narrow(tcp, ada, "read"), 403), (None, 401), (ben, 200)):
        status, answer = get(tcp, "api/account/export", token)
        assert status == wanted and TRICK not in json.dumps(answer), answer
    assert judge.api("GET", "/api/account/export")[0] == 403  # the operator has no account
    judge.api("POST", f"/api/submissions/{waits}/cancel", {})


def test_at_the_command_line(judge):
    port = judge.start("--listen", "127.0.0.1:0", "--registration", "open")["port"]
    admin, ada = admin_of(judge, port), Person(judge, "ada")
    ada.run("login", "--join", "--user", "ada", f"http://localhost:{port}")
    ada.run("submit", judge.write("right.cu", RIGHT))
    file = judge.home / "me.json"
    ada.run("account", "export", file)
    assert file.stat().st_mode & 0o777 == 0o600
    assert json.loads(file.read_text())["submissions"][0]["source"] == RIGHT
    assert "cannot be made" in ada.run("account", "export", file, status=2).stderr
    for typed in ("", "Ada\n", "yes\n"):
        assert "nothing is deleted" in ada.run("account", "delete", typed=typed, status=2).stderr
    assert "last admin" in admin.run("account", "delete", typed="Boss\n", status=2).stderr
    assert "is deleted-2 now" in ada.run("account", "delete", typed="ada\n").stdout
    assert "wjt_" not in ada.file.read_text()
    assert "deleted-2" in admin.run("rank", "vector-addition").stdout
    ben = Person(judge, "ben")
    ben.run("login", "--join", "--user", "ben", f"http://localhost:{port}")
    assert "ben is deleted, and is deleted-3 now" in admin.run("admin", "delete", "ben").stdout
    assert "no account" in admin.run("admin", "delete", "ben", status=2).stderr
    assert "not known" in ben.run("account", "export", judge.home / "ben.json", status=2).stderr
    assert not (judge.home / "ben.json").exists()
    for words in (("account",), ("account", "x"), ("account", "export"), ("admin", "delete")):
        admin.run(*words, status=2)


def test_it_goes_while_what_it_has_sent_is_to_be_stored(judge):
    """Either that is stored before, and goes as well, or it is refused: the name has nothing afterwards."""
    tcp = start(judge)
    ada = join(judge, "Ada")

    def connect():
        c = http.client.HTTPConnection("127.0.0.1", tcp.port, timeout=BACKSTOP_S)
        c.request("GET", "/api/health")
        c.getresponse().read()
        return c

    body = json.dumps({"problem": "vector-addition", "source": RIGHT, "filename": "k.cu"})
    calls = [(connect(), "POST", "/api/submissions", body), (connect(), "DELETE", "/api/account?name=Ada", None)]
    # Both are there when the daemon goes on.
    judge.daemon.send_signal(signal.SIGSTOP)
    await_that(lambda: state_of(judge.daemon.pid) == "T", "the daemon has stopped")
    for c, method, path, sent in calls:
        c.request(method, path, sent, {"Authorization": f"Bearer {ada}", "Content-Type": "application/json"})
    judge.daemon.send_signal(signal.SIGCONT)
    answers = []
    for c, *_ in calls:
        answer = c.getresponse()
        answers.append((answer.status, json.loads(answer.read())))
        c.close()
    assert answers[0][0] in (201, 401) and answers[1][0] == 200, answers
    assert query(judge, "SELECT name FROM users WHERE name <> 'house'") == [("deleted-1",)]
    owners = query(judge, "SELECT u.name FROM submissions s JOIN users u ON u.id = s.user_id")
    assert owners == [("deleted-1",)] * (answers[0][0] == 201), (answers, owners)

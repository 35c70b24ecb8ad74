"""A name to show beside the account's: it is free text, and never ranks or identifies."""
import json

from harness import DEMO
from test_login import Person
from test_rights import Tcp, join, narrow

RIGHT = (DEMO / "right.cu").read_text()
BOARD = "/api/problems/vector-addition/board"
GOOD = ("Ada Lovelace", "\u0410\u0434\u0430 \u4e2d\u6587 \u05d0\u05d3\u05d4", "O'Neill \"the\" <b>", "boss", "house",
        "x" * 64, "\U0001f680" * 64, "Zo\u00eb", "a\u200db", "-", "1; DROP TABLE users")
BAD = (("a\nb", "control"), ("\x1b[31mred", "control"), ("a\x7f", "control"), ("a\u0085b", "control"),
       ("a\u2028b", "control"), ("a\u2029b", "control"), ("a\u202eb", "turns"), ("\u2066a\u2069", "turns"),
       ("a\u200fb", "turns"), ("a\u061cb", "turns"), (" a", "begins"), ("\u00a0a", "begins"), ("a ", "ends"),
       ("a\u200b", "ends"), ("\u3164", "begins"), ("x" * 65, "65 characters"), ("\U0001f680" * 65, "65 characters"))


def test_names_that_are_shown(judge):
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"])
    ada, ben, boss = join(judge, "ada"), join(judge, "ben"), join(judge, "boss", "admin")
    for token in (ada, ben):
        done = judge.wait_done(tcp.token("POST", "api/submissions", token, {"problem": "vector-addition", "source": RIGHT})[1]["id"])
        assert done["verdict"] == "accepted", done
    before = judge.api("GET", BOARD)[1]
    assert all("display_name" not in e for e in before["entries"])
    for name in GOOD:
        status, answer = tcp.token("POST", "api/account", ada, {"display_name": name})
        assert status == 200 and answer["display_name"] == name and answer["name"] == "ada", (name, answer)
        board = judge.api("GET", BOARD)[1]
        shown = {e["user"]: e.pop("display_name", None) for e in board["entries"]}
        assert shown == {"ada": name, "ben": None} and board == before, (name, shown)
    for name, says in BAD:
        for path, token in (("api/account", ada), ("api/v1/account", ada), ("api/accounts/ada", boss)):
            status, answer = tcp.token("POST", path, token, {"display_name": name})
            assert status == 400 and says in json.dumps(answer), (name, answer)
    for body in ({}, {"display_name": 7}, {"display_name": None}, {"name": "boss"}, {"display_name": "x", "role": "admin"}):
        assert tcp.token("POST", "api/account", ada, body)[0] == 400, body
    raw = b'{"display_name": "\xff\xfe"}'
    assert judge.api("POST", "/api/account", raw=raw, headers={"Authorization": f"Bearer {ada}"})[0] == 400
    # It is nobody's name: two may have the same, and it opens nothing.
    assert tcp.token("POST", "api/account", ada, {"display_name": "boss"})[0] == 200
    assert tcp.token("POST", "api/account", ben, {"display_name": "boss"})[0] == 200
    who = tcp.token("GET", "api/account", ada)[1]
    assert (who["name"], who["display_name"], who["role"]) == ("ada", "boss", "member"), who
    assert tcp.token("GET", "api/accounts", ada)[0] == 403
    status, answer = tcp.token("POST", "api/submissions", ada,
                               {"problem": "vector-addition", "source": "int x;", "user": "boss"})
    assert status == 403, answer
    assert tcp.token("GET", "api/submissions?user=boss", boss)[1]["submissions"] == []
    # An admin may remove it, and others may not.
    assert tcp.token("POST", "api/accounts/ben", ada, {"display_name": ""})[0] == 403
    assert tcp.token("POST", "api/account", narrow(tcp, ben, "read,submit"), {"display_name": "x"})[0] == 403
    status, answer = tcp.token("POST", "api/accounts/ben", boss, {"display_name": ""})
    assert status == 200 and "display_name" not in answer, answer
    rows = {a["name"]: a.get("display_name") for a in tcp.token("GET", "api/accounts", boss)[1]["accounts"]}
    assert rows == {"ada": "boss", "ben": None, "boss": None}, rows
    # It goes with its account.
    assert tcp.token("DELETE", "api/account?name=ada", ada)[0] == 200
    assert all("display_name" not in e for e in judge.api("GET", BOARD)[1]["entries"])


def test_at_the_command_line(judge):
    port = judge.start("--listen", "127.0.0.1:0", "--registration", "open")["port"]
    ada = Person(judge, "ada")
    ada.run("login", "--join", "--user", "ada", f"http://localhost:{port}")
    ada.run("submit", judge.write("right.cu", RIGHT))
    assert 'ada is shown as "Ada (house)"' in ada.run("account", "name", "Ada (house)").stdout
    assert 'ada "Ada (house)" ' in ada.run("rank", "vector-addition").stdout
    assert ada.run("whoami").stdout.startswith('ada "Ada (house)" at http')
    assert "control character" in ada.run("account", "name", "a\tb", status=2).stderr
    assert "no other name" in ada.run("account", "name", "").stdout
    assert '"' not in ada.run("rank", "vector-addition").stdout + ada.run("whoami").stdout
    judge.stop()

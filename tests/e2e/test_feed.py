"""`feed`: who has overtaken whom, when and by how much."""
import csv
import io
import json
import math
import re
import shutil

from harness import DEMO, ROOT
from test_rights import Tcp, join

RIGHT = (DEMO / "right.cu").read_text()
SLOWER = (DEMO / "slower.cu").read_text()


def feed(judge, query=""):
    status, got = judge.api("GET", f"/api/v1/feed{query}")
    assert status == 200, got
    return got["feed"]


def test_who_has_overtaken_whom(judge):
    judge.start()
    assert judge.cli("feed", status=0).stdout == "no board has changed yet\n"
    right, slower = judge.write("right.cu", RIGHT), judge.write("slower.cu", SLOWER)
    ben = judge.submit_json(slower, "--user", "ben", status=0)
    for source in (slower, right, slower):  # the last one changes nothing
        judge.submit_json(source, "--user", "ada", status=0)
    got = feed(judge)
    assert [(m["user"], m["submission"]) for m in got] == [("ada", 3), ("ada", 2), ("ben", 1)], got
    best = judge.api("GET", "/api/v1/submissions/3")[1]
    assert got[0]["change"] == best["change"] and got[0]["time_ns"] == best["time_ns"], got
    assert (got[0]["problem"], got[0]["board"]) == ("vector-addition", "emu"), got
    [passed] = got[0]["overtaken"]
    assert (passed["user"], passed["submission"], passed["time_ns"]) == ("ben", 1, ben["time_ns"]), got
    assert math.isclose(passed["speedup"], ben["time_ns"] / best["time_ns"]), got
    assert got[1]["overtaken"] == [] and got[2]["overtaken"] == [], got
    # In pages.
    path, pages = "/api/v1/feed?limit=1", []
    while path:
        status, answer, headers = judge.ask("GET", path)
        assert status == 200, answer
        pages += answer["feed"]
        path = re.fullmatch('<(.*)>; rel="next"', headers["Link"])[1] if headers["Link"] else None
    assert pages == got, pages
    assert feed(judge, "?problem=vector-addition&limit=2") == got[:2]
    assert feed(judge, "?problem=reduction") == []
    for query, parameter in (("?problem=no-such", "problem"), ("?cursor=66", "cursor"), ("?cursor=7331", "cursor"),
                             ("?limit=0", "limit")):
        status, answer = judge.api("GET", f"/api/v1/feed{query}")
        assert status == 400 and answer["parameter"] == parameter, (query, answer)
    # To read.
    told = judge.cli("feed", status=0, env={"COLUMNS": "200"}).stdout
    assert re.search(r"^  ada overtakes ben on vector-addition \(emu\): still 1st of 2, \S+ \S+, "
                     r"\d\.\d\dx faster than ben$", told, re.M), told
    assert re.search(r"^  ben is new on vector-addition \(emu\): 1st of 1, \S+ \S+$", told, re.M), told
    assert judge.cli("feed", "-p", "vector-addition", "-n", 1, status=0).stdout == "".join(
        told.splitlines(True)[:2])
    rows = list(csv.DictReader(io.StringIO(judge.cli("feed", "--csv", status=0).stdout)))
    assert [(r["user"], r["rank"], r["overtaken"]) for r in rows] == [
        ("ada", "1", "ben"), ("ada", "1", ""), ("ben", "1", "")], rows
    assert json.loads(judge.cli("feed", "--json", status=0).stdout)["feed"] == got


def test_older_boards_are_left_out(judge):
    """And are back where the problem is as it was again."""
    problems = judge.home / "problems"
    shutil.copytree(ROOT / "problems/vector-addition", problems / "vector-addition")
    judge.env["WARPJUDGE_PROBLEMS"] = str(problems)
    judge.start()
    judge.submit_json(judge.write("right.cu", RIGHT), status=0)
    before = feed(judge)
    assert len(before) == 1, before
    path = problems / "vector-addition/problem.json"
    text = path.read_text()
    path.write_text(json.dumps(json.loads(text) | {"limits": {"time_ms": 12345}}))
    judge.stop()
    judge.start()  # which looks at the files anew
    assert feed(judge) == [] and feed(judge, "?problem=vector-addition") == []
    path.write_text(text)
    judge.stop()
    judge.start()
    assert feed(judge) == before


def test_who_is_deleted_has_no_name(judge):
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"])
    ada, ben = join(judge, "ada"), join(judge, "ben")
    assert tcp.token("POST", "api/account", ada, {"display_name": "Countess"})[0] == 200
    for token, source in ((ada, SLOWER), (ben, RIGHT)):
        status, answer = tcp.token("POST", "api/submissions", token,
                                   {"problem": "vector-addition", "source": source, "filename": "k.cu"})
        assert status == 201 and judge.wait_done(answer["id"])["verdict"] == "accepted", answer
    status, got = tcp.ask("GET", "api/v1/feed")
    assert status == 200, got
    [passed] = got["feed"][0]["overtaken"]
    assert passed["user"] == "ada" and passed["display_name"] == got["feed"][1]["display_name"] == "Countess", got
    assert tcp.token("DELETE", "api/account?name=ada", ada)[0] == 200
    after = feed(judge)
    assert after[0]["overtaken"][0]["user"] == after[1]["user"] == "deleted-1", after
    assert "ada" not in json.dumps(after) and "Countess" not in json.dumps(after), after

"""Equal work is told to the staff: a source under other names, and PTX that is the same."""
import csv
import io
import json
import re

from harness import DEMO, ROOT
from test_rights import Tcp, join, narrow

BUILD = "asan"

SLUG = "vector-addition"
RIGHT = (DEMO / "right.cu").read_text()
PATH = "/api/v1/equal"


def renamed(source):
    """The source with other names, other white space and a comment."""
    for old, new in (("add", "plus"), ("A", "left"), ("B", "right"), ("N", "count"), ("i", "at")):
        source = re.sub(rf"\b{old}\b", new, source)
    assert source != RIGHT
    return "// entirely my own\n" + source.replace("    ", "\t\t")


def people(work):
    return [(p["user"], p["submission"]) for p in work["people"]]


def listed(judge, query=""):
    status, answer = judge.api("GET", PATH + query)
    assert status == 200, answer
    return answer["equal"]


def sent(judge, user, source):
    return judge.wait_done(judge.post(source, problem=SLUG, user=user, mode="run"))["id"]


def test_equal_work_is_the_staffs(judge):
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"])
    member, staff = join(judge, "ada"), join(judge, "boss", "staff")
    ada, ada_again = sent(judge, "ada", RIGHT), sent(judge, "ada", renamed(RIGHT))
    assert listed(judge) == [], "one's own work is equal to one's own"
    told = judge.api("GET", f"/api/v1/submissions/{ada}")[1]["equal"]
    assert people(told["source"]) == people(told["ptx"]) == [] and told["ptx"]["size"] > 10, told
    assert judge.cli("admin", "equal", status=0).stdout == "no two people have sent equal work\n"

    # Other names do not hide a source, nor another way to write a number its PTX.
    ben = sent(judge, "ben", renamed(RIGHT))
    cai = sent(judge, "cai", re.sub(r"\b256\b", "0x100", RIGHT))
    ptx, source = listed(judge)
    assert (source["kind"], people(source)) == ("source", [("ada", ada), ("ben", ben)]), source
    assert (ptx["kind"], people(ptx)) == ("ptx", [("ada", ada), ("ben", ben), ("cai", cai)]), ptx
    assert "digest" not in json.dumps([ptx, source])
    assert listed(judge, f"?problem={SLUG}&limit=1") == [ptx] and listed(judge, "?problem=softmax") == []
    told = judge.api("GET", f"/api/v1/submissions/{ada_again}")[1]["equal"]
    assert people(told["source"]) == [("ben", ben)] and people(told["ptx"]) == [("ben", ben), ("cai", cai)], told

    # The starter is nobody's work. The judge's own solution is known, though others have not sent it.
    starter = judge.api("GET", f"/api/v1/problems/{SLUG}")[1]["starter"]
    for user in ("ben", "cai"):
        ident = sent(judge, user, "// mine\n" + starter)
        assert judge.api("GET", f"/api/v1/submissions/{ident}")[1]["equal"] == {"starter": True}
    path = next((ROOT / "solutions" / SLUG).glob("1-*.cu"))
    house = sent(judge, "dan", renamed(path.read_text()))
    told = judge.api("GET", f"/api/v1/submissions/{house}")[1]["equal"]
    assert told["source"]["solution"] == path.name, told
    assert {w["id"] for w in listed(judge)} >= {ptx["id"], source["id"]} and len(listed(judge)) == 2, listed(judge)

    # Grades name those whose work is equal, and nobody for the starter.
    for user, text in (("ada", RIGHT), ("cai", re.sub(r"\b256\b", "0x100", RIGHT)), ("eli", starter), ("fay", starter)):
        judge.wait_done(judge.post(text, problem=SLUG, user=user))
    told = {g["user"]: [(e["user"], e["kind"]) for e in g["equal_to"]] for g in judge.api("GET", "/api/v1/grades")[1]["grades"]}
    assert told == {"ada": [("ben", "source"), ("cai", "ptx")], "cai": [("ada", "ptx"), ("ben", "ptx")], "eli": [], "fay": []}, told

    # Members are told nothing of it, neither with their own submissions nor with others'.
    for token in (member, None):
        for ident in (ada, ben):
            status, answer = tcp.token("GET", f"api/v1/submissions/{ident}", token)
            assert status == 200 and "equal" not in answer, answer
    status, answer = tcp.token("GET", f"api/v1/submissions/{ada}", staff)
    assert status == 200 and people(answer["equal"]["source"]) == [("ben", ben)], answer
    status, answer = tcp.token("GET", "api/v1/submissions", staff)
    assert status == 200 and not any("equal" in s for s in answer["submissions"]), answer

    check_command_line(judge, ada, ben, cai)


def check_command_line(judge, ada, ben, cai):
    wide = {"COLUMNS": "200"}
    shown = judge.cli("status", ada, status=0, env=wide).stdout
    assert re.search(rf"equal: the same source \(\d+ tokens, names left aside\) as ben \(submission {ben}\)\n", shown), shown
    assert f"as ben (submission {ben}) and cai (submission {cai})\n" in shown, shown
    shown = judge.cli("admin", "equal", status=0, env=wide).stdout
    assert f"{SLUG}: the same PTX" in shown and f"{SLUG}: the same source" in shown and "first" in shown, shown
    assert "Equal work need not be copied" in shown
    rows = list(csv.DictReader(io.StringIO(judge.cli("admin", "equal", "--csv", "-p", SLUG, status=0).stdout)))
    assert [r["user"] for r in rows if r["kind"] == "source"] == ["ada", "ben"] and len(rows) >= 5, rows
    assert json.loads(judge.cli("admin", "equal", "--json", "-n", 1, status=0).stdout)["equal"] == listed(judge)[:1]
    refused = judge.cli("admin", "equal", "-p", "no-such-problem", status=2).stderr
    assert "no-such-problem" in refused, refused


def test_what_is_graded_is_nobodys_work(judge):
    """Who grades what a class has sent, or it twice, is nobody whose work is equal, and nobody's is equal to theirs."""
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"])
    bulk = narrow(tcp, join(judge, "grader", "staff"), "read,submit,bulk")
    ada = sent(judge, "ada", RIGHT)
    for mode in ("grade", "grade_samples", "grade_compile"):
        status, answer = tcp.token("POST", "api/v1/submissions", bulk, {
            "problem": SLUG, "filename": "ada.cu", "source": RIGHT, "mode": mode})
        assert status == 201, answer
        assert judge.wait_done(answer["id"])["verdict"] == "accepted"
        assert judge.api("GET", f"/api/v1/submissions/{answer['id']}")[1]["equal"] is None
    assert listed(judge) == []
    told = judge.api("GET", f"/api/v1/submissions/{ada}")[1]["equal"]
    assert people(told["source"]) == people(told["ptx"]) == [], told
    # That it was graded hides no equal work.
    ben = sent(judge, "ben", renamed(RIGHT))
    assert [people(work) for work in listed(judge)] == [[("ada", ada), ("ben", ben)]], listed(judge)

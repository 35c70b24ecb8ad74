"""The daemon serves everybody, however much is stored and whatever single clients do."""
import json
import re
import shutil
import subprocess

import crowd
from harness import BACKSTOP_S, DEMO, LONG_CALL_S, ROOT, await_that, slow_once
from test_cancel import ASLEEP
from test_http import connect, cpu_seconds

RIGHT = (DEMO / "right.cu").read_text()
BOARD = "/api/problems/vector-addition/board"


def test_lists_cost_what_they_show(judge):
    """Ranks of a list on a board of 20,000 entries: each once cost a pass over the board."""
    crowd.fill(judge, 20000)
    before = cpu_seconds(judge.daemon.pid)
    for _ in range(5):
        status, listed = judge.api("GET", "/api/submissions?limit=200")
        assert status == 200 and len(listed["submissions"]) == 200, listed
    assert cpu_seconds(judge.daemon.pid) - before < 10
    status, board = judge.api("GET", BOARD)
    assert status == 200 and len(board["entries"]) == 20000, status
    ranks = {e["submission"]: (e["rank"], e["percentile"]) for e in board["entries"]}
    for s in listed["submissions"]:
        assert (s["rank"], s["percentile"]) == ranks[s["id"]] and s["entries"] == 20000, s
    assert any(s["ties"] == 1 for s in listed["submissions"])
    assert sum(b["count"] for b in board["histogram"]) == 20000
    ids = [s["id"] for s in judge.api("GET", "/api/submissions?limit=1000")[1]["submissions"]]
    assert ids == sorted(ids, reverse=True) and len(set(ids)) == 1000
    for query, wanted in (("user=user7", 1), ("user=user7&problem=vector-addition", 1),
                          ("user=user7&problem=matrix-transpose", 0), ("user=nobody", 0),
                          ("problem=vector-addition&limit=3", 3)):
        assert len(judge.api("GET", f"/api/submissions?{query}")[1]["submissions"]) == wanted, query


def test_the_list_of_problems_follows_the_folder(judge):
    """It is kept as text, and made anew when a spec changes, comes or goes."""
    problems = judge.home / "problems"
    problems.mkdir()
    for slug in ("vector-addition", "matrix-transpose"):
        (problems / slug).symlink_to(ROOT / "problems" / slug)
    judge.env["WARPJUDGE_PROBLEMS"] = str(problems)
    judge.start()

    def titles():
        return [p["title"] for p in judge.api("GET", "/api/problems")[1]["problems"]]

    assert titles() == titles() == ["Matrix Transpose", "Vector Addition"]
    spec = json.loads((ROOT / "problems/vector-addition/problem.json").read_text())
    shutil.copytree(ROOT / "problems/vector-addition", problems / "other")
    (problems / "other/problem.json").write_text(json.dumps(spec | {"title": "Another"}))
    await_that(lambda: "Another" in titles(), "a new problem is listed")
    (problems / "other/problem.json").write_text(json.dumps(spec | {"title": "Changed once"}))
    await_that(lambda: "Changed once" in titles(), "a changed problem is listed")
    (problems / "other/problem.json").unlink()
    await_that(lambda: len(titles()) == 2, "a problem that is gone is not listed")


def told_twice_alike(judge, idents):
    """What the judge tells of these submissions while nothing moves in the queue: two readings in a row are alike."""
    def reading():
        rows = [judge.api("GET", f"/api/submissions/{i}")[1] for i in idents]
        return [(row["state"], row.get("position"), row.get("verdict")) for row in rows], rows

    before, now = reading(), reading()
    while before[0] != now[0]:
        before, now = now, reading()
    return now[1]


def test_the_queue_is_fair(judge):
    """Many submissions of one person's do not make another's wait for all of them."""
    judge.allow_long_calls()
    judge.start()
    slow = judge.post(slow_once(RIGHT, LONG_CALL_S), user="ada")
    many = [judge.post(f"// {i}\n{RIGHT}", user="ada") for i in range(5)]
    last = judge.post(RIGHT, user="ada", mode="run")
    one = judge.post(RIGHT, user="ben")
    # What is compiled goes before a younger one that is not, so that all are.
    await_that(lambda: all(judge.api("GET", f"/api/submissions/{i}")[1]["state"] == "waiting" for i in [*many, last, one]),
               "all others are compiled")
    waiting = told_twice_alike(judge, [*many, last, one])
    assert all(w["position"] <= 2 for w in waiting if w["user"] == "ben"), waiting
    assert all(w["estimate_seconds"] >= 0 for w in waiting), waiting
    places = [w["position"] for w in waiting]
    assert len(set(places)) == len(places), places
    assert judge.api("POST", f"/api/submissions/{slow}/cancel", {})[0] == 200
    verdicts = {i: judge.wait_done(i)["verdict"] for i in [slow, *many, last, one]}
    assert all(v == ("cancelled" if i == slow else "accepted") for i, v in verdicts.items()), verdicts
    log = judge.log.read_text()
    order = [int(m[1]) for m in re.finditer(r"submission (\d+): \w+ \(", log)]
    assert set(order) == set(verdicts), log
    before = {i: sum(m in many for m in order[:order.index(i)]) for i in (one, last)}
    assert before[one] <= 1 and before[last] <= 2, order


def test_a_person_has_so_many_places(judge):
    judge.allow_long_calls()
    judge.start()
    judge.post(slow_once(RIGHT, LONG_CALL_S))
    body = {"problem": "vector-addition", "filename": "k.cu", "source": RIGHT, "user": "ada"}
    answers = [judge.api("POST", "/api/submissions", body) for _ in range(260)]
    assert {status for status, _ in answers} == {201, 429}, answers[-1]
    assert "wait already" in answers[-1][1]["error"], answers[-1]
    assert judge.api("POST", "/api/submissions", body | {"user": "ben"})[0] == 201


def test_connections_that_are_ended_together(judge):
    """Those of one client on which nothing has come are ended in one pass, and each is the client's until it is closed. Only a
    build with sanitizers notices what is used after the client is gone."""
    judge.start()
    silent = [connect(judge) for _ in range(3)]
    for s in silent:
        s.settimeout(BACKSTOP_S)
        while s.recv(4096):
            pass
        s.close()
    assert judge.api("GET", "/api/health")[0] == 200


# Plays a compiler that refuses what says so, as after an hour.
REFUSES = r'''#!/usr/bin/env python3
import json, os, sys
from pathlib import Path

folder = Path(sys.argv[1])
if "// refused" in (folder / "submission.cu").read_text():
    number = json.loads((folder / "job.json").read_text())["format"]
    (folder / "compile.json").write_text(json.dumps(
        {"format": number, "ok": False, "verdict": "compile_error", "message": "no", "cached": False, "seconds": 3600}))
else:
    real = Path(__file__).with_name("real-compile")
    os.execv(real, [str(real), *sys.argv[1:]])
'''


def test_what_compilers_refuse_counts_as_used(judge):
    """Who keeps them busy and never uses a device does not go before everybody who has used one."""
    judge.own_build()
    folder = judge.prefix / "libexec"
    (folder / "warpjudge-compile").rename(folder / "real-compile")
    (folder / "warpjudge-compile").write_text(REFUSES)
    (folder / "warpjudge-compile").chmod(0o755)
    judge.allow_long_calls()
    judge.start()
    assert judge.wait_done(judge.post(RIGHT, user="ben"))["verdict"] == "accepted"
    assert judge.wait_done(judge.post("// refused", user="ada"))["verdict"] == "compile_error"
    slow = judge.post(slow_once(RIGHT, LONG_CALL_S), user="cyd")
    await_that(lambda: judge.api("GET", f"/api/submissions/{slow}")[1]["state"] == "running", "one that is judged")
    ada, ben = judge.post(f"// ada's\n{RIGHT}", user="ada"), judge.post(f"// ben's\n{RIGHT}", user="ben")
    await_that(lambda: all(judge.api("GET", f"/api/submissions/{i}")[1]["state"] == "waiting" for i in (ada, ben)),
               "two that are compiled")
    rows = {w["id"]: w["position"] for w in told_twice_alike(judge, [ada, ben])}
    assert rows[ben] < rows[ada], rows


def test_a_judge_that_does_not_come_back(judge):
    """Who waits at another machine is told that the submission is safe, and of no log that they cannot read."""
    judge.allow_long_calls()
    port = judge.start("--listen", "127.0.0.1:0", "--open")["port"]
    source = judge.write("k.cu", ASLEEP)
    run = subprocess.Popen([judge.bin, "submit", source], env=judge.env | {"WARPJUDGE_URL": f"http://127.0.0.1:{port}"},
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    first = run.stderr.readline()
    judge.kill()
    told = first + run.communicate(timeout=BACKSTOP_S)[1]
    assert run.returncode == 3 and "submission 1 is safe: `warpjudge status 1` shows it once the judge is back" in told, told
    assert "waiting for it to come back" in told and "times while" not in told and ".log" not in told, told

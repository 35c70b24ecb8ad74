"""Judging again: an author changes a problem, and an admin has its submissions judged again."""
import json
import os
import shutil
import signal
import sqlite3
from pathlib import Path

import crowd
from harness import DEMO, ROOT, await_that, processes_with, slow_once
from test_rights import Tcp, join

BUILD = "asan"

RIGHT = (DEMO / "right.cu").read_text()
SLUG = "vector-addition"
PATH = "/api/v1/rejudgement"


def small_problem(judge):
    """The judge gets a problem of its own, of two tests and small sizes. It is not started."""
    folder = judge.home / "problems" / SLUG
    shutil.copytree(ROOT / "problems" / SLUG, folder)
    judge.env["WARPJUDGE_PROBLEMS"] = str(folder.parent)
    change(folder, lambda spec: spec.update(tests=spec["tests"][:2], benchmark={"cuda": {"N": 1000}, "emu": {"N": 1000}}))
    return folder


def change(folder, edit):
    path = folder / "problem.json"
    spec = json.loads(path.read_text())
    edit(spec)
    path.write_text(json.dumps(spec))


def answer_two(folder):
    """Makes the reference wrong, so that what was right is not."""
    file = folder / "reference.c"
    text = file.read_text()
    assert "A[i] + B[i]" in text
    file.write_text(text.replace("A[i] + B[i]", "A[i] + B[i] + 2"))


def board(judge, query=""):
    status, answer = judge.api("GET", f"/api/v1/problems/{SLUG}/board?device=emu{query}")
    assert status == 200, answer
    return answer


def users(shown):
    return sorted(e["user"] for e in shown["entries"])


def older_counts(judge):
    return [o["entries"] for o in board(judge)["older"]]


def run_state(judge):
    status, run = judge.api("GET", PATH)
    assert status == 200, run
    return run


def ended(judge):
    return await_that(lambda: run_state(judge) if run_state(judge)["state"] != "judging" else None,
                      "the end of the rejudgement")


def submit(judge, user, source=RIGHT):
    answer = judge.wait_done(judge.post(source, problem=SLUG, user=user))
    assert answer["verdict"] == "accepted", answer
    return answer["id"]


def submission(judge, ident):
    return judge.api("GET", f"/api/v1/submissions/{ident}")[1]


def shown_of(judge):
    """What everybody sees of the board and its submissions."""
    return board(judge), judge.api("GET", f"/api/v1/submissions?problem={SLUG}&limit=100")[1]


def test_an_author_and_a_board_of_fifty(judge):
    folder = small_problem(judge)
    crowd.fill(judge, 50)
    judge.stop()
    db = sqlite3.connect(judge.home / "leaderboard.db")
    with db:
        db.execute("UPDATE sources SET text = ?", (RIGHT,))
    db.close()
    judge.start("--emu", "2")
    fifty, first = users(board(judge)), board(judge)["meaning"]
    assert len(fifty) == 50 and board(judge)["older"] == []

    # A typo: nothing happens to the board, and there is nothing to judge again.
    change(folder, lambda spec: spec.update(title="Vectors"))
    assert users(board(judge)) == fifty and board(judge)["meaning"] == first
    printed = judge.cli("admin", "rejudge", "--problem", SLUG, "--changed", status=2)
    assert "no submission is to be judged again" in printed.stderr

    # A tolerance: the board begins anew. A preview says what would become of it, and writes nothing.
    change(folder, lambda spec: spec.update(compare={"mode": "close", "atol": 1e-4, "rtol": 1e-5}))
    assert users(board(judge)) == [] and older_counts(judge) == [50]
    before = shown_of(judge)
    printed = judge.cli("admin", "rejudge", "1", "2", "3", "--preview", status=0).stdout
    assert "3 submissions judged again as a preview" in printed and "no verdict would change" in printed, printed
    assert "3 ranks would change" in printed and "user0" in printed and "user2" in printed, printed
    assert "3 ranks of before the board began anew would change, too" not in printed
    assert shown_of(judge) == before and run_state(judge)["state"] == "previewed"

    # Judged again, all of them are on the board at once, and what was before is kept.
    old = submission(judge, 1)["time_ns"]
    run = json.loads(judge.cli("admin", "rejudge", "-p", SLUG, "--changed", "--json", status=0).stdout)
    assert run["state"] == "replaced" and run["submissions"] == run["judged"] == run["ranks_changed"] == 50, run
    assert run["verdicts"] == [] and run["left_out"] == 0 and run["older_ranks_changed"] == 50, run
    assert all(r["before"] is None and r["after"] == 1 for r in run["ranks"]), run
    assert users(board(judge)) == fifty and board(judge)["older"] == [] and board(judge)["meaning"] != first
    past = submission(judge, 1)["history"]
    assert [(p["verdict"], p["time_ns"], p["meaning"]) for p in past] == [("accepted", old, first)]
    printed = judge.cli("status", "1", status=0).stdout
    assert "judged again" in printed and "accepted" in printed, printed

    # A benchmark: the board begins anew again. Taken back, the fifty are there without a judgement.
    text = (folder / "problem.json").read_text()
    change(folder, lambda spec: spec["benchmark"]["emu"].update(N=500))
    assert users(board(judge)) == [] and older_counts(judge) == [50] and board(judge)["sizes"] == "N=500"
    (folder / "problem.json").write_text(text)
    assert users(board(judge)) == fifty and older_counts(judge) == []


def test_a_verdict_that_changes(judge):
    folder = small_problem(judge)
    judge.start()
    ada, ben = submit(judge, "ada"), submit(judge, "ben")
    answer_two(folder)
    printed = judge.cli("admin", "rejudge", "-d", "emu", "--preview", status=0).stdout
    assert "2 verdicts would change" in printed and "accepted  wrong answer" in printed, printed
    assert "no rank would change" in printed and "2 ranks of before the board began anew would change, too" in printed
    assert [submission(judge, i)["verdict"] for i in (ada, ben)] == ["accepted"] * 2 and older_counts(judge) == [2]
    run = json.loads(judge.cli("admin", "rejudge", str(ada), "--json", status=0).stdout)
    assert [(v["submission"], v["before"], v["after"], v["after_ns"]) for v in run["verdicts"]] == [
        (ada, "accepted", "wrong_answer", None)], run
    now = submission(judge, ada)
    assert now["verdict"] == "wrong_answer" and now["rank"] is None and now["history"][0]["verdict"] == "accepted"
    assert submission(judge, ben)["verdict"] == "accepted" and older_counts(judge) == [1]


def test_an_admin_begins_a_board(judge):
    """As after a new driver: the problem is the same, and the times are others."""
    small_problem(judge)
    judge.start()
    ada, first = submit(judge, "ada"), board(judge)["meaning"]
    printed = judge.cli("admin", "begin-board", SLUG, "-d", "emu", status=0).stdout
    assert "vector-addition on emu begins anew" in printed, printed
    second = board(judge)["meaning"]
    assert users(board(judge)) == [] and older_counts(judge) == [1] and second != first
    assert users(board(judge, "&meaning=" + first)) == ["ada"] and submission(judge, ada)["older"]
    # It is so in another run of the daemon, and other kinds of devices are not touched.
    judge.stop()
    judge.start()
    assert board(judge)["meaning"] == second
    ben = submit(judge, "ben")
    assert users(board(judge)) == ["ben"] and submission(judge, ben)["meaning"] == second
    judge.cli("admin", "rejudge", "-p", SLUG, "--changed", status=0)
    assert users(board(judge)) == ["ada", "ben"] and board(judge)["older"] == []
    assert judge.api("POST", f"/api/v1/problems/{SLUG}/board", {"device": "emu"})[1]["meaning"] not in (first, second)
    for slug, body, code in ((SLUG, {}, "missing_member"), (SLUG, {"device": "cuda:7"}, "no_such_device"),
                             ("no-such-problem", {"device": "emu"}, "no_such_problem")):
        assert judge.api("POST", f"/api/v1/problems/{slug}/board", body)[1]["code"] == code, body
    judge.cli("admin", "begin-board", SLUG, status=2)


def test_what_cannot_be_judged_again(judge):
    small_problem(judge)
    judge.start()
    submit(judge, "ada")
    looked = judge.wait_done(judge.post(RIGHT, problem=SLUG, mode="run"))["id"]
    for body, code, field in (
            ({}, "missing_member", None), ({"submissions": "1,x"}, "invalid_member", "/submissions"),
            ({"submissions": ""}, "invalid_member", "/submissions"), ({"submissions": "1,"}, "invalid_member", "/submissions"),
            ({"submissions": ",".join(["1"] * 501)}, "invalid_member", "/submissions"),
            ({"submissions": "99"}, "invalid_member", "/submissions"),
            ({"submissions": str(looked)}, "invalid_member", "/submissions"),
            ({"submissions": "1", "problem": SLUG}, "invalid_member", "/submissions"),
            ({"problem": "no-such-problem"}, "no_such_problem", "/problem"), ({"device": "cuda:7"}, "no_such_device", "/device"),
            ({"problem": SLUG, "which": "some"}, "invalid_member", "/which"),
            ({"problem": SLUG, "mode": "dry"}, "invalid_member", "/mode"), ({"id": 1}, "unknown_member", "/id")):
        status, answer = judge.api("POST", PATH, body)
        assert (status // 100, answer["code"], answer.get("pointer")) == (4, code, field), (body, answer)
    assert judge.api("GET", PATH)[1]["code"] == judge.api("DELETE", PATH)[1]["code"] == "no_such_rejudgement"
    for words in (("1", "x"), ("show", "1"), ()):
        judge.cli("admin", "rejudge", *words, status=2)


def arbiter_of(judge, ident):
    """The arbiter that judges a submission, or None."""
    def is_meant(pid):
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
        except OSError:
            return False
        return words[0].endswith("warpjudge-arbiter") and any(f"/jobs/{ident}-" in word for word in words)
    return next((pid for pid in processes_with(judge.home) if is_meant(pid)), None)


def stopped_arbiter(judge, ident):
    """Stops the arbiter that judges a submission. None where it ended meanwhile."""
    pid = await_that(lambda: arbiter_of(judge, ident), "an arbiter")
    try:
        os.kill(pid, signal.SIGSTOP)
        await_that(lambda: state_of(pid) in "TZ", "a stopped arbiter")
        if state_of(pid) == "T" and not list(judge.home.glob(f"jobs/{ident}-*/result.json")):
            return pid
        os.kill(pid, signal.SIGCONT)
    except (ProcessLookupError, FileNotFoundError):
        pass
    return None


def state_of(pid):
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


def begun_and_stopped(judge, idents, judged=0):
    """Begins a rejudgement, and stops the arbiter of the submission that comes after so many. It is slow, so that there
    is time for that; where there was not, another rejudgement begins."""
    while True:
        await_that(lambda: not any(arbiter_of(judge, i) for i in idents), "the end of older arbiters")
        status, run = judge.api("POST", PATH, {"submissions": ",".join(map(str, idents))})
        assert status == 201 and run["state"] == "judging", run
        await_that(lambda: run_state(judge)["judged"] >= judged, "some that are judged")
        if run_state(judge)["judged"] == judged:
            pid = stopped_arbiter(judge, idents[judged])
            if pid is not None and run_state(judge)["judged"] == judged:
                return pid
            assert pid is None
        ended(judge)


def test_people_go_first(judge):
    small_problem(judge)
    judge.start("--emu", "1", "--stay", "1")
    slow = slow_once(RIGHT, 3)
    idents = [submit(judge, user, slow) for user in ("ada", "ben", "cyd")]
    arbiter = begun_and_stopped(judge, idents)
    at = len(judge.log.read_text())
    assert judge.api("POST", PATH, {"submissions": "1"})[1]["code"] == "conflict"
    # To everybody the submissions are done, and only the new one waits.
    assert submission(judge, idents[0])["state"] == "done"
    new = judge.post(RIGHT, problem=SLUG, user="dee")
    await_that(lambda: submission(judge, new)["state"] == "waiting", "a submission that is compiled")
    assert judge.api("GET", "/api/v1/health")[1]["queued"] == 1
    os.kill(arbiter, signal.SIGCONT)
    assert ended(judge)["state"] == "replaced"
    lines = judge.log.read_text()[at:].splitlines()
    order = [int(line.split(" submission ")[1].split(":")[0]) for line in lines if "accepted" in line]
    assert order == [idents[0], new, *idents[1:]], lines
    assert len(submission(judge, idents[0])["history"]) >= 1 and "history" not in submission(judge, new)


def test_all_or_none(judge):
    folder = small_problem(judge)
    judge.start("--emu", "1", "--stay", "1")
    slow = slow_once(RIGHT, 3)
    idents = [submit(judge, user, slow) for user in ("ada", "ben")]
    arbiter = begun_and_stopped(judge, idents, judged=1)
    before = shown_of(judge)
    # What the first one was judged by is not what the second one is judged by.
    text = (folder / "problem.json").read_text()
    change(folder, lambda spec: spec["benchmark"]["emu"].update(N=500))
    os.kill(arbiter, signal.SIGCONT)
    run = ended(judge)
    assert run["state"] == "failed" and "vector-addition was changed meanwhile" in run["message"], run
    (folder / "problem.json").write_text(text)
    assert shown_of(judge) == before

    # One that is cancelled has changed nothing, and its processes end. So it is with one whose judge stops.
    begun_and_stopped(judge, idents)
    before = shown_of(judge)
    assert judge.api("DELETE", PATH)[1]["state"] == "cancelled"
    await_that(lambda: arbiter_of(judge, idents[0]) is None, "the end of the arbiter")
    assert shown_of(judge) == before
    printed = judge.cli("admin", "rejudge", "show", status=1)
    assert "no result was replaced" in printed.stderr
    begun_and_stopped(judge, idents)
    before = shown_of(judge)
    judge.stop()
    judge.start()
    assert judge.api("GET", PATH)[0] == 404 and shown_of(judge) == before


def test_who_leaves_stops_no_rejudgement(judge):
    """A member who deletes the account meanwhile is left out; all others are replaced."""
    small_problem(judge)
    tcp = Tcp(judge.start("--emu", "1", "--stay", "1", "--listen", "127.0.0.1:0", "--registration", "invitation")["port"])
    slow = slow_once(RIGHT, 3)
    ada = join(judge, "ada")
    status, answer = tcp.token("POST", "api/submissions", ada, {"problem": SLUG, "source": slow + "// ada's", "mode": "submit"})
    assert status == 201, answer
    idents = [judge.wait_done(answer["id"])["id"], submit(judge, "ben", slow)]
    arbiter = begun_and_stopped(judge, idents)
    already = len(submission(judge, idents[1]).get("history", []))
    assert tcp.token("DELETE", "api/account?name=ada", ada)[0] == 200
    await_that(lambda: judge.api("GET", f"/api/submissions/{idents[0]}/source")[1]["source"] == "", "a source that is gone")
    os.kill(arbiter, signal.SIGCONT)
    run = ended(judge)
    assert run["state"] == "replaced" and (run["submissions"], run["left_out"]) == (1, 1), run
    assert "history" not in submission(judge, idents[0])
    assert len(submission(judge, idents[1])["history"]) == already + 1

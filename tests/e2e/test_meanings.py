"""Boards by what a problem means: an author changes files of a problem, and takes changes back."""
import json
import os
import shutil
import signal
import sqlite3
import urllib.request
from pathlib import Path

from harness import DEMO, ROOT, await_that, command_of, processes_with, slow_once

RIGHT = (DEMO / "right.cu").read_text()
SLUG = "vector-addition"


def own_problem(judge):
    """A judge whose problems are one that a test may change."""
    problems = judge.home / "problems"
    shutil.copytree(ROOT / "problems" / SLUG, problems / SLUG)
    judge.env["WARPJUDGE_PROBLEMS"] = str(problems)
    judge.start()
    return problems / SLUG / "problem.json"


def board(judge, query=""):
    status, answer = judge.api("GET", f"/api/v1/problems/{SLUG}/board?device=emu{query}")
    assert status == 200, answer
    return answer


def users(shown):
    return [e["user"] for e in shown["entries"]]


def change(path, edit):
    spec = json.loads(path.read_text())
    edit(spec)
    path.write_text(json.dumps(spec))


def submit(judge, user):
    answer = judge.wait_done(judge.post(RIGHT, problem=SLUG, user=user))
    assert answer["verdict"] == "accepted", answer
    return answer


def test_an_author_changes_a_problem(judge):
    path = own_problem(judge)
    first, text = submit(judge, "ada"), path.read_text()
    assert not first["older"] and first["meaning"] == board(judge)["meaning"]

    # A typo: the same board.
    change(path, lambda spec: spec.update(title="Vectors", tags=["x"], difficulty="hard"))
    (path.parent / "statement.md").write_text("Add them.\n")
    assert users(board(judge)) == ["ada"] and board(judge)["title"] == "Vectors"
    assert board(judge)["meaning"] == first["meaning"]

    # The benchmark of GPUs: emu's board stays.
    change(path, lambda spec: spec["benchmark"]["cuda"].update(N=2000000))
    assert users(board(judge)) == ["ada"]

    # The benchmark of emu: the board begins anew, and ada's entry stays visible.
    change(path, lambda spec: spec["benchmark"]["emu"].update(N=500000))
    now = board(judge)
    assert users(now) == [] and now["current"] and now["meaning"] != first["meaning"]
    assert now["older"] == [{"meaning": first["meaning"], "entries": 1}]
    older = board(judge, "&meaning=" + first["meaning"])
    assert users(older) == ["ada"] and not older["current"] and older["sizes"] == first["sizes"] != now["sizes"]
    shown = judge.api("GET", f"/api/v1/submissions/{first['id']}")[1]
    assert shown["older"] and shown["rank"] == 1 and shown["best"]
    ben = submit(judge, "ben")
    assert ben["rank"] == 1 and ben["entries"] == 1 and users(board(judge)) == ["ben"]
    assert "1 entry of before the board began anew" in judge.cli("rank", SLUG, "-d", "emu", status=0).stdout
    printed = judge.cli("rank", SLUG, "-d", "emu", "--older", status=0).stdout
    assert "of before the board began anew" in printed and "ada" in printed and "ben" not in printed
    listed = json.loads(judge.cli("rank", SLUG, "--older", "--json", "-d", "emu", status=0).stdout)
    assert [users(b) for b in listed] == [["ada"]]
    assert "the board has begun anew since" in judge.cli("status", str(first["id"]), status=0).stdout

    # The change is taken back: ada's entry counts again, also in another run of the daemon.
    path.write_text(text)
    judge.stop()
    judge.start()
    now = board(judge)
    assert users(now) == ["ada"] and now["older"] == [{"meaning": ben["meaning"], "entries": 1}]
    assert judge.api("GET", f"/api/v1/submissions/{ben['id']}")[1]["older"]


def test_other_files_count(judge):
    path = own_problem(judge)
    submit(judge, "ada")
    for name in ("reference.c", "reference.cu"):
        before = board(judge)["meaning"]
        file = path.parent / name
        file.write_text((file.read_text() if file.exists() else "") + "/* another */\n")
        assert board(judge)["meaning"] != before, name
    assert users(board(judge)) == []


def state_of(pid):
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


def is_judged(judge, ident):
    """Also one that stays idle is an arbiter, and the attempt begins only after the answer to whoever posts it."""
    return judge.api("GET", f"/api/submissions/{ident}")[1]["state"] == "running"


def stopped_in_the_middle(judge):
    """A submission that is judged now, and its arbiter, which is stopped. One that ends before it is stopped is no use."""
    while True:
        ident = judge.post(slow_once(RIGHT, 3), problem=SLUG)
        await_that(lambda i=ident: judge.api("GET", f"/api/submissions/{i}")[1]["state"] in ("running", "done"), "it is judged")
        arbiters = [pid for pid in processes_with(judge.home) if command_of(pid).endswith("warpjudge-arbiter")]
        if not arbiters:
            continue
        arbiter = arbiters[0]
        try:
            os.kill(arbiter, signal.SIGSTOP)
            await_that(lambda: state_of(arbiter) in "TZ", "a stopped arbiter")
            if state_of(arbiter) == "T" and not list(judge.home.glob("jobs/*/result.json")) and is_judged(judge, ident):
                return ident, arbiter
            os.kill(arbiter, signal.SIGCONT)
        except (ProcessLookupError, FileNotFoundError):
            pass
        judge.wait_done(ident)


def test_a_problem_that_changes_while_it_is_judged(judge):
    path = own_problem(judge)
    before = board(judge)["meaning"]
    ident, arbiter = stopped_in_the_middle(judge)
    change(path, lambda spec: spec["benchmark"]["emu"].update(N=500000))
    os.kill(arbiter, signal.SIGCONT)
    answer = judge.wait_done(ident)
    assert answer["verdict"] == "accepted" and answer["attempt"] == 2 and answer["sizes"] == "N=500000", answer
    assert answer["meaning"] == board(judge)["meaning"] != before and not answer["older"], answer
    assert [e["submission"] for e in board(judge)["entries"]] == [ident]


def test_asking_for_a_board_that_is_not_there(judge):
    own_problem(judge)
    for meaning in ("unknown", "0" * 64, "%22"):
        status, answer = judge.api("GET", f"/api/v1/problems/{SLUG}/board?device=emu&meaning={meaning}")
        assert status == 400 and answer["code"] == "invalid_parameter" and answer["parameter"] == "meaning", answer


def test_results_of_before_meanings(judge):
    """A database that an older judge left: only times with today's sizes are on today's board."""
    path = own_problem(judge)
    submit(judge, "ada")
    ben = submit(judge, "ben")
    judge.stop()
    db = sqlite3.connect(judge.home / "leaderboard.db")
    with db:
        db.execute("UPDATE submissions SET meaning = 'before'")
        db.execute("UPDATE entries SET meaning = 'before'")
        db.execute("UPDATE submissions SET sizes = 'N=1280' WHERE id = 1")
    db.close()
    # A spec that does not load leaves them as they are.
    text = path.read_text()
    path.write_text("{")
    judge.start()
    judge.stop()
    path.write_text(text)
    judge.start()
    now = board(judge)
    assert users(now) == ["ben"] and now["meaning"] == ben["meaning"]
    assert now["older"] == [{"meaning": "unknown", "entries": 1}]
    older = board(judge, "&meaning=unknown")
    assert users(older) == ["ada"] and older["sizes"] == "N=1280"
    assert judge.api("GET", "/api/v1/submissions/1")[1]["meaning"] is None


def test_history(judge):
    """What a result has taken the place of is shown to who may see the submission's source."""
    judge.start()
    ident = judge.post(RIGHT, problem=SLUG)
    assert "history" not in judge.wait_done(ident)
    judge.stop()
    db = sqlite3.connect(judge.home / "leaderboard.db")
    with db:
        db.execute("INSERT INTO past_results (submission_id, number, finished_ms, replaced_ms, verdict, message, board,"
                   " meaning) VALUES (?, 1, 10, 20, 'wrong_answer', 'secret', 'emu', 'unknown')", (ident,))
    db.close()
    port = judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"]
    past = {"verdict": "wrong_answer", "message": "secret", "board": "emu", "meaning": None, "sizes": "", "time_ns": None,
            "low_ns": None, "high_ns": None, "finished_ms": 10, "replaced_ms": 20}
    path = f"/api/v1/submissions/{ident}"
    assert judge.api("GET", path)[1]["history"] == [past]
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}") as answer:
        assert "history" not in json.load(answer)

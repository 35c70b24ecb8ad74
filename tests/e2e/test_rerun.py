"""`warpjudge rerun`: a judgement is made again with the inputs that it had, from the database alone."""
import json
import sqlite3

from harness import DEMO, ROOT, WAITS


def rerun(judge, ident, status=0):
    return json.loads(judge.cli("rerun", "--json", ident, status=status).stdout)


def test_a_modelled_time_comes_out_the_same(judge):
    judge.start()
    recorded = [judge.wait_done(judge.post(WAITS)) for _ in range(2)]
    assert recorded[0]["samples_ns"] != recorded[1]["samples_ns"], recorded
    for got in recorded:
        again = rerun(judge, got["id"])
        assert again["same"] and again["verdict"] == "accepted", again
        assert again["samples_ns"] == got["samples_ns"], (again, got)
    judge.stop()  # it needs no daemon
    assert "as it was recorded" in judge.cli("rerun", recorded[0]["id"], status=0).stdout
    db = sqlite3.connect(judge.home / "leaderboard.db")
    assert db.execute("SELECT count(*) FROM submissions").fetchone() == (2,)
    db.execute("UPDATE submissions SET seed = (SELECT seed FROM submissions WHERE id = 2)")
    db.commit()
    db.close()
    again = rerun(judge, 1, status=1)
    assert not again["same"] and again["samples_ns"] == recorded[1]["samples_ns"], again


def test_the_staff_reads_what_users_do_not(judge):
    """A wrong timed call, and a hidden test with values that were drawn."""
    judge.start()
    source = (ROOT / "tests/attacks/answer-tells-by-output.cu").read_text()
    got = judge.wait_done(judge.post(source))
    assert got["verdict"] == "wrong_answer" and "31337" not in got["message"], got
    again = rerun(judge, got["id"])
    assert "warm-up 1 (N=1000000): C[4242] is 31337 where" in again["message"], again
    wrong = judge.submit_json(DEMO / "wrong-last.cu", status=1)
    assert rerun(judge, wrong["id"])["message"] == wrong["message"]


def test_what_cannot_be_judged_again(judge):
    def refused(ident):
        return judge.cli("rerun", ident, status=2).stderr

    assert "leaderboard.db cannot be read: unable to open" in refused(1)
    judge.start()
    broken = judge.submit_json(DEMO / "does-not-compile.cu", status=1)
    assert f"submission {broken['id']} has no seed" in refused(broken["id"])
    assert "there is no submission 7 in" in refused(7)
    assert "is not a submission's number" in refused("x")
    judge.stop()
    db = sqlite3.connect(judge.home / "leaderboard.db")
    db.execute("PRAGMA user_version = 4")
    db.close()
    assert "is of an older warpjudge: `warpjudge serve` brings it up to date" in refused(1)

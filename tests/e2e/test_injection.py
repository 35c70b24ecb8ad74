"""The machine fails (base/inject.h): a submission is judged again, or becomes a judge_error that
says why; it is never accepted by accident, never lost and never recorded twice."""
import sqlite3
import time

from harness import DEMO, Held, await_that

BUILD = "asan"

RIGHT = (DEMO / "right.cu").read_text()
WRONG = (DEMO / "wrong-last.cu").read_text()
DAY_MS = 86400000


def start(judge):
    folder = judge.home / "inject"
    folder.mkdir()
    judge.env["WARPJUDGE_INJECT"] = str(folder)
    judge.start("--stay", "1")  # a file says how often something has happened in one process
    return folder


def judged(judge, source=RIGHT):
    """Its arbiter is gone then: one that still leaves may meet what is meant for the next."""
    done = judge.wait_done(judge.post(source))
    judge.let_leave()
    return done


def check_store(judge, count):
    db = sqlite3.connect(judge.home / "leaderboard.db")
    assert db.execute("SELECT count(*), sum(done) FROM submissions").fetchone() == (count, count)
    assert db.execute("SELECT count(*) FROM entries").fetchone() == (1,)
    assert db.execute("SELECT count(DISTINCT n) FROM (SELECT count(*) n FROM samples GROUP BY "
                      "submission_id)").fetchone() == (1,)
    assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    db.close()


def sweep(judge, name, skips):
    """It happens once, at each of these occasions: accepted by the second attempt."""
    folder = start(judge)
    honest = judged(judge)
    assert honest["verdict"] == "accepted" and honest["attempt"] == 1, honest
    for skip in skips:
        (folder / name).write_text(f"{skip}")
        done = judged(judge)
        assert not (folder / name).exists(), f"{name} {skip} did not happen"
        assert done["verdict"] == "accepted" and done["attempt"] == 2, (skip, done)
        assert done["samples_ns"] == honest["samples_ns"], (skip, done)
    return folder


def persistent(judge, folder, name, skip, words):
    """It happens each time: a judge_error that says so, and all is well again afterwards."""
    (folder / name).write_text(f"{skip} always")
    for source in (RIGHT, WRONG):
        done = judged(judge, source)
        assert done["verdict"] == "judge_error" and words in done["message"], done
        assert done["time_ns"] is None and done["rank"] is None, done
    (folder / name).unlink()
    assert judged(judge)["verdict"] == "accepted"
    assert judged(judge, WRONG)["verdict"] == "wrong_answer"


def test_gpu_falls_off_the_bus(judge):
    skips = (0, 3, 10, 30, 60, 100)
    folder = sweep(judge, "gpu-lost", skips)
    persistent(judge, folder, "gpu-lost", 40, "fallen off the bus")
    # On its way to being wrong: that verdict is not believed either.
    (folder / "gpu-lost").write_text("25")
    done = judged(judge, WRONG)
    assert done["verdict"] == "wrong_answer" and done["attempt"] == 2, done
    check_store(judge, 1 + len(skips) + 4 + 1)


def test_driver_missing(judge):
    folder = sweep(judge, "no-driver", (0,))
    persistent(judge, folder, "no-driver", 0, "no NVIDIA driver")
    check_store(judge, 6)


def test_device_gone_after_a_restart(judge):
    start(judge)
    ident = judge.post(RIGHT)
    judge.kill()
    db = sqlite3.connect(judge.home / "leaderboard.db")
    db.execute("UPDATE submissions SET device = 'cuda:7', board = 'NVIDIA T4' WHERE id = ?", (ident,))
    db.commit()
    db.close()
    judge.start()
    done = judge.wait_done(ident)
    assert done["verdict"] == "judge_error" and "cuda:7 is not in this machine" in done["message"], done


def test_arbiter_killed(judge):
    """Among the tests, among the timed calls, before its result is written, and with the result
    written but not said. Once it is said, nothing that becomes of it changes it."""
    folder = start(judge)
    honest = judged(judge)
    tests, steps = len(honest["tests"]), len(honest["tests"]) + len(honest["samples_ns"]) + 2
    occasions = (0, tests // 2, tests - 1, tests, tests + 1, steps - 2, steps - 1)
    for skip in occasions:
        (folder / "arbiter-killed").write_text(f"{skip}")
        done = judged(judge)
        assert done["verdict"] == "accepted" and done["attempt"] == 2, (skip, done)
        assert done["samples_ns"] == honest["samples_ns"] and len(done["tests"]) == tests, done
    (folder / "arbiter-killed").write_text(f"{steps}")
    done = judged(judge)
    assert done["verdict"] == "accepted" and done["attempt"] == 1, done
    assert done["samples_ns"] == honest["samples_ns"] and len(done["tests"]) == tests, done
    (folder / "arbiter-killed").write_text(f"{steps + 1}")
    done = judged(judge)
    assert "after its result warpjudge-arbiter was killed by signal 9" in judge.log.read_text()
    assert done["attempt"] == 1 and (folder / "arbiter-killed").exists(), done
    (folder / "arbiter-killed").write_text("2 always")
    done = judged(judge)
    assert done["verdict"] == "judge_error" and "signal 9" in done["message"], done
    check_store(judge, len(occasions) + 4)


def test_disk_full_while_samples_are_written(judge):
    folder = start(judge)
    (folder / "samples-full").write_text("1 always")
    ident = judge.post(RIGHT)
    await_that(lambda: "disk is full" in judge.api("GET", "/api/health")[1].get("trouble", ""),
               "the disk is full")
    time.sleep(2.5)  # one try more
    assert judge.api("GET", f"/api/submissions/{ident}")[1]["state"] == "running"
    db = sqlite3.connect(judge.home / "leaderboard.db")
    for table in ("samples", "tests", "entries"):
        assert db.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table
    db.close()
    (folder / "samples-full").unlink()
    done = judge.wait_done(ident)
    assert done["verdict"] == "accepted" and done["attempt"] == 1, done
    assert len(done["samples_ns"]) >= 3 and "trouble" not in judge.api("GET", "/api/health")[1]
    # And killed meanwhile: it is judged again from its source.
    (folder / "samples-full").write_text("1 always")
    ident = judge.post(RIGHT)
    await_that(lambda: "trouble" in judge.api("GET", "/api/health")[1], "the disk is full again")
    judge.kill()
    (folder / "samples-full").unlink()
    judge.start()
    assert judge.wait_done(ident)["verdict"] == "accepted"
    check_store(judge, 2)


def test_disk_full_while_the_result_is_written(judge):
    folder = sweep(judge, "result-full", (0,))
    persistent(judge, folder, "result-full", 0, "No space left")
    check_store(judge, 6)


def test_result_torn(judge):
    folder = sweep(judge, "result-torn", (0,))
    persistent(judge, folder, "result-torn", 0, "result.json")
    check_store(judge, 6)


def test_wall_clock_jumps(judge):
    folder = start(judge)
    honest = judged(judge)
    now = honest["created_ms"]
    for name, way in (("clock-forward", 1), ("clock-back", -1)):
        # Not as it is sent, but before its result is stored. The daemon reads the clock for other things, too.
        with Held(judge, "reading-held") as held:
            ident = judge.post(RIGHT)
            held.wait()
            (folder / name).write_text("0")
            held.let()
        done = judge.wait_done(ident)
        assert not (folder / name).exists()
        assert done["verdict"] == "accepted" and done["attempt"] == 1, done
        assert done["samples_ns"] == honest["samples_ns"], done
        took = done["finished_ms"] - done["created_ms"]
        assert took > DAY_MS - 1000 if way > 0 else took == 0, (name, took)
    later = judged(judge, WRONG)
    assert later["verdict"] == "wrong_answer" and abs(later["created_ms"] - now) < DAY_MS / 2, later
    assert judge.stop() == 0


def test_machine_sleeps(judge):
    folder = sweep(judge, "sleep", (1,))
    persistent(judge, folder, "sleep", 0, "slept")
    # Before the judgement it is nothing.
    (folder / "sleep").write_text("0")
    done = judged(judge)
    assert done["verdict"] == "accepted" and done["attempt"] == 1, done
    check_store(judge, 7)


def test_a_process_that_cannot_be_ended(judge):
    folder = sweep(judge, "survivor", (0,))
    persistent(judge, folder, "survivor", 0, "lives on")
    check_store(judge, 6)

"""The next submission is prepared while one is judged. No arbiter does so on emu, so a stand-in
plays one that does, and that judges once (test_stay.py has the other kind). It keeps a diary, asks the database at its "go" what is done, and does what
the submission's source says.

A pause in a plan is a list of what must have happened: "2:start" is that the diary has a start of
submission 2, "2:compiled" that it is compiled, "2:let" that the test has let it go on. A number is
seconds, for what must not happen meanwhile. "2:done" is that the daemon has recorded its result."""
import json
import os
import signal
import sqlite3
import time

from harness import DEMO, await_that
from sse import Reader

RIGHT = (DEMO / "right.cu").read_text()

STAND_IN = r'''#!/usr/bin/env python3
import json, os, re, sqlite3, sys, time
from pathlib import Path

real = Path(__file__).with_name("real-arbiter")
if "--ahead" not in sys.argv and len(sys.argv) == 2 and sys.argv[1] == "--devices":
    os.execv(real, [str(real), "--devices"])
ahead, folder = "--ahead" in sys.argv, Path(sys.argv[-1])
home = Path(os.environ["WARPJUDGE_HOME"])
job = json.loads((folder / "job.json").read_text())
plan = dict(re.findall(r"// (\w+)=(\S+)", (folder / "submission.cu").read_text()))


def write_diary(row):
    """Whole lines only: others read it meanwhile."""
    fd = os.open(home / "diary", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(fd, json.dumps(row).encode() + b"\n")
    os.close(fd)


def recorded():
    db = sqlite3.connect(f"file:{home}/leaderboard.db?mode=ro", uri=True)
    done = [row[0] for row in db.execute("SELECT id FROM submissions WHERE done = 1 ORDER BY id")]
    db.close()
    return done


def note(what):
    write_diary([job["id"], job["attempt"], what, ahead, recorded(), os.getpid()])


def event(**o):
    print(json.dumps(o), flush=True)


def happened(ident, what):
    if what == "compiled":
        return any(folder.parent.glob(f"{ident}-*/compile.json"))
    if what == "done":
        return int(ident) in recorded()
    rows = (home / "diary").read_text().splitlines()
    return any([row[0], row[2]] == [int(ident), what] for row in map(json.loads, rows))


def pause(until):
    for step in until.split(",") if until else ():
        ident, colon, what = step.partition(":")
        if not colon:
            time.sleep(float(step))
        while colon and not happened(ident, what):
            time.sleep(0.02)


note("start")
event(event="preparing")
if ahead and "unprepared" in plan:
    pause(plan["unprepared"])
    sys.exit(5)
if sys.stdin.readline() != "reference\n" or sys.stdin.readline() not in ("go\n", "follow\n"):
    note("leave")
    sys.exit(0)
note("go")
if job["attempt"] == 1 and "room" in plan:
    event(event="room")
pause(plan.get("takes"))
if job["attempt"] == 1 and "measured" in plan:
    note("measured")
    event(event="measured")
    pause(plan["measured"])
if job["attempt"] == 1 and "fails" in plan:
    sys.exit(7)
(folder / "result.json").write_text(json.dumps({
    "format": job["format"], "verdict": plan.get("verdict", "runtime_error"), "message": "played",
    "may_retry": "retry" in plan and job["attempt"] == 1, "board": "emu", "tests": []}))
note("end")
if "silent" not in plan:
    event(event="result")
pause(plan.get("leaves"))
note("gone")
if "dies" in plan:
    os.kill(os.getpid(), 9)
sys.exit(int(plan.get("status", 0)))
'''


def source(**plan):
    return RIGHT + "".join(f"\n// {key}={value}" for key, value in plan.items()) + "\n"


class Played:
    """A daemon whose arbiter is the stand-in."""

    def __init__(self, judge):
        judge.own_build()
        arbiter = judge.prefix / "libexec/warpjudge-arbiter"
        arbiter.rename(arbiter.with_name("real-arbiter"))
        arbiter.write_text(STAND_IN)
        arbiter.chmod(0o755)
        self.judge = judge
        judge.start("--stay", "1")

    def diary(self):
        path = self.judge.home / "diary"
        rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        return [dict(zip(("id", "attempt", "what", "ahead", "done", "pid"), row)) for row in rows]

    def wait(self, ident, what, attempt=1, count=1):
        def found():
            rows = [n for n in self.diary()
                    if (n["id"], n["what"], n["attempt"]) == (ident, what, attempt)]
            return rows[count - 1] if len(rows) >= count else None

        return await_that(found, f"submission {ident}: {what} of attempt {attempt}", self.diary)

    def let(self, ident):
        """Its pause for "ID:let" is over."""
        with open(self.judge.home / "diary", "a") as diary:
            diary.write(json.dumps([ident, 0, "let", False, [], 0]) + "\n")

    def post(self, mode="submit", **plan):
        return self.judge.post(source(**plan), mode=mode)

    def order(self, *wanted):
        """Positions in the diary of (id, what)."""
        rows = [(n["id"], n["what"]) for n in self.diary()]
        places = [rows.index(w) for w in wanted]
        assert places == sorted(places), (wanted, rows)

    def done(self, ident, attempt=1, verdict="runtime_error"):
        answer = self.judge.wait_done(ident)
        assert (answer["verdict"], answer["attempt"]) == (verdict, attempt), answer
        return answer


def test_the_next_one_prepares_and_waits(judge):
    played = Played(judge)
    a, b, c = played.post(room=1, takes="2:start,3:compiled,0.3"), played.post(), played.post()
    started = played.wait(b, "start")
    assert started["ahead"] and started["done"] == [], started
    played.wait(a, "end")
    for ident in (a, b, c):
        played.done(ident)
    played.order((a, "start"), (a, "go"), (b, "start"), (a, "end"), (b, "go"), (b, "end"), (c, "go"))
    # Its result was stored by then; and only the next one was prepared.
    assert played.wait(b, "go")["done"] == [a]
    assert played.wait(c, "go")["done"] == [a, b] and not played.wait(c, "start")["ahead"]
    starts = [n["id"] for n in played.diary() if n["what"] == "start"]
    assert starts == [a, b, c], starts


def test_the_result_ends_a_judgement(judge):
    """Not the process's end: what is prepared is told to go, and only that."""
    played = Played(judge)
    a = played.post(room=1, takes="2:start,3:compiled", leaves="2:done,0.3")  # the daemon may hear of a's end before b's result
    b, c = played.post(room=1, takes="0.3"), played.post()
    for ident in (a, b, c):
        played.done(ident)
    assert played.wait(b, "go")["done"] == [a]
    played.order((b, "start"), (a, "end"), (b, "go"), (b, "end"), (a, "gone"), (c, "start"))
    assert played.wait(c, "start")["done"] == [a, b]


def test_without_that_word_it_is_the_end(judge):
    played = Played(judge)
    a = played.post(room=1, takes="2:start", leaves="0.5", silent=1)
    b, c = played.post(), played.post(silent=1, status=3)
    played.done(a)
    played.order((b, "start"), (a, "end"), (a, "gone"))
    played.done(b)
    played.order((a, "gone"), (b, "go"))
    done = judge.wait_done(c)
    assert done["verdict"] == "judge_error" and "status 3" in done["message"], done


def test_no_end_changes_the_result(judge):
    """An exit status, a signal, and one that does not leave, which is killed."""
    played = Played(judge)
    idents = [played.post(status=9), played.post(dies=1), played.post(leaves="0:let"), played.post()]
    for ident in idents:
        played.done(ident)
    played.wait(idents[3], "gone")
    log = judge.log.read_text()
    for ident, words in zip(idents, ("ended with status 9", "was killed by signal 9",
                                     "ran for too long and was stopped")):
        assert f"submission {ident}: after its result warpjudge-arbiter {words}" in log, log
    assert len([n for n in played.diary() if n["what"] == "start"]) == 4
    assert not [n for n in played.diary() if (n["id"], n["what"]) == (idents[2], "gone")]


def test_a_second_attempt_begins_when_the_first_is_gone(judge):
    played = Played(judge)
    a, b = played.post(room=1, takes="2:start", leaves="0.5", retry=1), played.post()
    assert played.wait(b, "start")["ahead"]
    played.done(a, attempt=2)
    played.done(b)
    rows = [(n["id"], n["attempt"], n["what"]) for n in played.diary()]
    gone, again = rows.index((a, 1, "gone")), rows.index((a, 2, "start"))
    assert gone < again and rows.index((b, 1, "leave")) < again < rows.index((b, 1, "go")), rows


def test_the_next_one_goes_when_one_is_measured(judge):
    """It follows by the GPU lock (tests/unit/test_gpu_lock.c), and a third waits for both."""
    played = Played(judge)
    a = played.post(room=1, takes="2:start,2:compiled", measured="2:go,0.3")
    b, c = played.post(room=1, takes="1:end,3:start"), played.post()
    for ident in (a, b, c):
        played.done(ident)
    played.order((a, "measured"), (b, "go"), (a, "end"), (b, "end"), (c, "go"))
    played.order((a, "gone"), (c, "start"))  # nothing third is prepared beside two


def test_the_wait_for_the_one_before_is_nobodys_use(judge):
    """A's end belongs to what A has used of its device. What follows it has begun then, and uses nothing before A is gone."""
    played = Played(judge)
    a = played.post(room=1, takes="2:start", measured="2:go,1:let")
    b = played.post(takes="2:let,0.2")
    played.wait(b, "go")
    begun = time.monotonic()
    time.sleep(1.5)
    held_ms, until = (time.monotonic() - begun) * 1000, time.monotonic()
    played.let(a)
    pid = played.wait(a, "gone")["pid"]
    await_that(lambda: not os.path.exists(f"/proc/{pid}"), "the daemon knows that A is gone")
    played.let(b)
    for ident in (a, b):
        played.done(ident)
    most_ms = (time.monotonic() - until) * 1000
    db = sqlite3.connect(judge.home / "leaderboard.db")
    used = dict(db.execute("SELECT id, device_ms FROM submissions"))
    db.close()
    assert used[a] >= int(held_ms) and 0 < used[b] <= most_ms, (used, held_ms, most_ms)


def test_only_one_that_is_prepared_follows(judge):
    played = Played(judge)
    a = played.post(takes="2:compiled", measured="0.5")
    b = played.post()
    for ident in (a, b):
        played.done(ident)
    played.order((a, "measured"), (a, "gone"), (b, "start"))


def test_one_that_is_cancelled_after_it_was_measured_ends_by_itself(judge):
    """Else the one that follows it would not know whether it has left a process."""
    played = Played(judge)
    a = played.post(room=1, takes="2:start", measured="2:go,1:let")
    b = played.post(takes="1:gone")
    played.wait(b, "go")
    assert judge.api("POST", f"/api/submissions/{a}/cancel", {})[0] == 200
    played.let(a)
    played.done(b)
    played.done(a, verdict="cancelled")
    played.order((a, "end"), (a, "gone"), (b, "end"))


def test_one_that_fails_after_it_was_measured_is_judged_alone(judge):
    played = Played(judge)
    a = played.post(room=1, takes="2:start", measured="2:go", fails=1)
    b, c = played.post(room=1, takes="0.3"), played.post()
    played.wait(a, "go", attempt=2)
    rows = [(n["id"], n["attempt"], n["what"]) for n in played.diary()]
    assert rows.index((b, 1, "gone")) < rows.index((a, 2, "go")), rows
    for ident, attempt in ((a, 2), (b, 1), (c, 1)):
        played.done(ident, attempt)


def test_killed_while_it_leaves(judge):
    played = Played(judge)
    a, b = played.post(room=1, takes="2:start", leaves="0:let"), played.post(takes="2:let")
    played.wait(b, "go")
    played.done(a)
    judge.kill()
    played.let(b)
    judge.start("--stay", "1")
    played.done(b)
    db = sqlite3.connect(judge.home / "leaderboard.db")
    assert db.execute("SELECT count(*), sum(done) FROM submissions").fetchone() == (2, 2)
    db.close()
    assert len([n for n in played.diary() if n["id"] == a]) == 3, played.diary()


def test_nothing_is_prepared_without_room(judge):
    played = Played(judge)
    a, b = played.post(takes="2:compiled,0.3"), played.post()
    for ident in (a, b):
        played.done(ident)
    played.order((a, "end"), (b, "start"), (b, "go"))
    # As on emu: with the arbiter that is shipped.
    assert not any(n["ahead"] for n in played.diary())


def test_it_dies_while_it_waits(judge):
    played = Played(judge)
    a, b = played.post(room=1, takes="1:let,0.3"), played.post()
    pid = played.wait(b, "start")["pid"]
    os.kill(pid, signal.SIGKILL)
    await_that(lambda: not os.path.exists(f"/proc/{pid}"), "the daemon knows that B is gone")
    played.let(a)
    played.done(a)
    played.done(b)
    again = played.wait(b, "start", count=2)
    assert not again["ahead"] and again["done"] == [a], again


def test_it_cannot_prepare_beside(judge):
    """At once, or only when it has been told to go."""
    played = Played(judge)
    a, b = played.post(room=1, takes="2:start,0.5"), played.post(unprepared="0.1")
    c = played.post(room=1, takes="4:start")
    d = played.post(unprepared="3:gone,0.3")
    for ident in (a, b, c, d):
        played.done(ident)
    for first, second in ((a, b), (c, d)):
        starts = [n for n in played.diary() if (n["id"], n["what"]) == (second, "start")]
        assert [n["ahead"] for n in starts] == [True, False], starts
        assert starts[0]["done"] == list(range(1, first)) and first in starts[1]["done"], starts


def test_the_first_dies_while_it_waits(judge):
    """The second attempt has the device to itself."""
    played = Played(judge)
    a, b = played.post(room=1, takes="2:start", fails=1), played.post()
    assert played.wait(b, "start")["ahead"]
    played.done(a, attempt=2)
    played.done(b)
    assert played.wait(b, "leave")["done"] == []
    played.order((b, "leave"), (a, "end"))
    again = played.wait(a, "go", attempt=2)
    left = played.wait(b, "leave")
    rows = played.diary()
    assert rows.index(left) < rows.index(again), rows
    second = played.wait(b, "start", count=2)
    assert not second["ahead"] and second["done"] == [a], second


def test_one_that_does_not_compile_leaves(judge):
    played = Played(judge)
    a = played.post(room=1, takes="1:let")
    played.wait(a, "go")
    b = judge.post("extern \"C\" void solve(const float *A) { nonsense }\n")
    c = played.post()
    assert judge.wait_done(b)["verdict"] == "compile_error"
    assert played.wait(c, "start")["done"] == [b]  # it is the next one now
    played.let(a)
    played.done(a)
    played.done(c)
    assert not [n for n in played.diary() if n["id"] == b and n["what"] == "go"]


def test_daemon_killed_while_it_waits(judge):
    played = Played(judge)
    a, b = played.post(room=1, takes="1:let"), played.post()
    played.wait(b, "start")
    judge.kill()
    played.let(a)
    judge.start("--stay", "1")
    played.done(a)
    played.done(b)
    db = sqlite3.connect(judge.home / "leaderboard.db")
    assert db.execute("SELECT count(*), sum(done) FROM submissions").fetchone() == (2, 2)
    db.close()


def test_watchers_see_nothing_of_it(judge):
    """The same as of one that is not prepared ahead, but for how often it hears of its place.
    The stream of all is opened first, so that it tells every state."""
    played, seen = Played(judge), []
    with Reader(judge, "/api/v1/events") as reader:
        for plan in ({"room": 1, "takes": "2:start,2:compiled,1:let"}, {"takes": "4:compiled,3:let"}):
            a, b = played.post(**plan), played.post(takes="0.1")
            states, end = [], set()
            while end != {a, b}:
                name, data, _ = reader.event()
                if name == "done":
                    end.add(data["submission"])
                if name in ("state", "done") and data["submission"] == b:
                    states.append(data["state"])
                    if states[-1] == "waiting":  # the daemon has heard that it is compiled
                        played.let(a)
            states = list(dict.fromkeys(states))
            seen.append(states[states[0] == "queued":])  # whether that is told is a matter of moments
    assert seen[0] == seen[1] and seen[0] == ["compiling", "waiting", "running", "done"], seen
    assert [n["ahead"] for n in played.diary() if n["what"] == "start"] == [False, True, False, False]

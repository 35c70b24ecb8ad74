"""An arbiter that stays judges one submission after another. Nothing of one reaches the next: not its
verdict, not its modelled time, not a byte. What was odd ends the arbiter, and its death is the judge's
failure. A stand-in plays what no real one does."""
import json
import os
import re
import signal
from pathlib import Path

from attacks import FOLDER
from harness import DEMO, ROOT, SEED, TRIES, await_that, command_of, header, slow_once

RIGHT = (DEMO / "right.cu").read_text()
OUT_OF_BOUNDS = (DEMO / "out-of-bounds.cu").read_text()
WRONG = (DEMO / "wrong-last.cu").read_text()

# Each leaves something behind, or looks for what another has left, and is right all the same.
POISON = """answer-left-on-device-1 answer-left-on-device-2 process-leaves-files-1 process-leaves-files-2
    answer-in-pages-1 answer-in-pages-2 answer-left-on-device-2 answer-in-pages-2 process-leaves-files-2""".split()
# Each changes its own process, sandbox or device in a way that outlives solve().
STRANGE = """clock-l2-persisting process-limits process-idle-priority clock-own-context
    answer-cached-by-pointer""".split()
MIX = ("softmax/4-float4 reduction/5-many-each matrix-transpose/4-four-each prefix-sum/4-whole-gpu "
       "histogramming/3-int4 softmax/maximum-from-zero").split()


def arbiters(judge):
    """Ids of the daemon's arbiters."""
    found = Path(f"/proc/{judge.daemon.pid}/task/{judge.daemon.pid}/children").read_text().split()
    return [int(pid) for pid in found if command_of(int(pid)).endswith("warpjudge-arbiter")]


def idle(judge):
    """The only arbiter, once nothing is judged."""
    judge.let_leave()
    return await_that(lambda: len(arbiters(judge)) == 1 and arbiters(judge)[0], "one idle arbiter")


def judged(judge, source, problem="vector-addition", **more):
    return judge.wait_done(judge.post(source, problem, **more))


def attack(judge, stem):
    path = FOLDER / f"{stem}.cu"
    got = judged(judge, path.read_text(), header(path, "warpjudge"))
    assert got["verdict"] in [e.split()[0] for e in header(path, "expect").split("|")], (stem, got)
    return got


def essence(got):
    """What must be the same whichever arbiter judges: everything but when, and where it ranks."""
    return {key: got.get(key) for key in ("verdict", "message", "time_ns", "low_ns", "high_ns", "samples_ns",
                                          "tests", "counters", "notices", "attempt", "meaning")}


def test_one_judges_many(judge):
    judge.start()
    assert judged(judge, RIGHT)["verdict"] == "accepted"
    first = idle(judge)
    for source, verdict in ((WRONG, "wrong_answer"), (RIGHT, "accepted"), ("nonsense", "compile_error")):
        assert judged(judge, source)["verdict"] == verdict
        assert idle(judge) == first
    assert judged(judge, OUT_OF_BOUNDS)["verdict"] == "runtime_error"
    await_that(lambda: not arbiters(judge), "the end of one that has met something odd")
    assert judged(judge, RIGHT)["verdict"] == "accepted" and idle(judge) != first


NOTED_ARBITER = """#!/bin/sh
[ "$1" = --devices ] || echo $$ >> "$WARPJUDGE_HOME/begun"
exec "$0-real" "$@"
"""


def note_arbiters(judge):
    """Each arbiter notes that it begins: one that ends soon nobody may see while it lives."""
    judge.play("warpjudge-arbiter", NOTED_ARBITER)


def begun(home):
    """How many arbiters have begun."""
    return len((home / "begun").read_text().split())


def test_it_ends_after_so_many(judge):
    note_arbiters(judge)
    judge.start("--stay", "2")
    for count in (1, 1, 2, 2, 3):
        assert judged(judge, RIGHT)["verdict"] == "accepted"
        assert begun(judge.home) == count
    assert judged(judge, "nonsense")["verdict"] == "compile_error"  # what is dropped counts
    assert judged(judge, RIGHT)["verdict"] == "accepted"
    assert begun(judge.home) == 4


def test_once_is_a_process_for_each(judge):
    judge.start("--stay", "1")
    for _ in range(2):
        assert judged(judge, RIGHT)["verdict"] == "accepted"
        judge.let_leave()
        assert not arbiters(judge)


def test_the_same_comes_out(judge):
    """Judged alone, and in two orders by one arbiter, with the same inputs: all is equal, to the last digit."""
    rows = [(path.parent.name, path.read_text()) for path in (ROOT / "solutions" / f"{name}.cu" for name in MIX)]
    judge.start("--seed", SEED, "--stay", "1")
    once = [essence(judged(judge, source, problem)) for problem, source in rows]
    judge.let_leave()
    assert not arbiters(judge) and judge.stop() == 0
    judge.start("--seed", SEED)
    first = None
    for order in (range(len(rows)), reversed(range(len(rows)))):
        for i in order:
            got = essence(judged(judge, rows[i][1], rows[i][0]))
            assert got == once[i], (MIX[i], got, once[i])
            first = first or idle(judge)
    assert idle(judge) == first


def test_poison(judge):
    """What one leaves in memory, in files and on the device is not there for the next."""
    judge.start("--seed", SEED)
    honest = essence(judged(judge, (FOLDER / "honest.cu").read_text()))
    first = idle(judge)
    for stem in POISON:
        assert attack(judge, stem)["verdict"] == "accepted", stem
        assert idle(judge) == first, stem
    assert essence(judged(judge, (FOLDER / "honest.cu").read_text())) == honest
    assert idle(judge) == first


def test_strange_neighbours(judge):
    """The one after them has the verdict and the modelled time that it has alone."""
    judge.start("--seed", SEED)
    honest = (FOLDER / "honest.cu").read_text()
    alone = essence(judged(judge, honest))
    for stem in STRANGE:
        attack(judge, stem)
        assert essence(judged(judge, honest)) == alone, stem


# It passes on what the compiler says of the reference, or says nothing, until the test lets it end.
HELD_COMPILER = r'''#!/bin/sh
"$0-real" "$@" | grep --line-buffered "$(cat "$WARPJUDGE_HOME/passed")"
: > "$1/asked"
read -r line < "$WARPJUDGE_HOME/hold"
exec "$0-real" "$@"
'''


def hold_compiler(judge):
    judge.play("warpjudge-compile", HELD_COMPILER)
    os.mkfifo(judge.home / "hold")


def held(judge):
    """Posts one whose compiler is held."""
    ident = judge.post(RIGHT)
    await_that(lambda: list((judge.home / "jobs").glob(f"{ident}-1-*/asked")), "its compiler is held")
    return ident


def go_on(judge):
    (judge.home / "hold").write_text("\n")


def test_dropped_while_it_prepares(judge):
    """One whose submission is cancelled stays, whether the reference was there or not. The next one comes out as ever."""
    hold_compiler(judge)
    judge.start("--seed", SEED)
    (judge.home / "passed").write_text("reference")

    def finish():
        ident = held(judge)
        go_on(judge)
        return essence(judge.wait_done(ident))

    alone, first = finish(), idle(judge)
    assert alone["verdict"] == "accepted", alone
    for passed in ("reference", "nothing"):
        (judge.home / "passed").write_text(passed)
        for _ in range(3):
            ident = held(judge)
            assert arbiters(judge) == [first]
            assert judge.api("POST", f"/api/submissions/{ident}/cancel", {})[0] == 200
            assert idle(judge) == first
        assert finish() == alone and idle(judge) == first


def test_dropped_after_a_failure(judge):
    """A preparation that had failed is odd: its arbiter ends, and another begins."""
    folder = judge.home / "inject"
    folder.mkdir()
    judge.env["WARPJUDGE_INJECT"] = str(folder)
    judge.start()
    assert judged(judge, RIGHT)["verdict"] == "accepted"
    first = idle(judge)
    (folder / "no-driver").write_text("0")
    assert judged(judge, "nonsense")["verdict"] == "compile_error"
    await_that(lambda: not arbiters(judge), "the end of one whose device could not be opened")
    assert not (folder / "no-driver").exists()
    got = judged(judge, RIGHT)
    assert (got["verdict"], got["attempt"]) == ("accepted", 1) and idle(judge) != first, got


def ends(judge):
    """How many killed arbiters the daemon has heard of: what judged, what was done and what was idle."""
    return len(re.findall("arbiter (?:of emu )?was killed by signal 9", judge.log.read_text()))


def test_killed_while_it_judges(judge):
    """It is a failure of the judge's: a second attempt, by a process that has judged nothing."""
    judge.start()
    for _ in range(TRIES):  # on a busy machine it may be judged before its arbiter is killed
        assert judged(judge, RIGHT)["verdict"] == "accepted"
        first = idle(judge)
        ident = judge.post(slow_once(RIGHT, 3))
        await_that(lambda i=ident: judge.api("GET", f"/api/submissions/{i}")[1]["state"] in ("running", "done"), "it is judged")
        assert arbiters(judge) == [first]
        killed = ends(judge)
        os.kill(first, signal.SIGKILL)
        got = judge.wait_done(ident)
        # Where it was idle by then, the next one might else be given to it.
        await_that(lambda n=killed: ends(judge) > n, "the daemon hears of its end")
        if got["attempt"] > 1:
            break
    assert (got["verdict"], got["attempt"]) == ("accepted", 2), got
    judge.let_leave()
    await_that(lambda: not arbiters(judge), "the end of one that has judged a second attempt")
    assert judged(judge, RIGHT)["attempt"] == 1


def test_killed_while_it_is_idle(judge):
    judge.start()
    assert judged(judge, RIGHT)["verdict"] == "accepted"
    os.kill(idle(judge), signal.SIGKILL)
    await_that(lambda: "an idle arbiter of emu was killed by signal 9" in judge.log.read_text(), "the daemon hears of it")
    got = judged(judge, RIGHT)
    assert (got["verdict"], got["attempt"]) == ("accepted", 1), got


def test_as_many_as_the_device_is_wide(judge):
    judge.start("--emu", "2")
    for _ in range(TRIES):  # on a busy machine one may be judged before the next one is there
        idents = [judge.post(slow_once(RIGHT, 1)) for _ in range(4)]
        for ident in idents:
            assert judge.wait_done(ident)["verdict"] == "accepted"
        judge.let_leave()
        assert len(arbiters(judge)) <= 2
        if len(arbiters(judge)) == 2:
            return
    raise AssertionError("one arbiter judged all")


# --- what no real arbiter does ------------------------------------------------------------

STAND_IN = r'''#!/usr/bin/env python3
import json, os, re, sys, time
from pathlib import Path

if sys.argv[1] == "--devices":
    real = Path(__file__).with_name("real-arbiter")
    os.execv(real, [str(real), "--devices"])
home = Path(os.environ["WARPJUDGE_HOME"])


def say(event, fence):
    print(json.dumps({"event": event} | ({"job": fence} if fence else {})), flush=True)


def note(*row):
    fd = os.open(home / "diary", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(fd, json.dumps([os.getpid(), *row]).encode() + b"\n")
    os.close(fd)


def finish(folder, job, verdict):
    (folder / "result.json").write_text(json.dumps({
        "format": job["format"], "verdict": verdict, "message": "played", "may_retry": False, "board": "emu", "tests": []}))


def judge(fence, how, folder, last):
    end = f" {fence}\n" if fence else "\n"
    job = json.loads((folder / "job.json").read_text())
    plan = dict(re.findall(r"// (\w+)=(\S+)", (folder / "submission.cu").read_text()))
    if "mute" in plan and last:  # it ends as one does that was idle, before the daemon has told it all or after
        while plan["mute"] == "late" and sys.stdin.readline() != "go" + end:
            pass
        os.kill(os.getpid(), 9)
    say("preparing", fence)
    note(job["id"], job["attempt"], how)
    for word in ("reference", "go"):
        line = sys.stdin.readline()
        while fence and line and not line.endswith(end):  # an earlier one has left it unread
            line = sys.stdin.readline()
        if line == "drop" + end and "deaf" in plan:
            note(job["id"], job["attempt"], "deaf")
            time.sleep(3600)
        if line == "drop" + end and "dies" in plan:
            os.kill(os.getpid(), 9)
        if line == "drop" + end:
            note(job["id"], job["attempt"], "dropped")
            say("idle", fence)
            return
        if line != word + end and (word, line) != ("go", "follow" + end):
            sys.exit(0)
    if "until" in plan:
        say("room", fence)
        while not (home / plan["until"]).exists():
            time.sleep(0.02)
    if "room" in plan:
        say("room", fence)
        while sum(json.loads(row)[1] == int(plan["room"]) for row in (home / "diary").read_text().splitlines()) == 0:
            time.sleep(0.02)
    if "stale" in plan:  # what it has said already, and nothing of this judgement
        for event in ("test", "result", "idle"):
            say(event, last)
            say(event, None)
        say("idle", fence)
        time.sleep(0.3)
    if "dies" in plan and job["attempt"] == 1:
        os.kill(os.getpid(), 9)
    finish(folder, job, "wrong_answer")
    say("result", fence)
    while "gives" in plan and not (home / plan["gives"]).exists():  # everything back
        time.sleep(0.02)
    if "leaves" in plan:
        sys.exit(0)
    if fence:
        say("idle", fence)
    if "babbles" in plan:
        say("result", fence)


if sys.argv[1] == "--stay":
    last = None
    for line in sys.stdin:
        if not line.startswith("job "):
            continue
        _, fence, how, folder = line.rstrip("\n").split(" ", 3)
        judge(fence, how, Path(folder), last)
        last = fence
else:
    judge(None, "once", Path(sys.argv[-1]), None)
'''


class Played:
    def __init__(self, judge):
        judge.own_build()
        arbiter = judge.prefix / "libexec/warpjudge-arbiter"
        arbiter.rename(arbiter.with_name("real-arbiter"))
        arbiter.write_text(STAND_IN)
        arbiter.chmod(0o755)
        self.judge, self.home = judge, judge.home
        self.start()

    def start(self):
        self.judge.start()

    def post(self, **plan):
        return self.judge.post(RIGHT + "".join(f"\n// {key}={value}" for key, value in plan.items()) + "\n")

    def done(self, ident, attempt=1):
        got = self.judge.wait_done(ident)
        assert (got["verdict"], got["attempt"], got["message"]) == ("wrong_answer", attempt, "played"), got

    def diary(self):
        """[pid, id, attempt, how] of each judgement that has begun."""
        path = self.home / "diary"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_two_take_turns(judge):
    """One judges while the other prepares. Both stay."""
    played = Played(judge)
    idents = [played.post(**({"room": n + 1} if n < 6 else {})) for n in range(1, 7)]
    for ident in idents:
        played.done(ident)
    rows = played.diary()
    assert [row[1] for row in rows] == idents, rows
    assert [row[3] for row in rows] == ["alone"] + 5 * ["ahead"], rows
    assert len({row[0] for row in rows}) == 2 and all(a[0] != b[0] for a, b in zip(rows, rows[1:])), rows


def test_lines_of_another_judgement(judge):
    """They are not followed: an old result counts for nothing, and neither does "idle" before a result."""
    played = Played(judge)
    a, b, c = played.post(), played.post(stale=1), played.post()
    for ident in (a, b, c):
        played.done(ident)
    assert len({row[0] for row in played.diary()}) == 1, played.diary()
    assert judge.log.read_text().count("is of another judgement") == 6, judge.log.read_text()


def test_one_that_does_not_stay(judge):
    played = Played(judge)
    a, b = played.post(leaves=1), played.post()
    played.done(a)
    played.done(b)
    assert len({row[0] for row in played.diary()}) == 2, played.diary()


def test_one_that_ends_before_it_begins(judge):
    """It was idle until then: the next submission loses no attempt by it, and the log tells of it."""
    played = Played(judge)
    for mute in ("soon", "late"):
        played.done(played.post())
        ident = played.post(mute=mute)
        played.done(ident)
        assert f"submission {ident}: before it began warpjudge-arbiter was killed by signal 9" in judge.log.read_text()
    rows = played.diary()
    assert [row[1:] for row in rows] == [[n, 1, "alone"] for n in (1, 2, 3, 4)], rows
    assert rows[0][0] != rows[1][0] == rows[2][0] != rows[3][0], rows


def test_one_that_talks_while_it_is_idle(judge):
    """It is told to leave, and judges nothing more."""
    played = Played(judge)
    played.done(played.post(babbles=1))
    await_that(lambda: "an idle arbiter of emu said" in judge.log.read_text(), "the line is noticed")
    played.done(played.post())
    assert len({row[0] for row in played.diary()}) == 2, played.diary()


def test_a_second_attempt_has_no_idle_neighbour(judge):
    played = Played(judge)
    a, b = played.post(room=2), played.post(dies=1)
    played.done(a)
    played.done(b, attempt=2)
    rows = played.diary()
    assert [row[1:] for row in rows] == [[a, 1, "alone"], [b, 1, "ahead"], [b, 2, "once"]], rows
    judge.let_leave()
    await_that(lambda: not [p for p in (row[0] for row in rows) if os.path.exists(f"/proc/{p}")], "they have left")


def test_dropped_beside_another(judge):
    """Its arbiter prepares the next one beside the same neighbour. One that dies of it, or does not answer, does not."""
    played = Played(judge)
    first = played.post(until="let")

    def begins(ident):
        return await_that(lambda: [row for row in played.diary() if row[1] == ident], f"{ident} is prepared")[0]

    def cancel(ident):
        assert judge.api("POST", f"/api/submissions/{ident}/cancel", {})[0] == 200

    pids = [begins(first)[0]]
    for plan in ({}, {}, {"dies": 1}, {"deaf": 1}, {}):
        ident = played.post(**plan)
        row = begins(ident)
        assert row[3] == "ahead", row
        pids.append(row[0])
        cancel(ident)
    last = played.post()
    pids.append(begins(last)[0])
    (judge.home / "let").touch()
    played.done(first)
    played.done(last)
    assert pids[1] == pids[2] == pids[3] and pids[5] == pids[6] and len(set(pids)) == 4, pids
    log = judge.log.read_text()
    for ident, words in ((4, "was killed by signal 9"), (5, "ran for too long and was stopped")):
        assert f"submission {ident}: told to drop it, warpjudge-arbiter {words}" in log, log
    assert [row[1:] for row in played.diary() if row[3] == "dropped"] == [[2, 1, "dropped"], [3, 1, "dropped"], [6, 1, "dropped"]]

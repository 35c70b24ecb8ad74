"""A worker's arbiter stays from one lease to the next, as the daemon's do: what test_stay.py says of those holds for
it. It has ended before its GPU is another's."""
import os
import re
import signal
import time
from pathlib import Path

from attacks import FOLDER
from harness import DEMO, LONG_CALL_S, ROOT, SEED, TRIES, await_that, command_of, processes_with, slow_once
from test_devices import ONE, TWO, await_begin, let, notes
from test_stay import (MIX, OUT_OF_BOUNDS, POISON, STRANGE, Played, attack, begun, essence, judged,
                       note_arbiters)
from test_two_gpu_workers import BOARD, done, node, post, stand_in
from test_workers import SHORT_LEASE, Cluster

BUILD = "release"
RIGHT = (DEMO / "right.cu").read_text()
WRONG = (DEMO / "wrong-last.cu").read_text()


def children(pid):
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def arbiters(worker):
    """Ids of the arbiters of a worker's devices: of its own process, and of those that it has started for several."""
    pid = worker.process.pid
    of = [pid, *(c for c in children(pid) if command_of(c).endswith("/warpjudge"))]
    return [c for p in of for c in children(p) if command_of(c).endswith("warpjudge-arbiter")]


def only(worker):
    found = arbiters(worker)
    assert len(found) == 1, found
    return found[0]


def await_none(worker, why):
    await_that(lambda: not arbiters(worker), why, worker.log.read_text)


def jobs(worker):
    return list((worker.home / "worker/jobs").iterdir())


def one(judge, *args, **more):
    """A judge that judges nothing itself, and its only worker."""
    cluster = Cluster(judge, *args, **more)
    worker = cluster.worker("--device", "emu")
    cluster.await_workers(1)
    return cluster, worker


def test_one_judges_many(judge):
    cluster, worker = one(judge)
    with cluster:
        assert judged(judge, RIGHT)["verdict"] == "accepted"
        first = only(worker)
        for source, verdict in ((WRONG, "wrong_answer"), (RIGHT, "accepted"), ("nonsense", "compile_error"), (RIGHT, "accepted")):
            got = judged(judge, source)
            assert (got["verdict"], got["attempt"]) == (verdict, 1), got
            assert only(worker) == first
        await_that(lambda: not jobs(worker), "all folders are removed")
        assert judged(judge, OUT_OF_BOUNDS)["verdict"] == "runtime_error"
        await_none(worker, "the end of one that has met something odd")
        assert judged(judge, RIGHT)["verdict"] == "accepted" and only(worker) != first
        # Nobody needs it for a while, and the worker waits on.
        await_none(worker, "the end of one that was idle for long")
        assert judged(judge, RIGHT)["verdict"] == "accepted" and worker.process.poll() is None


# It takes as long as the test says.
HELD_COMPILER = """#!/bin/sh
while [ -e "$WARPJUDGE_HOME/held" ]; do sleep 0.1; done
exec "$0-real" "$@"
"""


def test_a_long_compilation_is_work(judge):
    """The arbiter waits for what is compiled, however long that takes, and its time begins anew after it."""
    idle_s = int(re.search(r"#define ARBITER_IDLE_S (\d+)", (ROOT / "judge/record/job.h").read_text())[1])
    judge.play("warpjudge-compile", HELD_COMPILER)
    cluster, worker = one(judge)
    with cluster:
        assert judged(judge, RIGHT)["verdict"] == "accepted"
        await_that(lambda: not jobs(worker), "it is idle")
        first = only(worker)
        for source, verdict in (("nonsense", "compile_error"), (RIGHT, "accepted")):
            (worker.home / "held").touch()
            ident = judge.post(source)
            await_that(lambda: jobs(worker), "it is compiled")
            begun = time.monotonic()
            await_that(lambda t=begun: time.monotonic() > t + idle_s, "the arbiter has had nothing to judge for long")
            (worker.home / "held").unlink()
            assert judge.wait_done(ident)["verdict"] == verdict
            await_that(lambda: not jobs(worker), "the worker has looked after its arbiter")
            assert only(worker) == first


def test_as_many_as_the_daemon_says(judge):
    note_arbiters(judge)
    cluster, worker = one(judge, "--stay", "2")
    with cluster:
        for count in (1, 1, 2, 2, 3):
            assert judged(judge, RIGHT)["verdict"] == "accepted"
            assert begun(worker.home) == count


def test_once_is_a_process_for_each(judge):
    cluster, worker = one(judge, "--stay", "1")
    with cluster:
        for _ in range(2):
            assert judged(judge, RIGHT)["verdict"] == "accepted"
            assert not arbiters(worker)


def test_the_same_comes_out(judge):
    """Judged once each, and in two orders by one arbiter, with the same inputs: all is equal, to the last digit."""
    rows = [(path.parent.name, path.read_text()) for path in (ROOT / "solutions" / f"{name}.cu" for name in MIX)]
    cluster, worker = one(judge, "--seed", SEED, "--stay", "1")
    with cluster:
        once = [essence(judged(judge, source, problem)) for problem, source in rows]
        assert not arbiters(worker)
    judge.stop()
    cluster, worker = one(judge, "--seed", SEED)
    with cluster:
        first = None
        for order in (range(len(rows)), reversed(range(len(rows)))):
            for i in order:
                got = essence(judged(judge, rows[i][1], rows[i][0]))
                assert got == once[i], (MIX[i], got, once[i])
                first = first or only(worker)
        assert only(worker) == first


def test_poison_and_strange_neighbours(judge):
    """What one leaves in memory, in files and on the device is not there for the next. What one changes of itself changes no
    other's verdict and time."""
    honest = (FOLDER / "honest.cu").read_text()
    cluster, worker = one(judge, "--seed", SEED)
    with cluster:
        alone = essence(judged(judge, honest))
        first = only(worker)
        for stem in POISON:
            assert attack(judge, stem)["verdict"] == "accepted", stem
            assert only(worker) == first, stem
        assert essence(judged(judge, honest)) == alone and only(worker) == first
        for stem in STRANGE:
            attack(judge, stem)
            assert essence(judged(judge, honest)) == alone, stem


def test_killed_while_it_judges(judge):
    """It is a failure of the worker's: the attempt is given back, and a process that has judged nothing judges another."""
    cluster, worker = one(judge)
    with cluster:
        for _ in range(TRIES):  # on a busy machine it may be judged before its arbiter is killed
            assert judged(judge, RIGHT)["verdict"] == "accepted"
            await_that(lambda: not jobs(worker), "it is idle")
            first, kept = only(worker), len(children(only(worker)))
            ident = judge.post(slow_once(RIGHT, 3))
            # One that has not begun with it yet counts as idle.
            await_that(lambda f=first, k=kept, i=ident: len(children(f)) > k or
                       judge.api("GET", f"/api/submissions/{i}")[1]["state"] == "done", "it judges", cluster.text)
            os.kill(first, signal.SIGKILL)
            got = judge.wait_done(ident)
            if got["attempt"] > 1:
                break
        assert (got["verdict"], got["attempt"]) == ("accepted", 2), got
        assert "warpjudge-arbiter was ended by signal 9" in judge.log.read_text()
        assert not arbiters(worker)  # a second attempt has one of its own
        assert judged(judge, RIGHT)["attempt"] == 1 and only(worker) != first


def test_cancelled_while_it_judges(judge):
    judge.allow_long_calls()
    cluster, worker = one(judge, lease=SHORT_LEASE)  # it hears of it by a heartbeat
    with cluster:
        assert judged(judge, RIGHT)["verdict"] == "accepted"
        first = only(worker)
        ident = judge.post(slow_once(RIGHT, LONG_CALL_S))
        await_that(lambda: judge.api("GET", f"/api/submissions/{ident}")[1]["state"] == "running", "it is judged", cluster.text)
        assert judge.api("POST", f"/api/submissions/{ident}/cancel", {})[0] == 200
        got = judged(judge, RIGHT)
        assert (got["verdict"], got["attempt"]) == ("accepted", 1) and only(worker) != first, got


def test_killed_while_it_is_idle(judge):
    cluster, worker = one(judge)
    with cluster:
        for _ in range(2):
            assert judged(judge, RIGHT)["verdict"] == "accepted"
            await_that(lambda: not jobs(worker), "it is idle")
            first = only(worker)
            os.kill(first, signal.SIGKILL)
        got = judged(judge, RIGHT)
        assert (got["verdict"], got["attempt"]) == ("accepted", 1) and only(worker) != first, got
        text = worker.log.read_text()
        assert text.count("an idle arbiter of emu: ") == 2 and text.count("was ended by signal 9") == 2, text


def test_the_worker_ends_while_it_is_idle(judge):
    """By SIGTERM or SIGKILL: nothing of it is left."""
    with Cluster(judge, lease=SHORT_LEASE) as cluster:
        for number, status in ((signal.SIGTERM, 0), (signal.SIGKILL, -signal.SIGKILL)):
            worker = cluster.worker("--device", "emu")
            assert judged(judge, RIGHT)["verdict"] == "accepted"
            idle = only(worker)
            worker.kill(number)
            assert worker.end() == status, worker.log.read_text()
            await_that(lambda: command_of(idle) == "" and not processes_with(worker.home), "the end of all that it had")


def test_without_a_sandbox(judge):
    judge.env["WARPJUDGE_IDS"] = "none"
    cluster = Cluster(judge, "--insecure-no-sandbox")
    with cluster:
        worker = cluster.worker("--device", "emu", "--insecure-no-sandbox")
        cluster.await_workers(1)
        assert judged(judge, RIGHT)["verdict"] == "accepted"
        first = only(worker)
        got = judged(judge, WRONG)
        assert got["verdict"] == "wrong_answer" and got["insecure"] and only(worker) == first, got


# --- two GPUs -----------------------------------------------------------------------------


def test_it_leaves_its_gpu_to_another(judge):
    """A problem for two GPUs begins when the idle arbiters of both have ended, which only their own processes can end."""
    stand_in(judge)
    with Cluster(judge) as cluster:
        pair = node(cluster, BOARD, BOARD)
        for turn in range(3):
            ones = [post(judge, ONE, f"both-{turn}") for _ in range(2)]
            for ident in ones:
                await_begin(pair, ident)
            let(pair, f"both-{turn}")
            done(judge, ones)
            assert len({n["pid"] for n in notes(pair) if command_of(n["pid"])}) == 2, notes(pair)
            done(judge, [post(judge, TWO, 0)])
        begun = [n for n in notes(pair) if n["what"] == "begin"]
        assert not any(n["beside"] or n["idle"] for n in begun), begun
        twos = [n["pid"] for n in begun if len(n["gpus"]) == 2]
        assert len(set(twos)) == 3 and not set(twos) & {n["pid"] for n in begun if len(n["gpus"]) == 1}, begun
        assert len({n["pid"] for n in begun}) == 9, begun
        log = pair.log.read_text()
        assert "arbiter" not in log, log


# --- what no real arbiter does ------------------------------------------------------------


class PlayedByWorker(Played):
    """A worker has the stand-in in its arbiter's place."""

    def start(self):
        self.cluster, self.worker = one(self.judge)
        self.home = self.worker.home

    def judged(self, attempt=1, **plan):
        self.done(self.post(**plan), attempt)

    def rows(self):
        """[number of its arbiter, attempt, how] of each judgement that has begun."""
        pids = []
        for row in self.diary():
            if row[0] not in pids:
                pids.append(row[0])
        return [[pids.index(row[0]), *row[2:]] for row in self.diary()]

    def __enter__(self):
        self.cluster.__enter__()
        return self

    def __exit__(self, *raised):
        self.cluster.__exit__(*raised)


STAYS, ONCE = "alone", "once"


def test_a_second_attempt_has_its_own(judge):
    with PlayedByWorker(judge) as played:
        played.judged()
        played.judged(dies=1, attempt=2)
        played.judged()
        assert played.rows() == [[0, 1, STAYS], [0, 1, STAYS], [1, 2, ONCE], [2, 1, STAYS]], played.diary()


def test_one_that_does_not_stay(judge):
    with PlayedByWorker(judge) as played:
        played.judged(leaves=1)
        played.judged()
        assert played.rows() == [[0, 1, STAYS], [1, 1, STAYS]], played.diary()


def test_one_that_ends_before_it_begins(judge):
    """It was idle until then: the next submission loses no attempt by it."""
    with PlayedByWorker(judge) as played:
        played.judged()
        played.judged(mute=1)
        assert played.rows() == [[0, 1, STAYS], [1, 1, STAYS]], played.diary()
        text = played.worker.log.read_text()
        assert text.count("an idle arbiter of emu: ") == 1 and "was ended by signal 9" in text, text


def test_lines_of_another_judgement(judge):
    """They are not followed: an old result counts for nothing, and neither does "idle" before a result."""
    with PlayedByWorker(judge) as played:
        played.judged()
        played.judged(stale=1)
        played.judged()
        assert [row[0] for row in played.rows()] == [0, 0, 0], played.diary()
        assert played.worker.log.read_text().count("is of another judgement") == 6, played.worker.log.read_text()


def test_one_that_talks_while_it_is_idle(judge):
    """It is told to leave, and judges nothing more."""
    with PlayedByWorker(judge) as played:
        played.judged(babbles=1)
        await_that(lambda: "an idle arbiter of emu said" in played.worker.log.read_text(), "the line is noticed")
        played.judged()
        assert [row[0] for row in played.rows()] == [0, 1], played.diary()


def test_the_result_is_sent_before_it_is_idle(judge):
    """The next one is compiled meanwhile, and judged when everything is given back."""
    with PlayedByWorker(judge) as played:
        def killed():
            """How often one that gave nothing back for ten seconds was killed."""
            return played.worker.log.read_text().count("after its result of emu: it ran for too long and was stopped")

        played.judged()  # what comes next is compiled already
        for turn in range(TRIES):  # on a busy machine ten seconds may pass meanwhile
            played.judged(gives=f"back-{turn}")
            left = len(jobs(played.worker))
            ident = played.post()
            await_that(lambda t=turn: killed() > t or any(
                (folder / "submission").exists() for folder in jobs(played.worker)
                if (folder / "compile.json").exists() and "gives" not in (folder / "submission.cu").read_text()),
                "it is compiled", played.cluster.text)
            found = left, len(jobs(played.worker)), len(played.rows())
            (played.home / f"back-{turn}").touch()
            played.done(ident)
            await_that(lambda: not jobs(played.worker), "all folders are removed")
            if killed() == turn:
                break
        assert killed() == turn and found == (1, 2, 2 * turn + 2), (found, played.diary())
        assert len({row[0] for row in played.rows()[-3:]}) == 1, played.diary()


def test_one_that_never_gives_back(judge):
    """The verdict stands. It is killed after a while, and the next one has another."""
    with PlayedByWorker(judge) as played:
        played.judged(gives="never")
        played.judged()
        assert [row[0] for row in played.rows()] == [0, 1], played.diary()
        assert "after its result of emu: it ran for too long and was stopped" in played.worker.log.read_text()
        assert not [line for line in judge.log.read_text().splitlines() if "failed" in line], judge.log.read_text()

"""Workers: programs that take work from the judge over its API, and judge it elsewhere."""
import json
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from harness import BACKSTOP_S, DEMO, LONG_CALL_S, ROOT, SHARED, TRIES, await_that, own_port, processes_with, slow_once
from test_pages import Browser
from test_rights import Tcp, join, narrow

BUILD = "release"
RIGHT = (DEMO / "right.cu").read_text()
WRONG = RIGHT.replace("A[i] + B[i]", "A[i] - B[i]")
assert WRONG != RIGHT
# No machine stands still for so long that a worker is given up. Where one is to be given up, or is to hear something by
# a heartbeat, the lease is short.
LEASE, SHORT_LEASE = "600", "8"
JOB_FORMAT = int(re.search(r"#define JOB_FORMAT (\d+)", (ROOT / "judge/record/job.h").read_text())[1])


class Worker:
    """A worker on a node of its own: another home, another cache of problems."""

    def __init__(self, cluster, token=None, *args, home=None):
        self.home = home or Path(tempfile.mkdtemp(prefix="wjw-"))
        self.home.joinpath("cache").symlink_to(SHARED / "cache")
        self.token = self.home / "token"
        self.token.write_text(token or cluster.token)
        self.token.chmod(0o600)
        self.log = self.home / "log"
        env = {**cluster.judge.env, "WARPJUDGE_HOME": str(self.home)}
        env.pop("WARPJUDGE_PROBLEMS", None)
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [cluster.judge.bin, "worker", "--server", cluster.url, "--token-file", self.token, *args],
                env=env, stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def kill(self, number=signal.SIGKILL):
        self.process.send_signal(number)
        if number == signal.SIGKILL:
            self.process.wait(BACKSTOP_S)

    def end(self):
        """The exit status, once it has left by itself."""
        return self.process.wait(BACKSTOP_S)

    def leave(self):
        """It is told to, and the judge knows."""
        self.kill(signal.SIGTERM)
        assert self.end() == 0, self.log.read_text()

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(BACKSTOP_S)
        await_that(lambda: not processes_with(self.home), "the worker's programs end with it")
        shutil.rmtree(self.home, ignore_errors=True)


class Cluster:
    """A judge on TCP that leaves everything to workers, unless args say otherwise."""

    def __init__(self, judge, *args, only=True, lease=LEASE, port=0):
        self.judge, self.workers = judge, []
        self.args = ("--listen", f"127.0.0.1:{port}", "--registration", "invitation", "--lease", lease,
                     *(["--workers-only"] if only else []), *args)
        self.tcp = Tcp(judge.start(*self.args)["port"])
        self.url = f"http://127.0.0.1:{self.tcp.port}"
        self.admin = join(judge, "boss", "admin")
        self.token = narrow(self.tcp, self.admin, "worker")

    def worker(self, *args, token=None, home=None):
        self.workers.append(Worker(self, token, *args, home=home))
        return self.workers[-1]

    def seen(self):
        return self.judge.api("GET", "/api/workers")[1]["workers"]

    def await_workers(self, count):
        await_that(lambda: len(self.seen()) == count, f"{count} workers", lambda: self.text())

    def await_judging(self, ident):
        """The worker that has it. One without a name where it is done already."""
        def found():
            has = next((w for w in self.seen() if w.get("submission") == ident), None)
            done = self.judge.api("GET", f"/api/submissions/{ident}")[1]["state"] == "done"
            return has or {"device": None} if has or done else None
        return await_that(found, f"submission {ident} is judged by a worker", lambda: self.text())

    def text(self):
        return "\n".join(w.log.read_text(errors="replace") for w in self.workers)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if value:
            value.args = (*value.args, f"the workers' logs:\n{self.text()[-3000:]}")
        for w in self.workers:
            w.close()


def test_a_worker_judges(judge):
    """A daemon without devices of its own has three submissions judged; a worker leaves when idle."""
    with Cluster(judge) as cluster:
        first = judge.post(RIGHT)
        shown = judge.api("GET", f"/api/submissions/{first}")[1]
        assert (shown["state"], shown["waiting_reason"]) == ("queued", "no worker judges for emu at the moment"), shown
        emu, = judge.api("GET", "/api/health")[1]["devices"]
        assert (emu["name"], emu["workers"], emu["busy"]) == ("emu", 0, False), emu
        assert re.search(r"^emu\s.*\sno worker\b", judge.cli("status", status=0).stdout, re.MULTILINE)
        assert "no worker judges for it" in Browser(cluster.tcp.port).get("/about").text
        worker = cluster.worker("--device", "emu")
        for source, verdict in ((RIGHT, "accepted"), (WRONG, "wrong_answer"), ("int x = y;", "compile_error")):
            done = judge.wait_done(first if source is RIGHT else judge.post(source))
            assert done["verdict"] == verdict and done["attempt"] == 1, done
            assert done["node"] == cluster.seen()[0]["node"] == socket.gethostname(), done
        shown = judge.cli("status", status=0).stdout
        assert re.search(rf"{re.escape(socket.gethostname())}\s+emu\s+emu\s+free\s+3\s+0", shown), shown
        assert re.search(r"^emu\s.*\sfree\b", shown, re.MULTILINE), shown
        emu, = judge.api("GET", "/api/health")[1]["devices"]
        assert (emu["workers"], emu["busy"]) == (1, False), emu
        worker.kill(signal.SIGTERM)
        assert worker.end() == 0 and not cluster.seen(), cluster.text()
        assert not list((worker.home / "worker/jobs").iterdir())
        assert len(list((worker.home / "worker/problems").iterdir())) == 1
        idle = cluster.worker("--device", "emu", "--idle-s", "1")
        assert idle.end() == 0 and "it has had no work for a while" in idle.log.read_text(), cluster.text()
        assert not cluster.seen()


LONG = slow_once(RIGHT, 4)


def test_beside_the_judges_own_device(judge):
    """A worker's device is one more of its board: it judges while the judge's own is busy, whoever sent what."""
    judge.allow_long_calls()
    with Cluster(judge, only=False) as cluster:
        cluster.worker("--device", "emu")
        cluster.await_workers(1)
        first = judge.post(slow_once(RIGHT, LONG_CALL_S))
        # While the worker asks for nothing, the next one may be compiled here, and waits for the judge's own device.
        others = [judge.post(RIGHT, user=user) for user in ("ben", "ada", "ben")]
        await_that(lambda: cluster.seen()[0]["judged"] >= 2, "the worker judges two", lambda: cluster.text())
        await_that(lambda: judge.api("GET", f"/api/submissions/{first}")[1]["state"] == "running", "the first one is judged")
        seen, = cluster.seen()
        assert seen.get("submission") != first, seen
        assert judge.api("POST", f"/api/submissions/{first}/cancel", {})[0] == 200
        for ident in others:
            done = judge.wait_done(ident)
            assert (done["verdict"], done["attempt"]) == ("accepted", 1), done
        log = judge.log.read_text()
        assert f"submission {first}: attempt 1 begins on" not in log, log


def test_no_more_is_compiled_than_the_judges_own_device_takes(judge):
    """While that is busy, one submission waits compiled. Others wait for a worker, also where their turn comes first."""
    judge.allow_long_calls()
    with Cluster(judge, only=False) as cluster:
        fake = Fake(cluster, "one")

        def state(ident):
            return judge.api("GET", f"/api/submissions/{ident}")[1]["state"]

        slow = judge.post(slow_once(RIGHT, LONG_CALL_S), user="ada")
        await_that(lambda: state(slow) == "running", "it is judged")
        compiled = judge.post(RIGHT, user="ada")
        await_that(lambda: state(compiled) == "waiting", "it is compiled")
        others = [judge.post(RIGHT, user=user) for user in ("ben", "cyd")]
        for ident in others:
            mine, lease = fake.lease()
            assert (mine["submission"], lease["attempt"]) == (ident, 1), lease
            assert fake.send(mine, {"compile": COMPILED | {"ok": False, "verdict": "compile_error"}})[0] == 200
        # For what no worker asks the judge's own device does when it is free.
        last = judge.post(RIGHT, user="dan")
        assert (state(compiled), state(last)) == ("waiting", "queued")
        assert judge.api("POST", f"/api/submissions/{slow}/cancel", {})[0] == 200
        for ident in (compiled, last):
            assert judge.wait_done(ident)["verdict"] == "accepted"


def test_a_worker_is_killed(judge):
    """What a killed worker had is attempted again, on another one, and recorded once."""
    with Cluster(judge, lease=SHORT_LEASE) as cluster:
        for _ in range(TRIES):
            victim = cluster.worker("--device", "emu")
            ident = judge.post(LONG)
            cluster.await_judging(ident)
            victim.kill()
            other = cluster.worker("--device", "emu")
            done = judge.wait_done(ident)
            assert other.process.poll() is None
            if done["attempt"] > 1:
                break
            other.kill()
        assert (done["verdict"], done["attempt"]) == ("accepted", 2), done
        log = judge.log.read_text()
        assert log.count(f"submission {ident}: accepted") == 1 and "was not heard" in log, log


def test_a_worker_that_wakes_up(judge):
    """A worker that was stopped past its lease is given up. What it sends after that changes nothing."""
    with Cluster(judge, lease=SHORT_LEASE) as cluster:
        for _ in range(TRIES):
            sleeper = cluster.worker("--device", "emu")
            ident = judge.post(LONG)
            cluster.await_judging(ident)
            sleeper.kill(signal.SIGSTOP)
            await_that(lambda: not cluster.seen(), "the sleeper is given up")
            if judge.api("GET", f"/api/submissions/{ident}")[1]["state"] != "done":
                break
            sleeper.kill()
        cluster.worker("--device", "emu")
        done = judge.wait_done(ident)
        assert (done["verdict"], done["attempt"]) == ("accepted", 2), done
        sleeper.kill(signal.SIGCONT)
        await_that(lambda: "does not know this worker" in cluster.text(), "the sleeper is refused")
        cluster.await_workers(2)  # it has registered again
        assert judge.api("GET", f"/api/submissions/{ident}")[1] == done
        assert judge.log.read_text().count(f"submission {ident}: accepted") == 1


def test_the_daemon_is_started_again(judge):
    """Leases of before are void: what was judged is judged again, by a worker that registers again."""
    with Cluster(judge, lease=SHORT_LEASE, port=own_port()) as cluster:  # nobody else gets that while no daemon runs
        cluster.worker("--device", "emu")
        ident = judge.post(LONG)
        assert cluster.await_judging(ident).get("attempt", 1) == 1
        judge.kill()
        judge.start(*cluster.args)
        done = judge.wait_done(ident)
        assert done["verdict"] == "accepted", done
        assert judge.log.read_text().count(f"submission {ident}: accepted") == 1
        await_that(lambda: "does not know this worker" in cluster.text(), "the worker is told", cluster.text)


def test_a_token_is_revoked(judge):
    """A worker whose token is revoked leaves, and another one judges what it had at once. That cost no attempt."""
    with Cluster(judge, lease="40") as cluster:
        worker = cluster.worker("--device", "emu")
        ident = judge.post(LONG)
        cluster.await_judging(ident)
        tokens = cluster.tcp.token("GET", "api/account/tokens", cluster.admin)[1]["tokens"]
        number = next(t["id"] for t in tokens if t["scopes"] == ["worker"])
        assert cluster.tcp.token("DELETE", f"api/account/tokens/{number}", cluster.admin)[0] == 200
        assert not cluster.seen()
        assert worker.end() == 2 and "was revoked" in cluster.text(), cluster.text()
        cluster.worker("--device", "emu", token=narrow(cluster.tcp, cluster.admin, "worker"))
        done = judge.wait_done(ident)
        assert (done["verdict"], done["attempt"]) == ("accepted", 1), done
        assert "was not heard" not in judge.log.read_text()


def test_a_token_is_revoked_while_its_worker_waits(judge):
    """It gets no source any more, and the submission goes to another worker at once."""
    with Cluster(judge) as cluster:
        fake, answers = Fake(cluster, "one"), []
        waits = threading.Thread(target=lambda: answers.append(fake.told()))
        waits.start()
        time.sleep(0.5)  # it waits by then; where it does not, its call is refused all the same
        tokens = cluster.tcp.token("GET", "api/account/tokens", cluster.admin)[1]["tokens"]
        number = next(t["id"] for t in tokens if t["scopes"] == ["worker"])
        assert cluster.tcp.token("DELETE", f"api/account/tokens/{number}", cluster.admin)[0] == 200
        ident = judge.post(RIGHT)
        waits.join(BACKSTOP_S)
        assert answers[0][0] == 401 and "was revoked" in answers[0][1]["detail"], answers
        _, lease = Fake(cluster, "two", narrow(cluster.tcp, cluster.admin, "worker")).lease()
        assert (lease["submission"], lease["attempt"]) == (ident, 1), lease


def test_a_cancelled_submission(judge):
    """The worker learns of it by its next heartbeat, and takes the next submission."""
    judge.allow_long_calls()
    with Cluster(judge, lease=SHORT_LEASE) as cluster:
        cluster.worker("--device", "emu")
        first = judge.post(slow_once(RIGHT, LONG_CALL_S))
        cluster.await_judging(first)
        second = judge.post(RIGHT)
        assert judge.api("POST", f"/api/submissions/{first}/cancel", {})[0] == 200
        assert judge.wait_done(second)["verdict"] == "accepted"
        assert judge.api("GET", f"/api/submissions/{first}")[1]["verdict"] == "cancelled"
        assert "was given up, cancelled or is done" in cluster.text()


def test_told_to_stop(judge):
    """SIGTERM gives the work back at once, and it is judged elsewhere; --until leaves in time."""
    with Cluster(judge) as cluster:
        for _ in range(TRIES):
            worker = cluster.worker("--device", "emu", "--device", "emu")
            cluster.await_workers(2)
            ident = judge.post(LONG)
            cluster.await_judging(ident)
            worker.kill(signal.SIGTERM)
            assert worker.end() == 0, cluster.text()
            assert not cluster.seen()
            if judge.api("GET", f"/api/submissions/{ident}")[1]["state"] != "done":
                break
        late = cluster.worker("--device", "emu", "--until", str(int(time.time()) + 30))
        assert late.end() == 0 and "its time is nearly over" in cluster.text(), cluster.text()
        cluster.worker("--device", "emu")
        done = judge.wait_done(ident)
        assert (done["verdict"], done["attempt"]) == ("accepted", 2), done


def test_two_on_emu(judge):
    """A worker with emu twice judges two at a time."""
    judge.allow_long_calls()
    with Cluster(judge) as cluster:
        cluster.worker("--device", "emu", "--device", "emu")
        cluster.await_workers(2)
        idents = [judge.post(slow_once(RIGHT, LONG_CALL_S)) for _ in range(2)]
        await_that(lambda: all(judge.api("GET", f"/api/submissions/{i}")[1]["state"] == "running" for i in idents),
                   "both are judged", cluster.text)
        for ident in idents:
            assert judge.api("POST", f"/api/submissions/{ident}/cancel", {})[0] == 200


class Fake:
    """A worker that sends what it likes."""

    def __init__(self, cluster, node, token=None, **more):
        self.cluster, self.node, self.token = cluster, node, token or cluster.token
        status, answer = self.ask("register", **{"format": JOB_FORMAT, "node": node, "device": "emu", "board": "emu",
                                                 "arch": "compute_80"} | more)
        assert status == 201, answer
        self.worker = answer["worker"]

    def ask(self, verb, **body):
        return self.cluster.tcp.token("POST", f"api/v1/worker/{verb}", self.token, body)

    def lease(self):
        def granted():
            status, answer = self.ask("lease", worker=self.worker, wait_s=15)
            assert status == 200, answer
            return answer["lease"]
        lease = await_that(granted, "a lease")
        return {"worker": self.worker, **{k: lease[k] for k in ("submission", "attempt", "fence")}}, lease

    def told(self):
        """Asks for work as often as there is none. What it is answered then."""
        while (answer := self.ask("lease", worker=self.worker, wait_s=15)) == (200, {"lease": None}):
            pass
        return answer

    def send(self, mine, result):
        return self.ask("result", **mine, part=1, parts=1, text=json.dumps(result))


COMPILED = {"format": JOB_FORMAT, "ok": True, "verdict": "accepted", "message": "", "cached": False, "seconds": 1}
ACCEPTED = {"format": JOB_FORMAT, "verdict": "accepted", "message": "", "may_retry": False, "board": "emu", "tests": []}


def test_messages_that_do_not_count(judge):
    """Only who holds an attempt's lease may say anything of it, with the fence, and with its own token."""
    with Cluster(judge) as cluster:
        one, two = Fake(cluster, "one"), Fake(cluster, "two")
        stranger = Fake(cluster, "stranger", narrow(cluster.tcp, cluster.admin, "worker"))
        first = judge.post("int x;")
        mine, lease = one.lease()
        assert mine["submission"] == first and len(lease["fence"]) == 32 and lease["source"] == "int x;"
        second = judge.post("int y;")
        other, _ = two.lease()
        assert other["submission"] == second
        for verb, body in (("heartbeat", {"event": "judging"}), ("return", {"reason": "mine"}),
                           ("result", {"part": 1, "parts": 1, "text": "{}"})):
            for wrong in ({"fence": "0" * 32}, {"fence": ""}, {"attempt": 2}, {"submission": second},
                          {"worker": two.worker}, other | {"worker": one.worker}):
                status, answer = one.ask(verb, **{**mine, **wrong, **body})
                assert (status, answer["code"]) == (409, "no_lease"), (verb, wrong, answer)
            status, answer = stranger.ask(verb, **mine, **body)  # with another's token
            assert (status, answer["code"]) == (409, "no_worker"), answer
        for body in ({"part": 2, "parts": 3}, {"part": 3, "parts": 2}, {"part": 1, "parts": 257}, {"part": "1"},
                     {"event": "won"}, {"done": 2, "of": 1}, {"unknown": 1}):
            status, answer = one.ask("result", **mine, text="{}", **body)
            assert status == 400, (body, answer)
        assert one.ask("heartbeat", **mine, event="test", done=1, of=9)[0] == 200
        assert judge.api("GET", f"/api/submissions/{first}")[1]["state"] == "running"
        # An answer that was given once counts once.
        refused = {"compile": COMPILED | {"ok": False, "verdict": "compile_error", "message": "no"}}
        assert one.send(mine, refused)[0] == 200
        assert one.send(mine, refused)[0] == 409
        done = judge.wait_done(first)
        assert (done["verdict"], done["message"]) == ("compile_error", "no"), done


def test_three_attempts_come_to_nothing(judge):
    """It is never the user's verdict: after the third, the judge says where its attempts were."""
    with Cluster(judge) as cluster:
        ident = judge.post(RIGHT)
        for number, (node, result) in enumerate((
                ("alpha", {"compile": COMPILED, "result": ACCEPTED}),  # without a test
                ("beta", {"compile": COMPILED, "result": ACCEPTED | {"board": "NVIDIA H200"}}),
                ("gamma", {"compile": COMPILED, "result": ACCEPTED | {"verdict": "judge_error", "message": "disk full"}}))):
            fake = Fake(cluster, node)
            mine, _ = fake.lease()
            assert mine["attempt"] == number + 1
            assert fake.send(mine, result)[0] == 200
            assert fake.send(mine, result)[0] == 409
        done = judge.wait_done(ident)
        assert done["verdict"] == "judge_error" and done["attempt"] == 3, done
        for words in ("attempt 1 on alpha", "has no tests", "attempt 2 on beta", "another board",
                      "attempt 3 on gamma", "disk full"):
            assert words in done["message"], (words, done["message"])


def test_verdicts_that_no_compiler_gives(judge):
    """What does not compile is a compile_error and nothing else, whatever the worker says."""
    with Cluster(judge) as cluster:
        for verdicts in (("accepted", "cancelled", "wrong_answer"), ("disqualified", "time_limit", "runtime_error")):
            ident = judge.post(RIGHT)
            for verdict in verdicts:
                fake = Fake(cluster, verdict)
                mine, _ = fake.lease()
                assert fake.send(mine, {"compile": COMPILED | {"ok": False, "verdict": verdict}})[0] == 200
            done = judge.wait_done(ident)
            assert done["verdict"] == "judge_error" and done["message"].count("no compiler can give") == 3, done


def test_heartbeats_without_a_result(judge):
    """However often a worker is heard, and whatever progress it tells: each of its attempts ends at the limit."""
    with Cluster(judge, "--lease-limit", "1") as cluster:
        ident, fake = judge.post(RIGHT), Fake(cluster, "one")
        for number in (1, 2, 3):
            mine, _ = fake.lease()
            assert mine["attempt"] == number, mine
            told = [0]

            def refused():
                told[0] += 1
                status, answer = fake.ask("heartbeat", **mine, event="test", done=told[0], of=10**9)
                assert status == 200 or answer["code"] == "no_lease", answer
                return status == 409
            await_that(refused, "the lease has ended")
            assert fake.send(mine, {"compile": COMPILED, "result": ACCEPTED})[0] == 409
        done = judge.wait_done(ident)
        assert done["verdict"] == "judge_error" and done["attempt"] == 3, done
        assert done["message"].count("its worker had it for 1 s, and there is no result") == 3, done
        assert cluster.seen()[0]["lost"] == 3  # it is there, and may judge


def test_boards_that_nobody_has(judge):
    """A token's workers name eight boards at most, so that the places of others are left."""
    with Cluster(judge) as cluster:
        def register(board, token=cluster.token):
            return cluster.tcp.token("POST", "api/v1/worker/register", token, {
                "format": JOB_FORMAT, "node": "n", "device": "cuda:0", "board": board, "arch": "sm_90a"})

        def devices():
            return [d["board"] for d in judge.api("GET", "/api/health")[1]["devices"]]
        before = len(devices())
        for i in range(8):
            assert register(f"made up {i}")[0] == 201
        for i in (8, 9):
            status, answer = register(f"made up {i}")
            assert (status, answer["code"]) == (403, "forbidden") and answer["pointer"] == "/board", answer
            assert f'named 8 boards that nobody else has, which is the most: "made up {i}" is' in answer["detail"], answer
        assert register("made up 0")[0] == 201  # it is known
        assert len(devices()) == before + 8 and len(cluster.seen()) == 9
        tokens = [narrow(cluster.tcp, cluster.admin, "worker") for _ in range(4)]
        assert register("made up 8", tokens[0])[0] == 201
        assert register("made up 8")[0] == 201  # others have it now
        names = iter(range(10, 100))
        told = [register(f"made up {i}", tokens[n % 4]) for n, i in zip(range(32 - len(devices())), names)]
        assert all(status == 201 for status, _ in told) and len(devices()) == 32, told
        status, answer = register("one more", narrow(cluster.tcp, cluster.admin, "worker"))
        assert status == 403 and "the judge has 32 devices, which is the most" in answer["detail"], answer
        assert len(devices()) == 32


H200 = {"device": "cuda:0", "board": "NVIDIA H200", "arch": "sm_90a"}


def judge_with_copies_of(fake, ident, bandwidth):
    """The fake worker judges the submission right, and its GPU has copied so fast."""
    timing = {name: 1.0 for name in ("median_ns", "q1_ns", "q3_ns", "low_ns", "high_ns", "null_ns", "work_bytes",
                                     "work_flops", "limit_ns")}
    timing |= {"samples_ns": [1.0], "modelled": False, "sizes": "N=1", "review": False, "warmup": 1}
    test = {"number": 1, "verdict": "accepted", "sizes": "N=1"}
    mine, lease = fake.lease()
    assert lease["submission"] == ident, lease
    conditions = json.dumps({
        "gpu": "GPU-1", "compared_with": 6, "null_samples_ns": [1.0], "copied": "after", "seconds": {},
        "before": {"copy_gbs": bandwidth, "read_gbs": 4300, "fp32_tflops": 55, "seconds": 1}})
    assert fake.send(mine, {"compile": COMPILED, "result": ACCEPTED | {
        "board": "NVIDIA H200", "tests": [test], "timing": timing | {"conditions": conditions}}})[0] == 200
    done = fake.cluster.judge.wait_done(ident)
    assert done["verdict"] == "accepted" and done["node"] == fake.node, done


def test_no_judge_is_there(judge):
    """A worker that no judge has ever answered ends with status 3, and has said why: once, though it asks every two seconds.
    One that a judge has answered before leaves with status 0, whatever became of the judge."""
    with Cluster(judge) as cluster:
        known = cluster.worker("--device", "emu", "--idle-s", "6")
        await_that(lambda: cluster.seen() or known.process.poll() is not None, "the judge has answered", cluster.text)
        port = socket.socket()  # nobody listens there, and nobody else gets it
        port.bind(("127.0.0.1", 0))
        cluster.url = f"http://127.0.0.1:{port.getsockname()[1]}"
        lost = cluster.worker("--device", "emu", "--idle-s", "5")
        stopped = cluster.worker("--device", "emu")
        judge.stop()
        assert lost.end() == 3, lost.log.read_text()
        said = [line for line in lost.log.read_text().splitlines() if f"no judge answers at {cluster.url}" in line]
        assert len(said) == 2 and said[1].startswith("warpjudge: no judge answers"), lost.log.read_text()
        await_that(lambda: "no judge answers" in stopped.log.read_text(), "it asks")
        stopped.kill(signal.SIGTERM)
        assert stopped.end() == 0 and known.end() == 0, cluster.text()
        port.close()


def test_bulk_grading_tells_why_it_waits(judge):
    """All workers have GPUs, and the cascade needs emu: that is said, once."""
    lines = "".join(json.dumps({"id": str(n), "problem": "vector-addition", "source": RIGHT + f"// {n}"}) + "\n" for n in range(3))
    with Cluster(judge) as cluster:
        fake = Fake(cluster, "gpu", **H200)
        assert fake.worker
        run = subprocess.Popen([judge.bin, "grade", judge.write("in.jsonl", lines), "-o", judge.home / "out.jsonl",
                                "-d", "NVIDIA H200"], env=judge.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        assert run.stderr.readline() == "lines wait: no worker judges for emu at the moment\n"
        cluster.worker("--device", "emu")
        await_that(lambda: judge.api("GET", "/api/submissions/4")[0] == 200, "one comes from emu, and waits for the GPU")
        run.kill()
        assert run.communicate()[1] == ""


def test_a_node_that_is_not_like_the_others(judge):
    """It is drained: a GPU that is slower than those of the board's other nodes judges nothing more."""
    with Cluster(judge) as cluster:
        for node, bandwidth in (("one", 4100), ("two", 4150), ("three", 3900)):
            fake = Fake(cluster, node, **H200)
            judge_with_copies_of(fake, judge.post(RIGHT, device="NVIDIA H200"), bandwidth)
        drained = {w["node"]: w.get("drained") for w in cluster.seen()}
        assert not drained["one"] and not drained["two"] and "5.5% below the 4125 GB/s" in drained["three"], drained
        assert "three gets no work: its copy bandwidth" in " ".join(judge.cli("status", status=0).stdout.split())
        assert not any("no_pair" in w for w in cluster.seen())
        judge.post(RIGHT, device="NVIDIA H200")
        assert fake.ask("lease", worker=fake.worker, wait_s=1) == (200, {"lease": None})


def test_half_a_pair_gets_no_work(judge):
    """Where one GPU of two is drained, what needs both waits. `status` and the submission say why, until another pair is
    there."""
    two = "tensor-parallel-matmul"
    none = "a problem for two GPUs needs a worker with two of NVIDIA H200, and none is there"
    why = ("a problem for two GPUs needs both cuda:0 and cuda:1 of three, and cuda:1 gets no work: its copy bandwidth is 5.5% "
           "below the 4125 GB/s of the board's other nodes")
    with Cluster(judge) as cluster:
        for node, bandwidth in (("one", 4100), ("two", 4150)):
            judge_with_copies_of(Fake(cluster, node, **H200), judge.post(RIGHT, device="NVIDIA H200"), bandwidth)

        def siblings(node):
            return [Fake(cluster, node, **H200 | {"device": f"cuda:{n}", "siblings": node.encode().hex().zfill(32)})
                    for n in range(2)]

        first, second = siblings("three")
        judge_with_copies_of(second, judge.post(RIGHT, device="NVIDIA H200"), 3900)
        waits = judge.post(RIGHT, two, device="NVIDIA H200")
        shown = judge.api("GET", f"/api/submissions/{waits}")[1]
        assert (shown["state"], shown["waiting_reason"]) == ("queued", why), shown
        assert [w.get("no_pair") for w in cluster.seen() if w["node"] == "three"] == [why, None], cluster.seen()
        assert why in " ".join(judge.cli("status", status=0).stdout.split())
        assert f"it waits: {why}" in " ".join(judge.cli("status", str(waits), status=0).stdout.split())
        # What needs one does not wait for that.
        one = judge.post(RIGHT, device="NVIDIA H200")
        assert "waiting_reason" not in judge.api("GET", f"/api/submissions/{one}")[1]
        judge_with_copies_of(first, one, 4100)
        # Who watches it is told so, and is told again when it is another reason.
        path = judge.home / "watched"
        with open(path, "wb") as out:
            watching = subprocess.Popen([judge.bin, "status", "--wait", str(waits)], env=judge.env, stdout=out, stderr=out,
                                        stdin=subprocess.DEVNULL)
        await_that(lambda: f"it waits: {why}" in " ".join(path.read_text().split()), "it is told", path.read_text)
        for fake in (first, second):
            assert fake.ask("leave", worker=fake.worker)[0] == 200
        await_that(lambda: f"it waits: {none}" in " ".join(path.read_text().split()), "it is told", path.read_text)
        assert judge.api("GET", f"/api/submissions/{waits}")[1]["waiting_reason"] == none
        third, fourth = siblings("four")
        asked = []
        asking = [threading.Thread(target=lambda f=f: asked.append((f, f.told()[1].get("lease")))) for f in (third, fourth)]
        for thread in asking:
            thread.start()
        holder, lease = await_that(lambda: next((a for a in asked if a[1] is not None), None), "a lease")
        assert lease["submission"] == waits
        mine = {"worker": holder.worker, **{k: lease[k] for k in ("submission", "attempt", "fence")}}
        assert "waiting_reason" not in judge.api("GET", f"/api/submissions/{waits}")[1]
        assert holder.send(mine, {"compile": COMPILED | {"ok": False, "verdict": "compile_error", "message": "no"}})[0] == 200
        assert watching.wait(BACKSTOP_S) == 1
        for fake in (third, fourth):
            assert fake.ask("leave", worker=fake.worker)[0] == 200
        for thread in asking:
            thread.join()


def test_results_that_nobody_ends(judge):
    """The memory that parts of results take is bounded. What comes later is sent again, once there is some."""
    part = "x" * (1 << 20)
    with Cluster(judge) as cluster:
        def begin(number):
            fake = Fake(cluster, f"n{number}")
            judge.post(f"int x{number};")
            return fake, fake.lease()[0]

        def parts(fake, mine, first):
            for number in range(first, 40):
                status, answer = fake.ask("result", **mine, part=number, parts=256, text=part)
                if status != 200:
                    return number, status, answer["detail"]
            return 40, 200, ""

        many = [begin(number) for number in range(7)]
        for fake, mine in many[:6]:
            assert parts(fake, mine, 1)[1] == 200
        at, status, detail = parts(*many[6], 1)
        assert (at, status) == (256 - 6 * 39 + 1, 503) and "send it again" in detail, (at, status, detail)
        assert many[0][0].ask("return", **many[0][1])[0] == 200
        assert parts(*many[6], at)[1] == 200


def test_what_may_register(judge):
    """What a worker says of itself is checked, since everybody sees it."""
    with Cluster(judge) as cluster:
        good = {"format": JOB_FORMAT, "node": "n", "device": "emu", "board": "emu", "arch": "compute_80"}
        for wrong in ({"format": 1}, {"node": ""}, {"node": "../n"}, {"node": "n" * 65}, {"device": "disk"},
                      {"board": "NVIDIA H200"}, {"device": "cuda:0"}, {"device": "cuda:0", "board": "cuda:0"}, {"arch": "a/b"}, {"lacks": "x" * 500},
                      {"title": "\u001b[1m"}, {"insecure": 2}, {"siblings": "me"}, {"more": 1}):
            status, answer = cluster.tcp.token("POST", "api/v1/worker/register", cluster.token, good | wrong)
            assert status in (400, 403) and answer["detail"], (wrong, answer)
        status, answer = cluster.tcp.token("POST", "api/v1/worker/register", cluster.token, good | {"insecure": 1})
        assert status == 403 and "sandbox" in answer["detail"], answer
        # A board that only workers have can be chosen from then on.
        status, answer = cluster.tcp.token("POST", "api/v1/worker/register", cluster.token, good | {
            "device": "cuda:0", "board": "NVIDIA H200", "arch": "sm_90a"})
        assert status == 201, answer
        ident = judge.post(RIGHT, device="NVIDIA H200")
        assert judge.api("GET", f"/api/submissions/{ident}")[1]["board"] == "NVIDIA H200"
        # The list has pages, of which none tells a worker twice.
        for i in range(1, 5):
            body = good | {"node": f"n{i}"}
            assert cluster.tcp.token("POST", "api/v1/worker/register", cluster.token, body)[0] == 201
        nodes, path = [], "/api/v1/workers?limit=2"
        while path:
            status, answer, headers = judge.ask("GET", path)
            assert status == 200 and answer["count"] == 5 and len(answer["workers"]) <= 2, answer
            nodes += [w["node"] for w in answer["workers"]]
            link = re.fullmatch(r'<(/api/v1/workers\?limit=2&cursor=[0-9a-f]+)>; rel="next"', headers["Link"] or "")
            path = link and link[1]
        assert nodes == ["n4", "n3", "n2", "n1", "n"], nodes
        assert [w["node"] for w in judge.api("GET", "/api/workers?limit=1")[1]["workers"]] == ["n4"]
        for wrong in ("limit=0", "limit=1001", "cursor=7331", "cursor=x", "page=1"):
            assert judge.api("GET", f"/api/v1/workers?{wrong}")[0] == 400, wrong
        # The staff's page has it.
        status, page = cluster.tcp.raw((f"GET /staff HTTP/1.1\r\nHost: localhost:{cluster.tcp.port}\r\nConnection: close\r\n"
                                        f"Authorization: Bearer {cluster.admin}\r\n\r\n").encode())
        assert status == 200 and b'<th scope="row">n</th><td>cuda:0</td><td>NVIDIA H200</td>' in page, page


LEAKS = """
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
__global__ void add(const float *A, const float *B, float *C, int N, float miss)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        C[i] = A[i] + B[i] + miss;
}
static int reaches()
{
    PROBE
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N, reaches() ? 1.0f : 0.0f);
}
"""
CONNECTS = """
    struct sockaddr_in a = {};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    a.sin_family = AF_INET;
    a.sin_addr.s_addr = htonl(0x7f000001);
    a.sin_port = htons(PORT);
    return fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a) == 0;
"""


def test_what_a_submission_reaches_on_a_worker(judge):
    """Neither the token's file, nor the worker's home, nor the judge: at run time and when it is compiled.
    It is wrong where it reaches one of them, and where it does not reach what is there for it."""
    with Cluster(judge) as cluster:
        worker = cluster.worker("--device", "emu")

        def opens(path):
            return f'open("{path}", O_RDONLY) >= 0'

        probe = (f"if (!({opens('/dev/zero')}) || {opens(worker.token)} || {opens(worker.home / 'worker/jobs')}) "
                 "return 1;" + CONNECTS.replace("PORT", str(cluster.tcp.port)))
        for source, verdict in (
                (LEAKS.replace("PROBE", probe), "accepted"),
                (f'#include "{worker.token}"\n' + RIGHT, "compile_error"),
                (f'asm(".section .rodata\\n.incbin \\"{worker.token}\\"\\n.text");\n' + RIGHT, "compile_error")):
            done = judge.wait_done(judge.post(source))
            assert done["verdict"] == verdict, (source, done)
            assert cluster.token not in json.dumps(done) and cluster.token[4:20] not in json.dumps(done), done
        assert cluster.token not in cluster.text() and cluster.token not in judge.log.read_text()

"""Compiling and judging on different machines: workers that only compile, and what they could forge."""
import base64
import hashlib
import json
import os
import re
import shutil
import signal
import socket
import tempfile
from pathlib import Path

from harness import BACKSTOP_S, ROOT, await_that
from test_rights import narrow, of_chunks
from test_workers import ACCEPTED, COMPILED, CONNECTS, JOB_FORMAT, LEAKS, RIGHT, SHORT_LEASE, WRONG, Cluster, Fake

BUILD = "release"
REFUSED = {"compile": COMPILED | {"ok": False, "verdict": "compile_error", "message": "no"}}
BYTES_MAX = 8 << 20  # ARTEFACT_BYTES_MAX of artefact.h
PART = 512 << 10


def compiler(cluster):
    return cluster.worker("--compile-only", "--jobs", "1")


def leases(judge, ident):
    """What the daemon says of a submission's leases: the attempt, what it does, and the device."""
    return re.findall(rf"submission {ident}: (attempt \d (?:begins|is judged)) on \S+ \(([\w:]+)\)", judge.log.read_text())


def await_compiler(cluster):
    await_that(lambda: any(w["role"] == "compile" for w in cluster.seen()), "a compiler", cluster.text)


def await_free(cluster):
    """Until every worker has asked for work and none has any. What it is asked then does not compile."""
    ident = cluster.judge.post("int asked;")
    assert cluster.judge.wait_done(ident)["verdict"] == "compile_error"
    await_that(lambda: all("submission" not in w for w in cluster.seen()), "all workers are free")


def stop_at_work(cluster, sleeper, source):
    """Stops a compiler, which is leased a submission then. One that is stopped before it has asked for work goes on."""
    while True:
        await_free(cluster)
        sleeper.kill(signal.SIGSTOP)
        ident = cluster.judge.post(source)
        # By the log, since nobody may see it in time where the device has it.
        begun = await_that(lambda ident=ident: leases(cluster.judge, ident), "an attempt begins", cluster.text)
        if begun[0][1] == "compiler":
            return ident
        sleeper.kill(signal.SIGCONT)
        cluster.judge.wait_done(ident)
        cluster.await_workers(2)


def links(cluster):
    """With what this build's workers say that they compile and link."""
    worker = compiler(cluster)
    cluster.await_workers(1)
    seen = cluster.seen()[0]
    worker.kill(signal.SIGTERM)
    assert worker.end() == 0, cluster.text()
    assert not cluster.seen()
    return {"toolkit": seen["toolkit"], "linked": seen["linked"]}


class Compiler(Fake):
    """A worker that compiles, and sends what it likes."""

    def __init__(self, cluster, like, token=None):
        super().__init__(cluster, "compiling", token, role="compile", device="compiler", board="", arch="", **like)

    def send_long(self, mine, result):
        """In as many parts as it needs. The answer to the last one that was asked."""
        text = json.dumps(result)
        parts = [text[i:i + PART] for i in range(0, len(text), PART)]
        for number, part in enumerate(parts):
            status, answer = self.ask("result", **mine, part=number + 1, parts=len(parts), text=part)
            if status != 200:
                break
        return status, answer


class Judge(Fake):
    """A worker of emu that says of itself that it can judge what is compiled so."""

    def __init__(self, cluster, like, token=None):
        super().__init__(cluster, "judging", token, **like)

    def fetch(self, sha256, token=None):
        return self.cluster.tcp.token("GET", f"api/v1/worker/artefacts/{sha256}", token or self.token)

    def ask_only(self, sha256, what="artefacts"):
        """Asks for an artefact, and reads nothing: the socket takes little by itself."""
        s = socket.socket()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.settimeout(BACKSTOP_S)
        s.connect(("127.0.0.1", self.cluster.tcp.port))
        s.sendall(f"GET /api/v1/worker/{what}/{sha256} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                  f"Authorization: Bearer {self.token}\r\n\r\n".encode())
        return s

    def refuse(self, ident):
        """Takes what a compiler had a part in. Nobody else has compiled it now, and it is the first attempt still."""
        mine, lease = self.lease()
        assert (lease["submission"], lease["attempt"]) == (ident, 1) and "artefact" not in lease, lease
        assert self.send(mine, REFUSED)[0] == 200
        done = self.cluster.judge.wait_done(ident)
        assert (done["message"], done["attempt"]) == ("no", 1), done


def made_of(cluster, fake, source):
    """What a real worker compiles of a source: its artefact. The fake judge gets it and ends the submission."""
    worker = compiler(cluster)
    await_compiler(cluster)
    ident = cluster.judge.post(source)
    mine, lease = fake.lease()
    assert lease["submission"] == ident and "device" not in lease, lease
    status, artefact = fake.fetch(lease["artefact"]["sha256"])
    assert status == 200, artefact
    assert fake.send(mine, {"result": ACCEPTED | {"verdict": "runtime_error", "message": "stopped"}})[0] == 200
    assert cluster.judge.wait_done(ident)["verdict"] == "runtime_error"
    worker.kill(signal.SIGTERM)
    assert worker.end() == 0, cluster.text()
    return artefact


def rest(s):
    """What comes until the other end closes."""
    return b"".join(iter(lambda: s.recv(1 << 20), b""))


def sealed(artefact):
    """As a compiler sends it."""
    text = artefact if isinstance(artefact, str) else json.dumps(artefact)
    return {"compile": COMPILED, "artefact": {"sha256": hashlib.sha256(text.encode()).hexdigest(), "text": text}}


def relabelled(artefact, lease):
    """An artefact that says of itself what it must, to be taken for this lease's."""
    return artefact | {"submission": lease["submission"], "attempt": lease["attempt"],
                       "source": hashlib.sha256(lease["source"].encode()).hexdigest()}


def test_compiled_here_and_judged_there(judge):
    """A worker that only compiles compiles each submission, and the board's worker judges what came."""
    with Cluster(judge) as cluster:
        cluster.worker("--device", "emu")
        compiler(cluster)
        cluster.await_workers(2)
        for source, verdict, mode in ((RIGHT, "accepted", "submit"), (WRONG, "wrong_answer", "submit"),
                                      ("int x = y;", "compile_error", "submit"), (RIGHT, "accepted", "run"),
                                      (RIGHT, "accepted", "profile")):
            ident = judge.post(source, mode=mode)
            done = judge.wait_done(ident)
            assert done["verdict"] == verdict and done["attempt"] == 1, done
            there = [("attempt 1 is judged", "emu")] if verdict != "compile_error" else []
            assert leases(judge, ident) == [("attempt 1 begins", "compiler"), *there], judge.log.read_text()
        await_that(lambda: sorted((w["role"], w["judged"]) for w in cluster.seen()) == [("compile", 5), ("judge", 4)],
                   "the workers have sent it all", lambda: str(cluster.seen()))
        shown = judge.cli("status", status=0).stdout
        assert re.search(r"\scompiler\s+compiles for others\s+free\s+5\s+0", shown), shown
        for worker in cluster.workers:
            await_that(lambda: not list((worker.home / "worker/jobs").iterdir()), "no folder is left")


def test_what_only_compiles_ends_there(judge):
    """Bulk grading that asks whether a source compiles needs no other worker."""
    with Cluster(judge) as cluster:
        Judge(cluster, links(cluster))
        compiler(cluster)
        await_compiler(cluster)
        bulk = narrow(cluster.tcp, cluster.admin, "read,submit,bulk")
        for source, verdict in ((RIGHT, "accepted"), ("int x = y;", "compile_error")):
            status, answer = cluster.tcp.token("POST", "api/submissions", bulk, {
                "problem": "vector-addition", "source": source, "mode": "grade_compile"})
            assert status == 201, answer
            assert judge.wait_done(answer["id"])["verdict"] == verdict
            assert leases(judge, answer["id"]) == [("attempt 1 begins", "compiler")]


def test_a_compiler_is_lost(judge):
    """The board's worker compiles it itself, and that is no attempt the less. What wakes up later changes nothing."""
    with Cluster(judge, lease=SHORT_LEASE) as cluster:
        sleeper = compiler(cluster)
        cluster.worker("--device", "emu")
        cluster.await_workers(2)
        ident = stop_at_work(cluster, sleeper, RIGHT)
        done = judge.wait_done(ident)
        assert (done["verdict"], done["attempt"]) == ("accepted", 1), done
        assert leases(judge, ident) == [("attempt 1 begins", "compiler"), ("attempt 1 begins", "emu")]
        sleeper.kill(signal.SIGCONT)
        await_that(lambda: "does not know this worker" in cluster.text(), "the sleeper is refused", cluster.text)
        cluster.await_workers(2)  # it has registered again
        assert judge.api("GET", f"/api/submissions/{ident}")[1] == done
        # One that is killed while it compiles.
        ident = stop_at_work(cluster, sleeper, WRONG)
        sleeper.kill()
        done = judge.wait_done(ident)
        assert (done["verdict"], done["attempt"]) == ("wrong_answer", 1), done


def holds(judge, cluster):
    """What a compiler is like, the submission that one has, that one, and its lease. An emulator waits beside it."""
    cluster.worker("--device", "emu")
    cluster.await_workers(1)
    seen = cluster.seen()[0]
    like = {"toolkit": seen["toolkit"], "linked": seen["linked"]}
    holder = Compiler(cluster, like)
    ident = judge.post(RIGHT)
    mine, lease = holder.lease()
    assert lease["submission"] == ident and "device" in lease, lease
    return like, ident, holder, mine


def test_a_compiler_that_holds_what_it_has(judge):
    """It is heard, and nothing comes of it: others wait for a lease's time, and are then compiled where they are judged.
    That is so whoever else of its kind comes and goes meanwhile."""
    with Cluster(judge, lease="8") as cluster:
        like, held, holder, mine = holds(judge, cluster)
        other = judge.post(WRONG, user="ben")

        def done():
            assert holder.ask("heartbeat", **mine, event="compiling")[0] == 200
            mate = Compiler(cluster, like)
            assert mate.ask("leave", worker=mate.worker)[0] == 200
            return judge.api("GET", f"/api/submissions/{other}")[1]["state"] == "done"

        await_that(done, "the other is judged", cluster.text)
        got = judge.api("GET", f"/api/submissions/{other}")[1]
        assert (got["verdict"], got["attempt"]) == ("wrong_answer", 1), got
        assert leases(judge, other) == [("attempt 1 begins", "emu")], judge.log.read_text()
        assert leases(judge, held) == [("attempt 1 begins", "compiler")], judge.log.read_text()


def test_what_a_compiler_gives_back_costs_nothing(judge):
    """However it comes to nothing there, the submission is compiled elsewhere next, and has its three attempts still."""
    with Cluster(judge) as cluster:
        like = links(cluster)
        fake = Judge(cluster, like)

        def leaves(forger, mine):
            return forger.ask("leave", worker=forger.worker)

        def asks(forger, mine):
            return forger.ask("lease", worker=forger.worker, wait_s=0)

        for how in (lambda forger, mine: forger.ask("return", **mine, reason="no"), leaves, asks,
                    lambda forger, mine: forger.send(mine, {"compile": COMPILED})):
            forger = Compiler(cluster, like, narrow(cluster.tcp, cluster.admin, "worker"))
            ident = judge.post("int x;")
            mine, lease = forger.lease()
            assert (lease["submission"], lease["attempt"]) == (ident, 1), lease
            assert how(forger, mine)[0] == 200
            for number in (1, 2, 3):
                mine, lease = fake.lease()
                assert (lease["submission"], lease["attempt"]) == (ident, number) and "artefact" not in lease, lease
                assert fake.ask("return", **mine, reason=f"why {number}")[0] == 200
            done = judge.wait_done(ident)
            assert (done["verdict"], done["attempt"]) == ("judge_error", 3), done
            for words in ("attempt 1, which did not count, on compiling (compiler)", *(f"why {n}" for n in (1, 2, 3))):
                assert words in done["message"], done
            if how is not leaves:
                assert leaves(forger, None)[0] == 200


def test_who_gives_back_again_and_again_rests(judge):
    """Its node gets no work for a while, also under a new registration; who compiles goes on, and `status` says so."""
    with Cluster(judge) as cluster:
        like = links(cluster)
        fake = Judge(cluster, like)
        hostile = Compiler(cluster, like)
        for _ in range(4):
            ident = judge.post("int x;")
            mine, lease = hostile.lease()
            assert lease["submission"] == ident and hostile.ask("return", **mine)[0] == 200
            fake.refuse(ident)
        seen = next(w for w in cluster.seen() if w["role"] == "compile")
        assert seen["lost"] == 4 and "its node gave back 4 submissions one after another" in seen["resting"], seen
        shown = " ".join(judge.cli("status", status=0).stdout.split())
        assert "compiler compiles for others rests 0 4" in shown, shown
        assert "compiler of compiling gets no work: its node gave back 4 submissions" in shown, shown
        # It is as if it were not there, and no submission waits for it.
        again = Compiler(cluster, like)
        ident = judge.post("int x;")
        for each in (hostile, again):
            assert each.ask("lease", worker=each.worker, wait_s=0) == (200, {"lease": None})
        fake.refuse(ident)
        assert leases(judge, ident) == [("attempt 1 begins", "emu")]
        # Others of another token's, or of another node, compile.
        for token, change in ((narrow(cluster.tcp, cluster.admin, "worker"), {}), (None, {"node": "other"})):
            honest = Compiler(cluster, like, token) if token else Fake(
                cluster, "other", role="compile", device="compiler", board="", arch="", **like)
            ident = judge.post("int x;")
            mine, lease = honest.lease()
            assert lease["submission"] == ident and honest.send(mine, REFUSED)[0] == 200
            assert judge.wait_done(ident)["message"] == "no"
            assert honest.ask("leave", worker=honest.worker)[0] == 200


def test_what_a_compiler_takes_of_others(judge):
    """Results that it never ends leave memory to who judges, and what it says of its time is no longer than its lease."""
    part = "x" * (1 << 20)
    with Cluster(judge) as cluster:
        like = links(cluster)
        fake = Judge(cluster, like)

        def parts(one, mine):
            for number in range(1, 40):
                status, answer = one.ask("result", **mine, part=number, parts=256, text=part)
                if status != 200:
                    break
            return number, status

        hoarders = []
        for number in range(3):
            ident = judge.post(f"int x{number};")
            hoarders.append(Compiler(cluster, like))
            mine, lease = hoarders[-1].lease()
            assert lease["submission"] == ident
            assert parts(hoarders[-1], mine) == ((39, 200) if number == 0 else (64 - 39 + 1, 503) if number == 1 else (1, 503))
        for one in hoarders:
            assert one.ask("leave", worker=one.worker)[0] == 200
            mine, _ = fake.lease()
            assert parts(fake, mine) == (39, 200)
            assert fake.ask("return", **mine)[0] == 200
        # The one that says how long it took. Its user would come behind all others for an hour.
        liar = Compiler(cluster, like, narrow(cluster.tcp, cluster.admin, "worker"))
        ident = judge.post("int y;", user="ben")
        mine, lease = liar.lease()
        assert lease["submission"] == ident
        text = json.dumps(REFUSED | {"compile": REFUSED["compile"] | {"seconds": 1e300}})
        assert liar.ask("result", **mine, part=1, parts=1, text=text)[0] == 200
        assert judge.wait_done(ident)["compile_seconds"] < 1e6


def test_who_compiles_for_too_long(judge):
    """It loses what it has after ten times a lease's silence, though it is heard, and nobody's attempt is lost by that."""
    for lease_s in (2, 8, 32):
        with Cluster(judge, lease=str(lease_s)) as cluster:
            try:
                compile_for_too_long(judge, cluster, lease_s)
                return
            except AssertionError:  # where the machine stands still for so long, a worker is given up
                if "it was not heard for" not in judge.log.read_text() or lease_s == 32:
                    raise
        judge.stop()
        judge.log.write_text("")


def compile_for_too_long(judge, cluster, lease_s):
    _, ident, holder, mine = holds(judge, cluster)
    await_that(lambda: holder.ask("heartbeat", **mine, event="compiling")[0] == 409, "it is taken away", cluster.text)
    done = judge.wait_done(ident)
    assert (done["verdict"], done["attempt"]) == ("accepted", 1), done
    words = rf"submission {ident}: attempt 1 does not count, .*: its worker had it for {10 * lease_s} s"
    assert re.search(words, judge.log.read_text()), judge.log.read_text()


def test_no_room_for_what_was_compiled(judge):
    """On a full disk nothing is leased, again and again or at all, until there is room; and it is no attempt."""
    jobs = judge.home / "jobs"
    jobs.mkdir()
    judge.start = lambda *args: judge.start_command(
        ["bwrap", "--dev-bind", "/", "/", "--size", str(32 << 20), "--tmpfs", jobs,
         judge.bin, "serve", "--insecure-no-sandbox", *args])
    with Cluster(judge) as cluster:
        like = links(cluster)
        fake = Judge(cluster, like)
        artefact = made_of(cluster, fake, RIGHT)
        compiling = Compiler(cluster, like)
        pid = judge.api("GET", "/api/health")[1]["pid"]
        filler = Path(f"/proc/{pid}/root{jobs}/filler")
        ident = judge.post(RIGHT)
        mine, lease = compiling.lease()
        with open(filler, "wb", buffering=0) as full:
            try:
                while full.write(b"x" * 4096):
                    pass
            except OSError:
                pass
        assert compiling.send_long(mine, sealed(relabelled(artefact, lease)))[0] == 200
        for each in (compiling, fake) * 3:
            assert each.ask("lease", worker=each.worker, wait_s=1) == (200, {"lease": None})
        assert "No space left" in judge.api("GET", "/api/health")[1]["trouble"]
        assert "resting" not in next(w for w in cluster.seen() if w["role"] == "compile")
        filler.unlink()
        mine, lease = compiling.lease()
        assert (lease["submission"], lease["attempt"]) == (ident, 1), lease
        assert compiling.send_long(mine, sealed(relabelled(artefact, lease)))[0] == 200
        mine, lease = fake.lease()
        assert lease["submission"] == ident and lease["artefact"], lease
        assert fake.send(mine, {"result": ACCEPTED | {"verdict": "runtime_error", "message": "stopped"}})[0] == 200
        done = judge.wait_done(ident)
        assert (done["verdict"], done["attempt"]) == ("runtime_error", 1), done
        assert "trouble" not in judge.api("GET", "/api/health")[1]
        log = judge.log.read_text()
        assert "what was compiled cannot be kept" in log and "trying again every 2 s" in log and "going on" in log, log
        os.kill(pid, signal.SIGTERM)
        assert judge.daemon.wait(BACKSTOP_S) == 0


def test_who_judges_what_was_compiled(judge):
    """Only a worker of the same links gets it. Where none is there any more, it is compiled anew, in the same attempt."""
    with Cluster(judge) as cluster:
        like = links(cluster)
        # Nobody who is there could judge what a compiler makes: so it gets nothing.
        other = Fake(cluster, "other", linked="f" * 64, toolkit=like["toolkit"])
        idle = Compiler(cluster, like)
        ident = judge.post("int x;")
        mine, lease = other.lease()
        assert lease["submission"] == ident and "artefact" not in lease, lease
        assert other.send(mine, REFUSED)[0] == 200
        assert idle.ask("lease", worker=idle.worker, wait_s=0) == (200, {"lease": None})
        assert idle.ask("leave", worker=idle.worker)[0] == 200
        # Two judges that fit. One is lost while it has the artefact.
        one, two = Judge(cluster, like), Judge(cluster, like)
        artefact = made_of(cluster, one, RIGHT)
        compiling = Compiler(cluster, like)
        lost = judge.post("int y;")
        mine, lease = compiling.lease()
        assert (lease["device"], lease["arch"]) == ("emu", artefact["arch"]), lease
        assert compiling.send_long(mine, sealed(relabelled(artefact, lease)))[0] == 200
        mine, lease = one.lease()
        assert (lease["submission"], lease["attempt"]) == (lost, 1) and lease["artefact"], lease
        assert one.ask("leave", worker=one.worker)[0] == 200
        two.refuse(lost)
        # The last one that fits leaves, while another that does not is there.
        third = judge.post("int z;")
        mine, lease = compiling.lease()
        assert compiling.send_long(mine, sealed(relabelled(artefact, lease)))[0] == 200
        assert other.ask("lease", worker=other.worker, wait_s=0) == (200, {"lease": None})
        assert two.ask("leave", worker=two.worker)[0] == 200
        mine, lease = other.lease()
        assert (lease["submission"], lease["attempt"]) == (third, 1) and "artefact" not in lease, lease
        assert other.send(mine, REFUSED)[0] == 200
        assert judge.wait_done(third)["attempt"] == 1


def test_artefacts_that_are_refused(judge):
    """By the daemon, whatever a compiler sends: the attempt has come to nothing, and who compiled has no part in the next."""
    with Cluster(judge) as cluster:
        like = links(cluster)
        fake = Judge(cluster, like)
        artefact = made_of(cluster, fake, RIGHT)
        forger = Compiler(cluster, like)
        program = artefact["files"][0]
        big = base64.b64encode(b"\0" * (BYTES_MAX + 3)).decode()

        def own(lease, **change):
            return sealed(relabelled(artefact, lease) | change)

        def lying(lease):
            result = own(lease)
            result["artefact"]["sha256"] = "0" * 64
            return result

        def files(*names):
            return lambda lease: own(lease, files=[program | {"name": name} for name in names])

        for words, result in (
                ("hash is not what its worker says", lying),
                ("artefact's submission is", lambda lease: own(lease, submission=artefact["submission"])),
                ("artefact's attempt is 2", lambda lease: own(lease, attempt=2)),
                ("artefact's source is", lambda lease: sealed(artefact | {"submission": lease["submission"]})),
                ("artefact's arch is", lambda lease: own(lease, arch="compute_100")),
                ("artefact's toolkit is", lambda lease: own(lease, toolkit="1.0")),
                ("artefact's linked is", lambda lease: own(lease, linked="f" * 64)),
                ("artefact's format is", lambda lease: own(lease, format=1)),
                ("none that it may have", files("submission", "../../../judge.conf")),
                ("none that it may have", files("/tmp/submission")),
                ("none that it may have", files("submission", "reference")),
                ("none that it may have", files("submission", "submission")),
                ("has no submission", files("assembly")),
                ("artefact has more than 100 values", lambda lease: own(lease, more=[0] * 101)),
                ("result has more than 1000000 values", lambda lease: own(lease) | {"more": [0] * 1000001}),
                ("longer than", lambda lease: own(lease, files=[program | {"base64": big}])),
                ("verdict that no compiler can give",
                 lambda lease: {"compile": COMPILED | {"ok": False, "verdict": "disqualified", "message": "a cheat"}}),
                ("has no artefact", lambda lease: {"compile": COMPILED, "result": ACCEPTED}),
                ("does not say what was compiled", lambda lease: {"result": ACCEPTED})):
            ident = judge.post(f"int x; // {words}")
            mine, lease = forger.lease()
            assert (lease["submission"], lease["attempt"]) == (ident, 1), lease
            assert forger.send_long(mine, result(lease)) == (200, {"done": True}), words
            assert forger.send(mine, REFUSED)[0] == 409
            fake.refuse(ident)
            assert re.search(rf"submission {ident}: attempt 1 does not count, .*{words}", judge.log.read_text()), words
            # It compiles one, so that it does not rest.
            ident = judge.post(f"int y; // {words}")
            mine, lease = forger.lease()
            assert lease["submission"] == ident and forger.send(mine, REFUSED)[0] == 200
            judge.wait_done(ident)


def test_ways_to_compile_are_bounded(judge):
    """A token's workers compile in at most eight ways at once. One that is left is forgotten, and what came of it is not."""
    with Cluster(judge) as cluster:
        like = links(cluster)
        fake = Judge(cluster, like)
        artefact = made_of(cluster, fake, RIGHT)

        def begin(number, token=None):
            return Compiler(cluster, {"linked": f"{number:064x}", "toolkit": like["toolkit"]}, token)

        many = [begin(number) for number in range(8)]
        refused = {"format": JOB_FORMAT, "node": "one-more", "role": "compile", "device": "compiler", "board": "",
                   "arch": "", "linked": "f" * 64, "toolkit": like["toolkit"]}
        status, answer = many[0].ask("register", **refused)
        assert status == 503 and "compile in 8 ways already" in answer["detail"], answer
        begin(0)
        begin(8, narrow(cluster.tcp, cluster.admin, "worker"))
        assert many[7].ask("leave", worker=many[7].worker)[0] == 200
        real = Compiler(cluster, like)
        ident = judge.post(RIGHT)
        mine, lease = real.lease()
        result = sealed(relabelled(artefact, lease))
        assert real.send_long(mine, result)[0] == 200
        assert real.ask("leave", worker=real.worker)[0] == 200
        begin(9)
        mine, lease = fake.lease()
        assert lease["submission"] == ident and lease["artefact"]["sha256"] == result["artefact"]["sha256"], lease
        assert fake.fetch(lease["artefact"]["sha256"])[0] == 200


def test_who_may_fetch_an_artefact(judge):
    """Only who judges it, while that is so. The compiler's own fence says nothing of the judgement."""
    with Cluster(judge) as cluster:
        like = links(cluster)
        fake = Judge(cluster, like)
        artefact = made_of(cluster, fake, RIGHT)
        elsewhere = narrow(cluster.tcp, cluster.admin, "worker")
        forger = Compiler(cluster, like, token=elsewhere)
        stranger = Fake(cluster, "stranger", narrow(cluster.tcp, cluster.admin, "worker"), linked="f" * 64)
        ident = judge.post(RIGHT)
        compiles, lease = forger.lease()
        result = sealed(relabelled(artefact, lease))
        for wrong in ({"fence": "0" * 32}, {"attempt": 2}, {"submission": ident - 1}, {"worker": fake.worker}):
            assert forger.send(compiles | wrong, {})[0] == 409, wrong
        sha256 = result["artefact"]["sha256"]
        assert fake.fetch(sha256)[0] == 404
        assert forger.send_long(compiles, result)[0] == 200
        assert fake.fetch(sha256)[0] == 404  # nobody has leased it yet
        judges, lease = fake.lease()
        assert lease["artefact"] == {"sha256": sha256, "bytes": len(result["artefact"]["text"])}, lease
        assert judges["fence"] != compiles["fence"]
        assert fake.fetch(sha256) == (200, json.loads(result["artefact"]["text"]))
        for token in (elsewhere, stranger.token):
            status, answer = fake.fetch(sha256, token)
            assert (status, answer["code"]) == (404, "no_artefact"), answer
        for name in ("0" * 64, "..%2f..%2fleaderboard.db", sha256.upper()):
            assert fake.fetch(name)[0] in (400, 404), name
        # What the compiler says from now on is of no attempt of its own.
        for verb, body in (("heartbeat", {"event": "judging"}), ("return", {}),
                           ("result", {"part": 1, "parts": 1, "text": json.dumps({"result": ACCEPTED})})):
            status, answer = forger.ask(verb, **compiles, **body)
            assert (status, answer["code"]) == (409, "no_lease"), (verb, answer)
        # Nor does who judges it say how it was compiled.
        assert fake.send(judges, REFUSED)[0] == 200
        fake.refuse(ident)
        assert re.search(f"submission {ident}: attempt 1 does not count, .*: it was to be judged", judge.log.read_text())
        assert fake.fetch(sha256)[0] == 404


def test_who_fetches_and_does_not_read(judge):
    """What is sent of an artefact is a piece at a time, so that ten answers of 11 MB that wait are in nobody's way. Each
    is whole, also when the attempt is done and its folder gone."""
    with Cluster(judge) as cluster:
        fit = {"linked": "a" * 64, "toolkit": "13"}
        fake, compiling = Judge(cluster, fit), Compiler(cluster, fit)
        program = base64.b64encode(bytes(BYTES_MAX)).decode()
        ident = judge.post("int x;")
        mine, lease = compiling.lease()
        sent = sealed(relabelled({"format": JOB_FORMAT, "arch": lease["arch"], **fit,
                                  "files": [{"name": "submission", "base64": program}]}, lease))
        assert compiling.send_long(mine, sent)[0] == 200
        mine, lease = fake.lease()
        text = sent["artefact"]["text"].encode()
        assert lease["artefact"]["bytes"] == len(text) > 11000000
        readers = [fake.ask_only(lease["artefact"]["sha256"]) for _ in range(10)]
        for s in readers:
            assert s.recv(12, socket.MSG_WAITALL) == b"HTTP/1.1 200"
        assert fake.send(mine, {"result": ACCEPTED | {"verdict": "runtime_error", "message": "stopped"}})[0] == 200
        assert judge.wait_done(ident)["verdict"] == "runtime_error"
        await_that(lambda: not list((judge.home / "jobs").iterdir()), "its folder is gone")
        for s in readers[:2]:
            assert of_chunks(rest(s).split(b"\r\n\r\n", 1)[1]) == text
        for s in readers:
            s.close()
        assert fake.fetch(lease["artefact"]["sha256"])[0] == 404


def test_who_fetches_a_problem_and_does_not_read(judge):
    """A problem is sent in pieces, too. Who has begun to read gets all of it as it was, also when it has changed since."""
    folder = judge.home / "large"
    shutil.copytree(ROOT / "problems/vector-addition", folder / "vector-addition")
    more = folder / "vector-addition/more.txt"
    more.write_text("".join(f"{n}\n" for n in range(1000000)))
    judge.env["WARPJUDGE_PROBLEMS"] = str(folder)
    with Cluster(judge) as cluster:
        fake = Judge(cluster, {})

        def problem():
            ident = judge.post("int x;")
            mine, lease = fake.lease()
            assert fake.send(mine, REFUSED)[0] == 200
            assert judge.wait_done(ident)["verdict"] == "compile_error"
            return lease["problem_hash"]

        sha256 = problem()
        readers = [fake.ask_only(sha256, "problems") for _ in range(10)]
        for s in readers:
            assert s.recv(12, socket.MSG_WAITALL) == b"HTTP/1.1 200"
        more.write_text("other")
        assert problem() != sha256
        status, answer = cluster.tcp.token("GET", f"api/v1/worker/problems/{sha256}", fake.token)
        assert (status, answer["code"]) == (404, "no_archive"), answer
        for s in readers[:2]:
            text = of_chunks(rest(s).split(b"\r\n\r\n", 1)[1])
            assert len(text) > 8000000 and hashlib.sha256(text).hexdigest() == sha256
        for s in readers:
            s.close()


def test_an_artefact_that_cannot_be_read(judge):
    """It is the judge's failure, and said so: 503 before anything is sent, and a broken answer after that."""
    with Cluster(judge) as cluster:
        fit = {"linked": "a" * 64, "toolkit": "13"}
        fake, compiling = Judge(cluster, fit), Compiler(cluster, fit)
        ident = judge.post("int x;")
        mine, lease = compiling.lease()
        sent = sealed(relabelled({"format": JOB_FORMAT, "arch": lease["arch"], **fit,
                                  "files": [{"name": "submission", "base64": "AAAA"}]}, lease))
        assert compiling.send_long(mine, sent)[0] == 200
        mine, lease = fake.lease()
        sha256 = lease["artefact"]["sha256"]
        assert fake.fetch(sha256) == (200, json.loads(sent["artefact"]["text"]))
        file = next((judge.home / "jobs").glob(f"{ident}-1-*/artefact.json"))
        file.unlink()
        status, answer = fake.fetch(sha256)
        assert (status, answer["code"]) == (503, "unavailable") and "cannot be opened" in answer["detail"], answer
        for make in (file.mkdir, lambda: os.mkfifo(file), lambda: file.write_bytes(b" " * ((11 << 20) + 1))):
            make()
            status, answer = fake.fetch(sha256)
            assert (status, answer["code"]) == (503, "unavailable") and "not what was stored" in answer["detail"], answer
            file.rmdir() if file.is_dir() else file.unlink()
        file.write_bytes(b" " * (11 << 20))
        reader = fake.ask_only(sha256)
        assert reader.recv(12, socket.MSG_WAITALL) == b"HTTP/1.1 200"
        os.truncate(file, 0)
        assert not rest(reader).endswith(b"\r\n0\r\n\r\n")
        reader.close()
        assert "has become shorter while it was sent" in judge.log.read_text()
        assert fake.send(mine, {"result": ACCEPTED | {"verdict": "runtime_error", "message": "stopped"}})[0] == 200
        assert judge.wait_done(ident)["verdict"] == "runtime_error"


def test_an_artefact_that_changes_on_its_way(judge):
    """Who judges computes size and hash itself, and judges nothing that is not what the lease names."""
    with Cluster(judge) as cluster:
        like = links(cluster)
        with_judge = Judge(cluster, like)
        for change, words in ((lambda text: text.replace('"base64":"', '"base64":"AAAA', 1), "bytes, and not"),
                              (lambda text: text[:-40] + "A" * 4 + text[-36:], "another hash")):
            worker = compiler(cluster)
            await_compiler(cluster)
            ident = judge.post(RIGHT)
            file = await_that(lambda: list((judge.home / "jobs").glob(f"{ident}-1-*/artefact.json")), "it is compiled",
                              cluster.text)[0]
            await_that(lambda: all("submission" not in w for w in cluster.seen()), "and taken")
            text = file.read_text()
            assert change(text) != text
            file.write_text(change(text))
            real = cluster.worker("--device", "emu")
            done = judge.wait_done(ident)
            assert (done["verdict"], done["attempt"]) == ("accepted", 1), done
            assert words in judge.log.read_text(), judge.log.read_text()
            for each in (worker, real):
                each.kill(signal.SIGTERM)
                assert each.end() == 0, cluster.text()
            assert with_judge.ask("lease", worker=with_judge.worker, wait_s=0)[0] == 200


def test_what_a_forged_program_reaches(judge):
    """A compiler that is hostile has another program judged than was sent. It runs in the sandbox, as a submission does:
    it sees neither the token nor the worker's home nor the network. What is no program fails as one that does not load."""
    with Cluster(judge) as cluster:
        like = links(cluster)
        fake = Judge(cluster, like)
        home = Path(tempfile.mkdtemp(prefix="wjw-"))

        def opens(path):
            return f'open("{path}", O_RDONLY) >= 0'

        probe = (f"if (!({opens('/dev/zero')}) || {opens(home / 'token')} || {opens(home / 'worker/jobs')}) "
                 "return 1;" + CONNECTS.replace("PORT", str(cluster.tcp.port)))
        spy = made_of(cluster, fake, LEAKS.replace("PROBE", probe))
        spoilt = spy | {"files": [{"name": "submission", "base64": base64.b64encode(b"no program").decode()}]}
        forger = Compiler(cluster, like)
        worker = cluster.worker("--device", "emu", home=home)
        cluster.await_workers(3)
        assert fake.ask("leave", worker=fake.worker)[0] == 200
        for artefact, verdict in ((spy, "accepted"), (spoilt, "runtime_error")):
            ident = judge.post(WRONG)
            mine, lease = forger.lease()
            assert forger.send_long(mine, sealed(relabelled(artefact, lease)))[0] == 200
            done = judge.wait_done(ident)
            assert (done["verdict"], done["attempt"]) == (verdict, 1), (done, cluster.text())
            assert leases(judge, ident)[1] == ("attempt 1 is judged", "emu")
        # The judge's worker has learned nothing from it: what it compiles itself is what was sent.
        assert forger.ask("leave", worker=forger.worker)[0] == 200
        done = judge.wait_done(judge.post(WRONG))
        assert done["verdict"] == "wrong_answer", done
        assert worker.process.poll() is None


def test_flags(judge):
    """--compile-only has no device, a device judges one submission at a time, and --compilers is for what has a device."""
    judge.start()
    token = judge.home / "token"
    token.write_text("wj_" + "0" * 64)
    token.chmod(0o600)
    where = ("worker", "--server", "http://127.0.0.1:1", "--token-file", token)
    for flags, words in ((("--compile-only", "--device", "emu"), "not both"), (("--jobs", "2"), "--jobs is for"),
                         (("--compile-only", "--jobs", "0"), "--jobs"),
                         (("--compile-only", "--compilers", "2"), "with --compile-only say --jobs"),
                         (("--compilers", "2", "--jobs", "2"), "--compilers says how many are compiled beside it"),
                         (("--compilers", "0"), "--compilers"), (("--compilers", "33"), "--compilers")):
        assert words in judge.cli(*where, *flags, status=2).stderr

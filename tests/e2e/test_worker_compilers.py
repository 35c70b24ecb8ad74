"""Workers with compilers (`--compilers`): one program that compiles ahead of what its devices judge."""
import contextlib
import os
import re
import signal
from pathlib import Path

from harness import TRIES, await_that
from test_compile_workers import REFUSED, leases, links
from test_worker_tokens import token_for
from test_workers import ACCEPTED, LONG, RIGHT, SHORT_LEASE, WRONG, Cluster, Fake

BUILD = "release"
BOTH = ("--device", "emu", "--compilers", "2")
SHORT = "--compilers needs a token whose workers may judge and compile"
STOPPED = {"result": ACCEPTED | {"verdict": "runtime_error", "message": "stopped"}}
JUDGE_FAILED = 4


def processes(worker):
    """The processes of a worker, by number. The first one judges, and the others compile."""
    ident = worker.process.pid
    found = [int(word) for word in Path(f"/proc/{ident}/task/{ident}/children").read_text().split()]
    assert len(found) == 3, found
    return found


def verdicts(judge, ident):
    """How often the judge's log tells a verdict of this submission."""
    return len(re.findall(rf"submission {ident}: (?:accepted|wrong_answer|compile_error|judge_error) \(", judge.log.read_text()))


def test_a_worker_compiles_ahead_of_its_device(judge):
    """Each submission is compiled by one of its compilers, and its device judges what came; all leave together."""
    with Cluster(judge) as cluster:
        worker = cluster.worker(*BOTH)
        cluster.await_workers(3)
        assert sorted(w["role"] for w in cluster.seen()) == ["compile", "compile", "judge"]
        for source, verdict, mode in ((RIGHT, "accepted", "submit"), (WRONG, "wrong_answer", "submit"),
                                      ("int x = y;", "compile_error", "submit"), (WRONG, "wrong_answer", "run")):
            ident = judge.post(source, mode=mode)
            done = judge.wait_done(ident)
            assert (done["verdict"], done["attempt"]) == (verdict, 1), done
            there = [("attempt 1 is judged", "emu")] if verdict != "compile_error" else []
            assert leases(judge, ident) == [("attempt 1 begins", "compiler"), *there], judge.log.read_text()
            assert verdicts(judge, ident) == 1, judge.log.read_text()
        await_that(lambda: all("submission" not in w for w in cluster.seen()), "all are free")
        shown = judge.cli("status", status=0).stdout
        assert len(re.findall(r"\scompiler\s+compiles for others\s+free", shown)) == 2, shown
        assert re.search(r"\semu\s+emu\s+free\s+3\s+0", shown), shown
        worker.kill(signal.SIGTERM)
        assert worker.end() == 0, cluster.text()
        assert not cluster.seen()
        assert "can also judge with it" not in cluster.text(), cluster.text()
        assert not list((worker.home / "worker/jobs").iterdir())


def test_for_other_workers_that_fit(judge):
    """While its own device does nothing, another worker judges what its compilers have made."""
    with Cluster(judge) as cluster:
        worker = cluster.worker(*BOTH)
        cluster.await_workers(3)
        seen = cluster.seen()[0]
        os.kill(processes(worker)[0], signal.SIGSTOP)
        other = Fake(cluster, "other", toolkit=seen["toolkit"], linked=seen["linked"])
        idents = [judge.post(RIGHT), judge.post(RIGHT, user="ben")]
        mine, lease = other.lease()
        idents.remove(lease["submission"])
        assert "artefact" in lease, lease
        assert other.send(mine, STOPPED)[0] == 200
        assert judge.wait_done(lease["submission"])["verdict"] == "runtime_error"
        assert other.ask("leave", worker=other.worker)[0] == 200
        os.kill(processes(worker)[0], signal.SIGCONT)
        assert judge.wait_done(idents[0])["verdict"] == "accepted"
        for ident in (*idents, lease["submission"]):
            assert leases(judge, ident) == [("attempt 1 begins", "compiler"), ("attempt 1 is judged", "emu")]


def killed_in_the_middle(judge, cluster):
    """Whether the worker's device had a submission that it had not judged. Another worker goes on with all of it."""
    victim = cluster.worker(*BOTH)
    cluster.await_workers(3)
    wanted = {}
    for i in range(6):
        source, verdict = ((LONG, "accepted"), (WRONG, "wrong_answer"), ("int x = y;", "compile_error"))[i % 3]
        wanted[judge.post(f"{source}// {i}\n", user=f"user{i}")] = verdict
    # The first takes seconds there, and others are compiled meanwhile.
    judged = await_that(lambda: [w["submission"] for w in cluster.seen() if w["role"] == "judge" and
                                 wanted.get(w.get("submission")) == "accepted"]
                        or all(verdicts(judge, ident) for ident in wanted), "it judges", cluster.text)
    for ident in processes(victim):
        with contextlib.suppress(ProcessLookupError):  # it has left, as another one was killed
            os.kill(ident, signal.SIGKILL)
    victim.kill()
    other = cluster.worker(*BOTH)
    for ident, verdict in wanted.items():
        done = judge.wait_done(ident)
        # The first attempt does not count where a compiler had a part in it.
        assert (done["verdict"], done["attempt"]) == (verdict, 1), done
        assert verdicts(judge, ident) == 1, judge.log.read_text()
    other.kill(signal.SIGTERM)
    assert other.end() == 0, cluster.text()
    await_that(lambda: not cluster.seen(), "both have gone", cluster.text)
    return judged is not True and all(
        [device for _, device in leases(judge, ident)].count("emu") == 2 for ident in judged)


def test_killed_in_the_middle(judge):
    """Whatever it compiles and judges, another worker goes on with all of it. Nothing is lost, and nothing has two verdicts."""
    with Cluster(judge, lease=SHORT_LEASE) as cluster:  # on a busy machine it may be judged before its worker is killed
        assert any(killed_in_the_middle(judge, cluster) for _ in range(TRIES)), judge.log.read_text()


def test_compilers_are_killed(judge):
    """The device goes on with what is left, and compiles for itself at last. The worker's end says that it was not well."""
    with Cluster(judge, lease=SHORT_LEASE) as cluster:
        worker = cluster.worker(*BOTH)
        cluster.await_workers(3)
        _, *compilers = processes(worker)
        for left, who in ((2, "compiler"), (1, "emu")):
            os.kill(compilers.pop(), signal.SIGKILL)
            cluster.await_workers(left)
            ident = judge.post(RIGHT)
            done = judge.wait_done(ident)
            assert (done["verdict"], done["attempt"]) == ("accepted", 1), done
            assert leases(judge, ident)[0] == ("attempt 1 begins", who), judge.log.read_text()
        worker.kill(signal.SIGTERM)
        assert worker.end() == JUDGE_FAILED, cluster.text()
        assert not cluster.seen()


def test_a_device_is_killed(judge):
    """The compilers do not stay behind for others, and hand back what they have."""
    with Cluster(judge, lease=SHORT_LEASE) as cluster:
        worker = cluster.worker(*BOTH)
        cluster.await_workers(3)
        os.kill(processes(worker)[0], signal.SIGKILL)
        assert worker.end() == JUDGE_FAILED, cluster.text()
        cluster.await_workers(0)


def test_all_leave_together(judge):
    """A worker that is idle leaves with its compilers; so does one whose time is nearly over."""
    with Cluster(judge) as cluster:
        ident = judge.post(RIGHT)
        for _ in range(TRIES):  # one that a busy machine lets begin slowly was idle for so long before it asks
            worker = cluster.worker(*BOTH, "--idle-s", "3")
            assert worker.end() == 0, cluster.text()
            assert not cluster.seen()
            if judge.api("GET", f"/api/submissions/{ident}")[1]["state"] == "done":
                break
        assert judge.wait_done(ident)["verdict"] == "accepted"
        said = worker.log.read_text()
        assert said.count("it has had no work for a while (--idle-s)") == 1, said
        assert said.count("compiler: it was told to stop") == 2, said
        late = cluster.worker(*BOTH, "--until", "1000000000")
        assert late.end() == 0 and "its time is nearly over" in late.log.read_text(), cluster.text()
        assert not cluster.seen()


def test_another_boards_work_keeps_no_worker(judge):
    """What its compilers make for another architecture than its devices' is no work of theirs."""
    with Cluster(judge) as cluster:
        other = Fake(cluster, "other", device="cuda:0", board="NVIDIA X", arch="sm_90", **links(cluster))
        on_x = {"result": STOPPED["result"] | {"board": "NVIDIA X"}}

        def compiled_while_it_was_there():
            """How many its compilers have made until it was idle for long."""
            worker, compiled = cluster.worker(*BOTH, "--idle-s", "3"), 0
            ident = judge.post(RIGHT, device="NVIDIA X")
            await_that(lambda: leases(judge, ident) or worker.process.poll() is not None, "one is compiled", cluster.text)
            while True:
                mine, lease = other.lease()
                assert lease["submission"] == ident, lease
                compiled += "artefact" in lease
                assert other.send(mine, on_x if "artefact" in lease else REFUSED)[0] == 200
                judge.wait_done(ident)
                if worker.process.poll() is not None:
                    break
                ident = judge.post(RIGHT, device="NVIDIA X")
            assert worker.end() == 0, cluster.text()
            return compiled

        # One that a busy machine lets begin slowly leaves before it asks.
        assert any(compiled_while_it_was_there() for _ in range(TRIES)), cluster.text()


def test_a_token_for_one_role(judge):
    """It is refused in one sentence before anything is taken, whichever role it lacks."""
    with Cluster(judge) as cluster:
        ident = judge.post(RIGHT)
        for role in ("judge", "compile"):
            worker = cluster.worker(*BOTH, token=token_for(cluster, role)[0])
            assert worker.end() == 2, cluster.text()
            assert worker.log.read_text().count(SHORT) == 1, cluster.text()
            assert "may not" not in worker.log.read_text() and not cluster.seen(), cluster.text()
        assert leases(judge, ident) == [], judge.log.read_text()
        cluster.worker(*BOTH, token=token_for(cluster, "judge,compile")[0])
        assert judge.wait_done(ident)["verdict"] == "accepted"


def test_a_toolkit_without_a_version(judge):
    """Nobody could say for whom its artefacts are good, so that neither kind of compiler begins."""
    with Cluster(judge) as cluster:
        nvcc = judge.home / "toolkit/bin/nvcc"
        nvcc.parent.mkdir(parents=True)
        nvcc.write_text("#!/bin/sh\nexit 1\n")
        nvcc.chmod(0o755)
        nvcc.with_name("nvcc.profile").touch()
        judge.env["WARPJUDGE_NVCC"] = str(nvcc)
        for flags, who in ((BOTH, "--compilers"), (("--compile-only",), "--compile-only")):
            worker = cluster.worker(*flags)
            assert worker.end() == 2, cluster.text()
            assert f"{who} needs a toolkit that says its version" in worker.log.read_text(), cluster.text()

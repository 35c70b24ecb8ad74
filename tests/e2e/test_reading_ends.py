"""The daemon ends while a thread of it reads a result, or stores an artefact (daemon/result_reading.h), or packs a problem
(daemon/archives.h), or parses what a page is made of (daemon/web/long_answer.h): by kill -9, and by SIGTERM. Nothing is lost, nothing is recorded twice, and no file is left. A FIFO holds the thread there
(base/inject.h), so that the test knows where it is."""
import base64
import contextlib
import http.client
import os
import shutil
import signal
import threading

from harness import BACKSTOP_S, DEMO, ROOT, Held, await_that, own_port
from test_compile_workers import REFUSED, Compiler, relabelled, sealed
from test_drain import await_end, drains
from test_injection import check_store
from test_pages import Browser
from test_workers import ACCEPTED, COMPILED, JOB_FORMAT, Cluster, Fake

BUILD = "asan"
RIGHT = (DEMO / "right.cu").read_text()
FIT = {"linked": "a" * 64, "toolkit": "13"}


class Sending(threading.Thread):
    """A worker's last part, whose call waits until the result is read."""

    def __init__(self, send):
        super().__init__()
        self.send, self.answer = send, None
        self.start()

    def run(self):
        try:
            self.answer = self.send()
        except (OSError, http.client.HTTPException, IndexError) as e:  # the daemon was killed
            self.answer = e

    def answered(self):
        self.join(BACKSTOP_S)
        assert not self.is_alive()
        return self.answer


def jobs(judge):
    return list((judge.home / "jobs").iterdir())


def end(judge, held, how):
    """Ends the daemon while the thread is held."""
    if how == "kill":
        judge.kill()
        held.let()
        return
    judge.daemon.send_signal(signal.SIGTERM)
    await_that(lambda: drains(judge), "the judge drains")
    if how == "twice":
        judge.daemon.send_signal(signal.SIGTERM)
        # Until its socket is gone it may still take what is read.
        await_that(lambda: not (judge.home / "warpjudge.sock").exists(), "it does not wait any more")
        assert "stopping at once" in judge.log.read_text()
    assert judge.daemon.poll() is None
    held.let()
    assert await_end(judge) == 0
    assert not jobs(judge)


def recorded(judge, ident):
    return judge.log.read_text().count(f"submission {ident}: accepted")


def ends_while_it_reads(judge, how):
    with Held(judge, "reading-held") as held:
        judge.start("--drain", "100000")
        ident = judge.post(RIGHT)
        held.wait()
        assert judge.api("GET", f"/api/submissions/{ident}")[1]["state"] == "running" and recorded(judge, ident) == 0
        end(judge, held, how)
        assert recorded(judge, ident) == (1 if how == "drain" else 0)
        judge.start()
        if how == "drain":
            assert judge.api("GET", f"/api/submissions/{ident}")[1]["state"] == "done"
        done = judge.wait_done(ident)
        assert (done["verdict"], done["attempt"], done["rank"]) == ("accepted", 1, 1), done
        assert recorded(judge, ident) == 1
        judge.let_leave()
        await_that(lambda: not jobs(judge), "no folder is left")
        check_store(judge, 1)


def test_killed_while_it_reads(judge):
    ends_while_it_reads(judge, "kill")


def test_drained_while_it_reads(judge):
    ends_while_it_reads(judge, "drain")


def test_stopped_at_once_while_it_reads(judge):
    ends_while_it_reads(judge, "twice")


def test_cancelled_while_it_reads(judge):
    """The thread's result is of no use any more, and its folder goes when the thread has ended."""
    with Held(judge, "reading-held") as held:
        judge.start()
        ident = judge.post(RIGHT)
        held.wait()
        assert judge.api("POST", f"/api/submissions/{ident}/cancel", {})[0] == 200
        assert judge.wait_done(judge.post(RIGHT, user="ben"))["verdict"] == "accepted"
        assert [folder for folder in jobs(judge) if folder.name.startswith(f"{ident}-")]
        held.let()
        await_that(lambda: not jobs(judge), "no folder is left")
        assert judge.wait_done(ident)["verdict"] == "cancelled" and recorded(judge, ident) == 0
        check_store(judge, 2)


def begin_again(judge, cluster):
    judge.start(*cluster.args)
    assert not jobs(judge)


def worker_ends(judge, how):
    with Held(judge, "reading-held") as held:
        judged = {"compile": COMPILED, "result": ACCEPTED | {"tests": [{"number": 1, "verdict": "accepted", "sizes": "N=1"}]}}
        with Cluster(judge, "--drain", "100000", port=own_port()) as cluster:
            fake = Fake(cluster, "one")
            ident = judge.post("int x;", mode="run")
            mine, _ = fake.lease()
            sending = Sending(lambda: fake.send(mine, judged))
            held.wait()
            end(judge, held, how)
            answer = sending.answered()
            begin_again(judge, cluster)
            if how == "drain":
                assert answer == (200, {"done": True}), answer
                assert judge.api("GET", f"/api/submissions/{ident}")[1]["state"] == "done"
            else:
                assert answer != (200, {"done": True}), answer
                assert fake.send(mine, judged)[1]["code"] == "no_worker"
                fake = Fake(cluster, "one")
                mine, lease = fake.lease()
                assert (lease["submission"], lease["attempt"]) == (ident, 1), lease
                assert fake.send(mine, judged) == (200, {"done": True})
            done = judge.wait_done(ident)
            assert (done["verdict"], done["attempt"], len(done["tests"])) == ("accepted", 1, 1), done
            assert recorded(judge, ident) == 1
            await_that(lambda: not jobs(judge), "no folder is left")


def test_killed_while_it_reads_a_workers(judge):
    worker_ends(judge, "kill")


def test_drained_while_it_reads_a_workers(judge):
    worker_ends(judge, "drain")


def test_stopped_at_once_while_it_reads_a_workers(judge):
    worker_ends(judge, "twice")


def artefact_ends(judge, how, written):
    """Before the artefact is written, or after that. Nothing of it counts after the next start."""
    with Held(judge, "artefact-kept" if written else "artefact-held") as held:
        with Cluster(judge, "--drain", "100000", port=own_port()) as cluster:
            fake, compiler = Fake(cluster, "one", **FIT), Compiler(cluster, FIT)
            ident = judge.post("int x;")

            def compile_it():
                mine, lease = compiler.lease()
                assert (lease["submission"], lease["attempt"]) == (ident, 1) and "device" in lease, lease
                return mine, sealed(relabelled({"format": JOB_FORMAT, "arch": lease["arch"], **FIT,
                                                "files": [{"name": "submission", "base64": "AAAA"}]}, lease))

            mine, result = compile_it()
            sending = Sending(lambda: compiler.send(mine, result))
            held.wait()
            assert len(list((judge.home / "jobs").glob(f"{ident}-1-*/artefact.json"))) == written
            end(judge, held, how)
            assert (sending.answered() == (200, {"done": True})) == (how == "drain"), sending.answer
            begin_again(judge, cluster)
            assert compiler.send(mine, result)[1]["code"] == "no_worker"
            fake, compiler = Fake(cluster, "one", **FIT), Compiler(cluster, FIT)
            mine, result = compile_it()
            assert compiler.send(mine, result) == (200, {"done": True})
            mine, lease = fake.lease()
            assert (lease["submission"], lease["attempt"]) == (ident, 1), lease
            assert lease["artefact"]["sha256"] == result["artefact"]["sha256"], lease
            judged = ACCEPTED | {"verdict": "runtime_error", "message": "stopped"}
            assert fake.send(mine, {"result": judged}) == (200, {"done": True})
            done = judge.wait_done(ident)
            assert (done["verdict"], done["attempt"]) == ("runtime_error", 1), done
            await_that(lambda: not jobs(judge), "no folder is left")


def test_killed_before_an_artefact_is_written(judge):
    artefact_ends(judge, "kill", False)


def test_killed_after_an_artefact_is_written(judge):
    artefact_ends(judge, "kill", True)


def test_drained_before_an_artefact_is_written(judge):
    artefact_ends(judge, "drain", False)


def test_drained_after_an_artefact_is_written(judge):
    artefact_ends(judge, "drain", True)


def test_stopped_at_once_before_an_artefact_is_written(judge):
    artefact_ends(judge, "twice", False)


PART = 512 << 10
UNREAD_MOST = 256 << 20  # UNREAD_BYTES_MAX of workers.c


def test_what_is_read_is_counted_until_it_is_read(judge):
    """A worker that leaves while its result waits for a thread has not given back the memory of it."""
    with Held(judge, "reading-held") as held:
        text = " " * PART
        parts = 80  # RESULT_TEXT_MAX
        with Cluster(judge) as cluster:
            sent, refused, waiting = 0, None, []
            while refused is None and sent <= UNREAD_MOST:
                fake = Fake(cluster, "one")
                judge.post("int x;", mode="run")
                mine, _ = fake.lease()
                for part in range(1, parts):
                    status, answer = fake.ask("result", **mine, part=part, parts=parts, text=text)
                    if status != 200:
                        refused = status, answer
                        break
                    sent += PART
                else:
                    last = {**mine, "part": parts, "parts": parts, "text": text}
                    waiting.append(Sending(lambda fake=fake, last=last: fake.ask("result", **last)))
                    sent += PART
                    await_that(lambda fake=fake, mine=mine: fake.ask("heartbeat", **mine)[0] == 409, "it is being read")
                assert fake.ask("leave", worker=fake.worker)[0] == 200
            assert refused and refused[0] == 503 and "too many bytes" in refused[1]["detail"], (sent, refused)
            assert all(each.answered() == (200, {"done": True}) for each in waiting)
            held.wait()
            held.let()


LINES = 2000


@contextlib.contextmanager
def parsing(judge):
    """A judge and a page whose long answer, a source, a thread parses, which is held."""
    with Held(judge, "parsing-held") as held:
        port = judge.start("--listen", "127.0.0.1:0", "--open")["port"]
        ident = judge.post("int x = y;\n" + f"// a line {'-' * 50}\n" * LINES)
        assert judge.wait_done(ident)["verdict"] == "compile_error"
        yield held, port, f"/submissions/{ident}"


def lines_of(port, path):
    return Browser(port).get(path).text.count("// a line")


def test_stopped_while_a_page_is_parsed(judge):
    """It waits for the thread, and the page comes to nothing."""
    with parsing(judge) as (held, port, path):
        sending = Sending(lambda: Browser(port).ask("GET", path)[0])
        held.wait()
        assert judge.api("GET", "/api/health")[0] == 200
        judge.daemon.send_signal(signal.SIGTERM)
        await_that(lambda: not (judge.home / "warpjudge.sock").exists(), "it ends")
        assert judge.daemon.poll() is None
        held.let()
        assert await_end(judge) == 0
        assert isinstance(sending.answered(), (OSError, http.client.HTTPException))


def test_whoever_goes_while_a_page_is_parsed(judge):
    """The page is made all the same, and nobody takes it. Another one that comes meanwhile is whole."""
    with parsing(judge) as (held, port, path):
        gone = http.client.HTTPConnection("127.0.0.1", port)
        gone.request("GET", path)
        held.wait()
        assert lines_of(port, path) == LINES
        gone.close()
        assert judge.api("GET", "/api/health")[0] == 200
        held.let()
        assert lines_of(port, path) == LINES


def change(judge, size):
    """Gives a problem another file of so many bytes."""
    text = os.urandom(size)
    (judge.home / "large/vector-addition/more").write_bytes(text)
    return text


@contextlib.contextmanager
def packing(judge):
    """A judge that leaves all to workers, with a problem that a thread packs, which is held, and a short one."""
    for problem in ("vector-addition", "reduction"):
        shutil.copytree(ROOT / "problems" / problem, judge.home / "large" / problem)
    judge.env["WARPJUDGE_PROBLEMS"] = str(judge.home / "large")
    change(judge, 1 << 20)
    with Held(judge, "packing-held") as held, Cluster(judge, port=own_port()) as cluster:
        yield held, cluster, Fake(cluster, "one")


def gets_nothing(fake):
    """Asks for work. The queue may see what was just posted only after that."""
    assert fake.ask("lease", worker=fake.worker, wait_s=0) == (200, {"lease": None})


def test_a_problem_that_is_being_packed(judge):
    """What waits for it gets no worker, and others do. What it is packed of is what its files are when it is leased."""
    with packing(judge) as (held, cluster, fake):
        large = judge.post("int x;")
        held.wait(lambda: gets_nothing(fake))
        short = judge.post("int x;", "reduction")
        mine, _ = fake.lease()
        assert mine["submission"] == short
        assert fake.send(mine, REFUSED)[0] == 200
        assert fake.ask("lease", worker=fake.worker, wait_s=0) == (200, {"lease": None})
        assert judge.api("GET", f"/api/submissions/{large}")[1]["state"] == "queued"
        text = change(judge, 1 << 20)
        held.let()
        mine, lease = fake.lease()
        assert mine["submission"] == large
        status, answer = cluster.tcp.token("GET", f"api/v1/worker/problems/{lease['problem_hash']}", fake.token)
        assert status == 200 and base64.b64decode({f["name"]: f["base64"] for f in answer["files"]}["more"]) == text
        assert fake.send(mine, REFUSED)[0] == 200
        # One that is too long is its author's matter, and the next one after that is judged.
        change(judge, 9 << 20)
        long = judge.post("int x;")
        asked = Sending(fake.lease)  # as often as it is told that there is nothing
        got = judge.wait_done(long)
        assert got["verdict"] == "judge_error" and "more" in got["message"], got
        change(judge, 1 << 20)
        last = judge.post("int x;")
        mine, _ = asked.answered()
        assert mine["submission"] == last


def test_stopped_while_it_packs(judge):
    """It waits for the thread, and what waited is judged after the next start."""
    with packing(judge) as (held, cluster, fake):
        ident = judge.post("int x;")
        held.wait(lambda: gets_nothing(fake))
        judge.daemon.send_signal(signal.SIGTERM)
        await_that(lambda: not (judge.home / "warpjudge.sock").exists(), "it ends")
        assert judge.daemon.poll() is None
        held.let()
        assert await_end(judge) == 0
        begin_again(judge, cluster)
        fake = Fake(cluster, "one")
        mine, _ = fake.lease()
        assert (mine["submission"], mine["attempt"]) == (ident, 1)

"""What SIGTERM does: judgements end, what waits stays queued, and new submissions are refused."""
import os
import signal
import socket
import subprocess

from harness import BACKSTOP_S, DEMO, UnixConnection, await_that, slow_once
from test_devices import ONE, await_begin, let, notes, post, start

RIGHT = (DEMO / "right.cu").read_text()


def await_state(judge, ident, state):
    """state: one, or several with spaces between."""
    await_that(lambda: judge.api("GET", f"/api/submissions/{ident}")[1]["state"] in state.split(),
               f"{ident} is {state}", lambda: judge.api("GET", f"/api/submissions/{ident}"))


def watch(judge, ident):
    """A socket on which the answer with the submission's events begins."""
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(BACKSTOP_S)
    s.connect(str(judge.home / "warpjudge.sock"))
    s.sendall(f"GET /api/submissions/{ident}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    assert s.recv(12, socket.MSG_WAITALL) == b"HTTP/1.1 200"
    return s


def rest(s):
    data = b"".join(iter(lambda: s.recv(65536), b""))
    s.close()
    return data


def await_end(judge):
    code = judge.daemon.wait(BACKSTOP_S)
    judge.daemon.stdout.close()
    judge.daemon = None
    return code


def drains(judge):
    return "being stopped" in judge.api("GET", "/api/health")[1].get("trouble", "")


def test_what_is_judged_ends_and_what_waits_stays(judge):
    start(judge, "Gpu", options=("--drain", "100000"))
    judged, waits = post(judge, ONE, 0, "ends"), post(judge, ONE, 0, 0)
    await_state(judge, judged, "running")
    streams = watch(judge, judged), watch(judge, waits)
    os.kill(judge.daemon.pid, signal.SIGTERM)
    await_that(lambda: drains(judge), "the judge drains")
    c = UnixConnection(judge.home / "warpjudge.sock", BACKSTOP_S)
    c.request("POST", "/api/submissions", body="{}", headers={"Content-Type": "application/json"})
    answer = c.getresponse()
    assert answer.status == 503 and int(answer.headers["Retry-After"]) > 0, answer.status
    assert b"being stopped" in answer.read()
    c.close()
    run = judge.cli("submit", judge.write("k.cu", "// warpjudge: vector-addition\n"), status=3)
    assert "being stopped" in run.stderr, run.stderr
    await_state(judge, waits, "queued waiting")  # it may be compiled still
    shown = judge.cli("status", status=0).stdout
    assert "nothing new is judged: the judge is being stopped" in shown, shown
    let(judge, "ends")
    assert await_end(judge) == 0
    seen = [rest(s) for s in streams]
    assert all(text.endswith(b"\r\n0\r\n\r\n") for text in seen), seen
    assert b'"event":"done"' in seen[0] and b'"event":"done"' not in seen[1], seen
    judge.start("--stay", "1")
    assert judge.api("GET", f"/api/submissions/{judged}")[1]["state"] == "done"
    assert judge.wait_done(waits)["attempt"] == 1
    assert [n["id"] for n in notes(judge) if n["what"] == "begin"].count(judged) == 1


def test_a_second_signal_ends_it_at_once(judge):
    start(judge, "Gpu", options=("--drain", "100000"))
    judged = post(judge, ONE, 0, "ends")
    await_state(judge, judged, "running")
    await_begin(judge, judged)
    stream = watch(judge, judged)
    os.kill(judge.daemon.pid, signal.SIGTERM)
    await_that(lambda: drains(judge), "the judge drains")
    os.kill(judge.daemon.pid, signal.SIGTERM)
    assert await_end(judge) == 0
    assert rest(stream).endswith(b"\r\n0\r\n\r\n")
    let(judge, "ends")
    judge.start("--stay", "1")
    done = judge.wait_done(judged)
    assert done["attempt"] == 1 and [n["id"] for n in notes(judge) if n["what"] == "begin"] == [judged] * 2


def test_draining_has_a_limit(judge):
    start(judge, "Gpu", options=("--drain", "1"))
    judged = post(judge, ONE, 0, "never")
    await_state(judge, judged, "running")
    os.kill(judge.daemon.pid, signal.SIGTERM)
    assert await_end(judge) == 0
    assert "have not ended within 1 s" in judge.log.read_text()
    for value in ("-1", "x", "1.5", ""):
        run = subprocess.run([judge.prefix / "libexec/warpjudged", "--drain", value],
                             capture_output=True, text=True, timeout=BACKSTOP_S)
        assert run.returncode == 2 and "number of seconds" in run.stderr, run


def test_an_idle_judge_leaves_at_once(judge):
    """Also while a client is connected that asks nothing."""
    judge.start("--drain", "100000")
    judge.wait_done(judge.post(RIGHT))
    idle = socket.socket(socket.AF_UNIX)
    idle.connect(str(judge.home / "warpjudge.sock"))
    judge.let_leave()
    os.kill(judge.daemon.pid, signal.SIGINT)
    assert await_end(judge) == 0
    idle.close()


def test_a_true_judgement_ends(judge):
    judge.start("--drain", "100000")
    slow = judge.post(slow_once(RIGHT, 3))
    waits = judge.post(f"// another\n{RIGHT}")
    await_state(judge, slow, "running done")  # a busy machine may see only its end
    os.kill(judge.daemon.pid, signal.SIGTERM)
    assert await_end(judge) == 0
    judge.start("--stay", "1")
    status, got = judge.api("GET", f"/api/submissions/{slow}")
    assert got["state"] == "done" and got["verdict"] == "accepted", got
    assert judge.wait_done(waits)["verdict"] == "accepted"

"""The daemon's HTTP side under clients that mean no good, and under many of them."""
import json
import math
import os
import re
import resource
import socket
import time
from pathlib import Path

from harness import BACKSTOP_S, DEMO, LONG_CALL_S, slow_once

BUILD = "asan"

RIGHT = (DEMO / "right.cu").read_text()
SLOWER = (DEMO / "slower.cu").read_text()


def connect(judge, timeout=BACKSTOP_S):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(timeout)
    s.connect(str(judge.home / "warpjudge.sock"))
    return s


def memory_kib(pid):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise AssertionError("no VmRSS")


def cpu_seconds(pid):
    """Of the process's own; how busy the machine is changes nothing of it."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_methods_are_refused_in_json(judge):
    judge.start()
    for method in ("PUT", "DELETE", "PATCH", "TRACE"):
        for path in ("/api/health", "/api/submissions"):
            status, answer = judge.api(method, path)
            assert status == 405 and answer["error"], (method, path, status, answer)
    assert judge.api("POST", "/api/health", {})[0] == 405
    s = connect(judge)
    s.sendall(b"HEAD /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n"
              b"HEAD /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    answers = b"".join(iter(lambda: s.recv(65536), b""))
    s.close()
    assert answers.count(b"200 OK") == 2 and b"{" not in answers, answers
    assert judge.api("GET", "/api/health")[0] == 200


def test_only_our_names_and_pages(judge):
    """A page whose name leads here, one of another origin, and forms of either are refused."""
    port = judge.start("--listen", "127.0.0.1:0", "--open",
                       "--host-name", "judge.example,other")["port"]
    here = f"127.0.0.1:{port}"

    def ask(host, origin=None, method="GET", kind=None):
        s = socket.create_connection(("127.0.0.1", port), BACKSTOP_S)
        body = b"{}" if method == "POST" else b""
        lines = [f"{method} /api/{'submissions' if body else 'health'} HTTP/1.1", "Connection: close",
                 f"Content-Length: {len(body)}"]
        lines += [f"{k}: {v}" for k, v in (("Host", host), ("Origin", origin), ("Content-Type", kind)) if v]
        s.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        answer = b"".join(iter(lambda: s.recv(65536), b""))
        s.close()
        return int(answer.split()[1])

    for host in (here, f"localhost:{port}", "LOCALHOST.", "judge.example", "other:80", "[::1]:80", None):
        assert ask(host) == 200, host
    for host in ("evil.example", "judge.example.evil", "evil@localhost", "6.6.6.6", "[::2]", "other,", "",
                 "localhost:x", "[::1", "x" * 300):
        assert ask(host or " ") == 403, host
    assert ask("evil.example", "http://evil.example") == 403  # of the same origin by its own word
    assert ask(here, f"http://{here}") == 200
    assert ask(here, "http://evil.example") == 403
    assert ask(here, "null") == 403
    assert ask(None, "http://evil.example") == 403
    for kind in (None, "text/plain", "application/x-www-form-urlencoded", "application/jsonp"):
        assert ask(here, method="POST", kind=kind) == 415, kind
    for kind in ("application/json", "Application/JSON; charset=utf-8"):
        assert ask(here, method="POST", kind=kind) == 400, kind


def test_users(judge):
    judge.start()
    body = {"problem": "vector-addition", "filename": "k.cu", "source": "int x;"}
    for user, says in (("house", "reserved"), ("House", "reserved"), ("", "empty"),
                       ("x" * 65, "limit"), ("a\u009bb", "control"),
                       ("a\u202eb", "cannot be seen"), ("a\u200bb", "cannot be seen"),
                       ("\u00a0", "cannot be seen"), ("a\nb", "control"), ("a ", "space"),
                       ("h\u043euse", "look like"), ("h0use", "reserved"), ("hou-se.", "reserved"),
                       ("a b", "look like"), ("a/b", "look like")):
        status, answer = judge.api("POST", "/api/submissions", {**body, "user": user})
        assert status == 400 and says in answer["error"], (user, status, answer)
    source = judge.write("k.cu", "// warpjudge: vector-addition\nint x;\n")
    run = judge.cli("submit", "--user", "house", source, status=2)
    assert "reserved" in run.stderr, run.stderr
    assert judge.api("GET", "/api/submissions")[1]["submissions"] == []


def test_out_of_descriptors(judge):
    """Connections beyond the limit wait, and are served when others have gone."""
    judge.start()
    resource.prlimit(judge.daemon.pid, resource.RLIMIT_NOFILE, (40, 40))
    many = [connect(judge) for _ in range(60)]
    time.sleep(1.5)
    for s in many:
        s.close()
    assert judge.api("GET", "/api/health")[0] == 200


def test_a_long_queue_stays_quick(judge):
    judge.allow_long_calls()
    judge.start()
    judge.post(slow_once(RIGHT, LONG_CALL_S))  # so that only so many are compiled as wait compiled
    ids = [judge.post(f"// {i}\n{RIGHT}", user=f"u{i % 7}") for i in range(400)]
    before = cpu_seconds(judge.daemon.pid)
    for _ in range(20):
        assert judge.api("GET", "/api/submissions?limit=1000")[0] == 200
    assert cpu_seconds(judge.daemon.pid) - before < 10
    last = judge.api("GET", f"/api/submissions/{ids[-1]}")[1]
    assert last["state"] == "queued" and last["position"] > 100, last


def test_text_as_windows_saves_it(judge):
    """CRLF line ends, a byte order mark, and a name in Latin-1."""
    judge.start()
    crlf = RIGHT.replace("\n", "\r\n").encode()
    path = os.fsencode(judge.home) + b"/caf\xe9.cu"
    with open(path, "wb") as f:
        f.write(b"\xef\xbb\xbf" + crlf)
    run = judge.cli("submit", "--json", os.fsdecode(path), status=0)
    assert json.loads(run.stdout)["verdict"] == "accepted"


def test_a_result_says_what_it_changed(judge):
    """Against the user's best before it, and on the board; later results do not change what was told."""
    judge.start()
    slower, right = judge.write("slower.cu", SLOWER), judge.write("right.cu", RIGHT)
    judge.submit_json(slower, "--user", "ben", status=0)
    first = judge.submit_json(slower, "--user", "ada", status=0)
    assert first["change"] == {
        "improved": True, "best": None, "best_time_ns": None, "speedup": None, "sure": False,
        "rank_before": None, "rank": 1, "entries": 2, "passed": 0}, first
    run = judge.cli("submit", "--user", "ada", right, status=0)
    better = judge.api("GET", "/api/v1/submissions/3")[1]
    assert math.isclose(better["change"]["speedup"], first["time_ns"] / better["time_ns"]), better
    assert better["change"] | {"speedup": 0} == {
        "improved": True, "best": first["id"], "best_time_ns": first["time_ns"], "speedup": 0, "sure": True,
        "rank_before": 1, "rank": 1, "entries": 2, "passed": 1}, better
    assert re.search(r"  change \d\.\d\dx faster than your best \(submission 2\): still 1st of 2\n", run.stdout), run.stdout
    judge.submit_json(right, "--user", "cleo", status=0)
    listed = judge.api("GET", "/api/v1/submissions?user=ada")[1]["submissions"]
    assert [s["change"] for s in listed] == [better["change"], first["change"]], listed
    assert run.stdout.partition("  change")[2].splitlines()[0] in judge.cli("status", 3, status=0).stdout
    worse = judge.submit_json(slower, "--user", "ada", status=0)["change"]
    assert not worse["improved"] and worse["best"] == 3 and worse["speedup"] < 1 and worse["rank"] == 1, worse


def test_equal_times_are_not_called_faster(judge):
    judge.start()
    source = judge.write("right.cu", RIGHT)
    assert judge.submit_json(source, "--user", "ada", status=0)["best"] is True
    again = judge.submit_json(source, "--user", "ada", status=0)
    assert again["best"] is False and again["best_time_ns"] == again["time_ns"], again
    run = judge.cli("submit", "--user", "ada", source, status=0)
    assert "as fast as your best (submission 1), which stays on the board" in run.stdout, run.stdout
    other = judge.submit_json(source, "--user", "bob", status=0)
    assert other["rank"] == 1 and other["ties"] == 1 and other["percentile"] == 50, other
    run = judge.cli("status", other["id"], status=0)
    assert "1st of 2, level with 1 other" in run.stdout, run.stdout

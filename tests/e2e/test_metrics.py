"""The metrics, and the line in the log that each request gets."""
import json
import re
import socket
import time

from harness import BACKSTOP_S, DEMO, LONG_CALL_S, await_that, slow_once
from sse import Reader
from test_rights import Tcp, invite, join, narrow

RIGHT = (DEMO / "right.cu").read_text()
AT_ONCE, PER_S = 2000, 20  # judge/daemon/access.h


def metrics(judge):
    """The values by name and labels."""
    status, text, headers = judge.ask("GET", "/metrics")
    assert status == 200 and headers["Content-Type"].startswith("text/plain; version=0.0.4"), (status, text)
    return {k: float(v) for k, v in re.findall(r"^([a-z_]+(?:\{.*\})?) (\S+)$", text, re.M)}


def test_what_is_counted(judge):
    judge.start()
    before = metrics(judge)
    assert judge.wait_done(judge.post(RIGHT))["verdict"] == "accepted"
    assert judge.wait_done(judge.post("int x;", mode="run"))["verdict"] == "compile_error"
    assert judge.api("GET", "/nowhere")[0] == 404
    assert judge.api("GET", "/api/submissions/99")[0] == 404
    now = metrics(judge)

    def grown(name):
        return now[name] - before[name]

    verdict = 'warpjudge_verdicts_total{{verdict="{}",device_kind="emu",mode="{}"}}'.format
    assert grown(verdict("accepted", "submit")) == grown(verdict("compile_error", "run")) == 1
    assert sum(grown(k) for k in now if k.startswith("warpjudge_verdicts_total")) == 2
    for phase, count in (("compile", 2), ("tests", 1), ("timing", 1)):
        assert grown(f'warpjudge_phase_seconds_count{{phase="{phase}"}}') == count, phase
        assert grown(f'warpjudge_phase_seconds_sum{{phase="{phase}"}}') > 0, phase
    assert grown("warpjudge_wait_seconds_count") == 1
    requests = 'warpjudge_http_requests_total{{route="{}",method="{}",status="{}"}}'.format
    assert grown(requests("/api/submissions", "POST", "2xx")) == 2
    assert grown(requests("/api/submissions/*", "GET", "4xx")) == 1
    assert grown(requests("none", "any", "4xx")) == 1
    assert now['warpjudge_device_lost{device="emu"}'] == 0 and now["warpjudge_emulator_width"] == 1
    assert now["warpjudge_connections"] >= 1 and now["warpjudge_queue_stuck"] == 0
    for name in ('warpjudge_database_bytes{file="database"}', "process_resident_memory_bytes", "process_open_fds",
                 "process_cpu_seconds_total", "process_start_time_seconds"):
        assert now[name] > 0, name
    assert now["process_start_time_seconds"] <= time.time() + 1
    # What people name is no label.
    assert now.keys() == before.keys(), now.keys() ^ before.keys()
    assert "vector-addition" not in str(now) and "ada" not in str(now)


def test_what_waits_is_counted(judge):
    judge.allow_long_calls()
    judge.start()
    first = judge.post(slow_once(RIGHT, LONG_CALL_S))
    await_that(lambda: judge.api("GET", f"/api/submissions/{first}")[1]["state"] == "running", "the first one runs")
    for n in range(3):
        judge.post(f"// {n}\n{RIGHT}")
    now = metrics(judge)
    phases = {k: v for k, v in now.items() if k.startswith("warpjudge_queue_submissions") and v}
    assert phases.pop('warpjudge_queue_submissions{phase="running"}') == 1
    assert sum(phases.values()) == 3, phases
    assert now['warpjudge_device_busy{device="emu"}'] == 1 and now['warpjudge_device_waiting{device="emu"}'] == 3
    oldest = now["warpjudge_queue_oldest_wait_seconds"]
    await_that(lambda: metrics(judge)["warpjudge_queue_oldest_wait_seconds"] > oldest, "the oldest one waits longer")


def test_who_may_read_them(judge):
    """The staff, with a token that can do nothing else; test_rights.py has everybody."""
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"])
    token = narrow(tcp, join(judge, "prometheus", "staff"), "read")
    assert tcp.token("GET", "metrics", token)[0] == 200
    assert tcp.token("GET", "metrics", None)[0] == 401
    assert tcp.token("GET", "metrics", join(judge, "ada"))[0] == 403
    assert tcp.token("GET", "api/accounts", token)[0] == 403
    assert tcp.ask("GET", "metrics", headers=("X-Forwarded-For: 127.0.0.1",))[0] == 401


# --- the log -----------------------------------------------------------------------------------


def request_lines(judge):
    return [line for line in judge.log.read_text().splitlines() if " request user=" in line]


def raw(port, text):
    s = socket.create_connection(("127.0.0.1", port), BACKSTOP_S)
    s.sendall(text)
    answer = b"".join(iter(lambda: s.recv(65536), b""))
    s.close()
    return answer


def test_each_request_has_a_line(judge):
    port = judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"]
    tcp = Tcp(port)
    code = invite(judge, name="ada")
    token = tcp.ask("POST", "api/accounts", {"name": "ada", "invitation": code})[1]["token"]
    assert tcp.token("GET", "api/account?x=query-text", token)[0] == 200
    assert tcp.token("GET", f"api/problems/{token}", token)[0] == 404
    forged = b"2026-01-01 00:00:00.000 request user=root"
    for path in (b"/a\x1b[2J", b"/%0a" + forged.replace(b" ", b"%20"), b"/\xff\xfe", "/\u202e".encode()):
        raw(port, b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            b"User-Agent: x\x0b" + forged + b"\r\n\r\n")
    judge.stop()
    text = judge.log.read_text()
    for line in ("user=ada address=127.0.0.1 method=GET path=/api/account route=api/account status=200",
                 "user=root address=unix method=POST path=/api/invitations route=api/invitations status=201",
                 "user=- address=127.0.0.1 method=POST path=/api/accounts route=api/accounts status=201",
                 "user=ada address=127.0.0.1 method=GET path=/api/problems/wjt_... route=api/problems/* status=404"):
        assert f" request {line} bytes=" in text, (line, text)
    for secret in (token, code, token[4:], "query-text", "Bearer"):
        assert secret not in text, secret
    assert "user=root address=unix method=GET" not in text and "\x1b" not in text and "\u202e" not in text, text
    # The log of a program that is not ours may be in it, as the sandbox's or a sanitizer's.
    assert all(re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} ", line) for line in text.splitlines()), text


def test_a_stream_that_its_reader_leaves(judge):
    """What was answered is logged and counted: 200, whoever ends the stream."""
    judge.start()
    with Reader(judge, "/api/v1/events") as reader:
        assert reader.event()[0] == "reset"
    line = "method=GET path=/api/v1/events route=api/events status="
    await_that(lambda: line in judge.log.read_text(), "the line of the stream", judge.log.read_text)
    assert f"{line}200 bytes=" in judge.log.read_text(), judge.log.read_text()
    counted = 'warpjudge_http_requests_total{{route="/api/events",method="GET",status="{}xx"}}'.format
    assert (metrics(judge)[counted(2)], metrics(judge)[counted(4)]) == (1, 0)


def test_the_log_as_json(judge):
    judge.start("--log-format", "json")
    assert judge.api("GET", "/api/health")[0] == 200
    assert judge.api("GET", '/api/"\\x')[0] in (400, 404)
    judge.stop()
    rows = [json.loads(line) for line in judge.log.read_text().splitlines()]
    assert {row["event"] for row in rows} == {"message", "request"}, rows
    first = next(row for row in rows if row["event"] == "request")
    assert {k: type(v) for k, v in first.items()} == {
        "time": str, "event": str, "user": str, "address": str, "method": str, "path": str, "route": str, "status": int,
        "bytes": int, "ms": float}, first
    assert (first["path"], first["route"], first["status"]) == ("/api/health", "api/health", 200)
    assert first["bytes"] > 100 and re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}[+-]\d\d:\d\d", first["time"])


def test_a_flood_does_not_fill_the_log(judge):
    began = time.monotonic()
    port = judge.start("--listen", "127.0.0.1:0")["port"]
    count = 2 * AT_ONCE
    one = b"GET /api/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n"
    s = socket.create_connection(("127.0.0.1", port), BACKSTOP_S)
    for _ in range(count // 100):
        s.sendall(one * 100)
        answers = b""
        while answers.count(b"HTTP/1.1 404") < 100:
            answers += s.recv(1 << 20)
    s.close()
    judge.stop()
    elapsed = time.monotonic() - began
    lines = len(request_lines(judge))
    left_out = sum(map(int, re.findall(r" (\d+) lines of requests were left out", judge.log.read_text())))
    assert lines + left_out == count and lines <= AT_ONCE + PER_S * elapsed + 1, (lines, left_out, elapsed)

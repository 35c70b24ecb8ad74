"""What one client may hold of the daemon, and what it is told. On the release build, because freed
memory stays in a build with sanitizers."""
import contextlib
import json
import resource
import socket
import sqlite3
import time

import crowd
from harness import BACKSTOP_S, DEMO, LONG_CALL_S, await_that, slow_once
from test_http import connect, memory_kib

RIGHT = (DEMO / "right.cu").read_text()
ALLOWED_KIB = 80 << 10


def raise_own_limit():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))


def ended(s):
    """All that comes until the daemon closes."""
    data = b""
    try:
        while chunk := s.recv(65536):
            data += chunk
    except ConnectionResetError:
        pass
    s.close()
    return data


def pump(judge, sockets, total):
    """Sends `total` bytes to each socket, as far as it is taken; what happens is no matter here."""
    left = {s: total for s in sockets}
    block = b" " * 65536
    stalled = 0
    while left and stalled < 200:
        sent = 0
        for s in list(left):
            try:
                n = s.send(block[:left[s]])
                sent += n
                left[s] -= n
            except BlockingIOError:
                continue
            except OSError:
                left[s] = 0
            if left[s] == 0:
                del left[s]
        stalled = 0 if sent else stalled + 1
        if not sent:  # the daemon may wait for a CPU: what it has not taken when it has answered so often it never takes
            assert judge.api("GET", "/api/health")[0] == 200
            time.sleep(0.02)


def refusals(answers, word):
    said = [json.loads(a.split(b"\r\n\r\n", 1)[1])["error"] for a in answers if a.startswith(b"HTTP/1.1 503")]
    assert all(b"\r\nRetry-After: " in a for a in answers if b" 503 " in a[:20]), answers[:3]
    assert said and all(word in text for text in said), (word, said[:3], [a[:80] for a in answers[:3]])


def test_unfinished_bodies_are_bounded(judge):
    """40 bodies of 8 MB, each without its last byte. At 16 MB they once took 667 MB."""
    judge.start()
    before = memory_kib(judge.daemon.pid)
    many = [connect(judge) for _ in range(40)]
    for s in many:
        s.sendall(b"POST /api/submissions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                  b"Content-Length: 8388608\r\n\r\n")
        s.setblocking(False)
    pump(judge, many, (8 << 20) - 1)
    assert memory_kib(judge.daemon.pid) - before < ALLOWED_KIB
    # Whoever sends a small body is not held up by them.
    assert judge.api("POST", "/api/submissions", {"problem": 3})[0] == 400
    for s in many:
        s.setblocking(True)
        s.settimeout(0.5)
    answers = []
    for s in many:
        try:
            answers.append(ended(s))
        except TimeoutError:
            s.close()
    refusals(answers, "unfinished requests")


def long_message(judge, ident):
    """The judge as it is when a submission that was judged has a message of 300 kB."""
    judge.stop()
    with sqlite3.connect(judge.home / "leaderboard.db") as db:
        db.execute("UPDATE submissions SET message = ? WHERE id = ?", ("x" * 300_000, ident))
    db.close()
    judge.start()
    raise_own_limit()


def asked_and_unread(judge, path):
    """600 ask for an answer that waits in memory, and read it only when all have one."""
    before = memory_kib(judge.daemon.pid)
    many = [connect(judge) for _ in range(600)]
    for s in many:
        s.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    heads = [s.recv(12, socket.MSG_PEEK) for s in many]
    assert set(heads) == {b"HTTP/1.1 200", b"HTTP/1.1 503"}, set(heads)
    assert memory_kib(judge.daemon.pid) - before < ALLOWED_KIB
    assert judge.api("GET", "/api/health")[0] == 200
    answers = [ended(s) for s in many]
    refusals(answers, "answers wait to be read")
    assert all(len(a) > 300_000 for a in answers if a.startswith(b"HTTP/1.1 200"))


def test_answers_that_nobody_reads_are_bounded(judge):
    """Answers that are made whole wait in memory, and so does the last line of a stream."""
    crowd.fill(judge, 1)
    long_message(judge, 1)
    asked_and_unread(judge, "/api/submissions/1")
    assert judge.api("GET", "/api/submissions/1")[0] == 200
    asked_and_unread(judge, "/api/submissions/1/events")


def test_unread_boards_cost_little(judge):
    """A board is made as it is read: who asks for 6 MB and reads nothing holds a slice of it."""
    crowd.fill(judge, 20000)
    assert judge.api("GET", "/api/health")[0] == 200
    before = memory_kib(judge.daemon.pid)
    readers = [connect(judge) for _ in range(40)]
    for s in readers:
        s.sendall(f"GET /api/problems/vector-addition/board HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    for s in readers:
        assert s.recv(12) == b"HTTP/1.1 200"
    assert memory_kib(judge.daemon.pid) - before < 64 << 10
    for s in readers[:20]:
        s.close()
    # What a slow reader gets in the end is whole.
    data = b""
    while not data.endswith(b"0\r\n\r\n"):
        data += readers[-1].recv(1 << 20)
    assert data.count(b'"submission":') == 20000
    for s in readers[20:]:
        s.close()
    assert judge.api("GET", "/api/health")[0] == 200


def test_a_talkative_watcher_costs_little(judge):
    """What a watcher sends while it is being answered is not kept without limit."""
    judge.start()
    # Behind a submission that takes its time, so that the stream stays open.
    judge.post(slow_once(RIGHT, 8))
    waits = judge.post(RIGHT)
    before = memory_kib(judge.daemon.pid)
    s = connect(judge, 0.5)
    s.sendall(f"GET /api/submissions/{waits}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    sent = 0
    try:
        while sent < 256 << 20:
            sent += s.send(b"x" * (1 << 20))
    except (TimeoutError, OSError):
        pass
    after = memory_kib(judge.daemon.pid)
    s.close()
    assert after - before < 64 << 10, (before, after, sent)
    assert judge.wait_done(waits)["verdict"] == "accepted"


def test_what_comes_behind_a_stream_is_bounded(judge):
    """evhttp does not look at it, and nobody waits for the stream's end: 40 times 16 MB once stayed."""
    judge.start()
    before = memory_kib(judge.daemon.pid)
    many = [connect(judge) for _ in range(40)]
    for s in many:
        s.sendall(b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert s.recv(12) == b"HTTP/1.1 200"
        s.setblocking(False)
    pump(judge, many, 16 << 20)
    assert memory_kib(judge.daemon.pid) - before < ALLOWED_KIB
    # They are the ones that end, and no honest request of their client's.
    status, answer = judge.api("POST", "/api/submissions", {"source": " " * 200_000})
    assert status == 400 and "problem" in answer["error"], answer
    for s in many:
        s.close()


def test_a_source_is_read_in_pieces(judge):
    """With what JSON escapes, and characters of several bytes at each border of the pieces."""
    source = "// " + "\u00e9\U0001f600\"\\\t\r\n/// x" * 9000 + "\nint x;\n"
    crowd.fill(judge, 1)
    judge.stop()
    with sqlite3.connect(judge.home / "leaderboard.db") as db:
        db.execute("UPDATE sources SET text = ?", (source,))
    db.close()
    judge.start()
    status, answer = judge.api("GET", "/api/submissions/1/source")
    assert status == 200 and answer == {"filename": "k.cu", "source": source}, str(answer)[:200]


def test_many_small_values_are_refused(judge):
    judge.start()
    body = b'{"problem":[' + b"1," * 1_000_000 + b'1]}'
    status, answer = judge.api("POST", "/api/submissions", raw=body)
    assert status == 400 and "values" in answer["error"], answer


def test_idle_connections_make_way(judge):
    """Judging keeps descriptors however many connect, and who asks is answered."""
    judge.start()
    resource.prlimit(judge.daemon.pid, resource.RLIMIT_NOFILE, (400, 400))
    many = [connect(judge) for _ in range(300)]
    for s in many[::2]:
        try:
            s.sendall(b"GET /api/health HTTP/1.1\r\n")
        except BrokenPipeError:  # it has made way already
            pass
    waiting = judge.post(RIGHT)
    more = [connect(judge) for _ in range(300)]
    assert judge.wait_done(waiting)["verdict"] == "accepted"
    assert judge.wait_done(judge.post(RIGHT))["verdict"] == "accepted"
    assert "trouble" not in judge.api("GET", "/api/health")[1]
    refusals([ended(s) for s in many[:20]], "too many connections")
    for s in many[20:] + more:
        s.close()


def test_streams_have_a_share(judge):
    judge.allow_long_calls()
    judge.start()
    raise_own_limit()
    judge.post(slow_once(RIGHT, LONG_CALL_S))
    ident = judge.post(RIGHT)
    ask = f"GET /api/submissions/{ident}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    many, heads = [], set()
    for _ in range(1030):
        many.append(connect(judge))  # one on which nothing comes for 20 s is closed
        many[-1].sendall(ask)
        heads.add(many[-1].recv(12, socket.MSG_PEEK))
    assert heads == {b"HTTP/1.1 200", b"HTTP/1.1 503"}, heads
    refused = many[-1]
    text = refused.recv(4096)
    assert b"Retry-After" in text and b"streams of events" in text, text
    for s in many[:10]:
        s.close()

    def again():
        s = connect(judge)
        s.sendall(ask)
        try:
            return s.recv(12) == b"HTTP/1.1 200"
        finally:
            s.close()

    await_that(again, "a stream that has ended makes way for another")
    for s in many[10:]:
        s.close()


def test_two_addresses_leave_others_their_streams(judge):
    """Each has its share, and both together the cap. Who has few gets one; the oldest of most ends."""
    port = judge.start("--listen", "127.0.0.1:0", "--open")["port"]
    raise_own_limit()

    def stream(address):
        s = socket.create_connection(("127.0.0.1", port), BACKSTOP_S, source_address=(address, 0))
        s.sendall(f"GET /api/events HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n".encode())
        assert s.recv(12, socket.MSG_PEEK) == b"HTTP/1.1 200", s.recv(4096)
        return s

    many = [stream(address) for address in ("127.0.0.2", "127.0.0.3") for _ in range(1024)]
    honest = [stream("127.0.0.4") for _ in range(2)]
    first = many[0], many[1024]
    for s in first:
        assert ended(s).startswith(b"HTTP/1.1 200")
    for s in many + honest:
        s.close()


def test_slow_requests_end(judge):
    """A request whose bytes come one by one ends, as does a connection on which nothing comes."""
    judge.start()
    silent, slow, body = (connect(judge) for _ in range(3))
    slow.sendall(b"GET /api/health HT")
    body.sendall(b"POST /api/submissions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                 b"Content-Length: 100\r\n\r\n")
    slow.settimeout(1)
    deadline_bytes = BACKSTOP_S
    while deadline_bytes:  # a byte a second, until it is ended
        deadline_bytes -= 1
        try:
            with contextlib.suppress(BrokenPipeError):  # it has ended since the last look
                slow.send(b"x")
            first = slow.recv(4096)
            break
        except TimeoutError:
            continue
    for answer in (first + ended(slow), ended(silent), ended(body)):
        assert answer.startswith(b"HTTP/1.1 408") and b"did not come whole" in answer, answer

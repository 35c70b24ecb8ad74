"""Clients that mean no good, all at once, and honest people beside them. Loads end when they are told to, or with
the process that started them. Used by test_loads.py, which asserts what must be so, and by tests/bench/server.py, which measures."""
import http.client
import json
import multiprocessing
import os
import random
import resource
import selectors
import socket
import threading
import time
import uuid

from harness import BACKSTOP_S, DEMO

RIGHT = (DEMO / "right.cu").read_text()
ADDRESSES = 8  # of the loopback network, each a client of its own to the daemon
PEOPLE_ADDRESS = "127.0.0.99"
STEP_S = 0.02


def connect(port, address):
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    s.bind((address, 0))
    s.settimeout(10)
    s.connect(("127.0.0.1", port))
    s.setblocking(False)
    return s


def address(n):
    return f"127.0.0.{2 + n % ADDRESSES}"


class Crowd:
    """So many connections that are made again when the daemon ends them."""

    def __init__(self, port, count):
        self.port, self.count, self.sockets, self.made = port, count, [], 0

    def fill(self, first=b"", most=50):
        """Opens some of those that are missing, and sends the first bytes on each. Returns these sockets."""
        fresh = []
        for _ in range(min(most, self.count - len(self.sockets))):
            try:
                s = connect(self.port, address(self.made))
            except OSError:
                break
            self.made += 1
            try:
                if first:
                    s.send(first)
                fresh.append(s)
            except OSError:  # the daemon has refused it already
                s.close()
        self.sockets += fresh
        return fresh

    def drop(self, s):
        s.close()
        self.sockets.remove(s)


def idle(port, stop, count):
    """Connections on which nothing is sent."""
    crowd = Crowd(port, count)
    seen = selectors.DefaultSelector()
    while not stop.is_set():
        for s in crowd.fill():
            seen.register(s, selectors.EVENT_READ)
        for key, _ in seen.select(STEP_S):
            seen.unregister(key.fileobj)
            crowd.drop(key.fileobj)


def slow_writers(port, stop, count):
    """Submissions of which one byte comes at a time."""
    crowd = Crowd(port, count)
    head = b"POST /api/v1/submissions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 900000\r\n\r\n"
    while not stop.wait(STEP_S):
        crowd.fill(head)
        for s in list(crowd.sockets):
            try:
                s.send(b" ")
            except BlockingIOError:
                pass
            except OSError:
                crowd.drop(s)


def slow_readers(port, stop, count):
    """Long answers of which a kilobyte is taken at a time."""
    crowd = Crowd(port, count)
    while not stop.wait(STEP_S):
        crowd.fill(b"GET /api/v1/problems HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20)
        for s in list(crowd.sockets):
            try:
                if not s.recv(1024):
                    crowd.drop(s)
            except BlockingIOError:
                pass
            except OSError:
                crowd.drop(s)


def garbage(port, stop, count):
    """Bytes without a meaning, as fast as they are taken."""
    drawn = random.Random(os.getpid())
    blocks = [drawn.randbytes(1 << 16), b"GET / HTTP/1.1\r\n" + b"x: y\r\n" * 9000, b"{" * 65536]
    crowd = Crowd(port, count)
    while not stop.is_set():
        crowd.fill()
        sent = 0
        for s in list(crowd.sockets):
            try:
                sent += s.send(drawn.choice(blocks))
                s.recv(1 << 16)
            except BlockingIOError:
                pass
            except OSError:
                crowd.drop(s)
        if not sent:
            stop.wait(0.001)


KINDS = ((idle, 5000), (slow_writers, 200), (slow_readers, 200), (garbage, 8))


class Loads:
    """All of them, each a process of its own."""

    def __init__(self, port):
        self.stop = multiprocessing.Event()
        self.processes = [multiprocessing.Process(target=kind, args=(port, self.stop, count), daemon=True)
                          for kind, count in KINDS]

    def __enter__(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
        for p in self.processes:
            p.start()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        return self

    def __exit__(self, *_):
        self.stop.set()
        for p in self.processes:
            p.join(BACKSTOP_S)
        assert all(p.exitcode == 0 for p in self.processes), [p.exitcode for p in self.processes]


class Person:
    """Runs a kernel of their own once, and asks until it is judged."""

    def __init__(self, port, number):
        self.port, self.number = port, number
        self.key = uuid.uuid4().hex
        self.took_s, self.again, self.ident, self.done = [], 0, None, None

    def call(self, method, path, body=None):
        """Until there is an answer: a call that is refused or cut off is made again, as its sentence asks."""
        deadline = time.monotonic() + BACKSTOP_S
        while True:
            c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=BACKSTOP_S, source_address=(PEOPLE_ADDRESS, 0))
            began = time.perf_counter()
            try:
                c.request(method, path, body=json.dumps(body) if body else None, headers={
                    "Content-Type": "application/json", "Idempotency-Key": self.key})
                answer = c.getresponse()
                text = answer.read()
                self.took_s.append(time.perf_counter() - began)
                if answer.status < 300:
                    return json.loads(text)
                assert answer.status in (408, 429, 503), (answer.status, text)
            except (OSError, http.client.HTTPException):
                pass
            finally:
                c.close()
            assert time.monotonic() < deadline, f"nobody answers {method} {path}"
            self.again += 1
            time.sleep(0.1)

    def live(self):
        self.ident = self.call("POST", "/api/v1/submissions", {
            "problem": "vector-addition", "user": f"person{self.number}", "filename": "k.cu", "mode": "run",
            "source": f"// {self.number}\n{RIGHT}"})["id"]
        while True:
            row = self.call("GET", f"/api/v1/submissions/{self.ident}")
            if row["state"] == "done":
                self.done = row
                return
            time.sleep(0.1)


def people_run(port, count):
    people = [Person(port, n) for n in range(count)]
    threads = [threading.Thread(target=p.live) for p in people]
    for t in threads:
        t.start()
    for t in threads:
        t.join(BACKSTOP_S)
    return people

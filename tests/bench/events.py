#!/usr/bin/env python3
"""How fast an event reaches many who read it, and what they cost the daemon.

usage: events.py PREFIX [STREAMS] [REPEATS] [PAGES]

Opens STREAMS streams of server-sent events, of all submissions, and PAGES pages of submissions that wait,
each with the stream that its script opens. Then it prints how fast such a page is, and cancels a submission that
waits, REPEATS times, and prints when all streams have its `done`: since the request was sent, which
stores the verdict, and since the first stream had it. It prints what the daemon used of a CPU for
each, and what its memory grew by."""
import http.client
import resource
import select
import socket
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.dont_write_bytecode = True
import harness  # noqa: E402

ASK = b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n"


def resident_kib(pid):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def cpu_ms(pid):
    """What the daemon's thread has used: on a machine that others use, wall time says little."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e6


def connect(judge):
    s = socket.socket(socket.AF_UNIX)
    s.connect(str(judge.home / "warpjudge.sock"))
    return s


class Readers:
    def __init__(self, judge, count):
        self.poll = select.epoll()
        self.sockets = {}
        for _ in range(count):
            s = connect(judge)
            s.sendall(ASK)
            s.setblocking(False)
            self.sockets[s.fileno()] = s
            self.poll.register(s.fileno(), select.EPOLLIN)
        self.read = dict.fromkeys(self.sockets, b"")

    def until(self, words):
        """When the first and the last stream had these words."""
        left, first = set(self.sockets), None
        while left:
            for fd, _ in self.poll.poll():
                self.read[fd] = self.read[fd][-200:] + self.sockets[fd].recv(65536)
                if words in self.read[fd] and fd in left:
                    left.remove(fd)
                    first = first or time.perf_counter()
        return first, time.perf_counter()


class Pages:
    """Open pages of submissions: each has its connection, and a stream of its submission."""

    def __init__(self, port, idents):
        self.idents = idents
        self.pages = [http.client.HTTPConnection("127.0.0.1", port) for _ in idents]
        self.streams = [http.client.HTTPConnection("127.0.0.1", port) for _ in idents]
        for ident, stream in zip(idents, self.streams):
            stream.request("GET", f"/api/v1/submissions/{ident}/events", headers={"Accept": "text/event-stream"})
            assert stream.getresponse().status == 200

    def loaded(self):
        """Loads each once more, and returns how long each took."""
        took = []
        for ident, page in zip(self.idents, self.pages):
            begin = time.perf_counter()
            page.request("GET", f"/submissions/{ident}", headers={"Accept": "text/html"})
            answer = page.getresponse()
            text = answer.read()
            took.append(time.perf_counter() - begin)
            assert answer.status == 200 and b"data-events" in text, text
        return took


def cancelled(judge, readers, ident):
    body = b"{}"
    s = connect(judge)
    request = (f"POST /api/v1/submissions/{ident}/cancel HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
               f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n").encode() + body
    begin = time.perf_counter()
    s.sendall(request)
    first, last = readers.until(b'event: done\ndata: {"submission":%d,' % ident)
    s.close()
    return last - begin, last - first


def await_state(judge, ident, state):
    harness.await_that(lambda: judge.api("GET", f"/api/v1/submissions/{ident}")[1]["state"] == state, f"it is {state}")


def main():
    prefix = Path(sys.argv[1]).resolve()
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    repeats = int(sys.argv[3]) if len(sys.argv) > 3 else 15  # so many wait compiled
    open_pages = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    loaded = []
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    source = (harness.DEMO / "right.cu").read_text()
    with harness.Judge(prefix, own_cache=True) as judge:
        judge.allow_long_calls()
        port = judge.start("--listen", "127.0.0.1:0", "--sources", "public", "--open")["port"]
        held = judge.post(harness.slow_once(source, harness.LONG_CALL_S))
        await_state(judge, held, "running")
        idents = [judge.post(source) for i in range(repeats)]
        for ident in idents:
            await_state(judge, ident, "waiting")
        before = resident_kib(judge.daemon.pid)
        readers = Readers(judge, count)
        readers.until(b"event: live")
        grown = resident_kib(judge.daemon.pid) - before
        pages = Pages(port, [idents[i % repeats] for i in range(open_pages)])
        used = cpu_ms(judge.daemon.pid)
        for _ in range(20 if open_pages else 0):
            loaded += pages.loaded()
        page_used = (cpu_ms(judge.daemon.pid) - used) / max(len(loaded), 1)
        used = cpu_ms(judge.daemon.pid)
        figures = [cancelled(judge, readers, ident) for ident in idents]
        used = (cpu_ms(judge.daemon.pid) - used) / repeats
        grown_most = resident_kib(judge.daemon.pid) - before
        for s in readers.sockets.values():
            s.close()
        judge.api("POST", f"/api/v1/submissions/{held}/cancel", {})
        judge.stop()
    print(f"{count} streams of events, {open_pages} open pages, {repeats} events")
    if loaded:
        ms = sorted(v * 1000 for v in loaded)
        print(f"  a page, of {len(ms)}                             median {statistics.median(ms):7.2f} ms   "
              f"({ms[0]:.2f} to {ms[-1]:.2f}), CPU time {page_used:.2f} ms")
    for name, values in zip(("from the request to the last stream", "from the first stream to the last one"),
                            zip(*figures)):
        ms = sorted(v * 1000 for v in values)
        print(f"  {name:44} median {statistics.median(ms):7.1f} ms   ({ms[0]:.1f} to {ms[-1]:.1f})")
    print(f"  the daemon's CPU time for each               {used:14.1f} ms")
    print(f"  the daemon's memory grew by {grown / 1024:.1f} MiB when they were opened, "
          f"{grown_most / 1024:.1f} MiB at the end")


main()

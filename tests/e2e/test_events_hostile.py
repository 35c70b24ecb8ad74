"""Streams of events under readers that mean no good, or whose line is bad."""
import resource
import socket
import threading

from harness import BACKSTOP_S, DEMO, LONG_CALL_S, await_that, slow_once
from sse import Reader, Refused
from test_events import ALL, one, run_of

BUILD = "asan"

SLOW = "opens thousands of streams, and lets 8,192 events happen"

RIGHT = (DEMO / "right.cu").read_text()
KEPT = 8192  # events.h


def raise_own_limit():
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def cancel(judge, ident):
    """On a busy machine it may be judged before."""
    status, answer = judge.api("POST", f"/api/v1/submissions/{ident}/cancel", {})
    assert status in (200, 409), answer


def test_two_thousand_of_one_address(judge):
    """Half of them are refused, others are answered, and what is closed makes way."""
    raise_own_limit()
    port = judge.start("--listen", "127.0.0.1:0", "--open")["port"]
    readers, refused = [], 0
    for _ in range(1100):
        try:
            readers.append(Reader(port, ALL))
        except Refused as e:
            assert e.status == 503 and "streams of events" in e.body, e
            refused += 1
    assert len(readers) == 1024 and refused == 76
    with Reader(judge, ALL) as other:
        ident = judge.post("int x = ;")
        for reader in [other, *readers]:
            assert reader.until("done")[-1][1]["submission"] == ident
    for reader in readers:
        reader.sock.close()

    def again():
        try:
            with Reader(port, ALL) as reader:
                return reader.event()[0] == "reset"
        except Refused:
            return False

    await_that(again, "streams that were closed make way")


def test_the_log_leaves_readers_behind(judge):
    """A reader that comes back too late begins anew, and is told what is unfinished. One that does
    not read at all may be cut; it learns the end all the same."""
    raise_own_limit()
    judge.allow_long_calls()
    judge.start()
    held = judge.post(slow_once(RIGHT, LONG_CALL_S))
    with Reader(judge, ALL) as reader:
        last = now = reader.until("live")[-1][2]
    while int(now.split("-")[1]) - int(last.split("-")[1]) <= KEPT:
        idents = [judge.post(f"{RIGHT}// {i}\n") for i in range(140)]
        watchers = [Reader(judge, one(ident)) for ident in idents]
        for ident in idents:  # each moves those behind it up
            cancel(judge, ident)
        with Reader(judge, ALL) as reader:
            now = reader.until("live")[-1][2]
        for ident, watcher in zip(idents, watchers):
            events = watcher.until("done")
            if events[-1][0] != "done":
                with Reader(judge, one(ident), watcher.last) as again:
                    events = again.until("done")
            assert events[-1][1]["submission"] == ident and events[-1][0] == "done", events
            numbers = [int(i.split("-")[1]) for _, _, i in events if i]
            assert numbers == sorted(set(numbers)), numbers
            watcher.close()
    with Reader(judge, ALL, last) as reader:
        events = reader.until("live")
        assert events[0][:2] == ("reset", {"reason": "behind"}), events
        assert {d["submission"] for n, d, _ in events if n == "state"} <= {held}, events
    cancel(judge, held)


def test_readers_that_do_not_read(judge):
    """They hold up nobody, and go on where they were."""
    raise_own_limit()
    judge.start()
    judge.wait_done(judge.post(RIGHT))
    with Reader(judge, ALL) as reader:
        first = f"{run_of(reader.until('live')[-1][2])}-0"
    silent = [Reader(judge, ALL, first) for _ in range(100)]
    idents = [judge.post(RIGHT) for _ in range(4)]
    for ident in idents:
        judge.wait_done(ident)
    slow = silent[0]
    texts = set()
    for reader in silent[:20]:
        events = []
        while len([n for n, _, _ in events if n == "done"]) < 5:
            events.append(reader.event(most=1 if reader is slow else 65536))
        texts.add(repr(events))
        reader.close()
    assert len(texts) == 1
    for reader in silent[20:]:
        reader.sock.close()


def test_a_storm_of_readers_that_come_back(judge):
    """While two are judged, many are cut again and again. Each gets every event once."""
    judge.start()
    with Reader(judge, ALL) as reader:
        first = reader.until("live")[-1][2]
    ident = judge.post(slow_once(RIGHT, 2))
    found, faults = [], []

    def come_back(step):
        try:
            last, events = first, []
            while not events or events[-1][0] != "done":
                try:
                    with Reader(judge, one(ident), last) as reader:
                        for _ in range(step):
                            event = reader.event()
                            if event is None:
                                break
                            events.append(event)
                        last = reader.last
                except ConnectionError:
                    continue
            found.append(events)
        except Exception as e:
            faults.append(e)

    threads = [threading.Thread(target=come_back, args=(1 + i % 5,)) for i in range(12)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(BACKSTOP_S)
    assert not faults, faults
    # A place in the queue is told while somebody looks; all else is told to each.
    lists = {repr([e for e in events if "position" not in e[1]]) for events in found}
    assert len(found) == 12 and len(lists) == 1, lists
    assert [n for n, _, _ in found[0]].count("done") == 1


class Cutter:
    """A proxy that cuts each stream of events, a little later each time. The first cuts are so early
    that every stream gets so far, however fast the submission is judged."""

    EARLY = 3

    def __init__(self, port):
        self.port, self.most, self.cuts = port, 0, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.own_port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.carry, args=(client,), daemon=True).start()

    def carry(self, client):
        server = socket.create_connection(("127.0.0.1", self.port))
        asked = b""
        while b"\r\n\r\n" not in asked:
            piece = client.recv(65536)
            if not piece:
                break
            asked += piece
        events = b"/events" in asked.split(b"\r\n")[0]
        server.sendall(asked.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1))
        threading.Thread(target=self.forward, args=(client, server), daemon=True).start()
        left = 1 << 30
        if events:
            self.most += 20 if self.cuts < self.EARLY else 700
            left = self.most
            self.forward_head(server, client)
        while left > 0 and (piece := server.recv(min(left, 65536))):
            client.sendall(piece)
            left -= len(piece)
        self.cuts += events and left == 0
        for s in (client, server):
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            s.close()

    @staticmethod
    def forward_head(server, client):
        """The head of an answer, and nothing of its body."""
        head = b""
        while not head.endswith(b"\r\n\r\n") and (piece := server.recv(1)):
            head += piece
        client.sendall(head)

    @staticmethod
    def forward(client, server):
        try:
            while piece := client.recv(65536):
                server.sendall(piece)
        except OSError:
            pass


def test_the_command_line_survives_cuts(judge):
    """Its stream is cut again and again, and it tells the verdict all the same."""
    port = judge.start("--listen", "127.0.0.1:0", "--open")["port"]
    cutter = Cutter(port)
    try:
        run = judge.cli("submit", "--json", "--user", "ada", judge.write("k.cu", RIGHT), status=0,
                        env={"WARPJUDGE_URL": f"http://127.0.0.1:{cutter.own_port}"})
        assert '"verdict":"accepted"' in run.stdout.replace(" ", "").replace("\t", ""), run.stdout
        assert cutter.cuts >= Cutter.EARLY, cutter.cuts
    finally:
        cutter.listener.close()

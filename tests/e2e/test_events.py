"""Server-sent events: what they tell, to whom, and how a stream that was cut goes on."""
import json
import os
import signal
import threading

from harness import DEMO, LONG_CALL_S, TRIES, command_of, processes_with, slow_once
from sse import Reader, Refused, parsed
from test_rights import Tcp, join

RIGHT = (DEMO / "right.cu").read_text()
WRONG = (DEMO / "wrong-last.cu").read_text()
ORDER = ["queued", "compiling", "waiting", "running", "done"]
ALL = "/api/v1/events"


def one(ident):
    return f"/api/v1/submissions/{ident}/events"


def told(judge, ident, last=None):
    """All events of a submission up to its end."""
    with Reader(judge, one(ident), last) as reader:
        return reader.until("done")


def run_of(reader_or_id):
    return reader_or_id.split("-")[0]


def in_order(events):
    """States never go back within an attempt, and attempts only rise."""
    at = {}
    for name, data, _ in events:
        if name in ("state", "done"):
            now = data["attempt"], ORDER.index(data["state"])
            assert now >= at.get(data["submission"], (0, 0)), (data, at)
            at[data["submission"]] = now


def test_the_course_of_one(judge):
    judge.start()
    judge.post(slow_once(RIGHT, 3))
    ident = judge.post(RIGHT)
    begun = told(judge, ident)
    assert begun[0][:2] == ("reset", {"reason": "new"}) and begun[-1][0] == "done", begun
    in_order(begun)
    events = told(judge, ident, f"{run_of(begun[-1][2])}-0")
    assert events[0][0] == "state" and events[-1] == begun[-1], events
    in_order(events)
    states = {data["state"]: data for name, data, _ in events if name == "state"}
    assert {"compiling", "running"} <= set(states), events
    for state, data in states.items():
        assert ("position" in data and "estimate_seconds" in data) == (state in ("queued", "waiting")), data
        assert (data["user"], data["problem"], data["device"], data["mode"]) == (
            "ada", "vector-addition", "emu", "submit"), data
    done = judge.wait_done(ident)
    tests = [data["done"] for name, data, _ in events if name == "test"]
    assert tests == list(range(1, len(done["tests"]) + 1)), (tests, done["tests"])
    timings = [data for name, data, _ in events if name == "timing"]
    assert timings and timings[-1]["done"] == timings[-1]["of"], timings
    assert events[-1][1]["verdict"] == "accepted" and events[-1][1]["time_ns"] == done["time_ns"]
    numbers = [int(i.split("-")[1]) for _, _, i in events if i]
    assert numbers == sorted(set(numbers)), numbers


def test_a_wrong_one_and_one_that_does_not_compile(judge):
    judge.start()
    for source, verdict in ((WRONG, "wrong_answer"), ("int x = ;", "compile_error")):
        ident = judge.post(source)
        events = told(judge, ident)
        in_order(events)
        assert events[-1][1]["verdict"] == verdict and events[-1][1]["time_ns"] is None, events[-1]
        assert "message" not in json.dumps(events), events


def test_states_never_go_back(judge):
    """Neither in the stream nor in the answers of GET."""
    judge.start()
    seen, going = [], True

    def look():
        while going:
            for row in judge.api("GET", "/api/v1/submissions")[1]["submissions"]:
                seen.append(("state", {"submission": row["id"], "attempt": row["attempt"],
                                       "state": row["state"]}, None))

    with Reader(judge, ALL) as reader:
        looks = threading.Thread(target=look)
        looks.start()
        try:
            idents = [judge.post(f"{RIGHT}// {i}\n", user=f"u{i}", mode=("submit", "run")[i % 2])
                      for i in range(6)]
            events, left = [], set(idents)
            while left:
                events.append(reader.event())
                if events[-1][0] == "done":
                    left.discard(events[-1][1]["submission"])
        finally:
            going = False
            looks.join()
    in_order(events)
    in_order(seen)


def test_a_second_attempt_begins_anew(judge):
    judge.start()
    for _ in range(TRIES):  # on a busy machine it may be judged before its arbiter is killed
        ident = judge.post(slow_once(RIGHT, 5))
        events = []
        with Reader(judge, one(ident)) as reader:
            while not events or events[-1][0] != "done" and events[-1][1].get("state") != "running":
                events.append(reader.event())
            kill_arbiters(judge)
            events += reader.until("done")
        in_order(events)
        states = [(d["attempt"], d["state"]) for n, d, _ in events if n in ("state", "done")]
        if states[-1] == (2, "done"):
            assert (2, "running") in states and judge.wait_done(ident)["attempt"] == 2, states
            return
    raise AssertionError("no arbiter was killed while it judged")


def kill_arbiters(judge):
    for pid in processes_with(judge.home):
        if command_of(pid).endswith("warpjudge-arbiter"):
            os.kill(pid, signal.SIGKILL)


def test_cut_at_every_byte(judge):
    """Whatever a reader has got, the rest is what was missing."""
    judge.start()
    ident = judge.post(RIGHT)
    last = told(judge, ident)[-1][2]
    first = f"{run_of(last)}-0"
    with Reader(judge, one(ident), first) as reader:
        whole = reader.until("end")
        whole_text, size = reader.text, len(reader.text)
    assert whole[-1][0] == "done" and whole[0][1]["state"] in ORDER[:2], whole
    assert all(i for _, _, i in whole), whole
    rest = {}
    for cut in range(size + 1):
        if cut % 64 == 0:  # the daemon sees the end of the connection there
            with Reader(judge, one(ident), first) as reader:
                reader.read_only(cut)
        got, last = parsed(whole_text[:cut], first)
        if last not in rest:
            try:
                with Reader(judge, one(ident), last) as reader:
                    rest[last] = reader.until("end")
            except Refused as e:
                assert e.status == 204, (cut, e)
                rest[last] = []
        assert got + rest[last] == whole, (cut, last, got, rest[last])
    assert len(rest) == len(whole) + 1


def test_what_is_no_id_of_ours(judge):
    judge.allow_long_calls()
    judge.start()
    held = judge.post(slow_once(RIGHT, LONG_CALL_S))
    ident = judge.post(RIGHT)
    with Reader(judge, ALL) as reader:
        run = run_of(reader.until("live")[-1][2])
    for last in ("0", "-1", "1" + "0" * 18, f"{run}-1" + "0" * 18, f"{run}-99999999999999999999",
                 f"{run}--1", f"{run}-", f"{run}-1x", f"{run}-0x1", f"{run}- 1", "x", f"{run}x-1", "\xe4", "%00", "-",
                 "0-0", "x" * 4000):
        for path in (ALL, one(ident)):
            with Reader(judge, path, last) as reader:
                events = reader.until("live")
                assert events[0][:2] == ("reset", {"reason": "unknown"}), (last, events)
                told_of = {d["submission"] for n, d, _ in events if n in ("state", "done")}
                assert told_of <= {held, ident} if path == ALL else told_of == {ident}, (last, events)
    assert judge.api("POST", f"/api/v1/submissions/{held}/cancel", {})[0] in (200, 409)
    judge.wait_done(ident)
    # The number of an event of another submission's is a number as any.
    with Reader(judge, one(ident), f"{run}-1") as reader:
        events = reader.until("end")
    assert {d["submission"] for _, d, _ in events} == {ident} and events[-1][0] == "done", events


def test_after_the_daemon_was_started_again(judge):
    judge.start()
    idents = {judge.post(slow_once(RIGHT, 5)), judge.post(RIGHT)}
    ident = max(idents)
    with Reader(judge, ALL) as reader, Reader(judge, one(ident)) as alone:
        reader.until("live")
        alone.until("live")
        judge.kill()
        while reader.event() or alone.event():
            pass
    judge.start()
    with Reader(judge, ALL, reader.last) as again, Reader(judge, one(ident), alone.last) as alone:
        begun, alone = again.until("live"), alone.until("done")
        assert begun[0][:2] == alone[0][:2] == ("reset", {"reason": "unknown"}), (begun, alone)
        assert alone[-1][1]["verdict"] == "accepted", alone
        left = {data["submission"] for name, data, _ in begun if name == "state"}
        assert all(judge.wait_done(i) for i in idents - left)
        while left:
            left.remove(again.until("done")[-1][1]["submission"])
    # It is done, and was told so: a browser need not ask again.
    last = told(judge, ident, "none")[-1][2]
    for _ in range(2):
        try:
            raise AssertionError(told(judge, ident, last))
        except Refused as e:
            assert (e.status, e.body) == (204, ""), e


def test_the_end_of_the_daemon_is_the_end_of_a_stream(judge):
    judge.allow_long_calls()
    judge.start()
    ident = judge.post(slow_once(RIGHT, LONG_CALL_S))
    with Reader(judge, one(ident)) as reader:
        reader.until("live")
        judge.stop()
        assert "done" not in [n for n, _, _ in reader.until("done")]


def test_head_options_filters_and_comments(judge):
    port = judge.start("--listen", "127.0.0.1:0", "--open", "--allow-origin", "https://pages.example")["port"]
    quiet = Reader(judge, ALL)
    ident = judge.post(RIGHT, user="ada")
    other = judge.post(RIGHT, user="ben", problem="vector-addition", mode="run")
    for path in (ALL, one(ident)):
        with Reader(judge, path, method="HEAD") as reader:
            assert reader.headers["content-type"] == "text/event-stream"
            assert reader.block() is None
        with Reader(port, path, headers=["Accept-Encoding: gzip", "Origin: https://pages.example"]) as reader:
            assert reader.headers["content-type"] == "text/event-stream", reader.headers
            assert reader.headers["x-accel-buffering"] == "no" and reader.headers["cache-control"] == "no-store"
            assert reader.headers["access-control-allow-origin"] == "https://pages.example"
            assert "content-encoding" not in reader.headers
            reader.event()
            assert int(reader.retry) > 0
        status, _, headers = judge.ask("OPTIONS", path, headers={"Origin": "https://pages.example"})
        assert status == 204 and headers["Allow"] == "GET, HEAD, OPTIONS"
        assert "Last-Event-ID" in headers["Access-Control-Allow-Headers"]
        assert judge.api("POST", path, {})[0] == 405
    assert judge.api("GET", one(ident) + "?user=ada")[1]["code"] == "unknown_parameter"
    assert judge.api("GET", ALL + "?limit=1")[1]["code"] == "unknown_parameter"
    for ident in (ident, other):
        judge.wait_done(ident)
    quiet.until("done"), quiet.until("done")
    start = f"{run_of(quiet.last)}-0"
    for query, wanted in (("user=ben", {other}), ("user=nobody", set()), ("problem=vector-addition", {1, 2}),
                          ("problem=softmax", set()), ("user=ada&problem=vector-addition", {1})):
        more = judge.post("int x = ;", user="eve", problem="relu")
        with Reader(judge, f"{ALL}?{query}", start) as reader, Reader(judge, f"{ALL}?user=eve", start) as eve:
            found = set()
            while len(found) < len(wanted):
                name, data, _ = reader.event()
                assert data["submission"] in wanted, (query, name, data)
                found |= {data["submission"]} if name == "done" else set()
            while eve.until("done")[-1][1]["submission"] != more:
                pass
    while quiet.comments == 0:  # they come while nothing happens
        assert quiet.block() is not None
        quiet.comments += quiet.text.endswith(b":\n\n")


def test_what_strangers_are_told(judge):
    """Of another's submission its states and its verdict, as the lists show them."""
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"])
    tokens = {who: join(judge, who, "staff" if who == "staff" else "member") for who in ("ada", "ben", "staff")}
    readers = {who: Reader(tcp.port, ALL, headers=[f"Authorization: Bearer {t}"]) for who, t in tokens.items()}
    readers["guest"] = Reader(tcp.port, ALL)
    status, answer = tcp.token("POST", "api/v1/submissions", tokens["ada"],
                               {"problem": "vector-addition", "source": WRONG, "mode": "run"})
    assert status == 201
    course = {"compiled", "test"}
    for who, reader in readers.items():
        events = reader.until("done")
        names = {name for name, _, _ in events}
        assert names & course == (course if who in ("ada", "staff") else set()), (who, names)
        assert names - course == {"reset", "live", "state", "done"}, (who, names)
        assert events[-1][1]["verdict"] == "wrong_answer" and "message" not in events[-1][1]
        # What was missed is told again to who may see it.
        with Reader(tcp.port, ALL, f"{run_of(reader.last)}-0",
                    [f"Authorization: Bearer {tokens[who]}"] if who in tokens else []) as again:
            names = {name for name, _, _ in again.until("done")}
            assert names & course == (course if who in ("ada", "staff") else set()), (who, names)
        reader.close()
    for token in ("ben", None):
        for last in (None, f"{run_of(reader.last)}-0"):
            try:
                with Reader(tcp.port, one(answer["id"]), last,
                            [f"Authorization: Bearer {tokens[token]}"] if token else []) as reader:
                    raise AssertionError(reader.until("done"))
            except Refused as e:
                assert e.status == 403 and "another's" in e.body, e


def test_rights_that_end(judge):
    """A stream ends with the token, the account or the role by which it was opened."""
    judge.allow_long_calls()
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"])
    mine, boss = join(judge, "ada"), join(judge, "boss", "admin")
    held = tcp.token("POST", "api/v1/submissions", mine,
                     {"problem": "vector-addition", "source": slow_once(RIGHT, LONG_CALL_S)})[1]["id"]

    def narrow():
        return tcp.token("POST", "api/v1/account/tokens", mine, {"scopes": "read"})[1]

    def opened(token, path):
        reader = Reader(tcp.port, path, headers=[f"Authorization: Bearer {token}"])
        reader.until("live")
        return reader

    def ends(reader):
        while reader.event() is not None:
            pass
        reader.close()

    first, second = narrow(), narrow()
    staying = opened(mine, ALL), opened(second["token"], one(held))
    going = opened(first["token"], ALL), opened(first["token"], one(held))
    assert tcp.token("DELETE", f"api/v1/account/tokens/{first['id']}", mine)[0] == 200
    for reader in going:
        ends(reader)
    # Those of other tokens go on: each of them gets the next event.
    next_one = tcp.token("POST", "api/v1/submissions", mine, {"problem": "vector-addition", "source": "int x = ;"})[1]["id"]
    while staying[0].until("done")[-1][1]["submission"] != next_one:
        pass
    going = [opened(boss, one(held)), staying[1], staying[0]]
    assert judge.api("POST", "/api/v1/accounts/boss", {"role": "member"})[0] == 200
    ends(going[0])
    assert tcp.token("DELETE", "api/v1/account?name=ada", mine)[0] == 200
    for reader in going[1:]:
        ends(reader)
    # What was told of the account before is told nobody any more.
    with Reader(judge, ALL, f"{run_of(staying[0].last)}-1") as reader:
        events = reader.until("live")
        assert events[0][:2] == ("reset", {"reason": "behind"}), events
        assert b"ada" not in reader.text, reader.text

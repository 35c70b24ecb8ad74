"""`cancel` in every state: nothing is lost, nothing is judged twice, and the device is free at once."""
import json
import random
import sqlite3
import subprocess
import time

from harness import DEMO, await_that, command_of, processes_with
from test_ahead import Played
from test_rights import Tcp, join, narrow

BUILD = "asan"

RIGHT = (DEMO / "right.cu").read_text()
# Both for as long as a call may take. A launch may execute less than that, so that the first has many.
ENDLESS = RIGHT.replace("C[i] = ", "for (int k = 0; k < 1000000 && clock64() > 0; k++) C[i] = ").replace(
    "    add<<<", "    for (;;)\n        add<<<")
ASLEEP = "#include <unistd.h>\n" + RIGHT.replace("{\n    add<<<", "{\n    sleep(600);\n    add<<<")
# It takes nvcc much longer than the test takes to cancel it.
HARD_TO_COMPILE = RIGHT + """
template <int N> struct deep { static constexpr long long value = deep<N - 1>::value + deep<N - 2>::value + N; };
template <> struct deep<0> { static constexpr long long value = 0; };
template <> struct deep<1> { static constexpr long long value = 1; };
constexpr long long loops() { long long s = 0; for (long long i = 0; i < 30000000; i++) s += i % 7; return s; }
static_assert(deep<800>::value != loops(), "");
"""


def cancel(judge, ident, status=200, **more):
    got, answer = judge.api("POST", f"/api/submissions/{ident}/cancel", {}, **more)
    assert got == status, (got, answer)
    return answer


def state(judge, ident):
    return judge.api("GET", f"/api/submissions/{ident}")[1]["state"]


def is_cancelled(judge, ident):
    """It is done for good, and what is in the database is that, once."""
    got = judge.api("GET", f"/api/submissions/{ident}")[1]
    assert (got["state"], got["verdict"]) == ("done", "cancelled") and "has cancelled it" in got["message"], got
    assert got["finished_ms"] >= got["created_ms"] and got["rank"] is None and got["tests"] == [], got
    with sqlite3.connect(judge.home / "leaderboard.db") as db:
        for table in ("tests", "samples", "entries"):
            assert db.execute(f"SELECT count(*) FROM {table} WHERE submission_id = ?", (ident,)).fetchone() == (0,)
    db.close()
    return got


def nothing_runs(judge):
    """No process of a judgement is left."""
    await_that(lambda: not [p for p in processes_with(judge.home) if p != judge.daemon.pid and
                            "warpjudge" in command_of(p)], "its processes are gone")


def test_while_it_waits_and_while_it_is_judged(judge):
    judge.allow_long_calls()
    judge.start()
    for source in (ENDLESS, ASLEEP):
        first, second, third = judge.post(source), judge.post(RIGHT), judge.post(RIGHT, user="ben")
        await_that(lambda: state(judge, first) == "running", "the first is judged")
        assert state(judge, second) in ("queued", "compiling", "waiting")
        cancel(judge, second)
        is_cancelled(judge, second)
        assert cancel(judge, first)["verdict"] == "cancelled"
        is_cancelled(judge, first)
        done = judge.wait_done(third)  # the device is free
        assert done["verdict"] == "accepted" and done["attempt"] == 1, done
        assert [e["user"] for e in judge.api("GET", "/api/problems/vector-addition/board")[1]["entries"]] == ["ben"]
        nothing_runs(judge)
        assert judge.api("GET", "/api/health")[1]["queued"] == 0
        with sqlite3.connect(judge.home / "leaderboard.db") as db:  # it had the device until then
            used = [db.execute("SELECT device_ms FROM submissions WHERE id = ?", (i,)).fetchone()[0]
                    for i in (first, second)]
        db.close()
        assert used[0] > 0 and used[1] == 0, used


def test_while_it_is_compiled(judge):
    judge.start("--stay", "1")  # another arbiter would be idle for a while
    for i in range(50):  # on a busy machine it may be compiled before the request comes
        ident = judge.post(f"{HARD_TO_COMPILE}// {i}\n")
        await_that(lambda ident=ident: state(judge, ident) != "queued", "it is compiled")
        compiling = state(judge, ident) == "compiling"
        if judge.api("POST", f"/api/submissions/{ident}/cancel", {})[0] == 200 and compiling:
            break
        judge.wait_done(ident)
    else:
        raise AssertionError("none was cancelled while it was compiled")
    is_cancelled(judge, ident)
    nothing_runs(judge)
    assert judge.wait_done(judge.post(RIGHT))["verdict"] == "accepted"
    is_cancelled(judge, ident)


def test_twice_and_too_late(judge):
    judge.allow_long_calls()
    judge.start()
    ident = judge.post(ASLEEP)
    assert cancel(judge, ident)["message"] == cancel(judge, ident)["message"]
    is_cancelled(judge, ident)
    done = judge.wait_done(judge.post(RIGHT))
    assert "judged already (accepted)" in cancel(judge, done["id"], 409)["error"]
    assert judge.api("GET", f"/api/submissions/{done['id']}")[1] == done
    assert "no submission 99" in cancel(judge, 99, 404)["error"]
    cancel(judge, "x", 400)
    for body in ([], {"id": 1}, {"user": 7}, {"user": "a b"}):
        assert judge.api("POST", f"/api/submissions/{ident}/cancel", body)[0] == 400, body
    # What is cancelled stays so, also when the daemon is killed.
    judge.kill()
    judge.start()
    is_cancelled(judge, ident)


def test_as_it_ends(judge):
    """Whoever comes first: one verdict, and the answer to the request says which."""
    seed = time.time_ns() % 100000
    print(f"      seed {seed}")
    rng = random.Random(seed)
    judge.start()
    judge.wait_done(judge.post(RIGHT))  # it is compiled, so that the moments spread over the judgement
    begun = time.monotonic()
    judge.wait_done(judge.post(RIGHT))
    usual = time.monotonic() - begun
    for _ in range(12):
        ident = judge.post(RIGHT)
        time.sleep(rng.uniform(0, 1.1 * usual))
        status, answer = judge.api("POST", f"/api/submissions/{ident}/cancel", {})
        done = judge.wait_done(ident)
        assert (status, done["verdict"]) in ((200, "cancelled"), (409, "accepted")), (status, answer, done)
        if status == 200:
            is_cancelled(judge, ident)
    assert judge.wait_done(judge.post(RIGHT))["verdict"] == "accepted"
    log = judge.log.read_text()
    assert "failed" not in log, log


def test_while_it_prepares_beside_another(judge):
    """The other one's judgement goes on, and the next one prepares in its place."""
    played = Played(judge)
    a, b, c = played.post(room=1, takes="1:let"), played.post(), played.post()
    assert played.wait(b, "start")["ahead"]
    cancel(judge, b)
    is_cancelled(judge, b)
    played.wait(b, "leave")
    assert played.wait(c, "start")["ahead"]
    played.let(a)
    played.done(a)
    played.done(c)
    assert [n["what"] for n in played.diary() if n["id"] == b] == ["start", "leave"], played.diary()
    is_cancelled(judge, b)


def test_while_another_prepares_beside_it(judge):
    """The other one, which is prepared, gets the device when this one's arbiter is gone."""
    played = Played(judge)
    a, b = played.post(room=1, takes="1:let"), played.post()
    played.wait(b, "start")
    cancel(judge, a)
    is_cancelled(judge, a)
    played.done(b)
    assert played.wait(b, "go")["done"] == [a]
    rows = [(n["id"], n["what"]) for n in played.diary()]
    assert rows[:5] == [(a, "start"), (a, "go"), (b, "start"), (b, "go"), (b, "end")], rows


def test_between_two_attempts_and_while_it_leaves(judge):
    played = Played(judge)
    a, b = played.post(retry=1, leaves="0:let"), played.post(leaves="0:let")
    played.wait(a, "end")
    await_that(lambda: judge.api("GET", f"/api/submissions/{a}")[1]["attempt"] == 2, "it is judged again")
    cancel(judge, a)
    is_cancelled(judge, a)
    played.done(b)
    # The result of this one is recorded, and its arbiter is not gone yet.
    assert "judged already (runtime error)" in cancel(judge, b, 409)["error"]
    played.done(b)
    rows = [(n["id"], n["what"]) for n in played.diary()]
    assert rows == [(a, "start"), (a, "go"), (a, "end"), (b, "start"), (b, "go"), (b, "end")], rows
    is_cancelled(judge, a)


def test_what_cannot_be_stored(judge):
    """A result that waits for room on the disk: its submission is cancelled instead."""
    folder = judge.home / "inject"
    folder.mkdir()
    (folder / "samples-full").write_text("0 always")
    judge.env["WARPJUDGE_INJECT"] = str(folder)
    judge.start()
    ident = judge.post(RIGHT)
    await_that(lambda: judge.api("GET", "/api/health")[1].get("trouble"), "the disk is full")
    assert state(judge, ident) == "running"
    cancel(judge, ident)
    is_cancelled(judge, ident)
    (folder / "samples-full").unlink()
    assert judge.wait_done(judge.post(RIGHT))["verdict"] == "accepted"
    is_cancelled(judge, ident)
    assert "trouble" not in judge.api("GET", "/api/health")[1]


def test_whose_it_is(judge):
    judge.allow_long_calls()
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"])
    ada, mallory, staff = join(judge, "ada"), join(judge, "mallory"), join(judge, "boss", "staff")
    body = {"problem": "vector-addition", "source": ASLEEP}

    def post():
        status, answer = tcp.token("POST", "api/submissions", ada, body)
        assert status == 201, answer
        return f"api/submissions/{answer['id']}/cancel"

    path = post()
    weak_staff, reader = narrow(tcp, staff, "read,submit"), narrow(tcp, ada, "read")
    for token, named, wanted in ((None, {}, 401), (None, {"user": "ada"}, 401), (mallory, {}, 403),
                                 (mallory, {"user": "ada"}, 403), (mallory, {"user": "ADA"}, 403), (reader, {}, 403),
                                 (weak_staff, {}, 403), ("wjt_" + "0" * 64, {}, 401)):
        for headers in ((), ("X-Forwarded-User: ada", "X-Remote-User: ada")):
            status, answer = tcp.token("POST", path, token, named, headers=headers)
            assert status == wanted and answer["error"], (token, named, status, answer)
    for method in ("GET", "DELETE", "PUT"):
        assert tcp.token(method, path, ada)[0] == 405
    assert state(judge, 1) != "done"
    # Her own program, and the staff.
    status, answer = tcp.token("POST", path, narrow(tcp, ada, "submit"), {"user": "ADA"})
    assert status == 200 and answer["verdict"] == "cancelled" and answer["concealed"], answer
    assert is_cancelled(judge, 1)["message"] == "ada has cancelled it"
    assert tcp.token("POST", post(), staff, {})[0] == 200
    assert is_cancelled(judge, 2)["message"] == "boss has cancelled it"


def test_on_an_open_judge(judge):
    """Who may submit under a name may cancel what is submitted under it. An account's is not a guest's."""
    judge.allow_long_calls()
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--open", "--registration", "invitation")["port"])
    ada = join(judge, "ada")
    body = {"problem": "vector-addition", "source": ASLEEP}
    assert tcp.token("POST", "api/submissions", ada, body)[1]["id"] == 1
    assert tcp.ask("POST", "api/submissions", {**body, "user": "zoe"})[1]["id"] == 2
    for named in ("ada", "zoe"):
        status, answer = tcp.ask("POST", "api/submissions/1/cancel", {"user": named})
        assert status == 403, (named, answer)
    assert tcp.ask("POST", "api/submissions/2/cancel", {})[0] == 400
    assert tcp.ask("POST", "api/submissions/2/cancel", {"user": "ben"})[0] == 403
    assert tcp.token("POST", "api/submissions/2/cancel", ada, {})[0] == 403
    url = {"WARPJUDGE_URL": f"http://localhost:{tcp.port}", "WARPJUDGE_HOME": "", "WARPJUDGE_USER": "zoe"}
    assert "is cancelled" in judge.cli("cancel", "2", status=0, env=url).stdout
    assert is_cancelled(judge, 2)["message"] == "zoe has cancelled it"
    cancel(judge, 1)


def test_who_waits_for_it_is_told(judge):
    judge.allow_long_calls()
    judge.start()
    source = judge.write("asleep.cu", "// warpjudge: vector-addition\n" + ASLEEP)
    waits = subprocess.Popen([judge.bin, "submit", source], env=judge.env, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
    await_that(lambda: judge.api("GET", "/api/submissions/1")[0] == 200, "it is submitted")
    assert json.loads(judge.cli("cancel", "--json", "1", status=0).stdout)["verdict"] == "cancelled"
    out, err = waits.communicate()
    assert waits.returncode == 1 and out.startswith("cancelled  ") and "has cancelled it" in out, (out, err)
    done = judge.wait_done(judge.post(RIGHT))["id"]
    assert "judged already" in judge.cli("cancel", done, status=2).stderr
    for words in (("cancel",), ("cancel", "x"), ("cancel", "1", "2")):
        judge.cli(*words, status=2)

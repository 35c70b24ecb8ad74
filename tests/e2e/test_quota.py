"""What a member may use: submissions in flight and seconds of devices. test_rights.py has those of an hour."""
import json
import sqlite3
import time

from harness import DEMO
from test_cancel import ASLEEP
from test_pages_staff import member, send
from test_rights import Tcp, invite, join, narrow

RIGHT = (DEMO / "right.cu").read_text()
DAY_MS = 86400000


def head_of(tcp, method, path, token, body=None):
    """The status and the headers of an answer."""
    data = json.dumps(body) if body else ""
    status, answer = tcp.raw((f"{method} /{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                              f"Content-Type: application/json\r\nAuthorization: Bearer {token}\r\n"
                              f"Content-Length: {len(data)}\r\n\r\n{data}").encode())
    lines = answer.split(b"\r\n\r\n")[0].decode().split("\r\n")[1:]
    return status, {k.lower(): v for k, v in (line.split(": ", 1) for line in lines)}


def change(judge, sql, *values):
    with sqlite3.connect(judge.home / "leaderboard.db") as db:
        db.execute(sql, values)
    db.close()


def whoami(judge, tcp, token):
    run = judge.cli("whoami", status=0, env={"WARPJUDGE_URL": f"http://localhost:{tcp.port}", "WARPJUDGE_TOKEN": token})
    return run.stdout


def test_in_flight(judge):
    judge.allow_long_calls()
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--registration", "invitation", "--quota-in-flight", "2")["port"])
    ada, ben, staff = join(judge, "ada"), join(judge, "ben"), join(judge, "staff", "staff")
    body = {"problem": "vector-addition", "source": ASLEEP}
    for left in (1, 0):
        status, head = head_of(tcp, "POST", "api/submissions", ada, body)
        assert status == 201 and head["ratelimit"] == f'"in-flight";r={left}', head
        assert head["ratelimit-policy"] == '"in-flight";q=2;qu="concurrent-requests"', head
        assert "ratelimit-limit" not in head and "retry-after" not in head, head
    for path in ("api/submissions", "api/v1/submissions"):
        status, answer = tcp.token("POST", path, ada, body)
        assert status == 429 and "2 submissions in flight, and the quota is 2" in json.dumps(answer), answer
    status, head = head_of(tcp, "POST", "api/submissions", ada, body)
    assert int(head["retry-after"]) > 0 and head["ratelimit"].startswith('"in-flight";r=0;t='), head
    quota = tcp.token("GET", "api/account", ada)[1]["quota"]
    assert quota["in_flight"]["used"] == 2 and quota["in_flight"]["retry_s"] > 0, quota
    assert "per_hour" not in quota and "device_seconds" not in quota, quota
    assert "you have 2 of 2 submissions in flight: the next one" in whoami(judge, tcp, ada)
    # Another's places, a name that looks like another, and a forged header change nothing.
    assert tcp.token("POST", "api/submissions", ada, {**body, "user": "ADA"})[0] == 429
    assert tcp.token("POST", "api/submissions", ada, {**body, "user": "ben"})[0] == 403
    assert tcp.token("POST", "api/submissions", ada, body, headers=["X-Forwarded-For: 10.1.1.1"])[0] == 429
    assert tcp.token("POST", "api/submissions", narrow(tcp, ada, "read,submit,bulk,admin"), body)[0] == 429
    assert tcp.token("POST", "api/submissions", ben, body)[0] == 201
    for _ in range(3):
        assert tcp.token("POST", "api/submissions", staff, body)[0] == 201
    assert "quota" not in tcp.token("GET", "api/account", staff)[1]
    assert "ratelimit" not in head_of(tcp, "GET", "api/account", staff)[1]
    for _ in range(2):
        status, answer = tcp.token("POST", "api/submissions", narrow(tcp, staff, "read,submit,admin"), body)
    assert status == 429, answer
    # One that is cancelled makes room at once.
    assert tcp.token("POST", "api/submissions/2/cancel", ada, {})[0] == 200
    assert tcp.token("POST", "api/submissions", ada, body)[0] == 201
    # What was in flight counts also behind a restart.
    judge.stop()
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--quota-in-flight", "2")["port"])
    assert tcp.token("POST", "api/submissions", ada, body)[0] == 429
    for ident in range(1, 8):
        judge.api("POST", f"/api/submissions/{ident}/cancel", {})


def test_seconds_of_devices(judge):
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--registration", "invitation",
                          "--quota-device-seconds", "100", "--quota", "50")["port"])
    ada, staff = join(judge, "ada"), join(judge, "staff", "staff")
    body = {"problem": "vector-addition", "source": RIGHT}
    for token in (ada, staff):
        judge.wait_done(tcp.token("POST", "api/submissions", token, body)[1]["id"])
    with sqlite3.connect(judge.home / "leaderboard.db") as db:
        used = [row[0] for row in db.execute("SELECT device_ms FROM submissions ORDER BY id")]
    db.close()
    assert all(0 < ms < 1e6 for ms in used), used
    # One that does not compile counts nothing.
    judge.wait_done(tcp.token("POST", "api/submissions", ada, {**body, "source": "int x;"})[1]["id"])
    with sqlite3.connect(judge.home / "leaderboard.db") as db:
        assert db.execute("SELECT device_ms FROM submissions WHERE id = 3").fetchone() == (0,)
    db.close()
    now = time.time_ns() // 1000000
    for ident, ago, seconds in ((1, DAY_MS - 500000, 60), (3, 1000, 40)):
        change(judge, "UPDATE submissions SET device_ms = ?, created_ms = ?, finished_ms = ? WHERE id = ?",
               seconds * 1000 - 1, now - ago, now - ago, ident)
    assert tcp.token("GET", "api/account", ada)[1]["quota"]["device_seconds"] == {"limit": 100, "used": 99, "retry_s": 0}
    status, head = head_of(tcp, "GET", "api/health", ada)
    assert head["ratelimit"] == '"hour";r=49, "device-seconds";r=1', head
    change(judge, "UPDATE submissions SET device_ms = 40001 WHERE id = 3")
    status, answer = tcp.token("POST", "api/submissions", ada, body)
    assert status == 429 and "used 100 s of devices in the last 24 hours, and the quota is 100 s" in answer["error"], answer
    status, head = head_of(tcp, "POST", "api/submissions", ada, body)
    # There is room when the older one is a day old.
    assert 0 < int(head["retry-after"]) <= 501, head
    assert head["ratelimit"].startswith('"hour";r=49, "device-seconds";r=0;t='), head
    assert head["ratelimit-policy"] == '"hour";q=50;w=3600, "device-seconds";q=100;w=86400;qu="device-seconds"', head
    assert (head["ratelimit-limit"], head["ratelimit-remaining"]) == ("50", "49") and "ratelimit-reset" in head, head
    shown = whoami(judge, tcp, ada)
    assert "you have used devices for 100 of 100 s a day: the next one can be made in" in shown, shown
    assert tcp.token("POST", "api/submissions", staff, {**body, "source": "int x;"})[0] == 201
    change(judge, "UPDATE submissions SET finished_ms = created_ms, created_ms = created_ms - 600000,"
                  " finished_ms = finished_ms - 600000 WHERE id = 1")
    assert tcp.token("POST", "api/submissions", ada, {**body, "source": "int x;"})[0] == 201
    for ident in (4, 5):
        judge.wait_done(ident)


def test_what_is_graded_in_bulk_counts_for_no_quota(judge):
    """Lines that were graded use up nothing of a person's quotas, and hide nothing of what a person has used of them."""
    judge.allow_long_calls()
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--registration", "invitation", "--quota", "2",
                          "--quota-in-flight", "2", "--quota-device-seconds", "100")["port"])
    root, ada = join(judge, "root", "admin"), join(judge, "ada")
    # `by_hand` has no right to grade, and both have a member's quotas.
    by_hand, bulk = (narrow(tcp, root, scopes) for scopes in ("read,submit", "read,submit,bulk"))
    body = {"problem": "vector-addition", "source": "int x;"}
    lines = [body | {"mode": mode} for mode in ("grade", "grade_samples", "grade_compile")]

    def used(token):
        quota = tcp.token("GET", "api/account", token)[1]["quota"]
        return quota["used"], quota["in_flight"]["used"], quota["device_seconds"]["used"]

    def send(token, sent):
        status, answer = tcp.token("POST", "api/submissions", token, sent)
        return status, answer.get("id")

    # One that is in flight, under the grader's own name and, by an admin, under another's.
    asleep = [send(bulk, lines[0] | {"source": ASLEEP}), send(root, lines[0] | {"source": ASLEEP, "user": "ada"})]
    assert [status for status, _ in asleep] == [201, 201], asleep
    assert used(bulk) == used(by_hand) == used(ada) == (0, 0, 0)
    for _, ident in asleep:
        judge.api("POST", f"/api/submissions/{ident}/cancel", {})
        judge.wait_done(ident)
    graded = [ident for _, ident in asleep]
    for line in lines:
        status, ident = send(bulk, line)
        assert status == 201
        judge.wait_done(ident)
        graded.append(ident)
    for ident in graded:
        change(judge, "UPDATE submissions SET device_ms = 90000, finished_ms = ? WHERE id = ?", time.time_ns() // 1000000, ident)
    assert used(bulk) == used(by_hand) == used(ada) == (0, 0, 0)
    # What a person has used counts behind any number of younger lines that were graded.
    one, two = (send(token, body)[1] for token in (bulk, by_hand))
    for ident in (one, two):
        judge.wait_done(ident)
    for line in lines:
        judge.wait_done(send(bulk, line)[1])
    assert used(bulk) == used(by_hand) == (2, 0, 0)
    assert [send(token, body)[0] for token in (bulk, by_hand)] == [429] * 2
    change(judge, "UPDATE submissions SET device_ms = 120000 WHERE id = ?", one)
    assert used(by_hand) == (2, 0, 120)
    # Nobody gets past a quota by grading who may not grade, and who may is bound by none.
    for token in (by_hand, ada, narrow(tcp, ada, "read,submit,bulk")):
        assert [send(token, line)[0] for line in lines] == [403] * 3
    assert [send(bulk, line)[0] for line in lines] == [201] * 3


def test_no_clock_without_a_quota(judge):
    """Who has none costs no reading of the wall clock: the first one would make it jump. An idle daemon reads it neither."""
    folder = judge.home / "inject"
    folder.mkdir()
    judge.env["WARPJUDGE_INJECT"] = str(folder)
    judge.start("--registration", "invitation", "--quota", "1", "--quota-in-flight", "1", "--quota-device-seconds", "1")
    (folder / "clock-back").write_text("0")
    time.sleep(1.5)  # nor does the daemon's own look at its workers, each second
    for path in ("/api/health", "/api/account"):
        assert "quota" not in judge.api("GET", path)[1]
    assert (folder / "clock-back").exists()
    invite(judge)
    assert not (folder / "clock-back").exists()


def test_bad_quotas(judge):
    for flag, most in (("--quota", 10000), ("--quota-in-flight", 256), ("--quota-device-seconds", 10000000)):
        for value in ("0", "-1", "x", "1.5", str(most + 1)):
            run = judge.cli("serve", f"{flag}={value}", status=2)
            assert f"{flag} {value}: it must be a number of" in run.stderr, run.stderr


def own_form(page):
    """The form of a page that sets quotas."""
    return next(fields for _, _, fields in page.forms if fields.get("do") == "quota")


def test_quotas_of_one_account(judge):
    """An admin sets them, by a form, the API or the command line; the staff see what is used."""
    def end(idents):
        for ident in idents:  # one may be done already
            judge.api("POST", f"/api/submissions/{ident}/cancel", {})
            judge.wait_done(ident)

    port = judge.start("--listen", "127.0.0.1:0", "--registration", "invitation", "--quota", "1")["port"]
    tcp = Tcp(port)
    root, tea = member(judge, port, "root", "admin"), member(judge, port, "tea", "staff")
    ada, ben = join(judge, "ada"), join(judge, "ben")
    body = {"problem": "vector-addition", "source": "int x;"}
    path = "api/v1/accounts/ada/quota"
    none = {"per_hour": None, "in_flight": None, "device_seconds": None}
    assert judge.api("GET", "/" + path)[1] == {"user": "ada", "role": "member", "judge": none | {"per_hour": 1}, "own": none,
                                               "quota": {"per_hour": 1, "used": 0, "retry_s": 0}}
    assert [tcp.token("POST", "api/submissions", ada, body)[0] for _ in range(2)] == [201, 429]
    # The form shows what is set, keeps what was typed, and an empty field is the judge's.
    page = send(root, "/staff/users/ada", "quota", 400, per_hour="10001", in_flight="7")
    assert "per_hour is 10001: it must be a number from 0" in page.text, page.text
    assert own_form(page)["in_flight"] == "7"
    for bad in ("-1", "x", "1.5"):
        assert send(root, "/staff/users/ada", "quota", 400, in_flight=bad).text
    assert send(root, "/staff/users/ada", "quota", per_hour="3", device_seconds="500") == "/staff/users/ada"
    assert [tcp.token("POST", "api/submissions", ada, body)[0] for _ in range(3)] == [201, 201, 429]
    page = root.get("/staff/users/ada")
    fields = own_form(page)
    assert (fields["per_hour"], fields["in_flight"], fields["device_seconds"]) == ("3", "", "500"), fields
    assert "of 3, again in" in page.text and "of 500" in page.text, page.text
    assert tcp.token("GET", "api/account", ada)[1]["quota"]["per_hour"] == 3
    # The staff see it, and cannot set it.
    page = tea.get("/staff/users/ada")
    assert "of 3, again in" in page.text and not [f for f in page.forms if f[1].startswith("/staff/users")], page.forms
    assert "/staff/users/ada" in tea.get("/staff/users").links
    tea.get("/staff/users/nobody", 404)
    tea.post("/staff/users/ada", {"do": "quota", "form": page.form_token(), "per_hour": "9"}, 403)
    # The command line sets all three, and says what is.
    end(range(1, 4))
    told = judge.cli("admin", "quota", "ada", "hour=0", "in-flight=4", status=0).stdout
    assert told == ("submissions an hour: no limit, set for this account\n"
                    "submissions in flight: 0 of 4, set for this account\nseconds of devices a day: no limit\n"), told
    assert tcp.token("POST", "api/submissions", ada, body)[0] == 201
    assert "submissions an hour: 1 of 1\n" in judge.cli("admin", "quota", "ada", "judge", status=0).stdout
    assert tcp.token("POST", "api/submissions", ada, body)[0] == 429
    for words, says in ((["week=3"], "week=3 is no quota"), (["hour=x"], "hour=x: it must be a number"),
                        (["hour=-1"], "hour=-1: it must be"), (["hour=3", "judge"], "judge is no quota")):
        assert says in " ".join(judge.cli("admin", "quota", "ada", *words, status=2).stderr.split()), words
    assert judge.api("POST", "/api/v1/accounts/nobody/quota", {})[0] == 404
    # Another's are the judge's all the time, and a deleted account leaves none behind.
    assert [tcp.token("POST", "api/submissions", ben, body)[0] for _ in range(2)] == [201, 429]
    judge.cli("admin", "quota", "ada", "hour=9", status=0)
    end((4, 5))
    assert judge.api("DELETE", "/api/v1/accounts/ada?name=ada")[0] == 200
    with sqlite3.connect(judge.home / "leaderboard.db") as db:
        assert db.execute("SELECT count(*) FROM own_quotas").fetchone() == (0,)
    db.close()

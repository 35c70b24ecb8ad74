"""Each route as everybody who can call it: what a table says is what they get."""
import json
import re
import shutil
import socket
import sqlite3
import time

import answers
from harness import BACKSTOP_S, DEMO, ROOT

BUILD = "asan"

RIGHT = (DEMO / "right.cu").read_text()
ROUTE = re.compile(r'\{EVHTTP_REQ_(\w+), "([^"]+)", NEED_(\w+), \w+,\s+(?:NULL|"[\w ]+")\}')

# Everybody whom a request can come from.
WHO = ("guest", "member", "owner", "staff", "admin", "read-only", "submit-only", "staff-read-only",
       "expired", "revoked", "unknown", "closed", "basic", "worker")
GOOD = {"member", "owner", "staff", "admin"}
BAD = {"expired": 401, "revoked": 401, "unknown": 401, "basic": 401, "closed": 403}


def row(allowed, body=None, guest=401, done=200, rest=403):
    """allowed: who is answered with `done`. Of the others a guest gets `guest`, and the rest `rest`."""
    return {"allowed": set(allowed), "body": body, "guest": guest, "done": done, "rest": rest}


def group_row(allowed, body=None, done=200):
    """Who is not in a group is answered as if it were not there; a token must at least read."""
    return row(allowed, body, done=done, rest=404) | {"submit-only": 403}


EVERYBODY = set(WHO) - set(BAD) - {"worker"}  # a worker's token judges, and does nothing else
# What each route answers; SUB stands for a submission of the owner's.
EXPECTED = {
    ("GET", "api/openapi.json"): row(EVERYBODY),
    ("GET", "api/health"): row(EVERYBODY),
    ("GET", "api/metrics"): row({"staff", "admin", "staff-read-only"}),
    ("GET", "api/problems"): row(EVERYBODY),
    ("GET", "api/problems/*"): row(EVERYBODY),
    ("GET", "api/problems/*/board"): row(EVERYBODY),
    ("POST", "api/problems/*/board"): row({"admin"}, {}, done=400),  # without the device
    ("GET", "api/problems/*/preview"): row({"staff", "admin"}),
    ("GET", "api/problems/*/preview/events"): row({"staff", "admin"}),
    ("GET", "api/problems/*/hint"): row(EVERYBODY),
    ("GET", "api/problems/*/hint/source"): row(EVERYBODY),
    ("GET", "api/feed"): row(EVERYBODY),
    ("GET", "api/equal"): row({"staff", "admin"}),
    ("GET", "api/calibrations"): row({"staff", "admin"}),
    ("GET", "api/next"): row(EVERYBODY),
    ("GET", "api/users/*"): row(EVERYBODY),
    ("GET", "api/standings"): row(EVERYBODY),
    ("POST", "api/submissions"): row(
        GOOD | {"submit-only"}, {"problem": "vector-addition", "source": "int x;"}, done=201),
    ("GET", "api/submissions"): row(EVERYBODY),
    ("GET", "api/submissions/*"): row(EVERYBODY),
    ("DELETE", "api/submissions/*"): row({"admin"}, done=400),  # without the user
    ("GET", "api/submissions/*/source"): row({"owner", "staff", "admin"}, guest=403),
    ("GET", "api/submissions/*/assembly"): row({"owner", "staff", "admin"}, guest=403),
    ("POST", "api/assembly"): row(
        GOOD | {"submit-only"}, {"problem": "vector-addition", "source": "int x = y;"}),
    ("GET", "api/submissions/*/arrays"): row({"owner", "staff", "admin"}, done=404, guest=403),  # it has none
    ("GET", "api/submissions/*/events"): row({"owner", "staff", "admin"}, guest=403),
    ("GET", "api/events"): row(EVERYBODY),
    ("POST", "api/submissions/*/cancel"): row({"owner", "staff", "admin"}, done=409),
    ("GET", "api/account"): row(EVERYBODY),
    ("POST", "api/account"): row(GOOD, {"display_name": "Some Body"}),
    ("DELETE", "api/account"): row(GOOD, done=400),  # without the name: test_leaving.py
    ("GET", "api/account/export"): row(GOOD),
    ("DELETE", "api/account/token"): row(EVERYBODY - {"guest"}),
    ("GET", "api/account/tokens"): row(GOOD),
    ("POST", "api/account/tokens"): row(GOOD, {"scopes": "read"}, done=201),
    ("DELETE", "api/account/tokens/*"): row(GOOD, done=404),
    ("POST", "api/account/password"): row(GOOD, {"password": "short"}, done=400),
    ("DELETE", "api/account/password"): row(GOOD),
    ("DELETE", "api/account/session"): row(EVERYBODY - {"guest"}, done=400),  # it ends in test_sessions.py
    ("GET", "api/account/sessions"): row(GOOD),
    ("DELETE", "api/account/sessions/*"): row(GOOD, done=404),
    ("POST", "api/sessions"): row(set(), {"name": "owner"}, guest=400, rest=400),
    ("POST", "api/tokens"): row(set(), {"name": "owner"}, guest=400, rest=400),
    ("POST", "api/password"): row(set(), {"code": "wjr_" + "0" * 64, "password": "long enough"}, guest=403),
    ("GET", "api/accounts"): row({"staff", "admin"}),
    ("POST", "api/accounts"): row(set(), {"name": "new-one"}, guest=403),
    ("POST", "api/accounts/*"): row({"admin"}, {"role": "member"}),
    ("DELETE", "api/accounts/*"): row({"admin"}, done=400),
    ("POST", "api/accounts/*/assign"): row({"admin"}, {"from": "nobody-of-this-name"}, done=404),
    ("GET", "api/accounts/*/quota"): row({"staff", "admin"}),
    ("POST", "api/accounts/*/quota"): row({"admin"}, {}),
    ("POST", "api/accounts/*/reset"): row({"admin"}, {}, done=201),
    ("GET", "api/accounts/*/sessions"): row({"admin"}),
    ("DELETE", "api/accounts/*/sessions/*"): row({"admin"}, done=404),
    ("POST", "api/rejudgement"): row({"admin"}, {"submissions": "1000000"}, done=400),
    ("GET", "api/rejudgement"): row({"admin"}, done=404),
    ("DELETE", "api/rejudgement"): row({"admin"}, done=404),
    ("POST", "api/house"): row({"admin"}, {}, done=400),  # without the problems
    ("GET", "api/house"): row({"admin"}, done=404),
    ("DELETE", "api/house"): row({"admin"}, done=404),
    ("POST", "api/invitations"): row({"admin"}, {}, done=201),
    # The member "owner" teaches the group; the staff, who are not in it, do not know of it.
    ("POST", "api/account/groups"): row(GOOD, {"code": "wjg_" + "0" * 64}, done=403),
    ("GET", "api/groups"): row(EVERYBODY - {"guest", "submit-only"}),
    ("POST", "api/groups"): row({"staff", "admin"}, {"name": "No Name"}, done=400),
    ("GET", "api/groups/*"): group_row({"owner", "admin"}),
    ("DELETE", "api/groups/*"): group_row({"owner", "admin"}, done=400),
    ("GET", "api/groups/*/assignments"): group_row({"owner", "admin"}),
    ("POST", "api/groups/*/assignments"): group_row({"owner", "admin"}, {"name": "week"}, done=400),
    ("DELETE", "api/groups/*/assignments/*"): group_row({"owner", "admin"}, done=404),
    ("POST", "api/groups/*/assignments/*/extensions"): group_row({"owner", "admin"}, {"user": "owner"}, done=404),
    ("GET", "api/groups/*/codes"): group_row({"owner", "admin"}),
    ("POST", "api/groups/*/codes"): group_row({"owner", "admin"}, {"uses": 0}, done=400),
    ("DELETE", "api/groups/*/codes"): group_row({"owner", "admin"}),
    ("GET", "api/workers"): row({"staff", "admin"}),
    ("POST", "api/worker/register"): row({"worker"}, {}, done=400),
    ("POST", "api/worker/lease"): row({"worker"}, {}, done=409),
    ("POST", "api/worker/heartbeat"): row({"worker"}, {}, done=409),
    ("POST", "api/worker/result"): row({"worker"}, {}, done=409),
    ("POST", "api/worker/return"): row({"worker"}, {}, done=409),
    ("POST", "api/worker/leave"): row({"worker"}, {}, done=409),
    ("GET", "api/worker/problems/*"): row({"worker"}, done=404),
    ("GET", "api/worker/artefacts/*"): row({"worker"}, done=404),
    ("GET", "api/announcements"): row(EVERYBODY),
    ("POST", "api/announcements"): row({"admin"}, {"text": ""}, done=400),
    ("DELETE", "api/announcements/*"): row({"admin"}, done=404),
    ("GET", "api/queue"): row({"staff", "admin"}),
    ("GET", "api/grades"): row({"admin"}),
    ("GET", "api/groups/*/grades"): group_row({"owner", "admin"}),
    ("GET", "api/groups/*/members"): group_row({"owner", "admin"}),
    ("POST", "api/groups/*/members"): group_row({"owner", "admin"}, {"csv": ""}, done=400),
    ("POST", "api/groups/*/members/*"): group_row({"owner", "admin"}, {"standing": "member"}, done=404),
    ("DELETE", "api/groups/*/members/*"): group_row({"owner", "admin"}, done=404),
    ("POST", "api/groups/*/members/*/invitation"): group_row({"owner", "admin"}, {}, done=404),
}


def of_chunks(text):
    """The body of an answer that was sent in chunks."""
    body = b""
    while text:
        length, text = text.split(b"\r\n", 1)
        length = int(length, 16)
        body, text = body + text[:length], text[length + 2:]
    return body


class Tcp:
    """Requests over TCP, where nothing but a token says who asks."""

    source = None  # the address that it comes from

    def __init__(self, port):
        self.port = port

    def raw(self, text):
        s = socket.create_connection(("127.0.0.1", self.port), BACKSTOP_S,
                                     source_address=(self.source, 0) if self.source else None)
        s.sendall(text)
        answer = b""
        while b"event: live" not in answer and (piece := s.recv(65536)):  # a stream does not end
            answer += piece
        s.close()
        return int(answer.split()[1]), answer

    def ask(self, method, path, body=None, authorization=None, headers=()):
        data = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} /{path} HTTP/1.1", f"Host: localhost:{self.port}", "Connection: close",
                 f"Content-Length: {len(data)}", "Content-Type: application/json", *headers]
        if authorization:
            lines.append(f"Authorization: {authorization}")
        status, answer = self.raw("\r\n".join(lines).encode() + b"\r\n\r\n" + data)
        head, text = answer.split(b"\r\n\r\n", 1)
        kind = re.search(rb"Content-Type: ([^\r]*)", head)
        chunked = b"Transfer-Encoding: chunked" in head
        whole = not chunked or text.endswith(b"\r\n0\r\n\r\n")  # a stream is not
        if chunked and whole:
            text = of_chunks(text)
        if whole:
            answers.note(method, f"/{path}", status, kind[1].decode() if kind else None, text)
        try:
            return status, json.loads(text)
        except ValueError:
            return status, text.decode(errors="replace")

    def token(self, method, path, token, body=None, **more):
        return self.ask(method, path, body, f"Bearer {token}" if token else None, **more)


def invite(judge, **body):
    status, answer = judge.api("POST", "/api/invitations", body)
    assert status == 201, answer
    return answer["invitation"]


def join(judge, name, role="member"):
    """A new account's token."""
    status, answer = judge.api("POST", "/api/accounts", {
        "name": name, "invitation": invite(judge, name=name, role=role)})
    assert status == 201, answer
    return answer["token"]


def narrow(tcp, token, scopes):
    status, answer = tcp.token("POST", "api/account/tokens", token, {"scopes": scopes})
    assert status == 201, answer
    return answer["token"]


def expire(judge, number):
    """Makes a token old. Nobody but the daemon writes otherwise; a test cannot wait for days."""
    with sqlite3.connect(judge.home / "leaderboard.db") as db:
        db.execute("UPDATE tokens SET expires_ms = 1 WHERE id = ?", (number,))
    db.close()


def everybody(judge, tcp):
    """The Authorization header of each of WHO."""
    tokens = {who: join(judge, who, who if who in ("staff", "admin") else "member")
              for who in ("member", "owner", "staff", "admin", "closed")}
    tokens["read-only"] = narrow(tcp, tokens["member"], "read")
    tokens["submit-only"] = narrow(tcp, tokens["member"], "submit")
    tokens["worker"] = narrow(tcp, tokens["admin"], "worker")
    tokens["staff-read-only"] = narrow(tcp, tokens["staff"], "read")
    for who in ("expired", "revoked"):
        status, answer = tcp.token("POST", "api/account/tokens", tokens["admin"],
                                   {"scopes": "read,submit,bulk,admin"})
        assert status == 201, answer
        tokens[who] = answer["token"]
        if who == "expired":
            expire(judge, answer["id"])
        else:
            assert tcp.token("DELETE", f"api/account/tokens/{answer['id']}", tokens["admin"])[0] == 200
    assert judge.api("POST", "/api/accounts/closed", {"state": "closed"})[0] == 200
    headers = {who: f"Bearer {token}" for who, token in tokens.items()}
    headers["guest"] = None
    headers["unknown"] = "Bearer wjt_" + "0" * 64
    headers["basic"] = "Basic YWRtaW46YWRtaW4="
    return headers


def test_each_route_as_everybody(judge):
    call_each_route(judge, "api/")


def test_each_route_of_version_1_as_everybody(judge):
    call_each_route(judge, "api/v1/")


def call_each_route(judge, prefix):
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"])
    routes = {(m, p): need for m, p, need in ROUTE.findall((ROOT / "judge/daemon/routes.c").read_text())}
    assert set(routes) == set(EXPECTED), set(routes) ^ set(EXPECTED)
    headers = everybody(judge, tcp)
    status, answer = tcp.ask("POST", "api/submissions", {"problem": "vector-addition", "source": "int x;"},
                             headers["owner"])
    assert status == 201, answer
    sub = str(answer["id"])
    judge.wait_done(sub)
    arg = {"api/problems": "vector-addition", "api/submissions": sub, "api/accounts": "owner", "api/users": "owner",
           "api/account/tokens": "999999", "api/account/sessions": "999999", "api/announcements": "999999",
           "api/groups": "a-class", "api/worker/problems": "0" * 64, "api/worker/artefacts": "0" * 64}
    assert judge.api("POST", "/api/groups", {"name": "a-class", "teacher": "owner"})[0] == 201
    wrong = []
    # What ends a token comes last, and then the tokens that others have made come first.
    for method, pattern in sorted(EXPECTED, key=lambda r: r[1] == "api/account/token"):
        expected = EXPECTED[method, pattern]
        path = pattern.replace("/*", "/" + arg.get(pattern.split("/*")[0], ""), 1).replace("/*", "/999999")
        for who in reversed(WHO):
            status, answer = tcp.ask(method, path.replace("api/", prefix, 1), expected["body"], headers[who])
            wanted = (BAD[who] if who in BAD else
                      expected["done"] if who in expected["allowed"] else
                      403 if who == "worker" else
                      expected["guest"] if who == "guest" else expected.get(who, expected["rest"]))
            if status != wanted or (status >= 400 and not (answer["code"] and answer["detail"] if "/v1/" in prefix else answer["error"])):
                wrong.append((method, path, who, status, wanted, answer))
    assert not wrong, "\n".join(map(str, wrong))
    # What has no route has none for anybody.
    assert tcp.ask("PUT", "api/accounts/owner", {})[0] == 405
    assert tcp.ask("GET", "api/people")[0] == 404


def test_what_is_anothers_is_not_told(judge):
    """A submission's messages quote its source; who may not see the source sees no message."""
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"])
    ada, ben, eve = (join(judge, name) for name in ("ada", "ben", "eve"))
    secret = "my_secret_trick"
    source = RIGHT.replace("C[i] = ", f"C[i] = {secret} + ")
    status, answer = tcp.token("POST", "api/submissions", ada, {"problem": "vector-addition", "source": source})
    assert status == 201, answer
    sub = answer["id"]
    done = judge.wait_done(sub)
    assert done["verdict"] == "compile_error" and secret in done["message"], done
    for token in (ben, None):
        for path in (f"api/submissions/{sub}", "api/submissions", "api/submissions?user=ada",
                     f"api/submissions/{sub}/source", f"api/submissions/{sub}/events"):
            status, answer = tcp.token("GET", path, token)
            assert secret not in json.dumps(answer), (path, answer)
        status, answer = tcp.token("GET", f"api/submissions/{sub}", token)
        assert status == 200 and answer["concealed"] and answer["verdict"] == "compile_error", answer
        assert "tests" not in answer and "counters" not in answer and answer["message"] == "", answer
    run = judge.cli("status", sub, status=0,
                    env={"WARPJUDGE_URL": f"http://localhost:{tcp.port}", "WARPJUDGE_TOKEN": ben})
    assert "compile error" in run.stdout and "for its owner" in run.stdout and secret not in run.stdout, run.stdout
    status, answer = tcp.token("GET", f"api/submissions/{sub}", ada)
    assert secret in answer["message"] and "concealed" not in answer, answer
    assert secret in tcp.token("GET", f"api/submissions/{sub}/source", ada)[1]["source"]
    # Nor can anybody submit as another.
    for user in ("ada", "ADA", "somebody"):
        status, answer = tcp.token("POST", "api/submissions", eve,
                                   {"problem": "vector-addition", "source": "int x;", "user": user})
        assert status == 403 and "another name" in answer["error"], answer
    status, answer = tcp.token("POST", "api/submissions", eve,
                               {"problem": "vector-addition", "source": "int x;", "user": "EVE"})
    assert status == 201 and judge.wait_done(answer["id"])["user"] == "eve"


def test_sources_for_who_has_solved_it(judge):
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--registration", "invitation",
                          "--sources", "solved")["port"])
    ada, ben = (join(judge, name) for name in ("ada", "ben"))
    body = {"problem": "vector-addition", "source": RIGHT}
    sub = tcp.token("POST", "api/submissions", ada, body)[1]["id"]
    path = f"api/submissions/{sub}/source"
    judge.wait_done(sub)
    samples = tcp.token("POST", "api/submissions", ben, {**body, "mode": "run"})[1]["id"]
    judge.wait_done(samples)
    status, answer = tcp.token("GET", path, ben)
    assert status == 403 and "solved" in answer["error"], answer
    judge.wait_done(tcp.token("POST", "api/submissions", ben, body)[1]["id"])
    assert tcp.token("GET", path, ben)[0] == 200
    assert tcp.token("GET", path, None)[0] == 403
    assert tcp.token("GET", path, narrow(tcp, ben, "submit"))[0] == 403


def test_sources_of_a_problem(judge):
    """A spec lets more people see sources than the server says, and never fewer: for each role, on each path."""
    problems = judge.home / "problems"
    spec = json.loads((ROOT / "problems/vector-addition/problem.json").read_text())
    for slug in ("owner", "solved", "public", "gone", "broken"):
        shutil.copytree(ROOT / "problems/vector-addition", problems / slug)
        said = {"sources": slug if slug in ("owner", "solved") else "public"}
        (problems / slug / "problem.json").write_text(json.dumps(spec | said))
    judge.env["WARPJUDGE_PROBLEMS"] = str(problems)
    subs, headers = {}, {}
    everybody_sees, solvers = EVERYBODY, {"member", "read-only", "owner", "staff", "admin"}
    always = {"owner", "staff", "admin"}
    for server in ("owner", "solved", "public"):
        tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--registration", "invitation", "--sources", server)["port"])
        if not headers:
            headers = everybody(judge, tcp)
            del headers["worker"]  # it sees nothing
            for slug in ("owner", "solved", "public", "gone", "broken"):
                subs[slug] = tcp.ask("POST", "api/submissions", {"problem": slug, "source": "int secret;"},
                                     headers["owner"])[1]["id"]
                judge.wait_done(subs[slug])
                if slug in ("owner", "solved"):  # the member has solved these two
                    done = judge.wait_done(tcp.ask("POST", "api/submissions", {"problem": slug, "source": RIGHT},
                                                   headers["member"])[1]["id"])
                    assert done["verdict"] == "accepted", done
            assert judge.api("GET", "/api/problems/solved")[1]["sources"] == "solved"
            shutil.rmtree(problems / "gone")
            (problems / "broken/problem.json").write_text(json.dumps(spec | {"sources": "public", "title": 7}))
        for slug, sub in subs.items():
            own = slug if slug in ("owner", "solved", "public") else "owner"
            said = max(own, server, key=("owner", "solved", "public").index)
            may = (everybody_sees if said == "public" else
                   solvers if said == "solved" and slug in ("owner", "solved") else always)
            for who in headers:
                for path in (f"api/submissions/{sub}/source", f"api/v1/submissions/{sub}/source"):
                    status, answer = tcp.ask("GET", path, None, headers[who])
                    assert status == BAD.get(who, 200 if who in may else 403), (server, slug, who, status, answer)
                if who in BAD:
                    continue
                shown = tcp.ask("GET", f"api/submissions/{sub}", None, headers[who])[1]
                assert ("concealed" in shown) == (who not in may) == ("tests" not in shown), (server, slug, who, shown)
                listed = {s["id"]: s for s in tcp.ask("GET", "api/submissions", None, headers[who])[1]["submissions"]}
                assert ("concealed" not in listed[sub]) <= (who in may), (server, slug, who, listed[sub])
        judge.stop()


def test_quota(judge):
    """A member's; of who has used it up nothing is stored, and the staff has none."""
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--registration", "invitation", "--quota", "2")["port"])
    ada, ben, staff = join(judge, "ada"), join(judge, "ben"), join(judge, "staff", "staff")
    body = {"problem": "vector-addition", "source": "int x;"}
    for token in (ada, ada):
        assert tcp.token("POST", "api/submissions", token, body)[0] == 201
    assert tcp.token("GET", "api/health", ada)[1]["quota"]["used"] == 2
    status, answer = tcp.token("POST", "api/submissions", ada, body)
    assert status == 429 and "quota" in answer["error"], answer
    assert tcp.token("GET", "api/health", ada)[1]["quota"]["used"] == 2
    data = json.dumps(body)
    for token, wanted in ((ada, (b"429", b"remaining: 0", b"retry-after: 3")),
                          (ben, (b"201", b"remaining: 1", b"limit: 2"))):
        head = tcp.raw(f"POST /api/submissions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                       f"Content-Type: application/json\r\nAuthorization: Bearer {token}\r\n"
                       f"Content-Length: {len(data)}\r\n\r\n{data}".encode())[1].lower()
        assert all(w in head for w in wanted), head
    for _ in range(3):
        last = tcp.token("POST", "api/submissions", staff, body)
        assert last[0] == 201
    assert "quota" not in tcp.token("GET", "api/health", staff)[1]
    few = narrow(tcp, staff, "read,submit,admin")
    assert tcp.token("POST", "api/submissions", few, body)[0] == 429
    # What is older than an hour does not count.
    with sqlite3.connect(judge.home / "leaderboard.db") as db:
        db.execute("UPDATE submissions SET created_ms = created_ms - 3600000 WHERE id = 1")
    db.close()
    assert tcp.token("POST", "api/submissions", ada, body)[0] == 201
    run = judge.cli("status", status=0, env={"WARPJUDGE_URL": f"http://localhost:{tcp.port}", "WARPJUDGE_TOKEN": ada})
    assert "you have made 2 of 2 submissions an hour" in run.stdout, run.stdout
    judge.wait_done(last[1]["id"])


def test_open_and_guests(judge):
    """With --open a guest does what everybody did before there were accounts. A name that an
    account has is the account's."""
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--open")["port"])
    body = {"problem": "vector-addition", "source": "int x;"}
    status, answer = tcp.ask("POST", "api/submissions", body)
    assert status == 400 and "user is missing" in answer["error"], answer
    status, answer = tcp.ask("POST", "api/submissions", {**body, "user": "ada"})
    assert status == 201, answer
    assert tcp.ask("GET", f"api/submissions/{answer['id']}/source")[1]["source"] == "int x;"
    assert tcp.ask("GET", "api/accounts")[0] == 401
    assert tcp.ask("POST", "api/invitations", {})[0] == 401
    assert tcp.ask("POST", "api/accounts", {"name": "eve"})[0] == 403
    judge.stop()
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--open", "--registration", "invitation")["port"])
    ada = join(judge, "Ada")  # claims the name that is there
    for user in ("ada", "ADA"):
        status, answer = tcp.ask("POST", "api/submissions", {**body, "user": user})
        assert status == 403 and "belongs to an account" in answer["error"], answer
    assert tcp.token("POST", "api/submissions", ada, body)[0] == 201
    judge.stop()
    # Without --open a guest looks, and does nothing.
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0")["port"])
    assert tcp.ask("GET", "api/problems/vector-addition/board")[0] == 200
    assert tcp.ask("POST", "api/submissions", {**body, "user": "zoe"})[0] == 401


def test_a_public_address_needs_accounts(judge):
    for args in (("--listen", "0.0.0.0:0"), ("--listen", ":0"), ("--listen", "[::]:0")):
        judge.start(*args, wait=False)
        judge.daemon.stdout.read()
        assert judge.daemon.wait(BACKSTOP_S) == 2, args
        judge.daemon.stdout.close()
        judge.daemon = None
        assert "accounts are needed" in judge.log.read_text().splitlines()[-1], judge.log.read_text()
    assert not (judge.home / "first-admin").exists()
    judge.start("--listen", "0.0.0.0:0", "--open")
    judge.stop()


def test_the_first_admin(judge):
    port = judge.start("--listen", "0.0.0.0:0", "--registration", "closed")["port"]
    file = judge.home / "first-admin"

    def link():
        text = file.read_text().strip()
        assert file.stat().st_mode & 0o777 == 0o600 and text in judge.log.read_text(), text
        assert text.startswith(f"http://localhost:{port}/#wji_"), text
        return text.split("#")[1]

    old = link()
    assert (judge.home / "leaderboard.db").stat().st_mode & 0o777 == 0o600
    judge.stop()
    port = judge.start("--listen", "0.0.0.0:0", "--registration", "closed")["port"]
    tcp = Tcp(port)
    new = link()
    for invitation, name, says in ((old, "ada", "not known"), ("wji_" + "0" * 64, "ada", "not known"),
                                   ("x", "ada", "not known"), (None, "ada", "without an invitation"),
                                   (invite(judge), "ada", "not known"), (new, "house", "reserved")):
        status, answer = tcp.ask("POST", "api/accounts", {"name": name, "invitation": invitation})
        assert status in (400, 403) and says in answer["error"], (invitation, answer)
    status, answer = tcp.ask("POST", "api/accounts", {"name": "ada", "invitation": new})
    assert status == 201 and answer["role"] == "admin", answer
    assert not file.exists()
    assert tcp.ask("POST", "api/accounts", {"name": "eve", "invitation": new})[0] == 403
    assert tcp.token("GET", "api/account", answer["token"])[1]["role"] == "admin"
    assert b"wjt_" not in (judge.home / "leaderboard.db").read_bytes()
    judge.stop()
    # An account is there, so that the address needs no flag any more, and no link is made.
    judge.start("--listen", "0.0.0.0:0")
    assert not file.exists()
    assert judge.api("GET", "/api/account")[1]["registration"] == "invitation"


def test_who_asks_over_the_socket(judge):
    """The login; and a token says less, or another, than the socket it comes by."""
    judge.start()
    who = judge.api("GET", "/api/account")[1]
    assert who["role"] == "admin" and who["name"] and not who["account"], who
    mode = (judge.home / "warpjudge.sock").stat().st_mode & 0o777
    assert mode == 0o600, oct(mode)
    status, answer = judge.api("POST", "/api/submissions", {"problem": "vector-addition", "source": "int x;"})
    assert status == 201 and judge.wait_done(answer["id"])["user"] == who["name"], answer
    status, answer = judge.api("POST", "/api/account/tokens", {})
    assert status == 403 and "admin invite" in answer["error"], answer
    judge.stop()
    judge.start("--registration", "invitation")
    token = join(judge, "ben")
    assert judge.api("GET", "/api/account", headers={"Authorization": f"Bearer {token}"})[1]["role"] == "member"
    assert judge.api("GET", "/api/accounts", headers={"Authorization": f"bearer {token}"})[0] == 403
    assert judge.api("GET", "/api/accounts", headers={"Authorization": "Bearer"})[0] == 401
    assert judge.api("GET", "/api/accounts")[0] == 200


def test_tokens_end(judge):
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--registration", "open")["port"])
    status, answer = tcp.ask("POST", "api/accounts", {"name": "ada", "label": "laptop"})
    assert status == 201, answer
    ada = answer["token"]
    eve = tcp.ask("POST", "api/accounts", {"name": "eve"})[1]["token"]
    assert tcp.ask("POST", "api/accounts", {"name": "ADA"})[0] == 403
    status, week = tcp.token("POST", "api/account/tokens", ada,
                             {"days": 7, "label": "ci", "scopes": "read,submit,bulk,admin"})
    assert status == 201 and abs(week["expires_ms"] / 1000 - time.time() - 7 * 86400) < 86400, week
    status, child = tcp.token("POST", "api/account/tokens", week["token"], {"days": 3650})
    assert child["expires_ms"] == week["expires_ms"] and child["scopes"] == ["read", "submit"], child
    for body, says in (({"scopes": "read,write"}, "not a scope"), ({"scopes": ""}, "empty"),
                       ({"days": -1}, "days"), ({"days": 1.5}, "whole"), ({"days": "7"}, "whole"),
                       ({"label": "x" * 65}, "longer"), ({"label": 7}, "string"), ({"name": "x"}, "field")):
        status, answer = tcp.token("POST", "api/account/tokens", ada, body)
        assert status == 400 and says in answer["error"], (body, answer)
    tokens = tcp.token("GET", "api/account/tokens", ada)[1]["tokens"]
    assert [t["label"] for t in tokens] == ["laptop", "ci", ""] and tokens[0]["this"], tokens
    assert all(t["used_ms"] for t in tokens[:2]) and not tokens[2]["used_ms"], tokens
    assert "wjt_" not in json.dumps(tokens)
    # Another's token is as if it were not there.
    assert tcp.token("DELETE", f"api/account/tokens/{week['id']}", eve)[0] == 404
    # With a token those end that it made.
    assert tcp.token("DELETE", f"api/account/tokens/{week['id']}", ada)[0] == 200
    for token in (week["token"], child["token"]):
        status, answer = tcp.token("GET", "api/account", token)
        assert status == 401 and "revoked" in answer["error"], answer
    assert tcp.token("DELETE", "api/account/token", ada)[0] == 200
    assert tcp.token("GET", "api/health", ada)[0] == 401


def test_an_old_name_is_assigned(judge):
    judge.start("--registration", "invitation")
    old = judge.post(RIGHT, user="old-ada")
    judge.wait_done(old)
    join(judge, "ada", "admin")
    for path, body, status, says in (
            ("nobody", {"from": "old-ada"}, 404, "no account"),
            ("ada", {}, 400, "missing"), ("ada", {"from": "ada"}, 404, "without an account"),
            ("old-ada", {"from": "old-ada"}, 400, "no account, but")):
        got, answer = judge.api("POST", f"/api/accounts/{path}/assign", body)
        assert got == status and says in answer["error"], (path, body, got, answer)
    assert judge.api("POST", "/api/accounts/old-ada", {"role": "admin"})[0] == 400
    assert judge.api("POST", "/api/accounts/ADA/assign", {"from": "old-ada"})[0] == 200
    assert judge.api("GET", f"/api/submissions/{old}")[1]["user"] == "ada"
    board = judge.api("GET", "/api/problems/vector-addition/board")[1]["entries"]
    assert [e["user"] for e in board] == ["ada"], board
    assert [a["name"] for a in judge.api("GET", "/api/accounts")[1]["accounts"]] == ["ada"]

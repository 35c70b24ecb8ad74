"""Passwords, sessions and reset codes, and what an impostor tries with them."""
import concurrent.futures
import json
import re
import socket
import sqlite3
from pathlib import Path

from harness import BACKSTOP_S
from test_rights import EXPECTED, GOOD, Tcp, join, narrow

PASSWORD, OTHER = "correct horse battery", "another horse, longer"
LOCAL, SECURE = "warpjudge-session", "__Host-warpjudge"
NONE = "wjs_" + "0" * 64
PER_ADDRESS, PER_PAIR, PER_ACCOUNT = 40, 5, 200


class Page(Tcp):
    """A browser on a page of the judge's, or of another site, with the cookies that it got."""

    def __init__(self, port, host=None, scheme="http", origin=None, headers=()):
        super().__init__(port)
        self.host = host or f"localhost:{port}"
        self.origin = f"{scheme}://{self.host}" if origin is None else origin
        self.more = list(headers)
        self.cookies, self.set_cookie = {}, []

    def call(self, method, path, body=None, cookie=None, origin=None, headers=(), authorization=None):
        """(status, answer). origin: "" for none."""
        origin = self.origin if origin is None else origin
        cookie = "; ".join(f"{k}={v}" for k, v in self.cookies.items()) if cookie is None else cookie
        data = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} /api/v1/{path} HTTP/1.1", f"Host: {self.host}", "Connection: close",
                 f"Content-Length: {len(data)}", *self.more, *headers]
        if method == "POST":
            lines.append("Content-Type: application/json")
        lines += [f"Origin: {origin}"] * (origin != "" and method not in ("GET", "HEAD"))
        lines += [f"Cookie: {cookie}"] * bool(cookie)
        lines += [f"Authorization: Bearer {authorization}"] * bool(authorization)
        status, answer = self.raw("\r\n".join(lines).encode() + b"\r\n\r\n" + data)
        head, text = answer.split(b"\r\n\r\n", 1)
        self.head = head.decode()
        self.set_cookie = re.findall(r"Set-Cookie: ([^\r]*)", self.head)
        for line in self.set_cookie:
            name, value = line.split(";")[0].split("=", 1)
            self.cookies[name] = value
            if not value:
                assert "Max-Age=0" in line, line
                del self.cookies[name]
        return status, json.loads(text) if text and b"chunked" not in head else text

    def sign_in(self, name, password=PASSWORD, wanted=201):
        status, answer = self.call("POST", "sessions", {"name": name, "password": password})
        assert status == wanted, (status, answer)
        return answer

    def me(self, **how):
        return self.call("GET", "account", **how)[1]["name"]


def start(judge, *flags):
    return judge.start("--listen", "127.0.0.1:0", "--registration", "invitation", *flags)["port"]


def with_password(judge, port, name, role="member", password=PASSWORD):
    """A new account's token."""
    token = join(judge, name, role)
    status, answer = Tcp(port).token("POST", "api/account/password", token, {"password": password})
    assert status == 200, answer
    return token


def query(judge, sql):
    db = sqlite3.connect(judge.home / "leaderboard.db")
    with db:
        rows = db.execute(sql).fetchall()
    db.close()
    return rows


def reset_code(judge, name):
    status, answer = judge.api("POST", f"/api/accounts/{name}/reset", {})
    assert status == 201 and answer["name"] == name, answer
    return answer["code"]


def test_a_session_from_its_beginning_to_its_end(judge):
    port = start(judge)
    token = with_password(judge, port, "ada")
    page = Page(port, headers=["User-Agent: Firefox\x07 on Linux " + "x" * 100])
    answer = page.sign_in("ADA")
    assert answer["name"] == "ada" and answer["role"] == "member", answer
    line, = page.set_cookie
    assert line.startswith(f"{LOCAL}=wjs_") and line.endswith("; Path=/; Max-Age=5184000; HttpOnly; SameSite=Lax"), line
    secret = page.cookies[LOCAL]
    who = page.call("GET", "account")[1]
    assert who["name"] == "ada" and who["session"] and who["password"] and not who["token"], who
    assert who["scopes"] == ["read", "submit", "bulk", "admin"] and who["expires_ms"] > 0, who
    status, listed = page.call("GET", "account/sessions")
    row, = listed["sessions"]
    assert row["this"] and row["label"].startswith("Firefox") and len(row["label"]) <= 64 and "\x07" not in row["label"], row
    # Nothing that signs in is in the database, or in what is exported.
    files = b"".join(f.read_bytes() for f in judge.home.glob("leaderboard.db*"))
    assert secret.encode() not in files and PASSWORD.encode() not in files
    assert b"$argon2id$v=19$m=19456,t=2,p=1$" in files
    export = json.dumps(page.call("GET", "account/export")[1])
    assert '"sessions"' in export and '"password": true' in export and "argon2" not in export and "wjs_" not in export
    assert secret not in judge.log.read_text() and PASSWORD not in judge.log.read_text()
    # A session makes tokens, which are its account's.
    status, made = page.call("POST", "account/tokens", {"scopes": "read"})
    assert status == 201 and made["expires_ms"] is None, made
    assert page.call("DELETE", "account/token")[0] == 400
    # Signing out ends it, and removes the cookie.
    assert page.call("DELETE", "account/session")[0] == 200 and LOCAL not in page.cookies
    assert page.me(cookie=f"{LOCAL}={secret}") is None
    assert page.set_cookie == [f"{LOCAL}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax"], page.set_cookie
    assert page.me(authorization=token) == "ada"


def test_each_route_with_a_session_that_is_over(judge):
    """It is nobody's: each route answers as to a guest."""
    port = start(judge)
    with_password(judge, port, "owner", "admin")
    with_password(judge, port, "ada", "admin")
    over = {}
    for what in ("expired", "idle", "revoked", "changed", "deleted", "closed"):
        page = Page(port)
        page.sign_in("ada")
        over[what] = page.cookies[LOCAL]
    for name in ("deleted", "closed"):
        with_password(judge, port, name, "admin")
        page = Page(port)
        page.sign_in(name)
        over[name] = page.cookies[LOCAL]
    ids = [row[0] for row in query(judge, "SELECT id FROM sessions WHERE user_id = (SELECT id FROM users WHERE name = 'ada') ORDER BY id")]
    query(judge, f"UPDATE sessions SET expires_ms = 1 WHERE id = {ids[0]}")
    query(judge, f"UPDATE sessions SET used_ms = 1 WHERE id = {ids[1]}")
    assert judge.api("DELETE", f"/api/accounts/ada/sessions/{ids[2]}")[0] == 200
    good, page = Page(port), Page(port)
    good.sign_in("ada")
    assert good.call("POST", "account/password", {"current": PASSWORD, "password": OTHER})[0] == 200
    assert good.me() == "ada"
    assert judge.api("DELETE", "/api/accounts/deleted?name=deleted")[0] == 200
    assert judge.api("POST", "/api/accounts/closed", {"state": "closed"})[0] == 200
    assert query(judge, "SELECT count(*) FROM sessions s JOIN users u ON u.id = s.user_id WHERE u.name = 'ada'") == [(1,)]
    sub = str(judge.post("int x;", user="owner"))
    judge.wait_done(sub)
    arg = {"api/problems": "vector-addition", "api/submissions": sub, "api/accounts": "owner",
           "api/account/tokens": "999999", "api/account/sessions": "999999"}
    wrong = []
    over |= {"unknown": NONE, "not one": "x", "a token": "wjt_" + "0" * 64}
    for (method, pattern), expected in EXPECTED.items():
        if pattern.endswith("events"):
            continue  # the same right as its submission's source
        path = pattern.replace("/*", "/" + arg.get(pattern.split("/*")[0], ""), 1).replace("/*", "/999999")
        as_guest = page.call(method, path.removeprefix("api/"), expected["body"], cookie="")[0]
        for what, secret in over.items():
            status, answer = page.call(method, path.removeprefix("api/"), expected["body"], cookie=f"{LOCAL}={secret}")
            if status != as_guest or (method == "GET" and path == "api/account" and answer["name"] is not None):
                wrong.append((method, path, what, status, as_guest, answer))
    assert not wrong, "\n".join(map(str, wrong))
    assert good.me() == "ada"


def test_pages_of_others(judge):
    """What changes something comes from a page of the judge's, or has no effect."""
    port = start(judge, "--allow-origin", "https://pages.example", "--host-name", "judge.example")
    with_password(judge, port, "ada", "admin")
    page = Page(port)
    page.sign_in("ada")
    changes = [(m, p.removeprefix("api/").replace("*", "999999"), row["body"]) for (m, p), row in EXPECTED.items()
               if m != "GET"]
    for method, path, body in changes:
        for origin in ("", "null", "https://evil.example", "http://localhost", f"http://localhost:{port + 1}",
                       f"http://localhost.evil.example:{port}", f"http://127.0.0.1:{port}", "file://", "http://"):
            status, answer = page.call(method, path, body, origin=origin)
            assert status == 403, (method, path, origin, status, answer)
    assert page.me() == "ada"
    # A page that may call the API does so with a token: the session does not count for it.
    status, answer = page.call("POST", "account/tokens", {"scopes": "read"}, origin="https://pages.example")
    assert status == 401, answer
    assert "Access-Control-Allow-Credentials" not in page.head
    assert page.call("POST", "sessions", {"name": "ada", "password": PASSWORD}, origin="https://pages.example")[0] == 403
    assert page.call("GET", "account", headers=["Origin: https://pages.example"])[1]["name"] is None
    # A form sends another type.
    data = b'{"display_name": "x"}'
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        status, answer = page.raw((f"POST /api/v1/account HTTP/1.1\r\nHost: {page.host}\r\nOrigin: {page.origin}\r\n"
                                   f"Content-Type: {kind}\r\nCookie: {LOCAL}={page.cookies[LOCAL]}\r\n"
                                   f"Connection: close\r\nContent-Length: {len(data)}\r\n\r\n").encode() + data)
        assert status == 415, (kind, answer)
    # Behind TLS the page must have come by it, too.
    tls = Page(port, "judge.example", "https")
    tls.sign_in("ada")
    assert list(tls.cookies) == [SECURE] and tls.me() == "ada"
    assert tls.call("POST", "account", {"display_name": "Ada"}, origin="http://judge.example")[0] == 403
    assert tls.call("POST", "account", {"display_name": "Ada"})[0] == 200


def test_plain_http(judge):
    """No password is taken by it from another machine, and no session is used."""
    port = start(judge, "--host-name", "judge.example,10.0.0.1")
    with_password(judge, port, "ada")
    local = Page(port)
    local.sign_in("ada")
    tls = Page(port, "judge.example", "https")
    tls.sign_in("ada")
    line, = tls.set_cookie
    assert line.endswith("; Path=/; Max-Age=5184000; HttpOnly; SameSite=Lax; Secure"), line
    for host in ("judge.example", f"10.0.0.1:{port}"):
        plain = Page(port, host)
        for origin in (None, ""):
            status, answer = plain.call("POST", "sessions", {"name": "ada", "password": PASSWORD}, origin=origin)
            assert status == 403 and answer["code"] == "plain_http" and not plain.set_cookie, answer
        # What is for localhost is not taken, and neither is a cookie that says of itself that it is plain.
        assert plain.me(cookie=f"{LOCAL}={local.cookies[LOCAL]}") is None
        assert plain.me(cookie=f"{SECURE}={tls.cookies[SECURE]}", headers=["X-Forwarded-Proto: http"]) is None
        assert plain.call("POST", "account", {"display_name": "x"}, cookie=f"{SECURE}={tls.cookies[SECURE]}")[0] == 403
    by_proxy = Page(port, "judge.example", origin="", headers=["X-Forwarded-Proto: https"])
    by_proxy.sign_in("ada")
    assert list(by_proxy.cookies) == [SECURE]


def test_streams_end_with_their_session(judge):
    """Of one person's two streams of events, that of the session which is ended."""
    port = start(judge)
    with_password(judge, port, "ada")
    streams = []
    for _ in range(2):
        page = Page(port)
        page.sign_in("ada")
        s = socket.create_connection(("127.0.0.1", port), BACKSTOP_S)
        s.sendall((f"GET /api/v1/events HTTP/1.1\r\nHost: {page.host}\r\n"
                   f"Cookie: {LOCAL}={page.cookies[LOCAL]}\r\n\r\n").encode())
        assert s.recv(4096).startswith(b"HTTP/1.1 200"), page.host
        streams.append((page, s))
    (first, ended), (second, goes_on) = streams
    assert first.call("DELETE", "account/session")[0] == 200
    while ended.recv(65536):
        pass
    assert second.me() == "ada"
    goes_on.setblocking(False)
    try:
        while True:
            assert goes_on.recv(65536), "the other session's stream has ended, too"
    except BlockingIOError:
        pass
    for _, s in streams:
        s.close()


def test_cookies(judge):
    port = start(judge)
    ada, ben = with_password(judge, port, "ada"), with_password(judge, port, "ben")
    pages = {name: Page(port) for name in ("ada", "ben")}
    for name, page in pages.items():
        page.sign_in(name)
    a, b = (pages[name].cookies[LOCAL] for name in ("ada", "ben"))
    page = Page(port)
    for cookie in (f"{LOCAL}={a}; {LOCAL}={b}", f"{LOCAL}={a}; {LOCAL}={a}"):
        status, answer = page.call("GET", "account", cookie=cookie)
        assert status == 401 and "two cookies" in answer["detail"], answer
    assert page.call("GET", "account", headers=[f"Cookie: {LOCAL}={a}", f"Cookie: {LOCAL}={b}"])[0] == 401
    for cookie, name in ((f"a=b; {LOCAL}={a}; c", "ada"), (f"{LOCAL}={a};x={b}", "ada"), (f"{LOCAL}={NONE}", None),
                         (f"{LOCAL}={a.upper()}", None), (f"{LOCAL}={a}0", None), (f"{LOCAL}={a[:-1]}", None),
                         (f'{LOCAL}="{a}"', None), (f"{LOCAL.upper()}={a}", None), (f"x{LOCAL}={a}", None),
                         (f"{LOCAL}x={a}", None), (f"{LOCAL}=={a}", None), (f"{LOCAL}={ada}", None), (LOCAL, None),
                         (f"{LOCAL}", None), (";" * 4000, None), (f"{LOCAL}=wjs_' OR 1=1 --", None),
                         (f"token={ada}", None), (f"session={a}", None)):
        status, answer = page.call("GET", "account", cookie=cookie)
        assert status == 200 and answer["name"] == name, (cookie, answer)
    # A token is a person's own word, and comes first; one that is wrong is not made good by a cookie.
    assert page.me(cookie=f"{LOCAL}={a}", authorization=ben) == "ben"
    assert page.call("GET", "account", cookie=f"{LOCAL}={a}", authorization="wjt_" + "0" * 64)[0] == 401
    for authorization in (a, "wjr_" + a[4:]):
        assert page.call("GET", "account", authorization=authorization)[0] == 401
    # Over the Unix socket it is the login.
    assert judge.api("GET", "/api/account", headers={"Cookie": f"{LOCAL}={a}"})[1]["name"] != "ada"
    # Nobody ends another's.
    ident = query(judge, "SELECT s.id FROM sessions s JOIN users u ON u.id = s.user_id WHERE u.name = 'ada'")[0][0]
    assert pages["ben"].call("DELETE", f"account/sessions/{ident}")[0] == 404
    assert pages["ben"].call("DELETE", "account/sessions/all")[0] == 200
    assert pages["ada"].me() == "ada" and pages["ben"].me() is None


def test_a_proxys_word_beside_a_cookie(judge):
    """A trusted proxy decides; a header from anybody else says nothing, and the cookie counts."""
    for network, name in (("127.0.0.1", "zoe"), ("10.0.0.0/8", "ada")):
        port = start(judge, "--proxy", network, "--proxy-header", "X-User")
        if name == "zoe":
            with_password(judge, port, "ada")
            page = Page(port)
            page.sign_in("ada")
            secret = page.cookies[LOCAL]
        page = Page(port)
        assert page.me(cookie=f"{LOCAL}={secret}", headers=["X-User: zoe"]) == name
        assert page.me(cookie=f"{LOCAL}={secret}") == "ada"
        judge.stop()


def test_passwords(judge):
    port = start(judge)
    token = join(judge, "ada")
    tcp, page = Tcp(port), Page(port)

    def put(password, **more):
        return tcp.token("POST", "api/v1/account/password", token, {"password": password, **more})

    for password in ("", "short", "x" * 9, "\u00e9" * 9, "x" * 1025, "\u00e9" * 513):
        status, answer = put(password)
        assert status == 400 and answer["code"] == "invalid_member" and answer["pointer"] == "/password", (password, answer)
    assert put(None)[0] == 400 and put(17)[0] == 400
    for raw in (b'{"password": "0123456789\\u0000abc"}', b'{"password": "0123456789\0abc"}', b'{"password": "0123456789\xff"}',
                b'{"password": "0123456789", "password": "9876543210"}'):
        status, answer = tcp.raw((f"POST /api/v1/account/password HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                                  f"Content-Type: application/json\r\nAuthorization: Bearer {token}\r\n"
                                  f"Content-Length: {len(raw)}\r\n\r\n").encode() + raw)
        assert status == 400, (raw, answer)
    assert page.call("GET", "account", authorization=token)[1]["password"] is False
    # Bytes are taken as they are: no letter is made like another, and none is cut off.
    for password in ("\u00e9t\u00e9 \u00e0 la mer", " blanks at both ends ", "\U0001f511" * 10, "x" * 1024, "\u00e9" * 512, "tab\tand\nline"):
        assert put(password)[0] == 200, password
        page.sign_in("ada", password)
        for near in (password.upper(), password + " ", password[:-1], password.strip(), password.replace("\u00e9", "e\u0301")):
            if near != password and len(near.encode()) <= 1024:
                page.sign_in("ada", near, 403)
                page.sign_in("ada", password)  # so that the limit forgets it
    page.source = tcp.source = "127.0.0.77"
    # What is too long is refused before it is hashed.
    assert page.call("POST", "sessions", {"name": "ada", "password": "x" * 1025})[1]["code"] == "invalid_member"
    assert page.call("POST", "sessions", {"name": "ada", "password": "x" * (8 << 20)})[0] == 413
    # A session must prove the password of before; a token need not.
    assert put(PASSWORD)[0] == 200 and page.me() is None
    page.sign_in("ada")
    status, answer = page.call("POST", "account/password", {"password": OTHER})
    assert status == 400 and answer["pointer"] == "/current", answer
    for wrong in (OTHER, "", PASSWORD + "x"):
        status, answer = page.call("POST", "account/password", {"current": wrong, "password": OTHER})
        assert status == 403 and answer["code"] == "wrong_password", answer
    assert put(OTHER, current="wrong too")[0] == 403
    second = Page(port)
    second.sign_in("ada")
    assert page.call("POST", "account/password", {"current": PASSWORD, "password": OTHER})[0] == 200
    assert page.me() == "ada" and second.me() is None
    second.sign_in("ada", PASSWORD, 403)
    # It is removed by a token.
    assert page.call("DELETE", "account/password")[0] == 403
    for weak in ("read", "read,submit,bulk"):
        assert tcp.token("POST", "api/account/password", narrow(tcp, token, weak), {"password": OTHER})[0] == 403
    assert tcp.token("DELETE", "api/account/password", token)[0] == 200
    assert page.me() is None
    page.sign_in("ada", OTHER, 403)


def cpu_ticks(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def test_who_is_not_there_costs_the_same(judge):
    """The same answer after the same work, whatever the account is."""
    port = start(judge)
    with_password(judge, port, "ada")
    with_password(judge, port, "closed")
    join(judge, "bare")
    assert judge.api("POST", "/api/accounts/closed", {"state": "closed"})[0] == 200
    judge.post("int x;", user="older")
    cost, said = {}, set()
    # Each comes as if from addresses of its own, so that no limit is met.
    for i, name in enumerate(("ada", "closed", "bare", "older", "nobody")):
        before = cpu_ticks(judge.daemon.pid)
        for n in range(4):
            page = Page(port)
            page.source = f"127.0.{i + 1}.{n + 1}"
            status, answer = page.call("POST", "sessions", {"name": name, "password": "wrong password"})
            said.add((status, json.dumps(answer)))
        cost[name] = cpu_ticks(judge.daemon.pid) - before
    assert len(said) == 1 and "name or the password is wrong" in str(said), said
    # Each hashing is several ticks, and its absence none. A busy machine makes each take more.
    assert min(cost.values()) * 8 >= max(cost.values()) > 0, cost


def test_limits_of_an_account_from_one_address(judge):
    """Of an account, whether it is there or not. Another address, a token, a session and a code are not met by it."""
    port = start(judge)
    token = with_password(judge, port, "ada")
    before = Page(port)
    before.sign_in("ada")
    for name in ("ada", "nobody"):
        page = Page(port)
        for i in range(PER_PAIR):
            page.sign_in((name, name.upper())[i % 2], "wrong password", 403)
        # Delays double, so that there is one soon, however slow the machine is.
        said = [page.call("POST", "sessions", {"name": name, "password": "wrong password"})[0] for _ in range(30)]
        assert set(said) <= {403, 429} and 429 in said, said
    assert before.me() == "ada" and before.me(authorization=token) == "ada"
    status, answer = before.call("POST", "password", {"code": reset_code(judge, "ada"), "password": OTHER})
    assert status == 200 and answer == {"name": "ada"}, answer
    before.sign_in("ada", OTHER)  # the code has shown who is at this address


def wrong_from(port, source, name):
    """The status of a wrong password that comes from another address of this machine's."""
    s = socket.create_connection(("127.0.0.1", port), BACKSTOP_S, source_address=(source, 0))
    data = json.dumps({"name": name, "password": "wrong password"}).encode()
    s.sendall(f"POST /api/v1/sessions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
              f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)
    answer = b"".join(iter(lambda: s.recv(65536), b""))
    s.close()
    return int(answer.split()[1]), answer.decode()


def test_strangers_elsewhere_do_not_shut_out_the_owner(judge):
    """Wrong passwords from very many addresses hold up others that are new, and not the one that is known."""
    port = start(judge)
    with_password(judge, port, "ada")
    page = Page(port)
    page.sign_in("ada")
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        said = list(pool.map(lambda i: wrong_from(port, f"127.3.{i % 250}.{i // 250 + 1}", "Ada")[0],
                             range(PER_ACCOUNT + 60)))
    assert set(said) == {403, 429} and said.count(403) >= PER_ACCOUNT, said
    for _ in range(3):
        page.sign_in("ada")
    assert wrong_from(port, "127.4.0.1", "ben")[0] == 403


def test_addresses_behind_a_proxy(judge):
    """The last address that a trusted proxy names counts. From anybody else the header says nothing."""
    body = {"name": "nobody", "password": "wrong password"}
    for networks, trusted in (("127.0.0.1", True), ("10.0.0.0/8", False)):
        port = start(judge, "--proxy", networks)
        page = Page(port)

        def attempt(address):
            return page.call("POST", "tokens", body, headers=[f"X-Forwarded-For: 198.51.100.7, {address}"])[0]

        said = [attempt("192.0.2.1") for _ in range(40)]
        assert 429 in said and said[:PER_PAIR] == [403] * PER_PAIR, said
        others = [attempt(address) for address in ("192.0.2.2", "2001:db8::1", "192.0.2.3")]
        assert (others == [403] * 3) if trusted else (429 in [attempt("192.0.2.9") for _ in range(40)]), others
        for bad in ("unknown", "", "192.0.2.1:80", "192.0.2.0/24", ",", "x" * 100):  # it is the proxy's own then
            assert attempt(bad) in (403, 429), bad
        assert page.call("GET", "account", headers=["X-Forwarded-For: 127.0.0.1"])[1]["role"] == "guest"
        judge.stop()


def test_a_thousand_at_once(judge):
    """One address gets so many hashings and no more; others are answered, and no handler is held (harness.py)."""
    port = start(judge)
    with_password(judge, port, "ada")
    page = Page(port)
    page.sign_in("ada")
    with concurrent.futures.ThreadPoolExecutor(64) as pool:
        said = [pool.submit(wrong_from, port, "127.0.9.9", f"user{i}") for i in range(1000)]
        asked = [page.call("GET", "health")[0] for _ in range(50)]
        said = [f.result() for f in said]
    counts = {status: sum(1 for s, _ in said if s == status) for status in (403, 429, 503)}
    assert sum(counts.values()) == 1000 and set(asked) == {200}, counts
    # A delay ends while the test runs, on a machine that is slow: each doubles, so that few do.
    assert PER_ADDRESS <= counts[403] + counts[503] <= PER_ADDRESS + 12 and counts[429] > 900, counts
    for status, answer in said:
        assert status == 403 or int(re.search(r"Retry-After: (\d+)", answer)[1]) > 0, answer
    assert page.me() == "ada"
    page.sign_in("ada")  # from another address


def test_reset_codes(judge):
    port = start(judge)
    with_password(judge, port, "ada")
    with_password(judge, port, "ben")
    page, other = Page(port), Page(port)
    page.sign_in("ada")
    other.sign_in("ben")
    old, code = reset_code(judge, "ada"), reset_code(judge, "ada")
    bens = reset_code(judge, "ben")
    assert code.startswith("wjr_") and code.encode() not in b"".join(
        f.read_bytes() for f in judge.home.glob("leaderboard.db*")) and code not in judge.log.read_text()
    for bad in ("", "x", "wjr_" + "0" * 64, old, code.upper(), code + "0", code[:-1], "wji_" + code[4:], "wjr_' OR 1=1"):
        status, answer = page.call("POST", "password", {"code": bad, "password": OTHER})
        assert status == 403 and answer["code"] == "reset_code", (bad, answer)
    assert page.call("POST", "password", {"code": code, "password": "short"})[0] == 400
    assert page.me() == "ada"
    with concurrent.futures.ThreadPoolExecutor(8) as pool:  # replayed at once, one of them counts
        said = list(pool.map(lambda i: Page(port).call("POST", "password", {"code": code, "password": f"{OTHER} {i}"})[0],
                             range(8)))
    assert sorted(said) == [200] + [403] * 7, said
    assert page.me() is None and other.me() == "ben"
    page.sign_in("ada", PASSWORD, 403)
    page.sign_in("ada", f"{OTHER} {said.index(200)}")
    assert page.call("POST", "password", {"code": code, "password": OTHER})[0] == 403
    # One's own password, and the end of an account, end the code.
    assert other.call("POST", "account/password", {"current": PASSWORD, "password": OTHER})[0] == 200
    assert page.call("POST", "password", {"code": bens, "password": PASSWORD})[0] == 403
    bens = reset_code(judge, "ben")
    query(judge, "UPDATE resets SET expires_ms = 1")
    assert page.call("POST", "password", {"code": bens, "password": PASSWORD})[0] == 403
    bens = reset_code(judge, "ben")
    assert judge.api("POST", "/api/accounts/ben", {"state": "closed"})[0] == 200
    assert page.call("POST", "password", {"code": bens, "password": PASSWORD})[0] == 403
    assert judge.api("POST", "/api/accounts/ben/reset", {})[0] == 409
    for hours in (0, 169, -1, 1.5, "1"):
        assert judge.api("POST", "/api/accounts/ada/reset", {"hours": hours})[0] == 400, hours


def test_who_goes_while_a_password_is_verified(judge):
    """Nothing comes of the call, and the daemon goes on and stops as ever."""
    port = start(judge)
    token = with_password(judge, port, "ada")
    body = json.dumps({"name": "ada", "password": PASSWORD}).encode()
    head = (f"POST /api/v1/tokens HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n").encode()
    for _ in range(4):
        s = socket.create_connection(("127.0.0.1", port), BACKSTOP_S)
        s.sendall(head + body)
        s.close()
    assert Tcp(port).token("GET", "api/account", token)[0] == 200
    for _ in range(4):  # and while the daemon ends
        s = socket.create_connection(("127.0.0.1", port), BACKSTOP_S)
        s.sendall(head + body)
    assert judge.stop() == 0


def test_tokens_by_a_password(judge):
    port = start(judge)
    with_password(judge, port, "ada")
    page = Page(port)
    status, answer = page.call("POST", "tokens", {"name": "Ada", "password": PASSWORD, "label": "laptop"})
    assert status == 201 and answer["name"] == "ada" and page.me(authorization=answer["token"]) == "ada", answer
    listed = page.call("GET", "account/tokens", authorization=answer["token"])[1]["tokens"]
    assert [t["label"] for t in listed] == ["", "laptop"], listed
    for body in ({"name": "ada"}, {"password": PASSWORD}, {"name": "a b", "password": PASSWORD}, {},
                 {"name": "ada", "password": PASSWORD, "label": "x" * 65}, {"name": "ada", "password": PASSWORD, "scopes": "read"}):
        assert page.call("POST", "tokens", body)[0] == 400, body
    judge.stop()
    port = judge.start("--listen", "127.0.0.1:0", "--open")["port"]
    assert Page(port).call("POST", "tokens", {"name": "ada", "password": PASSWORD})[0] == 201  # accounts that are there count

"""What HTTP itself asks of the API: methods, other sites' pages, copies that are kept, compressed answers."""
import json
import re

import crowd
from harness import DEMO
from test_api import routes
from test_rights import Tcp, join

BUILD = "asan"

RIGHT = (DEMO / "right.cu").read_text()


def test_head_and_options_of_each_route(judge):
    judge.start("--registration", "invitation")
    token = join(judge, "boss", "admin")
    sub = judge.api("POST", "/api/v1/submissions", {"problem": "vector-addition", "source": "int x;"},
                    headers={"Authorization": f"Bearer {token}"})[1]["id"]
    judge.wait_done(sub)
    there = {}
    for method, pattern in routes():
        there.setdefault(pattern, set()).add(method)
    for pattern, methods in there.items():
        path = pattern.replace("problems/*", "problems/vector-addition").replace("submissions/*", f"submissions/{sub}")
        for prefix in ("/api/v1/", "/api/"):
            status, body, headers = judge.ask("OPTIONS", prefix + path)
            allowed = methods | {"OPTIONS"} | ({"HEAD"} if "GET" in methods else set())
            assert status == 204 and body == "" and set(headers["Allow"].split(", ")) == allowed, (path, headers)
            for method in {"GET", "POST", "DELETE", "HEAD", "PUT", "PATCH", "TRACE"} - allowed:
                status, body, headers = judge.ask(method, prefix + path, {})
                assert status == 405 and set(headers["Allow"].split(", ")) == allowed, (method, path, status, headers)
            for who in ({}, {"Authorization": f"Bearer {token}"}, {"Authorization": "Bearer wjt_x"}):
                if "GET" in methods and path != "events":  # that answer has no end
                    got = judge.ask("GET", prefix + path, headers=who)
                    head = judge.ask("HEAD", prefix + path, headers=who)
                    assert head[0] == got[0] and head[1] == "", (path, who, head, got)
                    assert head[2]["Content-Type"] == got[2]["Content-Type"], (path, head[2].items())
                    # What takes long to make comes in chunks; a device may become free meanwhile.
                    lengths = {head[2]["Content-Length"], got[2]["Content-Length"]} - {None}
                    assert len(lengths) <= 1 or path in ("health", "metrics"), (path, head[2].items(), got[2].items())
    for method in ("OPTIONS", "HEAD", "GET"):
        assert judge.api(method, "/api/v1/nothing")[0] == 404
    assert judge.api("OPTIONS", "/api/v1/health", headers={"Authorization": "Bearer wjt_x"})[0] == 401


def test_head_opens_no_stream(judge):
    """And an answer to HEAD is followed by the next one on its connection."""
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--open")["port"])
    first = judge.post(RIGHT)
    for path in (f"submissions/{first}/events", f"submissions/{first}/source", "problems", "openapi.json", "submissions",
                 "problems/vector-addition/board"):
        request = f"HEAD /api/v1/{path} HTTP/1.1\r\nHost: localhost\r\n"
        answer = tcp.raw(f"{request}\r\n{request}Connection: close\r\n\r\n".encode())[1]
        assert answer.count(b"HTTP/1.1 200 OK") == 2 and b"{" not in answer, (path, answer)
    judge.wait_done(first)


def test_pages_of_other_sites(judge):
    """None may call the API, but those of --allow-origin."""
    origin = "https://pages.example"
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--open", "--allow-origin", f"{origin},http://a.example:81")["port"])

    def ask(method, path, *headers):
        lines = [f"{method} /api/v1/{path} HTTP/1.1", "Host: localhost", "Connection: close", *headers]
        status, answer = tcp.raw("\r\n".join(lines).encode() + b"\r\n\r\n")
        return status, answer.split(b"\r\n\r\n")[0].decode()

    for allowed in (origin, "http://a.example:81", origin.upper()):
        status, head = ask("GET", "health", f"Origin: {allowed}")
        assert status == 200 and f"Access-Control-Allow-Origin: {allowed}\r\n" in head, head
        assert "Vary: Origin\r\n" in head and "Credentials" not in head, head
        status, head = ask("OPTIONS", "submissions", f"Origin: {allowed}", "Access-Control-Request-Method: POST",
                           "Access-Control-Request-Headers: authorization, content-type")
        assert status == 204 and "Access-Control-Allow-Methods: GET, HEAD, POST, OPTIONS" in head.replace(
            "POST, GET, HEAD", "GET, HEAD, POST"), head
        assert re.search("Access-Control-Allow-Headers: .*Authorization", head), head
        # Errors are for the page, too.
        status, head = ask("GET", "submissions/9", f"Origin: {allowed}")
        assert status == 404 and "Access-Control-Allow-Origin" in head, head
    for other in ("https://evil.example", "null", "*", "http://pages.example", f"{origin}.evil", f"{origin}:443", "https://pages",
                  f"{origin},http://a.example:81", ",", ""):
        for method in ("GET", "OPTIONS", "HEAD"):
            status, head = ask(method, "health", f"Origin: {other}")
            assert status == 403 and "Access-Control" not in head, (other, head)
    status, head = ask("GET", "health")
    assert status == 200 and "Access-Control" not in head, head
    judge.stop()
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--open")["port"])
    status, head = ask("GET", "health", f"Origin: {origin}")
    assert status == 403 and "Access-Control" not in head and "Vary" not in head, head
    for wrong in ("*", "", "pages.example", "https://", "https://a/", "ftp://a", "https://a,", "https://a b", "https://u@a",
                  "null", "https://a:x"):
        run = judge.cli("serve", "--allow-origin", wrong, status=2)
        assert "origin" in run.stderr, run.stderr


def test_idempotency_keys(judge):
    """The same submission with the same key is one; a key is its owner's, and one submission's."""
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--registration", "invitation", "--quota", "9")["port"])
    ada, ben = join(judge, "ada"), join(judge, "ben")
    body = {"problem": "vector-addition", "source": "int x;"}

    def post(token, key, body=body, path="api/v1/submissions"):
        return tcp.token("POST", path, token, body, headers=[f"Idempotency-Key: {key}"] if key is not None else [])

    first = post(ada, "k1")
    assert first[0] == 201, first
    for path in ("api/v1/submissions", "api/submissions"):
        assert post(ada, "k1", path=path) == first
    judge.wait_done(first[1]["id"])
    assert post(ada, "k1") == first
    status, answer = post(ada, "k1", {**body, "source": "int y;"})
    assert status == 422 and answer["code"] == "idempotency_key_reused", answer
    others = {post(ada, "k2")[1]["id"], post(ben, "k1")[1]["id"], post(ada, None)[1]["id"], post(ada, "K1")[1]["id"]}
    assert len(others | {first[1]["id"]}) == 5, others
    assert tcp.token("GET", "api/v1/health", ada)[1]["quota"]["used"] == 4
    for key in ("", "a b", "x" * 256, "\u00fc", "a\tb"):
        status, answer = post(ada, key)
        assert status == 400 and answer["code"] == "invalid_header", (key, answer)
    assert post(ada, "x" * 255)[0] == 201
    # What is refused uses no key up, and a good key makes nothing of a bad token.
    assert post(ada, "k3", {**body, "problem": "nothing"})[0] == 404
    assert post(ada, "k3")[0] == 201
    assert post("wjt_" + "0" * 64, "k1")[0] == 401 and post(None, "k1")[0] == 401
    status, answer = post(ben, "k1", {**body, "user": "ada"})
    assert status == 403, answer
    assert len(judge.api("GET", "/api/v1/submissions")[1]["submissions"]) == 7
    for ident in others:
        judge.wait_done(ident)


def test_keys_outlive_the_daemon(judge):
    """However it ends: a key is stored in one transaction with its submission."""
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--open")["port"])
    body = {"problem": "vector-addition", "source": "int x;", "user": "ada"}
    header = ["Idempotency-Key: " + "k" * 200]
    ident = tcp.ask("POST", "api/v1/submissions", body, headers=header)[1]["id"]
    assert tcp.ask("POST", "api/v1/submissions", body, headers=header)[1]["id"] == ident
    judge.kill()
    for _ in range(2):
        tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--open")["port"])
        assert tcp.ask("POST", "api/v1/submissions", body, headers=header)[1]["id"] == ident
        status, answer = tcp.ask("POST", "api/v1/submissions", {**body, "source": "int y;"}, headers=header)[:2]
        assert status == 422 and answer["code"] == "idempotency_key_reused", answer
        judge.wait_done(ident)
        judge.stop()


def test_copies_that_are_kept(judge):
    """An ETag changes when the answer does, and then only."""
    judge.start("--registration", "invitation")
    judge.api("GET", "/api/v1/problems")  # the list is made
    board, other = "/api/v1/problems/vector-addition/board", "/api/v1/problems/reduction/board"
    paths = ("/api/v1/problems", "/api/v1/problems/vector-addition", board, other, "/api/problems/vector-addition")

    def tag(path):
        status, answer, headers = judge.ask("GET", path)
        assert status == 200 and headers["Cache-Control"] == "no-cache" and headers["ETag"].startswith('W/"'), headers.items()
        return headers["ETag"]

    def still(path, tag):
        status, answer, headers = judge.ask("GET", path, headers={"If-None-Match": tag})
        assert status in (200, 304) and (status == 200 or answer == "" and headers["ETag"][2:] in tag or tag == "*"), answer
        return status == 304

    tags = {path: tag(path) for path in paths}
    assert len(set(tags.values())) == 4, tags
    for path in paths:
        t = tags[path]
        for known in (t, t[2:], f'"x", {t}', f'W/"x",{t} , "y"', "*"):
            assert still(path, known), (path, known)
        for unknown in ('"x"', t[3:-1], f"X{t}", t.upper() if t.upper() != t else "x", "W/", ",,,", "W/" * 1000, '"' * 500):
            assert not still(path, unknown), (path, unknown)
        assert judge.ask("HEAD", path, headers={"If-None-Match": t})[0] == 304
    # A time that is slower than one's own changes no board; a better one, or another's, does.
    judge.wait_done(judge.post(RIGHT, user="ada"))
    changed = tag(board)
    assert changed != tags[board] and still(other, tags[other])
    judge.wait_done(judge.post("int x;", user="ben"))
    assert still(board, changed)
    judge.wait_done(judge.post(RIGHT, user="ben"))
    assert not still(board, changed)
    # Another name on it changes it.
    changed = tag(board)
    join(judge, "cem")
    assert judge.api("POST", "/api/v1/accounts/cem/assign", {"from": "ben"})[0] == 200
    assert not still(board, changed)
    assert {e["user"] for e in judge.api("GET", board)[1]["entries"]} == {"ada", "cem"}
    changed = tag(board)
    judge.stop()
    judge.start()
    assert not still(board, changed)
    for path in ("health", "submissions", "submissions/1", "account", "openapi.json"):
        headers = judge.ask("GET", f"/api/v1/{path}", headers={"If-None-Match": "*"})[2]
        assert headers["ETag"] is None and headers["Cache-Control"] == "no-store", path


def test_compressed_answers(judge):
    """They are what the others are; who does not take them gets none."""
    crowd.fill(judge, 2000)
    judge.api("GET", "/api/v1/problems")  # the list is made
    paths = ("problems", "problems/vector-addition", "problems/vector-addition/board", "submissions?limit=1000", "openapi.json",
             "problems/vector-addition/board?limit=500")
    for path in paths:
        plain, packed = (judge.ask("GET", f"/api/v1/{path}", headers={"Accept-Encoding": e}) for e in ("identity", "gzip"))
        assert plain[0] == packed[0] == 200 and plain[1] == packed[1], path
        assert plain[2]["Content-Encoding"] is None and packed[2]["Content-Encoding"] == "gzip", packed[2].items()
        assert "Accept-Encoding" in plain[2]["Vary"] and plain[2]["ETag"] == packed[2]["ETag"], plain[2].items()
        if packed[2]["Content-Length"]:
            assert int(packed[2]["Content-Length"]) < int(plain[2]["Content-Length"]), packed[2].items()
        head = judge.ask("HEAD", f"/api/v1/{path}", headers={"Accept-Encoding": "gzip"})
        assert head[0] == 200 and head[1] == "" and head[2]["Content-Length"] is None, head[2].items()
    for value, taken in (("gzip", True), ("GZIP", True), ("br, gzip;q=0.1", True), ("*", True), ("br , *;q=0.5", True),
                         ("gzip;q=1.000,*;q=0", True), ("deflate,gzip ; q=0.5", True), ("identity", False), ("", False),
                         ("gzip;q=0", False), ("gzip;q=0.000, *", False), ("*;q=0", False), ("xgzip", False), ("gzipx", False),
                         ("gzip ; q=0", False), (";;;,,,", False), ("q" * 3000, False)):
        headers = judge.ask("GET", "/api/v1/openapi.json", headers={"Accept-Encoding": value})[2]
        assert (headers["Content-Encoding"] == "gzip") == taken, (value, headers.items())
    # What is short is sent as it is, and so is what a POST is answered.
    for method, path in (("GET", "health"), ("GET", "nothing"), ("POST", "invitations")):
        assert judge.ask(method, f"/api/v1/{path}", {}, headers={"Accept-Encoding": "gzip"})[2]["Content-Encoding"] is None

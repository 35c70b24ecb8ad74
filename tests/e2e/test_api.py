"""Version 1 of the API (docs/http-api.md): its paths, and the command line on it."""
import http.server
import json
import re
import threading

import answers
import crowd
from harness import BACKSTOP_S, DEMO, ROOT, UnixConnection
from test_rights import Tcp, join

BUILD = "asan"

RIGHT = (DEMO / "right.cu").read_text()


class FirstApi(http.server.ThreadingHTTPServer):
    """The judge as a daemon from before the API had versions: it knows no path below /api/v1."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def forward(self):
            self.server.asked.append(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status, data = 404, b'{"error":"there is nothing at this address"}'
            if not self.path.startswith("/api/v1"):
                c = UnixConnection(self.server.socket_path, BACKSTOP_S)
                c.request(self.command, self.path, body, {"Content-Type": "application/json"})
                answer = c.getresponse()
                status, data = answer.status, answer.read()
                c.close()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_DELETE = forward

        def log_message(self, *_):
            pass

    def __init__(self, judge):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.socket_path = judge.home / "warpjudge.sock"
        self.asked = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


def test_the_command_line_and_a_daemon_without_versions(judge):
    judge.start()
    source = judge.write("right.cu", RIGHT)
    with FirstApi(judge) as first:
        env = {"WARPJUDGE_URL": f"http://127.0.0.1:{first.server_port}"}
        run = judge.cli("submit", source, env=env, status=0)
        assert "accepted" in run.stdout and "1st of 1" in run.stdout, run.stdout
        assert [p for p in first.asked if "/v1" in p] == first.asked[:1], first.asked
        assert "no problem" in judge.cli("show", "nothing", env=env, status=2).stderr
        assert "right.cu" in judge.cli("history", "--all", env=env, status=0).stdout


def test_the_command_line_asks_version_1(judge):
    judge.start()
    source = judge.write("right.cu", RIGHT)
    judge.env["WARPJUDGE_LOOP_LIMIT_US"] = "1"  # every request is logged
    judge.stop()
    judge.start()
    judge.cli("submit", source, status=0)
    for verb in (("problems",), ("show", "vector-addition"), ("rank", "vector-addition"), ("history",), ("status",),
                 ("status", "1"), ("whoami",)):
        judge.cli(*verb, status=0)
    assert "no problem" in judge.cli("show", "nothing", status=2).stderr
    judge.stop()
    log = judge.log.read_text()
    judge.log.write_text(log.replace("the event loop was held", "held"))  # it was meant
    asked = [line.split()[-1] for line in log.splitlines() if " by /api/" in line]
    assert len(asked) > 8 and all(path.startswith("/api/v1/") for path in asked), asked


def test_a_path_has_one_version(judge):
    judge.start()
    for path in ("/api/health", "/api/v1/health", "/api/%76%31/health", "/api/v1/health/"):
        assert judge.api("GET", path)[0] == 200, path
    for path in ("/api/v1", "/api/v1/", "/api/v1/v1/health", "/api/v2/health", "/v1/health", "/api/v1/api/health",
                 "/api/V1/health", "/api/v1//health", "/api/v1/problems/v1"):
        status, answer = judge.api("GET", path)
        assert status == 404, (path, status, answer)


def test_another_name_needs_the_scope_admin(judge):
    """The same on old paths and on version 1."""
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"])
    admin, staff, ada = join(judge, "boss", "admin"), join(judge, "staff", "staff"), join(judge, "ada")
    few = tcp.token("POST", "api/v1/account/tokens", admin, {"scopes": "read,submit,bulk"})[1]["token"]
    body = {"problem": "vector-addition", "source": "int x;", "user": "ben"}
    for path in ("api/submissions", "api/v1/submissions"):
        for token, wanted in ((admin, 201), (few, 403), (staff, 403), (ada, 403), (None, 401)):
            status, answer = tcp.token("POST", path, token, body)
            assert status == wanted, (path, wanted, status, answer)
    assert judge.api("GET", "/api/v1/submissions")[1]["submissions"][0]["user"] == "ben"


def test_errors_are_problem_details(judge):
    """RFC 9457, with a code and the field; on the old paths one sentence, the same."""
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"])
    admin, ada = join(judge, "boss", "admin"), join(judge, "ada")
    good = {"problem": "vector-addition", "source": "int x;"}
    for method, path, token, body, status, code, field in (
            ("GET", "nothing", None, None, 404, "no_such_call", None),
            ("PUT", "health", None, {}, 405, "method_not_allowed", None),
            ("GET", "problems/nothing", None, None, 404, "no_such_problem", None),
            ("GET", "problems/nothing/board", None, None, 404, "no_such_problem", None),
            ("GET", "problems/vector-addition/board?device=x", None, None, 400, "no_such_device", "device"),
            ("GET", "problems/vector-addition/board?around=ada", None, None, 404, "no_such_entry", "around"),
            ("GET", "problems/vector-addition/board?page=0", None, None, 400, "invalid_parameter", "page"),
            ("GET", "problems/vector-addition/board?page=1000000001", None, None, 400, "invalid_parameter", "page"),
            ("GET", "problems/vector-addition/board?page=1&around=ada", None, None, 400, "invalid_parameter", "around"),
            ("GET", "submissions?limit=0", None, None, 400, "invalid_parameter", "limit"),
            ("GET", "submissions/9", None, None, 404, "no_such_submission", None),
            ("GET", "submissions/x", None, None, 400, "invalid_address", None),
            ("GET", "submissions?limit", None, None, 400, "invalid_address", None),
            ("GET", "submissions/%00", None, None, 400, "invalid_address", None),
            ("GET", "submissions/%ff", None, None, 400, "invalid_address", None),
            ("GET", "submissions?user=" + "x" * 3000, None, None, 400, "invalid_address", None),
            ("GET", "accounts", None, None, 401, "unauthenticated", None),
            ("GET", "accounts", ada, None, 403, "forbidden", None),
            ("POST", "submissions", ada, [], 400, "invalid_body", None),
            ("POST", "submissions", ada, {}, 400, "missing_member", "/problem"),
            ("POST", "submissions", ada, {"problem": "x"}, 400, "missing_member", "/source"),
            ("POST", "submissions", ada, {**good, "mode": "x"}, 400, "invalid_member", "/mode"),
            ("POST", "submissions", ada, {**good, "source": 7}, 400, "invalid_member", "/source"),
            ("POST", "submissions", ada, {**good, "source": " "}, 400, "invalid_member", "/source"),
            ("POST", "submissions", ada, {**good, "user": "house"}, 400, "invalid_member", "/user"),
            ("POST", "submissions", ada, {**good, "user": "boss"}, 403, "forbidden", None),
            ("POST", "submissions", ada, {**good, "a~b/c\u00fc": 1}, 400, "unknown_member", "/a~0b~1c\u00fc"),
            ("POST", "submissions", ada, {**good, "x" * 500: 1}, 400, "unknown_member", None),
            ("POST", "submissions", ada, {**good, "device": "cuda:9"}, 400, "no_such_device", "/device"),
            ("POST", "submissions", ada, {**good, "problem": "nothing"}, 404, "no_such_problem", "/problem"),
            ("POST", "account/tokens", ada, {"days": -1}, 400, "invalid_member", "/days"),
            ("POST", "account/tokens", ada, {"scopes": "write"}, 400, "invalid_member", "/scopes"),
            ("DELETE", "account/tokens/99", ada, None, 404, "no_such_token", None),
            ("POST", "accounts", None, {}, 400, "missing_member", "/name"),
            ("POST", "accounts", None, {"name": "eve"}, 403, "invitation", "/invitation"),
            ("POST", "accounts/nobody", admin, {}, 404, "no_such_account", None),
            ("POST", "accounts/ada", admin, {"role": "x"}, 400, "invalid_member", "/role"),
            ("POST", "accounts/ada/assign", admin, {}, 400, "missing_member", "/from"),
            ("POST", "invitations", admin, {"name": "house"}, 400, "invalid_member", "/name")):
        got, answer = tcp.token(method, f"api/v1/{path}", token, body)
        assert got == status == answer["status"] and answer["code"] == code, (method, path, got, answer)
        assert answer.get("parameter", answer.get("pointer")) == field, (method, path, answer)
        assert answer["type"] == "about:blank" and answer["title"] and answer["detail"], answer
        old, sentence = tcp.token(method, f"api/{path}", token, body)
        assert old == status and sentence == {"error": answer["detail"]}, (method, path, old, sentence)
    head = tcp.raw(b"GET /api/v1/nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")[1]
    assert b"Content-Type: application/problem+json\r\n" in head, head
    head = tcp.raw(b"GET /api/v1/health HTTP/1.1\r\nHost: evil\r\nConnection: close\r\n\r\n")[1]
    assert b'"code":"foreign_host"' in head, head


def test_unknown_parameters(judge):
    """They are errors in version 1; the old paths ignore them."""
    judge.start()
    for path, field in (("health?x=1", "x"), ("submissions?limit=1&users=ada", "users"), ("submissions?LIMIT=1", "LIMIT"),
                        ("submissions?limit=1&limit=1", "limit"), ("problems/vector-addition/board?users=a", "users"),
                        ("problems?limit%20=1", "limit%20"), ("submissions?user%20problem=1", "user%20problem"),
                        ("submissions?=1", None), ("account?%ff=1", "%ff"), ("health?" + "y" * 1000 + "=1", "y" * 98)):
        status, answer = judge.api("GET", f"/api/v1/{path}")
        assert status == 400, (path, status, answer)
        assert field is None or answer.get("parameter") == field, (path, answer)
        assert judge.api("GET", f"/api/{path}")[0] == (400 if path == "submissions?=1" else 200), path
    for path in ("health?", "submissions?", "submissions?user=&problem="):
        assert judge.api("GET", f"/api/v1/{path}")[0] == 200, path


def routes():
    """What judge/daemon/routes.c has: (method, path) and what each needs and takes."""
    text = (ROOT / "judge/daemon/routes.c").read_text()
    rows = re.findall(r'\{EVHTTP_REQ_(\w+), "api/([^"]+)", NEED_(\w+), \w+,\s+(?:NULL|"([\w ]+)")\}', text)
    assert len(rows) == text.count("EVHTTP_REQ_"), rows
    return {(method, path): (need, set(query.split())) for method, path, need, query in rows}


def operations(document):
    """The same of the OpenAPI document, and each operation."""
    found, each = {}, {}
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method == "parameters":
                continue
            names = [document["components"]["parameters"][p["$ref"].split("/")[-1]]
                     for p in operation.get("parameters", []) + item.get("parameters", [])]
            inside = {p["name"] for p in names if p["in"] == "path"}
            assert inside == set(re.findall(r"\{(\w+)\}", path)), (path, inside)
            key = method.upper(), re.sub(r"\{\w+\}", "*", path.removeprefix("/"))
            found[key] = operation["x-need"], {p["name"] for p in names if p["in"] == "query"}
            each[key] = operation
    return found, each


def test_the_document_is_what_there_is(judge):
    """Routes with their needs and parameters, members of bodies, codes of errors and verdicts."""
    judge.start("--registration", "invitation")
    boss = {"Authorization": "Bearer " + join(judge, "boss", "admin")}
    status, document = judge.api("GET", "/api/v1/openapi.json")
    assert status == 200 and document == json.loads((ROOT / "judge/daemon/openapi.json").read_text())
    found, each = operations(document)
    there = routes()
    assert found == there, {k: (found.get(k), there.get(k)) for k in found.keys() | there.keys()
                            if found.get(k) != there.get(k)}
    assert len({o["operationId"] for o in each.values()}) == len(each)
    schemas = document["components"]["schemas"]
    status, answer = judge.api("POST", "/api/v1/account/tokens", {"label": "a node", "scopes": "worker"}, headers=boss)
    assert status == 201, answer
    worker = {"Authorization": "Bearer " + answer["token"]}
    for (method, path), operation in each.items():
        if method != "POST":
            continue
        # A member that no body has is refused with a list of those that this one has.
        status, answer = judge.api("POST", "/api/v1/" + path.replace("*", "1"), {"no_such_member": 1},
                                   headers=worker if operation["x-need"] == "WORKER" else boss)
        assert status == 400 and answer["code"] == "unknown_member", (path, status, answer)
        body = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].split("/")[-1]
        assert set(re.search(r"they are (.*)\)", answer["detail"])[1].split(", ")) == set(schemas[body]["properties"]), path
    codes = re.findall(r'X\(\w+, "(\w+)", (\d+)\)', (ROOT / "judge/daemon/errors.h").read_text())
    assert [code for code, _ in codes] == schemas["Error"]["properties"]["code"]["enum"]
    verdicts = re.findall(r'X\(\w+, "(\w+)", ', (ROOT / "judge/record/verdict.h").read_text())
    assert verdicts == schemas["Verdict"]["enum"]
    text = json.dumps(document)
    for kind, parts in document["components"].items():
        for name in parts:
            assert kind == "securitySchemes" or f'"#/components/{kind}/{name}"' in text, f"nothing uses {kind}/{name}"
    for wanted in re.findall(r'"\$ref": "#/components/(\w+)/(\w+)"', text):
        assert wanted[1] in document["components"][wanted[0]], wanted


def test_the_check_of_answers_finds_what_is_wrong(judge):
    judge.start()
    status, health = judge.api("GET", "/api/v1/health")
    answers.check()
    for change in ({"pid": "x"}, {"more": 1}, {"version": None}):
        answers.note("GET", "/api/v1/health", 200, "application/json", json.dumps({**health, **change}).encode())
        expect_wrong()
    for status, kind, body in ((200, "text/plain", health), (201, "application/json", health),
                               (404, "application/problem+json", {"error": "x"}), (400, "application/json", {})):
        answers.note("GET", "/api/v1/health", status, kind, json.dumps(body).encode())
        expect_wrong()
    answers.note("GET", "/api/v1/nothing", 200, "application/json", b"{}")
    expect_wrong()


def expect_wrong():
    try:
        answers.check()
    except AssertionError:
        return
    raise AssertionError("a wrong answer is not found")


def pages(judge, path, between=lambda: None):
    """The rows of all pages of a list, of which each page but the last is full."""
    rows, sizes = [], []
    while path:
        status, answer, headers = judge.ask("GET", path)
        assert status == 200, (path, status, answer)
        list_of = next(k for k in ("submissions", "entries", "problems") if k in answer)
        assert ("histogram" in answer) == (list_of == "entries" and not rows), answer.keys()
        rows += answer[list_of]
        sizes.append(len(answer[list_of]))
        link = headers["Link"]
        path = link and re.fullmatch('<(/api/v1/[^>]*)>; rel="next"', link)[1]
        between()
    assert len(set(sizes[:-1])) <= 1 and 0 < sizes[-1] <= sizes[0], sizes
    return rows


def test_pages(judge):
    """Each row comes once, though rows come between the pages."""
    crowd.fill(judge, 500)
    path = "/api/v1/submissions?problem=vector-addition&limit=100"
    whole = judge.api("GET", "/api/v1/submissions?limit=1000")[1]["submissions"]
    assert len(whole) == 500
    listed = pages(judge, path, lambda: judge.post("int x;"))
    assert [s["id"] for s in listed] == [s["id"] for s in whole]
    assert [s["id"] for s in pages(judge, "/api/v1/submissions?user=user7&limit=1")] == [8]
    assert pages(judge, "/api/v1/submissions?user=ada&problem=vector-addition&limit=2")
    assert len(pages(judge, "/api/v1/submissions?limit=500&user=")) == len(whole) + 5
    board = "/api/v1/problems/vector-addition/board"
    whole = judge.api("GET", board)[1]["entries"]
    posted = iter([None, *(judge.post(RIGHT, user=f"new{i}") for i in range(2))])
    listed = pages(judge, board + "?device=emu&limit=125",
                   lambda: (ident := next(posted, None)) and judge.wait_done(ident))
    old = {e["submission"] for e in whole}
    assert [e["submission"] for e in listed if e["submission"] in old] == [e["submission"] for e in whole]
    assert len({e["submission"] for e in listed}) == len(listed)
    whole = judge.api("GET", "/api/v1/problems")[1]["problems"]
    assert pages(judge, "/api/v1/problems?limit=40") == whole and len(whole) > 80
    assert pages(judge, f"/api/v1/problems?limit={len(whole)}") == whole
    assert judge.api("GET", "/api/v1/problems")[1]["problems"] == whole
    assert judge.ask("GET", "/api/submissions?limit=2")[2]["Link"] is None


def test_a_page_of_a_board(judge):
    """around= has the user in the middle of a full page, page= is the page of a number, and each goes on to the next."""
    crowd.fill(judge, 200)
    board = "/api/v1/problems/vector-addition/board"
    whole = judge.api("GET", board)[1]
    entries = whole["entries"]
    assert (whole["total"], whole["first"], len(entries)) == (200, 1, 200)
    for at in (0, 1, 3, 24, 25, 26, 100, 174, 175, 176, 198, 199):
        for limit in (1, 2, 5, 50, 199, 200, 1000):
            page = judge.api("GET", f"{board}?around={entries[at]['user']}&limit={limit}")[1]
            first = max(0, min(at - limit // 2, 200 - limit))
            assert (page["total"], page["first"]) == (200, first + 1), (at, limit, page["first"])
            assert page["entries"] == entries[first:first + limit], (at, limit)
            assert page["histogram"] == whole["histogram"]
    for number, limit in ((1, 50), (2, 50), (4, 50), (5, 50), (7, 30), (67, 3), (1000000000, 1000)):
        page = judge.api("GET", f"{board}?page={number}&limit={limit}")[1]
        first = min((number - 1) * limit, 200)
        assert (page["first"], page["entries"]) == (first + 1, entries[first:first + limit]), (number, limit)
    assert judge.api("GET", f"{board}?page=2")[1]["entries"] == entries[50:100]
    assert pages(judge, f"{board}?around={entries[90]['user']}&limit=20&device=emu") == entries[80:]
    assert pages(judge, f"{board}?page=3&limit=25") == entries[50:]
    cursor = re.search("cursor=(\\w+)", judge.ask("GET", board + "?page=1")[2]["Link"])[1]
    for other in ("page=1", "around=user7"):
        status, answer = judge.api("GET", f"{board}?{other}&cursor={cursor}")
        assert (status, answer["code"]) == (400, "invalid_parameter"), answer


def test_cursors_of_no_list(judge):
    crowd.fill(judge, 20)
    cursors = {path: re.search("cursor=(\\w+)", judge.ask("GET", f"/api/v1/{path}?limit=2")[2]["Link"])[1]
               for path in ("submissions", "problems", "problems/vector-addition/board")}
    for path in cursors:
        for cursor in ("x", "7", "73", "7", "0", "-1", "7" * 999, "73ff", "7300", "732d31", "73" + "39" * 30, "62" + "ff" * 31,
                       *(c for other, c in cursors.items() if other != path), cursors[path][:-1], cursors[path].upper() + "X"):
            status, answer = judge.api("GET", f"/api/v1/{path}?cursor={cursor}")
            assert status == 400 and answer["parameter"] == "cursor", (path, cursor, status, answer)
        assert judge.api("GET", f"/api/v1/{path}?cursor={cursors[path]}&limit=3")[0] == 200
    # Of a board any entry is one, be it there or not.
    for entry in ("00" * 32, "ff" * 32, "7f" * 32):
        assert judge.api("GET", f"/api/v1/problems/vector-addition/board?cursor=62{entry}")[0] == 200, entry
    assert judge.api("GET", "/api/v1/problems?cursor=707a7a7a")[1]["problems"] == []

"""Version 1 of the API (docs/http-api.md): its paths, and the command line on it."""
import http.server
import threading

from harness import BACKSTOP_S, DEMO, UnixConnection
from test_rights import Tcp, join

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

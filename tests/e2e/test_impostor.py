"""Somebody who wants to be another, or to see what is another's, with what HTTP and a login offer."""
import json
import os
import subprocess
import sys

from harness import BACKSTOP_S, DEMO
from test_rights import Tcp, join, narrow

BUILD = "asan"

RIGHT = (DEMO / "right.cu").read_text()
TRICK = "my_secret_trick"
SECRET = RIGHT.replace("C[i] = ", f"C[i] = {TRICK} + ")  # does not compile: its message quotes the line


def victims(judge, *flags):
    """A judge with ada, an admin, whose submission 1 nobody else may see; mallory, a member."""
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--registration", "open", *flags)["port"])
    ada, mallory = join(judge, "ada", "admin"), join(judge, "mallory")
    status, answer = tcp.token("POST", "api/submissions", ada, {"problem": "vector-addition", "source": SECRET})
    assert status == 201 and answer["id"] == 1, answer
    assert TRICK in judge.wait_done(1)["message"]
    return tcp, ada, mallory


def test_headers_that_name_a_user(judge):
    """Nobody's header is believed: there is no proxy that may set one."""
    tcp, ada, mallory = victims(judge)
    forged = [f"{name}: {value}" for value in ("ada", "127.0.0.1", "admin", "root") for name in (
        "X-Forwarded-User", "X-Remote-User", "Remote-User", "X-Auth-Request-User", "X-WEBAUTH-USER", "X-User",
        "X-Forwarded-For", "X-Real-IP", "Forwarded", "X-Original-URL", "X-Rewrite-URL", "X-HTTP-Method-Override",
        "X-Forwarded-Host", "X-Warpjudge-User", "X-Token", "Cookie", "Proxy-Authorization")]
    for token, name, role in ((None, None, "guest"), (mallory, "mallory", "member")):
        for header in forged:
            status, who = tcp.token("GET", "api/account", token, headers=[header])
            assert status == 200 and (who["name"], who["role"]) == (name, role), (header, who)
        for path in ("api/submissions/1/source", "api/accounts"):
            assert tcp.token("GET", path, token, headers=forged)[0] in (401, 403)
    # Of two tokens the first counts, so that nothing in between decides by another.
    two = tcp.ask("GET", "api/account", None, f"Bearer {mallory}", headers=[])
    assert two[1]["name"] == "mallory"
    status, answer = tcp.ask("GET", "api/account", None, f"Bearer {mallory}", headers=[f"Authorization: Bearer {ada}"])
    assert status == 401 and "two" in answer["error"], answer


def test_a_proxy_names_the_user(judge):
    """Where one is trusted. From any other address the header says nothing."""
    header = "X-Remote-User: "
    for networks, trusted in (("127.0.0.0/8", True), ("10.0.0.0/8,127.0.0.1", True), ("0.0.0.0/0", True),
                              ("10.0.0.0/8,::1,fd00::/8", False), ("126.0.0.0/8", False), ("127.0.0.2/32", False),
                              ("127.0.0.0/32", False), ("::/1", True), ("8000::/1", False)):
        tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--proxy", networks, "--proxy-header", "x-remote-user")["port"])
        who = tcp.ask("GET", "api/account", headers=[header + "Zoe"])[1]
        assert (who["name"], who["role"]) == (("Zoe", "member") if trusted else (None, "guest")), (networks, who)
        judge.stop()
    for flags in (["--proxy-header", "X"], ["--proxy", "10.0.0.0/33", "--proxy-header", "X"],
                  ["--proxy", "10.0.0.0/8,", "--proxy-header", "X"], ["--proxy", "ten", "--proxy-header", "X"],
                  ["--proxy", "10.0.0.0/-1", "--proxy-header", "X"]):
        assert judge.cli("serve", *flags, status=2).stderr, flags
    tcp, ada, _ = victims(judge, "--proxy", "127.0.0.1", "--proxy-header", "X-Remote-User")
    assert tcp.ask("GET", "api/account", headers=[header + "zOE"])[1]["name"] == "Zoe"
    assert tcp.ask("GET", "api/account", headers=[header + "ADA"])[1]["role"] == "admin"
    assert tcp.ask("GET", "api/account", headers=[header + "ada", header + "Zoe"])[0] == 401
    for name in ("house", "a b", "ad\u0430", "x" * 65, "ada,zoe"):
        assert tcp.ask("GET", "api/account", headers=[header + name])[0] == 403, name
    # A token is a person's own word, and comes first.
    assert tcp.token("GET", "api/account", ada, headers=[header + "Zoe"])[1]["name"] == "ada"
    # Over the Unix socket there is no proxy.
    assert judge.api("GET", "/api/account", headers={"X-Remote-User": "Zoe"})[1]["name"] != "Zoe"
    assert judge.api("POST", "/api/accounts/Zoe", {"state": "closed"})[0] == 200
    assert tcp.ask("GET", "api/account", headers=[header + "Zoe"])[0] == 403


def test_tokens_that_are_none(judge):
    tcp, ada, _ = victims(judge)
    for header in (f"Bearer {ada[:-1]}", f"Bearer {ada}0", f"Bearer {ada.upper()}", f"Bearer {ada} {ada}",
                   f"Bearer {ada}, Bearer {ada}", f"Token {ada}", ada, f"Basic {ada}", "Bearer", "Bearer  ", ":",
                   f"Bearer wji_{ada[4:]}", f"Bearer '{ada}'", f"Bearer {ada}%00", "Bearer ' OR 1=1 --", "Bearer " + "x" * 8000,
                   "Bearer \xff\xfe", f"Bearer\t{ada}", f"Bearer{ada}"):
        status, answer = tcp.ask("GET", "api/submissions/1/source", None, header)
        assert status == 401 and TRICK not in json.dumps(answer), (header, status, answer)
    for path in (f"api/submissions/1/source?token={ada}", f"api/submissions/1/source?access_token={ada}",
                 f"api/submissions/1/source?user=ada"):
        assert tcp.ask("GET", path)[0] == 403, path
    # The scheme is a word without case (RFC 7235), and blanks may stand before the token.
    for header in (f"bearer {ada}", f"BEARER   {ada}"):
        assert tcp.ask("GET", "api/submissions/1/source", None, header)[0] == 200, header
    # The hash in the database is no token.
    database = (judge.home / "leaderboard.db").read_bytes() + (judge.home / "leaderboard.db-wal").read_bytes()
    assert ada.encode() not in database and ada[4:].encode() not in database


def test_other_ways_to_write_a_path(judge):
    """Each of them is the route that it means, with its rights, or none."""
    tcp, ada, mallory = victims(judge)
    for token in (None, mallory):
        for path in ("api/submissions/1/source", "/api/submissions/1/source", "api//submissions/1//source",
                     "api/submissions/1/source/", "api/submissions/%31/source", "%61pi/submissions/1/source",
                     "api/submissions/1/source?", "api/submissions/1/source#x", "api/submissions/01/source",
                     "api/submissions/1/./source", "api/submissions/2/../1/source", "api/submissions/1%2fsource",
                     "api/submissions/1/source;x", "API/submissions/1/source", "api/submissions/1/SOURCE",
                     "api/submissions/+1/source", "api/submissions/1e0/source", "api/submissions/1.0/source",
                     "api/submissions/1 /source", "api/submissions/1%00/source", "api/v1/submissions/1/source",
                     "submissions/1/source", "api/submissions/18446744073709551617/source",
                     "api/submissions/1/events", "api/submissions/%31/events", "api/accounts", "api/accounts/",
                     "api//accounts", "%61pi/accounts", "api/account/tokens", "api/account//tokens"):
            for method in ("GET", "HEAD", "POST", "DELETE", "PUT", "PATCH", "OPTIONS"):
                if method == "POST" and path.strip("/").replace("//", "/").replace("%61", "a") == "api/accounts":
                    continue  # joining, which is open here
                status, answer = tcp.token(method, path.replace(" ", "%20"), token,
                                           {} if method == "POST" else None)
                assert (status in (400, 401, 403, 404, 405) or token and path.endswith("tokens") or
                        method == "OPTIONS" and status == 204), (
                    method, path, status, answer)
                assert TRICK not in json.dumps(answer) and "unclaimed" not in json.dumps(answer)
    # A request for a whole address, as a proxy gets it, and one of an older HTTP.
    for line in (f"GET http://localhost:{tcp.port}/api/submissions/1/source HTTP/1.1",
                 "GET /api/submissions/1/source HTTP/1.0"):
        status, answer = tcp.raw(f"{line}\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        assert status == 403 and TRICK.encode() not in answer, answer


def test_requests_behind_another(judge):
    """What a request says of who asks ends with it, also on the same connection."""
    tcp, ada, mallory = victims(judge)
    ask = "GET /api/account HTTP/1.1\r\nHost: localhost\r\n"
    _, answer = tcp.raw((f"{ask}Authorization: Bearer {ada}\r\n\r\n{ask}\r\n"
                         f"{ask}Authorization: Bearer {mallory}\r\nConnection: close\r\n\r\n").encode())
    assert [json.loads(part.split(b"\n")[0])["name"] for part in answer.split(b"\r\n\r\n")[1:]] == [
        "ada", None, "mallory"], answer


def test_names_of_others(judge):
    tcp, ada, mallory = victims(judge)
    for name in ("ada", "ADA", "Ada", "mallory", "house", "H0use", "a da", "ada ", " ada", "ad\u0430", "ada\u200b", "",
                 "../ada", "x" * 65, "ada\n", "\u00aada"):
        status, answer = tcp.ask("POST", "api/accounts", {"name": name})
        assert status in (400, 403) and "token" not in answer, (name, answer)
    for body in ({"name": ["ada"]}, {"name": {"ada": 1}}, {"name": "eve", "role": "admin"}, [], "ada",
                 {"name": "eve", "invitation": ada}, {"name": "eve", "invitation": "wji_" + ada[4:]}):
        status, answer = tcp.ask("POST", "api/accounts", body)
        assert status in (400, 403) and "token" not in answer, (body, answer)
    # Another's account, invitations and tokens.
    for method, path, body in (("POST", "api/accounts/mallory", {"role": "admin"}), ("POST", "api/invitations", {}),
                               ("POST", "api/accounts/mallory/assign", {"from": "ada"}),
                               ("POST", "api/invitations", {"name": "ada"})):
        assert tcp.token(method, path, mallory, body)[0] == 403
    # A token of fewer scopes makes and ends none.
    weak = narrow(tcp, ada, "read")
    assert tcp.token("GET", "api/submissions/1/source", weak)[0] == 200
    for method, path, body in (("POST", "api/account/tokens", {"scopes": "read"}), ("GET", "api/account/tokens", None),
                               ("DELETE", "api/account/tokens/1", None), ("GET", "api/accounts", None),
                               ("POST", "api/invitations", {"role": "admin"})):
        assert tcp.token(method, path, weak, body)[0] == 403, path
    # An account that is closed has no rights from then on, whatever token it shows.
    assert judge.api("POST", "/api/accounts/ada", {"state": "closed"})[0] == 200
    for token in (ada, weak):
        assert tcp.token("GET", "api/submissions/1/source", token)[0] == 403
    assert tcp.ask("POST", "api/accounts", {"name": "ada"})[0] == 403


ASK = """
import http.client, os, socket, sys
os.setgroups([]); os.setgid(65534); os.setuid(65534)
for line in sys.stdin:
    method, path, body = line.rstrip("\\n").split(" ", 2)
    c = http.client.HTTPConnection("localhost")
    c.sock = socket.socket(socket.AF_UNIX)
    try:
        c.sock.connect(sys.argv[1])
    except OSError as error:
        print(0, type(error).__name__)
        continue
    c.request(method, path, body or None, {"Content-Type": "application/json"})
    r = c.getresponse()
    print(r.status, r.read().decode().strip())
for name in ("leaderboard.db", "leaderboard.db-wal", "first-admin", "jobs", "cache"):
    path = os.path.join(os.path.dirname(sys.argv[1]), name)
    print(name, os.access(path, os.R_OK))
"""


def test_another_login(judge):
    """On the same machine, over the Unix socket."""
    def as_nobody(*lines):
        run = subprocess.run([sys.executable, "-c", ASK, judge.home / "warpjudge.sock"], text=True, check=True,
                             input="".join(f"{line}\n" for line in lines), stdout=subprocess.PIPE,
                             timeout=BACKSTOP_S)
        return run.stdout.splitlines()

    os.chmod(judge.home, 0o755)
    for flags, mode in (([], 0o600), (["--local-users"], 0o666)):
        judge.start("--registration", "invitation", *flags)
        assert (judge.home / "warpjudge.sock").stat().st_mode & 0o777 == mode
        if os.getuid() == 0:  # who is not root cannot become another login
            assert (as_nobody("GET /api/account ")[0] == "0 PermissionError") == (not flags)
        if not flags:
            judge.stop()
    if os.getuid() != 0:
        return
    ident = judge.post(SECRET, user="ada")
    judge.wait_done(ident)
    submit = '{"problem": "vector-addition", "source": "int x;"'
    said = as_nobody("GET /api/account ", f"GET /api/submissions/{ident} ", f"GET /api/submissions/{ident}/source ",
                     "GET /api/accounts ", "POST /api/invitations {}", f'POST /api/submissions {submit}, "user": "ada"}}',
                     f"POST /api/submissions {submit}}}")
    status = [int(line.split()[0]) for line in said[:7]]
    assert status == [200, 200, 403, 403, 403, 403, 201], said
    who = json.loads(said[0].split(" ", 1)[1])
    assert who["name"] == "nobody" and who["role"] == "member" and TRICK not in "".join(said), said
    assert [line.split()[1] for line in said[7:]] == ["False"] * 5, said

"""What an operator sets up: the systemd unit, and the samples for nginx and Caddy with TLS."""
import http.client
import json
import os
import re
import signal
import socket
import ssl
import subprocess

from harness import BACKSTOP_S, DEMO, ROOT, await_that, own_port

SLOW = "it installs servers, which no newcomer's machine should get unasked"
NEEDS = "server-packages"
RIGHT = (DEMO / "right.cu").read_text()
NAME = "judge.example.org"
EXPOSURE = 60  # tenths of what `systemd-analyze security` says at most; a unit without all this has 96


def test_the_unit_is_sound(judge):
    prefix = judge.home / "usr"  # so that what the unit starts is there
    subprocess.run([ROOT / "tests/tools/install", judge.prefix, prefix], cwd=ROOT, check=True,
                   capture_output=True, timeout=BACKSTOP_S)
    unit = prefix / "lib/systemd/system/warpjudge.service"
    run = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True,
                         timeout=BACKSTOP_S)
    assert run.returncode == 0 and not run.stderr, run
    run = subprocess.run(["systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE}",
                          "--no-pager", unit], capture_output=True, text=True, timeout=BACKSTOP_S)
    assert run.returncode == 0, run.stdout
    text = unit.read_text()
    for line in ("Delegate=yes", "KillMode=mixed", "NoNewPrivileges=yes"):
        assert f"\n{line}\n" in text, line
    stop, drain = int(re.search(r"TimeoutStopSec=(\d+)", text)[1]), 60
    assert stop > drain


# --- proxies ------------------------------------------------------------------------------------


def certificate(judge):
    pem, key = judge.home / "tls.pem", judge.home / "tls.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-keyout", key, "-out", pem, "-days", "2", "-subj", f"/CN={NAME}",
                    "-addext", f"subjectAltName=DNS:{NAME}"], check=True, capture_output=True,
                   timeout=BACKSTOP_S)
    return pem, key


def replaced(text, *pairs):
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text


class Https(http.client.HTTPSConnection):
    """To the proxy's port on this machine, under the sample's name."""

    def __init__(self, port, pem):
        super().__init__(NAME, port, timeout=BACKSTOP_S, context=ssl.create_default_context(cafile=str(pem)))

    def connect(self):
        plain = socket.create_connection(("127.0.0.1", self.port), self.timeout)
        self.sock = self._context.wrap_socket(plain, server_hostname=NAME)


def ask(port, pem, method, path, body=None, **headers):
    c = Https(port, pem)
    try:
        c.request(method, path, body=json.dumps(body) if body is not None else None,
                  headers={"Content-Type": "application/json", "Host": NAME, **headers})
        answer = c.getresponse()
        return answer.status, answer.read().decode()
    finally:
        c.close()


def answers(port, pem):
    try:
        return ask(port, pem, "GET", "/api/health")[0] == 200
    except OSError:
        return False


def check_proxy(judge, command, port, pem, env=None):
    """A submission through the proxy: its events come as they happen, and nobody forges a name."""
    with open(judge.home / "proxy.log", "wb") as log:
        proxy = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                 env={**os.environ, **(env or {})})
    try:
        await_that(lambda: proxy.poll() is not None or answers(port, pem), "the proxy answers",
                   lambda: (judge.home / "proxy.log").read_text())
        assert proxy.poll() is None, (judge.home / "proxy.log").read_text()
        link = (judge.home / "first-admin").read_text().strip().split("#")[1]
        status, text = ask(port, pem, "POST", "/api/accounts", {"name": "ada", "invitation": link})
        assert status == 201, (status, text)
        bearer = {"Authorization": f"Bearer {json.loads(text)['token']}", "Origin": f"https://{NAME}"}
        body = {"problem": "vector-addition", "filename": "k.cu", "source": RIGHT + "//" + "x" * 900000}
        status, text = ask(port, pem, "POST", "/api/submissions", body, **bearer)
        assert status == 201, (status, text)
        status, text = ask(port, pem, "GET", f"/api/submissions/{json.loads(text)['id']}/events", **bearer)
        events = [json.loads(line)["event"] for line in text.splitlines()]
        assert status == 200 and events[-1] == "done" and len(events) > 1, events
        for forged in ({"X-Warpjudge-User": "ada"}, {"x-warpjudge-user": "ada", "Forwarded": "for=127.0.0.1"}):
            status, text = ask(port, pem, "GET", "/api/account", **forged)
            assert "ada" not in text, text
            assert ask(port, pem, "POST", "/api/submissions", body, **forged)[0] in (401, 403)
    finally:
        proxy.send_signal(signal.SIGTERM)
        proxy.wait(BACKSTOP_S)


def start_behind_proxy(judge):
    return judge.start("--listen", "127.0.0.1:0", "--registration", "invitation", "--host-name", NAME,
                       "--proxy", "127.0.0.0/8", "--proxy-header", "X-Warpjudge-User")["port"]


def test_nginx(judge):
    upstream, port = start_behind_proxy(judge), own_port()
    pem, key = certificate(judge)
    site = replaced((ROOT / "deploy/nginx.conf").read_text(),
                    ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"), ("127.0.0.1:8080;", f"127.0.0.1:{upstream};"),
                    ("/etc/ssl/judge.example.org.pem", str(pem)), ("/etc/ssl/judge.example.org.key", str(key)))
    temp = "".join(f"{kind}_temp_path {judge.home}/{kind};\n" for kind in
                   ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    user = "user root;\n" if os.geteuid() == 0 else ""
    conf = judge.write("nginx.conf", f"{user}pid {judge.home}/nginx.pid;\nerror_log stderr;\ndaemon off;\n"
                       f"events {{}}\nhttp {{\naccess_log off;\n{temp}{site}\n}}\n")
    check_proxy(judge, ["/usr/sbin/nginx", "-p", judge.home, "-c", conf, "-e", "stderr"], port, pem)


def test_caddy(judge):
    upstream, port = start_behind_proxy(judge), own_port()
    pem, key = certificate(judge)
    site = replaced((ROOT / "deploy/Caddyfile").read_text(),
                    (f"{NAME} {{\n", f"https://{NAME}:{port} {{\n\tbind 127.0.0.1\n\ttls {pem} {key}\n"),
                    ("127.0.0.1:8080", f"127.0.0.1:{upstream}"))
    conf = judge.write("Caddyfile", "{\n\tadmin off\n\tauto_https disable_redirects\n}\n" + site)
    check_proxy(judge, ["caddy", "run", "--config", conf, "--adapter", "caddyfile"], port, pem,
                {"XDG_DATA_HOME": str(judge.home / "data"), "XDG_CONFIG_HOME": str(judge.home / "config"),
                 "HOME": str(judge.home)})

"""What an operator installs: the systemd unit, and the samples for nginx and Caddy with TLS."""
import http.client
import json
import os
import re
import signal
import socket
import ssl
import subprocess

from harness import BACKSTOP_S, DEMO, ROOT, await_that
from test_config_file import OPTIONS

RIGHT = (DEMO / "right.cu").read_text()
ENDLESS = """// warpjudge: vector-addition
#include <unistd.h>
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    for (;;)
        ;
}
"""
NAME = "judge.example.org"
EXPOSURE = 60  # tenths of what `systemd-analyze security` says at most; a unit without all this has 96


def install(judge, prefix):
    """`make install` with DESTDIR: what is installed below the judge's home as if at prefix."""
    run = subprocess.run([ROOT / "tests/tools/install", judge.prefix, prefix, judge.home / "root"], cwd=ROOT,
                         capture_output=True, text=True, timeout=BACKSTOP_S, check=True)
    assert prefix in run.stdout, run
    return judge.home / f"root{prefix}"


def test_what_is_installed_judges(judge):
    folder = install(judge, "/opt/judge")
    for path in ("bin/warpjudge", "libexec/warpjudged", "share/warpjudge/problems/vector-addition/problem.json",
                 "share/doc/warpjudge/operating.md", "share/doc/warpjudge/examples/nginx.conf",
                 "share/doc/warpjudge/examples/Caddyfile", "share/doc/warpjudge/examples/warpjudge.conf", "share/man/man1/warpjudge.1",
                 "share/bash-completion/completions/warpjudge", "share/fish/vendor_completions.d/warpjudge.fish",
                 "share/zsh/site-functions/_warpjudge"):
        assert (folder / path).is_file(), path
    unit = (folder / "lib/systemd/system/warpjudge.service").read_text()
    assert "ExecStart=/opt/judge/bin/warpjudge serve\n" in unit and "@" not in unit
    judge.bin = folder / "bin/warpjudge"
    judge.start("--config", str(folder / "share/doc/warpjudge/examples/warpjudge.conf"),
                "--listen", "127.0.0.1:0")
    assert judge.wait_done(judge.post(RIGHT))["verdict"] == "accepted"


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


def test_judging_needs_no_more_than_the_unit_has(judge):
    """The daemon with the unit's capabilities, where the test may give it any. At a low priority, too,
    as an operator may give it, and which it cannot raise then."""
    text = (ROOT / "deploy/warpjudge.service").read_text()
    names = re.search(r"^CapabilityBoundingSet=(.*)$", text, re.M)[1].lower().split()
    assert {"cap_setuid", "cap_setgid"} <= set(names)
    bounded = ",".join(f"+{name.removeprefix('cap_')}" for name in names)
    limit = [f"--bounding-set=-all,{bounded}"] if os.geteuid() == 0 else []
    (judge.home / "cache").unlink()  # shared with daemons that may do more
    judge.start_command(["setpriv", *limit, "--no-new-privs", "nice", "-n", "19", judge.bin, "serve"])
    health = judge.api("GET", "/api/health")[1]
    assert os.geteuid() != 0 or health["ids"].startswith("users "), health
    assert judge.wait_done(judge.post(RIGHT))["verdict"] == "accepted"
    assert judge.wait_done(judge.post(ENDLESS))["verdict"] == "time_limit"
    judge.let_leave()
    await_that(lambda: not list((judge.home / "jobs").iterdir()), "no job folder is left")


def flags_of(judge):
    """{verb: {flag}} as each --help lists them, which is what the command line accepts."""
    verbs = re.findall(r"^  ([a-z]+) ", judge.cli("--help", status=0).stdout.split("\nverbs")[1]
                       .split("\nfor a start")[0], re.M)
    return {verb: set(re.findall(r"^  (?:-\w, )?--([a-z-]+)", judge.cli(verb, "--help", status=0).stdout, re.M))
            for verb in verbs}


def test_manual_and_completions_have_every_flag(judge):
    flags = flags_of(judge)
    assert len(flags) >= 18 and {name for name, _ in OPTIONS} | {"config"} == flags["serve"], flags
    page = judge.cli("generate", "man", status=0).stdout
    sections = dict(re.findall(r"^\.SS warpjudge ([a-z]+)(.*?)(?=^\.S[SH])", page, re.M | re.S))
    for verb, known in flags.items():
        listed = re.findall(r"^\.B (?:\\-\w, )?\\-\\-(\S+)", sections[verb], re.M)
        assert {name.replace("\\-", "-") for name in listed} == known, verb
    fish = judge.cli("generate", "fish", status=0).stdout
    zsh = judge.cli("generate", "zsh", status=0).stdout
    for verb, known in flags.items():
        assert set(re.findall(rf"_from {verb}' -l (\S+)", fish)) == known, verb
        case = re.search(rf"^    {verb}\) (.*?);;", zsh, re.M | re.S)[1]
        assert set(re.findall(r"'--([a-z-]+)\[", case)) == known, verb
    bash = judge.write("complete.bash", judge.cli("generate", "bash", status=0).stdout)

    def completed(*words):
        script = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _warpjudge; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        run = subprocess.run(["bash", "-uc", script, "bash", bash, *words], capture_output=True, text=True,
                             timeout=BACKSTOP_S, check=True)
        assert not run.stderr, run.stderr
        return set(run.stdout.split())

    assert completed("warpjudge", "") == flags.keys() | {"--help", "--version"}
    assert completed("warpjudge", "doc") == {"doctor"}
    for verb, known in flags.items():
        assert completed("warpjudge", verb, "--") == {f"--{name}" for name in known | {"help"}}, verb
    assert completed("warpjudge", "submit", "x") == set()
    run = judge.cli("generate", "pdf", status=2)
    assert "man, bash, fish and zsh" in run.stderr, run.stderr


# --- proxies ------------------------------------------------------------------------------------


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


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
    upstream, port = start_behind_proxy(judge), free_port()
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
    upstream, port = start_behind_proxy(judge), free_port()
    pem, key = certificate(judge)
    site = replaced((ROOT / "deploy/Caddyfile").read_text(),
                    (f"{NAME} {{\n", f"https://{NAME}:{port} {{\n\tbind 127.0.0.1\n\ttls {pem} {key}\n"),
                    ("127.0.0.1:8080", f"127.0.0.1:{upstream}"))
    conf = judge.write("Caddyfile", "{\n\tadmin off\n\tauto_https disable_redirects\n}\n" + site)
    check_proxy(judge, ["caddy", "run", "--config", conf, "--adapter", "caddyfile"], port, pem,
                {"XDG_DATA_HOME": str(judge.home / "data"), "XDG_CONFIG_HOME": str(judge.home / "config"),
                 "HOME": str(judge.home)})

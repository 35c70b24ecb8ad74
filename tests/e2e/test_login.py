"""login, logout, whoami, token and admin at the command line, over TCP as from another machine."""
import json
import os
import pty
import socket
import subprocess
import threading

from harness import BACKSTOP_S, DEMO

RIGHT = (DEMO / "right.cu").read_text()


class Person:
    """A user of the command line with a file of logins, who is on no judge's machine."""

    def __init__(self, judge, name):
        self.judge = judge
        self.config = judge.home / f"config-{name}"
        self.file = self.config / "warpjudge/logins.json"
        self.env = {"WARPJUDGE_HOME": "", "XDG_CONFIG_HOME": str(self.config), "WARPJUDGE_USER": ""}

    def run(self, *args, status=0, typed="", env=None):
        typed_file = self.judge.write("typed", typed)
        with open(typed_file) as stdin:
            return self.judge.cli(*args, status=status, stdin=stdin, env={**self.env, **(env or {})})


def admin_of(judge, port):
    """The first admin, signed in by the link that the daemon has written."""
    admin = Person(judge, "admin")
    link = (judge.home / "first-admin").read_text().strip()
    run = admin.run("login", "--user", "Boss", link)
    assert f"you are Boss at http://localhost:{port}" in run.stdout, run.stdout
    return admin


def test_a_class_from_nothing(judge):
    port = judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"]
    url = f"http://localhost:{port}"
    admin = admin_of(judge, port)
    assert admin.file.stat().st_mode & 0o777 == 0o600
    assert admin.run("whoami").stdout.startswith(f"Boss at {url}: admin, by a token for read submit bulk admin")
    command = admin.run("admin", "invite", "ada").stdout.split()
    assert command[:2] == ["warpjudge", "login"], command
    link = command[2].strip("'")
    ada = Person(judge, "ada")
    assert "another name" in ada.run("login", "--user", "ben", link, status=2).stderr
    ada.run("login", "--user", "ada", link + "/", status=2)
    ada.run("login", "--user", "ada", url, typed=link.split("#")[1] + "\n")
    assert "not known" in ada.run("login", "--user", "ada", link, status=2).stderr
    source = judge.write("right.cu", RIGHT)
    done = json.loads(ada.run("submit", "--json", source).stdout)
    assert done["user"] == "ada" and done["verdict"] == "accepted", done
    assert "vector-addition" in ada.run("history").stdout
    assert "only an admin" in ada.run("submit", "--user", "boss", source, status=2).stderr
    assert "only the staff" in ada.run("admin", "users", status=2).stderr
    # Staff.
    assert "ada is staff, active" in admin.run("admin", "role", "ADA", "staff").stdout
    users = ada.run("admin", "users").stdout
    assert "Boss" in users and "staff" in users, users
    assert "role" in admin.run("admin", "role", "ada", "king", status=2).stderr
    # A name of older submissions.
    judge.wait_done(judge.post(RIGHT, user="old-ada"))
    assert "unclaimed" in admin.run("admin", "users").stdout
    admin.run("admin", "assign", "old-ada", "ada")
    assert "old-ada" not in admin.run("admin", "users").stdout
    # An account that is closed.
    admin.run("admin", "close", "ada")
    assert "closed" in ada.run("history", status=2).stderr
    admin.run("admin", "open", "ada")
    ada.run("history")
    run = ada.run("logout")
    assert "ada is signed out" in run.stdout and "wjt_" not in ada.file.read_text()
    assert "not signed in" in ada.run("logout", status=2).stderr
    assert "wjt_" not in run.stdout + judge.log.read_text()


def test_tokens_of_ones_own(judge):
    port = judge.start("--listen", "127.0.0.1:0", "--registration", "open")["port"]
    url = f"http://127.0.0.1:{port}"
    ada = Person(judge, "ada")
    ada.run("login", "--join", "--user", "ada", url)
    token = ada.run("token", "new", "ci", "--scopes", "read", "--days", "3").stdout.strip()
    assert token.startswith("wjt_"), token
    listed = ada.run("token", "list").stdout
    assert "ci" in listed and "this one" in listed and token not in listed, listed
    other = Person(judge, "other")
    ci = {"WARPJUDGE_TOKEN": token, "WARPJUDGE_URL": url}
    assert other.run("whoami", env=ci).stdout.startswith(f"ada at {url}: member, by a token for read, until ")
    source = judge.write("k.cu", "// warpjudge: vector-addition\nint x;\n")
    assert "scope submit" in other.run("submit", source, env=ci, status=2).stderr
    assert not other.file.exists()
    # A token is typed, and is good for `login`, too.
    other.run("login", url, typed=token + "\n")
    assert token in other.file.read_text()
    assert "neither a token" in other.run("login", url, typed="secret\n", status=2).stderr
    assert "not known" in other.run("login", url, typed="wjt_" + "0" * 64 + "\n", status=2).stderr
    number = [line.split()[0] for line in listed.splitlines() if " ci " in line][0]
    ada.run("token", "revoke", number)
    assert "revoked" in other.run("whoami", status=2).stderr
    assert "no token 999" in ada.run("token", "revoke", "999", status=2).stderr
    # The judge is gone: the token is forgotten all the same.
    judge.stop()
    assert "not revoked" in ada.run("logout", status=3).stderr
    assert "wjt_" not in ada.file.read_text()


def test_no_token_over_plain_http(judge):
    """To another host nothing is sent: not by login, not by a variable, and not by a proxy."""
    ada = Person(judge, "ada")
    token = "wjt_" + "1" * 64
    for url in ("http://judge.example", "http://localhost.example:80", "http://127.0.0.1.example",
                "http://10.0.0.1:8080", "http://134744072", "http://0.0.0.0:80"):
        for address in (url, f"{url}/#wji_" + "1" * 64):
            run = ada.run("login", address, typed=token + "\n", status=2)
            assert "over plain HTTP" in run.stderr, (address, run.stderr)
        run = ada.run("whoami", env={"WARPJUDGE_URL": url, "WARPJUDGE_TOKEN": token}, status=2)
        assert "over plain HTTP" in run.stderr, (url, run.stderr)
    for address in ("http://127.0.0.1@judge.example", "judge.example", "ftp://localhost", "http://", "file:///x",
                    "http://localhost/?x"):
        assert ada.run("login", address, typed=token + "\n", status=2).stderr, address
    assert not ada.file.exists()
    # A proxy is another host.
    port = judge.start("--listen", "127.0.0.1:0", "--registration", "open")["port"]
    heard = []
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        def listen():
            while True:
                try:
                    connection, _ = proxy.accept()
                except OSError:
                    return
                heard.append(connection.recv(65536))
                connection.close()

        listener = threading.Thread(target=listen, daemon=True)
        listener.start()
        names = {name: f"http://127.0.0.1:{proxy.getsockname()[1]}" for name in ("http_proxy", "all_proxy")}
        ada.run("login", "--join", "--user", "ada", f"http://127.0.0.1:{port}",
                env={**names, "no_proxy": "127.0.0.1"})
        ada.run("whoami", env={**names, "no_proxy": ""})
        proxy.shutdown(socket.SHUT_RDWR)
        listener.join(BACKSTOP_S)
    assert heard == []


def test_a_terminal_shows_no_token(judge):
    port = judge.start("--listen", "127.0.0.1:0", "--registration", "open")["port"]
    ada = Person(judge, "ada")
    ada.run("login", "--join", "--user", "ada", f"http://localhost:{port}")
    token = ada.run("token", "new").stdout.strip()
    ben = Person(judge, "ben")
    ours, theirs = pty.openpty()
    run = subprocess.Popen([judge.bin, "login", f"http://localhost:{port}"], stdin=theirs, stdout=theirs,
                           stderr=theirs, env={**judge.env, **ben.env})
    os.close(theirs)
    shown = b""
    while b"invitation: " not in shown:
        shown += os.read(ours, 4096)
    os.write(ours, token.encode() + b"\n")
    try:
        while True:
            shown += os.read(ours, 4096)
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    assert run.wait(BACKSTOP_S) == 0 and b"you are ada" in shown and token.encode() not in shown, shown


def test_ones_own_machine_needs_no_account(judge):
    """The daemon that a command starts for itself knows the login, and asks nothing."""
    source = judge.write("k.cu", "// warpjudge: vector-addition\nint x;\n")
    judge.cli("submit", source, status=1)
    run = judge.cli("whoami", status=0)
    assert ": admin, by your login" in run.stdout, run.stdout
    who = json.loads(judge.cli("whoami", "--json", status=0).stdout)
    assert who["registration"] == "off" and not who["token"], who
    assert "k.cu" in judge.cli("history", status=0).stdout
    assert "admin invite" in judge.cli("token", "list", status=2).stderr
    assert "https://ADDRESS" in judge.cli("admin", "invite", status=0).stdout
    for words in (("token", "x"), ("token", "revoke"), ("admin", "x"), ("admin", "role", "x"), ("login",)):
        judge.cli(*words, status=2)

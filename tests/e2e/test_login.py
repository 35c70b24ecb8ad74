"""login, logout, whoami, token and admin at the command line, over TCP as from another machine."""
import json
import os
import pty
import socket
import subprocess
import threading

from harness import BACKSTOP_S, DEMO
from test_sessions import Page

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
    assert "neither a token" in other.run("login", url, typed="wjt_secret\n", status=2).stderr
    assert "neither a token" in other.run("login", url, typed="\n", status=2).stderr
    assert "nothing was typed" in other.run("login", url, status=2).stderr
    assert "too long" in other.run("login", url, typed="x" * 3000 + "\n", status=2).stderr
    assert "password is wrong" in other.run("login", url, typed="some secret\n", status=2).stderr
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
    status, shown = on_a_terminal(ben, ["login", f"http://localhost:{port}"], ("name (nothing", ""), ("reset code: ", token))
    assert status == 0 and "you are ada" in shown and token not in shown, shown


def on_a_terminal(person, command, *questions):
    """(status, all that was shown) of a command that asks each (question, what is typed then)."""
    ours, theirs = pty.openpty()
    run = subprocess.Popen([person.judge.bin, *command], stdin=theirs, stdout=theirs, stderr=theirs,
                           env={**person.judge.env, **person.env})
    os.close(theirs)
    shown, last = b"", 0
    for question, typed in questions:
        while question.encode() not in shown[last:]:
            shown += os.read(ours, 4096)
        last = len(shown)
        os.write(ours, typed.encode() + b"\n")
    try:
        while True:
            shown += os.read(ours, 4096)
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    return run.wait(BACKSTOP_S), shown.decode()


def test_a_password_instead_of_a_token(judge):
    """Set at a terminal, and exchanged for a token of this machine; a reset code sets another."""
    port = judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"]
    url, first, second = f"http://localhost:{port}", "correct horse battery", "another horse, longer"
    admin, ada = admin_of(judge, port), Person(judge, "ada")
    ada.run("login", "--user", "ada", admin.run("admin", "invite", "ada").stdout.split("'")[1])
    status, shown = on_a_terminal(ada, ["account", "password"], ("new password: ", first), ("once more: ", second))
    assert status == 2 and "not the same" in shown, shown
    assert "at least 10" in ada.run("account", "password", typed="short\n", status=2).stderr
    status, shown = on_a_terminal(ada, ["account", "password"], ("new password: ", first), ("once more: ", first))
    assert status == 0 and "the password is set" in shown and first not in shown, shown
    other = Person(judge, "other")
    status, shown = on_a_terminal(other, ["login", url], ("name (nothing", "Ada"), ("password: ", first))
    assert status == 0 and "you are ada at" in shown and first not in shown, shown
    kept = json.loads(other.file.read_text())
    assert other.file.stat().st_mode & 0o777 == 0o600 and first not in str(kept) and "wjt_" in str(kept), kept
    assert os.uname().nodename[:20] in ada.run("token", "list").stdout
    other.run("logout")
    assert ada.run("whoami").stdout.startswith("ada at")
    # Without a terminal.
    assert "password is wrong" in other.run("login", "--user", "ada", url, typed=second + "\n", status=2).stderr
    other.run("login", "--user", "ada", url, typed=first + "\n")
    # An admin's link.
    assert "only an admin" in ada.run("admin", "reset", "ada", status=2).stderr
    command = admin.run("admin", "reset", "ada").stdout
    assert command.startswith(f"warpjudge login '{url}/#wjr_"), command
    link = command.split("'")[1]
    third = Person(judge, "third")
    assert "at least 10" in third.run("login", link, typed="short\n", status=2).stderr
    status, shown = on_a_terminal(third, ["login", link], ("new password: ", second), ("once more: ", second))
    assert status == 0 and "you are ada at" in shown and second not in shown, shown
    assert "not known, or was used" in third.run("login", link, typed=first + "\n", status=2).stderr
    code = admin.run("admin", "reset", "--json", "ada").stdout
    third.run("login", url, typed=f"{json.loads(code)['code']}\n{first}\n")
    # Sessions of browsers.
    page = Page(port)
    page.sign_in("ada", first)
    assert " 1  " in ada.run("session", "list").stdout and "1" in admin.run("session", "list", "--user", "ada").stdout
    assert "only an admin" in ada.run("session", "list", "--user", "Boss", status=2).stderr
    assert "no session 99" in ada.run("session", "revoke", "99", status=2).stderr
    ident, = [s["id"] for s in json.loads(ada.run("session", "list", "--json").stdout)["sessions"]]
    assert "has ended" in admin.run("session", "revoke", str(ident), "--user", "ada").stdout and page.me() is None
    page.sign_in("ada", first)
    ada.run("session", "revoke", "all")
    assert page.me() is None
    ada.run("account", "password", "remove")
    assert "password is wrong" in other.run("login", "--user", "ada", url, typed=first + "\n", status=2).stderr
    for words in (("session",), ("session", "x"), ("session", "revoke"), ("account", "password", "x"), ("admin", "reset")):
        ada.run(*words, status=2)
    assert not [f for f in (judge.log.read_text(), str(kept)) if first in f or second in f or "wjr_" in f]


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

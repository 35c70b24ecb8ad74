"""What an admin announces: everybody is told, on each page and at the command line, and nothing of it is obeyed."""
import os
import pty
import subprocess

from harness import BACKSTOP_S, DEMO
from test_display_name import BAD
from test_login import Person
from test_pages import HOSTILE, Browser
from test_rights import Tcp, join

TEXT = "No judge on Friday, from 18:00 to 19:00."


def told(judge):
    return [a["text"] for a in judge.api("GET", "/api/announcements")[1]["announcements"]]


def test_everybody_is_told(judge):
    port = judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"]
    tcp, browser = Tcp(port), Browser(port)
    boss, ada = join(judge, "boss", "admin"), join(judge, "ada")
    status, first = tcp.token("POST", "api/announcements", boss, {"text": TEXT})
    assert status == 201 and first["text"] == TEXT, first
    assert tcp.token("POST", "api/announcements", boss, {"text": HOSTILE})[0] == 201
    assert tcp.ask("GET", "api/announcements")[1]["announcements"][1] == first and told(judge) == [HOSTILE, TEXT]
    for path in ("/problems", "/sign-in", "/submissions/999", "/about"):  # an error's page, too
        page = browser.get(path, 404 if path == "/submissions/999" else 200)
        assert page.text.index(HOSTILE) < page.text.index(TEXT), path
    # What is not one line of text is refused.
    for text, says in BAD:
        if len(text) < 64:
            status, answer = tcp.token("POST", "api/v1/announcements", boss, {"text": text})
            assert status == 400 and answer["pointer"] == "/text" and says in answer["detail"], (text, answer)
    for body in ({}, {"text": ""}, {"text": 7}, {"text": "x" * 401}, {"text": "x", "to": "ada"}):
        assert tcp.token("POST", "api/announcements", boss, body)[0] == 400, body
    for text in ("x" * 400, "4", "5"):
        assert tcp.token("POST", "api/announcements", boss, {"text": text})[0] == 201
    status, answer = tcp.token("POST", "api/v1/announcements", boss, {"text": "6"})
    assert status == 409 and "5 announcements" in answer["detail"], answer
    # It outlives the daemon, and ends when it is removed.
    judge.stop()
    port = judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"]
    tcp, browser = Tcp(port), Browser(port)
    assert len(told(judge)) == 5 and told(judge)[-1] == TEXT
    assert tcp.token("DELETE", f"api/announcements/{first['id']}", ada)[0] == 403
    assert tcp.token("DELETE", f"api/announcements/{first['id']}", boss)[0] == 200
    assert tcp.token("DELETE", f"api/announcements/{first['id']}", boss)[0] == 404
    assert tcp.token("DELETE", "api/announcements/x", boss)[0] == 400
    assert TEXT not in told(judge) and TEXT not in browser.get("/problems").text


def at_a_terminal(judge, *args):
    """What the command line writes to standard error, where that is a terminal."""
    ours, theirs = pty.openpty()
    run = subprocess.run([judge.bin, *args], stdout=subprocess.DEVNULL, stderr=theirs, stdin=subprocess.DEVNULL,
                         timeout=BACKSTOP_S, env={**judge.env, "TERM": "xterm"})
    os.close(theirs)
    assert run.returncode == 0, run
    got = b""
    try:
        while more := os.read(ours, 65536):
            got += more
    except OSError:  # EIO: nobody has the terminal any more
        pass
    os.close(ours)
    return got.decode()


def test_at_the_command_line(judge):
    port = judge.start("--listen", "127.0.0.1:0", "--registration", "open")["port"]
    assert judge.cli("admin", "announcements", status=0).stdout == "nothing is announced\n"
    run = judge.cli("admin", "announce", *TEXT.split(), status=0)
    assert run.stdout == "everybody is told so, until `warpjudge admin unannounce 1`\n", run.stdout
    assert told(judge) == [TEXT]
    assert TEXT in judge.cli("admin", "announcements", status=0).stdout
    ada = Person(judge, "ada")
    for args in (("login", "--join", "--user", "ada", f"http://localhost:{port}"), ("whoami",), ("status",)):
        run = ada.run(*args)
        assert f": {TEXT}\n" in run.stdout and run.stdout.startswith(("you are", "ada at", "warpjudge")), run.stdout
    # A script that submits is told nothing; who sits at a terminal is.
    run = ada.run("submit", DEMO / "right.cu")
    assert TEXT not in run.stdout + run.stderr, run.stdout
    assert TEXT in at_a_terminal(judge, "submit", DEMO / "right.cu")
    run = judge.cli("admin", "announce", "", status=2)
    assert "empty" in run.stderr, run.stderr
    run = judge.cli("admin", "unannounce", "1", status=0)
    assert run.stdout == "announcement 1 is told no more\n"
    run = judge.cli("admin", "unannounce", "1", status=2)
    assert "no announcement 1" in run.stderr, run.stderr
    assert TEXT not in ada.run("status").stdout

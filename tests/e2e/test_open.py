"""`warpjudge open`: the address of the pages, and the desktop's browser where there is a screen."""
BUILD = "asan"


def test_the_pages_are_opened(judge):
    port = judge.start("--listen", "127.0.0.1:0", "--open")["port"]
    bare = {"DISPLAY": "", "WAYLAND_DISPLAY": ""}
    for args, path in (((), ""), (("softmax",), "problems/softmax"), (("7",), "submissions/7")):
        assert judge.cli("open", *args, status=0, env=bare).stdout == f"http://localhost:{port}/{path}\n"
    assert "is neither" in judge.cli("open", "../x", status=2, env=bare).stderr
    elsewhere = bare | {"WARPJUDGE_URL": "https://judge.example/"}
    assert judge.cli("open", status=0, env=elsewhere).stdout == "https://judge.example/\n"

    opener = judge.write("xdg-open", f"#!/bin/sh\necho \"$1\" >{judge.home}/opened\n")
    opener.chmod(0o755)
    screen = {"DISPLAY": ":0", "PATH": f"{opener.parent}:{judge.env['PATH']}"}
    judge.cli("open", "softmax", status=0, env=screen)
    assert (judge.home / "opened").read_text() == f"http://localhost:{port}/problems/softmax\n"
    nothing = {"DISPLAY": ":0", "PATH": "/nothing"}
    assert judge.cli("open", status=0, env=nothing).stdout == f"http://localhost:{port}/\n"

    judge.stop()
    judge.start()
    assert "no address that a browser can open" in judge.cli("open", status=2, env=bare).stderr

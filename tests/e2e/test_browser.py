"""The pages in a real browser, Debian's chromium: a newcomer's way with scripts, and without them."""
import json
import shutil
import subprocess
import threading

from harness import BACKSTOP_S, DEMO, LONG_CALL_S, ROOT, await_that, own_port
from test_cancel import ASLEEP
from test_pages import hostile_problems
from test_rights import invite

NEEDS = "browser-packages"
SHOTS = ROOT / "build/pages"


def browse(port, steps=(), **more):
    """A browser does what tests/web/browser.mjs says, and leaves pictures of the pages. Where it prints the
    name of a step, this is taken, and its answer is the next line that the browser reads."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    config = {"url": f"http://127.0.0.1:{port}", "chromium": shutil.which("chromium"), "shots": str(SHOTS)} | more
    run = subprocess.Popen(["node", ROOT / "tests/web/browser.mjs", json.dumps(config)], text=True,
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    backstop = threading.Timer(BACKSTOP_S, run.kill)
    backstop.start()
    said = ""
    with run:
        for line in run.stdout:
            if line.strip() in steps:
                print(steps[line.strip()](), file=run.stdin, flush=True)
            else:
                said += line
    backstop.cancel()
    assert run.returncode == 0, said


def test_a_newcomer_in_a_browser(judge):
    hostile_problems(judge)
    path = judge.home / "problems/vector-addition/problem.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"limits": {"time_ms": LONG_CALL_S * 1000}}))
    port = own_port()  # nobody else gets it while the judge is away
    args = ("--listen", f"127.0.0.1:{port}", "--registration", "invitation")
    judge.start(*args)

    def send_asleep():
        ident = judge.post(ASLEEP, user="ada")
        await_that(lambda: judge.api("GET", f"/api/submissions/{ident}")[1]["state"] == "running", "it runs")
        return ident

    steps = {"send what sleeps": send_asleep, "kill the judge": judge.kill,
             "start the judge": lambda: judge.start(*args)}
    preview = judge.api("GET", "/api/v1/problems/reverse-array/preview")[1]["page"]
    browse(port, steps, invitation=invite(judge), kernel=(DEMO / "right.cu").read_text(), preview=preview,
           folder=str(judge.home / "problems/reverse-array"))

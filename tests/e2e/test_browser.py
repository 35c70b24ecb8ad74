"""The pages in a real browser, Debian's chromium: a newcomer's way with scripts, and without them."""
import json
import shutil
import subprocess

from harness import BACKSTOP_S, DEMO, ROOT
from test_pages import hostile_problems
from test_rights import invite

NEEDS = "browser-packages"
SHOTS = ROOT / "build/pages"


def browse(port, **more):
    """A browser does what tests/web/browser.mjs says, and leaves pictures of the pages."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    config = {"url": f"http://127.0.0.1:{port}", "chromium": shutil.which("chromium"), "shots": str(SHOTS)} | more
    run = subprocess.run(["node", ROOT / "tests/web/browser.mjs", json.dumps(config)], capture_output=True, text=True,
                         timeout=BACKSTOP_S)
    assert run.returncode == 0, run.stdout + run.stderr


def test_a_newcomer_in_a_browser(judge):
    hostile_problems(judge)
    port = judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"]
    preview = judge.api("GET", "/api/v1/problems/reverse-array/preview")[1]["page"]
    browse(port, invitation=invite(judge), kernel=(DEMO / "right.cu").read_text(), preview=preview,
           folder=str(judge.home / "problems/reverse-array"))

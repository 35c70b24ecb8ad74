"""The pages in a real browser, Debian's chromium: a newcomer's way, without scripts, and how each page looks."""
import json
import shutil
import subprocess

from harness import BACKSTOP_S, DEMO, ROOT
from test_rights import invite

SLOW = "a browser takes half a minute of CPU time, and its package is large"
NEEDS = "browser-packages"
SHOTS = ROOT / "build/pages"


def browse(judge, pages):
    """A browser goes the ways of tests/web/browser.mjs, and leaves pictures of the pages."""
    port = judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"]
    SHOTS.mkdir(parents=True, exist_ok=True)
    config = {"url": f"http://127.0.0.1:{port}", "invitation": invite(judge), "chromium": shutil.which("chromium"),
              "kernel": (DEMO / "right.cu").read_text(), "pages": pages, "shots": str(SHOTS)}
    run = subprocess.run(["node", ROOT / "tests/web/browser.mjs", json.dumps(config)], capture_output=True, text=True,
                         timeout=BACKSTOP_S)
    assert run.returncode == 0, run.stdout + run.stderr


def test_a_newcomer_in_a_browser(judge):
    browse(judge, ["/problems/vector-addition"])

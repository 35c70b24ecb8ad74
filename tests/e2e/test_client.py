"""`make client`: the command line alone asks a judge over TCP, as built for this machine and for arm64."""
import os
import re
import subprocess

from harness import BACKSTOP_S, DEMO, ROOT

SLOW = "it compiles the command line twice, and installs a cross compiler and qemu"
NEEDS = "client client-arm64"
NATIVE = ROOT / "build/client/bin/warpjudge"
ARM64 = ["qemu-aarch64", "-L", ROOT / "build/arm64-root", ROOT / "build/client-arm64/bin/warpjudge"]
ABSENT = ("serve", "emu", "doctor", "rerun", "problem", "worker")


class Laptop:
    def __init__(self, judge, command, url):
        self.command = command
        self.folder = judge.home / "laptop"
        self.folder.mkdir(exist_ok=True)
        self.env = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "NO_COLOR": "1",
                    **({"WARPJUDGE_URL": url} if url else {})}

    def run(self, *args, status=0):
        run = subprocess.run([*self.command, *map(str, args)], env=self.env, cwd=self.folder, text=True,
                             stdin=subprocess.DEVNULL, capture_output=True, timeout=BACKSTOP_S)
        assert run.returncode == status, (args, run)
        return run.stdout if status == 0 else run.stderr


def test_it_needs_libcurl_and_cjson_alone(judge):
    told = subprocess.run(["readelf", "-d", NATIVE], check=True, text=True, capture_output=True).stdout
    assert set(re.findall(r"NEEDED.*\[(\w+)\.so", told)) == {"libcurl", "libcjson", "libm", "libc"}, told
    laptop = Laptop(judge, [NATIVE], None)
    for verb in ABSENT:
        told = laptop.run(verb, "--listen", "x", status=2)
        assert f"`warpjudge {verb}` works on the judge's own machine only" in told, told
    told = laptop.run("problems", status=3)
    assert "`warpjudge login https://ADDRESS` or WARPJUDGE_URL" in told, told


def test_it_talks_to_a_judge(judge):
    port = judge.start("--listen", "127.0.0.1:0", "--open")["port"]
    for command in [NATIVE], ARM64:
        laptop = Laptop(judge, command, f"http://127.0.0.1:{port}")
        listed = laptop.run("--help")
        assert "  submit FILE.cu " in listed and "  serve" not in listed, listed
        assert "vector-addition" in laptop.run("problems", "vector")
        assert "accepted" in laptop.run("submit", DEMO / "right.cu", "--user", "ada")
    assert "ada" in laptop.run("rank", "vector-addition")

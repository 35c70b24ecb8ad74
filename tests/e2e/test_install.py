"""What `make install` brings: programs that judge with what the systemd unit leaves them, the manual
page, and the shells' completions."""
import os
import re
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
    assert completed("warpjudge", "show", "vector-a") == {"vector-addition"}
    assert completed("warpjudge", "submit", "-p", "vector-a") == {"vector-addition"}
    assert completed("warpjudge", "problems", "--tag", "reduc") == {"reduction"}
    assert completed("warpjudge", "run", "-d", "e") == {"emu"}
    assert re.search(r"_from rank' -a '[^']* vector-addition ", fish) and re.search(r"-l tag -r -f -a '[^']*reduction", fish)
    assert re.search(r"'\*:argument:\([^']* vector-addition ", zsh) and r":NAME:(emu cuda\:0 cuda\:1)" in zsh, zsh
    run = judge.cli("generate", "pdf", status=2)
    assert "man, bash, fish and zsh" in run.stderr, run.stderr

"""`serve --config FILE`: every option of `serve` as a key, and one table from which all follow."""
import re
import subprocess

from harness import BACKSTOP_S, ROOT

SPEC = (ROOT / "judge/record/serve_options.h").read_text().replace("\\\n", " ")
# (name, value's name or None) of each row of SERVE_OPTIONS.
OPTIONS = [(name, None if value == "NULL" else value.strip('"')) for name, value in
           re.findall(r'X\(\w+,\s*"([a-z-]+)",\s*0,\s*(NULL|"[^"]*"),', SPEC)]
GOOD = {"home": "/tmp", "listen": "127.0.0.1:0", "host-name": "judge.example", "allow-origin": "https://pages.example", "registration": "closed",
        "sources": "solved", "quota": "60", "quota-in-flight": "3", "quota-device-seconds": "100",
        "proxy": "10.0.0.0/8", "proxy-header": "X-User", "open": "yes", "local-users": "yes", "emu": "2", "stay": "7",
        "workers-only": "yes", "lease": "30", "lease-limit": "3600", "workers-per-token": "100", "drain": "5", "idle-exit": "10", "zone": "Europe/Berlin", "log-format": "json", "keep-jobs": "yes", "seed": "5eed" * 16, "insecure-no-sandbox": "yes"}
BAD = {"listen": None, "host-name": None, "allow-origin": "*", "proxy-header": None, "home": "not/absolute",
       "registration": "perhaps", "sources": "none", "quota": "0", "quota-in-flight": "x",
       "quota-device-seconds": "-1", "proxy": "everywhere", "open": "1", "local-users": "true", "emu": "65", "stay": "0",
       "workers-only": "1", "lease": "0", "lease-limit": "0", "workers-per-token": "4097", "drain": "-1", "idle-exit": "0", "zone": "Europe/Atlantis", "log-format": "xml", "keep-jobs": "on", "seed": "5eed", "insecure-no-sandbox": "YES"}


def refused(judge, text, *args):
    """What `serve` says of a config file, in one line, before it does anything."""
    path = judge.write("test.conf", text)
    run = judge.cli("serve", "--config", path, *args, status=2)
    lines = run.stderr.strip().splitlines()
    assert len(lines) == 1, run.stderr
    return lines[0].replace(str(path), "FILE")


def test_every_option_is_a_key(judge):
    assert len(OPTIONS) >= 18 and {name for name, _ in OPTIONS} == GOOD.keys() == BAD.keys()
    for name, _ in OPTIONS:  # a good value is passed: what is refused is the key behind it
        said = refused(judge, f"# all\n{name} = {GOOD[name]}\nno-such-key = 1\n")
        assert "FILE:3: there is no key no-such-key" in said, (name, said)
        said = refused(judge, f"{name} = {GOOD[name]}\n\n{name} = {GOOD[name]}\n")
        assert f"FILE:3: {name} stands in line 1 already" in said, said
        said = refused(judge, f"\n{name} =\n")
        assert "FILE:2: " in said and name in said, said
        if BAD[name] is not None:
            said = refused(judge, f"\n\n{name} = {BAD[name]}\n")
            assert f"FILE:3: {name}" in said, said


def test_help_and_documents_have_every_option(judge):
    serve = judge.cli("serve", "--help", status=0).stdout
    daemon = subprocess.run([judge.prefix / "libexec/warpjudged", "--help"], capture_output=True, text=True,
                            timeout=BACKSTOP_S, check=True).stdout
    rows = re.findall(r"^\| `([a-z-]+)` \|", (ROOT / "docs/operating.md").read_text(), re.M)
    assert sorted(rows) == sorted(name for name, _ in OPTIONS), rows
    for name, value in OPTIONS:
        flag = f"--{name} {value} " if value else f"--{name} "
        assert flag in serve and flag in daemon, flag


def test_bad_files_are_one_sentence(judge):
    for text, says in (("qota = 3\n", "FILE:1: there is no key qota: did you mean quota?"),
                       ("[server]\nquota = 3\n", "FILE:1: there are no sections but [slurm]"),
                       ("[slurm]\nserver = https://j:1\nquota = 3\n", "FILE:3: [slurm] has no key quota"),
                       ("quota = 3\n[slurm]\nserver = here\n", "FILE:3: server = here: it must be a URL"),
                       ("[slurm]\nserver = https://j:1\nshared = /s\nuser = ada\n[slurm a]\npilots = 2\n",
                        "FILE:5: [slurm a] needs the key board"),
                       ("[slurm]\nserver = https://j:1\nshared = /s\nuser = ada\n[slurm a]\nboard = emu\ngpus = 2\n",
                        "FILE:5: [slurm a] has gpus = 2, and therefore no key device and another board than emu"),
                       ("quota = 3\nquota\n", "FILE:2: it must be KEY = VALUE"),
                       ("quota = 3\n  60\n", "FILE:2: a line must not begin with a space"),
                       ("host-name = " + "x" * 300 + "\n", "FILE:1: the line has more than"),
                       ("quota = 3\n\0\n", "no text in UTF-8"), (b"host-name = \xff\n", "no text in UTF-8"),
                       ("--quota = 3\n", "FILE:1: there is no key --quota"),
                       ("proxy-header = X-User\n", "--proxy-header needs --proxy")):
        assert says in refused(judge, text), (text, refused(judge, text))
    run = judge.cli("serve", "--config", judge.home / "none.conf", status=2)
    assert "none.conf cannot be read" in run.stderr, run.stderr
    run = judge.cli("serve", "--config", judge.home, status=2)
    assert len(run.stderr.splitlines()) == 1, run.stderr
    path = judge.write("open.conf", "quota = 3\n")
    path.chmod(0o666)
    run = judge.cli("serve", "--config", path, status=2)
    assert "everybody may write" in run.stderr, run.stderr


def test_the_command_line_wins(judge):
    """Also over a value that is bad there: such a file is refused all the same."""
    path = judge.write("judge.conf", "; a comment\nlisten = 127.0.0.1:0\nregistration = invitation ; so\n"
                       "quota = 7\nopen = no\nemu = 1\n")
    ready = judge.start("--config", str(path), "--quota", "9")
    assert ready["port"] > 0
    assert (judge.home / "first-admin").exists()
    env = {"XDG_CONFIG_HOME": str(judge.home / "config")}
    link = (judge.home / "first-admin").read_text().strip()
    judge.cli("login", "--user", "ada", link, status=0, env=env)
    url = {**env, "WARPJUDGE_URL": f"http://localhost:{ready['port']}"}
    invited = judge.cli("admin", "invite", "ben", status=0).stdout.split("#")[1].strip().strip("'")
    other = {**url, "XDG_CONFIG_HOME": str(judge.home / "other")}
    judge.cli("login", "--user", "ben", f"{url['WARPJUDGE_URL']}/#{invited}", status=0, env=other)
    shown = judge.cli("status", status=0, env=other).stdout
    assert "of 9 submissions an hour" in shown, shown
    judge.stop()
    said = refused(judge, "quota = many\n", "--quota", "9")
    assert "FILE:1: quota many" in said, said


def test_where_the_file_is_looked_for(judge):
    (judge.home / "warpjudge.conf").write_text("quota = here\n")
    run = judge.cli("serve", status=2)
    assert f"{judge.home}/warpjudge.conf:1: quota here" in run.stderr, run.stderr
    assert judge.start("--config", "none")["port"] == 0
    judge.stop()
    # What starts a judge for one person does not read the server's file.
    judge.cli("problems", status=0)

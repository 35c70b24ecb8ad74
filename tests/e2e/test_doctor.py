"""`warpjudge doctor` on this machine, and on machines that lack one thing each."""
import json
import resource
import shutil
import socket
import stat
import subprocess

from harness import BACKSTOP_S

SMI = """#!/bin/sh
printf '%s\\n' "{line}"
"""
ARBITER = """#!/bin/sh
{text}
"""
GPU = '{"name":"cuda:0","board":"H200","title":"H200 (cuda:0)","arch":"sm_90a","driver":"1","memory_bytes":1}'


def doctor(judge, *args, wrap=(), env=None, preexec=None):
    """({check: (level, text)}, exit status)"""
    run = subprocess.run([*wrap, judge.bin, "doctor", "--json", *args], env={**judge.env, **(env or {})},
                         capture_output=True, text=True, timeout=BACKSTOP_S, preexec_fn=preexec)
    assert run.returncode in (0, 2), run
    found = {f["check"]: (f["level"], f["text"]) for f in json.loads(run.stdout)["findings"]}
    problems = [c for c, (level, _) in found.items() if level == "problem"]
    assert (run.returncode == 2) == bool(problems), (run.returncode, found)
    return found


def program(folder, name, text):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    return path


def path_with(judge, *names):
    """A folder for PATH that has only these programs of today's PATH."""
    folder = judge.home / "path"
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).symlink_to(shutil.which(name))
    return str(folder)


def test_a_machine_that_judges_has_no_problem(judge):
    """Where submissions are judged the doctor finds no problem, and it needs no daemon."""
    found = doctor(judge)
    assert not [c for c, (level, _) in found.items() if level == "problem"], found
    assert "release" in found["nvcc"][1] and "g++" in found["host compiler"][1]
    run = judge.cli("doctor", status=0)
    lines = [line for line in run.stdout.splitlines() if line != "all is well"]
    assert len(lines) == len(found), run.stdout
    assert all(line.split()[0] in ("ok", "warning") for line in lines), run.stdout
    assert not list(judge.home.glob("leaderboard*")) and not (judge.home / "jobs").exists()


def test_no_compilers(judge):
    found = doctor(judge, env={"WARPJUDGE_NVCC": "/nonexistent/nvcc"})
    assert found["nvcc"][0] == "problem" and "install the CUDA Toolkit" in found["nvcc"][1]
    old = program(judge.home / "old/bin", "nvcc", "#!/bin/sh\necho 'release 12.4, V12'\n")
    (judge.home / "old/bin/nvcc.profile").touch()
    found = doctor(judge, env={"WARPJUDGE_NVCC": str(old)})
    assert found["nvcc"] == ("problem", f"{old} is of release 12.4: install the CUDA Toolkit 13")
    assert found["ptxas"][0] == "problem" and "bin/ptxas" in found["ptxas"][1]
    assert found["CUDA libraries"][0] == "problem", found
    found = doctor(judge, env={"PATH": path_with(judge, "bwrap", "sh", "ld", "as")})
    assert found["host compiler"] == ("problem", "g++ cannot be run: install the packages g++ and binutils")


def test_what_confines_submissions(judge):
    found = doctor(judge, env={"WARPJUDGE_IDS": "nonsense"})
    assert found["uids"][0] == "problem" and "WARPJUDGE_IDS" in found["uids"][1]
    found = doctor(judge, env={"WARPJUDGE_IDS": "none"})
    assert found["uids"][0] == "warning" and "/etc/subuid" in found["uids"][1]
    found = doctor(judge, wrap=("bwrap", "--dev-bind", "/", "/", "--unshare-user", "--disable-userns"))
    assert found["sandbox"][0] == "problem" and "namespace" in found["sandbox"][1], found
    found = doctor(judge, wrap=("bwrap", "--dev-bind", "/", "/", "--tmpfs", "/sys"))
    assert found["control groups"][0] == "warning" and "Delegate=yes" in found["control groups"][1], found


def test_disk_and_home(judge):
    small = judge.home / "small"
    small.mkdir()
    found = doctor(judge, wrap=("bwrap", "--dev-bind", "/", "/", "--size", "1048576", "--tmpfs", small),
                   env={"WARPJUDGE_HOME": str(small / "not/yet")})
    assert found["disk"][0] == "problem" and "free some space" in found["disk"][1], found["disk"]
    assert found["home"][0] == "ok" and "will be made" in found["home"][1], found["home"]
    found = doctor(judge, wrap=("bwrap", "--dev-bind", "/", "/", "--ro-bind", judge.home, judge.home))
    assert found["home"][0] == "problem" and "may not write" in found["home"][1], found["home"]


def test_limits_ports_and_clocks(judge):
    def files(count):
        return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))

    assert doctor(judge, preexec=files(2000))["open files"][0] == "warning"
    found = doctor(judge, preexec=files(512))
    assert found["open files"][0] == "problem" and "ulimit -n" in found["open files"][1]
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        found = doctor(judge, "--listen", f"127.0.0.1:{port}")
        assert found["port"][0] == "problem" and "is in use" in found["port"][1]
    for where in ("8080", "127.0.0.1:no-such-service", "[::1"):
        assert doctor(judge, "--listen", where)["port"][0] == "problem", where
    assert doctor(judge, "--listen", "127.0.0.1:0")["port"][0] == "ok"
    source = judge.home / "sys/devices/system/clocksource/clocksource0/current_clocksource"
    source.parent.mkdir(parents=True)
    for name, level in (("hpet", "warning"), ("tsc", "ok"), ("kvm-clock", "ok")):
        source.write_text(f"{name}\n")
        found = doctor(judge, wrap=("bwrap", "--dev-bind", "/", "/", "--tmpfs", "/sys",
                                    "--bind", judge.home / "sys/devices", "/sys/devices"))
        assert found["clock source"][0] == level and name in found["clock source"][1], found


def test_gpus(judge):
    judge.own_build()
    arbiter = judge.prefix / "libexec/warpjudge-arbiter"
    arbiter.unlink()
    program(judge.prefix / "libexec", "warpjudge-arbiter", ARBITER.format(text=f"echo '{GPU}'"))
    bin_folder = judge.home / "smi"
    env = {"PATH": f"{bin_folder}:{judge.env['PATH']}"}
    for line, level, says in (
            ("0, Enabled, 345, 1980, 0x0000000000000001", "warning", "nvidia-smi -lgc"),
            ("0, Enabled, 1500, 1980, 0x0000000000000002", "ok", "held by a setting"),
            ("0, Disabled, 1500, 1980, 0x0000000000000002", "warning", "nvidia-smi -pm 1"),
            ("0, Enabled, 800, 1980, 0x0000000000000040", "warning", "slowed down"),
            ("what is this", "warning", "nothing of clocks")):
        program(bin_folder, "nvidia-smi", SMI.format(line=line))
        found = doctor(judge, env=env)
        assert found["devices"] == ("ok", "H200 (cuda:0)"), found
        assert found["GPU clocks"][0] == level and says in found["GPU clocks"][1], (line, found)
    for text in ("echo the driver is gone >&2; exit 4", "echo no json"):
        program(judge.prefix / "libexec", "warpjudge-arbiter", ARBITER.format(text=text))
        found = doctor(judge)
        assert found["devices"][0] == "problem" and "nvidia-smi" in found["devices"][1], found
    arbiter.unlink()
    found = doctor(judge)
    assert found["installation"][0] == "problem" and "warpjudge-arbiter" in found["installation"][1]

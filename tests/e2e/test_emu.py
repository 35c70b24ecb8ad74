"""warpjudge emu: NVIDIA's compiler, our runtime library, programs of tests/emu."""
import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

from harness import BACKSTOP_S, NVCC, ROOT, once

BUILD = "asan"

SOURCES = ROOT / "tests/emu"
# What scale() makes of 0..999 with factor 3 and offset 4.
RIGHT = f"cudaSuccess {sum(3 * i + 4 for i in range(1000))}\n"


def toolkit():
    run = subprocess.run([ROOT / "mk/cuda-root", NVCC], stdout=subprocess.PIPE,
                         text=True)
    return Path(run.stdout.strip())


def build(name, *words):
    """tests/emu's words that end in .cu are sources, the others options; compiled once."""
    words = [SOURCES / w if w.endswith(".cu") else w for w in words]

    def compile_to(out):
        run = subprocess.run([NVCC, "-lineinfo", *words, "-o", out],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert run.returncode == 0, run.stdout

    return once(name, compile_to)


def modes():
    return build("modes", "--cudart=shared", "-arch=compute_80", "modes.cu")


def emu(judge, *args, status=0, says="", out=RIGHT, **more):
    run = judge.cli("emu", *args, status=status, **more)
    assert says in run.stderr, (says, run.stderr)
    assert says or not run.stderr, run.stderr
    assert out is None or run.stdout == out, (run.stdout, run.stderr)
    return run


def test_exit_status(judge):
    emu(judge, modes())
    emu(judge, modes(), "exit", "7", status=7, out="")
    emu(judge, modes(), "early", out="early: 77\n" + RIGHT)
    emu(judge, modes(), "abort", status=-signal.SIGABRT)
    emu(judge, "--", "/bin/sh", "-c", "exit 3", status=3, out="")
    # flags behind the program are the program's
    emu(judge, "/bin/echo", "--json", "--help", "-p", out="--json --help -p\n")


def test_the_judges_own_kernels(judge):
    fill = build("fill", "--cudart=shared", "-arch=compute_80", "-std=c++17", "--fmad=false",
                 "-Xcompiler", "-ffp-contract=off", f"-I{ROOT / 'harness'}", "fill.cu")
    emu(judge, fill, out="645 fills and 1935 comparisons, 0 differ\n")


def test_directions_of_copies(judge):
    emu(judge, build("directions", "--cudart=shared", "-arch=compute_80", "directions.cu"),
        out="h2h: 0\nh2d: 0 0 1 1\nd2h: 0 1 0 1\nd2d: 0 1 1 1\ndefault: 0 0 0 0\n")


def test_streams(judge):
    with open(SOURCES / "plugin.cu") as text:
        emu(judge, "/bin/cat", stdin=text, out=(SOURCES / "plugin.cu").read_text())
    run = emu(judge, "/bin/sh", "-c", "echo to stderr >&2", says="to stderr", out="")
    assert run.stderr == "to stderr\n"


def test_faults(judge):
    place = "kernel scale, block (3,0,0), thread (232,0,0)"
    run = emu(judge, modes(), "over", out="cudaErrorIllegalAddress 0\n", says=place)
    line = next(i for i, text in enumerate((SOURCES / "modes.cu").read_text().splitlines(), 1)
                if "modes.cu:20" in text)
    assert f"modes.cu:{line}" in run.stderr, run.stderr
    assert run.stderr.count("\n") == 1, run.stderr
    emu(judge, "--checks", modes(), "over", status=99, says=place, out=None)
    emu(judge, modes(), "unwritten", out=None)  # a GPU does not notice
    emu(judge, "--checks", modes(), "unwritten", status=99, says="never written", out=None)
    emu(judge, "--checks", modes())


def test_references_that_get_no_memory_say_so(judge):
    """None runs on without it, so that the runtime's error is what it ends with; but CUB takes
    errors away from the runtime."""
    for path in sorted(ROOT.glob("problems/*/reference.cu")):
        assert not re.findall(r"(?m)^\s*cudaMalloc.*;$", path.read_text()), path
    for problem in ("radix-sort", "top-k-selection"):
        starved = build(f"starved-{problem}", "--cudart=shared", "-arch=compute_80", "starved.cu",
                        str(ROOT / f"problems/{problem}/reference.cu"))
        emu(judge, starved, status=1, out="", says="cudaErrorMemoryAllocation\n")


def test_notices(judge):
    """Every place once, however often it was passed, in all kernels."""
    run = emu(judge, "--json", "--checks", modes(), "notices", status=99, says="{", out=None)
    found = json.loads(run.stderr)["findings"]
    lines = (SOURCES / "modes.cu").read_text().splitlines()
    read = next(i for i, text in enumerate(lines, 1) if "no barrier" in text)
    places = [(f["kernel"], f["kind"], f["line"]) for f in found]
    assert len(set(places)) == len(places), places
    assert ("mirror", "race", read) in places, places
    assert ("mirror", "race", read - 1) in places, places
    assert [p[:2] for p in places].count(("scale", "uninitialized_read")) == 1, places
    race = next(f for f in found if f["kind"] == "race" and f["line"] == read)
    assert race["other_line"] == read - 1 and race["space"] == "shared", race
    run = emu(judge, "--checks", modes(), "notices", status=99, says="data race", out=None)
    assert run.stderr.count("\n") == len(found), run.stderr


def test_json(judge):
    run = emu(judge, "--json", "--checks", "--threads=2", modes(), "over", status=99, says="{",
              out=None)
    got = json.loads(run.stderr)
    assert got["exit_status"] == 0 and got["processes"] == 1, got
    finding = got["findings"][0]
    assert finding["kind"] == "illegal_address" and finding["kernel"] == "scale", finding
    assert finding["block"] == [3, 0, 0] and finding["thread"] == [232, 0, 0], finding
    run = emu(judge, "--json", modes(), says="{")
    first = json.loads(run.stderr)["counters"]
    assert first["launches"] == 2 and first["copy_bytes_h2d"] == 4000, first
    assert first["copy_bytes_d2h"] == 4004, first
    again = emu(judge, "--json", "--threads", "1", modes(), says="{")
    assert json.loads(again.stderr)["counters"] == first
    run = emu(judge, "--counters", modes(), says="modelled time")
    assert "kernels launched" in run.stderr and "modes.cu:" in run.stderr, run.stderr
    run = emu(judge, "--counters", "--json", modes(), says="{")
    got = json.loads(run.stderr)
    assert {k["name"]: k["launches"] for k in got["kernels"]} == {
        "scale": 1, "fill": 1}, got["kernels"]
    assert sum(k["ns"] for k in got["kernels"]) <= got["counters"]["modelled_ns"]


def test_processes(judge):
    """Each process of the program has a connection of its own."""
    run = emu(judge, "--counters", modes(), "family", says="modelled", out=None,
              env={"NOTHING_EARLY": "1"})
    assert run.stdout == RIGHT * 2 + "children: 10 11\n" + RIGHT, run.stdout
    emu(judge, "/bin/sh", "-c", f"{modes()}; {modes()} over; {modes()}",
        out=RIGHT + "cudaErrorIllegalAddress 0\n" + RIGHT, says="process 2")
    emu(judge, "--checks", "/bin/sh", "-c", f"{modes()} over; true", status=99, out=None,
        says="kernel scale")


def test_endless_kernels(judge):
    """A program that leaves while its kernel runs has left; one that waits can be ended."""
    emu(judge, modes(), "leave", status=5, out="launched\n")
    for number in (signal.SIGTERM, signal.SIGINT):
        # Who runs the tests in the background may have had SIGINT ignored for all of them.
        run = subprocess.Popen([judge.bin, "emu", modes(), "spin"], stdout=subprocess.PIPE,
                               env=judge.env, text=True,
                               preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
        assert run.stdout.readline() == "launched\n"
        time.sleep(0.2)
        run.send_signal(number)
        assert run.wait(BACKSTOP_S) == -number
        run.stdout.close()


def test_kinds_of_programs(judge):
    emu(judge, build("fast", "--cudart=shared", "-arch=compute_80", "--compress-mode=speed",
                     "modes.cu"))
    emu(judge, build("many", "--cudart=shared", "-gencode", "arch=compute_75,code=compute_75",
                     "-gencode", "arch=compute_80,code=[sm_80,compute_80]", "-gencode",
                     "arch=compute_100,code=compute_100", "modes.cu"))
    emu(judge, build("debug", "--cudart=shared", "-G", "-arch=compute_80", "modes.cu"))
    # DT_RPATH comes before LD_LIBRARY_PATH
    emu(judge, build("rpath", "--cudart=shared", "-arch=compute_80", "-Xlinker",
                     "--disable-new-dtags", "-Xlinker", f"-rpath={toolkit() / 'lib64'}",
                     "modes.cu"))
    library = build("plugin.so", "--cudart=shared", "-shared", "-Xcompiler", "-fPIC",
                    "-arch=compute_80", "plugin.cu")
    emu(judge, modes(), "plugin", library, out="plugin: 144\n" + RIGHT)


def test_separate_compilation(judge):
    for arch in ("compute_80", "sm_80"):
        parts = build(f"parts-{arch}", "--cudart=shared", f"-arch={arch}", "-rdc=true",
                      "parts_main.cu", "parts_other.cu")
        emu(judge, parts, out="cudaSuccess, 0 wrong\n")


def test_convergence(judge):
    """What 41 kernels see of their warps is what the lanes' ways through the source say,
    optimised and not, and none of it is a finding."""
    for flags in (["-O3"], ["-G"]):
        program = build(f"convergence{flags[0]}", "--cudart=shared", "-std=c++17", *flags,
                        "-arch=compute_80", "convergence.cu")
        run = emu(judge, "--checks", program, out=None)
        said = run.stdout.splitlines()
        assert len(said) == 41
        assert [line for line in said if not line.endswith(" cudaSuccess")] == []


def test_textures(judge):
    """Bit for bit what an H200 returned, but for one fetch in a hundred (volumes,
    gradients: weights that are not known to the last bit)."""
    program = build("textures", "--cudart=shared", "-arch=compute_80", "textures.cu")
    run = emu(judge, "--checks", program, out=None)
    got = dict(line.split(": ") for line in run.stdout.splitlines() if ": " in line)
    right = dict(line.split(": ") for line in
                 (ROOT / "tests/golden/emu-textures.txt").read_text().splitlines())
    wrong = [key for key, value in right.items() if got.get(key) != value]
    assert len(right) > 2000 and len(wrong) <= len(right) // 100, wrong


def test_graph_memory(judge):
    emu(judge, build("graph", "--cudart=shared", "-arch=compute_80", "graph_memory.cu"),
        out="cudaSuccess, 0 wrong\n")


def test_wide_sources(judge):
    emu(judge, build("wide", "--cudart=shared", "-arch=compute_80", "wide_sources.cu"),
        out="cudaSuccess, 0 wrong\n")


def test_what_kernels_print(judge):
    """At the synchronization, as on a GPU; assertions on standard error, a line a thread."""
    program = build("says", "--cudart=shared", "-arch=compute_80", "says.cu")
    text = (SOURCES / "says.cu").read_text().splitlines()
    line = next(i for i, words in enumerate(text, 1) if "assert(" in words)
    failed = "".join(
        f"{SOURCES / 'says.cu'}:{line}: void check(int): block: [0,0,0], thread: [{i},0,0] "
        "Assertion `i < limit` failed.\n" for i in (2, 3))
    said = "launched\nthread 0 of 2\nthread 1 of 2\n"
    emu(judge, "/bin/sh", "-c", f"{program} 2>&1", says="assertion",
        out=f"{said}checked\n" + "".join(f"checks {i}\n" for i in range(4)) + failed +
        "cudaErrorAssert\n")
    emu(judge, program, "reset", out=said + "reset\n")


def test_what_is_refused(judge):
    """A sentence that says what to do, not `no CUDA device`."""
    emu(judge, build("static", "-arch=compute_80", "modes.cu"), status=125, out="",
        says="rebuild it with nvcc --cudart=shared")
    emu(judge, build("machine", "--cudart=shared", "-gencode", "arch=compute_80,code=sm_80",
                     "plugin.cu", "modes.cu"), status=None, out=None, says="no PTX")
    emu(judge, build("dynamic", "--cudart=shared", "-arch=compute_80", "-rdc=true",
                     "dynamic.cu"), out="cudaErrorIllegalInstruction\n",
        says="dynamic parallelism")
    emu(judge, judge.home / "nothing", status=127, out="", says="no program")
    emu(judge, "no-such-program-anywhere", status=127, out="", says="no program")
    emu(judge, judge.write("text", "hello"), status=126, out="", says="cannot be run")
    cut = judge.write("cut", modes().read_bytes()[:5000])
    cut.chmod(0o755)
    emu(judge, cut, status=None, out="", says="")
    emu(judge, "--memory", "lots", modes(), status=2, out="", says="--memory")
    emu(judge, status=2, out="", says="name the program")


def test_exports(judge):
    """The library's names and versions are NVIDIA's, and the list that is checked in."""
    def names(path):
        run = subprocess.run(["nm", "-D", "--defined-only", path], stdout=subprocess.PIPE,
                             text=True, check=True)
        return sorted(line.split()[-1] for line in run.stdout.splitlines())

    ours = names(judge.prefix / "lib/warpjudge/libcudart.so.13")
    listed = (ROOT / "harness/emulator/runtime/exports.txt").read_text().splitlines()
    listed = [f"{line}@@libcudart.so.13" for line in listed if not line.startswith("#")]
    assert ours == sorted([*listed, "libcudart.so.13"]), set(ours) ^ set(listed)
    assert ours == names(toolkit() / "lib64/libcudart.so.13")
    run = subprocess.run(["readelf", "-d", judge.prefix / "lib/warpjudge/libcudart.so.13"],
                         stdout=subprocess.PIPE, text=True, check=True)
    assert "soname: [libcudart.so.13]" in run.stdout, run.stdout


def test_what_is_not_there_is_named(judge):
    entry = build("entry", "--cudart=shared", "entry.cu")
    run = emu(judge, entry, says="null pointer for cuTensorMapEncodeTiled",
              out="cudaSuccess 1 1\n" * 2 + "cudaErrorNotSupported\n")
    said = run.stderr.splitlines()
    assert len(said) == 2 and "cudaEventInterprocess" in said[1], run.stderr

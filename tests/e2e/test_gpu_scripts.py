"""What the scripts of tests/gpu decide without a GPU: which files a GPU cannot run, what ncu and emu have counted,
and what ends before a GPU."""
import importlib.util
import json
import os
import subprocess
import sys
from importlib.machinery import SourceFileLoader

from harness import ROOT


def gpu_module():
    spec = importlib.util.spec_from_file_location("gpu_judge", ROOT / "tests/gpu/judge.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_architectures(judge):
    """sm_90 is there from 9.0 on, sm_90a on 9.0 only."""
    newer_gpu = gpu_module().newer_gpu
    path = judge.home / "k.cu"
    for needs, arch, right in (("sm_90a", "sm_90a", None), ("sm_90a", "sm_100a", "sm_90a"),
                               ("sm_90a", "sm_80", "sm_90a"), ("sm_90", "sm_100a", None),
                               ("sm_90", "compute_80", "sm_90"), ("sm_80", "sm_80", None)):
        path.write_text(f"// expect: accepted\n// needs: {needs}\n")
        assert newer_gpu(path, arch) == right, (needs, arch)
    path.write_text("// expect: accepted\n")
    assert newer_gpu(path, "compute_80") is None


def test_run_leaves_out_what_the_device_cannot_run(judge):
    run = subprocess.run([ROOT / "tests/gpu/run", judge.prefix, judge.home / "out", "--only",
                          "bf16-matmul/4-wgmma|vector-addition/1-"],
                         env={**os.environ, "WARPJUDGE_TEST_DEVICE": "emu"}, capture_output=True, text=True)
    lines = run.stdout.splitlines()
    assert run.returncode == 0 and run.stderr == "", run
    assert lines[0] == "left out: bf16-matmul/4-wgmma.cu: it needs sm_90a, and the GPU is compute_80", lines
    assert lines[-1] == "1 passed, 0 failed, 0 not run", lines


# What ncu prints of two kernels: a message, the names, the units, then a row for each kernel.
def ncu_csv(metrics, rows):
    lines = ["==PROF== Connected to process 7"]
    for cells in (["ID", "Kernel Name", *metrics], ["", "", *["" for _ in metrics]], *rows):
        lines.append(",".join(f'"{cell}"' for cell in cells))
    return "\n".join(lines) + "\n"


def script_module(name):
    loader = SourceFileLoader(name, str(ROOT / "tests/gpu" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    sys.path.insert(0, str(ROOT / "tests/gpu"))
    try:
        loader.exec_module(module)
    finally:
        sys.path.pop(0)
    return module


def test_ncu_counters_are_summed(judge):
    """Over all kernels. What ncu says without counters is an error."""
    counters = script_module("counters")
    names = [f"l1tex__t_{what}_pipe_lsu_mem_global_op_{op}.sum"
             for what in ("requests", "sectors") for op in ("ld", "st", "red", "atom")]
    names += ["smsp__inst_executed.sum", "smsp__thread_inst_executed.sum",
              "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
              "smsp__sass_inst_executed_op_shared.sum", "smsp__sass_inst_executed_op_ldgsts.sum",
              "smsp__sass_branch_targets_threads_divergent.sum"]
    assert sorted(names) == sorted(counters.METRICS)
    assert counters.gpu_sums(ncu_csv(names, [
        ["0", "f(int *, int)", 10, 5, 0, 0, 40, "20", 0, 0, "1,000", 32000, 7, 40, 10, 0],
        ["1", "g<1>", 5, 0, 5, 0, 20, 0, 120, 0, 500, 16000, 0, 0, 0, 3]])) == {
            "global_requests": 25, "global_sectors": 200, "shared_requests": 50, "bank_conflicts": 7,
            "instructions": 1500, "divergent_branches": 3, "active_lanes": 32.0}
    try:
        counters.gpu_sums("==ERROR== ERR_NVGPUCTRPERM\n")
        assert False, "no error"
    except RuntimeError as error:
        assert "ERR_NVGPUCTRPERM" in str(error)


def test_counters_make_a_table(judge):
    """Each cell has both figures, or one where they are equal; --check tells an old table."""
    def counts(requests, sectors, conflicts, instructions, lanes):
        return {"global_requests": requests, "global_sectors": sectors, "shared_requests": 50,
                "bank_conflicts": conflicts, "instructions": instructions, "divergent_branches": 3,
                "active_lanes": lanes}

    gpu, emu, page = (judge.home / name for name in ("gpu.json", "emu.json", "page.md"))
    gpu.write_text(json.dumps({"reduction 1-a": counts(25, 200, 7, 1500, 32.0), "sgemm 9-z": counts(1, 1, 0, 1, 1.0)}))
    emu.write_text(json.dumps({"reduction 1-a": counts(25, 100, 12345, 1500, 20.0), "gemv 1-b": counts(0, 0, 0, 1, 1.0)}))
    mark = "<!-- tests/tools/counters-table writes this table. -->"
    page.write_text(f"before\n\n{mark}\n\n| old |\n| --- |\n\nafter\n")
    tool = [ROOT / "tests/tools/counters-table", gpu, emu, "--page", page]
    assert subprocess.run([*tool, "--check"], capture_output=True).returncode == 1
    run = subprocess.run(tool, capture_output=True, text=True)
    assert run.returncode == 0 and run.stderr.splitlines() == [
        "left out: sgemm 9-z: it was not counted on emu", "left out: gemv 1-b: it was not counted on the GPU"], run
    lines = page.read_text().split("\n")
    assert lines[:4] == ["before", "", mark, ""] and lines[-3:] == ["", "after", ""], lines
    assert lines[6:-3] == ["| reduction 1-a | 25 | 4.00 / 8.00 | 50 | 12 k / 7 | 1500 | 20.0 / 32.0 | 3 |"], lines
    assert subprocess.run([*tool, "--check"], capture_output=True).returncode == 0
    page.write_text("no table\n")
    assert subprocess.run(tool, capture_output=True).returncode == 1


def test_counters_on_emu(judge):
    """The first and the last step of a ladder that emu can run, with the inputs that the judge has drawn."""
    out = judge.home / "out"
    run = subprocess.run([ROOT / "tests/gpu/counters", "emu", judge.prefix, out, "vector-addition"],
                         capture_output=True, text=True)
    assert run.returncode == 0, run
    found = json.loads((out / "emu.json").read_text())
    assert sorted(found) == ["vector-addition 1-one-block", "vector-addition 4-float4"], found
    # 250000 elements are 7813 warps' words, the last of them in part. Each is read, read and written.
    assert found["vector-addition 1-one-block"]["global_requests"] == 3 * 7813, found
    again = subprocess.run([ROOT / "tests/gpu/counters", "emu", judge.prefix, out, "vector-addition"],
                           capture_output=True, text=True)
    assert again.stdout.startswith("0 steps counted, 0 failed, 2 in "), again
    assert subprocess.run([ROOT / "tests/gpu/counters", "emu", judge.prefix, out, "no-such"],
                          capture_output=True).returncode == 1


def test_grading_says_what_ends_before_the_gpu(judge):
    """On emu, which is no GPU, the script runs; what it decides of a GPU's lines is asked of its functions."""
    out = judge.home / "out"
    run = subprocess.run([ROOT / "tests/gpu/grading", judge.prefix, out, "vector-addition/1-"],
                         env={**os.environ, "WARPJUDGE_TEST_DEVICE": "emu"}, capture_output=True, text=True)
    assert run.returncode == 0 and run.stdout.splitlines()[-1] == "1 passed, 0 failed", run
    assert "before the GPU ended 1 of 1 lines, and of 0 that are not accepted" in run.stdout, run.stdout
    fault = script_module("grading").fault
    row = {"tags": ["accepted"], "verdict": "accepted", "message": ""}
    assert fault(row) is None
    assert "rightly accepts" in fault({**row, "disagreement": {"emu": "race", "gpu": "accepted", "emu_message": ""}})
    assert fault({**row, "disagreement": {"emu": "accepted", "gpu": "wrong_answer", "emu_message": ""}}) is None
    assert "expected accepted" in fault({**row, "verdict": "wrong_answer"})
    assert fault({**row, "tags": ["wrong_answer | accepted remark"]}) is None
    # What a GPU may do anything with is not rightly accepted by it.
    assert fault({**row, "tags": ["any"], "disagreement": {"emu": "out_of_array", "gpu": "accepted"}}) is None


def test_one_worker(judge):
    """tests/gpu/one-worker with a worker on emu: all of it, with two programs."""
    out = judge.home / "out"
    run = subprocess.run([ROOT / "tests/gpu/one-worker", judge.prefix, out, "3", "2"],
                         env={**os.environ, "WARPJUDGE_TEST_DEVICE": "emu", "WARPJUDGE_PROBLEMS": str(ROOT / "problems")},
                         capture_output=True, text=True)
    lines = run.stdout.splitlines()
    assert run.returncode == 0 and run.stderr == "" and lines[-1] == "19 passed, 0 failed", run
    assert [line.split(":")[0].split() for line in lines[:2]] == [["stay", "known", "3", "lines"], ["stay", "new", "3", "lines"]], lines
    found = json.loads((out / "one-worker.json").read_text())
    assert list(found) == ["stay known", "stay new", "once known", "once new", "ahead new"], found
    assert all(len(f["gaps_s"]) == 2 and f["a_minute"] > 0 and f["median_s"] > 0 for f in found.values()), found


def test_following(judge):
    """On emu, which is no GPU, nobody follows; what the script decides of a GPU's times is asked of its functions."""
    out = judge.home / "out"
    run = subprocess.run([ROOT / "tests/gpu/following", judge.prefix, out, "cancel"],
                         env={**os.environ, "WARPJUDGE_TEST_DEVICE": "emu", "WARPJUDGE_PROBLEMS": str(ROOT / "problems")},
                         capture_output=True, text=True)
    assert run.returncode == 0 and run.stderr == "" and run.stdout.splitlines()[-1].endswith("passed, 0 failed"), run
    following = script_module("following")
    usual = json.loads((out / "following.json").read_text())["usual"]
    assert [r["name"] for r in usual].count("short") == following.FIRST
    following.DEVICE = "cuda:0"
    answer = {"verdict": "accepted", "attempt": 1, "message": "", "time_ns": 93500, "problem": "vector-addition"}
    row = {"name": "long", "answer": answer, "empty_ns": 500e3, "gap_s": -0.1}
    usual = {"long": (93.5e3, 500e3)}
    honest = lambda **more: following.fault_of_honest({**row, **more}, usual)
    assert honest() is None
    assert honest(answer={**answer, "time_ns": 97000}) == "+3.50 us"
    assert honest(answer={**answer, "time_ns": 90000}) == "-3.50 us"
    assert honest(empty_ns=504e3) == "its empty call +4.00 us"
    assert honest(answer={**answer, "attempt": 2, "remark": "r"}) == "attempt 2, remark: r"
    assert "judge_error" in honest(answer={**answer, "verdict": "judge_error"})
    attacker = {"name": "clock-discards-beside-contexts", "answer": answer}
    assert following.fault_of_attacker(attacker, usual) is None
    assert following.fault_of_attacker({**attacker, "answer": {**answer, "time_ns": 88000}}, usual) == "gained: -5.50 us"
    assert "not accepted" in following.fault_of_attacker({**attacker, "answer": {**answer, "verdict": "judge_error"}}, usual)
    assert not following.has_not_followed(row, row) and following.has_not_followed({**row, "gap_s": 0.01}, row)
    assert not following.has_not_followed({**row, "gap_s": 0.01}, {"answer": {**answer, "verdict": "wrong_answer"}})

"""What the scripts of tests/gpu decide without a GPU: which files a GPU cannot run."""
import importlib.util
import json
import os
import subprocess

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


def test_counters_are_compared(judge):
    """The sums of all kernels; one figure where both counted the same."""
    names = [f"l1tex__t_{what}_pipe_lsu_mem_global_op_{op}.sum"
             for what in ("requests", "sectors") for op in ("ld", "st", "red", "atom")]
    names += ["smsp__inst_executed.sum", "smsp__thread_inst_executed.sum",
              "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
              "smsp__sass_inst_executed_op_shared.sum", "smsp__sass_branch_targets_threads_divergent.sum"]
    out = judge.home / "out"
    out.mkdir()
    (out / "reduction.1-a.csv").write_text(ncu_csv(names, [
        ["0", "f(int *, int)", 10, 5, 0, 0, 40, "20", 0, 0, "1,000", 32000, 7, 50, 0],
        ["1", "g<1>", 5, 0, 5, 0, 20, 0, 120, 0, 500, 16000, 0, 0, 3]]))
    kernel = {"global_requests": 25, "global_sectors": 100, "shared_requests": 50, "shared_wavefronts": 60,
              "shared_ideal": 50, "issue_slots": 1500, "warp_instructions": 10,
              "thread_instructions": 200, "divergent_branches": 3}
    (out / "reduction.1-a.json").write_text(json.dumps({"counters": {"kernels": [kernel]}}))
    run = subprocess.run([ROOT / "tests/gpu/counters", "compare", out], capture_output=True, text=True)
    assert run.returncode == 0, run
    assert run.stdout.splitlines()[-1] == \
        "| reduction 1-a | 25 | 4.00 / 8.00 | 50 | 10 / 7 | 1500 | 20.0 / 32.0 | 3 |", run.stdout
    assert subprocess.run([ROOT / "tests/gpu/counters", "emu", out], capture_output=True).returncode == 1

"""What the scripts of tests/gpu decide without a GPU: which files a GPU cannot run."""
import importlib.util
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

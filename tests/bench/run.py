#!/usr/bin/env python3
"""What a user waits for, measured in one run on the machine at hand.

usage: run.py PREFIX [REPEATS]

Prints the time from `warpjudge submit` to its verdict for vector-addition on emu, cold (every
submission has new bytes, so nvcc runs) and warm (the same bytes again), against nvcc alone on
the same file, and the peak memory of the daemon and of the command line. Medians and ratios;
the absolute times are this machine's.
"""
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.dont_write_bytecode = True
import harness  # noqa: E402


def timed(command, **more):
    start = time.perf_counter()
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
    seconds = time.perf_counter() - start
    if run.returncode != 0:
        sys.exit(f"{command}: status {run.returncode}: {run.stderr.decode()[-2000:]}")
    return seconds, run.stdout


def peak_kib(pid):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    return 0


def cli_peak_kib(command, env):
    """Largest resident size of one run. Not getrusage's: that counts this process's own size,
    which the new one had for a moment before it became the command."""
    run = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
    peak = 0
    while run.poll() is None:
        try:
            if os.readlink(f"/proc/{run.pid}/exe") == str(command[0]):
                peak = max(peak, peak_kib(run.pid))
        except OSError:
            pass
        time.sleep(0.001)
    return peak


def find_nvcc():
    for folder in os.environ["PATH"].split(":") + ["/usr/local/cuda/bin"]:
        if os.access(f"{folder}/nvcc", os.X_OK):
            return f"{folder}/nvcc"
    sys.exit("bench: no nvcc")


def main():
    prefix = Path(sys.argv[1]).resolve()
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 7
    nvcc = find_nvcc()
    source = (harness.DEMO / "right.cu").read_text()
    with harness.Judge(prefix, own_cache=True) as judge:
        judge.start("--seed", harness.SEED)
        env = judge.env
        alone, shared, cold, warm = [], [], [], []
        first = judge.write("first.cu", source)
        timed([judge.bin, "submit", "--device", "emu", first], env=env)  # builds the reference
        for n in range(repeats):
            path = judge.write("k.cu", source + f"// {n}\n")
            seconds, _ = timed([nvcc, "-gencode", "arch=compute_80,code=compute_80", "-c",
                                path, "-o", judge.home / "k.o"])
            alone.append(seconds)
            seconds, _ = timed([nvcc, "-O3", "-shared", "-Xcompiler", "-fPIC", path,
                                "-o", judge.home / "k.so"])
            shared.append(seconds)
            submit = [judge.bin, "submit", "--json", "--device", "emu", path]
            cold.append(timed(submit, env=env)[0])
            warm.append(timed(submit, env=env)[0])
        daemon = peak_kib(judge.daemon.pid)
        cli = cli_peak_kib(submit, env)
        judge.stop()

    def line(name, values):
        print(f"  {name:44} median {statistics.median(values) * 1000:7.0f} ms   "
              f"({min(values) * 1000:.0f} to {max(values) * 1000:.0f})")

    print(f"vector-addition on emu, {repeats} repeats, {os.cpu_count()} CPUs")
    line("nvcc alone (-c, compute_80)", alone)
    line("nvcc alone (-O3 -shared)", shared)
    line("submit to verdict, new bytes", cold)
    line("submit to verdict, bytes seen before", warm)
    over = [c - a for c, a in zip(cold, alone)]
    line("new bytes, minus nvcc alone", over)
    for name, others in (("-c", alone), ("-O3 -shared", shared)):
        ratio = statistics.median(c / a for c, a in zip(cold, others))
        print(f"  {f'new bytes / nvcc alone ({name})':44} median {ratio:7.2f}")
    print(f"  peak memory: daemon {daemon / 1024:.1f} MiB, command line {cli / 1024:.1f} MiB")


main()

#!/usr/bin/env python3
"""Runs the tests of a built tree and prints one closing line: N passed, N failed.

usage: run.py PREFIX [NAME...]     PREFIX: build/asan or build/release
                                   NAME: part of a test's name; without one, all run

Unit tests are programs under PREFIX/tests/unit (cmocka), fuzz targets replay their corpora,
end-to-end tests are the functions test_* of tests/e2e/*.py. Each end-to-end test has its own
folder and its own daemon and must leave nothing running.
"""
import importlib.util
import os
import re
import subprocess
import sys
import time
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
os.chdir(ROOT)
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.dont_write_bytecode = True

ENV = dict(os.environ)
ENV["ASAN_OPTIONS"] = "detect_leaks=1:abort_on_error=0:exitcode=99"
ENV["UBSAN_OPTIONS"] = "print_stacktrace=1"
ENV["CMOCKA_MESSAGE_OUTPUT"] = "STDOUT"
os.environ.update(ENV)


class Tally:
    def __init__(self):
        self.passed = 0
        self.failed = []

    def add(self, name, ok, seconds, output=""):
        print(f"{'ok    ' if ok else 'FAILED'} {name} ({seconds:.1f} s)", flush=True)
        if ok:
            self.passed += 1
        else:
            self.failed.append(name)
            print("    " + output.strip().replace("\n", "\n    "), flush=True)


def run_unit(program, wanted, tally):
    """One program, many cmocka tests: each counts by itself."""
    if wanted and not any(w in program.name for w in wanted):
        return
    start = time.time()
    run = subprocess.run([program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         timeout=600, errors="replace")
    seconds = time.time() - start
    passed = re.findall(r"^\[       OK \] (\S+)", run.stdout, re.M)
    for name in passed:
        tally.passed += 1
    failed = sorted(set(re.findall(r"^\[  FAILED  \] (\w+)$", run.stdout, re.M)))
    ok = run.returncode == 0 and passed and not failed
    tally.passed -= bool(ok)  # the program's own line below counts once more
    tally.add(f"{program.name}: {len(passed)} tests", ok, seconds, run.stdout[-6000:])


def run_fuzz(program, wanted, tally):
    if wanted and not any(w in program.name for w in wanted):
        return
    corpus = ROOT / "tests/fuzz/corpus" / program.name.removeprefix("fuzz_")
    files = sorted(p for p in corpus.iterdir() if p.is_file()) if corpus.is_dir() else []
    start = time.time()
    run = subprocess.run([program, *files], stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, timeout=600, errors="replace")
    ok = run.returncode == 0 and files
    tally.add(f"{program.name}: {len(files)} inputs replayed", ok, time.time() - start,
              run.stdout[-6000:] if files else f"no corpus in {corpus}")


def run_e2e(path, prefix, wanted, tally):
    import harness

    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name, function in list(vars(module).items()):
        if not name.startswith("test_") or not callable(function):
            continue
        full = f"{path.stem}.{name}"
        if wanted and not any(w in full for w in wanted):
            continue
        start = time.time()
        output = ""
        try:
            with harness.Judge(prefix) as judge:
                function(judge)
            ok = True
        except Exception:
            ok = False
            output = traceback.format_exc()
        tally.add(full, ok, time.time() - start, output)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return
    prefix = Path(sys.argv[1]).resolve()
    if not (prefix / "bin").is_dir():
        sys.exit(f"{prefix} is no build: `make` makes build/release")
    wanted = sys.argv[2:]
    tally = Tally()
    start = time.time()
    for program in sorted((prefix / "tests/unit").glob("test_*")):
        if program.suffix == "":
            run_unit(program, wanted, tally)
    for program in sorted((prefix / "tests/fuzz").glob("fuzz_*")):
        if program.suffix == "":
            run_fuzz(program, wanted, tally)
    for path in sorted((ROOT / "tests/e2e").glob("test_*.py")):
        run_e2e(path, prefix, wanted, tally)
    for name in tally.failed:
        print(f"failed: {name}")
    print(f"in {time.time() - start:.0f} s:")
    print(f"{tally.passed} passed, {len(tally.failed)} failed")
    sys.exit(1 if tally.failed or tally.passed == 0 else 0)


main()

#!/usr/bin/env python3
"""Runs tests of a built tree beside each other and prints one closing line: N passed, N failed.

usage: run.py [PREFIX] [--slow | --all | --every] [-j N] [NAME...]
       run.py --needs [NAME...]     prints what `make` must have built for them: FLAVOUR GOAL...

    PREFIX   a build to test instead of build/asan and build/release
    --slow   what takes long and the gates, instead of the rest;  --all: both
    --every  both, and all of what takes turns
    -j N     so many at a time (default: one more than there are CPUs, since tests also wait)
    NAME     a unit program (rank), one of its tests (rank.ties), an end-to-end test, a fuzz
             target, a gate, or a source file (judge/record/rank.c), slow or not. A name that is
             whole (test_rank) means nothing else; a part of a name means all that have it.

Unit tests are programs under PREFIX/tests/unit (cmocka), fuzz targets replay their corpora,
end-to-end tests are the functions test_* of tests/e2e/*.py; each has its own folder and its own
daemon and must leave nothing running. One program, one corpus and one function are what runs
beside others. Files say of themselves what differs, each with the reason:

    e2e, in the module      tests/unit, in the first lines
    SLOW = "reason"         // slow: reason     belongs to `make test-all` only
    ALONE = "reason"        // alone: reason    nothing else runs meanwhile
                            // split: reason    each of its tests is started by itself
    BUILD = "asan"                              runs the build with sanitizers, which costs twice as much
    OWN_CACHE = "reason"                        starts with an empty cache of compiled programs
    BUILD_ALL = "asan"                          `make test-all` runs it on this one, too, a third each time
    TAKES_TURNS = "reason"  // turns: reason    `make test-all` runs each third of its tests only, another
                                                third after each commit

Unit tests and fuzz targets have sanitizers; so have the end-to-end tests in which strangers send
what they like, or which ask every route. `run.py build/asan --all` gives them to all the others.

The longest begin first, by what the last run wrote into build/seconds.json. What nvcc made of a source
is kept for the next run in ~/.cache/warpjudge-tests, a folder for each version of what compiles.
"""
import argparse
import ctypes
import difflib
import hashlib
import importlib.util
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "build/seconds.json"
OWN_GATES = ("includes", "paths", "sentences", "commits", "portable")  # of tests/gates
SLOWEST = 10
UNKNOWN_SLOW_S = 100.0  # what is called slow and has never run begins before what is not
OUTPUT_KEPT = 8000
PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
# A test that hangs is ended by this. No test may come near it, however busy the machine is.
BACKSTOP_S = 3600
TURNS = 3
KEPT_S = 7 * 86400  # how long programs stay that an older version has compiled

os.chdir(ROOT)
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.dont_write_bytecode = True
for _name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):  # a gate is a make of its own
    os.environ.pop(_name, None)

os.environ.update(ASAN_OPTIONS="detect_leaks=1:abort_on_error=0:exitcode=99",
                  UBSAN_OPTIONS="print_stacktrace=1", CMOCKA_MESSAGE_OUTPUT="STDOUT")


class Work:
    """What is started by itself: a command, and how its output is understood."""

    def __init__(self, name, path, flavour, goals, expected_s=1.0, slow=None, alone=None):
        self.name = name
        self.path = path        # what it is written in, from ROOT on
        self.flavour = flavour  # None: it needs no build
        self.goals = goals      # what make must build of that flavour
        self.expected_s = expected_s
        self.slow = slow
        self.alone = alone
        self.turn = None  # which of TURNS it runs in, None: in each
        self.env = {}

    def matches(self, wanted):
        """wanted: a part of the name, or a path's beginning."""
        return wanted in self.name or "/" in wanted and str(self.path).startswith(wanted)

    def wholes(self):
        """The names that mean all of it, and nothing else where somebody writes them."""
        return {self.name}

    def parts(self):
        """What each of the tests in it is called, and the work that is that test only."""
        return {}

    def narrowed(self, wanted):
        """Only what matches; all of it where its own name does."""
        del wanted
        return self

    def command(self, prefix):
        raise NotImplementedError

    def judge(self, code, text):
        """(how many passed, the names of those that failed, what to call it)"""
        del text
        return int(code == 0), [self.name] if code else [], self.name

    def shown(self, text):
        """What a reader of a failure wants of the output."""
        return text[-OUTPUT_KEPT:]


class Unit(Work):
    """A cmocka program, of which each test counts by itself."""

    def __init__(self, source, only="", **more):
        self.source = source
        self.only = only  # a pattern of tests' names; empty: all
        goals = [f"tests/unit/{source.stem}"]
        if "sandbox" in says_of_itself(source, "links").split():
            goals.append("programs")  # it starts the runner
        super().__init__(source.stem + (f".{only}" if only else ""), source, "asan", goals, **more)
        if only:
            self.env = {"UNIT_TEST": only}

    def tests(self):
        return re.findall(r"\bcmocka_unit_test\w*\(\s*(\w+)", self.source.read_text())

    def matches(self, wanted):
        return super().matches(wanted) or any(
            wanted in f"{self.source.stem}.{test}" for test in self.tests()
            if self.only in ("", test))

    def wholes(self):
        return {self.name, self.source.stem}

    def parts(self):
        mine = [test for test in self.tests() if self.only in ("", test)]
        return {name: self.only_test(test) for test in mine
                for name in (test, f"{self.source.stem}.{test}")}

    def narrowed(self, wanted):
        if super().matches(wanted):
            return self
        return self.only_test(f"*{wanted.rsplit('.', 1)[-1]}*")

    def only_test(self, pattern):
        return Unit(self.source, pattern, expected_s=self.expected_s, slow=self.slow,
                    alone=self.alone)

    def command(self, prefix):
        return [prefix / "tests/unit" / self.source.stem]

    def judge(self, code, text):
        passed = len(re.findall(r"^\[       OK \] ", text, re.M))
        failed = [f"{self.source.stem}.{name}" for name in self.failures(text)]
        if not failed and (code != 0 or passed == 0):
            failed = [self.name]
        return passed, failed, f"{self.name}: {passed} tests"

    @staticmethod
    def failures(text):
        """What each test printed that failed, by its name."""
        parts = re.findall(r"^\[ RUN      \] (\w+)\n(.*?)^\[ +(OK|FAILED) +\] \1$", text,
                           re.M | re.S)
        return {name: said for name, said, end in parts if end == "FAILED"}

    def shown(self, text):
        failures = self.failures(text)
        return "\n".join(f"{name}:\n{said[-OUTPUT_KEPT:]}" for name, said in failures.items()) \
            or text[-OUTPUT_KEPT:]


class Fuzz(Work):
    def __init__(self, source):
        self.source = source
        super().__init__(source.stem, source, "asan", [f"tests/fuzz/{source.stem}"])

    def files(self):
        corpus = Path("tests/fuzz/corpus") / self.source.stem.removeprefix("fuzz_")
        return sorted(p for p in corpus.iterdir() if p.is_file()) if corpus.is_dir() else []

    def command(self, prefix):
        return [prefix / "tests/fuzz" / self.source.stem, *self.files()]

    def judge(self, code, text):
        del text
        count = len(self.files())  # without a corpus nothing was tested
        ok = code == 0 and count > 0
        return int(ok), [] if ok else [self.name], f"{self.name}: {count} inputs replayed"


class EndToEnd(Work):
    def __init__(self, path, module, function, again=None):
        self.function = function
        name = f"{path.stem}.{function}" + (f" on {again}" if again else "")
        slow = "it runs on another build in make test" if again else getattr(module, "SLOW", None)
        super().__init__(name, path, again or getattr(module, "BUILD", "release"),
                         ["programs", *getattr(module, "NEEDS", "").split()], expected_s=5.0,
                         slow=slow, alone=getattr(module, "ALONE", None))

    def wholes(self):
        return {self.name, self.path.stem}

    def parts(self):
        return {self.function: self}

    def command(self, prefix):
        return [sys.executable, __file__, "--one", prefix, self.path, self.function]


class Gate(Work):
    """What make does with every CPU by itself. Only what failed is worth a reader's time."""

    def __init__(self, name, goal, flavour=None):
        self.goal = goal
        super().__init__(name, "", flavour, ["all"] if flavour else [], expected_s=300.0,
                         slow="it reads or judges everything there is",
                         alone="it uses every CPU by itself")

    def command(self, prefix):
        del prefix
        # -k: everything that is wrong is told at once.
        return ["make", "--no-print-directory", "-k", f"-j{cpus()}", self.goal]

    def shown(self, text):
        """Each finding's own line, however long what an analyser says of the way to it."""
        found = [line for line in text.splitlines() if re.search(r": error: |\*\*\* \[", line)]
        return "\n".join([*found, super().shown(text)])


def cpus():
    return len(os.sched_getaffinity(0))


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, ROOT / path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def functions(module):
    return [name for name, value in vars(module).items()
            if name.startswith("test_") and callable(value)]


def says_of_itself(source, word):
    """What stands behind `// WORD: ` in a C file's first lines, or None."""
    found = re.search(rf"\A(?://.*\n)*// {word}: (.*)", source.read_text())
    return found.group(1) if found else None


def unit_programs():
    for source in sorted(Path("tests/unit").glob("test_*.c")):
        more = {word: says_of_itself(source, word) for word in ("slow", "alone")}
        program = Unit(source, **more)
        if says_of_itself(source, "split"):
            for k, name in enumerate(program.tests()):
                part = Unit(source, name, **more)
                part.turn = k % TURNS if says_of_itself(source, "turns") else None
                yield part
        else:
            yield program


def everything():
    works = [*unit_programs()]
    works += [Fuzz(source) for source in sorted(Path("tests/fuzz").glob("fuzz_*.c"))]
    for path in sorted(Path("tests/e2e").glob("test_*.py")):
        module = load(path)
        for k, name in enumerate(functions(module)):
            works.append(EndToEnd(path, module, name))
            if hasattr(module, "TAKES_TURNS"):
                works[-1].turn = k % TURNS
            if hasattr(module, "BUILD_ALL"):
                works.append(EndToEnd(path, module, name, module.BUILD_ALL))
                works[-1].turn = k % TURNS
    works += [Gate(name, name) for name in OWN_GATES]
    works += [Gate("clang-format", "format-check"), Gate("tsc", "types"), Gate("gcc-fanalyzer", "analyze"),
              Gate("clang-tidy", "tidy-quick"), Gate("check-problems", "check-problems-sample", "release")]
    return works


def knowing(wanted):
    """Unit programs that know a source file by its header; else those that know its folder."""
    stem = Path(wanted).stem
    programs = [(work, work.source.read_text()) for work in unit_programs()]
    found = [work for work, text in programs
             if re.search(rf'^#include "(\S+/)?{re.escape(stem)}\.h"', text, re.M)]
    for path in [] if found else source_files(wanted):
        # mk/programs.mk names the sources of a folder by the folder.
        found += [work for work, text in programs
                  if set(says_of_itself(work.source, "links").split()) & set(path.parts)
                  or f'#include "{path.parent.name}/' in text]
    return found


def source_files(wanted):
    """The files of judge/ and harness/ that a path or a bare file name means."""
    if "/" in wanted:
        return [Path(wanted)] if Path(wanted).is_file() else []
    return [path for top in ("judge", "harness") for path in sorted(Path(top).rglob(wanted))]


def matching(works, names):
    """What the names mean, each work once. Ends the program where one means nothing."""
    found = {}
    for wanted in names:
        name = Path(wanted).stem if wanted.endswith((".c", ".h")) else wanted
        hits = ([w for w in works if str(w.path) == wanted]
                or [w for w in works if name in w.wholes()]
                or [w.parts()[name] for w in works if name in w.parts()]
                or [w.narrowed(name) for w in works if w.matches(name)] or knowing(wanted))
        if not hits:
            sys.exit(f"no test matches {wanted}.{near(works, wanted)}")
        for work in hits:
            found.setdefault(work.name, work)
    return list(found.values())


def near(works, wanted):
    names = {}
    for work in works:
        names[work.name.removeprefix("test_").removeprefix("fuzz_")] = work.name
        if isinstance(work, Unit):
            names.update({test: f"{work.source.stem}.{test}" for test in work.tests()})
        elif isinstance(work, EndToEnd):
            names[work.function.removeprefix("test_")] = work.name
    close = difflib.get_close_matches(wanted, names, n=8, cutoff=0.5)
    return f" Near it: {', '.join(names[c] for c in close)}" if close else ""


# --- running them -----------------------------------------------------------------------------


class Tally:
    """What came out, told as it comes, each work in one piece."""

    def __init__(self):
        self.lock = threading.Lock()
        self.passed = 0
        self.failed = []
        self.seconds = {}  # by the work's name: those that passed, and those of CPU time

    def add(self, work, outcome, text, seconds=0.0, cpu_seconds=0.0):
        passed, failed, says = outcome
        with self.lock:
            self.seconds[work.name] = [round(seconds, 1), round(cpu_seconds, 1)]
            self.passed += passed
            self.failed += failed
            print(f"{'FAILED' if failed else 'ok    '} {says} ({seconds:.1f} s, {cpu_seconds:.1f} s of CPU time)", flush=True)
            if failed:
                print("    " + work.shown(text).strip().replace("\n", "\n    "), flush=True)


def end_group(pid):
    """What a work has left running: it has a session, and so a group, of its own."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Runner:
    def __init__(self, prefix, tally):
        self.prefix = prefix
        self.tally = tally
        self.running = set()
        self.lock = threading.Lock()
        self.stopping = False

    def build_of(self, work):
        return self.prefix or ROOT / "build" / (work.flavour or "asan")

    def run(self, work):
        """In a session of its own: what it leaves is found, and Linux gives each session its
        share of the CPUs, so that other people's work beside it slows it less."""
        start = time.time()
        # A file and no pipe: a process that outlives the test would hold a pipe open.
        with tempfile.TemporaryFile() as output:
            try:
                with self.lock:
                    if self.stopping:
                        return
                    process = subprocess.Popen(
                        work.command(self.build_of(work)), stdout=output,
                        stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                        start_new_session=True, env={**os.environ, **work.env})
                    self.running.add(process.pid)
            except OSError as error:
                self.tally.add(work, (0, [work.name], work.name), f"it cannot be started: {error}")
                return
            late = threading.Event()
            timer = threading.Timer(BACKSTOP_S, lambda: (late.set(), end_group(process.pid)))
            timer.start()
            _, status, used = os.wait4(process.pid, 0)
            timer.cancel()
            end_group(process.pid)
            process.returncode = code = os.waitstatus_to_exitcode(status)
            with self.lock:
                self.running.discard(process.pid)
            output.seek(0)
            text = output.read().decode(errors="replace")
        if self.stopping:
            return
        if late.is_set() or code < 0:
            text += (f"\nended after {BACKSTOP_S} s" if late.is_set() else
                     f"\nkilled by signal {-code}")
        self.tally.add(work, work.judge(code, text), text, time.time() - start,
                       used.ru_utime + used.ru_stime)

    def take_from(self, queue):
        while True:
            with self.lock:
                if self.stopping or not queue:
                    return
                work = queue.pop(0)
            self.run(work)

    def run_all(self, works, jobs):
        queue = [w for w in works if not w.alone]
        threads = [threading.Thread(target=self.take_from, args=(queue,), daemon=True)
                   for _ in range(min(jobs, len(queue)))]
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            for work in works:
                if work.alone:
                    self.run(work)
        except KeyboardInterrupt:
            with self.lock:
                self.stopping = True
                for pid in self.running:
                    os.killpg(pid, signal.SIGTERM)
            for thread in threads:
                thread.join()
            sys.exit("interrupted")


def run_one(prefix, path, function):
    """An end-to-end test, in a process of its own. Orphans become its children, so that their
    CPU time counts."""
    import harness

    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        module = load(Path(path))
        with harness.Judge(Path(prefix), hasattr(module, "OWN_CACHE")) as judge:
            getattr(module, function)(judge)
    except Exception:
        traceback.print_exc(file=sys.stdout)
        return 1
    finally:
        reap()
    return 0


def reap():
    try:
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass
    except ChildProcessError:
        pass


def recorded():
    try:
        return json.loads(RECORD.read_text())
    except (OSError, ValueError):
        return {}


def record(seconds):
    """For the next run's order. Another run in this tree may do the same: last one wins."""
    scratch = RECORD.with_suffix(f".{os.getpid()}")
    scratch.write_text(json.dumps({**recorded(), **seconds}, indent=0, sort_keys=True))
    scratch.replace(RECORD)


def compiled_folder():
    """Where the programs stay that nvcc has made for earlier runs. It is another folder when a file of what
    compiles has changed, so that no test sees a program of another version."""
    digest = hashlib.sha256()
    for top in ("harness/compile", "judge/compiler"):
        for path in sorted((ROOT / top).rglob("*.[ch]*")):
            digest.update(path.read_bytes())
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "warpjudge-tests" / f"programs-{digest.hexdigest()[:16]}"


def share_compiled(shared):
    """Tests find the kept programs under shared/cache. Without a home they have an empty folder there."""
    kept = compiled_folder()
    try:
        kept.mkdir(parents=True, exist_ok=True)
        for other in kept.parent.glob("programs-*"):
            if other != kept and time.time() - other.stat().st_mtime > KEPT_S:
                shutil.rmtree(other, ignore_errors=True)
        os.utime(kept)
        (Path(shared) / "cache").symlink_to(kept)
    except OSError:
        (Path(shared) / "cache").mkdir(exist_ok=True)


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def print_slowest(tally):
    slowest = sorted(tally.seconds.items(), key=lambda item: item[1], reverse=True)[:SLOWEST]
    if len(tally.seconds) > SLOWEST:
        print("the slowest, and how much of it was CPU time:")
        for name, (seconds, cpu) in slowest:
            print(f"{seconds:8.1f} s {cpu:7.1f} s  {name}")


def count_commits():
    """What decides which third takes its turn, so that a run can be repeated; 0 where there is no git."""
    count = subprocess.run(["git", "rev-list", "--count", "HEAD"], capture_output=True, text=True, check=False)
    return int(count.stdout or 0)


def chosen(options):
    works = everything()
    if options.names:
        return matching(works, options.names)
    if options.every:
        os.environ["WARPJUDGE_TEST_TURN"] = ""
        return works
    commits = count_commits()
    os.environ["WARPJUDGE_TEST_TURN"] = str(commits)  # mk/tests.mk: check-problems-sample
    return [w for w in works
            if (options.all or bool(w.slow) == options.slow) and w.turn in (None, commits % TURNS)]


def parse():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0],
                                     description=__doc__.split("\n\n", 2)[2],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for flag in ("--slow", "--all", "--every", "--needs"):
        parser.add_argument(flag, action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("-j", dest="jobs", type=int, default=cpus() + 1, help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.prefix = None
    if options.names and (Path(options.names[0]) / "bin").is_dir():
        options.prefix = Path(options.names.pop(0)).resolve()
    return options


def print_needs(works):
    for flavour in ("asan", "release"):
        goals = {goal for w in works if w.flavour == flavour for goal in w.goals}
        if goals:
            print(flavour, *(f"build/{flavour}/{g}" if "/" in g else g for g in sorted(goals)))


def main():
    # Whoever started this in the background may have had SIGINT ignored. Tests are ended, too,
    # and clean up.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    if sys.argv[1:2] == ["--one"]:
        sys.exit(run_one(*sys.argv[2:]))
    options = parse()
    works = chosen(options)
    if options.needs:
        print_needs(works)
        return
    before = recorded()
    works.sort(key=lambda w: before.get(w.name, [w.expected_s + UNKNOWN_SLOW_S * bool(w.slow)]), reverse=True)
    tally = Tally()
    start = time.time()
    with tempfile.TemporaryDirectory(prefix="wj-run-") as shared:
        os.environ["WARPJUDGE_TEST_SHARED"] = shared
        share_compiled(shared)
        Runner(options.prefix, tally).run_all(works, max(1, options.jobs))
    record(tally.seconds)
    print_slowest(tally)
    for name in sorted(tally.failed):
        print(f"failed: {name}")
    print(f"in {time.time() - start:.0f} s, {cpu_seconds():.0f} s of CPU time, "
          f"{options.jobs} at a time:")
    print(f"{tally.passed} passed, {len(tally.failed)} failed")
    sys.exit(1 if tally.failed or tally.passed == 0 else 0)


main()

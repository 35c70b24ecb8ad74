"""How pilots ended, of sacct: Debian's slurmdbd and MariaDB beside the cluster of test_pilots.py. Slurm's controller
forgets a job here as soon as it may, some ten seconds after its end. The daemon is stopped by a signal meanwhile, so
that squeue and scontrol know nothing of the job when the daemon looks again."""
import signal
from contextlib import contextmanager

from harness import DEMO
from test_pilots import WAITS, cluster, group, settled

SLOW = "it installs Slurm and MariaDB, which no newcomer's machine should get unasked"
NEEDS = "server-packages"
RIGHT = (DEMO / "right.cu").read_text()
SACCT = ("sacct", "--noheader", "--parsable2", "--allocations", "--format=State,ExitCode,NodeList", "--jobs")


@contextmanager
def asleep(judge):
    """The daemon is stopped, as on a machine that is suspended."""
    judge.daemon.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        judge.daemon.send_signal(signal.SIGCONT)


def said(c, job):
    return c.bed.run(*SACCT, job).stdout.strip()


def forgotten(c, *jobs):
    """Slurm's controller knows none of the jobs any more."""
    return all(c.bed.run("scontrol", "show", "job", job).returncode != 0 for job in jobs)


def shown(c, jobs):
    return lambda: str({job: (said(c, job), c.bed.run("scontrol", "show", "job", job).stdout) for job in jobs}) + c.bed.told()


def nodes_of(c, jobs):
    return {job: c.bed.jobs()[job][2] for job in jobs}


def test_reasons(judge):
    """A job out of time, a lost node, a preemption, one that was cancelled, one that fails, and one that cannot
    begin: `status` and the log have the reasons, though only slurmdbd has them."""
    def one(name, node):
        return group(name, gres=None, pilots=1, time=10, options=f"--mem=10 --nodelist={node}")

    # A node has four CPUs, of which each pilot takes one.
    groups = (group(pilots=3), one("late", "n1"), one("fails", "n1"), one("lacks", "n2"), one("ended", "n2"))
    program = ('#!/bin/sh\ncase $SLURM_JOB_NAME in *-fails) s=5 ;; *-lacks) s=81 ;; *) exec sleep 1000 ;; esac\n'
               f'while ! test -e {judge.home}/end; do sleep 0.2; done; exit $s\n')
    with cluster(judge, "".join(groups), program, kept_s=2, accounts=True) as c:
        if c is None:
            return
        for _ in range(12):
            judge.post(RIGHT)
        mine = nodes_of(c, c.await_pilots("emu", 3, "RUNNING"))
        late, fails, lacks, ended = (c.await_pilots(name, 1, "RUNNING")[0] for name in ("late", "fails", "lacks", "ended"))
        lost, = (job for job, node in mine.items() if node == "n2")
        first, second = (job for job, node in mine.items() if node == "n1")
        jobs = (*mine, late, fails, lacks, ended)
        settled(lambda: [c.group(name)["running"] for name in ("emu", "late", "fails", "lacks", "ended")] == [3, 1, 1, 1, 1],
                "the daemon has seen them", c.shown)
        with asleep(judge):
            (judge.home / "end").touch()
            c.bed.ask("scancel", ended)
            c.bed.ask("scontrol", "update", f"JobId={late}", "TimeLimit=1")
            settled(lambda: not {fails, lacks, ended} & set(c.bed.jobs("running,completing")), "three have ended",
                    shown(c, jobs))
            c.bed.ask("sbatch", "--parsable", "--partition=high", "--gres=gpu:2", "--nodelist=n1", "--output=/dev/null",
                      "--wrap=sleep 1")
            c.bed.lose("n2")
            settled(lambda: forgotten(c, *jobs), "Slurm's controller has forgotten them", shown(c, jobs))
            # It tells slurmdbd without waiting for that.
            ends = {lost: "NODE_FAIL", first: "PREEMPTED", second: "PREEMPTED", late: "TIMEOUT", fails: "FAILED",
                    lacks: "FAILED", ended: "CANCELLED by 0"}
            settled(lambda: {job: said(c, job).split("|")[0] for job in jobs} == ends, "slurmdbd knows their ends",
                    shown(c, jobs))
        sentences = [f"pilot {lost} lost its node (n2)", f"pilot {first} was preempted (n1)",
                     f"pilot {second} was preempted (n1)", f"pilot {late} reached its time limit (n1)",
                     f"pilot {fails} ended on n1 with status 5: its log is in ",
                     f"pilot {lacks} did not begin: n2 does not have the pilots' program"]
        for sentence in sentences:
            c.await_event(sentence)
        text = " ".join(judge.cli("status", status=0).stdout.split())
        log = judge.log.read_text()
        for sentence in sentences:
            assert sentence in text, (sentence, text)
            assert f"Slurm: {sentence}" in log, (sentence, log[-3000:])
        # What was cancelled is in the log alone.
        settled(lambda: f"Slurm: pilot {ended} was cancelled (n2)" in judge.log.read_text(), "it is told",
                lambda: judge.log.read_text()[-3000:])
        assert "does not say how" not in judge.log.read_text()


def test_accounts_that_are_away(judge):
    """slurmdbd is gone while a pilot ends, and hears of it late: the daemon asks again until it knows."""
    program = f'#!/bin/sh\nwhile ! test -e {judge.home}/end-$SLURM_JOB_ID; do sleep 0.2; done; echo no luck; exit 5\n'
    with cluster(judge, group(pilots=1, time=10), program, kept_s=2, accounts=True) as c:
        if c is None:
            return
        judge.post(RIGHT)
        mine, = c.await_pilots("emu", 1, "RUNNING")
        node = nodes_of(c, [mine])[mine]
        settled(lambda: c.group("emu")["running"] == 1, "the daemon has seen it", c.shown)
        with asleep(judge):
            c.bed.kill("slurmdbd")
            (judge.home / f"end-{mine}").touch()
            settled(lambda: forgotten(c, mine), "Slurm's controller has forgotten it", c.bed.told)
        settled(lambda: f"Slurm: pilot {mine} ended, and Slurm does not say yet how: sacct ended with status 1" in
                judge.log.read_text(), "the daemon has asked", lambda: judge.log.read_text()[-3000:])
        c.bed.begin("slurmdbd")
        c.await_event(f"pilot {mine} ended on {node} with status 5: its log is in ")
        # A reason that comes late holds the group as any does, and the pilot's words are kept.
        assert c.group("emu")["trouble"].startswith(f"pilot {mine} ended on {node} with status 5"), c.shown()
        log, = (judge.home / "shared").glob(f"warpjudge-*/pilot-{mine}.log")
        assert log.read_text() == "no luck\n"

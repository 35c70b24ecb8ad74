"""A Slurm cluster of a test's own: munged, slurmctld and two slurmd of Debian's packages on this machine.

The nodes n1 and n2 have three GPUs that are ordinary files: Slurm hands them out as it does real ones, but sets no
CUDA_VISIBLE_DEVICES for them. Key, sockets, ports and folders are the bed's own, so that beds may run beside each
other and beside a cluster that the machine is part of. The daemons stay in the foreground, and the kernel ends
them with the test. With accounts there are slurmdbd and its MariaDB, too. What they leave behind (slurmstepd, which leads a session of its own, and jobs) is ended by
the guard: a process that reads a pipe whose other end only the test holds."""
import ctypes
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from harness import BACKSTOP_S, await_that, own_port

PR_SET_PDEATHSIG = 1
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol", "sacct", "slurmdbd", "mariadbd")

CONFIG = """
ClusterName=bed
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={home}/munge.socket
CredType=cred/munge
StateSaveLocation={home}/state
SlurmdSpoolDir={home}/spool-%n
SlurmctldPidFile={home}/slurmctld.pid
SlurmdPidFile={home}/slurmd-%n.pid
SlurmctldLogFile={home}/slurmctld.log
SlurmdLogFile={home}/slurmd-%n.log
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
{accounting}
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=0,sched_min_interval=100000
PreemptType=preempt/partition_prio
PreemptMode=CANCEL
GresTypes=gpu
ReturnToService=2
MessageTimeout=5
SlurmctldTimeout=10
SlurmdTimeout=6
KillWait=2
CompleteWait=0
MinJobAge={kept_s}
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={port1} CPUs=4 RealMemory=4000 Gres=gpu:2
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={port2} CPUs=4 RealMemory=4000 Gres=gpu:1
PartitionName=low Nodes=n1,n2 Default=YES MaxTime=60 PriorityTier=1 State=UP
PartitionName=high Nodes=n1,n2 MaxTime=60 PriorityTier=10 State=UP
"""
NO_ACCOUNTS = "AccountingStorageType=accounting_storage/none"
ACCOUNTS = """AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={dbd_port}
AccountingStoragePass={home}/munge.socket"""
DBD_CONFIG = """
AuthType=auth/munge
AuthInfo=socket={home}/munge.socket
DbdHost={host}
DbdAddr=127.0.0.1
DbdPort={dbd_port}
SlurmUser=root
LogFile={home}/slurmdbd.log
PidFile={home}/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=root
StorageLoc=slurm_acct_db
"""
# What mariadb-install-db does, of which Debian has a part in the client's package. Whom the kernel knows as root is
# the database's root.
TABLES = "CREATE DATABASE mysql;\nUSE mysql;\nSET @auth_root_socket = 'root';\n"  # a statement a line
TABLE_FILES = ("mysql_system_tables.sql", "mysql_performance_tables.sql", "mysql_system_tables_data.sql")
GRES = """
NodeName=n1 Name=gpu File={home}/gpu[0-1]
NodeName=n2 Name=gpu File={home}/gpu2
"""


def missing():
    """A sentence that says why there can be no bed on this machine; "" where there can."""
    if os.getuid() != 0:
        return "slurmd starts jobs as other users, so that only root runs these tests"
    gone = [name for name in PROGRAMS if shutil.which(name, path=path()) is None]
    return (f"{', '.join(gone)} of the packages munge, slurm-wlm, slurmdbd and mariadb-server-core are missing"
            if gone else "")


def path():
    return os.environ["PATH"] + ":/usr/sbin:/sbin"


def ends_with_us():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def processes_of(home):
    """Ids of live processes of the bed: each has its configuration in the environment."""
    needle = f"SLURM_CONF={home}/slurm.conf".encode()
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if (entry.name.isdigit() and int(entry.name) != os.getpid()
                    and needle in (entry / "environ").read_bytes().split(b"\0")):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def parent_of(pid):
    """None of a process that is gone."""
    try:
        return int(re.search(r"^PPid:\t(\d+)", Path(f"/proc/{pid}/status").read_text(), re.M)[1])
    except OSError:
        return None


def name_of(pid):
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return None


def end_all(home):
    """Until none is left: one that dies may just have begun another."""
    for _ in range(200):
        found = processes_of(home)
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if not found:
            return
        time.sleep(0.05)


class Bed:
    def __init__(self, home, kept_s=300, accounts=False):
        """kept_s: how long slurmctld knows a job that has ended. accounts: slurmdbd knows it for good."""
        self.home = Path(home)
        self.home.mkdir()
        self.daemons = {}
        self.accounts = accounts
        *self.ports, self.judge_port = (own_port() for _ in range(5))  # the last one is for the judge
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "SBATCH_", "MUNGE_"))}
        self.env |= {"PATH": path(), "SLURM_CONF": str(self.home / "slurm.conf"),
                     "MYSQL_UNIX_PORT": str(self.home / "mariadb.socket")}  # slurmdbd has no setting for it
        names = {"home": self.home, "host": socket.gethostname().split(".")[0], "kept_s": kept_s,
                 **dict(zip(("port", "port1", "port2", "dbd_port"), self.ports))}
        accounting = ACCOUNTS.format(**names) if accounts else NO_ACCOUNTS
        (self.home / "slurm.conf").write_text(CONFIG.format(accounting=accounting, **names))
        (self.home / "slurmdbd.conf").write_text(DBD_CONFIG.format(**names))
        (self.home / "slurmdbd.conf").chmod(0o600)
        (self.home / "gres.conf").write_text(GRES.format(**names))
        for k in range(3):
            (self.home / f"gpu{k}").touch()
        for folder in ("state", "spool-n1", "spool-n2"):  # slurmd does not make them
            (self.home / folder).mkdir()
        key = self.home / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)

    def __enter__(self):
        reader, self.held = os.pipe()
        self.guard = subprocess.Popen([sys.executable, __file__, self.home], stdin=reader, env=dict(os.environ),
                                      start_new_session=True)
        os.close(reader)
        try:
            self.begin("munged")
            if self.accounts:
                self.make_database()
                self.begin("mariadbd")
                self.begin("slurmdbd")
            self.begin("slurmctld")
            self.begin("n1")
            self.begin("n2")
            self.await_all(lambda: self.states() == {"n1": "idle", "n2": "idle"}, "the nodes are idle")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in list(self.daemons):
            self.kill(name)
        end_all(self.home)
        os.close(self.held)
        self.guard.wait(BACKSTOP_S)

    def told(self):
        return "".join(f"{log.name}:\n{log.read_text(errors='replace')[-1500:]}\n" for log in
                       sorted(self.home.glob("*.log")))

    # --- daemons ------------------------------------------------------------------------------

    def command(self, name):
        if name == "munged":
            return ["munged", "--force", "--foreground", f"--key-file={self.home}/munge.key",
                    f"--socket={self.home}/munge.socket", f"--pid-file={self.home}/munged.pid",
                    f"--log-file={self.home}/munged.log", f"--seed-file={self.home}/munged.seed"]
        if name == "mariadbd":
            return [*self.mariadbd(), f"--socket={self.home}/mariadb.socket", "--skip-networking"]
        if name == "slurmdbd":
            return ["slurmdbd", "-D"]
        if name == "slurmctld":  # by these names: by a path neither reads gres.conf
            return ["slurmctld", "-D", "-f", str(self.home / "slurm.conf")]
        return ["slurmd", "-D", "-f", str(self.home / "slurm.conf"), "-N", name]

    def mariadbd(self):
        # One that starts empties its folder of temporary tables, so each has its own.
        return ["mariadbd", "--no-defaults", "--user=root", f"--datadir={self.home}/database", "--innodb-log-file-size=8M",
                f"--pid-file={self.home}/mariadbd.pid", f"--tmpdir={self.home}/tables"]

    def make_database(self):
        for name in ("database", "tables"):
            (self.home / name).mkdir(mode=0o700)
        text = TABLES + "".join((Path("/usr/share/mysql") / name).read_text() for name in TABLE_FILES)
        made = subprocess.run([*self.mariadbd(), "--bootstrap"], env=self.env, input=text, capture_output=True, text=True,
                              check=False, timeout=BACKSTOP_S)
        assert made.returncode == 0, made.stderr[-3000:]

    def begin(self, name, hides=None):
        """hides: a folder that the node does not have; in its place it finds an empty one."""
        command = self.command(name)
        if hides:
            command = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"', str(hides), *command]
        with open(self.home / f"{name}.out.log", "ab") as out:
            self.daemons[name] = subprocess.Popen(command, env=self.env, stdin=subprocess.DEVNULL,
                                                  stdout=out, stderr=out, preexec_fn=ends_with_us)
        if name == "munged":
            self.await_all(lambda: (self.home / "munge.socket").exists(), "munged listens")
        elif name == "mariadbd":
            self.await_all(lambda: (self.home / "mariadb.socket").exists(), "mariadbd listens")
        elif name == "slurmdbd":
            self.await_all(lambda: self.run("sacctmgr", "--noheader", "show", "cluster").returncode == 0,
                           "slurmdbd answers")
        elif name == "slurmctld":
            self.await_all(lambda: self.run("scontrol", "ping").returncode == 0, "slurmctld answers")

    def await_all(self, condition, what):
        """As await_that(), but a daemon that has ended by itself fails at once."""
        def checked():
            for name, daemon in self.daemons.items():
                assert daemon.poll() is None, f"{name} has ended:\n{self.told()}"
            return condition()

        await_that(checked, what, self.told)

    def kill(self, name):
        daemon = self.daemons.pop(name)
        daemon.kill()
        daemon.wait(BACKSTOP_S)

    def lose(self, node):
        """As when the machine has no power: slurmd, its steps and its jobs are gone at once. A step would tell of its
        job's end, so that steps are gone first: by their environment they are of no node, but their jobs are."""
        jobs = [pid for pid in processes_of(self.home) if self.on_node(pid, node)]
        steps = {parent for parent in map(parent_of, jobs) if parent and name_of(parent) == "slurmstepd"}
        self.kill(node)
        for pid in [*steps, *jobs]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    @staticmethod
    def on_node(pid, node):
        try:
            return f"SLURMD_NODENAME={node}".encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except OSError:
            return False

    # --- commands -----------------------------------------------------------------------------

    def run(self, *command):
        return subprocess.run([*map(str, command)], env=self.env, capture_output=True, text=True, check=False,
                              timeout=BACKSTOP_S, stdin=subprocess.DEVNULL)

    def ask(self, *command):
        run = self.run(*command)
        assert run.returncode == 0, (command, run.stderr, self.told())
        return run.stdout

    def states(self):
        run = self.run("sinfo", "--noheader", "--Node", "-o", "%N %t", "-p", "low")
        return dict(line.split() for line in run.stdout.splitlines())

    def jobs(self, states="all"):
        """{id: (state, name, node, partition)}"""
        lines = self.ask("squeue", "--noheader", f"--states={states}", "-o", "%i|%T|%j|%N|%P").splitlines()
        return {int(line.split("|")[0]): tuple(line.split("|")[1:]) for line in lines}


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    sys.stdin.buffer.read()  # ends when the test does, whatever ends it
    end_all(Path(sys.argv[1]))

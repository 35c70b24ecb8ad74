"""200 submissions on the cluster of test_pilots.py, while nodes are lost, jobs preempted and out of time, and the daemon
and munge killed, again and again for eight minutes: each has its verdict, once."""
from test_pilots import daemon_is_killed, job_is_late, job_is_preempted, munge_is_stopped, node_is_lost, nothing_is_lost

SLOW = "it takes eight minutes, and installs Slurm, which no newcomer's machine should get unasked"
TAKES_TURNS = "it takes eight minutes"
NEEDS = "server-packages"


def test_nothing_of_two_hundred_is_lost(judge):
    nothing_is_lost(judge, 200, 4, [node_is_lost, daemon_is_killed, job_is_preempted, munge_is_stopped, job_is_late], again=True)

"""What is judged in idle time, by workers: the house's solutions, and submissions that are judged again."""
import json
import re

import test_house
from harness import ROOT
from test_house import SLUG, counts, house, own_problems
from test_rejudge import change
from test_workers import RIGHT, Cluster, Fake

BUILD = "release"


def judged_by_workers(judge, label):
    return set(re.findall(rf"{label}: attempt \d (?:begins|is judged) on \S+ \((\w+)\)", judge.log.read_text()))


def test_the_house_and_what_is_judged_again(judge):
    """Where only workers have the board, an idle one judges both; the problem that asks for two GPUs runs on emu, too."""
    problem, _ = own_problems(judge)
    with Cluster(judge) as cluster:
        cluster.worker("--device", "emu")
        cluster.await_workers(1)
        first = judge.post(RIGHT)
        assert judge.wait_done(first)["verdict"] == "accepted"
        run = house(judge, SLUG, "-d", "emu")
        assert counts(run) == (3, 0, 0, 0), run
        assert judged_by_workers(judge, r"house, \S+") == {"emu"}
        change(problem, lambda spec: spec.update(tests=spec["tests"][:1]))
        run = json.loads(judge.cli("admin", "rejudge", str(first), "--json", status=0).stdout)
        assert run["state"] == "replaced" and run["judged"] == 1, run
        assert judge.log.read_text().count(f"submission {first}: attempt 1 begins on ") == 2
        assert all("submission" not in w for w in cluster.seen())


def test_a_worker_is_lost_in_idle_time(judge):
    """What it had of the house is attempted again, and a submission that comes meanwhile goes before the rest."""
    own_problems(judge)
    with Cluster(judge) as cluster:
        lost = Fake(cluster, "lost")
        status, answer = judge.api("POST", test_house.PATH, {"problems": SLUG})
        assert status == 201, answer
        mine, lease = lost.lease()
        assert (lease["problem"], lease["attempt"], mine["submission"]) == (SLUG, 1, 0), lease
        assert lost.ask("leave", worker=lost.worker)[0] == 200
        ident = judge.post(RIGHT)
        cluster.worker("--device", "emu")
        assert judge.wait_done(ident)["verdict"] == "accepted"
        run = test_house.ended(judge)
        assert run["state"] == "done" and counts(run) == (3, 0, 0, 0), run
        log = judge.log.read_text()
        rest = re.search(r"house, \S+: attempt 1 begins on (?!lost )", log)
        assert re.search(r"house, \S+: attempt 2 begins", log)
        assert log.index(f"submission {ident}: attempt 1 begins") < rest.start(), log


def test_a_problem_for_two_gpus_on_emu(judge):
    """There a worker has as many devices as the problem needs."""
    slug = "tensor-parallel-matmul"
    with Cluster(judge) as cluster:
        cluster.worker("--device", "emu")
        cluster.await_workers(1)
        right = sorted((ROOT / "solutions" / slug).glob("*.cu"))[0]
        ident = judge.post(right.read_text(), problem=slug, mode="run")
        done = judge.wait_done(ident)
        assert done["verdict"] == "accepted" and done["attempt"] == 1, done
        assert judged_by_workers(judge, f"submission {ident}") == {"emu"}

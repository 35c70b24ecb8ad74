"""Workers' tokens: what each is good for, how many workers it has, and what ends with it."""
import sqlite3

from test_compile_workers import REFUSED, Compiler, Judge
from test_workers import ACCEPTED, COMPILED, JOB_FORMAT, RIGHT, Cluster, Fake

BUILD = "asan"
LIKE = {"toolkit": "13.0", "linked": "0" * 64}
JUDGES = {"format": JOB_FORMAT, "node": "n", "device": "emu", "board": "emu", "arch": "compute_80"}
COMPILES = {"format": JOB_FORMAT, "node": "n", "role": "compile", "device": "compiler", "board": "", "arch": ""} | LIKE


def token_for(cluster, roles=None, **more):
    """A worker's token, and its number."""
    body = {"scopes": "worker", **({"roles": roles} if roles else {}), **more}
    status, answer = cluster.tcp.token("POST", "api/v1/account/tokens", cluster.admin, body)
    assert status == 201, answer
    return answer["token"], answer["id"]


def register(cluster, token, hello):
    return cluster.tcp.token("POST", "api/v1/worker/register", token, hello)


def change(judge, sql, *values):
    """Changes the database. Nobody but the daemon writes otherwise."""
    with sqlite3.connect(judge.home / "leaderboard.db") as db:
        db.execute(sql, values)
    db.close()


def test_the_roles_of_a_token(judge):
    """They are chosen when the token is made, both unless it is said, told in each list, and kept for no other scope."""
    with Cluster(judge, lease="600") as cluster:
        told = {}
        for roles, kept in ((None, ["judge", "compile"]), ("judge", ["judge"]), ("compile", ["compile"]),
                            ("judge,compile", ["judge", "compile"]), ("compile,judge", ["judge", "compile"])):
            body = {"scopes": "worker", "label": f"for {roles}", **({"roles": roles} if roles else {})}
            status, answer = cluster.tcp.token("POST", "api/v1/account/tokens", cluster.admin, body)
            assert status == 201 and answer["roles"] == kept, answer
            told[answer["id"]] = kept
        for body in ({"scopes": "worker", "roles": "arbiter"}, {"scopes": "worker", "roles": ""},
                     {"scopes": "worker", "roles": "judge,"}, {"scopes": "worker", "roles": "judge,judge"},
                     {"scopes": "worker", "roles": "Judge"}, {"scopes": "read", "roles": "judge"}, {"roles": "judge"}):
            status, answer = cluster.tcp.token("POST", "api/v1/account/tokens", cluster.admin, body)
            assert status == 400 and answer["pointer"] == "/roles", (body, answer)
        listed = cluster.tcp.token("GET", "api/account/tokens", cluster.admin)[1]["tokens"]
        assert {t["id"]: t["roles"] for t in listed if t["label"].startswith("for ")} == told, listed
        assert all(("roles" in t) == (t["scopes"] == ["worker"]) for t in listed), listed
        env = {"WARPJUDGE_TOKEN": cluster.admin, "WARPJUDGE_URL": cluster.url}
        made = judge.cli("token", "new", "shed", "--scopes", "worker", "--role", "compile", env=env, status=0).stdout.strip()
        shown = judge.cli("token", "list", env=env, status=0).stdout
        assert [line.split()[2:4] for line in shown.splitlines() if " shed " in line] == [["worker", "(compile)"]], shown
        assert register(cluster, made, JUDGES)[0] == 403
        refused = judge.cli("token", "new", "shed", "--scopes", "worker", "--role", "cook", env=env, status=2)
        assert 'roles is "cook": it must be judge, compile or judge,compile' in refused.stderr, refused.stderr
        status, page = cluster.tcp.raw((f"GET /account HTTP/1.1\r\nHost: localhost:{cluster.tcp.port}\r\nConnection: close\r\n"
                                        f"Authorization: Bearer {cluster.admin}\r\n\r\n").encode())
        assert status == 200 and b"shed</th><td>worker (compile) </td>" in page, page


def test_another_role_than_the_tokens(judge):
    """A compile worker's machine that was taken over registers as a judge, before and after it has compiled, and in vain."""
    with Cluster(judge, lease="600") as cluster:
        for roles, good, bad, words in (
                ("compile", COMPILES, JUDGES, "may not judge: an admin makes another one by"),
                ("judge", JUDGES, COMPILES, "may not compile: an admin makes another one by")):
            token, _ = token_for(cluster, roles)
            for hello in (bad, good, bad, bad | {"node": "other"}):
                status, answer = register(cluster, token, hello)
                assert status == (201 if hello is good else 403), (roles, hello, answer)
                if hello is not good:
                    assert (answer["code"], answer["pointer"]) == ("forbidden", "/role"), answer
                    assert words in answer["detail"], answer
        for hello in (JUDGES, COMPILES):
            assert register(cluster, cluster.token, hello)[0] == 201  # a token that says nothing is for both
        # One that was refused has named no board.
        token, _ = token_for(cluster, "compile")
        before = judge.api("GET", "/api/health")[1]["devices"]
        assert register(cluster, token, JUDGES | {"device": "cuda:0", "board": "NVIDIA X", "arch": "sm_90a"})[0] == 403
        assert judge.api("GET", "/api/health")[1]["devices"] == before


def test_a_compile_token_gives_no_verdict(judge):
    """With all that a compile worker knows: another worker's id and fence, its own lease, and a verdict beside what it made."""
    with Cluster(judge, lease="600") as cluster:
        token, _ = token_for(cluster, "compile")
        other = Fake(cluster, "other", token_for(cluster, "judge")[0])
        ident = judge.post(RIGHT)
        mine, lease = other.lease()
        for verb, body in (("heartbeat", {"event": "judging"}), ("return", {"reason": "mine"}),
                           ("result", {"part": 1, "parts": 1, "text": "{}"})):
            status, answer = cluster.tcp.token("POST", f"api/v1/worker/{verb}", token, mine | body)
            assert (status, answer["code"]) == (409, "no_worker"), answer
        for verb in ("lease", "leave"):
            status, answer = cluster.tcp.token("POST", f"api/v1/worker/{verb}", token, {"worker": other.worker})
            assert (status, answer["code"]) == (409, "no_worker"), answer
        status, answer = cluster.tcp.token("GET", "api/v1/worker/artefacts/" + "0" * 64, token)
        assert (status, answer["code"]) == (403, "forbidden") and "may not judge" in answer["detail"], answer
        assert other.send(mine, REFUSED)[0] == 200
        assert judge.wait_done(ident)["message"] == "no"
        # Its own lease: a verdict of a run is not looked at, whatever stands beside it.
        judging = Judge(cluster, LIKE, token_for(cluster, "judge")[0])
        assert other.ask("leave", worker=other.worker)[0] == 200
        forger = Compiler(cluster, LIKE, token)
        ident = judge.post(RIGHT)
        mine, lease = forger.lease()
        assert lease["submission"] == ident and lease["device"] == "emu", lease
        assert forger.send(mine, {"compile": COMPILED, "result": ACCEPTED | {"verdict": "wrong_answer"}})[0] == 200
        judging.refuse(ident)


def test_a_tokens_role_is_asked_at_each_call(judge):
    """A worker that is there has its role by its token, and not by what it said once."""
    with Cluster(judge, lease="600") as cluster:
        token, number = token_for(cluster)
        fake = Judge(cluster, LIKE, token)
        ident = judge.post(RIGHT)
        mine, _ = fake.lease()
        change(judge, "UPDATE tokens SET worker_roles = 2 WHERE id = ?", number)
        calls = (("heartbeat", mine | {"event": "judging"}), ("return", mine), ("lease", {"worker": fake.worker}),
                 ("leave", {"worker": fake.worker}), ("result", mine | {"part": 1, "parts": 1, "text": "{}"}))
        for verb, body in calls:
            status, answer = fake.ask(verb, **body)
            assert (status, answer["code"]) == (403, "forbidden") and "may not judge" in answer["detail"], (verb, answer)
        assert judge.api("GET", f"/api/submissions/{ident}")[1]["state"] != "done"
        change(judge, "UPDATE tokens SET worker_roles = 3 WHERE id = ?", number)
        assert fake.send(mine, REFUSED)[0] == 200
        assert judge.wait_done(ident)["message"] == "no"


def test_workers_of_tokens_with_one_role(judge):
    """What one machine compiles another judges, each with the token that it needs; with the other's token neither begins."""
    with Cluster(judge, lease="600") as cluster:
        tokens = {roles: token_for(cluster, roles)[0] for roles in ("judge", "compile")}
        for flags, wrong in ((("--device", "emu"), "compile"), (("--compile-only", "--jobs", "1"), "judge")):
            worker = cluster.worker(*flags, token=tokens[wrong])
            assert worker.end() == 2 and "--scopes worker --role" in worker.log.read_text(), worker.log.read_text()
        cluster.worker("--compile-only", "--jobs", "1", token=tokens["compile"])
        cluster.worker("--device", "emu", token=tokens["judge"])
        cluster.await_workers(2)
        done = judge.wait_done(judge.post(RIGHT))
        assert (done["verdict"], done["attempt"]) == ("accepted", 1), done

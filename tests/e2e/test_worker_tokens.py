"""Workers' tokens: what each is good for, how many workers it has, and what ends with it."""
import http.client
import json
import os
import random
import select
import signal
import socket
import sqlite3
import threading
import time

from harness import BACKSTOP_S, await_that
from test_compile_workers import PART, REFUSED, Compiler, Judge, links, made_of, relabelled, sealed
from test_rights import join
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
    with Cluster(judge) as cluster:
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
        run = judge.cli("token", "new", "shed", "--scopes", "worker", "--role", "compile", env=env, status=0)
        made = run.stdout.strip()
        assert "--token-file" in run.stderr and "WARPJUDGE_TOKEN" not in run.stderr, run
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
    with Cluster(judge) as cluster:
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
    with Cluster(judge) as cluster:
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
    with Cluster(judge) as cluster:
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
    with Cluster(judge) as cluster:
        tokens = {roles: token_for(cluster, roles)[0] for roles in ("judge", "compile")}
        for flags, wrong in ((("--device", "emu"), "compile"), (("--compile-only", "--jobs", "1"), "judge")):
            worker = cluster.worker(*flags, token=tokens[wrong])
            assert worker.end() == 2 and "--scopes worker --role" in worker.log.read_text(), worker.log.read_text()
        cluster.worker("--compile-only", "--jobs", "1", token=tokens["compile"])
        cluster.worker("--device", "emu", token=tokens["judge"])
        cluster.await_workers(2)
        done = judge.wait_done(judge.post(RIGHT))
        assert (done["verdict"], done["attempt"]) == ("accepted", 1), done
        # One that only compiles says once for all its processes where its token may do more.
        warned = "can also judge with it; one of `warpjudge token new NAME --scopes worker --role compile` is enough here"
        both = token_for(cluster)[0]
        more = cluster.worker("--compile-only", "--jobs", "3", token=both)
        cluster.worker("--device", "emu", token=both)
        cluster.await_workers(6)
        await_that(lambda: more.log.read_text().count(warned) == 1, "it warns", more.log.read_text)
        for worker in cluster.workers:
            worker.kill(signal.SIGTERM)
        assert all(worker.end() in (0, 2) for worker in cluster.workers), cluster.text()
        assert cluster.text().count(warned) == 1 == more.log.read_text().count(warned), cluster.text()


# --- what ends with a token -----------------------------------------------------------------------


def revoke(cluster, number):
    status, answer = cluster.tcp.token("DELETE", f"api/v1/account/tokens/{number}", cluster.admin)
    assert status == 200, answer


def taken_over(cluster, roles=None):
    """A worker that has a submission, whose token is revoked then. What it has, and the submission's number."""
    token, number = token_for(cluster, roles)
    fake = Fake(cluster, "taken", token)
    ident = cluster.judge.post(RIGHT)
    mine, lease = fake.lease()
    assert lease["submission"] == ident, lease
    return fake, mine, ident, number


def ended(cluster, fake, mine):
    """Nothing that the worker sends counts any more, and nobody sees it."""
    calls = (("heartbeat", mine | {"event": "judging"}), ("return", mine), ("lease", {"worker": fake.worker}),
             ("result", mine | {"part": 1, "parts": 1, "text": json.dumps(REFUSED)}), ("leave", {"worker": fake.worker}))
    for verb, body in calls:
        assert fake.ask(verb, **body)[0] in (401, 403), verb
    assert not [w for w in cluster.seen() if w["node"] == fake.node]


def test_leases_end_with_their_token(judge):
    """At once, however long a lease is: four times over, it costs the submission no attempt, and others are left alone."""
    with Cluster(judge) as cluster:
        other = Fake(cluster, "other")
        held = judge.post("int held;")
        kept, _ = other.lease()
        ident, fences = judge.post(RIGHT), set()
        for _ in range(4):
            token, number = token_for(cluster, "judge")
            fake, idle = Fake(cluster, "taken", token), Fake(cluster, "taken", token)
            mine, lease = fake.lease()
            assert (lease["submission"], lease["attempt"]) == (ident, 1), lease
            answers = []
            waits = threading.Thread(target=lambda idle=idle: answers.append(idle.told()))
            waits.start()
            time.sleep(0.2)  # it waits by then; where it does not, its call is refused all the same
            part = {"part": 1, "parts": 2, "text": json.dumps(REFUSED)[:9]}
            assert fake.ask("result", **mine, **part)[0] == 200
            revoke(cluster, number)
            ended(cluster, fake, mine)
            waits.join(BACKSTOP_S)
            assert answers[0][0] == 401 and "was revoked" in answers[0][1]["detail"], answers
            fences.add(mine["fence"])
        assert len(fences) == 4 and [w["node"] for w in cluster.seen()] == ["other"]
        assert other.ask("heartbeat", **kept, event="judging")[0] == 200
        assert other.send(kept, REFUSED)[0] == 200
        assert judge.wait_done(held)["message"] == "no"
        mine, lease = other.lease()
        assert (lease["submission"], lease["attempt"]) == (ident, 1), lease
        assert other.ask("result", **mine, part=2, parts=2, text=json.dumps(REFUSED)[9:])[0] == 400  # of before
        for number in (1, 2, 3):  # it has all its attempts still
            assert other.ask("return", **mine, reason="no room")[0] == 200
            if number < 3:
                mine, lease = other.lease()
                assert (lease["submission"], lease["attempt"]) == (ident, number + 1), lease
        done = judge.wait_done(ident)
        assert done["verdict"] == "judge_error" and done["message"].count("no room") == 3, done
        assert done["message"].count("which did not count, on taken (emu): the token of its worker is not good") == 4, done


def leased(cluster, made):
    """A worker of this token that has work."""
    fake = Fake(cluster, "taken", made["token"])
    return fake, *fake.lease()


def leased_for_a_moment(cluster, made):
    """The same of a token that expires then. Where the machine was too busy for that, it gets more time."""
    for span_s in (1.5, 6, 24, 96):
        until = time.time() + span_s
        change(cluster.judge, "UPDATE tokens SET expires_ms = ? WHERE id = ?", int(until * 1000), made["id"])
        try:
            return leased(cluster, made)
        except AssertionError:
            assert time.time() >= until
    raise AssertionError("no time was enough")


def test_each_way_in_which_a_token_ends(judge):
    """Its own revocation and that of the token that made it; its account's role, closing and deletion; its time."""
    with Cluster(judge) as cluster:
        boss = join(judge, "chief", "admin")

        def account(body):
            assert cluster.tcp.token("POST", "api/v1/accounts/chief", cluster.admin, body)[0] == 200

        def back():
            account({"role": "admin", "state": "active"})

        def wait_for_the_look():
            await_that(lambda: not cluster.seen(), "the worker is gone")

        ways = (("its role", lambda: account({"role": "staff"}), back), ("closed", lambda: account({"state": "closed"}), back),
                ("its time", wait_for_the_look, lambda: None),
                ("signed out", lambda: cluster.tcp.token("DELETE", "api/v1/account/token", boss), lambda: None),
                ("deleted", lambda: cluster.tcp.token("DELETE", "api/v1/accounts/chief?name=chief", cluster.admin), None))
        for way, end, again in ways:
            if way == "deleted":
                status, answer = judge.api("POST", "/api/invitations", {"name": "chief", "role": "admin"})
                assert status == 201
                boss = judge.api("POST", "/api/accounts", {"name": "chief", "invitation": answer["invitation"]})[1]["token"]
            status, made = cluster.tcp.token("POST", "api/v1/account/tokens", boss, {"scopes": "worker"})
            assert status == 201, (way, made)
            ident = judge.post(RIGHT)
            fake, mine, lease = (leased_for_a_moment if way == "its time" else leased)(cluster, made)
            assert lease["submission"] == ident, (way, lease)
            end()
            assert not cluster.seen(), way
            ended(cluster, fake, mine)
            other = Fake(cluster, "other")
            mine, lease = other.lease()
            assert (lease["submission"], lease["attempt"]) == (ident, 1), (way, lease)
            assert other.send(mine, REFUSED)[0] == 200
            assert judge.wait_done(ident)["message"] == "no"
            assert other.ask("leave", worker=other.worker)[0] == 200
            if again:
                again()


def test_a_result_and_a_revocation_at_once(judge):
    """Whichever is first: a result that was taken is recorded, and one that was refused is not. Each is read for a while."""
    text = json.dumps({"compile": REFUSED["compile"] | {"message": "x" * (1 << 20)}})
    parts = [text[i:i + PART] for i in range(0, len(text), PART)]
    with Cluster(judge) as cluster:
        taken = 0
        for round in range(40):
            fake, mine, ident, number = taken_over(cluster)
            for i, part in enumerate(parts[:-1]):
                assert fake.ask("result", **mine, part=i + 1, parts=len(parts), text=part)[0] == 200
            begin, answers = threading.Barrier(2), {}

            def send():
                begin.wait(BACKSTOP_S)
                answers["send"] = fake.ask("result", **mine, part=len(parts), parts=len(parts), text=parts[-1])

            def end():
                begin.wait(BACKSTOP_S)
                time.sleep(round / 500)
                revoke(cluster, number)
            threads = [threading.Thread(target=each) for each in (send, end)]
            for each in threads:
                each.start()
            for each in threads:
                each.join(BACKSTOP_S)
            status, answer = answers["send"]
            assert status in (200, 401), answer
            shown = judge.api("GET", f"/api/submissions/{ident}")[1]
            taken += status == 200
            if status == 200:
                assert judge.wait_done(ident)["message"].startswith("xxx")
            else:
                assert shown["state"] != "done", (status, shown)
                other = Fake(cluster, "other")
                again, lease = other.lease()
                assert (lease["submission"], lease["attempt"]) == (ident, 1), lease
                assert other.send(again, REFUSED)[0] == 200
                assert judge.wait_done(ident)["message"] == "no"
                assert other.ask("leave", worker=other.worker)[0] == 200
            assert not cluster.seen()
        print(f"      {taken} of 40 results came first")


def test_what_a_revoked_compiler_has_made(judge):
    """It is compiled anew, whether it waits or is judged: nobody believes it any more. What was judged before stands."""
    with Cluster(judge) as cluster:
        like = links(cluster)
        judging, second = Judge(cluster, like), Judge(cluster, like)
        artefact = made_of(cluster, judging, RIGHT)
        token, number = token_for(cluster, "compile")
        forger = Compiler(cluster, like, token)

        def compiled():
            ident = judge.post(RIGHT)
            mine, lease = forger.lease()
            assert lease["submission"] == ident, lease
            assert forger.send_long(mine, sealed(relabelled(artefact, lease)))[0] == 200
            return ident

        def refuse(fake, ident):
            mine, lease = fake.lease()
            assert (lease["submission"], lease["attempt"]) == (ident, 1) and "artefact" not in lease, lease
            assert fake.send(mine, REFUSED)[0] == 200
            assert judge.wait_done(ident)["message"] == "no"

        stands = compiled()
        mine, lease = judging.lease()
        assert lease["submission"] == stands and "artefact" in lease, lease
        assert judging.send(mine, {"result": ACCEPTED | {"verdict": "runtime_error", "message": "stands"}})[0] == 200
        judged = compiled()
        mine, lease = judging.lease()
        sha256 = lease["artefact"]["sha256"]
        assert lease["submission"] == judged and judging.fetch(sha256)[0] == 200
        waits = compiled()
        assert forger.ask("leave", worker=forger.worker)[0] == 200  # it need not be there
        revoke(cluster, number)
        for verb, body in (("heartbeat", {"event": "judging"}), ("result", {"part": 1, "parts": 1, "text": "{}"})):
            status, answer = judging.ask(verb, **mine, **body)
            assert (status, answer["code"]) == (409, "no_lease"), answer
        assert judging.fetch(sha256)[0] == 404
        refuse(second, judged)
        refuse(second, waits)
        assert judge.wait_done(stands)["message"] == "stands"
        assert judging.ask("lease", worker=judging.worker, wait_s=0) == (200, {"lease": None})  # it is there still


def test_siblings_end_together(judge):
    """A lease for two GPUs ends with its token, and so does what holds the other GPU."""
    with Cluster(judge) as cluster:
        for _ in range(2):
            token, number = token_for(cluster, "judge")
            pair = [Fake(cluster, "taken", token, device=f"cuda:{i}", board="NVIDIA X", arch="sm_90a", siblings="a" * 32)
                    for i in range(2)]
            ident = judge.post("int x;", "tensor-parallel-matmul", device="NVIDIA X")
            answers = []
            threads = [threading.Thread(target=lambda f=f: answers.append(f.told())) for f in pair]
            for each in threads:
                each.start()
            lease = await_that(lambda: next((a["lease"] for s, a in answers if s == 200 and a["lease"]), None), "a lease")
            assert lease["submission"] == ident and lease["partner"] in ("cuda:0", "cuda:1"), lease
            revoke(cluster, number)
            for each in threads:
                each.join(BACKSTOP_S)
            assert sorted(status for status, _ in answers) == [200, 401], answers
            assert not cluster.seen()
            assert judge.api("POST", f"/api/submissions/{ident}/cancel", {})[0] == 200


# --- how many workers a token has -----------------------------------------------------------------


class Waiting:
    """A worker's call for work on a connection of its own, which can break."""

    def __init__(self, cluster, fake):
        self.fake = fake
        self.socket = socket.create_connection(("127.0.0.1", cluster.tcp.port), BACKSTOP_S)
        self.ask()

    def ask(self):
        body = json.dumps({"worker": self.fake.worker, "wait_s": 15}).encode()
        self.socket.sendall((f"POST /api/v1/worker/lease HTTP/1.1\r\nHost: localhost\r\n"
                             f"Authorization: Bearer {self.fake.token}\r\nContent-Type: application/json\r\n"
                             f"Content-Length: {len(body)}\r\n\r\n").encode() + body)

    def answer(self):
        text = b""
        while not text.endswith(b"}\n"):
            piece = self.socket.recv(1 << 20)
            assert piece, text
            text += piece
        return json.loads(text.split(b"\r\n\r\n")[1])

    def lease(self):
        """What it gets, once there is work."""
        while (lease := self.answer()["lease"]) is None:
            self.ask()
        return {"worker": self.fake.worker, **{k: lease[k] for k in ("submission", "attempt", "fence")}}, lease

    def close(self):
        self.socket.close()


def test_a_worker_that_hangs_up(judge):
    """It is given up `lease` seconds after that, and not after its call would have ended. Another one's call still waits then:
    each waits for 15 s. One that has only lost a connection asks again, and has its work."""
    with Cluster(judge, lease="1") as cluster:
        for _ in range(10):  # on a busy machine the daemon may look too late
            alive, gone = (Waiting(cluster, Fake(cluster, node)) for node in ("alive", "gone"))
            gone.close()
            await_that(lambda: "gone" not in [w["node"] for w in cluster.seen()], "it is given up", lambda: str(cluster.seen()))
            waits = not select.select([alive.socket], [], [], 0)[0]
            alive.close()
            if waits:
                break
        assert waits
    judge.stop()
    with Cluster(judge) as cluster:
        fake = Fake(cluster, "one")
        Waiting(cluster, fake).close()
        await_that(lambda: cluster.seen()[0]["heard_seconds"] >= 5, "it is seen to have hung up", lambda: str(cluster.seen()))
        ident = judge.post("int x;")
        mine, _ = fake.lease()
        assert mine["submission"] == ident and fake.send(mine, REFUSED)[0] == 200


def full(cluster, token):
    """The judge has no place for one more of the token's workers, and says so. Others are taken."""
    status, answer = register(cluster, token, JUDGES)
    assert status == 503 and "(workers-per-token): one must leave first, or be silent" in answer["detail"], answer
    status, answer = register(cluster, token_for(cluster)[0], JUDGES | {"node": "others"})
    assert status == 201, answer


def test_a_token_has_so_many_workers(judge):
    """Those that wait or judge keep their places. One that leaves, hangs up or is revoked gives its place at once."""
    with Cluster(judge, "--workers-per-token", "2") as cluster:
        token, number = token_for(cluster)
        one = Fake(cluster, "one", token)
        ident = judge.post(RIGHT)
        mine, _ = one.lease()
        two = Waiting(cluster, Fake(cluster, "two", token))
        full(cluster, token)
        two.close()
        await_that(lambda: register(cluster, token, JUDGES)[0] == 201, "a place is free, since its worker has hung up")
        assert one.send(mine, REFUSED)[0] == 200  # it was not its place
        assert judge.wait_done(ident)["message"] == "no"
        assert one.ask("leave", worker=one.worker)[0] == 200
        assert register(cluster, token, JUDGES)[0] == 201
        headers = await_that(lambda: refused_raw(cluster, token), "both places are of workers that were heard just now")
        assert int(headers["retry-after"]) > 0, headers
        assert len([w for w in cluster.seen() if w["node"] != "others"]) == 2
        revoke(cluster, number)
        assert not [w for w in cluster.seen() if w["node"] != "others"]


def refused_raw(cluster, token):
    """Registers. The headers of the answer where there is no place, and None where a silent worker has made one."""
    body = json.dumps(JUDGES)
    status, answer = cluster.tcp.raw((
        f"POST /api/v1/worker/register HTTP/1.1\r\nHost: localhost:{cluster.tcp.port}\r\nConnection: close\r\n"
        f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode())
    assert status == 201 or status == 503 and b"(workers-per-token)" in answer, answer
    head = answer.split(b"\r\n\r\n")[0].decode().split("\r\n")[1:]
    return {k.lower(): v for k, v in (line.split(": ", 1) for line in head)} if status == 503 else None


def test_a_node_that_is_started_again_and_again(judge):
    """It leaves places behind, of workers that have no work and of such that have. They are used again, and it goes on."""
    with Cluster(judge, "--workers-per-token", "2", lease="16") as cluster:
        token, _ = token_for(cluster)
        ident = judge.post(RIGHT)
        dead = Fake(cluster, "dead", token)
        heard = time.monotonic()
        mine, _ = dead.lease()
        alive = Waiting(cluster, Fake(cluster, "alive", token))
        # It has died with its work, which goes to the other one. Until then both keep their places.
        fresh = await_that(lambda: try_fake(cluster, token, "again"), "there is a place")
        assert time.monotonic() > heard + 8  # two heartbeats
        again, lease = alive.lease()
        assert (lease["submission"], lease["attempt"]) == (ident, 2), lease
        assert dead.ask("heartbeat", **mine, event="judging")[0] == 409
        assert alive.fake.send(again, REFUSED)[0] == 200
        assert judge.wait_done(ident)["message"] == "no"
        alive.close()
        for node in ("once-more", "and-again"):  # it dies before it has asked for work
            fresh = await_that(lambda: try_fake(cluster, token, node), "there is a place")
            assert len(cluster.seen()) <= 2
        assert fresh.ask("lease", worker=fresh.worker, wait_s=0)[0] == 200
        # Where no call comes for long, the look at the workers is before that of whoever needs the place.
        log, gone = judge.log.read_text(), "worker emu of dead is gone: it "
        assert gone + "is silent, and another worker needs its place" in log or gone + "was not heard for 16 s" in log


def test_a_real_worker_that_is_killed_again_and_again(judge):
    """Its token has one place. Each time it is let in, since the one before has hung up, and nothing waits for that one."""
    with Cluster(judge, "--workers-per-token", "1") as cluster:
        token, _ = token_for(cluster, "judge")
        for _ in range(3):
            worker = cluster.worker("--device", "emu", token=token)
            await_that(lambda: "judges" in worker.log.read_text(), "it has a place", cluster.text)
            ident = judge.post("int x = y;")
            assert judge.wait_done(ident)["verdict"] == "compile_error"
            cluster.await_workers(1)
            worker.kill()
        last = cluster.worker("--device", "emu", token=token)
        done = judge.wait_done(judge.post(RIGHT))
        assert (done["verdict"], done["attempt"]) == ("accepted", 1), (done, last.log.read_text())


def try_fake(cluster, token, node):
    try:
        return Fake(cluster, node, token)
    except AssertionError as e:
        assert "which is the most" in str(e), e
        return None


def test_who_is_heard_keeps_its_place(judge):
    """However often others of its token register meanwhile: it has work, and says so."""
    with Cluster(judge, "--workers-per-token", "1", lease="16") as cluster:
        token, _ = token_for(cluster)
        one = Fake(cluster, "one", token)
        ident = judge.post(RIGHT)
        mine, _ = one.lease()
        begun = time.monotonic()
        while time.monotonic() < begun + 10:  # silent for 8 s it would lose its place
            assert one.ask("heartbeat", **mine, event="judging")[0] == 200
            assert register(cluster, token, JUDGES)[0] == 503
            time.sleep(0.2)
        assert one.send(mine, REFUSED)[0] == 200
        assert judge.wait_done(ident)["message"] == "no"
        # It is silent, and another takes its place. What it says then is refused, and it registers again.
        await_that(lambda: register(cluster, token, JUDGES)[0] == 201, "the place is free")
        status, answer = one.ask("lease", worker=one.worker, wait_s=0)
        assert (status, answer["code"]) == (409, "no_worker"), answer


def test_a_token_that_registers_without_end(judge):
    """It never has more than its places, by whatever names, and every other token's workers are taken."""
    with Cluster(judge) as cluster:
        token, number = token_for(cluster)
        told = {201: 0, 503: 0}
        for i in range(1100):
            told[register(cluster, token, JUDGES | {"node": f"n{i}"})[0]] += 1
        count = judge.api("GET", "/api/workers?limit=1")[1]["count"]
        assert told[201] >= 1024 == count, (told, count)
        other = Fake(cluster, "other", token_for(cluster)[0])
        ident = judge.post(RIGHT)
        mine, lease = other.lease()
        assert lease["submission"] == ident, lease
        revoke(cluster, number)
        assert judge.api("GET", "/api/workers")[1]["count"] == 1
        assert other.send(mine, REFUSED)[0] == 200
        assert judge.wait_done(ident)["message"] == "no"


def test_tokens_that_take_all_places(judge):
    """Four tokens have registered as many workers as there may be, which are silent. Another one's are taken all the same."""
    with Cluster(judge) as cluster:
        working = Fake(cluster, "working")
        ident = judge.post(RIGHT)
        mine, _ = working.lease()
        tokens = [token_for(cluster)[0] for _ in range(4)]

        def fill(token):
            connection = http.client.HTTPConnection("127.0.0.1", cluster.tcp.port, timeout=BACKSTOP_S)
            for _ in range(1024):
                connection.request("POST", "/api/v1/worker/register", json.dumps(JUDGES | {"node": "hostile"}),
                                   {"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
                answer = connection.getresponse()
                answer.read()
                assert answer.status in (201, 503), answer.status
            connection.close()
        threads = [threading.Thread(target=fill, args=(token,)) for token in tokens]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert judge.api("GET", "/api/workers?limit=1")[1]["count"] == 4096
        token, _ = token_for(cluster)
        for node in ("honest-1", "honest-2"):
            other = await_that(lambda: try_fake(cluster, token, node), "there is a place")
        assert judge.api("GET", "/api/workers?limit=1")[1]["count"] == 4096
        assert other.ask("lease", worker=other.worker, wait_s=0)[0] == 200
        assert working.send(mine, REFUSED)[0] == 200
        assert judge.wait_done(ident)["message"] == "no"


def test_places_for_all_pilots(judge):
    """Pilots have one token. It has as many places as they need, and a judge that forbids that does not start."""
    config = judge.home / "judge.conf"

    def write(head, pilots):
        config.write_text(f"{head}[slurm]\nserver = http://127.0.0.1:1\nshared = /tmp\nuser = boss\n" + "".join(
            f"[slurm g{i}]\nboard = NVIDIA X\narch = sm_90a\ngpus = {gpus}\npilots = {n}\ncompilers = {compilers}\n"
            for i, (n, gpus, compilers) in enumerate(pilots)))
    for pilots, count in ((((10, 1, 0), (10, 2, 0)), 30), (((3, 1, 4), (10, 2, 0)), 35)):
        write("workers-per-token = 29\n", pilots)
        run = judge.cli("serve", "--config", config, status=2)
        words = f"workers-per-token is 29, and the pilots of [slurm], which have one token, may be {count} workers"
        assert words in run.stderr, run.stderr
    for wrong in ("0", "4097", "many"):
        run = judge.cli("serve", "--workers-per-token", wrong, status=2)
        assert "it must be a number of workers, from 1 to 4096" in run.stderr, run.stderr


# --- all at once ----------------------------------------------------------------------------------


class Stranger:
    """Somebody with a worker's token, who says what may do harm, with all that anybody has ever been told."""

    def __init__(self, cluster, rng, known, roles):
        self.cluster, self.rng, self.known, self.roles = cluster, rng, known, roles
        self.token, self.number = token_for(cluster, roles)
        self.mine, self.working = [], []

    def ask(self, verb, **body):
        status, answer = self.cluster.tcp.token("POST", f"api/v1/worker/{verb}", self.token, body)
        assert status in (200, 201, 400, 401, 403, 409, 503), (verb, body, status, answer)
        return status, answer

    def any_of(self, own, others):
        pool = own if own and self.rng.random() < 0.6 else others
        return self.rng.choice(pool) if pool else None

    def step(self):
        rng, known = self.rng, self.known
        what = rng.random()
        if what < 0.25 or not self.mine:
            role = rng.choice(("judge", "compile"))
            status, answer = self.ask("register", **(JUDGES if role == "judge" else COMPILES) | known["like"] | {"node": rng.choice("abc")})
            assert status != 201 or role in self.roles, (self.roles, role)
            if status == 201:
                self.mine.append(answer["worker"])
                known["workers"].append(answer["worker"])
            return
        worker = self.any_of(self.mine, known["workers"])
        if what < 0.55:
            status, answer = self.ask("lease", worker=worker, wait_s=rng.choice((0, 0, 1)))
            if status == 200 and answer["lease"]:
                mine = {"worker": worker, **{k: answer["lease"][k] for k in ("submission", "attempt", "fence")}}
                self.working.append((mine, answer["lease"]))
                known["working"].append((mine, answer["lease"]))
                if "artefact" in answer["lease"]:
                    known["split"] += 1
            return
        if what < 0.6:
            self.ask("leave", worker=worker)
            return
        if (told := self.any_of(self.working, known["working"])) is None:
            return
        mine, lease = told
        mine = mine | ({"worker": worker} if rng.random() < 0.2 else {})
        if what < 0.7:
            self.ask("heartbeat", **mine, event=rng.choice(("compiling", "judging", "test")), done=1, of=2)
        elif what < 0.8:
            self.ask("return", **mine, reason="storm")
        else:
            ran = {"result": ACCEPTED | {"verdict": "runtime_error", "message": f"ran by {self.roles}"}}
            made = sealed(relabelled(known["artefact"], lease))
            verdict = rng.choice((REFUSED, {"compile": COMPILED} | ran, ran, made, made, made | ran, {"compile": COMPILED}, {}))
            text = json.dumps(verdict)
            for i in range(0, len(text), PART):
                self.ask("result", **mine, part=i // PART + 1, parts=(len(text) - 1) // PART + 1, text=text[i:i + PART])


def storm(judge, steps, seed):
    """Strangers with tokens of each role register, lease, send and leave, while their tokens are revoked and people submit.
    Nothing of it is taken that their role does not allow, and each submission ends."""
    with Cluster(judge) as cluster:
        like = links(cluster)
        known = {"workers": [], "working": [], "split": 0, "like": like,
                 "artefact": made_of(cluster, Judge(cluster, like), RIGHT)}
    judge.stop()
    with Cluster(judge, "--workers-per-token", "5", "--lease-limit", "3", lease="4") as cluster:
        stop, failures, idents = threading.Event(), [], []

        def live(number):
            rng = random.Random(seed * 100 + number)
            try:
                for _ in range(steps):
                    roles = rng.choice(("judge", "compile", "compile", "judge,compile"))
                    stranger = Stranger(cluster, rng, known, roles)
                    for _ in range(rng.randrange(40)):
                        stranger.step()
                    if rng.random() < 0.8:
                        revoke(cluster, stranger.number)
                        status, _ = stranger.ask("register", **JUDGES)
                        assert status == 401, status
            except Exception as e:  # noqa: BLE001 (it is told by the test's thread)
                failures.append(e)

        def submit():
            rng = random.Random(seed)
            while not stop.is_set():
                if len(idents) - done_count(judge, idents) < 6:
                    idents.append(judge.post(f"int storm{len(idents)};", mode=rng.choice(("submit", "run"))))
                elif rng.random() < 0.2:
                    judge.api("POST", f"/api/submissions/{rng.choice(idents)}/cancel", {})
                time.sleep(0.02)
        threads = [threading.Thread(target=live, args=(i,)) for i in range(6)]
        people = threading.Thread(target=submit)
        for each in (*threads, people):
            each.start()
        for each in threads:
            each.join()
        stop.set()
        people.join(BACKSTOP_S)
        assert not failures, failures
        await_that(lambda: serve(cluster) and done_count(judge, idents) == len(idents), "each submission ends", judge.log.read_text)
        for ident in idents:
            shown = judge.api("GET", f"/api/submissions/{ident}")[1]
            assert shown["verdict"] in ("compile_error", "cancelled", "judge_error", "runtime_error"), shown
            assert shown["verdict"] != "runtime_error" or "judge" in shown["message"], shown  # no compiler has said so
        print(f"      {len(idents)} submissions, {len(known['workers'])} workers, {len(known['working'])} leases, "
              f"{known['split']} of what others had compiled")


def done_count(judge, idents):
    return sum(judge.api("GET", f"/api/submissions/{i}")[1]["state"] == "done" for i in idents)


def serve(cluster):
    """Takes work if there is any, and says that it does not compile."""
    fake = Fake(cluster, "honest")
    status, answer = fake.ask("lease", worker=fake.worker, wait_s=1)
    assert status == 200 or answer["code"] == "no_worker", answer  # it was given up where the machine stood still
    if status == 200 and answer["lease"]:
        mine = {"worker": fake.worker, **{k: answer["lease"][k] for k in ("submission", "attempt", "fence")}}
        fake.send(mine, REFUSED)
    fake.ask("leave", worker=fake.worker)
    return True


def test_a_storm(judge):
    seed = time.time_ns() % 100000
    print(f"      seed {seed}")
    storm(judge, int(os.environ.get("STORM", "3")), seed)

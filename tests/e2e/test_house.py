"""The house: the judge's own right solutions leave marks on the boards, as company for people."""
import json
import shutil

from harness import LONG_CALL_S, ROOT, SEED, await_that, header, slow_once

SLUG = "vector-addition"
PATH = "/api/v1/house"
STEPS = sorted((ROOT / "solutions" / SLUG).glob("[1-9]-*.cu"))


def own_problems(judge, *slugs, steps=STEPS[:3]):
    """Problems of the judge's own with two tests each, and these steps for SLUG. It is not started."""
    for slug in (SLUG, *slugs):
        folder = judge.home / "own/problems" / slug
        shutil.copytree(ROOT / "problems" / slug, folder)
        change(folder, lambda spec: spec.update(tests=spec["tests"][:2]))
    solutions = judge.home / "own/solutions" / SLUG
    solutions.mkdir(parents=True)
    for path in steps:
        shutil.copy(path, solutions)
    judge.env["WARPJUDGE_PROBLEMS"] = str(judge.home / "own/problems")
    return judge.home / "own/problems" / SLUG, solutions


def change(folder, edit):
    path = folder / "problem.json"
    spec = json.loads(path.read_text())
    edit(spec)
    path.write_text(json.dumps(spec))


def house(judge, *args, status=0):
    return json.loads(judge.cli("house", *args, "--json", status=status).stdout)


def board(judge, user="nobody", slug=SLUG, query=""):
    status, answer = judge.api("GET", f"/api/v1/problems/{slug}/board?user={user}{query}")
    assert status == 200, answer
    return answer


def counts(run):
    return run["judged"], run["kept"], len(run["skipped"]), len(run["failed"])


def run_state(judge):
    status, run = judge.api("GET", PATH)
    assert status == 200, run
    return run


def ended(judge):
    return await_that(lambda: run_state(judge) if run_state(judge)["state"] != "judging" else None,
                      "the end of the house's run")


def submit(judge, user, path):
    answer = judge.wait_done(judge.post(path.read_text(), problem=SLUG, user=user))
    assert answer["verdict"] == "accepted", answer
    return answer


def test_company_on_a_board(judge):
    _, solutions = own_problems(judge)
    judge.start("--seed", SEED)
    ada, ben = submit(judge, "ada", STEPS[1]), submit(judge, "ben", STEPS[0])
    assert "house" not in ada, ada
    before = board(judge)
    assert before["house"] == {"steps": 0, "beaten": 0, "marks": []}
    assert "house" not in judge.cli("rank", SLUG, status=0).stdout
    submissions = judge.api("GET", "/api/v1/submissions")[1]

    run = house(judge, SLUG)
    assert counts(run) == (3, 0, 0, 0) and run["state"] == "done" and run["board"] == "emu", run

    # Entries, ranks, percentiles and the histogram are as they were, and nobody has submitted anything.
    after = board(judge)
    assert {**after, "house": None} == {**before, "house": None}, (before, after)
    assert [[s["id"], s["user"], s["rank"], s["entries"], s["percentile"]] for s in
            judge.api("GET", "/api/v1/submissions")[1]["submissions"]] == [
        [s["id"], s["user"], s["rank"], s["entries"], s["percentile"]] for s in submissions["submissions"]]

    # Who has beaten a step is told its name; of the others there is a time.
    marks = after["house"]["marks"]
    assert len(marks) == 3 and after["house"]["beaten"] == 0, marks
    assert [m["time_ns"] for m in marks] == sorted(m["time_ns"] for m in marks)
    assert all(set(m) == {"time_ns", "low_ns", "high_ns", "beaten"} for m in marks), marks
    shown = board(judge, "ada")["house"]
    assert (shown["steps"], shown["beaten"]) == (3, 1), shown
    assert [m.get("name") for m in shown["marks"]] == [None, None, "one-block"], shown
    assert shown["marks"][2]["step"] == 1 and shown["marks"][2]["beaten"], shown
    assert board(judge, "ben")["house"]["beaten"] == 0

    # A result says so, too: its own time counts.
    for told, beaten in ((ada, 1), (ben, 0)):
        assert judge.api("GET", f"/api/v1/submissions/{told['id']}")[1]["house"] == {"steps": 3, "beaten": beaten}
        assert f"{beaten} of 3 house steps beaten" in judge.cli("status", told["id"], status=0).stdout
    printed = judge.cli("rank", SLUG, "--user", "ada", status=0).stdout
    assert "1 of 3 house steps beaten" in printed and "1, one-block" in printed, printed
    assert "shares" not in printed and "coalesced" not in printed, printed
    printed = judge.cli("rank", SLUG, "--user", "cat", status=0).stdout
    assert "0 of 3 house steps beaten" in printed and "one-block" not in printed, printed
    assert run_state(judge)["judged"] == 3
    assert "3 house solutions judged on emu\n" == judge.cli("house", "show", status=0).stdout


def test_a_hint_is_of_the_first_step_that_is_faster(judge):
    own_problems(judge)
    judge.start("--seed", SEED)
    for user, path in zip(("eve", "ada", "ben", "cat"), STEPS):
        submit(judge, user, path)

    def hint(user, query=""):
        return judge.api("GET", f"/api/v1/problems/{SLUG}/hint?user={user}{query}")[1]

    assert hint("ben")["step"] == 2 and "house" not in hint("ben")
    house(judge, SLUG)
    for user, step, beaten in (("dan", 2, 0), ("eve", 2, 0), ("ada", 3, 1), ("ben", 3, 2), ("cat", 3, 3)):
        got = hint(user)
        assert (got["step"], got["house"]) == (step, {"steps": 3, "beaten": beaten}), (user, got)
    assert hint("ben", "&step=2")["step"] == 2 and hint("ben", "&device=emu")["step"] == 3
    assert hint("ben", "&device=none")["code"] == "no_such_device"
    assert judge.api("GET", f"/api/v1/problems/{SLUG}/hint/source?user=ben")[1]["filename"] == STEPS[2].name
    printed = judge.cli("hint", SLUG, "--user", "ben", status=0).stdout
    assert "step 3 of 3" in printed and "2 of 3 house steps beaten\n" in printed, printed
    assert "3 of 3 house steps beaten: there is no further hint" in judge.cli(
        "hint", SLUG, "-u", "cat", status=0).stdout


def test_a_second_run_judges_what_is_missing(judge):
    """The daemon is killed somewhere in the run: what it has judged until then is kept."""
    folder, solutions = own_problems(judge)
    judge.start()
    assert judge.api("POST", PATH, {"problems": SLUG})[0] == 201
    await_that(lambda: run_state(judge)["judged"] >= 1, "a first mark")
    judge.kill()
    judge.start()
    assert judge.api("GET", PATH)[1]["code"] == "no_house_run"
    run = house(judge, SLUG)
    assert run["kept"] >= 1 and run["kept"] + run["judged"] == 3, run
    assert counts(house(judge, SLUG)) == (0, 3, 0, 0)

    # A file that has changed is judged again, and one that is gone loses its mark.
    with open(solutions / STEPS[1].name, "a") as file:
        file.write("// changed\n")
    assert counts(house(judge, SLUG)) == (1, 2, 0, 0)
    (solutions / STEPS[2].name).unlink()
    assert counts(house(judge, SLUG)) == (0, 2, 0, 0)
    assert board(judge)["house"]["steps"] == 2

    # A problem that has changed has a board without marks; taken back, they are there.
    text = (folder / "problem.json").read_text()
    change(folder, lambda spec: spec.update(compare={"mode": "close", "atol": 1e-4, "rtol": 1e-5}))
    assert board(judge)["house"]["steps"] == 0
    assert counts(house(judge, SLUG)) == (2, 0, 0, 0) and board(judge)["house"]["steps"] == 2
    (folder / "problem.json").write_text(text)
    assert counts(house(judge, SLUG)) == (0, 2, 0, 0)


def test_what_is_not_judged_and_what_is_wrong(judge):
    _, solutions = own_problems(judge, "relu", "softmax", steps=STEPS[:2])
    shutil.copytree(ROOT / "solutions/relu", solutions.parent / "relu")
    judge.start()
    right = STEPS[1].read_text()
    for name, line in (("3-streams.cu", "not-modelled: concurrent streams"), ("4-cluster.cu", "needs: sm_90a")):
        (solutions / name).write_text(f"// {line}\n{right}")
    run = house(judge, "--all")
    assert counts(run) == (3, 0, 3, 0) and run["problems"] == run["looked_at"] == 3, run
    why = {s["file"]: s["why"] for s in run["skipped"]}
    assert why == {
        "problems/softmax": "has no right solution in solutions/",
        f"solutions/{SLUG}/3-streams.cu":
            "is not judged on emu: it gains by what is not modelled (concurrent streams)",
        f"solutions/{SLUG}/4-cluster.cu": "is not judged on emu: it needs sm_90a"}, why
    # Without a ladder the one right solution is the mark.
    judged = judge.wait_done(judge.post((ROOT / "solutions/relu/naive.cu").read_text(), problem="relu"))
    assert judged["house"] == {"steps": 1, "beaten": 0}, judged
    assert "0 of 1 house step beaten" in judge.cli("rank", "relu", status=0).stdout

    # A step that is not accepted is told with its file, loses its mark, and does not keep others from theirs.
    assert board(judge)["house"]["steps"] == 2
    wrong = (ROOT / "solutions" / SLUG / "no-tail.cu").read_text()
    assert header(ROOT / "solutions" / SLUG / "no-tail.cu", "expect") == "wrong_answer"
    (solutions / STEPS[0].name).write_text(wrong)
    (solutions / "3-streams.cu").write_text(right)
    printed = judge.cli("house", SLUG, status=4).stdout
    assert f"solutions/{SLUG}/{STEPS[0].name} must be accepted, but is wrong answer: " in printed, printed
    assert "1 house solution judged on emu; 1 had a mark already\n" in printed, printed
    assert board(judge)["house"]["steps"] == 2
    # It is judged again by the next run, until it is right.
    shutil.copy(STEPS[0], solutions)
    assert counts(house(judge, SLUG)) == (1, 2, 1, 0)


def test_people_come_first(judge):
    judge.allow_long_calls()
    shutil.copytree(ROOT / "solutions" / SLUG, judge.home / "solutions" / SLUG)
    judge.start()
    first = judge.post(slow_once(STEPS[0].read_text(), LONG_CALL_S))
    await_that(lambda: judge.api("GET", f"/api/submissions/{first}")[1]["state"] == "running", "the first one runs")
    status, run = judge.api("POST", PATH, {"problems": SLUG})
    assert status == 201 and run["state"] == "judging", run
    run = await_that(lambda: run_state(judge) if run_state(judge)["looked_at"] == 1 else None, "the files' names")
    assert (run["to_judge"], run["judged"]) == (len(STEPS), 0), run
    status, answer = judge.api("POST", PATH, {"problems": SLUG})
    assert (status, answer["code"]) == (409, "conflict"), answer
    assert judge.api("GET", "/api/health")[1]["queued"] == 1
    # Cancelled, nothing is judged any more. What was not begun has no mark.
    assert "the marks that it has made stay" in judge.cli("house", "cancel", status=0).stdout
    assert run_state(judge)["state"] == "cancelled"
    printed = judge.cli("house", "show", status=1)
    assert "the house was not judged to the end: " in printed.stderr and "has cancelled it" in printed.stderr
    assert judge.api("DELETE", PATH)[1]["code"] == "no_house_run"
    # Begun anew, it goes on when the device is free.
    assert judge.api("POST", PATH, {"problems": SLUG})[0] == 201
    judge.cli("cancel", first, status=0)
    assert counts(ended(judge)) == (len(STEPS), 0, 0, 0)


def test_bad_requests(judge):
    judge.start()
    for args, says in (((), "the house has judged nothing since the judge was started"),
                       (("cancel",), "the house is judging nothing"),
                       (("nothing-like-it",), 'there is no problem "nothing-like-it"'),
                       ((SLUG, "--all"), "--all means all problems"),
                       ((SLUG, "-d", "cuda:9"), 'there is no device "cuda:9"')):
        run = judge.cli("house", *args, status=2)
        assert says in run.stderr and not run.stdout, (args, run.stderr)
    for body, status, code in (({}, 400, "missing_member"), ({"which": "some"}, 400, "invalid_member"),
                               ({"problems": SLUG, "which": "all"}, 400, "invalid_member"),
                               ({"problems": "softmax,"}, 404, "no_such_problem"),
                               ({"slugs": SLUG}, 400, "unknown_member")):
        got, answer = judge.api("POST", PATH, body)
        assert (got, answer["code"]) == (status, code), (body, answer)

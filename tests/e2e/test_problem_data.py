"""A problem as data: what GET of a problem tells a program that shows it."""
import json
import re
import shutil

from harness import ROOT


def test_every_problem(judge):
    """Shapes fit the samples' sizes, values fit the shapes, and nothing of hidden tests is told."""
    judge.start()
    slugs = [p["slug"] for p in judge.api("GET", "/api/v1/problems")[1]["problems"]]
    assert len(slugs) >= 150
    outputs = 0
    for slug in slugs:
        status, shown = judge.api("GET", f"/api/v1/problems/{slug}")
        assert status == 200, (slug, shown)
        spec = json.loads((ROOT / "problems" / slug / "problem.json").read_text())
        samples = [i + 1 for i, t in enumerate(spec["tests"]) if t.get("sample")]
        assert [s["test"] for s in shown["samples"]] == samples and samples, slug
        buffers = {p["name"]: p for p in shown["params"] if p["dir"] != "scalar"}
        assert all(("tolerance" in b) == (b["dir"] != "in") for b in buffers.values()), slug
        for sample in shown["samples"]:
            assert sample["shapes"].keys() == buffers.keys(), (slug, sample)
            for name, shape in sample["shapes"].items():
                check_shape(slug, buffers[name]["shape"], sample["scalars"], shape)
            for name, values in [*sample["inputs"].items(), *sample.get("outputs", {}).items()]:
                count = 1
                for extent in sample["shapes"][name]:
                    count *= extent
                assert len(values) == count, (slug, name, values)
            outputs += bool(sample.get("outputs"))
        assert shown["limits"]["time_ms"] > 0 and shown["limits"]["memory_bytes"] > 0, slug
        assert [d["name"] for d in shown["devices"] if not d["judged"]] == [] or shown["refused"], slug
    assert outputs >= 140, outputs


def check_shape(slug, texts, scalars, shape):
    """Python reads the expressions that have +, -, * and names only."""
    assert len(texts) == len(shape), (slug, texts, shape)
    for text, extent in zip(texts, shape):
        if re.fullmatch(r"[\w+*() -]+", text) and not re.search(r"[A-Za-z_]\w*\s*\(", text):
            assert eval(text, {}, scalars) == extent, (slug, text, scalars, extent)


def test_one_problem(judge):
    judge.start()
    shown = judge.api("GET", "/api/v1/problems/softmax")[1]
    scalar = next(p for p in shown["params"] if p["name"] == "N")
    assert (scalar["min"], scalar["max"], scalar["type"]) == (1, 500000, "int32"), scalar
    output = next(p for p in shown["params"] if p["name"] == "output")
    assert output["shape"] == ["N"] and output["start"] == "anything", output
    assert output["tolerance"] == {"mode": "close", "atol": 1e-9, "rtol": 1e-4}
    assert output["timed_tolerance"] == {"mode": "close", "atol": 1e-9, "rtol": 1e-3}
    assert shown["samples"][0] == {
        "test": 1, "about": "the statement's example", "scalars": {"N": 3}, "shapes": {"input": [3], "output": [3]},
        "inputs": {"input": [1, 2, 3]}, "outputs": {"output": [0.0900306, 0.244728, 0.665241]}}
    assert shown["samples"][1]["inputs"] == {"input": [3.5, 1000, -2, 0.25]} and "outputs" not in shown["samples"][1]
    assert shown["libraries"] == ["cub", "thrust", "curand_kernel"]
    assert shown["devices"] == [{"name": "emu", "board": "emu", "judged": True}]


def test_what_json_has_no_number_for(judge):
    """Whole numbers beyond 10^15, and values that are drawn anew in each judgement."""
    folder = judge.home / "problems/odd"
    folder.mkdir(parents=True)
    judge.env["WARPJUDGE_PROBLEMS"] = str(folder.parent)
    spec = {"format": 1, "title": "Odd", "difficulty": "easy", "tags": [],
            "params": [{"name": "A", "type": "int64", "dir": "in", "shape": ["N", 2], "values": {"integers": [0, 9]}},
                       {"name": "B", "type": "int64", "dir": "out", "shape": ["2*N"]},
                       {"name": "N", "type": "int32", "dir": "scalar", "min": 1, "max": 9}],
            "compare": {"mode": "exact"},
            "tests": [{"N": 1, "sample": True, "values": {"A": {"list": [-9007199254740991, 3]}}},
                      {"N": 2, "sample": True}, {"N": 3}],
            "benchmark": {"cuda": {"N": 9}, "emu": {"N": 9}}}
    (folder / "problem.json").write_text(json.dumps(spec))
    (folder / "statement.md").write_text("# Odd\n\n## Example\n\n    N = 1\n    A = [[-9007199254740991, 3]]\n    B = [5, 6]\n")
    (folder / "reference.c").write_text("#include <stdint.h>\nvoid solve(const int64_t *A, int64_t *B, int N) {}\n")
    judge.start()
    status, shown = judge.api("GET", "/api/v1/problems/odd")
    assert status == 200, shown
    assert shown["params"][0]["shape"] == ["N", "2"], shown["params"]
    first, drawn = shown["samples"]
    assert first["inputs"] == {"A": ["-9007199254740991", 3]} and first["outputs"] == {"B": [5, 6]}, first
    assert drawn == {"test": 2, "scalars": {"N": 2}, "shapes": {"A": [2, 2], "B": [4]}, "inputs": {}}, drawn


def test_changed_files_are_followed(judge):
    """The answer about a problem is kept, and made anew where a file that it was made of has changed. So is its compressed
    form."""
    folder = judge.home / "problems/vector-addition"
    shutil.copytree(ROOT / "problems/vector-addition", folder)
    judge.env["WARPJUDGE_PROBLEMS"] = str(folder.parent)
    judge.start()
    tags = []

    def shown():
        answers, path = [], "/api/v1/problems/vector-addition"
        for encoding in ("identity", "gzip", "gzip", "identity"):
            status, answer, headers = judge.ask("GET", path, headers={"Accept-Encoding": encoding})
            assert status == 200 and (headers["Content-Encoding"] == "gzip") == (encoding == "gzip"), headers.items()
            assert judge.ask("HEAD", path, headers={"If-None-Match": headers["ETag"]})[0] == 304
            answers.append((answer, headers["ETag"]))
        assert len({str(a) for a in answers}) == 1, answers
        tags.append(answers[0][1])
        return answers[0][0]

    before = shown()
    (folder / "statement.md").write_text("# Another\n\nIt has another statement.\n")
    assert shown() == {**before, "statement": "# Another\n\nIt has another statement.\n", "samples": shown()["samples"]}
    (folder / "statement.md").unlink()
    assert shown()["statement"] == ""
    shutil.copy(ROOT / "problems/vector-addition/statement.md", folder)
    assert shown() == before
    (folder / "starter.cu").write_text("// mine\n")
    assert shown() == {**before, "starter": "// mine\n"}
    (folder / "starter.cu").write_text("// mine, a longer one\n")
    assert shown() == {**before, "starter": "// mine, a longer one\n"}
    (folder / "starter.cu").unlink()
    assert shown() == before
    spec = json.loads((folder / "problem.json").read_text())
    (folder / "problem.json").write_text(json.dumps({**spec, "title": "Another"}))
    assert shown()["title"] == "Another"
    (folder / "problem.json").write_text("{}")
    assert judge.api("GET", "/api/v1/problems/vector-addition")[0] == 500
    (folder / "problem.json").write_text(json.dumps(spec))
    assert shown() == before and len(set(tags)) == 6, tags

"""Bulk grading where there is a GPU, which a server in this process stands in for: it answers as the API
does, and its verdicts follow from words in the sources."""
import http.server
import json
import threading

MEANING = "ab" * 32


class Server(http.server.ThreadingHTTPServer):
    """posts: (device, mode, source) of what came, in its order. away: what a proxy answers next."""
    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.posts, self.keys, self.refuse, self.away = [], {}, 0, []
        self.url = f"http://localhost:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *words):
        pass

    def answer(self, status, body, **headers):
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": len(data), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def judge_is_away(self):
        """Answers, where it is, as a proxy does. `health` is asked first, and answered."""
        if not self.server.away or self.path.endswith("/health"):
            return False
        status, page = self.server.away.pop(0)
        self.send_response(status)
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)
        return True

    def do_GET(self):
        if self.judge_is_away():
            return
        path = self.path.removeprefix("/api/v1/").partition("?")[0]
        if path == "health":
            devices = [{"name": "cuda:0", "board": "NVIDIA H200", "title": "NVIDIA H200 (cuda:0)", "driver": "580"},
                       {"name": "emu", "board": "emu", "title": "emu"}]
            self.answer(200, {"devices": devices, "default_device": "cuda:0", "toolkit": "13.0"})
        elif path.endswith("/board"):
            self.answer(200, {"meaning": MEANING, "baselines": [{"name": "cuBLAS", "time_ns": 1000}],
                              "house": {"marks": [{"time_ns": 900, "low_ns": 890, "high_ns": 950},
                                                  {"time_ns": 5000, "low_ns": 4900, "high_ns": 5100}]}})
        elif path.startswith("problems/"):
            judged = path != "problems/gpu-only"
            self.answer(200, {"difficulty": "hard", "tags": ["t"], "devices": [{"name": "emu", "judged": judged}]})
        else:
            self.answer(200, self.submission(int(path.split("/")[1])))

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.judge_is_away():
            return
        if self.server.refuse > 0:
            self.server.refuse -= 1
            self.answer(429, {"detail": "256 submissions wait already"}, Retry_After=1)
            return
        key = self.headers["Idempotency-Key"]
        if key not in self.server.keys:
            self.server.posts.append(body)
            self.server.keys[key] = len(self.server.posts)
        self.answer(201, {"id": self.server.keys[key]})

    def submission(self, ident):
        sent = self.server.posts[ident - 1]
        device, words = sent["device"], sent["source"].split()
        verdict = next((w.split("=")[1] for w in words if w.startswith(device.partition(":")[0] + "=")), "accepted")
        sub = {"id": ident, "state": "done", "verdict": verdict, "message": f"{verdict} on {device}", "device": device,
               "board": "emu" if device == "emu" else "NVIDIA H200", "finished_ms": 1, "meaning": MEANING}
        if "race" in words and device == "emu":
            sub["notices"] = [{"kind": "race", "text": "two threads"}, {"kind": "shuffle", "text": "x"}]
        if "shuffle" in words and device == "emu":
            sub["notices"] = [{"kind": "shuffle", "text": "x"}]
        if sent["mode"] == "grade" and verdict == "accepted" and device != "emu":
            sub |= {"time_ns": 940, "low_ns": 930, "high_ns": 960, "conditions": {"gpu": "GPU-1"}}
        return sub


def grade(judge, server, lines, *args):
    text = "".join(json.dumps({"id": source, "problem": "softmax", "source": source} | more) + "\n" for source, more in lines)
    path, out = judge.write("in.jsonl", text), judge.home / "out.jsonl"
    out.unlink(missing_ok=True)
    judge.cli("grade", path, "-o", out, *args, status=0, env={"WARPJUDGE_URL": server.url, "WARPJUDGE_USER": "ada"})
    rows = {row["line"]: row for row in map(json.loads, out.read_text().splitlines())}
    return [rows[n + 1] for n in range(len(lines))], {(p["source"], p["device"], p["mode"]) for p in server.posts}


LINES = [("right", {}), ("cuda=wrong_answer", {}), ("emu=wrong_answer", {}), ("emu=compile_error", {}), ("race", {}),
         ("shuffle", {}), ("emu=wrong_answer unseen", {"problem": "gpu-only"}), ("emu=compile_error cuda=compile_error", {})]


def test_what_emu_rejects_costs_no_gpu(judge):
    server = Server()
    rows, posts = grade(judge, server, LINES)
    assert [(row["verdict"], row["stage"]) for row in rows] == [
        ("accepted", "gpu"), ("wrong_answer", "gpu"), ("wrong_answer", "emu"), ("accepted", "gpu"),
        ("race", "emu"), ("accepted", "gpu"), ("accepted", "gpu"), ("compile_error", "compile")], rows
    gpu = {source for source, device, mode in posts if device == "cuda:0"}
    # What emu cannot compile may be for a newer GPU, whose compiler has the last word.
    assert gpu == {"right", "cuda=wrong_answer", "shuffle", "emu=wrong_answer unseen", "emu=compile_error",
                   "emu=compile_error cuda=compile_error"}, posts
    assert {mode for _, device, mode in posts if device == "emu"} == {"grade_samples"}, posts
    assert ("emu=wrong_answer unseen", "emu", "grade_samples") not in posts, posts
    # The samples were right and the tests were not: both are told.
    assert rows[1]["disagreement"] == {"emu": "accepted", "gpu": "wrong_answer", "emu_message": "accepted on emu"}, rows[1]
    assert [n for n, row in enumerate(rows) if "disagreement" in row] == [1], rows
    assert rows[4]["message"] == "two threads" and "time_ns" not in rows[4], rows[4]
    # 930 to 960 ns: surely faster than 1000, as fast as 890 to 950 for all that is known.
    ratios = {b["name"]: (b["faster"], round(b["ratio_low"], 3), round(b["ratio_high"], 3)) for b in rows[0]["baselines"]}
    assert ratios == {"cuBLAS": (True, 1.042, 1.075), "house-fastest": (None, 0.927, 1.022),
                      "house-slowest": (True, 5.104, 5.484)}, ratios
    assert rows[0]["conditions"] == {"gpu": "GPU-1"} and "ratio" not in rows[2]["baselines"][0], rows
    server.shutdown()


def test_both_judge_and_disagree(judge):
    server = Server()
    rows, posts = grade(judge, server, LINES, "--both")
    assert [row["verdict"] for row in rows] == ["accepted", "wrong_answer", "accepted", "accepted", "accepted",
                                                "accepted", "accepted", "compile_error"], rows
    said = {n: (row["disagreement"]["emu"], row["disagreement"]["gpu"]) for n, row in enumerate(rows) if "disagreement" in row}
    assert said == {1: ("accepted", "wrong_answer"), 2: ("wrong_answer", "accepted"), 4: ("race", "accepted")}, said
    report = judge.cli("report", judge.home / "out.jsonl", status=0).stdout
    assert "on 3 emu and the GPU say another thing" in report and "baseline cuBLAS" in report, report
    rows, _ = grade(judge, server, [("emu=wrong_answer", {})], "--stage", "emu")
    assert (rows[0]["verdict"], rows[0]["board"]) == ("wrong_answer", "emu"), rows
    server.shutdown()


def test_a_full_judge_is_left_alone(judge):
    server = Server()
    server.refuse = 2
    rows, posts = grade(judge, server, [("right", {}), ("right 2", {}), ("right", {"id": "again"})], "-j", "1")
    assert [row["verdict"] for row in rows] == 3 * ["accepted"] and server.refuse == 0, rows
    assert len(server.posts) == 4 and rows[2]["cached"] and rows[2]["key"] == rows[0]["key"], server.posts
    server.shutdown()


def test_a_proxy_whose_judge_is_away(judge):
    """While the judge is started again, its proxy answers. No line is lost by that."""
    server = Server()
    page = b"<html><h1>Bad Gateway</h1></html>"
    server.away = [(502, page), (503, page), (504, page), (503, b"")]
    rows, posts = grade(judge, server, [("right", {}), ("right 2", {}), ("emu=wrong_answer", {})], "-j", "1")
    assert [row.get("verdict") for row in rows] == ["accepted", "accepted", "wrong_answer"], rows
    assert not server.away and len(posts) == 5, posts
    server.shutdown()

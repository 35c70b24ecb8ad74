"""`explain`: what each text says of its two kernels holds on emu, and costs name the texts that there are."""
import array
import json
import re
import subprocess

from harness import BACKSTOP_S, NVCC, ROOT

TEXTS = sorted((ROOT / "judge/cli/topics").glob("*.txt"))
TOPICS = [path.stem for path in TEXTS]
SIZES = {"bandwidth": 512, "bank-conflicts": 1024, "launches": 16384}
KERNEL = re.compile(r"    // (?:(\d+) times )?<<<([^\n]*)>>>\n(    __global__ void (before|after)\(.*?\n    }\n)", re.S)
PROGRAM = """
#include <cstdio>
#include <cstdlib>
#include <cstring>
%s
int main(int argc, char **argv)
{
    const size_t bytes = 4 << 20;
    float *host = (float *)malloc(bytes), *in, *out;
    int n;

    for (size_t i = 0; i < bytes / 4; i++)
        host[i] = i %% 4 / 4.0f;
    cudaMalloc(&in, bytes);
    cudaMalloc(&out, bytes);
    cudaMemcpy(in, host, bytes, cudaMemcpyHostToDevice);
%s    return cudaGetLastError();
}
"""
CALL = """
    if (argc == 2 && strcmp(argv[1], "%s") == 0) {
        n = %d;
        cudaMemset(out, 0, bytes);
        cudaFuncSetAttribute(%s, cudaFuncAttributeMaxDynamicSharedMemorySize, 98304);
        for (int i = 0; i < %s; i++)
            %s<<<%s>>>(in, out, n);
        cudaMemcpy(host, out, bytes, cudaMemcpyDeviceToHost);
        fwrite(host, 1, bytes, stdout);
    }
"""


def nvcc(judge, source, to):
    path = judge.write("topics.cu", source)
    subprocess.run([NVCC, "-O3", "-lineinfo", "-arch=sm_90", "--cudart=shared", path, "-o", to], check=True, timeout=BACKSTOP_S)


def kernel_name(topic, name):
    return f"{topic.replace('-', '_')}_{name}"


def test_the_kernels_are_what_the_texts_say(judge):
    kernels, calls = "", ""
    for path in TEXTS:
        found = KERNEL.findall(path.read_text())
        assert [name for *_, name in found] == ["before", "after"], path
        for times, shape, code, name in found:
            kernel = kernel_name(path.stem, name)
            kernels += code.replace(f"{name}(", f"{kernel}(")
            calls += CALL % (path.stem, SIZES.get(path.stem, 1 << 20), kernel, times or 1, kernel, shape)
    program = judge.home / "topics"
    nvcc(judge, PROGRAM % (kernels, calls), program)
    for topic in TOPICS:
        run = subprocess.run([judge.bin, "emu", "--counters", "--json", program, topic], env=judge.env, capture_output=True,
                             timeout=BACKSTOP_S)
        assert run.returncode == 0, run.stderr[-2000:]
        outputs = array.array("f", run.stdout)
        half = len(outputs) // 2
        assert any(outputs) and all(abs(a - b) <= 1e-4 * abs(a) for a, b in zip(outputs[:half], outputs[half:])), topic
        costs = {k["name"]: k for k in json.loads(run.stderr.splitlines()[-1])["kernels"]}
        before, after = (costs[kernel_name(topic, name)] for name in ("before", "after"))
        assert after["ns"] < 0.8 * before["ns"], (topic, before["ns"], after["ns"])
        assert topic in (before["topic"], before["lines"][0]["topic"]), (topic, before["topic"], before["lines"][:2])


def test_at_the_command_line(judge):
    listed = judge.cli("explain").stdout.splitlines()
    assert sorted(line.split()[0] for line in listed) == TOPICS and all(len(line) <= 80 for line in listed), listed
    for path in TEXTS:
        text = path.read_text()
        assert judge.cli("explain", path.stem).stdout == text
        assert text.startswith(f"{path.stem}: ") and all(len(line) <= 80 for line in text.splitlines()), path
        assert json.loads(judge.cli("explain", path.stem, "--json").stdout) == {"topic": path.stem, "text": text}
    assert sorted(o["topic"] for o in json.loads(judge.cli("explain", "--json").stdout)) == TOPICS
    run = judge.cli("explain", "coalesing", status=2)
    assert run.stdout == "" and 'did you mean "coalescing"?' in run.stderr, run
    run = judge.cli("explain", "the weather", status=2)
    assert "lists them" in run.stderr, run


def test_costs_name_them(judge):
    """What a source in C may say of a cost has a text, and `submit` says where to read it."""
    header = (ROOT / "harness/emulator/gpu/advice.h").read_text()
    named = re.findall(r'X\(\w+, +"([a-z-]+)"\)', header)
    assert sorted(named) == TOPICS, named
    said = judge.cli("submit", ROOT / "tests/demo/slower.cu").stdout
    word = re.search(r"\(explain ([a-z-]+)\)", said)
    assert word and word[1] in TOPICS, said

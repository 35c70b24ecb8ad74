// The arbiter's kernels against the same element functions on the host, bit by bit: every
// kind of generator in every type, and every rule of comparison. Runs on a GPU as well.
#include "../../harness/device/kernels.cu"

#include <cstdio>
#include <cstring>
#include <vector>

#define COUNT 1003 // no multiple of a block of four
#define SEED 0x1234567890ABCDEFull

static gen
generator(int kind, int type, bool scatter)
{
    static const double list[] = {1, 2.5, 300, 0.25, 0.5, 1};
    gen g;

    memset(&g, 0, sizeof g);
    g.kind = (uint8_t)kind;
    g.dtype = (uint8_t)type;
    g.stream = 3;
    g.columns = 70;
    g.range = scatter ? COUNT : 100;
    g.scatter = scatter ? 77 : 0;
    g.a = 1;
    g.b = 100;
    g.c = -5;
    g.d = 5;
    g.share = 0.5;
    g.integer = type >= DTYPE_I8;
    g.negate = kind == GEN_RAMP && type < DTYPE_I8;
    g.list_count = 3;
    memcpy(g.list, list, sizeof list);
    return g;
}

static bool
same_fill(const gen &g, void *device, std::vector<double> &want)
{
    std::vector<double> got(COUNT);

    cudaMemset(device, 0, COUNT * sizeof(double));
    warpjudge_fill<<<3, 64>>>(g, SEED, COUNT, device);
    cudaMemcpy(got.data(), device, COUNT * sizeof(double), cudaMemcpyDeviceToHost);
    memset(want.data(), 0, COUNT * sizeof(double));
    for (u64 i = 0; i < COUNT; i++)
        gen_store(g.dtype, gen_value(&g, SEED, i), want.data(), i);
    return memcmp(got.data(), want.data(), COUNT * sizeof(double)) == 0;
}

// `want` against itself one element later.
static bool
same_comparison(const compare_rule &rule, void *device, const std::vector<double> &want)
{
    const size_t size = sizeof(double) * COUNT;
    const char *host = (const char *)want.data();
    const u64 count = COUNT / 2, step = 8;
    compare_result expected = compare_nothing(), got = expected, *result;
    char *at = (char *)device;

    cudaMalloc(&result, sizeof *result);
    cudaMemcpy(device, host, size, cudaMemcpyHostToDevice);
    cudaMemcpy(result, &got, sizeof got, cudaMemcpyHostToDevice);
    warpjudge_compare<<<3, 64>>>(rule, at + step, at, count, result);
    cudaMemcpy(&got, result, sizeof got, cudaMemcpyDeviceToHost);
    cudaFree(result);
    for (u64 i = 0; i < count; i++)
        if (!compare_element(&rule, host + step, host, i))
            compare_count(&expected, gen_read(rule.dtype, host + step, i),
                          gen_read(rule.dtype, host, i), i);
    return memcmp(&got, &expected, sizeof got) == 0;
}

int
main()
{
    std::vector<double> values(COUNT);
    int fills = 0, comparisons = 0, differ = 0;
    void *device;

    if (cudaMalloc(&device, COUNT * sizeof(double)) != cudaSuccess)
        return 1;
    for (int kind = GEN_CONSTANT; kind <= GEN_SORTED; kind++)
        for (int type = 0; type < DTYPE_COUNT; type++)
            for (int variant = 0; variant < 2; variant++) {
                // Rows of their own order and scattered places are not for one buffer.
                if (variant == 1 && kind == GEN_ORDER)
                    continue;
                fills++;
                if (!same_fill(generator(kind, type, variant == 1), device, values)) {
                    printf("kind %d, type %d, variant %d\n", kind, type, variant);
                    differ++;
                }
                for (int rule = 0; rule < 3; rule++) {
                    const compare_rule r = {(uint8_t)type, (uint8_t)(rule == 0), 0.5, 0.25,
                                            rule == 2 ? 1e5 : 0};

                    comparisons++;
                    if (!same_comparison(r, device, values)) {
                        printf("kind %d, type %d, rule %d\n", kind, type, rule);
                        differ++;
                    }
                }
            }
    printf("%d fills and %d comparisons, %d differ\n", fills, comparisons, differ);
    return differ != 0;
}

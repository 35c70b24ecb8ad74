// The arbiter's kernels against the same element functions on the host, bit by bit: every
// kind of generator in every type, and every rule of comparison. Runs on a GPU as well.
#include "../../harness/device/kernels.cu"

#include <cstdio>
#include <cstring>
#include <vector>

#define COUNT 1003 // no multiple of a block of four
#define SEED 0x1234567890ABCDEFull

// The first is as it comes, the second has scattered places. The others are for kinds that are
// made in more than one way: their whole numbers fit the type, and fill those of 32 bits, or the
// sign is turned.
enum variant { PLAIN, SCATTERED, FITTING, NEGATED, VARIANTS };

static gen
generator(int kind, int type, int variant)
{
    static const double list[] = {1, 2.5, 300, 0.25, 0.5, 1};
    gen g;

    memset(&g, 0, sizeof g);
    g.kind = (uint8_t)kind;
    g.dtype = (uint8_t)type;
    g.stream = 3;
    g.columns = 70;
    g.range = variant == SCATTERED ? COUNT : 100;
    g.scatter = variant == SCATTERED ? 77 : 0;
    g.a = 1;
    g.b = 100;
    g.c = variant == FITTING ? 3 : -5;
    g.d = variant == FITTING ? 120 : 5;
    if (variant == FITTING && (type == DTYPE_I32 || type == DTYPE_U32)) {
        g.a = g.c = type == DTYPE_I32 ? -2147483648.0 : 0;
        g.b = g.d = g.a + 4294967295.0;
    }
    g.share = 0.5;
    g.integer = type >= DTYPE_I8;
    g.negate = variant == NEGATED || (kind == GEN_RAMP && type < DTYPE_I8);
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

// `got` against `want`, which are `count` elements in host memory.
static bool
same_comparison(const compare_rule &rule, char *device, const char *got, const char *want,
                u64 count)
{
    const size_t half = sizeof(double) * (COUNT + 1); // a multiple of 16
    compare_result expected = compare_nothing(), found = expected, *result;

    cudaMalloc(&result, sizeof *result);
    cudaMemcpy(device, got, count * gen_size(rule.dtype), cudaMemcpyHostToDevice);
    cudaMemcpy(device + half, want, count * gen_size(rule.dtype), cudaMemcpyHostToDevice);
    cudaMemcpy(result, &found, sizeof found, cudaMemcpyHostToDevice);
    warpjudge_compare<<<3, 64>>>(rule, device, device + half, count, result);
    cudaMemcpy(&found, result, sizeof found, cudaMemcpyDeviceToHost);
    cudaFree(result);
    for (u64 i = 0; i < count; i++)
        if (!compare_element(&rule, got, want, i))
            compare_count(&expected, gen_read(rule.dtype, got, i),
                          gen_read(rule.dtype, want, i), i);
    return memcmp(&found, &expected, sizeof found) == 0;
}

// `want` against itself one double later, and against itself with the bits of a few elements
// changed. So most of what the kernel reads at once is the same.
static bool
same_comparisons(const compare_rule &rule, char *device, const std::vector<double> &want)
{
    const char *host = (const char *)want.data();
    std::vector<double> near = want;

    for (size_t at = 300; at < sizeof(double) * COUNT; at += 301)
        ((char *)near.data())[at] ^= 0x55;
    return same_comparison(rule, device, host + sizeof(double), host, COUNT / 2) &&
           same_comparison(rule, device, (const char *)near.data(), host, COUNT);
}

int
main()
{
    std::vector<double> values(COUNT);
    int fills = 0, comparisons = 0, differ = 0;
    char *device;

    if (cudaMalloc(&device, 2 * sizeof(double) * (COUNT + 1)) != cudaSuccess)
        return 1;
    for (int kind = GEN_CONSTANT; kind <= GEN_SORTED; kind++)
        for (int type = 0; type < DTYPE_COUNT; type++)
            for (int variant = 0; variant < VARIANTS; variant++) {
                // Rows of their own order and scattered places are not for one buffer.
                if (variant == SCATTERED && kind == GEN_ORDER)
                    continue;
                fills++;
                if (!same_fill(generator(kind, type, variant), device, values)) {
                    printf("kind %d, type %d, variant %d\n", kind, type, variant);
                    differ++;
                }
                for (int rule = 0; rule < 3; rule++) {
                    const compare_rule r = {(uint8_t)type, (uint8_t)(rule == 0), 0.5, 0.25,
                                            rule == 2 ? 1e5 : 0};

                    comparisons++;
                    if (!same_comparisons(r, device, values)) {
                        printf("kind %d, type %d, rule %d\n", kind, type, rule);
                        differ++;
                    }
                }
            }
    printf("%d fills and %d comparisons, %d differ\n", fills, comparisons, differ);
    return differ != 0;
}

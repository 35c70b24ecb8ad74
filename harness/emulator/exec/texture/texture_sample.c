/*
 * Texture fetching (CUDA C++ Programming Guide, "Texture Fetching"): addressing, nearest
 * and linear filtering, levels, faces of cubes.
 *
 * Filtered coordinates are fixed-point numbers with 8 fractional bits, rounded to the
 * nearest, half upwards: x * 256 + 0.5, less half a texel. Weights of corners are
 * multiples of 1/256, too. Sums are of double precision and rounded once. Where the guide
 * is silent, this is what an H200 was seen to do.
 */
#include "fetch.h"

#include <math.h>
#include <string.h>

enum { OUTSIDE = -1 };

/* Two texels on an axis and the weight of the second, in 1/256. */
struct axis {
    int64_t index[2]; /* OUTSIDE: the border */
    unsigned weight;
};

static int64_t
wrapped(int64_t i, int64_t n)
{
    if (i >= 0 && i < n) /* the usual case, without a division */
        return i;
    i %= n;
    return i < 0 ? i + n : i;
}

/* The largest integer that is not above v, for |v| < 2^62. */
static int64_t
floor_of(double v)
{
    int64_t i = (int64_t)v;

    return v < (double)i ? i - 1 : i;
}

/* The index that an address mode makes of an index. */
static int64_t
address(int64_t i, int64_t n, enum texture_mode mode)
{
    switch (mode) {
    case TEXTURE_WRAP:
        return wrapped(i, n);
    case TEXTURE_MIRROR:
        i = wrapped(i, 2 * n);
        return i < n ? i : 2 * n - 1 - i;
    case TEXTURE_CLAMP:
        return i < 0 ? 0 : i >= n ? n - 1 : i;
    case TEXTURE_BORDER:
        break;
    }
    return i < 0 || i >= n ? OUTSIDE : i;
}

/* Wrapping and mirroring exist for normalized coordinates only. */
static enum texture_mode
mode_of(const struct texture_info *t, unsigned axis)
{
    enum texture_mode mode = (enum texture_mode)t->mode[axis];

    if (!t->normalized_coordinates && (mode == TEXTURE_WRAP || mode == TEXTURE_MIRROR))
        return TEXTURE_CLAMP;
    return mode;
}

/* A coordinate in texels. NaN becomes 0, and what is far outside stays outside. */
static double
texels(const struct texture_info *t, float x, uint32_t n, enum texture_mode mode)
{
    const double far = 1 << 30;
    double v = (double)x;

    if (isnan(v))
        return 0;
    if (isinf(v))
        return v > 0 ? far : -far;
    if (t->normalized_coordinates && mode == TEXTURE_WRAP)
        v -= floor(v);
    else if (t->normalized_coordinates && mode == TEXTURE_MIRROR)
        v -= 2 * floor(v / 2);
    if (t->normalized_coordinates)
        v *= n;
    return v > far ? far : v < -far ? -far : v;
}

static struct axis
axis_nearest(const struct texture_info *t, float x, uint32_t n, enum texture_mode mode)
{
    int64_t i = address(floor_of(texels(t, x, n, mode)), n, mode);

    return (struct axis){{i, i}, 0};
}

static struct axis
axis_linear(const struct texture_info *t, float x, uint32_t n, enum texture_mode mode)
{
    int64_t fixed = floor_of(texels(t, x, n, mode) * 256 + 0.5) - 128;
    int64_t i = fixed >> 8;

    struct axis a = {{address(i, n, mode), address(i + 1, n, mode)}, fixed & 255};

    if (mode == TEXTURE_CLAMP && a.index[0] == a.index[1])
        a.weight = 0; /* beyond the edge there is no part to round */
    return a;
}

/* --- one level ------------------------------------------------------------------- */

struct place {
    struct texture_level level;
    struct axis x, y, z;
    uint64_t layer;
};

/* The bytes of the texel at a corner, which has a bit for each axis; NULL: the border. */
static const uint8_t *
texel_at(struct sample *s, const struct place *p, unsigned corner)
{
    int64_t x = p->x.index[corner & 1], y = p->y.index[corner >> 1 & 1],
            z = p->z.index[corner >> 2 & 1];
    uint32_t bytes = texel_bytes(s->t);
    uint64_t offset;

    if (x == OUTSIDE || y == OUTSIDE || z == OUTSIDE)
        return NULL;
    offset = p->level.offset + (uint64_t)x * bytes + (uint64_t)y * p->level.pitch +
             ((uint64_t)z + p->layer) * p->level.slice;
    s->read[s->reads++] = offset;
    for (uint32_t i = 0; s->shadow != NULL && i < bytes; i++)
        if (s->shadow[offset + i] == 0)
            s->unwritten = offset + 1;
    return s->texels + offset;
}

static void
read_nearest(struct sample *s, const struct place *p, uint32_t out[4])
{
    const uint8_t *texel = texel_at(s, p, 0);
    float ignored[4];

    if (texel != NULL)
        texel_load(s->t, texel, out);
    else
        texel_border(s->t, ignored, out);
}

/* The weights of the eight corners, in 1/256. The whole, which is 256 or a level's part,
 * is divided along z, then x, then y. Each time the farther part is rounded, and the
 * nearer one keeps the rest. */
static void
corner_weights(const struct place *p, unsigned whole, unsigned w[8])
{
    const struct axis *order[3] = {&p->z, &p->x, &p->y};
    static const uint8_t bit[3] = {4, 1, 2};

    w[0] = whole;
    for (unsigned i = 0, taken = 0; i < 3; taken |= bit[i++]) {
        for (unsigned corner = 0; corner < 8; corner++) {
            unsigned far;

            if ((corner & ~taken) != 0)
                continue;
            far = (w[corner] * order[i]->weight + 128) >> 8;
            w[corner | bit[i]] = far;
            w[corner] -= far;
        }
    }
}

static void
add_weighted(struct sample *s, const struct place *p, unsigned whole, double sum[4])
{
    unsigned weights[8];

    corner_weights(p, whole, weights);
    for (unsigned corner = 0; corner < 8; corner++) {
        const uint8_t *texel;
        uint32_t ignored[4];
        float value[4];

        if (weights[corner] == 0)
            continue;
        texel = texel_at(s, p, corner);
        if (texel != NULL)
            texel_values(s->t, texel, value);
        else
            texel_border(s->t, value, ignored);
        for (unsigned c = 0; c < 4; c++)
            sum[c] += weights[corner] / 256.0 * (double)value[c];
    }
}

/* tld4 (9.7.9.4): one component of the four texels that linear filtering would mix, from
 * the lower left on, counter-clockwise. */
static void
read_four(struct sample *s, const struct place *p, uint32_t out[4])
{
    static const uint8_t corners[4] = {2, 3, 1, 0};

    for (unsigned i = 0; i < 4; i++) {
        const uint8_t *texel = texel_at(s, p, corners[i]);
        uint32_t bits[4];
        float ignored[4];

        if (texel != NULL)
            texel_load(s->t, texel, bits);
        else
            texel_border(s->t, ignored, bits);
        out[i] = bits[s->component];
    }
}

/* --- faces of a cube ------------------------------------------------------------- */

/* Finds the face that a direction meets, and where (CUDA C++ Programming Guide, "Cubemap
 * Textures"). Of equal components z goes before y, and y before x. */
static unsigned
cube_face(const float d[3], float at[2])
{
    float ax = fabsf(d[0]), ay = fabsf(d[1]), az = fabsf(d[2]), m, s, t;
    unsigned face;

    if (ax > ay && ax > az) {
        face = d[0] < 0 ? 1 : 0;
        m = ax;
        s = d[0] < 0 ? d[2] : -d[2];
        t = -d[1];
    } else if (ay > az) {
        face = d[1] < 0 ? 3 : 2;
        m = ay;
        s = d[0];
        t = d[1] < 0 ? -d[2] : d[2];
    } else {
        face = d[2] < 0 ? 5 : 4;
        m = az;
        s = d[2] < 0 ? -d[0] : d[0];
        t = -d[1];
    }
    at[0] = m > 0 ? (s / m + 1) / 2 : 0.5f;
    at[1] = m > 0 ? (t / m + 1) / 2 : 0.5f;
    return face;
}

/* --- levels ---------------------------------------------------------------------- */

static struct place
place_at(const struct sample *s, uint32_t level, bool linear)
{
    const struct texture_info *t = s->t;
    const struct texture_level l = texture_level(t, level);
    const uint32_t n[3] = {l.width, l.height, l.depth};
    int64_t layer = s->layer, layers = t->cube ? t->layers / 6 : t->layers;
    float x[3] = {s->x[0], s->x[1], s->x[2]};
    struct axis axis[3];
    /* A row of an array is filtered at y = 0 as well, half of it with its border. */
    unsigned dims = t->kind == TEXTURE_ARRAY && t->dims == 1 && linear ? 2 : t->dims;

    layer = layer < 0 || layer >= layers ? layers - 1 : layer; /* unsigned */
    if (t->cube)
        layer = 6 * layer + cube_face(s->x, x);
    for (unsigned i = 0; i < 3; i++) {
        enum texture_mode mode = mode_of(t, i);

        if (i >= dims) {
            axis[i] = (struct axis){{0, 0}, 0};
        } else if (s->integer) {
            int64_t at = address(s->i[i], n[i], mode);

            axis[i] = (struct axis){{at, at}, 0};
        } else if (linear) {
            axis[i] = axis_linear(t, x[i], n[i], mode);
        } else {
            axis[i] = axis_nearest(t, x[i], n[i], mode);
        }
    }
    return (struct place){l, axis[0], axis[1], axis[2], (uint64_t)layer};
}

/* The level of detail, before it is clamped. */
static double
level_of_detail(const struct sample *s)
{
    const uint32_t n[3] = {s->t->width, s->t->height, s->t->depth};
    double x = 0, y = 0;

    if (s->choice == LEVEL_BASE)
        return 0;
    if (s->choice == LEVEL_GIVEN)
        return (double)s->level;
    for (unsigned i = 0; i < s->t->dims && i < 3; i++) {
        double scale = s->t->normalized_coordinates ? n[i] : 1;

        x += (double)s->ddx[i] * scale * (double)s->ddx[i] * scale;
        y += (double)s->ddy[i] * scale * (double)s->ddy[i] * scale;
    }
    x = x > y ? x : y;
    return x > 0 ? log2(x) / 2 : -126;
}

/* Level in 1/256. */
static uint32_t
choose_level(const struct sample *s)
{
    const struct texture_info *t = s->t;
    double lod = level_of_detail(s) + (double)t->bias;
    double top = (double)(t->levels - 1);

    lod = lod < (double)t->max_level ? lod : (double)t->max_level;
    lod = lod > (double)t->min_level ? lod : (double)t->min_level;
    if (!(lod > 0))
        return 0;
    return (uint32_t)floor((lod < top ? lod : top) * 256);
}

static void
to_floats(const struct texture_info *t, const double sum[4], uint32_t out[4])
{
    for (unsigned c = 0; c < 4; c++) {
        float f = texel_filtered(t, c, sum[c]);

        memcpy(&out[c], &f, sizeof f);
    }
}

/* Linear memory has no edges. A texel outside is 0, and so is one whose coordinate is no
 * texel's number. */
static bool
outside_linear(const struct sample *s)
{
    return s->t->kind == TEXTURE_LINEAR &&
           (!s->integer || s->i[0] < 0 || (uint32_t)s->i[0] >= s->t->width);
}

void
texture_sample(struct sample *s, uint32_t out[4])
{
    const struct texture_info *t = s->t;
    uint32_t lod = t->levels > 1 ? choose_level(s) : 0;
    bool linear = t->linear && !s->integer && texel_is_float(t);
    double sum[4] = {0};
    struct place p;

    s->reads = 0;
    s->unwritten = 0;
    memset(out, 0, 4 * sizeof *out);
    if (outside_linear(s))
        return;
    if (!t->mip_linear)
        lod = (lod + 128) / 256 * 256;
    p = place_at(s, lod >> 8, linear || s->gather);
    if (s->gather) {
        read_four(s, &p, out);
    } else if (!linear && (lod & 255) == 0) {
        read_nearest(s, &p, out);
    } else if (!texel_is_float(t)) {
        read_nearest(s, &p, out); /* integers are never mixed */
    } else {
        add_weighted(s, &p, 256 - (lod & 255), sum);
        if ((lod & 255) != 0) {
            p = place_at(s, (lod >> 8) + 1, linear);
            add_weighted(s, &p, lod & 255, sum);
        }
        to_floats(t, sum, out);
    }
}

#include "cli/npy.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define NPY_MAGIC "\x93NUMPY"
#define NPY_MAGIC_BYTES 6
#define NPY_ALIGN 64 /* the data of a file begin at a multiple of this */

/* The types of both sides. The first row of a numpy type is how it is read, and that of a
 * spec's type how it is written. */
static const struct {
    const char *descr, *type;
    size_t size;
} NPY_TYPES[] = {
    {"<f4", "float32", 4},  {"<f8", "float64", 8},  {"<f2", "float16", 2},
    {"|i1", "int8", 1},     {"|u1", "uint8", 1},    {"<i2", "int16", 2},
    {"<u2", "uint16", 2},   {"<i4", "int32", 4},    {"<u4", "uint32", 4},
    {"<i8", "int64", 8},    {"<u8", "uint64", 8},   {"|b1", "uint8", 1},
    {"<u2", "bfloat16", 2}, {"|u1", "fp8_e4m3", 1}, {"|u1", "fp8_e5m2", 1},
    {"|u1", "fp4_e2m1", 1},
};
#define NPY_TYPE_COUNT (sizeof NPY_TYPES / sizeof *NPY_TYPES)

/* The header while it is read. */
struct npy_header {
    const char *at, *end;
    size_t size; /* of an element; 0: no descr yet */
    bool has_order, has_shape;
};

static void
npy_skip(struct npy_header *h)
{
    while (h->at < h->end && (*h->at == ' ' || *h->at == '\n'))
        h->at++;
}

/* Takes a character behind blanks, if it is there. */
static bool
npy_takes(struct npy_header *h, char c)
{
    npy_skip(h);
    if (h->at == h->end || *h->at != c)
        return false;
    h->at++;
    return true;
}

static bool
npy_takes_word(struct npy_header *h, const char *word)
{
    const size_t len = strlen(word);

    npy_skip(h);
    if ((size_t)(h->end - h->at) < len || memcmp(h->at, word, len) != 0)
        return false;
    h->at += len;
    return true;
}

/* A text in quotes, without escapes. False where there is none, or one too long. */
static bool
npy_take_text(struct npy_header *h, char *out, size_t size)
{
    const char quote = npy_takes(h, '\'') ? '\'' : npy_takes(h, '"') ? '"' : '\0';
    const char *stop;
    size_t len;

    if (quote == '\0')
        return false;
    stop = memchr(h->at, quote, (size_t)(h->end - h->at));
    if (stop == NULL || (size_t)(stop - h->at) >= size)
        return false;
    len = (size_t)(stop - h->at);
    for (size_t i = 0; i < len; i++)
        if (h->at[i] < ' ' || h->at[i] > '~' || h->at[i] == '\\')
            return false;
    memcpy(out, h->at, len);
    out[len] = '\0';
    h->at = stop + 1;
    return true;
}

static int
npy_read_descr(struct npy_header *h, struct npy *out, struct report *r)
{
    char descr[32];

    if (!npy_take_text(h, descr, sizeof descr))
        return report_fail(r, "its elements are no plain numbers");
    for (size_t i = 0; i < NPY_TYPE_COUNT; i++) {
        if (strcmp(descr, NPY_TYPES[i].descr) != 0)
            continue;
        out->type = NPY_TYPES[i].type;
        h->size = NPY_TYPES[i].size;
        return 0;
    }
    if (descr[0] == '>')
        return report_fail(
            r, "its elements are big-endian (%s): save it as little-endian", descr);
    return report_fail(r, "its elements are of the type %s, which no input has", descr);
}

static int
npy_read_order(struct npy_header *h, struct report *r)
{
    h->has_order = true;
    if (npy_takes_word(h, "False"))
        return 0;
    if (npy_takes_word(h, "True"))
        return report_fail(r, "it is in Fortran's order: save numpy.ascontiguousarray() "
                              "of it");
    return report_fail(r, "its fortran_order is neither True nor False");
}

/* One number of a shape, without a sign. */
static bool
npy_take_number(struct npy_header *h, uint64_t *out)
{
    int digits = 0;

    npy_skip(h);
    for (*out = 0; h->at < h->end && *h->at >= '0' && *h->at <= '9'; h->at++, digits++)
        if (digits == 18)
            return false;
        else
            *out = *out * 10 + (uint64_t)(*h->at - '0');
    return digits > 0;
}

static int
npy_read_shape(struct npy_header *h, struct npy *out, struct report *r)
{
    bool more = true;

    h->has_shape = true;
    if (!npy_takes(h, '('))
        return report_fail(r, "its shape is no tuple");
    for (out->rank = 0; !npy_takes(h, ')'); out->rank++) {
        if (out->rank == NPY_RANK_MAX)
            return report_fail(r, "its shape has more than %d numbers", NPY_RANK_MAX);
        if (!more || !npy_take_number(h, &out->dim[out->rank]))
            return report_fail(r, "its shape is no tuple of numbers");
        more = npy_takes(h, ',');
        if (!more && out->rank == 0)
            return report_fail(r, "its shape is no tuple of numbers");
    }
    return 0;
}

static int
npy_read_member(struct npy_header *h, struct npy *out, struct report *r)
{
    char key[32];

    if (!npy_take_text(h, key, sizeof key) || !npy_takes(h, ':'))
        return report_fail(r, "its header is no dictionary");
    if (strcmp(key, "descr") == 0 && h->size == 0)
        return npy_read_descr(h, out, r);
    if (strcmp(key, "fortran_order") == 0 && !h->has_order)
        return npy_read_order(h, r);
    if (strcmp(key, "shape") == 0 && !h->has_shape)
        return npy_read_shape(h, out, r);
    return report_fail(r, "its header has a key \"%s\" too much", key);
}

static int
npy_read_header(struct npy_header *h, struct npy *out, struct report *r)
{
    bool more = true;

    if (!npy_takes(h, '{'))
        return report_fail(r, "its header is no dictionary");
    while (!npy_takes(h, '}')) {
        if (!more)
            return report_fail(r, "its header is no dictionary");
        if (npy_read_member(h, out, r) != 0)
            return -1;
        more = npy_takes(h, ',');
    }
    npy_skip(h);
    if (h->at != h->end)
        return report_fail(r, "something follows the dictionary of its header");
    if (h->size == 0 || !h->has_order || !h->has_shape)
        return report_fail(r, "its header lacks descr, fortran_order or shape");
    return 0;
}

/* Finds the header behind the magic and the version. */
static int
npy_find_header(const unsigned char *bytes, size_t len, struct npy_header *h,
                struct report *r)
{
    size_t prefix = NPY_MAGIC_BYTES + 4, header;

    if (len < prefix || memcmp(bytes, NPY_MAGIC, NPY_MAGIC_BYTES) != 0)
        return report_fail(r, "it is no .npy file: numpy.save() writes one");
    if ((bytes[6] != 1 && bytes[6] != 2) || bytes[7] != 0)
        return report_fail(r,
                           "it is of version %d.%d of the format, and 1.0 and 2.0 are "
                           "read",
                           bytes[6], bytes[7]);
    header = bytes[8] | (size_t)bytes[9] << 8;
    if (bytes[6] == 2) {
        prefix += 2;
        if (len < prefix)
            return report_fail(r, "it ends within its header");
        header |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    }
    if (header > len - prefix)
        return report_fail(r, "it ends within its header");
    h->at = (const char *)bytes + prefix;
    h->end = h->at + header;
    return 0;
}

int
npy_parse(const void *bytes, size_t len, struct npy *out, struct report *r)
{
    struct npy_header h = {0};
    struct npy n = {0};
    uint64_t size;

    if (npy_find_header(bytes, len, &h, r) != 0 || npy_read_header(&h, &n, r) != 0)
        return -1;
    n.data = h.end;
    n.bytes = len - (size_t)(h.end - (const char *)bytes);
    size = h.size;
    for (int k = 0; k < n.rank; k++)
        if (__builtin_mul_overflow(size, n.dim[k], &size))
            return report_fail(r, "its shape has too many elements");
    if (size != n.bytes)
        return report_fail(r, "its shape needs %llu bytes of data, and it has %zu",
                           (unsigned long long)size, n.bytes);
    *out = n;
    return 0;
}

int
npy_add(struct buf *out, const struct npy *array, struct report *r)
{
    struct buf header = {0};
    size_t i = 0;
    unsigned char prefix[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 0, 0};

    while (i < NPY_TYPE_COUNT && strcmp(NPY_TYPES[i].type, array->type) != 0)
        i++;
    if (i == NPY_TYPE_COUNT)
        return report_fail(r, "\"%.40s\" is no type of elements", array->type);
    buf_printf(&header, "{'descr': '%s', 'fortran_order': False, 'shape': (",
               NPY_TYPES[i].descr);
    for (int k = 0; k < array->rank; k++)
        buf_printf(&header, "%s%llu%s", k > 0 ? " " : "",
                   (unsigned long long)array->dim[k],
                   k + 1 < array->rank || array->rank == 1 ? "," : "");
    buf_puts(&header, "), }");
    while ((sizeof prefix + header.len + 1) % NPY_ALIGN != 0)
        buf_puts(&header, " ");
    buf_puts(&header, "\n");
    prefix[8] = (unsigned char)(header.len & 255);
    prefix[9] = (unsigned char)(header.len >> 8);
    buf_add(out, prefix, sizeof prefix);
    buf_add(out, buf_str(&header), header.len);
    buf_add(out, array->data, array->bytes);
    buf_free(&header);
    return 0;
}

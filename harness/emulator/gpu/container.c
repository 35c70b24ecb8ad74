/*
 * Fat binary containers as fatbinary of CUDA 11 to 13 writes them, little-endian.
 * NVIDIA documents only the wrapper (fatbinary_section.h), so the layout was found by
 * reading what the tool writes:
 *
 *   container  u32 magic 0xBA55ED50   u16 version 1   u16 header bytes (16)
 *              u64 bytes of all entries
 *   entry      +0  u16 kind (1 PTX, 2 machine code)  +2 u16 version  +4 u32 header bytes
 *              +8  u64 payload bytes, padding included
 *              +16 u32 compressed bytes, without padding (0: plain)
 *              +28 u32 architecture (80)             +40 u64 flags
 *              +56 u64 bytes when decompressed (0: plain)
 *              header bytes, then payload; the next entry follows
 *   flags      0x8000 the payload is a zstd frame (nvcc 12.4 and newer)
 *              0x2000 the payload is an LZ4 block (nvcc before that, and for speed)
 *
 * Several containers one after the other are units that are linked (ptx.h).
 */
#include "container.h"

#include "protocol.h"

#include <lz4.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#define CONTAINER_MAGIC 0xBA55ED50u
#define CONTAINER_HEADER_BYTES 16u
#define ENTRY_HEADER_BYTES 64u
#define ENTRY_PTX 1u
#define FLAG_ZSTD 0x8000u
#define FLAG_LZ4 0x2000u

struct entry {
    const unsigned char *payload;
    uint64_t payload_bytes, plain_bytes;
    uint32_t compressed_bytes, arch, kind;
    uint64_t flags;
};

__attribute__((format(printf, 4, 5))) static char *
refuse(struct fault *f, int *status, int code, const char *format, ...)
{
    va_list ap;

    *f = (struct fault){.kind = FAULT_PTX_SYNTAX};
    va_start(ap, format);
    vsnprintf(f->text, sizeof f->text, format, ap);
    va_end(ap);
    *status = code;
    return NULL;
}

static uint64_t
load(const unsigned char *p, size_t bytes)
{
    uint64_t value = 0;

    memcpy(&value, p, bytes);
    return value;
}

/* Decodes the entry at p and sets *used to its whole length. Returns false if it does
 * not fit into the remaining size bytes. */
static bool
entry_decode(const unsigned char *p, size_t size, struct entry *e, size_t *used)
{
    uint64_t header;

    if (size < ENTRY_HEADER_BYTES)
        return false;
    header = load(p + 4, 4);
    e->payload_bytes = load(p + 8, 8);
    if (header < ENTRY_HEADER_BYTES || header > size || e->payload_bytes > size - header)
        return false;
    e->kind = (uint32_t)load(p, 2);
    e->compressed_bytes = (uint32_t)load(p + 16, 4);
    e->arch = (uint32_t)load(p + 28, 4);
    e->flags = load(p + 40, 8);
    e->plain_bytes = load(p + 56, 8);
    e->payload = p + header;
    *used = (size_t)(header + e->payload_bytes);
    return true;
}

/* Is architecture a a better choice than b for a device of architecture arch? */
static bool
arch_is_better(uint32_t a, uint32_t b, unsigned arch)
{
    if ((a <= arch) != (b <= arch))
        return a <= arch;
    return a <= arch ? a > b : a < b;
}

static char *
plain_text(const unsigned char *bytes, size_t size, size_t *len)
{
    char *text = malloc(size + 1);

    if (text == NULL)
        return NULL;
    memcpy(text, bytes, size);
    text[size] = '\0';
    *len = strlen(text);
    return text;
}

/* Decompresses a payload into text of plain_bytes. Returns NULL, or why it is damaged.
 * *no_memory is set if the PTX is as it should be, but there was no memory to work in.
 * Neither size is above GPU_MODULE_BYTES_MAX, so that both are ints, as LZ4 wants them.
 */
static const char *
decompress(const struct entry *e, char *text, size_t *got, bool *no_memory)
{
    *no_memory = false;
    if (e->flags & FLAG_LZ4) {
        int bytes = LZ4_decompress_safe((const char *)e->payload, text,
                                        (int)e->compressed_bytes, (int)e->plain_bytes);

        *got = bytes >= 0 ? (size_t)bytes : 0;
        return bytes >= 0 ? NULL : "it is no LZ4 block of its size";
    }
    *got = ZSTD_decompress(text, (size_t)e->plain_bytes, e->payload, e->compressed_bytes);
    *no_memory =
        ZSTD_isError(*got) && ZSTD_getErrorCode(*got) == ZSTD_error_memory_allocation;
    return ZSTD_isError(*got) ? ZSTD_getErrorName(*got) : NULL;
}

static char *
entry_text(const struct entry *e, size_t *len, int *status, struct fault *f)
{
    const char *damage;
    bool no_memory;
    size_t got;
    char *text;

    if (!(e->flags & (FLAG_ZSTD | FLAG_LZ4))) {
        text = plain_text(e->payload, (size_t)e->payload_bytes, len);
        return text != NULL
                   ? text
                   : refuse(f, status, GPU_OUT_OF_MEMORY, "no host memory for PTX");
    }
    if (e->compressed_bytes > e->payload_bytes ||
        e->compressed_bytes > GPU_MODULE_BYTES_MAX || e->plain_bytes == 0 ||
        e->plain_bytes > GPU_MODULE_BYTES_MAX)
        return refuse(f, status, GPU_INVALID_KERNEL_IMAGE,
                      "the fat binary's compressed PTX has impossible sizes");
    /* Zeros, as LZ4 leaves bytes as they were where a damaged block copies them from
     * themselves. */
    text = calloc(1, (size_t)e->plain_bytes + 1);
    if (text == NULL)
        return refuse(f, status, GPU_OUT_OF_MEMORY, "no host memory for PTX");
    damage = decompress(e, text, &got, &no_memory);
    if (damage != NULL) {
        free(text);
        if (no_memory)
            return refuse(f, status, GPU_OUT_OF_MEMORY, "no host memory for PTX");
        return refuse(f, status, GPU_INVALID_KERNEL_IMAGE,
                      "the fat binary's compressed PTX is damaged: %s", damage);
    }
    text[got] = '\0';
    *len = strlen(text);
    return text;
}

/* Finds the best entry of the container at p; none if best->payload is NULL. Returns
 * the container's length, or 0 if it is damaged. */
static size_t
best_entry(const unsigned char *p, size_t size, unsigned arch, struct entry *best)
{
    size_t at, end, used;
    struct entry e;

    *best = (struct entry){0};
    if (size < CONTAINER_HEADER_BYTES || load(p, 4) != CONTAINER_MAGIC)
        return 0;
    at = (size_t)load(p + 6, 2);
    if (at < CONTAINER_HEADER_BYTES || at > size || load(p + 8, 8) > size - at)
        return 0;
    end = at + (size_t)load(p + 8, 8);
    for (; at < end; at += used) {
        if (!entry_decode(p + at, end - at, &e, &used))
            return 0;
        if (e.kind == ENTRY_PTX &&
            (best->payload == NULL || arch_is_better(e.arch, best->arch, arch)))
            *best = e;
    }
    return end;
}

/* Appends more to *text and takes its ownership. */
static bool
text_append(char **text, size_t *len, char *more, size_t more_len)
{
    char *both;

    if (*text == NULL) {
        *text = more;
        *len = more_len;
        return true;
    }
    both = *len + more_len < GPU_MODULE_BYTES_MAX ? realloc(*text, *len + more_len + 2)
                                                  : NULL;
    if (both != NULL) {
        both[*len] = '\n';
        memcpy(both + *len + 1, more, more_len + 1);
        *text = both;
        *len += more_len + 1;
    }
    free(more);
    return both != NULL;
}

char *
container_ptx(const void *bytes, size_t size, unsigned arch, size_t *len, int *status,
              struct fault *f)
{
    const unsigned char *p = bytes;
    char *text = NULL;
    size_t used, more_len = 0;

    if (size < CONTAINER_HEADER_BYTES || load(p, 4) != CONTAINER_MAGIC) {
        text = plain_text(p, size, len);
        return text != NULL
                   ? text
                   : refuse(f, status, GPU_OUT_OF_MEMORY, "no host memory for PTX");
    }
    for (size_t at = 0; at < size; at += used) {
        struct entry e;
        char *more;

        used = best_entry(p + at, size - at, arch, &e);
        if (used == 0) {
            free(text);
            return refuse(f, status, GPU_INVALID_KERNEL_IMAGE,
                          "the fat binary is cut off or damaged");
        }
        if (e.payload ==
            NULL) /* it has only machine code; another container may have PTX */
            continue;
        more = entry_text(&e, &more_len, status, f);
        if (more == NULL || !text_append(&text, len, more, more_len)) {
            free(text);
            return more == NULL ? NULL
                                : refuse(f, status, GPU_OUT_OF_MEMORY,
                                         "the program's PTX is too large");
        }
    }
    if (text == NULL)
        return refuse(f, status, GPU_NO_KERNEL_IMAGE,
                      "the program carries no PTX, only machine code: compile it with "
                      "-gencode arch=compute_80,code=compute_80");
    return text;
}

/*
 * Layout, as written by fatbinary of CUDA 11 to 13 (little-endian; found by reading what
 * it writes, as NVIDIA documents only the wrapper, in fatbinary_section.h):
 *
 *   container  u32 magic 0xBA55ED50   u16 version 1   u16 header bytes (16)
 *              u64 bytes of all entries
 *   entry      +0  u16 kind (1 PTX, 2 machine code)  +2 u16 version   +4 u32 header bytes
 *              +8  u64 payload bytes, padding included
 *              +16 u32 compressed bytes, without padding (0: plain)
 *              +28 u32 architecture (80)             +40 u64 flags
 *              +56 u64 bytes when decompressed (0: plain)
 *              header bytes, then payload; the next entry follows
 *   flags      0x8000 the payload is a zstd frame (nvcc 12.4 and newer)
 *              0x2000 the payload is an LZ4 block (nvcc before that)
 */
#include "container.h"

#include "protocol.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

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

/* Decodes the entry at p and sets *used to its whole length; false if it does not fit
 * into the size bytes that are left. */
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

/* Is a the better choice than b for a device of architecture arch? */
static bool
better(uint32_t a, uint32_t b, unsigned arch)
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

static char *
entry_text(const struct entry *e, size_t *len, int *status, struct fault *f)
{
    size_t got;
    char *text;

    if (e->flags & FLAG_LZ4)
        return refuse(
            f, status, GPU_UNSUPPORTED_PTX,
            "the program's PTX is compressed with LZ4, as nvcc before 12.4 did: "
            "compile with --no-compress, or with a newer nvcc");
    if (!(e->flags & FLAG_ZSTD)) {
        text = plain_text(e->payload, (size_t)e->payload_bytes, len);
        return text != NULL
                   ? text
                   : refuse(f, status, GPU_OUT_OF_MEMORY, "no host memory for PTX");
    }
    if (e->compressed_bytes > e->payload_bytes || e->plain_bytes == 0 ||
        e->plain_bytes > GPU_MODULE_BYTES_MAX)
        return refuse(f, status, GPU_INVALID_KERNEL_IMAGE,
                      "the fat binary's compressed PTX has impossible sizes");
    text = malloc((size_t)e->plain_bytes + 1);
    if (text == NULL)
        return refuse(f, status, GPU_OUT_OF_MEMORY, "no host memory for PTX");
    got = ZSTD_decompress(text, (size_t)e->plain_bytes, e->payload, e->compressed_bytes);
    if (ZSTD_isError(got)) {
        free(text);
        return refuse(f, status, GPU_INVALID_KERNEL_IMAGE,
                      "the fat binary's compressed PTX is damaged: %s",
                      ZSTD_getErrorName(got));
    }
    text[got] = '\0';
    *len = strlen(text);
    return text;
}

char *
container_ptx(const void *bytes, size_t size, unsigned arch, size_t *len, int *status,
              struct fault *f)
{
    const unsigned char *p = bytes;
    struct entry e, best = {0};
    bool found = false;
    size_t at, end, used;

    if (size < CONTAINER_HEADER_BYTES || load(p, 4) != CONTAINER_MAGIC) {
        char *text = plain_text(p, size, len);

        return text != NULL
                   ? text
                   : refuse(f, status, GPU_OUT_OF_MEMORY, "no host memory for PTX");
    }
    at = (size_t)load(p + 6, 2);
    if (at < CONTAINER_HEADER_BYTES || at > size || load(p + 8, 8) > size - at)
        return refuse(f, status, GPU_INVALID_KERNEL_IMAGE,
                      "the fat binary is cut off or damaged");
    end = at + (size_t)load(p + 8, 8);
    while (at < end) {
        if (!entry_decode(p + at, end - at, &e, &used))
            return refuse(f, status, GPU_INVALID_KERNEL_IMAGE,
                          "the fat binary has a damaged entry");
        if (e.kind == ENTRY_PTX && (!found || better(e.arch, best.arch, arch))) {
            best = e;
            found = true;
        }
        at += used;
    }
    if (!found)
        return refuse(f, status, GPU_NO_KERNEL_IMAGE,
                      "the program carries no PTX, only machine code: compile it with "
                      "-gencode arch=compute_80,code=compute_80");
    return entry_text(&best, len, status, f);
}

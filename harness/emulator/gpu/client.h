/*
 * One client's socket and everything that belongs to it. A client is never waited for:
 * its requests are read as they come, its replies leave as it takes them, so that one
 * client that stops in the middle of a message holds up nobody else.
 */
#ifndef EMULATOR_GPU_CLIENT_H
#define EMULATOR_GPU_CLIENT_H

#include "server.h"

#define CLIENT_BUFFER_BYTES 65536u /* more than the largest request without bulk */
#define CLIENT_ALLOCATIONS_MAX (1u << 20)
#define CLIENT_MODULES_MAX 1024u
#define CLIENT_PTX_BYTES_MAX ((uint64_t)256 << 20) /* text of all modules ever loaded */
#define CLIENT_KERNELS_MAX 65536u
#define CLIENT_STAMPS_MAX 65536u
#define CLIENT_TEXTURES_MAX 65536u
#define CLIENT_NOTICES_MAX 32u
#define CLIENT_OUTPUT_MAX (1u << 20) /* device printf text that waits to be taken */

/* Rows of device memory, read or written from the first byte to the last. */
struct region {
    uint64_t address, pitch, width, height;
    uint64_t done; /* of width * height bytes */
};

struct allocation {
    uint64_t address, bytes;
    enum gpu_memory_kind kind;
    struct mapping *mapping; /* pinned and managed memory, else NULL */
};

struct stamp {
    double ns;
    bool set;
};

/* Where a request's bulk goes. */
enum bulk { BULK_NONE, BULK_MEMORY, BULK_HEAP, BULK_DISCARD };

struct client {
    struct client *next;
    uint32_t number;
    int fd; /* -1: the socket is closed; the record stays until the owner drops it */
    bool interrupted; /* under the server's lock: the next launch must not start */

    struct allocation *allocation; /* sorted by address */
    size_t allocation_count, allocation_cap;
    struct module *module[CLIENT_MODULES_MAX];   /* NULL: unloaded */
    struct mapping *managed[CLIENT_MODULES_MAX]; /* its managed variables, or NULL */
    uint32_t module_count;
    uint64_t ptx_bytes;
    struct kernel **kernel;
    uint32_t kernel_count, kernel_cap;
    uint64_t *texture; /* handles of textures and surfaces */
    uint32_t texture_count, texture_cap;
    bool peers[MACHINE_DEVICES_MAX]; /* kernels of it may access the others' memory */
    struct stamp *stamp;
    uint32_t stamp_count;

    int sticky;         /* a kernel's fault: answers everything from then on */
    int deferred;       /* a quiet request's error, for the next one that waits */
    struct fault fault; /* the first one; kind FAULT_NONE if there was none */
    struct fault *notice;
    uint32_t notice_count;          /* <= CLIENT_NOTICES_MAX */
    char *text;                     /* device printf, then what a failed assertion says */
    size_t text_bytes, text_errors; /* text_errors: of the latter, at the end */

    /* input: the request being read, then its bulk */
    unsigned char in[CLIENT_BUFFER_BYTES];
    size_t in_start, in_end;
    uint64_t taken; /* bytes ever read from the socket */
    struct gpu_request request;
    enum bulk bulk;
    int bulk_status; /* BULK_DISCARD: why */
    unsigned char *heap;
    uint64_t bulk_done;
    struct region target;

    /* output: reply, then its bulk, through the stage or straight from device memory */
    bool sending;
    unsigned char stage[CLIENT_BUFFER_BYTES];
    size_t stage_start, stage_end;
    char *out_heap;
    struct region source;         /* used where out_heap is NULL */
    uint64_t out_bytes, out_done; /* of bulk, staged or sent */
    int out_fd;                   /* to pass with the reply's first byte, or -1; owned */
};

/* Takes the socket's ownership; NULL: no host memory (the socket is closed). */
struct client *client_new(int fd, uint32_t number);
void client_free(struct server *s, struct client *c);

/* Frees the client's memory and modules; the socket and the first fault stay. */
void client_free_resources(struct server *s, struct client *c);

/* Unloads one module (an index of c->module) and frees its managed variables; the
 * client's kernels of it must be forgotten first. */
void client_unload(struct server *s, struct client *c, uint32_t module);

enum serve { SERVE_IDLE, SERVE_MORE, SERVE_ENDED };

/* Executes what has arrived, about one buffer of it. SERVE_IDLE: nothing to do until the
 * socket is ready (for writing where c->sending); SERVE_MORE: call again. */
enum serve client_serve(struct server *s, struct client *c);

/* Closes the socket of a client that broke the protocol and says so in its fault. */
void client_end(struct server *s, struct client *c, const char *why);

/* Executes what had been sent before this call, unless the client itself is what it waits
 * for. */
void client_drain(struct server *s, struct client *c);

/* notices.c: keeps those of a launch that tell of a new place. */
void client_notice(struct client *c, const struct fault *list, uint32_t count);

/* --- command.c: what requests do -----------------------------------------------------
 */

/* Prepares c->bulk for a request that carries bulk. false: a message that breaks the
 * protocol. */
bool command_begin(struct server *s, struct client *c);

/* Executes c->request, whose inline bytes are text[0..inline_bytes) and whose bulk is in
 * place, and fills the reply and the output fields of c. */
void command_execute(struct server *s, struct client *c, const unsigned char *text,
                     struct gpu_reply *reply);

/* --- region.c -------------------------------------------------------------------------
 */

/* Is it inside one allocation, with rows that don't overlap? */
bool region_valid(struct server *s, const struct region *r);

/* The host view of the bytes that come next and how many of them are contiguous; NULL if
 * the memory is gone. Not to be called when the region is done. */
void *region_next(struct server *s, const struct region *r, uint64_t *bytes);

uint64_t region_bytes(const struct region *r);
void region_mark(struct server *s, const struct region *r); /* as written */

#endif

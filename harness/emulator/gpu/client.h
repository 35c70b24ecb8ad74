/*
 * One client's socket and everything that belongs to it. The server never waits for a
 * client: it reads requests as they come and sends replies as the client takes them. So
 * a client that stops in the middle of a message holds up no other.
 */
#ifndef EMULATOR_GPU_CLIENT_H
#define EMULATOR_GPU_CLIENT_H

#include "assembly.h"
#include "server.h"

#define CLIENT_BUFFER_BYTES 65536u /* more than the largest request without bulk */
#define CLIENT_ALLOCATIONS_MAX (1u << 20)
#define CLIENT_MODULES_MAX 1024u
#define CLIENT_PTX_BYTES_MAX                                                             \
    ((uint64_t)256 << 20) /* text of all modules that it ever loads */
#define CLIENT_KERNELS_MAX 65536u
#define CLIENT_STAMPS_MAX 65536u
#define CLIENT_TEXTURES_MAX 65536u
#define CLIENT_NOTICES_MAX 32u
#define CLIENT_OUTPUT_MAX                                                                \
    (1u << 20) /* text of device printf that waits to be fetched                         \
                */

/* Rows of device memory, read or written from the first byte to the last. */
struct region {
    uint64_t address, pitch, width, height;
    uint64_t done; /* how many of the width * height bytes are done */
};

struct allocation {
    uint64_t address, bytes;
    enum gpu_memory_kind kind;
    struct mapping *mapping; /* set for pinned and managed memory, otherwise NULL */
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
    int fd;           /* -1: closed; the record stays until the owner drops the client */
    bool interrupted; /* under the server's lock: the next launch must not start */

    struct allocation *allocation; /* sorted by address */
    size_t allocation_count, allocation_cap;
    struct module *module[CLIENT_MODULES_MAX];   /* NULL: unloaded */
    struct mapping *managed[CLIENT_MODULES_MAX]; /* its managed variables, or NULL */
    char module_hash[CLIENT_MODULES_MAX][ASSEMBLY_HASH]; /* of its fat binary */
    uint32_t module_count;
    uint64_t ptx_bytes;
    struct kernel **kernel;
    uint32_t kernel_count, kernel_cap;
    uint64_t *texture; /* handles of textures and surfaces */
    uint32_t texture_count, texture_cap;
    bool peers[MACHINE_DEVICES_MAX]; /* kernels of this device may access the others'
                                        memory */
    struct stamp *stamp;
    uint32_t stamp_count;

    int sticky;   /* the error of a kernel's fault: it answers all later requests */
    int deferred; /* the error of a quiet request, for the next reply of one that waits */
    struct fault fault; /* the first one; kind FAULT_NONE if there was none */
    struct fault *notice;
    uint32_t notice_count; /* <= CLIENT_NOTICES_MAX */
    char *text; /* text of device printf, then the text of a failed assertion */
    size_t text_bytes,
        text_errors; /* text_errors: bytes of the assertion's text, at the end */

    /* Input: the request that is being read, then its bulk. */
    unsigned char in[CLIENT_BUFFER_BYTES];
    size_t in_start, in_end;
    uint64_t taken; /* bytes that were ever read from the socket */
    struct gpu_request request;
    enum bulk bulk;
    int bulk_status; /* BULK_DISCARD: the error that is the reason */
    unsigned char *heap;
    uint64_t bulk_done;
    struct region target;

    /* Output: the reply, then its bulk, through the stage or directly from device
     * memory. */
    bool sending;
    unsigned char stage[CLIENT_BUFFER_BYTES];
    size_t stage_start, stage_end;
    char *out_heap;
    struct region source;         /* the bulk's source if out_heap is NULL */
    uint64_t out_bytes, out_done; /* bytes of the bulk, and how many are staged or sent */
    int out_fd; /* passed with the reply's first byte; -1: none; owned */
};

/* Takes the socket's ownership. NULL: no host memory, and the socket is closed. */
struct client *client_new(int fd, uint32_t number);
void client_free(struct server *s, struct client *c);

/* Frees the client's memory and modules, but keeps the socket and the first fault. */
void client_free_resources(struct server *s, struct client *c);

/* Unloads the module with this index of c->module and frees its managed variables. The
 * caller has already forgotten the client's kernels of it. */
void client_unload(struct server *s, struct client *c, uint32_t module);

enum serve { SERVE_IDLE, SERVE_MORE, SERVE_ENDED };

/* Executes what has arrived, about one buffer of it. SERVE_IDLE: nothing to do until
 * the socket is ready (for writing if c->sending). SERVE_MORE: the caller should call
 * again. */
enum serve client_serve(struct server *s, struct client *c);

/* Closes the socket of a client that broke the protocol, and writes why into its fault.
 */
void client_end(struct server *s, struct client *c, const char *why);

/* Executes what was sent before this call, as far as the client does not have to act
 * itself. */
void client_drain(struct server *s, struct client *c);

/* notices.c: keeps those notices of a launch that name a new place. */
void client_notice(struct client *c, const struct fault *list, uint32_t count);

/* --- command.c: what requests do ---------------------------------------------------- */

/* Prepares c->bulk for a request with bulk. Returns false if it breaks the protocol. */
bool command_begin(struct server *s, struct client *c);

/* Executes c->request and fills the reply and the output fields of c. Its inline bytes
 * are text[0..inline_bytes), and its bulk is in place. */
void command_execute(struct server *s, struct client *c, const unsigned char *text,
                     struct gpu_reply *reply);

/* --- region.c ----------------------------------------------------------------------- */

/* Does the region lie inside one allocation, with rows that do not overlap? */
bool region_valid(struct server *s, const struct region *r);

/* The host's address of the region's next bytes and how many are contiguous. NULL: the
 * memory is gone. The region must not be done. */
void *region_next(struct server *s, const struct region *r, uint64_t *bytes);

uint64_t region_bytes(const struct region *r);
/* The bytes of the sectors that it has a part of, where its rows lie apart. */
uint64_t region_sector_bytes(const struct region *r);
void region_mark(struct server *s,
                 const struct region *r); /* marks the region as written */

#endif

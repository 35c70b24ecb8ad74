/*
 * The messages on the emulated GPU's sockets. Byte order is native: all processes run
 * on one machine and are built together. GPU_PROTOCOL_VERSION refuses a mixture.
 *
 * The client socket (SOCK_STREAM, runtime/ -> gpu/). The client is the submission, so
 * it is untrusted. One request is
 *
 *     struct gpu_request, inline_bytes bytes (a name, kernel parameters),
 *     bulk_bytes bytes (what a copy moves to the device, a fat binary)
 *
 * Unless the request carries GPU_QUIET, the answer is
 *
 *     struct gpu_reply, bulk_bytes bytes [+ one descriptor, SHARED and MODULE only]
 *
 * Requests of one client are executed in order. The error of a quiet request comes with
 * the next reply to a request that waits (SYNC, a copy). A kernel's error is sticky: as
 * in a CUDA context, it answers all later requests. A message that our runtime library
 * never sends ends the client: its socket is closed and its memory freed.
 *
 * The control socket (gpu.h's calls, owner.c -> server.c). struct gpu_control goes one
 * way and struct gpu_control_reply the other, one at a time. CONTROL_INTERRUPT has no
 * reply, so it can overtake a call that waits. The owner is trusted.
 */
#ifndef EMULATOR_GPU_PROTOCOL_H
#define EMULATOR_GPU_PROTOCOL_H

#include "../exec/exec.h"
#include "../exec/texture/texture.h"

#include <stdint.h>

#define GPU_PROTOCOL_VERSION 11
#define GPU_CONTROL_FD 3 /* in the emulated GPU's process */

/* Kernel parameters are at most 32764 bytes (CUDA C++ Programming Guide, "__global__").
 */
#define GPU_INLINE_MAX 32768u
#define GPU_MODULE_BYTES_MAX                                                             \
    (64u << 20) /* the most for a fat binary, and for the PTX in it */
#define GPU_PARAMS_MAX 4096

/* The runtime API's error codes that the process itself decides (driver_types.h). */
enum gpu_status {
    GPU_SUCCESS = 0,
    GPU_INVALID_VALUE = 1,
    GPU_OUT_OF_MEMORY = 2,
    GPU_INVALID_CONFIGURATION = 9,
    GPU_INVALID_SYMBOL = 13,
    GPU_INVALID_DEVICE_FUNCTION = 98,
    GPU_INVALID_DEVICE = 101,
    GPU_INVALID_KERNEL_IMAGE = 200,
    GPU_NO_KERNEL_IMAGE = 209,
    GPU_INVALID_PTX = 218,
    GPU_UNSUPPORTED_PTX = 222,
    GPU_INVALID_HANDLE = 400,
    GPU_ILLEGAL_ADDRESS = 700,
    GPU_OUT_OF_RESOURCES = 701,
    GPU_LAUNCH_TIMEOUT = 702,
    GPU_PEER_ALREADY_ENABLED = 704,
    GPU_PEER_NOT_ENABLED = 705,
    GPU_ASSERT = 710,
    GPU_ILLEGAL_INSTRUCTION = 715,
    GPU_MISALIGNED_ADDRESS = 716,
    GPU_LAUNCH_FAILURE = 719,
    GPU_COOPERATIVE_TOO_LARGE = 720,
    GPU_NOT_SUPPORTED = 801,
};

/* clang-format off */
/*    op        handler     takes -> gives (command.c) */
#define GPU_OPS(X)                                                                       \
    X(HELLO,    hello)    /* id: version -> bulk: struct machine_properties */           \
    X(MALLOC,   malloc)   /* memory.bytes -> value[0] address */                         \
    X(FREE,     free)     /* memory.address */                                           \
    X(SHARED,   shared)   /* memory.bytes, memory.address (0: any), flags -> value[0] address, value[1] bytes to  \
                             map there, and the memfd */                                 \
    X(INFO,     info)     /* memory.address -> start, bytes, enum gpu_memory_kind +      \
                             device * GPU_KINDS */                                       \
    X(USAGE,    usage)    /* -> value[0] free bytes, value[1] all */                     \
    X(WRITE,    write)    /* copy.to, bulk: rows, packed */                              \
    X(READ,     read)     /* copy.from -> bulk: rows, packed */                          \
    X(COPY,     copy)     /* copy.from to copy.to, both device addresses */              \
    X(SET,      set)      /* set */                                                      \
    X(MODULE,   module)   /* bulk: fat binary or PTX -> value[0] module id; with managed  \
                             variables value[1] address, value[2] bytes to map there,    \
                             and the memfd */                                            \
    X(UNLOAD,   unload)   /* id: module */                                               \
    X(KERNEL,   kernel)   /* id: module, inline: name -> bulk: struct gpu_kernel,        \
                             gpu_param[] */                                              \
    X(VARIABLE, variable) /* id: module, inline: name -> value[0] address, [1] bytes */  \
    X(TEXTURE, texture)   /* inline: struct texture_info -> value[0] handle */           \
    X(UNTEXTURE, untexture) /* memory.address: handle */                                \
    X(LAUNCH,   launch)   /* id: kernel, inline: parameters */                           \
    X(STAMP,    stamp)    /* id: slot; remembers the modelled time at this place */      \
    X(STAMPED,  stamped)  /* id: slot -> value[0] ns as a double's bits, [1] is it set */ \
    X(AFTER,    after)    /* id: slot; the device waits for the time remembered there */ \
    X(PEER,     peer)     /* id: 1, kernels of the device may access the other devices'  \
                             memory from now on; 0: not any more */                      \
    X(SYNC,     sync)     /* the deferred error, if any */                               \
    X(OUTPUT,   output)   /* -> bulk: what device printf wrote, then the line of each    \
                             thread whose assertion failed, value[0] bytes of these */   \
    X(RESET,    reset)    /* frees everything; the sticky error stays */
/* clang-format on */

enum gpu_op {
    GPU_OP_NONE,
#define X(name, handler) GPU_##name,
    GPU_OPS(X)
#undef X
        GPU_OP_COUNT
};

enum gpu_flag {
    GPU_QUIET = 1,   /* the request has no reply */
    GPU_MANAGED = 2, /* SHARED: managed memory rather than pinned */
    GPU_COOPERATIVE = 4,
};

enum gpu_memory_kind {
    GPU_MEMORY_DEVICE,
    GPU_MEMORY_PINNED,
    GPU_MEMORY_MANAGED,
    GPU_KINDS
};

struct gpu_request {
    uint32_t op;     /* enum gpu_op */
    uint16_t flags;  /* enum gpu_flag */
    uint16_t device; /* the device whose memory or work it is */
    uint32_t id;
    uint32_t inline_bytes; /* <= GPU_INLINE_MAX */
    uint64_t bulk_bytes;   /* WRITE: copy.width * copy.height; MODULE */
    union {
        struct {
            uint64_t address, bytes;
        } memory;
        /* height rows of width bytes, pitch bytes apart (pitch ignored where height is 1)
         */
        struct {
            uint64_t to, to_pitch, from, from_pitch, width, height;
        } copy;
        struct {
            uint64_t to, pitch, width, height; /* width in bytes */
            uint32_t value, element;           /* element: 1, 2 or 4 bytes */
        } set;
        struct {
            uint32_t grid[3], block[3];
            uint32_t cluster[3];     /* blocks; 0: as the kernel says, else one */
            uint32_t dynamic_shared; /* bytes */
        } launch;
    };
};

struct gpu_reply {
    uint32_t status;       /* enum gpu_status or another CUDA error code */
    uint32_t output_bytes; /* device printf text that waits for an OUTPUT */
    uint64_t value[3];
    uint64_t bulk_bytes;
};

struct gpu_kernel {
    uint32_t id;
    uint32_t param_count, param_bytes;
    uint32_t static_shared, registers, max_threads;
    uint32_t cluster[3]; /* that it must be launched with; 0: any */
    uint32_t target;     /* its module's .target, 75 for sm_75 */
};

struct gpu_param {
    uint32_t offset, size;
};

enum gpu_control_op {
    CONTROL_CONFIGURE = 1, /* options; + a memfd of one page, for struct work_count */
    CONTROL_NEW_CLIENT,    /* client: its number, chosen by the owner; + its socket */
    CONTROL_DROP_CLIENT,
    CONTROL_IMPORT,    /* bytes, flag (initialized), device + memfd -> address */
    CONTROL_RELEASE,   /* address */
    CONTROL_MARK,      /* address, bytes, flag */
    CONTROL_COUNTERS,  /* client -> counters */
    CONTROL_FAULT,     /* client -> fault */
    CONTROL_INTERRUPT, /* no reply */
    CONTROL_CHECKS,    /* flag */
    CONTROL_COST, /* client, bytes: index of a kernel, address: the first line that is
                     told -> cost, address 1 if there is */
    CONTROL_COSTS_RESET,
    CONTROL_ASSEMBLY, /* + the file of compile/assembly.h */
    CONTROL_NOTICE,   /* client, bytes: index -> fault, address 1 if there is */
    CONTROL_NAME,     /* address, bytes of an element, name */
};

struct gpu_control {
    uint32_t op; /* enum gpu_control_op */
    uint32_t client;
    uint64_t address, bytes;
    uint32_t flag;
    uint32_t version;                          /* CONFIGURE: GPU_PROTOCOL_VERSION */
    uint64_t memory_bytes, instruction_budget; /* CONFIGURE */
    int32_t threads;                           /* CONFIGURE */
    uint32_t device; /* IMPORT: whose memory; CONFIGURE: how many there are */
    char name[32];   /* NAME: with its '\0' */
};

struct gpu_control_reply {
    int32_t result; /* 0, -1 or GPU_NO_MEMORY (gpu.h) */
    uint32_t pad;
    uint64_t address;
    union {
        struct counters counters;
        struct fault fault;
        struct kernel_cost cost;
    };
};

#endif

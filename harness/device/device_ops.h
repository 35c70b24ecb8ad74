/* What each kind of device implements; device.c dispatches to it. Private to this
 * folder. */
#ifndef DEVICE_OPS_H
#define DEVICE_OPS_H

#include "device/device.h"
#include "emulator/emulator.h"

#define HOST_PAGE_BYTES ((uint64_t)4096)

struct device_ops {
    void (*close)(struct device *d);
    /* Forgets what this kind knows of the buffers and processes so far, or says that it
     * cannot. NULL: it never can. */
    bool (*reset)(struct device *d);
    /* NULL, or a call that device.c makes before every other function except close. */
    int (*use)(struct device *d, struct report *r);
    int (*alloc)(struct device *d, uint64_t bytes, bool shareable,
                 struct device_buffer **out, struct report *r);
    void (*free)(struct device *d, struct device_buffer *b);
    bool (*resize)(struct device_buffer *b, uint64_t bytes); /* NULL: never */
    int (*fill)(struct device *d, struct device_buffer *b, const struct gen *g,
                uint64_t seed, uint64_t count, struct report *r);
    int (*poison)(struct device *d, struct device_buffer *b, uint64_t seed,
                  struct report *r);
    int (*zero)(struct device *d, struct device_buffer *b, struct report *r);
    int (*copy)(struct device *d, struct device_buffer *to,
                const struct device_buffer *from, struct report *r);
    /* These six are all NULL, or none is. */
    int (*copy_queue)(struct device *d, struct device_buffer *to,
                      const struct device_buffer *from, struct report *r);
    int (*wait)(struct device *d, double *ns, struct report *r);
    int (*queue)(struct device *d, struct report *r);
    int (*hold)(struct device *d, double ns, struct report *r);
    int (*await_hold)(struct device *d, struct report *r);
    int (*let_go)(struct device *d, struct report *r);
    int (*read)(struct device *d, const struct device_buffer *b, uint64_t offset,
                uint64_t bytes, void *host, struct report *r);
    int (*write)(struct device *d, struct device_buffer *b, uint64_t offset,
                 uint64_t bytes, const void *host, struct report *r);
    int (*compare)(struct device *d, const struct device_buffer *got,
                   const struct device_buffer *want, uint64_t count,
                   const struct compare_rule *rule, struct compare_result *out,
                   struct report *r);
    int (*flush)(struct device *d, struct report *r);
    int (*rates)(struct device *d, bool awake, struct device_rates *out,
                 struct report *r);
    int (*share)(struct device *d, struct device_buffer *b, struct device_share *out,
                 struct report *r);
    int (*runner)(struct device *d, struct device_runner *out, struct report *r);
    int (*set_keeper)(struct device *d, int pidfd, uint64_t limit_ms, struct report *r);
    int (*fault)(struct device *d, struct fault *out, struct report *r);
    int (*notice)(struct device *d, uint32_t index, struct fault *out, struct report *r);
    int (*counters)(struct device *d, struct counters *out, struct report *r);
    int (*cost)(struct device *d, uint32_t index, uint32_t first_line,
                struct kernel_cost *out, struct report *r);
    int (*costs_reset)(struct device *d, struct report *r);
    int (*interrupt)(struct device *d, struct report *r);
    int (*set_checks)(struct device *d, bool checks, struct report *r);
    int (*assembly)(struct device *d, const char *path, struct report *r);
    double (*bus_bytes)(struct device *d);
    int (*health)(struct device *d, struct report *r);
    int (*free_bytes)(struct device *d, uint64_t *out, struct report *r);
    /* NULL: the clock is wall time, which device.c reads. */
    int (*modelled_ns)(struct device *d, double *ns, struct report *r);
};

/* The head of every kind's struct. */
struct device {
    const struct device_ops *ops;
    struct device_info info;
    bool host_memory;    /* its buffers are those of hostmem.h */
    struct device *host; /* the device for pinned host memory beside this one; NULL until
                            somebody needs it */
    struct device *partner; /* the second GPU, if it is a device of its own; else NULL */
    struct device_buffer *buffers; /* all buffers that exist, so that close frees them */
    uint64_t refused_bytes;        /* see device_refused */
    bool lost;                     /* fault injection has made every use fail */
    bool clock_running;
    double clock_start_ns, clock_end_ns;
};

/* The head of every kind's buffer. */
struct device_buffer {
    struct device *device;
    struct device_buffer *next, *previous;
    uint64_t bytes; /* the logical size */
    bool shareable;
    int gpu;          /* the GPU as whose memory a runner sees it */
    void *view;       /* only if host_memory */
    const char *name; /* device_name_buffer; NULL: it has none */
    uint32_t element_bytes;
};

struct device *host_open(const struct device_options *o, struct report *r);
struct device *emu_open(const struct device_options *o, struct report *r);
/* partner: the ordinal of the second GPU; -1: none is needed. */
struct device *cuda_open(int ordinal, int partner, struct report *r);

void emu_describe(struct device_info *out);

/* Lists the GPUs of this machine without making a context. 0 if there is no driver. */
int cuda_list(struct device_info *out, int max);

#endif

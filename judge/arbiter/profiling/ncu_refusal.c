#include "arbiter/profiling/ncu_refusal.h"

#include "base/utf8.h"

#include <string.h>

#define QUOTED_MAX 300
#define ERROR_MARK "==ERROR== "
#define NO_KERNELS "No kernels were profiled"
#define CALL_FAILED "the call cannot be made: " /* the runner's words (alone.c) */

static const struct {
    const char *says; /* a part of ncu's message */
    const char *sentence;
} refusals[] = {
    {"ERR_NVGPUCTRPERM",
     "the GPU's counters are not open to the judge's user: an admin loads NVIDIA's "
     "kernel "
     "module with NVreg_RestrictProfilingToAdminUsers=0, or, on a virtual machine, has "
     "the hypervisor allow profiling (docs/operating.md, \"Profiles on a GPU\")"},
    {"driver resource was unavailable", "somebody else reads the GPU's counters: an "
                                        "admin stops that program, or pauses DCGM "
                                        "with `dcgmi profile --pause`"},
    {"LibraryNotLoaded",
     "this machine's hypervisor or container does not let Nsight Compute reach the GPU's "
     "counters: an admin runs the judge on a machine that has the GPU to itself"},
    {"MPS",
     "Nsight Compute does not work beside NVIDIA's multi-process service: an admin "
     "ends it with `echo quit | nvidia-cuda-mps-control`"},
    {"vGPU", "the GPU is a virtual one whose counters are closed: an admin has the "
             "hypervisor allow profiling for this machine"},
    {"is not supported on this device",
     "Nsight Compute does not know this GPU: an admin installs a newer CUDA Toolkit"},
};

/* Adds the line at `line`, without what a terminal would obey, cut if it is too long. */
static void
add_line(struct buf *out, const char *line)
{
    const size_t len = strcspn(line, "\n");
    struct buf cut = {0};

    buf_add(&cut, line, len < QUOTED_MAX ? len : QUOTED_MAX);
    utf8_clean(out, buf_str(&cut));
    buf_free(&cut);
}

/* The next error from `printed` on, without its mark; NULL: none. */
static const char *
find_error(const char *printed)
{
    const char *at = strstr(printed, ERROR_MARK);

    return at != NULL ? at + sizeof ERROR_MARK - 1 : NULL;
}

/* What is to be said of an error; NULL: nothing is known of it. */
static const char *
known_sentence(const char *error)
{
    const char *end = error + strcspn(error, "\n");

    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const char *said = strstr(error, refusals[i].says);

        if (said != NULL && said < end)
            return refusals[i].sentence;
    }
    return NULL;
}

void
ncu_refusal_explain(const char *printed, struct buf *out)
{
    const char *first = find_error(printed);
    const char *call = strstr(printed, CALL_FAILED);

    for (const char *e = first; e != NULL; e = find_error(e))
        if (known_sentence(e) != NULL) {
            buf_puts(out, known_sentence(e));
            return;
        }
    if (call != NULL) {
        add_line(out, call);
    } else if (strstr(printed, NO_KERNELS) != NULL) {
        buf_puts(out, "the call launched no kernel");
    } else if (first != NULL) {
        buf_puts(out, "Nsight Compute says: ");
        add_line(out, first);
    } else {
        buf_puts(out, "Nsight Compute made no report and named no reason");
    }
}

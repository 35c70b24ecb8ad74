/*
 * Decides which headers and libraries of the CUDA Toolkit a source can use. headers.c
 * makes the folder of these headers. CUB and Thrust lie in include/cccl since CUDA 13 and
 * in include/ before, so that a header is known by its name there, whichever it is.
 */
#include "compile/libraries.h"

#include <stdlib.h>
#include <string.h>

/* The first row whose prefix a header's name has says to which library it belongs. A
 * row with a name for people stands for a library that no problem can allow. */
static const struct {
    const char *prefix;
    int library; /* enum library, or -1 */
    const char *title;
} owners[] = {
    {"cub", LIBRARY_CUB, NULL},
    {"thrust", LIBRARY_THRUST, NULL},
    {"curand", LIBRARY_CURAND_KERNEL, NULL}, /* its headers include curand.h */
    {"cublas", LIBRARY_CUBLAS, NULL},
    {"nvblas", LIBRARY_CUBLAS, NULL},
    {"cufft", LIBRARY_CUFFT, NULL},
    {"cudalibxt", LIBRARY_CUFFT, NULL},
    {"cusparse", LIBRARY_CUSPARSE, NULL},
    {"cusolver", LIBRARY_CUSOLVER, NULL},
    {"cudnn", -1, "cuDNN"},
    {"cutensor", -1, "cuTENSOR"},
    {"cutlass", -1, "CUTLASS"},
    {"cute", -1, "CUTLASS"},
    {"nccl", -1, "NCCL"},
    {"npp", -1, "NPP"},
    {"nvjpeg", -1, "nvJPEG"},
    {"nvrtc", -1, "NVRTC"},
    {"nvJitLink", -1, "nvJitLink"},
    {"nvvm", -1, "libNVVM"},
    {"nvml", -1, "NVML"},
    {"nvperf", -1, "CUPTI"},
    {"cupti", -1, "CUPTI"},
    {"cufile", -1, "cuFile"},
};
#define OWNERS (sizeof owners / sizeof *owners)

/* The row of a name such as "cublas_v2.h" or "cub/cub.cuh", or -1 for CUDA itself. A
 * folder's name must be the whole first part of the path, since cub also begins cublas.
 */
static int
owner_of(const char *name)
{
    for (size_t i = 0; i < OWNERS; i++) {
        const size_t len = strlen(owners[i].prefix);
        const bool folder = strcmp(owners[i].prefix, "cub") == 0 ||
                            strcmp(owners[i].prefix, "thrust") == 0 ||
                            strcmp(owners[i].prefix, "cute") == 0;

        if (strncmp(name, owners[i].prefix, len) == 0 &&
            (!folder || name[len] == '/' || name[len] == '\0'))
            return (int)i;
    }
    return -1;
}

/* Can the target use it? On emu there are no libraries that are linked. */
static bool
is_there(const struct target *t, int owner)
{
    const int library = owners[owner].library;

    return library >= 0 && (t->libraries & LIBRARY_BIT(library)) != 0 &&
           (t->kind == PROGRAM_GPU || !library_is_linked((enum library)library));
}

bool
libraries_serve(const struct target *t, const char *header)
{
    const int owner = owner_of(header);

    return owner < 0 || is_there(t, owner);
}

/* --- the link line ------------------------------------------------------------------ */

/* The libraries stand in the order in which a linker needs them. */
const char *const *
libraries_to_link(enum library l)
{
    static const char *const none[] = {NULL};
    static const char *const flags[LIBRARY_COUNT][4] = {
        [LIBRARY_CURAND] = {"-lcurand"},
        [LIBRARY_CUBLAS] = {"-lcublas", "-lcublasLt"},
        [LIBRARY_CUFFT] = {"-lcufft"},
        [LIBRARY_CUSPARSE] = {"-lcusparse"},
        [LIBRARY_CUSOLVER] = {"-lcusolver"},
    };

    return flags[l][0] != NULL ? flags[l] : none;
}

/* --- what a submitter is told ------------------------------------------------------- */

static void
add_allowed(struct buf *out, const struct target *t)
{
    int count = 0, left = 0;

    for (int l = 0; l < LIBRARY_COUNT; l++)
        left += (t->libraries & LIBRARY_BIT(l)) != 0;
    buf_puts(out, left > 0 ? "it allows " : "it allows none");
    for (int l = 0; l < LIBRARY_COUNT; l++) {
        if ((t->libraries & LIBRARY_BIT(l)) == 0)
            continue;
        buf_printf(out, "%s%s",
                   count == 0  ? ""
                   : left == 1 ? " and "
                               : ", ",
                   library_title((enum library)l));
        count++;
        left--;
    }
}

char *
libraries_explain(const struct target *t, const char *header, size_t len)
{
    char *name = xasprintf("%.*s", (int)len, header);
    const int owner = owner_of(name);
    const char *title;
    struct buf out = {0};

    if (owner >= 0 && !is_there(t, owner)) {
        const int library = owners[owner].library;

        title = library >= 0 ? library_title((enum library)library) : owners[owner].title;
        if (library >= 0 && (t->libraries & LIBRARY_BIT(library)) != 0) {
            buf_printf(&out, "%s belongs to %s, which is not available on emu", name,
                       title);
        } else {
            buf_printf(&out,
                       "%s belongs to %s, which is not among the libraries that this "
                       "problem allows (",
                       name, title);
            add_allowed(&out, t);
            buf_puts(&out, ")");
        }
    }
    free(name);
    return out.len > 0 ? buf_take(&out) : NULL;
}

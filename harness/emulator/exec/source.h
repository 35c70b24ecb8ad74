/* Where code stands in the user's source (source.c), and what things are called there
 * (variables.c): for messages and for costs. */
#ifndef EMULATOR_SOURCE_H
#define EMULATOR_SOURCE_H

#include "kernel.h"
#include "memory.h"

struct warp;

/* --- places (source.c) ----------------------------------------------------- */

/* Is the file a header of the toolkit, where a learner does not look? */
bool is_system_file(const char *path);

/* The place in the user's source to which code with this loc belongs: the innermost place
 * outside the toolkit's headers. NULL: not known. */
const struct ptx_loc *user_loc(const struct ptx_module *m, const struct ptx_loc *loc);

/* Was the instruction inlined from this header? `header` is the end of its path. */
bool source_is_from(const struct module *mod, const struct ptx_insn *in,
                    const char *header);

/* Is it part of cooperative groups' grid.sync()? */
bool source_is_grid_sync(const struct module *mod, const struct ptx_insn *in);

/* The path without its folders. */
const char *base_name(const char *path);

/* Of CUB's and Thrust's code, the place in their headers, as
 * "cub/block/block_scan.cuh:12".
 * "": the instruction is not theirs. */
void source_library(const struct module *mod, const struct ptx_insn *in, char *out,
                    size_t size);

/* Is this one of CUB's and Thrust's own kernels? */
bool source_is_library_kernel(const struct kernel *k);

/* The functions of the host that launch such a kernel, as "cub::DeviceScan or
 * thrust::inclusive_scan". */
const char *source_launched_by(const struct kernel *k);

/* The instruction of the user's code that a warp executes: `in`, or the call that leads
 * to it from a function of a header's. */
const struct ptx_insn *source_user_origin(const struct warp *w, const struct insn *in);

/* The file and the line of an instruction; "" and 0 where they are not known. `in` may be
 * NULL. */
void source_of(const struct module *mod, const struct ptx_insn *in, char *file,
               size_t size, int *line);

/* The PTX instruction of which a decoded instruction was made; NULL: the decoder added
 * it. */
const struct ptx_insn *origin_of(const struct warp *w, const struct insn *in);
const struct ptx_insn *origin_in(const struct program *p, const struct insn *in);

/* --- names (variables.c) --------------------------------------------------- */

/* The name of a variable without the names that it is nested in. */
void plain_name(const char *mangled, char *out, size_t size);

/* Names an offset of shared memory, as "tile, byte 12". false: no static array lies
 * there. */
bool shared_name(const struct kernel *k, uint64_t offset, char *out, size_t size);

/* The name of the module's variable that the allocation holds; false: it holds none. */
bool variable_name(const struct machine *m, const struct allocation *a, char *out,
                   size_t size);

#endif

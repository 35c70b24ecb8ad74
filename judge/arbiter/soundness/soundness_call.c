/* Keeps a call in which the reference seems to leave its buffers, so that another program
 * can make it again (compile/bounds.h). */
#include "arbiter/soundness/soundness.h"

#include "base/buf.h"
#include "base/file.h"

#include <stdlib.h>

#define CALL_BYTES_MAX ((size_t)256 << 20)

static size_t
call_bytes(const struct call_set *set)
{
    size_t bytes = 0;

    for (int i = 0; i < set->problem->param_count; i++)
        bytes += set->buffer[i] != NULL ? set->extent[i].bytes : 0;
    return bytes;
}

static int
write_values(const struct call_set *set, const char *folder, struct report *r)
{
    int rc = file_mkdirs(folder, r);

    for (int i = 0; i < set->problem->param_count && rc == 0; i++) {
        char *path = xasprintf("%s/%d", folder, i);
        uint64_t bits = 0;

        if (set->buffer[i] != NULL) {
            rc = file_write(path, device_view(set->buffer[i]), set->extent[i].bytes, r);
        } else {
            bits = problem_scalar_bits(set->problem, set->test, i);
            rc = file_write(path, &bits, sizeof bits, r);
        }
        free(path);
    }
    return rc;
}

int
soundness_keep_call(struct soundness *s, const struct sound_call *call, struct report *r)
{
    char *folder = xasprintf("%s/" JOB_CALL_FOLDER, s->folder);
    struct call_set set = {0};
    int rc = call_set_alloc(&set, s->device, s->problem, call->test, false, r);

    if (rc == 0 && call_bytes(&set) <= CALL_BYTES_MAX) {
        rc = reference_fill(s->reference, &set, call->seed, r);
        if (rc == 0)
            rc = call_set_start_outputs(&set, call->seed, r);
        if (rc == 0)
            rc = write_values(&set, folder, r);
    }
    call_set_free(&set);
    free(folder);
    return rc;
}

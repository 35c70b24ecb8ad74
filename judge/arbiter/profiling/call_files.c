#include "arbiter/profiling/call_files.h"

#include "base/file.h"
#include "runner/alone.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK_BYTES ((uint64_t)16 << 20)

_Static_assert(ALONE_SLOTS_MAX >= PROBLEM_PARAMS_MAX, "each parameter may be a buffer");

static int
write_all(int fd, const char *bytes, uint64_t len)
{
    while (len > 0) {
        const ssize_t n = write(fd, bytes, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        bytes += n;
        len -= (uint64_t)n;
    }
    return 0;
}

/* Writes what a buffer holds to a file, piece by piece. */
static int
write_buffer(struct device *d, const struct device_buffer *b, uint64_t bytes,
             const char *path, struct report *r)
{
    char *chunk = xmalloc(CHUNK_BYTES);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    int rc = fd < 0 ? report_errno(r, "%s cannot be made", path) : 0;

    for (uint64_t at = 0; rc == 0 && at < bytes;) {
        const uint64_t part = bytes - at < CHUNK_BYTES ? bytes - at : CHUNK_BYTES;

        rc = device_read(d, b, at, part, chunk, r);
        if (rc == 0 && write_all(fd, chunk, part) != 0)
            rc = report_errno(r, "%s cannot be written", path);
        at += part;
    }
    if (fd >= 0)
        close(fd);
    free(chunk);
    return rc;
}

/* Does the spec say what it holds before the call? */
static bool
is_filled(const struct param *p)
{
    return param_is_input(p) || p->start == START_ZEROS;
}

static int
write_set(const struct call_set *set, const char *folder, struct report *r)
{
    struct alone_call call = {.arg_count = (uint32_t)set->problem->param_count};
    char *path;
    int rc = 0;

    for (int i = 0; rc == 0 && i < set->problem->param_count; i++) {
        struct runner_arg *arg = &call.arg[i];

        *arg = (struct runner_arg){.slot = -1};
        if (set->buffer[i] == NULL) {
            arg->value = problem_scalar_bits(set->problem, set->test, i);
            continue;
        }
        arg->slot = (int32_t)call.slot_count;
        call.slot[call.slot_count].bytes = set->extent[i].bytes;
        call.slot[call.slot_count].pinned =
            set->problem->param[i].space == SPACE_HOST_PINNED;
        call.slot[call.slot_count].filled = is_filled(&set->problem->param[i]);
        path = xasprintf("%s/%u", folder, call.slot_count);
        if (call.slot[call.slot_count++].filled != 0)
            rc = write_buffer(set->device, set->buffer[i], set->extent[i].bytes, path, r);
        free(path);
    }
    path = xasprintf("%s/call", folder);
    if (rc == 0)
        rc = file_write(path, &call, sizeof call, r);
    free(path);
    return rc;
}

static int
copy_submission(const struct judgement *j, const char *folder, struct report *r)
{
    char *from = xasprintf("%s/submission", j->folder);
    char *to = xasprintf("%s/submission", folder);
    int rc = file_copy(from, to, r);

    free(from);
    free(to);
    return rc;
}

int
call_files_write(struct judgement *j, const struct test_case *test, const char *folder,
                 struct report *r)
{
    const uint64_t seed = seeds_make(&j->seeds, SEED_COSTS, 0);
    struct call_set set = {0};
    int rc = -1;

    if (file_remove_tree(folder, r) != 0 || file_mkdirs(folder, r) != 0 ||
        copy_submission(j, folder, r) != 0)
        return -1;
    if (call_set_alloc(&set, j->device, j->problem, test, false, r) == 0 &&
        reference_fill(j->reference, &set, seed, r) == 0 &&
        call_set_start_outputs(&set, seed, r) == 0)
        rc = write_set(&set, folder, r);
    call_set_free(&set);
    return rc;
}

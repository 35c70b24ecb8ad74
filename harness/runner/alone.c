#include "runner/alone.h"

#include "runner/driver.h"
#include "runner/load.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int
failed(const char *what, const char *why)
{
    fprintf(stderr, "the call cannot be made: %s: %s\n", what, why);
    return -1;
}

static int
open_in(const char *folder, const char *name)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

static int
read_call(const char *folder, struct alone_call *call)
{
    const int fd = open_in(folder, "call");
    const ssize_t n = fd >= 0 ? read(fd, call, sizeof *call) : -1;

    if (fd >= 0)
        close(fd);
    if (n != (ssize_t)sizeof *call || call->slot_count > ALONE_SLOTS_MAX ||
        call->arg_count > RUNNER_ARGS_MAX)
        return failed("call", "it is not a description of one");
    return 0;
}

static int
fill(const struct alone_slot *slot, uint64_t address, const void *bytes)
{
    if (slot->pinned == 0)
        return cu.copy_in_now(address, bytes, slot->bytes);
    memcpy((void *)(uintptr_t)address, bytes, slot->bytes);
    return 0;
}

/* Allocates a buffer of exactly its bytes, so that a checker sees each access beyond. An
 * output that may hold anything is not filled, so that it sees a read of it, too. */
static int
make_slot(const char *folder, uint32_t number, const struct alone_slot *slot,
          uint64_t *address)
{
    char name[16], text[RUNNER_TEXT_MAX] = "";
    void *host = NULL, *bytes;
    int fd, error;

    snprintf(name, sizeof name, "%u", number);
    if (slot->pinned != 0) {
        error = cu.host_alloc(&host, slot->bytes, CU_ALLOC_PORTABLE_AND_MAPPED);
        *address = (uint64_t)(uintptr_t)host;
    } else {
        error = cu.alloc(address, slot->bytes);
    }
    if (error != 0) {
        (void)driver_failed("no memory for a buffer", error, text, sizeof text);
        return failed(name, text);
    }
    if (slot->filled == 0)
        return 0;
    fd = open_in(folder, name);
    bytes = fd >= 0 ? mmap(NULL, slot->bytes, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    if (fd >= 0)
        close(fd);
    if (bytes == MAP_FAILED)
        return failed(name, "what it holds cannot be read");
    error = fill(slot, *address, bytes);
    munmap(bytes, slot->bytes);
    if (error == 0)
        return 0;
    (void)driver_failed("a buffer cannot be filled", error, text, sizeof text);
    return failed(name, text);
}

/* Fills pointer[] with the arguments, whose values stay in `value`. */
static int
make_arguments(const char *folder, const struct alone_call *call,
               uint64_t value[RUNNER_ARGS_MAX], void *pointer[RUNNER_ARGS_MAX])
{
    uint64_t address[ALONE_SLOTS_MAX];

    for (uint32_t i = 0; i < call->slot_count; i++)
        if (make_slot(folder, i, &call->slot[i], &address[i]) != 0)
            return -1;
    for (uint32_t i = 0; i < call->arg_count; i++) {
        const struct runner_arg *arg = &call->arg[i];

        if (arg->slot >= (int32_t)call->slot_count)
            return failed("call", "an argument has a buffer that is not there");
        value[i] = arg->value + (arg->slot >= 0 ? address[arg->slot] : 0);
        pointer[i] = &value[i];
    }
    return 0;
}

static int
run(const struct runner_guest *guest, void *const *pointer)
{
    int error, last;

    guest->entry(pointer);
    error = guest->synchronize != NULL ? guest->synchronize() : 0;
    last = guest->last_error != NULL ? guest->last_error() : 0;
    error = error != 0 ? error : last;
    fflush(stdout);
    if (error != 0 && guest->error_name != NULL && guest->error_string != NULL)
        fprintf(stderr, "%s: %s\n", guest->error_name(error), guest->error_string(error));
    return error != 0;
}

int
alone_run(const char *folder)
{
    static struct alone_call call;
    static uint64_t value[RUNNER_ARGS_MAX];
    static void *pointer[RUNNER_ARGS_MAX];
    const struct runner_guest *guest;
    char text[RUNNER_TEXT_MAX] = "";

    if (read_call(folder, &call) != 0)
        return ALONE_FAILED;
    if (driver_wake(text, sizeof text) != 0) {
        failed("the GPU", text);
        return ALONE_FAILED;
    }
    if (make_arguments(folder, &call, value, pointer) != 0)
        return ALONE_FAILED;
    guest = load_guest(open_in(folder, "submission"), text, sizeof text);
    if (guest == NULL) {
        failed("submission", text);
        return ALONE_FAILED;
    }
    return run(guest, pointer);
}

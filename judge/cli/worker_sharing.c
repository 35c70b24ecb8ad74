/* What the processes of several devices of a worker have in common. */
#include "cli/worker.h"

#include "base/file.h"
#include "base/hex.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int
worker_share(struct worker_setup *setup, struct report *r)
{
    struct worker_sharing *s = &setup->sharing;

    s->memory = mmap(NULL, sizeof *s->memory, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s->memory == MAP_FAILED)
        return report_errno(r, "no memory can be shared");
    atomic_store(&s->memory->worked_ns, now_ns());
    s->locks = memfd_create("devices", MFD_CLOEXEC);
    if (s->locks < 0)
        return report_errno(r, "no file can be made in memory");
    if (setup->device_count > 1)
        hex_draw(s->siblings, sizeof s->siblings / 2);
    return 0;
}

void
worker_has_worked(const struct worker_slot *s, const char *arch)
{
    const struct worker_setup *setup = s->setup;
    bool counts = !s->device->compiles || setup->device_count == 0;

    for (int i = 0; i < setup->device_count; i++)
        counts = counts || strcmp(setup->device[i]->arch, arch) == 0;
    if (counts)
        atomic_store(&setup->sharing.memory->worked_ns, now_ns());
}

const struct worker_device *
worker_partner(const struct worker_slot *s, const char *name)
{
    const struct worker_setup *setup = s->setup;

    for (int i = 0; i < setup->device_count; i++)
        if (strcmp(setup->device[i]->name, name) == 0 && setup->device[i] != s->device &&
            strcmp(setup->device[i]->board, s->device->board) == 0)
            return setup->device[i];
    return NULL;
}

static int
sharing_index(const struct worker_setup *setup, const struct worker_device *d)
{
    int at = 0;

    for (int i = 0; i < setup->device_count; i++)
        if (setup->device[i] == d)
            at = i;
    return at;
}

/* Locks or unlocks a device. Such a lock is a process's own, and ends with it. */
static bool
sharing_set_lock(const struct worker_setup *setup, const struct worker_device *d,
                 short type)
{
    struct flock lock = {.l_type = type,
                         .l_whence = SEEK_SET,
                         .l_start = sharing_index(setup, d),
                         .l_len = 1};

    return fcntl(setup->sharing.locks, F_SETLK, &lock) == 0;
}

/* The same as a lock. Where another process has it, that one learns that it is wanted. */
static bool
sharing_take(const struct worker_setup *setup, const struct worker_device *d)
{
    const bool taken = sharing_set_lock(setup, d, F_WRLCK);

    atomic_store(&setup->sharing.memory->wanted[sharing_index(setup, d)], !taken);
    return taken;
}

bool
worker_take_devices(const struct worker_slot *s, const struct worker_device *partner)
{
    /* Compilers have no device. Processes that judge on emu share nothing. */
    if (s->device->compiles || strcmp(s->device->name, "emu") == 0)
        return true;
    if (!sharing_take(s->setup, s->device))
        return false;
    if (partner == NULL || sharing_take(s->setup, partner))
        return true;
    worker_leave_devices(s);
    return false;
}

void
worker_leave_devices(const struct worker_slot *s)
{
    const struct worker_setup *setup = s->setup;
    const bool keeps = worker_arbiter_is_there(s->arbiter);

    for (int i = 0; i < setup->device_count; i++)
        if (!keeps || setup->device[i] != s->device)
            (void)sharing_set_lock(setup, setup->device[i], F_UNLCK);
}

bool
worker_device_is_wanted(const struct worker_slot *s)
{
    const struct worker_setup *setup = s->setup;

    return atomic_load(&setup->sharing.memory->wanted[sharing_index(setup, s->device)]);
}

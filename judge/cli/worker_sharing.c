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
    if (setup->device_count > 1 && !setup->compiles)
        hex_draw(s->siblings, sizeof s->siblings / 2);
    return 0;
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

/* Locks or unlocks a device. Such a lock is a process's own, and ends with it. */
static bool
sharing_set_lock(const struct worker_setup *setup, const struct worker_device *d,
                 short type)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_len = 1};

    for (int i = 0; i < setup->device_count; i++)
        if (setup->device[i] == d)
            lock.l_start = i;
    return fcntl(setup->sharing.locks, F_SETLK, &lock) == 0;
}

bool
worker_take_devices(const struct worker_slot *s, const struct worker_device *partner)
{
    /* Processes that compile have no device, and all are called the same. */
    if (s->setup->compiles)
        return true;
    if (!sharing_set_lock(s->setup, s->device, F_WRLCK))
        return false;
    if (partner == NULL || sharing_set_lock(s->setup, partner, F_WRLCK))
        return true;
    worker_leave_devices(s);
    return false;
}

void
worker_leave_devices(const struct worker_slot *s)
{
    struct flock all = {.l_type = F_UNLCK, .l_whence = SEEK_SET};

    (void)fcntl(s->setup->sharing.locks, F_SETLK, &all);
}

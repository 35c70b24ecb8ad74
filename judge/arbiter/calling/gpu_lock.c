#include "arbiter/calling/gpu_lock.h"

#include "base/buf.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* How long gpu_lock_try waits before it says yes in any case. The longest step is an
 * answer of a reference that never ends: 120 s (reference.c). */
#define GIVE_UP_NS UINT64_C(150000000000)
#define LOOK_STEP_NS 1000000L

/* The daemon kills an arbiter that has judged and does not leave, after 10 s
 * (daemon/attempt.c). */
#define LEAVING_NS UINT64_C(15000000000)

/* Bytes of the file that are locked (gpu_lock.h); they lie behind its contents. */
enum place {
    PLACE_ENTRY = 64, /* while a step begins; by an arbiter that measures, or waits to */
    PLACE_GPU,        /* during a step; during a stretch that is measured */
    PLACE_PREPARING,  /* from when an arbiter prepares ahead to its "go" */
    PLACE_JUDGING,    /* from an arbiter's "go" until its process is gone */
};

/* The file's contents, which an arbiter writes during its step. */
struct record {
    uint64_t held_bytes;
    uint64_t busy_ns;
};

#define MEASURED_AT                                                                      \
    ((off_t)sizeof(struct record)) /* behind it: when the GPU was left                   \
                                    */

struct gpu_lock {
    int fd;
    bool ahead, inside;
    struct record record; /* during a step */
    uint64_t entered_ns, waited_ns;
    uint64_t since_ns; /* when gpu_lock_try first asked; 0: it has not */
    bool has_entry, has_gpu;
    bool follows; /* the arbiter before this one is not gone yet */
};

/* Once gpu_lock_open has locked something, only EINTR and another process's lock are left
 * as reasons to fail. */
static bool
place_command(const struct gpu_lock *lock, int command, short type, enum place place)
{
    struct flock f = {
        .l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)place, .l_len = 1};

    while (fcntl(lock->fd, command, &f) != 0)
        if (errno != EINTR)
            return false;
    return true;
}

static bool
place_try(const struct gpu_lock *lock, enum place place)
{
    return place_command(lock, F_OFD_SETLK, F_WRLCK, place);
}

static void
place_wait(const struct gpu_lock *lock, enum place place)
{
    (void)place_command(lock, F_OFD_SETLKW, F_WRLCK, place);
}

static void
place_unlock(const struct gpu_lock *lock, enum place place)
{
    (void)place_command(lock, F_OFD_SETLK, F_UNLCK, place);
}

/* Returns zeros if nobody has written yet. */
static struct record
read_record(const struct gpu_lock *lock)
{
    struct record record;

    if (pread(lock->fd, &record, sizeof record, 0) != (ssize_t)sizeof record)
        return (struct record){0};
    return record;
}

static bool
write_record(const struct gpu_lock *lock)
{
    const struct record record = lock->record;

    return pwrite(lock->fd, &record, sizeof record, 0) == (ssize_t)sizeof record;
}

/* Tells the arbiter that measures that this one prepares, and holds no memory yet. */
static bool
begin_preparing(struct gpu_lock *lock)
{
    if (!place_try(lock, PLACE_PREPARING))
        return false;
    lock->record = read_record(lock);
    lock->record.held_bytes = 0;
    return write_record(lock);
}

int
gpu_lock_open(const char *home, const char *device, bool ahead, struct gpu_lock **out,
              struct report *r)
{
    char *folder = xasprintf("%s/quiet", home);
    char *path = xasprintf("%s/%s", folder, device);
    struct gpu_lock *lock = xcalloc(1, sizeof *lock);
    int rc = file_mkdirs(folder, r);

    *lock = (struct gpu_lock){.fd = -1, .ahead = ahead};
    if (rc == 0) {
        lock->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (lock->fd < 0 || (ahead && !begin_preparing(lock)))
            rc = report_errno(r, "%s cannot be locked and written", path);
    }
    if (rc == 0)
        *out = lock;
    else
        gpu_lock_close(lock);
    free(path);
    free(folder);
    return rc;
}

void
gpu_lock_close(struct gpu_lock *lock)
{
    if (lock == NULL)
        return;
    if (lock->inside)
        gpu_lock_leave(lock, 0);
    if (lock->fd >= 0)
        close(lock->fd);
    free(lock);
}

/* --- for the arbiter that prepares ahead ------------------------------------ */

void
gpu_lock_enter(struct gpu_lock *lock)
{
    const uint64_t start_ns = now_ns();

    if (lock == NULL || !lock->ahead)
        return;
    place_wait(lock, PLACE_ENTRY);
    place_wait(lock, PLACE_GPU);
    place_unlock(lock, PLACE_ENTRY);
    lock->inside = true;
    lock->record = read_record(lock);
    lock->entered_ns = now_ns();
    lock->waited_ns += lock->entered_ns - start_ns;
}

void
gpu_lock_leave(struct gpu_lock *lock, uint64_t held_bytes)
{
    if (lock == NULL || !lock->ahead)
        return;
    lock->record.held_bytes = held_bytes;
    lock->record.busy_ns += now_ns() - lock->entered_ns;
    if (!write_record(lock))
        fprintf(stderr, "what is prepared cannot be told to who measures\n");
    place_unlock(lock, PLACE_GPU);
    lock->inside = false;
}

uint64_t
gpu_lock_waited_ns(const struct gpu_lock *lock)
{
    return lock != NULL ? lock->waited_ns : 0;
}

void
gpu_lock_begin(struct gpu_lock *lock)
{
    if (lock == NULL)
        return;
    if (lock->ahead)
        place_unlock(lock, PLACE_PREPARING);
    lock->ahead = false;
    lock->follows = !place_try(lock, PLACE_JUDGING);
}

void
gpu_lock_end(struct gpu_lock *lock)
{
    const struct timespec step = {.tv_nsec = LOOK_STEP_NS};
    const uint64_t at_ns = now_ns(), until_ns = at_ns + LEAVING_NS;

    if (lock != NULL &&
        pwrite(lock->fd, &at_ns, sizeof at_ns, MEASURED_AT) != (ssize_t)sizeof at_ns)
        fprintf(stderr, "the next arbiter cannot be told that the GPU is awake\n");
    while (lock != NULL && lock->follows && now_ns() < until_ns) {
        lock->follows = !place_try(lock, PLACE_JUDGING);
        if (lock->follows)
            (void)nanosleep(&step, NULL);
    }
}

/* --- for the arbiter that measures ------------------------------------------ */

bool
gpu_lock_try(struct gpu_lock *lock)
{
    if (gpu_lock_is_held(lock))
        return true;
    if (lock->since_ns == 0)
        lock->since_ns = now_ns();
    lock->follows = lock->follows && !place_try(lock, PLACE_JUDGING);
    lock->has_entry = lock->has_entry || place_try(lock, PLACE_ENTRY);
    lock->has_gpu = lock->has_gpu || (lock->has_entry && place_try(lock, PLACE_GPU));
    return gpu_lock_is_held(lock) || now_ns() - lock->since_ns > GIVE_UP_NS;
}

void
gpu_lock_take(struct gpu_lock *lock)
{
    (void)gpu_lock_take_within(lock, UINT64_MAX / 1000000);
}

bool
gpu_lock_take_within(struct gpu_lock *lock, uint64_t ms)
{
    const struct timespec step = {.tv_nsec = LOOK_STEP_NS};
    const uint64_t start_ns = now_ns();

    while (!gpu_lock_try(lock)) {
        if (now_ns() - start_ns > ms * 1000000)
            return false;
        (void)nanosleep(&step, NULL);
    }
    return true;
}

void
gpu_lock_give(struct gpu_lock *lock)
{
    if (lock == NULL)
        return;
    if (lock->has_gpu)
        place_unlock(lock, PLACE_GPU);
    if (lock->has_entry)
        place_unlock(lock, PLACE_ENTRY);
    lock->has_gpu = lock->has_entry = false;
    lock->since_ns = 0;
}

bool
gpu_lock_is_held(const struct gpu_lock *lock)
{
    return lock == NULL || (lock->has_gpu && !lock->follows);
}

uint64_t
gpu_lock_idle_ns(const struct gpu_lock *lock)
{
    const uint64_t now = now_ns();
    uint64_t at_ns;

    if (lock == NULL ||
        pread(lock->fd, &at_ns, sizeof at_ns, MEASURED_AT) != (ssize_t)sizeof at_ns ||
        at_ns == 0 || at_ns > now)
        return UINT64_MAX;
    return now - at_ns;
}

/* Does another process hold this byte? */
static bool
is_locked(const struct gpu_lock *lock, enum place place)
{
    struct flock f = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)place, .l_len = 1};

    return fcntl(lock->fd, F_OFD_GETLK, &f) == 0 && f.l_type != F_UNLCK;
}

bool
gpu_lock_neighbour(const struct gpu_lock *lock, uint64_t *held_bytes)
{
    *held_bytes = 0;
    if (lock == NULL || !is_locked(lock, PLACE_PREPARING))
        return false;
    *held_bytes = read_record(lock).held_bytes;
    return true;
}

uint64_t
gpu_lock_busy_ns(const struct gpu_lock *lock)
{
    return lock != NULL ? read_record(lock).busy_ns : 0;
}

bool
gpu_lock_was_undisturbed(const struct gpu_lock *lock, uint64_t busy_ns)
{
    if (lock == NULL)
        return true;
    if (is_locked(lock, PLACE_JUDGING)) /* the arbiter before is still ending */
        return false;
    if (lock->has_gpu)
        return true;
    /* The order matters: a neighbour that leaves between the two has written before. */
    return !is_locked(lock, PLACE_GPU) && read_record(lock).busy_ns == busy_ns;
}

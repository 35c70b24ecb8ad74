#include "arbiter/calling/gpu_lock.h"

#include "base/buf.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* The longest step is one answer of a reference that never ends: 120 s (reference.c). */
#define PATIENCE_NS UINT64_C(150000000000)
#define LOOK_STEP_NS 1000000L

/* The daemon kills who has judged and does not leave, after 10 s (daemon/attempt.c). */
#define LEAVING_NS UINT64_C(15000000000)

/* Bytes of the file that are locked; they lie behind its contents. */
enum place {
    DOOR = 64, /* held by who goes in, and by who wants, or has, quiet */
    CARD,      /* held by who is inside, and by who has quiet */
    PREPARING, /* held by who prepares ahead, from its beginning to its "go" */
    TURN,      /* held by who judges, from its "go" until its process is gone */
};

/* The file's contents, written by who is inside. */
struct record {
    uint64_t held_bytes;
    uint64_t busy_ns;
};

struct gpu_lock {
    int fd;
    bool ahead, inside;
    struct record record; /* while inside */
    uint64_t entered_ns, waited_ns;
    uint64_t since_ns; /* when quiet was first asked for; 0: it is not */
    bool has_door, has_card;
    bool follows; /* who judged before this one is not gone yet */
};

/* Only EINTR and a lock of somebody else's are left as reasons to fail, once
 * gpu_lock_open has locked something. */
static bool
lock(const struct gpu_lock *q, int command, short type, enum place place)
{
    struct flock l = {
        .l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)place, .l_len = 1};

    while (fcntl(q->fd, command, &l) != 0)
        if (errno != EINTR)
            return false;
    return true;
}

static bool
try_lock(const struct gpu_lock *q, enum place place)
{
    return lock(q, F_OFD_SETLK, F_WRLCK, place);
}

static void
wait_lock(const struct gpu_lock *q, enum place place)
{
    (void)lock(q, F_OFD_SETLKW, F_WRLCK, place);
}

static void
unlock(const struct gpu_lock *q, enum place place)
{
    (void)lock(q, F_OFD_SETLK, F_UNLCK, place);
}

/* Zeros where nobody has written yet. */
static struct record
read_record(const struct gpu_lock *q)
{
    struct record record;

    if (pread(q->fd, &record, sizeof record, 0) != (ssize_t)sizeof record)
        return (struct record){0};
    return record;
}

static bool
write_record(const struct gpu_lock *q)
{
    const struct record record = q->record;

    return pwrite(q->fd, &record, sizeof record, 0) == (ssize_t)sizeof record;
}

/* It holds nothing yet. */
static bool
begin_preparing(struct gpu_lock *q)
{
    if (!try_lock(q, PREPARING))
        return false;
    q->record = read_record(q);
    q->record.held_bytes = 0;
    return write_record(q);
}

int
gpu_lock_open(const char *home, const char *device, bool ahead, struct gpu_lock **out,
              struct report *r)
{
    char *folder = xasprintf("%s/quiet", home);
    char *path = xasprintf("%s/%s", folder, device);
    struct gpu_lock *q = xcalloc(1, sizeof *q);
    int rc = file_mkdirs(folder, r);

    *q = (struct gpu_lock){.fd = -1, .ahead = ahead};
    if (rc == 0) {
        q->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (q->fd < 0 || (ahead && !begin_preparing(q)))
            rc = report_errno(r, "%s cannot be locked and written", path);
    }
    if (rc == 0)
        *out = q;
    else
        gpu_lock_close(q);
    free(path);
    free(folder);
    return rc;
}

void
gpu_lock_close(struct gpu_lock *q)
{
    if (q == NULL)
        return;
    if (q->inside)
        gpu_lock_leave(q, 0);
    if (q->fd >= 0)
        close(q->fd);
    free(q);
}

/* --- who prepares ahead ---------------------------------------------------- */

void
gpu_lock_enter(struct gpu_lock *q)
{
    const uint64_t start_ns = now_ns();

    if (q == NULL || !q->ahead)
        return;
    wait_lock(q, DOOR);
    wait_lock(q, CARD);
    unlock(q, DOOR);
    q->inside = true;
    q->record = read_record(q);
    q->entered_ns = now_ns();
    q->waited_ns += q->entered_ns - start_ns;
}

void
gpu_lock_leave(struct gpu_lock *q, uint64_t held_bytes)
{
    if (q == NULL || !q->ahead)
        return;
    q->record.held_bytes = held_bytes;
    q->record.busy_ns += now_ns() - q->entered_ns;
    if (!write_record(q))
        fprintf(stderr, "what is prepared cannot be told to who measures\n");
    unlock(q, CARD);
    q->inside = false;
}

uint64_t
gpu_lock_waited_ns(const struct gpu_lock *q)
{
    return q != NULL ? q->waited_ns : 0;
}

void
gpu_lock_begin(struct gpu_lock *q)
{
    if (q == NULL)
        return;
    if (q->ahead)
        unlock(q, PREPARING);
    q->ahead = false;
    q->follows = !try_lock(q, TURN);
}

void
gpu_lock_end(struct gpu_lock *q)
{
    const struct timespec step = {.tv_nsec = LOOK_STEP_NS};
    const uint64_t until_ns = now_ns() + LEAVING_NS;

    while (q != NULL && q->follows && now_ns() < until_ns) {
        q->follows = !try_lock(q, TURN);
        if (q->follows)
            (void)nanosleep(&step, NULL);
    }
}

/* --- who measures ---------------------------------------------------------- */

bool
gpu_lock_try(struct gpu_lock *q)
{
    if (gpu_lock_is(q))
        return true;
    if (q->since_ns == 0)
        q->since_ns = now_ns();
    q->follows = q->follows && !try_lock(q, TURN);
    q->has_door = q->has_door || try_lock(q, DOOR);
    q->has_card = q->has_card || (q->has_door && try_lock(q, CARD));
    return gpu_lock_is(q) || now_ns() - q->since_ns > PATIENCE_NS;
}

void
gpu_lock_take(struct gpu_lock *q)
{
    (void)gpu_lock_take_within(q, UINT64_MAX / 1000000);
}

bool
gpu_lock_take_within(struct gpu_lock *q, uint64_t ms)
{
    const struct timespec step = {.tv_nsec = LOOK_STEP_NS};
    const uint64_t start_ns = now_ns();

    while (!gpu_lock_try(q)) {
        if (now_ns() - start_ns > ms * 1000000)
            return false;
        (void)nanosleep(&step, NULL);
    }
    return true;
}

void
gpu_lock_give(struct gpu_lock *q)
{
    if (q == NULL)
        return;
    if (q->has_card)
        unlock(q, CARD);
    if (q->has_door)
        unlock(q, DOOR);
    q->has_card = q->has_door = false;
    q->since_ns = 0;
}

bool
gpu_lock_is(const struct gpu_lock *q)
{
    return q == NULL || (q->has_card && !q->follows);
}

/* By another process. */
static bool
is_locked(const struct gpu_lock *q, enum place place)
{
    struct flock l = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)place, .l_len = 1};

    return fcntl(q->fd, F_OFD_GETLK, &l) == 0 && l.l_type != F_UNLCK;
}

bool
gpu_lock_neighbour(const struct gpu_lock *q, uint64_t *held_bytes)
{
    *held_bytes = 0;
    if (q == NULL || !is_locked(q, PREPARING))
        return false;
    *held_bytes = read_record(q).held_bytes;
    return true;
}

uint64_t
gpu_lock_busy_ns(const struct gpu_lock *q)
{
    return q != NULL ? read_record(q).busy_ns : 0;
}

bool
gpu_lock_was(const struct gpu_lock *q, uint64_t busy_ns)
{
    if (q == NULL)
        return true;
    if (is_locked(q, TURN)) /* who judged before is still ending */
        return false;
    if (q->has_card)
        return true;
    /* In this order: who leaves between the two has written before. */
    return !is_locked(q, CARD) && read_record(q).busy_ns == busy_ns;
}

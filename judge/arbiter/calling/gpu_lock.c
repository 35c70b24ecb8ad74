#include "arbiter/calling/gpu_lock.h"

#include "base/buf.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
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

/* How long an arbiter waits for its place to prepare. One that judges keeps that until
 * the arbiter before it is gone, of which the daemon has heard already. */
#define PREPARING_NS UINT64_C(5000000000)

/* Bytes of the file that are locked (gpu_lock.h); they lie behind its contents. */
enum place {
    PLACE_ENTRY = 64, /* while a step begins; by an arbiter that measures, or waits to */
    PLACE_GPU,        /* during a step; during a stretch that is measured */
    PLACE_PREPARING,  /* by an arbiter that prepares ahead or follows (gpu_lock_begin) */
    PLACE_JUDGING,    /* from an arbiter's "go" until its process is gone */
    PLACE_CONTEXT,    /* while an arbiter that prepares makes a context, or must not */
};

/* The file's contents. The first three are of arbiters that prepare, the last two are of
 * those that judge. */
struct record {
    uint64_t held_bytes;
    uint64_t step_ns, context_ns;
    uint64_t left_ns;   /* when the last judgement ended well; 0: one is under way, or has
                           ended in another way */
    uint64_t worked_ns; /* see gpu_lock_worked(); 0: never */
};

struct gpu_lock {
    int fd;
    bool ahead, inside, makes_context;
    uint64_t entered_ns, context_ns; /* when the step began, and the context */
    uint64_t waited_ns;
    uint64_t since_ns; /* when gpu_lock_try first asked; 0: it has not */
    bool has_entry, has_gpu;
    bool has_contexts;   /* nobody makes a context now */
    bool forbids;        /* nobody may in a stretch (gpu_lock_forbid_contexts) */
    bool follows;        /* the arbiter before this one is not gone yet */
    bool before_is_well; /* see gpu_lock_before_is_well() */
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

/* Lets a millisecond pass before the next look at a place, or at what it stands for. */
static void
look_later(void)
{
    const struct timespec step = {.tv_nsec = LOOK_STEP_NS};

    (void)nanosleep(&step, NULL);
}

/* Returns zeros where nobody has written yet. */
static struct record
read_record(const struct gpu_lock *lock)
{
    struct record record = {0};

    if (pread(lock->fd, &record, sizeof record, 0) < 0)
        fprintf(stderr, "what a neighbour does cannot be read\n");
    return record;
}

/* Writes what arbiters that prepare write. Only one has PLACE_PREPARING at a time. */
static bool
write_prepared(const struct gpu_lock *lock, const struct record *record)
{
    const size_t size = offsetof(struct record, left_ns);

    return pwrite(lock->fd, record, size, 0) == (ssize_t)size;
}

/* Writes one number, for which only the arbiter that judges has a use. */
static void
write_judged(const struct gpu_lock *lock, size_t offset, uint64_t ns)
{
    if (pwrite(lock->fd, &ns, sizeof ns, (off_t)offset) != (ssize_t)sizeof ns)
        fprintf(stderr, "the next arbiter cannot be told of this one\n");
}

static void
write_left(const struct gpu_lock *lock, uint64_t left_ns)
{
    write_judged(lock, offsetof(struct record, left_ns), left_ns);
}

/* Tells the arbiter that measures that this one prepares, and holds no memory yet. */
static bool
begin_preparing(const struct gpu_lock *lock)
{
    const uint64_t until_ns = now_ns() + PREPARING_NS;
    struct record record;

    while (!place_try(lock, PLACE_PREPARING)) {
        if (now_ns() > until_ns || (errno != EAGAIN && errno != EACCES))
            return false;
        look_later();
    }
    record = read_record(lock);
    record.held_bytes = 0;
    return write_prepared(lock, &record);
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
    if (lock->makes_context)
        gpu_lock_leave_context(lock, 0);
    if (lock->fd >= 0)
        close(lock->fd);
    free(lock);
}

/* --- for the arbiter that prepares ahead, or follows ------------------------- */

/* Has this process the place of one that prepares? */
static bool
is_beside(const struct gpu_lock *lock)
{
    return lock != NULL && (lock->ahead || lock->follows);
}

/* Gets the GPU's place if both are free. The entry's is needed only meanwhile. */
static bool
try_step(const struct gpu_lock *lock)
{
    const bool has_gpu = place_try(lock, PLACE_ENTRY) && place_try(lock, PLACE_GPU);

    place_unlock(lock, PLACE_ENTRY);
    return has_gpu;
}

void
gpu_lock_enter(struct gpu_lock *lock)
{
    (void)gpu_lock_enter_within(lock, UINT64_MAX);
}

bool
gpu_lock_enter_within(struct gpu_lock *lock, uint64_t wait_ns)
{
    const uint64_t start_ns = now_ns();
    uint64_t waited_ns = 0;

    if (!is_beside(lock))
        return true;
    while (!(lock->inside = try_step(lock)) && waited_ns < wait_ns) {
        look_later();
        waited_ns = now_ns() - start_ns;
    }
    lock->entered_ns = now_ns();
    lock->waited_ns += lock->entered_ns - start_ns;
    return lock->inside;
}

/* Tells what is held, and for how long the GPU was busy with steps and contexts. */
static void
tell_of_work(const struct gpu_lock *lock, uint64_t step_ns, uint64_t context_ns,
             uint64_t held_bytes)
{
    struct record record = read_record(lock);

    record.held_bytes = held_bytes;
    record.step_ns += step_ns;
    record.context_ns += context_ns;
    if (!write_prepared(lock, &record))
        fprintf(stderr, "what is prepared cannot be told to who measures\n");
}

void
gpu_lock_leave(struct gpu_lock *lock, uint64_t held_bytes)
{
    if (lock == NULL || !lock->inside)
        return;
    tell_of_work(lock, now_ns() - lock->entered_ns, 0, held_bytes);
    place_unlock(lock, PLACE_GPU);
    lock->inside = false;
}

void
gpu_lock_enter_context(struct gpu_lock *lock)
{
    const uint64_t start_ns = now_ns();

    if (lock == NULL || !lock->ahead || lock->makes_context)
        return;
    place_wait(lock, PLACE_CONTEXT);
    lock->makes_context = true;
    lock->context_ns = now_ns();
    lock->waited_ns += lock->context_ns - start_ns;
}

void
gpu_lock_leave_context(struct gpu_lock *lock, uint64_t held_bytes)
{
    if (lock == NULL || !lock->makes_context)
        return;
    tell_of_work(lock, 0, now_ns() - lock->context_ns, held_bytes);
    place_unlock(lock, PLACE_CONTEXT);
    lock->makes_context = false;
}

void
gpu_lock_hold(struct gpu_lock *lock, uint64_t held_bytes)
{
    if (is_beside(lock))
        tell_of_work(lock, 0, 0, held_bytes);
}

uint64_t
gpu_lock_waited_ns(const struct gpu_lock *lock)
{
    return lock != NULL ? lock->waited_ns : 0;
}

/* The arbiter before this one is gone: notes how it has left the GPU, and gives the place
 * of one that prepares to the next. */
static void
begin_alone(struct gpu_lock *lock)
{
    lock->follows = false;
    lock->before_is_well = read_record(lock).left_ns != 0;
    write_left(lock, 0);
    /* Nobody else prepares yet, so that this is free. */
    lock->has_contexts = place_try(lock, PLACE_CONTEXT);
    place_unlock(lock, PLACE_PREPARING);
}

void
gpu_lock_begin(struct gpu_lock *lock, bool follows)
{
    if (lock == NULL)
        return;
    lock->follows = !place_try(lock, PLACE_JUDGING);
    if (!lock->follows)
        begin_alone(lock);
    if (!lock->follows && !follows)
        lock->before_is_well = true; /* the daemon has looked */
    lock->ahead = false;
}

bool
gpu_lock_follows(struct gpu_lock *lock)
{
    if (lock != NULL && lock->follows && place_try(lock, PLACE_JUDGING))
        begin_alone(lock);
    return lock != NULL && lock->follows;
}

/* Waits for at most wait_ns until the arbiter before is gone. */
static void
await_before(struct gpu_lock *lock, uint64_t wait_ns)
{
    const uint64_t until_ns = now_ns() + wait_ns;

    while (gpu_lock_follows(lock) && now_ns() < until_ns)
        look_later();
}

void
gpu_lock_await_before(struct gpu_lock *lock)
{
    await_before(lock, GIVE_UP_NS);
}

bool
gpu_lock_before_is_well(const struct gpu_lock *lock)
{
    return lock == NULL || lock->before_is_well;
}

void
gpu_lock_allow_contexts(struct gpu_lock *lock)
{
    if (lock == NULL)
        return;
    lock->forbids = false;
    if (lock->has_contexts)
        place_unlock(lock, PLACE_CONTEXT);
    lock->has_contexts = false;
}

void
gpu_lock_forbid_contexts(struct gpu_lock *lock)
{
    if (lock != NULL)
        lock->forbids = true;
}

void
gpu_lock_end(struct gpu_lock *lock)
{
    await_before(lock, LEAVING_NS);
}

void
gpu_lock_ends_well(struct gpu_lock *lock)
{
    if (lock != NULL)
        write_left(lock, now_ns());
}

/* --- for the arbiter that measures ------------------------------------------ */

void
gpu_lock_worked(struct gpu_lock *lock)
{
    if (lock != NULL)
        write_judged(lock, offsetof(struct record, worked_ns), now_ns());
}

bool
gpu_lock_try(struct gpu_lock *lock)
{
    if (gpu_lock_is_held(lock))
        return true;
    if (lock->since_ns == 0)
        lock->since_ns = now_ns();
    if (!gpu_lock_follows(lock)) {
        lock->has_entry = lock->has_entry || place_try(lock, PLACE_ENTRY);
        lock->has_gpu = lock->has_gpu || (lock->has_entry && place_try(lock, PLACE_GPU));
        lock->has_contexts =
            lock->has_contexts || (lock->forbids && place_try(lock, PLACE_CONTEXT));
    }
    return gpu_lock_is_held(lock) || now_ns() - lock->since_ns > GIVE_UP_NS;
}

void
gpu_lock_take(struct gpu_lock *lock)
{
    (void)gpu_lock_take_within(lock, UINT64_MAX);
}

bool
gpu_lock_take_within(struct gpu_lock *lock, uint64_t wait_ns)
{
    const uint64_t start_ns = now_ns();

    while (!gpu_lock_try(lock)) {
        if (now_ns() - start_ns >= wait_ns)
            return false;
        look_later();
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
    if (lock->has_contexts && lock->forbids)
        place_unlock(lock, PLACE_CONTEXT);
    lock->has_contexts = lock->has_contexts && !lock->forbids;
    lock->has_gpu = lock->has_entry = false;
    lock->since_ns = 0;
}

bool
gpu_lock_is_held(const struct gpu_lock *lock)
{
    return lock == NULL ||
           (lock->has_gpu && !lock->follows && (lock->has_contexts || !lock->forbids));
}

uint64_t
gpu_lock_idle_ns(const struct gpu_lock *lock)
{
    const uint64_t worked_ns = lock != NULL ? read_record(lock).worked_ns : 0;
    const uint64_t now = now_ns();

    return worked_ns != 0 && worked_ns <= now ? now - worked_ns : UINT64_MAX;
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
    return lock != NULL ? read_record(lock).step_ns : 0;
}

uint64_t
gpu_lock_beside_ns(const struct gpu_lock *lock)
{
    const struct record record = lock != NULL ? read_record(lock) : (struct record){0};

    return record.step_ns + record.context_ns;
}

bool
gpu_lock_was_undisturbed(const struct gpu_lock *lock, uint64_t beside_ns)
{
    if (lock == NULL)
        return true;
    if (is_locked(lock, PLACE_JUDGING)) /* the arbiter before is still ending */
        return false;
    /* The order matters: a neighbour that leaves between the two has written before. */
    return (lock->has_gpu || !is_locked(lock, PLACE_GPU)) &&
           !is_locked(lock, PLACE_CONTEXT) && gpu_lock_beside_ns(lock) == beside_ns;
}

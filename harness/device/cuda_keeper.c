/* How long a card may keep us waiting. The driver lets a process ask for a time slice of
 * any length, with which its kernel would keep the card to itself. While a submission's
 * process lives it is ended for that; the card is then free again within a moment, and
 * what waited goes on. */
#include "device/cuda_impl.h"
#include "device/patience.h"

#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Again and again until the wait is over; nobody else is hit by it, as a process that is
 * gone keeps its descriptor. */
static void
end_keeper(void *card)
{
    struct cuda *c = card;

    c->kept = true;
    (void)syscall(SYS_pidfd_send_signal, c->keeper, SIGKILL, NULL, 0);
}

/* It did not help: a card that answers nobody, or a process that a driver holds. Whoever
 * waits for this one is told by its end. */
static void
end_ourselves(void *card)
{
    const struct cuda *c = card;

    fprintf(stderr, "%s does not answer any more\n", c->base.info.name);
    _exit(4);
}

int
cuda_set_keeper(struct device *d, int pidfd, uint64_t limit_ms, struct report *r)
{
    static const struct patience_acts acts = {end_keeper, end_ourselves, NULL};
    struct cuda *c = of(d);

    c->keeper = pidfd;
    if (pidfd >= 0 && c->patience == NULL)
        c->patience = patience_new(limit_ms, &acts, c, r);
    return pidfd < 0 || c->patience != NULL ? 0 : -1;
}

void
cuda_begin_wait(struct cuda *c)
{
    if (c->keeper >= 0)
        patience_begin(c->patience);
}

int
cuda_end_wait(struct cuda *c, int rc, const char *what, struct report *r)
{
    if (c->keeper >= 0)
        (void)patience_end(c->patience);
    if (!c->kept || c->kept_told)
        return rc;
    c->kept_told = true;
    return report_fail(r, "%s: the program's process kept the card", what);
}

int
wait_stream(struct cuda *c, const char *what, struct report *r)
{
    return check_wait(c, c->cu->stream_wait(c->stream), what, r);
}

int
cuda_fault(struct device *d, struct fault *out, struct report *r)
{
    (void)r;
    if (!of(d)->kept)
        return 0;
    *out = (struct fault){.kind = FAULT_INTERRUPTED};
    snprintf(out->text, sizeof out->text,
             "the program kept the GPU to itself for seconds while the judge waited for "
             "it: when solve returns, all its work must be done");
    return 1;
}

/*
 * The modelled time of several devices. Each device has a clock, and so has the host that
 * gives them work.
 *
 * A piece of work begins when the device has done its earlier work and the host has come
 * to the call. So two devices work at the same time if the host gave both their work
 * before it waited for one of them. A copy from one device to another keeps both busy.
 * The machine's modelled time is that of the clock that is furthest; for one device alone
 * it is the sum of all its work.
 *
 * The work itself is done in the order of the calls, so that what devices do to each
 * other's memory does not depend on these clocks.
 */
#include "machine.h"

static double
later(double a, double b)
{
    return a > b ? a : b;
}

void
clock_spend(struct machine *m, double ns, bool all)
{
    double begin = later(m->clock_ns[m->current], m->host_clock_ns);

    for (int i = 0; all && i < m->options.devices; i++)
        begin = later(begin, m->clock_ns[i]);
    for (int i = 0; i < m->options.devices; i++)
        if (all || i == m->current)
            m->clock_ns[i] = begin + ns;
    m->counters.modelled_ns = later(m->counters.modelled_ns, begin + ns);
}

double
machine_clock(const struct machine *m)
{
    return m->clock_ns[m->current];
}

void
machine_wait(struct machine *m)
{
    m->host_clock_ns = later(m->host_clock_ns, m->clock_ns[m->current]);
}

void
machine_wait_all(struct machine *m)
{
    for (int i = 0; i < m->options.devices; i++)
        m->host_clock_ns = later(m->host_clock_ns, m->clock_ns[i]);
}

void
machine_wait_until(struct machine *m, double ns)
{
    m->clock_ns[m->current] = later(m->clock_ns[m->current], ns);
}

/* Why an access to global memory failed, in words. */
#include "machine.h"
#include "source.h"

#include <stdio.h>

/* An access that misses an array by more was meant for an array that nobody can tell. */
enum { MISSED_BYTES_MAX = 64 << 10 };

bool
memory_elements(const struct allocation *a, uint64_t address, uint32_t bytes, char *out,
                size_t size)
{
    const int64_t offset = (int64_t)(address - a->start), each = a->element_bytes;
    int64_t first, last;

    if (a->name[0] == '\0' || offset < -(int64_t)MISSED_BYTES_MAX ||
        (offset > 0 && (uint64_t)offset >= a->bytes + MISSED_BYTES_MAX))
        return false;
    first = offset >= 0 ? offset / each : -((each - 1 - offset) / each);
    last = (offset + bytes - 1 - first * each) / each + first;
    if (last <= first)
        snprintf(out, size, "%s[%lld]", a->name, (long long)first);
    else
        snprintf(out, size, "%s[%lld] to %s[%lld]", a->name, (long long)first, a->name,
                 (long long)last);
    return true;
}

void
memory_explain(struct machine *m, bool peers, uint64_t address, uint32_t bytes, char *out,
               size_t size)
{
    struct allocation *a = memory_nearest(m, address);
    uint64_t start, freed_bytes, end, past;
    char name[64];

    if (a != NULL && address - a->start < a->bytes &&
        !is_within_reach(m->current, peers, a)) {
        snprintf(out, size,
                 ", in a buffer of device %d; this is device %d, which was not given "
                 "access by cudaDeviceEnablePeerAccess",
                 a->device, m->current);
        return;
    }
    if (address < 4096) {
        snprintf(out, size, ", a null pointer");
        return;
    }
    if (memory_was_freed(m, address, &start, &freed_bytes)) {
        snprintf(out, size, ", inside a buffer of %llu bytes that was freed",
                 (unsigned long long)freed_bytes);
        return;
    }
    if (a != NULL && a->internal && address - a->start < a->bytes + 4096 &&
        variable_name(m, a, name, sizeof name)) {
        past = address + bytes - (a->start + a->bytes);
        snprintf(out, size, ", %llu bytes past the end of the variable %s of %llu bytes",
                 (unsigned long long)past, name, (unsigned long long)a->bytes);
        return;
    }
    if (a == NULL || a->internal) {
        snprintf(out, size, ", which no buffer holds");
        return;
    }
    end = a->start + a->bytes;
    past = address - end + bytes;
    if (address >= a->start && address < end)
        snprintf(out, size,
                 ", of which only the first %llu are inside a buffer of %llu bytes",
                 (unsigned long long)(end - address), (unsigned long long)a->bytes);
    else if (address >= end && address - end < 1 << 30)
        snprintf(out, size, ", %llu bytes past the end of a buffer of %llu bytes",
                 (unsigned long long)past, (unsigned long long)a->bytes);
    else if (address < a->start && a->start - address < 1 << 30)
        snprintf(out, size, ", %llu bytes before a buffer of %llu bytes",
                 (unsigned long long)(a->start - address), (unsigned long long)a->bytes);
    else if (address < GLOBAL_BASE)
        snprintf(out, size,
                 ", which is not a device address (perhaps the host's): kernels reach "
                 "what cudaMalloc has given");
    else
        snprintf(out, size, ", which no buffer holds");
}

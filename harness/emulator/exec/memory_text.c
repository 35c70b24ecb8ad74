/* Why an access to global memory failed, in words. */
#include "machine.h"
#include "source.h"

#include <stdio.h>

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
        snprintf(out, size, ", which is not a device address");
    else
        snprintf(out, size, ", which no buffer holds");
}

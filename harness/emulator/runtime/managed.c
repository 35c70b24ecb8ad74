/*
 * Hints about managed memory: where it should lie, and who reads it. It has only one
 * place here, so hints change nothing, but they are kept for programs that ask.
 */
#include "runtime.h"

#include <string.h>

#define NOWHERE cudaInvalidDeviceId

/* The number that attributes have for a place. */
static bool
place_number(struct cudaMemLocation l, int *number)
{
    *number = l.type == cudaMemLocationTypeDevice ? l.id : cudaCpuDeviceId;
    return l.type == cudaMemLocationTypeDevice
               ? l.id == 0
               : l.type >= cudaMemLocationTypeHost &&
                     l.type <= cudaMemLocationTypeHostNumaCurrent;
}

static cudaError_t
advise(struct wjrt_hints *h, enum cudaMemoryAdvise advice, int place)
{
    switch (advice) {
    case cudaMemAdviseSetReadMostly:
    case cudaMemAdviseUnsetReadMostly:
        h->read_mostly = advice == cudaMemAdviseSetReadMostly;
        return cudaSuccess;
    case cudaMemAdviseSetPreferredLocation:
        h->preferred = place;
        return cudaSuccess;
    case cudaMemAdviseUnsetPreferredLocation:
        h->preferred = NOWHERE;
        return cudaSuccess;
    case cudaMemAdviseSetAccessedBy:
        h->accessed_by = place;
        return cudaSuccess;
    case cudaMemAdviseUnsetAccessedBy:
        h->accessed_by = NOWHERE;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

cudaError_t
cudaMemAdvise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
              struct cudaMemLocation location)
{
    struct wjrt_hints *h = wjrt_managed_hints(pointer, bytes);
    bool has_place = advice != cudaMemAdviseSetReadMostly &&
                     advice != cudaMemAdviseUnsetReadMostly &&
                     advice != cudaMemAdviseUnsetPreferredLocation;
    int place;
    cudaError_t e = wjrt_connect();

    if (e == cudaSuccess && h == NULL)
        e = cudaErrorInvalidValue;
    if (e == cudaSuccess && !place_number(location, &place) && has_place)
        e = cudaErrorInvalidDevice;
    return wjrt_error(e == cudaSuccess ? advise(h, advice, place) : e);
}

static cudaError_t
prefetch(const void *pointer, size_t bytes, struct cudaMemLocation location)
{
    struct wjrt_hints *h = wjrt_managed_hints(pointer, bytes);
    int place;

    if (!place_number(location, &place))
        return cudaErrorInvalidDevice;
    if (h == NULL)
        return cudaErrorInvalidValue;
    h->prefetched = place;
    return cudaSuccess;
}

cudaError_t
cudaMemPrefetchAsync(const void *pointer, size_t bytes, struct cudaMemLocation location,
                     unsigned int flags, cudaStream_t stream)
{
    cudaError_t e = wjrt_connect();

    if (e == cudaSuccess && wjrt_stream(stream) == NULL)
        e = cudaErrorInvalidResourceHandle;
    if (e == cudaSuccess && flags != 0)
        e = cudaErrorInvalidValue;
    return wjrt_error(e == cudaSuccess ? prefetch(pointer, bytes, location) : e);
}
WJRT_PTSZ(cudaMemPrefetchAsync);

cudaError_t
cudaMemPrefetchBatchAsync(void **pointers, size_t *bytes, size_t count,
                          struct cudaMemLocation *locations, size_t *location_starts,
                          size_t location_count, unsigned long long flags,
                          cudaStream_t stream)
{
    size_t which = 0;
    cudaError_t e = wjrt_connect();

    if (e == cudaSuccess &&
        (pointers == NULL || bytes == NULL || locations == NULL ||
         location_starts == NULL || count == 0 || location_count == 0 ||
         location_count > count || flags != 0 || wjrt_stream(stream) == NULL))
        e = cudaErrorInvalidValue;
    for (size_t i = 0; i < count && e == cudaSuccess; i++) {
        while (which + 1 < location_count && location_starts[which + 1] <= i)
            which++;
        e = prefetch(pointers[i], bytes[i], locations[which]);
    }
    return wjrt_error(e);
}
WJRT_PTSZ(cudaMemPrefetchBatchAsync);

/* Afterwards the contents are undefined, so they may as well stay. */
cudaError_t
cudaMemDiscardBatchAsync(void **pointers, size_t *bytes, size_t count,
                         unsigned long long flags, cudaStream_t stream)
{
    cudaError_t e = wjrt_connect();

    if (e == cudaSuccess && (pointers == NULL || bytes == NULL || count == 0 ||
                             flags != 0 || wjrt_stream(stream) == NULL))
        e = cudaErrorInvalidValue;
    for (size_t i = 0; i < count && e == cudaSuccess; i++)
        if (wjrt_managed_hints(pointers[i], bytes[i]) == NULL)
            e = cudaErrorInvalidValue;
    return wjrt_error(e);
}
WJRT_PTSZ(cudaMemDiscardBatchAsync);

cudaError_t
cudaMemDiscardAndPrefetchBatchAsync(void **pointers, size_t *bytes, size_t count,
                                    struct cudaMemLocation *locations,
                                    size_t *location_starts, size_t location_count,
                                    unsigned long long flags, cudaStream_t stream)
{
    return cudaMemPrefetchBatchAsync(pointers, bytes, count, locations, location_starts,
                                     location_count, flags, stream);
}
WJRT_PTSZ(cudaMemDiscardAndPrefetchBatchAsync);

/* --- what was said ------------------------------------------------------------------ */

static cudaError_t
hint_tell(void *out, size_t size, enum cudaMemRangeAttribute attribute,
          const struct wjrt_hints *h)
{
    int value;

    switch (attribute) {
    case cudaMemRangeAttributeReadMostly:
        value = h->read_mostly;
        break;
    case cudaMemRangeAttributePreferredLocation:
        value = h->preferred;
        break;
    case cudaMemRangeAttributeLastPrefetchLocation:
        value = h->prefetched;
        break;
    case cudaMemRangeAttributeAccessedBy: /* a list, whose unused elements name no place
                                           */
        for (size_t i = 0; i + sizeof value <= size; i += sizeof value) {
            value = i == 0 ? h->accessed_by : NOWHERE;
            memcpy((char *)out + i, &value, sizeof value);
        }
        return size >= sizeof value && size % sizeof value == 0 ? cudaSuccess
                                                                : cudaErrorInvalidValue;
    default:
        return cudaErrorNotSupported;
    }
    if (size != sizeof value)
        return cudaErrorInvalidValue;
    memcpy(out, &value, sizeof value);
    return cudaSuccess;
}

cudaError_t
cudaMemRangeGetAttributes(void **out, size_t *sizes,
                          enum cudaMemRangeAttribute *attributes, size_t count,
                          const void *pointer, size_t bytes)
{
    const struct wjrt_hints *h = wjrt_managed_hints(pointer, bytes);
    cudaError_t e = wjrt_connect();

    if (e == cudaSuccess &&
        (out == NULL || sizes == NULL || attributes == NULL || count == 0 || h == NULL))
        e = cudaErrorInvalidValue;
    for (size_t i = 0; i < count && e == cudaSuccess; i++)
        e = out[i] != NULL ? hint_tell(out[i], sizes[i], attributes[i], h)
                           : cudaErrorInvalidValue;
    return wjrt_error(e);
}

cudaError_t
cudaMemRangeGetAttribute(void *out, size_t size, enum cudaMemRangeAttribute attribute,
                         const void *pointer, size_t bytes)
{
    return cudaMemRangeGetAttributes(&out, &size, &attribute, 1, pointer, bytes);
}

/* It names who may use managed memory. Here everybody may. */
cudaError_t
cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t bytes,
                         unsigned int flags)
{
    cudaError_t e = wjrt_connect();

    if (e == cudaSuccess && wjrt_stream(stream) == NULL)
        e = cudaErrorInvalidResourceHandle;
    if (e == cudaSuccess &&
        (wjrt_managed_hints(pointer, bytes != 0 ? bytes : 1) == NULL ||
         (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost &&
          flags != cudaMemAttachSingle)))
        e = cudaErrorInvalidValue;
    return wjrt_error(e);
}
WJRT_PTSZ(cudaStreamAttachMemAsync);

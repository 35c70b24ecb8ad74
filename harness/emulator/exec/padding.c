#include "padding.h"

enum { PADDING_MAX = 15, STRUCTURE_MAX = 256 };

/* Is [end - length, end) the same as what lies `length` bytes before it, and more than
 * half of it written? */
static bool
repeats(const uint8_t *shadow, size_t end, size_t length)
{
    size_t written = 0;

    for (size_t i = end - length; i < end; i++) {
        if ((shadow[i] != 0) != (shadow[i - length] != 0))
            return false;
        written += shadow[i] != 0;
    }
    return written > length - written;
}

bool
padding_fits(const uint8_t *shadow, size_t size, size_t at, size_t bytes)
{
    size_t first = at, end = at + bytes, align = 1;

    while (first > 0 && shadow[first - 1] == 0 && end - first <= PADDING_MAX)
        first--;
    while (end < size && shadow[end] == 0 && end - first <= PADDING_MAX)
        end++;
    while (align <= end - first)
        align *= 2;
    if (first == 0 || end - first > PADDING_MAX || end % align != 0)
        return false;
    for (size_t length = align; length <= STRUCTURE_MAX; length += align) {
        size_t behind = end > length ? end + length : 2 * length;

        if ((end >= 2 * length && repeats(shadow, end, length)) ||
            (end <= behind - length && behind <= size && repeats(shadow, behind, length)))
            return true;
    }
    return false;
}

/*
 * The LZ4 block format (lz4_Block_format.md of the LZ4 project). A block is a list of
 * sequences. A sequence is a token with two 4-bit lengths, a run of literal bytes, and
 * a match. A match is 2 bytes of distance back into the output, and it is at least 4
 * bytes long. After a length of 15 more bytes are added, up to the first that is not
 * 255. The last sequence has no match.
 */
#include "lz4.h"

#include <stdbool.h>
#include <string.h>

#define MATCH_LEAST 4u
#define LENGTH_GOES_ON 15u

struct input {
    const unsigned char *at, *end;
};

/* Adds the bytes that follow a 4-bit length. Returns false if the block ends within
 * them. */
static bool
read_length(struct input *in, size_t *length)
{
    unsigned char more = 255;

    if (*length < LENGTH_GOES_ON)
        return true;
    while (more == 255) {
        if (in->at == in->end)
            return false;
        more = *in->at++;
        *length += more;
    }
    return true;
}

/* Copies a match. If it overlaps what it writes, it repeats. */
static bool
copy_match(struct input *in, size_t length, unsigned char *to, size_t *done, size_t room)
{
    size_t distance;

    if (in->end - in->at < 2)
        return false;
    distance = in->at[0] | (size_t)in->at[1] << 8;
    in->at += 2;
    if (!read_length(in, &length))
        return false;
    length += MATCH_LEAST;
    if (distance == 0 || distance > *done || length > room - *done)
        return false;
    for (size_t i = 0; i < length; i++, ++*done)
        to[*done] = to[*done - distance];
    return true;
}

long
lz4_decompress(const unsigned char *from, size_t size, unsigned char *to, size_t room)
{
    struct input in = {from, from + size};
    size_t done = 0;

    while (in.at < in.end) {
        unsigned token = *in.at++;
        size_t literals = token >> 4;

        if (!read_length(&in, &literals) || literals > (size_t)(in.end - in.at) ||
            literals > room - done)
            return -1;
        memcpy(to + done, in.at, literals);
        in.at += literals;
        done += literals;
        if (in.at == in.end)
            return (long)done;
        if (!copy_match(&in, token & 15, to, &done, room))
            return -1;
    }
    return -1;
}

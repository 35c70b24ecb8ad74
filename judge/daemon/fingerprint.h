/* A number that tells bytes from others, for copies of them, not against forgers: it is
 * much faster than a cryptographic hash. */
#ifndef DAEMON_FINGERPRINT_H
#define DAEMON_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>

/* Of these bytes, and of those of which `before` is the fingerprint; 0 for none. */
uint64_t fingerprint(uint64_t before, const void *bytes, size_t len);

#endif

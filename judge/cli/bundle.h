/*
 * Signed results: a bundle says what was judged, how and when, and is signed with Ed25519
 * (RFC 8032) by libsodium. docs/grading.md defines the bytes that are signed. A bundle is
 * a claim of the key's owner. Nothing here or in the daemon takes one for a result.
 */
#ifndef CLI_BUNDLE_H
#define CLI_BUNDLE_H

#include "base/report.h"

#include <cjson/cJSON.h>

#define BUNDLE_PUBLIC_BYTES 32
#define BUNDLE_SECRET_BYTES 64
#define BUNDLE_PUBLIC_DIGITS (2 * BUNDLE_PUBLIC_BYTES)

struct bundle_key {
    unsigned char secret[BUNDLE_SECRET_BYTES];
    char public_hex[BUNDLE_PUBLIC_DIGITS + 1];
};

/* Makes a key: the secret one in a new file that only its owner may read, and the public
 * one in PATH.pub. */
int bundle_key_new(const char *path, struct report *r);

/* Reads a secret key. A file that others may read is refused. The caller erases it by
 * bundle_key_erase(). */
int bundle_key_read(const char *path, struct bundle_key *out, struct report *r);
void bundle_key_erase(struct bundle_key *key);

/* Reads a public key. */
int bundle_public_read(const char *path, char out[BUNDLE_PUBLIC_DIGITS + 1],
                       struct report *r);

/* Signs an object. Its members are strings, by the names of bundle_fields(); those that
 * are absent are signed as empty. Adds a nonce, the time, the public key and the
 * signature. */
void bundle_sign(cJSON *bundle, const struct bundle_key *key);

/* The names of the members that are signed, in their order, which NULL ends. */
const char *const *bundle_fields(void);

/* Checks that the signature is that of the members, by the key that the bundle names. -1
 * and a sentence where it is not. So it is where a member is missing, unknown or no
 * string. */
int bundle_check(const cJSON *bundle, struct report *r);

#endif

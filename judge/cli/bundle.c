#include "cli/bundle.h"

#include "base/buf.h"
#include "base/file.h"
#include "cli/answer.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY_FILE_BYTES_MAX 1024
#define SECRET_HEAD "warpjudge secret key 1\n"
#define PUBLIC_HEAD "warpjudge public key 1\n"
#define KIND_AT 10     /* in a head, */
#define KIND_LENGTH 10 /* "secret key" or "public key" */
#define NONCE_BYTES 16
#define FORMAT_HEAD "warpjudge bundle 1\n"

_Static_assert(BUNDLE_PUBLIC_BYTES == crypto_sign_PUBLICKEYBYTES, "Ed25519");
_Static_assert(BUNDLE_SECRET_BYTES == crypto_sign_SECRETKEYBYTES, "Ed25519");

/* The order of docs/grading.md, which no change may touch: another one is format 2. */
static const char *const FIELDS[] = {
    "id",      "nonce",  "signed_ms", "problem", "source", "meaning",    "seed",
    "toolkit", "driver", "card",      "board",   "stage",  "verdict",    "sizes",
    "time_ns", "low_ns", "high_ns",   "samples", "key",    "public_key", NULL};

const char *const *
bundle_fields(void)
{
    return FIELDS;
}

static void
bundle_init(void)
{
    if (sodium_init() < 0)
        die(4, "libsodium cannot be used");
}

/* --- keys ----------------------------------------------------------------- */

static int
key_write(const char *path, const char *head, const unsigned char *bytes, size_t len,
          mode_t mode, struct report *r)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    char hex[2 * BUNDLE_SECRET_BYTES + 1];
    char *text;
    bool written;

    if (fd < 0 && errno == EEXIST)
        return report_fail(
            r, "%s is there already, and is left as it is: name another file", path);
    if (fd < 0)
        return report_errno(r, "%s cannot be written", path);
    sodium_bin2hex(hex, sizeof hex, bytes, len);
    text = xasprintf("%s%s\n", head, hex);
    written = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    sodium_memzero(hex, sizeof hex);
    sodium_memzero(text, strlen(text));
    free(text);
    if (close(fd) == 0 && written)
        return 0;
    unlink(path);
    return report_fail(r, "%s cannot be written whole", path);
}

int
bundle_key_new(const char *path, struct report *r)
{
    unsigned char public[BUNDLE_PUBLIC_BYTES], secret[BUNDLE_SECRET_BYTES];
    char *public_path = xasprintf("%s.pub", path);
    int rc;

    bundle_init();
    crypto_sign_keypair(public, secret);
    rc = key_write(path, SECRET_HEAD, secret, sizeof secret, 0600, r);
    if (rc == 0) {
        rc = key_write(public_path, PUBLIC_HEAD, public, sizeof public, 0644, r);
        if (rc != 0)
            unlink(path);
    }
    sodium_memzero(secret, sizeof secret);
    free(public_path);
    return rc;
}

/* Reads hexadecimal digits behind a head line. */
static int
key_read(const char *path, const char *head, unsigned char *out, size_t bytes,
         struct report *r)
{
    struct buf text = {0};
    const size_t before = strlen(head);
    size_t len = 0;
    int rc = file_read(path, KEY_FILE_BYTES_MAX, &text, r);

    if (rc == 0 && (strncmp(buf_str(&text), head, before) != 0 ||
                    text.len != before + 2 * bytes + 1 ||
                    sodium_hex2bin(out, bytes, buf_str(&text) + before, 2 * bytes, NULL,
                                   &len, NULL) != 0 ||
                    len != bytes))
        rc = report_fail(r, "%s is no %.*s, as `warpjudge key new` makes it", path,
                         KIND_LENGTH, head + KIND_AT);
    if (text.len > 0)
        sodium_memzero(text.data, text.len);
    buf_free(&text);
    return rc;
}

int
bundle_key_read(const char *path, struct bundle_key *out, struct report *r)
{
    unsigned char public[BUNDLE_PUBLIC_BYTES];
    struct stat st;

    bundle_init();
    if (stat(path, &st) != 0)
        return report_errno(r, "%s cannot be read", path);
    if ((st.st_mode & 077) != 0)
        return report_fail(
            r, "others may read the secret key %s: `chmod 600 %s` keeps it secret", path,
            path);
    if (key_read(path, SECRET_HEAD, out->secret, sizeof out->secret, r) != 0)
        return -1;
    crypto_sign_ed25519_sk_to_pk(public, out->secret);
    sodium_bin2hex(out->public_hex, sizeof out->public_hex, public, sizeof public);
    return 0;
}

void
bundle_key_erase(struct bundle_key *key)
{
    sodium_memzero(key->secret, sizeof key->secret);
}

int
bundle_public_read(const char *path, char out[BUNDLE_PUBLIC_DIGITS + 1], struct report *r)
{
    unsigned char public[BUNDLE_PUBLIC_BYTES];

    bundle_init();
    if (key_read(path, PUBLIC_HEAD, public, sizeof public, r) != 0)
        return -1;
    sodium_bin2hex(out, BUNDLE_PUBLIC_DIGITS + 1, public, sizeof public);
    return 0;
}

/* --- bundles -------------------------------------------------------------- */

/* The bytes that are signed. Each value has its length before it, so that no two bundles
 * have the same bytes. */
static void
bundle_bytes(const cJSON *bundle, struct buf *out)
{
    buf_puts(out, FORMAT_HEAD);
    for (int i = 0; FIELDS[i] != NULL; i++) {
        const char *value = answer_string(bundle, FIELDS[i]);

        buf_printf(out, "%s %zu\n", FIELDS[i], strlen(value));
        buf_puts(out, value);
        buf_puts(out, "\n");
    }
}

static void
bundle_set(cJSON *bundle, const char *name, const char *value)
{
    cJSON_DeleteItemFromObjectCaseSensitive(bundle, name);
    cJSON_AddStringToObject(bundle, name, value);
}

void
bundle_sign(cJSON *bundle, const struct bundle_key *key)
{
    unsigned char nonce[NONCE_BYTES], signature[crypto_sign_BYTES];
    char hex[2 * crypto_sign_BYTES + 1], ms[24];
    struct buf bytes = {0};

    random_bytes(nonce, sizeof nonce);
    sodium_bin2hex(hex, sizeof hex, nonce, sizeof nonce);
    bundle_set(bundle, "nonce", hex);
    snprintf(ms, sizeof ms, "%lld", (long long)now_ms());
    bundle_set(bundle, "signed_ms", ms);
    bundle_set(bundle, "public_key", key->public_hex);
    for (int i = 0; FIELDS[i] != NULL; i++)
        if (cJSON_GetObjectItemCaseSensitive(bundle, FIELDS[i]) == NULL)
            cJSON_AddStringToObject(bundle, FIELDS[i], "");
    bundle_bytes(bundle, &bytes);
    crypto_sign_detached(signature, NULL, (const unsigned char *)bytes.data, bytes.len,
                         key->secret);
    sodium_bin2hex(hex, sizeof hex, signature, sizeof signature);
    bundle_set(bundle, "signature", hex);
    buf_free(&bytes);
}

/* Are its members those that are signed, and the signature, each once and a string? */
static int
bundle_check_members(const cJSON *bundle, struct report *r)
{
    const cJSON *item;
    int count = 0;

    for (int i = 0; FIELDS[i] != NULL; i++, count++)
        if (!cJSON_IsString(cJSON_GetObjectItemCaseSensitive(bundle, FIELDS[i])))
            return report_fail(r, "the bundle's \"%s\" is missing, or no string",
                               FIELDS[i]);
    if (!cJSON_IsString(cJSON_GetObjectItemCaseSensitive(bundle, "signature")))
        return report_fail(r, "the bundle has no signature");
    cJSON_ArrayForEach(item, bundle)
    {
        count--;
    }
    return count == -1 ? 0
                       : report_fail(r, "the bundle has a member that is not signed, or "
                                        "one twice");
}

int
bundle_check(const cJSON *bundle, struct report *r)
{
    unsigned char public[BUNDLE_PUBLIC_BYTES], signature[crypto_sign_BYTES];
    const char *public_hex = answer_string(bundle, "public_key"),
               *hex = answer_string(bundle, "signature");
    struct buf bytes = {0};
    int rc = 0;

    bundle_init();
    if (bundle_check_members(bundle, r) != 0)
        return -1;
    if (strlen(public_hex) != 2 * sizeof public || strlen(hex) != 2 * sizeof signature ||
        sodium_hex2bin(public, sizeof public, public_hex, strlen(public_hex), NULL, NULL,
                       NULL) != 0 ||
        sodium_hex2bin(signature, sizeof signature, hex, strlen(hex), NULL, NULL, NULL) !=
            0)
        return report_fail(r, "the bundle's key or signature is not hexadecimal");
    bundle_bytes(bundle, &bytes);
    if (crypto_sign_verify_detached(signature, (const unsigned char *)bytes.data,
                                    bytes.len, public) != 0)
        rc = report_fail(r, "the signature is not that of this bundle: something in it "
                            "was changed");
    buf_free(&bytes);
    return rc;
}

/* Verifies and hashes passwords in two threads, beside the event loop. */
#include "daemon/hashing.h"

#include "base/buf.h"
#include "daemon/thread_pool.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PASSES 2
#define MEMORY_BYTES ((size_t)19 << 20)

_Static_assert(HASHING_TEXT_BYTES >= crypto_pwhash_STRBYTES, "a text does not fit");

struct hashing_job {
    struct pool_task task; /* comes first, since it is what the threads know */
    struct hashing *hashing;
    char *proves, *stored, *sets; /* NULL where there is none */
    bool is_first;
    struct hashing_result result;
    void (*done)(void *arg, const struct hashing_result *result);
    void *arg;
};

struct hashing {
    struct thread_pool *pool;
    int jobs, firsts; /* which are not done; the second counts first passwords */
    char nobody[HASHING_TEXT_BYTES]; /* the stored text of a password that none is */
};

/* Frees a password, which nobody can read afterwards. */
static void
password_free(char *password)
{
    if (password != NULL)
        explicit_bzero(password, strlen(password));
    free(password);
}

static void
job_free(struct hashing_job *job)
{
    password_free(job->proves);
    password_free(job->sets);
    free(job->stored);
    explicit_bzero(&job->result, sizeof job->result);
    free(job);
}

/* How many jobs of this kind are not done. */
static int *
jobs_of_kind(struct hashing *h, bool is_first)
{
    return is_first ? &h->firsts : &h->jobs;
}

/* Without memory nothing is right, and nothing is set. */
static void
job_run(struct pool_task *task)
{
    struct hashing_job *job = (struct hashing_job *)task;
    struct hashing_result *result = &job->result;
    const char *stored = job->stored != NULL ? job->stored : job->hashing->nobody;

    result->right = true;
    if (job->proves != NULL)
        result->right =
            crypto_pwhash_str_verify(stored, job->proves, strlen(job->proves)) == 0 &&
            job->stored != NULL;
    if (result->right && job->sets != NULL &&
        crypto_pwhash_str_alg(result->text, job->sets, strlen(job->sets), PASSES,
                              MEMORY_BYTES, crypto_pwhash_ALG_ARGON2ID13) != 0)
        result->text[0] = '\0';
}

static void
job_done(struct pool_task *task, bool dropped)
{
    struct hashing_job *job = (struct hashing_job *)task;

    *jobs_of_kind(job->hashing, job->is_first) -= 1;
    job->done(job->arg, dropped ? NULL : &job->result);
    job_free(job);
}

/* --- the loop's side ---------------------------------------------------- */

/* The text of random bytes, as if they were salt and hash. Nobody knows a password for
 * it. */
static void
hashing_draw_nobody(struct hashing *h)
{
    unsigned char salt[crypto_pwhash_SALTBYTES], hash[32];
    char salt_text[24], hash_text[44];

    randombytes_buf(salt, sizeof salt);
    randombytes_buf(hash, sizeof hash);
    sodium_bin2base64(salt_text, sizeof salt_text, salt, sizeof salt,
                      sodium_base64_VARIANT_ORIGINAL_NO_PADDING);
    sodium_bin2base64(hash_text, sizeof hash_text, hash, sizeof hash,
                      sodium_base64_VARIANT_ORIGINAL_NO_PADDING);
    snprintf(h->nobody, sizeof h->nobody, "$argon2id$v=19$m=%zu,t=%d,p=1$%s$%s",
             MEMORY_BYTES / 1024, PASSES, salt_text, hash_text);
}

struct hashing *
hashing_new(struct event_base *base, struct report *r)
{
    struct hashing *h = xcalloc(1, sizeof *h);

    if (sodium_init() < 0)
        report_fail(r, "passwords cannot be hashed on this machine");
    else
        h->pool = thread_pool_new(base, HASHING_THREADS, "finished passwords", r);
    if (h->pool == NULL) {
        hashing_free(h);
        return NULL;
    }
    hashing_draw_nobody(h);
    return h;
}

void
hashing_free(struct hashing *h)
{
    if (h == NULL)
        return;
    thread_pool_free(h->pool);
    free(h);
}

static char *
copy_or_null(const char *text)
{
    return text != NULL ? xstrdup(text) : NULL;
}

int
hashing_add(struct hashing *h, const struct hashing_task *task,
            void (*done)(void *arg, const struct hashing_result *result), void *arg)
{
    const int most = task->is_first ? HASHING_FIRST : HASHING_WAITING;
    struct hashing_job *job;

    if (*jobs_of_kind(h, task->is_first) >= most)
        return -1;
    job = xcalloc(1, sizeof *job);
    *job = (struct hashing_job){.task = {.run = job_run, .done = job_done},
                                .hashing = h,
                                .proves = copy_or_null(task->proves),
                                .stored = copy_or_null(task->stored),
                                .sets = copy_or_null(task->sets),
                                .is_first = task->is_first,
                                .done = done,
                                .arg = arg};
    *jobs_of_kind(h, task->is_first) += 1;
    thread_pool_add(h->pool, &job->task);
    return 0;
}

int
password_check_length(const char *password, struct report *r)
{
    if (strlen(password) <= PASSWORD_BYTES_MAX)
        return 0;
    return report_fail(r, "a password has at most %d bytes", PASSWORD_BYTES_MAX);
}

int
password_check(const char *password, struct report *r)
{
    const size_t len = strlen(password);
    size_t characters = 0;

    for (size_t i = 0; i < len; i++)
        characters += ((unsigned char)password[i] & 0xc0) != 0x80;
    if (characters < PASSWORD_LEAST)
        return report_fail(r, "a password has at least %d characters", PASSWORD_LEAST);
    return password_check_length(password, r);
}

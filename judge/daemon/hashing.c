/* Verifies and hashes passwords in two threads, beside the event loop. */
#include "daemon/hashing.h"

#include "base/buf.h"
#include "daemon/loop_watch.h"
#include "daemon/thread.h"

#include <event2/event.h>
#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define PASSES 2
#define MEMORY_BYTES ((size_t)19 << 20)

_Static_assert(HASHING_TEXT_BYTES >= crypto_pwhash_STRBYTES, "a text does not fit");

struct hashing_job {
    struct hashing_job *next;
    char *proves, *stored, *sets; /* NULL where there is none */
    bool is_first;
    struct hashing_result result;
    void (*done)(void *arg, const struct hashing_result *result);
    void *arg;
};

/* Jobs, the oldest first. */
struct job_list {
    struct hashing_job *first, **end;
};

struct hashing {
    pthread_t thread[HASHING_THREADS];
    int threads;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t work;
    struct job_list waiting, finished;
    int waiting_count, waiting_first; /* the second counts first passwords */
    bool ends;

    int told; /* an eventfd: something is finished */
    struct event *event;
    char nobody[HASHING_TEXT_BYTES]; /* the stored text of a password that none is */
};

/* --- jobs --------------------------------------------------------------- */

static void
job_append(struct job_list *list, struct hashing_job *job)
{
    job->next = NULL;
    *(list->first != NULL ? list->end : &list->first) = job;
    list->end = &job->next;
}

static struct hashing_job *
job_take(struct job_list *list)
{
    struct hashing_job *job = list->first;

    if (job != NULL)
        list->first = job->next;
    return job;
}

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

/* How many jobs of this kind wait. */
static int *
jobs_waiting(struct hashing *h, bool is_first)
{
    return is_first ? &h->waiting_first : &h->waiting_count;
}

/* --- threads ------------------------------------------------------------ */

/* Without memory nothing is right, and nothing is set. */
static void
job_run(const struct hashing *h, struct hashing_job *job)
{
    struct hashing_result *result = &job->result;

    result->right = true;
    if (job->proves != NULL)
        result->right =
            crypto_pwhash_str_verify(job->stored != NULL ? job->stored : h->nobody,
                                     job->proves, strlen(job->proves)) == 0 &&
            job->stored != NULL;
    if (result->right && job->sets != NULL &&
        crypto_pwhash_str_alg(result->text, job->sets, strlen(job->sets), PASSES,
                              MEMORY_BYTES, crypto_pwhash_ALG_ARGON2ID13) != 0)
        result->text[0] = '\0';
}

static void *
hashing_run(void *arg)
{
    struct hashing *h = arg;
    struct hashing_job *job;

    pthread_mutex_lock(&h->lock);
    for (;;) {
        while (!h->ends && h->waiting.first == NULL)
            pthread_cond_wait(&h->work, &h->lock);
        if (h->ends)
            break;
        job = job_take(&h->waiting);
        *jobs_waiting(h, job->is_first) -= 1;
        pthread_mutex_unlock(&h->lock);
        job_run(h, job);
        pthread_mutex_lock(&h->lock);
        job_append(&h->finished, job);
        (void)eventfd_write(h->told, 1); /* it fails only where it is told already */
    }
    pthread_mutex_unlock(&h->lock);
    return NULL;
}

static int
hashing_start(struct hashing *h, struct report *r)
{
    for (; h->threads < HASHING_THREADS; h->threads++)
        if (thread_start(&h->thread[h->threads], hashing_run, h, r) != 0)
            return -1;
    return 0;
}

/* --- the loop's side ---------------------------------------------------- */

static void
hashing_on_finished(evutil_socket_t fd, short what, void *arg)
{
    LOOP_HANDLER("finished passwords");
    struct hashing *h = arg;
    struct hashing_job *job;
    eventfd_t count;

    (void)fd;
    (void)what;
    (void)eventfd_read(h->told, &count);
    for (;;) {
        pthread_mutex_lock(&h->lock);
        job = job_take(&h->finished);
        pthread_mutex_unlock(&h->lock);
        if (job == NULL)
            break;
        job->done(job->arg, &job->result);
        job_free(job);
    }
}

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

    h->told = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    h->event = event_new(base, h->told, EV_READ | EV_PERSIST, hashing_on_finished, h);
    pthread_mutex_init(&h->lock, NULL);
    pthread_cond_init(&h->work, NULL);
    if (h->event == NULL || h->told < 0 || event_add(h->event, NULL) != 0 ||
        sodium_init() < 0) {
        report_fail(r, "passwords cannot be hashed on this machine");
    } else {
        hashing_draw_nobody(h);
        if (hashing_start(h, r) == 0)
            return h;
    }
    hashing_free(h);
    return NULL;
}

void
hashing_free(struct hashing *h)
{
    struct hashing_job *job;

    if (h == NULL)
        return;
    pthread_mutex_lock(&h->lock);
    h->ends = true;
    pthread_cond_broadcast(&h->work);
    pthread_mutex_unlock(&h->lock);
    for (int i = 0; i < h->threads; i++)
        pthread_join(h->thread[i], NULL);
    while ((job = job_take(&h->finished)) != NULL ||
           (job = job_take(&h->waiting)) != NULL) {
        job->done(job->arg, NULL);
        job_free(job);
    }
    if (h->event != NULL)
        event_free(h->event);
    if (h->told >= 0)
        close(h->told);
    pthread_cond_destroy(&h->work);
    pthread_mutex_destroy(&h->lock);
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
    int rc = -1;

    pthread_mutex_lock(&h->lock);
    if (*jobs_waiting(h, task->is_first) < most) {
        job = xcalloc(1, sizeof *job);
        *job = (struct hashing_job){.proves = copy_or_null(task->proves),
                                    .stored = copy_or_null(task->stored),
                                    .sets = copy_or_null(task->sets),
                                    .is_first = task->is_first,
                                    .done = done,
                                    .arg = arg};
        job_append(&h->waiting, job);
        *jobs_waiting(h, task->is_first) += 1;
        pthread_cond_signal(&h->work);
        rc = 0;
    }
    pthread_mutex_unlock(&h->lock);
    return rc;
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

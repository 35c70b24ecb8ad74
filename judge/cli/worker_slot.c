/* One device of a worker, or one of its compilers: it registers, waits for work, judges
 * or compiles, and leaves. */
#include "cli/worker.h"

#include "base/buf.h"
#include "base/file.h"
#include "cli/answer.h"
#include "cli/cli.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S UINT64_C(1000000000)
#define ASK_S 15  /* the daemon answers after so long where there is no work */
#define RETRY_S 2 /* after a failure */
#define ANSWER_MS 90000L
#define LOOK_MS 200   /* how often an idle arbiter is looked at */
#define MARGIN_S 60.0 /* before --until, beside twice the longest judgement */

static void
slot_say(const struct worker_slot *s, const char *text)
{
    fprintf(stderr, "warpjudge worker: %s: %s\n", s->device->name, text);
}

cJSON *
worker_message(const struct worker_slot *s)
{
    cJSON *o = cJSON_CreateObject();

    cJSON_AddStringToObject(o, "worker", s->id != NULL ? s->id : "");
    return o;
}

/* Waits a little, unless the worker is to stop. */
static void
slot_rest(const struct worker_slot *s)
{
    struct pollfd p = {.fd = s->setup->signals, .events = POLLIN};

    poll(&p, 1, RETRY_S * 1000);
}

/* Looks after the arbiter between two judgements. It leaves where another process of the
 * worker needs the GPU, and the GPU is given back when it has ended. */
static void
slot_look(void *arg)
{
    struct worker_slot *s = arg;

    if (!worker_arbiter_is_there(s->arbiter))
        return;
    if (worker_device_is_wanted(s))
        worker_arbiter_dismiss(s->arbiter);
    worker_arbiter_wait(s->arbiter, 0);
    if (!worker_arbiter_is_there(s->arbiter))
        worker_leave_devices(s);
}

/* --- leaving ------------------------------------------------------------ */

/* Why the worker takes no work any more, or NULL. */
static const char *
slot_reason_to_leave(const struct worker_slot *s)
{
    const struct worker_setup *setup = s->setup;
    const double needs_s = MARGIN_S + 2 * (double)s->longest_ns / (double)NS_PER_S;

    if (worker_is_to_stop(setup))
        return "it was told to stop";
    if (setup->until_s != 0 && worker_seconds_left(setup) < needs_s)
        return "its time is nearly over (--until)";
    /* A compiler beside devices that are idle is told when those have left. */
    if (s->device->compiles && setup->device_count > 0)
        return NULL;
    if (setup->idle_s != 0 && now_ns() - atomic_load(&setup->sharing.memory->worked_ns) >
                                  (uint64_t)setup->idle_s * NS_PER_S)
        return "it has had no work for a while (--idle-s)";
    return NULL;
}

/* Tells the daemon, where that knows it, that the slot leaves. */
static void
slot_tell_leaving(struct worker_slot *s, const char *why)
{
    cJSON *body, *answer = NULL;
    struct report r = {0};

    if (s->id == NULL)
        return;
    client_interrupt_on(s->client, -1);
    body = worker_message(s);
    cJSON_AddStringToObject(body, "reason", why);
    if (client_post(s->client, "/api/worker/leave", body, &answer, &r) != CLIENT_OK)
        slot_say(s, r.text);
    cJSON_Delete(answer);
    cJSON_Delete(body);
}

static void
slot_leave(struct worker_slot *s, const char *why)
{
    slot_say(s, why);
    worker_arbiter_dismiss(s->arbiter);
    slot_tell_leaving(s, why);
}

/* --- asking ------------------------------------------------------------- */

static bool
slot_may(const cJSON *answer, const char *name)
{
    const cJSON *role;

    cJSON_ArrayForEach(role, answer_array(answer, "roles"))
    {
        if (cJSON_IsString(role) && strcmp(role->valuestring, name) == 0)
            return true;
    }
    return false;
}

/* Says once of a worker that only compiles that its token may do more. The machine of
 * such a worker is often one that others use, and whoever takes the token could judge. */
static void
slot_warn_of_token(const struct worker_slot *s, const cJSON *answer)
{
    if (s->setup->device_count == 0 && slot_may(answer, "judge") &&
        !atomic_exchange(&s->setup->sharing.memory->has_warned, true))
        slot_say(s, "whoever gets hold of this token can also judge with it; one of "
                    "`warpjudge token new NAME --scopes worker --role compile` is "
                    "enough here");
}

/* A worker with devices and compilers needs a token for both. Whichever of its processes
 * learns first that the token is for one of them says so, and all end (worker_fork.c). */
static int
slot_refuse_token(struct worker_slot *s, struct report *r)
{
    slot_tell_leaving(s, "its token is not for all that it does");
    if (!atomic_exchange(&s->setup->sharing.memory->refused, true))
        report_fail(r, "--compilers needs a token whose workers may judge and compile: "
                       "an admin makes one by `warpjudge token new NAME --scopes "
                       "worker`");
    return EXIT_BAD_INPUT;
}

static enum client_result
slot_register(struct worker_slot *s, struct report *r)
{
    const struct worker_setup *setup = s->setup;
    const struct worker_device *d = s->device;
    const bool does_both = setup->compilers > 0 && setup->device_count > 0;
    cJSON *body = cJSON_CreateObject(), *answer = NULL;
    enum client_result result;

    cJSON_AddNumberToObject(body, "format", JOB_FORMAT);
    cJSON_AddStringToObject(body, "role", d->compiles ? "compile" : "judge");
    cJSON_AddStringToObject(body, "linked", setup->linked);
    if (setup->sharing.siblings[0] != '\0' && !d->compiles)
        cJSON_AddStringToObject(body, "siblings", setup->sharing.siblings);
    cJSON_AddStringToObject(body, "node", setup->node);
    cJSON_AddStringToObject(body, "device", d->name);
    cJSON_AddStringToObject(body, "board", d->board);
    cJSON_AddStringToObject(body, "title", d->title);
    cJSON_AddStringToObject(body, "arch", d->arch);
    cJSON_AddStringToObject(body, "toolkit", setup->toolkit);
    cJSON_AddStringToObject(body, "driver", setup->driver);
    cJSON_AddStringToObject(body, "lacks", setup->lacks);
    cJSON_AddNumberToObject(body, "memory_bytes", (double)d->memory_bytes);
    cJSON_AddNumberToObject(body, "insecure", setup->insecure);
    result = client_post(s->client, "/api/worker/register", body, &answer, r);
    if (result == CLIENT_OK) {
        s->id = xstrdup(answer_string(answer, "worker"));
        s->registered = true;
        s->heartbeat_s = answer_count(answer, "heartbeat_seconds");
        s->lease_s = answer_count(answer, "lease_seconds");
        s->stay = answer_count(answer, "stay");
        s->token_is_short =
            does_both && !(slot_may(answer, "judge") && slot_may(answer, "compile"));
        slot_warn_of_token(s, answer);
    } else if (result == CLIENT_REFUSED) {
        s->token_is_short =
            does_both && strcmp(client_refused_member(s->client), "/role") == 0;
    }
    if (result == CLIENT_OK && !s->token_is_short)
        slot_say(s, d->compiles ? "compiles" : "judges");
    cJSON_Delete(answer);
    cJSON_Delete(body);
    return result;
}

/* Asks for work and judges it, if there is any. */
static enum client_result
slot_take_work(struct worker_slot *s, struct report *r)
{
    cJSON *body = worker_message(s), *answer = NULL;
    const cJSON *lease;
    enum client_result result;

    cJSON_AddNumberToObject(body, "wait_s", ASK_S);
    client_interrupt_on(s->client, s->setup->signals);
    client_look_each(s->client, LOOK_MS, slot_look, s);
    result = client_post(s->client, "/api/worker/lease", body, &answer, r);
    client_look_each(s->client, 0, NULL, NULL);
    client_interrupt_on(s->client, -1);
    lease = cJSON_GetObjectItemCaseSensitive(answer, "lease");
    if (result == CLIENT_OK && cJSON_IsObject(lease)) {
        const uint64_t begin_ns = now_ns();

        uint64_t end_ns;

        worker_judge(s, lease);
        end_ns = now_ns();
        worker_has_worked(s, answer_string(lease, "arch"));
        if (end_ns - begin_ns > s->longest_ns)
            s->longest_ns = end_ns - begin_ns;
    }
    cJSON_Delete(answer);
    cJSON_Delete(body);
    return result;
}

/* Are they the same but for numbers? libcurl says after how many milliseconds it found
 * nobody. */
static bool
slot_means_the_same(const char *one, const char *other)
{
    static const char DIGITS[] = "0123456789";

    for (;; one++, other++) {
        one += strspn(one, DIGITS);
        other += strspn(other, DIGITS);
        if (*one != *other)
            return false;
        if (*one == '\0')
            return true;
    }
}

/* Says what went wrong, once where the same goes wrong again and again. */
static void
slot_say_failure(struct worker_slot *s, const char *text)
{
    if (s->said != NULL && slot_means_the_same(s->said, text))
        return;
    free(s->said);
    s->said = xstrdup(text);
    slot_say(s, text);
}

/* One round of the loop. Returns the exit status where the worker can do nothing here, or
 * -1 where it goes on. */
static int
slot_step(struct worker_slot *s, struct report *r)
{
    struct report why = {0};
    enum client_result result;

    slot_look(s);
    result = s->id == NULL ? slot_register(s, &why) : slot_take_work(s, &why);
    if (s->token_is_short)
        return slot_refuse_token(s, r);
    if (result == CLIENT_OK || result == CLIENT_INTERRUPTED) {
        free(s->said);
        s->said = NULL;
        return -1;
    }
    if (result == CLIENT_REFUSED && strcmp(client_refusal(s->client), "no_worker") != 0) {
        report_fail(r, "%s", why.text);
        return EXIT_BAD_INPUT;
    }
    slot_say_failure(s, why.text);
    if (result == CLIENT_REFUSED) {
        free(s->id);
        s->id = NULL;
    } else {
        slot_rest(s);
    }
    return -1;
}

int
worker_work(const struct worker_setup *setup, const struct worker_device *device,
            struct report *r)
{
    struct worker_slot s = {.setup = setup, .device = device, .heartbeat_s = 1};
    const char *why = NULL;
    int status = -1;

    s.client = client_open_at(setup->config, setup->url, setup->token, r);
    if (s.client == NULL)
        return EXIT_BAD_INPUT;
    client_wait_longer(s.client, ANSWER_MS);
    s.arbiter = worker_arbiter_new(device->name);
    while (status == -1 && (why = slot_reason_to_leave(&s)) == NULL)
        status = slot_step(&s, r);
    if (status == -1) {
        slot_leave(&s, why);
        status = 0;
    }
    /* It has asked, and the judge was never there. */
    if (status == 0 && !s.registered && s.said != NULL && !worker_is_to_stop(setup)) {
        report_fail(r, "%s", s.said);
        status = EXIT_UNREACHABLE;
    }
    worker_arbiter_free(s.arbiter);
    client_close(s.client);
    free(s.said);
    free(s.id);
    return status;
}

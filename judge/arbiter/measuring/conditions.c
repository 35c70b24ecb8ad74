#include "arbiter/measuring/conditions.h"

#include "arbiter/measuring/calibration.h"
#include "base/buf.h"
#include "base/file.h"
#include "device/nvml.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PHASES_MAX 8
/* A calibration may be off by chance once. On a throttled GPU it is off each time. */
#define CALIBRATIONS_MAX 3

struct conditions {
    struct device *device;
    struct nvml *nvml;
    const char *home;
    char *path; /* the history's file; NULL: not loaded yet */
    struct calibration_history history;
    int compared_with; /* how many calibrations the history had before */
    struct device_rates rates;
    struct calibration before, after;
    double before_seconds, after_seconds; /* what the calibrations took */
    double *null_ns;
    int null_count;
    bool behind;
    bool has_after;
    char *off;       /* NULL: as usual so far */
    double bus_free; /* < 0: not watched */
    struct sample_state {
        struct gpu_state gpu; /* where there is nvml */
        double bus_bytes;     /* < 0: not known */
    } * state;
    int states, capacity;
    struct phases {
        struct phase {
            const char *name;
            double seconds;
        } phase[PHASES_MAX];
        int count;
    } phases, steps;
};

static void
log_failure(const char *what, const struct report *r)
{
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, r->text);
}

/* Compares a calibration with the history, and then adds it. */
static void
take_in(struct conditions *c, const struct calibration *now, const char *when)
{
    char *off = calibration_off(&c->history, now);

    if (off != NULL && c->off == NULL)
        c->off = xasprintf("%s the timed calls the GPU was not as usual, %s: it was "
                           "throttled, or something else used it",
                           when, off);
    free(off);
    calibration_add(&c->history, now);
}

/* Loads the history of this GPU, whose id the first calibration tells. */
static void
load_history(struct conditions *c, const char *id)
{
    struct report r = {0};

    if (c->path != NULL)
        return;
    c->path = xasprintf("%s/calibration/%s.json", c->home, id);
    calibration_load(c->path, &c->history, &r);
    if (report_is_set(&r))
        log_failure("calibrations begin anew", &r);
    c->compared_with = c->history.count;
}

static int
measure_calibration(struct conditions *c, struct calibration *out, double *seconds,
                    struct report *r)
{
    const uint64_t start = now_ns();
    bool is_off = true;
    int rc = 1;

    for (int i = 0; i < CALIBRATIONS_MAX && is_off && rc > 0; i++) {
        struct device_rates now = {0};
        char *off;

        /* Timed calls have just kept the GPU awake, unless what they find is odd. */
        rc = device_rates(c->device, i == 0, &now, r);
        if (rc <= 0)
            break;
        c->rates = now;
        *out = calibration_of(&now);
        load_history(c, now.id);
        off = calibration_off(&c->history, out);
        is_off = off != NULL;
        free(off);
    }
    *seconds = (double)(now_ns() - start) / 1e9;
    return rc;
}

struct conditions *
conditions_begin(struct device *d, const char *home)
{
    struct conditions *c = xcalloc(1, sizeof *c);
    struct report r = {0};
    int rc;

    c->device = d;
    c->home = home;
    rc = measure_calibration(c, &c->before, &c->before_seconds, &r);
    if (rc <= 0) {
        if (rc < 0)
            log_failure("the GPU cannot be calibrated", &r);
        free(c->path);
        free(c);
        return NULL;
    }
    c->nvml = nvml_open(c->rates.id);
    take_in(c, &c->before, "before");
    return c;
}

void
conditions_begin_samples(struct conditions *c, const double *null_ns, int n, bool behind,
                         double bus_free)
{
    if (c == NULL)
        return;
    c->null_ns = xrealloc(c->null_ns, (size_t)n * sizeof *null_ns);
    memcpy(c->null_ns, null_ns, (size_t)n * sizeof *null_ns);
    c->null_count = n;
    c->behind = behind;
    c->bus_free = bus_free;
    c->states = 0;
}

void
conditions_sample(struct conditions *c, double bus_bytes)
{
    if (c == NULL)
        return;
    if (c->states == c->capacity) {
        c->capacity = c->capacity != 0 ? 2 * c->capacity : 32;
        c->state = xrealloc(c->state, (size_t)c->capacity * sizeof *c->state);
    }
    c->state[c->states].bus_bytes = bus_bytes;
    if (c->nvml != NULL)
        nvml_read(c->nvml, &c->state[c->states].gpu);
    c->states++;
}

static void
note_phase(struct phases *p, const char *name, double seconds)
{
    if (p->count < PHASES_MAX)
        p->phase[p->count++] = (struct phase){name, seconds};
}

void
conditions_seconds(struct conditions *c, const char *name, double seconds)
{
    if (c != NULL)
        note_phase(&c->phases, name, seconds);
}

void
conditions_step(struct conditions *c, const char *name, double seconds)
{
    if (c != NULL)
        note_phase(&c->steps, name, seconds);
}

static void
add_phases(cJSON *o, const char *key, const struct phases *p)
{
    cJSON *item = cJSON_AddObjectToObject(o, key);

    for (int i = 0; i < p->count; i++)
        cJSON_AddNumberToObject(item, p->phase[i].name, p->phase[i].seconds);
}

static void
add_calibration(cJSON *o, const char *key, const struct calibration *c, double seconds)
{
    cJSON *item = cJSON_AddObjectToObject(o, key);

    cJSON_AddNumberToObject(item, "copy_gbs", c->copy_bytes_per_ns);
    cJSON_AddNumberToObject(item, "read_gbs", c->read_bytes_per_ns);
    cJSON_AddNumberToObject(item, "fp32_tflops", c->fp32_per_ns / 1e3);
    cJSON_AddNumberToObject(item, "seconds", seconds);
}

/* Adds one value of every sample. member is the offset of a double in struct
 * sample_state. */
static void
add_states(cJSON *o, const char *key, const struct conditions *c, size_t member)
{
    cJSON *list = cJSON_AddArrayToObject(o, key);

    for (int i = 0; i < c->states; i++) {
        const double value =
            *(const double *)(const void *)((const char *)&c->state[i] + member);

        cJSON_AddItemToArray(list,
                             value >= 0 ? cJSON_CreateNumber(value) : cJSON_CreateNull());
    }
}

static void
add_gpu_states(cJSON *o, const struct conditions *c)
{
    add_states(o, "sm_mhz", c, offsetof(struct sample_state, gpu.sm_mhz));
    add_states(o, "memory_mhz", c, offsetof(struct sample_state, gpu.memory_mhz));
    add_states(o, "temperature_c", c, offsetof(struct sample_state, gpu.temperature_c));
    add_states(o, "power_w", c, offsetof(struct sample_state, gpu.power_w));
    add_states(o, "throttle", c, offsetof(struct sample_state, gpu.throttle));
}

static char *
describe_conditions(const struct conditions *c)
{
    cJSON *o = cJSON_CreateObject();
    char *text;

    cJSON_AddStringToObject(o, "gpu", c->rates.id);
    cJSON_AddNumberToObject(o, "compared_with", c->compared_with);
    add_calibration(o, "before", &c->before, c->before_seconds);
    if (c->has_after)
        add_calibration(o, "after", &c->after, c->after_seconds);
    cJSON_AddItemToObject(o, "null_samples_ns",
                          cJSON_CreateDoubleArray(c->null_ns, c->null_count));
    cJSON_AddStringToObject(o, "copied", c->behind ? "behind" : "after");
    add_phases(o, "seconds", &c->phases);
    if (c->steps.count > 0)
        add_phases(o, "steps", &c->steps);
    if (c->states > 0 && c->nvml != NULL)
        add_gpu_states(o, c);
    if (c->bus_free >= 0) {
        cJSON_AddNumberToObject(o, "bus_free", c->bus_free);
        add_states(o, "bus_bytes", c, offsetof(struct sample_state, bus_bytes));
    }
    text = cJSON_PrintUnformatted(o);
    cJSON_Delete(o);
    return text;
}

static void
save_conditions(const struct conditions *c)
{
    char *folder = xasprintf("%.*s", (int)(strrchr(c->path, '/') - c->path), c->path);
    struct report r = {0};

    if (file_mkdirs(folder, &r) != 0 || calibration_save(c->path, &c->history, &r) != 0)
        log_failure("calibrations cannot be kept", &r);
    free(folder);
}

char *
conditions_end(struct conditions *c, struct timing *out, struct device_rates *rates)
{
    struct report r = {0};
    char *off;

    if (c == NULL)
        return NULL;
    if (measure_calibration(c, &c->after, &c->after_seconds, &r) > 0) {
        c->has_after = true;
        take_in(c, &c->after, "after");
    } else {
        log_failure("the GPU cannot be calibrated again", &r);
    }
    save_conditions(c);
    calibration_best(&c->history, &c->rates);
    *rates = c->rates;
    out->conditions = describe_conditions(c);
    off = c->off;
    c->off = NULL;
    return off;
}

void
conditions_free(struct conditions *c)
{
    if (c == NULL)
        return;
    nvml_close(c->nvml);
    free(c->path);
    free(c->off);
    free(c->state);
    free(c->null_ns);
    free(c);
}

/*
 * The time of a submission. TIMING_FIELDS is the one list of its fields, from which
 * struct timing, result.json, the database and the HTTP API are made.
 *
 * To add a field, add a row to it, and a migration to store.c that adds its column. The
 * arbiter fills it in, mostly in arbiter/measuring/timing_result.c; timing.c and
 * conditions.c there fill the rest. cli/result.c shows it to people.
 */
#ifndef RECORD_TIMING_FIELDS_H
#define RECORD_TIMING_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

/* How a kind of field is stored and shown.
 *
 *     TIME            nanoseconds; NULL in database and API where there is no timing
 *     KNOWN_TIME      the same, and also NULL where it is 0, which means "not known"
 *     WORK            bytes or operations; the API shows them divided by the time
 *     FLAG            false where there is no timing
 *     COUNT           0 where there is no timing
 *     TEXT            an empty text where there is none
 *     OPTIONAL_TEXT   absent where it is NULL
 *     OPTIONAL_JSON   a JSON object kept as text; absent where it is NULL; the API shows
 *                     it among the details of a submission
 */
enum timing_kind {
    TIMING_TIME,
    TIMING_KNOWN_TIME,
    TIMING_WORK,
    TIMING_FLAG,
    TIMING_COUNT,
    TIMING_TEXT,
    TIMING_OPTIONAL_TEXT,
    TIMING_OPTIONAL_JSON
};

/* Times are nanoseconds. On emu they are modelled, not measured.
 *
 *     median_ns         the time by which a submission is ranked
 *     q1_ns, q3_ns      the quartiles of the samples
 *     low_ns, high_ns   the median's 95% interval; docs/timing.md has that of emu
 *     empty_ns          the interval of the empty call; 0 on emu
 *     sizes             the sizes of the benchmark
 *     work_*            the benchmark's work, as the spec states it
 *     roofline_ns       what the hardware needs at least for this work
 *     roofline_by       what sets the roofline: "memory", "fp32", ...
 *     review            the time is so near the roofline that a person should look
 *     remark            a sentence that says why the time is less sure, or longer
 *     conditions        calibration, clocks and temperatures
 *     warmup            how many untimed calls came before the first sample
 *
 * empty_ns is subtracted from every interval but the full ones
 * (arbiter/measuring/bus_watch.h). The API shows the fields in the order of the rows. */
/*    kind           member       result.json    column        HTTP API, or NULL */
#define TIMING_FIELDS(X)                                                                 \
    X(TIME, median_ns, "median_ns", "time_ns", "time_ns")                                \
    X(FLAG, modelled, "modelled", "modelled", "modelled")                                \
    X(TIME, q1_ns, "q1_ns", "q1_ns", "q1_ns")                                            \
    X(TIME, q3_ns, "q3_ns", "q3_ns", "q3_ns")                                            \
    X(TIME, low_ns, "low_ns", "low_ns", "low_ns")                                        \
    X(TIME, high_ns, "high_ns", "high_ns", "high_ns")                                    \
    X(TIME, empty_ns, "null_ns", "null_ns", "null_ns")                                   \
    X(TEXT, sizes, "sizes", "sizes", "sizes")                                            \
    X(WORK, work_bytes, "work_bytes", "work_bytes", "bandwidth_gbs")                     \
    X(WORK, work_flops, "work_flops", "work_flops", "gflops")                            \
    X(KNOWN_TIME, roofline_ns, "limit_ns", "limit_ns", "limit_ns")                       \
    X(OPTIONAL_TEXT, roofline_by, "limit_by", "limit_by", "limit_by")                    \
    X(FLAG, review, "review", "review", "review")                                        \
    X(OPTIONAL_TEXT, remark, "remark", "remark", "remark")                               \
    X(OPTIONAL_JSON, conditions, "conditions", "conditions", "conditions")               \
    X(COUNT, warmup, "warmup", "warmup", NULL)

/* The C type of each kind. */
#define TIMING_TYPE_TIME double
#define TIMING_TYPE_KNOWN_TIME double
#define TIMING_TYPE_WORK double
#define TIMING_TYPE_FLAG bool
#define TIMING_TYPE_COUNT int
#define TIMING_TYPE_TEXT char *
#define TIMING_TYPE_OPTIONAL_TEXT char *
#define TIMING_TYPE_OPTIONAL_JSON char *

struct timing {
    bool present; /* false: there is no time, and every other field is 0 */
    int sample_count;
    double *sample_ns; /* in the order in which they were taken */
#define X(kind, member, json, column, api) TIMING_TYPE_##kind member;
    TIMING_FIELDS(X)
#undef X
};

struct timing_field {
    enum timing_kind kind;
    const char *json, *column, *api; /* api may be NULL */
    size_t offset;                   /* of the member in struct timing */
};

/* The rows of TIMING_FIELDS, in their order. */
enum timing_index {
#define X(kind, member, json, column, api) TIMING_INDEX_##member,
    TIMING_FIELDS(X)
#undef X
        TIMING_FIELD_COUNT
};

extern const struct timing_field timing_fields[TIMING_FIELD_COUNT];

/* The value of a field, by the C type of its kind. */
double timing_field_number(const struct timing *t, const struct timing_field *f);
bool timing_field_flag(const struct timing *t, const struct timing_field *f);
int timing_field_count(const struct timing *t, const struct timing_field *f);
const char *timing_field_text(const struct timing *t, const struct timing_field *f);

/* The member itself, to be filled in: its C type is that of the field's kind. */
void *timing_field_member(struct timing *t, const struct timing_field *f);

/* Does a TIME or KNOWN_TIME hold a time? A time that is not known is NULL for people. */
bool timing_field_is_known(const struct timing *t, const struct timing_field *f);

/* Adds a sentence to the remark, behind those that it has. Takes ownership of text. */
void timing_fields_remark(struct timing *t, char *text);

/* Frees what t owns and leaves it without a time. */
void timing_fields_free(struct timing *t);

#endif

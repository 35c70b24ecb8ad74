/*
 * Equal work: submissions of several people to one problem whose sources have one digest,
 * or whose PTX has (compile/equal.h). It is told to the staff. That two digests are one
 * says nothing of who had the idea: a small kernel's PTX is the same for everybody.
 *
 * A submission's digests are stored with its result. When another user's submission to
 * the problem has one of them already, the digest becomes a row of equal_work. So what is
 * shared is listed without a look at what is not, and each look costs the people that it
 * tells, at most EQUAL_PEOPLE_MAX, however large the database is.
 *
 * Submissions are told in the order of their numbers, which is that in which the judge
 * took them. No clock can change it.
 *
 * Of submissions from before schema 22, and of those that never reached the compiler, no
 * digest is known. Only nvcc could tell their PTX, so a rejudgement gives it to them.
 *
 * When digests are taken in another way, a step of the schema must set the columns of
 * digests to NULL and empty equal_work. Old and new ones are not to be compared.
 */
#ifndef RECORD_EQUAL_H
#define RECORD_EQUAL_H

#include "record/store.h"

#define EQUAL_PEOPLE_MAX 100

/*       enumerator  name in the API */
#define EQUAL_KINDS(X)                                                                   \
    X(SOURCE, "source")                                                                  \
    X(PTX, "ptx")

enum equal_kind { /* the database has these numbers */
#define X(name, text) EQUAL_##name,
                  EQUAL_KINDS(X)
#undef X
                      EQUAL_KIND_COUNT
};

const char *equal_kind_name(enum equal_kind kind);

/* Somebody who has sent equal work, with the first of it. */
struct equal_person {
    int64_t account;
    char *user;
    char *display_name; /* to show beside the user; empty where there is none */
    int64_t submission, created_ms;
    char source[65]; /* the digest of that submission's source; "": not known */
};

/* What several people have sent. The one whose submission came first is the first. */
struct equal_work {
    int64_t id; /* of the row of equal_work; 0: it has none */
    char *problem;
    enum equal_kind kind;
    struct digest digest;
    struct equal_person *person;
    size_t count;
    bool more; /* there are others beyond EQUAL_PEOPLE_MAX, of younger accounts */
};

void equal_work_free(struct equal_work *w);

/* Is it PTX that only sources with one digest became? Then the equal sources tell all of
 * it. */
bool equal_work_follows_from_source(const struct equal_work *w);

/* The newest row below the number `before`, of one problem or, for NULL, of any. One that
 * fewer than two people have by now is left out. Where there is none, *found is false and
 * out is not touched. */
int store_equal_before(struct store *s, const char *problem, int64_t before, bool *found,
                       struct equal_work *out, struct report *r);

/* Where a page of `count` rows ends: *last is the number of its last row, or 0 where none
 * follows. */
int store_equal_end(struct store *s, const char *problem, int64_t before, int64_t count,
                    int64_t *last, struct report *r);

/* Tells for each kind who else has work equal to a submission. A digest with size 0 is
 * not known. The caller frees both. */
int store_equal_to(struct store *s, int64_t id, struct equal_work out[EQUAL_KIND_COUNT],
                   struct report *r);

/* A row of equal_work without its people. Its texts live until the function that is shown
 * it returns. */
struct equal_row {
    int64_t id;
    const char *problem, *digest;
    enum equal_kind kind;
};

/* Where a look at all rows goes on; all zeros: at the first one. */
struct equal_key {
    char *problem;
    char digest[65];
    enum equal_kind kind;
};

void equal_key_free(struct equal_key *k);

/* Shows up to `most` rows behind *after, those of a problem one after another, and sets
 * *after to the last of them. *more is false where none follows. */
int store_look_at_equal(struct store *s, int most,
                        void (*look)(void *arg, const struct equal_row *row), void *arg,
                        struct equal_key *after, bool *more, struct report *r);

/* The row with this number and its people, also where these are fewer than two. */
int store_equal_read(struct store *s, int64_t id, bool *found, struct equal_work *out,
                     struct report *r);

#endif

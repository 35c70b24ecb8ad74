/*
 * Groups are classes: who teaches whom. They are rows of the store's database (store.h).
 *
 * A place in a group belongs to a row of `users`. It is `invited` while the name is
 * reserved for a person without an account. It is `asked` while a person with an account
 * has not agreed, and `joined` after that. Only who has joined has rights in the
 * group, so that nobody is put into a group against their will.
 *
 * A roster reserves a name by an unclaimed row of `users`, which open registration and
 * codes do not give away. An invitation of a group is good for one such name, and never
 * for the name of an account: a teacher cannot get into anybody's account by it. A code
 * of a group is for many people, until it expires or was used often enough. Of both only
 * the SHA-256 is stored (accounts.h).
 *
 * Functions return 0, or -1 with a report where the store fails. Times are milliseconds
 * since 1970.
 */
#ifndef RECORD_GROUPS_H
#define RECORD_GROUPS_H

#include "base/report.h"
#include "record/accounts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store;

#define GROUP_PLACES_MAX 2000 /* of a group */
#define GROUP_CODES_MAX 20    /* of a group, at one time */

/* What somebody is in a group. */
enum standing_in_group {
    IN_GROUP_NONE,
    IN_GROUP_ASKED, /* also invited: there is a place that is not taken yet */
    IN_GROUP_MEMBER,
    IN_GROUP_TEACHER,
};

/* --- groups -------------------------------------------------------------- */

struct group {
    int64_t id;
    char *name;
    int64_t created_ms;
    int64_t members;                 /* who have joined and do not teach */
    enum standing_in_group standing; /* of the account that asks */
};

struct groups {
    struct group *row;
    size_t count;
};

void group_free(struct group *g);
void groups_free(struct groups *list);

/* Makes a group whose teacher is this account. *taken: there is one of this name. */
int store_add_group(struct store *s, const char *name, int64_t teacher, bool *taken,
                    struct report *r);

/* The group of this name, and what the account is in it. Sets *out only where found. */
int store_group(struct store *s, const char *name, int64_t account, bool *found,
                struct group *out, struct report *r);

/* Those in which the account has a place, by name; or all of them. */
int store_groups(struct store *s, int64_t account, bool all, struct groups *out,
                 struct report *r);

/* Removes the group with all that hangs on it. Names that it has reserved are free. */
int store_delete_group(struct store *s, int64_t group, struct report *r);

/* --- places -------------------------------------------------------------- */

struct group_place {
    int64_t account;
    char *user, *full_name, *student_id;
    bool teacher, joined, reserved; /* reserved: the name is nobody's account yet */
    int64_t since_ms; /* when they joined; before that, when they were asked */
};

struct group_places {
    struct group_place *row;
    size_t count;
};

void group_places_free(struct group_places *list);

/* All places of a group, by the user's name. */
int store_group_places(struct store *s, int64_t group, struct group_places *out,
                       struct report *r);

/* The place of this name in a group. The list has one row, or none. */
int store_group_place(struct store *s, int64_t group, const char *user,
                      struct group_places *out, struct report *r);

/* How many have joined as teachers. */
int store_group_teachers(struct store *s, int64_t group, int64_t *count,
                         struct report *r);

int store_set_teacher(struct store *s, int64_t group, int64_t account, bool teacher,
                      struct report *r);

/* Takes the place away, with the invitations to it. A name that was reserved for it alone
 * is free. */
int store_leave_group(struct store *s, int64_t group, const struct group_place *place,
                      struct report *r);

/* The ranking of the members' entries on a board, which the caller releases. */
struct board;
struct ranking;
int store_group_ranking(struct store *s, int64_t group, const struct board *b,
                        struct ranking **out, struct report *r);

/* --- rosters ------------------------------------------------------------- */

enum enrolment {
    ENROL_INVITED,  /* the name is reserved, and there is an invitation */
    ENROL_ASKED,    /* the account has a place, and joins by a code */
    ENROL_KEPT,     /* the place was there; full name and id are as in the roster */
    ENROL_OLD_NAME, /* refused: somebody has submitted under the name */
    ENROL_RESERVED, /* refused: another group has reserved it */
    ENROL_CLOSED,   /* refused: the account is closed */
    ENROL_FULL,     /* refused: the group has GROUP_PLACES_MAX places */
};

/* A row of a roster. The texts are not empty, but may be NULL but for the user. */
struct enrolled {
    const char *user; /* of user_name_check() */
    const char *full_name, *student_id;
    enum enrolment result;
    char invitation[SECRET_BYTES]; /* only if ENROL_INVITED */
};

/* Takes all rows in one transaction, or none: then *refused is the index of the row that
 * says why. Otherwise *refused is `count`. Invitations end at expires_ms. */
int store_enrol(struct store *s, int64_t group, struct enrolled *rows, size_t count,
                int64_t expires_ms, size_t *refused, struct report *r);

/* Draws a new invitation for a reserved name of the group. Those before it are useless.
 */
int store_invite_again(struct store *s, int64_t group, const struct group_place *place,
                       int64_t expires_ms, char invitation[SECRET_BYTES],
                       struct report *r);

/* --- codes --------------------------------------------------------------- */

struct group_code {
    int64_t created_ms, expires_ms;
    int64_t uses_left;
};

struct group_codes {
    struct group_code *row;
    size_t count;
};

/* *full: the group has GROUP_CODES_MAX codes that are good. */
int store_add_group_code(struct store *s, int64_t group, const char *hash,
                         int64_t expires_ms, int64_t uses, bool *full, struct report *r);

/* Those that are good, the oldest first. The caller frees the rows. */
int store_group_codes(struct store *s, int64_t group, struct group_codes *out,
                      struct report *r);

/* Makes all codes of the group useless. */
int store_withdraw_group_codes(struct store *s, int64_t group, struct report *r);

enum join_group_result {
    JOIN_GROUP_DONE,
    JOIN_GROUP_UNKNOWN, /* the code is not known, used up, or too old */
    JOIN_GROUP_FULL,    /* the group has no place left */
};

/* The account joins the group of a code, of which the hash is given. It uses the code
 * once where the account had not joined before. *group is its name, which the caller
 * frees, where the result is JOIN_GROUP_DONE. */
int store_join_group(struct store *s, const char *hash, int64_t account,
                     enum join_group_result *result, char **group, struct report *r);

#endif

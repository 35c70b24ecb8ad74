#include "sandbox/ids_range.h"

#include "base/buf.h"
#include "sandbox/ids.h"

#include <ctype.h>
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- reading -------------------------------------------------------------- */

/* Reads a number below 2^32 that ends at `end`, and goes behind it. */
static bool
id_read(const char **at, char end, uint32_t *out)
{
    char *behind;
    unsigned long long value;

    if (!isdigit((unsigned char)**at))
        return false;
    errno = 0;
    value = strtoull(*at, &behind, 10);
    if (errno != 0 || value > UINT32_MAX || *behind != end)
        return false;
    *out = (uint32_t)value;
    *at = behind + (end != '\0');
    return true;
}

int
ids_range_parse(const char *text, struct ids_range *out, struct report *r)
{
    struct ids_range range;

    if (!id_read(&text, ':', &range.uid) || !id_read(&text, ':', &range.gid) ||
        !id_read(&text, '\0', &range.count))
        return report_fail(r, "this must be UID:GID:COUNT, or none");
    *out = range;
    return 0;
}

bool
ids_file_grants(const char *file, const char *login, uint32_t uid, uint32_t *first,
                uint32_t *count)
{
    char number[16];
    FILE *f = fopen(file, "re");
    char *line = NULL;
    size_t cap = 0;
    bool found = false;

    snprintf(number, sizeof number, "%u", (unsigned)uid);
    while (f != NULL && !found && getline(&line, &cap, f) > 0) {
        const char *at = strchr(line, ':');
        const size_t len = at != NULL ? (size_t)(at - line) : 0;

        line[strcspn(line, "\n")] = '\0';
        if (at++ == NULL || ((strlen(login) != len || strncmp(line, login, len) != 0) &&
                             (strlen(number) != len || strncmp(line, number, len) != 0)))
            continue;
        found = id_read(&at, ':', first) && id_read(&at, '\0', count);
    }
    free(line);
    if (f != NULL)
        fclose(f);
    return found;
}

int
ids_range_granted(struct ids_range *out, struct report *why)
{
    const uint32_t uid = geteuid();
    const struct passwd *own = getpwuid(uid);
    const char *login = own != NULL ? own->pw_name : "";
    struct ids_range range;
    uint32_t groups;

    if (ids_file_grants("/etc/subuid", login, uid, &range.uid, &range.count) &&
        ids_file_grants("/etc/subgid", login, uid, &range.gid, &groups)) {
        range.count = range.count < groups ? range.count : groups;
        *out = range;
        return 0;
    }
    if (uid == 0) {
        *out = (struct ids_range){IDS_FIRST, IDS_FIRST, IDS_COUNT};
        return 0;
    }
    return report_fail(why, "/etc/subuid and /etc/subgid grant it no ids");
}

/* --- checking ------------------------------------------------------------- */

/* Has our own user namespace all of these ids? Lines of the map are: inside, outside, how
 * many (user_namespaces(7)). */
static bool
ids_are_mapped(const char *map, uint32_t first, uint32_t count)
{
    const uint64_t end = (uint64_t)first + count;
    FILE *f = fopen(map, "re");
    char *line = NULL;
    size_t cap = 0;
    bool there = false;

    while (f != NULL && !there && getline(&line, &cap, f) > 0) {
        char *at = line;
        const uint64_t from = strtoull(at, &at, 10);

        (void)strtoull(at, &at, 10);
        there = first >= from && end <= from + strtoull(at, NULL, 10);
    }
    free(line);
    if (f != NULL)
        fclose(f);
    return there;
}

static bool
is_within(uint32_t id, uint32_t first, uint32_t count)
{
    return id >= first && id - first < count;
}

/* Local accounts only: a directory of many users may take long to list. */
static int
accounts_check(const struct ids_range *range, struct report *why)
{
    FILE *users = fopen("/etc/passwd", "re"), *groups = fopen("/etc/group", "re");
    const struct passwd *user;
    const struct group *group;
    int rc = 0;

    while (rc == 0 && users != NULL && (user = fgetpwent(users)) != NULL)
        if (is_within(user->pw_uid, range->uid, range->count))
            rc = report_fail(why, "uid %u is the account %s", (unsigned)user->pw_uid,
                             user->pw_name);
    while (rc == 0 && groups != NULL && (group = fgetgrent(groups)) != NULL)
        if (is_within(group->gr_gid, range->gid, range->count))
            rc = report_fail(why, "gid %u is the group %s", (unsigned)group->gr_gid,
                             group->gr_name);
    if (users != NULL)
        fclose(users);
    if (groups != NULL)
        fclose(groups);
    return rc;
}

int
ids_range_check(const struct ids_range *range, struct report *why)
{
    if (range->count < IDS_COUNT_MIN)
        return report_fail(why, "%u ids are not enough: %u or more",
                           (unsigned)range->count, IDS_COUNT_MIN);
    if (range->uid == 0 || range->gid == 0 ||
        is_within(geteuid(), range->uid, range->count) ||
        is_within(getegid(), range->gid, range->count))
        return report_fail(why, "the judge's own ids and 0 are not for sandboxes");
    if (!ids_are_mapped("/proc/self/uid_map", range->uid, range->count) ||
        !ids_are_mapped("/proc/self/gid_map", range->gid, range->count))
        return report_fail(why, "this machine or container has no ids from %u to %u",
                           (unsigned)range->uid,
                           (unsigned)(range->uid + range->count - 1));
    return accounts_check(range, why);
}

/* Backups are made and restored without the daemon: who may read its database may have a
 * copy, and nobody else. */
#include "cli/backup.h"

#include "base/buf.h"
#include "base/file.h"
#include "cli/cli.h"
#include "record/lock.h"
#include "record/store_copy.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Prints what the file holds; `aside`: what the database before is called now. */
static void
print_contents(struct cli *cli, const char *file, const struct store_contents *c,
               const char *aside)
{
    cJSON *o;

    if (cli->args.flag[FLAG_JSON] == NULL) {
        terminal_print(
            &cli->out, STYLE_PLAIN,
            "%s holds %lld submissions (%lld of them wait) of %lld users, %lld "
            "bytes\n",
            file, (long long)c->submissions, (long long)c->waiting, (long long)c->users,
            (long long)c->bytes);
        if (aside != NULL)
            terminal_print(&cli->out, STYLE_PLAIN, "what was there before is %s\n",
                           aside);
        return;
    }
    o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "file", file);
    cJSON_AddNumberToObject(o, "submissions", (double)c->submissions);
    cJSON_AddNumberToObject(o, "waiting", (double)c->waiting);
    cJSON_AddNumberToObject(o, "users", (double)c->users);
    cJSON_AddNumberToObject(o, "bytes", (double)c->bytes);
    if (aside != NULL)
        cJSON_AddStringToObject(o, "before", aside);
    cli_print_json(cli, o);
    cJSON_Delete(o);
}

int
backup_write(struct cli *cli, const char *file)
{
    struct store_contents contents;
    int status = cli_configure(cli);

    if (status != 0)
        return status;
    if (store_backup(cli->config.database, file, &contents, &cli->report) != 0)
        return EXIT_BAD_INPUT;
    print_contents(cli, file, &contents, NULL);
    terminal_print(&cli->err, STYLE_DIM,
                   "It holds all sources, and hashes of passwords and tokens: keep it as "
                   "you keep the database.\n");
    return 0;
}

/* Only the owner of the home restores. Root would follow whatever links another user has
 * put there, and would leave files that the daemon cannot write. */
static int
check_owner(const char *home, struct report *r)
{
    struct stat st;

    if (stat(home, &st) != 0)
        return report_errno(r, "%s cannot be read", home);
    if (st.st_uid == geteuid())
        return 0;
    return report_fail(r, "%s belongs to another user (uid %u): restore as that user",
                       home, (unsigned)st.st_uid);
}

int
backup_restore(struct cli *cli, const char *file)
{
    struct store_contents contents;
    char *aside = NULL;
    int status = cli_configure(cli);

    if (status != 0)
        return status;
    if (file_mkdirs(cli->config.home, &cli->report) != 0 ||
        check_owner(cli->config.home, &cli->report) != 0 ||
        lock_home(cli->config.home, &cli->report) < 0 ||
        store_restore(file, cli->config.database, &aside, &contents, &cli->report) != 0) {
        report_prefix(&cli->report, "nothing was restored");
        return EXIT_BAD_INPUT;
    }
    print_contents(cli, cli->config.database, &contents, aside);
    free(aside);
    return 0;
}

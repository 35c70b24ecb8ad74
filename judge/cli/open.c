/* `open`: the judge's pages in a browser, or their address where there is no screen. */
#include "cli/open.h"
#include "base/buf.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "problem/names.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __APPLE__
#define OPENER "open"
#else
#define OPENER "xdg-open"
#endif

/* Is there a screen on which a browser could appear? */
static bool
has_screen(void)
{
#ifdef __APPLE__
    return true;
#else
    const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");

    return (x != NULL && x[0] != '\0') || (wayland != NULL && wayland[0] != '\0');
#endif
}

/* Has the desktop open the address. Where it cannot, the address that was printed is all
 * there is. */
static void
open_in_browser(const char *url)
{
    const pid_t pid = fork();

    if (pid == 0) {
        execlp(OPENER, OPENER, url, (char *)NULL);
        _exit(127);
    }
    if (pid > 0)
        waitpid(pid, NULL, 0);
}

/* The address of the judge's pages, without a slash at its end. The caller frees. NULL,
 * with *status set, where no browser can reach them. */
static char *
pages_address(struct cli *cli, int *status)
{
    const char *url = client_url(cli->client);
    enum client_result result;
    cJSON *health = NULL;
    char *pages = NULL;

    if (url != NULL) {
        pages = xstrdup(url);
        while (strlen(pages) > 0 && pages[strlen(pages) - 1] == '/')
            pages[strlen(pages) - 1] = '\0';
        return pages;
    }
    result = client_get(cli->client, "/api/health", &health, &cli->report);
    *status = client_exit_status(result);
    if (result == CLIENT_OK && answer_string(health, "pages")[0] != '\0') {
        pages = xstrdup(answer_string(health, "pages"));
    } else if (result == CLIENT_OK) {
        report_fail(&cli->report,
                    "this judge has no address that a browser can open: stop it, and "
                    "start `warpjudge serve --listen 127.0.0.1:8080 --open`");
        *status = EXIT_BAD_INPUT;
    }
    cJSON_Delete(health);
    return pages;
}

int
open_page(struct cli *cli, const char *path)
{
    int status = 0;
    char *pages = pages_address(cli, &status), *url;

    if (pages == NULL)
        return status;
    url = xasprintf("%s%s", pages, path);
    terminal_print(&cli->out, STYLE_PLAIN, "%s\n", url);
    if (has_screen())
        open_in_browser(url);
    free(url);
    free(pages);
    return 0;
}

static int
open_verb(struct cli *cli)
{
    const char *what = cli->args.count > 1 ? cli->args.positional[1] : NULL;
    const bool number = what != NULL && what[strspn(what, "0123456789")] == '\0';
    char *path;
    int status;

    if (what != NULL && !slug_is_valid(what)) {
        report_fail(&cli->report,
                    "\"%.80s\" is neither the name of a problem nor the number of a "
                    "submission",
                    what);
        return EXIT_BAD_INPUT;
    }
    status = cli_connect(cli);
    if (status != 0)
        return status;
    path = what == NULL ? xstrdup("/")
                        : xasprintf("/%s/%s", number ? "submissions" : "problems", what);
    status = open_page(cli, path);
    free(path);
    return status;
}

static const struct verb_flag flags[] = {{0, NULL}};

const struct verb verb_open = {
    .name = "open",
    .arguments = "[SLUG|ID]",
    .summary = "open the judge's pages in a browser",
    .about = "Opens the pages of the judge, of a problem or of a submission in the "
             "desktop's\n"
             "browser, and prints their address. Without a screen it prints the address "
             "only.\n"
             "A judge of one's own has pages where it was started with --listen.",
    .example = "  warpjudge open\n"
               "  warpjudge open vector-addition\n"
               "  warpjudge open 7\n",
    .flags = flags,
    .kind = VERB_ASKS,
    .most = 1,
    .run = open_verb,
};

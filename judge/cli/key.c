/* `key`: keys that sign results. */
#include "cli/bundle.h"
#include "cli/cli.h"

#include <string.h>

static int
key_verb(struct cli *cli)
{
    const char *file = cli->args.positional[2];

    if (strcmp(cli->args.positional[1], "new") != 0) {
        report_fail(&cli->report,
                    "`key` has no \"%.40s\": it is `warpjudge key new FILE`",
                    cli->args.positional[1]);
        return EXIT_BAD_INPUT;
    }
    if (bundle_key_new(file, &cli->report) != 0)
        return EXIT_BAD_INPUT;
    terminal_print(&cli->out, STYLE_PLAIN,
                   "%s is secret and signs results; %s.pub is for who checks them\n",
                   file, file);
    return 0;
}

static const struct verb_flag flags[] = {{0, NULL}};

const struct verb verb_key = {
    .name = "key",
    .arguments = "new FILE",
    .summary = "make a key that signs graded results",
    .about =
        "Makes a key of Ed25519 for `warpjudge grade --sign FILE`. FILE is the secret\n"
        "key, which only you may read; give FILE.pub to who checks your results by\n"
        "`warpjudge verify`.",
    .example = "  warpjudge key new mine.key\n",
    .flags = flags,
    .kind = VERB_LOCAL,
    .least = 2,
    .most = 2,
    .missing = "name the file of the key, as in `warpjudge key new mine.key`",
    .run = key_verb,
};

/* `explain`: what the word at the end of a cost means, and what to do about it. The texts
 * are the files of judge/cli/topics, each a screen. Their first lines are "NAME:
 * summary". */
#include "cli/cli.h"
#include "problem/names.h"

#include <cjson/cJSON.h>

#include <stdio.h>
#include <string.h>

/* clang-format off */
#define TOPICS(X)                                                                        \
    X(latency,        "latency")                                                         \
    X(occupancy,      "occupancy")                                                       \
    X(coalescing,     "coalescing")                                                      \
    X(bank_conflicts, "bank-conflicts")                                                  \
    X(divergence,     "divergence")                                                      \
    X(bandwidth,      "bandwidth")                                                       \
    X(atomics,        "atomics")                                                         \
    X(arithmetic,     "arithmetic")                                                      \
    X(launches,       "launches")
/* clang-format on */

#define X(id, name)                                                                      \
    __asm__(".pushsection .rodata\n"                                                     \
            "topic_" #id ":\n"                                                           \
            ".incbin \"judge/cli/topics/" name ".txt\"\n"                                \
            ".byte 0\n"                                                                  \
            ".popsection\n");                                                            \
    extern const char topic_##id[];
TOPICS(X)
#undef X

static const struct {
    const char *name, *text;
} topics[] = {
#define X(id, name) {name, topic_##id},
    TOPICS(X)
#undef X
};

enum { TOPIC_COUNT = sizeof topics / sizeof *topics };

static cJSON *
topic_json(int i)
{
    cJSON *o = cJSON_CreateObject();

    cJSON_AddStringToObject(o, "topic", topics[i].name);
    cJSON_AddStringToObject(o, "text", topics[i].text);
    return o;
}

static void
list_topics(struct cli *cli, bool json)
{
    cJSON *list = cJSON_CreateArray();

    for (int i = 0; i < TOPIC_COUNT; i++) {
        const char *summary = topics[i].text + strlen(topics[i].name) + 2;

        if (json)
            cJSON_AddItemToArray(list, topic_json(i));
        else
            terminal_print(&cli->out, STYLE_PLAIN, "%-16s%.*s\n", topics[i].name,
                           (int)strcspn(summary, "\n"), summary);
    }
    if (json)
        cli_print_json(cli, list);
    cJSON_Delete(list);
}

static int
find_topic(struct cli *cli, const char *name, int *found)
{
    const char *names[TOPIC_COUNT], *near;

    for (int i = 0; i < TOPIC_COUNT; i++) {
        names[i] = topics[i].name;
        *found = i;
        if (strcmp(names[i], name) == 0)
            return 0;
    }
    near = nearest_name(name, names, TOPIC_COUNT);
    if (near == NULL)
        return report_fail(&cli->report,
                           "there is no topic \"%.40s\": `warpjudge explain` lists them",
                           name);
    return report_fail(&cli->report, "there is no topic \"%.40s\": did you mean \"%s\"?",
                       name, near);
}

static int
explain_verb(struct cli *cli)
{
    const bool json = cli->args.flag[FLAG_JSON] != NULL;
    cJSON *o;
    int i;

    if (cli->args.count < 2) {
        list_topics(cli, json);
        return 0;
    }
    if (find_topic(cli, cli->args.positional[1], &i) != 0)
        return EXIT_BAD_INPUT;
    if (!json) {
        terminal_print(&cli->out, STYLE_PLAIN, "%s", topics[i].text);
        return 0;
    }
    o = topic_json(i);
    cli_print_json(cli, o);
    cJSON_Delete(o);
    return 0;
}

static const struct verb_flag flags[] = {
    {FLAG_JSON, "the text, or all texts, as JSON"},
    {0, NULL},
};

const struct verb verb_explain = {
    .name = "explain",
    .arguments = "[TOPIC]",
    .summary = "explain what makes kernels slow, with a kernel before and after",
    .about =
        "Explains a word that stands at the end of a cost, as in \"(explain\n"
        "coalescing)\": what it means, a small kernel that has the problem, and the\n"
        "same kernel without it. Without TOPIC it lists the topics.",
    .example = "  warpjudge explain\n"
               "  warpjudge explain bank-conflicts\n",
    .flags = flags,
    .kind = VERB_LOCAL,
    .most = 1,
    .run = explain_verb,
};

#include "cli/secret_line.h"

#include <stdio.h>
#include <string.h>
#include <termios.h>

bool
secret_is_asked(void)
{
    struct termios now;

    return tcgetattr(0, &now) == 0;
}

/* What is typed before the question is neither shown nor lost. */
static int
line_ask(struct cli *cli, const char *question, bool shown, char line[SECRET_LINE_MAX])
{
    struct termios before, silent;
    const bool asks = tcgetattr(0, &before) == 0;
    bool got;
    size_t len;

    if (asks) {
        silent = before;
        if (!shown)
            silent.c_lflag &= ~(tcflag_t)ECHO;
        tcsetattr(0, TCSADRAIN, &silent);
        terminal_print(&cli->err, STYLE_PLAIN, "%s", question);
        fflush(stderr);
    }
    got = fgets(line, SECRET_LINE_MAX, stdin) != NULL;
    if (asks) {
        tcsetattr(0, TCSADRAIN, &before);
        if (!shown)
            terminal_print(&cli->err, STYLE_PLAIN, "\n");
    }
    if (!got)
        return report_fail(&cli->report, "nothing was typed");
    len = strcspn(line, "\r\n");
    if (len == SECRET_LINE_MAX - 1)
        return report_fail(&cli->report, "the line is too long");
    line[len] = '\0';
    return 0;
}

void
secret_erase(void *secret, size_t len)
{
    volatile unsigned char *byte = secret;

    for (size_t i = 0; i < len; i++)
        byte[i] = 0;
}

int
secret_read(struct cli *cli, const char *question, char line[SECRET_LINE_MAX])
{
    return line_ask(cli, question, false, line);
}

int
line_read(struct cli *cli, const char *question, char line[SECRET_LINE_MAX])
{
    return line_ask(cli, question, true, line);
}

int
new_password_read(struct cli *cli, char password[SECRET_LINE_MAX])
{
    char again[SECRET_LINE_MAX] = "";
    int rc = secret_read(cli, "new password: ", password);

    if (rc == 0 && secret_is_asked()) {
        rc = secret_read(cli, "once more: ", again);
        if (rc == 0 && strcmp(password, again) != 0)
            rc =
                report_fail(&cli->report, "the two are not the same: nothing is changed");
        secret_erase(again, sizeof again);
    }
    return rc;
}

#include "daemon/web/html.h"

void
html_markup(struct html *h, const struct markup *m)
{
    buf_puts(&h->out, m->html);
}

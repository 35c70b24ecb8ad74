/* What pages read of the API's JSON, and how numbers stand in them. */
#ifndef DAEMON_WEB_VALUES_H
#define DAEMON_WEB_VALUES_H

#include "daemon/web/html.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

/* What is absent, or of another type, is "", NaN, false and NULL. */
const char *value_text(const cJSON *o, const char *key);
double value_number(const cJSON *o, const char *key);
long long value_whole(const cJSON *o, const char *key); /* absent: 0 */
bool value_is_true(const cJSON *o, const char *key);
const cJSON *value_at(const cJSON *o, const char *key);
bool value_is_text(const cJSON *o, const char *key, const char *text);

/* Each writes a number as people read it: a time with three digits and its unit, three
 * digits, a share of 1 in percent, a size, 1st and 22nd. Of NaN nothing is written. */
void html_time(struct html *h, double ns);
void html_rate(struct html *h, double value);
void html_share(struct html *h, double share);
void html_bytes(struct html *h, double bytes);
void html_ordinal(struct html *h, long long n);
void html_plural(struct html *h, long long n, const char *noun);

/* How long ago that was, as words. */
void html_ago_words(struct html *h, double ms);

/* The same with the moment (clock.h) for who wants to know. */
void html_ago(struct html *h, double ms);

/* A moment as clocks in the judge's zone show it (clock.h). */
void html_moment(struct html *h, double ms);

/* A link to a user's page, and to a problem's. */
void html_user(struct html *h, const cJSON *o, const char *key);
void html_problem_link(struct html *h, const char *slug, const char *title);

/* A verdict as a word with its mark, such as "accepted". */
void html_verdict(struct html *h, const char *verdict);
/* The word alone. */
void html_verdict_words(struct html *h, const char *verdict);

#endif

/* A problem as data: enough for a program to show it without reading its statement. */
#ifndef DAEMON_PROBLEM_JSON_H
#define DAEMON_PROBLEM_JSON_H

#include "daemon/devices.h"
#include "problem/problem.h"

#include <cjson/cJSON.h>

/* Adds the words by which a problem is found. */
void problem_json_add_words(cJSON *o, const struct problem *p);

/* Adds parameters with types and shapes, tolerances, limits, libraries, the devices of
 * this machine, and the sample tests. Their values are told where there are few and where
 * they are the same in every judgement; outputs where the statement's examples have them.
 */
void problem_json_add(cJSON *o, const struct problem *p, const struct devices *devices,
                      const char *statement);

#endif

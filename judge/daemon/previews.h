/*
 * Previews of problems for their authors: what is wrong with a folder, its statement, and
 * when the folder changes.
 *
 * Each answer has a warpjudge-compile of its own look for errors, because that makes
 * inputs and may take long, while the loop does all else. Nothing is kept: a preview is
 * of the files as they are.
 *
 * A preview is for the staff, and for whoever has its key. An author at the judge's own
 * machine, who is an admin on the Unix socket, gets a key for a browser there, which is
 * nobody without an account. A key is good for one problem until the daemon ends.
 */
#ifndef DAEMON_PREVIEWS_H
#define DAEMON_PREVIEWS_H

#include "daemon/http.h"

#include <stdbool.h>

#define PREVIEWS_AT_ONCE 4
#define PREVIEW_WAITS_MAX 64
#define PREVIEW_WAIT_MS 30000
#define PREVIEW_KEY_CHARS 32

struct previews;

struct previews *previews_new(struct daemon *d);

/* Is called when children and server are freed. What waits gets no answer. */
void previews_free(struct previews *all);

/* Ends all calls that wait for a change, for a daemon that ends. */
void previews_end(struct previews *all);

/* Is any being made, or any change waited for? */
bool previews_any(const struct previews *all);

/* Is it the key of the problem's preview? */
bool previews_has_key(const struct previews *all, const char *slug, const char *said);

/* Answers with the preview of a problem, whose folder is there. */
void previews_show(struct previews *all, struct http_call *c, const char *slug);

/* Answers with a server-sent event when the folder is another than `seen` says, which is
 * the version of a preview, and has been the same for a moment. After PREVIEW_WAIT_MS it
 * answers without one. A reader of events asks again by itself, after both. */
void previews_wait(struct previews *all, struct http_call *c, const char *slug,
                   const char *seen);

#endif

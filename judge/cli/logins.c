#include "cli/logins.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/answer.h"
#include "cli/secret_line.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define FILE_BYTES_MAX ((size_t)1 << 20)

void
login_free(struct login *l)
{
    free(l->url);
    free(l->name);
    free(l->token);
    *l = (struct login){0};
}

/* --- addresses ---------------------------------------------------------- */

/* A part of an address, which the caller frees; NULL where it has none, or is none. */
static char *
url_part(const char *url, CURLUPart part)
{
    CURLU *parsed = curl_url();
    char *value = NULL, *copy = NULL;

    if (parsed == NULL)
        die(4, "out of memory");
    if (curl_url_set(parsed, CURLUPART_URL, url, 0) == CURLUE_OK &&
        curl_url_get(parsed, part, &value, 0) == CURLUE_OK)
        copy = xstrdup(value);
    curl_free(value);
    curl_url_cleanup(parsed);
    return copy;
}

static bool
url_is_https(const char *url)
{
    return strncasecmp(url, "https://", 8) == 0;
}

char *
login_url(const char *text, char **fragment, struct report *r)
{
    char *url = xstrdup(text);
    char *hash = fragment != NULL ? strchr(url, '#') : NULL;
    char *host, *user;
    size_t len;
    int rc = 0;

    if (hash != NULL)
        *hash++ = '\0';
    for (len = strlen(url); len > 0 && url[len - 1] == '/';)
        url[--len] = '\0';
    host = url_part(url, CURLUPART_HOST);
    user = url_part(url, CURLUPART_USER);
    if ((!url_is_https(url) && strncasecmp(url, "http://", 7) != 0) || host == NULL)
        rc = report_fail(r,
                         "\"%.200s\" is no address of a judge: write it as "
                         "https://HOST or http://localhost:PORT",
                         url);
    else if (user != NULL || strpbrk(url, "?#") != NULL)
        rc = report_fail(r, "the address of a judge has no user, no ? and no # in it");
    free(host);
    free(user);
    if (rc != 0) {
        free(url);
        return NULL;
    }
    if (fragment != NULL)
        *fragment = hash != NULL && hash[0] != '\0' ? xstrdup(hash) : NULL;
    return url;
}

/* Does this host mean this machine, whatever a name server says? curl takes "localhost"
 * as the loopback by itself. */
static bool
host_is_here(const char *host)
{
    struct in_addr four;

    return strcasecmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0 ||
           (inet_pton(AF_INET, host, &four) == 1 && ntohl(four.s_addr) >> 24 == 127);
}

int
login_check_secrecy(const char *url, struct report *r)
{
    char *host = url_part(url, CURLUPART_HOST);
    const bool fine = host != NULL && (url_is_https(url) || host_is_here(host));

    free(host);
    if (fine)
        return 0;
    return report_fail(r,
                       "no token is sent to %.200s: over plain HTTP everybody on the way "
                       "could read it; use https://, or an ssh tunnel to localhost",
                       url);
}

/* --- the file ----------------------------------------------------------- */

/* The folder of the file; the caller frees. NULL and a report where nothing names one. */
static char *
logins_folder(struct report *r)
{
    const char *config = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");

    if (config != NULL && config[0] == '/')
        return xasprintf("%s/warpjudge", config);
    if (home != NULL && home[0] == '/')
        return xasprintf("%s/.config/warpjudge", home);
    report_fail(r, "there is no folder for the file of logins: set HOME");
    return NULL;
}

/* The file's object, which the caller deletes. It is empty where there is no file. */
static cJSON *
logins_read(struct report *r)
{
    char *folder = logins_folder(r), *path;
    cJSON *file = NULL;

    if (folder == NULL)
        return NULL;
    path = xasprintf("%s/logins.json", folder);
    if (access(path, F_OK) != 0 && errno == ENOENT)
        file = cJSON_CreateObject();
    else
        file = json_read_file(path, FILE_BYTES_MAX, r);
    if (file != NULL && !cJSON_IsObject(file)) {
        cJSON_Delete(file);
        file = NULL;
        report_fail(r, "%s is no file of logins: remove it, and sign in again", path);
    }
    free(path);
    free(folder);
    return file;
}

static int
logins_write(const cJSON *file, struct report *r)
{
    char *folder = logins_folder(r), *path, *next, *text;
    int fd = -1, rc = -1;

    if (folder == NULL)
        return -1;
    path = xasprintf("%s/logins.json", folder);
    next = xasprintf("%s.%ld", path, (long)getpid());
    text = cJSON_Print(file);
    if (text == NULL)
        die(4, "out of memory");
    if (file_mkdirs(folder, r) == 0) {
        unlink(next);
        fd = open(next, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0 || dprintf(fd, "%s\n", text) < 0 || fsync(fd) != 0 ||
            rename(next, path) != 0)
            report_errno(r, "%s cannot be written", path);
        else
            rc = 0;
    }
    if (fd >= 0)
        close(fd);
    if (rc != 0)
        unlink(next);
    secret_erase(text, strlen(text));
    cJSON_free(text);
    free(next);
    free(path);
    free(folder);
    return rc;
}

/* The object of all logins by their addresses, which belongs to the file's. */
static cJSON *
logins_of(cJSON *file)
{
    cJSON *logins = cJSON_GetObjectItemCaseSensitive(file, "logins");

    if (cJSON_IsObject(logins))
        return logins;
    cJSON_DeleteItemFromObjectCaseSensitive(file, "logins");
    return cJSON_AddObjectToObject(file, "logins");
}

int
login_load(const char *url, bool *found, struct login *out, struct report *r)
{
    cJSON *file = logins_read(r);
    const cJSON *one;

    if (file == NULL)
        return -1;
    if (url == NULL)
        url = answer_string(file, "current");
    one = cJSON_GetObjectItemCaseSensitive(logins_of(file), url);
    *found = answer_string(one, "token")[0] != '\0';
    if (*found)
        *out = (struct login){.url = xstrdup(url),
                              .name = xstrdup(answer_string(one, "name")),
                              .token = xstrdup(answer_string(one, "token"))};
    cJSON_Delete(file);
    return 0;
}

int
login_store(const struct login *l, struct report *r)
{
    cJSON *file = logins_read(r), *logins, *one;
    int rc;

    if (file == NULL)
        return -1;
    logins = logins_of(file);
    cJSON_DeleteItemFromObjectCaseSensitive(logins, l->url);
    one = cJSON_AddObjectToObject(logins, l->url);
    cJSON_AddStringToObject(one, "name", l->name);
    cJSON_AddStringToObject(one, "token", l->token);
    cJSON_DeleteItemFromObjectCaseSensitive(file, "current");
    cJSON_AddStringToObject(file, "current", l->url);
    rc = logins_write(file, r);
    cJSON_Delete(file);
    return rc;
}

int
login_forget(const char *url, struct report *r)
{
    cJSON *file = logins_read(r);
    int rc;

    if (file == NULL)
        return -1;
    cJSON_DeleteItemFromObjectCaseSensitive(logins_of(file), url);
    if (strcmp(answer_string(file, "current"), url) == 0)
        cJSON_DeleteItemFromObjectCaseSensitive(file, "current");
    rc = logins_write(file, r);
    cJSON_Delete(file);
    return rc;
}

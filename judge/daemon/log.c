#include "daemon/log.h"

#include "base/buf.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool as_json;

void
log_use_json(void)
{
    as_json = true;
}

/* Adds the bytes of one character, or one byte that is none. */
static void
log_add_escaped(struct buf *out, const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        /* JSON has no escape for a byte. There the text shows the one of C. */
        buf_printf(out, as_json ? "\\\\x%02x" : "\\x%02x", (unsigned char)bytes[i]);
}

static void
log_add_text(struct buf *out, const char *text)
{
    size_t left = strlen(text), len;

    for (; left > 0; text += len, left -= len) {
        uint32_t c = 0;

        len = utf8_decode(text, left, &c);
        if (len == 0 || utf8_is_control(c) || utf8_is_bidi(c)) {
            len = len > 0 ? len : 1;
            log_add_escaped(out, text, len);
        } else {
            if (as_json && (c == '"' || c == '\\'))
                buf_puts(out, "\\");
            buf_add(out, text, len);
        }
    }
}

/* The time as RFC 3339 has it in JSON, with the zone. */
static void
log_add_time(struct buf *out)
{
    struct timespec ts;
    struct tm tm;
    char when[32], zone[8];

    clock_gettime(CLOCK_REALTIME, &ts);
    localtime_r(&ts.tv_sec, &tm);
    strftime(when, sizeof when, as_json ? "%Y-%m-%dT%H:%M:%S" : "%Y-%m-%d %H:%M:%S", &tm);
    strftime(zone, sizeof zone, "%z", &tm);
    if (as_json)
        buf_printf(out, "{\"time\":\"%s.%03ld%.3s:%s\"", when, ts.tv_nsec / 1000000, zone,
                   zone + 3);
    else
        buf_printf(out, "%s.%03ld", when, ts.tv_nsec / 1000000);
}

static void
log_add_field(struct buf *out, const char *name, const struct log_field *f)
{
    const bool text = f->text != NULL;

    buf_printf(out, as_json ? ",\"%s\":" : " %s=", name);
    if (!text) {
        buf_printf(out, "%.10g", f->number);
        return;
    }
    buf_puts(out, as_json ? "\"" : "");
    log_add_text(out, f->text);
    buf_puts(out, as_json ? "\"" : "");
}

/* One call writes the line, so that it does not mix with a child's. */
static void
log_write(struct buf *line)
{
    buf_puts(line, as_json ? "}\n" : "\n");
    fputs(buf_str(line), stderr);
    buf_free(line);
}

void
log_line(const char *format, ...)
{
    char text[4096];
    struct buf line = {0};
    va_list ap;

    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    log_add_time(&line);
    if (as_json) {
        log_add_field(&line, "event", &(struct log_field){.text = "message"});
        log_add_field(&line, "text", &(struct log_field){.text = text});
    } else {
        buf_puts(&line, " ");
        log_add_text(&line, text);
    }
    log_write(&line);
}

void
log_event(const char *event, const struct log_field *fields, size_t count)
{
    struct buf line = {0};

    log_add_time(&line);
    if (as_json)
        log_add_field(&line, "event", &(struct log_field){.text = event});
    else
        buf_printf(&line, " %s", event);
    for (size_t i = 0; i < count; i++)
        log_add_field(&line, fields[i].name, &fields[i]);
    log_write(&line);
}

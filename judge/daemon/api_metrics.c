/* The metrics, in Prometheus' text format, version 0.0.4. Units are seconds and bytes. */
#include "daemon/api.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/access.h"
#include "daemon/connections.h"
#include "daemon/daemon.h"
#include "daemon/metrics.h"
#include "daemon/metrics_machine.h"
#include "daemon/queue.h"
#include "daemon/queue_census.h"
#include "daemon/routes.h"

#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <stdio.h>
#include <string.h>

#define CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"

void
metric_head(struct buf *b, const char *name, const char *type, const char *help)
{
    buf_printf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void
metric_add(struct buf *b, const char *name, const char *type, const char *help,
           double value)
{
    metric_head(b, name, type, help);
    buf_printf(b, "%s %.15g\n", name, value);
}

/* One histogram of a family. `labels` is empty, or ends with a comma. */
static void
metric_add_histogram(struct buf *b, const char *name, const char *labels,
                     const struct histogram *h)
{
    const size_t len = strlen(labels);
    char alone[200] = "";
    uint64_t below = 0;

    if (len > 0)
        snprintf(alone, sizeof alone, "{%.*s}", (int)len - 1, labels);
    for (int i = 0; i < HISTOGRAM_BUCKETS; i++) {
        below += h->count[i];
        buf_printf(b, "%s_bucket{%sle=\"%g\"} %llu\n", name, labels, h->bound[i],
                   (unsigned long long)below);
    }
    below += h->count[HISTOGRAM_BUCKETS];
    buf_printf(b, "%s_bucket{%sle=\"+Inf\"} %llu\n", name, labels,
               (unsigned long long)below);
    buf_printf(b, "%s_sum%s %.9g\n%s_count%s %llu\n", name, alone, h->sum, name, alone,
               (unsigned long long)below);
}

/* --- judging ------------------------------------------------------------ */

static void
metrics_add_queue(struct buf *b, struct daemon *d, const struct queue_census *census)
{
    metric_head(b, "warpjudge_queue_submissions", "gauge",
                "Submissions that are in the queue, by phase.");
    for (int i = 0; i < CENSUS_COUNT; i++)
        buf_printf(b, "warpjudge_queue_submissions{phase=\"%s\"} %d\n", census_phases[i],
                   census->phase[i]);
    metric_add(b, "warpjudge_queue_oldest_wait_seconds", "gauge",
               "For how long the oldest submission has waited that is not judged yet.",
               census->oldest_s);
    metric_add(b, "warpjudge_queue_stuck", "gauge",
               "1 where nothing is judged, as on a full disk; status says why.",
               queue_trouble(d->queue) != NULL);
    metric_head(b, "warpjudge_wait_seconds", "histogram",
                "Time from a submission to the beginning of its tests.");
    metric_add_histogram(b, "warpjudge_wait_seconds", "", &d->metrics->wait);
}

static void
metrics_add_judgements(struct buf *b, const struct metrics *m)
{
    static const char *const PHASES[PHASE_COUNT] = {
#define X(name, text) [PHASE_##name] = text,
        PHASES(X)
#undef X
    };

    metric_head(b, "warpjudge_phase_seconds", "histogram",
                "Time of each phase of a judgement.");
    for (int i = 0; i < PHASE_COUNT; i++) {
        char labels[40];

        snprintf(labels, sizeof labels, "phase=\"%s\",", PHASES[i]);
        metric_add_histogram(b, "warpjudge_phase_seconds", labels, &m->phase[i]);
    }
    metric_head(b, "warpjudge_verdicts_total", "counter", "Verdicts that were recorded.");
    for (int v = 0; v < VERDICT_COUNT; v++)
        for (int emu = 0; emu < 2; emu++)
            for (int run = 0; run < 2; run++)
                buf_printf(b,
                           "warpjudge_verdicts_total{verdict=\"%s\",device_kind=\"%s\","
                           "mode=\"%s\"} %llu\n",
                           verdict_name((enum verdict)v), emu ? "emu" : "gpu",
                           run ? "run" : "submit",
                           (unsigned long long)m->verdicts[v][emu][run]);
    metric_add(b, "warpjudge_failed_attempts_total", "counter",
               "Attempts at judging that failed through the judge's own fault.",
               (double)m->failed_attempts);
}

static void
metrics_add_devices(struct buf *b, struct daemon *d, const struct queue_census *census)
{
    metrics_see_devices(d->metrics, &d->devices);
    metric_head(b, "warpjudge_device_busy", "gauge", "Judgements that hold the device.");
    for (int i = 0; i < d->devices.count; i++)
        buf_printf(b, "warpjudge_device_busy{device=\"%s\"} %d\n",
                   d->devices.entry[i].name, census->device[i].busy);
    metric_head(b, "warpjudge_device_waiting", "gauge",
                "Submissions that wait for the device.");
    for (int i = 0; i < d->devices.count; i++)
        buf_printf(b, "warpjudge_device_waiting{device=\"%s\"} %d\n",
                   d->devices.entry[i].name, census->device[i].waiting);
    metric_head(b, "warpjudge_device_lost", "gauge",
                "1 where a device is gone that was there since the start.");
    for (int i = 0; i < d->metrics->device_count; i++)
        buf_printf(b, "warpjudge_device_lost{device=\"%s\"} %d\n", d->metrics->device[i],
                   devices_find(&d->devices, d->metrics->device[i]) == NULL);
    metric_add(b, "warpjudge_emulator_width", "gauge",
               "Submissions that are judged on emu at a time.",
               queue_width_of(d->queue, "emu"));
}

/* --- HTTP --------------------------------------------------------------- */

static const char *
method_text(const struct route *route)
{
    return route->method == EVHTTP_REQ_POST     ? "POST"
           : route->method == EVHTTP_REQ_DELETE ? "DELETE"
                                                : "GET";
}

/* The labels of routes[i], with a comma behind; of what has no route behind the last. */
static void
route_labels(size_t i, char *out, size_t size)
{
    if (i == route_count)
        snprintf(out, size, "route=\"none\",method=\"any\",");
    else
        snprintf(out, size, "route=\"/%s\",method=\"%s\",", routes[i].pattern,
                 method_text(&routes[i]));
}

static void
metrics_add_requests(struct buf *b, const struct metrics *m)
{
    static const char *const CLASSES[STATUS_CLASSES] = {"none", "1xx", "2xx",
                                                        "3xx",  "4xx", "5xx"};
    char labels[120];

    metric_head(b, "warpjudge_http_requests_total", "counter",
                "Requests whose answer has ended, by route and class of the status.");
    for (size_t i = 0; i <= route_count; i++) {
        route_labels(i, labels, sizeof labels);
        for (int class = 0; class < STATUS_CLASSES; class ++)
            if (class != 1) /* no answer of ours has one of these */
                buf_printf(b, "warpjudge_http_requests_total{%sstatus=\"%s\"} %llu\n",
                           labels, CLASSES[class],
                           (unsigned long long)m->route[i].requests[class]);
    }
    metric_head(b, "warpjudge_http_request_duration_seconds", "histogram",
                "Time from the whole request to the last byte of its answer.");
    for (size_t i = 0; i <= route_count; i++) {
        route_labels(i, labels, sizeof labels);
        metric_add_histogram(b, "warpjudge_http_request_duration_seconds", labels,
                             &m->route[i].seconds);
    }
}

static void
metrics_add_connections(struct buf *b, struct http_call *c)
{
    static const char *const CAPS[REFUSAL_COUNT] = {
#define X(name, text) [REFUSAL_##name] = text,
        REFUSALS(X)
#undef X
    };
    const struct connections_now now = server_connections(c->daemon->server);

    metric_add(b, "warpjudge_connections", "gauge", "Connections that are open.",
               now.connections);
    metric_add(b, "warpjudge_streams", "gauge", "Streams of events that are open.",
               now.streams);
    metric_add(b, "warpjudge_received_bytes", "gauge",
               "Bytes of requests that are not whole.", (double)now.received);
    metric_add(b, "warpjudge_unsent_bytes", "gauge",
               "Bytes of answers that are not taken yet.", (double)now.unsent);
    metric_head(b, "warpjudge_refusals_total", "counter",
                "What was refused or cut off because a cap was reached.");
    for (int i = 0; i < REFUSAL_COUNT; i++)
        buf_printf(b, "warpjudge_refusals_total{cap=\"%s\"} %llu\n", CAPS[i],
                   (unsigned long long)c->daemon->metrics->refused[i]);
    metric_add(b, "warpjudge_log_lines_left_out_total", "counter",
               "Lines of requests that were left out of the log.",
               (double)access_log_left_out(c->daemon->access_log));
}

void
api_metrics(struct http_call *c)
{
    struct daemon *d = c->daemon;
    struct queue_census census;
    struct buf b = {0};

    queue_census(d->queue, &d->devices, &census);
    metric_head(&b, "warpjudge_build_info", "gauge", "The version, as a label.");
    buf_puts(&b, "warpjudge_build_info{version=\"" WARPJUDGE_VERSION "\"} 1\n");
    metrics_add_queue(&b, d, &census);
    metrics_add_judgements(&b, d->metrics);
    metrics_add_devices(&b, d, &census);
    metrics_add_requests(&b, d->metrics);
    metrics_add_connections(&b, c);
    metrics_add_machine(&b, d);
    evhttp_add_header(evhttp_request_get_output_headers(c->req), "Content-Type",
                      CONTENT_TYPE);
    reply_text(c, 200, buf_str(&b));
    buf_free(&b);
}

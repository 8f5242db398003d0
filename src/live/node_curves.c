// Records, plots and saves the curves of probed nodes: see node_curves.h.
#include "live/node_curves.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "scene/probes.h"

void node_curves_create(NodeCurves *c) {
  pthread_mutex_init(&c->lock, NULL);
}

void node_curves_destroy(NodeCurves *c) {
  pthread_mutex_destroy(&c->lock);
  free(c->row);
}

static int curve_of(const NodeCurves *c, int64_t tag) {
  for (int k = 0; k < c->count; k++)
    if (c->tag[k] == tag) return k;
  return -1;
}

bool node_curves_add(NodeCurves *c, int64_t tag, const double X[3]) {
  pthread_mutex_lock(&c->lock);
  const bool fits = c->count < CURVES_MAX && curve_of(c, tag) < 0;
  if (fits) {
    const int k = c->count++;
    c->tag[k] = tag;
    memcpy(c->X[k], X, sizeof *c->X);
    for (int64_t r = 0; r < c->row_count; r++)
      for (int i = 0; i < 3; i++) c->row[r].x[k][i] = NAN;
    c->placed++;
  }
  pthread_mutex_unlock(&c->lock);
  return fits;
}

void node_curves_remove(NodeCurves *c, int64_t tag) {
  pthread_mutex_lock(&c->lock);
  const int k = curve_of(c, tag);
  if (k >= 0) {
    const size_t later = (size_t)(--c->count - k);
    memmove(&c->tag[k], &c->tag[k + 1], later * sizeof *c->tag);
    memmove(&c->X[k], &c->X[k + 1], later * sizeof *c->X);
    for (int64_t r = 0; r < c->row_count; r++) memmove(&c->row[r].x[k], &c->row[r].x[k + 1], later * sizeof *c->row->x);
    if (c->count == 0) c->row_count = 0;
  }
  pthread_mutex_unlock(&c->lock);
}

int node_curves_list(NodeCurves *c, int64_t tag[CURVES_MAX], double X[CURVES_MAX][3]) {
  pthread_mutex_lock(&c->lock);
  const int count = c->count;
  memcpy(tag, c->tag, sizeof c->tag);
  memcpy(X, c->X, sizeof c->X);
  pthread_mutex_unlock(&c->lock);
  return count;
}

// Adds a row, after dropping the rows of the same step and of later steps. The row's values belong to the nodes `tag`
// [count]. The user may have added or removed probes since the values were computed. So each value is stored for the
// probe of its node, and probes without a value get NAN.
static bool add_row(NodeCurves *c, const CurveRow *row, const int64_t *tag, int count, Error *error) {
  while (c->row_count > 0 && c->row[c->row_count - 1].step >= row->step) c->row_count--;
  if (c->row_count == CURVE_ROWS_MAX) {
    c->row_count /= 2;
    memmove(c->row, c->row + c->row_count, (size_t)c->row_count * sizeof *c->row);
  }
  void *items = c->row;
  const bool ok = array_reserve(&items, &c->row_capacity, c->row_count + 1, sizeof *c->row, "curves of probes", error);
  c->row = items;
  if (!ok) return false;
  CurveRow *added = &c->row[c->row_count++];
  *added = *row;
  for (int k = 0; k < c->count; k++) {
    int from = 0;
    while (from < count && tag[from] != c->tag[k]) from++;
    for (int i = 0; i < 3; i++) added->x[k][i] = from < count ? row->x[from][i] : NAN;
  }
  return true;
}

bool node_curves_record(NodeCurves *c, Session *session, Error *error) {
  int64_t tag[CURVES_MAX];
  CurveRow row = { .step = simulation_step_count(session->simulation), .time = simulation_time(session->simulation) };
  const char *subject;
  Observed now;
  pthread_mutex_lock(&c->lock);
  const int count = c->count;
  memcpy(tag, c->tag, sizeof tag);
  pthread_mutex_unlock(&c->lock);
  if (count == 0) return true;

  const Observable *position = observable_find("position:1", &subject, error);
  bool ok = true;
  observed_begin(&now, session, NULL);
  for (int k = 0; ok && k < count; k++)
    ok = observe(&now, position, &(ObservedSubject){ .tag = tag[k] }, row.x[k], error);
  observed_end(&now);
  if (!ok) return false;

  pthread_mutex_lock(&c->lock);
  ok = c->count == 0 || add_row(c, &row, tag, count, error);
  pthread_mutex_unlock(&c->lock);
  return ok;
}

bool node_curves_follow(NodeCurves *c, Session *session, int resets, bool *added, Error *error) {
  pthread_mutex_lock(&c->lock);
  const bool same = c->placed == c->recorded_placed && resets == c->recorded_resets;
  c->recorded_placed = c->placed, c->recorded_resets = resets;
  pthread_mutex_unlock(&c->lock);
  if (same) return true;
  *added = true;
  return node_curves_record(c, session, error);
}

void node_curves_plot(NodeCurves *c, int64_t last, CurvePlot *plot) {
  pthread_mutex_lock(&c->lock);
  int64_t rows = c->row_count, stride = 1;
  while (rows > 0 && c->row[rows - 1].step > last) rows--;
  while (rows / stride >= plot->capacity - 1) stride *= 2;
  plot->count = c->count;
  plot->samples = 0;
  memcpy(plot->tag, c->tag, sizeof plot->tag);
  for (int64_t r = 0; r < rows; r = r + stride < rows || r == rows - 1 ? r + stride : rows - 1) {
    const int at = plot->samples++;
    plot->time[at] = (float)c->row[r].time;
    for (int k = 0; k < c->count; k++) {
      const double *x = c->row[r].x[k], *X = c->X[k];
      plot->length[k][at] = (float)hypot(hypot(x[0] - X[0], x[1] - X[1]), x[2] - X[2]);
    }
  }
  pthread_mutex_unlock(&c->lock);
}

bool node_curves_save(NodeCurves *c, const char *path, Error *error) {
  Probes *probes = array_new(1, sizeof *probes, "probes", error);
  ProbeOptions options = { .names = "" };
  size_t length = 0;
  if (!probes) return false;
  pthread_mutex_lock(&c->lock);
  for (int k = 0; k < c->count; k++)
    length += (size_t)snprintf(options.names + length, sizeof options.names - length, "%sposition:%lld", k ? "," : "",
                               (long long)c->tag[k]);
  snprintf(options.file, sizeof options.file, "%s", path);
  bool ok = probes_read(probes, &options, false, error) && probes_start(probes, path, "time_s", error);
  for (int64_t r = 0; ok && r < c->row_count; r++) {
    memcpy(probes->value, c->row[r].x, sizeof *c->row->x * (size_t)c->count);
    ok = probes_write(probes, c->row[r].step, c->row[r].time, error);
  }
  pthread_mutex_unlock(&c->lock);
  ok = ok && probes_commit(probes, error);
  probes_close(probes);
  free(probes);
  return ok;
}

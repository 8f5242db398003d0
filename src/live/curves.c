// Records, plots and saves curves of observables: see curves.h.
#include "live/curves.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "scene/curve_names.h"

void curves_create(Curves *c) {
  pthread_mutex_init(&c->lock, NULL);
}

void curves_destroy(Curves *c) {
  pthread_mutex_destroy(&c->lock);
  free(c->row);
}

static int curve_of(const Curves *c, const char *name) {
  for (int k = 0; k < c->count; k++)
    if (strcmp(c->curve[k].probe.text, name) == 0) return k;
  return -1;
}

static int curve_with_id(const Curve *curve, int count, int id) {
  for (int k = 0; k < count; k++)
    if (curve[k].id == id) return k;
  return -1;
}

// Writes the names that a saved scene has to `names`. Returns false if a scene cannot have so many.
static bool write_names(const Curves *c, char names[SCENE_CURVES]) {
  bool fits = true;
  memcpy(names, c->listed, sizeof c->listed);
  for (int k = 0; k < c->count; k++)
    if (!curve_names_have(c->listed, c->curve[k].probe.text))
      fits = curve_names_add(names, c->curve[k].probe.text) && fits;
  return fits;
}

// Appends a curve. It gets no values in the rows recorded so far. Returns false if the curve exists already, if there
// are CURVES_MAX curves, or if a scene cannot have the names of all curves.
static bool append(Curves *c, const Curve *curve) {
  char names[SCENE_CURVES];
  if (c->count == CURVES_MAX || curve_of(c, curve->probe.text) >= 0) return false;
  c->curve[c->count++] = *curve;
  const bool fits = write_names(c, names);
  c->count--;
  if (!fits) return false;
  const int k = c->count++;
  c->curve[k] = *curve;
  c->curve[k].id = c->added++;
  for (int64_t r = 0; r < c->row_count; r++)
    for (int i = 0; i < OBSERVABLE_SIZE_MAX; i++) c->row[r].value[k][i] = NAN;
  return true;
}

// The name of an observable may be followed by ":" and its subject, such as a node. Sets subject_text to this part of
// the probe's text. Must be called again when a Curve was copied, because the copied pointer still points into the text
// of the original.
static void point_to_subject(Probe *probe) {
  probe->subject_text = probe->text + strcspn(probe->text, ":");
  if (*probe->subject_text) probe->subject_text++;
}

bool curves_add_probe(Curves *c, int64_t tag, const double X[3]) {
  Error error = { 0 };
  Curve curve = { .is_probe = true, .found = true, .probe.subject.tag = tag };
  snprintf(curve.probe.text, sizeof curve.probe.text, "position:%lld", (long long)tag);
  curve.probe.row = observable_find(curve.probe.text, &curve.probe.subject_text, &error);
  memcpy(curve.X, X, sizeof curve.X);
  pthread_mutex_lock(&c->lock);
  const bool fits = append(c, &curve);
  pthread_mutex_unlock(&c->lock);
  return fits;
}

// Fails if the curve of an observable cannot be added.
static bool check_new(const Curves *c, const Probes *probes, Error *error) {
  if (probes->count == 0) return error_set(error, "type the name of an observable, such as kinetic or position:17");
  if (c->count + probes->count > CURVES_MAX)
    return error_set(error, "all %d curves are in use; delete curves in the panel's tab Plots", CURVES_MAX);
  for (int k = 0; k < probes->count; k++) {
    const Probe *probe = &probes->probe[k];
    if (probe->row->is_sum)
      return error_set(error, "%s is a sum over all steps, which the window does not plot; use record --probe %s",
                       probe->row->name, probe->text);
    bool twice = curve_of(c, probe->text) >= 0;
    for (int other = 0; other < k; other++) twice = twice || strcmp(probes->probe[other].text, probe->text) == 0;
    if (twice) return error_set(error, "%s has a curve already", probe->text);
  }
  return true;
}

bool curves_add(Curves *c, const char *names, Error *error) {
  Probes *probes = array_new(1, sizeof *probes, "probes", error);
  ProbeOptions options = { .names = "" };
  if (!probes) return false;
  snprintf(options.names, sizeof options.names, "%s", names);
  bool ok = probes_read(probes, &options, "", true, error);
  pthread_mutex_lock(&c->lock);
  const int before = c->count;
  ok = ok && check_new(c, probes, error);
  for (int k = 0; ok && k < probes->count; k++)
    if (!append(c, &(Curve){ .probe = probes->probe[k] }))
      ok = error_set(error, "the names of the scene's curves would have more than 2,000 characters in all");
  if (!ok) c->count = before;
  pthread_mutex_unlock(&c->lock);
  free(probes);
  return ok;
}

void curves_list_names(Curves *c, const char *names) {
  pthread_mutex_lock(&c->lock);
  snprintf(c->listed, sizeof c->listed, "%s", names);
  pthread_mutex_unlock(&c->lock);
}

bool curves_take_refusal(Curves *c, char text[ERROR_LENGTH]) {
  pthread_mutex_lock(&c->lock);
  const bool any = c->refused_count > 0;
  if (any) {
    memcpy(text, c->refused[0], sizeof *c->refused);
    memmove(c->refused[0], c->refused[1], (size_t)--c->refused_count * sizeof *c->refused);
  }
  pthread_mutex_unlock(&c->lock);
  return any;
}

static void remove_curve(Curves *c, int k) {
  const size_t later = (size_t)(--c->count - k);
  memmove(&c->curve[k], &c->curve[k + 1], later * sizeof *c->curve);
  for (int64_t r = 0; r < c->row_count; r++)
    memmove(&c->row[r].value[k], &c->row[r].value[k + 1], later * sizeof *c->row->value);
  if (c->count == 0) c->row_count = 0;
}

void curves_remove(Curves *c, const char *name) {
  pthread_mutex_lock(&c->lock);
  const int k = curve_of(c, name);
  if (k >= 0) remove_curve(c, k);
  curve_names_remove(c->listed, name);
  pthread_mutex_unlock(&c->lock);
}

bool curves_names(Curves *c, char names[SCENE_CURVES]) {
  pthread_mutex_lock(&c->lock);
  const bool opened = c->opened;
  if (opened) write_names(c, names);
  pthread_mutex_unlock(&c->lock);
  return opened;
}

int curves_list(Curves *c, Curve curve[CURVES_MAX]) {
  pthread_mutex_lock(&c->lock);
  const int count = c->count;
  memcpy(curve, c->curve, sizeof c->curve);
  pthread_mutex_unlock(&c->lock);
  return count;
}

// Returns true if the curve's values come from the report of a step, so that the state alone does not suffice.
static bool is_of_report(const Curve *curve) {
  return curve->probe.row->when == OBSERVED_AFTER_STEP;
}

// Adds `row`, after dropping the rows of its step and of later steps. Its values are those of the curves `curve`
// [count]. Since they were computed, the user may have added or removed curves. So each value is stored for the curve
// with the same id, and curves without a value get NAN. reported: the row was computed with the report of its step.
// Otherwise values that come from a report are taken from the dropped row of this step.
static bool add_row(Curves *c, const CurveRow *row, const Curve *curve, int count, bool reported, Error *error) {
  CurveRow before = { .step = -1 };
  while (c->row_count > 0 && c->row[c->row_count - 1].step >= row->step) before = c->row[--c->row_count];
  const bool keeps = !reported && before.step == row->step;
  if (c->row_count == CURVE_ROWS_MAX) {
    c->row_count /= 2;
    memmove(c->row, c->row + c->row_count, (size_t)c->row_count * sizeof *c->row);
  }
  void *items = c->row;
  const bool ok = array_reserve(&items, &c->row_capacity, c->row_count + 1, sizeof *c->row, "curves", error);
  c->row = items;
  if (!ok) return false;
  CurveRow *added = &c->row[c->row_count++];
  *added = *row;
  for (int k = 0; k < c->count; k++) {
    const int from = curve_with_id(curve, count, c->curve[k].id);
    for (int i = 0; i < OBSERVABLE_SIZE_MAX; i++) {
      added->value[k][i] = from >= 0 ? row->value[from][i] : NAN;
      if (keeps && is_of_report(&c->curve[k])) added->value[k][i] = before.value[k][i];
    }
  }
  return true;
}

// Evaluates a curve in the present state. The first time, also finds the curve's subject (node, pin or body).
static bool evaluate(Observed *now, Curve *curve, double value[OBSERVABLE_SIZE_MAX], Error *error) {
  Probe *probe = &curve->probe;
  point_to_subject(probe);
  if (!curve->found && !observable_find_subject(probe->row, now->session, probe->subject_text, &probe->subject, error))
    return error_prefix(error, "%s", probe->text);
  curve->found = true;
  return observe(now, probe->row, &probe->subject, value, error);
}

// Removes a curve that cannot be evaluated, and stores the reason.
static void refuse_curve(Curves *c, int k, const Error *why) {
  remove_curve(c, k);
  if (c->refused_count < CURVES_MAX) memcpy(c->refused[c->refused_count++], why->message, sizeof *c->refused);
}

bool curves_record(Curves *c, Session *session, const StepReport *report, Error *error) {
  Curve curve[CURVES_MAX];
  CurveRow row = { .step = simulation_step_count(session->simulation), .time = simulation_time(session->simulation) };
  Error why[CURVES_MAX] = { 0 };  // the reason why a curve cannot be evaluated; no message: it can
  Observed now;
  const int count = curves_list(c, curve);
  if (count == 0) return true;

  observed_begin(&now, session, report);
  for (int k = 0; k < count; k++) evaluate(&now, &curve[k], row.value[k], &why[k]);
  observed_end(&now);

  pthread_mutex_lock(&c->lock);
  for (int k = 0; k < count; k++) {
    const int at = curve_with_id(c->curve, c->count, curve[k].id);
    if (at < 0) continue;
    if (why[k].message[0])
      refuse_curve(c, at, &why[k]);
    else
      c->curve[at] = curve[k];
  }

  const bool ok = c->count == 0 || add_row(c, &row, curve, count, report != NULL, error);
  pthread_mutex_unlock(&c->lock);
  return ok;
}

bool curves_follow(Curves *c, Session *session, int resets, bool *added, Error *error) {
  pthread_mutex_lock(&c->lock);
  const bool same = c->added == c->recorded_added && resets == c->recorded_resets;
  c->recorded_added = c->added;
  c->recorded_resets = resets;
  pthread_mutex_unlock(&c->lock);
  if (same) return true;
  *added = true;
  return curves_record(c, session, NULL, error);
}

// Writes sample `at` of the plot of curve k.
static void plot_sample(const Curve *curve, const double *value, float *const *plotted, int at) {
  if (curve->is_probe) {
    const double *x = value, *X = curve->X;
    plotted[0][at] = (float)hypot(hypot(x[0] - X[0], x[1] - X[1]), x[2] - X[2]);
  } else {
    for (int i = 0; i < curve->probe.row->size; i++) plotted[i][at] = (float)value[i];
  }
}

void curves_plot(Curves *c, int64_t last, CurvePlot *plot) {
  pthread_mutex_lock(&c->lock);
  int64_t rows = c->row_count, stride = 1;
  while (rows > 0 && c->row[rows - 1].step > last) rows--;
  while (rows / stride >= plot->capacity - 1) stride *= 2;
  plot->count = c->count;
  plot->samples = 0;
  memcpy(plot->curve, c->curve, sizeof plot->curve);
  for (int64_t r = 0; r < rows; r = r + stride < rows || r == rows - 1 ? r + stride : rows - 1) {
    const int at = plot->samples++;
    plot->time[at] = (float)c->row[r].time;
    for (int k = 0; k < c->count; k++) plot_sample(&c->curve[k], c->row[r].value[k], plot->value[k], at);
  }
  pthread_mutex_unlock(&c->lock);
}

// Copies the values of a row to probes->value. In the row, each curve has space for OBSERVABLE_SIZE_MAX numbers. In
// probes->value, the numbers of successive curves follow each other without gaps.
static void fill_values(Probes *probes, const CurveRow *row) {
  double *value = probes->value;
  for (int k = 0; k < probes->count; value += probes->probe[k++].row->size)
    memcpy(value, row->value[k], sizeof *value * (size_t)probes->probe[k].row->size);
}

bool curves_save(Curves *c, const char *path, Error *error) {
  Probes *probes = array_new(1, sizeof *probes, "probes", error);
  if (!probes) return false;
  pthread_mutex_lock(&c->lock);
  probes->count = c->count;
  for (int k = 0; k < c->count; k++) {
    probes->probe[k] = c->curve[k].probe;
    probes->value_count += c->curve[k].probe.row->size;
  }
  bool ok = probes_start(probes, path, "time_s", error);
  for (int64_t r = 0; ok && r < c->row_count; r++) {
    fill_values(probes, &c->row[r]);
    ok = probes_write(probes, c->row[r].step, c->row[r].time, error);
  }
  pthread_mutex_unlock(&c->lock);
  ok = ok && probes_commit(probes, error);
  probes_close(probes);
  free(probes);
  return ok;
}

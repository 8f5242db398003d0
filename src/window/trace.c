// Writes the window's events as JSON lines: see trace.h.
#include "window/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "hud/items.h"
#include "render/gl_picture.h"
#include "sim/element/moduli.h"

bool trace_open(Trace *trace, const char *path, Error *error) {
  *trace = (Trace){ .file = fopen(path, "w") };
  if (!trace->file) return error_set(error, "%s: cannot be written: %s", path, strerror(errno));
  setvbuf(trace->file, NULL, _IOLBF, 0);  // line-buffered: each line reaches the file at once
  return true;
}

void trace_close(Trace *trace) {
  if (trace->file) fclose(trace->file);
  *trace = (Trace){ 0 };
}

static void put_vector(FILE *file, const char *name, const double *vector, int count) {
  fprintf(file, ", \"%s\":[", name);
  for (int i = 0; i < count; i++) fprintf(file, "%s%.9g", i ? "," : "", vector[i]);
  fputc(']', file);
}

// Writes a text as a member of a JSON object. Leaves out the text's control characters.
static void put_text(FILE *file, const char *name, const char *text) {
  fprintf(file, ", \"%s\":\"", name);
  for (; *text; text++)
    if (*text == '"' || *text == '\\')
      fprintf(file, "\\%c", *text);
    else if ((unsigned char)*text >= ' ')
      fputc(*text, file);
  fputc('"', file);
}

bool trace_start(Trace *trace, const Surface *surface, const SurfaceRenderer *renderer, const Camera *camera, int width,
                 int height, double scale, double after_s, Error *error) {
  FILE *file = trace->file;
  if (!file) return true;

  // finds the highest node: it is on the surface, so a test can pick it with the mouse
  const TetMesh *mesh = renderer->mesh;
  int highest = 0;
  for (int a = 1; a < mesh->node_count; a++)
    if (mesh->X[a][2] > mesh->X[highest][2]) highest = a;
  double point[3], pixel[2] = { -1, -1 };
  if (!surface_renderer_node(renderer, highest, point, error)) return false;
  camera_project(camera, point, width, height, pixel);
  fprintf(file, "{\"event\":\"start\", \"after_s\":%.3f", after_s);
  put_text(file, "renderer", gl_renderer_name());
  put_text(file, "way", shared_buffer_method(&renderer->positions));
  fprintf(file, ", \"size\":[%d,%d], \"scale\":%g, \"nodes\":%d, \"triangles\":%d, \"highest\":{\"node\":%d", width,
          height, scale, mesh->node_count, surface->triangle_count, highest);
  put_vector(file, "point", point, 3);
  put_vector(file, "pixel", pixel, 2);
  fprintf(file, "}}\n");
  return true;
}

// Computes the CRC-32 of the window's picture.
static bool picture_sum(int width, int height, uint32_t *sum, Error *error) {
  const size_t bytes = 4 * (size_t)width * (size_t)height;
  uint8_t *rgba = array_new((int64_t)bytes, 1, "the picture", error);
  const bool ok = rgba && gl_read_picture(0, width, height, rgba, error);
  *sum = ok ? (uint32_t)crc32_z(0, rgba, bytes) : 0;
  free(rgba);
  return ok;
}

bool trace_hold(Trace *trace, const char *event, int64_t frame, int64_t step, const TraceHold *hold,
                const SurfaceRenderer *renderer, const Camera *camera, int width, int height, Error *error) {
  FILE *file = trace->file;
  if (!file) return true;
  const Pick *pick = hold->pick;
  double point[3] = { 0 }, corner[3], pixel[2] = { -1, -1 };
  uint32_t sum;
  for (int a = 0; a < 3; a++) {
    if (!surface_renderer_node(renderer, pick->nodes[a], corner, error)) return false;
    for (int i = 0; i < 3; i++) point[i] += pick->barycentric[a] * corner[i];
  }
  camera_project(camera, point, width, height, pixel);
  if (!picture_sum(width, height, &sum, error)) return false;
  fprintf(file, "{\"event\":\"%s\", \"frame\":%lld, \"step\":%lld, \"triangle\":%d, \"nodes\":[%d,%d,%d]", event,
          (long long)frame, (long long)step, pick->triangle, pick->nodes[0], pick->nodes[1], pick->nodes[2]);
  put_vector(file, "point", point, 3);
  put_vector(file, "pixel", pixel, 2);
  put_vector(file, "cursor", hold->cursor, 2);
  put_vector(file, "target", hold->target, 3);
  fprintf(file, ", \"pixels\":\"%08x\"}\n", sum);
  trace->picks += strcmp(event, "pick") == 0;
  return true;
}

void trace_settings(Trace *trace, int64_t frame, const SimStatus *n) {
  if (!trace->file) return;
  const SimulationSettings *s = &n->settings;
  char settings[sizeof trace->settings], field[16], cg[32] = "\"auto\"";
  if (s->cg_relative > 0) snprintf(cg, sizeof cg, "%g", s->cg_relative);
  choice_text(FIELD_NAMES, n->field, field, sizeof field);
  snprintf(settings, sizeof settings,
           "\"paused\":%s, \"speed\":%g, \"young\":%g, \"poisson\":%g, \"dt\":%g, \"density\":%g, "
           "\"gravity\":[%.9g,%.9g,%.9g], \"floor\":%s, \"device\":\"%s\", \"precision\":\"%s\", \"assembly\":\"%s\", "
           "\"matrix\":\"%s\", \"solver\":\"%s\", \"cg_relative\":%s, \"material\":\"%s\", \"field\":\"%s\", "
           "\"kept\":%d, \"behind\":%lld, \"pin_version\":%d, \"replay_ended\":%s",
           n->paused ? "true" : "false", n->speed, young_modulus(s->mu, s->lambda), poisson_ratio(s->mu, s->lambda),
           s->dt, s->density, s->gravity[0], s->gravity[1], s->gravity[2], s->has_floor ? "true" : "false",
           device_name(s->device), precision_name(s->precision), s->assembly, s->matrix, s->solver, cg, s->material,
           field, n->kept, (long long)(n->newest - n->now), n->pin_version, n->replay_ended ? "true" : "false");
  if (strcmp(settings, trace->settings) == 0) return;
  memcpy(trace->settings, settings, sizeof settings);
  fprintf(trace->file, "{\"event\":\"settings\", \"frame\":%lld, \"step\":%lld, %s}\n", (long long)frame,
          (long long)n->step, settings);
}

void trace_progress(Trace *trace, const char *what, double after_s) {
  if (!trace->file) return;
  fprintf(trace->file, "{\"event\":\"progress\", \"after_s\":%.3f", after_s);
  put_text(trace->file, "what", what);
  fprintf(trace->file, "}\n");
}

void trace_message(Trace *trace, int64_t frame, const char *text) {
  if (!trace->file) return;
  fprintf(trace->file, "{\"event\":\"message\", \"frame\":%lld", (long long)frame);
  put_text(trace->file, "text", text);
  fprintf(trace->file, "}\n");
}

void trace_view(Trace *trace, int64_t frame, const Camera *camera) {
  const double *target = camera->target;
  const double now[6] = { target[0], target[1], target[2], camera->distance, camera->azimuth, camera->elevation };
  if (!trace->file || memcmp(now, trace->view, sizeof now) == 0) return;
  memcpy(trace->view, now, sizeof now);
  fprintf(trace->file, "{\"event\":\"view\", \"frame\":%lld", (long long)frame);
  put_vector(trace->file, "target", now, 3);
  put_vector(trace->file, "turn", now + 4, 2);
  fprintf(trace->file, ", \"distance\":%.9g}\n", now[3]);
}

void trace_tool(Trace *trace, int64_t frame, const char *name, int cursor, const char *hint) {
  static const char *const CURSORS[] = { "hud", "arrow", "hand", "crosshair" };
  uint32_t sum = (uint32_t)crc32_z(0, (const Bytef *)name, strlen(name));
  sum = (uint32_t)crc32_z(sum, (const Bytef *)&cursor, sizeof cursor);
  if (!trace->file || sum == trace->tool_sum) return;
  trace->tool_sum = sum;
  fprintf(trace->file, "{\"event\":\"tool\", \"frame\":%lld", (long long)frame);
  put_text(trace->file, "name", name);
  put_text(trace->file, "cursor", CURSORS[cursor + 1]);
  put_text(trace->file, "hint", hint);
  fprintf(trace->file, "}\n");
}

void trace_measure(Trace *trace, int64_t frame, const Measure *measure) {
  if (!trace->file || measure->count < MEASURE_POINTS || frame % TRACE_PERIOD != 0) return;
  fprintf(trace->file, "{\"event\":\"measure\", \"frame\":%lld, \"length\":%.9g", (long long)frame, measure->length);
  put_vector(trace->file, "from", measure->point[0], 3);
  put_vector(trace->file, "to", measure->point[1], 3);
  fprintf(trace->file, "}\n");
}

void trace_items(Trace *trace, int64_t frame) {
  if (!trace->file) return;
  uint32_t sum = 0;
  const char *name;
  double pixel[2];
  for (int k = 0; hud_item(k, &name, pixel); k++) {
    const int at[2] = { (int)pixel[0], (int)pixel[1] };
    sum = (uint32_t)crc32_z(sum, (const Bytef *)name, strlen(name) + 1);
    sum = (uint32_t)crc32_z(sum, (const Bytef *)at, sizeof at);
  }
  if (sum == trace->items_sum) return;
  trace->items_sum = sum;
  fprintf(trace->file, "{\"event\":\"panel\", \"frame\":%lld, \"items\":{", (long long)frame);
  for (int k = 0; hud_item(k, &name, pixel); k++)
    fprintf(trace->file, "%s\"%s\":[%.0f,%.0f]", k ? ", " : "", name, pixel[0], pixel[1]);
  fprintf(trace->file, "}}\n");
}

void trace_exit(Trace *trace, int64_t frame, int64_t step, double after_s, int64_t answers, int64_t waited,
                int64_t maximum) {
  if (!trace->file) return;
  fprintf(
      trace->file,
      "{\"event\":\"exit\", \"frame\":%lld, \"step\":%lld, \"after_s\":%.3f, \"picks\":%d, \"answered_drags\":%lld, "
      "\"frames_to_answer\":%.3f, \"most_frames_to_answer\":%lld}\n",
      (long long)frame, (long long)step, after_s, trace->picks, (long long)answers,
      answers ? (double)waited / (double)answers : 0, (long long)maximum);
}

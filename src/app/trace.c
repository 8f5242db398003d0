// The trace: see trace.h.
#include "app/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "render/gl_picture.h"
#include "sim/material.h"

bool trace_open(Trace *trace, const char *path, Error *error) {
  *trace = (Trace){ .file = fopen(path, "w") };
  if (!trace->file) return error_set(error, "%s: cannot be written: %s", path, strerror(errno));
  setvbuf(trace->file, NULL, _IOLBF, 0);  // whoever watches sees each line when it is whole
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

// text between quotes
static void put_text(FILE *file, const char *name, const char *text) {
  fprintf(file, ", \"%s\":\"", name);
  for (; *text; text++)
    if (*text == '"' || *text == '\\')
      fprintf(file, "\\%c", *text);
    else if ((unsigned char)*text >= ' ')
      fputc(*text, file);
  fputc('"', file);
}

bool trace_start(Trace *trace, const Session *session, const SurfaceRenderer *renderer, const Camera *camera, int width,
                 int height, Error *error) {
  FILE *file = trace->file;
  if (!file) return true;
  // the highest node is one of the surface
  const TetMesh *mesh = &session->mesh;
  int highest = 0;
  for (int a = 1; a < mesh->node_count; a++)
    if (mesh->X[a][2] > mesh->X[highest][2]) highest = a;
  double point[3], pixel[2] = { -1, -1 };
  if (!surface_renderer_node(renderer, highest, point, error)) return false;
  camera_project(camera, point, width, height, pixel);
  fprintf(file, "{\"event\":\"start\", \"frame\":1");
  put_text(file, "renderer", gl_renderer_name());
  put_text(file, "way", shared_buffer_way(&renderer->positions));
  fprintf(file, ", \"size\":[%d,%d], \"nodes\":%d, \"triangles\":%d, \"highest\":{\"node\":%d", width, height,
          mesh->node_count, session->surface.triangle_count, highest);
  put_vector(file, "point", point, 3);
  put_vector(file, "pixel", pixel, 2);
  fprintf(file, "}}\n");
  return true;
}

// FNV-1a of the picture in the window's back buffer
static bool picture_hash(int width, int height, uint64_t *hash, Error *error) {
  const size_t bytes = 4 * (size_t)width * (size_t)height;
  uint8_t *rgba = array_new((int64_t)bytes, 1, "the picture", error);
  const bool ok = rgba && gl_read_picture(0, width, height, rgba, error);
  *hash = UINT64_C(0xcbf29ce484222325);
  for (size_t k = 0; ok && k < bytes; k++) *hash = (*hash ^ rgba[k]) * UINT64_C(0x100000001b3);
  free(rgba);
  return ok;
}

bool trace_hold(Trace *trace, const char *event, int64_t frame, int64_t step, const TraceHold *hold,
                const SurfaceRenderer *renderer, const Camera *camera, int width, int height, Error *error) {
  FILE *file = trace->file;
  if (!file) return true;
  const Pick *pick = hold->pick;
  double point[3] = { 0 }, corner[3], pixel[2] = { -1, -1 };
  uint64_t hash;
  for (int a = 0; a < 3; a++) {
    if (!surface_renderer_node(renderer, pick->nodes[a], corner, error)) return false;
    for (int i = 0; i < 3; i++) point[i] += pick->barycentric[a] * corner[i];
  }
  camera_project(camera, point, width, height, pixel);
  if (!picture_hash(width, height, &hash, error)) return false;
  fprintf(file, "{\"event\":\"%s\", \"frame\":%lld, \"step\":%lld, \"triangle\":%d, \"nodes\":[%d,%d,%d]", event,
          (long long)frame, (long long)step, pick->triangle, pick->nodes[0], pick->nodes[1], pick->nodes[2]);
  put_vector(file, "point", point, 3);
  put_vector(file, "pixel", pixel, 2);
  put_vector(file, "cursor", hold->cursor, 2);
  put_vector(file, "target", hold->target, 3);
  fprintf(file, ", \"pixels\":\"%016llx\"}\n", (unsigned long long)hash);
  trace->picks += strcmp(event, "pick") == 0;
  return true;
}

void trace_settings(Trace *trace, int64_t frame, int64_t step, const SimulationSettings *s, double speed, bool paused) {
  if (!trace->file) return;
  const SimulationSettings *last = &trace->settings;
  if (s->mu == last->mu && s->lambda == last->lambda && s->dt == last->dt && speed == trace->speed &&
      paused == trace->paused && memcmp(s->gravity, last->gravity, sizeof s->gravity) == 0)
    return;
  trace->settings = *s, trace->speed = speed, trace->paused = paused;
  fprintf(trace->file,
          "{\"event\":\"settings\", \"frame\":%lld, \"step\":%lld, \"paused\":%s, \"speed\":%g, \"young\":%g, "
          "\"poisson\":%g, \"dt\":%g",
          (long long)frame, (long long)step, paused ? "true" : "false", speed, young_modulus(s->mu, s->lambda),
          poisson_ratio(s->mu, s->lambda), s->dt);
  put_vector(trace->file, "gravity", s->gravity, 3);
  fprintf(trace->file, "}\n");
}

void trace_exit(Trace *trace, int64_t frame, int64_t step) {
  if (!trace->file) return;
  fprintf(trace->file, "{\"event\":\"exit\", \"frame\":%lld, \"step\":%lld, \"picks\":%d}\n", (long long)frame,
          (long long)step, trace->picks);
}

// Updates the contents of a SurfaceRenderer, and reads data back: see surface_renderer.h.
#include "render/surface_buffers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "render/field_values.h"
#include "render/gl_check.h"

enum { NORMALS_GROUP = 128, GROUPS_MAX = 65535 };

// Extends the range of values that the colours show by the new values of the field. Values more than four standard
// deviations from the mean do not count. A few nodes, for example at a corner, may have such large values that, in a
// range with these values, all other nodes would have nearly one colour.
static void update_ranges(SurfaceRenderer *r, FieldKind field) {
  float extra[FIELD_EXTRA];
  if (field != r->field) {
    r->shown_range[0] = r->shown_positive[0] = HUGE_VAL;
    r->shown_range[1] = r->shown_positive[1] = -HUGE_VAL;
  }
  r->field = field;
  r->percent = -1;
  if (field == FIELD_NONE) return;
  glGetNamedBufferSubData(r->positions.buffer, (GLintptr)(4 * sizeof(float) * (size_t)r->node_count), sizeof extra,
                          extra);
  const double reach = 4 * (double)extra[FIELD_SPREAD];
  const double low = fmax(extra[FIELD_SMALLEST], extra[FIELD_MEAN] - reach);
  const double high = fmin(extra[FIELD_LARGEST], extra[FIELD_MEAN] + reach);
  r->now_range[0] = low;
  r->now_range[1] = high;
  r->shown_range[0] = fmin(r->shown_range[0], low);
  r->shown_range[1] = fmax(r->shown_range[1], high);
  r->field_range[0] = extra[FIELD_SMALLEST];
  r->field_range[1] = extra[FIELD_LARGEST];
}

void surface_renderer_forget_range(SurfaceRenderer *r) {
  memcpy(r->shown_range, r->now_range, sizeof r->shown_range);
  r->shown_positive[0] = HUGE_VAL;
  r->shown_positive[1] = -HUGE_VAL;
}

// Computes the percentiles of the present values, unless r->percentiles contains them. positive: uses only the positive
// values. If there are no such values, both percentiles become 0.
static void update_percentiles(SurfaceRenderer *r, double percent, bool positive) {
  if (r->percent == percent && r->positive == positive) return;
  glGetNamedBufferSubData(r->positions.buffer, (GLintptr)(3 * sizeof *r->values * (size_t)r->node_count),
                          (GLsizeiptr)(sizeof *r->values * (size_t)r->node_count), r->values);
  if (!field_percentiles(r->values, r->node_count, percent, positive, r->percentiles))
    r->percentiles[0] = r->percentiles[1] = 0;
  r->percent = percent;
  r->positive = positive;
}

// Computes the range of values for colours with a logarithmic scale. Returns false if the field has no positive values,
// or if the style has a fixed range without positive numbers.
static bool log_range(SurfaceRenderer *r, const Style *style, double range[2]) {
  const bool fixed = style->high > style->low, percentiles = !fixed && style->range == FIELD_RANGE_PERCENTILES;
  if (fixed && style->high <= 0) return false;
  update_percentiles(r, percentiles ? style->percentile : 0, true);
  double low = r->percentiles[0], high = r->percentiles[1];
  if (!(low > 0)) return false;
  r->shown_positive[0] = fmin(r->shown_positive[0], low);
  r->shown_positive[1] = fmax(r->shown_positive[1], high);
  if (style->range == FIELD_RANGE_SEEN) {
    low = r->shown_positive[0];
    high = r->shown_positive[1];
  }
  field_range_log(low, fixed ? style->high : high, range);
  if (percentiles && high > low) {
    range[0] = fmax(low, range[0]);
    range[1] = high;
  }
  if (fixed) range[1] = style->high;
  return true;
}

void surface_renderer_range(SurfaceRenderer *r, const Style *style, double range[2]) {
  range[0] = style->low;
  range[1] = style->high;
  const bool fixed = style->high > style->low;
  if (style->color_scale == COLOR_SCALE_LOG && !(fixed && style->low > 0) && log_range(r, style, range)) return;
  if (fixed) return;
  if (style->range == FIELD_RANGE_PERCENTILES) {
    update_percentiles(r, style->percentile, false);
    field_range_exact(r->field, r->percentiles[0], r->percentiles[1], range);
    if (range[1] > range[0]) return;
    field_range(r->field, r->now_range[0], r->now_range[1], range);
    return;
  }
  const double *values = style->range == FIELD_RANGE_FOLLOW ? r->now_range : r->shown_range;
  field_range(r->field, values[0], values[1], range);
}

void surface_renderer_fix_range(SurfaceRenderer *renderer, Style *style) {
  double range[2];
  if (style->field == FIELD_NONE || renderer->field != style->field || style->range != FIELD_RANGE_SEEN) return;
  surface_renderer_range(renderer, style, range);
  style->low = range[0];
  style->high = range[1];
}

static void send_paint(const SurfaceRenderer *r, const float *paint) {
  const size_t nodes = (size_t)r->node_count;
  glNamedBufferSubData(r->rest, (GLintptr)(3 * sizeof *paint * nodes), (GLsizeiptr)(sizeof *paint * nodes), paint);
}

// Colours the nodes at which the surface intersects itself (bit MARK_CROSSES of mark[a]) red, whatever colour their
// body has. All other nodes get the colour of their body.
static bool mark_crossings(SurfaceRenderer *r, const uint8_t *mark, Error *error) {
  static const float RED = 1 << 24;  // a value larger than any colour 0xbbggrr; nodes.glsl draws such nodes red
  bool any = false;
  for (int a = 0; a < r->node_count && !any; a++) any = mark[a] & MARK_CROSSES;
  if (!any && !r->has_crossings) return true;
  float *paint = array_new(r->node_count, sizeof *paint, "colours", error);
  if (!paint) return false;
  for (int a = 0; a < r->node_count; a++) paint[a] = mark[a] & MARK_CROSSES ? RED : r->paint ? r->paint[a] : -1;
  send_paint(r, paint);
  free(paint);
  r->has_crossings = any;
  return GL_CHECK("marking intersections of surfaces");
}

bool surface_renderer_set_pins(SurfaceRenderer *r, const uint8_t *pinned, Error *error) {
  int *node = array_new(r->node_count, sizeof *node, "pinned nodes", error);
  if (!node) return false;
  r->pin_count = 0;
  for (int a = 0; a < r->node_count; a++)
    if (pinned[a] & ~MARK_CROSSES) node[r->pin_count++] = a;
  if (r->pins) glDeleteBuffers(1, &r->pins);
  r->pins = surface_buffer(node, sizeof *node * (size_t)r->pin_count);
  free(node);
  return GL_CHECK("marking pinned nodes") && mark_crossings(r, pinned, error);
}

bool surface_renderer_set_chosen(SurfaceRenderer *r, const int *node, int count, Error *error) {
  r->chosen_count = count;
  if (r->chosen) glDeleteBuffers(1, &r->chosen);
  r->chosen = surface_buffer(node, sizeof *node * (size_t)count);
  return GL_CHECK("marking the nodes of an entry");
}

bool surface_renderer_set_looks(SurfaceRenderer *r, const BodyLook *look, Error *error) {
  const size_t nodes = (size_t)r->node_count;
  float *paint = array_new(r->node_count, sizeof *paint, "colours", error);
  if (!paint) return false;
  for (size_t a = 0; a < nodes; a++) {
    const BodyLook *own = &look[mesh_body(r->mesh, (int)a)];
    long bits = 0;
    for (int i = 0; i < 3; i++) bits |= lround(255 * fmin(fmax(own->color[i], 0), 1)) << 8 * i;
    paint[a] = own->has_color ? (float)bits : -1;
  }
  send_paint(r, paint);
  free(r->paint);
  r->paint = paint;
  r->clear = 0;
  for (int k = 0; k < LOOKS_MAX; k++) {
    r->roughness[k] = (float)look[k].roughness;
    r->opacity[k] = (float)(1 - look[k].transparency);
    if (look[k].transparency > 0) r->clear |= UINT32_C(1) << k;
  }
  return GL_CHECK("colouring bodies");
}

bool surface_renderer_set_environment(SurfaceRenderer *r, const EnvironmentLight *light, Error *error) {
  if (r->environment) glDeleteTextures(1, &r->environment);
  r->environment = 0;
  if (!light) return true;
  memcpy(r->diffuse, light->diffuse, sizeof r->diffuse);
  glCreateTextures(GL_TEXTURE_3D, 1, &r->environment);
  glTextureStorage3D(r->environment, 1, GL_RGB16F, ENVIRONMENT_WIDTH, ENVIRONMENT_HEIGHT, ENVIRONMENT_LEVELS);
  glTextureParameteri(r->environment, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTextureParameteri(r->environment, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTextureParameteri(r->environment, GL_TEXTURE_WRAP_S, GL_REPEAT);
  glTextureParameteri(r->environment, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glTextureParameteri(r->environment, GL_TEXTURE_WRAP_R, GL_CLAMP_TO_EDGE);
  glTextureSubImage3D(r->environment, 0, 0, 0, 0, ENVIRONMENT_WIDTH, ENVIRONMENT_HEIGHT, ENVIRONMENT_LEVELS, GL_RGB,
                      GL_FLOAT, light->reflected);
  return GL_CHECK("copying the light of the surroundings");
}

// Computes the centre, m, of the squares that are drawn for planes. Returns half of the length of their edges, m.
static double square_of_planes(const SurfaceRenderer *r, double centre[3]) {
  double diagonal2 = 0;
  for (int i = 0; i < 3; i++) {
    centre[i] = (r->low[i] + r->high[i]) / 2;
    diagonal2 += (r->high[i] - r->low[i]) * (r->high[i] - r->low[i]);
  }
  return 8 * sqrt(diagonal2);
}

bool surface_renderer_set_obstacles(SurfaceRenderer *r, const Obstacle *obstacles, int count, double time,
                                    Error *error) {
  double centre[3];
  const double reach = square_of_planes(r, centre);
  obstacle_shapes_destroy(&r->obstacles);
  r->obstacle_count = count;
  return obstacle_shapes_create(&r->obstacles, obstacles, count, time, centre, reach, error);
}

bool surface_renderer_hit_obstacles(const SurfaceRenderer *r, const Obstacle *obstacles, int count, double time,
                                    const double origin[3], const double direction[3], double *distance, Error *error) {
  double centre[3];
  const double reach = square_of_planes(r, centre);
  return obstacle_shapes_hit(obstacles, count, time, centre, reach, origin, direction, distance, error);
}

bool surface_renderer_move_obstacles(SurfaceRenderer *r, const Obstacle *obstacles, int count, double time,
                                     Error *error) {
  if (count != r->obstacle_count) return surface_renderer_set_obstacles(r, obstacles, count, time, error);
  for (int k = 0; k < count; k++)
    if (motion_moves(&obstacles[k].motion)) return surface_renderer_set_obstacles(r, obstacles, count, time, error);
  return true;
}

// If the vectors are drawn as arrows, reads them back and updates r->longest: the largest length of a vector since the
// user selected vectors of the kind `vectors`, such as velocities.
static bool update_vectors(SurfaceRenderer *r, VectorKind vectors, Error *error) {
  if (vectors != r->vectors) r->longest = 0;
  r->vectors = vectors;
  if (vectors == VECTORS_NONE || vectors == VECTORS_CONTACT_LINES) return true;
  float(*v)[3] = array_new(r->node_count, sizeof *v, "vectors", error);
  if (!v) return false;
  glGetNamedBufferSubData(r->positions.buffer, (GLintptr)(sizeof(float) * surface_first_vector(r)),
                          (GLsizeiptr)(sizeof *v * (size_t)r->node_count), v);
  for (int a = 0; a < r->node_count; a++) {
    const double length = sqrt((double)v[a][0] * v[a][0] + (double)v[a][1] * v[a][1] + (double)v[a][2] * v[a][2]);
    if (isfinite(length)) r->longest = fmax(r->longest, length);
  }
  free(v);
  return GL_CHECK("reading vectors");
}

double surface_renderer_longest(const SurfaceRenderer *r, const Style *style) {
  const bool arrows = style && style->vectors != VECTORS_NONE && style->vectors != VECTORS_CONTACT_LINES;
  return arrows && r->vectors == style->vectors ? field_round_up(r->longest) : 0;
}

bool surface_renderer_update(SurfaceRenderer *renderer, Stream stream, const void *memory, FieldKind field,
                             VectorKind vectors, Error *error) {
  SurfaceRenderer *r = renderer;
  if (!shared_buffer_write(&r->positions, stream, memory, error) || !update_vectors(r, vectors, error)) return false;
  update_ranges(r, field);
  const GLuint buffers[] = { r->positions.buffer, r->normals, r->triangles, r->fan_start, r->fan };
  const int groups = (r->vertex_count + NORMALS_GROUP - 1) / NORMALS_GROUP;
  glBindBuffersBase(GL_SHADER_STORAGE_BUFFER, 0, 5, buffers);
  glUseProgram(r->programs->normals);
  glUniform1i(0, r->vertex_count);

  // A thread of the shader processes one vertex. If the vertices need more than GROUPS_MAX groups of threads, only
  // GROUPS_MAX groups are started, and each thread loops over several vertices.
  glDispatchCompute((GLuint)(groups < GROUPS_MAX ? groups : GROUPS_MAX), 1, 1);
  glMemoryBarrier(GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
  return GL_CHECK("computing normals");
}

bool surface_renderer_node(const SurfaceRenderer *renderer, int node, double position[3], Error *error) {
  float x[3] = { 0 };
  glGetNamedBufferSubData(renderer->positions.buffer, (GLintptr)node * (GLintptr)sizeof x, sizeof x, x);
  for (int i = 0; i < 3; i++) position[i] = x[i];
  return GL_CHECK("reading a node's position");
}

bool surface_renderer_positions(const SurfaceRenderer *renderer, float (*x)[3], Error *error) {
  glGetNamedBufferSubData(renderer->positions.buffer, 0, (GLsizeiptr)(sizeof *x * (size_t)renderer->node_count), x);
  return GL_CHECK("reading the nodes' positions");
}

bool surface_renderer_bounds(const SurfaceRenderer *renderer, double low[3], double high[3], Error *error) {
  float(*x)[3] = array_new(renderer->node_count, sizeof *x, "positions", error);
  const bool ok = x && surface_renderer_positions(renderer, x, error);
  for (int i = 0; ok && i < 3; i++) {
    low[i] = HUGE_VAL;
    high[i] = -HUGE_VAL;
    for (int a = 0; a < renderer->node_count; a++) {
      low[i] = fmin(low[i], x[a][i]);
      high[i] = fmax(high[i], x[a][i]);
    }
  }
  free(x);
  return ok;
}

bool surface_renderer_normals(const SurfaceRenderer *renderer, float (*normals)[3], Error *error) {
  glGetNamedBufferSubData(renderer->normals, 0, (GLsizeiptr)(sizeof *normals * (size_t)renderer->vertex_count),
                          normals);
  return GL_CHECK("reading normals");
}

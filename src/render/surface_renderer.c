// The picture, in this order: maps of what the body hides from light and sky, and from itself, background, floor,
// obstacles, surface, inside, edges, pins, springs. See surface_renderer.h.
#include "render/surface_renderer.h"

#include <cglm/cglm.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "mesh/quadratic.h"
#include "render/color_map.h"
#include "render/gl_check.h"

enum { SHADOW_SIZE = 1024, CONTACT_SIZE = 64, SPRING_SEGMENTS = 160, NORMALS_GROUP = 128, GROUPS_MAX = 65535 };

// how far the maps of the floor reach from the body's centre, in radii
static const double CONTACT_REACH = 2;

// = block Frame of the shaders
typedef struct FrameUniforms {
  float world_to_clip[4][4], world_to_light[4][4], world_to_foot[4][4];
  float eye[4], to_key[4], up[4], body[4], viewport[4], section[4], hover[4], color_map[4], ground[4];
  int counts[4];
  float colors[COLOR_MAP_POINTS][4];
} FrameUniforms;

static GLuint buffer_of(const void *data, size_t bytes) {
  GLuint buffer = 0;
  glCreateBuffers(1, &buffer);
  glNamedBufferStorage(buffer, bytes ? (GLsizeiptr)bytes : 4, bytes ? data : NULL, 0);
  return buffer;
}

static bool create_shadow_map(SurfaceRenderer *r, Error *error) {
  const float lit[] = { 1, 1, 1, 1 };
  glCreateTextures(GL_TEXTURE_2D, 1, &r->shadow_map);
  glTextureStorage2D(r->shadow_map, 1, GL_DEPTH_COMPONENT24, SHADOW_SIZE, SHADOW_SIZE);
  glTextureParameteri(r->shadow_map, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTextureParameteri(r->shadow_map, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTextureParameteri(r->shadow_map, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER);
  glTextureParameteri(r->shadow_map, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_BORDER);
  glTextureParameterfv(r->shadow_map, GL_TEXTURE_BORDER_COLOR, lit);
  glTextureParameteri(r->shadow_map, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
  glTextureParameteri(r->shadow_map, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
  glCreateFramebuffers(1, &r->shadow_target);
  glNamedFramebufferTexture(r->shadow_target, GL_DEPTH_ATTACHMENT, r->shadow_map, 0);
  glNamedFramebufferDrawBuffer(r->shadow_target, GL_NONE);
  glNamedFramebufferReadBuffer(r->shadow_target, GL_NONE);
  if (!GL_CHECK("creating the shadow map")) return false;
  if (glCheckNamedFramebufferStatus(r->shadow_target, GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
    return error_set(error, "OpenGL: the shadow map cannot be drawn into");
  return true;
}

// the body's underside, and what follows from it for the floor
static bool create_contact_maps(SurfaceRenderer *r, Error *error) {
  const float open[4] = { 0 };
  const struct {
    GLuint *texture, *target;
    GLenum format, attachment, filter;
  } maps[] = { { &r->underside, &r->underside_target, GL_DEPTH_COMPONENT24, GL_DEPTH_ATTACHMENT, GL_NEAREST },
               { &r->contact, &r->contact_target, GL_R8, GL_COLOR_ATTACHMENT0, GL_LINEAR } };
  for (int k = 0; k < 2; k++) {
    glCreateTextures(GL_TEXTURE_2D, 1, maps[k].texture);
    glTextureStorage2D(*maps[k].texture, 1, maps[k].format, CONTACT_SIZE, CONTACT_SIZE);
    glTextureParameteri(*maps[k].texture, GL_TEXTURE_MIN_FILTER, (GLint)maps[k].filter);
    glTextureParameteri(*maps[k].texture, GL_TEXTURE_MAG_FILTER, (GLint)maps[k].filter);
    glTextureParameteri(*maps[k].texture, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER);
    glTextureParameteri(*maps[k].texture, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_BORDER);
    glTextureParameterfv(*maps[k].texture, GL_TEXTURE_BORDER_COLOR, open);
    glCreateFramebuffers(1, maps[k].target);
    glNamedFramebufferTexture(*maps[k].target, maps[k].attachment, *maps[k].texture, 0);
    if (k == 0) glNamedFramebufferDrawBuffer(*maps[k].target, GL_NONE);
    if (k == 0) glNamedFramebufferReadBuffer(*maps[k].target, GL_NONE);
    if (glCheckNamedFramebufferStatus(*maps[k].target, GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      return error_set(error, "OpenGL: the floor's maps cannot be drawn into");
  }
  return GL_CHECK("creating the floor's maps");
}

size_t surface_renderer_bytes(int node_count) {
  return sizeof(float) * (7 * (size_t)node_count + FIELD_EXTRA);
}

// where vectors begin among the floats of the positions' buffer
static size_t first_vector(const SurfaceRenderer *r) {
  return 4 * (size_t)r->node_count + FIELD_EXTRA;
}

// the tets that are drawn inside: those of the mesh, or the parts of other cells
static bool create_tets(SurfaceRenderer *r, const TetMesh *mesh, Error *error) {
  const size_t count = (size_t)mesh->tet_count;
  r->tet_count = mesh->tet_count;
  if (mesh_shape(mesh) == CELL_TET4) {
    r->tets = buffer_of(mesh->tet, count * sizeof *mesh->tet);
    return true;
  }
  int some[MESH_PARTS_MAX][4];
  const int parts = mesh->tet_count ? mesh_parts_of_tet(mesh, 0, some) : 1;
  if (mesh->tet_count > INT32_MAX / parts)
    return error_set(error, "%d %s are too many to be drawn in %d parts each", mesh->tet_count, mesh_cell_word(mesh),
                     parts);
  int(*part)[4] = array_new((int64_t)parts * mesh->tet_count, sizeof *part, "tets to be drawn", error);
  for (int e = 0; part && e < mesh->tet_count; e++) {
    mesh_parts_of_tet(mesh, e, some);
    memcpy(part[(int64_t)parts * e], some, sizeof *part * (size_t)parts);
  }
  if (part) r->tets = buffer_of(part, count * (size_t)parts * sizeof *part);
  r->tet_count = parts * mesh->tet_count;
  const bool ok = part;
  free(part);
  return ok;
}

// of the parts of a tet, the one that a triangle of the surface is a face of: the last if none is
static const int *part_with(const TetMesh *mesh, int e, const int triangle[3], int part[MESH_PARTS_MAX][4]) {
  const int parts = mesh_parts_of_tet(mesh, e, part);
  for (int k = 0; k < parts; k++) {
    int found = 0;
    for (int c = 0; c < 12; c++) found += part[k][c / 3] == triangle[c % 3];
    if (found == 3) return part[k];
  }
  return part[parts - 1];
}

// where nodes are at rest, and where the tets of the surface's triangles are
static bool create_rest(SurfaceRenderer *r, const Surface *surface, const TetMesh *mesh, Error *error) {
  const size_t nodes = (size_t)mesh->node_count;
  float(*rest)[3] = array_new(mesh->node_count, 5 * sizeof **rest, "nodes", error);
  float(*owner)[3] = array_new(surface->triangle_count, sizeof *owner, "surface triangles", error);
  const bool ok = rest && owner;
  for (int a = 0; ok && a < mesh->node_count; a++)
    for (int i = 0; i < 3; i++) rest[a][i] = (float)mesh->X[a][i];
  float *paint = (float *)rest + 3 * nodes;
  for (size_t a = 0; ok && a < nodes; a++) {
    paint[a] = -1;  // no colour of its own
    paint[nodes + a] = (float)mesh_body(mesh, (int)a);
  }
  for (int t = 0; ok && t < surface->triangle_count; t++) {
    int part[MESH_PARTS_MAX][4];
    // without tets it is the triangle's own middle
    const int *node =
        surface->owner ? part_with(mesh, surface->owner[t], surface->triangle[t], part) : surface->triangle[t];
    const int count = surface->owner ? 4 : 3;
    for (int a = 0; a < count; a++)
      for (int i = 0; i < 3; i++) owner[t][i] += (float)(mesh->X[node[a]][i] / count);
  }
  glCreateBuffers(1, &r->rest);
  if (ok) glNamedBufferStorage(r->rest, (GLsizeiptr)(5 * sizeof(float) * nodes), rest, GL_DYNAMIC_STORAGE_BIT);
  if (ok) r->owners = buffer_of(owner, sizeof *owner * (size_t)surface->triangle_count);
  free(rest);
  free(owner);
  mesh_bounds(mesh, r->low, r->high);
  return ok;
}

static bool create_vertices(SurfaceRenderer *r, const Surface *surface, const TetMesh *mesh, Error *error) {
  SurfaceVertices v = { 0 };
  if (!surface_vertices_create(&v, surface, mesh, error)) return false;
  const size_t triangles = (size_t)surface->triangle_count, count = (size_t)v.count;
  r->vertex_count = v.count;
  r->nodes = buffer_of(v.node, count * sizeof *v.node);
  r->corners = buffer_of(v.triangle, triangles * sizeof *v.triangle);
  r->fan_start = buffer_of(v.fan_start, (count + 1) * sizeof *v.fan_start);
  r->fan = buffer_of(v.fan, 3 * triangles * sizeof *v.fan);
  r->normals = buffer_of(NULL, count * 3 * sizeof(float));
  surface_vertices_destroy(&v);
  return true;
}

// the surface's vertices are their nodes and normals; everything else of them is read by the node's number
static void create_arrays(SurfaceRenderer *r) {
  glCreateVertexArrays(1, &r->vertex_array);
  glCreateVertexArrays(1, &r->pin_array);
  glCreateVertexArrays(1, &r->no_vertices);
  glVertexArrayVertexBuffer(r->vertex_array, 0, r->nodes, 0, sizeof(int));
  glVertexArrayAttribIFormat(r->vertex_array, 0, 1, GL_INT, 0);
  glVertexArrayVertexBuffer(r->vertex_array, 1, r->normals, 0, 3 * sizeof(float));
  glVertexArrayAttribFormat(r->vertex_array, 1, 3, GL_FLOAT, GL_FALSE, 0);
  glVertexArrayElementBuffer(r->vertex_array, r->corners);
  glVertexArrayAttribIFormat(r->pin_array, 0, 1, GL_INT, 0);
  for (GLuint k = 0; k < 3; k++) {
    const GLuint array = k < 2 ? r->vertex_array : r->pin_array, attribute = k % 2;
    glVertexArrayAttribBinding(array, attribute, attribute);
    glEnableVertexArrayAttrib(array, attribute);
  }
  glCreateVertexArrays(1, &r->cap_array);
  glVertexArrayAttribIFormat(r->cap_array, 0, 2, GL_INT, offsetof(PlaneCutVertex, ends));
  glVertexArrayAttribFormat(r->cap_array, 1, 1, GL_FLOAT, GL_FALSE, offsetof(PlaneCutVertex, part));
  for (GLuint k = 0; k < 2; k++) {
    glVertexArrayAttribBinding(r->cap_array, k, 0);
    glEnableVertexArrayAttrib(r->cap_array, k);
  }
}

bool surface_renderer_create(SurfaceRenderer *renderer, const Programs *programs, const Surface *surface,
                             const TetMesh *mesh, Device device, Error *error) {
  SurfaceRenderer *r = renderer;
  const size_t triangles = (size_t)surface->triangle_count;
  *r = (SurfaceRenderer){
    .programs = programs, .mesh = mesh, .node_count = mesh->node_count, .triangle_count = surface->triangle_count
  };
  if (!shared_buffer_create(&r->positions, device, surface_renderer_bytes(mesh->node_count), error) ||
      !create_rest(r, surface, mesh, error) || !create_vertices(r, surface, mesh, error) ||
      !create_tets(r, mesh, error))
    goto failed;
  r->triangles = buffer_of(surface->triangle, triangles * sizeof *surface->triangle);
  glCreateBuffers(1, &r->frame);
  glNamedBufferStorage(r->frame, sizeof(FrameUniforms), NULL, GL_DYNAMIC_STORAGE_BIT);
  create_arrays(r);
  if (GL_CHECK("creating the surface's buffers") && create_shadow_map(r, error) && create_contact_maps(r, error))
    return true;
failed:
  surface_renderer_destroy(r);
  return false;
}

void surface_renderer_destroy(SurfaceRenderer *renderer) {
  SurfaceRenderer *r = renderer;
  const GLuint buffers[] = { r->nodes, r->corners, r->normals, r->triangles, r->fan_start, r->fan,
                             r->frame, r->rest,    r->tets,    r->owners,    r->pins,      r->cap };
  const GLuint arrays[] = { r->vertex_array, r->pin_array, r->no_vertices, r->cap_array };
  for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
    if (buffers[k]) glDeleteBuffers(1, &buffers[k]);
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
    if (arrays[k]) glDeleteVertexArrays(1, &arrays[k]);
  const GLuint targets[] = { r->shadow_target, r->underside_target, r->contact_target };
  const GLuint textures[] = { r->shadow_map, r->underside, r->contact };
  for (int k = 0; k < 3; k++) {
    if (targets[k]) glDeleteFramebuffers(1, &targets[k]);
    if (textures[k]) glDeleteTextures(1, &textures[k]);
  }
  obstacle_shapes_destroy(&r->obstacles);
  free(r->paint);
  occlusion_map_destroy(&r->occlusion);
  shared_buffer_destroy(&r->positions);
  plane_cut_destroy(&r->cut);
  *r = (SurfaceRenderer){ 0 };
}

// Widens the colours' range by the new values. A few nodes at a corner may have many times the values of all others,
// which would then look alike: so the range ends at four times the spread about the mean.
static void update_ranges(SurfaceRenderer *r, FieldKind field) {
  float extra[FIELD_EXTRA];
  if (field != r->field) r->shown_range[0] = HUGE_VAL, r->shown_range[1] = -HUGE_VAL;
  r->field = field;
  if (field == FIELD_NONE) return;
  glGetNamedBufferSubData(r->positions.buffer, (GLintptr)(4 * sizeof(float) * (size_t)r->node_count), sizeof extra,
                          extra);
  const double reach = 4 * (double)extra[FIELD_SPREAD];
  const double low = fmax(extra[FIELD_SMALLEST], extra[FIELD_MEAN] - reach);
  const double high = fmin(extra[FIELD_LARGEST], extra[FIELD_MEAN] + reach);
  r->now_range[0] = low, r->now_range[1] = high;
  r->shown_range[0] = fmin(r->shown_range[0], low), r->shown_range[1] = fmax(r->shown_range[1], high);
  r->field_range[0] = extra[FIELD_SMALLEST], r->field_range[1] = extra[FIELD_LARGEST];
}

void surface_renderer_range(const SurfaceRenderer *r, const Style *style, double range[2]) {
  range[0] = style->low, range[1] = style->high;
  if (style->high > style->low) return;
  const double *values = style->range == FIELD_RANGE_FOLLOW ? r->now_range : r->shown_range;
  field_range(r->field, values[0], values[1], range);
}

void surface_renderer_fix_range(const SurfaceRenderer *renderer, Style *style) {
  double range[2];
  if (style->field == FIELD_NONE || renderer->field != style->field) return;
  surface_renderer_range(renderer, style, range);
  style->low = range[0], style->high = range[1];
}

static void send_paint(const SurfaceRenderer *r, const float *paint) {
  const size_t nodes = (size_t)r->node_count;
  glNamedBufferSubData(r->rest, (GLintptr)(3 * sizeof *paint * nodes), (GLsizeiptr)(sizeof *paint * nodes), paint);
}

// nodes where the surface goes through itself have a colour of their own, over all others
static bool mark_crossings(SurfaceRenderer *r, const uint8_t *mark, Error *error) {
  static const float RED = 1 << 24;  // beyond all colours: see nodes.glsl
  bool any = false;
  for (int a = 0; a < r->node_count && !any; a++) any = mark[a] & MARK_CROSSES;
  if (!any && !r->has_crossings) return true;
  float *paint = array_new(r->node_count, sizeof *paint, "colours", error);
  if (!paint) return false;
  for (int a = 0; a < r->node_count; a++) paint[a] = mark[a] & MARK_CROSSES ? RED : r->paint ? r->paint[a] : -1;
  send_paint(r, paint);
  free(paint);
  r->has_crossings = any;
  return GL_CHECK("marking crossings");
}

bool surface_renderer_set_pins(SurfaceRenderer *r, const uint8_t *pinned, Error *error) {
  int *node = array_new(r->node_count, sizeof *node, "pinned nodes", error);
  if (!node) return false;
  r->pin_count = 0;
  for (int a = 0; a < r->node_count; a++)
    if (pinned[a] & ~MARK_CROSSES) node[r->pin_count++] = a;
  if (r->pins) glDeleteBuffers(1, &r->pins);
  r->pins = buffer_of(node, sizeof *node * (size_t)r->pin_count);
  glVertexArrayVertexBuffer(r->pin_array, 0, r->pins, 0, sizeof *node);
  free(node);
  return GL_CHECK("marking pinned nodes") && mark_crossings(r, pinned, error);
}

bool surface_renderer_set_colors(SurfaceRenderer *r, const double (*color)[4], Error *error) {
  const size_t nodes = (size_t)r->node_count;
  float *paint = array_new(r->node_count, sizeof *paint, "colours", error);
  if (!paint) return false;
  for (size_t a = 0; a < nodes; a++) {
    const double *own = color[mesh_body(r->mesh, (int)a)];
    long bits = 0;
    for (int i = 0; i < 3; i++) bits |= lround(255 * fmin(fmax(own[i], 0), 1)) << 8 * i;
    paint[a] = own[3] > 0 ? (float)bits : -1;
  }
  send_paint(r, paint);
  free(r->paint);
  r->paint = paint;
  return GL_CHECK("colouring bodies");
}

bool surface_renderer_set_obstacles(SurfaceRenderer *r, const Obstacle *obstacles, int count, double time,
                                    Error *error) {
  double centre[3], diagonal2 = 0;
  for (int i = 0; i < 3; i++) {
    centre[i] = (r->low[i] + r->high[i]) / 2;
    diagonal2 += (r->high[i] - r->low[i]) * (r->high[i] - r->low[i]);
  }
  obstacle_shapes_destroy(&r->obstacles);
  r->obstacle_count = count;
  return obstacle_shapes_create(&r->obstacles, obstacles, count, time, centre, 8 * sqrt(diagonal2), error);
}

bool surface_renderer_move_obstacles(SurfaceRenderer *r, const Obstacle *obstacles, int count, double time,
                                     Error *error) {
  if (count != r->obstacle_count) return surface_renderer_set_obstacles(r, obstacles, count, time, error);
  for (int k = 0; k < count; k++)
    if (obstacle_moves(&obstacles[k])) return surface_renderer_set_obstacles(r, obstacles, count, time, error);
  return true;
}

// how long the longest vector has been
static bool update_vectors(SurfaceRenderer *r, VectorKind vectors, Error *error) {
  if (vectors != r->vectors) r->longest = 0;
  r->vectors = vectors;
  if (vectors == VECTORS_NONE) return true;
  float(*v)[3] = array_new(r->node_count, sizeof *v, "vectors", error);
  if (!v) return false;
  glGetNamedBufferSubData(r->positions.buffer, (GLintptr)(sizeof(float) * first_vector(r)),
                          (GLsizeiptr)(sizeof *v * (size_t)r->node_count), v);
  for (int a = 0; a < r->node_count; a++) {
    const double length = sqrt((double)v[a][0] * v[a][0] + (double)v[a][1] * v[a][1] + (double)v[a][2] * v[a][2]);
    if (isfinite(length)) r->longest = fmax(r->longest, length);
  }
  free(v);
  return GL_CHECK("reading vectors");
}

double surface_renderer_longest(const SurfaceRenderer *r, const Style *style) {
  return style && style->vectors != VECTORS_NONE && r->vectors == style->vectors ? field_round_up(r->longest) : 0;
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
  glDispatchCompute((GLuint)(groups < GROUPS_MAX ? groups : GROUPS_MAX), 1, 1);  // fewer groups take more each
  glMemoryBarrier(GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
  return GL_CHECK("computing normals");
}

// the key light's view: parallel light that covers the ball around the body, with room for what is pulled out of it
static void light_matrix(const double centre[3], double radius, const double to_key[3], const double right[3],
                         float world_to_light[4][4]) {
  const float reach = (float)(1.35 * radius);
  vec3 at = { (float)centre[0], (float)centre[1], (float)centre[2] };
  vec3 side = { (float)right[0], (float)right[1], (float)right[2] }, eye;
  for (int i = 0; i < 3; i++) eye[i] = at[i] + reach * (float)to_key[i];
  mat4 view, projection, product;
  glm_lookat(eye, at, side, view);
  glm_ortho(-reach, reach, -reach, reach, 0, 2 * reach, projection);
  glm_mat4_mul(projection, view, product);
  memcpy(world_to_light, product, sizeof product);
}

// The ball that the key light's map covers: that around the body at rest, and obstacles that cast a shadow unless they
// are so large or far that the body's own would be coarse.
static double lit_ball(const SurfaceRenderer *r, const Camera *camera, double centre[3]) {
  static const double MOST = 8;  // in radii of the body
  double diagonal2 = 0;
  memcpy(centre, camera->centre, sizeof camera->centre);
  if (r->obstacles.casting_count == 0) return camera->radius;
  for (int i = 0; i < 3; i++) {
    const double low = fmin(camera->centre[i] - camera->radius, r->obstacles.low[i]);
    const double high = fmax(camera->centre[i] + camera->radius, r->obstacles.high[i]);
    centre[i] = (low + high) / 2;
    diagonal2 += (high - low) * (high - low);
  }
  if (sqrt(diagonal2) / 2 <= MOST * camera->radius) return sqrt(diagonal2) / 2;
  memcpy(centre, camera->centre, sizeof camera->centre);
  return camera->radius;
}

// the uniforms that follow from the style and the mouse
static void set_style(const SurfaceRenderer *r, const Picture *picture, FrameUniforms *frame) {
  const Style *style = picture->style;
  frame->section[3] = 1;
  for (int i = 0; picture->hover && i < 3; i++) frame->hover[i] = (float)picture->hover->X[i];
  if (picture->hover) frame->hover[3] = (float)picture->hover->radius;
  if (picture->hover && r->mesh->body) frame->counts[3] = picture->hover->body + 1;
  if (!style) return;
  if (style->section) {
    const int axis = style->section_axis;
    const double at = r->low[axis] + style->section_at * (r->high[axis] - r->low[axis]);
    frame->section[axis] = style->section_flip ? -1 : 1;
    frame->section[3] = (float)(style->section_flip ? -at : at);
    frame->counts[2] = style->cut == SECTION_TETS;
  }
  if (style->field == FIELD_NONE || r->field != style->field) return;
  double range[2];
  surface_renderer_range(r, style, range);
  frame->color_map[0] = (float)range[0], frame->color_map[1] = (float)range[1], frame->color_map[2] = 1;
  float colors[COLOR_MAP_POINTS][3];
  color_map(style->color_map, style->field, colors);
  for (int k = 0; k < COLOR_MAP_POINTS; k++)
    for (int i = 0; i < 3; i++) frame->colors[k][i] = powf(colors[k][i], 2.2f);
}

double surface_renderer_grid(const Camera *camera) {
  const double decade = pow(10, floor(log10(camera->radius))), part = camera->radius / decade;
  return decade * (part < 2 ? 0.2 : part < 5 ? 0.5 : 1);
}

// the floor, and the view from below it that sees what stands on it
static void set_floor(const Picture *picture, FrameUniforms *frame) {
  const Camera *c = picture->camera;
  const double height = *picture->floor;
  const float reach = (float)(CONTACT_REACH * c->radius);
  frame->ground[0] = (float)height, frame->ground[1] = (float)surface_renderer_grid(c);
  frame->ground[2] = (float)(6 * c->radius), frame->ground[3] = 1;
  vec3 eye = { (float)c->centre[0], (float)c->centre[1], (float)height }, up = { 0, 1, 0 };
  vec3 at = { eye[0], eye[1], eye[2] + reach };
  mat4 view, projection, product;
  glm_lookat(eye, at, up, view);
  glm_ortho(-reach, reach, -reach, reach, 0, reach, projection);
  glm_mat4_mul(projection, view, product);
  memcpy(frame->world_to_foot, product, sizeof product);
}

// whether the body keeps the sky's light from itself
static bool is_occluded(const Picture *picture) {
  return picture->style && picture->style->occlusion == OCCLUSION_ON && !picture->hasty;
}

static bool has_section(const Picture *picture, SectionCut cut) {
  return picture->style && picture->style->section && picture->style->cut == cut;
}

void surface_renderer_set_frame(SurfaceRenderer *renderer, int width, int height, const Picture *picture) {
  const Camera *camera = picture->camera;
  FrameUniforms frame = { .viewport = { (float)width, (float)height, fmaxf(0.6f, (float)height / 720), 0 },
                          .counts = { renderer->node_count, COLOR_MAP_POINTS } };
  double eye[3], right[3], up[3], forward[3], to_key[3], length2 = 0;
  camera_matrix(camera, (double)width / height, frame.world_to_clip);
  camera_eye(camera, eye);
  camera_axes(camera, right, up, forward);

  // the light turns with the camera, so that the body is well lit from everywhere: from the left, above, and behind us
  for (int i = 0; i < 3; i++) {
    const double ahead = cos(camera->azimuth) * camera->ahead[i] - sin(camera->azimuth) * camera->right[i];
    to_key[i] = -0.62 * right[i] + 0.85 * camera->up[i] - 0.62 * ahead;
    length2 += to_key[i] * to_key[i];
  }
  for (int i = 0; i < 3; i++) {
    to_key[i] /= sqrt(length2);
    frame.eye[i] = (float)eye[i];
    frame.to_key[i] = (float)to_key[i];
    frame.up[i] = (float)camera->up[i];
    frame.body[i] = (float)camera->centre[i];
  }
  set_style(renderer, picture, &frame);
  frame.viewport[3] = is_occluded(picture);
  frame.body[3] = (float)camera->radius;
  if (picture->floor) set_floor(picture, &frame);
  double lit[3];
  const double reach = lit_ball(renderer, camera, lit);
  frame.color_map[3] = (float)reach;
  light_matrix(lit, reach, to_key, right, frame.world_to_light);
  glNamedBufferSubData(renderer->frame, 0, sizeof frame, &frame);
  glBindBufferBase(GL_UNIFORM_BUFFER, 0, renderer->frame);
  renderer->clips = has_section(picture, SECTION_SMOOTH);
  const GLuint buffers[] = { renderer->owners, renderer->rest, renderer->tets };
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, renderer->positions.buffer);
  glBindBuffersBase(GL_SHADER_STORAGE_BUFFER, 5, 3, buffers);
}

void surface_renderer_draw_triangles(const SurfaceRenderer *r, unsigned program) {
  // only these programs say what a smooth section takes away
  if (r->clips) glEnable(GL_CLIP_DISTANCE0);
  glUseProgram(program);
  glBindVertexArray(r->vertex_array);
  glDrawElements(GL_TRIANGLES, 3 * r->triangle_count, GL_UNSIGNED_INT, NULL);
  glDisable(GL_CLIP_DISTANCE0);
}

static void draw_depth(const SurfaceRenderer *r, unsigned target, int size, const Picture *picture, bool from_below) {
  const float farthest = 1;
  const unsigned program = has_section(picture, SECTION_TETS) ? r->programs->shadow_cut : r->programs->shadow;
  glBindFramebuffer(GL_FRAMEBUFFER, target);
  glViewport(0, 0, size, size);
  glEnable(GL_DEPTH_TEST);
  glEnable(GL_DEPTH_CLAMP);  // what is pulled out of the light's depth range still casts a shadow
  glClearNamedFramebufferfv(target, GL_DEPTH, 0, &farthest);
  glProgramUniform1i(program, 0, from_below);
  surface_renderer_draw_triangles(r, program);
  if (!from_below) obstacle_shapes_draw(&r->obstacles, true, r->programs->shadow_obstacle);
  glDisable(GL_DEPTH_CLAMP);
}

static void draw_maps(const SurfaceRenderer *r, const Picture *picture) {
  glEnable(GL_POLYGON_OFFSET_FILL);
  glPolygonOffset(2, 4);
  draw_depth(r, r->shadow_target, SHADOW_SIZE, picture, false);
  glDisable(GL_POLYGON_OFFSET_FILL);
  if (!picture->floor) return;
  draw_depth(r, r->underside_target, CONTACT_SIZE, picture, true);
  glBindFramebuffer(GL_FRAMEBUFFER, r->contact_target);
  glDisable(GL_DEPTH_TEST);
  glBindTextureUnit(2, r->underside);
  glBindVertexArray(r->no_vertices);
  glUseProgram(r->programs->contact);
  glUniform1f(0, CONTACT_SIZE / 2.0f);  // the map is twice as wide as deep
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

// cuts the mesh where the style has another section than last time
static bool cut_section(SurfaceRenderer *r, const Style *style, Error *error) {
  const Style *last = &r->section;
  if (last->section && last->section_axis == style->section_axis && last->section_at == style->section_at &&
      last->section_flip == style->section_flip)
    return true;
  const int axis = style->section_axis;
  const double at = r->low[axis] + style->section_at * (r->high[axis] - r->low[axis]);
  const double side = style->section_flip ? -1 : 1;
  const double normal[3] = { axis == 0 ? side : 0, axis == 1 ? side : 0, axis == 2 ? side : 0 };
  PlaneCut cut;
  if (!plane_cut_create(&cut, r->mesh, normal, side * at, error)) return false;
  if (r->cap) glDeleteBuffers(1, &r->cap);
  plane_cut_destroy(&r->cut);
  r->cut = cut;
  r->cap = buffer_of(cut.triangle, sizeof *cut.triangle * (size_t)cut.triangle_count);
  glVertexArrayVertexBuffer(r->cap_array, 0, r->cap, 0, sizeof(PlaneCutVertex));
  r->section = *style;
  return GL_CHECK("cutting a section");
}

static void draw_springs(const SurfaceRenderer *r, const Spring *springs, int count) {
  const unsigned programs[] = { r->programs->spring, r->programs->marker };
  glBindVertexArray(r->no_vertices);
  for (int p = 0; p < 2; p++) {
    glUseProgram(programs[p]);
    for (const Spring *s = springs; s < springs + count; s++) {
      glUniform3i(0, s->nodes[0], s->nodes[1], s->nodes[2]);
      glUniform3f(1, (float)s->barycentric[0], (float)s->barycentric[1], (float)s->barycentric[2]);
      glUniform3f(2, (float)s->target[0], (float)s->target[1], (float)s->target[2]);
      if (p == 0) glUniform1i(3, SPRING_SEGMENTS);
      glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, p == 0 ? 2 * (SPRING_SEGMENTS + 1) : 4, p == 0 ? 1 : 2);
    }
  }
}

void surface_renderer_draw_cap(const SurfaceRenderer *r, const Picture *picture, unsigned program) {
  if (!has_section(picture, SECTION_SMOOTH)) return;
  glUseProgram(program);
  glBindVertexArray(r->cap_array);
  glDrawArrays(GL_TRIANGLES, 0, 3 * r->cut.triangle_count);
}

// how far parts of the body keep light from each other, in its radius
static const double OCCLUSION_REACH = 0.3;

static bool draw_occlusion(SurfaceRenderer *r, int width, int height, const Picture *picture, Error *error) {
  float world_to_clip[4][4];
  if (!occlusion_map_resize(&r->occlusion, width, height, error)) return false;
  occlusion_map_begin(&r->occlusion);
  surface_renderer_draw_triangles(r, has_section(picture, SECTION_TETS) ? r->programs->depth_cut : r->programs->depth);
  surface_renderer_draw_cap(r, picture, r->programs->depth_cap);
  camera_matrix(picture->camera, (double)width / height, world_to_clip);
  glBindVertexArray(r->no_vertices);
  occlusion_map_end(&r->occlusion, r->programs->occlusion, (const float(*)[4])world_to_clip,
                    OCCLUSION_REACH * picture->camera->radius);
  return true;
}

// the inside that a section between tets shows; the surface's own faces are drawn before
static void draw_inside(const SurfaceRenderer *r) {
  glBindVertexArray(r->no_vertices);
  glUseProgram(r->programs->inside);
  glEnable(GL_POLYGON_OFFSET_FILL);
  glPolygonOffset(1, 2);
  glDrawArrays(GL_TRIANGLES, 0, 12 * (r->tet_count < INT32_MAX / 12 ? r->tet_count : INT32_MAX / 12));
  glDisable(GL_POLYGON_OFFSET_FILL);
}

static void draw_edges(const SurfaceRenderer *r) {
  glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
  glEnable(GL_POLYGON_OFFSET_LINE);
  glPolygonOffset(-1, -2);
  glEnable(GL_BLEND);
  surface_renderer_draw_triangles(r, r->programs->edges);
  glDisable(GL_BLEND);
  glDisable(GL_POLYGON_OFFSET_LINE);
  glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
}

// at some of the nodes, where there are many; the longest reaches as far as so much of the body's radius
static void draw_vectors(const SurfaceRenderer *r, const Picture *picture) {
  enum { ARROWS = 1200 };
  static const double LONGEST = 0.5;
  const double longest = surface_renderer_longest(r, picture->style);
  const int stride = 1 + (r->node_count - 1) / ARROWS;
  if (longest == 0) return;
  glBindVertexArray(r->no_vertices);
  glUseProgram(r->programs->vector);
  glUniform1f(0, (float)(LONGEST * picture->camera->radius / longest));
  glUniform1i(1, stride);
  glUniform1i(2, (int)first_vector(r));
  glEnable(GL_BLEND);
  glDrawArraysInstanced(GL_TRIANGLES, 0, 9, 1 + (r->node_count - 1) / stride);
  glDisable(GL_BLEND);
}

static void draw_pins(const SurfaceRenderer *r) {
  glEnable(GL_PROGRAM_POINT_SIZE);
  glUseProgram(r->programs->pin);
  glBindVertexArray(r->pin_array);
  glDrawArrays(GL_POINTS, 0, r->pin_count);
  glDisable(GL_PROGRAM_POINT_SIZE);
}

bool surface_renderer_draw(SurfaceRenderer *renderer, unsigned framebuffer, int width, int height,
                           const Picture *picture, Error *error) {
  SurfaceRenderer *r = renderer;
  const Style *style = picture->style;
  const float farthest = 1;
  const bool smooth = has_section(picture, SECTION_SMOOTH), tets = has_section(picture, SECTION_TETS);
  if (smooth && !cut_section(r, style, error)) return false;
  surface_renderer_set_frame(r, width, height, picture);
  glDisable(GL_SCISSOR_TEST);
  glDisable(GL_CULL_FACE);
  glDisable(GL_BLEND);
  glDepthMask(GL_TRUE);
  glDepthFunc(GL_LESS);
  draw_maps(r, picture);
  if (is_occluded(picture) && !draw_occlusion(r, width, height, picture, error)) return false;

  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glViewport(0, 0, width, height);
  glEnable(GL_MULTISAMPLE);
  glClearBufferfv(GL_DEPTH, 0, &farthest);
  glBindTextureUnit(0, r->shadow_map);
  glBindTextureUnit(1, r->contact);
  glBindTextureUnit(3, r->occlusion.left);

  // background and floor: flat, nothing is hidden by them
  glDisable(GL_DEPTH_TEST);
  glBindVertexArray(r->no_vertices);
  glUseProgram(r->programs->background);
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ZERO, GL_ONE);  // the picture stays opaque
  if (picture->floor) {
    glEnable(GL_BLEND);
    glUseProgram(r->programs->floor);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glDisable(GL_BLEND);
  }

  glEnable(GL_DEPTH_TEST);
  obstacle_shapes_draw(&r->obstacles, false, r->programs->obstacle);
  surface_renderer_draw_triangles(r, tets ? r->programs->surface_cut : r->programs->surface);
  surface_renderer_draw_cap(r, picture, r->programs->cap);
  if (tets) draw_inside(r);
  if (style && style->wireframe) draw_edges(r);
  if (style && style->pins && r->pin_count > 0) draw_pins(r);

  draw_vectors(r, picture);

  // springs last and on top: the body never hides what pulls it
  glDisable(GL_DEPTH_TEST);
  glEnable(GL_BLEND);
  draw_springs(r, picture->springs, picture->spring_count);
  glDisable(GL_BLEND);
  return GL_CHECK("drawing");
}

bool surface_renderer_clear(Error *error) {
  const float grey[] = { 0.78f, 0.81f, 0.84f, 1 };
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glClearBufferfv(GL_COLOR, 0, grey);
  return GL_CHECK("clearing the window");
}

bool surface_renderer_node(const SurfaceRenderer *renderer, int node, double position[3], Error *error) {
  float x[3] = { 0 };
  glGetNamedBufferSubData(renderer->positions.buffer, (GLintptr)node * (GLintptr)sizeof x, sizeof x, x);
  for (int i = 0; i < 3; i++) position[i] = x[i];
  return GL_CHECK("reading a node's position");
}

bool surface_renderer_bounds(const SurfaceRenderer *renderer, double low[3], double high[3], Error *error) {
  float(*x)[3] = array_new(renderer->node_count, sizeof *x, "positions", error);
  if (!x) return false;
  glGetNamedBufferSubData(renderer->positions.buffer, 0, (GLsizeiptr)(sizeof *x * (size_t)renderer->node_count), x);
  for (int i = 0; i < 3; i++) {
    low[i] = HUGE_VAL, high[i] = -HUGE_VAL;
    for (int a = 0; a < renderer->node_count; a++) low[i] = fmin(low[i], x[a][i]), high[i] = fmax(high[i], x[a][i]);
  }
  free(x);
  return GL_CHECK("reading the nodes' positions");
}

bool surface_renderer_normals(const SurfaceRenderer *renderer, float (*normals)[3], Error *error) {
  glGetNamedBufferSubData(renderer->normals, 0, (GLsizeiptr)(sizeof *normals * (size_t)renderer->vertex_count),
                          normals);
  return GL_CHECK("reading normals");
}

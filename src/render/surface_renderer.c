// The picture, in this order: shadow map, background, the shadow on the floor, surface, inside, edges, pins, springs.
// See surface_renderer.h.
#include "render/surface_renderer.h"

#include <cglm/cglm.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "render/color_map.h"
#include "render/gl_check.h"

enum { SHADOW_SIZE = 1024, SPRING_SEGMENTS = 160, NORMALS_GROUP = 128, GROUPS_MAX = 65535 };

// = block Frame of the shaders
typedef struct FrameUniforms {
  float world_to_clip[4][4], world_to_light[4][4];
  float eye[4], to_key[4], up[4], body[4], viewport[4], section[4], hover[4], color_map[4];
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

size_t surface_renderer_bytes(int node_count) {
  return sizeof(float) * (4 * (size_t)node_count + FIELD_EXTRA);
}

// where nodes are at rest, and where the tets of the surface's triangles are
static bool create_rest(SurfaceRenderer *r, const Surface *surface, const TetMesh *mesh, Error *error) {
  float(*rest)[3] = array_new(mesh->node_count, sizeof *rest, "nodes", error);
  float(*owner)[3] = array_new(surface->triangle_count, sizeof *owner, "surface triangles", error);
  const bool ok = rest && owner;
  for (int a = 0; ok && a < mesh->node_count; a++)
    for (int i = 0; i < 3; i++) rest[a][i] = (float)mesh->X[a][i];
  for (int t = 0; ok && t < surface->triangle_count; t++)
    for (int a = 0; a < 4; a++)
      for (int i = 0; i < 3; i++) owner[t][i] += (float)(0.25 * mesh->X[mesh->tet[surface->owner[t]][a]][i]);
  if (ok) r->rest = buffer_of(rest, sizeof *rest * (size_t)mesh->node_count);
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
}

bool surface_renderer_create(SurfaceRenderer *renderer, const Programs *programs, const Surface *surface,
                             const TetMesh *mesh, Device device, Error *error) {
  SurfaceRenderer *r = renderer;
  const size_t triangles = (size_t)surface->triangle_count;
  *r = (SurfaceRenderer){ .programs = programs,
                          .node_count = mesh->node_count,
                          .triangle_count = surface->triangle_count,
                          .tet_count = mesh->tet_count };
  if (!shared_buffer_create(&r->positions, device, surface_renderer_bytes(mesh->node_count), error) ||
      !create_rest(r, surface, mesh, error) || !create_vertices(r, surface, mesh, error))
    goto failed;
  r->tets = buffer_of(mesh->tet, (size_t)mesh->tet_count * sizeof *mesh->tet);
  r->triangles = buffer_of(surface->triangle, triangles * sizeof *surface->triangle);
  glCreateBuffers(1, &r->frame);
  glNamedBufferStorage(r->frame, sizeof(FrameUniforms), NULL, GL_DYNAMIC_STORAGE_BIT);
  create_arrays(r);
  if (GL_CHECK("creating the surface's buffers") && create_shadow_map(r, error)) return true;
failed:
  surface_renderer_destroy(r);
  return false;
}

void surface_renderer_destroy(SurfaceRenderer *renderer) {
  SurfaceRenderer *r = renderer;
  const GLuint buffers[] = { r->nodes, r->corners, r->normals, r->triangles, r->fan_start, r->fan,
                             r->frame, r->rest,    r->tets,    r->owners,    r->pins };
  const GLuint arrays[] = { r->vertex_array, r->pin_array, r->no_vertices };
  for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
    if (buffers[k]) glDeleteBuffers(1, &buffers[k]);
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
    if (arrays[k]) glDeleteVertexArrays(1, &arrays[k]);
  if (r->shadow_target) glDeleteFramebuffers(1, &r->shadow_target);
  if (r->shadow_map) glDeleteTextures(1, &r->shadow_map);
  shared_buffer_destroy(&r->positions);
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
  r->shown_range[0] = fmin(r->shown_range[0], low), r->shown_range[1] = fmax(r->shown_range[1], high);
  r->field_range[0] = extra[FIELD_SMALLEST], r->field_range[1] = extra[FIELD_LARGEST];
}

void surface_renderer_range(const SurfaceRenderer *r, const Style *style, double range[2]) {
  range[0] = style->low, range[1] = style->high;
  if (!(style->high > style->low)) field_range(r->field, r->shown_range[0], r->shown_range[1], range);
}

bool surface_renderer_set_pins(SurfaceRenderer *r, const uint8_t *pinned, Error *error) {
  int *node = array_new(r->node_count, sizeof *node, "pinned nodes", error);
  if (!node) return false;
  r->pin_count = 0;
  for (int a = 0; a < r->node_count; a++)
    if (pinned[a]) node[r->pin_count++] = a;
  if (r->pins) glDeleteBuffers(1, &r->pins);
  r->pins = buffer_of(node, sizeof *node * (size_t)r->pin_count);
  glVertexArrayVertexBuffer(r->pin_array, 0, r->pins, 0, sizeof *node);
  free(node);
  return GL_CHECK("marking pinned nodes");
}

bool surface_renderer_update(SurfaceRenderer *renderer, Stream stream, const void *memory, FieldKind field,
                             Error *error) {
  SurfaceRenderer *r = renderer;
  if (!shared_buffer_write(&r->positions, stream, memory, error)) return false;
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

// the uniforms that follow from the style and the mouse
static void set_style(const SurfaceRenderer *r, const Picture *picture, FrameUniforms *frame) {
  const Style *style = picture->style;
  frame->section[3] = 1;
  for (int i = 0; picture->hover && i < 3; i++) frame->hover[i] = (float)picture->hover->X[i];
  if (picture->hover) frame->hover[3] = (float)picture->hover->radius;
  if (!style) return;
  if (style->section) {
    const int axis = style->section_axis;
    const double at = r->low[axis] + style->section_at * (r->high[axis] - r->low[axis]);
    frame->section[axis] = style->section_flip ? -1 : 1;
    frame->section[3] = (float)(style->section_flip ? -at : at);
  }
  if (style->field == FIELD_NONE || r->field != style->field) return;
  double range[2];
  surface_renderer_range(r, style, range);
  frame->color_map[0] = (float)range[0], frame->color_map[1] = (float)range[1], frame->color_map[2] = 1;
  for (int k = 0; k < COLOR_MAP_POINTS; k++)
    memcpy(frame->colors[k], color_map(style->field)[k], sizeof color_map(style->field)[k]);
}

void surface_renderer_set_frame(SurfaceRenderer *renderer, int width, int height, const Picture *picture) {
  const Camera *camera = picture->camera;
  FrameUniforms frame = { .viewport = { (float)width, (float)height, fmaxf(0.6f, (float)height / 720), 0 },
                          .counts = { renderer->node_count } };
  double eye[3], right[3], up[3], forward[3], to_key[3], floor = 0, length2 = 0;
  camera_matrix(camera, (double)width / height, frame.world_to_clip);
  camera_eye(camera, eye);
  camera_axes(camera, right, up, forward);

  // the light turns with the camera, so that the body is well lit from everywhere: from the left, above, and behind us
  for (int i = 0; i < 3; i++) {
    const double ahead = cos(camera->azimuth) * camera->ahead[i] - sin(camera->azimuth) * camera->right[i];
    to_key[i] = -0.62 * right[i] + 0.85 * camera->up[i] - 0.62 * ahead;
    length2 += to_key[i] * to_key[i];
    floor += camera->up[i] * camera->centre[i] - fabs(camera->up[i]) * camera->half[i];
  }
  for (int i = 0; i < 3; i++) {
    to_key[i] /= sqrt(length2);
    frame.eye[i] = (float)eye[i];
    frame.to_key[i] = (float)to_key[i];
    frame.up[i] = (float)camera->up[i];
    frame.body[i] = (float)camera->centre[i];
  }
  // the scene's floor; else one under the lowest point of the body at rest
  if (picture->floor && camera->up[2] > 0.999) floor = *picture->floor;
  frame.up[3] = (float)floor;
  set_style(renderer, picture, &frame);
  frame.body[3] = (float)camera->radius;
  light_matrix(camera->centre, camera->radius, to_key, right, frame.world_to_light);
  glNamedBufferSubData(renderer->frame, 0, sizeof frame, &frame);
  glBindBufferBase(GL_UNIFORM_BUFFER, 0, renderer->frame);
  const GLuint buffers[] = { renderer->owners, renderer->rest, renderer->tets };
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, renderer->positions.buffer);
  glBindBuffersBase(GL_SHADER_STORAGE_BUFFER, 5, 3, buffers);
}

static void draw_triangles(const SurfaceRenderer *r, unsigned program) {
  glUseProgram(program);
  glBindVertexArray(r->vertex_array);
  glDrawElements(GL_TRIANGLES, 3 * r->triangle_count, GL_UNSIGNED_INT, NULL);
}

static void draw_shadow_map(const SurfaceRenderer *r) {
  const float farthest = 1;
  glBindFramebuffer(GL_FRAMEBUFFER, r->shadow_target);
  glViewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
  glEnable(GL_DEPTH_TEST);
  glEnable(GL_DEPTH_CLAMP);  // what is pulled out of the light's depth range still casts a shadow
  glEnable(GL_POLYGON_OFFSET_FILL);
  glPolygonOffset(2, 4);
  glClearNamedFramebufferfv(r->shadow_target, GL_DEPTH, 0, &farthest);
  draw_triangles(r, r->programs->shadow);
  glDisable(GL_POLYGON_OFFSET_FILL);
  glDisable(GL_DEPTH_CLAMP);
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

// the inside that the section shows; the surface's own faces are drawn before
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
  draw_triangles(r, r->programs->edges);
  glDisable(GL_BLEND);
  glDisable(GL_POLYGON_OFFSET_LINE);
  glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
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
  surface_renderer_set_frame(r, width, height, picture);
  glDisable(GL_SCISSOR_TEST);
  glDisable(GL_CULL_FACE);
  glDisable(GL_BLEND);
  glDepthMask(GL_TRUE);
  glDepthFunc(GL_LESS);
  draw_shadow_map(r);

  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glViewport(0, 0, width, height);
  glEnable(GL_MULTISAMPLE);
  glClearBufferfv(GL_DEPTH, 0, &farthest);
  glBindTextureUnit(0, r->shadow_map);

  // background and floor: flat, nothing is hidden by them
  glDisable(GL_DEPTH_TEST);
  glBindVertexArray(r->no_vertices);
  glUseProgram(r->programs->background);
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glEnable(GL_BLEND);
  glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ZERO, GL_ONE);  // the picture stays opaque
  glUseProgram(r->programs->floor);
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
  glDisable(GL_BLEND);

  glEnable(GL_DEPTH_TEST);
  draw_triangles(r, r->programs->surface);
  if (style && style->section) draw_inside(r);
  if (style && style->wireframe) draw_edges(r);
  if (style && style->pins && r->pin_count > 0) draw_pins(r);

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

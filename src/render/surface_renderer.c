// Draws a picture: see surface_renderer.h. The order is shadow map, contact map (the body's soft shadow on the floor
// below it), occlusion map, reflections, background, floor, obstacles, surface, inside, edges, pins, transparent
// surfaces, vectors, springs.
#include "render/surface_buffers.h"

#include <cglm/cglm.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "render/gl_check.h"

enum { SPRING_SEGMENTS = 160 };

// The contact map covers a square of the floor below the body's centre, in which the body hides a part of the sky's
// light. This constant is the half width of the square, in radii of the body.
static const double CONTACT_REACH = 2;

// Computes the matrix of the shadow map, which projects the world along the parallel rays of the main light. to_key:
// direction to this light. right: direction to the right in the picture. The map covers the sphere with this centre and
// radius, with a margin for parts of the body that the user pulls out of the sphere.
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

// Computes the sphere that the shadow map covers; returns its radius, m. The sphere contains the body at rest and the
// obstacles that cast shadows. If its radius would exceed MAX radii of the body, it contains only the body, because a
// large sphere makes shadows coarse.
static double lit_ball(const SurfaceRenderer *r, const Camera *camera, double centre[3]) {
  static const double MAX = 8;  // largest radius, in radii of the body
  double diagonal2 = 0;
  memcpy(centre, camera->centre, sizeof camera->centre);
  if (r->obstacles.casting_count == 0) return camera->radius;
  for (int i = 0; i < 3; i++) {
    const double low = fmin(camera->centre[i] - camera->radius, r->obstacles.low[i]);
    const double high = fmax(camera->centre[i] + camera->radius, r->obstacles.high[i]);
    centre[i] = (low + high) / 2;
    diagonal2 += (high - low) * (high - low);
  }
  if (sqrt(diagonal2) / 2 <= MAX * camera->radius) return sqrt(diagonal2) / 2;
  memcpy(centre, camera->centre, sizeof camera->centre);
  return camera->radius;
}

// Sets the members of *frame that depend on the style, or on the patch under the mouse.
static void set_style(SurfaceRenderer *r, const Picture *picture, FrameUniforms *frame) {
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
  const bool is_log = color_scale_is_log(style, range);
  for (int k = 0; k < 2; k++) frame->color_map[k] = (float)(is_log ? log(range[k]) : range[k]);
  frame->color_map[2] = is_log ? 2 : 1;
  float colors[COLOR_MAP_POINTS][3];
  color_map(style, colors);
  for (int k = 0; k < COLOR_MAP_POINTS; k++)
    for (int i = 0; i < 3; i++) frame->colors[k][i] = powf(colors[k][i], 2.2f);
}

double surface_renderer_grid(const Camera *camera) {
  const double decade = pow(10, floor(log10(camera->radius))), part = camera->radius / decade;
  return decade * (part < 2 ? 0.2 : part < 5 ? 0.5 : 1);
}

// Sets the members of *frame for the floor: its height, its grid, and the matrix of the view from the floor upward, by
// which the body's underside is drawn.
static void set_floor(const Picture *picture, FrameUniforms *frame) {
  const Camera *c = picture->camera;
  const double height = *picture->floor;
  const float reach = (float)(CONTACT_REACH * c->radius);
  frame->ground[0] = (float)height;
  frame->ground[1] = (float)surface_renderer_grid(c);
  frame->ground[2] = (float)(6 * c->radius);
  frame->ground[3] = 1;
  vec3 eye = { (float)c->centre[0], (float)c->centre[1], (float)height }, up = { 0, 1, 0 };
  vec3 at = { eye[0], eye[1], eye[2] + reach };
  mat4 view, projection, product;
  glm_lookat(eye, at, up, view);
  glm_ortho(-reach, reach, -reach, reach, 0, reach, projection);
  glm_mat4_mul(projection, view, product);
  memcpy(frame->world_to_foot, product, sizeof product);
}

static bool has_section(const Picture *picture, SectionCut cut) {
  return picture->style && picture->style->section && picture->style->cut == cut;
}

// Returns true if the surface is transparent. A section of the kind SECTION_TETS makes the surface opaque, because such
// a section also draws whole tets inside the body, which would be visible through the surface.
static bool is_transparent(const Picture *picture) {
  return picture->style && picture->style->xray && !has_section(picture, SECTION_TETS);
}

// Returns true if the picture has ambient occlusion (parts of the body shade each other from the sky).
static bool is_occluded(const Picture *picture) {
  const bool wished = picture->style && picture->style->occlusion == OCCLUSION_ON;
  return wished && !is_transparent(picture) && !picture->hasty;
}

// Returns true if the floor shows reflections.
static bool is_reflected(const Picture *picture) {
  return picture->floor && picture->style && picture->style->reflections && !is_transparent(picture) && !picture->hasty;
}

// Returns true if lines surround the parts of the surface with contact forces.
static bool has_contact_lines(const SurfaceRenderer *r, const Picture *picture) {
  return picture->style && picture->style->vectors == VECTORS_CONTACT_LINES && r->vectors == VECTORS_CONTACT_LINES;
}

// Numbers of samples for the shadow at a point, in shadow.glsl: of the search for objects toward the light, of a soft
// edge at first, and of a soft edge in all.
static const uint32_t SAMPLES[] = { 7, 4, 16 }, HASTY_SAMPLES[] = { 0, 2, 8 };

static const float XRAY_OPACITY = 0.15f;  // opacity of a transparent surface that faces the eye

void surface_renderer_set_frame(SurfaceRenderer *renderer, int width, int height, const Picture *picture) {
  const Camera *camera = picture->camera;
  FrameUniforms frame = { .viewport = { (float)width, (float)height, fmaxf(0.6f, (float)height / 720), 0 },
                          .counts = { renderer->node_count, COLOR_MAP_POINTS },
                          .hidden = { picture->hidden } };
  double eye[3], right[3], up[3], forward[3], to_key[3], length2 = 0;
  camera_matrix(camera, (double)width / height, frame.world_to_clip);
  camera_viewpoint(camera, eye);
  camera_axes(camera, right, up, forward);

  // the main light (key light) turns with the camera: it comes from behind the eye, from above and from the left
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
    frame.ahead[i] = (float)camera->ahead[i];
    frame.body[i] = (float)camera->centre[i];
  }

  memcpy(frame.hidden + 1, picture->hasty ? HASTY_SAMPLES : SAMPLES, sizeof SAMPLES);
  memcpy(frame.roughness, renderer->roughness, sizeof frame.roughness);
  memcpy(frame.opacity, renderer->opacity, sizeof frame.opacity);
  for (int k = 0; k < ENVIRONMENT_TERMS; k++) memcpy(frame.diffuse[k], renderer->diffuse[k], sizeof *renderer->diffuse);
  frame.diffuse[0][3] = renderer->environment != 0;
  set_style(renderer, picture, &frame);
  frame.viewport[3] = is_occluded(picture);
  frame.up[3] = is_reflected(picture);
  frame.to_key[3] = FIELD_EXTRA;
  frame.ahead[3] = has_contact_lines(renderer, picture);
  frame.body[3] = (float)camera->radius;
  frame.eye[3] = is_transparent(picture) ? XRAY_OPACITY : 1;
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
  // At a smooth section plane, the shaders of the surface hide one side of the body by writing gl_ClipDistance.
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
  glEnable(GL_DEPTH_CLAMP);  // parts outside the light's depth range cast shadows too
  glClearNamedFramebufferfv(target, GL_DEPTH, 0, &farthest);
  glProgramUniform1i(program, 0, from_below);
  surface_renderer_draw_triangles(r, program);
  if (!from_below) obstacle_shapes_draw(&r->obstacles, true, picture->hidden_obstacles, r->programs->shadow_obstacle);
  glDisable(GL_DEPTH_CLAMP);
}

static void draw_maps(const SurfaceRenderer *r, const Picture *picture) {
  glEnable(GL_POLYGON_OFFSET_FILL);
  glPolygonOffset(2, 4);
  draw_depth(r, r->shadow_map.target, r->shadow_map.size, picture, false);
  glDisable(GL_POLYGON_OFFSET_FILL);

  // without a floor and obstacles, only bodies are drawn, which always have objects near them: themselves
  shadow_map_finish(&r->shadow_map, !picture->floor && r->obstacle_count == 0);
  if (!picture->floor) return;
  draw_depth(r, r->underside_target, CONTACT_SIZE, picture, true);
  glBindFramebuffer(GL_FRAMEBUFFER, r->contact_target);
  glDisable(GL_DEPTH_TEST);
  glBindTextureUnit(2, r->underside);
  glBindVertexArray(r->no_vertices);
  glUseProgram(r->programs->contact);
  glUniform1f(0, CONTACT_SIZE / 2.0f);  // depth range of the map in units of texels: half of its width
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

// Computes the flat face where the section plane of the style cuts the mesh, unless r->cut is this face already.
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
  r->cap = surface_buffer(cut.triangle, sizeof *cut.triangle * (size_t)cut.triangle_count);
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

// Largest distance at which parts of the body shade each other, in radii of the body.
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

// Draws the tets inside the body that a section of the kind SECTION_TETS makes visible. A section of this kind hides
// all tets on one side of a plane. The caller has drawn the part of the body's surface that belongs to the other tets.
static void draw_inside(const SurfaceRenderer *r) {
  glBindVertexArray(r->no_vertices);
  glUseProgram(r->programs->inside);
  glEnable(GL_POLYGON_OFFSET_FILL);
  glPolygonOffset(1, 2);
  glDrawArrays(GL_TRIANGLES, 0, 12 * (r->tet_count < INT32_MAX / 12 ? r->tet_count : INT32_MAX / 12));
  glDisable(GL_POLYGON_OFFSET_FILL);
}

// Hides bodies in the parts of the picture that are drawn next. Bit k of `hidden` is set if body k is hidden.
static void hide_bodies(const SurfaceRenderer *r, uint32_t hidden) {
  glNamedBufferSubData(r->frame, offsetof(FrameUniforms, hidden), sizeof hidden, &hidden);
}

// Returns the set of bodies with a transparency in this picture: bit k is set if body k is one of them.
static uint32_t clear_bodies(const SurfaceRenderer *r, const Picture *picture) {
  return has_section(picture, SECTION_TETS) ? 0 : r->clear & ~picture->hidden;
}

// Draws the surface transparent, so that objects behind it stay visible: first the far side, then the near side.
static void draw_transparent(const SurfaceRenderer *r) {
  glDepthMask(GL_FALSE);
  glEnable(GL_BLEND);
  glEnable(GL_CULL_FACE);
  glCullFace(GL_FRONT);
  surface_renderer_draw_triangles(r, r->programs->surface);
  glCullFace(GL_BACK);
  surface_renderer_draw_triangles(r, r->programs->surface);
  glDisable(GL_CULL_FACE);
  glDisable(GL_BLEND);
  glDepthMask(GL_TRUE);
}

// Draws the obstacles that are not hidden, those with a bit in picture->lit_obstacles in the colour of the selection.
static void draw_obstacles(const SurfaceRenderer *r, const Picture *picture) {
  const unsigned program = r->programs->obstacle;
  for (int lit = 0; lit < 2; lit++) {
    const uint32_t others = lit ? ~picture->lit_obstacles : picture->lit_obstacles;
    glProgramUniform1f(program, 0, (float)lit);
    obstacle_shapes_draw(&r->obstacles, false, picture->hidden_obstacles | others, program);
  }
}

// Draws the picture that the floor reflects: bodies and obstacles as seen by the eye mirrored at the floor.
static bool draw_reflections(SurfaceRenderer *r, int width, int height, const Picture *picture, Error *error) {
  const float one = 1, none = 0;
  float there[4][4], mirrored[4][4], eye[3];
  double seen_from[3];
  if (!mirror_map_resize(&r->mirror, width, height, error)) return false;
  camera_matrix(picture->camera, (double)width / height, there);
  camera_viewpoint(picture->camera, seen_from);
  memcpy(mirrored, there, sizeof mirrored);
  mirror_map_turn(mirrored, *picture->floor);
  for (int i = 0; i < 3; i++) eye[i] = (float)(i < 2 ? seen_from[i] : 2 * *picture->floor - seen_from[i]);
  const size_t at_eye = offsetof(FrameUniforms, eye), at_occlusion = offsetof(FrameUniforms, viewport[3]);
  glNamedBufferSubData(r->frame, offsetof(FrameUniforms, world_to_clip), sizeof mirrored, mirrored);
  glNamedBufferSubData(r->frame, (GLintptr)at_eye, sizeof eye, eye);
  glNamedBufferSubData(r->frame, (GLintptr)at_occlusion, sizeof none, &none);  // the occlusion map is not mirrored

  mirror_map_begin(&r->mirror);
  glFrontFace(GL_CW);
  draw_obstacles(r, picture);
  const bool tets = has_section(picture, SECTION_TETS);
  surface_renderer_draw_triangles(r, tets ? r->programs->surface_cut : r->programs->surface);
  surface_renderer_draw_cap(r, picture, r->programs->cap);
  if (tets) draw_inside(r);
  const uint32_t clear = clear_bodies(r, picture);
  if (clear) {
    // The stored colours are multiplied by their alpha.
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    hide_bodies(r, picture->hidden | ~clear);
    draw_transparent(r);
    hide_bodies(r, picture->hidden | clear);
  }

  glFrontFace(GL_CCW);

  for (int i = 0; i < 3; i++) eye[i] = (float)seen_from[i];
  glNamedBufferSubData(r->frame, offsetof(FrameUniforms, world_to_clip), sizeof there, there);
  glNamedBufferSubData(r->frame, (GLintptr)at_eye, sizeof eye, eye);
  if (is_occluded(picture)) glNamedBufferSubData(r->frame, (GLintptr)at_occlusion, sizeof one, &one);
  return true;
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

// Draws arrows at no more than about 1200 nodes. An arrow of the largest size has a length of LONGEST radii of the
// body.
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
  glEnable(GL_BLEND);
  glDrawArraysInstanced(GL_TRIANGLES, 0, 9, 1 + (r->node_count - 1) / stride);
  glDisable(GL_BLEND);
}

// Draws dots on the nodes [count] of an OpenGL buffer. chosen: they are the nodes of surface_renderer_set_chosen,
// otherwise pinned nodes.
static void draw_dots(const SurfaceRenderer *r, unsigned nodes, int count, bool chosen) {
  if (count == 0) return;
  glEnable(GL_PROGRAM_POINT_SIZE);
  glUseProgram(r->programs->pin);
  glUniform1f(0, chosen);
  glVertexArrayVertexBuffer(r->pin_array, 0, nodes, 0, sizeof(int));
  glBindVertexArray(r->pin_array);
  glDrawArrays(GL_POINTS, 0, count);
  glDisable(GL_PROGRAM_POINT_SIZE);
}

bool surface_renderer_draw(SurfaceRenderer *renderer, unsigned framebuffer, int width, int height,
                           const Picture *picture, Error *error) {
  SurfaceRenderer *r = renderer;
  const Style *style = picture->style;
  const float farthest = 1;
  const bool smooth = has_section(picture, SECTION_SMOOTH), tets = has_section(picture, SECTION_TETS);
  if (smooth && !cut_section(r, style, error)) return false;
  if (!shadow_map_resize(&r->shadow_map, height, error)) return false;
  surface_renderer_set_frame(r, width, height, picture);
  glDisable(GL_SCISSOR_TEST);
  glDisable(GL_CULL_FACE);
  glDisable(GL_BLEND);
  glDepthMask(GL_TRUE);
  glDepthFunc(GL_LESS);

  // transparent bodies cast no shadows, and do not hide the sky from other bodies
  const uint32_t clear = clear_bodies(r, picture);
  if (clear) hide_bodies(r, picture->hidden | clear);
  draw_maps(r, picture);
  if (is_occluded(picture) && !draw_occlusion(r, width, height, picture, error)) return false;

  shadow_map_bind(&r->shadow_map);
  glBindTextureUnit(1, r->contact);
  glBindTextureUnit(3, r->occlusion.left);
  glBindTextureUnit(5, r->environment);
  if (is_reflected(picture) && !draw_reflections(r, width, height, picture, error)) return false;

  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glViewport(0, 0, width, height);
  glEnable(GL_MULTISAMPLE);
  glClearBufferfv(GL_DEPTH, 0, &farthest);
  glBindTextureUnit(6, r->mirror.color);

  // background and floor are drawn first and write no depths, so they hide nothing
  glDisable(GL_DEPTH_TEST);
  glBindVertexArray(r->no_vertices);
  glUseProgram(r->programs->background);
  glDrawArrays(GL_TRIANGLES, 0, 3);

  // Blend colours by their alpha, but keep the alpha of the picture, which is 1.
  glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ZERO, GL_ONE);
  if (picture->floor) {
    glEnable(GL_BLEND);
    glUseProgram(r->programs->floor);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glDisable(GL_BLEND);
  }

  glEnable(GL_DEPTH_TEST);
  draw_obstacles(r, picture);
  const bool xray = is_transparent(picture);
  if (!xray) surface_renderer_draw_triangles(r, tets ? r->programs->surface_cut : r->programs->surface);
  if (clear) hide_bodies(r, picture->hidden);
  surface_renderer_draw_cap(r, picture, r->programs->cap);
  if (tets) draw_inside(r);
  if (!xray && style && style->wireframe) draw_edges(r);
  if (style && style->pins) draw_dots(r, r->pins, r->pin_count, false);
  draw_dots(r, r->chosen, r->chosen_count, true);
  if (clear && !xray) hide_bodies(r, picture->hidden | ~clear);
  if (clear || xray) draw_transparent(r);
  if (clear && !xray) hide_bodies(r, picture->hidden);
  if (xray && style->wireframe) draw_edges(r);

  draw_vectors(r, picture);

  // springs are drawn last and without a depth test, so the body never hides them
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

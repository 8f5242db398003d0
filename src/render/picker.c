// Finds the point under the mouse: see picker.h. OpenGL finds the front triangle at the pixel. The picked point is then
// computed in double precision, as the intersection of this triangle with the ray through the pixel. So the value in
// OpenGL's depth buffer, which is less precise, is not read.
#include "render/picker.h"

#include <math.h>
#include <string.h>

#include "render/gl_check.h"

bool picker_create(Picker *picker, Error *error) {
  *picker = (Picker){ 0 };
  glCreateRenderbuffers(1, &picker->ids);
  glCreateRenderbuffers(1, &picker->depth);
  glNamedRenderbufferStorage(picker->ids, GL_R32UI, 1, 1);
  glNamedRenderbufferStorage(picker->depth, GL_DEPTH_COMPONENT24, 1, 1);
  glCreateFramebuffers(1, &picker->target);
  glNamedFramebufferRenderbuffer(picker->target, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, picker->ids);
  glNamedFramebufferRenderbuffer(picker->target, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, picker->depth);
  const bool complete = glCheckNamedFramebufferStatus(picker->target, GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
  if (GL_CHECK("creating the image by which the mouse picks nodes") &&
      (complete || error_set(error, "OpenGL cannot draw the image by which the mouse picks nodes")))
    return true;
  picker_destroy(picker);
  return false;
}

void picker_destroy(Picker *picker) {
  if (picker->target) glDeleteFramebuffers(1, &picker->target);
  if (picker->ids) glDeleteRenderbuffers(1, &picker->ids);
  if (picker->depth) glDeleteRenderbuffers(1, &picker->depth);
  *picker = (Picker){ 0 };
}

static void minus(const double a[3], const double b[3], double result[3]) {
  for (int i = 0; i < 3; i++) result[i] = a[i] - b[i];
}

static double triple(const double a[3], const double b[3], const double c[3]) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

// Computes where the ray origin + t * direction intersects the plane of a triangle. Solves origin + t * direction = sum
// over a of barycentric[a] * corners[a] by Cramer's rule. Returns false if the ray is parallel to the triangle.
static bool ray_in_triangle(const double origin[3], const double direction[3], const double corners[3][3],
                            double barycentric[3]) {
  double from[3][3], weight[3], sum = 0;
  for (int a = 0; a < 3; a++) minus(corners[a], origin, from[a]);
  for (int a = 0; a < 3; a++) {
    // The weight of corner a is six times the volume of a tet with three edges at the ray's origin: `direction` and the
    // vectors to the other two corners.
    weight[a] = triple(direction, from[(a + 1) % 3], from[(a + 2) % 3]);
    sum += weight[a];
  }
  if (sum == 0) return false;
  double kept = 0;
  for (int a = 0; a < 3; a++) {
    // A coordinate may be negative by rounding, or if a triangle seen edge-on is narrower than a pixel. It then becomes
    // 0, so that the point is in the triangle.
    barycentric[a] = fmax(0, weight[a] / sum);
    kept += barycentric[a];
  }
  for (int a = 0; a < 3; a++) barycentric[a] /= kept;
  return isfinite(kept);
}

// Sets *id to the index of the triangle at a pixel of the picture, plus 1; 0: there is no triangle. The framebuffer
// picker->target has a single pixel. The viewport is shifted so that it shows the requested pixel of the picture.
static bool read_id(const Picker *picker, SurfaceRenderer *renderer, const Picture *picture, const int pixel[2],
                    int width, int height, unsigned *id, Error *error) {
  const GLuint none = 0;
  const float farthest = 1;
  surface_renderer_set_frame(renderer, width, height, picture);
  glBindFramebuffer(GL_FRAMEBUFFER, picker->target);
  glClearBufferuiv(GL_COLOR, 0, &none);
  glClearBufferfv(GL_DEPTH, 0, &farthest);
  glViewport(-pixel[0], pixel[1] + 1 - height, width, height);
  glDisable(GL_BLEND);
  glDisable(GL_CULL_FACE);
  glDisable(GL_SCISSOR_TEST);
  glEnable(GL_DEPTH_TEST);
  surface_renderer_draw_triangles(renderer, renderer->programs->pick);
  glProgramUniform1ui(renderer->programs->pick_cap, 0, (GLuint)renderer->triangle_count);
  surface_renderer_draw_cap(renderer, picture, renderer->programs->pick_cap);
  glReadPixels(0, 0, 1, 1, GL_RED_INTEGER, GL_UNSIGNED_INT, id);
  return GL_CHECK("picking");
}

// Computes the present position, m, of a vertex of the flat face where a section plane cuts the body. The vertex is on
// an edge between two nodes.
static bool cut_corner(const SurfaceRenderer *renderer, const PlaneCutVertex *v, double x[3], Error *error) {
  double ends[2][3];
  for (int k = 0; k < 2; k++)
    if (!surface_renderer_node(renderer, v->ends[k], ends[k], error)) return false;
  for (int i = 0; i < 3; i++) x[i] = (1 - (double)v->part) * ends[0][i] + (double)v->part * ends[1][i];
  return true;
}

bool picker_pick(const Picker *picker, SurfaceRenderer *renderer, const Surface *surface, const Picture *picture,
                 const double pixel[2], int width, int height, Pick *pick, Error *error) {
  const int whole[2] = { (int)floor(pixel[0]), (int)floor(pixel[1]) };
  const double centre[2] = { whole[0] + 0.5, whole[1] + 0.5 };
  double origin[3], direction[3], corners[3][3];
  unsigned id = 0;
  const PlaneCut *cut = &renderer->cut;
  *pick = (Pick){ .triangle = -1, .tet = -1 };
  if (whole[0] < 0 || whole[0] >= width || whole[1] < 0 || whole[1] >= height) return true;
  if (!read_id(picker, renderer, picture, whole, width, height, &id, error)) return false;
  if (id == 0 || id > (unsigned)(surface->triangle_count + cut->triangle_count)) return true;
  const int triangle = (int)id - 1, inside = triangle - surface->triangle_count;
  for (int a = 0; a < 3; a++)
    if (!(inside < 0 ? surface_renderer_node(renderer, surface->triangle[triangle][a], corners[a], error)
                     : cut_corner(renderer, &cut->triangle[inside][a], corners[a], error)))
      return false;
  camera_ray(picture->camera, centre, width, height, origin, direction);
  if (!ray_in_triangle(origin, direction, (const double(*)[3])corners, pick->barycentric)) return true;
  for (int i = 0; i < 3; i++)
    for (int a = 0; a < 3; a++) pick->point[i] += pick->barycentric[a] * corners[a][i];
  pick->tet = inside >= 0 ? cut->tet[inside] : surface->owner ? surface->owner[triangle] : -1;
  if (inside >= 0) return true;
  pick->triangle = triangle;
  memcpy(pick->nodes, surface->triangle[triangle], sizeof pick->nodes);
  return true;
}

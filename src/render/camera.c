// The camera: see camera.h. All computations are in double; only the matrix for OpenGL is float.
#include "render/camera.h"

#include <cglm/cglm.h>
#include <math.h>
#include <string.h>

#include "base/vectors.h"

#define RADIANS(degrees) ((degrees) * (3.14159265358979323846 / 180))

// Largest elevation. At 90 degrees the view direction would be parallel to `up`, and `up` would no longer determine
// which direction is to the right in the picture.
static const double STEEPEST = RADIANS(89.9);

static bool normalize(double a[3]) {
  const double length = sqrt(vector_dot(a, a));
  if (!(length > 0) || !isfinite(length)) return false;
  for (int i = 0; i < 3; i++) a[i] /= length;
  return true;
}

Camera camera_fit(const double low[3], const double high[3], double fov_degrees, double aspect) {
  Camera camera = { .right = { 1, 0, 0 }, .ahead = { 0, 1, 0 }, .up = { 0, 0, 1 }, .fov = RADIANS(fov_degrees) };
  double diagonal2 = 0;
  for (int i = 0; i < 3; i++) {
    camera.centre[i] = camera.target[i] = 0.5 * (low[i] + high[i]);
    camera.half[i] = 0.5 * (high[i] - low[i]);
    diagonal2 += (high[i] - low[i]) * (high[i] - low[i]);
  }
  camera.radius = diagonal2 > 0 ? 0.5 * sqrt(diagonal2) : 1;

  // The sphere of radius camera.radius around the box must be visible, with a margin of 10 % in the narrower direction
  // of the picture. `half` is half of the field of view in this direction.
  const double half = aspect < 1 ? atan(tan(camera.fov / 2) * aspect) : camera.fov / 2;
  camera.distance = 1.1 * camera.radius / sin(half);
  camera.azimuth = RADIANS(25);
  camera.elevation = RADIANS(12);
  return camera;
}

bool camera_look(Camera *camera, const double eye[3], const double target[3], const double up[3], Error *error) {
  Camera made = *camera;
  double toward[3];
  for (int i = 0; i < 3; i++) {
    toward[i] = target[i] - eye[i];
    made.target[i] = target[i];
    made.up[i] = up[i];
  }
  made.distance = sqrt(vector_dot(toward, toward));
  if (!normalize(toward) || !normalize(made.up)) return error_set(error, "camera: eye and target are the same point");
  vector_cross(toward, made.up, made.right);
  if (sqrt(vector_dot(made.right, made.right)) < 1e-3)
    return error_set(error, "camera: \"up\" is parallel to the line from eye to target; use another direction");
  normalize(made.right);
  vector_cross(made.up, made.right, made.ahead);
  made.azimuth = 0;
  made.elevation = fmax(-STEEPEST, fmin(STEEPEST, asin(fmax(-1, fmin(1, -vector_dot(toward, made.up))))));
  *camera = made;
  return true;
}

void camera_axes(const Camera *c, double right[3], double up[3], double forward[3]) {
  const double ca = cos(c->azimuth), sa = sin(c->azimuth), ce = cos(c->elevation), se = sin(c->elevation);
  for (int i = 0; i < 3; i++) {
    const double level = ca * c->ahead[i] - sa * c->right[i];  // unit vector: view direction at elevation 0
    right[i] = ca * c->right[i] + sa * c->ahead[i];
    forward[i] = ce * level - se * c->up[i];
    up[i] = se * level + ce * c->up[i];
  }
}

void camera_eye(const Camera *camera, double eye[3]) {
  double right[3], up[3], forward[3];
  camera_axes(camera, right, up, forward);
  for (int i = 0; i < 3; i++) eye[i] = camera->target[i] - camera->distance * forward[i];
}

// Half of the range of depths that an orthographic camera shows, in radii of the body. The centre of the range is the
// depth of the body's centre. The range is large enough to include the floor.
static const double REACH = 16;

void camera_viewpoint(const Camera *camera, double point[3]) {
  // An orthographic camera has parallel rays. Its viewpoint is so far behind the eye that rays from there to the body
  // are nearly parallel. FAR is this distance in radii of the body.
  static const double FAR = 1e3;
  double right[3], up[3], forward[3];
  camera_axes(camera, right, up, forward);
  camera_eye(camera, point);
  for (int i = 0; camera->orthographic && i < 3; i++) point[i] -= FAR * camera->radius * forward[i];
}

void camera_show(Camera *camera, const double low[3], const double high[3], double aspect) {
  const Camera fitted = camera_fit(low, high, camera->fov * 180 / M_PI, aspect);
  memcpy(camera->target, fitted.target, sizeof camera->target);
  camera->distance = fitted.distance;
}

void camera_orbit(Camera *camera, double azimuth, double elevation) {
  camera->azimuth = remainder(camera->azimuth + azimuth, RADIANS(360));
  camera->elevation = fmax(-STEEPEST, fmin(STEEPEST, camera->elevation + elevation));
}

void camera_pan(Camera *camera, double dx, double dy, int height) {
  double right[3], up[3], forward[3];
  camera_axes(camera, right, up, forward);
  const double per_pixel = 2 * camera->distance * tan(camera->fov / 2) / height;
  for (int i = 0; i < 3; i++) camera->target[i] += per_pixel * (dy * up[i] - dx * right[i]);
}

void camera_zoom(Camera *camera, double factor) {
  camera->distance = fmax(0.02 * camera->radius, fmin(50 * camera->radius, camera->distance * factor));
}

void camera_zoom_at(Camera *camera, double factor, const double pixel[2], int width, int height) {
  double point[3];
  camera_on_plane(camera, pixel, width, height, camera->target, point);
  const double before = camera->distance;
  camera_zoom(camera, factor);
  const double nearer = camera->distance / before;
  for (int i = 0; i < 3; i++) camera->target[i] = point[i] + nearer * (camera->target[i] - point[i]);
}

void camera_look_from(Camera *camera, double azimuth, double elevation) {
  // `ahead` is the world's y direction, or -z if y is up, made perpendicular to `up`
  const double y[3] = { 0, 1, 0 }, minus_z[3] = { 0, 0, -1 }, *up = camera->up;
  double ahead[3], right[3], toward[3];
  const double *seen = fabs(up[1]) < 0.9 ? y : minus_z;
  for (int i = 0; i < 3; i++) ahead[i] = seen[i] - vector_dot(seen, up) * up[i];
  normalize(ahead);
  vector_cross(ahead, up, right);
  // computes the azimuth of the view direction `toward` relative to camera->ahead and camera->right
  for (int i = 0; i < 3; i++) toward[i] = cos(azimuth) * ahead[i] - sin(azimuth) * right[i];
  camera->azimuth = atan2(-vector_dot(toward, camera->right), vector_dot(toward, camera->ahead));
  camera->elevation = fmax(-STEEPEST, fmin(STEEPEST, elevation));
}

void camera_look_along(Camera *camera, const double from[3]) {
  const double steep = vector_dot(from, camera->up);
  double toward[3];
  camera_look_from(camera, 0, asin(fmax(-1, fmin(1, steep))));
  for (int i = 0; i < 3; i++) toward[i] = steep * camera->up[i] - from[i];
  if (vector_dot(toward, toward) > 1e-12)
    camera->azimuth = atan2(-vector_dot(toward, camera->right), vector_dot(toward, camera->ahead));
}

// Computes the range of depths that the picture shows, m. The range is larger than the body, because the user may pull
// parts of the body away from it.
static void depth_range(const Camera *camera, double *near, double *far) {
  double eye[3], right[3], up[3], forward[3], to_centre[3];
  camera_axes(camera, right, up, forward);
  camera_eye(camera, eye);
  for (int i = 0; i < 3; i++) to_centre[i] = camera->centre[i] - eye[i];
  const double depth = vector_dot(to_centre, forward);
  if (camera->orthographic) {
    *near = depth - REACH * camera->radius;
    *far = depth + REACH * camera->radius;
    return;
  }
  *far = fmax(depth, 0) + 8 * camera->radius;
  *near = fmax(depth - 4 * camera->radius, 2e-3 * *far);

  // if the target is far from the body, the range also includes the surroundings of the target
  double away[3];
  for (int i = 0; i < 3; i++) away[i] = camera->target[i] - camera->centre[i];
  if (vector_dot(away, away) < 4 * camera->radius * camera->radius) return;
  *far = fmax(*far, 2 * camera->distance + 8 * camera->radius);
  *near = fmax(fmin(*near, 0.1 * camera->distance), 2e-3 * *far);
}

void camera_matrix(const Camera *camera, double aspect, float world_to_clip[4][4]) {
  double eye[3], right[3], up[3], forward[3], near, far;
  camera_axes(camera, right, up, forward);
  camera_eye(camera, eye);
  depth_range(camera, &near, &far);
  mat4 view = GLM_MAT4_IDENTITY_INIT, projection;
  for (int i = 0; i < 3; i++) {
    view[i][0] = (float)right[i];
    view[i][1] = (float)up[i];
    view[i][2] = (float)-forward[i];
  }
  view[3][0] = (float)-vector_dot(right, eye);
  view[3][1] = (float)-vector_dot(up, eye);
  view[3][2] = (float)vector_dot(forward, eye);
  const double high = camera->distance * tan(camera->fov / 2), wide = high * aspect;
  if (camera->orthographic)
    glm_ortho((float)-wide, (float)wide, (float)-high, (float)high, (float)near, (float)far, projection);
  else
    glm_perspective((float)camera->fov, (float)aspect, (float)near, (float)far, projection);
  mat4 product;
  glm_mat4_mul(projection, view, product);
  memcpy(world_to_clip, product, sizeof product);
}

bool camera_project(const Camera *camera, const double point[3], int width, int height, double pixel[2]) {
  double eye[3], right[3], up[3], forward[3], toward[3];
  camera_axes(camera, right, up, forward);
  camera_eye(camera, eye);
  for (int i = 0; i < 3; i++) toward[i] = point[i] - eye[i];
  const double depth = camera->orthographic ? camera->distance : vector_dot(toward, forward);
  if (!(depth > 0)) return false;
  const double scale = 0.5 * height / (tan(camera->fov / 2) * depth);
  pixel[0] = 0.5 * width + scale * vector_dot(toward, right);
  pixel[1] = 0.5 * height - scale * vector_dot(toward, up);
  return true;
}

// Computes the line that a pixel shows, as a point and a direction. The point is in the plane through the eye parallel
// to the picture. The direction is scaled so that its component along the view direction is 1.
static void through_pixel(const Camera *camera, const double pixel[2], int width, int height, double origin[3],
                          double direction[3]) {
  double right[3], up[3], forward[3];
  camera_axes(camera, right, up, forward);
  camera_eye(camera, origin);
  const double scale = 2 * tan(camera->fov / 2) / height;
  const double x = scale * (pixel[0] - 0.5 * width), y = scale * (0.5 * height - pixel[1]);
  for (int i = 0; i < 3; i++) {
    const double aside = x * right[i] + y * up[i];
    direction[i] = forward[i] + (camera->orthographic ? 0 : aside);
    if (camera->orthographic) origin[i] += camera->distance * aside;
  }
}

void camera_ray(const Camera *camera, const double pixel[2], int width, int height, double origin[3],
                double direction[3]) {
  through_pixel(camera, pixel, width, height, origin, direction);
  normalize(direction);
  if (!camera->orthographic) return;
  // the eye of an orthographic camera may be inside the body, so the ray begins at the near end of the depth range
  double near, far;
  depth_range(camera, &near, &far);
  for (int i = 0; i < 3; i++) origin[i] += near * direction[i];
}

void camera_on_plane(const Camera *camera, const double pixel[2], int width, int height, const double point[3],
                     double result[3]) {
  double origin[3], right[3], up[3], forward[3], toward[3], direction[3];
  camera_axes(camera, right, up, forward);
  through_pixel(camera, pixel, width, height, origin, direction);
  for (int i = 0; i < 3; i++) toward[i] = point[i] - origin[i];
  const double depth = vector_dot(toward, forward);
  for (int i = 0; i < 3; i++) result[i] = origin[i] + depth * direction[i];
}

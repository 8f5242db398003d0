// Geometry of the handles at the selected entry of the scene editor: see handles.h.
#include "window/handles.h"

#include <math.h>
#include <string.h>

static const double LENGTH = 0.3;   // length of an arrow / (distance from the eye * tan(field of view / 2))
static const double RING = 0.28;    // radius of a ring, in the same unit
static const double CIRCLE = 0.33;  // radius of the circle, in the same unit
static const double NEAR_END = 0.1, FAR_END = 0.24;  // ends of a line along a local axis, in the same unit
static const double SLANTED =
    0.25;  // cosine of the angle between view direction and axis, below which a ring looks flat
static const double AXES[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
static const double PI = 3.14159265358979323846;

int handles_count(const Handles *h) {
  return h->kind != TRANSFORM_SCALE ? 3 : h->stretches ? 4 : 1;
}

Transform handles_transform(const Handles *h) {
  Transform t = { h->kind, .axis = h->held, .amount = h->amount };
  memcpy(t.pivot, h->centre, sizeof t.pivot);
  if (h->kind == TRANSFORM_SCALE && h->held > 0) {
    t.axis = h->held - 1;
    t.along = true;
    memcpy(t.direction, h->local[t.axis], sizeof t.direction);
  }
  return t;
}

bool handles_change(const Handles *h) {
  return h->amount != (h->kind == TRANSFORM_SCALE ? 1 : 0);
}

// Computes the unit vector from the centre of the handles to the viewer. Returns the length, m, of which LENGTH, RING
// and CIRCLE are fractions: the distance from the eye times tan(field of view / 2).
static double toward_viewer(const Handles *h, const Camera *camera, double toward[3]) {
  double right[3], up[3], forward[3], eye[3], square = 0;
  camera_axes(camera, right, up, forward);
  camera_eye(camera, eye);
  for (int i = 0; i < 3; i++) square += (eye[i] - h->centre[i]) * (eye[i] - h->centre[i]);
  const double distance = sqrt(square);
  for (int i = 0; i < 3; i++)
    toward[i] = camera->orthographic || !(distance > 0) ? -forward[i] : (eye[i] - h->centre[i]) / distance;
  return (camera->orthographic ? camera->distance : distance) * tan(camera->fov / 2);
}

// ---- lines

static void arrow_line(const Handles *h, double size, int k, HandleLine *line) {
  line->count = 2;
  line->knob = 1;
  memcpy(line->point[0], h->centre, sizeof h->centre);
  memcpy(line->point[1], h->centre, sizeof h->centre);
  line->point[1][k] += LENGTH * size;
}

// Computes the line along local axis k, by which the user scales along this axis. The line begins away from the centre,
// because the factor of a drag is divided by the distance of its begin from the centre.
static void stretch_line(const Handles *h, double size, int k, HandleLine *line) {
  line->count = 2;
  line->knob = 1;
  for (int i = 0; i < 3; i++) {
    line->point[0][i] = h->centre[i] + NEAR_END * size * h->local[k][i];
    line->point[1][i] = h->centre[i] + FAR_END * size * h->local[k][i];
  }
}

// Computes a circle around the centre of the handles, with this radius, in the plane of the perpendicular unit vectors
// u and v.
static void round_line(const Handles *h, const double u[3], const double v[3], double radius, HandleLine *line) {
  line->count = HANDLE_POINTS;
  for (int p = 0; p < HANDLE_POINTS; p++) {
    const double angle = 2 * PI * p / (HANDLE_POINTS - 1);
    for (int i = 0; i < 3; i++) line->point[p][i] = h->centre[i] + radius * (cos(angle) * u[i] + sin(angle) * v[i]);
  }
}

// Hides the half of a ring that is farther from the viewer than the centre. The ring's knob is the point that has the
// ring's name. It is one of the four points halfway between the planes of the other two rings, so it lies on neither of
// them.
static void hide_back(const Handles *h, const double toward[3], double radius, HandleLine *line) {
  enum { QUARTER = (HANDLE_POINTS - 1) / 4 };
  double nearest = -HUGE_VAL;
  for (int p = 0; p < HANDLE_POINTS; p++) {
    double depth = 0;
    for (int i = 0; i < 3; i++) depth += (line->point[p][i] - h->centre[i]) * toward[i];
    line->shown[p] = depth > -0.1 * radius;
    if (p % QUARTER == QUARTER / 2 && depth > nearest) {
      nearest = depth;
      line->knob = p;
    }
  }
}

void handle_line(const Handles *h, const HandleView *view, int k, bool whole, HandleLine *line) {
  double toward[3], right[3], up[3], forward[3];
  const double size = toward_viewer(h, view->camera, toward);
  for (int p = 0; p < HANDLE_POINTS; p++) line->shown[p] = true;
  switch (h->kind) {
    case TRANSFORM_TURN:
      round_line(h, AXES[(k + 1) % 3], AXES[(k + 2) % 3], RING * size, line);
      hide_back(h, toward, whole ? HUGE_VAL : RING * size, line);
      return;
    case TRANSFORM_SCALE:
      if (k > 0) {
        stretch_line(h, size, k - 1, line);
        return;
      }
      camera_axes(view->camera, right, up, forward);
      round_line(h, right, up, CIRCLE * size, line);
      line->knob = (HANDLE_POINTS - 1) / 8;
      return;
    case TRANSFORM_MOVE:
    case TRANSFORM_KINDS:
      arrow_line(h, size, k, line);
      return;
  }
}

// ---- values

// Computes the distance, m, from the centre along a unit vector to the point that is nearest to the ray under a pixel.
// Returns false if the camera looks along the vector.
static bool along_axis(const Handles *h, const double origin[3], const double ray[3], const double axis[3],
                       double *along) {
  double cosine = 0, of_ray = 0, of_axis = 0;
  for (int i = 0; i < 3; i++) {
    cosine += ray[i] * axis[i];
    of_ray += (origin[i] - h->centre[i]) * ray[i];
    of_axis += (origin[i] - h->centre[i]) * axis[i];
  }
  const double sine_squared = 1 - cosine * cosine;
  if (sine_squared < 1e-4) return false;
  *along = (of_axis - of_ray * cosine) / sine_squared;
  return true;
}

// Computes the angle about axis k, radians, of the point under a pixel in the plane of ring k.
static bool angle_in_plane(const Handles *h, const double origin[3], const double ray[3], int k, double *angle) {
  const int u = (k + 1) % 3, v = (k + 2) % 3;
  if (fabs(ray[k]) < 1e-3) return false;
  const double reach = (h->centre[k] - origin[k]) / ray[k];
  if (reach < 0) return false;
  *angle = atan2(origin[v] + reach * ray[v] - h->centre[v], origin[u] + reach * ray[u] - h->centre[u]);
  return true;
}

// As angle_in_plane, for a ring that looks flat, because the camera is in its plane: the mouse moves the front of the
// ring like the rim of a wheel. The angle is 0 for the upper left corner of the picture.
static bool angle_of_rim(const Handles *h, const HandleView *view, const double toward[3], int k, const double pixel[2],
                         double *angle) {
  const int u = (k + 1) % 3, v = (k + 2) % 3;
  const double length = hypot(toward[u], toward[v]), step = 1e-3;
  double size_of[3], front[2][3], at[2][2], radius = RING * toward_viewer(h, view->camera, size_of);
  for (int side = 0; side < 2; side++) {
    memcpy(front[side], h->centre, sizeof h->centre);
    front[side][u] += radius * (toward[u] - side * step * toward[v]) / length;
    front[side][v] += radius * (toward[v] + side * step * toward[u]) / length;
    if (!camera_project(view->camera, front[side], view->width, view->height, at[side])) return false;
  }

  // motion of the front point of the ring on the screen, pixels per radian of the turn
  const double dx = (at[1][0] - at[0][0]) / step, dy = (at[1][1] - at[0][1]) / step;
  *angle = (pixel[0] * dx + pixel[1] * dy) / (dx * dx + dy * dy);
  return true;
}

// Computes what handle k would measure at a pixel: a distance along the axis, m; an angle about the axis, radians; or,
// for the circle, the distance from the centre in the picture, pixels.
static bool handle_value(const Handles *h, const HandleView *view, int k, const double pixel[2], double *value) {
  double origin[3], ray[3], toward[3], middle[2];
  camera_ray(view->camera, pixel, view->width, view->height, origin, ray);
  toward_viewer(h, view->camera, toward);
  switch (h->kind) {
    case TRANSFORM_TURN:
      return fabs(toward[k]) < SLANTED ? angle_of_rim(h, view, toward, k, pixel, value)
                                       : angle_in_plane(h, origin, ray, k, value);
    case TRANSFORM_SCALE:
      if (k > 0) return along_axis(h, origin, ray, h->local[k - 1], value);
      if (!camera_project(view->camera, h->centre, view->width, view->height, middle)) return false;
      *value = hypot(pixel[0] - middle[0], pixel[1] - middle[1]);
      return true;
    case TRANSFORM_MOVE:
    case TRANSFORM_KINDS:
      return along_axis(h, origin, ray, AXES[k], value);
  }
  return false;
}

bool handle_grab(Handles *h, const HandleView *view, int k, const double pixel[2]) {
  if (!handle_value(h, view, k, pixel, &h->grabbed)) return false;
  h->held = k;
  h->last = h->grabbed;
  h->sum = 0;
  h->amount = h->kind == TRANSFORM_SCALE ? 1 : 0;
  return true;
}

// Returns the new position along the held arrow, minus the old one. Snapped positions are multiples of the largest
// power of ten below half of the arrow's length; positions that are not snapped are multiples of 1/1000 of this power.
static double distance_of(const Handles *h, const HandleView *view, double value) {
  double toward[3];
  const double length = LENGTH * toward_viewer(h, view->camera, toward);
  const double step = pow(10, floor(log10(length / 2))) * (h->snaps ? 1 : 1e-3), position = h->position[h->held];
  return round((position + value - h->grabbed) / step) * step - position;
}

void handle_drag(Handles *h, const HandleView *view, const double pixel[2]) {
  double value;
  if (!handle_value(h, view, h->held, pixel, &value)) return;
  if (h->kind == TRANSFORM_TURN) {
    const double step = h->snaps ? 15 : 0.1;       // degrees
    h->sum += remainder(value - h->last, 2 * PI);  // so that a ring can be turned by more than half a circle
    h->amount = round(h->sum * 180 / PI / step) * step + 0.0;  // + 0.0 replaces -0
  } else if (h->kind == TRANSFORM_SCALE) {
    const double step = h->snaps ? 0.1 : 0.01;
    h->amount = fmax(1, round(value / h->grabbed / step)) * step;
  } else {
    h->amount = distance_of(h, view, value);
  }
  h->last = value;
}

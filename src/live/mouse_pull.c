// Makes commands from mouse movements on a picture: see mouse_pull.h.
#include "live/mouse_pull.h"

#include <string.h>

void mouse_point_at_rest(const TetMesh *mesh, const Pick *pick, double X[3]) {
  for (int i = 0; i < 3; i++) {
    X[i] = 0;
    for (int a = 0; a < 3; a++) X[i] += pick->barycentric[a] * mesh->X[pick->nodes[a]][i];
  }
}

Command mouse_grab(const TetMesh *mesh, const Camera *camera, const double pixel[2], const int size[2], double radius,
                   double stiffness, bool pushes, Pick *pick) {
  static const double OFF = 1.1;  // distance of the ball's centre from the surface, in ball radii
  Command command = { .kind = COMMAND_GRAB, .radius = radius, .stiffness = stiffness, .pushes = pushes };
  mouse_point_at_rest(mesh, pick, command.X);
  if (pushes) {
    double right[3], up[3], forward[3], plane[3];
    camera_axes(camera, right, up, forward);
    for (int i = 0; i < 3; i++) plane[i] = pick->point[i] - OFF * radius * forward[i];
    camera_on_plane(camera, pixel, size[0], size[1], plane, pick->point);
  }
  memcpy(command.nodes, pick->nodes, sizeof command.nodes);
  memcpy(command.barycentric, pick->barycentric, sizeof command.barycentric);
  memcpy(command.point, pick->point, sizeof command.point);
  return command;
}

void mouse_target(const Camera *camera, const double pixel[2], const int size[2], const Pick *pick, double depth,
                  double target[3]) {
  double plane[3], right[3], up[3], forward[3];
  camera_axes(camera, right, up, forward);
  for (int i = 0; i < 3; i++) plane[i] = pick->point[i] + depth * forward[i];
  camera_on_plane(camera, pixel, size[0], size[1], plane, target);
}

Command mouse_cut(const Camera *camera, const double from[2], const double to[2], const int size[2]) {
  Command command = { .kind = COMMAND_CUT };
  double a[3], b[3];  // directions of the rays through the two pixels
  Blade *blade = &command.blade;
  if (camera->orthographic) {
    // The rays through the two pixels are parallel, so their cross product would be 0. Replace them by rays from a far
    // point. These rays go through the points of the two pixels in the plane of the camera's target.
    double ends[2][3];
    camera_viewpoint(camera, blade->point);
    camera_on_plane(camera, from, size[0], size[1], camera->target, ends[0]);
    camera_on_plane(camera, to, size[0], size[1], camera->target, ends[1]);
    for (int i = 0; i < 3; i++) {
      a[i] = ends[0][i] - blade->point[i];
      b[i] = ends[1][i] - blade->point[i];
    }
  } else {
    camera_ray(camera, from, size[0], size[1], blade->point, a);
    camera_ray(camera, to, size[0], size[1], blade->point, b);
  }
  double *normal = blade->normal;
  for (int i = 0; i < 3; i++) normal[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    blade->edge[0][i] = normal[j] * a[k] - normal[k] * a[j];
    blade->edge[1][i] = b[j] * normal[k] - b[k] * normal[j];
  }
  return command;
}

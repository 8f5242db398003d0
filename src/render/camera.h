// The camera: turns round a target, looks at any body of any size, and takes pixels to rays and points to pixels.
// Pixels count from the picture's upper left corner; a pixel's centre is at .5. Pictures are width x height pixels.
#pragma once
#include "base/error.h"

// A fixed frame (right, ahead, up) says what azimuth 0 and elevation 0 mean: the view from -ahead.
typedef struct Camera {
  double right[3], ahead[3], up[3];  // orthonormal
  double target[3];                  // m, what it turns round
  double distance;                   // m, from target to eye
  double azimuth, elevation;         // radians; elevation within +-89.9 degrees
  double fov;                        // radians, vertical
  double centre[3], half[3];         // m, the body's bounding box: centre and half its edges
  double radius;                     // m, of the ball around the box: sets the depth range and the limits of zooming
} Camera;

/// Looks at a box as a whole, in a picture of this shape (width / height): z up, from -y, a little from the right and
/// above. A box without extent gets one of 1 m.
Camera camera_fit(const double low[3], const double high[3], double fov_degrees, double aspect);

/// Looks from `eye` to `target` with this up direction; keeps the bounds. Fails where the three do not give a view.
bool camera_look(Camera *camera, const double eye[3], const double target[3], const double up[3], Error *error);

/// Shows a box as a whole from where it looks now; the depth range stays that of the box it was made for.
void camera_show(Camera *camera, const double low[3], const double high[3], double aspect);

void camera_orbit(Camera *camera, double azimuth, double elevation);  // radians more
void camera_pan(Camera *camera, double dx, double dy, int height);    // pixels: the target follows the mouse
void camera_zoom(Camera *camera, double factor);                      // less than 1: nearer

/// The same, and what is seen at this pixel in the target's plane stays there.
void camera_zoom_at(Camera *camera, double factor, const double pixel[2], int width, int height);

/// Looks along a direction of the world: azimuth 0 and elevation 0 from the front, -y where z is up; azimuth a quarter
/// of a turn from the right, +x; elevation up to STEEPEST. Radians. Target and distance stay.
void camera_look_from(Camera *camera, double azimuth, double elevation);

/// Looks at the target from this side of the world, unit; from above and below as near to it as STEEPEST allows.
void camera_look_along(Camera *camera, const double from[3]);
void camera_eye(const Camera *camera, double eye[3]);                                      // m
void camera_axes(const Camera *camera, double right[3], double up[3], double forward[3]);  // of the picture, unit

/// World to clip space, as OpenGL wants it: column by column, depth -1 to 1.
void camera_matrix(const Camera *camera, double aspect, float world_to_clip[4][4]);

/// The pixel a point is seen at; false when it lies behind the eye.
bool camera_project(const Camera *camera, const double point[3], int width, int height, double pixel[2]);

/// The ray through a pixel: from the eye, with a unit direction.
void camera_ray(const Camera *camera, const double pixel[2], int width, int height, double origin[3],
                double direction[3]);

/// The point under a pixel in the plane through `point` that is parallel to the picture.
void camera_on_plane(const Camera *camera, const double pixel[2], int width, int height, const double point[3],
                     double result[3]);

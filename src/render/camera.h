// The camera orbits a target point. It works for bodies of any size, and converts pixels to rays and points to pixels.
// Pixel coordinates start at the picture's upper left corner; the centre of a pixel is at .5. A picture has
// width x height pixels.
#pragma once
#include "base/error.h"

// A fixed frame (right, ahead, up) defines the angles: at azimuth 0 and elevation 0 the view direction is `ahead`.
typedef struct Camera {
  double right[3], ahead[3], up[3];  // orthonormal
  double target[3];                  // m, the centre of the orbit
  double distance;                   // m, from the target to the eye
  double azimuth, elevation;         // radians; elevation within +-89.9 degrees
  double fov;                        // radians, vertical
  double centre[3], half[3];         // m, centre and half edges of the body's bounding box
  double radius;  // m, radius of the box's bounding sphere; determines the depth range and the zoom limits
} Camera;

/// Returns a camera that shows a whole box in a picture of aspect ratio width / height. z is up; the eye is on the side
/// of -y, 25 degrees to the right and 12 degrees above. An empty box counts as a sphere of radius 1 m.
Camera camera_fit(const double low[3], const double high[3], double fov_degrees, double aspect);

/// Moves the camera to `eye`, looking at `target` with this up direction; keeps the bounds. Fails if eye and target
/// coincide, or if the view direction is parallel to `up`.
bool camera_look(Camera *camera, const double eye[3], const double target[3], const double up[3], Error *error);

/// Moves target and distance so that a whole box is visible in the present direction. The depth range still follows the
/// bounds that camera_fit was given.
void camera_show(Camera *camera, const double low[3], const double high[3], double aspect);

void camera_orbit(Camera *camera, double azimuth, double elevation);  // adds angles, radians
void camera_pan(Camera *camera, double dx, double dy, int height);    // pixels; the target moves with the mouse
void camera_zoom(Camera *camera, double factor);                      // multiplies the distance; less than 1: nearer

/// As camera_zoom, but the point of the target's plane under this pixel stays under it.
void camera_zoom_at(Camera *camera, double factor, const double pixel[2], int width, int height);

/// Sets the view direction; target and distance stay. The angles are those of the world: if z is up, azimuth 0 and
/// elevation 0 view from the front (-y), and azimuth pi / 2 views from the right (+x). Angles are in radians; elevation
/// is clamped to +-STEEPEST.
void camera_look_from(Camera *camera, double azimuth, double elevation);

/// Moves the eye to the side of the target to which the unit vector `from` points; the distance stays. Views from above
/// and below are limited by STEEPEST.
void camera_look_along(Camera *camera, const double from[3]);
void camera_eye(const Camera *camera, double eye[3]);                                      // m
void camera_axes(const Camera *camera, double right[3], double up[3], double forward[3]);  // unit

/// Computes the matrix from world to clip space as OpenGL defines it: column-major, depth -1 to 1.
void camera_matrix(const Camera *camera, double aspect, float world_to_clip[4][4]);

/// Computes the pixel at which a point appears. Returns false if the point is behind the eye.
bool camera_project(const Camera *camera, const double point[3], int width, int height, double pixel[2]);

/// Computes the ray from the eye through a pixel; the direction is a unit vector.
void camera_ray(const Camera *camera, const double pixel[2], int width, int height, double origin[3],
                double direction[3]);

/// Computes the point under a pixel in the plane through `point` that is parallel to the picture.
void camera_on_plane(const Camera *camera, const double pixel[2], int width, int height, const double point[3],
                     double result[3]);

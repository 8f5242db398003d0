// The camera orbits a target point. It works for bodies of any size, and converts pixels to rays and points to pixels.
// Pixel coordinates begin at the upper left corner of the picture; the centre of the first pixel is at (0.5, 0.5). A
// picture has width x height pixels.
#pragma once
#include "base/error.h"

// right, ahead and up are a fixed frame that defines the angles: at azimuth 0 and elevation 0 the camera looks along
// `ahead`.
typedef struct Camera {
  double right[3], ahead[3], up[3];  // directions of the fixed frame; orthonormal
  double target[3];                  // m, the centre of the orbit
  double distance;                   // m, from the target to the eye
  double azimuth, elevation;         // radians; elevation within +-89.9 degrees
  double fov;                        // vertical field of view, radians
  double centre[3], half[3];         // m, centre and half edges of the body's bounding box
  double radius;  // m, radius of the sphere around this box; determines the depth range and the limits of the zoom
} Camera;

/// Returns a camera that shows a whole box in a picture of aspect ratio width / height. The up direction is z. The eye
/// is in front of the box, on the side of -y, turned by 25 degrees to the right and 12 degrees upward. An empty box
/// counts as a sphere of radius 1 m.
Camera camera_fit(const double low[3], const double high[3], double fov_degrees, double aspect);

/// Moves the camera to `eye`, so that it looks at `target` with this up direction. Keeps centre, half and radius. Fails
/// if eye and target coincide, or if the view direction is parallel to `up`.
bool camera_look(Camera *camera, const double eye[3], const double target[3], const double up[3], Error *error);

/// Moves target and distance so that a whole box is visible from the present direction. Centre, half and radius, and so
/// the depth range, stay those of the box that camera_fit was given.
void camera_show(Camera *camera, const double low[3], const double high[3], double aspect);

void camera_orbit(Camera *camera, double azimuth, double elevation);  // turns the camera by these angles, radians
// moves the target with the mouse, by dx and dy pixels in a picture that is `height` pixels high
void camera_pan(Camera *camera, double dx, double dy, int height);
// multiplies the distance; a factor less than 1 moves the eye nearer
void camera_zoom(Camera *camera, double factor);

/// As camera_zoom, but the point that is under this pixel, in the plane through the target, stays under this pixel.
void camera_zoom_at(Camera *camera, double factor, const double pixel[2], int width, int height);

/// Sets the view direction; target and distance stay. Angles are in radians, relative to the world. If z is up, azimuth
/// 0 and elevation 0 view from the front (-y), and azimuth pi / 2 views from the right (+x). Elevation is limited to
/// +-STEEPEST (89.9 degrees).
void camera_look_from(Camera *camera, double azimuth, double elevation);

/// Moves the eye to that side of the target to which the unit vector `from` points; the distance stays. Views from
/// above and below are limited to an elevation of +-STEEPEST (89.9 degrees).
void camera_look_along(Camera *camera, const double from[3]);
void camera_eye(const Camera *camera, double eye[3]);                                      // position of the eye, m
void camera_axes(const Camera *camera, double right[3], double up[3], double forward[3]);  // unit vectors

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

// A camera that orbits a target point, for bodies of any size. It converts pixels to rays and points to pixels. Pixels
// are counted from the upper left corner of a picture of width x height pixels; the centre of the first is (0.5, 0.5).
#pragma once
#include "base/error.h"

// Position and direction of the camera. The directions `right`, `ahead` and `up` stay fixed while the camera orbits;
// the angles are measured from them. At azimuth 0 and elevation 0 the camera looks along `ahead`.
typedef struct Camera {
  double right[3], ahead[3], up[3];  // unit vectors, perpendicular to each other
  double target[3];                  // m, point around which the camera turns
  double distance;                   // m, from the target to the eye
  double azimuth, elevation;         // radians; elevation is between -89.9 and 89.9 degrees, positive: eye above target
  double fov;                        // radians, vertical field of view
  // True: the picture is a parallel projection, in which sizes do not depend on the depth. Objects at the depth of the
  // target have the same size as with perspective.
  bool orthographic;
  double centre[3], half[3];  // m, centre and half edges of the bounding box of the body
  double radius;  // m, radius of the sphere around the body's bounding box; sets depth range and limits of the zoom
} Camera;

/// Returns a camera that shows the whole box from `low` to `high`, m. aspect: width of the picture divided by its
/// height. The direction up is z. The camera is in front of the box, on its -y side, but moved around it by 25 degrees
/// to the right and 12 degrees up. An empty box counts as a sphere of radius 1 m.
Camera camera_fit(const double low[3], const double high[3], double fov_degrees, double aspect);

/// Moves the camera to `eye` and makes it look at `target`; the direction `up` is upward in the picture. Keeps centre,
/// half and radius. Fails if eye and target coincide or the view direction is parallel to `up`.
bool camera_look(Camera *camera, const double eye[3], const double target[3], const double up[3], Error *error);

/// Moves target and eye, without turning the camera, so that the whole box from `low` to `high` is visible. Keeps
/// centre, half and radius, which determine the depth range.
void camera_show(Camera *camera, const double low[3], const double high[3], double aspect);

void camera_orbit(Camera *camera, double azimuth, double elevation);  // turns the camera around the target, radians
// moves the target so that the picture follows a mouse motion of (dx, dy) pixels; height: height of the picture, pixels
void camera_pan(Camera *camera, double dx, double dy, int height);
// multiplies the distance of eye and target by `factor`, but keeps it between 0.02 and 50 times `radius`
void camera_zoom(Camera *camera, double factor);

/// Multiplies the distance of eye and target by `factor`, and moves the target so that one point stays at the same
/// pixel of the picture. This is the point at `pixel` in the plane through the target, perpendicular to the view
/// direction.
void camera_zoom_at(Camera *camera, double factor, const double pixel[2], int width, int height);

/// Sets the view direction by angles relative to the world, radians; keeps target and distance. If z is up, azimuth 0
/// and elevation 0 look from the front (-y), and azimuth pi / 2 from the right (+x). Elevation is limited to 89.9
/// degrees.
void camera_look_from(Camera *camera, double azimuth, double elevation);

/// Moves the eye to the side of the target to which the unit vector `from` points; keeps the distance. The elevation is
/// limited to 89.9 degrees.
void camera_look_along(Camera *camera, const double from[3]);
void camera_eye(const Camera *camera, double eye[3]);  // position of the eye, m

/// Computes the viewpoint, m: the point from which the camera sees the body. It is used to test which side of a surface
/// is visible. It is the eye or, if the camera is orthographic, a far point behind the eye.
void camera_viewpoint(const Camera *camera, double point[3]);

void camera_axes(const Camera *camera, double right[3], double up[3],
                 double forward[3]);  // right, up and view direction as unit vectors

/// Computes the matrix from world to OpenGL's clip space: column-major, depth -1 to 1. aspect: width / height.
void camera_matrix(const Camera *camera, double aspect, float world_to_clip[4][4]);

/// Computes the pixel at which a point, m, appears. Returns false if the point is behind the eye of a perspective
/// camera.
bool camera_project(const Camera *camera, const double point[3], int width, int height, double pixel[2]);

/// Computes the ray that a pixel shows: its origin, m, and its direction, a unit vector. The origin is the eye, or a
/// point in front of the body if the camera is orthographic.
void camera_ray(const Camera *camera, const double pixel[2], int width, int height, double origin[3],
                double direction[3]);

/// Computes the point, m, that is under a pixel and in the plane through `point` parallel to the picture.
void camera_on_plane(const Camera *camera, const double pixel[2], int width, int height, const double point[3],
                     double result[3]);
